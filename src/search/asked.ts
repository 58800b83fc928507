// What a query asks for: its words, each with the tokens that a passage must have, and which of them belong together.
import { GatewayError } from "../core/error.ts";
import { compoundsOf, pairsOf, piecesOf, type Piece } from "./words.ts";

/**
 * One thing that is asked for. A word, a symbol; a run of characters of a script without spaces; or a compound: words that marks join
 * ("INV-2024"), which stand beside each other in a text, or are one word there. `text` is folded.
 */
export type Asked = {
  readonly kind: "word" | "symbol" | "run" | "compound";
  readonly text: string;
  /** The tokens that a passage with the whole of it has; of a run of one character, what its tokens start with. */
  readonly parts: readonly string[];
  /** It stands in double quotes, so nothing else is taken for it. */
  readonly quoted: boolean;
  /** The query ends with it, so it may be cut off. */
  readonly last: boolean;
};

/** What stood in double quotes: pieces that follow each other. */
export type Phrase = readonly Piece[];

/** A query that was understood: what it asks for in order, each once, and what must stand as it was quoted. */
export type Query = { readonly asked: readonly Asked[]; readonly phrases: readonly Phrase[] };

/** The longest query, in characters. */
export const LONGEST_QUERY = 200;

const QUOTED = /["“”„«»]([^"“”„«»]{0,200})["“”„«»]/gu;

/** Reads a query. Throws a GatewayError `bad-request` in words when there is nothing in it that could be looked for. */
export function readQuery(query: string): Query {
  if (Array.from(query).length > LONGEST_QUERY) {
    throw new GatewayError("bad-request", `That is too long to look for: ${LONGEST_QUERY} characters are the most.`);
  }
  const pieces = piecesOf(query);
  const [only] = pieces;
  if (only === undefined) {
    throw new GatewayError(
      "bad-request",
      "There is nothing in that to look for: it takes a word, a number or an emoji.",
    );
  }
  if (pieces.length === 1 && only.kind === "word" && Array.from(only.text).length < 2) {
    throw new GatewayError("bad-request", "That is too short to look for: it takes at least two letters.");
  }
  const quotes = Array.from(query.matchAll(QUOTED), ({ index, 0: { length } }) => ({
    from: index,
    to: index + length,
  }));
  const quoteOf = (piece: Piece): number => quotes.findIndex(({ from, to }) => piece.start >= from && piece.end <= to);
  const phrases = quotes
    .map((_, nth) => pieces.filter((piece) => quoteOf(piece) === nth))
    .filter((phrase) => phrase.length > 0);
  const asked = new Map<string, Asked>();
  for (const one of askedBy(pieces, quoteOf)) {
    const known = asked.get(one.text);
    asked.set(one.text, known === undefined ? one : { ...known, quoted: known.quoted || one.quoted });
  }
  return { asked: [...asked.values()], phrases };
}

function* askedBy(pieces: readonly Piece[], quoteOf: (piece: Piece) => number): Generator<Asked> {
  const isTogether = (from: number, to: number): boolean =>
    new Set(pieces.slice(from, to).map((piece) => quoteOf(piece))).size === 1;
  const compounds = new Map(
    compoundsOf(pieces)
      .filter(({ from, to }) => isTogether(from, to))
      .map((compound) => [compound.from, compound]),
  );
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at];
    if (piece === undefined) return;
    const compound = compounds.get(at);
    const to = compound?.to ?? at + 1;
    const quoted = quoteOf(piece) >= 0;
    const last = to === pieces.length && !quoted;
    if (compound !== undefined) {
      const parts = pieces.slice(at, to).map((part) => part.text);
      yield { kind: "compound", text: compound.text, parts, quoted, last };
    } else if (piece.kind === "run") {
      yield { kind: "run", text: piece.text, parts: runParts(piece.text), quoted, last };
    } else {
      yield { kind: piece.kind, text: piece.text, parts: [piece.text], quoted, last };
    }
    at = to - 1;
  }
}

/** The pairs of a run. The last character alone would ask for runs that end with it. */
function runParts(run: string): readonly string[] {
  const pairs = [...new Set(pairsOf(run).slice(0, -1))];
  return pairs.length === 0 ? [run] : pairs;
}

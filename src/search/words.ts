// Text cut into what is looked for: words of scripts with spaces, pairs of characters of those without. The index and the query go
// through the same cutting, so the index is old as soon as anything here changes what comes out: then TOKENS_VERSION goes up.

import { HIDDEN } from "../taint/scrub.ts";

/** Goes up with every change of what `tokensOf` gives for some text. */
export const TOKENS_VERSION = 2;

/** The most UTF-16 units of a word's token; a longer word is several that stand together. */
const LONGEST_WORD = 32;

/**
 * A word, a run of characters of a script without spaces, or a single symbol (an emoji). `text` is folded: case, width, accents and
 * vowel points that may be left out are gone. `start`, `end`: where it stands in the text it was cut from, in UTF-16 units.
 * `glued`: nothing, or one mark that joins words ("INV-2024", "don't", "1,200"), is between it and the piece before.
 */
export type Piece = {
  readonly kind: "word" | "run" | "symbol";
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly glued: boolean;
  /** Of a run: for each unit of `text`, where the character that it comes from starts. */
  readonly offsets?: readonly number[];
};

type Kind = "split" | Piece["kind"];
/** A folded character. "mark": makes one letter with the one before it, or is left out. */
type Folded = { readonly text: string; readonly kind: Kind | "mark" };

/** Letters that no decomposition takes to their plain form, each with that form; pairs parted by spaces. */
const PLAIN: ReadonlyMap<string, string> = new Map(
  [
    "ß ss, æ ae, œ oe, ø o, đ d, ð d, ħ h, ı i, ł l, þ th, ŋ n, ŧ t",
    // Greek's final sigma.
    "ς σ",
    // Hindi's two nasal signs, which writers mix.
    "\u0901 \u0902",
    // Arabic, Persian and Urdu letters that keyboards mix, and the stroke that only stretches a word.
    "\u0649 \u064a, \u06cc \u064a, \u0629 \u0647, \u06c1 \u0647, \u06be \u0647, \u06a9 \u0643, \u0671 \u0627, \u0640 ",
    // Letters that are apostrophes to their writers.
    "\u02bc ', \u02bb '",
  ].flatMap((pairs) => pairs.split(", ").map((pair): [string, string] => [pair.slice(0, 1), pair.slice(2)])),
);

/** Marks that may be left out: accents, vowel points, the dot below Indian letters. Vowel signs of Indian and Thai writing are not. */
const OPTIONAL_MARK =
  /[[\p{M}&&[\p{Script=Inherited}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}]][\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc]]/v;
const NO_WIDTH = /[\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}]/u;
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
const LETTER = /[\p{L}\p{M}\p{N}]/u;
const DIGIT = /\p{Nd}/u;
const SYMBOL = /\p{Extended_Pictographic}/u;
/** What is one letter with its mark: Korean syllables, voiced kana, the short i of Russian. */
const WHOLE = /[\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\uff61-\uffdcЙйЎў]/u;
/** What may make one letter with the one before: voice marks of kana, vowels and finals of Korean, the breve of Russian. */
const JOINS_BEFORE = /\u0306|[\u3099\u309a\u1160-\u11ff]/u;

/** Between letters, what makes one word of two; between digits, what makes one number of two. */
const GLUE = /^['’\u02bb\u02bc\u05f3\u05f4"\-‐‑._&+]$/u;
const DIGIT_GLUE = /^[,:/]$/u;

const NOTHING: readonly Folded[] = [];
const folds = new Map<number, readonly Folded[]>();
/** As many as there are characters of two bytes: only a text made to fill the memory needs more, and is folded without it. */
const MOST_FOLDS = 0x1_00_00;

function foldOf(code: number): readonly Folded[] {
  const known = folds.get(code);
  if (known !== undefined) return known;
  const folded = foldCharacter(String.fromCodePoint(code));
  if (folds.size < MOST_FOLDS) folds.set(code, folded);
  return folded;
}

function foldCharacter(character: string): readonly Folded[] {
  if (JOINS_BEFORE.test(character)) return [{ text: character, kind: "mark" }];
  if (NO_WIDTH.test(character)) return NOTHING;
  const taken = character.normalize(WHOLE.test(character) ? "NFKC" : "NFKD").toLowerCase();
  const folded: Folded[] = [];
  for (const part of taken) {
    if (JOINS_BEFORE.test(part)) folded.push({ text: part, kind: "mark" });
    if (JOINS_BEFORE.test(part) || OPTIONAL_MARK.test(part)) continue;
    for (const letter of PLAIN.get(part) ?? part) folded.push({ text: plainDigit(letter), kind: kindOf(letter) });
  }
  return folded;
}

function kindOf(letter: string): Kind {
  if (DIGIT.test(letter)) return "word";
  if (LETTER.test(letter)) return UNSPACED.test(letter) ? "run" : "word";
  return SYMBOL.test(letter) ? "symbol" : "split";
}

/** A decimal digit of any script as 0 to 9: the ten of a script follow each other, from a code whose last digit is 0 or 6. */
function plainDigit(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  if (code < 0x80 || !DIGIT.test(letter)) return letter;
  let zero = code;
  while (code - zero < 9 && DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}

/** The letter that `mark` makes with the one before it, if it makes one. */
function composed(before: string, mark: string): string | undefined {
  // An accent on anything but these is left out.
  if (mark === "\u0306" && before !== "и" && before !== "у") return undefined;
  const whole = (before + mark).normalize("NFC");
  return whole.length === 1 ? whole : undefined;
}

/** Of an ASCII code: 1 for a letter or digit, 0 for anything that parts words. */
const PLAIN_LETTERS = Uint8Array.from({ length: 0x80 }, (_, code) =>
  /[a-z0-9]/i.test(String.fromCharCode(code)) ? 1 : 0,
);

const NO_WORD = " ".repeat(HIDDEN.length);

/** The pieces of a text, in order. Whatever is no letter, digit or symbol parts them. */
export function piecesOf(given: string): readonly Piece[] {
  // What stands in a secret's place is no word: nobody is to be told which lines held one.
  const text = given.includes(HIDDEN) ? given.replaceAll(HIDDEN, NO_WORD) : given;
  const cutter = new Cutter(text);
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) {
      const whole = text.codePointAt(at) ?? code;
      const next = at + (whole > 0xffff ? 2 : 1);
      cutter.takeCharacter(foldOf(whole), at, next);
      at = next;
    } else if (PLAIN_LETTERS[code] === 1) {
      let next = at + 1;
      while (PLAIN_LETTERS[text.charCodeAt(next)] === 1) next += 1;
      cutter.takePlain(at, next);
      at = next;
    } else {
      cutter.close();
      at += 1;
    }
  }
  cutter.close();
  return cutter.pieces;
}

/** The piece that is being read, and those before it. Lives for one text. */
class Cutter {
  readonly pieces: Piece[] = [];
  #kind: Kind = "split";
  #folded = "";
  #start = 0;
  #end = 0;
  #offsets: number[] = [];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  close(): void {
    if (this.#kind === "split") return;
    const before = this.pieces.at(-1);
    const glued = before !== undefined && isGlue(this.#text, before.end, this.#start);
    const piece = { kind: this.#kind, text: this.#folded, start: this.#start, end: this.#end, glued };
    this.pieces.push(this.#kind === "run" ? { ...piece, offsets: this.#offsets } : piece);
    this.#kind = "split";
  }

  /** Takes ASCII letters and digits at once. */
  takePlain(from: number, to: number): void {
    for (let at = from; at < to;) {
      this.#open("word", at);
      const next = Math.min(to, at + LONGEST_WORD - this.#folded.length);
      this.#folded += this.#text.slice(at, next).toLowerCase();
      this.#end = next;
      at = next;
    }
  }

  takeCharacter(folded: readonly Folded[], at: number, next: number): void {
    // What has no width belongs to the letter before it.
    if (folded.length === 0 && this.#kind !== "split") this.#end = next;
    for (const { text, kind } of folded) {
      const whole = kind === "mark" ? composed(this.#folded.slice(-1), text) : undefined;
      if (this.#kind !== "split" && whole !== undefined) {
        this.#folded = this.#folded.slice(0, -1) + whole;
        this.#end = next;
      } else if (kind === "split") {
        this.close();
      } else if (kind !== "mark") {
        this.#open(kind, at);
        this.#folded += text;
        if (kind === "run") for (let unit = 0; unit < text.length; unit += 1) this.#offsets.push(at);
        this.#end = next;
      } else if (this.#kind !== "split") {
        this.#end = next;
      }
    }
  }

  /** Makes sure that the piece being read is of `kind` and takes more. */
  #open(kind: Piece["kind"], at: number): void {
    const isFull = kind === "symbol" || (kind === "word" && this.#folded.length >= LONGEST_WORD);
    if (this.#kind === kind && !isFull) return;
    this.close();
    this.#kind = kind;
    this.#folded = "";
    this.#start = at;
    this.#offsets = [];
  }
}

/** Whether what stands between two pieces, if anything, joins them. */
function isGlue(text: string, from: number, to: number): boolean {
  if (to - from > 1 || to < from) return false;
  const between = text.slice(from, to);
  if (between === " ") return false;
  if (between === "" || GLUE.test(between)) return true;
  return DIGIT_GLUE.test(between) && DIGIT.test(text.charAt(from - 1)) && DIGIT.test(text.charAt(to));
}

/**
 * The tokens of a text in order, with repeats: words; the words that marks join also as one ("inv", "2024", "inv2024"); overlapping
 * pairs of the characters of a run, and its last character alone, so that each character starts a token; symbols. A token holds ASCII
 * letters and digits and anything above U+007F, never a space or ASCII punctuation.
 */
export function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  const pieces = piecesOf(text);
  for (const piece of pieces) {
    if (piece.kind === "run") tokens.push(...pairsOf(piece.text));
    else tokens.push(piece.text);
  }
  tokens.push(...compoundsOf(pieces).map((compound) => compound.text));
  return tokens;
}

/** The overlapping pairs of a run's characters, and its last character alone. */
export function pairsOf(run: string): readonly string[] {
  const characters = Array.from(run);
  return characters.map((character, at) => character + (characters[at + 1] ?? ""));
}

/** Words that marks join, two to four, as one: `from` and `to` (exclusive) are their places among the pieces. */
export type Compound = { readonly text: string; readonly from: number; readonly to: number };

/** The most words of a compound. An address or a hash has more, and nobody types it without its marks. */
const MOST_PARTS = 4;

/** What the marks join among these pieces. */
export function compoundsOf(pieces: readonly Piece[]): readonly Compound[] {
  const compounds: Compound[] = [];
  for (let from = 0; from < pieces.length;) {
    let to = from + 1;
    while (pieces[to]?.glued === true && pieces[to]?.kind === "word" && pieces[to - 1]?.kind === "word") to += 1;
    if (to - from > 1 && to - from <= MOST_PARTS) {
      const text = pieces
        .slice(from, to)
        .map((piece) => piece.text)
        .join("");
      if (text.length <= LONGEST_WORD) compounds.push({ text, from, to });
    }
    from = to;
  }
  return compounds;
}

/**
 * The token that every passage of a chat has beside those of its text, so that a chat can be left out, or looked through alone, by the
 * posting list itself. No text gives it: its first character is for private use. `chat`: its number in the index.
 */
export function chatToken(chat: number): string {
  return `\ue000${chat}`;
}

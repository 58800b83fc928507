// Instructions that changed since a thread heard them. A thread keeps its first ones, so the new ones go beside the turn.

/** Codex cuts each piece in the middle beyond 1,000 tokens, which is about this many bytes. */
const MAX_PIECE_BYTES = 3_900;
const HEAD = "These are your standing instructions from now on. They take the place of all earlier ones.";

/** As additional context of kind application: keys in order, none beyond the limit. */
export function changedInstructions(
  text: string,
): Record<string, { readonly value: string; readonly kind: "application" }> {
  const pieces = inPieces(text, MAX_PIECE_BYTES - 200);
  return Object.fromEntries(
    pieces.map((piece, at) => {
      const part = pieces.length === 1 ? "" : `Part ${at + 1} of ${pieces.length} of your standing instructions.`;
      const head = at === 0 ? [HEAD, part].join(" ").trim() : part;
      const key = `instructions.${String(at).padStart(3, "0")}`;
      return [key, { value: `${head}\n\n${piece}`, kind: "application" } as const];
    }),
  );
}

/** Cut after a line where one ends in the second half of a piece, else between two characters. */
function inPieces(text: string, maxBytes: number): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  let bytes = 0;
  for (const character of text) {
    const size = Buffer.byteLength(character);
    if (bytes + size > maxBytes) {
      const line = piece.lastIndexOf("\n") + 1;
      const cut = line > piece.length / 2 ? line : piece.length;
      pieces.push(piece.slice(0, cut));
      piece = piece.slice(cut);
      bytes = Buffer.byteLength(piece);
    }
    piece += character;
    bytes += size;
  }
  return [...pieces, piece];
}

// A text as patterns read it: one way to write each letter, nothing unseen between, and the way back to where it stood.

/** Ranges are in UTF-16 units of the text that was given. */
export type Range = { readonly start: number; readonly end: number };
/** Where something stands in a text: in order, none touching another. */
export type Find = (text: string) => readonly Range[];

/** `back` gives the range of the first text that a range of the folded one was read from. */
export type Folded = { readonly text: string; readonly back: (start: number, end: number) => Range };

/** What all programs write alike: here folding changes nothing. A backslash may be Markdown's or JSON's. */
const PLAIN = /^[\t\n\r -[\]-~]*$/;
/** Controls, what draws nothing, marks on letters, and a backslash before a sign that Markdown or JSON escape. */
const DROPPED = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{M}]|\\(?=[-_*.:=~!@#+/])/gu;

/** Dropped first: putting long runs of them in their canonical order takes time by the square. */
const MARKS = /\p{M}+/gu;
/** Signs that stand for several words, which would be judged one by one and hidden all at once. */
const WORDY = /\uFDFA|\uFDFB/gu;
const ONE_LETTER = "\u0635";
/** A shorter text is in order soon enough. */
const MANY_CHARS = 1000;

export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** Compatible forms made one (full width, ligatures), accents off, without what draws nothing; the case stays. */
export function foldText(text: string): string {
  const unordered = text.length > MANY_CHARS ? text.replaceAll(MARKS, "") : text;
  return compatible(unordered.replaceAll(WORDY, ONE_LETTER));
}

function compatible(text: string): string {
  return text.normalize("NFKD").replaceAll(DROPPED, "");
}

/** The same, with the way back. Slower: only for a text that may hold something. */
export function folded(text: string): Folded {
  if (isPlain(text)) return { text, back: (start, end) => ({ start, end }) };
  let plain = "";
  const starts: number[] = [];
  const ends: number[] = [];
  for (let at = 0; at < text.length;) {
    const sign = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const end = at + sign.length;
    // A backslash is judged by what follows it.
    const letters = sign === "\\" ? foldText(text.slice(at, end + 1)).slice(0, 1) : foldText(sign);
    const kept = sign === "\\" && letters !== "\\" ? "" : letters;
    for (let unit = 0; unit < kept.length; unit++) {
      starts.push(at);
      ends.push(end);
    }
    plain += kept;
    at = end;
  }
  return { text: plain, back: (start, end) => ({ start: starts[start] ?? 0, end: ends[end - 1] ?? 0 }) };
}

/** Ranges in order, those that overlap or touch as one. */
export function union(ranges: readonly Range[]): Range[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

/** The text with `sign` in place of each range; the ranges in order, none overlapping. */
export function masked(text: string, ranges: readonly Range[], sign: string): string {
  let shown = "";
  let from = 0;
  for (const { start, end } of ranges) {
    shown += text.slice(from, start) + sign;
    from = end;
  }
  return shown + text.slice(from);
}

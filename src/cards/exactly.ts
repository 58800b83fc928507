// Text of others as a reader must see it: exactly, and unable to end the code that it stands in.

/**
 * What draws nothing or turns a line around is spelled out, such as `\u{202E}`; line breaks and spaces stay. `tabs`: those as well, in a
 * block of code, where they can be seen.
 */
export function visibly(text: string, tabs = false): string {
  return text.replaceAll(/(?![\n\x20])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu, (one) =>
    tabs && one === "\t" ? one : `\\u{${(one.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}

/**
 * Whether a text, set as it is, shows exactly itself: nothing has to be spelled out, and no gap puts its end out of sight. Nor does
 * anything stand unseen at its ends, but for what files have there (`tabs`).
 */
export function isPlain(text: string, tabs = false): boolean {
  const ends = text.trim();
  return (
    ends !== "" &&
    (tabs || ends === text) &&
    visibly(text, tabs) === text &&
    !/(?:\n[\t\x20]{0,40}){3}\n|[\t\x20]{40}/u.test(text)
  );
}

/** A block of code that its text can't end. `language`: for platforms that colour it. */
export function fenced(text: string, language = ""): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** The same within a line. Line breaks are to be spelled out before. */
export function inlineCode(text: string): string {
  const fence = "`".repeat(longestRun(text) + 1);
  const edge = /^[`\x20]|[`\x20]$/u.test(text) ? " " : "";
  return `${fence}${edge}${text}${edge}${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...text.matchAll(/`+/gu).map(([run]) => run.length));
}

/** The same value with its keys in order, so that the same arguments read the same. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
}

/** A value as a reader sees it. */
export function inJson(value: unknown): string {
  return visibly(JSON.stringify(sorted(value), undefined, 2) ?? "null");
}

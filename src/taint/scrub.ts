// Taking secrets out of text, by known value, in every form in which a reader or an address would still have them.

const MIN_SECRET_CHARS = 6;

/** A shorter beginning of a secret tells nothing, and holding it back would make every draft stutter. */
const MIN_BEGUN_CHARS = 4;

/** How far back a growing text is looked at, in lengths of the longest secret: percent-encoding takes three for one, twice over for two that overlap. */
const WINDOW_LENGTHS = 6;

/** What stands in a secret's place. */
export const HIDDEN = "[hidden]";

/**
 * Makes a function that replaces every known secret: as it is, with Markdown's escapes or characters that draw nothing inside,
 * percent-encoded as in an address, or written with character references. Values under 6 characters are left alone: they would
 * take ordinary words with them. Takes time in proportion to the text, whatever the text is.
 */
export function scrubber(secrets: readonly string[]): (text: string) => string {
  const known = knownOf(secrets);
  if (known.secrets.length === 0) return (text) => text;
  return (text) => {
    let scrubbed = "";
    let from = 0;
    for (const { start, end } of found(text, known)) {
      scrubbed += text.slice(from, start) + HIDDEN;
      from = end;
    }
    return scrubbed + text.slice(from);
  };
}

/**
 * Makes a function that cuts from the end of a growing text what may be the beginning of a secret. To be asked before the
 * scrubber, on the whole text so far: what is cut now comes whole, or scrubbed, with a later one. Looks only at the text's end.
 */
export function holdBack(secrets: readonly string[]): (text: string) => string {
  const known = knownOf(secrets);
  if (known.secrets.length === 0) return (text) => text;
  return (text) => {
    const before = Math.max(0, text.length - known.longest * WINDOW_LENGTHS);
    const tail = text.slice(before);
    const begun = startsOf(tail, known).find((start) =>
      known.secrets.some((secret) => follow(tail, start, secret).begun >= MIN_BEGUN_CHARS),
    );
    if (begun === undefined) return text;
    // A whole secret may end with the beginning of one: cut in two, the scrubber would not know it any more.
    const whole = found(tail, known).find(({ start, end }) => start < begun && begun < end);
    return text.slice(0, before + (whole?.start ?? begun));
  };
}

/** One character of a secret, with what else may stand for it. */
type Sign = { readonly plain: string; readonly percent: string };
type Known = {
  readonly secrets: readonly (readonly Sign[])[];
  /** Of the longest secret, in bytes of UTF-8. */
  readonly longest: number;
  /** Finds where a secret can begin at all. */
  readonly starts: RegExp;
};
type Range = { readonly start: number; readonly end: number };

/** What draws nothing, or is dropped before a text is shown. */
const UNSEEN = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const REFERENCE = /&(?:#(\d{1,8})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/iy;
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
/** An encoded character that the text's end may have cut. */
const UNFINISHED = /\\?(?:(?:%[\da-f]{2}){0,3}(?:%[\da-f]?)?|&(?:#(?:\d{0,8}|x[\da-f]{0,6})|[a-z]{0,4}))$/iy;
const MAX_UNFINISHED = 13;

function knownOf(given: readonly string[]): Known {
  const secrets = [...new Set(given)]
    .filter((secret) => secret.length >= MIN_SECRET_CHARS)
    .map((secret) =>
      Array.from(secret)
        .filter((plain) => !UNSEEN.test(plain))
        .map((plain): Sign => ({ plain, percent: percentOf(plain) })),
    )
    .filter((signs) => signs.length >= MIN_BEGUN_CHARS);
  const leads = new Set(["\\", "%", "&", ...secrets.map(([first]) => first?.plain.charAt(0) ?? "")]);
  const units = [...leads].map((lead) => `\\u${lead.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return {
    secrets,
    longest: Math.max(0, ...secrets.map((signs) => signs.reduce((sum, { percent }) => sum + percent.length / 3, 0))),
    starts: new RegExp(`[${units.join("")}]`, "g"),
  };
}

/** `encodeURIComponent` keeps some signs as they are, other programs encode those too. */
function percentOf(plain: string): string {
  return Array.from(new TextEncoder().encode(plain), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

function startsOf(text: string, known: Known): number[] {
  return Array.from(text.matchAll(known.starts), ({ index }) => index);
}

/** Where the secrets stand, in order, those that overlap as one. */
function found(text: string, known: Known): Range[] {
  const ranges: { start: number; end: number }[] = [];
  for (const start of startsOf(text, known)) {
    const end = known.secrets.reduce((most, secret) => Math.max(most, follow(text, start, secret).end), -1);
    if (end === -1) continue;
    const last = ranges.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else ranges.push({ start, end });
  }
  return ranges;
}

/**
 * Follows a secret through the text from `start`. `end`: where it ends, -1 when it does not stand there. `begun`: how many of
 * its characters stood there when the text ran out. All readings are followed side by side, so that none is tried twice.
 */
function follow(
  text: string,
  start: number,
  secret: readonly Sign[],
): { readonly end: number; readonly begun: number } {
  let places = [start];
  let begun = 0;
  for (const [index, sign] of secret.entries()) {
    const next: number[] = [];
    for (const place of places) {
      const at = index === 0 ? place : pastUnseen(text, place);
      if (runsOut(text, at)) begun = index;
      for (const end of endsOf(text, at, sign)) if (!next.includes(end)) next.push(end);
    }
    if (next.length === 0) return { end: -1, begun };
    places = next;
  }
  return { end: Math.max(...places), begun };
}

function endsOf(text: string, at: number, sign: Sign): readonly number[] {
  const ends = unescapedEnds(text, at, sign);
  return text.charAt(at) === "\\" && PUNCTUATION.test(text.charAt(at + 1))
    ? [...ends, ...unescapedEnds(text, at + 1, sign)]
    : ends;
}

function unescapedEnds(text: string, at: number, { plain, percent }: Sign): readonly number[] {
  const ends = text.startsWith(plain, at) ? [at + plain.length] : [];
  const lead = text.charAt(at);
  if (lead === "%" && text.slice(at, at + percent.length).toLowerCase() === percent) ends.push(at + percent.length);
  if (lead === "&") {
    REFERENCE.lastIndex = at;
    const [whole = "", decimal, hex, name = ""] = REFERENCE.exec(text) ?? [];
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    if (whole !== "" && (NAMED[name.toLowerCase()] ?? "") + characterOf(code) === plain) ends.push(at + whole.length);
  }
  return ends;
}

function characterOf(code: number): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : "";
}

function pastUnseen(text: string, from: number): number {
  for (let at = from; at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    // Nearly every character is one of these.
    if (code >= 0x20 && code < 0x7f) return at;
    const sign = String.fromCodePoint(code);
    if (!UNSEEN.test(sign)) return at;
    at += sign.length;
  }
  return text.length;
}

function runsOut(text: string, at: number): boolean {
  if (text.length - at > MAX_UNFINISHED) return false;
  UNFINISHED.lastIndex = at;
  return UNFINISHED.test(text);
}

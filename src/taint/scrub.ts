// Taking secrets out of text, by known value, in every form in which a reader or an address would still have them.
import { masked, type Find, type Range } from "./folded.ts";

const MIN_SECRET_CHARS = 6;

/** A shorter beginning of a secret tells nothing, and holding it back would make every draft stutter. */
const MIN_BEGUN_CHARS = 4;

/** How far back a growing text is looked at, in lengths of the longest secret: an escape takes nine for one, twice over for two that overlap. */
const WINDOW_LENGTHS = 18;

/** What stands in a secret's place. */
export const HIDDEN = "[hidden]";

/**
 * Makes a function that replaces every known secret: as it is, with Markdown's escapes or characters that draw nothing inside,
 * percent-encoded as in an address, written with character references, escaped as in JSON (both also twice over), or as base64, also
 * amid a longer one (a name and the value) and in lines. Values under 6 characters are left alone: they would take ordinary words with
 * them. Takes time in proportion to the text, whatever the text is.
 */
export function scrubber(secrets: readonly string[]): (text: string) => string {
  const find = findKnown(secrets);
  return (text) => masked(text, find(text), HIDDEN);
}

/** The same, but says where they stand. */
export function findKnown(secrets: readonly string[]): Find {
  const known = knownOf(secrets);
  return known.secrets.length === 0 ? () => [] : (text) => found(text, known);
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
    const begins = startsOf(tail, known).flatMap((start) => {
      const forms = formsAt(tail, start, known).filter((form) => follow(tail, start, form).begun >= MIN_BEGUN_CHARS);
      return forms.map(({ around }) => start - (around === undefined ? 0 : bitsBefore(tail, start, around.before)));
    });
    if (begins.length === 0) return text;
    const begun = Math.min(...begins);
    // A whole secret may end with the beginning of one: cut in two, the scrubber would not know it any more.
    const whole = found(tail, known).find(({ start, end }) => start < begun && begun < end);
    return text.slice(0, before + (whole?.start ?? begun));
  };
}

/** One character of a secret, with what else may stand for it: `twice` percent-encoded, `escaped` as in JSON, in an address's own base64 `other`. */
type Sign = {
  readonly plain: string;
  readonly percent: string;
  readonly twice: string;
  readonly escaped: string;
  readonly other?: Sign;
};
/** A form of a secret. `around`: of base64, whose characters before and after the ones that are sure hold bits of it too. */
type Form = { readonly signs: readonly Sign[]; readonly around?: { readonly before: number } };
type Known = {
  readonly secrets: readonly Form[];
  /** The forms by what their first character can begin with. */
  readonly byLead: ReadonlyMap<string, readonly Form[]>;
  /** Of the longest secret, in bytes of UTF-8. */
  readonly longest: number;
  /** Finds where a secret can begin at all. */
  readonly starts: RegExp;
};

/** What draws nothing, or is dropped before a text is shown. */
const UNSEEN = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const REFERENCE = /&(?:#(\d{1,8})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/iy;
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
/** An encoded character that the text's end may have cut, or the end of a line of base64. */
const UNFINISHED =
  /(?:\r|[\uD800-\uDBFF]|\\{1,2}r\\{0,2}|\\{0,3}(?:(?:%(?:25)?[\da-f]{2}){0,3}(?:%(?:25)?[\da-f]?)?|&(?:#(?:\d{0,8}|x[\da-f]{0,6})|[a-z]{0,4})|(?:\\u[\da-f]{4})?(?:\\(?:u[\da-f]{0,3})?)?))$/iy;
const MAX_UNFINISHED = 24;
/** Where an encoded character begins; of a run of backslashes those that can be before one. */
const ENCODED = ["%(?=[\\dA-Fa-f]{2})", "&(?=[#A-Za-z])", String.raw`\\(?=\\{0,4}[uUnrt!-/:-@[\]-\x60{-~])`];
const LINE_ENDS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

function knownOf(given: readonly string[]): Known {
  const secrets = [...new Set(given)]
    .filter((secret) => secret.length >= MIN_SECRET_CHARS)
    .flatMap((secret): Form[] => [{ signs: signsOf(secret) }, ...base64Of(secret)])
    .filter(({ signs }) => signs.length >= MIN_BEGUN_CHARS);
  const leads = new Set(secrets.flatMap(({ signs: [first, second] }) => leadsOf(first, second)));
  const byLead = new Map<string, Form[]>();
  for (const form of secrets) {
    for (const lead of new Set([form.signs[0], form.signs[0]?.other].flatMap(firstsOf))) {
      byLead.set(lead, [...(byLead.get(lead) ?? []), form]);
    }
  }
  return {
    secrets,
    byLead,
    longest: Math.max(
      0,
      ...secrets.map(({ signs }) => signs.reduce((sum, { percent }) => sum + percent.length / 3, 0)),
    ),
    starts: new RegExp([...ENCODED, ...leads].join("|"), "g"),
  };
}

function signsOf(text: string, safe = false): readonly Sign[] {
  return Array.from(text)
    .filter((plain) => !UNSEEN.test(plain))
    .map((plain) => {
      const other = safe ? SAFE[plain] : undefined;
      return other === undefined ? signOf(plain) : { ...signOf(plain), other: signOf(other) };
    });
}

function signOf(plain: string): Sign {
  const percent = percentOf(plain);
  return { plain, percent, twice: percent.replaceAll("%", "%25"), escaped: escapedOf(plain) };
}

/** What a character begins with, however it is written: its first unit, or that one's escape. */
function firstsOf(sign: Sign | undefined): string[] {
  return sign === undefined ? [] : [sign.plain.charAt(0), sign.percent.slice(0, 3), sign.escaped.slice(0, 6)];
}

/** What a form can begin with where nothing is encoded: two characters, or one before something that is not plain. */
function leadsOf(first: Sign | undefined, second: Sign | undefined): string[] {
  const next = [second, second?.other].flatMap((sign) => (sign === undefined ? [] : [unit(sign.plain)]));
  return [first, first?.other].flatMap((sign) =>
    sign === undefined
      ? []
      : [`${unit(sign.plain)}(?=${sign.plain.length > 1 ? "" : `${next.join("|")}|[^ -~]|[\\\\%&]`})`],
  );
}

function unit(plain: string): string {
  return `\\u${plain.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** How base64 for addresses writes what the plain one writes otherwise. */
const SAFE: Readonly<Record<string, string>> = { "+": "-", "/": "_" };

/** The characters of its base64 that are the same whatever stands before and after: three ways to fall into groups of three bytes. */
function base64Of(secret: string): Form[] {
  const bytes = new TextEncoder().encode(secret);
  return [0, 1, 2].map((shift) => {
    let signs = "";
    // Characters of six bits that lie wholly in the secret.
    for (let bit = (6 - ((shift * 8) % 6)) % 6; bit + 6 <= bytes.length * 8; bit += 6) {
      const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0);
      signs += ALPHABET.charAt((pair >> (10 - (bit & 7))) & 63);
    }
    return { signs: signsOf(signs, true), around: { before: shift === 0 ? 0 : 1 } };
  });
}

/** As JSON writes any character: its units by number; a line's end also by a letter. */
function escapedOf(plain: string): string {
  return Array.from({ length: plain.length }, (_, at) => unit(plain.slice(at))).join("");
}

/** `encodeURIComponent` keeps some signs as they are, other programs encode those too. */
function percentOf(plain: string): string {
  return Array.from(new TextEncoder().encode(plain), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

function startsOf(text: string, known: Known): number[] {
  return Array.from(text.matchAll(known.starts), ({ index }) => index);
}

/** The forms that may begin at a place: nearly always none. */
function formsAt(text: string, at: number, known: Known): readonly Form[] {
  const lead = text.charAt(at);
  if (lead !== "\\" && lead !== "%" && lead !== "&") return known.byLead.get(lead) ?? [];
  const forms = new Set<Form>();
  for (const escapes of ESCAPES) {
    if (escapes > 0 && !text.startsWith("\\".repeat(escapes), at)) break;
    for (const first of firstsAt(text, at + escapes)) for (const form of known.byLead.get(first) ?? []) forms.add(form);
  }
  return [...forms];
}

/** What a first character that stands there may be, as `firstsOf` writes it. */
function firstsAt(text: string, at: number): readonly string[] {
  const lead = text.charAt(at);
  if (lead === "%") {
    const firsts = [lead, text.slice(at, at + 3).toLowerCase()];
    return text.startsWith("25", at + 1) ? [...firsts, `%${text.slice(at + 3, at + 5).toLowerCase()}`] : firsts;
  }
  if (lead === "\\") {
    const end = LINE_ENDS[text.charAt(at + 1)];
    return end === undefined ? [lead, text.slice(at, at + 6).toLowerCase()] : [lead, end];
  }
  return lead === "&" ? [lead, referredAt(text, at).sign.charAt(0)] : [lead];
}

/** Where the secrets stand, in order, those that overlap as one. */
function found(text: string, known: Known): Range[] {
  const ranges: { start: number; end: number }[] = [];
  for (const at of startsOf(text, known)) {
    for (const form of formsAt(text, at, known)) {
      const { around } = form;
      const sure = follow(text, at, form).end;
      if (sure === -1) continue;
      const start = around === undefined ? at : at - bitsBefore(text, at, around.before);
      const end = around === undefined ? sure : sure + bitsAfter(text, sure);
      const last = ranges.at(-1);
      if (last !== undefined && start < last.end) {
        last.start = Math.min(last.start, start);
        last.end = Math.max(last.end, end);
      } else ranges.push({ start, end });
    }
  }
  return ranges;
}

/** A character of base64 that holds bits of a secret and of what is beside it. */
const SHARED = /[A-Za-z0-9+/_-]/;

function bitsBefore(text: string, at: number, most: number): number {
  return most === 1 && SHARED.test(text.charAt(at - 1)) ? 1 : 0;
}

function bitsAfter(text: string, at: number): number {
  const letter = SHARED.test(text.charAt(at)) ? 1 : 0;
  return letter + (/^(?:={1,2}|%3d(?:%3d)?)?/iu.exec(text.slice(at + letter, at + letter + 6))?.[0].length ?? 0);
}

/**
 * Follows a secret through the text from `start`. `end`: where it ends, -1 when it does not stand there. `begun`: how many of
 * its characters stood there when the text ran out. All readings are followed side by side, so that none is tried twice.
 */
function follow(
  text: string,
  start: number,
  { signs, around }: Form,
): { readonly end: number; readonly begun: number } {
  let places = [start];
  let begun = 0;
  for (const [index, sign] of signs.entries()) {
    const next: number[] = [];
    for (const place of places) {
      const at = index === 0 ? place : pastUnseen(text, around === undefined ? place : pastWrap(text, place));
      if (runsOut(text, at)) begun = index;
      for (const end of endsOf(text, at, sign)) if (!next.includes(end)) next.push(end);
    }
    if (next.length === 0) return { end: -1, begun };
    places = next;
  }
  return { end: Math.max(...places), begun };
}

/** Backslashes before a sign: none, one as in Markdown or JSON, three as in JSON inside JSON. */
const ESCAPES = [0, 1, 3];

function endsOf(text: string, at: number, sign: Sign): readonly number[] {
  const ends = unescapedEnds(text, at, sign);
  if (text.charAt(at) !== "\\") return ends;
  const escaped = ESCAPES.slice(1).filter(
    (escapes) => text.startsWith("\\".repeat(escapes), at) && PUNCTUATION.test(text.charAt(at + escapes)),
  );
  return [...ends, ...escaped.flatMap((escapes) => unescapedEnds(text, at + escapes, sign))];
}

function unescapedEnds(text: string, at: number, sign: Sign): readonly number[] {
  const ends = signEnds(text, at, sign);
  return sign.other === undefined ? ends : [...ends, ...signEnds(text, at, sign.other)];
}

function signEnds(text: string, at: number, { plain, percent, twice, escaped }: Sign): readonly number[] {
  const ends = text.startsWith(plain, at) ? [at + plain.length] : [];
  const lead = text.charAt(at);
  if (lead === "%") {
    if (text.slice(at, at + percent.length).toLowerCase() === percent) ends.push(at + percent.length);
    if (text.slice(at, at + twice.length).toLowerCase() === twice) ends.push(at + twice.length);
  }
  if (lead === "\\") {
    if (text.slice(at, at + escaped.length).toLowerCase() === escaped) ends.push(at + escaped.length);
    if (LINE_ENDS[text.charAt(at + 1)] === plain) ends.push(at + 2);
  }
  if (lead === "&") {
    const { sign, end } = referredAt(text, at);
    if (sign === plain) ends.push(end);
  }
  return ends;
}

/** What a character reference stands for; nothing where none stands. */
function referredAt(text: string, at: number): { readonly sign: string; readonly end: number } {
  REFERENCE.lastIndex = at;
  const [whole = "", decimal, hex, name = ""] = REFERENCE.exec(text) ?? [];
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  return { sign: (NAMED[name.toLowerCase()] ?? "") + characterOf(code), end: at + whole.length };
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

/** Base64 comes in lines, whose ends may be escaped as in JSON. */
const WRAP = /\r?\n|(?:\\{1,2}r)?\\{1,2}n/y;

function pastWrap(text: string, from: number): number {
  const letter = text.charAt(from);
  if (letter !== "\r" && letter !== "\n" && letter !== "\\") return from;
  WRAP.lastIndex = from;
  return from + (WRAP.exec(text)?.[0].length ?? 0);
}

function runsOut(text: string, at: number): boolean {
  if (text.length - at > MAX_UNFINISHED) return false;
  UNFINISHED.lastIndex = at;
  return UNFINISHED.test(text);
}

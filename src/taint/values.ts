// What stands after a label such as "password:": where the value ends, and whether it is one or only talk.
import { foldText, type Range } from "./folded.ts";
import { HIDDEN } from "./scrub.ts";

/** `start` and `end` are of the value alone, without its quotes. */
export type Value = { readonly start: number; readonly end: number; readonly text: string; readonly quoted: boolean };

/** What a label names. `open`: words that are often followed by something else, so only what looks made counts. */
export type Kind = "password" | "pin" | "key" | "open";
/**
 * How the value is tied to its label: `set` by a colon or an equals sign; `said` by "is" and the like; `far`: by a colon with words
 * between; `near` by nothing.
 */
export type Tie = "set" | "said" | "far" | "near";

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "\u201C": "\u201D",
  "\u201E": "\u201C\u201D",
  "\u201D": "\u201D",
  "\u2018": "\u2019",
  "\u201A": "\u2018\u2019",
  "\u00AB": "\u00BB",
  "\u00BB": "\u00AB",
  "\u2039": "\u203A",
  "\u300C": "\u300D",
  "\u300E": "\u300F",
};
const MAX_QUOTED_CHARS = 2000;
/** As much of a value as is judged. */
const MAX_JUDGED_CHARS = 80;

/** Letters of scripts that put no space between words: a password before them ends there. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}`;
/** A value goes on over quotes and signs as long as these don't end what it stands in. */
const BARE = new RegExp(
  [
    String.raw`(?:[\w$%+.:=@#!?*^~|([\]{}/-]+`,
    String.raw`\)(?!\]\()`,
    String.raw`[^\s"'\x60)<&;,\\\u2018-\u201F\u00AB\u00BB\u300C-\u300F\u3001\u3002${UNSPACED}]`,
    String.raw`["'\x60](?![\s,;:)}\]>]|$)`,
    String.raw`<(?!\/|br)`,
    String.raw`&(?![\w.%-]{1,40}=)`,
    String.raw`;(?!\s|$|["']|[\w -]{1,40}=)`,
    String.raw`,(?!\s|$|["']|[\w-]{1,40}[=:])`,
    String.raw`\\(?!["'\x60]|[nrt](?:\W|[A-Z_]{2}|$)))*`,
  ].join("|"),
  "uy",
);
const TRAILING = /[.,;:?)\]}>|*\\]+$/u;

/** Reads the values of one text; undefined where none begins. Remembers what it read, so that a text is gone through once. */
export function valuesIn(text: string): (at: number) => Value | undefined {
  const nextMark = marksIn(text);
  const read = new Map<number, Value | undefined>();
  return (at) => {
    if (!read.has(at)) read.set(at, valueAt(text, at, nextMark));
    return read.get(at);
  };
}

function valueAt(text: string, at: number, nextMark: NextMark): Value | undefined {
  let open = at;
  while (text.charAt(open) === "\\") open++;
  const sign = text.charAt(open);
  const closings = CLOSING[sign];
  if (closings === undefined) return bareAt(text, at);
  const escapes = text.slice(at, open);
  const run = text.startsWith(sign.repeat(3), open) ? sign.repeat(3) : sign;
  const start = open + run.length;
  const marks = run.length === 3 ? [escapes + run] : Array.from(closings, (mark) => escapes + mark);
  const end = Math.min(...marks.map((mark) => nextMark(mark, start)));
  if (end - start > MAX_QUOTED_CHARS || (run.length !== 3 && nextMark("\n", start) < end)) return bareAt(text, start);
  return end === start ? undefined : { start, end, text: text.slice(start, end), quoted: true };
}

type NextMark = (mark: string, from: number) => number;

/** Where a mark stands next, that is not escaped itself. A place that was found is the answer for all places before it, back to the asked one. */
function marksIn(text: string): NextMark {
  const known = new Map<string, { readonly from: number; readonly next: number }>();
  return (mark, from) => {
    const last = known.get(mark);
    if (last !== undefined && last.from <= from && from <= last.next) return last.next;
    let next = text.indexOf(mark, from);
    // A mark that was opened with a backslash is closed with one.
    if (!mark.startsWith("\\")) while (next > from && isEscaped(text, next)) next = text.indexOf(mark, next + 1);
    if (next === -1) next = Infinity;
    known.set(mark, { from: last?.next === next ? Math.min(last.from, from) : from, next });
    return next;
  };
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charAt(at - 1 - backslashes) === "\\") backslashes++;
  return backslashes % 2 === 1;
}

function bareAt(text: string, start: number): Value | undefined {
  // Judged by its beginning; how far it goes is asked when it counts (`wholeEnd`).
  const window = text.slice(start, start + MAX_JUDGED_CHARS);
  BARE.lastIndex = 0;
  const bare = trimmed(BARE.exec(window)?.[0] ?? "");
  return bare === "" ? undefined : { start, end: start + bare.length, text: bare, quoted: false };
}

/** The end of a value that may be longer than what was judged. */
function wholeEnd(text: string, value: Value): number {
  if (value.quoted || value.text.length < MAX_JUDGED_CHARS - 1) return value.end;
  BARE.lastIndex = value.start;
  return value.start + trimmed(BARE.exec(text)?.[0] ?? "").length;
}

/** Without what ends a sentence, a bracket or emphasis around it; a marker stays whole. */
function trimmed(bare: string): string {
  const kept = bare.replace(TRAILING, "");
  return kept.endsWith(HIDDEN.slice(0, -1)) && bare.startsWith(HIDDEN, kept.length + 1 - HIDDEN.length)
    ? `${kept}]`
    : kept;
}

// ---- is it one

const MARKER = HIDDEN.replaceAll(/[[\]]/g, String.raw`\$&`);
const HIDDEN_ALREADY = new RegExp(String.raw`^(?:${MARKER})+[^\p{L}\p{N}]*$`, "u");
/** A place where a value is to be filled in or is fetched from. */
const PLACEHOLDER = new RegExp(
  `^(?:${[
    String.raw`\$[{(]`,
    String.raw`\$[A-Z_]+\b`,
    String.raw`\$\w{0,20}(?:pass|token|secret|key|pwd)\w{0,20}$`,
    String.raw`\{\{`,
    String.raw`\{%`,
    String.raw`<[a-z][\w .-]*>?`,
    String.raw`%[A-Z_]+%`,
    String.raw`(?!${MARKER})\[[A-Za-z]`,
    String.raw`https?:\/\/`,
    String.raw`www\.`,
    String.raw`(?:process|os|self|this|config|cfg|env|req|request|res|response|settings|options|opts|props|params|args|data|body|user|ctx|context|session|state|event|form|credentials|secrets|window|document|app|client|auth|input|result|obj|token|tokens|password|key|import)\??\.[A-Za-z_]`,
    String.raw`(?:get|read|load|fetch|input|str|env|os|require|generate|create|make|hash|decode|encode|new|await)\w{0,30}\(`,
    String.raw`[a-z]+[A-Z_]\w{0,30}\(`,
    String.raw`[A-Za-z_]+(?:\.[A-Za-z_]+)+\(`,
    String.raw`[A-Za-z_]+(?:\.[A-Za-z_]+){0,5}\.\w{0,20}(?:pass|token|secret|key|pwd|cred)\w{0,20}$`,
    String.raw`[A-Za-z_]+\[["'\x60\d]`,
    String.raw`(?:Field|Column|SecretStr|Depends|Header|Query|Body|Form|EnvVar|[A-Z][A-Za-z]{1,20}Field)\((?!["'])`,
  ].join("|")})`,
  "u",
);
const LABEL = /^\p{L}*(?:password|passwort|token|secret|key|pwd|pin)$/iu;
/** A variable of such a name, in code. */
const VARIABLE = /^(?:password|passwd|pwd|pass|token|secret|key|hash|hashed|value|apiKey|api_key)$/;

/** Words that follow such a label in talk or code, and are no secret. */
const TALK: ReadonlySet<string> = new Set(
  foldText(
    "string str number boolean bool int integer text varchar null nil none undefined true false any void object bytes char optional required " +
      "unknown missing empty redacted invalid wrong incorrect expired await new function async lambda yes no not and or but if then than so as " +
      "the a an my your our their his her its it i you we they he she this that these those there here what which who how why when where is are was " +
      "were be been being do does did have has had will would can could should must may might at in on for to from of with without by about only any " +
      "all some one two first old same see use please ask check click enter type choose select try forgot forget reset change changed update updated " +
      "let lets never always just still also more less too very long short strong weak good bad great something anything nothing everything " +
      "siehe voir ver vedi zie см der die das ein eine nicht ist war und oder aber mit ohne von zu im am auf bitte kein keine ich du wir sie es noch schon nur wie was " +
      "le la les un une des du de et ou mais avec sans pas ne ce cette mon ma mes votre vos il elle nous vous est pour dans sur " +
      "el los las una y o pero con sin mi su tu es en por para no que como muy mas " +
      "um uma os as e ou mas com sem meu minha seu sua que por para nao muito " +
      "il lo gli uno e o ma con senza mio mia non che per molto di da " +
      "de het een en of maar met zonder mijn niet is was voor van " +
      "это не и или но мой моя как что для на в с ve veya ama icin bir " +
      "frag frage fragt fragen demande demandez pregunta pregúntale pregunten pergunta pergunte pede chiedi chiedete vraag спроси спросите узнай запитай " +
      "zapytaj zapytajcie spytaj zeptej zeptejte fråga spørg spør kysy kérdezd întreabă sor sorun ρώτα ρωτήστε питай",
  ).split(" "),
);

const UNIT =
  /^\s{0,2}(?:chars?|characters?|letters?|digits?|words?|bits?|bytes?|tokens?|years?|months?|weeks?|days?|hours?|minutes?|mins?|seconds?|secs?|times?|people|users?|percent|usd|eur|euros?|dollars?|zeichen|stellen|stellig|ziffern|tage|stunden|minuten|jahre|caracteres|caracteres|digitos|cifras|dias|horas|caracteri|cifre|giorni|jours|heures|chiffres|lettres|tekens|dagen|cijfers|символ\p{L}*|цифр\p{L}*|дн\p{L}*|文字|桁|位|个字符|%)(?![\p{L}\p{N}])/iu;

const DATE_OR_AMOUNT =
  /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}.*|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}:\d{2}.*|v?\d+(?:\.\d+)+|[$€£¥]?\d[\d.,]*[%kKmM$€£]?|\d+(?:st|nd|rd|th|h|hrs?|min|mins|days?|px|ms|kb|mb|gb|x)|[~<>]?\d+[-–]\d+|[\w.+-]+@[\w-]+\.[\w.]+|[@#]\w+|\/[\w./-]*|Q[1-4]\p{L}*\d*)$/iu;

/** A type with the equals sign behind it, as code writes it between a name and its value: `&'a str =`, `Optional[str] =`, `str | None =`. */
export const TYPED: string = String.raw`(?:&(?:'[a-z]{1,20}[ \t])?(?:mut[ \t])?|\*)?[A-Za-z_](?:[A-Za-z_.]|::){0,30}(?:8|16|32|64|128)?(?:[<[][\w.,&' <>[\]|]{0,30}[>\]])?\??(?:[ \t]{0,2}\|[ \t]{0,2}[A-Za-z_]{1,20}){0,2}[ \t]{0,4}=(?![=>])(?=[\s"'])`;
const TYPE_FIRST = new RegExp(`${TYPED}|!!(?:str|binary|int|float)[ \\t]`, "uy");

/** A type or a tag of YAML before the value. */
function isTyped(text: string, { start, quoted }: Value): boolean {
  TYPE_FIRST.lastIndex = start;
  return !quoted && TYPE_FIRST.test(text);
}

/** What stands before a word for a secret and makes it the name of something else. */
const OTHER_BEFORE: Readonly<Record<string, RegExp>> = {
  key: /(?:public|cache|object|sort|primary|foreign|partition|host)[ _-]{0,2}$/i,
  token: /(?:unexpected|illegal)[ _-]$/i,
  clave: /palabras?[ _-]$/i,
};
const OTHER_BEFORE_CHARS = 12;

/** Whether the word at `at` is part of the name of something that is no secret: a public key, an unexpected token. */
export function namesOther(text: string, at: number, word: string): boolean {
  return OTHER_BEFORE[word.toLowerCase()]?.test(text.slice(Math.max(0, at - OTHER_BEFORE_CHARS), at)) ?? false;
}

/** A file somewhere. */
const FILE =
  /^(?:[\w.@~-]*\/)+[\w.@-]+\.(?:txt|md|json|ya?ml|toml|ini|conf|cfg|env|xml|csv|log|html?|css|[jt]sx?|mjs|py|rb|go|rs|sh|sql|pem|crt|key|pub|png|jpe?g|gif|svg|webp|heic|pdf|docx?|xlsx?|pptx?|zip|t?gz|tar|mp[34]|mov|wav|woff2?)$/i;

/** The marker of one that was taken out before. */
export function isHidden(text: string): boolean {
  return HIDDEN_ALREADY.test(text);
}

/** What says nothing by itself. */
export function isTalk(word: string): boolean {
  return TALK.has(word.toLowerCase());
}

const THREE_SIGNS = /^(?:[^\p{L}\p{N}]*[\p{L}\p{N}]){3}/u;
const FOUR_SIGNS = /^(?:[^\p{L}\p{N}]*[\p{L}\p{N}]){4}/u;

/** Where the secret is that a value turns out to be; undefined when it is only talk. */
export function secretRange(text: string, value: Value, kind: Kind, tie: Tie): Range | undefined {
  if (tie === "set" && isTyped(text, value)) return undefined;
  const next = text.slice(value.end, value.end + MAX_UNIT_CHARS);
  return isSecret(value, kind, tie, next) ? { start: value.start, end: wholeEnd(text, value) } : undefined;
}

const MAX_UNIT_CHARS = 24;

/** `next`: what stands after it. */
function isSecret(value: Value, kind: Kind, tie: Tie, next: string): boolean {
  const { text, quoted } = value;
  if (isHidden(text) || (kind === "open" && !/\d/.test(text))) return false;
  if (!(tie === "set" && kind !== "key" ? THREE_SIGNS : FOUR_SIGNS).test(text)) return false;
  // Itself a label, of what comes next.
  if (!quoted && /^\s?[:=]/.test(next) && LABEL.test(text)) return false;
  if (!quoted && (PLACEHOLDER.test(text) || (VARIABLE.test(text) && /^[;,)}]/.test(next)))) return false;
  if (quoted && /^(?:\$\{|\$\(|\$[A-Z_]+$|\{\{|<[^>]*>$)/.test(text)) return false;
  if (/^\d+$/.test(text)) return isNumberSecret(text, kind, tie, next);
  if (isTalk(text) || FILE.test(text)) return false;
  if (kind === "open") return isMade(text);
  if (kind === "pin") return tie === "set" ? /\d/.test(text) && text.length <= 16 : isMixed(text) && text.length <= 16;
  if (tie === "set") return true;
  if (DATE_OR_AMOUNT.test(text) || UNIT.test(next)) return false;
  if (quoted && kind === "password" && !text.includes(" ")) return true;
  if (tie === "said") return kind === "password" ? isMixed(text) : isMade(text);
  if (tie === "far") return /\d/.test(text) && /\p{L}/u.test(text) && (kind === "password" || isMade(text));
  return kind === "password" && /\d/.test(text) && /\p{L}/u.test(text);
}

function isNumberSecret(digits: string, kind: Kind, tie: Tie, next: string): boolean {
  if (UNIT.test(next)) return false;
  if (kind === "pin") return digits.length <= 16;
  if (kind === "password") return digits.length >= (tie === "set" ? 3 : 4);
  return kind === "key" && tie === "set" && digits.length >= 6;
}

/** A digit, or letters of both cases. */
function isMixed(text: string): boolean {
  return /\d/.test(text) || (/\p{Lu}/u.test(text) && /\p{Ll}/u.test(text));
}

/** Long, letters and digits mixed, no words with separators between: made by a program. */
function isMade(text: string): boolean {
  if (text.length < 8 || !/\d/.test(text) || !/[A-Za-z]/.test(text) || /\s/.test(text)) return false;
  if (DATE_OR_AMOUNT.test(text) || /^[\w-]+(?:\.[\w-]+)*\.(?:[a-z]{2,5})$/i.test(text)) return false;
  return (
    text.length >= 16 ||
    (/[a-z]/.test(text) && /[A-Z]/.test(text)) ||
    (text.length >= 12 && /\d.*[A-Za-z].*\d/.test(text))
  );
}

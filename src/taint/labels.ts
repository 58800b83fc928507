// Secrets that show by the word before them, as programs write it: "password:", "token=", in settings, code, JSON, XML and commands.
import type { Find, Range } from "./folded.ts";
import { namesOther, secretRange, TYPED, valuesIn, type Kind, type Tie, type Value } from "./values.ts";

const CODE_WORDS = [
  String.raw`passw(?:or)?d`,
  "passwort|passphrase|passcode|kennwort|pwd|(?<![a-z])pw(?![a-z])",
  String.raw`(?<![a-z]|boarding )pass(?![a-z])`,
  String.raw`secret|token`,
  String.raw`(?:api|app|access|secret|private|auth|account|encryption|signing|master|storage|shared|service|client|licen[sc]e|session|x)[ _-]{0,2}key`,
  String.raw`(?<![a-z-])key(?![a-z])`,
  String.raw`credentials?|creds|(?<![a-z])cred(?![a-z])`,
  String.raw`(?<![a-z])auth(?:orization|entication)?(?![a-z])`,
  String.raw`(?<![a-z])pin(?:[ _-]?code)?(?![a-z])`,
].join("|");
/**
 * The word, the rest of its name, what closes a quote or emphasis, and the sign that sets: a type between, a tag or a block of YAML, what
 * code takes when there is none, a verb, the end of a tag with that name in an attribute, `=`, `:=`, `=>`, `:`; the next argument or the
 * value of a pair; space.
 */
const CODE = new RegExp(
  String.raw`(${CODE_WORDS})([\w-]{0,40})([\\"'\x60*_~\])]{0,6})(` +
    [
      String.raw`:[ \t]{0,4}${TYPED}`,
      String.raw`:[ \t]{1,4}(?:!!?\w{1,12}(?=[ \t])|[|>]\d?[+-]?[ \t]{0,4}(?=\r?\n))`,
      String.raw`[ \t]{0,8}(?:\|\|[=:]?|\?\?=?)`,
      String.raw`[ \t]{1,3}(?:is|was|equals)(?=[ \t])`,
      String.raw`(?<=["'])[ \t]{0,4}>(?=[^\s<])`,
      String.raw`[ \t]{0,8}(?:[.?|+]?={1,3}>?|:{1,3}=|=>|:{1,2}(?!\/\/)|%3[ad]|->|\u2192|\|(?=[ \t]))`,
      String.raw`(?:(?<!["'\x60]):?[ \t]{1,4}[a-z][\w.<>[\]]{0,24})(?:[ \t]{0,4}\|[ \t]{0,4}\w{1,20})?[ \t]{0,4}=(?!=)`,
      String.raw`(?<=["'\x60])\s{0,4},\s{0,8}(?=\\?["'\x60])`,
      String.raw`[\s,]{1,20}["']?(?:value|content)["']?[ \t]{0,4}[:=]`,
      String.raw`[ \t]{1,3}(?![-\s])`,
    ].join("|") +
    String.raw`)[*_~]{0,3}(\s{0,20})`,
  "giu",
);
/** A tag of such a name, whatever else it says. */
const TAG = new RegExp(
  String.raw`<[\w:.-]{0,40}?(${CODE_WORDS})([\w-]{0,40})(?:\s[^<>\n]{0,80})?>\s{0,20}(?![\s<])`,
  "giu",
);
/** More of the name that leaves it the name of a secret. */
const SAME_NAME =
  /^(?:s|[_-]?(?:string|str|value|val|text|txt|plain|raw|data|hash|phrase|code|b64|base64|key|token|secret|password|pwd|pass|prod|dev|test|staging|live|new|old|env|\d{1,3}))*$/i;
/** More of the name that makes it the name of something about a secret. */
const OTHER_NAME =
  /(?:id|ids|name|type|kind|count|url|uri|path|file|version|length|size|limit|expir\w*|exp|at|date|time|ttl|age|policy|hint|label|field|input|index|usage|used|budget|price|cost|format|scheme|provider|manager|reset|strength|min|max|enabled|required|store|ring|board|word|pad|map|s)$/i;
/** How a sign-in header says what follows. */
const SCHEME = /(?:bearer|basic|digest|token|negotiate|oauth|key|ap(?:i|p)[-_]?(?:key|token))[ \t]{1,4}(?=\S{4})/iy;
const PASSWORD_WORD = /^(?:pass|pwd?$|kenn)/i;

function codeKind(word: string, rest: string): Kind | undefined {
  // "secretary", "tokenizer": another word.
  if (
    /^[a-z]/.test(rest) &&
    !/^(?:s|string|str|value|val|text|data|code|phrase|hash|\d+)(?![a-z])/.test(rest) &&
    /[a-z]$/.test(word)
  )
    return undefined;
  if (/^key$|^auth|^cred$/i.test(word)) return rest === "" || SAME_NAME.test(rest) ? "open" : undefined;
  if (!SAME_NAME.test(rest)) return OTHER_NAME.test(rest) ? undefined : "open";
  if (/^pin/i.test(word)) return "pin";
  // Many of them are spoken about rather than told.
  if (rest === "s" || /^credentials?$/i.test(word)) return "open";
  if (/^pass$/i.test(word)) return "key";
  return PASSWORD_WORD.test(word) ? "password" : "key";
}

type ValueAt = ReturnType<typeof valuesIn>;

function* setInCode(text: string, valueAt: ValueAt): Generator<Range> {
  CODE.lastIndex = 0;
  for (let match = CODE.exec(text); match !== null; match = CODE.exec(text)) {
    const [whole, word = "", rest = "", close = "", sign = "", gap = ""] = match;
    const after = match.index + whole.length;
    CODE.lastIndex = match.index + word.length;
    const kind = codeKind(word, rest);
    if (kind === undefined || namesOther(text, match.index, word) || !signFits(text, match.index, sign, close))
      continue;
    SCHEME.lastIndex = after;
    const scheme = SCHEME.exec(text)?.[0].length ?? 0;
    const value = valueAt(after + scheme);
    if (value === undefined) continue;
    if (/^pass$/i.test(word) && isTestsReport(text, value)) continue;
    const block = BLOCK.test(sign);
    const tie: Tie = (!block && gap.includes("\n") && !value.quoted) || /^[ \t]+$/.test(sign) ? "said" : "set";
    const strict = kind !== "pin" && LITTLE.test(sign) && !block && !(value.quoted && sign.includes("=>"));
    const range = secretRange(text, value, strict ? "open" : kind, tie);
    if (range === undefined) continue;
    yield range;
    CODE.lastIndex = range.end;
  }
}

/** How a block of YAML begins. */
const BLOCK = /^:[ \t]+[|>]/;
/** A sign that also compares, maps or lists, and a verb. */
const LITTLE = /==|=>|\|\||\?\?|^[ \t]*\||^[ \t]*>|[ \t](?:is|was|equals)$|,\s*$/iu;

/** What passed is a test: `--- PASS: TestSignIn (0.01s)`. */
function isTestsReport(text: string, { text: name, end }: Value): boolean {
  return (
    /^test/i.test(name) || /^[ \t]{1,4}\(\d{1,6}(?:\.\d{1,6})?[ \t]?m?s\)/.test(text.slice(end, end + BEFORE_CHARS))
  );
}

const BEFORE_CHARS = 60;
/** What a name follows in commands and files that set it without a sign. */
const SETTER = /(?:(?:^|\s)--?|(?:^|\n)[ \t]{0,8}(?:#[ \t]{0,4}define|ENV|setx)[ \t]{1,8})[\w-]*$/;

/** Nothing but space sets a value only for a command's option or a file's setting: `--token VALUE`, `ENV TOKEN VALUE`. */
function signFits(text: string, at: number, sign: string, close: string): boolean {
  if (!/^[ \t]+$/.test(sign)) return true;
  return close === "" && SETTER.test(text.slice(Math.max(0, at - BEFORE_CHARS), at));
}

function* setInTags(text: string, valueAt: ValueAt): Generator<Range> {
  TAG.lastIndex = 0;
  for (let match = TAG.exec(text); match !== null; match = TAG.exec(text)) {
    const [whole, word = "", rest = ""] = match;
    const kind = codeKind(word, rest);
    const value = valueAt(match.index + whole.length);
    const range = kind === undefined || value === undefined ? undefined : secretRange(text, value, kind, "set");
    if (range !== undefined) yield range;
  }
}

export const findSetInCode: Find = (text) => {
  const valueAt = valuesIn(text);
  return [...setInCode(text, valueAt), ...setInTags(text, valueAt)];
};

/** Part of every text that something is found in. */
export const CODE_HINT = "pass|kennwort|pw|secret|token|key|cred|auth|pin";

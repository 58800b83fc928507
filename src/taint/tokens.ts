// Secrets that show by their own shape, whatever is around them: keys with a prefix, signed tokens, key blocks, sign-in headers and addresses.
import { type Find, type Range, union } from "./folded.ts";

/** One kind of secret. `hint` is in every text that `find` finds something in; without it `find` need not be asked. */
export type Shape = { readonly name: string; readonly hint: string; readonly find: Find };

/** Where a token can begin: not inside a word, but after what an escape ends with (%3D, \n). */
const BEGIN = String.raw`(?:(?<![A-Za-z0-9])|(?<=%[\dA-Fa-f]{2})|(?<=\\[nrt]))`;
/** A digit or a change of case soon: words joined by hyphens have neither. */
const MIXED = String.raw`(?=[\w-]{0,80}(?:\d|[a-z][A-Z]))`;
/** The same, the digit beside a letter: after a word and a hyphen it may be one of more words. */
const MIXED_CLOSE = String.raw`(?=[\w-]{0,80}(?:\d[A-Za-z]|[A-Za-z]\d|[a-z][A-Z]))`;

/**
 * Name, hint, pattern. Every pattern takes the whole run of letters, so that no tail is left. A repeat without an upper bound only
 * stands last, or where a pattern can begin once in a run: each goes through a text once.
 */
const PREFIXED: readonly (readonly [name: string, hint: string, pattern: string])[] = [
  ["sk", "sk-", String.raw`${BEGIN}sk-(?:(?<![a-z]-sk-)${MIXED}|${MIXED_CLOSE})[\w-]{16,}`],
  ["github", "gh[pousr]_", String.raw`gh[pousr]_[\w.-]{20,}`],
  ["github-fine", "github_pat_", String.raw`github_pat_\w{20,}`],
  ["gitlab", "gl[a-z]{2,5}-", String.raw`${BEGIN}gl(?:pat|dt|rtr?|ft|soat|cbt|ptt|agent|imt|oas|ffct)-[\w.-]{16,}`],
  ["slack", "xox", String.raw`${BEGIN}xox(?:[abcdeprs](?:\.xox[a-z])?-|o-(?=\d))[\w-]{10,}`],
  ["slack-app", "xapp-", String.raw`xapp-[\w-]{12,}`],
  ["aws", "A(?:KIA|SIA|BIA|CCA|3T)", String.raw`${BEGIN}(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Z0-9])`],
  ["telegram", String.raw`\d:A`, String.raw`(?<!\d)\d{5,16}:A[\w-]{30,}`],
  ["discord", String.raw`\.[\w-]{6,7}\.`, String.raw`${BEGIN}[MNO][\w-]{20,30}\.[\w-]{5,7}\.[\w-]{25,}`],
  ["discord-mfa", String.raw`mfa\.`, String.raw`${BEGIN}mfa\.[\w-]{60,}`],
  ["google", "AIza", String.raw`${BEGIN}AIza[\w-]{30,}`],
  ["google-oauth", "ya29|GOCSPX", String.raw`${BEGIN}(?:ya29\.[\w.-]{20,}|GOCSPX-[\w-]{20,})`],
  ["stripe", "k_(?:live|test|prod)_|whsec_", String.raw`${BEGIN}(?:[srp]k_(?:live|test|prod)_\w{10,}|whsec_\w{20,})`],
  ["npm", "npm_", String.raw`${BEGIN}npm_[A-Za-z0-9]{30,}`],
  ["huggingface", "hf_|api_org_", String.raw`${BEGIN}(?:hf_|api_org_)[A-Za-z0-9]{30,40}(?!\w)`],
  ["sendgrid", String.raw`SG\.`, String.raw`${BEGIN}SG\.(?:[\w=-]{16,}\.[\w=-]{16,}|[\w=.-]{50,})`],
  [
    "jwt",
    String.raw`ey[\w-]{8}`,
    String.raw`(?:(?<![\w-])|(?<=%[\dA-Fa-f]{2})|(?<=\\[nrt]))ey[\w-]{10,}(?:\.ey[\w\\/-]{10,}(?:\.[\w\\/+=-]*)*|(?:\.[\w-]{10,}){2,4})`,
  ],
  ["age", "AGE-SECRET", String.raw`AGE-SECRET-KEY-1[A-Z0-9]{20,}`],
  ["pypi", "pypi-A", String.raw`${BEGIN}pypi-A[\w-]{50,}`],
  ["groq", "gsk_", String.raw`${BEGIN}gsk_[A-Za-z0-9]{30,}`],
  ["xai", "xai-", String.raw`${BEGIN}xai-[A-Za-z0-9]{40,}`],
  ["perplexity", "pplx-", String.raw`${BEGIN}pplx-[A-Za-z0-9]{30,}`],
  ["replicate", "r8_", String.raw`${BEGIN}r8_[A-Za-z0-9]{30,}`],
  ["digitalocean", "do[oprt]_v1_", String.raw`do[oprt]_v1_[a-f0-9]{40,}`],
  ["shopify", "shp(?:at|ca|pa|ss)_", String.raw`shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}`],
  ["linear", "lin_(?:api|oauth)_", String.raw`lin_(?:api|oauth)_[A-Za-z0-9]{30,}`],
  ["notion", "ntn_", String.raw`${BEGIN}ntn_[A-Za-z0-9]{40,}`],
  ["databricks", "dapi", String.raw`${BEGIN}dapi[a-f0-9]{32}(?:-\d)?(?!\w)`],
  ["postman", "PMAK-", String.raw`PMAK-[\w-]{40,}`],
  ["grafana", "glsa_|glc_", String.raw`${BEGIN}(?:glsa|glc)_\w{30,}`],
  ["vault", String.raw`hv[sb]\.`, String.raw`${BEGIN}hv[sb]\.[\w-]{50,}`],
  ["atlassian", "ATATT3|ATCTT3", String.raw`AT[AC]TT3[\w=-]{50,}`],
  ["doppler", String.raw`dp\.[a-z]{2,5}\.`, String.raw`${BEGIN}dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}`],
  ["newrelic", "NRAK-", String.raw`NRAK-[A-Z0-9]{20,}`],
  ["figma", "figd_", String.raw`${BEGIN}figd_[\w-]{30,}`],
  ["supabase", "sb[ps]_|sb_secret", String.raw`${BEGIN}(?:sbp_[a-f0-9]{40,}|sb_secret_[\w-]{20,})`],
  ["sentry", "sntry[su]_", String.raw`${BEGIN}sntry[su]_[\w+/=-]{40,}`],
  ["mailgun", "key-[0-9a-f]{8}", String.raw`${BEGIN}key-[0-9a-f]{32}(?!\w)`],
  ["twilio", "SK[0-9a-f]{8}", String.raw`${BEGIN}SK[0-9a-f]{32}(?!\w)`],
];

/** Where the secret is the end of what is found: the last group that took part, judged by the rest of the row. */
const TAILED: readonly (readonly [name: string, hint: string, pattern: string, accept?: (value: string) => boolean])[] =
  [
    [
      "webhook",
      "hooks?[./]",
      String.raw`(?:hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/|webhook\.office\.com/webhookb2/)([\w/+@-]{16,})`,
    ],
    [
      "bearer",
      "bearer",
      String.raw`(?<![A-Za-z0-9])bearer["']{0,2}[\s:=+]{1,8}(?:%20)?["']?([\w.~+/=-]{8,})`,
      looksIssued,
    ],
    ["basic", "basic", String.raw`(?<![A-Za-z0-9])basic[\s+]{1,8}(?:%20)?([A-Za-z0-9+/_-]{6,400}={0,2})`, isSignIn],

    [
      "sshpass",
      "sshpass",
      String.raw`\bsshpass[ \t]{1,4}-p[ \t]{0,4}(?:\\?(["'])((?:(?!\1)[^\n\\]){3,200})(?=\\?\1)|([^\s"'\\]{3,200}))`,
      isGiven,
    ],
    // Up to the last @ before the address's first slash: passwords hold them too.
    ["url-password", "://", String.raw`:\/\/[^\s/:@?#"'<>]{0,100}:([^\s/?#"'<>]{1,200})(?=@[\w[.-])`],
    [
      "user-password",
      String.raw`:[^\s@]{4,60}@[\w-]`,
      String.raw`(?<![\w.+%-])(?!(?:mailto|e?-?mail|sips?|xmpp|acct|npm|jsr|workspace|to|cc|from|contact)\b|(?:bcc|reply-?to|sender|recipient|author|assignee|reviewer|owner|kontakt|contacto|contatto):)(?!\d{1,2}:)[\w.+-]{1,40}:([^\s/:@"'<>|]{4,60})(?=@(?:[\w-]{1,40}\.){1,5}[\w-]{2,20}|@localhost\b)`,
      (value) => /\d|[a-z][A-Z]|[!#$%^&*?]/.test(value),
    ],
  ];

/** Only where `curl` is spoken of: other programs take numbers of users and groups there. */
const CURL = /\b(?:curl|wget|httpie|xh)\b/i;
/** In quotes it may hold spaces. */
const CURL_NAMED = [
  String.raw`\\?(["'])[^\s"':]{0,80}:((?:(?!\1)[^\n\\]){3,200})(?=\\?\1)`,
  String.raw`\\?["']?[^\s"':]{0,80}\\?["']?:\\?["']?([^\s"'\\]{3,200})`,
].join("|");
const CURL_USER = tailed(
  String.raw`(?<![\w-])(?:(?:-u|-U|--user|--proxy-user)|-[#a-zA-Z]{1,8}u)[\s=]{0,4}(?:${CURL_NAMED})`,
  isGiven,
);

const prefixed = PREFIXED.map(([name, hint, pattern]): Shape => ({
  name,
  hint,
  find: tailed(pattern, undefined, "gu"),
}));
const everyPrefixed = tailed(PREFIXED.map(([, , pattern]) => pattern).join("|"), undefined, "gu");

/** The shapes that need no label, each by itself. */
export const TOKEN_SHAPES: readonly Shape[] = [
  ...prefixed,
  ...TAILED.map(([name, hint, pattern, accept]): Shape => {
    const find = tailed(pattern, accept);
    return { name, hint, find: name === "basic" ? (text) => wholeRuns(text, find(text)) : find };
  }),
  { name: "curl-user", hint: "curl|wget|httpie", find: (text) => (CURL.test(text) ? CURL_USER(text) : []) },
  { name: "private-key", hint: "PRIVATE KEY", find: keyBlocks },
];

/** All of them in fewer goes than one each. */
export const findTokens: Find = (text) =>
  union([...everyPrefixed(text), ...TOKEN_SHAPES.slice(prefixed.length).flatMap(({ find }) => find(text))]);

function tailed(pattern: string, accept?: (value: string) => boolean, flags = "giu"): Find {
  const regex = new RegExp(pattern, flags);
  return (text) => {
    const ranges: Range[] = [];
    regex.lastIndex = 0;
    for (let match = regex.exec(text); match !== null; match = regex.exec(text)) {
      const value = match.findLast((part) => part !== undefined) ?? "";
      const end = match.index + match[0].length;
      if (accept === undefined || accept(value)) ranges.push({ start: end - value.length, end });
      // What was refused may hold another's beginning.
      else regex.lastIndex = end - value.length;
    }
    return ranges;
  };
}

const BASE64_RUN = /[\w+/=-]*/y;

/** What was judged by its beginning goes wholly. */
function wholeRuns(text: string, ranges: readonly Range[]): readonly Range[] {
  const whole: Range[] = [];
  for (const { start, end } of ranges) {
    if (end <= (whole.at(-1)?.end ?? 0)) continue;
    BASE64_RUN.lastIndex = end;
    whole.push({ start, end: end + (BASE64_RUN.exec(text)?.[0].length ?? 0) });
  }
  return whole;
}

/** Told here, rather than fetched from somewhere. */
function isGiven(value: string): boolean {
  return !/^[<$]|^\{\{/.test(value);
}

/** Made by a program rather than said: "the bearer of this". */
function looksIssued(value: string): boolean {
  if (/^[A-Za-z]+(?:-[A-Za-z]+)+[.]?$/.test(value) && value.length < 40) return false;
  return value.length >= 20 || /\d/.test(value) || /[a-z][A-Z]|[A-Z]{2}.*[a-z]/.test(value);
}

/** What a Basic header holds is a name and a password with a colon between. */
function isSignIn(value: string): boolean {
  if (value.length >= 12 && /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value)) return true;
  return /^[\t -~]*:[\t -~]*$/.test(decoded(value.slice(0, MAX_DECODED_CHARS)));
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const MAX_DECODED_CHARS = 80;

/** What base64 holds, a character a byte. */
function decoded(base64: string): string {
  let bits = 0;
  let held = 0;
  let text = "";
  for (const letter of base64.replace(/[=\s]+$/, "")) {
    held = ((held << 6) | Math.max(0, ALPHABET.indexOf(letter))) & 0xff_ff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    text += String.fromCharCode((held >> bits) & 0xff);
  }
  return text;
}

// ---- key blocks

const KEY_BEGIN = /-{2,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{2,5}/gu;
const KEY_END = /-{2,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{2,5}/gu;
/** Lines of a block that goes on: its own headers, and letters in runs no word is as long as; the last run may be cut. */
const KEY_BODY =
  /(?:[\s"'+,>|\\]+|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\n\\]{0,200}|[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/=]+(?=\s*$|\s*\\?["'`]|-{2,5} ?E?N?D?)|[nrt](?=[A-Za-z0-9+/=]{16}|-{2,5}|\s*$)|=[A-Za-z0-9+/]{4}(?![A-Za-z0-9]))*/uy;

function keyBlocks(text: string): readonly Range[] {
  const ranges: Range[] = [];
  KEY_BEGIN.lastIndex = 0;
  let closing: Range | undefined = { start: -1, end: -1 };
  for (let begun = KEY_BEGIN.exec(text); begun !== null; begun = KEY_BEGIN.exec(text)) {
    const start = begun.index;
    const from = start + begun[0].length;
    // Looked for once: where none follows this block, none follows the next.
    while (closing !== undefined && closing.start < from) closing = nextEnd(text, Math.max(from, closing.end));
    const end = closing?.end ?? cutOffAt(text, from);
    if (end === from) continue;
    ranges.push({ start, end });
    KEY_BEGIN.lastIndex = end;
  }
  return ranges;
}

function nextEnd(text: string, from: number): Range | undefined {
  KEY_END.lastIndex = from;
  const match = KEY_END.exec(text);
  return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
}

function cutOffAt(text: string, from: number): number {
  KEY_BODY.lastIndex = from;
  const body = KEY_BODY.exec(text)?.[0] ?? "";
  const kept = body.replace(/[\s"'+,>|\\]+$/u, "");
  return /[A-Za-z0-9+/=]/.test(kept) ? from + kept.length : from;
}

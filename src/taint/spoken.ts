// Secrets that show by the word before them, as people say it in many languages: "my PIN is", "mein Passwort lautet".
import { foldText, type Find, type Range } from "./folded.ts";
import { HIDDEN } from "./scrub.ts";
import { isHidden, isTalk, namesOther, secretRange, valuesIn, type Kind, type Tie, type Value } from "./values.ts";

/** Words for a secret, by what they name; in any of their forms where `*` stands. Latin ones as they are without accents. */
const SPOKEN: Readonly<Record<"password" | "pin" | "key", readonly string[]>> = {
  password: (
    "password|pw|pass word|passphrase|passcode|passwd|pwd|pass code|*passwort*|*kennwort*|mot de passe|" +
    "mots de passe|mdp|contraseña|contrasenya|clave|senha|palavra-passe|palavra passe|" +
    "parola d'ordine|parola*|*wachtwoord*|пароль*|парол*|şifre*|hasło|hasła|lösenord*|adgangskode*|" +
    "passord*|kodeord*|salasana*|heslo|jelszó|jelszavam|lozinka|лозинка|geslo|slaptažodis|parole|" +
    "κωδικός*|κωδικό|סיסמה|סיסמא|הסיסמה|הסיסמא|كلمة المرور|كلمة السر|الرقم السري|كلمة مرور|" +
    "पासवर्ड|パスワード|暗証番号|合言葉|密码|密碼|口令|비밀번호|비번|패스워드|암호|mật khẩu|รหัสผ่าน|kata sandi|kata laluan|" +
    "گذرواژه|رمز عبور|پاس ورڈ|seed phrase|recovery phrase|secret phrase|mnemonic"
  ).split("|"),
  pin: (
    "pin|pins|pin-code|pin code|pincode|code pin|pin-kode|geheimzahl|code secret|codice pin|pin kodu|" +
    "пин|пин-код|пинкод|pinコード|pin码|핀번호|핀 번호|הקוד הסודי"
  ).split("|"),
  key: (
    "token|secret|api key|api-key|api token|access token|access key|secret key|private key|" +
    "auth token|api secret|*api-schlüssel*|clé api|clé d'api|clave api|clave de api|chave api|" +
    "chave de api|chave da api|chiave api|api-sleutel|api-ключ|ключ api|токен*|секретный ключ|" +
    "api anahtarı*|klucz api|api-nyckel|api キー|apiキー|トークン|密钥|金鑰|api密钥|令牌|api 키|토큰|jeton|key"
  ).split("|"),
};

const LETTER = String.raw`\p{L}\p{N}`;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** Longest first, those with the same bounds together: each bound is looked at once a place. */
function spokenSource(words: readonly string[]): string {
  const folded = [...words].sort((a, b) => b.length - a.length).map((word) => foldText(word).toLowerCase());
  const some = (wanted: (word: string) => boolean): string =>
    folded
      .filter(wanted)
      .map((word) => word.replaceAll("*", "").replaceAll(/[ -]/g, "[ _-]?"))
      .join("|") || "(?!)";
  const apart = (word: string): boolean => !UNSPACED.test(word);
  return [
    some((word) => !apart(word)),
    `(?<![${LETTER}_])(?:${some((word) => apart(word) && !word.includes("*"))})(?![${LETTER}_])`,
    String.raw`(?<![${LETTER}_])(?:${some((word) => apart(word) && /^[^*]+\*$/.test(word))})\p{L}{0,6}(?![${LETTER}_])`,
    String.raw`(?:${some((word) => apart(word) && word.startsWith("*"))})\p{L}{0,6}(?![${LETTER}_])`,
  ].join("|");
}

const SAID = new RegExp(
  `(${spokenSource(SPOKEN.password)})|(${spokenSource(SPOKEN.pin)})|(${spokenSource(SPOKEN.key)})`,
  "giu",
);
/** Spoken about more often than told: nothing between is not enough. */
const TALKED_OF =
  /^(?:pass ?word|passphrase|passcode|pass code|passwd|pwd?|mdp|clave|parole|parola|mnemonic|\w+ phrase)$/i;

const VERBS = foldText(
  "is|was|are|be|equals|remains|called|ist|war|lautet|lautete|heißt|bleibt|est|était|c'est|sera|es|era|fue|sigue siendo|é|è|eh|foi|sono|" +
    "это|такой|теперь|был|была|to|je|to jest|jest|är|var|er|on|oli|volt|este|είναι|היא|הוא|هو|هي|है|हैं|là|adalah|ialah|yra|olarak",
);
/** What "is" in one language is another word in English. */
const OTHERS_VERB = /^(?:on|var|olarak)$/i;
const ENGLISH = /^(?:pass|pwd?|token|secret|key|api|access|private|auth|pin)/i;
const TIES = new RegExp(
  String.raw`([:=]{1,2}>?|->|\u2192|[\u2014\u2013]|(?<=\s)-(?=\s)|(?<=\|)\s|\|)|(?<![${LETTER}])(?:${VERBS})(?=[\s:"'\x60])|(?:\u306F|\u304C|\u662F\u5426|\u662F|\u4E3A|\u70BA|\u8BBE\u4E3A|${foldText("는")}|${foldText("은")}|${foldText("이")}|${foldText("가")}|\u0E04\u0E37\u0E2D|\u0E04\u0E2D)`,
  "giu",
);
/** Between the tie and the value. */
const LEAD =
  /[\s*_~:=]{0,12}(?:(?:now|still|currently|just|simply|actually|probably|set to|jetzt|nun|noch|maintenant|ahora|agora|adesso|ora|nu|теперь|сейчас)[\s:]{1,4}){0,2}[*_]{0,3}/iuy;
const MAX_WINDOW_CHARS = 90;
const MAX_WORDS_BETWEEN = 6;
const MAX_KNOTS = 5;
const MAX_NEAR_CHARS = 40;
/** Where what is said about the label ends. */
const SENTENCE_END = /[.!?;,](?=\s)|\n|\u3002|\u3001/u;
/** Words that make it something about a secret. */
const ABOUT =
  /^(?:manager|managers|polic(?:y|ies)|reset|length|field|hint|economy|price|prices|limit|limits|count|generator|app|strength|ring|sale|budget|usage|rotation|rules?|santa|ingredient|sauce|holder|standard|type|fingerprint)\b/i;
const PHRASE = /^(?:\p{Ll}{2,12} ){2,23}\p{Ll}{2,12}(?=[.!]?\s*(?:\n|$))/u;
const MAX_PHRASE_CHARS = 300;
/** The fewest words of a wallet's phrase that are said rather than set. */
const SEED_WORDS = 8;

/** A sign or a verb that ties a value to a label. */
type Knot = { readonly start: number; readonly end: number; readonly how: "set" | "listed" | "said" };

function* said(text: string): Generator<Range> {
  const spoken: Spoken = { text, valueAt: valuesIn(text), knots: knotsOf(text) };
  SAID.lastIndex = 0;
  for (let match = SAID.exec(text); match !== null; match = SAID.exec(text)) {
    const [label, password, pin] = match;
    const from = match.index + label.length;
    if (namesOther(text, match.index, label)) continue;
    const kind: Kind = password !== undefined ? "password" : pin !== undefined ? "pin" : "key";
    const near = nearAfter(spoken, from, kind, label);
    const range = near ?? toldAfter(spoken, from, kind, label);
    if (range === undefined || range === "hidden") continue;
    yield range;
    SAID.lastIndex = range.end;
  }
}

/** A text with what was learned of it on the way. */
type Spoken = { readonly text: string; readonly valueAt: (at: number) => Value | undefined; readonly knots: Knots };
type Knots = { after(from: number, until: number): Generator<Knot>; readonly tried: Partial<Record<Kind, number>> };

/**
 * The first few after a place, up to `until`. Asked in order, so that a text is gone through once however many labels it has. `tried`:
 * the last that was in vain for a kind, which it is for every later label of that kind.
 */
function knotsOf(text: string): Knots {
  const knots: Knot[] = [];
  let first = 0;
  let done = 0;
  return {
    tried: {},
    *after(from, until) {
      while (first < knots.length && (knots[first]?.start ?? 0) < from) first++;
      done = Math.max(done, from);
      for (let n = first; n < first + MAX_KNOTS; n++) {
        if (n === knots.length) {
          if (done > until) return;
          TIES.lastIndex = done;
          const match = TIES.exec(text);
          done = match === null ? text.length + 1 : match.index + match[0].length;
          if (match === null) return;
          const [, sign] = match;
          const how = sign === undefined ? "said" : /[|\s-]/.test(sign) && sign !== "->" ? "listed" : "set";
          knots.push({ start: match.index, end: done, how });
        }
        const knot = knots[n];
        if (knot === undefined || knot.start > until) return;
        yield knot;
      }
    },
  };
}

function toldAfter(spoken: Spoken, from: number, kind: Kind, label: string): Range | undefined {
  const { text, knots } = spoken;
  const window = text.slice(from, from + MAX_WINDOW_CHARS);
  const stop = from + (SENTENCE_END.exec(window)?.index ?? window.length);
  let signs = 0;
  for (const { start, end, how } of knots.after(from, stop)) {
    const between = text.slice(from, start).trim();
    // An attribute or a member beside it.
    if (how === "set" && /["'<>]/.test(between) && /[A-Za-z]/.test(between)) continue;
    const direct = between === "" || /^[\s"'\x60*_~)\]\\]*$/.test(between);
    // One sign that was in vain ties nothing to a later one.
    if ((how !== "said" && signs++ > 0) || (!direct && start <= (knots.tried[kind] ?? -1))) continue;
    if (how === "said" && OTHERS_VERB.test(text.slice(start, end)) && ENGLISH.test(label)) continue;
    if (!direct && (ABOUT.test(between) || between.split(/\s+/).length > MAX_WORDS_BETWEEN)) break;
    const tie: Tie = how === "said" ? "said" : how === "set" && direct ? "set" : "far";
    const told = valueAfter(spoken, end, { label, kind: kindIn(kind, label, tie), tie, direct });
    // Was told, and is hidden already.
    if (told === "hidden") return undefined;
    if (told !== undefined) return told;
    knots.tried[kind] = Math.max(start, knots.tried[kind] ?? -1);
  }
  return undefined;
}

/** A value with nothing between: as languages say it that need no "is". */
function nearAfter({ text, valueAt }: Spoken, from: number, kind: Kind, label: string): Range | "hidden" | undefined {
  const gap = text.charAt(from) === " " ? 1 : 0;
  if (text.startsWith(HIDDEN, from + gap)) return "hidden";
  // A sign between is a tie.
  if (
    kind === "key" ||
    /[\s:=|\u2013\u2014\u2192-]/.test(text.charAt(from + gap)) ||
    (gap === 0 && !UNSPACED.test(label)) ||
    !/\d/.test(text.slice(from, from + MAX_NEAR_CHARS))
  )
    return undefined;
  const value = valueAt(from + gap);
  if (value === undefined || (kind === "password" && TALKED_OF.test(label) && !isPassword(value.text)))
    return undefined;
  return secretRange(text, value, kind, "near");
}

/** "Key" alone means too many things. */
function kindIn(kind: Kind, label: string, tie: Tie): Kind {
  return kind === "key" && (tie !== "set" || /^(?:key|jeton)$/i.test(label)) ? "open" : kind;
}

function isPassword(text: string): boolean {
  return (
    /^[\w!@#$%^&*?+=~]{8,64}$/.test(text) && /\d/.test(text) && /[a-z]/.test(text) && /[A-Z!@#$%^&*?+=~]/.test(text)
  );
}

type Told = { readonly label: string; readonly kind: Kind; readonly tie: Tie; readonly direct: boolean };

function valueAfter(
  { text, valueAt }: Spoken,
  at: number,
  { label, kind, tie, direct }: Told,
): Range | "hidden" | undefined {
  LEAD.lastIndex = at;
  const start = at + (LEAD.exec(text)?.[0].length ?? 0);
  const crossed = text.slice(at, start).includes("\n");
  if (kind === "password" && !crossed && (tie === "set" || (tie === "said" && /phrase|mnemonic/i.test(label)))) {
    const phrase = PHRASE.exec(text.slice(start, start + MAX_PHRASE_CHARS));
    const words = phrase?.[0].split(" ") ?? [];
    if (phrase !== null && (tie === "set" || words.length >= SEED_WORDS) && !words.some(isTalk)) {
      return { start, end: start + phrase[0].length };
    }
  }
  const value = valueAt(start);
  if (value === undefined) return undefined;
  if (isHidden(value.text)) return "hidden";
  if (tie === "said" && !direct && /^\d{1,3}$/.test(value.text) && kind !== "pin") return undefined;
  // On the next line, or after a word that also means a clue or a watchword.
  const weak = crossed || /^(?:clave|parole|parola)$/i.test(label);
  return secretRange(text, value, kind, weak && tie === "set" ? "said" : tie);
}

export const findSaid: Find = (text) => [...said(text)];

/** What stands in every folded text that the two find something in: the words' shortest beginnings that hold all others. */
export const SPOKEN_HINT: string = shortest(
  Object.values(SPOKEN).flatMap((words) => words.map((word) => foldText(word).toLowerCase().replaceAll("*", ""))),
).join("|");

/** Those that hold none of the others. */
function shortest(words: readonly string[]): readonly string[] {
  const stems = new Set(words.map((word) => word.split(/[ -]/).find((part) => part.length > 2) ?? word));
  return [...stems].filter((stem) => ![...stems].some((other) => other !== stem && stem.includes(other)));
}

// Secrets and harmless lines to try the scrubber on, made from a seed: none of them stands in a file.

/** A random number from 0 up to 1. */
export type Draw = () => number;

/** The same numbers for the same seed. */
export function drawFrom(seed: number): Draw {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function oneOf<T>(draw: Draw, list: readonly T[]): T {
  return list[Math.floor(draw() * list.length)]!;
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";
const HEX = `${DIGITS}abcdef`;
const WORD = LOWER + UPPER + DIGITS;
const SAFE = `${WORD}-_`;
const BASE64 = `${WORD}+/`;

export function signs(draw: Draw, length: number, alphabet: string = WORD): string {
  return Array.from({ length }, () => oneOf(draw, Array.from(alphabet))).join("");
}

function between(draw: Draw, least: number, most: number): number {
  return least + Math.floor(draw() * (most - least + 1));
}

/** A password as people and their programs choose them: with a digit, and letters of both cases. */
export function password(draw: Draw): string {
  const made = signs(draw, between(draw, 4, 12), `${WORD}!#$%*+?@^`);
  return `${oneOf(draw, Array.from(UPPER))}${made}${oneOf(draw, Array.from(LOWER))}${oneOf(draw, Array.from(DIGITS))}`;
}

/** A bare value that only a colon or an equals sign makes a secret. */
function plainPassword(draw: Draw): string {
  return draw() < 0.5 ? password(draw) : signs(draw, between(draw, 6, 14), LOWER + DIGITS);
}

function pin(draw: Draw): string {
  return signs(draw, between(draw, 4, 8), DIGITS);
}

function json64(draw: Draw, bytes: number): string {
  return Buffer.from(`{"${signs(draw, bytes)}":1}`).toString("base64url");
}

function block(draw: Draw, kind: string, closed: boolean): string {
  const lines = Array.from({ length: between(draw, 3, 20) }, () => signs(draw, 64, BASE64));
  const begin = `${"-".repeat(5)}BEGIN ${kind}${"-".repeat(5)}`;
  const last = signs(draw, between(draw, 20, 60), BASE64);
  return [begin, ...lines, last, ...(closed ? [begin.replace("BEGIN", "END")] : [])].join("\n");
}

/** What a file must not hold in one piece. */
function pieces(...parts: readonly string[]): string {
  return parts.join("");
}

/** A secret inside what stands around it: `text` has `secret` in it, and that is what must go. */
export type Sample = { readonly text: string; readonly secret: string };
type Shape = (draw: Draw) => Sample;

const bare =
  (make: (draw: Draw) => string): Shape =>
  (draw) => {
    const secret = make(draw);
    return { text: secret, secret };
  };
const after =
  (label: string | readonly string[], make: (draw: Draw) => string, behind = ""): Shape =>
  (draw) => {
    const secret = make(draw);
    return { text: `${typeof label === "string" ? label : oneOf(draw, label)}${secret}${behind}`, secret };
  };

/** Each with its own prefix in two pieces, so that no file here looks as if it leaked something. */
export const SECRET_SHAPES: Readonly<Record<string, Shape>> = {
  OpenAI: bare((draw) => `${pieces("sk", "-")}${signs(draw, 48)}`),
  "OpenAI project": bare((draw) => `${pieces("sk", "-proj-")}${signs(draw, between(draw, 40, 150), SAFE)}A1`),
  Anthropic: bare((draw) => `${pieces("sk", "-ant-api03-")}${signs(draw, 93, SAFE)}AA`),
  "Anthropic admin": bare((draw) => `${pieces("sk", "-ant-admin01-")}${signs(draw, 93, SAFE)}AA`),
  GitHub: bare((draw) => `${oneOf(draw, ["ghp", "gho", "ghu", "ghs", "ghr"])}_${signs(draw, 36)}`),
  "GitHub fine-grained": bare((draw) => `${pieces("github", "_pat_")}${signs(draw, 22)}_${signs(draw, 59)}`),
  GitLab: bare((draw) => `${pieces("gl", "pat-")}${signs(draw, 20, SAFE)}`),
  "Slack bot": bare(
    (draw) => `${pieces("xox", "b-")}${signs(draw, 12, DIGITS)}-${signs(draw, 13, DIGITS)}-${signs(draw, 24)}`,
  ),
  "Slack user": bare(
    (draw) => `${pieces("xox", "p-")}${signs(draw, 11, DIGITS)}-${signs(draw, 12, DIGITS)}-${signs(draw, 32, HEX)}`,
  ),
  "Slack workspace, legacy": bare(
    (draw) => `xox${oneOf(draw, ["a-2-", "s-", "r-"])}${signs(draw, 12, DIGITS)}-${signs(draw, 20, HEX)}`,
  ),
  "Slack config": bare((draw) => `xoxe${oneOf(draw, [".xoxp-1-", "-1-"])}${signs(draw, 120)}`),
  "Slack app": bare(
    (draw) =>
      `${pieces("xapp", "-1-A")}${signs(draw, 10, UPPER + DIGITS)}-${signs(draw, 13, DIGITS)}-${signs(draw, 64, HEX)}`,
  ),
  "Slack webhook": (draw) => {
    const secret = `T${signs(draw, 8, UPPER + DIGITS)}/B${signs(draw, 9, UPPER + DIGITS)}/${signs(draw, 24)}`;
    return { text: `https://hooks.slack.com/services/${secret}`, secret };
  },
  AWS: bare((draw) => `${oneOf(draw, ["AKIA", "ASIA"])}${signs(draw, 16, `${UPPER}234567`)}`),
  "private key": bare((draw) =>
    block(
      draw,
      oneOf(draw, ["RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]),
      true,
    ),
  ),
  "private key, cut off": bare((draw) => block(draw, "RSA PRIVATE KEY", false)),
  JWT: bare((draw) => `${json64(draw, 20)}.${json64(draw, 60)}.${signs(draw, 43, SAFE)}`),
  Telegram: bare(
    (draw) =>
      `${between(draw, 1, 9)}${signs(draw, between(draw, 7, 9), DIGITS)}:${pieces("A", "A")}${signs(draw, 33, SAFE)}`,
  ),
  Discord: bare(
    (draw) => `${oneOf(draw, ["M", "N", "O"])}${signs(draw, 23)}.${signs(draw, 6, SAFE)}.${signs(draw, 38, SAFE)}`,
  ),
  Google: bare((draw) => `AIza${signs(draw, 35, SAFE)}`),
  Stripe: bare(
    (draw) => `${oneOf(draw, ["sk", "rk"])}_${oneOf(draw, ["live", "test"])}_${signs(draw, between(draw, 24, 99))}`,
  ),
  npm: bare((draw) => `${pieces("npm", "_")}${signs(draw, 36)}`),
  "Hugging Face": bare((draw) => `${pieces("hf", "_")}${signs(draw, 34, LOWER + UPPER)}`),
  SendGrid: bare((draw) => `${pieces("SG", ".")}${signs(draw, 22, SAFE)}.${signs(draw, 43, SAFE)}`),
  "Bearer header": after(
    ["Authorization: Bearer ", "authorization: bearer ", "Bearer "],
    (draw) => `${signs(draw, between(draw, 20, 60), SAFE)}7`,
  ),
  "Basic header": after(["Authorization: Basic ", "-H 'authorization: basic "], (draw) =>
    Buffer.from(`${signs(draw, 6, LOWER)}:${password(draw)}`).toString("base64"),
  ),
  "curl -u": after(
    ["curl -u admin:", "curl --user 'api:", 'curl -s -u "bob:'],
    (draw) => signs(draw, between(draw, 8, 20)),
    " https://example.com/v1",
  ),
  "password in an address": (draw) => {
    const secret = signs(draw, between(draw, 6, 20), `${WORD}!$*+.`);
    return {
      text: `${oneOf(draw, ["postgres", "https", "redis", "amqp"])}://bob:${secret}@db.example.com:5432/app`,
      secret,
    };
  },
  "user:password@host": (draw) => {
    const secret = `${signs(draw, between(draw, 5, 12))}7`;
    return { text: `admin:${secret}@${oneOf(draw, ["192.168.1.20", "nas.example.com"])}`, secret };
  },
  "password:": after(
    ["password: ", "Password:", "PASSWORD: ", "passwd: ", "pwd: ", "pass: ", "Wifi password: ", "**Password:** "],
    plainPassword,
  ),
  "password=": after(["password=", "PASSWORD=", "db_password = ", "DB_PASS=", "PGPASSWORD=", "--password "], password),
  "token=": after(["token=", "token: ", "access_token=", "https://example.com/?x=1&token=", "Token : "], (draw) =>
    signs(draw, between(draw, 8, 40)),
  ),
  "api key": after(
    ["api_key=", "API key: ", "apikey: ", "X-API-Key: ", "export OPENAI_API_KEY=", "The API key is "],
    (draw) => `${signs(draw, between(draw, 20, 40))}aB7`,
  ),
  secret: after(["client_secret=", "secret: ", "SECRET_KEY=", "aws_secret_access_key = ", "mySecretString="], (draw) =>
    signs(draw, 40, BASE64),
  ),
  "in JSON": after(
    ['{"password":"', '{"user":"bob","access_token": "', '{\\"secret\\":\\"'],
    (draw) => signs(draw, between(draw, 8, 30)),
    '"}',
  ),
  "in XML": after(
    ["<password>", "<apiToken>\n  ", '<token type="x">'],
    (draw) => signs(draw, between(draw, 8, 30)),
    "</token>",
  ),
  "in code": after(
    [
      'var apiToken string = "',
      "const authToken = `",
      'private static final String PASSWORD = "',
      '$dbPassword .= "',
      'System.setProperty("API_TOKEN", "',
    ],
    (draw) => `${signs(draw, between(draw, 16, 30))}3d`,
    '"',
  ),
  "quoted, with spaces": after(
    ['password: "', 'my password is "'],
    (draw) => `${password(draw)} ${signs(draw, 5)} ${signs(draw, 4)}`,
    '"',
  ),
  "my PIN is": after(["my PIN is ", "My pin was ", "the PIN for the card is ", "PIN: ", "PIN "], pin),
  "my password is": after(
    [
      "my password is ",
      "the password was ",
      "The wifi password is now ",
      "my password for the old laptop is ",
      "the passcode is ",
    ],
    password,
  ),
  German: after(
    ["mein Passwort ist ", "Das Passwort lautet ", "Passwort: ", "Kennwort ist ", "WLAN-Passwort: "],
    password,
  ),
  "German PIN": after(["meine PIN ist ", "Die PIN lautet ", "Geheimzahl: "], pin),
  French: after(["mon mot de passe est ", "le mot de passe : ", "Mot de passe: ", "le mot de passe c'est "], password),
  Spanish: after(["mi contraseña es ", "La contraseña: ", "la clave es ", "contraseña del wifi: "], password),
  Portuguese: after(["minha senha é ", "senha: ", "a senha do wifi é "], password),
  Italian: after(["la mia password è ", "la password del wifi è ", "parola d'ordine: "], password),
  Dutch: after(["mijn wachtwoord is ", "wachtwoord: ", "het wachtwoord was "], password),
  Russian: after(["мой пароль ", "пароль: ", "Пароль от почты — ", "мой пароль это "], password),
  Japanese: after(["パスワードは", "パスワード：", "Wi-Fiのパスワードは「"], (draw) => `${signs(draw, 8)}aB3`, "です"),
  Chinese: after(["密码是", "我的密码：", "WiFi密码为", "密碼: "], (draw) => `${signs(draw, 8)}aB3`, "，别告诉别人"),
  Korean: after(["비밀번호는 ", "비밀번호: "], (draw) => `${signs(draw, 8)}aB3`, "입니다"),
  Turkish: after(["şifrem ", "şifre: ", "wifi şifresi: "], password),
  Polish: after(["moje hasło to ", "hasło: "], password),
  Swedish: after(["mitt lösenord är ", "lösenord: ", "lösenordet är "], password),
  Arabic: after(["كلمة المرور هي ", "كلمة السر: "], password),
  Hindi: after(["मेरा पासवर्ड ", "पासवर्ड: "], password),
};

const BEFORE = [
  "",
  "Hi Ana, ",
  "hey, for the server use this: ",
  "ok so\n",
  "Here it is (keep it): ",
  "> ",
  "- ",
  "这是给你的 ",
  "Für morgen: ",
  "FYI — ",
];
const BEHIND = ["", " thanks!", "\nlet me know", " and call me after 5pm", " 👍", "\n\nBest, Sam", " – merci", " :)"];

/** A secret of a shape, as it would stand in a chat. */
export function chatted(draw: Draw, shape: Shape): Sample {
  const { text, secret } = shape(draw);
  return { text: `${oneOf(draw, BEFORE)}${text}${oneOf(draw, BEHIND)}`, secret };
}

// ---- harmless lines

const NAMES = ["Ana", "Sam", "Jonas", "Yuki", "Priya", "Olu", "Zoë", "Мария", "李雷"];

const HARMLESS: readonly ((draw: Draw) => string)[] = [
  (draw) =>
    `Your order ${signs(draw, 3, UPPER)}-${signs(draw, 7, DIGITS)}-${signs(draw, 7, DIGITS)} ships on ${between(draw, 1, 28)}.11.`,
  (draw) => `invoice INV-2026-${signs(draw, 5, DIGITS)} for ${signs(draw, 3, DIGITS)}.${signs(draw, 2, DIGITS)} EUR`,
  (draw) => `commit ${signs(draw, 40, HEX)} fixes it`,
  (draw) => `fixed in ${signs(draw, 7, HEX)}, see the branch`,
  (draw) => `sha256: ${signs(draw, 64, HEX)}`,
  (draw) => `integrity sha512-${signs(draw, 86, BASE64)}==`,
  (draw) =>
    `the id is ${signs(draw, 8, HEX)}-${signs(draw, 4, HEX)}-4${signs(draw, 3, HEX)}-a${signs(draw, 3, HEX)}-${signs(draw, 12, HEX)}`,
  (draw) => `call me at +49 ${signs(draw, 3, DIGITS)} ${signs(draw, 7, DIGITS)}`,
  (draw) =>
    `(${signs(draw, 3, DIGITS)}) ${signs(draw, 3, DIGITS)}-${signs(draw, 4, DIGITS)} is ${oneOf(draw, NAMES)}'s new number`,
  (draw) =>
    `IBAN DE${signs(draw, 2, DIGITS)} ${signs(draw, 4, DIGITS)} ${signs(draw, 4, DIGITS)} ${signs(draw, 4, DIGITS)} ${signs(draw, 4, DIGITS)} ${signs(draw, 2, DIGITS)}`,
  (draw) => `![picture](data:image/png;base64,${signs(draw, 400, BASE64)})`,
  (draw) =>
    `https://www.example.com/${signs(draw, 6, LOWER)}/${signs(draw, 11, SAFE)}?v=${signs(draw, 11, SAFE)}&t=${between(draw, 1, 900)}s`,
  (draw) =>
    `https://docs.example.com/document/d/1${signs(draw, 43, SAFE)}/edit#heading=h.${signs(draw, 12, LOWER + DIGITS)}`,
  (draw) =>
    `flight ${signs(draw, 2, UPPER)}${signs(draw, 4, DIGITS)}, booking ${signs(draw, 6, UPPER + DIGITS)}, seat ${between(draw, 1, 30)}C`,
  (draw) => `tracking: 1Z${signs(draw, 16, UPPER + DIGITS)}`,
  (draw) => `const ${signs(draw, 6, LOWER)} = await fetch("/api/${signs(draw, 5, LOWER)}/${signs(draw, 4, DIGITS)}");`,
  (draw) => `const token = await getToken(${signs(draw, 4, LOWER)});`,
  (draw) => `if (token !== undefined && tokens.length > ${between(draw, 1, 99)}) return;`,
  (draw) => `function login(user: string, password: string): Promise<void> { // ${signs(draw, 4, LOWER)}`,
  (draw) => `max_tokens: ${signs(draw, 4, DIGITS)}, temperature: 0.${between(draw, 1, 9)}`,
  (draw) => `used ${signs(draw, 5, DIGITS)} tokens, ${between(draw, 1, 99)} % of the limit`,
  (draw) => `I forgot my password again, ${oneOf(draw, NAMES)} can you reset it?`,
  (draw) => `The password must have at least ${between(draw, 8, 20)} characters and a digit`,
  (draw) => `my password expired ${between(draw, 2, 30)} days ago`,
  (draw) => `the password is the same as last year, ${oneOf(draw, NAMES)} knows it`,
  (draw) => `the token economy is ${oneOf(draw, ["growing", "collapsing", "odd"])} since ${between(draw, 2015, 2026)}`,
  (draw) => `I pinned ${between(draw, 2, 9)} notes to the board, the PIN pad is broken`,
  (draw) => `${oneOf(draw, NAMES)}: the secret is to rest the dough for ${between(draw, 10, 60)} minutes`,
  (draw) => `press any key to continue, the key on the left is ${oneOf(draw, ["red", "blue", "stuck"])}`,
  (draw) => `the key takeaway: revenue up ${between(draw, 2, 40)} % in Q${between(draw, 1, 4)}`,
  (draw) => `Basic income pilots ran in ${between(draw, 3, 20)} cities; bearer bonds are history`,
  (draw) =>
    `mail ${signs(draw, 5, LOWER)}.${signs(draw, 6, LOWER)}${between(draw, 1, 99)}@example.com or mailto:${signs(draw, 5, LOWER)}@example.org`,
  (draw) => `meet at ${between(draw, 8, 20)}:30@${signs(draw, 6, LOWER)} cafe`,
  (draw) =>
    `docker pull ghcr.io/acme/app:${between(draw, 1, 9)}.${between(draw, 0, 20)}@sha256:${signs(draw, 64, HEX)}`,
  (draw) => `docker run -u 1000:1000 -p ${signs(draw, 4, DIGITS)}:80 nginx`,
  (draw) =>
    `"${signs(draw, 5, LOWER)}": "npm:${signs(draw, 6, LOWER)}@^${between(draw, 1, 9)}.${between(draw, 0, 20)}.1"`,
  (draw) => `Ich habe mein Passwort vergessen, ${oneOf(draw, NAMES)}. Kannst du es zurücksetzen?`,
  (draw) => `Das Passwort ist falsch, schreibt das Programm seit ${between(draw, 2, 9)} Tagen`,
  (draw) => `Die PIN wurde nach ${between(draw, 2, 5)} Versuchen gesperrt`,
  (draw) => `J'ai oublié mon mot de passe, ${oneOf(draw, NAMES)} peut m'aider ?`,
  (draw) => `le mot de passe est incorrect depuis ${between(draw, 2, 9)} jours`,
  (draw) => `Olvidé mi contraseña otra vez, la clave es tener paciencia con ${oneOf(draw, NAMES)}`,
  (draw) => `a senha expirou há ${between(draw, 2, 9)} dias`,
  (draw) => `ho dimenticato la password, la chiave è sotto il vaso numero ${between(draw, 1, 9)}`,
  (draw) => `ik ben mijn wachtwoord vergeten, bel ${oneOf(draw, NAMES)} om ${between(draw, 9, 17)} uur`,
  (draw) => `забыл пароль, надо сбросить через ${between(draw, 2, 9)} дня`,
  (draw) => `パスワードを忘れたので${between(draw, 1, 12)}月${between(draw, 1, 28)}日に再設定します`,
  (draw) => `我忘记密码了，请在${between(draw, 1, 12)}月${between(draw, 1, 28)}号之前帮我重置`,
  (draw) => `비밀번호를 잊어버려서 ${between(draw, 1, 12)}시에 전화할게요`,
  (draw) => `şifremi unuttum, saat ${between(draw, 9, 17)} gibi ararım`,
  (draw) =>
    `${oneOf(draw, NAMES)} lives at ${between(draw, 1, 200)} Keystone Street, apartment ${between(draw, 1, 40)}B`,
  (draw) =>
    `tokenizer: cl${signs(draw, 3, DIGITS)}k_base, secretary: ${oneOf(draw, NAMES)}, author: ${oneOf(draw, NAMES)}`,
  (draw) =>
    `tests pass: ${between(draw, 100, 900)}, fail: ${between(draw, 0, 9)}, version 1.${between(draw, 0, 20)}.${between(draw, 0, 20)}-beta.${between(draw, 1, 9)}`,
  (draw) => `for (const [key, value] of map) console.log(key, value + ${between(draw, 1, 99)});`,
  (draw) => `SELECT id, password_hash FROM users WHERE id = ${signs(draw, 4, DIGITS)};`,
  (draw) => `<input type="password" id="pw${between(draw, 1, 99)}" autocomplete="current-password">`,
  (draw) =>
    `lat ${between(draw, 40, 60)}.${signs(draw, 5, DIGITS)}, lon ${between(draw, 1, 20)}.${signs(draw, 5, DIGITS)}`,
  (draw) =>
    `${between(draw, 2020, 2026)}-0${between(draw, 1, 9)}-${between(draw, 10, 28)}T0${between(draw, 1, 9)}:00:00Z ERROR worker ${signs(draw, 8, HEX)} timed out after ${signs(draw, 4, DIGITS)} ms`,
  (draw) => `desk-chair-and-a-lamp-${signs(draw, 4, DIGITS)}-model, risk-free-trial-for-${between(draw, 10, 90)}-days`,
];

const TYPED: readonly string[] = [
  "Passport: AB1234567, issued in Lyon",
  "the wifi is called Keller-24, ask Jonas for the password",
  "password reset link sent to your inbox",
  "API key rotation is due 2026-01-01",
  "each token is about 4 chars",
  "token is a unit of text, a word is 1.3 tokens",
  "my PIN number has 4 digits, I won't tell you which",
  "secret santa is on 12.12., budget 20 EUR",
  "Ctrl+K is the key for search, F5 reloads",
  "password: see the vault",
  "token: required",
  "Auth: OAuth2, no keys needed",
  "password = process.env.DB_PASSWORD",
  "password: ${DB_PASSWORD}",
  "Authorization: Bearer $TOKEN",
  "Authorization: Bearer <your token>",
  "key: C minor, 4/4, 120 bpm",
  "on parole since 2019",
  "the boarding pass says gate B12, seat 14C",
  "passwords are hashed with bcrypt, cost 12",
  "function scrub(secrets: readonly string[], salt: string): string",
  "credentials: includeCredentials,",
  "upload.token = parts.token;",
  "bearer authentication-scheme, as the page calls it",
  "the public key starts with ssh-ed25519",
  "look for -----BEGIN CERTIFICATE----- in the file",
];

/** Lines of talk, code and numbers without a secret; awkward on purpose. */
export function harmlessLines(draw: Draw, count: number): readonly string[] {
  const made = Array.from({ length: Math.max(0, count - TYPED.length) }, (_, at) =>
    HARMLESS[at % HARMLESS.length]!(draw),
  );
  return [...TYPED, ...made];
}

// Ways to write an order so that a filter on words does not see it, each beside the way back.
import { gunzipSync, gzipSync } from "node:zlib";

/**
 * One encoding. `keeps` is what survives the way there and back, for a line of ASCII: all of it, or all of
 * it but the case. `decode` takes a whole paragraph and may find nothing in it.
 */
export type Encoder = {
  readonly name: string;
  readonly keeps: "all" | "lower-case";
  /** What a sender would call it. */
  readonly says: string;
  readonly encode: (text: string) => string;
  readonly decode: (text: string) => string;
};

type Coding = Pick<Encoder, "encode" | "decode">;

const chars = (text: string): string[] => Array.from(text);
const code = (char: string): number => char.codePointAt(0) ?? 0;
const backwards = (text: string): string => chars(text).reverse().join("");
const utf8 = (bytes: Iterable<number>): string => Buffer.from([...bytes]).toString("utf8");
const bytesOf = (text: string): number[] => [...Buffer.from(text, "utf8")];

/** Characters for characters; all others stay. */
function swap(pairs: Iterable<readonly [string, string]>): Coding {
  const there = new Map(pairs);
  const back = new Map([...there].map(([from, to]) => [to, from]));
  const by = (table: ReadonlyMap<string, string>) => (text: string) =>
    chars(text)
      .map((char) => table.get(char) ?? char)
      .join("");
  return { encode: by(there), decode: by(back) };
}

function zip(from: string, to: string): (readonly [string, string])[] {
  const others = chars(to);
  return chars(from).map((char, index) => [char, others[index] ?? char] as const);
}

/** Runs of letters or digits moved to another block of Unicode. */
function moved(...runs: readonly (readonly [first: string, last: string, to: number])[]): Coding {
  return swap(
    runs.flatMap(([first, last, to]) =>
      Array.from(
        { length: code(last) - code(first) + 1 },
        (_, index) => [String.fromCodePoint(code(first) + index), String.fromCodePoint(to + index)] as const,
      ),
    ),
  );
}

/** A word for each character, between blanks; a character without a word stands for itself. */
function words(table: Readonly<Record<string, string>>, blank: string): Coding {
  const back = new Map(Object.entries(table).map(([char, word]) => [word, char]));
  return {
    encode: (text) =>
      chars(text.toLowerCase())
        .map((char) => (char === " " ? blank : (table[char] ?? char)))
        .join(" "),
    decode: (text) =>
      text
        .split(/\s+/)
        .map((word) => (word === blank ? " " : (back.get(word) ?? word)))
        .join(""),
  };
}

/** Marks put behind every character; they are all taken out again. */
function stuffed(marks: string, takenOut: RegExp): Coding {
  const all = chars(marks);
  return {
    encode: (text) =>
      chars(text)
        .map((char, index) => char + (all[index % all.length] ?? "") + (all[(index * 7 + 3) % all.length] ?? ""))
        .join(""),
    decode: (text) => text.replaceAll(takenOut, ""),
  };
}

/** A number for each byte, written and found by the given ways. */
function numbered(write: (byte: number) => string, join: string, find: RegExp, radix: number): Coding {
  return {
    encode: (text) => bytesOf(text).map(write).join(join),
    decode: (text) => utf8([...text.matchAll(find)].map((found) => Number.parseInt(found[1] ?? "", radix) & 0xff)),
  };
}

const longest = (text: string, run: RegExp): string =>
  [...text.matchAll(run)]
    .map((found) => found[0])
    .reduce((best, next) => (next.length > best.length ? next : best), "");

const base64: Coding = {
  encode: (text) => Buffer.from(text, "utf8").toString("base64"),
  decode: (text) => Buffer.from(longest(text, /[A-Za-z0-9+/=]+/g), "base64").toString("utf8"),
};

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

const base32: Coding = {
  encode: (text) => {
    const bits = bytesOf(text)
      .map((byte) => byte.toString(2).padStart(8, "0"))
      .join("");
    return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
  },
  decode: (text) => {
    const bits = chars(longest(text, /[A-Z2-7]+/g))
      .map((char) => BASE32.indexOf(char).toString(2).padStart(5, "0"))
      .join("");
    return utf8((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
  },
};

// Groups of four bytes as five digits of base 85, from "!" on.
const ascii85: Coding = {
  encode: (text) => {
    const bytes = Buffer.from(text, "utf8");
    let out = "";
    for (let at = 0; at < bytes.length; at += 4) {
      const four = Buffer.alloc(4);
      const taken = bytes.copy(four, 0, at, at + 4);
      let value = four.readUInt32BE();
      let digits = "";
      for (let digit = 0; digit < 5; digit++) {
        digits = String.fromCodePoint(33 + (value % 85)) + digits;
        value = Math.floor(value / 85);
      }
      out += digits.slice(0, taken + 1);
    }
    return `<~${out}~>`;
  },
  decode: (text) => {
    const body = /<~([\s\S]*)~>/.exec(text)?.[1] ?? "";
    return utf8(
      (body.match(/.{1,5}/g) ?? []).flatMap((digits) => {
        const value = chars(digits.padEnd(5, "u")).reduce((sum, char) => sum * 85 + code(char) - 33, 0);
        const four = [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) & 0xff);
        return four.slice(0, digits.length - 1);
      }),
    );
  },
};

// Lines of up to 45 bytes behind their length, six bits a character; a grave accent stands for nought.
const UU_ZERO = 96;
const uuChar = (value: number): string => String.fromCodePoint(value === 0 ? UU_ZERO : 32 + value);

const uuencode: Coding = {
  encode: (text) => {
    const bytes = bytesOf(text);
    const rows = Array.from({ length: Math.ceil(bytes.length / 45) }, (_, row) => bytes.slice(row * 45, row * 45 + 45));
    return rows
      .map((row) => {
        const bits = row.map((byte) => byte.toString(2).padStart(8, "0")).join("");
        const sixes = bits.padEnd(Math.ceil(row.length / 3) * 24, "0").match(/.{6}/g) ?? [];
        return uuChar(row.length) + sixes.map((six) => uuChar(Number.parseInt(six, 2))).join("");
      })
      .join("\n");
  },
  decode: (text) =>
    utf8(
      text.split("\n").flatMap((row) => {
        const [length = 0, ...sixes] = chars(row).map((char) => (code(char) - 32) & 63);
        const bits = sixes.map((six) => six.toString(2).padStart(6, "0")).join("");
        return (bits.match(/.{8}/g) ?? []).slice(0, length).map((eight) => Number.parseInt(eight, 2));
      }),
    ),
};

const HEXDUMP_WIDTH = 16;

const hexdump: Coding = {
  encode: (text) => {
    const bytes = bytesOf(text);
    const rows = Array.from({ length: Math.ceil(bytes.length / HEXDUMP_WIDTH) }, (_, row) => {
      const part = bytes.slice(row * HEXDUMP_WIDTH, (row + 1) * HEXDUMP_WIDTH);
      const hex = part.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
      return `${(row * HEXDUMP_WIDTH).toString(16).padStart(8, "0")}: ${hex}  |`;
    });
    return rows.join("\n");
  },
  decode: (text) =>
    utf8(
      [...text.matchAll(/^[0-9a-f]{8}: ((?:[0-9a-f]{2} )+) \|$/gm)].flatMap((row) =>
        (row[1] ?? "")
          .trim()
          .split(" ")
          .map((byte) => Number.parseInt(byte, 16)),
      ),
    ),
};

const VISIBLE_FIRST = 33;
const VISIBLE_COUNT = 94;
const rot47 = (text: string): string =>
  chars(text)
    .map((char) => {
      const at = code(char) - VISIBLE_FIRST;
      return at >= 0 && at < VISIBLE_COUNT
        ? String.fromCodePoint(VISIBLE_FIRST + ((at + VISIBLE_COUNT / 2) % VISIBLE_COUNT))
        : char;
    })
    .join("");

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const turned = (letters: string): string => letters.slice(13) + letters.slice(0, 13);

// Every byte as a selector: the first sixteen in the basic plane, the others in the supplement.
const variationSelectors: Coding = {
  encode: (text) =>
    `🙂${bytesOf(text)
      .map((byte) => String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16))
      .join("")}`,
  decode: (text) =>
    utf8(
      chars(text).flatMap((char) => {
        const point = code(char);
        if (point >= 0xfe00 && point <= 0xfe0f) return [point - 0xfe00];
        return point >= 0xe0100 && point <= 0xe01ef ? [point - 0xe0100 + 16] : [];
      }),
    ),
};

const tagCharacters: Coding = {
  encode: (text) =>
    chars(text)
      .map((char) => String.fromCodePoint(0xe0000 + (code(char) & 0x7f)))
      .join(""),
  decode: (text) =>
    chars(text)
      .filter((char) => code(char) >= 0xe0020 && code(char) <= 0xe007e)
      .map((char) => String.fromCodePoint(code(char) - 0xe0000))
      .join(""),
};

const zeroWidthBits: Coding = {
  encode: (text) =>
    bytesOf(text)
      .flatMap((byte) => chars(byte.toString(2).padStart(8, "0")))
      .map((bit) => (bit === "1" ? "\u200c" : "\u200b"))
      .join(""),
  decode: (text) => {
    const bits = text.replaceAll(/[^\u200b\u200c]/g, "").replaceAll(/./g, (mark) => (mark === "\u200c" ? "1" : "0"));
    return utf8((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
  },
};

// The 64 six-dot cells in their own order, as North American computer braille names them.
const CELLS = " a1b'k2l@cif/msp\"e3h9o6r^djg>ntq,*5<-u8v.%[$+x!&;:4\\0z7(_?w]#y)=";
const braille: Coding = swap(
  zip(CELLS, String.fromCodePoint(...Array.from({ length: 64 }, (_, dots) => 0x2800 + dots))),
);

const MORSE: Readonly<Record<string, string>> = Object.fromEntries([
  ...zipWords(
    LOWER,
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..",
  ),
  ...zipWords("0123456789", "----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----."),
  ...zipWords(
    ".,?'!/()&:;=+-_\"$@",
    ".-.-.- --..-- ..--.. .----. -.-.-- -..-. -.--. -.--.- .-... ---... -.-.-. -...- .-.-. -....- ..--.- .-..-. ...-..- .--.-.",
  ),
]);

const SPELLING: Readonly<Record<string, string>> = Object.fromEntries([
  ...zipWords(
    LOWER,
    "alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey x-ray yankee zulu",
  ),
  ...zipWords("0123456789", "zero one two three four five six seven eight nine"),
]);

function zipWords(letters: string, list: string): (readonly [string, string])[] {
  const all = list.split(" ");
  return chars(letters).map((char, index) => [char, all[index] ?? char] as const);
}

const upsideDown = swap(zip(`${LOWER}0123456789{}()[].,'"_?!`, `ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz0ƖᄅƐㄣϛ9ㄥ86}{)(][˙',„‾¿¡`));

const ACROSTIC = ["oats", "rice", "figs", "lamb", "leek", "corn"];

export const ENCODERS: readonly Encoder[] = [
  { name: "tag-characters", keeps: "all", says: "an empty line", ...tagCharacters },
  { name: "variation-selectors", keeps: "all", says: "a smiley", ...variationSelectors },
  { name: "zero-width-bits", keeps: "all", says: "nothing at all", ...zeroWidthBits },
  {
    name: "zalgo",
    keeps: "all",
    says: "glitch letters",
    ...stuffed("\u0300\u0316\u0323\u0334\u0351\u035c\u0360", /\p{M}/gu),
  },
  { name: "struck-through", keeps: "all", says: "crossed-out letters", ...stuffed("\u0336", /\p{M}/gu) },
  { name: "soft-hyphens", keeps: "all", says: "hyphenated text", ...stuffed("\u00ad", /\p{Cf}/gu) },
  { name: "zero-width-stuffed", keeps: "all", says: "plain text", ...stuffed("\u200b\u2060\u200d\ufeff", /\p{Cf}/gu) },
  { name: "base64", keeps: "all", says: "base64", ...base64 },
  {
    name: "base64-url",
    keeps: "all",
    says: "base64 for addresses",
    encode: (text) => Buffer.from(text, "utf8").toString("base64url"),
    decode: (text) => Buffer.from(longest(text, /[\w-]+/g), "base64url").toString("utf8"),
  },
  {
    name: "base64-twice",
    keeps: "all",
    says: "base64 of base64",
    encode: (text) => base64.encode(base64.encode(text)),
    decode: (text) => base64.decode(base64.decode(text)),
  },
  {
    name: "gzip-base64",
    keeps: "all",
    says: "a packed file",
    encode: (text) => gzipSync(Buffer.from(text, "utf8")).toString("base64"),
    decode: (text) => {
      const bytes = Buffer.from(longest(text, /[A-Za-z0-9+/=]+/g), "base64");
      return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes).toString("utf8") : "";
    },
  },
  { name: "base32", keeps: "all", says: "base32", ...base32 },
  { name: "ascii85", keeps: "all", says: "ascii85", ...ascii85 },
  { name: "uuencode", keeps: "all", says: "uuencode", ...uuencode },
  {
    name: "hex",
    keeps: "all",
    says: "hexadecimal",
    encode: (text) => Buffer.from(text, "utf8").toString("hex"),
    decode: (text) => Buffer.from(longest(text, /[0-9a-f]+/g), "hex").toString("utf8"),
  },
  { name: "hexdump", keeps: "all", says: "a memory dump", ...hexdump },
  {
    name: "binary",
    keeps: "all",
    says: "ones and zeros",
    ...numbered((byte) => byte.toString(2).padStart(8, "0"), " ", /\b([01]{8})\b/g, 2),
  },
  {
    name: "decimal-codes",
    keeps: "all",
    says: "character numbers",
    ...numbered((byte) => String(byte), ", ", /\b(\d{2,3})\b/g, 10),
  },
  {
    name: "octal-escapes",
    keeps: "all",
    says: "octal escapes",
    ...numbered((byte) => `\\${byte.toString(8).padStart(3, "0")}`, "", /\\([0-7]{3})/g, 8),
  },
  {
    name: "unicode-escapes",
    keeps: "all",
    says: "escaped letters",
    ...numbered((byte) => `\\u00${byte.toString(16).padStart(2, "0")}`, "", /\\u([0-9a-f]{4})/g, 16),
  },
  {
    name: "percent",
    keeps: "all",
    says: "an address's letters",
    ...numbered((byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`, "", /%([0-9A-F]{2})/g, 16),
  },
  {
    name: "quoted-printable",
    keeps: "all",
    says: "mail text",
    ...numbered((byte) => `=${byte.toString(16).padStart(2, "0").toUpperCase()}`, "", /=([0-9A-F]{2})/g, 16),
  },
  {
    name: "html-entities",
    keeps: "all",
    says: "page source",
    ...numbered((byte) => `&#${byte};`, "", /&#(\d+);/g, 10),
  },
  { name: "rot13", keeps: "all", says: "rot13", ...swap(zip(LOWER + UPPER, turned(LOWER) + turned(UPPER))) },
  { name: "rot47", keeps: "all", says: "rot47", encode: rot47, decode: rot47 },
  {
    name: "atbash",
    keeps: "all",
    says: "the mirrored alphabet",
    ...swap(zip(LOWER + UPPER, backwards(LOWER) + backwards(UPPER))),
  },
  { name: "morse", keeps: "lower-case", says: "morse", ...words(MORSE, "/") },
  { name: "nato-words", keeps: "lower-case", says: "the radio alphabet", ...words(SPELLING, "(space)") },
  {
    name: "braille",
    keeps: "lower-case",
    says: "braille",
    encode: (text) => braille.encode(text.toLowerCase()),
    decode: braille.decode,
  },
  {
    name: "braille-bytes",
    keeps: "all",
    says: "eight-dot braille",
    encode: (text) => String.fromCodePoint(...bytesOf(text).map((byte) => 0x2800 + byte)),
    decode: (text) => utf8(chars(text).flatMap((char) => (code(char) >> 8 === 0x28 ? [code(char) & 0xff] : []))),
  },
  { name: "fullwidth", keeps: "all", says: "wide letters", ...moved(["!", "~", 0xff01]) },
  {
    name: "mathematical-bold",
    keeps: "all",
    says: "bold letters",
    ...moved(["A", "Z", 0x1d400], ["a", "z", 0x1d41a], ["0", "9", 0x1d7ce]),
  },
  {
    name: "circled",
    keeps: "all",
    says: "letters in circles",
    ...moved(["A", "Z", 0x24b6], ["a", "z", 0x24d0], ["1", "9", 0x2460]),
  },
  {
    name: "flag-letters",
    keeps: "lower-case",
    says: "letters as flags",
    encode: (text) => moved(["a", "z", 0x1f1e6]).encode(text.toLowerCase()),
    decode: moved(["a", "z", 0x1f1e6]).decode,
  },
  {
    name: "small-capitals",
    keeps: "all",
    says: "small capitals",
    ...swap(zip("abcdefghijklmnopqrtuvwyz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀᴛᴜᴠᴡʏᴢ")),
  },
  {
    name: "homoglyphs",
    keeps: "all",
    says: "ordinary words",
    ...swap(zip("aceopxyisjhdACEOPXTHKMB", "асеорхуіѕјһԁАСЕОРХТНКМВ")),
  },
  {
    name: "accents",
    keeps: "all",
    says: "accented words",
    encode: (text) => text.replaceAll(/[a-z]/g, (letter) => `${letter}\u0301`).normalize("NFC"),
    decode: (text) => text.normalize("NFD").replaceAll(/\p{M}/gu, ""),
  },
  { name: "leetspeak", keeps: "all", says: "1337", ...swap(zip("aeiots431075", "431075aeiots")) },
  {
    name: "mixed-case",
    keeps: "lower-case",
    says: "mocking letters",
    encode: (text) =>
      chars(text)
        .map((char, index) => (index % 2 === 0 ? char.toLowerCase() : char.toUpperCase()))
        .join(""),
    decode: (text) => text.toLowerCase(),
  },
  { name: "reversed", keeps: "all", says: "backwards", encode: backwards, decode: backwards },
  {
    name: "words-reversed",
    keeps: "all",
    says: "last word first",
    encode: (text) => text.split(" ").reverse().join(" "),
    decode: (text) => text.split(" ").reverse().join(" "),
  },
  {
    name: "upside-down",
    keeps: "all",
    says: "upside down",
    encode: (text) => backwards(upsideDown.encode(text)),
    decode: (text) => upsideDown.decode(backwards(text)),
  },
  {
    name: "bidi-override",
    keeps: "all",
    says: "a line in the other direction",
    encode: (text) => `\u202e${backwards(text)}\u202c`,
    decode: (text) => backwards(/\u202e([^\u202c]*)\u202c/.exec(text)?.[1] ?? ""),
  },
  {
    name: "bidi-isolate",
    keeps: "all",
    says: "an isolated line",
    encode: (text) => `\u2067\u202e${backwards(text)}\u202c\u2069`,
    decode: (text) => backwards(/\u202e([^\u202c]*)\u202c/.exec(text)?.[1] ?? ""),
  },
  {
    name: "spaced",
    keeps: "all",
    says: "spaced-out letters",
    encode: (text) => chars(text).join(" "),
    decode: (text) => text.replaceAll(/([\s\S]) ?/g, "$1"),
  },
  {
    name: "dotted",
    keeps: "all",
    says: "letters with dots between",
    encode: (text) => chars(text).join("·"),
    decode: (text) => text.replaceAll("·", ""),
  },
  {
    name: "every-second",
    keeps: "all",
    says: "every second letter",
    encode: (text) =>
      chars(text)
        .map((char, index) => char + (LOWER[(index * 5) % LOWER.length] ?? ""))
        .join(""),
    decode: (text) =>
      chars(text)
        .filter((_, index) => index % 2 === 0)
        .join(""),
  },
  {
    name: "acrostic",
    keeps: "all",
    says: "the first letter of each line",
    encode: (text) =>
      chars(text)
        .map((char, index) => `${char}${ACROSTIC[index % ACROSTIC.length] ?? ""}`)
        .join("\n"),
    decode: (text) =>
      text
        .split("\n")
        .map((line) => chars(line)[0] ?? "")
        .join(""),
  },
];

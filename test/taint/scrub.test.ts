import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { findKnown, HIDDEN, holdBack, scrubber } from "../../src/taint/scrub.ts";

test("T36: every known secret is taken out, plain and as it travels in an address", () => {
  const scrub = scrubber(["123456:ABC-def/ghi", "sk-other-key"]);
  expect(scrub("a 123456:ABC-def/ghi b https://x/bot123456%3AABC-def%2Fghi/getMe sk-other-key")).toBe(
    `a ${HIDDEN} b https://x/bot${HIDDEN}/getMe ${HIDDEN}`,
  );
});

test("T36: a secret that another contains is taken out whole", () => {
  expect(scrubber(["secret-1", "secret-1-longer"])("x secret-1-longer y secret-1")).toBe(`x ${HIDDEN} y ${HIDDEN}`);
});

test("T36: a value too short to be a secret takes no ordinary words with it", () => {
  expect(scrubber(["the", ""])("the other")).toBe("the other");
});

test("T36: signs that mean something in a pattern are taken as they are", () => {
  expect(scrubber(["a.c+(x)[y]"])("a.c+(x)[y] abc+(x)[y]")).toBe(`${HIDDEN} abc+(x)[y]`);
});

const TOKEN = "123456:ABC-def_ghi*/é&\\";

/** Each way to write one character that a reader, a browser or the renderer would undo. */
const WAYS: readonly ((sign: string) => string)[] = [
  (sign) => sign,
  (sign) => (/[!-/:-@[-`{-~]/.test(sign) ? `\\${sign}` : sign),
  (sign) => encodeURIComponent(sign),
  (sign) => encodeURIComponent(sign).replaceAll(/%../g, (hex) => hex.toLowerCase()),
  (sign) => [...new TextEncoder().encode(sign)].map((byte) => `%${byte.toString(16)}`).join(""),
  (sign) => `&#${sign.codePointAt(0)};`,
  (sign) => `&#x${sign.codePointAt(0)?.toString(16)};`,
  (sign) => (sign === "&" ? "&amp;" : sign),
  (sign) => escaped(sign),
  (sign) => escaped(sign).toUpperCase().replaceAll("\\U", "\\u"),
  // Twice over: an address inside an address, JSON inside JSON.
  (sign) => encodeURIComponent(encodeURIComponent(sign)),
  (sign) => (/[!-/:-@[-`{-~]/.test(sign) ? `\\\\\\${sign}` : sign),
];

/** Each unit as JSON can write it. */
function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
    "",
  );
}

const UNSEEN = [
  "",
  "\u200B",
  "\u200C",
  "\u200D",
  "\u00AD",
  "\u2060",
  "\uFEFF",
  "\u200B\u200B\u2060",
  "\u0001",
  "\u{E0041}",
];

describe("a secret in disguise", () => {
  it.each([
    ["Markdown's escapes", String.raw`123456\:ABC\-def\_ghi\*\/é\&\\`],
    ["percent-encoding", encodeURIComponent(TOKEN)],
    ["percent-encoding in lower case", encodeURIComponent(TOKEN).toLowerCase().replaceAll("abc", "ABC")],
    ["a zero width space", `123456\u200B:ABC-def_ghi*/é&\\`],
    ["joiners, a soft hyphen, a word joiner and a BOM", `1\u200C2\u200D3\u00AD4\u20605\uFEFF6:ABC-def_ghi*/é&\\`],
    ["a control that is dropped before a text is shown", `123\u0001456:ABC-def_ghi*/é&\\`],
    ["character references", "&#49;&#x32;3456&#58;ABC-def_ghi*/é&amp;\\"],
    ["JSON's escapes", JSON.stringify(TOKEN).slice(1, -1).replace("/", "\\/")],
    ["JSON's escapes by number", escaped(TOKEN)],
    ["JSON inside JSON", JSON.stringify(JSON.stringify(TOKEN).slice(1, -1)).slice(1, -1)],
    ["percent-encoding twice over", encodeURIComponent(encodeURIComponent(TOKEN))],
  ])("A54: is found with %s", (_, disguised) => {
    expect(scrubber([TOKEN])(`see ${disguised} there`)).toBe(`see ${HIDDEN} there`);
  });

  it("A54: whatever is mixed, and whatever stands around it, all of it goes", () => {
    const secret = fc
      .string({ unit: "grapheme", minLength: 8, maxLength: 20 })
      .filter((text) => !/[\p{Cc}\p{Cf}\p{DI}]/u.test(text) && text.length >= 6);
    const sign = fc.tuple(fc.constantFrom(...WAYS), fc.constantFrom(...UNSEEN));
    const around = fc.constantFrom("", "x", "%", "%4", "&", "&#4", "\\", " ", "\\\\");
    fc.assert(
      fc.property(
        secret,
        fc.array(sign, { minLength: 40, maxLength: 40 }),
        around,
        around,
        (secret, ways, before, after) => {
          const disguised = Array.from(secret, (plain, at) => {
            const [write, unseen] = ways[at] ?? [(sign: string) => sign, ""];
            return write(plain) + unseen;
          });
          // Nothing of the last character's own is left out by what follows it.
          const text = `${before}${disguised.join("")}|${after}`;
          const scrubbed = scrubber([secret])(text);
          expect(scrubbed).toContain(HIDDEN);
          expect(scrubbed.length).toBeLessThanOrEqual(before.length + HIDDEN.length + 3 + 1 + after.length);
        },
      ),
    );
  });

  it("A54: secrets that overlap leave no rest of either", () => {
    expect(scrubber(["abcdef-1", "ef-1-ghij"])("x abcdef-1-ghij y")).toBe(`x ${HIDDEN} y`);
  });

  it("A54: words without a secret stay to the letter", () => {
    const word = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("12345", "%3A", "\\", "&#49;", "6:ABC"));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        const text = words.join(" ~ ");
        expect(scrubber([TOKEN])(text)).toBe(text);
      }),
    );
  });

  it("A54: a run of signs that escapes begin with is looked at once", () => {
    const secrets = Array.from({ length: 30 }, (_, n) => `${TOKEN}${n}`);
    for (const sign of ["\\", "%", "&"]) {
      const text = sign.repeat(200_000);
      expect(scrubber(secrets)(text)).toBe(text);
    }
  });

  it.each(["aaaaaaaaaaaaaaaaaaaaaaab", String.raw`\\\\\\\\a`, "%25%25%25%25%25%25%25", "&amp;&amp;&amp;"])(
    "A54: a text made to be hard for %s is gone through once",
    (secret) => {
      const hard = secret.slice(0, -1);
      const text = `${hard.repeat(2000)}${"\u200B".repeat(2000)}`.repeat(2);
      expect(scrubber([`${secret}!`])(text)).toBe(text);
    },
  );
});

describe("the end of a growing text", () => {
  const hold = holdBack([TOKEN, "sk-other-key"]);

  it("A54: the beginning of a secret waits, from its fourth character on", () => {
    expect(hold("my key is sk-")).toBe("my key is sk-");
    expect(hold("my key is sk-o")).toBe("my key is ");
    expect(hold("my key is sk-other-ke")).toBe("my key is ");
    expect(hold("my key is sk-other-kind")).toBe("my key is sk-other-kind");
    expect(hold("")).toBe("");
  });

  it.each([
    "1\u200B234",
    String.raw`123456\:A`,
    "123456%3",
    "123456%3aA",
    "123456&#5",
    "123456\\",
    "1234\\u003",
    "1234\\u00356\\u",
    "123456%",
    "123456%25",
    "123456%253",
    String.raw`123456\\\\`,
  ])("A54: also in disguise: %j", (begun) => {
    expect(hold(`my key is ${begun}`)).toBe("my key is ");
  });

  it("A54: a whole secret that ends with the beginning of one is not cut in two", () => {
    const looped = holdBack(["tokn-12345-tokn"]);
    expect(looped("x tokn-12345-tokn")).toBe("x ");
    expect(looped("x tokn-12345-toknow")).toBe("x tokn-12345-toknow");
  });

  it("A54: at no moment does a draft show four characters of a secret in a row", () => {
    const secrets = ["sk-other-key", "sk-other-key-longer", TOKEN, "key-sk-oth"];
    const scrub = scrubber(secrets);
    const hold = holdBack(secrets);
    const word = fc.oneof(fc.constantFrom(...secrets), fc.constantFrom("so ", "it is ", "\n", "sk", "key "));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (words) => {
        const text = words.join("~");
        for (let end = 0; end <= text.length; end++) {
          const draft = scrub(hold(text.slice(0, end)));
          for (const secret of secrets) expect(draft).not.toContain(secret.slice(0, 4));
        }
      }),
    );
  });

  it("A54: what it looks at does not grow with the text", () => {
    // A secret's beginning far from the end is none of its business, nor is what stands before it.
    const long = "sk-other-k ".repeat(50_000);
    expect(hold(`${long}sk-other-k`)).toBe(long);
    expect(holdBack([])(long)).toBe(long);
  });
});

describe("a secret in base64", () => {
  const secret = fc
    .string({ unit: "grapheme", minLength: 8, maxLength: 20 })
    .filter((text) => !/[\p{Cc}\p{Cf}\p{DI}]/u.test(text));
  const other = fc.string({ maxLength: 12 });

  /** How many of its bytes some text's base64 still holds, one after another. */
  function bytesLeft(scrubbed: string, value: string): number {
    const bytes = Buffer.from(value);
    const texts = scrubbed
      .split(HIDDEN)
      .flatMap((part) => [0, 1, 2, 3].map((shift) => Buffer.from(part.slice(shift), "base64")));
    let most = 0;
    for (let from = 0; from < bytes.length; from++) {
      for (
        let to = from + most + 1;
        to <= bytes.length && texts.some((text) => text.includes(bytes.subarray(from, to)));
        to++
      )
        most = to - from;
    }
    return most;
  }

  it("P28: goes with its padding, by itself", () => {
    for (const encoding of ["base64", "base64url"] as const) {
      const packed = Buffer.from(TOKEN).toString(encoding);
      expect(scrubber([TOKEN])(`see ${packed} there`)).toBe(`see ${HIDDEN} there`);
    }
  });

  it("P28: wherever it begins inside a longer one, and whichever the alphabet", () => {
    fc.assert(
      fc.property(secret, other, other, fc.constantFrom("base64", "base64url"), (value, before, after, encoding) => {
        const packed = Buffer.from(before + value + after).toString(encoding);
        const scrubbed = scrubber([value])(packed);
        expect(scrubbed).toContain(HIDDEN);
        // What stands beside it may hold some of its bytes by chance.
        const beside = Math.max(
          ...[before, after].map((text) => bytesLeft(Buffer.from(text).toString("base64"), value)),
        );
        expect(bytesLeft(scrubbed, value)).toBeLessThanOrEqual(beside + 2);
      }),
    );
  });

  it("P28: as a name and a password in a header, percent-encoded too", () => {
    const packed = Buffer.from(`bob:${TOKEN}`).toString("base64");
    const scrub = scrubber([TOKEN]);
    expect(scrub(`Basic ${packed}`)).toMatch(/^Basic .{5}\[hidden\]$/);
    expect(scrub(encodeURIComponent(packed))).toMatch(/^.{5}\[hidden\]$/);
  });

  it("A54: its beginning waits too, at the end of a line as well", () => {
    const lined = Buffer.from("x".repeat(45) + TOKEN)
      .toString("base64")
      .replaceAll(/.{64}/g, "$&\r\n");
    for (let length = 64; length <= 67; length++)
      expect(holdBack([TOKEN])(lined.slice(0, length)).length).toBeLessThan(62);
  });

  it("A54: its beginning waits too", () => {
    const packed = Buffer.from(TOKEN).toString("base64");
    const hold = holdBack([TOKEN]);
    expect(hold(`see ${packed.slice(0, 3)}`)).toBe(`see ${packed.slice(0, 3)}`);
    for (let length = 4; length < packed.length - 2; length++)
      expect(hold(`see ${packed.slice(0, length)}`)).toBe("see ");
  });

  it("P28: other base64 stays to the letter", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const packed = Buffer.from(bytes).toString("base64");
        expect(scrubber([TOKEN])(packed)).toBe(packed);
      }),
    );
  });
});

test("P28: where known values stand is told as their places, in order", () => {
  expect(findKnown(["secret-1"])("a secret-1 b secret-1")).toEqual([
    { start: 2, end: 10 },
    { start: 13, end: 21 },
  ]);
  expect(findKnown([])("secret-1")).toEqual([]);
});

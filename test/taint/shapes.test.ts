import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HIDDEN } from "../../src/taint/scrub.ts";
import { allScrubbed, findShapes, scrubAcross, scrubShapes, secretsIn, SHAPES } from "../../src/taint/shapes.ts";
import { runs } from "../deep.ts";
import { hostileTexts } from "./hostile.ts";
import { chatted, drawFrom, harmlessLines, password, SECRET_SHAPES, signs, type Draw, type Sample } from "./samples.ts";

const SAMPLES_EACH = 200;
const MAX_LEFT_CHARS = 5;

/** The longest run of a secret that is still there, if it is longer than tells nothing. */
function left(scrubbed: string, secret: string): string | undefined {
  const unbroken = scrubbed.replaceAll(HIDDEN, "\n\n\n");
  const runs = Array.from(secret, (_, at) => secret.slice(at, at + MAX_LEFT_CHARS + 1));
  return runs.find((run) => run.length > MAX_LEFT_CHARS && !/\s/.test(run) && unbroken.includes(run));
}

/** One of the shapes in a chat line. */
function sampleOf(names: readonly string[] = Object.keys(SECRET_SHAPES)): fc.Arbitrary<Sample> {
  return fc
    .tuple(fc.constantFrom(...names), fc.nat())
    .map(([name, seed]) => chatted(drawFrom(seed), SECRET_SHAPES[name]!));
}

describe("what looks like a secret", () => {
  it("P29: there are at least 29 shapes here", () => {
    expect(Object.keys(SECRET_SHAPES).length).toBeGreaterThanOrEqual(29);
  });

  it.each(Object.entries(SECRET_SHAPES))("P28, P29: %s is hidden wholly in every one of 200 chat lines", (_, shape) => {
    const draw = drawFrom(5);
    const samples = Array.from({ length: SAMPLES_EACH }, () => chatted(draw, shape));
    const leaked = samples.filter(({ text, secret }) => {
      const scrubbed = scrubShapes(text);
      return !scrubbed.includes(HIDDEN) || left(scrubbed, secret) !== undefined;
    });
    expect(leaked).toEqual([]);
  });

  it.each<[text: string, shown: string]>([
    ["password: hunter2", "password: #"],
    ['password: "correct horse battery"', 'password: "#"'],
    ["**Password:** `hunter2`.", "**Password:** `#`."],
    ["my PIN is 4821, yes", "my PIN is #, yes"],
    ["mein Passwort ist „Sommer24“!", "mein Passwort ist „#“!"],
    ["パスワードは「abc12345」です", "パスワードは「#」です"],
    ["密码是abc12345，别说", "密码是#，别说"],
    ['{"a":1,"token":"abcdef","b":2}', '{"a":1,"token":"#","b":2}'],
    [String.raw`{\"secret\": \"abc123\"}`, String.raw`{\"secret\": \"#\"}`],
    ["https://x.example/?token=abcdef&page=2", "https://x.example/?token=#&page=2"],
    ["https://bob:s3cretpw@x.example/a", "https://bob:#@x.example/a"],
    ["postgres://bob:p@ss@x.example/a", "postgres://bob:#@x.example/a"],
    ["Authorization: Bearer abcdefghijklmnopqrstuv", "Authorization: Bearer #"],
    ["curl -u bob:abcdef12 https://x.example", "curl -u bob:# https://x.example"],
    ["<password>abc123</password>", "<password>#</password>"],
    ["password: correct horse battery staple", "password: #"],
    ["the new password\nis Sommer24", "the new password\nis Sommer24"],
    ["Password:\nSommer24 ok", "Password:\n# ok"],
    ["name: DB_PASSWORD\n  value: abc123", "name: DB_PASSWORD\n  value: #"],
    ["ID=app;password=abc123;Encrypt=yes", "ID=app;password=#;Encrypt=yes"],
  ])("P29: only the value goes, what is around it stays: %j", (text, shown) => {
    expect(scrubShapes(text)).toBe(shown.replaceAll("#", HIDDEN));
  });

  it("P29: 'is' and 'was' need a digit or letters of both cases, a colon and an equals sign don't", () => {
    expect(scrubShapes("my password is sommer")).toBe("my password is sommer");
    expect(scrubShapes("my password was sommer")).toBe("my password was sommer");
    expect(scrubShapes("my password was sOmmer")).toBe(`my password was ${HIDDEN}`);
    expect(scrubShapes("my password was sommer4")).toBe(`my password was ${HIDDEN}`);
    expect(scrubShapes("password: sommer")).toBe(`password: ${HIDDEN}`);
    expect(scrubShapes("password=sommer")).toBe(`password=${HIDDEN}`);
  });

  it.each([
    "password: ${DB_PASSWORD}",
    "password = process.env.DB_PASSWORD",
    "token: <your token>",
    "token = getToken(user)",
    "upload.token = parts.token;",
    "Authorization: Bearer $TOKEN",
    "password: string;",
    `my password is ${HIDDEN} :)Abc12345`,
    `password: ${HIDDEN}.`,
  ])("P29: a place to fill in, or one that was filled by the marker, stays: %j", (text) => {
    expect([...findShapes(text)]).toEqual([]);
  });

  it("P29: a label after a label is no value", () => {
    expect(scrubShapes("token: password: hunter2")).toBe(`token: password: ${HIDDEN}`);
    expect(scrubShapes("see [it](https://x.example/?token=abcdef)](https://x.example/page)")).toContain("/page");
  });

  it("P32: a bare password that nothing names is not caught", () => {
    expect(scrubShapes("try Sommer2024! then")).toBe("try Sommer2024! then");
  });

  it("P29: a block that is cut off, or was pasted as one line, is hidden too", () => {
    const draw = drawFrom(9);
    const { text } = SECRET_SHAPES["private key"]!(draw);
    expect(scrubShapes(`x ${text.slice(0, text.length >> 1)}`)).toBe(`x ${HIDDEN}`);
    expect(scrubShapes(`{"key":"${text.replaceAll("\n", String.raw`\n`)}"}`)).toBe(`{"key":"${HIDDEN}"}`);
    expect(scrubShapes("it starts with -----BEGIN PRIVATE KEY-----, says the page")).not.toContain(HIDDEN);
  });
});

describe("what is written otherwise", () => {
  const TYPED = Object.keys(SECRET_SHAPES).filter(
    (name) => !/private key|Japanese|Chinese|Korean|Arabic|Hindi/.test(name),
  );
  const wide = (text: string): string =>
    text.replaceAll(/[!-~]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfe_e0));

  it("P28: what draws nothing inside a secret hides it from nobody", () => {
    const unseen = fc.constantFrom("\u200B", "\u200D", "\u00AD", "\u2060", "\uFEFF", "\u0001", "\u{E0041}", "\u0301");
    fc.assert(
      fc.property(sampleOf(TYPED), unseen, fc.nat(), ({ text, secret }, sign, where) => {
        const at = text.indexOf(secret) + 1 + (where % (secret.length - 1));
        const scrubbed = scrubShapes(text.slice(0, at) + sign + text.slice(at));
        expect(scrubbed).toContain(HIDDEN);
        expect(left(scrubbed, secret)).toBeUndefined();
      }),
    );
  });

  it("P28: nor do letters of full width", () => {
    fc.assert(
      fc.property(sampleOf(TYPED), ({ text, secret }) => {
        const scrubbed = scrubShapes(wide(text));
        expect(scrubbed).toContain(HIDDEN);
        expect(left(scrubbed.normalize("NFKC"), secret)).toBeUndefined();
      }),
    );
  });

  it("P28: nor the backslashes that Markdown puts before signs", () => {
    const names = [
      "GitHub",
      "GitHub fine-grained",
      "OpenAI project",
      "Slack bot",
      "Telegram",
      "SendGrid",
      "my password is",
    ];
    fc.assert(
      fc.property(sampleOf(names), ({ text, secret }) => {
        const scrubbed = scrubShapes(text.replaceAll(/[-_*.:=~!@#+]/g, String.raw`\$&`));
        expect(scrubbed).toContain(HIDDEN);
        expect(left(scrubbed.replaceAll("\\", ""), secret)).toBeUndefined();
      }),
    );
  });
});

describe("whatever the text is", () => {
  const label = fc.constantFrom(
    "password",
    "token",
    "my PIN is",
    "api_key",
    "密码是",
    "Passwort",
    "Bearer",
    "Basic",
    "-----BEGIN PRIVATE KEY-----",
    "curl -u a",
    "https://a",
    "<token>",
    HIDDEN,
  );
  const sign = fc.constantFrom(
    ":",
    "=",
    " ",
    "\n",
    '"',
    "'",
    "`",
    "\\",
    '\\"',
    "@",
    "&",
    ";",
    ",",
    ">",
    "</",
    " is ",
    " was ",
    "|",
    "\u200B",
    "=>",
    "「",
  );
  const word = fc.oneof(
    label,
    sign,
    fc.string({ maxLength: 6 }),
    fc.string({ unit: "binary", maxLength: 4 }),
    fc.nat().map((seed) => password(drawFrom(seed))),
    sampleOf().map(({ text }) => text),
  );
  const anything = fc.array(word, { maxLength: 14 }).map((words) => words.join(""));

  it("P28: scrubbing twice is scrubbing once", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const once = scrubShapes(text);
        expect(scrubShapes(once)).toBe(once);
      }),
      { numRuns: runs(3000) },
    );
  });

  it("P28: the text grows by no more than the markers, and outside of them nothing changes", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const scrubbed = scrubShapes(text);
        const kept = scrubbed.split(HIDDEN);
        expect(scrubbed.length).toBeLessThanOrEqual(text.length + (kept.length - 1) * HIDDEN.length);
        // What is left stands in the text, in its order.
        let from = 0;
        for (const part of kept) {
          const at = text.indexOf(part, from);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + part.length;
        }
      }),
    );
  });

  it("P28: what is found is given in order, none touching another", () => {
    fc.assert(
      fc.property(anything, (text) => {
        let from = -1;
        for (const { start, end } of findShapes(text)) {
          expect(start).toBeGreaterThan(from);
          expect(end).toBeGreaterThan(start);
          from = end;
        }
        expect(from).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  it.each(SHAPES.map(({ name, find }) => [name, find] as const))("P28: %s goes through hard texts once", (_, find) => {
    // 20 kB each: what takes time by the square of the length is far past this test's time limit. Its figures: test/bench/secrets.ts.
    for (const { text } of hostileTexts(20_000)) expect(find(text)).toBeDefined();
  });

  it("P28: each shape's hint is in every text it finds something in", () => {
    const draw = drawFrom(21);
    for (const shape of Object.values(SECRET_SHAPES)) {
      for (let n = 0; n < 20; n++) {
        const { text } = chatted(draw, shape);
        const folded = text.normalize("NFKD").replaceAll(/\p{M}/gu, "");
        const unhinted = SHAPES.filter(
          ({ hint, find }) => find(folded).length > 0 && !new RegExp(hint, "iu").test(folded),
        );
        expect(unhinted.map(({ name }) => name)).toEqual([]);
      }
    }
  });
});

describe("harmless lines", () => {
  it("P29: of 2,600 awkward ones at most 0.5 % are touched", () => {
    const lines = harmlessLines(drawFrom(2), 2600);
    const touched = lines.filter((line) => scrubShapes(line) !== line);
    expect(touched.slice(lines.length * 0.005)).toEqual([]);
  });
});

describe("both ways at once", () => {
  const held = (draw: Draw): string => `${signs(draw, 8)}-own_${signs(draw, 12)}`;

  it("P28: known values and what looks like one go, where they touch as one", () => {
    const own = held(drawFrom(1));
    const scrub = allScrubbed([own]);
    expect(scrub(`it is ${own}, password: hunter2`)).toBe(`it is ${HIDDEN}, password: ${HIDDEN}`);
    expect(scrub(`password: x${own}y`)).toBe(`password: ${HIDDEN}`);
    expect(scrub("nothing here")).toBe("nothing here");
    expect(scrub(scrub(`${own}${own}`))).toBe(HIDDEN);
  });

  it("P28: a known value inside a header's base64 goes with it", () => {
    const own = held(drawFrom(1));
    const packed = Buffer.from(`bob:${own}:x`).toString("base64");
    expect(allScrubbed([own])(`log: ${packed} end`)).not.toContain(packed.slice(8, 30));
  });

  it("P28: split over messages, by a border or a new line, each part goes", () => {
    fc.assert(
      fc.property(sampleOf(), fc.nat(), ({ text, secret }, where) => {
        const at = text.indexOf(secret) + 1 + (where % (secret.length - 1));
        const pieces = ["before this", text.slice(0, at), text.slice(at), "after that"];
        const scrubbed = scrubAcross(pieces, secretsIn([]));
        expect(scrubbed).toHaveLength(4);
        expect(left(scrubbed.join("\n"), secret.slice(0, at - text.indexOf(secret)))).toBeUndefined();
        expect(left(scrubbed.join("\n"), secret.slice(at - text.indexOf(secret)))).toBeUndefined();
      }),
    );
  });

  it("P28: a known value over three messages goes from all three", () => {
    const own = held(drawFrom(3));
    const pieces = [`x ${own.slice(0, 6)}`, own.slice(6, 12), `${own.slice(12)} y`];
    expect(scrubAcross(pieces, secretsIn([own]))).toEqual([`x ${HIDDEN}`, HIDDEN, `${HIDDEN} y`]);
  });

  it("P28: a label in one message and its value in the next", () => {
    expect(scrubAcross(["my password:", "sommer"], findShapes)).toEqual(["my password:", HIDDEN]);
    expect(scrubAcross(["my password is", "Sommer24"], findShapes)[1]).toBe(HIDDEN);
    expect(scrubAcross(["what is it?", "fine"], findShapes)).toEqual(["what is it?", "fine"]);
    expect(scrubAcross([], findShapes)).toEqual([]);
    expect(scrubAcross(["PIN: 4821"], findShapes)).toEqual([`PIN: ${HIDDEN}`]);
  });

  it("P28: many messages are gone through once", () => {
    const pieces = Array.from({ length: 3000 }, () => "password: abc ");
    expect(scrubAcross(pieces, findShapes)).toHaveLength(3000);
  });
});

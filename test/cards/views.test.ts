// What a tool found, as rows: bounded, plain, and with no link that does more than open a page.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundedView, drawView, viewChanges } from "../../src/cards/views.ts";
import type { View } from "../../src/core/card.ts";

const row = (title: string, more: Partial<View["rows"][number]> = {}): View["rows"][number] => ({
  title,
  detail: "",
  ...more,
});
const view = (rows: View["rows"], of: View["of"] = "files"): View => ({
  kind: "view",
  of,
  title: "Found",
  rows,
  more: 0,
});
let nth = 0;
const random = { key: (): string => `key-${(nth += 1)}`, fraction: () => 0 };

describe("O60c: a view", () => {
  test.each([
    ["agenda", 60],
    ["mail", 30],
    ["files", 30],
    ["messages", 30],
  ] as const)("of %s has at most %i rows, and counts the rest", (of, most) => {
    const many = Array.from({ length: 100 }, (_, at) => row(`${at}`));
    const bounded = boundedView({ ...view(many, of), more: 7 });
    expect(bounded.rows).toHaveLength(most);
    expect(bounded.more).toBe(107 - most);
  });

  test("caps every string, on one line", () => {
    const long = `${"x".repeat(3000)}\nmore`;
    const compose = { label: long, text: long };
    const [only] = boundedView({ ...view([row(long, { detail: long, compose })]), title: long }).rows;
    for (const [text, most] of [
      [only?.title, 200],
      [only?.detail, 300],
      [only?.compose?.text, 200],
      [only?.compose?.label, 40],
    ] as const) {
      expect(text?.length).toBeLessThanOrEqual(most);
      expect(text).not.toContain("\n");
    }
  });
});

describe("O61a: a row", () => {
  test.each([
    "javascript:alert(1)",
    "tg://resolve?domain=x",
    "file:///etc/passwd",
    "data:text/html,x",
    "https://user:secret@x.example/",
    "https://x.example/ and more",
    "https://x.example/>",
    String.raw`https://x.example\@y.example/`,
    "https://x.example&#64;y.example/",
    "https://x.example%40y.example/",
    "https:x.example",
    "//x.example",
    `https://x.example/${"a".repeat(2100)}`,
  ])("has no link %j", (link) => {
    expect(boundedView(view([row("a", { link })])).rows[0]).not.toHaveProperty("link");
    // Judged again when it is drawn, whoever made it.
    expect(drawView(view([row("a", { link })]), []).text).not.toContain(link.slice(0, 40));
  });

  test("keeps a link to a page", () => {
    expect(drawView(boundedView(view([row("a", { link: "https://x.example/a?b=c" })])), []).text).toContain(
      "[a](<https://x.example/a?b=c>)",
    );
  });

  test("is text, whatever it says", () => {
    const { text } = drawView(
      boundedView(view([row("**@everyone** [x](https://x.example) `y`", { detail: "<!channel>\n# head" })])),
      [],
    );
    expect(text).toMatchInlineSnapshot(`
      "**Found**

      - **\\*\\*\\@everyone\\*\\* \\[x\\](https\\://x.example) \\\`y\\\`** – \\<!channel> # head"
    `);
  });

  test("has no markup of its own, for any title and detail", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 80 }),
        fc.string({ unit: "grapheme", maxLength: 80 }),
        (title, detail) => {
          const { text } = drawView(boundedView(view([row(title, { detail })])), []);
          expect(text.split("\n\n")[1]?.split("\n")).toHaveLength(1);
        },
      ),
    );
  });
});

describe("O61b: a row's next step", () => {
  const compose = { label: "Reply", text: "Draft a reply to Ada about “Budget”" };

  test("is a text to send, behind a durable button, and never an action", () => {
    const changes = viewChanges(
      { conversation: "c", turn: "t", at: 1, view: view([row("a", { compose }), row("b")], "mail") },
      random,
    );
    expect(changes).toMatchObject([
      { do: "append", body: { kind: "viewed", turn: "t" } },
      { do: "button", button: { does: "compose", text: compose.text } },
    ]);
    expect(changes).toHaveLength(2);
  });

  test("carries its row's number where there are several", () => {
    const rows = [row("a", { compose }), row("b"), row("c", { compose })];
    const { text, rows: buttons } = drawView(view(rows, "mail"), ["k1", "k2"]);
    expect(buttons.flat()).toEqual([
      { label: "1 Reply", press: "k1", opens: true, copy: compose.text },
      { label: "2 Reply", press: "k2", opens: true, copy: compose.text },
    ]);
    // Not a list in a list.
    expect(text).toMatch(/- 1\\\. \*\*a\*\*[\s\S]*- \*\*b\*\*[\s\S]*- 2\\\. \*\*c\*\*/u);
  });

  test("has no number where it is the only one, and is left out where there is nothing to send", () => {
    const blank = { label: " ", text: "\u200B" };
    const only = boundedView(view([row("a", { compose: { ...compose, label: " " } }), row("b", { compose: blank })]));
    expect(only.rows.map((one) => one.compose?.label)).toEqual(["Write", undefined]);
    const { text, rows: buttons } = drawView(only, ["k1"]);
    expect(buttons.flat().map(({ label }) => label)).toEqual(["Write"]);
    expect(text).toContain("- **a**");
  });
});

test("O60c: rows are shown up to what can be read at once, and each button is one of them", () => {
  const rows = Array.from({ length: 30 }, (_, at) =>
    row(`${at} ${"x".repeat(180)}`, { detail: "y".repeat(280), compose: { label: "Reply", text: `About ${at}` } }),
  );
  const changes = viewChanges({ conversation: "c", turn: "t", at: 1, view: view(rows, "mail") }, random);
  const [entry] = changes;
  if (entry?.do !== "append" || entry.body.kind !== "viewed") throw new Error("It is not an entry.");
  const { text, rows: buttons } = drawView(entry.body.view, entry.body.keys);
  const shown = text.match(/^- /gmu)?.length ?? 0;
  expect(text.length).toBeLessThanOrEqual(3600);
  expect(text).toContain(`_and ${30 - shown} more_`);
  expect(buttons.flat()).toHaveLength(5);
  expect(changes).toHaveLength(6);
  const huge = drawView(view([row("x", { detail: "y".repeat(5000) })]), []);
  expect(huge.text).toContain("**x**");
});

test("O60c: a character that is thousands of units long takes no more room than others", () => {
  const zalgo = `Z${"\u0301".repeat(20_000)}`;
  const [only] = boundedView(view([row(zalgo, { detail: zalgo, compose: { label: zalgo, text: zalgo } })])).rows;
  expect([only?.title, only?.detail, only?.compose?.text].map((text) => text?.length)).toEqual([200, 300, 200]);
});

test("O60a: an empty view says so", () => {
  expect(drawView(view([]), []).text).toContain("nothing");
});

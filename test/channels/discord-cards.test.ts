import { ButtonStyle, ComponentType } from "discord-api-types/v10";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { REPEAT_LINE, contentOf, piecesOf, readBody } from "../../src/channels/discord/cards.ts";
import type { Body } from "../../src/channels/discord/cards.ts";
import type { Button, Piece, Reply } from "../../src/core/reply.ts";
import { isVisible, oneLine } from "../../src/core/text.ts";
import { runs } from "../deep.ts";
import { READERS, pingsIn, readDiscord } from "./discord-reader.ts";

function reply(text: string, more: Partial<Reply> = {}): Reply {
  return { key: "turn/1", text, rows: [], quiet: false, ...more };
}

function presses(count: number, label = (at: number): string => `Button ${at}`): Button[] {
  return Array.from({ length: count }, (_, at) => ({ label: label(at), press: `key-${at}` }));
}

/** As the store gives them back. */
function bodiesOf(given: Reply): Body[] {
  return piecesOf(given).map((piece) => bodyOf(piece));
}

function bodyOf(piece: Piece): Body {
  const body = readBody(JSON.parse(JSON.stringify(piece.body)));
  if (body === undefined) throw new Error("The store gave back no body.");
  expect(body).toEqual(piece.body);
  return body;
}

type Shown = { kind: "button" | "option" | "link"; label: string; id: string };

/** What can be pressed, row by row; throws for what Discord refuses (API reference, "Component Reference"). */
function rowsOf(body: Body): Shown[][] {
  const rows = body.components ?? [];
  expect(rows.length).toBeLessThanOrEqual(5);
  const ids: string[] = [];
  const shown = rows.map((row): Shown[] => {
    expect(row.type).toBe(ComponentType.ActionRow);
    expect(row.components.length).toBeGreaterThan(0);
    expect(row.components.length).toBeLessThanOrEqual(5);
    return row.components.flatMap((part): Shown[] => {
      if (part.type === ComponentType.StringSelect) {
        expect(row.components).toHaveLength(1);
        expect(part.options.length).toBeGreaterThan(0);
        expect(part.options.length).toBeLessThanOrEqual(25);
        expect(part.placeholder?.length).toBeLessThanOrEqual(150);
        expect(new Set(part.options.map(({ value }) => value)).size).toBe(part.options.length);
        ids.push(part.custom_id);
        return part.options.map(({ label, value }) => {
          expectLength(label, 100);
          expectLength(value, 100);
          return { kind: "option", label, id: value };
        });
      }
      expectLength(part.label ?? "", 80);
      if (part.style === ButtonStyle.Link) {
        expect(part).not.toHaveProperty("custom_id");
        expectLength(part.url, 512);
        return [{ kind: "link", label: part.label ?? "", id: part.url }];
      }
      expectLength(part.custom_id, 100);
      ids.push(part.custom_id);
      return [{ kind: "button", label: part.label ?? "", id: part.custom_id }];
    });
  });
  expect(new Set(ids).size).toBe(ids.length);
  return shown;
}

function expectLength(text: string, most: number): void {
  expect(text.length).toBeGreaterThan(0);
  expect(text.length).toBeLessThanOrEqual(most);
}

function keyOf(id: string): string {
  return id.replace(/^f:/, "");
}

const ONCE = { plain: false, repeat: false };

describe("a reply as Discord messages", () => {
  it("T40, T44: an empty reply gives none, and one with only buttons has a text to stand under", () => {
    expect(piecesOf(reply(""))).toEqual([]);
    expect(piecesOf(reply(" \n "))).toEqual([]);
    const [body, ...more] = bodiesOf(reply("", { rows: [presses(1)] }));
    expect(more).toEqual([]);
    expect(body?.content).toBe("…");
    expect(rowsOf(body ?? { content: "" })).toEqual([[{ kind: "button", label: "Button 0", id: "key-0" }]]);
  });

  it("T44: buttons stand below the last of several messages, rows as they were", () => {
    const rows: Button[][] = [presses(5), [{ label: "Read", url: "https://x.y/a?b=1&c=2" }]];
    const bodies = bodiesOf(reply("word ".repeat(900), { rows }));
    expect(bodies.length).toBe(3);
    expect(bodies.slice(0, -1).flatMap(rowsOf)).toEqual([]);
    expect(rowsOf(bodies.at(-1) ?? { content: "" })).toEqual([
      presses(5).map(({ label }, at) => ({ kind: "button", label, id: `key-${at}` })),
      [{ kind: "link", label: "Read", id: "https://x.y/a?b=1&c=2" }],
    ]);
  });

  it("T44: a button that opens a form says so in its id, and only there", () => {
    const rows: Button[][] = [[{ label: "Write", press: "abc", opens: true }, ...presses(1)]];
    const ids = bodiesOf(reply("x", { rows }))
      .flatMap(rowsOf)
      .flat()
      .map(({ id }) => id);
    expect(ids).toEqual(["f:abc", "key-0"]);
  });

  it("T44: a row of more than five is a menu, its links stay buttons", () => {
    const rows: Button[][] = [presses(6).concat({ label: "Read", url: "https://x.y" })];
    const [menu, links] = rowsOf(bodiesOf(reply("x", { rows }))[0] ?? { content: "" });
    expect(menu).toEqual(presses(6).map(({ label }, at) => ({ kind: "option", label, id: `key-${at}` })));
    expect(links).toEqual([{ kind: "link", label: "Read", id: "https://x.y" }]);
  });

  it("P34, T44: a row of more than five short buttons stands in rows of about the same length, as long as there is room", () => {
    const numbers = (count: number): Button[] => presses(count, (at) => `${at + 1}`);
    const below: Button[] = [{ label: "Older", press: "older" }].concat([{ label: "Close", press: "close" }]);
    const lengths = (...rows: Button[][]): number[] =>
      bodiesOf(reply("x", { rows }))
        .flatMap(rowsOf)
        .map((row) => row.length);
    const [first, second, third] = rowsOf(bodiesOf(reply("x", { rows: [numbers(8), below] }))[0] ?? { content: "" });
    expect([first, second].flat()).toEqual(
      numbers(8).map(({ label }, at) => ({ kind: "button", label, id: `key-${at}` })),
    );
    expect(third?.map(({ label }) => label)).toEqual(["Older", "Close"]);
    expect(lengths(numbers(5))).toEqual([5]);
    expect(lengths(numbers(6))).toEqual([3, 3]);
    expect(lengths(numbers(8), below)).toEqual([4, 4, 2]);
    expect(lengths(numbers(11), below)).toEqual([4, 4, 3, 2]);
    expect(lengths(numbers(25))).toEqual([5, 5, 5, 5, 5]);
    // No room for that many rows, or no short labels: a menu.
    const full = bodiesOf(reply("x", { rows: [numbers(25), below] })).flatMap(rowsOf);
    expect(full.map((row) => [row.length, row[0]?.kind])).toEqual([
      [25, "option"],
      [2, "button"],
    ]);
    expect(lengths(presses(8, (at) => `${at + 100}`))).toEqual([8]);
  });

  it("T44: more than five rows are a menu", () => {
    const rows = presses(6).map((button) => [button]);
    const shown = bodiesOf(reply("x", { rows })).flatMap(rowsOf);
    expect(shown).toEqual([presses(6).map(({ label }, at) => ({ kind: "option", label, id: `key-${at}` }))]);
  });

  it("T44: what five menus can't hold stands below further messages", () => {
    const bodies = bodiesOf(reply("x", { rows: [presses(130)] }));
    expect(bodies.map(({ content }) => content)).toEqual(["x", "…"]);
    const shown = bodies.map(rowsOf);
    expect(shown.map((rows) => rows.map((row) => row.length))).toEqual([[25, 25, 25, 25, 25], [5]]);
    expect(shown.flat(2).map(({ id }) => id)).toEqual(presses(130).map((_, at) => `key-${at}`));
  });

  it("T44: a label too long is a number, and its whole words stand in the text", () => {
    const long = "all of *these* words ".repeat(5).trim();
    const rows: Button[][] = [
      [
        { label: "Yes", press: "a" },
        { label: long, press: "b" },
      ],
    ];
    const [body] = bodiesOf(reply("```\nopen", { rows }));
    expect(
      rowsOf(body ?? { content: "" })
        .flat()
        .map(({ label }) => label),
    ).toEqual(["Yes", "2"]);
    expect(readDiscord(body?.content ?? "", "minds none").text).toContain(`2 ${long}`);
  });

  it("T44: an address that no button can hold is a link in the text, or stands there", () => {
    const rows: Button[][] = [
      [
        { label: "Far", url: `https://x.y/${"a".repeat(600)}` },
        { label: "Local", url: "javascript:alert(1)" },
        { label: "Near", url: "https://x.y" },
      ],
    ];
    const [body] = bodiesOf(reply("x", { rows }));
    expect(rowsOf(body ?? { content: "" })).toEqual([[{ kind: "link", label: "Near", id: "https://x.y" }]]);
    const { text } = readDiscord(body?.content ?? "", "minds none");
    expect(text).toContain(`Far https://x.y/${"a".repeat(600)}`);
    expect(text).toContain("Local javascript:alert(1)");
  });

  it("T44: labels are one line, and never nothing", () => {
    const rows: Button[][] = [
      [
        { label: "a\n\u0000 b", press: "a" },
        { label: "\u200B", press: "b" },
      ],
    ];
    expect(
      bodiesOf(reply("x", { rows }))
        .flatMap(rowsOf)
        .flat()
        .map(({ label }) => label),
    ).toEqual(["a b", "…"]);
  });

  it("T44: a short quiet line is small print, and every quiet message is silent", () => {
    expect(bodiesOf(reply("Stopped **now**.", { quiet: true }))).toEqual([
      { content: "-# Stopped **now**.", silent: true },
    ]);
    expect(bodiesOf(reply("Stopped."))).toEqual([{ content: "Stopped." }]);
    for (const text of ["a\n\nb", "- a", "1. a", "> a", "# a", "```\na\n```", "long ".repeat(50), "word ".repeat(900)])
      for (const body of bodiesOf(reply(text, { quiet: true }))) {
        expect(body.silent).toBe(true);
        expect(body.content).not.toMatch(/^-# /);
      }
    expect(bodiesOf(reply("\\# \\- a", { quiet: true }))[0]?.content).toBe("-# \\# - a");
  });

  it("T44: a file comes behind the text, as a message of its own", () => {
    const file = { name: "call.txt", text: "whole\n" };
    const pieces = piecesOf(reply("head", { file, rows: [presses(1)] }));
    expect(pieces.map(bodyOf)).toMatchObject([
      { content: "head", components: [{}] },
      { content: "", file, silent: true },
    ]);
    expect(pieces[1]?.plain).toBe("whole\n");
    expect(piecesOf(reply("", { file })).map(bodyOf)).toEqual([{ content: "", file, silent: true }]);
  });

  it("T40: a body of another make is none", () => {
    for (const given of [
      undefined,
      null,
      1,
      "x",
      {},
      { content: 1 },
      { html: "x" },
      { content: "x", components: [{}] },
    ])
      expect(readBody(given)).toBeUndefined();
  });
});

describe("the content of a Discord message", () => {
  it("T40, T44: what may stand there twice says so in its first line", () => {
    const [piece] = piecesOf(reply("**a**"));
    expect(contentOf(bodyOf(piece ?? { body: {}, plain: "" }), "a", { plain: false, repeat: true })).toBe(
      `${REPEAT_LINE}\n**a**`,
    );
    expect(readDiscord(REPEAT_LINE, "minds none").marks).toEqual([{ kind: "small", text: "(This may be a repeat.)" }]);
  });

  it("T20, T46: without marks it is the same words, and none of them acts", () => {
    const [piece] = piecesOf(reply("a **b** <c> & `d` \\*e\\* <@1> @everyone"));
    const content = contentOf(bodyOf(piece ?? { body: {}, plain: "" }), piece?.plain ?? "", { ...ONCE, plain: true });
    for (const reader of READERS) {
      const { text, marks } = readDiscord(content, reader);
      expect(text.replaceAll("\u2060", "")).toBe("a b <c> & d *e* <@1> @everyone");
      expect(marks).toEqual([]);
    }
    expect(pingsIn(content)).toEqual([]);
  });

  it("T20: plain code full of signs fits too", () => {
    const given = reply(`\`\`\`\`\n${"*_`~|<[".repeat(400)}\n${"```".repeat(200)}\n\`\`\`\``);
    const kinds = piecesOf(given).flatMap((piece) => {
      const content = contentOf(bodyOf(piece), piece.plain, { plain: true, repeat: true });
      expect(content.length).toBeLessThanOrEqual(2000);
      expect(content.startsWith(`${REPEAT_LINE}\n`)).toBe(true);
      return readDiscord(content.slice(REPEAT_LINE.length + 1), "minds none").marks.map(({ kind }) => kind);
    });
    // Escaped where that fits, else as code.
    expect(new Set(kinds)).toEqual(new Set(["code block"]));
  });
});

describe("any reply on Discord", () => {
  it("T44, T46: is messages that Discord takes, with every button once and no mention, whatever it holds", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc
        .array(fc.constantFrom("*a* ", "`", "```\n", "- ", "\n", "> ", "<@1>", "@here ", "word ", "||", "é", "😀"), {
          maxLength: 900,
        })
        .map((parts) => parts.join("")),
    );
    const label = fc.oneof(fc.string({ unit: "binary", maxLength: 130 }), fc.string({ minLength: 70, maxLength: 130 }));
    const button = fc.oneof(
      { weight: 4, arbitrary: fc.record({ label, opens: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ label, url: fc.oneof(fc.webUrl({ withQueryParameters: true }), label) }) },
    );
    const rows = fc.array(fc.array(button, { minLength: 0, maxLength: 30 }), { maxLength: 8 });
    fc.assert(
      fc.property(text, rows, fc.boolean(), (text, given, quiet) => {
        let count = 0;
        const rows = given.map((row) =>
          row.map((one): Button => {
            if ("url" in one) return one;
            const { label, opens } = one;
            return opens ? { label, press: `k${count++}`, opens } : { label, press: `k${count++}` };
          }),
        );
        const pieces = piecesOf(reply(text, { rows, quiet }));
        const seen = pieces.map(bodyOf).flatMap(rowsOf).flat();
        const expected = rows.flat().flatMap((one) => ("press" in one ? [one] : []));
        const pressed = seen.filter(({ kind }) => kind !== "link");
        expect(pressed.map(({ id }) => keyOf(id)).sort()).toEqual(expected.map(({ press }) => press).sort());
        const words = pieces
          .map(({ plain }) => plain)
          .join("")
          .replace(/\s/g, "");
        for (const { id, label } of pressed) {
          const said = expected.find(({ press }) => press === keyOf(id));
          const whole = oneLine(said?.label ?? "");
          if (label !== whole && isVisible(whole)) expect(words).toContain(whole.replace(/\s/g, ""));
        }
        for (const piece of pieces)
          for (const plain of [false, true]) {
            const content = contentOf(bodyOf(piece), piece.plain, { plain, repeat: true });
            expect(content.length).toBeLessThanOrEqual(2000);
            expect(content.isWellFormed()).toBe(true);
            expect(pingsIn(content)).toEqual([]);
          }
      }),
      { numRuns: runs(150) },
    );
  });
});

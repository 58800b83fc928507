// What others chose to be called stands on a card as plain words of capped length, on every platform: names, labels, steps, replies, rows.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAsk } from "../../src/cards/ask-input.ts";
import { worthShowing } from "../../src/cards/chips.ts";
import { openTurnDesk } from "../../src/cards/desk.ts";
import { drawOffer } from "../../src/cards/offers.ts";
import { putAway } from "../../src/cards/open.ts";
import { boundedPlan, drawPlan } from "../../src/cards/plans.ts";
import { buttonsOf, closedText, drawQuestion } from "../../src/cards/question-card.ts";
import { boundedView, drawView } from "../../src/cards/views.ts";
import type { Drawn } from "../../src/cards/drawn.ts";
import { piecesOf as discordPieces, readBody as discordBody } from "../../src/channels/discord/cards.ts";
import { piecesOf as slackPieces, readBody as slackBody } from "../../src/channels/slack/cards.ts";
import { piecesOf as telegramPieces, readBody as telegramBody } from "../../src/channels/telegram/cards.ts";
import { piecesOf as terminalPieces } from "../../src/channels/terminal/cards.ts";
import type { Offer, Question } from "../../src/core/card.ts";
import type { Reply } from "../../src/core/reply.ts";
import { clipUnits, isVisible, oneLine } from "../../src/core/text.ts";
import { parseMarkdown } from "../../src/markdown/parse.ts";
import { openStore } from "../../src/store/open.ts";
import { READERS, pingsIn, readDiscord } from "../channels/discord-reader.ts";
import { recordedSurroundings } from "../contracts/channel.ts";
import { runs } from "../deep.ts";
import { readComponents } from "../wire/discord-components.ts";
import { checkBlocks, readBlocks } from "../wire/slack-blocks.ts";
import { parseHtml } from "../wire/telegram-html.ts";
import { app, skill, toyCatalog } from "./catalog.ts";

const { surroundings } = recordedSurroundings();

/** Pieces that mean something somewhere: marks, links, mentions, beginnings of lists and headings, what is many units in one sign. */
const SLY = [
  ...["*", "**", "_", "__", "~~", "`", "```", "||", "[", "](https://evil.example)", "<https://evil.example|x>", "!["],
  ...["<@U1>", "<!channel>", "<@123456>", "<#C1>", "@everyone", "@here", "@sam", "<b>", "</i>", "&amp;", "&lt;", "&"],
  ...["# ", "- ", "1. ", "> ", "-# ", "---", "| a | b |", "\\", "\n", "\n\n", "\r\n", "\t", "\u202E", "\u0000"],
  ...["🚀", "👨‍👩‍👧‍👦", "漢", "e\u0301", "\uD800", "a", "word ", "<t:1>", ":smile:", "$x$", "tg://user?id=1"],
] as const;
const sly = fc.array(fc.constantFrom(...SLY), { minLength: 1, maxLength: 60 }).map((parts) => parts.join(""));
const long = fc.constantFrom(
  "🚀".repeat(500),
  "👨‍👩‍👧‍👦".repeat(300),
  "x".repeat(5000),
  "e\u0301".repeat(4000),
  "*".repeat(3000),
);
const hostile = fc.oneof({ weight: 4, arbitrary: sly }, { weight: 1, arbitrary: long });

/** What is seen of a card on a platform, buttons left out; throws for what the platform refuses. */
const SEEN: Readonly<Record<string, (reply: Reply) => string>> = {
  telegram: (reply) =>
    telegramPieces(reply)
      .map(({ body }) => {
        const { text, entities } = parseHtml(telegramBody(kept(body))?.html ?? "");
        for (const entity of entities) {
          expect(entity.type).not.toBe("text_mention");
          const said = text.slice(entity.offset, entity.offset + entity.length).replaceAll("\u2060", "");
          if (entity.type === "text_link") expect([said, `mailto:${said}`]).toContain(entity.url);
        }
        return text;
      })
      .join(""),
  slack: (reply) =>
    slackPieces(reply)
      .map(({ body }) => {
        const { text, pings } = readBlocks(checkBlocks(slackBody(kept(body))?.blocks, "message"), (id) => id);
        expect(pings).toEqual([]);
        return text;
      })
      .join(""),
  discord: (reply) =>
    discordPieces(reply)
      .map(({ body }) => {
        const { content = "", components } = discordBody(kept(body)) ?? {};
        readComponents(components);
        expect(pingsIn(content)).toEqual([]);
        expect(content.length).toBeLessThanOrEqual(2000);
        const [one, other] = READERS.map((reader) => readDiscord(content, reader).text);
        expect(one).toBe(other);
        return one ?? "";
      })
      .join(""),
  terminal: (reply) =>
    terminalPieces(reply)
      .map(({ plain }) => plain)
      .join(""),
};

function kept(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body)) as unknown;
}

/** As it reads, whatever signs that draw nothing stand in it; in an address a sign may be spelled out. */
function bare(text: string): string {
  return text
    .replaceAll(/%([0-7][0-9A-F])/gu, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll(/[\s\p{Cf}\p{Cc}]/gu, "");
}

const PLAIN = new Set(["root", "paragraph", "text", "strong", "emphasis", "delete", "break", "list", "listItem"]);

type Node = {
  readonly type: string;
  readonly children?: readonly Node[];
  readonly value?: string;
  readonly url?: string;
};

/** The words stand there as they are, and are nothing but words. */
function standsPlainly(card: Drawn, words: readonly string[]): void {
  const others: string[] = [];
  const textOf = ({ value = "", children = [] }: Node): string => value + children.map(textOf).join("");
  const look = (node: Node): void => {
    // No escape keeps a bare address from leading to itself; it must lead nowhere else.
    const isItself = node.type === "link" && node.url?.replace(/^mailto:/u, "") === textOf(node);
    if (!PLAIN.has(node.type) && !isItself) others.push(node.type);
    for (const child of node.children ?? []) look(child);
  };
  look(parseMarkdown(card.text));
  expect(others).toEqual([]);
  for (const [platform, see] of Object.entries(SEEN)) {
    const seen = bare(see({ key: "k", ...card }));
    for (const one of words) expect({ platform, seen }).toEqual({ platform, seen: expect.stringContaining(bare(one)) });
  }
}

const capped = (text: string, maxUnits: number): string => clipUnits(oneLine(text), maxUnits, "…");

async function offerOf(kind: "app" | "skill", words: string): Promise<Offer | undefined> {
  await using store = await openStore({ folder: ":memory:", ...surroundings });
  // Whoever lists what it may do leaves out lines that say nothing.
  const may = isVisible(oneLine(words)) ? [words] : [];
  const named = { name: words, about: words, tagline: words, may };
  const catalog = toyCatalog([kind === "app" ? app("it", named) : skill("it", named)]);
  const engine = { tools: true, images: false, plan: false, ownTools: false, sessions: false, holdMs: 0 };
  const desk = await openTurnDesk(
    { catalog, store, surroundings },
    {
      ...{ conversation: "c", turn: "t", attendance: "owner", room: "private", engine },
      ...{ words: "Do it", clean: async () => true },
    },
  );
  const proposed = await desk.propose({ kind, id: "it" }, words, "assistant");
  return proposed.is === "offer" ? proposed.offer : undefined;
}

describe("O65: words on a card", () => {
  it.each(["app", "skill"] as const)("O20, O65: an offer of a kind: %s", async (kind) => {
    await fc.assert(
      fc.asyncProperty(hostile, async (words) => {
        const offer = await offerOf(kind, words);
        if (offer === undefined) throw new Error("Nothing was offered.");
        expect(offer.target.name.length).toBeLessThanOrEqual(80);
        expect(offer.description.length).toBeLessThanOrEqual(300);
        expect(offer.why.length).toBeLessThanOrEqual(200);
        const name = capped(words, 80) || "it";
        const [about, why, may] = [capped(words, 300), capped(words, 200), capped(words, 300)];
        standsPlainly(drawOffer(offer), [name, about, why, ...(kind === "skill" ? [may] : [])]);
        standsPlainly(drawOffer({ ...offer, stage: { is: "details", connects: "It needs no key." } }), [name, may]);
        standsPlainly(drawOffer({ ...offer, stage: { is: "failed", words: why } }), [name, why]);
        for (const is of ["dismissed", "muted", "expired"] as const)
          standsPlainly({ text: putAway(offer, is).text, rows: [], quiet: true }, [name]);
      }),
      { numRuns: 20 },
    );
  });

  it("O37, O65: a question, asked and answered, with forms and without", () => {
    fc.assert(
      fc.property(hostile, fc.boolean(), fc.boolean(), (words, inForm, several) => {
        const choice = {
          ...{ id: "a", label: words, kind: "choice", several },
          options: [{ label: capped(words, 70) || "x", description: words }, { label: "Another" }],
        };
        let asked: Pick<Question, "title" | "fields">;
        try {
          asked = readAsk({ title: words, fields: [choice, { id: "b", label: words, kind: "text" }] });
        } catch {
          // Too long, or nothing to see: refused in words.
          asked = readAsk({
            title: clipUnits(oneLine(words), 120) || "x",
            fields: [{ id: "a", label: capped(words, 200) || "x", kind: "text" }],
          });
        }
        fc.pre(isVisible(words));
        const bareCard = { kind: "question", id: "q", turn: "t", for: "p/1", name: words, inForm, ...asked } as const;
        const card: Question = {
          ...bareCard,
          options: buttonsOf(bareCard).map((one, at) => ({ ...one, key: `k${at}` })),
        };
        const label = asked.fields[0]?.label ?? "";
        standsPlainly(drawQuestion(card), [capped(label, 60).replace(/…$/u, "")]);
        for (const { label: shown } of card.options) expect(shown.length).toBeLessThanOrEqual(80);
        standsPlainly({ text: closedText(asked, { is: "words", words }), rows: [], quiet: false }, []);
        const answers = asked.fields.map(() => words);
        standsPlainly({ text: closedText(asked, { is: "answered", answers }), rows: [], quiet: false }, []);
      }),
      { numRuns: runs(40) },
    );
  });

  it("O59, O65: the steps of a plan", () => {
    fc.assert(
      fc.property(
        fc.array(hostile, { minLength: 1, maxLength: 5 }),
        fc.constantFrom("done", "active", "pending"),
        (texts, state) => {
          const plan = boundedPlan(texts.map((text) => ({ text, state })));
          for (const { text } of plan.steps) expect(text.length).toBeLessThanOrEqual(200);
          standsPlainly(
            drawPlan(plan, false),
            texts.map((text) => capped(text, 200)),
          );
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it("O47, O65: replies to send are shown whole or not at all, as the labels that they are", () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 5 }), (replies) => {
        const shown = worthShowing(replies);
        expect(shown.length).toBeLessThanOrEqual(3);
        for (const words of shown) {
          expect(replies).toContain(words);
          expect(Array.from(words).length).toBeLessThanOrEqual(120);
          const rows = [[{ label: words, press: "k" }]];
          standsPlainly({ text: "An answer.", rows, quiet: false }, ["An answer."]);
        }
        const keys = telegramPieces({ key: "k", text: "An answer.", rows: [], quiet: false, keyboard: shown });
        expect(keys.flatMap(({ body }) => telegramBody(kept(body))?.keys ?? [])).toEqual(shown);
      }),
      { numRuns: runs(40) },
    );
  });

  it("O61a, O65: rows of what was found", () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom("agenda", "mail", "files", "messages"), (words, of) => {
        const compose = { label: words, text: words };
        const view = boundedView({
          kind: "view",
          of,
          title: words,
          rows: [{ title: words, detail: words, compose }],
          more: 0,
        });
        const [row] = view.rows;
        expect(view.title.length).toBeLessThanOrEqual(200);
        expect(row?.title.length).toBeLessThanOrEqual(200);
        expect(row?.detail.length).toBeLessThanOrEqual(300);
        expect(row?.compose?.label.length ?? 0).toBeLessThanOrEqual(40);
        expect(row?.compose?.text.length ?? 0).toBeLessThanOrEqual(200);
        fc.pre(isVisible(capped(words, 200)));
        standsPlainly(drawView(view, ["k"]), [capped(words, 200), capped(words, 300)]);
      }),
      { numRuns: runs(30) },
    );
  });
});

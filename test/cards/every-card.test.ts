// Every kind of card stands on every platform, and docs/cards.md holds exactly what stands there.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { replyFor } from "../../src/gateway/replies.ts";
import type { Card, Offer, OfferAct, QuestionField, TargetKind, View } from "../../src/core/card.ts";
import type { EntryBody } from "../../src/core/conversation.ts";
import { filled, transcripts, type Transcripts } from "./shown-page.ts";
import { PLATFORMS } from "./shown.ts";

const PAGE = fileURLToPath(new URL("../../docs/cards.md", import.meta.url));

let all: Transcripts;
beforeAll(async () => {
  all = await transcripts();
});

type Each<K extends string> = { readonly [one in K]: true };
type Stage = NonNullable<Offer["stage"]>["is"] | "open";

// A further kind does not compile before it stands here, and fails before it has a transcript.
const CARDS: Each<Card["kind"]> = { offer: true, question: true, approval: true, choice: true };
const TARGETS: Each<TargetKind> = { app: true, skill: true };
const STAGES: Each<Stage> = { open: true, details: true, connecting: true, "sign-in": true, failed: true };
const ACTS: Each<OfferAct> = { take: true, use: true, always: true, "not-now": true, mute: true, details: true };
const FIELDS: Each<QuestionField["kind"]> = {
  ...{ choice: true, date: true, time: true, datetime: true, text: true, number: true },
};
const VIEWS: Each<View["of"]> = { agenda: true, mail: true, files: true, messages: true };
/** False: it shows nothing, whatever it says. */
const ENTRIES: { readonly [K in EntryBody["kind"]]: boolean } = {
  ...{ text: true, "chips-gone": true, plan: true, viewed: true, pictured: true, "turn-ended": true, notice: true },
  ...{ asked: true, answered: true, looked: true },
  ...{ message: false, edited: false, marked: false, command: false, "turn-started": false, "tool-start": false },
  ...{ "tool-end": false, "carried-on": false, resumed: false, usage: false },
};

const NEEDED: readonly string[] = [
  ...Object.keys(CARDS).map((kind) => `card ${kind}`),
  ...Object.keys(TARGETS).map((kind) => `target ${kind}`),
  ...Object.keys(STAGES).map((stage) => `stage ${stage}`),
  ...Object.keys(ACTS).map((act) => `act ${act}`),
  ...Object.keys(FIELDS).map((kind) => `field ${kind}`),
  ...Object.keys(VIEWS).map((of) => `view ${of}`),
  ...Object.entries(ENTRIES).flatMap(([kind, shows]) => (shows ? [`entry ${kind}`] : [])),
];

describe.each(PLATFORMS)("on %s", (platform) => {
  it.each(NEEDED)("O71: %s is shown", (part) => {
    const with_ = [...all.values()].filter((on) => on.get(platform)?.of.has(part) === true);
    // A reply keyboard can't be edited: there the next message of ours takes it away, and nothing else is shown.
    if (platform === "Telegram" && part === "entry chips-gone") return expect(with_).toEqual([]);
    // Where there are windows, or words for one person alone, details stand there.
    if (part === "stage details" && (platform === "Slack" || platform === "Discord")) return expect(with_).toEqual([]);
    expect(with_.length).toBeGreaterThan(0);
    for (const on of with_) expect(on.get(platform)?.messages.join("").trim()).not.toBe("");
  });
});

it("O71: what shows nothing is drawn by nobody", () => {
  const silent = Object.entries(ENTRIES).filter(([, shows]) => !shows);
  const room = { platform: "p", chat: "1", kind: "private" } as const;
  for (const [kind] of silent)
    expect(replyFor({ kind, conversation: "c", seq: 1, at: 1 } as never, { room })).toBeUndefined();
});

// The command is said where a failure is read.
const ANEW = "npx vitest run test/cards/every-card.test.ts -u";

it(`O71: docs/cards.md holds what is shown, card by card; written anew by: ${ANEW}`, async () => {
  await expect(filled(readFileSync(PAGE, "utf8"), all)).toMatchFileSnapshot(PAGE);
});

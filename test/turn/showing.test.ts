// What stands under a reply, and what of a turn is shown: one thing that asks for attention, and nothing that says a secret.
import { describe, expect, it } from "vitest";
import type { Offer, Plan } from "../../src/core/card.ts";
import type { Entry, EntryBody } from "../../src/core/conversation.ts";
import type { Room } from "../../src/core/message.ts";
import {
  asksIn,
  hold,
  planShown,
  planSoFar,
  shownChanges,
  underReply,
  withoutSecrets,
  type Ended,
  type Held,
} from "../../src/turn/showing.ts";

const HERE = { conversation: "c", turn: "t", at: 1 };
const PLAN: Plan = { kind: "plan", steps: [{ text: "Look", state: "active" }] };
const OFFER: Offer = {
  ...{ kind: "offer", id: "o", turn: "t", description: "", why: "", by: "assistant", may: [], options: [] },
  target: { kind: "app", id: "mail", name: "Mail" },
  resume: { request: "mail" },
};
const WELL: Ended = {
  well: true,
  text: "An answer.",
  part: 0,
  clean: true,
  tools: true,
  plans: false,
  asks: undefined,
};
const ALL: Held = { plan: PLAN, offer: OFFER, chips: ["Book it"] };
let keys = 0;
const random = { key: (): string => `key-${(keys += 1)}`, fraction: () => 0 };

/** What stands there then, in a word. */
function stands(ended: Partial<Ended>, held: Partial<Held> = {}): string {
  const { chips, changes, offers } = underReply({ ...WELL, ...ended }, { ...ALL, ...held }, HERE, random);
  const asked = changes.flatMap((change) =>
    change.do === "append" && change.body.kind === "asked" ? [change.body.card.kind] : [],
  );
  if (offers) expect(asked).toEqual(["offer"]);
  return [...asked, ...chips.map(({ words }) => words)].join(", ");
}

describe("O54: under a reply stands one thing, the most pressing", () => {
  it.each([
    ["a plan to be started, above an offer and chips", { plans: true }, {}, "choice"],
    ["an offer, above chips", {}, {}, "offer"],
    ["chips", {}, { offer: undefined }, "Book it"],
    ["nothing, where none is wanted", {}, { offer: undefined, chips: [] }, ""],
    ["nothing of these, while an approval waits there", { asks: "approval" }, {}, ""],
    ["nothing of these, while a question waits there", { asks: "question" }, {}, ""],
    ["a plan to be started, also while an approval waits there", { asks: "approval", plans: true }, {}, "choice"],
    ["nothing at all, when it ended otherwise than well", { well: false, plans: true }, {}, ""],
    ["no chips without words of an answer", { text: "" }, { offer: undefined }, ""],
  ] as const)("O54: %s", (_, ended, held, expected) => {
    expect(stands(ended, held)).toBe(expected);
  });

  it("O16, O52, O66: in a chat with words from outside neither the assistant's offer nor its chips, but a cue's offer", () => {
    expect(stands({ clean: false })).toBe("");
    expect(stands({ clean: false }, { offer: { ...OFFER, by: "cue" } })).toBe("offer");
  });

  it("O54: what waits in another room asks for nothing here", () => {
    const room: Room = { platform: "stage", chat: "1", kind: "private" };
    const other = { room: { ...room, chat: "2" } };
    expect(asksIn(room, [other], [other])).toBeUndefined();
    expect(asksIn(room, [other, { room }], [{ room }])).toBe("approval");
    expect(asksIn(room, [other], [{ room }])).toBe("question");
  });
});

it("O59: the card that asks for a plan's start shows its steps, and keeps them when it is answered", () => {
  const { changes } = underReply({ ...WELL, plans: true }, ALL, HERE, random);
  const [asked] = changes.flatMap((change) =>
    change.do === "append" && change.body.kind === "asked" && change.body.card.kind === "choice"
      ? [change.body.card]
      : [],
  );
  expect(asked?.text).toBe("▶ **Look** …\n\nThis chat only plans. Shall I start on it?");
  expect(asked?.options.map(({ label, done }) => `${label}: ${done}`)).toEqual([
    "Start: ▶ **Look** …\n\nStarted.",
    "Keep planning: ▶ **Look** …\n\nStill planning. /mode changes that.",
  ]);
});

it("O55, O59: a plan is logged when it says something new; one without a step says nothing", () => {
  expect(shownChanges({ plan: PLAN }, HERE, { plan: undefined }, random)).toHaveLength(1);
  expect(shownChanges({ plan: { ...PLAN, steps: [...PLAN.steps] } }, HERE, { plan: PLAN }, random)).toEqual([]);
  expect(planShown({ kind: "plan", steps: [] })).toEqual({});
});

it("O48: of what was shown the last chips and the last plan count, and the first offer", () => {
  const held: Held = { plan: undefined, offer: undefined, chips: [] };
  hold(held, { chips: ["One"], offer: OFFER, plan: PLAN });
  hold(held, { chips: [], offer: { ...OFFER, id: "other" } });
  hold(held, undefined);
  expect(held).toEqual({ plan: PLAN, offer: OFFER, chips: [] });
});

it("O57: a second try goes on from the plan that the first one logged, and from no other turn's", () => {
  const entry = (seq: number, body: EntryBody): Entry => ({ ...body, conversation: "c", seq, at: 1 });
  const other: Plan = { kind: "plan", steps: [{ text: "Else", state: "done" }] };
  const log = [
    entry(1, { kind: "plan", turn: "t", plan: other }),
    entry(2, { kind: "plan", turn: "t", plan: PLAN }),
    entry(3, { kind: "plan", turn: "u", plan: other }),
  ];
  expect(planSoFar(log, "t")).toEqual(PLAN);
  expect(planSoFar(log, "v")).toBeUndefined();
});

it("O47: what holds a known secret is no reply to send, and no step says one", () => {
  const scrub = (text: string): string => text.replaceAll("s3cret", "[hidden]");
  const plan: Plan = { kind: "plan", steps: [{ text: "Use s3cret", state: "done" }] };
  expect(withoutSecrets({ plan, chips: ["Use s3cret", "Book it"] }, scrub)).toEqual({
    plan: { kind: "plan", steps: [{ text: "Use [hidden]", state: "done" }] },
    chips: ["Book it"],
  });
  expect(withoutSecrets(undefined, scrub)).toBeUndefined();
});

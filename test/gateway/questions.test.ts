// What the gateway makes of a question that waits: which words answer it, what is shown meanwhile, and what a chat's status is.
import { describe, expect, it } from "vitest";
import { Approvals } from "../../src/cards/approvals.ts";
import { Questions } from "../../src/cards/questions.ts";
import type { Question, QuestionField } from "../../src/core/card.ts";
import type { Inbound } from "../../src/core/channel.ts";
import type { Entry, EntryBody } from "../../src/core/conversation.ts";
import type { Part, Person, Room } from "../../src/core/message.ts";
import { Outbox } from "../../src/gateway/outbox.ts";
import { statusIn, statusOf } from "../../src/gateway/status.ts";
import { couldAnswer, type TypedParts } from "../../src/gateway/typed-answers.ts";
import { LIMITS, stage } from "./stage.ts";

type Said = Extract<Inbound, { kind: "message" }>;
type Stage = Awaited<ReturnType<typeof stage>>;

const HOME: Room = { platform: "stage", chat: "1", kind: "private" };
const SAM: Person = { platform: "stage", id: "1", name: "Sam", role: "owner" };
const EVE: Person = { platform: "stage", id: "2", name: "Eve", role: "guest" };
const WHY: QuestionField = { id: "why", label: "Why?", kind: "text", long: false };

/** A question of Sam's that waits and is shown, as the message `ref1`. */
async function asked(
  room: Room = HOME,
): Promise<Stage & { readonly questions: Questions; readonly parts: TypedParts }> {
  const here = await stage();
  const { store, surroundings } = here;
  await here.outbox();
  const questions = new Questions(store, surroundings);
  const ask = { turn: "t", for: "stage/1", fields: [WHY], forms: false, holdMs: 1000 };
  void questions.ask({ ...ask, conversation: "private" }, room, new AbortController().signal);
  await here.pass(10);
  // Only what the answers by text look at.
  const parts = {
    store,
    questions,
    approvals: new Approvals(store, surroundings),
  } as Partial<TypedParts> as TypedParts;
  return { ...here, questions, parts };
}

const own: Part = { kind: "text", messageId: "m1", origin: { kind: "own" }, text: "Because" };

function said(more: Partial<Said> = {}): Said {
  return {
    ...{ kind: "message", room: HOME, from: { id: "1", name: "Sam", bot: false }, at: 1, messageId: "m1" },
    ...{ parts: [own], addressed: true },
    ...more,
  };
}

/** Whether it answered. */
async function answers(message: Said, how: { room?: Room; person?: Person; whole?: boolean } = {}): Promise<boolean> {
  const here = await asked(how.room);
  const { person = SAM, whole = true } = how;
  const attempt = couldAnswer(here.parts, message, { person, row: 1, whole });
  if (attempt === undefined) return false;
  const done = attempt();
  await here.pass(0);
  return await done;
}

const quoted = (ours: boolean, messageId?: string): Part => ({
  ...{ kind: "text", messageId: "m1", text: "Why?" },
  origin: { kind: "quoted", from: "bot", ours, ...(messageId === undefined ? {} : { messageId }) },
});

describe("O40: which words answer", () => {
  const forwarded: Part = { ...own, origin: { kind: "forwarded", as: "user", from: "Eve" } };
  const file: Part = {
    ...{ kind: "file", messageId: "m1", origin: { kind: "own" } },
    file: { kind: "document", name: "a.txt", mediaType: "text/plain", handle: "h" },
  };
  const inThread = (thread: string): Room => ({ ...HOME, thread });

  it.each([
    ["own words, in the same room", said(), {}, true],
    ["a reply to the card", said({ parts: [quoted(true, "ref1"), own] }), {}, true],
    ["in the thread under the card", said({ room: inThread("ref1") }), {}, true],
    ["in another thread", said({ room: inThread("ref9") }), {}, false],
    ["at the top, while it waits in a thread", said(), { room: inThread("ref9") }, false],
    ["in another chat", said({ room: { ...HOME, chat: "2" } }), {}, false],
    ["somebody else's", said(), { person: EVE }, false],
    ["a reply to another message of ours", said({ parts: [quoted(true, "ref7"), own] }), {}, false],
    ["a reply to nobody knows what", said({ parts: [quoted(true), own] }), {}, false],
    ["with somebody else's words beside it", said({ parts: [quoted(false, "ref1"), own] }), {}, false],
    ["a forward", said({ parts: [forwarded] }), {}, false],
    ["a forward with own words", said({ parts: [own, forwarded] }), {}, false],
    ["a file with own words", said({ parts: [own, file] }), {}, false],
    ["a command", said({ command: { name: "help", args: "" }, parts: [own] }), {}, false],
    ["nothing that can be seen", said({ parts: [{ ...own, text: "\u200B" }] }), {}, false],
    ["a piece of something longer", said(), { whole: false }, false],
  ])("O40: %s: %#", async (_, message, how, wanted) => {
    expect(await answers(message, how)).toBe(wanted);
  });

  it("O40: the message that answered is this conversation's: whoever quotes it brings nothing in", async () => {
    const here = await asked();
    const done = couldAnswer(here.parts, said(), { person: SAM, row: 1, whole: true })?.();
    await here.pass(0);
    expect(await done).toBe(true);
    expect((await here.store.conversations.holding(HOME, "m1"))?.id).toBe("private");
    // Nothing waits for a turn by it.
    expect((await here.store.conversations.state("private")).waiting).toBe(0);
    // A moment later it is a message like any other.
    expect(couldAnswer(here.parts, said(), { person: SAM, row: 2, whole: true })).toBeUndefined();
  });
});

describe("O38: what is shown while it waits", () => {
  it("O38: no typing; once it is answered, typing again", async () => {
    const { store, surroundings, platform, pass } = await stage();
    let waits = true;
    const ways = new Map([["stage", { outlet: platform, limits: LIMITS }]]);
    const outbox = new Outbox(
      store,
      ways,
      surroundings,
      undefined,
      (conversation) => waits && conversation === "private",
    );
    const conversation = await store.conversations.get("private");
    if (conversation === undefined) throw new Error("It is gone.");
    outbox.live(conversation, "t");
    await pass(60_000);
    expect(platform.hints).toEqual([]);
    waits = false;
    await pass(2000);
    expect(platform.hints).toMatchObject([{ kind: "typing" }]);
    outbox.endLive("t");
    await pass(0);
  });

  const question = {
    kind: "question",
    id: "q",
    turn: "t",
    for: "p",
    fields: [WHY],
    inForm: false,
    options: [],
  } as const satisfies Question;
  const started: EntryBody = {
    kind: "turn-started",
    turn: "t",
    engine: "e",
    upTo: 1,
    attendance: "owner",
    again: false,
  };
  const ask: EntryBody = { kind: "asked", card: question };
  const answered: EntryBody = { kind: "answered", card: "q", by: "p", text: "", given: null };
  const ended: EntryBody = { kind: "turn-ended", turn: "t", reason: "done" };
  const choice: EntryBody = { kind: "asked", card: { kind: "choice", id: "c", text: "", options: [] } };

  it.each([
    ["idle", []],
    ["running", [started]],
    ["awaiting-permission", [started, ask]],
    ["awaiting-permission", [ask, ask]],
    ["running", [started, ask, ask, answered]],
    ["idle", [started, ask, answered, ended]],
    ["idle", [choice]],
    ["running", [started, choice]],
  ] as const)("O38: a chat is %s by its log: %#", (status, bodies) => {
    const entries = bodies.map((body, at): Entry => ({ ...body, conversation: "c", seq: at + 1, at: 1 }));
    expect(statusIn(entries)).toBe(status);
  });

  it("O38: what waits comes before what runs", () => {
    const queue = { running: (id: string) => (id === "idle" ? undefined : "t") };
    const waits = [{ live: [] }, { live: [{ conversation: "asked" }] }];
    expect(["idle", "busy", "asked"].map((id) => statusOf(id, { queue, waits }))).toEqual([
      "idle",
      "running",
      "awaiting-permission",
    ]);
  });
});

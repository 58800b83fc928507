// What cards leave open, and what becomes of it: chats put away from outside, commands without a channel, engines that give up a call.
import { expect, it } from "vitest";
import { Approvals } from "../../src/cards/approvals.ts";
import { keyedChips } from "../../src/cards/chips.ts";
import { askOffer } from "../../src/cards/offers.ts";
import { Questions } from "../../src/cards/questions.ts";
import type { Offer } from "../../src/core/card.ts";
import type { Engine } from "../../src/core/engine.ts";
import type { Message, Person } from "../../src/core/message.ts";
import { tellAppNews } from "../../src/gateway/app-news.ts";
import { pasteAddress } from "../../src/gateway/offer-paste.ts";
import { answerInPrivate } from "../../src/gateway/private-answers.ts";
import type { People } from "../../src/gateway/people.ts";
import { openStore } from "../../src/store/open.ts";
import type { Change, Store } from "../../src/store/port.ts";
import { runTurn, STOP } from "../../src/turn/run.ts";
import { app, toyCatalog } from "../cards/catalog.ts";
import { emptyCatalog } from "../catalog/empty.ts";
import { bareGateway, surroundings } from "./bare.ts";
import { PLAIN_PARTS } from "./plain-parts.ts";
import { HOME, SAM as READER, shelf } from "./shelf.ts";

type PrivateParts = Parameters<typeof answerInPrivate>[1];

const ROOM = { platform: "stage", chat: "1", kind: "private" } as const;
const SAM: Person = { platform: "stage", id: "1", name: "Sam", role: "owner" };

/** An answer with replies to send next under it. */
function answered(conversation: string): readonly Change[] {
  const { chips, buttons } = keyedChips(["Book it"], { conversation, turn: "t", part: 0 }, surroundings.random);
  const body = { kind: "text", turn: "t", part: 0, text: "Hello", chips } as const;
  return [{ do: "append", conversation, at: 1, body, stands: true }, ...buttons];
}

const kinds = async (store: Store, conversation: string): Promise<readonly string[]> =>
  (await store.log.read(conversation)).map(({ kind }) => kind);

it("O53: what stands open in a chat that is put away by a command outside is over", async () => {
  await using bare = await bareGateway();
  const { store, gateway } = bare;
  await store.commit([{ do: "open", id: "c", room: ROOM, person: "stage/1", title: "c", at: 1 }, ...answered("c")]);
  expect(await gateway.archive("c")).toBe(true);
  expect(await kinds(store, "c")).toEqual(["text", "chips-gone"]);
  expect((await store.conversations.get("c"))?.stands).toBeUndefined();
});

it("O27, O29: a command that opens the data folder without its channels takes no offer up", async () => {
  for (const state of ["off", "on"] as const) {
    const catalog = toyCatalog([app("mail", { state })]);
    const offer: Offer = {
      ...{ kind: "offer", id: "o", turn: "t", description: "", why: "", by: "cue", may: [], options: [] },
      ...{ target: { kind: "app", id: "mail", name: "Mail" }, resume: { request: "mail" } },
      stage: { is: "sign-in", url: "https://login.example/mail" },
    };
    await using bare = await bareGateway({
      catalog,
      before: async (store) =>
        await store.commit([
          { do: "open", id: "c", room: ROOM, person: "stage/1", title: "c", at: 1 },
          ...askOffer(offer, "c", 2),
          { do: "know", known: { platform: "stage", id: "1", kind: "person", name: "Sam", standing: "owner", at: 1 } },
        ]),
    });
    await bare.gateway.settled();
    expect(catalog.turned).toEqual([]);
    expect(await kinds(bare.store, "c")).toEqual(["asked"]);
  }
});

it("A42, G44: news that nobody could be told wait for whoever is there at the next start", async () => {
  await using here = await shelf([]);
  const items = [app("mail", { state: "off", trouble: "Mail asks for a sign-in again." })];
  const said = async (lastPrivate: People["lastPrivate"], ways = here.parts.ways): Promise<number> => {
    const people = { lastPrivate, isOwner: () => true, owner: { name: "Sam" } } as unknown as People;
    // Nothing changes: the app was signed out when nobody followed.
    const catalog = { items, changes: (signal: AbortSignal) => emptyCatalog().changes(signal) };
    const over = new AbortController();
    const telling = tellAppNews({ store: here.store, catalog, people, ways, surroundings, signal: over.signal });
    await here.store.settings.get("a moment");
    for (let round = 0; round < 50; round += 1) await new Promise((resolve) => setImmediate(resolve));
    over.abort();
    await telling;
    return (await kinds(here.store, here.here.id)).filter((kind) => kind === "notice").length;
  };
  const there = { room: HOME, person: READER };
  expect(await said(there, new Map())).toBe(0);
  expect(await said(there)).toBe(1);
  expect(await said(there)).toBe(1);
});

it("O53: news of an app take away what could be said next", async () => {
  await using here = await shelf([]);
  await here.store.commit(answered(here.here.id));
  const people = { lastPrivate: { room: HOME, person: READER } } as unknown as People;
  const catalog = {
    items: [app("mail", { state: "changed" })],
    // oxlint-disable-next-line require-yield
    async *changes() {
      await Promise.resolve();
    },
  };
  const { signal } = new AbortController();
  await tellAppNews({ store: here.store, catalog, people, ways: here.parts.ways, surroundings, signal });
  expect(await kinds(here.store, here.here.id)).toEqual(["text", "chips-gone", "notice"]);
});

it("O53: a sign-in that is finished here, and what was asked in a group, take away what could be said next", async () => {
  await using here = await shelf([]);
  const { id } = here.here;
  await here.store.commit(answered(id));
  await pasteAddress("http://127.0.0.1:1/callback", here.here, 1, {
    ...{ store: here.store, finishSignIn: async () => "mail", surroundings },
  });
  expect(await kinds(here.store, id)).toEqual(["text", "chips-gone", "notice"]);
  await here.store.commit(answered(id));
  const people = { lastPrivate: { room: HOME, person: READER } };
  const parts = { people, store: here.store, leafing: here.parts, surroundings } as unknown as PrivateParts;
  await answerInPrivate({ name: "settings", args: "", row: 2 }, parts);
  expect(await kinds(here.store, id)).toEqual(["text", "chips-gone", "notice", "text", "chips-gone"]);
});

for (const how of ["gives the call up", "is stopped"] as const)
  it(`O42, O38: a question is over before its turn is, when its engine ${how}`, async () => {
    await using store = await openStore({ folder: ":memory:", ...surroundings });
    const questions = new Questions(store, surroundings);
    const stop = new AbortController();
    const part = { kind: "text", messageId: "1", origin: { kind: "own" }, text: "Book it" } as const;
    const message: Message = { from: SAM, at: 1, ids: ["1"], parts: [part] };
    await store.commit([
      { do: "open", id: "c", room: ROOM, person: "stage/1", title: "c", at: 1 },
      { do: "append", conversation: "c", at: 1, body: { kind: "message", message } },
    ]);
    const conversation = await store.conversations.get("c");
    if (conversation === undefined) throw new Error("The store opened no conversation.");
    const calls: Promise<unknown>[] = [];
    const engine: Engine = {
      name: "hasty",
      can: { tools: true, images: false, plan: false, ownTools: false, sessions: false, holdMs: 60_000 },
      async *run(input) {
        const fields = [{ id: "a", label: "When?", kind: "text" }];
        calls.push(input.call({ id: "1", name: "ask", input: { fields } }));
        for await (const batch of store.log.follow(0, AbortSignal.timeout(5000)))
          if (batch.some(({ entry }) => entry.kind === "asked")) break;
        if (how === "is stopped") stop.abort(STOP);
        yield { kind: "text", delta: "I go on without." };
        yield { kind: "end", reason: "done" };
      },
      forget: async () => undefined,
      check: async () => ({ words: "Fine." }),
      [Symbol.asyncDispose]: async () => undefined,
    };
    const { mode, checkAfterReading, places, scrub } = PLAIN_PARTS;
    const order = {
      ...{ conversation, turn: "t", again: false, upTo: 1, unattended: false, locked: false, engine, tools: [] },
      cards: {
        ...{ catalog: emptyCatalog(), store, questions, own: [], surroundings },
        ...{ forms: () => false, waits: () => true },
      },
      ...{ owner: "Sam", workFolder: "/nowhere", scrub, signal: stop.signal },
      authority: {
        approvals: new Approvals(store, surroundings),
        ...{ mode, checkAfterReading, places, given: new Set<string>(), ownerRoom: () => undefined },
      },
    };
    for await (const _ of runTurn(order, store, surroundings));
    expect(questions.live).toEqual([]);
    const seen = await kinds(store, "c");
    expect(seen.indexOf("answered")).toBeGreaterThan(0);
    expect(seen.indexOf("answered")).toBeLessThan(seen.indexOf("turn-ended"));
    await Promise.all(calls);
  });

// Taking offers over a real store on the disk: presses, sign-ins, failures, ends, and all of them at once.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openTurnDesk } from "../../src/cards/desk.ts";
import { readMutes } from "../../src/cards/mutes.ts";
import { askOffer } from "../../src/cards/offers.ts";
import { closeOpen, openOfferIn } from "../../src/cards/open.ts";
import type { Offer, OfferAct, TargetKind } from "../../src/core/card.ts";
import type { PressAnswer } from "../../src/core/channel.ts";
import type { Entry } from "../../src/core/conversation.ts";
import type { Engine } from "../../src/core/engine.ts";
import type { Person } from "../../src/core/message.ts";
import type { TurnInput } from "../../src/core/turn.ts";
import { demoEngine } from "../../src/engines/demo/engine.ts";
import { openOffers, type OfferPresses } from "../../src/gateway/offer-presses.ts";
import { realClock } from "../../src/gateway/real.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { app, skill, toyCatalog, type ToyCatalog } from "../cards/catalog.ts";
import { runs } from "../deep.ts";
import { bareGateway, surroundings } from "./bare.ts";

const ROOM = { platform: "stage", chat: "1", kind: "private" } as const;
const SAM: Person = { platform: "stage", id: "1", name: "Sam", role: "owner" };
const REQUEST = "  Is there *anything*\nfrom Ana? ";

type Stand = {
  readonly store: Store;
  readonly catalog: ToyCatalog;
  readonly offers: OfferPresses;
  readonly woken: string[];
  readonly folder: string;
  /** Offers something in a chat, which is opened for it. */
  readonly offer: (kind: TargetKind, id: string, chat?: string) => Promise<Offer>;
  readonly press: (
    offer: Offer,
    act: OfferAct,
    chat?: string,
    by?: Person,
  ) => Promise<string | PressAnswer | undefined>;
  /** The offer as it stands in a chat. */
  readonly standing: (chat?: string) => Promise<Offer | undefined>;
  readonly log: (chat?: string) => Promise<readonly Entry[]>;
} & AsyncDisposable;

const ITEMS = [app("mail"), app("drive"), skill("trips"), skill("notes", { state: "asked" })];

/** One life of it, over a folder that may hold an earlier one. */
async function life(
  catalog: ToyCatalog = toyCatalog(ITEMS),
  folder: string = mkdtempSync(join(tmpdir(), "tg-offers-")),
  isOwner = true,
): Promise<Stand> {
  const over = new AbortController();
  const store = await openStore({ folder, ...surroundings });
  const woken: string[] = [];
  const offers = openOffers({
    ...{ store, catalog, surroundings, signal: over.signal },
    queue: { wake: (conversation) => void woken.push(conversation) },
    ownerOf: () => (isOwner ? SAM : undefined),
  });
  await offers.open();
  const found = async (chat: string): Promise<Awaited<ReturnType<Store["conversations"]["get"]>>> =>
    await store.conversations.get(chat);
  return {
    ...{ store, catalog, offers, woken, folder },
    async offer(kind, id, chat = "c") {
      // Each chat in a room of its own, so that all of them are current.
      const room = { ...ROOM, chat };
      await store.commit([{ do: "open", id: chat, room, person: "stage/1", title: chat, at: 1 }]);
      const engine = { tools: true, images: false, plan: false, ownTools: false, sessions: false, holdMs: 0 };
      const desk = await openTurnDesk(
        { catalog, store, surroundings },
        {
          ...{ conversation: chat, turn: "t", attendance: "owner", room: "private", engine, words: REQUEST },
          clean: async () => true,
        },
      );
      const made = await desk.propose({ kind, id }, "so", "assistant");
      if (made.is !== "offer") throw new Error(made.reason);
      await store.commit(askOffer(made.offer, chat, 2));
      return made.offer;
    },
    async press(offer, act, chat = "c", person = SAM) {
      const conversation = await found(chat);
      if (conversation === undefined) throw new Error("There is no such chat.");
      const done = { do: "inbound-done", ids: [], outcome: "pressed" } as const;
      return await offers.press(offer.id, act, { conversation, person, done });
    },
    standing: async (chat = "c") => (await openOfferIn(store, chat))?.offer,
    log: async (chat = "c") => await store.log.read(chat),
    async [Symbol.asyncDispose]() {
      over.abort();
      await offers.ended;
      await store[Symbol.asyncDispose]();
    },
  };
}

/** A life whose folder goes with it. */
async function stand(catalog?: ToyCatalog): Promise<Stand> {
  const here = await life(catalog);
  return {
    ...here,
    async [Symbol.asyncDispose]() {
      await here[Symbol.asyncDispose]();
      rmSync(here.folder, { recursive: true, force: true });
    },
  };
}

const carried = (log: readonly Entry[]): readonly Extract<Entry, { kind: "carried-on" }>[] =>
  log.flatMap((entry) => (entry.kind === "carried-on" ? [entry] : []));
const ends = (log: readonly Entry[]): readonly (string | undefined)[] =>
  log.flatMap((entry) => (entry.kind === "answered" ? [entry.offer] : []));

async function becomes<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 2_000; tries += 1) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error("It did not become so.");
}
const atStage = (here: Stand, is: NonNullable<Offer["stage"]>["is"], chat?: string): Promise<Offer> =>
  becomes(async () => {
    const offer = await here.standing(chat);
    return offer?.stage?.is === is && offer;
  });

describe("taking it", () => {
  it("O22, O24, O25, O26: connecting an app carries the request on, in the person's own words, with one quiet line", async () => {
    await using here = await stand();
    const offer = await here.offer("app", "mail");
    expect(await here.press(offer, "take")).toBe("Connecting …");
    await here.offers.settled();
    const log = await here.log();
    expect(log.find((entry) => entry.kind === "answered")).toMatchObject({
      ...{ card: offer.id, by: "stage/1", offer: "accepted", text: "_Connected Mail · carrying on_" },
    });
    expect(carried(log)).toMatchObject([
      { from: SAM, request: REQUEST, target: { kind: "app", id: "mail", name: "Mail" } },
    ]);
    // No message of the person stands there a second time.
    expect(log.filter(({ kind }) => kind === "message" || kind === "notice")).toEqual([]);
    expect(here.woken).toEqual(["c"]);
    expect(await here.standing()).toBeUndefined();
    expect((await here.store.conversations.state("c")).waiting).toBe(carried(log)[0]?.seq);
  });

  it("O22, O34: a skill is turned on, or used once, or always, and its text goes along", async () => {
    for (const [id, act, state, line] of [
      ["trips", "take", "on", "_Turned on trips · carrying on_"],
      ["notes", "use", "asked", "_Using notes · carrying on_"],
      ["notes", "always", "on", "_Turned on notes · carrying on_"],
    ] as const) {
      await using here = await stand();
      expect(await here.press(await here.offer("skill", id), act)).toBeUndefined();
      const log = await here.log();
      expect(carried(log)).toMatchObject([{ request: REQUEST, instructions: `Do ${id} in three steps.` }]);
      expect(log.find((entry) => entry.kind === "answered")).toMatchObject({ offer: "accepted", text: line });
      expect(here.catalog.items.find((item) => item.id === id)?.state).toBe(state);
    }
  });

  it("O22: what was turned on in another way meanwhile is taken at once", async () => {
    await using here = await stand();
    const offer = await here.offer("app", "mail");
    here.catalog.set("app", "mail", { state: "on" });
    expect(await here.press(offer, "take")).toBeUndefined();
    expect(carried(await here.log())).toHaveLength(1);
    expect(here.catalog.turned).toEqual([]);
  });

  it("O23, O67: what is not on by then is not carried on, and says so", async () => {
    await using here = await stand();
    const offer = await here.offer("skill", "notes");
    here.catalog.set("skill", "notes", { state: "off" });
    expect(await here.press(offer, "use")).toBe("That isn't ready yet.");
    expect(carried(await here.log())).toEqual([]);
    // Nothing was lost by that.
    here.catalog.set("skill", "notes", { state: "asked" });
    await here.press(offer, "use");
    expect(carried(await here.log())).toHaveLength(1);
  });

  it("O23: what only says that it is on is not carried on", async () => {
    await using here = await stand();
    here.catalog.script.set("mail", "only says so").set("notes", "only says so");
    await here.press(await here.offer("app", "mail", "c"), "take", "c");
    await here.offers.settled();
    expect((await here.standing("c"))?.stage).toEqual({ is: "failed", words: "That isn't ready yet." });
    expect(await here.press(await here.offer("skill", "notes", "d"), "always", "d")).toBe("That isn't ready yet.");
    expect([...carried(await here.log("c")), ...carried(await here.log("d"))]).toEqual([]);
  });

  it("O23: an app that is on and can't be reached is not on", async () => {
    await using here = await stand();
    const offer = await here.offer("app", "mail");
    here.catalog.set("app", "mail", { state: "on", trouble: "It can't be reached." });
    await here.press(offer, "take");
    expect((await atStage(here, "failed")).stage).toEqual({ is: "failed", words: "That isn't ready yet." });
    expect(carried(await here.log())).toEqual([]);
  });

  it.each([
    [{ throws: "Mail did not answer in time." }, "Mail did not answer in time."],
    [{ notYet: "Set MAIL_KEY first." }, "Set MAIL_KEY first."],
  ] as const)("O22: what does not work is said on the card and can be tried again (%j)", async (script, words) => {
    await using here = await stand();
    const offer = await here.offer("app", "mail");
    here.catalog.script.set("mail", script);
    await here.press(offer, "take");
    expect((await atStage(here, "failed")).stage).toEqual({ is: "failed", words });
    here.catalog.script.set("mail", "on");
    await here.offers.settled();
    await here.press(offer, "take");
    await here.offers.settled();
    expect(carried(await here.log())).toHaveLength(1);
  });

  it("O22: a skill that can't be turned on says why", async () => {
    await using here = await stand();
    const offer = await here.offer("skill", "trips");
    here.catalog.script.set("trips", { throws: "Its folder is gone." });
    await here.press(offer, "take");
    expect((await here.standing())?.stage).toEqual({ is: "failed", words: "Its folder is gone." });
  });

  it("O27, O28: one that hangs holds nothing up, is tried once, and can be put away meanwhile", async () => {
    await using here = await stand();
    const held = Promise.withResolvers<"on">();
    here.catalog.script.set("mail", held.promise);
    const offer = await here.offer("app", "mail");
    expect(await here.press(offer, "take")).toBe("Connecting …");
    expect((await here.standing())?.stage?.is).toBe("connecting");
    expect(await here.press(offer, "take")).toBe("It is being connected already.");
    expect(await here.press(offer, "not-now")).toBeUndefined();
    held.resolve("on");
    await here.offers.settled();
    expect(here.catalog.turned).toEqual(["app mail"]);
    expect(ends(await here.log())).toEqual(["dismissed"]);
    expect(carried(await here.log())).toEqual([]);
  });

  it("O27: two chats that wait for one app both go on, each once", async () => {
    await using here = await stand();
    const held = Promise.withResolvers<"on">();
    here.catalog.script.set("mail", held.promise);
    const [one, two] = [await here.offer("app", "mail", "c"), await here.offer("app", "mail", "d")];
    await here.press(one, "take", "c");
    await here.press(two, "take", "d");
    held.resolve("on");
    await here.offers.settled();
    expect(carried(await here.log("c"))).toHaveLength(1);
    expect(carried(await here.log("d"))).toHaveLength(1);
  });
});

describe("a sign-in", () => {
  it("O29: finished, it accepts by itself in the chat that it came from", async () => {
    await using here = await stand();
    here.catalog.script.set("mail", "sign-in");
    const offer = await here.offer("app", "mail");
    await here.offer("app", "drive", "d");
    await here.press(offer, "take");
    expect((await atStage(here, "sign-in")).stage).toMatchObject({ url: "https://login.example/mail?state=1" });
    here.catalog.signIn("mail");
    await becomes(async () => carried(await here.log()).length === 1);
    expect((await here.log()).find((entry) => entry.kind === "answered")).toMatchObject({
      by: "stage/1",
      offer: "accepted",
    });
    expect(here.woken).toEqual(["c"]);
    expect((await here.standing("d"))?.stage).toBeUndefined();
  });

  it("O29: finished before the card says that it waits, it goes on as well", async () => {
    await using here = await stand();
    const held = Promise.withResolvers<"sign-in">();
    here.catalog.script.set("mail", held.promise);
    await here.press(await here.offer("app", "mail"), "take");
    here.catalog.set("app", "mail", { state: "on" });
    held.resolve("sign-in");
    await here.offers.settled();
    expect(carried(await here.log())).toHaveLength(1);
  });

  it("O29, O27: a restart while it waits: what was signed in to meanwhile goes on, what was not has a new link", async () => {
    const catalog = toyCatalog(ITEMS);
    catalog.script.set("mail", "sign-in").set("drive", "sign-in");
    const first = await life(catalog);
    try {
      await first.press(await first.offer("app", "mail", "c"), "take", "c");
      await first.press(await first.offer("app", "drive", "d"), "take", "d");
      await atStage(first, "sign-in", "c");
      const before = await atStage(first, "sign-in", "d");
      await first[Symbol.asyncDispose]();
      // The browser came back just before the end; nobody heard of it.
      catalog.set("app", "mail", { state: "on" });
      await using second = await life(catalog, first.folder);
      await second.offers.settled();
      expect(carried(await second.log("c"))).toHaveLength(1);
      const after = await second.standing("d");
      expect(after?.id).toBe(before.id);
      expect(after?.stage).not.toEqual(before.stage);
      catalog.signIn("drive");
      await becomes(async () => carried(await second.log("d")).length === 1);
      expect(second.woken).toEqual(["c", "d"]);
    } finally {
      rmSync(first.folder, { recursive: true, force: true });
    }
  });

  it("O27: an end in the middle of connecting loses nothing: the next start goes on with it", async () => {
    const catalog = toyCatalog(ITEMS);
    catalog.script.set("mail", new Promise(() => undefined));
    const first = await life(catalog);
    try {
      await first.press(await first.offer("app", "mail"), "take");
      await first[Symbol.asyncDispose]();
      catalog.script.set("mail", "on");
      await using second = await life(catalog, first.folder);
      await second.offers.settled();
      expect(carried(await second.log())).toHaveLength(1);
    } finally {
      rmSync(first.folder, { recursive: true, force: true });
    }
  });

  it("O29: it is not carried on for whoever is the owner no more", async () => {
    const catalog = toyCatalog(ITEMS);
    catalog.script.set("mail", "sign-in");
    const first = await life(catalog);
    try {
      await first.press(await first.offer("app", "mail"), "take");
      await atStage(first, "sign-in");
      await first[Symbol.asyncDispose]();
      catalog.set("app", "mail", { state: "on" });
      await using second = await life(catalog, first.folder, false);
      await second.offers.settled();
      expect(carried(await second.log())).toEqual([]);
    } finally {
      rmSync(first.folder, { recursive: true, force: true });
    }
  });

  it("O32: a newer message ends the offer: signed in to later, it is on and nothing is carried on", async () => {
    await using here = await stand();
    here.catalog.script.set("mail", "sign-in");
    const offer = await here.offer("app", "mail");
    await here.press(offer, "take");
    await atStage(here, "sign-in");
    await closeOpen(here.store, { id: "c" }, 9);
    here.catalog.signIn("mail");
    await here.offers.settled();
    expect(await here.press(offer, "take")).toBe("The chat has moved on.");
    expect(carried(await here.log())).toEqual([]);
  });
});

describe("putting it away", () => {
  it("O30: Not now ends it, and a late press hears that it was answered", async () => {
    await using here = await stand();
    const offer = await here.offer("app", "mail");
    expect(await here.press(offer, "not-now")).toBeUndefined();
    expect((await here.log()).at(-1)).toMatchObject({ offer: "dismissed", text: "_Suggested: Mail – not now._" });
    expect(await here.press(offer, "take")).toBe("That was already answered.");
    expect([...(await readMutes(here.store.settings))]).toEqual([]);
  });

  it("O31, O13: Don't suggest mutes it everywhere, two at once both", async () => {
    await using here = await stand();
    const [one, two] = [await here.offer("app", "mail", "c"), await here.offer("skill", "trips", "d")];
    await Promise.all([here.press(one, "mute", "c"), here.press(two, "mute", "d")]);
    expect([...(await readMutes(here.store.settings))].toSorted()).toEqual(["mail", "skill:trips"]);
    expect(ends(await here.log("c"))).toEqual(["muted"]);
    await expect(here.offer("app", "mail", "e")).rejects.toThrow("muted");
  });

  it("O32: a late Don't suggest mutes nothing", async () => {
    await using here = await stand();
    const offer = await here.offer("app", "mail");
    await closeOpen(here.store, { id: "c" }, 9);
    expect(await here.press(offer, "mute")).toBe("The chat has moved on.");
    expect([...(await readMutes(here.store.settings))]).toEqual([]);
  });

  it("O32: with another chat open there by now, the press hears that the chat has moved on, and the card says so", async () => {
    await using here = await stand();
    const offer = await here.offer("app", "mail");
    await here.store.commit([
      { do: "open", id: "next", room: { ...ROOM, chat: "c" }, person: "stage/1", title: "next", at: 5 },
    ]);
    expect(await here.press(offer, "take")).toBe("The chat has moved on.");
    expect(ends(await here.log())).toEqual(["expired"]);
  });

  it("O33: Details opens and closes on the same card, whose buttons go on working", async () => {
    await using here = await stand();
    const offer = await here.offer("app", "mail");
    await here.press(offer, "details");
    expect(await here.standing()).toMatchObject({
      id: offer.id,
      options: offer.options,
      stage: { is: "details", connects: "It connects without a sign-in." },
    });
    await here.press(offer, "details");
    expect((await here.standing())?.stage).toBeUndefined();
    await Promise.all([here.press(offer, "details"), here.press(offer, "details"), here.press(offer, "take")]);
    await here.offers.settled();
    expect(carried(await here.log())).toHaveLength(1);
  });

  it("O64, O22: nobody but the owner takes anything", async () => {
    await using here = await stand();
    const offer = await here.offer("app", "mail");
    const guest: Person = { ...SAM, role: "guest" };
    expect(await here.press(offer, "take", "c", guest)).toBe("That button isn't for you.");
    expect(here.catalog.turned).toEqual([]);
  });
});

describe("at once", () => {
  it("O28, O25: taken while a reply runs, it waits its turn and then goes by itself", async () => {
    const turns: TurnInput[] = [];
    const first = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const engine: Engine = {
      ...demoEngine({ name: "demo", clock: realClock }),
      async *run(input) {
        turns.push(input);
        begun.resolve();
        if (turns.length === 1) await first.promise;
        yield { kind: "text", delta: "So it is." };
        yield { kind: "end", reason: "done" };
      },
    };
    await using bare = await bareGateway({ engine: async () => engine });
    const { store, gateway } = bare;
    const over = new AbortController();
    const catalog = toyCatalog([app("mail", { state: "on" })]);
    const offers = openOffers({
      ...{ store, catalog, queue: gateway.queue, ownerOf: () => SAM, surroundings, signal: over.signal },
    });
    const part = { kind: "text", messageId: "1", origin: { kind: "own" }, text: "Something else" } as const;
    await store.commit([
      { do: "open", id: "c", room: ROOM, person: "stage/1", title: "c", at: 1 },
      ...[
        {
          do: "append",
          conversation: "c",
          at: 1,
          body: { kind: "message", message: { from: SAM, at: 1, ids: ["1"], parts: [part] } },
        } as const,
      ],
    ]);
    gateway.queue.wake("c");
    await begun.promise;
    const offer: Offer = {
      ...{
        kind: "offer",
        id: "o",
        turn: "t",
        by: "cue",
        resume: { request: REQUEST },
        description: "",
        why: "",
        may: [],
      },
      ...{ target: { kind: "app", id: "mail", name: "Mail" }, options: [] },
    };
    await store.commit(askOffer(offer, "c", 2));
    const conversation = await store.conversations.get("c");
    if (conversation === undefined) throw new Error("There is no such chat.");
    const done = { do: "inbound-done", ids: [], outcome: "pressed" } as const;
    expect(await offers.press("o", "take", { conversation, person: SAM, done })).toBeUndefined();
    expect(carried(await store.log.read("c"))).toHaveLength(1);
    expect(turns).toHaveLength(1);
    first.resolve();
    await gateway.queue.quiet("c");
    expect(turns).toHaveLength(2);
    expect(JSON.stringify(turns[1]?.prompt)).toContain(JSON.stringify(REQUEST).slice(1, -1));
    over.abort();
    await offers.ended;
  });

  it("O27: pressed on two devices at the same moment it runs once, and the other hears it", async () => {
    await using here = await stand();
    const offer = await here.offer("app", "mail");
    here.catalog.set("app", "mail", { state: "on" });
    const heard = await Promise.all([here.press(offer, "take"), here.press(offer, "take"), here.press(offer, "take")]);
    expect(heard.filter((words) => words === "That was already answered.")).toHaveLength(2);
    expect(heard).toContain(undefined);
    expect(carried(await here.log())).toHaveLength(1);
  });

  it("O27: an end between what was claimed and the turn: the next start finds it waiting, once", async () => {
    const first = await life();
    try {
      const offer = await first.offer("skill", "trips");
      await first.press(offer, "take");
      // It was never woken: the process is gone.
      await first[Symbol.asyncDispose]();
      await using second = await life(first.catalog, first.folder);
      const [seq] = carried(await second.log()).map((entry) => entry.seq);
      expect(await second.store.conversations.unsettled()).toEqual([{ conversation: "c", waiting: seq }]);
      expect(await second.press(offer, "take")).toBe("That was already answered.");
      expect(carried(await second.log())).toHaveLength(1);
    } finally {
      rmSync(first.folder, { recursive: true, force: true });
    }
  });

  it("O27, O32: whatever is pressed, said and signed in to at once, it ends once, and is carried on only when it was taken", async () => {
    const doing = fc.constantFrom("take", "not-now", "mute", "details", "message", "sign-in", "restart", "fail");
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(doing, { minLength: 1, maxLength: 4 }), { maxLength: 5 }), async (rounds) => {
        const catalog = toyCatalog(ITEMS);
        catalog.script.set("mail", "sign-in");
        let here = await life(catalog);
        const { folder } = here;
        try {
          const offer = await here.offer("app", "mail");
          for (const round of rounds) {
            await Promise.all(
              round.map(async (what) => {
                if (what === "message") await closeOpen(here.store, { id: "c" }, 9);
                else if (what === "sign-in") catalog.signIn("mail");
                else if (what === "fail") catalog.script.set("mail", { throws: "No." });
                else if (what !== "restart") await here.press(offer, what);
              }),
            );
            if (!round.includes("restart")) continue;
            await here[Symbol.asyncDispose]();
            here = await life(catalog, folder);
          }
          await here.offers.settled();
          const log = await here.log();
          const over = ends(log);
          expect(over.length).toBeLessThanOrEqual(1);
          expect(carried(log).map(({ request }) => request)).toEqual(over[0] === "accepted" ? [REQUEST] : []);
          // Over, it is not drawn as open again.
          const last = log.findLast(({ kind }) => kind === "asked" || kind === "answered");
          expect(last?.kind).toBe(over.length === 1 ? "answered" : "asked");
          expect((await here.standing()) === undefined).toBe(over.length === 1);
        } finally {
          await here[Symbol.asyncDispose]();
          rmSync(folder, { recursive: true, force: true });
        }
      }),
      { numRuns: runs(40) },
    );
  });
});

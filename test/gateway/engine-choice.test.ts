// Which engine answers whom, and where it works.
import { expect, it } from "vitest";
import type { Conversation } from "../../src/core/conversation.ts";
import type { Engine } from "../../src/core/engine.ts";
import { demoEngine } from "../../src/engines/demo/engine.ts";
import { chooseEngines } from "../../src/gateway/engine-choice.ts";
import { People } from "../../src/gateway/people.ts";
import { realClock } from "../../src/gateway/real.ts";
import { openStore } from "../../src/store/open.ts";
import { surroundings } from "./bare.ts";
import { PLAIN_PARTS } from "./plain-parts.ts";

const conversation: Conversation = {
  id: "abcdefghijkl",
  room: { platform: "telegram", chat: "1001", kind: "private" },
  person: "telegram/1001",
  title: "x",
  openedAt: 0,
  lastAt: 0,
  archived: false,
  head: 0,
};
const guests: Conversation = { ...conversation, person: "telegram/6666", room: { ...conversation.room, chat: "6666" } };
const group: Conversation = { ...conversation, room: { platform: "telegram", chat: "-7", kind: "shared" } };
const unattended: Conversation = {
  ...conversation,
  person: "cli/owner",
  room: { platform: "cli", chat: "x", kind: "shared" },
};

/** `own` has tools of its own; `plain` has none. */
async function choice(guestEngine?: string): Promise<ReturnType<typeof chooseEngines>> {
  const store = await openStore({ folder: ":memory:", ...surroundings });
  const owner = { name: "Sam", ids: new Map([["telegram", "1001"]]) };
  const people = await People.open(store, owner, PLAIN_PARTS.access, realClock);
  const engine = async (name: string): Promise<Engine> => {
    const made = demoEngine({ name, clock: realClock });
    return { ...made, can: { ...made.can, ownTools: name === "own" } };
  };
  const parts = {
    ...{ engine, defaultEngine: "own", work: "/work-of-chats" },
    access: { ...PLAIN_PARTS.access, guestEngine },
    workOf: (name: string) => (name === "own" ? "/project" : undefined),
  };
  return chooseEngines(parts, people);
}

it("A46: each chat has a folder of its own under work; only the owner's own turns work in the folder that the config names for an engine", async () => {
  const { folder, files } = await choice();
  expect(files(conversation.id)).toBe("/work-of-chats/abcdefghijkl");
  expect(folder(conversation)).toBe("/project");
  expect(folder(unattended)).toBe("/project");
  expect(folder({ ...conversation, engine: "plain" })).toBe("/work-of-chats/abcdefghijkl");
  for (const exposed of [guests, group]) expect(folder(exposed)).toBe("/work-of-chats/abcdefghijkl");
});

it("A50, A51: guests and groups are answered by an engine without tools of its own, or told why not", async () => {
  const { engineOf } = await choice();
  expect((await engineOf(conversation)).can.ownTools).toBe(true);
  for (const exposed of [guests, group]) {
    const engine = await engineOf(exposed);
    expect(engine.can).toMatchObject({ ownTools: false, tools: false });
    const ends = await Array.fromAsync(engine.run({} as Parameters<Engine["run"]>[0]));
    expect(ends).toMatchObject([{ kind: "end", reason: "error", error: { code: "engine-not-locked" } }]);
  }
});

it("A50: guests are answered by guestEngine, whatever a chat of the owner's chose; the owner is not", async () => {
  const { engineOf } = await choice("plain");
  expect((await engineOf({ ...guests, engine: "own" })).name).toBe("plain");
  expect((await engineOf(conversation)).name).toBe("own");
});

// What a crash leaves of a turn that went on after its engine's hold time was over.
import { expect, it } from "vitest";
import { hold } from "../../src/cards/held.ts";
import type { Approval, Question } from "../../src/core/card.ts";
import type { EntryBody } from "../../src/core/conversation.ts";
import type { Person } from "../../src/core/message.ts";
import { statusIn } from "../../src/gateway/status.ts";
import type { Change } from "../../src/store/port.ts";
import { bareGateway } from "./bare.ts";

const ROOM = { platform: "stage", chat: "1", kind: "private" } as const;
const SAM: Person = { platform: "stage", id: "1", name: "Sam", role: "owner" };
const part = { kind: "text", messageId: "m", origin: { kind: "own" }, text: "Go" } as const;

const question = (id: string): Question => ({
  ...{ kind: "question", id, turn: "t", for: "stage/1", inForm: false },
  fields: [{ id: "why", label: "Why?", kind: "text", long: false }],
  options: [{ label: "Skip", key: `skip-${id}`, act: { do: "skip" } }],
});
const approval = (id: string, number: number): Approval => ({
  ...{ kind: "approval", id, number, turn: "t", tool: "buy", digest: "d", input: {}, text: "May I?" },
  options: [{ label: "Allow once", key: `once-${id}`, took: "once" }],
});

it("E28, O43, D26: what was held stays live, and what its turn still waited for is closed", async () => {
  const bodies: readonly EntryBody[] = [
    { kind: "message", message: { from: SAM, at: 1, ids: ["m"], parts: [part] } },
    { kind: "turn-started", turn: "t", engine: "demo", upTo: 1, attendance: "owner", again: false },
    { kind: "asked", card: question("held-q") },
    { kind: "asked", card: approval("held-a", 1) },
    { kind: "asked", card: question("q") },
    { kind: "asked", card: approval("a", 2) },
    { kind: "tool-start", turn: "t", call: { id: "1", name: "buy", input: {} }, effect: "act", by: "gateway" },
  ];
  await using bare = await bareGateway({
    before: async (store) =>
      await store.commit([
        { do: "open", id: "c", room: ROOM, person: "stage/1", title: "c", at: 1 },
        ...bodies.map((body): Change => ({ do: "append", conversation: "c", at: Date.now(), body })),
        hold({ conversation: "c", card: { id: "held-q" } }, 3),
        hold({ conversation: "c", card: { id: "held-a" } }, 4, "bound"),
      ]),
  });
  const { store, gateway } = bare;
  gateway.queue.wake("c");
  await gateway.queue.quiet("c");
  const entries = await store.log.read("c");
  expect(entries.slice(bodies.length)).toMatchObject([
    { kind: "answered", card: "q", given: null, text: expect.stringContaining("restarted") },
    { kind: "answered", card: "a", took: "expired", text: expect.stringContaining("restarted") },
    { kind: "turn-ended", reason: "interrupted" },
  ]);
  // It waits for a person, though nothing runs.
  expect(statusIn(entries)).toBe("awaiting-permission");
});

it("E28, G17: put away from outside, its held cards are over", async () => {
  const card = question("held-q");
  await using bare = await bareGateway({
    before: async (store) =>
      await store.commit([
        { do: "open", id: "c", room: ROOM, person: "stage/1", title: "c", at: 1 },
        { do: "append", conversation: "c", at: Date.now(), body: { kind: "asked", card } },
        hold({ conversation: "c", card }, 1),
      ]),
  });
  expect(await bare.gateway.archive("c")).toBe(true);
  expect((await bare.store.log.read("c")).at(-1)).toMatchObject({ kind: "answered", card: "held-q", by: "gateway" });
  expect([...(await bare.store.records.cursors("held/")).values()]).toEqual([""]);
});

// Presses of what is sent next: once, whole, or not at all.
import { expect, it } from "vitest";
import { keyedChips } from "../../src/cards/chips.ts";
import { viewChanges } from "../../src/cards/views.ts";
import type { PressAnswer } from "../../src/core/channel.ts";
import type { Person } from "../../src/core/message.ts";
import type { Filled } from "../../src/core/reply.ts";
import { renderDiscord } from "../../src/channels/discord/render.ts";
import { inPlatformsWords } from "../../src/gateway/command-words.ts";
import { saidBy } from "../../src/gateway/own-words.ts";
import { pressCard, type CardButton, type CardPressParts } from "../../src/gateway/card-presses.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { surroundings } from "./bare.ts";

const ROOM = { platform: "stage", chat: "1", kind: "private" } as const;
const SAM: Person = { platform: "stage", id: "1", name: "Sam *S*", role: "owner" };
const DONE = { do: "inbound-done", ids: [], outcome: "pressed" } as const;

/** A chat with an answer and two replies to send next; `seen` is what presses get of the store. */
async function stand(seen: (store: Store) => Store = (store) => store): Promise<{
  readonly store: Store;
  readonly woken: string[];
  readonly press: (
    button: CardButton,
    how?: { readonly fields?: Filled; readonly forms?: boolean; readonly person?: Person },
  ) => Promise<string | PressAnswer | undefined>;
  readonly buttons: readonly CardButton[];
  /** What was said there, by kind and words. */
  readonly said: () => Promise<readonly string[]>;
}> {
  const store = await openStore({ folder: ":memory:", ...surroundings });
  const { chips, buttons } = keyedChips(
    ["Book it", "Leave it"],
    { conversation: "c", turn: "t", part: 0 },
    surroundings.random,
  );
  await store.commit([
    { do: "open", id: "c", room: ROOM, person: "stage/1", title: "c", at: 1 },
    {
      do: "append",
      conversation: "c",
      at: 1,
      body: { kind: "text", turn: "t", part: 0, text: "Hello", chips },
      stands: true,
    },
    ...buttons,
  ]);
  const woken: string[] = [];
  const parts = {
    ...{ store: seen(store), surroundings },
    queue: { wake: (conversation: string) => void woken.push(conversation) },
  } as unknown as CardPressParts;
  return {
    ...{ store, woken },
    buttons: buttons.flatMap((change) => (change.do === "button" ? [change.button as CardButton] : [])),
    async press(button, { fields, forms = true, person = SAM } = {}) {
      const conversation = await store.conversations.get("c");
      if (conversation === undefined) throw new Error("The chat is gone.");
      const press = { key: "k", conversation, person, fields, picked: undefined, forms, done: DONE } as const;
      return await pressCard(button, press, parts);
    },
    said: async () =>
      (await store.log.read("c")).flatMap((entry) =>
        entry.kind === "message"
          ? entry.message.parts.map((part) => (part.kind === "text" ? `message ${part.origin.kind}: ${part.text}` : ""))
          : entry.kind === "notice"
            ? [`notice: ${entry.text}`]
            : [entry.kind],
      ),
  };
}

it("O47, O53: a press sends exactly the words, shows who said them, and takes all of them away, in one", async () => {
  const { press, buttons, said, woken, store } = await stand();
  expect(await press(buttons[0]!)).toBeUndefined();
  expect(await said()).toEqual(["text", "chips-gone", "message own: Book it", "notice: Sam \\*S\\*: Book it"]);
  expect(woken).toEqual(["c"]);
  expect((await store.conversations.get("c"))?.stands).toBeUndefined();
  expect(await press(buttons[1]!)).toBe("The chat has moved on.");
  expect(await said()).toHaveLength(4);
});

it("O47: what was said is shown as it is, also where it looks like markup or names a command", () => {
  const [, shown] = saidBy(SAM, "What does /help *do*? See https://x.example/new", "m", "c", 1, true);
  const text = shown?.do === "append" && shown.body.kind === "notice" ? shown.body.text : "";
  expect(inPlatformsWords(text, "/tidegate ")).toBe(text);
  const pieces = renderDiscord(text, { maxUnits: 2000, notes: [] });
  expect(pieces.map(({ plain }) => plain)).toEqual(["Sam *S*: What does /help *do*? See https://x.example/new"]);
});

it("O27, O47: of presses at once one is sent", async () => {
  const { press, buttons, said } = await stand();
  const answers = await Promise.all([press(buttons[0]!), press(buttons[1]!), press(buttons[0]!)]);
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(1);
  expect((await said()).filter((line) => line.startsWith("message"))).toHaveLength(1);
});

it("A50, O46: nothing is sent so by a guest, whose messages are counted", async () => {
  const { press, buttons, said } = await stand();
  const person: Person = { ...SAM, role: "guest" };
  const compose = { does: "compose", conversation: "c", text: "Draft" } as const;
  expect(await press(buttons[0]!, { person })).toBe("That button isn't for you.");
  expect(await press(compose, { person, fields: { text: ["Draft"] } })).toBe("That button isn't for you.");
  expect(await said()).toEqual(["text"]);
});

it("O53: a press that the disk refuses takes nothing away: tried again it is sent", async () => {
  let broken = true;
  const { press, buttons, said } = await stand((store) => ({
    ...{ log: store.log, conversations: store.conversations, records: store.records },
    ...{ inbound: store.inbound, outbox: store.outbox, settings: store.settings },
    async commit(changes, how) {
      if (broken && changes.some((change) => change.do === "append" && change.body.kind === "message"))
        throw new Error("The disk is full.");
      return await store.commit(changes, how);
    },
    [Symbol.asyncDispose]: async () => undefined,
  }));
  await expect(press(buttons[0]!)).rejects.toThrow("full");
  expect(await said()).toEqual(["text"]);
  broken = false;
  expect(await press(buttons[0]!)).toBeUndefined();
  expect(await said()).toContain("message own: Book it");
});

it("O61b: a row's next step is a form with its text; what is sent from it is a message, and an empty one is none", async () => {
  const { press, said, store } = await stand();
  const rows = [{ title: "Budget", detail: "", compose: { label: "Reply", text: "Draft a reply" } }];
  const view = { kind: "view", of: "mail", title: "Mail", rows, more: 0 } as const;
  const changes = viewChanges({ conversation: "c", turn: "t", view, at: 1 }, surroundings.random);
  const [button] = changes.flatMap((change) => (change.do === "button" ? [change.button as CardButton] : []));
  expect(await press(button!)).toMatchObject({
    form: { fields: [{ id: "text", value: "Draft a reply", optional: false }] },
  });
  expect(await press(button!, { fields: { text: [" \u200B "] } })).toBe("Nothing was written, so nothing was sent.");
  // Nothing is gone yet: nothing was said.
  expect(await said()).toEqual(["text"]);
  expect(await press(button!, { fields: { text: ["Now"] } })).toBeUndefined();
  expect(await press(button!, { fields: { text: ["Now"] } })).toBeUndefined();
  expect((await said()).filter((line) => line.startsWith("message"))).toEqual(["message own: Now", "message own: Now"]);
  // Without forms it is there to be copied.
  expect(await press(button!, { forms: false })).toBe("Draft a reply");

  await store.commit([{ do: "open", id: "d", room: ROOM, person: "stage/1", title: "d", at: 2 }]);
  expect(await press(button!)).toBe("The chat has moved on.");
  expect(await press(button!, { fields: { text: ["Late"] } })).toBe("The chat has moved on.");
});

// What stands open, step by step: of two at once one is refused and looks again, and something newer ends it.
import { expect, it } from "vitest";
import { askOffer } from "../../src/cards/offers.ts";
import { closeOpen, endOffer, openOfferIn, putAway, redrawOffer, stepOffer } from "../../src/cards/open.ts";
import type { Offer } from "../../src/core/card.ts";
import type { EntryBody } from "../../src/core/conversation.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { surroundings } from "../gateway/bare.ts";

const OFFER: Offer = {
  ...{ kind: "offer", id: "o", turn: "t", by: "assistant", resume: { request: "Any mail?" } },
  ...{ description: "", why: "", may: [], options: [{ label: "Not now", key: "k", act: "not-now" }] },
  target: { kind: "app", id: "mail", name: "M*a*il" },
};

async function newStore(): Promise<Store> {
  const store = await openStore({ folder: ":memory:", ...surroundings });
  const room = { platform: "stage", chat: "1", kind: "private" } as const;
  await store.commit([{ do: "open", id: "c", room, person: "stage/1", title: "c", at: 1 }]);
  return store;
}

const offered = async (store: Store): Promise<void> => void (await store.commit(askOffer(OFFER, "c", 2)));
const details = { is: "details", connects: "So." } as const;
const logged = async (store: Store): Promise<readonly string[]> =>
  (await store.log.read("c")).map((entry) =>
    entry.kind === "answered"
      ? `answered ${entry.offer}`
      : entry.kind === "asked" && entry.card.kind === "offer"
        ? `asked ${entry.card.stage?.is ?? "plain"}`
        : entry.kind,
  );

it("O32: a newer message ends an offer as a small line, and nothing stands open any more", async () => {
  await using store = await newStore();
  await offered(store);
  await closeOpen(store, { id: "c" }, 3);
  expect((await store.log.read("c")).at(-1)).toMatchObject({
    ...{ kind: "answered", card: "o", by: "gateway", offer: "expired" },
    text: String.raw`_Suggested: M\*a\*il – the chat has moved on._`,
  });
  expect(await openOfferIn(store, "c")).toBeUndefined();
  await closeOpen(store, { id: "c" }, 4);
  expect(await logged(store)).toEqual(["asked plain", "answered expired"]);
});

it("O32: what a command shows leaves an offer, since /apps may be about it", async () => {
  await using store = await newStore();
  await offered(store);
  await closeOpen(store, { id: "c" }, 3, "command");
  expect((await openOfferIn(store, "c"))?.offer.id).toBe("o");
});

it("O53: a message and what a command shows both take replies to send next away", async () => {
  for (const by of ["message", "command"] as const) {
    await using store = await newStore();
    const text: EntryBody = {
      kind: "text",
      turn: "t",
      part: 0,
      text: "So it is.",
      chips: [{ words: "And?", key: "k" }],
    };
    await store.commit([{ do: "append", conversation: "c", at: 2, body: text, stands: true }]);
    await closeOpen(store, { id: "c" }, 3, by);
    expect((await store.log.read("c")).at(-1)).toMatchObject({ kind: "chips-gone", text: "So it is." });
    expect((await store.conversations.get("c"))?.stands).toBeUndefined();
  }
});

it("O27: of a redrawing and an end at the same moment the end is last, and the card is not open again", async () => {
  for (const order of ["redrawn first", "ended first"]) {
    await using store = await newStore();
    await offered(store);
    const redraw = (): Promise<boolean> => stepOffer(store, "c", "o", (open) => redrawOffer(open, details, 3));
    const end = (): Promise<boolean> =>
      stepOffer(store, "c", "o", (open) => endOffer(open, putAway(open.offer, "expired"), "gateway", 3));
    // Both begin from the same entry.
    if (order === "redrawn first") {
      expect(await Promise.all([redraw(), end()])).toEqual([true, true]);
      expect(await logged(store)).toEqual(["asked plain", "asked details", "answered expired"]);
    } else {
      expect(await Promise.all([end(), redraw()])).toEqual([true, false]);
      expect(await logged(store)).toEqual(["asked plain", "answered expired"]);
    }
  }
});

it("O27, O30: of two ends at once one counts", async () => {
  await using store = await newStore();
  await offered(store);
  const end = async (is: "dismissed" | "muted"): Promise<boolean> =>
    await stepOffer(store, "c", "o", (open) => endOffer(open, putAway(open.offer, is), is, 3));
  expect(await Promise.all([end("dismissed"), end("muted")])).toEqual([true, false]);
  expect(await logged(store)).toEqual(["asked plain", "answered dismissed"]);
});

it("O32: a step of a chat that is gone, or of another card, does nothing", async () => {
  await using store = await newStore();
  await offered(store);
  expect(await stepOffer(store, "c", "other", (open) => redrawOffer(open, details, 3))).toBe(false);
  await store.conversations.delete("c");
  expect(await stepOffer(store, "c", "o", (open) => redrawOffer(open, details, 3))).toBe(false);
  await closeOpen(store, { id: "c" }, 3);
});

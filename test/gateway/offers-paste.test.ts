// The address of a sign-in that ended on another machine, sent by the person.
import { expect, it } from "vitest";
import { askOffer } from "../../src/cards/offers.ts";
import { openOfferIn, redrawOffer } from "../../src/cards/open.ts";
import type { Offer } from "../../src/core/card.ts";
import type { Inbound } from "../../src/core/channel.ts";
import { GatewayError } from "../../src/core/error.ts";
import type { Part } from "../../src/core/message.ts";
import { pasteAddress, signInAddress } from "../../src/gateway/offer-paste.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { surroundings } from "./bare.ts";

const ADDRESS = "http://127.0.0.1:4711/callback?code=secret-code&state=mail";
const ROOM = { platform: "stage", chat: "1", kind: "private" } as const;

type Message = Extract<Inbound, { kind: "message" }>;
const own = (text: string, origin: Part["origin"] = { kind: "own" }): Part => ({
  kind: "text",
  messageId: "1",
  origin,
  text,
});
const message = (parts: readonly Part[], more: Partial<Message> = {}): Message => ({
  ...{ kind: "message", room: ROOM, at: 0, messageId: "1", addressed: true, parts },
  from: { id: "1", name: "Sam", bot: false },
  ...more,
});

it("O29: only a message that is nothing but such an address counts, in the person's own words", () => {
  expect(signInAddress(message([own(ADDRESS)]))).toBe(ADDRESS);
  expect(signInAddress(message([own(`  ${ADDRESS}\n`)]))).toBe(ADDRESS);
  expect(signInAddress(message([own("http://127.0.0.1:1/callback?error=access_denied&state=x")]))).toBeDefined();
  for (const words of [
    `Here: ${ADDRESS}`,
    ADDRESS.replace("http:", "https:"),
    ADDRESS.replace("127.0.0.1", "localhost"),
    ADDRESS.replace("127.0.0.1", "127.0.0.1.evil.example"),
    "http://127.0.0.1:4711/callback?code=x",
    "http://127.0.0.1:4711/callback",
    `${ADDRESS}${"x".repeat(8_000)}`,
    "",
  ])
    expect(signInAddress(message([own(words)]))).toBeUndefined();
  const forwarded = { kind: "forwarded", as: "user", from: "Ana" } as const;
  expect(signInAddress(message([own(ADDRESS, forwarded)]))).toBeUndefined();
  expect(
    signInAddress(message([own(ADDRESS), own("see", { kind: "quoted", from: "Ana", ours: false })])),
  ).toBeUndefined();
  expect(signInAddress(message([own(ADDRESS)], { command: { name: "help", args: "" } }))).toBeUndefined();
});

async function stand(): Promise<{ readonly store: Store; readonly row: number } & AsyncDisposable> {
  const store = await openStore({ folder: ":memory:", ...surroundings });
  await store.commit([{ do: "open", id: "c", room: ROOM, person: "stage/1", title: "c", at: 1 }]);
  const [row] = await store.inbound.keep("stage", [{ key: "1", raw: { text: ADDRESS } }], 1);
  return { store, row: row?.id ?? 0, [Symbol.asyncDispose]: async () => await store[Symbol.asyncDispose]() };
}
const notices = async (store: Store): Promise<readonly string[]> =>
  (await store.log.read("c")).flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []));

it("O29: it finishes the sign-in, says so, and nothing of the address is kept", async () => {
  await using here = await stand();
  const finished: string[] = [];
  const finishSignIn = async (address: string): Promise<string> => {
    finished.push(address);
    return "mail";
  };
  expect(await pasteAddress(ADDRESS, { id: "c" }, here.row, { store: here.store, finishSignIn, surroundings })).toBe(
    true,
  );
  expect(finished).toEqual([ADDRESS]);
  expect(await notices(here.store)).toEqual(["Signed in."]);
  expect(await here.store.inbound.pending("stage")).toEqual([]);
  expect(JSON.stringify(await here.store.log.page(0, 100))).not.toContain("secret-code");
});

it("O29: what the service refuses is said in words, and the address goes as well", async () => {
  await using here = await stand();
  const finishSignIn = async (): Promise<string> => {
    throw new GatewayError("app-failed", "Mail refused the sign-in.", { hint: "Try again." });
  };
  expect(await pasteAddress(ADDRESS, { id: "c" }, here.row, { store: here.store, finishSignIn, surroundings })).toBe(
    true,
  );
  expect(await notices(here.store)).toEqual(["Mail refused the sign-in. Try again."]);
  expect(await here.store.inbound.pending("stage")).toEqual([]);
});

it("O29: where no sign-in waits it is a message like any other, unless a card still waits for one", async () => {
  await using here = await stand();
  const { store, row } = here;
  const finishSignIn = async (): Promise<undefined> => undefined;
  expect(await pasteAddress(ADDRESS, { id: "c" }, row, { store, finishSignIn, surroundings })).toBe(false);
  expect(await store.inbound.pending("stage")).toHaveLength(1);
  const offer: Offer = {
    ...{ kind: "offer", id: "o", turn: "t", by: "assistant", resume: { request: "Any mail?" } },
    ...{ description: "", why: "", may: [], options: [], target: { kind: "app", id: "mail", name: "Mail" } },
  };
  await store.commit(askOffer(offer, "c", 2));
  const open = await openOfferIn(store, "c");
  await store.commit(redrawOffer(open!, { is: "sign-in", url: "https://login.example/" }, 3));
  expect(await pasteAddress(ADDRESS, { id: "c" }, row, { store, finishSignIn, surroundings })).toBe(true);
  expect((await notices(store))[0]).toContain("New link");
  expect(await store.inbound.pending("stage")).toEqual([]);
});

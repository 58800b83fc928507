// Attacks on what may be seen: what the asking chat says must change nothing of what the others give.
import { describe, expect, it } from "vitest";
import { chatsOf, filledIndex, type Told } from "./filled-index.ts";

/** What the search gives without the asking chat, and with it left out. */
async function both(others: readonly Told[], asking: readonly string[], query: string, max = 8) {
  const alone = await filledIndex(others);
  const beside = await filledIndex([...others, ...asking.map((text) => ({ chat: "asking", text }))]);
  return { alone: alone(query, {}, max), beside: beside(query, { except: "asking" }, max) };
}

const many = (count: number, of: (nth: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, nth) => of(nth));

const letters = "abcdefghijklmnopqrstuvwxyz";

describe("the asking chat", () => {
  it("P5: that misspells a word often hides nothing", async () => {
    const { alone, beside } = await both(
      [{ chat: "a", text: "the harbour" }],
      many(70, () => "hzrbour"),
      "hzrbour",
    );
    expect(chatsOf(alone)).toEqual(["a"]);
    expect(chatsOf(beside)).toEqual(["a"]);
  });

  it("P5: that has many near spellings crowds out none", async () => {
    const near = many(12, (nth) => `har${letters.charAt(nth + 10)}our`);
    const { alone, beside } = await both([{ chat: "a", text: "harbour" }], [...near, ...near, ...near], "haraour");
    expect(chatsOf(alone)).toEqual(["a"]);
    expect(chatsOf(beside)).toEqual(["a"]);
  });

  it("P5: that has many longer words crowds out none", async () => {
    const longer = many(14, (nth) => `lant${letters.charAt(nth)}zzz`);
    const { alone, beside } = await both([{ chat: "a", text: "lanternlight" }], [...longer, ...longer], "lant");
    expect(chatsOf(alone)).toEqual(["a"]);
    expect(chatsOf(beside)).toEqual(["a"]);
  });

  it("P5, G48: that has many pairs of a character crowds out none", async () => {
    const pairs = many(45, (nth) => `猫${String.fromCharCode(0x4e00 + nth)}`);
    const { alone, beside } = await both([{ chat: "a", text: "猫穂" }], [...pairs, ...pairs], "猫");
    expect(chatsOf(alone)).toEqual(["a"]);
    expect(chatsOf(beside)).toEqual(["a"]);
  });

  it("P5: that uses a word often changes no order of two-word answers", async () => {
    const others = [
      { chat: "a", text: "harbour harbour" },
      { chat: "b", text: "lights lights" },
      ...many(6, (nth) => `evening ${nth}`).map((text) => ({ chat: "c", text })),
    ];
    const { alone, beside } = await both(
      others,
      many(300, () => "lights"),
      "harbour lights",
    );
    expect(chatsOf(beside)).toEqual(chatsOf(alone));
  });
});

describe("match", () => {
  it("P38: is of the chats that are given", async () => {
    const find = await filledIndex([
      { chat: "exact", who: "step", text: `${"filler words go on ".repeat(70)} invoice`, day: 0 },
      { chat: "close", text: "invoices invoices invoices", day: 400 },
    ]);
    const one = find("invoice", {}, 1);
    const two = find("invoice", {}, 2);
    expect(chatsOf(two)).toEqual(["close", "exact"]);
    expect([one.match, two.match]).toEqual(["close", "exact"]);
  });
});

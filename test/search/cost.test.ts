// Attacks on the cost of an answer, by counting.
import { expect, it } from "vitest";
import { searchAnswer, type PastChat } from "../../src/search/answer.ts";
import { litRanges, type Spot } from "../../src/search/match.ts";
import { secretsIn } from "../../src/taint/shapes.ts";

it("P9, P28, P39: what a hostile forward costs is in proportion to its text", () => {
  const lead = `<|im_start|> ${"sk-".repeat(300)} `;
  const text = `${lead}${"walrus ".repeat(64)}`;
  const lit = Array.from({ length: 64 }, (_, nth) => {
    const start = lead.length + nth * 7;
    return { start, end: start + 6 };
  });
  const chat: PastChat = {
    conversation: {
      ...{ id: "c", room: { platform: "telegram", chat: "1", kind: "private" }, person: "telegram/1001", title: "t" },
      ...{ openedAt: 1, lastAt: 1, archived: false, head: 1 },
    },
    marks: [{ kind: "person", label: "Bo", source: "telegram/8" }],
  };
  let looked = 0;
  const find = secretsIn([]);
  const counting = (given: string): ReturnType<typeof find> => {
    looked += given.length;
    return find(given);
  };
  const hits = [{ chat: "c", line: 1, who: "them" as const, at: 1, text, lit }];
  searchAnswer("walrus", { match: "exact", chats: [{ ...chat, hits }], more: false }, counting);
  expect(looked).toBeLessThan(20 * text.length);
});

it("P2: lighting a long text costs in proportion to what is lit", () => {
  const count = 2000;
  let read = 0;
  const spots = Array.from({ length: count }, (_, nth): Spot => ({
    ...{ wanted: 0, first: nth, last: nth, start: nth * 3, end: nth * 3 + 2 },
    get quality() {
      read += 1;
      return 1;
    },
  }));
  expect(litRanges("aa ".repeat(count), spots)).toHaveLength(count);
  expect(read).toBeLessThan(100 * count);
});

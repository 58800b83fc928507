import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphemeStart } from "../../src/core/text.ts";
import { runs } from "../deep.ts";
import { chatsOf, filledIndex, litOf, type Told } from "./filled-index.ts";

/** A chat's id, what is said in it, a query that finds it exactly, and what is lit then. */
const SCRIPTS: readonly (readonly [id: string, text: string, query: string, lit: readonly string[]])[] = [
  ["english", "We booked the venue for the 12th", "VENUE booked", ["booked", "venue"]],
  ["french", "Le café du théâtre ferme à minuit", "cafe theatre", ["café", "théâtre"]],
  ["decomposed", "Re\u0301sume\u0301 attached", "résumé", ["Re\u0301sume\u0301"]],
  ["german", "Die Schlüssel liegen in der Hauptstraße", "hauptstrasse SCHLÜSSEL", ["Schlüssel", "Hauptstraße"]],
  ["turkish", "İstanbul'da yağmur vardı", "istanbul yagmur", ["İstanbul", "yağmur"]],
  ["russian", "Ёлка стоит на площади", "елка ПЛОЩАДИ", ["Ёлка", "площади"]],
  ["greek", "Το εισιτήριο είναι στο συρτάρι μας", "ΕΙΣΙΤΗΡΙΟ συρταρι", ["εισιτήριο", "συρτάρι"]],
  ["hindi", "कल डॉक्टर से मिलना ज़रूरी है", "डॉक्टर जरूरी", ["डॉक्टर", "ज़रूरी"]],
  ["arabic", "ذَهَبْتُ إِلَى المَكْتَبَةِ أمس", "ذهبت المكتبة", ["ذَهَبْتُ", "المَكْتَبَةِ"]],
  ["hebrew", "שָׁלוֹם, הפגישה בצה״ל מחר", "שלום הפגישה", ["שָׁלוֹם", "הפגישה"]],
  ["chinese", "明天我们去公园散步，好吗", "公园散步", ["公园散步"]],
  ["japanese", "昨日カレーを食べました。ﾋﾞｰﾙも", "カレーを食べ ビール", ["カレーを食べ", "ﾋﾞｰﾙ"]],
  ["korean", "다음 주 회의실을 예약했어요", "회의실 예약", ["회의실", "예약"]],
  ["thai", "พรุ่งนี้ไปร้านกาแฟกันไหม", "ร้านกาแฟ", ["ร้านกาแฟ"]],
  ["lao", "ມື້ອື່ນພວກເຮົາໄປຕະຫຼາດ", "ຕະຫຼາດ", ["ຕະຫຼາດ"]],
  ["khmer", "ថ្ងៃស្អែកយើងទៅផ្សារ", "ផ្សារ", ["ផ្សារ"]],
  ["burmese", "မနက်ဖြန် ဈေးသွားမယ်", "ဈေးသွား", ["ဈေးသွား"]],
  ["symbol", "Passed the exam 🎉 at last", "🎉", ["🎉"]],
  ["id", "Please pay INV-2024 soon", "inv-2024", ["INV-2024"]],
  ["wide", "ＯＲＤＥＲ ７７４１ shipped", "order 7741", ["ＯＲＤＥＲ", "７７４１"]],
];

const scripts = SCRIPTS.map(([chat, text]) => ({ chat, text }));

describe("every script", () => {
  it.each(SCRIPTS)("P2, P7, G48: %s", async (id, _text, query, lit) => {
    const find = await filledIndex(scripts);
    const found = find(query);
    expect(found.match).toBe("exact");
    expect(chatsOf(found)[0]).toBe(id);
    expect(litOf(found)).toEqual(lit);
  });

  it("P2, G48: one character is enough where scripts have no spaces, wherever it stands", async () => {
    const find = await filledIndex([
      { chat: "start", text: "猫が好き" },
      { chat: "end", text: "白い猫" },
      { chat: "alone", text: "猫" },
    ]);
    expect(chatsOf(find("猫")).toSorted()).toEqual(["alone", "end", "start"]);
    expect(litOf(find("猫"))).toEqual(["猫"]);
    expect(find("猫").match).toBe("exact");
  });

  it("P2: characters must stand together, not only their pairs", async () => {
    const find = await filledIndex([
      { chat: "pairs", text: "東京は京都と違う、都民" },
      { chat: "whole", text: "昔の東京都民" },
    ]);
    const found = find("東京都民");
    expect(found.match).toBe("exact");
    expect(chatsOf(found)[0]).toBe("whole");
    const apart = await filledIndex([{ chat: "pairs", text: "東京は京都と違う、都民" }]);
    expect(apart("東京都民").match).toBe("close");
  });

  it("P2: of a long run without spaces, most of it is found as close", async () => {
    const find = await filledIndex(scripts);
    const found = find("明天去公园散步");
    expect(found.match).toBe("close");
    expect(chatsOf(found)).toEqual(["chinese"]);
  });
});

describe("exact, close or none", () => {
  const told: readonly Told[] = [
    { chat: "venue", text: "The venue costs 400 for the evening" },
    { chat: "plan", text: "We planned the meetings for spring" },
    { chat: "mail", text: "I sent the e-mail twice" },
    { chat: "board", text: "The blackboard is dirty" },
    { chat: "paid", text: "Somebody paid the electrician" },
  ];

  it.each([
    ["a letter wrong", "vnue", "venue", ["venue"]],
    ["two wrong in a long word", "elctricain", "paid", ["electrician"]],
    ["another form", "meeting", "plan", ["meetings"]],
    ["a form of its own", "pay electrician", "paid", ["paid", "electrician"]],
    ["the start of a word", "elec", "paid", ["electrician"]],
    ["marks left out", "email", "mail", ["e-mail"]],
    ["two words for one", "black board", "board", ["blackboard"]],
    ["a typo beside a word spelt right", "vneue evening", "venue", ["venue", "evening"]],
  ])("P2: %s is close", async (_what, query, chat, lit) => {
    const find = await filledIndex(told);
    const found = find(query);
    expect(found.match).toBe("close");
    expect(chatsOf(found)[0]).toBe(chat);
    expect(litOf(found)).toEqual(lit);
  });

  it("P2: nothing like it is none, and so is a query of which only its commonest word stands somewhere", async () => {
    const filler = Array.from({ length: 200 }, (_, nth) => ({ chat: `c${nth}`, text: `the number of ${nth}` }));
    const find = await filledIndex([...told, ...filler]);
    expect(find("zxqvkj")).toEqual({ match: "none", chats: [] });
    expect(find("the zxqvkj")).toEqual({ match: "none", chats: [] });
    expect(find("the zxqvkj of wqkzxv")).toEqual({ match: "none", chats: [] });
  });

  it("P2: words spread over the messages of a chat are close, and both are shown", async () => {
    const find = await filledIndex([
      { chat: "other", text: "The wedding cake" },
      { chat: "spread", text: "About the wedding" },
      { chat: "spread", text: "Let us see" },
      { chat: "spread", text: "Which caterer is cheap?" },
      { chat: "further", text: "No cake" },
    ]);
    const found = find("wedding caterer");
    expect(found.match).toBe("close");
    expect(found.chats[0]?.chat).toBe("spread");
    expect(found.chats[0]?.hits.map((hit) => hit.text).toSorted()).toEqual([
      "About the wedding",
      "Which caterer is cheap?",
    ]);
  });

  it("P2: the chat that holds all the words between its messages comes first, however old they are", async () => {
    const find = await filledIndex([
      { chat: "spread", text: "About the wedding" },
      { chat: "spread", text: "Which caterer is cheap?" },
      ...Array.from({ length: 100 }, (_, nth) => ({ chat: `w${nth}`, text: `Their wedding, part ${nth}` })),
      ...Array.from({ length: 5 }, (_, nth) => ({ chat: `k${nth}`, text: `A caterer for ${nth} people` })),
    ]);
    expect(chatsOf(find("wedding caterer"))[0]).toBe("spread");
    expect(chatsOf(find("wedding caterer", { except: "spread" }))[0]).not.toBe("spread");
  });

  it("P2, G48: a quoted phrase must stand as it is", async () => {
    const find = await filledIndex([
      { chat: "apart", text: "york is not new" },
      { chat: "turned", text: "york new" },
      { chat: "phrase", text: "I love New York in spring" },
      { chat: "longer", text: "New Yorkers" },
    ]);
    const found = find('"new york"');
    expect(found.match).toBe("exact");
    expect(chatsOf(found)).toEqual(["phrase"]);
    expect(chatsOf(find("“new york” love"))).toEqual(["phrase"]);
    expect(find('"york spring"').match).toBe("none");
    expect(find('"new yrok"').match).toBe("none");
    expect(chatsOf(find('"new york')).length).toBeGreaterThan(1);
  });
});

describe("long queries", () => {
  it("P2: of many words, all are looked for", async () => {
    const letters = Array.from("abcdefghijklmnopqrst");
    const words = letters.map((letter) => `${letter}${letter}word`);
    const find = await filledIndex([
      { chat: "all", text: words.join(" ") },
      { chat: "fewer", text: words.slice(0, 15).join(" ") },
    ]);
    const found = find(words.join(" "));
    expect(found.match).toBe("exact");
    expect(chatsOf(found)).toEqual(["all", "fewer"]);
    expect(find(`${words.slice(0, 15).join(" ")} zzword`).match).toBe("close");
  });
});

describe("order", () => {
  const order = async (query: string, told: readonly Told[]): Promise<readonly string[]> =>
    chatsOf((await filledIndex(told))(query));

  it("P2: whole words before longer ones", async () => {
    expect(
      await order("plan", [
        { chat: "whole", text: "the plan" },
        { chat: "longer", text: "the planet" },
      ]),
    ).toEqual(["whole", "longer"]);
  });

  it("P2: words side by side before words apart", async () => {
    const apart = "red is the colour that my neighbour and his wife chose for their car";
    const beside = "is the colour that my neighbour and his wife chose for their red car";
    expect(
      await order("red car", [
        { chat: "beside", text: beside, day: 0 },
        { chat: "apart", text: apart, day: 0 },
      ]),
    ).toEqual(["beside", "apart"]);
  });

  it("P2: all the words before some, the rarer word before the commoner", async () => {
    const filler = Array.from({ length: 30 }, (_, nth) => ({
      chat: "filler",
      text: `ticket ${nth}`,
      who: "step" as const,
    }));
    const told = [
      ...filler,
      { chat: "both", text: "lisbon ticket" },
      { chat: "rare", text: "lisbon" },
      { chat: "common", text: "ticket" },
    ];
    const found = await order("lisbon ticket", told);
    expect(found[0]).toBe("both");
    const some = (await filledIndex(told.filter(({ chat }) => chat !== "both")))("lisbon ticket");
    expect(some.match).toBe("close");
    expect(chatsOf(some)[0]).toBe("rare");
  });

  it("P2: one's own words before other people's, the assistant's, and what was done", async () => {
    const whose = (["step", "you", "assistant", "them"] as const).map((who) => ({
      chat: who,
      who,
      text: "harbour",
      day: 0,
    }));
    expect(await order("harbour", whose)).toEqual(["you", "them", "assistant", "step"]);
  });

  it("P2: the newer of equal ones, but an old exact hit before a new inexact one", async () => {
    expect(
      await order("harbour", [
        { chat: "new", text: "harbour", day: 9 },
        { chat: "old", text: "harbour", day: 1 },
      ]),
    ).toEqual(["new", "old"]);
    const told = [
      { chat: "old", text: "harbour", day: 0 },
      { chat: "new", text: "harbours", day: 900 },
    ];
    expect(await order("harbour", told)).toEqual(["old", "new"]);
  });

  it("P2: a clock that went back changes nothing but the order of the equal", async () => {
    const told = [
      { chat: "a", text: "harbour", day: 9 },
      { chat: "b", text: "harbour", day: -9_000 },
    ];
    expect(await order("harbour", told)).toEqual(["a", "b"]);
  });

  it("P7, P8: at most as many chats as wanted with three hits each, one for a long line", async () => {
    const told = Array.from({ length: 60 }, (_, nth) => ({ chat: `c${nth % 12}`, text: `harbour ${nth}` }));
    const find = await filledIndex(told);
    expect(find("harbour").chats).toHaveLength(8);
    expect(find("harbour", {}, 2).chats).toHaveLength(2);
    expect(find("harbour").chats.every(({ hits }) => hits.length === 3)).toBe(true);
    const long = await filledIndex([1, 2, 3].map((part) => ({ chat: "c", line: 7, text: `harbour part ${part}` })));
    expect(long("harbour").chats[0]?.hits).toHaveLength(1);
  });
});

describe("scope", () => {
  it("P5: the asking chat is left out before anything is limited", async () => {
    const own = Array.from({ length: 700 }, (_, nth) => ({ chat: "asking", text: `harbour lights ${nth}` }));
    const find = await filledIndex([{ chat: "other", text: "harbour lights" }, ...own]);
    for (const query of ["harbour", "harbour lights", "harbuor lights", '"harbour lights"']) {
      expect(chatsOf(find(query, { except: "asking" }))).toEqual(["other"]);
    }
    expect(chatsOf(find("harbour"))).toContain("asking");
    expect(chatsOf(find("harbour", { except: "no such chat" }))).toContain("asking");
  });

  it("P5: what the asking chat says changes nothing of what a word finds, and is never in the answer", async () => {
    const word = fc.constantFrom("harbour", "lights", "evening", "boat", "boats", "harbor", "猫", "黒猫");
    const others = Array.from({ length: 12 }, (_, nth) => ({
      chat: `c${nth}`,
      text: ["harbour", "lights", "evening 白猫", "boats"].slice(0, 1 + (nth % 4)).join(" "),
    }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(word, { minLength: 1, maxLength: 5 }), { maxLength: 5 }),
        fc.array(word, { minLength: 1, maxLength: 3 }),
        async (said, query) => {
          const alone = await filledIndex(others);
          const beside = await filledIndex([
            ...others,
            ...said.map((text) => ({ chat: "asking", text: text.join(" ") })),
          ]);
          const [one = "harbour"] = query;
          expect(beside(one, { except: "asking" })).toEqual(alone(one, { except: "asking" }));
          expect(chatsOf(beside(query.join(" "), { except: "asking" }))).not.toContain("asking");
        },
      ),
      { numRuns: runs(60) },
    );
  });
});

describe("what can't be looked for", () => {
  it.each(["", "   ", "?!", '""', "\u0301".repeat(200), "\ud800", "\u200b", "* ^ : ( )", "{}[]-+~"])(
    "P4, P13: %j is nothing",
    async (query) => {
      const find = await filledIndex(scripts);
      expect(() => find(query)).toThrow(
        expect.objectContaining({ code: "bad-request", message: expect.stringContaining("nothing in that") }),
      );
    },
  );

  it("P4, P13: one letter is too short, two are not, and 201 characters too long", async () => {
    const find = await filledIndex(scripts);
    expect(() => find("a")).toThrow(
      expect.objectContaining({ code: "bad-request", message: expect.stringContaining("too short") }),
    );
    expect(() => find(" é! ")).toThrow(expect.objectContaining({ message: expect.stringContaining("too short") }));
    expect(() => find("x".repeat(201))).toThrow(
      expect.objectContaining({ message: expect.stringContaining("too long") }),
    );
    expect(find("we").match).toBe("exact");
    expect(find("x".repeat(200)).match).toBe("none");
    expect(find("𠮷".repeat(200)).match).toBe("none");
  });

  it.each([
    "NEAR(venue booked, 2)",
    "venue AND booked",
    "venue NOT booked",
    "tokens:venue",
    "venue*",
    "^venue",
    '"venue',
    'venue"booked"',
    "venue'; DROP TABLE passage; --",
    "{tokens}: venue",
    "venue\0booked",
  ])("P13: %j is read as words", async (query) => {
    const find = await filledIndex(scripts);
    expect(chatsOf(find(query))[0]).toBe("english");
  });
});

describe("properties", () => {
  const letters = fc.constantFrom(...Array.from("aeinrst éßıЖя猫京ก็ข한글🎉👩‍💻\u0301\u200d'\"-_.*()0123"));
  const text = fc.oneof(fc.string({ unit: letters, maxLength: 60 }), fc.string({ unit: "binary", maxLength: 40 }));

  it("P2, P4: any query is answered or refused in words; lit ranges are in order, apart, and end where characters do", async () => {
    const told = fc.array(fc.record({ chat: fc.constantFrom("a", "b", "c"), text }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(told, fc.array(text, { maxLength: 4 }), async (all, queries) => {
        const find = await filledIndex(all);
        for (const query of [...queries, ...all.map((one) => one.text.slice(0, 60))]) {
          const found = answer(() => find(query));
          expect(found).toEqual(answer(() => find(query)));
          if (found === undefined) continue;
          expect(found.match === "none").toBe(found.chats.length === 0);
          for (const { chat, hits } of found.chats) {
            expect(hits.length).toBeGreaterThan(0);
            for (const hit of hits) {
              expect(hit.chat).toBe(chat);
              expect(hit.lit.length).toBeGreaterThan(0);
              let before = -1;
              for (const { start, end } of hit.lit) {
                expect(start).toBeGreaterThan(before);
                expect(end).toBeGreaterThan(start);
                expect(end).toBeLessThanOrEqual(hit.text.length);
                expect(graphemeStart(hit.text, start)).toBe(start);
                expect(graphemeStart(hit.text, end)).toBe(end);
                before = end;
              }
            }
          }
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it("P2: a message is found by its own words, exactly", async () => {
    const sentence = fc.string({ unit: letters, minLength: 2, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(sentence, { minLength: 1, maxLength: 8 }), async (texts) => {
        const find = await filledIndex(texts.map((said, nth) => ({ chat: `c${nth}`, text: said })));
        for (const [nth, said] of texts.entries()) {
          const found = answer(() => find(said.replaceAll('"', " ")));
          if (found === undefined) continue;
          expect(found.match).toBe("exact");
          expect(chatsOf(found)).toContain(`c${nth}`);
        }
      }),
      { numRuns: runs(60) },
    );
  });
});

/** What a search gives; undefined when it refused the query. Whatever else is thrown is thrown on. */
function answer<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "bad-request") return undefined;
    throw thrown;
  }
}

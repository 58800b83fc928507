// What a model is told when an offer was taken: that the thing is there, and the request in the person's own words.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Entry, EntryBody } from "../../src/core/conversation.ts";
import type { Person } from "../../src/core/message.ts";
import { replyFor } from "../../src/gateway/replies.ts";
import { attendanceOf, told } from "../../src/turn/input.ts";

const SAM: Person = { platform: "stage", id: "1", name: "Sam", role: "owner" };
const ANA: Person = { platform: "stage", id: "2", name: "Ana", role: "guest" };
const MAIL = { kind: "app", id: "mail", name: "Mail" } as const;
const TRIPS = { kind: "skill", id: "trips", name: "trips" } as const;

const log = (...bodies: readonly EntryBody[]): readonly Entry[] =>
  bodies.map((body, index) => ({ ...body, conversation: "c", seq: index + 1, at: 0 }));
const said = (id: string, text: string, from = SAM): EntryBody => ({
  kind: "message",
  message: { from, at: 0, ids: [id], parts: [{ kind: "text", messageId: id, origin: { kind: "own" }, text }] },
});
const started = (turn: string, upTo: number, again = false): EntryBody => {
  return { kind: "turn-started", turn, engine: "e", upTo, attendance: "owner", again };
};
const answer = (turn: string, text: string): EntryBody => ({ kind: "text", turn, part: 0, text });
const end = (turn: string): EntryBody => ({ kind: "turn-ended", turn, reason: "done" });
const carriedOn = (
  request: string,
  target: Extract<EntryBody, { kind: "carried-on" }>["target"] = MAIL,
  instructions?: string,
): EntryBody => {
  return { kind: "carried-on", from: SAM, target, request, ...(instructions === undefined ? {} : { instructions }) };
};
const promptOf = (entries: readonly Entry[]): string =>
  told(entries)
    .prompt.map((part) => (part.kind === "text" ? part.text : ""))
    .join("\n");

const before = [said("1", "Any mail?"), started("a", 1), answer("a", "I can't see it."), end("a")];

it("O25: a turn is told that the app is there, and the request again; both stay in what it is told later", () => {
  const entries = log(...before, carriedOn("Any mail?"), started("b", 5));
  expect(promptOf(entries)).toBe(
    "[Tidegate: the app “Mail” was offered and is connected now; its tools are here. Carry on with what the person asked:]\nAny mail?",
  );
  const later = log(
    ...before,
    carriedOn("Any mail?"),
    started("b", 5),
    answer("b", "None."),
    end("b"),
    said("2", "Ok"),
    started("c", 9),
  );
  expect(told(later).history.at(-2)).toMatchObject({ role: "user", parts: [{ text: promptOf(entries) }] });
});

it("O34: a skill's text goes along before the request", () => {
  const prompt = promptOf(log(...before, carriedOn("Any trips?", TRIPS, "One, two, three."), started("b", 5)));
  expect(prompt).toMatch(
    /skill “trips”.*\n\nOne, two, three\.\n\n.*Carry on with what the person asked:\]\nAny trips\?$/su,
  );
});

it("O67, O21: the request stands there character for character, and nothing that the assistant said of it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (request) => {
      const entries = log(...before, carriedOn(request), started("b", 5));
      const { words } = told(entries);
      expect(promptOf(entries).endsWith(`:]\n${request}`)).toBe(true);
      expect(promptOf(entries)).not.toContain("I can't see it");
      // What could be offered in that turn goes on with the same words.
      expect(words).toBe(request);
    }),
  );
});

it("O17, O25: the owner's own press is attended; together with a guest's message it is not", () => {
  expect(attendanceOf(log(...before, carriedOn("Any mail?")), 5)).toBe("owner");
  expect(attendanceOf(log(...before, carriedOn("Any mail?"), said("3", "Hi", ANA)), 6)).toBe("guest");
});

it("O27: a second try of its turn is told the same", () => {
  const once = log(...before, carriedOn("Any mail?"), started("b", 5));
  const again = log(...before, carriedOn("Any mail?"), started("b", 5), started("b", 5, true));
  expect(promptOf(again)).toBe(promptOf(once));
});

it("O26: it shows nothing by itself", () => {
  const [entry] = log(carriedOn("Any mail?"));
  expect(replyFor(entry!, { room: { platform: "stage", chat: "1", kind: "private" } })).toBeUndefined();
});

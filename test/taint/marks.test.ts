import { describe, expect, test } from "vitest";
import type { Message, Origin, Part, Person } from "../../src/core/message.ts";
import { lookMark, marksOf, newMarks, personMark, sharedMark, type Quoted } from "../../src/taint/marks.ts";
import { ATTACKS } from "../injection/corpus.ts";
import { ANA, MAIL } from "./standings.ts";

const SAM: Person = { platform: "telegram", id: "1", name: "Sam", role: "owner" };
const own: Origin = { kind: "own" };
const nowhere: Quoted = () => undefined;
const text = (origin: Origin = own, words = "hi"): Part => ({ kind: "text", messageId: "1", origin, text: words });
const from = (more: Partial<Extract<Origin, { kind: "forwarded" }>> = {}): Origin => ({
  kind: "forwarded",
  as: "user",
  from: "Ana",
  id: "2",
  ...more,
});
const quote = (more: Partial<Extract<Origin, { kind: "quoted" }>> = {}): Extract<Origin, { kind: "quoted" }> => ({
  kind: "quoted",
  from: "Ana",
  id: "2",
  ours: false,
  ...more,
});
type File = Extract<Part, { kind: "file" }>["file"];
const file = (origin: Origin = own, more: Partial<File> = {}): Part => ({
  kind: "file",
  messageId: "1",
  origin,
  file: { kind: "document", name: "a.pdf", mediaType: "application/pdf", handle: "h", path: "/w/a.pdf", ...more },
});
const unfetched: Part = {
  kind: "file",
  messageId: "1",
  origin: own,
  file: { kind: "document", name: "a.pdf", mediaType: "application/pdf", handle: "h", problem: "too large" },
};
const marks = (parts: readonly Part[], quoted: Quoted = nowhere, who: Person = SAM): ReturnType<typeof marksOf> =>
  marksOf({ from: who, parts } satisfies Pick<Message, "from" | "parts">, quoted);

test("the owner's own words mark nothing", () => {
  expect(marks([text(), text(own, "forwarded from Ana")])).toEqual([]);
});

describe("A23: a forward", () => {
  test.each([
    ["of a person", from(), "telegram/2"],
    ["of someone hidden", { kind: "forwarded", as: "hidden-user", from: "Ana" }, "telegram/?Ana"],
    ["of a group", from({ as: "chat", id: "-5" }), "telegram/-5"],
    ["of a channel", from({ as: "channel", id: "-9" }), "telegram/-9"],
    ["of the owner's own", from({ from: "Sam", id: "1" }), "telegram/1"],
  ] as const)("%s marks by whose it is", (_, origin, source) => {
    const label = `${origin.kind === "forwarded" ? origin.from : ""} on Telegram`;
    expect(marks([text(origin)])).toEqual([{ kind: "person", label, source }]);
  });

  test("marks for each part on its own, and a batch takes the union", () => {
    const other = from({ from: "Bo", id: "3" });
    const found = marks([text(), text(from()), text(other), file(from()), text(from())]);
    expect(found.map(({ kind, source }) => `${kind} ${source}`)).toEqual([
      "person telegram/2",
      "person telegram/3",
      "download download: a.pdf",
    ]);
  });

  test("is named on one line, bounded, and never by nothing", () => {
    const label = (name: string): string => marks([text(from({ from: name }))])[0]?.label ?? "";
    expect(label("Ana\n\u202eevil\u0000  name")).toBe("Ana evil name on Telegram");
    expect(label("x".repeat(500)).length).toBeLessThan(80);
    expect(label(" \n ")).toBe("someone unnamed on Telegram");
  });
});

describe("A24: a quote", () => {
  test("marks unless the log holds its words as the owner's or ours", () => {
    expect(marks([text(quote())])).toEqual([ANA]);
    expect(marks([text(quote())], () => ({ is: "here" }))).toEqual([]);
  });

  test("that only says to be ours marks, since the log is asked and not the quote", () => {
    expect(marks([text(quote({ ours: true, from: "Tidegate", id: "9" }))])).toMatchObject([{ kind: "person" }]);
  });

  test("of another conversation counts as a look at it", () => {
    const elsewhere: Quoted = () => ({ is: "elsewhere", conversation: "abc", title: "Venue" });
    expect(marks([text(quote({ ours: true }))], elsewhere)).toEqual([lookMark("abc", "Venue")]);
    expect(lookMark("abc", "Venue\nresearch")).toEqual({
      kind: "app",
      label: "your chat “Venue research”",
      source: "chat/abc",
    });
  });

  test("is looked up by itself, each of several", () => {
    const known: Quoted = ({ messageId }) => (messageId === "7" ? { is: "here" } : undefined);
    expect(marks([text(quote({ messageId: "7" })), text(quote({ messageId: "8", id: "3" }))], known)).toMatchObject([
      { source: "telegram/3" },
    ]);
  });
});

describe("A25: a file", () => {
  test("whose bytes came marks as a download of its name, one that could not be fetched does not", () => {
    const mark = { kind: "download", label: "the file a.pdf", source: "download: a.pdf" };
    expect(marks([file()])).toEqual([mark]);
    expect(marks([unfetched])).toEqual([]);
    for (const kind of ["photo", "audio", "video", "sticker"] as const)
      expect(marks([file(own, { kind })])).toEqual([mark]);
  });

  test("that is a voice note recorded in the app does not, a forwarded one is a person's", () => {
    expect(marks([file(own, { kind: "voice", name: "voice" })])).toEqual([]);
    // Its bytes came here as well.
    const bytes = { kind: "download", label: "the file voice", source: "download: voice" };
    expect(marks([file(from(), { kind: "voice", name: "voice" })])).toEqual([ANA, bytes]);
    expect(marks([file(quote(), { kind: "voice", name: "voice" })])).toEqual([ANA, bytes]);
  });

  test("is named on one line and bounded", () => {
    const [mark] = marks([file(own, { name: `a\n\u202e${"b".repeat(300)}` })]);
    expect(mark?.label).toMatch(/^the file a b+$/);
    expect(mark?.label.length).toBeLessThan(80);
  });
});

describe("A26: marks by what they stand for", () => {
  test("of one kind and source there is one, and kinds of one source are apart", () => {
    expect(newMarks([ANA], [{ ...ANA, label: "Other" }, MAIL, MAIL, { ...ANA, kind: "app" }])).toEqual([
      MAIL,
      { ...ANA, kind: "app" },
    ]);
  });

  test("A58: nothing that is there is left out or changed by more", () => {
    expect(newMarks([], [ANA, MAIL])).toEqual([ANA, MAIL]);
    expect(newMarks([ANA, MAIL], [])).toEqual([]);
  });
});

describe("A17, A23: people", () => {
  test("a guest's words mark by who wrote them, before what they brought along", () => {
    const guest: Person = { platform: "telegram", id: "5", name: "Bo", role: "guest" };
    const bo = { kind: "person", label: "Bo on Telegram", source: "telegram/5" };
    expect(personMark(guest)).toEqual(bo);
    expect(marks([text()], nowhere, guest)).toEqual([bo]);
    expect(marks([text(from())], nowhere, guest)).toEqual([bo, ANA]);
  });

  test("a shared room marks by the chat, whatever the thread", () => {
    const room = { platform: "telegram", chat: "-100", kind: "shared" } as const;
    expect(sharedMark(room)).toMatchObject({ kind: "person", source: "telegram/-100" });
    expect(sharedMark({ ...room, thread: "7" })).toEqual(sharedMark(room));
  });
});

test("A28, A34: what is said changes no mark, only where it comes from", () => {
  const origins = [own, from(), quote()];
  const plain = marks(origins.map((origin) => text(origin)));
  for (const { parts } of ATTACKS)
    for (const words of parts) {
      const found = marks(origins.map((origin) => text(origin, words)));
      if (found.length !== plain.length) expect({ words, found }).toEqual({ words, found: plain });
    }
  expect(plain).toEqual([ANA]);
});

import { describe, expect, test } from "vitest";
import type { Entry, EntryBody } from "../../src/core/conversation.ts";
import type { Message, Part } from "../../src/core/message.ts";
import { attendanceOf, instructions, MAX_HISTORY_CHARS, told } from "../../src/turn/input.ts";

const OWNER = { platform: "telegram", id: "1", name: "Sam", role: "owner" } as const;
const GUEST = { platform: "telegram", id: "2", name: "Ana", role: "guest" } as const;

function own(messageId: string, text: string): Part {
  return { kind: "text", messageId, origin: { kind: "own" }, text };
}

function said(id: string, text: string, from: Message["from"] = OWNER): EntryBody {
  return { kind: "message", message: { from, at: 0, ids: [id], parts: [own(id, text)] } };
}

function started(turn: string, upTo: number, again = false): EntryBody {
  return { kind: "turn-started", turn, engine: "e", upTo, attendance: "owner", again };
}

function log(...bodies: readonly EntryBody[]): readonly Entry[] {
  return bodies.map((body, index) => ({ ...body, conversation: "c", seq: index + 1, at: 0 }));
}

const answer = (turn: string, text: string): EntryBody => ({ kind: "text", turn, part: 0, text });
const end = (turn: string): EntryBody => ({ kind: "turn-ended", turn, reason: "done" });

describe("what an engine is told", () => {
  test("E2, G6: earlier exchanges are history, and everything up to the turn's last message is its prompt", () => {
    const entries = log(
      ...[said("1", "one"), started("a", 1), said("2", "two"), answer("a", "first"), end("a")],
      ...[said("3", "three"), started("b", 6)],
    );
    expect(told(entries)).toMatchObject({
      history: [
        { role: "user", parts: [{ kind: "text", text: "one" }] },
        { role: "assistant", blocks: [{ kind: "text", text: "first" }] },
      ],
      prompt: [{ kind: "text", text: "two\nthree" }],
    });
  });

  test("T48: what its writer took back is gone with its files, and says so where nothing else was asked", () => {
    const gone = (messageId: string): EntryBody => ({ kind: "edited", messageId, parts: [], gone: true });
    const file = { kind: "document", name: "a.txt", mediaType: "text/plain", handle: "h", path: "a.txt" } as const;
    const withFile: EntryBody = {
      kind: "message",
      message: {
        from: OWNER,
        at: 0,
        ids: ["1"],
        parts: [own("1", "one"), { kind: "file", messageId: "1", origin: { kind: "own" }, file }],
      },
    };
    const answered = log(
      ...[withFile, started("a", 1), answer("a", "first"), end("a"), gone("1")],
      ...[said("2", "two"), said("3", "three"), gone("3"), started("b", 8)],
    );
    expect(told(answered)).toMatchObject({
      history: [
        { role: "user", parts: [{ kind: "text", text: "[This message was deleted by its writer.]" }] },
        { role: "assistant", blocks: [{ kind: "text", text: "first" }] },
      ],
      prompt: [{ kind: "text", text: "two" }],
    });
    const unanswered = told(log(said("1", "one"), gone("1"), started("a", 2)));
    expect(unanswered.prompt).toEqual([]);
    expect(unanswered.messages).toHaveLength(1);
  });

  test("E2: a call stands with its result, and one that never finished says so", () => {
    const call = (id: string): EntryBody => ({
      ...{ kind: "tool-start", turn: "a", effect: "read", by: "gateway" },
      call: { id, name: "now", input: {} },
    });
    const entries = log(
      ...[said("1", "x"), started("a", 1), call("k"), call("l")],
      { kind: "tool-end", turn: "a", callId: "k", result: { outcome: "ok", text: "noon" } },
      ...[end("a"), said("2", "y"), started("b", 7)],
    );
    expect(told(entries).history[1]).toMatchObject({
      role: "assistant",
      blocks: [
        { kind: "call", call: { id: "k" }, result: { outcome: "ok", text: "noon" } },
        { kind: "call", call: { id: "l" }, result: { outcome: "not-run" } },
      ],
    });
  });

  test("G8: an edit before the turn is what the turn is told, wherever the edit stands in the log", () => {
    const entries = log(
      said("1", "draft"),
      { kind: "edited", messageId: "1", parts: [own("1", "final")] },
      started("a", 1),
    );
    expect(told(entries).prompt).toEqual([{ kind: "text", text: "final" }]);
  });

  test("G8: an edit of one of several joined messages changes only its own words, and keeps its file", () => {
    const file: Part = {
      ...{ kind: "file", messageId: "2", origin: { kind: "own" } },
      file: { kind: "photo", name: "photo", mediaType: "image/jpeg", handle: "h", path: "/w/p.jpg" },
    };
    const message: Message = {
      from: OWNER,
      at: 0,
      ids: ["1", "2"],
      parts: [own("1", "keep"), file, own("2", "caption")],
    };
    const entries = log(
      { kind: "message", message },
      { kind: "edited", messageId: "2", parts: [own("2", "better")] },
      started("a", 1),
    );
    const { prompt } = told(entries);
    expect(JSON.stringify(prompt)).toContain("keep");
    expect(JSON.stringify(prompt)).toContain("better");
    expect(JSON.stringify(prompt)).not.toContain("caption");
    expect(prompt).toContainEqual({ kind: "image", path: "/w/p.jpg", mediaType: "image/jpeg" });
  });

  test("D25: a second try is told the same messages once, without what the first one began", () => {
    const entries = log(said("1", "one"), started("a", 1), answer("a", "half"), started("a", 1, true));
    expect(told(entries)).toMatchObject({ history: [], prompt: [{ kind: "text", text: "one" }] });
  });

  test("E3: command output, quiet lines and cards are never told", () => {
    const entries = log(
      ...[said("1", "one"), { kind: "command", name: "status", args: "" } as const],
      ...[
        { kind: "notice", text: "SECRET-STATUS", quiet: true } as const,
        started("a", 1),
        answer("a", "ok"),
        end("a"),
      ],
      ...[{ kind: "notice", text: "SECRET-STATUS", quiet: false } as const, said("2", "two"), started("b", 8)],
    );
    expect(JSON.stringify(told(entries))).not.toContain("SECRET-STATUS");
  });

  test("T8: forwarded and quoted words are framed, in the prompt and later in the history alike", () => {
    const forwarded: Part = {
      kind: "text",
      messageId: "1",
      origin: { kind: "forwarded", as: "user", from: "Ana" },
      text: "do it",
    };
    const message: Message = { from: OWNER, at: 0, ids: ["1"], parts: [forwarded] };
    const now = told(log({ kind: "message", message }, started("a", 1)));
    const later = told(
      log({ kind: "message", message }, started("a", 1), answer("a", "no"), end("a"), said("2", "hm"), started("b", 5)),
    );
    const framed = [
      { kind: "text", text: '<outside-words forwarded from="Ana" where="Telegram">\ndo it\n</outside-words>' },
    ];
    expect(now.prompt).toEqual(framed);
    expect(later.history[0]).toEqual({ role: "user", parts: framed });
  });

  test("A30: a guest's words and the name of a file are framed too, and the owner's own words are not", () => {
    const file: Part = {
      ...{ kind: "file", messageId: "1", origin: { kind: "own" } },
      file: { kind: "document", name: "obey.pdf", mediaType: "application/pdf", handle: "h", path: "/w/o.pdf" },
    };
    const sent: EntryBody = { kind: "message", message: { from: OWNER, at: 0, ids: ["1"], parts: [file] } };
    const entries = log(said("1", "let me in", GUEST), sent, said("2", "mine"), started("a", 3));
    const lines = JSON.stringify(told(entries).prompt);
    expect(lines).toMatch(/<outside-words [^>]*from=\\"Ana\\"[^>]*>\\nlet me in\\n<\/outside-words>/);
    expect(lines).toMatch(/<outside-words [^>]*>\\nobey\.pdf\\n<\/outside-words>/);
    expect(lines).toMatch(/<\/outside-words>\\nmine"/);
  });

  test("A50: a guest's engine is told nothing of the owner", () => {
    expect(instructions("Sam", "owner")).toContain("Sam");
    expect(instructions("Sam", "nobody")).toContain("Sam");
    expect(instructions("Sam", "guest")).not.toContain("Sam");
  });

  test("T4: a file that could not be fetched is told in words", () => {
    const part: Part = {
      ...{ kind: "file", messageId: "1", origin: { kind: "own" } },
      file: { kind: "document", name: "a.pdf", mediaType: "application/pdf", handle: "h", problem: "too large" },
    };
    const { prompt } = told(
      log({ kind: "message", message: { from: OWNER, at: 0, ids: ["1"], parts: [part] } }, started("a", 1)),
    );
    expect(JSON.stringify(prompt)).toMatch(/could not be fetched \(too large\)/);
  });

  test("G39: an answer that was stopped, failed or interrupted is told as such", () => {
    const reasons = ["stopped", "error", "interrupted", "limit"] as const;
    for (const reason of reasons) {
      const entries = log(
        said("1", "x"),
        started("a", 1),
        { kind: "turn-ended", turn: "a", reason },
        said("2", "y"),
        started("b", 4),
      );
      expect(told(entries).history[1]).toMatchObject({ role: "assistant", blocks: [{ kind: "text" }] });
    }
  });

  test("E2: a past too long is cut at a person's words, oldest first, and never in the middle of an exchange", () => {
    const big = "x".repeat(MAX_HISTORY_CHARS / 4);
    const entries = log(
      ...Array.from({ length: 6 }, (_, n) => [
        said(`${n}`, big),
        started(`t${n}`, n * 4 + 1),
        answer(`t${n}`, `answer ${n}`),
        end(`t${n}`),
      ]).flat(),
      ...[said("last", "now"), started("z", 25)],
    );
    const { history, prompt } = told(entries);
    expect(history[0]?.role).toBe("user");
    expect(history).toHaveLength(6);
    expect(history.at(-1)).toEqual({ role: "assistant", blocks: [{ kind: "text", text: "answer 5" }] });
    expect(prompt).toEqual([{ kind: "text", text: "now" }]);
  });
});

test("E27: the owner attends only a turn that the owner's own messages woke", () => {
  expect(attendanceOf(log(said("1", "a"), said("2", "b")), 2)).toBe("owner");
  expect(attendanceOf(log(said("1", "a"), said("2", "b", GUEST)), 2)).toBe("guest");
  expect(attendanceOf(log(said("1", "a"), started("t", 1), said("2", "b", GUEST)), 3)).toBe("guest");
  expect(attendanceOf(log(said("1", "a", GUEST), started("t", 1), said("2", "b")), 3)).toBe("owner");
  expect(attendanceOf([], 5)).toBe("guest");
});

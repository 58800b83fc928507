// What engines keep of chats is derived from the log: it is in no backup and in no export.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Room } from "../../src/core/message.ts";
import { backUpTo, exportChat } from "../../src/gateway/reading.ts";
import { openStore } from "../../src/store/open.ts";
import { surroundings } from "./bare.ts";

const CANARY = "canary-of-a-session";
const room: Room = { platform: "telegram", chat: "1001", kind: "private" };

test("C16, D37: a backup is one file without the sessions that engines keep, and an export prints none of them", async () => {
  const place = mkdtempSync(join(tmpdir(), "tg-kept-"));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const data = join(place, "data");
  {
    await using store = await openStore({ folder: data, ...surroundings });
    await store.commit([
      { do: "open", id: "c1", room, person: "telegram/1001", title: "Chat", at: 1 },
      { do: "append", conversation: "c1", at: 2, body: { kind: "text", turn: "t", part: 0, text: "said here" } },
      {
        do: "session",
        session: { conversation: "c1", engine: "codex", resumeId: "r1", seen: 1, redacted: false },
      },
    ]);
  }
  for (const kind of ["codex", "claude-code"]) {
    mkdirSync(join(data, "engine-sessions", kind, "coder"), { recursive: true });
    writeFileSync(join(data, "engine-sessions", kind, "coder", "r1.jsonl"), CANARY);
  }
  let printed = "";
  const out = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  onTestFinished(() => out.mockRestore());
  mkdirSync(join(place, "backups"));
  await backUpTo(join(place, "backups", "all.db"), data);
  await exportChat("c1", data);
  out.mockRestore();
  expect(readdirSync(join(place, "backups"))).toEqual(["all.db"]);
  const copy = readFileSync(join(place, "backups", "all.db"), "latin1");
  expect(copy).toContain("said here");
  expect(copy).not.toContain(CANARY);
  expect(printed).toContain("said here");
  expect(printed).not.toContain(CANARY);
});

// What the store's tests share: real surroundings, folders that vanish, and short ways to say things.
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { EntryBody } from "../../src/core/conversation.ts";
import type { GatewayError } from "../../src/core/error.ts";
import type { Message, Room } from "../../src/core/message.ts";
import type { Surroundings } from "../../src/core/surroundings.ts";
import type { Change, Committed, PlannedShow, Store } from "../../src/store/port.ts";

export const surroundings: Surroundings = {
  clock: { now: () => Date.now(), sleep: async () => undefined, soon: (task) => void setImmediate(task) },
  random: { key: (bytes) => randomBytes(bytes).toString("base64url"), fraction: () => 0.5 },
  log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
};

/** A folder that is removed when it goes out of scope. */
export function temporaryFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "tidegate-store-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Every byte of every file in a folder. Read by another process: closing a file here would free the locks SQLite holds on it. */
export function allBytes(folder: string): Buffer {
  const files = readdirSync(folder).map((name) => join(folder, name));
  return execFileSync("cat", files, { maxBuffer: 2 ** 30 });
}

/** A TypeScript child on the same Node, with the lines that it prints. */
export function runChild(
  file: URL,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): { readonly lines: AsyncIterable<string>; readonly kill: () => Promise<void> } {
  const child = spawn(process.execPath, [fileURLToPath(file), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...environment },
  });
  const gone = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
  });
  return {
    lines: createInterface({ input: child.stdout }),
    kill: () => {
      child.kill("SIGKILL");
      return gone;
    },
  };
}

/** The first line of a child that is still running. */
export async function firstLine(child: ReturnType<typeof runChild>): Promise<string | undefined> {
  for await (const line of child.lines) return line;
  return undefined;
}

export const room = (chat = "1", thread?: string): Room =>
  thread === undefined
    ? { platform: "telegram", chat, kind: "private" }
    : { platform: "telegram", chat, thread, kind: "shared" };

export const SAM = "telegram/1001";

export function open(id: string, at = 1, where: Room = room(id)): Change {
  return { do: "open", id, room: where, person: SAM, title: `Chat ${id}`, at };
}

export function say(conversation: string, text: string, ids: readonly string[] = [text], at = 5): Change {
  const message: Message = {
    from: { platform: "telegram", id: "1001", name: "Sam", role: "owner" },
    at,
    ids,
    parts: [{ kind: "text", messageId: ids[0] ?? "", origin: { kind: "own" }, text }],
  };
  return append(conversation, { kind: "message", message }, at);
}

export function append(conversation: string, body: EntryBody, at = 5): Change {
  return { do: "append", conversation, body, at };
}

export function notice(conversation: string, text: string, at = 5): Change {
  return append(conversation, { kind: "notice", text, quiet: true }, at);
}

export function started(turn: string, upTo: number, again = false): EntryBody {
  return { kind: "turn-started", turn, engine: "demo", upTo, attendance: "owner", again };
}

export function ended(turn: string): EntryBody {
  return { kind: "turn-ended", turn, reason: "done" };
}

export function show(
  conversation: string,
  key: string,
  where: Room = room(conversation),
  more: Partial<PlannedShow> = {},
): PlannedShow {
  return {
    room: where,
    conversation,
    key,
    index: 0,
    weight: "final",
    piece: { body: { text: key }, plain: key },
    place: 1,
    at: 5,
    ...more,
  };
}

/** Commits and expects it to be done. */
export async function done(store: Store, ...changes: readonly Change[]): Promise<Extract<Committed, { ok: true }>> {
  const committed = await store.commit(changes);
  if (!committed.ok) throw new Error(`refused: ${committed.because}`);
  return committed;
}

/** The code of the GatewayError that a promise or a call fails with. */
export async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (thrown) {
    return (thrown as GatewayError).code;
  }
  return "nothing was thrown";
}

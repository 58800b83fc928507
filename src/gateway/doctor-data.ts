// doctor's look at the data folder: whose it is, whether its store opens, how much room there is, and who uses it now.
import { constants, existsSync, statSync } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { asGatewayError, GatewayError } from "../core/error.ts";
import type { Clock } from "../core/surroundings.ts";
import { whyUnfit } from "../search/opening.ts";
import { lockFolder } from "../store/lock.ts";
import { openReadOnly } from "../store/open.ts";
import { failed, within, type Finding } from "./doctor-calls.ts";
import { ask, refuseLongPath } from "./socket.ts";

const MB = 1024 * 1024;
const LOW_BYTES = 1024 * MB;
const FULL_BYTES = 50 * MB;
const ANSWER_LIMIT_MS = 10_000;

/** The folder, the store in it, the index of earlier chats, and the room on its disk. */
export async function checkData(folder: string): Promise<readonly Finding[]> {
  return [await checkFolder(folder), ...checkIndex(folder), await checkRoom(folder)];
}

/** Nothing of it can be lost: it is made from the log. */
function checkIndex(folder: string): readonly Finding[] {
  const what = "index";
  if ((statSync(join(folder, "tidegate.db"), { throwIfNoEntry: false })?.size ?? 0) === 0) return [];
  try {
    const unfit = whyUnfit(folder);
    const size = statSync(join(folder, "search.db"), { throwIfNoEntry: false })?.size ?? 0;
    return [
      unfit === undefined
        ? { is: "ok", what, words: `earlier chats can be looked through, ${Math.ceil(size / MB)} MB` }
        : { is: "ok", what, words: `it is made just now, or by the next start: ${unfit}` },
    ];
  } catch {
    const words = "search.db can't be read. A start makes it anew; if that fails, remove what lies there by hand.";
    return [{ is: "warn", what, words }];
  }
}

async function checkFolder(folder: string): Promise<Finding> {
  const what = "data";
  const there = statSync(folder, { throwIfNoEntry: false });
  if (there === undefined) {
    const above = nearestFolder(folder);
    if (await mayWrite(above)) return { is: "ok", what, words: `${folder} is not there yet; the first start makes it` };
    return {
      is: "FAIL",
      what,
      words: `${folder} can't be made, since ${above} is not yours to write. Name another folder as data.`,
    };
  }
  if (!there.isDirectory()) return { is: "FAIL", what, words: `${folder} is not a folder. Name another as data.` };
  if (!(await mayWrite(folder)))
    return { is: "FAIL", what, words: `${folder} is not yours to write. Name another folder as data.` };
  try {
    refuseLongPath(folder);
  } catch (thrown) {
    return failed(what, thrown);
  }
  const main = statSync(join(folder, "tidegate.db"), { throwIfNoEntry: false });
  if (main !== undefined && main.size > 0) {
    try {
      await using store = await openReadOnly(folder);
      // Reads a page or two: a damaged file shows here and not first in a chat.
      await store.conversations.list({ archived: true, limit: 1 });
    } catch (thrown) {
      return failed(what, asGatewayError(thrown, "data-broken"));
    }
  }
  if ((there.mode & 0o077) !== 0) {
    return {
      is: "warn",
      what,
      words: `others on this machine can look into ${folder}. Run: chmod 700 ${folder} (a start does it too)`,
    };
  }
  return {
    is: "ok",
    what,
    words: main === undefined ? `${folder}, still empty` : `${folder}, ${Math.ceil(main.size / MB)} MB`,
  };
}

async function checkRoom(folder: string): Promise<Finding> {
  const what = "disk";
  try {
    const { bavail, bsize } = await statfs(nearestFolder(folder));
    const free = bavail * bsize;
    const words = free < LOW_BYTES ? `${Math.floor(free / MB)} MB free` : `${Math.floor(free / LOW_BYTES)} GB free`;
    if (free >= LOW_BYTES) return { is: "ok", what, words };
    return { is: free < FULL_BYTES ? "FAIL" : "warn", what, words: `only ${words} where ${folder} is. Make room.` };
  } catch {
    return { is: "warn", what, words: `how much room there is for ${folder} can't be told` };
  }
}

/** Who uses the folder now. */
export async function checkGateway(folder: string, clock: Clock): Promise<readonly Finding[]> {
  const what = "gateway";
  const late = new GatewayError("not-running", "It runs, but gives no answer.", { hint: "End it and start it again." });
  try {
    const state = await within(
      clock,
      ANSWER_LIMIT_MS,
      late,
      async (signal) => await ask(folder, { do: "status" }, signal),
    );
    if (state !== undefined) return [{ is: "ok", what, words: `running; ${state}` }];
    // Taken for a moment only, where a gateway has been before: nothing is made.
    if (existsSync(join(folder, "lock.db"))) lockFolder(folder)[Symbol.dispose]();
    return [{ is: "ok", what, words: "not running. ./tidegate start starts it." }];
  } catch (thrown) {
    const error = asGatewayError(thrown, "not-running");
    if (error.code === "data-broken") return [];
    return [failed(what, error)];
  }
}

async function mayWrite(folder: string): Promise<boolean> {
  return await access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The folder itself, or the nearest one above it that is there. */
function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

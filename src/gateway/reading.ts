// Commands that only read a data folder, beside a live gateway or without one.
import { GatewayError } from "../core/error.ts";
import { backUp } from "../store/backup.ts";
import { openReadOnly } from "../store/open.ts";
import { statusIn, STATUS_WORDS } from "./status.ts";

/** A question that waits is among so many of a chat's newest entries. */
const RECENT = 50;

/** Prints a line per chat, newest first, its id first. */
export async function listChats(data: string): Promise<void> {
  await using store = await openReadOnly(data);
  for (const one of await store.conversations.list({ archived: true })) {
    const open = statusIn(await store.log.read(one.id, { last: true, limit: RECENT })) === "awaiting-permission";
    const when = new Date(one.lastAt).toISOString().slice(0, 16).replace("T", " ");
    process.stdout.write(
      `${one.id}  ${when}  ${one.room.platform}  ${one.title}${open ? `  (${STATUS_WORDS["awaiting-permission"]})` : ""}${one.archived ? "  (archived)" : ""}\n`,
    );
  }
}

/** Prints a chat as JSON lines, oldest first. */
export async function exportChat(id: string, data: string): Promise<void> {
  await using store = await openReadOnly(data);
  if ((await store.conversations.get(id)) === undefined)
    throw new GatewayError("not-found", `There is no chat ${id}.`, { hint: "./tidegate chats lists them." });
  const PAGE = 500;
  for (let after = 0; ;) {
    const page = await store.log.read(id, { after, limit: PAGE });
    for (const { seq, at, kind, conversation: _, ...rest } of page)
      process.stdout.write(`${escapeControls(JSON.stringify({ seq, at, kind, ...rest }))}\n`);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    if (!process.stdout.writable) return;
    after = last.seq;
  }
}

/** Copies everything durable into a file that is not there yet. */
export async function backUpTo(file: string, data: string): Promise<void> {
  await backUp(data, file);
  process.stdout.write(`Backed up to ${file}.\n`);
}

/** JSON escapes the controls below a space only; the others can steer a terminal too. */
function escapeControls(json: string): string {
  return json.replaceAll(/[\u007f-\u009f]/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Throws a GatewayError in words when the data folder holds nothing that can be read; makes nothing. */
export async function refuseNoData(data: string): Promise<void> {
  await using _store = await openReadOnly(data);
}

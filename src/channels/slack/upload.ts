// Puts a file where people see it: a text, or a picture that lies on this machine's disk.
import { readFile, stat } from "node:fs/promises";
import type { Room } from "../../core/message.ts";
import type { ReplyFile, Shown } from "../../core/reply.ts";
import { UNREACHABLE_WAIT_MS, isUnsent, shownOf } from "./client.ts";
import type { Client, Failure } from "./client.ts";
import { plainText } from "./options.ts";

/** Before the name of a file in place of a message's own id: an upload doesn't tell which message it became. */
export const FILE = "file:";

const STEP_LIMIT_MS = 30_000;
const UPLOAD_LIMIT_MS = 120_000;
/** Far more than a drawn picture takes, and little enough to be held in memory. */
const MAX_PICTURE_BYTES = 20 * 1024 * 1024;
/** Ours; Slack states no limit. */
const MAX_TITLE = 250;

/**
 * Three steps; only the last one makes it visible. A picture's words for whom doesn't see it are its title: with the field that is
 * meant for them (`alt_txt`) files were reported to be taken and then shown nowhere.
 */
export async function uploadFile(client: Client, room: Room, file: ReplyFile, signal: AbortSignal): Promise<Shown> {
  const { api } = client;
  const bytes = "text" in file ? Buffer.from(file.text) : await pictureAt(file.path, signal);
  if (typeof bytes === "string") return { is: "refused", why: "other", detail: bytes };
  const { name } = file;
  const place = await client.call(STEP_LIMIT_MS, signal, () =>
    api.files.getUploadURLExternal({ filename: name, length: bytes.length }),
  );
  if (!place.ok) return unseen(place.failure);
  const { upload_url: url, file_id: id } = place.value;
  if (!url || !id) return { is: "refused", why: "other", detail: "Slack named no place for a file." };
  const sent = await client.call(UPLOAD_LIMIT_MS, signal, (signal) => client.upload(url, name, bytes, signal));
  if (!sent.ok) return unseen(sent.failure);
  const title = "text" in file ? name : plainText(file.alt, MAX_TITLE).text;
  const done = await client.call(STEP_LIMIT_MS, signal, () =>
    api.files.completeUploadExternal({
      files: [{ id, title }],
      channel_id: room.chat,
      ...(room.thread === undefined ? {} : { thread_ts: room.thread }),
    }),
  );
  return done.ok ? { is: "shown", ref: `${FILE}${id}` } : shownOf(done.failure, undefined);
}

/** Its bytes, or why there are none; what is said names no place on this machine. */
async function pictureAt(path: string, signal: AbortSignal): Promise<Buffer | string> {
  try {
    const { size } = await stat(path);
    if (size > MAX_PICTURE_BYTES) return "The picture is larger than 20 MB.";
    const bytes = await readFile(path, { signal });
    return bytes.length === 0 ? "The picture is empty." : bytes;
  } catch {
    return "The picture is not there any more, or can't be read.";
  }
}

/** A step before a file shows: whatever came of it, nobody has seen anything. */
function unseen(failure: Failure): Shown {
  const shown = shownOf(failure, undefined);
  if (shown.is !== "unknown" && !isUnsent(failure)) return shown;
  return { is: "wait", waitMs: UNREACHABLE_WAIT_MS, why: "unreachable" };
}

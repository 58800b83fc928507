// Files: fetched where one came with a message, whose link is signed and expires and of which the message gives a fresh one; and
// brought where one is shown.
import { readFile, stat } from "node:fs/promises";
import * as z from "zod";
import { GatewayError } from "../../core/error.ts";
import type { FileRef } from "../../core/message.ts";
import type { ReplyFile } from "../../core/reply.ts";
import type { Clock } from "../../core/surroundings.ts";
import { keepFile } from "../keep-file.ts";
import { STOPPED } from "../transport.ts";
import type { Client, Upload } from "./client.ts";
import type { FileHandle } from "./content.ts";

/** People may send up to 500 MB; what an engine is to read is kept well below, so that a phone's picture or a long text passes. */
export const MAX_FILE_BYTES: number = 25 * 1024 * 1024;

/** What a bot may send (discord.com/developers/docs/reference#uploading-files). */
const MAX_UPLOAD_BYTES = 10 * 1024 * 1024;

const FILE_LIMIT_MS = 300_000;

const handle: z.ZodType<FileHandle> = z.object({
  channel: z.string().regex(/^\d+$/u),
  message: z.string().regex(/^\d+$/u),
  attachment: z.string(),
  url: z.string(),
});

/** Fetches within limits; whatever goes wrong is said in words. */
export async function fetchFile(
  client: Client,
  clock: Clock,
  file: FileRef,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  if (file.bytes !== undefined && file.bytes > MAX_FILE_BYTES) throw tooLarge();
  const found = readHandle(file.handle);
  if (found === undefined) throw unavailable("no handle");
  const done = new AbortController();
  const late = new AbortController();
  void clock.sleep(FILE_LIMIT_MS, done.signal).then(
    () => late.abort(STOPPED),
    () => undefined,
  );
  const either = AbortSignal.any([signal, late.signal]);
  try {
    try {
      await load(client, found.url, path, either);
    } catch (thrown) {
      if (thrown instanceof GatewayError) throw thrown;
      const fresh = await freshLink(client, found, either);
      if (fresh === undefined) throw thrown;
      await load(client, fresh, path, either);
    }
  } catch (thrown) {
    throw thrown instanceof GatewayError ? thrown : unavailable(thrown instanceof Error ? thrown.message : "");
  } finally {
    done.abort(STOPPED);
  }
}

/** A file as it is sent now. A picture is read where it lies; undefined: it is not there, or more than can be sent. */
export async function uploadOf(file: ReplyFile): Promise<Upload | undefined> {
  const { name } = file;
  if ("text" in file) return { name, data: file.text, mediaType: "text/plain" };
  try {
    const { size } = await stat(file.path);
    return size > MAX_UPLOAD_BYTES ? undefined : { name, data: await readFile(file.path), mediaType: file.mediaType };
  } catch {
    return undefined;
  }
}

async function load(client: Client, url: string, path: string, signal: AbortSignal): Promise<void> {
  const source = await client.transport.open(url, signal);
  await keepFile(source, path, { maxBytes: MAX_FILE_BYTES, tooLarge });
}

/** The link that the message has now, wherever in it the file hangs: on itself, or on the copy that a forward brought. */
async function freshLink(
  client: Client,
  { channel, message, attachment }: FileHandle,
  signal: AbortSignal,
): Promise<string | undefined> {
  const asked = await client.call({ method: "GET", path: `/channels/${channel}/messages/${message}` }, signal);
  return asked.ok ? linkIn(asked.value, attachment, 0) : undefined;
}

function linkIn(node: unknown, attachment: string, depth: number): string | undefined {
  if (typeof node !== "object" || node === null || depth > 6) return undefined;
  if ("id" in node && node.id === attachment && "url" in node && typeof node.url === "string") return node.url;
  for (const inner of Object.values(node)) {
    const found = linkIn(inner, attachment, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readHandle(given: string): FileHandle | undefined {
  try {
    return handle.safeParse(JSON.parse(given)).data;
  } catch {
    return undefined;
  }
}

function tooLarge(): GatewayError {
  return new GatewayError("file-too-large", "The file is larger than the 25 MB that are fetched from Discord.");
}

function unavailable(why: string): GatewayError {
  return new GatewayError("file-unavailable", "Discord doesn't give the file out. Try sending it again.", {
    cause: new Error(why),
  });
}

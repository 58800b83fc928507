// Fetches a file that came with a message, with the bot's token, which goes to Slack alone.
import * as z from "zod";
import { GatewayError } from "../../core/error.ts";
import type { FileRef } from "../../core/message.ts";
import { keepFile } from "../keep-file.ts";
import { noAnswer } from "../transport.ts";
import { describeFailure } from "./client.ts";
import type { Client } from "./client.ts";
import { isRecord } from "./event.ts";

/** Slack lets a file have 1 GB; what an engine can do with one is far less, and it lies on this machine's disk. */
export const MAX_FILE_BYTES: number = 100 * 1024 * 1024;
const CALL_LIMIT_MS = 15_000;
const FILE_LIMIT_MS = 300_000;

const handleShape: z.ZodType<{ id: string; url?: string | undefined; external?: true | undefined }> = z.object({
  id: z.string().min(1),
  url: z.string().optional(),
  external: z.literal(true).optional(),
});

/** Addresses that the token may go to: Slack's own, and that of the API, which a test plays. */
function isSlacks(url: URL, apiUrl: string): boolean {
  return (
    url.origin === new URL(apiUrl).origin || (url.protocol === "https:" && /(?:^|\.)slack\.com$/u.test(url.hostname))
  );
}

/** Fetches within limits; whatever goes wrong is said in words. */
export async function fetchFile(
  client: Client,
  apiUrl: string,
  file: FileRef,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  if (file.bytes !== undefined && file.bytes > MAX_FILE_BYTES) throw tooLarge();
  const { url, html } = await findFile(client, file, signal);
  if (!URL.canParse(url) || !isSlacks(new URL(url), apiUrl)) throw unavailable("not at Slack");

  let problem: unknown;
  const loaded = await client.call(FILE_LIMIT_MS, signal, async (signal) => {
    const response = await client.download(url, signal);
    const type = response.headers["content-type"] ?? "";
    // Without the right to a file Slack answers with its page for signing in, or sends there.
    if (response.statusCode !== 200 || (type.startsWith("text/html") && !html)) {
      response.destroy();
      throw noAnswer(
        response.statusCode === 200 ? "a page instead of the file" : `status ${response.statusCode ?? 0}`,
        true,
      );
    }
    await keepFile(response, path, { maxBytes: MAX_FILE_BYTES, tooLarge }).catch((thrown: unknown) => {
      problem = thrown;
      throw thrown;
    });
  });
  if (problem instanceof GatewayError) throw problem;
  if (!loaded.ok) throw unavailable(describeFailure(loaded.failure));
}

/** Where a file lies. From a channel shared with another workspace only its id comes, and the rest is asked for. */
async function findFile(client: Client, file: FileRef, signal: AbortSignal): Promise<{ url: string; html: boolean }> {
  const handle = handleShape.safeParse(parseJson(file.handle));
  if (!handle.success) throw unavailable("no file of Slack's");
  const { id, url, external } = handle.data;
  if (external)
    throw new GatewayError("file-unavailable", "The file lies outside Slack, and only its link was shared.");
  if (url !== undefined) return { url, html: file.mediaType === "text/html" };
  const found = await client.call(CALL_LIMIT_MS, signal, () => client.api.files.info({ file: id }));
  if (!found.ok) throw unavailable(describeFailure(found.failure));
  const about = found.value.file;
  if ((about?.size ?? 0) > MAX_FILE_BYTES) throw tooLarge();
  const address = about?.url_private_download ?? about?.url_private;
  if (!address) throw unavailable("no address");
  return { url: address, html: about?.mimetype === "text/html" };
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function tooLarge(): GatewayError {
  return new GatewayError("file-too-large", "The file is larger than the 100 MB that are fetched from Slack.");
}

function unavailable(why: string): GatewayError {
  return new GatewayError("file-unavailable", "Slack doesn't give the file out. Try sending it again.", {
    cause: new Error(why),
  });
}

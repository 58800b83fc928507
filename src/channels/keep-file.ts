// A file of a platform, onto this machine's disk.
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { GatewayError } from "../core/error.ts";

/**
 * The bytes go to a file beside `path` (0600) and take its place when they are all there, so that nobody sees half of them. Throws
 * `tooLarge` past `maxBytes`, `file-empty`, or what broke the source off; nothing is left then.
 */
export async function keepFile(
  source: Readable,
  path: string,
  limit: { readonly maxBytes: number; readonly tooLarge: () => GatewayError },
): Promise<void> {
  const part = `${path}.part`;
  try {
    // Left by a crash, or planted: it must be new, or the bytes would go where a link points.
    await rm(part, { force: true });
    let bytes = 0;
    const count = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        // What was stated need not be what comes.
        if (bytes > limit.maxBytes) throw limit.tooLarge();
        yield chunk;
      }
    };
    await pipeline(source, count, createWriteStream(part, { flags: "wx", mode: 0o600 }));
    if (bytes === 0) throw new GatewayError("file-empty", "The file is empty: it holds 0 bytes.");
    await rename(part, path);
  } catch (thrown) {
    source.destroy();
    await rm(part, { force: true });
    throw thrown;
  }
}

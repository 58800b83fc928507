// Files that came with a message, fetched into their conversation's work folder before the message is in the log.
import { mkdir } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Channel } from "../core/channel.ts";
import { asGatewayError } from "../core/error.ts";
import type { FileRef, Part } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";

/** Fetches every file of `parts`. One that can't be fetched keeps a `problem` in words; nothing throws. */
export async function fetchFiles(
  parts: readonly Part[],
  channel: Channel,
  folder: string,
  { random, log }: Surroundings,
  signal: AbortSignal,
): Promise<readonly Part[]> {
  if (!parts.some((part) => part.kind === "file")) return parts;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return await Promise.all(
    parts.map(async (part) => {
      if (part.kind !== "file") return part;
      const path = join(folder, `${random.key(6)}${safeEnding(part.file)}`);
      try {
        await channel.fetch(part.file, path, signal);
        return { ...part, file: { ...part.file, path } };
      } catch (thrown) {
        const error = asGatewayError(thrown, "file-unavailable");
        log.warn({ channel: channel.name, code: error.code }, "a file can't be fetched");
        return { ...part, file: { ...part.file, problem: error.message } };
      }
    }),
  );
}

/** What to tell people of files that could not be fetched; undefined when all could. */
export function fileProblems(parts: readonly Part[]): string | undefined {
  const lines = parts.flatMap((part) =>
    part.kind === "file" && part.file.problem !== undefined ? [`${called(part.file)}: ${part.file.problem}`] : [],
  );
  return lines.length === 0 ? undefined : lines.join("\n");
}

function called(file: FileRef): string {
  return file.kind === "document" ? `“${file.name.replaceAll(/[`*_[\]\\]/g, "")}”` : `The ${file.kind}`;
}

/** The name a stranger gave a file never becomes a path: only a short, plain ending is kept, for programs that go by it. */
function safeEnding(file: FileRef): string {
  const ending = extname(file.name).toLowerCase();
  return /^\.[a-z0-9]{1,8}$/.test(ending) ? ending : "";
}

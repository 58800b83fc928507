// Threads between runs: the file that Codex wrote, with our own length and hash beside it, since Codex takes a damaged one without a word.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import type { Surroundings } from "../../core/surroundings.ts";

/** What was put back: `told` is the digest of the instructions that it heard last. */
export type PutBack = { readonly is: "there"; readonly told: string } | { readonly is: "lost" | "dropped" };

export type KeptThreads = {
  /** Into a home, where Codex finds it by its id. What can't be used is forgotten. */
  readonly putBack: (thread: string, home: string) => Promise<PutBack>;
  /** The thread's file out of a home whose program has ended; false when it is too large, and is dropped. */
  readonly keep: (thread: string, file: string, told: string) => Promise<boolean>;
  readonly forget: (thread: string) => Promise<void>;
  /** Removes what was not used for 30 days. */
  readonly tidy: () => Promise<void>;
};

/** A larger one takes longer to read than to tell the chat anew. */
const MAX_THREAD_BYTES = 67_108_864;
const UNUSED_MS = 30 * 24 * 60 * 60 * 1000;
const FORMAT = 1;
const THREAD = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;
/** Codex knows a thread by its file's name. */
const FILE = /^rollout-(\d{4})-(\d\d)-(\d\d)T[\d-]{1,20}-([0-9a-f-]{36})\.jsonl$/u;

const record = z.object({
  format: z.literal(FORMAT),
  /** Left out: it was dropped for its size. */
  file: z.string().optional(),
  bytes: z.number(),
  sha256: z.string(),
  told: z.string(),
  usedAt: z.number(),
});

/** Whether it is an id of Codex's: nothing else becomes part of a path. */
export function isThread(id: string): boolean {
  return THREAD.test(id);
}

/** `folder`: of one engine, made when something is kept. */
export function keptThreads(
  folder: string,
  { clock, random, log }: Surroundings,
  maxBytes: number = MAX_THREAD_BYTES,
): KeptThreads {
  const fileOf = (thread: string): string => join(folder, `${thread}.jsonl`);
  const recordOf = (thread: string): string => join(folder, `${thread}.json`);

  const write = async (thread: string, body: z.input<typeof record>): Promise<void> => {
    const fresh = join(folder, `${thread}.${random.key(6)}.new`);
    await writeFile(fresh, JSON.stringify(body), { mode: 0o600 });
    await rename(fresh, recordOf(thread));
  };
  const forget = async (thread: string): Promise<void> => {
    if (!isThread(thread)) return;
    // With what a crash left in the middle of keeping it.
    const names = (await readdir(folder).catch((): string[] => [])).filter((name) => name.startsWith(`${thread}.`));
    await Promise.all(names.map(async (name) => await rm(join(folder, name), { force: true })));
  };

  return {
    forget,
    async putBack(thread, home) {
      const kept = await readRecord(recordOf(thread));
      if (kept === undefined) {
        await forget(thread);
        return { is: "lost" };
      }
      const [, year, month, day, id] = FILE.exec(kept.file ?? "") ?? [];
      if (kept.file === undefined || id !== thread || year === undefined || month === undefined || day === undefined) {
        await forget(thread);
        return { is: kept.file === undefined ? "dropped" : "lost" };
      }
      const place = join(home, "sessions", year, month, day);
      const put = join(place, kept.file);
      try {
        await mkdir(place, { recursive: true, mode: 0o700 });
        await copyFile(fileOf(thread), put, constants.COPYFILE_FICLONE);
        // The copy is looked at, not what it was made of: this is what Codex reads.
        const { bytes, sha256 } = await measured(put);
        if (bytes === kept.bytes && sha256 === kept.sha256) return { is: "there", told: kept.told };
        log.warn({ thread, bytes, expected: kept.bytes }, "a kept Codex thread is not what was kept");
      } catch (thrown) {
        log.warn({ err: thrown, thread }, "a kept Codex thread can't be read");
      }
      await rm(put, { force: true });
      await forget(thread);
      return { is: "lost" };
    },
    async keep(thread, file, told) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const usedAt = clock.now();
      const { size } = await stat(file);
      if (size > maxBytes) {
        await rm(fileOf(thread), { force: true });
        await write(thread, { format: FORMAT, bytes: size, sha256: "", told, usedAt });
        return false;
      }
      const fresh = join(folder, `${thread}.${random.key(6)}.new`);
      try {
        await copyFile(file, fresh, constants.COPYFILE_FICLONE);
        const { bytes, sha256 } = await measured(fresh, 0o600);
        await rename(fresh, fileOf(thread));
        await write(thread, { format: FORMAT, file: basename(file), bytes, sha256, told, usedAt });
      } catch (thrown) {
        await rm(fresh, { force: true });
        throw thrown;
      }
      return true;
    },
    async tidy() {
      const oldest = clock.now() - UNUSED_MS;
      const names = await readdir(folder).catch((): string[] => []);
      // Looked at before anything goes: a record says how old its thread is.
      const old = await Promise.all(
        names.map(async (name) => {
          const kept = await readRecord(recordOf(name.replace(/\.jsonl?$/u, "")));
          return (kept?.usedAt ?? (await changedAt(join(folder, name)))) < oldest;
        }),
      );
      for (const [at, name] of names.entries()) if (old[at] === true) await rm(join(folder, name), { force: true });
    },
  };
}

/** The folder of one engine's threads: a name of the config is one name here, whatever is in it. */
export function threadsFolder(sessions: string, engine: string): string {
  return join(sessions, "codex", encodeURIComponent(engine).replaceAll(".", "%2E"));
}

/** The file of a thread in a home, wherever the program says that it is: only one in this home, with a name of its own. */
export function isThreadFile(path: string, thread: string, home: string): boolean {
  return FILE.exec(basename(path))?.[4] === thread && dirname(path).startsWith(join(home, "sessions"));
}

async function readRecord(path: string): Promise<z.output<typeof record> | undefined> {
  try {
    return record.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return undefined;
  }
}

async function changedAt(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY;
}

/** `mode`: what the file is to be open to, where it was copied with another. */
async function measured(path: string, mode?: number): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  const file = await open(path);
  try {
    if (mode !== undefined) await file.chmod(mode);
    for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 })) {
      const piece = chunk as Buffer;
      hash.update(piece);
      bytes += piece.length;
    }
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest("hex") };
}

// The private home of one run: made for it, and gone after it, so that no sign-in rests in it.
import { lstat, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { EngineHost } from "../host.ts";

export type Home = AsyncDisposable & {
  /** All of it lies here. */
  readonly root: string;
  /** What the program takes for its own folder. */
  readonly folder: string;
  /** An empty folder to run in, for turns that may not see any. */
  readonly empty: string;
};

const AUTH = "auth.json";

/** Where the owner's own Codex keeps its things. */
export function ownersFolder(host: EngineHost): string {
  return host.codexFolder ?? join(host.home, ".codex");
}

/** Whether the owner is signed in, as far as a file shows it. */
export async function isSignedIn(host: EngineHost): Promise<boolean> {
  try {
    const auth: unknown = JSON.parse(await readFile(join(ownersFolder(host), AUTH), "utf8"));
    return typeof auth === "object" && auth !== null && Object.keys(auth).length > 0;
  } catch {
    return false;
  }
}

/** `signIn`: the owner's own is used, where it is. */
export async function openHome(host: EngineHost, config: string, signIn: boolean): Promise<Home> {
  const root = await mkdtemp(join(host.temporary, "tidegate-codex-"));
  const release = host.watchdog.folder(root);
  const folder = join(root, "home");
  const empty = join(root, "empty");
  const auth = join(ownersFolder(host), AUTH);
  const remove = async (): Promise<void> => {
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
    release();
  };
  try {
    await Promise.all([mkdir(folder, { mode: 0o700 }), mkdir(empty, { mode: 0o700 })]);
    await writeFile(join(folder, "config.toml"), config, { mode: 0o600 });
    // The program writes through the link, so that a token that it draws anew is the owner's too.
    if (signIn) await symlink(auth, join(folder, AUTH));
  } catch (thrown) {
    await remove();
    throw thrown;
  }
  let removing: Promise<void> | undefined;
  return {
    ...{ root, folder, empty },
    async [Symbol.asyncDispose]() {
      removing ??= (async () => {
        try {
          if (signIn) await returnSignIn(join(folder, AUTH), auth, basename(root));
        } finally {
          await remove();
        }
      })();
      await removing;
    },
  };
}

/** A version that puts a new file in the link's place would leave the owner with a token that is used up. */
async function returnSignIn(from: string, to: string, run: string): Promise<void> {
  const there = await lstat(from).catch(() => undefined);
  if (there?.isFile() !== true) return;
  // Another run may end at the same time.
  const fresh = `${to}.${run}`;
  await writeFile(fresh, await readFile(from), { mode: 0o600 });
  await rename(fresh, to);
}

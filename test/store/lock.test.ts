// One gateway per data folder, whatever becomes of the process that had it.
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lockFolder } from "../../src/store/lock.ts";
import { codeOf, firstLine, runChild, temporaryFolder } from "./world.ts";

it("D31: a second holder is refused in words that name the folder, and may have it after the first", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "data");
  {
    using _lock = lockFolder(path);
    expect(() => lockFolder(path)).toThrow(
      expect.objectContaining({ code: "data-locked", message: expect.stringContaining(path) }),
    );
  }
  using _again = lockFolder(path);
});

it("D31: another process's lock is refused while it lives and free once it was killed", async () => {
  using folder = temporaryFolder();
  for (let round = 0; round < 3; round += 1) {
    const child = runChild(new URL("lock-child.ts", import.meta.url), [folder.path]);
    expect(await firstLine(child)).toBe("held");
    expect(await codeOf(() => lockFolder(folder.path))).toBe("data-locked");
    await child.kill();
    using _mine = lockFolder(folder.path);
    // And the other way round.
    expect(await firstLine(runChild(new URL("lock-child.ts", import.meta.url), [folder.path]))).toBe("data-locked");
  }
});

it("D39: the folder and the lock's file are nobody else's to read", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "data");
  using _lock = lockFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(readdirSync(path)).toEqual(["lock.db"]);
  expect(statSync(join(path, "lock.db")).mode & 0o777).toBe(0o600);
});

it("a folder that can't be one is refused in words", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "file");
  writeFileSync(path, "");
  expect(await codeOf(() => lockFolder(path))).toBe("data-broken");
});

// The watchdog: nothing outlives the gateway, however that ends, and nothing else is touched. All with real processes.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Watchdog } from "../../src/core/surroundings.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { openWatchdog } from "../../src/gateway/watchdog.ts";
import { openPictures } from "../../src/pictures/drawing.ts";
import { countingWatchdog } from "../engines/host.ts";
import { alive, allGone, LINUX } from "../engines/processes.ts";
import { Home } from "./cli-child.ts";

/** How long a process may take to be there; it is looked for all the while. */
const PATIENT = { timeout: 10_000 };

let folder = "";
let started: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidegate-watchdog-"));
  started = [];
});
afterEach(() => {
  for (const child of started) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Leads a group of its own and has nothing of the mark. */
async function sleeper(): Promise<number> {
  const child = spawn("sleep", ["120"], { detached: true, env: { PATH: "/usr/bin:/bin" } });
  started.push(child);
  await once(child, "spawn");
  return child.pid ?? 0;
}

/** The watchdog's own process, by its argument. */
function dogs({ mark }: Watchdog): readonly number[] {
  const argument = Object.entries(mark).map((pair) => pair.join("="))[0];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && alive(Number(name)))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").at(-2) === argument;
      } catch {
        return false;
      }
    })
    .map(Number);
}

function made(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, "secret"), "s");
  return path;
}

describe("what it looks after", () => {
  it("D30: at the end it ends the groups and removes the folders it was told of, and none that were released", async () => {
    const watchdog = openWatchdog(realRandom, realClock);
    const [kept, ended] = [await sleeper(), await sleeper()];
    const [stays, goes] = [made("stays"), made("goes")];
    const releases = [watchdog.group(kept), watchdog.folder(stays)];
    watchdog.group(ended);
    watchdog.folder(goes);
    for (const release of releases) {
      release();
      release();
    }
    await watchdog[Symbol.asyncDispose]();
    expect([kept, ended].map(alive)).toEqual([true, false]);
    expect([stays, goes].map((path) => existsSync(path))).toEqual([true, false]);
  });

  it("D30: what is watched twice and released once is still watched", async () => {
    const watchdog = openWatchdog(realRandom, realClock);
    const [pid, path] = [await sleeper(), made("both")];
    for (const watch of [() => watchdog.group(pid), () => watchdog.folder(path)]) {
      const release = watch();
      watch();
      release();
      release();
    }
    await watchdog[Symbol.asyncDispose]();
    expect(alive(pid)).toBe(false);
    expect(existsSync(path)).toBe(false);
  });

  it("D30: numbers that are no group of a child are passed over", async () => {
    const watchdog = openWatchdog(realRandom, realClock);
    for (const pid of [0, 1, -1, -2, Number.NaN, 1.5, Infinity]) watchdog.group(pid)();
    for (const pid of [0, 1, -1, Number.NaN]) watchdog.group(pid);
    if (LINUX) expect(dogs(watchdog)).toEqual([]);
    await watchdog[Symbol.asyncDispose]();
  });

  it("D30: folders with any name go, and those beside them stay", async () => {
    const odd = [
      "*",
      "?",
      "[ab]",
      "a b",
      " a",
      "a ",
      "-rf",
      "$HOME",
      "$(touch x)",
      "`touch x`",
      "'",
      '"',
      "\\",
      "a\\nb",
      "ünï🙂",
      "#",
      "~",
      "..x",
      "+g2",
      "-",
    ];
    const random = fc.sample(fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }), 30);
    const names = [...new Set([...odd, ...random])].filter(
      (name) => !/[/\0\r\n]|^\.{1,2}$/u.test(name) && name.isWellFormed(),
    );
    const beside = ["ab", "a", "b", "x", "home"];
    const watchdog = openWatchdog(realRandom, realClock);
    const own = names.filter((name) => !beside.includes(name)).map((name) => made(name));
    for (const path of own) watchdog.folder(path);
    for (const name of beside) made(name);
    await watchdog[Symbol.asyncDispose]();
    expect(readdirSync(folder).toSorted()).toEqual(beside.toSorted());
  });

  it("D30: of a folder that is a link only the link goes", async () => {
    const watchdog = openWatchdog(realRandom, realClock);
    const behind = made("behind");
    symlinkSync(behind, join(folder, "link"));
    watchdog.folder(join(folder, "link"));
    await watchdog[Symbol.asyncDispose]();
    expect(readdirSync(folder)).toEqual(["behind"]);
    expect(lstatSync(join(behind, "secret")).isFile()).toBe(true);
  });

  it.each([
    "",
    "/",
    "/tmp",
    "tmp/x",
    "./x",
    "~",
    "/a/b/",
    "/a//b",
    "/a/../b",
    "/a/./b",
    "/a/b/..",
    "/a/b\n/c",
    "/a/b\0",
    "/a/\uD800",
  ])("D30: what is no private folder is refused: %j", (path) => {
    const watchdog = openWatchdog(realRandom, realClock);
    expect(() => watchdog.folder(path)).toThrow("isn't a private one");
  });

  it("D30: neither the home folder nor the one for temporary files, nor what they are in, is taken for a private one", () => {
    vi.stubEnv("HOME", join(folder, "people", "sam"));
    vi.stubEnv("TMPDIR", join(folder, "tmp", "of", "sam"));
    try {
      const watchdog = openWatchdog(realRandom, realClock);
      for (const path of [
        homedir(),
        dirname(homedir()),
        tmpdir(),
        dirname(tmpdir()),
        dirname(dirname(tmpdir())),
        folder,
      ])
        expect(() => watchdog.folder(path)).toThrow("isn't a private one");
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe.runIf(LINUX)("the watchdog itself", () => {
  it("D30: is not there before the first child, heeds no signal of the gateway's, has its own session, and ends with it", async () => {
    const watchdog = openWatchdog(realRandom, realClock);
    expect(dogs(watchdog)).toEqual([]);
    const path = made("private");
    watchdog.folder(path);
    const [dog = 0] = await vi.waitFor(() => {
      const found = dogs(watchdog);
      expect(found).toHaveLength(1);
      return found;
    }, PATIENT);
    const stat = (): readonly string[] => readFileSync(`/proc/${dog}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // Of stat (proc(5)): the state, the parent, the group and the session.
    await vi.waitFor(() => expect(stat()[0]).toBe("S"), PATIENT);
    expect(stat().slice(1, 4).map(Number)).toEqual([process.pid, dog, dog]);
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const) process.kill(dog, signal);
    expect(readFileSync(`/proc/${dog}/environ`, "utf8")).not.toContain(watchdog.mark["TIDEGATE_CHILD"]);
    await watchdog[Symbol.asyncDispose]();
    expect(alive(dog)).toBe(false);
    expect(existsSync(path)).toBe(false);
  });

  it("D30: killed, it is started again and told what is watched", async () => {
    const watchdog = openWatchdog(realRandom, realClock);
    const [pid, path] = [await sleeper(), made("private")];
    watchdog.group(pid);
    watchdog.folder(path);
    let last = 0;
    for (let life = 0; life < 3; life += 1) {
      const next = await vi.waitFor(() => {
        const found = dogs(watchdog).filter((dog) => dog !== last);
        expect(found).toHaveLength(1);
        return found[0] ?? 0;
      }, PATIENT);
      last = next;
      process.kill(last, "SIGKILL");
    }
    await vi.waitFor(() => expect(dogs(watchdog).filter((dog) => dog !== last)).toHaveLength(1), PATIENT);
    await watchdog[Symbol.asyncDispose]();
    expect(alive(pid)).toBe(false);
    expect(existsSync(path)).toBe(false);
  });

  it("D30: one that dies again and again is left until the next child", async () => {
    const watchdog = openWatchdog(realRandom, realClock);
    const pid = await sleeper();
    const release = watchdog.group(pid);
    const killed = new Set<number>();
    await vi.waitFor(
      () => {
        for (const dog of dogs(watchdog)) {
          process.kill(dog, "SIGKILL");
          killed.add(dog);
        }
        expect(killed.size).toBe(4);
      },
      { timeout: 10_000, interval: 5 },
    );
    release();
    const other = await sleeper();
    watchdog.group(other);
    await vi.waitFor(() => expect(dogs(watchdog).filter((dog) => !killed.has(dog))).toHaveLength(1), PATIENT);
    await watchdog[Symbol.asyncDispose]();
    expect([pid, other].map(alive)).toEqual([true, false]);
  });
});

const program = fileURLToPath(new URL("watchdog-child.ts", import.meta.url));

describe.runIf(LINUX)("programs of a gateway that ends", { concurrent: true }, () => {
  it.each([
    { how: "SIGKILL", end: (child: ChildProcess) => child.kill("SIGKILL") },
    { how: "SIGKILL of its whole group", end: ({ pid = 0 }: ChildProcess) => process.kill(-pid, "SIGKILL") },
    { how: "crash", end: (child: ChildProcess) => child.stdin?.write("\n") },
    { how: "dispose", end: (child: ChildProcess) => child.stdin?.write("\n") },
  ])(
    "D30: $how: all that ignores SIGTERM, and what has a session of its own, is gone within 3 s",
    async ({ how, end }) => {
      const root = mkdtempSync(join(tmpdir(), "tidegate-watchdog-"));
      const path = join(root, "private");
      mkdirSync(join(path, "in"), { recursive: true });
      writeFileSync(join(path, "in", "secret"), "s", { mode: 0o400 });
      const child = spawn(process.execPath, [program, how, path], {
        stdio: ["pipe", "pipe", "ignore"],
        detached: true,
      });
      try {
        const pids = await new Promise<number[]>((resolve) => {
          child.stdout.setEncoding("utf8").on("data", (text: string) => {
            const [, found] = /^pids ([\d ]+)\n/u.exec(text) ?? [];
            if (found !== undefined) resolve(found.split(" ").map(Number));
          });
        });
        expect(pids.filter(alive)).toHaveLength(6);
        const exit = once(child, "exit");
        end(child);
        const goneMs = await allGone(pids);
        await vi.waitFor(() => expect(existsSync(path)).toBe(false), { timeout: 3_000 - goneMs, interval: 10 });
        if (process.env["WATCHDOG_FIGURES"] !== undefined) process.stderr.write(`${how}: ${Math.round(goneMs)} ms\n`);
        await exit;
        expect(readdirSync(root)).toEqual([]);
      } finally {
        child.kill("SIGKILL");
        rmSync(root, { recursive: true, force: true });
      }
    },
  );
});

/** An MCP server that names its processes in a file: itself, one of its group, and one in a session of its own. */
function clinging(home: Home): readonly string[] {
  const server = fileURLToPath(new URL("../wire/mcp-hostile.ts", import.meta.url));
  const file = home.path("pids");
  const script = `
    trap '' TERM HUP
    sh -c 'echo $$ >> "${file}"; exec sleep 120' &
    setsid sh -c 'echo $$ >> "${file}"; exec sleep 120' &
    echo $$ >> "${file}"
    exec "${process.execPath}" "${server}" clinging`;
  return ["/bin/sh", "-c", script];
}

describe.runIf(LINUX)("what the gateway itself starts", { concurrent: true, timeout: 60_000 }, () => {
  it.each(["SIGKILL", "SIGTERM"] as const)(
    "D30, O70: apps that are programs, with all of theirs, at %s",
    async (signal) => {
      await using home = new Home();
      const app = { command: clinging(home), connected: true };
      home.config(JSON.stringify({ channels: { terminal: {} }, apps: { bad: app } }));
      const { child, end } = await home.gateway({ env: { PATH: "/usr/bin:/bin" } });
      const pids = await vi.waitFor(
        () => {
          const found = home.read("pids").trim().split("\n").map(Number);
          expect(found).toHaveLength(3);
          return found;
        },
        { timeout: 20_000, interval: 20 },
      );
      expect(pids.filter(alive)).toEqual(pids);
      child.kill(signal);
      await end;
      const goneMs = await allGone(pids);
      if (process.env["WATCHDOG_FIGURES"] !== undefined)
        process.stderr.write(`gateway, ${signal}: ${Math.round(goneMs)} ms\n`);
    },
  );

  it("D30, O61d: what draws pictures is watched while it is there, and has the mark", async () => {
    const watchdog = countingWatchdog();
    const pictures = openPictures(realClock, {}, watchdog);
    expect(watchdog.groups.size).toBe(0);
    expect(await pictures.drawSvg("<svg viewBox='0 0 9 9'></svg>")).toMatchObject({ drawn: true });
    const [pid = 0, ...more] = watchdog.groups;
    expect(more).toEqual([]);
    expect(readFileSync(`/proc/${pid}/environ`, "utf8")).toBe("TIDEGATE_CHILD=test\0");
    await pictures[Symbol.asyncDispose]();
    expect(alive(pid)).toBe(false);
    expect(watchdog.groups.size).toBe(0);
  });
});

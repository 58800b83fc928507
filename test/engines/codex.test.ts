// What the Codex engine does by itself, without the program: kept threads, names, digests, words, rows and the wire.
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import type { OwnUse } from "../../src/core/tool.ts";
import type { TurnEvent } from "../../src/core/turn.ts";
import { codexEngine } from "../../src/engines/codex/engine.ts";
import { faultOf } from "../../src/engines/codex/faults.ts";
import { changedInstructions } from "../../src/engines/codex/instructions.ts";
import { isThreadFile, keptThreads, threadsFolder, type KeptThreads } from "../../src/engines/codex/kept.ts";
import { messages } from "../../src/engines/codex/messages.ts";
import { ownTools } from "../../src/engines/codex/own.ts";
import { openRpc } from "../../src/engines/codex/rpc.ts";
import { configToml } from "../../src/engines/codex/settings.ts";
import { digestOf, namedTools, readResumeId, resumeId } from "../../src/engines/codex/tools.ts";
import { openTurn } from "../../src/engines/codex/turn.ts";
import { isOlder } from "../../src/engines/codex/version.ts";
import { realClock } from "../../src/gateway/real.ts";
import { testHost } from "./host.ts";
import { LOOK, evenRandom, keepingLog, play, stillClock, turn, type StillClock } from "./play.ts";

const THREAD = "01a22df0-6422-7340-a28f-578e31214ceb";
const OTHER = "01a22df0-7819-7732-9c8a-61270983294d";
const FILE = `rollout-2026-11-30T19-30-58-${THREAD}.jsonl`;
const TEXT = '{"type":"session_meta"}\n{"type":"response_item"}\n';

type Shelf = { readonly folder: string; readonly home: string; readonly kept: KeptThreads; readonly clock: StillClock };

async function shelf(maxBytes?: number): Promise<Shelf> {
  const root = await mkdtemp(join(tmpdir(), "tidegate-kept-"));
  onTestFinished(async () => await rm(root, { recursive: true, force: true }));
  const clock = stillClock();
  const folder = threadsFolder(root, "codex");
  const kept = keptThreads(folder, { clock, random: evenRandom, log: keepingLog() }, maxBytes);
  const place = join(root, "home", "sessions", "2026", "11", "30");
  await mkdir(place, { recursive: true });
  await writeFile(join(place, FILE), TEXT);
  return { folder, home: join(root, "home"), kept, clock };
}

const fileIn = (home: string): string => join(home, "sessions", "2026", "11", "30", FILE);

it("C8: a kept thread is put back under its own name, byte for byte", async () => {
  const { home, kept, folder } = await shelf();
  expect(await kept.keep(THREAD, fileIn(home), "told")).toBe(true);
  await rm(home, { recursive: true });
  expect(await kept.putBack(THREAD, home)).toEqual({ is: "there", told: "told" });
  expect(await readFile(fileIn(home), "utf8")).toBe(TEXT);
  expect((await readdir(folder)).toSorted()).toEqual([`${THREAD}.json`, `${THREAD}.jsonl`]);
});

it("C19: what was changed, cut, of a newer format or without its record is lost, and forgotten", async () => {
  const harms: readonly ((file: string, record: string) => Promise<void>)[] = [
    async (file) => await writeFile(file, TEXT.replace("item", "mite")),
    async (file) => await writeFile(file, TEXT.slice(0, -1)),
    async (file) => await writeFile(file, ""),
    async (file) => await rm(file),
    async (_, record) => await rm(record),
    async (_, record) => await writeFile(record, "{"),
    async (_, record) => await writeFile(record, (await readFile(record, "utf8")).replace('"format":1', '"format":2')),
    async (_, record) => await writeFile(record, (await readFile(record, "utf8")).replace(THREAD, OTHER)),
    async (_, record) => await writeFile(record, (await readFile(record, "utf8")).replace("rollout-", "../rollout-")),
  ];
  for (const harm of harms) {
    const { home, kept, folder } = await shelf();
    await kept.keep(THREAD, fileIn(home), "told");
    await harm(join(folder, `${THREAD}.jsonl`), join(folder, `${THREAD}.json`));
    await rm(home, { recursive: true });
    expect(await kept.putBack(THREAD, home)).toEqual({ is: "lost" });
    expect(await readdir(folder)).toEqual([]);
    expect(await readdir(home, { recursive: true }).catch(() => [])).not.toContain(FILE);
  }
});

it("C15: a thread that is too large is dropped, and a new one in its place is no loss", async () => {
  const { home, kept, folder } = await shelf(TEXT.length - 1);
  expect(await kept.keep(THREAD, fileIn(home), "told")).toBe(false);
  expect(await readdir(folder)).toEqual([`${THREAD}.json`]);
  expect(await kept.putBack(THREAD, home)).toEqual({ is: "dropped" });
  const fits = await shelf(TEXT.length);
  expect(await fits.kept.keep(THREAD, fileIn(fits.home), "told")).toBe(true);
});

it("C17, C18: a thread goes when it is forgotten, and after 30 days without use", async () => {
  const { home, kept, folder, clock } = await shelf();
  await kept.keep(THREAD, fileIn(home), "told");
  await kept.forget(OTHER);
  const beside = join(folder, "..", "beside.json");
  await writeFile(beside, "another's");
  await kept.forget("../beside");
  expect(await readFile(beside, "utf8")).toBe("another's");
  expect(await readdir(folder)).toHaveLength(2);
  const days = (count: number): number => count * 24 * 60 * 60 * 1000;
  clock.pass(days(29));
  await kept.tidy();
  expect(await readdir(folder)).toHaveLength(2);
  // Used once more, it stays as long again.
  await kept.keep(THREAD, fileIn(home), "told");
  clock.pass(days(29));
  await kept.tidy();
  expect(await readdir(folder)).toHaveLength(2);
  clock.pass(days(2));
  await kept.tidy();
  expect(await readdir(folder)).toEqual([]);
  await kept.keep(THREAD, fileIn(home), "told");
  await kept.forget(THREAD);
  expect(await readdir(folder)).toEqual([]);
});

it("C17, D34: what a crash left in the middle of keeping a thread goes with it, and nothing of another's", async () => {
  const { home, kept, folder } = await shelf();
  await kept.keep(THREAD, fileIn(home), "told");
  await writeFile(join(folder, `${THREAD}.k0.new`), TEXT);
  await writeFile(join(folder, `${OTHER}.k0.new`), TEXT);
  await kept.forget(THREAD);
  expect(await readdir(folder)).toEqual([`${OTHER}.k0.new`]);
});

it("C8: only a thread's own file in its own home is taken out", () => {
  expect(isThreadFile(`/h/sessions/2026/11/30/${FILE}`, THREAD, "/h")).toBe(true);
  expect(isThreadFile(`/h/sessions/2026/11/30/${FILE}`, OTHER, "/h")).toBe(false);
  expect(isThreadFile(`/etc/${FILE}`, THREAD, "/h")).toBe(false);
  expect(isThreadFile("/h/sessions/auth.json", THREAD, "/h")).toBe(false);
  expect(threadsFolder("/s", "..")).toBe("/s/codex/%2E%2E");
});

it("C10: the id holds the thread and a digest of names, schemas and flavour, whatever their order", () => {
  const other = { ...LOOK, name: "other" };
  const digest = (specs: Parameters<typeof namedTools>[0], flavour = "own"): string =>
    digestOf(namedTools(specs), flavour);
  expect(digest([LOOK, other])).toMatch(/^[0-9a-f]{16}$/u);
  expect(digest([LOOK, other])).toBe(digest([other, LOOK]));
  expect(digest([LOOK])).toBe(
    digest([{ ...LOOK, input: Object.fromEntries(Object.entries(LOOK.input).toReversed()) }]),
  );
  const different = [
    digest([LOOK]),
    digest([other]),
    digest([LOOK], "locked"),
    digest([{ ...LOOK, input: {} }]),
    digest([]),
  ];
  expect(new Set(different).size).toBe(different.length);
  expect(readResumeId(resumeId(THREAD, digest([LOOK])))).toEqual({ thread: THREAD, digest: digest([LOOK]) });
  for (const id of [
    "",
    THREAD,
    `${THREAD}:`,
    `${THREAD}:xyz`,
    `../${THREAD}:${digest([])}`,
    `${THREAD}:${digest([])}:more`,
  ])
    expect(readResumeId(id)).toBeUndefined();
});

it("C12: any name becomes one that the program takes, no two the same, none of its own", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.oneof(fc.string(), fc.constantFrom("exec", "update_plan", "mcp__x", "a b", "a_b"))),
      (names) => {
        const named = namedTools(names.map((name) => ({ ...LOOK, name })));
        expect(new Set(named.map(({ name }) => name)).size).toBe(names.length);
        expect(named.map(({ spec }) => spec.name).toSorted()).toEqual(names.toSorted());
        for (const { name } of named) {
          expect(name).toMatch(/^(?!mcp__)[a-zA-Z0-9_-]{1,128}$/u);
          expect(["exec", "update_plan"]).not.toContain(name);
        }
      },
    ),
  );
});

it("C14: changed instructions are cut into pieces that the program doesn't cut, and none of them is lost", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 1, max: 400 }), (words, count) => {
      const text = `${words}\n`.repeat(count);
      const context = changedInstructions(text);
      const keys = Object.keys(context);
      expect(keys.toSorted()).toEqual(keys);
      const values = Object.values(context);
      for (const { value, kind } of values) {
        expect(Buffer.byteLength(value)).toBeLessThan(4000);
        expect(kind).toBe("application");
      }
      expect(values[0]?.value).toContain("take the place of all earlier ones");
      expect(values.map(({ value }) => value.slice(value.indexOf("\n\n") + 2)).join("")).toBe(text);
    }),
  );
});

it("C6: an answer that breaks off and is begun again stands there once where it is the same", () => {
  const shown = (act: (m: ReturnType<typeof messages>) => void): string => {
    let text = "";
    act(messages((delta) => void (text += delta)));
    return text;
  };
  expect(
    shown((m) => {
      m.piece("a", "Hello ");
      m.broken();
      m.piece("b", "Hel");
      m.piece("b", "lo there");
      m.whole("b", "Hello there.");
    }),
  ).toBe("Hello there.");
  expect(
    shown((m) => {
      m.piece("a", "Hello ");
      m.broken();
      m.piece("b", "Good day");
      m.whole("b", "Good day");
    }),
  ).toBe("Hello \n\nGood day");
  expect(
    shown((m) => {
      m.piece("a", "Hello there");
      m.broken();
      m.piece("b", "Hello");
      m.whole("b", "Hello");
    }),
  ).toBe("Hello there\n\nHello");
  expect(
    shown((m) => {
      m.whole("a", "One.");
      m.whole("b", "Two.");
      m.pause();
      m.whole("c", "Three.");
    }),
  ).toBe("One.\n\nTwo.Three.");
});

type Owned = {
  readonly own: ReturnType<typeof ownTools>;
  readonly events: TurnEvent[];
  readonly uses: OwnUse[];
  readonly notes: string[];
};

function owned(verdict: "allow" | "deny", locked = false): Owned {
  const events: TurnEvent[] = [];
  const uses: OwnUse[] = [];
  const notes: string[] = [];
  const own = ownTools({
    input: {
      ...{ locked, workFolder: "/work/c" },
      allow: async (use) => {
        uses.push(use);
        return await Promise.resolve(
          verdict === "allow" ? { is: "allow" } : { is: "deny", words: "The owner said no." },
        );
      },
    },
    push: async (event) => {
      events.push(event);
      await Promise.resolve();
    },
    note: async (words) => void notes.push(await Promise.resolve(words)),
    closed: ["/tmp/tidegate-codex-abc", "/home/me/.codex"],
    unasked: (type) => notes.push(`unasked ${type}`),
  });
  return { own, events, uses, notes };
}

const ofTurn = { threadId: THREAD, turnId: "t" };

it("C47: only a whole command or a shown change is asked about; all else is declined, and told as not run", async () => {
  const ask = { ...ofTurn, itemId: "i", command: "/bin/bash -lc 'touch x'", cwd: "/work/c" };
  const fine = owned("allow");
  expect(await fine.own.command({ ...ask, networkApprovalContext: null, additionalPermissions: null })).toEqual({
    decision: "accept",
  });
  expect(fine.uses).toEqual([
    { id: "i", name: "Bash", input: { command: "touch x" }, does: "command", command: "/bin/bash -lc 'touch x'" },
  ]);
  const no = owned("deny");
  expect(await no.own.command({ ...ask, cwd: "/elsewhere" })).toEqual({ decision: "decline" });
  expect(no.uses[0]).toMatchObject({ paths: ["/elsewhere"] });
  expect(no.events.map((event) => event.kind)).toEqual(["tool-start", "tool-end"]);
  expect(no.events[1]).toMatchObject({ result: { outcome: "denied", text: "The owner said no." } });
  expect(no.notes.join()).toContain("The owner said no.");
  const unasked: readonly ((one: Owned) => Promise<{ readonly decision: string }>)[] = [
    async ({ own }) => await own.command({ ...ask, kind: "writeStdin" }),
    async ({ own }) => await own.command({ ...ask, command: null }),
    async ({ own }) =>
      await own.command({ ...ask, networkApprovalContext: { host: "example.org", protocol: "https" } }),
    async ({ own }) => await own.command({ ...ask, additionalPermissions: { network: { enabled: true } } }),
    async ({ own }) => await own.command({ ...ask, command: "cat /tmp/tidegate-codex-abc/home/auth.json" }),
    async ({ own }) => await own.command({ ...ask, command: "cat ../tidegate-codex-abc/x" }),
    async ({ own }) => await own.command({ ...ask, cwd: "/home/me/.codex/sessions" }),
    async ({ own }) => await own.change({ ...ofTurn, itemId: "never told of" }),
    async ({ own }) => {
      own.started({ ...changing("a.txt"), changes: [] } as Parameters<typeof own.started>[0]);
      return await own.change({ ...ofTurn, itemId: "p" });
    },
    async ({ own }) => {
      own.started(changing("../../home/me/.codex/auth.json"));
      return await own.change({ ...ofTurn, itemId: "p" });
    },
    async ({ own }) => {
      own.started(changing("a.txt", "/tmp/tidegate-codex-abc/home/x"));
      return await own.change({ ...ofTurn, itemId: "p" });
    },
    async ({ own }) => {
      own.started(changing("a.txt"));
      return await own.change({ ...ofTurn, itemId: "p", grantRoot: "/work" });
    },
  ];
  for (const act of unasked) {
    const one = owned("allow");
    expect(await act(one)).toEqual({ decision: "decline" });
    expect(one.uses).toEqual([]);
    expect(one.events.at(-1)).toMatchObject({ kind: "tool-end", result: { outcome: "denied" } });
  }
  const locked = owned("allow", true);
  expect(await locked.own.command(ask)).toEqual({ decision: "decline" });
  expect(locked.uses).toEqual([]);
});

function changing(path: string, to: string | null = null): Parameters<Owned["own"]["started"]>[0] {
  const change = { path, kind: { type: "update", move_path: to }, diff: "@@ -1 +1 @@\n-a\n+b\n" } as const;
  return { type: "fileChange", id: "p", changes: [change], status: "inProgress" };
}

it("C43, C44: rows have the names that people know, what ran unasked is noted, and none stays open", () => {
  const { own, events, notes } = owned("allow");
  own.started({ type: "webSearch", id: "w", query: "tides" });
  own.completed({ type: "webSearch", id: "w", query: "tides" });
  own.started({ type: "brandNew", id: "n" });
  own.started({ type: "reasoning", id: "r" });
  const ran = { type: "commandExecution", id: "c", command: "ls", aggregatedOutput: "out", exitCode: 2 } as const;
  own.completed({ ...ran, status: "failed" });
  expect(notes).toEqual(["unasked commandExecution"]);
  expect(own.running()).toBe(1);
  expect(own.close()).toMatchObject([{ kind: "tool-end", callId: "n", result: { outcome: "error" } }]);
  expect(own.close()).toEqual([]);
  const starts = events.flatMap((event) => (event.kind === "tool-start" ? [event.call] : []));
  expect(starts).toEqual([
    { id: "w", name: "WebSearch", input: { query: "tides" } },
    { id: "n", name: "brandNew", input: {} },
    { id: "c", name: "Bash", input: { command: "ls" } },
  ]);
  expect(events.at(-1)).toMatchObject({ result: { outcome: "error", text: "out\nIt ended with exit code 2." } });
});

it("E24: the wire survives junk and lines without end, and no request waits for ever", async () => {
  const [input, output, clock] = [new PassThrough(), new PassThrough(), stillClock()];
  const rpc = openRpc(input, output, clock);
  const told: string[] = [];
  rpc.hear({ tell: (method) => told.push(method), ask: () => undefined });
  const answer = rpc.request("turn/interrupt", { threadId: "t", turnId: "u" });
  output.write('not json\n[]\n{"id":99,"result":{}}\n{"id":"1"}\n{"method":"from/another/version","params":7}\n');
  for (let sent = 0; sent < 34; sent += 1) output.write("x".repeat(1 << 20));
  output.write('\n{"id":5,"method":"never/heard/of"}\n{"id":1,"result":{}}\n');
  expect(await answer).toEqual({});
  expect(told).toEqual(["from/another/version"]);
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(String(input.read())).toContain('{"id":5,"error":{"code":-32601');
  const late = rpc.request("turn/interrupt", { threadId: "t", turnId: "u" });
  const ended = rpc.request("turn/interrupt", { threadId: "t", turnId: "u" });
  clock.pass(29_999);
  clock.pass(1);
  await expect(late).rejects.toMatchObject({ code: "engine-silent" });
  await expect(ended).rejects.toMatchObject({ code: "engine-silent" });
  expect(clock.sleeping).toBe(0);
  const open = rpc.request("turn/interrupt", { threadId: "t", turnId: "u" });
  rpc.close();
  await expect(open).rejects.toMatchObject({ code: "engine-failed" });
  await expect(rpc.request("turn/interrupt", { threadId: "t", turnId: "u" })).rejects.toMatchObject({
    code: "engine-failed",
  });
});

it("C12, C20: a tool's answer is waited for however long it takes, and only this turn's tools are called", async () => {
  const clock = stillClock();
  const held = Promise.withResolvers<void>();
  const input = turn("hi", {
    tools: [LOOK],
    answer: async () => {
      await held.promise;
      return { outcome: "ok", text: "seen" };
    },
  });
  const running = openTurn({
    ...{ input, thread: THREAD, model: "m", tools: namedTools([LOOK]), closed: [], signedIn: false },
    note: async () => await Promise.resolve(),
    surroundings: { clock, random: evenRandom, log: keepingLog() },
  });
  running.began("t");
  const all = (async () => {
    const events: TurnEvent[] = [];
    for await (const event of running.events()) events.push(event);
    return events;
  })();
  const asked = (tool: string, turnId = "t"): Promise<object> | undefined =>
    running.ears.ask("item/tool/call", { threadId: THREAD, turnId, callId: tool, tool, arguments: {} });
  expect(await asked("gone")).toMatchObject({ success: false });
  expect(input.calls).toEqual([]);
  expect(
    running.ears.ask("item/tool/call", { threadId: OTHER, turnId: "t", callId: "c", tool: "look" }),
  ).toBeUndefined();
  const answer = asked("look");
  for (let minute = 0; minute < 11; minute += 1) {
    clock.pass(60_000);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  held.resolve();
  expect(await answer).toEqual({ contentItems: [{ type: "inputText", text: "seen" }], success: true });
  running.ears.tell("turn/completed", { threadId: THREAD, turn: { id: "t", status: "completed", error: null } });
  expect(await all).toEqual([]);
  expect(running.went()).toEqual({ completed: true, compacted: false, limit: false });
  expect(clock.sleeping).toBe(0);
});

it("E24: a turn that the program leaves off by itself is no whole answer", async () => {
  const running = openTurn({
    ...{ input: turn("hi"), thread: THREAD, model: "m", tools: [], closed: [], signedIn: false },
    note: async () => await Promise.resolve(),
    surroundings: { clock: stillClock(), random: evenRandom, log: keepingLog() },
  });
  running.began("t");
  const all = (async () => {
    for await (const event of running.events()) expect(event.kind).toBe("text");
  })();
  running.ears.tell("item/agentMessage/delta", { ...ofTurn, itemId: "m", delta: "Half of" });
  running.ears.tell("turn/completed", { threadId: THREAD, turn: { id: "t", status: "interrupted", error: null } });
  await expect(all).rejects.toMatchObject({ code: "engine-failed" });
  expect(running.went()).toMatchObject({ completed: false });
});

it("E24: without a network it is not waited for long, though the program would; once there is one it goes on", async () => {
  const clock = stillClock();
  const running = openTurn({
    ...{ input: turn("hi"), thread: THREAD, model: "m", tools: [], closed: [], signedIn: false },
    note: async () => await Promise.resolve(),
    surroundings: { clock, random: evenRandom, log: keepingLog() },
  });
  running.began("t");
  const error = { message: "Reconnecting... waiting for network", codexErrorInfo: "other" };
  const ofTurn = { threadId: THREAD, turnId: "t" };
  const offline = (): void => running.ears.tell("error", { ...ofTurn, error, willRetry: true });
  offline();
  clock.pass(10_000);
  offline();
  running.ears.tell("item/agentMessage/delta", { ...ofTurn, itemId: "i", delta: "Well" });
  clock.pass(10_000);
  offline();
  clock.pass(20_000);
  offline();
  await expect(Array.fromAsync(running.events())).rejects.toMatchObject({ code: "engine-unreachable" });
});

it("E24: what the program says went wrong becomes a code and words of ours", () => {
  const code = (info: Parameters<typeof faultOf>[0], signedIn = false): string => faultOf(info, signedIn).code;
  const of = (codexErrorInfo: string | Record<string, unknown>, message = "its own words"): string =>
    code({ message, codexErrorInfo });
  expect(of("contextWindowExceeded")).toBe("engine-context-full");
  expect(of("usageLimitExceeded")).toBe("engine-no-credit");
  expect(of({ responseTooManyFailedAttempts: { httpStatusCode: 429 } })).toBe("engine-rate-limited");
  expect(of({ httpConnectionFailed: { httpStatusCode: 401 } })).toBe("engine-unauthorized");
  expect(of({ httpConnectionFailed: { httpStatusCode: null } })).toBe("engine-unreachable");
  expect(of("other", "stream disconnected before completion")).toBe("engine-cut");
  expect(of("a-name-of-tomorrow")).toBe("engine-failed");
  expect(code(null)).toBe("engine-failed");
  expect(faultOf({ message: "", codexErrorInfo: "unauthorized" }, true).hint).toContain("codex login");
  expect(faultOf({ message: "secret words", codexErrorInfo: "other" }, false).message).not.toContain("secret");
});

it("C8: an older version than can pick a thread up is known as older", () => {
  expect(isOlder("0.159.0", "0.159.1")).toBe(true);
  expect(isOlder("0.99.9", "0.159.1")).toBe(true);
  for (const version of ["0.159.1", "0.171.0", "1.0.0"]) expect(isOlder(version, "0.159.1")).toBe(false);
});

it("C8: a program that is too old, missing or none is refused in words, and another version is told of", async () => {
  const root = await mkdtemp(join(tmpdir(), "tidegate-version-"));
  onTestFinished(async () => await rm(root, { recursive: true, force: true }));
  const says = async (text: string): Promise<string> => {
    const path = join(root, `codex-${text.length}-${text.at(-1)}`);
    await writeFile(path, `#!/bin/sh\necho "${text}"\n`, { mode: 0o755 });
    return path;
  };
  const host = await testHost();
  onTestFinished(async () => await host[Symbol.asyncDispose]());
  const surroundings = { clock: realClock, random: evenRandom, log: keepingLog() };
  const check = async (command: string): Promise<{ readonly words: string; readonly warn?: string }> => {
    const engine = await codexEngine({ name: "codex", command, apiKey: "k" }, surroundings, host);
    try {
      return await engine.check(new AbortController().signal);
    } finally {
      await engine[Symbol.asyncDispose]();
    }
  };
  await expect(check(await says("codex-cli 0.159.0"))).rejects.toThrow(
    "Codex 0.159.0 is too old: 0.159.1 or newer is needed.",
  );
  await expect(check(await says("hello there"))).rejects.toMatchObject({ code: "engine-missing" });
  await expect(check(join(root, "nowhere"))).rejects.toMatchObject({ code: "engine-missing" });
  expect(await check(await says("codex-cli 0.171.0"))).toEqual({ words: "Codex 0.171.0 is there and has a key." });
  expect((await check(await says("codex-cli 0.172.0-alpha.1"))).warn).toContain("0.171.0");
  const engine = await codexEngine(
    { name: "codex", command: await says("codex-cli 0.9.0"), apiKey: "k" },
    surroundings,
    host,
  );
  const played = await play(engine, turn("hi", { workFolder: join(root, "work") }));
  expect(played.error?.message).toContain("too old");
  expect([...host.watchdog.folders, ...host.watchdog.groups]).toEqual([]);
  await engine[Symbol.asyncDispose]();
});

it("A21: locked, the config takes its shell away; never does it hold a key", () => {
  const settings = { model: undefined, withKey: true, baseUrl: undefined, home: "/home/me" };
  expect(configToml({ ...settings, locked: true })).toContain("shell_tool = false");
  expect(configToml({ ...settings, locked: false })).toContain("shell_tool = true");
  for (const locked of [true, false]) expect(configToml({ ...settings, locked })).toContain("unified_exec_tty = false");
});

// What was said on Discord while nothing was heard: read back whole, in order, and whatever breaks off half-way.
import { expect, onTestFinished, test } from "vitest";
import type { Inbound } from "../../src/core/channel.ts";
import { Pull } from "../contracts/channel.ts";
import type { DiscordWire } from "../wire/discord.ts";
import { OWNER, PLACE, STRANGER, never, stage } from "./discord-stage.ts";
import type { Stage, StageOptions } from "./discord-stage.ts";

const HOUR_MS = 3_600_000;

/** The platform's clock, which a test can put back: ids are made by it. */
function clock(): { now: () => number; ago(ms: number): void } {
  let behindMs = 0;
  return { now: () => Date.now() - behindMs, ago: (ms) => (behindMs = ms) };
}

async function connected(options?: StageOptions): Promise<Stage> {
  const there = await stage(options);
  await there.pull.batch();
  return there;
}

function wordsOf(inbound: Inbound): string {
  if (inbound.kind !== "message") return inbound.kind;
  return inbound.parts.map((part) => (part.kind === "text" ? part.text : part.file.name)).join(" ");
}

/** What the next batches say, until so many updates have come. */
async function take(pull: Pull, count: number): Promise<string[]> {
  const words: string[] = [];
  while (words.length < count) {
    const batch = await pull.batch();
    if (batch === undefined) throw new Error(`The channel ended after ${words.length} updates.`);
    words.push(...batch.map(({ raw }) => wordsOf(pull.platform.channel.read(raw))));
  }
  return words;
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `missed ${at}`);

/** Heard once in the owner's chat and in a channel, and stopped. */
async function heardBefore(there: Stage): Promise<void> {
  const { wire, dm, pull } = there;
  wire.say(dm, OWNER, "old");
  wire.say(PLACE, OWNER, "old too", { mention: true });
  await take(pull, 2);
  pull.ask();
  await pull.stop();
}

test("D1, T47: a crash half-way through what was missed loses nothing of the rest, in no place", async () => {
  const time = clock();
  time.ago(2 * HOUR_MS);
  const there = await connected({ wire: { now: time.now } });
  await heardBefore(there);
  const { wire, dm, again } = there;
  time.ago(HOUR_MS);
  for (const text of numbered(120)) wire.say(dm, OWNER, text);
  wire.say(PLACE, OWNER, "for us", { mention: true });
  time.ago(0);
  const first = again();
  const before = await take(first, 1);
  // This batch is stored, and the next one isn't.
  first.ask();
  await first[Symbol.asyncDispose]();
  const second = again(first.since);
  const after = await take(second, 121 - before.length);
  expect([...before, ...after]).toEqual([...numbered(120), "for us"]);
});

test("T47: what was missed comes in the order in which it was said, whatever the place, and before what is said now", async () => {
  const there = await connected();
  await heardBefore(there);
  const { wire, dm, again } = there;
  const texts = numbered(150);
  for (const [at, text] of texts.entries())
    if (at % 3 === 0) wire.say(PLACE, OWNER, text, { mention: true });
    else wire.say(dm, OWNER, text);
  wire.fail("history", { kind: "slow", delayMs: 200, times: 2 });
  const after = again();
  await after.batch();
  after.ask();
  wire.say(dm, OWNER, "live");
  expect(await take(after, 151)).toEqual([...texts, "live"]);
});

test("T47: threads and forum posts where nothing was heard before are looked through as well", async () => {
  const { wire, dm, pull, again } = await connected();
  wire.addForum("3003", "ideas");
  const quiet = wire.addThread(PLACE, { name: "quiet" });
  wire.say(PLACE, STRANGER, "nothing to us", { thread: quiet });
  wire.say(dm, OWNER, "old");
  await take(pull, 1);
  pull.ask();
  await pull.stop();
  wire.say(PLACE, STRANGER, "in the thread", { thread: quiet, mention: true });
  const post = wire.addPost("3003", STRANGER, "A title", `<@${wire.botId}> in the post`);
  wire.say("3003", STRANGER, "between ourselves", { thread: post });
  expect(await take(again(), 2)).toEqual(["in the thread", "in the post"]);
});

test("T47: a session that ends while its gap is filled leaves the gap to be filled", async () => {
  const there = await connected();
  await heardBefore(there);
  const { wire, dm, again } = there;
  wire.say(dm, OWNER, "missed");
  wire.fail("history", { kind: "slow", delayMs: 400 });
  const after = again();
  await after.batch();
  after.ask();
  await wire.until(() => wire.callCount("history") > 0);
  wire.invalidSession(false);
  wire.say(dm, OWNER, "meanwhile");
  await wire.until(() => wire.gateway.identifies === 3);
  wire.say(dm, OWNER, "live");
  expect(await take(after, 3)).toEqual(["missed", "meanwhile", "live"]);
});

const faults: readonly [string, (wire: DiscordWire) => void][] = [
  ["the owner's chat", (wire) => wire.fail("opendm", { kind: "http500", times: "always" })],
  ["a place", (wire) => wire.fail("GET /channels/*", { kind: "http500", times: "always" })],
  ["a page", (wire) => wire.fail("history", { kind: "resetBeforeStore", times: "always" })],
];
for (const [name, fault] of faults) {
  test(`T47: while ${name} can't be asked for, nothing is passed over`, async () => {
    const { wire, dm, pull, again } = await connected();
    const guest = wire.dm(STRANGER);
    wire.say(dm, OWNER, "old");
    wire.say(guest, STRANGER, "old too");
    await take(pull, 2);
    pull.ask();
    await pull.stop();
    wire.say(dm, OWNER, "missed");
    wire.say(guest, STRANGER, "missed too");
    fault(wire);
    const after = again();
    await after.batch();
    await expect(after.batch()).rejects.toMatchObject({ code: "channel-unreachable" });
    wire.clearFaults();
    after.reopen();
    expect(await take(after, 2)).toEqual(["missed", "missed too"]);
  });
}

test("T47: with more places than the platform answers for at once, none is passed over", async () => {
  const { wire, dm, pull, again } = await connected();
  const guests = Array.from({ length: 12 }, (_, at) => String(7000 + at));
  for (const guest of guests) wire.addUser({ id: guest, name: `Guest ${guest}` });
  const chats = guests.map((guest) => [guest, wire.dm(guest)] as const);
  for (const [guest, chat] of chats) wire.say(chat, guest, "old");
  await take(pull, chats.length);
  pull.ask();
  await pull.stop();
  wire.say(dm, OWNER, "missed by the owner");
  for (const [guest, chat] of chats) wire.say(chat, guest, `missed by ${guest}`);
  wire.fail("GET /channels/*", { kind: "rateLimited", retryAfterMs: 20, times: 6 });
  const heard = await take(again(), chats.length + 1);
  expect(heard).toEqual(["missed by the owner", ...guests.map((guest) => `missed by ${guest}`)]);
});

test("T47: one place that never can be read is left out after a time, and said in the log", async () => {
  const there = await connected({ times: { fillMs: 0 } });
  await heardBefore(there);
  const { wire, dm, again } = there;
  wire.say(dm, OWNER, "missed");
  wire.say(PLACE, OWNER, "missed too", { mention: true });
  wire.fail(`GET /channels/${PLACE}/messages`, { kind: "http500", times: "always" });
  const after = again();
  await after.batch();
  after.ask();
  expect(await take(after, 1)).toEqual(["missed"]);
  wire.say(dm, OWNER, "live");
  expect(await take(after, 1)).toEqual(["live"]);
  expect((after.platform as Stage["platform"]).lines.join("\n")).toContain("can't be read back; it is left out");
});

test("D1, T47: what comes again from before takes no mark back", async () => {
  const { wire, pull, dm, again } = await connected();
  const first = wire.say(dm, OWNER, "one");
  const second = wire.say(dm, OWNER, "two");
  await take(pull, 2);
  pull.ask();
  await pull.stop();
  const after = again();
  await after.batch();
  await wire.until(() => wire.callCount("opendm") === 2);
  wire.redeliver(first);
  const batch = await after.batch();
  expect(batch).toMatchObject([{ key: first, mark: { place: dm, at: second } }]);
});

test("D1, T47: what a resume brings twice in one batch isn't settled before that batch is stored", async () => {
  const { wire, pull, platform, dm, room } = await stage();
  // As long as the first look at what was missed takes, nothing is handed on.
  wire.fail("opendm", { kind: "slow", delayMs: 1500 });
  // And the history, which would bring it first, is closed.
  wire.fail("history", { kind: "error", status: 403, code: 50_001 });
  await pull.batch();
  wire.say(dm, OWNER, "twice there");
  // A round trip later it has arrived.
  await platform.outlet.hint(room, { kind: "typing" }, never);
  wire.cut();
  await wire.until(() => wire.gateway.resumes === 1);
  expect(await take(pull, 1)).toEqual(["twice there"]);
  // The caller breaks off: it was not stored.
  const again = new Pull(platform, { marks: new Map() });
  onTestFinished(() => again[Symbol.asyncDispose]());
  again.ask();
  wire.cut();
  await wire.until(() => wire.gateway.resumes >= 2);
  expect(await take(again, 1)).toEqual(["twice there"]);
});

test("T44, T47: a direct message without its type comes again when its place can't be asked for", async () => {
  const { wire, pull } = await connected({ wire: { dmChannelType: false } });
  await wire.until(() => wire.callCount("opendm") === 1);
  wire.fail("GET /channels/*", { kind: "http500", times: "always" });
  wire.say(wire.dm(STRANGER), STRANGER, "from a stranger");
  await expect(pull.batch()).rejects.toMatchObject({ code: "channel-unreachable" });
  wire.clearFaults();
  pull.reopen();
  expect(await take(pull, 1)).toEqual(["from a stranger"]);
});

test("G3, T33: a command has its place behind what was said before it, and waits for what was missed no longer than it can", async () => {
  const there = await connected();
  await there.platform.outlet.menu([{ name: "stop", description: "Stops" }], never);
  await heardBefore(there);
  const { wire, dm, again } = there;
  for (const [delayMs, order] of [
    [300, ["missed", "before", "command", "after"]],
    [2500, ["command", "missed", "before", "after"]],
  ] as const) {
    wire.say(dm, OWNER, "missed");
    wire.fail("opendm", { kind: "slow", delayMs });
    const after = again();
    await after.batch();
    after.ask();
    wire.say(dm, OWNER, "before");
    const id = wire.command(dm, OWNER, "/stop");
    wire.say(dm, OWNER, "after");
    const heard: string[] = [];
    while (heard.length < 4) {
      for (const { key, raw } of (await after.batch()) ?? [])
        heard.push(key === id ? "command" : wordsOf(after.platform.channel.read(raw)));
    }
    expect(heard).toEqual(order);
    after.ask();
    await wire.until(() => wire.answerTo(id).state === "message");
    await after.stop();
    there.pull.since.marks.clear();
    for (const [place, at] of after.since.marks) there.pull.since.marks.set(place, at);
  }
});

// The connection to Discord: what breaks it, what was missed meanwhile, and that nothing of it ends the process.
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Inbound, RawUpdate } from "../../src/core/channel.ts";
import { Pull } from "../contracts/channel.ts";
import { OWNER, PLACE, STRANGER, never, platformOf, showText, stage } from "./discord-stage.ts";
import type { Stage, StageOptions } from "./discord-stage.ts";

/** The gateway asks for a beat this often, so that tests need not wait for the usual 41 s. */
const BEAT_MS = 100;

async function connected(options?: StageOptions): Promise<Stage> {
  const there = await stage(options);
  await there.pull.batch();
  return there;
}

function wordsOf(inbound: Inbound): string {
  if (inbound.kind !== "message" && inbound.kind !== "edit") return inbound.kind;
  return inbound.parts.map((part) => (part.kind === "text" ? part.text : part.file.name)).join(" ");
}

/** What would have ended the process. */
function fatal(): unknown[] {
  const found: unknown[] = [];
  const note = (thrown: unknown): void => void found.push(thrown);
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, note);
    onTestFinished(() => void process.off(event, note));
  }
  return found;
}

/** Pulls until so many updates have come, and says what they are. */
async function take(pull: Pull, count: number): Promise<{ updates: RawUpdate[]; words: string[] }> {
  const updates: RawUpdate[] = [];
  while (updates.length < count) {
    const batch = await pull.batch();
    if (batch === undefined) throw new Error(`The channel ended after ${updates.length} updates.`);
    updates.push(...batch);
  }
  return { updates, words: updates.map(({ raw }) => wordsOf(pull.platform.channel.read(raw))) };
}

describe("getting in", () => {
  test("T47: the first batch comes when the session is ready, asks for no more than is needed, and the owner's chat is open", async () => {
    const { wire, dm } = await connected();
    expect(wire.gateway.identifies).toBe(1);
    await wire.until(() => wire.callCount("opendm") === 1);
    expect(wire.callsOf("opendm").map(({ payload }) => payload)).toEqual([{ recipient_id: OWNER }]);
    expect(wire.connected).toBe(true);
    expect(dm).not.toBe("");
  });

  test("T44: a token that is refused says so, by the API and by the gateway", async () => {
    const { wire, pull } = await stage();
    wire.fail("gateway", { kind: "error", status: 401, code: 0, message: "401: Unauthorized" });
    await expect(pull.batch()).rejects.toMatchObject({ code: "channel-unauthorized" });
    pull.reopen();
    wire.refuseConnections(1, 4004);
    await expect(pull.batch()).rejects.toMatchObject({ code: "channel-unauthorized" });
    pull.reopen();
    expect(await pull.batch()).toEqual([]);
  });

  test("T44: message content is asked for only when wanted; switched off in the portal, the words say where the switch is", async () => {
    const { pull } = await stage({ settings: { messageContent: true } });
    await expect(pull.batch()).rejects.toMatchObject({
      code: "channel-unauthorized",
      hint: expect.stringMatching(/Message Content Intent.*Developer Portal.*messageContent: false/u) as string,
    });
    const allowed = await connected({ wire: { messageContent: true }, settings: { messageContent: true } });
    expect(allowed.wire.connected).toBe(true);
  });

  test("T44: what can't be reached is said within its deadline, and found again when it is asked again", async () => {
    const { wire, pull } = await stage({ times: { helloMs: 300, readyMs: 600 } });
    await wire.goDown();
    await expect(pull.batch()).rejects.toMatchObject({ code: "channel-unreachable" });
    await wire.comeBack();
    wire.noHello(5);
    pull.reopen();
    await expect(pull.batch()).rejects.toMatchObject({ code: "channel-unreachable" });
    wire.noHello(0);
    pull.reopen();
    expect(await pull.batch()).toEqual([]);
  });

  test("T44: connections that are refused at first are tried again", async () => {
    const { wire, pull } = await stage();
    wire.refuseConnections(2);
    expect(await pull.batch()).toEqual([]);
    expect(wire.connected).toBe(true);
  });

  test("T44: an address of the gateway that is none is an error in words, and ends nothing", async () => {
    const { wire, pull } = await stage();
    wire.fail("gateway", { kind: "json204" });
    await expect(pull.batch()).rejects.toMatchObject({ code: "channel-unreachable" });
    wire.fail("gateway", { kind: "html502" });
    pull.reopen();
    await expect(pull.batch()).rejects.toMatchObject({ code: "channel-unreachable" });
  });
});

describe("losing the connection", () => {
  const breaks: readonly [string, (stage: Stage) => void][] = [
    ["a cut", ({ wire }) => wire.cut()],
    ["op7", ({ wire }) => wire.reconnect()],
    ["a session that may be resumed (op9)", ({ wire }) => wire.invalidSession(true)],
    ["a session that may not (op9)", ({ wire }) => wire.invalidSession(false)],
    ["a close for a server's restart", ({ wire }) => wire.closeWith(1001)],
    ["a close that ends the session", ({ wire }) => wire.closeWith(1000)],
    ["a session that timed out", ({ wire }) => wire.closeWith(4009)],
  ];
  for (const [name, breaks_] of breaks) {
    test(`T47: after ${name} what was said meanwhile arrives once, in order`, async () => {
      const there = await connected();
      const { wire, pull, dm } = there;
      wire.say(dm, OWNER, "before");
      await take(pull, 1);
      pull.ask();
      breaks_(there);
      wire.say(dm, OWNER, "meanwhile");
      wire.say(PLACE, OWNER, "there too", { mention: true });
      const { words } = await take(pull, 2);
      expect(words.sort()).toEqual(["meanwhile", "there too"]);
      wire.say(dm, OWNER, "after");
      expect((await take(pull, 1)).words).toEqual(["after"]);
    });
  }

  test("T47: a connection whose beats aren't answered is opened again", async () => {
    const { wire, pull, dm } = await connected({ wire: { heartbeatMs: BEAT_MS } });
    pull.ask();
    wire.zombie();
    await wire.until(() => wire.gateway.resumes === 1);
    wire.say(dm, OWNER, "heard again");
    expect((await take(pull, 1)).words).toEqual(["heard again"]);
  });

  for (const deaf of [false, true])
    test(`T47: a half-open connection ${deaf ? "with nobody at its other end " : ""}is cut by our own watch, and what was said meanwhile arrives`, async () => {
      const { wire, pull, dm } = await connected({ wire: { heartbeatMs: BEAT_MS }, times: { staleMs: 400 } });
      pull.ask();
      wire.freeze({ deaf });
      wire.say(dm, OWNER, "into the void");
      await wire.until(() => wire.gateway.connects > 1);
      wire.thaw();
      expect((await take(pull, 1)).words).toEqual(["into the void"]);
    });

  test("T47: a resume that is never answered is given up in time", async () => {
    const { wire, pull } = await connected({ times: { readyMs: 700, helloMs: 400 } });
    pull.ask();
    wire.noHello(20);
    wire.cut();
    await expect(pull.batch()).rejects.toMatchObject({ code: "channel-unreachable" });
  });

  test("T47: one new session after another is given up instead of using up the day's", async () => {
    const { wire, pull } = await connected();
    pull.ask();
    const failed = pull.batch().catch((error: unknown) => error);
    for (let session = 2; session <= 4; session++) {
      wire.closeWith(1000);
      await wire.until(() => wire.gateway.identifies >= session);
    }
    expect(await failed).toMatchObject({ code: "channel-unreachable" });
    expect(wire.gateway.identifies).toBe(4);
  });
});

describe("what was missed", () => {
  test("D1, T47: what was not asked past comes again by the session, when the channel is asked again", async () => {
    const { wire, pull, platform, dm } = await connected();
    wire.say(dm, OWNER, "half stored");
    const { updates } = await take(pull, 1);
    // The caller breaks off: what it held was not stored.
    const again = new Pull(platform, { marks: new Map() });
    onTestFinished(() => again[Symbol.asyncDispose]());
    wire.cut();
    await expect(Promise.race([again.batch(), Promise.resolve("opened")])).resolves.toBeDefined();
    expect((await take(again, 1)).updates[0]?.key).toBe(updates[0]?.key);
  });

  test("T47: after a restart the marked places are read back page by page, oldest first, each under its own key", async () => {
    const { wire, pull, dm, again } = await connected();
    wire.say(dm, OWNER, "old");
    wire.say(PLACE, OWNER, "old too", { mention: true });
    await take(pull, 2);
    pull.ask();
    await pull.stop();
    const ids = Array.from({ length: 230 }, (_, at) => wire.say(dm, OWNER, `missed ${at}`));
    wire.say(PLACE, STRANGER, "not for us");
    wire.say(PLACE, OWNER, "for us", { mention: true });
    const after = again();
    const { updates, words } = await take(after, 231);
    const private_ = updates.filter(({ mark }) => mark?.place === dm);
    expect(private_.map(({ key }) => key)).toEqual(ids);
    expect(words.filter((one) => !one.startsWith("missed"))).toEqual(["for us"]);
    expect(JSON.stringify(updates)).not.toContain("not for us");
    // The same once more from the connection is known by its key.
    wire.redeliver(ids.at(-1) ?? "");
    wire.say(dm, OWNER, "new");
    expect((await take(after, 1)).words).toEqual(["new"]);
  });

  test("T47: what is said while the gap is filled waits for its turn", async () => {
    const { wire, pull, dm, again } = await connected();
    wire.say(dm, OWNER, "old");
    await take(pull, 1);
    pull.ask();
    await pull.stop();
    wire.say(dm, OWNER, "missed");
    wire.fail("history", { kind: "slow", delayMs: 300 });
    const after = again();
    await after.batch();
    after.ask();
    wire.say(dm, OWNER, "live");
    expect((await take(after, 2)).words).toEqual(["missed", "live"]);
  });

  test("T47: a place that is closed is left out; a platform that can't be asked is asked again later", async () => {
    const { wire, pull, dm, again } = await connected();
    wire.say(dm, OWNER, "old");
    wire.say(PLACE, OWNER, "old too", { mention: true });
    await take(pull, 2);
    pull.ask();
    await pull.stop();
    wire.say(dm, OWNER, "missed");
    wire.say(PLACE, OWNER, "missed too", { mention: true });
    wire.forbid(PLACE);
    wire.fail("history", { kind: "http500", times: "always" });
    const after = again();
    await after.batch();
    await expect(after.batch()).rejects.toMatchObject({ code: "channel-unreachable" });
    wire.clearFaults();
    after.reopen();
    expect((await take(after, 1)).words).toEqual(["missed"]);
  });

  test("T47: a gap larger than is read back is said in the log", async () => {
    const { wire, pull, dm, again, platform } = await connected();
    wire.say(dm, OWNER, "old");
    await take(pull, 1);
    pull.ask();
    await pull.stop();
    for (let at = 0; at < 1101; at++) wire.say(dm, OWNER, `missed ${at}`);
    const after = again();
    await take(after, 1000);
    expect(wire.callsOf("history").filter(({ path }) => path.includes(dm))).toHaveLength(11);
    expect(platform.lines.join("\n")).not.toContain("More was said");
    expect((after.platform as Stage["platform"]).lines.join("\n")).toContain("More was said on Discord meanwhile");
  });
});

describe("what concerns us", () => {
  test("T44: direct messages are heard with and without their type, and also edits and deletions in a chat never seen before", async () => {
    const { wire, pull, dm } = await connected({ wire: { dmChannelType: false } });
    const id = wire.say(dm, OWNER, "one");
    const cold = wire.dm(STRANGER);
    const theirs = wire.miss(() => wire.say(cold, STRANGER, "never heard"));
    wire.edit(cold, theirs, "changed");
    wire.remove(cold, theirs);
    wire.edit(dm, id, "two");
    wire.unfurl(dm, id);
    wire.pin(dm, id);
    wire.remove(dm, id);
    // A preview or a pin that comes to an edited message looks like the edit again, and has its key.
    const { updates } = await take(pull, 5);
    const read = updates.map(({ raw }) => pull.platform.channel.read(raw));
    expect(read).toMatchObject([
      { kind: "message", room: { chat: dm, kind: "private" } },
      { kind: "edit", room: { chat: cold, kind: "private" }, messageId: theirs },
      { kind: "deleted", room: { chat: cold }, messageId: theirs },
      { kind: "edit", messageId: id, parts: [{ text: "two" }] },
      { kind: "deleted", messageId: id },
    ]);
    expect(updates.map(({ key }) => key)).toEqual([
      id,
      expect.stringMatching(`^${theirs}/2`),
      `${theirs}/deleted`,
      expect.stringMatching(`^${id}/2`),
      `${id}/deleted`,
    ]);
  });

  test("T44: in a server only what is for us is handed on, with its edits and deletions, one by one or in bulk", async () => {
    const { wire, pull } = await connected({ wire: { messageContent: true }, settings: { messageContent: true } });
    const other = wire.say(PLACE, STRANGER, "between ourselves");
    wire.edit(PLACE, other, "still between ourselves");
    const ids = ["one", "two"].map((text) => wire.say(PLACE, STRANGER, text, { mention: true }));
    wire.edit(PLACE, ids[0] ?? "", "one more");
    wire.remove(PLACE, other, ...ids);
    const { updates, words } = await take(pull, 5);
    expect(words).toEqual(["one", "two", "one more", "deleted", "deleted"]);
    expect(JSON.stringify(updates)).not.toContain("between ourselves");
    expect(updates.slice(3).map(({ key }) => key)).toEqual(ids.map((id) => `${id}/deleted`));
    expect(updates[0]?.mark).toEqual({ place: PLACE, at: ids[0] });
  });

  test("T44: what was handed on before a restart can still be taken back", async () => {
    const { wire, pull, again } = await connected();
    const before = wire.miss(() => wire.say(PLACE, STRANGER, "nothing to us"));
    const id = wire.say(PLACE, STRANGER, "for you", { mention: true });
    await take(pull, 1);
    pull.ask();
    await pull.stop();
    const after = again();
    await after.batch();
    const later = wire.say(PLACE, STRANGER, "nothing to us either");
    wire.remove(PLACE, later);
    wire.remove(PLACE, id);
    expect((await take(after, 1)).updates[0]?.key).toBe(`${id}/deleted`);
    expect(before < id).toBe(true);
  });

  test("T10, T44: threads and forum posts are rooms of their own, the bot's role addresses it, and the room has its name", async () => {
    // Without the content a message that names only the role comes empty.
    const { wire, pull } = await connected({ wire: { messageContent: true }, settings: { messageContent: true } });
    const thread = wire.addThread(PLACE, { name: "side talk" });
    wire.say(PLACE, OWNER, "here", { thread, mention: true });
    wire.addForum("3003", "ideas");
    const post = wire.addPost("3003", OWNER, "A title", `<@${wire.botId}> look`);
    wire.say(PLACE, OWNER, `<@&${wire.botRole()}> by role`);
    const { updates } = await take(pull, 3);
    expect(updates.map(({ raw }) => pull.platform.channel.read(raw))).toMatchObject([
      { room: { chat: thread, kind: "shared" }, roomName: "#side talk", addressed: true },
      { room: { chat: post, kind: "shared" }, parts: [{ text: "look" }] },
      { room: { chat: PLACE }, roomName: "#general", addressed: true, parts: [{ text: "by role" }] },
    ]);
  });

  test("T34: our own words, other programs and webhooks are not handed on", async () => {
    const { wire, pull, platform, room, dm } = await connected();
    wire.addBot("2099", "other");
    wire.say(PLACE, "2099", "beep", { mention: true });
    wire.say(PLACE, STRANGER, "ring", { mention: true, webhook: "hook" });
    await showText(platform, room, "our own");
    wire.say(dm, OWNER, "a person");
    expect((await take(pull, 1)).words).toEqual(["a person"]);
  });
});

describe("what can't be understood", () => {
  /** Most of it ends discord.js's own Client, or the shard under it, by an error that nobody can catch. */
  const JUNK: readonly object[] = [
    {
      t: "INTERACTION_CREATE",
      d: {
        id: "1",
        type: 3,
        token: "t",
        application_id: "1",
        data: { component_type: 2, custom_id: "x" },
        channel_id: "1",
      },
    },
    { t: "MESSAGE_CREATE", d: null },
    { t: "MESSAGE_CREATE", d: { id: 5, author: "x" } },
    { t: "GUILD_CREATE", d: { id: "5", channels: "none" } },
    { t: "READY", d: null },
    { t: 7, d: [] },
  ];
  const FRAMES: readonly string[] = [
    '{"op":9}',
    '{"op":10}',
    '{"op":0}',
    '{"op":0,"t":"MESSAGE_CREATE","d":{},"s":"x"}',
    '{"op":"0"}',
    "7",
    "null",
    "no JSON",
    "",
  ];

  test("T44: a malformed event ends neither the process nor the connection", async () => {
    const { wire, pull, dm, platform } = await connected();
    const wrong = fatal();
    pull.ask();
    for (const junk of JUNK) wire.pushRaw(junk as never);
    for (const frame of FRAMES) wire.gateway.sendText(frame);
    wire.say(dm, OWNER, "still here");
    const { words } = await take(pull, 1);
    expect(words.at(-1)).toBe("still here");
    expect(platform.lines.join("\n")).toContain("Something from Discord can't be understood.");
    expect(wrong).toEqual([]);
  });

  test("T44: a 204 that calls itself JSON is an answer like any other", async () => {
    const { wire, platform, room } = await connected();
    wire.fail("typing", { kind: "json204" });
    expect(await platform.outlet.hint(room, { kind: "typing" }, never)).toBeUndefined();
    expect(platform.lines.join("\n")).not.toContain("took no hint");
  });
});

describe("the end", () => {
  test("T39: it ends within a second, also while the connection is dead or being opened, and opens no other", async () => {
    const frozen = await connected();
    frozen.pull.ask();
    frozen.wire.freeze();
    await frozen.pull.stop();

    const opening = await stage();
    opening.wire.noHello(5);
    opening.pull.ask();
    await opening.wire.until(() => opening.wire.gateway.connects === 1);
    await opening.pull.stop();

    const between = await connected();
    between.pull.ask();
    between.wire.cut();
    await between.wire.until(() => !between.wire.connected);
    // A round trip later the library has seen it as well, and waits to open the next one.
    await between.platform.outlet.hint(between.room, { kind: "typing" }, never);
    await between.pull.stop();
    // Longer than the library waits before it opens the next one: another connection goes through all of it meanwhile.
    const other = new Pull(platformOf(between.wire, {}, {}));
    onTestFinished(() => other[Symbol.asyncDispose]());
    await other.batch();
    other.ask();
    between.wire.cut();
    await between.wire.until(() => between.wire.gateway.resumes === 1);
    expect(between.wire.gateway.connects).toBe(3);
  });

  test("T39: ended while a connection is being opened that nobody answers, it ends without an error", async () => {
    const wrong = fatal();
    const { wire, pull, platform, room } = await stage();
    const mute = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void mute.close());
    await once(mute, "listening");
    const { port } = mute.address() as AddressInfo;
    Object.defineProperty(wire.gateway, "url", { value: `ws://127.0.0.1:${port}` });
    pull.ask();
    const [socket] = (await once(mute, "connection")) as [Socket];
    const gone = once(socket.resume(), "close");
    await pull.stop();
    await gone;
    await platform.outlet.hint(room, { kind: "typing" }, never);
    expect(wrong).toEqual([]);
  });

  test("T39: disposed in the middle it ends without an error", async () => {
    const { wire, pull, platform } = await connected();
    pull.ask();
    await platform.channel[Symbol.asyncDispose]();
    expect(await pull.batch()).toBeUndefined();
    await wire.until(() => !wire.connected);
  });
});

// The Telegram channel against the loopback platform, through the real grammY: the contract, and what only Telegram does.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { telegram } from "../../src/channels/telegram/channel.ts";
import type { TelegramTimes } from "../../src/channels/telegram/channel.ts";
import type { Platform } from "../../src/core/channel.ts";
import type { Room } from "../../src/core/message.ts";
import type { Shown } from "../../src/core/reply.ts";
import type { Clock } from "../../src/core/surroundings.ts";
import {
  ONCE,
  Pull,
  describeChannel,
  everythingIn,
  fileIn,
  recordedSurroundings,
  reply,
} from "../contracts/channel.ts";
import type { ChannelDriver, FaultName, Saying, Where } from "../contracts/channel.ts";
import type { Fault } from "../wire/telegram-faults.ts";
import type { SayExtra } from "../wire/telegram-people.ts";
import { startTelegram } from "../wire/telegram.ts";
import type { TelegramOptions, TelegramWire } from "../wire/telegram.ts";

const OWNER = 1001;
const STRANGER = 2002;
const GROUP = -5001;
const never = new AbortController().signal;

function platformOf(
  wire: Pick<TelegramWire, "token" | "apiRoot">,
  times?: TelegramTimes,
): Platform & { lines: string[] } {
  const { surroundings, lines } = recordedSurroundings();
  return { ...telegram({ token: wire.token, apiRoot: wire.apiRoot }, surroundings, times), lines };
}

const FAULTS: Readonly<Record<FaultName, Fault>> = {
  "too-fast": { kind: "error", code: 429, retryAfter: 7 },
  "not-parseable": {
    kind: "error",
    code: 400,
    description: 'Bad Request: can\'t parse entities: Unsupported start tag "x" at byte offset 0',
  },
  "lost-before": { kind: "resetBeforeStore" },
  "lost-after": { kind: "resetAfterStore" },
  gone: { kind: "error", code: 403, description: "Forbidden: bot was blocked by the user" },
};

async function telegramDriver(): Promise<ChannelDriver> {
  const wire = await startTelegram();
  wire.addUser({ id: OWNER, first_name: "Sam", username: "sam" });
  wire.addGroup(GROUP, "Team");
  const chatOf = (where: Where): number => (where === "private" ? OWNER : GROUP);
  let pressed: string | undefined;
  return {
    secrets: [wire.token, "test-token"],
    connect: (surroundings) => telegram({ token: wire.token, apiRoot: wire.apiRoot }, surroundings),
    say(where, text, saying = {}) {
      return Promise.resolve(String(wire.say(chatOf(where), OWNER, text, extraOf(saying)).message_id));
    },
    remove: () => Promise.reject(new Error("Telegram tells of no deletions.")),
    cut: () => Promise.resolve(wire.fail("getUpdates", { kind: "resetBeforeStore" })),
    edit(where, messageId, text) {
      wire.edit(chatOf(where), Number(messageId), text);
      return Promise.resolve();
    },
    // Neither a private chat nor a basic group has such addresses.
    linkTo: () => Promise.resolve(undefined),
    seen: (where) =>
      Promise.resolve(
        wire.sent(chatOf(where)).map((message) => ({
          ref: String(message.id),
          text: message.text,
          buttons: message.keyboard.flat().map((button) => button.text),
          inert: message.linkPreviewDisabled,
        })),
      ),
    press(where, ref, label) {
      pressed = wire.press(chatOf(where), OWNER, Number(ref), label);
      return Promise.resolve();
    },
    answered: () => Promise.resolve(pressed === undefined ? undefined : wire.answerTo(pressed)?.text),
    fault(fault) {
      wire.fail("sendMessage", FAULTS[fault]);
      return Promise.resolve();
    },
    unacknowledged: () => Promise.resolve(wire.pendingUpdates),
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
}

function extraOf({ file, forwarded, replyTo }: Saying): SayExtra {
  return {
    ...(file === undefined
      ? {}
      : {
          document: {
            name: file.name,
            bytes: file.bytes,
            ...(file.claimedBytes === undefined ? {} : { size: file.claimedBytes }),
          },
        }),
    ...(forwarded === true ? { forward: { type: "user", user: STRANGER } as const } : {}),
    ...(replyTo === undefined ? {} : { replyTo: Number(replyTo) }),
  };
}

describeChannel("telegram", telegramDriver, {
  deletions: "Telegram tells bots of no deletion in ordinary chats",
});

async function start(
  options: TelegramOptions = {},
  times: TelegramTimes = {},
): Promise<{ wire: TelegramWire; platform: ReturnType<typeof platformOf>; pull: Pull }> {
  const wire = await startTelegram(options);
  onTestFinished(() => wire[Symbol.asyncDispose]());
  wire.addUser({ id: OWNER, first_name: "Sam", username: "sam" });
  const platform = platformOf(wire, times);
  const pull = new Pull(platform);
  onTestFinished(() => pull[Symbol.asyncDispose]());
  return { wire, platform, pull };
}

const PRIVATE: Room = { platform: "telegram", chat: String(OWNER), kind: "private" };

async function showText(platform: Platform, room: Room, text: string, how = ONCE): Promise<Shown> {
  const [piece] = platform.outlet.pieces(reply(text));
  if (piece === undefined) throw new Error("Nothing to show.");
  return await platform.outlet.show(room, piece, how, never);
}

/** Time that passes only when it is told to. */
function manualClock(): Clock & { advance(ms: number): void } {
  let now = 1_000_000;
  const asleep = new Set<{ at: number; wake: () => void }>();
  return {
    now: () => now,
    sleep: (waitMs) =>
      new Promise<void>((resolve) => {
        asleep.add({ at: now + waitMs, wake: resolve });
      }),
    soon: (task) => void setImmediate(task),
    advance(ms) {
      now += ms;
      for (const one of asleep) {
        if (one.at > now) continue;
        asleep.delete(one);
        one.wake();
      }
    },
  };
}

describe("polling", () => {
  test("T31: the full list of wanted updates goes with every poll, and a webhook is taken away first", async () => {
    const { wire, pull } = await start();
    wire.state.webhook = { url: "https://example.com/hook" };
    await pull.batch();
    wire.say(OWNER, OWNER, "one");
    await pull.next();
    pull.ask();
    await wire.until(() => wire.callCount("getUpdates") === 2);
    // The stop sends a third, which only confirms.
    await pull.stop();
    const wanted = ["message", "edited_message", "callback_query", "my_chat_member", "stopped_message_generation"];
    const polls = wire.callsOf("getUpdates");
    expect(polls.map(({ payload }) => payload["limit"])).toEqual([undefined, undefined, 1]);
    for (const { payload } of polls) expect(payload["allowed_updates"]).toEqual(wanted);
    expect(wire.callsOf("deleteWebhook").map(({ payload }) => payload)).toEqual([{ drop_pending_updates: false }]);
  });

  test("D1: a batch is confirmed only when the next is asked for", async () => {
    const { wire, platform, pull } = await start();
    await pull.batch();
    const { message_id: id } = wire.say(OWNER, OWNER, "not lost");
    const first = await pull.next();
    expect(wire.confirmedOffset).toBe(0);
    expect(wire.pendingUpdates).toBe(1);
    // Killed before the next pull: nothing is confirmed behind anyone's back.
    await platform.channel[Symbol.asyncDispose]();
    const after = new Pull(platformOf(wire));
    onTestFinished(() => after[Symbol.asyncDispose]());
    const second = await after.next();
    expect(second.update).toEqual(first.update);
    expect(second.inbound).toMatchObject({ kind: "message", messageId: String(id) });
    after.ask();
    await wire.until(() => wire.pendingUpdates === 0);
  });

  test("D1: a caller that breaks off in the middle of a batch gets it again, also from the same channel", async () => {
    const { wire, platform } = await start();
    wire.say(OWNER, OWNER, "half stored");
    const keys: string[] = [];
    for (let round = 0; round < 2; round++) {
      for await (const batch of platform.channel.inbound(never, { marks: new Map() })) {
        keys.push(...batch.map(({ key }) => key));
        if (batch.length > 0) break;
      }
      expect(wire.pendingUpdates).toBe(1);
      expect(wire.confirmedOffset).toBe(0);
    }
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  test("T40: the offset outlives a broken poll on the same channel", async () => {
    const { wire, platform, pull } = await start();
    await pull.batch();
    wire.say(OWNER, OWNER, "one");
    await pull.next();
    wire.fail("getUpdates", { kind: "resetBeforeStore" });
    await expect(pull.batch()).rejects.toMatchObject({ code: "channel-unreachable" });
    wire.say(OWNER, OWNER, "two");
    const after = new Pull(platform);
    onTestFinished(() => after[Symbol.asyncDispose]());
    expect((await after.message()).parts).toMatchObject([{ text: "two" }]);
  });

  const deaths: readonly [title: string, fault: Fault, code: string][] = [
    ["T28: a 401 is a refused token", { kind: "error", code: 401 }, "channel-unauthorized"],
    [
      "T28: a 404, as for a token of the wrong form, is a refused token",
      { kind: "error", code: 404, description: "Not Found" },
      "channel-unauthorized",
    ],
    ["T29: a 409 says that another program reads along", { kind: "error", code: 409 }, "channel-conflict"],
    ["T27: a 502 page is an unreachable platform", { kind: "html502" }, "channel-unreachable"],
    ["T27: a 500 in the envelope is an unreachable platform", { kind: "error", code: 500 }, "channel-unreachable"],
    ["T27: a reset is an unreachable platform", { kind: "resetBeforeStore" }, "channel-unreachable"],
    ["T30: a poll that is never answered is an unreachable platform", { kind: "hang" }, "channel-unreachable"],
  ];
  for (const [title, fault, code] of deaths) {
    test(title, async () => {
      const { wire, platform, pull } = await start({}, { pollSeconds: 0, graceMs: 300 });
      await pull.batch();
      wire.fail("getUpdates", fault);
      const thrown: unknown = await pull.batch().then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(thrown).toMatchObject({ name: "GatewayError", code });
      expect(everythingIn(thrown)).not.toContain("test-token");
      expect(platform.lines.join("\n")).not.toContain("test-token");
      // It can be called again, and goes on.
      wire.say(OWNER, OWNER, "still here");
      const after = new Pull(platform);
      onTestFinished(() => after[Symbol.asyncDispose]());
      expect((await after.message()).parts).toMatchObject([{ text: "still here" }]);
    });
  }

  test("T28: a refused token at the start is said so, and nothing is polled", async () => {
    const { wire } = await start();
    const { surroundings } = recordedSurroundings();
    const other = telegram({ token: "77:wrong-secret", apiRoot: wire.apiRoot }, surroundings);
    const pull = new Pull(other);
    onTestFinished(() => pull[Symbol.asyncDispose]());
    const thrown: unknown = await pull.batch().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(thrown).toMatchObject({ code: "channel-unauthorized" });
    expect(everythingIn(thrown)).not.toContain("wrong-secret");
    expect(wire.callCount("getUpdates")).toBe(0);
  });

  test("T29: a second poller ends this one with a conflict", async () => {
    const { wire, pull } = await start();
    await pull.batch();
    pull.ask();
    await wire.until(() => wire.polling);
    const rival = new Pull(platformOf(wire));
    onTestFinished(() => rival[Symbol.asyncDispose]());
    await rival.batch();
    rival.ask();
    await expect(pull.batch()).rejects.toMatchObject({ code: "channel-conflict" });
  });

  test("T26: a poll that is told to wait waits, and goes on by itself", async () => {
    const { wire, pull } = await start({}, { pollSeconds: 1 });
    await pull.batch();
    wire.fail("getUpdates", { kind: "error", code: 429, retryAfter: 1 });
    wire.say(OWNER, OWNER, "after the wait");
    const before = performance.now();
    expect((await pull.message()).parts).toMatchObject([{ text: "after the wait" }]);
    expect(performance.now() - before).toBeGreaterThan(900);
  });

  test("T30: nobody listening is an unreachable platform, also at the start", async () => {
    const { surroundings } = recordedSurroundings();
    const pull = new Pull(telegram({ token: "1:secret", apiRoot: "http://127.0.0.1:9" }, surroundings));
    onTestFinished(() => pull[Symbol.asyncDispose]());
    await expect(pull.batch()).rejects.toMatchObject({ code: "channel-unreachable" });
  });

  for (const [what, body] of [
    ["null", "null"],
    ["no envelope", "{}"],
    ["a result of the wrong kind", '{"ok":true,"result":7}'],
    ["updates without ids", '{"ok":true,"result":[{"message":{}},null,5]}'],
  ] as const) {
    test(`T27: an answer that is ${what} ends as unreachable, not in a hot loop or a crash`, async () => {
      const server = createServer((request, response) => {
        const answer =
          request.url?.endsWith("getUpdates") === true
            ? body
            : '{"ok":true,"result":{"id":1,"is_bot":true,"first_name":"B","username":"b_bot"}}';
        response.end(answer);
      });
      await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      const { surroundings } = recordedSurroundings();
      const apiRoot = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const pull = new Pull(telegram({ token: "1:secret", apiRoot }, surroundings));
      onTestFinished(() => pull[Symbol.asyncDispose]());
      await pull.batch();
      await expect(pull.batch()).rejects.toMatchObject({ code: "channel-unreachable" });
    });
  }
});

describe("showing", () => {
  test("T24: link previews are off on every send and edit, marked up, plain or repeated", async () => {
    const { wire, platform } = await start();
    const text = "see https://example.com";
    const shown = await showText(platform, PRIVATE, text);
    if (shown.is !== "shown") throw new Error("not shown");
    for (const plain of [false, true])
      for (const repeat of [false, true]) {
        await showText(platform, PRIVATE, text, { ...ONCE, plain, repeat });
        await showText(platform, PRIVATE, `${text} ${String(plain)} ${String(repeat)}`, {
          ...ONCE,
          plain,
          repeat,
          edit: shown.ref,
        });
      }
    const calls = [...wire.callsOf("sendMessage"), ...wire.callsOf("editMessageText")];
    expect(calls.length).toBe(9);
    for (const { payload } of calls) expect(payload["link_preview_options"]).toEqual({ is_disabled: true });
    for (const message of wire.sent(OWNER)) expect(message.linkPreviewDisabled).toBe(true);
  });

  test("T10: an answer, its typing and its draft stay in the topic", async () => {
    const { wire, platform } = await start({ topicsInPrivate: true });
    const thread = wire.addTopic(OWNER, "Plans");
    const room: Room = { ...PRIVATE, thread: String(thread) };
    await showText(platform, room, "here");
    await platform.outlet.hint(room, { kind: "typing" }, never);
    await platform.outlet.hint(room, { kind: "draft", key: "a", text: "so far" }, never);
    expect(wire.sent(OWNER)).toMatchObject([{ threadId: thread }]);
    expect(wire.actions).toMatchObject([{ threadId: thread, action: "typing" }]);
    expect(wire.draftLog(OWNER)).toMatchObject([{ threadId: thread }]);
  });

  test("P34: a message of a supergroup is opened by the group's own number, within its topic", async () => {
    const { platform } = await start();
    const link = (chat: string, id: string, more: Partial<Room> = {}): string | undefined =>
      platform.outlet.link({ platform: "telegram", chat, kind: "shared", ...more }, id);
    expect(link("-1001234567890", "42")).toBe("https://t.me/c/1234567890/42");
    expect(link("-1001234567890", "42", { thread: "7" })).toBe("https://t.me/c/1234567890/7/42");
    // Both ends of the range, as core.telegram.org/api/bots/ids has it; below it are secret chats and channels' direct messages.
    expect(link("-1000000000001", "1")).toBe("https://t.me/c/1/1");
    expect(link("-1997852516352", "1")).toBe("https://t.me/c/997852516352/1");
    for (const none of [
      "-1000000000000",
      "-1997852516353",
      "-2002147483649",
      "-999999999999",
      "-5001",
      "1001234567890",
    ])
      expect(link(none, "1")).toBeUndefined();
    for (const none of ["", "0", "07", "7/8", "x"])
      expect(link("-1001234567890", "42", { thread: none })).toBeUndefined();
    expect(link("-1001234567890", "42", { kind: "private" })).toBeUndefined();
  });

  test("T10 T14: a topic that is closed or gone is gone", async () => {
    const { wire, platform } = await start();
    wire.addSupergroup(-100_77, { forum: true });
    const room = (thread: number): Room => ({
      platform: "telegram",
      chat: "-10077",
      thread: String(thread),
      kind: "shared",
    });
    expect(await showText(platform, room(999), "anyone?")).toMatchObject({ is: "refused", why: "gone" });
  });

  test("T13: a send to a group that moved says where to", async () => {
    const { wire, platform } = await start();
    wire.addGroup(GROUP);
    const to = wire.migrate(GROUP);
    expect(await showText(platform, { platform: "telegram", chat: String(GROUP), kind: "shared" }, "hello")).toEqual({
      is: "moved",
      chat: String(to),
    });
  });

  test("T14: a blocked bot, a deleted account and an unknown chat are gone", async () => {
    const { wire, platform } = await start();
    wire.block(OWNER);
    expect(await showText(platform, PRIVATE, "x")).toMatchObject({ is: "refused", why: "gone" });
    wire.unblock(OWNER);
    expect(await showText(platform, PRIVATE, "x")).toMatchObject({ is: "shown" });
    wire.deactivate(OWNER);
    expect(await showText(platform, PRIVATE, "x")).toMatchObject({ is: "refused", why: "gone" });
    expect(await showText(platform, { ...PRIVATE, chat: "424242" }, "x")).toMatchObject({ is: "refused", why: "gone" });
  });

  test("T22: an edit that changes nothing, and one of a message that is gone", async () => {
    const { wire, platform } = await start();
    const shown = await showText(platform, PRIVATE, "same");
    if (shown.is !== "shown") throw new Error("not shown");
    expect(await showText(platform, PRIVATE, "same", { ...ONCE, edit: shown.ref })).toEqual(shown);
    wire.deleteMessage(OWNER, Number(shown.ref));
    expect(await showText(platform, PRIVATE, "other", { ...ONCE, edit: shown.ref })).toMatchObject({
      is: "refused",
      why: "edit-gone",
    });
  });

  test("T27: a send that can't have left is tried again; one that may have, is not known", async () => {
    const { surroundings } = recordedSurroundings();
    const nobody = telegram({ token: "1:secret", apiRoot: "http://127.0.0.1:9" }, surroundings);
    expect(await showText(nobody, PRIVATE, "x")).toMatchObject({ is: "wait", why: "unreachable" });
    expect(await showText(nobody, PRIVATE, "x", { ...ONCE, edit: "5" })).toMatchObject({
      is: "wait",
      why: "unreachable",
    });
    const nowhere = telegram({ token: "1:secret", apiRoot: "http://no-such-host.invalid" }, surroundings);
    expect(await showText(nowhere, PRIVATE, "x")).toMatchObject({ is: "wait", why: "unreachable" });
    const { wire, platform } = await start();
    for (const kind of ["html502", "resetBeforeStore", "resetAfterStore"] as const) {
      wire.fail("sendMessage", { kind });
      expect(await showText(platform, PRIVATE, kind)).toEqual({ is: "unknown" });
    }
    wire.fail("sendMessage", { kind: "error", code: 500 });
    expect(await showText(platform, PRIVATE, "500")).toEqual({ is: "unknown" });
    const shown = await showText(platform, PRIVATE, "text");
    if (shown.is !== "shown") throw new Error("not shown");
    wire.fail("editMessageText", { kind: "error", code: 500 });
    expect(await showText(platform, PRIVATE, "other", { ...ONCE, edit: shown.ref })).toMatchObject({
      is: "wait",
      why: "unreachable",
    });
    wire.fail("editMessageText", { kind: "resetAfterStore" });
    expect(await showText(platform, PRIVATE, "third", { ...ONCE, edit: shown.ref })).toEqual({ is: "unknown" });
  });

  test("T39: an aborted show ends at once, as not sent before it began and as unknown after", async () => {
    const { wire, platform } = await start();
    const [piece] = platform.outlet.pieces(reply("x"));
    if (piece === undefined) throw new Error("no piece");
    expect(await platform.outlet.show(PRIVATE, piece, ONCE, AbortSignal.abort())).toMatchObject({
      is: "wait",
      why: "unreachable",
    });
    expect(wire.callCount("sendMessage")).toBe(0);
    wire.fail("sendMessage", { kind: "hang" });
    const stop = new AbortController();
    const showing = platform.outlet.show(PRIVATE, piece, ONCE, stop.signal);
    await wire.until(() => wire.callCount("sendMessage") === 1);
    stop.abort();
    expect(await showing).toEqual({ is: "unknown" });
  });

  test("T27: a send that is never answered ends at its deadline as unknown, an edit and a hint too; others go on", async () => {
    const { wire } = await start();
    const clock = manualClock();
    const { surroundings } = recordedSurroundings();
    const platform = telegram({ token: wire.token, apiRoot: wire.apiRoot }, { ...surroundings, clock });
    onTestFinished(() => platform.channel[Symbol.asyncDispose]());
    const shown = await showText(platform, PRIVATE, "text");
    if (shown.is !== "shown") throw new Error("not shown");
    wire.fail("sendMessage", { kind: "hangAfterStore" });
    wire.fail("editMessageText", { kind: "hang" });
    wire.fail("sendChatAction", { kind: "hang" });
    const ends: string[] = [];
    const note = (name: string) => (what: { is: string } | undefined) =>
      void ends.push(`${name} ${what?.is ?? "nothing"}`);
    const all = [
      showText(platform, PRIVATE, "hangs").then(note("send")),
      showText(platform, PRIVATE, "other", { ...ONCE, edit: shown.ref }).then(note("edit")),
      platform.outlet.hint(PRIVATE, { kind: "typing" }, never).then(note("typing")),
    ];
    await wire.until(
      () =>
        wire.callCount("sendChatAction") === 1 &&
        wire.callCount("editMessageText") === 1 &&
        wire.callCount("sendMessage") === 2,
    );
    clock.advance(9999);
    expect(await showText(platform, PRIVATE, "meanwhile")).toMatchObject({ is: "shown" });
    expect(ends).toEqual([]);
    clock.advance(1);
    await all[2];
    clock.advance(19_999);
    expect(await showText(platform, PRIVATE, "late")).toMatchObject({ is: "shown" });
    expect(ends).toEqual(["typing nothing"]);
    clock.advance(1);
    await Promise.all(all);
    expect(ends.toSorted()).toEqual(["edit unknown", "send unknown", "typing nothing"]);
  });

  test("T21: a draft shows the end of a long text, keeps its number, and gives up quietly", async () => {
    const { wire, platform } = await start();
    const { outlet } = platform;
    const lines = Array.from({ length: 2000 }, (_, at) => `line ${at}`);
    await outlet.hint(PRIVATE, { kind: "draft", key: "t/1", text: "" }, never);
    await outlet.hint(PRIVATE, { kind: "draft", key: "t/1", text: "so **far" }, never);
    await outlet.hint(PRIVATE, { kind: "draft", key: "t/1", text: lines.join("\n") }, never);
    await outlet.hint(PRIVATE, { kind: "draft", key: "t/2", text: "next" }, never);
    const [thinking, short, long, other] = wire.draftLog(OWNER);
    expect(thinking).toMatchObject({ text: "", canStop: true, keepOnStop: true });
    expect(short?.draftId).toBe(thinking?.draftId);
    expect(long?.draftId).toBe(short?.draftId);
    expect(other?.draftId).not.toBe(long?.draftId);
    expect(long?.text).toContain("line 1999");
    expect(long?.text.length).toBeLessThanOrEqual(4096);
    for (const fault of [{ kind: "error", code: 400 }, { kind: "resetBeforeStore" }, { kind: "html502" }] as const) {
      wire.fail("sendMessageDraft", fault);
      expect(await outlet.hint(PRIVATE, { kind: "draft", key: "t/1", text: "more" }, never)).toBeUndefined();
    }
    wire.fail("sendMessageDraft", { kind: "error", code: 429, retryAfter: 4 });
    expect(await outlet.hint(PRIVATE, { kind: "draft", key: "t/1", text: "more" }, never)).toEqual({
      is: "wait",
      waitMs: 4000,
      why: "too-fast",
    });
    expect(wire.sent(OWNER)).toEqual([]);
    // In a group a text under way is an edited message, so a draft there does nothing.
    wire.addGroup(GROUP);
    const calls = wire.callCount("sendMessageDraft");
    await outlet.hint(
      { platform: "telegram", chat: String(GROUP), kind: "shared" },
      { kind: "draft", key: "t", text: "x" },
      never,
    );
    expect(wire.callCount("sendMessageDraft")).toBe(calls);
  });

  test("T21: the stop button of a draft arrives as a stop from the person whose chat it is", async () => {
    const { wire, platform, pull } = await start();
    await pull.batch();
    await platform.outlet.hint(PRIVATE, { kind: "draft", key: "t/1", text: "going on" }, never);
    wire.stopDraft(OWNER);
    expect((await pull.next()).inbound).toEqual({
      kind: "stop",
      room: PRIVATE,
      from: { id: String(OWNER), name: "Sam", bot: false },
    });
  });

  test("T32: the menu is set, and a refusal is an error without the platform's words", async () => {
    const { wire, platform } = await start();
    await platform.outlet.menu(
      [
        { name: "new", description: "Start anew" },
        { name: "stop", description: "d".repeat(400) },
      ],
      never,
    );
    expect(wire.commands["default"]).toMatchObject([
      { command: "new", description: "Start anew" },
      { command: "stop" },
    ]);
    await expect(platform.outlet.menu([{ name: "no good", description: "x" }], never)).rejects.toMatchObject({
      code: "bad-request",
    });
    wire.fail("setMyCommands", { kind: "error", code: 401 });
    await expect(platform.outlet.menu([], never)).rejects.toMatchObject({ code: "channel-unauthorized" });
  });

  test("T33: a stale press, and words that are too long, are answered without a fuss", async () => {
    const { wire, platform, pull } = await start();
    await pull.batch();
    const [piece] = platform.outlet.pieces(reply("?", { rows: [[{ label: "A", press: "a".repeat(64) }]] }));
    if (piece === undefined) throw new Error("no piece");
    const shown = await platform.outlet.show(PRIVATE, piece, ONCE, never);
    if (shown.is !== "shown") throw new Error("not shown");
    const id = wire.press(OWNER, OWNER, Number(shown.ref), "A");
    await platform.outlet.answer(id, { words: "😀".repeat(300) }, never);
    expect(wire.answerTo(id)?.text?.length).toBeLessThanOrEqual(200);
    wire.expireCallbacks();
    await platform.outlet.answer(id, { words: "late" }, never);
    expect(platform.lines.length).toBeGreaterThan(0);
  });

  test("T40: a quiet notice makes no sound and stands in italics; an answer does neither", async () => {
    const { wire, platform } = await start();
    for (const quiet of [true, false])
      for (const piece of platform.outlet.pieces(reply("Stopped & done.", { quiet })))
        await platform.outlet.show(PRIVATE, piece, ONCE, never);
    const [notice, answer] = wire.sent(OWNER);
    expect(notice).toMatchObject({ silent: true, text: "Stopped & done.", entities: [{ type: "italic" }] });
    expect(answer).toMatchObject({ silent: false, entities: [] });
  });
});

describe("files", () => {
  const folder = async (): Promise<string> => {
    const path = await mkdtemp(join(tmpdir(), "telegram-files-"));
    onTestFinished(() => rm(path, { recursive: true, force: true }));
    return path;
  };

  test("T3: a photo is fetched in its largest size, a voice note as it is", async () => {
    const { wire, platform, pull } = await start();
    await pull.batch();
    wire.say(OWNER, OWNER, "look", { photo: { bytes: Buffer.from("pixels") } });
    const photo = fileIn(await pull.message());
    expect(photo).toMatchObject({ kind: "photo", mediaType: "image/jpeg" });
    wire.say(OWNER, OWNER, "", { voice: { bytes: Buffer.from("sound") } });
    const voice = fileIn(await pull.message());
    expect(voice).toMatchObject({ kind: "voice", mediaType: "audio/ogg", bytes: 5 });
    const path = await folder();
    await platform.channel.fetch(photo, join(path, "p"), never);
    await platform.channel.fetch(voice, join(path, "v"), never);
    expect((await readdir(path)).toSorted()).toEqual(["p", "v"]);
  });

  test("T4: an id that is unknown or out of date, and a download that fails, are said in words and leave nothing", async () => {
    const { wire, platform, pull } = await start();
    await pull.batch();
    wire.say(OWNER, OWNER, "", { document: { name: "a.bin", bytes: Buffer.from("abc") } });
    const file = fileIn(await pull.message());
    const path = await folder();
    const unavailable = { code: "file-unavailable" };
    await expect(platform.channel.fetch({ ...file, handle: "NO-SUCH" }, join(path, "f"), never)).rejects.toMatchObject(
      unavailable,
    );
    for (const fault of [{ kind: "html502" }, { kind: "resetBeforeStore" }, { kind: "error", code: 401 }] as const) {
      wire.fail("getFile", fault);
      await expect(platform.channel.fetch(file, join(path, "f"), never)).rejects.toMatchObject(unavailable);
    }
    const [stored] = wire.state.files.values();
    if (stored === undefined) throw new Error("no file");
    const { file_path: place } = stored.file;
    for (const odd of ["../../getMe", "documents/../../x", undefined]) {
      if (odd === undefined) delete stored.file.file_path;
      else stored.file.file_path = odd;
      await expect(platform.channel.fetch(file, join(path, "f"), never)).rejects.toMatchObject(unavailable);
    }
    if (place !== undefined) stored.file.file_path = place;
    wire.state.filesByPath.clear();
    const thrown: unknown = await platform.channel.fetch(file, join(path, "f"), never).catch((error: unknown) => error);
    expect(thrown).toMatchObject(unavailable);
    expect(everythingIn(thrown)).not.toContain("test-token");
    await expect(platform.channel.fetch(file, join(path, "f"), AbortSignal.abort())).rejects.toMatchObject(unavailable);
    await expect(platform.channel.fetch(file, join(path, "no", "folder"), never)).rejects.toMatchObject(unavailable);
    expect(await readdir(path)).toEqual([]);
  });
});

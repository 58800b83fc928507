// What is shown on Slack and what came of it: the real clients against the loopback platform.
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Outlet } from "../../src/core/channel.ts";
import type { Room } from "../../src/core/message.ts";
import type { Piece, Reply, Showing } from "../../src/core/reply.ts";
import { WebClient } from "@slack/web-api";
import { slack } from "../../src/channels/slack/channel.ts";
import { workspaceOf } from "../../src/channels/slack/places.ts";
import { steady } from "../../src/channels/slack/stream.ts";
import { recordedSurroundings } from "../contracts/channel.ts";
import { FRIEND, OWNER, workspace } from "./slack-listening.ts";
import type { SlackOptions } from "../wire/slack.ts";
import type { Workspace } from "./slack-listening.ts";

const NEVER = new AbortController().signal;
const ONCE: Showing = { plain: false, repeat: false, nonce: "nonce-1" };

function only(outlet: Outlet, text: string, more: Partial<Reply> = {}): Piece {
  const pieces = outlet.pieces({ key: "k", text, rows: [], quiet: false, ...more });
  const [piece] = pieces;
  if (piece === undefined || pieces.length > 1) throw new Error(`${pieces.length} pieces`);
  return piece;
}

type Stage = Workspace & { readonly outlet: Outlet; readonly chat: Room; readonly thread: Room };

/** The owner's chat, and a thread of it. */
async function stage(): Promise<Stage> {
  const space = await workspace();
  const { wire, dm } = space;
  const listening = await space.listen();
  listening.ask();
  const root = wire.startAssistantThread(OWNER);
  wire.say(dm, OWNER, "a question", { thread: root });
  const chat: Room = { platform: "slack", chat: dm, kind: "private" };
  return { ...space, outlet: listening.platform.outlet, chat, thread: { ...chat, thread: root } };
}

describe("showing", () => {
  test("T44, T46: a message is posted with its nonce, where it belongs, and nothing of it unfolds or pings", async () => {
    const { wire, dm, outlet, chat, thread } = await stage();
    const text = "**Hi** <!channel> <@U01OWNER> @here see https://example.test/";
    const shown = await outlet.show(chat, only(outlet, text), ONCE, NEVER);
    if (shown.is !== "shown") throw new Error(shown.is);
    expect(wire.message(dm, shown.ref)).toMatchObject({
      previewsOff: true,
      pings: [],
      metadata: { event_type: "tidegate", event_payload: { nonce: "nonce-1" } },
    });
    const inThread = await outlet.show(thread, only(outlet, "below"), ONCE, NEVER);
    if (inThread.is !== "shown") throw new Error(inThread.is);
    expect(wire.message(dm, inThread.ref)).toMatchObject({ thread: thread.thread, text: "below" });
  });

  test("P34: a message in a thread is opened within it, as Slack itself links it, and nothing before the workspace is known", async () => {
    const { wire, dm, outlet, chat, thread } = await stage();
    const api = new WebClient(wire.botToken, { slackApiUrl: wire.apiUrl });
    const linkOf = async (ts: string): Promise<string | undefined> =>
      (await api.chat.getPermalink({ channel: dm, message_ts: ts })).permalink;
    const root = thread.thread ?? "";
    const below = wire.say(dm, OWNER, "more", { thread: root });
    expect(outlet.link(thread, below)).toBe(await linkOf(below));
    expect(outlet.link(thread, below)).toContain(`?thread_ts=${root}&cid=${dm}`);
    expect(outlet.link(thread, root)).toBe(await linkOf(root));
    expect(outlet.link({ ...chat, thread: "1.2&x=y" }, below)).toBeUndefined();
    expect(outlet.link({ ...chat, chat: `home:${OWNER}` }, below)).toBeUndefined();
    const settings = { botToken: wire.botToken, appToken: wire.appToken, apiUrl: wire.apiUrl };
    const { surroundings } = recordedSurroundings();
    expect(slack(settings, surroundings).outlet.link(chat, below)).toBeUndefined();
  });

  test("P34: of what Slack says that a workspace's address is only an https origin is taken", () => {
    expect(workspaceOf("https://subarachnoid.slack.com/")).toBe("https://subarachnoid.slack.com");
    expect(workspaceOf("https://acme.enterprise.slack.com/a?b#c")).toBe("https://acme.enterprise.slack.com");
    expect(workspaceOf("https://user:word@acme.slack.com/")).toBe("https://acme.slack.com");
    for (const none of [undefined, "", "acme", "http://acme.slack.com/", "javascript:alert(1)", "https://"])
      expect(workspaceOf(none)).toBeUndefined();
  });

  test("T44: an edit changes it in place, and one that changes nothing is shown as well", async () => {
    const { wire, dm, outlet, chat } = await stage();
    const shown = await outlet.show(chat, only(outlet, "one", { rows: [[{ label: "Go", press: "p1" }]] }), ONCE, NEVER);
    if (shown.is !== "shown") throw new Error(shown.is);
    for (const text of ["two", "two"]) {
      const edited = await outlet.show(chat, only(outlet, text), { ...ONCE, edit: shown.ref }, NEVER);
      expect(edited).toEqual({ is: "shown", ref: shown.ref });
    }
    expect(wire.message(dm, shown.ref)).toMatchObject({ text: "two", buttons: [] });
    expect(wire.sent(dm)).toHaveLength(1);
  });

  test("T44: without markup, and with the line that it may be a repeat", async () => {
    const { wire, dm, outlet, chat } = await stage();
    const piece = only(outlet, "*a* & <b>", { rows: [[{ label: "Go", press: "p1" }]] });
    const shown = await outlet.show(chat, piece, { ...ONCE, plain: true, repeat: true }, NEVER);
    if (shown.is !== "shown") throw new Error(shown.is);
    const message = wire.message(dm, shown.ref);
    expect(message?.text).toContain("(This may be a repeat.)");
    expect(message?.text).toContain(piece.plain);
    expect(message?.buttons.flat()).toMatchObject([{ label: "Go", data: "p1" }]);
  });

  test.for<[string, object, object]>([
    ["too fast", { kind: "rateLimited", retryAfter: 7 }, { is: "wait", waitMs: 7000, why: "too-fast" }],
    ["reset before it arrived", { kind: "resetBeforeStore" }, { is: "unknown" }],
    ["reset after it arrived", { kind: "resetAfterStore" }, { is: "unknown" }],
    ["a fault of the server", { kind: "http500" }, { is: "unknown" }],
    ["a fault after it was stored", { kind: "status500AfterStore" }, { is: "unknown" }],
    ["a proxy's page", { kind: "html502" }, { is: "unknown" }],
    ["a fault in words", { kind: "error", error: "internal_error" }, { is: "unknown" }],
    ["formatting", { kind: "error", error: "invalid_blocks" }, { is: "refused", why: "not-parseable" }],
    ["too long", { kind: "error", error: "msg_blocks_too_long" }, { is: "refused", why: "too-long" }],
    ["the place is gone", { kind: "error", error: "channel_not_found" }, { is: "refused", why: "gone" }],
    ["not let in", { kind: "error", error: "not_in_channel" }, { is: "refused", why: "gone" }],
    ["put away", { kind: "error", error: "is_archived" }, { is: "refused", why: "gone" }],
    ["the token", { kind: "error", error: "token_revoked" }, { is: "refused", why: "unauthorized" }],
    [
      "anything else",
      { kind: "error", error: "some_new_code" },
      { is: "refused", why: "other", detail: "some_new_code" },
    ],
  ])(
    "T44: a new message that went wrong is posted once, and said what became of it: %s",
    async ([, fault, expected]) => {
      const { wire, outlet, chat, lines } = await stage();
      wire.fail("chat.postMessage", fault as Parameters<typeof wire.fail>[1]);
      expect(await outlet.show(chat, only(outlet, "secret words"), ONCE, NEVER)).toMatchObject(expected);
      expect(wire.callCount("chat.postMessage")).toBe(1);
      expect(lines.join("\n")).not.toMatch(/secret words|xoxb/u);
    },
  );

  test.for<[string, object, object]>([
    ["too fast", { kind: "rateLimited", retryAfter: 7 }, { is: "wait", waitMs: 7000, why: "too-fast" }],
    ["a fault in words", { kind: "error", error: "internal_error" }, { is: "wait", why: "unreachable" }],
    ["gone", { kind: "error", error: "message_not_found" }, { is: "refused", why: "edit-gone" }],
    ["not ours", { kind: "error", error: "cant_update_message" }, { is: "refused", why: "edit-gone" }],
    ["a reset", { kind: "resetAfterStore" }, { is: "unknown" }],
  ])("T44: an edit that went wrong: %s", async ([, fault, expected]) => {
    const { wire, outlet, chat } = await stage();
    const shown = await outlet.show(chat, only(outlet, "one"), ONCE, NEVER);
    if (shown.is !== "shown") throw new Error(shown.is);
    wire.fail("chat.update", fault as Parameters<typeof wire.fail>[1]);
    expect(await outlet.show(chat, only(outlet, "two"), { ...ONCE, edit: shown.ref }, NEVER)).toMatchObject(expected);
    expect(wire.callCount("chat.update")).toBe(1);
  });

  test("T44: nothing sent is tried again, and a stop ends a call", async () => {
    const { wire, connect, chat, dm } = await stage();
    // With no connection of before, which could take a request with it into the dark.
    const { outlet } = connect();
    await wire.goDown();
    expect(await outlet.show(chat, only(outlet, "x"), ONCE, NEVER)).toMatchObject({ is: "wait", why: "unreachable" });
    await wire.comeBack();
    wire.fail("chat.postMessage", { kind: "hang" });
    const stop = new AbortController();
    const shown = outlet.show(chat, only(outlet, "x"), ONCE, stop.signal);
    await wire.until(() => wire.callCount("chat.postMessage") === 1);
    stop.abort();
    expect(await shown).toEqual({ is: "unknown" });
    expect(wire.sent(dm)).toEqual([]);
  });

  test("T44: a long text is several messages, each within the limits", async () => {
    const { wire, dm, outlet, chat } = await stage();
    const text = Array.from({ length: 900 }, (_, at) => `Line ${at}: *words* & more of them\n\n`).join("");
    for (const piece of outlet.pieces({ key: "k", text, rows: [], quiet: false }))
      expect(await outlet.show(chat, piece, ONCE, NEVER)).toMatchObject({ is: "shown" });
    expect(wire.sent(dm).length).toBeGreaterThan(1);
  });

  test("T44: a file stands behind its text, in its thread", async () => {
    const { wire, dm, outlet, thread } = await stage();
    const pieces = outlet.pieces({
      key: "k",
      text: "Here:",
      rows: [],
      quiet: false,
      file: { name: 'odd "name" ü.txt', text: "all of it – ü" },
    });
    for (const piece of pieces) expect(await outlet.show(thread, piece, ONCE, NEVER)).toMatchObject({ is: "shown" });
    const files = wire.sent(dm).flatMap((message) => message.files);
    expect(files).toMatchObject([{ name: 'odd "name" ü.txt', text: "all of it – ü" }]);
    expect(wire.sent(dm).at(-1)?.thread).toBe(thread.thread);
  });

  test.for([
    ["files.getUploadURLExternal", "resetAfterStore", "wait"],
    ["files.completeUploadExternal", "resetAfterStore", "unknown"],
    ["files.completeUploadExternal", "rateLimited", "wait"],
  ] as const)("T44: a file whose upload went wrong at %s (%s): %s", async ([method, kind, is]) => {
    const { wire, outlet, chat } = await stage();
    const piece = outlet.pieces({ key: "k", text: "x", rows: [], quiet: false, file: { name: "a.txt", text: "b" } })[1];
    if (piece === undefined) throw new Error("no file");
    wire.fail(method, { kind });
    const since = Date.now();
    expect(await outlet.show(chat, piece, ONCE, NEVER)).toMatchObject({ is });
    if (is === "unknown")
      expect(await outlet.recover(chat, { piece, nonce: "nonce-1", since }, NEVER)).toMatchObject({ is: "shown" });
  });
});

describe("pictures", () => {
  /** A PNG's signature and bytes that are no text. */
  const BYTES = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0xff, 0xfe, 0x00, 0xc3, 0x28]);

  async function picture(
    outlet: Outlet,
    bytes: Uint8Array | number,
    alt = "Bars: 3, 5",
  ): Promise<{ piece: Piece; path: string }> {
    const folder = await mkdtemp(join(tmpdir(), "tidegate-picture-"));
    onTestFinished(async () => await rm(folder, { recursive: true }));
    const path = join(folder, "chart.png");
    await writeFile(path, typeof bytes === "number" ? "" : bytes);
    if (typeof bytes === "number") await truncate(path, bytes);
    const file = { name: "chart.png", path, mediaType: "image/png", alt } as const;
    const piece = outlet.pieces({ key: "k", text: "Here:", rows: [], quiet: false, file })[1];
    if (piece === undefined) throw new Error("no file");
    return { piece: JSON.parse(JSON.stringify(piece)) as Piece, path };
  }

  test("O61d: a picture is read when it is shown, and stands in its thread with its words", async () => {
    const { wire, dm, outlet, thread } = await stage();
    const { piece, path } = await picture(outlet, Buffer.from("not yet"));
    await writeFile(path, BYTES);
    expect(await outlet.show(thread, piece, ONCE, NEVER)).toMatchObject({
      is: "shown",
      ref: expect.stringMatching(/^file:/u),
    });
    const shown = wire.sent(dm).at(-1);
    expect(shown?.thread).toBe(thread.thread);
    expect(shown?.files).toMatchObject([{ name: "chart.png", title: "Bars: 3, 5", mimeType: "image/png" }]);
    expect(wire.file(shown?.files[0]?.id ?? "")?.bytes).toEqual(BYTES);
    // The field for it makes Slack lose the file.
    expect(JSON.stringify(wire.callsOf("files.getUploadURLExternal"))).not.toContain("alt_t");
  });

  test("O61d: words of any length and kind are a title that calls nobody", async () => {
    const { wire, dm, outlet, chat } = await stage();
    const { piece } = await picture(outlet, BYTES, `<!channel>\n${"😀".repeat(500)}`);
    expect(await outlet.show(chat, piece, ONCE, NEVER)).toMatchObject({ is: "shown" });
    const title = wire.sent(dm)[0]?.files[0]?.title ?? "";
    expect(title).toMatch(/^<\u2060!channel> 😀.*…$/u);
    expect(title.length).toBeLessThanOrEqual(250);
  });

  test.for([
    ["that is gone", undefined, "The picture is not there any more, or can't be read."],
    ["without anything in it", Buffer.alloc(0), "The picture is empty."],
    ["that is too large", 20 * 1024 * 1024 + 1, "The picture is larger than 20 MB."],
  ] as const)(
    "O61d: a picture %s is refused in words that name no place on this machine",
    async ([, bytes, detail]) => {
      const { wire, outlet, chat } = await stage();
      const { piece, path } = await picture(outlet, bytes ?? BYTES);
      if (bytes === undefined) await rm(path);
      expect(await outlet.show(chat, piece, ONCE, NEVER)).toEqual({ is: "refused", why: "other", detail });
      expect(wire.callCount("files.getUploadURLExternal")).toBe(0);
    },
  );

  test("O61d, D17: a picture of unknown outcome is looked up by its name, and not read again", async () => {
    const { wire, outlet, chat } = await stage();
    const { piece, path } = await picture(outlet, BYTES);
    const since = Date.now();
    expect(await outlet.recover(chat, { piece, nonce: "n", since }, NEVER)).toEqual({ is: "absent" });
    wire.fail("files.completeUploadExternal", { kind: "resetAfterStore" });
    expect(await outlet.show(chat, piece, ONCE, NEVER)).toEqual({ is: "unknown" });
    await rm(path);
    expect(await outlet.recover(chat, { piece, nonce: "n", since }, NEVER)).toMatchObject({
      is: "shown",
      ref: expect.stringMatching(/^file:/u),
    });
  });
});

describe("what became of a post", () => {
  test.for(["chat", "thread"] as const)(
    "D17: a post of unknown outcome is found by its nonce in the %s, or is not there",
    async (where) => {
      const { wire, dm, outlet, ...rooms } = await stage();
      const room = rooms[where];
      const piece = only(outlet, "the same words");
      // One of before with the same words is another.
      await outlet.show(room, piece, { ...ONCE, nonce: "nonce-0" }, NEVER);
      const since = Date.now();
      wire.fail("chat.postMessage", { kind: "resetBeforeStore" });
      expect(await outlet.show(room, piece, ONCE, NEVER)).toEqual({ is: "unknown" });
      expect(await outlet.recover(room, { piece, nonce: "nonce-1", since }, NEVER)).toEqual({ is: "absent" });
      wire.fail("chat.postMessage", { kind: "resetAfterStore" });
      expect(await outlet.show(room, piece, ONCE, NEVER)).toEqual({ is: "unknown" });
      expect(await outlet.recover(room, { piece, nonce: "nonce-1", since }, NEVER)).toEqual({
        is: "shown",
        ref: wire.sent(dm).at(-1)?.id,
      });
    },
  );

  test("D17: the history is read page by page, and a post that may stand further on is not said to be absent", async () => {
    const { wire, dm, outlet, chat } = await stage();
    const piece = only(outlet, "the same words");
    const since = Date.now();
    wire.fail("chat.postMessage", { kind: "resetAfterStore" });
    expect(await outlet.show(chat, piece, ONCE, NEVER)).toEqual({ is: "unknown" });
    const ref = wire.sent(dm).at(-1)?.id;
    const many = (count: number): void => {
      for (let at = 0; at < count; at++) wire.miss(() => wire.say(dm, OWNER, `m${at}`));
    };
    many(250);
    const lost = { piece, nonce: "nonce-1", since };
    expect(await outlet.recover(chat, lost, NEVER)).toEqual({ is: "shown", ref });
    expect(await outlet.recover(chat, { ...lost, nonce: "nonce-2" }, NEVER)).toEqual({ is: "absent" });
    many(800);
    expect(await outlet.recover(chat, lost, NEVER)).toEqual({ is: "unknowable" });
  });

  test("D17: a stream that had only begun is found, though it holds nothing yet", async () => {
    const { wire, dm, outlet, thread } = await stage();
    const piece = only(outlet, "**bo");
    const since = Date.now();
    wire.fail("chat.startStream", { kind: "resetAfterStore" });
    expect(await outlet.show(thread, piece, { ...ONCE, growing: true }, NEVER)).toEqual({ is: "unknown" });
    const ref = wire.sent(dm).at(-1)?.id;
    expect(await outlet.recover(thread, { piece, nonce: "nonce-1", since }, NEVER)).toEqual({ is: "shown", ref });
  });

  test("D17: a file of before with the same name is another", async () => {
    let now = Date.now() - 60_000;
    const { wire, dm, connect } = await workspace({ now: () => now });
    const { outlet, channel } = connect();
    const stop = new AbortController();
    await channel.inbound(stop.signal, { marks: new Map() })[Symbol.asyncIterator]().next();
    const room: Room = { platform: "slack", chat: dm, kind: "private" };
    const piece = outlet.pieces({ key: "k", text: "x", rows: [], quiet: false, file: { name: "a.txt", text: "b" } })[1];
    if (piece === undefined) throw new Error("no file");
    await outlet.show(room, piece, ONCE, NEVER);
    now = Date.now();
    const lost = { piece, nonce: "nonce-1", since: now };
    expect(await outlet.recover(room, lost, NEVER)).toEqual({ is: "absent" });
    wire.fail("files.completeUploadExternal", { kind: "resetAfterStore" });
    expect(await outlet.show(room, piece, ONCE, NEVER)).toEqual({ is: "unknown" });
    expect(await outlet.recover(room, lost, NEVER)).toMatchObject({ is: "shown" });
    stop.abort();
  });

  test("D17: asked too early, too often, or of a place that is closed", async () => {
    const space = await workspace();
    const { wire, dm } = space;
    const early = await space.listen(undefined, { times: { settleMs: 60_000 } });
    const room: Room = { platform: "slack", chat: dm, kind: "private" };
    const lost = { piece: only(early.platform.outlet, "x"), nonce: "n", since: Date.now() };
    expect(await early.platform.outlet.recover(room, lost, NEVER)).toMatchObject({ is: "wait" });
    // Before it is known who the bot is, nothing that stands there could be told as its own.
    const unmet = space.connect().outlet;
    const calls = wire.callCount("conversations.history");
    expect(await unmet.recover(room, lost, NEVER)).toMatchObject({ is: "wait" });
    expect(wire.callCount("conversations.history")).toBe(calls);
    const { outlet } = (await space.listen()).platform;
    wire.fail("conversations.history", { kind: "rateLimited", retryAfter: 9 });
    expect(await outlet.recover(room, lost, NEVER)).toEqual({ is: "wait", waitMs: 9000 });
    wire.fail("conversations.history", { kind: "resetBeforeStore" });
    expect(await outlet.recover(room, lost, NEVER)).toMatchObject({ is: "wait" });
    wire.fail("conversations.history", { kind: "error", error: "missing_scope" });
    expect(await outlet.recover(room, lost, NEVER)).toEqual({ is: "unknowable" });
  });
});

describe("texts that grow", () => {
  const GROWING: Showing = { ...ONCE, growing: true };

  async function grown(texts: readonly string[], given: Stage, room: Room): Promise<string> {
    const { outlet } = given;
    let ref: string | undefined;
    for (const text of texts) {
      const how = ref === undefined ? GROWING : { ...GROWING, edit: ref };
      const shown = await outlet.show(room, only(outlet, text), how, NEVER);
      if (shown.is !== "shown") throw new Error(`${text}: ${JSON.stringify(shown)}`);
      expect(ref ?? shown.ref).toBe(shown.ref);
      ({ ref } = shown);
    }
    return ref ?? "";
  }

  test("T44: in a thread of the chat by a stream, which ends with the whole answer and its buttons", async () => {
    const given = await stage();
    const { wire, dm, outlet, thread } = given;
    const ref = await grown(
      ["Once", "Once upon **a", "Once upon **a time**", "Once upon **a time** there"],
      given,
      thread,
    );
    expect(wire.message(dm, ref)).toMatchObject({
      streaming: "open",
      text: "Once upon a time there",
      thread: thread.thread,
    });
    expect(wire.callCount("chat.update")).toBe(0);
    const last = only(outlet, "Once upon **a time** there was.", { rows: [[{ label: "More", press: "p1" }]] });
    expect(await outlet.show(thread, last, { ...ONCE, edit: ref }, NEVER)).toEqual({ is: "shown", ref });
    expect(wire.message(dm, ref)).toMatchObject({ streaming: "stopped", text: expect.stringContaining("there was.") });
    expect(wire.message(dm, ref)?.buttons.flat()).toMatchObject([{ label: "More" }]);
    expect(wire.sent(dm)).toHaveLength(1);
  });

  test("T44: elsewhere by edits of one message", async () => {
    const given = await stage();
    const ref = await grown(["Once", "Once upon"], given, given.chat);
    expect(given.wire.message(given.dm, ref)).toMatchObject({ text: "Once upon" });
    expect(given.wire.callCount("chat.startStream")).toBe(0);
  });

  test("T44: a text that doesn't go on from what stands there ends the stream and is set whole", async () => {
    const given = await stage();
    const ref = await grown(["Once upon a time", "Twice", "Twice upon"], given, given.thread);
    expect(given.wire.message(given.dm, ref)).toMatchObject({ text: "Twice upon", streaming: "stopped" });
  });

  test.for(["closed by Slack", "stopped by the reader"] as const)(
    "T44: a stream that was %s goes on by updates",
    async (by) => {
      const given = await stage();
      const { wire, dm, outlet, thread } = given;
      const ref = await grown(["Once"], given, thread);
      if (by === "closed by Slack") wire.closeStream(ref);
      else wire.stopStream(ref);
      expect(await outlet.show(thread, only(outlet, "Once upon"), { ...GROWING, edit: ref }, NEVER)).toEqual({
        is: "shown",
        ref,
      });
      expect(await outlet.show(thread, only(outlet, "Once upon a time."), { ...ONCE, edit: ref }, NEVER)).toEqual({
        is: "shown",
        ref,
      });
      expect(wire.message(dm, ref)?.text).toBe("Once upon a time.");
      expect(wire.sent(dm)).toHaveLength(1);
    },
  );

  test("T44: where there are no streams the text grows by edits", async () => {
    const given = await stage();
    const { wire, dm, thread } = given;
    wire.fail("chat.startStream", { kind: "error", error: "feature_not_enabled" });
    const ref = await grown(["Once", "Once upon"], given, thread);
    expect(wire.message(dm, ref)).toMatchObject({ text: "Once upon", thread: thread.thread });
    expect(wire.callCount("chat.startStream")).toBe(1);
  });

  test("T44: a stream that ended just before its last words takes them by an update", async () => {
    const given = await stage();
    const { wire, dm, outlet, thread } = given;
    const ref = await grown(["Once", "Once upon"], given, thread);
    wire.closeStream(ref);
    expect(await outlet.show(thread, only(outlet, "The end."), { ...ONCE, edit: ref }, NEVER)).toEqual({
      is: "shown",
      ref,
    });
    expect(wire.message(dm, ref)?.text).toBe("The end.");
  });

  test("T44: after a restart a stream that is still open is ended before its message is edited", async () => {
    const given = await stage();
    const { wire, dm, thread } = given;
    const ref = await grown(["Once"], given, thread);
    const { outlet } = given.connect();
    expect(await outlet.show(thread, only(outlet, "The end."), { ...ONCE, edit: ref }, NEVER)).toEqual({
      is: "shown",
      ref,
    });
    expect(wire.message(dm, ref)).toMatchObject({ text: "The end.", streaming: "stopped" });
  });

  test("T44: a part that may have arrived is not sent twice", async () => {
    const given = await stage();
    const { wire, dm, outlet, thread } = given;
    const ref = await grown(["Once"], given, thread);
    wire.fail("chat.appendStream", { kind: "resetAfterStore" });
    const shown = await outlet.show(thread, only(outlet, "Once upon"), { ...GROWING, edit: ref }, NEVER);
    expect(shown).toEqual({ is: "shown", ref });
    expect(wire.message(dm, ref)?.text).toBe("Once upon");
    expect(await outlet.show(thread, only(outlet, "Once upon a time"), { ...GROWING, edit: ref }, NEVER)).toEqual({
      is: "shown",
      ref,
    });
    expect(wire.message(dm, ref)?.text).toBe("Once upon a time");
  });

  test("T44: asked to wait, the stream waits and goes on", async () => {
    const given = await stage();
    const { wire, dm, outlet, thread } = given;
    const ref = await grown(["Once"], given, thread);
    const more = only(outlet, "Once upon");
    wire.fail("chat.appendStream", { kind: "rateLimited", retryAfter: 5 });
    expect(await outlet.show(thread, more, { ...GROWING, edit: ref }, NEVER)).toMatchObject({
      is: "wait",
      waitMs: 5000,
    });
    expect(await outlet.show(thread, more, { ...GROWING, edit: ref }, NEVER)).toEqual({ is: "shown", ref });
    expect(wire.message(dm, ref)).toMatchObject({ text: "Once upon", streaming: "open" });
  });

  test("D17: a stream that may have begun is found by its words", async () => {
    const { wire, dm, outlet, thread } = await stage();
    const piece = only(outlet, "Once upon a time");
    const since = Date.now();
    wire.fail("chat.startStream", { kind: "resetAfterStore" });
    expect(await outlet.show(thread, piece, GROWING, NEVER)).toEqual({ is: "unknown" });
    const ref = wire.sent(dm).at(-1)?.id ?? "";
    expect(await outlet.recover(thread, { piece, nonce: "nonce-1", since }, NEVER)).toEqual({ is: "shown", ref });
    expect(await outlet.show(thread, only(outlet, "The end."), { ...ONCE, edit: ref }, NEVER)).toEqual({
      is: "shown",
      ref,
    });
    expect(wire.message(dm, ref)?.text).toBe("The end.");
  });

  test("T44: signs whose partner is not there yet are held back", () => {
    expect(steady("one **two** three")).toBe("one **two** three");
    expect(steady(String.raw`one \*\*two`)).toBe("one ");
    expect(steady(`a \\* b\n\nnext`)).toBe(`a \\* b\n\nnext`);
  });
});

describe("presses", () => {
  async function pressed(
    label: string,
    options: SlackOptions = {},
  ): Promise<Workspace & { press: string; ref: string; outlet: Outlet; more: () => Promise<unknown> }> {
    const space = await workspace(options);
    const { wire, dm } = space;
    const here = await space.listen();
    onTestFinished(() => here.signal.abort());
    const { outlet } = here.platform;
    const rows = [
      [
        { label: "Yes", press: "key-yes" },
        { label: "Write", press: "key-write", opens: true as const },
      ],
    ];
    const shown = await outlet.show(
      { platform: "slack", chat: dm, kind: "private" },
      only(outlet, "Sure?", { rows }),
      ONCE,
      NEVER,
    );
    if (shown.is !== "shown") throw new Error(shown.is);
    const press = wire.press(dm, OWNER, shown.ref, label);
    const got = await here.press();
    expect(got).toMatchObject({
      data: label === "Yes" ? "key-yes" : "key-write",
      room: { chat: dm, kind: "private" },
      from: { id: `T01TEAM/${OWNER}`, homeId: OWNER },
      messageId: shown.ref,
    });
    expect(wire.answerTo(press)?.acked).toBe(false);
    here.ask();
    await wire.until(() => wire.answerTo(press)?.acked);
    return { ...space, press, ref: got.ref, outlet, more: async () => await here.press() };
  }

  test("T44: a press is acknowledged when it is stored, and answered to who pressed alone", async () => {
    const { wire, press, ref, outlet, dm } = await pressed("Yes");
    await outlet.answer(ref, undefined, NEVER);
    await outlet.answer(ref, { words: "Too late <!here> & gone" }, NEVER);
    expect(wire.answerTo(press)).toMatchObject({ words: expect.stringContaining("Too late") });
    expect(wire.ephemerals(OWNER)[0]).toMatchObject({ pings: [] });
    expect(wire.sent(dm)).toHaveLength(1);
  });

  test("T44: a press is answered with a form, and what was written comes back as a press of its key", async () => {
    const { wire, ref, outlet, more, dm } = await pressed("Write");
    await outlet.answer(
      ref,
      {
        form: {
          press: "key-sent",
          title: "A title that is longer than Slack lets it be",
          submit: "Send",
          fields: [
            { id: "what", kind: "text", label: "What?", long: true, optional: false, maxChars: 500 },
            { id: "note", kind: "text", label: "Note", long: false, optional: true, value: "as before" },
          ],
        },
      },
      NEVER,
    );
    expect(wire.modal(OWNER)).toMatchObject({
      submit: "Send",
      fields: [
        { id: "what", long: true, optional: false },
        { id: "note", long: false, optional: true, value: "as before" },
      ],
    });
    wire.submit(OWNER, { what: "my <words>", note: "" });
    expect(await more()).toMatchObject({
      kind: "press",
      data: "key-sent",
      messageId: wire.sent(dm)[0]?.id,
      room: { platform: "slack", chat: dm, kind: "private" },
      from: { id: `T01TEAM/${OWNER}` },
      fields: { what: ["my <words>"], note: [] },
    });
  });

  test("O36, O39: what is picked of several comes with the button that sends it, and with no other", async () => {
    const { wire, dm, listen } = await workspace();
    const here = await listen();
    onTestFinished(() => here.signal.abort());
    const { outlet } = here.platform;
    const room = { platform: "slack", chat: dm, kind: "private" } as const;
    const long = `Somewhere ${"far away ".repeat(9)}`.trim();
    const options = [
      { value: "v0", label: "Sea" },
      { value: "v1", label: "Sea" },
      { value: "v2", label: long },
    ];
    const menu = { press: "key-send", placeholder: "Where?", submit: "Send", options };
    const rows = [[{ label: "Skip", press: "key-skip" }]];
    const shown = await outlet.show(room, only(outlet, "Well?", { menu, rows }), ONCE, NEVER);
    if (shown.is !== "shown") throw new Error(shown.is);
    expect(wire.message(dm, shown.ref)?.menus[0]?.options.map(({ label }) => label)).toEqual(["Sea", "Sea", "1"]);
    expect(wire.message(dm, shown.ref)?.text).toContain(`1. ${long}`);
    const next = async (label: string): Promise<unknown> => {
      wire.press(dm, OWNER, shown.ref, label);
      const { data, picked } = await here.press();
      return [data, picked];
    };
    expect(await next("Send")).toEqual(["key-send", []]);
    wire.pick(dm, OWNER, shown.ref, ["1", "v1"]);
    expect(await next("Skip")).toEqual(["key-skip", undefined]);
    expect(await next("Send")).toEqual(["key-send", ["v2", "v1"]]);
    // Somebody else has picked nothing.
    wire.press(dm, FRIEND, shown.ref, "Send");
    expect(await here.press()).toMatchObject({ data: "key-send", picked: [], from: { id: `T01TEAM/${FRIEND}` } });
  });

  test("T44: a form that comes too late for its press is said so, to who pressed alone", async () => {
    const { wire, press, ref, outlet, dm } = await pressed("Write", { triggerLifeMs: -1 });
    const form = { press: "p", title: "t", submit: "s", fields: [] };
    await outlet.answer(ref, { form }, NEVER);
    expect(wire.modal(OWNER)).toBeUndefined();
    expect(wire.answerTo(press)?.words).toContain("Press the button again");
    expect(wire.sent(dm)).toHaveLength(1);
  });

  test("T44: of a form that may be open nothing is said", async () => {
    const { wire, ref, outlet } = await pressed("Write");
    wire.fail("views.open", { kind: "resetAfterStore" });
    const fields = [{ id: "what", kind: "text", label: "What?", long: false, optional: true } as const];
    await outlet.answer(ref, { form: { press: "p", title: "t", submit: "s", fields } }, NEVER);
    expect(wire.modal(OWNER)).toMatchObject({ title: "t" });
    expect(wire.ephemerals(OWNER)).toEqual([]);
  });

  test("T44: an answer that can't be given harms nothing", async () => {
    const { wire, ref, outlet } = await pressed("Yes");
    wire.fail("chat.postEphemeral", { kind: "http500" });
    await outlet.answer(ref, { words: "x" }, NEVER);
    await outlet.answer("no ref of ours", { words: "x" }, NEVER);
    await outlet.answer("{}", { form: { press: "p", title: "t", submit: "s", fields: [] } }, NEVER);
  });

  test("T44: typing shows as the status of a thread with the app, and nowhere else", async () => {
    const { wire, outlet, chat, thread } = await stage();
    expect(await outlet.hint(chat, { kind: "typing" }, NEVER)).toBeUndefined();
    expect(wire.statuses).toEqual([]);
    expect(await outlet.hint(thread, { kind: "typing" }, NEVER)).toBeUndefined();
    expect(wire.typing).toMatchObject([{ thread: thread.thread }]);
    wire.fail("assistant.threads.setStatus", { kind: "rateLimited", retryAfter: 3 });
    expect(await outlet.hint(thread, { kind: "typing" }, NEVER)).toEqual({ is: "wait", waitMs: 3000, why: "too-fast" });
    await outlet.menu([{ name: "new", description: "x" }], NEVER);
  });
});

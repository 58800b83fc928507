// What is shown on Discord, what came of it, and how what is unknown is looked up again.
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageLink } from "discord.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { shownOf } from "../../src/channels/discord/outlet.ts";
import type { Room } from "../../src/core/message.ts";
import type { Piece, Showing } from "../../src/core/reply.ts";
import { ONCE, fileIn, reply } from "../contracts/channel.ts";
import { OWNER, PLACE, never, showText, stage } from "./discord-stage.ts";
import type { Stage, StageOptions } from "./discord-stage.ts";

async function connected(options?: StageOptions): Promise<Stage> {
  const there = await stage(options);
  await there.pull.batch();
  return there;
}

function pieceOf({ platform }: Stage, text: string, more?: Parameters<typeof reply>[1]): Piece {
  const [piece] = platform.outlet.pieces(reply(text, more));
  if (piece === undefined) throw new Error("Nothing to show.");
  return piece;
}

const how = (nonce: string, more: Partial<Showing> = {}): Showing => ({ ...ONCE, nonce, ...more });

describe("showing", () => {
  test("T46: nothing shown loads by itself or calls anybody, new or edited", async () => {
    const { wire, platform, room, dm } = await connected();
    const text = "@everyone <@2001> see https://example.com and <#3001>";
    const shown = await showText(platform, room, text, how("n1"));
    await showText(platform, { ...room, chat: PLACE, kind: "shared" }, text, how("n2"));
    if (shown.is !== "shown") throw new Error("Not shown.");
    expect(await showText(platform, room, `${text}!`, how("n3", { edit: shown.ref }))).toEqual(shown);
    for (const message of [...wire.sent(dm), ...wire.sent(PLACE)]) {
      expect(message).toMatchObject({ previewsOff: true, pings: [] });
      expect(message.text).toContain("example.com");
    }
    for (const { payload } of [...wire.callsOf("send"), ...wire.callsOf("edit")])
      expect(payload["allowed_mentions"]).toEqual({ parse: [] });
  });

  test("P34: a message in a thread or on another server is opened there; of a channel nobody told of, nothing is known", async () => {
    const there = await stage();
    const { wire, dm, room, platform, pull } = there;
    const shared = (chat: string): Room => ({ platform: "discord", chat, kind: "shared" });
    // A private chat belongs to no server; which one a channel belongs to comes with the connection.
    expect(platform.outlet.link(room, "77")).toBe(messageLink(dm, "77"));
    expect(platform.outlet.link(shared(PLACE), "77")).toBeUndefined();
    await pull.batch();
    const thread = wire.addThread(PLACE, "plans");
    const other = "900000000000000002";
    wire.addGuild(other, "Other");
    const elsewhere = wire.addChannel("3100", "elsewhere", { guild: other });
    wire.say(elsewhere, OWNER, "hello", { mention: true });
    await pull.message();
    expect(platform.outlet.link(shared(thread), "77")).toBe(messageLink(thread, "77", wire.guildId));
    expect(platform.outlet.link(shared(elsewhere), "77")).toBe(messageLink(elsewhere, "77", other));
    expect(platform.outlet.link(shared("3999"), "77")).toBeUndefined();
  });

  test("D16: every post enforces its nonce, so that a repeat within a minute stands there once", async () => {
    const there = await connected();
    const { wire, platform, room, dm } = there;
    const piece = pieceOf(there, "once");
    wire.fail("send", { kind: "resetAfterStore" });
    const since = Date.now();
    expect(await platform.outlet.show(room, piece, how("the-same"), never)).toEqual({ is: "unknown" });
    expect(await platform.outlet.recover(room, { piece, nonce: "the-same", since }, never)).toEqual({ is: "absent" });
    const [first] = wire.sent(dm);
    expect(await platform.outlet.show(room, piece, how("the-same"), never)).toEqual({ is: "shown", ref: first?.id });
    expect(wire.sent(dm)).toHaveLength(1);
    expect(wire.callsOf("send").map(({ payload }) => [payload["nonce"], payload["enforce_nonce"]])).toEqual([
      ["the-same", true],
      ["the-same", true],
    ]);
  });

  test("D16: later what is unknown is looked for: found by its words and buttons, absent where nothing of ours stands, else unknowable", async () => {
    const there = await connected();
    const { wire, platform, room, dm } = there;
    const since = Date.now() - 61_000;
    const piece = pieceOf(there, "a **bold** question", { rows: [[{ label: "Yes", press: "key1" }]] });
    const lost = { piece: JSON.parse(JSON.stringify(piece)) as Piece, nonce: "n1", since };
    expect(await platform.outlet.recover(room, lost, never)).toEqual({ is: "absent" });
    wire.say(dm, OWNER, "a **bold** question");
    expect(await platform.outlet.recover(room, lost, never)).toEqual({ is: "absent" });
    await showText(platform, room, "a **bold** question", how("n0"));
    expect(await platform.outlet.recover(room, lost, never)).toEqual({ is: "unknowable" });
    wire.fail("send", { kind: "status500AfterStore" });
    expect(await platform.outlet.show(room, piece, how("n1"), never)).toEqual({ is: "unknown" });
    const found = await platform.outlet.recover(room, lost, never);
    expect(found).toEqual({ is: "shown", ref: wire.sent(dm).at(-1)?.id });
    wire.fail("history", { kind: "rateLimited", retryAfterMs: 2000 });
    expect(await platform.outlet.recover(room, lost, never)).toMatchObject({ is: "wait" });
    wire.fail("history", { kind: "error", status: 403, code: 50_001 });
    expect(await platform.outlet.recover(room, lost, never)).toEqual({ is: "unknowable" });
  });

  test("D16: the same words from long before are not taken for what was lost", async () => {
    let behindMs = 90_000;
    const there = await connected({ wire: { now: () => Date.now() - behindMs } });
    const { platform, room } = there;
    const since = Date.now() - 61_000;
    const piece = pieceOf(there, "Done.");
    await showText(platform, room, "Done.", how("n1"));
    expect(await platform.outlet.recover(room, { piece, nonce: "n2", since }, never)).toEqual({ is: "unknowable" });
    behindMs = 60_000;
    const shown = await showText(platform, room, "Done.", how("n2"));
    expect(await platform.outlet.recover(room, { piece, nonce: "n2", since }, never)).toEqual(shown);
  });

  test("T27: nothing is repeated by the library, whatever goes wrong", async () => {
    const { wire, platform, room, dm } = await connected();
    const ends = [
      ["http500", { is: "unknown" }],
      ["status500AfterStore", { is: "unknown" }],
      ["html502", { is: "unknown" }],
      ["resetBeforeStore", { is: "unknown" }],
      ["resetAfterStore", { is: "unknown" }],
      ["rateLimited", { is: "wait", why: "too-fast" }],
    ] as const;
    for (const [index, [kind, end]] of ends.entries()) {
      wire.fail("send", { kind });
      const shown = await showText(platform, room, kind, how(`n${index}`));
      expect({ kind, shown, calls: wire.callCount("send") }).toMatchObject({ kind, shown: end, calls: index + 1 });
    }
    expect(wire.sent(dm).map(({ text }) => text)).toEqual(["status500AfterStore", "resetAfterStore"]);
  });

  test("T27: a call that hangs ends with its signal, as unknown; what can't be reached is tried again", async () => {
    const there = await connected();
    const { wire, platform, room } = there;
    wire.fail("send", { kind: "hangAfterStore" });
    const stop = new AbortController();
    const shown = platform.outlet.show(room, pieceOf(there, "hangs"), how("n1"), stop.signal);
    await wire.until(() => wire.callCount("send") === 1 && wire.sent(room.chat).length === 1);
    // Waiting behind it, this one has not left yet.
    const behind = platform.outlet.show(room, pieceOf(there, "behind"), how("n2"), stop.signal);
    stop.abort();
    expect(await shown).toEqual({ is: "unknown" });
    expect(await behind).toMatchObject({ is: "wait" });
    await wire.goDown();
    expect(await showText(platform, room, "down", how("n3"))).toMatchObject({ is: "wait", why: "unreachable" });
  });

  test("T26: the platform's wait is kept to before anything is sent, and other channels go on", async () => {
    const { wire, platform, room } = await connected();
    const place = { platform: "discord", chat: wire.addChannel("923456789012345678", "busy"), kind: "shared" as const };
    wire.fail("send", { kind: "rateLimited", retryAfterMs: 5000 });
    expect(await showText(platform, place, "one", how("n1"))).toMatchObject({
      is: "wait",
      why: "too-fast",
      waitMs: expect.closeTo(5000, -3) as number,
    });
    expect(await showText(platform, room, "elsewhere", how("n3"))).toMatchObject({ is: "shown" });
  });

  test("T26: a limit on everything holds back everything, other channels as well", async () => {
    const { wire, platform, room } = await connected();
    const place = { platform: "discord", chat: wire.addChannel("923456789012345678", "busy"), kind: "shared" as const };
    wire.fail("send", { kind: "rateLimited", retryAfterMs: 5000, global: true });
    expect(await showText(platform, place, "one", how("n1"))).toMatchObject({ is: "wait", why: "too-fast" });
    const calls = wire.calls.length;
    expect(await showText(platform, room, "two", how("n2"))).toMatchObject({ is: "wait", why: "too-fast" });
    expect(wire.calls.length).toBe(calls);
  });

  test("T26: a bucket that is used up is not called again before its time", async () => {
    const { wire, platform, room } = await connected({
      wire: { rates: { perChannel: { limit: 2, windowMs: 60_000 } } },
    });
    const all: string[] = [];
    for (let at = 0; at < 4; at++) all.push((await showText(platform, room, `text ${at}`, how(`n${at}`))).is);
    expect(all).toEqual(["shown", "shown", "wait", "wait"]);
    expect(wire.callCount("send")).toBe(2);
  });

  test("T27: refusals are told apart by the platform's own numbers", async () => {
    const { wire, platform, room, dm } = await connected();
    const shown = await showText(platform, room, "there", how("n1"));
    if (shown.is !== "shown") throw new Error("Not shown.");
    const gone = { platform: "discord", chat: "923456789012345678", kind: "shared" as const };
    expect(await showText(platform, gone, "x", how("n2"))).toMatchObject({ is: "refused", why: "gone" });
    expect(await showText(platform, room, "x", how("n3", { edit: "923456789012345678" }))).toMatchObject({
      is: "refused",
      why: "edit-gone",
    });
    wire.forbid(PLACE, 50_013);
    expect(await showText(platform, { ...gone, chat: PLACE }, "x", how("n4"))).toMatchObject({
      is: "refused",
      why: "gone",
    });
    wire.closeDms(OWNER);
    expect(await showText(platform, room, "x", how("n5"))).toMatchObject({ is: "refused", why: "gone" });
    wire.openDms(OWNER);
    wire.revokeToken();
    expect(await showText(platform, room, "x", how("n6"))).toMatchObject({ is: "refused", why: "unauthorized" });
    // A token that was refused once is offered again: the library alone would forget it.
    expect(await showText(platform, room, "x", how("n7"))).toMatchObject({ is: "refused", why: "unauthorized" });
    expect(wire.sent(dm)).toHaveLength(1);
    const refused = (code: number, status = 400, words = ""): object =>
      shownOf({ kind: "refused", status, code, words }, "5");
    expect(
      refused(50_035, 400, "Invalid Form Body\ncontent[BASE_TYPE_MAX_LENGTH]: Must be 2000 or fewer"),
    ).toMatchObject({ why: "too-long" });
    expect(refused(50_035, 400, "Invalid Form Body\ncomponents[0].url[URL_TYPE_INVALID_URL]: no")).toMatchObject({
      why: "not-parseable",
    });
    expect(refused(30_046, 429)).toMatchObject({ is: "wait", why: "too-fast", waitMs: 30_000 });
    expect(refused(0, 500)).toMatchObject({ is: "wait", why: "unreachable" });
  });

  test("T44: a quiet reply makes no sound, and a file stands behind the text", async () => {
    const { wire, platform, room, dm } = await connected();
    const pieces = platform.outlet.pieces(
      reply("see below", { quiet: true, file: { name: "full.txt", text: "all of ït" } }),
    );
    for (const [index, piece] of pieces.entries())
      expect(await platform.outlet.show(room, piece, how(`n${index}`), never)).toMatchObject({ is: "shown" });
    const [text, file] = wire.sent(dm);
    expect(text).toMatchObject({ text: "see below" });
    expect(file?.files).toMatchObject([{ name: "full.txt", text: "all of ït" }]);
    for (const { payload } of wire.callsOf("send")) expect(Number(payload["flags"]) & 4096).toBe(4096);
    expect(wire.callsOf("send").map(({ payload }) => payload["nonce"])).toEqual(["n0", "n1"]);
  });

  test("O61d: a picture is an attachment read where it lies, with words for whom doesn't see it, and is replaced by an edit", async () => {
    const there = await connected();
    const { wire, platform, room, dm } = there;
    const folder = await mkdtemp(join(tmpdir(), "tidegate-discord-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "chart.png");
    const file = { name: "chart.png", path, mediaType: "image/png", alt: `Sales\n${"x".repeat(2000)}` } as const;
    const [text, picture] = platform.outlet.pieces(reply("Here it is.", { file }));
    if (text === undefined || picture === undefined) throw new Error("Nothing to show.");
    expect(picture.plain).toBe(file.alt);
    // Kept and read back: the bytes are not in it.
    const kept = JSON.parse(JSON.stringify(picture)) as Piece;
    expect(await platform.outlet.show(room, kept, how("n0"), never)).toEqual({
      is: "refused",
      why: "other",
      detail: "The picture is not there any more, or too large.",
    });
    expect(wire.callCount("send")).toBe(0);
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 128]);
    await writeFile(path, bytes);
    const shown = await platform.outlet.show(room, kept, how("n1"), never);
    if (shown.is !== "shown") throw new Error("Not shown.");
    const [message] = wire.sent(dm);
    expect(message).toMatchObject({ text: "", files: [{ name: "chart.png", mimeType: "image/png", size: 7 }] });
    expect(message?.files[0]?.alt).toBe(`Sales ${"x".repeat(1017)}…`);
    expect(wire.state.files.get(message?.files[0]?.id ?? "")?.bytes).toEqual(bytes);
    await writeFile(path, Buffer.from("other"));
    expect(await platform.outlet.show(room, kept, how("n2", { edit: shown.ref }), never)).toEqual(shown);
    expect(wire.sent(dm)).toMatchObject([{ text: "", files: [{ name: "chart.png", size: 5 }] }]);
    // Refused as it is, its words are shown in its place.
    await platform.outlet.show(room, { ...kept, plain: "*Sales*" }, how("n3", { plain: true }), never);
    expect(wire.sent(dm).at(-1)).toMatchObject({ text: "*Sales*", files: [] });
    await writeFile(path, Buffer.alloc(10 * 1024 * 1024 + 1));
    expect(await platform.outlet.show(room, kept, how("n4"), never)).toMatchObject({ is: "refused", why: "other" });
  });

  test("D16: a lost file is found by its name, a picture as well", async () => {
    const there = await connected();
    const { wire, platform, room, dm } = there;
    const folder = await mkdtemp(join(tmpdir(), "tidegate-discord-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "1.png");
    await writeFile(path, "bytes");
    const since = Date.now() - 61_000;
    const [, picture] = platform.outlet.pieces(
      reply("x", { file: { name: "my chart.png", path, mediaType: "image/png", alt: "Sales" } }),
    );
    const [, text] = platform.outlet.pieces(reply("x", { file: { name: "all.txt", text: "all" } }));
    if (picture === undefined || text === undefined) throw new Error("Nothing to show.");
    await platform.outlet.show(room, text, how("n1"), never);
    const [first] = wire.sent(dm);
    expect(await platform.outlet.recover(room, { piece: picture, nonce: "n2", since }, never)).toEqual({
      is: "unknowable",
    });
    wire.fail("send", { kind: "status500AfterStore" });
    expect(await platform.outlet.show(room, picture, how("n2"), never)).toEqual({ is: "unknown" });
    expect(await platform.outlet.recover(room, { piece: picture, nonce: "n2", since }, never)).toEqual({
      is: "shown",
      ref: wire.sent(dm).at(-1)?.id,
    });
    expect(await platform.outlet.recover(room, { piece: text, nonce: "n1", since }, never)).toEqual({
      is: "shown",
      ref: first?.id,
    });
  });

  test("T25: typing is a call that may fail, and says how long to give none", async () => {
    const { wire, platform, room } = await connected();
    expect(await platform.outlet.hint(room, { kind: "typing" }, never)).toBeUndefined();
    expect(wire.typing).toMatchObject([{ channelId: room.chat }]);
    wire.fail("typing", { kind: "rateLimited", retryAfterMs: 3000 });
    expect(await platform.outlet.hint(room, { kind: "typing" }, never)).toMatchObject({ is: "wait", why: "too-fast" });
    expect(await platform.outlet.hint(room, { kind: "draft", key: "k", text: "x" }, never)).toBeUndefined();
  });
});

describe("files", () => {
  test("T2, T45: a file is fetched by its link, and by a fresh one when that has expired, also the one that a forward brings", async () => {
    const { wire, platform, pull, dm } = await connected({ wire: { linkLifeMs: 60_000 } });
    const folder = await mkdtemp(join(tmpdir(), "tidegate-discord-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    for (const [index, extra] of [
      { files: [{ name: "a b.txt", text: "own bytes", mimeType: "text/plain" }] },
      { forward: { text: "", files: [{ name: "theirs.bin", text: "their bytes" }] } },
    ].entries()) {
      wire.say(dm, OWNER, "", extra);
      const message = await pull.message();
      const file = fileIn(message);
      const path = join(folder, `${index}`);
      const handle = JSON.parse(file.handle) as { url: string };
      const expired = {
        ...file,
        handle: JSON.stringify({ ...handle, url: handle.url.replace(/\?.*$/u, "?ex=1&is=1&hm=00") }),
      };
      await platform.channel.fetch(expired, path, never);
      expect(await readFile(path, "utf8")).toBe(index === 0 ? "own bytes" : "their bytes");
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    }
    for (const [bytes, code] of [
      [new Uint8Array(), "file-empty"],
      [new Uint8Array(25 * 1024 * 1024 + 1), "file-too-large"],
    ] as const) {
      wire.say(dm, OWNER, "", { files: [{ name: "odd.bin", bytes, size: 5 }] });
      const file = fileIn(await pull.message());
      await expect(platform.channel.fetch(file, join(folder, code), never)).rejects.toMatchObject({ code });
    }
    expect((await readdir(folder)).sort()).toEqual(["0", "1"]);
    await expect(
      platform.channel.fetch(
        { kind: "photo", name: "x", mediaType: "image/png", handle: "none" },
        join(folder, "n"),
        never,
      ),
    ).rejects.toMatchObject({ code: "file-unavailable" });
  });
});

test("T44: the bot is handed a code by its page and words, once it is connected", async () => {
  const { wire, platform, pull } = await stage();
  expect(platform.channel.invite("123456")).toBeUndefined();
  await pull.batch();
  expect(platform.channel.invite("123456")).toBe(
    `https://discord.com/users/${wire.botId}, Message, and write: pair 123456`,
  );
});

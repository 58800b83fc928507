// What a Telegram update means: every recorded payload through the loopback platform and the real grammY, and by table.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { telegram } from "../../src/channels/telegram/channel.ts";
import { readUpdate } from "../../src/channels/telegram/inbound.ts";
import type { Inbound } from "../../src/core/channel.ts";
import { Pull, recordedSurroundings } from "../contracts/channel.ts";
import { runs } from "../deep.ts";
import { startTelegram } from "../wire/telegram.ts";

const ME = { id: 100_200_300, username: "gateway_test_bot" };
const folder = join(import.meta.dirname, "../fixtures/telegram");

function fixture(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(folder, name), "utf8")) as Record<string, unknown>;
}

const own = { kind: "own" } as const;
const room = (chat: number, thread?: number): object => ({
  platform: "telegram",
  chat: String(chat),
  kind: chat > 0 ? "private" : "shared",
  ...(thread === undefined ? {} : { thread: String(thread) }),
});
const text = (words: string, origin: object = own): object => ({ kind: "text", origin, text: words });
const file = (fields: object, origin: object = own): object => ({ kind: "file", origin, file: fields });
const said = (chat: object, ...parts: object[]): object => ({ kind: "message", room: chat, parts });

const PRIVATE = room(700_000_001);
const FORUM = room(-1_000_000_002_001);

type Expected =
  /** Comes through the wire and means this. */
  | { readonly gives: object }
  /** Of a kind that is not asked for, so it never comes; read all the same it means this. */
  | { readonly unasked: object }
  /** No update at all; its own test is named. */
  | { readonly notAnUpdate: string };

const FIXTURES: Readonly<Record<string, Expected>> = {
  "album-item-video.json": {
    gives: {
      ...said(PRIVATE, file({ kind: "video", handle: "FILE-ID-2", mediaType: "video/mp4", bytes: 1_381_334 })),
      album: "12543417770506682",
    },
  },
  "bot-command-with-args.json": {
    gives: { ...said(PRIVATE), parts: [], command: { name: "register", args: "HR John Doe" } },
  },
  "callback-query.json": {
    gives: {
      kind: "press",
      room: PRIVATE,
      data: "thedata",
      ref: "4000000000000000001",
      messageId: "69587",
      from: { id: "700000001" },
    },
  },
  "callback-query-complex.json": { gives: { kind: "press", room: PRIVATE, data: "c=uud&pid=1&bid=1" } },
  "callback-query-inaccessible-message.json": {
    gives: { kind: "press", room: PRIVATE, data: "thedata", messageId: "69587" },
  },
  "contact.json": { gives: said(PRIVATE, text("[contact: First, 911]")) },
  "dm-mention.json": { gives: said(PRIVATE, text("@gateway_test_bot hi")) },
  "dm-text.json": {
    gives: {
      ...said(PRIVATE, text("how are you")),
      from: { id: "700000001", name: "First", bot: false },
      at: 1_767_224_901_000,
      messageId: "134",
    },
  },
  "document.json": {
    gives: said(
      PRIVATE,
      file({
        kind: "document",
        name: "document.pdf",
        mediaType: "application/pdf",
        bytes: 123_456,
        handle: "FILE-ID-1",
      }),
    ),
  },
  "edited-channel-post.json": { unasked: { kind: "ignored", because: "a channel's post" } },
  "edited-message-reply.json": {
    gives: {
      kind: "edit",
      room: PRIVATE,
      messageId: "23762",
      at: 1_584_985_245_000,
      parts: [
        text("This message", { kind: "quoted", from: "First", id: "700000001", messageId: "23758", ours: false }),
        text("Editing this message"),
      ],
    },
  },
  "error-429.json": { notAnUpdate: "telegram-outlet.test.ts" },
  "error-too-long.json": { notAnUpdate: "telegram-outlet.test.ts" },
  "error-user-deactivated.json": { notAnUpdate: "telegram-outlet.test.ts" },
  "error-wrong-file-id.json": { notAnUpdate: "telegram-outlet.test.ts" },
  "rich-message-response.json": { notAnUpdate: "telegram-outlet.test.ts" },
  "forum-general-topic-message.json": { gives: { ...said(FORUM, text("foo")), addressed: false } },
  "forum-general-topic-reply.json": {
    gives: said(
      FORUM,
      text("aaaaaa", { kind: "quoted", from: "First Last", id: "700000001", messageId: "66", ours: false }),
      text("bbbb"),
    ),
  },
  "forum-topic-created.json": { gives: { kind: "ignored", because: "nothing in it to answer: forum_topic_created" } },
  "forum-topic-created-2.json": { gives: { kind: "ignored", because: "nothing in it to answer: forum_topic_created" } },
  "forum-topic-message.json": { gives: said(room(-1_000_000_002_001, 33), text("lòklò")) },
  "forum-topic-message-2.json": { gives: said(room(-1_000_000_001_001, 4), text("blah")) },
  "forum-topic-reply.json": {
    gives: said(
      room(-1_000_000_002_001, 33),
      text("aaaa", { kind: "quoted", from: "First Last", id: "700000001", messageId: "70", ours: false }),
      text("bbbb"),
    ),
  },
  "forward-origin-chat-anonymous-admin.json": {
    gives: {
      ...said(
        room(-1_000_000_001_001),
        text("text", { kind: "forwarded", as: "chat", from: "Chat 1", id: "-1000000001001" }),
      ),
      from: { id: "-1000000001001", name: "Chat 1", bot: true },
    },
  },
  "forward-origin-user.json": {
    gives: said(PRIVATE, text("Ciao", { kind: "forwarded", as: "user", from: "First", id: "700000002" })),
  },
  "guest-message.json": { unasked: { kind: "ignored", because: "a guest message" } },
  "location.json": { gives: said(PRIVATE, text("[location: 41.899977, 12.501028]")) },
  "message-reaction.json": { unasked: { kind: "ignored", because: "a reaction" } },
  "migrate-to-supergroup.json": { gives: { kind: "moved", platform: "telegram", from: "700000001", to: "700000002" } },
  "migrate-to-supergroup-2.json": {
    gives: { kind: "moved", platform: "telegram", from: "-5001", to: "-1000000003001" },
  },
  "my-chat-member.json": { gives: { kind: "reach", room: PRIVATE, reachable: true } },
  "photo-caption-entities.json": {
    gives: said(PRIVATE, file({ kind: "photo", handle: "FILE-ID-4", bytes: 162_061 }), text("www.example.com")),
  },
  "photo-no-caption.json": {
    gives: said(
      PRIVATE,
      file({ kind: "photo", handle: "FILE-ID-3", mediaType: "image/jpeg", name: "photo-199791.jpg" }),
    ),
  },
  "photo-with-caption.json": {
    gives: said(PRIVATE, file({ kind: "photo", handle: "FILE-ID-2" }), text("asdasdasdasdasdasd")),
  },
  "pinned-message.json": { gives: { kind: "ignored", because: "nothing in it to answer: pinned_message" } },
  "rich-message-update.json": {
    gives: {
      kind: "message",
      from: { bot: true },
      parts: [{ kind: "text", origin: own, text: expect.stringContaining("Codes | Colors") }],
    },
  },
  "sticker.json": {
    gives: said(
      PRIVATE,
      file({ kind: "sticker", name: "sticker 🤣.webp", mediaType: "image/webp", handle: "FILE-ID-2" }),
    ),
  },
  "stopped-message-generation.json": {
    gives: { kind: "stop", room: PRIVATE, from: { id: "700000001", name: "First Last", bot: false } },
  },
  "story.json": { gives: { kind: "ignored", because: "nothing in it to answer: story" } },
  "synthetic-album-1-captioned.json": {
    gives: {
      ...said(PRIVATE, file({ kind: "photo", handle: "FILE-ID-2" }), text("album caption")),
      album: "13800000000000001",
    },
  },
  "synthetic-album-2.json": {
    gives: { ...said(PRIVATE, file({ kind: "photo", handle: "FILE-ID-4" })), album: "13800000000000001" },
  },
  "synthetic-forward-origin-channel.json": {
    gives: said(
      PRIVATE,
      text("forwarded channel post", { kind: "forwarded", as: "channel", from: "Chat 1", id: "-1001000000123" }),
    ),
  },
  "synthetic-forward-origin-hidden-user.json": {
    gives: said(
      PRIVATE,
      text("forwarded from a private account", { kind: "forwarded", as: "hidden-user", from: "Hidden Sender" }),
    ),
  },
  "synthetic-private-topic.json": { gives: said(room(700_000_001, 321), text("in a private-chat topic")) },
  "synthetic-reply-with-quote.json": {
    gives: said(
      PRIVATE,
      text("line two", { kind: "quoted", from: "Gateway", id: "42", messageId: "4990", ours: false }),
      text("about this part"),
    ),
  },
  "text-entities.json": { gives: said(PRIVATE, text("test bold underline 😆👍 look here")) },
  "text-non-ascii.json": { gives: said(PRIVATE, text("Лол кек 😂")) },
  "video.json": {
    gives: said(PRIVATE, file({ kind: "video", name: "sdfsdfsdf.mp4", mediaType: "video/mp4", handle: "FILE-ID-2" })),
  },
  "video-private.json": { gives: said(PRIVATE, file({ kind: "video", handle: "FILE-ID-2" })) },
  "voice.json": {
    gives: said(PRIVATE, file({ kind: "voice", name: "voice-123456.ogg", mediaType: "audio/ogg", bytes: 6448 })),
  },
};

describe("recorded payloads", () => {
  test("T35: the table names every recorded payload", () => {
    const there = readdirSync(folder).filter((name) => name.endsWith(".json"));
    expect(Object.keys(FIXTURES).toSorted()).toEqual(there.toSorted());
  });

  for (const [name, expected] of Object.entries(FIXTURES)) {
    if ("notAnUpdate" in expected) continue;
    test(`T35: ${name} comes through the real library and means what it should`, async () => {
      const { update_id: _id, ...update } = fixture(name);
      const wire = await startTelegram({ token: `${ME.id}:test-token`, username: ME.username });
      onTestFinished(() => wire[Symbol.asyncDispose]());
      const { surroundings } = recordedSurroundings();
      const pull = new Pull(telegram({ token: wire.token, apiRoot: wire.apiRoot }, surroundings));
      onTestFinished(() => pull[Symbol.asyncDispose]());
      await pull.batch();
      pull.ask();
      await wire.until(() => wire.polling);
      const pushed = wire.push(update);
      if ("unasked" in expected) {
        expect(pushed).toBeUndefined();
        expect(pull.platform.channel.read({ update_id: 1, ...update })).toMatchObject(expected.unasked);
        return;
      }
      const { inbound } = await pull.next();
      expect(inbound).toMatchObject(expected.gives);
      // A thread too many would pass for the same room above.
      if ("room" in expected.gives && "room" in inbound) expect(inbound.room).toEqual(expected.gives.room);
    });
  }
});

// ---- By hand: what no recording shows.

const OWNER = { id: 1001, is_bot: false, first_name: "Sam" };
const STRANGER = { id: 2002, is_bot: false, first_name: "Eve", last_name: "Else" };
const BOT = { id: ME.id, is_bot: true, first_name: "Gateway", username: ME.username };
const DM = { id: 1001, type: "private", first_name: "Sam" };
const GROUP = { id: -1001, type: "supergroup", title: "Team" };

function read(fields: object, chat: object = DM, from: object = OWNER): Inbound {
  return readUpdate({ update_id: 1, message: { message_id: 7, date: 1_700_000_000, chat, from, ...fields } }, ME);
}

function message(fields: object, chat?: object, from?: object): Extract<Inbound, { kind: "message" }> {
  const inbound = read(fields, chat, from);
  if (inbound.kind !== "message") throw new Error(JSON.stringify(inbound));
  return inbound;
}

describe("commands", () => {
  const entity = (length: number, offset = 0): object => ({ entities: [{ type: "bot_command", offset, length }] });
  const cases: readonly [title: string, fields: object, result: object][] = [
    ["a command alone", { text: "/new", ...entity(4) }, { command: { name: "new", args: "" }, parts: [] }],
    [
      "its words",
      { text: "/Search two  words\nmore ", ...entity(7) },
      { command: { name: "search", args: "two  words\nmore" }, parts: [] },
    ],
    [
      "our name in any case",
      { text: "/new@Gateway_TEST_bot now", ...entity(21) },
      { command: { name: "new", args: "now" } },
    ],
    [
      "another bot's",
      { text: "/new@other_bot", ...entity(14) },
      { kind: "ignored", because: "a command for another bot" },
    ],
    ["a command further on", { text: "try /new", ...entity(4, 4) }, { parts: [text("try /new")] }],
    ["a path", { text: "/usr/bin/env", entities: [] }, { parts: [text("/usr/bin/env")] }],
    [
      "one that is set as code",
      { text: "/new", entities: [{ type: "code", offset: 0, length: 4 }] },
      { parts: [text("/new")] },
    ],
    ["one that nothing marks", { text: "/new" }, { command: { name: "new", args: "" } }],
    ["a path that nothing marks", { text: "/usr/bin/env" }, { parts: [text("/usr/bin/env")] }],
    [
      "one in a forward",
      { text: "/new", ...entity(4), forward_origin: { type: "user", sender_user: STRANGER, date: 1 } },
      { parts: [text("/new", { kind: "forwarded" })] },
    ],
    [
      "one by an inline bot",
      { text: "/new", ...entity(4), via_bot: { id: 9, is_bot: true, first_name: "Inline" } },
      { parts: [text("/new", { kind: "forwarded", as: "user", from: "Inline", id: "9" })] },
    ],
  ];
  for (const [title, fields, result] of cases)
    test(`T12: ${title}`, () => {
      const inbound = read(fields);
      expect(inbound).toMatchObject(result);
      if (!("command" in result)) expect(inbound).not.toHaveProperty("command");
      if ("because" in result) expect(read(fields, GROUP)).toMatchObject(result);
    });

  test("T9 T12: an edited command is words, never a command", () => {
    const edited = { message_id: 7, date: 1, edit_date: 2, chat: DM, from: OWNER, text: "/stop", ...entity(5) };
    expect(readUpdate({ update_id: 1, edited_message: edited }, ME)).toMatchObject({
      kind: "edit",
      at: 2000,
      parts: [text("/stop")],
    });
  });
});

describe("who is spoken to", () => {
  const mention = (length: number): object => ({ entities: [{ type: "mention", offset: 0, length }] });
  const root = { message_id: 3, from: BOT, chat: GROUP, date: 1, forum_topic_created: { name: "T" } };
  const cases: readonly [title: string, fields: object, addressed: boolean][] = [
    ["plain words", { text: "hello" }, false],
    ["our name", { text: "@gateway_test_bot hello", ...mention(17) }, true],
    ["our name in another case", { text: "@GATEWAY_test_bot hello", ...mention(17) }, true],
    ["another name", { text: "@gateway_test_bot2 hi", ...mention(18) }, false],
    ["our name where nothing is marked", { text: "hi @gateway_test_bot" }, true],
    ["a longer name where nothing is marked", { text: "hi @gateway_test_bot2" }, false],
    [
      "a mention by id",
      { text: "Gateway hi", entities: [{ type: "text_mention", offset: 0, length: 7, user: BOT }] },
      true,
    ],
    [
      "a mention of another by id",
      { text: "Eve hi", entities: [{ type: "text_mention", offset: 0, length: 3, user: STRANGER }] },
      false,
    ],
    [
      "a caption with our name",
      {
        photo: [{ file_id: "p", width: 1, height: 1 }],
        caption: "@gateway_test_bot",
        caption_entities: [{ type: "mention", offset: 0, length: 17 }],
      },
      true,
    ],
    ["a reply to us", { text: "yes", reply_to_message: { message_id: 3, from: BOT, text: "?" } }, true],
    ["a reply to another", { text: "yes", reply_to_message: { message_id: 3, from: STRANGER, text: "?" } }, false],
    [
      "a message in a topic that we made",
      { text: "yes", is_topic_message: true, message_thread_id: 3, reply_to_message: root },
      false,
    ],
    [
      "a command with our name",
      { text: "/new@gateway_test_bot", entities: [{ type: "bot_command", offset: 0, length: 21 }] },
      true,
    ],
    ["a command without a name", { text: "/new", entities: [{ type: "bot_command", offset: 0, length: 4 }] }, false],
    [
      "a forward that names us",
      {
        text: "@gateway_test_bot hello",
        ...mention(17),
        forward_origin: { type: "hidden_user", sender_user_name: "x", date: 1 },
      },
      false,
    ],
  ];
  for (const [title, fields, addressed] of cases)
    test(`T11: in a group, ${title}: ${addressed ? "ours" : "not ours"}`, () => {
      expect(message(fields, GROUP).addressed).toBe(addressed);
    });
});

describe("whose words", () => {
  const forward = (origin: object): object => ({ text: "words", forward_origin: { date: 1, ...origin } });
  const cases: readonly [title: string, fields: object, origin: object][] = [
    [
      "a person",
      forward({ type: "user", sender_user: STRANGER }),
      { kind: "forwarded", as: "user", from: "Eve Else", id: "2002" },
    ],
    [
      "a hidden person",
      forward({ type: "hidden_user", sender_user_name: "Eve\n**E**" }),
      { kind: "forwarded", as: "hidden-user", from: "Eve **E**" },
    ],
    [
      "a group",
      forward({ type: "chat", sender_chat: GROUP }),
      { kind: "forwarded", as: "chat", from: "Team", id: "-1001" },
    ],
    [
      "a channel",
      forward({ type: "channel", chat: { id: -5, type: "channel", title: "News" }, message_id: 1 }),
      { kind: "forwarded", as: "channel", from: "News", id: "-5" },
    ],
    [
      "a kind of origin that is not known yet",
      forward({ type: "planet" }),
      { kind: "forwarded", as: "hidden-user", from: "" },
    ],
    [
      "an origin in the old fields",
      { text: "words", forward_date: 1, forward_sender_name: "Old" },
      { kind: "forwarded", as: "hidden-user", from: "Old" },
    ],
    [
      "an origin with its sender left out",
      forward({ type: "user" }),
      { kind: "forwarded", as: "hidden-user", from: "" },
    ],
  ];
  for (const [title, fields, origin] of cases)
    test(`T8: forwarded from ${title}`, () => {
      expect(message(fields).parts).toEqual([{ kind: "text", messageId: "7", origin, text: "words" }]);
    });

  test("T8: a forwarded file and its caption both carry the origin", () => {
    const fields = {
      ...forward({ type: "user", sender_user: STRANGER }),
      text: undefined,
      document: { file_id: "d" },
      caption: "look",
    };
    expect(message(fields).parts).toMatchObject([
      { kind: "file", origin: { kind: "forwarded", id: "2002" } },
      { kind: "text", origin: { kind: "forwarded", id: "2002" } },
    ]);
  });

  test("T6: a reply quotes the whole message, clipped, and says whether it is ours", () => {
    const [quoted, words] = message({
      text: "so?",
      reply_to_message: { message_id: 3, from: BOT, text: "x".repeat(5000) },
    }).parts;
    expect(quoted).toMatchObject({
      kind: "text",
      messageId: "7",
      origin: { kind: "quoted", ours: true, messageId: "3", id: String(ME.id) },
    });
    expect(quoted?.kind === "text" && quoted.text.length).toBe(4000);
    expect(words).toMatchObject({ origin: own, text: "so?" });
  });

  test("T6: a reply to a picture brings the picture, as the other's", () => {
    const photo = [
      { file_id: "big", width: 10, height: 10 },
      { file_id: "small", width: 1, height: 1 },
    ];
    expect(
      message({ text: "what is it?", reply_to_message: { message_id: 3, from: STRANGER, photo, caption: "mine" } })
        .parts,
    ).toMatchObject([
      { kind: "file", origin: { kind: "quoted", id: "2002", ours: false }, file: { handle: "big" } },
      { kind: "text", origin: { kind: "quoted", id: "2002" }, text: "mine" },
      { kind: "text", origin: own },
    ]);
  });

  test("T6 T7: a quote of a forward is the words of who wrote it, not of who brought it", () => {
    const answered = {
      message_id: 3,
      from: OWNER,
      text: "evil",
      forward_origin: { type: "user", sender_user: STRANGER, date: 1 },
    };
    expect(message({ text: "hm", reply_to_message: answered }).parts[0]).toMatchObject({
      origin: { kind: "quoted", id: "2002", from: "Eve Else" },
    });
  });

  test("T7: a reply to something in another chat keeps its origin, and names no message here", () => {
    const [quoted] = message({
      text: "this",
      external_reply: {
        origin: { type: "channel", chat: { id: -5, type: "channel", title: "News" }, message_id: 4, date: 1 },
        chat: GROUP,
        message_id: 4,
      },
      quote: { text: "big news", position: 0 },
    }).parts;
    expect(quoted).toEqual({
      kind: "text",
      messageId: "7",
      origin: { kind: "quoted", from: "News", id: "-5", ours: false },
      text: "big news",
    });
  });

  test("T7: a quote of our own words from another chat is known as ours", () => {
    const [quoted] = message({
      text: "this",
      external_reply: { origin: { type: "user", sender_user: BOT, date: 1 } },
      quote: { text: "we said", position: 0 },
    }).parts;
    expect(quoted).toMatchObject({ origin: { kind: "quoted", ours: true } });
    expect(quoted?.origin).not.toHaveProperty("messageId");
  });
});

describe("who wrote it", () => {
  const cases: readonly [title: string, from: object | undefined, extra: object][] = [
    ["a bot", { id: 5, is_bot: true, first_name: "Other" }, {}],
    ["an anonymous admin", { id: 1_087_968_824, is_bot: true, first_name: "Group" }, { sender_chat: GROUP }],
    [
      "a post of a linked channel",
      { id: 777_000, is_bot: false, first_name: "Telegram" },
      { is_automatic_forward: true, sender_chat: { id: -5, type: "channel", title: "News" } },
    ],
    ["Telegram's own account", { id: 777_000, is_bot: false, first_name: "Telegram" }, {}],
    [
      "a person in a channel's name",
      { id: 136_817_688, is_bot: true, first_name: "Channel" },
      { sender_chat: { id: -5, type: "channel", title: "News" } },
    ],
  ];
  for (const [title, from, extra] of cases)
    test(`T34: ${title} is no person`, () => {
      expect(message({ text: "@gateway_test_bot hi", ...extra }, GROUP, from).from.bot).toBe(true);
    });

  test("T34: our own messages are ignored, whatever they hold", () => {
    expect(read({ text: "echo" }, DM, BOT)).toMatchObject({ kind: "ignored" });
    expect(
      readUpdate({ update_id: 1, edited_message: { message_id: 1, date: 1, chat: DM, from: BOT, text: "x" } }, ME),
    ).toMatchObject({ kind: "ignored" });
  });

  test("T34: channel posts are ignored in every form", () => {
    const channel = { id: -5, type: "channel", title: "News" };
    for (const kind of ["channel_post", "edited_channel_post", "message", "edited_message"])
      expect(
        readUpdate(
          { update_id: 1, [kind]: { message_id: 1, date: 1, chat: channel, sender_chat: channel, text: "x" } },
          ME,
        ),
      ).toMatchObject({ kind: "ignored" });
  });

  test("T38: a name is one line of at most 64 characters, and never empty", () => {
    const name = (first: string, more: object = {}): string =>
      message({ text: "x" }, DM, { id: 9, is_bot: false, first_name: first, ...more }).from.name;
    expect(name("Eve\r\n<b>\u202Eevil\u0000", { last_name: " \t Else " })).toBe("Eve <b>evil Else");
    expect(name("👩‍👩‍👧‍👦".repeat(100)).length).toBeLessThanOrEqual(256);
    expect(name(`e${"\u0301".repeat(5000)}`).length).toBeLessThanOrEqual(256);
    expect(name("x".repeat(100))).toBe("x".repeat(64));
    expect(name("\n", { username: "eve" })).toBe("eve");
    expect(name("")).toBe("9");
  });
});

describe("what is in it", () => {
  const stored = { file_id: "F" };
  const cases: readonly [title: string, fields: object, ...parts: object[]][] = [
    [
      "an audio file",
      { audio: { ...stored, file_name: "a.flac", mime_type: "audio/flac" } },
      file({ kind: "audio", name: "a.flac", mediaType: "audio/flac" }),
    ],
    ["a video note", { video_note: stored }, file({ kind: "video", name: "video-note-7.mp4", mediaType: "video/mp4" })],
    ["an animation, once", { animation: stored, document: stored }, file({ kind: "video", name: "animation-7.mp4" })],
    ["a live photo", { live_photo: stored }, file({ kind: "video" })],
    [
      "an animated sticker",
      { sticker: { ...stored, is_animated: true } },
      file({ kind: "sticker", mediaType: "application/x-tgsticker" }),
    ],
    ["a video sticker", { sticker: { ...stored, is_video: true } }, file({ kind: "sticker", mediaType: "video/webm" })],
    [
      "a document of no name",
      { document: stored },
      file({ kind: "document", name: "document-7", mediaType: "application/octet-stream" }),
    ],
    [
      "a document of an odd name",
      { document: { ...stored, file_name: "../../etc/\u202Epasswd\n.txt" } },
      file({ kind: "document", name: "../../etc/passwd .txt" }),
    ],
    [
      "a media type that is none",
      { document: { ...stored, mime_type: "text/html\nx: y" } },
      file({ mediaType: "application/octet-stream" }),
    ],
    [
      "a venue",
      {
        venue: { title: "Café", address: "Road 1", location: { latitude: 1, longitude: 2 } },
        location: { latitude: 1, longitude: 2 },
      },
      text("[venue: Café, Road 1, 1, 2]"),
    ],
    [
      "a poll",
      { poll: { question: "Tea?", options: [{ text: "yes" }, { text: "no" }] } },
      text("[poll: Tea? / yes / no]"),
    ],
    ["a checklist", { checklist: { title: "Trip", tasks: [{ text: "pack" }] } }, text("[checklist: Trip / pack]")],
    ["dice", { dice: { emoji: "🎲", value: 4 } }, text("[dice 🎲: 4]")],
    ["white space", { text: " \n " }, text(" \n ")],
    ["right-to-left words", { text: "שלום e\u0301" }, text("שלום e\u0301")],
    ["4,096 emoji", { text: "😀".repeat(4096) }, text("😀".repeat(4096))],
  ];
  for (const [title, fields, ...parts] of cases)
    test(`T1 T3: ${title}`, () => {
      expect(message(fields).parts).toMatchObject(parts);
      expect(message(fields).parts).toHaveLength(parts.length);
    });

  test("T9: a live location that moves is no edit", () => {
    const edited = {
      message_id: 7,
      date: 1,
      edit_date: 2,
      chat: DM,
      from: OWNER,
      location: { latitude: 1, longitude: 2 },
    };
    expect(readUpdate({ update_id: 1, edited_message: edited }, ME)).toMatchObject({ kind: "ignored" });
  });

  test("T9: an edit gives words only, and an empty caption is still an edit", () => {
    const edited = {
      message_id: 7,
      date: 1,
      edit_date: 2,
      chat: DM,
      from: OWNER,
      photo: [{ file_id: "p", width: 1, height: 1 }],
    };
    expect(readUpdate({ update_id: 1, edited_message: edited }, ME)).toMatchObject({ kind: "edit", parts: [] });
    expect(readUpdate({ update_id: 1, edited_message: { ...edited, caption: "new" } }, ME)).toMatchObject({
      kind: "edit",
      parts: [text("new")],
    });
  });
});

describe("chats and presses", () => {
  test("T13: a group that moved says so in both rooms", () => {
    const moved = { kind: "moved", platform: "telegram", from: "-1", to: "-1001" };
    expect(read({ migrate_to_chat_id: -1001 }, { id: -1, type: "group" })).toEqual(moved);
    expect(read({ migrate_from_chat_id: -1 }, GROUP)).toEqual(moved);
  });

  const members: readonly [member: object, reachable: boolean][] = [
    [{ status: "kicked" }, false],
    [{ status: "left" }, false],
    [{ status: "member" }, true],
    [{ status: "administrator" }, true],
    [{ status: "restricted", is_member: true, can_send_messages: true }, true],
    [{ status: "restricted", is_member: true, can_send_messages: false }, false],
    [{ status: "restricted", is_member: false }, false],
  ];
  for (const [member, reachable] of members)
    test(`T14: ${JSON.stringify(member)} is ${reachable ? "reachable" : "unreachable"}`, () => {
      expect(
        readUpdate({ update_id: 1, my_chat_member: { chat: DM, from: OWNER, date: 1, new_chat_member: member } }, ME),
      ).toEqual({ kind: "reach", room: room(1001), reachable });
    });

  test("T10: a press in a topic belongs to the topic; one outside any chat belongs nowhere", () => {
    const press = {
      id: "c",
      from: OWNER,
      data: "k",
      message: { message_id: 1, chat: GROUP, date: 1, is_topic_message: true, message_thread_id: 9 },
    };
    expect(readUpdate({ update_id: 1, callback_query: press }, ME)).toMatchObject({
      kind: "press",
      room: room(-1001, 9),
    });
    expect(
      readUpdate({ update_id: 1, callback_query: { id: "c", from: OWNER, data: "k", inline_message_id: "i" } }, ME),
    ).toMatchObject({ kind: "ignored" });
    expect(
      readUpdate({ update_id: 1, callback_query: { ...press, data: undefined, game_short_name: "g" } }, ME),
    ).toMatchObject({ kind: "ignored" });
  });

  test("T10: the stop of a draft in a topic belongs to the topic", () => {
    expect(
      readUpdate({ update_id: 1, stopped_message_generation: { chat: DM, message_thread_id: 4, draft_id: 1 } }, ME),
    ).toMatchObject({ kind: "stop", room: room(1001, 4) });
  });
});

describe("what can't be understood", () => {
  test("T35: an unknown kind is ignored by name, and a strange name isn't repeated", () => {
    expect(readUpdate({ update_id: 1, brand_new: {} }, ME)).toEqual({
      kind: "ignored",
      because: "unknown kind of update: brand_new",
    });
    expect(readUpdate({ update_id: 1, "x\n\u001B[31m": {} }, ME)).toEqual({
      kind: "ignored",
      because: "unknown kind of update: (no plain name)",
    });
    expect(readUpdate({ update_id: 1, constructor: {} }, ME)).toMatchObject({ kind: "ignored" });
  });

  const broken: readonly unknown[] = [
    ...[null, undefined, 7, "text", [], {}, { update_id: 1 }, { message: null }, { message: 5 }, { message: {} }],
    { message: { message_id: 1, date: 1, chat: { id: "x", type: "private" }, from: OWNER, text: "x" } },
    { message: { message_id: 1, date: 1, chat: DM, text: "nobody" } },
    { message: { message_id: 1, date: 1, chat: DM, from: OWNER, photo: "p" } },
    { callback_query: { id: "", from: OWNER } },
  ];
  test("T35: what is malformed is said to be, with the place and without the content", () => {
    for (const raw of broken) expect(readUpdate(raw, ME).kind).toBe("malformed");
    const secret = read({ text: { "words of a person": 1 } });
    expect(secret).toMatchObject({ kind: "malformed", problem: expect.stringContaining("message.text") as string });
    expect(JSON.stringify(secret)).not.toContain("words of a person");
  });

  const shapes = [
    "message",
    "edited_message",
    "callback_query",
    "my_chat_member",
    "stopped_message_generation",
  ] as const;
  const json = fc.jsonValue({ maxDepth: 5 });

  test("T35: no JSON value makes reading throw, wherever in an update it stands", () => {
    const updates = readdirSync(folder)
      .filter((name) => name.endsWith(".json") && !name.startsWith("error"))
      .map((name) => fixture(name));
    const reads = (raw: unknown): void => {
      expect(readUpdate(raw, ME)).toHaveProperty("kind");
    };
    fc.assert(fc.property(json, reads));
    fc.assert(fc.property(fc.constantFrom(...shapes), json, (kind, raw) => reads({ update_id: 1, [kind]: raw })));
    // One value of a real update replaced.
    fc.assert(
      fc.property(fc.constantFrom(...updates), fc.nat(), json, (update, at, value) => {
        expect(readUpdate(replaced(update, at, value), ME)).toHaveProperty("kind");
      }),
      { numRuns: runs(500) },
    );
  });

  test("T35: deep rich messages end, and keep what they say", () => {
    let blocks: unknown = { type: "paragraph", text: "deep" };
    for (let depth = 0; depth < 20_000; depth++) blocks = { type: "blockquote", blocks: [blocks] };
    expect(
      read({ rich_message: { blocks: [{ type: "paragraph", text: ["a", { type: "bold", text: "b" }] }, blocks] } }),
    ).toMatchObject({
      parts: [text("ab")],
    });
  });
});

/** The update with its `at`-th value replaced, counted depth first and round again. */
function replaced(update: Record<string, unknown>, at: number, value: unknown): unknown {
  const copy = structuredClone(update);
  const places: [Record<string, unknown>, string][] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const key of Object.keys(node)) {
      places.push([node as Record<string, unknown>, key]);
      visit((node as Record<string, unknown>)[key]);
    }
  };
  visit(copy);
  const place = places[at % places.length];
  if (place) place[0][place[1]] = value;
  return copy;
}

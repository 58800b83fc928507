// The loopback Telegram against the real grammY: what the library sees must be what the platform
// would send. Times are the platform's own where they matter; nothing sleeps.
import { readFile, readdir } from "node:fs/promises";
import type { Update } from "@grammyjs/types";
import { Api, Bot, GrammyError, HttpError, InputFile } from "grammy";
import { describe, expect, onTestFinished, test } from "vitest";
import { control } from "./http.ts";
import { parseHtml } from "./telegram-html.ts";
import { startTelegram } from "./telegram.ts";
import type { TelegramOptions, TelegramWire } from "./telegram.ts";

const owner = 1001;

async function start(options?: TelegramOptions): Promise<{ wire: TelegramWire; api: Api }> {
  const wire = await startTelegram(options);
  onTestFinished(() => wire[Symbol.asyncDispose]());
  wire.addUser({ id: owner, first_name: "Sam", username: "sam" });
  return { wire, api: new Api(wire.token, { apiRoot: wire.apiRoot }) };
}

/** A bot that polls until the test ends. */
async function startBot(wire: TelegramWire, prepare: (bot: Bot) => void): Promise<Bot> {
  const bot = new Bot(wire.token, { client: { apiRoot: wire.apiRoot } });
  prepare(bot);
  const running = bot.start().catch(() => undefined);
  onTestFinished(async () => {
    await bot.stop().catch(() => undefined);
    await running;
  });
  await wire.until(() => wire.polling);
  return bot;
}

async function refusal(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(GrammyError);
  const { error_code, description } = error as GrammyError;
  return `${error_code} ${description}`;
}

describe("a conversation through grammY", () => {
  test("text comes in, an answer with a button goes out, a press edits it", async () => {
    const { wire } = await start();
    await startBot(wire, (bot) => {
      bot.on("message:text", (ctx) =>
        ctx.reply(`<b>You</b> said ${ctx.message.text}`, {
          parse_mode: "HTML",
          link_preview_options: { is_disabled: true },
          reply_markup: { inline_keyboard: [[{ text: "Yes", callback_data: "y:1" }]] },
        }),
      );
      bot.on("callback_query:data", async (ctx) => {
        await ctx.answerCallbackQuery({ text: "noted" });
        await ctx.editMessageText(`pressed ${ctx.callbackQuery.data}`);
      });
    });
    wire.say(owner, owner, "hello");
    const asked = await wire.shown(owner, "You said hello");
    expect(asked.entities).toEqual([{ type: "bold", offset: 0, length: 3 }]);
    expect(asked).toMatchObject({
      source: "<b>You</b> said hello",
      linkPreviewDisabled: true,
      keyboard: [[{ text: "Yes", data: "y:1" }]],
    });
    const query = wire.press(owner, owner, asked.id, "Yes");
    const edited = await wire.shown(owner, "pressed y:1");
    expect(edited).toMatchObject({ id: asked.id, keyboard: [], linkPreviewDisabled: false });
    expect(edited.edits.map((version) => version.text)).toEqual(["You said hello"]);
    expect(wire.answerTo(query)).toMatchObject({ text: "noted", showAlert: false });
  });

  test("an edit of a person arrives as edited_message", async () => {
    const { wire } = await start();
    await startBot(wire, (bot) => {
      bot.on("edited_message:text", (ctx) => ctx.reply(`now ${ctx.editedMessage.text}`));
    });
    const said = wire.say(owner, owner, "/stop");
    expect(said.entities).toEqual([{ type: "bot_command", offset: 0, length: 5 }]);
    wire.edit(owner, said.message_id, "/go");
    await wire.shown(owner, "now /go");
  });

  test("files come in and go out, with names that break other parsers", async () => {
    const { wire, api } = await start();
    const bytes = Buffer.from("a,b\n1,2\n");
    const updates = api.getUpdates({ timeout: 5 });
    wire.say(owner, owner, "the table", { document: { bytes, name: "table.csv" } });
    const document = (await updates)[0]?.message?.document;
    const file = await api.getFile(document?.file_id ?? "");
    const response = await fetch(`${wire.apiRoot}/file/bot${wire.token}/${file.file_path}`);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);

    const name = "Übersicht; für Sam (1).csv";
    await api.sendDocument(owner, new InputFile(bytes, name), { caption: "<i>here</i>", parse_mode: "HTML" });
    const [sent] = wire.sent(owner);
    expect(sent).toMatchObject({ text: "here", file: { kind: "document", name, size: 8 } });
    expect(wire.file(sent?.file?.fileId ?? "")?.bytes).toEqual(bytes);
  });

  test("a file over 20 MB is refused for download", async () => {
    const { wire, api } = await start();
    const size = 20 * 1024 * 1024 + 1;
    const said = wire.say(owner, owner, "", { document: { bytes: "", name: "big.bin", size } });
    expect(await refusal(api.getFile(said.document?.file_id ?? ""))).toBe("400 Bad Request: file is too big");
  });
});

describe("getUpdates", () => {
  test("an update comes back until a higher offset confirms it", async () => {
    const { wire, api } = await start();
    wire.say(owner, owner, "one");
    wire.say(owner, owner, "two");
    const first = await api.getUpdates({ limit: 1 });
    expect(first[0]?.update_id).toBe(100_000_001);
    expect(await api.getUpdates()).toHaveLength(2);
    expect(await api.getUpdates({ offset: 100_000_002 })).toHaveLength(1);
    expect(wire).toMatchObject({ confirmedOffset: 100_000_002, pendingUpdates: 1 });
  });

  test("a negative offset keeps only the newest", async () => {
    const { wire, api } = await start();
    for (const text of ["one", "two", "three"]) wire.say(owner, owner, text);
    const [newest] = await api.getUpdates({ offset: -1 });
    expect(newest?.message?.text).toBe("three");
    expect(wire.pendingUpdates).toBe(1);
  });

  test("the kinds asked for stay until the next list", async () => {
    const { wire, api } = await start();
    await api.getUpdates({ allowed_updates: ["callback_query"] });
    await api.getUpdates();
    wire.say(owner, owner, "unheard");
    expect(wire.pendingUpdates).toBe(0);
    await api.getUpdates({ allowed_updates: [] });
    wire.say(owner, owner, "heard");
    expect(wire.pendingUpdates).toBe(1);
  });

  test("a second poller ends the first with 409", async () => {
    const { wire, api } = await start();
    const first = refusal(api.getUpdates({ timeout: 30 }));
    await wire.until(() => wire.polling);
    const second = api.getUpdates({ timeout: 30 });
    expect(await first).toMatch(/^409 Conflict: terminated by other getUpdates request/);
    wire.say(owner, owner, "for the second");
    expect(await second).toHaveLength(1);
  });

  test("polling is refused while a webhook is set", async () => {
    const { wire, api } = await start();
    await api.setWebhook("https://example.org/hook");
    expect((await api.getWebhookInfo()).url).toBe("https://example.org/hook");
    expect(await refusal(api.getUpdates())).toMatch(/^409 Conflict: can't use getUpdates/);
    await api.deleteWebhook();
    expect(await api.getUpdates()).toEqual([]);
    expect(wire.callCount("getUpdates")).toBe(2);
  });

  test("a bot that stops confirms what it handled", async () => {
    const { wire } = await start();
    const bot = await startBot(wire, (one) => one.on("message", (ctx) => ctx.reply("done")));
    wire.say(owner, owner, "work");
    await wire.shown(owner, "done");
    await bot.stop();
    expect(wire.confirmedOffset).toBe(100_000_002);
  });

  test("every recorded update gets through to grammY unchanged", async () => {
    const { wire, api } = await start();
    const folder = new URL("../fixtures/telegram/", import.meta.url);
    const names = (await readdir(folder)).filter((name) => name.endsWith(".json"));
    const updates: Update[] = [];
    for (const name of names) {
      const json = JSON.parse(await readFile(new URL(name, folder), "utf8")) as Update;
      if (json.update_id !== undefined) updates.push(json);
    }
    expect(updates.length).toBeGreaterThan(40);
    const kinds = [...new Set(updates.flatMap((one) => Object.keys(one)))] as "message"[];
    await api.getUpdates({ allowed_updates: kinds });
    for (const update of updates) wire.push(update);
    expect(await api.getUpdates()).toEqual(updates);
  });
});

test("a recorded press can be answered, and its message replied to and edited", async () => {
  const { wire, api } = await start();
  const fixture = new URL("../fixtures/telegram/callback-query.json", import.meta.url);
  wire.push(JSON.parse(await readFile(fixture, "utf8")) as Update);
  const query = (await api.getUpdates())[0]?.callback_query;
  const chatId = query?.message?.chat.id ?? 0;
  const id = query?.message?.message_id ?? 0;
  await api.answerCallbackQuery(query?.id ?? "");
  await api.editMessageText(chatId, id, "changed");
  const reply = await api.sendMessage(chatId, "x", { reply_parameters: { message_id: id } });
  expect(wire.message(chatId, id)).toMatchObject({ text: "changed", keyboard: [] });
  expect(reply.message_id).toBe(id + 1);
});

describe("T43: what the platform refuses", () => {
  test("a wrong token and an unknown method", async () => {
    const { wire } = await start();
    const wrong = new Api("100200300:other", { apiRoot: wire.apiRoot });
    expect(await refusal(wrong.getMe())).toBe("401 Unauthorized");
    const response = await fetch(`${wire.apiRoot}/bot${wire.token}/doThings`, { method: "POST" });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ ok: false, error_code: 404, description: "Not Found" });
  });

  test.each<[string, (api: Api) => Promise<unknown>, string]>([
    ["too long", (api) => api.sendMessage(owner, "x".repeat(4097)), "message is too long"],
    ["empty", (api) => api.sendMessage(owner, " \n "), "message text is empty"],
    ["an unknown chat", (api) => api.sendMessage(77, "x"), "chat not found"],
    ["an unknown topic", (api) => api.sendMessage(owner, "x", { message_thread_id: 9 }), "message thread not found"],
    [
      "button data of 65 bytes",
      (api) =>
        api.sendMessage(owner, "x", {
          reply_markup: { inline_keyboard: [[{ text: "a", callback_data: `${"é".repeat(32)}x` }]] },
        }),
      "BUTTON_DATA_INVALID",
    ],
    ["an edit of nothing", (api) => api.editMessageText(owner, 99, "x"), "message to edit not found"],
    [
      "an unknown press",
      (api) => api.answerCallbackQuery("1"),
      "query is too old and response timeout expired or query ID is invalid",
    ],
    ["a draft without id", (api) => api.sendMessageDraft(owner, 0, "x"), "RANDOM_ID_INVALID"],
    [
      "a draft in a group",
      (api) => api.raw.sendMessageDraft({ chat_id: -5, draft_id: 1, text: "x" }),
      "TEXTDRAFT_PEER_INVALID",
    ],
    ["a bad command", (api) => api.setMyCommands([{ command: "New", description: "x" }]), "BOT_COMMAND_INVALID"],
  ])("%s", async (_name, call, text) => {
    const { wire, api } = await start();
    wire.addGroup(-5);
    expect(await refusal(call(api))).toBe(`400 Bad Request: ${text}`);
  });

  test("the limit counts UTF-16 units of what is shown, not the markup", async () => {
    const { wire, api } = await start();
    const text = "😀".repeat(2048);
    await api.sendMessage(owner, `<b>${text}</b>`, { parse_mode: "HTML" });
    expect(wire.sent(owner)[0]?.text).toHaveLength(4096);
    expect(await refusal(api.sendMessage(owner, `${text}x`))).toMatch(/message is too long$/);
  });

  test("an edit that changes nothing, or is too long", async () => {
    const { api } = await start();
    const { message_id } = await api.sendMessage(owner, "same");
    expect(await refusal(api.editMessageText(owner, message_id, "same"))).toMatch(
      /message is not modified: specified new message content/,
    );
    expect(await refusal(api.editMessageText(owner, message_id, "x".repeat(5000)))).toMatch(/MESSAGE_TOO_LONG$/);
  });

  test("people who blocked the bot, are gone, or threw it out", async () => {
    const { wire, api } = await start();
    wire.block(owner);
    expect(await refusal(api.sendMessage(owner, "x"))).toBe("403 Forbidden: bot was blocked by the user");
    wire.deactivate(owner);
    expect(await refusal(api.sendMessage(owner, "x"))).toBe("403 Forbidden: user is deactivated");
    wire.addGroup(-5);
    wire.kick(-5);
    expect(await refusal(api.sendMessage(-5, "x"))).toBe("403 Forbidden: bot was kicked from the group chat");
  });

  test("the old id of an upgraded group, with the new one in the answer", async () => {
    const { wire, api } = await start();
    wire.addGroup(-5);
    const id = wire.migrate(-5);
    const error = await api.sendMessage(-5, "x").catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      error_code: 400,
      description: "Bad Request: group chat was upgraded to a supergroup chat",
      parameters: { migrate_to_chat_id: id },
    });
    await api.sendMessage(id, "x");
    const updates = await api.getUpdates();
    expect(updates.map((one) => one.message?.migrate_to_chat_id)).toEqual([id, undefined]);
  });

  test("a press that is too old", async () => {
    let nowMs = 1_790_000_000_000;
    const { wire, api } = await start({ now: () => nowMs });
    await api.sendMessage(owner, "?", {
      reply_markup: { inline_keyboard: [[{ text: "A", callback_data: "a" }]] },
    });
    const query = wire.press(owner, owner, 1, "A");
    nowMs += 16 * 60_000;
    expect(await refusal(api.answerCallbackQuery(query))).toMatch(/query is too old/);
  });

  test("more messages than flood limits allow, and the penalty grows when ignored", async () => {
    let nowMs = 1_790_000_000_000;
    const { api } = await start({
      now: () => nowMs,
      flood: { perChatPerSecond: 1, retryAfter: 3, growsBy: 2 },
    });
    const { message_id } = await api.sendMessage(owner, "one");
    expect(await refusal(api.editMessageText(owner, message_id, "two"))).toMatch(/retry after 3$/);
    expect(await refusal(api.sendMessage(owner, "two"))).toMatch(/retry after 5$/);
    nowMs += 5000;
    await api.sendMessage(owner, "two");
  });
});

/** The head of a PNG, which says how large the picture is. */
function png(width: number, height: number, bytes = 64): Buffer {
  const made = Buffer.alloc(bytes);
  made.write("89504e470d0a1a0a0000000d49484452", "hex");
  made.writeUInt32BE(width, 16);
  made.writeUInt32BE(height, 20);
  return made;
}

describe("keyboards", () => {
  const keyboard = [[{ text: "Go on" }], [{ text: "Why?" }]];

  test("a key sends its words as the person's own message, and a keyboard for one time is out of sight then", async () => {
    const { wire, api } = await start();
    await api.sendMessage(owner, "Done.", {
      reply_markup: { keyboard, one_time_keyboard: true, resize_keyboard: true, input_field_placeholder: "Next?" },
    });
    expect(wire.keyboard(owner)).toEqual({
      messageId: 1,
      keys: [["Go on"], ["Why?"]],
      placeholder: "Next?",
      oneTime: true,
      hidden: false,
    });
    expect(wire.sent(owner)[0]).toMatchObject({ keyboard: [], brings: "keyboard" });
    wire.pressKey(owner, owner, "Why?");
    const [update] = await api.getUpdates();
    expect(update?.message).toMatchObject({ text: "Why?", from: { id: owner }, chat: { id: owner } });
    expect(update?.message).not.toHaveProperty("reply_markup");
    expect(wire.keyboard(owner)).toMatchObject({ hidden: true });
    wire.pressKey(owner, owner, "Go on");
    expect(() => wire.pressKey(owner, owner, "Other")).toThrow('No key "Other"');
  });

  test("a keyboard stays until another takes its place, it is removed, or its message is deleted", async () => {
    const { wire, api } = await start();
    await api.sendMessage(owner, "one", { reply_markup: { keyboard } });
    wire.say(owner, owner, "something else");
    await api.sendMessage(owner, "two");
    wire.pressKey(owner, owner, "Go on");
    expect(wire.keyboard(owner)).toMatchObject({ messageId: 1, hidden: false });
    await api.sendMessage(owner, "three", { reply_markup: { keyboard: [["Other"]] } });
    expect(wire.keyboard(owner)?.keys).toEqual([["Other"]]);
    await api.sendMessage(owner, "four", { reply_markup: { remove_keyboard: true } });
    expect(wire.keyboard(owner)).toBeUndefined();
    expect(() => wire.pressKey(owner, owner, "Other")).toThrow("No key");
    const { message_id } = await api.sendMessage(owner, "five", { reply_markup: { keyboard } });
    await api.deleteMessage(owner, message_id);
    expect(wire.keyboard(owner)).toBeUndefined();
  });

  test("what brought a keyboard or took one away can't be edited, and no edit brings one", async () => {
    const { api } = await start();
    const markups = [{ keyboard }, { remove_keyboard: true }, { force_reply: true }] as const;
    for (const reply_markup of markups) {
      const { message_id } = await api.sendMessage(owner, "fixed", { reply_markup });
      expect(await refusal(api.editMessageText(owner, message_id, "new"))).toMatch(/message can't be edited$/);
      expect(await refusal(api.editMessageReplyMarkup(owner, message_id))).toMatch(/message can't be edited$/);
    }
    const { message_id } = await api.sendMessage(owner, "plain");
    const raw = { chat_id: owner, message_id, text: "new", reply_markup: { keyboard } as never };
    expect(await refusal(api.raw.editMessageText(raw))).toMatch(/inline keyboard expected$/);
    await api.editMessageText(owner, message_id, "new");
  });

  test.each<[string, object, string]>([
    [
      "rows that are none",
      { keyboard: ["a"] },
      'field "keyboard" of the ReplyKeyboardMarkup should be an Array of Arrays',
    ],
    [
      "a key that is none",
      { keyboard: [[7]] },
      "can't parse keyboard button: KeyboardButton must be a String or an Object",
    ],
    ["a key without words", { keyboard: [[{}]] }, "can't parse keyboard button: Can't find field \"text\""],
    [
      "a key with no words",
      { keyboard: [[{ text: "" }]] },
      'can\'t parse keyboard button: Field "text" must be of type String',
    ],
    ["an empty placeholder", { keyboard, input_field_placeholder: "" }, "REPLY_MARKUP_PLACEHOLDER_INVALID"],
    ["a placeholder of 65", { keyboard, input_field_placeholder: "x".repeat(65) }, "REPLY_MARKUP_PLACEHOLDER_INVALID"],
    ["more than 10 kB", { keyboard: [["é".repeat(6000)]] }, "reply markup is too long"],
    ["no object", [], "object expected as reply markup"],
    [
      "an empty text to copy",
      { inline_keyboard: [[{ text: "a", copy_text: { text: "" } }]] },
      "BUTTON_COPY_TEXT_INVALID",
    ],
    [
      "257 characters to copy",
      { inline_keyboard: [[{ text: "a", copy_text: { text: "x".repeat(257) } }]] },
      "BUTTON_COPY_TEXT_INVALID",
    ],
  ])("%s is refused", async (_name, markup, text) => {
    const { wire, api } = await start();
    expect(await refusal(api.sendMessage(owner, "x", { reply_markup: markup as never }))).toBe(
      `400 Bad Request: ${text}`,
    );
    expect(wire.sent(owner)).toEqual([]);
  });

  test("a text to copy is shown with its button, which no press comes of", async () => {
    const { wire, api } = await start();
    const text = "x".repeat(256);
    await api.sendMessage(owner, "x", { reply_markup: { inline_keyboard: [[{ text: "Copy", copy_text: { text } }]] } });
    expect(wire.sent(owner)[0]?.keyboard).toEqual([[{ text: "Copy", copy: text }]]);
    expect(() => wire.press(owner, owner, 1, "Copy")).toThrow("No button");
  });

  test("a channel takes inline keyboards alone", async () => {
    const { wire, api } = await start();
    wire.addChannel(-7);
    expect(await refusal(api.sendMessage(-7, "x", { reply_markup: { keyboard } }))).toMatch(
      /inline keyboard expected$/,
    );
  });
});

describe("photos", () => {
  test("a picture that is too wide, too long or too large is refused, and goes as a document", async () => {
    const { wire, api } = await start();
    for (const [width, height] of [
      [9000, 1001],
      [2100, 100],
      [100, 2001],
    ] as const) {
      const photo = new InputFile(png(width, height), "a.png");
      expect(await refusal(api.sendPhoto(owner, photo))).toMatch(/PHOTO_INVALID_DIMENSIONS$/);
    }
    const large = png(100, 100, 10 * 1024 * 1024 + 1);
    expect(await refusal(api.sendPhoto(owner, new InputFile(large, "a.png")))).toMatch(/^413 /);
    await api.sendDocument(owner, new InputFile(large, "a.png"));
    const sent = await api.sendPhoto(owner, new InputFile(png(2000, 100), "a.png"), { caption: "a b" });
    expect(sent.photo.at(-1)).toMatchObject({ width: 2000, height: 100 });
    expect(wire.sent(owner).map(({ text, file }) => [file?.kind, text])).toEqual([
      ["document", ""],
      ["photo", "a b"],
    ]);
  });
});

describe("Telegram HTML", () => {
  test("a command is found by itself, but none in what looks like a tag", async () => {
    const { wire, api } = await start();
    await api.sendMessage(owner, "</b> /stop a/b </b");
    expect(wire.sent(owner)[0]?.entities).toEqual([{ type: "bot_command", offset: 5, length: 5 }]);
  });

  test("entities count in UTF-16 units and nest", () => {
    const shown = parseHtml(
      'a😀 <b>bold <i>both</i></b> &lt;x&gt; &#128512; <a href="https://e.org/?a=1&amp;b=2">l</a>',
    );
    expect(shown.text).toBe("a😀 bold both <x> 😀 l");
    expect(shown.entities).toEqual([
      { type: "bold", offset: 4, length: 9 },
      { type: "italic", offset: 9, length: 4 },
      { type: "text_link", offset: 21, length: 1, url: "https://e.org/?a=1&b=2" },
    ]);
  });

  test("code blocks keep their language, quotations may be long", () => {
    const shown = parseHtml('<pre><code class="language-ts">let a</code></pre><blockquote expandable>q</blockquote>');
    expect(shown.entities).toEqual([
      { type: "pre", offset: 0, length: 5, language: "ts" },
      { type: "expandable_blockquote", offset: 5, length: 1 },
    ]);
  });

  test.each([
    ["<b>x", 'Can\'t find end tag corresponding to start tag "b"'],
    ["é<b>x</i>", 'Unmatched end tag at byte offset 6, expected "</b>", found "</i>"'],
    ["x</b>", "Unexpected end tag at byte offset 1"],
    ["<h1>x</h1>", 'Unsupported start tag "h1" at byte offset 0'],
    ["a < b", "Unclosed start tag at byte offset 2"],
    ["<p", "Unclosed start tag at byte offset 0"],
    ["a & b", "Unsupported HTML entity at byte offset 2"],
    ["&nbsp;", "Unsupported HTML entity at byte offset 0"],
    ["<span>x</span>", 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
    ['<b style="x">x</b>', 'Unsupported attribute "style" in the tag "b" at byte offset 0'],
    ["<br>", 'Unsupported start tag "br" at byte offset 0'],
  ])("refuses %s", async (html, text) => {
    const { wire, api } = await start();
    const description = await refusal(api.sendMessage(owner, html, { parse_mode: "HTML" }));
    expect(description).toBe(`400 Bad Request: can't parse entities: ${text}`);
    expect(wire.sent(owner)).toEqual([]);
  });

  test("the lenient server shows what it does not know, as the live one does", async () => {
    const { wire, api } = await start({ lenientHtml: true });
    await api.sendMessage(owner, "a & b&nbsp;<b id='x'>c</b>", { parse_mode: "HTML" });
    expect(wire.sent(owner)[0]?.text).toBe("a & b&nbsp;c");
  });
});

describe("drafts", () => {
  test("a draft shows, changes, and goes when the real message comes", async () => {
    const { wire, api } = await start();
    await api.sendMessageDraft(owner, 7, "Hel");
    await api.sendMessageDraft(owner, 7, "Hello");
    expect(wire.drafts(owner)).toMatchObject([{ draftId: 7, text: "Hello" }]);
    await api.sendMessage(owner, "Hello Sam");
    expect(wire.drafts(owner)).toEqual([]);
    expect(wire.draftLog(owner).map((draft) => draft.text)).toEqual(["Hel", "Hello"]);
    expect(wire.sent(owner)).toHaveLength(1);
  });

  test("a draft lives 30 seconds", async () => {
    let nowMs = 1_790_000_000_000;
    const { wire, api } = await start({ now: () => nowMs });
    await api.sendMessageDraft(owner, 7, "Hel");
    nowMs += 30_000;
    expect(wire.drafts(owner)).toEqual([]);
  });

  test("its stop button makes an update", async () => {
    const { wire, api } = await start();
    await api.sendMessageDraft(owner, 7, "Hel", { can_stop: true });
    wire.stopDraft(owner);
    const [update] = await api.getUpdates();
    expect(update?.stopped_message_generation).toMatchObject({ draft_id: 7, chat: { id: owner } });
    expect(wire.drafts(owner)).toEqual([]);
  });
});

describe("groups, topics and forwards", () => {
  test("message ids count per chat, topics keep theirs apart", async () => {
    const { wire, api } = await start({ topicsInPrivate: true });
    wire.addSupergroup(-1_000_000_000_007, { forum: true });
    const topic = await api.createForumTopic(-1_000_000_000_007, "Plans");
    const thread = { message_thread_id: topic.message_thread_id };
    const sent = await api.sendMessage(-1_000_000_000_007, "in it", thread);
    expect(sent).toMatchObject({ ...thread, is_topic_message: true });
    const said = wire.say(owner, owner, "mine");
    expect(said.message_id).toBe(1);
    expect(await refusal(api.createForumTopic(-5, "x"))).toMatch(/chat not found/);
  });

  test("the four kinds of forwards, a quote and an album", async () => {
    const { wire, api } = await start();
    wire.addChannel(-1_000_000_000_123, "News");
    wire.addGroup(-5, "Others");
    const bot = await api.sendMessage(owner, "line one\nline two");
    wire.say(owner, owner, "f1", { forward: { type: "user", user: 2002 } });
    wire.say(owner, owner, "f2", { forward: { type: "hidden_user", name: "Someone" } });
    wire.say(owner, owner, "f3", { forward: { type: "chat", chat: -5 } });
    wire.say(owner, owner, "f4", { forward: { type: "channel", chat: -1_000_000_000_123 } });
    wire.say(owner, owner, "about this", { replyTo: bot.message_id, quote: "line two" });
    const photo = { bytes: Buffer.from("jpg") };
    wire.say(owner, owner, "two", { photo, mediaGroupId: "m1" });
    wire.say(owner, owner, "", { photo, mediaGroupId: "m1" });
    const messages = (await api.getUpdates()).map((update) => update.message);
    expect(messages.map((one) => one?.forward_origin?.type)).toEqual([
      "user",
      "hidden_user",
      "chat",
      "channel",
      undefined,
      undefined,
      undefined,
    ]);
    expect(messages[4]).toMatchObject({
      quote: { text: "line two", position: 9, is_manual: true },
      reply_to_message: { message_id: bot.message_id, from: { is_bot: true } },
    });
    expect(messages.slice(5).map((one) => one?.media_group_id)).toEqual(["m1", "m1"]);
  });

  test("in privacy mode the bot hears only what is meant for it", async () => {
    const { wire, api } = await start({ readsAllGroupMessages: false });
    wire.addGroup(-5);
    wire.say(-5, owner, "just talking");
    wire.say(-5, owner, "hey @gateway_test_bot");
    wire.say(-5, owner, "/new@gateway_test_bot");
    wire.say(-5, owner, "/new@other_bot");
    expect((await api.getUpdates()).map((update) => update.message?.text)).toEqual([
      "hey @gateway_test_bot",
      "/new@gateway_test_bot",
    ]);
  });
});

describe("faults on request", () => {
  test("429 with its wait, then normal answers", async () => {
    const { wire, api } = await start();
    wire.fail("sendMessage", { kind: "error", retryAfter: 14 });
    const error = await api.sendMessage(owner, "x").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ error_code: 429, parameters: { retry_after: 14 } });
    await api.sendMessage(owner, "x");
    expect(wire.callsOf("sendMessage").map((call) => call.outcome)).toEqual(["refused", "ok"]);
  });

  test("a proxy's page is no envelope", async () => {
    const { wire, api } = await start();
    wire.fail("sendMessage", { kind: "html502" });
    await expect(api.sendMessage(owner, "x")).rejects.toBeInstanceOf(HttpError);
    expect(wire.sent(owner)).toEqual([]);
  });

  test("a reset after storing leaves the message in the chat, one before does not", async () => {
    const { wire, api } = await start();
    wire.fail("sendMessage", { kind: "resetBeforeStore" });
    wire.fail("sendMessage", { kind: "resetAfterStore" });
    await expect(api.sendMessage(owner, "lost")).rejects.toBeInstanceOf(HttpError);
    await expect(api.sendMessage(owner, "kept")).rejects.toBeInstanceOf(HttpError);
    expect(wire.sent(owner).map((message) => message.text)).toEqual(["kept"]);
  });

  test("a call that hangs is never answered, stored or not", async () => {
    const { wire, api } = await start();
    wire.fail("sendMessage", { kind: "hang" });
    wire.fail("sendMessage", { kind: "hangAfterStore" });
    const stop = new AbortController();
    const calls = ["lost", "kept"].map((text) =>
      api.sendMessage(owner, text, {}, stop.signal as never).catch(() => text),
    );
    await wire.until(() => wire.callCount("sendMessage") === 2);
    stop.abort();
    expect(await Promise.all(calls)).toEqual(["lost", "kept"]);
    expect(wire.sent(owner)).toHaveLength(1);
  });

  test("a network that is gone and comes back on the same port", async () => {
    const { wire, api } = await start();
    await wire.goDown();
    await expect(api.sendMessage(owner, "x")).rejects.toBeInstanceOf(HttpError);
    await wire.comeBack();
    await api.sendMessage(owner, "y");
    expect(wire.sent(owner).map((message) => message.text)).toEqual(["y"]);
  });

  test("401 in polling ends the bot", async () => {
    const { wire } = await start();
    wire.fail("getUpdates", { kind: "error", code: 401 });
    const bot = new Bot(wire.token, { client: { apiRoot: wire.apiRoot } });
    await expect(bot.start()).rejects.toMatchObject({ error_code: 401 });
  });

  test("a wait that fails says what was seen", async () => {
    const { wire, api } = await start();
    await api.sendMessage(owner, "something else");
    await expect(wire.shown(owner, "the answer", { timeoutMs: 1 })).rejects.toThrow(
      /the answer[\s\S]*#1 bot: "something else"/,
    );
  });
});

test("another process drives it over the control port", async () => {
  const { wire, api } = await start({ control: true });
  const url = wire.controlUrl ?? "";
  await control(url, "say", owner, owner, "from afar", {
    document: { bytes: Buffer.from("hi").toString("base64"), name: "hi.txt" },
  });
  expect((await api.getUpdates())[0]?.message?.document?.file_name).toBe("hi.txt");
  const seen = control(url, "shown", owner, { matches: "^an an" });
  await api.sendMessage(owner, "an answer");
  expect(await seen).toMatchObject({ text: "an answer", byBot: true });
  await expect(control(url, "dance")).rejects.toThrow(/No verb "dance"/);
});

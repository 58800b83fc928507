// The loopback Discord against the real discord.js: what the library sees must be what the platform
// would send. Nothing sleeps; where the library itself waits (identify throttle), so does the test.
import { readFile, readdir } from "node:fs/promises";
import { ApplicationCommandOptionType, MessageFlags, Routes } from "discord-api-types/v10";
import type { APIMessage } from "discord-api-types/v10";
import { Client, DiscordAPIError, Events, GatewayIntentBits, HTTPError, Partials, REST } from "discord.js";
import type { ClientEvents, Interaction, Message } from "discord.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { readMarkdown } from "./discord-markdown.ts";
import { startDiscord } from "./discord.ts";
import type { DiscordOptions, DiscordWire } from "./discord.ts";
import { control } from "./http.ts";

const owner = "2001";
const stranger = "2002";
const place = "3001";
const usual = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.GuildMessageReactions,
];

async function start(options?: DiscordOptions): Promise<{ wire: DiscordWire; rest: REST; dm: string }> {
  const wire = await startDiscord(options);
  onTestFinished(() => wire[Symbol.asyncDispose]());
  wire.addUser({ id: owner, name: "Sam" });
  wire.addUser({ id: stranger, name: "Kim" });
  wire.addChannel(place, "general");
  return { wire, rest: restOf(wire), dm: wire.dm(owner) };
}

function restOf(wire: DiscordWire, retries = 0): REST {
  return new REST({ api: wire.apiUrl, retries }).setToken(wire.token);
}

interface Connected {
  client: Client<true>;
  /** Dispatches in order, as the library read them. */
  raw: { t: string; d: Record<string, unknown>; s: number }[];
  seen: (t: string) => Record<string, unknown>[];
}

async function connect(
  wire: DiscordWire,
  intents: number[] = usual,
  prepare?: (client: Client) => void,
): Promise<Connected> {
  const client = new Client({
    intents,
    partials: [Partials.Channel, Partials.Message],
    rest: { api: wire.apiUrl, retries: 0 },
  });
  onTestFinished(() => client.destroy());
  const raw: Connected["raw"] = [];
  client.on(
    "raw" as keyof ClientEvents,
    ((packet: Connected["raw"][number]) => {
      raw.push(structuredClone(packet));
      wire.state.watch.changed();
    }) as never,
  );
  client.on(Events.Error, (error) => {
    throw error;
  });
  prepare?.(client);
  const ready = new Promise((resolve) => {
    client.once(Events.ClientReady, resolve);
  });
  await client.login(wire.token);
  await ready;
  return {
    client: client as Client<true>,
    raw,
    seen: (t) => raw.filter((packet) => packet.t === t).map((packet) => packet.d),
  };
}

interface Refused {
  status: number;
  code: number | string;
  errors?: unknown;
}

async function refused(call: Promise<unknown>): Promise<Refused> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DiscordAPIError);
  const { status, code, rawError } = error as DiscordAPIError;
  return { status, code, ...("errors" in rawError ? { errors: rawError.errors } : {}) };
}

const button = (label: string, custom_id: string): object => ({ type: 2, style: 1, label, custom_id });
const input = (more: object): object => ({ type: 4, custom_id: "a", style: 1, ...more });
const numbered = (count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({ label: `Option ${at}`, value: `${at}` }));
const row = (...components: object[]): object => ({ type: 1, components });
const post = async (rest: REST, channel: string, body: object): Promise<APIMessage> =>
  (await rest.post(Routes.channelMessages(channel), { body })) as APIMessage;

describe("a conversation through discord.js", () => {
  test("text comes in, an answer with a button goes out, a press edits it", async () => {
    const { wire, dm } = await start();
    await connect(wire, usual, (client) => {
      client.on(Events.MessageCreate, (message) => {
        if (message.author.bot || !message.channel.isSendable()) return;
        void message.channel.send({
          content: `**You** said ${message.content}`,
          flags: [MessageFlags.SuppressEmbeds, MessageFlags.SuppressNotifications],
          allowedMentions: { parse: [] },
          components: [row(button("Yes", "y:1")) as never],
        });
      });
      client.on(Events.InteractionCreate, (interaction) => {
        if (!interaction.isButton()) return;
        void (async () => {
          await interaction.deferUpdate();
          await interaction.editReply({ content: `pressed ${interaction.customId}`, components: [] });
          await interaction.followUp({ content: "noted", flags: MessageFlags.Ephemeral });
        })();
      });
    });
    wire.say(dm, owner, "hello");
    const asked = await wire.shown(dm, "You said hello");
    expect(asked).toMatchObject({
      markdown: "**You** said hello",
      buttons: [[{ label: "Yes", data: "y:1" }]],
      previewsOff: true,
      quiet: true,
      pings: [],
      byBot: true,
    });
    const pressed = wire.press(dm, owner, asked.id, "Yes");
    const edited = await wire.shown(dm, "pressed y:1");
    expect(edited).toMatchObject({ id: asked.id, buttons: [], previewsOff: true });
    expect(edited.edits.map((version) => version.text)).toEqual(["You said hello"]);
    const [note] = await wire.until(() => (wire.ephemerals(owner).length > 0 ? wire.ephemerals(owner) : undefined));
    expect(note).toMatchObject({ text: "noted", ephemeral: true });
    expect(wire.answerTo(pressed)).toMatchObject({ state: "deferred", type: 6, words: "noted", ephemeral: true });
    expect(wire.ephemerals(stranger)).toEqual([]);
    expect(wire.sent(dm)).toHaveLength(1);
  });

  test("what the bot says is echoed with its nonce, and so is each edit of it", async () => {
    const { wire, dm, rest } = await start();
    const { seen } = await connect(wire);
    const sent = await post(rest, dm, { content: "hi", nonce: "n-1", enforce_nonce: true });
    expect(sent.nonce).toBe("n-1");
    await rest.patch(Routes.channelMessage(dm, sent.id), { body: { content: "hi there" } });
    await wire.until(() => seen("MESSAGE_UPDATE").length > 0);
    expect(seen("MESSAGE_CREATE")).toMatchObject([
      { id: sent.id, nonce: "n-1", author: { id: wire.botId, bot: true } },
    ]);
    const [update] = seen("MESSAGE_UPDATE");
    expect(update?.["edited_timestamp"]).toEqual(expect.any(String));
    expect(update?.["content"]).toBe("hi there");
  });

  test("a reply carries what it answers; a thread and a forum post are channels of their own", async () => {
    const { wire, rest, dm } = await start({ messageContent: true });
    const messages: Message[] = [];
    const { seen } = await connect(wire, [...usual, GatewayIntentBits.MessageContent], (client) => {
      client.on(Events.MessageCreate, (message) => {
        messages.push(message);
        wire.state.watch.changed();
      });
    });
    const question = await post(rest, dm, { content: "which?" });
    wire.say(dm, owner, "the first", { replyTo: question.id });
    const thread = wire.addThread(place, { name: "About it", user: owner });
    wire.say(place, owner, "in the thread", { thread });
    wire.addForum("3002", "ideas");
    const opened = wire.addPost("3002", owner, "An idea", "Let us", { mention: true });
    await wire.until(() => messages.find((message) => message.id === opened));
    const [, answer, started, inThread, inForum] = messages;
    expect(answer?.reference?.messageId).toBe(question.id);
    // The parent has the platform's own line about the thread.
    expect(started).toMatchObject({ system: true, content: "About it", channelId: place });
    expect(seen("MESSAGE_CREATE")[1]).toMatchObject({
      type: 19,
      channel_type: 1,
      message_reference: { type: 0, message_id: question.id },
      referenced_message: { id: question.id, content: "which?", author: { id: wire.botId } },
      mentions: [{ id: wire.botId }],
    });
    expect(inThread).toMatchObject({ content: "in the thread", channelId: thread });
    expect(inThread?.channel.isThread()).toBe(true);
    expect(seen("THREAD_CREATE")).toMatchObject([
      { id: thread, type: 11, parent_id: place, newly_created: true },
      { id: opened, parent_id: "3002", name: "An idea" },
    ]);
    expect(inForum).toMatchObject({ id: opened, channelId: opened, content: `<@${wire.botId}> Let us` });
  });

  test("a forward has its words in a snapshot without an author, its files too", async () => {
    const { wire, dm } = await start();
    const messages: Message[] = [];
    const { seen } = await connect(wire, usual, (client) => {
      client.on(Events.MessageCreate, (message) => messages.push(message));
    });
    const forward = { text: "secret plan", files: [{ name: "plan.txt", text: "step 1", mimeType: "text/plain" }] };
    wire.say(dm, owner, "", { forward });
    const original = wire.say(place, stranger, "from the guild");
    wire.say(dm, owner, "", { forward: { channel: place, id: original } });
    await wire.until(() => seen("MESSAGE_CREATE").length >= 3);
    const [raw, , second] = seen("MESSAGE_CREATE");
    expect(raw).toMatchObject({ content: "", flags: 1 << 14, message_reference: { type: 1 } });
    const [snapshot] = (raw?.["message_snapshots"] ?? []) as { message: APIMessage }[];
    expect(snapshot?.message).toMatchObject({ content: "secret plan", attachments: [{ filename: "plan.txt" }] });
    expect(snapshot?.message).not.toHaveProperty("author");
    const file = await fetch(snapshot?.message.attachments[0]?.url ?? "");
    expect(await file.text()).toBe("step 1");
    expect(second).toMatchObject({ message_reference: { type: 1, message_id: original, channel_id: place } });
    await wire.until(() => messages.length >= 3);
    expect(messages[0]?.messageSnapshots.first()?.content).toBe("secret plan");
  });

  test("edits, unfurls, pins and deletions each come as the platform tells them", async () => {
    const { wire, dm } = await start();
    const { seen } = await connect(wire);
    const id = wire.say(dm, owner, "see https://example.com");
    wire.unfurl(dm, id);
    wire.edit(dm, id, "never mind");
    wire.pin(dm, id);
    const [one, two] = [wire.say(dm, owner, "1"), wire.say(dm, owner, "2")];
    wire.remove(dm, id);
    wire.remove(dm, one, two);
    wire.react(dm, owner, wire.say(dm, owner, "3"));
    await wire.until(() => seen("MESSAGE_DELETE_BULK").length > 0);
    const [unfurled, edited, pinned] = seen("MESSAGE_UPDATE");
    expect(unfurled).toMatchObject({
      edited_timestamp: null,
      content: "see https://example.com",
      embeds: [{ title: "A page" }],
    });
    expect(edited).toMatchObject({ content: "never mind", author: { id: owner }, channel_type: 1 });
    expect(edited?.["edited_timestamp"]).toEqual(expect.any(String));
    expect(pinned).toMatchObject({ pinned: true, edited_timestamp: edited?.["edited_timestamp"] });
    expect(seen("MESSAGE_CREATE")[1]).toMatchObject({ type: 6, content: "", message_reference: { message_id: id } });
    expect(seen("MESSAGE_DELETE")).toEqual([{ id, channel_id: dm }]);
    expect(seen("MESSAGE_DELETE_BULK")).toEqual([{ ids: [one, two], channel_id: dm }]);
    // Reactions in DMs were not asked for.
    expect(seen("MESSAGE_REACTION_ADD")).toEqual([]);
    wire.react(place, owner, wire.say(place, owner, "4"));
    await wire.until(() => seen("MESSAGE_REACTION_ADD").length > 0);
  });

  test("files come in behind an address that ends, and go out with names as people see them", async () => {
    let nowMs = Date.parse("2026-11-01T10:00:00Z");
    const { wire, rest, dm } = await start({ now: () => nowMs });
    const { seen } = await connect(wire);
    wire.say(dm, owner, "the table", { files: [{ name: "my table.csv", text: "a,b\n", mimeType: "text/csv" }] });
    await wire.until(() => seen("MESSAGE_CREATE").length > 0);
    const [attachment] = (seen("MESSAGE_CREATE")[0]?.["attachments"] ?? []) as APIMessage["attachments"];
    expect(attachment).toMatchObject({
      filename: "my_table.csv",
      title: "my table",
      size: 4,
      content_type: "text/csv",
    });
    expect(await (await fetch(attachment?.url ?? "")).text()).toBe("a,b\n");
    nowMs += 25 * 3_600_000;
    expect((await fetch(attachment?.url ?? "")).status).toBe(404);
    const [fresh] = (await rest.get(Routes.channelMessages(dm))) as APIMessage[];
    expect((await fetch(fresh?.attachments[0]?.url ?? "")).status).toBe(200);

    await rest.post(Routes.channelMessages(dm), {
      body: { content: "here", attachments: [{ id: 0, description: "numbers" }] },
      files: [{ name: "Übersicht für Sam.csv", data: Buffer.from("x;y") }],
    });
    expect(wire.sent(dm)[0]).toMatchObject({
      text: "here",
      files: [{ name: "Übersicht für Sam.csv", text: "x;y", size: 3, alt: "numbers" }],
    });
    const wordy = { id: 0, description: "d".repeat(1025) };
    expect(
      await refused(
        rest.post(Routes.channelMessages(dm), {
          body: { attachments: [wordy] },
          files: [{ name: "a.png", data: Buffer.from("x") }],
        }),
      ),
    ).toMatchObject({
      code: 50_035,
      errors: { attachments: { 0: { description: { _errors: [expect.anything()] } } } },
    });
    const big = { name: "big.bin", data: Buffer.alloc(10 * 1024 * 1024 + 1) };
    expect(await refused(rest.post(Routes.channelMessages(dm), { body: {}, files: [big] }))).toEqual({
      status: 413,
      code: 40_005,
    });
    const eleven = Array.from({ length: 11 }, (_, at) => ({ name: `${at}.txt`, data: Buffer.from("x") }));
    expect(await refused(rest.post(Routes.channelMessages(dm), { body: {}, files: eleven }))).toMatchObject({
      code: 50_035,
    });
    expect(wire.sent(dm)).toHaveLength(1);
  });
});

describe("what stands in the way of a message", () => {
  test.for([
    [
      "2001 units",
      { content: "x".repeat(2001) },
      { content: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: "Must be 2000 or fewer in length." }] } },
    ],
    [
      "1001 emoji are 2002 units",
      { content: "😀".repeat(1001) },
      { content: { _errors: [expect.objectContaining({ code: "BASE_TYPE_MAX_LENGTH" })] } },
    ],
    ["a nonce of 26", { content: "x", nonce: "n".repeat(26) }, { nonce: { _errors: [expect.anything()] } }],
    [
      "six rows",
      { content: "x", components: [1, 2, 3, 4, 5, 6].map((n) => row(button("a", `${n}`))) },
      { components: { _errors: [expect.anything()] } },
    ],
    [
      "six buttons",
      { content: "x", components: [row(...[1, 2, 3, 4, 5, 6].map((n) => button("a", `${n}`)))] },
      { components: { 0: { components: { _errors: [expect.anything()] } } } },
    ],
    [
      "no buttons",
      { content: "x", components: [row()] },
      { components: { 0: { components: { _errors: [expect.anything()] } } } },
    ],
    [
      "a label of 81",
      { content: "x", components: [row(button("l".repeat(81), "1"))] },
      {
        components: {
          0: { components: { 0: { label: { _errors: [expect.objectContaining({ code: "BASE_TYPE_MAX_LENGTH" })] } } } },
        },
      },
    ],
    [
      "a custom_id of 101",
      { content: "x", components: [row(button("l", "c".repeat(101)))] },
      { components: { 0: { components: { 0: { custom_id: { _errors: [expect.anything()] } } } } } },
    ],
    [
      "an empty custom_id",
      { content: "x", components: [row(button("l", ""))] },
      { components: { 0: { components: { 0: { custom_id: { _errors: [expect.anything()] } } } } } },
    ],
    [
      "a custom_id twice",
      { content: "x", components: [row(button("l", "1")), row(button("m", "1"))] },
      {
        components: {
          1: {
            components: {
              0: {
                custom_id: {
                  _errors: [
                    { code: "COMPONENT_CUSTOM_ID_DUPLICATED", message: "Component custom id cannot be duplicated" },
                  ],
                },
              },
            },
          },
        },
      },
    ],
    [
      "a link without http",
      { content: "x", components: [row({ type: 2, style: 5, label: "l", url: "javascript:1" })] },
      { components: { 0: { components: { 0: { url: { _errors: [expect.anything()] } } } } } },
    ],
    [
      "26 options",
      {
        content: "x",
        components: [
          row({
            type: 3,
            custom_id: "s",
            options: Array.from({ length: 26 }, (_, n) => ({ label: "a", value: `${n}` })),
          }),
        ],
      },
      { components: { 0: { components: { 0: { options: { _errors: [expect.anything()] } } } } } },
    ],
    [
      "an option of 101",
      {
        content: "x",
        components: [row({ type: 3, custom_id: "s", options: [{ label: "l".repeat(101), value: "v".repeat(101) }] })],
      },
      {
        components: {
          0: {
            components: {
              0: {
                options: { 0: { label: { _errors: [expect.anything()] }, value: { _errors: [expect.anything()] } } },
              },
            },
          },
        },
      },
    ],
    [
      "a value twice",
      {
        content: "x",
        components: [
          row({
            type: 3,
            custom_id: "s",
            options: [
              { label: "a", value: "1" },
              { label: "b", value: "1" },
            ],
          }),
        ],
      },
      {
        components: {
          0: {
            components: {
              0: {
                options: {
                  1: { _errors: [expect.objectContaining({ code: "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED" })] },
                },
              },
            },
          },
        },
      },
    ],
    [
      "more to pick than there are",
      {
        content: "x",
        components: [row({ type: 3, custom_id: "s", options: [{ label: "a", value: "1" }], max_values: 2 })],
      },
      { components: { 0: { components: { 0: { max_values: { _errors: [expect.anything()] } } } } } },
    ],
    [
      "nothing to pick where something must be",
      {
        content: "x",
        components: [
          row({ type: 3, custom_id: "s", options: [{ label: "a", value: "1" }], min_values: 0, required: true }),
        ],
      },
      {
        components: {
          0: {
            components: {
              0: {
                min_values: {
                  _errors: [
                    {
                      code: "SELECT_COMPONENT_REQUIRED_ZERO_MIN_VALUES",
                      message: "Select menus marked as required cannot have a min_values of 0",
                    },
                  ],
                },
              },
            },
          },
        },
      },
    ],
    [
      "a placeholder of 151 and a description of 101",
      {
        content: "x",
        components: [
          row({
            type: 3,
            custom_id: "s",
            placeholder: "p".repeat(151),
            options: [{ label: "a", value: "1", description: "d".repeat(101) }],
          }),
        ],
      },
      {
        components: {
          0: {
            components: {
              0: {
                placeholder: { _errors: [expect.anything()] },
                options: { 0: { description: { _errors: [expect.anything()] } } },
              },
            },
          },
        },
      },
    ],
    [
      "a description of no file",
      { content: "x", attachments: [{ id: 0, description: "a picture" }] },
      { attachments: { 0: { _errors: [{ code: "ATTACHMENT_NOT_FOUND", message: "Attachment data not found" }] } } },
    ],
    [
      "a menu beside a button",
      {
        content: "x",
        components: [row(button("a", "1"), { type: 3, custom_id: "s", options: [{ label: "a", value: "1" }] })],
      },
      { components: { 0: { _errors: [expect.anything()] } } },
    ],
    [
      "an unknown message to reply to",
      { content: "x", message_reference: { message_id: "1" } },
      { message_reference: { _errors: [{ code: "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", message: "Unknown message" }] } },
    ],
    [
      "parse and ids of one kind",
      { content: "x", allowed_mentions: { parse: ["users"], users: ["2001"] } },
      { allowed_mentions: { _errors: [expect.anything()] } },
    ],
  ] as [string, object, object][])("%s", async ([, body, errors]) => {
    const { wire, rest, dm } = await start();
    expect(await refused(post(rest, dm, body))).toEqual({ status: 400, code: 50_035, errors });
    expect(wire.sent(dm)).toEqual([]);
  });

  test("what is just within the limits passes", async () => {
    const { wire, rest, dm } = await start();
    const rows = [0, 1, 2, 3].map((n) =>
      row(...[0, 1, 2, 3, 4].map((m) => button("l".repeat(80), `${n}${m}`.padEnd(100, "c")))),
    );
    const options = Array.from({ length: 25 }, (_, n) => ({ label: "l".repeat(100), value: `${n}`.padEnd(100, "v") }));
    const body = {
      content: "x".repeat(2000),
      nonce: "n".repeat(25),
      components: [...rows, row({ type: 3, custom_id: "s", options })],
    };
    await post(rest, dm, body);
    const [shown] = wire.sent(dm);
    expect(shown?.buttons.map((line) => line.length)).toEqual([5, 5, 5, 5, 25]);
    expect(shown?.buttons[4]?.[0]).toMatchObject({ select: "s", data: "0".padEnd(100, "v") });
  });

  test("nothing to say, nowhere to say it, nobody to hear it", async () => {
    const { wire, rest, dm } = await start();
    expect(await refused(post(rest, dm, { content: " \n" }))).toEqual({ status: 400, code: 50_006 });
    expect(await refused(post(rest, "77", { content: "x" }))).toEqual({ status: 404, code: 10_003 });
    expect(await refused(rest.get(Routes.channelMessage(dm, "78")))).toEqual({ status: 404, code: 10_008 });
    const theirs = wire.say(dm, owner, "mine");
    expect(await refused(rest.patch(Routes.channelMessage(dm, theirs), { body: { content: "x" } }))).toEqual({
      status: 403,
      code: 50_005,
    });
    expect(await refused(rest.delete(Routes.channelMessage(dm, theirs)))).toEqual({ status: 403, code: 50_003 });
    wire.closeDms(owner);
    expect(await refused(post(rest, dm, { content: "x" }))).toEqual({ status: 403, code: 50_007 });
    wire.openDms(owner);
    await post(rest, dm, { content: "  open again " });
    // The platform keeps what it is given without the space around it.
    expect(wire.sent(dm)[0]?.markdown).toBe("open again");
    wire.forbid(place);
    expect(await refused(post(rest, place, { content: "x" }))).toEqual({ status: 403, code: 50_001 });
    wire.forbid(place, 50_013);
    expect(await refused(post(rest, place, { content: "x" }))).toEqual({ status: 403, code: 50_013 });
    expect(await rest.get(Routes.channelMessages(place))).toEqual([]);
    wire.deleteChannel(place);
    expect(await refused(rest.get(Routes.channel(place)))).toEqual({ status: 404, code: 10_003 });
    expect(await refused(rest.get(Routes.user("5")))).toEqual({ status: 404, code: 10_013 });
    expect(await refused(rest.get("/nothing/here"))).toEqual({ status: 404, code: 0 });
    wire.revokeToken();
    expect(await refused(rest.get(Routes.user()))).toEqual({ status: 401, code: 0 });
    expect(wire.invalidCalls).toBeGreaterThanOrEqual(6);
  });

  test("a deletion of one's own is gone; a flag alone is no edit", async () => {
    const { wire, rest, dm } = await start();
    const { seen } = await connect(wire);
    const sent = await post(rest, dm, { content: "https://example.com" });
    expect(wire.sent(dm)[0]?.previewsOff).toBe(false);
    await rest.patch(Routes.channelMessage(dm, sent.id), { body: { flags: MessageFlags.SuppressEmbeds } });
    expect(wire.sent(dm)[0]).toMatchObject({ previewsOff: true, text: "https://example.com" });
    await rest.delete(Routes.channelMessage(dm, sent.id));
    expect(wire.sent(dm)).toEqual([]);
    await wire.until(() => seen("MESSAGE_DELETE").length > 0);
    expect(seen("MESSAGE_UPDATE")[0]?.["edited_timestamp"]).toBeNull();
  });
});

describe("mentions", () => {
  const text = `<@${owner}> <@&800> @everyone @here \`<@${stranger}>\``;

  test.for([
    ["nothing said: all are pinged", undefined, [owner, "&800", "@everyone", "@here"]],
    ["none allowed", { parse: [] }, []],
    ["only people", { parse: ["users"] }, [owner]],
    ["only one role", { parse: [], roles: ["800"] }, ["&800"]],
    ["only everyone", { parse: ["everyone"] }, ["@everyone", "@here"]],
  ] as [string, object | undefined, string[]][])("%s", async ([, allowed_mentions, pings]) => {
    const { wire, rest } = await start();
    wire.addRole("800", "crew");
    await post(rest, place, { content: text, allowed_mentions });
    const [shown] = wire.sent(place);
    expect(shown?.pings).toEqual(pings);
    expect(shown?.text).toBe(`@Sam @crew @everyone @here <@${stranger}>`);
  });

  test("an edit without a word about mentions counts, a reply pings unless told not to", async () => {
    const { wire, rest, dm } = await start();
    const said = wire.say(place, stranger, "hm");
    const quiet = await post(rest, place, {
      content: "a",
      allowed_mentions: { parse: [] },
      message_reference: { message_id: said },
    });
    await post(rest, place, { content: "b", message_reference: { message_id: said } });
    expect(wire.sent(place).map((message) => message.pings)).toEqual([[], [stranger]]);
    await rest.patch(Routes.channelMessage(place, quiet.id), { body: { content: `<@${owner}>` } });
    expect(wire.sent(place)[0]?.pings).toEqual([owner]);
    await post(rest, dm, { content: "@everyone" });
    expect(wire.sent(dm)[0]?.pings).toEqual([]);
  });
});

describe("a nonce", () => {
  test("enforced gives the first message again, until minutes have passed", async () => {
    let nowMs = Date.parse("2026-11-01T10:00:00Z");
    const { wire, rest, dm } = await start({ now: () => nowMs });
    const first = await post(rest, dm, { content: "one", nonce: "k", enforce_nonce: true });
    nowMs += 60_000;
    const second = await post(rest, dm, { content: "two", nonce: "k", enforce_nonce: true });
    expect(second).toMatchObject({ id: first.id, content: "one" });
    // Without the word it is only a label.
    await post(rest, dm, { content: "three", nonce: "k" });
    expect(wire.sent(dm).map((message) => message.text)).toEqual(["one", "three"]);
    nowMs += 6 * 60_000;
    await post(rest, dm, { content: "four", nonce: "k", enforce_nonce: true });
    wire.forgetNonces();
    await post(rest, dm, { content: "five", nonce: "k", enforce_nonce: true });
    expect(wire.sent(dm).map((message) => message.text)).toEqual(["one", "three", "four", "five"]);
    expect((await rest.get(Routes.channelMessages(dm))) as APIMessage[]).not.toContainEqual(
      expect.objectContaining({ nonce: "k" }),
    );
  });

  test.for(["status500AfterStore", "resetAfterStore"] as const)(
    "the library repeats after %s: twice without, once with",
    async (kind) => {
      const { wire, dm } = await start();
      const rest = restOf(wire, 3);
      wire.fail("send", { kind });
      await post(rest, dm, { content: "bare" });
      wire.fail("send", { kind });
      await post(rest, dm, { content: "labelled", nonce: "k", enforce_nonce: true });
      expect(wire.sent(dm).map((message) => message.text)).toEqual(["bare", "bare", "labelled"]);
      expect(wire.callCount("send")).toBe(4);
    },
  );
});

describe("interactions", () => {
  async function registeredWire(
    options?: DiscordOptions,
  ): Promise<{ wire: DiscordWire; rest: REST; dm: string; got: Interaction[]; client: Client<true> }> {
    const { wire, rest, dm } = await start(options);
    await rest.put(Routes.applicationCommands(wire.appId), {
      body: [
        {
          name: "new",
          description: "A new conversation",
          options: [{ type: ApplicationCommandOptionType.String, name: "title", description: "Its title" }],
        },
        {
          name: "mode",
          description: "How far it may go",
          options: [
            { type: ApplicationCommandOptionType.Integer, name: "level", description: "1 to 3", required: true },
            { type: ApplicationCommandOptionType.String, name: "why", description: "Why" },
          ],
        },
        { name: "Ask about this", type: 3 },
      ],
    });
    const got: Interaction[] = [];
    const { client } = await connect(wire, usual, (client) => {
      client.on(Events.InteractionCreate, (interaction) => {
        got.push(interaction);
        wire.state.watch.changed();
      });
    });
    return { wire, rest, dm, got, client };
  }

  test("a slash command with its options, answered, thinking, and in a guild", async () => {
    const { wire, dm, got } = await registeredWire();
    const first = wire.command(dm, owner, "new my own title");
    const second = wire.command(place, owner, "/mode 2 to be quick");
    await wire.until(() => got.length === 2);
    const [plain, guild] = got;
    if (!plain?.isChatInputCommand() || !guild?.isChatInputCommand()) throw new Error("no commands");
    expect(plain.options.getString("title")).toBe("my own title");
    expect([guild.options.getInteger("level"), guild.options.getString("why"), guild.guildId]).toEqual([
      2,
      "to be quick",
      wire.guildId,
    ]);
    expect(guild.member?.user.id).toBe(owner);
    expect(wire.pending).toEqual([first, second]);
    const response = await plain.reply({ content: "*done*", withResponse: true });
    expect(response.resource?.message?.content).toBe("*done*");
    await guild.deferReply({ flags: MessageFlags.Ephemeral });
    expect(wire.answerTo(second)).toMatchObject({ state: "thinking", ephemeral: true });
    await guild.editReply("ready");
    expect(wire.answerTo(first)).toMatchObject({ state: "message", words: "done", ephemeral: false });
    expect(wire.answerTo(second)).toMatchObject({ state: "thinking", words: "ready", ephemeral: true });
    expect(wire.sent(place)).toEqual([]);
    expect(wire.sent(dm)).toMatchObject([{ text: "done" }]);
    await plain.deleteReply();
    expect(wire.sent(dm)).toEqual([]);
    expect(() => wire.command(dm, owner, "mode")).toThrow('needs its option "level"');
    expect(() => wire.command(dm, owner, "nothing")).toThrow("No command");
  });

  test("a first follow-up fills the place that is thinking; others stand below", async () => {
    const { wire, dm, got } = await registeredWire();
    wire.command(dm, owner, "new");
    await wire.until(() => got.length === 1);
    const [command] = got;
    if (!command?.isChatInputCommand()) throw new Error("no command");
    await command.deferReply();
    expect(wire.sent(dm)).toMatchObject([{ loading: true, text: "" }]);
    await command.followUp("one");
    await command.followUp("two");
    expect(wire.sent(dm)).toMatchObject([{ loading: false, text: "one", edits: [] }, { text: "two" }]);
    expect((await command.fetchReply()).content).toBe("one");
  });

  test("a message command brings the message it was called on, then a form and what was written", async () => {
    const { wire, dm, got } = await registeredWire();
    const theirs = wire.say(place, stranger, "a long story", { files: [{ name: "a.txt", text: "x" }] });
    const opened = wire.shortcut(place, owner, theirs);
    await wire.until(() => got.length === 1);
    const [menu] = got;
    if (!menu?.isMessageContextMenuCommand()) throw new Error("no menu command");
    expect(menu.targetMessage).toMatchObject({ id: theirs, content: "a long story", author: { id: stranger } });
    expect(menu.targetMessage.attachments.size).toBe(1);
    await menu.showModal({
      custom_id: "ask:1",
      title: "What should I do with it?",
      components: [
        { type: 1, components: [{ type: 4, custom_id: "what", label: "Your words", style: 2, max_length: 100 }] },
        {
          type: 18,
          label: "More",
          component: { type: 4, custom_id: "more", style: 1, required: false, value: "as is" },
        },
      ] as never,
    });
    expect(wire.answerTo(opened)).toMatchObject({ state: "modal" });
    expect(wire.modal(owner)).toEqual({
      pressId: opened,
      customId: "ask:1",
      title: "What should I do with it?",
      fields: [
        { id: "what", label: "Your words", kind: "text", required: true, long: true, maxChars: 100 },
        { id: "more", label: "More", kind: "text", required: false, long: false, value: "as is" },
      ],
    });
    expect(() => wire.submit(owner, {})).toThrow("must be filled in");
    expect(() => wire.submit(owner, { what: "x".repeat(101) })).toThrow("no more than 100");
    expect(() => wire.submit(stranger, { what: "x" })).toThrow("No form is open");
    const sent = wire.submit(owner, { "Your words": "sum it up" });
    await wire.until(() => got.length === 2);
    const form = got[1];
    if (!form?.isModalSubmit()) throw new Error("no submission");
    expect([form.customId, form.fields.getTextInputValue("what"), form.fields.getTextInputValue("more")]).toEqual([
      "ask:1",
      "sum it up",
      "as is",
    ]);
    expect(wire.modal(owner)).toBeUndefined();
    await form.reply({ content: "in your DM", flags: MessageFlags.Ephemeral });
    expect(wire.answerTo(sent)).toMatchObject({ state: "message", words: "in your DM", ephemeral: true });
    expect(wire.sent(dm)).toEqual([]);
  });

  test("a form that a button opened comes back with the button's message", async () => {
    const { wire, rest, dm, got } = await registeredWire();
    const asked = await post(rest, dm, { content: "write", components: [row(button("Write", "w"))] });
    const opened = wire.press(dm, owner, asked.id, "Write");
    await wire.until(() => got.length === 1);
    if (!got[0]?.isButton()) throw new Error("no button");
    await got[0].showModal({
      custom_id: "f",
      title: "T",
      components: [row({ type: 4, custom_id: "a", label: "A", style: 1 }) as never],
    });
    wire.submit(opened, { A: "yes" });
    await wire.until(() => got.length === 2);
    const form = got[1];
    if (!form?.isModalSubmit() || !form.isFromMessage()) throw new Error("no submission from a message");
    expect(form.message.id).toBe(asked.id);
    await form.update({ content: "written", components: [] });
    expect(wire.sent(dm)).toMatchObject([{ text: "written", buttons: [], edits: [{ text: "write" }] }]);
  });

  test("a menu is picked from by its option's label", async () => {
    const { wire, rest, dm, got } = await registeredWire();
    const options = [
      { label: "Red", value: "r" },
      { label: "Blue", value: "b" },
    ];
    const asked = await post(rest, dm, { content: "which", components: [row({ type: 3, custom_id: "s", options })] });
    wire.press(dm, owner, asked.id, "Blue");
    wire.pressData(dm, owner, asked.id, "gone");
    await wire.until(() => got.length === 2);
    const [picked, stale] = got;
    if (!picked?.isStringSelectMenu() || !stale?.isButton()) throw new Error("no pick");
    expect([picked.customId, picked.values, picked.message.id]).toEqual(["s", ["b"], asked.id]);
    expect(stale.customId).toBe("gone");
    expect(() => wire.press(dm, owner, asked.id, "Green")).toThrow('there are: "Red" (r), "Blue" (b)');
  });

  test("of a menu several are picked at once, as many as it takes", async () => {
    const { wire, rest, dm, got } = await registeredWire();
    const options = ["Red", "Blue", "Green"].map((label) => ({ label, value: label.charAt(0) }));
    const menu = { type: 3, custom_id: "s", options, min_values: 2, max_values: 3 };
    const asked = await post(rest, dm, { content: "which", components: [row(menu)] });
    expect(() => wire.pick(dm, owner, asked.id, ["Red"])).toThrow("takes 2 to 3, not 1");
    expect(() => wire.pick(dm, owner, asked.id, ["Red", "Black"])).toThrow('No option "Black"');
    // In the order of the menu, whatever was picked first.
    wire.pick(dm, owner, asked.id, ["Green", "R"]);
    await wire.until(() => got.length === 1);
    if (!got[0]?.isStringSelectMenu()) throw new Error("no pick");
    expect([got[0].customId, got[0].values]).toEqual(["s", ["R", "G"]]);
  });

  test("a form has fields of every kind in labels, and each comes back in its own shape", async () => {
    const { wire, rest, dm, got } = await registeredWire();
    const asked = await post(rest, dm, { content: "fill in", components: [row(button("Open", "w"))] });
    const opened = wire.press(dm, owner, asked.id, "Open");
    await wire.until(() => got.length === 1);
    if (!got[0]?.isButton()) throw new Error("no button");
    const options = ["One", "Two", "Three"].map((label, at) => ({ label, value: `${at}`, description: `No. ${at}` }));
    const label = (name: string, component: object, description?: string): object => ({
      type: 18,
      label: name,
      component,
      ...(description === undefined ? {} : { description }),
    });
    await got[0].showModal({
      custom_id: "f",
      title: "T",
      components: [
        label("Text", { type: 4, custom_id: "text", style: 1, min_length: 2, placeholder: "words" }, "small words"),
        label("Several", { type: 3, custom_id: "several", options, max_values: 3 }),
        label("One of", { type: 21, custom_id: "one", options, required: false }),
        label("Boxes", { type: 22, custom_id: "boxes", options, min_values: 0, required: false }),
        label("Sure", { type: 23, custom_id: "sure" }),
      ] as never,
    });
    expect(wire.modal(owner)?.fields).toEqual([
      {
        id: "text",
        label: "Text",
        description: "small words",
        kind: "text",
        required: true,
        placeholder: "words",
        long: false,
        minChars: 2,
      },
      { id: "several", label: "Several", kind: "select", required: true, options, min: 1, max: 3, picked: [] },
      { id: "one", label: "One of", kind: "radio", required: false, options, min: 1, max: 1, picked: [] },
      { id: "boxes", label: "Boxes", kind: "checkboxes", required: false, options, min: 0, max: 3, picked: [] },
      { id: "sure", label: "Sure", kind: "checkbox", required: false, picked: [] },
    ]);
    const good = { Text: "yes", Several: ["Two", "One"] };
    expect(() => wire.submit(opened, { ...good, Several: [] })).toThrow('Something must be picked in "Several"');
    expect(() => wire.submit(opened, { ...good, Several: ["Four"] })).toThrow('No option "Four"');
    expect(() => wire.submit(opened, { ...good, "One of": ["One", "Two"] })).toThrow("1 to 1 can be picked, not 2");
    expect(() => wire.submit(opened, { ...good, Text: "y" })).toThrow("no less than 2");
    wire.submit(opened, good);
    await wire.until(() => got.length === 2);
    const form = got[1];
    if (!form?.isModalSubmit()) throw new Error("no submission");
    expect(form.fields.getStringSelectValues("several")).toEqual(["0", "1"]);
    const submission = [...wire.state.interactions.values()].find(({ kind }) => kind === "submit");
    expect(submission?.dispatch["data"]).toEqual({
      custom_id: "f",
      components: [
        { type: 18, id: 1, component: { type: 4, id: 2, custom_id: "text", value: "yes" } },
        { type: 18, id: 3, component: { type: 3, id: 4, custom_id: "several", values: ["0", "1"] } },
        { type: 18, id: 5, component: { type: 21, id: 6, custom_id: "one", value: null } },
        { type: 18, id: 7, component: { type: 22, id: 8, custom_id: "boxes", values: [] } },
        { type: 18, id: 9, component: { type: 23, id: 10, custom_id: "sure", value: false } },
      ],
    });
  });

  test.for([
    ...(
      [
        ["a label of 46 on a label", { label: "l".repeat(46), component: input({}) }, "label"],
        ["a description of 101", { label: "l", description: "d".repeat(101), component: input({}) }, "description"],
        ["a label of nothing", { label: "l" }, "component"],
        ["a button in a label", { label: "l", component: button("a", "a") }, "component.type"],
        [
          "a placeholder of 101",
          { label: "l", component: input({ placeholder: "p".repeat(101) }) },
          "component.placeholder",
        ],
        ["a text of at most 4001", { label: "l", component: input({ max_length: 4001 }) }, "component.max_length"],
        [
          "a text of at least 2 and at most 1",
          { label: "l", component: input({ min_length: 2, max_length: 1 }) },
          "component.min_length",
        ],
        ["two labels for one text", { label: "l", component: input({ label: "l" }) }, "component.label"],
        ["no options", { label: "l", component: { type: 3, custom_id: "a", options: [] } }, "component.options"],
        [
          "26 options",
          { label: "l", component: { type: 3, custom_id: "a", options: numbered(26) } },
          "component.options",
        ],
        [
          "a menu that needs nothing but something",
          { label: "l", component: { type: 3, custom_id: "a", options: numbered(2), min_values: 0 } },
          "component.min_values",
        ],
        [
          "a disabled menu",
          { label: "l", component: { type: 3, custom_id: "a", options: numbered(2), disabled: true } },
          "component.disabled",
        ],
        [
          "one radio button",
          { label: "l", component: { type: 21, custom_id: "a", options: numbered(1) } },
          "component.options",
        ],
        [
          "eleven boxes",
          { label: "l", component: { type: 22, custom_id: "a", options: numbered(11) } },
          "component.options",
        ],
      ] as const
    ).map(([name, label, at]): [string, object, object] => [
      name,
      { custom_id: "f", title: "t", components: [{ type: 18, ...label }] },
      {
        data: {
          components: {
            0: at
              .split(".")
              .reduceRight<object>((inner, step) => ({ [step]: inner }), { _errors: [expect.anything()] }),
          },
        },
      },
    ]),
    [
      "a menu in a row",
      { custom_id: "f", title: "t", components: [row({ type: 3, custom_id: "a", options: numbered(2) })] },
      { data: { components: { 0: { components: { 0: { type: { _errors: [expect.anything()] } } } } } } },
    ],
    [
      "a title of 46",
      { custom_id: "f", title: "t".repeat(46), components: [row({ type: 4, custom_id: "a", label: "A", style: 1 })] },
      { data: { title: { _errors: [expect.anything()] } } },
    ],
    [
      "six inputs",
      {
        custom_id: "f",
        title: "t",
        components: [1, 2, 3, 4, 5, 6].map((n) => row({ type: 4, custom_id: `${n}`, label: "A", style: 1 })),
      },
      { data: { components: { _errors: [expect.anything()] } } },
    ],
    [
      "a label of 46",
      { custom_id: "f", title: "t", components: [row({ type: 4, custom_id: "a", label: "l".repeat(46), style: 1 })] },
      { data: { components: { 0: { components: { 0: { label: { _errors: [expect.anything()] } } } } } } },
    ],
    [
      "a custom_id twice",
      {
        custom_id: "f",
        title: "t",
        components: [1, 2].map(() => row({ type: 4, custom_id: "a", label: "l", style: 1 })),
      },
      { data: { components: { 1: { components: { 0: { custom_id: { _errors: [expect.anything()] } } } } } } },
    ],
    [
      "a value over its own limit",
      {
        custom_id: "f",
        title: "t",
        components: [row({ type: 4, custom_id: "a", label: "l", style: 1, max_length: 2, value: "abc" })],
      },
      { data: { components: { 0: { components: { 0: { value: { _errors: [expect.anything()] } } } } } } },
    ],
  ] as [string, object, object][])("a form with %s is refused", async ([, data, errors]) => {
    const { wire, rest, dm } = await start();
    await rest.put(Routes.applicationCommands(wire.appId), { body: [{ name: "new", description: "d" }] });
    const id = wire.command(dm, owner, "new");
    const call = rest.post(Routes.interactionCallback(id, `interaction-token-${id}`), {
      body: { type: 9, data },
      auth: false,
    });
    expect(await refused(call)).toEqual({ status: 400, code: 50_035, errors });
    // Nothing was answered yet: a right one is taken.
    expect(wire.answerTo(id).state).toBe("waiting");
  });

  test("the first response is one, and within 3 s; the token lives 15 minutes", async () => {
    const { wire, rest, dm } = await start();
    await rest.put(Routes.applicationCommands(wire.appId), { body: [{ name: "new", description: "d" }] });
    const respond = (id: string, type: number): Promise<unknown> =>
      rest.post(Routes.interactionCallback(id, `interaction-token-${id}`), {
        body: { type, data: { content: "x" } },
        auth: false,
      });
    const followUp = (id: string): Promise<unknown> =>
      rest.post(Routes.webhook(wire.appId, `interaction-token-${id}`), { body: { content: "y" }, auth: false });
    const late = wire.command(dm, owner, "new");
    expect(await refused(followUp(late))).toEqual({ status: 404, code: 10_015 });
    wire.age(late, 3001);
    expect(wire.answerTo(late).state).toBe("failed");
    expect(await refused(respond(late, 4))).toEqual({ status: 404, code: 10_062 });
    const twice = wire.command(dm, owner, "new");
    expect(await refused(respond(twice, 6))).toMatchObject({ status: 400, code: 50_035 });
    await respond(twice, 4);
    expect(await refused(respond(twice, 4))).toEqual({ status: 400, code: 40_060 });
    expect(wire.callsOf("callback").at(-1)?.authorized).toBe(false);
    wire.age(twice, 14 * 60_000);
    await followUp(twice);
    wire.age(twice, 61_000);
    expect(await refused(followUp(twice))).toEqual({ status: 401, code: 50_027 });
    const original = Routes.webhookMessage(wire.appId, `interaction-token-${twice}`);
    expect(await refused(rest.patch(original, { body: { content: "z" }, auth: false }))).toEqual({
      status: 401,
      code: 50_027,
    });
    expect(
      await refused(rest.post(Routes.interactionCallback("1", "t"), { body: { type: 6 }, auth: false })),
    ).toMatchObject({ code: 10_062 });
  });

  test("a press that nobody answers fails by itself; one in a gap never comes", async () => {
    const { wire, rest, dm } = await start({ callbackLimitMs: 30 });
    const { seen } = await connect(wire);
    const asked = await post(rest, dm, { content: "?", components: [row(button("Yes", "y"))] });
    const lost = wire.miss(() => wire.press(dm, owner, asked.id, "Yes"));
    const pressed = wire.press(dm, owner, asked.id, "Yes");
    expect(wire.pending).toEqual([pressed]);
    await wire.until(() => wire.answerTo(pressed).state === "failed");
    expect(wire.answerTo(lost).state).toBe("failed");
    await wire.until(() => seen("INTERACTION_CREATE").length > 0);
    expect(seen("INTERACTION_CREATE")).toMatchObject([
      { id: pressed, context: 1, user: { id: owner }, message: { id: asked.id } },
    ]);
  });

  test("commands are checked, kept and counted", async () => {
    const { wire, rest } = await start();
    const put = (body: unknown): Promise<unknown> => rest.put(Routes.applicationCommands(wire.appId), { body });
    await put([{ name: "new", description: "d" }]);
    await put([{ name: "new", description: "e" }]);
    expect(wire.commandPuts).toBe(2);
    expect(await rest.get(Routes.applicationCommands(wire.appId))).toMatchObject([
      { name: "new", description: "e", type: 1 },
    ]);
    expect(await refused(put([{ name: "New", description: "d" }]))).toMatchObject({
      code: 50_035,
      errors: { 0: { name: {} } },
    });
    expect(await refused(put([{ name: "n", description: "" }]))).toMatchObject({ errors: { 0: { description: {} } } });
    expect(await refused(put([{ name: "n", description: "d".repeat(101) }]))).toMatchObject({
      errors: { 0: { description: {} } },
    });
    expect(await refused(put([{ name: "Ask", type: 3, description: "d" }]))).toMatchObject({
      errors: { 0: { description: {} } },
    });
    expect(
      await refused(
        put([
          { name: "n", description: "d" },
          { name: "n", description: "d" },
        ]),
      ),
    ).toMatchObject({ errors: { 1: { name: {} } } });
    const options = [
      { type: 3, name: "a", description: "a" },
      { type: 3, name: "b", description: "b", required: true },
    ];
    expect(await refused(put([{ name: "n", description: "d", options }]))).toMatchObject({
      errors: { 0: { options: { 1: {} } } },
    });
    expect(await refused(rest.put(Routes.applicationCommands("1"), { body: [] }))).toMatchObject({ code: 10_002 });
    expect(wire.commandPuts).toBe(2);
  });
});

describe("what the bot may see", () => {
  test("without MESSAGE_CONTENT a guild's words come only when they are for the bot", async () => {
    const { wire, rest, dm } = await start();
    const { seen } = await connect(wire);
    wire.say(place, stranger, "among us", { files: [{ name: "a.txt", text: "x" }] });
    wire.say(place, stranger, "for you", { mention: true });
    wire.say(place, stranger, `<@&${wire.botRole()}> by role`);
    wire.say(place, stranger, "", { forward: { text: "elsewhere" } });
    const sent = await post(rest, place, { content: "ours" });
    wire.say(place, stranger, "in answer", { replyTo: sent.id });
    wire.say(dm, owner, "in private");
    await wire.until(() => seen("MESSAGE_CREATE").length === 7);
    expect(seen("MESSAGE_CREATE").map((message) => message["content"])).toEqual([
      "",
      `<@${wire.botId}> for you`,
      "",
      "",
      "ours",
      "in answer",
      "in private",
    ]);
    const [hidden, , role, forward] = seen("MESSAGE_CREATE");
    expect(hidden).toMatchObject({ attachments: [], embeds: [], components: [], author: { id: stranger } });
    expect(role).toMatchObject({ mention_roles: [wire.botRole()] });
    expect(forward?.["message_snapshots"]).toMatchObject([{ message: { content: "" } }]);
    const read = (await rest.get(Routes.channelMessages(place))) as APIMessage[];
    expect(read.map((message) => message.content)).toEqual([
      "in answer",
      "ours",
      "",
      "",
      `<@${wire.botId}> for you`,
      "",
    ]);
  });

  test("with it they all come, when the portal's switch is on", async () => {
    const { wire, rest } = await start({ messageContent: true });
    const { seen, client } = await connect(wire, [...usual, GatewayIntentBits.MessageContent]);
    wire.say(place, stranger, "among us");
    await wire.until(() => seen("MESSAGE_CREATE").length === 1);
    expect(seen("MESSAGE_CREATE")[0]).toMatchObject({
      content: "among us",
      guild_id: wire.guildId,
      member: { roles: [] },
    });
    expect(client.application.flags.toArray()).toEqual(["GatewayMessageContentLimited"]);
    expect(await rest.get(Routes.currentApplication())).toMatchObject({ id: wire.appId, flags: 1 << 19 });
    expect(await rest.get(Routes.oauth2CurrentApplication())).toMatchObject({ id: wire.appId });
  });

  test("a group DM is no guild and says of what kind it is; nothing is looked up where embeds are off", async () => {
    const { wire, rest, dm } = await start();
    const { seen } = await connect(wire);
    const group = wire.addGroupDm("3009", "We", [owner, stranger]);
    wire.say(group, stranger, "hi");
    await wire.until(() => seen("MESSAGE_CREATE").length === 1);
    expect(seen("MESSAGE_CREATE")[0]).toMatchObject({ content: "hi", channel_type: 3 });
    expect(seen("MESSAGE_CREATE")[0]).not.toHaveProperty("guild_id");
    const quiet = await post(rest, dm, { content: "https://example.com", flags: MessageFlags.SuppressEmbeds });
    expect(() => wire.unfurl(dm, quiet.id)).toThrow("SUPPRESS_EMBEDS");
  });

  test("no DMs without their intent", async () => {
    const { wire, dm } = await start();
    const { seen } = await connect(wire, [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages]);
    wire.say(dm, owner, "psst");
    wire.say(place, owner, "hey", { mention: true });
    await wire.until(() => seen("MESSAGE_CREATE").length > 0);
    expect(seen("MESSAGE_CREATE")).toMatchObject([{ channel_id: place }]);
  });

  test("4014 for an intent that is switched off, 4004 and 401 for a wrong token", async () => {
    const { wire } = await start();
    const ask = (token: string, intents: number): Promise<number> =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${wire.gatewayUrl}/?v=10&encoding=json`);
        socket.on("message", () => socket.send(JSON.stringify({ op: 2, d: { token, intents, properties: {} } })));
        socket.on("close", resolve);
      });
    expect(await ask(wire.token, GatewayIntentBits.MessageContent)).toBe(4014);
    expect(await ask("wrong", 1)).toBe(4004);
    expect(await ask(wire.token, 1 << 30)).toBe(4013);
    const client = new Client({ intents: [GatewayIntentBits.MessageContent], rest: { api: wire.apiUrl } });
    onTestFinished(() => client.destroy());
    await expect(client.login(wire.token)).rejects.toThrow("Used disallowed intents");
    wire.revokeToken();
    const late = new Client({ intents: [], rest: { api: wire.apiUrl } });
    onTestFinished(() => late.destroy());
    await expect(late.login("discord-test-token")).rejects.toThrow("invalid token");
  });

  test("a DM reaches the library cold only with channel_type; edits and deletions there only when primed", async () => {
    const { wire, dm } = await start();
    const heard: string[] = [];
    const hear = (line: string): void => {
      heard.push(line);
      wire.state.watch.changed();
    };
    const { client, seen } = await connect(wire, usual, (client) => {
      client.on(Events.MessageCreate, (message) => hear(`create ${message.content}`));
      client.on(Events.MessageUpdate, (_before, message) => hear(`update ${message.content}`));
      client.on(Events.MessageDelete, (message) => hear(`delete ${message.id}`));
    });
    const bare = wire.say(dm, owner, "bare", { channelType: false });
    wire.edit(dm, bare, "bare, edited", {});
    wire.remove(dm, bare);
    await wire.until(() => seen("MESSAGE_DELETE").length === 1);
    expect(seen("MESSAGE_CREATE")[0]).not.toHaveProperty("channel_type");
    expect(heard).not.toContain("create bare");
    expect(heard).not.toContain(`delete ${bare}`);
    await client.users.createDM(owner);
    const primed = wire.say(dm, owner, "primed");
    wire.edit(dm, primed, "edited");
    wire.remove(dm, primed);
    await wire.until(() => heard.includes(`delete ${primed}`));
    expect(heard.filter((line) => !line.includes("bare"))).toEqual([
      "create primed",
      "update edited",
      `delete ${primed}`,
    ]);
  });
});

describe("the gateway", () => {
  test.for([
    ["a cut", (wire: DiscordWire) => wire.cut()],
    ["op7", (wire: DiscordWire) => wire.reconnect()],
    ["a close with 4000", (wire: DiscordWire) => wire.closeWith(4000)],
    ["op9 that may be resumed", (wire: DiscordWire) => wire.invalidSession(true)],
  ] as [string, (wire: DiscordWire) => void][])(
    "after %s the client resumes and hears what it missed",
    async ([, go]) => {
      const { wire, dm } = await start();
      const { seen } = await connect(wire);
      wire.say(dm, owner, "before");
      await wire.until(() => seen("MESSAGE_CREATE").length === 1);
      wire.freeze();
      wire.say(dm, owner, "meanwhile");
      wire.thaw();
      go(wire);
      await wire.until(() => seen("RESUMED").length === 1, { timeoutMs: 10_000 });
      wire.say(dm, owner, "after");
      await wire.until(() => seen("MESSAGE_CREATE").length === 3);
      expect(seen("MESSAGE_CREATE").map((message) => message["content"])).toEqual(["before", "meanwhile", "after"]);
      expect(wire.gateway).toMatchObject({ identifies: 1, resumes: 1 });
    },
  );

  test("op9: the session is gone, what was missed is only in the history", { timeout: 20_000 }, async () => {
    const { wire, rest, dm } = await start();
    const { seen } = await connect(wire);
    const last = wire.say(dm, owner, "before");
    await wire.until(() => seen("MESSAGE_CREATE").length === 1);
    wire.cut();
    wire.forgetSessions();
    wire.say(dm, owner, "meanwhile");
    await wire.until(() => seen("READY").length === 2, { timeoutMs: 15_000 });
    wire.say(dm, owner, "after");
    await wire.until(() => seen("MESSAGE_CREATE").length === 2);
    expect(seen("MESSAGE_CREATE").map((message) => message["content"])).toEqual(["before", "after"]);
    const found = (await rest.get(Routes.channelMessages(dm), {
      query: new URLSearchParams({ after: last }),
    })) as APIMessage[];
    expect(found.map((message) => message.content)).toEqual(["after", "meanwhile"]);
  });

  test.for(["zombie", "freeze"] as const)(
    "%s: no acknowledged heartbeat, so the client comes back by itself",
    async (verb) => {
      const { wire, dm } = await start({ heartbeatMs: 100 });
      const { seen } = await connect(wire);
      await wire.until(() => wire.gateway.heartbeats > 0);
      wire[verb]();
      wire.say(dm, owner, "into the void");
      await wire.until(() => seen("RESUMED").length === 1, { timeoutMs: 10_000 });
      await wire.until(() => seen("MESSAGE_CREATE").length === 1);
    },
  );

  test("a refused connection and a missing hello", async () => {
    const { wire } = await start();
    const outcome = (): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${wire.gatewayUrl}/?v=10&encoding=json`);
        socket.on("error", (error) => resolve(error.message));
        socket.on("close", (code) => resolve(String(code)));
        socket.on("message", (data) => {
          resolve((data as Buffer).toString());
          socket.terminate();
        });
      });
    wire.refuseConnections();
    expect(await outcome()).toContain("503");
    wire.refuseConnections(1, 4009);
    expect(await outcome()).toBe("4009");
    wire.noHello();
    const silent = outcome();
    await wire.until(() => wire.gateway.open === 1);
    expect(await outcome()).toContain("heartbeat_interval");
    wire.cut();
    expect(await silent).toBe("1006");
    await wire.goDown();
    expect(await outcome()).toContain("ECONNREFUSED");
    await wire.comeBack();
    expect(await outcome()).toContain("heartbeat_interval");
  });

  test("a gap, a redelivery and raw frames", async () => {
    const { wire, rest, dm } = await start();
    const { seen } = await connect(wire);
    const lost = wire.miss(() => wire.say(dm, owner, "lost"));
    const heard = wire.say(dm, owner, "heard");
    wire.redeliver(heard);
    await wire.until(() => seen("MESSAGE_CREATE").length === 2);
    expect(seen("MESSAGE_CREATE").map((message) => message["id"])).toEqual([heard, heard]);
    const read = (query: Record<string, string>): Promise<APIMessage[]> =>
      rest.get(Routes.channelMessages(dm), { query: new URLSearchParams(query) }) as Promise<APIMessage[]>;
    expect((await read({})).map((message) => message.id)).toEqual([heard, lost]);
    expect((await read({ before: heard })).map((message) => message.id)).toEqual([lost]);
    expect((await read({ after: lost, limit: "1" })).map((message) => message.id)).toEqual([heard]);
    for (let n = 0; n < 3; n++) wire.miss(() => wire.say(dm, owner, `${n}`));
    // The oldest of what is newer, newest first.
    expect((await read({ after: heard, limit: "2" })).map((message) => message.content)).toEqual(["1", "0"]);
    expect(await refused(read({ limit: "101" }))).toMatchObject({ code: 50_035 });
  });

  test("a malformed dispatch goes out as it is", async () => {
    const { wire, dm } = await start();
    const frames: { t: string; d: unknown }[] = [];
    const socket = new WebSocket(`${wire.gatewayUrl}/?v=10&encoding=json`);
    onTestFinished(() => socket.terminate());
    socket.on("message", (data) => {
      const frame = JSON.parse((data as Buffer).toString()) as { op: number; t: string; d: unknown };
      if (frame.op === 10) socket.send(JSON.stringify({ op: 2, d: { token: wire.token, intents: 1, properties: {} } }));
      else frames.push(frame);
      wire.state.watch.changed();
    });
    await wire.until(() => frames.find((frame) => frame.t === "GUILD_CREATE"));
    const d = { id: "1", type: 3, token: "t", channel_id: dm, data: { custom_id: "x", component_type: 2 } };
    wire.pushRaw({ t: "INTERACTION_CREATE", d });
    wire.pushRaw({ t: "MESSAGE_CREATE", d: 7 });
    await wire.until(() => frames.length >= 4);
    expect(frames.slice(-2)).toMatchObject([
      { t: "INTERACTION_CREATE", d },
      { t: "MESSAGE_CREATE", d: 7 },
    ]);
  });
});

describe("faults and rates", () => {
  test("a bucket's headers, its 429, and the global one", async () => {
    const { wire, dm } = await start({ rates: { perChannel: { limit: 2, windowMs: 60_000 }, perSecond: 1000 } });
    const call = (): Promise<Response> =>
      fetch(`${wire.apiUrl}/v10/channels/${dm}/messages`, {
        method: "POST",
        headers: { authorization: `Bot ${wire.token}`, "content-type": "application/json" },
        body: JSON.stringify({ content: "x" }),
      });
    const first = await call();
    expect(Object.fromEntries(first.headers)).toMatchObject({
      "x-ratelimit-limit": "2",
      "x-ratelimit-remaining": "1",
      "x-ratelimit-bucket": expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(Number(first.headers.get("x-ratelimit-reset-after"))).toBeGreaterThan(50);
    await call();
    const third = await call();
    expect(third.status).toBe(429);
    expect(third.headers.get("x-ratelimit-scope")).toBe("user");
    expect(await third.json()).toMatchObject({ global: false, message: "You are being rate limited." });
    expect(wire.sent(dm)).toHaveLength(2);
    wire.fail("send", { kind: "rateLimited", global: true, retryAfterMs: 65 });
    const global = await call();
    expect([global.status, global.headers.get("x-ratelimit-global")]).toEqual([429, "true"]);
    expect(await global.json()).toMatchObject({ retry_after: 0.065, global: true });
  });

  test("discord.js waits out a 429 by itself", async () => {
    const { wire, rest, dm } = await start();
    wire.fail("POST /channels/{channel}/messages", { kind: "rateLimited", retryAfterMs: 20 });
    await post(rest, dm, { content: "at last" });
    expect(wire.callCount("send")).toBe(2);
  });

  test.for(["http500", "html502", "resetBeforeStore"] as const)("%s: nothing was done", async (kind) => {
    const { wire, rest, dm } = await start();
    wire.fail("send", { kind });
    await expect(post(rest, dm, { content: "x" })).rejects.toThrow();
    expect(wire.sent(dm)).toEqual([]);
  });

  test("errors of one's own, faults for one channel, hangs", async () => {
    const { wire, rest, dm } = await start();
    wire.fail(`POST /channels/${place}/messages`, { kind: "error", status: 403, code: 50_013, times: "always" });
    expect(await refused(post(rest, place, { content: "x" }))).toEqual({ status: 403, code: 50_013 });
    await post(rest, dm, { content: "elsewhere it goes" });
    wire.clearFaults();
    await post(rest, place, { content: "x" });
    wire.fail("send", { kind: "hangAfterStore" });
    const stop = new AbortController();
    const hung = rest.post(Routes.channelMessages(dm), { body: { content: "stored" }, signal: stop.signal });
    await wire.shown(dm, "stored");
    stop.abort();
    await expect(hung).rejects.toThrow("aborted");
    wire.fail("send", { kind: "status500AfterStore" });
    await expect(post(rest, dm, { content: "stored as well" })).rejects.toBeInstanceOf(HTTPError);
    await wire.shown(dm, "stored as well");
  });

  test("a 204 has no type of a body, unless that is the fault", async () => {
    const { wire, rest, dm } = await start();
    const call = (): Promise<Response> =>
      fetch(`${wire.apiUrl}/v10/channels/${dm}/typing`, {
        method: "POST",
        headers: { authorization: `Bot ${wire.token}` },
      });
    const right = await call();
    expect([right.status, right.headers.get("content-type")]).toEqual([204, null]);
    wire.fail("typing", { kind: "json204" });
    expect((await call()).headers.get("content-type")).toBe("application/json");
    await rest.post(Routes.channelTyping(dm));
    expect(wire.typing.map((hint) => hint.channelId)).toEqual([dm, dm, dm]);
  });

  test("threads and DMs are opened by REST", async () => {
    const { wire, rest, dm } = await start();
    const { seen } = await connect(wire);
    expect(await rest.post(Routes.userChannels(), { body: { recipient_id: owner } })).toMatchObject({
      id: dm,
      type: 1,
    });
    expect(await refused(rest.post(Routes.userChannels(), { body: { recipient_id: "5" } }))).toMatchObject({
      code: 50_035,
    });
    const about = wire.say(place, owner, "this");
    const made = (await rest.post(Routes.threads(place, about), { body: { name: "Aside" } })) as { id: string };
    expect(made.id).toBe(about);
    expect(await refused(rest.post(Routes.threads(place, about), { body: { name: "Again" } }))).toMatchObject({
      code: 160_004,
    });
    await post(rest, made.id, { content: "in here" });
    expect(wire.sent(made.id)).toMatchObject([{ text: "in here" }]);
    await wire.until(() => seen("THREAD_CREATE").length === 1);
    // Its message is marked, which is no edit, and the thread begins with a line that points there.
    expect(seen("MESSAGE_UPDATE")).toMatchObject([{ id: about, flags: 32, edited_timestamp: null, content: "" }]);
    expect(seen("MESSAGE_CREATE")[1]).toMatchObject({
      type: 21,
      channel_id: about,
      message_reference: { message_id: about },
    });
    expect(await refused(rest.post(Routes.threads(dm), { body: { name: "No" } }))).toMatchObject({ code: 50_024 });
    expect(await rest.get(Routes.guild(wire.guildId))).toMatchObject({ id: wire.guildId });
    expect(await rest.get(Routes.user(stranger))).toMatchObject({ global_name: "Kim" });
  });
});

describe("recorded dispatches", async () => {
  const folder = new URL("../fixtures/discord/", import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json"));
  const load = async (name: string): Promise<{ t: string; d: Record<string, unknown> }> =>
    JSON.parse(await readFile(new URL(name, folder), "utf8")) as { t: string; d: Record<string, unknown> };

  const events: Record<string, keyof ClientEvents> = {
    MESSAGE_CREATE: Events.MessageCreate,
    THREAD_CREATE: Events.ThreadCreate,
    INTERACTION_CREATE: Events.InteractionCreate,
  };

  const whole = { entitlements: [], authorizing_integration_owners: {}, app_permissions: "0", locale: "en-US" };

  test("there are as many as were copied", () => {
    expect(names).toHaveLength(19);
  });

  test.for(names.filter((name) => name !== "synthetic-ready.json"))("%s reaches the real client", async (name) => {
    const { wire, rest } = await start();
    const dispatch = await load(name);
    // One was trimmed by its origin: the library rejects, out of anyone's reach, what lacks these.
    const d = dispatch.t === "INTERACTION_CREATE" ? { ...whole, ...dispatch.d } : dispatch.d;
    const { t } = dispatch;
    const guild = d["guild_id"] as string | undefined;
    if (guild !== undefined) wire.addGuild(guild);
    const parent = d["parent_id"] as string | undefined;
    if (parent !== undefined) wire.addChannel(parent, "recorded", { guild: guild ?? "" });
    const isMessage = t.startsWith("MESSAGE_") && guild !== undefined;
    if (isMessage) wire.addChannel(d["channel_id"] as string, "recorded", { guild });
    const got: unknown[] = [];
    const { seen } = await connect(wire, usual, (client) => {
      const event = events[t];
      if (event) client.on(event, ((first: unknown) => got.push(first)) as never);
    });
    wire.pushRaw({ t, d });
    await wire.until(() => seen(t).length > 0);
    expect(seen(t).at(-1)).toEqual(d);
    if (events[t]) {
      await wire.until(() => got.length > 0);
      expect(got[0]).toMatchObject({ id: d["id"] });
    }
    if (t === "INTERACTION_CREATE") {
      // It can be answered, and the message under it is there.
      const interaction = got[0] as Interaction;
      if (!interaction.isButton()) throw new Error("no button");
      await interaction.deferUpdate();
      expect(wire.answerTo(interaction.id).state).toBe("deferred");
    }
    if (t === "MESSAGE_CREATE") {
      const channel = d["channel_id"] as string;
      expect(wire.message(channel, d["id"] as string)).toMatchObject({ markdown: d["content"] });
      await post(rest, channel, { content: "seen", message_reference: { message_id: d["id"] } });
      expect(wire.sent(channel).at(-1)).toMatchObject({ text: "seen", replyTo: d["id"] });
    }
  });

  // What live captures have beside what the type package knows of.
  const unknown = new Set(["clan", "display_name_styles", "banner", "collectibles", "display_name"]);

  function keysOf(value: unknown, path = ""): string[] {
    if (Array.isArray(value)) return value.slice(0, 1).flatMap((one) => keysOf(one, `${path}[]`));
    if (typeof value !== "object" || value === null) return [path];
    return Object.entries(value).flatMap(([key, inner]) => (unknown.has(key) ? [] : keysOf(inner, `${path}.${key}`)));
  }

  test("our own events have every field that recorded ones have", async () => {
    const { wire, rest, dm } = await start({ messageContent: true });
    const { seen } = await connect(wire, [...usual, GatewayIntentBits.MessageContent]);
    const missing = async (name: string, ours: Record<string, unknown> | undefined): Promise<string[]> => {
      const have = new Set(keysOf(ours));
      return keysOf((await load(name)).d).filter((key) => !have.has(key));
    };
    wire.say(place, owner, "Hey", { mention: true });
    const thread = wire.addThread(place, { user: owner });
    wire.say(thread, owner, "Hey");
    const said = wire.say(dm, owner, "hello");
    wire.edit(dm, said, "hello edited");
    wire.react(place, owner, wire.say(place, owner, "x"));
    wire.say(dm, owner, "", { forward: { text: "forwarded text", guild: wire.guildId } });
    const asked = await post(rest, dm, { content: "question", components: [row(button("Yes", "yes:1"))] });
    wire.say(dm, owner, "answer", { replyTo: asked.id });
    wire.press(dm, owner, asked.id, "Yes");
    const inThread = await post(rest, thread, { content: "q", components: [row(button("Yes", "yes:1"))] });
    wire.press(thread, owner, inThread.id, "Yes");
    wire.remove(dm, said);
    await wire.until(() => seen("MESSAGE_DELETE").length > 0);
    const created = seen("MESSAGE_CREATE").filter((message) => message["type"] !== 18);
    expect(await missing("message-create-guild-mention.json", created[0])).toEqual([]);
    expect(await missing("message-create-in-thread.json", created[1])).toEqual([]);
    expect(await missing("synthetic-message-create-dm.json", created[2])).toEqual([]);
    const forwarded = created.find((message) => "message_snapshots" in message);
    expect(
      (await missing("synthetic-message-create-forward.json", forwarded)).filter((key) => !key.includes("attachments")),
    ).toEqual([]);
    const reply = created.find((message) => message["type"] === 19);
    expect(await missing("synthetic-message-create-reply.json", reply)).toEqual([".referenced_message.channel_type"]);
    expect(await missing("synthetic-message-update-edit.json", seen("MESSAGE_UPDATE")[0])).toEqual([]);
    expect(await missing("synthetic-message-delete.json", seen("MESSAGE_DELETE")[0])).toEqual([]);
    expect(await missing("message-reaction-add.json", seen("MESSAGE_REACTION_ADD")[0])).toEqual([]);
    expect(await missing("thread-create.json", seen("THREAD_CREATE")[0])).toEqual([]);
    expect(await missing("synthetic-interaction-button-dm.json", seen("INTERACTION_CREATE")[0])).toEqual([
      // Whose DM it is stands under the other key: the bot's own, "0".
      ".authorizing_integration_owners.1",
    ]);
    // Embeds are the origin's own; how the bot is a thread's member is said by members' intents.
    const others = /^\.(?:message\.embeds|channel\.member\.|member\.unusual_dm_activity_until)/;
    const threadPress = await missing("interaction-button-in-thread.json", seen("INTERACTION_CREATE")[1]);
    expect(threadPress.filter((key) => !others.test(key))).toEqual([]);
    expect(await missing("synthetic-ready.json", seen("READY")[0])).toEqual([]);
  });
});

describe("what a person reads", () => {
  const names = {
    user: (id: string) => (id === owner ? "Sam" : undefined),
    role: (id: string) => (id === "800" ? "crew" : undefined),
    channel: (id: string) => (id === place ? "general" : undefined),
  };

  test.for([
    ["**bold** *it* _it_ __under__ ~~gone~~ ||hidden||", "bold it it under gone hidden"],
    ["***both*** and **bold _in_ bold**", "both and bold in bold"],
    ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
    ["\\*not\\* \\_this\\_ \\# \\> \\`", "*not* _this_ # > `"],
    ["a\\b C:\\dir", "a\\b C:\\dir"],
    ["# One\n## Two\n### Three\n-# small", "One\nTwo\nThree\nsmall"],
    ["#no heading\n#### four", "#no heading\n#### four"],
    ["- one\n  - two\n* three\n1. four", "• one\n  • two\n• three\n1. four"],
    ["> quoted **b**\n> more\nout", "quoted b\nmore\nout"],
    ["say\n>>> all\nof # it", "say\nall\nof # it"],
    ["```ts\nconst a = *1*;\n```\nafter", "const a = *1*;\nafter"],
    ["before ```\nx\n```", "before \nx"],
    ["`a*b*c` ``x`y``", "a*b*c x`y"],
    ["[text](https://example.com/a_b_c) [no](relative)", "text [no](relative)"],
    [
      "<https://example.com/a_b> https://example.com/x_y_z and *so*",
      "https://example.com/a_b https://example.com/x_y_z and so",
    ],
    [`<@${owner}> <@!${owner}> <@&800> <#${place}> <:smile:123> <a:wave:4>`, "@Sam @Sam @crew #general :smile: :wave:"],
    ["@everyone <@9>", "@everyone @unknown-user"],
    ["**open and *half", "**open and *half"],
    ["Grüße **schön** 日本*語*", "Grüße schön 日本語"],
    ["| a | b |\n|---|---|", "| a | b |\n|---|---|"],
    ["||a|| *b\nc*", "a b\nc"],
  ] as [string, string][])("%s", ([source, read]) => {
    expect(readMarkdown(source, names)).toBe(read);
  });
});

test("another process drives it by the control port", async () => {
  const { wire, dm, rest } = await start({ control: true });
  const url = wire.controlUrl ?? "";
  const id = await control(url, "say", dm, owner, "hello");
  expect(wire.message(dm, String(id))?.text).toBe("hello");
  await control(url, "fail", "send", { kind: "error", code: 50_007, status: 403 });
  expect(await refused(post(rest, dm, { content: "x" }))).toEqual({ status: 403, code: 50_007 });
  await post(rest, dm, { content: "y" });
  expect(await control(url, "shown", dm, { matches: "^y$" })).toMatchObject({ text: "y" });
  expect(await control(url, "status")).toMatchObject({ connected: false });
  await expect(control(url, "nothing")).rejects.toThrow("No verb");
  expect(await control(url, "describe")).toContain("hello");
});

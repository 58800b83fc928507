// Cards as Telegram gets them: the exact bodies of the calls, held to the vendor's types, and taken by the loopback platform.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiMethods } from "@grammyjs/types";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { piecesOf, readBody } from "../../src/channels/telegram/cards.ts";
import { telegram } from "../../src/channels/telegram/channel.ts";
import type { Platform } from "../../src/core/channel.ts";
import type { Room } from "../../src/core/message.ts";
import type { Button, Reply, Showing, Shown } from "../../src/core/reply.ts";
import { escapeMarkdown, oneLine } from "../../src/core/text.ts";
import { ONCE, Pull, recordedSurroundings } from "../contracts/channel.ts";
import { runs } from "../deep.ts";
import { startTelegram } from "../wire/telegram.ts";
import type { TelegramWire } from "../wire/telegram.ts";

type SendMessage = Parameters<ApiMethods<never>["sendMessage"]>[0];
type EditMessage = Parameters<ApiMethods<never>["editMessageText"]>[0];

const SAM = 1001;
const TEAM = -5001;
const PRIVATE: Room = { platform: "telegram", chat: String(SAM), kind: "private" };
const SHARED: Room = { platform: "telegram", chat: String(TEAM), kind: "shared" };
const never = new AbortController().signal;
const ROCKETS = "🚀".repeat(500);

type Bench = {
  readonly wire: TelegramWire;
  readonly platform: Platform;
  /** As the gateway does: each piece once, or as an edit of the message with that id. */
  readonly show: (reply: Partial<Reply>, how?: Partial<Showing>, room?: Room) => Promise<readonly Shown[]>;
  /** The bodies of all calls so far that show something. */
  readonly bodies: () => readonly Record<string, unknown>[];
};

async function bench(): Promise<Bench> {
  const wire = await startTelegram();
  onTestFinished(() => wire[Symbol.asyncDispose]());
  wire.addUser({ id: SAM, first_name: "Sam" });
  wire.addGroup(TEAM, "Team");
  const platform = telegram(wire, recordedSurroundings().surroundings);
  onTestFinished(() => platform.channel[Symbol.asyncDispose]());
  return {
    wire,
    platform,
    async show(given, how = {}, room = PRIVATE) {
      const shown: Shown[] = [];
      for (const piece of platform.outlet.pieces(replyOf(given))) {
        // As the store gives it back.
        const kept = { ...piece, body: JSON.parse(JSON.stringify(piece.body)) as unknown };
        shown.push(await platform.outlet.show(room, kept, { ...ONCE, ...how }, never));
      }
      return shown;
    },
    bodies: () => wire.calls.filter(({ method }) => /^(?:send|edit)/u.test(method)).map(({ payload }) => payload),
  };
}

function replyOf(given: Partial<Reply>): Reply {
  return { key: "card/1", text: "", rows: [], quiet: false, ...given };
}

function rowsOf(...labels: readonly string[]): Button[][] {
  return labels.map((label, at) => [{ label, press: `key-${at}` }]);
}

const shown = (ref: number): Shown => ({ is: "shown", ref: String(ref) });
const HEAD = { chat_id: SAM, parse_mode: "HTML", link_preview_options: { is_disabled: true } } as const;

describe("an offer", () => {
  const text = [
    "**Connect Google Calendar?**",
    "See and plan your days.",
    `_So that I can look for a free hour on \\<Monday\\>._`,
  ].join("\n\n");
  const rows: Button[][] = [
    [
      { label: "Connect", press: "key-take" },
      { label: "Details", press: "key-more" },
    ],
    [
      { label: "Not now", press: "key-later" },
      { label: "Don't suggest", press: "key-mute" },
    ],
  ];

  it("O20, O65, O71: stands under the reply with its buttons in rows", async () => {
    const { show, bodies } = await bench();
    expect(await show({ text, rows })).toEqual([shown(1)]);
    expect(bodies()).toEqual([
      {
        ...HEAD,
        text: "<b>Connect Google Calendar?</b>\n\nSee and plan your days.\n\n<i>So that I can look for a free hour on &lt;Monday&gt;.</i>",
        reply_markup: {
          inline_keyboard: [
            [
              { text: "Connect", callback_data: "key-take" },
              { text: "Details", callback_data: "key-more" },
            ],
            [
              { text: "Not now", callback_data: "key-later" },
              { text: "Don't suggest", callback_data: "key-mute" },
            ],
          ],
        },
      } satisfies SendMessage,
    ]);
  });

  it("O29, O32, O71: its sign-in is a button with the address, in the same message, and folded it has none", async () => {
    const { wire, show, bodies } = await bench();
    await show({ text, rows });
    const url = "https://auth.example.com/authorize?client_id=a&state=b";
    const waits = [[{ label: "Sign in", url }], [{ label: "Not now", press: "key-later" }]];
    expect(await show({ text: "**Sign in to Google Calendar**", rows: waits }, { edit: "1" })).toEqual([shown(1)]);
    expect(await show({ text: "_Suggested: Google Calendar – not now._" }, { edit: "1" })).toEqual([shown(1)]);
    expect(bodies().slice(1)).toEqual([
      {
        ...HEAD,
        message_id: 1,
        text: "<b>Sign in to Google Calendar</b>",
        reply_markup: {
          inline_keyboard: [[{ text: "Sign in", url }], [{ text: "Not now", callback_data: "key-later" }]],
        },
      } satisfies EditMessage,
      { ...HEAD, message_id: 1, text: "<i>Suggested: Google Calendar – not now.</i>" } satisfies EditMessage,
    ]);
    expect(wire.sent(SAM)).toHaveLength(1);
    expect(wire.sent(SAM)[0]?.keyboard).toEqual([]);
  });

  it("O29: an address that the platform takes for none is a line of the text, and the message is not lost", async () => {
    const { wire, show } = await bench();
    const url = "http://localhost:8123/sign_in?state=*b*";
    expect(await show({ text: "Sign in:", rows: [[{ label: "Sign in", url }], ...rowsOf("Not now")] })).toEqual([
      shown(1),
    ]);
    expect(wire.sent(SAM)[0]).toMatchObject({
      text: `Sign in:\n\nSign in: ${url}`,
      keyboard: [[{ text: "Not now", data: "key-0" }]],
    });
  });
});

describe("a question", () => {
  it("O36, O71: one choice of two is two buttons and Skip", async () => {
    const { show, bodies } = await bench();
    await show({ text: "**Which one?**", rows: rowsOf("The train", "The bus", "Skip") });
    expect(bodies()).toEqual([
      {
        ...HEAD,
        text: "<b>Which one?</b>",
        reply_markup: {
          inline_keyboard: [
            [{ text: "The train", callback_data: "key-0" }],
            [{ text: "The bus", callback_data: "key-1" }],
            [{ text: "Skip", callback_data: "key-2" }],
          ],
        },
      } satisfies SendMessage,
    ]);
  });

  it("O36, O37, O71: six options with their descriptions in the text, and labels of emoji are cut where one ends", async () => {
    const { wire, show, bodies } = await bench();
    const options = ["Oslo", "Rome", "Graz", "Kyiv", ROCKETS, "👩‍👩‍👧‍👦".repeat(80)];
    const text = ["**Where to?**", ...options.map((one, at) => `${at + 1}\\. ${one}`)].join("\n");
    expect(await show({ text, rows: rowsOf(...options, "Skip") })).toEqual([shown(1)]);
    const [body] = bodies();
    const labels = wire
      .sent(SAM)[0]
      ?.keyboard.flat()
      .map((button) => button.text);
    expect(labels).toEqual(["Oslo", "Rome", "Graz", "Kyiv", `${"🚀".repeat(63)}…`, `${"👩‍👩‍👧‍👦".repeat(11)}…`, "Skip"]);
    expect(body?.["text"]).toContain(ROCKETS);
  });

  it("O36, O71: several picks are toggles with Done, and each press edits the same message", async () => {
    const { wire, show, bodies } = await bench();
    const asks = (...marks: readonly string[]): Partial<Reply> => ({
      text: "**Which days?**",
      rows: [
        ...rowsOf(`${marks[0]} Monday`, `${marks[1]} Friday`),
        [
          { label: "Done", press: "key-done" },
          { label: "Skip", press: "key-skip" },
        ],
      ],
    });
    await show(asks("☐", "☐"));
    wire.press(SAM, SAM, 1, "☐ Friday");
    expect(await show(asks("☐", "☑"), { edit: "1" })).toEqual([shown(1)]);
    expect(bodies()[1]).toEqual({
      ...HEAD,
      message_id: 1,
      text: "<b>Which days?</b>",
      reply_markup: {
        inline_keyboard: [
          [{ text: "☐ Monday", callback_data: "key-0" }],
          [{ text: "☑ Friday", callback_data: "key-1" }],
          [
            { text: "Done", callback_data: "key-done" },
            { text: "Skip", callback_data: "key-skip" },
          ],
        ],
      },
    } satisfies EditMessage);
    expect(wire.sent(SAM)).toHaveLength(1);
  });

  it("O36, O71: a date has its suggestion as a button, and says how one is written", async () => {
    const { show, bodies } = await bench();
    const text = ["**When?**", "Write a date as 2026-11-30.", "_“31 February” is no date._"].join("\n\n");
    await show({ text, rows: rowsOf("2026-11-30", "Skip") });
    expect(bodies()).toEqual([
      {
        ...HEAD,
        text: "<b>When?</b>\n\nWrite a date as 2026-11-30.\n\n<i>“31 February” is no date.</i>",
        reply_markup: {
          inline_keyboard: [
            [{ text: "2026-11-30", callback_data: "key-0" }],
            [{ text: "Skip", callback_data: "key-1" }],
          ],
        },
      } satisfies SendMessage,
    ]);
  });

  it("O36: a menu, which Telegram has not, is a row for each of its options", async () => {
    const { show, bodies } = await bench();
    const options = ["One", "Two"].map((label) => ({ label, value: label }));
    const menu = { press: "key-menu", placeholder: "Which?", submit: "Done", options };
    await show({ text: "Which?", menu, rows: rowsOf("Skip") });
    expect(bodies()[0]?.["reply_markup"]).toEqual({
      inline_keyboard: [
        [{ text: "One", callback_data: "key-menu" }],
        [{ text: "Two", callback_data: "key-menu" }],
        [{ text: "Skip", callback_data: "key-0" }],
      ],
    } satisfies SendMessage["reply_markup"]);
  });
});

describe("chips", () => {
  it("O46, O47, O71: are the keys of a keyboard for one time, and a key sends exactly its words", async () => {
    const { wire, platform, show, bodies } = await bench();
    const long = `Tell me more about ${"this and that ".repeat(8)}`.slice(0, 119).concat("?");
    expect(long).toHaveLength(120);
    expect(await show({ key: "t:0", text: "Done.", keyboard: ["Why?", long] })).toEqual([shown(1)]);
    expect(bodies()).toEqual([
      {
        ...HEAD,
        text: "Done.",
        reply_markup: {
          keyboard: [[{ text: "Why?" }], [{ text: long }]],
          one_time_keyboard: true,
          resize_keyboard: true,
        },
      } satisfies SendMessage,
    ]);
    wire.pressKey(SAM, SAM, long);
    await using pull = new Pull(platform);
    await pull.batch();
    const said = await pull.message();
    expect(said.parts).toMatchObject([{ kind: "text", origin: { kind: "own" }, text: long }]);
    expect(said.command).toBeUndefined();
  });

  it("O47: words are never shortened: a key of 500 emoji sends them all, and one that can't be seen or stands there twice is left out", async () => {
    const { wire, show } = await bench();
    await show({ text: "Done.", keyboard: [ROCKETS, "\u200B", "Go  on", "Go on"] });
    expect(wire.keyboard(SAM)?.keys).toEqual([[ROCKETS], ["Go on"]]);
    const far = "🚀".repeat(2000);
    await show({ key: "t:1", text: "Done.", keyboard: ["Short", far, "👍".repeat(800)] });
    expect(wire.keyboard(SAM)?.keys).toEqual([["Short"], [far]]);
  });

  it("O46: of a long answer the last message brings them, and with a file the file does", async () => {
    const { wire, show } = await bench();
    await show({ text: "word ".repeat(1500), keyboard: ["Why?"] });
    expect(wire.sent(SAM).map(({ brings }) => brings)).toEqual([undefined, "keyboard"]);
    await show({ key: "t:1", keyboard: ["Why?"], file: { name: "a.txt", text: "all" } });
    expect(wire.sent(SAM).at(-1)).toMatchObject({ brings: "keyboard", file: { name: "a.txt" } });
    await show({ key: "t:2", keyboard: ["And now?"] });
    expect(wire.sent(SAM).at(-1)).toMatchObject({ brings: "keyboard", text: "…" });
  });

  it("O53: the next message takes them away, the first of several, and one with buttons does not", async () => {
    const { wire, show, bodies } = await bench();
    await show({ text: "Done.", keyboard: ["Why?"] });
    await show({ key: "card/2", text: "Delete it?", rows: rowsOf("Delete"), unkeyed: true });
    expect(wire.keyboard(SAM)?.keys).toEqual([["Why?"]]);
    await show({ key: "t:1", text: "word ".repeat(1500), unkeyed: true });
    expect(wire.keyboard(SAM)).toBeUndefined();
    expect(bodies().map((body) => body["reply_markup"])).toEqual([
      { keyboard: [[{ text: "Why?" }]], one_time_keyboard: true, resize_keyboard: true },
      { inline_keyboard: [[{ text: "Delete", callback_data: "key-0" }]] },
      { remove_keyboard: true } satisfies SendMessage["reply_markup"],
      undefined,
    ]);
    await show({ key: "t:2", text: "Done.", keyboard: ["Why?"] });
    await show({ key: "t:3", text: "Again.", keyboard: ["And?"], unkeyed: true });
    expect(wire.keyboard(SAM)?.keys).toEqual([["And?"]]);
  });

  it("O46: buttons keep their place before keys, and in a shared room nobody gets a keyboard or loses one", async () => {
    const { wire, show, bodies } = await bench();
    await show({ text: "Which?", rows: rowsOf("A"), keyboard: ["B"] });
    await show({ text: "Done.", keyboard: ["Why?"] }, {}, SHARED);
    await show({ text: "Done.", unkeyed: true }, {}, SHARED);
    expect(bodies().map((body) => body["reply_markup"])).toEqual([
      { inline_keyboard: [[{ text: "A", callback_data: "key-0" }]] },
      undefined,
      undefined,
    ]);
    expect(wire.keyboard(TEAM)).toBeUndefined();
  });

  it("O53: an edit brings no keyboard and takes none away; of a message that did, it is refused as gone", async () => {
    const { wire, show, bodies } = await bench();
    await show({ text: "plain" });
    for (const more of [{ keyboard: ["Why?"] }, { unkeyed: true }] as const) {
      const [first] = await show({ text: "fixed", ...more });
      const ref = first?.is === "shown" ? first.ref : "";
      expect(await show({ text: "changed", ...more }, { edit: ref })).toMatchObject([
        { is: "refused", why: "edit-gone" },
      ]);
      expect(bodies().at(-1)).not.toHaveProperty("reply_markup");
    }
    expect(await show({ text: "changed", keyboard: ["Why?"] }, { edit: "1" })).toEqual([shown(1)]);
    expect(wire.keyboard(SAM)).toBeUndefined();
  });

  it("O47, T44: whatever is handed in, the platform takes it", async () => {
    const { wire, show } = await bench();
    const label = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.constantFrom("", "\u202E", "👩‍👩‍👧‍👦".repeat(300), "<b>x</b>", "@durov"),
    );
    const button = fc.oneof(
      fc.record({ label, press: fc.constant("key") }),
      fc.record({ label, press: fc.constant("key"), copy: label }),
      fc.record({ label, url: fc.constantFrom("https://example.com/a", "http://localhost/", "javascript:x", "") }),
    );
    const rows = fc.array(fc.array(button, { maxLength: 9 }), { maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(rows, fc.array(label, { maxLength: 3 }), fc.boolean(), async (given, keyboard, unkeyed) => {
        const more = { keyboard, ...(unkeyed ? { unkeyed } : {}) };
        const all = await show({ text: "x", rows: given, ...more });
        expect(all.every(({ is }) => is === "shown")).toBe(true);
        expect(wire.calls.at(-1)?.outcome).toBe("ok");
      }),
      { numRuns: runs(60) },
    );
  });
});

describe("a plan", () => {
  it("O57, O58, O71: is one message that is edited in place and folds to a line", async () => {
    const { wire, show, bodies } = await bench();
    const steps = (...marks: readonly string[]): string =>
      marks.map((mark, at) => `${mark} ${["Look", "Write \\*it\\*", "Send"][at]}`).join("\n");
    await show({ key: "plan/t", text: steps("✓", "▸", "·"), quiet: true });
    expect(await show({ key: "plan/t", text: steps("✓", "✓", "▸"), quiet: true }, { edit: "1" })).toEqual([shown(1)]);
    expect(await show({ key: "plan/t", text: "3 of 3 done", quiet: true }, { edit: "1" })).toEqual([shown(1)]);
    expect(bodies()).toEqual([
      { ...HEAD, text: "✓ Look\n▸ Write *it*\n· Send", disable_notification: true } satisfies SendMessage,
      { ...HEAD, message_id: 1, text: "✓ Look\n✓ Write *it*\n▸ Send" } satisfies EditMessage,
      { ...HEAD, message_id: 1, text: "<i>3 of 3 done</i>" } satisfies EditMessage,
    ]);
    expect(wire.sent(SAM)).toHaveLength(1);
  });

  it("O59, O71: one that waits has Start and Keep planning", async () => {
    const { show, bodies } = await bench();
    const rows: Button[][] = [
      [{ label: "Start", press: "key-start" }],
      [{ label: "Keep planning", press: "key-plan", opens: true }],
    ];
    await show({ text: "**Plan**\n\n1. Look\n2. Write", rows });
    expect(bodies()).toEqual([
      {
        ...HEAD,
        text: "<b>Plan</b>\n\n1. Look\n2. Write",
        reply_markup: {
          inline_keyboard: [
            [{ text: "Start", callback_data: "key-start" }],
            [{ text: "Keep planning", callback_data: "key-plan" }],
          ],
        },
      } satisfies SendMessage,
    ]);
  });
});

describe("a view", () => {
  const HOSTILE = [
    "**bold** <b>tag</b> `code` ~~gone~~",
    "@durov and [here](https://evil.example) and ![x](https://evil.example/a.png)",
    "[me](tg://user?id=1001) tg://user?id=1001",
    "\u202Eright to left\u202C \u2067שלום\u2069",
    "| a | b |\n|---|---|\n# head\n> quote",
  ];

  it("O60b, O61a, O71: rows of an agenda are text whatever they hold: no style, no mention, and no link that says something else", async () => {
    const { wire, show, bodies } = await bench();
    const rows = HOSTILE.map((title) => `- 09:00 ${escapeMarkdown(oneLine(title))}`);
    const text = ["**Today**", [...rows, "- 10:00 [Team call](https://meet.example.com/a?b=1)"].join("\n")].join(
      "\n\n",
    );
    await show({ key: "view/1", text, quiet: true });
    expect(bodies()).toEqual([
      {
        ...HEAD,
        text: [
          "<b>Today</b>",
          "",
          "• 09:00 **bold** &lt;b&gt;tag&lt;/b&gt; `code` ~~gone~~",
          // An address stays one that can be pressed, as the platform would make it one: what it says is where it leads.
          '• 09:00 @\u2060durov and [here](<a href="https://evil.example">https://evil.example</a>) and ' +
            '![x](<a href="https://evil.example/a.png">https://evil.example/a.png</a>)',
          "• 09:00 [me](tg://user?id=1001) tg://user?id=1001",
          "• 09:00 right to left שלום",
          "• 09:00 | a | b | |---|---| # head &gt; quote",
          '• 10:00 <a href="https://meet.example.com/a?b=1">Team call</a>',
        ].join("\n"),
        disable_notification: true,
      } satisfies SendMessage,
    ]);
    expect(wire.sent(SAM)[0]?.entities.flatMap((one) => (one.type === "text_link" ? [one.url] : [one.type]))).toEqual([
      "bold",
      "https://evil.example",
      "https://evil.example/a.png",
      "https://meet.example.com/a?b=1",
    ]);
  });

  it("O61b: a row's next step is a text to copy, and a longer one than Telegram copies is a press", async () => {
    const { wire, show, bodies } = await bench();
    const [short, long] = ["x".repeat(256), "x".repeat(257)];
    const rows: Button[][] = [
      [{ label: "Reply 1", press: "key-1", copy: short }],
      [{ label: "Reply 2", press: "key-2", copy: long }],
    ];
    await show({ key: "view/1", text: "Mail", rows, quiet: true });
    expect(bodies()[0]?.["reply_markup"]).toEqual({
      inline_keyboard: [
        [{ text: "Reply 1", copy_text: { text: short } }],
        [{ text: "Reply 2", callback_data: "key-2" }],
      ],
    } satisfies SendMessage["reply_markup"]);
    const many = Array.from({ length: 60 }, (_, at): Button[] => [
      { label: `Reply ${at}`, press: `key-${at}`, copy: `${at}${"é".repeat(200)}` },
    ]);
    expect(await show({ key: "view/2", text: "Mail", rows: many })).toEqual([shown(2)]);
    const kept = wire.sent(SAM)[1]?.keyboard.flat();
    expect(kept).toHaveLength(60);
    expect(kept?.[59]).toEqual({ text: "Reply 59", data: "key-59" });
  });
});

describe("an approval", () => {
  it("O71: asks with its buttons, and the whole of its arguments follows as a file", async () => {
    const { wire, show, bodies } = await bench();
    const text = "**1 · Run a command?**\n\n```\nrm -rf \\<build\\>\n```\n\nBecause of Eve on Telegram.";
    const file = { name: "arguments.txt", text: "rm -rf <build>\n".repeat(3) };
    expect(await show({ text, rows: rowsOf("Once", "Always in this chat", "No"), file })).toEqual([shown(1), shown(2)]);
    expect(bodies()[0]).toEqual({
      ...HEAD,
      text: "<b>1 · Run a command?</b>\n\n<pre>rm -rf \\&lt;build\\&gt;</pre>\n\nBecause of Eve on Telegram.",
      reply_markup: {
        inline_keyboard: [
          [{ text: "Once", callback_data: "key-0" }],
          [{ text: "Always in this chat", callback_data: "key-1" }],
          [{ text: "No", callback_data: "key-2" }],
        ],
      },
    } satisfies SendMessage);
    const [, sent] = wire.sent(SAM);
    expect(sent).toMatchObject({ silent: true, text: "", file: { kind: "document", name: "arguments.txt" } });
    expect(wire.file(sent?.file?.fileId ?? "")?.bytes.toString()).toBe(file.text);
  });
});

describe("a picture", () => {
  /** The head of a PNG, which says how large the picture is. */
  function png(width: number, height: number, bytes = 64): Buffer {
    const made = Buffer.alloc(bytes);
    made.write("89504e470d0a1a0a0000000d49484452", "hex");
    made.writeUInt32BE(width, 16);
    made.writeUInt32BE(height, 20);
    return made;
  }

  async function keep(bytes: Buffer): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "tidegate-picture-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, "p");
    await writeFile(path, bytes);
    return path;
  }

  const picture = (path: string, alt = "Sales by month"): Partial<Reply> => ({
    key: "picture/1",
    file: { name: "chart.png", path, mediaType: "image/png", alt },
  });

  it("O61d, O71: is a photo with its words below it, silent, and without a text of its own", async () => {
    const { wire, show, bodies } = await bench();
    const bytes = png(1600, 900);
    const alt = "**Sales** by <b>month & @durov\nJan: 5";
    expect(await show(picture(await keep(bytes), alt))).toEqual([shown(1)]);
    expect(bodies()[0]).toMatchObject({ caption: "**Sales** by <b>month & @\u2060durov\nJan: 5" });
    expect(bodies()[0]).not.toHaveProperty("parse_mode");
    const [sent] = wire.sent(SAM);
    expect(sent).toMatchObject({ silent: true, entities: [], file: { kind: "photo", name: "chart.png" } });
    expect(wire.file(sent?.file?.fileId ?? "")?.bytes).toEqual(bytes);
  });

  it("O61d: its words are cut to what a caption holds, and a repeat says so above them", async () => {
    const { wire, show } = await bench();
    const path = await keep(png(100, 100));
    await show(picture(path, ROCKETS.repeat(3)), { repeat: true });
    const text = wire.sent(SAM)[0]?.text ?? "";
    expect(text).toMatch(/^\(This may be a repeat\.\)\n🚀+…$/u);
    expect(text.length).toBeLessThanOrEqual(1024);
    expect(text.length).toBeGreaterThan(1020);
  });

  it("O61d: one that is too large or odd, or that the platform makes no photo of, goes as a document", async () => {
    const { wire, show } = await bench();
    const odd = [
      png(9000, 1001),
      png(2100, 100),
      png(100, 2100),
      png(0, 0),
      png(100, 100, 10 * 1024 * 1024 + 1),
      Buffer.from("not a picture"),
    ];
    for (const bytes of odd) await show(picture(await keep(bytes)));
    wire.fail("sendPhoto", { kind: "error", code: 400, description: "Bad Request: IMAGE_PROCESS_FAILED" });
    await show(picture(await keep(png(5000, 5000))));
    expect(wire.sent(SAM).map(({ file, text }) => [file?.kind, text])).toEqual(
      Array.from({ length: 7 }, () => ["document", "Sales by month"]),
    );
    expect(wire.callCount("sendPhoto")).toBe(1);
    await show(picture(await keep(png(5000, 5000))));
    expect(wire.sent(SAM).at(-1)?.file?.kind).toBe("photo");
  });

  it("O61d: of unknown outcome it is not sent a second time as a document", async () => {
    const { wire, show } = await bench();
    wire.fail("sendPhoto", { kind: "resetAfterStore" });
    expect(await show(picture(await keep(png(10, 10))))).toEqual([{ is: "unknown" }]);
    expect(wire.callCount("sendDocument")).toBe(0);
  });

  it("O61d: one that is gone is said in words, and its own words are shown in its place", async () => {
    const { wire, show } = await bench();
    const missing = await show(picture("/nowhere/at/all.png"));
    expect(missing).toEqual([{ is: "refused", why: "other", detail: "The picture is no longer there." }]);
    expect(await show(picture(tmpdir()))).toMatchObject([{ is: "refused", detail: "The picture is no file." }]);
    expect(await show(picture("/nowhere/at/all.png"), { plain: true })).toEqual([shown(1)]);
    expect(await show(picture("/nowhere/at/all.png", " "), { plain: true })).toEqual([shown(2)]);
    expect(wire.sent(SAM).map(({ text }) => text)).toEqual(["Sales by month", "chart.png"]);
  });
});

describe("what the store keeps", () => {
  it("T44, O71: a body comes back as it was, and nothing else is one", () => {
    const file = { name: "a.png", path: "/p", mediaType: "image/png", alt: "x" } as const;
    for (const reply of [
      replyOf({ text: "x", rows: [[{ label: "Copy", press: "key", copy: "words" }]] }),
      replyOf({ text: "x", keyboard: ["Why?"], file }),
      replyOf({ text: "x", unkeyed: true, quiet: true }),
    ])
      for (const { body } of piecesOf(reply)) expect(readBody(JSON.parse(JSON.stringify(body)))).toEqual(body);
    expect(readBody({ html: "x", keys: "Why?" })).toBeUndefined();
    expect(readBody({ html: "x", file: { ...file, mediaType: "text/html" } })).toBeUndefined();
  });
});

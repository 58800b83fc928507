// Cards as people see them: each goes through the gateway's own plans and the real outlets, and what a platform would get of it is read back
// by its strict reader and written down as plain text: `[button]`, `[link ↗]`, `[copied ⧉]`, `‹menu›`, `⌨ keys`, `<file>`.
import { PassThrough, Writable } from "node:stream";
import { readBody as discordBody } from "../../src/channels/discord/cards.ts";
import { discord } from "../../src/channels/discord/channel.ts";
import { modalOf } from "../../src/channels/discord/forms.ts";
import { readBody as slackBody } from "../../src/channels/slack/cards.ts";
import { slack } from "../../src/channels/slack/channel.ts";
import { formView, wordsView } from "../../src/channels/slack/forms.ts";
import { readBody as telegramBody } from "../../src/channels/telegram/cards.ts";
import { telegram } from "../../src/channels/telegram/channel.ts";
import { terminal } from "../../src/channels/terminal/channel.ts";
import type { Platform } from "../../src/core/channel.ts";
import type { Conversation, Entry, EntryBody } from "../../src/core/conversation.ts";
import type { Person, Room } from "../../src/core/message.ts";
import type { Form, Piece, ReplyFile } from "../../src/core/reply.ts";
import { Plans, type Way } from "../../src/gateway/plans.ts";
import { openStore } from "../../src/store/open.ts";
import type { Change, Store } from "../../src/store/port.ts";
import { readDiscord } from "../channels/discord-reader.ts";
import { recordedSurroundings } from "../contracts/channel.ts";
import { readComponents, shownButtons } from "../wire/discord-components.ts";
import { modalFields, readModal } from "../wire/discord-modals.ts";
import { checkBlocks, readBlocks } from "../wire/slack-blocks.ts";
import type { Loose } from "../wire/slack-elements.ts";
import { parseHtml } from "../wire/telegram-html.ts";

export const PLATFORMS = ["Telegram", "Slack", "Discord", "terminal"] as const;
export type PlatformName = (typeof PLATFORMS)[number];

/** The owner's private chat on one platform, and what stands there. */
export type Chat = {
  readonly name: PlatformName;
  readonly limits: Way["limits"];
  readonly store: Store;
  readonly conversation: Conversation;
  readonly owner: Person;
  /** Commits; what it shows is written down. */
  commit(changes: readonly Change[]): Promise<void>;
  append(...bodies: readonly EntryBody[]): Promise<void>;
  /** The first entry that is like this, now or later. */
  until(like: (entry: Entry) => boolean): Promise<Entry>;
  /** What stood there so far is not written down. */
  forget(): Promise<void>;
  /** Only the newest message is written down: it stands in the place of those before it. */
  onlyLast(): void;
  /** Done when all is written down: what a waiting turn leaves behind is not part of the picture. */
  later(task: () => Promise<void>): void;
  /** A form that a press is answered with. */
  form(form: Form): void;
  /** Words that a press is answered with, in a window or for who pressed alone. */
  beside(title: string, words: string): void;
};

const { surroundings } = recordedSurroundings();
const AT = Date.UTC(2026, 10, 30, 9, 30);
const never = new AbortController().signal;

/** What stands on a platform: a text for each message, in order, and what it was made of: `entry plan`, `card offer`, `field date` … */
export type Shown = { readonly messages: readonly string[]; readonly of: ReadonlySet<string> };

/** What a platform shows of what `make` does there. */
export async function shownOn(name: PlatformName, make: (chat: Chat) => Promise<void>): Promise<Shown> {
  await using store = await openStore({ folder: ":memory:", ...surroundings });
  const made = platformOf(name);
  const { channel, outlet } = made.platform;
  await using _ = channel;
  const { limits } = channel;
  const platform = channel.name;
  const room: Room = { platform, chat: "1001", kind: "private" };
  const owner: Person = { platform, id: "1", name: "Sam", role: "owner" };
  await store.commit([{ do: "open", id: "c", room, person: `${platform}/1`, title: "A chat", at: AT }]);
  const conversation = await store.conversations.get("c");
  if (conversation === undefined) throw new Error("The store opened no conversation.");
  const plans = new Plans(store, new Map([[platform, { outlet, limits }]]), surroundings);
  let seen = await plans.open();
  const written: string[] = [];
  const of = new Set<string>();
  const tasks: (() => Promise<void>)[] = [];
  let onlyLast = false;
  const writeDown = async (): Promise<void> => {
    for (const placed of await store.log.page(seen, 1000)) {
      seen = placed.place;
      const changes = await plans.changes([placed]);
      await store.commit(changes);
      if (changes.length > 0) for (const part of partsOf(placed.entry)) of.add(part);
      for (const change of changes)
        if (change.do === "plan")
          for (const { piece } of change.rows) written.push((await made.draw(kept(piece))).trimEnd());
    }
  };
  const chat: Chat = {
    ...{ name, limits, store, conversation, owner },
    async commit(changes) {
      const done = await store.commit(changes);
      if (!done.ok) throw new Error(`The store took none of it: ${done.because}.`);
    },
    async append(...bodies) {
      await this.commit(bodies.map((body) => ({ do: "append", conversation: "c", at: AT, body })));
    },
    async until(like) {
      for await (const batch of store.log.follow(0, never))
        for (const { entry } of batch) if (like(entry)) return entry;
      throw new Error("The log ended.");
    },
    async forget() {
      await writeDown();
      written.length = 0;
      of.clear();
    },
    onlyLast: () => void (onlyLast = true),
    later: (task) => void tasks.push(task),
    form: (form) => void written.push(...made.form(form)),
    beside(title, words) {
      if (name !== "Slack") return void written.push(`(only you see this)\n${words}`);
      const { title: head, blocks } = wordsView(title, words);
      const text = blocks
        .map((block) => ("text" in block && typeof block.text === "object" ? block.text.text : ""))
        .join("\n");
      written.push(`${head?.text ?? ""}\n${text}\n[Close]`);
    },
  };
  await make(chat);
  await writeDown();
  const messages = onlyLast ? written.slice(-1) : [...written];
  for (const task of tasks) await task();
  return { messages, of };
}

function partsOf(entry: Entry): readonly string[] {
  const parts = [`entry ${entry.kind}`];
  if (entry.kind === "viewed") parts.push(`view ${entry.view.of}`);
  if (entry.kind !== "asked") return parts;
  const { card } = entry;
  parts.push(`card ${card.kind}`);
  if (card.kind === "offer") parts.push(`target ${card.target.kind}`, `stage ${card.stage?.is ?? "open"}`);
  if (card.kind === "offer") parts.push(...card.options.map(({ act }) => `act ${act}`));
  if (card.kind === "question") parts.push(...card.fields.map(({ kind }) => `field ${kind}`));
  return parts;
}

/** As the store gives it back. */
function kept(piece: Piece): Piece {
  return { ...piece, body: JSON.parse(JSON.stringify(piece.body)) as unknown };
}

type Made = {
  readonly platform: Platform;
  readonly draw: (piece: Piece) => string | Promise<string>;
  readonly form: (form: Form) => readonly string[];
};

const NO_FORM = (): readonly string[] => [];
const NOWHERE = "http://127.0.0.1:9/";

function platformOf(name: PlatformName): Made {
  switch (name) {
    case "Telegram":
      return {
        platform: telegram({ token: "1:a", apiRoot: NOWHERE }, surroundings),
        draw: drawTelegram,
        form: NO_FORM,
      };
    case "Slack":
      return {
        platform: slack({ botToken: "xoxb-1", appToken: "xapp-1", apiUrl: NOWHERE }, surroundings),
        draw: drawSlack,
        form: slackForm,
      };
    case "Discord":
      return {
        platform: discord({ token: "MQ.a.b", apiUrl: NOWHERE, messageContent: false }, surroundings),
        draw: drawDiscord,
        form: discordForm,
      };
    case "terminal":
      return openTerminal();
  }
}

function lines(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

function buttons(row: readonly { readonly label: string; readonly mark?: string }[]): string {
  return row.map(({ label, mark }) => `[${label}${mark === undefined ? "" : ` ${mark}`}]`).join(" ");
}

function fileLine(file: ReplyFile): string {
  return "text" in file ? `<file: ${file.name}>` : `<picture: ${file.alt}>`;
}

function none(what: string): never {
  throw new Error(`${what} takes this for none of its own messages.`);
}

// ---- Telegram

function drawTelegram({ body }: Piece): string {
  const { html, keyboard = [], keys = [], file } = telegramBody(body) ?? none("Telegram");
  const rows = keyboard.map((row) =>
    buttons(row.map((key) => ({ label: key.text, ...("url" in key ? UP : "copy_text" in key ? COPIED : {}) }))),
  );
  const text = file === undefined ? parseHtml(html).text : fileLine(file);
  return lines(text, ...rows, keys.length === 0 ? "" : `⌨ ${buttons(keys.map((label) => ({ label })))}`);
}

const UP = { mark: "↗" };
const COPIED = { mark: "⧉" };

// ---- Slack

const nobody = (id: string): string => id;

function drawSlack({ body }: Piece): string {
  const { blocks, file } = slackBody(body) ?? none("Slack");
  if (file !== undefined) return fileLine(file);
  return lines(...checkBlocks(blocks, "message").map((block) => slackBlock(block as unknown as Loose)));
}

function slackBlock(block: Loose): string {
  const { text, buttons: rows, menus } = readBlocks([block], nobody);
  if (block["type"] === "input")
    return menus.map(({ label, options }) => `‹${label}: ${options.map((one) => one.label).join(" / ")}›`).join("\n");
  return lines(text, ...rows.map((row) => buttons(row.map(({ label, url }) => ({ label, ...(url ? UP : {}) })))));
}

function slackForm(form: Form): readonly string[] {
  const { title, blocks, submit, close } = formView(form, { channel: "D1" });
  const fields = checkBlocks(blocks, "modal").map((block) => {
    const { type, label, element = {}, optional, hint } = block as unknown as SlackInput;
    if (type !== "input") return readBlocks([block], nobody).text;
    const { options = [], initial_date, initial_time, initial_value } = element;
    return fieldLine({
      label: label?.text ?? "",
      kind: element.multiline === true ? "lines of text" : (SLACK_KINDS[element.type ?? ""] ?? none("Slack")),
      options: options.map(({ text }) => text.text),
      optional: optional === true,
      note: hint?.text ?? "",
      value: initial_date ?? initial_time ?? initial_value ?? "",
    });
  });
  return [lines(title.text, ...fields, buttons([submit, close].map((one) => ({ label: one?.text ?? "" }))))];
}

type Text = { readonly text: string };
type SlackInput = {
  readonly type: string;
  readonly label?: Text;
  readonly optional?: boolean;
  readonly hint?: Text;
  readonly element?: {
    readonly type?: string;
    readonly multiline?: boolean;
    readonly options?: readonly { readonly text: Text }[];
    readonly initial_date?: string;
    readonly initial_time?: string;
    readonly initial_value?: string;
  };
};

const SLACK_KINDS: Readonly<Record<string, string>> = {
  checkboxes: "tick any",
  static_select: "pick one",
  multi_static_select: "pick any",
  plain_text_input: "a line of text",
  number_input: "a number",
  datepicker: "a date",
  timepicker: "a time",
};

function fieldLine(field: {
  readonly label: string;
  readonly kind: string;
  readonly options: readonly string[];
  readonly optional: boolean;
  readonly note: string;
  readonly value: string;
}): string {
  const { label, kind, options, optional, note, value } = field;
  const what = [kind, ...(options.length > 0 ? [options.join(" / ")] : value === "" ? [] : [value])].join(": ");
  const small = [...(note === "" ? [] : [note]), ...(optional ? ["may be left empty"] : [])];
  return `${label}  ‹${what}›${small.length === 0 ? "" : `  (${small.join("; ")})`}`;
}

// ---- Discord

function drawDiscord({ body }: Piece): string {
  const { content, components, file } = discordBody(body) ?? none("Discord");
  if (file !== undefined) return fileLine(file);
  const rows = shownButtons(readComponents(components)).map((row, at) => {
    if (!row.some(({ select }) => select !== undefined))
      return buttons(row.map(({ label, url }) => ({ label, ...(url ? UP : {}) })));
    const [menu] = components?.[at]?.components ?? [];
    const placeholder = menu !== undefined && "placeholder" in menu ? (menu.placeholder ?? "") : "";
    return `‹${placeholder}: ${row.map(({ label }) => label).join(" / ")}›`;
  });
  const { text } = readDiscord(content, "minds escapes");
  return lines(text.replaceAll(/^- /gmu, "• ").replaceAll(/ \(https?:[^\s)]*\)/gu, ""), ...rows);
}

function discordForm(form: Form): readonly string[] {
  const modal = readModal(modalOf(form));
  const fields = modalFields(modal).map(
    ({ label, kind, options, required, description, placeholder, value, long, max }) =>
      fieldLine({
        ...{ label, optional: !required, value: value ?? "", options: (options ?? []).map((one) => one.label) },
        kind:
          kind === "select"
            ? max === 1
              ? "pick one"
              : "pick any"
            : long === true
              ? "lines of text"
              : "a line of text",
        note: [description ?? "", kind === "text" && placeholder !== undefined ? `like ${placeholder}` : ""]
          .filter((one) => one !== "")
          .join("; "),
      }),
  );
  return [lines(modal.title, ...fields, "[Submit] [Cancel]")];
}

// ---- terminal

function openTerminal(): Made {
  const out: string[] = [];
  const sink = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      out.push(String(chunk));
      done();
    },
  });
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(sink, { isTTY: true, columns: 100, rows: 60 });
  const platform = terminal({ input, output, color: false }, surroundings);
  const room: Room = { platform: "terminal", chat: "1001", kind: "private" };
  let shown = 0;
  return {
    platform,
    async draw(piece) {
      out.length = 0;
      shown += 1;
      const how = { plain: false, repeat: false, nonce: `n${shown}` };
      const { is } = await platform.outlet.show(room, piece, how, never);
      if (is !== "shown") throw new Error(`The terminal: ${is}.`);
      return out.join("");
    },
    form: NO_FORM,
  };
}

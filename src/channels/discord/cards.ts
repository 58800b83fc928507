// A Reply as Discord messages: its text, and its buttons below the last one. Limits: API reference, "Component Reference".
import { ButtonStyle, ComponentType } from "discord-api-types/v10";
import type {
  APIActionRowComponent,
  APIButtonComponentWithCustomId,
  APIButtonComponentWithURL,
  APIStringSelectComponent,
} from "discord.js";
import * as z from "zod";
import type { Button, Menu, Piece, Reply, ReplyFile } from "../../core/reply.ts";
import { clipUnits, oneLine } from "../../core/text.ts";
import { lineOf, placeholderOf } from "./forms.ts";
import { escapeLines } from "./inline.ts";
import { OPENS, PICKS } from "./interactions.ts";
import { PLATFORM_UNITS, renderDiscord } from "./render.ts";
import type { Note } from "./render.ts";

type Key = APIButtonComponentWithCustomId | APIButtonComponentWithURL;
/** A row of a message, ready to be sent. */
export type Row = APIActionRowComponent<Key | APIStringSelectComponent>;

export type Body = {
  readonly content: string;
  readonly components?: readonly Row[] | undefined;
  readonly silent?: true | undefined;
  /** The id of the one person who is mentioned above the content. */
  readonly calls?: string | undefined;
  /** Sent as an attachment; the content is empty then. */
  readonly file?: ReplyFile | undefined;
};

/** A person's id; nothing else may stand in a mention. */
const SNOWFLAKE = /^\d{15,21}$/u;
/** A mention and its line, of which room is kept in the first message of a card that has one. */
const MENTION_UNITS = "<@>\n".length + 21;

const row: z.ZodType<Row> = z.object({
  type: z.literal(ComponentType.ActionRow),
  components: z.array(
    z.union([
      z.object({
        type: z.literal(ComponentType.Button),
        style: z.literal(ButtonStyle.Secondary),
        label: z.string(),
        custom_id: z.string(),
      }),
      z.object({
        type: z.literal(ComponentType.Button),
        style: z.literal(ButtonStyle.Link),
        label: z.string(),
        url: z.string(),
      }),
      z.object({
        type: z.literal(ComponentType.StringSelect),
        custom_id: z.string(),
        placeholder: z.string(),
        min_values: z.number().exactOptional(),
        max_values: z.number().exactOptional(),
        options: z.array(z.object({ label: z.string(), value: z.string(), description: z.string().exactOptional() })),
      }),
    ]),
  ),
});

/** What is kept in the store of one message. `plain` lives beside it in the piece. */
const body: z.ZodType<Body> = z.object({
  content: z.string(),
  components: z.array(row).optional(),
  silent: z.literal(true).optional(),
  calls: z.string().regex(SNOWFLAKE).optional(),
  file: z
    .union([
      z.object({ name: z.string(), text: z.string() }),
      z.object({ name: z.string(), path: z.string(), mediaType: z.literal("image/png"), alt: z.string() }),
    ])
    .optional(),
});

/** The line above a message that may stand there twice; room for it is kept in every piece. */
export const REPEAT_LINE: string = "-# (This may be a repeat.)";

const MAX_ROWS = 5;
const MAX_ROW = 5;
const MAX_OPTIONS = 25;
/** Buttons with labels no longer than this, such as the numbers of a list, stand in several rows sooner than in a menu. */
const SHORT_LABEL_UNITS = 2;
const MAX_LABEL_UNITS = 80;
const MAX_OPTION_UNITS = 100;
const MAX_URL_UNITS = 512;

/** Longer notices are set as they are: a paragraph in small print is hard to read. */
const MAX_NOTICE_UNITS = 200;

/** Shown with buttons that come without any text. */
const NO_TEXT = "…";

/** Room for text: without the line above and the marks of a code block, the form that plain text takes when escapes make it too long. */
const TEXT_UNITS = PLATFORM_UNITS - REPEAT_LINE.length - "\n```\n\n```".length;

/** The platform's messages for a reply. Buttons that one message has no room for stand below further ones. */
export function piecesOf(reply: Reply): readonly Piece[] {
  const { rows, notes } = layOut(reply);
  const calls = reply.calls !== undefined && SNOWFLAKE.test(reply.calls) ? reply.calls : undefined;
  const maxUnits = TEXT_UNITS - (calls === undefined ? 0 : MENTION_UNITS);
  const rendered = renderDiscord(reply.text, { maxUnits, notes });
  const screens = chunks(rows, MAX_ROWS);
  // The first buttons stand below the text's last message.
  const missing = screens.length - Math.min(rendered.length, 1);
  const texts = [...rendered, ...Array.from({ length: missing }, () => ({ content: NO_TEXT, plain: NO_TEXT }))];
  const small = reply.quiet && rendered.length === 1;
  const pieces = texts.map(({ content, plain }, index): Piece => {
    const components = screens[index - (texts.length - screens.length)];
    const made: Body = {
      content: small && isShortLine(content, plain) ? `-# ${content}` : content,
      ...(components ? { components } : {}),
      ...(reply.quiet ? { silent: true } : {}),
      ...(index === 0 && calls !== undefined ? { calls } : {}),
    };
    return { body: made, plain };
  });
  const { file } = reply;
  if (file === undefined) return pieces;
  // Behind the text, whose first message is what later forms of this reply edit.
  const made: Body = { content: "", file, silent: true };
  return [...pieces, { body: made, plain: "text" in file ? file.text : file.alt || file.name }];
}

/** A piece's body as it came back from the store; undefined when it is none of ours. */
export function readBody(given: unknown): Body | undefined {
  const result = body.safeParse(given);
  return result.success ? result.data : undefined;
}

/** The content of a message as it is to be shown now: within Discord's limit, and no mention in it but of whom it calls. */
export function contentOf(
  body: Body,
  plain: string,
  how: { readonly plain: boolean; readonly repeat: boolean },
): string {
  const said = how.plain ? withoutMarks(plain) : body.content;
  const text = body.calls === undefined ? said : `<@${body.calls}>\n${said}`;
  return how.repeat ? `${REPEAT_LINE}\n${text}` : text;
}

function withoutMarks(plain: string): string {
  const escaped = escapeLines(plain);
  if (escaped.length <= PLATFORM_UNITS - REPEAT_LINE.length - 1) return escaped;
  return `\`\`\`\n${plain.replace(/`{3,}/g, (ticks) => "\u02CB".repeat(ticks.length))}\n\`\`\``;
}

/** Small print takes one line, and no block in it. */
function isShortLine(content: string, plain: string): boolean {
  return plain.length <= MAX_NOTICE_UNITS && !content.includes("\n") && !/^(?:[#>-] |#|\d+\. |```)/.test(content);
}

// ---- buttons

/** A button and its number in the reply, which stands for words too long for a label. */
type Entry = { readonly button: Button; readonly label: string; readonly number: number };
type Group = { readonly entries: readonly Entry[]; readonly menu: boolean };

/** Rows of buttons and menus, the reply's own menu first, and in words what has no room in them. */
function layOut({ rows: given, menu }: Reply): { rows: Row[]; notes: Note[] } {
  const above = menu === undefined || menu.options.length === 0 ? undefined : severalOf(menu);
  const most = MAX_ROWS - (above === undefined ? 0 : 1);
  let number = above === undefined ? 0 : (menu?.options.length ?? 0);
  const all = given.map((row) =>
    row.map((button): Entry => ({ button, label: lineOf(button.label), number: ++number })),
  );
  const entries = all.map((row) => row.filter(({ button }) => canPress(button)));
  let groups = entries.flatMap((row) => (wraps(row) ? inRows(row) : groupsOf(row, MAX_ROW)));
  if (groups.length > most) groups = entries.flatMap((row) => groupsOf(row, MAX_ROW));
  if (groups.length > most) groups = groupsOf(entries.flat(), 0);
  const notes = [
    ...(above?.notes ?? []),
    ...groups.flatMap((group) => group.entries.filter((entry) => isLong(entry, group.menu)).map(noteOf)),
    ...all
      .flat()
      .filter(({ button }) => !canPress(button))
      .map(noteOf),
  ];
  const menus = groups.filter(({ menu }) => menu).length;
  const rows = groups.map((group, index) => rowOf(group, index, menus));
  return { rows: above === undefined ? rows : [above.row, ...rows], notes };
}

/** A menu of which several can be picked. The platform sends what was picked as soon as the menu is closed. */
function severalOf({ press, placeholder, options }: Menu): { row: Row; notes: Note[] } {
  const notes: Note[] = [];
  const drawn = options.slice(0, MAX_OPTIONS).map((option, at) => {
    const { value } = option;
    const [whole, more] = [lineOf(option.label), oneLine(option.description ?? "")];
    const label = whole.length > MAX_OPTION_UNITS ? `${at + 1}` : whole;
    if (label !== whole) notes.push({ name: label, text: whole });
    if (more.length > MAX_OPTION_UNITS) notes.push({ name: label, text: more });
    return { label, value, ...(more === "" ? {} : { description: clipUnits(more, MAX_OPTION_UNITS, "…") }) };
  });
  const select: APIStringSelectComponent = {
    type: ComponentType.StringSelect,
    custom_id: PICKS + press,
    placeholder: placeholderOf(placeholder, true),
    min_values: 1,
    max_values: drawn.length,
    options: drawn,
  };
  return { row: { type: ComponentType.ActionRow, components: [select] }, notes };
}

/** Whether a row is too long, and of buttons so small that a second row is no loss. */
function wraps(row: readonly Entry[]): boolean {
  return row.length > MAX_ROW && row.every(({ label }) => label.length <= SHORT_LABEL_UNITS);
}

/** As few rows as there can be, none much shorter than the others. */
function inRows(row: readonly Entry[]): Group[] {
  const size = Math.ceil(row.length / Math.ceil(row.length / MAX_ROW));
  return chunks(row, size).map((entries) => ({ entries, menu: false }));
}

/** A row as it is where it fits; else what can be pressed as menus when it is more than `most`, and links by the row. */
function groupsOf(row: readonly Entry[], most: number): Group[] {
  if (row.length <= most) return row.length === 0 ? [] : [{ entries: row, menu: false }];
  const presses = row.filter(({ button }) => "press" in button);
  const links = row.filter(({ button }) => "url" in button);
  const menu = presses.length > most;
  return [
    ...chunks(presses, menu ? MAX_OPTIONS : MAX_ROW).map((entries) => ({ entries, menu })),
    ...chunks(links, MAX_ROW).map((entries) => ({ entries, menu: false })),
  ];
}

function rowOf({ entries, menu }: Group, index: number, menus: number): Row {
  if (!menu) return { type: ComponentType.ActionRow, components: entries.map(keyOf) };
  const numbers = menus > 1 ? `: ${entries[0]?.number}–${entries.at(-1)?.number}` : "";
  const select: APIStringSelectComponent = {
    type: ComponentType.StringSelect,
    custom_id: `s:${index}`,
    placeholder: `Pick one${numbers}`,
    options: entries.map((entry) => ({
      label: isLong(entry, true) ? `${entry.number}` : entry.label,
      value: idOf(entry.button),
    })),
  };
  return { type: ComponentType.ActionRow, components: [select] };
}

function keyOf(entry: Entry): Key {
  const { button } = entry;
  const label = isLong(entry, false) ? `${entry.number}` : entry.label;
  return "press" in button
    ? { type: ComponentType.Button, style: ButtonStyle.Secondary, label, custom_id: idOf(button) }
    : { type: ComponentType.Button, style: ButtonStyle.Link, label, url: button.url };
}

/** A press that is answered with a form must be known before it is answered at all. */
function idOf(button: Button): string {
  if (!("press" in button)) return "";
  return button.opens === true ? OPENS + button.press : button.press;
}

function isLong({ label }: Entry, menu: boolean): boolean {
  return label.length > (menu ? MAX_OPTION_UNITS : MAX_LABEL_UNITS);
}

/** Discord refuses the whole message for an address of another kind. */
function canPress(button: Button): boolean {
  if ("press" in button) return true;
  return button.url.length <= MAX_URL_UNITS && /^https?:\/\//i.test(button.url) && URL.canParse(button.url);
}

/** The words that a number stands for, or an address that no button can hold. */
function noteOf({ button, label, number }: Entry): Note {
  if (canPress(button)) return { name: `${number}`, text: label };
  const address = "url" in button ? oneLine(button.url) : "";
  return { name: label, text: address, url: address };
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

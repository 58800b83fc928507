// A Reply as Slack messages: a markdown block each, and its buttons in actions blocks under the last one.
import type {
  ActionsBlock,
  AnyBlock,
  Button as SlackButton,
  ContextBlock,
  InputBlock,
  PlainTextOption,
  StaticSelect,
} from "@slack/types";
import * as z from "zod";
import type { Button, Piece, Reply, ReplyFile } from "../../core/reply.ts";
import { clipGraphemes, clipUnits, escapeMarkdown, isVisible, oneLine } from "../../core/text.ts";
import { menuBlocks } from "./menu.ts";
import { NO_TEXT } from "./options.ts";
import type { Said } from "./options.ts";
import { MESSAGE, bytesOf, linkTo, renderSlack } from "./render.ts";
import type { SlackPiece, Space } from "./render.ts";
import { calm, escapeSlack } from "./words.ts";

/** What is kept in the store of one message. `plain` lives beside it in the piece. */
const body = z.object({
  text: z.string(),
  blocks: z.array(z.looseObject({ type: z.string() })),
  markdown: z.string(),
  silent: z.literal(true).optional(),
  file: z
    .union([
      z.object({ name: z.string(), text: z.string() }),
      z.object({ name: z.string(), path: z.string(), mediaType: z.literal("image/png"), alt: z.string() }),
    ])
    .optional(),
});

export type Body = {
  /** What notifications show, escaped. Far below the 4,000 bytes from which on an edit is refused. */
  readonly text: string;
  readonly blocks: readonly AnyBlock[];
  /** The whole text as standard Markdown, as the markdown block has it and a stream takes it. */
  readonly markdown: string;
  /** Of a quiet reply. Slack itself knows no silent message. */
  readonly silent?: true | undefined;
  /** Uploaded instead of the text. */
  readonly file?: ReplyFile | undefined;
};

/** The line above a message that may stand there twice. Room for it is kept in every piece. */
export const REPEAT_LINE: string = "(This may be a repeat.)";
export const REPEAT_BLOCK: ContextBlock = { type: "context", elements: [{ type: "plain_text", text: REPEAT_LINE }] };

/** docs.slack.dev: "Actions block", "Button element", "Select menu element", "Option object", "Text object". */
export const BUTTONS: {
  readonly perBlock: number;
  readonly perLine: number;
  readonly perShortLine: number;
  readonly labelUnits: number;
  readonly addressUnits: number;
  readonly options: number;
} = {
  perBlock: 25,
  /** More in a line can't be read. Ours, not Slack's. */
  perLine: 5,
  /** The same for labels of one or two signs, such as the numbers of a list. */
  perShortLine: 10,
  labelUnits: 75,
  addressUnits: 3000,
  options: 100,
};

const SHORT_LABEL_UNITS = 2;
/** An actions block around its elements, a menu around its options. */
const BLOCK_BYTES = 300;
const SECTION_UNITS = 3000;
/** What notifications show: both limits hold, since one grapheme can be long. */
const MAX_FALLBACK_GRAPHEMES = 300;
const MAX_FALLBACK_UNITS = 600;
/** Longer notices are set as they are: small grey text is hard to read. */
const MAX_NOTICE_UNITS = 200;
/** Blocks of buttons beside a text; with more of them the buttons become menus. */
const MAX_BUTTON_BLOCKS = 30;
/** Bytes of buttons beside a text; more of them stand in messages of their own. */
const MAX_BUTTON_BYTES = 10_500;
/** More of them than this and a text of several messages: the buttons get one of their own, so that the text keeps its room. */
const MAX_SIDE_BYTES = 4000;
/** For the repeat line, and for the blocks that the plain form of a text has more of. */
const RESERVED_BYTES = 600;
const PLACEHOLDER = "Choose…";

/** A person's id, which may stand behind that of their workspace. */
const PERSON = /(?:^|\/)([UW][A-Z0-9]{2,30})$/u;

/** The one person who is mentioned, above the text. */
function callOf({ calls = "" }: Reply): readonly AnyBlock[] {
  const id = PERSON.exec(calls)?.[1];
  if (id === undefined) return [];
  return [{ type: "section", text: { type: "mrkdwn", text: `<@${id}>`, verbatim: true } }];
}

export function piecesOf(reply: Reply): readonly Piece[] {
  const [first, ...rest] = piecesWithout(reply);
  const call = callOf(reply);
  const body = first === undefined || call.length === 0 ? undefined : readBody(first.body);
  if (first === undefined || body === undefined) return first === undefined ? [] : [first, ...rest];
  return [{ ...first, body: { ...body, blocks: [...call, ...body.blocks] } satisfies Body }, ...rest];
}

/** Room for a mention is within what is kept for the repeat line. */
function piecesWithout(reply: Reply): readonly Piece[] {
  const menu = reply.menu && menuBlocks(reply.menu, MAX_BUTTON_BYTES - BLOCK_BYTES);
  const { rows, said } = labelled(reply.rows, menu?.next ?? 1);
  const groups = packed([...(menu ? [menu.blocks] : []), ...blocksOf(rows).map((block) => [block])]);
  const texts = [reply.text, ...[linesOf(menu?.said ?? []), said].filter((words) => words !== "")];
  let under = groups.shift() ?? [];
  let rendered = renderSlack(texts, spaceBeside(under));
  if (rendered.length > 1 && bytesOf(under) > MAX_SIDE_BYTES) {
    groups.unshift(under);
    under = [];
    rendered = renderSlack(texts, spaceBeside(under));
  }
  if (rendered.length === 0 && under.length > 0) rendered.push({ markdown: NO_TEXT, plain: NO_TEXT });
  const isNotice = reply.quiet && rendered.length === 1;
  const pieces = rendered.map((piece, at) =>
    pieceOf(piece, at === rendered.length - 1 ? under : [], reply.quiet, isNotice),
  );
  for (const group of groups) pieces.push(pieceOf({ markdown: NO_TEXT, plain: NO_TEXT }, group, reply.quiet, false));
  const { file } = reply;
  if (file === undefined) return pieces;
  // Behind the text, whose first message is what later forms of this reply edit.
  const made: Body = { text: fallback(file.name), blocks: [], markdown: "", silent: true, file };
  return [...pieces, { body: made, plain: "text" in file ? file.text : file.alt }];
}

function spaceBeside(buttons: readonly AnyBlock[]): Space {
  return {
    bytes: MESSAGE.blocksBytes - RESERVED_BYTES - bytesOf(buttons),
    // One is the repeat line's.
    blocks: MESSAGE.blocks - 1 - buttons.length,
  };
}

/** A piece's body as it came back from the store; undefined when it is none of ours. */
export function readBody(given: unknown): Body | undefined {
  const result = body.safeParse(given);
  return result.success ? result.data : undefined;
}

/** The blocks of a piece without markup, its buttons below. */
export function plainBlocks(plain: string, of: Body): AnyBlock[] {
  const buttons = of.blocks.filter(({ type }) => type === "actions" || type === "input");
  const sections: AnyBlock[] = [];
  for (let rest = calm(plain); rest !== "";) {
    const text = clipUnits(rest, SECTION_UNITS);
    rest = rest.slice(text.length);
    if (!isVisible(text)) continue;
    const section = { type: "section", text: { type: "plain_text", text, emoji: false } };
    if (bytesOf([REPEAT_BLOCK, ...sections, section, ...buttons]) > MESSAGE.blocksBytes) break;
    sections.push(section);
  }
  return [...sections, ...buttons];
}

function pieceOf(piece: SlackPiece, under: readonly AnyBlock[], quiet: boolean, isNotice: boolean): Piece {
  const { markdown, plain, line } = piece;
  const isSmall = isNotice && line !== undefined && plain.length <= MAX_NOTICE_UNITS;
  const first: AnyBlock = isSmall
    ? { type: "context", elements: [elementOf(line)] }
    : { type: "markdown", text: markdown };
  const made: Body = {
    text: fallback(plain),
    blocks: [first, ...under],
    markdown,
    ...(quiet ? { silent: true } : {}),
  };
  return { body: made, plain };
}

function elementOf({ type, text }: NonNullable<SlackPiece["line"]>): ContextBlock["elements"][number] {
  // Verbatim: Slack then looks for no names and addresses by itself.
  return type === "plain_text" ? { type, text, emoji: false } : { type, text, verbatim: true };
}

function fallback(plain: string): string {
  const line = clipGraphemes(oneLine(plain), MAX_FALLBACK_GRAPHEMES, "…");
  return escapeSlack(clipUnits(line, MAX_FALLBACK_UNITS, "…"));
}

// ---- buttons

/**
 * The rows with labels that fit, and in Markdown what does not: the words of a label too long for a button, which then bears a
 * number, and addresses that no button takes.
 */
function labelled(given: Reply["rows"], from: number): { rows: Button[][]; said: string } {
  const lines: string[] = [];
  let number = from - 1;
  const rows = given.map((row) =>
    row.flatMap((button): Button[] => {
      const label = isVisible(button.label) ? calm(oneLine(button.label)) : NO_TEXT;
      if ("url" in button && !fitsButton(button.url)) {
        lines.push(
          `[${escapeMarkdown(label)}](<${button.url.replace(/[\s<>\\]/g, (sign) => encodeURIComponent(sign))}>)`,
        );
        return [];
      }
      if (label.length <= BUTTONS.labelUnits) return [{ ...button, label }];
      number++;
      lines.push(`**${number}.** ${escapeMarkdown(label)}`);
      return [{ ...button, label: String(number) }];
    }),
  );
  return { rows, said: lines.join("\n") };
}

/** The same of a menu's options. */
function linesOf(said: readonly Said[]): string {
  return said
    .map(({ number, label, description }) => {
      const words = escapeMarkdown(description === undefined ? label : `${label}: ${description}`);
      return number === undefined ? words : `**${number}.** ${words}`;
    })
    .join("\n");
}

function fitsButton(url: string): boolean {
  return url.length <= BUTTONS.addressUnits && linkTo(url) === url && /^http/i.test(url);
}

/** What people press or pick in. */
type Pressable = ActionsBlock | InputBlock;

/** Gives each element of one message its own id. */
type Ids = { next: number };

function blocksOf(rows: readonly (readonly Button[])[]): ActionsBlock[] {
  const ids: Ids = { next: 0 };
  const drawn = rows.flatMap((row) =>
    row.length > BUTTONS.perBlock
      ? menusOf(row, ids)
      : lines(
          row.map((button) => elementFor(button, ids)),
          row.every(({ label }) => label.length <= SHORT_LABEL_UNITS) ? BUTTONS.perShortLine : BUTTONS.perLine,
        ),
  );
  return drawn.length <= MAX_BUTTON_BLOCKS ? drawn : menusOf(rows.flat(), { next: 0 });
}

/** Menus for what is only pressed; what opens an address or a form needs a button of its own. */
function menusOf(buttons: readonly Button[], ids: Ids): ActionsBlock[] {
  const options: PlainTextOption[] = [];
  const others: SlackButton[] = [];
  for (const button of buttons) {
    if ("press" in button && button.opens !== true)
      options.push({ text: { type: "plain_text", text: button.label, emoji: false }, value: button.press });
    else others.push(elementFor(button, ids));
  }
  const menus = parts(options, BUTTONS.options, MAX_BUTTON_BYTES - BLOCK_BYTES).map((part): StaticSelect => ({
    type: "static_select",
    action_id: `s${ids.next++}`,
    placeholder: { type: "plain_text", text: PLACEHOLDER },
    options: part,
  }));
  return [
    ...menus.map((menu): ActionsBlock => ({ type: "actions", elements: [menu] })),
    ...lines(others, BUTTONS.perBlock),
  ];
}

/** The id says whether the press is to be answered with a form. */
function elementFor(button: Button, ids: Ids): SlackButton {
  const opens = "press" in button && button.opens === true;
  return {
    type: "button",
    action_id: `${opens ? "f:" : "b"}${ids.next++}`,
    text: { type: "plain_text", text: button.label, emoji: false },
    ...("press" in button ? { value: button.press } : { url: button.url }),
  };
}

function lines(elements: readonly SlackButton[], most: number): ActionsBlock[] {
  return parts(elements, most, MAX_BUTTON_BYTES - BLOCK_BYTES).map((part) => ({ type: "actions", elements: part }));
}

/** Blocks in groups that each fit beside a text; those that belong together stay so. */
function packed(blocks: readonly (readonly Pressable[])[]): Pressable[][] {
  return parts(blocks, MAX_BUTTON_BLOCKS, MAX_BUTTON_BYTES).map((group) => group.flat());
}

function parts<T>(things: readonly T[], most: number, mostBytes: number): T[][] {
  const made: T[][] = [];
  let bytes = 0;
  for (const thing of things) {
    const size = bytesOf(thing) + 1;
    const last = made.at(-1);
    if (last === undefined || last.length >= most || bytes + size > mostBytes) {
      made.push([thing]);
      bytes = size;
    } else {
      last.push(thing);
      bytes += size;
    }
  }
  return made;
}

// Markdown as Slack's `markdown` blocks take it: written anew from the parsed tree, so that nothing is half-open, nothing but our
// own marks formats and nothing in a text is taken for a mention. What that block shows (docs.slack.dev, "Markdown block"): bold,
// italics, strikethrough, links, code, fences with a language, quotes, lists, task lists, rules, tables, headings of one size,
// backslash escapes; images become links. The signs `&`, `<` and `>` are written as entities ("Formatting message text").

import { clipUnits, dropControls, isVisible } from "../../core/text.ts";
import { parseMarkdown, plainRoot } from "../../markdown/parse.ts";
import type { List, ListItem, PhrasingContent, Root, RootContent, Table } from "../../markdown/parse.ts";
import { simplify } from "../../markdown/simplify.ts";
import { splitTree } from "../../markdown/split.ts";
import { drawTable, isNarrow } from "../../markdown/tables.ts";
import { guardCode, lineOf, longestRun, markdownOf, plainOf, runsOf } from "./words.ts";
import type { Line } from "./words.ts";

/** One message's text. */
export type SlackPiece = {
  /** Standard Markdown. */
  readonly markdown: string;
  /** The same without markup; addresses stand behind their text. */
  readonly plain: string;
  /** The same for a context block, when it is one line. */
  readonly line?: Line;
};

/** What one message may hold, and what each part of it counts for. */
export const MESSAGE: {
  readonly markdownChars: number;
  readonly blocksBytes: number;
  readonly blocks: number;
  readonly headingChars: number;
  readonly tableRows: number;
  readonly tableColumns: number;
  readonly tableChars: number;
} = {
  /** All markdown blocks of a payload together (docs.slack.dev, "Markdown block"). */
  markdownChars: 12_000,
  /** All blocks as JSON. Slack answers `msg_blocks_too_long` somewhat above 13,200 characters and states no number. */
  blocksBytes: 13_000,
  /** Of those that Slack makes out of a markdown block, and all others. */
  blocks: 50,
  /** What a heading adds to the size beyond its text, as others have measured it. */
  headingChars: 100,
  /** Of the one table that a message may have (`only_one_table_allowed`; docs.slack.dev, "Table block"): 100 rows, 20 columns, 10,000 characters. */
  tableRows: 100,
  tableColumns: 20,
  tableChars: 9000,
};

/** Fixed-width columns that a desktop window shows. Our estimate. */
const CODE_COLUMNS = 70;
/** A text sign takes at most this many bytes in a block: `&amp;` five, a line break four, others three. */
const MOST_BYTES_PER_UNIT = 6;
/** A markdown block without its text. */
const BLOCK_BYTES = 40;
/** A list's number has at most nine digits (CommonMark). */
const MOST_IN_A_LIST = 999_999_999;
const RULE = "──────────";
const RULES = { left: "---", right: "--:", center: ":-:" } as const;

/** What a message has for its text: bytes of its markdown block as JSON, and blocks that Slack may make of it. */
export type Space = { readonly bytes: number; readonly blocks: number };

/**
 * The messages that show the Markdown `texts` one below the other, in order; none when there is nothing to see. Takes any text;
 * what one leaves open ends with it.
 */
export function renderSlack(texts: readonly string[], space: Space): SlackPiece[] {
  const shown = texts.map(dropControls).filter(isVisible);
  const pieces = piecesOf(shown.map(parseMarkdown), space);
  // A text that is nothing but marks ("#", an empty fence, a link's definition) shows as it was written.
  return pieces.length > 0 ? pieces : piecesOf(shown.map(plainRoot), space);
}

/** Links only where a press opens a page or a mail. */
export function linkTo(url: string): string | undefined {
  const address = url.trim().replace(/\s/g, "%20");
  return /^(?:https?:\/\/.|mailto:.)/i.test(address) ? address : undefined;
}

function piecesOf(roots: readonly Root[], space: Space): SlackPiece[] {
  const keepTable = (table: Table): boolean => (table.children[0]?.children.length ?? 0) <= MESSAGE.tableColumns;
  const tree = roots.flatMap((root) => simplify(root, { linkTo, keepTable }).children);
  const trees = byCount(tree, space).flatMap((part) =>
    splitTree(part, { measure: (piece) => sizeOf(render(piece), space), budget: space.bytes }),
  );
  return trees.flatMap((piece) => {
    const plain = drawRoot(piece, newTally(), true);
    if (!isVisible(plain)) return [];
    const page = render(piece);
    if (sizeOf(page, space) > space.bytes) return cutPlainly(plain, space);
    const [only, ...more] = piece.children;
    const line = more.length === 0 && only?.type === "paragraph" ? lineOf(runsOf(only.children)) : undefined;
    return [{ markdown: page.markdown, plain, ...(line === undefined ? {} : { line }) }];
  });
}

/**
 * Cut where one message can't hold more of what is counted by the piece and not by the sign: blocks, and tables. Splitting by
 * size would find such a place only roughly.
 */
function byCount(nodes: readonly RootContent[], space: Space): Root[] {
  const parts: RootContent[][] = [];
  let part: RootContent[] = [];
  let tally = newTally();
  for (const node of nodes) {
    const isNext = node.type === "table" && !isNarrow(node, CODE_COLUMNS) && part.some(({ type }) => type === "table");
    drawAll([node], { depth: 0, plain: false, tally });
    if (part.length > 0 && (isNext || tally.blocks > space.blocks)) {
      // A heading goes with what it stands above.
      const taken = part.length > 1 && part.at(-1)?.type === "heading" ? part.splice(-1) : [];
      parts.push(part);
      part = taken;
      tally = newTally();
      drawAll([...taken, node], { depth: 0, plain: false, tally });
    }
    part.push(node);
  }
  return [...parts, part].map((children) => ({ type: "root", children }));
}

/** For what no tree can be cut small enough for: more quote marks or headers around a grapheme than a message holds. */
function cutPlainly(text: string, space: Space): SlackPiece[] {
  const pieces: SlackPiece[] = [];
  for (let rest = text; rest !== "";) {
    const plain = clipUnits(rest, Math.max(1, Math.floor((space.bytes - BLOCK_BYTES) / MOST_BYTES_PER_UNIT)));
    rest = rest.slice(plain.length);
    if (isVisible(plain)) pieces.push({ markdown: render(plainRoot(plain)).markdown, plain: plain.trim() });
  }
  return pieces;
}

// ---- size

type Page = { readonly markdown: string; readonly tally: Tally };

/** What of a page Slack counts besides its text. */
type Tally = { blocks: number; headings: number; tables: number; rows: number; cellChars: number; inText: boolean };

function newTally(): Tally {
  return { blocks: 0, headings: 0, tables: 0, rows: 0, cellChars: 0, inText: false };
}

function render(root: Root): Page {
  const tally = newTally();
  return { markdown: drawRoot(root, tally, false), tally };
}

/** The size of a page, in such a unit that `space.bytes` is the most of each thing that Slack limits. */
function sizeOf({ markdown, tally }: Page, space: Space): number {
  // Slack counts the three signs as the entities that it keeps them as; in code they stand as they are.
  const bare = markdown.match(/[<>]|&(?!(?:amp|lt|gt);)/g)?.length ?? 0;
  const chars = markdown.length + 4 * bare + MESSAGE.headingChars * tally.headings;
  const share = Math.max(
    chars / MESSAGE.markdownChars,
    tally.blocks / space.blocks,
    tally.rows / MESSAGE.tableRows,
    tally.cellChars / MESSAGE.tableChars,
  );
  return Math.max(bytesOf({ type: "markdown", text: markdown }), Math.ceil(share * space.bytes));
}

/** Bytes of a value as JSON. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

// ---- blocks

/** Where a block stands. */
type Place = {
  /** In how many lists and quotes. */
  readonly depth: number;
  readonly plain: boolean;
  readonly tally: Tally;
};

type Drawn = {
  readonly text: string;
  /** A list's kind and its sign, so that the next one, right behind it, is not taken for its continuation. */
  readonly list?: { readonly ordered: boolean; readonly other: boolean };
  /** May follow a paragraph of the same item without an empty line between. */
  readonly close: boolean;
};

function drawRoot(root: Root, tally: Tally, plain: boolean): string {
  return joined(drawAll(root.children, { depth: 0, plain, tally }));
}

function joined(drawn: readonly Drawn[]): string {
  return drawn.map(({ text }) => text).join("\n\n");
}

function drawAll(nodes: readonly RootContent[], place: Place): Drawn[] {
  const { tally } = place;
  const drawn: Drawn[] = [];
  for (const node of nodes) {
    const next = draw(node, place, drawn.at(-1)?.list);
    if (next.length === 0) continue;
    // At the top each run of text is a block of Slack's; what is none ends the run wherever it stands.
    const isText = node.type === "paragraph" || node.type === "list" || node.type === "blockquote";
    if (place.depth === 0) {
      if (!isText || !tally.inText) tally.blocks++;
      tally.inText = isText;
    } else if (!isText) tally.blocks += 2;
    drawn.push(...next);
  }
  return drawn;
}

/** Nothing when there is nothing to see; a list whose first item began in an earlier piece is that item's text and the rest. */
function draw(node: RootContent, place: Place, before: Drawn["list"]): Drawn[] {
  if (node.type === "list") return drawList(node, place, before);
  const text = drawBlock(node, place);
  return text === "" ? [] : [{ text, close: node.type !== "paragraph" && node.type !== "table" }];
}

function drawBlock(node: RootContent, place: Place): string {
  switch (node.type) {
    case "paragraph":
      return words(node.children, place, false);
    case "heading": {
      const text = words(node.children, place, true);
      if (text === "" || place.plain) return text;
      place.tally.headings++;
      // A heading's own signs at its end would be taken for its closing.
      return `${"#".repeat(node.depth)} ${text.replace(/(?<=^|\s)#+$/, String.raw`\$&`)}`;
    }
    case "code":
      return fenced(node.value, node.lang ?? "", place);
    case "table":
      return table(node, place);
    case "blockquote": {
      const inner = joined(drawAll(node.children, { ...place, depth: place.depth + 1 }));
      return inner === "" ? "" : inner.replace(/^(?=.)/gm, "> ").replace(/^$/gm, ">");
    }
    case "thematicBreak":
      // In a list `---` behind its bullet would be one long rule.
      return place.plain ? RULE : place.depth === 0 ? "---" : "___";
    default:
      // simplify leaves no other block.
      return "";
  }
}

function words(nodes: readonly PhrasingContent[], place: Place, oneLine: boolean): string {
  const runs = runsOf(nodes, oneLine);
  const plain = plainOf(runs);
  return isVisible(plain) ? (place.plain ? plain : markdownOf(runs)) : "";
}

function fenced(text: string, language: string, place: Place): string {
  if (!isVisible(text)) return "";
  if (place.plain) return text;
  const mark = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${mark}${/^[\w+#.-]{1,40}$/.test(language) ? language : ""}\n${guardCode(text)}\n${mark}`;
}

/** The first table of a message is one. Others are drawn, those in a list or a quote, too: Slack has no table in there. */
function table(node: Table, place: Place): string {
  const { tally } = place;
  if (place.plain) return drawTable(node).trim();
  if (place.depth > 0 || tally.tables > 0) return fenced(drawTable(node), "", place);
  const rows = node.children.map((row) => row.children.map((cell) => markdownOf(runsOf(cell.children, true), true)));
  tally.tables++;
  tally.rows = Math.max(tally.rows, rows.length);
  tally.cellChars += rows.flat().reduce((sum, cell) => sum + cell.length + 1, 0);
  const rule = (rows[0] ?? []).map((_, at) => RULES[node.align?.[at] ?? "left"]);
  return rows
    .toSpliced(1, 0, rule)
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

function drawList(list: List, place: Place, before: Drawn["list"]): Drawn[] {
  const ordered = list.ordered === true;
  const [first, ...rest] = list.children;
  if (first?.data?.continued === true) {
    const text = drawAll(first.children, place);
    const more =
      rest.length === 0
        ? []
        : drawList({ ...list, start: (list.start ?? 1) + 1, children: rest }, place, { ordered, other: false });
    return [...text, ...more];
  }
  const other = before?.ordered === ordered && !before.other;
  const items = list.children.map((item, index) => {
    const number = Math.min((list.start ?? 1) + index, MOST_IN_A_LIST);
    return drawItem(item, ordered ? `${number}${other ? ")" : "."} ` : other ? "* " : "- ", place);
  });
  const isLoose = list.spread === true || list.children.some((item) => item.spread);
  const text = items.filter((item) => item !== "").join(isLoose ? "\n\n" : "\n");
  // Only a list that counts from one may interrupt a paragraph.
  return text === "" ? [] : [{ text, list: { ordered, other }, close: !ordered || (list.start ?? 1) === 1 }];
}

function drawItem(item: ListItem, marker: string, place: Place): string {
  const drawn = drawAll(item.children, { ...place, depth: place.depth + 1 });
  const body = drawn.reduce(
    (text, block, at) =>
      at === 0 ? block.text : `${text}${block.close && item.spread !== true ? "\n" : "\n\n"}${block.text}`,
    "",
  );
  if (body === "") return "";
  const box =
    typeof item.checked !== "boolean" || item.children[0]?.type !== "paragraph"
      ? ""
      : place.plain
        ? item.checked
          ? "☑ "
          : "☐ "
        : item.checked
          ? "[x] "
          : "[ ] ";
  return marker + box + body.replace(/\n(?!\n|$)/g, `\n${" ".repeat(marker.length)}`);
}

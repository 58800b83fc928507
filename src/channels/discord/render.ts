// Markdown as Discord's dialect of it, in messages that fit. A message is split as a tree and rendered piece by piece, so every
// piece is well-formed by itself. What the dialect knows (Discord's help pages "Markdown Text 101" and, for what stands in angle
// brackets, "Message Formatting" of its API reference): headings 1 to 3, small print, lists, one level of quotes, fences of three
// backticks, masked links. No tables and no images.

import { clipUnits, dropControls, isVisible } from "../../core/text.ts";
import { parseMarkdown, plainRoot } from "../../markdown/parse.ts";
import type { Code, List, ListItem, Nodes, Root, RootContent } from "../../markdown/parse.ts";
import { simplify } from "../../markdown/simplify.ts";
import { splitTree } from "../../markdown/split.ts";
import { drawTable, isNarrow } from "../../markdown/tables.ts";
import { JOINER, drawInline, escapeLines } from "./inline.ts";
import type { Hand } from "./inline.ts";

/** One message. `plain` is the same text without marks; the address of a link stands behind its text. */
export interface DiscordPiece {
  content: string;
  plain: string;
}

/** A line of plain words with its name in bold before it, or of one address. */
export interface Note {
  name: string;
  text: string;
  url?: string;
}

/** Settings of `renderDiscord`. */
export interface DiscordOptions {
  /** UTF-16 units that a piece may have in both forms; 16 to 2000. The default is 2000. */
  maxUnits?: number;
  /** Lines below it. */
  notes?: readonly Note[];
}

/** A message's content: 2,000 characters (API reference, "Create Message"); in UTF-16 units that is never too many. */
export const PLATFORM_UNITS: number = 2000;
/** Lists are drawn at most this deep; Discord itself stops at eleven, a phone sooner. */
const MAX_INDENTS = 5;
/** Fixed-width text that a phone shows without breaking the line. Our estimate: no platform states it, text sizes differ. */
const PHONE_COLUMNS = 38;
/** Addresses longer than this are no links but text, which can be cut. */
const MAX_ADDRESS_UNITS = 500;
const RULE = "──────────";
const TICKS = "```";

/**
 * The messages that show `markdown`, in order; none when there is nothing to see. Takes any text. Each piece is within
 * `maxUnits` and cut between graphemes; nothing in it loads by itself, and nothing outside code is a mention.
 */
export function renderDiscord(markdown: string, options: DiscordOptions = {}): DiscordPiece[] {
  const maxUnits = Math.min(Math.max(options.maxUnits ?? PLATFORM_UNITS, 16), PLATFORM_UNITS);
  const text = dropControls(markdown);
  const notes = notesOf(options.notes ?? []);
  if (!isVisible(text)) return piecesOf(plainRoot(""), notes, maxUnits);
  const root = parseMarkdown(text);
  const pieces = piecesOf(root, notes, maxUnits);
  const shows = notes.length === 0 ? pieces : piecesOf(root, [], maxUnits);
  // A text that is nothing but marks ("#", an empty fence, a link's definition) shows as it was written.
  return shows.length > 0 ? pieces : piecesOf(plainRoot(text), notes, maxUnits);
}

function notesOf(notes: readonly Note[]): RootContent[] {
  return notes.map(({ name, text, url }) => ({
    type: "paragraph",
    children: [
      { type: "strong", children: [{ type: "text", value: name }] },
      { type: "text", value: " " },
      url === undefined
        ? { type: "text", value: text }
        : { type: "link", url, children: [{ type: "text", value: text }] },
    ],
  }));
}

function piecesOf(root: Root, notes: readonly RootContent[], maxUnits: number): DiscordPiece[] {
  const rules = {
    linkTo: (url: string) => linkTo(url, Math.min(MAX_ADDRESS_UNITS, maxUnits / 2)),
    keepTable: (table: Parameters<typeof isNarrow>[0]) => isNarrow(table, PHONE_COLUMNS),
  };
  const tree = simplify({ type: "root", children: [...root.children, ...notes] }, rules);
  const trees = splitTree(tree, { measure: (piece) => render(piece, true).length, budget: maxUnits });
  return trees.flatMap((piece) => {
    const content = render(piece, true);
    const plain = render(piece, false);
    if (!isVisible(plain)) return [];
    return content.length <= maxUnits && plain.length <= maxUnits ? [{ content, plain }] : cutPlainly(plain, maxUnits);
  });
}

/** For what no tree can be cut small enough for: more indents or headers around a grapheme than a message holds. */
function cutPlainly(text: string, maxUnits: number): DiscordPiece[] {
  const pieces: DiscordPiece[] = [];
  for (let rest = text; rest !== "";) {
    let plain = clipUnits(rest, maxUnits);
    while (escapeLines(plain).length > maxUnits && plain.length > 1) {
      plain = clipUnits(rest, Math.floor((plain.length * maxUnits) / (escapeLines(plain).length + 1)) || 1);
    }
    rest = rest.slice(plain.length);
    // Discord takes white space from both ends of a message.
    if (isVisible(plain)) pieces.push({ content: escapeLines(plain.trim()), plain });
  }
  return pieces;
}

/** Links only where a press opens a page or a mail. */
function linkTo(url: string, maxUnits: number): string | undefined {
  const address = url.trim().replace(/\s/g, "%20");
  return /^(?:https?:\/\/.|mailto:.)/i.test(address) && address.length <= maxUnits ? address : undefined;
}

// ---- blocks

/** A line of a message. `fixed`: it takes no indent, being code or empty. */
interface Line {
  text: string;
  fixed: boolean;
}

interface Place {
  hand: Hand;
  /** How many lists this is in. */
  lists: number;
  inQuote: boolean;
}

const GAP: Line = { text: "", fixed: true };

function render(root: Root, marked: boolean): string {
  const hand = { marked, words: !hasCode(root, /_(?![A-Za-z0-9])/), masks: !hasCode(root, /\]\(/) };
  const lines = drawAll(root.children, { hand, lists: 0, inQuote: false }, true);
  return lines
    .map(({ text }) => text)
    .join("\n")
    .replace(/^\n+|\s+$/g, "");
}

/** Whether some code holds this: Discord matches a mark outside code with one inside. */
function hasCode(node: Nodes, pattern: RegExp): boolean {
  if (node.type === "code" || node.type === "inlineCode") return pattern.test(node.value);
  return "children" in node && node.children.some((child) => hasCode(child, pattern));
}

function drawAll(nodes: readonly RootContent[], place: Place, apart: boolean): Line[] {
  const lines: Line[] = [];
  let gap = false;
  for (const node of nodes) {
    const drawn = draw(node, place);
    if (drawn.length === 0) continue;
    if (gap) lines.push(GAP);
    lines.push(...drawn);
    // A heading has room below it already.
    gap = apart && !(node.type === "heading" && node.depth <= 3 && place.lists === 0);
  }
  return lines;
}

function draw(node: RootContent, place: Place): Line[] {
  switch (node.type) {
    case "paragraph":
      return linesOf(drawInline(node.children, place.hand));
    case "heading": {
      if (node.depth > 3 || place.lists > 0)
        return linesOf(drawInline([{ type: "strong", children: node.children }], place.hand));
      const title = drawInline(node.children, place.hand).replace(/\s*\n\s*/g, " ");
      if (title === "" || !place.hand.marked) return linesOf(title);
      // Like signs at a heading's beginning make it none, at its end they are taken for its closing.
      return linesOf(`${"#".repeat(node.depth)} ${title.replace(/^#/, "\\#")}${title.endsWith("#") ? JOINER : ""}`);
    }
    case "code":
      return fence(node.value, languageOf(node), place.hand);
    case "table":
      return fence(drawTable(node), "", place.hand);
    case "list":
      return node.children.flatMap((item, index) => drawItem(item, markerOf(node, index), place));
    case "blockquote": {
      const lines = drawAll(node.children, { ...place, inQuote: true }, true);
      // Quotes don't nest on Discord: what is quoted in a quote stands in the outer one.
      if (place.inQuote || !place.hand.marked) return lines;
      return lines.map(({ text }) => ({ text: `> ${text}`, fixed: false }));
    }
    case "thematicBreak":
      return linesOf(RULE);
    default:
      // simplify leaves no other block.
      return [];
  }
}

function linesOf(text: string): Line[] {
  return text === "" ? [] : text.split("\n").map((line) => ({ text: line, fixed: line === "" }));
}

/** Code as it is, but for three backticks in it, which would close it: nothing can be escaped there. */
function fence(value: string, language: string, hand: Hand): Line[] {
  if (!isVisible(value)) return [];
  const text = hand.marked ? `${TICKS}${language}\n${value.replace(/``(?=`)/g, `\`\`${JOINER}`)}\n${TICKS}` : value;
  return text.split("\n").map((line) => ({ text: line, fixed: true }));
}

function languageOf(node: Code): string {
  const language = (node.lang ?? "").replace(/^([cf])#$/i, "$1s");
  return /^[\w+.-]{1,40}$/.test(language) ? language : "";
}

function markerOf(list: List, index: number): string {
  if (list.ordered === true) return `${(list.start ?? 1) + index}. `;
  return "- ";
}

function drawItem(item: ListItem, bullet: string, place: Place): Line[] {
  const box = item.checked === true ? "☑ " : item.checked === false ? "☐ " : "";
  const marker = item.data?.continued === true ? "" : bullet;
  const indent = place.lists < MAX_INDENTS ? " ".repeat(marker.length) : "";
  const lines = drawAll(item.children, { ...place, lists: place.lists + 1 }, false);
  const [first, ...rest] = lines;
  const leads = first?.fixed === false;
  const head = marker === "" ? "" : marker + box;
  const hung = (leads ? rest : lines).map((line) => (line.fixed ? line : { text: indent + line.text, fixed: false }));
  if (leads) return [{ text: head + first.text, fixed: false }, ...hung];
  return head === "" ? hung : [{ text: head.trimEnd(), fixed: false }, ...hung];
}

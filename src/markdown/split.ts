// A tree in pieces that each fit a budget, cut where a reader would cut.
//
// The tree's text is laid out as one string (`flat`); a cut is an offset in it, a piece is a slice of the tree between two
// cuts. Styles reopen, fences keep their language, lists their numbers and tables their header because a slice copies the
// nodes around it. For each piece the channel's own measure is asked a handful of times about something of the budget's
// size, so the work grows with the text and not with its square.

import type { Nodes, Root, RootContent } from "mdast";
import { codePointStart, graphemeStart } from "../core/text.ts";

/** What a channel says about size. Any unit, as long as `measure` and `budget` share it. */
export interface Fit {
  /** The size of a piece as it would be sent. Adding to a piece should not make it smaller. */
  measure(piece: Root): number;
  budget: number;
}

interface Span {
  node: Nodes;
  start: number;
  /** Where its own text ends; `end` also counts the mark that ends a block. */
  textEnd: number;
  end: number;
  kids: Span[];
}

interface Layout {
  root: Span;
  flat: string;
  /** Ends of blocks, ascending: offset to rank. */
  blocks: { at: number; rank: 3 | 4 }[];
  /** Links and inline code, ascending: not cut while there is another way. */
  whole: { start: number; end: number }[];
}

/** Ends a block in `flat`: breaks words and graphemes, and is no newline of the text. */
const BLOCK_MARK = "\u2029";
/** Stands for a node without text of its own. */
const NODE_MARK = "\uFFFC";

/** What a cut is good for, best first, and how full a piece must be for it to be worth taking. */
const RANKS = [
  { rank: 4, minFill: 0.5 },
  { rank: 3, minFill: 0.5 },
  { rank: 2, minFill: 0.5 },
  { rank: 1, minFill: 0.25 },
] as const;

/**
 * The pieces of `root`, in order, each within `fit.budget`. A piece exceeds it only when its smallest part, one grapheme with
 * the structure around it, already does; a grapheme that does is cut between code points. Nodes are shared with `root`, which
 * is not changed. An empty tree gives no pieces.
 */
export function splitTree(root: Root, fit: Fit): Root[] {
  const layout = lay(root);
  const end = layout.flat.length;
  const pieces: Root[] = [];
  for (let from = 0; from < end;) {
    const most = reach(layout, fit, from);
    const to = most === end ? end : settle(layout, fit, from, most);
    const piece = sliceRoot(layout, from, to);
    if (piece.children.length > 0) pieces.push(piece);
    from = to;
  }
  return pieces;
}

/** The farthest offset, to within a fiftieth of the budget, up to which a piece from `from` fits; `from` when none does. */
function reach(layout: Layout, fit: Fit, from: number): number {
  const end = layout.flat.length;
  const slack = Math.floor(fit.budget / 50);
  let fits = from;
  let tooFar = end + 1;
  let guess = Math.min(end, from + fit.budget);
  for (let step = 1; tooFar - fits > 1; step++) {
    const spare = fit.budget - fit.measure(sliceRoot(layout, from, guess));
    if (spare >= 0) {
      fits = guess;
      if (fits === end || tooFar - fits <= slack) break;
    } else tooFar = guess;
    // Size follows offset closely, so the difference leads; halving now and then makes sure that it ends.
    const aimed = step % 3 === 0 && tooFar <= end ? Math.floor((fits + tooFar) / 2) : guess + (spare || 1);
    guess = Math.min(Math.max(aimed, fits + 1), tooFar - 1, end);
  }
  return fits;
}

/** The best cut after `from` and at most `most`. Checked again, since a measure need not grow evenly. */
function settle(layout: Layout, fit: Fit, from: number, most: number): number {
  for (let limit = most; limit > from;) {
    const to = bestCut(layout, from, limit);
    if (to <= from) break;
    if (fit.measure(sliceRoot(layout, from, to)) <= fit.budget) return to;
    limit = Math.min(to - 1, from + Math.floor((limit - from) / 2));
  }
  // Not one whole grapheme fits. A part that fits is better than a whole that a platform refuses.
  const part = codePointStart(layout.flat, most);
  if (part > from) return part;
  return from + ((layout.flat.codePointAt(from) ?? 0) > 0xffff ? 2 : 1);
}

function bestCut(layout: Layout, from: number, limit: number): number {
  for (const { rank, minFill } of RANKS) {
    const low = Math.max(from + 1, from + Math.ceil((limit - from) * minFill));
    const at = rank > 2 ? blockCut(layout, low, limit, rank) : textCut(layout, low, limit, rank);
    if (at > 0) return at;
  }
  const quarter = from + (limit - from) / 4;
  const opening = openingOf(layout, limit);
  if (opening < limit && opening > quarter) return graphemeStart(layout.flat, opening, from);
  // A link or code too long for that: at a word of it, if it has any.
  for (let at = limit; at > quarter; at--) if (breaksAfter(layout.flat, at - 1, 1)) return at;
  const at = graphemeStart(layout.flat, limit, from);
  // A block's text ends here with only its mark to come: take the mark along, so that no empty rest is left.
  return at < limit && layout.flat[at] === BLOCK_MARK ? at + 1 : at;
}

function blockCut(layout: Layout, low: number, limit: number, rank: number): number {
  for (let index = firstAbove(layout.blocks, limit, (block) => block.at) - 1; index >= 0; index--) {
    const block = layout.blocks[index];
    if (block === undefined || block.at < low) return -1;
    if (block.rank >= rank) return block.at;
  }
  return -1;
}

function textCut(layout: Layout, low: number, limit: number, rank: number): number {
  for (let at = limit; at >= low; at--) {
    if (!breaksAfter(layout.flat, at - 1, rank)) continue;
    // A space can carry a combining mark; then the grapheme goes on.
    if (graphemeStart(layout.flat, at, Math.max(0, at - 1)) === at && openingOf(layout, at) === at) return at;
  }
  return -1;
}

/** Rank 2: the end of a line. Rank 1: white space between words. */
function breaksAfter(flat: string, at: number, rank: number): boolean {
  const code = flat.charCodeAt(at);
  if (rank === 2) return code === 0x0a;
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x2029 || code === 0x3000;
}

/** Where the link or inline code that `at` stands inside begins; `at` itself when it stands in none. */
function openingOf(layout: Layout, at: number): number {
  const whole = layout.whole[firstAbove(layout.whole, at - 1, (range) => range.start) - 1];
  return whole !== undefined && at < whole.end ? whole.start : at;
}

/** Index of the first item whose key is above `key`; items ascend by it. */
function firstAbove<T>(items: readonly T[], key: number, keyOf: (item: T) => number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && keyOf(item) <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

// ---- laying the tree out

function lay(root: Root): Layout {
  const parts: string[] = [];
  const layout: Layout = {
    root: { node: root, start: 0, textEnd: 0, end: 0, kids: [] },
    flat: "",
    blocks: [],
    whole: [],
  };
  let at = 0;
  const write = (text: string): void => {
    parts.push(text);
    at += text.length;
  };
  const visit = (node: Nodes, depth: number, inWhole: boolean): Span => {
    const span: Span = { node, start: at, textEnd: at, end: at, kids: [] };
    const isWhole = node.type === "link" || node.type === "linkReference" || node.type === "inlineCode";
    const own = textOf(node);
    if (own !== undefined) write(own);
    else if ("children" in node) span.kids = node.children.map((kid) => visit(kid, depth + 1, inWhole || isWhole));
    span.textEnd = at;
    if (endsBlock(node)) write(BLOCK_MARK);
    span.end = at;
    // Ranges never nest: a reader's unit is the outermost link or code.
    if (isWhole && !inWhole && at > span.start) layout.whole.push({ start: span.start, end: at });
    // A title alone at the foot of a message reads badly: no good cut follows a heading.
    if (isBlock(node) && node.type !== "heading") noteBlock(layout.blocks, at, depth === 1 ? 4 : 3);
    return span;
  };
  layout.root = visit(root, 0, false);
  layout.flat = parts.join("");
  return layout;
}

function noteBlock(blocks: Layout["blocks"], at: number, rank: 3 | 4): void {
  const last = blocks.at(-1);
  if (last?.at === at) last.rank = rank;
  else blocks.push({ at, rank });
}

/** The text that a node without children shows; undefined for one with children. */
function textOf(node: Nodes): string | undefined {
  if (node.type === "definition") return "";
  if ("value" in node) return node.value;
  if (node.type === "break") return "\n";
  if ("children" in node) return node.children.length === 0 && node.type === "listItem" ? NODE_MARK : undefined;
  return NODE_MARK;
}

function isBlock(node: Nodes): boolean {
  switch (node.type) {
    case "paragraph":
    case "heading":
    case "code":
    case "list":
    case "listItem":
    case "blockquote":
    case "table":
    case "tableRow":
    case "thematicBreak":
    case "footnoteDefinition":
      return true;
    default:
      return false;
  }
}

function endsBlock(node: Nodes): boolean {
  return isBlock(node)
    ? !("children" in node) || node.type === "paragraph" || node.type === "heading"
    : node.type === "tableCell";
}

// ---- slicing it

function sliceRoot(layout: Layout, from: number, to: number): Root {
  const piece = slice(layout.root, from, to);
  return piece?.type === "root" ? piece : { type: "root", children: [] };
}

function slice(span: Span, from: number, to: number): Nodes | undefined {
  const { node, start, textEnd, kids } = span;
  if (start >= to || textEnd <= from) return undefined;
  if (from <= start && to >= textEnd) return node;
  if ("value" in node) return { ...node, value: sliceValue(span, node.value, from, to) };
  if (!("children" in node)) return from <= start ? node : undefined;

  const first = firstAbove(kids, from, (kid) => kid.end);
  if (node.type === "tableRow") {
    // Columns keep their places: what lies outside is an empty cell.
    return {
      ...node,
      children: kids.map((kid) => slice(kid, from, to) ?? { type: "tableCell", children: [] }),
    } as Nodes;
  }
  const children: Nodes[] = [];
  for (let index = first; index < kids.length; index++) {
    const kid = kids[index];
    if (kid === undefined || kid.start >= to) break;
    const part = slice(kid, from, to);
    if (part !== undefined) children.push(part);
  }
  if (children.length === 0) return undefined;
  const copy = { ...node, children: children as RootContent[] } as Nodes;
  if (copy.type === "list" && copy.ordered === true) copy.start = (copy.start ?? 1) + first;
  if (copy.type === "listItem" && start < from) copy.data = { ...copy.data, continued: true };
  const header = kids[0];
  if (copy.type === "table" && header?.node.type === "tableRow" && first > 0) copy.children.unshift(header.node);
  return copy;
}

function sliceValue(span: Span, value: string, from: number, to: number): string {
  const part = value.slice(Math.max(0, from - span.start), to - span.start);
  // The newline at which a fence was cut is drawn by its closing.
  return span.node.type === "code" && to < span.textEnd && part.endsWith("\n") ? part.slice(0, -1) : part;
}

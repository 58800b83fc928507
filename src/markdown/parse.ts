// Markdown to a tree, once. Whatever comes in, a tree comes out: text that would cost the parser seconds or its stack
// (a model can be talked into writing it) keeps its words and loses its formatting.

import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import type { Nodes, Root, RootContent } from "mdast";

export type {
  Blockquote,
  Code,
  List,
  ListItem,
  Nodes,
  PhrasingContent,
  Root,
  RootContent,
  Table,
  TableRow,
} from "mdast";

declare module "mdast" {
  interface ListItemData {
    /** This item began in an earlier piece: draw no bullet or number, its text goes on. */
    continued?: boolean;
  }
}

/** Units of text that are parsed; longer text becomes plain paragraphs. No answer worth formatting is this long. */
const MAX_PARSED_UNITS = 400_000;
/** Quote and list markers at the start of one line. The parser's cost grows with their square, its stack with their number. */
const MAX_CONTAINERS = 64;
/** Text that is read at once: answers of the usual length, and windows of longer ones. */
const WINDOW_UNITS = 8000;
/** `*`, `_` and `~` in one run of text: matching them is quadratic, 3,000 take under half a second. */
const MAX_EMPHASIS_MARKS = 3000;
/** `[` in one run of text: nested images are cubic. */
const MAX_BRACKETS = 400;

/** A line of that many markers, unless it is a rule ("- - - -"). */
const DEEP_LINE = new RegExp(
  String.raw`^(?![ \t]*([-*])(?:[ \t]*\1)+[ \t]*$)(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){${MAX_CONTAINERS},}`,
  "m",
);

// Made once: they hold no state, and making them takes a fifth of a short text's parsing.
const GFM = gfm({ singleTilde: false });
const FROM_GFM = gfmFromMarkdown();

const INLINE_OFF: ReturnType<typeof gfm> = {
  disable: {
    null: [
      "attention",
      "labelEnd",
      "labelStartImage",
      "labelStartLink",
      "strikethrough",
      "gfmFootnoteCall",
      "gfmPotentialFootnoteCall",
    ],
  },
};

/**
 * The tree of a GitHub-flavoured Markdown text. Never throws; an unclosed fence runs to the end, an unclosed `**` is text.
 * Of positions only the offset where a top block starts is meaningful. One tilde is not strikethrough: "~5 to ~10" is how people write "about".
 */
export function parseMarkdown(text: string): Root {
  if (text.length > MAX_PARSED_UNITS || DEEP_LINE.test(text)) return plainRoot(text);
  const children = readAll(text, "");
  const named = children.filter(({ type }) => type === "definition" || type === "footnoteDefinition");
  // Names must be known before their mentions are read, and a window may stand far from where a name is explained.
  if (named.length === 0 || text.length <= WINDOW_UNITS) return { type: "root", children };
  const lines = named.map(({ position }) => firstLine(text, position?.start.offset ?? 0));
  return { type: "root", children: readAll(text, `${lines.join("\n\n")}\n\n`) };
}

/** A tree that shows `text` as it is: one paragraph per run of lines. */
export function plainRoot(text: string): Root {
  const paragraphs = text.split(/\n(?:[ \t]*\n)+/).filter((part) => part.trim() !== "");
  return {
    type: "root",
    children: paragraphs.map((value) => ({ type: "paragraph", children: [{ type: "text", value }] })),
  };
}

/**
 * The blocks of a text, read window by window: the parser's cost grows with the square of the number of blocks. Blocks are
 * decided from the top down, so all but the last of a window are final; the next window starts with that last one.
 * `names` is what is to be known in each window, and left out of the result. Positions are made to count in `text`.
 */
function readAll(text: string, names: string): RootContent[] {
  const children: RootContent[] = [];
  let size = WINDOW_UNITS;
  for (let from = 0; from < text.length;) {
    const newline = text.indexOf("\n", from + size);
    const to = newline < 0 ? text.length : newline + 1;
    const blocks = readWindow(names + text.slice(from, to)).children.filter(
      ({ position }) => position === undefined || (position.start.offset ?? 0) >= names.length,
    );
    for (const { position } of blocks) {
      if (position?.start.offset !== undefined) position.start.offset += from - names.length;
    }
    const last = blocks.at(-1);
    const start = last?.position?.start;
    if (to === text.length || start?.offset === undefined) {
      children.push(...blocks);
      from = to;
      size = WINDOW_UNITS;
      continue;
    }
    // From the start of its line: an indent may be what makes it code.
    const next = start.offset - (start.column - 1);
    if (next > from) {
      children.push(...blocks.slice(0, -1));
      from = next;
      size = WINDOW_UNITS;
    } else size *= 8;
  }
  return children;
}

/** Cheap totals first: nearly every text passes them. Only a crowded one is looked at run by run, in its blocks alone. */
function readWindow(text: string): Root {
  try {
    if (!isCrowded(text)) return read(text);
    const blocks = read(text, INLINE_OFF);
    return someText(blocks, isCrowded) ? blocks : read(text);
  } catch {
    // The parser recurses on nested lists; running out of stack there is an answer about the text, not a fault of ours.
    return plainRoot(text);
  }
}

function firstLine(text: string, from: number): string {
  const end = text.indexOf("\n", from);
  return text.slice(from, end < 0 ? text.length : end);
}

function read(text: string, ...more: ReturnType<typeof gfm>[]): Root {
  return fromMarkdown(text, {
    extensions: [GFM, ...more],
    mdastExtensions: FROM_GFM,
  });
}

function isCrowded(text: string): boolean {
  let emphasis = 0;
  let brackets = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x2a || code === 0x5f || code === 0x7e) emphasis++;
    else if (code === 0x5b) brackets++;
  }
  return emphasis > MAX_EMPHASIS_MARKS || brackets > MAX_BRACKETS;
}

function someText(node: Nodes, test: (value: string) => boolean): boolean {
  if (node.type === "text") return test(node.value);
  return "children" in node && node.children.some((child) => someText(child, test));
}

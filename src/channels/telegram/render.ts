// Markdown as Telegram HTML, in messages that fit. A message is split as a tree and rendered piece by piece, so every piece
// is well-formed by itself. Telegram's rules for what may stand inside what (Bot API, "Formatting options"): bold, italic,
// strikethrough mix freely; code, pre and links hold nothing of each other; pre and code hold no style; quotes don't nest.

import { parseMarkdown, plainRoot } from "../../markdown/parse.ts";
import type { Blockquote, Code, List, ListItem, PhrasingContent, Root, RootContent } from "../../markdown/parse.ts";
import { simplify } from "../../markdown/simplify.ts";
import { splitTree } from "../../markdown/split.ts";
import { clipUnits, dropControls, isVisible } from "../../core/text.ts";
import { drawTable, isNarrow } from "../../markdown/tables.ts";

/** One message. `plain` says the same without formatting, for when Telegram refuses the HTML ("can't parse entities"). */
export interface TelegramPiece {
  /** For `parse_mode: "HTML"`. */
  html: string;
  /** Without a parse mode. Addresses of links stand behind their text where there is room. */
  plain: string;
}

/** Settings of `renderTelegram`. */
export interface TelegramOptions {
  /** UTF-16 units of text that a piece may have after Telegram has parsed it; 16 to 4096. The default is 4000. */
  maxUnits?: number;
}

/** A message's text after entity parsing: 1 to 4096 UTF-16 units (Bot API, sendMessage). */
const PLATFORM_UNITS = 4096;
/** What is left of it by default, so that a line can still be put before a piece. */
const DEFAULT_UNITS = 4000;
/** Quotes longer than this fold, so that an answer isn't hidden below them. */
const LONG_QUOTE_UNITS = 600;
/** Deeper lists stay at this indent: a phone shows some forty characters in a line. */
const MAX_INDENTS = 4;
/** Fixed-width text that a phone shows without breaking the line. Our estimate: no platform states it, text sizes differ. */
const PHONE_COLUMNS = 38;
const INDENT = "  ";
const BULLETS = ["•", "◦", "▪"] as const;
const RULE = "──────────";

/**
 * The messages that show `markdown`, in order; none when there is nothing to see. Takes any text. Each piece is within
 * `maxUnits` in both forms and cut between graphemes; nothing in it loads by itself or mentions anyone.
 */
export function renderTelegram(markdown: string, options: TelegramOptions = {}): TelegramPiece[] {
  const maxUnits = Math.min(Math.max(options.maxUnits ?? DEFAULT_UNITS, 16), PLATFORM_UNITS);
  const text = dropControls(markdown);
  if (!isVisible(text)) return [];
  const pieces = piecesOf(parseMarkdown(text), maxUnits);
  // A text that is nothing but marks ("#", an empty fence, a link's definition) shows as it was written.
  return pieces.length > 0 ? pieces : piecesOf(plainRoot(text), maxUnits);
}

/** Text for Telegram HTML, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) =>
    sign === "&" ? "&amp;" : sign === "<" ? "&lt;" : sign === ">" ? "&gt;" : "&quot;",
  );
}

function piecesOf(root: Root, maxUnits: number): TelegramPiece[] {
  const tree = simplify(root, { linkTo, keepTable: (table) => isNarrow(table, PHONE_COLUMNS) });
  const trees = splitTree(tree, { measure: (piece) => textOf(render(piece)).length, budget: maxUnits });
  return trees.flatMap((piece) => {
    const html = render(piece);
    const text = textOf(html);
    if (!isVisible(text)) return [];
    if (text.length > maxUnits) return cutPlainly(text, maxUnits);
    const withAddresses = textOf(html, true);
    return [{ html, plain: withAddresses.length <= maxUnits ? withAddresses : text }];
  });
}

/** For what no tree can be cut small enough for: more indents or headers around a grapheme than a message holds. */
function cutPlainly(text: string, maxUnits: number): TelegramPiece[] {
  const pieces: TelegramPiece[] = [];
  for (let rest = text; rest !== "";) {
    const plain = clipUnits(rest, maxUnits);
    rest = rest.slice(plain.length);
    if (isVisible(plain)) pieces.push({ html: escapeHtml(plain), plain });
  }
  return pieces;
}

/** The text that Telegram finds in HTML of ours: every sign of a text is escaped in it, so what looks like a tag is one. */
function textOf(html: string, addresses = false): string {
  const shown = addresses
    ? html.replace(/<a href="([^"]*)">([^<]*(?:<[^>]*>[^<]*)*?)<\/a>/g, (whole, href: string, label: string) => {
        const said = label.replace(/<[^>]*>/g, "").replaceAll(MENTION_BREAK, "");
        return href.endsWith(said) || href.replace(/\/$/, "").endsWith(said) ? whole : `${label} (${href})`;
      })
    : html;
  return shown
    .replace(/<[^>]*>/g, "")
    .replace(/&(lt|gt|quot|amp);/g, (_, name) =>
      name === "lt" ? "<" : name === "gt" ? ">" : name === "quot" ? '"' : "&",
    );
}

/** Links only where a press opens a page, a mail or a place in the app. `tg://user` would mention a person. */
function linkTo(url: string): string | undefined {
  const address = url.trim().replace(/\s/g, "%20");
  if (/^tg:\/*user\b/i.test(address)) return undefined;
  return /^(?:https?:\/\/.|mailto:.|tg:\/\/.)/i.test(address) ? address : undefined;
}

// ---- blocks

/** A block's HTML. One that stands alone (pre, blockquote) takes no bullet before it and no indent. */
interface Drawn {
  html: string;
  alone: boolean;
}

interface Place {
  /** How many lists this is in. */
  lists: number;
  inQuote: boolean;
}

function render(root: Root): string {
  const html = join(drawAll(root.children, { lists: 0, inQuote: false }), "\n\n");
  return html.replace(/^\n+|\s+$/g, "");
}

function drawAll(nodes: readonly RootContent[], place: Place): Drawn[] {
  return nodes.map((node) => draw(node, place)).filter((drawn) => drawn.html !== "");
}

function join(drawn: readonly Drawn[], between: string): string {
  return drawn.map((block) => block.html).join(between);
}

function draw(node: RootContent, place: Place): Drawn {
  switch (node.type) {
    case "paragraph":
      return { html: inline(node.children), alone: false };
    case "heading":
      return { html: inline([{ type: "strong", children: node.children }]), alone: false };
    case "code":
      return { html: drawCode(node), alone: true };
    case "table":
      return { html: pre(drawTable(node)), alone: true };
    case "list":
      return { html: drawList(node, place), alone: false };
    case "blockquote":
      return drawQuote(node, place);
    case "thematicBreak":
      return { html: RULE, alone: false };
    default:
      // simplify leaves no other block.
      return { html: "", alone: false };
  }
}

function pre(text: string, open = "<pre>", close = "</pre>"): string {
  return isVisible(text) ? open + escapeHtml(text) + close : "";
}

function drawCode(node: Code): string {
  const language = node.lang ?? "";
  if (!/^[\w+#.-]{1,40}$/.test(language)) return pre(node.value);
  return pre(node.value, `<pre><code class="language-${language}">`, "</code></pre>");
}

function drawQuote(node: Blockquote, place: Place): Drawn {
  const body = join(drawAll(node.children, { ...place, inQuote: true }), "\n\n").replace(/^\n+|\s+$/g, "");
  if (body === "") return { html: "", alone: false };
  // A quote in a quote: marked line by line, since it can't be an element of its own.
  if (place.inQuote) return { html: outsidePre(body, (text) => text.replace(/^/gm, "&gt; ")), alone: false };
  const folds = textOf(body).length > LONG_QUOTE_UNITS;
  return { html: `<blockquote${folds ? " expandable" : ""}>${body}</blockquote>`, alone: true };
}

function drawList(list: List, place: Place): string {
  const items = list.children.map((item, index) => {
    const bullet = list.ordered === true ? `${(list.start ?? 1) + index}.` : BULLETS[Math.min(place.lists, 2)];
    return drawItem(item, `${bullet} `, place);
  });
  return items.join(list.spread === true || list.children.some((item) => item.spread) ? "\n\n" : "\n");
}

function drawItem(item: ListItem, bullet: string, place: Place): string {
  const box = item.checked === true ? "☑ " : item.checked === false ? "☐ " : "";
  const isBullet = !/^\d/.test(bullet);
  const marker = item.data?.continued === true ? "" : box !== "" && isBullet ? box : bullet + box;
  const inner = place.lists < MAX_INDENTS ? INDENT : "";
  const drawn = drawAll(item.children, { ...place, lists: place.lists + 1 });
  const [first, ...rest] = drawn;
  const leads = first !== undefined && !first.alone;
  const lines = [leads ? marker + hang(first.html, inner) : marker.trimEnd()];
  for (const block of leads ? rest : drawn) lines.push(block.alone ? block.html : inner + hang(block.html, inner));
  return lines.filter((line) => line !== "").join(item.spread === true ? "\n\n" : "\n");
}

/** Later lines indented below the first, the lines of code excepted: there a space would be part of the code. */
function hang(html: string, inner: string): string {
  return outsidePre(html, (text) => text.replace(/\n(?!\n|$)/g, `\n${inner}`));
}

/** Applies `change` to what is in no pre and no quote. */
function outsidePre(html: string, change: (text: string) => string): string {
  if (!html.includes("<pre>") && !html.includes("<blockquote")) return change(html);
  return html
    .split(/(\n?<pre>[^]*?<\/pre>|\n?<blockquote[^]*?<\/blockquote>)/)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join("");
}

// ---- text in a block

type Style = "b" | "i" | "s";
/** A stretch of text with the elements around it, outermost first. */
interface Run {
  text: string;
  tags: string[];
}

const STYLES = { strong: "b", emphasis: "i", delete: "s" } as const satisfies Record<string, Style>;

function inline(nodes: readonly PhrasingContent[]): string {
  const runs: Run[] = [];
  for (const node of nodes) addRuns(node, "", new Set(), runs);
  let html = "";
  let open: string[] = [];
  for (const { text, tags } of trimmed(runs)) {
    let same = 0;
    while (same < open.length && open[same] === tags[same]) same++;
    html +=
      closing(open.slice(same)) +
      tags
        .slice(same)
        .map((tag) => `<${tag}>`)
        .join("") +
      escapeHtml(text);
    open = tags;
  }
  return html + closing(open);
}

function closing(tags: readonly string[]): string {
  return tags
    .map((tag) => `</${tag.split(" ", 1)[0]}>`)
    .reverse()
    .join("");
}

function addRuns(node: PhrasingContent, link: string, styles: ReadonlySet<Style>, runs: Run[]): void {
  switch (node.type) {
    case "text":
      runs.push({ text: calm(node.value), tags: tagsOf(link, styles) });
      return;
    case "break":
      runs.push({ text: "\n", tags: tagsOf(link, styles) });
      return;
    case "inlineCode":
      // A link and code can't hold each other, and a link that can't be pressed is the greater loss.
      if (link !== "") runs.push({ text: node.value, tags: tagsOf(link, styles) });
      else runs.push({ text: node.value, tags: isVisible(node.value) ? ["code"] : [] });
      return;
    case "link":
      for (const child of node.children) addRuns(child, `a href="${escapeHtml(node.url)}"`, styles, runs);
      return;
    case "strong":
    case "emphasis":
    case "delete": {
      const more = new Set(styles).add(STYLES[node.type]);
      for (const child of node.children) addRuns(child, link, more, runs);
      break;
    }
    default:
    // simplify leaves no other.
  }
}

function tagsOf(link: string, styles: ReadonlySet<Style>): string[] {
  const tags: string[] = link === "" ? [] : [link];
  for (const style of ["b", "i", "s"] as const) if (styles.has(style)) tags.push(style);
  return tags;
}

/** Without white space at the block's ends. Styles around nothing visible are no entity for Telegram: they go. */
function trimmed(runs: Run[]): Run[] {
  const first = runs.findIndex((run) => run.text.trim() !== "");
  const last = runs.findLastIndex((run) => run.text.trim() !== "");
  return runs.slice(Math.max(first, 0), last + 1).map((run, index, all) => {
    let text = run.text;
    if (index === 0) text = text.trimStart();
    if (index === all.length - 1) text = text.trimEnd();
    return { text, tags: run.text.trim() === "" && run.tags[0] === "code" ? [] : run.tags };
  });
}

/** Invisible; keeps a name from being taken for a mention. */
const MENTION_BREAK = "\u2060";

/** Text in which no `@name` notifies anyone: Telegram finds mentions by itself, and no option of a send turns that off. */
export function calm(text: string): string {
  return text.replace(/(?<![\p{L}\p{N}_])@(?=[a-z])/giu, `@${MENTION_BREAK}`);
}

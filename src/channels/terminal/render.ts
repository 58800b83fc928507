// Markdown as rows of a terminal: weights, colours, lists, aligned tables. Outside text can't carry an escape into it.
import { dropControls, graphemes, oneLine } from "../../core/text.ts";
import {
  type ListItem,
  type PhrasingContent,
  type RootContent,
  type Table,
  parseMarkdown,
} from "../../markdown/parse.ts";

/** How wide rows may be, and whether colours and weights may be used. */
export type Look = { readonly columns: number; readonly color: boolean };

/** A stretch of text with the codes that it is shown in. */
type Span = { readonly text: string; readonly codes: readonly number[] };

const BOLD = 1;
const DIM = 2;
const ITALIC = 3;
const UNDERLINED = 4;
const STRUCK = 9;
const CYAN = 36;
/** A rule across the screen is no longer than this. */
const RULE_COLUMNS = 40;
const TAB = "    ";

/** A row set apart, where weights may be used. */
export function dim(row: string, color: boolean): string {
  return paint([{ text: row, codes: [DIM] }], color);
}

/** Words set apart from answers: dim on a TTY, and as plain rows where there is no look. */
export function quietRows(text: string, look: Look | undefined): readonly string[] {
  if (look === undefined)
    return renderRows(text, { columns: Number.POSITIVE_INFINITY, color: false }).map((row) => `· ${row}`);
  return renderRows(text, { ...narrower(look, 2), color: false }).map((row) => dim(`· ${row}`, look.color));
}

/** Rows of the screen that these rows take, when each starts on a row of its own. */
export function height(rows: readonly string[], columns: number): number {
  return rows.reduce((sum, row) => sum + Math.max(1, Math.ceil(widthOf(row) / columns)), 0);
}

/** Markdown as rows. Running text is broken at words; code and addresses are left to the terminal to break. */
export function renderRows(markdown: string, look: Look): readonly string[] {
  return renderBlocks(markdown, look, true).flatMap((block) => block.rows);
}

/** An answer that grows: rows are printed once they can't change, the last ones are redrawn. Each row is printed only once. */
export class Stream {
  /** The source that needs no further look: whole blocks, all of them printed. */
  #done = "";
  /** The rows of the rest that are printed already. */
  #printed: readonly string[] = [];
  #live: readonly string[] = [];
  /** The text became another one: only its end is shown. */
  #lost = false;

  /** The text so far: rows to print now, and at most `mostLive` rows of the screen that may still change. */
  grow(
    text: string,
    look: Look,
    mostLive: number,
  ): { readonly fixed: readonly string[]; readonly live: readonly string[] } {
    const blocks = this.#rest(text, look);
    if (blocks === undefined) return { fixed: [], live: [] };
    const rows = blocks.flatMap((block) => block.rows);
    const last = blocks.at(-1);
    const whole = rows.length - (last?.rows.length ?? 0);
    const over = overflow(rows, Math.max(whole, this.#printed.length), mostLive, look.columns);
    // The rows of a table all change when a cell is the widest so far, so none is printed before its end.
    const fixedTo = Math.max(this.#printed.length, last?.table === true ? whole : over);
    const fixed = rows.slice(this.#printed.length, fixedTo);
    this.#live = rows.slice(Math.max(fixedTo, over));
    const before = blocks.at(-2);
    if (before === undefined) {
      this.#printed = rows.slice(0, fixedTo);
    } else {
      this.#done = text.slice(0, this.#done.length + before.end);
      this.#printed = rows.slice(whole, fixedTo);
    }
    return { fixed, live: this.#live };
  }

  /** Prints what may still change as it is, because something else comes after it. */
  freeze(): readonly string[] {
    const rows = this.#live;
    this.#printed = [...this.#printed, ...rows];
    this.#live = [];
    return rows;
  }

  /** The whole text: the rows of it that were not printed yet; all of them when it is not what was printed so far. */
  finish(text: string, look: Look): readonly string[] {
    const blocks = this.#rest(text, look);
    if (blocks === undefined) return ["", ...renderRows(text, look)];
    return blocks.flatMap((block) => block.rows).slice(this.#printed.length);
  }

  #rest(text: string, look: Look): readonly Rendered[] | undefined {
    if (this.#lost) return undefined;
    if (text.startsWith(this.#done)) {
      const blocks = renderBlocks(text.slice(this.#done.length), look, this.#done === "");
      const rows = blocks.flatMap((block) => block.rows);
      if (this.#printed.every((row, at) => row === rows[at])) return blocks;
    }
    this.#lost = true;
    this.#live = [];
    return undefined;
  }
}

/** A top-level block: its rows with the empty one before it, and where it ends in the source. */
type Rendered = { readonly rows: readonly string[]; readonly end: number; readonly table: boolean };

function renderBlocks(markdown: string, look: Look, first: boolean): readonly Rendered[] {
  try {
    let started = !first;
    const blocks = parseMarkdown(markdown).children.map((node) => {
      const drawn = block(node, look);
      const rows = started && drawn.length > 0 ? ["", ...drawn] : drawn;
      started ||= drawn.length > 0;
      return { rows, end: node.position?.end.offset, table: node.type === "table" };
    });
    if (blocks.every((one): one is Rendered => one.end !== undefined)) return blocks;
    // Text that the parser took as it is has no places in the source: it is one block.
    return [{ rows: blocks.flatMap((one) => one.rows), end: markdown.length, table: false }];
  } catch {
    // Nested deeper than the stack goes: the words without their form.
    return [{ rows: wrap([span(markdown, [])], look), end: markdown.length, table: false }];
  }
}

/** The first row from `start` on after which the rest fits. */
function overflow(rows: readonly string[], start: number, most: number, columns: number): number {
  let from = rows.length;
  let used = 0;
  while (from > start) {
    used += height(rows.slice(from - 1, from), columns);
    if (used > most) break;
    from -= 1;
  }
  return from;
}

function block(node: RootContent, look: Look): readonly string[] {
  switch (node.type) {
    case "paragraph":
      return wrap(inlines(node.children, []), look);
    case "heading":
      return wrap(inlines(node.children, node.depth === 1 ? [BOLD, UNDERLINED] : [BOLD]), look);
    case "code":
      return codeRows(node.value).map((row) => paint([{ text: `    ${row}`, codes: [CYAN] }], look.color));
    case "html":
      return wrap([span(node.value, [])], look);
    case "thematicBreak":
      return [dim("─".repeat(Math.min(look.columns, RULE_COLUMNS)), look.color)];
    case "blockquote": {
      const bar = dim("│ ", look.color);
      return stack(node.children, narrower(look, 2), true).map((row) => bar + row);
    }
    case "list":
      return node.children.flatMap((item, at) =>
        itemRows(item, node.ordered === true ? (node.start ?? 1) + at : undefined, look),
      );
    case "table":
      return tableRows(node, look);
    case "footnoteDefinition":
      return hang(`[${oneLine(node.identifier)}] `, stack(node.children, narrower(look, 4), false));
    default:
      return [];
  }
}

/** Blocks under each other, with empty rows between them where they stand apart. */
function stack(nodes: readonly RootContent[], look: Look, apart: boolean): readonly string[] {
  return nodes
    .map((node) => block(node, look))
    .filter((rows) => rows.length > 0)
    .flatMap((rows, at) => (apart && at > 0 ? ["", ...rows] : rows));
}

function itemRows(item: ListItem, number: number | undefined, look: Look): readonly string[] {
  const bullet = number === undefined ? "• " : `${number}. `;
  const box = item.checked === true ? "☑ " : item.checked === false ? "☐ " : "";
  const marker = number === undefined && box !== "" ? box : bullet + box;
  return hang(marker, stack(item.children, narrower(look, widthOf(marker)), false));
}

function hang(marker: string, rows: readonly string[]): readonly string[] {
  const indent = " ".repeat(widthOf(marker));
  return rows.length === 0 ? [marker.trimEnd()] : rows.map((row, at) => (at === 0 ? marker : indent) + row);
}

function codeRows(code: string): readonly string[] {
  return dropControls(code).replaceAll("\t", TAB).split("\n");
}

/** Columns side by side where they fit, else a block per row. */
function tableRows(table: Table, look: Look): readonly string[] {
  const grid = table.children.map((row) => row.children.map((cell) => oneLine(words(inlines(cell.children, [])))));
  const [head = [], ...body] = grid;
  const widths = head.map((_, at) => Math.max(1, ...grid.map((row) => widthOf(row[at] ?? ""))));
  const total = widths.reduce((sum, width) => sum + width + 2, -2);
  if (total > look.columns) {
    return body.flatMap((row, at) => [
      ...(at > 0 ? [""] : []),
      ...row.flatMap((cell, column) => {
        const name = head[column] ?? "";
        return wrap([...(name === "" ? [] : [span(`${name}: `, [BOLD])]), span(cell, [])], look);
      }),
    ]);
  }
  const drawn = grid.map((row) =>
    widths
      .map((width, at) => pad(row[at] ?? "", width, table.align?.[at] ?? "left"))
      .join("  ")
      .trimEnd(),
  );
  const line = dim(widths.map((width) => "─".repeat(width)).join("  "), look.color);
  return drawn.flatMap((row, at) => (at === 0 ? [paint([{ text: row, codes: [BOLD] }], look.color), line] : [row]));
}

function pad(text: string, width: number, align: string): string {
  const free = width - widthOf(text);
  const left = align === "right" ? free : align === "center" ? Math.floor(free / 2) : 0;
  return " ".repeat(left) + text + " ".repeat(free - left);
}

function inlines(nodes: readonly PhrasingContent[], codes: readonly number[]): readonly Span[] {
  return nodes.flatMap((node) => inline(node, codes));
}

function inline(node: PhrasingContent, codes: readonly number[]): readonly Span[] {
  switch (node.type) {
    case "text":
    case "html":
      return [span(node.value, codes)];
    case "strong":
      return inlines(node.children, [...codes, BOLD]);
    case "emphasis":
      return inlines(node.children, [...codes, ITALIC]);
    case "delete":
      return inlines(node.children, [...codes, STRUCK]);
    case "inlineCode":
      return [span(node.value, [...codes, CYAN])];
    case "break":
      return [span("\n", codes)];
    case "link": {
      const text = inlines(node.children, codes);
      const said = words(text);
      const address = oneLine(node.url);
      if (address === "" || said === address || `mailto:${said}` === address) return text;
      return said.trim() === "" ? [span(address, codes)] : [...text, span(` (${address})`, codes)];
    }
    case "image": {
      const name = oneLine(node.alt ?? "");
      return [span(name === "" ? oneLine(node.url) : `${name} (${oneLine(node.url)})`, codes)];
    }
    case "linkReference":
      return [span("[", codes), ...inlines(node.children, codes), span("]", codes)];
    case "imageReference":
      return [span(`[${oneLine(node.alt ?? node.identifier)}]`, codes)];
    case "footnoteReference":
      return [span(`[${oneLine(node.identifier)}]`, codes)];
    default:
      return [];
  }
}

function span(text: string, codes: readonly number[]): Span {
  return { text: dropControls(text).replaceAll("\t", TAB), codes };
}

function words(spans: readonly Span[]): string {
  return spans.map((one) => one.text).join("");
}

function narrower(look: Look, by: number): Look {
  return { ...look, columns: Math.max(10, look.columns - by) };
}

/** Spans as rows, broken at spaces and line breaks. A word wider than a row has a row of its own. */
function wrap(spans: readonly Span[], look: Look): readonly string[] {
  const rows: string[] = [];
  let row: Span[] = [];
  let rowWidth = 0;
  let gap: Span | undefined;
  let word: Span[] = [];
  const place = (): void => {
    if (word.length === 0) return;
    const wordWidth = widthOf(words(word));
    if (row.length > 0 && rowWidth + (gap?.text.length ?? 0) + wordWidth > look.columns) end();
    else if (gap !== undefined) row.push(gap);
    rowWidth += (row.length === 0 ? 0 : (gap?.text.length ?? 0)) + wordWidth;
    row.push(...word);
    word = [];
    gap = undefined;
  };
  const end = (): void => {
    rows.push(paint(row, look.color));
    row = [];
    rowWidth = 0;
    gap = undefined;
  };
  for (const { text, codes } of spans) {
    for (const token of text.match(/\n| +|[^\n ]+/gu) ?? []) {
      if (token === "\n") {
        place();
        end();
      } else if (token.startsWith(" ")) {
        place();
        gap = { text: token, codes };
      } else {
        word.push({ text: token, codes });
      }
    }
  }
  place();
  if (row.length > 0) end();
  return rows;
}

/** A row with its codes; each row closes what it opened. */
function paint(row: readonly Span[], color: boolean): string {
  return row
    .map(({ text, codes }) =>
      color && codes.length > 0 && text !== "" ? `\u001B[${codes.join(";")}m${text}\u001B[0m` : text,
    )
    .join("");
}

const OWN_CODES = /\u001B\[[\d;]*m/gu;
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}])|\uFE0F/u;
const NO_WIDTH = /^[\p{M}\p{Cf}]+$/u;

/** Columns that a text takes: two for wide letters and emoji, none for marks and our own codes. */
function widthOf(row: string): number {
  const text = row.replaceAll(OWN_CODES, "");
  if (/^[\u0020-\u007E]*$/u.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemes(text)) {
    if (!NO_WIDTH.test(grapheme)) width += WIDE.test(grapheme) ? 2 : 1;
  }
  return width;
}

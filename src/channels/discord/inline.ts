// Text within a block as Discord's Markdown. Discord finds marks by pattern, from left to right, and not by nesting. So every
// sign of a text is escaped, no style reaches over a line, and a mark of ours never touches another sign of its kind.

import { isVisible } from "../../core/text.ts";
import type { PhrasingContent } from "../../markdown/parse.ts";

/** How text is written. */
export type Hand = {
  /** With marks; otherwise as the plain text under them, the address of a link behind its text. */
  readonly marked: boolean;
  /** Nothing in the message can close an underscore that stands within a word, so `snake_case` needs no backslash. */
  readonly words: boolean;
  /** Nothing in the message can be taken for the end of a masked link. */
  readonly masks: boolean;
};

/** Invisible, and part of no mark: keeps two signs from being read as one. */
export const JOINER: string = "\u2060";

type Style = "**" | "*" | "~~";

const STYLES = { strong: "**", emphasis: "*", delete: "~~" } as const satisfies Record<string, Style>;
/** Which one stands outside where two end together. */
const OUTER: readonly Style[] = ["**", "*", "~~"];

/** A longer text of a link is not made one: so much is no label. */
const MAX_LABEL_UNITS = 500;

/** A stretch of one kind. `address`: an address that shows itself; `mask`: a text that links. */
type Run = {
  readonly is: "text" | "code" | "address" | "mask";
  readonly text: string;
  readonly url: string;
  readonly styles: readonly Style[];
};

/** A block's text; its lines are kept. */
export function drawInline(nodes: readonly PhrasingContent[], hand: Hand): string {
  const given: Run[] = [];
  for (const node of nodes) addRuns(node, [], hand, given);
  const runs = trimmed(given);
  return hand.marked ? write(spread(joined(runs)), hand.words) : runs.map(plainOf).join("");
}

/** Plain text as Discord's Markdown that shows exactly it. */
export function escapeLines(text: string): string {
  return text
    .split("\n")
    .map((line) => escapeText(line, true, true))
    .join("\n");
}

// ---- what stands there

function addRuns(node: PhrasingContent, styles: readonly Style[], hand: Hand, runs: Run[]): void {
  switch (node.type) {
    case "text":
      runs.push({ is: "text", text: node.value, url: "", styles });
      return;
    case "break":
      runs.push({ is: "text", text: "\n", url: "", styles });
      return;
    case "inlineCode":
      if (!isVisible(node.value) || node.value.includes("``"))
        // Discord knows one or two backticks around code, and three begin a block.
        runs.push({ is: "text", text: node.value, url: "", styles });
      // A style's mark inside code would end the style.
      else runs.push({ is: "code", text: node.value, url: "", styles: /[*~]/.test(node.value) ? [] : styles });
      return;
    case "link":
      addLink(node.children, node.url, styles, hand, runs);
      return;
    case "strong":
    case "emphasis":
    case "delete": {
      const style = STYLES[node.type];
      const more = styles.includes(style) ? styles : [...styles, style];
      for (const child of node.children) addRuns(child, more, hand, runs);
      break;
    }
    default:
    // simplify leaves no other.
  }
}

function addLink(
  children: readonly PhrasingContent[],
  url: string,
  styles: readonly Style[],
  hand: Hand,
  runs: Run[],
): void {
  const inner: Run[] = [];
  for (const child of children) addRuns(child, styles, hand, inner);
  const label = inner
    .map(({ text }) => text)
    .join("")
    .replace(/\s+/g, " ")
    .trim();
  const mail = /^mailto:/i.test(url);
  if (says(label, url)) {
    runs.push(mail ? { is: "text", text: label, url: "", styles } : { is: "address", text: label, url, styles });
    return;
  }
  if (!mail && hand.masks && canMask(label, url)) {
    const code = inner.length === 1 && inner[0]?.is === "code";
    runs.push({ is: "mask", text: code ? `\`${label}\`` : label, url, styles });
    return;
  }
  const address: Run = mail
    ? { is: "text", text: url.replace(/^mailto:/i, ""), url: "", styles }
    : { is: "address", text: url, url, styles };
  runs.push(...inner, { is: "text", text: " (", url: "", styles }, address, { is: "text", text: ")", url: "", styles });
}

/** Whether a link's text is its own address. */
function says(label: string, url: string): boolean {
  return label === "" || label === url || `${label}/` === url || `mailto:${label}` === url;
}

/**
 * Whether Discord draws this text as a link, and rightly: not when it is taken for an address or holds an emoji or a mention;
 * and a text that looks like an address must be the one it leads to. Its text knows no escapes, so none may be needed.
 */
function canMask(label: string, url: string): boolean {
  if (!isVisible(label) || label.length > MAX_LABEL_UNITS || label.includes("://") || !URL.canParse(url)) return false;
  if (/[*`[\]\\<]|~~|\|\||@(?:everyone|here)|:[\w+-]+:|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/i.test(label)) return false;
  if (/\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Cf}|\uFE0F/u.test(label)) return false;
  const { hostname } = new URL(url);
  const names = label.match(/[\p{L}\p{N}][\p{L}\p{N}-]*(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/gu) ?? [];
  return names.every((name) => name.toLowerCase() === hostname);
}

function plainOf(run: Run): string {
  if (run.is !== "mask") return run.text;
  return `${run.text.replace(/^`(.*)`$/s, "$1")} (${run.url})`;
}

// ---- in which stretches

/** Without white space at the block's ends. */
function trimmed(runs: readonly Run[]): Run[] {
  const first = runs.findIndex((run) => run.text.trim() !== "");
  const last = runs.findLastIndex((run) => run.text.trim() !== "");
  return runs.slice(Math.max(first, 0), last + 1).map((run, index, all) => {
    if (run.is !== "text") return run;
    const text = index === 0 ? run.text.trimStart() : run.text;
    return { ...run, text: index === all.length - 1 ? text.trimEnd() : text };
  });
}

/** What is escaped together must be seen together. */
function joined(runs: readonly Run[]): Run[] {
  const whole: Run[] = [];
  for (const run of runs) {
    const last = whole.at(-1);
    if (last?.is === "text" && run.is === "text" && last.styles.join() === run.styles.join())
      whole[whole.length - 1] = { ...last, text: last.text + run.text };
    else whole.push(run);
  }
  return whole;
}

/** With the white space between words of different style in stretches of its own, for no style begins or ends at one. */
function spread(runs: readonly Run[]): Run[] {
  const parts = runs.flatMap((run): Run[] => {
    if (run.is !== "text") return [run];
    const texts = run.text.split(/(\s*\n\s*|^\s+|\s+$)/).filter((text) => text !== "");
    return texts.map((text) => ({ ...run, text }));
  });
  return parts.map((part, index) => {
    if (part.is !== "text" || part.text.trim() !== "") return part;
    const before = parts[index - 1]?.styles ?? [];
    const after = parts[index + 1]?.styles ?? [];
    return { ...part, styles: part.text.includes("\n") ? [] : before.filter((style) => after.includes(style)) };
  });
}

// ---- writing it

function write(runs: readonly Run[], words: boolean): string {
  let out = "";
  let open: Style[] = [];
  let fresh = true;
  const put = (mark: string): void => {
    // An escaped backslash before a mark reads as an escape of the mark in some of the apps.
    out += (out.endsWith(mark.charAt(0)) || out.endsWith("\\") ? JOINER : "") + mark;
  };
  const leave = (count: number): void => {
    const ending = open.slice(count).reverse();
    for (const [index, style] of ending.entries()) {
      // "***" is read as the end of italics in bold.
      if (style === "**" && ending[index - 1] === "*") out += style;
      else put(style);
    }
    open = open.slice(0, count);
  };
  for (const [index, run] of runs.entries()) {
    let same = 0;
    while (same < open.length && run.styles.includes(open[same] ?? "**")) same++;
    leave(same);
    // White space goes on with the styles around it, but begins none.
    for (const style of run.text.trim() === "" ? [] : opening(runs, index, open)) {
      // And here as the beginning of both.
      if (style === "*" && open.length > same && out.endsWith("**")) out += style;
      else put(style);
      open.push(style);
    }
    const next = runs[index + 1];
    if (run.is === "text") {
      out += escapeText(run.text, fresh, words);
      fresh = run.text.trim() === "" ? fresh || run.text.includes("\n") : false;
      continue;
    }
    fresh = false;
    if (run.is === "mask") out += `[${run.text}](${encoded(run.url)})`;
    else if (run.is === "code") put(codeOf(run.text));
    else out += standsAlone(run, out, next, index + 2 >= runs.length) ? encoded(run.url) : `<${encoded(run.url)}>`;
  }
  leave(0);
  return out;
}

/** The styles that begin with a run: outside the one that goes on the longest. */
function opening(runs: readonly Run[], from: number, open: readonly Style[]): Style[] {
  const reach = (style: Style): number => {
    const end = runs.slice(from).findIndex(({ styles }) => !styles.includes(style));
    return end < 0 ? runs.length : end;
  };
  const styles = (runs[from]?.styles ?? []).filter((style) => !open.includes(style));
  if (styles.length < 2) return styles;
  return styles.sort((one, other) => reach(other) - reach(one) || OUTER.indexOf(one) - OUTER.indexOf(other));
}

function codeOf(value: string): string {
  if (!value.includes("`")) return `\`${value}\``;
  return `\`\`${/^ *`/.test(value) ? " " : ""}${value}${/` *$/.test(value) ? " " : ""}\`\``;
}

/** Whether Discord finds just this address without angle brackets around it: white space, or one sign of a sentence, ends it. */
function standsAlone(run: Run, before: string, next: Run | undefined, isLast: boolean): boolean {
  if (run.styles.length > 0 || !/(?:^|[\s(])$/.test(before)) return false;
  if (!/^https?:\/\/[^\s<>()[\]*~|`\\"']+[A-Za-z0-9/]$/.test(encoded(run.url))) return false;
  if (next === undefined) return true;
  return next.is === "text" && (/^[.,;]?\s/.test(next.text) || (isLast && /^[.,;]$/.test(next.text)));
}

/** An address in which no sign means anything to Discord's Markdown. */
function encoded(url: string): string {
  return url
    .replace(/[\s<>()[\]*~|`\\"']/gu, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`)
    .replace(/_(?![A-Za-z0-9])/g, "%5F")
    .replace(/@(?=everyone|here)/gi, "%40");
}

const SIGNS = /<[@#](?=[!&\d])|<|@(?=everyone|here)|\]\(|:(?=\/\/|[\d_+-]{0,64}[a-z][\w+-]{0,64}:)|[\\*_`~|[\]]/gi;

/** What begins a heading, small print, a quote or a list. */
const LINE_START = /^(\s*)(?:(#(?=#{0,2}(?:\s|$))|>|[-+](?=[\s#]|$))|(\d+)\.(?=\s|$))/;

/**
 * `fresh`: nothing of its line stands before it. The token of a ping is taken apart and not only escaped: the server looks for
 * the letters and does not mind a backslash before them.
 */
function escapeText(text: string, fresh: boolean, words: boolean): string {
  const escaped = text.replace(SIGNS, (sign, at: number) => {
    if (sign === "@") return `@${JOINER}`;
    if (sign === "_" && words && /^[A-Za-z0-9]_[A-Za-z0-9]$/.test(text.slice(Math.max(0, at - 1), at + 2))) return sign;
    return sign.replace(/./g, String.raw`\$&`);
  });
  if (!fresh) return escaped;
  return escaped.replace(LINE_START, (_, space: string, sign: string | undefined, digits: string | undefined) =>
    sign === undefined ? `${space}${digits ?? ""}\\.` : `${space}\\${sign}`,
  );
}

// What a person reads of Slack's two dialects, and whom a text notifies. mrkdwn knows <@U…>, <#C…>,
// <!…>, <url|label> and three entities; `markdown` blocks take standard Markdown, in which the same
// angle brackets notify unless they are escaped or stand in code.
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import type { Nodes, Parents } from "mdast";
import { gfm } from "micromark-extension-gfm";

/** A name for an id, to read mentions by. */
export type NameOf = (id: string) => string;

/** `&`, `<` and `>` as the platform wants them. */
export function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export function unescapeText(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

const control = /<([@#!]?)([^<>]*)>/g;

/** A control sequence as it is read. */
function readControl(kind: string, inside: string, nameOf: NameOf): string {
  const [target = "", label] = inside.split("|", 2);
  if (kind === "@") return `@${label ?? nameOf(target)}`;
  if (kind === "#") return `#${label ?? nameOf(target)}`;
  if (kind === "!") return label ?? `@${target.replace(/^subteam\^/, "")}`;
  return label ?? target.replace(/^mailto:/, "");
}

/** mrkdwn as a person reads it: marks of emphasis gone, code as it is. */
export function readMrkdwn(source: string, nameOf: NameOf): string {
  // Code is taken out first: nothing in it is a mark.
  return source
    .split(/(```[\s\S]*?```|`[^`\n]+`)/)
    .map((part, index) => {
      const inCode = index % 2 === 1;
      const bare = inCode ? part.replace(/^`{1,3}\n?/, "").replace(/\n?`{1,3}$/, "") : withoutEmphasis(part);
      return bare.replace(control, (_all, kind: string, inside: string) => readControl(kind, inside, nameOf));
    })
    .map(unescapeText)
    .join("");
}

function withoutEmphasis(text: string): string {
  let shown = text.replace(/^&gt; ?/gm, "");
  for (const mark of ["\\*", "_", "~"]) {
    const pair = new RegExp(
      `(^|[^\\p{L}\\p{N}${mark}])${mark}(?=\\S)([^${mark}\\n]*\\S)${mark}(?![\\p{L}\\p{N}])`,
      "gu",
    );
    shown = shown.replace(pair, "$1$2");
  }
  return shown;
}

/** Whom mrkdwn notifies: ids of people and groups, `channel`, `here`, `everyone`. */
export function pingsOfMrkdwn(source: string): string[] {
  const found: string[] = [];
  for (const [, kind, inside = ""] of source.matchAll(control)) {
    const [target = ""] = inside.split("|", 1);
    if (kind === "@" && /^[UW][A-Z0-9]+$/.test(target)) found.push(target);
    if (kind === "!" && /^(channel|here|everyone)$/.test(target)) found.push(target);
    if (kind === "!" && /^subteam\^S[A-Z0-9]+$/.test(target)) found.push(target.slice("subteam^".length));
  }
  return found;
}

/** Bare words that notify only when the call asks for it (`link_names`, `parse: full`). */
export function pingsOfBareNames(source: string): string[] {
  return Array.from(source.matchAll(/(?:^|[^\p{L}\p{N}@])@(channel|here|everyone)\b/gu), ([, name = ""]) => name);
}

export interface ReadMarkdown {
  text: string;
  pings: string[];
}

/** Standard Markdown as a person reads it, and whom it notifies. */
export function readMarkdown(source: string, nameOf: NameOf): ReadMarkdown {
  const tree = fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const pings: string[] = [];
  collectPings(tree, source, pings);
  return { text: blockText(tree, { source, nameOf }, "\n\n"), pings };
}

/** Angle brackets as written, across any marks between them: a backslash, an entity or code keeps them from being a mention. */
function collectPings(node: Nodes, source: string, found: string[]): void {
  switch (node.type) {
    case "code":
      return;
    case "html":
    case "paragraph":
    case "heading":
    case "tableCell":
      found.push(...pingsOfMrkdwn(written(node, source)));
      return;
    default:
      if ("children" in node) for (const child of node.children) collectPings(child, source, found);
  }
}

interface Reader {
  source: string;
  nameOf: NameOf;
}

/** How a node was written, without its code and without what a backslash takes the meaning from. */
function written(node: Nodes, source: string): string {
  const from = node.position?.start.offset ?? 0;
  let text = source.slice(from, node.position?.end.offset ?? from);
  for (const code of codeIn(node).toReversed()) {
    const start = (code.position?.start.offset ?? from) - from;
    const end = (code.position?.end.offset ?? from) - from;
    text = `${text.slice(0, start)} ${text.slice(end)}`;
  }
  // Pairs from the left: a backslash before a backslash leaves what follows its meaning.
  return text.replaceAll(/\\([\s\S])/g, (all, char: string) => ("<>@!|".includes(char) ? "" : all));
}

function codeIn(node: Nodes): Nodes[] {
  if (node.type === "inlineCode") return [node];
  return "children" in node ? node.children.flatMap(codeIn) : [];
}

/** Only brackets that were written as such are control sequences; escaped ones are read as they are. */
function readWritten(node: Nodes, value: string, by: Reader): string {
  const live = new Set(Array.from(written(node, by.source).matchAll(control), ([all]) => all));
  return value.replace(control, (all, kind: string, inside: string) =>
    kind !== "" && live.has(all) ? readControl(kind, inside, by.nameOf) : all,
  );
}

function blockText(node: Parents, by: Reader, between: string): string {
  return node.children
    .map((child) => textOf(child, by))
    .filter((text) => text !== "")
    .join(between);
}

function inlineText(node: Parents, by: Reader): string {
  return node.children.map((child) => textOf(child, by)).join("");
}

function textOf(node: Nodes, by: Reader): string {
  switch (node.type) {
    case "text":
      return readWritten(node, node.value, by);
    case "inlineCode":
    case "code":
      return node.value;
    case "html":
      return readWritten(node, node.value, by);
    case "break":
      return "\n";
    case "thematicBreak":
      return "———";
    case "image":
      return node.alt ?? node.url;
    case "root":
    case "blockquote":
      return blockText(node, by, "\n\n");
    case "list":
      return node.children
        .map((item, index) => {
          const mark = node.ordered ? `${(node.start ?? 1) + index}.` : "•";
          const box = item.checked === true ? "[x] " : item.checked === false ? "[ ] " : "";
          return `${mark} ${box}${blockText(item, by, node.spread || item.spread ? "\n\n" : "\n").replaceAll("\n", "\n  ")}`;
        })
        .join(node.spread ? "\n\n" : "\n");
    case "table":
      return node.children.map((row) => row.children.map((cell) => inlineText(cell, by)).join(" | ")).join("\n");
    case "paragraph":
    case "heading":
    case "emphasis":
    case "strong":
    case "delete":
    case "link":
      return inlineText(node, by);
    default:
      return "children" in node ? inlineText(node, by) : "";
  }
}

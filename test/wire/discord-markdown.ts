// What a person reads of a Discord message: its own Markdown dialect with the markers gone, and the
// mentions in it. Bold, italics, underline, strike, spoilers, code, fences, headings 1–3, `-#`,
// lists, quotes, masked links, and <@…>, <#…>, <@&…>, <:…:…>, <t:…>. Tables and images are none.

/** What the ids in a text are called. */
export interface Names {
  user(id: string): string | undefined;
  role(id: string): string | undefined;
  channel(id: string): string | undefined;
}

export interface FoundMentions {
  users: string[];
  roles: string[];
  everyone: boolean;
  here: boolean;
}

/** A text without any marker, as it reads on the screen. */
export function readMarkdown(source: string, names: Names): string {
  return blocks(source, names, false);
}

/** True when every line of a text is the small grey print (`-#`). */
export function isSmall(source: string): boolean {
  const lines = source.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 0 && lines.every((line) => /^-#\s+\S/.test(line));
}

// Code never mentions anyone; a backslash is no protection, as the server looks for ids only.
const code = /```[\s\S]*?```|(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g;

export function findMentions(source: string): FoundMentions {
  const text = source.replaceAll(code, " ");
  const ids = (pattern: RegExp): string[] => [
    ...new Set(Array.from(text.matchAll(pattern), (match) => match[1] ?? "")),
  ];
  return {
    users: ids(/<@!?(\d+)>/g),
    roles: ids(/<@&(\d+)>/g),
    everyone: /@everyone/.test(text),
    here: /@here/.test(text),
  };
}

const fence = /^```(?:([a-z0-9_+\-.#]+)\n)?\n*([^\n][\s\S]*?)\n*```/i;

/** Line by line; `quoted` says that the text stands in a quote already, where no other may begin. */
function blocks(source: string, names: Names, quoted: boolean): string {
  const out: string[] = [];
  let rest = source;
  let pending = "";
  const flush = (): void => {
    if (pending === "") return;
    out.push(inline(pending, names));
    pending = "";
  };
  let lineStart = true;
  while (rest !== "") {
    const block = fence.exec(rest);
    if (block) {
      flush();
      // The box stands on lines of its own.
      if (out.length > 0 && !out.at(-1)?.endsWith("\n")) out.push("\n");
      out.push(block[2] ?? "");
      rest = rest.slice(block[0].length);
      if (rest !== "" && !rest.startsWith("\n")) out.push("\n");
      lineStart = false;
      continue;
    }
    if (lineStart) {
      const taken = lineBlock(rest, names, quoted);
      if (taken) {
        flush();
        out.push(taken.text);
        rest = rest.slice(taken.length);
        continue;
      }
    }
    const step = plainStep(rest);
    pending += rest.slice(0, step);
    lineStart = rest[step - 1] === "\n";
    rest = rest.slice(step);
  }
  flush();
  return out.join("");
}

/** Up to the next line's begin or the next fence; inline code with a fence's marks in it is taken whole. */
function plainStep(rest: string): number {
  const newline = rest.indexOf("\n");
  const line = newline === -1 ? rest.length : newline + 1;
  const ticks = rest.indexOf("```", 1);
  return ticks === -1 ? line : Math.min(line, ticks);
}

interface Taken {
  text: string;
  length: number;
}

function lineBlock(rest: string, names: Names, quoted: boolean): Taken | undefined {
  if (!quoted) {
    const all = /^ *>>> ([\s\S]*)/.exec(rest);
    if (all) return { text: blocks(all[1] ?? "", names, true), length: rest.length };
    const some = /^(?: *> [^\n]*(?:\n|$))+/.exec(rest);
    if (some) {
      const inner = some[0].replaceAll(/^ *> /gm, "");
      return { text: blocks(inner, names, true), length: some[0].length };
    }
  }
  const heading = /^ {0,3}#{1,3}\s+([^\n]+)/.exec(rest) ?? /^-#\s+([^\n]+)/.exec(rest);
  if (heading) return { text: inline(heading[1] ?? "", names), length: heading[0].length };
  const item = /^( *)[*-] +(?=\S)/.exec(rest);
  // What follows the bullet is read as the line that it is.
  if (item) return { text: `${item[1] ?? ""}• `, length: item[0].length };
  return undefined;
}

type Rule = [pattern: RegExp, read: (match: RegExpExecArray, names: Names) => string];

const inside = (match: RegExpExecArray, names: Names): string =>
  inline(match.slice(1).find((group) => group !== undefined) ?? "", names);

// In the order in which the apps try them at each place.
const rules: Rule[] = [
  [/^\\([^0-9A-Za-z\s])/, (match) => match[1] ?? ""],
  [/^(`+)(?!`)([\s\S]*?[^`])\1(?!`)/, (match) => codeText(match[2] ?? "")],
  [/^<@!?(\d+)>/, (match, names) => `@${names.user(match[1] ?? "") ?? "unknown-user"}`],
  [/^<@&(\d+)>/, (match, names) => `@${names.role(match[1] ?? "") ?? "unknown-role"}`],
  [/^<#(\d+)>/, (match, names) => `#${names.channel(match[1] ?? "") ?? "unknown"}`],
  [/^<a?:(\w+):\d+>/, (match) => `:${match[1] ?? ""}:`],
  [/^<t:(-?\d+)(?::[tTdDfFRsS])?>/, (match) => new Date(Number(match[1]) * 1000).toISOString()],
  [/^<((?:https?|discord):\/\/[^\s<>]+|mailto:[^\s<>]+)>/i, (match) => match[1] ?? ""],
  [/^\[((?:\\.|[^[\]\\]|\[[^\]]*\])+)\]\(\s*<?(?:https?|discord):\/\/[^\s<>]+?>?(?:\s+"[^"]*")?\s*\)/i, inside],
  // A bare address is taken as it stands: nothing in it is a marker.
  [/^https?:\/\/[^\s<]*[^\s<.,:;"')\]*_~|]/i, (match) => match[0]],
  [/^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/, inside],
  [/^__((?:\\[\s\S]|[^\\])+?)__(?!_)/, inside],
  [/^~~((?:\\[\s\S]|[^\\])+?)~~/, inside],
  [/^\|\|([\s\S]+?)\|\|/, inside],
  [/^\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/, inside],
];

// An underscore within a word is an underscore.
const underscored = /^_((?:__|\\[\s\S]|[^\\_])+?)_(?![A-Za-z0-9_])/;

function inline(source: string, names: Names): string {
  let out = "";
  let at = 0;
  while (at < source.length) {
    const rest = source.slice(at);
    const before = source[at - 1];
    const emphasis = before === undefined || !/[A-Za-z0-9_]/.test(before) ? underscored.exec(rest) : null;
    const found =
      matchRule(rest, names) ?? (emphasis ? { text: inside(emphasis, names), length: emphasis[0].length } : undefined);
    if (found) {
      out += found.text;
      at += found.length;
      continue;
    }
    const next = /^[A-Za-z0-9\s\u0080-\uFFFF]+?(?=https?:\/\/|[^A-Za-z0-9\s\u0080-\uFFFF]|$)/i.exec(rest);
    const length = next && !/^https?:\/\//i.test(rest) ? next[0].length : 1;
    out += rest.slice(0, length);
    at += length;
  }
  return out;
}

function matchRule(rest: string, names: Names): Taken | undefined {
  for (const [pattern, read] of rules) {
    const match = pattern.exec(rest);
    if (match) return { text: read(match, names), length: match[0].length };
  }
  return undefined;
}

/** One space on each side is there only to set a backtick apart. */
function codeText(source: string): string {
  return /^ .*[^ ].* $/s.test(source) && (source.startsWith(" `") || source.endsWith("` "))
    ? source.slice(1, -1)
    : source;
}

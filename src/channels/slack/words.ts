// The text inside a block, for Slack: stretches of text with the marks around them, and those as standard Markdown, as plain
// text, and as the one line of a context block. Nothing in here is a mention when Slack reads it.

import type { PhrasingContent } from "../../markdown/parse.ts";
import { codePointStart, isVisible } from "../../core/text.ts";

/** A stretch of text with the marks around it, outermost first: an address to link to, then styles. */
type Run = {
  readonly text: string;
  readonly code: boolean;
  readonly link: string;
  readonly marks: readonly Mark[];
};

type Mark = "**" | "~~" | "*";

/** A line of small text in Slack's terms: as it is, or in `mrkdwn`. */
export type Line = { readonly type: "plain_text" | "mrkdwn"; readonly text: string };

/** Invisible and part of no word; keeps signs from being read together. */
const JOINER = "\u2060";

/** The order in which styles nest, so that two that meet can't cross. */
const MARKS = ["**", "~~", "*"] as const;
/** The same in `mrkdwn`. */
const SLACK_MARK_OF: Readonly<Record<Mark, string>> = { "**": "*", "~~": "~", "*": "_" };
const MARK_OF = { strong: "**", emphasis: "*", delete: "~~" } as const satisfies Record<string, Mark>;

const ADDRESS = /(?<![a-z])(?:https?:\/\/|www\.)(?=[\p{L}\p{N}])[^\s<>]+/giu;

// ---- mentions

/** What Slack reads as a mention, a channel or a date (docs.slack.dev, "Formatting message text"). */
const TOKEN = /<(?=!(?:channel|here|everyone|group|subteam|date)|[@#][A-Z0-9])/gi;
/** The words that call everyone where Slack looks for them by itself. */
const EVERYONE = /(?<![\p{L}\p{N}])@(?=(?:channel|here|everyone|group)(?![\p{L}\p{N}]))/giu;
/** In code only as Slack writes them: there an invisible sign is a fault in what is copied. */
const EVERYONE_IN_CODE = /(?<![\p{L}\p{N}])@(?=(?:channel|here|everyone)(?![\p{L}\p{N}]))/gu;

/** Text in which nothing notifies anyone. */
export function calm(text: string): string {
  return text.replace(TOKEN, `<${JOINER}`).replace(EVERYONE, `@${JOINER}`);
}

/** Code in which nothing notifies anyone; code knows no escapes. */
export function guardCode(text: string): string {
  return text.replace(TOKEN, `<${JOINER}`).replace(EVERYONE_IN_CODE, `@${JOINER}`);
}

/** Text for Slack's `mrkdwn` and for the `text` beside blocks: shown as it is, its marks for bold and the like excepted. */
export function escapeSlack(text: string): string {
  return entities(calm(text));
}

function entities(text: string): string {
  return text.replace(/[&<>]/g, (sign) => (sign === "&" ? "&amp;" : sign === "<" ? "&lt;" : "&gt;"));
}

// ---- runs

/**
 * The text of a block: none at the ends is white space, none that begins or ends within marks is inside of them (there it would
 * break them), a line break is one newline, or a space when all is to stand on `oneLine`.
 */
export function runsOf(nodes: readonly PhrasingContent[], oneLine = false): Run[] {
  const found: Run[] = [];
  for (const node of nodes) collect(node, "", [], found);
  const parts = found.flatMap(withoutEdges);
  const first = parts.findIndex((run) => !isSpace(run));
  const last = parts.findLastIndex((run) => !isSpace(run));
  const runs: Run[] = [];
  let solid: Run | undefined;
  const shown = parts.slice(Math.max(first, 0), last + 1);
  for (const [at, part] of shown.entries()) {
    let run = part;
    if (isSpace(part)) {
      const next = shown.slice(at).find((one) => !isSpace(one));
      run = { text: part.text, ...shared(solid, next) };
    } else solid = part;
    const before = runs.at(-1);
    if (before !== undefined && isSame(before, run))
      runs[runs.length - 1] = { ...before, text: before.text + run.text };
    else runs.push(run);
  }
  return runs.map((run) => (run.code ? run : { ...run, text: run.text.replace(/[ \t]*\n\s*/g, oneLine ? " " : "\n") }));
}

function collect(node: PhrasingContent, link: string, marks: readonly Mark[], runs: Run[]): void {
  switch (node.type) {
    case "text":
      if (link === "") pushText(node.value, marks, runs);
      else runs.push({ text: node.value, code: false, link, marks });
      return;
    case "break":
      runs.push({ text: "\n", code: false, link, marks });
      return;
    case "inlineCode":
      runs.push({ text: node.value.replace(/\n/g, " "), code: isVisible(node.value), link, marks });
      return;
    case "link":
      for (const child of node.children) collect(child, node.url, marks, runs);
      return;
    case "strong":
    case "emphasis":
    case "delete": {
      const more = MARKS.filter((mark) => marks.includes(mark) || mark === MARK_OF[node.type]);
      for (const child of node.children) collect(child, link, more, runs);
      break;
    }
    default:
    // simplify leaves no other.
  }
}

/** An address in a text becomes a link of ours: Slack would make one of it and take our escapes for a part of it. */
function pushText(text: string, marks: readonly Mark[], runs: Run[]): void {
  let from = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = found.replace(/[?!.,:;*_~'"()[\]]+$/, "");
    if (index > from) runs.push({ text: text.slice(from, index), code: false, link: "", marks });
    runs.push({ text: address, code: false, link: /^www/i.test(address) ? `http://${address}` : address, marks });
    from = index + address.length;
  }
  if (from < text.length) runs.push({ text: text.slice(from), code: false, link: "", marks });
}

function withoutEdges(run: Run): Run[] {
  if (run.code) return [run];
  const body = run.text.trim();
  if (body === "") return run.text === "" ? [] : [run];
  const from = run.text.length - run.text.trimStart().length;
  const to = from + body.length;
  return [run.text.slice(0, from), body, run.text.slice(to)]
    .filter((text) => text !== "")
    .map((text) => ({ ...run, text }));
}

function isSpace(run: Run): boolean {
  return !run.code && run.text.trim() === "";
}

function isSame(one: Run, other: Run): boolean {
  return !one.code && !other.code && one.link === other.link && one.marks.join() === other.marks.join();
}

/** What the white space between two runs may stand inside of. */
function shared(before: Run | undefined, after: Run | undefined): Omit<Run, "text"> {
  const none = { code: false, link: "", marks: [] };
  if (before === undefined || after === undefined || before.link !== after.link) return none;
  const marks = before.marks.slice(0, sameMarks(before, after));
  return { code: false, link: before.link, marks };
}

function sameMarks(before: Run | undefined, after: Run | undefined): number {
  if (before === undefined || after === undefined || before.link !== after.link) return 0;
  let same = 0;
  while (same < before.marks.length && before.marks[same] === after.marks[same]) same++;
  return same;
}

// ---- as text

/** Without markup; an address stands behind its text unless that is the address. */
export function plainOf(runs: readonly Run[]): string {
  let plain = "";
  let label = "";
  for (const [at, { text, link }] of runs.entries()) {
    plain += text;
    if (link === "") continue;
    label += text;
    if (runs[at + 1]?.link === link) continue;
    if (!link.endsWith(label) && !link.replace(/\/$/, "").endsWith(label)) plain += ` (${link})`;
    label = "";
  }
  return plain;
}

/** As standard Markdown. `inCell`: in a table, where a bar would end the cell. */
export function markdownOf(runs: readonly Run[], inCell = false): string {
  let out = "";
  for (const [at, run] of [...runs, undefined].entries()) {
    const before = runs[at - 1];
    out = seam(out, before, run);
    if (run === undefined) break;
    const isStart = out === "" || out.endsWith("\n");
    const text = run.code ? codeSpan(run.text) : escaped(run.text, isStart);
    out += inCell ? text.replaceAll("|", String.raw`\|`) : text;
  }
  return out;
}

/** Ends the marks of one run and begins those of the next, so that CommonMark takes each for what it is. */
function seam(out: string, before: Run | undefined, after: Run | undefined): string {
  const same = sameMarks(before, after);
  const isOneLink = before?.link === after?.link;
  const closing = before?.marks.slice(same).toReversed() ?? [];
  const opening = after?.marks.slice(same) ?? [];
  const ends = before !== undefined && before.link !== "" && !isOneLink;
  const begins = after !== undefined && after.link !== "" && !isOneLink;
  const last = edgeOf(before, -1);
  const next = edgeOf(after, 0);
  // Signs of the same kind that end and begin at one place would be read as one.
  const meets = !ends && !begins && closing.length > 0 && closing.at(-1)?.[0] === opening[0]?.[0];
  const wordAfter = !ends && (meets || (opening.length === 0 && !begins && isWord(next)));
  const wordBefore = !begins && (meets || (closing.length === 0 && !ends && isWord(last)));
  let text = out;
  for (const [at, mark] of closing.entries()) {
    if (wordAfter && (at > 0 || !isSure(last))) text += JOINER;
    text += mark;
  }
  if (ends) text += `](${addressOf(before.link)})`;
  if (meets) text += JOINER;
  // `![` would be a picture.
  if (begins) text = `${text.endsWith("!") ? `${text.slice(0, -1)}\\!` : text}[`;
  for (const [at, mark] of opening.entries()) {
    text += mark;
    if (wordBefore && (at < opening.length - 1 || !isSure(next))) text += JOINER;
  }
  return text;
}

function edgeOf(run: Run | undefined, at: 0 | -1): string {
  if (run === undefined) return "";
  if (run.code) return "`";
  const { text } = run;
  const code = text.codePointAt(at === 0 ? 0 : codePointStart(text, text.length - 1));
  return code === undefined ? "" : String.fromCodePoint(code);
}

/** Whether a mark next to this sign may be taken for one inside a word. Symbols such as emoji count differently by version of CommonMark. */
function isWord(sign: string): boolean {
  return sign !== "" && !/[\s\p{P}$+<=>^`|~]/u.test(sign);
}

/** Whether a mark of this word's end may be taken for its end whatever follows. */
function isSure(sign: string): boolean {
  return /[\p{L}\p{N}\u2060]/u.test(sign);
}

/** Text that means nothing to Markdown. Few signs are escaped, those that could mean something where they stand. */
function escaped(text: string, isStart: boolean): string {
  return calm(text)
    .split("\n")
    .map((line, at) => (at > 0 || isStart ? lineStart(signs(`\n${line}`).slice(1)) : signs(line)))
    .map(entities)
    .join("  \n");
}

/** A `_` inside a word and a `~` before one ("~5") can't begin and end anything. */
function signs(line: string): string {
  return line.replace(
    /[\\`*[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|(?<![\s(])~|~(?![\p{L}\p{N}])/gu,
    String.raw`\$&`,
  );
}

/** Escapes what makes a heading, a list, a rule or a table of a line. */
function lineStart(line: string): string {
  return line
    .replace(/^(?:#{1,6}(?=\s|$)|=(?==*\s*$)|[-+](?=\s|[-:|\s]*$)|[|:](?=[-:|\s]*$))/, String.raw`\$&`)
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, String.raw`$1\$2`);
}

export function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}

function codeSpan(text: string): string {
  const mark = "`".repeat(longestRun(text) + 1);
  const pad = /^`|`$|^ .* $/.test(text) ? " " : "";
  return mark + pad + guardCode(text) + pad + mark;
}

/** An address that no sign of Markdown's or Slack's can end. */
function addressOf(url: string): string {
  return url
    .replace(/[\s<>()[\]\\|"^`{}]/g, (sign) => encodeURIComponent(sign).replace("(", "%28").replace(")", "%29"))
    .replace(EVERYONE, "%40")
    .replace(/&(?=#?\w+;)/g, "&amp;");
}

// ---- as a line of small text

/** The line for a context block; undefined when `mrkdwn` can't say it: it knows no escape for its own marks. */
export function lineOf(runs: readonly Run[]): Line | undefined {
  if (runs.some(({ text }) => text.includes("\n"))) return undefined;
  if (runs.every((run) => !run.code && run.link === "" && run.marks.length === 0))
    return { type: "plain_text", text: calm(plainOf(runs)) };
  let text = "";
  for (const [at, run] of runs.entries()) {
    const isStyled = run.code || run.marks.length > 0;
    const isApart = !isWord(edgeOf(runs[at - 1], -1)) && !isWord(edgeOf(runs[at + 1], 0));
    if (/[*~`_|]/.test(run.text) || (isStyled && (!isApart || run.link !== "" || (run.code && run.marks.length > 0))))
      return undefined;
    const body = run.code ? entities(guardCode(run.text)) : escapeSlack(run.text);
    const around = [...run.marks.map((one) => SLACK_MARK_OF[one]), ...(run.code ? ["`"] : [])];
    const said = [...around, body, ...around.toReversed()].join("");
    text += run.link === "" ? said : `<${entities(addressOf(run.link).replaceAll("&amp;", "&"))}|${said}>`;
  }
  return { type: "mrkdwn", text };
}

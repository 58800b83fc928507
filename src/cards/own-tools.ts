// What a tool did, or is to do, as people see it: one row in words, the line while it runs, its whole, and what an approval shows of it.
// Made for the tools that an engine has of its own; those of the gateway and of apps read the same way.
import type { ReplyFile } from "../core/reply.ts";
import { clipUnits, codePointStart, dropControls, escapeMarkdown, oneLine } from "../core/text.ts";
import type { ToolCall, ToolResult } from "../core/tool.ts";
import { scrubShapes } from "../taint/shapes.ts";
import { fenced, inJson, inlineCode, isPlain, visibly } from "./exactly.ts";

/**
 * How a step went. `denied`: the guard said no by itself. `no`, `expired`, `stopped`: the owner was asked, and that came of it; `asked`:
 * nothing came of it while the turn could wait. `withheld`: it ran, and nobody was given what it found.
 */
export type StepWent =
  | ToolResult["outcome"]
  | ("no" | "expired" | "stopped" | "asked" | "withheld" | "running" | "unknown");

const WENT_WORDS: Readonly<Record<StepWent, string>> = {
  ok: "done",
  error: "failed",
  denied: "I didn't allow it, so it was not run",
  "not-run": "not run",
  no: "you didn't allow it, so it was not run",
  expired: "nobody allowed it in time, so it was not run",
  stopped: "stopped before anybody allowed it, so it was not run",
  asked: "you were asked, so it was not run then",
  withheld: "done, and what it found was withheld",
  running: "running",
  unknown: "begun; how it ended is not known",
};

const MAX_NAME_UNITS = 100;
const MAX_ABOUT_UNITS = 80;
/** A name, a path or the like is looked through for secrets before the cut, as far as that. */
const MAX_READ_UNITS = 4000;
/** Of long arguments so much of each end is shown: the card stays one message on every platform (Discord: 2,000 characters). */
const HEAD_CHARS = 700;
const TAIL_CHARS = 300;
const MAX_PATH_UNITS = 200;
/** The least that a part of a step's page gets of it. */
const LEAST_CHARS = 60;

const PATHS = ["path", "file_path", "notebook_path"] as const;
/** What a step worked on, by the name of its argument: the first that is there. */
const ABOUT = [...["command", "cmd"], ...PATHS, ...["url", "pattern", "query", "title", "name"]] as const;
const ABOUT_BY_TOOL: Readonly<Record<string, readonly string[]>> = {
  ...{ Read: PATHS, Edit: PATHS, Write: PATHS, Bash: ["command"], WebFetch: ["url"], WebSearch: ["query"] },
  ...{ Grep: ["pattern"], Glob: ["pattern"] },
};
const DOING: Readonly<Record<string, string>> = {
  ...{ Read: "Reading", Edit: "Editing", Write: "Writing", WebFetch: "Fetching", WebSearch: "Searching the web for" },
  ...{ Grep: "Searching files for", Glob: "Looking for files" },
};

/** A tool's name in code: it came from a model or a program. */
export function codeName(name: string): string {
  return `\`${clipUnits(visibly(name).replaceAll("`", "'").replaceAll(/\s+/gu, " "), MAX_NAME_UNITS, "…")}\``;
}

/** A step as one row of Markdown: what it is called, what it worked on, and how it went. What looks like a secret is taken out. */
export function stepRow(name: string, input: unknown, went: StepWent): string {
  const about = aboutOf(name, input, (text) => text);
  const shown = about === undefined ? "" : ` ${inlineCode(about)}`;
  return `${shortName(name)}${shown} — ${WENT_WORDS[went]}`;
}

/** What is being done now, as one quiet line of Markdown. `scrub` takes known secrets out before anything is cut. */
export function doingLine({ name, input }: Pick<ToolCall, "name" | "input">, scrub: (text: string) => string): string {
  const about = aboutOf(name, input, scrub);
  if (about === undefined) return `_${shortName(name)}_`;
  const doing = Object.hasOwn(DOING, name) ? DOING[name] : undefined;
  return `_${doing ?? `${shortName(name)}:`} ${escapeMarkdown(about)}_`;
}

function shortName(name: string): string {
  const line = visibly(oneLine(scrubShapes(name.slice(0, MAX_READ_UNITS))));
  return escapeMarkdown(clipUnits(line === "" ? "A tool" : line, MAX_ABOUT_UNITS, "…"));
}

/** On one line, and short: of a path its end, of all else its beginning. */
function aboutOf(name: string, input: unknown, scrub: (text: string) => string): string | undefined {
  const fields = fieldsOf(input);
  const keys = Object.hasOwn(ABOUT_BY_TOOL, name) ? (ABOUT_BY_TOOL[name] ?? []) : ABOUT;
  const key = keys.find((one) => typeof fields?.[one] === "string" && fields[one].trim() !== "");
  const value = key === undefined ? undefined : fields?.[key];
  if (key === undefined || typeof value !== "string") return undefined;
  // A longer one is cut before it is looked through: its ends may be half a secret, and go.
  const read = value.length > MAX_READ_UNITS ? value.slice(0, MAX_READ_UNITS / 2) : value;
  const line = visibly(oneLine(scrubShapes(scrub(read))));
  if (line.length <= MAX_ABOUT_UNITS) return line === "" ? undefined : line;
  if (read !== value || !PATHS.some((one) => one === key)) return clipUnits(line, MAX_ABOUT_UNITS, "…");
  return `…${line.slice(-MAX_ABOUT_UNITS + 1).replace(/^[\uDC00-\uDFFF]/u, "")}`;
}

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof input === "object" && input !== null && !Array.isArray(input)
    ? (input as Readonly<Record<string, unknown>>)
    : undefined;
}

// ---- arguments

/** A part of what is shown: words of ours, and the block below them. `brief`: the words below a row that names the tool already. */
type Block = { readonly words: string; readonly brief: string; readonly text: string; readonly language?: string };

/**
 * Arguments, what matters first: a command as it would be run, a change as a diff. A field is told so only where that shows exactly it;
 * all others stand in the rest, as they are.
 */
function blocksOf(name: string, input: unknown): readonly Block[] {
  const fields = fieldsOf(input);
  const called = codeName(name);
  // The names of apps' tools, whatever they are, are no program's own.
  if (fields === undefined || name.includes("__"))
    return [{ words: `${called} with:`, brief: WITH, text: inJson(input) }];
  const told = new Set<string>();
  const plain = (key: string, tabs = false): string | undefined => {
    const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
    return typeof value === "string" && isPlain(value, tabs) ? value : undefined;
  };
  const tell = (key: string, tabs = false): string | undefined => {
    const value = plain(key, tabs);
    if (value !== undefined) told.add(key);
    return value;
  };
  const path = isOnFile(name) ? tellPath() : undefined;
  const of = path === undefined ? called : `${called} ${inlineCode(path)}`;
  const first = leading();
  const rest = Object.fromEntries(Object.entries(fields).filter(([key]) => !told.has(key)));
  const left = Object.keys(rest).length > 0;
  if (first !== undefined)
    return [first, ...(left ? [{ words: "and with:", brief: "And with:", text: inJson(rest) }] : [])];
  if (path !== undefined && !left) return [{ words: of, brief: "", text: "" }];
  return [{ words: `${of} with:`, brief: WITH, text: inJson(rest) }];

  function tellPath(): string | undefined {
    const key = PATHS.find(
      (one) => (plain(one)?.length ?? Infinity) <= MAX_PATH_UNITS && plain(one)?.includes("\n") === false,
    );
    return key === undefined ? undefined : tell(key);
  }

  function leading(): Block | undefined {
    const command = tell("command");
    if (command !== undefined) return { words: `${called}:`, brief: "Command:", text: command };
    const url = name === "WebFetch" ? tell("url") : undefined;
    if (url !== undefined) return { words: `${called}:`, brief: "Address:", text: url };
    if (name !== "Edit" && name !== "Write") return undefined;
    const diff = tell("diff", true);
    if (diff !== undefined) return { words: `${of} with this change:`, brief: "Change:", text: diff, language: "diff" };
    const content = name === "Write" ? tell("content", true) : undefined;
    if (content !== undefined) return { words: `${of} with this content:`, brief: "Content:", text: content };
    const [before, after] = [plain("old_string", true), plain("new_string", true)];
    if (name !== "Edit" || before === undefined || after === undefined) return undefined;
    for (const key of ["old_string", "new_string"]) told.add(key);
    return {
      words: `${of}, these lines by those:`,
      brief: "Change:",
      text: `${marked("-", before)}\n${marked("+", after)}`,
      language: "diff",
    };
  }
}

function isOnFile(name: string): boolean {
  return name === "Read" || name === "Edit" || name === "Write";
}

function marked(sign: "-" | "+", text: string): string {
  return text
    .split("\n")
    .map((line) => sign + line)
    .join("\n");
}

const WITH = "With:";

/** What an approval shows of a call: all of its arguments, or of long ones both ends, and then all of them as a file. */
export function askedCall({ name, input }: Pick<ToolCall, "name" | "input">): {
  readonly text: string;
  /** For the file; left out where the text shows all. */
  readonly whole?: string;
} {
  const blocks = blocksOf(name, input);
  const [first, rest] = blocks;
  const room = HEAD_CHARS + TAIL_CHARS;
  const roomOfRest = Math.max(Math.floor(room * 0.3), room - (first?.text.length ?? 0));
  const shownRest = rest === undefined ? undefined : clipMiddle(rest.text, roomOfRest);
  const shown = first === undefined ? "" : clipMiddle(first.text, room - Math.min(shownRest?.length ?? 0, roomOfRest));
  const isWhole = shown === (first?.text ?? "") && shownRest === rest?.text;
  const text = [
    ...(first === undefined ? [] : [drawn({ ...first, text: shown })]),
    ...(rest === undefined || shownRest === undefined ? [] : [drawn({ ...rest, text: shownRest })]),
  ].join("\n\n");
  return isWhole ? { text } : { text, whole: inJson(input) };
}

function drawn({ words, text, language }: Block): string {
  return text === "" ? words : `${words}\n\n${fenced(text, language)}`;
}

function clipMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const tailChars = Math.floor((maxChars * TAIL_CHARS) / (HEAD_CHARS + TAIL_CHARS));
  const head = clipUnits(text, maxChars - tailChars);
  const tail = text.slice(text.length - tailChars).replace(/^[\uDC00-\uDFFF]/u, "");
  return `${head}\n… ${text.length - head.length - tail.length} characters more, all of them in the file below …\n${tail}`;
}

// ---- a step as a whole

/** A step with all that is known of it. */
export type Step = { readonly call: ToolCall; readonly went: StepWent; readonly result: ToolResult | undefined };

/**
 * A step's page: its row, its arguments, and what it gave back, in about `maxChars`. `whole`: all of it as a file, where the page has
 * only the beginnings. What looks like a secret is taken out of both.
 */
export function stepPage(
  { call, went, result }: Step,
  maxChars: number,
  fileName: string,
): { readonly text: string; readonly whole?: ReplyFile } {
  const row = stepRow(call.name, call.input, went);
  const output = dropControls(result?.text ?? "").trim();
  const isDone = went === "ok" || went === "error";
  const blocks = [
    ...blocksOf(call.name, call.input),
    ...(output === "" || !isDone ? [] : [{ words: "", brief: went === "ok" ? "It gave:" : "It said:", text: output }]),
  ].map((block) => ({ ...block, text: scrubShapes(block.text) }));
  // Nothing ran: why, in the words that the model was told.
  const why = output === "" || isDone ? [] : [escapeMarkdown(clipUnits(oneLine(output), MAX_READ_UNITS / 10, "…"))];
  let left = maxChars - row.length - why.join("").length;
  const shown = blocks.map((block, at) => {
    const fair = Math.max(LEAST_CHARS, Math.floor(left / (blocks.length - at)));
    const text = head(block.text, fair);
    left -= text.length + block.brief.length;
    // The row has only the end of a long path.
    const isClipped = block.words.length > MAX_ABOUT_UNITS && at === 0;
    return { ...block, text, words: isClipped ? block.words : block.brief };
  });
  const text = [`**${row}**`, ...why, ...shown.map(drawn)].filter((part) => part !== "").join("\n\n");
  if (shown.every((block, at) => block.text === blocks[at]?.text)) return { text };
  const all = blocks.map(({ words, brief, text: of }) => `${words === "" ? brief : words}\n\n${of}\n`).join("\n");
  return { text, whole: { name: fileName, text: all } };
}

function head(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, codePointStart(text, maxChars))}\n…`;
}

// The results of well-known tools as rows to look at: a table of who answers in which shape. Nothing in a result is trusted, and what
// has another shape than expected has no view; the model's text is never touched.
import type { View } from "../core/card.ts";
import { clipGraphemes, clipUnits, isVisible, oneLine } from "../core/text.ts";

/** Whose tools are known. */
export const VIEW_SOURCES = ["filesystem", "google-calendar", "google-mail", "google-drive", "slack"] as const;

type Row = View["rows"][number];
/** What a shape gives for a row before it is capped; without a title there is none. */
type Draft = {
  readonly title: string;
  readonly detail?: string;
  readonly link?: unknown;
  readonly compose?: Row["compose"];
};
type Fields = { readonly [name: string]: unknown };
/** From a tool's result to what its rows say; undefined when it isn't that. */
type Shape = {
  readonly of: View["of"];
  readonly title: string;
  readonly rows: (result: Result) => readonly Draft[] | undefined;
};
/** `data`: the structured result, or the text as JSON; `text`: as it stands. */
type Result = { readonly data: unknown; readonly text: string };

const MAX_ROWS = { agenda: 60, mail: 30, files: 30, messages: 30 } as const;
const MAX_TITLE = 200;
const MAX_DETAIL = 300;
const MAX_COMPOSE = 200;
const MAX_LINK_UNITS = 2_000;
/** No more of a result is looked at: rows, and characters of text. */
const MAX_LOOKED_AT = 5_000;
const MAX_TEXT = 2_000_000;
const MAX_DEPTH = 30;

const EVENTS: Shape = { of: "agenda", title: "Your calendar", rows: ({ data }) => list(data, "events")?.map(event) };
const THREADS: Shape = { of: "mail", title: "Mail", rows: ({ data }) => list(data, "threads")?.map(thread) };
const MAILS: Shape = { of: "mail", title: "Mail", rows: ({ data }) => list(data, "messages")?.map(mail) };
const DRIVE: Shape = { of: "files", title: "Google Drive", rows: ({ data }) => list(data, "files")?.map(driveFile) };
const TALK: Shape = { of: "messages", title: "Slack", rows: (result) => slackMessages(result)?.map(slackMessage) };

const TABLE: { readonly [source in (typeof VIEW_SOURCES)[number]]: { readonly [tool: string]: Shape } } = {
  // The text is one entry a line, with [FILE] or [DIR]; sizes stand behind the name; a summary follows an empty line.
  filesystem: {
    list_directory: { of: "files", title: "Folder", rows: ({ text }) => directory(text) },
    list_directory_with_sizes: { of: "files", title: "Folder", rows: ({ text }) => directory(text, true) },
    search_files: { of: "files", title: "Files found", rows: ({ text }) => paths(text) },
    directory_tree: { of: "files", title: "Folder", rows: ({ data }) => tree(data) },
  },
  // {"events": [{"summary", "start": {"dateTime" | "date"}, "end", "location", "htmlLink"}]}
  "google-calendar": { list_events: EVENTS, search_events: EVENTS },
  // {"threads": [{"messages": [{"subject", "sender", "snippet", "date"}]}]}
  "google-mail": { search_threads: THREADS, get_thread: MAILS },
  // {"files": [{"title", "mimeType", "viewUrl", "modifiedTime"}]}
  "google-drive": { search_files: DRIVE, list_recent_files: DRIVE },
  // Slack's Web API shapes, or the comma-separated lines of the community server.
  slack: {
    slack_read_channel: TALK,
    slack_read_thread: TALK,
    slack_search_public: TALK,
    slack_search_public_and_private: TALK,
    conversations_history: TALK,
    conversations_replies: TALK,
    conversations_search_messages: TALK,
  },
};

/**
 * A tool's result as rows; undefined when the tool is not known, its result has another shape, or nothing is in it. `source` is a row
 * of the table, `tool` the server's own name for it. Never throws, whatever the result holds.
 */
export function viewOf(source: string, tool: string, structured: unknown, text: string): View | undefined {
  const tools: { readonly [tool: string]: Shape } | undefined = Object.hasOwn(TABLE, source)
    ? TABLE[source as keyof typeof TABLE]
    : undefined;
  const shape = tools !== undefined && Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  if (shape === undefined || text.length > MAX_TEXT) return undefined;
  const drafts = shape.rows(resultOf(structured, text)) ?? [];
  const good = drafts.filter(({ title }) => isVisible(oneLine(title)));
  if (good.length === 0) return undefined;
  const rows = good.slice(0, MAX_ROWS[shape.of]).map(capped);
  return { kind: "view", of: shape.of, title: shape.title, rows, more: good.length - rows.length };
}

/** Some servers wrap their result in one field: the text again as `content`, or the whole as `result`. */
function resultOf(structured: unknown, text: string): Result {
  const given = fields(structured);
  const inner = given["content"] ?? given["result"];
  if (typeof inner === "string")
    return inner.length > MAX_TEXT ? { data: undefined, text: "" } : { data: json(inner), text: inner };
  if (structured === undefined || structured === null) return { data: json(text), text };
  return {
    data: Object.keys(given).length === 1 && typeof given["result"] === "object" ? given["result"] : structured,
    text,
  };
}

function capped({ title, detail, link, compose }: Draft): Row {
  const address = webLink(link);
  return {
    title: clipGraphemes(clipUnits(oneLine(title), 4 * MAX_TITLE), MAX_TITLE, "…"),
    detail: clipGraphemes(clipUnits(oneLine(detail ?? ""), 4 * MAX_DETAIL), MAX_DETAIL, "…"),
    ...(address === undefined ? {} : { link: address }),
    ...(compose === undefined
      ? {}
      : { compose: { label: compose.label, text: clipGraphemes(oneLine(compose.text), MAX_COMPOSE, "…") } }),
  };
}

/** A link as the parser writes it, if it leads to the web and holds no name or password. */
function webLink(link: unknown): string | undefined {
  if (typeof link !== "string" || link.length > MAX_LINK_UNITS || !URL.canParse(link)) return undefined;
  const { protocol, username, password, href } = new URL(link);
  if ((protocol !== "http:" && protocol !== "https:") || username !== "" || password !== "") return undefined;
  return href.length > MAX_LINK_UNITS ? undefined : href;
}

// ---- a calendar

function event(given: unknown): Draft {
  const { summary, title, start, end, location, htmlLink } = fields(given);
  const name = line(summary) || line(title) || "(no title)";
  const from = moment(start);
  const to = moment(end);
  const when = from === "" ? to : joined([from, from.slice(0, 10) === to.slice(0, 10) ? to.slice(11) : to], "–");
  return {
    title: name,
    detail: joined([when, line(location)], " · "),
    link: htmlLink,
    compose: { label: "Prepare", text: `Help me prepare for ${quoted(name)}${from === "" ? "" : ` (${from})`}` },
  };
}

/** A day, or a day and a time of it, as the calendar itself says it: in its own zone. */
function moment(given: unknown): string {
  const { dateTime, date } = fields(given);
  const written = typeof given === "string" ? given : (text(dateTime) ?? text(date) ?? "");
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}))?/u.exec(written) ?? [];
  return day === undefined ? "" : joined([day, time ?? ""], " ");
}

// ---- mail

function thread(given: unknown): Draft {
  const messages = list(given, "messages") ?? [];
  const newest = mail(messages.at(-1));
  if (messages.length < 2 || newest.title === "") return newest;
  return { ...newest, detail: joined([`${messages.length} mails`, newest.detail ?? ""], " · ") };
}

function mail(given: unknown): Draft {
  const { subject, sender, from, snippet, date } = fields(given);
  const who = writer(line(sender) || line(from));
  const about = line(subject) || (who === "" ? "" : "(no subject)");
  return {
    title: about,
    detail: joined([who, moment(date), line(snippet)], " · "),
    compose: {
      label: "Reply",
      text: `Draft a reply${who === "" ? "" : ` to ${clipGraphemes(who, 60, "…")}`} about ${quoted(about)}`,
    },
  };
}

/** "Ada <ada@example.org>" as Ada. */
function writer(from: string): string {
  const [, name = ""] = /^\s*"?([^"<]{1,200})"?\s*<[^<>]{1,320}>\s*$/u.exec(from) ?? [];
  return name.trim() === "" ? from : name.trim();
}

// ---- files

function driveFile(given: unknown): Draft {
  const { title, name, mimeType, viewUrl, webViewLink, modifiedTime } = fields(given);
  const called = line(title) || line(name);
  return {
    title: called,
    detail: joined([kindOf(line(mimeType)), moment(modifiedTime)], " · "),
    link: viewUrl ?? webViewLink,
    compose: { label: "Summarise", text: `Summarise ${quoted(called)} from my Drive` },
  };
}

function kindOf(mediaType: string): string {
  const own = /^application\/vnd\.google-apps\.([a-z]{1,30})$/u.exec(mediaType)?.[1];
  return own ?? mediaType;
}

function directory(listing: string, sizes = false): readonly Draft[] | undefined {
  const drafts: Draft[] = [];
  for (const entry of listing.split("\n", MAX_LOOKED_AT)) {
    const [, kind, name = ""] = /^\[(FILE|DIR)\] (.{1,1000})$/u.exec(entry) ?? [];
    const size = sizes ? (/ \d[\d.]{0,20} [KMGT]?B$/u.exec(name)?.[0] ?? "") : "";
    const called = sizes ? name.slice(0, name.length - size.length).trimEnd() : name;
    if (kind !== undefined) drafts.push(file(called, kind === "DIR" ? "folder" : size.trim()));
  }
  return drafts;
}

function paths(listing: string): readonly Draft[] | undefined {
  return listing
    .split("\n", MAX_LOOKED_AT)
    .filter((path) => path.startsWith("/") || /^[A-Za-z]:[\\/]/u.test(path))
    .map((path) => {
      const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
      return file(path.slice(cut + 1), path.slice(0, cut), path);
    });
}

/** Nested folders as a list of paths; what lies deeper than can be told apart on a card is left out. */
function tree(data: unknown): readonly Draft[] | undefined {
  if (!Array.isArray(data)) return undefined;
  const drafts: Draft[] = [];
  const walk = (entries: readonly unknown[], within: string, depth: number): void => {
    for (const given of entries) {
      if (drafts.length >= MAX_LOOKED_AT) return;
      const { name, type, children } = fields(given);
      const path = `${within}${line(name)}`;
      if (line(name) === "") continue;
      drafts.push(file(path, type === "directory" ? "folder" : ""));
      if (Array.isArray(children) && depth < MAX_DEPTH && path.length < MAX_TITLE)
        walk(children, `${path}/`, depth + 1);
    }
  };
  walk(data, "", 0);
  return drafts;
}

function file(name: string, detail: string, whole: string = name): Draft {
  return { title: name, detail, compose: { label: "Ask about it", text: `What is in ${quoted(whole)}?` } };
}

// ---- messages

function slackMessages({ data, text: written }: Result): readonly unknown[] | undefined {
  const { messages, results } = fields(data);
  const found =
    list(data, "messages") ?? list(messages, "matches") ?? list(results, "messages") ?? list(data, "results");
  return found ?? table(written);
}

function slackMessage(given: unknown): Draft {
  const one = fields(given);
  const who =
    line(one["RealName"]) || line(one["UserName"]) || line(one["username"]) || line(one["user"]) || line(one["author"]);
  const where = line(fields(one["channel"])["name"]) || line(one["channel"]) || line(one["Channel"]);
  const said = line(one["text"]) || line(one["Text"]) || line(one["content"]);
  return {
    title: said,
    detail: joined([who, where, moment(one["Time"] ?? one["time"])], " · "),
    link: one["permalink"] ?? one["Permalink"],
    compose: {
      label: "Reply",
      text: `Draft a reply${who === "" ? "" : ` to ${clipGraphemes(who, 60, "…")}`} about ${quoted(said)}`,
    },
  };
}

/** Comma-separated lines under a line of names, as objects; cells in quotes may hold commas, line breaks and doubled quotes. */
function table(written: string): readonly Fields[] | undefined {
  const start = written.indexOf("MsgID,");
  if (start < 0 || start > 200) return undefined;
  const lines: string[][] = [[]];
  // Sticky: it ends where the text is no such table, and never looks at a place twice.
  const cell = /(?:"([^"]{0,20000}(?:""[^"]{0,20000}){0,2000})"|([^",\n]{0,20000}))(,|\n|$)/guy;
  for (const [, inQuotes = "", plain, end = ""] of written.slice(start).matchAll(cell)) {
    lines.at(-1)?.push(plain ?? inQuotes.replaceAll('""', '"'));
    if (end === "\n") lines.push([]);
    if (end === "" || lines.length > MAX_LOOKED_AT) break;
  }
  const [names = [], ...cells] = lines;
  return cells
    .filter(({ length }) => length > 1)
    .map((row) => Object.fromEntries(names.map((name, at) => [name.trim(), row[at] ?? ""])));
}

// ---- outside data

function fields(given: unknown): Fields {
  return typeof given === "object" && given !== null && !Array.isArray(given) ? (given as Fields) : {};
}

function list(given: unknown, name: string): readonly unknown[] | undefined {
  const found = fields(given)[name];
  return Array.isArray(found) ? found.slice(0, MAX_LOOKED_AT) : undefined;
}

function text(given: unknown): string | undefined {
  return typeof given === "string" ? given : undefined;
}

/** Cut before anything is done with it: a cell may be as long as the whole result. */
function line(given: unknown): string {
  return typeof given === "string" ? oneLine(clipUnits(given, 4 * MAX_DETAIL)) : "";
}

function json(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}

function quoted(words: string): string {
  return `“${clipGraphemes(words, 100, "…")}”`;
}

function joined(parts: readonly string[], by: string): string {
  return parts.filter((part) => part !== "").join(by);
}

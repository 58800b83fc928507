// What the stand-in for Codex reads and writes on the disk: its config and the files of its threads, by their real names and lines.
import { existsSync, mkdirSync, readFileSync, readdirSync, appendFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export type Fields = Record<string, unknown>;

/** A fault that the caller is told of. */
export class RpcFault extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** A text field's value; `standard` for anything else. */
export function wordsOf(value: unknown, standard = ""): string {
  return typeof value === "string" ? value : standard;
}

// ---- config.toml, as far as anyone writes it for a program

export function readConfig(home: string, overrides: readonly string[]): Fields {
  const path = join(home, "config.toml");
  const config = existsSync(path) ? parseToml(readFileSync(path, "utf8")) : {};
  for (const line of overrides) take(config, [], line);
  return config;
}

export function parseToml(text: string): Fields {
  const root: Fields = {};
  let at: string[] = [];
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const section = /^\[([^[\]]+)\]\s*(?:#.*)?$/u.exec(line)?.[1];
    if (section === undefined) take(root, at, line);
    else {
      at = keysOf(section);
      tableAt(root, at);
    }
  }
  return root;
}

function take(root: Fields, at: readonly string[], line: string): void {
  const cut = /^((?:"[^"]*"|[^="])+)=(.*)$/su.exec(line);
  if (cut === null) throw new Error(`config.toml: can't read ${JSON.stringify(line)}`);
  const keys = [...at, ...keysOf(cut[1] ?? "")];
  const last = keys.pop() ?? "";
  tableAt(root, keys)[last] = valueOf((cut[2] ?? "").trim());
}

function keysOf(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|([\w-]+)/gu)].map((match) => match[1] ?? match[2] ?? "");
}

function tableAt(root: Fields, keys: readonly string[]): Fields {
  let table = root;
  for (const key of keys) {
    const next = table[key];
    table[key] = isFields(next) ? next : {};
    table = table[key] as Fields;
  }
  return table;
}

function valueOf(text: string): unknown {
  if (text.startsWith("{")) {
    const table: Fields = {};
    for (const part of split(text.slice(1, text.lastIndexOf("}")))) take(table, [], part);
    return table;
  }
  if (text.startsWith("[")) return split(text.slice(1, text.lastIndexOf("]"))).map((part) => valueOf(part));
  const quoted = /^("(?:[^"\\]|\\.)*")/u.exec(text)?.[1];
  if (quoted !== undefined) return JSON.parse(quoted);
  const plain = text.replace(/\s*#.*$/u, "");
  if (plain.startsWith("'")) return plain.slice(1, -1);
  if (plain === "true" || plain === "false") return plain === "true";
  return Number(plain);
}

function split(text: string): string[] {
  return (text.match(/(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^,"])+/gu) ?? [])
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

// ---- threads

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

export type StoredThread = {
  readonly meta: Fields;
  readonly items: Fields[];
  readonly totals: Fields | undefined;
};

/** Where a thread of this id lies, or undefined. Any folder will do; the name must be the program's own. */
export function findThread(home: string, id: string): string | undefined {
  const sessions = join(home, "sessions");
  if (!existsSync(sessions)) return undefined;
  const name = new RegExp(`^rollout-.*-${id}\\.jsonl$`, "u");
  const entry = readdirSync(sessions, { recursive: true, withFileTypes: true }).find((one) => name.test(one.name));
  return entry === undefined ? undefined : join(entry.parentPath, entry.name);
}

export function newThreadPath(home: string, id: string, now: Date): string {
  const [date = "", time = ""] = now.toISOString().slice(0, 19).split("T");
  const name = `rollout-${date}T${time.replaceAll(":", "-")}-${id}.jsonl`;
  return join(home, "sessions", ...date.split("-"), name);
}

export function appendLines(
  path: string,
  lines: readonly { readonly type: string; readonly payload: unknown }[],
): void {
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) writeFileSync(path, "", { mode: 0o600 });
  const timestamp = new Date().toISOString();
  const torn = readFileSync(path).at(-1) ?? 10;
  const text = lines.map((line) => `${JSON.stringify({ timestamp, ...line })}\n`).join("");
  appendFileSync(path, torn === 10 ? text : `\n${text}`);
}

/** A thread's file as the program reads it: a broken first line is an error, any other broken line is silently not there. */
export function readThread(home: string, id: string): StoredThread & { readonly path: string } {
  if (!UUID.test(id)) throw new RpcFault(-32600, `invalid session id: ${id}`);
  const path = findThread(home, id);
  if (path === undefined) throw new RpcFault(-32600, `no rollout found for thread id ${id}`);
  const [first = "", ...rest] = readFileSync(path, "utf8").split("\n");
  const head = parsed(first);
  const meta = head?.["type"] === "session_meta" && isFields(head["payload"]) ? head["payload"] : undefined;
  if (meta === undefined) {
    throw new RpcFault(
      -32603,
      `failed to read thread: thread-store internal error: failed to read session metadata ${path}`,
    );
  }
  if (meta["id"] !== id) throw new RpcFault(-32600, `thread source changed during resume; expected ${id}`);
  let items: Fields[] = [];
  let totals: Fields | undefined;
  const base = meta["history_base"];
  if (isFields(base)) {
    const parent = String(base["thread_id"]);
    if (findThread(home, parent) === undefined) {
      throw new RpcFault(-32600, `invalid paginated history lineage for ${parent}: missing source rollout`);
    }
    items.push(...readThread(home, parent).items.slice(0, Number(base["end_ordinal_exclusive"])));
  }
  for (const line of rest) {
    const entry = parsed(line);
    const payload = entry?.["payload"];
    if (!isFields(payload)) continue;
    if (entry?.["type"] === "response_item") items.push(payload);
    if (entry?.["type"] === "compacted") items = listOf(payload["replacement_history"]);
    const info = payload["info"];
    if (payload["type"] === "token_count" && isFields(info)) totals = info["total_token_usage"] as Fields;
  }
  return { meta, items: answered(items), totals, path };
}

/** An output without its call is dropped; a call without an output was aborted. */
function answered(items: readonly Fields[]): Fields[] {
  const calls = new Set(items.filter((item) => item["type"] === "function_call").map((item) => item["call_id"]));
  const outputs = new Set(
    items.filter((item) => item["type"] === "function_call_output").map((item) => item["call_id"]),
  );
  return items.flatMap((item) => {
    if (item["type"] === "function_call_output" && item["namespace"] === undefined && !calls.has(item["call_id"]))
      return [];
    if (item["type"] !== "function_call" || outputs.has(item["call_id"])) return [item];
    return [item, { type: "function_call_output", call_id: item["call_id"], output: "aborted" }];
  });
}

function parsed(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The middle of a text that is too long is left out, as the program does it, at 4 bytes a token. */
export function cutMiddle(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const half = Math.floor(maxBytes / 2);
  const left = Math.ceil((bytes.length - maxBytes) / 4);
  return `${bytes.subarray(0, half).toString()}…${left} tokens truncated…${bytes.subarray(-half).toString()}`;
}

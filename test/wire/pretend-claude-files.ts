// The files in which the stand-in for Claude Code keeps its sessions: by their real names, line by line, one after the other.
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

export type Fields = Record<string, unknown>;
export type ChatMessage = { readonly role: string; readonly content: Fields[] };

/** What is spent so far: running totals that survive a resume. */
export type Spent = { costUsd: number; models: Record<string, Fields> };

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

export function textBlock(text: string): Fields {
  return { type: "text", text };
}

function projectDirName(path: string): string {
  const name = path.replaceAll(/[^a-zA-Z0-9]/g, "-");
  if (name.length <= 200) return name;
  let hash = 0;
  for (let at = 0; at < path.length; at += 1) hash = Math.trunc((hash << 5) - hash + path.charCodeAt(at)) | 0;
  return `${name.slice(0, 200)}-${Math.abs(hash).toString(36)}`;
}

export class SessionFile {
  readonly id: string;
  readonly path: string;
  readonly resumed: boolean;
  /** The main chain, as the model is sent it. */
  readonly messages: ChatMessage[] = [];
  readonly spent: Spent = { costUsd: 0, models: {} };
  /** The system prompt that the session began with; it wins over later ones, unless it is told not to. */
  recordedPrompt: string | undefined;
  #last: string | null = null;

  constructor(id: string, path: string, resumed: boolean) {
    this.id = id;
    this.path = path;
    this.resumed = resumed;
  }

  static create(config: string, cwd: string, env: Readonly<Record<string, string | undefined>>): SessionFile {
    const id = randomUUID();
    const folder = env["CLAUDE_CODE_PROJECT_DIR_NAME"] ?? projectDirName(realpathSync(cwd));
    return new SessionFile(id, join(config, "projects", folder, `${id}.jsonl`), false);
  }

  /** By its id in any project's folder; undefined when it is not there or holds nothing. */
  static find(config: string, id: string): SessionFile | undefined {
    const projects = join(config, "projects");
    if (!existsSync(projects)) return undefined;
    const path = readdirSync(projects)
      .map((name) => join(projects, name, `${id}.jsonl`))
      .find((one) => existsSync(one));
    if (path === undefined) return undefined;
    const session = new SessionFile(id, path, true);
    for (const line of readFileSync(path, "utf8").split("\n")) session.#read(line);
    session.#heal();
    return session.messages.length === 0 ? undefined : session;
  }

  #read(line: string): void {
    let entry: unknown;
    try {
      entry = JSON.parse(line);
    } catch {
      return;
    }
    if (!isFields(entry)) return;
    if (entry["type"] === "running-totals") Object.assign(this.spent, entry["spent"]);
    if (entry["type"] === "system-prompt") this.recordedPrompt = String(entry["prompt"]);
    const { message } = entry;
    if (entry["isSidechain"] === true || typeof entry["uuid"] !== "string" || !isFields(message)) return;
    this.#last = entry["uuid"];
    // What it said itself of a failed request was never the model's.
    if (message["model"] === "<synthetic>") return;
    const content =
      typeof message["content"] === "string" ? [textBlock(message["content"])] : listOf(message["content"]);
    this.#take(String(message["role"] ?? entry["type"]), content);
  }

  /** Prompts that nothing answered, and calls that nothing came of. */
  #heal(): void {
    const last = this.messages.at(-1);
    const open = (last?.role === "assistant" ? last.content : []).filter((block) => block["type"] === "tool_use");
    if (open.length > 0) {
      const text = "[Tool call interrupted: the session ended before this call's result was recorded]";
      this.#take(
        "user",
        open.map(({ id }) => ({ type: "tool_result", tool_use_id: id, is_error: true, content: text })),
      );
    }
    if (this.messages.at(-1)?.role === "user") this.#take("assistant", [textBlock("No response requested.")]);
  }

  #take(role: string, content: Fields[]): void {
    const last = this.messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else this.messages.push({ role, content: [...content] });
  }

  /** Adds to the chain and to the file; gives the entry's uuid. */
  say(role: "user" | "assistant", content: Fields[], message: Fields = {}): string {
    const uuid = randomUUID();
    const entry = { parentUuid: this.#last, isSidechain: false, userType: "external", sessionId: this.id, type: role };
    this.write({ ...entry, message: { role, content, ...message }, uuid });
    this.#last = uuid;
    if (message["model"] !== "<synthetic>") this.#take(role, content);
    return uuid;
  }

  /** What was said last is not sent again: its answer broke off and is asked for anew. */
  takeBack(content: readonly Fields[]): void {
    const last = this.messages.at(-1);
    if (last?.role !== "assistant") return;
    last.content.splice(-content.length || Infinity, content.length);
    if (last.content.length === 0) this.messages.pop();
  }

  write(entry: Fields): void {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    appendFileSync(this.path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  }
}

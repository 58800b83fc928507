// Codex's own tools in a turn: each asked about before it runs, and shown as a row.
import { basename, isAbsolute, join, resolve, sep } from "node:path";
import { clipUnits } from "../../core/text.ts";
import type { OwnUse, ToolCall, ToolResult } from "../../core/tool.ts";
import type { TurnEvent, TurnInput } from "../../core/turn.ts";
import type { Asked, FileChange, Item, Items } from "./protocol.ts";

export type CommandAsk = Asked["item/commandExecution/requestApproval"];
export type ChangeAsk = Asked["item/fileChange/requestApproval"];
/** Never for a whole session, and never as a rule for later ones. */
export type Decision = { readonly decision: "accept" | "decline" };

export type OwnTools = {
  readonly started: (item: Item) => void;
  readonly completed: (item: Item) => void;
  readonly command: (ask: CommandAsk) => Promise<Decision>;
  readonly change: (ask: ChangeAsk) => Promise<Decision>;
  /** Commands and other tools that run now. */
  readonly running: () => number;
  /** Ends the rows that stand open when the turn is over. */
  readonly close: () => readonly TurnEvent[];
};

export type OwnOrder = {
  readonly input: Pick<TurnInput, "allow" | "locked" | "workFolder">;
  /** Hands an event on; resolves once it was taken, so that what it tells of is in the log. */
  readonly push: (event: TurnEvent) => Promise<void>;
  /** Says something to the model beside its tools: a decline alone doesn't tell it why. */
  readonly note: (words: string) => Promise<void>;
  /** Folders of Codex's own that no tool of its may touch. */
  readonly closed: readonly string[];
  /** A command ran that nobody was asked about. */
  readonly unasked: (type: string) => void;
};

const MAX_TEXT_UNITS = 20_000;
const MIN_OWN_UNITS = 16;
const CLOSED = "That place is closed to every tool.";
const LOCKED = "The assistant has no tools of Codex's own here.";
const CUT_SHORT = "The turn ended while this ran.";

/** Not tools, or shown by other means. */
const SILENT: ReadonlySet<string> = new Set([
  ...["userMessage", "agentMessage", "reasoning", "plan", "hookPrompt", "contextCompaction", "dynamicToolCall"],
  ...["functionCallOutput", "enteredReviewMode", "exitedReviewMode", "sleep"],
]);

export function ownTools({ input, push, note, closed, unasked }: OwnOrder): OwnTools {
  const open = new Set<string>();
  const done = new Set<string>();
  const changes = new Map<string, readonly FileChange[]>();

  const start = async (call: ToolCall, effect: "read" | "act" = "act"): Promise<void> => {
    open.add(call.id);
    await push({ kind: "tool-start", call, effect });
  };
  const end = (id: string, result: ToolResult): void => {
    open.delete(id);
    done.add(id);
    void push({ kind: "tool-end", callId: id, result });
  };
  /** `row`: as it is shown; what is asked about is whole. */
  const decide = async (use: OwnUse, row: ToolCall): Promise<Decision> => {
    const verdict = refusal(use) ?? (await input.allow(use));
    if (verdict.is === "deny") return await decline(row, verdict.words);
    // A step of something that was asked about already has its row.
    if (!open.has(row.id)) await start(row);
    return { decision: "accept" };
  };
  const decline = async (call: ToolCall, words: string): Promise<Decision> => {
    if (!open.has(call.id)) await start(call);
    end(call.id, { outcome: "denied", text: words });
    await note(`That was not allowed, and nothing was done: ${words}`);
    return { decision: "decline" };
  };
  const refusal = ({
    paths = [],
    command = "",
  }: OwnUse): { readonly is: "deny"; readonly words: string } | undefined => {
    if (input.locked) return { is: "deny", words: LOCKED };
    const touched = paths.some((path) => closed.some((folder) => within(at(path, input.workFolder), folder)));
    const named = closed.some((folder) => command.includes(folder) || command.includes(ownName(folder)));
    return touched || named ? { is: "deny", words: CLOSED } : undefined;
  };

  return {
    running: () => open.size,
    started(item) {
      if (isChange(item)) changes.set(item.id, item.changes);
      if (SILENT.has(item.type) || isChange(item) || isCommand(item)) return;
      void start({ id: item.id, ...rowOf(item) }, item.type === "imageView" ? "read" : "act");
    },
    completed(item) {
      if (SILENT.has(item.type) || done.has(item.id)) return;
      if (!open.has(item.id)) {
        const ran = !("status" in item) || item.status !== "declined";
        if (ran && (isCommand(item) || isChange(item))) unasked(item.type);
        void start({ id: item.id, ...rowOf(item) }, item.type === "imageView" ? "read" : "act");
      }
      end(item.id, resultOf(item));
    },
    async command({
      itemId,
      kind = "command",
      command,
      cwd,
      networkApprovalContext: host,
      additionalPermissions: more,
    }) {
      const text = command ?? "";
      const call = { id: itemId, name: "Bash", input: { command: asTyped(text) } };
      // What is typed into a running command, and whatever else there may be to ask one day.
      if (kind !== "command" || text === "") return await decline(call, "Only whole commands can be allowed.");
      if ((host ?? more ?? undefined) !== undefined)
        return await decline(call, "No rights can be allowed that the card would not show.");
      const elsewhere = typeof cwd === "string" && resolve(cwd) !== resolve(input.workFolder);
      const where = elsewhere ? { input: { command: asTyped(text), cwd }, paths: [cwd] } : {};
      return await decide({ ...call, does: "command", command: text, ...where }, call);
    },
    async change({ itemId, grantRoot }) {
      const known = changes.get(itemId);
      const call = { id: itemId, ...changeRow(known ?? []) };
      // A whole folder for good, or something that was never told of: nobody can say what that would be.
      if (known === undefined || known.length === 0 || (grantRoot !== undefined && grantRoot !== null))
        return await decline(call, "Only changes that are shown can be allowed.");
      const whole = { ...call, ...changeRow(known, Number.POSITIVE_INFINITY) };
      return await decide({ ...whole, does: "write", paths: known.flatMap(pathsOf) }, call);
    },
    close: () =>
      [...open].map((id): TurnEvent => {
        open.delete(id);
        return { kind: "tool-end", callId: id, result: { outcome: "error", text: CUT_SHORT } };
      }),
  };
}

/** A name that is nothing else's: a short one may be part of any word, so it counts with its path alone. */
function ownName(folder: string): string {
  const name = basename(folder);
  return name.length < MIN_OWN_UNITS ? folder : name;
}

function isCommand(item: Item): item is Items["commandExecution"] {
  return item.type === "commandExecution" && "command" in item;
}

function isChange(item: Item): item is Items["fileChange"] {
  return item.type === "fileChange" && "changes" in item;
}

function pathsOf({ path, kind }: FileChange): readonly string[] {
  return kind.type === "update" && kind.move_path !== null ? [path, kind.move_path] : [path];
}

function rowOf(item: Item): { readonly name: string; readonly input: unknown } {
  if (isCommand(item)) return { name: "Bash", input: { command: asTyped(item.command) } };
  if (isChange(item)) return changeRow(item.changes);
  if ("server" in item) return { name: `${item.server}.${item.tool}`, input: item.arguments };
  if ("query" in item) return { name: "WebSearch", input: { query: item.query } };
  if (item.type === "imageView" && "path" in item) return { name: "Read", input: { path: item.path } };
  return { name: item.type, input: {} };
}

function changeRow(
  changes: readonly FileChange[],
  maxUnits: number = MAX_TEXT_UNITS,
): { readonly name: string; readonly input: unknown } {
  const path = changes.map((change) => pathsOf(change).join(" → ")).join(", ");
  const name = changes.length > 0 && changes.every(({ kind }) => kind.type === "add") ? "Write" : "Edit";
  return { name, input: { path, diff: clipUnits(changes.map(unified).join("\n"), maxUnits) } };
}

/** Codex gives a new or deleted file's bare text, and the hunks of a changed one. */
function unified({ path, kind, diff }: FileChange): string {
  const to = kind.type === "update" && kind.move_path !== null ? kind.move_path : path;
  const head = `--- ${kind.type === "add" ? "/dev/null" : path}\n+++ ${kind.type === "delete" ? "/dev/null" : to}\n`;
  if (kind.type === "update") return head + diff.replace(/\n\nMoved to: [^\n]{0,4096}$/u, "");
  const lines = diff.replace(/\n$/u, "").split("\n");
  const sign = kind.type === "add" ? "+" : "-";
  const hunk = kind.type === "add" ? `@@ -0,0 +1,${lines.length} @@` : `@@ -1,${lines.length} +0,0 @@`;
  return `${head}${hunk}\n${lines.map((line) => sign + line).join("\n")}`;
}

function resultOf(item: Item): ToolResult {
  const status = "status" in item ? item.status : "completed";
  if (status === "declined") return { outcome: "denied", text: "It was not allowed." };
  if (!isCommand(item))
    return status === "failed" ? { outcome: "error", text: "It failed." } : { outcome: "ok", text: "" };
  const output = clipUnits(item.aggregatedOutput ?? "", MAX_TEXT_UNITS);
  if (status === "completed" && (item.exitCode ?? 0) === 0) return { outcome: "ok", text: output };
  const code = item.exitCode === null ? "It ended early." : `It ended with exit code ${item.exitCode}.`;
  return { outcome: "error", text: output === "" ? code : `${output}\n${code}` };
}

const WRAPPED = /^(?:\/usr)?\/bin\/(?:bash|sh|zsh) -l?c ([\s\S]+)$/u;

/** What Codex hands to the owner's own shell, without the shell around it where that is plain to see. */
function asTyped(command: string): string {
  const inner = WRAPPED.exec(command)?.[1] ?? "";
  if (/^'[^']+'$/u.test(inner) || /^"[^"\\$`!]+"$/u.test(inner)) return inner.slice(1, -1);
  return /^[\w./-]+$/u.test(inner) ? inner : command;
}

function at(path: string, work: string): string {
  return resolve(isAbsolute(path) ? path : join(work, path));
}

function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

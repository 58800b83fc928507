// A catalogue with the apps of a test, over a store in a folder of its own.
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openCatalog, type CatalogSetup, type SignIns } from "../../src/catalog/catalog.ts";
import type { AppEntry, Connection } from "../../src/catalog/entries.ts";
import type { Catalog, Item } from "../../src/catalog/port.ts";
import type { Clock, Surroundings } from "../../src/core/surroundings.ts";
import type { Tool, ToolResult } from "../../src/core/tool.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";

/** What a stage is set with. `clock`: the real one if left out. */
export type StageOptions = Partial<Pick<CatalogSetup, "env" | "bounds">> & { readonly clock?: Clock };

/** A data folder whose catalogue can be opened again and again. */
export type Stage = {
  readonly folder: string;
  readonly store: Store;
  /** What was said to the operator. */
  readonly notes: readonly string[];
  open(entries: readonly AppEntry[], options?: StageOptions): Promise<Catalog & SignIns>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** The path of a reference server's program. */
export function programOf(server: "everything" | "filesystem" | "memory"): string {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${server}/package.json`);
  return join(dirname(manifest), "dist/index.js");
}

/** An entry of which a test says only what matters to it. */
export function entryOf(id: string, connect: Connection, more: Partial<AppEntry> = {}): AppEntry {
  return {
    id,
    name: id.toUpperCase(),
    tagline: "An app",
    about: "An app of a test",
    cues: { words: [], not: [] },
    featured: false,
    retired: false,
    reviewed: true,
    connect,
    may: ["Anything"],
    annotations: true,
    tried: true,
    ...more,
  };
}

/** A program that misbehaves so. */
export function hostile(mode: string, more: Partial<AppEntry> = {}): AppEntry {
  const program = fileURLToPath(new URL("mcp-hostile.ts", import.meta.url));
  return entryOf("bad", { kind: "stdio", command: [process.execPath, program, mode] }, more);
}

export async function setStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "tidegate-catalog-"));
  const notes: string[] = [];
  const note = (fields: Record<string, unknown>, words: string): void =>
    void notes.push(`${words} ${String(fields["err"])}`);
  const log = { debug: note, info: note, warn: note, error: note };
  const store = await openStore({ folder, clock: realClock, random: realRandom, log });
  const opened: Catalog[] = [];
  return {
    folder,
    store,
    notes,
    async open(entries, { clock = realClock, env = {}, bounds = {} } = {}) {
      const surroundings: Surroundings = { clock, random: realRandom, log };
      const { settings } = store;
      const own = { skillsFolder: join(folder, "skills"), folder, work: join(folder, "work") };
      const setup = { entries, settings, ...own, env, surroundings, bounds };
      const catalog = await openCatalog(setup);
      opened.push(catalog);
      return catalog;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map(async (catalog) => await catalog[Symbol.asyncDispose]()));
      await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function itemOf(catalog: Catalog, id: string): Item {
  const item = catalog.items.find((one) => one.id === id);
  if (item === undefined) throw new Error(`There is no app ${id}.`);
  return item;
}

export function toolOf(catalog: Catalog, name: string): Tool {
  const tool = catalog.tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`No tool ${name} among ${catalog.tools.map((one) => one.name).join(", ")}`);
  return tool;
}

/** Calls a tool as a turn does, with input that was checked. */
export async function run(
  tool: Tool,
  input: unknown = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolResult> {
  return await tool.run(tool.check(input), { conversation: "c", turn: "t", signal, taints: async () => [] });
}

/** A signal that never fires. */
export const patient: AbortSignal = new AbortController().signal;

/** Resolves with the words that something is refused with. */
export async function wordsOf(work: Promise<unknown>): Promise<string> {
  try {
    return `it went well: ${JSON.stringify(await work)}`;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** Resolves once `seen` holds of what the catalogue says. */
export async function when(catalog: Catalog, seen: () => boolean): Promise<void> {
  const over = new AbortController();
  const news = catalog.changes(over.signal);
  try {
    if (seen()) return;
    for await (const _ of news) if (seen()) return;
  } finally {
    over.abort();
  }
}

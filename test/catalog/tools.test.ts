// Names, digests and caps of tools, for whatever a server may list.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { appTools, toolName, type CallApp } from "../../src/catalog/app-tools.ts";
import { toolsDigest, type ListedTool } from "../../src/catalog/digest.ts";
import { openVault } from "../../src/catalog/vault.ts";
import { realRandom } from "../../src/gateway/real.ts";
import type { Settings } from "../../src/store/port.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { entryOf } from "../wire/mcp-stage.ts";

const nobody: CallApp = async () => ({ is: "forgotten" });
const entry = entryOf("app", { kind: "stdio", command: ["true"] });

const tool: fc.Arbitrary<ListedTool> = fc.record({
  name: fc.oneof(
    fc.string({ minLength: 1, maxLength: 100, unit: "binary" }),
    fc.constantFrom("a b", "a.b", "a-b", "ask", "🔥"),
  ),
  description: fc.string({ maxLength: 30 }),
  inputSchema: fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 }),
  annotations: fc.dictionary(fc.constantFrom("readOnlyHint", "destructiveHint", "title"), fc.boolean()),
});
const tools = fc.array(tool, { maxLength: 6 });

/** The same, with the keys of every object the other way round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  const made: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, one] of Object.entries(value).reverse()) made[key] = turned(one);
  return made;
}

describe("the digest of an app's tools", () => {
  it("O66: is the same whatever the order of tools and of keys", () => {
    fc.assert(
      fc.property(tools, (listed) => {
        const other = listed.toReversed().map((one) => turned(one) as ListedTool);
        expect(toolsDigest(other)).toBe(toolsDigest(listed));
      }),
    );
  });

  it("O66: is another as soon as anything is", () => {
    const change = fc.constantFrom<(one: ListedTool) => ListedTool>(
      (one) => ({ ...one, name: `${one.name}x` }),
      (one) => ({ ...one, description: `${one.description ?? ""} ` }),
      (one) => ({ ...one, inputSchema: { ...(one.inputSchema as object), more: { deep: [1] } } }),
      (one) => ({ ...one, inputSchema: [one.inputSchema] }),
      (one) => ({ ...one, annotations: { ...(one.annotations as object), openWorldHint: true } }),
    );
    fc.assert(
      fc.property(fc.array(tool, { minLength: 1, maxLength: 6 }), fc.nat(), change, (listed, nth, make) => {
        const at = nth % listed.length;
        const before = toolsDigest(listed);
        const changed = listed.map((one, index) => (index === at ? make(one) : one));
        expect(toolsDigest(changed)).not.toBe(before);
        expect(toolsDigest([...listed, make(listed[at] as ListedTool)])).not.toBe(before);
        expect(toolsDigest(listed.slice(1))).not.toBe(before);
      }),
    );
  });

  it("O66: what stands in an array keeps its order, and text is no number", () => {
    const of = (inputSchema: unknown): string => toolsDigest([{ name: "a", inputSchema }]);
    expect(of({ required: ["a", "b"] })).not.toBe(of({ required: ["b", "a"] }));
    expect(of({ const: "1" })).not.toBe(of({ const: 1 }));
    expect(of({})).not.toBe(of([]));
    expect(of(null)).toBe(of(undefined));
  });
});

describe("the names of an app's tools", () => {
  it("O70: whatever a server lists, names fit every engine, begin with the app and differ, in any order", async () => {
    await fc.assert(
      fc.asyncProperty(tools, async (listed) => {
        const good = listed.map((one) => ({ ...one, inputSchema: { type: "object" } }));
        const named = async (these: readonly ListedTool[]): Promise<ReadonlyMap<string, string>> =>
          new Map((await appTools(entry, these, nobody)).tools.map((one) => [one.tool.name, one.listed]));
        const names = await named(good);
        for (const name of names.keys()) expect(name).toMatch(/^app__[A-Za-z0-9_-]{1,59}$/u);
        expect(names.size).toBe((await appTools(entry, good, nobody)).tools.length);
        expect(await named(good.toReversed())).toEqual(new Map([...names].reverse()));
      }),
    );
  });

  it("O70: a name that had to be changed can't be taken by another tool's own", () => {
    const changed = toolName("app", "a b") ?? "";
    expect(changed).toMatch(/^app__a_b_x[0-9a-f]{6}$/u);
    expect(toolName("app", changed.slice("app__".length))).not.toBe(changed);
    expect(toolName("app", "a_b")).toBe("app__a_b");
    for (const nothing of ["", "🔥", "__", "   "]) expect(toolName("app", nothing)).toBeUndefined();
    expect(toolName("mcp", "tidegate__ask")).toBeUndefined();
    expect(toolName("a".repeat(60), "tool")).toBeUndefined();
  });

  it("O70: a description is capped and says nothing that can't be seen", async () => {
    const description = `a\u202Eb\u0007${"x".repeat(9_000)}`;
    const { tools } = await appTools(entry, [{ name: "go", description, inputSchema: { type: "object" } }], nobody);
    const [made] = tools;
    expect(made?.tool.description.startsWith("abx")).toBe(true);
    expect(made?.tool.description.length).toBe(4_000);
  });
});

describe("the vault", () => {
  it("O66: opens what it sealed, for the same app alone, and never seals alike twice", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tidegate-vault-"));
    const kept = new Map<string, unknown>();
    const settings: Settings = {
      get: async <T>(key: string) => kept.get(key) as T | undefined,
      set: async (key, value) => void kept.set(key, value),
      delete: async (key) => void kept.delete(key),
    };
    try {
      const vault = openVault<{ readonly token: string }>(folder, settings, realRandom);
      expect(await vault.read("a")).toEqual({ is: "none" });
      // The first two at once: they share the key that is made for them.
      await Promise.all([vault.write("a", { token: "one" }), vault.write("b", { token: "two" })]);
      expect(await vault.read("a")).toEqual({ is: "kept", value: { token: "one" } });
      expect(await vault.read("b")).toEqual({ is: "kept", value: { token: "two" } });
      const before = kept.get("sealed/a");
      await vault.write("a", { token: "one" });
      expect(kept.get("sealed/a")).not.toBe(before);
      kept.set("sealed/b", kept.get("sealed/a"));
      expect(await vault.read("b")).toEqual({ is: "lost" });
      const spoilt = Buffer.from(String(kept.get("sealed/a")), "base64");
      spoilt[spoilt.length - 1] = (spoilt.at(-1) ?? 0) ^ 1;
      for (const value of [spoilt.toString("base64"), "", "AAAA", 7]) {
        kept.set("sealed/a", value);
        expect(await vault.read("a")).toEqual({ is: "lost" });
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

// Every tool of a turn, listed as Claude Code lists the tools of a server: through the protocol's own client, which refuses a whole list
// for one tool that is not as it should be.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Questions } from "../../src/cards/questions.ts";
import { turnCards } from "../../src/cards/turn-cards.ts";
import { appTools } from "../../src/catalog/app-tools.ts";
import type { Catalog } from "../../src/catalog/port.ts";
import type { Tool, ToolSpec } from "../../src/core/tool.ts";
import { toolServer } from "../../src/engines/door-tools.ts";
import { pictureTools } from "../../src/gateway/picture-tools.ts";
import { pastChatTools } from "../../src/search/tools.ts";
import { openSearch } from "../../src/search/search.ts";
import { nowTool } from "../../src/turn/now.ts";
import { recordedSurroundings } from "../contracts/channel.ts";
import { entryOf, hostile, patient, programOf, setStage, type Stage } from "../wire/mcp-stage.ts";

const { surroundings } = recordedSurroundings();
/** What a schema of ours has none of: records and choices are more than some programs list. */
const UNLISTABLE = ["oneOf", "anyOf", "allOf", "not", "propertyNames", "patternProperties", "$ref", "$defs", "if"];

const stack = new AsyncDisposableStack();
let stage: Stage;
let catalog: Catalog;

beforeAll(async () => {
  stage = await setStage();
  stack.defer(async () => await stage[Symbol.asyncDispose]());
  const { execPath } = process;
  const folder = await mkdtemp(join(tmpdir(), "tool-list-"));
  stack.defer(async () => await rm(folder, { recursive: true }));
  const skills = join(stage.folder, "skills");
  await mkdir(join(skills, "trips"), { recursive: true });
  await writeFile(join(skills, "trips", "SKILL.md"), "---\nname: trips\ndescription: Plans trips.\n---\nDay by day.");
  catalog = await stage.open([
    entryOf("every", { kind: "stdio", command: [execPath, programOf("everything"), "stdio"] }),
    entryOf("files", { kind: "stdio", command: [execPath, programOf("filesystem"), folder] }),
    entryOf("notes", { kind: "stdio", command: [execPath, programOf("memory")] }),
    hostile("schemas"),
  ]);
  for (const app of ["every", "files", "notes", "bad"]) await catalog.turnOn("app", app, "on", patient);
  await catalog.turnOn("skill", "trips", "on", patient);
});
afterAll(async () => await stack.disposeAsync());

/** All that a turn of the owner's has. `own`: without those of apps. */
async function toolsOfATurn(): Promise<{ readonly all: readonly Tool[]; readonly own: readonly Tool[] }> {
  const { store } = stage;
  const search = stack.use(await openSearch({ folder: ":memory:", store, secrets: [], ...surroundings }));
  const pictures = stack.use(pictureTools(store, () => stage.folder, surroundings));
  const room = { platform: "p", chat: "1", kind: "private" } as const;
  const engine = { tools: true, images: true, plan: false, ownTools: true, sessions: true, holdMs: 1000 };
  const cards = await turnCards(
    {
      ...{ catalog, store, questions: new Questions(store, surroundings), own: pictures.tools, surroundings },
      ...{ forms: () => true, waits: () => true },
    },
    {
      ...{ conversation: "c", turn: "t", attendance: "owner", room: "private", place: room, engine },
      ...{ words: "Hello", clean: async () => true, person: "p/1", name: "Sam" },
    },
  );
  const past = pastChatTools({ search, store, secrets: [] });
  const all = [nowTool(surroundings.clock), ...past, ...cards.tools];
  return { all, own: all.filter((tool) => !catalog.tools.includes(tool)) };
}

/** What the protocol's client makes of them, from the server that engines' programs list them from; throws where it refuses the list. */
async function listed(tools: readonly ToolSpec[]): Promise<Awaited<ReturnType<Client["listTools"]>>["tools"]> {
  const call = async (): Promise<never> => await Promise.reject(new Error("It is not called."));
  const server = toolServer(() => ({ tools, call }));
  const client = new Client({ name: "claude-code", version: "2" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  await client.connect(here);
  const { tools: all } = await client.listTools();
  await client.close();
  await server.close();
  return all;
}

describe("O70: all tools of a turn", () => {
  it("O70: are listed, each with the schema that it has", async () => {
    const { all } = await toolsOfATurn();
    const names = all.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["ask", "offer", "suggest_replies", "update_plan", "show"]));
    expect(names).toEqual(expect.arrayContaining(["search_chats", "use_skill", "every__echo", "bad__good"]));
    expect(names.filter((name) => name.startsWith("files__")).length).toBeGreaterThan(5);
    expect(names.filter((name) => name.startsWith("notes__")).length).toBeGreaterThan(5);
    const seen = await listed(all);
    expect(seen.map(({ name }) => name)).toEqual(names);
    expect(seen.map(({ inputSchema }) => inputSchema)).toEqual(all.map(({ input }) => input));
  });

  it("O70: have names that every engine takes, each once, and say what they do", async () => {
    const { all } = await toolsOfATurn();
    for (const { name, description } of all) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/u);
      expect(description.trim()).not.toBe("");
    }
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  it("O70: have schemas that can be compiled", async () => {
    const { all } = await toolsOfATurn();
    const validator = new AjvJsonSchemaValidator();
    const broken = all.filter(({ input }) => {
      try {
        validator.getValidator(input);
        return false;
      } catch {
        return true;
      }
    });
    expect(broken.map(({ name }) => name)).toEqual([]);
  });

  it("O70: of ours, have plain objects only: no records, no choices, nothing referred to", async () => {
    const { own } = await toolsOfATurn();
    expect(own.length).toBeGreaterThan(7);
    for (const { name, input } of own) {
      const found: string[] = [];
      const look = (schema: unknown, at: string): void => {
        if (typeof schema !== "object" || schema === null) return;
        for (const [key, value] of Object.entries(schema)) {
          // A property may be called as it likes.
          const isNamed = at.endsWith("/properties");
          if (!isNamed && UNLISTABLE.includes(key)) found.push(`${at}/${key}`);
          if (!isNamed && key === "additionalProperties" && typeof value === "object") found.push(`${at}/record`);
          if (!isNamed && key === "type" && typeof value !== "string") found.push(`${at}/type`);
          look(value, `${at}/${key}`);
        }
      };
      look(input, name);
      expect(found).toEqual([]);
      expect(input["type"]).toBe("object");
    }
  });
});

describe("O70: one bad schema", () => {
  it.each([
    ["none", undefined],
    ["null", null],
    ["a list", { type: "array" }],
    ["a flag for a property", { type: "object", properties: { a: true } }],
    ["properties that are a list", { type: "object", properties: [] }],
    ["required that is no list", { type: "object", required: "a" }],
    ["a choice at the top", { type: "object", oneOf: [{ required: ["a"] }] }],
    ["a record", { type: "object", additionalProperties: { type: "string" }, propertyNames: { pattern: "(" } }],
    ["a schema made by a library", { _def: { typeName: "ZodRecord" }, parse: "no" }],
  ])("O70: takes no other tool away where it got as far as the engine: %s", async (_, input) => {
    const spec = { description: "For a test.", input: { type: "object", properties: {} } };
    const tools = [
      { ...spec, name: "before" },
      { ...spec, name: "bad", input: input as never },
      { ...spec, name: "after" },
    ];
    const seen = await listed(tools);
    expect(seen.map(({ name }) => name)).toEqual(["before", "bad", "after"]);
    // Each is an object's, as the protocol and the service behind it want them.
    for (const { inputSchema } of seen) {
      expect(inputSchema.type).toBe("object");
      expect(Object.keys(inputSchema)).not.toEqual(expect.arrayContaining(["oneOf"]));
    }
  });

  const good = { name: "good", inputSchema: { type: "object", properties: { a: { type: "string" } } } };
  const call = async (): Promise<never> => await Promise.reject(new Error("It is not called."));

  it.each([
    ["none", undefined],
    ["a list", { type: "array" }],
    ["a flag for a property", { type: "object", properties: { a: true } }],
    ["a choice at the top", { type: "object", oneOf: [{ required: ["a"] }] }],
    ["required that is no list", { type: "object", required: "a" }],
    ["a name with a space", { type: "object", properties: { "a b": {} } }],
  ])("O70: takes no other tool away: %s", async (_, inputSchema) => {
    const entry = entryOf("app", { kind: "http", url: "https://app.example/mcp", signIn: false });
    const { tools } = await appTools(entry, [{ name: "bad", inputSchema }, good], call);
    expect((await listed(tools.map(({ tool }) => tool))).map(({ name }) => name)).toEqual(["app__good"]);
  });

  it.each([
    ["a type that is none", { type: "object", properties: { a: { type: "strng" } } }],
    ["a list of types within", { type: "object", properties: { a: { type: ["string", 5] } } }],
    ["required that is no list within", { type: "object", properties: { a: { type: "object", required: "b" } } }],
    ["a reference to nowhere", { type: "object", properties: { a: { $ref: "#/nowhere" } } }],
    ["a pattern that is none", { type: "object", properties: { a: { type: "string", pattern: "(" } } }],
  ])("O70: that no service could compile goes alone, too: %s", async (_, inputSchema) => {
    const entry = entryOf("app", { kind: "http", url: "https://app.example/mcp", signIn: false });
    const { tools } = await appTools(entry, [{ name: "bad", inputSchema }, good], call);
    expect(tools.map(({ tool }) => tool.name)).toEqual(["app__good"]);
  });
});

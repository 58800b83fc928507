// The cards with the real programs: what each lists, asks, offers, plans and suggests through the real gateway, and what is answered late.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openCatalog } from "../../src/catalog/catalog.ts";
import type { AppEntry } from "../../src/catalog/entries.ts";
import type { Engine } from "../../src/core/engine.ts";
import type { Surroundings } from "../../src/core/surroundings.ts";
import { createEngine, type EngineSettings } from "../../src/engines/registry.ts";
import { CLAUDE_TONGUE, CODEX_TONGUE, type Tongue } from "../contracts/session-script.ts";
import { testHost } from "../engines/host.ts";
import { journey, newJourney, type Journey, type JourneyOptions } from "../journeys/gateway.ts";
import { offered, tap } from "../journeys/scripted.ts";
import { entryOf, hostile, programOf } from "../wire/mcp-stage.ts";
import { fieldsOf, textOf } from "../wire/models-script.ts";
import type { ModelRequest, Step } from "../wire/models-script.ts";
import type { ModelsWire } from "../wire/models.ts";
import { CODEX_COMMAND, PROGRAMS } from "./where.ts";

const KEY = "key-that-nobody-may-see-4711";
const SEAT = { id: "seat", label: "Which seat?", kind: "choice", options: ["Window", "Aisle"] };
/** Each turn starts a large program. */
const timeoutMs = 40_000;

type Program = {
  readonly name: "claude" | "codex";
  readonly settings: (models: ModelsWire) => EngineSettings;
  readonly tongue: Tongue;
  /** How the program's model is told of a tool of ours. */
  readonly called: (tool: string) => string;
};

const CLAUDE: Program = {
  name: "claude",
  settings: (models) => {
    return { kind: "claude-code", sdk: PROGRAMS, apiKey: KEY, baseUrl: models.baseUrl, model: "claude-sonnet-5" };
  },
  tongue: CLAUDE_TONGUE,
  called: (tool) => `mcp__tidegate__${tool}`,
};
const CODEX: Program = {
  name: "codex",
  settings: (models) => {
    return { kind: "codex", command: CODEX_COMMAND, apiKey: KEY, baseUrl: models.openaiUrl, model: "gpt-5.5" };
  },
  tongue: {
    ...CODEX_TONGUE,
    // Without it an allowed command stays where it can write nothing.
    own(use) {
      const step = CODEX_TONGUE.own(use);
      return { ...step, args: { ...(step.args as object), sandbox_permissions: "require_escalated" } };
    },
  },
  called: (tool) => tool,
};

/** What the model does at words of the last message, one step for each answer that a tool gave since; `told` is all of those. */
type Part = (step: number, told: string, request: ModelRequest) => Step[];

function plays(models: ModelsWire, parts: Readonly<Record<string, Part>>): void {
  models.always((request) => {
    const items = fieldsOf(request.body["messages"] ?? request.body["input"]);
    const words = items.map((item) => (item["role"] === "user" ? textOf(item["content"]) : ""));
    const at = words.findLastIndex((said) => Object.keys(parts).some((cue) => said.includes(cue)));
    // Of what one message holds the last counts: what it missed stands before it.
    const said = words[at] ?? "";
    const cue = Object.keys(parts).toSorted((a, b) => said.lastIndexOf(b) - said.lastIndexOf(a))[0] ?? "";
    const since = items.slice(at + 1).filter(isResult);
    return at < 0 ? ["Well."] : (parts[cue]?.(since.length, JSON.stringify(since), request) ?? ["Well."]);
  });
}

function isResult(item: Readonly<Record<string, unknown>>): boolean {
  if (item["type"] === "function_call_output") return true;
  return fieldsOf(item["content"]).some((block) => block["type"] === "tool_result");
}

function folderHere(): string {
  const folder = mkdtempSync(join(tmpdir(), "tidegate-cards-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A catalogue of real apps. */
function apps(entries: readonly AppEntry[], on: readonly string[]): NonNullable<JourneyOptions["catalog"]> {
  const folder = folderHere();
  return async (store, surroundings) => {
    const own = { skillsFolder: join(folder, "skills"), folder, work: join(folder, "work"), env: {} };
    const catalog = await openCatalog({ entries, settings: store.settings, ...own, surroundings });
    for (const id of on) await catalog.turnOn("app", id, "on", new AbortController().signal);
    return catalog;
  };
}

const memory = (file: string): AppEntry =>
  entryOf(
    "memory",
    { kind: "stdio", command: [process.execPath, programOf("memory")], env: { MEMORY_FILE_PATH: file } },
    { name: "Memory" },
  );

/** The program, but with so short a patience that nobody can press in it. */
async function impatient({ settings }: Program): Promise<Journey> {
  const host = await testHost();
  onTestFinished(async () => await host[Symbol.asyncDispose]());
  const begun: Journey[] = [];
  const puppet = (surroundings: Surroundings): Engine => {
    const [day] = begun;
    if (day === undefined) throw new Error("It has not begun.");
    const made = createEngine("puppet", settings(day.models), surroundings, host);
    return {
      name: "puppet",
      can: { tools: true, images: true, plan: true, ownTools: true, locked: true, sessions: true, holdMs: 1 },
      async *run(input) {
        yield* (await made).run(input);
      },
      forget: async (resumeId) => await (await made).forget(resumeId),
      check: async (signal) => await (await made).check(signal),
      [Symbol.asyncDispose]: async () => await (await made)[Symbol.asyncDispose](),
    };
  };
  const day = await newJourney({ puppet, timeoutMs });
  begun.push(day);
  await day.start();
  return day;
}

describe.each([CLAUDE, CODEX])("the cards, with the real $name", (program) => {
  const { name, settings, tongue, called } = program;

  it("O70, O62, O2: lists all tools of a turn beside one bad schema, has no second plan, and is told what could be turned on", async () => {
    const folder = folderHere();
    await using day = await journey({
      ...{ timeoutMs, programs: (models) => ({ [name]: settings(models) }) },
      catalog: apps([hostile("schemas"), memory(join(folder, "m"))], ["bad"]),
    });
    plays(day.models, {});
    day.say("Hello");
    await day.shown("Well.");
    const request = day.models.last;
    const names = request?.toolNames ?? [];
    const ours = ["now", "ask", "offer", "suggest_replies", "show", "search_chats", "bad__good"];
    expect(names).toEqual(expect.arrayContaining(ours.map(called)));
    expect(names.filter((one) => one.endsWith("update_plan"))).toEqual(name === "codex" ? ["update_plan"] : []);
    const told = JSON.stringify(request?.body);
    // Each with its schema: what a tool needs is how a model calls it.
    for (const part of ["suggest_replies", "fields", "target", "What could be turned on", "Memory"])
      expect(told).toContain(part);
  });

  it("O35, O39, O46, O56: a question answered while it waits, a plan of its own, and replies to send next", async () => {
    await using day = await journey({ timeoutMs, programs: (models) => ({ [name]: settings(models) }) });
    plays(day.models, {
      "A seat": (step, told) =>
        step === 0
          ? [{ tool: called("ask"), args: { fields: [SEAT] } }]
          : [told.includes("Aisle") ? "You sit at the aisle." : "I know of no seat."],
      "A plan": (step) => (step === 0 ? [tongue.plan(["Pack", "Sail"])] : ["Planned."]),
      "Which trains?": (step) =>
        step === 0 ? [{ tool: called("suggest_replies"), args: { replies: ["Book the 9:05"] } }] : ["The 9:05."],
      "Book the 9:05": () => ["Booked."],
    });
    day.say("A seat, please");
    const card = await day.shown("Which seat?");
    expect(day.labels(card)).toEqual(["Window", "Aisle", "Skip"]);
    day.press(card, "Aisle");
    await day.shown("You sit at the aisle.");
    expect((await day.closed(card)).text).toBe("Which seat? – Aisle");
    day.say("A plan, please");
    await day.shown("Planned.");
    await day.shown("1 of 2 done");
    day.say("Which trains?");
    await day.shown("The 9:05.");
    await day.settled();
    expect(offered(day)).toEqual(["Book the 9:05"]);
    tap(day, "Book the 9:05");
    await day.shown("Booked.");
    await day.settled();
    expect(offered(day)).toEqual([]);
    expect((await day.entries()).flatMap((entry) => (entry.kind === "turn-ended" ? [entry.reason] : []))).toEqual(
      Array.from({ length: 4 }, () => "done"),
    );
  });

  it("O18, O22, O25, O62: an offer is taken, and the request goes on by itself with what the app brings", async () => {
    const file = join(folderHere(), "memory.jsonl");
    const tool = called("memory__create_entities");
    await using day = await journey({
      ...{ timeoutMs, programs: (models) => ({ [name]: settings(models) }) },
      catalog: apps([memory(file)], []),
    });
    const entities = [{ name: "Miso", entityType: "cat", observations: ["sleeps"] }];
    plays(day.models, {
      "Keep it": (step, told, { toolNames }) => {
        const has = toolNames.includes(tool);
        if (step === 0)
          return has
            ? [{ tool, args: { entities } }]
            : [{ tool: called("offer"), args: { kind: "app", target: "memory", why: "it keeps facts" } }];
        if (has) return [told.includes("Miso") ? "It is kept." : "It was not kept."];
        return [told.includes("stands under your reply") ? "Not yet." : "Nothing could be offered."];
      },
    });
    day.say("My cat is called Miso. Keep it, please");
    await day.shown("Not yet.");
    const card = await day.shown("Connect Memory?");
    day.press(card, "Connect");
    await day.becomes(card, "Connected Memory · carrying on");
    day.press(await day.shown("May I?"), "Allow once");
    await day.shown("It is kept.");
    await day.settled();
    expect(existsSync(file)).toBe(true);
    const entries = await day.entries();
    expect(entries.filter(({ kind }) => kind === "message")).toHaveLength(1);
    // Tools that changed are no repair, and nothing is said of it.
    expect(JSON.stringify(entries)).not.toContain("could not be continued");
  });

  it("E28, O35, O39, A37: a question and a command of its own are answered after the program's patience, and each goes on once", async () => {
    await using day = await impatient(program);
    const made = join(folderHere(), "made");
    const command = { ...tongue.own({ does: "command", command: `touch ${made}` }), id: "call_made" };
    plays(day.models, {
      "A seat": (step, told) => {
        if (step === 0) return [{ tool: called("ask"), args: { fields: [SEAT] } }];
        return [told.includes("end your turn now") ? "I asked you." : "I did not wait."];
      },
      "The answer:]": (_step, told, { lastUserText }) => [
        lastUserText.includes("Which seat?: Aisle") && told === "[]" ? "You sit at the aisle." : "I know of no seat.",
      ],
      "Touch it": (step) => (step === 0 ? [command] : ["That is up to you."]),
      "now allows this call": (step) => (step === 0 ? [{ ...command, id: "call_again" }] : ["It is made."]),
    });
    day.say("A seat, please");
    const card = await day.shown("Which seat?");
    await day.shown("I asked you.");
    await day.settled();
    day.press(card, "Aisle");
    await day.shown("You sit at the aisle.");
    day.say("Touch it, please");
    const asked = await day.shown("May I?");
    expect(asked.text).toContain(`touch ${made}`);
    await day.shown("That is up to you.");
    await day.settled();
    expect(existsSync(made)).toBe(false);
    day.press(asked, "Allow once");
    await day.shown("It is made.");
    await day.settled();
    expect(existsSync(made)).toBe(true);
    const entries = await day.entries();
    expect(entries.filter(({ kind }) => kind === "resumed")).toHaveLength(2);
    expect(entries.filter(({ kind }) => kind === "turn-started")).toHaveLength(4);
    expect(entries.flatMap((entry) => (entry.kind === "tool-end" ? [entry.result.outcome] : []))).toContain("denied");
  });
});

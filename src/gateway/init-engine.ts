// init's questions about the engine: what is there already, which one to take, its model and its key.
import { z } from "zod";
import { GatewayError } from "../core/error.ts";
import type { Clock } from "../core/surroundings.ts";
import { within } from "./doctor-calls.ts";
import { findPrograms, seemsSignedIn, type EngineProgram } from "./found-programs.ts";
import type { Questions } from "./init-questions.ts";

type Kind = "openai" | "anthropic" | "google" | "openai-compatible" | "claude-code" | "codex" | "demo";

/** A key: kept in a variable that is set already, or a value to be kept in one of that name. */
export type Key = { readonly variable: string; readonly value?: string };

/** The engine that was chosen. `name` is what the config calls it. */
export type EngineAnswers = {
  readonly name: string;
  readonly kind: Kind;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly key?: Key;
};

/** How the machine is looked at. */
export type Machine = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
};

type Vendor = {
  readonly kind: Kind;
  readonly name: string;
  /** Where its key usually is; the first one names a new key. */
  readonly variables: readonly [string, ...string[]];
  readonly models: string;
  readonly headers: (key: string) => Record<string, string>;
  readonly chats: RegExp;
};

const bearer = (key: string): Record<string, string> => (key === "" ? {} : { authorization: `Bearer ${key}` });

const VENDORS: readonly Vendor[] = [
  {
    kind: "openai",
    name: "openai",
    variables: ["OPENAI_API_KEY"],
    models: "https://api.openai.com/v1/models",
    headers: bearer,
    chats: /^(?:gpt|o\d|chat)/u,
  },
  {
    kind: "anthropic",
    name: "anthropic",
    variables: ["ANTHROPIC_API_KEY"],
    models: "https://api.anthropic.com/v1/models",
    headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
    chats: /./u,
  },
  {
    kind: "google",
    name: "google",
    variables: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    models: "https://generativelanguage.googleapis.com/v1beta/models",
    headers: (key) => ({ "x-goog-api-key": key }),
    chats: /^gemini/u,
  },
];

/** Where local servers (Ollama, llama.cpp) listen unless told otherwise. */
const LOCAL_URLS = ["http://127.0.0.1:11434/v1", "http://127.0.0.1:8080/v1"] as const;
const LOCAL_LIMIT_MS = 2000;
const LIST_LIMIT_MS = 10_000;
const SHOWN_MODELS = 12;

/** Says what is there, and asks for one engine. */
export async function askEngine(questions: Questions, machine: Machine): Promise<EngineAnswers> {
  const [programs, ...servers] = await Promise.all([
    findPrograms(machine.env["PATH"] ?? ""),
    ...LOCAL_URLS.map(async (url) => ({ url, models: await listModels(machine, `${url}/models`, {}, LOCAL_LIMIT_MS) })),
  ]);
  const local = servers.filter(({ models }) => models.length > 0);
  const rows: readonly { readonly kind: Kind; readonly found: boolean; readonly words: string }[] = [
    ...VENDORS.map(({ kind, variables }) => {
      const set = variables.find((name) => isSet(machine, name));
      return { kind, found: set !== undefined, words: set === undefined ? `with a key of yours` : `${set} is set` };
    }),
    {
      kind: "openai-compatible",
      found: local.length > 0,
      words:
        local.length === 0
          ? "a server of yours, such as Ollama, or another service"
          : local.map(({ url, models }) => `${url} answers: ${models.slice(0, 3).join(", ")}`).join("; "),
    },
    ...(await Promise.all(
      programs.usable.map(async (one) => ({ kind: one.kind, found: true, words: await aboutProgram(one, machine) })),
    )),
    { kind: "demo", found: false, words: "a script: no key, no model, to try everything else" },
  ];
  questions.say("\nWhat shall answer?");
  for (const [at, { kind, words }] of rows.entries()) questions.say(`  ${at + 1}  ${kind.padEnd(18)} ${words}`);
  if (programs.later.length > 0) {
    questions.say(`Found on this machine too: ${programs.later.join(", ")}. Tidegate can use them in a later version.`);
  }
  const first = rows.findIndex(({ found }) => found);
  for (;;) {
    const answer = await questions.ask("Number or name", String((first < 0 ? rows.length - 1 : first) + 1));
    const row = rows[Number(answer) - 1] ?? rows.find(({ kind }) => kind === answer.toLowerCase());
    if (row === undefined) {
      questions.say(`  Choose 1 to ${rows.length}.`);
      continue;
    }
    const vendor = VENDORS.find(({ kind }) => kind === row.kind);
    if (vendor !== undefined) return await askVendor(questions, machine, vendor);
    const program = programs.usable.find(({ kind }) => kind === row.kind);
    if (program !== undefined) return await askProgram(questions, machine, program);
    return row.kind === "demo"
      ? { name: "demo", kind: "demo" }
      : await askCompatible(questions, machine, local[0]?.url);
  }
}

async function askVendor(questions: Questions, machine: Machine, vendor: Vendor): Promise<EngineAnswers> {
  const set = vendor.variables.find((name) => isSet(machine, name));
  const key = await askKey(questions, machine, set, vendor.variables[0]);
  const value = valueOf(machine, key);
  const models = await listModels(machine, vendor.models, vendor.headers(value), LIST_LIMIT_MS);
  const model = await askModel(
    questions,
    models.filter((name) => vendor.chats.test(name)),
  );
  return { name: vendor.name, kind: vendor.kind, model, ...(key === undefined ? {} : { key }) };
}

async function aboutProgram(one: EngineProgram, machine: Machine): Promise<string> {
  const signedIn = await seemsSignedIn(one, machine);
  const how = signedIn ? "with your sign-in of it" : `with a key, or your sign-in (${one.signIn})`;
  return `${one.program} is on this machine: ${how}. It can act here, and asks you first`;
}

/** Neither is needed: the program has its owner's sign-in and a model of its own choice. */
async function askProgram(questions: Questions, machine: Machine, one: EngineProgram): Promise<EngineAnswers> {
  const { program, kind } = one;
  const usual = kind === "codex" ? "OPENAI_API_KEY" : "ANTHROPIC_API_KEY";
  const key = await askKey(questions, machine, undefined, usual, `your own sign-in of ${program}`);
  const model = await questions.ask(`Model (Enter: ${program}'s own choice)`);
  return {
    name: program,
    kind,
    ...(model === "" ? {} : { model }),
    ...(key === undefined ? {} : { key }),
  };
}

async function askCompatible(
  questions: Questions,
  machine: Machine,
  found: string | undefined,
): Promise<EngineAnswers> {
  let baseUrl = "";
  while (!isAddress(baseUrl))
    baseUrl = await questions.ask("Its address, with /v1 if it has that", found ?? LOCAL_URLS[0]);
  const key = await askKey(questions, machine, undefined, "MODEL_API_KEY", "none needed");
  const models = await listModels(
    machine,
    `${baseUrl.replace(/\/+$/u, "")}/models`,
    bearer(valueOf(machine, key)),
    LIST_LIMIT_MS,
  );
  const model = await askModel(questions, models);
  const local = /^https?:\/\/(?:127\.|localhost|\[::1\])/u.test(baseUrl);
  return {
    name: local ? "local" : "model",
    kind: "openai-compatible",
    baseUrl,
    model,
    ...(key === undefined ? {} : { key }),
  };
}

/** `set`: the variable that Enter takes. `none`: Enter takes no key at all. */
async function askKey(
  questions: Questions,
  machine: Machine,
  set: string | undefined,
  usual: string,
  none?: string,
): Promise<Key | undefined> {
  const enter = set === undefined ? (none === undefined ? "" : `; Enter: ${none}`) : `; Enter: $${set}, which is set`;
  for (;;) {
    const answer = await questions.askSecret(`Its key, or $NAME for an environment variable${enter}`);
    if (answer === "") {
      if (set !== undefined) return { variable: set };
      if (none !== undefined) return undefined;
      continue;
    }
    const [, variable] = /^\$\{?(\w+)\}?$/u.exec(answer) ?? [];
    if (variable === undefined && !/\s/u.test(answer)) return { variable: usual, value: answer };
    if (variable !== undefined && isSet(machine, variable)) return { variable };
    questions.say(variable === undefined ? "  A key has no spaces." : `  ${variable} is not set.`);
  }
}

async function askModel(questions: Questions, models: readonly string[]): Promise<string> {
  const shown = models.slice(0, SHOWN_MODELS);
  if (shown.length > 0) {
    questions.say(
      `Its models: ${shown.join(", ")}${models.length > shown.length ? ` and ${models.length - shown.length} more` : ""}`,
    );
  }
  let model = "";
  while (model === "") model = await questions.ask("Model", models.length <= SHOWN_MODELS ? shown[0] : "");
  return model;
}

const list = z.union([
  z.object({ data: z.array(z.object({ id: z.string(), created: z.number().optional() })) }),
  z.object({ models: z.array(z.object({ name: z.string() })) }),
]);

/** The models that an address names, newest first where it says so; none when it has no list or can't be asked. */
async function listModels(
  machine: Machine,
  url: string,
  headers: Record<string, string>,
  limitMs: number,
): Promise<readonly string[]> {
  try {
    return await within(machine.clock, limitMs, new GatewayError("engine-unreachable"), async (signal) => {
      const response = await machine.fetch(url, { headers, redirect: "error", signal });
      const said = list.parse(await response.json());
      if ("models" in said) return said.models.map(({ name }) => name.replace(/^models\//u, ""));
      return said.data.toSorted((a, b) => (b.created ?? 0) - (a.created ?? 0)).map(({ id }) => id);
    });
  } catch {
    // The check at the end says what is wrong.
    return [];
  }
}

function valueOf(machine: Machine, key: Key | undefined): string {
  return key === undefined ? "" : (key.value ?? machine.env[key.variable] ?? "");
}

function isSet(machine: Machine, name: string): boolean {
  return (machine.env[name] ?? "") !== "";
}

function isAddress(text: string): boolean {
  return /^https?:\/\//u.test(text) && URL.canParse(text);
}

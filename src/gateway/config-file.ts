// Reading a config: which file, its variables, its mistakes in words, and the paths and secrets in it.
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { LineCounter, parseDocument } from "yaml";
import { GatewayError } from "../core/error.ts";
import { configSchema, configShape, type Config } from "./config.ts";
import type { EngineConfig } from "./config-engines.ts";
import { nearest } from "./nearest.ts";

/** Where a config is looked for, and what its variables may be. */
export type ConfigPlaces = {
  /** From `--config`. */
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
};

/** A config ready for use: paths absolute, and every secret in it by value. */
export type Loaded = {
  readonly config: Config & { readonly work: string; readonly skills: string };
  /** Undefined when there is no config at all and the defaults hold. */
  readonly file: string | undefined;
  readonly secrets: readonly string[];
  /** The environment's variables and those of the `.env`: apps take their keys from there. */
  readonly env: Readonly<Record<string, string>>;
};

const SECRET_KEYS: ReadonlySet<string> = new Set(["token", "botToken", "appToken", "apiKey", "signingSecret"]);

/** Finds and reads the config. Throws a GatewayError that lists every mistake: where, why, and the nearest right key. */
export async function loadConfig(places: ConfigPlaces): Promise<Loaded> {
  const { file, source } = await find(places);
  const root = file === undefined ? places.cwd : dirname(file);
  const env = { ...(file === undefined ? {} : await dotEnv(join(root, ".env"))), ...defined(places.env) };
  const problems: string[] = [];
  const unset = new Set<string>();
  const missing = (path: string, name: string): void => {
    unset.add(path);
    problems.push(`${path}: the environment variable ${name} is not set (a .env beside the config is read too)`);
  };
  const raw = source === undefined ? {} : parse(source, file ?? "");
  const filled = fill(raw, [], env, missing);
  const checked = configShape.safeParse(filled ?? {});
  if (!checked.success) {
    // What is wrong with a value that is not there yet can't be said.
    const stated = checked.error.issues.filter(({ path }) => !unset.has(path.join(".")));
    problems.push(...stated.flatMap((issue) => describe(issue, filled)));
  }
  if (!checked.success || problems.length > 0) {
    throw new GatewayError(
      "config-invalid",
      `${file ?? "The config"} has ${problems.length === 1 ? "a mistake" : `${problems.length} mistakes`}:\n${problems.map((problem) => `  ${problem}`).join("\n")}`,
    );
  }
  const config = checked.data;
  const whole = (path: string): string => absolute(path, root, places.home);
  const data = whole(config.data);
  return {
    file,
    secrets: [...secretsIn(config), ...filledIn(raw, env)],
    env,
    config: {
      ...config,
      data,
      engines: Object.fromEntries(
        Object.entries(config.engines).map(([name, engine]) => [name, withWholePaths(engine, whole)]),
      ),
      work: config.work === undefined ? join(data, "work") : whole(config.work),
      skills: config.skills === undefined ? join(data, "skills") : whole(config.skills),
    },
  };
}

async function find(
  places: ConfigPlaces,
): Promise<{ readonly file: string | undefined; readonly source: string | undefined }> {
  const named = places.file ?? places.env["TIDEGATE_CONFIG"];
  if (named !== undefined && named !== "") {
    const file = absolute(named, places.cwd, places.home);
    try {
      return { file, source: await readFile(file, "utf8") };
    } catch (cause) {
      throw new GatewayError("config-missing", `${file} can't be read.`, {
        cause,
        hint: "Make one with ./tidegate init, or name another with --config.",
      });
    }
  }
  for (const file of [join(places.cwd, "tidegate.yaml"), join(places.home, ".tidegate", "tidegate.yaml")]) {
    try {
      return { file, source: await readFile(file, "utf8") };
    } catch (cause) {
      if (!isAbsent(cause)) throw new GatewayError("config-missing", `${file} can't be read.`, { cause });
    }
  }
  return { file: undefined, source: undefined };
}

async function dotEnv(file: string): Promise<Record<string, string>> {
  try {
    return defined(parseEnv(await readFile(file, "utf8")));
  } catch (cause) {
    if (isAbsent(cause)) return {};
    throw new GatewayError("config-missing", `${file} can't be read.`, { cause });
  }
}

function parse(source: string, file: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new GatewayError(
      "config-invalid",
      `${file} can't be read as YAML: line ${line}, column ${col}: ${error.message}`,
    );
  }
  try {
    return document.toJS();
  } catch (thrown) {
    // An alias without its anchor, or so many that they would fill the memory.
    const why = thrown instanceof Error ? thrown.message : "it can't be resolved";
    throw new GatewayError("config-invalid", `${file} can't be read as YAML: ${why}`);
  }
}

/** Puts in each `${NAME}`; one that has no value is told with its path. */
function fill(
  value: unknown,
  path: readonly string[],
  env: Readonly<Record<string, string>>,
  missing: (path: string, name: string) => void,
): unknown {
  if (typeof value === "string") {
    return value.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => {
      const found = Object.hasOwn(env, name) ? env[name] : undefined;
      if (found !== undefined && found !== "") return found;
      missing(path.join("."), name);
      return whole;
    });
  }
  if (Array.isArray(value))
    return value.map((one: unknown, index) => fill(one, [...path, String(index)], env, missing));
  if (isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, fill(one, [...path, key], env, missing)]),
    );
  }
  return value;
}

type Issue = {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly errors?: readonly (readonly Issue[])[];
};

function describe(issue: Issue, filled: unknown): readonly string[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    const known = keysAt(path, filled);
    return (issue.keys ?? []).map((key) => {
      const near = nearest(key, known);
      return `${[...path, key].join(".")}: there is no such key${near === undefined ? `; known here: ${known.join(", ")}` : `. Did you mean ${near}?`}`;
    });
  }
  const value = valueAt(path, filled);
  const where = path.length === 0 ? "the whole file" : path.join(".");
  if (value === undefined && issue.code !== "custom") return [`${where}: this is missing; ${wanted(issue, value)}`];
  return [`${where}: ${wanted(issue, value)}`];
}

const KINDS: Readonly<Record<string, string>> = {
  object: "keys with values",
  array: "a list",
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  null: "nothing",
};

/** What zod says, in plain words and without repeating the value: it may be a secret. */
function wanted(issue: Issue, value: unknown): string {
  const kind = (word = ""): string => KINDS[word] ?? word;
  const options = [
    ...(
      /^Invalid (?:option|discriminator value)\b.*?expected (?:one of )?(.+)$/iu.exec(issue.message)?.[1] ?? ""
    ).matchAll(/["'](.+?)["']/gu),
  ].map(([, option = ""]) => option);
  if (options.length > 0) {
    const near = typeof value === "string" ? nearest(value, options) : undefined;
    return `expected one of ${options.join(", ")}${near === undefined ? "" : `. Did you mean ${near}?`}`;
  }
  return issue.message
    .replace(/^Invalid input: expected (\w+), received undefined$/u, (_, one: string) => `expected ${kind(one)}`)
    .replace(
      /^Invalid input: expected (\w+), received (\w+)$/u,
      (_, one: string, other: string) => `expected ${kind(one)}, found ${kind(other)}`,
    )
    .replace(/^Too small: expected string .*$/u, "expected text, found an empty one")
    .replace(/^Too small: expected \w+ to be >=(.*)$/u, "expected a number of at least $1")
    .replace(/^Too big: expected \w+ to be <=(.*)$/u, "expected a number of at most $1")
    .replace(/^Invalid URL$/u, "expected an address that begins with http:// or https://")
    .replace(/^Invalid input$/u, "expected text or a whole number");
}

/** The keys that the shape knows at a path. */
function keysAt(path: readonly string[], filled: unknown): readonly string[] {
  let node: unknown = configSchema();
  for (const [depth, key] of path.entries()) node = step(variant(node, valueAt(path.slice(0, depth), filled)), key);
  const properties = isRecord(node) ? variant(node, valueAt(path, filled)) : undefined;
  return isRecord(properties) && isRecord(properties["properties"]) ? Object.keys(properties["properties"]) : [];
}

function step(node: unknown, key: string): unknown {
  if (!isRecord(node)) return undefined;
  const properties = node["properties"];
  return (isRecord(properties) ? properties[key] : undefined) ?? node["additionalProperties"];
}

/** Of several shapes, the one whose `kind` the value has. */
function variant(node: unknown, value: unknown): unknown {
  if (!isRecord(node)) return node;
  const shapes: unknown = node["oneOf"] ?? node["anyOf"];
  if (!Array.isArray(shapes)) return node;
  const kind = isRecord(value) ? value["kind"] : undefined;
  return shapes.find((shape: unknown) => {
    const properties = isRecord(shape) ? shape["properties"] : undefined;
    const stated = isRecord(properties) ? properties["kind"] : undefined;
    return isRecord(stated) && stated["const"] === kind;
  });
}

function valueAt(path: readonly string[], value: unknown): unknown {
  return path.reduce<unknown>(
    (at, key) => (isRecord(at) ? at[key] : Array.isArray(at) ? (at as readonly unknown[])[Number(key)] : undefined),
    value,
  );
}

function secretsIn(value: unknown): readonly string[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    typeof one === "string" ? (SECRET_KEYS.has(key) ? [one] : []) : secretsIn(one),
  );
}

/** Variables that tell where and who, which are no secrets wherever they are used. */
const PLAIN_VARIABLES: ReadonlySet<string> = new Set(["HOME", "USER", "LOGNAME", "PWD", "PATH", "SHELL", "TMPDIR"]);

/** What the addresses, headers and environments of apps take from variables: nobody writes anything there that may be known. */
function filledIn(raw: unknown, env: Readonly<Record<string, string>>, under = ""): readonly string[] {
  if (typeof raw === "string") {
    if (!/^\.apps\.[^.]+\.(?:headers\.|env\.|url$)/u.test(under)) return [];
    const names = [...raw.matchAll(/\$\{(\w+)\}/gu)].map(([, name = ""]) => name);
    return names.filter((name) => !PLAIN_VARIABLES.has(name)).flatMap((name) => env[name] ?? []);
  }
  if (!isRecord(raw)) return [];
  return Object.entries(raw).flatMap(([key, one]) => filledIn(one, env, `${under}.${key}`));
}

/** An engine with its paths from the root on. A command that is just a name is one on the PATH. */
function withWholePaths(engine: EngineConfig, whole: (path: string) => string): EngineConfig {
  const work = engine.work === undefined ? {} : { work: whole(engine.work) };
  if (engine.kind !== "claude-code" && engine.kind !== "codex") return { ...engine, ...work };
  const command = engine.command?.includes("/") === true ? { command: whole(engine.command) } : {};
  if (engine.kind === "codex") return { ...engine, ...work, ...command };
  return { ...engine, ...work, ...command, ...(engine.sdk === undefined ? {} : { sdk: whole(engine.sdk) }) };
}

function absolute(path: string, root: string, home: string): string {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return isAbsolute(path) ? path : resolve(root, path);
}

function defined(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isAbsent(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR");
}

// What is known of an app before it is connected: the shipped list, and the owner's own from the config.
import { parse } from "yaml";
import { z } from "zod";
import { GatewayError } from "../core/error.ts";
import { clipGraphemes, isVisible, oneLine } from "../core/text.ts";
import { VIEW_SOURCES } from "./views.ts";

/**
 * How an app is reached. `keys`: environment variables that it can't do without; `${NAME}` in `command` and in the values of `env` and
 * `headers` stands for one of them. `signIn`: by OAuth, where the server asks for it.
 */
export type Connection =
  | {
      readonly kind: "stdio";
      /** A program and its arguments; npm packages by their exact version. */
      readonly command: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly keys?: readonly string[];
    }
  | {
      readonly kind: "http";
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly signIn: boolean;
      /** Some services let no client register itself: one that the owner registered there, by the variables (besides `keys`) that hold its id and secret. */
      readonly client?: { readonly idKey: string; readonly secretKey?: string };
      readonly keys?: readonly string[];
    };

/** One app. Texts are plain, one line each: id at most 64 characters, name 80, tagline 120, about 300. */
export type AppEntry = {
  readonly id: string;
  readonly name: string;
  readonly tagline: string;
  readonly about: string;
  /** Words that call for it, and words that say that something else is meant. */
  readonly cues: { readonly words: readonly string[]; readonly not: readonly string[] };
  /** Likely to be wanted: it keeps its place in the map longest. */
  readonly featured: boolean;
  /** No longer offered; who has it connected keeps it. */
  readonly retired: boolean;
  /** In the shipped list. */
  readonly reviewed: boolean;
  readonly connect: Connection;
  /** What it can read or do, a line each, at most 8 of 120 characters. */
  readonly may: readonly string[];
  /** Its claims about which tools only read were looked at. They count only while its tools have the digest. */
  readonly annotations: boolean;
  readonly digest?: string;
  /** The row of the views table that its results are drawn by. */
  readonly views?: string;
  /** It was connected for real, to the live service or as the published package. */
  readonly tried: boolean;
  /** The owner's own: on from the start. */
  readonly connected?: true;
};

/** An app of the owner's own, as the config has it: a command or an address. */
export type OwnApp = {
  readonly command?: readonly string[] | undefined;
  readonly url?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly tagline?: string | undefined;
  readonly cues?: readonly string[] | undefined;
  readonly connected?: boolean | undefined;
};

const line = (maxChars: number): z.ZodString =>
  z
    .string()
    .min(1)
    .max(maxChars)
    .refine((text) => text === oneLine(text) && isVisible(text), "is not one plain line");
const variable = z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/u, "is no name of an environment variable");
const values = z.record(z.string().min(1).max(100), z.string().max(2_000));
const id = z
  .string()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/u, "has other characters than a-z, 0-9 and single hyphens")
  .max(64);

/** Apps are named by it in the names of their tools, so it is short and plain. */
export const appIdSchema: z.ZodType<string> = id;

const connectSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("stdio"),
    command: z.array(z.string().min(1).max(500)).min(1).max(20),
    env: values.optional(),
    keys: z.array(variable).min(1).max(8).optional(),
  }),
  z.strictObject({
    kind: z.literal("http"),
    url: z.string().max(2_000).refine(isRemote, "is no https address"),
    headers: values.optional(),
    signIn: z.boolean(),
    client: z.strictObject({ idKey: variable, secretKey: variable.optional() }).optional(),
    keys: z.array(variable).min(1).max(8).optional(),
  }),
]);

const entrySchema = z.strictObject({
  id,
  name: line(80),
  tagline: line(120),
  about: line(300),
  cues: z.strictObject({
    words: z.array(line(60)).max(30),
    not: z.array(line(60)).max(30).default([]),
  }),
  featured: z.boolean().default(false),
  retired: z.boolean().default(false),
  connect: connectSchema,
  may: z.array(line(120)).min(1).max(8),
  annotations: z.boolean().default(false),
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/u, "is no SHA-256 digest")
    .optional(),
  views: z.enum(VIEW_SOURCES).optional(),
  tried: z.boolean().default(false),
});

const fileSchema = z
  .strictObject({ apps: z.array(entrySchema).max(500) })
  .refine(({ apps }) => new Set(apps.map((app) => app.id)).size === apps.length, "has an id twice")
  // Which tools were looked at is what the digest says.
  .refine(
    ({ apps }) => apps.every(({ annotations, digest }) => !annotations || digest !== undefined),
    "has annotations without a digest",
  );

/** Reads the shipped list. Throws a GatewayError (`config-invalid`) that says where the first mistakes are, and why. */
export function readEntries(yamlText: string): readonly AppEntry[] {
  let read: unknown;
  try {
    read = parse(yamlText);
  } catch (cause) {
    throw new GatewayError("config-invalid", "The list of apps is no YAML.", { cause });
  }
  const checked = fileSchema.safeParse(read);
  // What a YAML file leaves out is absent, never undefined.
  if (checked.success) return checked.data.apps.map((app) => ({ ...app, reviewed: true }) as AppEntry);
  const problems = checked.error.issues
    .slice(0, 10)
    .map(({ path, message }) => `  ${path.join(".") || "apps"}: ${message}`);
  throw new GatewayError("config-invalid", `The list of apps has mistakes:\n${problems.join("\n")}`, {
    cause: checked.error,
  });
}

/**
 * An app of the owner's own. Nothing that it claims about its tools counts, and its results stay text. The config's schema has made
 * sure of exactly one of `command` and `url`.
 */
export function ownEntry(appId: string, app: OwnApp): AppEntry {
  const { command, url, env, headers, cues } = app;
  const name = clipGraphemes(oneLine(appId), 80);
  const tagline = clipGraphemes(oneLine(app.tagline ?? "An app of your own"), 120, "…");
  return {
    id: appId,
    name,
    tagline: tagline === "" ? name : tagline,
    about: tagline === "" ? name : tagline,
    cues: { words: (cues ?? []).map(oneLine).filter(isVisible), not: [] },
    featured: false,
    retired: false,
    reviewed: false,
    connect:
      url === undefined
        ? { kind: "stdio", command: command ?? [], ...(env === undefined ? {} : { env }) }
        : {
            kind: "http",
            url,
            // A server that lets anyone in asks for no sign-in; one with headers has its key there.
            signIn: headers === undefined,
            ...(headers === undefined ? {} : { headers }),
          },
    may: [
      "Whatever its tools do: nobody has looked at them, so each use that acts is asked about as if it changed something",
    ],
    annotations: false,
    tried: false,
    ...(app.connected === true ? { connected: true } : {}),
  };
}

function isRemote(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return protocol === "https:" && username === "" && password === "";
}

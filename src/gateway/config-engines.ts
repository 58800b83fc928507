// Engines as the config states them.
import { z } from "zod";

const text = z.string().min(1);
const positive = z.number().min(0);
const address = z.url({ protocol: /^https?$/ });

const prices = z
  .strictObject({
    inputPerMillion: positive,
    outputPerMillion: positive,
    cacheReadPerMillion: positive.optional(),
    cacheWritePerMillion: positive.optional(),
  })
  .describe("US dollars for a million tokens. Left out: no cost is stated.");

const model = {
  model: text.describe("The model's name, as its service calls it."),
  prices: prices.optional(),
  images: z.boolean().optional().describe("Whether the model sees pictures."),
  firstByteMs: positive.optional(),
  idleMs: positive.optional(),
  maxSteps: z.number().int().min(1).optional().describe("Steps of one answer; a step may call tools."),
  maxRetries: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("Further tries of a request that failed before its answer began."),
  maxOutputChars: positive.optional().describe("A longer answer is ended."),
  contextChars: positive
    .optional()
    .describe("Characters of the past that the model is told. For servers that cut a long past silently."),
};

const every = {
  work: text.optional().describe("One folder for all chats of this engine, instead of one per chat."),
};

const programs = {
  model: text.optional().describe("The model's name, as the program calls it. By default the program's own choice."),
  apiKey: text.optional().describe("A key to pay by. By default your own sign-in of the program is used."),
  baseUrl: address.optional().describe("Another address that speaks the same as the vendor's own."),
};

/** One engine: what it is, and what that takes. */
export const engine: z.ZodType<EngineConfig> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("openai"), apiKey: text, baseUrl: address.optional(), ...model, ...every }),
  z.strictObject({ kind: z.literal("anthropic"), apiKey: text, baseUrl: address.optional(), ...model, ...every }),
  z.strictObject({ kind: z.literal("google"), apiKey: text, baseUrl: address.optional(), ...model, ...every }),
  z.strictObject({
    kind: z.literal("openai-compatible"),
    baseUrl: address,
    apiKey: text.optional(),
    ...model,
    ...every,
  }),
  z.strictObject({
    kind: z.literal("claude-code"),
    ...programs,
    command: text
      .optional()
      .describe("The program: a file, or a name on the PATH. By default the one that came with the Agent SDK."),
    sdk: text.optional().describe("The folder in whose node_modules the Agent SDK is. By default Tidegate's own."),
    ...every,
  }),
  z.strictObject({
    kind: z.literal("codex"),
    ...programs,
    command: text.optional().describe("The program: a file, or a name on the PATH. By default codex."),
    ...every,
  }),
  z.strictObject({ kind: z.literal("demo"), ...every }),
]);

/** What an engine that keeps sessions may be called: they lie in a folder of its name. */
export const FOLDER_NAME: RegExp = /^\w[\w.-]{0,63}$/u;

/** Whether it is a program that keeps sessions of its own. */
export function keepsSessions(stated: EngineConfig | undefined): boolean {
  return stated?.kind === "claude-code" || stated?.kind === "codex";
}

/** US dollars for a million tokens. */
type Prices = {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  readonly cacheReadPerMillion?: number | undefined;
  readonly cacheWritePerMillion?: number | undefined;
};

type ModelConfig = {
  readonly model: string;
  readonly prices?: Prices | undefined;
  readonly images?: boolean | undefined;
  readonly firstByteMs?: number | undefined;
  readonly idleMs?: number | undefined;
  readonly maxSteps?: number | undefined;
  readonly maxRetries?: number | undefined;
  readonly maxOutputChars?: number | undefined;
  readonly contextChars?: number | undefined;
};

/** One engine as the config states it. */
export type EngineConfig = { readonly work?: string | undefined } & EngineKind;
type EngineKind =
  | ({
      readonly kind: "openai" | "anthropic" | "google";
      readonly apiKey: string;
      readonly baseUrl?: string | undefined;
    } & ModelConfig)
  | ({
      readonly kind: "openai-compatible";
      readonly baseUrl: string;
      readonly apiKey?: string | undefined;
    } & ModelConfig)
  | ({ readonly kind: "claude-code"; readonly sdk?: string | undefined } & ProgramConfig)
  | ({ readonly kind: "codex" } & ProgramConfig)
  | { readonly kind: "demo" };

type ProgramConfig = {
  readonly model?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly command?: string | undefined;
};

// The config: its shape, its defaults, and what is said when something in it is wrong.
import { z } from "zod";
import { MODES, type Mode } from "../core/taint.ts";

const text = z.string().min(1);
const id = z.union([text, z.number().int()]).transform(String);
const positive = z.number().min(0);
const answers = (count: number): z.ZodDefault<z.ZodNumber> => z.number().int().min(0).default(count);
const address = z.url({ protocol: /^https?$/ });

const pace = z
  .strictObject({
    perChatMs: positive.optional().describe("At least this many milliseconds between two messages to one chat."),
    perGroupPerMinute: positive.optional().describe("At most this many messages a minute to one group. Telegram only."),
    perSecond: positive.optional().describe("At most this many messages a second in all. 0: no limit."),
  })
  .describe("The platform's own limits by default.");

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

const engine: z.ZodType<EngineConfig> = z.discriminatedUnion("kind", [
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
  z.strictObject({ kind: z.literal("demo"), ...every }),
]);

/** The config's shape. What the schema file and every check of a config come from. */
export const configShape: z.ZodType<Config> = z
  .strictObject({
    data: text.default("~/.tidegate").describe("Everything durable. Made with mode 0700."),
    work: text.optional().describe("One folder per chat in here, for files. By default `work` in the data folder."),
    owner: z
      .strictObject({
        name: text.default("the owner").describe("What the assistant calls you."),
        telegram: id.optional().describe("Your numeric Telegram id. Left out: a pairing link makes you known there."),
      })
      .default({ name: "the owner" }),
    access: z
      .strictObject({
        guests: z
          .enum(["ask", "block"])
          .default("ask")
          .describe(
            "ask: whoever writes to the bot becomes a request in your chat. block: everyone else gets silence.",
          ),
        groups: z
          .enum(["off", "mention"])
          .default("off")
          .describe("mention: answer in groups that you let in, or spoke to the bot in, when mentioned or replied to."),
        guestHourly: answers(20).describe("Answers an hour, for one guest and for one group. 0: none at all."),
        guestDaily: answers(60).describe("Answers a day, for one guest and for one group. 0: none at all."),
        guestEngine: text
          .optional()
          .describe(
            "The engine that answers guests, with none of its own tools. By default the one that a new chat starts with.",
          ),
      })
      .default({ guests: "ask", groups: "off", guestHourly: 20, guestDaily: 60 }),
    mode: z
      .enum(MODES)
      .default("ask")
      .describe(
        "What an engine may do by itself. ask: acts ask. edits: changes in the work folder pass. trust: acts pass. plan: it only reads.",
      ),
    checkAfterReading: z
      .boolean()
      .default(true)
      .describe("Acts ask, whatever the mode, once a chat holds words from outside."),
    joinWithinMs: positive
      .default(300)
      .describe("Messages of one person that come this close together are one. 0: never wait."),
    channels: z
      .strictObject({
        telegram: z.strictObject({ token: text, apiRoot: address.default("https://api.telegram.org") }).optional(),
        terminal: z.strictObject({}).optional(),
      })
      .default({ terminal: {} }),
    engine: text.optional().describe("The engine that a new chat starts with. By default the first of `engines`."),
    engines: z.record(text, engine).default({ demo: { kind: "demo" } }),
    pace: z.strictObject({ telegram: pace.optional() }).default({}),
  })
  .superRefine((config, context) => {
    const names = Object.keys(config.engines);
    const named: readonly (readonly [path: readonly string[], name: string | undefined])[] = [
      [["engine"], config.engine],
      [["access", "guestEngine"], config.access.guestEngine],
    ];
    if (names.length === 0)
      context.addIssue({
        code: "custom",
        path: ["engines"],
        message: "name at least one engine, such as `demo: { kind: demo }`",
      });
    for (const [path, name] of names.length === 0 ? [] : named) {
      if (name === undefined || names.includes(name)) continue;
      context.addIssue({
        code: "custom",
        path: [...path],
        message: `there is no engine of that name; \`engines\` has: ${names.join(", ")}`,
      });
    }
  });

type Pace = {
  readonly perChatMs?: number | undefined;
  readonly perGroupPerMinute?: number | undefined;
  readonly perSecond?: number | undefined;
};

/** A checked config. Paths are still as written. */
export type Config = {
  readonly data: string;
  readonly work?: string | undefined;
  readonly owner: { readonly name: string; readonly telegram?: string | undefined };
  readonly access: {
    readonly guests: "ask" | "block";
    readonly groups: "off" | "mention";
    readonly guestHourly: number;
    readonly guestDaily: number;
    readonly guestEngine?: string | undefined;
  };
  readonly mode: Mode;
  readonly checkAfterReading: boolean;
  readonly joinWithinMs: number;
  readonly channels: {
    readonly telegram?: { readonly token: string; readonly apiRoot: string } | undefined;
    readonly terminal?: { readonly [key: string]: never } | undefined;
  };
  readonly engine?: string | undefined;
  readonly engines: Readonly<Record<string, EngineConfig>>;
  readonly pace: { readonly telegram?: Pace | undefined };
};

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
  | { readonly kind: "demo" };

/** The schema for editors. Written to config/schema.json by `npm run schema`; a test fails when that is stale. */
export function configSchema(): Record<string, unknown> {
  return z.toJSONSchema(configShape, { io: "input", unrepresentable: "any" });
}

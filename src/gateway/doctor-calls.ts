// Calls that init and doctor make by themselves: each with a deadline, and none that repeats a token in its words.
import { z } from "zod";
import type { Checked } from "../core/engine.ts";
import { asGatewayError, GatewayError } from "../core/error.ts";
import type { Clock, Random } from "../core/surroundings.ts";
import { createEngine, type EngineSettings } from "../engines/registry.ts";
import type { Loaded } from "./config-file.ts";
import { engineHost } from "./engine-host.ts";
import { openWatchdog } from "./watchdog.ts";

/** The version that is tested. */
const GET_CODEX = "npm install -g @openai/codex@0.171.0";

/** Runs a call that ends after `limitMs`; then `late` is thrown. */
export async function within<T>(
  clock: Clock,
  limitMs: number,
  late: GatewayError,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const done = new AbortController();
  const deadline = clock.sleep(limitMs, done.signal).then(() => {
    over.abort(late);
    throw late;
  });
  deadline.catch(() => undefined);
  try {
    return await Promise.race([run(over.signal), deadline]);
  } finally {
    done.abort();
  }
}

/** What one check found. `FAIL`: it will not work like this; `warn`: it may not do what was meant. */
export type Finding = { readonly is: "ok" | "warn" | "FAIL"; readonly what: string; readonly words: string };

/** A fault as a finding: its words and what to do. */
export function failed(what: string, thrown: unknown): Finding {
  const error = asGatewayError(thrown);
  return { is: "FAIL", what, words: `${error.message}${error.hint === undefined ? "" : ` ${error.hint}`}` };
}

/** A warning for each row that holds. */
export function warnings(
  what: string,
  rows: readonly (readonly [holds: boolean | undefined, words: string])[],
): readonly Finding[] {
  return rows.flatMap(([holds, words]) => (holds === true ? [{ is: "warn" as const, what, words }] : []));
}

/** Makes an engine and lets it check itself. Throws a GatewayError when it can't answer. */
export async function tryEngine(
  name: string,
  settings: EngineSettings,
  { config, secrets }: Pick<Loaded, "config" | "secrets">,
  world: {
    readonly clock: Clock;
    readonly random: Random;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly home: string;
  },
  limitMs: number,
): Promise<Checked> {
  const late = new GatewayError("engine-silent", `Nothing answered within ${limitMs / 1000} seconds.`, {
    hint: "Check the network, and the engine's baseUrl if it is set.",
  });
  const silent = (): void => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  await using watchdog = openWatchdog(world.random);
  const host = engineHost({ env: world.env, home: world.home, data: config.data, secrets, watchdog });
  try {
    await using engine = await createEngine(name, settings, { clock: world.clock, random: world.random, log }, host);
    return await within(world.clock, limitMs, late, async (signal) => await engine.check(signal));
  } catch (thrown) {
    throw withHint(thrown, settings);
  }
}

/** A program that is missing or too old can be had, which the engine's own words need not say. */
function withHint(thrown: unknown, settings: EngineSettings): unknown {
  if (!(thrown instanceof GatewayError) || thrown.hint !== undefined) return thrown;
  if (thrown.code !== "engine-missing") return thrown;
  if (settings.kind !== "codex" && settings.kind !== "claude-code") return thrown;
  const named = settings.command === undefined ? "" : " Or correct the engine's command.";
  const hint =
    settings.kind === "codex"
      ? `Run: ${GET_CODEX}.${named}`
      : "Correct the engine's command, or leave it out: then the program that comes with the SDK is run.";
  return new GatewayError(thrown.code, thrown.message, { hint, cause: thrown.cause });
}

/** How a platform is reached. */
export type Way = { readonly fetch: typeof fetch; readonly clock: Clock };

/** What a platform is called, and the key that says where it is. */
type Place = { readonly name: string; readonly key: string };

/** What a platform answered; `said` is undefined where that is no JSON. */
type Answer = { readonly status: number; readonly headers: Headers; readonly said: unknown };

const CALL_LIMIT_MS = 10_000;

/** An error for a platform that does not answer as it should. */
export function unreachable({ name, key }: Place, why: string, cause?: unknown): GatewayError {
  return new GatewayError("channel-unreachable", `${name} can't be reached (${why}).`, {
    cause,
    hint: `Check the network, and ${key} if it is set.`,
  });
}

/** An error for answers that are none of the platform's. */
export function noPlatform({ name, key }: Place): GatewayError {
  return new GatewayError("channel-unreachable", `What answers there is no ${name}.`, { hint: `Check ${key}.` });
}

/** Asks a platform one thing. Throws a GatewayError whose words hold neither a token nor the address, which may hold one. */
export async function askPlatform(
  way: Way,
  place: Place,
  url: string,
  request: RequestInit,
  limitMs: number = CALL_LIMIT_MS,
): Promise<Answer> {
  return await within(way.clock, limitMs, unreachable(place, "no answer in time"), async (signal) => {
    const response = await way.fetch(url, { ...request, redirect: "error", signal }).catch((thrown: unknown) => {
      // fetch's own errors name the address.
      throw unreachable(place, "no connection", thrown instanceof Error ? thrown.name : undefined);
    });
    const said: unknown = await response.json().catch(() => undefined);
    return { status: response.status, headers: response.headers, said };
  });
}

/** A bot and the way to it. */
export type Bot = Way & { readonly token: string; readonly apiRoot: string };

const TELEGRAM: Place = { name: "Telegram", key: "channels.telegram.apiRoot" };

const answer = z.object({ ok: z.boolean(), result: z.unknown(), error_code: z.number().optional() });

async function askTelegram(bot: Bot, method: string, params: object, limitMs: number): Promise<unknown> {
  const url = `${bot.apiRoot.replace(/\/+$/u, "")}/bot${bot.token}/${method}`;
  const headers = { "content-type": "application/json" };
  const request = { method: "POST", headers, body: JSON.stringify(params) };
  const { status, said: body } = await askPlatform(bot, TELEGRAM, url, request, limitMs);
  const said = answer.safeParse(body);
  if (said.data?.ok === true) return said.data.result;
  switch (said.data?.error_code ?? status) {
    // A token of the wrong form has no address at all.
    case 401:
    case 404:
      throw new GatewayError("channel-unauthorized", "Telegram refused the token.", {
        hint: "Copy it again from @BotFather (/mybots, API Token).",
      });
    case 409:
      throw new GatewayError("channel-conflict", "Another program is reading this bot's messages.", {
        hint: "End that program, or take another bot.",
      });
    default:
      throw unreachable(TELEGRAM, `error ${status}`);
  }
}

/** What getMe says of a bot. */
type Me = {
  readonly id: number;
  readonly username: string;
  readonly can_join_groups?: boolean | undefined;
  readonly can_read_all_group_messages?: boolean | undefined;
};

const me: z.ZodType<Me> = z.object({
  id: z.number(),
  username: z.string(),
  can_join_groups: z.boolean().optional(),
  can_read_all_group_messages: z.boolean().optional(),
});

/** Asks Telegram and reads the answer; one that can't be understood counts as no Telegram there. */
async function askFor<T>(
  bot: Bot,
  method: string,
  shape: z.ZodType<T>,
  params: object = {},
  limitMs: number = CALL_LIMIT_MS,
): Promise<T> {
  const read = shape.safeParse(await askTelegram(bot, method, params, limitMs));
  if (read.success) return read.data;
  throw noPlatform(TELEGRAM);
}

/** Who the bot is. */
export async function getMe(bot: Bot): Promise<Me> {
  return await askFor(bot, "getMe", me);
}

type Webhook = { readonly url: string; readonly pending_update_count: number };

const webhook: z.ZodType<Webhook> = z.object({ url: z.string(), pending_update_count: z.number() });

/** Where its updates go, and how many wait. */
export async function getWebhook(bot: Bot): Promise<Webhook> {
  return await askFor(bot, "getWebhookInfo", webhook);
}

const commands = z.array(z.object({ command: z.string() }));

/** The names in its native menu. */
export async function getMenu(bot: Bot): Promise<readonly string[]> {
  return (await askFor(bot, "getMyCommands", commands)).map(({ command }) => command);
}

const updates = z.array(
  z.object({
    message: z
      .object({
        chat: z.object({ type: z.string() }),
        from: z
          .object({
            id: z.number(),
            is_bot: z.boolean(),
            first_name: z.string(),
            last_name: z.string().optional(),
          })
          .optional(),
      })
      .optional(),
  }),
);

/** Who wrote to the bot in private, oldest first. Confirms nothing: the gateway gets the same updates later. */
export async function getWriters(
  bot: Bot,
  waitSeconds: number,
): Promise<readonly { readonly id: number; readonly name: string }[]> {
  const params = { timeout: waitSeconds, allowed_updates: [] };
  const found = await askFor(bot, "getUpdates", updates, params, CALL_LIMIT_MS + waitSeconds * 1000);
  return found.flatMap(({ message }) => {
    const from = message?.from;
    if (message?.chat.type !== "private" || from === undefined || from.is_bot) return [];
    return [{ id: from.id, name: [from.first_name, from.last_name ?? ""].join(" ").trim() }];
  });
}

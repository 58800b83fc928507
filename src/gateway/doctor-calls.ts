// Calls that init and doctor make by themselves: each with a deadline, and none that repeats a token in its words.
import { z } from "zod";
import { asGatewayError, GatewayError } from "../core/error.ts";
import type { Clock, Random } from "../core/surroundings.ts";
import { createEngine, type EngineSettings } from "../engines/registry.ts";

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

/** Makes an engine and lets it check itself. Gives its words; throws a GatewayError when it can't answer. */
export async function tryEngine(
  name: string,
  settings: EngineSettings,
  world: { readonly clock: Clock; readonly random: Random },
  limitMs: number,
): Promise<string> {
  const late = new GatewayError("engine-silent", `Nothing answered within ${limitMs / 1000} seconds.`, {
    hint: "Check the network, and the engine's baseUrl if it is set.",
  });
  const silent = (): void => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  await using engine = await createEngine(name, settings, { clock: world.clock, random: world.random, log });
  return await within(world.clock, limitMs, late, async (signal) => await engine.check(signal));
}

/** A bot and the way to it. */
export type Bot = {
  readonly token: string;
  readonly apiRoot: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
};

const answer = z.object({ ok: z.boolean(), result: z.unknown(), error_code: z.number().optional() });

/** Asks Telegram one thing. Throws a GatewayError whose words hold neither the token nor the address, which holds it too. */
async function askTelegram(bot: Bot, method: string, params: object, limitMs: number): Promise<unknown> {
  const unreachable = (why: string, cause?: unknown): GatewayError =>
    new GatewayError("channel-unreachable", `Telegram can't be reached (${why}).`, {
      cause,
      hint: "Check the network, and channels.telegram.apiRoot if it is set.",
    });
  return await within(bot.clock, limitMs, unreachable("no answer in time"), async (signal) => {
    const response = await bot
      .fetch(`${bot.apiRoot.replace(/\/+$/u, "")}/bot${bot.token}/${method}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(params),
        redirect: "error",
        signal,
      })
      .catch((thrown: unknown) => {
        // fetch's own errors name the address.
        throw unreachable("no connection", thrown instanceof Error ? thrown.name : undefined);
      });
    const said = answer.safeParse(await response.json().catch(() => undefined));
    if (said.data?.ok === true) return said.data.result;
    switch (said.data?.error_code ?? response.status) {
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
        throw unreachable(`error ${response.status}`);
    }
  });
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

const CALL_LIMIT_MS = 10_000;

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
  throw new GatewayError("channel-unreachable", "What answers there is no Telegram.", {
    hint: "Check channels.telegram.apiRoot.",
  });
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

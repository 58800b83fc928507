// The bot's commands as Discord's own: set by one call, and only when they differ from what is there.
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { MenuItem } from "../../core/channel.ts";
import { GatewayError } from "../../core/error.ts";
import { clipUnits } from "../../core/text.ts";
import { channelError, describeFailure } from "./client.ts";
import type { Client } from "./client.ts";

/** Limits and kinds: discord.com/developers/docs/interactions/application-commands. */
const MAX_DESCRIPTION_UNITS = 100;
const MAX_COMMANDS = 100;
const NAME = /^[-_\p{Ll}\p{Lo}\p{N}]{1,32}$/u;
const SLASH = 1;
const ON_MESSAGE = 3;
const TEXT_OPTION = 3;

/** Where a command may be used: in servers, and in direct messages with the bot. Among others the bot couldn't answer. */
const CONTEXTS = [0, 1];

type Option = { readonly type: number; readonly name: string; readonly description: string };
type Command = {
  readonly type: number;
  readonly name: string;
  readonly description: string;
  readonly options: readonly Option[];
  readonly contexts: readonly number[];
};

const registered: z.ZodType<Command[]> = z.array(
  z.object({
    type: z.number().default(SLASH),
    name: z.string(),
    description: z.string().default(""),
    options: z.array(z.object({ type: z.number(), name: z.string(), description: z.string() })).default([]),
    contexts: z
      .array(z.number())
      .nullish()
      .transform((given) => (given ?? []).sort((one, other) => one - other)),
  }),
);

export async function setCommands(
  client: Client,
  application: string,
  items: readonly MenuItem[],
  signal: AbortSignal,
): Promise<void> {
  if (application === "") throw new GatewayError("channel-unreachable", "Discord isn't connected yet.");
  const wanted = commandsOf(items);
  const path = `/applications/${application}/commands` as const;
  const there = await client.call({ method: "GET", path }, signal);
  if (!there.ok && there.failure.kind === "refused" && there.failure.status === 401)
    throw channelError("commands", there.failure);
  const known = there.ok ? registered.safeParse(there.value) : undefined;
  if (known?.success && isDeepStrictEqual(sorted(known.data), sorted(wanted))) return;

  const set = await client.call({ method: "PUT", path, body: wanted.map(asSent) }, signal);
  if (set.ok) return;
  const { failure } = set;
  if (failure.kind === "refused" && failure.status === 400)
    throw new GatewayError("bad-request", "Discord refused the list of commands.", {
      cause: new Error(describeFailure(failure)),
    });
  throw channelError("commands", failure);
}

function commandsOf(items: readonly MenuItem[]): readonly Command[] {
  const slash = items
    .map(({ name, description }) => ({ name: name.toLowerCase(), description }))
    .filter(({ name }) => NAME.test(name))
    .map(({ name, description }): Command => {
      return {
        type: SLASH,
        name,
        description: clipUnits(description, MAX_DESCRIPTION_UNITS, "…"),
        options: [{ type: TEXT_OPTION, name: "words", description: "What the command is about, if anything" }],
        contexts: CONTEXTS,
      };
    });
  const ask: Command = { type: ON_MESSAGE, name: "Ask about this", description: "", options: [], contexts: CONTEXTS };
  return [...slash.slice(0, MAX_COMMANDS), ask];
}

/** A command on a message has neither a description nor options. */
function asSent({ type, name, description, options, contexts }: Command): object {
  return type === SLASH ? { type, name, description, options, contexts } : { type, name, contexts };
}

function sorted(commands: readonly Command[]): readonly Command[] {
  return [...commands].sort((one, other) => (`${one.type} ${one.name}` < `${other.type} ${other.name}` ? -1 : 1));
}

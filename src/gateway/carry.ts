// What a command asks of the gateway from outside its channels, whether it comes over the socket or from this process.
import { UNATTENDED_PLATFORM, type Person, type Room } from "../core/message.ts";
import { ERRORS, GatewayError } from "../core/error.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { oneLine } from "../core/text.ts";
import type { Search } from "../search/port.ts";
import { snippetOf } from "../search/snippet.ts";
import type { Store } from "../store/port.ts";
import { openConversation, titleFrom } from "./opening.ts";
import type { Gateway } from "./parts.ts";
import { appLines, givenTools } from "./app-commands.ts";
import { managePeople, type PeopleParts } from "./people-command.ts";
import type { Carry } from "./socket.ts";

/** Carries out requests on a running gateway. */
export function carry(
  gateway: Pick<Gateway, "archive" | "delete" | "queue" | "states" | "catalog" | "tools"> & PeopleParts,
  store: Store,
  search: Search,
  owner: string,
  scrub: (text: string) => string,
  surroundings: Surroundings,
): Carry {
  return async (asked, signal) => {
    switch (asked.do) {
      case "run": {
        const given =
          asked.tools === undefined ? undefined : await givenTools(asked.tools, gateway, surroundings.clock);
        return await runOnce({ prompt: asked.prompt, given }, gateway, store, owner, scrub, surroundings, signal);
      }
      case "apps":
        return appLines(gateway.catalog.items);
      case "archive":
        if (!(await gateway.archive(asked.conversation))) throw new GatewayError("not-found");
        return "Archived.";
      case "delete":
        if (!(await gateway.delete(asked.conversation))) throw new GatewayError("not-found");
        return "Deleted.";
      case "status":
        return gateway.states
          .map(({ name, state, words }) => `${name} ${state}${words === undefined ? "" : ` (${words})`}`)
          .join(", ");
      case "search":
        return await searchLines(asked.words, store, search);
      case "people":
        return await managePeople(asked, gateway, store, surroundings);
    }
  };
}

const LINE_CHARS = 150;

/** A line per hit, best chats first, its chat's id first; "close" where it is not what was asked for exactly. Throws a GatewayError when there is none. An index that is being built is waited for. */
async function searchLines(words: string, store: Store, search: Search): Promise<string> {
  await search.settled();
  const { match, chats } = await search.find(words, {});
  if (match === "none")
    throw new GatewayError("not-found", "Nothing was found.", {
      hint: "The search is for words, in any spelling that comes close, not for what they mean.",
    });
  const lines = chats.map(async ({ chat, hits }) => {
    const conversation = await store.conversations.get(chat);
    const about = [...(conversation?.archived === true ? ["archived"] : []), ...(match === "close" ? ["close"] : [])];
    const where = `${conversation?.room.platform ?? "?"}${about.length === 0 ? "" : ` (${about.join(", ")})`}`;
    return hits.map(({ at, who, text, lit }) => {
      const when = new Date(at).toISOString().slice(0, 16).replace("T", " ");
      return `${chat}  ${when}  ${where}  ${who}: ${oneLine(snippetOf(text, lit, LINE_CHARS).text)}`;
    });
  });
  return (await Promise.all(lines)).flat().join("\n");
}

/** One turn that nobody attends, in a conversation of its own; its answer is the text. */
async function runOnce(
  { prompt, given }: { readonly prompt: string; readonly given: readonly string[] | undefined },
  gateway: Pick<Gateway, "queue">,
  store: Store,
  owner: string,
  scrub: (text: string) => string,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<string> {
  const at = surroundings.clock.now();
  const person: Person = { platform: UNATTENDED_PLATFORM, id: "owner", name: owner, role: "owner" };
  // Not the owner's private chat: nobody sits there.
  const room: Room = { platform: UNATTENDED_PLATFORM, chat: surroundings.random.key(9), kind: "shared" };
  const { id, changes } = openConversation(room, person, surroundings);
  const part = { kind: "text", messageId: "1", origin: { kind: "own" }, text: prompt } as const;
  await store.commit([
    ...changes,
    {
      do: "append",
      conversation: id,
      at,
      body: { kind: "message", message: { from: person, at, ids: ["1"], parts: [part] } },
    },
    { do: "title", conversation: id, title: titleFrom(prompt, scrub) },
  ]);
  if (given !== undefined) gateway.queue.give(id, given);
  gateway.queue.wake(id);
  const stop = (): void => void gateway.queue.halt(id);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  await gateway.queue.quiet(id);
  signal.removeEventListener("abort", stop);
  const entries = await store.log.read(id);
  const ended = entries.findLast((entry) => entry.kind === "turn-ended");
  if (ended?.reason === "done")
    return entries.flatMap((entry) => (entry.kind === "text" ? [entry.text] : [])).join("\n\n");
  const code = ended?.code ?? "engine-failed";
  throw new GatewayError(
    code,
    ended?.words ?? (ended?.reason === "limit" ? "The answer took more steps than one may have." : ERRORS[code]),
  );
}

// What was said, from a burst to the log: who said it where, its files, its marks, and the turn that it wakes.
import type { Channel, Inbound } from "../core/channel.ts";
import type { Conversation } from "../core/conversation.ts";
import { ownWords, personKey, type Message, type Part, type Person, type Room } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { isVisible } from "../core/text.ts";
import { closeOpen } from "../cards/open.ts";
import type { Questions } from "../cards/questions.ts";
import type { Change, Store } from "../store/port.ts";
import type { DoorwayParts } from "./doorway.ts";
import { fetchFiles, fileProblems } from "./files.ts";
import { hear } from "./hearing.ts";
import type { Limits } from "./limits.ts";
import { openConversation, provisionalTitle, titleFrom } from "./opening.ts";
import type { Queue } from "./queue.ts";

/** What delivering works with. */
export type DeliveryParts = {
  readonly store: Store;
  readonly doorway: DoorwayParts;
  readonly limits: Limits;
  readonly queue: Queue;
  readonly questions: Pick<Questions, "remindOnce">;
  readonly workFolder: (conversation: string) => string;
  /** Takes secrets out of what becomes a title. */
  readonly scrub: (text: string) => string;
  readonly surroundings: Surroundings;
  readonly signal: AbortSignal;
};

/** One message of someone who is let in, with the raw updates that it came in. */
export type Said = {
  readonly rows: readonly number[];
  readonly inbound: Extract<Inbound, { kind: "message" }>;
  readonly person: Person;
};

const WORDS_ONLY = "I can only take words from you here, no files.";
const STILL_ASKED =
  "My question above still waits: answer it first, or press Skip. What you just sent comes right after it.";
const OVER_LIMIT =
  "That is as much as I can answer here for now. Please try again later; what you just wrote was not kept.";

/**
 * Puts a burst into the log, what it marks first, and wakes the queue: one transaction. Resolves when its raw updates are done with;
 * when our own end cuts it off they stay undone.
 */
export async function deliver(said: readonly Said[], channel: Channel, given: DeliveryParts): Promise<void> {
  const { store, queue, surroundings, workFolder, signal } = given;
  const [first] = said;
  if (first === undefined) return;
  const { person } = first;
  const { room } = first.inbound;
  const there = await store.conversations.current(room, personKey(person));
  const opened = there === undefined ? openConversation(room, person, surroundings) : undefined;
  const conversation: Conversation | undefined = there ?? opened?.conversation;
  if (conversation === undefined) return;

  const brought = said.flatMap((one) => one.inbound.parts);
  // A guest has words only: nothing that someone else made is put where an engine could open it.
  const guest = person.role === "guest";
  const fetched = await fetchFiles(
    guest ? brought.filter((part) => part.kind === "text") : brought,
    channel,
    workFolder(conversation.id),
    surroundings,
    signal,
  );
  // Our own end cut the fetching off: the rows stay undone, and the next start takes them up.
  if (signal.aborted) return;
  const heard = await hear(store, conversation, { from: person, parts: fetched }, opened !== undefined, surroundings);
  const { parts } = heard;
  const problems =
    fileProblems(parts) ?? (guest && brought.some((part) => part.kind === "file") ? WORDS_ONLY : undefined);
  const at = surroundings.clock.now();
  const notice = (text: string): Change => ({
    do: "append",
    conversation: conversation.id,
    at,
    body: { kind: "notice", text, quiet: false },
  });
  const done: Change = { do: "inbound-done", ids: said.flatMap((one) => one.rows), outcome: "in the log" };
  const message: Message = {
    from: person,
    at: said.at(-1)?.inbound.at ?? at,
    ids: said.map((one) => one.inbound.messageId),
    parts,
  };
  if (!parts.some(saysSomething)) {
    const words = notice(problems ?? "There was nothing in that message that I can read.");
    if (!(await store.commit([...(opened?.changes ?? []), words, done])).ok) await deliver(said, channel, given);
    return;
  }
  const limit = guest ? await given.limits.take(limitKeys(room, person)) : undefined;
  if (limit?.is === "over") {
    const words = limit.tell ? [notice(OVER_LIMIT)] : [];
    const opening = limit.tell ? (opened?.changes ?? []) : [];
    const over = await store.commit([...opening, ...limit.changes, ...words, { ...done, outcome: "over the limit" }]);
    if (!over.ok) await deliver(said, channel, given);
    return;
  }
  if (opened === undefined) await closeOpen(store, conversation, at);
  // A power cut that takes this leaves its raw rows, or an update that was never acknowledged: it is made anew from those.
  const changes: readonly Change[] = [
    ...(opened?.changes ?? []),
    ...(limit?.changes ?? []),
    ...heard.marks,
    { do: "append", conversation: conversation.id, at, body: { kind: "message", message } },
    ...heard.told,
    ...title(conversation, message, given.scrub),
    ...(problems === undefined ? [] : [notice(problems)]),
    ...inPassing(conversation.id, channel, given).map((text): Change => ({
      do: "append",
      conversation: conversation.id,
      at,
      body: { kind: "notice", text, quiet: true },
    })),
    done,
  ];
  const committed = await store.commit(changes, { sync: false });
  // Its conversation was deleted a moment ago: the message opens a new one.
  if (!committed.ok) {
    await deliver(said, channel, given);
    return;
  }
  queue.wake(conversation.id);
  if (person.role === "owner" && room.kind === "private") await given.doorway.requests.showPending(conversation.id);
}

/** What is said of a message that waits behind a turn, or behind a question of it: once each. */
function inPassing(conversation: string, { limits }: Channel, { queue, questions }: DeliveryParts): readonly string[] {
  const acknowledges = queue.acknowledgeOnce(conversation);
  if (questions.remindOnce(conversation)) return [STILL_ASKED];
  return acknowledges && limits.joins ? ["Got it. I'll answer that next."] : [];
}

/** A conversation is called by the owner's own first words; never by a name or words that someone else chose. */
function title(conversation: Conversation, message: Message, scrub: (text: string) => string): readonly Change[] {
  if (conversation.title !== provisionalTitle(message.from, conversation.openedAt) || message.from.role !== "owner")
    return [];
  const words = titleFrom(ownWords(message), scrub);
  return words === "" ? [] : [{ do: "title", conversation: conversation.id, title: words }];
}

function limitKeys(room: Room, person: Person): { readonly guest: string; readonly group?: string } {
  const guest = personKey(person);
  return room.kind === "shared" ? { guest, group: `${room.platform}/${room.chat}` } : { guest };
}

function saysSomething(part: Part): boolean {
  return part.kind === "text" ? isVisible(part.text) : part.file.path !== undefined;
}

// What somebody said, on its way into the log: whose words it holds, what of it may not come in, and what the owner is told of it.
import { askChoice } from "../cards/choices.ts";
import type { Conversation } from "../core/conversation.ts";
import { personKey, type Message, type Origin, type Part } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Taint } from "../core/taint.ts";
import { escapeMarkdown } from "../core/text.ts";
import type { Change, Store } from "../store/port.ts";
import { sources } from "../taint/guard.ts";
import { marksOf, newMarks, type Quoted } from "../taint/marks.ts";
import { firstMarks } from "./opening.ts";

/** What was heard: its parts as they may come in, and the changes that mark the conversation first. */
export type Heard = {
  readonly parts: readonly Part[];
  readonly marks: readonly Change[];
  readonly told: readonly Change[];
};

type QuotedOrigin = Extract<Origin, { kind: "quoted" }>;

/** What stands for words of another chat where they may not come in. */
const LEFT_OUT = "[An earlier message of another chat is answered here; this chat can't be shown it.]";

/**
 * Looks at parts before they come into a conversation's log. `fresh`: the conversation is opened with them. Where someone else's words
 * are, or come with these, nothing of another conversation may come in, by a quote neither.
 */
export async function hear(
  store: Store,
  conversation: Conversation,
  said: Pick<Message, "from" | "parts">,
  fresh: boolean,
  { clock, random }: Surroundings,
): Promise<Heard> {
  const { id, room } = conversation;
  const before = fresh ? firstMarks(room) : await store.conversations.marks(id);
  const quoted = await quotedBy(store, conversation, said.parts);
  const elsewhere = (part: Part): boolean => part.origin.kind === "quoted" && quoted(part.origin)?.is === "elsewhere";
  const all = marksOf(said, quoted);
  const others = isOthers(before ?? []) || isOthers(all) || room.kind === "shared" || before === undefined;
  const parts = others
    ? said.parts.flatMap((part): Part[] => {
        if (!elsewhere(part)) return [part];
        const { messageId, origin } = part;
        return part.kind === "file" ? [] : [{ kind: "text", messageId, origin, text: LEFT_OUT }];
      })
    : said.parts;
  const marks = newMarks(
    before ?? [],
    others ? marksOf({ ...said, parts: said.parts.filter((part) => !elsewhere(part)) }, quoted) : all,
  );
  const at = clock.now();
  // Told once: by the first that closes it.
  const closes = said.from.role === "owner" && room.kind === "private" && !isOthers(before ?? []) && isOthers(marks);
  return {
    parts,
    marks: marks.map((taint): Change => ({ do: "append", conversation: id, at, body: { kind: "marked", taint } })),
    told: closes ? askChoice({ conversation: id, at, ...closedCard(marks) }, random) : [],
  };
}

function closedCard(marks: readonly Taint[]): Omit<Parameters<typeof askChoice>[0], "conversation" | "at"> {
  const who = escapeMarkdown(sources(marks.filter(({ kind }) => kind === "person")));
  return {
    text: `This chat now holds words of someone else: ${who}. So I can't look through your other chats here any more, and I ask before I do things. A new chat starts clean.`,
    options: [{ label: "New chat", action: { do: "new-chat" }, done: "A new chat is open." }],
    quiet: true,
    outside: true,
  };
}

function isOthers(marks: readonly Taint[]): boolean {
  return marks.some(({ kind }) => kind === "person");
}

/** What the log says of each quoted message. By the platform's ids: what is said to have been quoted is only as true as who says it. */
async function quotedBy(store: Store, conversation: Conversation, parts: readonly Part[]): Promise<Quoted> {
  const found = new Map<string, ReturnType<Quoted>>();
  // What is answered may have been said a moment ago, and comes into the log together with the answer.
  const own = new Set(parts.flatMap((part) => (part.origin.kind === "own" ? [part.messageId] : [])));
  for (const { origin } of parts) {
    if (origin.kind !== "quoted" || origin.messageId === undefined || found.has(keyOf(origin))) continue;
    if (own.has(origin.messageId) && isOwners(origin, conversation)) {
      found.set(keyOf(origin), { is: "here" });
      continue;
    }
    const holder = await store.conversations.holding(conversation.room, origin.messageId);
    found.set(keyOf(origin), holder === undefined ? undefined : standingOf(origin, holder, conversation));
  }
  return (origin) => found.get(keyOf(origin));
}

function standingOf(origin: QuotedOrigin, holder: Conversation, here: Conversation): ReturnType<Quoted> {
  // A message of somebody else that this conversation holds is only ever its own person's.
  if (!origin.ours && !isOwners(origin, here)) return undefined;
  return holder.id === here.id ? { is: "here" } : { is: "elsewhere", conversation: holder.id, title: holder.title };
}

/** By the platform's id: whose conversation it is wrote what is quoted. */
function isOwners({ id }: QuotedOrigin, { room, person }: Conversation): boolean {
  return id !== undefined && personKey({ platform: room.platform, id }) === person;
}

function keyOf({ messageId, id, ours }: QuotedOrigin): string {
  return `${messageId ?? ""} ${id ?? ""} ${String(ours)}`;
}

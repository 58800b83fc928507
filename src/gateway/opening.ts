// How a conversation begins: its id, its first name, its first marks, and the line that says so.
import type { Conversation } from "../core/conversation.ts";
import { personKey, platformName, UNATTENDED_PLATFORM, type Person, type Room } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Taint } from "../core/taint.ts";
import { clipGraphemes, oneLine } from "../core/text.ts";
import type { Change } from "../store/port.ts";
import { sharedMark } from "../taint/marks.ts";
import { scrubShapes } from "../taint/shapes.ts";

/** What a conversation's id looks like. */
export const CONVERSATION_ID: RegExp = /^[\w-]{12}$/u;

/** The changes that open a conversation, and what it will be. */
export function openConversation(
  room: Room,
  person: Person,
  { clock, random }: Surroundings,
): { readonly id: string; readonly conversation: Conversation; readonly changes: readonly Change[] } {
  // Not like an option: ids are typed on command lines.
  let id = random.key(9);
  while (id.startsWith("-")) id = random.key(9);
  const at = clock.now();
  const owner = personKey(person);
  const title = provisionalTitle(person, at);
  return {
    id,
    conversation: { id, room, person: owner, title, openedAt: at, lastAt: at, archived: false, head: 0 },
    changes: [
      { do: "open", id, room, person: owner, title, at },
      ...firstMarks(room).map((taint): Change => ({
        do: "append",
        conversation: id,
        at,
        body: { kind: "marked", taint },
      })),
    ],
  };
}

const TITLE_GRAPHEMES = 60;

/** A conversation's title from the owner's first words, without secrets: taken out of the whole before it is cut. `scrub` knows the exact ones. */
export function titleFrom(words: string, scrub: (text: string) => string): string {
  return clipGraphemes(oneLine(scrubShapes(scrub(words))), TITLE_GRAPHEMES);
}

/** What a conversation is called until the owner has said something in it. */
export function provisionalTitle(person: Pick<Person, "platform" | "name">, openedAt: number): string {
  return `${clipGraphemes(oneLine(person.name), 40)} on ${platformName(person.platform)}, ${new Date(openedAt).toISOString().slice(0, 10)}`;
}

/** The changes that open a new chat and say so. */
export function freshChat(room: Room, person: Person, surroundings: Surroundings): readonly Change[] {
  const open = openConversation(room, person, surroundings);
  return [...open.changes, noticeIn(open.id, NEW_CHAT, true, surroundings)];
}

/** Said when a new chat begins. */
export const NEW_CHAT: string = "New chat. What came before is kept, and I don't see it here.";

/** The change that says something in a conversation, in the gateway's own words. `outside`: they hold names that others chose. */
export function noticeIn(
  conversation: string,
  text: string,
  quiet: boolean,
  { clock }: Surroundings,
  outside?: true,
): Change {
  const body = { kind: "notice", text, quiet, ...(outside === undefined ? {} : { outside }) } as const;
  return { do: "append", conversation, at: clock.now(), body };
}

/** The mark that a conversation in a room has from its first entry, if any. What nobody attends has no audience. */
export function firstMarks(room: Room): readonly Taint[] {
  return room.kind === "shared" && room.platform !== UNATTENDED_PLATFORM ? [sharedMark(room)] : [];
}

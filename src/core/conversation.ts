// A conversation and the lines of its log.
import type { ApprovalAnswer, ApprovalOutcome, Card, Chips, Look, Plan, View } from "./card.ts";
import type { ErrorCode } from "./error.ts";
import type { Message, Part, Person, Room, Untrusted } from "./message.ts";
import type { Attendance, Mode, Taint } from "./taint.ts";
import type { ToolCall, ToolResult } from "./tool.ts";
import type { StopReason, Usage } from "./turn.ts";

/** One log in a room, from `/new` to the next: the unit of memory and of taint. */
export type Conversation = {
  readonly id: string;
  readonly room: Room;
  /** Whose it is, as a person key. */
  readonly person: string;
  readonly title: string;
  readonly openedAt: number;
  readonly lastAt: number;
  readonly archived: boolean;
  /** The engine chosen for it; left out: the config's default. */
  readonly engine?: string;
  /** The mode chosen for it; left out: the config's default. */
  readonly mode?: Mode;
  /** The seq of its last entry, 0 when it has none. */
  readonly head: number;
  /** The seq of the entry that stands open under the newest answer, an offer or replies to send next; left out: nothing does. */
  readonly stands?: number;
};

/** What an entry says. */
export type EntryBody =
  | { readonly kind: "message"; readonly message: Message }
  /** Replaces the words that came in the platform message `messageId`; its files stay, unless it is `gone`: taken back by its writer. Never starts anything. */
  | { readonly kind: "edited"; readonly messageId: string; readonly parts: readonly Part[]; readonly gone?: true }
  | { readonly kind: "marked"; readonly taint: Taint }
  | { readonly kind: "command"; readonly name: string; readonly args: string }
  /** A turn begins; it answers every message up to the seq `upTo`. `again`: its second and last try. */
  | {
      readonly kind: "turn-started";
      readonly turn: string;
      readonly engine: string;
      readonly upTo: number;
      readonly attendance: Attendance;
      readonly again: boolean;
    }
  /** In the log before the tool runs. `by`: whose tool it is. */
  | {
      readonly kind: "tool-start";
      readonly turn: string;
      readonly call: ToolCall;
      readonly effect: "read" | "act";
      readonly by: "gateway" | "engine";
    }
  | {
      readonly kind: "tool-end";
      readonly turn: string;
      readonly callId: string;
      readonly result: ToolResult;
    }
  /** A tool gave words of earlier chats to a model. `button`: the key of what opens the list of them. */
  | { readonly kind: "looked"; readonly turn: string; readonly look: Look; readonly button: string }
  /** One finished part of an answer, as Markdown. A tool call between two texts makes two parts. `chips`: what may be said next, under the last part. */
  | {
      readonly kind: "text";
      readonly turn: string;
      readonly part: number;
      readonly text: string;
      readonly chips?: Chips;
    }
  /** Something newer is in the chat: the replies that stand under that part of an answer go. */
  | { readonly kind: "chips-gone"; readonly turn: string; readonly part: number; readonly text: string }
  /** The plan as it is now; the newest of a turn counts. `folded`: the turn is over. */
  | { readonly kind: "plan"; readonly turn: string; readonly plan: Plan; readonly folded?: true }
  /** What a tool found, as rows to look at. */
  | { readonly kind: "viewed"; readonly turn: string; readonly view: View; readonly keys: readonly string[] }
  /** A picture that was drawn here: a file of this conversation's own folder, with words for whom doesn't see it. */
  | {
      readonly kind: "pictured";
      readonly turn: string;
      readonly picture: { readonly name: string; readonly path: string; readonly alt: string };
    }
  /** Something that was offered is on, and the request that brought it up goes on: it wakes a turn as a message does. `request`: the person's own words. */
  | {
      readonly kind: "carried-on";
      readonly from: Person;
      readonly target: { readonly kind: "app" | "skill"; readonly id: string; readonly name: string };
      readonly request: Untrusted;
      /** A skill's text, for this request alone. */
      readonly instructions?: string;
    }
  /** A card that its turn could not wait for any longer got its answer: it wakes a turn as a message does. */
  | { readonly kind: "resumed"; readonly from: Person; readonly card: string; readonly answer: ResumedAnswer }
  | {
      readonly kind: "usage";
      readonly turn: string;
      readonly engine: string;
      readonly usage: Usage;
    }
  | {
      readonly kind: "turn-ended";
      readonly turn: string;
      readonly reason: StopReason;
      readonly code?: ErrorCode;
      readonly words?: string;
    }
  /** The gateway's own words to the people there. */
  | {
      readonly kind: "notice";
      readonly text: string;
      readonly quiet: boolean;
      readonly showIn?: Room;
      /** It holds words that someone else chose, such as a name: whoever quotes it brings those in. */
      readonly outside?: true;
    }
  | { readonly kind: "asked"; readonly card: Card; readonly showIn?: Room; readonly outside?: true }
  /**
   * A card got its answer; `text` is what it says from now on, where it was shown. `took`: which answer, where something waits for it.
   * `given`: the answer to a question in words, null when it was skipped. `offer`: what became of an offer.
   */
  | {
      readonly kind: "answered";
      readonly card: string;
      readonly by: string;
      readonly text: string;
      readonly took?: ApprovalOutcome;
      readonly given?: string | null;
      /** The platform's message that the answer was typed in. */
      readonly messageId?: string;
      readonly offer?: "accepted" | "dismissed" | "muted" | "expired";
      readonly showIn?: Room;
      readonly outside?: true;
    };

/**
 * What the answer was to, and what it was. `given`: the answer to a question in words, null when it was skipped. `input`: the arguments of
 * the call that was asked about, exactly.
 */
export type ResumedAnswer =
  | {
      readonly to: "question";
      readonly title?: string;
      readonly labels: readonly string[];
      readonly given: string | null;
    }
  | { readonly to: "approval"; readonly tool: string; readonly input: unknown; readonly took: ApprovalAnswer };

/** One durable line of a conversation's log. Seqs start at 1 and have no gaps; `at` is milliseconds since 1970. */
export type Entry = EntryBody & {
  readonly conversation: string;
  readonly seq: number;
  readonly at: number;
};

/** An entry with its place in the store as a whole, which is what followers go by. Places grow, and may have gaps. */
export type PlacedEntry = { readonly place: number; readonly entry: Entry };

/** What of each kind a model may see later: all of it, in brief, or nothing. */
export const FOR_MODEL: { readonly [K in EntryBody["kind"]]: "yes" | "brief" | "no" } = {
  message: "yes",
  edited: "yes",
  marked: "no",
  command: "no",
  "turn-started": "no",
  "tool-start": "brief",
  "tool-end": "brief",
  looked: "no",
  text: "yes",
  "chips-gone": "no",
  plan: "no",
  viewed: "no",
  pictured: "no",
  "carried-on": "yes",
  resumed: "yes",
  usage: "no",
  "turn-ended": "brief",
  notice: "no",
  asked: "no",
  answered: "no",
};

// What the log is told of an approval's end.
import type { Approval, ApprovalOutcome } from "../core/card.ts";
import type { Person, Room } from "../core/message.ts";
import type { Change } from "../store/port.ts";
import { release } from "./held.ts";
import { codeName } from "./own-tools.ts";

type Asked = {
  readonly conversation: string;
  readonly held?: true;
  readonly showIn?: Room;
  readonly outside?: true;
};

/** What a card says from its answer on. */
export const TOOK_WORDS: Readonly<Record<ApprovalOutcome, string>> = {
  once: "Allowed once.",
  always: "Allowed, from now on in this chat.",
  no: "Not allowed.",
  expired: "Not answered in time, so it was not done.",
  stopped: "Stopped before this was answered. It was not done.",
};

const RESTARTED = "I was restarted before this was answered. It was not done.";

/** The changes that record an answer, once: refused with `claimed` when another was first. */
export function answerChanges(
  card: Approval,
  live: Asked,
  took: ApprovalOutcome,
  {
    by,
    at,
    from,
    words = TOOK_WORDS[took],
    known = false,
  }: Omit<How, "more"> & { readonly at: number; readonly known?: boolean },
): readonly Change[] {
  const { conversation, showIn, outside } = live;
  const answered =
    took === "expired" || took === "stopped"
      ? undefined
      : ({ from, answer: { to: "approval", tool: card.tool, input: card.input, took } } as const);
  return [
    { do: "claim", key: `card:${card.id}`, by, at },
    {
      do: "append",
      conversation,
      at,
      body: {
        kind: "answered",
        card: card.id,
        by,
        took,
        text: answeredText(card, words),
        ...(showIn === undefined ? {} : { showIn }),
        ...(outside === undefined ? {} : { outside }),
      },
    },
    ...(took === "always" && !known
      ? [{ do: "claim", key: alwaysKey(conversation, card.tool, card.means), by, at } as const]
      : []),
    ...(live.held === true ? release({ conversation, card }, at, answered) : []),
  ];
}

/** Who answered, what is committed with it, and what the card says instead of the usual. `from`: whose turn the answer may start. */
export type How = {
  readonly by: string;
  readonly more: readonly Change[];
  readonly from: Person | undefined;
  readonly words?: string | undefined;
};

/** What the card of an approval that nothing waits for any more is changed to: after a crash. */
export function expireApproval(card: Approval, asked: Omit<Asked, "held">, at: number): readonly Change[] {
  return answerChanges(card, asked, "expired", { by: "gateway", at, from: undefined, words: RESTARTED });
}

/** What an answered card says, in these words. */
export function answeredText(card: Approval, words: string): string {
  return `${codeName(card.tool)} (no. ${card.number}): ${words}`;
}

/** What "always" was said about; it goes with its conversation. */
export function alwaysKey(conversation: string, tool: string, means?: string): string {
  return `always:${conversation}:${tool}${means === undefined ? "" : `:${means}`}`;
}

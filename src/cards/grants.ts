// A call that was allowed after its turn had ended: kept for the turn that the answer starts, for this very call, and used once.
import { createHash } from "node:crypto";
import { ABOUT_ONE, type Change, type Store } from "../store/port.ts";

/** The call that is asked about, and what the owner was told of it. */
type Asked = {
  readonly conversation: string;
  readonly digest: string;
  readonly reason: string;
  readonly means?: string;
  readonly marks?: number | undefined;
};

const [, GRANT] = ABOUT_ONE;

/**
 * What leave for a call is bound to besides its conversation: tool and arguments, what the tool is, why it was asked about, and how many
 * sources the chat had words of. Empty when those can't be told: then no leave is kept.
 */
export function boundTo({ digest, reason, means = "", marks }: Asked): string {
  if (marks === undefined) return "";
  return createHash("sha256")
    .update(JSON.stringify([digest, reason, means, marks]))
    .digest("hex");
}

/** Keeps leave until a time, in the transaction that answers the card. */
export function grant(
  { conversation, card }: { readonly conversation: string; readonly card: { readonly id: string } },
  bound: string,
  untilMs: number,
): readonly Change[] {
  return bound === "" ? [] : [{ do: "cursor", name: nameOf(conversation, bound), value: `${card.id} ${untilMs}` }];
}

/** Whether there is leave for this call now. It is gone then, whatever becomes of the call: better asked for again than used twice. */
export async function spend(
  store: Pick<Store, "records" | "commit">,
  { conversation, marks }: Pick<Asked, "conversation" | "marks">,
  bound: string,
  at: number,
): Promise<boolean> {
  if (bound === "" || marks === undefined) return false;
  const name = nameOf(conversation, bound);
  const [card = "", untilMs = "0"] = ((await store.records.cursor(name)) ?? "").split(" ");
  if (card === "" || at >= Number(untilMs)) return false;
  const done = await store.commit([
    { do: "expect-marks", conversation, count: marks },
    { do: "claim", key: `spent:${card}`, by: "gateway", at },
    { do: "cursor", name, value: "" },
  ]);
  return done.ok;
}

function nameOf(conversation: string, bound: string): string {
  return `${GRANT}${conversation}/${bound}`;
}

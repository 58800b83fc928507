// Cards that outlive their turn. An engine lets a call wait for a person only so long; then the call ends, and the card stays.
//
//   asked ─→ held ─┬→ answered + resumed + released, one transaction: a turn is woken by it
//                  └→ answered + released: over without a turn (expired, the chat was left, another question took its place)
import type { Approval, Question } from "../core/card.ts";
import type { ResumedAnswer } from "../core/conversation.ts";
import type { Person, Room } from "../core/message.ts";
import type { Clock, Surroundings } from "../core/surroundings.ts";
import { ABOUT_ONE, type Change, type Store } from "../store/port.ts";

/** Which card of which conversation. */
type Which = { readonly conversation: string; readonly card: { readonly id: string } };

/** A card as it stood when the gateway began. `at`: when it was first asked; `note`: what was kept with it. */
export type HeldCard<C extends Approval | Question = Approval | Question> = {
  readonly conversation: string;
  readonly room: Room;
  readonly card: C;
  readonly at: number;
  readonly note: string;
  readonly showIn?: Room;
  readonly outside?: true;
};

const [HELD] = ABOUT_ONE;
const TRIES = 5;
const WAIT_MS = 1000;

function nameOf({ conversation, card }: Which): string {
  return `${HELD}${conversation}/${card.id}`;
}

/** From now on no turn waits for it. `seq`: of the entry that first asked it; `note`: a word of its own, without a space. */
export function hold(which: Which, seq: number, note = ""): Change {
  return { do: "cursor", name: nameOf(which), value: `${seq} ${note}` };
}

/** The changes that go with the end of a card that was held. `from`: who answered; left out: nobody did, and no turn is woken. */
export function release(
  which: Which,
  at: number,
  answered?: { readonly from: Person | undefined; readonly answer: ResumedAnswer },
): readonly Change[] {
  const { conversation, card } = which;
  const over: Change = { do: "cursor", name: nameOf(which), value: "" };
  if (answered?.from === undefined) return [over];
  const { from, answer } = answered;
  return [{ do: "append", conversation, at, body: { kind: "resumed", from, card: card.id, answer } }, over];
}

/** Whether a card is held: a crash of its turn leaves it as it is. */
export async function isHeld({ records }: Pick<Store, "records">, which: Which): Promise<boolean> {
  return ((await records.cursor(nameOf(which))) ?? "") !== "";
}

/** All that are held, from the log. */
export async function heldCards(store: Pick<Store, "records" | "conversations" | "log">): Promise<readonly HeldCard[]> {
  const found: HeldCard[] = [];
  for (const [name, value] of await store.records.cursors(HELD)) {
    const [, id = "", card = ""] = /^([^/]+)\/(.+)$/u.exec(name) ?? [];
    const [, seq = "", note = ""] = /^(\d+) (.*)$/u.exec(value) ?? [];
    const conversation = seq === "" ? undefined : await store.conversations.get(id);
    if (conversation === undefined) continue;
    const since = await store.log.read(id, { after: Number(seq) - 1 });
    if (since.some((entry) => entry.kind === "answered" && entry.card === card)) continue;
    const asked = since.findLast((entry) => entry.kind === "asked" && entry.card.id === card);
    if (asked?.kind !== "asked" || (asked.card.kind !== "approval" && asked.card.kind !== "question")) continue;
    const { showIn, outside } = asked;
    found.push({
      ...{ conversation: id, room: showIn ?? conversation.room, card: asked.card, at: since[0]?.at ?? asked.at, note },
      ...(showIn === undefined ? {} : { showIn }),
      ...(outside === undefined ? {} : { outside }),
    });
  }
  return found;
}

/** Runs a task for a card at a time (milliseconds since 1970), unless the signal fires first; a fault is noted. */
export async function whenDue(
  untilMs: number,
  signal: AbortSignal,
  { clock, log }: Surroundings,
  task: () => Promise<unknown>,
): Promise<void> {
  try {
    await clock.sleep(Math.max(0, untilMs - clock.now()), signal);
    await task();
  } catch (error) {
    if (!signal.aborted) log.error({ err: error }, "a card that was held can't be closed");
  }
}

/** Two presses, or a press and words, at the same moment: each sees what the one before it did. */
export async function oneByOne<T>(card: { busy: Promise<unknown> }, task: () => Promise<T>): Promise<T> {
  const done = card.busy.then(task);
  card.busy = done.catch(() => undefined);
  return await done;
}

/** Nobody would do it later: a fault of the disk is waited out for a while. */
export async function surelyDone<T>(clock: Clock, task: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await task();
    } catch (thrown) {
      if (left === 0) throw thrown;
      await clock.sleep(WAIT_MS);
    }
  }
}

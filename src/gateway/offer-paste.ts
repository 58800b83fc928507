// A sign-in that ended in a browser on another machine: the person sends the address at which it stopped, and it is finished here. The
// address holds a code, so it is taken before anything else sees the message, and nothing of it is kept.
import type { Inbound } from "../core/channel.ts";
import type { Conversation } from "../core/conversation.ts";
import { asGatewayError } from "../core/error.ts";
import { ownWords } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { closeOpen, openOfferIn } from "../cards/open.ts";
import type { Change, Store } from "../store/port.ts";
import { noticeIn } from "./opening.ts";

/** What finishing a sign-in works with. */
export type PasteParts = {
  readonly store: Store;
  /** Finishes the sign-in that an address belongs to and gives the app's id; undefined when none waits for it. Throws a GatewayError in words. */
  readonly finishSignIn: (address: string) => Promise<string | undefined>;
  readonly surroundings: Surroundings;
};

const MAX_ADDRESS_CHARS = 8_000;
const BACK = /^http:\/\/127\.0\.0\.1:\d{1,5}\/\S{0,7900}$/u;
const SIGNED_IN = "Signed in.";
const OVER = "No sign-in waits for that address any more. “New link” on the card begins another.";

/** The address that a message consists of, if it is one that a browser comes back to after a sign-in. Nothing forwarded counts. */
export function signInAddress(inbound: Extract<Inbound, { kind: "message" }>): string | undefined {
  if (inbound.command !== undefined || inbound.parts.some((part) => part.kind === "file" || part.origin.kind !== "own"))
    return undefined;
  const words = ownWords(inbound).trim();
  const url = words.length <= MAX_ADDRESS_CHARS && BACK.test(words) ? URL.parse(words) : null;
  const back =
    url?.searchParams.has("state") === true && (url.searchParams.has("code") || url.searchParams.has("error"));
  return back ? words : undefined;
}

/**
 * Finishes the sign-in that waits for the address, marks the message done, and says so in the conversation; false when none waits here:
 * then the message is one like any other.
 */
export async function pasteAddress(
  address: string,
  conversation: Pick<Conversation, "id"> | undefined,
  row: number,
  { store, finishSignIn, surroundings }: PasteParts,
): Promise<boolean> {
  const done: Change = { do: "inbound-done", ids: [row], outcome: "a sign-in finished", forget: true };
  const say = async (words: string): Promise<void> => {
    if (conversation !== undefined) await closeOpen(store, conversation, surroundings.clock.now(), "command");
    const said = conversation === undefined ? [] : [noticeIn(conversation.id, words, true, surroundings)];
    // The chat may be gone by now; the address goes in any case.
    if (!(await store.commit([...said, done])).ok) await store.commit([done]);
  };
  try {
    if ((await finishSignIn(address)) !== undefined) {
      await say(SIGNED_IN);
      return true;
    }
  } catch (thrown) {
    const { message, hint } = asGatewayError(thrown, "app-failed");
    await say(hint === undefined ? message : `${message} ${hint}`);
    return true;
  }
  const open = conversation === undefined ? undefined : await openOfferIn(store, conversation.id);
  if (open?.offer.stage?.is !== "sign-in") return false;
  await say(OVER);
  return true;
}

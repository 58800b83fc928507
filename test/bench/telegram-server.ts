// The loopback Telegram as a process of the bench: it plays the people too, so that nothing but a bot's own calls stands
// between a reply and the next message. Each message carries a mark (#17) that comes back in its reply.
import { setTimeout as sleep } from "node:timers/promises";
import { startTelegram, type TelegramWire } from "../wire/telegram.ts";
import { serve, steadyMs } from "./calls.ts";

/** Everything is written by the owner, the one person whom Tidegate answers. */
const OWNER = 1001;
/** Between two messages of someone who waits for each answer: what a bot does after an answer is done by then. */
const BREATH_MS = 15;
/** A bot that stops answering ends the bench rather than holding it up. */
const LOST_MS = 60_000;

let wire: TelegramWire | undefined;
let polled = Promise.withResolvers<number>();
let marks = 0;
let opened = 0;
/** Who waits for a mark to come back, by chat. */
const waiting = new Map<number, { readonly mark: string; readonly seen: () => void }>();

serve({
  async open() {
    await wire?.[Symbol.asyncDispose]();
    // A bot that has met this Telegram before knows each update by its id.
    wire = await startTelegram({ callLogCap: 0, messageCap: 10, firstUpdateId: ++opened * 1_000_000 });
    waiting.clear();
    polled = Promise.withResolvers();
    const { state } = wire;
    const poll = state.queue.poll.bind(state.queue);
    state.queue.poll = async (...given) => {
      polled.resolve(steadyMs());
      return await poll(...given);
    };
    const store = state.store.bind(state);
    state.store = (chat, shown, api) => {
      store(chat, shown, api);
      const wait = shown.byBot ? waiting.get(shown.chatId) : undefined;
      if (wait === undefined || !shown.text.includes(wait.mark)) return;
      waiting.delete(shown.chatId);
      // First the bot gets its answer.
      setImmediate(wait.seen);
    };
    return { apiRoot: wire.apiRoot, token: wire.token };
  },
  /** When the bot first asked for updates. */
  firstPoll: () => polled.promise,
  /** One message after the other, each when the one before is answered; gives when each could be fetched, by its mark. */
  async oneByOne(chats: readonly number[], count: number) {
    const said: Record<string, number> = {};
    for (let nth = 0; nth < count; nth += 1) {
      await polling();
      await sleep(BREATH_MS);
      const mark = nextMark();
      said[mark] = steadyMs();
      await say(chats[nth % chats.length] ?? 0, mark);
    }
    return said;
  },
  /** All chats at once, each with its next message as soon as its last is answered; gives how long it took. */
  async sideBySide(chats: readonly number[], count: number) {
    const from = steadyMs();
    let left = count;
    const talk = async (chat: number): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await say(chat, nextMark());
      }
    };
    await Promise.all(chats.map(talk));
    return steadyMs() - from;
  },
});

function nextMark(): string {
  marks += 1;
  // Padded, so that no mark is the beginning of another.
  return `#${String(marks).padStart(7, "0")}`;
}

async function say(chat: number, mark: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  waiting.set(chat, { mark, seen: resolve });
  const lost = setTimeout(() => reject(new Error(`No answer to ${mark}.\n${wire?.describe()}`)), LOST_MS);
  wire?.say(chat, OWNER, `What opens the gate? ${mark}`);
  await promise.finally(() => clearTimeout(lost));
}

async function polling(): Promise<void> {
  if (wire?.polling === true) return;
  await sleep(1);
  await polling();
}

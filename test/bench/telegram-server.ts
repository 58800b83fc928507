// The loopback Telegram as a process of the bench.
import { setTimeout as sleep } from "node:timers/promises";
import { startTelegram, type TelegramWire } from "../wire/telegram.ts";
import { serve, steadyMs } from "./calls.ts";
import { gather, OWNER, type Crowd } from "./crowd.ts";

let wire: TelegramWire | undefined;
let crowd: Crowd | undefined;
let polled = Promise.withResolvers<number>();
let first = polled.promise;
let opened = 0;

serve({
  /** A fresh one; gives what the config says of it. */
  async open() {
    await wire?.[Symbol.asyncDispose]();
    // A bot that has met this Telegram before knows each update by its id.
    const made = await startTelegram({ callLogCap: 0, messageCap: 10, firstUpdateId: ++opened * 1_000_000 });
    const people = gather({
      say: (chat, words) => void made.say(chat, OWNER.telegram, words),
      listening: () => polling(made),
      describe: () => made.describe(),
    });
    [wire, crowd, polled] = [made, people, Promise.withResolvers()];
    first = polled.promise;
    const { state } = made;
    const poll = state.queue.poll.bind(state.queue);
    state.queue.poll = async (...given) => {
      polled.resolve(steadyMs());
      polled = Promise.withResolvers();
      return await poll(...given);
    };
    const store = state.store.bind(state);
    state.store = (chat, shown, api) => {
      store(chat, shown, api);
      if (shown.byBot) people.heard(shown.text);
    };
    return { apiRoot: made.apiRoot, token: made.token };
  },
  /** When the bot first asked for updates. */
  connected: () => first,
  oneByOne: (chats: readonly number[], count: number) => crowd?.oneByOne(chats, count),
  sideBySide: (chats: readonly number[], count: number) => crowd?.sideBySide(chats, count),
  /** Every connection is cut, and for a moment none can be made. */
  cut(chats: readonly number[]) {
    const cut = async (): Promise<void> => await wire?.goDown();
    const during = async (act: () => void): Promise<void> => {
      act();
      await wire?.comeBack();
    };
    return crowd?.aroundBreak(chats, { cut, during, again: polled.promise });
  },
  written: () => crowd?.written(),
});

async function polling(wire: TelegramWire): Promise<void> {
  if (wire.polling) return;
  await sleep(1);
  await polling(wire);
}

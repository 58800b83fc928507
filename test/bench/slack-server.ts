// The loopback Slack as a process of the bench. Each chat is a thread of the owner's direct messages with the app, as "New Chat" makes one.
import { startSlack, type SlackWire } from "../wire/slack.ts";
import { serve, steadyMs } from "./calls.ts";
import { gather, LOST_MS, OWNER, type Crowd } from "./crowd.ts";

let wire: SlackWire | undefined;
let crowd: Crowd | undefined;

serve({
  /** A fresh one; gives what the config says of it. */
  async open() {
    await wire?.[Symbol.asyncDispose]();
    const made = await startSlack({ callLogCap: 0 });
    made.addUser({ id: OWNER.slack, name: "Sam" });
    const dm = made.dm(OWNER.slack);
    const threads = new Map<number, string>();
    const people = gather({
      say(chat, words) {
        const thread = threads.get(chat) ?? made.startAssistantThread(OWNER.slack);
        threads.set(chat, thread);
        made.say(dm, OWNER.slack, words, { thread });
      },
      describe: () => made.describe(),
    });
    [wire, crowd] = [made, people];
    const { state } = made;
    const store = state.store.bind(state);
    state.store = (channel, stored) => {
      store(channel, stored);
      if (stored.shown.byBot) people.heard(stored.shown.text);
    };
    return { botToken: made.botToken, appToken: made.appToken, apiUrl: made.apiUrl };
  },
  /** When the bot had been told who it is, and was greeted on its socket. */
  connected: () => greeted(0, true),
  oneByOne: (chats: readonly number[], count: number) => crowd?.oneByOne(chats, count),
  sideBySide: (chats: readonly number[], count: number) => crowd?.sideBySide(chats, count),
  /** The socket is cut. `missed`: what is written meanwhile is never delivered, and stands in the history alone. */
  cut(chats: readonly number[], missed: boolean) {
    const during = (act: () => void): void => (missed ? wire?.miss(act) : act());
    const again = greeted(wire?.delivery.connected ?? 0, false);
    return crowd?.aroundBreak(chats, { cut: () => wire?.cut(), during, again });
  },
  written: () => crowd?.written(),
});

async function greeted(after: number, known: boolean): Promise<number> {
  await wire?.until(
    (seen) => seen.delivery.connected > after && seen.connections > 0 && (!known || seen.callCount("auth.test") > 0),
    { timeoutMs: LOST_MS, what: "a greeted socket" },
  );
  return steadyMs();
}

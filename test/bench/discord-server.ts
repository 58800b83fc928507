// The loopback Discord as a process of the bench. Each chat is a private channel of the owner with the bot: Discord itself makes just one,
// but channels of servers would be another thing to measure than the private chats of the other platforms.
import { ChannelType } from "discord-api-types/v10";
import { startDiscord, type DiscordWire } from "../wire/discord.ts";
import { noFlags } from "../wire/discord-state.ts";
import { serve, steadyMs } from "./calls.ts";
import { gather, LOST_MS, OWNER, type Crowd } from "./crowd.ts";

let wire: DiscordWire | undefined;
let crowd: Crowd | undefined;

serve({
  /** A fresh one; gives what the config says of it. */
  async open() {
    await wire?.[Symbol.asyncDispose]();
    const made = await startDiscord({ callLogCap: 0, messageCap: 10 });
    made.addUser({ id: OWNER.discord, name: "Sam" });
    made.dm(OWNER.discord);
    const channels = new Map<number, string>();
    const people = gather({
      say(chat, words) {
        const channel = channels.get(chat) ?? privateChannel(made);
        channels.set(chat, channel);
        made.say(channel, OWNER.discord, words);
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
    return { token: made.token, apiUrl: made.apiUrl };
  },
  /** When the bot had identified and READY was sent. */
  connected: () => ready(0),
  oneByOne: (chats: readonly number[], count: number) => crowd?.oneByOne(chats, count),
  sideBySide: (chats: readonly number[], count: number) => crowd?.sideBySide(chats, count),
  /** The connection is cut. `missed`: the session is gone as well, so that no resume brings what is written meanwhile. */
  cut(chats: readonly number[], missed: boolean) {
    const cut = (): void => {
      if (missed) wire?.forgetSessions();
      wire?.cut();
    };
    return crowd?.aroundBreak(chats, { cut, during: (act) => act(), again: ready(sessions()) });
  },
  written: () => crowd?.written(),
});

function privateChannel({ state }: DiscordWire): string {
  const id = state.nextId();
  const owner = state.addUser(OWNER.discord);
  state.addChannel(
    { id, type: ChannelType.DM, name: null, last_message_id: null, flags: noFlags, recipients: [owner] },
    undefined,
  );
  return id;
}

/** How often a session was begun or taken up. */
function sessions(): number {
  return wire === undefined ? 0 : wire.gateway.identifies + wire.gateway.resumes;
}

async function ready(after: number): Promise<number> {
  await wire?.until(() => sessions() > after && wire?.connected, { timeoutMs: LOST_MS, what: "a session" });
  return steadyMs();
}

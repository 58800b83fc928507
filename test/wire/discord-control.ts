// What another process may ask of the loopback Discord: POST /control/VERB.
import type { APIMessage, APIUser } from "discord-api-types/v10";
import type { Fault } from "./discord-faults.ts";
import type { Entries } from "./discord-modals.ts";
import type { SayExtra, ThreadOptions } from "./discord-people.ts";
import type { Dispatch } from "./discord-state.ts";
import type { DiscordWire, Match } from "./discord.ts";
import type { UntilOptions, Verbs } from "./http.ts";

/** The same verbs over HTTP; patterns travel as { "matches": "…" }, bytes as base64. */
export function controlVerbs(wire: DiscordWire): Verbs {
  const pattern = (match: string | { matches: string }): Match =>
    typeof match === "string" ? match : new RegExp(match.matches, "u");
  return {
    addUser: (user: string | (Partial<APIUser> & { id: string; name?: string })) => wire.addUser(user),
    addBot: (id: string, name: string) => wire.addBot(id, name),
    dm: (user: string) => wire.dm(user),
    addGuild: (id: string, name?: string) => wire.addGuild(id, name),
    addChannel: (id: string, name?: string, options?: { guild?: string }) => wire.addChannel(id, name, options),
    addForum: (id: string, name?: string, options?: { guild?: string }) => wire.addForum(id, name, options),
    addGroupDm: (id: string, name: string, users: string[]) => wire.addGroupDm(id, name, users),
    addRole: (id: string, name: string, guild?: string) => wire.addRole(id, name, guild),
    addThread: (channel: string, options?: ThreadOptions | string) => wire.addThread(channel, options),
    addPost: (forum: string, user: string, title: string, text: string, extra?: SayExtra) =>
      wire.addPost(forum, user, title, text, extra),
    say: (channel: string, user: string, text: string, extra?: SayExtra) => wire.say(channel, user, text, extra),
    edit: (channel: string, id: string, text: string, fields?: Partial<APIMessage>) =>
      wire.edit(channel, id, text, fields),
    remove: (channel: string, ...ids: string[]) => wire.remove(channel, ...ids),
    unfurl: (channel: string, id: string) => wire.unfurl(channel, id),
    pin: (channel: string, id: string) => wire.pin(channel, id),
    react: (channel: string, user: string, id: string, emoji?: string) => wire.react(channel, user, id, emoji),
    press: (channel: string, user: string, id: string, label: string) => wire.press(channel, user, id, label),
    pressData: (channel: string, user: string, id: string, data: string) => wire.pressData(channel, user, id, data),
    pick: (channel: string, user: string, id: string, options: string[]) => wire.pick(channel, user, id, options),
    submit: (who: string, fields: Entries) => wire.submit(who, fields),
    command: (channel: string, user: string, typed: string) => wire.command(channel, user, typed),
    shortcut: (channel: string, user: string, id: string, name?: string) => wire.shortcut(channel, user, id, name),
    closeDms: (user: string) => wire.closeDms(user),
    openDms: (user: string) => wire.openDms(user),
    forbid: (channel: string, code?: 50001 | 50013) => wire.forbid(channel, code),
    allow: (channel: string) => wire.allow(channel),
    deleteChannel: (channel: string) => wire.deleteChannel(channel),
    pushRaw: (dispatch: Dispatch) => wire.pushRaw(dispatch),
    redeliver: (id: string) => wire.redeliver(id),
    /** What the verbs in the list do, [verb, ...arguments] each, is heard by no session. */
    missed: (acts: [string, ...unknown[]][]) =>
      wire.miss(() =>
        acts.map(([verb, ...args]) => {
          const found = controlVerbs(wire)[verb];
          if (!found) throw new Error(`No verb "${verb}"`);
          return found(...(args as never[]));
        }),
      ),
    fail: (route: string, fault: Fault) => wire.fail(route, fault),
    clearFaults: () => wire.clearFaults(),
    cut: () => wire.cut(),
    closeWith: (code: number) => wire.closeWith(code),
    freeze: (options?: { deaf?: boolean }) => wire.freeze(options),
    thaw: () => wire.thaw(),
    zombie: () => wire.zombie(),
    reconnect: () => wire.reconnect(),
    invalidSession: (resumable?: boolean) => wire.invalidSession(resumable),
    forgetSessions: () => wire.forgetSessions(),
    refuseConnections: (times?: number, code?: number) => wire.refuseConnections(times, code),
    noHello: (times?: number) => wire.noHello(times),
    revokeToken: () => wire.revokeToken(),
    setMessageContent: (on: boolean) => wire.setMessageContent(on),
    goDown: () => wire.goDown(),
    comeBack: () => wire.comeBack(),
    forgetNonces: () => wire.forgetNonces(),
    age: (pressId: string, ms: number) => wire.age(pressId, ms),
    messages: (channel: string) => wire.messages(channel),
    sent: (channel: string) => wire.sent(channel),
    ephemerals: (user: string) => wire.ephemerals(user),
    answerTo: (pressId: string) => wire.answerTo(pressId),
    modal: (user: string) => wire.modal(user),
    typing: () => wire.typing,
    commands: () => wire.commands,
    calls: (route?: string) => (route === undefined ? wire.calls : wire.callsOf(route)),
    callCount: (route: string) => wire.callCount(route),
    status: () => ({
      connected: wire.connected,
      connects: wire.gateway.connects,
      identifies: wire.gateway.identifies,
      resumes: wire.gateway.resumes,
      pending: wire.pending,
      commandPuts: wire.commandPuts,
      invalidCalls: wire.invalidCalls,
    }),
    shown: (channel: string, match: string | { matches: string }, options?: UntilOptions & { after?: string }) =>
      wire.shown(channel, pattern(match), options),
    untilConnected: (options?: UntilOptions) => wire.until(() => wire.connected, options),
    untilCalled: (route: string, times = 1, options?: UntilOptions) =>
      wire.until(() => wire.callCount(route) >= times, options),
    describe: () => wire.describe(),
  };
}

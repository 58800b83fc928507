// What another process may ask of the loopback Slack: POST /control/VERB.
import type { UntilOptions, Verbs } from "./http.ts";
import type { Fault } from "./slack-faults.ts";
import type { SayExtra } from "./slack-people.ts";
import type { Person } from "./slack-state.ts";
import type { Match, SlackWire } from "./slack.ts";

/** The same verbs over HTTP; patterns travel as { "matches": "…" }, bytes as base64. */
export function controlVerbs(wire: SlackWire): Verbs {
  const pattern = (match: string | { matches: string }): Match =>
    typeof match === "string" ? match : new RegExp(match.matches, "u");
  return {
    addUser: (user: Partial<Person> & { id: string }) => wire.addUser(user),
    dm: (user: string) => wire.dm(user),
    addChannel: (id: string, name?: string, options?: Parameters<SlackWire["addChannel"]>[2]) =>
      wire.addChannel(id, name, options),
    archive: (channel: string) => wire.archive(channel),
    setMember: (channel: string, member: boolean) => wire.setMember(channel, member),
    refusePosts: (channel: string, code?: string) => wire.refusePosts(channel, code),
    say: (channel: string, user: string, text: string, extra?: SayExtra) => wire.say(channel, user, text, extra),
    sayAsBot: (channel: string, text: string, extra?: { old?: true; mention?: true }) =>
      wire.sayAsBot(channel, text, extra),
    edit: (channel: string, id: string, text: string) => wire.edit(channel, id, text),
    remove: (channel: string, id: string) => wire.remove(channel, id),
    unfurl: (channel: string, id: string, text?: string) => wire.unfurl(channel, id, text),
    touch: (channel: string, id: string) => wire.touch(channel, id),
    react: (channel: string, user: string, id: string, name?: string) => wire.react(channel, user, id, name),
    press: (channel: string, user: string, id: string, label: string) => wire.press(channel, user, id, label),
    pressData: (channel: string, user: string, id: string, data: string) => wire.pressData(channel, user, id, data),
    pick: (channel: string, user: string, id: string, labels: string[]) => wire.pick(channel, user, id, labels),
    pressHome: (user: string, label: string) => wire.pressHome(user, label),
    pressModal: (user: string, label: string) => wire.pressModal(user, label),
    submit: (pressOrUser: string, fields: Record<string, string | string[]>) => wire.submit(pressOrUser, fields),
    dismiss: (pressOrUser: string) => wire.dismiss(pressOrUser),
    command: (channel: string, user: string, text: string, name?: string) => wire.command(channel, user, text, name),
    shortcut: (channel: string, user: string, id: string, callbackId?: string) =>
      wire.shortcut(channel, user, id, callbackId),
    openHome: (user: string, tab?: "home" | "messages") => wire.openHome(user, tab),
    startAssistantThread: (user: string) => wire.startAssistantThread(user),
    pushRaw: (payload: Record<string, unknown>) => {
      wire.pushRaw(payload);
    },
    redeliver: (which?: string) => wire.redeliver(which),
    retryNow: () => wire.retryNow(),
    deliverTo: (url?: string) => wire.deliverTo(url),
    fail: (method: string, fault: Fault) => wire.fail(method, fault),
    clearFaults: () => wire.clearFaults(),
    revoke: (code?: string) => wire.revoke(code),
    restore: () => wire.restore(),
    cut: () => wire.cut(),
    freeze: () => wire.freeze(),
    refresh: (reason?: "refresh_requested" | "warning" | "link_disabled") => wire.refresh(reason),
    refuseConnections: (times: number, status?: number) => wire.refuseConnections(times, status),
    noHello: (times?: number) => wire.noHello(times),
    closeWith: (code: number, reason?: string) => wire.closeWith(code, reason),
    goDown: () => wire.goDown(),
    comeBack: () => wire.comeBack(),
    closeStream: (ts: string) => wire.closeStream(ts),
    stopStream: (ts: string) => wire.stopStream(ts),
    messages: (channel: string) => wire.messages(channel),
    sent: (channel: string) => wire.sent(channel),
    ephemerals: (user: string) => wire.ephemerals(user),
    answerTo: (pressId: string) => wire.answerTo(pressId),
    home: (user: string) => wire.home(user),
    modal: (user: string) => wire.modal(user),
    statuses: () => wire.statuses,
    calls: (method?: string) => (method === undefined ? wire.calls : wire.callsOf(method)),
    callCount: (method: string) => wire.callCount(method),
    status: () => ({ connections: wire.connections, pending: wire.pending.length }),
    shown: (channel: string, match: string | { matches: string }, options?: UntilOptions & { after?: string }) =>
      wire.shown(channel, pattern(match), options),
    untilCalled: (method: string, times = 1, options?: UntilOptions) =>
      wire.until(() => wire.callCount(method) >= times, options),
    untilConnected: (options?: UntilOptions) => wire.until(() => wire.connections > 0, options),
    untilAcknowledged: (options?: UntilOptions) => wire.until(() => wire.pending.length === 0, options),
    describe: () => wire.describe(),
  };
}

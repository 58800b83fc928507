// What another process may ask of the loopback Telegram: POST /control/VERB.
import type { Chat, Message, Update, User } from "@grammyjs/types";
import type { UntilOptions, Verbs } from "./http.ts";
import type { Fault } from "./telegram-faults.ts";
import type { PressOptions, SayExtra } from "./telegram-people.ts";
import type { Match, TelegramWire } from "./telegram.ts";

/** The same verbs over HTTP; patterns travel as { "matches": "…" }, bytes as base64. */
export function controlVerbs(wire: TelegramWire): Verbs {
  const pattern = (match: string | { matches: string }): Match =>
    typeof match === "string" ? match : new RegExp(match.matches, "u");
  return {
    addUser: (user: number | (Partial<User> & { id: number })) => wire.addUser(user),
    addChat: (chat: Chat) => wire.addChat(chat),
    addGroup: (id: number, title?: string) => wire.addGroup(id, title),
    addSupergroup: (id: number, options?: { title?: string; forum?: boolean }) => wire.addSupergroup(id, options),
    addChannel: (id: number, title?: string) => wire.addChannel(id, title),
    addTopic: (chatId: number, name?: string) => wire.addTopic(chatId, name),
    push: (update: Omit<Update, "update_id">) => wire.push(update),
    say: (chatId: number, userId: number, text: string, extra?: SayExtra) => wire.say(chatId, userId, text, extra),
    edit: (chatId: number, messageId: number, text: string, fields?: Partial<Message>) =>
      wire.edit(chatId, messageId, text, fields),
    press: (chatId: number, userId: number, id: number, button: string, options?: PressOptions) =>
      wire.press(chatId, userId, id, button, options),
    pressData: (chatId: number, userId: number, id: number, data: string) => wire.pressData(chatId, userId, id, data),
    pressKey: (chatId: number, userId: number, text: string) => wire.pressKey(chatId, userId, text),
    keyboard: (chatId: number) => wire.keyboard(chatId),
    expireCallbacks: () => wire.expireCallbacks(),
    stopDraft: (chatId: number, draftId?: number) => wire.stopDraft(chatId, draftId),
    migrate: (chatId: number, newId?: number) => wire.migrate(chatId, newId),
    block: (userId: number) => wire.block(userId),
    unblock: (userId: number) => wire.unblock(userId),
    deactivate: (userId: number) => wire.deactivate(userId),
    kick: (chatId: number) => wire.kick(chatId),
    deleteMessage: (chatId: number, id: number) => wire.deleteMessage(chatId, id),
    fail: (method: string, fault: Fault) => wire.fail(method, fault),
    clearFaults: () => wire.clearFaults(),
    goDown: () => wire.goDown(),
    comeBack: () => wire.comeBack(),
    messages: (chatId: number) => wire.messages(chatId),
    sent: (chatId: number) => wire.sent(chatId),
    drafts: (chatId: number) => wire.drafts(chatId),
    draftLog: (chatId: number) => wire.draftLog(chatId),
    answers: () => wire.answers,
    actions: () => wire.actions,
    commands: () => wire.commands,
    calls: (method?: string) => (method === undefined ? wire.calls : wire.callsOf(method)),
    callCount: (method: string) => wire.callCount(method),
    status: () => ({
      confirmedOffset: wire.confirmedOffset,
      pendingUpdates: wire.pendingUpdates,
      polling: wire.polling,
    }),
    shown: (chatId: number, match: string | { matches: string }, options?: UntilOptions & { after?: number }) =>
      wire.shown(chatId, pattern(match), options),
    untilCalled: (method: string, times = 1, options?: UntilOptions) =>
      wire.until(() => wire.callCount(method) >= times, options),
    untilPolling: (options?: UntilOptions) => wire.until(() => wire.polling, options),
    untilConfirmed: (offset: number, options?: UntilOptions) =>
      wire.until(() => wire.confirmedOffset >= offset, options),
    describe: () => wire.describe(),
  };
}

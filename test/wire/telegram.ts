// A loopback Telegram Bot API (Bot API 10.3 text, @grammyjs/types 5.0.0) for the real grammY: it
// keeps chats as people see them, enforces the platform's limits and error texts, and goes wrong on
// request. In the same process use the object; from another one POST /control/VERB with a JSON
// array of arguments. As a program: `node test/wire/telegram.ts --port N --control N`.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Chat, Message, Update, User } from "@grammyjs/types";
import { listen, portsFromArgs, pushCapped, readBody, sendJson, serveControl } from "./http.ts";
import type { Seen, Listening, UntilOptions } from "./http.ts";
import { controlVerbs } from "./telegram-control.ts";
import { Faults, Flood } from "./telegram-faults.ts";
import type { Fault, FloodLimits } from "./telegram-faults.ts";
import { addTopic, telegramMethods } from "./telegram-methods.ts";
import type { Method } from "./telegram-methods.ts";
import type { Params } from "./telegram-params.ts";
import * as people from "./telegram-people.ts";
import type { PressOptions, SayExtra } from "./telegram-people.ts";
import { closedSignal, failEarly, readParams, refuse, reset } from "./telegram-serve.ts";
import { Refusal, TelegramState, forgetMessage, liveDrafts } from "./telegram-state.ts";
import type { Answer, Draft, ShownKeyboard, ShownMessage, StateOptions, StoredFile } from "./telegram-state.ts";

export interface TelegramOptions extends Partial<StateOptions> {
  port?: number;
  /** Also listen for control: true picks a free port. */
  control?: number | true;
  /** Calls kept in `calls`, default 10,000; 0 keeps none. */
  callLogCap?: number;
  flood?: FloodLimits;
}

export interface Call {
  /** Rises by one per call, also when old calls are dropped from the log. */
  index: number;
  /** As the client spelled it. */
  method: string;
  payload: Record<string, unknown>;
  atMs: number;
  /** "open" until it is answered; a fault's name when the client got no answer. */
  outcome: string;
  error?: { code: number; description: string };
}

/** What a message must show: a part of its text, a pattern, or anything a function can tell. */
export type Match = string | RegExp | ((message: ShownMessage) => boolean);

/** Methods that write to a chat and so count for flood limits. */
const writes: ReadonlySet<string> = new Set([
  "sendmessage",
  "sendmessagedraft",
  "senddocument",
  "sendphoto",
  "sendvoice",
  "editmessagetext",
  "editmessagecaption",
  "editmessagereplymarkup",
]);

export class TelegramWire implements AsyncDisposable {
  readonly token: string;
  readonly calls: Call[] = [];
  readonly state: TelegramState;
  /** For grammY's `client.apiRoot`. */
  apiRoot = "";
  controlUrl: string | undefined;
  readonly #methods: Map<string, Method>;
  readonly #faults = new Faults();
  readonly #flood: Flood | undefined;
  readonly #callLogCap: number;
  readonly #counts: Map<string, number> = new Map();
  #api: Listening | undefined;
  #control: Listening | undefined;
  #callIndex = 0;

  constructor(options: TelegramOptions) {
    const stateOptions: StateOptions = {
      token: options.token ?? "100200300:test-token",
      username: options.username ?? "gateway_test_bot",
      firstUpdateId: options.firstUpdateId ?? 100_000_001,
      now: options.now ?? Date.now,
      messageCap: options.messageCap ?? 0,
      topicsInPrivate: options.topicsInPrivate ?? false,
      readsAllGroupMessages: options.readsAllGroupMessages ?? true,
      lenientHtml: options.lenientHtml ?? false,
      callbackLifeMs: options.callbackLifeMs ?? 15 * 60_000,
    };
    this.token = stateOptions.token;
    this.state = new TelegramState(stateOptions, () => this.describe());
    this.#methods = telegramMethods(this.state);
    this.#flood = options.flood ? new Flood(options.flood, stateOptions.now) : undefined;
    this.#callLogCap = options.callLogCap ?? 10_000;
  }

  async #listenApi(port?: number): Promise<void> {
    this.#api = await listen((request, response) => {
      void this.#serve(request, response);
    }, port);
    this.apiRoot = this.#api.url;
  }

  async listen(options: Pick<TelegramOptions, "port" | "control">): Promise<void> {
    await this.#listenApi(options.port);
    if (options.control !== undefined) {
      const port = options.control === true ? 0 : options.control;
      const control = await serveControl(controlVerbs(this), port);
      this.#control = control;
      this.controlUrl = control.url;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.state.watch.close();
    await Promise.all([this.#api?.close(), this.#control?.close()]);
  }

  // ---- People and chats

  addUser(user: number | (Partial<User> & { id: number })): User {
    return this.state.addUser(user);
  }

  addChat(chat: Chat): void {
    this.state.addChat(chat);
  }

  addGroup(id: number, title = "Group"): void {
    this.state.addChat({ id, type: "group", title });
  }

  addSupergroup(id: number, options: { title?: string; forum?: boolean } = {}): void {
    this.state.addChat({
      id,
      type: "supergroup",
      title: options.title ?? "Supergroup",
      ...(options.forum ? { is_forum: true as const } : {}),
    });
  }

  addChannel(id: number, title = "Channel"): void {
    this.state.addChat({ id, type: "channel", title });
  }

  /** A topic made by a person; answers its message_thread_id. */
  addTopic(chatId: number, name = "Topic"): number {
    return addTopic(this.state, people.chatOf(this.state, chatId), name);
  }

  /** Queues a raw update and shows what it says; undefined when the bot did not ask for its kind. */
  push(update: Omit<Update, "update_id"> & { update_id?: number }): Update | undefined {
    return people.pushRaw(this.state, update);
  }

  say(chatId: number, userId: number, text: string, extra?: SayExtra): Message {
    return people.say(this.state, chatId, userId, text, extra);
  }

  edit(chatId: number, messageId: number, text: string, fields?: Partial<Message>): Message {
    return people.editSaid(this.state, chatId, messageId, text, fields);
  }

  /** Presses a button found by its data or label; answers the callback query's id. */
  press(chatId: number, userId: number, messageId: number, button: string, options?: PressOptions): string {
    return people.press(this.state, chatId, userId, messageId, button, options);
  }

  /** A press with data of one's own, as after a keyboard was replaced. */
  pressData(chatId: number, userId: number, messageId: number, data: string): string {
    const stored = people.chatOf(this.state, chatId).messages.get(messageId);
    const fields = stored ? { message: stored.api } : {};
    return people.pressData(this.state, chatId, userId, data, fields);
  }

  /** Presses a key of the reply keyboard, also of one that is out of sight; answers the message that came of it. */
  pressKey(chatId: number, userId: number, text: string): Message {
    return people.pressKey(this.state, chatId, userId, text);
  }

  /** From now on every open callback query is too old to be answered. */
  expireCallbacks(): void {
    this.state.callbacks.clear();
  }

  stopDraft(chatId: number, draftId?: number): number {
    return people.stopDraft(this.state, chatId, draftId);
  }

  /** A group becomes a supergroup; answers the new id. */
  migrate(chatId: number, newId?: number): number {
    return people.migrate(this.state, chatId, newId);
  }

  block(userId: number): void {
    people.setBlocked(this.state, userId, true);
  }

  unblock(userId: number): void {
    people.setBlocked(this.state, userId, false);
  }

  /** The account is gone: 403 "user is deactivated". */
  deactivate(userId: number): void {
    people.chatOf(this.state, userId).forbidden = "user is deactivated";
  }

  /** The bot is thrown out of a group: 403. */
  kick(chatId: number): void {
    const chat = people.chatOf(this.state, chatId);
    chat.forbidden = `bot was kicked from the ${chat.chat.type} chat`;
  }

  /** The person deletes a message; the platform tells bots nothing. */
  deleteMessage(chatId: number, messageId: number): void {
    forgetMessage(people.chatOf(this.state, chatId), messageId);
    this.state.watch.changed();
  }

  // ---- Going wrong

  fail(method: string, fault: Fault): void {
    this.#faults.plan(method, fault);
  }

  clearFaults(): void {
    this.#faults.clear();
  }

  /** The network is gone: open connections are cut and new ones refused, until `comeBack`. */
  async goDown(): Promise<void> {
    await this.#api?.close();
  }

  /** On the same port as before. */
  async comeBack(): Promise<void> {
    await this.#listenApi(this.#api?.port);
  }

  // ---- What can be seen

  /** Everything the chat shows, in order. */
  messages(chatId: number): ShownMessage[] {
    const chat = this.state.chats.get(chatId);
    return chat ? Array.from(chat.messages.values(), (stored) => stored.shown) : [];
  }

  /** What the bot under test wrote, in order. */
  sent(chatId: number): ShownMessage[] {
    return this.messages(chatId).filter((message) => message.byBot);
  }

  message(chatId: number, messageId: number): ShownMessage | undefined {
    return this.state.chats.get(chatId)?.messages.get(messageId)?.shown;
  }

  /** The reply keyboard that a chat has, also while it is out of sight. */
  keyboard(chatId: number): ShownKeyboard | undefined {
    return this.state.chats.get(chatId)?.keyboard;
  }

  /** Previews that show now. */
  drafts(chatId: number): Draft[] {
    const chat = this.state.chats.get(chatId);
    return chat ? liveDrafts(chat, this.state.nowMs) : [];
  }

  /** Every version of every preview so far. */
  draftLog(chatId: number): Draft[] {
    return this.state.chats.get(chatId)?.draftLog ?? [];
  }

  get answers(): Answer[] {
    return this.state.answers;
  }

  answerTo(callbackId: string): Answer | undefined {
    return this.answers.find((answer) => answer.callbackId === callbackId);
  }

  get actions(): { chatId: number; action: string; threadId?: number; atMs: number }[] {
    return this.state.actions;
  }

  /** By scope and language: "default", "chat/1001/de" … */
  get commands(): Record<string, { command: string; description: string }[]> {
    return Object.fromEntries(this.state.commands);
  }

  get confirmedOffset(): number {
    return this.state.queue.confirmedOffset;
  }

  /** Updates not yet confirmed. */
  get pendingUpdates(): number {
    return this.state.queue.pending;
  }

  /** A long poll is waiting right now. */
  get polling(): boolean {
    return this.state.queue.polling;
  }

  file(fileId: string): StoredFile | undefined {
    return this.state.files.get(fileId);
  }

  /** How often a method was called, faults included; not limited by the log's cap. */
  callCount(method: string): number {
    return this.#counts.get(method.toLowerCase()) ?? 0;
  }

  callsOf(method: string): Call[] {
    return this.calls.filter((call) => call.method.toLowerCase() === method.toLowerCase());
  }

  // ---- Waiting

  /** Looks at the predicate now and after each change; its first answer that is not false, null or undefined. */
  until<T>(predicate: (wire: this) => T, options?: UntilOptions): Promise<Seen<T>> {
    const what = options?.what ?? predicate.toString();
    return this.state.watch.until(() => predicate(this), { ...options, what });
  }

  /** Waits for a message of the bot in a chat; with `after`, for one with a higher id. */
  shown(chatId: number, match: Match, options: UntilOptions & { after?: number } = {}): Promise<ShownMessage> {
    const { after = 0 } = options;
    const fits = matcher(match);
    return this.until(() => this.sent(chatId).find((message) => message.id > after && fits(message)), {
      ...options,
      what: options.what ?? `a message by the bot in ${chatId}: ${String(match)}`,
    });
  }

  describe(): string {
    const lines: string[] = [];
    for (const [id, chat] of this.state.chats) {
      lines.push(`chat ${id} (${chat.chat.type}), ${chat.messages.size} messages`);
      for (const { shown } of [...chat.messages.values()].slice(-15)) {
        const keys = shown.keyboard.map((row) => row.map((one) => `[${one.text}]`).join(" "));
        const who = shown.byBot ? "bot" : String(shown.fromId);
        lines.push(`  #${shown.id} ${who}: ${JSON.stringify(shown.text)} ${keys.join(" / ")}`.trimEnd());
      }
      if (chat.keyboard) lines.push(`  keyboard ${JSON.stringify(chat.keyboard)}`);
      for (const draft of this.drafts(id)) {
        lines.push(`  draft ${draft.draftId}: ${JSON.stringify(draft.text)}`);
      }
    }
    lines.push(`updates pending ${this.pendingUpdates}, confirmed below ${this.confirmedOffset}`);
    lines.push("last calls:");
    for (const call of this.calls.slice(-15)) {
      const payload = JSON.stringify(call.payload).slice(0, 160);
      lines.push(`  ${call.method} ${payload} → ${call.outcome} ${call.error?.description ?? ""}`);
    }
    return lines.join("\n");
  }

  // ---- Serving

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const [path = "", query = ""] = (request.url ?? "").split("?", 2);
      const file = /^\/file\/bot([^/]+)\/(.+)$/.exec(path);
      if (file) return this.#sendFile(file[1] ?? "", file[2] ?? "", response);
      const match = /^\/bot([^/]+)\/(?:test\/)?(\w+)$/.exec(path);
      const body = await readBody(request);
      if (!match) return refuse(response, new Refusal(404, "Not Found"));
      if (decodeURIComponent(match[1] ?? "") !== this.token) {
        return refuse(response, new Refusal(401, "Unauthorized"));
      }
      const params = readParams(request, body, query);
      await this.#answer(match[2] ?? "", params, response);
    } catch (error) {
      // A client that went away in the middle is no concern of ours; a bug of ours must be seen.
      if (request.destroyed && !response.writable) return;
      refuse(response, new Refusal(500, `Internal Server Error: ${String(error)}`));
    }
  }

  async #answer(name: string, params: Params, response: ServerResponse): Promise<void> {
    const key = name.toLowerCase();
    const call: Call = {
      index: this.#callIndex++,
      method: name,
      payload: params.raw,
      atMs: this.state.nowMs,
      outcome: "open",
    };
    pushCapped(this.calls, call, this.#callLogCap);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    const fault = this.#faults.take(key, params.raw["chat_id"]);
    try {
      if (fault && (await failEarly(fault, call, response))) return;
      const method = this.#methods.get(key);
      if (!method) throw new Refusal(404, "Not Found");
      if (this.#flood && writes.has(key)) this.#flood.count(Number(params.chatId));
      const result = await method(params, () => closedSignal(response));
      if (fault?.kind === "resetAfterStore" || fault?.kind === "hangAfterStore") {
        call.outcome = fault.kind;
        if (fault.kind === "resetAfterStore") reset(response);
        return;
      }
      call.outcome = "ok";
      sendJson(response, 200, { ok: true, result });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      call.outcome = "refused";
      call.error = { code: error.code, description: error.message };
      refuse(response, error);
    } finally {
      this.state.watch.changed();
    }
  }

  #sendFile(token: string, path: string, response: ServerResponse): void {
    if (decodeURIComponent(token) !== this.token) {
      return refuse(response, new Refusal(401, "Unauthorized"));
    }
    const stored = this.state.filesByPath.get(decodeURIComponent(path));
    if (!stored) return refuse(response, new Refusal(404, "Not Found"));
    response.writeHead(200, {
      "content-type": "application/octet-stream",
      "content-length": stored.bytes.length,
    });
    response.end(stored.bytes);
  }
}

function matcher(match: Match): (message: ShownMessage) => boolean {
  if (typeof match === "function") return match;
  if (typeof match === "string") return (message) => message.text.includes(match);
  return (message) => match.test(message.text);
}

export async function startTelegram(options: TelegramOptions = {}): Promise<TelegramWire> {
  const wire = new TelegramWire(options);
  await wire.listen(options);
  return wire;
}

if (import.meta.main) {
  const { port, control } = portsFromArgs(process.argv.slice(2));
  const wire = await startTelegram({ port, control, callLogCap: 1000, messageCap: 10_000 });
  const { apiRoot, controlUrl, token } = wire;
  process.stdout.write(`${JSON.stringify({ apiRoot, controlUrl, token })}\n`);
}

// A journey's stage on Telegram.
import type { Update } from "@grammyjs/types";
import type { Pace, Platform } from "../../src/core/channel.ts";
import type { Surroundings } from "../../src/core/surroundings.ts";
import { telegram } from "../../src/channels/telegram/channel.ts";
import type { Fault as WireFault } from "../wire/telegram-faults.ts";
import type { GivenForward, SayExtra } from "../wire/telegram-people.ts";
import type { ShownMessage, ShownVersion } from "../wire/telegram-state.ts";
import { startTelegram } from "../wire/telegram.ts";
import type { TelegramWire } from "../wire/telegram.ts";
import type {
  Called,
  CallKind,
  Extra,
  Fault,
  Forward,
  Given,
  Place,
  Seen,
  Stage,
  StageOptions,
  Version,
} from "./stage.ts";

/** The bot's name. */
export const GATE_BOT = "gate_bot";

const METHODS: Readonly<Record<CallKind, string>> = {
  post: "sendMessage",
  edit: "editMessageText",
  draft: "sendMessageDraft",
  typing: "sendChatAction",
  fetch: "getFile",
  menu: "setMyCommands",
};

/** What the platform draws without being told to. */
const FOUND_BY_ITSELF: ReadonlySet<string> = new Set([
  "email",
  "url",
  "mention",
  "bot_command",
  "hashtag",
  "phone_number",
]);
const STYLES: Readonly<Record<string, string>> = { text_link: "link" };

export type TelegramStage = Stage & { readonly wire: TelegramWire };

export async function telegramStage(options: StageOptions): Promise<TelegramStage> {
  const wire = await startTelegram({ username: GATE_BOT, topicsInPrivate: true });
  const ids = new Map<string, number>();
  /** By a person's handle or a chat's id. */
  const names = new Map<string, string>();
  /** What was delivered, by chat and message. */
  const delivered = new Map<string, Update>();
  const push = wire.state.push.bind(wire.state);
  wire.state.push = (update) => {
    const pushed = push(update);
    if (pushed?.message?.chat) delivered.set(`${pushed.message.chat.id}/${pushed.message.message_id}`, pushed);
    return pushed;
  };
  let nextPerson = 6666;
  let nextGroup = -1_000_000_000_900;
  let goneDown = false;

  const pressedBy = new Map<string, string>();
  const pressed = (press: string, who: string): string => {
    pressedBy.set(press, who);
    return press;
  };
  const idOf = (who: string): number => {
    const known = ids.get(who);
    if (known !== undefined) return known;
    const id = who === "sam" ? Number(options.ownerId ?? 1001) : nextPerson++;
    ids.set(who, id);
    return id;
  };
  const chat = (place: Place): number => Number(place.chat);
  const threadOf = (place: Place): { threadId?: number } =>
    place.thread === undefined ? {} : { threadId: Number(place.thread) };
  const inPlace =
    (place: Place) =>
    (message: ShownMessage): boolean =>
      place.thread === undefined || message.threadId === Number(place.thread);

  const forwardOf = (forward: Forward): GivenForward => {
    if ("of" in forward) return { type: "user", user: idOf(forward.of) };
    if ("hidden" in forward) return { type: "hidden_user", name: forward.hidden };
    return "group" in forward
      ? { type: "chat", chat: chat(forward.group) }
      : { type: "channel", chat: chat(forward.channel) };
  };
  const extraOf = (place: Place, extra: Extra): SayExtra => ({
    ...threadOf(place),
    ...(extra.replyTo === undefined ? {} : { replyTo: Number(extra.replyTo) }),
    ...(extra.quote === undefined ? {} : { quote: extra.quote }),
    ...(extra.forward === undefined ? {} : { forward: forwardOf(extra.forward) }),
    ...(extra.photo === undefined ? {} : { photo: given(extra.photo) }),
    ...(extra.document === undefined ? {} : { document: given(extra.document) }),
    ...(extra.voice === undefined ? {} : { voice: given(extra.voice) }),
    ...(extra.elsewhere === undefined
      ? {}
      : {
          fields: {
            external_reply: {
              origin: {
                type: "user",
                sender_user: wire.state.users.get(idOf(extra.elsewhere.of)) ?? wire.addUser(idOf(extra.elsewhere.of)),
                date: 1_700_000_000,
              },
            },
            quote: { text: extra.elsewhere.words, position: 0 },
          },
        }),
  });
  /** A picture is one also where it came as a document. */
  const filesOf = ({ file }: ShownMessage): readonly { name: string; bytes: Buffer; picture: boolean }[] => {
    if (file === undefined) return [];
    const bytes = wire.file(file.fileId)?.bytes ?? Buffer.alloc(0);
    return [{ name: file.name, bytes, picture: file.kind === "photo" || file.name.endsWith(".png") }];
  };
  const seen = (message: ShownMessage): Seen => ({
    ...version(message),
    id: String(message.id),
    styles: message.entities.filter(({ type }) => !FOUND_BY_ITSELF.has(type)).map(({ type }) => STYLES[type] ?? type),
    languages: message.entities.flatMap((one) => (one.type === "pre" ? [one.language ?? ""] : [])),
    quiet: message.silent,
    // Nothing but a mention by id or name would.
    pings: message.entities.filter(({ type }) => type === "mention" || type === "text_mention").map(({ type }) => type),
    files: filesOf(message).flatMap(({ name, bytes, picture }) =>
      picture ? [] : [{ name, text: bytes.toString("utf8") }],
    ),
    pictures: filesOf(message).flatMap(({ name, bytes, picture }) =>
      picture ? [{ name, bytes, alt: message.text }] : [],
    ),
    edits: message.edits.map(version),
  });
  const sent = (place: Place): readonly Seen[] => wire.sent(chat(place)).filter(inPlace(place)).map(seen);
  /** What has a Stop button is still being written. */
  const grows = (one: Version): boolean => one.buttons.flat().some(({ label }) => label === "Stop");

  return {
    wire,
    name: "telegram",
    facts: {
      label: "Telegram",
      prefix: "/",
      typed: "/",
      setsMenu: true,
      drafts: "native",
      maxUnits: 4096,
      cutsAt: 4096,
      replies: "part",
      lost: "repeated",
      namesForwards: true,
      voice: "voice",
      forms: false,
      keyboard: true,
      copies: true,
      forges: true,
      refusedToken: "Telegram refused the bot's token.",
      checkToken: "Check channels.telegram.token in the config; @BotFather shows the right one.",
      maxFileBytes: 20 * 1024 * 1024,
      tooLarge: "The file is larger than the 20 MB that Telegram lets a bot fetch.",
      unavailable: "Telegram doesn't give the file out. Try sending it again.",
    },
    secrets: [wire.token],

    platform(surroundings: Surroundings, pace: Partial<Pace>): Platform {
      const { token, apiRoot } = wire;
      const times = options.impatient === true ? { pollSeconds: 1, graceMs: 300 } : {};
      return telegram({ token, apiRoot, pace }, surroundings, times);
    },
    settings: () => ({ token: wire.token, apiRoot: wire.apiRoot }),
    get connected() {
      return wire.polling;
    },
    get attached() {
      return wire.polling;
    },
    get pending() {
      return wire.pendingUpdates;
    },

    meet(who, name) {
      names.set(who, name);
      const [first, ...rest] = name.split(" ");
      wire.addUser({
        id: idOf(who),
        first_name: first ?? name,
        ...(rest.length === 0 ? {} : { last_name: rest.join(" ") }),
        ...(who === "sam" ? { username: "sam" } : {}),
      });
    },
    id: (who) => String(idOf(who)),
    dm: (who) => ({ chat: String(idOf(who)), shared: false }),
    group(title) {
      const id = nextGroup--;
      names.set(String(id), title);
      // With topics, so that a story may make some; without any it is a group like others.
      wire.addSupergroup(id, { title, forum: true });
      return { chat: String(id), shared: true };
    },
    channel(title) {
      const id = nextGroup--;
      names.set(String(id), title);
      wire.addChannel(id, title);
      return { chat: String(id), shared: true };
    },
    thread: (of, name) => ({ ...of, thread: String(wire.addTopic(chat(of), name)) }),

    say(place, who, text, mention, extra) {
      const words = mention && place.shared ? `@${GATE_BOT} ${text}` : text;
      return String(wire.say(chat(place), idOf(who), words, extraOf(place, extra)).message_id);
    },
    titled: (title) => title,
    outside(forward) {
      const [from, id] =
        "of" in forward
          ? [names.get(forward.of) ?? forward.of, String(idOf(forward.of))]
          : "hidden" in forward
            ? [forward.hidden, `?${forward.hidden}`]
            : "group" in forward
              ? [names.get(forward.group.chat) ?? "", forward.group.chat]
              : [names.get(forward.channel.chat) ?? "", forward.channel.chat];
      return { from, label: `${from} on Telegram`, source: `telegram/${id}` };
    },
    reply: (place, who, to, text) =>
      void wire.say(chat(place), idOf(who), text, { ...threadOf(place), replyTo: Number(to) }),
    forOthers: ["/status@other_bot", `not @${GATE_BOT}tle`],
    edit: (place, _who, id, text) => void wire.edit(chat(place), Number(id), text),
    talkNonsense() {
      const sam = { id: idOf("sam"), first_name: "Sam" };
      const home = { id: sam.id, type: "private" } as const;
      const strange: readonly unknown[] = [
        { message: { message_id: "no number", chat: null } },
        { message: {} },
        { message: null },
        { callback_query: { id: 7 } },
        { callback_query: { id: "1", from: sam, message: [], data: "x" } },
        { edited_message: { message_id: 1, date: 1, chat: home, text: "who?" } },
        { my_chat_member: { chat: home } },
        { stopped_message_generation: {} },
        { message: { message_id: 9, date: 1, chat: home, from: sam, future: { kind: "unknown" } } },
      ];
      for (const one of strange) wire.state.push(one as Omit<Update, "update_id">);
    },
    machinesSpeak(place, text) {
      const group = { id: chat(place), type: "supergroup", title: "Group" } as const;
      const head = { date: 1_800_000_000, chat: group, text: `@${GATE_BOT} ${text}` };
      const news = { id: -1_000_000_000_701, type: "channel", title: "News" } as const;
      const from: readonly Record<string, unknown>[] = [
        { from: { id: idOf("sam"), is_bot: true, first_name: "Sam" } },
        {
          from: { id: 1_087_968_824, is_bot: true, first_name: "Group", username: "GroupAnonymousBot" },
          sender_chat: group,
        },
        { from: { id: 136_817_688, is_bot: true, first_name: "Channel" }, sender_chat: news },
        { from: { id: wire.state.me.id, is_bot: true, first_name: "Gateway" } },
        // A channel's post that claims the owner's id beside it.
        { from: { id: idOf("sam"), is_bot: false, first_name: "Sam" }, sender_chat: news },
      ];
      for (const [at, one] of from.entries())
        wire.push({ message: { message_id: 50 + at, ...head, ...one } } as Omit<Update, "update_id">);
    },
    garble(words) {
      const to = { id: idOf("sam"), type: "private", first_name: "Sam" } as const;
      // Nobody wrote it.
      wire.push({ message: { message_id: 7, date: 1_700_000_000, chat: to, text: words } as never });
    },
    redeliver(place, id) {
      const update = delivered.get(`${place.chat}/${id}`);
      if (update === undefined) throw new Error(`No message ${id} was delivered.`);
      push(update);
    },
    remove: (place, id) => wire.deleteMessage(chat(place), Number(id)),
    command(place, who, text) {
      const [name = "", ...args] = text.split(" ");
      const to = place.shared ? `@${GATE_BOT}` : "";
      wire.say(chat(place), idOf(who), [`/${name}${to}`, ...args].join(" "), threadOf(place));
    },
    invitation: (code) => `https://t.me/${GATE_BOT}?start=${code}`,
    accept: (who, code) => void wire.say(idOf(who), idOf(who), `/start ${code}`),
    album(place, who, texts, pictures) {
      for (const [at, picture] of pictures.entries())
        wire.say(chat(place), idOf(who), texts[at] ?? "", { mediaGroupId: "5001", photo: given(picture) });
    },
    formOf: () => undefined,
    submit: () => {
      throw new Error("Telegram has no forms.");
    },
    submitAll: () => {
      throw new Error("Telegram has no forms.");
    },
    pick: () => {
      throw new Error("Telegram has no menus.");
    },
    keyboard(place) {
      const keyboard = wire.keyboard(chat(place));
      return keyboard === undefined || keyboard.hidden ? undefined : keyboard.keys.flat();
    },
    pressKey: (place, who, text) => String(wire.pressKey(chat(place), idOf(who), text).message_id),
    askAbout: () => {
      throw new Error("Telegram has no menu of a message.");
    },
    press: (place, who, id, label) => pressed(wire.press(chat(place), idOf(who), Number(id), label), who),
    pressData: (place, who, id, data) => pressed(wire.pressData(chat(place), idOf(who), Number(id), data), who),
    answerTo: (press) => wire.answerTo(press),
    toldOnly: (who) =>
      wire.answers.flatMap(({ callbackId, text }) =>
        text !== undefined && text !== "" && pressedBy.get(callbackId) === who ? [text] : [],
      ),

    sent,
    get everything() {
      return [...wire.state.chats.keys()].flatMap((id) => wire.sent(id)).map(seen);
    },
    isAfter: (id, other) => Number(id) > Number(other),
    last: (place) => String(wire.messages(chat(place)).at(-1)?.id ?? 0),
    underWay: (place) => [
      ...wire
        .drafts(chat(place))
        .filter((draft) => place.thread === undefined || draft.threadId === Number(place.thread))
        .map(({ text }) => text),
      ...sent(place)
        .filter(grows)
        .map(({ text }) => text),
    ],
    underWayLog: (place) => [
      ...wire.draftLog(chat(place)).map(({ text }) => text),
      ...sent(place)
        .flatMap((message): Version[] => [...message.edits, message])
        .filter(grows)
        .map(({ text }) => text),
    ],
    get typing() {
      return wire.actions.map(({ chatId, threadId }) => ({
        chat: String(chatId),
        ...(threadId === undefined ? {} : { thread: String(threadId) }),
        shared: chatId < 0,
      }));
    },
    get menu() {
      return wire.commands["default"]?.map(({ command }) => command);
    },
    get payloads() {
      return [
        ...wire.calls.map(({ payload }) => JSON.stringify(payload)),
        ...Array.from(wire.state.files.values(), ({ bytes }) => bytes.toString("utf8")),
      ];
    },

    fail: (call, fault) => wire.fail(METHODS[call], wireFault(fault)),
    clearFaults: () => wire.clearFaults(),
    get refused() {
      return wire.calls.filter(({ outcome }) => outcome === "refused").length;
    },
    calls: (call) =>
      wire.callsOf(METHODS[call]).map(({ atMs, index, outcome, payload }): Called => ({
        atMs,
        index,
        outcome,
        ...(typeof payload["chat_id"] === "number" ? { chat: String(payload["chat_id"]) } : {}),
      })),
    refuseToken: (times) => wire.fail("getMe", { kind: "error", code: 401, times }),
    freeze: () => wire.fail("getUpdates", { kind: "hang" }),
    cut() {
      wire.fail("getUpdates", { kind: "resetBeforeStore" });
      wire.fail("getMe", { kind: "html502" });
    },
    async goDown() {
      goneDown = true;
      await wire.goDown();
    },
    async comeBack() {
      if (goneDown) await wire.comeBack();
      goneDown = false;
    },
    shut: (place) => (place.shared ? wire.kick(chat(place)) : wire.block(chat(place))),
    reopen(place) {
      if (place.shared) delete wire.state.chats.get(chat(place))!.forbidden;
      else wire.unblock(chat(place));
    },

    until: (predicate, wait) => wire.until(() => predicate(), wait),
    changed: () => wire.state.watch.changed(),
    describe: () => wire.describe(),
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
}

function given(file: Given): NonNullable<SayExtra["document"]> {
  const { bytes, name, mediaType, size } = file;
  return {
    bytes,
    ...(name === undefined ? {} : { name }),
    ...(mediaType === undefined ? {} : { mimeType: mediaType }),
    ...(size === undefined ? {} : { size }),
  };
}

function version({ text, keyboard, linkPreviewDisabled }: ShownVersion): Version {
  return {
    text,
    buttons: keyboard.map((row) => row.map(({ text: label, ...rest }) => ({ label, ...rest }))),
    previewsOff: linkPreviewDisabled,
  };
}

function wireFault({ kind, times, in: place, seconds, delayMs, words }: Fault): WireFault {
  const common = {
    ...(times === undefined ? {} : { times }),
    ...(place === undefined ? {} : { chat: Number(place.chat) }),
  };
  const refusal = (description: string): WireFault => ({
    ...common,
    kind: "error",
    code: 400,
    description: `Bad Request: ${description}`,
  });
  switch (kind) {
    case "tooFast":
      return { ...common, kind: "error", retryAfter: seconds ?? 1 };
    case "tooLong":
      return refusal("message is too long");
    case "notParseable":
      return refusal(`can't parse entities: Unsupported start tag "${words ?? "x"}" at byte offset 3`);
    case "unavailable":
      return refusal("wrong file_id or the file is temporarily unavailable");
    case "odd":
      return refusal("drafts are not available");
    default:
      return { ...common, kind, ...(delayMs === undefined ? {} : { delayMs }) };
  }
}

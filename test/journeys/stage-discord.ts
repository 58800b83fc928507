// A journey's stage on Discord. A group is a channel of a server; there are no threads in private chats, so what is beside one is
// a channel too.
import { ApplicationCommandType, MessageType } from "discord-api-types/v10";
import type { Channel, Pace, Platform, RawUpdate } from "../../src/core/channel.ts";
import type { Surroundings } from "../../src/core/surroundings.ts";
import { discord } from "../../src/channels/discord/channel.ts";
import type { Fault as WireFault } from "../wire/discord-faults.ts";
import type { GivenFile, SayExtra } from "../wire/discord-people.ts";
import type { ShownModal } from "../wire/discord-presses.ts";
import type { ShownFile, ShownMessage, ShownVersion, StoredFile } from "../wire/discord-state.ts";
import { startDiscord } from "../wire/discord.ts";
import type { Call, DiscordWire } from "../wire/discord.ts";
import { drawn } from "./drawn.ts";
import type {
  Called,
  CallKind,
  Extra,
  Fault,
  Given,
  Outside,
  Place,
  Seen,
  Stage,
  StageOptions,
  Version,
} from "./stage.ts";

const ROUTES: Readonly<Record<CallKind, string>> = {
  post: "POST /channels/*/messages",
  edit: "PATCH /channels/*/messages/*",
  // There are no previews.
  draft: "POST /none",
  menu: "PUT /applications/*/commands",
  typing: "POST /channels/*/typing",
  // Of a file whose link leads nowhere a fresh one is asked for.
  fetch: "GET /channels/*/messages/*",
};

const IDENTIFIED_MS = 250;

/** What Discord calls the fields of a form. */
const KINDS = {
  text: "Text Input",
  select: "String Select",
  radio: "Radio Group",
  checkboxes: "Checkbox Group",
  checkbox: "Checkbox",
} as const;

export type DiscordStage = Stage & { readonly wire: DiscordWire };

export async function discordStage(options: StageOptions): Promise<DiscordStage> {
  const wire = await startDiscord(options.impatient === true ? { heartbeatMs: 200 } : {});
  // As it is at first, also when it is no longer good.
  const { token } = wire;
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  let nextChannel = 1;
  let isDown = false;
  /** The gateway in this process has something in hand that it has not stored. */
  let busy = false;
  let beats = -1;

  const idOf = (who: string): string => {
    const known = ids.get(who);
    if (known !== undefined) return known;
    const id = who === "sam" ? (options.ownerId ?? "800000000000000001") : `8000000000000000${10 + ids.size}`;
    ids.set(who, id);
    wire.addUser({ id, name: names.get(who) ?? who });
    return id;
  };
  const addChannel = (title: string): Place => ({
    chat: wire.addChannel(`7000000000000000${10 + nextChannel++}`, title),
    shared: true,
  });
  const bytesOf = (file: string): Uint8Array => wire.state.files.get(file)?.bytes ?? new Uint8Array();
  const sent = (place: Place): readonly Seen[] => wire.sent(place.chat).map((message) => seen(message, bytesOf));
  const extraOf = (text: string, extra: Extra): SayExtra => {
    const files = [extra.photo, extra.document, extra.voice].flatMap((one, at) =>
      one === undefined ? [] : [given(one, FILES[at]!)],
    );
    return {
      // Whole: nobody quotes a part.
      ...(extra.replyTo === undefined ? {} : { replyTo: extra.replyTo }),
      ...(extra.forward === undefined ? (files.length === 0 ? {} : { files }) : { forward: { text, files } }),
    };
  };
  /** Discord acknowledges nothing; a heartbeat says what has arrived, and the next is asked for when the last has come. */
  const unheard = (): boolean => {
    const { sessions, heartbeats } = wire.gateway;
    const behind = [...sessions.values()].some(
      ({ connection, seq, seenSeq }) => connection !== undefined && seq > seenSeq,
    );
    if (behind && heartbeats > beats) {
      beats = heartbeats;
      wire.gateway.send(1);
    }
    return behind;
  };
  const watched = (channel: Channel): Channel => ({
    ...channel,
    async *inbound(signal, since): AsyncGenerator<readonly RawUpdate[]> {
      const source = channel.inbound(signal, since)[Symbol.asyncIterator]();
      try {
        for (;;) {
          busy = false;
          wire.state.watch.changed();
          const next = await source.next();
          busy = true;
          if (next.done === true) return;
          yield next.value;
        }
      } finally {
        busy = false;
        await source.return?.(undefined);
      }
    },
  });
  /** Files whose links lead nowhere for now. */
  const withheld = new Map<string, StoredFile>();
  let withholds: Fault | undefined;
  let fetched = 0;
  /** Notes that a file is fetched, or keeps it back. */
  const watchFile = (id: string, stored: StoredFile): void => {
    const { bytes } = stored;
    Object.defineProperty(stored, "bytes", {
      get() {
        fetched += 1;
        wire.state.watch.changed();
        return bytes;
      },
    });
    if (withholds === undefined) return;
    wire.state.files.delete(id);
    withheld.set(id, stored);
  };
  const say = (place: Place, who: string, text: string, extra: SayExtra): string => {
    const before = new Set(wire.state.files.keys());
    const id = wire.say(place.chat, idOf(who), text, extra);
    for (const [file, stored] of [...wire.state.files]) if (!before.has(file)) watchFile(file, stored);
    withholds = undefined;
    return id;
  };
  const modalOf = (press: string): ShownModal | undefined => {
    const modal = [...wire.state.modals.values()].find(({ interactionId }) => interactionId === press);
    return modal && wire.modal(modal.userId);
  };
  const isCommand = (text: string): boolean => wire.commands.some(({ name }) => name === text.split(" ")[0]);

  return {
    wire,
    name: "discord",
    facts: {
      label: "Discord",
      prefix: "/",
      typed: "!",
      setsMenu: true,
      drafts: "edit",
      maxUnits: 2000,
      cutsAt: 2000,
      replies: "whole",
      lost: "found",
      namesForwards: false,
      voice: "audio",
      forms: true,
      keyboard: false,
      copies: false,
      forges: false,
      refusedToken: "Discord refused the bot's token.",
      checkToken: "Take a new one in the Developer Portal: your application, Bot, Reset Token.",
      maxFileBytes: 25 * 1024 * 1024,
      tooLarge: "The file is larger than the 25 MB that are fetched from Discord.",
      unavailable: "Discord doesn't give the file out. Try sending it again.",
    },
    secrets: [token],

    platform(surroundings: Surroundings, pace: Partial<Pace>): Platform {
      const { apiUrl } = wire;
      const times = {
        identifyGapMs: IDENTIFIED_MS,
        ...(options.impatient === true ? { helloMs: 1000, readyMs: 3000, staleMs: 600 } : {}),
      };
      const owner = options.unpaired === true ? {} : { owner: idOf("sam") };
      const made = discord({ token, apiUrl, ...owner, messageContent: false, pace }, surroundings, times);
      return { ...made, channel: watched(made.channel) };
    },
    settings: () => ({ token, apiUrl: wire.apiUrl }),
    get connected() {
      // Nobody can use a command that is not registered yet.
      return wire.connected && wire.commands.length > 0;
    },
    get attached() {
      return wire.gateway.open > 0;
    },
    get pending() {
      return wire.pending.length + (unheard() || busy ? 1 : 0);
    },

    meet(who, name) {
      names.set(who, name);
      wire.addUser({ id: idOf(who), name });
    },
    id: (who) => idOf(who),
    dm: (who) => ({ chat: wire.dm(idOf(who)), shared: false }),
    group: addChannel,
    channel: addChannel,
    thread: (of, name) => (of.shared ? { chat: wire.addThread(of.chat, name), shared: true } : addChannel(name)),

    say: (place, who, text, mention, extra) =>
      say(place, who, extra.forward === undefined ? text : "", {
        ...extraOf(text, extra),
        ...(mention && place.shared ? { mention: true } : {}),
      }),
    titled: (title) => `#${title}`,
    // Whose words were forwarded Discord doesn't say.
    outside: (): Outside => ({ from: "", label: "someone unnamed on Discord", source: "discord/?" }),
    reply: (place, who, to, text) => void say(place, who, text, { replyTo: to }),
    forOthers: ["<@899999999999999999> status", "/status", "not gateway"],
    edit: (place, _who, id, text) => wire.edit(place.chat, id, text),
    redeliver: (_place, id) => wire.redeliver(id),
    remove: (place, id) => wire.remove(place.chat, id),
    talkNonsense() {
      const dm = wire.dm(idOf("sam"));
      const author = { id: idOf("sam"), username: "sam" };
      const strange: readonly { t: string; d: unknown }[] = [
        { t: "MESSAGE_CREATE", d: null },
        { t: "MESSAGE_CREATE", d: {} },
        { t: "MESSAGE_CREATE", d: { id: 7, channel_id: dm, author } },
        { t: "MESSAGE_CREATE", d: { id: "1", channel_id: dm, content: ["words"] } },
        { t: "MESSAGE_UPDATE", d: { id: "1", channel_id: dm } },
        { t: "MESSAGE_DELETE", d: {} },
        { t: "INTERACTION_CREATE", d: { id: "1", type: 3, token: "t" } },
        { t: "INTERACTION_CREATE", d: "words" },
        { t: "FROM_THE_FUTURE", d: { id: "1" } },
      ];
      for (const one of strange) wire.gateway.dispatch(one);
    },
    machinesSpeak(place, text) {
      wire.addBot("890000000000000001", "Other bot");
      wire.say(place.chat, "890000000000000001", text, { mention: true });
      // A webhook, and one that took the owner's name.
      for (const webhook of ["News", "Sam"]) wire.say(place.chat, idOf("sam"), text, { mention: true, webhook });
      // Ourselves, and a line of the platform's own in the owner's name.
      const own = wire.say(place.chat, wire.botId, text, { mention: true });
      wire.channel(place.chat).messages.delete(own);
      wire.say(place.chat, idOf("sam"), text, { mention: true, fields: { type: MessageType.ChannelPinnedMessage } });
    },
    garble(words) {
      const author = { id: idOf("sam"), username: "sam" };
      wire.gateway.dispatch({
        t: "MESSAGE_CREATE",
        d: { id: "1", channel_id: wire.dm(idOf("sam")), channel_type: 1, author, content: [words] },
      });
    },
    command(place, who, text, typed) {
      if (!typed && isCommand(text)) return void wire.command(place.chat, idOf(who), text);
      // What is no command of the app's is sent as a message.
      say(place, who, `${typed ? "!" : "/"}${text}`, place.shared ? { mention: true } : {});
    },
    invitation: (code) => `https://discord.com/users/${wire.botId}, Message, and write: pair ${code}`,
    accept: (who, code) => void wire.say(wire.dm(idOf(who)), idOf(who), `pair ${code}`),
    album: (place, who, texts, pictures) =>
      void say(place, who, texts.join(" ").trim(), { files: pictures.map((picture) => given(picture, FILES[0])) }),
    formOf(press) {
      const modal = modalOf(press);
      if (modal === undefined) return undefined;
      const { title, fields } = modal;
      return { title, labels: fields.map(({ label }) => label), kinds: fields.map(({ kind }) => KINDS[kind]) };
    },
    submit(press, words) {
      const [field] = modalOf(press)?.fields ?? [];
      return wire.submit(press, { [field?.id ?? ""]: words });
    },
    // What is in no field of the form is refused by the platform's app.
    submitAll: (press, values) => wire.submit(press, values),
    pick: (place, who, id, labels) => wire.pick(place.chat, idOf(who), id, labels),
    // There are no keyboards.
    keyboard: () => undefined,
    pressKey() {
      throw new Error("Discord has no keyboards to press a key of.");
    },
    async askAbout(place, who, id, words) {
      wire.shortcut(place.chat, idOf(who), id);
      const modal = await wire.until(() => wire.modal(idOf(who)));
      wire.submit(idOf(who), { [modal.fields[0]?.id ?? ""]: words });
    },
    press: (place, who, id, label) => wire.press(place.chat, idOf(who), id, label),
    pressData: (place, who, id, data) => wire.pressData(place.chat, idOf(who), id, data),
    answerTo(press) {
      const { state, words } = wire.answerTo(press);
      if (state === "failed") throw new Error(`This interaction failed: ${press}`);
      if (state === "waiting") return undefined;
      return words === undefined ? {} : { text: words };
    },
    toldOnly: (who) =>
      [...wire.state.interactions.values()]
        .filter(({ userId, kind }) => userId === idOf(who) && kind === "press")
        .flatMap(({ answers }) => answers.filter(({ ephemeral }) => ephemeral).map(({ text }) => text)),

    sent,
    get everything() {
      return [...wire.state.channels.keys()].flatMap((id) => wire.sent(id)).map((message) => seen(message, bytesOf));
    },
    isAfter: (id, other) => BigInt(id) > BigInt(other === "" ? 0 : other),
    last: (place) => wire.messages(place.chat).at(-1)?.id ?? "",
    underWay: (place) =>
      wire
        .sent(place.chat)
        .filter(hasStop)
        .map(({ text }) => text),
    underWayLog: (place) =>
      wire
        .sent(place.chat)
        .flatMap((message): ShownVersion[] => [...message.edits, message])
        .filter(hasStop)
        .map(({ text }) => text),
    get typing() {
      return wire.typing.map(({ channelId }) => ({
        chat: channelId,
        shared: wire.channel(channelId).guildId !== undefined,
      }));
    },
    get menu() {
      const names = wire.commands
        .filter(({ type }) => type === ApplicationCommandType.ChatInput)
        .map(({ name }) => name);
      return names.length === 0 ? undefined : names;
    },
    get payloads() {
      return [
        ...wire.calls.map(({ path, payload }) => `${path} ${JSON.stringify(payload)}`),
        ...[...wire.state.channels.keys()]
          .flatMap((id) => wire.sent(id))
          .flatMap(({ files }) => files.map(({ text }) => text)),
      ];
    },

    fail(call, fault) {
      if (call === "fetch") {
        withholds = fault;
        if (fault.kind === "hang") wire.fail(ROUTES.fetch, { kind: "hang" });
        return;
      }
      const { in: place } = fault;
      const route = ROUTES[call];
      wire.fail(
        place === undefined ? route : route.replace("/channels/*", `/channels/${place.chat}`),
        wireFault(fault),
      );
    },
    clearFaults() {
      wire.clearFaults();
      for (const [id, stored] of withheld) wire.state.files.set(id, stored);
      withheld.clear();
    },
    get refused() {
      return wire.calls.filter(({ outcome }) => outcome === "refused").length;
    },
    calls: (call) => [
      ...wire.callsOf(ROUTES[call]).map(called),
      ...(call === "fetch" ? Array.from({ length: fetched }, (_, index) => ({ atMs: 0, index, outcome: "ok" })) : []),
    ],
    refuseToken: () => wire.revokeToken(),
    freeze: () => wire.freeze(),
    cut: () => wire.cut(),
    async goDown() {
      isDown = true;
      await wire.goDown();
    },
    async comeBack() {
      if (isDown) await wire.comeBack();
      isDown = false;
    },
    shut: (place) => (place.shared ? wire.forbid(place.chat) : (wire.channel(place.chat).refused = 50_007)),
    reopen: (place) => wire.allow(place.chat),

    until: (predicate, wait) => wire.until(() => predicate(), wait),
    changed: () => wire.state.watch.changed(),
    describe: () => wire.describe(),
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
}

const FILES = [
  { name: "photo.jpg", mediaType: "image/jpeg" },
  { name: "file.bin", mediaType: "application/octet-stream" },
  { name: "voice-message.ogg", mediaType: "audio/ogg" },
] as const;

function given({ bytes, name, mediaType, size }: Given, usual: (typeof FILES)[number]): GivenFile {
  return {
    bytes,
    name: name ?? usual.name,
    mimeType: mediaType ?? usual.mediaType,
    ...(size === undefined ? {} : { size }),
  };
}

/** What has a Stop button is still being written. */
const hasStop = (one: Pick<ShownVersion, "buttons">): boolean =>
  one.buttons.flat().some(({ label }) => label === "Stop");

function called({ atMs, index, outcome, path }: Call): Called {
  const chat = /^\/channels\/(\d+)\//u.exec(path)?.[1];
  return { atMs, index, outcome, ...(chat === undefined ? {} : { chat }) };
}

function seen(message: ShownMessage, bytesOf: (file: string) => Uint8Array): Seen {
  const isPicture = ({ mimeType }: ShownFile): boolean => mimeType?.startsWith("image/") === true;
  return {
    ...version(message),
    id: message.id,
    // Not before anyone asks: a long text takes its time.
    get styles() {
      return drawn(message.markdown).styles;
    },
    get languages() {
      return drawn(message.markdown).languages;
    },
    quiet: message.quiet,
    pings: message.pings,
    files: message.files.filter((file) => !isPicture(file)).map(({ name, text }) => ({ name, text })),
    pictures: message.files.filter(isPicture).map(({ id, name, alt = "" }) => ({ name, bytes: bytesOf(id), alt })),
    edits: message.edits.map(version),
  };
}

function version({ text, buttons, previewsOff }: ShownVersion): Version {
  return {
    text,
    buttons: buttons.map((row) =>
      row.map(({ label, data, url }) => ({
        label,
        ...(data === undefined ? {} : { data }),
        ...(url === undefined ? {} : { url }),
      })),
    ),
    previewsOff,
  };
}

function wireFault({ kind, times, seconds, delayMs, words }: Fault): WireFault {
  const common = times === undefined ? {} : { times };
  const refusal = (status: number, code: number, message: string): WireFault => ({
    ...common,
    kind: "error",
    status,
    code,
    message,
  });
  switch (kind) {
    case "tooFast":
      return { ...common, kind: "rateLimited", retryAfterMs: (seconds ?? 1) * 1000 };
    case "tooLong":
      return refusal(400, 50_035, "Invalid Form Body\ncontent[BASE_TYPE_MAX_LENGTH]: Must be 2000 or fewer in length.");
    case "notParseable":
      return refusal(400, 50_035, `Invalid Form Body\ncomponents[0]: ${words ?? "Not a well formed URL."}`);
    case "unavailable":
      return refusal(404, 10_008, "Unknown Message");
    case "odd":
      return refusal(400, 99_999, "A code of tomorrow");
    default:
      return { ...common, kind, ...(delayMs === undefined ? {} : { delayMs }) };
  }
}

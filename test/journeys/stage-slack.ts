// A journey's stage on Slack. A group is a thread in a channel, since a mention outside of one begins a room of its own.
import type { Pace, Platform } from "../../src/core/channel.ts";
import type { Surroundings } from "../../src/core/surroundings.ts";
import { slack } from "../../src/channels/slack/channel.ts";
import { SLACK_SHORTCUT } from "../../src/channels/slack/manifest.ts";
import type { Fault as WireFault } from "../wire/slack-faults.ts";
import type { GivenFile } from "../wire/slack-files.ts";
import type { SayExtra } from "../wire/slack-people.ts";
import type { ShownMessage, ShownVersion } from "../wire/slack-state.ts";
import { startSlack } from "../wire/slack.ts";
import type { Call, ShownField, SlackWire } from "../wire/slack.ts";
import { drawn } from "./drawn.ts";
import type {
  Called,
  CallKind,
  Extra,
  Fault,
  Forward,
  Given,
  Outside,
  Place,
  Seen,
  Stage,
  StageOptions,
  Version,
} from "./stage.ts";

const METHODS: Readonly<Record<CallKind, readonly string[]>> = {
  post: ["chat.postMessage", "chat.startStream"],
  edit: ["chat.update", "chat.appendStream", "chat.stopStream"],
  // There are no previews, and the commands stand in the app's manifest.
  draft: [],
  menu: [],
  typing: ["assistant.threads.setStatus"],
  fetch: ["download"],
};

export type SlackStage = Stage & { readonly wire: SlackWire };

export async function slackStage(options: StageOptions): Promise<SlackStage> {
  // As the manifest that doctor prints has it.
  const wire = await startSlack({
    shortcutCallbackId: SLACK_SHORTCUT,
    ...(options.ownerId === undefined ? {} : { teamId: options.ownerId.split("/")[0]! }),
  });
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  let nextChannel = 1;
  let isDown = false;
  let frozen = 0;

  const idOf = (who: string): string => {
    const known = ids.get(who);
    if (known !== undefined) return known;
    const stated = options.ownerId?.split("/").at(-1);
    const id =
      who === "sam" && stated !== undefined ? stated : `U${10 + ids.size}${who.toUpperCase().replaceAll(/\W/gu, "")}`;
    ids.set(who, id);
    wire.addUser({ id, name: names.get(who) ?? who });
    return id;
  };
  const shownIn = (place: Place): readonly ShownMessage[] =>
    wire.sent(place.chat).filter(({ thread }) => thread === place.thread);
  const sent = (place: Place): readonly Seen[] => shownIn(place).map((message) => seen(message, wire));
  const inThread = (place: Place): { thread?: string } => (place.thread === undefined ? {} : { thread: place.thread });
  const extraOf = (place: Place, text: string, extra: Extra): SayExtra => {
    const files = [extra.photo, extra.document, extra.voice].flatMap((one, at) =>
      one === undefined ? [] : [given(one, FILES[at]!)],
    );
    if (extra.replyTo !== undefined || extra.quote !== undefined) throw new Error("Slack has no replies.");
    return {
      ...inThread(place),
      ...(files.length === 0 ? {} : { files }),
      ...(extra.forward === undefined ? {} : { forward: { of: authorOf(extra.forward), text } }),
    };
  };
  const authorOf = (forward: Forward): string => {
    if ("of" in forward) return idOf(forward.of);
    throw new Error("Slack names who wrote what is shared.");
  };
  /** Everything of these kinds that was called, in order. */
  const callsOf = (kind: CallKind): readonly Call[] =>
    METHODS[kind].flatMap((method) => wire.callsOf(method)).toSorted((a, b) => a.index - b.index);

  return {
    wire,
    name: "slack",
    facts: {
      label: "Slack",
      prefix: "/tidegate ",
      typed: "!",
      setsMenu: false,
      drafts: "edit",
      maxUnits: 12_000,
      cutsAt: 4000,
      replies: "none",
      lost: "found",
      namesForwards: true,
      voice: "audio",
      forms: true,
      keyboard: false,
      copies: false,
      forges: false,
      refusedToken: "Slack refused the bot's token.",
      checkToken:
        "Check channels.slack.botToken in the config; the app's page at api.slack.com/apps shows the right one.",
      maxFileBytes: 100 * 1024 * 1024,
      tooLarge: "The file is larger than the 100 MB that are fetched from Slack.",
      unavailable: "Slack doesn't give the file out. Try sending it again.",
    },
    secrets: [wire.botToken, wire.appToken],

    platform(surroundings: Surroundings, pace: Partial<Pace>): Platform {
      const { botToken, appToken, apiUrl } = wire;
      const times = options.impatient === true ? { helloMs: 1000, pingMs: 300, settleMs: 100 } : { settleMs: 100 };
      return slack({ botToken, appToken, apiUrl, pace }, surroundings, times);
    },
    settings: () => ({ botToken: wire.botToken, appToken: wire.appToken, apiUrl: wire.apiUrl }),
    get connected() {
      return wire.connections > 0;
    },
    get attached() {
      // Nobody tells the platform of a half-open one that it is gone.
      return wire.connections > frozen;
    },
    get pending() {
      return wire.pending.length;
    },

    meet(who, name) {
      names.set(who, name);
      wire.addUser({ id: idOf(who), name });
    },
    id: (who) => `${wire.teamId}/${idOf(who)}`,
    dm: (who) => ({ chat: wire.dm(idOf(who)), shared: false }),
    group(title) {
      const chat = wire.addChannel(`C0${nextChannel++}GROUP`, title);
      const host = wire.addUser({ id: "U99HOST", name: "Host" }).id;
      // Said before the bot was there.
      const thread = wire.miss(() => wire.say(chat, host, "Let us talk"));
      return { chat, thread, shared: true };
    },
    channel(title) {
      return { chat: wire.addChannel(`C0${nextChannel++}NEWS`, title), shared: true };
    },
    thread(of, name) {
      const host = of.shared ? wire.addUser({ id: "U99HOST", name: "Host" }).id : undefined;
      if (host !== undefined) return { ...of, thread: wire.miss(() => wire.say(of.chat, host, name)) };
      const person = [...ids.values()].find((id) => wire.dm(id) === of.chat)!;
      return { ...of, thread: wire.startAssistantThread(person) };
    },

    say(place, who, text, mention, extra) {
      const words = extra.forward === undefined ? text : "";
      return wire.say(place.chat, idOf(who), words, {
        ...extraOf(place, text, extra),
        ...(mention && place.shared ? { mention: true } : {}),
      });
    },
    titled: (title) => title,
    outside(forward): Outside {
      if (!("of" in forward)) throw new Error("Slack names who wrote what is shared.");
      const from = names.get(forward.of) ?? forward.of;
      return { from, label: `${from} on Slack`, source: `slack/${wire.teamId}/${idOf(forward.of)}` };
    },
    // Nothing but its name speaks to the bot in somebody else's thread.
    reply: (place, who, _to, text) => void wire.say(place.chat, idOf(who), text, { ...inThread(place), mention: true }),
    forOthers: ["<@U99OTHER> status", "!status", "not tidegate"],
    edit: (place, _who, id, text) => wire.edit(place.chat, id, text),
    redeliver: (_place, id) => void wire.redeliver(id),
    remove: (place, id) => wire.remove(place.chat, id),
    talkNonsense() {
      const chat = wire.dm(idOf("sam"));
      const event = (given: unknown): Record<string, unknown> => ({
        type: "event_callback",
        team_id: wire.teamId,
        event_id: `Ev${wire.state.next()}`,
        event: given,
      });
      const strange: readonly Record<string, unknown>[] = [
        event({ type: "message" }),
        event({ type: "message", channel: chat, ts: 7, text: ["words"] }),
        event({ type: "message", channel: chat, ts: "1.1", subtype: "message_changed", message: "words" }),
        event({ type: "message", channel: chat, ts: "1.1", subtype: "message_deleted" }),
        event({ type: "message", channel: chat, ts: "1.2", subtype: "from_the_future", user: idOf("sam"), text: "?" }),
        event({ type: "from_the_future", channel: chat }),
        { type: "block_actions", user: { id: idOf("sam") }, actions: [] },
        { type: "block_actions", user: {}, actions: "words" },
        { type: "view_submission", user: { id: idOf("sam") } },
        { type: "from_the_future" },
      ];
      for (const one of strange) wire.delivery.emit(typeOf(one), one);
    },
    machinesSpeak(place, text) {
      wire.sayAsBot(place.chat, text, { ...inThread(place), mention: true });
      wire.sayAsBot(place.chat, text, { ...inThread(place), mention: true, old: true });
      const head = { type: "message", channel: place.chat, channel_type: "channel", thread_ts: place.thread };
      const words = `<@${wire.botUserId}> ${text}`;
      const said: readonly Record<string, unknown>[] = [
        // Ourselves, a program that posts as the owner, and one that only takes the name.
        { user: wire.botUserId, bot_id: wire.botId },
        { user: idOf("sam"), bot_id: "B09OTHERBOT" },
        { subtype: "bot_message", bot_id: "B09OTHERBOT", username: "Sam" },
        { user: "USLACKBOT" },
        { user: idOf("sam"), subtype: "channel_join" },
      ];
      for (const [at, one] of said.entries()) {
        const event = { ...head, ...one, text: words, ts: `1800000000.00000${at}` };
        wire.delivery.emit("events_api", {
          type: "event_callback",
          team_id: wire.teamId,
          event_id: `Ev${wire.state.next()}`,
          event,
        });
      }
    },
    garble(words) {
      wire.delivery.emit("events_api", {
        type: "event_callback",
        team_id: wire.teamId,
        event_id: "Ev0GARBLED",
        event: { type: "message", channel: wire.dm(idOf("sam")), channel_type: "im", ts: 7, text: words },
      });
    },
    command(place, who, text, typed) {
      if (place.thread === undefined && !typed) return void wire.command(place.chat, idOf(who), text);
      // Slack knows no commands in threads.
      const mention = place.shared ? { mention: true as const } : {};
      wire.say(place.chat, idOf(who), `!${text}`, { ...inThread(place), ...mention });
    },
    invitation: (code) =>
      `https://slack.com/app_redirect?app=${wire.appId}&team=${wire.teamId} and write there: pair ${code}`,
    accept: (who, code) => void wire.say(wire.dm(idOf(who)), idOf(who), `pair ${code}`),
    album(place, who, texts, pictures) {
      wire.say(place.chat, idOf(who), texts.join(" ").trim(), {
        ...inThread(place),
        files: pictures.map((picture) => given(picture, FILES[0])),
      });
    },
    formOf(press) {
      const modal = wire.answerTo(press)?.modal;
      if (modal === undefined) return undefined;
      const fields = fieldsOf(modal.fields);
      return {
        title: modal.title,
        labels: fields.map(({ label }) => label),
        kinds: fields.map(({ kind }) => kind),
      };
    },
    submit(press, words) {
      const [field] = wire.answerTo(press)?.modal?.fields ?? [];
      return wire.submit(press, { [field?.id ?? ""]: words });
    },
    submitAll(press: string, values: Readonly<Record<string, string | readonly string[]>>): string {
      const modal = wire.answerTo(press)?.modal;
      const fields = fieldsOf(modal?.fields ?? []);
      const filled: Record<string, string | readonly string[]> = {};
      for (const [label, value] of Object.entries(values)) {
        const field = fields.find((one) => one.label === label);
        if (field === undefined) throw new Error(`The form has no field "${label}".`);
        const { options } = modal?.fields.find(({ id }) => id === field.id) ?? {};
        if (options !== undefined)
          filled[field.id] = [value].flat().map((one) => namedIn(options, one, modal?.text ?? ""));
        else if (field.timeId === undefined) filled[field.id] = value;
        else {
          const [date = "", time = ""] = String(value).split(" ");
          filled[field.id] = date;
          filled[field.timeId] = time;
        }
      }
      return wire.submit(press, filled);
    },
    pick(place: Place, who: string, id: string, labels: readonly string[]): string {
      const message = wire.message(place.chat, id);
      const [menu] = message?.menus ?? [];
      if (message === undefined || menu === undefined) throw new Error(`Message ${id} has no menu of several.`);
      const names = labels.map((label) => namedIn(menu.options, label, message.text));
      wire.pick(place.chat, idOf(who), id, names);
      // The button that sends it stands first, right under the menu.
      const [submit] = message.buttons.flat();
      return wire.press(place.chat, idOf(who), id, submit?.data ?? "");
    },
    keyboard: (): undefined => undefined,
    pressKey(): never {
      throw new Error("Slack has no keyboard of the bot's.");
    },
    async askAbout(place, who, id, words) {
      const press = wire.shortcut(place.chat, idOf(who), id);
      const modal = await wire.until(() => wire.modal(idOf(who)));
      wire.submit(press, { [modal.fields[0]?.id ?? ""]: words });
    },
    press: (place, who, id, label) => wire.press(place.chat, idOf(who), id, label),
    pressData: (place, who, id, data) => wire.pressData(place.chat, idOf(who), id, data),
    answerTo(press) {
      const answer = wire.answerTo(press);
      if (answer === undefined || !answer.acked) return undefined;
      return answer.words === undefined ? {} : { text: answer.words };
    },
    toldOnly: (who) => wire.ephemerals(idOf(who)).map(({ text }) => text),

    sent,
    get everything() {
      return [...wire.state.channels.keys()].flatMap((id) => wire.sent(id)).map((message) => seen(message, wire));
    },
    isAfter: (id, other) => id > other,
    last: (place) =>
      wire.messages(place.chat).findLast(({ thread, id }) => thread === place.thread || id === place.thread)?.id ?? "",
    underWay: (place) =>
      shownIn(place)
        .filter(grows)
        .map(({ text }) => text),
    underWayLog: (place) =>
      shownIn(place).flatMap((message) =>
        [...message.edits, message]
          .filter((one) => message.streaming !== undefined || hasStop(one))
          .map(({ text }) => text),
      ),
    get typing() {
      return wire.statuses
        .filter(({ status }) => status !== "")
        .map(({ channel, thread }) => ({ chat: channel, thread, shared: !channel.startsWith("D") }));
    },
    menu: undefined,
    get payloads() {
      return [
        ...wire.calls.map(({ payload }) => JSON.stringify(payload)),
        ...[...wire.state.channels.keys()]
          .flatMap((id) => wire.sent(id))
          .flatMap(({ files }) => files.map(({ text }) => text)),
      ];
    },

    fail(call, fault) {
      for (const method of METHODS[call].slice(0, 1)) wire.fail(method, wireFault(fault));
    },
    clearFaults: () => wire.clearFaults(),
    get refused() {
      return wire.calls.filter(({ outcome }) => outcome === "refused").length;
    },
    calls: (call) =>
      call === "fetch"
        ? Array.from({ length: wire.callCount("download") }, (_, index) => ({ atMs: 0, index, outcome: "" }))
        : callsOf(call).map(({ atMs, index, outcome, payload }): Called => {
            const { channel } = payload;
            return { atMs, index, outcome, ...(typeof channel === "string" ? { chat: channel } : {}) };
          }),
    refuseToken: () => wire.revoke("invalid_auth"),
    freeze() {
      frozen += wire.connections;
      wire.freeze();
    },
    cut: () => wire.cut(),
    async goDown() {
      isDown = true;
      await wire.goDown();
    },
    async comeBack() {
      if (isDown) await wire.comeBack();
      isDown = false;
    },
    shut: (place) =>
      place.shared ? wire.setMember(place.chat, false) : wire.refusePosts(place.chat, "messages_tab_disabled"),
    reopen: (place) => (place.shared ? wire.setMember(place.chat, true) : wire.refusePosts(place.chat, undefined)),

    until: (predicate, wait) => wire.until(() => predicate(), wait),
    changed: () => wire.state.watch.changed(),
    describe: () => wire.describe(),
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
}

const FILES = [
  { name: "photo.jpg", mediaType: "image/jpeg" },
  { name: "file.bin", mediaType: "application/octet-stream" },
  { name: "audio_message.ogg", mediaType: "audio/ogg" },
] as const;

function given({ bytes, name, mediaType, size }: Given, usual: (typeof FILES)[number]): GivenFile {
  return {
    bytes,
    name: name ?? usual.name,
    mimeType: mediaType ?? usual.mediaType,
    ...(size === undefined ? {} : { size }),
  };
}

function typeOf(payload: Record<string, unknown>): "events_api" | "interactive" {
  return payload["type"] === "event_callback" ? "events_api" : "interactive";
}

const hasStop = (one: Pick<ShownVersion, "buttons">): boolean =>
  one.buttons.flat().some(({ label }) => label === "Stop");

/** What has a Stop button, or a stream that is open, is still being written. */
const grows = (message: ShownMessage): boolean => message.streaming === "open" || hasStop(message);

/** A date and its time are two of Slack's fields, and one of ours. */
function fieldsOf(
  fields: readonly ShownField[],
): readonly { readonly label: string; readonly kind: string; readonly id: string; readonly timeId?: string }[] {
  return fields.flatMap(({ label, kind, id }) => {
    if (fields.some((other) => kind === "timepicker" && `${other.label} (time)` === label)) return [];
    const time = fields.find((other) => other.kind === "timepicker" && other.label === `${label} (time)`);
    return [time === undefined ? { label, kind, id } : { label, kind: `${kind}+${time.kind}`, id, timeId: time.id }];
  });
}

/** What an option is called there: one whose label is too long bears a number, and its words stand in the text. */
function namedIn(options: readonly { readonly label: string }[], label: string, text: string): string {
  if (options.some((option) => option.label === label)) return label;
  const lines = [...text.matchAll(/^(\d+)\. (.+)$/gmu)];
  return lines.find(([, , words = ""]) => words === label || words.startsWith(`${label}: `))?.[1] ?? label;
}

function seen(message: ShownMessage, wire: SlackWire): Seen {
  const pictures = message.files.filter(({ mimeType }) => mimeType.startsWith("image/"));
  return {
    ...version(message, message.previewsOff),
    id: message.id,
    // Not before anyone asks: a long text takes its time.
    get styles() {
      return drawn(message.markdown ?? "").styles;
    },
    get languages() {
      return drawn(message.markdown ?? "").languages;
    },
    quiet: message.quiet,
    pings: message.pings,
    files: message.files.filter((file) => !pictures.includes(file)).map(({ name, text }) => ({ name, text })),
    // What a screen reader says of one is its title.
    pictures: pictures.map(({ id, name, title }) => ({
      name,
      bytes: wire.file(id)?.bytes ?? Buffer.alloc(0),
      alt: title,
    })),
    edits: message.edits.map((one) => version(one, message.previewsOff)),
  };
}

function version({ text, buttons }: ShownVersion, previewsOff: boolean): Version {
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

function wireFault({ kind, times, in: place, seconds, delayMs }: Fault): WireFault {
  const common = {
    ...(times === undefined ? {} : { times }),
    ...(place === undefined ? {} : { channel: place.chat }),
  };
  switch (kind) {
    case "tooFast":
      return { ...common, kind: "rateLimited", retryAfter: seconds ?? 1 };
    case "tooLong":
      return { ...common, kind: "error", error: "msg_too_long" };
    case "notParseable":
      return { ...common, kind: "error", error: "invalid_blocks" };
    case "unavailable":
      return { ...common, kind: "http500" };
    case "odd":
      return { ...common, kind: "error", error: "a_code_of_tomorrow" };
    default:
      return { ...common, kind, ...(delayMs === undefined ? {} : { delayMs }) };
  }
}

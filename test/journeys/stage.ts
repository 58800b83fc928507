// What a journey plays on: one chat platform by neutral names, so that the same story is told on each. People, places, what they
// do and what stands there; each platform's loopback wire is behind it. What people see differ between platforms is data here.
import type { Pace, Platform } from "../../src/core/channel.ts";
import type { Surroundings } from "../../src/core/surroundings.ts";
import { DEEP } from "../deep.ts";
import { discordStage } from "./stage-discord.ts";
import { slackStage } from "./stage-slack.ts";
import { telegramStage } from "./stage-telegram.ts";

export type PlatformName = "telegram" | "slack" | "discord";

const MAKERS: Readonly<Record<PlatformName, (options: StageOptions) => Promise<Stage>>> = {
  telegram: telegramStage,
  slack: slackStage,
  discord: discordStage,
};

/** Every journey runs on each of these. `JOURNEY_ON=slack,discord` runs some of them alone. */
export const PLATFORMS: readonly PlatformName[] = ((): readonly PlatformName[] => {
  const all = Object.keys(MAKERS) as PlatformName[];
  const wanted = process.env["JOURNEY_ON"]?.split(",");
  return wanted === undefined ? all : all.filter((name) => wanted.includes(name));
})();

/** The platforms without some, for a story that those can't tell; say why beside it. */
export function except(...names: readonly PlatformName[]): readonly PlatformName[] {
  return PLATFORMS.filter((name) => !names.includes(name));
}

/** Only these, for a story of theirs alone; say why beside it. */
export function only(...names: readonly PlatformName[]): readonly PlatformName[] {
  return PLATFORMS.filter((name) => names.includes(name));
}

/** Each row on each platform, as `on`. */
export function onEach<Row extends object>(
  rows: readonly Row[],
  platforms: readonly PlatformName[] = PLATFORMS,
): readonly (Row & { readonly on: PlatformName })[] {
  return rows.flatMap((row) => platforms.map((on) => ({ ...row, on })));
}

/** Some platforms that stand for all in a slow story, since no other differs from them there; all in `npm run test:deep`. */
export function standing(...names: readonly PlatformName[]): readonly PlatformName[] {
  return DEEP ? PLATFORMS : only(...names);
}

/** Each row on one platform, by turns, for what is slow and the same on all of them; on each in `npm run test:deep`. */
export function inTurn<Row extends object>(rows: readonly Row[]): readonly (Row & { readonly on: PlatformName })[] {
  if (DEEP) return onEach(rows);
  return rows.flatMap((row, at) => onEach([row], PLATFORMS.slice(at % PLATFORMS.length).slice(0, 1)));
}

export function openStage(name: PlatformName, options: StageOptions): Promise<Stage> {
  return MAKERS[name](options);
}

/** What a platform tells apart of a forward: of whom or where it is. Discord says nothing, and Slack always names a person. */
export type ForwardKind = "person" | "owner" | "hidden" | "group" | "channel";
export const FORWARDS: readonly { readonly what: ForwardKind; readonly on: PlatformName }[] = [
  ...onEach([{ what: "person" }, { what: "owner" }] as const),
  ...onEach([{ what: "hidden" }, { what: "group" }, { what: "channel" }] as const, only("telegram")),
];

/** A person's handle in a story. */
export type Who = string;
/** The owner. */
export const SAM: Who = "sam";
/** Somebody else. */
export const EVE: Who = "eve";
/** One more. */
export const BOB: Who = "bob";

/** Where people talk: a private chat with the bot, a group, or a thread of either. Ids are the platform's own. */
export type Place = { readonly chat: string; readonly thread?: string; readonly shared: boolean };

export type StageOptions = {
  /** The owner's id on the platform, where a recorded payload says who it is. */
  readonly ownerId?: string;
  /** Deadlines of a connection, for stories that can't wait as long as people do. */
  readonly impatient?: boolean;
  /** The config names no owner on the platform. */
  readonly unpaired?: boolean;
};

/** A file as a person sends it. */
export type Given = {
  readonly bytes: Uint8Array;
  readonly name?: string;
  readonly mediaType?: string;
  /** Claims another size than the bytes have. */
  readonly size?: number;
};

/** What is passed on: somebody's words, or what stood in a group or channel. */
export type Forward =
  | { readonly of: Who }
  | { readonly hidden: string }
  | { readonly group: Place }
  | { readonly channel: Place };

export type Extra = {
  /** The id of the message that this replies to, and the part of it that is quoted. */
  readonly replyTo?: string;
  readonly quote?: string;
  readonly forward?: Forward;
  readonly photo?: Given;
  readonly document?: Given;
  readonly voice?: Given;
  /** A reply to words that stand in another chat: whose, and which. */
  readonly elsewhere?: { readonly of: Who; readonly words: string };
};

/** How words from outside are named: in a frame, in a mark's label, and as its source. */
export type Outside = { readonly from: string; readonly label: string; readonly source: string };

export type SeenButton = {
  readonly label: string;
  readonly data?: string;
  readonly url?: string;
  /** The text that it puts on the clipboard. */
  readonly copy?: string;
};

/** One version of a message, as people saw it. */
export type Version = {
  readonly text: string;
  readonly buttons: readonly (readonly SeenButton[])[];
  readonly previewsOff: boolean;
};

/** A message of the bot as it stands there now. */
export type Seen = Version & {
  readonly id: string;
  /** How its words are drawn, in order: "bold", "italic", "link", "code", "pre" … What a platform finds by itself is left out. */
  readonly styles: readonly string[];
  /** The languages of its blocks of code. */
  readonly languages: readonly string[];
  /** Set apart from what the assistant says, and without a notification where the platform can. */
  readonly quiet: boolean;
  /** Who is notified by name. */
  readonly pings: readonly string[];
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** With the words for whom doesn't see them. */
  readonly pictures: readonly { readonly name: string; readonly bytes: Uint8Array; readonly alt: string }[];
  /** Earlier versions, oldest first. */
  readonly edits: readonly Version[];
};

/** What a press was answered with. */
export type Answered = { readonly text?: string };

/** What the gateway calls on the platform, whatever it is called there. `draft`: the platform's own preview of a text under way. */
export type CallKind = "post" | "edit" | "draft" | "typing" | "fetch" | "menu";

export type Called = {
  readonly atMs: number;
  /** Rises by one per call of any kind. */
  readonly index: number;
  readonly outcome: string;
  readonly chat?: string;
};

export type Fault = {
  readonly kind:
    | "tooFast"
    | "tooLong"
    | "notParseable"
    /** A file that the platform doesn't give out. */
    | "unavailable"
    | "html502"
    | "resetBeforeStore"
    | "resetAfterStore"
    | "hang"
    | "hangAfterStore"
    | "slow"
    /** A refusal that is none of the known ones. */
    | "odd";
  readonly times?: number | "always";
  /** Only in this chat. */
  readonly in?: Place;
  /** With `tooFast`. */
  readonly seconds?: number;
  /** With `notParseable`: what the platform says it stumbled over. */
  readonly words?: string;
  /** With `slow`. */
  readonly delayMs?: number;
};

/** In what a person sees a difference. */
export type Facts = {
  /** As in "Eve on Telegram". */
  readonly label: string;
  /** What people type before a command's name. */
  readonly prefix: string;
  /** Where a command is written as a message: what that begins with. */
  readonly typed: string;
  /** The program fills the menu of commands; elsewhere the app's manifest names them. */
  readonly setsMenu: boolean;
  /** A text under way: a preview of the platform's own that no message comes of, or a message that grows. */
  readonly drafts: "native" | "edit";
  /** At most this many UTF-16 units of text in one message. */
  readonly maxUnits: number;
  /** Where the app cuts a longer text of a person's. */
  readonly cutsAt: number;
  /** A reply to a message that keeps to the room: of a part of it, of the whole, or not at all. */
  readonly replies: "part" | "whole" | "none";
  /** A new message of unknown outcome: shown again and marked, or found out about, so that it stands there once. */
  readonly lost: "repeated" | "found";
  /** Whether a forward says whose words it holds. */
  readonly namesForwards: boolean;
  /** What a sound that was recorded in the app is for the bot. */
  readonly voice: "voice" | "audio";
  /** Whether a button can open a form. */
  readonly forms: boolean;
  /** Whether replies to send next are a keyboard, in a private chat. */
  readonly keyboard: boolean;
  /** Whether a button can put a text on the clipboard. */
  readonly copies: boolean;
  /** A press can be forged that seems to come from the owner's private chat. Elsewhere nobody else is in there. */
  readonly forges: boolean;
  /** The words when the token is refused, and the next step. */
  readonly refusedToken: string;
  readonly checkToken: string;
  /** The largest file that is fetched, and the words when one is larger or isn't given out. */
  readonly maxFileBytes: number;
  readonly tooLarge: string;
  readonly unavailable: string;
};

export interface Stage extends AsyncDisposable {
  readonly name: PlatformName;
  readonly facts: Facts;
  /** All that must never be shown. */
  readonly secrets: readonly string[];

  // For the gateway
  platform(surroundings: Surroundings, pace: Partial<Pace>): Platform;
  /** The same as a part of the config: under `channels` and `pace`. */
  settings(): Readonly<Record<string, string>>;
  readonly connected: boolean;
  /** A connection stands, be it of one that is going. */
  readonly attached: boolean;
  /** What people did and the gateway has not said to have. */
  readonly pending: number;

  // People and places
  meet(who: Who, name: string): void;
  /** The platform's own id, as the gateway names it. */
  id(who: Who): string;
  dm(who: Who): Place;
  group(title: string): Place;
  /** A channel whose posts can be passed on. */
  channel(title: string): Place;
  /** A room of its own inside another, or beside it where the platform has none inside. */
  thread(of: Place, name: string): Place;

  // What people do
  /** `mention`: to the bot by name, where others are. */
  say(place: Place, who: Who, text: string, mention: boolean, extra: Extra): string;
  /** How the gateway calls a group of that title. */
  titled(title: string): string;
  /** How a forward is named. */
  outside(forward: Forward): Outside;
  /** In a group: what makes words into an answer to the bot, without naming it, where the platform has that; else by naming it. */
  reply(place: Place, who: Who, to: string, text: string): void;
  /** Words said in a group that are for another bot, or name one whose name only begins like ours. */
  readonly forOthers: readonly string[];
  edit(place: Place, who: Who, id: string, text: string): void;
  remove(place: Place, id: string): void;
  /** The platform delivers what nobody can understand, and what nobody knows yet, in every shape. */
  talkNonsense(): void;
  /** Everyone who is no person says this to the bot, and the bot itself, some under the owner's name or id. */
  machinesSpeak(place: Place, text: string): void;
  /** The platform delivers something that makes no sense, with these words in it. */
  garble(words: string): void;
  /** The platform delivers a person's message once more, as after an acknowledgement that it never got. */
  redeliver(place: Place, id: string): void;
  /** As the platform's people call commands; `typed`: as a message, where those differ. */
  command(place: Place, who: Who, text: string, typed: boolean): void;
  /** What is told to whoever starts a gateway without an owner here: how to hand the code over. */
  invitation(code: string): string;
  /** A person hands the code over as they were told. */
  accept(who: Who, code: string): void;
  /** Messages with a picture each that belong together, as the platform has that. */
  album(place: Place, who: Who, texts: readonly string[], pictures: readonly Given[]): void;
  press(place: Place, who: Who, id: string, label: string): string;
  /** The form that a press has opened: its title, its fields' labels, and what the platform calls their kinds. */
  formOf(
    press: string,
  ): { readonly title: string; readonly labels: readonly string[]; readonly kinds: readonly string[] } | undefined;
  /** Sends it with words in its first field; answers the submission's id. */
  submit(press: string, words: string): string;
  /** Sends it filled in, by its fields' labels; of a choice the labels of what is picked. */
  submitAll(press: string, values: Readonly<Record<string, string | readonly string[]>>): string;
  /** Picks from a message's menu, by labels; answers the press's id. Only where there are forms. */
  pick(place: Place, who: Who, id: string, labels: readonly string[]): string;
  /** The texts of the keyboard that shows now. */
  keyboard(place: Place): readonly string[] | undefined;
  /** A person presses one of its keys; answers the id of the message that it sent. */
  pressKey(place: Place, who: Who, text: string): string;
  /** "Ask about this" on a message, with these words. */
  askAbout(place: Place, who: Who, id: string, words: string): Promise<void>;
  pressData(place: Place, who: Who, id: string, data: string): string;
  /** Not every platform shows who pressed that a press arrived; its words come a little later there. */
  answerTo(press: string): Answered | undefined;
  /** All that only this person was shown beside their presses, in order. */
  toldOnly(who: Who): readonly string[];

  // What stands there
  /** The bot's messages in a place, in order. */
  sent(place: Place): readonly Seen[];
  /** All of them, anywhere. */
  readonly everything: readonly Seen[];
  /** Whether one message stands behind another; ids are the platform's. */
  isAfter(id: string, other: string): boolean;
  /** The id of the last message in a place, whoever wrote it. */
  last(place: Place): string;
  /** The texts of answers under way that show now. */
  underWay(place: Place): readonly string[];
  /** Every such text so far. */
  underWayLog(place: Place): readonly string[];
  /** Where typing has been shown, in order. */
  readonly typing: readonly Place[];
  /** The native menu of commands. */
  readonly menu: readonly string[] | undefined;
  /** Everything that the gateway has ever sent, for what must not be in it. */
  readonly payloads: readonly string[];

  // Going wrong
  fail(call: CallKind, fault: Fault): void;
  clearFaults(): void;
  /** How many calls the platform refused. */
  readonly refused: number;
  calls(call: CallKind): readonly Called[];
  /** The platform refuses the token, from now on. */
  refuseToken(times: number | "always"): void;
  /** The connection falls silent without an end; another one would speak. */
  freeze(): void;
  /** The connection breaks. */
  cut(): void;
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
  /** The place can't be written to any more, and again. */
  shut(place: Place): void;
  reopen(place: Place): void;

  // Waiting
  until<T>(
    predicate: () => T,
    options: { readonly timeoutMs?: number; readonly what?: string },
  ): Promise<Exclude<T, false | null | undefined>>;
  /** What is waited for may have changed outside the platform. */
  changed(): void;
  describe(): string;
}

// Commands about who may do what: the mode, the people, and what /status says of marks.
import { askChoice } from "../cards/choices.ts";
import type { Conversation } from "../core/conversation.ts";
import { asGatewayError } from "../core/error.ts";
import { personKey } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { MODES, type Mode, type Taint } from "../core/taint.ts";
import { escapeMarkdown, oneLine } from "../core/text.ts";
import type { Change, Known, Store } from "../store/port.ts";
import { sources } from "../taint/guard.ts";
import { nearest } from "./nearest.ts";
import { managePeople } from "./people-command.ts";
import type { People } from "./people.ts";
import { peopleRequest } from "./socket.ts";

/** What a command says and does. `outside`: the words hold names that others chose. */
export type Outcome = {
  readonly words?: string;
  readonly changes?: readonly Change[];
  readonly quiet?: boolean;
  readonly outside?: true;
};
/** What these commands work with. */
export type AuthorityParts = {
  readonly store: Store;
  readonly people: People;
  /** What a chat that chose none is in. */
  readonly mode: Mode;
  readonly checkAfterReading: boolean;
  readonly workFolder: (conversation: Conversation) => string;
  readonly surroundings: Surroundings;
};

const MODE_WORDS: Readonly<Record<Mode, string>> = {
  ask: "I ask before anything that acts",
  edits: "I change files in the work folder by myself, and ask before anything else",
  trust: "I act without asking, unless words from outside are in the chat or nothing confines a command",
  plan: "I only read and plan, until you start the plan",
};
const MOST_CARDS = 5;
const MOST_LINES = 40;

/** `/mode`: shows or sets what an engine may do by itself in this chat. */
export function chooseMode(conversation: Conversation, args: string, parts: AuthorityParts): Outcome {
  const now = conversation.mode ?? parts.mode;
  const wanted = args.trim().toLowerCase();
  const { clock, random } = parts.surroundings;
  if (wanted === "") {
    const text = `Mode of this chat: **${now}** (${MODE_WORDS[now]}). Work folder: \`${parts.workFolder(conversation)}\``;
    const options = MODES.map((mode) => ({
      label: mode === now ? `${mode} (now)` : mode,
      action: { do: "set-mode", mode } as const,
      done: `Mode of this chat: **${mode}**. ${MODE_WORDS[mode]}.`,
    }));
    return { changes: askChoice({ conversation: conversation.id, at: clock.now(), text, options }, random) };
  }
  const mode = MODES.find((one) => one === wanted);
  if (mode === undefined) {
    const near = nearest(wanted, MODES);
    return {
      words: `There is no such mode.${near === undefined ? "" : ` Did you mean ${near}?`} There are: ${MODES.join(", ")}.`,
      quiet: true,
    };
  }
  return {
    changes: [{ do: "mode", conversation: conversation.id, mode }],
    words: `Mode of this chat: **${mode}**. ${MODE_WORDS[mode]}.`,
    quiet: true,
  };
}

/** `/people`: who is known, with a card for each who asks; with words, the same as `./tidegate people`. */
export async function listPeople(conversation: string, args: string, parts: AuthorityParts): Promise<Outcome> {
  const { people, store, surroundings } = parts;
  const [verb = "", id] = args.trim().split(/\s+/u);
  if (verb !== "" && verb !== "list") {
    try {
      const asked = peopleRequest(verb, id);
      if (asked.do !== "people" || asked.verb === "pair")
        return { words: "Pairing starts where I run: `./tidegate people pair`.", quiet: true };
      const nowhere = { people, invites: () => [], states: [] };
      return { words: escapeMarkdown(await managePeople(asked, nowhere, store, surroundings)), outside: true };
    } catch (thrown) {
      return { words: escapeMarkdown(asGatewayError(thrown).message), quiet: true };
    }
  }
  const known = people.list();
  const at = surroundings.clock.now();
  const cards = known
    .filter(({ standing }) => standing === "asked")
    .slice(0, MOST_CARDS)
    .flatMap((one) => requestCard(one, conversation, at, parts));
  const lines = known.slice(-MOST_LINES).map((one) => `- ${describe(one)}`);
  const more = known.length > lines.length ? [`- and ${known.length - lines.length} more: \`./tidegate people\``] : [];
  const help = "`/people let-in ID`, `/people block ID` and `/people forget ID` change that.";
  return {
    words:
      known.length === 0
        ? "Nobody but you may talk to me, and nobody has asked."
        : [...more, ...lines, "", help].join("\n"),
    outside: true,
    changes: cards,
  };
}

/** What /status says of the marks, of what they close, and of the mode. */
export function authorityLines(
  conversation: Conversation,
  marks: readonly Taint[] | undefined,
  parts: AuthorityParts,
): readonly string[] {
  const mode = conversation.mode ?? parts.mode;
  const modeLine = `Mode: ${mode} (${MODE_WORDS[mode]})`;
  if (marks === undefined) return [modeLine];
  if (marks.length === 0) return [modeLine, "Words in this chat: yours and mine alone"];
  const person = marks.filter(({ kind }) => kind === "person");
  const named = marks.slice(0, 10).map(({ kind, label }) => `${escapeMarkdown(label)} (${kind})`);
  return [
    modeLine,
    `Words from outside in this chat: ${named.join(", ")}${marks.length > named.length ? ` and ${marks.length - named.length} more` : ""}`,
    ...(person.length === 0
      ? []
      : [
          `Closed here: looking through your other chats, and offers of mine, because of ${escapeMarkdown(sources(person))}. /new opens a chat without`,
        ]),
    parts.checkAfterReading
      ? "Whatever acts asks you first, in every mode, because of them"
      : "Asking after reading is off (`checkAfterReading`): what acts goes by the mode alone",
  ];
}

function describe(known: Known): string {
  return `${known.standing}: ${named(known)}`;
}

function named({ platform, id, name, kind }: Known): string {
  const what = kind === "group" ? "group" : "person";
  return `${escapeMarkdown(oneLine(name))} (${what}, \`${personKey({ platform, id }).replaceAll("`", "")}\`)`;
}

function requestCard(one: Known, conversation: string, at: number, parts: AuthorityParts): readonly Change[] {
  const who = { platform: one.platform, id: one.id };
  const text = `Asks to talk to me: ${named(one)}\n\nNames can be chosen by anyone; the id can't.`;
  const name = escapeMarkdown(oneLine(one.name));
  const options = [
    { label: "Let in", action: { do: "let-in", who } as const, done: `Let in: ${name}` },
    { label: "Not now", action: { do: "not-now", who } as const, done: `Not now: ${name}` },
    { label: "Block", action: { do: "block", who } as const, done: `Blocked: ${name}` },
  ];
  return askChoice({ conversation, at, text, options, outside: true }, parts.surroundings.random);
}

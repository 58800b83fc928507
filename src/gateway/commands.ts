// What a person can type after a slash. A command's effect and the end of its raw update are one transaction.
import type { Conversation } from "../core/conversation.ts";
import type { Person, Room } from "../core/message.ts";
import type { MenuItem } from "../core/channel.ts";
import { escapeMarkdown } from "../core/text.ts";
import { askChoice } from "../cards/choices.ts";
import { closeOpen } from "../cards/open.ts";
import { columnOf, mayCommand, type Column } from "../taint/table.ts";
import { authorityLines, chooseMode, listPeople, type AuthorityParts, type Outcome } from "./authority-commands.ts";
import { nearest } from "./nearest.ts";
import { firstMarks, freshChat, NEW_CHAT, noticeIn, openConversation } from "./opening.ts";
import type { LeafingParts } from "./leafing.ts";
import { lookFor, PAGES, showActivity, showPage } from "./looking-commands.ts";
import { answerInPrivate, isPrivate } from "./private-answers.ts";
import type { Queue } from "./queue.ts";
import { usageLine } from "./usage.ts";

/** What commands work with. */
export type CommandParts = AuthorityParts & {
  readonly leafing: LeafingParts;
  readonly queue: Queue;
  readonly engines: { readonly names: readonly string[]; readonly chosen: string };
  /** What goes on in a chat, in words. */
  readonly nowIn: (conversation: string) => string;
  /** A conversation is left: what stands open there is over. */
  readonly leave: (conversation: { readonly id: string }) => Promise<void>;
  /** Lines about the gateway as a whole: channels, what waits. */
  readonly statusLines: () => Promise<readonly string[]>;
};

/** A command as typed, by someone who is let in. `conversation`: their current one here, if any. */
export type Typed = {
  readonly name: string;
  readonly args: string;
  readonly room: Room;
  readonly person: Person;
  readonly row: number;
  readonly conversation: Conversation | undefined;
  /** Something was stopped for this command already. */
  readonly stopped?: boolean;
};

type Context = Typed & { readonly conversation: Conversation; readonly fresh: boolean; readonly parts: CommandParts };
type Command = MenuItem & {
  /** Acts at once, even while a turn runs; else in order with the messages around it. */
  readonly control: boolean;
  readonly run: (context: Context) => Promise<Outcome>;
};

const COMMANDS: readonly Command[] = [
  {
    name: "new",
    description: "Start a new chat",
    control: false,
    run: async ({ conversation, fresh, room, person, parts }) => {
      // What it had said stands before the line that a new chat begins.
      await parts.queue.end(conversation.id);
      if (!fresh) return { changes: freshChat(room, person, parts.surroundings) };
      return { changes: [noticeIn(conversation.id, NEW_CHAT, true, parts.surroundings)] };
    },
  },
  {
    name: "stop",
    description: "Stop the answer that is being written",
    control: true,
    run: async ({ conversation, stopped, parts }) => {
      const halted = await parts.queue.halt(conversation.id);
      return halted || stopped === true ? {} : { words: "Nothing is running.", quiet: true };
    },
  },
  {
    name: "status",
    description: "What this chat is, and how the gateway does",
    control: true,
    run: status,
  },
  {
    name: "mode",
    description: "What I may do by myself in this chat",
    control: true,
    run: async ({ conversation, args, parts }) => chooseMode(conversation, args, parts),
  },
  {
    name: "search",
    description: "Look through all chats: /search WORDS",
    control: true,
    run: async ({ conversation, args, parts }) => await lookFor(conversation, args, parts.leafing),
  },
  {
    name: "activity",
    description: "What I did here, and when I looked through earlier chats",
    control: true,
    run: async ({ conversation, parts }) => await showActivity(conversation, parts.leafing),
  },
  {
    name: "apps",
    description: "What I can be connected to, and what I am",
    control: true,
    run: async ({ conversation, parts }) => await showPage(PAGES.apps, conversation, parts.leafing),
  },
  {
    name: "skills",
    description: "Instructions that I can follow, and when I do",
    control: true,
    run: async ({ conversation, parts }) => await showPage(PAGES.skills, conversation, parts.leafing),
  },
  {
    name: "people",
    description: "Who may talk to me, and who asks to",
    control: true,
    run: async ({ conversation, args, parts }) => await listPeople(conversation.id, args, parts),
  },
  {
    name: "settings",
    description: "What was chosen for good",
    control: true,
    run: async ({ conversation, parts }) => await showPage(PAGES.settings, conversation, parts.leafing),
  },
  {
    name: "engine",
    description: "Choose which engine answers in this chat",
    control: false,
    run: async (context) => await chooseEngine(context),
  },
  {
    name: "archive",
    description: "Put this chat away",
    control: false,
    run: async ({ conversation, fresh, parts }) => {
      if (fresh) return { words: "There is no chat here to put away.", quiet: true };
      // Put away, nobody could stop it any more.
      await parts.queue.end(conversation.id);
      return {
        changes: [{ do: "archive", conversation: conversation.id, archived: true }],
        // Said in the chat that it is about: its title must not stay in another one.
        words: `“${escapeMarkdown(conversation.title)}” is put away. Your next message starts a new chat.`,
        quiet: true,
      };
    },
  },
  {
    name: "delete",
    description: "Delete this chat for good",
    control: false,
    run: async ({ conversation, fresh, parts }) => {
      if (fresh) return { words: "There is no chat here to delete.", quiet: true };
      const { clock, random } = parts.surroundings;
      const title = escapeMarkdown(conversation.title);
      return {
        changes: askChoice(
          {
            conversation: conversation.id,
            at: clock.now(),
            text: `Delete “${title}” for good? Everything kept of it here goes. What stands in this app stays until you delete it there.`,
            options: [
              {
                label: "Delete it",
                action: { do: "delete-chat", conversation: conversation.id },
                done: "Deleted.",
              },
              { label: "Keep it", action: { do: "nothing" }, done: `“${title}” is kept.` },
            ],
          },
          random,
        ),
      };
    },
  },
  {
    name: "help",
    description: "What I can do",
    control: true,
    run: async ({ person, room }) => ({
      words: help(columnOf({ attendance: person.role, room: room.kind, marks: [] })),
    }),
  },
];

/** After these the chat is no longer the one here. */
const LEAVES: ReadonlySet<string> = new Set(["new", "archive"]);

const ALIASES: Readonly<Record<string, string>> = { start: "help" };

/** For the platforms' native menus. */
export const MENU: readonly MenuItem[] = COMMANDS.map(({ name, description }) => ({ name, description }));

/** Whether there is a command of that name. */
export function isCommand(name: string): boolean {
  return find(name) !== undefined;
}

/** Whether a command acts at once rather than in order with the messages around it. An unknown one is answered in order. */
export function actsAtOnce(name: string): boolean {
  return find(name)?.control ?? false;
}

/**
 * Runs a command. Its words and effects are in the log, and its raw update is done with, when this resolves; false when its
 * conversation was deleted meanwhile and nothing was done.
 */
export async function runCommand(typed: Typed, parts: CommandParts): Promise<boolean> {
  const { store, surroundings } = parts;
  const column = columnOf({ attendance: typed.person.role, room: typed.room.kind, marks: [] });
  if (column === "shared" && isPrivate(typed.name)) return await answerInPrivate(typed, parts);
  const opened =
    typed.conversation === undefined ? openConversation(typed.room, typed.person, surroundings) : undefined;
  const conversation = typed.conversation ?? opened?.conversation;
  if (conversation === undefined) return false;
  const command = find(typed.name);
  const may = command !== undefined && mayCommand(column, command.name);
  const outcome: Outcome =
    command === undefined
      ? { words: unknown(typed.name), quiet: true }
      : !may
        ? { words: notHere(typed.person), quiet: true }
        : await command.run({ ...typed, conversation, fresh: opened !== undefined, parts });
  const at = surroundings.clock.now();
  const shows = outcome.words !== undefined || (outcome.changes?.length ?? 0) > 0;
  if (shows && opened === undefined) {
    if (may && LEAVES.has(typed.name)) await parts.leave(conversation);
    else await closeOpen(store, conversation, at, "command");
  }
  const done = await store.commit([
    ...(opened?.changes ?? []),
    { do: "append", conversation: conversation.id, at, body: { kind: "command", name: typed.name, args: typed.args } },
    ...(outcome.changes ?? []),
    ...(outcome.words === undefined
      ? []
      : [noticeIn(conversation.id, outcome.words, outcome.quiet ?? false, surroundings, outcome.outside)]),
    { do: "inbound-done", ids: [typed.row], outcome: `/${typed.name}` },
  ]);
  if (done.ok) parts.leafing.outbox.take(done.rows);
  return done.ok;
}

function find(name: string): Command | undefined {
  return COMMANDS.find((command) => command.name === (ALIASES[name] ?? name));
}

function notHere({ role }: Person): string {
  return role === "owner"
    ? "That works in our private chat only."
    : "That is the owner's to do. /new, /stop and /help work for you.";
}

function unknown(name: string): string {
  const near = nearest(
    name,
    COMMANDS.map((command) => command.name),
  );
  return `I know no command ${name}.${near === undefined ? "" : ` Did you mean /${near}?`} /help lists what I know.`;
}

function help(column: Column): string {
  return [
    column === "guest"
      ? "Write to me as you would to a person."
      : "Write to me as you would to a person; I answer with the engine chosen for this chat.",
    "",
    ...COMMANDS.filter(({ name }) => mayCommand(column, name)).map(
      (command) => `- /${command.name}: ${command.description}`,
    ),
    "",
    "What you write while I'm answering is answered next. Nothing is lost if I'm restarted.",
  ].join("\n");
}

async function chooseEngine({ conversation, args, parts }: Context): Promise<Outcome> {
  const { names, chosen } = parts.engines;
  const now = conversation.engine ?? chosen;
  const wanted = args.trim();
  if (parts.queue.running(conversation.id) !== undefined)
    return { words: "I can't switch while I'm answering. /stop me first, or wait.", quiet: true };
  if (wanted === "") {
    if (names.length < 2) return { words: `This chat is answered by **${now}**, the only engine in the config.` };
    const at = parts.surroundings.clock.now();
    const options = names.map((name) => ({
      label: name === now ? `${name} (now)` : name,
      action: { do: "set-engine", engine: name } as const,
      done: `This chat is answered by **${name}** from now on.`,
    }));
    return {
      changes: askChoice(
        { conversation: conversation.id, at, text: "Which engine should answer in this chat?", options },
        parts.surroundings.random,
      ),
    };
  }
  const name = names.find((one) => one.toLowerCase() === wanted.toLowerCase());
  if (name === undefined) {
    const near = nearest(wanted, names);
    return {
      words: `There is no engine of that name.${near === undefined ? "" : ` Did you mean ${near}?`} The config has: ${names.join(", ")}.`,
      quiet: true,
    };
  }
  return {
    changes: [{ do: "engine", conversation: conversation.id, engine: name }],
    words: `This chat is answered by **${name}** from now on.`,
    quiet: true,
  };
}

async function status({ conversation, fresh, room, parts }: Context): Promise<Outcome> {
  const entries = await parts.store.log.read(conversation.id);
  const state = await parts.store.conversations.state(conversation.id);
  const marks = fresh ? firstMarks(room) : await parts.store.conversations.marks(conversation.id);
  const lines = [
    `Engine: ${conversation.engine ?? parts.engines.chosen}`,
    `Now: ${parts.nowIn(conversation.id)}${state.waiting > 0 ? ", a message waits" : ""}`,
    usageLine(entries),
    ...(room.kind === "private" ? [...authorityLines(conversation, marks, parts), ...(await parts.statusLines())] : []),
  ];
  // A title is the owner's words in another place: not for a group.
  const title = room.kind === "private" ? `**${escapeMarkdown(conversation.title)}**\n\n` : "";
  const words = `${title}${lines.map((line) => `- ${line}`).join("\n")}`;
  return marks?.length === 0 ? { words } : { words, outside: true };
}

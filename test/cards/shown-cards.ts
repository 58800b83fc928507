// The cards of docs/cards.md, each made by what makes it when the gateway runs.
import { Approvals } from "../../src/cards/approvals.ts";
import { chipsGone, keyedChips, AS_CHART } from "../../src/cards/chips.ts";
import { openTurnDesk } from "../../src/cards/desk.ts";
import { lookChanges } from "../../src/cards/looks.ts";
import { askOffer } from "../../src/cards/offers.ts";
import { closeOpen } from "../../src/cards/open.ts";
import { expireQuestion } from "../../src/cards/question-changes.ts";
import { Questions } from "../../src/cards/questions.ts";
import { viewChanges } from "../../src/cards/views.ts";
import type { Item } from "../../src/catalog/port.ts";
import { viewOf } from "../../src/catalog/views.ts";
import type { OfferAct, Plan, Question, QuestionAct, QuestionField } from "../../src/core/card.ts";
import type { Entry, EntryBody } from "../../src/core/conversation.ts";
import { openOffers } from "../../src/gateway/offer-presses.ts";
import { saidBy } from "../../src/gateway/own-words.ts";
import { changesForm } from "../../src/gateway/plan-presses.ts";
import { underReply } from "../../src/turn/showing.ts";
import { recordedSurroundings } from "../contracts/channel.ts";
import { app, skill, toyCatalog, type Script } from "./catalog.ts";
import type { Chat } from "./shown.ts";

const { surroundings } = recordedSurroundings();
const AT = Date.UTC(2026, 10, 30, 9, 30);
const TURN = { conversation: "c", turn: "t", at: AT };
const PRESSED = { do: "cursor", name: "pressed", value: "1" } as const;
const never = new AbortController().signal;
const { random } = surroundings;

const CALENDAR = app("google-calendar", {
  name: "Google Calendar",
  about: "Your events: look them up, plan them, find a free hour.",
  may: ["Read your calendars", "Add, move and delete events"],
  connects: { by: "sign-in" },
});
const TRIPS = skill("trips", {
  name: "trips",
  about: "Plans a trip day by day.",
  may: ["Reads files", "Runs commands"],
});

/** An offer as the assistant makes it. */
async function offered(chat: Chat, item: Item, script: Script = "on"): Promise<(...acts: OfferAct[]) => Promise<void>> {
  const { store, conversation, owner } = chat;
  const catalog = toyCatalog([item]);
  catalog.script.set(item.id, script);
  const engine = { tools: true, images: false, plan: false, ownTools: false, sessions: false, holdMs: 0 };
  const desk = await openTurnDesk(
    { catalog, store, surroundings },
    {
      ...{ conversation: "c", turn: "t", attendance: "owner", room: "private", engine },
      ...{ words: "Am I free on Friday?", clean: async () => true },
    },
  );
  const why = item.kind === "app" ? "it can see whether Friday is free" : "it knows how you like your trips planned";
  const proposed = await desk.propose(item, why, "assistant");
  if (proposed.is === "none") throw new Error(proposed.words);
  await chat.commit(askOffer(proposed.offer, "c", AT));
  const parts = { store, catalog, queue: { wake: () => undefined }, ownerOf: () => owner, surroundings, signal: never };
  const offers = openOffers(parts);
  return async (...acts) => {
    for (const act of acts) {
      const { forms } = chat.limits;
      const answer = await offers.press(proposed.offer.id, act, { conversation, person: owner, done: PRESSED, forms });
      if (typeof answer === "object" && "words" in answer) chat.beside(answer.title ?? "", answer.words);
      await offers.settled();
    }
  };
}

const SEAT: QuestionField = {
  ...{ id: "seat", label: "Which seat?", kind: "choice", several: false, other: false },
  options: [{ label: "Window" }, { label: "Aisle" }],
};
const MEALS: QuestionField = {
  ...{ id: "meals", label: "Which meals?", kind: "choice", several: true, other: true },
  options: [
    { label: "Lunch", description: "cold" },
    { label: "Dinner", description: "warm" },
  ],
};
const DAY: QuestionField = { id: "day", label: "Which day?", kind: "date", suggested: "2026-12-04" };
const TIME: QuestionField = { id: "time", label: "What time?", kind: "time", suggested: "14:05" };
const MOMENT: QuestionField = { id: "moment", label: "When?", kind: "datetime" };
const WEIGHT: QuestionField = { id: "kg", label: "How heavy is the bag?", kind: "number", unit: "kg" };
const NOTE: QuestionField = { id: "note", label: "Anything else?", kind: "text", long: true };
const LONG: QuestionField = {
  ...{ id: "fare", label: "Which fare?", kind: "choice", several: false, other: false },
  options: [{ label: "Flexible: can be changed until an hour before" }, { label: "Basic" }],
};

type Asked = {
  readonly card: () => Question;
  readonly press: (does: (act: QuestionAct) => boolean, more?: Pressed) => Promise<void>;
  readonly type: (words: string) => Promise<void>;
  readonly stop: () => Promise<void>;
};
type Pressed = { readonly picked?: readonly string[]; readonly fields?: Readonly<Record<string, readonly string[]>> };

/** A question as the tool asks it, while its turn waits. */
async function asked(chat: Chat, fields: readonly QuestionField[], title?: string): Promise<Asked> {
  const { store, conversation, limits, owner } = chat;
  const questions = new Questions(store, surroundings);
  const stop = new AbortController();
  const by = `${owner.platform}/${owner.id}`;
  const titled = title === undefined ? {} : { title };
  const ask = { ...TURN, ...titled, for: by, fields, forms: limits.forms, holdMs: 3_600_000 };
  const answer = questions.ask(ask, conversation.room, stop.signal);
  const first = await chat.until((entry) => entry.kind === "asked");
  const id = first.kind === "asked" ? first.card.id : "";
  const card = (): Question => questions.live.find((one) => one.card.id === id)?.card ?? raise("It is over.");
  return {
    card,
    async press(does, more = {}) {
      const option = card().options.find(({ act }) => does(act)) ?? raise("There is no such button.");
      const told = await questions.press(id, { key: option.key, by, ...more, more: [PRESSED] });
      if (typeof told === "object" && "form" in told) chat.form(told.form);
    },
    async type(words) {
      await questions.typed({ card: id, words, messageId: "7", by, more: [] });
    },
    async stop() {
      stop.abort();
      await answer;
    },
  };
}

function raise(words: string): never {
  throw new Error(words);
}

const opens = ({ do: does }: QuestionAct): boolean => does === "open";
const skips = ({ do: does }: QuestionAct): boolean => does === "skip";
const picks =
  (option: number) =>
  (act: QuestionAct): boolean =>
    act.do === "pick" && act.option === option;

/** An approval as the guard asks for it, while its turn waits. */
async function approval(
  chat: Chat,
  input: object,
  always: boolean,
  name = "notes__write",
): Promise<(press?: "once") => Promise<void>> {
  const approvals = new Approvals(chat.store, surroundings);
  const stop = new AbortController();
  const call = { id: "1", name, input };
  const reason = always
    ? "The assistant wants to use this tool."
    : "The assistant wants to use this tool. This chat holds words from outside: a mail of Eve.";
  const asking = { conversation: "c", turn: "t", call, reason, always };
  const answer = approvals.ask(asking, chat.conversation.room, stop.signal);
  const entry = await chat.until(({ kind }) => kind === "asked");
  const id = entry.kind === "asked" ? entry.card.id : "";
  return async (press) => {
    if (press === undefined) stop.abort();
    else await approvals.answer(id, press, "owner", []);
    await answer;
  };
}

const STEPS: Plan = {
  kind: "plan",
  steps: [
    { text: "Read the three mails", state: "done" },
    { text: "Compare the dates", state: "active" },
    { text: "Write an answer", state: "pending" },
  ],
};
const ALL_DONE: Plan = { kind: "plan", steps: STEPS.steps.map(({ text }) => ({ text, state: "done" })) };
const ANSWER: Extract<EntryBody, { kind: "text" }> = { kind: "text", turn: "t", part: 0, text: "Friday is free." };

async function planToApprove(chat: Chat, pressed?: "Start" | "Keep planning"): Promise<void> {
  const ended = { well: true, text: "", part: 0, clean: true, tools: true, plans: true, asks: undefined };
  const held = { plan: STEPS, offer: undefined, chips: [] };
  await chat.commit(underReply(ended, held, TURN, random).changes);
  if (pressed === undefined) return;
  const { card } = (await chat.until(({ kind }) => kind === "asked")) as Extract<Entry, { kind: "asked" }>;
  if (card.kind !== "choice") return;
  await chat.forget();
  const text = card.options.find(({ label }) => label === pressed)?.done ?? "";
  if (pressed === "Keep planning" && chat.limits.forms) {
    const answer = changesForm("k");
    if ("form" in answer) chat.form(answer.form);
  }
  await chat.append({ kind: "answered", card: card.id, by: "owner", text });
}

async function chips(chat: Chat, words: readonly string[]): Promise<void> {
  const keyed = keyedChips(words, { conversation: "c", turn: "t", part: 0 }, random);
  await chat.commit(keyed.buttons);
  await chat.append({ ...ANSWER, chips: keyed.chips });
}

/** A result as a well-known server gives it, as its rows. */
async function view(chat: Chat, source: string, tool: string, result: unknown): Promise<void> {
  const text = typeof result === "string" ? result : JSON.stringify(result);
  const found = viewOf(source, tool, undefined, text) ?? raise(`${source} has no view of ${tool}.`);
  await chat.commit(viewChanges({ ...TURN, view: found }, random));
}

/** Each transcript of the page by its name. */
export const SHOWN: Readonly<Record<string, (chat: Chat) => Promise<void>>> = {
  "offer of an app": async (chat) => void (await offered(chat, CALENDAR)),
  "offer, details": async (chat) => {
    const press = await offered(chat, CALENDAR);
    await chat.forget();
    await press("details");
  },
  "offer, connecting and sign-in": async (chat) => {
    const press = await offered(chat, CALENDAR, "sign-in");
    await chat.forget();
    await press("take");
  },
  "offer, failed": async (chat) => {
    const press = await offered(chat, CALENDAR, { throws: "Google Calendar could not be reached." });
    await press("take");
    chat.onlyLast();
  },
  "offer, taken": async (chat) => {
    const press = await offered(chat, CALENDAR);
    await press("take");
    chat.onlyLast();
  },
  "offer, put away": async (chat) => {
    const press = await offered(chat, CALENDAR);
    await chat.forget();
    await press("not-now");
  },
  "offer, muted": async (chat) => {
    const press = await offered(chat, CALENDAR);
    await chat.forget();
    await press("mute");
  },
  "offer, expired": async (chat) => {
    await offered(chat, CALENDAR);
    await chat.forget();
    await closeOpen(chat.store, { id: "c" }, AT);
  },
  "offer of a skill": async (chat) => void (await offered(chat, TRIPS)),
  "offer of a skill that is used when asked": async (chat) => void (await offered(chat, { ...TRIPS, state: "asked" })),

  "question, one of a few": async (chat) => {
    const { stop } = await asked(chat, [SEAT]);
    chat.later(stop);
  },
  "question, long options": async (chat) => {
    const { stop } = await asked(chat, [LONG]);
    chat.later(stop);
  },
  "question, several of a few": async (chat) => {
    const { press, stop } = await asked(chat, [MEALS]);
    if (!chat.limits.forms) {
      await chat.forget();
      await press(picks(1));
    }
    chat.later(stop);
  },
  "question, own words in a form": async (chat) => {
    if (!chat.limits.forms) return;
    const { press, stop } = await asked(chat, [MEALS]);
    await chat.forget();
    await press(opens);
    chat.later(stop);
  },
  "question, a date": async (chat) => {
    const { stop } = await asked(chat, [DAY]);
    chat.later(stop);
  },
  "question, a time": async (chat) => {
    const { stop } = await asked(chat, [TIME]);
    chat.later(stop);
  },
  "question, a date and time": async (chat) => {
    const { stop } = await asked(chat, [MOMENT]);
    chat.later(stop);
  },
  "question, a number": async (chat) => {
    const { stop } = await asked(chat, [WEIGHT]);
    chat.later(stop);
  },
  "question, a text": async (chat) => {
    const { stop } = await asked(chat, [NOTE]);
    chat.later(stop);
  },
  "question, four fields": async (chat) => {
    const { press, type, stop } = await asked(chat, [SEAT, MEALS, MOMENT, WEIGHT], "Your flight");
    if (chat.limits.forms) await press(opens);
    else {
      await press(picks(0));
      await press(picks(1));
      await press(({ do: does }) => does === "done");
      await chat.forget();
      await type("31 February at noon");
    }
    chat.later(stop);
  },
  "question, answered": async (chat) => {
    const { press } = await asked(chat, [SEAT]);
    await chat.forget();
    await press(picks(0));
  },
  "question, skipped": async (chat) => {
    const { press } = await asked(chat, [SEAT]);
    await chat.forget();
    await press(skips);
  },
  "question, stopped": async (chat) => {
    const { stop } = await asked(chat, [SEAT]);
    await chat.forget();
    await stop();
  },
  "question, after a restart": async (chat) => {
    const { card, stop } = await asked(chat, [SEAT]);
    const before = card();
    await stop();
    await chat.forget();
    await chat.append(
      ...expireQuestion(before, { conversation: "c" }, AT).flatMap((change) =>
        change.do === "append" ? [change.body] : [],
      ),
    );
  },

  approval: async (chat) => {
    const over = await approval(chat, { path: "trip.md", text: "Leave at nine." }, true);
    chat.later(over);
  },
  "approval of a command": async (chat) => {
    // Nothing keeps a shell from closed places, so there is no leave for good.
    const over = await approval(chat, { command: "npm test 2>&1 | tail -3", timeout: 60_000 }, false, "Bash");
    chat.later(over);
  },
  "approval of a change": async (chat) => {
    const diff = "@@ -1,2 +1,2 @@\n-Leave at eight.\n+Leave at nine.\n Bring tea.";
    const over = await approval(chat, { path: "trip.md", diff }, true, "Edit");
    chat.later(over);
  },
  "approval, long": async (chat) => {
    const over = await approval(chat, { text: "One more line of the same. ".repeat(60) }, false);
    chat.later(over);
  },
  "approval, allowed": async (chat) => {
    const over = await approval(chat, { path: "trip.md" }, true);
    await chat.forget();
    await over("once");
  },

  chips: async (chat) => await chips(chat, ["Book it", "What about Saturday?"]),
  "chips, under a table": async (chat) => {
    await chips(chat, [AS_CHART]);
  },
  "chips, pressed": async (chat) => {
    await chips(chat, ["Book it"]);
    await chat.forget();
    if (chat.limits.keyboard) return;
    await chat.commit([
      ...chipsGone({ ...ANSWER, conversation: "c", seq: 1, at: AT }, AT),
      ...saidBy(chat.owner, "Book it", "chip/t", "c", AT, true),
    ]);
  },

  "plan, running": async (chat) => await chat.append({ kind: "plan", turn: "t", plan: STEPS }),
  "plan, folded": async (chat) => await chat.append({ kind: "plan", turn: "t", plan: ALL_DONE, folded: true }),
  "plan, to approve": async (chat) => await planToApprove(chat),
  "plan, started": async (chat) => await planToApprove(chat, "Start"),
  "plan, kept": async (chat) => await planToApprove(chat, "Keep planning"),

  "view, agenda": async (chat) =>
    await view(chat, "google-calendar", "list_events", {
      events: [
        {
          summary: "Dentist",
          start: { dateTime: "2026-12-04T09:00:00Z" },
          end: { dateTime: "2026-12-04T09:30:00Z" },
          location: "Harbour Street 4",
          htmlLink: "https://calendar.google.com/event?eid=1",
        },
        { summary: "Ferry", start: { date: "2026-12-05" } },
      ],
    }),
  "view, mail": async (chat) =>
    await view(chat, "google-mail", "search_threads", {
      threads: [
        {
          messages: [{ subject: "Friday", sender: "Ada <ada@example.org>", snippet: "Shall we?", date: "2026-11-29" }],
        },
      ],
    }),
  "view, files": async (chat) => await view(chat, "filesystem", "list_directory", "[FILE] trip.md\n[DIR] tickets"),
  "view, messages": async (chat) =>
    await view(chat, "slack", "slack_read_channel", {
      messages: [
        { user: "ada", channel: "travel", text: "Ferry or train?", permalink: "https://team.slack.com/archives/C1/p1" },
      ],
    }),

  picture: async (chat) =>
    await chat.append({
      kind: "pictured",
      turn: "t",
      picture: {
        ...{ name: "chart.png", path: "/data/files/chart.png" },
        alt: "Bar chart: People for 2 rows, from A to B; values from 50 to 100.",
      },
    }),

  look: async (chat) => {
    const chats = [{ conversation: "d", title: "Ferry times", lines: [1, 2] }];
    await chat.commit([
      ...lookChanges({ ...TURN, look: { query: "ferry", chats } }, random),
      ...lookChanges({ ...TURN, look: { query: "zeppelin", chats: [] } }, random),
    ]);
  },

  "quiet lines": async (chat) => {
    await chat.append(
      { kind: "notice", text: "Archived. /activity and /search still find it.", quiet: true },
      { kind: "turn-ended", turn: "t", reason: "stopped" },
    );
  },
};

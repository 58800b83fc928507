// What becomes of a stranger's message: one polite reply, and a request in the owner's chat that only the owner can answer.
import type { Sender } from "../core/channel.ts";
import type { ChoiceAction } from "../core/card.ts";
import { personKey, platformName, type Person, type Room, type Untrusted } from "../core/message.ts";
import type { Clock, Surroundings } from "../core/surroundings.ts";
import { escapeMarkdown, oneLine } from "../core/text.ts";
import { askChoice } from "../cards/choices.ts";
import { closeOpen } from "../cards/open.ts";
import { TURNED_AWAY } from "../store/changes.ts";
import type { Change, Committed, Known, Store } from "../store/port.ts";
import { openConversation } from "./opening.ts";
import { shownName, type People, type PrivateChat } from "./people.ts";

/** What requests work with. */
export type RequestParts = {
  readonly store: Store;
  readonly people: People;
  /** The platforms that are there: a card for another would be seen by nobody. */
  readonly platforms: Pick<ReadonlyMap<string, unknown>, "has">;
  /** The rows that show words in a room, in no conversation. */
  readonly reply: (room: Room, key: string, text: string) => Change;
  /** Commits, remembers the people in it, and hands the rows to the outbox. */
  readonly commit: (changes: readonly Change[]) => Promise<Committed>;
  /** Runs a task behind all that a person has said in a room, and before what they say from now on. */
  readonly inOrder: <T>(room: Room, person: Person, task: () => Promise<T>) => Promise<T>;
  readonly surroundings: Surroundings;
};

/** A message, or anything else, of someone who may not speak. */
export type Stranger = {
  readonly platform: string;
  readonly sender: Sender;
  readonly room: Room;
  readonly roomName?: Untrusted | undefined;
  readonly addressed: boolean;
  readonly rowId: number;
};

/** What the owner can decide about someone. */
export type AccessAction = Extract<ChoiceAction, { readonly who: unknown }>;

const REPLY_EVERY_MS = 1_800_000;
const MOST_WAITING = 20;
/** After a "not now", a request may come again. */
const AGAIN_AFTER_MS = 86_400_000;
const TURNED = "I only talk with people I've been introduced to.";
const PASSED_ON = `${TURNED} I've passed on that you'd like to.`;

/** Turns strangers away and asks the owner about them. What it keeps in memory only spares work: the store says what was asked. */
export class Requests {
  readonly #parts: RequestParts;
  readonly #shown = new Set<string>();
  /** One at a time, so that two messages of one stranger make one request, and the last free place is taken once. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  /** Takes a message of someone who may not speak. The raw update is done with, and what it held forgotten, when this resolves. */
  async turnAway(stranger: Stranger): Promise<void> {
    const turn = this.#last.then(async () => await this.#takeIn(stranger));
    this.#last = turn.catch(() => undefined);
    if (await turn) await this.#openAndShow();
  }

  /**
   * Shows the requests that came while there was no chat for them, in the conversation that the owner just used in private. One
   * that was shown is not shown again; one that can't be, since the conversation is gone, waits for the next time.
   */
  async showPending(conversation: string): Promise<void> {
    await this.#show(conversation, []);
  }

  /** Gives whether a request waits for its card. */
  async #takeIn(stranger: Stranger): Promise<boolean> {
    const { people, commit, surroundings } = this.#parts;
    const { platform, sender, room, roomName } = stranger;
    const at = surroundings.clock.now();
    const done: Change = { do: "inbound-done", ids: [stranger.rowId], outcome: "turned away", forget: true };
    if (!this.#mayAsk(stranger)) {
      await commit([done]);
      return false;
    }
    const shared = room.kind === "shared";
    const id = shared ? room.chat : sender.id;
    const before = people.known(platform, id);
    const waits = before?.standing === "asked";
    const full = people.list().filter(({ standing }) => standing === "asked").length >= MOST_WAITING;
    const asks = !waits && !full && (before?.standing !== "later" || at - before.at >= AGAIN_AFTER_MS);
    const changes = [done, ...(shared ? [] : await this.#politeReply(stranger, waits || asks, at))];
    if (!asks) {
      await commit(changes);
      return false;
    }
    const known: Known = {
      platform,
      id,
      kind: shared ? "group" : "person",
      name: shownName(shared ? (roomName ?? "") : sender.name, id),
      standing: "asked",
      at,
    };
    changes.push({ do: "know", known });
    const chat = this.#chat();
    const current =
      chat === undefined ? undefined : await this.#parts.store.conversations.current(chat.room, personKey(chat.person));
    if (current !== undefined) {
      const by = shared ? sender : undefined;
      await closeOpen(this.#parts.store, current, at, "command");
      if ((await commit([...changes, ...this.#card(known, current.id, by)])).ok) return false;
    }
    await commit(changes);
    return true;
  }

  /** In a private chat everyone who isn't blocked; in a group that may count but doesn't yet, whoever speaks to the bot. */
  #mayAsk({ platform, sender, room, addressed }: Stranger): boolean {
    const { people } = this.#parts;
    if (people.who(platform, sender, room).standing !== "stranger") return false;
    return room.kind === "private" || (addressed && people.rules.groups === "mention");
  }

  async #politeReply({ platform, sender, room, rowId }: Stranger, waits: boolean, at: number): Promise<Change[]> {
    const name = `${TURNED_AWAY}${personKey({ platform, id: sender.id })}`;
    const last = await this.#parts.store.records.cursor(name);
    if (last !== undefined && at - Number(last) < REPLY_EVERY_MS) return [];
    return [
      { do: "cursor", name, value: String(at) },
      this.#parts.reply(room, `${name}/${rowId}`, waits ? PASSED_ON : TURNED),
    ];
  }

  /** There is a private chat but no conversation in it: one is opened, in order with what the owner may just be saying there. */
  async #openAndShow(): Promise<void> {
    const { store, surroundings, inOrder } = this.#parts;
    const chat = this.#chat();
    if (chat === undefined) return;
    const { room, person } = chat;
    await inOrder(room, person, async () => {
      for (let done = false; !done;) {
        const current = await store.conversations.current(room, personKey(person));
        const { id, changes } =
          current === undefined ? openConversation(room, person, surroundings) : { id: current.id, changes: [] };
        done = await this.#show(id, changes);
      }
    });
  }

  /** Shows what was not shown yet; false when the conversation is gone. */
  async #show(conversation: string, opening: readonly Change[]): Promise<boolean> {
    const { store, people, commit, surroundings } = this.#parts;
    const waiting = people.list().filter((one) => one.standing === "asked" && !this.#shown.has(requestKey(one)));
    for (const one of waiting) this.#shown.add(requestKey(one));
    let done = false;
    try {
      const last = await Promise.all(waiting.map(async (one) => await store.records.cursor(cardedCursor(one))));
      const due = waiting.filter((one, index) => last[index] !== String(one.at));
      if (due.length > 0) await closeOpen(store, { id: conversation }, surroundings.clock.now(), "command");
      done =
        due.length === 0 || (await commit([...opening, ...due.flatMap((one) => this.#card(one, conversation))])).ok;
    } finally {
      if (!done) for (const one of waiting) this.#shown.delete(requestKey(one));
    }
    return done;
  }

  /** The owner's private chat, where it can be seen. */
  #chat(): PrivateChat | undefined {
    const { people, platforms } = this.#parts;
    const chat = people.lastPrivate;
    return chat !== undefined && platforms.has(chat.room.platform) ? chat : undefined;
  }

  /** `by`: who spoke to the bot in a group. */
  #card(known: Known, conversation: string, by?: Sender): readonly Change[] {
    const { clock, random } = this.#parts.surroundings;
    const who = { platform: known.platform, id: known.id };
    const named = `${quote(known.name, known.id)} (${escapeMarkdown(personKey(who))})`;
    return [
      ...askChoice(
        {
          conversation,
          at: clock.now(),
          text: asking(known, by),
          options: [
            { label: "Let in", action: { do: "let-in", who }, done: `Let in: ${named}.` },
            { label: "Not now", action: { do: "not-now", who }, done: `Not now: ${named}.` },
            { label: "Block", action: { do: "block", who }, done: `Blocked: ${named}.` },
          ],
          outside: true,
        },
        random,
      ),
      { do: "cursor", name: cardedCursor(known), value: String(known.at) },
    ];
  }
}

/**
 * The changes that carry out what the owner has decided about someone, for `People.commit`. The owner can't be decided about, only
 * forgotten where paired: none then.
 */
export function decide(people: People, action: AccessAction, clock: Clock): readonly Change[] {
  const { platform, id } = action.who;
  if (action.do === "forget") return [{ do: "forget-known", platform, id }];
  if (people.isOwner(personKey(action.who))) return [];
  // Known only by the id: the owner has typed it, or it was forgotten while its card stood there.
  const { kind, name } = people.known(platform, id) ?? {
    kind: isGroupId(platform, id) ? "group" : "person",
    name: id,
  };
  const standing = ({ "let-in": "guest", "not-now": "later", block: "blocked" } as const)[action.do];
  return [{ do: "know", known: { platform, id, kind, name, standing, at: clock.now() } }];
}

/** Telegram's groups have negative ids, Slack's channels ids of their own. Discord's tell nothing. */
function isGroupId(platform: string, id: string): boolean {
  return (platform === "telegram" && id.startsWith("-")) || (platform === "slack" && /^[CG][A-Z0-9]+$/u.test(id));
}

function asking({ platform, id, kind, name }: Known, by: Sender | undefined): string {
  const shown = `${quote(name, id)} on ${platformName(platform)}`;
  const speaker = by === undefined ? "Someone" : `${quote(by.name, by.id)} (id ${escapeMarkdown(oneLine(by.id))})`;
  const own = `Names can be chosen by anyone; the id can't. Id: ${escapeMarkdown(oneLine(id))}`;
  return kind === "person"
    ? `${shown} would like to talk with me.\n\n${own}`
    : `${speaker} spoke to me in the group ${shown}. Let in, I answer everyone there who speaks to me.\n\n${own}`;
}

function quote(name: Untrusted, id: string): string {
  return `“${escapeMarkdown(shownName(name, id))}”`;
}

/** One request of someone; a later one is another. */
function requestKey(known: Known): string {
  return `${personKey(known)} ${known.at}`;
}

function cardedCursor(known: Known): string {
  return `carded/${personKey(known)}`;
}

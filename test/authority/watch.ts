// What the world knows by itself of every conversation, from what was committed and from what the platform knows: whose words it
// holds, which secrets are its own, which calls were allowed by the owner. It does not trust a single mark of the gateway's.
import type { Entry } from "../../src/core/conversation.ts";
import { personKey, roomKey, type Origin, type Part, type Room } from "../../src/core/message.ts";
import type { Taint } from "../../src/core/taint.ts";
import { digestOf } from "../../src/cards/approvals.ts";
import { AS_CHART } from "../../src/cards/chips.ts";
import type { Offer } from "../../src/core/card.ts";
import { OUTSIDE_KEY, type Change, type Committed, type OutgoingRow, type Store } from "../../src/store/port.ts";
import { CUE } from "./shelf.ts";
import { SECRET } from "./steps.ts";

/** A conversation as the world sees it. */
export type Seen = {
  readonly id: string;
  readonly room: Room;
  readonly person: string;
  /** Which of its room and person: ids are random. */
  readonly name: string;
  /** Whose words it holds by what came into it. */
  person_: boolean;
  other: boolean;
  /** What the gateway noted. */
  readonly marks: Taint[];
  /** Secrets that were in it when someone else's words came. */
  admitted: ReadonlySet<string> | undefined;
  readonly secrets: Set<string>;
  entries: number;
};

type Card = { readonly turn: string; readonly digest: string; readonly by: "mode" | "guard" };
/** An act that ran. */
export type Act = { readonly conversation: string; readonly what: string; readonly pressed: boolean };

/** Watches every commit of a store, and every rule that can be told from those alone. */
export class Watch {
  readonly seen: Map<string, Seen> = new Map();
  /** Where each secret is at home. */
  readonly home: Map<string, string> = new Map();
  readonly acts: Act[] = [];
  readonly faults: string[] = [];
  readonly count: (branch: string) => void;
  /** The newest card that asked, by turn: which kind it was. */
  readonly asked: Map<string, { readonly by: "mode" | "guard" }[]> = new Map();
  /** How often the owner pressed anything, or wrote what may be an answer. */
  ownerPresses = 0;
  /** The same, of everything: what stands under a reply and questions as well. */
  cardPresses = 0;
  #answers = 0;
  #taken = 0;
  readonly #questions = new Map<string, string>();
  readonly #offers = new Map<string, Offer>();
  readonly #chips = new Map<string, readonly string[]>();
  /** What was typed in each conversation, message by message. */
  readonly #typed = new Map<string, string[]>();
  readonly #owner: string;
  readonly #cards = new Map<string, Card>();
  readonly #leave = new Map<string, number>();
  readonly #always = new Set<string>();
  readonly #own = new Map<string, string>();
  readonly #rows = new Map<number, OutgoingRow>();
  readonly #ours = new Map<string, { readonly conversation: string; readonly outside: boolean }>();
  readonly #calls = new Map<string, string>();
  readonly #rowOf: (tool: string) => string | undefined;

  constructor(owner: string, rowOf: (tool: string) => string | undefined, count: (branch: string) => void) {
    this.#owner = owner;
    this.#rowOf = rowOf;
    this.count = count;
  }

  /** The store, watched. */
  over(store: Store): Store {
    return {
      ...store,
      commit: async (changes, how) => {
        const done = await store.commit(changes, how);
        if (done.ok) this.#committed(changes, done);
        return done;
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
  }

  /** The secrets in a text that a conversation may not be given, now that it holds others' words or that nobody of its own is there. */
  leaked(id: string, text: string): readonly string[] {
    const one = this.seen.get(id);
    if (one?.admitted === undefined) return [];
    return secretsIn(text).filter((secret) => {
      const home = this.home.get(secret);
      // One that no log has held was edited away before it came into any: it is no other chat's.
      return home !== undefined && home !== id && one.admitted?.has(secret) !== true;
    });
  }

  #committed(changes: readonly Change[], done: Extract<Committed, { ok: true }>): void {
    for (const row of done.rows) this.#rows.set(row.id, row);
    for (const change of changes) {
      if (change.do === "open") this.#opened(change);
      if (change.do === "outgoing" && change.to.state === "shown") {
        const row = this.#rows.get(change.id);
        if (row !== undefined && change.to.ref !== undefined)
          this.#ours.set(`${roomKey(row.room)}/${change.to.ref}`, {
            conversation: row.conversation,
            outside: row.key.startsWith(OUTSIDE_KEY),
          });
      }
      if (change.do === "claim" && change.key.startsWith("always:")) this.#always.add(change.key);
    }
    for (const entry of done.entries) {
      const one = this.seen.get(entry.conversation);
      if (one !== undefined) this.#entry(entry, one);
    }
  }

  #opened({ id, room, person }: Extract<Change, { do: "open" }>): void {
    const same = [...this.seen.values()].filter((one) => roomKey(one.room) === roomKey(room) && one.person === person);
    const shared = room.kind === "shared" && room.platform !== "cli";
    this.seen.set(id, {
      id,
      room,
      person,
      name: `${roomKey(room)} ${person} ${same.length}`.replaceAll(/(?<=sim)\d+/gu, ""),
      person_: shared,
      other: false,
      marks: [],
      // Nothing of another conversation ever comes in where others read along, or nobody is there.
      admitted: room.kind === "shared" || person !== this.#owner ? new Set() : undefined,
      secrets: new Set(),
      entries: 0,
    });
  }

  #entry(entry: Entry, one: Seen): void {
    one.entries += 1;
    switch (entry.kind) {
      case "marked":
        one.marks.push(entry.taint);
        return;
      case "message":
      case "edited": {
        const parts = entry.kind === "message" ? entry.message.parts : entry.parts;
        const writer = entry.kind === "message" ? personKey(entry.message.from) : one.person;
        // What is answered may have come into the log together with the answer.
        if (entry.kind === "message")
          for (const id of entry.message.ids) this.#own.set(`${roomKey(one.room)}/${id}`, one.id);
        if (entry.kind === "edited" && entry.gone === true) this.count("a message was taken back");
        if (entry.kind === "message" && entry.message.ids.some((id) => id.startsWith("changes/"))) {
          this.count("what was written into a form went on as the owner's");
          // A plan's form is the owner's alone, and there all words of the owner's hold a secret.
          if (secretsIn(JSON.stringify(parts)).length === 0)
            this.faults.push(`T50: what someone else wrote into a form went on as the owner's in ${one.name}`);
        }
        this.#heard(parts, writer, one, entry.kind);
        const own = parts.flatMap((part) => (part.kind === "text" && part.origin.kind === "own" ? [part.text] : []));
        this.#typed.set(one.id, [...(this.#typed.get(one.id) ?? []), own.join("\n"), ...own]);
        const chip = entry.kind === "message" && entry.message.ids.some((id) => id.startsWith("chip/"));
        if (chip) this.#sent(own, writer, one);
        return;
      }
      case "text":
        if (entry.chips !== undefined && entry.chips.length > 0) {
          const words = entry.chips.map((chip) => chip.words);
          if (!this.#isOwners(one) || (this.#tainted(one) && words.some((each) => each !== AS_CHART)))
            this.faults.push(`O52, O54: ${words.join(", ")} stood under a reply in ${one.name}`);
          this.#chips.set(one.id, [...(this.#chips.get(one.id) ?? []), ...words]);
          this.count("replies to send stood under a reply");
        }
        return;
      case "carried-on": {
        const { from, target, request } = entry;
        this.#took();
        const offered = [...this.#offers.values()].some(({ target: { id } }) => id === target.id);
        if (personKey(from) !== this.#owner || !this.#isOwners(one) || !offered)
          this.faults.push(`O17, O27: ${target.id} was carried on in ${one.name} by ${personKey(from)}`);
        if (this.#typed.get(one.id)?.includes(request) !== true)
          this.faults.push(`O21, O67: what was carried on in ${one.name} is not what the owner typed: ${request}`);
        this.count("a request was carried on");
        return;
      }
      case "asked":
        if (entry.card.kind === "question") this.#questions.set(entry.card.id, entry.card.for);
        if (entry.card.kind === "offer") this.#offered(entry.card, one);
        if (entry.card.kind === "approval") {
          const { id, turn, digest, text } = entry.card;
          const by =
            text.includes("This chat holds words from") || text.includes("Nothing keeps a command") ? "guard" : "mode";
          this.#cards.set(id, { turn, digest, by });
          this.asked.set(turn, [...(this.asked.get(turn) ?? []), { by }]);
          this.count(`approval asked by ${by}`);
        }
        return;
      case "answered": {
        const asked = this.#questions.get(entry.card);
        if (asked !== undefined) {
          if (entry.by !== asked && entry.by !== "gateway")
            this.faults.push(`O39: ${entry.by} answered what ${asked} was asked`);
          if (entry.messageId !== undefined) this.#own.set(`${roomKey(one.room)}/${entry.messageId}`, one.id);
          for (const secret of secretsIn(entry.given ?? "")) {
            if (!this.home.has(secret)) this.home.set(secret, one.id);
            one.secrets.add(secret);
          }
          const how = entry.given === null ? "skipped" : entry.messageId === undefined ? "by a press" : "by words";
          this.count(`a question was answered ${how}${asked === this.#owner ? "" : " of a guest"}`);
        }
        const card = this.#cards.get(entry.card);
        if (card === undefined) return;
        this.count(`approval ${entry.took ?? "?"}`);
        if (entry.by === this.#owner) this.#answers += 1;
        if (this.#answers > this.ownerPresses)
          this.faults.push("A38: an approval was answered that the owner has not pressed");
        if (entry.by !== "gateway" && entry.by !== this.#owner)
          this.faults.push(`A38: ${entry.by} answered an approval`);
        if (entry.took === "once" || entry.took === "always") {
          const key = `${card.turn} ${card.digest}`;
          this.#leave.set(key, (this.#leave.get(key) ?? 0) + 1);
        }
        return;
      }
      case "resumed": {
        const { from, answer } = entry;
        if (personKey(from) !== one.person && personKey(from) !== this.#owner)
          this.faults.push(`E28: ${personKey(from)} started a turn of ${one.name} by an answer`);
        this.count(`an answer to ${answer.to === "question" ? "a question" : "an approval"} started a turn`);
        if (answer.to !== "approval" || answer.took !== "once") return;
        // For any turn, as long as no other words come in.
        const key = lateKey(one, { name: answer.tool, input: answer.input });
        this.#leave.set(key, (this.#leave.get(key) ?? 0) + 1);
        return;
      }
      case "turn-started":
        if (one.person_ && !one.marks.some(({ kind }) => kind === "person"))
          this.faults.push(`A16: a turn of ${one.name} began without the person mark`);
        if (entry.again) this.count("a turn begun again after a restart");
        return;
      case "tool-start":
        this.#calls.set(`${entry.turn} ${entry.call.id}`, entry.call.name);
        if (entry.effect === "act") this.#acted(entry, one);
        return;
      case "tool-end": {
        const name = this.#calls.get(`${entry.turn} ${entry.callId}`) ?? "";
        if (this.#rowOf(name) === "app-read" && entry.result.outcome === "ok") {
          one.other = true;
          if (one.marks.length === 0) this.faults.push(`A26: ${one.name} has no mark of what a tool read`);
        }
        if (this.#rowOf(name) !== "history") return;
        if (entry.result.outcome === "ok" && (one.person_ || one.admitted !== undefined))
          this.faults.push(`P16: a look came back to ${one.name}, which holds others' words`);
        if (entry.result.outcome === "ok") {
          for (const secret of secretsIn(entry.result.text)) one.secrets.add(secret);
          this.count("history ok");
        }
        if (entry.result.outcome === "denied") this.count("a result withheld");
        break;
      }
      default:
    }
  }

  #isOwners(one: Seen): boolean {
    return one.person === this.#owner && one.room.kind === "private";
  }

  #tainted(one: Seen): boolean {
    return one.person_ || one.other || one.marks.length > 0;
  }

  #offered(offer: Offer, one: Seen): void {
    const before = this.#offers.has(offer.id);
    this.#offers.set(offer.id, offer);
    // Shown further on it is the same one.
    if (before) return;
    const { by, target, resume } = offer;
    if (!this.#isOwners(one)) this.faults.push(`O17: ${target.id} was offered in ${one.name}`);
    if (by === "assistant" && this.#tainted(one))
      this.faults.push(`O16, O66: the assistant offered ${target.id} in ${one.name}, which holds words from outside`);
    if (by === "cue" && !resume.request.includes(CUE))
      this.faults.push(`O11: ${target.id} was offered in ${one.name}, and the owner's own words don't call for it`);
    this.count(`an offer by ${by}${this.#tainted(one) ? " in a marked chat" : ""}`);
  }

  /** A chip was sent as a message. */
  #sent(own: readonly string[], writer: string, one: Seen): void {
    this.#took();
    const shown = this.#chips.get(one.id) ?? [];
    if (writer !== this.#owner || !own.every((words) => shown.includes(words)))
      this.faults.push(`O47: ${own.join(", ")} was sent in ${one.name}, where no such reply stood`);
    this.count("a reply was sent by a press");
  }

  /** Something happened that takes a press of the owner's each time. */
  #took(): void {
    this.#taken += 1;
    if (this.#taken > this.cardPresses)
      this.faults.push("O27, O67: something went on more often than the owner has pressed for it");
  }

  #heard(parts: readonly Part[], writer: string, one: Seen, kind: "message" | "edited"): void {
    const persons: string[] = writer === this.#owner || one.room.platform === "cli" ? [] : [writer];
    for (const part of parts) {
      const { origin } = part;
      if (origin.kind === "forwarded") persons.push(`forward ${sourceOf(origin, one.room)}`);
      else if (origin.kind === "quoted") {
        const from = this.#whose(origin, one);
        this.count(
          `quote ${from}${part.kind === "text" && part.text.startsWith("[An earlier message of") ? ", left out" : ""}`,
        );
        if (from === "unknown") persons.push(`quote ${sourceOf(origin, one.room)}`);
        if (from === "elsewhere") one.other = true;
      }
      if (
        part.kind === "file" &&
        part.file.path !== undefined &&
        !(part.file.kind === "voice" && origin.kind === "own")
      )
        one.other = true;
    }
    if (persons.length > 0 && !one.person_) this.count(`a ${kind} brought someone else's words`);
    // What came with the very words that close it does not count as having been there.
    if (persons.length > 0) {
      one.person_ = true;
      one.admitted ??= new Set([...one.secrets]);
    }
    // What the owner brings into a private chat by hand is the owner's to bring, as if typed there: Slack has no quotes, and a message
    // of the owner's or ours is shared instead.
    if (one.admitted !== undefined && writer === this.#owner && one.room.kind === "private") {
      const shared = parts.flatMap((part) =>
        part.kind === "text" && part.origin.kind === "forwarded" ? secretsIn(part.text) : [],
      );
      if (shared.length > 0) this.count("the owner shared a secret of another chat");
      one.admitted = new Set([...one.admitted, ...shared]);
    }
    // What is quoted may stand further down in the same message: said a moment before, and joined with its answer.
    for (const part of parts)
      if (part.kind === "text" && part.origin.kind === "own")
        for (const secret of secretsIn(part.text)) if (!this.home.has(secret)) this.home.set(secret, one.id);
    for (const part of parts) {
      if (part.kind !== "text") continue;
      const leaks = part.origin.kind === "own" ? [] : this.leaked(one.id, part.text);
      if (leaks.length > 0)
        this.faults.push(`A55: ${leaks.join(" ")} came into the log of ${one.name} by a ${part.origin.kind} part`);
      for (const secret of secretsIn(part.text)) one.secrets.add(secret);
    }
    const noted = one.marks.filter((mark) => mark.kind === "person").map((mark) => mark.source);
    for (const source of persons) {
      const wanted = source.replace(/^(?:forward|quote) /u, "");
      if (!noted.some((source) => source === wanted || (wanted.endsWith("?") && source.startsWith(wanted))))
        this.faults.push(`A23, A28: ${one.name} has no mark of ${source} when its ${kind} is in the log`);
    }
    if (one.other && one.marks.length === 0)
      this.faults.push(`A24, A25: ${one.name} has no mark when what it brings is in the log`);
  }

  /** Whose words are quoted, by what the platform and the log know. */
  #whose(origin: Extract<Origin, { kind: "quoted" }>, here: Seen): "here" | "elsewhere" | "unknown" {
    const { messageId, id, ours } = origin;
    if (messageId === undefined) return "unknown";
    const key = `${roomKey(here.room)}/${messageId}`;
    const our = this.#ours.get(key);
    const conversation = ours && our?.outside === false ? our.conversation : undefined;
    const own = id !== undefined && `${here.room.platform}/${id}` === here.person ? this.#own.get(key) : undefined;
    const found = conversation ?? own;
    if (found === undefined) return "unknown";
    return found === here.id ? "here" : "elsewhere";
  }

  #acted(entry: Extract<Entry, { kind: "tool-start" }>, one: Seen): void {
    const { call, turn } = entry;
    const inTurn = `${turn} ${digestOf(call)}`;
    const key = (this.#leave.get(inTurn) ?? 0) > 0 ? inTurn : lateKey(one, call);
    const left = this.#leave.get(key) ?? 0;
    if (left > 0) this.#leave.set(key, left - 1);
    const tainted = one.person_ || one.other || one.marks.length > 0;
    const who = one.person === this.#owner && one.room.kind === "private";
    if (!who) this.faults.push(`A11: ${call.name} ran in ${one.name}`);
    if (tainted && left === 0)
      this.faults.push(`A10, A32: ${call.name} ran unasked in ${one.name}, which holds words from outside`);
    this.acts.push({ conversation: one.name, what: `${call.name} ${JSON.stringify(call.input)}`, pressed: left > 0 });
    this.count(left > 0 ? "an act after the owner's press" : "an act by the mode");
  }
}

function lateKey(one: Seen, call: Parameters<typeof digestOf>[0]): string {
  return `${one.id} ${one.marks.length} ${digestOf(call)}`;
}

export function secretsIn(text: string): readonly string[] {
  return [...new Set(text.match(SECRET))];
}

function sourceOf(origin: Extract<Origin, { kind: "forwarded" | "quoted" }>, { platform }: Room): string {
  return origin.id === undefined ? `${platform}/?` : `${platform}/${origin.id}`;
}

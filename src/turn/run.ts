// THE MAIN PATH: the log → what an engine is told → its events → the log.
//
//   turn-started ─→ told(log) ─→ engine.run ─→ text, tools, usage ─→ entries ─→ turn-ended
//                                    └─ drafts of the part under way, for whoever shows them
import type { Conversation, EntryBody } from "../core/conversation.ts";
import type { Engine } from "../core/engine.ts";
import { asGatewayError, GatewayError } from "../core/error.ts";
import type { Clock, Surroundings } from "../core/surroundings.ts";
import type { Tool } from "../core/tool.ts";
import type { Draft, TurnEvent, TurnInput, Usage } from "../core/turn.ts";
import type { Change, Store } from "../store/port.ts";
import { closeOpen } from "../cards/open.ts";
import { turnCards, type CardParts } from "../cards/turn-cards.ts";
import { Answer, ended } from "./answer.ts";
import type { TurnAuthority } from "./authority.ts";
import { handoff } from "./handoff.ts";
import { attendanceOf, instructions, told, withoutOwn } from "./input.ts";
import {
  asksIn,
  foldOf,
  hold,
  planShown,
  planSoFar,
  shownChanges,
  promisedCard,
  stepWithoutSecrets,
  underReply,
  withoutSecrets,
  type Held,
} from "./showing.ts";
import { toolbox, type ToolboxTurn } from "./toolbox.ts";

/** One turn to run. */
export type TurnOrder = {
  readonly conversation: Conversation;
  /** Drawn by the caller; a second try of a turn keeps its id, so that what it shows takes the place of the first. */
  readonly turn: string;
  readonly again: boolean;
  /** Every message up to this seq is answered. */
  readonly upTo: number;
  /** Nobody is there: not woken by a person's message. */
  readonly unattended: boolean;
  readonly engine: Engine;
  readonly tools: readonly Tool[];
  readonly cards: CardParts;
  /** Just these, by name; left out: all that the table of authority opens. */
  readonly only?: ReadonlySet<string>;
  readonly owner: string;
  readonly workFolder: string;
  /** Others read along or write here: the engine is to have nothing of its own to act with. */
  readonly locked: boolean;
  readonly authority: TurnAuthority;
  /** Takes known secrets out of what the log keeps of an answer. */
  readonly scrub: (text: string) => string;
  /** Fires with `STOP` when a person stops the turn; with anything else the turn is left open, as after a crash. */
  readonly signal: AbortSignal;
};

/** The reason that a turn's signal carries when a person stops it. */
export const STOP: unique symbol = Symbol("stopped by a person");

/**
 * A turn reads about this many of its log's newest entries. Where it begins moves in steps, so that from turn to turn an engine is
 * told the same beginning, and its service's cache holds.
 */
const MAX_ENTRIES = 2000;
const STEP_ENTRIES = 1000;

/**
 * Runs one turn to its end. Yields drafts of the text under way, each replacing the one before; everything that lasts is in
 * the log before the generator ends. Throws only when the store does, or when the signal fired for another reason than `STOP`.
 */
export async function* runTurn(
  order: TurnOrder,
  store: Store,
  { clock, random, log }: Surroundings,
): AsyncGenerator<Draft, void> {
  const { turn } = order;
  const id = order.conversation.id;
  const held: Held = { plan: undefined, offer: undefined, chips: [] };
  // A power cut may take what can be made again: only what acts must be on the disk first.
  const append = async (
    bodies: readonly EntryBody[],
    { expected, acts = false, shown: given }: NonNullable<Parameters<ToolboxTurn["append"]>[1]> = {},
  ): Promise<boolean> => {
    const shown = withoutSecrets(given, order.scrub);
    const at = clock.now();
    const still: readonly Change[] =
      expected === undefined ? [] : [{ do: "expect-marks", conversation: id, count: expected.length }];
    const changes = bodies.map((body): Change => ({ do: "append", conversation: id, body, at }));
    const seen = shownChanges(shown, { conversation: id, turn, at }, held, random);
    const done = await store.commit([...still, ...changes, ...seen], { sync: acts });
    if (!done.ok && done.because !== "marked")
      throw new GatewayError("not-found", "The chat was deleted while the turn ran.");
    if (done.ok) hold(held, shown);
    return done.ok;
  };

  const from = Math.max(0, Math.floor((order.conversation.head - MAX_ENTRIES) / STEP_ENTRIES) * STEP_ENTRIES);
  const before = await store.log.read(id, { after: from });
  const attendance = order.unattended ? "nobody" : attendanceOf(before, order.upTo);
  const { engine, upTo, again } = order;
  await append([{ kind: "turn-started", turn, engine: engine.name, upTo, attendance, again }], {
    acts: engine.can.ownTools && !order.locked,
  });
  // What came in until the turn was claimed belongs to it: an edit above all.
  const entries = [...before, ...(await store.log.read(id, { after: before.at(-1)?.seq ?? 0 }))];
  const { history, since, prompt, messages, words } = told(entries);
  if (again) held.plan = planSoFar(entries, turn);
  // All of it was taken back before it was answered: there is nothing to say.
  if (prompt.length === 0 && messages.length > 0) {
    await append([...foldOf(held, turn), { kind: "turn-ended", turn, reason: "done" }]);
    return;
  }

  const { authority } = order;
  const { room } = order.conversation;
  const answer = new Answer(turn, order.scrub, room.kind === "private" && !order.locked);
  const isClean = async (): Promise<boolean> => (await store.conversations.marks(id))?.length === 0;
  const cards = await turnCards(order.cards, {
    ...{ conversation: id, turn, attendance, room: room.kind, place: room, engine: engine.can, words, clean: isClean },
    person: order.conversation.person,
    name: messages.at(-1)?.from.name ?? "",
  });
  held.offer = cards.cue;
  const calls = openCalls(clock);
  const tools = [...order.tools, ...cards.tools].filter(({ name }) => order.only?.has(name) ?? true);
  const box = await toolbox(tools, {
    conversation: id,
    turn,
    workFolder: order.workFolder,
    given: authority.given,
    places: authority.places,
    signal: AbortSignal.any([order.signal, calls.signal]),
    append,
    // What was said before a call stands before it in the log.
    said: () => answer.closePart(),
    async standing() {
      const [marks, now] = await Promise.all([store.conversations.marks(id), store.conversations.get(id)]);
      const { mode = authority.mode } = now ?? order.conversation;
      return { attendance, room: room.kind, marks, mode, checkAfterReading: authority.checkAfterReading };
    },
    async ask(ask, signal) {
      const asked = { ...ask, conversation: id, turn, holdMs: engine.can.holdMs };
      if (room.kind === "private") return await authority.approvals.ask(asked, room, signal);
      const showIn = authority.ownerRoom();
      return showIn === undefined ? undefined : await authority.approvals.ask({ ...asked, showIn }, room, signal);
    },
  });
  const session = order.engine.can.sessions ? await store.records.session(id, order.engine.name) : undefined;
  const input: TurnInput = {
    conversation: id,
    turn,
    instructions: instructions(order.owner, attendance, engine.can.tools ? box.guidance : [], cards.sections),
    history: withoutOwn(history),
    catchUp: {
      whole: () => handoff(history, session === undefined ? "begin" : "lost"),
      missed: () => handoff(since(session?.seen ?? 0), "missed"),
    },
    prompt,
    attendance,
    locked: order.locked,
    tools: order.engine.can.tools ? box.specs : [],
    call: async (call) => {
      answer.pause();
      return await calls.until(box.call(call));
    },
    allow: async (use) => await calls.until(box.allow(use)),
    workFolder: order.workFolder,
    signal: order.signal,
    ...(session === undefined ? {} : { resumeId: session.resumeId }),
  };

  let end: Extract<TurnEvent, { kind: "end" }> | undefined;
  let usage: Usage | undefined;
  let healed = false;
  try {
    if (prompt.length === 0) throw new GatewayError("internal", "There was nothing to answer.");
    for await (const event of order.engine.run(input)) {
      if (event.kind === "text") {
        answer.add(event.delta);
        yield answer.draft();
      } else if (event.kind === "tool-start") {
        const { effect } = event;
        const call = stepWithoutSecrets(event.call, order.scrub);
        await append([...answer.closePart(), { kind: "tool-start", turn, call, effect, by: "engine" }], {
          acts: true,
        });
        answer.began(call);
        yield answer.draft();
      } else if (event.kind === "tool-end") {
        const result = stepWithoutSecrets(event.result, order.scrub);
        await append([{ kind: "tool-end", turn, callId: event.callId, result }]);
        answer.ended(event.callId);
        yield answer.draft();
      } else if (event.kind === "plan") await append([], { shown: planShown(event.plan) });
      else if (event.kind === "usage") usage = event.usage;
      else if (event.kind === "session") {
        const { resumeId, kept, restarted } = event;
        // Until it is kept it holds what it held before: nothing, if it is another.
        const before = session?.resumeId === resumeId ? session.seen : 0;
        const seen = kept ? (entries.at(-1)?.seq ?? 0) : before;
        const known = { conversation: id, engine: engine.name, resumeId, seen, redacted: false };
        await store.commit([{ do: "session", session: known }]);
        // Said once, though the id may be told twice.
        if (restarted === "lost" && !healed) await append([{ kind: "notice", text: HEALED, quiet: true }]);
        healed ||= restarted === "lost";
      } else if (event.kind === "end") {
        end = event;
        break;
      }
    }
  } catch (thrown) {
    const error = asGatewayError(thrown, "engine-failed");
    log.error({ err: thrown, conversation: id, engine: order.engine.name }, "a turn failed");
    end = { kind: "end", reason: "error", error };
  }
  await calls.end();
  if (order.signal.aborted && order.signal.reason !== STOP) throw order.signal.reason;
  const { text: draft, part } = answer.draft();
  const last = ended(turn, order.signal.aborted ? { kind: "end", reason: "stopped" } : end, answer);
  const { mode = authority.mode } = (await store.conversations.get(id)) ?? order.conversation;
  const at = clock.now();
  // What came meanwhile is newer than this reply: nothing is to stand open behind it.
  const waits = async (): Promise<boolean> => (await store.conversations.state(id)).waiting > 0;
  const under = underReply(
    {
      well: attendance === "owner" && room.kind === "private" && last.reason === "done" && !(await waits()),
      ...{ text: draft.trim() === "" ? "" : draft, part, clean: await isClean() },
      ...{ tools: engine.can.tools, plans: mode === "plan" },
      asks: asksIn(room, authority.approvals.live, order.cards.questions.live),
    },
    held,
    { conversation: id, turn, at },
    random,
  );
  const bodies: readonly EntryBody[] = [
    ...answer.closePart(under.chips),
    ...(usage === undefined ? [] : [{ kind: "usage", turn, engine: engine.name, usage } as const]),
    ...foldOf(held, turn),
    ...(last.reason === "done" ? promisedCard(held, under) : []),
    last,
  ];
  const changes = bodies.map((body): Change => {
    const stands = body.kind === "text" && body.chips !== undefined ? ({ stands: true } as const) : {};
    return { do: "append", conversation: id, body, at, ...stands };
  });
  // What came under the reply before just as the message of this one came in.
  await closeOpen(store, { id }, at);
  const done = await store.commit([...changes, ...under.changes], { sync: false });
  // It was offered here by an earlier try of this turn: the answer comes all the same.
  if (!done.ok && under.offers) await store.commit(changes, { sync: false });
  else if ((under.offers || under.chips.length > 0) && (await waits())) await closeOpen(store, { id }, at);
}

const HEALED = "The engine's own session of this chat could not be continued. It was given the conversation so far.";

/** A call that heeds its signal ends at once; one that doesn't is waited for no longer than this. */
const LAST_CALL_MS = 1000;

/**
 * The calls of a turn. An engine may end without those that it gave up, and nothing would take what they wait for any more: they end
 * before the turn does, so that no question stands open behind it.
 */
function openCalls(clock: Clock): {
  readonly signal: AbortSignal;
  readonly until: <T>(call: Promise<T>) => Promise<T>;
  readonly end: () => Promise<void>;
} {
  const over = new AbortController();
  const open = new Set<Promise<unknown>>();
  return {
    signal: over.signal,
    async until(call) {
      open.add(call);
      try {
        return await call;
      } finally {
        open.delete(call);
      }
    },
    async end() {
      over.abort(STOP);
      if (open.size === 0) return;
      const enough = new AbortController();
      await Promise.race([Promise.all(open), clock.sleep(LAST_CALL_MS, enough.signal).catch(() => undefined)]);
      enough.abort();
    },
  };
}

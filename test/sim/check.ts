// What must be true of every history. Each rule is a function that gives its faults in words; none knows how the gateway works
// inside: they compare what was written, what the store did, what the engines were asked and what could be seen.
import { isDeepStrictEqual } from "node:util";
import type { Approval } from "../../src/core/card.ts";
import type { Conversation, Entry } from "../../src/core/conversation.ts";
import { personKey, roomKey, type Message, type Room } from "../../src/core/message.ts";
import type { Store } from "../../src/store/port.ts";
import { digestOf } from "../../src/cards/approvals.ts";
import { replyFor } from "../../src/gateway/replies.ts";
import type { Run } from "./engine.ts";
import { OWNER, STRANGERS_ROOM, type People } from "./people.ts";
import { piecesOf, type PlayedPlatform, type Try } from "./platform.ts";
import type { Witness } from "./witness.ts";

/** One life of the gateway: until when, and how it ended. */
export type Life = { readonly from: number; until: number; end: "killed" | "stopped" | "lives" };

/** All that can be known of a history when it is over. */
export type Known = {
  readonly seen: Witness;
  readonly platform: PlayedPlatform;
  readonly people: People;
  readonly runs: readonly Run[];
  readonly lives: readonly Life[];
  readonly bought: readonly string[];
  readonly diskFailures: number;
  readonly conversations: readonly Conversation[];
  readonly logs: ReadonlyMap<string, readonly Entry[]>;
};

type Fault = string;
type Rule = (known: Known) => readonly Fault[];

/** Every rule by what it holds, in the order of a message's way. */
const RULES: Readonly<Record<string, Rule>> = {
  "a message is taken in once": ({ people, seen }) =>
    people.written.flatMap(({ n, messageId }) => {
      const entries = seen.done.flatMap((one) => one.entries);
      const count = entries.filter((entry) => entry.kind === "message" && entry.message.ids.includes(messageId)).length;
      // Typed while a question waits it is an answer: the last one, or one of several.
      const last = entries.filter((entry) => entry.kind === "answered" && entry.messageId === messageId).length;
      const step = entries.find(
        (entry) =>
          entry.kind === "asked" &&
          entry.card.kind === "question" &&
          entry.card.soFar?.answers.some((words) => new RegExp(`\\bm${n}v`).test(words)) === true,
      );
      const answers = last === 0 && step !== undefined ? 1 : last;
      return count + answers === 1 ? [] : [`m${n} became an entry ${count} times, and an answer ${answers} times`];
    }),

  "an update has its effect once": ({ seen }) =>
    [...seen.kept].flatMap(([key, { id }]) => {
      const effects = seen.done.filter(
        ({ changes, entries }) =>
          entries.length > 0 && changes.some((change) => change.do === "inbound-done" && change.ids.includes(id)),
      );
      return effects.length <= 1 ? [] : [`${key} had ${effects.length} effects`];
    }),

  "a command is carried out once": ({ people, seen }) =>
    people.ordered.flatMap(({ name, update }) => {
      const id = seen.kept.get(update)?.id ?? -1;
      const entries = seen.done.flatMap((one) =>
        one.changes.some((change) => change.do === "inbound-done" && change.ids.includes(id))
          ? one.entries.filter((entry) => entry.kind === "command")
          : [],
      );
      return entries.length === 1 ? [] : [`/${name} (${update}) was carried out ${entries.length} times`];
    }),

  "a log is whole": ({ logs }) =>
    [...logs].flatMap(([id, entries]) =>
      entries.flatMap((entry, nth) => (entry.seq === nth + 1 ? [] : [`${id} has seq ${entry.seq} at ${nth + 1}`])),
    ),

  "what was kept stays in its log": ({ seen, logs, conversations }) => {
    const there = new Set(conversations.map(({ id }) => id));
    return seen.done.flatMap(({ entries }) =>
      entries.flatMap((entry) =>
        !there.has(entry.conversation) ||
        isDeepStrictEqual(logs.get(entry.conversation)?.[entry.seq - 1], JSON.parse(JSON.stringify(entry)))
          ? []
          : [`${entry.conversation} ${entry.seq} is not what was committed`],
      ),
    );
  },

  "messages stand in the order they were written": ({ logs, people }) => {
    const moved = new Set(people.written.filter((one) => one.movedSince).map((one) => one.messageId));
    return [...logs].flatMap(([id, entries]) => {
      const ids = entries
        .flatMap((entry) => (entry.kind === "message" ? entry.message.ids : []))
        // What came by a button has no id of the platform's.
        .filter((one) => !moved.has(one) && /^\d+$/.test(one));
      return ids.every((one, nth) => nth === 0 || Number(ids[nth - 1]) < Number(one))
        ? []
        : [`${id} holds ${ids.join(" ")}`];
    });
  },

  "no chat takes another's place unasked": ({ seen }) => {
    const current = new Map<string, string>();
    const movedAt = new Map<string, number>();
    const faults: Fault[] = [];
    for (const { at, changes, deleted } of seen.done) {
      const gone = (id: string | undefined): void => {
        for (const [place, one] of current) if (one === id) current.delete(place);
      };
      gone(deleted);
      const asked = changes.some(
        (change) =>
          (change.do === "append" && change.body.kind === "command" && ["new", "archive"].includes(change.body.name)) ||
          (change.do === "inbound-done" && change.outcome === "new chat"),
      );
      for (const change of changes) {
        if (change.do === "archive") gone(change.conversation);
        else if (change.do === "move-room") {
          for (const [place, id] of current) {
            const [, platform, chat, rest = ""] = /^([^/]*)\/([^/ ]*)(.*)$/.exec(place) ?? [];
            if (platform !== change.platform || chat !== change.from) continue;
            current.delete(place);
            current.set(`${platform}/${change.to}${rest}`, id);
            movedAt.set(`${platform}/${change.to}${rest}`, at);
          }
        } else if (change.do === "open") {
          const place = `${roomKey(change.room)} ${change.person}`;
          // What was being taken in at the very moment that something shown told of a chat's new id could not know of it.
          const justMoved = at - (movedAt.get(place) ?? 0) <= COMMIT_MS;
          if (current.has(place) && !asked && !justMoved)
            faults.push(`${change.id} took the place of ${current.get(place)} in ${place}`);
          current.set(place, change.id);
        }
      }
    }
    return faults;
  },

  "the last wording is kept": ({ people, logs }) =>
    people.written.flatMap((one) => {
      if (one.versions === 1 || one.movedSince) return [];
      const log = [...logs.values()].find((entries) =>
        entries.some((entry) => entry.kind === "message" && entry.message.ids.includes(one.messageId)),
      );
      if (log === undefined) return [];
      const inPlace = log
        .flatMap((entry) => (entry.kind === "message" ? [wordsOf(entry.message, one.messageId)] : []))
        .filter((words) => words !== "");
      const edits = log.flatMap((entry) =>
        entry.kind === "edited" && entry.messageId === one.messageId
          ? [wordsOf({ parts: entry.parts }, one.messageId)]
          : [],
      );
      const last = edits.at(-1) ?? inPlace.at(-1);
      return last === `m${one.n}v${one.versions - 1}`
        ? []
        : [`m${one.n} is kept as ${last} after ${one.versions - 1} edits`];
    }),

  "every message is answered by one turn": ({ logs }) =>
    [...logs].flatMap(([id, entries]) => {
      const faults: Fault[] = [];
      let taken = 0;
      const turns = new Map<string, { upTo: number; ended: number; started: number }>();
      for (const entry of entries) {
        if (entry.kind === "turn-started") {
          const before = turns.get(entry.turn);
          if (entry.again) {
            if (before === undefined || before.ended > 0 || before.upTo !== entry.upTo)
              faults.push(`${entry.turn} runs again, but not as it did`);
            if (before !== undefined) before.started += 1;
            if ((before?.started ?? 0) > 2) faults.push(`${entry.turn} ran ${before?.started} times`);
            continue;
          }
          if (before !== undefined) faults.push(`${entry.turn} started twice`);
          if (!entries.some((one) => wakes(one) && one.seq > taken && one.seq <= entry.upTo))
            faults.push(`${entry.turn} answers nothing new`);
          for (const [turn, { ended }] of turns)
            if (ended === 0) faults.push(`${entry.turn} started while ${turn} ran`);
          turns.set(entry.turn, { upTo: entry.upTo, ended: 0, started: 1 });
          taken = Math.max(taken, entry.upTo);
        } else if ("turn" in entry && entry.kind !== "chips-gone") {
          const turn = turns.get(entry.turn);
          if (turn === undefined) faults.push(`${entry.kind} of a turn that did not start`);
          else if (turn.ended > 0) faults.push(`${entry.turn} has a ${entry.kind} after its end`);
          else if (entry.kind === "turn-ended") turn.ended += 1;
        } else if (entry.kind === "message" && entry.message.from.role !== "owner")
          faults.push(`a message of ${entry.message.from.role}`);
      }
      for (const [turn, { ended }] of turns) if (ended !== 1) faults.push(`${turn} ended ${ended} times`);
      for (const entry of entries)
        if (wakes(entry) && entry.seq > taken) faults.push(`the message at ${entry.seq} was never answered`);
      return faults.map((fault) => `${id}: ${fault}`);
    }),

  "an engine is asked once, or once more after a crash": ({ runs, lives, people, diskFailures, seen }) => {
    const carrying = carryingOf({ seen });
    const faults: Fault[] = [];
    const byTurn = Map.groupBy(runs, (run) => run.turn);
    for (const [turn, mine] of byTurn) {
      const inLives = new Set(mine.map((run) => run.life));
      if (mine.length > 2) faults.push(`${turn} was run ${mine.length} times`);
      if (mine.slice(0, -1).some((run) => run.engine === "own"))
        faults.push(`${turn} was run again after it may have acted`);
      if (mine.length > 1 && inLives.size < mine.length && diskFailures === 0)
        faults.push(`${turn} was run twice in one life`);
      for (const run of mine.slice(0, -1))
        if (lives[run.life - 1]?.end === "lives" && diskFailures === 0)
          faults.push(`${turn} was run again without a crash`);
    }
    for (const { n } of people.written) {
      // A request that goes on is asked again, as it was typed.
      const asked = runs.filter((run) => !carrying.has(run.turn) && new RegExp(`\\bm${n}v`).test(run.prompt));
      const turns = new Set(asked.map((run) => run.turn));
      if (turns.size > 1) faults.push(`m${n} was asked in ${[...turns].join(" and ")}`);
    }
    return faults;
  },

  "a turn is asked the wording of its start": ({ runs, logs, seen }) =>
    runs.flatMap((run) => {
      if (carryingOf({ seen }).has(run.turn)) return [];
      const log = logs.get(run.conversation) ?? [];
      // Of two starts of one turn, the one that this run belongs to can't be told; what held at the first holds for both.
      const start = log.find((entry) => entry.kind === "turn-started" && entry.turn === run.turn)?.seq ?? 0;
      return log.flatMap((entry) => {
        if (entry.kind !== "edited" || entry.seq > start) return [];
        const [, n, version] = /^m(\d+)v(\d+)$/.exec(wordsOf({ parts: entry.parts }, entry.messageId)) ?? [];
        const [, asked] = new RegExp(`\\bm${n}v(\\d+)`).exec(run.prompt) ?? [];
        return asked === undefined || Number(asked) >= Number(version)
          ? []
          : [`${run.turn} was asked m${n}v${asked} after its edit to v${version}`];
      });
    }),

  "a new chat knows nothing of the one before": ({ runs, logs }) =>
    runs.flatMap((run) => {
      const log = logs.get(run.conversation);
      if (log === undefined) return [];
      const mine = new Set(
        log
          .flatMap((entry): readonly string[] => {
            const parts = entry.kind === "message" ? entry.message.parts : entry.kind === "edited" ? entry.parts : [];
            // What was typed as an answer that came late is told as such.
            const late = entry.kind === "resumed" && entry.answer.to === "question" ? (entry.answer.given ?? "") : "";
            return [late, ...parts.flatMap((part) => (part.kind === "text" ? [part.text] : []))];
          })
          .flatMap((text) => text.match(/\bm\d+v/g) ?? []),
      );
      return (`${run.prompt}\n${run.history}`.match(/\bm\d+v/g) ?? []).flatMap((word) =>
        mine.has(word) ? [] : [`${run.turn} was told ${word} of another chat`],
      );
    }),

  "an act runs only with the owner's leave": ({ bought, seen }) => {
    const rooms = roomsOf({ seen });
    const held = heldOf({ seen });
    const acted = new Map<string, number>();
    const faults = [...entriesOf({ seen })].flatMap(([id, entries]) => {
      const faults: Fault[] = [];
      const asked = new Map<string, Approval>();
      /** What was allowed once and not used yet: turn, tool and the digest of the arguments. */
      const once: string[] = [];
      /** The same of what was allowed when no turn waited for it any more: for any turn, until other words came in. */
      const later: string[] = [];
      const always = new Set<string>();
      let marked = false;
      for (const entry of entries) {
        if (entry.kind === "marked") {
          marked = true;
          later.length = 0;
        }
        if (entry.kind === "asked" && entry.card.kind === "approval") asked.set(entry.card.id, entry.card);
        if (entry.kind === "answered" && (entry.took === "once" || entry.took === "always")) {
          const card = asked.get(entry.card);
          if (card === undefined) faults.push(`${entry.card} was answered before it was asked`);
          else if (entry.by !== personKey({ platform: "sim", id: OWNER.id }))
            faults.push(`${entry.card} was allowed by ${entry.by}`);
          else {
            if (held.has(card.id)) later.push(`${card.tool} ${card.digest}`);
            else once.push(`${card.turn} ${card.tool} ${card.digest}`);
            if (entry.took === "always") always.add(card.tool);
          }
        }
        if (entry.kind !== "tool-start" || entry.by !== "gateway" || entry.effect !== "act") continue;
        acted.set(entry.turn, (acted.get(entry.turn) ?? 0) + 1);
        const { call, turn } = entry;
        const leave = once.indexOf(`${turn} ${call.name} ${digestOf(call)}`);
        const kept = later.indexOf(`${call.name} ${digestOf(call)}`);
        if (leave !== -1) once.splice(leave, 1);
        else if (kept !== -1) later.splice(kept, 1);
        else if (marked || !always.has(call.name)) faults.push(`${call.name} ran in ${turn} without leave`);
        if (rooms.get(id)?.kind !== "private") faults.push(`${call.name} ran in ${turn} where others read along`);
      }
      return faults;
    });
    for (const [turn, times] of Map.groupBy(bought, (one) => one))
      if (times.length > (acted.get(turn) ?? 0)) faults.push(`what acts ran in ${turn} and is not in its log`);
    return faults;
  },

  "an approval is answered once": ({ seen, conversations }) => {
    const there = new Set(conversations.map(({ id }) => id));
    return [...entriesOf({ seen })].flatMap(([id, entries]) =>
      entries.flatMap((entry) => {
        if (entry.kind !== "asked" || entry.card.kind !== "approval") return [];
        const { id: asked, number } = entry.card;
        const answers = entries.filter((one) => one.kind === "answered" && one.card === asked);
        const over = answers.length === 1 || (answers.length === 0 && !there.has(id));
        return over ? [] : [`no. ${number} of ${id} was answered ${answers.length} times`];
      }),
    );
  },

  "a question is answered once": ({ seen, conversations }) => {
    const there = new Set(conversations.map(({ id }) => id));
    return [...entriesOf({ seen })].flatMap(([id, entries]) =>
      [...cardsOf(entries, "question")].flatMap((card) => {
        const answers = entries.filter((one) => one.kind === "answered" && one.card === card).length;
        return answers === 1 || (answers === 0 && !there.has(id)) ? [] : [`${card} was answered ${answers} times`];
      }),
    );
  },

  "what outlived its turn is answered by one turn more, or by none": ({ seen }) => {
    const held = heldOf({ seen });
    return [...entriesOf({ seen })].flatMap(([id, entries]) =>
      entries.flatMap((entry) => {
        if (entry.kind === "resumed")
          return held.has(entry.card) ? [] : [`${id} goes on with ${entry.card}, whose turn waited for it`];
        if (entry.kind !== "answered" || !held.has(entry.card)) return [];
        const times = entries.filter((one) => one.kind === "resumed" && one.card === entry.card).length;
        const due = entry.by === "gateway" ? 0 : 1;
        return times === due ? [] : [`${entry.card} was answered by ${entry.by}, and ${id} goes on ${times} times`];
      }),
    );
  },

  "what is carried on was taken, and goes on once": ({ seen }) =>
    [...entriesOf({ seen })].flatMap(([id, entries]) => {
      const taken = entries.filter((one) => one.kind === "answered" && one.offer === "accepted").length;
      const goesOn = entries.filter((one) => one.kind === "carried-on").length;
      return taken === goesOn ? [] : [`${id} took ${taken} offers and goes on with ${goesOn}`];
    }),

  "what stands open is the newest there": ({ logs, conversations }) =>
    conversations.flatMap(({ id, stands, archived }) => {
      const entries = logs.get(id) ?? [];
      const faults: Fault[] = [];
      const open = new Map<string, number>();
      for (const entry of entries) {
        if (entry.kind === "text" && entry.chips !== undefined) open.set(`${entry.turn}:${entry.part}`, entry.seq);
        if (entry.kind === "chips-gone") open.delete(`${entry.turn}:${entry.part}`);
        if (entry.kind === "asked" && entry.card.kind === "offer") open.set(entry.card.id, entry.seq);
        if (entry.kind === "answered") open.delete(entry.card);
      }
      for (const [key, seq] of open) {
        if (seq !== stands) faults.push(`${key} of ${id} is open, but ${stands} stands`);
        if (archived) faults.push(`${key} of ${id} is open, and the chat is put away`);
        const newer = entries.filter((one) => one.seq > seq && (wakes(one) || one.kind === "turn-started"));
        if (newer.length > 0) faults.push(`${key} of ${id} is open behind ${newer.map((one) => one.kind).join(" ")}`);
      }
      if (stands !== undefined && ![...open.values()].includes(stands))
        faults.push(`${stands} of ${id} stands, and is over`);
      return faults;
    }),

  "a plan is folded once, at its turn's end": ({ logs }) =>
    [...logs].flatMap(([id, entries]) => {
      const plans = Map.groupBy(
        entries.flatMap((entry) => (entry.kind === "plan" ? [entry] : [])),
        ({ turn }) => turn,
      );
      return [...plans].flatMap(([turn, mine]) => {
        const end = entries.find((one) => one.kind === "turn-ended" && one.turn === turn);
        // One that a crash cut off is folded where it is shown.
        if (end?.kind !== "turn-ended" || end.reason === "interrupted") return [];
        const folded = mine.filter((one) => one.folded === true);
        return folded.length === 1 && mine.at(-1) === folded[0]
          ? []
          : [`${turn} of ${id} folded its plan ${folded.length} times`];
      });
    }),

  "what can be pressed is what stands": (known) => {
    const keys = keysOf(known);
    const copies = Map.groupBy(known.platform.standing, ({ nonce }) => keys.get(nonce));
    return lastShows(known).flatMap(({ key, index, text, presses }) => {
      const mine = (copies.get(`${key} ${index}`) ?? []).filter((one) => one.versions.at(-1)?.text === text);
      const same = mine.some((one) => isDeepStrictEqual(one.versions.at(-1)?.presses, presses));
      return mine.length === 0 || same ? [] : [`${key}/${index} has other buttons than it should have`];
    });
  },

  "someone else's words are marked before they come in": ({ seen }) => {
    const rooms = roomsOf({ seen });
    return [...entriesOf({ seen })].flatMap(([id, entries]) => {
      const faults: Fault[] = [];
      if (rooms.get(id)?.kind === "shared" && entries[0]?.kind !== "marked")
        faults.push(`${id} is shared and begins without a mark`);
      const marks = new Set<string>();
      for (const entry of entries) {
        if (entry.kind === "marked" && entry.taint.kind === "person") marks.add(entry.taint.source);
        if (entry.kind !== "message") continue;
        for (const { origin } of entry.message.parts)
          if (origin.kind === "forwarded" && !marks.has(`sim/${origin.id}`))
            faults.push(`${id} has the words of ${origin.id} at ${entry.seq}, and no mark before them`);
      }
      return faults;
    });
  },

  "an engine with tools of its own is the owner's alone": ({ seen, runs }) => {
    const rooms = roomsOf({ seen });
    return runs.flatMap((run) =>
      run.engine === "own" && rooms.get(run.conversation)?.kind !== "private"
        ? [`${run.turn} was run by it where others read along`]
        : [],
    );
  },

  "where an engine may not answer, that is said": ({ seen, runs }) => {
    const rooms = roomsOf({ seen });
    const asked = new Set(runs.map((run) => run.turn));
    return [...entriesOf({ seen })].flatMap(([id, entries]) =>
      entries.flatMap((entry) => {
        if (entry.kind !== "turn-ended" || entry.code !== "engine-not-locked") return [];
        const start = entries.find((one) => one.kind === "turn-started" && one.turn === entry.turn);
        const refused = start?.kind === "turn-started" && start.engine === "own" && !asked.has(entry.turn);
        return refused && rooms.get(id)?.kind === "shared" && entry.words !== undefined
          ? []
          : [`${entry.turn} was refused, and should not have been`];
      }),
    );
  },

  "stop stops": ({ seen, runs, lives }) =>
    seen.done.flatMap(({ at, life, changes }) => {
      const stops = changes.some(
        (change) => change.do === "inbound-done" && (change.outcome === "/stop" || change.outcome === "/new"),
      );
      const conversations = changes.flatMap((change) =>
        change.do === "append" && change.body.kind === "command" ? [change.conversation] : [],
      );
      if (!stops) return [];
      return runs.flatMap((run) => {
        // /new stops the turn of the chat before it, and that one is named by its command's entry too.
        if (run.life !== life || !conversations.includes(run.conversation) || run.startedAt > at - 1000) return [];
        const until = run.endedAt ?? lives[life - 1]?.until ?? 0;
        return until > at + 3000 ? [`${run.turn} went on for ${until - at} ms after it was to stop`] : [];
      });
    }),

  "what stands in the log is seen": (known) => {
    const { platform } = known;
    const keys = keysOf(known);
    const copies = Map.groupBy(platform.standing, ({ nonce }) => keys.get(nonce));
    const tries = Map.groupBy(platform.tries, ({ nonce }) => keys.get(nonce));
    return lastShows(known).flatMap(({ key, index, text, weight }) => {
      const mine = copies.get(`${key} ${index}`) ?? [];
      if (mine.some((one) => one.versions.at(-1)?.text === text)) return [];
      // A life may have ended, or the disk failed, between noting an attempt and making it: that too is not known afterwards.
      const cuts = known.lives.length - 1 + known.diskFailures;
      const unknown = (tries.get(`${key} ${index}`) ?? []).filter((one) => !one.edit && isUnknown(one)).length + cuts;
      // Of fates unknown, a notice is given up at the first and everything else at the third; it must have been given up knowingly.
      const gaveUp = known.seen.done.some(({ changes }) =>
        changes.some(
          (change) =>
            change.do === "outgoing" && change.to.detail === GIVEN_UP && rowOf(known, change.id) === `${key} ${index}`,
        ),
      );
      if (gaveUp && unknown >= (weight === "notice" ? 1 : 3)) return [];
      return [
        `${key}/${index} is not seen as ${JSON.stringify(text)} but as ${JSON.stringify(mine.map((one) => one.versions.at(-1)?.text))}`,
      ];
    });
  },

  "nothing is shown twice unmarked": (known) => {
    const { platform, lives, diskFailures } = known;
    const keys = keysOf(known);
    // What one planned row put there: each row has a nonce of its own.
    const tries = Map.groupBy(platform.tries, ({ nonce }) => nonce);
    return [...Map.groupBy(platform.standing, ({ nonce }) => nonce)].flatMap(([nonce, mine]) => {
      const goneEdits = (tries.get(nonce) ?? []).filter((one) => one.goneEdit === true).length;
      const unknown =
        (tries.get(nonce) ?? []).filter((one) => !one.edit && isUnknown(one)).length + lives.length - 1 + diskFailures;
      const unmarked = mine.filter((one) => one.versions[0]?.repeat !== true).length;
      const marked = mine.length - unmarked;
      const key = keys.get(nonce);
      return [
        ...(unmarked > 1 + goneEdits ? [`${key} stands there ${unmarked} times without a mark`] : []),
        ...(marked > Math.min(unknown, 2)
          ? [`${key} is repeated ${marked} times, but its fate was unknown ${unknown} times`]
          : []),
      ];
    });
  },

  "a row is planned, attempted, then over": ({ seen }) => {
    const next: Readonly<Record<string, readonly string[]>> = {
      planned: ["attempting", "refused"],
      attempting: ["planned", "shown", "refused", "unknown"],
      unknown: ["planned", "shown", "refused"],
    };
    const states = new Map<number, string>();
    return seen.done.flatMap(({ changes, rows }) => {
      for (const row of rows) states.set(row.id, row.state);
      return changes.flatMap((change) => {
        if (change.do !== "outgoing") return [];
        const before = states.get(change.id) ?? "";
        states.set(change.id, change.to.state);
        return before === change.from.state && next[before]?.includes(change.to.state) === true
          ? []
          : [`row ${change.id} went from ${before} to ${change.to.state}`];
      });
    });
  },

  "an attempt is noted before it is made": ({ seen, platform }) => {
    const nonces = new Map(seen.done.flatMap(({ rows }) => rows.map((row) => [row.nonce, row.id] as const)));
    const attempts = seen.done.flatMap(({ changes }) =>
      changes.flatMap((change) => (change.do === "outgoing" && change.to.state === "attempting" ? [change.id] : [])),
    );
    return [...Map.groupBy(platform.tries, ({ nonce }) => nonce)].flatMap(([nonce, tries]) => {
      const row = nonces.get(nonce);
      // What is no row is an edit of a draft, and of a card whose chat is gone.
      if (row === undefined) return tries.some((one) => !one.edit) ? [`${nonce} was shown, but never planned`] : [];
      const noted = attempts.filter((id) => id === row).length;
      return tries.length <= noted ? [] : [`row ${row} was tried ${tries.length} times, and ${noted} were noted`];
    });
  },

  "the platform's wait is kept": ({ platform }) =>
    platform.tries.flatMap((asked) => {
      const { waitUntil, toldAt } = asked;
      if (waitUntil === undefined || toldAt === undefined) return [];
      const chat = asked.room.split("/")[1];
      return platform.tries.flatMap((one) =>
        one.gate === asked.gate &&
        one.room.split("/")[1] === chat &&
        one.begunAt > toldAt + COMMIT_MS &&
        one.begunAt < waitUntil
          ? [`${one.key} was tried ${waitUntil - one.begunAt} ms too early`]
          : [],
      );
    }),

  "a message is planned once": ({ seen }) => {
    const begun = begunOf({ seen });
    const rows = seen.done
      .flatMap(({ rows }) => rows)
      .filter((row) => row.weight === "final" || row.weight === "notice");
    return [...Map.groupBy(rows, (row) => `${row.key} ${row.index}`)].flatMap(([key, mine]) => {
      // A second try first takes back what the first one said, and then says it anew.
      if (key.startsWith("plan/")) return [];
      // What a turn is at is one line that is edited as it goes.
      if (key.startsWith("outside/passing/doing/")) return [];
      const most = (begun.get(key.split(":")[0] ?? "") ?? 1) > 1 ? 3 : 1;
      return mine.length > most ? [`${key} was planned ${mine.length} times`] : [];
    });
  },

  "answers are seen in the order of the log": ({ platform, seen }) => {
    const planned = new Map(seen.done.flatMap(({ rows }) => rows.map((row) => [row.nonce, row] as const)));
    // A second try edits what the first one left where it stands.
    const begun = begunOf({ seen });
    const firsts = new Map<string, { readonly storedAt: number; readonly place: number; readonly room: string }>();
    for (const one of platform.tries) {
      const row = planned.get(one.nonce);
      if (row?.weight !== "final" || firsts.has(one.nonce) || (begun.get(row.key.split(":")[0] ?? "") ?? 1) > 1)
        continue;
      // What was stored long after it was given up may come when it likes.
      if (platform.tries.some((other) => other.nonce === one.nonce && isUnknown(other))) continue;
      if (one.storedAt !== undefined)
        firsts.set(one.nonce, {
          storedAt: one.storedAt,
          place: row.place * 1000 + row.index,
          room: roomKey(row.room),
        });
    }
    return [...Map.groupBy(firsts.values(), (one) => one.room)].flatMap(([room, shown]) => {
      const sorted = shown.toSorted((a, b) => a.storedAt - b.storedAt);
      return sorted.every((one, nth) => nth === 0 || (sorted[nth - 1]?.place ?? 0) < one.place)
        ? []
        : [`in ${room} the order is ${sorted.map((one) => one.place).join(" ")}`];
    });
  },

  "no draft comes after its answer": ({ platform, seen }) => {
    const turns = begunOf({ seen });
    const finals = new Set(
      seen.done.flatMap(({ rows }) => rows.flatMap((row) => (row.weight === "final" ? [row.nonce] : []))),
    );
    const begun = new Map<string, number>();
    for (const one of platform.tries) if (finals.has(one.nonce) && !begun.has(one.key)) begun.set(one.key, one.nth);
    return platform.hints.flatMap(({ key, nth }) => {
      // A second try has drafts of its own, after what the first one said.
      const again = (turns.get(key.split(":")[0] ?? "") ?? 1) > 1;
      return !again && nth > (begun.get(key) ?? nth) ? [`a draft of ${key} came after it`] : [];
    });
  },

  "a choice has one winner": ({ seen }) => {
    const claims = seen.done.flatMap(({ changes }) =>
      changes.flatMap((change) => (change.do === "claim" ? [change.key] : [])),
    );
    const answers = seen.done.flatMap(({ entries }) =>
      entries.flatMap((entry) => (entry.kind === "answered" ? [entry.card] : [])),
    );
    return [...twice(claims), ...twice(answers)].map((key) => `${key} was taken twice`);
  },

  "a stranger meets silence": ({ platform, people, runs, seen, logs }) => {
    const heard = [
      ...runs.map((run) => `${run.prompt}\n${run.history}`),
      ...[...logs.values()].map((entries) => JSON.stringify(entries)),
    ];
    return [
      ...people.unheard.filter((word) => heard.some((text) => text.includes(word))).map((word) => `${word} was heard`),
      ...platform.standing
        .filter((one) => one.room.chat === STRANGERS_ROOM.chat)
        .map((one) => `${one.ref} is in the stranger's room`),
      // Whoever presses what is not theirs is told just that.
      ...platform.answers
        .filter(({ ref, words }) => people.strangersPresses.includes(ref) && words !== NOT_YOURS)
        .map(({ ref, words }) => `${ref} was answered: ${words}`),
      ...seen.done.flatMap(({ changes }) =>
        changes.flatMap((change) =>
          change.do === "know" && change.known.kind === "person" ? [`${change.known.id} became known`] : [],
        ),
      ),
    ];
  },

  "a press is answered": ({ platform, people, lives }) => {
    // Losing the answer is harmless, and a crash may; in a life without an end nothing excuses it.
    if (lives.length > 1) return [];
    const answered = new Set(platform.answers.map(({ ref }) => ref));
    return people.presses.flatMap((ref) => (answered.has(ref) ? [] : [`${ref} was never answered`]));
  },
};

const NOT_YOURS = "That button isn't for you.";

/** The rule that `leftovers` holds. */
const LEFT_OVER = "nothing is left over";

/** What is left over when nothing goes on any more. */
export async function leftovers(store: Store): Promise<readonly Fault[]> {
  const open = await store.outbox.open();
  const pending = await store.inbound.pending("sim");
  const unsettled = await store.conversations.unsettled();
  return [
    ...open.map((row) => `row ${row.id} of ${row.key} is still ${row.state}`),
    ...pending.map((row) => `${row.key} is still not done`),
    ...unsettled.map((one) => `${one.conversation} is still unsettled`),
  ].map((fault) => `${LEFT_OVER}: ${fault}`);
}

/** The faults of a history, each with the rule that it breaks. */
export function check(known: Known): readonly string[] {
  return Object.entries(RULES).flatMap(([name, rule]) => rule(known).map((fault) => `${name}: ${fault}`));
}

/** What the gateway notes of a row that it gives up because nobody can say whether it was shown. */
const GIVEN_UP = "nobody can say whether it was shown";

/** A try that was being noted when another thread of its chat was asked to wait can't be called back. */
const COMMIT_MS = 20;

type LastShow = {
  readonly key: string;
  readonly index: number;
  readonly text: string;
  readonly presses: readonly string[];
  readonly weight: string;
};

/** What each key should show in the end, piece by piece. */
function lastShows(known: Known): readonly LastShow[] {
  const shows = new Map<string, readonly LastShow[]>();
  for (const conversation of known.conversations) {
    for (const entry of known.logs.get(conversation.id) ?? []) {
      // A second try takes back what the first one said.
      if (entry.kind === "turn-started" && entry.again)
        for (const key of [...shows.keys()]) if (key.startsWith(`${entry.turn}:`)) shows.delete(key);
      const plan =
        entry.kind === "turn-ended" && entry.reason === "interrupted"
          ? known.logs.get(conversation.id)?.findLast((one) => one.kind === "plan" && one.turn === entry.turn)
          : undefined;
      const folded: readonly Entry[] = plan?.kind === "plan" ? [{ ...plan, folded: true }] : [];
      for (const one of [...folded, entry]) {
        const shown = replyFor(one, conversation);
        if (shown === undefined) continue;
        const pieces = piecesOf(shown.reply).map((piece, index) => ({
          key: shown.reply.key,
          index,
          text: piece.plain,
          presses: (piece.body as { readonly presses: readonly string[] }).presses,
          weight: shown.weight,
        }));
        shows.set(shown.reply.key, pieces);
      }
    }
  }
  return [...shows.values()].flat();
}

function rowOf(known: Known, id: number): string | undefined {
  for (const { rows } of known.seen.done) for (const row of rows) if (row.id === id) return `${row.key} ${row.index}`;
  return undefined;
}

function wordsOf(message: Pick<Message, "parts">, messageId: string): string {
  return message.parts
    .flatMap((part) => (part.kind === "text" && part.messageId === messageId ? [part.text] : []))
    .join("\n");
}

/** What each planned row shows, by the row's nonce: its key and index. */
function keysOf({ seen }: Pick<Known, "seen">): ReadonlyMap<string, string> {
  return new Map(seen.done.flatMap(({ rows }) => rows.map((row) => [row.nonce, `${row.key} ${row.index}`] as const)));
}

/** All that was ever appended to each conversation, in order, also where it is deleted by now. */
function entriesOf({ seen }: Pick<Known, "seen">): ReadonlyMap<string, readonly Entry[]> {
  const entries = seen.done.flatMap((one) => one.entries).toSorted((a, b) => a.seq - b.seq);
  return Map.groupBy(entries, (entry) => entry.conversation);
}

/** Where each conversation was opened. */
function roomsOf({ seen }: Pick<Known, "seen">): ReadonlyMap<string, Room> {
  const opened = seen.done.flatMap(({ changes }) =>
    changes.flatMap((change) => (change.do === "open" ? [[change.id, change.room] as const] : [])),
  );
  return new Map(opened);
}

/** What a turn answers. */
function wakes({ kind }: Pick<Entry, "kind">): boolean {
  return kind === "message" || kind === "carried-on" || kind === "resumed";
}

/** The cards that no turn waited for any more. */
function heldOf({ seen }: Pick<Known, "seen">): ReadonlySet<string> {
  const names = seen.done.flatMap(({ changes }) =>
    changes.flatMap((change) => (change.do === "cursor" && change.value !== "" ? [change.name] : [])),
  );
  return new Set(names.filter((name) => name.startsWith("held/")).map((name) => name.split("/").at(-1) ?? ""));
}

/** The turns that answer a request that goes on. */
function carryingOf({ seen }: Pick<Known, "seen">): ReadonlySet<string> {
  const turns = [...entriesOf({ seen }).values()].flatMap((entries) => {
    let taken = 0;
    return entries.flatMap((entry) => {
      if (entry.kind !== "turn-started") return [];
      const from = taken;
      taken = Math.max(taken, entry.upTo);
      const goesOn = entries.some(({ kind, seq }) => kind === "carried-on" && seq > from && seq <= entry.upTo);
      return goesOn ? [entry.turn] : [];
    });
  });
  return new Set(turns);
}

/** The cards of a kind that were asked, each once. */
function cardsOf(entries: readonly Entry[], kind: "question" | "offer"): ReadonlySet<string> {
  return new Set(
    entries.flatMap((entry) => (entry.kind === "asked" && entry.card.kind === kind ? [entry.card.id] : [])),
  );
}

/** How often each turn was begun. */
function begunOf({ seen }: Pick<Known, "seen">): ReadonlyMap<string, number> {
  const begun = seen.done.flatMap(({ entries }) =>
    entries.flatMap((entry) => (entry.kind === "turn-started" ? [entry.turn] : [])),
  );
  return new Map([...Map.groupBy(begun, (turn) => turn)].map(([turn, times]) => [turn, times.length]));
}

function isUnknown(one: Try): boolean {
  return one.told === undefined || one.told === "unknown";
}

function twice(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, nth) => values.indexOf(value) !== nth))];
}

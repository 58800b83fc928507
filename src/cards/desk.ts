// Every offer passes here, the assistant's and the cues': one list of reasons why none is shown.
import type { Offer, OfferAct, TargetKind } from "../core/card.ts";
import type { EngineAbilities } from "../core/engine.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Attendance } from "../core/taint.ts";
import { clipUnits, isVisible, oneLine } from "../core/text.ts";
import type { Catalog, Item } from "../catalog/port.ts";
import type { Store } from "../store/port.ts";
import { couldBeOn, cueFor, wordsOf } from "./cues.ts";
import { connectedSection, mapSection, notConnectedSection } from "./map.ts";
import { mutedKey, readMutes } from "./mutes.ts";
import { offeredKey } from "./offers.ts";

/** What the desk goes by in one turn. */
export type OfferTurn = {
  readonly conversation: string;
  readonly turn: string;
  readonly attendance: Attendance;
  readonly room: "private" | "shared";
  readonly engine: EngineAbilities;
  /** What the person last typed, exactly: own words only. */
  readonly words: string;
  /** Whether the chat holds words from outside by now; undefined: can't be told. */
  readonly clean: () => Promise<boolean | undefined>;
};

export type DeskParts = { readonly catalog: Catalog; readonly store: Store; readonly surroundings: Surroundings };

/** What came of a proposal: an offer to be shown under the reply, or why none is, in words for the model. */
export type Proposed =
  | { readonly is: "offer"; readonly offer: Offer; readonly words: string }
  | { readonly is: "none"; readonly reason: string; readonly words: string };

/** The offers of one turn. */
export type TurnDesk = {
  /** What the system text says of apps and skills; empty where there is nothing to say. */
  readonly sections: readonly string[];
  propose(target: { readonly kind: TargetKind; readonly id: string }, why: string, by: Offer["by"]): Promise<Proposed>;
  /** The offer that the person's own words call for, if any. */
  cue(): Promise<Offer | undefined>;
};

/** All that is known of a proposal. */
type Facts = {
  readonly turn: OfferTurn;
  readonly by: Offer["by"];
  readonly item: Item | undefined;
  readonly reached: boolean;
  readonly muted: boolean;
  readonly offered: boolean;
  /** This turn has one already. */
  readonly second: boolean;
  readonly clean: boolean | undefined;
};

const KEY_BYTES = 9;
const MAX_ID = 64;
const MAX_NAME = 80;
const MAX_DESCRIPTION = 300;
const MAX_WHY = 200;
/** A longer request is not cut: what goes on is what was typed. */
const MAX_REQUEST = 4_000;

/** Why none is shown, the first that holds. */
const REASONS: readonly {
  readonly code: string;
  readonly holds: (facts: Facts) => boolean;
  readonly words: string;
}[] = [
  {
    code: "nobody",
    holds: ({ turn }) => turn.attendance === "nobody",
    words: "Nobody is here who could take it up. Do what can be done without it.",
  },
  {
    code: "guest",
    holds: ({ turn }) => turn.attendance !== "owner",
    words: "The owner did not ask this, and only the owner turns things on. Answer without it.",
  },
  {
    code: "shared",
    holds: ({ turn }) => turn.room !== "private",
    words: "Others are in this room. The owner turns things on in their private chat. Answer without it.",
  },
  {
    code: "unknown",
    holds: ({ item }) => item === undefined || item.id.length > MAX_ID,
    words: "There is nothing of that name to offer. Offer only what is listed, by its id.",
  },
  {
    code: "on",
    holds: ({ item }) => item?.state === "on",
    words: "It is on already: use it.",
  },
  {
    code: "retired",
    holds: ({ item }) => item?.state === "retired",
    words: "It is no longer offered. Answer without it.",
  },
  {
    code: "reached",
    holds: ({ reached }) => reached,
    words: "You reach that app by yourself: use it.",
  },
  {
    code: "unusable",
    holds: ({ item }) => item === undefined || !couldBeOn(item),
    words: "It can't be turned on by a card now; the person finds out why with /apps or /skills. Answer without it.",
  },
  {
    code: "muted",
    holds: ({ muted }) => muted,
    words: "The person doesn't want it suggested. Don't bring it up. Answer without it.",
  },
  {
    code: "offered",
    holds: ({ offered }) => offered,
    words: "It was offered in this chat before. Don't bring it up again. Answer without it.",
  },
  {
    code: "second",
    holds: ({ second }) => second,
    words: "One card stands under this reply already, and a reply has one. Answer as far as you can.",
  },
  {
    code: "outside",
    holds: ({ by, clean }) => by === "assistant" && clean !== true,
    words: "This chat holds words from outside, so you offer nothing here. Answer without it.",
  },
  {
    code: "no-request",
    holds: ({ turn }) => !isVisible(turn.words),
    words: "The person typed nothing themselves that could go on. Answer without it.",
  },
  {
    code: "long-request",
    holds: ({ turn }) => turn.words.length > MAX_REQUEST,
    words: `What the person typed is too long for a card to go on with (over ${MAX_REQUEST} characters). Say in a sentence that it could be turned on with /apps or /skills.`,
  },
];

const STANDS =
  "A card that offers it stands under your reply when that ends. Answer now as far as you can without it, and don't explain how to set it up. If the person takes it up, you are asked to carry on with their request.";

/** Opens the desk for one turn. What is muted is read once. */
export async function openTurnDesk({ catalog, store, surroundings }: DeskParts, turn: OfferTurn): Promise<TurnDesk> {
  const { items } = catalog;
  const muted = await readMutes(store.settings);
  const reaches = turn.engine.reaches ?? [];
  const isReached = ({ kind, id }: Item): boolean => kind === "app" && reaches.includes(id);
  const called = (): Item | undefined => cueFor(turn.words, items, (item) => !isReached(item));
  let second = false;

  const propose: TurnDesk["propose"] = async (target, why, by) => {
    const item = items.find(({ kind, id }) => kind === target.kind && id === target.id);
    const [claim, clean] = await Promise.all([
      store.records.claim(offeredKey(turn.conversation, target)),
      turn.clean(),
    ]);
    const facts: Facts = {
      ...{ turn, by, item, second, clean },
      reached: item !== undefined && isReached(item),
      muted: muted.has(mutedKey(target)),
      offered: claim !== undefined,
    };
    // From here on nothing is waited for: of two proposals at once the other is the second.
    const reason = REASONS.find(({ holds }) => holds(facts));
    if (reason !== undefined || item === undefined)
      return { is: "none", reason: reason?.code ?? "unknown", words: reason?.words ?? "" };
    second = true;
    return { is: "offer", offer: offerOf(item, why, by, turn, surroundings), words: STANDS };
  };

  return {
    sections: sectionsOf(items, muted, reaches, turn, called),
    propose,
    async cue() {
      const said = wordsOf(turn.words);
      // Asked for by its name it is used as it is.
      const isAskedFor = ({ state, id, name }: Item): boolean =>
        turn.engine.tools &&
        state === "asked" &&
        [id, name].map(wordsOf).some((one) => one !== "" && said.includes(one));
      const may = (one: Item): boolean => !isReached(one) && !isAskedFor(one) && !muted.has(mutedKey(one));
      const item = cueFor(turn.words, items, may);
      if (item === undefined) return undefined;
      const proposed = await propose(item, CUE_WHY, "cue");
      return proposed.is === "offer" ? proposed.offer : undefined;
    },
  };
}

const CUE_WHY = "your message sounds like a job for it";

/** Only the owner, in private, can turn anything on; and only an engine with tools has any of it. */
function sectionsOf(
  items: readonly Item[],
  muted: ReadonlySet<string>,
  reaches: readonly string[],
  { attendance, room, engine, words }: OfferTurn,
  called: () => Item | undefined,
): readonly string[] {
  if (attendance !== "owner" || room !== "private" || !engine.tools) return [];
  const map = mapSection({ items, muted, reaches, words });
  return [connectedSection(items), notConnectedSection(called()), map.text].filter((text) => text !== "");
}

function offerOf(
  item: Item,
  why: string,
  by: Offer["by"],
  { turn, words }: OfferTurn,
  { random }: Surroundings,
): Offer {
  const { kind, id, name, tagline, about, may } = item;
  return {
    kind: "offer",
    id: random.key(KEY_BYTES),
    turn,
    target: { kind, id, name: capped(name, MAX_NAME) || id },
    description: capped(about, MAX_DESCRIPTION) || capped(tagline, MAX_DESCRIPTION),
    why: capped(why, MAX_WHY),
    by,
    resume: { request: words },
    may: may.map((line) => capped(line, MAX_DESCRIPTION)),
    options: buttonsOf(item).map(([act, label]) => ({ act, label, key: random.key(KEY_BYTES) })),
  };
}

/** A further kind of thing to offer has its buttons here. */
function buttonsOf({ kind, state }: Item): readonly (readonly [act: OfferAct, label: string])[] {
  const away = [
    ["not-now", "Not now"],
    ["mute", "Don't suggest"],
  ] as const;
  if (kind === "app") return [["take", "Connect"], ["details", "Details"], ...away];
  if (state === "asked") return [["use", "Use it"], ["always", "Always"], ...away];
  return [["take", "Turn on"], ...away];
}

function capped(text: string, maxUnits: number): string {
  return clipUnits(oneLine(text), maxUnits, "…");
}

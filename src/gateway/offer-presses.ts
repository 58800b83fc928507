// Taking an offer: turn it on, claim, log, and carry the request on, once.
//
//   press ─→ on already ─────────────────────────────→ accept: claim + answered + carried-on, one transaction ─→ queue
//        └→ connecting ─→ attempt ─┬→ on ───────────────┘ ↑
//                                  ├→ sign-in … the person comes back, also after a restart
//                                  └→ failed, in words, to be tried again
import type { Offer, OfferAct, TargetKind } from "../core/card.ts";
import type { PressAnswer } from "../core/channel.ts";
import type { Conversation } from "../core/conversation.ts";
import { asGatewayError } from "../core/error.ts";
import { personKey, type Person } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { escapeMarkdown, oneLine } from "../core/text.ts";
import type { Catalog, Item, ItemState, TurnedOn } from "../catalog/port.ts";
import { mute, mutedKey } from "../cards/mutes.ts";
import { closeOpen, endOffer, openOfferIn, putAway, redrawOffer, stepOffer, wasAnswered } from "../cards/open.ts";
import type { OfferEnd, OpenOffer } from "../cards/open.ts";
import type { Change, Store } from "../store/port.ts";
import { connectsInWords, offerDetails } from "../cards/offers.ts";
import type { Queue } from "./queue.ts";
import { surely } from "./surely.ts";

/**
 * A press of one, by whom it was shown to. `done`: marks its raw update as done with. `forms`: what belongs to the press alone can be shown
 * beside the card, so details need not stand in it.
 */
export type OfferPress = {
  readonly conversation: Conversation;
  readonly person: Person;
  readonly done: Change;
  readonly forms?: boolean;
};

/** Presses of offers, and what comes of them later. */
export type OfferPresses = {
  press(card: string, act: OfferAct, press: OfferPress): Promise<string | PressAnswer | undefined>;
  /** Something newer is in the chat, or it is left: what stands open there is over. */
  moveOn(conversation: Pick<Conversation, "id">): Promise<void>;
  /** Takes up what was being connected, and what waited for a sign-in, when the last run ended; then follows what is signed in to. */
  open(): Promise<void>;
  /** Resolves when nothing is being connected. What waits for a person does not count. */
  settled(): Promise<void>;
  /** After the signal: resolves when nothing of it is under way. */
  readonly ended: Promise<void>;
};

/** What taking offers works with. */
export type OfferParts = {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly queue: Pick<Queue, "wake">;
  /** Whose private chat a conversation is, when that is the owner's, on a platform that is here now: else nothing goes on by itself. */
  readonly ownerOf: (conversation: Conversation) => Person | undefined;
  readonly surroundings: Surroundings;
  readonly signal: AbortSignal;
};

/** `again`: someone has asked for it since it began. */
type Attempt = { again: boolean; done: Promise<void> };

type Tried = TurnedOn | { readonly is: "failed"; readonly words: string };

const NOT_YOURS = "That button isn't for you.";
const TAKEN = "That was already answered.";
const MOVED_ON = "The chat has moved on.";
const CONNECTING = "Connecting …";
const UNDER_WAY = "It is being connected already.";
const NOT_READY = "That isn't ready yet.";
/** Chats in which something may wait for a sign-in: the newest. */
const MAX_CHATS = 500;

export function openOffers(parts: OfferParts): OfferPresses {
  const { store, catalog, surroundings, signal } = parts;
  const { clock } = surroundings;
  /** Apps that are being connected. */
  const attempts = new Map<string, Attempt>();
  let following = Promise.resolve();

  /** Begins to connect an app, once at a time: whoever waits for it goes on by what comes of that. */
  const begin = (app: string): void => {
    const running = attempts.get(app);
    if (running !== undefined) {
      running.again = true;
      return;
    }
    const attempt: Attempt = { again: false, done: Promise.resolve() };
    attempts.set(app, attempt);
    attempt.done = connect(app, attempt);
  };

  const connect = async (app: string, attempt: Attempt): Promise<void> => {
    do {
      attempt.again = false;
      await surely(
        async () => {
          const tried = await tryOn(catalog, "app", app, signal);
          // Our own end cut it off: the next start takes it up.
          if (signal.aborted) return;
          for (const open of await waitingFor(app, parts)) await goOn(open, tried, parts);
        },
        "what came of connecting an app can't be kept; it is tried again",
        surroundings,
        signal,
      );
    } while (attempt.again && !signal.aborted);
    attempts.delete(app);
  };

  const take = async (open: OpenOffer, press: OfferPress): Promise<string | undefined> => {
    const { offer } = open;
    const { kind, id } = offer.target;
    if (kind === "skill") return await takeSkill(open, press);
    if (isOn(catalog, offer, "take")) return await accept(open, "take", press.person, [press.done], parts);
    if (offer.stage?.is === "connecting" && attempts.has(id)) return UNDER_WAY;
    const stage = { is: "connecting" } as const;
    if (!(await step(open, press, (now) => redrawOffer(now, stage, clock.now())))) return await late(open, parts);
    begin(id);
    // The card says so itself; words that would stay beside it say no more.
    return press.forms === true ? undefined : CONNECTING;
  };

  const takeSkill = async (open: OpenOffer, press: OfferPress): Promise<string | undefined> => {
    const tried = await tryOn(catalog, "skill", open.offer.target.id, signal);
    if (tried.is === "on") return await accept(open, "take", press.person, [press.done], parts);
    const words = tried.is === "sign-in" ? NOT_READY : tried.words;
    const stage = { is: "failed", words } as const;
    return (await step(open, press, (now) => redrawOffer(now, stage, clock.now())))
      ? undefined
      : await late(open, parts);
  };

  const step = async (
    { conversation, offer }: OpenOffer,
    { done }: Pick<OfferPress, "done">,
    changes: (now: OpenOffer) => readonly Change[],
  ): Promise<boolean> => await stepOffer(store, conversation, offer.id, (now) => [...changes(now), done]);

  const putOff = async (open: OpenOffer, is: "dismissed" | "muted", press: OfferPress): Promise<string | undefined> => {
    const by = personKey(press.person);
    const ended = await step(open, press, (now) => endOffer(now, putAway(now.offer, is), by, clock.now()));
    return ended ? undefined : await late(open, parts);
  };

  return {
    async press(card, act, press) {
      const { conversation, person } = press;
      if (person.role !== "owner" || conversation.room.kind !== "private") return NOT_YOURS;
      const current = await store.conversations.current(conversation.room, conversation.person);
      // Another chat is open there by now.
      if (current?.id !== conversation.id) await closeOpen(store, conversation, clock.now());
      const open = await openOfferIn(store, conversation.id);
      if (open?.offer.id !== card) return await late({ offer: { id: card } }, parts);
      switch (act) {
        case "take":
          return await take(open, press);
        case "always":
          return await takeSkill(open, press);
        case "use":
          return await accept(open, "use", person, [press.done], parts);
        case "details": {
          if (press.forms === true && open.offer.stage?.is !== "details") {
            await store.commit([press.done]);
            return offerDetails(open.offer, itemOf(catalog, open.offer.target));
          }
          const stage =
            open.offer.stage?.is === "details"
              ? undefined
              : ({ is: "details", connects: connectsInWords(itemOf(catalog, open.offer.target)) } as const);
          const drawn = await step(open, press, (now) => redrawOffer(now, stage, clock.now()));
          return drawn ? undefined : await late(open, parts);
        }
        case "not-now":
          return await putOff(open, "dismissed", press);
        case "mute":
          // Kept before the card says so.
          await mute(mutedKey(open.offer.target), true, store.settings);
          return await putOff(open, "muted", press);
      }
    },
    moveOn: async (conversation) => await closeOpen(store, conversation, clock.now()),
    async open() {
      following = surely(
        async () => {
          for await (const { app, signedIn } of catalog.changes(signal))
            if (
              (signedIn || stateOf(catalog, { kind: "app", id: app }) === "on") &&
              (await waitingFor(app, parts)).length > 0
            )
              begin(app);
        },
        "news of an app can't be taken up; it is tried again",
        surroundings,
        signal,
      );
      for (const { offer } of await waiting(parts)) begin(offer.target.id);
    },
    async settled() {
      while (attempts.size > 0) await Promise.all([...attempts.values()].map(({ done }) => done));
    },
    get ended() {
      return Promise.all([following, ...[...attempts.values()].map(({ done }) => done)]).then(() => undefined);
    },
  };
}

/** Turns something on; a failure is words. */
async function tryOn(catalog: Catalog, kind: TargetKind, id: string, signal: AbortSignal): Promise<Tried> {
  try {
    return await catalog.turnOn(kind, id, "on", signal);
  } catch (thrown) {
    const { message, hint } = asGatewayError(thrown, "app-failed");
    return { is: "failed", words: hint === undefined ? message : `${message} ${hint}` };
  }
}

function itemOf({ items }: Catalog, target: Pick<Item, "kind" | "id">): Item | undefined {
  return items.find(({ kind, id }) => kind === target.kind && id === target.id);
}

/** Undefined, too, for an app that is on and can't be reached. */
function stateOf(catalog: Catalog, target: Pick<Item, "kind" | "id">): ItemState | undefined {
  const item = itemOf(catalog, target);
  return item?.trouble === undefined ? item?.state : undefined;
}

/** Whether what an act needs is on now: a skill that is used for one request need only be there. */
function isOn(catalog: Catalog, { target }: Pick<Offer, "target">, act: OfferAct): boolean {
  const state = stateOf(catalog, target);
  return state === "on" || (act === "use" && state === "asked");
}

/** Goes on from what came of connecting: without the person, who pressed for it before. */
async function goOn(open: OpenOffer, tried: Tried, parts: OfferParts): Promise<void> {
  const { store, catalog, ownerOf, surroundings } = parts;
  const conversation = await store.conversations.get(open.conversation);
  const person = conversation === undefined ? undefined : ownerOf(conversation);
  if (person === undefined) return;
  const on = isOn(catalog, open.offer, "take");
  if (on) {
    await accept(open, "take", person, [], parts);
    return;
  }
  const stage: Offer["stage"] =
    tried.is === "sign-in" ? tried : { is: "failed", words: tried.is === "on" ? NOT_READY : tried.words };
  await stepOffer(store, open.conversation, open.offer.id, (now) => redrawOffer(now, stage, surroundings.clock.now()));
  // Signed in to while that was being written down.
  if (stage.is === "sign-in" && isOn(catalog, open.offer, "take")) await accept(open, "take", person, [], parts);
}

/** It is on: the request goes on, once. */
async function accept(
  open: OpenOffer,
  act: "take" | "use",
  person: Person,
  more: readonly Change[],
  parts: OfferParts,
): Promise<string | undefined> {
  const { store, catalog, queue, surroundings } = parts;
  const { target, resume } = open.offer;
  const instructions = target.kind === "skill" ? await catalog.skill(target.id) : undefined;
  if (!isOn(catalog, open.offer, act) || (target.kind === "skill" && instructions === undefined)) return NOT_READY;
  const at = surroundings.clock.now();
  const carriedOn = {
    kind: "carried-on",
    from: person,
    target,
    request: resume.request,
    ...(instructions === undefined ? {} : { instructions }),
  } as const;
  const end: OfferEnd = { is: "accepted", text: acceptedText(open.offer, act) };
  const taken = await stepOffer(store, open.conversation, open.offer.id, (now) => [
    ...endOffer(now, end, personKey(person), at),
    { do: "append", conversation: now.conversation, at, body: carriedOn },
    ...more,
  ]);
  if (!taken) return await late(open, parts);
  queue.wake(open.conversation);
  return undefined;
}

function acceptedText({ target }: Offer, act: "take" | "use"): string {
  const did = target.kind === "app" ? "Connected" : act === "use" ? "Using" : "Turned on";
  return `_${did} ${escapeMarkdown(oneLine(target.name))} · carrying on_`;
}

/** What a press hears that comes too late. */
async function late({ offer }: { readonly offer: Pick<Offer, "id"> }, { store }: OfferParts): Promise<string> {
  return (await wasAnswered(store, offer.id)) ? TAKEN : MOVED_ON;
}

/** The offers of apps that were pressed for and are not on yet, wherever they stand. */
async function waiting({ store, ownerOf }: OfferParts): Promise<readonly OpenOffer[]> {
  const found: OpenOffer[] = [];
  for (const conversation of await store.conversations.list({ limit: MAX_CHATS })) {
    if (conversation.stands === undefined || ownerOf(conversation) === undefined) continue;
    const open = await openOfferIn(store, conversation.id);
    const stage = open?.offer.stage?.is;
    if (open?.offer.target.kind === "app" && (stage === "connecting" || stage === "sign-in")) found.push(open);
  }
  return found;
}

async function waitingFor(app: string, parts: OfferParts): Promise<readonly OpenOffer[]> {
  return (await waiting(parts)).filter(({ offer }) => offer.target.id === app);
}

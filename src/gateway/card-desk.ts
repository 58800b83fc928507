// What a gateway's cards stand on: approvals and questions that turns wait for, the offers, the pictures, and what is told of apps.
import { Approvals } from "../cards/approvals.ts";
import { Questions } from "../cards/questions.ts";
import type { CardParts } from "../cards/turn-cards.ts";
import { tellAppNews } from "./app-news.ts";
import { pressCard } from "./card-presses.ts";
import { openOffers, type OfferParts, type OfferPresses } from "./offer-presses.ts";
import type { GatewayParts } from "./parts.ts";
import type { People } from "./people.ts";
import { pictureTools } from "./picture-tools.ts";
import type { Way } from "./plans.ts";
import type { PressParts } from "./presses.ts";
import type { Queue } from "./queue.ts";
import type { ChannelState } from "./supervise.ts";

/** What it is opened with. `files`: a conversation's own folder. `signal` fires at the gateway's end. */
export type CardDeskParts = {
  readonly parts: Pick<GatewayParts, "store" | "catalog" | "surroundings">;
  readonly people: People;
  readonly ways: ReadonlyMap<string, Way>;
  readonly states: readonly ChannelState[];
  readonly files: (conversation: string) => string;
  readonly signal: AbortSignal;
};

export type CardDesk = {
  readonly approvals: Approvals;
  readonly questions: Questions;
  /** What persons are waited for with. */
  readonly waiting: readonly [Approvals, Questions];
  /** What turns make their cards of. */
  readonly forTurns: CardParts;
  /** Takes up the cards that outlived their turns: before anyone can answer one. */
  restore(): Promise<void>;
  /** The rest, which wakes turns. */
  withQueue(queue: Queue): WakingCards;
};

/** Cards whose presses may wake a turn. Disposing, after the signal, ends when nothing of them is under way. */
export type WakingCards = {
  readonly press: PressParts["card"];
  readonly moveOn: OfferPresses["moveOn"];
  /** A conversation is left for good or for another: what stands open there is over. */
  readonly leave: (conversation: { readonly id: string }) => Promise<void>;
  /** Takes up what was under way when the last run ended. */
  open(): Promise<void>;
  settled(): Promise<void>;
} & AsyncDisposable;

export function openCardDesk({ parts, people, ways, states, files, signal }: CardDeskParts): CardDesk {
  const { store, catalog, surroundings } = parts;
  const approvals = new Approvals(store, surroundings, signal);
  const questions = new Questions(store, surroundings, signal);
  const shows = pictureTools(store, files, surroundings);
  const forms = (platform: string): boolean => ways.get(platform)?.limits.forms === true;
  const waits = (platform: string): boolean => states.some(({ name, state }) => name === platform && state !== "ended");
  const ownerOf: OfferParts["ownerOf"] = ({ room, person }) =>
    ways.has(room.platform) && people.isOwner(person)
      ? { platform: room.platform, id: person.slice(room.platform.length + 1), name: people.owner.name, role: "owner" }
      : undefined;
  return {
    approvals,
    questions,
    waiting: [approvals, questions],
    forTurns: { catalog, store, questions, forms, waits, own: shows.tools, surroundings },
    async restore() {
      await approvals.open();
      await questions.open();
    },
    withQueue(queue) {
      const offers = openOffers({ store, catalog, queue, ownerOf, surroundings, signal });
      let news = Promise.resolve();
      return {
        press: async (button, press) =>
          await pressCard(button, press, { store, queue, questions, offers, surroundings }),
        moveOn: async (conversation) => await offers.moveOn(conversation),
        async leave(conversation) {
          await offers.moveOn(conversation);
          await approvals.leave(conversation.id);
          await questions.leave(conversation.id);
        },
        async open() {
          await offers.open();
          news = tellAppNews({ store, catalog, people, ways, surroundings, signal });
        },
        settled: async () => await offers.settled(),
        async [Symbol.asyncDispose]() {
          // A turn may be waiting for a picture.
          await shows[Symbol.asyncDispose]();
          await Promise.all([news, offers.ended]);
        },
      };
    },
  };
}

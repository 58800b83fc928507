// What a turn has of cards: its tools, what its model is told of what could be turned on, and what the person's own words call for.
import type { Offer } from "../core/card.ts";
import type { Room, Untrusted } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Tool } from "../core/tool.ts";
import type { Catalog } from "../catalog/port.ts";
import type { Store } from "../store/port.ts";
import { columnOf, TABLE } from "../taint/table.ts";
import { askTool } from "./ask-tool.ts";
import { wordsOf } from "./cues.ts";
import { useSkillTool } from "./skills-tool.ts";
import { suggestTool } from "./chips.ts";
import { openTurnDesk, type OfferTurn } from "./desk.ts";
import { offerTool } from "./offer-tool.ts";
import { planTool } from "./plans.ts";
import type { Questions } from "./questions.ts";

/** What cards work with, the same for every turn. */
export type CardParts = {
  readonly catalog: Catalog;
  readonly store: Store;
  readonly questions: Questions;
  /** Further tools that show something. */
  readonly own: readonly Tool[];
  /** Whether a platform has forms, and whether anyone there can still answer: behind a pipe that has ended nobody can. */
  readonly forms: (platform: string) => boolean;
  readonly waits: (platform: string) => boolean;
  readonly surroundings: Surroundings;
};

/** A skill that is used when asked for is asked for by its name or id, as whole words of the person's own. */
function skillTools(catalog: Catalog, words: string): readonly Tool[] {
  const skills = catalog.items.filter(({ kind, state }) => kind === "skill" && (state === "on" || state === "asked"));
  if (skills.length === 0) return [];
  const said = wordsOf(words);
  const named = skills.filter(({ id, name }) =>
    [id, name].map(wordsOf).some((one) => one !== "" && said.includes(one)),
  );
  return [
    useSkillTool(
      catalog,
      named.map(({ id }) => id),
    ),
  ];
}

/** Which turn. `person`: who is there, as a person key; `name`: what they are called. */
export type CardTurn = OfferTurn & { readonly person: string; readonly name: Untrusted; readonly place: Room };

export type TurnCards = {
  readonly tools: readonly Tool[];
  readonly sections: readonly string[];
  /** What the person's own words call for. */
  readonly cue: Offer | undefined;
};

/**
 * An engine that takes tools gets all of it, without `update_plan` where it has plans of its own. One that only chats gets what the
 * person's own words call for, and nothing else.
 */
export async function turnCards(parts: CardParts, turn: CardTurn): Promise<TurnCards> {
  const desk = await openTurnDesk(parts, turn);
  const cue = await desk.cue();
  if (!turn.engine.tools) return { tools: [], sections: [], cue };
  const { questions } = parts;
  const { attendance, place } = turn;
  const asked = {
    ...{ person: turn.person, name: turn.name, place, forms: parts.forms(place.platform) },
    ...{ guest: attendance === "guest", holdMs: turn.engine.holdMs },
    attended: attendance !== "nobody" && parts.waits(place.platform),
  };
  // Where what is on is absent it is not there at all: refused by its name, whoever else is here would learn that the owner has it.
  const column = columnOf({ attendance, room: turn.room, marks: [] });
  const on = [...skillTools(parts.catalog, turn.words), ...parts.catalog.tools].filter(
    ({ row }) => TABLE[row][column] !== "absent",
  );
  return {
    tools: [
      askTool(questions, asked),
      offerTool(desk),
      suggestTool(),
      ...(turn.engine.plan ? [] : [planTool()]),
      ...parts.own,
      ...on,
    ],
    sections: desk.sections,
    cue,
  };
}

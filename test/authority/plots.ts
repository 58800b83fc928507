// Which histories there are: drawn by fast-check, so that one which fails becomes as short as it can be.
import fc from "fast-check";
import type { Brings, Order, Pause, Plot, Step, Where, Who } from "./steps.ts";

const pause: fc.Arbitrary<Pause> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Pause>("long") },
  { weight: 3, arbitrary: fc.constantFrom<Pause>("soon", "at-once") },
  { weight: 1, arbitrary: fc.constant<Pause>("hours") },
);
const order: fc.Arbitrary<Order> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<Order>("look_back", "search", "read-chat", "send", "mail") },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Order>(
      "none",
      "mail-carries",
      "run_command",
      "write_file",
      "read-inside",
      "read-outside",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Order>(
      ...(["offer", "offer-skill", "cue", "suggest", "ask", "ask", "plan"] as const),
      ...(["use-skill", "app-read", "app-send"] as const),
    ),
  },
);
const forwards: readonly Brings[] = ["forward-user", "forward-hidden-user", "forward-chat", "forward-channel"];
const quotes: readonly Brings[] = [
  "quote-own",
  "quote-ours",
  "quote-earlier-own",
  "quote-earlier-ours",
  "quote-card",
  "quote-stranger",
  "quote-unknown",
  "quote-nowhere",
];
const brings: fc.Arbitrary<Brings> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Brings>("nothing") },
  { weight: 3, arbitrary: fc.constantFrom(...forwards) },
  { weight: 4, arbitrary: fc.constantFrom(...quotes) },
  { weight: 1, arbitrary: fc.constantFrom<Brings>("file", "voice", "forwarded-voice") },
);
/** Mostly in one chat of the owner's, where it all meets. */
const where: fc.Arbitrary<Where> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Where>("c") },
  { weight: 2, arbitrary: fc.constant<Where>("group") },
  { weight: 1, arbitrary: fc.constantFrom<Where>("a", "b", "run") },
);
const owner = fc.constant<Who>("owner");
const other = fc.constantFrom<Who>("eve", "gus");

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      who: owner,
      where,
      brings,
      order,
      brought: order,
      posing: fc.constant(false),
      pause,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      who: other,
      where: fc.constantFrom<Where>("group", "group", "eve"),
      brings,
      order,
      brought: order,
      posing: fc.boolean(),
      pause,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("edit" as const),
      who: fc.oneof(owner, owner, other),
      where,
      brings,
      order,
      brought: order,
      pause,
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.oneof(owner, owner, owner, other),
        where,
        fc.constantFrom(
          ["new", ""],
          ["new", ""],
          ["new", ""],
          ["mode", "trust"],
          ["mode", "trust"],
          ["mode", "edits"],
          ["mode", "plan"],
          ["mode", ""],
          ["engine", "own"],
          ["engine", "plain"],
          ["status", ""],
          ["stop", ""],
          ["people", ""],
          ["archive", ""],
          ["help", ""],
        ),
        pause,
      )
      .map(([who, where, [name = "", args = ""], pause]) => ({
        do: "command" as const,
        who,
        where,
        name,
        args,
        pause,
      })),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("press" as const),
      who: fc.oneof(owner, owner, owner, owner, other),
      where,
      card: fc.constantFrom(
        ...(["own", "own", "own", "own", "other", "other", "choice", "choice", "plan", "plan"] as const),
        ...(["offer", "question", "chip"] as const),
      ),
      answer: fc.constantFrom("allow" as const, "allow" as const, "always" as const, "no" as const),
      byText: fc.boolean(),
      written: order,
      pause,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("delete" as const), who: fc.oneof(owner, owner, other), where, pause }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("ask-about" as const),
      who: fc.oneof(owner, owner, owner, other),
      where,
      of: fc.constantFrom("own" as const, "ours" as const, "stranger" as const, "stranger" as const),
      order,
      brought: order,
      pause,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const), pause }) },
);

/** An order of the owner's, and what the owner answers when asked; then perhaps the same order again. */
const askedFor: fc.Arbitrary<readonly Step[]> = fc
  .record({
    where,
    order: fc.constantFrom<Order>("send", "run_command", "write_file", "mail-carries", "read-outside"),
    answer: fc.constantFrom("allow" as const, "always" as const, "no" as const),
    byText: fc.boolean(),
    between: fc.option(
      fc.record({
        do: fc.constant("say" as const),
        who: owner,
        where: fc.constant<Where>("c"),
        brings,
        order,
        brought: order,
        posing: fc.constant(false),
        pause,
      }),
      { nil: undefined },
    ),
    again: fc.boolean(),
  })
  .map(({ where, order, answer, byText, between, again }): readonly Step[] => {
    const say = { do: "say", who: "owner", where, brings: "nothing", order, brought: "none", posing: false } as const;
    return [
      { ...say, pause: "soon" },
      {
        do: "press",
        who: "owner",
        where,
        card: "own",
        answer,
        byText,
        written: "none",
        pause: between === undefined ? "long" : "at-once",
      },
      ...(between === undefined ? [] : [between]),
      ...(again ? [{ ...say, pause: "soon" } as const] : []),
    ];
  });

/** A plan, and what the owner has to say of it: to start, or what should be different. */
const planned: fc.Arbitrary<readonly Step[]> = fc
  .record({
    order,
    answer: fc.constantFrom("allow" as const, "no" as const),
    written: order,
    who: fc.oneof(owner, owner, other),
  })
  .map(({ order, answer, written, who }): readonly Step[] => {
    const c = { who: "owner", where: "c" } as const;
    return [
      { do: "command", ...c, name: "mode", args: "plan", pause: "soon" },
      { do: "say", ...c, brings: "nothing", order, brought: "none", posing: false, pause: "long" },
      { do: "press", ...c, who, card: "plan", answer, byText: false, written, pause: "long" },
    ];
  });

/** Something that is put before a person, and who presses it: the one that it is for, or another; then perhaps once more. */
const putBefore: fc.Arbitrary<readonly Step[]> = fc
  .record({
    where: fc.constantFrom<Where>("c", "c", "c", "group"),
    asks: fc.constantFrom(
      { order: "offer", card: "offer" } as const,
      { order: "offer-skill", card: "offer" } as const,
      { order: "cue", card: "offer" } as const,
      { order: "suggest", card: "chip" } as const,
      { order: "ask", card: "question" } as const,
    ),
    who: fc.constantFrom<Who>("owner", "owner", "eve"),
    presses: fc.array(fc.record({ who: fc.oneof(owner, owner, owner, other), byText: fc.boolean() }), {
      minLength: 1,
      maxLength: 2,
    }),
    answer: fc.constantFrom("allow" as const, "allow" as const, "no" as const),
    brings: fc.oneof(fc.constant<Brings>("nothing"), fc.constant<Brings>("nothing"), brings),
    written: order,
    pause: fc.constantFrom<Pause>("soon", "long"),
  })
  .map(({ where, asks: { order, card }, who, presses, answer, brings, written, pause }): readonly Step[] => {
    const said = { do: "say", who, where: who === "eve" ? "group" : where, brings, brought: "none" } as const;
    // A question waits, and what stands under a reply comes with its end.
    const long = card === "question" ? "half" : "long";
    return [
      { ...said, order, posing: false, pause: long },
      ...presses.map(({ who, byText }): Step => ({
        ...{ do: "press", who, where: said.where, card, answer, written, pause },
        byText: byText && card === "question",
      })),
    ];
  });

function several(minLength: number, maxLength: number): fc.Arbitrary<readonly Step[]> {
  const one: fc.Arbitrary<readonly Step[]> = fc.oneof(
    { weight: 10, arbitrary: step.map((only): readonly Step[] => [only]) },
    { weight: 2, arbitrary: askedFor },
    { weight: 1, arbitrary: planned },
    { weight: 2, arbitrary: putBefore },
  );
  // Each begins with two more: the owner's other chats get their secrets.
  return fc.array(one, { minLength, maxLength, size: "max" }).map((list) => list.flat().slice(0, 10));
}

export const PLOTS: fc.Arbitrary<Plot> = fc.record({
  tongue: fc.constantFrom("telegram" as const, "slack" as const, "discord" as const),
  engine: fc.constantFrom("plain" as const, "plain" as const, "own" as const),
  mode: fc.constantFrom("ask" as const, "trust" as const, "edits" as const, "plan" as const),
  joinWithinMs: fc.constantFrom(0 as const, 0 as const, 50 as const),
  steps: fc.oneof({ weight: 3, arbitrary: several(3, 5) }, { weight: 1, arbitrary: several(5, 9) }),
});

// Engines that answer, stream, call tools, hang, fail, say nothing or break, as the dice say. They remember each prompt they got.
import type { Engine } from "../../src/core/engine.ts";
import { GatewayError } from "../../src/core/error.ts";
import type { Clock } from "../../src/core/surroundings.ts";
import type { Tool } from "../../src/core/tool.ts";
import type { TurnEvent, TurnInput } from "../../src/core/turn.ts";
import type { Item } from "../../src/catalog/port.ts";
import { app, skill } from "../cards/catalog.ts";
import type { Dice } from "./dice.ts";

/** One time that an engine was run. */
export type Run = {
  readonly turn: string;
  readonly conversation: string;
  readonly engine: string;
  /** Which life of the gateway. */
  readonly life: number;
  /** What was asked, without the history. */
  readonly prompt: string;
  readonly history: string;
  readonly startedAt: number;
  endedAt?: number;
  stoppedAt?: number;
  hangs?: boolean;
};

/** `plain` uses the gateway's tools; `own` has tools of its own, so that a turn of it may have acted once it was asked. */
export const ENGINES = ["plain", "own"] as const;

export type EngineParts = {
  readonly clock: Clock;
  readonly dice: Dice;
  readonly life: number;
  readonly runs: Run[];
  /** It asks and offers a lot. */
  readonly cards: boolean;
  readonly faulty: () => boolean;
  readonly trace: (line: string) => void;
};

const WORDS = ["tide", "gate", "**bold**", "sea", "`code`", "shore", "lamp", "harbour", "a\nline", "wave"];

/** What can be turned on here. */
export const THINGS: readonly Item[] = [
  ...["mail", "drive", "maps", "news", "tunes", "tasks"].map((id) => app(id)),
  ...["trips", "notes"].map((id) => skill(id, { state: id === "notes" ? "asked" : "off" })),
];

/** One thing or two are asked, so that any words do. */
function questions(dice: Dice): readonly object[] {
  const options = [{ label: "One" }, { label: "Two" }, { label: "Three" }];
  const choice = { id: "which", label: "Which?", kind: "choice", options, several: dice.chance(0.4), other: true };
  const text = { id: "why", label: "Why?", kind: "text" };
  return dice.one([[choice], [text], [choice, text], [text, choice]]) ?? [text];
}

export function playedEngine(
  name: string,
  { clock, dice, life, runs, cards: many, faulty, trace }: EngineParts,
): Engine {
  const own = name === "own";
  // In some lives most cards outlive their turns.
  const holdMs = life % 3 === 2 ? 1000 : 60_000;
  async function* play(input: TurnInput, run: Run): AsyncGenerator<TurnEvent> {
    const { signal } = input;
    const label = `a${runs.length}`;
    const think = async (ms: number): Promise<void> => await clock.sleep(dice.from(1, ms), signal);
    async function* say(words: number, slowMs: number): AsyncGenerator<TurnEvent> {
      yield { kind: "text", delta: label };
      for (let left = words; left > 0; left -= 1) {
        await think(slowMs);
        yield { kind: "text", delta: ` ${dice.one(WORDS) ?? ""}` };
      }
      yield { kind: "text", delta: ` ${label}.` };
    }
    const usage: TurnEvent = {
      kind: "usage",
      usage: { model: "played", inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 0 },
    };
    const done: TurnEvent = { kind: "end", reason: "done" };
    // An engine with tools of its own is given none of ours.
    const cards = own
      ? { ask: 0, chips: 0, plan: 0, offer: 0 }
      : many
        ? { ask: 60, chips: 60, plan: 30, offer: 90 }
        : { ask: 6, chips: 6, plan: 4, offer: 6 };
    const weights = { quick: 40, stream: 20, tool: 14, act: 16, long: 6, slow: 4, ...cards };
    const mode = faulty()
      ? dice.weighted({ ...weights, hang: 8, error: 4, empty: 3, throws: 3, cut: 3 })
      : dice.weighted(weights);
    trace(`run ${name} ${input.turn} ${mode} ${JSON.stringify(run.prompt)}`);
    if (own) yield { kind: "session", resumeId: input.resumeId ?? `s${runs.length}`, kept: true };
    await think(400);
    // A call that was allowed after its turn had ended, and perhaps once more.
    const [, allowed] = /Tool: "buy"\. Arguments: (.+?)\. Make it now/u.exec(run.prompt) ?? [];
    for (let left = allowed === undefined ? 0 : dice.from(1, 2); left > 0; left -= 1) {
      const { outcome } = await input.call({ id: `now${left}`, name: "buy", input: JSON.parse(allowed ?? "") });
      yield { kind: "text", delta: ` ${outcome}` };
    }
    switch (mode) {
      case "quick":
        yield* say(2, 10);
        yield usage;
        yield done;
        return;
      case "stream":
        yield* say(15, 300);
        yield usage;
        yield done;
        return;
      case "long":
        yield* say(60, 60);
        yield done;
        return;
      case "slow":
        yield* say(8, 6000);
        yield done;
        return;
      case "tool":
      case "act": {
        yield* say(3, 100);
        const calls = dice.from(1, 2);
        for (let nth = 0; nth < calls; nth += 1) {
          const call = { id: `c${nth}`, name: mode === "act" ? "buy" : "look", input: { for: label } };
          if (own) {
            yield { kind: "tool-start", call, effect: mode === "act" ? "act" : "read" };
            await think(500);
            yield { kind: "tool-end", callId: call.id, result: { outcome: "ok", text: "seen" } };
          } else {
            const result = await input.call(call);
            yield* say(1, 50);
            yield { kind: "text", delta: ` ${result.outcome}` };
          }
        }
        yield* say(4, 100);
        yield usage;
        yield done;
        return;
      }
      case "ask": {
        if (dice.chance(0.5)) yield* say(2, 50);
        const given = await input.call({ id: "ask", name: "ask", input: { fields: questions(dice) } });
        // Some go on while the person thinks.
        yield { kind: "text", delta: ` ${label} ${given.outcome}` };
        yield* say(3, 100);
        yield done;
        return;
      }
      case "chips":
        yield* say(4, 50);
        await input.call({
          id: "chips",
          name: "suggest_replies",
          input: { replies: [`Take ${label}`, `Leave ${label}`] },
        });
        yield done;
        return;
      case "plan":
        for (let at = 0; at < 3; at += 1) {
          const steps = [0, 1, 2].map((nth) => ({
            text: `${label} ${nth}`,
            state: nth < at ? "done" : nth === at ? "active" : "pending",
          }));
          await input.call({ id: `plan${at}`, name: "update_plan", input: { steps } });
          yield* say(2, 400);
        }
        yield done;
        return;
      case "offer": {
        const target = dice.one(THINGS);
        await input.call({
          id: "offer",
          name: "offer",
          input: { kind: target?.kind, target: target?.id, why: "it helps" },
        });
        yield* say(3, 50);
        yield done;
        return;
      }
      case "hang":
        run.hangs = true;
        if (dice.chance(0.5)) yield* say(3, 200);
        // Real engines have a deadline for a model that falls silent.
        await clock.sleep(120_000, signal);
        yield { kind: "end", reason: "error", error: new GatewayError("engine-silent") };
        return;
      case "error":
        yield* say(1, 50);
        yield { kind: "end", reason: "error", error: new GatewayError("engine-overloaded") };
        return;
      case "empty":
        yield done;
        return;
      case "throws":
        throw new Error("played: an engine broke");
      case "cut":
        yield* say(2, 50);
    }
  }
  return {
    name,
    can: { tools: !own, images: false, plan: false, ownTools: own, sessions: own, holdMs },
    async *run(input) {
      const text = (parts: TurnInput["prompt"]): string =>
        parts.map((part) => (part.kind === "text" ? part.text : part.path)).join("\n");
      const run: Run = {
        turn: input.turn,
        conversation: input.conversation,
        engine: name,
        life,
        prompt: text(input.prompt),
        history: input.history.map((item) => (item.role === "user" ? text(item.parts) : "")).join("\n"),
        startedAt: clock.now(),
      };
      runs.push(run);
      try {
        yield* play(input, run);
      } catch (thrown) {
        if (!input.signal.aborted) throw thrown;
        run.stoppedAt = clock.now();
        // It takes a moment until an engine has noticed.
        if (dice.chance(0.3)) await clock.sleep(dice.from(1, 1500));
        yield { kind: "end", reason: "stopped" };
      } finally {
        run.endedAt = clock.now();
      }
    },
    forget: async () => undefined,
    check: async () => ({ words: "fine" }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** The gateway's tools here: one that reads nothing of anyone's, and one that acts, so that the owner is asked. */
export function playedTools(clock: Clock, dice: Dice, bought: (turn: string) => void): readonly Tool[] {
  const tool = (name: string, row: Tool["row"], effect: Tool["effect"], run: Tool["run"]): Tool => ({
    name,
    description: name,
    input: { type: "object" },
    row,
    effect,
    check: (input) => input,
    run,
  });
  return [
    tool("look", "plain", "read", async (_input, { signal }) => {
      await clock.sleep(dice.from(1, 1500), signal);
      if (dice.chance(0.2)) throw new Error("played: a tool broke");
      return { outcome: "ok", text: "seen" };
    }),
    tool("buy", "app-act", "act", async (_input, { turn }) => {
      bought(turn);
      return { outcome: "ok", text: "bought" };
    }),
  ];
}

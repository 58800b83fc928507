// What every engine keeps, whatever stands behind it. Run by each engine's own test with a stage that makes it act.
import { getEventListeners } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Engine } from "../../src/core/engine.ts";
import type { TurnEvent } from "../../src/core/turn.ts";
import { LOOK, assistant, play, turn, user } from "../engines/play.ts";

/** What an engine is to do in a turn. */
export type Act =
  /** Says these words, in more than one piece. */
  | { readonly is: "says"; readonly text: string }
  /** Calls these tools, one after the other, then says `answer` if and only if it got it from the last of them. */
  | { readonly is: "calls"; readonly tools: readonly string[]; readonly answer: string }
  /** Says something and then never ends by itself. */
  | { readonly is: "talks-on" }
  /** Says `word` if and only if it was told it earlier in the conversation. */
  | { readonly is: "recalls"; readonly word: string }
  /** Can't answer. */
  | { readonly is: "fails" };

/** An engine with what makes it act. */
export type Stage = AsyncDisposable & {
  readonly engine: Engine;
  /** Sets the engine up for the act; gives the words that bring it about. Several may wait side by side. */
  readonly cue: (act: Act) => string;
  /** The system text that its model was given last. Left out: there is no model. */
  readonly system?: () => string;
  /** Resolves once the model's server has seen the connection close. Left out: there is none. */
  readonly closed?: () => Promise<unknown>;
  /** What must never be shown: keys, and the provider's own words for a failure. */
  readonly hidden: readonly string[];
};

/** The suite; `skips` names tests that can't hold for this engine, each with its reason. */
export function engineContract(
  name: string,
  make: () => Promise<Stage>,
  skips: { readonly [title: string]: string } = {},
): void {
  const stage = async (): Promise<Stage> => {
    const made = await make();
    onTestFinished(async () => await made[Symbol.asyncDispose]());
    return made;
  };
  const keeps = (title: string, body: () => Promise<void>): void => {
    const reason = skips[title];
    if (reason === undefined) test(title, body);
    else test.skip(`${title} (left out: ${reason})`, body);
  };

  describe(`E24: the engine contract, kept by ${name}`, () => {
    keeps("streams its text in pieces and ends once, at the very end", async () => {
      const { engine, cue } = await stage();
      const played = await play(engine, turn(cue({ is: "says", text: "one two three four" })));
      expect(played.text).toBe("one two three four");
      expect(played.events.filter((event) => event.kind === "text").length).toBeGreaterThan(1);
      expectOneEnd(played.events);
      expect(played.reason).toBe("done");
    });

    keeps("yields nothing after its end", async () => {
      const { engine, cue } = await stage();
      const events = engine.run(turn(cue({ is: "says", text: "short" })))[Symbol.asyncIterator]();
      for (let item = await events.next(); item.done !== true; item = await events.next()) {
        if (item.value.kind === "end") break;
      }
      expect(await events.next()).toEqual({ done: true, value: undefined });
      expect(await events.next()).toEqual({ done: true, value: undefined });
    });

    keeps("ends soon after a stop, keeps what was said, and lets go of the signal and the connection", async () => {
      const { engine, cue, closed } = await stage();
      const stop = new AbortController();
      const input = turn(cue({ is: "talks-on" }), { signal: stop.signal });
      const played = await play(engine, input, (event) => event.kind === "text" && stop.abort());
      expect(played.reason).toBe("stopped");
      expect(played.text).not.toBe("");
      expectOneEnd(played.events);
      expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
      await closed?.();
    });

    keeps("does nothing for a turn that was stopped before it began", async () => {
      const { engine, cue } = await stage();
      const played = await play(engine, turn(cue({ is: "says", text: "unwanted" }), { signal: AbortSignal.abort() }));
      expect(played).toMatchObject({ text: "", reason: "stopped" });
    });

    keeps("lets go of everything when its reader leaves early", async () => {
      const { engine, cue, closed } = await stage();
      const { signal } = new AbortController();
      for await (const event of engine.run(turn(cue({ is: "talks-on" }), { signal }))) {
        if (event.kind === "text") break;
      }
      expect(getEventListeners(signal, "abort")).toHaveLength(0);
      await closed?.();
    });

    keeps("reaches tools only through the turn, in order, and gets their answers back", async () => {
      const { engine, cue } = await stage();
      const said = cue({ is: "calls", tools: ["look", "look"], answer: "answer-2" });
      let count = 0;
      const input = turn(said, {
        tools: [LOOK],
        answer: () => ({ outcome: "ok", text: `answer-${(count += 1)}` }),
      });
      const played = await play(engine, input);
      expect(input.calls.map((call) => call.name)).toEqual(["look", "look"]);
      expect(new Set(input.calls.map((call) => call.id)).size).toBe(2);
      expect(played.text).toContain("answer-2");
      // What the gateway ran, the gateway logged: the engine tells of it no second time.
      expect(played.events.some((event) => event.kind === "tool-start" || event.kind === "tool-end")).toBe(false);
      expect(played.reason).toBe("done");
    });

    keeps("takes a tool's error back to whoever asked for it, and goes on", async () => {
      const { engine, cue } = await stage();
      const said = cue({ is: "calls", tools: ["look"], answer: "the door is shut" });
      const input = turn(said, { tools: [LOOK], answer: () => ({ outcome: "error", text: "the door is shut" }) });
      const played = await play(engine, input);
      expect(played.text).toContain("the door is shut");
      expect(played.reason).toBe("done");
    });

    keeps("survives a call of a tool that is not there", async () => {
      const { engine, cue } = await stage();
      const said = cue({ is: "calls", tools: ["nowhere"], answer: "no" });
      const ran: string[] = [];
      const input = turn(said, {
        tools: [LOOK],
        answer: ({ name }) => {
          if (name === "look") ran.push(name);
          return { outcome: "not-run", text: "There is no such tool." };
        },
      });
      const played = await play(engine, input);
      expect(played.reason).toBe("done");
      expect(played.text).not.toBe("");
      expect(ran).toEqual([]);
    });

    keeps("ends when stopped while a tool runs, even one that does not heed the signal", async () => {
      const { engine, cue } = await stage();
      const stop = new AbortController();
      const said = cue({ is: "calls", tools: ["look"], answer: "never" });
      const input = turn(said, {
        tools: [LOOK],
        signal: stop.signal,
        answer: () => {
          stop.abort();
          return new Promise(() => {});
        },
      });
      const played = await play(engine, input);
      expect(played.reason).toBe("stopped");
      expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
    });

    keeps("knows what was said before, by both sides", async () => {
      const { engine, cue } = await stage();
      const said = cue({ is: "recalls", word: "Miso" });
      const history = [
        user("remember that my cat is called Miso"),
        assistant("I will."),
        user("remember tea"),
        assistant("Yes."),
      ];
      const played = await play(engine, turn(said, { history }));
      expect(played.text).toContain("Miso");
      const fresh = await play(engine, turn(cue({ is: "recalls", word: "Miso" })));
      expect(fresh.text).not.toContain("Miso");
    });

    keeps("fails in words of ours, and answers the next turn", async () => {
      const { engine, cue, hidden } = await stage();
      const played = await play(engine, turn(cue({ is: "fails" })));
      expect(played.reason).toBe("error");
      expect(played.error?.message).toMatch(/^[A-Z].*\.$/);
      for (const secret of hidden) {
        expect(`${played.error?.message} ${played.error?.hint} ${played.error?.stack}`).not.toContain(secret);
        expect(JSON.stringify(played.events)).not.toContain(secret);
      }
      expect(played.error?.cause).toBeUndefined();
      expectOneEnd(played.events);
      const after = await play(engine, turn(cue({ is: "says", text: "back again" })));
      expect(after).toMatchObject({ text: "back again", reason: "done" });
    });

    keeps("keeps turns side by side apart", async () => {
      const { engine, cue } = await stage();
      const texts = Array.from({ length: 8 }, (_, at) => `answer of turn ${at} and of no other`);
      const turns = texts.map((text, at) =>
        turn(cue({ is: "says", text }), { conversation: `c${at}`, turn: `t${at}` }),
      );
      const played = await Promise.all(turns.map(async (input) => await play(engine, input)));
      expect(played.map((one) => one.text)).toEqual(texts);
    });

    keeps("stopping one of two leaves the other alone", async () => {
      const { engine, cue } = await stage();
      const stop = new AbortController();
      const stopped = turn(cue({ is: "talks-on" }), { conversation: "a", signal: stop.signal });
      const other = turn(cue({ is: "says", text: "quite undisturbed" }), { conversation: "b" });
      const [first, second] = await Promise.all([
        play(engine, stopped, (event) => event.kind === "text" && stop.abort()),
        play(engine, other),
      ]);
      expect(first.reason).toBe("stopped");
      expect(second).toMatchObject({ text: "quite undisturbed", reason: "done" });
    });

    keeps("gives the standing words to its model", async () => {
      const { engine, cue, system } = await stage();
      await play(engine, turn(cue({ is: "says", text: "ok" }), { instructions: "Speak like a lighthouse keeper." }));
      if (system !== undefined) expect(system()).toBe("Speak like a lighthouse keeper.");
    });

    keeps("says what it can do, says that it could answer, and forgets what it never knew", async () => {
      const { engine } = await stage();
      expect(JSON.parse(JSON.stringify(engine.can))).toEqual(engine.can);
      expect(engine.can.holdMs).toBeGreaterThan(0);
      const { words, warn = "." } = await engine.check(new AbortController().signal);
      expect(words).toMatch(/\.$/);
      expect(warn).toMatch(/\.$/);
      await engine.forget("unknown");
    });
  });
}

function expectOneEnd(events: readonly TurnEvent[]): void {
  expect(events.filter((event) => event.kind === "end")).toHaveLength(1);
  expect(events.at(-1)?.kind).toBe("end");
}

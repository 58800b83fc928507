// The engine without a model: a script that says what it is. No key, no network, the same words for the same words.
import type { Engine } from "../../core/engine.ts";
import type { Clock } from "../../core/surroundings.ts";
import type { TurnEvent, TurnInput } from "../../core/turn.ts";
import { GatewayError } from "../../core/error.ts";
import { orStopped } from "../stop.ts";
import type { Answer } from "./act.ts";
import { script } from "./script.ts";

/** `wordMs`: the pace of speech, 0 by default. */
export type DemoOptions = { readonly name: string; readonly clock: Clock; readonly wordMs?: number | undefined };

const FRAMED = /^<outside-words [^>\n]*>\n([\s\S]*)\n<\/outside-words>$/u;

/** Words between two looks at the rest of the world when there is no pace. */
const WORDS_PER_BREATH = 32;

export function demoEngine({ name, clock, wordMs = 0 }: DemoOptions): Engine {
  return {
    name,
    can: { tools: true, images: false, plan: false, ownTools: false, sessions: false, holdMs: 86_400_000 },
    run: (input) => run(input, clock, wordMs),
    forget: async () => {},
    check: async () => ({ words: "The demo engine always answers." }),
    [Symbol.asyncDispose]: async () => {},
  };
}

async function* run(input: TurnInput, clock: Clock, wordMs: number): AsyncGenerator<TurnEvent, void> {
  const { signal } = input;
  let end: TurnEvent = { kind: "end", reason: "done" };
  let calls = 0;
  try {
    const acts = script(input);
    // A tool's answer goes back into the script, as a model would get it.
    for (let act = acts.next(); act.done !== true;) {
      signal.throwIfAborted();
      let answer: Answer | undefined;
      switch (act.value.do) {
        case "say":
        case "think": {
          const kind = act.value.do === "say" ? "text" : "thinking";
          const pace = act.value.wordMs ?? wordMs;
          let words = 0;
          for (const [delta] of act.value.text.matchAll(/\s*\S+|\s+$/g)) {
            yield { kind, delta };
            words += 1;
            if (pace > 0) await clock.sleep(pace, signal);
            else if (words % WORDS_PER_BREATH === 0) await new Promise<void>((resolve) => clock.soon(resolve));
            signal.throwIfAborted();
          }
          break;
        }
        case "call": {
          calls += 1;
          const { tool, input: args } = act.value;
          const result = await orStopped(input.call({ id: `demo_${calls}`, name: tool, input: args }), signal);
          // A model reads an app's words in their frame; what the demo says of them is for people.
          answer = { done: result.outcome === "ok", text: result.text.replace(FRAMED, "$1") };
          break;
        }
        case "use": {
          calls += 1;
          const verdict = await orStopped(input.allow({ ...act.value.use, id: `demo_${calls}` }), signal);
          const words = verdict.is === "deny" ? verdict.words : "";
          answer = { done: verdict.is === "allow", text: words };
          break;
        }
        case "fail":
          throw new GatewayError(act.value.code);
      }
      act = acts.next(answer);
    }
  } catch (thrown) {
    if (signal.aborted) end = { kind: "end", reason: "stopped" };
    else if (thrown instanceof GatewayError) end = { kind: "end", reason: "error", error: thrown };
    else throw thrown;
  }
  yield end;
}

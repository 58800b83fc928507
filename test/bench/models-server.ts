// The loopback models as a process of the bench: an instant model that notes when each message reaches it, and how often.
import { startModels, type ModelsWire } from "../wire/models.ts";
import { serve, steadyMs } from "./calls.ts";

const REST =
  "The tide comes in twice a day, and a **gate** that knows its hours needs no keeper. It opens a little before the water " +
  "stands level, `closes` when it turns, and between the two lets through whatever has a name painted on its bow.";

let wire: ModelsWire | undefined;
const reached = new Map<string, number>();
const times = new Map<string, number>();

serve({
  async open() {
    await wire?.[Symbol.asyncDispose]();
    wire = await startModels({ requestCap: 0 });
    times.clear();
    wire.always((request) => {
      const marks = request.lastUserText.match(/#\d+/gu) ?? [];
      for (const mark of marks) {
        if (!reached.has(mark)) reached.set(mark, steadyMs());
        times.set(mark, (times.get(mark) ?? 0) + 1);
      }
      return [{ text: `Answer ${marks[0] ?? ""}. ${REST}`, chunk: 24 }];
    });
    return wire.openaiUrl;
  },
  /** When each message since the last time first reached the model, by its mark. */
  reached() {
    const seen = Object.fromEntries(reached);
    reached.clear();
    return seen;
  },
  /** How often each message since the opening reached the model, by its mark. */
  times: () => Object.fromEntries(times),
});

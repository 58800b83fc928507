// The loopback models as a process of the bench: an instant model that notes when each message reaches it.
import { startModels, type ModelsWire } from "../wire/models.ts";
import { serve, steadyMs } from "./calls.ts";

const REST =
  "The tide comes in twice a day, and a **gate** that knows its hours needs no keeper. It opens a little before the water " +
  "stands level, `closes` when it turns, and between the two lets through whatever has a name painted on its bow.";

let wire: ModelsWire | undefined;
const reached = new Map<string, number>();

serve({
  async open() {
    await wire?.[Symbol.asyncDispose]();
    wire = await startModels({ requestCap: 0 });
    wire.always((request) => {
      const [mark = ""] = /#\d+/.exec(request.lastUserText) ?? [];
      reached.set(mark, steadyMs());
      return [{ text: `Answer ${mark}. ${REST}`, chunk: 24 }];
    });
    return wire.openaiUrl;
  },
  /** When each message since the last time reached the model, by its mark. */
  reached() {
    const seen = Object.fromEntries(reached);
    reached.clear();
    return seen;
  },
});

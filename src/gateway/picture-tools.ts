// The tool that shows pictures, and what draws them, for as long as a gateway runs.
import type { Surroundings } from "../core/surroundings.ts";
import type { Tool } from "../core/tool.ts";
import { showTool } from "../cards/show-tool.ts";
import { openPictures } from "../pictures/drawing.ts";
import type { Store } from "../store/port.ts";

/** Nothing is started before the first picture. `folder`: a conversation's own, which goes with it. */
export function pictureTools(
  { log }: Pick<Store, "log">,
  folder: (conversation: string) => string,
  { clock, random, watchdog }: Pick<Surroundings, "clock" | "random" | "watchdog">,
): { readonly tools: readonly Tool[] } & AsyncDisposable {
  const pictures = openPictures(clock, {}, watchdog);
  return {
    tools: [showTool({ log, pictures, random, folder })],
    [Symbol.asyncDispose]: async () => await pictures[Symbol.asyncDispose](),
  };
}

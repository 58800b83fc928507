// What a turn of a real engine program takes with a model that answers at once, by itself and through the gateway. The programs are
// installed by `npm run test:real`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../../src/core/engine.ts";
import type { TurnInput } from "../../src/core/turn.ts";
import { createEngine, type EngineSettings } from "../../src/engines/registry.ts";
import { engineHost } from "../../src/gateway/engine-host.ts";
import { realRandom } from "../../src/gateway/real.ts";
import { openWatchdog } from "../../src/gateway/watchdog.ts";
import { turn } from "../engines/play.ts";
import { journey } from "../journeys/gateway.ts";
import { CODEX_COMMAND, PROGRAMS } from "../real/where.ts";
import { startModels, type ModelsWire } from "../wire/models.ts";
import { SURROUNDINGS } from "./search-entries.ts";
import { steadyMs } from "./calls.ts";
import { percentile } from "./run.ts";

/** Milliseconds from the start of the turn, or the message on the platform, to each. */
type Took = { readonly toModelMs: number; readonly firstTextMs: number; readonly endMs: number };

const KEY = "key";

function settings(models: ModelsWire): Readonly<Record<"claude" | "codex", EngineSettings>> {
  return {
    claude: { kind: "claude-code", sdk: PROGRAMS, apiKey: KEY, baseUrl: models.baseUrl, model: "claude-sonnet-5" },
    codex: { kind: "codex", command: CODEX_COMMAND, apiKey: KEY, baseUrl: models.openaiUrl, model: "gpt-5.5" },
  };
}

/** A Markdown table: each program by itself, a new process and one that is warm, and what the gateway adds. */
export async function programRows(runs: number): Promise<readonly (readonly string[])[]> {
  const folder = mkdtempSync(join(tmpdir(), "tidegate-bench-"));
  try {
    await using models = await startModels({ apiKey: KEY });
    let requestedMs = 0;
    models.always(() => {
      requestedMs ||= steadyMs();
      return [{ text: "It is late.", chunk: 4 }];
    });
    const reset = (): void => void (requestedMs = 0);
    const at = (): number => requestedMs;
    await using watchdog = openWatchdog(realRandom);
    const { PATH } = process.env;
    const host = engineHost({ env: { PATH }, home: folder, data: join(folder, "data"), secrets: [KEY], watchdog });
    const made = settings(models);
    const seen: Record<string, readonly Took[]> = {};
    for (const name of ["claude", "codex"] as const) {
      await using engine = await createEngine(name, made[name], SURROUNDINGS, host);
      const one = async (input: TurnInput): Promise<Took & { readonly resumeId: string }> => {
        reset();
        return await timed(engine, input, at);
      };
      // The first of all loads the program from the disk.
      await one(turn("Hello?", { conversation: "first", workFolder: join(folder, "work") }));
      const cold: Took[] = [];
      const warm: Took[] = [];
      let resumeId: string | undefined;
      for (let nth = 0; nth < runs; nth += 1)
        cold.push(await one(turn("Hello?", { conversation: `c${nth}`, workFolder: join(folder, "work", `c${nth}`) })));
      for (let nth = 0; nth <= runs; nth += 1) {
        const more = { conversation: "w", workFolder: join(folder, "work", "w") };
        const took = await one(turn("Hello?", { ...more, ...(resumeId === undefined ? {} : { resumeId }) }));
        if (resumeId !== undefined) warm.push(took);
        ({ resumeId } = took);
      }
      seen[`${name}, a new chat`] = cold;
      seen[`${name}, the next turn of a chat`] = warm;
    }
    for (const name of ["claude", "codex"] as const) seen[`${name}, through the gateway`] = await through(name, runs);
    const middle = (took: readonly Took[], of: keyof Took): string =>
      percentile(
        took.map((one) => one[of]),
        0.5,
      ).toFixed(0);
    return [
      ["", "to the model, ms", "to the first text, ms", "to the end, ms"],
      ["---", "---:", "---:", "---:"],
      ...Object.entries(seen).map(([name, took]) => [
        name,
        middle(took, "toModelMs"),
        middle(took, "firstTextMs"),
        middle(took, "endMs"),
      ]),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function timed(
  engine: Engine,
  input: TurnInput,
  requestedMs: () => number,
): Promise<Took & { readonly resumeId: string }> {
  const from = steadyMs();
  let firstTextMs = 0;
  let resumeId = "";
  for await (const event of engine.run(input)) {
    if (event.kind === "text") firstTextMs ||= steadyMs() - from;
    if (event.kind === "session") ({ resumeId } = event);
    if (event.kind === "end" && event.reason !== "done") throw new Error(`A turn ended otherwise: ${event.reason}`);
  }
  return { toModelMs: requestedMs() - from, firstTextMs, endMs: steadyMs() - from, resumeId };
}

/** The owner's messages in one chat on a loopback Telegram, each after the answer to the one before. */
async function through(name: "claude" | "codex", runs: number): Promise<readonly Took[]> {
  await using day = await journey({ programs: (models) => ({ [name]: settings(models)[name] }), apiKey: KEY });
  let requestedMs = 0;
  let nth = 0;
  day.models.always(() => {
    requestedMs ||= steadyMs();
    return [{ text: `Answer ${nth}.`, chunk: 4 }];
  });
  const took: Took[] = [];
  for (nth = 0; nth <= runs; nth += 1) {
    requestedMs = 0;
    const from = steadyMs();
    day.say(`Question ${nth}?`);
    await day.shown(`Answer ${nth}.`);
    const endMs = steadyMs() - from;
    if (nth > 0) took.push({ toModelMs: requestedMs - from, firstTextMs: endMs, endMs });
    await day.settled();
  }
  return took;
}

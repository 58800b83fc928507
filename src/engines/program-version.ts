// What a program says when it is asked for its version.
import type { Clock } from "../core/surroundings.ts";
import type { EngineHost } from "./host.ts";
import { startProgram } from "./process.ts";

const VERSION_MS = 15_000;
const MAX_ANSWER_UNITS = 4_096;

/** Such as `0.171.0`; undefined when it says none in time. Throws a GatewayError in words when it can't be started. */
export async function versionSaid(
  { command, called }: { readonly command: string; readonly called: string },
  host: EngineHost,
  clock: Clock,
): Promise<string | undefined> {
  const order = { command, called, args: ["--version"], cwd: host.temporary, env: host.env };
  const program = await startProgram(order, clock, host.watchdog);
  const enough = new AbortController();
  try {
    let said = "";
    program.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(0, MAX_ANSWER_UNITS);
    });
    await Promise.race([program.ended, clock.sleep(VERSION_MS, enough.signal)]);
    return /\b(\d{1,6}\.\d{1,6}\.\d{1,6})(?:[-+\s]|$)/u.exec(said)?.[1];
  } finally {
    enough.abort();
    await program[Symbol.asyncDispose]();
  }
}

// Which Codex it is, and whether it will do.
import { GatewayError } from "../../core/error.ts";
import type { Clock } from "../../core/surroundings.ts";
import type { EngineHost } from "../host.ts";
import { startProgram } from "../process.ts";
import { OLDEST_VERSION } from "./protocol.ts";

const VERSION_MS = 15_000;
const MAX_ANSWER_UNITS = 4_096;

/** The version, such as `0.171.0`. Throws a GatewayError in words when there is none, or one that is known not to work. */
export async function usableVersion(command: string, host: EngineHost, clock: Clock): Promise<string> {
  const program = await startProgram(
    { command, args: ["--version"], cwd: host.temporary, env: host.env, called: "Codex" },
    clock,
    host.watchdog,
  );
  const enough = new AbortController();
  try {
    let said = "";
    program.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(0, MAX_ANSWER_UNITS);
    });
    await Promise.race([program.ended, clock.sleep(VERSION_MS, enough.signal)]);
    const found = /\b(\d{1,6}\.\d{1,6}\.\d{1,6})(?:[-+\s]|$)/u.exec(said)?.[1];
    if (found === undefined)
      throw new GatewayError("engine-missing", "The program that is to be Codex doesn't say its version.");
    if (isOlder(found, OLDEST_VERSION))
      throw new GatewayError("engine-missing", `Codex ${found} is too old: ${OLDEST_VERSION} or newer is needed.`);
    return found;
  } finally {
    enough.abort();
    await program[Symbol.asyncDispose]();
  }
}

/** Whether the first of two versions, three numbers each, comes before the second. */
export function isOlder(version: string, than: string): boolean {
  const [ours, theirs] = [version, than].map((text) => text.split(".").map(Number));
  for (let at = 0; at < 3; at += 1) {
    const [a = 0, b = 0] = [ours?.[at], theirs?.[at]];
    if (a !== b) return a < b;
  }
  return false;
}

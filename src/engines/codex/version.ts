// Which Codex it is, and whether it will do.
import { GatewayError } from "../../core/error.ts";
import type { Clock } from "../../core/surroundings.ts";
import type { EngineHost } from "../host.ts";
import { versionSaid } from "../program-version.ts";
import { OLDEST_VERSION } from "./protocol.ts";

/** The version, such as `0.171.0`. Throws a GatewayError in words when there is none, or one that is known not to work. */
export async function usableVersion(command: string, host: EngineHost, clock: Clock): Promise<string> {
  const found = await versionSaid({ command, called: "Codex" }, host, clock);
  if (found === undefined)
    throw new GatewayError("engine-missing", "The program that is to be Codex doesn't say its version.");
  if (isOlder(found, OLDEST_VERSION))
    throw new GatewayError("engine-missing", `Codex ${found} is too old: ${OLDEST_VERSION} or newer is needed.`);
  return found;
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

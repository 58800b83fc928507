// doctor's look at apps: those that are on in the gateway that runs, and the file with the key to their sign-ins.
import { statSync } from "node:fs";
import { join } from "node:path";
import { GatewayError } from "../core/error.ts";
import type { Clock } from "../core/surroundings.ts";
import { appsOn } from "./app-commands.ts";
import { within, type Finding } from "./doctor-calls.ts";
import { ask } from "./socket.ts";

const ANSWER_LIMIT_MS = 10_000;

/** What is on and does not answer, with the key that it lacks, if it does; nothing where no app is on. */
export async function checkApps(data: string, clock: Clock): Promise<readonly Finding[]> {
  return [...checkKeyFile(join(data, "apps.key")), ...(await checkLive(data, clock))];
}

function checkKeyFile(path: string): readonly Finding[] {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) === 0) return [];
  const words = `others on this machine can read ${path}, the key to what apps are signed in with. Run: chmod 600 ${path}`;
  return [{ is: "warn", what: "apps", words }];
}

/** Only a gateway that runs is connected to any; one that gives no answer is told of elsewhere. */
async function checkLive(data: string, clock: Clock): Promise<readonly Finding[]> {
  const late = new GatewayError("not-running");
  const text = await within(
    clock,
    ANSWER_LIMIT_MS,
    late,
    async (signal) => await ask(data, { do: "apps" }, signal),
  ).catch(() => undefined);
  const on = appsOn(text ?? "");
  const well = on.filter(({ trouble }) => trouble === undefined).map(({ id }) => id);
  return [
    ...(well.length === 0 ? [] : [{ is: "ok", what: "apps", words: `connected: ${well.join(", ")}` } as const]),
    ...on.flatMap(({ id, trouble }) =>
      trouble === undefined ? [] : [{ is: "warn", what: `app ${id}`, words: trouble } as const],
    ),
  ];
}

// Whether the program could answer, without asking its model anything.
import { platform } from "node:os";
import type { Checked } from "../../core/engine.ts";
import { GatewayError } from "../../core/error.ts";
import type { Clock } from "../../core/surroundings.ts";
import { versionSaid } from "../program-version.ts";
import { signedOut } from "./faults.ts";
import type { Setup } from "./options.ts";
import { PINNED_VERSION, programOf, type FoundSdk } from "./sdk.ts";
import { signInOf } from "./sign-in.ts";

/** Another version than the pinned one is named and not refused. Throws in words when nobody is signed in and there is no key. */
export async function checked(found: FoundSdk, setup: Setup, clock: Clock): Promise<Checked> {
  const { apiKey, command, folders, host } = setup;
  const program = programOf(found, command);
  // Only whoever starts it knows: a file may be there and be for another machine.
  const said = await versionSaid({ command: program, called: "Claude Code" }, host, clock);
  if (said === undefined)
    throw new GatewayError("engine-missing", "The program that is to be Claude Code doesn't say its version.");
  const is = `Claude Code ${said} is there`;
  const warn =
    found.version === PINNED_VERSION
      ? {}
      : { warn: `Its SDK is ${found.version}; Tidegate is tested with ${PINNED_VERSION}, so something may not work.` };
  if (apiKey !== undefined) return { words: `${is}, with an API key.`, ...warn };
  const signIn = await signInOf(folders.kept.owner);
  if (signIn.is === "none") {
    // There the keychain has it.
    if (platform() === "darwin") return { words: `${is}. Whether it is signed in shows when it answers.`, ...warn };
    throw signedOut(program);
  }
  const past = signIn.expiresAt !== undefined && signIn.expiresAt <= clock.now();
  if (past && !signIn.renews) throw signedOut(program);
  return { words: `${is} and signed in.`, ...warn };
}

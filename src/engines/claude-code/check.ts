// Whether the program could answer, without asking its model anything.
import { platform } from "node:os";
import type { Checked } from "../../core/engine.ts";
import { signedOut } from "./faults.ts";
import type { Setup } from "./options.ts";
import { PINNED_VERSION, type FoundSdk } from "./sdk.ts";
import { signInOf } from "./sign-in.ts";

/** Another version than the pinned one is named and not refused. Throws in words when nobody is signed in and there is no key. */
export async function checked(
  { version, program }: FoundSdk,
  { apiKey, folders }: Setup,
  nowMs: number,
): Promise<Checked> {
  const is = `Claude Code ${program} is there`;
  const warn =
    version === PINNED_VERSION
      ? {}
      : { warn: `Its SDK is ${version}; Tidegate is tested with ${PINNED_VERSION}, so something may not work.` };
  if (apiKey !== undefined) return { words: `${is}, with an API key.`, ...warn };
  const signIn = await signInOf(folders.kept.owner);
  if (signIn.is === "none") {
    // There the keychain has it.
    if (platform() === "darwin") return { words: `${is}. Whether it is signed in shows when it answers.`, ...warn };
    throw signedOut();
  }
  const past = signIn.expiresAt !== undefined && signIn.expiresAt <= nowMs;
  if (past && !signIn.renews) throw signedOut();
  return { words: `${is} and signed in.`, ...warn };
}

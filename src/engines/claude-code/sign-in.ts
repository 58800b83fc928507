// The owner's own sign-in of the program: whether there is one, and its token for a program that may see nothing else of the owner's.
// The file is the program's own: `.credentials.json` in its config folder (on macOS the keychain holds it instead).
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { GatewayError } from "../../core/error.ts";
import { signedOut } from "./faults.ts";

const CREDENTIALS = z.object({
  claudeAiOauth: z.object({
    accessToken: z.string().min(1),
    /** Milliseconds since 1970. */
    expiresAt: z.number().nullish(),
    refreshToken: z.string().nullish(),
  }),
});

/** What is there: `none` also where it is kept elsewhere. */
export type SignIn =
  | { readonly is: "none" }
  | { readonly is: "there"; readonly token: string; readonly expiresAt: number | undefined; readonly renews: boolean };

/** Reads it anew each time: the program renews it. */
export async function signInOf(configFolder: string): Promise<SignIn> {
  try {
    const text = await readFile(join(configFolder, ".credentials.json"), "utf8");
    const { accessToken, expiresAt, refreshToken } = CREDENTIALS.parse(JSON.parse(text)).claudeAiOauth;
    const renews = (refreshToken ?? "") !== "";
    return { is: "there", token: accessToken, expiresAt: expiresAt ?? undefined, renews };
  } catch {
    return { is: "none" };
  }
}

/** The token for a locked program, which can't renew it. Throws in words where there is none that holds. */
export async function lockedToken(configFolder: string, now: number): Promise<string> {
  const signIn = await signInOf(configFolder);
  if (signIn.is === "none") throw signedOut();
  if (signIn.expiresAt !== undefined && signIn.expiresAt <= now)
    throw new GatewayError("engine-unauthorized", "Claude Code's sign-in has to be renewed first.", {
      hint: "It is renewed when the owner's own chat with it answers next; with an apiKey in the config this does not happen.",
    });
  return signIn.token;
}

// The way to an app: its program on this machine, or its address.
import { join } from "node:path";
import type { Surroundings } from "../core/surroundings.ts";
import type { AppEntry } from "./entries.ts";
import type { Bounds, Wire } from "./link.ts";
import { commandOf, filled, type Variables } from "./needs.ts";
import type { SignInApp, SignInDesk } from "./oauth.ts";
import { remoteWire, type Challenge } from "./remote.ts";
import { stdioWire } from "./stdio.ts";

/** What a way is made with. */
export type WireAround = {
  readonly env: Variables;
  /** Programs run in a folder of their own under it. */
  readonly work: string;
  /** The data folder: closed to every app. */
  readonly folder: string;
  readonly bounds: Bounds;
  readonly surroundings: Surroundings;
  readonly signIns: SignInDesk;
};

/** `signIn`: how people sign in to it, where they do. `challenged`: what its server says about a missing or refused sign-in. */
export async function wireTo(
  entry: AppEntry,
  signIn: SignInApp | undefined,
  { env, work, folder, bounds, surroundings, signIns }: WireAround,
  challenged: (challenge: Challenge) => void,
): Promise<Wire> {
  const { id, name, connect } = entry;
  const values = filled(entry, env);
  if (connect.kind === "stdio") {
    const command = commandOf(entry, env, folder);
    return await stdioWire(name, command, values, join(work, "apps", id), bounds, surroundings);
  }
  const nobody = { token: async () => undefined, renew: async () => false };
  const bearer = signIn === undefined ? nobody : signIns.bearer(signIn);
  const address = { name, url: connect.url, headers: values, bearer, challenged };
  return await remoteWire(address, bounds, surroundings.clock);
}

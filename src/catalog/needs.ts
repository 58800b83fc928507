// What an entry needs before it can be connected: variables that are set, values filled in, a sign-in.
import { GatewayError } from "../core/error.ts";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { AppEntry } from "./entries.ts";
import type { SignInApp } from "./oauth.ts";
import type { Connects } from "./port.ts";

/** Environment variables, as the config and its .env file hold them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The app as people sign in to it; undefined when it asks for no sign-in. */
export function signInApp({ id, name, connect }: AppEntry, env: Variables): SignInApp | undefined {
  if (connect.kind !== "http" || !connect.signIn) return undefined;
  if (connect.client === undefined) return { id, name, url: connect.url };
  const { idKey, secretKey } = connect.client;
  const secret = secretKey === undefined ? undefined : env[secretKey];
  return { id, name, url: connect.url, client: { id: env[idKey] ?? "", secret } };
}

/** How it is connected, as people are told. */
export function connectsBy(entry: AppEntry, env: Variables): Connects {
  const names = keysOf(entry);
  if (names.length > 0) return { by: "key", variables: names.map((name) => ({ name, set: isSet(env, name) })) };
  return { by: entry.connect.kind === "http" && entry.connect.signIn ? "sign-in" : "nothing" };
}

/** Which variables are missing, in words; undefined when none is. */
export function missingWords(entry: AppEntry, env: Variables): string | undefined {
  const missing = keysOf(entry).filter((key) => !isSet(env, key));
  if (missing.length === 0) return undefined;
  return `${entry.name} needs ${missing.join(" and ")}: put it into the .env file beside the config, and restart Tidegate.`;
}

/** A server that asks for a sign-in where its entry knows of none: what it was sent does not do. */
export function keyRefused(entry: AppEntry, cause: unknown): GatewayError {
  const keys = keysOf(entry);
  const what = keys.length === 0 ? "what its entry in the config sends" : keys.join(" and ");
  return new GatewayError("app-failed", `${entry.name} did not let Tidegate in. Check ${what}.`, { cause });
}

/** The environment of a program, or the headers of each request: `${NAME}` of the entry's own variables filled in, and of no others. */
export function filled(entry: AppEntry, env: Variables): Readonly<Record<string, string>> {
  const { connect } = entry;
  const keys = keysOf(entry);
  const values = Object.entries((connect.kind === "stdio" ? connect.env : connect.headers) ?? {});
  const named = connect.kind === "stdio" ? [...PASSED_ON.filter((name) => isSet(env, name)), ...keys] : [];
  const own = named.map((key) => [key, env[key] ?? ""] as const);
  return Object.fromEntries([...own, ...values.map(([name, value]) => [name, fill(value, keys, env)] as const)]);
}

/** How this machine reaches the outside, which a program that fetches itself needs to know as much as we do. */
const PASSED_ON: readonly string[] = [
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
];

/**
 * A program and its arguments, `${NAME}` of the entry's own variables filled in. Throws a GatewayError when one of them names a place
 * that is closed to apps: `closed`, what holds it, or what lies in it.
 */
export function commandOf({ name, connect, ...entry }: AppEntry, env: Variables, closed: string): readonly string[] {
  if (connect.kind !== "stdio") return [];
  const keys = keysOf({ name, connect, ...entry });
  return connect.command.map((part) => {
    const whole = fill(part, keys, env);
    if (whole !== part && isAbsolute(whole) && (holds(whole, closed) || holds(closed, whole)))
      throw new GatewayError("app-failed", `${name} can't be given ${whole}: what Tidegate keeps lies there.`, {
        hint: "Give it a folder of its own.",
      });
    return whole;
  });
}

function fill(value: string, keys: readonly string[], env: Variables): string {
  return keys.reduce((text, key) => text.replaceAll(`\${${key}}`, () => env[key] ?? ""), value);
}

function holds(folder: string, place: string): boolean {
  const way = relative(resolve(folder), resolve(place));
  return way === "" || (!isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`));
}

function keysOf({ connect }: AppEntry): readonly string[] {
  const { idKey, secretKey } = (connect.kind === "http" ? connect.client : undefined) ?? {};
  return [...(connect.keys ?? []), ...[idKey, secretKey].filter((key) => key !== undefined)];
}

function isSet(env: Variables, name: string): boolean {
  return (env[name] ?? "") !== "";
}

// Small settings behind Keyv, in a file of their own: another Keyv backend can take its place by another `connect`.
// Keyv, and the native SQLite addon under @keyv/sqlite, are loaded at the first use, not at start.
import type { Keyv } from "keyv";
import { GatewayError } from "../core/error.ts";
import type { Settings } from "./port.ts";

/** How to reach a Keyv; called once, at the first use. */
export type ConnectKeyv = () => Promise<Keyv>;

/** Settings that came with a backup and are not in the Keyv yet. */
export type KeptSettings = {
  read(): readonly (readonly [key: string, value: unknown])[];
  /** They are in the Keyv now. */
  forget(): Promise<void>;
};

/**
 * `isEmpty`: nothing was ever kept there, which needs no Keyv to know. Settings over a Keyv. Disposing ends the connection, if there ever was one. Every call throws a
 * GatewayError when the backend fails.
 */
export function openSettings(
  connect: ConnectKeyv,
  kept: KeptSettings,
  isEmpty: () => boolean = () => false,
): Settings & AsyncDisposable {
  let connected: Promise<Keyv> | undefined;
  const keyv = (): Promise<Keyv> => {
    connected ??= takeOver(connect, kept);
    // A failed connection is tried again at the next use.
    connected.catch(() => {
      connected = undefined;
    });
    return connected;
  };
  return {
    get: <T>(key: string) =>
      inWords(async () => {
        if (connected === undefined && isEmpty() && kept.read().length === 0) return undefined;
        return await (await keyv()).get<T>(key);
      }),
    set: (key, value) =>
      inWords(async () => {
        await (await keyv()).set(key, value);
      }),
    delete: (key) =>
      inWords(async () => {
        await (await keyv()).delete(key);
      }),
    async [Symbol.asyncDispose]() {
      const open = await connected?.catch(() => undefined);
      await open?.disconnect();
    },
  };
}

async function takeOver(connect: ConnectKeyv, kept: KeptSettings): Promise<Keyv> {
  const keyv = await connect();
  const waiting = kept.read();
  for (const [key, value] of waiting) await keyv.set(key, value);
  if (waiting.length > 0) await kept.forget();
  return keyv;
}

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new GatewayError("data-broken", "The settings can't be read or written.", { cause });
  }
}

/** A Keyv that forgets everything when it is closed. */
export function memoryKeyv(): ConnectKeyv {
  return async () => {
    const { Keyv: Memory } = await import("keyv");
    return new Memory();
  };
}

/** A Keyv in the SQLite file at `path`, which must be there (it may be empty) so that its mode is the caller's choice. */
export function fileKeyv(path: string): ConnectKeyv {
  return async () => {
    const [{ Keyv: OverBackend }, { KeyvSqlite }] = await Promise.all([import("keyv"), import("@keyv/sqlite")]);
    const backend = new KeyvSqlite({ uri: `sqlite://${path}`, busyTimeout: 5_000, iterationLimit: 1_000 });
    // Failures come back from each call (throwOnErrors); as an event without a listener they would end the process.
    const keyv = new OverBackend({ store: backend, throwOnErrors: true });
    keyv.on("error", () => undefined);
    // Fails here when the file can't be opened, so that the next use tries again.
    await backend.query("SELECT 1");
    return keyv;
  };
}

/** Everything in a Keyv. Needs a backend that can be iterated, as both of the above can. */
export async function allSettings(keyv: Keyv): Promise<readonly (readonly [key: string, value: unknown])[]> {
  const all: [string, unknown][] = [];
  if (keyv.iterator === undefined) throw new GatewayError("data-broken", "These settings can't be copied.");
  for await (const [key, value] of keyv.iterator(undefined) as AsyncIterable<[string, unknown]>) all.push([key, value]);
  return all;
}

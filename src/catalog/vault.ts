// Secrets of apps at rest: AES-256-GCM under a key in a file of its own beside the settings that hold what is sealed.
import { createCipheriv, createDecipheriv } from "node:crypto";
import { constants } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { GatewayError } from "../core/error.ts";
import type { Random } from "../core/surroundings.ts";
import type { Settings } from "../store/port.ts";

/** What is kept for an app. `lost`: something is there, and can't be opened any more. */
export type Kept<T> = { readonly is: "none" | "lost" } | { readonly is: "kept"; readonly value: T };

/** Sealed values by app id. */
export type Vault<T> = {
  read(app: string): Promise<Kept<T>>;
  write(app: string, value: T): Promise<void>;
  delete(app: string): Promise<void>;
};

const KEY_FILE = "apps.key";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Opens the vault of a data folder. The key file (mode 0600) is made with the first value. */
export function openVault<T>(folder: string, settings: Settings, random: Random): Vault<T> {
  const path = join(folder, KEY_FILE);
  const place = (app: string): string => `sealed/${app}`;
  // Two first values at once share one key.
  let making: Promise<Buffer> | undefined;
  const keyToWrite = async (): Promise<Buffer> => {
    making ??= readKey(path).then(async (key) => key ?? (await makeKey(path, random)));
    return await making.finally(() => {
      making = undefined;
    });
  };
  return {
    async read(app) {
      const sealed = await settings.get<unknown>(place(app));
      if (sealed === undefined) return { is: "none" };
      const key = await readKey(path);
      const text = key === undefined || typeof sealed !== "string" ? undefined : unseal(sealed, app, key);
      return text === undefined ? { is: "lost" } : { is: "kept", value: JSON.parse(text) as T };
    },
    async write(app, value) {
      const key = await keyToWrite();
      await settings.set(place(app), seal(JSON.stringify(value), app, key, bytes(random, NONCE_BYTES)));
    },
    delete: (app) => settings.delete(place(app)),
  };
}

function bytes(random: Random, count: number): Buffer {
  return Buffer.from(random.key(count), "base64url");
}

/** Nonce, tag and ciphertext as base64. The app's id is bound to it: what is sealed for one opens for no other. */
function seal(text: string, app: string, key: Buffer, nonce: Buffer): string {
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(app));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
}

function unseal(sealed: string, app: string, key: Buffer): string | undefined {
  const all = Buffer.from(sealed, "base64");
  if (all.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = all.subarray(0, NONCE_BYTES);
  const tag = all.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(app))
      .setAuthTag(tag);
    return decipher.update(all.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return undefined;
  }
}

async function readKey(path: string): Promise<Buffer | undefined> {
  try {
    const key = Buffer.from(await readFile(path, "utf8"), "base64url");
    return key.length === KEY_BYTES ? key : undefined;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new GatewayError("data-broken", "The key file of the apps can't be read.", { cause });
  }
}

/** Takes the place of one that is no key. */
async function makeKey(path: string, random: Random): Promise<Buffer> {
  const key = bytes(random, KEY_BYTES);
  try {
    const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o600);
    try {
      await file.chmod(0o600);
      await file.writeFile(key.toString("base64url"));
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new GatewayError("data-broken", "The key file of the apps can't be written.", { cause });
  }
  return key;
}

// The arguments of one Bot API call, whatever way they came: JSON, form fields (where objects are
// JSON strings and numbers are text), multipart or the query string.
import type { FilePart } from "./multipart.ts";
import { badRequest } from "./telegram-state.ts";

export class Params {
  readonly raw: Record<string, unknown>;
  readonly files: Record<string, FilePart>;

  constructor(raw: Record<string, unknown>, files: Record<string, FilePart> = {}) {
    this.raw = raw;
    this.files = files;
  }

  text(name: string): string | undefined {
    const value = this.raw[name];
    if (value === undefined || value === null) return undefined;
    return asText(value);
  }

  number(name: string): number | undefined {
    const value = this.raw[name];
    if (value === undefined || value === null || value === "") return undefined;
    const number = Number(value);
    if (!Number.isSafeInteger(number)) throw badRequest(`invalid ${name} specified`);
    return number;
  }

  flag(name: string): boolean {
    const value = this.raw[name];
    return value === true || value === "true" || value === "True" || value === "1";
  }

  /** An object or list, in the shape the method's types promise; nothing here checks that. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names what the caller reads
  object<T>(name: string): T | undefined {
    const value = this.raw[name];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value !== "string") return value as T;
    try {
      return JSON.parse(value) as T;
    } catch {
      throw badRequest(`can't parse ${name} JSON object`);
    }
  }

  /** A chat by number or by @username. */
  get chatId(): number | string {
    const value = this.raw["chat_id"];
    if (value === undefined || value === null || value === "") {
      throw badRequest("chat_id is empty");
    }
    if (typeof value === "number") return value;
    const text = asText(value);
    return /^-?\d+$/.test(text) ? Number(text) : text;
  }

  /** An uploaded file, by `attach://name` or straight in the field. */
  file(name: string): FilePart | undefined {
    const reference = this.text(name);
    return reference?.startsWith("attach://") ? this.files[reference.slice("attach://".length)] : this.files[name];
  }
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

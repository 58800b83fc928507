// The arguments of a Web API call: form-urlencoded with objects as JSON strings, JSON, or multipart.
import type { IncomingMessage } from "node:http";
import { boundaryOf, parseMultipart } from "./multipart.ts";
import { Refusal } from "./slack-state.ts";

export class Params {
  readonly raw: Record<string, unknown>;

  constructor(raw: Record<string, unknown>) {
    this.raw = raw;
  }

  has(name: string): boolean {
    return this.raw[name] !== undefined && this.raw[name] !== "";
  }

  text(name: string): string | undefined {
    const value = this.raw[name];
    if (value === undefined || value === null) return undefined;
    return typeof value === "string" ? value : JSON.stringify(value);
  }

  /** Throws the platform's answer to a call without it. */
  required(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === "") {
      throw new Refusal("invalid_arguments", {
        response_metadata: { messages: [`[ERROR] missing required field: ${name}`] },
      });
    }
    return value;
  }

  number(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined || value === "") return undefined;
    const number = Number(value);
    if (Number.isNaN(number)) throw new Refusal("invalid_arguments");
    return number;
  }

  flag(name: string): boolean {
    return ["true", "1", "True"].includes(this.text(name) ?? "");
  }

  /** Undefined when it was not given; `refusal` when it is no JSON. */
  json(name: string, refusal: string): unknown {
    const value = this.raw[name];
    if (value === undefined || value === "" || value === null) return undefined;
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      throw new Refusal(refusal);
    }
  }
}

export function readParams(request: IncomingMessage, body: Buffer, query: string): Params {
  const fromQuery = query ? Object.fromEntries(new URLSearchParams(query)) : {};
  if (body.length === 0) return new Params(fromQuery);
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/form-data")) {
    return new Params({ ...fromQuery, ...parseMultipart(body, boundaryOf(type) ?? "").fields });
  }
  if (type.startsWith("application/json")) {
    try {
      return new Params({ ...fromQuery, ...(JSON.parse(body.toString("utf8")) as Record<string, unknown>) });
    } catch {
      throw new Refusal("invalid_json");
    }
  }
  return new Params({ ...fromQuery, ...Object.fromEntries(new URLSearchParams(body.toString("utf8"))) });
}

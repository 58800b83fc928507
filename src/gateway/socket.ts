// How a command reaches the live gateway: JSON lines over a socket of mode 0600 in the data folder.
import { chmod, rm } from "node:fs/promises";
import { createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { asGatewayError, GatewayError, type ErrorCode } from "../core/error.ts";
import type { Logger } from "../core/surroundings.ts";
import { oneLine } from "../core/text.ts";
import { nearest } from "./nearest.ts";

/** What `people` does. */
export const PEOPLE_VERBS = ["list", "let-in", "block", "forget", "pair"] as const;

const request: z.ZodType<Request> = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("run"), prompt: z.string().min(1), tools: z.array(z.string()).optional() }),
  z.strictObject({ do: z.literal("apps") }),
  z.strictObject({ do: z.literal("archive"), conversation: z.string().min(1) }),
  z.strictObject({ do: z.literal("delete"), conversation: z.string().min(1) }),
  z.strictObject({ do: z.literal("status") }),
  z.strictObject({ do: z.literal("search"), words: z.string() }),
  z.strictObject({ do: z.literal("people"), verb: z.enum(PEOPLE_VERBS), id: z.string().min(1).max(200).optional() }),
]);
const response: z.ZodType<Response> = z.union([
  z.strictObject({ ok: z.literal(true), text: z.string() }),
  z.strictObject({ ok: z.literal(false), code: z.string(), message: z.string(), hint: z.string().optional() }),
]);

/** What a command asks of the gateway. */
export type Request =
  /** `tools`: just these, by name. */
  | { readonly do: "run"; readonly prompt: string; readonly tools?: readonly string[] | undefined }
  | { readonly do: "apps" }
  | { readonly do: "archive" | "delete"; readonly conversation: string }
  | { readonly do: "status" }
  | { readonly do: "search"; readonly words: string }
  /** `id`: a platform and an id there, as in `telegram/12345`. */
  | { readonly do: "people"; readonly verb: (typeof PEOPLE_VERBS)[number]; readonly id?: string | undefined };
type Response =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly hint?: string | undefined };

/** What was typed after `people`, checked. Throws a GatewayError with the nearest. */
export function peopleRequest(typed: string, id: string | undefined): Request {
  const verb = PEOPLE_VERBS.find((one) => one === typed);
  if (verb === undefined) {
    const near = nearest(typed, PEOPLE_VERBS);
    throw new GatewayError(
      "bad-request",
      `people can't ${oneLine(typed)}.${near === undefined ? "" : ` Did you mean ${near}?`} It has: ${PEOPLE_VERBS.join(", ")}.`,
    );
  }
  const needsId = verb !== "list" && verb !== "pair";
  if (needsId === (id !== undefined)) return { do: "people", verb, id };
  throw new GatewayError(
    "bad-request",
    needsId ? `Whom? people ${verb} needs an id, such as telegram/12345.` : `people ${verb} takes no id.`,
    { hint: "./tidegate people lists who is known." },
  );
}

/** Carries out a request; the text is what the command prints. Throws a GatewayError in words. `signal`: whoever asked is gone. */
export type Carry = (asked: Request, signal: AbortSignal) => Promise<string>;

/** What every system takes as a socket's path. */
const MAX_PATH_BYTES = 103;
/** More than the longest answer that an engine may give, escaped. */
const MAX_LINE_CHARS = 10_000_000;

/** Where the socket of a data folder is. */
export function socketPath(data: string): string {
  return join(data, "gateway.sock");
}

/** Throws a GatewayError when the data folder's path is too long for a socket in it. */
export function refuseLongPath(data: string): void {
  if (Buffer.byteLength(socketPath(data)) <= MAX_PATH_BYTES) return;
  throw new GatewayError("data-broken", `The path of the data folder ${data} is too long for a socket in it.`, {
    hint: "Name a folder with a shorter path as data.",
  });
}

/** Listens in the data folder, whose lock the caller holds: a socket that is there already was left by a gateway that died. */
export async function listen(data: string, carry: Carry, log: Logger): Promise<AsyncDisposable> {
  refuseLongPath(data);
  const path = socketPath(data);
  await rm(path, { force: true });
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => open.delete(socket));
    void serve(socket, carry, log);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) =>
      reject(new GatewayError("data-broken", `The socket ${path} can't be opened.`, { cause })),
    );
    server.listen(path, resolve);
  });
  await chmod(path, 0o600);
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(path, { force: true });
    },
  };
}

async function serve(socket: Socket, carry: Carry, log: Logger): Promise<void> {
  const gone = new AbortController();
  socket.on("close", () => gone.abort());
  try {
    const line = await firstLine(socket);
    const text = await carry(request.parse(JSON.parse(line)), gone.signal);
    socket.end(`${JSON.stringify({ ok: true, text })}\n`);
  } catch (thrown) {
    const error = asGatewayError(thrown, "bad-request");
    if (error.code === "bad-request" && !(thrown instanceof GatewayError))
      log.warn({ err: thrown }, "a request on the socket can't be carried out");
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    socket.end(`${JSON.stringify({ ok: false, code: error.code, message: error.message, ...hint })}\n`);
  }
}

/**
 * Asks the live gateway of a data folder; `signal`: nobody waits any longer. Undefined when none is listening. Throws the
 * GatewayError that it answers.
 */
export async function ask(data: string, asked: Request, signal?: AbortSignal): Promise<string | undefined> {
  const socket = createConnection(socketPath(data));
  signal?.addEventListener("abort", () => socket.destroy(), { once: true });
  const connected = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
  });
  if (!connected) return undefined;
  socket.on("error", () => undefined);
  socket.write(`${JSON.stringify(asked)}\n`);
  const answer = response.parse(JSON.parse(await firstLine(socket)));
  socket.end();
  if (answer.ok) return answer.text;
  throw new GatewayError(
    answer.code as ErrorCode,
    answer.message,
    answer.hint === undefined ? {} : { hint: answer.hint },
  );
}

/** The first line, up to "\n" alone: JSON may hold other marks that end a line elsewhere. What follows is read and dropped, so that an end is seen. */
async function firstLine(socket: Socket): Promise<string> {
  return await new Promise((resolve, reject) => {
    let text = "";
    let whole = false;
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      if (whole) return;
      const end = chunk.indexOf("\n");
      text += end < 0 ? chunk : chunk.slice(0, end);
      if (text.length > MAX_LINE_CHARS) socket.destroy();
      else if (end >= 0) resolve(text);
      whole = end >= 0;
    });
    socket.on("close", () => reject(new GatewayError("not-running", "The gateway ended before it answered.")));
  });
}

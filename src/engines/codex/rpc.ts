// Codex's app-server on a program's pipes: JSON-RPC messages without their version, one a line.
import type { Readable, Writable } from "node:stream";
import { z } from "zod";
import { GatewayError } from "../../core/error.ts";
import type { Clock } from "../../core/surroundings.ts";
import { readAnswer } from "./incoming.ts";
import type { Answers, Requests } from "./protocol.ts";

/** A request that the program refused. Its words are for the log. */
export class Refused extends Error {
  readonly code: number;

  constructor(code: number, words: string) {
    super(words);
    this.name = "Refused";
    this.code = code;
  }
}

/** What the program tells and asks by itself. `ask` gives the result, or undefined for what isn't known here. */
export type Ears = {
  readonly tell: (method: string, params: unknown) => void;
  readonly ask: (method: string, params: unknown) => Promise<object> | undefined;
};

export type Rpc = {
  /** Throws `Refused`, or a GatewayError when no answer comes in time or the program has ended. */
  readonly request: <M extends keyof Requests>(method: M, params: Requests[M], waitMs?: number) => Promise<Answers[M]>;
  readonly notify: (method: string) => void;
  /** Who hears from now on; what came before was lost. */
  readonly hear: (ears: Ears) => void;
  /** The program has ended, or can't be heard any more: every open request fails. */
  readonly close: () => void;
};

const REQUEST_MS = 30_000;
/** A tool's whole output may be in one; no more than this is held of a line. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
const UNKNOWN_METHOD = -32_601;
const INTERNAL = -32_603;

const message = z.object({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

type Pending = { readonly settle: (answer: z.output<typeof message>) => void; readonly fail: (error: Error) => void };

export function openRpc(input: Writable, output: Readable, clock: Clock): Rpc {
  const pending = new Map<number, Pending>();
  let ears: Ears | undefined;
  let count = 0;
  let closed = false;

  const send = (body: object): void => {
    if (!closed) input.write(`${JSON.stringify(body)}\n`);
  };
  const answer = async (id: number | string, method: string, params: unknown): Promise<void> => {
    try {
      const result = await ears?.ask(method, params);
      send(result === undefined ? { id, error: { code: UNKNOWN_METHOD, message: "Not known here." } } : { id, result });
    } catch {
      send({ id, error: { code: INTERNAL, message: "That can't be answered." } });
    }
  };
  readLines(output, (line) => {
    const read = message.safeParse(asJson(line));
    if (!read.success) return;
    const { id, method, params } = read.data;
    if (method === undefined) {
      if (typeof id === "number") pending.get(id)?.settle(read.data);
    } else if (id === undefined) ears?.tell(method, params);
    else void answer(id, method, params);
  });

  return {
    async request(method, params, waitMs = REQUEST_MS) {
      if (closed) throw gone();
      const id = (count += 1);
      const { promise, resolve, reject } = Promise.withResolvers<z.output<typeof message>>();
      pending.set(id, { settle: resolve, fail: reject });
      const enough = new AbortController();
      clock.sleep(waitMs, enough.signal).then(
        () => reject(new GatewayError("engine-silent", "Codex did not answer in time.")),
        () => undefined,
      );
      try {
        send({ id, method, params });
        const { result, error } = await promise;
        if (error !== undefined) throw new Refused(error.code, error.message);
        const answered = readAnswer(method, result);
        if (answered === undefined)
          throw new GatewayError("engine-bad-answer", "Codex gave an answer that can't be understood.");
        return answered;
      } finally {
        enough.abort();
        pending.delete(id);
      }
    },
    notify: (method) => send({ method }),
    hear: (who) => {
      ears = who;
    },
    close() {
      closed = true;
      for (const { fail } of pending.values()) fail(gone());
    },
  };
}

/** The program has ended by itself. */
export function gone(): GatewayError {
  return new GatewayError("engine-failed", "Codex ended in the middle of its work.", {
    hint: "Write again, and it is started anew; what was said before is kept.",
  });
}

function asJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Whole lines as they come. One that is too long is left out. */
function readLines(output: Readable, take: (line: string) => void): void {
  let parts: Buffer[] = [];
  let bytes = 0;
  output.on("data", (chunk: Buffer) => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      bytes += end;
      if (bytes <= MAX_LINE_BYTES) take(Buffer.concat([...parts, rest.subarray(0, end)]).toString("utf8"));
      rest = rest.subarray(end + 1);
      parts = [];
      bytes = 0;
    }
    bytes += rest.length;
    if (bytes > MAX_LINE_BYTES) parts = [];
    else if (rest.length > 0) parts.push(rest);
  });
}

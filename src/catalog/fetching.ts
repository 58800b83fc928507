// Every request to a remote app and to where it signs people in: which addresses, for how long, how much.
import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { GatewayError } from "../core/error.ts";
import type { Clock } from "../core/surroundings.ts";

/** As the MCP SDK takes it. */
export type Fetching = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** `server`: the app's own address. `wholeMs`: for a request and all of its answer; a stream that only listens has it for the answer's head. */
export type FetchRules = {
  readonly name: string;
  readonly server: URL;
  readonly clock: Clock;
  readonly wholeMs: number;
  readonly maxBytes: number;
  /** An answer broke off, was too large or took too long after its head had come: whoever waits for it learns it here. */
  readonly broken?: (why: GatewayError) => void;
};

const closed = new BlockList();
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["224.0.0.0", 3],
] as const)
  closed.addSubnet(net, bits, "ipv4");
for (const [net, bits] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  closed.addSubnet(net, bits, "ipv6");

/** A fetch that keeps to the rules. It follows no redirect; it throws a GatewayError in words when an address is refused. */
export function guardedFetch(rules: FetchRules): Fetching {
  return async (url, init = {}) => {
    const target = new URL(url);
    await assertAddress(rules.name, rules.server, target);
    const done = new AbortController();
    const late = new AbortController();
    const signal = AbortSignal.any([...(init.signal instanceof AbortSignal ? [init.signal] : []), late.signal]);
    void rules.clock.sleep(rules.wholeMs, done.signal).then(
      () => late.abort(new GatewayError("app-failed", `${rules.name} did not answer in time.`)),
      () => undefined,
    );
    try {
      const response = await fetch(target, { ...init, signal, redirect: "manual" });
      if (response.body === null) {
        done.abort();
        return response;
      }
      // A stream that only listens may go on for days, and where it breaks the SDK opens another.
      const listening = listens(init);
      if (listening) done.abort();
      const broken = listening ? undefined : rules.broken;
      return new Response(capped(response.body, { ...rules, broken }, late.signal, done), response);
    } catch (thrown) {
      done.abort();
      if (late.signal.aborted) throw late.signal.reason;
      if (signal.aborted) throw thrown;
      // Not as it came: a TypeError would be taken for one that can be helped by asking once more.
      throw new GatewayError("app-failed", `${rules.name} can't be reached.`, { cause: thrown });
    }
  };
}

/**
 * Throws unless it is https, or http on this machine. What a public server names (where to sign in, where to get tokens) is not on this
 * machine or in a private network, by name or by what the name stands for.
 */
export async function assertAddress(name: string, server: URL, target: URL): Promise<void> {
  const refuse = (): never => {
    throw new GatewayError(
      "app-failed",
      `${name} named an address that is not followed: it is not https, or not public.`,
    );
  };
  const plain = target.protocol === "http:" && isLoopback(target.hostname);
  if ((target.protocol !== "https:" && !plain) || target.username !== "" || target.password !== "") refuse();
  if (target.host === server.host || isPrivate(server.hostname)) return;
  if (isPrivate(target.hostname)) refuse();
  if (isIP(bare(target.hostname)) !== 0) return;
  // A name that leads nowhere fails by itself.
  const addresses = await lookup(target.hostname, { all: true }).catch(() => []);
  if (addresses.some(({ address }) => isPrivate(address))) refuse();
}

/** Whether the host is this machine. */
export function isLoopback(host: string): boolean {
  const name = bare(host);
  return name === "localhost" || name === "::1" || (isIP(name) === 4 && name.startsWith("127."));
}

function isPrivate(host: string): boolean {
  const name = bare(host);
  // An IPv4 address in IPv6 clothes is checked by the same list.
  if (isIP(name) !== 0) return closed.check(name, isIP(name) === 6 ? "ipv6" : "ipv4");
  return !name.includes(".") || /\.(?:localhost|local|internal|home\.arpa)$/u.test(name);
}

function bare(host: string): string {
  return host.replace(/^\[|\]$|\.$/gu, "").toLowerCase();
}

function listens(init: RequestInit): boolean {
  return (init.method ?? "GET") === "GET" && new Headers(init.headers).get("accept") === "text/event-stream";
}

function capped(
  body: ReadableStream<Uint8Array>,
  rules: Omit<FetchRules, "broken"> & { readonly broken: FetchRules["broken"] | undefined },
  late: AbortSignal,
  done: AbortController,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  let unwanted = false;
  const fail = (why: GatewayError, controller: ReadableStreamDefaultController): void => {
    done.abort();
    controller.error(why);
    rules.broken?.(why);
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done: ended } = await reader.read();
        if (unwanted) return;
        if (ended) {
          done.abort();
          controller.close();
          return;
        }
        size += value.byteLength;
        if (size <= rules.maxBytes) {
          controller.enqueue(value);
          return;
        }
        reader.cancel().catch(() => undefined);
        fail(tooLarge(rules.name, rules.maxBytes), controller);
      } catch (cause) {
        if (unwanted) return;
        const broke = new GatewayError("app-failed", `The connection to ${rules.name} broke.`, { cause });
        fail(late.aborted ? (late.reason as GatewayError) : broke, controller);
      }
    },
    cancel: async (reason) => {
      unwanted = true;
      done.abort();
      await reader.cancel(reason);
    },
  });
}

/** What an answer that is too large is told as. */
export function tooLarge(name: string, maxBytes: number): GatewayError {
  const megabytes = Math.round(maxBytes / 1024 / 1024);
  return new GatewayError("app-failed", `${name} answered with more than ${megabytes} MB, which is too much to take.`);
}

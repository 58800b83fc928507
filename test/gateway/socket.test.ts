// The socket by which commands reach the live gateway.
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GatewayError } from "../../src/core/error.ts";
import { ask, listen, socketPath, type Request } from "../../src/gateway/socket.ts";

let data = "";
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "tg-"));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const silent = (): void => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };

/** Sends a line and gives what is answered. */
async function raw(line: string): Promise<string> {
  return await new Promise((resolve) => {
    const socket = createConnection(socketPath(data));
    let said = "";
    socket.on("data", (chunk) => (said += String(chunk)));
    socket.on("close", () => resolve(said));
    socket.on("error", silent);
    socket.write(line);
  });
}

test("D33: it has mode 0600, takes the place of one that a dead gateway left, and is gone afterwards", async () => {
  writeFileSync(socketPath(data), "left");
  {
    await using _live = await listen(data, async () => "done", log);
    expect(statSync(socketPath(data)).mode & 0o777).toBe(0o600);
    expect(await ask(data, { do: "run", prompt: "x" })).toBe("done");
  }
  expect(statSync(socketPath(data), { throwIfNoEntry: false })).toBeUndefined();
  expect(await ask(data, { do: "run", prompt: "x" })).toBeUndefined();
});

test("D33, G44: a folder whose path is too long for a socket is refused with what to do", async () => {
  const deep = join(data, "x".repeat(100));
  await expect(listen(deep, async () => "", log)).rejects.toMatchObject({
    code: "data-broken",
    hint: expect.stringContaining("shorter path"),
  });
  expect(await ask(deep, { do: "status" })).toBeUndefined();
});

test("D33: a request arrives whole, newlines and all, and a refusal comes back with its code and words", async () => {
  const seen: Request[] = [];
  await using _live = await listen(
    data,
    async (asked) => {
      seen.push(asked);
      if (asked.do === "run") return `${asked.prompt}!`;
      throw new GatewayError("not-found");
    },
    log,
  );
  const prompt = `two\nlines \u2028 ${"long ".repeat(20_000)}`;
  expect(await ask(data, { do: "run", prompt })).toBe(`${prompt}!`);
  await expect(ask(data, { do: "delete", conversation: "c1" })).rejects.toMatchObject({
    code: "not-found",
    message: "There is no such conversation.",
  });
  expect(seen).toEqual([
    { do: "run", prompt },
    { do: "delete", conversation: "c1" },
  ]);
});

test("D33: what is no request is refused, and nothing is carried out", async () => {
  let carried = 0;
  await using _live = await listen(
    data,
    async () => {
      carried += 1;
      return "";
    },
    log,
  );
  for (const line of [
    "nonsense\n",
    "{}\n",
    '{"do":"run"}\n',
    '{"do":"run","prompt":"x","more":1}\n',
    // Longer than any request, and without an end.
    `"${"x".repeat(10_100_000)}`,
  ]) {
    const said = await raw(line);
    expect(said === "" || said.startsWith('{"ok":false')).toBe(true);
  }
  expect(carried).toBe(0);
  expect(await ask(data, { do: "status" })).toBe("");
});

test("D33: whoever asked and left is told to what runs; a gateway that ends says so to who waits", async () => {
  const left = Promise.withResolvers<void>();
  let started = Promise.withResolvers<void>();
  const carry = async (_asked: Request, signal: AbortSignal): Promise<string> => {
    signal.addEventListener("abort", () => left.resolve());
    started.resolve();
    return await new Promise(() => undefined);
  };
  const live = await listen(data, carry, log);
  const patience = new AbortController();
  const asking = ask(data, { do: "run", prompt: "x" }, patience.signal);
  await started.promise;
  patience.abort();
  await expect(asking).rejects.toMatchObject({ code: "not-running" });
  await left.promise;
  started = Promise.withResolvers<void>();
  const waiting = ask(data, { do: "run", prompt: "x" });
  await started.promise;
  await Promise.all([live[Symbol.asyncDispose](), expect(waiting).rejects.toMatchObject({ code: "not-running" })]);
});

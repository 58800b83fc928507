// Recorded events with something in them replaced by junk: none ends the process or the connection, or hides what comes after it.
import { readFile, readdir } from "node:fs/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { OWNER, stage } from "./discord-stage.ts";

const FOLDER = new URL("../fixtures/discord/", import.meta.url);
const EVENTS = 500;
const AT_ONCE = 25;

type Packet = { t: unknown; d: unknown; op?: unknown; s?: unknown };

/** Every way into a value, down to its leaves. */
function pathsOf(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner).map((path) => [key, ...path]))];
}

function replaced(value: unknown, [key, ...path]: readonly string[], junk: unknown): unknown {
  if (key === undefined) return junk;
  if (typeof value !== "object" || value === null) return value;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = replaced(copy[key], path, junk);
  return copy;
}

async function recorded(): Promise<Packet[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".json"));
  const all = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(new URL(name, FOLDER), "utf8")) as Packet),
  );
  // A second session in the middle of the first would be a new one.
  return all.filter(({ t }) => t !== "READY");
}

test("T40, T44: five hundred events with junk in them are each left out or understood, and every good one after them arrives", async () => {
  const packets = await recorded();
  const { wire, pull, dm } = await stage();
  await pull.batch();
  const junk = fc.oneof(
    fc.constantFrom(null, undefined, "", 0, -1, true, [], {}, [null], "\uD800", "9".repeat(400), { id: null }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const one = fc
    .tuple(fc.constantFrom(...packets), fc.nat(), fc.nat(), junk, junk)
    .map(([packet, first, second, ...values]) => {
      const [a, b] = [first, second].map((at) => {
        const paths = pathsOf(packet.d);
        return paths[at % paths.length] ?? [];
      });
      const once = replaced(packet.d, a ?? [], values[0]);
      const deep = second % 3 === 0 && typeof once === "object" && once !== null && a?.[0] !== b?.[0];
      return { ...packet, d: deep ? replaced(once, b ?? [], values[1]) : once };
    });
  const events = fc.sample(one, EVENTS);
  const heard: string[] = [];
  for (let at = 0; at < EVENTS; at += AT_ONCE) {
    for (const event of events.slice(at, at + AT_ONCE)) wire.gateway.dispatch(event as never);
    const id = wire.say(dm, OWNER, `good ${at}`);
    for (let found = false; !found;) {
      const batch = (await pull.batch()) ?? [];
      found = batch.some(({ key }) => key === id);
      for (const { raw } of batch) heard.push(pull.platform.channel.read(raw).kind);
    }
  }
  expect(heard.filter((kind) => kind === "malformed")).toEqual([]);
  expect(wire.gateway.identifies).toBe(1);
  expect(wire.connected).toBe(true);
});

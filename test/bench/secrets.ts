// How long taking secrets out takes: per message, per MB, and on texts made to be hard for each pattern.
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { allScrubbed, scrubShapes, SHAPES } from "../../src/taint/shapes.ts";
import { hostileTexts } from "../taint/hostile.ts";

const HOSTILE_BYTES = 20_000;
const MESSAGES = [
  "Can you move the dentist to Thursday afternoon and tell Ana? She prefers 3pm.",
  "Hier ist die Zusammenfassung von gestern: drei Punkte offen, zwei erledigt, ok",
  "昨天的会议记录在这里，请帮我总结一下三个最重要的决定，然后发给安娜和王先生。",
];
/** Words that make the scrubber look twice, without a secret. */
const NEAR_MISSES = "I forgot my password again, the token economy is odd, press any key and pin the note.";

/** A table of milliseconds on 20 kB of hostile text per pattern, and of microseconds per message. */
export async function secretsBench(): Promise<string> {
  const hostile = hostileTexts(HOSTILE_BYTES);
  const rows = SHAPES.map(({ name, find }) => {
    const [worst] = hostile
      .map(({ name: text, text: long }) => ({ text, ms: bestMs(() => find(long), 3) }))
      .toSorted((a, b) => b.ms - a.ms);
    return { name, ms: worst?.ms ?? 0, text: worst?.text ?? "" };
  });
  const whole = hostile
    .map(({ name, text }) => ({
      name,
      ms: bestMs(() => scrubShapes(text), 3),
      twiceMs: bestMs(() => scrubShapes(text + text), 3),
    }))
    .toSorted((a, b) => b.ms - a.ms);
  const known = allScrubbed([
    "123456789:".concat("AAbb".repeat(8)),
    "xoxb-".concat("12ab".repeat(12)),
    "sk-ant-".concat("9Zq".repeat(30)),
  ]);
  const lines = [
    `secrets: worst pattern on 20 kB of hostile text`,
    ...rows
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, 8)
      .map(({ name, ms, text }) => `  ${name.padEnd(16)} ${ms.toFixed(2)} ms (${text})`),
    `secrets: everything on 20 kB of hostile text, and on twice as much`,
    ...whole
      .slice(0, 6)
      .map(({ name, ms, twiceMs }) => `  ${name.padEnd(24)} ${ms.toFixed(2)} ms, ${twiceMs.toFixed(2)} ms`),
    `secrets: µs per message`,
    ...[...MESSAGES, NEAR_MISSES].map(
      (text) =>
        `  ${perCallMicros(() => scrubShapes(text)).toFixed(2)} by shape, ${perCallMicros(() => known(text)).toFixed(2)} with 3 known ones: ${text.slice(0, 40)}`,
    ),
    `secrets: ${bestMs(() => scrubShapes(`${MESSAGES[0]}\n`.repeat(13_000)), 3).toFixed(0)} ms per MB of messages`,
    `secrets: ${bestMs(() => scrubShapes(`${NEAR_MISSES}\n`.repeat(100)), 5).toFixed(2)} ms per 8 kB full of near misses`,
  ];
  return lines.join("\n");
}

function bestMs(work: () => unknown, times: number): number {
  const spent = Array.from({ length: times }, () => {
    const from = performance.now();
    work();
    return performance.now() - from;
  });
  return Math.min(...spent);
}

function perCallMicros(work: () => unknown): number {
  for (let n = 0; n < 2000; n++) work();
  return (
    (bestMs(() => {
      for (let n = 0; n < 2000; n++) work();
    }, 5) *
      1000) /
    2000
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) process.stdout.write(`${await secretsBench()}\n`);

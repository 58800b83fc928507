import { expect, test } from "vitest";
import type { EntryBody } from "../../src/core/conversation.ts";
import type { Usage } from "../../src/core/turn.ts";
import { usageLine } from "../../src/gateway/usage.ts";

const none = { model: "m", inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const used = (engine: string, usage: Partial<Usage>): EntryBody => ({
  kind: "usage",
  turn: "t",
  engine,
  usage: { ...none, ...usage },
});

test("G15: usage is that of all answers; with several engines in one chat it says what each of them used", () => {
  expect(usageLine([])).toBe("Used so far: nothing yet");
  const claude = [
    used("claude", { inputTokens: 1000, outputTokens: 200, cacheReadTokens: 500, costUsd: 0.0123 }),
    used("claude", { inputTokens: 500, outputTokens: 50, costUsd: 0.001 }),
  ];
  expect(usageLine(claude)).toBe(
    "Used so far: 1,500 tokens in (33 % from cache), 250 out, in 2 answers, about $0.0133",
  );
  // No price is known of the other: what is stated is claude's alone.
  const both = [...claude, used("co_dex", { inputTokens: 30, outputTokens: 4 })];
  expect(usageLine(both)).toBe(
    "Used so far: 1,530 tokens in (33 % from cache), 254 out, in 3 answers, about $0.0133. Of that claude: 1,500 tokens in (33 % from cache), 250 out, in 2 answers, about $0.0133; co\\_dex: 30 tokens in, 4 out, in 1 answer",
  );
});

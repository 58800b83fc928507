// What a chat has cost so far, in words.
import type { EntryBody } from "../core/conversation.ts";
import { escapeMarkdown } from "../core/text.ts";

type Sum = { answers: number; input: number; output: number; cached: number; cost: number };

/** A line on the usage of all answers in a log; with more than one engine, what each of them used. */
export function usageLine(entries: readonly EntryBody[]): string {
  const all = zero();
  const engines = new Map<string, Sum>();
  for (const entry of entries) {
    if (entry.kind !== "usage") continue;
    const own = engines.get(entry.engine) ?? zero();
    engines.set(entry.engine, own);
    for (const sum of [all, own]) {
      sum.answers += 1;
      sum.input += entry.usage.inputTokens;
      sum.output += entry.usage.outputTokens;
      sum.cached += entry.usage.cacheReadTokens;
      sum.cost += entry.usage.costUsd ?? 0;
    }
  }
  if (all.answers === 0) return "Used so far: nothing yet";
  if (engines.size === 1) return `Used so far: ${sumWords(all)}`;
  const each = [...engines].map(([name, sum]) => `${escapeMarkdown(name)}: ${sumWords(sum)}`);
  return `Used so far: ${sumWords(all)}. Of that ${each.join("; ")}`;
}

function zero(): Sum {
  return { answers: 0, input: 0, output: 0, cached: 0, cost: 0 };
}

function sumWords({ answers, input, output, cached, cost }: Sum): string {
  const number = (value: number): string => value.toLocaleString("en-US");
  const share = cached === 0 ? "" : ` (${Math.round((100 * cached) / input)} % from cache)`;
  return `${number(input)} tokens in${share}, ${number(output)} out, in ${answers} ${answers === 1 ? "answer" : "answers"}${cost > 0 ? `, about $${cost.toFixed(4)}` : ""}`;
}

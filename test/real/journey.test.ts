// One chat that goes from Claude Code to Codex and back: the real gateway, the real programs, a loopback Telegram and a loopback model.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/core/conversation.ts";
import { journey, type Journey } from "../journeys/gateway.ts";
import type { ModelRequest, Reply } from "../wire/models-script.ts";
import { CODEX_COMMAND, PROGRAMS } from "./where.ts";

const KEY = "key-that-nobody-may-see-4711";

const USED = { usage: { input: 1000, output: 20 } } as const;

/** Each program's model looks at the clock once a turn, and then says what it knows of the cat. */
function answers(request: ModelRequest): Reply {
  const told = JSON.stringify(request.body);
  const name = request.toolNames.find((one) => /(?:^|__)now$/u.test(one));
  const asked = told.lastIndexOf(request.lastUserText.split("\n").at(-1) ?? "");
  const answered = /tool_result|function_call_output/u.test(told.slice(asked));
  if (name !== undefined && !answered) return [{ tool: name, args: {} }, USED];
  const knows = told.includes("Miso") ? "The cat is Miso." : "I know of no cat.";
  return [{ text: `${request.dialect} says: ${knows}`, chunk: 6 }, USED];
}

async function day(more: Parameters<typeof journey>[0] = {}): Promise<Journey> {
  const made = await journey({
    program: true,
    // Each turn starts a large program.
    timeoutMs: 40_000,
    programs: (models) => ({
      claude: { kind: "claude-code", sdk: PROGRAMS, apiKey: KEY, baseUrl: models.baseUrl, model: "claude-sonnet-5" },
      codex: { kind: "codex", command: CODEX_COMMAND, apiKey: KEY, baseUrl: models.openaiUrl, model: "gpt-5.5" },
    }),
    ...more,
  });
  made.models.always(answers);
  return made;
}

function ofTurns(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) => {
    if (entry.kind === "turn-started") return [`turn ${entry.engine}`];
    if (entry.kind === "tool-start") return [`${entry.by} ${entry.call.name}`];
    if (entry.kind === "tool-end") return [entry.result.outcome];
    if (entry.kind === "usage") return [`usage ${entry.engine} ${entry.usage.inputTokens} ${entry.usage.outputTokens}`];
    return entry.kind === "text" ? [entry.text] : entry.kind === "turn-ended" ? [entry.reason] : [];
  });
}

describe("real programs", () => {
  it("C1, C2, C9, E24: a question answered by Claude Code with a tool of ours, then by Codex, then by Claude Code again", async () => {
    await using chat = await day();
    chat.say("My cat is called Miso. What is the time?");
    await chat.shown("anthropic says: The cat is Miso.");
    chat.command("engine codex");
    await chat.shown(/codex/u);
    chat.say("What is my cat called?");
    await chat.shown("responses says: The cat is Miso.");
    chat.command("engine claude");
    const choice = await chat.shown(/claude/u);
    chat.say("And now?");
    await chat.shown("anthropic says: The cat is Miso.", { after: choice });
    await chat.stop();
    const entries = await chat.entries();
    expect(ofTurns(entries)).toEqual([
      ...["turn claude", "gateway now", "ok", "anthropic says: The cat is Miso.", "usage claude 2000 40", "done"],
      ...["turn codex", "gateway now", "ok", "responses says: The cat is Miso.", "usage codex 2000 40", "done"],
      ...["turn claude", "gateway now", "ok", "anthropic says: The cat is Miso.", "usage claude 2000 40", "done"],
    ]);
    // Claude Code went on with its own session: told of Codex's turn, and not of its own once more.
    const last = JSON.stringify(chat.models.requests.findLast(({ dialect }) => dialect === "anthropic")?.body);
    expect(last.match(/My cat is called Miso/gu)).toHaveLength(1);
    expect(last).toContain("What is my cat called?");
    expect(chat.notes).not.toContain(KEY);
    expect(chat.holds(KEY)).toBe(false);
    const kept = readdirSync(join(chat.data, "engine-sessions"), { recursive: true, encoding: "utf8" });
    expect(kept.filter((file) => file.endsWith(".jsonl"))).toHaveLength(2);
    expect(existsSync(chat.folder)).toBe(true);
  });
});

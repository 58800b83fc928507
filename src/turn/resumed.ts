// A late answer: what a model is told when a card was answered whose turn had ended before.
import type { Entry } from "../core/conversation.ts";
import type { Message } from "../core/message.ts";
import { asData } from "../taint/frame.ts";

/** A message with words of the gateway's own before it, which no frame goes around. */
export type Noted = Message & { readonly note?: string };

type Resumed = Extract<Entry, { kind: "resumed" }>;

const APPROVAL = {
  once: [
    "now allows this call, which you wanted to make in an earlier turn and which was not done then",
    "Make it now, with exactly these arguments, and then carry on. It is allowed this one time.",
  ],
  always: [
    "now allows this call, which you wanted to make in an earlier turn and which was not done then, and this tool in this chat from now on",
    "Make it now, and then carry on.",
  ],
  no: [
    "does not allow this call, which you wanted to make in an earlier turn",
    "It was not done. Don't make it, and don't go another way to the same end: carry on without it, or say what can't be done.",
  ],
} as const;

/**
 * What a model once wrote itself (a question, arguments) comes back as JSON: data, whatever stands in it. The answer to a question is
 * said by whom it was asked, as any other words of theirs.
 */
export function asResumed({ from, at, seq, answer }: Resumed): Noted {
  const id = `resumed/${seq}`;
  const said = (note: string, text?: string): Noted => ({
    ...{ from, at, ids: [id], note },
    parts: text === undefined ? [] : [{ kind: "text", messageId: id, origin: { kind: "own" }, text }],
  });
  if (answer.to === "approval") {
    const [verdict, next] = APPROVAL[answer.took];
    return said(
      `[Tidegate: the owner ${verdict}. Tool: ${inJson(answer.tool)}. Arguments: ${inJson(answer.input)}. ${next}]`,
    );
  }
  const { title, labels, given } = answer;
  const asked = `a question that you asked in an earlier turn: ${inJson({ ...(title === undefined ? {} : { title }), fields: labels })}`;
  if (given === null)
    return said(
      `[Tidegate: the person skipped ${asked}. Carry on with your best judgement and say in your answer what you assumed.]`,
    );
  return said(`[Tidegate: the person has now answered ${asked}. Carry on from there. The answer:]`, given);
}

/** On one line, with nothing in it that could begin a tag. */
function inJson(value: unknown): string {
  return asData((JSON.stringify(value) ?? "null").replaceAll("<", "\\u003c"));
}

// Words of a person's own that came by a press: in the log as a message of theirs, and shown, since no message of theirs stands there.
import type { Person } from "../core/message.ts";
import { escapeMarkdown } from "../core/text.ts";
import type { Change } from "../store/port.ts";

/** The changes that put them into the log. `messageId`: what the message is called there. */
export function saidBy(
  from: Person,
  text: string,
  messageId: string,
  conversation: string,
  at: number,
  echo: boolean,
): readonly Change[] {
  const part = { kind: "text", messageId, origin: { kind: "own" }, text } as const;
  const message = { from, at, ids: [messageId], parts: [part] };
  // A command's name in them stays as it was written, also where commands are typed in another way.
  const shown = `${escapeMarkdown(from.name)}: ${escapeMarkdown(text).replaceAll(/(?<![\w/.])\/(?=\w)/gu, "&#47;")}`;
  return [
    { do: "append", conversation, at, body: { kind: "message", message } },
    ...(echo
      ? [{ do: "append", conversation, at, body: { kind: "notice", text: shown, quiet: true, outside: true } } as const]
      : []),
  ];
}

// `ask({title?, fields})`: a question to the person, whose answer the reply waits for.
import type { Room, Untrusted } from "../core/message.ts";
import type { Tool } from "../core/tool.ts";
import { frame } from "../taint/frame.ts";
import { ASK_SCHEMA, readAsk, type AskInput } from "./ask-input.ts";
import type { Questions } from "./questions.ts";

/** Who is asked, where. */
export type Asked = {
  /** As a person key, and as they are called. */
  readonly person: string;
  readonly name: Untrusted;
  readonly place: Room;
  readonly forms: boolean;
  /** Not the owner: what they answer is words from outside. */
  readonly guest: boolean;
  readonly attended: boolean;
  /** How long a call may wait for a person, in milliseconds; past it the answer starts the next turn. */
  readonly holdMs: number;
};

const SKIPPED = "The person skipped this. Carry on with your best judgement and say in your answer what you assumed.";
const HELD =
  "Asked; end your turn now. The person has not answered yet: your question stands on its card in the chat, and the answer will start your next turn. End this turn with a short line; don't guess the answer, and don't ask again.";
const NOBODY = "Nobody is here to be asked. Pick the sensible default, carry on, and say what you assumed.";

/** The tool of one turn. With nobody there it asks nothing and says so. */
export function askTool(questions: Pick<Questions, "ask">, asked: Asked): Tool<AskInput> {
  const { attended } = asked;
  return {
    name: "ask",
    description:
      "Asks the person up to 4 things on a card and waits for the answer: a choice of 2 to 6 options, a date or time, a text, or a number. They may skip it.",
    input: ASK_SCHEMA,
    row: "ask",
    effect: "read",
    ...(attended ? {} : { unlisted: true }),
    guidance:
      "Ask with the ask tool only when the answer matters for what you do next and you can't find it out: never to confirm the obvious, and never as a numbered list of questions in your reply. What belongs together goes into one call.",
    check: readAsk,
    async run(input, { conversation, turn, signal }) {
      const { person, name, place, forms, guest, holdMs } = asked;
      if (!attended) return { outcome: "ok", text: NOBODY };
      const question = { ...input, conversation, turn, for: person, forms, holdMs };
      const given = await questions.ask(
        {
          ...question,
          ...(place.kind === "shared" ? { name } : {}),
          ...(guest ? { outside: true } : {}),
        },
        place,
        signal,
      );
      if (given === undefined) return { outcome: "ok", text: HELD };
      if (given === null) return { outcome: "ok", text: SKIPPED };
      return {
        outcome: "ok",
        text: guest ? frame(given, { how: "written", from: name, where: place.platform }) : given,
      };
    },
  };
}

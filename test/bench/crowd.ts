// The people of a loopback platform under measurement: nothing but the bot's own calls stands between a reply and the next message.
// Each message carries a mark (#0000017) that comes back in its reply.
import { setTimeout as sleep } from "node:timers/promises";
import { steadyMs } from "./calls.ts";

/** Who writes everything: the one person whom Tidegate answers, as each platform names people. */
export const OWNER = { telegram: 1001, slack: "U01OWNER", discord: "80351110224678912" } as const;

/** Between two messages of someone who waits for each answer: what a bot does after an answer is done by then. */
const BREATH_MS = 15;
/** A bot that stops answering ends the bench rather than holding it up. */
export const LOST_MS = 60_000;

/** What people need of a platform. */
export type Scene = {
  /** Writes to the bot in a chat. */
  say(chat: number, words: string): void;
  /** Resolves when the bot listens, on platforms where it has to ask for each message. */
  listening?(): Promise<void>;
  describe(): string;
};

/** How a connection breaks. */
export type Break = {
  readonly cut: () => void | Promise<void>;
  /** Runs what people do while the connection is down. */
  readonly during: (act: () => void) => void | Promise<void>;
  /** Resolves when the bot is connected anew. */
  readonly again: Promise<unknown>;
};

export type Crowd = {
  /** Told of each text that the bot shows. */
  heard(text: string): void;
  /** One message after the other, each when the one before is answered; gives when each could be fetched, by its mark. */
  oneByOne(chats: readonly number[], count: number): Promise<Record<string, number>>;
  /** All chats at once, each with its next message as soon as its last is answered; gives how long it took. */
  sideBySide(chats: readonly number[], count: number): Promise<number>;
  /** A message right before a break, one during it and one after it, in a chat each; gives when it broke and the mark of the one during it. */
  aroundBreak(chats: readonly number[], broken: Break): Promise<{ at: number; mark: string }>;
  /** The marks of all that was written. */
  written(): readonly string[];
};

/** People in front of a platform. */
export function gather(scene: Scene): Crowd {
  const marks: string[] = [];
  const waiting = new Map<string, () => void>();

  const nextMark = (): string => {
    // Padded, so that no mark is the beginning of another.
    const mark = `#${String(marks.length + 1).padStart(7, "0")}`;
    marks.push(mark);
    return mark;
  };

  const say = async (chat: number, mark: string): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.set(mark, resolve);
    const lost = setTimeout(() => reject(new Error(`No answer to ${mark}.\n${scene.describe()}`)), LOST_MS);
    scene.say(chat, `What opens the gate? ${mark}`);
    await promise.finally(() => clearTimeout(lost));
  };

  return {
    heard(text) {
      const [mark = ""] = /#\d{7}/u.exec(text) ?? [];
      const seen = waiting.get(mark);
      if (seen === undefined) return;
      waiting.delete(mark);
      // First the bot gets its answer.
      setImmediate(seen);
    },
    async oneByOne(chats, count) {
      const said: Record<string, number> = {};
      for (let nth = 0; nth < count; nth += 1) {
        await scene.listening?.();
        await sleep(BREATH_MS);
        const mark = nextMark();
        said[mark] = steadyMs();
        await say(chats[nth % chats.length] ?? 0, mark);
      }
      return said;
    },
    async sideBySide(chats, count) {
      const from = steadyMs();
      let left = count;
      const talk = async (chat: number): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await say(chat, nextMark());
        }
      };
      await Promise.all(chats.map(talk));
      return steadyMs() - from;
    },
    async aroundBreak([one = 0, other = 0, third = 0], { cut, during, again }) {
      await scene.listening?.();
      const answers = [say(one, nextMark())];
      const at = steadyMs();
      await cut();
      const mark = nextMark();
      await during(() => void answers.push(say(other, mark)));
      await again;
      answers.push(say(third, nextMark()));
      await Promise.all(answers);
      return { at, mark };
    },
    written: () => marks,
  };
}

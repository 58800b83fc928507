// What Codex's model says, message by message, as one text. A message that broke off is begun again under another id.

export type Messages = {
  readonly piece: (id: string, delta: string) => void;
  /** The message is whole: this is its text. */
  readonly whole: (id: string, text: string) => void;
  /** The answer broke off and is asked for again: a message under way will never be whole. */
  readonly broken: () => void;
  /** Something else was shown: what is said next begins anew anyway. */
  readonly pause: () => void;
};

type Message = { text: string; shown: number; begun: boolean };

const PARAGRAPH = "\n\n";

export function messages(say: (delta: string) => void): Messages {
  const open = new Map<string, Message>();
  let saidAny = false;
  /** What stands there of a message that broke off. */
  let left = "";

  const emit = (delta: string, begins: boolean): void => {
    if (delta === "") return;
    say(begins && saidAny ? PARAGRAPH + delta : delta);
    saidAny = true;
  };
  const show = (message: Message, whole: boolean): void => {
    if (!message.begun && left !== "") {
      // The same words once more stand there already.
      if (left.startsWith(message.text) && !whole) return;
      const same = message.text.startsWith(left);
      message.shown = same ? left.length : 0;
      emit(message.text.slice(message.shown), !same);
      left = "";
    } else emit(message.text.slice(message.shown), !message.begun);
    message.begun = message.begun || message.text !== "";
    message.shown = message.text.length;
  };
  const at = (id: string): Message => {
    const message = open.get(id) ?? { text: "", shown: 0, begun: false };
    open.set(id, message);
    return message;
  };

  return {
    piece(id, delta) {
      const message = at(id);
      message.text += delta;
      show(message, false);
    },
    whole(id, text) {
      const message = at(id);
      // What was shown is not taken back.
      if (text.startsWith(message.text)) message.text = text;
      show(message, true);
      open.delete(id);
    },
    broken() {
      for (const message of open.values()) if (message.begun) left = message.text;
      open.clear();
    },
    pause() {
      saidAny = false;
      left = "";
    },
  };
}

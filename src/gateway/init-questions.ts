// Questions and their answers: on a TTY with line editing, on a pipe one line each.
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { GatewayError } from "../core/error.ts";
import { dropControls } from "../core/text.ts";

/** Asks, one question at a time. */
export class Questions implements Disposable {
  readonly #output: NodeJS.WritableStream;
  readonly #tty: boolean;
  readonly #keyboard: Interface;
  readonly #lines: AsyncIterator<string>;
  readonly #interrupted = new AbortController();
  #muted = false;

  constructor(
    input: NodeJS.ReadableStream & { readonly isTTY?: boolean },
    output: NodeJS.WritableStream & { readonly isTTY?: boolean },
  ) {
    this.#output = output;
    this.#tty = input.isTTY === true && output.isTTY === true;
    const echo = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.#muted) output.write(chunk);
        done();
      },
    });
    this.#keyboard = createInterface({ input, output: echo, terminal: this.#tty, historySize: 0 });
    // A pipe is at its end while its last lines are still to be asked for.
    if (this.#tty) this.#keyboard.once("close", () => this.#interrupted.abort());
    this.#lines = this.#keyboard[Symbol.asyncIterator]();
  }

  /** Fires at Ctrl-C and Ctrl-D on a TTY. */
  get interrupted(): AbortSignal {
    return this.#interrupted.signal;
  }

  say(text: string): void {
    this.#output.write(`${text}\n`);
  }

  /** The answer without space around it, or `fallback` for an empty one. */
  async ask(question: string, fallback = ""): Promise<string> {
    return await this.#ask(fallback === "" ? `${question}: ` : `${question} [${fallback}]: `, fallback);
  }

  /** Like `ask`, and what is typed is not shown. */
  async askSecret(question: string): Promise<string> {
    const answer = this.#ask(`${question}: `, "");
    this.#muted = this.#tty;
    try {
      return await answer;
    } finally {
      if (this.#muted) this.#output.write("\n");
      this.#muted = false;
    }
  }

  /** Asks until the answer is yes, no, or empty. */
  async confirm(question: string, fallback: boolean): Promise<boolean> {
    for (;;) {
      const answer = (
        await this.#ask(`${question} [${fallback ? "Y/n" : "y/N"}]: `, fallback ? "y" : "n")
      ).toLowerCase();
      if (["y", "yes"].includes(answer)) return true;
      if (["n", "no"].includes(answer)) return false;
    }
  }

  [Symbol.dispose](): void {
    this.#keyboard.close();
  }

  async #ask(prompt: string, fallback: string): Promise<string> {
    if (this.#tty) {
      this.#keyboard.setPrompt(prompt);
      this.#keyboard.prompt();
    } else {
      this.#output.write(`${prompt}\n`);
    }
    const line = await this.#lines.next();
    if (line.done === true) {
      throw new GatewayError("bad-request", "The answers ended before the last question. Nothing was written.", {
        hint: "Run ./tidegate init again.",
      });
    }
    const answer = dropControls(line.value).trim();
    return answer === "" ? fallback : answer;
  }
}

// What someone reads who starts Tidegate for the first time, before there is a config.

const LINES = [
  "Welcome to Tidegate. This is its demo: a script answers, no model yet.",
  "Try:  what can you do    ask me something    plan a day at the sea    run ls",
  "      keep a note that tea is at five    write 300 words, and /stop meanwhile",
  "A choice is taken by its number.",
  "/help lists the commands. Ctrl-C stops an answer; twice, it ends the chat.",
  "Next step, a bot of your own and a real model:  ./tidegate init",
  "",
] as const;

/** Before the prompt on a terminal; one line on a pipe, where answers are read by a program. */
export function welcome(out: { readonly tty: boolean; readonly print: (text: string) => void }): void {
  out.print(out.tty ? `${LINES.join("\n")}\n` : "No config yet, so the demo answers. Next step: ./tidegate init\n");
}

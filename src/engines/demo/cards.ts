// The demo's lines about what a chat can do besides text: questions, a plan, replies to send next, offers, rows, a chart, a command.
import type { Answer, Heard, Line, Script } from "./act.ts";

/** What `what can you do?` says of them. */
export const CARD_ABILITIES: readonly string[] = [
  "- *ask me something* – a question, answered with a tap",
  "- *book a table* – four at once: a day, a time, a number, wishes",
  "- *plan a day at the sea* – a plan that ticks itself off, and what you might say next",
  "- *keep a note that tea is at five* – that needs an app, so I offer it, and go on once you connect it",
  "- *show my files* – as rows to look at, with the files app",
  "- *markdown* – a bit of everything that can be shown; then *Show it as a chart*",
  "- *run ls* – I ask before I run a command",
  "- in a chat app, forward me a message, then say *look for the key*: someone else's words are here then, and your other chats are closed to me. A terminal forwards nothing",
];

export const CARD_LINES: readonly Line[] = [
  { when: /^(?:please\s+)?ask me(?:\s+(?:something|a question))?[.!]?$/iu, does: (_, heard) => askOne(heard) },
  { when: /^(?:please\s+)?book (?:me )?a table\b/iu, does: (_, heard) => askMany(heard) },
  { when: /^(?:please\s+)?plan\b\s*([\s\S]*)$/iu, does: (found, heard) => plan(found[1] ?? "", heard) },
  { when: /^(?:please\s+)?suggest\b/iu, does: (_, heard) => suggest(heard) },
  { when: /\bas an? (?:bar |line |pie )?chart\b/iu, does: (_, heard) => chart(heard) },
  {
    when: /^(?:please\s+)?keep a note\b[\s,:]*(?:that\s+)?([\s\S]*)$/iu,
    does: (found, heard) => note(found[1] ?? "", heard),
  },
  { when: /^(?:please\s+)?(?:show|list|read) (?:me )?(?:my |the )?notes\b/iu, does: (_, heard) => notes(heard) },
  { when: /^(?:please\s+)?(?:show|list) (?:me )?(?:my |the )?files\b/iu, does: (_, heard) => files(heard) },
  { when: /^run\s+(\S[\s\S]*)$/iu, does: (found) => run(found[1] ?? "") },
];

const NOT_HERE = "I can't do that in this chat: it gives me no tool for it.";
const NOBODY = "I can't ask here: nobody is there to answer.";
/** Steps of a plan are said slowly enough to be watched. */
const STEP_WORD_MS = 120;
const MAX_SHOWN = 100;

function* say(text: string): Script {
  yield { do: "say", text };
}

function* askOne(heard: Heard): Script {
  if (!heard.tools.includes("ask")) {
    yield* say(NOBODY);
    return;
  }
  const label = "Where shall we meet?";
  const options = [
    { label: "At the harbour", description: "By the old crane" },
    { label: "In the café", description: "Where it is warm" },
  ];
  const fields = [{ id: "place", kind: "choice", label, options, other: true }];
  const given = answersIn(yield { do: "call", tool: "ask", input: { fields } }, [label]);
  const [where] = given;
  yield* say(
    where === undefined
      ? "You didn't say, so I go on without: I'd take the café, as it may rain."
      : `Good, then this is where: ${where.answer}`,
  );
}

function* askMany(heard: Heard): Script {
  if (!heard.tools.includes("ask")) {
    yield* say(NOBODY);
    return;
  }
  const wishes = ["By the window", "Outside", "Quiet"].map((label) => ({ label }));
  const fields = [
    { id: "day", kind: "date", label: "Which day?" },
    { id: "time", kind: "time", label: "What time?", suggested: "19:00" },
    { id: "people", kind: "number", label: "How many are you?", unit: "people" },
    { id: "wishes", kind: "choice", label: "Anything you wish?", options: wishes, several: true },
  ];
  const labels = fields.map(({ label }) => label);
  const given = answersIn(
    yield { do: "call", tool: "ask", input: { title: "A table at the harbour", fields } },
    labels,
  );
  if (given.length === 0) {
    yield* say("No table, then. A model would go on with its best guess and say so.");
    return;
  }
  const rows = given.map(({ label, answer }) => `- ${label === "" ? answer : `${label} **${answer}**`}`);
  yield* say(`As a demo I book nothing. A model with a booking app would go on with this:\n\n${rows.join("\n")}`);
}

/** The answers to a question, by the labels of its fields; own words for all of it have none. Empty: it was skipped. */
function answersIn(
  given: Answer | undefined,
  labels: readonly string[],
): readonly { readonly label: string; readonly answer: string }[] {
  if (given?.done !== true) return [];
  const own = /^In their own words: ([\s\S]+)$/u.exec(given.text)?.[1];
  if (own !== undefined) return [{ label: "", answer: own }];
  const lines = given.text.split("\n");
  return labels.flatMap((label) => {
    const line = lines.find((one) => one.startsWith(`${label}: `));
    return line === undefined ? [] : [{ label, answer: line.slice(label.length + 2) }];
  });
}

function* plan(of: string, heard: Heard): Script {
  if (!heard.tools.includes("update_plan")) {
    yield* say(NOT_HERE);
    return;
  }
  const goal = short(of.replace(/[\s.!]+$/u, ""));
  const steps = ["Look at the tide table", "Pack a thermos", goal === "" ? "Go" : `Go: ${goal}`];
  for (let at = 0; at <= steps.length; at += 1) {
    const state = (step: number): string => (step < at ? "done" : step === at ? "active" : "pending");
    const input = { steps: steps.map((text, step) => ({ text, state: state(step) })) };
    const answer = yield { do: "call", tool: "update_plan", input };
    if (answer?.done !== true) {
      yield* say(`The plan can't be shown: ${answer?.text ?? "nothing came back"}`);
      return;
    }
    if (at < steps.length)
      yield { do: "say", text: `${at === 0 ? "" : "\n"}${at + 1}. ${steps[at] ?? ""}: done.`, wordMs: STEP_WORD_MS };
  }
  yield* say("\n\nThat was a plan, as a model would keep one. ");
  yield* suggest(heard);
}

function* suggest(heard: Heard): Script {
  if (!heard.tools.includes("suggest_replies")) {
    yield* say("What would you like next?");
    return;
  }
  yield* say("What next? Tap one of these, or write what you like.");
  yield { do: "call", tool: "suggest_replies", input: { replies: ["What time is it?", "Ask me something"] } };
}

function* chart(heard: Heard): Script {
  if (!heard.tools.includes("show")) {
    yield* say(NOT_HERE);
    return;
  }
  const answer = yield { do: "call", tool: "show", input: { kind: "chart" } };
  yield* say(answer?.done === true ? "There it is." : `I can't draw it: ${answer?.text ?? "nothing came back"}`);
}

function* note(what: string, heard: Heard): Script {
  const text = what.trim();
  const tool = heard.tools.find((name) => name.endsWith("__create_entities"));
  if (text === "") {
    yield* say("A note of what? Write it behind: *keep a note that tea is at five*.");
  } else if (tool === undefined) {
    yield* offer("memory", "It keeps your note beyond this chat.", heard);
  } else {
    const entities = [{ name: short(text), entityType: "note", observations: [text] }];
    const answer = yield { do: "call", tool, input: { entities } };
    yield* say(
      answer?.done === true
        ? `Kept: ${text}\n\n*show my notes* reads them back, in every chat.`
        : `I kept nothing. ${answer?.text ?? ""}`,
    );
  }
}

function* notes(heard: Heard): Script {
  const tool = heard.tools.find((name) => name.endsWith("__read_graph"));
  if (tool === undefined) {
    yield* offer("memory", "It keeps your notes beyond one chat.", heard);
    return;
  }
  const answer = yield { do: "call", tool, input: {} };
  if (answer?.done !== true) {
    yield* say(`I can't read them. ${answer?.text ?? ""}`);
    return;
  }
  const found = [...answer.text.matchAll(/"observations":\s*\[\s*"((?:[^"\\]|\\.){1,500})"/gu)].map(
    ([, text = ""]) => `- ${short(text.replaceAll(/\\./gu, " "))}`,
  );
  yield* say(found.length === 0 ? "There are no notes yet." : `Your notes:\n\n${found.slice(0, 20).join("\n")}`);
}

function* files(heard: Heard): Script {
  const [roots, list] = ["__list_allowed_directories", "__list_directory"].map((end) =>
    heard.tools.find((name) => name.endsWith(end)),
  );
  if (roots === undefined || list === undefined) {
    yield* offer("files", "It shows what is in one folder of yours.", heard);
    return;
  }
  const allowed = yield { do: "call", tool: roots, input: {} };
  const path = allowed?.done === true ? /^\s*(\/\S.*)$/mu.exec(allowed.text)?.[1] : undefined;
  const found = path === undefined ? allowed : yield { do: "call", tool: list, input: { path: path.trim() } };
  const count = (found?.text ?? "").split("\n").filter((line) => /^\[(?:FILE|DIR)\]/u.test(line.trim())).length;
  yield* say(
    path === undefined || found?.done !== true
      ? `I can't look. ${found?.text ?? ""}`
      : `There ${count === 1 ? "is one thing" : `are ${count} things`} in that folder.`,
  );
}

/** Offers an app; refused, it says why in the desk's words. */
function* offer(target: string, why: string, heard: Heard): Script {
  if (!heard.tools.includes("offer")) {
    yield* say(
      "That takes an app, and in this chat I may offer none: nobody is there to take it, or someone else's words are here. /apps lists them.",
    );
    return;
  }
  const answer = yield { do: "call", tool: "offer", input: { kind: "app", target, why } };
  const heardBack = answer?.text ?? "";
  // The person's own words may have called for it already.
  if (answer?.done === true || heardBack.includes("(second)"))
    yield* say("That takes an app. Connect it with the card under this, and I go on with what you asked by myself.");
  else
    yield* say(
      `That takes an app, and no card is shown for it. What I hear instead: “${heardBack.replace(/^No card is shown \(\w+\)\. /u, "")}”\n\n/apps lists them all.`,
    );
}

function* run(command: string): Script {
  const leave = yield { do: "use", use: { does: "command", command, name: "shell", input: { command } } };
  yield* say(
    leave?.done === true
      ? `You let me run \`${short(command.replaceAll("`", "'"))}\`. A demo runs nothing, though.`
      : `I didn't run it. ${leave?.text ?? ""}`,
  );
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return line.length <= MAX_SHOWN ? line : `${line.slice(0, MAX_SHOWN - 1).replace(/[\uD800-\uDBFF]$/u, "")}…`;
}

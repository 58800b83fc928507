// What the demo says to what. A generator of acts: it gets a tool's answer back and goes on from there. Pure.
import { ERRORS } from "../../core/error.ts";
import type { ErrorCode } from "../../core/error.ts";
import type { TurnInput } from "../../core/turn.ts";
import type { Heard, Line, Script } from "./act.ts";
import { CARD_ABILITIES, CARD_LINES } from "./cards.ts";

const MAX_WORDS = 100_000;
const SLOW_WORD_MS = 120;

const CONNECT =
  "To talk to a real model, run `./tidegate init`: it asks for a chat app's token and an engine, and writes the config.";

const ABILITIES = [
  "I'm a demo: a script without a model behind it. Still, everything around me is real. Try:",
  "",
  "- *what time is it?* – I use a tool for that",
  "- *remember that the key is under the mat*, and later *what did I say?*",
  "- *look for the key* – after `/new`: I look through your other chats",
  "- *write 300 words*, and `/stop` while I do",
  "- *slow 40* – forty words, slowly",
  ...CARD_ABILITIES,
  "",
  CONNECT,
].join("\n");

const MARKDOWN = [
  "# A heading",
  "",
  "Some **bold**, some *italic*, some ~~struck~~ and `code` with <angle brackets> & an ampersand.",
  "",
  "1. one",
  "2. two",
  "   - two and a half",
  "3. three",
  "",
  "> A quote, over",
  "> two lines.",
  "",
  "```ts",
  'const greeting = "hello";',
  "```",
  "",
  "| town | trains | minutes |",
  "| --- | ---: | ---: |",
  "| Kiel | 12 | 74 |",
  "| Ulm | 9 | 132 |",
  "",
  "[A link](https://example.org), and that is all.",
].join("\n");

/** First match wins: the exact commands, then talk. */
const LINES: readonly Line[] = [
  { when: /^say\s+([\s\S]+)$/i, does: (found) => say(found[1] ?? "") },
  { when: /^markdown$/i, does: () => say(MARKDOWN) },
  { when: /^long\s+(\d+)$/i, does: (found) => say(words(Number(found[1]))) },
  { when: /^slow(?:ly)?\s+(\d+)$/i, does: (found) => say(words(Number(found[1])), SLOW_WORD_MS) },
  {
    when: /^(?:please\s+)?write\s+(?:me\s+)?(?:about\s+|some\s+)?(\d+)\s+words\b/i,
    does: (found) => say(words(Number(found[1]))),
  },
  { when: /^think\s+([\s\S]+)$/i, does: (found) => think(found[1] ?? "") },
  { when: /^fail(?:\s+(\S+))?$/i, does: (found) => fail(found[1]) },
  { when: /^call\s+\S/i, does: (found) => call(found.input) },
  {
    when: /^(?:please\s+)?(?:look|search)\s+for\s+([\s\S]+)$|^what did we (?:say|decide) about ([^?]+)/i,
    does: (found, heard) => look(found[1] ?? found[2] ?? "", heard),
  },
  ...CARD_LINES,
  { when: /^silent$/i, does: () => silent() },
  { when: /^(?:please\s+)?remember\b\s*(?:that\s+)?([\s\S]*)$/i, does: (found) => remember(found[1] ?? "") },
  {
    when: /what (did|have) i (say|said|tell|told)|do you remember|what do you (know|remember)/i,
    does: (_, heard) => recall(heard),
  },
  {
    when: /\bwhat(['’]?s| is) the (time|date)\b|\bwhat (time|day|date) is (it|today)\b|\btime is it\b/i,
    does: (_, heard) => time(heard),
  },
  {
    when: /\b(who|what) are you\b|\bwhat(['’]?s| is) (this|your name|tidegate)\b|\bare you (real|a bot|human|an? ai)\b/i,
    does: () => whoAmI(),
  },
  { when: /\bwhat can (you|i) do\b|^(help|commands|options|\?)$|\bhow does this work\b/i, does: () => say(ABILITIES) },
  { when: /\bconnect\b|\bset ?up\b|\breal (model|engine|ai)\b|\bapi ?key\b|\binit\b/i, does: () => say(CONNECT) },
  {
    when: /^(hi|hey|hello|hallo|hola|moin|ciao|bonjour|good (morning|evening|day|afternoon)|start)\b/i,
    does: () => say(HELLO),
  },
  { when: /\bthank(s| you)\b|^(thx|ty|danke|merci|gracias)\b/i, does: () => say("You're welcome.") },
  {
    when: /\bhow are you\b|\bhow(['’]s| is) it going\b/i,
    does: () => say("Steady, as scripts are. And ready to be replaced by a real model: `./tidegate init`."),
  },
  {
    when: /^(bye|good ?bye|good night|see you|ciao)\b/i,
    does: () => say("Goodbye. What we said stays in this chat's log, on your machine."),
  },
  {
    when: /^(yes|no|ok(ay)?|sure|cool|nice|great|wow)\b[.!]*$/i,
    does: () => say("Good. *what can you do* lists what I have a line for."),
  },
];

const HELLO =
  "Hello! I'm Tidegate's demo: a script, not a model, so I have only a few lines. Ask *what can you do?* to see them.";

/** The demo's answer to a turn. */
export function script(input: Pick<TurnInput, "history" | "prompt" | "tools">): Script {
  const said = input.history.flatMap((item) => (item.role === "user" ? [textOf(item.parts)] : []));
  const words = textOf(input.prompt);
  const outside = input.prompt.some((part) => part.kind === "text" && part.text.search(OUTSIDE) >= 0);
  const heard: Heard = { words, outside, said, tools: input.tools.map((tool) => tool.name) };
  for (const line of LINES) {
    const found = line.when.exec(heard.words);
    if (found !== null) return line.does(found, heard);
  }
  return unknown(heard);
}

function textOf(parts: TurnInput["prompt"]): string {
  return parts
    .flatMap((part) => (part.kind === "text" ? [part.text] : []))
    .join("\n")
    .replace(OUTSIDE, "")
    .replace(CARRIED_ON, "")
    .trim();
}

/** What stands before a request that goes on after an offer was taken: a note of the gateway's, with a skill's instructions in it. */
const CARRIED_ON = /^\[Tidegate: [^\n]{1,500}:\]\n(?:\n[\s\S]{0,200000}?\n\n\[Tidegate: [^\n]{1,500}:\]\n)?/u;

/** Words from elsewhere, as turns frame them. A script has no business with them. */
const OUTSIDE = /<outside-words [^>]*>\n[\s\S]*?\n<\/outside-words>/g;

function* say(text: string, wordMs?: number): Script {
  yield wordMs === undefined ? { do: "say", text } : { do: "say", text, wordMs };
}

function* think(text: string): Script {
  yield { do: "think", text };
  yield { do: "say", text: "I thought about that, out of sight." };
}

/** Says nothing, on purpose. */
function* silent(): Script {}

function* fail(code = "engine-failed"): Script {
  if (isCode(code)) yield { do: "fail", code };
  else yield { do: "say", text: `I can fail with: ${Object.keys(ERRORS).join(", ")}.` };
}

function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

/** A line for each call: the tool's name, then its arguments as JSON. */
function* call(lines: string): Script {
  for (const line of lines.split("\n")) {
    const [, tool = "", json = "{}"] = /^call\s+(\S+)\s*(.+)?$/i.exec(line.trim()) ?? [];
    const input = parsed(json);
    if (tool === "" || input === undefined) {
      yield {
        do: "say",
        text: "A call is *call*, a tool's name and its arguments as JSON, all on one line. I called nothing.\n",
      };
      return;
    }
    const answer = yield { do: "call", tool, input };
    yield { do: "say", text: `${tool} answered: ${answer?.text ?? "nothing"}\n` };
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function* time(heard: Heard): Script {
  if (!heard.tools.includes("now")) {
    yield { do: "say", text: "I have no clock here: this chat gives me no tool for the time." };
    return;
  }
  const answer = yield { do: "call", tool: "now", input: {} };
  yield { do: "say", text: `By the clock tool it is ${answer?.text ?? "unknown"}.` };
}

function* look(words: string, heard: Heard): Script {
  if (!heard.tools.includes("search_chats")) {
    yield {
      do: "say",
      text: "I can't look through your other chats from here: someone else's words are in this one. `/new` opens one from which I can.",
    };
    return;
  }
  const answer = yield { do: "call", tool: "search_chats", input: { query: words.trim().slice(0, 200) } };
  const lines = foundIn(answer?.text ?? "");
  yield {
    do: "say",
    text: lines.length === 0 ? `I looked, and found nothing: ${answer?.text ?? ""}` : `I found:\n\n${lines.join("\n")}`,
  };
}

type FoundChats = {
  readonly chats: readonly { readonly title: string; readonly lines: readonly { readonly text: string }[] }[];
};

function foundIn(answer: string): readonly string[] {
  const found = parsed(answer);
  if (typeof found !== "object" || found === null || !("chats" in found)) return [];
  return (found as FoundChats).chats.flatMap(({ title, lines: [line] }) =>
    line === undefined ? [] : [`- in *${short(title)}*: ${short(line.text)}`],
  );
}

function* whoAmI(): Script {
  yield {
    do: "say",
    text: `I'm the demo engine of Tidegate, a gateway between you and AI models over the chat apps you already use. There is no model behind me: I answer from a script. ${CONNECT}`,
  };
}

function* remember(what: string): Script {
  const kept = what.trim();
  yield {
    do: "say",
    text:
      kept === ""
        ? "Remember what? Write it behind the word."
        : `Noted: ${kept}\n\nAsk *what did I say?* in this chat. After \`/new\` I no longer know.`,
  };
}

function* recall({ said }: Heard): Script {
  const noted = said.flatMap((text) => /^(?:please\s+)?remember\b\s*(?:that\s+)?([\s\S]+)$/i.exec(text)?.[1] ?? []);
  if (noted.length > 0)
    yield { do: "say", text: `You asked me to remember:\n\n${noted.map((one) => `- ${one.trim()}`).join("\n")}` };
  else if (said.length === 0) yield { do: "say", text: "Nothing yet in this chat: this is your first message here." };
  else
    yield {
      do: "say",
      text: `The last things you said here:\n\n${said
        .slice(-3)
        .map((one) => `- ${short(one)}`)
        .join("\n")}`,
    };
}

function* unknown({ words: own, outside }: Heard): Script {
  const brought = outside
    ? "What you brought in from elsewhere I leave alone: a model would get it marked as someone else's words. "
    : "";
  const read =
    own === ""
      ? "I got no words of yours that I can read, and as a demo I see no pictures and no files."
      : `I read “${short(own)}”, but I'm only a demo and have no line for that; a real model would.`;
  yield { do: "say", text: `${read} ${brought}*what can you do* lists what I know. ${CONNECT}` };
}

function short(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length <= 120 ? line : `${line.slice(0, 119).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

const SEA = "the tide comes in and the tide goes out and every boat in the harbour rises and falls with it".split(" ");

/** Exactly `count` words in sentences of ten and paragraphs of fifty, each tenth one numbered so that a gap shows. */
function words(count: number): string {
  const upTo = Math.min(count, MAX_WORDS);
  let text = "";
  for (let at = 1; at <= upTo; at += 1) {
    const word = at % 10 === 0 || at === upTo ? `${at}.` : (SEA[(at - 1) % SEA.length] ?? "");
    text += word + (at === upTo ? "" : at % 50 === 0 ? "\n\n" : " ");
  }
  return text === "" ? "No words, as asked." : text;
}

// What a SKILL.md says of itself, by the open format of skill folders (agentskills.io).
import { parse } from "yaml";
import { z } from "zod";
import { clipGraphemes, isVisible, oneLine } from "../core/text.ts";

/** `body`: the instructions below the front matter. */
export type SkillFile = {
  readonly name: string;
  readonly description: string;
  /** Names of tools, perhaps with what of them is meant, as `Bash(git:*)`. Undefined: nothing is declared. */
  readonly tools?: readonly string[];
  /** Words that call for it: `cues` of its metadata, with commas between. */
  readonly cues: readonly string[];
  readonly body: string;
};

const frontMatter = z.looseObject({
  name: z
    .string()
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/u)
    .max(64),
  description: z.string().max(1024).refine(isVisible),
  license: z.string().optional(),
  "allowed-tools": z.union([z.string().max(4_000), z.array(z.string().max(300)).max(100)]).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

/** Reads the text of a SKILL.md. Gives words for people on what is wrong with it. */
export function readSkillFile(text: string): SkillFile | { readonly trouble: string } {
  const lines = text.replace(/^\uFEFF/u, "").split(/\r?\n/u);
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
  if (lines[0]?.trimEnd() !== "---" || end < 0)
    return { trouble: "Its SKILL.md doesn't begin with a front matter between two lines of ---." };
  let read: unknown;
  try {
    // Aliases could make a small text a huge one.
    read = parse(lines.slice(1, end).join("\n"), { maxAliasCount: 0 });
  } catch {
    return { trouble: "The front matter of its SKILL.md is no YAML." };
  }
  const checked = frontMatter.safeParse(read);
  if (!checked.success) {
    const where = checked.error.issues[0]?.path[0];
    return {
      trouble: `The front matter of its SKILL.md has no right ${where === undefined ? "fields" : oneLine(clipGraphemes(String(where), 40))}.`,
    };
  }
  const { name, description, "allowed-tools": allowed, metadata } = checked.data;
  const cues = metadata?.["cues"];
  return {
    name,
    description: oneLine(description),
    ...(allowed === undefined ? {} : { tools: typeof allowed === "string" ? names(allowed) : allowed.flatMap(names) }),
    cues: typeof cues === "string" ? cues.split(",", 30).map(oneLine).filter(isVisible) : [],
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
}

/** With spaces or commas between, but not in brackets. */
function names(list: string): readonly string[] {
  return [...list.matchAll(/[^\s,()]{1,100}(?:\([^()]{0,200}\))?/gu)].map(([name]) => oneLine(name)).slice(0, 100);
}

const IN_WORDS: { readonly [tool: string]: string } = {
  read: "Read files",
  write: "Write files",
  edit: "Change files",
  multiedit: "Change files",
  notebookedit: "Change notebooks",
  glob: "Look for files",
  grep: "Search in files",
  ls: "List folders",
  bash: "Run commands on this machine",
  shell: "Run commands on this machine",
  webfetch: "Open web pages",
  websearch: "Search the web",
  task: "Start further assistants",
  agent: "Start further assistants",
  search_chats: "Look through your earlier chats",
  read_chat: "Read your earlier chats",
};
const MAX_LINES = 12;

/** What a skill says it uses, in plain words, a line each. It is its own word: nothing holds it to that. */
export function mayInWords(tools: readonly string[] | undefined): readonly string[] {
  if (tools === undefined || tools.length === 0)
    return [
      "It doesn't say what it uses: it may lead to anything that the assistant can do here, such as reading and changing files in the work folder, running commands and opening web pages",
      ASKED,
    ];
  const lines = [...new Set(tools.map(inWords))];
  const more = lines.length - MAX_LINES;
  return [...lines.slice(0, MAX_LINES), ...(more > 0 ? [`${more} more`] : []), ASKED];
}

const ASKED = "What changes something is asked about as always";

function inWords(tool: string): string {
  const [, name = tool, of = ""] = /^([^()]+)(?:\((.*)\))?$/u.exec(tool) ?? [];
  const [, app = "", remote = ""] = /^mcp__(.+?)__(.+)$/u.exec(name) ?? [];
  if (app !== "") return `Use ${clipGraphemes(remote, 60, "…")} of the app ${clipGraphemes(app, 60, "…")}`;
  const known = Object.hasOwn(IN_WORDS, name.toLowerCase()) ? IN_WORDS[name.toLowerCase()] : undefined;
  const words = known ?? `Use the tool ${clipGraphemes(name, 60, "…")}`;
  return of === "" || of === "*" ? words : `${words}: ${clipGraphemes(of, 60, "…")}`;
}

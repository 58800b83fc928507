// Which marks a message sets: pure, from where its parts come from alone and never from what they say.
import {
  personKey,
  platformName,
  type Message,
  type Origin,
  type Part,
  type Person,
  type Room,
} from "../core/message.ts";
import type { Taint } from "../core/taint.ts";
import type { OwnUse } from "../core/tool.ts";
import { clipGraphemes, oneLine } from "../core/text.ts";

const MAX_LABEL_GRAPHEMES = 60;

/**
 * What the log says of a quoted message: `here` when it is in this conversation as the owner's or ours, `elsewhere` when it is so in
 * another one, undefined when nobody knows it.
 */
export type Quoted = (
  origin: Extract<Origin, { kind: "quoted" }>,
) =>
  | { readonly is: "here" }
  | { readonly is: "elsewhere"; readonly conversation: string; readonly title: string }
  | undefined;

/**
 * The marks that a message sets, each source once: a guest's words, each forward whatever its origin, a quote whose words the log does
 * not hold as the owner's or ours, a look at another chat, and a file whose bytes an engine may get.
 */
export function marksOf(message: Pick<Message, "from" | "parts">, quoted: Quoted): readonly Taint[] {
  const marks = message.parts.flatMap((part) => markOf(part, message.from.platform, quoted));
  return newMarks([], message.from.role === "owner" ? marks : [personMark(message.from), ...marks]);
}

/** The mark of someone who is not the owner. */
export function personMark(person: Pick<Person, "platform" | "id" | "name">): Taint {
  return { kind: "person", label: label(person.name, person.platform), source: personKey(person) };
}

/** The mark that a shared room carries from its first entry: its audience is not the owner alone. */
export function sharedMark({ platform, chat }: Room): Taint {
  return { kind: "person", label: label("people in a group", platform), source: `${platform}/${chat}` };
}

/** The mark of having been given words of another conversation. The title is bounded and on one line, whatever it was. */
export function lookMark(conversation: string, title: string): Taint {
  const named = clipGraphemes(oneLine(title), MAX_LABEL_GRAPHEMES);
  return { kind: "app", label: `your chat “${named}”`, source: `chat/${conversation}` };
}

/** What a command's text says of fetching: an address, or a program that is known for it. A help, like all reading of commands. */
const FETCHES =
  /\b(?:https?|ftps?|ssh|git):\/\/|(?<![\w.-])(?:curl|wget|aria2c|lynx|w3m|ftp|sftp|scp|rsync|ssh|nc|ncat|telnet|gh|git\s{1,9}(?:clone|fetch|pull))(?![\w.-])/iu;

/** The marks of what a use of an engine's own tool brings: a page, what a search finds, what a command fetches. */
export function ownUseMarks({ does, input, command }: OwnUse): readonly Taint[] {
  switch (does) {
    case "fetch":
      return [pageMark(input)];
    case "search":
      return [{ kind: "web", label: "a web search", source: "search" }];
    case "command":
      return command !== undefined && FETCHES.test(command)
        ? [{ kind: "download", label: "what a command fetched", source: "command" }]
        : [];
    case "read":
    case "write":
    case "other":
      return [];
  }
}

function pageMark(input: unknown): Taint {
  const url = typeof input === "object" && input !== null && "url" in input ? input.url : undefined;
  const host = typeof url === "string" ? URL.parse(url)?.host : undefined;
  if (host === undefined || host === "") return { kind: "web", label: "a page", source: "page" };
  return { kind: "web", label: clipGraphemes(host, MAX_LABEL_GRAPHEMES), source: host };
}

/** Those of `more` that `marks` lack, each once: marks are a union. */
export function newMarks(marks: readonly Taint[], more: readonly Taint[]): readonly Taint[] {
  const there = new Set(marks.map(keyOf));
  return more.filter((one) => {
    const isNew = !there.has(keyOf(one));
    there.add(keyOf(one));
    return isNew;
  });
}

function keyOf({ kind, source }: Taint): string {
  return `${kind} ${source}`;
}

function markOf(part: Part, platform: string, quoted: Quoted): readonly Taint[] {
  const { origin } = part;
  const marks: Taint[] = [];
  if (origin.kind === "forwarded") marks.push(otherMark(origin, platform));
  if (origin.kind === "quoted") {
    const where = quoted(origin);
    if (where === undefined) marks.push(otherMark(origin, platform));
    else if (where.is === "elsewhere") marks.push(lookMark(where.conversation, where.title));
  }
  // A voice note recorded in the app is the writer's own speech; any other file's bytes are anyone's.
  if (part.kind === "file" && part.file.path !== undefined && !(part.file.kind === "voice" && origin.kind === "own")) {
    const name = clipGraphemes(oneLine(part.file.name), MAX_LABEL_GRAPHEMES);
    marks.push({ kind: "download", label: `the file ${name}`, source: `download: ${name}` });
  }
  return marks;
}

function otherMark(origin: Extract<Origin, { kind: "forwarded" | "quoted" }>, platform: string): Taint {
  return {
    kind: "person",
    label: label(origin.from, platform),
    source: origin.id === undefined ? `${platform}/?${oneLine(origin.from)}` : `${platform}/${origin.id}`,
  };
}

function label(name: string, platform: string): string {
  const who = clipGraphemes(oneLine(name), MAX_LABEL_GRAPHEMES) || "someone unnamed";
  return `${who} on ${platformName(platform)}`;
}

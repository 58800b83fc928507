// The tool `show`: a chart, a diagram or an SVG as a picture in the chat.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GatewayError } from "../core/error.ts";
import type { Figures } from "../core/figures.ts";
import type { Random } from "../core/surroundings.ts";
import { clipGraphemes, oneLine } from "../core/text.ts";
import type { Tool, ToolResult } from "../core/tool.ts";
import { numberTable } from "../markdown/tables.ts";
import type { Pictures } from "../pictures/drawing.ts";
import type { ChartKind, Drawn } from "../pictures/port.ts";
import type { Log } from "../store/port.ts";

/** What the tool works with. `folder`: where a conversation's files are kept; it is made when it isn't there. */
export type Showing = {
  readonly log: Pick<Log, "read">;
  readonly pictures: Pictures;
  readonly random: Pick<Random, "key">;
  readonly folder: (conversation: string) => string;
};

/** What it is asked. Without a source a chart is drawn from the newest table of numbers in this chat's answers. */
type ShowInput = {
  readonly kind: "chart" | "diagram" | "svg";
  readonly source?: string;
  readonly chart?: ChartKind;
  readonly title?: string;
};

const KINDS = ["chart", "diagram", "svg"] as const;
const CHARTS = ["bar", "line", "pie"] as const;
const MAX_SOURCE_CHARS = 200_000;
const MAX_TITLE_CHARS = 120;
const MAX_ALT_CHARS = 800;
/** How far back a table is looked for: answers, and the log's lines that may hold so many. */
const ANSWERS = 50;
const LINES = 500;

const NO_TABLE =
  "There is no table of numbers to draw: a chart needs a Markdown table with a column of names and at least one column of numbers, two rows or more. Pass it as source.";
const GUIDANCE =
  "Pictures: when the person asks to see numbers as a chart, or a diagram or an SVG as a picture, call show; without a source it draws the newest table of numbers of this chat. What it can't draw it says, and then the text itself is the answer.";

/** `show`: for every turn with tools. It reads this conversation's answers alone and writes one file into its folder. */
export function showTool(showing: Showing): Tool<ShowInput> {
  return {
    name: "show",
    description:
      "Shows a picture in the chat: a chart of a Markdown table of numbers, a Mermaid diagram (flowchart, sequence, class, state, entity relationship), or an SVG. Nothing is loaded from outside. People see the picture and what it shows; you get that in words.",
    guidance: GUIDANCE,
    input: {
      type: "object",
      properties: {
        kind: { type: "string", enum: KINDS },
        source: {
          type: "string",
          maxLength: MAX_SOURCE_CHARS,
          description:
            "A Markdown table for a chart, Mermaid for a diagram, the SVG itself. Left out for a chart: the newest table of numbers of this chat",
        },
        chart: { type: "string", enum: CHARTS, description: "When left out: a line over time, else bars" },
        title: { type: "string", maxLength: MAX_TITLE_CHARS, description: "Stands above a chart" },
      },
      required: ["kind"],
      additionalProperties: false,
    },
    row: "plain",
    effect: "read",
    check,
    async run(input, { conversation, signal }) {
      try {
        const drawn = await draw(input, conversation, showing);
        if (!drawn.drawn) return { outcome: "error", text: `${drawn.words} Nothing was shown.` };
        if (signal.aborted) return { outcome: "not-run", text: "The reply was stopped. Nothing was shown." };
        return await shown(input, drawn, conversation, showing);
      } catch {
        return { outcome: "error", text: "The picture couldn't be drawn or kept. Nothing was shown." };
      }
    },
  };
}

async function draw(input: ShowInput, conversation: string, { log, pictures }: Showing): Promise<Drawn> {
  switch (input.kind) {
    case "diagram":
      return pictures.drawDiagram(input.source ?? "");
    case "svg":
      return pictures.drawSvg(input.source ?? "");
    case "chart": {
      const figures = input.source === undefined ? await newestFigures(conversation, log) : numberTable(input.source);
      if (figures === undefined) return { drawn: false, words: NO_TABLE };
      const { chart, title } = input;
      return pictures.drawChart({
        figures,
        ...(chart !== undefined && { kind: chart }),
        ...(title !== undefined && { title }),
      });
    }
  }
}

/** Of the newest answers of the chat, the last table of numbers. */
async function newestFigures(conversation: string, log: Showing["log"]): Promise<Figures | undefined> {
  const entries = await log.read(conversation, { last: true, limit: LINES });
  const answers = entries.flatMap((entry) => (entry.kind === "text" ? [entry.text] : [])).slice(-ANSWERS);
  for (const text of answers.reverse()) {
    const figures = numberTable(text);
    if (figures !== undefined) return figures;
  }
  return undefined;
}

async function shown(
  { kind, title }: ShowInput,
  { png, shows, leftOut }: Drawn & { readonly drawn: true },
  conversation: string,
  { random, folder }: Showing,
): Promise<ToolResult> {
  const place = folder(conversation);
  await mkdir(place, { recursive: true, mode: 0o700 });
  const path = join(place, `${random.key(12)}.png`);
  // Never over a file that is there.
  await writeFile(path, png, { mode: 0o600, flag: "wx" });
  // A chart says its title itself.
  const named = kind === "chart" || title === undefined ? shows : `${title}. ${shows}`;
  const words = [named, ...leftOut].map(oneLine).join(" ");
  return {
    outcome: "ok",
    text: `People see the picture now. ${clipGraphemes(words, MAX_ALT_CHARS, "…")}`,
    picture: { name: `${kind}.png`, path, alt: clipGraphemes(words, MAX_ALT_CHARS, "…") },
  };
}

// ---- input

function check(input: unknown): ShowInput {
  if (typeof input !== "object" || input === null) throw wrong("The input must be an object.");
  const { kind: given, source: text, chart: form, title: heading } = input as { readonly [name: string]: unknown };
  const kind = KINDS.find((one) => one === given);
  if (kind === undefined) throw wrong(`kind must be one of ${KINDS.join(", ")}.`);
  const source = stringOf("source", text, MAX_SOURCE_CHARS);
  if (source === undefined && kind !== "chart") throw wrong(`${kind} needs its source.`);
  const chart = CHARTS.find((one) => one === form);
  if (chart === undefined && form !== undefined && form !== null)
    throw wrong(`chart must be one of ${CHARTS.join(", ")}.`);
  const title = clipGraphemes(oneLine(stringOf("title", heading, 10 * MAX_TITLE_CHARS) ?? ""), MAX_TITLE_CHARS, "…");
  return {
    kind,
    ...(source !== undefined && { source: unfenced(source) }),
    ...(chart !== undefined && { chart }),
    ...(title !== "" && { title }),
  };
}

/** Some models write null or nothing for what they leave out. */
function stringOf(name: string, value: unknown, maxChars: number): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw wrong(`${name} must be text.`);
  if (value.length > maxChars) throw wrong(`${name} may have ${maxChars} characters.`);
  return value.trim() === "" ? undefined : value;
}

/** Without the fence that it stands in where it was said. */
function unfenced(source: string): string {
  return /^\s*(`{3,9}|~{3,9})[^\n]{0,100}\n([\s\S]*)\n[ \t]*\1\s*$/u.exec(source)?.[2] ?? source;
}

function wrong(words: string): GatewayError {
  return new GatewayError("tool-input", words);
}

// Mermaid as SVG, without a browser. What the library leaves out of a diagram without a word (lines it doesn't know) makes the
// diagram wrong: such a text is not drawn at all, so that it can be sent as text.
import type * as Mermaid from "beautiful-mermaid";
import { FONT, MONO_FONT } from "./font.ts";
import { NotDrawn } from "./port.ts";

const MAX_UNITS = 20_000;
const MAX_LINES = 300;
const MAX_LINE_UNITS = 400;

/** The colours of its CSS variables: what it mixes from ink and paper when left to a browser, a little stronger. */
export const DIAGRAM_COLOURS: Readonly<Record<string, string>> = {
  "--bg": "#FFFFFF",
  "--fg": "#222222",
  "--_text": "#222222",
  "--_text-sec": "#444444",
  "--_text-muted": "#333333",
  "--_text-faint": "#777777",
  "--_line": "#555555",
  "--_arrow": "#222222",
  "--_node-fill": "#E8F1FA",
  "--_node-stroke": "#0072B2",
  "--_group-fill": "#FAFAFA",
  "--_group-hdr": "#EEEEEE",
  "--_inner-stroke": "#CCCCCC",
  "--_key-badge": "#DDE9F5",
};

const FONT_RATIO = 0.92;

type Kind = { readonly name: string; readonly lines: readonly RegExp[] };

const ID = String.raw`[\w-]{1,80}`;
const TEXT = String.raw`[^\n]{1,300}`;
const SHAPE = [
  String.raw`\(\(\([^()]{1,200}\)\)\)`,
  String.raw`\(\[[^\]]{1,200}\]\)`,
  String.raw`\(\([^()]{1,200}\)\)`,
  String.raw`\[\[[^\]]{1,200}\]\]`,
  String.raw`\[\([^()]{1,200}\)\]`,
  String.raw`\[[\\/][^\]]{1,200}[\\/]\]`,
  String.raw`>[^\]]{1,200}\]`,
  String.raw`\{\{[^{}]{1,200}\}\}`,
  String.raw`\["[^"]{1,200}"\]`,
  String.raw`\["[^"]{1,200}"\]`,
  String.raw`\("[^"]{1,200}"\)`,
  String.raw`\{"[^"]{1,200}"\}`,
  String.raw`\[[^\]"(){}]{1,200}\]`,
  String.raw`\([^()"[\]]{1,200}\)`,
  String.raw`\{[^{}"]{1,200}\}`,
].join("|");
const NODE = String.raw`${ID}(?:${SHAPE})?(?::::?${ID})?`;
const NODES = String.raw`${NODE}(?:\s*&\s*${NODE}){0,20}`;
const ARROW = String.raw`(?:<?(?:-->|-\.->|==>|---|-\.-|===)(?:\|[^|]{1,200}\|)?|<?(?:--|-\.|==)\s+[^|>]{1,200}?\s+(?:-->|---|\.->|-\.-|==>|===))`;

const KINDS: Readonly<Record<string, Kind>> = {
  flowchart: {
    name: "Flowchart",
    lines: [
      new RegExp(String.raw`^${NODES}(?:\s*${ARROW}\s*${NODES}){0,20};?$`, "u"),
      new RegExp(
        String.raw`^subgraph\s+(?:${ID}\s*\[[^\]]{1,200}\]|[^[\]]{1,200})$|^end;?$|^direction\s+(?:TD|TB|LR|BT|RL)$`,
        "u",
      ),
      new RegExp(String.raw`^(?:classDef|class|style|linkStyle|click)\s+${TEXT}$`, "u"),
    ],
  },
  sequencediagram: {
    name: "Sequence diagram",
    lines: [
      /^(?:participant|actor)\s+\S{1,80}?(?:\s+as\s+[^\n]{1,200})?$/u,
      /^Note\s+(?:left of|right of|over)\s+[^:\n]{1,100}:\s*[^\n]{1,300}$/iu,
      /^(?:loop|alt|opt|par|critical|break|else|and)(?:\s+[^\n]{1,200})?$/u,
      /^(?:end|autonumber)$/u,
      /^(?:activate|deactivate)\s+\S{1,80}$/u,
      /^[^\s:>-]{1,80}\s*(?:->>|-->>|->|-->|-\)|--\))\s*[+-]?[^\s:>+-]{1,80}\s*:\s*[^\n]{1,300}$/u,
    ],
  },
  classdiagram: {
    name: "Class diagram",
    lines: [
      /^class\s+[\w~]{1,80}(?:\s*\["?[^\]]{1,100}"?\])?(?:\s*\{)?$/u,
      /^\}$|^<<\w{1,40}>>(?:\s+\w{1,80})?$/u,
      /^[+\-#~]?[\w~<>[\],() :?*$]{1,200}$/u,
      /^\w{1,80}(?:\s+"[^"]{1,20}")?\s+(?:<\|--|<\|\.\.|\*--|o--|-->|--\*|--o|--\|>|\.\.>|\.\.\|>|<--|<\.\.|--|\.\.)\s+(?:"[^"]{1,20}"\s+)?\w{1,80}(?:\s*:\s*[^\n]{1,200})?$/u,
      /^\w{1,80}\s*:\s*[^\n]{1,200}$/u,
    ],
  },
  statediagram: {
    name: "State diagram",
    lines: [
      /^(?:\[\*\]|[\w\p{L}-]{1,80})\s*-->\s*(?:\[\*\]|[\w\p{L}-]{1,80})(?:\s*:\s*[^\n]{1,200})?$/u,
      /^state\s+(?:"[^"]{1,200}"\s+as\s+)?[\w\p{L}]{1,80}(?:\s*\{)?$/u,
      /^[\w\p{L}-]{1,80}\s*:\s*[^\n]{1,200}$/u,
      /^\}$|^direction\s+(?:TD|TB|LR|BT|RL)$/u,
    ],
  },
  erdiagram: {
    name: "Entity relationship diagram",
    lines: [
      /^[\w-]{1,80}\s+(?:\|o|\|\||\}o|\}\|)(?:--|\.\.)(?:o\||\|\||o\{|\|\{)\s+[\w-]{1,80}\s*:\s*[^\n]{1,200}$/u,
      /^[\w-]{1,80}\s*\{$|^\}$/u,
      /^\w{1,60}\s+\w{1,60}(?:\s+(?:PK|FK|UK)(?:\s*,\s*(?:PK|FK|UK)){0,2})?(?:\s+"[^"]{1,200}")?$/u,
    ],
  },
};

/** The library, loaded. */
type Diagrams = Pick<typeof Mermaid, "renderMermaidSVG">;

export async function loadDiagrams(): Promise<Diagrams> {
  return import("beautiful-mermaid");
}

/** A diagram's SVG as the library writes it, with what it is. Throws NotDrawn in words when it can't be drawn rightly. */
export function diagramSvg(
  { renderMermaidSVG }: Diagrams,
  given: string,
): { readonly svg: string; readonly shows: string } {
  if (given.length > MAX_UNITS) throw new NotDrawn("The diagram is too large to be drawn.");
  const { kind, text } = read(given);
  try {
    return { svg: fitted(renderMermaidSVG(text, { font: FONT })), shows: `${kind.name}.` };
  } catch {
    throw notRead(kind.name);
  }
}

/** Its boxes are measured for a narrower font than ours. */
function fitted(svg: string): string {
  return (
    svg
      // The head at the start of an arrow is drawn turned already.
      .replaceAll(/(<marker id="arrowhead-start[^>]*orient="auto)-start-reverse"/gu, '$1"')
      .replaceAll("'JetBrains Mono'", `'${MONO_FONT}'`)
      .replaceAll(
        / font-size="([\d.]{1,8})"/gu,
        (_, size: string) => ` font-size="${(Number(size) * FONT_RATIO).toFixed(2)}"`,
      )
      .replaceAll(/ font-weight="[56]00"(?=[^>]*fill="var\(--_text-sec\)")/gu, "")
  );
}

/** The text as the library reads all of it: without front matter, directives and comments, which change no content. */
function read(given: string): { readonly kind: Kind; readonly text: string } {
  const lines = given
    .replace(/^\s*---\n(?:[^\n]*\n){0,40}?---\n/u, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("%%") && !/^(?:title|accTitle|accDescr)\b/u.test(line));
  const [first = "", ...rest] = lines;
  const word = /^[\w-]{1,30}/u.exec(first)?.[0].toLowerCase() ?? "";
  const kind = KINDS[word === "graph" ? "flowchart" : word.replace(/-v2$/u, "")];
  if (kind === undefined)
    throw new NotDrawn(
      "This kind of diagram can't be drawn here: flowcharts, sequence, class, state and entity diagrams can.",
    );
  if (lines.length > MAX_LINES) throw new NotDrawn("The diagram is too large to be drawn.");
  const text: string[] = [first.replace(/^graph\b/iu, "flowchart").replace(/;$/u, "")];
  for (const line of rest) {
    // Longer arrows mean no more than short ones here.
    const plain = kind.name === "Flowchart" ? line.replaceAll(/-{3,9}>/gu, "-->").replaceAll(/={3,9}>/gu, "==>") : line;
    if (plain.length > MAX_LINE_UNITS || !kind.lines.some((pattern) => pattern.test(plain))) throw notRead(kind.name);
    // A stick figure's name runs into the first message.
    if (kind.name === "Sequence diagram" && plain.startsWith("actor "))
      text.push(plain.replace("actor", "participant"));
    else if (!/^(?:autonumber|activate|deactivate|click)\b/u.test(plain)) text.push(plain);
  }
  return { kind, text: text.join("\n") };
}

function notRead(name: string): NotDrawn {
  return new NotDrawn(`This ${name.toLowerCase()} has something that can't be drawn here.`);
}

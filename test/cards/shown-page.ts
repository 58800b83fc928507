// docs/cards.md: its words are written by hand, and what stands between two of its marks is what is shown.
import { SHOWN } from "./shown-cards.ts";
import { PLATFORMS, shownOn, type PlatformName, type Shown } from "./shown.ts";

/** What every platform shows of each card, by the card's name. */
export type Transcripts = ReadonlyMap<string, ReadonlyMap<PlatformName, Shown>>;

export async function transcripts(): Promise<Transcripts> {
  const all = new Map<string, ReadonlyMap<PlatformName, Shown>>();
  for (const [card, make] of Object.entries(SHOWN)) {
    const on = new Map<PlatformName, Shown>();
    for (const name of PLATFORMS) on.set(name, await shownOn(name, make));
    all.set(card, on);
  }
  return all;
}

const MARKS = /<!-- shown: ([^>]{1,400}?) -->\n[\s\S]*?<!-- end -->/gu;
/** Longer lines are cut to the second of these. */
const [MAX_UNCUT, MAX_LINE] = [220, 100];

/** The page with what is shown now between its marks. Throws for a card that there is not, or that the page leaves out. */
export function filled(page: string, all: Transcripts): string {
  const named = new Set<string>();
  const text = page.replaceAll(MARKS, (_, names: string) => {
    const blocks: Group[][] = [];
    for (const card of names.split("; ")) {
      named.add(card);
      const shown = all.get(card);
      if (shown === undefined) throw new Error(`The page names a card that is none: ${card}.`);
      const groups = groupsOf(shown);
      const before = blocks.at(-1);
      // Cards that differ between the same platforms stand together.
      if (before !== undefined && namesIn(before) === namesIn(groups))
        before.forEach((group, at) => (group.text += BETWEEN + (groups[at]?.text ?? "")));
      else blocks.push(groups);
    }
    return `<!-- shown: ${names} -->\n\n${blocks.flat().map(drawn).join("\n\n")}\n\n<!-- end -->`;
  });
  const missing = [...all.keys()].filter((card) => !named.has(card));
  if (missing.length > 0) throw new Error(`docs/cards.md leaves out: ${missing.join("; ")}.`);
  return text;
}

/** What some platforms show alike. */
type Group = { readonly names: PlatformName[]; text: string };

const BETWEEN = "\n--\n";

function groupsOf(shown: ReadonlyMap<PlatformName, Shown>): Group[] {
  const groups: Group[] = [];
  for (const [name, { messages }] of shown) {
    const text = messages.join(BETWEEN);
    if (text === "") continue;
    const same = groups.find((group) =>
      name === "terminal"
        ? bare(byNumber(group.text)) === bare(text)
        : group.text === text.replaceAll("/tidegate ", "/"),
    );
    if (same === undefined) groups.push({ names: [name], text });
    else same.names.push(name);
  }
  return groups;
}

function namesIn(groups: readonly Group[]): string {
  return groups.map(({ names }) => names.join(", ")).join("; ");
}

function drawn({ names, text }: Group): string {
  const where = names.length === PLATFORMS.length ? "Everywhere" : names.join(", ");
  return `${where}:\n\n\`\`\`text\n${text.split("\n").map(clipped).join("\n")}\n\`\`\``;
}

/** Rows of buttons as a terminal has them: each with the number to type. */
function byNumber(text: string): string {
  return text
    .split(BETWEEN)
    .map((message) => {
      let number = 0;
      return message.replaceAll(/^(?:\[[^\]\n]{1,100}\] ?)+$/gmu, (row) =>
        row.replaceAll(/\[([^\]\n]{1,100})\]/gu, (_, label: string) => {
          number += 1;
          return label === String(number) ? `${number})` : `${number}) ${label}`;
        }),
      );
    })
    .join(BETWEEN);
}

/** Without what a terminal sets apart: quiet rows, indents, breaks of long lines. */
function bare(text: string): string {
  return text.replaceAll(/^· ?/gmu, "").replaceAll(/\s+/gu, " ").trim();
}

function clipped(line: string): string {
  return line.length <= MAX_UNCUT ? line.trimEnd() : `${line.slice(0, MAX_LINE)} ⋯`;
}

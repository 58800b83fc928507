// The pages of what can be turned on: the lists of apps and of skills, one of them, and what was chosen for good.
import type { Page, TargetKind } from "../core/card.ts";
import { clipGraphemes, clipUnits, escapeMarkdown, oneLine } from "../core/text.ts";
import type { Catalog, Item } from "../catalog/port.ts";
import { mutedKey, readMutes } from "../cards/mutes.ts";
import type { Store } from "../store/port.ts";
import type { Drawn, Leaf } from "./leaves.ts";

const PAGE_ITEMS = 8;
/** Numbers stand in rows that every platform has room for. */
const ROW_BUTTONS = 4;
const MAX_MAY = 10;
const NAME_CHARS = 80;
const WORDS_CHARS = 300;
const MAX_MUTES = 20;
const MAX_TOOLS = 10;
const TOOL_CHARS = 64;
const HEADS: Readonly<Record<TargetKind, string>> = {
  app: "**Apps** – what I can read and do elsewhere, once you connect it:",
  skill: "**Skills** – instructions that I follow, once you turn them on:",
};
const NONE: Readonly<Record<TargetKind, string>> = {
  app: "There are no apps in the catalogue.",
  skill:
    "There are no skills yet. A skill is a folder with a SKILL.md in it; put it into `skills` in the data folder, or into the folder that the config names.",
};

const OWN = "It is one of your own: nobody has looked at its tools, so each use that acts is asked about.";
const CHANGED =
  "Its tools are not the ones that you agreed to, so I use none of them. Agree if you trust whoever runs it, or disconnect it.";

type Parts = {
  readonly store: Pick<Store, "settings">;
  readonly catalog: Pick<Catalog, "items">;
  /** Of a page's text. */
  readonly maxChars: number;
};

/** What is on first, then what could be; a button each. */
export function drawItems(
  { kind, from }: Extract<Page, { of: "items" }>,
  { catalog, maxChars }: Pick<Parts, "catalog" | "maxChars">,
): Drawn {
  const all = catalog.items
    .filter((item) => item.kind === kind && item.state !== "retired")
    .toSorted((a, b) => rank(a) - rank(b));
  if (all.length === 0) return { text: NONE[kind], rows: [], quiet: false };
  // The list may have become shorter since the button was drawn.
  const first = from < all.length ? from : Math.floor((all.length - 1) / PAGE_ITEMS) * PAGE_ITEMS;
  const shown = all.slice(first, first + PAGE_ITEMS);
  const lineChars = Math.floor((maxChars - HEADS[kind].length) / PAGE_ITEMS);
  const lines = shown.map((item, at) => {
    const { name, tagline, about, trouble } = item;
    const says = tagline === "" ? (trouble ?? about) : tagline;
    return `${first + at + 1}. **${plain(name, lineChars)}** (${stateWords(item)})${says === "" ? "" : ` – ${plain(says, lineChars)}`}`;
  });
  const opens = shown.map((item, at): Leaf => ({
    label: String(first + at + 1),
    page: { of: "item", kind, id: item.id, from: first },
  }));
  const steps: Leaf[] = [];
  if (first > 0) steps.push({ label: "‹ Back", page: { of: "items", kind, from: Math.max(0, first - PAGE_ITEMS) } });
  if (first + PAGE_ITEMS < all.length)
    steps.push({ label: "More ›", page: { of: "items", kind, from: first + PAGE_ITEMS } });
  const count = steps.length === 0 ? [] : [`_${first + 1}–${first + shown.length} of ${all.length}_`];
  return {
    text: [HEADS[kind], lines.join("\n"), ...count].join("\n\n"),
    rows: [...inRows(opens), ...(steps.length === 0 ? [] : [steps])],
    quiet: false,
  };
}

/** One of them: what it is, what it may do, and what can be done about it. */
export async function drawItem(
  page: Extract<Page, { of: "item" }>,
  { catalog, store, maxChars }: Parts,
): Promise<Drawn> {
  const { kind, id, from, stage } = page;
  const list: Leaf = { label: "‹ All", page: { of: "items", kind, from } };
  const item = catalog.items.find((one) => one.kind === kind && one.id === id);
  if (item === undefined) return { text: "There is nothing of that name any more.", rows: [[list]], quiet: false };
  const muted = (await readMutes(store.settings)).has(mutedKey({ kind, id }));
  const does = ({ label, doing }: Act): Leaf => ({ label, page: { of: "item", kind, id, from, doing } });
  const acts = stage?.is === "working" ? [] : actsOf(item, stage?.is === "sign-in").map(does);
  if (stage?.is === "sign-in") acts.unshift({ label: "Sign in", url: stage.url });
  const { name, about, tagline, may, trouble, reviewed } = item;
  // Each may be as long as its share of a message.
  const share = Math.floor(maxChars / (2 * Math.max(1, Math.min(MAX_MAY, may.length))));
  const mays = may.slice(0, MAX_MAY).map((one) => `- ${plain(one, share)}`);
  if (may.length > mays.length) mays.push(`- and ${may.length - mays.length} more`);
  const says = about === "" ? tagline : about;
  const lines = [
    `**${plain(name, NAME_CHARS)}** (${stateWords(item)})`,
    ...(says === "" ? [] : [plain(says, Math.floor(maxChars / 4))]),
    ...(mays.length === 0 ? [] : [["It may:", ...mays].join("\n")]),
    ...(kind === "app" && !reviewed ? [OWN] : []),
    ...(item.state === "changed" ? [CHANGED, ...toolLines(item, maxChars)] : []),
    ...(stage?.is === "words" ? [] : needs(item)),
    ...(trouble === undefined ? [] : [`⚠️ ${plain(trouble, Math.floor(maxChars / 6))}`]),
    ...(muted ? ["_It is not suggested any more._"] : []),
    ...stageWords(stage),
  ];
  const back = [...(muted ? [does({ label: "Suggest it again", doing: "unmute" })] : []), list];
  return { text: lines.join("\n\n"), rows: [...(acts.length === 0 ? [] : [acts]), back], quiet: false };
}

/** What was chosen for good, with a way back for each. */
export async function drawSettings({ store, catalog }: Omit<Parts, "maxChars">): Promise<Drawn> {
  const mutes = [...(await readMutes(store.settings))];
  if (mutes.length === 0)
    return {
      text: "**Settings**\n\nNothing was chosen for good: every app and skill may be suggested.",
      rows: [],
      quiet: false,
    };
  const shown = mutes.slice(0, MAX_MUTES);
  const nameOf = (key: string): string =>
    catalog.items.find((item) => mutedKey(item) === key)?.name ?? key.replace(/^skill:/u, "");
  const lines = shown.map((key, at) => `${at + 1}. ${plain(nameOf(key), NAME_CHARS)}`);
  const more = mutes.length > shown.length ? [`and ${mutes.length - shown.length} more`] : [];
  return {
    text: [
      "**Settings**",
      "These are not suggested any more. A number suggests it again:",
      lines.join("\n"),
      ...more,
    ].join("\n\n"),
    rows: inRows(shown.map((key, at) => ({ label: String(at + 1), page: { of: "settings", unmute: key } }))),
    quiet: false,
  };
}

function rank({ state, featured }: Item): number {
  const states = { changed: 0, on: 1, asked: 2, off: featured ? 3 : 4, retired: 5 } as const;
  return states[state];
}

function stateWords({ kind, state, trouble }: Item): string {
  switch (state) {
    case "on":
      return kind === "skill" ? "used by itself" : trouble === undefined ? "connected" : "connected, not answering";
    case "asked":
      return "used when you ask";
    case "changed":
      return "its tools changed";
    case "retired":
      return "no longer offered";
    case "off":
      return kind === "skill" ? "off" : "not connected";
  }
}

type Act = { readonly label: string; readonly doing: NonNullable<Extract<Page, { of: "item" }>["doing"]> };

/** `again`: a sign-in was begun just now. */
function actsOf(item: Item, again: boolean): readonly Act[] {
  const { kind, state, about, trouble } = item;
  if (kind === "skill") {
    // A folder that is no skill can't be turned on.
    if (about === "") return [];
    const all: readonly Act[] = [
      { label: "Use it by itself", doing: "on" },
      { label: "When I ask", doing: "asked" },
      { label: "Off", doing: "off" },
    ];
    return all.filter(({ doing }) => doing !== state);
  }
  const off: Act = { label: "Disconnect", doing: "off" };
  if (state === "changed") return [{ label: "Agree to its tools", doing: "agree" }, off];
  if (state === "on") return trouble === undefined ? [off] : [{ label: "Try again", doing: "on" }, off];
  return state === "retired" || missingOf(item).length > 0
    ? []
    : [{ label: again ? "New link" : "Connect", doing: "on" }];
}

/** The variables that it can't be connected without. */
function missingOf({ connects }: Pick<Item, "connects">): readonly string[] {
  return connects.by === "key" ? connects.variables.filter(({ set }) => !set).map(({ name }) => `\`${name}\``) : [];
}

/** Which tools are not the ones that were agreed to, as far as that is known. */
function toolLines({ tools }: Item, maxChars: number): readonly string[] {
  if (tools === undefined) return [];
  const parts = [
    ["New", tools.added],
    ["Changed", tools.changed],
    ["Gone", tools.gone],
  ] as const;
  const lines = parts.flatMap(([what, names]) => {
    if (names.length === 0) return [];
    const shown = names.slice(0, MAX_TOOLS).map((name) => plain(name, Math.min(TOOL_CHARS, Math.floor(maxChars / 60))));
    const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
    return [`- ${what}: ${shown.join(", ")}${more}`];
  });
  return lines.length === 0 ? [] : [lines.join("\n")];
}

function needs(item: Item): readonly string[] {
  const missing = missingOf(item);
  if (missing.length === 0) return [];
  return [`It needs ${missing.join(" and ")}: put it into the \`.env\` beside the config and start me again.`];
}

function stageWords(stage: Extract<Page, { of: "item" }>["stage"]): readonly string[] {
  switch (stage?.is) {
    case "working":
      return ["_Connecting …_"];
    case "sign-in":
      return [
        "Sign in on the page that the button opens; this goes on by itself then. If your browser ends at an address that begins with 127.0.0.1 and shows nothing, send me that address here.",
      ];
    case "words":
      return [`⚠️ ${plain(stage.words, WORDS_CHARS)}`];
    case undefined:
      return [];
  }
}

function inRows(leaves: readonly Leaf[]): readonly (readonly Leaf[])[] {
  return Array.from({ length: Math.ceil(leaves.length / ROW_BUTTONS) }, (_, at) =>
    leaves.slice(at * ROW_BUTTONS, (at + 1) * ROW_BUTTONS),
  );
}

/** A folder or a config may say anything: one line of plain text. */
function plain(text: string, maxChars: number): string {
  // One sign may be a family of emoji: what counts for a message is its units.
  return escapeMarkdown(clipUnits(clipGraphemes(oneLine(text), maxChars, "…"), 4 * maxChars, "…"));
}

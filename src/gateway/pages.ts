// What a card that can be leafed through shows: what a search found, a stretch of a chat, a look, the activity. Drawn anew at each
// press from the log and the index. A page is one message on every platform.
import type { Look, Page } from "../core/card.ts";
import type { Conversation } from "../core/conversation.ts";
import { asGatewayError } from "../core/error.ts";
import { placeInWords } from "../core/message.ts";
import { escapeMarkdown, oneLine } from "../core/text.ts";
import { lookLine } from "../cards/looks.ts";
import type { Hit, Line, Range, Search, Who } from "../search/port.ts";
import { snippetOf } from "../search/snippet.ts";
import type { Catalog } from "../catalog/port.ts";
import type { Store } from "../store/port.ts";
import { drawActivity, drawStep } from "./activity-pages.ts";
import { drawItem, drawItems, drawSettings } from "./item-pages.ts";
import { timeOf, titleOf, type Drawn, type Leaf } from "./leaves.ts";

export type { Drawn, Leaf } from "./leaves.ts";

/** What pages are drawn from. */
export type PageParts = {
  readonly store: Store;
  readonly search: Search;
  readonly catalog: Catalog;
  /** The address of a line's message, where its platform has one. */
  readonly linkTo: (conversation: Conversation, line: number) => Promise<string | undefined>;
  /** Of a page's text, as Markdown. */
  readonly maxChars: number;
};

const HIT_CHARS = 90;
const NEIGHBOUR_CHARS = 110;
const ASKED_CHARS = 600;
const WHO_WORDS: Readonly<Record<Who, string>> = { you: "You", assistant: "Me", them: "Them", step: "Step" };

/** Draws a page. Never throws: what can't be shown is said in words. */
export async function drawPage(page: Page, parts: PageParts): Promise<Drawn> {
  try {
    switch (page.of) {
      case "results":
        return await drawResults(page, parts);
      case "lines":
        return await drawLines(page, parts);
      case "look":
        return await drawLookOf(page, parts);
      case "activity":
        return await drawActivity(page, parts.store, parts.maxChars);
      case "step":
        return await drawStep(page, parts.store, parts.maxChars);
      case "items":
        return drawItems(page, parts);
      case "item":
        return await drawItem(page, parts);
      case "settings":
        return await drawSettings(parts);
    }
  } catch (thrown) {
    const { message, hint } = asGatewayError(thrown, "search-broken");
    const again = page.of === "results" ? [[{ label: "Try again", page }]] : backFrom(page);
    const rows = asGatewayError(thrown).code === "bad-request" ? [] : again;
    return { text: [message, ...(hint === undefined ? [] : [hint])].join(" "), rows, quiet: false };
  }
}

async function drawResults(page: Extract<Page, { of: "results" }>, parts: PageParts): Promise<Drawn> {
  const { match, chats } = await parts.search.find(page.query, {});
  const words = `“${escapeMarkdown(oneLine(page.query))}”`;
  if (match === "none")
    return {
      text: `I found ${words} in none of your chats. I look for words, in any spelling that comes close, not for what they mean.`,
      rows: [],
      quiet: false,
    };
  const known = await Promise.all(chats.map(async ({ chat }) => await parts.store.conversations.get(chat)));
  const sections = await Promise.all(
    chats.map(async ({ chat, hits }, at) => await sectionOf(known[at], hits, at + 1, parts, chat)),
  );
  const head = match === "exact" ? `Found for ${words}:` : `Nothing says exactly ${words}. This comes close:`;
  const buttons = chats.map(({ chat, hits: [best] }, at) =>
    best === undefined ? undefined : opening(at, chat, best.line, page, page.query),
  );
  const { text, opens } = fit(head, sections, buttons, parts.maxChars);
  return { text, rows: [opens], quiet: false };
}

/** The button that opens a line among its neighbours. */
function opening(at: number, chat: string, line: number, back: Page, query: string | undefined): Leaf {
  const lit = query === undefined ? {} : { query };
  return { label: String(at + 1), page: { of: "lines", chat, line, direction: "around", back, ...lit } };
}

/** A chat's title and its lines, the first of which are the best. */
async function sectionOf(
  conversation: Conversation | undefined,
  lines: readonly (Line & Partial<Hit>)[],
  number: number,
  parts: PageParts,
  id: string,
): Promise<readonly string[]> {
  const shown = await Promise.all(
    lines.map(async (line) => {
      const link = conversation === undefined ? undefined : await parts.linkTo(conversation, line.line);
      return `${says(line, HIT_CHARS)}${link === undefined ? "" : ` [↗](${link})`}`;
    }),
  );
  const head = `**${number}. ${titleOf(conversation)}** · ${whereOf(conversation, lines[0]?.at, id)}`;
  return [`${head}${await withWhom(conversation, parts)}`, ...shown];
}

/**
 * Each section's title and first line, then second lines and so on, as far as there is room; in the order of the sections. `opens`: the
 * buttons of those that are there.
 */
function fit(
  head: string,
  sections: readonly (readonly string[])[],
  buttons: readonly (Leaf | undefined)[],
  maxChars: number,
): { readonly text: string; readonly opens: readonly Leaf[] } {
  let chars = head.length;
  const kept = sections.map(() => 0);
  for (let nth = 0; nth < Math.max(0, ...sections.map((lines) => lines.length)); nth += 1) {
    for (const [at, lines] of sections.entries()) {
      const line = lines[nth];
      if (line === undefined || kept[at] !== nth || chars + line.length + 2 > maxChars) continue;
      chars += line.length + 2;
      kept[at] = nth + 1;
    }
  }
  const shown = sections.map((lines, at) => lines.slice(0, kept[at]).join("\n")).filter((text) => text !== "");
  const opens = buttons.flatMap((button, at) => (button !== undefined && (kept[at] ?? 0) > 0 ? [button] : []));
  return { text: [head, ...shown].join("\n\n"), opens };
}

async function drawLines(page: Extract<Page, { of: "lines" }>, parts: PageParts): Promise<Drawn> {
  const { chat, line, direction, back, query } = page;
  const stretch = await parts.search.read(chat, { direction, line }, {});
  const conversation = await parts.store.conversations.get(chat);
  if (stretch === undefined || conversation === undefined)
    return { text: "That chat is not there any more.", rows: backFrom(page), quiet: false };
  const lit = query === undefined || direction !== "around" ? [] : await litIn(chat, line, query, parts);
  const where = `${whereOf(conversation, stretch.lines[0]?.at, chat)}${await withWhom(conversation, parts)}`;
  const head = `**${titleOf(conversation)}** · ${where}`;
  const [first, last] = [stretch.lines.at(0), stretch.lines.at(-1)];
  const link = direction === "around" ? await parts.linkTo(conversation, line) : undefined;
  const turn = (label: string, to: Line | undefined, way: "before" | "after"): readonly Leaf[] =>
    to === undefined ? [] : [{ label, page: { of: "lines", chat, line: to.line, direction: way, back } }];
  return {
    text: nearest(head, stretch.lines, { asked: line, direction, lit, maxChars: parts.maxChars }),
    rows: [
      [
        ...(stretch.before ? turn("Earlier", first, "before") : []),
        ...(stretch.after ? turn("Later", last, "after") : []),
      ],
      [...(link === undefined ? [] : [{ label: "Open it there", url: link }]), ...backFrom(page).flat()],
    ].filter((row) => row.length > 0),
    quiet: false,
  };
}

/** The lines nearest to the one asked for, as far as there is room, in the chat's order. */
function nearest(
  head: string,
  lines: readonly Line[],
  {
    asked,
    direction,
    lit,
    maxChars,
  }: {
    readonly asked: number;
    readonly direction: "around" | "before" | "after";
    readonly lit: readonly Hit[];
    readonly maxChars: number;
  },
): string {
  const rendered = lines.map((line) => {
    const isAsked = direction === "around" && line.line === asked;
    const hit = lit.find((one) => one.who === line.who);
    return isAsked ? `→ ${says(hit ?? line, Math.min(ASKED_CHARS, maxChars / 2))}` : says(line, NEIGHBOUR_CHARS);
  });
  const distance = (at: number): number => Math.abs((lines[at]?.line ?? 0) - asked);
  const byDistance = rendered.map((_, at) => at).toSorted((a, b) => distance(a) - distance(b) || a - b);
  const kept = new Set<number>();
  let chars = head.length;
  for (const at of byDistance) {
    const size = (rendered[at]?.length ?? 0) + 2;
    if (chars + size > maxChars) break;
    chars += size;
    kept.add(at);
  }
  return [head, ...rendered.filter((_, at) => kept.has(at))].join("\n\n");
}

/** The line as the query found it; nothing when it does not any more. */
async function litIn(chat: string, line: number, query: string, { search }: PageParts): Promise<readonly Hit[]> {
  const { chats } = await search.find(query, {}).catch(() => ({ chats: [] }));
  return chats.find((one) => one.chat === chat)?.hits.filter((hit) => hit.line === line) ?? [];
}

function closedLook(look: Look): Drawn {
  return {
    text: lookLine(look),
    rows: look.chats.length === 0 ? [] : [[{ label: "Show", page: { of: "look", look, open: true } }]],
    quiet: true,
  };
}

async function drawLookOf(page: Extract<Page, { of: "look" }>, parts: PageParts): Promise<Drawn> {
  const look = typeof page.look === "number" ? await lookAt(page.look, parts) : page.look;
  if (look === undefined) return { text: "That is not there any more.", rows: backFrom(page), quiet: false };
  return page.open ? await drawLook(page, look, parts) : closedLook(look);
}

async function lookAt(place: number, { store }: PageParts): Promise<Look | undefined> {
  const [one] = await store.log.looks(1, place + 1);
  return one?.place === place && one.entry.kind === "looked" ? one.entry.look : undefined;
}

async function drawLook(page: Extract<Page, { of: "look" }>, look: Look, parts: PageParts): Promise<Drawn> {
  const sections = await Promise.all(
    look.chats.map(async ({ conversation: id, lines }, at) => {
      const conversation = await parts.store.conversations.get(id);
      const found = conversation === undefined ? [] : await linesOf(id, lines, parts);
      return await sectionOf(conversation, found, at + 1, parts, id);
    }),
  );
  const buttons = look.chats.map(({ conversation: chat, lines: [line] }, at) =>
    line === undefined ? undefined : opening(at, chat, line, page, look.query),
  );
  const { text, opens } = fit(lookLine(look), sections, buttons, parts.maxChars);
  return { text, rows: [opens, ...backFrom(page)].filter((row) => row.length > 0), quiet: false };
}

/** Lines as they are now: what was deleted or taken back since is not there any more. */
async function linesOf(chat: string, wanted: readonly number[], { search }: PageParts): Promise<readonly Line[]> {
  const found: Line[] = [];
  for (const line of wanted) {
    const known = found.some((one) => one.line === line);
    const stretch = known ? undefined : await search.read(chat, { direction: "around", line }, {});
    found.push(...(stretch?.lines.filter((one) => wanted.includes(one.line) && !isIn(found, one)) ?? []));
  }
  return found;
}

function isIn(lines: readonly Line[], line: Line): boolean {
  return lines.some((one) => one.line === line.line && one.who === line.who && one.text === line.text);
}

/** The way back, for pages that were opened from another one. */
function backFrom(page: Page): readonly (readonly Leaf[])[] {
  if (page.of === "lines" || page.of === "step") return [[{ label: "Back", page: page.back }]];
  if (page.of !== "look") return [];
  return [
    [page.back === undefined ? { label: "Close", page: { ...page, open: false } } : { label: "Back", page: page.back }],
  ];
}

/** Who else's words are there, the first two. */
async function withWhom(conversation: Conversation | undefined, { store }: PageParts): Promise<string> {
  const marks = conversation === undefined ? undefined : await store.conversations.marks(conversation.id);
  const others = (marks ?? []).filter(({ kind }) => kind === "person").map(({ label }) => escapeMarkdown(label));
  return others.length === 0 ? "" : ` · with ${others.slice(0, 2).join(", ")}${others.length > 2 ? " and others" : ""}`;
}

function whereOf(conversation: Conversation | undefined, at: number | undefined, id: string): string {
  if (conversation === undefined) return `\`${id}\``;
  return [
    placeInWords(conversation.room),
    ...(at === undefined ? [] : [timeOf(at)]),
    ...(conversation.archived ? ["archived"] : []),
  ].join(" · ");
}

/** Who says what, cut around what is lit; what is lit is bold. */
function says(line: Line & Partial<Hit>, maxChars: number): string {
  const { text, lit } = snippetOf(line.text, line.lit ?? [], maxChars);
  let said = "";
  let from = 0;
  for (const { start, end } of withAddresses(text, lit)) {
    said += `${escapeMarkdown(text.slice(from, start))}**${escapeMarkdown(text.slice(start, end))}**`;
    from = end;
  }
  return `${WHO_WORDS[line.who]}: ${said}${escapeMarkdown(text.slice(from))}`;
}

const ADDRESS = /(?:\bhttps?:\/\/|\bwww\.|[^\s@]{1,64}@)\S{1,2000}/giu;

/** An address is lit whole: cut in two, its beginning would be drawn as another one. */
function withAddresses(text: string, lit: readonly Range[]): readonly Range[] {
  const whole = Array.from(text.matchAll(ADDRESS), ({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  const spans = lit.map((one) => whole.find(({ start, end }) => start < one.end && one.start < end) ?? one);
  return spans.filter(({ start }, at) => start >= (spans[at - 1]?.end ?? 0));
}

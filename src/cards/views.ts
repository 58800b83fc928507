// What a tool found, as rows to look at. Everything in them is from outside: plain text, escaped, links http and https only.
import type { View } from "../core/card.ts";
import { clipUnits, escapeMarkdown, isVisible, oneLine } from "../core/text.ts";
import type { Random } from "../core/surroundings.ts";
import type { Change } from "../store/port.ts";
import type { Drawn } from "./drawn.ts";

const MAX_ROWS: Readonly<Record<View["of"], number>> = { agenda: 60, mail: 30, files: 30, messages: 30 };
const TITLES: Readonly<Record<View["of"], string>> = {
  agenda: "Agenda",
  mail: "Mail",
  files: "Files",
  messages: "Messages",
};
/** UTF-16 units, since one character that a reader sees can be thousands of them. */
const MAX_TITLE = 200;
const MAX_DETAIL = 300;
/** A text to copy is at most 256 on Telegram. */
const MAX_COMPOSE = 200;
const MAX_LABEL = 40;
const MAX_LINK = 2000;
const KEY_BYTES = 9;
/** Shown at once, as drawn: one message on most platforms. The rest is counted. */
const MAX_DRAWN = 3000;
const MAX_COMPOSE_BUTTONS = 5;

type Row = View["rows"][number];

/** A view within its bounds, whoever made it. */
export function boundedView(view: View): View {
  const rows = view.rows.slice(0, MAX_ROWS[view.of]).map(({ title, detail, link, compose }): Row => {
    const next = compose === undefined ? undefined : boundedCompose(compose);
    return {
      title: capped(title, MAX_TITLE),
      detail: capped(detail, MAX_DETAIL),
      ...(link !== undefined && isWebAddress(link) ? { link } : {}),
      ...(next === undefined ? {} : { compose: next }),
    };
  });
  const more = Number.isSafeInteger(view.more) ? Math.max(0, view.more) : 0;
  return { ...view, title: capped(view.title, MAX_TITLE), rows, more: more + view.rows.length - rows.length };
}

/** What is put where a person writes is sent as it stands there: nothing is put behind a text that is cut. */
function boundedCompose({ label, text }: NonNullable<Row["compose"]>): Row["compose"] {
  const words = clipUnits(oneLine(text), MAX_COMPOSE);
  if (!isVisible(words)) return undefined;
  return { label: isVisible(label) ? capped(label, MAX_LABEL) : "Write", text: words };
}

/** The changes that show a view: its entry and the durable buttons of what its rows may be answered with. */
export function viewChanges(
  { conversation, turn, view: given, at }: { conversation: string; turn: string; view: View; at: number },
  random: Random,
): readonly Change[] {
  const view = boundedView(given);
  const texts = composedOf(shownOf(view)).map(({ text }) => text);
  const keyed = texts.slice(0, MAX_COMPOSE_BUTTONS).map((text) => ({ text, key: random.key(KEY_BYTES) }));
  return [
    { do: "append", conversation, at, body: { kind: "viewed", turn, view, keys: keyed.map(({ key }) => key) } },
    ...keyed.map(({ text, key }): Change => ({
      do: "button",
      key,
      button: { conversation, does: "compose", text },
    })),
  ];
}

/** The rows as a list. Where several can be answered their buttons carry their number. */
export function drawView(view: View, keys: readonly string[]): Drawn {
  const rows = shownOf(view);
  const left = view.rows.length - rows.length + view.more;
  let numbered = 0;
  const lines = rows.map((row) => {
    const numbers = row.compose !== undefined && numbered < keys.length;
    if (numbers) numbered += 1;
    return lineOf(row, numbers && keys.length > 1 ? numbered : undefined);
  });
  const buttons = composedOf(rows)
    .slice(0, keys.length)
    .map(({ label, text }, at) => ({
      label: keys.length > 1 ? `${at + 1} ${label}` : label,
      press: keys[at] ?? "",
      opens: true as const,
      copy: text,
    }));
  const title = escapeMarkdown(isVisible(view.title) ? view.title : TITLES[view.of]);
  const rest = left === 0 ? [] : [`_and ${left} more_`];
  return {
    text: [`**${title}**`, lines.length === 0 ? "_nothing_" : lines.join("\n"), ...rest].join("\n\n"),
    rows: buttons.length === 0 ? [] : [buttons],
    quiet: true,
  };
}

/** As many rows as can be shown at once, one at least. */
function shownOf({ rows }: View): readonly Row[] {
  let drawn = 0;
  const end = rows.findIndex((row, at) => {
    drawn += lineOf(row, undefined).length;
    return at > 0 && drawn > MAX_DRAWN;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

function composedOf(rows: readonly Row[]): readonly NonNullable<Row["compose"]>[] {
  return rows.flatMap(({ compose }) => (compose === undefined ? [] : [compose]));
}

function lineOf({ title, detail, link }: Row, number: number | undefined): string {
  const name = escapeMarkdown(isVisible(title) ? title : "(no title)");
  // Markdown would read an entity in an address: what was judged is what is opened.
  const address = link !== undefined && isWebAddress(link) ? link.replaceAll("&", String.raw`\&`) : undefined;
  const linked = address === undefined ? `**${name}**` : `[${name}](<${address}>)`;
  const more = isVisible(detail) ? ` – ${escapeMarkdown(detail)}` : "";
  return `- ${number === undefined ? "" : String.raw`${number}\. `}${linked}${more}`;
}

function capped(text: string, maxUnits: number): string {
  return clipUnits(oneLine(text), maxUnits, "…");
}

/** What one program reads as a host and another as a name in front of one is no host. */
const ADDRESS = /^https?:\/\/[\p{L}\p{M}\p{N}.:[\]_~-]{1,260}(?:$|[/?#][^\s<>\\]*$)/iu;

/** Judged when a row is made and again when it is drawn. */
function isWebAddress(link: string): boolean {
  if (link.length > MAX_LINK || !ADDRESS.test(link)) return false;
  const url = URL.parse(link);
  return url !== null && /^https?:$/u.test(url.protocol) && url.username === "" && url.password === "";
}

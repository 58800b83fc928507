// A question as a card: how it looks as far as it was answered, its buttons, and what it says once it is over.
import type { Question, QuestionAct, QuestionField } from "../core/card.ts";
import type { Button, Menu } from "../core/reply.ts";
import { clipUnits, escapeMarkdown, lineStart, oneLine } from "../core/text.ts";
import type { Drawn } from "./drawn.ts";
import { WRITTEN } from "./question-values.ts";

/** How a question ended: with answers field by field, with the person's own words for all of it, or without an answer. */
export type Ended =
  | { readonly is: "answered"; readonly answers: readonly string[]; readonly own?: string }
  | { readonly is: "words"; readonly words: string }
  | { readonly is: "skipped" | "stopped" | "late" | "restarted" | "replaced" | "left" };

const UNANSWERED: Readonly<Record<Exclude<Ended["is"], "answered" | "words">, string>> = {
  skipped: "skipped",
  stopped: "skipped: I was stopped before it was answered",
  late: "skipped: it was not answered in time",
  restarted: "skipped: I was restarted before it was answered",
  replaced: "skipped: I asked something else since",
  left: "skipped: the chat has moved on",
};

/** Longer labels are cut off on a phone's button: the option gets a number, and its label stands in the text. */
const MAX_BUTTON_UNITS = 40;
/** In one message on every platform: a card of two could not lose the buttons of both. Discord takes 2,000 characters. */
const MAX_CARD_UNITS = 1500;
const MAX_MENU_UNITS = 60;

/** How much of its texts a card shows, in units: of what was asked, of what is said of an option, of what was answered before. */
type Fit = { readonly asked: number; readonly described: number; readonly before: number };

/** The first that makes the card short enough counts. */
const FITS: readonly Fit[] = [
  { asked: 200, described: 200, before: 200 },
  { asked: 200, described: 60, before: 60 },
  { asked: 200, described: 0, before: 40 },
  { asked: 60, described: 0, before: 40 },
];
/** The same once it is over: of the only answer, and of one of several. */
const [MAX_ANSWER_UNITS, MAX_PART_UNITS] = [200, 60];
/** Of so many buttons at most a row consists where there are forms; and of so many that are just a number elsewhere. */
const [MAX_ROW, MAX_NUMBERS] = [5, 6];
const OPEN: QuestionAct = { do: "open" };

/** Which field is asked for now, where they are asked one after the other; the first otherwise. */
export function stepOf({ soFar }: Pick<Question, "soFar">): number {
  return soFar?.answers.length ?? 0;
}

/** The buttons of a question as it stands now: their labels, and what each does. */
export function buttonsOf(
  card: Omit<Question, "options">,
): readonly { readonly label: string; readonly act: QuestionAct }[] {
  const at = stepOf(card);
  const field = card.fields[at];
  const skip = { label: "Skip", act: { do: "skip" } } as const;
  if (field === undefined) return [skip];
  if (card.inForm && card.fields.length > 1) return [{ label: "Answer…", act: OPEN }, skip];
  if (field.kind === "choice") {
    const other = card.inForm && field.other ? [{ label: "Other…", act: OPEN }] : [];
    if (card.inForm && field.several) return [{ label: "", act: { do: "menu" } }, ...other, skip];
    const picked = new Set(card.soFar?.picked);
    const options = field.options.map(({ label }, option) => ({
      label: `${field.several ? (picked.has(option) ? "☑ " : "☐ ") : ""}${isNumbered(field) ? option + 1 : label}`,
      act: { do: "pick", field: at, option } as const,
    }));
    return [...options, ...(field.several ? [{ label: "Done", act: { do: "done" } } as const] : []), ...other, skip];
  }
  const suggested = "suggested" in field ? field.suggested : undefined;
  return [
    ...(suggested === undefined ? [] : [{ label: suggested, act: { do: "pick", field: at, option: 0 } } as const]),
    ...(card.inForm ? [{ label: "Answer…", act: OPEN }] : []),
    skip,
  ];
}

/** The card as it is now. */
export function drawQuestion(card: Question): Drawn {
  const drawings = FITS.map((fit) => textOf(card, fit));
  const menu = menuOf(card);
  return {
    text: drawings.find(({ length }) => length <= MAX_CARD_UNITS) ?? drawings.at(-1) ?? "",
    rows: rowsOf(card),
    ...(menu === undefined ? {} : { menu }),
    ...(card.fields[stepOf(card)]?.kind === "choice" ? {} : { written: true }),
    // Alone with us they see it anyway.
    ...(card.name === undefined ? {} : { calls: card.for.slice(card.for.indexOf("/") + 1) }),
    quiet: false,
  };
}

function textOf(card: Question, fit: Fit): string {
  const { title, fields, soFar, name, inForm } = card;
  const at = stepOf(card);
  const steps = !inForm && fields.length > 1 ? `${at + 1} of ${fields.length}` : "";
  const lines = [
    name === undefined ? "" : `For ${said(name, MAX_PART_UNITS)}:`,
    title === undefined ? steps : `**${said(title, fit.asked)}**${steps === "" ? "" : ` (${steps})`}`,
    ...(soFar?.answers ?? []).map((answer, nth) => `✓ ${beside(fields[nth], answer, fit.before)}`),
    ...(inForm && fields.length > 1
      ? fields.map((one) => `• ${labelOf(one, fit)}`)
      : fieldLines(fields[at], card, fit)),
    soFar?.problem === undefined ? "" : `⚠️ ${said(soFar.problem, MAX_ANSWER_UNITS)}`,
  ];
  return lines.filter((line) => line !== "").join("  \n");
}

/** What the card says from its end on: what was asked, and what came of it. */
export function closedText({ title, fields }: Pick<Question, "title" | "fields">, ended: Ended): string {
  const only = fields.length === 1 ? fields[0]?.label : undefined;
  const asked = title ?? only ?? fields.map(({ label }) => label).join(" · ");
  const head = `**${said(asked, MAX_ANSWER_UNITS)}**`;
  if (ended.is === "words") return `${head} – “${said(ended.words, MAX_ANSWER_UNITS)}”`;
  if (ended.is !== "answered") return `${head} – _${UNANSWERED[ended.is]}_`;
  const { answers, own } = ended;
  const given = answers.map((answer, at) =>
    only === undefined ? beside(fields[at], answer, MAX_PART_UNITS) : said(answer, MAX_ANSWER_UNITS),
  );
  const all = [...given, ...(own === undefined ? [] : [`“${said(own, MAX_PART_UNITS)}”`])].join(" · ");
  return only === undefined ? `${head}  \n${lineStart(all)}` : `${head} – ${all}`;
}

/** The answer in words for a model: each field by its label. */
export function givenText({ fields }: Pick<Question, "fields">, ended: Ended): string | null {
  if (ended.is === "words") return `In their own words: ${ended.words}`;
  if (ended.is !== "answered") return null;
  const lines = ended.answers.map((answer, at) => `${fields[at]?.label ?? ""}: ${answer}`);
  return [...lines, ...(ended.own === undefined ? [] : [`In their own words: ${ended.own}`])].join("\n");
}

function fieldLines(field: QuestionField | undefined, { title, name, inForm }: Question, fit: Fit): readonly string[] {
  if (field === undefined) return [];
  const label = title === undefined ? `**${labelOf(field, fit)}**` : `▸ ${labelOf(field, fit)}`;
  const isSpoken = !inForm || field.kind === "choice";
  const where = name === undefined ? "" : ", as a reply to this";
  if (field.kind === "choice") {
    const isListed = isNumbered(field) || field.options.some(({ description }) => description !== undefined);
    const options = isListed ? field.options.map((option, at) => optionLine(option, at, field, fit)) : [];
    const hints = [
      ...(field.several && !inForm ? ["Pick one or more, then Done."] : []),
      ...(field.other && isSpoken ? [`Or write it in your own words${where}.`] : []),
    ];
    return [label, ...options, ...(hints.length === 0 ? [] : [`_${hints.join(" ")}_`])];
  }
  if (inForm) return [label];
  const like = field.kind === "text" ? "" : `, like ${WRITTEN[field.kind]}`;
  return [label, `_Write it here${like}${where}._`];
}

function optionLine(
  { label, description }: { readonly label: string; readonly description?: string },
  at: number,
  field: QuestionField,
  { asked, described }: Fit,
): string {
  const mark = isNumbered(field) ? `**${at + 1}.**` : "•";
  const more = described === 0 ? "" : said(description ?? "", described);
  return `${mark} ${said(label, asked)}${more === "" ? "" : ` – ${more}`}`;
}

function isNumbered(field: QuestionField): boolean {
  return field.kind === "choice" && field.options.some(({ label }) => label.length > MAX_BUTTON_UNITS);
}

function labelOf(field: QuestionField, { asked }: Fit): string {
  const unit = field.kind === "number" && field.unit !== undefined ? escapeMarkdown(` (${field.unit})`) : "";
  return `${said(field.label, asked)}${unit}`;
}

/** What was asked, with its answer. */
function beside(field: QuestionField | undefined, answer: string, maxUnits: number): string {
  const label = field?.label ?? "";
  return `${said(label, maxUnits)}${/[?:!.]$/u.test(label) ? "" : ":"} ${said(answer, maxUnits)}`;
}

/** On one line, short enough to stand beside others. */
function said(words: string, maxUnits: number): string {
  return escapeMarkdown(clipUnits(oneLine(words), maxUnits, "…"));
}

/** Options stand together, a row each where there is room for little else; what ends the question stands below. */
function rowsOf({ options, inForm, fields, ...card }: Question): readonly (readonly Button[])[] {
  const button = ({ label, key, act }: Question["options"][number]): Button =>
    act.do === "open" ? { label, press: key, opens: true } : { label, press: key };
  const picks = options.filter(({ act }) => act.do === "pick").map(button);
  const rest = options.filter(({ act }) => act.do !== "pick" && act.do !== "menu").map(button);
  const field = fields[stepOf(card)];
  const together = inForm || (field !== undefined && isNumbered(field));
  const count = together ? Math.ceil(picks.length / (inForm ? MAX_ROW : MAX_NUMBERS)) : picks.length;
  // As many in each row as in the others, or one less.
  const rows = Array.from({ length: count }, (_, at) => {
    const edge = (of: number): number => Math.ceil((of * picks.length) / count);
    return picks.slice(edge(at), edge(at + 1));
  });
  return [...rows, ...(rest.length === 0 ? [] : [rest])];
}

function menuOf({ options, fields }: Question): Menu | undefined {
  const press = options.find(({ act }) => act.do === "menu")?.key;
  const [field] = fields;
  if (press === undefined || field?.kind !== "choice") return undefined;
  return {
    ...{ press, placeholder: "Pick one or more", submit: "Done" },
    // What is said of them stands in the text.
    options: field.options.map(({ label }, at) => ({
      value: String(at),
      label: isNumbered(field) ? `${at + 1}. ${clipUnits(label, MAX_MENU_UNITS, "…")}` : label,
    })),
  };
}

// What a question was answered with, field by field: by an option, by words, or in a form. All of it is outside input.
import type { Question, QuestionField } from "../core/card.ts";
import type { Filled, Form, FormField } from "../core/reply.ts";
import { dropControls, isVisible, oneLine } from "../core/text.ts";
import { readValue } from "./question-values.ts";

/** A field's answer in words, or what is wrong with what was given, in plain words. */
export type Answer = { readonly answer: string } | { readonly problem: string };

type Choice = Extract<QuestionField, { kind: "choice" }>;
type Asked = Pick<Question, "title" | "fields">;

const MAX_CHARS = 4000;
/** A form has room for so many fields. */
const MAX_FORM_FIELDS = 5;
const OWN_LABEL = "In your own words";
const OWN_NOTE = "Instead of what stands above, or beside it";
const TOO_LONG = "That is too long: at most 4,000 characters.";
const NOTHING = "Nothing is written there.";

/** A field's answer by the option that was pressed: one of a choice, or the suggested value. Undefined: there is no such option. */
export function answerByOption(field: QuestionField, option: number): string | undefined {
  if (field.kind === "choice") return field.options[option]?.label;
  return "suggested" in field && option === 0 ? field.suggested : undefined;
}

/** A choice's answer by options that were picked; undefined when there are none, or such ones as the field doesn't have. */
export function answerByPicks(field: QuestionField, picks: readonly number[]): string | undefined {
  if (field.kind !== "choice" || (picks.length > 1 && !field.several)) return undefined;
  const labels = picksInOrder(picks).map((pick) => field.options[pick]?.label);
  return labels.length > 0 && labels.every((label) => label !== undefined) ? listed(labels) : undefined;
}

/**
 * A field's answer by words that were typed while it waits. An option may be called by its label or its number. What could be a date,
 * a time or a number must be one; other words answer as they are, and say that they are the person's own.
 */
export function answerByWords(field: QuestionField, typed: string): Answer {
  const words = dropControls(typed).trim();
  if (!isVisible(words)) return { problem: NOTHING };
  if (words.length > MAX_CHARS) return { problem: TOO_LONG };
  switch (field.kind) {
    case "choice": {
      const picks = picksIn(field, words);
      return { answer: (picks && answerByPicks(field, picks)) ?? ownWords(words) };
    }
    case "text":
      return { answer: field.long ? words : oneLine(words) };
    case "date":
    case "time":
    case "datetime":
    case "number":
      return /\p{Nd}/u.test(words) ? valueOf(field, words) : { answer: ownWords(words) };
  }
}

function valueOf(field: Exclude<QuestionField, { kind: "choice" | "text" }>, words: string): Answer {
  const unit = field.kind === "number" ? field.unit : undefined;
  const read = readValue(field.kind, words, unit);
  if ("problem" in read) return read;
  return { answer: unit === undefined ? read.value : `${read.value} ${unit}` };
}

function ownWords(words: string): string {
  return `${words} (in their own words)`;
}

/** Words that call options, each by its label or number; undefined when any of them calls none. */
function picksIn(field: Choice, words: string): readonly number[] | undefined {
  const one = pickIn(field, words);
  if (one !== undefined) return [one];
  if (!field.several) return undefined;
  const pieces = /^[\d\s]+$/u.test(words) ? words.split(/\s+/u) : words.split(/[,;\n]| and | & /u);
  const picks = pieces.filter(isVisible).map((piece) => pickIn(field, piece));
  return picks.every((pick) => pick !== undefined) ? picks : undefined;
}

function pickIn({ options }: Choice, words: string): number | undefined {
  const said = comparable(words);
  const labelled = options.findIndex(({ label }) => comparable(label) === said);
  if (labelled !== -1) return labelled;
  const number = /^(?:no\. ?|#)?([1-9])[.)]?$/iu.exec(said)?.[1];
  return number !== undefined && Number(number) <= options.length ? Number(number) - 1 : undefined;
}

function comparable(words: string): string {
  return oneLine(words).toLowerCase().replace(/[.!]$/u, "");
}

function picksInOrder(picks: readonly number[]): readonly number[] {
  return [...new Set(picks)].toSorted((a, b) => a - b);
}

function listed(labels: readonly string[]): string {
  return labels.join(labels.some((label) => label.includes(",")) ? "; " : ", ");
}

/** What was picked from a menu, by the options' numbers; undefined when it is none of them. */
export function readPicks(picked: readonly string[]): readonly number[] | undefined {
  const picks = picked.map((value) => (/^\d$/u.test(value) ? Number(value) : undefined));
  return picks.every((pick) => pick !== undefined) ? picks : undefined;
}

// ---- in a form

/** The form of a question; of one choice, whose options stand on the card, just the own words. `draft`: what was sent and not taken. */
export function formFor(asked: Asked, press: string, draft: Filled = {}): Form {
  const [field, ...others] = asked.fields;
  const title = asked.title ?? "Your answer";
  const own = (id: string, label: string, optional: boolean): FormField => ({
    ...{ kind: "text", id, label, optional, long: true, maxChars: MAX_CHARS, ...valueIn(draft, id) },
    ...(optional ? { note: OWN_NOTE } : {}),
  });
  if (field?.kind === "choice" && others.length === 0)
    return { press, title, submit: "Send", fields: [own(ownId(0), field.label, false)] };
  const apart = hasOwnApart(asked.fields);
  return {
    ...{ press, title, submit: "Send" },
    fields: [
      ...asked.fields.flatMap((one, at) => [
        formField(one, at, draft),
        ...(apart && takesOwn(one)
          ? [own(ownId(at), `${one.label}${/[?:!.]$/u.test(one.label) ? "" : ":"} ${OWN_LABEL.toLowerCase()}`, true)]
          : []),
      ]),
      ...(!apart && asked.fields.some(takesOwn) ? [own(OWN_ID, OWN_LABEL, true)] : []),
    ],
  };
}

/** The answers of a form that was sent, one for each field and perhaps own words of all; or what is wrong, in plain words. */
export function readForm(
  asked: Asked,
  filled: Filled,
): { readonly answers: readonly string[]; readonly own?: string } | { readonly problem: string } {
  const { fields } = asked;
  const answers: string[] = [];
  const apart = fields.length === 1 || hasOwnApart(fields);
  const shared = apart ? "" : writtenIn(filled, OWN_ID);
  for (const [at, field] of fields.entries()) {
    const own = takesOwn(field) ? (apart ? writtenIn(filled, ownId(at)) : shared) : "";
    const read = readField(field, filled[fieldId(at)] ?? [], own, apart);
    if ("problem" in read) return { problem: fields.length === 1 ? read.problem : `${field.label}: ${read.problem}` };
    answers.push(read.answer);
  }
  if (shared.length > MAX_CHARS) return { problem: TOO_LONG };
  return shared === "" ? { answers } : { answers, own: shared };
}

function readField(field: QuestionField, values: readonly string[], own: string, apart: boolean): Answer {
  const words = dropControls(values[0] ?? "").trim();
  switch (field.kind) {
    case "choice": {
      if (own.length > MAX_CHARS) return { problem: TOO_LONG };
      const picks = readPicks(values);
      const picked = picks === undefined || picks.length === 0 ? undefined : answerByPicks(field, picks);
      if (values.length > 0 && picked === undefined) return { problem: "That can't be picked there." };
      if (picked === undefined && own === "") return { problem: "Nothing is picked there." };
      if (picked === undefined) return { answer: ownWords(own) };
      return { answer: own === "" || !apart ? picked : `${picked}; ${ownWords(own)}` };
    }
    case "text":
      return answerByWords(field, words);
    case "date":
    case "time":
    case "datetime":
    case "number":
      return words === "" ? { problem: NOTHING } : valueOf(field, words);
  }
}

function formField(field: QuestionField, at: number, draft: Filled): FormField {
  const { label } = field;
  const id = fieldId(at);
  switch (field.kind) {
    case "choice": {
      const options = field.options.map((option, value) => ({ ...option, value: String(value) }));
      return { kind: "choice", id, label, options, several: field.several, optional: field.other };
    }
    case "text":
      return { kind: "text", id, label, optional: false, long: field.long, maxChars: MAX_CHARS, ...valueIn(draft, id) };
    case "number":
      return {
        ...{ kind: "number", id, label, optional: false, ...valueIn(draft, id) },
        ...(field.unit === undefined ? {} : { note: field.unit }),
      };
    case "date":
    case "time":
    case "datetime": {
      const before = readValue(field.kind, draft[id]?.[0] ?? "");
      const value = "value" in before ? before.value : field.suggested;
      return { kind: field.kind, id, label, optional: false, ...(value === undefined ? {} : { value }) };
    }
  }
}

const OWN_ID = "own";

function fieldId(at: number): string {
  return `field-${at}`;
}

function ownId(at: number): string {
  return `own-${at}`;
}

function takesOwn(field: QuestionField): boolean {
  return field.kind === "choice" && field.other;
}

/** Whether each choice that takes own words has a field of its own for them. */
function hasOwnApart(fields: readonly QuestionField[]): boolean {
  return fields.length + fields.filter(takesOwn).length <= MAX_FORM_FIELDS;
}

function valueIn(draft: Filled, id: string): { readonly value?: string } {
  const value = draft[id]?.[0] ?? "";
  return value === "" ? {} : { value };
}

function writtenIn(filled: Filled, id: string): string {
  const words = dropControls(filled[id]?.[0] ?? "").trim();
  return isVisible(words) ? words : "";
}

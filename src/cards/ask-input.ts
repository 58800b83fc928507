// What a model asks, as it came: within its bounds, each text on one line and plain; else what is wrong, in words.
import type { QuestionField } from "../core/card.ts";
import { GatewayError } from "../core/error.ts";
import { isVisible, oneLine } from "../core/text.ts";
import type { JsonSchema } from "../core/tool.ts";
import { readValue } from "./question-values.ts";
import type { QuestionAsk } from "./question-changes.ts";

/** What is asked, without whom and where. */
export type AskInput = Pick<QuestionAsk, "title" | "fields">;

type Choice = Extract<QuestionField, { kind: "choice" }>;

const MAX_TITLE = 120;
const MAX_FIELDS = 4;
const MAX_ID = 64;
const MAX_FIELD_LABEL = 200;
const [MIN_OPTIONS, MAX_OPTIONS] = [2, 6];
const MAX_OPTION_LABEL = 80;
const MAX_DESCRIPTION = 200;
const MAX_UNIT = 20;
const KINDS = ["choice", "date", "time", "datetime", "text", "number"] as const;

const text = (description: string): JsonSchema => ({ type: "string", description });

/** One shape for every kind of field: alternatives and records are more than some programs list. */
export const ASK_SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    title: text(`What it is about, at most ${MAX_TITLE} characters`),
    fields: {
      type: "array",
      minItems: 1,
      maxItems: MAX_FIELDS,
      items: {
        type: "object",
        properties: {
          id: text("A short name for it, each once"),
          label: text(`What you want to know, at most ${MAX_FIELD_LABEL} characters`),
          kind: { type: "string", enum: [...KINDS] },
          options: {
            type: "array",
            minItems: MIN_OPTIONS,
            maxItems: MAX_OPTIONS,
            description: "Of a choice",
            items: {
              type: "object",
              properties: {
                label: text(`At most ${MAX_OPTION_LABEL} characters`),
                description: text(`At most ${MAX_DESCRIPTION} characters`),
              },
              required: ["label"],
            },
          },
          several: { type: "boolean", description: "Of a choice: more than one can be picked" },
          other: { type: "boolean", description: "Of a choice: own words do as well" },
          suggested: text("Of a date, time or datetime: 2026-11-30, 14:05 or 2026-11-30 14:05"),
          long: { type: "boolean", description: "Of a text: several lines" },
          unit: text("Of a number"),
        },
        required: ["id", "label", "kind"],
      },
    },
  },
  required: ["fields"],
};

/** Throws a GatewayError that says what to change. */
export function readAsk(input: unknown): AskInput {
  const { title, fields } = objectOf(input);
  if (!Array.isArray(fields) || fields.length === 0) refuse("fields must be a list of at least one field.");
  if (fields.length > MAX_FIELDS)
    refuse(`A question has at most ${MAX_FIELDS} fields, and this has ${fields.length}. Ask what matters most.`);
  const read = fields.map((field: unknown, at) => readField(objectOf(field), `fields[${at}]`));
  const twice = read.find(({ id }, at) => read.findIndex((one) => one.id === id) !== at);
  if (twice !== undefined) refuse(`Each field needs an id of its own: “${twice.id}” is there twice.`);
  if (title === undefined || title === null || title === "") return { fields: read };
  return { title: lineIn(title, "title", MAX_TITLE), fields: read };
}

function readField(given: Given, where: string): QuestionField {
  const id = lineIn(given["id"], `${where}.id`, MAX_ID);
  const label = lineIn(given["label"], `${where}.label`, MAX_FIELD_LABEL);
  const kind = KINDS.find((one) => one === given["kind"]);
  switch (kind) {
    case undefined:
      return refuse(`${where}.kind must be one of ${KINDS.join(", ")}.`);
    case "choice": {
      const options = readOptions(given["options"], where);
      const [several, other] = [flagIn(given["several"], `${where}.several`), flagIn(given["other"], `${where}.other`)];
      return { id, label, kind, options, several, other };
    }
    case "text":
      return { id, label, kind, long: flagIn(given["long"], `${where}.long`) };
    case "number": {
      const { unit } = given;
      return isNone(unit) ? { id, label, kind } : { id, label, kind, unit: lineIn(unit, `${where}.unit`, MAX_UNIT) };
    }
    case "date":
    case "time":
    case "datetime": {
      const { suggested } = given;
      if (isNone(suggested)) return { id, label, kind };
      const value = readValue(kind, typeof suggested === "string" ? suggested : "");
      return "value" in value
        ? { id, label, kind, suggested: value.value }
        : refuse(`${where}.suggested is no ${kind}: ${value.problem}`);
    }
  }
}

function readOptions(given: unknown, where: string): Choice["options"] {
  const count = Array.isArray(given) ? given.length : 0;
  if (!Array.isArray(given) || count < MIN_OPTIONS || count > MAX_OPTIONS)
    return refuse(
      `${where}.options must be a list of ${MIN_OPTIONS} to ${MAX_OPTIONS} options, and this has ${count}.`,
    );
  const options = given.map((one: unknown, at) => {
    const option = typeof one === "string" ? { label: one } : objectOf(one);
    const here = `${where}.options[${at}]`;
    const label = lineIn(option["label"], `${here}.label`, MAX_OPTION_LABEL);
    const { description } = option;
    return isNone(description)
      ? { label }
      : { label, description: lineIn(description, `${here}.description`, MAX_DESCRIPTION) };
  });
  const twice = options.find(({ label }, at) => options.findIndex((one) => same(one.label, label)) !== at);
  return twice === undefined
    ? options
    : refuse(`Each option needs a label of its own: “${twice.label}” is there twice.`);
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** A text on one line; counted as it is shown. */
function lineIn(given: unknown, where: string, maxChars: number): string {
  const line = typeof given === "string" ? oneLine(given) : "";
  if (!isVisible(line)) return refuse(`${where} must be a text.`);
  if (line.length > maxChars)
    return refuse(`${where} is too long: at most ${maxChars} characters, and this has ${line.length}.`);
  return line;
}

function flagIn(given: unknown, where: string): boolean {
  if (isNone(given)) return false;
  return typeof given === "boolean" ? given : refuse(`${where} must be true or false.`);
}

function isNone(given: unknown): given is undefined | null | "" {
  return given === undefined || given === null || given === "";
}

type Given = { readonly [key: string]: unknown };

function objectOf(given: unknown): Given {
  return typeof given === "object" && given !== null ? { ...given } : {};
}

function refuse(words: string): never {
  throw new GatewayError("tool-input", words);
}

// Forms of the loopback Discord (component reference: Label, Text Input, String Select, Radio Group, Checkbox Group, Checkbox): what
// is refused of one, what a person sees of it, and what comes back when it is sent.
import { ComponentType, TextInputStyle } from "discord-api-types/v10";
import type {
  APIModalInteractionResponseCallbackData,
  APIModalSubmissionComponent,
  ModalSubmitComponent,
} from "discord-api-types/v10";
import { checkId, checkOptions, checkSelect, length, listOf, maxLength } from "./discord-components.ts";
import type { Raw } from "./discord-components.ts";
import { invalidForm, problem } from "./discord-refusal.ts";
import type { FieldProblem } from "./discord-refusal.ts";

export interface ModalOption {
  label: string;
  value: string;
  description?: string;
}

export interface ModalField {
  id: string;
  label: string;
  /** The small words below or above the field. */
  description?: string;
  kind: "text" | "select" | "radio" | "checkboxes" | "checkbox";
  required: boolean;
  placeholder?: string;
  /** Of a text. */
  value?: string;
  long?: boolean;
  minChars?: number;
  maxChars?: number;
  /** Of a choice: how many must and can be picked, and what is picked at first. */
  options?: ModalOption[];
  min?: number;
  max?: number;
  picked?: string[];
}

const KINDS: ReadonlyMap<unknown, ModalField["kind"]> = new Map([
  [ComponentType.TextInput, "text"],
  [ComponentType.StringSelect, "select"],
  [ComponentType.RadioGroup, "radio"],
  [ComponentType.CheckboxGroup, "checkboxes"],
  [ComponentType.Checkbox, "checkbox"],
]);

const IN_LABEL = "(3, 4, 5, 6, 7, 8, 19, 21, 22, 23)";

/** Checks a form: title 45, 1 to 5 rows with one text input each, labels with one field, or texts. */
export function readModal(given: unknown): APIModalInteractionResponseCallbackData {
  const data = (given ?? {}) as Raw;
  const problems: FieldProblem[] = [];
  length(problems, "data.custom_id", data["custom_id"], 1, 100);
  length(problems, "data.title", data["title"], 1, 45);
  const rows = listOf(data["components"]);
  if (rows.length < 1 || rows.length > 5) {
    problems.push(problem("data.components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length."));
  }
  const seen = new Set<string>();
  rows.forEach((row, at) => {
    const path = `data.components.${at}`;
    if (row["type"] === ComponentType.TextDisplay) return;
    if (row["type"] === ComponentType.Label) checkLabel(problems, path, row, seen);
    else if (row["type"] === ComponentType.ActionRow) checkRow(problems, path, row, seen);
    else
      problems.push(problem(`${path}.type`, "UNION_TYPE_CHOICES", 'Value of field "type" must be one of (1, 10, 18).'));
  });
  if (problems.length > 0) throw invalidForm(...problems);
  return data as unknown as APIModalInteractionResponseCallbackData;
}

/** The older way: a row with one text input, which has its own label. */
function checkRow(problems: FieldProblem[], path: string, row: Raw, seen: Set<string>): void {
  const [input, ...more] = listOf(row["components"]);
  if (input === undefined || more.length > 0) {
    problems.push(problem(`${path}.components`, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 1 in length."));
  }
  const here = `${path}.components.0`;
  if (input?.["type"] !== ComponentType.TextInput) {
    problems.push(problem(`${here}.type`, "UNION_TYPE_CHOICES", 'Value of field "type" must be one of (4,).'));
    return;
  }
  length(problems, `${here}.label`, input["label"], 1, 45);
  checkInput(problems, here, input, seen);
}

function checkLabel(problems: FieldProblem[], path: string, row: Raw, seen: Set<string>): void {
  length(problems, `${path}.label`, row["label"], 1, 45);
  maxLength(problems, `${path}.description`, row["description"], 100);
  const field = row["component"] as Raw | null | undefined;
  const here = `${path}.component`;
  if (typeof field !== "object" || field === null) {
    problems.push(problem(here, "BASE_TYPE_REQUIRED", "This field is required"));
    return;
  }
  const kind = KINDS.get(field["type"]);
  if (kind !== "text" && field["disabled"] === true) {
    problems.push(problem(`${here}.disabled`, "NOT_HERE", "A field of a form can't be disabled."));
  }
  switch (kind) {
    case "text":
      // Its words are the label's here.
      if (field["label"] !== undefined) {
        problems.push(problem(`${here}.label`, "NOT_HERE", "A text input in a label has no label of its own."));
      }
      checkInput(problems, here, field, seen);
      return;
    case "select":
      checkSelect(problems, here, field, seen, true);
      return;
    case "radio":
      checkId(problems, here, field["custom_id"], seen);
      checkOptions(problems, here, field["options"], 2, 10);
      return;
    case "checkboxes":
      checkId(problems, here, field["custom_id"], seen);
      checkOptions(problems, here, field["options"], 1, 10);
      checkNumbers(problems, here, field);
      return;
    case "checkbox":
      checkId(problems, here, field["custom_id"], seen);
      return;
    default:
      problems.push(problem(`${here}.type`, "UNION_TYPE_CHOICES", `Value of field "type" must be one of ${IN_LABEL}.`));
  }
}

function checkInput(problems: FieldProblem[], path: string, input: Raw, seen: Set<string>): void {
  checkId(problems, path, input["custom_id"], seen);
  if (input["style"] !== 1 && input["style"] !== 2) {
    problems.push(problem(`${path}.style`, "BASE_TYPE_CHOICES", "Value must be one of (1, 2)."));
  }
  maxLength(problems, `${path}.placeholder`, input["placeholder"], 100);
  const most = checkNumber(problems, `${path}.max_length`, input["max_length"], 1, 4000) ?? 4000;
  const least = checkNumber(problems, `${path}.min_length`, input["min_length"], 0, 4000) ?? 0;
  if (least > most) {
    problems.push(problem(`${path}.min_length`, "NUMBER_TYPE_MAX", "min_length is above max_length."));
  }
  maxLength(problems, `${path}.value`, input["value"], most);
}

function checkNumber(
  problems: FieldProblem[],
  path: string,
  given: unknown,
  min: number,
  max: number,
): number | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== "number" || !Number.isInteger(given)) {
    problems.push(problem(path, "NUMBER_TYPE_COERCE", `Value "${JSON.stringify(given)}" is not int.`));
  } else if (given < min) {
    problems.push(problem(path, "NUMBER_TYPE_MIN", `int value should be greater than or equal to ${min}.`));
  } else if (given > max) {
    problems.push(problem(path, "NUMBER_TYPE_MAX", `int value should be less than or equal to ${max}.`));
  } else return given;
  return undefined;
}

function checkNumbers(problems: FieldProblem[], path: string, field: Raw): void {
  const count = listOf(field["options"]).length;
  const min = checkNumber(problems, `${path}.min_values`, field["min_values"], 0, 10) ?? 1;
  const max = checkNumber(problems, `${path}.max_values`, field["max_values"], 1, 10) ?? count;
  if (min > max || max > count) {
    problems.push(
      problem(`${path}.max_values`, "NUMBER_TYPE_MAX", "More than there are, or fewer than there must be."),
    );
  }
  if (min === 0 && field["required"] !== false) {
    problems.push(
      problem(
        `${path}.min_values`,
        "SELECT_COMPONENT_REQUIRED_ZERO_MIN_VALUES",
        "Select menus marked as required cannot have a min_values of 0",
      ),
    );
  }
}

// ---- what a person sees

/** The fields of a form, in order. */
export function modalFields(data: APIModalInteractionResponseCallbackData): ModalField[] {
  return data.components.flatMap((row): ModalField[] => {
    if (row.type === ComponentType.TextDisplay) return [];
    const labelled = row.type === ComponentType.Label;
    const field = (labelled ? row.component : row.components[0]) as unknown as Raw;
    const label = labelled ? row.label : ((field["label"] as string | undefined) ?? "");
    const description = labelled ? row.description : undefined;
    const kind = KINDS.get(field["type"]) ?? "text";
    const { placeholder } = field;
    return [
      {
        id: field["custom_id"] as string,
        label,
        ...(description === undefined ? {} : { description }),
        kind,
        required: kind !== "checkbox" && field["required"] !== false,
        ...(typeof placeholder === "string" ? { placeholder } : {}),
        ...(kind === "text" ? textOf(field) : choiceOf(kind, field)),
      },
    ];
  });
}

function textOf(field: Raw): Partial<ModalField> {
  const { value, min_length: minChars, max_length: maxChars } = field;
  return {
    long: field["style"] === TextInputStyle.Paragraph,
    ...(typeof value === "string" ? { value } : {}),
    ...(typeof minChars === "number" ? { minChars } : {}),
    ...(typeof maxChars === "number" ? { maxChars } : {}),
  };
}

function choiceOf(kind: ModalField["kind"], field: Raw): Partial<ModalField> {
  if (kind === "checkbox") return { picked: field["default"] === true ? ["true"] : [] };
  const given = listOf(field["options"]);
  const options = given.map(({ label, value, description }) => ({
    label: label as string,
    value: value as string,
    ...(typeof description === "string" ? { description } : {}),
  }));
  const picked = given.filter((option) => option["default"] === true).map((option) => option["value"] as string);
  if (kind === "radio") return { options, min: 1, max: 1, picked };
  const { min_values: min = 1, max_values: max = kind === "select" ? 1 : options.length } = field;
  return { options, min: min as number, max: max as number, picked };
}

// ---- what is sent

/** What a person put into the fields, by their id or label: words, or labels or values of what is picked. What is left out stays. */
export type Entries = Readonly<Record<string, string | readonly string[]>>;

/** Throws for what the app does not let anyone send. */
export function entered(fields: readonly ModalField[], entries: Entries): ReadonlyMap<string, readonly string[]> {
  for (const name of Object.keys(entries)) {
    if (!fields.some((field) => field.id === name || field.label === name)) {
      throw new Error(`No field "${name}"; there are: ${fields.map((field) => field.label).join(", ")}`);
    }
  }
  return new Map(
    fields.map((field) => {
      const given = entries[field.id] ?? entries[field.label];
      return [field.id, field.kind === "text" ? [writtenIn(field, given)] : pickedIn(field, given)];
    }),
  );
}

function writtenIn(field: ModalField, given: string | readonly string[] | undefined): string {
  const { label, value = "", minChars = 0, maxChars = 4000, required } = field;
  const words = given === undefined ? value : typeof given === "string" ? given : given.join("\n");
  if (required && words === "") throw new Error(`The field "${label}" must be filled in`);
  if (words.length > maxChars) throw new Error(`The field "${label}" takes no more than ${maxChars}`);
  if (words !== "" && words.length < minChars) throw new Error(`The field "${label}" takes no less than ${minChars}`);
  return words;
}

function pickedIn(field: ModalField, given: string | readonly string[] | undefined): readonly string[] {
  const { label, options, picked = [], required, min = 0, max = 1 } = field;
  const wanted = given === undefined ? picked : typeof given === "string" ? [given] : given;
  if (options === undefined) return wanted;
  const values = valuesOf(options, wanted);
  if (values.length === 0 && !required) return values;
  if (values.length === 0) throw new Error(`Something must be picked in "${label}"`);
  if (values.length < min || values.length > max)
    throw new Error(`In "${label}" ${min} to ${max} can be picked, not ${values.length}`);
  return values;
}

/** The values of options by label or value, in their own order, as the app sends them. Of one label the first that is free is taken. */
export function valuesOf(options: readonly ModalOption[], wanted: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  for (const one of wanted) {
    const free = options.filter(({ value }) => !taken.has(value));
    const found = free.find(({ label }) => label === one) ?? free.find(({ value }) => value === one);
    if (found === undefined) {
      const there = options.map(({ label, value }) => `"${label}" (${value})`).join(", ");
      throw new Error(`No option "${one}"; there are: ${there}`);
    }
    taken.add(found.value);
  }
  return options.filter(({ value }) => taken.has(value)).map(({ value }) => value);
}

/** What the fields of a form send back, in the shape in which the form had them. */
export function submittedRows(
  data: APIModalInteractionResponseCallbackData,
  entries: ReadonlyMap<string, readonly string[]>,
): APIModalSubmissionComponent[] {
  let next = 1;
  return data.components.map((row): APIModalSubmissionComponent => {
    const id = next++;
    if (row.type === ComponentType.TextDisplay) return { type: ComponentType.TextDisplay, id };
    if (row.type === ComponentType.Label) {
      const { custom_id, type } = row.component;
      return { type: ComponentType.Label, id, component: sent(type, next++, custom_id, entries.get(custom_id) ?? []) };
    }
    const components = row.components.map(({ custom_id }) => ({
      type: ComponentType.TextInput as const,
      id: next++,
      custom_id,
      value: entries.get(custom_id)?.[0] ?? "",
    }));
    return { type: ComponentType.ActionRow, id, components };
  });
}

function sent(type: ComponentType, id: number, custom_id: string, values: readonly string[]): ModalSubmitComponent {
  switch (type) {
    case ComponentType.StringSelect:
    case ComponentType.CheckboxGroup:
      return { type, id, custom_id, values: [...values] };
    case ComponentType.RadioGroup:
      return { type, id, custom_id, value: values[0] ?? null };
    case ComponentType.Checkbox:
      return { type, id, custom_id, value: values[0] === "true" };
    default:
      return { type: ComponentType.TextInput, id, custom_id, value: values[0] ?? "" };
  }
}

// A form as a Discord modal, and what comes back of it. Limits: API reference, "Component Reference" (Label, Text Input, String
// Select) and "Interaction Responses" (modals).
import { ComponentType, TextInputStyle } from "discord-api-types/v10";
import type {
  APILabelComponent,
  APIModalInteractionResponseCallbackData,
  APISelectMenuOption,
  APIStringSelectComponent,
  APITextInputComponent,
} from "discord-api-types/v10";
import type { Filled, Form, FormField, Pick } from "../../core/reply.ts";
import { clipUnits, isVisible, oneLine } from "../../core/text.ts";

const MAX_FIELDS = 5;
/** Of a modal's title and of a field's label. */
const MAX_LABEL_UNITS = 45;
const MAX_NOTE_UNITS = 100;
const MAX_VALUE_UNITS = 4000;
/** A menu's options: how many, and how long their labels and descriptions may be. */
const MAX_OPTIONS = 25;
const MAX_OPTION_UNITS = 100;
const MAX_PLACEHOLDER_UNITS = 150;

/** Shown where there is nothing to see: the platform refuses a label without any. */
const NO_TEXT = "…";

/** How a value is written, in a field that is text here. */
const WRITTEN = { date: "2026-11-30", time: "14:05", datetime: "2026-11-30 14:05", number: "12.5" } as const;

/** What the modal of a form says. Its button is the platform's own: `submit` has no place. */
export function modalOf({ press, title, fields }: Form): APIModalInteractionResponseCallbackData {
  return {
    custom_id: press,
    title: clipUnits(lineOf(title), MAX_LABEL_UNITS, "…"),
    components: fields.slice(0, MAX_FIELDS).map(labelled),
  };
}

/** What was filled in, by field; fields lie in rows or in labels. A text that was left empty is none. */
export function filledIn(components: readonly unknown[] | null | undefined): Filled {
  const filled: [string, readonly string[]][] = [];
  const look = (node: unknown, depth: number): void => {
    if (depth > 4 || typeof node !== "object" || node === null) return;
    const { custom_id: id, value, values, component, components: inner } = node as Readonly<Record<string, unknown>>;
    if (typeof id === "string" && Array.isArray(values))
      filled.push([id, values.filter((one) => typeof one === "string")]);
    else if (typeof id === "string" && typeof value === "string") filled.push([id, value === "" ? [] : [value]]);
    look(component, depth + 1);
    if (Array.isArray(inner)) for (const one of inner) look(one, depth + 1);
  };
  for (const one of components ?? []) look(one, 0);
  return Object.fromEntries(filled);
}

/** A label: one line, and never nothing. */
export function lineOf(label: string): string {
  const line = oneLine(label);
  return isVisible(line) ? line : NO_TEXT;
}

/** What a menu says before anything is picked. */
export function placeholderOf(words: string, several: boolean): string {
  const line = oneLine(words);
  if (isVisible(line)) return clipUnits(line, MAX_PLACEHOLDER_UNITS, "…");
  return several ? "Pick one or more" : "Pick one";
}

function labelled(field: FormField): APILabelComponent {
  const whole = lineOf(field.label);
  const label = clipUnits(whole, MAX_LABEL_UNITS, "…");
  const note = oneLine(field.note ?? "");
  const isCut = label !== whole;
  // A label that was cut stands whole below it; the note is in the field when there is no room for both.
  const both = joined(isCut ? whole : "", note);
  const fits = !isCut || both.length <= MAX_NOTE_UNITS;
  const below = clipUnits(fits ? both : whole, MAX_NOTE_UNITS, "…");
  return {
    type: ComponentType.Label,
    label,
    ...(below === "" ? {} : { description: below }),
    component: controlOf(field, fits ? "" : note),
  };
}

/** `inside`: words that have no room beside the field. */
function controlOf(field: FormField, inside: string): APITextInputComponent | APIStringSelectComponent {
  switch (field.kind) {
    case "choice":
      return field.options.length === 0 ? inputOf(field, inside) : selectOf(field, inside);
    case "text":
      return inputOf(field, inside, field);
    default:
      return inputOf(field, joined(WRITTEN[field.kind], inside), field);
  }
}

type Written = { readonly long?: boolean; readonly value?: string; readonly maxChars?: number };

function inputOf(
  { id, optional }: FormField,
  placeholder: string,
  { long = false, value = "", maxChars = MAX_VALUE_UNITS }: Written = {},
): APITextInputComponent {
  const most = Math.max(1, Math.min(maxChars, MAX_VALUE_UNITS));
  return {
    type: ComponentType.TextInput,
    custom_id: id,
    style: long ? TextInputStyle.Paragraph : TextInputStyle.Short,
    required: !optional,
    max_length: most,
    ...(placeholder === "" ? {} : { placeholder: clipUnits(placeholder, MAX_NOTE_UNITS, "…") }),
    ...(value === "" ? {} : { value: clipUnits(value, most) }),
  };
}

function selectOf(
  { id, optional, several, options }: Extract<FormField, { kind: "choice" }>,
  inside: string,
): APIStringSelectComponent {
  const given = options.slice(0, MAX_OPTIONS).map(optionOf);
  return {
    type: ComponentType.StringSelect,
    custom_id: id,
    placeholder: placeholderOf(inside, several),
    // Nothing picked is refused where something must be: the two have to say the same.
    required: !optional,
    min_values: optional ? 0 : 1,
    max_values: several ? given.length : 1,
    options: given,
  };
}

/** A form has no text to number labels in: what is too long goes on in the description. */
function optionOf({ value, label, description = "" }: Pick): APISelectMenuOption {
  const whole = lineOf(label);
  const cut = clipUnits(whole, MAX_OPTION_UNITS, "…");
  const rest = cut === whole ? "" : `…${whole.slice(cut.length - 1)}`;
  const below = clipUnits(joined(rest, oneLine(description)), MAX_OPTION_UNITS, "…");
  return { label: cut, value, ...(below === "" ? {} : { description: below }) };
}

function joined(...words: readonly string[]): string {
  return words.filter(isVisible).join(" · ");
}

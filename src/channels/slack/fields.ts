// The fields of a form as input blocks of a modal, and what was filled in, in our own words. Limits:
// docs.slack.dev/reference/block-kit/blocks/input-block and block-elements.
import type { InputBlock, ModalView, SectionBlock } from "@slack/types";
import type { Filled, FormField } from "../../core/reply.ts";
import { clipUnits, isVisible } from "../../core/text.ts";
import type { StateValue } from "./event.ts";
import { optionsOf, plainText } from "./options.ts";
import type { Said } from "./options.ts";
import { calm } from "./words.ts";

const MAX_LABEL = 2000;
const MAX_VALUE = 3000;
const MAX_SECTION = 3000;
const MAX_PLACEHOLDER = 150;
/** Of more than this, checkboxes are refused. */
const MAX_CHECKBOXES = 10;
const PLACEHOLDER = "Choose…";

/** What the action id of a time begins with that belongs to a date; the field's own id follows. */
const TIME_OF = "time:";
const TIME_LABEL = " (time)";

type Blocks = ModalView["blocks"];

/** The blocks of the fields, in order. A field's block bears its id. */
export function fieldBlocks(fields: readonly FormField[]): Blocks {
  const taken = new Set(fields.map(({ id }) => id));
  const free = (wanted: string): string => {
    let id = wanted;
    while (taken.has(id)) id += "'";
    taken.add(id);
    return id;
  };
  return fields.flatMap((field): Blocks => {
    const { beside, element } = elementOf(field);
    const time = field.kind === "datetime" ? [timeInput(field, free)] : [];
    return [...beside, input(field, field.id, element), ...time];
  });
}

function input(
  { label, optional, note }: Pick<FormField, "label" | "optional" | "note">,
  id: string,
  element: InputBlock["element"],
): InputBlock {
  return {
    type: "input",
    block_id: id,
    optional,
    label: plainText(label, MAX_LABEL),
    ...(note === undefined || !isVisible(note) ? {} : { hint: plainText(note, MAX_LABEL) }),
    element,
  };
}

/**
 * The second half of a date and time. Slack's picker of both gives a moment in the zone of the person's device, which nothing says;
 * two pickers give the words on the person's own calendar and clock.
 */
function timeInput(
  { id, label, optional, value }: Extract<FormField, { kind: "date" | "time" | "datetime" }>,
  free: (wanted: string) => string,
): InputBlock {
  const words = `${clipUnits(label, MAX_LABEL - TIME_LABEL.length, "…")}${TIME_LABEL}`;
  const [, time] = halvesOf(value);
  return input({ label: words, optional }, free(`${TIME_OF}${id}`), {
    type: "timepicker",
    action_id: `${TIME_OF}${id}`,
    ...timeAtFirst(time),
  });
}

type Drawn = { readonly beside: readonly SectionBlock[]; readonly element: InputBlock["element"] };

function elementOf(field: FormField): Drawn {
  switch (field.kind) {
    case "text": {
      const { long, value, maxChars = MAX_VALUE } = field;
      const max = Math.max(1, Math.min(maxChars, MAX_VALUE));
      const initial = value === undefined ? {} : { initial_value: clipUnits(value, max) };
      return alone({ type: "plain_text_input", action_id: "value", multiline: long, max_length: max, ...initial });
    }
    case "choice":
      return choice(field);
    case "date":
    case "datetime": {
      const date = field.kind === "date" ? field.value : halvesOf(field.value)[0];
      return alone({ type: "datepicker", action_id: "value", ...dateAtFirst(date) });
    }
    case "time":
      return alone({ type: "timepicker", action_id: "value", ...timeAtFirst(field.value) });
    case "number":
      return alone({
        type: "number_input",
        action_id: "value",
        is_decimal_allowed: true,
        ...numberAtFirst(field.value),
      });
  }
}

function alone(element: InputBlock["element"]): Drawn {
  return { beside: [], element };
}

function choice({ several, options: picks }: Extract<FormField, { kind: "choice" }>): Drawn {
  const { options, said } = optionsOf(picks);
  const beside = sections(said);
  if (several && options.length <= MAX_CHECKBOXES)
    return { beside, element: { type: "checkboxes", action_id: "value", options } };
  const placeholder = plainText(PLACEHOLDER, MAX_PLACEHOLDER);
  const type = several ? "multi_static_select" : "static_select";
  return { beside, element: { type, action_id: "value", placeholder, options } };
}

/** What didn't fit into options, above them. */
function sections(said: readonly Said[]): SectionBlock[] {
  const lines = said.map(({ number, label, description }) => {
    const words = description === undefined ? label : `${label}: ${description}`;
    return number === undefined ? words : `${number}. ${words}`;
  });
  const made: SectionBlock[] = [];
  for (let rest = calm(lines.join("\n")); rest !== "";) {
    const text = clipUnits(rest, MAX_SECTION);
    rest = rest.slice(text.length);
    if (isVisible(text)) made.push({ type: "section", text: { type: "plain_text", text, emoji: false } });
  }
  return made;
}

function halvesOf(value = ""): readonly (string | undefined)[] {
  return value.trim().split(/[ T]/u, 2);
}

// ---- what stands there at first; Slack refuses the whole form for one that is none

function dateAtFirst(value = ""): { initial_date?: string } {
  const date = value.trim();
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(date)) return {};
  const at = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date) ? { initial_date: date } : {};
}

function timeAtFirst(value = ""): { initial_time?: string } {
  const time = value.trim();
  return /^(?:[01]\d|2[0-3]):[0-5]\d$/u.test(time) ? { initial_time: time } : {};
}

function numberAtFirst(value = ""): { initial_value?: string } {
  const number = value.trim();
  return /^-?\d{1,15}(?:\.\d{1,15})?$/u.test(number) ? { initial_value: number } : {};
}

// ---- what came back

/** By field: texts, or values of what was picked; a field that was left empty has none. */
export function filledOf(values: Readonly<Record<string, Readonly<Record<string, StateValue>>>>): Filled {
  const filled = new Map<string, readonly string[]>();
  const times = new Map<string, string>();
  for (const [block, inputs] of Object.entries(values)) {
    const [first] = Object.entries(inputs);
    if (first === undefined) filled.set(block, []);
    else if (first[0].startsWith(TIME_OF)) times.set(first[0].slice(TIME_OF.length), wordsOf(first[1])[0] ?? "");
    else filled.set(block, wordsOf(first[1]));
  }
  for (const [field, time] of times) {
    const both = [...(filled.get(field) ?? []), time].join(" ").trim();
    filled.set(field, both === "" ? [] : [both]);
  }
  return Object.fromEntries(filled);
}

function wordsOf(input: StateValue): readonly string[] {
  const { value, selected_date, selected_time, selected_option, selected_options } = input;
  const one = value ?? selected_date ?? selected_time ?? selected_option?.value;
  return one ? [one] : pickedOf({ selected_options });
}

/** The values of what was picked of several. */
export function pickedOf({ selected_options: options }: Pick<StateValue, "selected_options">): readonly string[] {
  return (options ?? []).flatMap(({ value }) => value ?? []);
}

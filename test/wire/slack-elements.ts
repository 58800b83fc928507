// Block Kit's elements: which stand in which block, and what the platform takes of each (limits of their reference pages at
// docs.slack.dev/reference/block-kit/block-elements and of the option object).
import { Refusal } from "./slack-state.ts";

/** Loose JSON of a block or element, before it is known to be one. */
export type Loose = Record<string, unknown>;

/** Where an element stands. */
export type Holder = "actions" | "context_actions" | "section" | "input";

export const elementLimits = {
  buttonText: 75,
  buttonValue: 2000,
  url: 3000,
  actionId: 255,
  options: 100,
  optionText: 75,
  optionValue: 150,
  optionDescription: 75,
  groupLabel: 75,
  placeholder: 150,
  overflowOptions: 5,
  choiceOptions: 10,
  input: 3000,
} as const;

const single = ["channels_select", "conversations_select", "external_select", "static_select", "users_select"];
const multi = single.map((type) => `multi_${type}`);
const anywhere = ["checkboxes", "datepicker", "radio_buttons", "timepicker", ...single];

/**
 * The reference now lists multi-selects for an actions block; the server has refused them there in views as late as 2025,
 * so they are refused in it here.
 */
const holds: Readonly<Record<Holder, ReadonlySet<string>>> = {
  actions: new Set([...anywhere, "button", "datetimepicker", "overflow", "rich_text_input", "workflow_button"]),
  context_actions: new Set(["feedback_buttons", "icon_button"]),
  section: new Set([...anywhere, ...multi, "button", "image", "overflow", "workflow_button"]),
  input: new Set([
    ...anywhere,
    ...multi,
    "datetimepicker",
    "email_text_input",
    "file_input",
    "number_input",
    "plain_text_input",
    "rich_text_input",
    "url_text_input",
  ]),
};

export function invalid(problem: string, at: string): Refusal {
  const message = `[ERROR] ${problem} [json-pointer:${at}]`;
  return new Refusal("invalid_blocks", {
    errors: [`${problem} [json-pointer:${at}]`],
    response_metadata: { messages: [message] },
  });
}

/** A field that is text where the platform took the block. */
export function str(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function isObject(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function checkList(given: unknown, max: number, at: string): unknown[] {
  if (!Array.isArray(given)) throw invalid("must be an array", at);
  if (given.length === 0) throw invalid("must have at least 1 item", at);
  if (given.length > max) throw invalid(`no more than ${max} items allowed`, at);
  return given as unknown[];
}

export function checkText(given: unknown, types: readonly string[], max: number, at: string): void {
  if (!isObject(given) || !types.includes(str(given["type"]))) {
    throw invalid(`must be one of: ${types.join(", ")}`, `${at}/type`);
  }
  checkString(given["text"], max, `${at}/text`);
}

export function checkString(given: unknown, max: number, at: string, mayBeEmpty = false): void {
  if (typeof given !== "string") throw invalid("must be a string", at);
  if (given.length === 0 && !mayBeEmpty) throw invalid("must be more than 0 characters", at);
  if (given.length > max) throw invalid(`must be less than ${max + 1} characters`, at);
}

export function checkElement(element: Loose, holder: Holder, at: string): void {
  const type = str(element["type"]);
  if (!holds[holder].has(type)) throw invalid(`unsupported type: ${type}`, `${at}/type`);
  const { action_id: id, placeholder, focus_on_load: focus } = element;
  if (id !== undefined) checkString(id, elementLimits.actionId, `${at}/action_id`);
  if (placeholder !== undefined) checkText(placeholder, ["plain_text"], elementLimits.placeholder, `${at}/placeholder`);
  if (focus !== undefined && typeof focus !== "boolean") throw invalid("must be a boolean", `${at}/focus_on_load`);
  checks[type]?.(element, at);
}

const checks: Readonly<Record<string, (element: Loose, at: string) => void>> = {
  button: checkButton,
  static_select: (element, at) => checkSelect(element, "initial_option", at),
  multi_static_select: (element, at) => {
    const most = element["max_selected_items"];
    if (most !== undefined && !(Number.isInteger(most) && Number(most) >= 1)) {
      throw invalid("must be more than 0", `${at}/max_selected_items`);
    }
    checkSelect(element, "initial_options", at);
  },
  overflow: (element, at) => {
    checkOptions(element["options"], elementLimits.overflowOptions, ["plain_text"], `${at}/options`);
  },
  radio_buttons: (element, at) => checkChoices(element, "initial_option", at),
  checkboxes: (element, at) => checkChoices(element, "initial_options", at),
  plain_text_input: checkTextInput,
  number_input: checkNumberInput,
  datepicker: ({ initial_date: date }, at) => {
    if (date !== undefined && !isDate(date)) throw invalid("must be a valid date: YYYY-MM-DD", `${at}/initial_date`);
  },
  timepicker: ({ initial_time: time, timezone: zone }, at) => {
    if (time !== undefined && !isTime(time)) throw invalid("must be a valid time: HH:mm", `${at}/initial_time`);
    if (zone !== undefined && !isZone(zone)) throw invalid("must be a valid timezone", `${at}/timezone`);
  },
  datetimepicker: ({ initial_date_time: seconds }, at) => {
    if (seconds !== undefined && !(Number.isInteger(seconds) && /^\d{10}$/.test(JSON.stringify(seconds)))) {
      throw invalid("must be a timestamp of 10 digits", `${at}/initial_date_time`);
    }
  },
};

function checkButton(element: Loose, at: string): void {
  const { text, value, url, style } = element;
  checkText(text, ["plain_text"], elementLimits.buttonText, `${at}/text`);
  if (value !== undefined) checkString(value, elementLimits.buttonValue, `${at}/value`, true);
  if (url !== undefined) {
    checkString(url, elementLimits.url, `${at}/url`);
    if (!/^[a-z][a-z0-9+.-]*:/i.test(str(url))) throw invalid("must be a valid URL", `${at}/url`);
  }
  if (style !== undefined && style !== "primary" && style !== "danger") {
    throw invalid("must be one of: primary, danger", `${at}/style`);
  }
}

function checkSelect(element: Loose, initial: string, at: string): void {
  const { options, option_groups: groups } = element;
  if (groups === undefined) checkOptions(options, elementLimits.options, ["plain_text"], `${at}/options`);
  else if (options !== undefined) throw invalid("cannot be provided with options", `${at}/option_groups`);
  else {
    for (const [index, group] of checkList(groups, elementLimits.options, `${at}/option_groups`).entries()) {
      const place = `${at}/option_groups/${index}`;
      if (!isObject(group)) throw invalid("must be an object", place);
      checkText(group["label"], ["plain_text"], elementLimits.groupLabel, `${place}/label`);
      checkOptions(group["options"], elementLimits.options, ["plain_text"], `${place}/options`);
    }
  }
  checkInitial(element, initial, at);
}

function checkChoices(element: Loose, initial: string, at: string): void {
  checkOptions(element["options"], elementLimits.choiceOptions, ["plain_text", "mrkdwn"], `${at}/options`);
  checkInitial(element, initial, at);
}

function checkOptions(given: unknown, max: number, types: readonly string[], at: string): void {
  for (const [index, option] of checkList(given, max, at).entries()) {
    const place = `${at}/${index}`;
    if (!isObject(option)) throw invalid("must be an object", place);
    checkText(option["text"], types, elementLimits.optionText, `${place}/text`);
    checkString(option["value"], elementLimits.optionValue, `${place}/value`);
    const { description } = option;
    if (description !== undefined) {
      checkText(description, types, elementLimits.optionDescription, `${place}/description`);
    }
  }
}

/** What is chosen at first must be among the options, exactly as it stands there. */
function checkInitial(element: Loose, name: string, at: string): void {
  const given = element[name];
  if (given === undefined) return;
  const chosen = name === "initial_options" ? checkList(given, elementLimits.options, `${at}/${name}`) : [given];
  const known = new Set(optionsOf(element).map((option) => JSON.stringify(option)));
  if (chosen.some((option) => !known.has(JSON.stringify(option)))) {
    throw invalid("must match one of the options", `${at}/${name}`);
  }
}

/** All options of an element, those of its groups too. */
export function optionsOf(element: Loose): Loose[] {
  const groups = Array.isArray(element["option_groups"]) ? (element["option_groups"] as Loose[]) : [element];
  return groups.flatMap((group) => (Array.isArray(group["options"]) ? (group["options"] as Loose[]) : []));
}

function checkTextInput(element: Loose, at: string): void {
  const { min_length: min, max_length: max, initial_value: value } = element;
  const within = (given: unknown, least: number): boolean =>
    Number.isInteger(given) && Number(given) >= least && Number(given) <= elementLimits.input;
  if (min !== undefined && !within(min, 0)) throw invalid("must be between 0 and 3000", `${at}/min_length`);
  if (max !== undefined && !within(max, 1)) throw invalid("must be between 1 and 3000", `${at}/max_length`);
  if (min !== undefined && max !== undefined && Number(min) > Number(max)) {
    throw invalid("cannot be greater than max_length", `${at}/min_length`);
  }
  if (value !== undefined) {
    checkString(value, typeof max === "number" ? max : elementLimits.input, `${at}/initial_value`, true);
  }
}

function checkNumberInput(element: Loose, at: string): void {
  const { is_decimal_allowed: decimals } = element;
  if (typeof decimals !== "boolean") throw invalid("missing required field: is_decimal_allowed", at);
  const read = (name: string): number | undefined => {
    const given = element[name];
    if (given === undefined) return undefined;
    if (typeof given !== "string" || !isNumber(given, decimals)) throw invalid("must be a number", `${at}/${name}`);
    return Number(given);
  };
  const [min = -Infinity, max = Infinity, value] = [read("min_value"), read("max_value"), read("initial_value")];
  if (min > max) throw invalid("cannot be greater than max_value", `${at}/min_value`);
  if (value !== undefined && (value < min || value > max)) {
    throw invalid("must be within min_value and max_value", `${at}/initial_value`);
  }
}

export function isNumber(given: string, decimals: boolean): boolean {
  return (decimals ? /^-?\d{1,20}(?:\.\d{1,20})?$/ : /^-?\d{1,20}$/).test(given);
}

/** A day that the calendar has. */
export function isDate(given: unknown): boolean {
  if (typeof given !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(given)) return false;
  const at = Date.parse(`${given}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(given);
}

export function isTime(given: unknown): boolean {
  return typeof given === "string" && /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(given);
}

function isZone(given: unknown): boolean {
  try {
    return typeof given === "string" && new Intl.DateTimeFormat("en", { timeZone: given }).format(0) !== "";
  } catch {
    return false;
  }
}

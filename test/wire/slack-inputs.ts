// What people pick and fill in on the loopback Slack, as its payloads say it: `state.values` of a message and of a modal. What an
// app lets nobody pick or send (a day that is none, a required field left empty), nobody can.
import type { Option } from "@slack/types";
import type { ViewStateValue } from "@slack/bolt/dist/types/view/index.js";
import { elementsIn } from "./slack-blocks.ts";
import { isDate, isNumber, isTime, optionsOf, str } from "./slack-elements.ts";
import type { Loose } from "./slack-elements.ts";
import type { SlackState } from "./slack-state.ts";
import { unescapeText } from "./slack-text.ts";

/** By block_id, then by action_id. */
export type Values = Record<string, Record<string, ViewStateValue>>;

/** What a field is filled with: a text, or labels or values of options. A date and time is the person's own wall clock. */
export type Given = string | readonly string[];

/** Elements that only start something have no state. */
const stateless: ReadonlySet<string> = new Set([
  "button",
  "feedback_buttons",
  "icon_button",
  "image",
  "overflow",
  "workflow_button",
]);

/** All that stands in the blocks, as this person has set it so far. */
export function valuesOf(state: SlackState, user: string, place: string, blocks: readonly Loose[]): Values {
  const values: Values = {};
  const set = state.picks.get(`${user}/${place}`);
  for (const block of blocks) {
    for (const element of elementsIn(block)) {
      const { type, action_id: id } = element;
      if (stateless.has(str(type)) || id === undefined) continue;
      const block_id = str(block["block_id"]);
      const given = set?.get(keyOf(block_id, str(id)));
      values[block_id] = { ...values[block_id], [str(id)]: valueOf(state, user, element, given) };
    }
  }
  return values;
}

function keyOf(block: string, action: string): string {
  return `${block}/${action}`;
}

/** The element of the message of which several can be picked, with what stands around it. */
export function findMenu(blocks: readonly Loose[]): { block: Loose; element: Loose } | undefined {
  for (const block of blocks) {
    for (const element of elementsIn(block)) {
      if (element["type"] === "multi_static_select" || element["type"] === "checkboxes") return { block, element };
    }
  }
  return undefined;
}

/** Remembers what the person has picked there; answers the element's value now. */
export function setPicked(
  state: SlackState,
  user: string,
  place: string,
  { block, element }: { block: Loose; element: Loose },
  picked: readonly string[],
): ViewStateValue {
  const value = valueOf(state, user, element, picked);
  const key = `${user}/${place}`;
  const set = state.picks.get(key) ?? new Map<string, readonly string[]>();
  set.set(keyOf(str(block["block_id"]), str(element["action_id"])), picked);
  state.picks.set(key, set);
  return value;
}

/** What an element holds: what was given, else what it began with. Throws on what a person can't give. */
export function valueOf(state: SlackState, user: string, element: Loose, given: Given | undefined): ViewStateValue {
  const type = str(element["type"]);
  const one = typeof given === "string" ? given : given?.[0];
  switch (type) {
    case "static_select":
    case "radio_buttons": {
      const chosen = given === undefined ? element["initial_option"] : one && optionNamed(element, one);
      return { type, selected_option: chosen ? picked(chosen as Loose) : null };
    }
    case "multi_static_select":
    case "checkboxes": {
      const names = typeof given === "string" ? [given].filter((name) => name !== "") : given;
      const chosen =
        names === undefined
          ? ((element["initial_options"] ?? []) as Loose[])
          : names.map((name) => optionNamed(element, name));
      const most = element["max_selected_items"];
      if (typeof most === "number" && chosen.length > most) throw new Error(`No more than ${most} can be picked`);
      return { type, selected_options: chosen.map(picked) };
    }
    case "datepicker": {
      const date = given === undefined ? str(element["initial_date"]) : one;
      if (date && !isDate(date)) throw new Error(`No calendar has the day ${date}`);
      return { type, selected_date: date || null };
    }
    case "timepicker": {
      const time = given === undefined ? str(element["initial_time"]) : one;
      if (time && !isTime(time)) throw new Error(`No clock shows ${time}`);
      return { type, selected_time: time || null };
    }
    case "datetimepicker": {
      if (given === undefined) {
        const first = element["initial_date_time"];
        return { type, selected_date_time: typeof first === "number" ? first : null };
      }
      return { type, selected_date_time: one ? secondsOf(one, state.person(user).timeZone ?? "UTC") : null };
    }
    case "number_input": {
      const number = given === undefined ? str(element["initial_value"]) : (one ?? "");
      checkNumber(element, number);
      return { type, value: number || null };
    }
    default: {
      const text = given === undefined ? str(element["initial_value"]) : (one ?? "");
      return { type, value: text || null };
    }
  }
}

export function isEmpty(value: ViewStateValue): boolean {
  const { value: text, selected_date: day, selected_time: time, selected_date_time: moment } = value;
  const { selected_option: one, selected_options: some = [] } = value;
  return [text, day, time, moment, one].every((held) => held === null || held === undefined) && some.length === 0;
}

/** By its label, or its value. */
function optionNamed(element: Loose, name: string): Loose {
  const options = optionsOf(element);
  const label = (option: Loose): string => unescapeText(str((option["text"] as Loose)["text"]));
  const found = options.find((one) => label(one) === name) ?? options.find((one) => one["value"] === name);
  if (!found) throw new Error(`No option "${name}"; there are: ${options.map(label).join(", ")}`);
  return found;
}

/** As a payload says it: with the text as it is kept. */
function picked(option: Loose): { text: Option["text"] & { type: "plain_text" }; value: string } {
  const text = option["text"] as Option["text"] & { type: "plain_text" };
  const { description } = option;
  return {
    text: { emoji: true, ...text },
    value: str(option["value"]),
    ...(description === undefined ? {} : { description }),
  };
}

function checkNumber(element: Loose, number: string): void {
  if (number === "") return;
  if (!isNumber(number, element["is_decimal_allowed"] === true)) throw new Error(`"${number}" is no number there`);
  const { min_value: min, max_value: max } = element;
  if ((min !== undefined && Number(number) < Number(min)) || (max !== undefined && Number(number) > Number(max))) {
    throw new Error(`${number} is out of its range`);
  }
}

/** The moment at which a clock in that zone shows the words. */
function secondsOf(words: string, timeZone: string): number {
  const [date = "", time = ""] = words.split(" ");
  if (!isDate(date) || !isTime(time)) throw new Error(`No day and time: ${words}`);
  const asUtc = Date.parse(`${date}T${time}:00Z`);
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  const shown = Date.parse(`${format.format(asUtc).replace(" ", "T")}Z`);
  return (asUtc - (shown - asUtc)) / 1000;
}

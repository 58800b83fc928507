// Buttons and menus of the loopback Discord: the limits of the component reference (5 rows of 5 buttons,
// 25 options, label 80, custom_id 1–100 and once per message), and what a person sees of them.
import { ComponentType } from "discord-api-types/v10";
import type { APIMessage } from "discord-api-types/v10";
import { invalidForm, problem, textOf } from "./discord-refusal.ts";
import type { FieldProblem } from "./discord-refusal.ts";
import type { ShownButton } from "./discord-state.ts";

export type Raw = Record<string, unknown>;
type Components = NonNullable<APIMessage["components"]>;

export function listOf(value: unknown): Raw[] {
  return Array.isArray(value) ? (value as Raw[]) : [];
}

/** A text that must be there with `min` to `max` UTF-16 units. */
export function length(problems: FieldProblem[], path: string, value: unknown, min: number, max: number): void {
  if (value === undefined || value === null) {
    problems.push(problem(path, "BASE_TYPE_REQUIRED", "This field is required"));
  } else if (typeof value !== "string") {
    problems.push(problem(path, "STRING_TYPE_CONVERT", "Could not convert to string."));
  } else if (value.length < min || value.length > max) {
    problems.push(problem(path, "BASE_TYPE_BAD_LENGTH", `Must be between ${min} and ${max} in length.`));
  }
}

export function maxLength(problems: FieldProblem[], path: string, value: unknown, max: number): void {
  if (typeof value === "string" && value.length > max) {
    problems.push(problem(path, "BASE_TYPE_MAX_LENGTH", `Must be ${max} or fewer in length.`));
  }
}

/** Checks the rows of a message and numbers their parts, as the platform does. */
export function readComponents(given: unknown): Components {
  if (given === undefined || given === null) return [];
  const problems: FieldProblem[] = [];
  const rows = listOf(given);
  if (rows.length > 5) {
    problems.push(problem("components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length."));
  }
  const seen = new Set<string>();
  let nextId = 1;
  const numbered = rows.map((row, at) => {
    const path = `components.${at}`;
    if (row["type"] !== ComponentType.ActionRow) {
      problems.push(problem(`${path}.type`, "UNION_TYPE_CHOICES", 'Value of field "type" must be one of (1,).'));
      return row;
    }
    const rowId = nextId++;
    const parts = listOf(row["components"]);
    const menus = parts.filter((part) => part["type"] !== ComponentType.Button).length;
    if (parts.length < 1 || parts.length > 5) {
      problems.push(problem(`${path}.components`, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length."));
    } else if (menus > 0 && parts.length > 1) {
      problems.push(
        problem(path, "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width"),
      );
    }
    const components = parts.map((part, index) => {
      const partPath = `${path}.components.${index}`;
      if (part["type"] === ComponentType.Button) checkButton(problems, partPath, part, seen);
      else if (part["type"] === ComponentType.StringSelect) checkSelect(problems, partPath, part, seen);
      else
        problems.push(
          problem(`${partPath}.type`, "UNION_TYPE_CHOICES", 'Value of field "type" must be one of (2, 3).'),
        );
      return { ...part, id: nextId++ };
    });
    return { type: ComponentType.ActionRow, id: rowId, components };
  });
  if (problems.length > 0) throw invalidForm(...problems);
  return numbered as unknown as Components;
}

export function checkId(problems: FieldProblem[], path: string, value: unknown, seen: Set<string>): void {
  length(problems, `${path}.custom_id`, value, 1, 100);
  if (typeof value !== "string") return;
  if (seen.has(value)) {
    problems.push(
      problem(`${path}.custom_id`, "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated"),
    );
  }
  seen.add(value);
}

function checkButton(problems: FieldProblem[], path: string, part: Raw, seen: Set<string>): void {
  const { style, label, custom_id, url, emoji } = part;
  maxLength(problems, `${path}.label`, label, 80);
  if ((label === undefined || label === "") && emoji === undefined) {
    problems.push(problem(path, "BUTTON_COMPONENT_INVALID", "A button must have a label or an emoji"));
  }
  if (style === 5) {
    if (custom_id !== undefined) {
      problems.push(
        problem(
          path,
          "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE",
          "A custom id and url cannot both be specified",
        ),
      );
    }
    length(problems, `${path}.url`, url, 1, 512);
    if (typeof url === "string" && !/^(?:https?|discord):\/\/\S+$/i.test(url)) {
      problems.push(
        problem(`${path}.url`, "URL_TYPE_INVALID_SCHEME", "Scheme must be one of ('http', 'https', 'discord')."),
      );
    }
    return;
  }
  if (style !== 1 && style !== 2 && style !== 3 && style !== 4) {
    problems.push(problem(`${path}.style`, "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3, 4, 5, 6)."));
  }
  if (url !== undefined) {
    problems.push(
      problem(
        path,
        "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE",
        "A custom id and url cannot both be specified",
      ),
    );
  }
  checkId(problems, path, custom_id, seen);
}

/** A menu: in a message, or in a form, where something must be picked unless it says otherwise. */
export function checkSelect(
  problems: FieldProblem[],
  path: string,
  part: Raw,
  seen: Set<string>,
  inForm = false,
): void {
  checkId(problems, path, part["custom_id"], seen);
  maxLength(problems, `${path}.placeholder`, part["placeholder"], 150);
  const options = checkOptions(problems, path, part["options"], 1, 25);
  const { min_values: min = 1, max_values: max = 1, required = inForm } = part;
  if (typeof min !== "number" || typeof max !== "number" || min < 0 || max < 1 || min > max || max > 25) {
    problems.push(problem(`${path}.max_values`, "NUMBER_TYPE_MAX", "int value should be less than or equal to 25."));
  } else if (options.length > 0 && max > options.length) {
    problems.push(
      problem(
        `${path}.max_values`,
        "SELECT_COMPONENT_MAX_VALUES_EXCEEDED",
        "max_values is above the number of options",
      ),
    );
  }
  // Seen with menus in messages as well, for which the reference calls `required` ignored.
  if (min === 0 && required === true) {
    problems.push(
      problem(
        `${path}.min_values`,
        "SELECT_COMPONENT_REQUIRED_ZERO_MIN_VALUES",
        "Select menus marked as required cannot have a min_values of 0",
      ),
    );
  }
}

/** Options of a menu or a group of boxes: texts of 100, and each value once. */
export function checkOptions(problems: FieldProblem[], path: string, given: unknown, min: number, max: number): Raw[] {
  const options = listOf(given);
  if (options.length < min || options.length > max) {
    problems.push(problem(`${path}.options`, "BASE_TYPE_BAD_LENGTH", `Must be between ${min} and ${max} in length.`));
  }
  const values = new Set<unknown>();
  options.forEach((option, at) => {
    const here = `${path}.options.${at}`;
    length(problems, `${here}.label`, option["label"], 1, 100);
    length(problems, `${here}.value`, option["value"], 1, 100);
    maxLength(problems, `${here}.description`, option["description"], 100);
    if (values.has(option["value"])) {
      problems.push(
        problem(here, "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used"),
      );
    }
    values.add(option["value"]);
  });
  return options;
}

/** What a person sees of the rows: a menu is a row of its options. */
export function shownButtons(components: APIMessage["components"]): ShownButton[][] {
  return (components ?? []).map((row) => {
    const parts = listOf((row as unknown as Raw)["components"]);
    return parts.flatMap((part): ShownButton[] => {
      const disabled = part["disabled"] === true ? { disabled: true as const } : {};
      if (part["type"] === ComponentType.Button) {
        return [
          {
            label: textOf(part["label"]),
            ...(typeof part["custom_id"] === "string" ? { data: part["custom_id"] } : {}),
            ...(typeof part["url"] === "string" ? { url: part["url"] } : {}),
            ...disabled,
          },
        ];
      }
      return listOf(part["options"]).map((option) => ({
        label: option["label"] as string,
        data: option["value"] as string,
        select: part["custom_id"] as string,
        ...disabled,
      }));
    });
  });
}

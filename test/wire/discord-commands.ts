// Application commands of the loopback Discord: what may be registered (names, descriptions, options,
// numbers of each kind), and the options that a person's typed words become.
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
} from "discord-api-types/v10";
import type { APIApplicationCommand } from "discord-api-types/v10";
import { invalidForm, problem, textOf } from "./discord-refusal.ts";
import type { FieldProblem } from "./discord-refusal.ts";
import type { DiscordState } from "./discord-state.ts";

type Raw = Record<string, unknown>;

/** CHAT_INPUT names and option names: lower case where the script has cases. */
const slashName = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const most: Record<number, number> = { 1: 100, 2: 5, 3: 5 };

function badLength(value: unknown, min: number, max: number): boolean {
  return typeof value !== "string" || value.length < min || value.length > max;
}

/** PUT: the whole list is replaced, and each command that changed gets a new version. */
export function readCommands(state: DiscordState, given: unknown): APIApplicationCommand[] {
  if (!Array.isArray(given))
    throw invalidForm(problem("", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType"));
  const problems: FieldProblem[] = [];
  const seen = new Set<string>();
  const counts = new Map<number, number>();
  const commands = (given as Raw[]).map((raw, at) => {
    const type = (raw["type"] as ApplicationCommandType | undefined) ?? ApplicationCommandType.ChatInput;
    const { name, description = "" } = raw;
    if (![1, 2, 3].includes(type)) {
      problems.push(problem(`${at}.type`, "BASE_TYPE_CHOICES", "Value must be one of {1, 2, 3, 4}."));
    }
    if (type === ApplicationCommandType.ChatInput) {
      checkName(problems, `${at}.name`, name);
      if (badLength(description, 1, 100)) {
        problems.push(problem(`${at}.description`, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length."));
      }
      checkOptions(problems, `${at}.options`, raw["options"]);
    } else {
      if (badLength(name, 1, 32)) {
        problems.push(problem(`${at}.name`, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 32 in length."));
      }
      if (description !== "") {
        problems.push(
          problem(
            `${at}.description`,
            "APPLICATION_COMMAND_DESCRIPTION_CANNOT_BE_SET",
            "Context menu commands cannot have description",
          ),
        );
      }
      if (Array.isArray(raw["options"]) && raw["options"].length > 0) {
        problems.push(
          problem(
            `${at}.options`,
            "APPLICATION_COMMAND_OPTIONS_CANNOT_BE_SET",
            "Context menu commands cannot have options",
          ),
        );
      }
    }
    const key = `${type}/${textOf(name)}`;
    if (seen.has(key)) {
      problems.push(
        problem(`${at}.name`, "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique"),
      );
    }
    seen.add(key);
    counts.set(type, (counts.get(type) ?? 0) + 1);
    return commandOf(state, raw, type);
  });
  for (const [type, count] of counts) {
    if (count > (most[type] ?? 0)) {
      problems.push(problem("", "BASE_TYPE_MAX_LENGTH", `At most ${most[type] ?? 0} commands of type ${type}.`));
    }
  }
  if (problems.length > 0) throw invalidForm(...problems);
  return commands;
}

function checkName(problems: FieldProblem[], path: string, name: unknown): void {
  if (badLength(name, 1, 32)) {
    problems.push(problem(path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 32 in length."));
  } else if (!slashName.test(name as string) || (name as string) !== (name as string).toLowerCase()) {
    problems.push(problem(path, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid"));
  }
}

function checkOptions(problems: FieldProblem[], path: string, given: unknown): void {
  if (given === undefined || given === null) return;
  const options = given as Raw[];
  if (options.length > 25) problems.push(problem(path, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length."));
  let optionalSeen = false;
  options.forEach((option, at) => {
    const here = `${path}.${at}`;
    checkName(problems, `${here}.name`, option["name"]);
    if (badLength(option["description"], 1, 100)) {
      problems.push(problem(`${here}.description`, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length."));
    }
    const type = option["type"];
    if (typeof type !== "number" || type < 1 || type > 11) {
      problems.push(problem(`${here}.type`, "BASE_TYPE_CHOICES", "Value must be one of (1 … 11)."));
    }
    if (option["required"] === true && optionalSeen) {
      problems.push(
        problem(
          here,
          "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
          "Required options must be placed before non-required options",
        ),
      );
    }
    optionalSeen ||= option["required"] !== true;
    const choices = (option["choices"] ?? []) as Raw[];
    if (choices.length > 25)
      problems.push(problem(`${here}.choices`, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length."));
    choices.forEach((choice, index) => {
      if (badLength(choice["name"], 1, 100)) {
        problems.push(
          problem(`${here}.choices.${index}.name`, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length."),
        );
      }
    });
  });
}

function commandOf(state: DiscordState, raw: Raw, type: ApplicationCommandType): APIApplicationCommand {
  const name = raw["name"] as string;
  const known = state.commands.find((one) => one.name === name && one.type === type);
  const options = (raw["options"] as APIApplicationCommand["options"]) ?? [];
  // The old way to say that a command is for guilds only.
  const noDms = raw["dm_permission"] === false ? [InteractionContextType.Guild] : null;
  return {
    id: known?.id ?? state.nextId(),
    type,
    application_id: state.me.id,
    name,
    name_localizations: null,
    description: (raw["description"] as string | undefined) ?? "",
    description_localizations: null,
    default_member_permissions: (raw["default_member_permissions"] as string | undefined) ?? null,
    nsfw: false,
    integration_types: (raw["integration_types"] as APIApplicationCommand["integration_types"]) ?? [
      ApplicationIntegrationType.GuildInstall,
    ],
    contexts: (raw["contexts"] as APIApplicationCommand["contexts"]) ?? noDms,
    version: state.nextId(),
    ...(options.length > 0 ? { options } : {}),
  } satisfies APIApplicationCommand;
}

export interface TypedOption {
  name: string;
  type: ApplicationCommandOptionType;
  value: string | number | boolean;
}

/** Words after a command's name, put into its options as a person would: the last text option takes all the rest. */
export function typedOptions(command: APIApplicationCommand, words: string): TypedOption[] {
  const wanted = (command.options ?? []) as {
    name: string;
    type: ApplicationCommandOptionType;
    required?: boolean;
    choices?: { name: string; value: string | number }[];
  }[];
  const out: TypedOption[] = [];
  let rest = words.trim();
  wanted.forEach((option, at) => {
    if (rest === "") {
      if (option.required === true) throw new Error(`/${command.name} needs its option "${option.name}"`);
      return;
    }
    const last = at === wanted.length - 1;
    const word = last && option.type === ApplicationCommandOptionType.String ? rest : (rest.split(/\s+/, 1)[0] ?? "");
    const choice = option.choices?.find((one) => one.name === word || String(one.value) === word);
    if (option.choices && !choice) {
      const there = option.choices.map((one) => one.name).join(", ");
      throw new Error(`/${command.name} ${option.name}: no choice "${word}"; there are: ${there}`);
    }
    out.push({ name: option.name, type: option.type, value: choice?.value ?? valueOf(option.type, word) });
    rest = rest.slice(word.length).trim();
  });
  if (rest !== "") throw new Error(`/${command.name} has no option for "${rest}"`);
  return out;
}

function valueOf(type: ApplicationCommandOptionType, word: string): string | number | boolean {
  if (type === ApplicationCommandOptionType.Integer || type === ApplicationCommandOptionType.Number)
    return Number(word);
  if (type === ApplicationCommandOptionType.Boolean) return word === "true";
  return word;
}

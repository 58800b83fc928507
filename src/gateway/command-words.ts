// Commands in our own words, as people type them on a platform.

/** What can be typed; `commands.ts` says what each does. */
export const COMMAND_NAMES: readonly string[] = [
  "new",
  "stop",
  "help",
  "status",
  "mode",
  "engine",
  "search",
  "activity",
  "apps",
  "skills",
  "people",
  "settings",
  "archive",
  "delete",
];

const NAMED = new RegExp(String.raw`(?<![\w/.])/(${COMMAND_NAMES.join("|")})(?![\w/-])`, "gu");

/** Our own words with each command as it is typed there: "/new", or "/tidegate new" where one command stands for all. */
export function inPlatformsWords(text: string, commandPrefix: string): string {
  return commandPrefix === "/" ? text : text.replace(NAMED, (_, name: string) => `${commandPrefix}${name}`);
}

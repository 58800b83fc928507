// Where the real programs are installed.
import { fileURLToPath } from "node:url";

/** The folder whose node_modules holds them. */
export const PROGRAMS: string = fileURLToPath(new URL("./programs", import.meta.url));
export const CODEX_COMMAND: string = fileURLToPath(new URL("./programs/node_modules/.bin/codex", import.meta.url));

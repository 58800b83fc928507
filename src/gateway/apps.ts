// What can be turned on: the shipped list of apps, the owner's own from the config, and the skills of a folder.
import { readFile } from "node:fs/promises";
import { openCatalog, type SignIns } from "../catalog/catalog.ts";
import { ownEntry, readEntries, type AppEntry } from "../catalog/entries.ts";
import type { Catalog } from "../catalog/port.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Settings } from "../store/port.ts";
import type { Loaded } from "./config-file.ts";

const SHIPPED = new URL("../../config/apps.yaml", import.meta.url);

/** The apps of a config: the shipped ones, of which an own one of the same name takes the place, and then the owner's own. */
export async function readApps(own: Loaded["config"]["apps"]): Promise<readonly AppEntry[]> {
  const shipped = readEntries(await readFile(SHIPPED, "utf8"));
  return [
    ...shipped.filter(({ id }) => !Object.hasOwn(own, id)),
    ...Object.entries(own).map(([id, app]) => ownEntry(id, app)),
  ];
}

/**
 * The values of the variables that apps take their keys and secrets from: never to be shown. What stands in a command is a place, and
 * everyone on the machine can see it there.
 */
export function appSecrets(entries: readonly AppEntry[], env: Loaded["env"]): readonly string[] {
  return entries.flatMap(({ connect }) => {
    const secret = connect.kind === "http" ? connect.client?.secretKey : undefined;
    const command = connect.kind === "stdio" ? connect.command : [];
    const keys = (connect.keys ?? []).filter((key) => !command.some((part) => part.includes(`\${${key}}`)));
    return [...keys, ...(secret === undefined ? [] : [secret])].flatMap((key) => env[key] ?? []);
  });
}

/** Opens what can be turned on. Apps that are on connect in the background. */
export async function openApps(
  entries: readonly AppEntry[],
  { config, env }: Pick<Loaded, "config" | "env">,
  settings: Settings,
  surroundings: Surroundings,
): Promise<Catalog & SignIns> {
  const { data: folder, work, skills: skillsFolder } = config;
  return await openCatalog({ entries, skillsFolder, settings, folder, work, env, surroundings });
}

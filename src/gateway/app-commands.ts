// Apps on the command line: what is connected and what can be, and which tools a run is given.
import { GatewayError } from "../core/error.ts";
import type { Clock } from "../core/surroundings.ts";
import { clipUnits, oneLine } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";
import type { Catalog, Item } from "../catalog/port.ts";
import { nearest } from "./nearest.ts";

/** Connecting the apps that are on takes a moment after a start. */
const PATIENCE_MS = 20_000;
const LOOK_MS = 100;
/** What a run can be given: what looks at other chats or asks a person is none of it. */
const GIVEN_ROWS: ReadonlySet<Tool["row"]> = new Set(["plain", "app-read", "app-act"]);
const MAX_NAME_UNITS = 100;
const CONNECTED = "connected";
const CHANGED = "its tools are not the ones that were agreed to: /apps in a chat";
const SILENT = "on, and not answering: ";

/** A line per app, its id first and how it stands behind it; those that are on come first. */
export function appLines(items: readonly Item[]): string {
  const apps = items.filter(({ kind, state }) => kind === "app" && state !== "retired");
  const lines = [...apps.filter(isOn), ...apps.filter((item) => !isOn(item))].map(
    (item) => `${item.id.padEnd(20)}  ${standing(item)}  ${oneLine(item.name)} – ${oneLine(item.tagline)}`,
  );
  return lines.length === 0 ? "There are no apps." : lines.join("\n");
}

/** The apps that are on by such lines, with what keeps one from being used. */
export function appsOn(lines: string): readonly { readonly id: string; readonly trouble?: string }[] {
  return lines.split("\n").flatMap((line) => {
    const [, id, how = ""] = /^(\S+) +\[([^\]]*)\]/u.exec(line) ?? [];
    if (id === undefined) return [];
    if (how === CONNECTED) return [{ id }];
    return how === CHANGED || how.startsWith(SILENT) ? [{ id, trouble: how }] : [];
  });
}

function isOn({ state }: Item): boolean {
  return state === "on" || state === "changed";
}

function standing(item: Item): string {
  // Another's words may be in it, and the bracket ends what stands in it.
  const trouble = oneLine(item.trouble ?? "").replaceAll(/[[\]]/gu, " ");
  const how = isOn(item)
    ? item.state === "changed"
      ? CHANGED
      : trouble === ""
        ? CONNECTED
        : SILENT + trouble
    : trouble === ""
      ? connecting(item)
      : trouble;
  return `[${how}]`;
}

function connecting({ connects }: Item): string {
  if (connects.by === "sign-in") return "can be connected by a sign-in, with /apps in a chat";
  const missing = connects.by === "key" ? connects.variables.filter(({ set }) => !set).map(({ name }) => name) : [];
  return missing.length === 0 ? "can be connected with /apps in a chat" : `needs ${missing.join(" and ")}`;
}

/**
 * The names of tools that a run is given, each known. Waits for apps that are on and not connected yet. Throws a GatewayError that names
 * what is not there, before anything runs.
 */
export async function givenTools(
  names: readonly string[],
  { tools, catalog }: { readonly tools: readonly Tool[]; readonly catalog: Pick<Catalog, "tools" | "items"> },
  clock: Pick<Clock, "sleep">,
): Promise<readonly string[]> {
  const all = (): readonly string[] =>
    [...tools, ...catalog.tools].filter(({ row }) => GIVEN_ROWS.has(row)).map(({ name }) => name);
  const missing = (): readonly string[] => {
    const known = new Set(all());
    return names.filter((name) => !known.has(name));
  };
  const isComing = (name: string): boolean =>
    catalog.items.some(
      ({ kind, id, state, trouble }) =>
        kind === "app" &&
        name.startsWith(`${id}__`) &&
        state === "on" &&
        trouble === undefined &&
        !catalog.tools.some((tool) => tool.name.startsWith(`${id}__`)),
    );
  for (let left = PATIENCE_MS; left > 0 && missing().some(isComing); left -= LOOK_MS) await clock.sleep(LOOK_MS);
  const unknown = missing();
  const [first] = unknown;
  if (first === undefined) return names;
  const near = nearest(first, all());
  const said = unknown.map((name) => clipUnits(oneLine(name), MAX_NAME_UNITS)).join(", ");
  throw new GatewayError(
    "bad-request",
    `There is no tool ${said} that a run can be given.${near === undefined ? "" : ` Did you mean ${near}?`}`,
    { hint: [...troubles(unknown, catalog.items), hintOf(all())].join("\n") },
  );
}

/** Why an app whose tools were named has none now. */
function troubles(names: readonly string[], items: readonly Item[]): readonly string[] {
  return items.flatMap((item) => {
    const { kind, id, state } = item;
    if (kind !== "app" || !names.some((name) => name.startsWith(`${id}__`))) return [];
    return state === "on" && item.trouble === undefined
      ? []
      : [`${id}: ${standing(item).slice(1, -1).replace(/\.$/u, "")}.`];
  });
}

function hintOf(all: readonly string[]): string {
  return `There ${all.length === 1 ? "is" : "are"}: ${all.join(", ")}. ./tidegate apps lists what can be connected.`;
}

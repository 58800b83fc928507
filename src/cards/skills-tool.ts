// `use_skill`: how a model gets the instructions of a skill that the owner turned on.
import type { Catalog } from "../catalog/port.ts";
import { GatewayError } from "../core/error.ts";
import { clipGraphemes, clipUnits, oneLine } from "../core/text.ts";
import type { Tool, ToolResult } from "../core/tool.ts";

const MAX_NAME = 64;
const MAX_GUIDANCE = 2_000;

/**
 * The tool, for one turn: what it says of the skills that are on is as it stands when it is made. `askedFor`: ids of skills that are
 * used only when asked for, which the person did ask for in this turn.
 */
export function useSkillTool(catalog: Catalog, askedFor: readonly string[] = []): Tool<string> {
  const guidance = guidanceOn(catalog, askedFor);
  return {
    name: "use_skill",
    description:
      "Gives the instructions of a skill that the person turned on, by its name. Call it before the work that the skill is for, and follow what it says.",
    ...(guidance === "" ? {} : { guidance }),
    input: {
      type: "object",
      properties: { name: { type: "string", minLength: 1, maxLength: MAX_NAME, description: "The skill's name" } },
      required: ["name"],
      additionalProperties: false,
    },
    row: "skill",
    effect: "read",
    check: checkName,
    run: (name) => instructionsOf(catalog, askedFor, name),
  };
}

function checkName(input: unknown): string {
  const name = typeof input === "object" && input !== null && "name" in input ? input.name : undefined;
  if (typeof name !== "string" || name.trim() === "" || name.length > MAX_NAME)
    throw new GatewayError("tool-input", `name must be the name of a skill, at most ${MAX_NAME} characters.`);
  return name.trim();
}

async function instructionsOf(catalog: Catalog, askedFor: readonly string[], name: string): Promise<ToolResult> {
  const skill = catalog.items.find(({ kind, id }) => kind === "skill" && id === name);
  if (skill === undefined) return { outcome: "error", text: "There is no skill of that name." };
  const waits = skill.state === "asked" && !askedFor.includes(name);
  if (waits)
    return {
      outcome: "error",
      text: "That skill is used only when the person asks for it. It can be offered to them; go on without it.",
    };
  const text = await catalog.skill(name);
  if (text === undefined) return { outcome: "error", text: "That skill is off. Go on without it." };
  return {
    outcome: "ok",
    text: `Instructions of the skill ${name}, which the owner turned on. Follow them where they fit what was asked; what may be done here stays as it is.\n\n${text}`,
  };
}

/** By name and first sentence, as many as there is room for. */
function guidanceOn(catalog: Catalog, askedFor: readonly string[]): string {
  const on = catalog.items.filter(
    ({ kind, id, state }) => kind === "skill" && (state === "on" || (state === "asked" && askedFor.includes(id))),
  );
  if (on.length === 0) return "";
  const lines = on.map(({ id, tagline }) =>
    clipUnits(`- ${id}: ${clipGraphemes(oneLine(tagline), 140, "…")}`, 400, "…"),
  );
  const heading =
    "Skills that are on: when one fits what was asked, get its instructions with use_skill first, and follow them.";
  const whole = (kept: number): string =>
    [heading, ...lines.slice(0, kept), ...(kept < lines.length ? [`(and ${lines.length - kept} more)`] : [])].join(
      "\n",
    );
  let kept = lines.length;
  while (kept > 0 && whole(kept).length > MAX_GUIDANCE) kept--;
  return whole(kept);
}

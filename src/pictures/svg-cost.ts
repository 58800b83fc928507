// What drawing an SVG costs, counted before it is drawn: a few lines can ask for a picture that takes hours.
import { NotDrawn } from "./port.ts";

/** Elements once every `use` and marker is drawn. */
const MAX_DRAWN = 20_000;
/** Groups that are drawn apart and laid over the rest: each may take a picture's memory several times. */
const MAX_LAYERS = 100;
const MAX_LAYERS_DEEP = 3;
const MAX_DASHED = 500;

/** A property's value that names a part of the same SVG. */
export const REFERENCE: RegExp = /^url\(\s*["']?#([\w.:-]{1,200})["']?\s*\)(?:\s+[#\w]{1,20})?$/u;

/** An element with only what is drawn here. */
export type Kept = {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (Kept | string)[];
};

/** The elements that can be referred to; of two with one id the first. */
export function partsById(root: Kept): ReadonlyMap<string, Kept> {
  const byId = new Map<string, Kept>();
  const add = (element: Kept): void => {
    const id = element.attributes.get("id");
    if (id !== undefined && !byId.has(id)) byId.set(id, element);
    for (const child of element.children) if (typeof child !== "string") add(child);
  };
  add(root);
  return byId;
}

type Cost = { readonly drawn: number; readonly layers: number; readonly deep: number; readonly dashed: number };

/** Throws in words when drawing it all would take too much. References into themselves are refused. */
export function countCost(root: Kept, byId: ReadonlyMap<string, Kept>): void {
  const known = new Map<Kept, Cost>();
  const under = new Set<Kept>();
  const costOf = (element: Kept): Cost => {
    const before = known.get(element);
    if (before !== undefined) return before;
    if (under.has(element)) throw new NotDrawn("The SVG refers to itself, so it isn't drawn.");
    under.add(element);
    let [drawn, layers, deep, dashed] = [1, 0, 0, 0];
    const add = (cost: Cost, times = 1): void => {
      drawn += cost.drawn * times;
      layers += cost.layers * times;
      deep = Math.max(deep, cost.deep);
      dashed += cost.dashed * times;
    };
    for (const child of element.children) if (typeof child !== "string") add(costOf(child));
    for (const [name, value] of element.attributes) {
      const id = name === "href" ? value.slice(1) : REFERENCE.exec(value)?.[1];
      const target = id === undefined ? undefined : byId.get(id);
      if (target === undefined) continue;
      // A marker is drawn at each point.
      add(costOf(target), name.startsWith("marker") ? pointsOf(element) : 1);
    }
    if (element.attributes.has("opacity") || element.attributes.has("clip-path")) {
      layers += 1;
      deep += 1;
    }
    const dashes = element.attributes.get("stroke-dasharray");
    if (dashes !== undefined && dashes !== "none") dashed += 1;
    under.delete(element);
    const cost = { drawn, layers, deep, dashed };
    known.set(element, cost);
    return cost;
  };
  const { drawn, layers, deep, dashed } = costOf(root);
  if (drawn > MAX_DRAWN || layers > MAX_LAYERS || deep > MAX_LAYERS_DEEP || dashed > MAX_DASHED)
    throw new NotDrawn("The SVG has too many parts to be drawn.");
}

function pointsOf(element: Kept): number {
  const text = element.attributes.get("d") ?? element.attributes.get("points") ?? "";
  return 2 + (text.match(/[\d.]+/gu)?.length ?? 0);
}

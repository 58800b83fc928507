// An SVG that a model wrote, made harmless: read by a small reader of our own, and written anew with only what is on the lists
// here. Nothing that could name a file or an address is on them, and what it can cost is counted before it is drawn.
import { NotDrawn } from "./port.ts";
import { countCost, partsById, REFERENCE, type Kept } from "./svg-cost.ts";
import { readXml, type Element } from "./xml.ts";

/** An SVG that can be drawn, with its natural size. `texts`: what is written in it. */
export type CleanSvg = {
  readonly svg: string;
  readonly size: { readonly width: number; readonly height: number };
  readonly texts: readonly string[];
  readonly leftOut: readonly string[];
};

const MAX_RULES = 100;
const MAX_ASPECT = 20;
const MAX_VALUE_UNITS = 100_000;

const ELEMENTS = new Set(
  "svg g defs symbol use path rect circle ellipse line polyline polygon text tspan linearGradient radialGradient stop clipPath marker style a".split(
    " ",
  ),
);
/** Left out without a word: nobody misses them in a picture. */
const SILENT = new Set(["title", "desc", "metadata"]);

/** Properties that are attributes, or stand in `style` and style sheets. */
const PROPERTIES = new Set(
  "fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset opacity color display visibility stop-color stop-opacity clip-path clip-rule marker marker-start marker-mid marker-end font-family font-size font-style font-weight font-variant font-stretch letter-spacing word-spacing text-anchor text-decoration dominant-baseline alignment-baseline baseline-shift paint-order shape-rendering text-rendering overflow background background-color".split(
    " ",
  ),
);
const ATTRIBUTES = new Set(
  "id class x y x1 y1 x2 y2 cx cy r rx ry fx fy fr dx dy width height d points transform viewBox preserveAspectRatio offset gradientUnits gradientTransform spreadMethod clipPathUnits markerWidth markerHeight markerUnits refX refY orient pathLength rotate textLength lengthAdjust".split(
    " ",
  ),
);

const REVERSED = "-reversed";

/**
 * The SVG without what is not drawn here. `colours`: values for its CSS variables; `has`: whether the font has a character. Throws NotDrawn in words when it is no SVG, or
 * more than can be drawn safely.
 */
export function cleanSvg(
  text: string,
  {
    has,
    colours = {},
  }: { readonly has: (codePoint: number) => boolean; readonly colours?: Readonly<Record<string, string>> },
): CleanSvg {
  const root = readXml(text);
  if (root.name !== "svg") throw new NotDrawn("This is no SVG: it must begin with an svg element.");
  const lost = new Set<string>();
  const texts: string[] = [];
  const kept = withReversed(keep(root, { has, colours, lost, texts }));
  const size = sizeOf(kept);
  const byId = partsById(kept);
  countCost(kept, byId);
  const attributes = new Map(kept.attributes);
  if (!attributes.has("viewBox")) attributes.set("viewBox", `0 0 ${size.width} ${size.height}`);
  attributes
    .set("width", String(size.width))
    .set("height", String(size.height))
    .set("xmlns", "http://www.w3.org/2000/svg");
  return {
    svg: written({ ...kept, attributes }, byId),
    size,
    texts,
    leftOut: lost.size === 0 ? [] : [`Left out, as it isn't drawn here: ${[...lost].slice(0, 8).join(", ")}.`],
  };
}

type Keeping = {
  readonly has: (codePoint: number) => boolean;
  readonly colours: Readonly<Record<string, string>>;
  readonly lost: Set<string>;
  readonly texts: string[];
};

function keep(element: Element, keeping: Keeping): Kept {
  const attributes = new Map<string, string>();
  for (const [name, given] of element.attributes) {
    const value = withColours(given, keeping.colours).trim();
    if (value.length > MAX_VALUE_UNITS) throw new NotDrawn("A part of the SVG is too long to be drawn.");
    if (name === "style") {
      for (const [property, one] of declarations(value)) attributes.set(property, one);
    } else if (name === "href" || name === "xlink:href") {
      if (/^#[\w.:-]{1,200}$/u.test(value) && element.name !== "a") attributes.set("href", value);
      else if (element.name !== "a") keeping.lost.add("references to what is outside");
    } else if (
      (ATTRIBUTES.has(name) && /^[\w\s.,:()%+-]*$/u.test(value) && !/url/iu.test(value)) ||
      (PROPERTIES.has(name) && isHarmless(value))
    ) {
      // Of two that say the same, `style` counts.
      if (!attributes.has(name) || !PROPERTIES.has(name)) attributes.set(name, value);
    } else if (PROPERTIES.has(name)) keeping.lost.add("references to what is outside");
    else if (name === "filter" || name === "mask") keeping.lost.add(name);
  }
  const children: (Kept | string)[] = [];
  for (const child of element.children) {
    if (typeof child === "string") {
      if (["text", "tspan", "a"].includes(element.name)) {
        const drawn = withoutEmoji(child, keeping.has);
        children.push(drawn);
        keeping.texts.push(drawn);
      } else if (element.name === "style") children.push(styleSheet(child, keeping));
    } else if (ELEMENTS.has(child.name)) children.push(keep(child, keeping));
    else if (!SILENT.has(child.name) && !child.name.includes(":")) keeping.lost.add(nameOf(child.name));
  }
  return { name: element.name === "a" ? (isText(children) ? "tspan" : "g") : element.name, attributes, children };
}

/** Without signs that the font lacks: boxes would stand in their place. Letters stay, so that they are missed. */
function withoutEmoji(text: string, has: (codePoint: number) => boolean): string {
  return Array.from(text)
    .filter((one) => /[\s\p{L}\p{M}\p{N}\p{Cf}]/u.test(one) || has(one.codePointAt(0) ?? 0))
    .join("")
    .replaceAll("\uFE0F", "");
}

function isText(children: readonly (Kept | string)[]): boolean {
  return children.some((child) => typeof child === "string" && child.trim() !== "");
}

/** The names that people know; others are outside text. */
function nameOf(name: string): string {
  const known = [
    "image",
    "foreignObject",
    "script",
    "filter",
    "mask",
    "pattern",
    "animate",
    "animateTransform",
    "set",
    "video",
    "audio",
    "iframe",
    "textPath",
    "switch",
    "view",
  ];
  return known.includes(name) ? name : "unknown elements";
}

function withColours(value: string, colours: Readonly<Record<string, string>>): string {
  return value.replaceAll(
    /var\(\s*(--[\w-]{1,40})\s*(?:,\s*([^()]{1,60}))?\)/gu,
    (_, name: string, other?: string) => colours[name] ?? other ?? "",
  );
}

/** Whether a property's value names nothing outside the SVG. */
function isHarmless(value: string): boolean {
  if (value.length > 2000 || /[\\@<>{}]|\/\*/u.test(value)) return false;
  return !/url|image|src|expression/iu.test(value) || REFERENCE.test(value);
}

function declarations(style: string): readonly (readonly [string, string])[] {
  return style.split(";").flatMap((one) => {
    const colon = one.indexOf(":");
    const property = one.slice(0, colon).trim().toLowerCase();
    const value = one
      .slice(colon + 1)
      .replace(/!\s*important/iu, "")
      .trim();
    return colon > 0 && PROPERTIES.has(property) && value !== "" && isHarmless(value)
      ? [[property, value] as const]
      : [];
  });
}

/** Rules with plain selectors and known properties; the rest (imports, fonts, media) goes. */
function styleSheet(css: string, { colours, lost }: Keeping): string {
  const rules: string[] = [];
  for (const rule of css.replaceAll(/\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\//gu, "").split("}")) {
    const [selector = "", body] = rule.split("{");
    if (body === undefined) continue;
    if (!/^[\w\s.,#>*-]{1,200}$/u.test(selector) || rule.split("{").length > 2) {
      lost.add("some styles");
      continue;
    }
    const kept = declarations(withColours(body, colours));
    // A layer for each element that it fits can't be counted from here.
    const plain = kept.filter(
      ([property]) => property !== "opacity" && property !== "clip-path" && property !== "stroke-dasharray",
    );
    if (plain.length < kept.length) lost.add("some styles");
    if (plain.length > 0)
      rules.push(`${selector.trim()}{${plain.map(([property, value]) => `${property}:${value}`).join(";")}}`);
  }
  if (rules.length > MAX_RULES) throw new NotDrawn("The SVG has too many styles to be drawn.");
  return rules.join("");
}

/** resvg doesn't turn a marker round at a line's start, so such a marker gets a turned copy for there. */
function withReversed(root: Kept): Kept {
  const ids = new Set<string>();
  const turned = (element: Kept): readonly Kept[] => {
    const attributes = new Map(element.attributes);
    const children = element.children.flatMap<Kept | string>((child) =>
      typeof child === "string" ? [child] : turned(child),
    );
    const plain = { ...element, attributes, children };
    const id = attributes.get("id");
    if (element.name !== "marker" || id === undefined || attributes.get("orient") !== "auto-start-reverse")
      return [plain];
    attributes.set("orient", "auto");
    ids.add(id);
    const about = `rotate(180 ${attributes.get("refX") ?? 0} ${attributes.get("refY") ?? 0})`;
    const group: Kept = { name: "g", attributes: new Map([["transform", about]]), children };
    const copy = new Map(attributes).set("id", id + REVERSED).set("overflow", "visible");
    return [plain, { name: "marker", attributes: copy, children: [group] }];
  };
  const pointed = (element: Kept): Kept => {
    const start = REFERENCE.exec(element.attributes.get("marker-start") ?? "")?.[1] ?? "";
    return {
      ...element,
      attributes: ids.has(start)
        ? new Map(element.attributes).set("marker-start", `url(#${start}${REVERSED})`)
        : element.attributes,
      children: element.children.map((child) => (typeof child === "string" ? child : pointed(child))),
    };
  };
  const [first = root] = turned(root);
  return ids.size === 0 ? first : pointed(first);
}

// ---- size

/** In user units. Without one of its own it is as wide as a picture is. */
function sizeOf({ attributes }: Kept): { readonly width: number; readonly height: number } {
  const box = (attributes.get("viewBox") ?? "").split(/[\s,]+/u).map(Number);
  const [, , boxWidth = Number.NaN, boxHeight = Number.NaN] = box.length === 4 ? box : [];
  const width = lengthOf(attributes.get("width")) ?? boxWidth;
  const height = lengthOf(attributes.get("height")) ?? boxHeight;
  const isSized = width > 0 && height > 0 && Number.isFinite(width) && Number.isFinite(height);
  const found = isSized ? { width, height } : { width: boxWidth, height: boxHeight };
  if (!(found.width > 0 && found.height > 0))
    throw new NotDrawn("The SVG doesn't say how large it is: it needs a viewBox, or a width and a height.");
  const aspect = found.width / found.height;
  if (
    !Number.isFinite(aspect) ||
    aspect > MAX_ASPECT ||
    aspect < 1 / MAX_ASPECT ||
    found.width > 1e6 ||
    found.height > 1e6
  )
    throw new NotDrawn("The SVG's size is out of all proportion, so it isn't drawn.");
  return found;
}

function lengthOf(text: string | undefined): number | undefined {
  const found = /^(\d{1,9}(?:\.\d{1,20})?)(?:px)?$/u.exec(text ?? "")?.[1];
  return found === undefined ? undefined : Number(found);
}

// ---- writing

function written(element: Kept, byId: ReadonlyMap<string, Kept>): string {
  const attributes = [...element.attributes].flatMap(([name, value]) => {
    const id = REFERENCE.exec(value)?.[1];
    // resvg leaves out what refers to something that isn't there: without the reference it is drawn.
    if (id !== undefined && !byId.has(id)) return name === "fill" || name === "stroke" ? [` ${name}="none"`] : [];
    return [` ${name}="${escapeXml(value)}"`];
  });
  const children = element.children.map((child) =>
    typeof child === "string" ? escapeXml(child) : written(child, byId),
  );
  return `<${element.name}${attributes.join("")}>${children.join("")}</${element.name}>`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

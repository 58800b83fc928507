// The little XML that an SVG needs. No document types, so no entities of its own: those are how a few lines become gigabytes.
import { dropControls } from "../core/text.ts";
import { NotDrawn } from "./port.ts";

/** An element with its children; text between them is decoded. */
export type Element = {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: (Element | string)[];
};

/** Most UTF-16 units of a text that is read. */
const MAX_UNITS = 500_000;
/** What draws it goes in as deep as it is nested, on a stack of the system's. */
const MAX_DEPTH = 60;
const MAX_ELEMENTS = 10_000;

const NAME = String.raw`[A-Za-z_][\w.-]{0,60}(?::[\w.-]{1,60})?`;
const OPENING = new RegExp(String.raw`<(${NAME})((?:\s+${NAME}\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>`, "yu");
const CLOSING = new RegExp(String.raw`<\/(${NAME})\s*>`, "yu");
const ATTRIBUTE = new RegExp(String.raw`(${NAME})\s*=\s*(?:"([^"]*)"|'([^']*)')`, "gu");
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00A0" };

/** The root element of an XML text. Throws NotDrawn in words when it isn't well formed or larger than a picture needs. */
export function readXml(given: string): Element {
  if (given.length > MAX_UNITS) throw new NotDrawn("The SVG is too large to be drawn.");
  const text = given.replace(/^\uFEFF/u, "").trim();
  const top: Element = { name: "", attributes: new Map(), children: [] };
  const open: Element[] = [top];
  let elements = 0;
  for (let at = 0; at < text.length;) {
    const parent = open.at(-1) ?? top;
    if (text[at] !== "<") {
      const next = text.indexOf("<", at);
      const end = next < 0 ? text.length : next;
      parent.children.push(decoded(text.slice(at, end)));
      at = end;
    } else if (text.startsWith("<!--", at)) at = after(text, "-->", at);
    else if (text.startsWith("<![CDATA[", at)) {
      const end = after(text, "]]>", at);
      parent.children.push(dropControls(text.slice(at + 9, end - 3)));
      at = end;
    } else if (text.startsWith("<?", at)) at = after(text, "?>", at);
    else if (text.startsWith("<!", at))
      // The one that every program once wrote at the top says nothing; one with rules of its own is not read.
      at = endOfDoctype(text, at);
    else if (text.startsWith("</", at)) {
      CLOSING.lastIndex = at;
      const name = CLOSING.exec(text)?.[1];
      if (name === undefined || open.length < 2 || name !== parent.name) throw broken();
      open.pop();
      at = CLOSING.lastIndex;
    } else {
      OPENING.lastIndex = at;
      const [, name, inside = "", isEmpty] = OPENING.exec(text) ?? [];
      if (name === undefined) throw broken();
      at = OPENING.lastIndex;
      const element: Element = { name, attributes: attributesOf(inside), children: [] };
      elements += 1;
      if (elements > MAX_ELEMENTS || open.length > MAX_DEPTH)
        throw new NotDrawn("The SVG has too many parts to be drawn.");
      parent.children.push(element);
      if (isEmpty !== "/") open.push(element);
    }
  }
  const roots = top.children.filter((child) => typeof child !== "string");
  const [root] = roots;
  const isLoose = top.children.some((child) => typeof child === "string" && child.trim() !== "");
  if (root === undefined || roots.length > 1 || isLoose || open.length > 1) throw broken();
  return root;
}

function attributesOf(inside: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", double, single] of inside.matchAll(ATTRIBUTE))
    attributes.set(name, decoded(double ?? single ?? ""));
  return attributes;
}

function decoded(text: string): string {
  const plain = text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,10}));/giu,
    (_, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED[name] ?? "";
      const code = decimal === undefined ? Number.parseInt(hex ?? "0", 16) : Number(decimal);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : "";
    },
  );
  return dropControls(plain);
}

function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  if (found < 0) throw broken();
  return found + mark.length;
}

function endOfDoctype(text: string, from: number): number {
  const end = after(text, ">", from);
  if (!/^<!DOCTYPE\s+svg\b[^[<]*>$/iu.test(text.slice(from, end)))
    throw new NotDrawn("The SVG has a document type with rules of its own, so it isn't drawn.");
  return end;
}

function broken(): NotDrawn {
  return new NotDrawn("The SVG isn't well-formed XML, so it can't be drawn.");
}

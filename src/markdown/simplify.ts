// Takes out of a tree what a plain chat message has no form for, before it is split and measured: afterwards every node
// that is left holds the text it will show. Nothing here loads anything: an image becomes a link to it.

import type { BlockContent, DefinitionContent, Nodes, PhrasingContent, Root, Table } from "mdast";
import { clipUnits } from "../core/text.ts";

/** What a channel can show, so that the rest is put in words. */
export interface Simplify {
  /** The address to link to, or undefined when a link must not be made: then its text stays, the address beside it. */
  linkTo(url: string): string | undefined;
  /** Whether the channel draws this table as one; otherwise each of its rows becomes lines of "Header: value". */
  keepTable(table: Table): boolean;
}

interface Notes {
  rules: Simplify;
  /** Addresses by identifier, of `[text][id]` links. */
  addresses: Map<string, string>;
  /** Footnotes by identifier, numbered by their first mention. */
  numbers: Map<string, number>;
  footnotes: Map<string, (BlockContent | DefinitionContent)[]>;
}

/** Longest address put in words beside a text; a `data:` image can be a megabyte. */
const MAX_ADDRESS_UNITS = 200;

/**
 * A new tree without images, raw HTML, references, definitions, footnotes and, where `rules` say so, tables and links.
 * HTML shows as the text it is. A footnote's mention is "[1]", its text stands at the end. `root` is not changed.
 */
export function simplify(root: Root, rules: Simplify): Root {
  const notes: Notes = { rules, addresses: new Map(), numbers: new Map(), footnotes: new Map() };
  collect(root, notes);
  const children = blocks(root.children as BlockContent[], notes);
  // A footnote may mention the next one, so the list can grow while it is written.
  const written = new Set<string>();
  for (const identifier of notes.footnotes.keys()) numberOf(identifier, notes);
  for (const [identifier, number] of notes.numbers) {
    const body = notes.footnotes.get(identifier);
    if (body === undefined || written.has(identifier)) continue;
    written.add(identifier);
    children.push(...labelled(`[${number}] `, blocks(body, notes)));
  }
  return { type: "root", children };
}

function collect(node: Nodes, notes: Notes): void {
  // The first definition of a name counts, as in CommonMark.
  if (node.type === "definition" && !notes.addresses.has(node.identifier))
    notes.addresses.set(node.identifier, node.url);
  else if (node.type === "footnoteDefinition" && !notes.footnotes.has(node.identifier)) {
    notes.footnotes.set(node.identifier, node.children);
  } else if (node.type === "footnoteReference") numberOf(node.identifier, notes);
  if ("children" in node) for (const child of node.children) collect(child, notes);
}

function numberOf(identifier: string, notes: Notes): number {
  const number = notes.numbers.get(identifier) ?? notes.numbers.size + 1;
  notes.numbers.set(identifier, number);
  return number;
}

function labelled(label: string, body: BlockContent[]): BlockContent[] {
  const [first, ...rest] = body;
  const text: PhrasingContent = { type: "text", value: label };
  if (first?.type !== "paragraph") return [{ type: "paragraph", children: [text] }, ...body];
  return [{ ...first, children: [text, ...first.children] }, ...rest];
}

function blocks(nodes: readonly (BlockContent | DefinitionContent)[], notes: Notes): BlockContent[] {
  return nodes.flatMap((node): BlockContent[] => {
    switch (node.type) {
      case "definition":
      case "footnoteDefinition":
        return [];
      case "html":
        return [{ type: "paragraph", children: [{ type: "text", value: node.value }] }];
      case "paragraph":
      case "heading":
        return [{ ...node, children: phrases(node.children, notes, false) }];
      case "blockquote":
        return [{ ...node, children: blocks(node.children, notes) }];
      case "list": {
        const children = node.children.map((item) => ({ ...item, children: blocks(item.children, notes) }));
        return [{ ...node, children }];
      }
      case "table": {
        const table = simpleTable(node, notes);
        return notes.rules.keepTable(table) ? [table] : rowsInWords(table);
      }
      default:
        return [node];
    }
  });
}

function simpleTable(table: Table, notes: Notes): Table {
  const children = table.children.map((row) => ({
    ...row,
    children: row.children.map((cell) => ({ ...cell, children: phrases(cell.children, notes, false) })),
  }));
  return { ...table, children };
}

/** One paragraph per row, a line per filled cell with its header before it. A table of a header alone is one line. */
function rowsInWords(table: Table): BlockContent[] {
  const [header, ...rows] = table.children;
  const titles = header?.children.map((cell) => cell.children) ?? [];
  if (rows.length === 0) {
    const line = titles.flatMap((title, index): PhrasingContent[] => [
      ...(index > 0 ? [{ type: "text" as const, value: " · " }] : []),
      { type: "strong", children: title },
    ]);
    return [{ type: "paragraph", children: line }];
  }
  return rows.map((row) => {
    const lines = row.children.flatMap((cell, index): PhrasingContent[] => {
      if (cell.children.length === 0) return [];
      const title = titles[index] ?? [];
      if (title.length === 0) return [...cell.children, { type: "break" }];
      const name: PhrasingContent = { type: "strong", children: [...title, { type: "text", value: ":" }] };
      return [name, { type: "text", value: " " }, ...cell.children, { type: "break" }];
    });
    return { type: "paragraph", children: lines.slice(0, -1) };
  });
}

function phrases(nodes: readonly PhrasingContent[], notes: Notes, inLink: boolean): PhrasingContent[] {
  return nodes.flatMap((node): PhrasingContent[] => {
    switch (node.type) {
      case "html":
        return [{ type: "text", value: node.value }];
      case "image":
        return linked([{ type: "text", value: node.alt || "image" }], node.url, notes, inLink);
      case "imageReference":
        return linked(
          [{ type: "text", value: node.alt || "image" }],
          notes.addresses.get(node.identifier),
          notes,
          inLink,
        );
      case "link":
        return linked(phrases(node.children, notes, true), node.url, notes, inLink);
      case "linkReference":
        return linked(phrases(node.children, notes, true), notes.addresses.get(node.identifier), notes, inLink);
      case "footnoteReference":
        return [{ type: "text", value: `[${numberOf(node.identifier, notes)}]` }];
      case "strong":
      case "emphasis":
      case "delete":
        return [{ ...node, children: phrases(node.children, notes, inLink) }];
      default:
        return [node];
    }
  });
}

/** Links don't nest on any platform: inside one, only the text of another is left. */
function linked(text: PhrasingContent[], url: string | undefined, notes: Notes, inLink: boolean): PhrasingContent[] {
  if (url === undefined || inLink) return text;
  const href = notes.rules.linkTo(url);
  if (href !== undefined) {
    // `[](address)` has nothing to press on; the address is the text then.
    const children =
      text.length > 0 ? text : [{ type: "text" as const, value: clipUnits(url, MAX_ADDRESS_UNITS, "…") }];
    return [{ type: "link", url: href, children }];
  }
  const shown = clipUnits(url, MAX_ADDRESS_UNITS, "…");
  if (text.length === 0) return [{ type: "text", value: shown }];
  const said = text.length === 1 && text[0]?.type === "text" ? text[0].value : undefined;
  return said === url || url === "" ? text : [...text, { type: "text", value: ` (${shown})` }];
}

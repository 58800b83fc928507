// Reads one TypeScript file into the facts that the architecture's rules ask about. Pure: text in, facts out.
// The parser is the one that vitest carries: TypeScript 7 has no parser to call, and guessing with patterns would miss things silently.
import { parseAst } from "vitest/node";

/** One module that a file names, whatever the form: import, export-from, import(), import type, `import("x").T`. */
export type Import = { readonly from: string; readonly names: readonly string[] };

/** One interface of a file, with the doc comment above it. */
export type Interface = {
  readonly name: string;
  readonly doc: string;
  readonly members: number;
  readonly optional: number;
};

export type Source = {
  readonly imports: readonly Import[];
  /** `import(x)` or `require(x)` where what is loaded can't be read from the text. */
  readonly openImports: number;
  readonly valueExports: readonly string[];
  readonly typeExports: readonly string[];
  readonly defaultExport: boolean;
  /** Nothing of its own: every statement passes on what another file holds, or an `export *` hides how much it passes on. */
  readonly barrel: boolean;
  readonly interfaces: readonly Interface[];
  /** Names of globals and of members reached through a plain name, as written: `Date.now`, `setTimeout`, `new Date()`. */
  readonly uses: ReadonlySet<string>;
  /** Syntax that Node can't strip away, by name. */
  readonly unstrippable: readonly string[];
  /** Lines that hold anything but white space and comments. */
  readonly codeLines: number;
};

type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<Record<string, unknown>>;

/** Throws what the parser says when the text is not TypeScript. */
export function readSource(text: string): Source {
  // oxlint-disable-next-line typescript/no-deprecated -- vite prefers its parseSync, which vitest doesn't pass on
  const program = asNode(parseAst(text, { lang: "ts", sourceType: "module" }));
  if (program === undefined) throw new Error("the parser returned no program");
  const nodes = [...walk(program)];
  const comments = findComments(text, nodes);
  const body = list(program, "body");
  return {
    ...readImports(nodes),
    ...readExports(body),
    interfaces: readInterfaces(body, text, comments),
    uses: readUses(nodes),
    unstrippable: nodes.flatMap((node) => unstrippable(node) ?? []),
    codeLines: countCodeLines(text, comments),
  };
}

function readImports(nodes: readonly Node[]): Pick<Source, "imports" | "openImports"> {
  const imports: Import[] = [];
  let openImports = 0;
  const add = (source: Node | undefined, names: readonly string[]): void => {
    const from = literal(source);
    if (from === undefined) openImports += 1;
    else imports.push({ from, names });
  };
  for (const node of nodes) {
    switch (node.type) {
      case "ImportDeclaration":
      case "ExportNamedDeclaration":
      case "ExportAllDeclaration": {
        const source = child(node, "source");
        if (source !== undefined) add(source, list(node, "specifiers").map(importedName));
        break;
      }
      case "ImportExpression":
      case "TSImportType":
        add(child(node, "source"), ["*"]);
        break;
      case "TSExternalModuleReference":
        add(child(node, "expression"), ["*"]);
        break;
      case "CallExpression":
        if (name(child(node, "callee")) === "require") add(list(node, "arguments")[0], ["*"]);
        break;
      default:
    }
  }
  return { imports, openImports };
}

/** What a specifier takes from the other module; `*` for the whole of it, `default` for its default. */
function importedName(specifier: Node): string {
  if (specifier.type === "ImportDefaultSpecifier") return "default";
  const outer = child(specifier, specifier.type === "ExportSpecifier" ? "local" : "imported");
  return name(outer) ?? literal(outer) ?? "*";
}

type Exports = Pick<Source, "valueExports" | "typeExports" | "defaultExport" | "barrel">;

function readExports(body: readonly Node[]): Exports {
  const imported = new Set(
    body
      .filter((node) => node.type === "ImportDeclaration")
      .flatMap((node) => list(node, "specifiers"))
      .flatMap((specifier) => name(child(specifier, "local")) ?? []),
  );
  const valueExports: string[] = [];
  const typeExports: string[] = [];
  let defaultExport = false;
  let passedOn = 0;
  let own = 0;
  let star = false;
  for (const node of body) {
    if (node.type === "ImportDeclaration") continue;
    if (node.type === "ExportDefaultDeclaration" || node.type === "TSExportAssignment") defaultExport = true;
    if (node.type === "ExportAllDeclaration") {
      star = true;
      continue;
    }
    if (node.type !== "ExportNamedDeclaration") {
      own += 1;
      continue;
    }
    const declaration = child(node, "declaration");
    if (declaration !== undefined) {
      own += 1;
      const isType = node["exportKind"] === "type" || TYPE_DECLARATIONS.has(declaration.type);
      (isType ? typeExports : valueExports).push(...declaredNames(declaration));
      continue;
    }
    for (const specifier of list(node, "specifiers")) {
      const exported = child(specifier, "exported");
      const as = name(exported) ?? literal(exported) ?? "";
      if (as === "default") defaultExport = true;
      const isType = node["exportKind"] === "type" || specifier["exportKind"] === "type";
      (isType ? typeExports : valueExports).push(as);
      const local = name(child(specifier, "local"));
      if (child(node, "source") !== undefined || (local !== undefined && imported.has(local))) passedOn += 1;
    }
  }
  return { valueExports, typeExports, defaultExport, barrel: star || (passedOn > 0 && own === 0) };
}

const TYPE_DECLARATIONS = new Set(["TSInterfaceDeclaration", "TSTypeAliasDeclaration"]);

function declaredNames(declaration: Node): string[] {
  if (declaration.type !== "VariableDeclaration") return [name(child(declaration, "id")) ?? ""];
  return list(declaration, "declarations").flatMap((one) => boundNames(child(one, "id")));
}

/** The names that a pattern binds: `{ a, b: [c], ...d } = …` binds a, c and d. */
function boundNames(pattern: Node | undefined): string[] {
  switch (pattern?.type) {
    case "Identifier":
      return [name(pattern) ?? ""];
    case "ObjectPattern":
      return list(pattern, "properties").flatMap((one) => boundNames(child(one, "value") ?? child(one, "argument")));
    case "ArrayPattern":
      return list(pattern, "elements").flatMap(boundNames);
    case "AssignmentPattern":
      return boundNames(child(pattern, "left"));
    case "RestElement":
      return boundNames(child(pattern, "argument"));
    default:
      return [];
  }
}

function readInterfaces(body: readonly Node[], text: string, comments: readonly Span[]): Interface[] {
  return body.flatMap((statement) => {
    const node = statement.type === "ExportNamedDeclaration" ? child(statement, "declaration") : statement;
    if (node?.type !== "TSInterfaceDeclaration") return [];
    const members = list(child(node, "body"), "body");
    const above = comments.findLast(({ end }) => end <= statement.start);
    const touches = above !== undefined && text.slice(above.end, statement.start).trim() === "";
    return [
      {
        name: name(child(node, "id")) ?? "",
        doc: touches ? text.slice(above.start, above.end) : "",
        members: members.length,
        optional: members.filter((member) => member["optional"] === true).length,
      },
    ];
  });
}

function readUses(nodes: readonly Node[]): Set<string> {
  const uses = new Set<string>();
  // Identifiers that name something else than a value in scope: a member, a property's key, what an import calls it there.
  const labels = new Set<unknown>();
  for (const node of nodes) {
    if (node.type === "MemberExpression" && node["computed"] !== true) labels.add(node["property"]);
    if (KEYED.has(node.type) && node["computed"] !== true && node["shorthand"] !== true) labels.add(node["key"]);
    if (node.type === "ImportSpecifier") labels.add(node["imported"]).add(node["local"]);
    if (node.type === "TSQualifiedName") labels.add(node["right"]);
  }
  for (const node of nodes) {
    if (node.type === "MemberExpression") {
      const path = memberPath(node);
      if (path === undefined) continue;
      // `globalThis.process` inside `globalThis.process.env` is a step on the way, like the `process` of `process.env`.
      if (path.includes(".") || !labels.has(node)) uses.add(path);
      labels.add(child(node, "object"));
    } else if (node.type === "VariableDeclarator" && child(node, "id")?.type === "ObjectPattern") {
      // `const { now } = Date` reaches for the same as `Date.now`.
      const object = name(child(node, "init"));
      if (object === undefined) continue;
      for (const property of list(child(node, "id"), "properties")) uses.add(`${object}.${key(property) ?? "*"}`);
    } else if (node.type === "NewExpression" || node.type === "CallExpression") {
      const callee = name(child(node, "callee"));
      if (callee !== undefined && list(node, "arguments").length === 0)
        uses.add(node.type === "NewExpression" ? `new ${callee}()` : `${callee}()`);
    }
  }
  for (const node of nodes) if (node.type === "Identifier" && !labels.has(node)) uses.add(name(node) ?? "");
  return uses;
}

const KEYED = new Set([
  "Property",
  "PropertyDefinition",
  "MethodDefinition",
  "TSPropertySignature",
  "TSMethodSignature",
]);

/** `a.b` for a member of a plain name; globalThis is looked through, since `globalThis.Date.now` is `Date.now`. */
function memberPath(node: Node): string | undefined {
  const property = node["computed"] === true ? literal(child(node, "property")) : name(child(node, "property"));
  const object = child(node, "object");
  if (property === undefined || object === undefined) return undefined;
  if (name(object) === "globalThis") return property;
  if (name(object) !== undefined) return `${name(object)}.${property}`;
  const inner = object.type === "MemberExpression" ? memberPath(object) : undefined;
  return inner === undefined ? undefined : `${inner}.${property}`;
}

function unstrippable(node: Node): string | undefined {
  switch (node.type) {
    case "TSEnumDeclaration":
      return "enum";
    case "TSModuleDeclaration":
      return node["kind"] === "namespace" ? "namespace" : undefined;
    case "TSParameterProperty":
      return "parameter property";
    case "TSImportEqualsDeclaration":
      return "import =";
    case "TSExportAssignment":
      return "export =";
    default:
      return undefined;
  }
}

type Span = { readonly start: number; readonly end: number };

/** The parser drops comments; whatever opens like one outside its strings, templates and patterns is one. */
function findComments(text: string, nodes: readonly Node[]): Span[] {
  const opaque = nodes
    .filter((node) => node.type === "Literal" || node.type === "TemplateElement")
    .toSorted((a, b) => a.start - b.start);
  const comments: Span[] = [];
  let next = 0;
  for (let at = 0; at < text.length;) {
    while (next < opaque.length && (opaque[next]?.end ?? 0) <= at) next += 1;
    const skip = opaque[next];
    const opens = text.slice(at, at + 2);
    if (skip !== undefined && skip.start <= at && skip.end > at) at = skip.end;
    else if (opens === "//" || opens === "/*" || (at === 0 && opens === "#!")) {
      const close = opens === "/*" ? text.indexOf("*/", at + 2) : text.indexOf("\n", at);
      const end = close === -1 ? text.length : close + (opens === "/*" ? 2 : 0);
      comments.push({ start: at, end });
      at = end;
    } else at += 1;
  }
  return comments;
}

function countCodeLines(text: string, comments: readonly Span[]): number {
  let code = "";
  let from = 0;
  for (const { start, end } of comments) {
    code += text.slice(from, start) + text.slice(start, end).replaceAll(/[^\n]/gu, " ");
    from = end;
  }
  return (code + text.slice(from)).split("\n").filter((line) => line.trim() !== "").length;
}

function* walk(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      const inner = asNode(one);
      if (inner !== undefined) yield* walk(inner);
    }
  }
}

function asNode(value: unknown): Node | undefined {
  return typeof value === "object" && value !== null && "type" in value && "start" in value
    ? (value as Node)
    : undefined;
}

function child(node: Node | undefined, at: string): Node | undefined {
  return node === undefined ? undefined : asNode(node[at]);
}

function list(node: Node | undefined, at: string): Node[] {
  const value = node?.[at];
  return Array.isArray(value) ? value.flatMap((one) => asNode(one) ?? []) : [];
}

function name(node: Node | undefined): string | undefined {
  return node?.type === "Identifier" && typeof node["name"] === "string" ? node["name"] : undefined;
}

function literal(node: Node | undefined): string | undefined {
  if (node?.type === "TemplateLiteral" && list(node, "expressions").length === 0) {
    const value = list(node, "quasis")[0]?.["value"];
    return typeof value === "object" && value !== null && "cooked" in value ? String(value.cooked) : undefined;
  }
  return node?.type === "Literal" && typeof node["value"] === "string" ? node["value"] : undefined;
}

function key(property: Node): string | undefined {
  return name(child(property, "key")) ?? literal(child(property, "key"));
}

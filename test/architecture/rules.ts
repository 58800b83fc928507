// The rules of the architecture, each a function from the tree to its breaks. The data they go by is in table.ts.
import { posix } from "node:path";
import { type Source, readSource } from "./source.ts";
import {
  BANS,
  BUDGETS,
  CHANNEL_FILES,
  EMPTY_WORDS,
  type Exemption,
  FAMILIES,
  FOLDERS,
  MAIN,
  MEANT_NAMES,
  OUTSIDE,
  OWNERS,
  PORTS,
  PURE,
  RANDOM_NAMES,
} from "./table.ts";

/** Paths from the project's folder, with `/`, to what the files say. */
export type Tree = ReadonlyMap<string, string>;

/** One broken rule in one file: what is wrong and what to do about it. */
export type Break = { readonly rule: string; readonly file: string; readonly says: string };

/** A file of the tree, read, with where its imports lead: a file of the tree, or the name of a package. */
type File = {
  readonly path: string;
  readonly folder: string;
  readonly source: Source;
  readonly links: readonly Link[];
};
type Link = { readonly from: string; readonly names: readonly string[]; readonly file: string | undefined };
type Files = ReadonlyMap<string, File>;
type Rule = (file: File, files: Files) => readonly string[];

/** Every rule by its name, as exemptions and failures call it. Each file is asked alone, with the others at hand. */
const RULES: Readonly<Record<string, Rule>> = {
  place: (file) => [
    ...(file.folder in FOLDERS
      ? []
      : [
          `"src/${file.folder}" is not a folder of the table; move the file, or add a row to FOLDERS and docs/architecture.md`,
        ]),
    ...(file.path.endsWith(".ts") ? [] : ["only .ts files live in src; data goes to config or test/fixtures"]),
  ],

  imports: (file) =>
    linked(file).flatMap((to) => {
      const may = FOLDERS[file.folder] ?? [];
      if (to.folder === file.folder) return [];
      if (to.folder === "gateway")
        return [`imports ${to.path}; nobody imports gateway: take what you need as a value in your input`];
      if (may === "all" || may.includes(to.folder)) return [];
      const row = may.length === 0 ? "nothing" : `only ${may.join(", ")}`;
      return [
        `imports ${to.path}, but ${file.folder} may import ${row}; take it as a value in your input, or move the code`,
      ];
    }),

  resolved: (file, files) => [
    ...Array.from(
      { length: file.source.openImports },
      () => "loads a module by a computed name; name it as a plain string",
    ),
    ...file.links.flatMap(({ from, file: to }) => {
      if (to === undefined || files.has(to)) return [];
      if (to.startsWith("src/")) return [`imports ${from}, which is not there; imports end in .ts`];
      return (OUTSIDE[file.folder] ?? []).includes(to)
        ? []
        : [`imports ${to} from outside src; src stands alone, test and config are not its parts`];
    }),
  ],

  circles: (file, files) => {
    const circle = shortestCircle(file.path, files);
    // Told once, at the circle's first file by name.
    if (circle === undefined || circle.toSorted()[0] !== file.path) return [];
    const way = [...circle, file.path].join(" → ");
    return [`is in a circle: ${way}; move what both need down into a file that imports neither (types count too)`];
  },

  packages: (file) =>
    file.links.flatMap(({ from, file: to }) => {
      if (to !== undefined) return [];
      const row = OWNERS.find(({ what }) => what.some((pattern) => fits(from, pattern)));
      if (row === undefined) {
        if (from.startsWith("node:")) return [];
        return [
          `imports ${from}, which no row of OWNERS names; say there which folder may use it (built-in modules need "node:")`,
        ];
      }
      if (row.only.some((place) => file.path.startsWith(place))) return [];
      return [`imports ${from}, which belongs to ${row.only.join(", ")}; use what that part offers`];
    }),

  pure: (file) => {
    const allowed = PURE[file.folder];
    if (allowed === undefined) return [];
    return file.links.flatMap(({ from, file: to }) => {
      const isBuiltIn = from.startsWith("node:");
      if (to !== undefined || (isBuiltIn ? allowed.includes(from) : file.folder !== "core")) return [];
      return [`imports ${from}, but ${file.folder} is pure; let the caller do it and hand in the result`];
    });
  },

  families: (file) =>
    linked(file).flatMap((to) => {
      const member = memberOf(to.path);
      const registry = FAMILIES[to.folder]?.registry;
      if (member === undefined || registry === undefined) return [];
      if (memberOf(file.path) === member || file.path === registry) return [];
      return [
        `imports ${to.path}; only ${registry} and ${member}'s own files may: go through the registry, or share a file in src/${to.folder}`,
      ];
    }),

  "channel-files": (file) => {
    const [, folder, platform, ...rest] = file.path.split("/");
    if (folder !== "channels" || platform === undefined || rest.length === 0) return [];
    const known = [...CHANNEL_FILES.every, ...(CHANNEL_FILES.extra[platform] ?? [])];
    if (known.includes(rest.join("/"))) return [];
    return [
      `is none of ${known.join(", ")}; platforms look alike: put it into one of these, or list it in CHANNEL_FILES.extra`,
    ];
  },

  clock: (file) => [...banned(file, "clock"), ...randomFromCrypto(file)],
  process: (file) => banned(file, "process"),

  length: (file) => {
    const most = file.path === MAIN ? BUDGETS.codeLines.main : BUDGETS.codeLines.most;
    const { codeLines } = file.source;
    return codeLines <= most
      ? []
      : [`has ${codeLines} lines of code, at most ${most}; redraw the seam, don't just cut it in two`];
  },

  faces: (file, files) => {
    const { valueExports } = file.source;
    if (file.folder === "core" || valueExports.length <= BUDGETS.faceExports.most) return [];
    const guest = [...files.values()].find(
      (other) => other.folder !== file.folder && linked(other).some((to) => to.path === file.path),
    );
    if (guest === undefined) return [];
    return [
      `exports ${valueExports.length} values to other folders (${guest.path}), at most ${BUDGETS.faceExports.most}; offer one thing that does it`,
    ];
  },

  ports: (file) =>
    file.source.interfaces.flatMap(({ name, doc, members, optional }) => {
      const isPort = /@port\b/u.test(doc);
      if (!isPort && file.folder === "core" && PORTS.includes(name))
        return [`${name} is a port: say @port in its doc comment`];
      if (!isPort) return [];
      const { most, mostOptional } = BUDGETS.portMembers;
      return [
        ...(members > most
          ? [`port ${name} has ${members} members, at most ${most}; split the role or use a record of limits`]
          : []),
        ...(optional > mostOptional
          ? [
              `port ${name} has ${optional} optional members, at most ${mostOptional}; a difference is a value in a record, not a missing method`,
            ]
          : []),
      ];
    }),

  "fan-out": (file) => {
    const count = new Set(file.links.map(({ from, file: to }) => to ?? from)).size;
    if (file.path === MAIN || count <= BUDGETS.fanOut.most) return [];
    return [
      `imports ${count} modules, at most ${BUDGETS.fanOut.most}; it knows too much: join what belongs together below it`,
    ];
  },

  names: (file) => [
    ...file.path
      .split("/")
      .slice(1)
      .filter((part) => !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z]+)?$/u.test(part))
      .map((part) => `"${part}" is not kebab-case`),
    ...emptyWords(file.path.split("/").at(-1)?.split(".")[0] ?? "").map(
      (word) => `the file's name says "${word}"; name what it holds`,
    ),
    ...[...file.source.valueExports, ...file.source.typeExports].flatMap((name) =>
      emptyWords(name).map((word) => `exports ${name}: "${word}" says nothing; name what it is or does`),
    ),
    ...file.source.interfaces
      .filter(({ name }) => /^I[A-Z][a-z]/u.test(name))
      .map(({ name }) => `interface ${name}: drop the I`),
  ],

  "default-export": (file) => (file.source.defaultExport ? ["has a default export; give it its name"] : []),

  barrel: (file) =>
    file.source.barrel ? ["only passes on what other files hold, or does so with *; import from where it lives"] : [],

  strippable: (file) =>
    file.source.unstrippable.map(
      (what) => `uses ${what}, which Node can't strip; use a union of strings, a module, a field`,
    ),
};

export const RULE_NAMES: readonly string[] = [...Object.keys(RULES), "parse", "exemptions"];

/** Every break in the tree that no exemption covers, and every exemption that covers none. */
export function check(tree: Tree, exemptions: readonly Exemption[]): Break[] {
  const breaks: Break[] = [];
  const files = new Map<string, File>();
  for (const [path, text] of tree) {
    try {
      files.set(path, readFile(path, text));
    } catch (error) {
      const [, first] = String(error).split("\n");
      breaks.push({
        rule: "parse",
        file: path,
        says: `can't be read, so nothing in it was checked: ${first ?? String(error)}`,
      });
    }
  }
  for (const [rule, find] of Object.entries(RULES))
    for (const file of files.values())
      for (const says of find(file, files)) breaks.push({ rule, file: file.path, says });

  const covers = (one: Exemption, broken: Break): boolean => one.file === broken.file && one.rule === broken.rule;
  return [
    ...breaks.filter((broken) => !exemptions.some((one) => covers(one, broken))),
    ...exemptions.flatMap((one) => {
      const { file, rule } = one;
      if (one.reason.trim() === "")
        return [{ rule: "exemptions", file, says: `the exemption from "${rule}" gives no reason` }];
      if (breaks.some((broken) => covers(one, broken))) return [];
      return [
        { rule: "exemptions", file, says: `the exemption from "${rule}" no longer exempts anything; remove its line` },
      ];
    }),
  ];
}

function readFile(path: string, text: string): File {
  const source = readSource(path.endsWith(".ts") ? text : "");
  const links = source.imports.map(({ from, names }) => ({
    from,
    names,
    file: from.startsWith(".") ? posix.join(posix.dirname(path), from) : undefined,
  }));
  return { path, folder: folderOf(path), source, links };
}

/** The top folder of src; a file directly in src has its own name for one, which no table knows. */
function folderOf(path: string): string {
  return path.split("/")[1] ?? "";
}

function linked(file: File): { readonly path: string; readonly folder: string }[] {
  const paths = new Set(file.links.flatMap(({ file: to }) => (to?.startsWith("src/") === true ? [to] : [])));
  return [...paths].map((path) => ({ path, folder: folderOf(path) }));
}

/** "src/channels/slack" for a file of one platform or program. */
function memberOf(path: string): string | undefined {
  const [src, folder, member, ...rest] = path.split("/");
  return folder !== undefined && folder in FAMILIES && rest.length > 0 ? `${src}/${folder}/${member}` : undefined;
}

function fits(from: string, pattern: string): boolean {
  if (pattern.endsWith("*")) return from.startsWith(pattern.slice(0, -1));
  return from === pattern || from.startsWith(`${pattern}/`);
}

function banned(file: File, rule: "clock" | "process"): string[] {
  return BANS.filter((ban) => ban.rule === rule && !ban.only.some((place) => file.path.startsWith(place))).flatMap(
    ({ uses, instead }) =>
      uses
        .filter((name) => [...file.source.uses].some((use) => reaches(use, name)))
        .map((name) => `uses ${name.replace("*", "")}; ${instead}`),
  );
}

/** Whether `a.b` is what `a*` or `a.b` bans. */
function reaches(use: string, name: string): boolean {
  return name.endsWith("*") ? `${use}.`.startsWith(`${name.slice(0, -1)}.`) : use === name;
}

function randomFromCrypto(file: File): string[] {
  if (BANS.some((ban) => ban.rule === "clock" && ban.only.includes(file.path))) return [];
  const found = file.links.filter(({ from }) => from === "node:crypto").flatMap(({ names }) => names);
  return found
    .filter((name) => RANDOM_NAMES.includes(name))
    .map(
      (name) =>
        `takes ${name === "*" ? "all" : name} of node:crypto; name the digests you need, and draw keys from Random`,
    );
}

/** The shortest way from a file back to itself, or undefined. */
function shortestCircle(start: string, files: Files): string[] | undefined {
  const ways: string[][] = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    const last = files.get(way.at(-1) ?? "");
    for (const { path } of last === undefined ? [] : linked(last)) {
      if (path === start) return way;
      if (seen.has(path)) continue;
      seen.add(path);
      ways.push([...way, path]);
    }
  }
  return undefined;
}

function emptyWords(name: string): string[] {
  const meant = MEANT_NAMES.reduce((rest, phrase) => rest.replaceAll(phrase, ""), name);
  const words = meant.split(/[-_.]|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/u).map((word) => word.toLowerCase());
  return words.filter((word) => EMPTY_WORDS.includes(word));
}

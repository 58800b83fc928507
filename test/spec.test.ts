// Holds docs/spec.md and the tests together: a built id has a test, a tested id exists and is built.
// The checker is a pure function of texts, so that the faults it must see can be planted at the end.
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";

interface Id {
  readonly group: string;
  readonly number: number;
  readonly letter: string;
}

interface Title {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

interface SpecPage {
  readonly texts: ReadonlyMap<string, string>;
  readonly notBuilt: ReadonlyMap<string, string>;
  readonly faults: readonly string[];
}

/** The ids that other groups of people count on: none may be dropped, renamed or added in passing. */
const fixedGroups: ReadonlyMap<string, readonly string[]> = new Map([
  ["C", numbered("C", 58)],
  ["W", numbered("W", 20)],
  [
    "O",
    numbered("O", 72).flatMap((id) => {
      if (id === "O60") return ["O60a", "O60b", "O60c"];
      if (id === "O61") return ["O61a", "O61b", "O61c", "O61d"];
      return [id];
    }),
  ],
  ["N", [...numbered("N", 41), "N39b"]],
  ["P", numbered("P", 39)],
]);

const idPattern = /^([A-Z])(\d+)([a-z]?)$/;
const notBuiltHeading = "Not built yet";
const inPartHeading = "Left out in part";

function numbered(group: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${group}${index + 1}`);
}

function parseId(text: string): Id | undefined {
  const match = idPattern.exec(text);
  if (!match) return undefined;
  return { group: match[1] ?? "", number: Number(match[2]), letter: match[3] ?? "" };
}

/** Orders ids of one group: N39 < N39b < N40. */
function compareIds(a: Id, b: Id): number {
  return a.number - b.number || (a.letter < b.letter ? -1 : a.letter > b.letter ? 1 : 0);
}

// ---- the page ----

function readSpec(markdown: string): SpecPage {
  const texts = new Map<string, string>();
  const faults: string[] = [];
  const lists: { line: string; heading: string }[] = [];
  let heading = "";
  for (const line of markdown.split("\n")) {
    if (line.startsWith("## ")) {
      heading = line.slice(3).trim();
      continue;
    }
    if (heading === notBuiltHeading || heading === inPartHeading) {
      if (line.startsWith("- ")) lists.push({ line: line.slice(2), heading });
      continue;
    }
    if (!line.startsWith("- **")) continue;
    const match = /^- \*\*([^*]+)\*\* (.+)$/.exec(line);
    const id = match?.[1] ?? "";
    if (!match || !parseId(id)) {
      faults.push(`unreadable line: ${line}`);
      continue;
    }
    if (!heading.startsWith(`${id.charAt(0)} `)) faults.push(`${id} stands under "${heading}"`);
    if (texts.has(id)) faults.push(`${id} is stated twice`);
    texts.set(id, match[2] ?? "");
  }
  const notBuilt = new Map<string, string>();
  for (const { line, heading: list } of lists) {
    const colon = line.indexOf(":");
    const reason = colon < 0 ? "" : line.slice(colon + 1).trim();
    if (reason === "") {
      faults.push(`no reason given: ${line}`);
      continue;
    }
    for (const item of line.slice(0, colon).split(",")) {
      const ids = expandRange(item.trim(), texts);
      if (ids.length === 0) faults.push(`"${list}" names ${item.trim()}, which is not stated`);
      if (list !== notBuiltHeading) continue;
      for (const id of ids) {
        if (notBuilt.has(id)) faults.push(`${id} is listed as not built twice`);
        notBuilt.set(id, reason);
      }
    }
  }
  return { texts, notBuilt, faults: [...faults, ...groupFaults(texts)] };
}

/** One id, or all stated ids between two of a group, ends and lettered ones included; empty when an end is not stated. */
function expandRange(item: string, texts: ReadonlyMap<string, string>): string[] {
  const [first = "", last = first, ...more] = item.split("–");
  if (more.length > 0) return [];
  const from = parseId(first);
  const to = parseId(last);
  if (!from || !to || from.group !== to.group || compareIds(from, to) > 0) return [];
  if (!texts.has(first) || !texts.has(last)) return [];
  return [...texts.keys()].filter((text) => {
    const id = parseId(text);
    return id?.group === from.group && compareIds(from, id) <= 0 && compareIds(id, to) <= 0;
  });
}

function groupFaults(texts: ReadonlyMap<string, string>): string[] {
  const faults: string[] = [];
  const groups = Map.groupBy(texts.keys(), (id) => id.charAt(0));
  for (const [group, wanted] of fixedGroups) {
    const stated = new Set(groups.get(group));
    for (const id of wanted) if (!stated.delete(id)) faults.push(`${id} is missing`);
    for (const id of stated) faults.push(`${id} does not belong to group ${group}`);
  }
  for (const [group, ids] of groups) {
    if (fixedGroups.has(group)) continue;
    // Other groups grow, but only at their end: a gap means that an id was taken away.
    const numbers = new Set(ids.map((id) => parseId(id)?.number));
    for (const id of numbered(group, Math.max(...[...numbers].map(Number)))) {
      if (!numbers.has(parseId(id)?.number)) faults.push(`${id} is missing`);
    }
  }
  return faults;
}

// ---- the tests' titles ----

/** Where the text that starts at `start` (a quote, comment, template or bracket) ends; `start` itself when it is none of these. */
function skipUnit(source: string, start: number): number {
  const char = source.charAt(start);
  if (source.startsWith("//", start)) return endOr(source.indexOf("\n", start), source);
  if (source.startsWith("/*", start)) return endOr(source.indexOf("*/", start + 2), source, 2);
  if (char === '"' || char === "'") {
    let at = start + 1;
    while (at < source.length && source.charAt(at) !== char) at += source.charAt(at) === "\\" ? 2 : 1;
    return at + 1;
  }
  if (char === "`") {
    let at = start + 1;
    while (at < source.length && source.charAt(at) !== "`") {
      if (source.charAt(at) === "\\") at += 2;
      else if (source.startsWith("${", at)) at = skipBrackets(source, at + 1);
      else at += 1;
    }
    return at + 1;
  }
  if (char === "/" && startsRegex(source, start)) {
    let at = start + 1;
    let inClass = false;
    while (at < source.length && source.charAt(at) !== "\n") {
      const here = source.charAt(at);
      if (here === "/" && !inClass) return at + 1;
      if (here === "[") inClass = true;
      if (here === "]") inClass = false;
      at += here === "\\" ? 2 : 1;
    }
    return at;
  }
  return start;
}

function endOr(found: number, source: string, length = 0): number {
  return found < 0 ? source.length : found + length;
}

/** A slash divides after a value and starts a pattern after anything else. */
function startsRegex(source: string, at: number): boolean {
  const before = source.slice(Math.max(0, at - 40), at).trimEnd();
  if (/\b(?:return|typeof|case|in|of|await|yield|do|else|void)$/.test(before)) return true;
  return before === "" || !/[\w$)\]}"'`]$/.test(before);
}

/** From an opening bracket to behind its partner. */
function skipBrackets(source: string, open: number): number {
  let depth = 0;
  let at = open;
  while (at < source.length) {
    const next = skipUnit(source, at);
    if (next > at) {
      at = next;
      continue;
    }
    const char = source.charAt(at);
    if ("([{".includes(char)) depth += 1;
    if (")]}".includes(char)) depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  return at;
}

function skipBlank(source: string, start: number): number {
  let at = start;
  for (;;) {
    while (/\s/.test(source.charAt(at))) at += 1;
    if (!source.startsWith("//", at) && !source.startsWith("/*", at)) return at;
    at = skipUnit(source, at);
  }
}

/** The literal that starts at `start`, up to its first `${`; undefined when none starts there. */
function literalPrefix(source: string, start: number): string | undefined {
  const quote = source.charAt(start);
  if (!["'", '"', "`"].includes(quote)) return undefined;
  const body = source.slice(start + 1, skipUnit(source, start) - 1);
  return quote === "`" ? (body.split("${")[0] ?? "") : body;
}

/** Titles of every it, test and describe of one file that really runs (skip, todo and fails prove nothing). */
function readTitles(file: string, source: string): Title[] {
  const titles: Title[] = [];
  const caller = /(?:it|test|describe)(?![\w$])/y;
  let at = 0;
  while (at < source.length) {
    const next = skipUnit(source, at);
    caller.lastIndex = at;
    const found = caller.exec(source);
    if (next > at) at = next;
    else if (!found || /[\w$.#]/.test(source.charAt(at - 1))) at += 1;
    else at = readCall(file, source, at + found[0].length, titles);
  }
  return titles;
}

/** Reads `.each(rows)("title"` and the like from behind the caller's name; answers where to read on. */
function readCall(file: string, source: string, start: number, titles: Title[]): number {
  const modifiers: string[] = [];
  const property = /\.\s*([\w$]+)/y;
  let at = skipBlank(source, start);
  let takesRows = false;
  for (;;) {
    property.lastIndex = at;
    const found = property.exec(source);
    if (found) {
      const name = found[1] ?? "";
      modifiers.push(name);
      takesRows = ["each", "for", "skipIf", "runIf"].includes(name);
      at = skipBlank(source, at + found[0].length);
    } else if (takesRows && ["(", "`"].includes(source.charAt(at))) {
      at = skipBlank(source, source.charAt(at) === "(" ? skipBrackets(source, at) : skipUnit(source, at));
      takesRows = false;
    } else break;
  }
  if (source.charAt(at) !== "(") return Math.max(at, start);
  if (modifiers.some((name) => ["skip", "todo", "fails"].includes(name))) return skipBrackets(source, at);
  const text = literalPrefix(source, skipBlank(source, at + 1));
  if (text !== undefined) titles.push({ file, line: source.slice(0, start).split("\n").length, text });
  return at + 1;
}

/** The ids that a title starts with; "broken" when it starts like an id but is not closed by a colon. */
function titleIds(title: string): readonly string[] | "broken" {
  const match = /^([A-Z]\d+[a-z]?(?:[ ,]+[A-Z]\d+[a-z]?)*)\s*:/.exec(title);
  if (match) return (match[1] ?? "").split(/[ ,]+/);
  return /^[A-Z]\d+[a-z]?(?![\w])/.test(title) ? "broken" : [];
}

// ---- the check ----

/** Every disagreement between the page and the tests, as one sentence each. */
function check(markdown: string, sources: ReadonlyMap<string, string>): string[] {
  const page = readSpec(markdown);
  const faults = [...page.faults];
  const tested = new Set<string>();
  for (const [file, source] of sources) {
    for (const title of readTitles(file, source)) {
      const where = `${title.file}:${title.line}`;
      const ids = titleIds(title.text);
      if (ids === "broken") {
        faults.push(`${where} starts with an id but has no colon behind its ids: "${title.text}"`);
        continue;
      }
      for (const id of ids) {
        tested.add(id);
        if (!page.texts.has(id)) faults.push(`${where} names ${id}, which is not stated`);
        if (page.notBuilt.has(id)) faults.push(`${where} tests ${id}, which is listed as not built: move it`);
      }
    }
  }
  for (const id of page.texts.keys()) {
    if (!tested.has(id) && !page.notBuilt.has(id)) faults.push(`${id} has no test and is not listed as not built`);
  }
  return faults;
}

function testSources(root: string): Map<string, string> {
  const sources = new Map<string, string>();
  // Fixtures are data, and the real programs under test/real bring tests of their own along.
  const skipped = new Set(["node_modules", "fixtures"]);
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !skipped.has(entry.name)) walk(path);
      if (entry.isFile() && entry.name.endsWith(".ts")) sources.set(relative(root, path), readFileSync(path, "utf8"));
    }
  };
  walk(join(root, "test"));
  return sources;
}

const root = join(import.meta.dirname, "..");
const specText = readFileSync(join(root, "docs", "spec.md"), "utf8");

describe("docs/spec.md", () => {
  it("agrees with the tests, both ways", () => {
    expect(check(specText, testSources(root))).toEqual([]);
  });
});

describe("the check itself", () => {
  const built = "- **D1** Stored first.\n- **D2** Stored once.\n- **D3** Stored whole.\n";
  const fixed = [...fixedGroups]
    .map(([group, ids]) => `## ${group} — fixed\n\n${ids.map((id) => `- **${id}** Holds.`).join("\n")}\n`)
    .join("\n");
  const waiting = "- C1–C58, W1–W20, O1–O72, N1–N41, P1–P39: later\n";
  const page = (own = built, list = `${waiting}- D3: step 2\n`): string =>
    `# Page\n\n## D — durability\n\n${own}\n${fixed}\n## Not built yet\n\n${list}`;
  const good = 'it("D1, D2: stored once", () => {});';
  const faults = (markdown: string, source = good): string[] => check(markdown, new Map([["a.test.ts", source]]));

  it("finds nothing wrong with an agreeing pair", () => {
    expect(faults(page())).toEqual([]);
  });

  it.each([
    ["a built id without a test", page(), 'it("D1: stored", f);', "D2 has no test and is not listed as not built"],
    ["a test of an unknown id", page(), `${good}\nit("D9: x", f);`, "a.test.ts:2 names D9, which is not stated"],
    [
      "a test of an id that waits",
      page(),
      `${good} it("D3: x", f);`,
      "a.test.ts:1 tests D3, which is listed as not built: move it",
    ],
    [
      "ids without a colon",
      page(),
      `${good} it("D1 stored", f);`,
      'a.test.ts:1 starts with an id but has no colon behind its ids: "D1 stored"',
    ],
    ["an id stated twice", page(`${built}- **D2** Again.\n`), good, "D2 is stated twice"],
    ["a missing id of a fixed group", page().replace("- **N39b** Holds.\n", ""), good, "N39b is missing"],
    [
      "an additional id in a fixed group",
      page().replace("- **W20** ", "- **W20** Holds.\n- **W21** "),
      good,
      "W21 does not belong to group W",
    ],
    [
      "a gap in a growing group",
      page("- **D1** A.\n- **D2** B.\n- **D4** C.\n", `${waiting}- D4: later\n`),
      good,
      "D3 is missing",
    ],
    [
      "an id under another group's heading",
      page(`${built}- **G1** Lost.\n`, `${waiting}- D3, G1: later\n`),
      good,
      'G1 stands under "D — durability"',
    ],
    ["a line that can't be read", page(`${built}- **D4 Open.\n`), good, "unreadable line: - **D4 Open."],
    [
      "a waiting id that is not stated",
      page(built, `${waiting}- D3, D7: later\n`),
      good,
      '"Not built yet" names D7, which is not stated',
    ],
    [
      "a range with a false end",
      page(built, `${waiting}- D3–D7: later\n`),
      good,
      '"Not built yet" names D3–D7, which is not stated',
    ],
    ["a waiting id without a reason", page(built, `${waiting}- D3\n`), good, "no reason given: D3"],
    [
      "an id that waits twice",
      page(built, `${waiting}- D3: step 2\n- D3: step 4\n`),
      good,
      "D3 is listed as not built twice",
    ],
    [
      "a left-out part of an unknown id",
      `${page()}\n## Left out in part\n\n- D8: half\n`,
      good,
      '"Left out in part" names D8, which is not stated',
    ],
  ])("reports %s", (_name, markdown, source, fault) => {
    expect(faults(markdown, source)).toContain(fault);
  });

  it("lets an id that is left out in part be built and tested", () => {
    expect(faults(`${page()}\n## Left out in part\n\n- D1: the other half\n`)).toEqual([]);
  });

  it("includes lettered ids in a range that spans them and leaves them out of one that does not", () => {
    const stated = new Map(["N38", "N39", "N39b", "N40"].map((id) => [id, ""]));
    expect(expandRange("N38–N40", stated)).toEqual(["N38", "N39", "N39b", "N40"]);
    expect(expandRange("N38–N39", stated)).toEqual(["N38", "N39"]);
    expect(expandRange("N39b", stated)).toEqual(["N39b"]);
  });

  const read = (source: string): string[] => readTitles("a.test.ts", source).map((title) => title.text);

  it.each([
    ["single quotes", "test('D1: x', f)", ["D1: x"]],
    ["a describe", 'describe("D1: x", () => { it("works", f); });', ["D1: x", "works"]],
    ["a title on its own line", 'it(\n  // why\n  "D1: x",\n  f)', ["D1: x"]],
    ["the literal start of a template", "it(`D1: ${name({ a: `}` })} runs`, f)", ["D1: "]],
    ["rows before the title", 'it.each([["a)", 1]])("D1: %s", f)', ["D1: %s"]],
    ["a table before the title", 'it.each`a | b\n${1} | ${2}`("D1: $a", f)', ["D1: $a"]],
    ["a condition with a literal in it", 'it.skipIf("x" in env)("D1: x", f)', ["D1: x"]],
    ["modifiers", 'it.concurrent.only("D1: x", f)', ["D1: x"]],
    ["a test behind a pattern with a quote", "const a = /[\"/]/; it('D1: x', f)", ["D1: x"]],
    ["a test behind a division", 'const a = b / c; it("D1: x", f); const d = e / g;', ["D1: x"]],
  ])("reads %s", (_name, source, titles) => {
    expect(read(source)).toEqual(titles);
  });

  it.each([
    ["a skipped test", 'it.skip("D1: x", f)'],
    ["a test that is still to do", 'test.todo("D1: x")'],
    ["a test that is meant to fail", 'it.fails("D1: x", f)'],
    ["what stands in a skipped describe", 'describe.skip("D1: x", () => { it("D1: y", f); });'],
    ["a comment", '// it("D1: x", f)\n/* it("D1: y", f) */'],
    ["code inside a text", 'const a = \'it("D1: x", f)\'; const b = `it("D1: y", f)`;'],
    ["a method of that name", 'pattern.test("D1: x"); this.it("D1: y")'],
    ["a longer name", 'wait("D1: x"); its("D1: y"); test_("D1: z")'],
    ["a title that is no literal", "it(title, f)"],
  ])("does not count %s", (_name, source) => {
    expect(read(source)).toEqual([]);
  });

  it("takes ids from the start of a title only, closed by a colon", () => {
    expect(titleIds("G3 G4: a message")).toEqual(["G3", "G4"]);
    expect(titleIds("T5, T6: a message")).toEqual(["T5", "T6"]);
    expect(titleIds("N39b O60a: a message")).toEqual(["N39b", "O60a"]);
    expect(titleIds("a message, see G3: later")).toEqual([]);
    expect(titleIds("HTTP2: is no id")).toEqual([]);
    expect(titleIds("D1–D5: a range")).toBe("broken");
    expect(titleIds("D1 a message")).toBe("broken");
  });

  it("finds this very file and the tests of real programs, but none in fixtures", () => {
    const files = [...testSources(root).keys()];
    expect(files).toContain(join("test", "spec.test.ts"));
    expect(files).toContain(join("test", "real", "programs.test.ts"));
    expect(files.filter((file) => file.includes("fixtures") || file.includes("node_modules"))).toEqual([]);
  });
});

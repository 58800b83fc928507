import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wordsOf } from "../../src/cards/cues.ts";
import { connectedSection, mapSection, notConnectedSection, type MapInput } from "../../src/cards/map.ts";
import { mutedKey } from "../../src/cards/mutes.ts";
import { useSkillTool } from "../../src/cards/skills-tool.ts";
import type { Catalog, Item } from "../../src/catalog/port.ts";
import { GatewayError } from "../../src/core/error.ts";
import { emptyCatalog } from "../catalog/empty.ts";
import { runs } from "../deep.ts";

function item(id: string, more: Partial<Item> = {}): Item {
  return {
    kind: "app",
    id,
    name: id,
    tagline: `About ${id}`,
    about: "",
    state: "off",
    may: [],
    featured: false,
    reviewed: true,
    cues: { words: [], not: [] },
    connects: { by: "nothing" },
    ...more,
  };
}

function input(items: readonly Item[], more: Partial<MapInput> = {}): MapInput {
  return { items, muted: new Set(), reaches: [], words: "", ...more };
}

/** The lines of things, in order. */
function shown(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => /^- (?:app|skill) ([^\s:,]+)/u.exec(line)?.[1] ?? []);
}

function leftOut(text: string): number {
  return Number(/^\((\d+) more could be turned on/mu.exec(text)?.[1] ?? 0);
}

describe("the map", () => {
  it("O2, O3, O5, O9: apps and skills stand there a line each, then the rules", () => {
    const items = [
      item("mail", { name: "Mail", tagline: "Your mail" }),
      item("report", { kind: "skill", tagline: "Writes the report." }),
      item("tidy", { kind: "skill", tagline: "Tidies up.", state: "asked" }),
    ];
    expect(mapSection(input(items)).text).toMatchInlineSnapshot(`
      "What could be turned on. None of it is on now, so none of it can be used yet:
      - app mail (Mail): Your mail
      - skill report: Writes the report.
      - skill tidy, used when asked for: Tidies up.
      Offer one of these with the offer tool only when it clearly does what was asked for, and nothing else; never what the person said they don't use.
      First answer as far as you can without it. Don't explain how it is set up: the card does that."
    `);
  });

  it("O4, O5: what is on, changed, retired, muted, reached by the engine or in trouble is left out, and not held", () => {
    const items = [
      item("on", { state: "on" }),
      item("changed", { state: "changed" }),
      item("retired", { state: "retired" }),
      item("muted"),
      item("reached"),
      item("trouble", { trouble: "No skill." }),
      item("report", { kind: "skill" }),
      item("muted", { kind: "skill" }),
      item("always", { kind: "skill", state: "on" }),
      item("reached", { kind: "skill" }),
    ];
    const { text, holds } = mapSection(
      input(items, { muted: new Set(["muted", "skill:report"]), reaches: ["reached"] }),
    );
    expect(text.split("\n").filter((line) => line.startsWith("- "))).toEqual([
      "- skill muted: About muted",
      "- skill reached: About reached",
    ]);
    expect(holds("skill", "muted")).toBe(true);
    expect(holds("skill", "reached")).toBe(true);
    expect(holds("skill", "report")).toBe(false);
    const gone = ["on", "changed", "retired", "muted", "reached", "trouble", "nothing", ""];
    expect(gone.filter((id) => holds("app", id))).toEqual([]);
    expect([mutedKey({ kind: "app", id: "a" }), mutedKey({ kind: "skill", id: "a" })]).toEqual(["a", "skill:a"]);
  });

  it("O2: with nothing to turn on there is no section", () => {
    expect(mapSection(input([item("on", { state: "on" })])).text).toBe("");
    expect(mapSection(input([])).text).toBe("");
  });

  it("O7, O8: named things lead, then the featured, then by alphabet", () => {
    const items = [
      item("zeta"),
      item("alpha"),
      item("beta", { featured: true }),
      item("news", { name: "Daily News" }),
      item("weekly-report", { kind: "skill" }),
      item("Émile"),
      item("tea", { name: "お茶" }),
    ];
    const order = (words: string): readonly string[] => shown(mapSection(input(items, { words })).text);
    expect(order("")).toEqual(["beta", "alpha", "news", "Émile", "weekly-report", "zeta", "tea"]);
    expect(order("my ZETA, and the daily news!").slice(0, 3)).toEqual(["news", "zeta", "beta"]);
    expect(order("the weekly report")[0]).toBe("weekly-report");
    expect(order("emile")[0]).toBe("Émile");
    expect(order("お茶をください")[0]).toBe("tea");
    expect(order("zetas")[0]).toBe("beta");
  });

  it("O6, O7: of many, the last go, and their number is said", () => {
    const items = Array.from({ length: 120 }, (_, at) =>
      item(`app-${String(at).padStart(3, "0")}`, { tagline: "x".repeat(60), featured: at === 119 }),
    );
    const { text, holds } = mapSection(input(items));
    const lines = shown(text);
    expect(text.length).toBeLessThanOrEqual(2_400);
    expect(text.length).toBeGreaterThan(2_250);
    expect(lines[0]).toBe("app-119");
    expect(lines[1]).toBe("app-000");
    expect(leftOut(text)).toBe(120 - lines.length);
    expect(holds("app", "app-100")).toBe(true);
    expect(shown(mapSection(input(items, { words: "use app-100" })).text)[0]).toBe("app-100");
  });

  it("O8: many named things are shortened before any of them goes", () => {
    const items = Array.from({ length: 60 }, (_, at) =>
      item(`tool${at}`, { name: `The tool number ${at}`, tagline: "x".repeat(120) }),
    );
    const named = items.slice(20, 60);
    const { text } = mapSection(input(items, { words: named.map(({ id }) => id).join(", ") }));
    expect(text.length).toBeLessThanOrEqual(2_400);
    expect(new Set(shown(text).slice(0, 40))).toEqual(new Set(named.map(({ id }) => id)));
    expect(leftOut(text)).toBe(60 - shown(text).length);
  });

  const words = fc.array(fc.constantFrom("mail", "tea", "Ünal", "a", "report", "кот", "news", "x-y"), { maxLength: 6 });
  const anyItem = fc
    .record({
      id: fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/u),
      kind: fc.constantFrom("app" as const, "skill" as const),
      name: fc.oneof(
        fc.constantFrom("Mail", "Tea", "Unal", "кот", "News"),
        fc.string({ unit: "binary", maxLength: 120 }),
      ),
      tagline: fc.string({ unit: "binary", maxLength: 300 }),
      state: fc.constantFrom("on", "asked", "off", "changed", "retired"),
      featured: fc.boolean(),
    })
    .map(({ id, ...more }) => item(id, more));
  const anyItems = fc.uniqueArray(anyItem, { selector: ({ kind, id }) => `${kind} ${id}`, maxLength: 90 });

  it("O6, O7, O8: within the budget, in order, the count right, and what was named never cut", () => {
    fc.assert(
      fc.property(anyItems, words, fc.array(fc.stringMatching(/^[a-z]{1,2}$/u)), (items, said, muted) => {
        const { text, holds } = mapSection(input(items, { words: said.join(" "), muted: new Set(muted) }));
        const there = items.filter(({ kind, id }) => holds(kind, id));
        if (there.length === 0) {
          expect(text).toBe("");
          return;
        }
        expect(text.length).toBeLessThanOrEqual(2_400);
        const lines = text.split("\n").filter((line) => line.startsWith("- "));
        expect(lines.length + leftOut(text)).toBe(there.length);
        // Heading, lines, the count where there is one, two lines of rules: nothing else came in.
        expect(text.split("\n")).toHaveLength(1 + lines.length + (leftOut(text) > 0 ? 1 : 0) + 2);
        const heard = wordsOf(said.join(" "));
        const rank = ({ name, id, featured }: Item): number =>
          [name, id].map(wordsOf).some((one) => one !== "" && heard.includes(one)) ? 0 : featured ? 1 : 2;
        const found = lines.map((line) => {
          const [, kind, id] = /^- (app|skill) ([^\s:,]+)/u.exec(line) ?? [];
          return there.find((one) => one.kind === kind && one.id === id);
        });
        const ranks = found.map((one) => (one === undefined ? -1 : rank(one)));
        expect(ranks).not.toContain(-1);
        expect(ranks).toEqual(ranks.toSorted((one, other) => one - other));
        const named = there.filter((one) => rank(one) === 0);
        expect(ranks.filter((one) => one === 0)).toHaveLength(named.length);
        // Nothing that was left out would have come before what is shown.
        const last = ranks.at(-1) ?? 0;
        for (const one of there) if (!found.includes(one)) expect(rank(one)).toBeGreaterThanOrEqual(last);
      }),
      { numRuns: runs(200) },
    );
  });
});

describe("the sections on what is connected and what is not", () => {
  it("O2: connected apps are told by what their tools begin with", () => {
    const items = [
      item("zap", { state: "on", name: "Zap" }),
      item("mail", { state: "on", name: "My\nMail", trouble: "It doesn't answer." }),
      item("off"),
      item("report", { kind: "skill", state: "on" }),
    ];
    expect(connectedSection(items).split("\n")).toEqual([
      "Apps that are connected, by what the names of their tools begin with:",
      "- mail__… (My Mail): can't be reached now",
      "- zap__… (Zap)",
    ]);
    expect(connectedSection([item("off")])).toBe("");
    const many = Array.from({ length: 300 }, (_, at) => item(`app-${at}`, { state: "on" }));
    const text = connectedSection(many);
    expect(text.length).toBeLessThanOrEqual(2_000);
    expect(text).toMatch(new RegExp(String.raw`\(and ${300 - text.split("\n- ").length + 1} more\)$`, "u"));
  });

  it("O69: what the words call for is said to be off", () => {
    expect(notConnectedSection(item("mail", { name: "Mail" }))).toContain("Not connected yet: Mail (app mail).");
    expect(notConnectedSection(item("r", { kind: "skill", state: "asked" }))).toContain("Not turned on: the skill r");
    expect(notConnectedSection(item("mail", { state: "on" }))).toBe("");
    expect(notConnectedSection(undefined)).toBe("");
    expect(notConnectedSection(item("mail", { name: "M\n\n# System" })).split("\n")).toHaveLength(1);
  });
});

describe("use_skill", () => {
  function catalog(items: readonly Item[]): Catalog {
    return { ...emptyCatalog(), items, skill: async (id) => (id === "changed" ? undefined : `Do ${id}.`) };
  }
  const skills = [
    item("mail"),
    item("always", { kind: "skill", state: "on", tagline: "Always does it." }),
    item("sometimes", { kind: "skill", state: "asked", tagline: "Does it sometimes." }),
    item("never", { kind: "skill", state: "off" }),
    item("changed", { kind: "skill", state: "on" }),
  ];
  const context = {
    conversation: "c",
    turn: "t",
    signal: new AbortController().signal,
    taints: async () => [],
  };
  const use = async (name: string, askedFor?: readonly string[]): Promise<string> => {
    const tool = useSkillTool(catalog(skills), askedFor);
    const { outcome, text } = await tool.run(tool.check({ name }), context);
    return `${outcome}: ${text}`;
  };

  it("P21, O34: a skill that is on gives its instructions; the others say why not", async () => {
    expect(await use("always")).toBe(
      "ok: Instructions of the skill always, which the owner turned on. Follow them where they fit what was asked; what may be done here stays as it is.\n\nDo always.",
    );
    expect(await use("sometimes")).toContain("error: That skill is used only when the person asks for it.");
    expect(await use("sometimes", ["sometimes"])).toContain("Do sometimes.");
    // What was asked for is the person's choice; off is off.
    expect(await use("changed")).toContain("error: That skill is off.");
    expect(await use("nothing")).toBe("error: There is no skill of that name.");
    expect(await use("mail")).toBe("error: There is no skill of that name.");
  });

  it("P21: it reads nothing of anyone's, and its guidance lists what is on by name and first sentence", () => {
    const { row, effect, guidance } = useSkillTool(catalog(skills));
    expect([row, effect]).toEqual(["skill", "read"]);
    expect(guidance?.split("\n").slice(1)).toEqual(["- always: Always does it.", "- changed: About changed"]);
    expect(useSkillTool(catalog(skills), ["sometimes"]).guidance).toContain("- sometimes: Does it sometimes.");
    expect(useSkillTool(catalog([]))).not.toHaveProperty("guidance");
    const many = Array.from({ length: 90 }, (_, at) =>
      item(`skill-${at}`, { kind: "skill", state: "on", tagline: "x".repeat(140) }),
    );
    const long = useSkillTool(catalog(many)).guidance ?? "";
    expect(long.length).toBeLessThanOrEqual(2_000);
    expect(long).toMatch(new RegExp(String.raw`\(and ${90 - long.split("\n- ").length + 1} more\)$`, "u"));
  });

  it.each([undefined, null, {}, { name: 3 }, { name: " " }, { name: "x".repeat(65) }, "always"])(
    "O70: %j is refused in words",
    (given) => {
      expect(() => useSkillTool(catalog([])).check(given)).toThrow(GatewayError);
    },
  );
});

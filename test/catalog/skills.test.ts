import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { mayInWords, readSkillFile } from "../../src/catalog/front-matter.ts";
import type { Item } from "../../src/catalog/port.ts";
import { openSkills, type Skills } from "../../src/catalog/skills.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import type { Clock } from "../../src/core/surroundings.ts";
import { stageSurroundings } from "../gateway/stage.ts";

const open: Store[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) await store[Symbol.asyncDispose]();
});

type Shelf = {
  readonly folder: string;
  readonly store: Store;
  readonly skills: Skills;
  readonly at: { now: number };
  readonly again: () => Promise<Skills>;
};

async function shelf(): Promise<Shelf> {
  const folder = await mkdtemp(join(tmpdir(), "tidegate-skills-"));
  const surroundings = stageSurroundings();
  const store = await openStore({ folder: ":memory:", ...surroundings });
  open.push(store);
  const at = { now: 0 };
  const { clock: staged } = surroundings;
  const clock: Clock = {
    now: () => at.now,
    sleep: async (waitMs, signal) => await staged.sleep(waitMs, signal),
    soon: (task) => staged.soon(task),
  };
  const again = async (): Promise<Skills> => await openSkills(folder, { settings: store.settings, clock });
  return { folder, store, skills: await again(), at, again };
}

async function put(folder: string, name: string, text: string): Promise<void> {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, "SKILL.md"), text);
}

function skill(name: string, more = ""): string {
  return `---\nname: ${name}\ndescription: Writes the ${name}. Use it on Fridays.\n${more}---\n\nDo it well.\n`;
}

function byId({ items }: Skills, id: string): Item | undefined {
  return items.find((item) => item.id === id);
}

describe("skills of a folder", () => {
  it("O5, O33: a skill starts off, with what it is and what it may do", async () => {
    const { folder, skills } = await shelf();
    await put(
      folder,
      "report",
      skill("report", "allowed-tools: Read Bash(git:*)\nmetadata: { cues: 'weekly report, my report' }\n"),
    );
    await skills.refresh();
    expect(skills.items).toEqual([
      {
        kind: "skill",
        id: "report",
        name: "report",
        tagline: "Writes the report.",
        about: "Writes the report. Use it on Fridays.",
        state: "off",
        may: ["Read files", "Run commands on this machine: git:*", "What changes something is asked about as always"],
        featured: false,
        reviewed: false,
        cues: { words: ["weekly report", "my report"], not: [] },
        connects: { by: "nothing" },
      },
    ]);
    expect(await skills.skill("report")).toBeUndefined();
  });

  it("O33, O34: turned on its instructions are given, the same after a restart, and off again they are not", async () => {
    const { folder, skills, again } = await shelf();
    await put(folder, "report", skill("report"));
    expect(await skills.turnOn("report", "on")).toEqual({ is: "on" });
    expect(byId(skills, "report")?.state).toBe("on");
    expect(await skills.skill("report")).toBe("Do it well.");
    const restarted = await again();
    expect(byId(restarted, "report")?.state).toBe("on");
    expect(await restarted.turnOn("report", "asked")).toEqual({ is: "on" });
    expect(byId(restarted, "report")?.state).toBe("asked");
    expect(await restarted.skill("report")).toBe("Do it well.");
    await restarted.turnOff("report");
    expect(byId(restarted, "report")?.state).toBe("off");
    expect(await restarted.skill("report")).toBeUndefined();
  });

  it("O33: a skill of which anything changed is off again and says so, until it is turned on as it is now", async () => {
    const { folder, skills } = await shelf();
    await put(folder, "report", skill("report"));
    await mkdir(join(folder, "report", "scripts"));
    await writeFile(join(folder, "report", "scripts", "run.sh"), "echo a");
    await skills.turnOn("report", "on");
    await writeFile(join(folder, "report", "scripts", "run.sh"), "echo b");
    // Given or not is decided by the folder as it is now, not as it was last looked at.
    expect(await skills.skill("report")).toBeUndefined();
    await skills.refresh();
    expect(byId(skills, "report")).toMatchObject({
      state: "off",
      trouble: expect.stringContaining("changed") as string,
    });
    await skills.turnOn("report", "on");
    expect(byId(skills, "report")).not.toHaveProperty("trouble");
    expect(await skills.skill("report")).toBe("Do it well.");
    // A file beside it is part of it, new or gone.
    await rm(join(folder, "report", "scripts", "run.sh"));
    expect(await skills.skill("report")).toBeUndefined();
  });

  it("O5: the list is the same array until something changes, and is looked at again after a while", async () => {
    const { folder, skills, at } = await shelf();
    await put(folder, "report", skill("report"));
    await skills.refresh();
    const before = skills.items;
    await skills.refresh();
    expect(skills.items).toBe(before);
    await put(folder, "other", skill("other"));
    at.now = 2_000;
    expect(skills.items).toBe(before);
    at.now = 3_000;
    expect(skills.items).toBe(before);
    await expect.poll(() => skills.items.map(({ id }) => id), { timeout: 5_000 }).toEqual(["other", "report"]);
    await rm(join(folder, "other"), { recursive: true });
    await skills.refresh();
    expect(skills.items).toHaveLength(1);
  });

  it("O33: what is no skill is left out or says why, and can't be turned on", async () => {
    const { folder, skills } = await shelf();
    await writeFile(join(folder, "README.md"), "a file");
    await mkdir(join(folder, "empty"));
    await mkdir(join(folder, ".git"));
    await put(folder, ".hidden", skill("hidden"));
    await put(folder, "plain", "no front matter");
    await put(folder, "broken", "---\nname: [\n---\n");
    await put(folder, "unnamed", "---\ndescription: x\n---\n");
    await put(folder, "other-name", skill("another"));
    await put(folder, "Big_Name", skill("big-name"));
    await put(folder, "large", `${skill("large")}${"x".repeat(100_001)}`);
    await put(folder, "folder-file", "");
    await rm(join(folder, "folder-file", "SKILL.md"));
    await mkdir(join(folder, "folder-file", "SKILL.md"));
    await put(folder, "bomb", '---\nname: bomb\ndescription: &a [x, x]\nmetadata: { a: [*a, *a], b: "x" }\n---\n');
    await put(folder, "good", skill("good"));
    await skills.refresh();
    expect(Object.fromEntries(skills.items.map(({ id, trouble }) => [id, trouble]))).toMatchInlineSnapshot(`
      {
        "Big_Name": "The folder's name has other characters than a-z, 0-9 and single hyphens, or more than 64.",
        "bomb": "The front matter of its SKILL.md is no YAML.",
        "broken": "The front matter of its SKILL.md is no YAML.",
        "folder-file": "Its SKILL.md is no plain file.",
        "good": undefined,
        "large": "Its SKILL.md has more than 100 kB.",
        "other-name": "Its SKILL.md calls it another, which is not the folder's name.",
        "plain": "Its SKILL.md doesn't begin with a front matter between two lines of ---.",
        "unnamed": "The front matter of its SKILL.md has no right name.",
      }
    `);
    for (const { id, trouble } of skills.items) {
      if (trouble === undefined) continue;
      expect(await skills.turnOn(id, "on")).toEqual({ is: "not-yet", words: trouble });
      expect(await skills.skill(id)).toBeUndefined();
    }
    expect(await skills.turnOn("nothing", "on")).toMatchObject({ is: "not-yet" });
  });

  it("O33: links that lead out of the folder, and what is no file, make it no skill", async () => {
    const { folder, skills } = await shelf();
    const elsewhere = await mkdtemp(join(tmpdir(), "tidegate-elsewhere-"));
    await put(elsewhere, "linked", skill("linked"));
    await writeFile(join(elsewhere, "secret"), "secret");
    await symlink(join(elsewhere, "linked"), join(folder, "linked"));
    await put(folder, "leaking", skill("leaking"));
    await symlink(join(elsewhere, "secret"), join(folder, "leaking", "data"));
    await mkdir(join(folder, "borrowed"));
    await symlink(join(elsewhere, "linked", "SKILL.md"), join(folder, "borrowed", "SKILL.md"));
    await put(folder, "dangling", skill("dangling"));
    await symlink("nowhere", join(folder, "dangling", "data"));
    await put(folder, "inner", skill("inner"));
    await symlink("SKILL.md", join(folder, "inner", "README.md"));
    await put(folder, "waiting", skill("waiting"));
    execFileSync("mkfifo", [join(folder, "waiting", "pipe")]);
    await mkdir(join(folder, "pipe"));
    execFileSync("mkfifo", [join(folder, "pipe", "SKILL.md")]);
    await skills.refresh();
    expect(Object.fromEntries(skills.items.map(({ id, trouble }) => [id, trouble]))).toMatchInlineSnapshot(`
      {
        "borrowed": "It holds a link that leads out of its folder.",
        "dangling": "It holds a link that leads out of its folder.",
        "inner": undefined,
        "leaking": "It holds a link that leads out of its folder.",
        "linked": "It is a link to another place, which isn't followed.",
        "pipe": "It holds something that is neither a file nor a folder.",
        "waiting": "It holds something that is neither a file nor a folder.",
      }
    `);
  });

  it("O33: turning one on agrees to what is there, and names that lead elsewhere are none", async () => {
    const { folder, skills, store } = await shelf();
    await put(folder, "report", skill("report"));
    await store.settings.set("skill/report", { mode: "on", digest: "of another day" });
    await store.settings.set("skill/../report", { mode: "on", digest: "" });
    await skills.refresh();
    expect(byId(skills, "report")?.state).toBe("off");
    expect(await skills.skill("report")).toBeUndefined();
    expect(await skills.skill("../report")).toBeUndefined();
    await store.settings.set("skill/report", "on");
    await skills.refresh();
    expect(byId(skills, "report")).not.toHaveProperty("trouble");
    expect(byId(skills, "report")?.state).toBe("off");
  });

  it("O5: a folder that isn't there has no skills", async () => {
    const { store } = await shelf();
    const clock = stageSurroundings().clock;
    const skills = await openSkills(join(tmpdir(), "tidegate-none"), { settings: store.settings, clock });
    expect(skills.items).toEqual([]);
  });
});

describe("what a SKILL.md says", () => {
  it("O5: the first sentence is at most 140 characters", async () => {
    const { folder, skills } = await shelf();
    await put(folder, "long", `---\nname: long\ndescription: ${"word ".repeat(60)}end. Then more.\n---\n`);
    await put(folder, "dots", "---\nname: dots\ndescription: Uses v1.2 of it! Then more.\n---\n");
    await skills.refresh();
    expect(byId(skills, "long")?.tagline).toHaveLength(140);
    expect(byId(skills, "dots")?.tagline).toBe("Uses v1.2 of it!");
  });

  it("O33: each tool that it names is put in words, in whichever way the list is written", () => {
    const listed = readSkillFile("---\nname: a\ndescription: b\nallowed-tools: [Read, 'Bash(npm run *)']\n---\nx");
    const inLine = readSkillFile("---\nname: a\ndescription: b\nallowed-tools: Read, Bash(npm run *)\n---\nx");
    expect(listed).toEqual(inLine);
    expect(listed).toMatchObject({ tools: ["Read", "Bash(npm run *)"], body: "x" });
    expect(mayInWords(["WebFetch", "mcp__shop__buy", "Read", "Read", "constructor", "Bash(*)"])).toEqual([
      "Open web pages",
      "Use buy of the app shop",
      "Read files",
      "Use the tool constructor",
      "Run commands on this machine",
      "What changes something is asked about as always",
    ]);
    expect(mayInWords(undefined)[0]).toContain("doesn't say");
    expect(mayInWords(Array.from({ length: 40 }, (_, at) => `t${at}`))).toHaveLength(14);
  });

  it("O33: whatever it holds, it is read or refused in words", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.json(), (text, yaml) => {
        for (const one of [
          text,
          `---\n${text}\n---\n`,
          `---\n${yaml}\n---\n`,
          `---\nname: a\ndescription: ${yaml}\n---\n`,
        ]) {
          const read = readSkillFile(one);
          if ("trouble" in read) expect(read.trouble).toMatch(/^[\w' .,-]+$/u);
          else expect(read.name).toMatch(/^[a-z0-9-]{1,64}$/u);
        }
      }),
    );
  });
});

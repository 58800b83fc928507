// What can be turned on, from its pages: apps that are real MCP servers, skills in a folder, and what is not suggested any more.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MUTES } from "../../src/cards/mutes.ts";
import { openCatalog } from "../../src/catalog/catalog.ts";
import type { AppEntry } from "../../src/catalog/entries.ts";
import type { Catalog } from "../../src/catalog/port.ts";
import type { Store } from "../../src/store/port.ts";
import { startRemote } from "../wire/mcp-remote.ts";
import { entryOf, hostile, programOf, when } from "../wire/mcp-stage.ts";
import { journey, type Journey, type JourneyOptions } from "./gateway.ts";
import { PLATFORMS, SAM, type Seen } from "./stage.ts";

let folder = "";
let opened: { readonly catalog: Catalog; readonly store: Store };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidegate-turning-on-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const memory = (more: Partial<AppEntry> = {}): AppEntry =>
  entryOf(
    "memory",
    { kind: "stdio", command: [process.execPath, programOf("memory")], env: { MEMORY_FILE_PATH: join(folder, "m") } },
    { name: "Memory", may: ["Read what it was told", "Change it"], ...more },
  );

const spare = (nth: number): AppEntry =>
  entryOf(`spare-${String(nth).padStart(2, "0")}`, { kind: "stdio", command: ["/nowhere/at/all"] });

function skill(name: string, description = "Makes tea. In three steps.", body = "Boil water."): void {
  mkdirSync(join(folder, "skills", name), { recursive: true });
  writeFileSync(
    join(folder, "skills", name, "SKILL.md"),
    `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n${body}\n`,
  );
}

/** A day with these apps, and the skills that are in the folder. */
async function day(entries: readonly AppEntry[], options: JourneyOptions = {}): Promise<Journey> {
  return await journey({
    ...options,
    async catalog(store, surroundings) {
      const own = { skillsFolder: join(folder, "skills"), folder, work: join(folder, "work"), env: {} };
      const catalog = await openCatalog({ entries, settings: store.settings, ...own, surroundings });
      opened = { catalog, store };
      return catalog;
    },
  });
}

/** Opens the page of the thing that stands on a list under a number. */
async function open(here: Journey, list: Seen, number: string): Promise<Seen> {
  here.press(list, number);
  return await here.becomes(list, ({ text }) => text !== list.text);
}

it.each(PLATFORMS)(
  "O21, O22, F18: an app is connected and disconnected from its page, with a restart in between (%s)",
  async (on) => {
    await using here = await day([memory()], { on });
    here.command("apps");
    const list = await here.shown("Memory");
    expect(list.text).toMatch(/1\. Memory \(not connected\) – An app/u);
    const page = await open(here, list, "1");
    expect(page.text).toMatch(/It may:\s+• Read what it was told\s+• Change it/u);
    expect(here.labels(page)).toEqual(["Connect", "‹ All"]);
    here.press(page, "Connect");
    const connected = await here.becomes(page, "(connected)");
    expect(here.labels(connected)).toEqual(["Disconnect", "‹ All"]);
    expect(opened.catalog.tools.map(({ name }) => name)).toContain("memory__read_graph");

    await here.restart();
    await when(opened.catalog, () => opened.catalog.tools.length > 0);
    // The buttons of before are as good as new.
    here.press(connected, "Disconnect");
    const off = await here.becomes(page, "(not connected)");
    expect(here.labels(off)).toEqual(["Connect", "‹ All"]);
    expect(opened.catalog.tools).toEqual([]);
    here.press(off, "‹ All");
    await here.becomes(page, "1. Memory (not connected)");
    await here.settled();
    expect(here.sent()).toHaveLength(1);
  },
);

it("F18, G44: what can't be connected says why on its page, and can be tried again", async () => {
  const keyed = entryOf(
    "keyed",
    { kind: "stdio", command: [process.execPath, programOf("memory")], keys: ["KEYED_TOKEN"] },
    { name: "Keyed" },
  );
  await using here = await day([spare(0), keyed]);
  here.command("apps");
  const list = await here.shown("Keyed");
  const page = await open(here, list, "1");
  here.press(page, "Connect");
  const failed = await here.becomes(page, "⚠️");
  expect(failed.text).toContain("can't be started");
  expect(here.labels(failed)).toEqual(["Connect", "‹ All"]);
  here.press(failed, "‹ All");
  const back = await here.becomes(page, "2. Keyed");
  const other = await open(here, back, "2");
  expect(other.text).toContain("It needs KEYED_TOKEN: put it into the .env");
  // A press could do nothing: it isn't there.
  expect(here.labels(other)).toEqual(["‹ All"]);
});

it.each(PLATFORMS)(
  "O29, F18, F25: a sign-in is a button with its address; when the browser is back the owner is told, once (%s)",
  async (on) => {
    const remote = await startRemote();
    try {
      const far = entryOf("far", { kind: "http", url: remote.mcp, signIn: true }, { name: "Far" });
      await using here = await day([far], { on });
      here.command("apps");
      const page = await open(here, await here.shown("Far"), "1");
      here.press(page, "Connect");
      const waits = await here.becomes(page, "Sign in on the page");
      expect(here.labels(waits)).toEqual(["Sign in", "New link", "‹ All"]);
      const url = waits.buttons.flat()[0]?.url ?? "";
      await fetch(await remote.browse(url));
      const told = await here.shown("Far is connected.");
      expect(told.quiet).toBe(false);
      await here.settled();
      expect(here.texts().filter((text) => text.includes("is connected"))).toHaveLength(1);
      // Its address leads nowhere any more, so the page has none.
      const connected = await here.becomes(page, "(connected)");
      expect(here.labels(connected)).toEqual(["Disconnect", "‹ All"]);
      here.press(connected, "‹ All");
      await here.becomes(page, "1. Far (connected)");
      const tokens = [remote.accessToken()];
      expect(here.on.payloads.filter((payload) => tokens.some((token) => payload.includes(token)))).toEqual([]);
    } finally {
      await remote.close();
    }
  },
);

it.each(PLATFORMS)(
  "A42, F18: an app whose tools are others than agreed to is told of once, and agreed to on its page (%s)",
  async (on) => {
    const bad = hostile("changing", { name: "Shifty" });
    await using here = await day([bad], { on });
    here.command("apps");
    const page = await open(here, await here.shown("Shifty"), "1");
    here.press(page, "Connect");
    await here.becomes(page, "(connected)");
    const change = opened.catalog.tools.find(({ name }) => name === "bad__change");
    const context = { conversation: "c", turn: "t", signal: new AbortController().signal, taints: async () => [] };
    await change?.run(change.check({}), context);
    const told = await here.shown("not the ones that you agreed to");
    expect(told.text).toContain("Shifty");
    expect(told.quiet).toBe(false);
    expect(opened.catalog.tools).toEqual([]);
    here.command("apps");
    const list = await here.shown("its tools changed", { after: told });
    const changed = await open(here, list, "1");
    expect(here.labels(changed)).toEqual(["Agree to its tools", "Disconnect", "‹ All"]);
    expect(changed.text).toMatch(/Changed: change$/mu);
    expect(changed.text).not.toMatch(/New:|Gone:/u);
    here.press(changed, "Agree to its tools");
    await here.becomes(list, "(connected)");
    expect(opened.catalog.tools.map(({ name }) => name)).toContain("bad__change");
    await here.settled();
    expect(here.texts().filter((text) => text.includes("agreed to any more"))).toHaveLength(1);
  },
);

it.each(PLATFORMS)(
  "O33, O34, F18: a skill has three modes, each a press away and kept over a restart (%s)",
  async (on) => {
    skill("tea");
    await using here = await day([], { on });
    here.command("skills");
    const list = await here.shown("tea");
    expect(list.text).toMatch(/1\. tea \(off\) – Makes tea\./u);
    const page = await open(here, list, "1");
    expect(page.text).toContain("In three steps.");
    expect(here.labels(page)).toEqual(["Use it by itself", "When I ask", "‹ All"]);
    here.press(page, "When I ask");
    const asked = await here.becomes(page, "used when you ask");
    await here.restart();
    here.press(asked, "Use it by itself");
    const always = await here.becomes(page, "used by itself");
    expect(here.labels(always)).toEqual(["When I ask", "Off", "‹ All"]);
    // Another hand was at it: it is off, and says so.
    skill("tea", "Makes tea. In three steps.", "Boil something else.");
    here.press(always, "‹ All");
    const changed = await open(here, await here.becomes(page, "1. tea"), "1");
    if (!changed.text.includes("It was changed")) here.press(changed, "‹ All");
    await here.settled();
    expect(await opened.catalog.skill("tea")).toBeUndefined();
  },
);

it("O31, F18: what was muted is listed in /settings, and is suggested again by a press there or on its page", async () => {
  skill("tea");
  await using here = await day([memory()]);
  await opened.store.settings.set(MUTES, ["memory", "skill:tea", "gone-by-now"]);
  here.command("settings");
  const settings = await here.shown("Settings");
  expect(settings.text).toMatch(/1\. Memory\s+2\. tea\s+3\. gone-by-now/u);
  here.press(settings, "3");
  const two = await here.becomes(settings, ({ text }) => !text.includes("gone-by-now"));
  here.press(two, "1");
  await here.becomes(settings, ({ text }) => !text.includes("Memory"));
  here.command("skills");
  const page = await open(here, await here.shown("tea", { after: settings }), "1");
  expect(page.text).toContain("It is not suggested any more.");
  here.press(page, "Suggest it again");
  await here.becomes(page, ({ text }) => !text.includes("not suggested"));
  here.command("settings");
  await here.shown("Nothing was chosen for good", { after: page });
  expect(await opened.store.settings.get(MUTES)).toEqual([]);
});

it.each(PLATFORMS)(
  "A18: typed in a group, /apps, /skills and /settings answer in the owner's private chat (%s)",
  async (on) => {
    skill("tea");
    await using here = await day([memory()], { on, groups: "mention" });
    here.say("hello");
    await here.shown("hello");
    here.mention("hello", { in: here.group });
    const answer = await here.shown("hello", { in: here.group });
    for (const [command, shows] of [
      ["apps", "Memory"],
      ["skills", "tea"],
      ["settings", "Settings"],
    ] as const) {
      here.command(command, { in: here.group });
      await here.shown(shows);
    }
    await here.settled();
    expect(here.texts(here.group)).toEqual([answer.text]);
  },
);

it.each(PLATFORMS)("F18: a long list is leafed through, and each thing on it is reached (%s)", async (on) => {
  const entries = Array.from({ length: 19 }, (_, nth) => spare(nth));
  await using here = await day(entries, { on });
  here.command("apps");
  const first = await here.shown("SPARE-00");
  expect(first.text).toContain("1–8 of 19");
  here.press(first, "More ›");
  const second = await here.becomes(first, "9–16 of 19");
  expect(second.text).toContain("9. SPARE-08");
  here.press(second, "More ›");
  const third = await here.becomes(first, "17–19 of 19");
  expect(here.labels(third)).toEqual(["17", "18", "19", "‹ Back"]);
  const page = await open(here, third, "19");
  expect(page.text).toContain("SPARE-18");
  here.press(page, "‹ All");
  await here.becomes(first, "17–19 of 19");
});

it.each(PLATFORMS)(
  "O65, G44: names and words out of a skill's folder or the own config are drawn as text (%s)",
  async (on) => {
    const evil = "**bold** <b>x</b> [a](https://evil.example) <@U01OWNER> @everyone `code`";
    skill("tea", evil);
    mkdirSync(join(folder, "skills", "**[x](evil.example)** <!channel>"), { recursive: true });
    writeFileSync(join(folder, "skills", "**[x](evil.example)** <!channel>", "SKILL.md"), "no");
    const own = entryOf(
      "own",
      { kind: "stdio", command: ["x"] },
      { name: evil, tagline: evil, about: evil, may: [evil], reviewed: false },
    );
    await using here = await day([own], { on });
    // Platforms put an unseen sign into what would ping.
    const reads = ({ text }: Pick<Seen, "text">, words: string): boolean =>
      text.replaceAll("\u2060", "").includes(words);
    const isText = (seen: Seen): void => {
      expect(seen.pings).toEqual([]);
      expect(seen.styles).not.toContain("code");
      expect(reads(seen, "[a](https://evil.example)") && reads(seen, "**bold** <b>x</b>")).toBe(true);
    };
    for (const [command, number] of [
      ["apps", "1"],
      ["skills", "2"],
    ] as const) {
      here.command(command);
      const list = await here.shown((seen) => reads(seen, evil) && reads(seen, command === "apps" ? "Apps" : "Skills"));
      isText(list);
      if (command === "skills") expect(reads(list, "1. **[x](evil.example)** <!channel>")).toBe(true);
      isText(await open(here, list, number));
    }
    here.command("skills");
    const broken = await open(here, await here.shown("Skills", { after: here.sent().at(-1)!.id }), "1");
    expect(broken.text).toContain("The folder's name has other characters");
    expect(here.labels(broken)).toEqual(["‹ All"]);
  },
);

it("O10, F18: an empty catalogue says what goes where, and a page of something that is gone leads back", async () => {
  await using here = await day([memory()]);
  here.command("skills");
  await here.shown("A skill is a folder with a SKILL.md in it");
  skill("tea");
  await opened.catalog.turnOff("skill", "tea");
  here.command("skills");
  const list = await here.shown("1. tea");
  rmSync(join(folder, "skills", "tea"), { recursive: true });
  await opened.catalog.turnOff("skill", "tea");
  const page = await open(here, list, "1");
  expect(page.text).toBe("There is nothing of that name any more.");
  here.press(page, "‹ All");
  await here.becomes(page, "A skill is a folder");
  expect(here.sent(SAM).length).toBeGreaterThan(1);
});

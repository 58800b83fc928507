// Real MCP servers, as published, from a message to an offer to what they answer: with a restart in the middle.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openCatalog } from "../../src/catalog/catalog.ts";
import { readEntries, type AppEntry, type Connection } from "../../src/catalog/entries.ts";
import { startRemote, type Remote } from "../wire/mcp-remote.ts";
import { entryOf, programOf } from "../wire/mcp-stage.ts";
import { journey, type Journey } from "./gateway.ts";
import { promptOf } from "./puppet.ts";
import { scripted, type Scripted } from "./scripted.ts";
import { PLATFORMS, SAM, type PlatformName, type Seen } from "./stage.ts";

const shipped = readEntries(readFileSync(new URL("../../config/apps.yaml", import.meta.url), "utf8"));

let folder = "";
let remote: Remote | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidegate-real-apps-"));
  mkdirSync(join(folder, "shared"));
  writeFileSync(join(folder, "shared", "plan.md"), "a plan");
});
afterEach(async () => {
  await remote?.close();
  remote = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** An entry of the shipped list, with its program as it is installed here. */
function ofTheList(id: string, connect: Connection): AppEntry {
  const entry = shipped.find((one) => one.id === id);
  if (entry === undefined) throw new Error(`The shipped list has no ${id}.`);
  return { ...entry, connect };
}

function program(
  server: Parameters<typeof programOf>[0],
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Connection {
  return { kind: "stdio", command: [process.execPath, programOf(server), ...args], env };
}

const files = (): AppEntry => ofTheList("files", program("filesystem", [join(folder, "shared")]));
const memory = (): AppEntry =>
  ofTheList("memory", program("memory", [], { MEMORY_FILE_PATH: join(folder, "memory.jsonl") }));
const everything = (): AppEntry => entryOf("everything", program("everything"), { name: "Everything" });

async function withRemote(): Promise<{ readonly far: AppEntry; readonly remote: Remote }> {
  remote = await startRemote();
  const connect = { kind: "http", url: remote.mcp, signIn: true } as const;
  return { remote, far: entryOf("far", connect, { name: "Far", cues: { words: ["far away"], not: [] } }) };
}

async function appsDay(on: PlatformName, entries: readonly AppEntry[], toy: Scripted): Promise<Journey> {
  return await journey({
    on,
    puppet: toy.engine,
    async catalog(store, surroundings) {
      const own = { skillsFolder: join(folder, "skills"), folder, work: join(folder, "work"), env: {} };
      return await openCatalog({ entries, settings: store.settings, ...own, surroundings });
    },
  });
}

function urlOf(card: Seen): string {
  return card.buttons.flat().find(({ label }) => label === "Sign in")?.url ?? "";
}

it.each(PLATFORMS)(
  "O22, O25, O60a, O60c, A42: Files is offered, connected over a restart, and what it lists is rows to look at (%s)",
  async (on) => {
    const asks = "What is in my files folder?";
    const toy = scripted({
      [asks]: [{ call: "files__list_directory", input: { path: join(folder, "shared") } }, "That is all."],
    });
    await using day = await appsDay(on, [files()], toy);
    day.say(asks);
    const card = await day.shown("Connect Files?");
    expect(toy.results[0]?.outcome).not.toBe("ok");
    day.press(card, "Connect");
    await day.taken();
    // Whether it was connected by then or not.
    await day.restart();
    await day.becomes(card, "Connected Files · carrying on");
    const view = await day.shown("plan.md");
    expect(view.text).toContain("Folder");
    await day.settled();
    // Reading by a tool that was looked at asks nobody.
    expect(toy.results.at(-1)?.outcome).toBe("ok");
    expect(day.texts().join("\n")).not.toContain("May I?");
    expect(day.sent().at(-1)?.text).toContain("That is all.");
  },
);

it.each(PLATFORMS)(
  "O22, O26, O64, G49: what changes something in Memory is asked about after the offer as before it, and is there after a restart (%s)",
  async (on) => {
    const tells = "Please remember this: the heron is blue";
    const entity = { name: "heron", entityType: "bird", observations: ["is blue"] };
    const toy = scripted({
      [tells]: [{ call: "memory__create_entities", input: { entities: [entity] } }, "Kept."],
      "What colour is it?": [{ call: "memory__read_graph" }, "Blue."],
    });
    await using day = await appsDay(on, [memory()], toy);
    day.say(tells);
    const card = await day.shown("Connect Memory?");
    day.press(card, "Connect");
    await day.becomes(card, "Connected Memory · carrying on");
    const asked = await day.shown("May I?");
    expect(asked.text).toContain("memory__create_entities");
    day.press(asked, "Allow once");
    await day.until(() => toy.results.length === 2);
    await day.settled();
    expect(toy.results[1]?.outcome).toBe("ok");
    expect(readFileSync(join(folder, "memory.jsonl"), "utf8")).toContain("is blue");

    await day.restart();
    day.say("What colour is it?");
    await day.shown("Blue.");
    await day.settled();
    expect(toy.results.at(-1)).toMatchObject({ outcome: "ok" });
    expect(toy.results.at(-1)?.text).toContain("heron");
    // Reading what it was told asks nobody.
    expect(day.texts().filter((text) => /May I\?|no\. 2/u.test(text))).toEqual([]);
  },
);

it.each(PLATFORMS)(
  "O10, O25, A42: the assistant offers Everything; what it reads is marked, and what it can't do is words (%s)",
  async (on) => {
    const toy = scripted({
      "Say it back": [
        { call: "offer", input: { kind: "app", target: "everything", why: "it says things back" } },
        { call: "everything__echo", input: { message: "heron" } },
        { call: "everything__get-sum", input: { a: "one" } },
        "That was it.",
      ],
    });
    await using day = await appsDay(on, [everything()], toy);
    day.say("Say it back");
    const card = await day.shown("Connect Everything?");
    await day.restart();
    day.press(card, "Connect");
    await day.becomes(card, "Connected Everything · carrying on");
    await day.until(() => toy.results.length === 6);
    await day.settled();
    expect(toy.results.map(({ outcome }) => outcome)).toEqual(["ok", "not-run", "not-run", "not-run", "ok", "error"]);
    expect(toy.results[4]?.text).toContain("heron");
    expect(toy.results[5]?.text).toContain("nvalid");
    expect(toy.turns).toHaveLength(2);
  },
);

it.each(PLATFORMS)(
  "O29, O25, O27: signed in to in a browser, a remote app goes on with the chat by itself (%s)",
  async (on) => {
    const { far, remote: service } = await withRemote();
    const asks = "What do they say far away?";
    const toy = scripted({ [asks]: [{ call: "far__echo", input: { message: "heron" } }, "They said it."] });
    await using day = await appsDay(on, [far], toy);
    day.say(asks);
    const card = await day.shown("Connect Far?");
    day.press(card, "Connect");
    const waits = await day.becomes(card, ({ buttons }) => buttons.flat().some(({ url }) => url !== undefined));
    await fetch(await service.browse(urlOf(waits)));
    await day.becomes(card, "Connected Far · carrying on");
    await day.until(() => toy.results.at(-1)?.text.includes("heron"));
    await day.settled();
    expect(toy.turns.map((turn) => promptOf(turn).split("\n").at(-1))).toEqual([asks, asks]);
    expect(day.sent().at(-1)?.text).toContain("They said it.");
    expect(day.on.payloads.filter((payload) => payload.includes(service.accessToken()))).toEqual([]);
    await day.restart();
    await day.settled();
    expect(toy.turns).toHaveLength(2);
  },
);

it.each(PLATFORMS)(
  "O29: a restart while the person signs in: the old page says so, and the new link does it, by its address sent as well (%s)",
  async (on) => {
    const { far, remote: service } = await withRemote();
    const asks = "What do they say far away?";
    const toy = scripted({ [asks]: [{ call: "far__echo", input: { message: "heron" } }, "They said it."] });
    await using day = await appsDay(on, [far], toy);
    day.say(asks);
    const card = await day.shown("Connect Far?");
    day.press(card, "Connect");
    const waits = await day.becomes(card, ({ buttons }) => buttons.flat().some(({ url }) => url !== undefined));
    const old = await service.browse(urlOf(waits));
    await day.restart();
    const again = await day.becomes(card, ({ buttons }) =>
      buttons.flat().some(({ url }) => url !== undefined && url !== urlOf(waits)),
    );
    const page = await (await fetch(old)).text();
    expect(page).toContain("Go back to the chat");
    expect(toy.turns).toHaveLength(1);
    const back = await service.browse(urlOf(again));
    day.say(back.href);
    await day.becomes(card, "Connected Far · carrying on");
    await day.until(() => toy.results.at(-1)?.text.includes("heron"));
    await day.settled();
    expect(toy.turns).toHaveLength(2);
    const code = back.searchParams.get("code") ?? "";
    expect(code).not.toBe("");
    expect(JSON.stringify(await day.entries())).not.toContain(code);
    expect(day.texts(SAM).filter((text) => text.includes(code))).toEqual([]);
  },
);

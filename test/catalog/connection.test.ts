// Real MCP servers from npm as apps, on stdio.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, afterEach, describe, expect, it } from "vitest";
import type { AppEntry } from "../../src/catalog/entries.ts";
import {
  entryOf,
  hostile,
  itemOf,
  patient,
  programOf,
  run,
  setStage,
  toolOf,
  when,
  type Stage,
} from "../wire/mcp-stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await setStage();
});
afterEach(async () => {
  await stage[Symbol.asyncDispose]();
});

const node = process.execPath;
const everything = (more: Partial<AppEntry> = {}): AppEntry =>
  entryOf("every", { kind: "stdio", command: [node, programOf("everything"), "stdio"] }, more);
const filesystem = (): AppEntry =>
  entryOf("files", { kind: "stdio", command: [node, programOf("filesystem"), stage.folder] });
const memory = (more: Partial<AppEntry> = {}): AppEntry =>
  entryOf("notes", { kind: "stdio", command: [node, programOf("memory")] }, more);

describe("apps from npm", () => {
  it("O12, O22: an app is off until it is turned on, then its tools work, and off again takes them away", async () => {
    const catalog = await stage.open([everything()]);
    expect(itemOf(catalog, "every").state).toBe("off");
    expect(catalog.tools).toEqual([]);
    expect(await catalog.turnOn("app", "every", "on", patient)).toEqual({ is: "on" });
    expect(itemOf(catalog, "every").state).toBe("on");
    expect(itemOf(catalog, "every").trouble).toBeUndefined();
    const echo = toolOf(catalog, "every__echo");
    expect(await run(echo, { message: "Grüße" })).toEqual({
      outcome: "ok",
      text: "Echo: Grüße",
      marks: [{ kind: "app", label: "EVERY", source: "app/every" }],
    });
    expect((await run(toolOf(catalog, "every__get-sum"), { a: 2, b: 40 })).text).toContain("42");
    await catalog.turnOff("app", "every");
    expect(itemOf(catalog, "every").state).toBe("off");
    expect(catalog.tools).toEqual([]);
    await expect(run(echo, { message: "still there?" })).rejects.toThrow("EVERY is off now. It was not done.");
  });

  it("O60a: what is no text is named in a line, and structured results come as text", async () => {
    const catalog = await stage.open([everything()]);
    await catalog.turnOn("app", "every", "on", patient);
    expect((await run(toolOf(catalog, "every__get-tiny-image"))).text).toContain("[an image, image/png]");
    expect((await run(toolOf(catalog, "every__get-structured-content"), { location: "New York" })).text).toContain(
      "temperature",
    );
    expect((await run(toolOf(catalog, "every__get-resource-links"), { count: 2 })).text).toContain("[a link, ");
  });

  it("O70: no tool for sampling, elicitation or roots is offered by a server that is told of none", async () => {
    const catalog = await stage.open([everything()]);
    await catalog.turnOn("app", "every", "on", patient);
    const names = catalog.tools.map((tool) => tool.name);
    expect(names).toContain("every__echo");
    expect(names.filter((name) => /sampling|elicit|roots/u.test(name))).toEqual([]);
  });

  it("O22, O27: what is on comes back after a restart by itself, and opening does not wait for it", async () => {
    const first = await stage.open([memory(), filesystem()]);
    await first.turnOn("app", "notes", "on", patient);
    await first[Symbol.asyncDispose]();
    const second = await stage.open([memory(), filesystem()]);
    expect(itemOf(second, "notes").state).toBe("on");
    expect(second.tools).toEqual([]);
    await when(second, () => second.tools.length > 0);
    expect(second.tools.every((tool) => tool.name.startsWith("notes__"))).toBe(true);
    expect(itemOf(second, "files").state).toBe("off");
  });

  it("O22: an app that the config has on is on from the start, until it is turned off for good", async () => {
    const entries = [memory({ connected: true, reviewed: false })];
    const first = await stage.open(entries);
    await when(first, () => first.tools.length > 0);
    await first.turnOff("app", "notes");
    await first[Symbol.asyncDispose]();
    const second = await stage.open(entries);
    expect(itemOf(second, "notes").state).toBe("off");
  });

  it("O60b: files are read and written where the app was pointed to, and its own failures are words", async () => {
    await writeFile(join(stage.folder, "hello.txt"), "from the disk");
    const catalog = await stage.open([filesystem()]);
    await catalog.turnOn("app", "files", "on", patient);
    const read = toolOf(catalog, "files__read_text_file");
    expect(read.row).toBe("app-read");
    expect(read.effect).toBe("read");
    expect((await run(read, { path: join(stage.folder, "hello.txt") })).text).toBe("from the disk");
    const write = toolOf(catalog, "files__write_file");
    expect([write.row, write.effect]).toEqual(["app-act", "act"]);
    await run(write, { path: join(stage.folder, "new.txt"), content: "written" });
    expect(await readFile(join(stage.folder, "new.txt"), "utf8")).toBe("written");
    const outside = await run(read, { path: "/etc/passwd" });
    expect(outside.outcome).toBe("error");
    expect(outside.marks).toEqual([{ kind: "app", label: "FILES", source: "app/files" }]);
  });

  it("O22: a program gets its own variables and nothing else of ours", async () => {
    process.env["TIDEGATE_TEST_SECRET"] = "never";
    const connect = {
      ...hostile("environment").connect,
      keys: ["NOTES_KEY"],
      env: { NOTES_URL: "https://x/${NOTES_KEY}/${HOME}" },
    };
    const catalog = await stage.open([entryOf("bad", connect)], { env: { NOTES_KEY: "k$&1", OTHER: "not asked for" } });
    expect(itemOf(catalog, "bad").connects).toEqual({ by: "key", variables: [{ name: "NOTES_KEY", set: true }] });
    await catalog.turnOn("app", "bad", "on", patient);
    const told = await run(toolOf(catalog, "bad__go"));
    delete process.env["TIDEGATE_TEST_SECRET"];
    const { env, cwd } = JSON.parse(told.text) as { env: Record<string, string>; cwd: string };
    expect(cwd).toBe(join(stage.folder, "work/apps/bad"));
    expect(env["NOTES_KEY"]).toBe("k$&1");
    expect(env["NOTES_URL"]).toBe("https://x/k$&1/${HOME}");
    expect(env["PATH"]).toBe(process.env["PATH"]);
    expect(env["OTHER"]).toBeUndefined();
    expect(env["TIDEGATE_TEST_SECRET"]).toBeUndefined();
  });

  it("O23: a missing key, a missing program and an unknown name are told in words", async () => {
    const keyed = entryOf("keyed", { kind: "stdio", command: ["true"], keys: ["A_KEY", "B_KEY"] });
    const gone = entryOf("gone", { kind: "stdio", command: ["/no/such/program"] });
    const past = entryOf("past", { kind: "stdio", command: ["true"] }, { retired: true });
    const catalog = await stage.open([keyed, gone, past], { env: { B_KEY: "set" } });
    const missing = await catalog.turnOn("app", "keyed", "on", patient);
    expect(missing).toEqual({
      is: "not-yet",
      words: "KEYED needs A_KEY: put it into the .env file beside the config, and restart Tidegate.",
    });
    await expect(catalog.turnOn("app", "gone", "on", patient)).rejects.toThrow(
      "GONE can't be started: its program isn't there.",
    );
    expect(itemOf(catalog, "gone").state).toBe("off");
    expect(await catalog.turnOn("app", "past", "on", patient)).toEqual({
      is: "not-yet",
      words: "PAST is no longer offered.",
    });
    expect(await catalog.turnOn("app", "nobody", "on", patient)).toMatchObject({ is: "not-yet" });
  });
});

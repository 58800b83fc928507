// Apps on the command line with the real program: by its own lock, and through the gateway that runs.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { programOf } from "../wire/mcp-stage.ts";
import { Home } from "./cli-child.ts";

const TOOL = "mem__create_entities";
const NOTE = JSON.stringify({ entities: [{ name: "tea", entityType: "note", observations: ["at five"] }] });

/** A home whose config has a real MCP server on, and one that isn't there. */
function withApps(): Home {
  const home = new Home();
  home.config(
    JSON.stringify({
      channels: { terminal: {} },
      apps: {
        mem: {
          command: [process.execPath, programOf("memory")],
          env: { MEMORY_FILE_PATH: join(home.folder, "memory.json") },
          connected: true,
        },
        gone: { command: ["/nowhere/at/all"], connected: true },
      },
    }),
  );
  return home;
}

describe("apps on the command line", { timeout: 60_000 }, () => {
  it("F23: with no config apps lists what can be connected, a line each, and what each needs", async () => {
    await using home = new Home();
    const { code, out, err } = await home.run(["apps"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const lines = out.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThanOrEqual(25);
    for (const line of lines) expect(line).toMatch(/^[a-z0-9-]+ +\[[^\]]+\] {2}\S.* – \S/u);
    expect(out).toMatch(/^files +\[needs TIDEGATE_FILES\]/mu);
    expect(out).toMatch(/^memory +\[can be connected with \/apps in a chat\]/mu);
  });

  it("F16: run --tools gives just those, waits for an app that is connecting, and what it does is done", async () => {
    await using home = withApps();
    const done = await home.run(["run", "--tools", TOOL, `call ${TOOL} ${NOTE}`]);
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining("at five") });
    expect(home.read("memory.json")).toContain("at five");
    // The clock is not among them.
    expect((await home.run(["run", "--tools", TOOL, "what time is it"])).out).toContain("no clock");
    expect((await home.run(["run", "--tools", "now, ", "what time is it"])).out).toContain("By the clock tool");
    expect((await home.run(["run", "--tools", "", "what time is it"])).out).toContain("no clock");
  });

  it("F16, F4: an unknown name is refused before anything runs, with the nearest, and no chat is made of it", async () => {
    await using home = withApps();
    const typo = await home.run(["run", "--tools", "now,mem__create_entitys", "say hi"]);
    expect(typo).toMatchObject({ code: 1, out: "" });
    expect(typo.err).toContain(`There is no tool mem__create_entitys that a run can be given. Did you mean ${TOOL}?`);
    const gone = await home.run(["run", "--tools", "gone__x,search_chats", "say hi"]);
    expect(gone.err).toContain("There is no tool gone__x, search_chats");
    expect(gone.err).toContain("gone: on, and not answering");
    expect((await home.run(["chats"])).out).toBe("");
  });

  it("F16, F23, G29: through a gateway that runs it is the same, and doctor says what does not answer", async () => {
    await using home = withApps();
    const running = await home.gateway();
    const run = await home.run(["run", "--tools", TOOL, `call ${TOOL} ${NOTE}`]);
    expect(run.out).toContain("at five");
    expect(await home.run(["run", "--tools", "nwo", "say hi"])).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/no tool nwo .*Did you mean now\?[\s\S]*\.\/tidegate apps/u),
    });
    const { out } = await home.run(["apps"]);
    expect(
      out
        .split("\n")
        .slice(0, 2)
        .map((line) => line.split("  ")[0]?.trim()),
    ).toEqual(["mem", "gone"]);
    expect(out).toMatch(/^mem +\[connected\]/mu);
    const doctor = await home.run(["doctor"]);
    expect(doctor.out).toContain("ok    apps: connected: mem");
    expect(doctor.out).toContain("warn  app gone: on, and not answering: ");
    running.child.stdin?.end();
    expect((await running.end).code).toBe(0);
  });
});

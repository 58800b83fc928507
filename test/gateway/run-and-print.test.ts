// What the commands print at a terminal, and who asked and left.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Engine } from "../../src/core/engine.ts";
import { GatewayError } from "../../src/core/error.ts";
import { demoEngine } from "../../src/engines/demo/engine.ts";
import { carry } from "../../src/gateway/carry.ts";
import { ask, listen } from "../../src/gateway/socket.ts";
import { bareGateway, surroundings } from "./bare.ts";
import { Home } from "./cli-child.ts";

const launcher = fileURLToPath(new URL("../../tidegate", import.meta.url));
/** A title, a colour, and the same in the signs that need no escape before them. */
const STEERING = "fine\u001b]0;owned\u0007\u001b[31m red\u009b32m\u0085 end";
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u;

/** Node can't make a terminal by itself; Python can, where it is installed. */
function canMakeTerminals(): boolean {
  try {
    execFileSync("python3", ["-c", "import pty"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("printing", { timeout: 60_000 }, () => {
  test("F4, G32: export escapes every sign that would steer a terminal, and stays JSON of the same words", async () => {
    await using home = new Home();
    await home.run(["run", `say ${STEERING}`]);
    const [id = ""] = (await home.run(["chats"])).out.split(" ");
    const { out, code } = await home.run(["export", id]);
    expect(code).toBe(0);
    expect(out).not.toMatch(CONTROLS);
    expect(out).toContain("\\u009b32m");
    const [message] = out.split("\n").map((line) => (line === "" ? undefined : (JSON.parse(line) as object)));
    expect(message).toMatchObject({ message: { parts: [{ text: `say ${STEERING}` }] } });
  });

  test("F4, G30: on a pipe run prints the answer as it is, for programs", async () => {
    await using home = new Home();
    expect((await home.run(["run", `say ${STEERING}`])).out).toBe(`${STEERING}\n`);
  });

  test.runIf(canMakeTerminals())("F4, G30: at a terminal run prints no sign that steers it", async () => {
    await using home = new Home();
    const make = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    const child = spawn("python3", ["-c", make, process.execPath, launcher, "run", `say ${STEERING}`], {
      cwd: home.folder,
      env: { PATH: process.env["PATH"], HOME: home.folder, NO_COLOR: "1" },
      stdio: ["pipe", "pipe", "inherit"],
      timeout: 60_000,
    });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
    const [code] = (await once(child, "close")) as [number];
    // The terminal itself ends lines with both signs.
    const said = out.replaceAll("\r\n", "\n");
    expect(code).toBe(0);
    expect(said).toContain("fine]0;owned[31m red32m end\n");
    expect(said).not.toMatch(CONTROLS);
  });
});

describe("who asked and left", () => {
  /** A gateway whose engine comes only when it is let. */
  async function waiting() {
    const asked = Promise.withResolvers<void>();
    const come = Promise.withResolvers<void>();
    const engine = async (): Promise<Engine> => {
      asked.resolve();
      await come.promise;
      return demoEngine({ name: "demo", clock: surroundings.clock });
    };
    const bare = await bareGateway({ engine });
    const carried = carry(bare.gateway, bare.store, bare.search, "Sam", (text) => text, surroundings);
    return { ...bare, asked, come, carried };
  }

  test.each([
    { when: "before its request was read", early: true },
    { when: "before its turn began", early: false },
  ])("G30, D33: a run whose caller hung up $when is stopped", async ({ early }) => {
    await using here = await waiting();
    const gone = new AbortController();
    if (early) gone.abort();
    const run = here.carried({ do: "run", prompt: "say too late" }, gone.signal);
    await here.asked.promise;
    gone.abort();
    here.come.resolve();
    await expect(run).rejects.toBeInstanceOf(GatewayError);
    const [chat] = await here.store.conversations.list();
    const entries = await here.store.log.read(chat!.id);
    expect(entries.at(-1)).toMatchObject({ kind: "turn-ended", reason: "stopped" });
    expect(entries.filter(({ kind }) => kind === "text")).toEqual([]);
  });

  test("D33, G44: what the gateway refuses arrives with what to do about it", async () => {
    const data = mkdtempSync(join(tmpdir(), "tg-"));
    const refuse = async (): Promise<string> => {
      throw new GatewayError("not-found", "There is no chat c1.", { hint: "./tidegate chats lists them." });
    };
    {
      await using _live = await listen(data, refuse, surroundings.log);
      await expect(ask(data, { do: "archive", conversation: "c1" })).rejects.toMatchObject({
        code: "not-found",
        message: "There is no chat c1.",
        hint: "./tidegate chats lists them.",
      });
    }
    rmSync(data, { recursive: true });
  });
});

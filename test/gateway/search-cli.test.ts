// What a person types behind ./tidegate search.
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { Home } from "./cli-child.ts";

const QUIET = "channels: { terminal: {} }\n";

test(
  "D32, F13: search where there is no data yet says so, as chats does, and makes nothing",
  { timeout: 60_000 },
  async () => {
    await using home = new Home();
    home.config(QUIET);
    const chats = await home.run(["chats"]);
    const search = await home.run(["search", "harbour"]);
    expect(existsSync(home.data)).toBe(false);
    expect(search.err).toBe(chats.err);
  },
);

test(
  "F13: what can't be looked for is answered alike beside a live gateway and without one",
  { timeout: 60_000 },
  async () => {
    await using home = new Home();
    home.config(QUIET);
    await home.run(["run", "say the harbour is closed"]);
    const alone = await home.run(["search", ""]);
    await home.gateway();
    expect(await home.run(["search", ""])).toEqual(alone);
  },
);

test(
  "F13: a query that is too short is the person's slip, and no warning of the gateway's",
  { timeout: 60_000 },
  async () => {
    await using home = new Home();
    home.config(QUIET);
    const gateway = await home.gateway();
    expect((await home.run(["search", "x"])).err).toMatch(/short/u);
    gateway.child.kill("SIGTERM");
    const { out, err } = await gateway.end;
    expect(out + err).not.toContain("can't be carried out");
  },
);

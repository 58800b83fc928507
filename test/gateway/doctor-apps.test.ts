// doctor's lines about apps: what is on in the gateway that runs, and the file with the key.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { appLines } from "../../src/gateway/app-commands.ts";
import { listen } from "../../src/gateway/socket.ts";
import { app } from "../cards/catalog.ts";
import { surroundings } from "./bare.ts";
import { Place } from "./doctor-look.ts";

it("G29, F23: what is connected is named, and what is on and does not answer says why; what is off is no line", async () => {
  using home = new Place();
  const data = join(home.folder, ".tidegate");
  mkdirSync(data, { mode: 0o700 });
  const items = [
    app("mail", { state: "on" }),
    app("notes", { state: "on" }),
    app("away", { state: "on", trouble: "away needs AWAY_KEY: put it into the .env file." }),
    app("other", { state: "changed" }),
    app("off"),
  ];
  await using _live = await listen(
    data,
    async ({ do: what }) => (what === "apps" ? appLines(items) : "here"),
    surroundings.log,
  );
  const { of, healthy, lines } = await home.look();
  expect(healthy).toBe(true);
  expect(of("apps")).toEqual(["ok    connected: mail, notes"]);
  expect(of("app away")).toEqual(["warn  on, and not answering: away needs AWAY_KEY: put it into the .env file."]);
  expect(of("app other")).toEqual([expect.stringContaining("not the ones that were agreed to: /apps in a chat")]);
  expect(lines.filter((line) => line.includes("app"))).toHaveLength(3);
});

it("G29: the key file is private or told of, and without an app nothing is said of any", async () => {
  using home = new Place();
  const data = join(home.folder, ".tidegate");
  expect((await home.look()).of("apps")).toEqual([]);
  mkdirSync(data, { mode: 0o700 });
  const key = join(data, "apps.key");
  writeFileSync(key, "k", { mode: 0o600 });
  expect((await home.look()).of("apps")).toEqual([]);
  chmodSync(key, 0o640);
  const { of, healthy } = await home.look();
  expect(of("apps")).toEqual([
    expect.stringMatching(/^warn {2}others on this machine can read .*apps\.key.*chmod 600/u),
  ]);
  expect(healthy).toBe(true);
});

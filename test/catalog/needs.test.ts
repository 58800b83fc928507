// What an entry's variables become: arguments, an environment, and what they may not name.
import { describe, expect, test } from "vitest";
import type { AppEntry } from "../../src/catalog/entries.ts";
import { commandOf, filled } from "../../src/catalog/needs.ts";

const DATA = "/home/sam/.tidegate";
const files: AppEntry = {
  ...{ id: "files", name: "Files", tagline: "Files", about: "Files", cues: { words: [], not: [] }, may: ["Read"] },
  ...{ featured: true, retired: false, reviewed: true, annotations: true, tried: true },
  connect: { kind: "stdio", command: ["serve", "${FOLDER}", "${OTHER}"], keys: ["FOLDER"] },
};

describe("A20: an app's program", () => {
  test("gets its own variables in its arguments, and no others", () => {
    expect(commandOf(files, { FOLDER: "/srv/shared", OTHER: "secret" }, DATA)).toEqual([
      "serve",
      "/srv/shared",
      "${OTHER}",
    ]);
  });

  test.each([
    ["the data folder", DATA],
    ["a folder in it", `${DATA}/work`],
    ["one that holds it", "/home/sam"],
    ["one by a way around", "/home/sam/x/../.tidegate/"],
  ])("is never given %s", (_, folder) => {
    expect(() => commandOf(files, { FOLDER: folder }, DATA)).toThrow(/what Tidegate keeps lies there/u);
  });

  test("is given a folder whose name only begins like it", () => {
    expect(commandOf(files, { FOLDER: `${DATA}-old` }, DATA)[1]).toBe(`${DATA}-old`);
  });

  test("learns how this machine reaches the outside, and nothing else of the environment", () => {
    const env = {
      FOLDER: "/srv/shared",
      HTTPS_PROXY: "http://proxy.example",
      NODE_EXTRA_CA_CERTS: "/etc/ca.pem",
      TOKEN: "secret",
    };
    expect(filled(files, env)).toEqual({
      FOLDER: "/srv/shared",
      HTTPS_PROXY: "http://proxy.example",
      NODE_EXTRA_CA_CERTS: "/etc/ca.pem",
    });
  });
});

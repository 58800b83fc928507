import { expect, test } from "vitest";
import { COMMAND_NAMES, inPlatformsWords } from "../../src/gateway/command-words.ts";
import { MENU } from "../../src/gateway/commands.ts";

test("F17: every command that there is has its words, and no other", () => {
  expect([...COMMAND_NAMES].toSorted()).toEqual(MENU.map(({ name }) => name).toSorted());
});

test("F17: our own words name a command as it is typed there; paths, addresses and other words stay", () => {
  const words =
    "/stop me first, or wait. (See `/people let-in ID`, “/new”.) /status/x a/new /newer https://x.test/new ./new";
  expect(inPlatformsWords(words, "/")).toBe(words);
  expect(inPlatformsWords(words, "/tidegate ")).toBe(
    "/tidegate stop me first, or wait. (See `/tidegate people let-in ID`, “/tidegate new”.) /status/x a/new /newer https://x.test/new ./new",
  );
});

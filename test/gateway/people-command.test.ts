// `people`: what it says and does, without a program around it.
import { expect, test } from "vitest";
import { GatewayError } from "../../src/core/error.ts";
import { managePeople, type PeopleParts } from "../../src/gateway/people-command.ts";
import { takePairing } from "../../src/gateway/pairing.ts";
import type { PEOPLE_VERBS } from "../../src/gateway/socket.ts";
import { alone, doorstep, known, sender, type Doorstep } from "./doorstep.ts";

type Verb = (typeof PEOPLE_VERBS)[number];

/** What a command prints, or the refusal's words. */
async function ask(here: Doorstep, parts: PeopleParts, verb: Verb, id?: string): Promise<string> {
  try {
    return await managePeople({ do: "people", verb, id }, parts, here.store, here.surroundings);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return `${thrown.code}: ${thrown.message}`;
    throw thrown;
  }
}

const parts = async (
  here: Doorstep,
  owners?: Record<string, string>,
  states: readonly string[] = ["telegram"],
): Promise<PeopleParts> => ({
  people: await here.people({}, owners),
  invites: () => [],
  states: states.map((name) => ({ name })),
});

test("F14: list prints a line each, on one line whatever the name, the owner of the config first", async () => {
  await using here = await doorstep();
  const its = await parts(here);
  expect(await ask(here, its, "list")).toBe("owner telegram/1001 Sam (by the config)");
  await its.people.commit([
    {
      do: "know",
      known: known("12345", "guest", { name: "Ana\u001B[31m\nowner telegram/666", at: Date.UTC(2026, 10, 30) }),
    },
    { do: "know", known: known("-100", "blocked", { name: "Fam", at: Date.UTC(2026, 11, 1) }) },
    { do: "know", known: known("2002", "owner", { at: Date.UTC(2026, 11, 2) }) },
  ]);
  expect(await ask(here, its, "list")).toBe(
    [
      "owner telegram/1001 Sam (by the config)",
      "guest telegram/12345 Ana[31m owner telegram/666 (since 2026-11-30)",
      "blocked telegram/-100 Fam (group, since 2026-12-01)",
    ].join("\n"),
  );
  expect(await ask(here, await parts(here, {}), "list")).toContain("owner telegram/2002 Name 2002 (since 2026-12-02)");
});

test("F14: with nobody there it says so, and how to begin", async () => {
  await using here = await doorstep();
  expect(await ask(here, await parts(here, {}), "list")).toContain("./tidegate people pair");
});

test("F14, A47: lets in, blocks and forgets by id, known or not", async () => {
  await using here = await doorstep();
  const its = await parts(here);
  expect(await ask(here, its, "let-in", "telegram/12345")).toBe("Let in: telegram/12345");
  expect(its.people.who("telegram", sender("12345"), alone("12345")).standing).toBe("guest");
  await its.people.commit([{ do: "know", known: known("2002", "asked", { name: "Ana" }) }]);
  expect(await ask(here, its, "let-in", "telegram/2002")).toBe("Let in: telegram/2002 Ana");
  expect(await ask(here, its, "block", "telegram/2002")).toBe("Blocked: telegram/2002 Ana");
  expect(its.people.who("telegram", sender("2002"), alone("2002")).standing).toBe("blocked");
  expect(await ask(here, its, "forget", "telegram/2002")).toBe("Forgotten: telegram/2002 Ana");
  expect(await ask(here, its, "block", "slack/T01/U01")).toBe("Blocked: slack/T01/U01");
  expect((await here.people()).list().map(({ platform, id }) => `${platform}/${id}`)).toEqual([
    "slack/T01/U01",
    "telegram/12345",
  ]);
});

test("F14, A47: an id that is none, an app that is none, nobody known, and the owner are refused in words", async () => {
  await using here = await doorstep();
  const its = await parts(here);
  for (const id of ["12345", "telegram/", "telegram/a b", "Telegram/1"])
    expect(await ask(here, its, "let-in", id)).toBe(
      "bad-request: An id has the form platform/id, such as telegram/12345.",
    );
  expect(await ask(here, its, "let-in", "telegarm/1")).toContain("Did you mean telegram?");
  expect(await ask(here, its, "forget", "telegram/77")).toContain("not-found: Nobody is known by the id telegram/77.");
  for (const verb of ["let-in", "block", "forget"] as const)
    expect(await ask(here, its, verb, "telegram/1001")).toBe("bad-request: That is you, the owner.");
  expect(its.people.list()).toEqual([]);
});

test("F14, A48: pair prints a code that pairs, with the link where there is one", async () => {
  await using here = await doorstep();
  const its = await parts(here, {});
  const words = await ask(here, its, "pair");
  const [, code = ""] =
    /^Send \/start (\S{22}) to your bot in a private chat\.\n.*10 minutes, once\.$/u.exec(words) ?? [];
  const who = { platform: "telegram", sender: sender("2002"), room: alone("2002"), at: here.now() };
  const paired = await takePairing(here.store, its.people, code, who, here.surroundings);
  expect(paired.ok && (await its.people.commit(paired.changes)).ok).toBe(true);
  // An owner who was only paired can be forgotten.
  expect(await ask(here, its, "block", "telegram/2002")).toContain("That is you");
  expect(await ask(here, its, "forget", "telegram/2002")).toBe("Forgotten: telegram/2002 Name 2002");
  expect(its.people.owned("telegram")).toBe(false);
  const linked = await ask(here, { ...its, invites: (code) => [`https://t.me/my_bot?start=${code}`] }, "pair");
  expect(linked).toMatch(/^Open in your chat app:\nhttps:\/\/t\.me\/my_bot\?start=[\w-]{22}\n/u);
});

test("F14, A48: where the config names every owner there is nothing to pair", async () => {
  await using here = await doorstep();
  const its = await parts(here, { telegram: "1001" }, ["telegram", "terminal"]);
  expect(await ask(here, its, "pair")).toContain("bad-request: The config names the owner already");
  expect(await here.store.records.cursor("pairing")).toBeUndefined();
  expect(await ask(here, await parts(here, { telegram: "1001" }, ["telegram", "discord"]), "pair")).toContain("/start");
});

// The one-time code that makes someone the owner.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { issuePairing, pairingCodeIn, PAIRING_MS, takePairing, type Paired } from "../../src/gateway/pairing.ts";
import type { People } from "../../src/gateway/people.ts";
import { alone, doorstep, GROUP, known, sender, type Doorstep } from "./doorstep.ts";

/** Presents a code in a private chat and commits what comes of it; gives whether that made an owner. */
async function present(
  here: Doorstep,
  people: People,
  code: string,
  more: Partial<Parameters<typeof takePairing>[3]> = {},
): Promise<boolean> {
  const paired = await judge(here, people, code, more);
  return paired.ok && (await people.commit(paired.changes)).ok;
}

async function judge(
  here: Doorstep,
  people: People,
  code: string,
  more: Partial<Parameters<typeof takePairing>[3]> = {},
): Promise<Paired> {
  const who = { platform: "telegram", sender: sender("2002", "Ana"), room: alone("2002"), at: here.now(), ...more };
  return await takePairing(here.store, people, code, who, here.surroundings);
}

test("A48: a code has 128 bits, only its digest is kept, and whoever presents it in private is the owner", async () => {
  await using here = await doorstep();
  const people = await here.people({}, {});
  const code = await issuePairing(here.store, here.surroundings);
  expect(Buffer.from(code, "base64url")).toHaveLength(16);
  const kept = await here.store.records.cursor("pairing");
  expect(kept).not.toContain(code);
  expect(JSON.parse(kept ?? "")).toEqual({
    hash: createHash("sha256").update(code).digest("hex"),
    until: here.now() + 10 * 60_000,
  });
  const paired = await judge(here, people, code);
  expect(paired).toMatchObject({ ok: true, person: { platform: "telegram", id: "2002", name: "Sam", role: "owner" } });
  if (paired.ok) await people.commit(paired.changes);
  expect(people.isOwner("telegram/2002")).toBe(true);
  expect(people.known("telegram", "2002")).toEqual(known("2002", "owner", { name: "Ana", at: here.now() }));
  expect((await here.people({}, {})).isOwner("telegram/2002")).toBe(true);
});

test("A48: it is used once: not by another, not by two at once, not after a restart", async () => {
  await using here = await doorstep();
  const people = await here.people({}, {});
  const code = await issuePairing(here.store, here.surroundings);
  const [one, other] = await Promise.all([
    judge(here, people, code),
    judge(here, people, code, { sender: sender("3003"), room: alone("3003") }),
  ]);
  if (!one.ok || !other.ok) throw new Error("Both were in time.");
  expect((await people.commit(one.changes)).ok).toBe(true);
  expect(await people.commit(other.changes)).toMatchObject({ ok: false, because: "claimed", by: "telegram/2002" });
  expect([people.isOwner("telegram/2002"), people.isOwner("telegram/3003")]).toEqual([true, false]);
  for (const anew of [people, await here.people({}, {})])
    expect(await present(here, anew, code, { sender: sender("3003"), room: alone("3003") })).toBe(false);
});

test("A48: it is good for 10 minutes", async () => {
  await using here = await doorstep();
  const people = await here.people({}, {});
  const code = await issuePairing(here.store, here.surroundings);
  here.wait(PAIRING_MS);
  expect(await present(here, people, code)).toBe(false);
  here.wait(-1);
  expect(await present(here, people, code)).toBe(true);
});

test("A48: a new code takes the place of the one before; a wrong one is refused and uses nothing up", async () => {
  await using here = await doorstep();
  const people = await here.people({}, {});
  expect(await present(here, people, "A".repeat(22))).toBe(false);
  const old = await issuePairing(here.store, here.surroundings);
  const code = await issuePairing(here.store, here.surroundings);
  for (const wrong of [old, "", code.slice(1), `${code}x`, code.toLowerCase(), "A".repeat(22)])
    expect(await present(here, people, wrong)).toBe(false);
  expect(await present(here, people, code)).toBe(true);
});

test("A48: only a person in a one-to-one chat can use it", async () => {
  await using here = await doorstep();
  const people = await here.people({}, {});
  const code = await issuePairing(here.store, here.surroundings);
  expect(await present(here, people, code, { room: GROUP })).toBe(false);
  expect(await present(here, people, code, { room: { ...GROUP, chat: "2002" } })).toBe(false);
  expect(await present(here, people, code, { room: alone("2002", "discord") })).toBe(false);
  expect(await present(here, people, code, { sender: { ...sender("2002"), bot: true } })).toBe(false);
  expect(people.owned("telegram")).toBe(false);
  expect(await present(here, people, code)).toBe(true);
});

test("A48: where the config names the owner, and at the terminal, there is nothing to pair", async () => {
  await using here = await doorstep();
  const people = await here.people({}, { telegram: "1001" });
  const code = await issuePairing(here.store, here.surroundings);
  expect(await present(here, people, code)).toBe(false);
  const terminal = { platform: "terminal", sender: sender("me"), room: alone("terminal", "terminal") };
  expect(await present(here, people, code, terminal)).toBe(false);
  const discord = { platform: "discord", sender: sender("9"), room: alone("d", "discord") };
  expect(await present(here, people, code, discord)).toBe(true);
  expect(people.isOwner("discord/9")).toBe(true);
});

test("A48: whoever is paired takes the place of an earlier one of that platform, and of nobody else", async () => {
  await using here = await doorstep();
  const people = await here.people({}, {});
  await people.commit([
    { do: "know", known: known("3003", "owner") },
    { do: "know", known: known("4004", "guest") },
    { do: "know", known: known("4004", "owner", { platform: "discord" }) },
    { do: "know", known: known("2002", "blocked") },
  ]);
  expect(await present(here, people, await issuePairing(here.store, here.surroundings))).toBe(true);
  expect(people.list().map(({ platform, id, standing }) => `${platform}/${id} ${standing}`)).toEqual([
    "discord/4004 owner",
    "telegram/4004 guest",
    "telegram/2002 owner",
  ]);
});

test("A48: a code is found alone, behind /start and behind pair, and in nothing else", () => {
  const code = `${"Ab-_".repeat(5)}xy`;
  for (const text of [
    code,
    `/start ${code}`,
    ` /start@my_bot  ${code}\n`,
    `pair ${code}`,
    `Pair ${code}`,
    `/pair ${code}`,
  ])
    expect(pairingCodeIn(text)).toBe(code);
  for (const text of [
    "",
    "/start",
    `my code is ${code}`,
    `${code}z`,
    code.slice(1),
    `${code} ${code}`,
    `${code.slice(1)}é`,
  ])
    expect(pairingCodeIn(text)).toBeUndefined();
});

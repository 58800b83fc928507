// What is not suggested any more: read once, and changed without losing anything.
import { expect, it } from "vitest";
import { mute, MUTES, mutedKey, readMutes } from "../../src/cards/mutes.ts";
import { settingsOf } from "../gateway/plain-settings.ts";

it("O13, O31: changes made at once are all kept, and each can be taken back", async () => {
  const settings = settingsOf();
  await Promise.all(["mail", "drive", "skill:trips"].map(async (key) => await mute(key, true, settings)));
  expect([...(await readMutes(settings))].toSorted()).toEqual(["drive", "mail", "skill:trips"]);
  await Promise.all([mute("mail", false, settings), mute("notes", true, settings)]);
  expect(settings.all.get(MUTES)).toEqual(["drive", "skill:trips", "notes"]);
  expect([...(await readMutes(settings))]).toEqual(["drive", "skill:trips", "notes"]);
});

it("O13: a disk that fails is asked again, and what could not be written is not believed", async () => {
  const kept = settingsOf({ [MUTES]: ["mail"] });
  let fails = true;
  const settings = {
    get: async <T>(key: string): Promise<T | undefined> =>
      fails ? await Promise.reject(new Error("disk")) : await kept.get<T>(key),
    set: async (key: string, value: unknown): Promise<void> =>
      fails ? await Promise.reject(new Error("disk")) : await kept.set(key, value),
  };
  await expect(readMutes(settings)).rejects.toThrow("disk");
  fails = false;
  expect([...(await readMutes(settings))]).toEqual(["mail"]);
  fails = true;
  await expect(mute("drive", true, settings)).rejects.toThrow("disk");
  fails = false;
  expect([...(await readMutes(settings))]).toEqual(["mail"]);
});

it("O13: an app and a skill of one name are two things, and what is broken is nothing", async () => {
  expect([mutedKey({ kind: "app", id: "a" }), mutedKey({ kind: "skill", id: "a" })]).toEqual(["a", "skill:a"]);
  expect([...(await readMutes(settingsOf({ [MUTES]: "mail" })))]).toEqual([]);
});

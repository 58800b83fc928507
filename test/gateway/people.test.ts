// Who a sender is: by immutable ids alone, in private chats and in groups, before and after a restart.
import { describe, expect, test } from "vitest";
import { shownName } from "../../src/gateway/people.ts";
import { alone, doorstep, GROUP, known, owner, sender } from "./doorstep.ts";

describe("who someone is", () => {
  test("A47: the owner is the id of the config; the owner's name, or that id on another platform, is a stranger's", async () => {
    await using here = await doorstep();
    const people = await here.people();
    expect(people.who("telegram", sender("1001", "anything"), alone("1001"))).toEqual({
      standing: "owner",
      person: { platform: "telegram", id: "1001", name: "Sam", role: "owner" },
    });
    expect(people.who("telegram", sender("2002", "Sam"), alone("2002"))).toEqual({ standing: "stranger" });
    expect(people.who("discord", sender("1001", "Sam"), alone("1001", "discord"))).toEqual({ standing: "stranger" });
    expect(people.who("telegram", sender("10010", "Sam"), alone("10010"))).toEqual({ standing: "stranger" });
    expect(["telegram/1001", "telegram/2002", "discord/1001", "terminal/me"].map((key) => people.isOwner(key))).toEqual(
      [true, false, false, true],
    );
    expect(["telegram", "terminal", "cli", "discord"].map((platform) => people.owned(platform))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  test("A47: on Slack a person is team and user: the same user id in another team is somebody else", async () => {
    await using here = await doorstep();
    const people = await here.people({}, { slack: "T01/U01" });
    expect(people.who("slack", sender("T01/U01"), alone("D1", "slack")).standing).toBe("owner");
    expect(people.isOwner("slack/T01/U01")).toBe(true);
    for (const id of ["T02/U01", "U01", "T01", "T01/U01/x"])
      expect(people.who("slack", sender(id), alone("D2", "slack")).standing).toBe("stranger");
  });

  test("A47, T52: an owner stated by the short id is that person of the token's own team, also after a restart", async () => {
    await using here = await doorstep();
    const stated = { slack: "U01" };
    const people = await here.people({}, stated);
    const own = { ...sender("T01/U01"), homeId: "U01" };
    expect(people.isOwner("slack/T01/U01")).toBe(false);
    // Another team's user of the same id belongs to no team of ours.
    expect(people.who("slack", sender("T02/U01"), alone("D2", "slack")).standing).toBe("stranger");
    expect(people.who("slack", own, alone("D1", "slack")).standing).toBe("owner");
    expect(["slack/T01/U01", "slack/T02/U01", "slack/U02"].map((key) => people.isOwner(key))).toEqual([
      true,
      false,
      false,
    ]);
    const room = { platform: "slack", chat: "D1", kind: "private" } as const;
    const person = { platform: "slack", id: "T01/U01", name: "Sam", role: "owner" } as const;
    await people.commit(people.notePrivate(room, person));
    await people.commit([{ do: "know", known: { ...known("U03", "guest"), platform: "slack" } }]);
    const guest = people.who("slack", { ...sender("T01/U03"), homeId: "U03" }, alone("D3", "slack"));
    expect(guest).toMatchObject({ standing: "guest", person: { id: "T01/U03" } });
    expect(people.who("slack", sender("T02/U03"), alone("D4", "slack")).standing).toBe("stranger");
    const after = await here.people({}, stated);
    expect(after.isOwner("slack/T01/U01")).toBe(true);
    expect(after.lastPrivate?.room).toEqual(room);
  });

  test("A47: a bot, an anonymous admin or a channel's own post is nobody, whatever id it carries", async () => {
    await using here = await doorstep();
    const people = await here.people();
    await people.commit([{ do: "know", known: known("3003", "guest") }]);
    for (const id of ["1001", "2002", "3003"])
      for (const room of [alone(id), GROUP])
        expect(people.who("telegram", { ...sender(id), bot: true }, room)).toEqual({ standing: "nobody" });
  });

  test("A47, A48: an owner by the config wins over one who was paired; without one, the paired one is", async () => {
    await using here = await doorstep();
    const first = await here.people({}, {});
    expect(first.owned("telegram")).toBe(false);
    await first.commit([{ do: "know", known: known("2002", "owner") }]);
    expect(first.owned("telegram")).toBe(true);
    expect(first.who("telegram", sender("2002"), alone("2002"))).toMatchObject({
      standing: "owner",
      person: { name: "Sam", role: "owner" },
    });
    const later = await here.people();
    expect(later.who("telegram", sender("2002"), alone("2002")).standing).toBe("stranger");
    expect(later.isOwner("telegram/2002")).toBe(false);
    expect(later.who("telegram", sender("1001"), alone("1001")).standing).toBe("owner");
  });

  test("A51: in a private chat only who was let in is a guest; asked, not now and forgotten are strangers", async () => {
    await using here = await doorstep();
    const people = await here.people();
    const standing = (): string => people.who("telegram", sender("2002", "Ana"), alone("2002")).standing;
    for (const [set, is] of [
      ["asked", "stranger"],
      ["later", "stranger"],
      ["guest", "guest"],
      ["blocked", "blocked"],
    ] as const) {
      await people.commit([{ do: "know", known: known("2002", set) }]);
      expect(standing()).toBe(is);
    }
    await people.commit([{ do: "forget-known", platform: "telegram", id: "2002" }]);
    expect(standing()).toBe("stranger");
    await people.commit([{ do: "know", known: known("2002", "guest") }]);
    expect(people.who("telegram", sender("2002", "Ana"), alone("2002"))).toEqual({
      standing: "guest",
      person: { platform: "telegram", id: "2002", name: "Ana", role: "guest" },
    });
  });

  test("A49: guests: block makes everyone but the owner blocked, let in or not", async () => {
    await using here = await doorstep();
    const people = await here.people({ guests: "block" });
    await people.commit([
      { do: "know", known: known("2002", "guest") },
      { do: "know", known: known("-100", "guest") },
    ]);
    for (const room of [alone("2002"), GROUP]) {
      expect(people.who("telegram", sender("2002"), room)).toEqual({ standing: "blocked" });
      expect(people.who("telegram", sender("1001"), room).standing).toBe("owner");
    }
  });
});

describe("groups", () => {
  test("A52: in a group that counts everyone is a guest but the blocked; in one that doesn't, nobody but the owner is anyone", async () => {
    await using here = await doorstep();
    const people = await here.people();
    await people.commit([
      { do: "know", known: known("3003", "blocked") },
      { do: "know", known: known("4004", "guest") },
    ]);
    const standings = (): readonly string[] =>
      ["1001", "2002", "3003", "4004"].map((id) => people.who("telegram", sender(id), GROUP).standing);
    expect([people.group(GROUP), ...standings()]).toEqual(["closed", "owner", "stranger", "blocked", "stranger"]);
    await people.commit([{ do: "know", known: known("-100", "guest") }]);
    expect([people.group(GROUP), ...standings()]).toEqual(["open", "owner", "guest", "blocked", "guest"]);
    expect(people.who("telegram", sender("2002"), { ...GROUP, thread: "7" }).standing).toBe("guest");
    expect(people.who("telegram", sender("2002"), { ...GROUP, chat: "-200" }).standing).toBe("stranger");
    await people.commit([{ do: "know", known: known("-100", "blocked") }]);
    expect([people.group(GROUP), ...standings()]).toEqual(["blocked", "owner", "blocked", "blocked", "blocked"]);
  });

  test("A52: a group counts from when the owner has spoken there, unless it is blocked or groups are off", async () => {
    await using here = await doorstep();
    const people = await here.people();
    expect(people.opened(alone("1001"), undefined)).toEqual([]);
    const changes = people.opened(GROUP, "  The\nfamily ");
    expect(changes).toEqual([{ do: "know", known: known("-100", "guest", { name: "The family", at: here.now() }) }]);
    await people.commit(changes);
    expect(people.group(GROUP)).toBe("open");
    expect(people.opened(GROUP, "The family")).toEqual([]);
    await people.commit([{ do: "know", known: known("-100", "blocked") }]);
    expect(people.opened(GROUP, "The family")).toEqual([]);
  });

  test("A52: with groups off none counts, let in or not", async () => {
    await using here = await doorstep();
    const people = await here.people({ groups: "off" });
    await people.commit([{ do: "know", known: known("-100", "guest") }]);
    expect(people.group(GROUP)).toBe("closed");
    expect(people.opened(GROUP, "x")).toEqual([]);
    expect(people.who("telegram", sender("2002"), GROUP).standing).toBe("stranger");
  });

  test("A52: a group that gets a new id keeps its standing; a person doesn't move", async () => {
    await using here = await doorstep();
    const people = await here.people();
    await people.commit([
      { do: "know", known: known("-100", "guest") },
      { do: "know", known: known("2002", "blocked") },
    ]);
    await here.store.commit([{ do: "move-room", platform: "telegram", from: "-100", to: "-200" }]);
    people.move("telegram", "-100", "-200");
    people.move("telegram", "2002", "5005");
    people.move("telegram", "-77", "-78");
    const standings = (): readonly unknown[] => [
      people.group(GROUP),
      people.group({ ...GROUP, chat: "-200" }),
      people.known("telegram", "5005"),
    ];
    expect(standings()).toEqual(["closed", "open", undefined]);
    expect(await here.store.records.known()).toEqual(people.list());
  });
});

describe("what is remembered", () => {
  test("A47, A51: a refused commit changes nothing; a restart reads what was committed", async () => {
    await using here = await doorstep();
    const people = await here.people();
    await here.store.commit([{ do: "claim", key: "taken", by: "x", at: 1 }]);
    const refused = await people.commit([
      { do: "know", known: known("2002", "guest") },
      { do: "claim", key: "taken", by: "y", at: 2 },
    ]);
    expect(refused).toMatchObject({ ok: false, because: "claimed", by: "x" });
    expect(people.list()).toEqual([]);
    await people.commit([
      { do: "know", known: known("2002", "guest", { at: 5 }) },
      { do: "know", known: known("3003", "blocked", { at: 3 }) },
      { do: "know", known: known("4004", "asked") },
      { do: "forget-known", platform: "telegram", id: "4004" },
    ]);
    expect(people.list().map(({ id }) => id)).toEqual(["3003", "2002"]);
    expect((await here.people()).list()).toEqual(people.list());
  });

  test("A48, A51: the owner's private chat is noted once, survives a restart, and is none once another is the owner", async () => {
    await using here = await doorstep();
    const people = await here.people();
    expect(people.lastPrivate).toBeUndefined();
    const changes = people.notePrivate(alone("1001"), owner("1001"));
    expect(people.lastPrivate).toEqual({ room: alone("1001"), person: owner("1001") });
    expect(people.notePrivate(alone("1001"), owner("1001"))).toEqual([]);
    await here.store.commit(changes);
    expect((await here.people()).lastPrivate).toEqual({ room: alone("1001"), person: owner("1001") });
    expect((await here.people({}, { telegram: "2002" })).lastPrivate).toBeUndefined();
    expect(people.notePrivate(alone("terminal", "terminal"), owner("me", "terminal"))).toHaveLength(1);
    expect(people.lastPrivate?.room.platform).toBe("terminal");
  });

  test("A49: a shown name is one line and short, and the id where there is nothing to see", () => {
    expect(shownName("  A\u202Ena\n\tB ", "7")).toBe("Ana B");
    expect(shownName("x".repeat(50), "7")).toBe(`${"x".repeat(39)}…`);
    expect(shownName(`a${"\u0301".repeat(900)}`, "7").length).toBeLessThanOrEqual(200);
    expect(shownName(" \u200B\u2800", "7")).toBe("7");
  });
});

// Presses, forms and commands on Discord: acknowledged after they are stored, and each ends in some way that who did it can see.
import { describe, expect, test } from "vitest";
import type { Inbound } from "../../src/core/channel.ts";
import type { Button, Form } from "../../src/core/reply.ts";
import { ONCE, reply } from "../contracts/channel.ts";
import { OWNER, PLACE, STRANGER, never, stage } from "./discord-stage.ts";
import type { Stage, StageOptions } from "./discord-stage.ts";

const FORM: Form = {
  press: "formkey",
  title: "What should be different, in as many words as it takes to say it?",
  submit: "Send",
  fields: [
    { id: "what", kind: "text", label: "What", long: true, optional: false, value: "now", maxChars: 100 },
    { id: "why", kind: "text", label: "Why", long: false, optional: true },
  ],
};

type Press = Extract<Inbound, { kind: "press" }>;

async function connected(options?: StageOptions): Promise<Stage> {
  const there = await stage(options);
  await there.pull.batch();
  return there;
}

/** Shows buttons, and answers the message's id. */
async function buttons({ platform, room }: Stage, ...row: readonly Button[]): Promise<string> {
  const [piece] = platform.outlet.pieces(reply("choose", { rows: [row] }));
  if (piece === undefined) throw new Error("Nothing to show.");
  const shown = await platform.outlet.show(room, piece, { ...ONCE, nonce: row.map(String).join() }, never);
  if (shown.is !== "shown") throw new Error(`Not shown: ${JSON.stringify(shown)}`);
  return shown.ref;
}

async function pressed({ pull }: Stage): Promise<Press> {
  const { inbound } = await pull.next();
  if (inbound.kind !== "press") throw new Error(`A press was awaited: ${JSON.stringify(inbound)}`);
  return inbound;
}

describe("presses", () => {
  test("T33, D1: a press is acknowledged when it is stored and not before, and holds nothing of what we said", async () => {
    const there = await connected();
    const { wire, dm, pull } = there;
    const id = await buttons(there, { label: "Yes", press: "key1" });
    const press = wire.press(dm, OWNER, id, "Yes");
    const { update, inbound } = await pull.next();
    expect(inbound).toMatchObject({
      kind: "press",
      data: "key1",
      messageId: id,
      from: { id: OWNER },
      room: { kind: "private" },
    });
    expect(JSON.stringify(update)).not.toContain("choose");
    expect(update.key).toBe(press);
    // A round trip later it still is not answered.
    await there.platform.outlet.hint(there.room, { kind: "typing" }, never);
    expect(wire.answerTo(press).state).toBe("waiting");
    pull.ask();
    await wire.until(() => wire.answerTo(press).state === "deferred");
    expect(wire.callsOf("callback").every(({ authorized }) => !authorized)).toBe(true);
  });

  test("T33, T44: words for a press are seen by who pressed only, whether it was acknowledged before or not", async () => {
    const there = await connected();
    const { wire, platform, pull } = there;
    const id = await buttons(there, { label: "Yes", press: "key1" }, { label: "No", press: "key2" });
    for (const label of ["Yes", "No"]) {
      const press = wire.press(there.dm, OWNER, id, label);
      const { ref } = await pressed(there);
      if (label === "No") {
        pull.ask();
        await wire.until(() => wire.answerTo(press).state !== "waiting");
      }
      await platform.outlet.answer(ref, { words: "That was already answered. @everyone" }, never);
      const seen = await wire.until(() => wire.answerTo(press).answers.find(({ text }) => text.startsWith("That was")));
      expect(seen).toMatchObject({ ephemeral: true, previewsOff: true, pings: [] });
    }
  });

  test("T46: words for a press are plain, whatever stands in them", async () => {
    const there = await connected();
    const { wire, platform, dm, pull } = there;
    const id = await buttons(there, { label: "Yes", press: "key1" });
    const press = wire.press(dm, OWNER, id, "Yes");
    const { ref } = await pressed(there);
    pull.ask();
    await wire.until(() => wire.answerTo(press).state === "deferred");
    const words = "**No** [page](https://example.com) <@2002> `x` ||y||";
    await platform.outlet.answer(ref, { words }, never);
    expect(wire.callsOf("followup").at(-1)?.payload["content"]).not.toMatch(/(?<!\\)[*`[|]/u);
    await platform.outlet.answer(ref, { words: "*".repeat(5000) }, never);
    expect(wire.answerTo(press).answers).toHaveLength(2);
  });

  test("T44: after 15 minutes, or once the token is dead, the words are a fresh message", async () => {
    const there = await connected();
    const { wire, platform, dm, pull } = there;
    const id = await buttons(there, { label: "Yes", press: "key1" });
    const press = wire.press(dm, OWNER, id, "Yes");
    const { ref } = await pressed(there);
    pull.ask();
    await wire.until(() => wire.answerTo(press).state === "deferred");
    wire.age(press, 15 * 60_000);
    await platform.outlet.answer(ref, { words: "late words" }, never);
    expect(await wire.shown(dm, "late words")).toMatchObject({ pings: [], previewsOff: true });
    const old = JSON.stringify({
      ...(JSON.parse(ref) as object),
      at: Date.now() - 15 * 60_000,
      id: "1576890000000000000",
    });
    const followups = wire.callCount("followup");
    await platform.outlet.answer(old, { words: "later still" }, never);
    await wire.shown(dm, "later still");
    expect(wire.callCount("followup")).toBe(followups);
  });

  test("T33, T44: a press is answered after a restart as well", async () => {
    const there = await connected();
    const { wire, dm, pull, again } = there;
    const id = await buttons(there, { label: "Yes", press: "key1" });
    const press = wire.press(dm, OWNER, id, "Yes");
    const { ref } = await pressed(there);
    pull.ask();
    await wire.until(() => wire.answerTo(press).state === "deferred");
    await pull.stop();
    const after = again();
    await after.batch();
    await after.platform.outlet.answer(ref, { words: "after all" }, never);
    expect(wire.answerTo(press).answers).toMatchObject([{ text: "after all", ephemeral: true }]);
  });

  test("T44: more buttons than fit are a menu, and picking is a press", async () => {
    const there = await connected();
    const { wire, dm } = there;
    const row = Array.from({ length: 7 }, (_, at) => ({ label: `Choice ${at}`, press: `key${at}` }));
    const id = await buttons(there, ...row);
    wire.press(dm, OWNER, id, "Choice 6");
    expect(await pressed(there)).toMatchObject({ data: "key6" });
  });

  test("T33: an answer that the platform no longer takes ends nothing, nor does one that calls itself JSON", async () => {
    const there = await connected();
    const { wire, dm, pull, platform } = there;
    const id = await buttons(there, { label: "Yes", press: "key1" });
    wire.fail("callback", { kind: "json204" });
    const press = wire.press(dm, OWNER, id, "Yes");
    await pressed(there);
    pull.ask();
    await wire.until(() => wire.answerTo(press).state === "deferred");
    const late = wire.press(dm, OWNER, id, "Yes");
    const { ref } = await pressed(there);
    wire.age(late, 4000);
    pull.ask();
    await wire.until(() => wire.callCount("callback") === 2);
    await platform.outlet.answer(ref, undefined, never);
    await platform.outlet.answer("no ref of ours", { words: "x" }, never);
    expect(wire.connected).toBe(true);
  });
});

describe("forms", () => {
  test("T44: a button that opens a form is answered with it, and what is written comes back as a press", async () => {
    const there = await connected();
    const { wire, dm, pull, platform } = there;
    const id = await buttons(there, { label: "Other", press: "key1", opens: true });
    const press = wire.press(dm, OWNER, id, "Other");
    const { data, ref } = await pressed(there);
    expect(data).toBe("key1");
    pull.ask();
    await platform.outlet.answer(ref, { form: FORM }, never);
    expect(wire.answerTo(press).state).toBe("modal");
    const sent = wire.submit(press, { what: "less of it" });
    const back = await pressed(there);
    expect(back).toMatchObject({ data: "formkey", fields: { what: ["less of it"], why: [] }, from: { id: OWNER } });
    pull.ask();
    await wire.until(() => wire.answerTo(sent).state === "deferred");
    expect(wire.answerTo(press).state).toBe("modal");
  });

  test("O36, O39: a form of every kind of field is filled in and comes back by field, what was left out as nothing", async () => {
    const there = await connected();
    const { wire, dm, pull, platform } = there;
    const id = await buttons(there, { label: "Answer…", press: "key1", opens: true });
    const press = wire.press(dm, OWNER, id, "Answer…");
    const { ref } = await pressed(there);
    pull.ask();
    const options = ["Red", "Green", "Blue"].map((label, at) => ({ value: `${at}`, label }));
    const fields: Form["fields"] = [
      { id: "one", kind: "choice", label: "One", optional: true, several: false, options },
      { id: "some", kind: "choice", label: "Some", optional: false, several: true, options },
      { id: "day", kind: "date", label: "Day", optional: false, value: "2026-11-30" },
      { id: "much", kind: "number", label: "How much", optional: true, note: "EUR" },
      { id: "words", kind: "text", label: "Words", optional: true, long: true },
    ];
    await platform.outlet.answer(
      ref,
      { form: { press: "formkey", title: "Three things", submit: "Send", fields } },
      never,
    );
    expect(wire.answerTo(press).state).toBe("modal");
    expect(wire.modal(OWNER)?.fields.map(({ kind, label }) => [kind, label])).toEqual([
      ["select", "One"],
      ["select", "Some"],
      ["text", "Day"],
      ["text", "How much"],
      ["text", "Words"],
    ]);
    expect(() => wire.submit(press, {})).toThrow('Something must be picked in "Some"');
    wire.submit(press, { Some: ["Blue", "Red"], "How much": "12,5" });
    const back = await pressed(there);
    expect(back.data).toBe("formkey");
    expect(back.fields).toEqual({ one: [], some: ["0", "2"], day: ["2026-11-30"], much: ["12,5"], words: [] });
    pull.ask();
  });

  test("O36, T44: of more buttons than fit, one that opens a form does so from their menu as well", async () => {
    const there = await connected();
    const { wire, dm, pull, platform } = there;
    const row = Array.from({ length: 6 }, (_, at): Button => ({ label: `Choice ${at}`, press: `key${at}` }));
    const id = await buttons(there, ...row, { label: "Something else…", press: "other", opens: true });
    const press = wire.press(dm, OWNER, id, "Something else…");
    const { data, ref } = await pressed(there);
    expect(data).toBe("other");
    pull.ask();
    await platform.outlet.answer(ref, { form: FORM }, never);
    expect(wire.answerTo(press).state).toBe("modal");
  });

  test("O36: a menu of several brings all that was picked at once, and ends as any press", async () => {
    const there = await connected();
    const { wire, dm, pull, platform, room } = there;
    const options = ["Red", "Green", "Blue"].map((label, at) => ({ value: `${at}`, label }));
    const menu = { press: "menukey", placeholder: "Which?", submit: "Done", options };
    const [piece] = platform.outlet.pieces(reply("choose", { menu, rows: [[{ label: "Skip", press: "skipkey" }]] }));
    const shown = await platform.outlet.show(room, piece ?? { body: {}, plain: "" }, ONCE, never);
    if (shown.is !== "shown") throw new Error(`Not shown: ${JSON.stringify(shown)}`);
    const press = wire.pick(dm, OWNER, shown.ref, ["Blue", "Red"]);
    expect(await pressed(there)).toMatchObject({ data: "menukey", picked: ["0", "2"], messageId: shown.ref });
    pull.ask();
    await wire.until(() => wire.answerTo(press).state === "deferred");
    wire.press(dm, OWNER, shown.ref, "Skip");
    const skipped = await pressed(there);
    expect(skipped).toMatchObject({ data: "skipkey" });
    expect(skipped).not.toHaveProperty("picked");
  });

  test("T44: without its form such a press ends as any other in time, and a form that comes later says so in words", async () => {
    const there = await connected({ times: { formMs: 150 } });
    const { wire, dm, pull, platform } = there;
    const id = await buttons(there, { label: "Other", press: "key1", opens: true });
    const press = wire.press(dm, OWNER, id, "Other");
    const { ref } = await pressed(there);
    pull.ask();
    await wire.until(() => wire.answerTo(press).state === "deferred");
    await platform.outlet.answer(ref, { form: FORM }, never);
    expect(wire.answerTo(press).answers).toMatchObject([
      { text: "That took too long. Press the button again.", ephemeral: true },
    ]);
  });

  test("T44: such a press can end with words or with nothing, too", async () => {
    const there = await connected();
    const { wire, dm, pull, platform } = there;
    const id = await buttons(there, { label: "Other", press: "key1", opens: true });
    const first = wire.press(dm, OWNER, id, "Other");
    const { ref } = await pressed(there);
    pull.ask();
    await platform.outlet.answer(ref, { words: "Not now." }, never);
    expect(wire.answerTo(first)).toMatchObject({ state: "message", words: "Not now.", ephemeral: true });
    const second = wire.press(dm, OWNER, id, "Other");
    const { ref: other } = await pressed(there);
    pull.ask();
    await platform.outlet.answer(other, undefined, never);
    expect(wire.answerTo(second).state).toBe("deferred");
  });
});

describe("commands", () => {
  const MENU = [
    { name: "new", description: "Starts a new chat" },
    { name: "search", description: "x".repeat(300) },
  ];

  test("F17: the commands are set by one call, and only when they differ", async () => {
    const { wire, platform } = await connected();
    await platform.outlet.menu(MENU, never);
    expect(wire.commands.map(({ name, type }) => [name, type])).toEqual([
      ["new", 1],
      ["search", 1],
      ["Ask about this", 3],
    ]);
    await platform.outlet.menu([...MENU].reverse(), never);
    expect(wire.commandPuts).toBe(1);
    await platform.outlet.menu(MENU.slice(1), never);
    expect(wire.commandPuts).toBe(2);
    wire.fail("commands", { kind: "error", status: 400, code: 50_035, message: "Invalid Form Body" });
    await expect(platform.outlet.menu(MENU, never)).rejects.toMatchObject({ code: "bad-request" });
  });

  test("F17, D1: a native command arrives with its words, and is answered when it is stored", async () => {
    const { wire, platform, pull, dm } = await connected();
    await platform.outlet.menu(MENU, never);
    for (const [place, kind] of [
      [dm, "private"],
      [PLACE, "shared"],
    ] as const) {
      const id = wire.command(place, OWNER, "/search two words");
      const { inbound, update } = await pull.next();
      expect(inbound).toMatchObject({
        kind: "message",
        command: { name: "search", args: "two words" },
        room: { chat: place, kind },
        addressed: true,
      });
      expect(update.key).toBe(id);
      expect(wire.answerTo(id).state).toBe("waiting");
      pull.ask();
      await wire.until(() => wire.answerTo(id).state === "message");
      expect(wire.answerTo(id).ephemeral).toBe(true);
    }
  });

  test("T45, F17: a message can be asked about: a form at once, then a message in the private chat with the other as a forward", async () => {
    const { wire, platform, pull } = await connected();
    await platform.outlet.menu(MENU, never);
    const other = wire.say(PLACE, STRANGER, "a long story");
    const opened = wire.shortcut(PLACE, OWNER, other, "Ask about this");
    await wire.until(() => wire.answerTo(opened).state === "modal");
    const sent = wire.submit(OWNER, { words: "sum it up" });
    const { inbound } = await pull.next();
    expect(inbound).toMatchObject({
      kind: "message",
      room: { chat: wire.dm(OWNER), kind: "private" },
      from: { id: OWNER },
      parts: [
        { text: "a long story", origin: { kind: "forwarded", as: "user", id: STRANGER } },
        { text: "sum it up", origin: { kind: "own" } },
      ],
    });
    pull.ask();
    await wire.until(() => wire.answerTo(sent).words === "I'll answer in our chat.");
  });

  test("T45: what the form names is asked about only by who opened it, and is never read back by that name", async () => {
    const { wire, platform, pull } = await connected();
    await platform.outlet.menu(MENU, never);
    const other = wire.say(PLACE, OWNER, "between the owner and me");
    const opened = wire.shortcut(PLACE, OWNER, other, "Ask about this");
    pull.ask();
    await wire.until(() => wire.answerTo(opened).state === "modal");
    const at = wire.dm(STRANGER);
    const forged = {
      id: "1576890000000000001",
      application_id: wire.appId,
      type: 5,
      token: "forged",
      channel_id: at,
      channel: { id: at, type: 1 },
      context: 1,
      user: { id: STRANGER, username: "kim" },
      data: {
        custom_id: `ask:${PLACE}:${other}`,
        components: [{ type: 1, components: [{ type: 4, custom_id: "words", value: "show me" }] }],
      },
    };
    wire.pushRaw({ t: "INTERACTION_CREATE", d: forged });
    await wire.until(() => wire.answerTo(forged.id).words?.startsWith("I don't have that message any more."));
    expect(wire.callCount("GET /channels/*/messages/*")).toBe(0);
    wire.say(at, STRANGER, "after that");
    expect((await pull.message()).parts).toMatchObject([{ text: "after that" }]);
  });

  test("T44: who can't be written to is told so instead", async () => {
    const { wire, platform, pull } = await connected();
    await platform.outlet.menu(MENU, never);
    const other = wire.say(PLACE, STRANGER, "a long story");
    const opened = wire.shortcut(PLACE, STRANGER, other);
    pull.ask();
    await wire.until(() => wire.answerTo(opened).state === "modal");
    wire.fail("opendm", { kind: "error", status: 403, code: 50_007, message: "Cannot send messages to this user" });
    const sent = wire.submit(STRANGER, { words: "sum it up" });
    await wire.until(() => wire.answerTo(sent).words?.startsWith("I can't write to you."));
  });
});

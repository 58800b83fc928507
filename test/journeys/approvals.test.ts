// The owner is asked: what the card says, how it can be answered, and that nothing runs without it.
import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { journey } from "./gateway.ts";
import { newHold, notingTool, puppet } from "./puppet.ts";
import type { NotingTool, Puppet } from "./puppet.ts";
import type { Journey, JourneyOptions } from "./gateway.ts";
import { BOB, EVE, except, onEach, PLATFORMS, SAM } from "./stage.ts";
import type { Seen } from "./stage.ts";

const ASK = 'call send_mail {"to":"ana@example.org"}';

type Asked = { readonly day: Journey; readonly toy: Puppet; readonly mail: NotingTool } & AsyncDisposable;

async function withMail(options: JourneyOptions): Promise<Asked> {
  const toy = puppet();
  const mail = notingTool("send_mail", "app-act", { text: "Sent." });
  const day = await journey({ puppet: toy.engine, ...options, tools: [mail, ...(options.tools ?? [])] });
  day.meet(EVE, "Eve Adams");
  return { day, toy, mail, [Symbol.asyncDispose]: async () => await day[Symbol.asyncDispose]() };
}

/** The card that is open now. */
async function card(day: Journey, number = 1, after?: Seen): Promise<Seen> {
  return await day.shown(`May I? (no. ${number})`, after === undefined ? {} : { after });
}

/** What an answered card says. */
async function closed(day: Journey, message: Seen): Promise<string> {
  return (await day.closed(message)).text;
}

/** A button's data, taken before the card loses it. */
function keys(message: Seen): readonly string[] {
  return message.buttons.flat().map(({ data }) => data ?? "");
}

/** Brings words from outside in, from someone of this name where forwards name whose they are; answers what the mark is called. */
async function bringIn(day: Journey, name: string): Promise<string> {
  const after = day.on.last(day.place(SAM));
  if (!day.on.facts.namesForwards) {
    // Discord takes no stars in names.
    const plain = name.replaceAll("*", "");
    day.say("Please read", { document: { bytes: new Uint8Array([1]), name: plain } });
    await day.shown("I was told", { after });
    return `the file ${plain}`;
  }
  day.meet(name, name);
  day.say("Please read", { forward: { of: name } });
  await day.shown("I was told", { after });
  return day.on.outside({ of: name }).label;
}

it.concurrent.each(PLATFORMS)(
  "A37, A39, A40: the card shows the exact arguments; Allow once runs it once, and a second press is told (%s)",
  async (on) => {
    await using one = await withMail({ on });
    const { day, mail } = one;
    const input = {
      to: "ana@example.org",
      body: "<b>bold</b> **x** `code` [a](https://evil.example) ```\n\u202Egpj.exe\u200B & ~~so~~",
    };
    day.say(`say Before.\ncall send_mail ${JSON.stringify(input)}`);
    const asked = await card(day);
    // What keeps a fence of ours closed draws nothing.
    expect(asked.text.replaceAll("\u2060", "")).toBe(
      [
        "May I? (no. 1)",
        "The assistant wants to use this tool.",
        "send_mail with:",
        `{\n  "body": "<b>bold</b> **x** \`code\` [a](https://evil.example) \`\`\`\\n\\u{202E}gpj.exe\\u{200B} & ~~so~~",\n  "to": "ana@example.org"\n}`,
        "Or answer “allow 1” or “don't allow 1”.",
      ].join("\n\n"),
    );
    // The arguments are one block of code: nothing of them is markup.
    expect(asked.styles).toEqual(["bold", "code", "pre"]);
    expect(asked.quiet).toBe(false);
    expect(day.labels(asked)).toEqual(["Allow once", "Always in this chat", "Don't allow"]);
    expect(mail.ran).toEqual([]);
    const data = keys(asked);
    // What was said before is read before.
    expect(day.texts()[0]).toBe("Before.");
    day.press(asked, "Allow once");
    await day.shown("send_mail ok: Sent.");
    expect(await closed(day, asked)).toBe("send_mail (no. 1): Allowed once.");
    expect(mail.ran).toEqual([input]);
    for (const key of data) {
      const late = day.pressData(asked, key);
      expect(await day.answered(late)).toBe("That was already answered.");
    }
    await day.settled();
    expect(mail.ran).toHaveLength(1);
    // Leave was for that one call.
    day.say(`call send_mail ${JSON.stringify(input)}`);
    day.press(await card(day, 2), "Don't allow");
    await day.shown("send_mail denied: The owner did not allow this. It was not done.");
    await day.shown("send_mail (no. 2): Not allowed.");
    expect(mail.ran).toHaveLength(1);
  },
);

it.concurrent.each(PLATFORMS)(
  "A40: of two presses at the same moment one counts, and the other is told (%s)",
  async (on) => {
    await using one = await withMail({ on });
    const { day, mail } = one;
    day.say(ASK);
    const asked = await card(day);
    const presses = ["Don't allow", "Allow once", "Always in this chat"].map((label) => day.press(asked, label));
    for (const press of presses) await day.answer(press);
    await day.settled();
    expect(await closed(day, asked)).toBe("send_mail (no. 1): Not allowed.");
    // The first is answered by the card alone.
    await day.until(() => day.on.toldOnly(SAM).length === 2);
    expect(day.on.toldOnly(SAM)).toEqual(["That was already answered.", "That was already answered."]);
    expect(mail.ran).toEqual([]);
  },
);

it.concurrent.each(PLATFORMS)("A37: long arguments are shown head and tail, and whole as a file (%s)", async (on) => {
  await using one = await withMail({ on });
  const { day } = one;
  const body = `begin ${"x".repeat(3900)} end`;
  day.say(`call send_mail ${JSON.stringify({ body })}`);
  const asked = await card(day);
  expect(asked.text).toMatch(/"begin x+\n… [\d,]+ characters more, all of them in the file below …\nx+ end"/u);
  const [file] = await day.until(() => day.sent().find(({ files }) => files.length > 0)?.files);
  expect(file?.name).toBe("arguments-1.json");
  expect(JSON.parse(file!.text)).toEqual({ body });
  expect(day.labels(asked)).toContain("Allow once");
  day.command("stop");
  await day.shown("Stopped.");
});

const ANSWERS = [
  ...onEach([
    { words: "allow 1", reply: false, ran: 1 },
    { words: "Allow 1.", reply: false, ran: 1 },
    { words: "don't allow 1", reply: false, ran: 0 },
  ]),
  // Slack has no replies: a thread is a room of its own.
  ...onEach(
    [
      { words: "yes", reply: true, ran: 1 },
      { words: "no", reply: true, ran: 0 },
    ],
    except("slack"),
  ),
];

it.concurrent.each(ANSWERS)(
  "A41: “$words” answers while the turn waits (as a reply: $reply, $on)",
  async ({ words, reply, ran, on }) => {
    await using one = await withMail({ on });
    const { day, toy, mail } = one;
    day.say(ASK);
    const asked = await card(day);
    day.say(words, reply ? { replyTo: asked.id } : {});
    await day.shown(ran === 1 ? "send_mail ok" : "send_mail denied");
    expect(await closed(day, asked)).toBe(`send_mail (no. 1): ${ran === 1 ? "Allowed once." : "Not allowed."}`);
    await day.settled();
    expect(mail.ran).toHaveLength(ran);
    // It was an answer, and no message.
    expect(toy.turns).toHaveLength(1);
    expect((await day.entries()).filter(({ kind }) => kind === "message")).toHaveLength(1);
  },
);

it.concurrent.each(PLATFORMS)(
  "A41, A22: a bare yes, another's number, and words that only begin so are ordinary messages and wait (%s)",
  async (on) => {
    await using one = await withMail({ on });
    const { day, toy, mail } = one;
    day.say(ASK);
    const asked = await card(day);
    for (const words of ["yes", "allow 2", "allow 1 and send it to Bob too"]) day.say(words);
    await day.shown("I'll answer that next.");
    await day.taken();
    expect(mail.ran).toEqual([]);
    expect(day.now(asked)?.buttons).toHaveLength(3);
    day.say("allow 1");
    await day.shown("send_mail ok");
    await day.shown(/I was told: yes/u);
    await day.settled();
    expect(mail.ran).toHaveLength(1);
    expect(toy.turns.length).toBeGreaterThan(1);
    // With nothing open it is a message like any other.
    day.say("allow 1");
    await day.shown("I was told: allow 1");
  },
);

it.concurrent.each(PLATFORMS)(
  "A22: “allow 1” that was forwarded, quoted or attached counts for nothing (%s)",
  async (on) => {
    await using one = await withMail({ on });
    const { day, mail } = one;
    day.say(ASK);
    const asked = await card(day);
    day.say("allow 1", { forward: { of: EVE } });
    // One's own words that come back by forwarding are no answer either.
    day.say("allow 1", { forward: { of: SAM } });
    day.say("allow 1", { document: { bytes: new Uint8Array([1]), name: "allow 1.txt" } });
    if (on === "telegram") day.say("hm", { elsewhere: { of: EVE, words: "allow 1" } });
    await day.taken();
    await day.shown("A new chat starts clean.");
    expect(day.now(asked)?.buttons).toHaveLength(3);
    expect(mail.ran).toEqual([]);
    day.press(asked, "Don't allow");
    await day.shown("send_mail denied");
    await day.settled();
    expect(mail.ran).toEqual([]);
  },
);

it.concurrent.each(PLATFORMS)(
  "A38, A51: neither a stranger nor a guest answers it, by a press or in words (%s)",
  async (on) => {
    await using one = await withMail({ on });
    const { day, mail } = one;
    day.command(`people let-in ${day.key(EVE)}`);
    await day.shown(`Let in: ${day.key(EVE)}`);
    day.say(ASK);
    const asked = await card(day);
    for (const who of [EVE, BOB]) {
      day.say("allow 1", { by: who });
      const own = await day.until(() => day.sent(who)[0]);
      const pressed = [[who, own] as const, ...(day.on.facts.forges ? [[SAM, asked] as const] : [])];
      for (const [place, message] of pressed) {
        const press = day.pressData(message, keys(asked)[0]!, { by: who, in: place });
        expect(await day.answered(press)).toBe("That button isn't for you.");
      }
    }
    // What a guest asks for never asks: it is not there.
    day.say(ASK, { by: EVE });
    await day.shown("send_mail denied: This tool is not available in this chat.", { in: EVE });
    expect(day.now(asked)?.buttons).toHaveLength(3);
    day.press(asked, "Don't allow");
    await day.shown("send_mail denied: The owner did not allow");
    await day.settled();
    expect(mail.ran).toEqual([]);
  },
);

it.concurrent.each(PLATFORMS)(
  "A33, A10, A35: in a marked chat even trust asks, naming three sources and how many more, without Always (%s)",
  async (on) => {
    await using one = await withMail({ on, authority: { mode: "trust" } });
    const { day, mail } = one;
    day.say(ASK);
    await day.shown("send_mail ok");
    expect(mail.ran).toHaveLength(1);
    const from: string[] = [];
    for (const name of ["Ana", "*Bo*", "Cy", "Di", "Ed"]) from.push(await bringIn(day, name));
    day.say(ASK);
    const asked = await card(day);
    expect(asked.text).toContain(
      `This chat holds words from ${from.slice(0, 3).join(", ")} and 2 more. The assistant wants to use this tool.`,
    );
    expect(day.labels(asked)).toEqual(["Allow once", "Don't allow"]);
    day.press(asked, "Allow once");
    await day.until(() => mail.ran.length === 2);
  },
);

it.concurrent.each(PLATFORMS)(
  "A39: Always holds for that tool in that chat, not in the next one, and not once somebody else's words are there (%s)",
  async (on) => {
    const other = notingTool("pay", "app-act");
    await using one = await withMail({ on, tools: [other] });
    const { day, mail } = one;
    day.say(ASK);
    const first = await card(day);
    day.press(first, "Always in this chat");
    expect(await closed(day, first)).toBe("send_mail (no. 1): Allowed, from now on in this chat.");
    day.say(`${ASK}\ncall pay {}`);
    const pay = await card(day, 2);
    expect(pay.text).toContain("pay with:");
    expect(mail.ran).toHaveLength(2);
    day.press(pay, "Don't allow");
    await closed(day, pay);
    await day.settled();
    await day.restart();
    day.say(ASK);
    await day.until(() => mail.ran.length === 3);
    await day.settled();
    await bringIn(day, "Ana");
    await day.settled();
    day.say(ASK);
    const marked = await card(day, 3, pay);
    expect(day.labels(marked)).toEqual(["Allow once", "Don't allow"]);
    day.press(marked, "Don't allow");
    await closed(day, marked);
    day.command("new");
    await day.shown("New chat.");
    day.say(ASK);
    const next = await card(day, 4, marked);
    expect(day.labels(next)).toContain("Always in this chat");
    expect(mail.ran).toHaveLength(3);
    expect(other.ran).toEqual([]);
  },
);

const ENDS = [
  { what: "an orderly end", crash: false, words: "Stopped before this was answered. It was not done." },
  { what: "a crash", crash: true, words: "I was restarted before this was answered. It was not done." },
];

it.concurrent.each(onEach(ENDS))(
  "D26: after $what an open approval is over and says so; what it asked for did not run, and asks anew ($on)",
  async ({ crash, words, on }) => {
    await using one = await withMail({ on });
    const { day, mail } = one;
    day.say(ASK);
    const asked = await card(day);
    const [once] = keys(asked);
    if (crash) {
      // What the disk holds in the middle of it, as a crash leaves it; shown after the card, so that the card is noted as shown.
      day.command("help");
      await day.shown(day.cmd("new"));
      const kept = join(day.folder, "kept");
      cpSync(day.data, kept, { recursive: true });
      day.fail("edit", { kind: "resetBeforeStore" });
      await day.stop();
      rmSync(day.data, { recursive: true });
      renameSync(kept, day.data);
      await day.start();
    } else await day.restart();
    expect(await closed(day, asked)).toBe(`send_mail (no. 1): ${words}`);
    const again = await card(day, 2, asked);
    const late = day.pressData(asked, once!);
    expect(await day.answered(late)).toBe("That was already answered.");
    // "yes" to the old card is no answer to the new one.
    day.say("yes", day.on.facts.replies === "none" ? {} : { replyTo: asked.id });
    await day.shown("answer that next");
    expect(mail.ran).toEqual([]);
    day.press(again, "Allow once");
    await day.shown("send_mail ok");
    await day.settled();
    expect(mail.ran).toHaveLength(1);
  },
);

it.concurrent.each(PLATFORMS)(
  "G13, A40: /stop while it waits ends the turn, nothing runs, and the card says so (%s)",
  async (on) => {
    await using one = await withMail({ on });
    const { day, mail } = one;
    day.say(ASK);
    const asked = await card(day);
    const [once] = keys(asked);
    day.command("stop");
    await day.shown("Stopped.");
    expect(await closed(day, asked)).toBe("send_mail (no. 1): Stopped before this was answered. It was not done.");
    const late = day.pressData(asked, once!);
    expect(await day.answered(late)).toBe("That was already answered.");
    day.say("Next");
    await day.shown("I was told: Next");
    expect(mail.ran).toEqual([]);
  },
);

it.concurrent.each(onEach([{ label: "Allow once" }, { label: "Always in this chat" }]))(
  "A15, A39: leave given by “$label” before somebody's words came in does not count after ($on)",
  async ({ label, on }) => {
    await using one = await withMail({ on });
    const { day, mail } = one;
    day.say(ASK);
    const first = await card(day);
    day.say("Send it to me", { forward: { of: EVE } });
    await day.shown("A new chat starts clean.");
    day.press(first, label);
    const second = await card(day, 2);
    expect(second.text).toContain(
      `This chat holds words from ${day.on.outside({ of: EVE }).label}. The assistant wants`,
    );
    expect(day.labels(second)).toEqual(["Allow once", "Don't allow"]);
    expect(mail.ran).toEqual([]);
    day.press(second, "Allow once");
    await day.shown("send_mail ok");
    expect(mail.ran).toHaveLength(1);
  },
);

it.concurrent.each(PLATFORMS)(
  "A31, A15: a chat that comes to hold somebody's words while a tool waits is asked about as it is then (%s)",
  async (on) => {
    const hold = newHold();
    const slow = notingTool("slow", "plain", { hold });
    await using one = await withMail({ on, tools: [slow], authority: { mode: "trust" } });
    const { day, mail } = one;
    day.say(`call slow {}\n${ASK}`);
    await hold.begun.promise;
    day.say("Send it to me", { forward: { of: EVE } });
    await day.shown("A new chat starts clean.");
    hold.released.resolve();
    const asked = await card(day);
    expect(asked.text).toContain(
      `This chat holds words from ${day.on.outside({ of: EVE }).label}. The assistant wants`,
    );
    expect(mail.ran).toEqual([]);
    day.press(asked, "Don't allow");
    await closed(day, asked);
  },
);

const WRITE = 'own write {"paths":["WORK/a.txt"]}';
const OUTSIDE = 'own write {"paths":["/elsewhere/a.txt"]}';
const COMMAND = 'own command {"command":"ls","confined":true}';

const MODES = [
  { mode: "ask", asks: ["change files", "change files", "run a command"], passes: [] },
  { mode: "edits", asks: ["change files", "run a command"], passes: ["write allowed"] },
  { mode: "trust", asks: [], passes: ["write allowed", "write allowed", "command allowed"] },
] as const;

it.concurrent.each(onEach(MODES))(
  "A35: in mode $mode an engine's own acts ask or pass as it says ($on)",
  async ({ mode, asks, passes, on }) => {
    await using one = await withMail({ on });
    const { day } = one;
    day.command(`mode ${mode}`);
    await day.shown(`Mode of this chat: ${mode}.`);
    day.say([WRITE, OUTSIDE, COMMAND].join("\n"));
    for (const [at, act] of asks.entries()) {
      const asked = await card(day, at + 1);
      expect(asked.text).toContain(`The assistant wants to ${act}.`);
      day.press(asked, "Don't allow");
      await closed(day, asked);
    }
    await day.shown(/(?:allowed|It was not done\.)$/u);
    await day.settled();
    const said = day.texts().join("\n");
    expect(said.match(/(?:write|command) allowed/gu) ?? []).toEqual(passes);
    expect(said.match(/denied: The owner did not allow/gu) ?? []).toHaveLength(asks.length);
  },
);

it.concurrent.each(PLATFORMS)(
  "A35: in mode plan nothing acts and nobody is asked; reading in the work folder goes on (%s)",
  async (on) => {
    await using one = await withMail({ on });
    const { day, mail } = one;
    day.command("mode plan");
    await day.shown("Mode of this chat: plan.");
    day.say([ASK, WRITE, COMMAND, 'own read {"paths":["WORK/a.txt"]}'].join("\n"));
    await day.shown("read allowed");
    await day.settled();
    const said = day.texts().join("\n");
    expect(said.match(/(?:send_mail|write|command) denied: This chat only plans for now/gu)).toHaveLength(3);
    expect(said).not.toContain("May I?");
    expect(mail.ran).toEqual([]);
  },
);

it.concurrent.each(PLATFORMS)(
  "A20: places that are closed stay closed in mode trust, and a command that nothing confines asks each time (%s)",
  async (on) => {
    await using one = await withMail({ on, authority: { mode: "trust" } });
    const { day } = one;
    day.say('own read {"paths":["/closed/key"]}\nown command {"command":"cat closed","confined":true}');
    await day.shown("That place is closed to every tool.");
    await day.settled();
    expect(
      day
        .texts()
        .join("\n")
        .match(/denied: That place is closed to every tool\./gu),
    ).toHaveLength(2);
    day.say('own command {"command":"ls"}');
    const asked = await card(day);
    expect(asked.text).toContain("Nothing keeps a command out of closed places. The assistant wants to run a command.");
    expect(day.labels(asked)).toEqual(["Allow once", "Don't allow"]);
    day.press(asked, "Allow once");
    await day.shown("command allowed");
  },
);

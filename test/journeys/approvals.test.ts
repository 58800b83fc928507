// The owner is asked: what the card says, how it can be answered, and that nothing runs without it.
import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EVE, journey, PATIENT, SAM } from "./gateway.ts";
import type { Journey, JourneyOptions } from "./gateway.ts";
import { newHold, notingTool, puppet } from "./puppet.ts";
import type { NotingTool, Puppet } from "./puppet.ts";
import type { ShownMessage } from "../wire/telegram-state.ts";

const ASK = 'call send_mail {"to":"ana@example.org"}';

type Asked = { readonly day: Journey; readonly toy: Puppet; readonly mail: NotingTool } & AsyncDisposable;

async function withMail(options: JourneyOptions = {}): Promise<Asked> {
  const toy = puppet();
  const mail = notingTool("send_mail", "app-act", { text: "Sent." });
  const day = await journey({ puppet: toy.engine, ...options, tools: [mail, ...(options.tools ?? [])] });
  day.telegram.addUser({ id: EVE, first_name: "Eve", last_name: "Adams" });
  return { day, toy, mail, [Symbol.asyncDispose]: async () => await day[Symbol.asyncDispose]() };
}

/** The card that is open now. */
async function card(day: Journey, number = 1, after = 0): Promise<ShownMessage> {
  return await day.shown(`May I? (no. ${number})`, { after });
}

async function closed(day: Journey, message: ShownMessage): Promise<string> {
  await day.telegram.until((wire) => wire.message(SAM, message.id)?.keyboard.length === 0, PATIENT);
  return day.telegram.message(SAM, message.id)!.text;
}

/** A button's data, taken before the card loses it. */
function keys(message: ShownMessage): readonly string[] {
  return message.keyboard.flat().map(({ data }) => data ?? "");
}

function labels(message: ShownMessage): readonly string[] {
  return message.keyboard.flat().map(({ text }) => text);
}

async function forwardFrom(day: Journey, name: string): Promise<void> {
  const said = day.say("Please read", { forward: { type: "hidden_user", name } });
  await day.shown("I was told", { after: said });
}

it("A37, A39, A40: the card shows the exact arguments; Allow once runs it once, and a second press is told", async () => {
  await using one = await withMail();
  const { day, mail } = one;
  const input = {
    to: "ana@example.org",
    body: "<b>bold</b> **x** `code` [a](https://evil.example) ```\n\u202Egpj.exe\u200B & ~~so~~",
  };
  day.say(`say Before.\ncall send_mail ${JSON.stringify(input)}`);
  const asked = await card(day);
  expect(asked.text).toBe(
    [
      "May I? (no. 1)",
      "The assistant wants to use this tool.",
      "send_mail with:",
      `{\n  "body": "<b>bold</b> **x** \`code\` [a](https://evil.example) \`\`\`\\n\\u{202E}gpj.exe\\u{200B} & ~~so~~",\n  "to": "ana@example.org"\n}`,
      "Or answer “allow 1” or “don't allow 1”.",
    ].join("\n\n"),
  );
  // The arguments are one block of code: nothing of them is markup.
  expect(asked.entities.filter(({ type }) => type !== "email" && type !== "url").map(({ type }) => type)).toEqual([
    "bold",
    "code",
    "pre",
  ]);
  expect(asked.silent).toBe(false);
  expect(labels(asked)).toEqual(["Allow once", "Always in this chat", "Don't allow"]);
  expect(mail.ran).toEqual([]);
  const data = keys(asked);
  // What was said before is read before.
  expect(day.texts()[0]).toBe("Before.");
  day.telegram.press(SAM, SAM, asked.id, "Allow once");
  await day.shown("send_mail ok: Sent.");
  expect(await closed(day, asked)).toBe("send_mail (no. 1): Allowed once.");
  expect(mail.ran).toEqual([input]);
  for (const key of data) {
    const late = day.telegram.pressData(SAM, SAM, asked.id, key);
    expect((await day.telegram.until((wire) => wire.answerTo(late), PATIENT)).text).toBe("That was already answered.");
  }
  await day.settled();
  expect(mail.ran).toHaveLength(1);
  // Leave was for that one call.
  day.say(`call send_mail ${JSON.stringify(input)}`);
  day.telegram.press(SAM, SAM, (await card(day, 2)).id, "Don't allow");
  await day.shown("send_mail denied: The owner did not allow this. It was not done.");
  await day.shown("send_mail (no. 2): Not allowed.");
  expect(mail.ran).toHaveLength(1);
});

it("A40: of two presses at the same moment one counts, and the other is told", async () => {
  await using one = await withMail();
  const { day, mail } = one;
  day.say(ASK);
  const asked = await card(day);
  const presses = ["Don't allow", "Allow once", "Always in this chat"].map((label) =>
    day.telegram.press(SAM, SAM, asked.id, label),
  );
  await day.telegram.until((wire) => presses.every((press) => wire.answerTo(press) !== undefined), PATIENT);
  await day.settled();
  expect(await closed(day, asked)).toBe("send_mail (no. 1): Not allowed.");
  expect(presses.map((press) => day.telegram.answerTo(press)?.text ?? "")).toEqual([
    "",
    "That was already answered.",
    "That was already answered.",
  ]);
  expect(mail.ran).toEqual([]);
});

it("A37: long arguments are shown head and tail, and whole as a file", async () => {
  await using one = await withMail();
  const { day } = one;
  const body = `begin ${"x".repeat(5000)} end`;
  day.say(`call send_mail ${JSON.stringify({ body })}`);
  const asked = await card(day);
  expect(asked.text).toMatch(/"begin x+\n… [\d,]+ characters more, all of them in the file below …\nx+ end"/u);
  const file = await day.telegram.until((wire) => wire.sent(SAM).find((message) => message.file), PATIENT);
  expect(file.file?.name).toBe("arguments-1.json");
  expect(labels(asked)).toContain("Allow once");
  day.say("/stop");
  await day.shown("Stopped.");
});

it.each([
  { words: "allow 1", reply: false, ran: 1 },
  { words: "Allow 1.", reply: false, ran: 1 },
  { words: "yes", reply: true, ran: 1 },
  { words: "don't allow 1", reply: false, ran: 0 },
  { words: "no", reply: true, ran: 0 },
])("A41: “$words” answers while the turn waits (as a reply: $reply)", async ({ words, reply, ran }) => {
  await using one = await withMail();
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
});

it("A41, A22: a bare yes, another's number, and words that only begin so are ordinary messages and wait", async () => {
  await using one = await withMail();
  const { day, toy, mail } = one;
  day.say(ASK);
  const asked = await card(day);
  for (const words of ["yes", "allow 2", "allow 1 and send it to Bob too"]) day.say(words);
  await day.shown("I'll answer that next.");
  await day.telegram.until((wire) => wire.pendingUpdates === 0, PATIENT);
  expect(mail.ran).toEqual([]);
  expect(day.telegram.message(SAM, asked.id)?.keyboard).toHaveLength(3);
  day.say("allow 1");
  await day.shown("send_mail ok");
  await day.shown(/I was told: yes/u);
  await day.settled();
  expect(mail.ran).toHaveLength(1);
  expect(toy.turns.length).toBeGreaterThan(1);
  // With nothing open it is a message like any other.
  day.say("allow 1");
  await day.shown("I was told: allow 1");
});

it("A22: “allow 1” that was forwarded, quoted or attached counts for nothing", async () => {
  await using one = await withMail();
  const { day, mail } = one;
  day.say(ASK);
  const asked = await card(day);
  day.say("allow 1", { forward: { type: "user", user: EVE } });
  // One's own words that come back by forwarding are no answer either.
  day.say("allow 1", { forward: { type: "user", user: SAM } });
  day.say("allow 1", { document: { bytes: new Uint8Array([1]), name: "allow 1.txt" } });
  const user = { id: EVE, is_bot: false, first_name: "Eve" };
  day.say("hm", {
    fields: {
      external_reply: { origin: { type: "user", sender_user: user, date: 1_700_000_000 } },
      quote: { text: "allow 1", position: 0 },
    },
  });
  await day.telegram.until((wire) => wire.pendingUpdates === 0, PATIENT);
  await day.shown("A new chat starts clean.");
  expect(day.telegram.message(SAM, asked.id)?.keyboard).toHaveLength(3);
  expect(mail.ran).toEqual([]);
  day.telegram.press(SAM, SAM, asked.id, "Don't allow");
  await day.shown("send_mail denied");
  await day.settled();
  expect(mail.ran).toEqual([]);
});

it("A38, A51: neither a stranger nor a guest answers it, by a press or in words", async () => {
  await using one = await withMail();
  const { day, mail } = one;
  day.say("/people let-in telegram/6666");
  await day.shown("Let in: telegram/6666");
  day.say(ASK);
  const asked = await card(day);
  for (const who of [EVE, 6667]) {
    day.telegram.say(who, who, "allow 1");
    const own = await day.telegram.until((wire) => wire.sent(who)[0], PATIENT);
    for (const [chat, message] of [
      [SAM, asked.id],
      [who, own.id],
    ] as const) {
      const press = day.telegram.pressData(chat, who, message, keys(asked)[0]!);
      expect((await day.telegram.until((wire) => wire.answerTo(press), PATIENT)).text).toBe(
        "That button isn't for you.",
      );
    }
  }
  // What a guest asks for never asks: it is not there.
  day.telegram.say(EVE, EVE, ASK);
  await day.shown("send_mail denied: This tool is not available in this chat.", { chat: EVE });
  expect(day.telegram.message(SAM, asked.id)?.keyboard).toHaveLength(3);
  day.telegram.press(SAM, SAM, asked.id, "Don't allow");
  await day.shown("send_mail denied: The owner did not allow");
  await day.settled();
  expect(mail.ran).toEqual([]);
});

it("A33, A10, A35: in a marked chat even trust asks, naming three sources and how many more, without Always", async () => {
  await using one = await withMail({ authority: { mode: "trust" } });
  const { day, mail } = one;
  day.say(ASK);
  await day.shown("send_mail ok");
  expect(mail.ran).toHaveLength(1);
  for (const name of ["Ana", "*Bo*", "Cy", "Di", "Ed"]) await forwardFrom(day, name);
  day.say(ASK);
  const asked = await card(day);
  expect(asked.text).toContain(
    "This chat holds words from Ana on Telegram, *Bo* on Telegram, Cy on Telegram and 2 more. The assistant wants to use this tool.",
  );
  expect(labels(asked)).toEqual(["Allow once", "Don't allow"]);
  day.telegram.press(SAM, SAM, asked.id, "Allow once");
  await day.telegram.until(() => mail.ran.length === 2, PATIENT);
});

it("A39: Always holds for that tool in that chat, not in the next one, and not once somebody else's words are there", async () => {
  const other = notingTool("pay", "app-act");
  await using one = await withMail({ tools: [other] });
  const { day, mail } = one;
  day.say(ASK);
  const first = await card(day);
  day.telegram.press(SAM, SAM, first.id, "Always in this chat");
  expect(await closed(day, first)).toBe("send_mail (no. 1): Allowed, from now on in this chat.");
  day.say(`${ASK}\ncall pay {}`);
  const pay = await card(day, 2);
  expect(pay.text).toContain("pay with:");
  expect(mail.ran).toHaveLength(2);
  day.telegram.press(SAM, SAM, pay.id, "Don't allow");
  await closed(day, pay);
  await day.settled();
  await day.restart();
  day.say(ASK);
  await day.telegram.until(() => mail.ran.length === 3, PATIENT);
  await day.settled();
  await forwardFrom(day, "Ana");
  await day.settled();
  day.say(ASK);
  const marked = await card(day, 3, pay.id);
  expect(labels(marked)).toEqual(["Allow once", "Don't allow"]);
  day.telegram.press(SAM, SAM, marked.id, "Don't allow");
  await closed(day, marked);
  day.say("/new");
  await day.shown("New chat.");
  day.say(ASK);
  const next = await card(day, 4, marked.id);
  expect(labels(next)).toContain("Always in this chat");
  expect(mail.ran).toHaveLength(3);
  expect(other.ran).toEqual([]);
});

it.each([
  { what: "an orderly end", crash: false, words: "Stopped before this was answered. It was not done." },
  { what: "a crash", crash: true, words: "I was restarted before this was answered. It was not done." },
])(
  "D26: after $what an open approval is over and says so; what it asked for did not run, and asks anew",
  async ({ crash, words }) => {
    await using one = await withMail();
    const { day, mail } = one;
    day.say(ASK);
    const asked = await card(day);
    const [once] = keys(asked);
    if (crash) {
      // What the disk holds in the middle of it, as a crash leaves it; shown after the card, so that the card is noted as shown.
      day.say("/help");
      await day.shown("/new");
      const kept = join(day.folder, "kept");
      cpSync(day.data, kept, { recursive: true });
      day.telegram.fail("editMessageText", { kind: "resetBeforeStore" });
      await day.stop();
      rmSync(day.data, { recursive: true });
      renameSync(kept, day.data);
      await day.start();
    } else await day.restart();
    expect(await closed(day, asked)).toBe(`send_mail (no. 1): ${words}`);
    const again = await card(day, 2, asked.id);
    const late = day.telegram.pressData(SAM, SAM, asked.id, once!);
    expect((await day.telegram.until((wire) => wire.answerTo(late), PATIENT)).text).toBe("That was already answered.");
    // "yes" to the old card is no answer to the new one.
    day.say("yes", { replyTo: asked.id });
    await day.shown("answer that next");
    expect(mail.ran).toEqual([]);
    day.telegram.press(SAM, SAM, again.id, "Allow once");
    await day.shown("send_mail ok");
    await day.settled();
    expect(mail.ran).toHaveLength(1);
  },
);

it("G13, A40: /stop while it waits ends the turn, nothing runs, and the card says so", async () => {
  await using one = await withMail();
  const { day, mail } = one;
  day.say(ASK);
  const asked = await card(day);
  const [once] = keys(asked);
  day.say("/stop");
  await day.shown("Stopped.");
  expect(await closed(day, asked)).toBe("send_mail (no. 1): Stopped before this was answered. It was not done.");
  const late = day.telegram.pressData(SAM, SAM, asked.id, once!);
  expect((await day.telegram.until((wire) => wire.answerTo(late), PATIENT)).text).toBe("That was already answered.");
  day.say("Next");
  await day.shown("I was told: Next");
  expect(mail.ran).toEqual([]);
});

it.each(["Allow once", "Always in this chat"])(
  "A15, A39: leave given by “%s” before somebody's words came in does not count after",
  async (label) => {
    await using one = await withMail();
    const { day, mail } = one;
    day.say(ASK);
    const first = await card(day);
    day.say("Send it to me", { forward: { type: "user", user: EVE } });
    await day.shown("A new chat starts clean.");
    day.telegram.press(SAM, SAM, first.id, label);
    const second = await card(day, 2);
    expect(second.text).toContain("This chat holds words from Eve Adams on Telegram. The assistant wants");
    expect(labels(second)).toEqual(["Allow once", "Don't allow"]);
    expect(mail.ran).toEqual([]);
    day.telegram.press(SAM, SAM, second.id, "Allow once");
    await day.shown("send_mail ok");
    expect(mail.ran).toHaveLength(1);
  },
);

it("A31, A15: a chat that comes to hold somebody's words while a tool waits is asked about as it is then", async () => {
  const hold = newHold();
  const slow = notingTool("slow", "plain", { hold });
  await using one = await withMail({ tools: [slow], authority: { mode: "trust" } });
  const { day, mail } = one;
  day.say(`call slow {}\n${ASK}`);
  await hold.begun.promise;
  day.say("Send it to me", { forward: { type: "user", user: EVE } });
  await day.shown("A new chat starts clean.");
  hold.released.resolve();
  const asked = await card(day);
  expect(asked.text).toContain("This chat holds words from Eve Adams on Telegram. The assistant wants");
  expect(mail.ran).toEqual([]);
  day.telegram.press(SAM, SAM, asked.id, "Don't allow");
  await closed(day, asked);
});

const WRITE = 'own write {"paths":["WORK/a.txt"]}';
const OUTSIDE = 'own write {"paths":["/elsewhere/a.txt"]}';
const COMMAND = 'own command {"command":"ls","confined":true}';

it.each([
  { mode: "ask", asks: ["change files", "change files", "run a command"], passes: [] },
  { mode: "edits", asks: ["change files", "run a command"], passes: ["write allowed"] },
  { mode: "trust", asks: [], passes: ["write allowed", "write allowed", "command allowed"] },
] as const)("A35: in mode $mode an engine's own acts ask or pass as it says", async ({ mode, asks, passes }) => {
  await using one = await withMail();
  const { day } = one;
  day.say(`/mode ${mode}`);
  await day.shown(`Mode of this chat: ${mode}.`);
  day.say([WRITE, OUTSIDE, COMMAND].join("\n"));
  for (const [at, act] of asks.entries()) {
    const asked = await card(day, at + 1);
    expect(asked.text).toContain(`The assistant wants to ${act}.`);
    day.telegram.press(SAM, SAM, asked.id, "Don't allow");
    await closed(day, asked);
  }
  await day.shown(/(?:allowed|It was not done\.)$/u);
  await day.settled();
  const said = day.texts().join("\n");
  expect(said.match(/(?:write|command) allowed/gu) ?? []).toEqual(passes);
  expect(said.match(/denied: The owner did not allow/gu) ?? []).toHaveLength(asks.length);
});

it("A35: in mode plan nothing acts and nobody is asked; reading in the work folder goes on", async () => {
  await using one = await withMail();
  const { day, mail } = one;
  day.say("/mode plan");
  await day.shown("Mode of this chat: plan.");
  day.say([ASK, WRITE, COMMAND, 'own read {"paths":["WORK/a.txt"]}'].join("\n"));
  await day.shown("read allowed");
  await day.settled();
  const said = day.texts().join("\n");
  expect(said.match(/(?:send_mail|write|command) denied: This chat only plans for now/gu)).toHaveLength(3);
  expect(said).not.toContain("May I?");
  expect(mail.ran).toEqual([]);
});

it("A20: places that are closed stay closed in mode trust, and a command that nothing confines asks each time", async () => {
  await using one = await withMail({ authority: { mode: "trust" } });
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
  expect(labels(asked)).toEqual(["Allow once", "Don't allow"]);
  day.telegram.press(SAM, SAM, asked.id, "Allow once");
  await day.shown("command allowed");
});

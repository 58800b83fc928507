// The last step before the platform: no secret that is known gets past it, however it is said.
import { describe, expect, it } from "vitest";
import { journey, PATIENT, SAM } from "./gateway.ts";
import type { Journey, JourneyOptions } from "./gateway.ts";
import { notingTool, puppet } from "./puppet.ts";
import type { Step } from "../wire/models-script.ts";

const API_KEY = "sk-journey-4f9a2b7c1d";
const TOKEN = "100200300:test-token";
const SECRETS = [API_KEY, TOKEN];

async function secretive(options: JourneyOptions = {}): Promise<Journey> {
  return await journey({ apiKey: API_KEY, secrets: [API_KEY], pace: { draftMs: 0 }, ...options });
}

/** All that Telegram was given and all that a person ever saw, each as one text: no secret may stand in any. */
function everShown(day: Journey, chat: number = SAM): readonly string[] {
  const payloads = day.telegram.calls.map(({ payload }) => JSON.stringify(payload));
  const messages = day.telegram
    .sent(chat)
    .flatMap((message) => [message, ...message.edits])
    .flatMap(({ text, keyboard }) => [text, ...keyboard.flat().map((button) => button.text)]);
  const drafts = day.telegram.draftLog(chat).map(({ text }) => text);
  const answers = day.telegram.answers.map(({ text }) => text ?? "");
  // Two messages in a row are read as one.
  return [...payloads, ...messages, ...drafts, ...answers, day.texts(chat).join("")];
}

function leaks(day: Journey, chat?: number): readonly string[] {
  return everShown(day, chat).filter((text) =>
    [text, decoded(text)].some((one) => SECRETS.some((secret) => one.includes(secret))),
  );
}

function decoded(text: string): string {
  return text.replaceAll(/%([\da-f]{2})/giu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

const half = (secret: string): readonly [string, string] => [secret.slice(0, 9), secret.slice(9)];

const WAYS: readonly { readonly how: string; readonly say: (secret: string) => readonly Step[] }[] = [
  { how: "as it is", say: (secret) => [`It is ${secret}, keep it.`] },
  { how: "letter by letter", say: (secret) => [{ text: `It is ${secret}, keep it.`, chunk: 1 }] },
  { how: "at the very end", say: (secret) => [{ text: `Keep it: ${secret}`, chunk: 3 }] },
  { how: "in bold", say: (secret) => [`It is **${secret}**, keep it.`] },
  { how: "half in bold", say: (secret) => [`It is ${half(secret)[0]}**${half(secret)[1]}**, keep it.`] },
  { how: "half in italics", say: (secret) => [`It is *${half(secret)[0]}*${half(secret)[1]}, keep it.`] },
  { how: "half in code", say: (secret) => [`It is \`${half(secret)[0]}\`${half(secret)[1]}, keep it.`] },
  { how: "in a block of code", say: (secret) => [`\`\`\`\nkey=${secret}\n\`\`\`\nkeep it.`] },
  { how: "escaped", say: (secret) => [`It is ${secret.replaceAll(/[-:]/gu, String.raw`\$&`)}, keep it.`] },
  { how: "with character references", say: (secret) => [`It is ${secret.replaceAll("-", "&#45;")}, keep it.`] },
  { how: "with what draws nothing", say: (secret) => [`It is ${half(secret).join("\u200B")}, keep it.`] },
  { how: "in a link", say: (secret) => [`Keep it [here](https://example.org/?k=${secret}).`] },
  {
    how: "encoded in a link",
    say: (secret) => [`Keep it [here](https://example.org/?k=${encodeURIComponent(secret)}).`],
  },
  { how: "as a link's words", say: (secret) => [`Keep it [${secret}](https://example.org/a).`] },
  { how: "in a table", say: (secret) => [`| key | keep it |\n| --- | --- |\n| ${secret} | now |`] },
];

describe("A54: the bot's token and a key never leave in an answer or its drafts", () => {
  it.each(WAYS)("A54: said $how", async ({ say }) => {
    await using day = await secretive();
    for (const secret of SECRETS) {
      const gate = day.models.gate();
      day.models.reply([...say(secret), { wait: gate }, "\n\nDone."]);
      day.say("What is it?");
      await day.models.until(() => gate.reached, PATIENT);
      await day.telegram.until((wire) => wire.draftLog(SAM).length > 0, PATIENT);
      gate.release();
      await day.shown("Done.", { after: day.telegram.messages(SAM).at(-1)!.id });
      await day.settled();
    }
    expect(leaks(day)).toEqual([]);
    // The rest of what was said is there.
    expect(
      day
        .texts()
        .join("\n")
        .match(/keep it|here|key/giu)?.length,
    ).toBeGreaterThanOrEqual(2);
    expect(everShown(day).some((text) => text.includes("hidden"))).toBe(true);
  });

  it("A54, T22: nor in a group, where the answer grows by edits", async () => {
    const group = -1_000_000_000_900;
    await using day = await secretive({ groups: "mention", wire: { username: "gate_bot" } });
    day.telegram.addSupergroup(group);
    const gates = Array.from(TOKEN, () => day.models.gate());
    day.models.reply([
      "It is ",
      ...Array.from(TOKEN).flatMap((sign, at): Step[] => [sign, { wait: gates[at]! }]),
      ", keep it.",
    ]);
    day.telegram.say(group, SAM, "@gate_bot go");
    for (const gate of gates) {
      await day.models.until(() => gate.reached, PATIENT);
      gate.release();
    }
    await day.shown("keep it", { chat: group });
    await day.settled();
    expect(leaks(day, group)).toEqual([]);
    expect(day.texts(group)).toEqual(["It is [hidden], keep it."]);
  });
});

it("A54: nor in an error of the service that knows it", async () => {
  await using day = await secretive();
  day.models.reply([{ status: 401, message: `Incorrect API key provided: ${API_KEY}` }]);
  day.say("Hi");
  await day.telegram.until((wire) => wire.sent(SAM).length === 1, PATIENT);
  day.models.reply(["So far", { errorEvent: `key ${API_KEY} is over its quota` }]);
  day.say("Again");
  await day.telegram.until((wire) => wire.sent(SAM).length >= 2, PATIENT);
  await day.settled();
  expect(leaks(day)).toEqual([]);
  expect(SECRETS.filter((secret) => day.notes.includes(secret))).toEqual([]);
});

it("A54: nor in the words of buttons, cards and commands, nor in what a press is told", async () => {
  await using day = await secretive({ engines: { small: {}, [`of ${API_KEY}`]: {} } });
  day.say(`My key is ${API_KEY}`);
  await day.shown("You said");
  day.say("/engine");
  const card = await day.shown("Which engine");
  expect(card.keyboard.flat().map(({ text }) => text)).toEqual(["small (now)", "of [hidden]"]);
  day.say("/status");
  await day.shown("My key is [hidden]");
  day.say(`/engine ${API_KEY}`);
  await day.shown("no engine of that name");
  await day.settled();
  await day.restart({ engines: { small: {} } });
  const press = day.telegram.press(SAM, SAM, card.id, "of [hidden]");
  expect((await day.telegram.until((wire) => wire.answerTo(press), PATIENT)).text).toBe(
    "The config has no engine of [hidden] any more.",
  );
  await day.settled();
  expect(leaks(day)).toEqual([]);
});

it("A54, A37: nor in the arguments that an approval shows, in text or as a file", async () => {
  const toy = puppet();
  await using day = await secretive({ puppet: toy.engine, tools: [notingTool("send_mail", "app-act")] });
  day.say(`call send_mail ${JSON.stringify({ body: `${API_KEY} ${"x ".repeat(2000)} ${TOKEN}` })}`);
  const card = await day.shown("May I?");
  expect(card.text).toContain("[hidden]");
  const file = await day.telegram.until((wire) => wire.sent(SAM).find((message) => message.file), PATIENT);
  const stored = [...day.telegram.state.files.values()].map(({ bytes }) => Buffer.from(bytes).toString("utf8"));
  expect(file.file?.name).toBe("arguments-1.json");
  expect(stored.join("\n")).toContain("[hidden]");
  expect(SECRETS.filter((secret) => stored.join("\n").includes(secret))).toEqual([]);
  expect(leaks(day)).toEqual([]);
  day.telegram.press(SAM, SAM, card.id, "Don't allow");
  await day.shown("send_mail denied");
});

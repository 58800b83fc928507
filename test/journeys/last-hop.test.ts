// The last step before the platform: no secret that is known gets past it, however it is said.
import { describe, expect, it } from "vitest";
import { journey, PATIENT } from "./gateway.ts";
import { notingTool, puppet } from "./puppet.ts";
import type { Step } from "../wire/models-script.ts";
import type { Journey, JourneyOptions } from "./gateway.ts";
import { onEach, PLATFORMS, SAM } from "./stage.ts";
import type { Place, Who } from "./stage.ts";

const API_KEY = "sk-journey-4f9a2b7c1d";

/** All that must never be shown. */
const secretsOf = (day: Journey): readonly string[] => [API_KEY, ...day.on.secrets];

async function secretive(options: JourneyOptions): Promise<Journey> {
  return await journey({ apiKey: API_KEY, secrets: [API_KEY], pace: { draftMs: 0 }, ...options });
}

/** All that the platform was given and all that a person ever saw, each as one text: no secret may stand in any. */
function everShown(day: Journey, place: Place | Who = SAM): readonly string[] {
  const messages = day
    .sent(place)
    .flatMap((message) => [message, ...message.edits])
    .flatMap(({ text, buttons }) => [text, ...buttons.flat().map(({ label }) => label)]);
  // Two messages in a row are read as one.
  return [...day.on.payloads, ...messages, ...day.on.underWayLog(day.place(place)), day.texts(place).join("")];
}

function leaks(day: Journey, place?: Place | Who): readonly string[] {
  return everShown(day, place).filter((text) =>
    [text, decoded(text)].some((one) => secretsOf(day).some((secret) => one.includes(secret))),
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
  it.concurrent.each(onEach(WAYS))("A54: said $how ($on)", async ({ say, on }) => {
    await using day = await secretive({ on });
    for (const secret of secretsOf(day)) {
      const gate = day.models.gate();
      const after = day.on.last(day.place(SAM));
      day.models.reply([...say(secret), { wait: gate }, "\n\nDone."]);
      day.say("What is it?");
      await day.models.until(() => gate.reached, PATIENT);
      await day.until(() => day.on.underWayLog(day.place(SAM)).length > 0);
      gate.release();
      await day.shown("Done.", { after });
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

  it.concurrent.each(PLATFORMS)("A54, T22: nor in a group, where the answer grows by edits (%s)", async (on) => {
    await using day = await secretive({ on, groups: "mention" });
    const [token = ""] = day.on.secrets;
    const gates = Array.from(token, () => day.models.gate());
    day.models.reply([
      "It is ",
      ...Array.from(token).flatMap((sign, at): Step[] => [sign, { wait: gates[at]! }]),
      ", keep it.",
    ]);
    day.mention("go", { in: day.group });
    for (const gate of gates) {
      await day.models.until(() => gate.reached, PATIENT);
      gate.release();
    }
    await day.shown("keep it", { in: day.group });
    await day.settled();
    expect(leaks(day, day.group)).toEqual([]);
    expect(day.texts(day.group)).toEqual(["It is [hidden], keep it."]);
  });
});

it.concurrent.each(PLATFORMS)("A54: nor in an error of the service that knows it (%s)", async (on) => {
  await using day = await secretive({ on });
  day.models.reply([{ status: 401, message: `Incorrect API key provided: ${API_KEY}` }]);
  day.say("Hi");
  await day.until(() => day.sent().length === 1);
  day.models.reply(["So far", { errorEvent: `key ${API_KEY} is over its quota` }]);
  day.say("Again");
  await day.until(() => day.sent().length >= 2);
  await day.settled();
  expect(leaks(day)).toEqual([]);
  expect(secretsOf(day).filter((secret) => day.notes.includes(secret))).toEqual([]);
});

it.concurrent.each(PLATFORMS)(
  "A54: nor in the words of buttons, cards and commands, nor in what a press is told (%s)",
  async (on) => {
    await using day = await secretive({ on, engines: { small: {}, [`of ${API_KEY}`]: {} } });
    day.say(`My key is ${API_KEY}`);
    await day.shown("You said");
    day.command("engine");
    const card = await day.shown("Which engine");
    expect(day.labels(card)).toEqual(["small (now)", "of [hidden]"]);
    day.command("status");
    await day.shown("My key is [hidden]");
    day.command(`engine ${API_KEY}`);
    await day.shown("no engine of that name");
    await day.settled();
    await day.restart({ engines: { small: {} } });
    const press = day.press(card, "of [hidden]");
    expect(await day.answered(press)).toBe("The config has no engine of [hidden] any more.");
    await day.settled();
    expect(leaks(day)).toEqual([]);
  },
);

it.concurrent.each(PLATFORMS)(
  "A54, A37: nor in the arguments that an approval shows, in text or as a file (%s)",
  async (on) => {
    const toy = puppet();
    await using day = await secretive({ on, puppet: toy.engine, tools: [notingTool("send_mail", "app-act")] });
    day.say(
      `call send_mail ${JSON.stringify({ body: `${API_KEY} ${"x ".repeat(1850)} ${secretsOf(day).join(" ")}` })}`,
    );
    const card = await day.shown("May I?");
    expect(card.text).toContain("[hidden]");
    const [file] = await day.until(() => day.sent().find(({ files }) => files.length > 0)?.files);
    expect(file?.name).toBe("arguments-1.json");
    expect(file?.text).toContain("[hidden]");
    expect(secretsOf(day).filter((secret) => file?.text.includes(secret))).toEqual([]);
    expect(leaks(day)).toEqual([]);
    day.press(card, "Don't allow");
    await day.shown("send_mail denied");
  },
);

// init's questions about Telegram: the bot's token, tried at once, and who the owner is there.
import { asGatewayError, GatewayError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";
import { getMe, getWriters, type Bot } from "./doctor-calls.ts";
import type { Questions } from "./init-questions.ts";

/** What was answered; `owner` undefined: still to be written into the config. */
export type TelegramAnswers = { readonly token: string; readonly owner: string | undefined };

const WAIT_MS = 120_000;
const POLL_SECONDS = 10;
const PAUSE_MS = 1000;

/** Asks for the bot. Undefined: no Telegram. `way` is how Telegram is reached. */
export async function askTelegramBot(
  questions: Questions,
  way: Omit<Bot, "token">,
): Promise<TelegramAnswers | undefined> {
  questions.say("\nTelegram: send /newbot to @BotFather there, and it gives you a token. Enter: no Telegram.");
  for (;;) {
    const token = await questions.askSecret("Bot token");
    if (token === "") return undefined;
    if (!/^\d+:\S+$/u.test(token)) {
      questions.say("  A token looks like 123456789:AAE4… Copy it whole, or press Enter to go on without Telegram.");
      continue;
    }
    const bot: Bot = { ...way, token };
    try {
      const { username } = await getMe(bot);
      questions.say(`  ok: this is @${username}.`);
      return { token, owner: await askOwner(questions, bot, username) };
    } catch (thrown) {
      const error = asGatewayError(thrown, "channel-unreachable");
      if (error.code === "bad-request") throw error;
      questions.say(`  ${error.message}${error.hint === undefined ? "" : ` ${error.hint}`}`);
      if (error.code === "channel-unauthorized") continue;
      if (await questions.confirm("  Keep this token without trying it?", false)) {
        return { token, owner: await askOwner(questions, undefined, "the bot") };
      }
    }
  }
}

/** Asks for the owner's id. With a bot that answers, it can be read from a message. */
async function askOwner(questions: Questions, bot: Bot | undefined, name: string): Promise<string | undefined> {
  questions.say("\nYour numeric Telegram id says who the owner is: others are answered only once you let them in.");
  if (bot !== undefined)
    questions.say(`Don't know it? Answer w, then write anything to @${name}: the id is read from there.`);
  for (;;) {
    const answer = await questions.ask(
      bot === undefined ? "Your id (a number; Enter: later)" : "Your id (a number; w; Enter: later)",
    );
    if (answer === "") {
      questions.say("  Without it ./tidegate start prints a link: whoever opens it first is the owner.");
      return undefined;
    }
    if (/^[1-9]\d{0,15}$/u.test(answer)) return answer;
    if (answer.toLowerCase() !== "w" || bot === undefined) {
      questions.say("  That is not a number.");
      continue;
    }
    const found = await waitForOwner(questions, bot, name);
    if (found !== undefined) return found;
  }
}

/** Waits for somebody who writes to the bot and says yes here. Reads only: each message stays for the gateway. */
async function waitForOwner(questions: Questions, bot: Bot, name: string): Promise<string | undefined> {
  questions.say(`  Write anything to @${name} now. I wait up to two minutes.`);
  const until = bot.clock.now() + WAIT_MS;
  const asked = new Set<number>();
  try {
    while (bot.clock.now() < until && !questions.interrupted.aborted) {
      const fresh = (await getWriters(bot, POLL_SECONDS)).filter(({ id }) => !asked.has(id));
      for (const { id, name: writer } of fresh) {
        if (asked.has(id)) continue;
        asked.add(id);
        if (await questions.confirm(`  Was that you: ${oneLine(writer)} (${id})?`, false)) return String(id);
      }
      // What was seen before comes again at once, since nothing is confirmed.
      if (fresh.length === 0) await bot.clock.sleep(PAUSE_MS);
    }
    questions.say("  Nobody wrote.");
  } catch (thrown) {
    const error = asGatewayError(thrown, "channel-unreachable");
    if (!error.code.startsWith("channel-")) throw error;
    questions.say(`  ${error.message} Type the id instead.`);
  }
  if (questions.interrupted.aborted) throw new GatewayError("bad-request", "Ended. Nothing was written.");
  return undefined;
}

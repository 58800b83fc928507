// init's questions about Discord: the bot's token, tried at once, the link that adds it to a server, and who the owner is there.
import { asGatewayError } from "../core/error.ts";
import { askDiscordBot, discordInviteFor, type DiscordBot, type DiscordWay } from "./doctor-discord.ts";
import type { Questions } from "./init-questions.ts";

/** What was answered; `owner` undefined: still to be paired. */
export type DiscordAnswers = { readonly token: string; readonly owner: string | undefined };

/** Asks for the bot. Undefined: no Discord. `way` is how Discord is reached. */
export async function askDiscordToken(
  questions: Questions,
  way: Omit<DiscordWay, "token">,
): Promise<DiscordAnswers | undefined> {
  questions.say(
    "\nDiscord: at https://discord.com/developers/applications make a New Application. Bot, Reset Token, gives you its token. Enter: no Discord.",
  );
  for (;;) {
    const token = await questions.askSecret("Bot token");
    if (token === "") return undefined;
    if (/\s/u.test(token)) {
      questions.say("  A token has no spaces. Copy it alone, or press Enter to go on without Discord.");
      continue;
    }
    try {
      const bot = await askDiscordBot({ ...way, token });
      questions.say(`  ok: this is ${bot.name}.`);
      questions.say(
        `\nYou can write to it once you share a server. This link adds it to one of yours:\n${discordInviteFor(bot, "off")}`,
      );
      return { token, owner: await askOwner(questions, bot) };
    } catch (thrown) {
      const error = asGatewayError(thrown, "channel-unreachable");
      if (!error.code.startsWith("channel-")) throw error;
      questions.say(`  ${error.message}${error.hint === undefined ? "" : ` ${error.hint}`}`);
      if (error.code === "channel-unauthorized") continue;
      if (await questions.confirm("  Keep this token without trying it?", false)) {
        return { token, owner: await askOwner(questions, undefined) };
      }
    }
  }
}

/** Who made the bot is most likely its owner; else the id is asked for. */
async function askOwner(questions: Questions, bot: DiscordBot | undefined): Promise<string | undefined> {
  questions.say("\nYour Discord user id says who the owner is: others are answered only once you let them in.");
  if (bot?.owner !== undefined) {
    const { id, name } = bot.owner;
    if (await questions.confirm(`This bot was made by ${name} (${id}). Is that you?`, true)) return id;
  }
  questions.say("In Discord: Settings, Advanced, Developer Mode on; then right-click your name, Copy User ID.");
  for (;;) {
    const id = await questions.ask("Your id (a number; Enter: later)");
    if (id === "") {
      questions.say("  Without it ./tidegate start prints a code: whoever sends it to the bot first is the owner.");
      return undefined;
    }
    if (/^[1-9]\d{0,19}$/u.test(id)) return id;
    questions.say("  That is not a number.");
  }
}

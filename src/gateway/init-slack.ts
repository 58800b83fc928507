// init's questions about Slack: the app's manifest to paste, its two tokens, tried at once, and who the owner is there.
import { asGatewayError } from "../core/error.ts";
import { askSlackBot, askSlackMember, askSlackSocket, slackManifestText, type SlackWay } from "./doctor-slack.ts";
import type { Questions } from "./init-questions.ts";

/** What was answered; `owner` undefined: still to be paired. */
export type SlackAnswers = {
  readonly botToken: string;
  readonly appToken: string;
  readonly owner: string | undefined;
};

/** Asks for the app. Undefined: no Slack. `way` is how Slack is reached. */
export async function askSlackApp(questions: Questions, way: SlackWay): Promise<SlackAnswers | undefined> {
  questions.say(
    "\nSlack: at https://api.slack.com/apps choose Create New App, From a manifest, your workspace, and paste this as JSON:\n",
  );
  questions.say(slackManifestText());
  questions.say(
    "\nThen Install App there, and copy the Bot User OAuth Token (xoxb-…). Enter: no Slack.\n./tidegate doctor --slack-manifest prints the above again.",
  );
  let team: string | undefined;
  const botToken = await askToken(questions, "Bot token", "xoxb-", async (token) => {
    const bot = await askSlackBot(way, token);
    ({ team } = bot);
    return `this is @${bot.name} in ${bot.team}.`;
  });
  if (botToken === undefined) return undefined;
  questions.say(
    "\nIt hears you through a second token: Basic Information, App-Level Tokens, Generate, with the scope connections:write (xapp-…).",
  );
  const appToken = await askToken(questions, "App token", "xapp-", async (token) => {
    await askSlackSocket(way, token);
    return "it opens Socket Mode.";
  });
  if (appToken === undefined) return undefined;
  return { botToken, appToken, owner: await askOwner(questions, way, team === undefined ? undefined : botToken) };
}

/** Asks until a token works, or is to be kept untried. Undefined: none. */
async function askToken(
  questions: Questions,
  what: string,
  prefix: string,
  attempt: (token: string) => Promise<string>,
): Promise<string | undefined> {
  for (;;) {
    const token = await questions.askSecret(what);
    if (token === "") return undefined;
    if (!token.startsWith(prefix) || /\s/u.test(token)) {
      questions.say(`  This one begins with ${prefix}. Copy it whole, or press Enter to go on without Slack.`);
      continue;
    }
    try {
      questions.say(`  ok: ${await attempt(token)}`);
      return token;
    } catch (thrown) {
      const error = asGatewayError(thrown, "channel-unreachable");
      questions.say(`  ${error.message}${error.hint === undefined ? "" : ` ${error.hint}`}`);
      if (error.code === "channel-unauthorized") continue;
      if (await questions.confirm("  Keep this token without trying it?", false)) return token;
    }
  }
}

/** Asks for the owner's id. With a token that works it is looked up, so that a slip shows. */
async function askOwner(
  questions: Questions,
  way: SlackWay,
  botToken: string | undefined,
): Promise<string | undefined> {
  questions.say(
    "\nYour member id says who the owner is: others are answered only once you let them in. In Slack: your picture, Profile, ⋮, Copy member ID.",
  );
  for (;;) {
    const id = await questions.ask("Your member id (U…; Enter: later)");
    if (id === "") {
      questions.say("  Without it ./tidegate start prints a code: whoever sends it to the bot first is the owner.");
      return undefined;
    }
    if (!/^[UW][A-Z0-9]+$/u.test(id)) {
      questions.say("  A member id is a U, or a W, and then capitals and digits.");
      continue;
    }
    if (botToken === undefined) return id;
    try {
      const name = await askSlackMember(way, botToken, id);
      if (name !== undefined) {
        questions.say(`  ok: that is ${name}.`);
        return id;
      }
      questions.say("  Nobody in this workspace has that id.");
    } catch {
      // The id is well-formed; only the look-up failed.
      return id;
    }
  }
}

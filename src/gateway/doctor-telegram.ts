// doctor's look at a Telegram bot: its token, where its updates go, groups, and the command menu.
import { asGatewayError } from "../core/error.ts";
import { MENU } from "./commands.ts";
import type { Config } from "./config.ts";
import { getMe, getMenu, getWebhook, warnings, type Bot, type Finding } from "./doctor-calls.ts";

const what = "telegram";

/** Asks the bot's own facts; reads no message. */
export async function checkTelegram(config: Pick<Config, "owner" | "access">, bot: Bot): Promise<readonly Finding[]> {
  try {
    const [me, webhook, menu] = await Promise.all([getMe(bot), getWebhook(bot), getMenu(bot)]);
    const waiting = webhook.pending_update_count;
    const wanted = MENU.map(({ name }) => name);
    const missing = wanted.filter((name) => !menu.includes(name));
    return [
      { is: "ok", what, words: `@${me.username} answers${waiting === 0 ? "" : `; ${waiting} updates wait for it`}` },
      ...warnings(what, [
        [
          config.owner.telegram === undefined,
          "owner.telegram is not set: until you are paired the bot answers nobody. ./tidegate start prints a pairing link, ./tidegate init finds your id.",
        ],
        [webhook.url !== "", "a webhook is set, which takes the messages away. ./tidegate start removes it."],
        [missing.length > 0, `the command menu lacks ${missing.join(", ")}. ./tidegate start sets it.`],
        ...(config.access.groups === "mention"
          ? ([
              [
                me.can_join_groups === false,
                "groups are on, but the bot may not be added to any. Send /setjoingroups to @BotFather.",
              ],
              [
                me.can_read_all_group_messages === true,
                "its privacy mode is off, so Telegram sends it every message of its groups, though it answers mentions and replies only. Send /setprivacy to @BotFather.",
              ],
            ] as const)
          : []),
      ]),
    ];
  } catch (thrown) {
    const error = asGatewayError(thrown, "channel-unreachable");
    const todo =
      error.code === "channel-unauthorized"
        ? "Copy it again from @BotFather (/mybots, API Token) to channels.telegram.token, or run ./tidegate init."
        : (error.hint ?? "");
    return [{ is: "FAIL", what, words: `${error.message} ${todo}`.trim() }];
  }
}

// The Discord channel against the loopback platform, through the real discord.js: the contract, and what only Discord does.
import { messageLink } from "discord.js";
import { discord } from "../../src/channels/discord/channel.ts";
import { describeChannel } from "../contracts/channel.ts";
import type { ChannelDriver, FaultName, Saying, Where } from "../contracts/channel.ts";
import type { Fault } from "../wire/discord-faults.ts";
import type { SayExtra } from "../wire/discord-people.ts";
import { startDiscord } from "../wire/discord.ts";
import { OWNER, PLACE, QUICK, STRANGER } from "./discord-stage.ts";

const FAULTS: Readonly<Record<FaultName, Fault>> = {
  "too-fast": { kind: "rateLimited", retryAfterMs: 7000 },
  "not-parseable": { kind: "error", status: 400, code: 50_035, message: "Invalid Form Body" },
  "lost-before": { kind: "resetBeforeStore" },
  "lost-after": { kind: "resetAfterStore" },
  gone: { kind: "error", status: 403, code: 50_007, message: "Cannot send messages to this user" },
};

async function discordDriver(): Promise<ChannelDriver> {
  const wire = await startDiscord();
  wire.addUser({ id: OWNER, name: "Sam" });
  wire.addUser({ id: STRANGER, name: "Kim" });
  wire.addChannel(PLACE, "general");
  const dm = wire.dm(OWNER);
  const chatOf = (where: Where): string => (where === "private" ? dm : PLACE);
  let pressed: string | undefined;
  return {
    secrets: [wire.token],
    connect: (surroundings) =>
      discord({ token: wire.token, apiUrl: wire.apiUrl, owner: OWNER, messageContent: false }, surroundings, QUICK),
    say: (where, text, saying = {}) =>
      Promise.resolve(
        wire.say(chatOf(where), OWNER, saying.forwarded === true ? "" : text, {
          ...extraOf(saying),
          mention: where === "shared",
          // The app sends what is said beside a forward as a message of its own.
          ...(saying.forwarded === true ? { forward: { text } } : {}),
        }),
      ),
    remove: (where, id) => Promise.resolve(wire.remove(chatOf(where), id)),
    cut: () => Promise.resolve(wire.cut()),
    edit: (where, id, text) =>
      Promise.resolve(wire.edit(chatOf(where), id, where === "shared" ? `<@${wire.botId}> ${text}` : text)),
    linkTo: (where, id) =>
      Promise.resolve(where === "private" ? messageLink(dm, id) : messageLink(PLACE, id, wire.guildId)),
    seen: (where) =>
      Promise.resolve(
        wire.sent(chatOf(where)).map((message) => ({
          ref: message.id,
          text: message.text,
          buttons: message.buttons.flat().map(({ label }) => label),
          inert: message.previewsOff && message.pings.length === 0,
        })),
      ),
    press(where, ref, label) {
      pressed = wire.press(chatOf(where), OWNER, ref, label);
      return Promise.resolve();
    },
    answered: () => Promise.resolve(pressed === undefined ? undefined : wire.answerTo(pressed).words),
    fault: (fault) => Promise.resolve(wire.fail("send", FAULTS[fault])),
    // What nobody was connected for is in the history only.
    unacknowledged: () => Promise.resolve(undefined),
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
}

function extraOf({ file, replyTo }: Saying): SayExtra {
  return {
    ...(file === undefined
      ? {}
      : {
          files: [
            {
              name: file.name,
              bytes: file.bytes,
              ...(file.claimedBytes === undefined ? {} : { size: file.claimedBytes }),
            },
          ],
        }),
    ...(replyTo === undefined ? {} : { replyTo }),
  };
}

describeChannel("discord", discordDriver);

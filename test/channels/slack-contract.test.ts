// The Slack channel against the loopback platform, through the real Bolt: the contract for every channel.
import { WebClient } from "@slack/web-api";
import { slack } from "../../src/channels/slack/channel.ts";
import { describeChannel } from "../contracts/channel.ts";
import type { ChannelDriver, FaultName, Saying, Where } from "../contracts/channel.ts";
import type { Fault } from "../wire/slack-faults.ts";
import type { SayExtra } from "../wire/slack-people.ts";
import { startSlack } from "../wire/slack.ts";
import { FRIEND, OWNER, QUICK } from "./slack-listening.ts";

const TEAM_CHANNEL = "C01TEAM";
const FAULTS: Readonly<Record<FaultName, Fault>> = {
  "too-fast": { kind: "rateLimited", retryAfter: 7 },
  "not-parseable": { kind: "error", error: "invalid_blocks" },
  "lost-before": { kind: "resetBeforeStore" },
  "lost-after": { kind: "resetAfterStore" },
  gone: { kind: "error", error: "channel_not_found" },
};

async function slackDriver(): Promise<ChannelDriver> {
  const wire = await startSlack();
  wire.addUser({ id: OWNER, name: "Sam" });
  wire.addUser({ id: FRIEND, name: "Kim" });
  wire.addChannel(TEAM_CHANNEL, "team");
  const dm = wire.dm(OWNER);
  const chatOf = (where: Where): string => (where === "private" ? dm : TEAM_CHANNEL);
  let pressed: string | undefined;
  return {
    secrets: [wire.botToken, wire.appToken],
    connect: (surroundings) =>
      slack({ botToken: wire.botToken, appToken: wire.appToken, apiUrl: wire.apiUrl }, surroundings, QUICK),
    async say(where, text, saying = {}) {
      const shared = where === "shared" ? ({ mention: true } as const) : {};
      const words = saying.forwarded === true ? "" : text;
      return wire.say(chatOf(where), OWNER, words, { ...shared, ...extraOf(saying, text) });
    },
    async remove(where, id) {
      wire.remove(chatOf(where), id);
    },
    async cut() {
      wire.cut();
    },
    async edit(where, id, text) {
      wire.edit(chatOf(where), id, text);
    },
    async linkTo(where, id) {
      const { permalink } = await new WebClient(wire.botToken, { slackApiUrl: wire.apiUrl }).chat.getPermalink({
        channel: chatOf(where),
        message_ts: id,
      });
      return permalink;
    },
    async seen(where) {
      return wire.sent(chatOf(where)).map((message) => ({
        ref: message.id,
        text: message.text,
        buttons: message.buttons.flat().map(({ label }) => label),
        inert: message.previewsOff && message.pings.length === 0,
      }));
    },
    async press(where, ref, label) {
      pressed = wire.press(chatOf(where), OWNER, ref, label);
    },
    async answered() {
      return pressed === undefined ? undefined : wire.answerTo(pressed)?.words;
    },
    async fault(fault) {
      wire.fail("chat.postMessage", FAULTS[fault]);
    },
    async unacknowledged() {
      return wire.pending.length;
    },
    [Symbol.asyncDispose]: async () => await wire[Symbol.asyncDispose](),
  };
}

function extraOf({ file, forwarded }: Saying, text: string): SayExtra {
  const sized = file?.claimedBytes === undefined ? {} : { size: file.claimedBytes };
  return {
    ...(file === undefined ? {} : { files: [{ name: file.name, bytes: file.bytes, ...sized }] }),
    ...(forwarded === true ? { forward: { of: FRIEND, text } } : {}),
  };
}

describeChannel("slack", slackDriver, {
  quotes: "nothing on Slack answers one message by a quote of it; a shared message is a forward",
});

// doctor on Slack: who the tokens are, what they may do against what is used, and a manifest to make the app from.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { slackManifest, SLACK_SCOPES } from "../../src/channels/slack/manifest.ts";
import { printSlackManifest } from "../../src/gateway/doctor.ts";
import { startSlack, type SlackOptions, type SlackWire } from "../wire/slack.ts";
import { changed, hasty, Place } from "./doctor-look.ts";

const PRIVATE = SLACK_SCOPES.filter(({ shared }) => shared !== true).map(({ scope }) => scope);
const ALL = SLACK_SCOPES.map(({ scope }) => scope);
const APP_TOKEN = "xapp-1-A01APP-42-test-token";

let place: Place;
let slack: SlackWire;

beforeEach(async () => {
  place = new Place();
  slack = await startSlack({ scopes: PRIVATE, appToken: APP_TOKEN });
});
afterEach(async () => {
  place[Symbol.dispose]();
  await slack[Symbol.asyncDispose]();
});

/** Another app than the one that stands there. */
async function restart(options: SlackOptions): Promise<void> {
  await slack[Symbol.asyncDispose]();
  slack = await startSlack({ scopes: PRIVATE, appToken: APP_TOKEN, ...options });
}

const OWNER = "owner: { slack: U01OWNER }";
const config = (rest = OWNER, botToken = "xoxb-test-token", appToken = APP_TOKEN): string =>
  `channels: { slack: { botToken: "${botToken}", appToken: "${appToken}", apiUrl: "${slack.apiUrl}" } }\n${rest}\n`;
const SHARED = `${OWNER}\naccess: { groups: mention }`;

describe("doctor on Slack", () => {
  test("F21, G29: says who the bot is, that its rights are just those used, and that Socket Mode opens, and connects nothing", async () => {
    const { healthy, lines, said } = await place.look(config());
    expect(healthy).toBe(true);
    expect(lines.filter((line) => line.includes("slack"))).toEqual([
      "ok    slack: @tidegate answers in workspace (T01TEAM)",
      "ok    slack rights: just the 8 that are used",
      "ok    slack events: the app token opens Socket Mode",
    ]);
    expect(said).not.toMatch(/test-token/u);
    expect(slack.connections).toBe(0);
    expect([...new Set(slack.calls.map(({ method }) => method))].toSorted()).toEqual([
      "apps.connections.open",
      "auth.test",
      "bots.info",
    ]);
  });

  test("F21: rights that lack are named with what they are for, those of channels only where channels are on", async () => {
    await restart({ scopes: PRIVATE.filter((scope) => scope !== "im:history") });
    const lacking = await place.look(config());
    expect(lacking.healthy).toBe(false);
    expect(lacking.of("slack rights")).toEqual([
      expect.stringMatching(
        /^FAIL {2}the bot lacks im:history \(to read what you write to it\)\. Add them under OAuth.*install the app again.*\.\/tidegate doctor --slack-manifest/u,
      ),
    ]);
    await restart({});
    const channels = await place.look(config(SHARED));
    expect(channels.healthy).toBe(false);
    for (const scope of ALL) {
      const named = channels.of("slack rights").join().includes(` ${scope} (`);
      expect({ scope, named }).toEqual({ scope, named: !PRIVATE.includes(scope) });
    }
    await restart({ scopes: ALL });
    expect((await place.look(config(SHARED))).of("slack rights")).toEqual(["ok    just the 15 that are used"]);
  });

  test("F21: rights that nothing uses are said, and those that only channels need while channels are off", async () => {
    await restart({ scopes: [...ALL, "reactions:write", "admin"] });
    const { healthy, of } = await place.look(config());
    expect(healthy).toBe(true);
    expect(of("slack rights")).toEqual([
      expect.stringMatching(/^warn {2}nothing uses reactions:write, admin\. Take them away under OAuth/u),
      expect.stringMatching(/^warn {2}with access\.groups off nothing uses app_mentions:read, channels:history, /u),
    ]);
    const silent = await place.look(config(), { fetch: changed({ "auth.test": { without: "x-oauth-scopes" } }) });
    expect(silent.healthy).toBe(true);
    expect(silent.of("slack rights")).toEqual([expect.stringMatching(/^warn {2}what the bot may do can't be told/u)]);
  });

  test("F21: an owner who is not set, or of another workspace than the bot's", async () => {
    const open = await place.look(config(""));
    expect(open.healthy).toBe(true);
    expect(open.of("slack")[1]).toMatch(/^warn {2}owner\.slack is not set.*\.\/tidegate start prints a pairing code/u);
    const other = await place.look(config("owner: { slack: T02OTHER/U01OWNER }"));
    expect(other.of("slack")[1]).toMatch(
      /^warn {2}owner\.slack is of the workspace T02OTHER, and the bot is in T01TEAM/u,
    );
    const same = await place.look(config("owner: { slack: T01TEAM/U01OWNER }"));
    expect(same.of("slack")).toHaveLength(1);
  });

  test("F21, G44: a wrong bot token, a revoked one, a wrong app token and one that may not open Socket Mode", async () => {
    const wrong = await place.look(config(OWNER, "xoxb-wrong-token"));
    expect(wrong.healthy).toBe(false);
    expect(wrong.of("slack")).toEqual([
      expect.stringMatching(
        /^FAIL {2}Slack refused the token\. Copy the Bot User OAuth Token again from OAuth & Perm/u,
      ),
    ]);
    expect(wrong.of("slack events")).toEqual(["ok    the app token opens Socket Mode"]);

    const app = await place.look(config(OWNER, undefined, "xapp-wrong-token"));
    expect(app.healthy).toBe(false);
    expect(app.of("slack events")).toEqual([
      expect.stringMatching(/^FAIL {2}Slack refused the token\. Generate one with connections:write under Basic Info/u),
    ]);
    expect(app.of("slack rights")).toEqual(["ok    just the 8 that are used"]);

    slack.fail("apps.connections.open", { kind: "error", error: "missing_scope" });
    const unfit = await place.look(config(), {
      fetch: changed({ "apps.connections.open": { body: { needed: "connections:write" } } }),
    });
    expect(unfit.of("slack events")).toEqual([
      expect.stringMatching(/^FAIL {2}Slack says that the token lacks connections:write\. Generate one with/u),
    ]);

    slack.revoke("token_revoked");
    const revoked = await place.look(config());
    expect(revoked.of("slack")).toEqual([
      expect.stringMatching(/^FAIL {2}Slack says that the token was revoked\. Copy/u),
    ]);
    for (const { said } of [wrong, app, unfit, revoked]) expect(said).not.toMatch(/wrong-token|test-token/u);
  });

  test("F21: tokens of two different apps", async () => {
    await restart({ appId: "A02OTHER" });
    const { healthy, of } = await place.look(config());
    expect(healthy).toBe(false);
    expect(of("slack")[1]).toBe("FAIL  botToken and appToken belong to two different apps. Copy both from one.");
  });

  test("F21, G44: a Slack out of reach, one that never answers, one that asks for a pause, and one that is none", async () => {
    const late = await place.look(config(), { clock: hasty });
    expect(late.of("slack")).toEqual([expect.stringMatching(/^FAIL {2}Slack can't be reached \(no answer in time\)/u)]);
    slack.fail("auth.test", { kind: "rateLimited" });
    const busy = await place.look(config());
    expect(busy.of("slack")).toEqual([
      expect.stringMatching(/^FAIL {2}Slack can't be reached \(it asks for a pause\)/u),
    ]);
    slack.fail("auth.test", { kind: "html502" });
    const bad = await place.look(config());
    expect(bad.of("slack")).toEqual([expect.stringMatching(/^FAIL {2}Slack can't be reached \(error 502\)/u)]);
    slack.fail("auth.test", { kind: "error", error: "service_unavailable" });
    const down = await place.look(config());
    expect(down.of("slack")).toEqual([
      expect.stringMatching(/^FAIL {2}Slack can't be reached \(it says service_unav/u),
    ]);
    slack.fail("auth.test", { kind: "error", error: "<b>words of their own" });
    const odd = await place.look(config());
    expect(odd.said).not.toContain("words of their own");
    const other = await place.look(config(), { fetch: changed({ "auth.test": { list: ["no", "Slack"] } }) });
    expect(other.of("slack")).toEqual([
      expect.stringMatching(/^FAIL {2}What answers there is no Slack\. Check channels\.slack\.apiUrl/u),
    ]);
    const yaml = config();
    await slack[Symbol.asyncDispose]();
    const gone = await place.look(yaml);
    expect(gone.of("slack")).toEqual([expect.stringMatching(/^FAIL {2}Slack can't be reached \(no connection\)/u)]);
    expect(gone.of("slack events")).toHaveLength(1);
    for (const { said } of [late, busy, bad, down, odd, other, gone]) expect(said).not.toMatch(/test-token|127\.0/u);
  });

  test("F21: over HTTP it says where events are to come in, and that only Slack can tell whether they do", async () => {
    const { healthy, of } = await place.look(
      `channels: { slack: { botToken: xoxb-test-token, signingSecret: test-signing-secret, port: 3000, apiUrl: "${slack.apiUrl}" } }\n${OWNER}\n`,
    );
    expect(healthy).toBe(true);
    expect(of("slack events")).toEqual([
      expect.stringMatching(/^ok {4}come over HTTP to http:\/\/127\.0\.0\.1:3000\/slack\/events\./u),
    ]);
    expect(slack.callCount("apps.connections.open")).toBe(0);
  });
});

describe("a Slack manifest", () => {
  /** What is printed to paste, and what is said beside it. */
  async function printed(yaml?: string): Promise<{ manifest: ReturnType<typeof slackManifest>; notes: string }> {
    if (yaml !== undefined) place.write(yaml);
    const lines: string[] = [];
    const notes: string[] = [];
    await printSlackManifest({
      readConfig: async () => await place.read(),
      print: (line) => void lines.push(line),
      note: (line) => void notes.push(line),
    });
    return { manifest: JSON.parse(lines.join("\n")) as ReturnType<typeof slackManifest>, notes: notes.join("\n") };
  }

  test("F21: needs no config, has just the rights and events of an app that its owner writes to, and is JSON alone", async () => {
    const { manifest, notes } = await printed();
    expect(manifest).toEqual(slackManifest());
    expect(notes).toMatch(
      /^There is no config yet, so this app hears direct messages only\. .*access\.groups: mention/u,
    );
    expect(manifest.oauth_config?.scopes).toEqual({ bot: PRIVATE });
    expect(manifest.settings).toMatchObject({
      event_subscriptions: { bot_events: ["app_home_opened", "message.im"] },
      interactivity: { is_enabled: true },
      socket_mode_enabled: true,
      token_rotation_enabled: false,
      org_deploy_enabled: false,
    });
    expect(manifest.features).toMatchObject({
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      slash_commands: [{ command: "/tidegate" }],
      shortcuts: [{ type: "message", name: "Ask about this" }],
    });
  });

  test("F21: for a config with channels on it has what they need too, and doctor is content with an app made of it", async () => {
    const { manifest, notes } = await printed(config(SHARED));
    expect(notes).toBe("");
    expect(manifest.settings?.event_subscriptions?.bot_events).toEqual([
      "app_home_opened",
      "message.im",
      "app_mention",
      "message.channels",
      "message.groups",
      "message.mpim",
    ]);
    await restart({ scopes: manifest.oauth_config?.scopes?.bot ?? [] });
    expect((await place.look(config(SHARED))).of("slack rights")).toEqual(["ok    just the 15 that are used"]);
  });

  test("F21: for a config with HTTP it names an address to be filled in, everywhere that Slack wants one", async () => {
    const { manifest } = await printed(
      "channels: { slack: { botToken: xoxb-1, signingSecret: s-123456, port: 3000 } }\n",
    );
    const url = "https://YOUR-ADDRESS.example/slack/events";
    expect(manifest.settings).toMatchObject({
      socket_mode_enabled: false,
      event_subscriptions: { request_url: url },
      interactivity: { request_url: url },
    });
    expect(manifest.features?.slash_commands?.[0]?.url).toBe(url);
  });

  test("F21: a config that lacks its tokens is no reason to print none", async () => {
    const { manifest, notes } = await printed('channels: { slack: { botToken: "${UNSET}", appToken: "${UNSET}" } }\n');
    expect(manifest).toEqual(slackManifest());
    expect(notes).toMatch(/^The config can't be read yet, so/u);
  });

  test("F21: keeps to Slack's limits on what a manifest holds", () => {
    for (const manifest of [slackManifest(), slackManifest({ shared: true, requestUrl: "https://x.example/" })]) {
      const { display_information: shown, features } = manifest;
      expect(shown.name.length).toBeLessThanOrEqual(35);
      expect((shown.description ?? "").length).toBeLessThanOrEqual(140);
      expect(features?.bot_user?.display_name).toMatch(/^[a-z0-9._-]{1,80}$/u);
      for (const { command } of features?.slash_commands ?? []) expect(command).toMatch(/^\/\S{1,31}$/u);
      for (const { callback_id: id, description } of features?.shortcuts ?? []) {
        expect(id.length).toBeLessThanOrEqual(255);
        expect(description.length).toBeLessThanOrEqual(150);
      }
    }
  });
});

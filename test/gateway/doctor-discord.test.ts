// doctor on Discord: what the token is, what the portal grants against what the config asks for, and the link to invite it with.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DISCORD_PERMISSIONS, discordIntents, discordInvite } from "../../src/channels/discord/invite.ts";
import { MENU } from "../../src/gateway/commands.ts";
import { startDiscord, type DiscordOptions, type DiscordWire } from "../wire/discord.ts";
import { changed, hasty, Place } from "./doctor-look.ts";

let place: Place;
let discord: DiscordWire;

beforeEach(async () => {
  place = new Place();
  discord = await startDiscord();
});
afterEach(async () => {
  place[Symbol.dispose]();
  await discord[Symbol.asyncDispose]();
});

/** Another bot than the one that stands there. */
async function restart(options: DiscordOptions): Promise<void> {
  await discord[Symbol.asyncDispose]();
  discord = await startDiscord(options);
}

const config = (more = "", rest = 'owner: { discord: "2001" }'): string =>
  `channels: { discord: { token: "${discord.token}", apiUrl: "${discord.apiUrl}"${more} } }\n${rest}\n`;
const SHARED = 'owner: { discord: "2001" }\naccess: { groups: mention }';

/** All of ours, as they stand registered. */
const ours = [...MENU.map(({ name }) => ({ name, type: 1 })), { name: "Ask about this", type: 3 }];
const registered = { [`applications/910000000000000001/commands`]: { list: ours } };
const all = DISCORD_PERMISSIONS.reduce((sum, { bit }) => sum | bit, 0n);
const inServer = (permissions: bigint): object => ({
  "users/@me/guilds": { list: [{ id: "9", name: "Home", permissions: String(permissions) }] },
});

describe("doctor on Discord", () => {
  test("F21, G29: says who the bot is, prints a link with just the scopes and permissions, and reads no message", async () => {
    const { healthy, of, said } = await place.look(config(), { fetch: changed({ ...registered, ...inServer(0n) }) });
    expect(healthy).toBe(true);
    expect(of("discord")).toEqual([
      `ok    gateway answers; it is in one server. This link adds it to one: ${discordInvite(discord.appId)}`,
    ]);
    const link = new URL(/https:\S+/u.exec(said)?.[0] ?? "");
    expect(link.origin + link.pathname).toBe("https://discord.com/oauth2/authorize");
    expect(Object.fromEntries(link.searchParams)).toEqual({
      client_id: discord.appId,
      scope: "bot applications.commands",
      permissions: "0",
    });
    expect(said).not.toContain(discord.token);
    expect(discord.calls.every(({ method, path }) => method === "GET" && !path.includes("messages"))).toBe(true);
    expect(discord.gateway.sessions.size).toBe(0);
  });

  test("F21: with servers on, the link asks for what is done there, and a server where that lacks is named", async () => {
    const lacking = await place.look(config("", SHARED), {
      fetch: changed({ ...registered, ...inServer(all & ~(1n << 38n)) }),
    });
    const { searchParams } = new URL(/https:\S+/u.exec(lacking.said)?.[0] ?? "");
    // View Channels, Send Messages, Attach Files, Read Message History, Send Messages in Threads.
    expect(searchParams.get("permissions")).toBe(String(1024 + 2048 + 32_768 + 65_536 + 2 ** 38));
    expect(lacking.of("discord")[1]).toMatch(
      /^warn {2}in Home it lacks Send Messages in Threads\. Open this again: https/u,
    );
    const whole = await place.look(config("", SHARED), { fetch: changed({ ...registered, ...inServer(all) }) });
    expect(whole.of("discord")).toHaveLength(1);
    const king = await place.look(config("", SHARED), { fetch: changed({ ...registered, ...inServer(8n) }) });
    expect(king.of("discord").slice(1)).toEqual([expect.stringMatching(/^warn {2}it is Administrator in a server/u)]);
  });

  test("F21: Message Content asked for and not granted is broken; granted and not asked for is more than needed", async () => {
    const ungranted = await place.look(config(", messageContent: true"));
    expect(ungranted.healthy).toBe(false);
    expect(ungranted.of("discord").join("\n")).toMatch(
      /^FAIL {2}messageContent is on, but the intent is not granted.*4014.*Turn on Message Content Intent at https/mu,
    );
    await restart({ messageContent: true });
    const granted = await place.look(config(", messageContent: true"));
    expect(granted.healthy).toBe(true);
    expect(granted.said).not.toContain("Message Content");
    const unused = await place.look(config());
    expect(unused.healthy).toBe(true);
    expect(unused.of("discord").join("\n")).toMatch(
      /^warn {2}nothing uses the intents Message Content\. Turn them off/mu,
    );
    const members = await place.look(config(", messageContent: true"), {
      fetch: changed({ "applications/@me": { body: { flags: (1 << 19) | (1 << 15) | (1 << 13) } } }),
    });
    expect(members.of("discord").join("\n")).toMatch(/^warn {2}nothing uses the intents Presence, Server Members\./mu);
  });

  test("F21: the intents are those of messages alone, and Message Content only when it is asked for", () => {
    expect(discordIntents(false)).toBe(1 + 512 + 4096);
    expect(discordIntents(true)).toBe(1 + 512 + 4096 + 32_768);
  });

  test("F21, G29: commands that lack, no server, no owner, and settings that keep it from working are said", async () => {
    const fetch = changed({
      "users/@me/guilds": { list: [] },
      "applications/@me": {
        body: { interactions_endpoint_url: "https://elsewhere.example/x", bot_require_code_grant: true },
      },
    });
    const { healthy, of } = await place.look(config("", ""), { fetch });
    expect(healthy).toBe(false);
    const said = of("discord").join("\n");
    expect(said).toMatch(/^ok {4}gateway answers; it is in 0 servers\./u);
    expect(said).toMatch(/^FAIL {2}an Interactions Endpoint URL is set.*Empty it at/mu);
    expect(said).toMatch(/^warn {2}owner\.discord is not set.*\.\/tidegate start prints a pairing code/mu);
    expect(said).toMatch(/^warn {2}nobody can write to it before they share a server/mu);
    expect(said).toMatch(/^warn {2}Requires OAuth2 Code Grant is on/mu);
    expect(said).toMatch(/^warn {2}its commands lack new, .*, "Ask about this"\. \.\/tidegate start registers them/mu);
    expect(said).not.toContain("elsewhere");
  });

  test("F21, G44: a wrong token, a Discord out of reach, one that never answers and one that is none are each said", async () => {
    const wrong = await place.look(config().replace(discord.token, "wrong-discord-token"));
    expect(wrong.healthy).toBe(false);
    expect(wrong.of("discord")).toEqual([
      expect.stringMatching(/^FAIL {2}Discord refused the token\. .*Reset Token.*channels\.discord\.token/u),
    ]);
    const late = await place.look(config(), { clock: hasty });
    expect(late.of("discord")).toEqual([
      expect.stringMatching(/^FAIL {2}Discord can't be reached \(no answer in time\)/u),
    ]);
    const other = await place.look(config(), { fetch: changed({ "users/@me": { list: ["no", "user"] } }) });
    expect(other.of("discord")).toEqual([
      expect.stringMatching(/^FAIL {2}What answers there is no Discord\. Check channels\.discord\.apiUrl/u),
    ]);
    const busy = await place.look(config(), { fetch: changed({ "users/@me": { status: 429 } }) });
    expect(busy.of("discord")).toEqual([
      expect.stringMatching(/^FAIL {2}Discord can't be reached \(it asks for a pause\)/u),
    ]);
    const yaml = config();
    await discord[Symbol.asyncDispose]();
    const gone = await place.look(yaml);
    expect(gone.of("discord")).toEqual([expect.stringMatching(/^FAIL {2}Discord can't be reached \(no connection\)/u)]);
    for (const { said } of [wrong, late, other, busy, gone])
      expect(said).not.toMatch(/discord-token|test-token|127\.0/u);
  });

  test("F21: one answer that does not come takes none of the rest", async () => {
    const fetch = changed({
      "users/@me/guilds": { status: 500 },
      [`applications/${discord.appId}/commands`]: { status: 500 },
    });
    const { healthy, of } = await place.look(config(), { fetch });
    expect(healthy).toBe(true);
    expect(of("discord")).toEqual([expect.stringMatching(/^ok {4}gateway answers\. This link adds it to one: https/u)]);
  });
});

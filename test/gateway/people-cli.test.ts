// `./tidegate people` as it is typed: through the live gateway where there is one, else with the lock in hand.
import { describe, expect, test } from "vitest";
import { startTelegram } from "../wire/telegram.ts";
import { Home } from "./cli-child.ts";

const wired = (apiRoot: string): string => `
owner: { name: Sam }
channels: { telegram: { token: "\${BOT_TOKEN}", apiRoot: "${apiRoot}" } }
`;

describe("people on the command line", { timeout: 60_000 }, () => {
  test("F14: lists by default, lets in, blocks and forgets without a live gateway", async () => {
    await using home = new Home();
    home.config("owner: { name: Sam, telegram: 1001 }\n");
    expect(await home.run(["people"])).toEqual({ code: 0, out: "owner telegram/1001 Sam (by the config)\n", err: "" });
    expect(await home.run(["people", "let-in", "telegram/12345"])).toEqual({
      code: 0,
      out: "Let in: telegram/12345\n",
      err: "",
    });
    const listed = await home.run(["people", "list"]);
    expect(listed.out).toMatch(/^guest telegram\/12345 12345 \(since \d{4}-\d\d-\d\d\)$/mu);
    expect((await home.run(["people", "block", "telegram/12345"])).out).toBe("Blocked: telegram/12345 12345\n");
    expect((await home.run(["people", "forget", "telegram/12345"])).code).toBe(0);
    expect((await home.run(["people"])).out).toBe("owner telegram/1001 Sam (by the config)\n");
  });

  test("F14: what can't be is refused with the nearest, and makes nothing", async () => {
    await using home = new Home();
    const typo = await home.run(["people", "let-inn", "telegram/1"]);
    expect(typo).toMatchObject({ code: 1, out: "" });
    expect(typo.err).toContain("Did you mean let-in?");
    expect((await home.run(["people", "block"])).err).toContain("people block needs an id, such as telegram/12345.");
    expect((await home.run(["people", "pair", "telegram/1"])).err).toContain("people pair takes no id.");
    expect(home.has(".tidegate")).toBe(false);
    expect(await home.run(["people", "let-in", "Ana"])).toMatchObject({ code: 1, out: "" });
  });

  test("F14, A48: the live gateway takes it at once, and pair gives the bot's own link", async () => {
    await using telegram = await startTelegram();
    await using home = new Home();
    home.config(wired(telegram.apiRoot));
    const env = { BOT_TOKEN: telegram.token };
    const running = await home.gateway({ env });
    expect((await home.run(["people", "let-in", "telegram/12345"], { env })).code).toBe(0);
    expect((await home.run(["people"], { env })).out).toMatch(/^guest telegram\/12345 12345 \(since /u);
    // The bot's name is known once it has connected.
    for (let out = ""; !out.includes("https://t.me/");) ({ out } = await home.run(["people", "pair"], { env }));
    const { out } = await home.run(["people", "pair"], { env });
    expect(out).toMatch(
      /^Open in your chat app:\nhttps:\/\/t\.me\/\w+\?start=[\w-]{22}\nWhoever .*10 minutes, once\.\n$/u,
    );
    running.child.kill("SIGTERM");
    expect((await running.end).code).toBe(0);
  });
});

// Signing in to a remote app through a browser, and what becomes of its tokens.
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callbackServer } from "../../src/catalog/callback.ts";
import type { SignIns } from "../../src/catalog/catalog.ts";
import { assertAddress } from "../../src/catalog/fetching.ts";
import type { AppEntry } from "../../src/catalog/entries.ts";
import type { Catalog } from "../../src/catalog/port.ts";
import { VirtualClock } from "../sim/clock.ts";
import { listen } from "../wire/http.ts";
import { startRemote, type Remote } from "../wire/mcp-remote.ts";
import {
  entryOf,
  itemOf,
  patient,
  run,
  setStage,
  toolOf,
  when,
  wordsOf,
  type Stage,
  type StageOptions,
} from "../wire/mcp-stage.ts";

type Opened = Catalog & SignIns;

let stage: Stage;
let remote: Remote;
beforeEach(async () => {
  [stage, remote] = await Promise.all([setStage(), startRemote()]);
});
afterEach(async () => {
  await stage[Symbol.asyncDispose]();
  await remote.close();
});

const entry = (more: Partial<AppEntry> = {}): AppEntry =>
  entryOf("far", { kind: "http", url: remote.mcp, signIn: true }, more);
const open = async (options?: StageOptions): Promise<Opened> => await stage.open([entry()], options);

/** Presses Connect, and gives the address that a person is to open. */
async function begin(catalog: Opened): Promise<string> {
  const came = await catalog.turnOn("app", "far", "on", patient);
  if (came.is !== "sign-in") throw new Error(`No sign-in: ${JSON.stringify(came)}`);
  return came.url;
}

/** A whole sign-in, in a browser on this machine. */
async function signIn(catalog: Opened): Promise<void> {
  const back = await remote.browse(await begin(catalog));
  const on = when(catalog, () => catalog.tools.length > 0);
  await fetch(back);
  await on;
}

const echo = async (catalog: Opened): Promise<string> =>
  (await run(toolOf(catalog, "far__echo"), { message: "hi" })).text;

async function everyFile(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name), "latin1"));
  return (await Promise.all(texts)).join("\n");
}

describe("signing in", () => {
  it("O29: a sign-in that begins as the one before it ends has an address that answers", async () => {
    const { settings } = stage.store;
    const server = callbackServer(settings, async () => ({ title: "Here", words: "It is." }));
    await server.open();
    const closed = server.close();
    const address = await server.open();
    await closed;
    expect(await (await fetch(address)).text()).toContain("Here");
    await server.close();
  });

  it("O22, O29: a browser that comes back finishes it, the page says so, and the app is on", async () => {
    const catalog = await open();
    expect(itemOf(catalog, "far").connects).toEqual({ by: "sign-in" });
    const over = new AbortController();
    const news = catalog.changes(over.signal)[Symbol.asyncIterator]();
    const url = await begin(catalog);
    expect(new URL(url).searchParams.get("code_challenge_method")).toBe("S256");
    expect(itemOf(catalog, "far").state).toBe("off");
    const back = await remote.browse(url);
    expect(back.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u);
    const page = await (await fetch(back)).text();
    expect(page).toContain("You are signed in to FAR");
    expect(page).toContain("It worked. You can close this page and go back to the chat.");
    let told = await news.next();
    while (told.done !== true && !told.value.signedIn) told = await news.next();
    over.abort();
    expect(told.value).toEqual({ app: "far", signedIn: true });
    expect(itemOf(catalog, "far").state).toBe("on");
    expect(await echo(catalog)).toBe("Echo: hi");
  });

  it("O29: pressed twice it is one sign-in, and after it no port is left open", async () => {
    const catalog = await open();
    const url = await begin(catalog);
    expect(await begin(catalog)).toBe(url);
    const back = await remote.browse(url);
    await fetch(back);
    await when(catalog, () => catalog.tools.length > 0);
    await expect(fetch(back)).rejects.toThrow("fetch failed");
  });

  it("O29: the address that a browser on another machine failed at can be pasted instead, once", async () => {
    const catalog = await open();
    const back = await remote.browse(await begin(catalog));
    const on = when(catalog, () => catalog.tools.length > 0);
    expect(await catalog.finishSignIn(`  ${back.href}\n`)).toBe("far");
    await on;
    expect(await catalog.finishSignIn(back.href)).toBeUndefined();
    expect(await echo(catalog)).toBe("Echo: hi");
  });

  it("O29: what is pasted and is no such address is left alone", async () => {
    const catalog = await open();
    const back = await remote.browse(await begin(catalog));
    const elsewhere = new URL(back);
    elsewhere.hostname = "127.0.0.2";
    for (const words of ["what is 2+2?", "", "https://example.com/callback?state=x", elsewhere.href, back.origin])
      expect(await catalog.finishSignIn(words)).toBeUndefined();
    expect(await catalog.finishSignIn(back.href)).toBe("far");
  });

  it("O29: a wrong state finishes nothing and spoils nothing", async () => {
    const catalog = await open();
    const back = await remote.browse(await begin(catalog));
    const forged = new URL(back);
    forged.searchParams.set("state", `${back.searchParams.get("state") ?? ""}x`);
    expect(await (await fetch(forged)).text()).toContain("This sign-in is not awaited");
    forged.searchParams.delete("state");
    expect(await catalog.finishSignIn(forged.href)).toBeUndefined();
    expect(remote.counts.code).toBe(0);
    expect(await catalog.finishSignIn(back.href)).toBe("far");
  });

  it("O29: only a browser that was sent to this very address gets an answer", async () => {
    const catalog = await open();
    const back = await remote.browse(await begin(catalog));
    expect((await fetch(back, { method: "POST" })).status).toBe(404);
    expect((await fetch(new URL("/other", back))).status).toBe(404);
    const named = new URL(back);
    named.hostname = "localhost";
    const answered = await fetch(named).then(
      ({ status }) => status,
      () => 404,
    );
    expect(answered).toBe(404);
    expect(remote.counts.code).toBe(0);
  });

  it("O29: a code that was used before is refused in words, and the app stays off", async () => {
    const catalog = await open();
    const first = await remote.browse(await begin(catalog));
    await catalog.finishSignIn(first.href);
    await when(catalog, () => catalog.tools.length > 0);
    await catalog.turnOff("app", "far");
    const second = new URL(await remote.browse(await begin(catalog)));
    second.searchParams.set("code", first.searchParams.get("code") ?? "");
    expect(await wordsOf(catalog.finishSignIn(second.href))).toBe("The service did not accept the sign-in to FAR.");
    expect(itemOf(catalog, "far").state).toBe("off");
  });

  it("O29: a person who says no, and an answer from elsewhere, are told on the page", async () => {
    const catalog = await open();
    remote.faults.deny = true;
    const denied = await remote.browse(await begin(catalog));
    expect(await (await fetch(denied)).text()).toContain(
      "The service did not let Tidegate in to FAR. Go back to the chat",
    );
    remote.faults.deny = false;
    remote.faults.iss = "https://evil.example";
    const mixed = await remote.browse(await begin(catalog));
    expect(await (await fetch(mixed)).text()).toContain("The answer did not come from where FAR signs people in.");
    expect(remote.counts.code).toBe(0);
    expect(itemOf(catalog, "far").state).toBe("off");
  });

  it("O29: a service that calls itself by another one's name gets no code that the other one gave", async () => {
    const catalog = await open();
    remote.faults.metadata = { issuer: "https://honest.example" };
    remote.faults.iss = "https://honest.example";
    const mixed = await remote.browse(await begin(catalog));
    expect(await (await fetch(mixed)).text()).toContain("The answer did not come from where FAR signs people in.");
    expect(remote.counts.code).toBe(0);
    // One that says who it is, as it was looked up, is let through.
    remote.faults.metadata = {};
    remote.faults.iss = remote.mcp.replace(/mcp$/u, "");
    await signIn(catalog);
    expect(remote.counts.code).toBe(1);
  });

  it("O66: with another address under its name an app is given no token that was for the one before", async () => {
    const catalog = await open();
    await signIn(catalog);
    await catalog[Symbol.asyncDispose]();
    const sent: (string | undefined)[] = [];
    const other = await listen((request, response) => {
      sent.push(request.headers.authorization);
      response.writeHead(401).end();
    });
    const moved = entryOf("far", { kind: "http", url: `${other.url}/mcp`, signIn: true });
    const again = await stage.open([moved]);
    await when(again, () => itemOf(again, "far").state === "off");
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.filter((one) => one !== undefined)).toEqual([]);
    await again[Symbol.asyncDispose]();
    await other.close();
  });

  it("O29: after ten minutes it is not awaited any more", async () => {
    const clock = new VirtualClock();
    const catalog = await open({ clock });
    const back = await remote.browse(await begin(catalog));
    const end = clock.now() + 10 * 60_000;
    while (clock.now() < end) clock.step(end);
    expect(await catalog.finishSignIn(back.href)).toBeUndefined();
    await expect(fetch(back)).rejects.toThrow("fetch failed");
    expect(remote.counts.code).toBe(0);
  });

  it("O23: a service that lets no program register itself is told of in words", async () => {
    remote.faults.refuseRegistration = true;
    const catalog = await open();
    expect(await wordsOf(catalog.turnOn("app", "far", "on", patient))).toContain("lets no program register by itself");
    expect(itemOf(catalog, "far").state).toBe("off");
  });

  it("O29: it registers once, and comes back to the same port; with that taken, to another, registered anew", async () => {
    const first = await open();
    const redirect = (url: string): URL => new URL(new URL(url).searchParams.get("redirect_uri") ?? "");
    await signIn(first);
    await first[Symbol.asyncDispose]();
    remote.revoke();
    const second = await open();
    await when(second, () => itemOf(second, "far").state === "off");
    const used = redirect(await begin(second));
    expect(remote.counts.register).toBe(1);
    await second[Symbol.asyncDispose]();
    await using taken = await held(Number(used.port));
    expect(taken.port).toBe(Number(used.port));
    const third = await open();
    expect(redirect(await begin(third)).port).not.toBe(used.port);
    expect(remote.counts.register).toBe(2);
  });

  it("O66: a sign-in page that is neither https nor on this machine is not handed to anyone", async () => {
    remote.faults.metadata = { authorization_endpoint: "http://example.com/authorize" };
    const catalog = await open();
    expect(await wordsOf(catalog.turnOn("app", "far", "on", patient))).toContain(
      "FAR named an address that is not followed",
    );
  });
});

async function held(port: number): Promise<{ readonly port: number } & AsyncDisposable> {
  const server = await listen((_request, response) => response.end(), port);
  return { port: server.port, [Symbol.asyncDispose]: async () => await server.close() };
}

describe("tokens", () => {
  it("O66: none of them, nor the client, is on the disk in plain", async () => {
    const catalog = await open();
    await signIn(catalog);
    remote.expire();
    await echo(catalog);
    await catalog[Symbol.asyncDispose]();
    const text = await everyFile(stage.folder);
    expect(remote.secrets.length).toBeGreaterThan(4);
    for (const secret of remote.secrets) expect(text.includes(secret)).toBe(false);
    expect((await stat(join(stage.folder, "apps.key"))).mode & 0o777).toBe(0o600);
    // They are there, though: a restart goes on with them.
    const again = await open();
    await when(again, () => again.tools.length > 0);
    expect(await echo(again)).toBe("Echo: hi");
  });

  it("O22: expired ones are renewed once, however many calls find out at the same time", async () => {
    const catalog = await open();
    await signIn(catalog);
    remote.expire();
    const answers = await Promise.all(Array.from({ length: 6 }, async () => await echo(catalog)));
    expect(answers).toEqual(Array.from({ length: 6 }, () => "Echo: hi"));
    expect(remote.counts.refresh).toBe(1);
  });

  it("O23: when they can't be renewed any more the app is off, in words, after a restart too, and can be connected again", async () => {
    const catalog = await open();
    await signIn(catalog);
    remote.revoke();
    const off = when(catalog, () => itemOf(catalog, "far").state === "off");
    expect(await wordsOf(echo(catalog))).toBe("FAR asks for a sign-in. It was not done.");
    await off;
    expect(itemOf(catalog, "far").trouble).toBe("FAR asks for a sign-in again. Connect it anew.");
    expect(catalog.tools).toEqual([]);
    await catalog[Symbol.asyncDispose]();
    const again = await open();
    expect(itemOf(again, "far")).toMatchObject({
      state: "off",
      trouble: "FAR asks for a sign-in again. Connect it anew.",
    });
    await signIn(again);
    expect(itemOf(again, "far").trouble).toBeUndefined();
    expect(await echo(again)).toBe("Echo: hi");
  });

  it("O23: a service that can't answer now signs nobody out", async () => {
    const catalog = await open();
    await signIn(catalog);
    remote.expire();
    remote.faults.tokensDown = true;
    expect(await wordsOf(echo(catalog))).toContain("The sign-in to FAR can't be renewed now.");
    expect(itemOf(catalog, "far").state).toBe("on");
    remote.faults.tokensDown = false;
    expect(await echo(catalog)).toBe("Echo: hi");
  });

  it("O66: with the key file lost or changed the app is signed out, in words", async () => {
    const first = await open();
    await signIn(first);
    await first[Symbol.asyncDispose]();
    await rm(join(stage.folder, "apps.key"));
    const words = "The file with Tidegate's key was lost or changed, so FAR is signed out. Connect it anew.";
    const second = await open();
    await when(second, () => itemOf(second, "far").state === "off");
    expect(itemOf(second, "far").trouble).toBe(words);
    await signIn(second);
    await second[Symbol.asyncDispose]();
    await writeFile(join(stage.folder, "apps.key"), Buffer.alloc(32, 7).toString("base64url"));
    const third = await open();
    await when(third, () => itemOf(third, "far").state === "off");
    expect(itemOf(third, "far").trouble).toBe(words);
  });

  it("O66: turned off, nothing of them is kept", async () => {
    const catalog = await open();
    await signIn(catalog);
    await catalog.turnOff("app", "far");
    expect(await stage.store.settings.get("sealed/far")).toBeUndefined();
    expect((await catalog.turnOn("app", "far", "on", patient)).is).toBe("sign-in");
  });
});

describe("remote servers", () => {
  it("O70: a server that has forgotten the connection is asked once more, by a new one", async () => {
    const catalog = await open();
    await signIn(catalog);
    remote.forgetSessions();
    expect(await echo(catalog)).toBe("Echo: hi");
  });

  it("O70: an answer that is too large, or breaks off, ends in words at once, and the next call works", async () => {
    const catalog = await open();
    await signIn(catalog);
    remote.faults.mcp = ({ id, method }, response) => {
      if (method !== "tools/call") return false;
      response.writeHead(200, { "content-type": "text/event-stream" });
      const text = "x".repeat(11 * 1024 * 1024);
      response.end(
        `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } })}\n\n`,
      );
      return true;
    };
    expect(await wordsOf(echo(catalog))).toContain("FAR answered with more than 10 MB, which is too much to take.");
    remote.faults.mcp = ({ method }, response) => {
      if (method !== "tools/call") return false;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": here it comes\n\n", () => response.destroy());
      return true;
    };
    expect(await wordsOf(echo(catalog))).toContain("The connection to FAR broke. Whether it was done can't be told.");
    delete remote.faults.mcp;
    expect(await echo(catalog)).toBe("Echo: hi");
    expect(itemOf(catalog, "far").state).toBe("on");
  });

  it("O70: one that is not there is told of in words, and tried again by itself with longer and longer pauses", async () => {
    const clock = new VirtualClock();
    const free = await listen((_request, response) => response.end());
    await free.close();
    const gone = entryOf("gone", { kind: "http", url: `${free.url}/mcp`, signIn: false }, { connected: true });
    const catalog = await stage.open([gone], { clock });
    await when(catalog, () => itemOf(catalog, "gone").trouble !== undefined);
    expect(itemOf(catalog, "gone")).toMatchObject({ state: "on", trouble: "GONE can't be reached." });
    const began = clock.now();
    await using up = await held(free.port);
    expect(up.port).toBe(free.port);
    clock.step(Number.POSITIVE_INFINITY);
    await when(catalog, () => itemOf(catalog, "gone").trouble !== "GONE can't be reached.");
    expect(clock.now() - began).toBeLessThanOrEqual(1_000);
    expect(itemOf(catalog, "gone").trouble).toBe("GONE did not answer as an MCP server does.");
  });

  it("O23: a server that refuses the key from the config says which one, and is not taken for one to sign in to", async () => {
    const connect = { kind: "http", url: remote.mcp, headers: { authorization: "Bearer ${FAR_KEY}" } } as const;
    const keyed = entryOf("far", { ...connect, signIn: false, keys: ["FAR_KEY"] });
    const catalog = await stage.open([keyed], { env: { FAR_KEY: "wrong" } });
    const words = "FAR did not let Tidegate in. Check FAR_KEY.";
    expect(await wordsOf(catalog.turnOn("app", "far", "on", patient))).toBe(words);
    expect(remote.counts.register).toBe(0);
    await catalog[Symbol.asyncDispose]();
    // One of a sign-in elsewhere does.
    const signedIn = await stage.open([entry()]);
    await signIn(signedIn);
    const other = await stage.open([keyed], { env: { FAR_KEY: remote.accessToken() } });
    expect(await other.turnOn("app", "far", "on", patient)).toEqual({ is: "on" });
    expect(await echo(other)).toBe("Echo: hi");
  });

  it("O66: what a public server names leads to no private place, by no spelling", async () => {
    const server = new URL("https://mcp.example.com/mcp");
    const judge = async (target: string): Promise<boolean> =>
      await assertAddress("X", server, new URL(target)).then(
        () => true,
        () => false,
      );
    const refused = [
      "http://mcp.example.com/token",
      "http://127.0.0.1/token",
      "https://127.0.0.1/token",
      "https://2130706433/token",
      "https://0x7f.1/token",
      "https://[::1]/token",
      "https://[::ffff:127.0.0.1]/token",
      "https://[::ffff:a00:1]/token",
      "https://[fd00::1]/token",
      "https://10.1.2.3/token",
      "https://172.16.0.1/token",
      "https://192.168.1.1/token",
      "https://169.254.169.254/latest/meta-data",
      "https://100.64.0.1/",
      "https://0.0.0.0/",
      "https://localhost/token",
      "https://localhost./token",
      "https://printer.local/",
      "https://router/",
      "https://metadata.google.internal/",
      "https://user:pw@auth.example.com/",
      "ftp://auth.example.com/",
      "javascript:alert(1)",
    ];
    for (const target of refused) expect([target, await judge(target)]).toEqual([target, false]);
    for (const target of ["https://mcp.example.com/token", "https://8.8.8.8/token", "https://[2606:4700::1111]/token"])
      expect([target, await judge(target)]).toEqual([target, true]);
  });
});

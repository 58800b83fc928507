// The loopback Slack against the real Bolt and WebClient: what the libraries see must be what the
// platform would send. Its outgoing half is also compared with an emulator by other people.
/* oxlint-disable unicorn/require-post-message-target-origin -- chat.postMessage is Slack's, not a window's */
import { readFile, readdir } from "node:fs/promises";
import { App, HTTPReceiver, SocketModeReceiver } from "@slack/bolt";
import type { Logger } from "@slack/bolt";
import { WebClient } from "@slack/web-api";
import { createEmulator } from "emulate";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { control } from "./http.ts";
import { readMarkdown, readMrkdwn, pingsOfMrkdwn } from "./slack-text.ts";
import { startSlack } from "./slack.ts";
import type { SlackOptions, SlackWire } from "./slack.ts";

const owner = "U01OWNER";
type Loose = Record<string, unknown>;

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => "error",
  setName: () => undefined,
} as unknown as Logger;

async function start(options?: SlackOptions): Promise<{ wire: SlackWire; client: WebClient; dm: string }> {
  const wire = await startSlack(options);
  onTestFinished(() => wire[Symbol.asyncDispose]());
  wire.addUser({ id: owner, name: "Sam" });
  return { wire, client: clientOf(wire), dm: wire.dm(owner) };
}

function clientOf(wire: SlackWire, token: string = wire.botToken): WebClient {
  return new WebClient(token, {
    slackApiUrl: wire.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: silent,
  });
}

interface Running {
  /** Every body that reached Bolt, in order. */
  bodies: Loose[];
}

/** Bolt on Socket Mode until the test ends; quick to notice a dead socket. */
async function startBolt(wire: SlackWire, prepare: (app: App) => void = () => undefined): Promise<Running> {
  const receiver = new SocketModeReceiver({
    appToken: wire.appToken,
    logger: silent,
    clientPingTimeout: 150,
    installerOptions: { clientOptions: { slackApiUrl: wire.apiUrl } },
  });
  const app = new App({
    token: wire.botToken,
    receiver,
    logger: silent,
    // The library would drop the app's own messages before anyone sees them.
    ignoreSelf: false,
    clientOptions: { slackApiUrl: wire.apiUrl, retryConfig: { retries: 0 } },
  });
  const bodies = collect(wire, app);
  prepare(app);
  await app.start();
  onTestFinished(async () => {
    await app.stop();
  });
  return { bodies };
}

function collect(wire: SlackWire, app: App): Loose[] {
  const bodies: Loose[] = [];
  app.use(async ({ body, next }) => {
    bodies.push(body as unknown as Loose);
    wire.state.watch.changed();
    await next();
  });
  app.error(() => Promise.resolve());
  return bodies;
}

const eventOf = (body: Loose | undefined): Loose => (body?.["event"] ?? {}) as Loose;

async function code(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const data = (error as { data?: { error?: string } } | undefined)?.data;
  return data?.error ?? (error as { code?: string } | undefined)?.code ?? "no error";
}

/** All events so far were acknowledged. */
async function quiet(wire: SlackWire): Promise<void> {
  await wire.until(() => wire.pending.length === 0, { what: "every envelope acknowledged" });
}

describe("a conversation through Bolt on Socket Mode", () => {
  test("text comes in, an answer with a button goes out, a press edits it", async () => {
    const { wire, dm } = await start();
    await startBolt(wire, (app) => {
      app.message("hello", async ({ say }) => {
        await say({
          text: "fallback",
          blocks: [
            { type: "markdown", text: "**You** said `hello`" },
            {
              type: "actions",
              elements: [
                { type: "button", action_id: "yes", value: "key-1", text: { type: "plain_text", text: "Yes" } },
              ],
            },
          ],
          unfurl_links: false,
          unfurl_media: false,
        });
      });
      app.action("yes", async ({ ack, body, client }) => {
        await ack();
        const { message, channel } = body as { message?: { ts: string }; channel?: { id: string } };
        await client.chat.update({ channel: channel?.id ?? "", ts: message?.ts ?? "", text: "pressed", blocks: [] });
      });
    });
    wire.say(dm, owner, "hello");
    const asked = await wire.shown(dm, "You said hello");
    expect(asked).toMatchObject({
      raw: "fallback",
      markdown: "**You** said `hello`",
      buttons: [[{ label: "Yes", data: "key-1", actionId: "yes" }]],
      previewsOff: true,
      quiet: false,
      pings: [],
    });
    const press = wire.press(dm, owner, asked.id, "Yes");
    const edited = await wire.shown(dm, "pressed");
    expect(edited).toMatchObject({ id: asked.id, buttons: [] });
    expect(edited.edits.map((version) => version.text)).toEqual(["You said hello"]);
    expect(wire.answerTo(press)).toMatchObject({ acked: true });
  });

  test("a mention is told as a message and as app_mention, with one ts; elsewhere nothing is", async () => {
    const { wire } = await start();
    const channel = wire.addChannel("C01GENERAL", "general");
    const away = wire.addChannel("C02AWAY", "away", { botIsMember: false });
    const { bodies } = await startBolt(wire);
    const ts = wire.say(channel, owner, "what is this?", { mention: true });
    wire.say(away, owner, "unheard", { mention: true });
    await wire.until(() => bodies.length === 2);
    expect(bodies.map((body) => [eventOf(body)["type"], eventOf(body)["ts"]])).toEqual([
      ["message", ts],
      ["app_mention", ts],
    ]);
    expect(eventOf(bodies[0])).toMatchObject({
      text: `<@${wire.botUserId}> what is this?`,
      channel_type: "channel",
      blocks: [{ elements: [{ elements: [{ type: "user" }, { type: "text", text: " what is this?" }] }] }],
    });
    expect(new Set(bodies.map((body) => body["event_id"])).size).toBe(2);
  });

  test("what the app is not subscribed to does not come", async () => {
    const { wire } = await start({ events: ["app_mention"] });
    const channel = wire.addChannel("C01GENERAL");
    const { bodies } = await startBolt(wire);
    wire.say(channel, owner, "hi", { mention: true });
    await wire.until(() => bodies.length > 0);
    await quiet(wire);
    expect(bodies.map((body) => eventOf(body)["type"])).toEqual(["app_mention"]);
  });

  test("a real edit has `edited`, an unfolded link has not, and the app's own edits are echoed", async () => {
    const { wire, client, dm } = await start();
    const { bodies } = await startBolt(wire);
    const ts = wire.say(dm, owner, "see https://example.test/a & <this>");
    wire.unfurl(dm, ts);
    wire.edit(dm, ts, "see nothing");
    wire.touch(dm, ts);
    const own = await client.chat.postMessage({ channel: dm, text: "mine" });
    await client.chat.update({ channel: dm, ts: own.ts ?? "", text: "mine, changed" });
    await wire.until(() => bodies.length === 6);
    const [said, unfolded, edited, touched, echo, ownEdit] = bodies.map(eventOf);
    expect(said).toMatchObject({ text: "see <https://example.test/a> &amp; &lt;this&gt;", channel_type: "im" });
    expect(unfolded).toMatchObject({ subtype: "message_changed", hidden: true, previous_message: { ts } });
    expect(unfolded?.["message"]).toMatchObject({ attachments: [{ from_url: "https://example.test/a" }] });
    expect(unfolded?.["message"]).not.toHaveProperty("edited");
    expect(edited).toMatchObject({ message: { text: "see nothing", edited: { user: owner } } });
    expect(edited?.["previous_message"]).not.toHaveProperty("edited");
    const { message, previous_message: previous } = touched as { message: Loose; previous_message: Loose };
    expect(message["edited"]).toEqual(previous["edited"]);
    expect(echo).toMatchObject({ text: "mine", bot_id: wire.botId, user: wire.botUserId });
    expect(ownEdit).toMatchObject({ subtype: "message_changed", message: { bot_id: wire.botId } });
  });

  test("a deletion is message_deleted, that of a thread's parent a tombstone", async () => {
    const { wire, dm } = await start();
    const { bodies } = await startBolt(wire);
    const alone = wire.say(dm, owner, "alone");
    const parent = wire.say(dm, owner, "parent");
    wire.say(dm, owner, "reply", { thread: parent });
    wire.remove(dm, alone);
    wire.remove(dm, parent);
    await wire.until(() => bodies.length === 5);
    expect(eventOf(bodies[2])).toMatchObject({ thread_ts: parent, parent_user_id: owner });
    expect(eventOf(bodies[3])).toMatchObject({ subtype: "message_deleted", deleted_ts: alone });
    expect(eventOf(bodies[4])).toMatchObject({
      subtype: "message_changed",
      message: { subtype: "tombstone", user: "USLACKBOT", ts: parent, reply_count: 1 },
      previous_message: { text: "parent" },
    });
  });

  test("other apps, people of other workspaces and Slackbot are told apart as recorded", async () => {
    const { wire } = await start();
    const channel = wire.addChannel("C01GENERAL");
    wire.addUser({ id: "U77GUEST", name: "Kim", team: "T77OTHER" });
    const { bodies } = await startBolt(wire);
    wire.sayAsBot(channel, "new style");
    wire.sayAsBot(channel, "old style", { old: true });
    wire.say(channel, "U77GUEST", "from away");
    wire.say(channel, "USLACKBOT", "reminder");
    await wire.until(() => bodies.length === 4);
    const [fresh, old, away, slackbot] = bodies.map(eventOf);
    expect(fresh).toMatchObject({ bot_id: "B09OTHERBOT", user: "U09OTHERBOT" });
    expect(old).toMatchObject({ subtype: "bot_message", bot_id: "B09OTHERBOT" });
    expect(old).not.toHaveProperty("user");
    expect(away).toMatchObject({ user: "U77GUEST", team: "T77OTHER", user_team: "T77OTHER" });
    expect(slackbot).toMatchObject({ user: "USLACKBOT" });
  });

  test("slash command, message shortcut, modal and home", async () => {
    const { wire, dm } = await start();
    await startBolt(wire, (app) => {
      app.command("/tidegate", async ({ ack, command }) => ack(`did ${command.text}`));
      app.shortcut("ask", async ({ ack, shortcut, client }) => {
        await ack();
        await client.views.open({
          trigger_id: shortcut.trigger_id,
          view: {
            type: "modal",
            callback_id: "form",
            private_metadata: "kept",
            title: { type: "plain_text", text: "Ask" },
            submit: { type: "plain_text", text: "Go" },
            blocks: [
              {
                type: "input",
                block_id: "what",
                label: { type: "plain_text", text: "What?" },
                element: { type: "plain_text_input", action_id: "field", multiline: true, max_length: 100 },
              },
            ],
          },
        });
      });
      app.view("form", async ({ ack, view, client, body }) => {
        const value = view.state.values["what"]?.["field"]?.value;
        if (value === "bad") return ack({ response_action: "errors", errors: { what: "not that" } });
        await ack();
        await client.chat.postMessage({ channel: body.user.id, text: `${value} ${view.private_metadata}` });
      });
      app.event("app_home_opened", async ({ event, client }) => {
        await client.views.publish({
          user_id: event.user,
          view: {
            type: "home",
            blocks: [
              { type: "section", text: { type: "mrkdwn", text: "*Status*: fine" } },
              {
                type: "actions",
                elements: [{ type: "button", action_id: "a", value: "v", text: { type: "plain_text", text: "More" } }],
              },
            ],
          },
        });
      });
      app.action("a", async ({ ack, body, client }) => {
        await ack();
        await client.chat.postMessage({ channel: body.user.id, text: "more" });
      });
    });
    const command = wire.command(dm, owner, "new trip");
    await wire.until(() => wire.answerTo(command)?.words === "did new trip");
    const said = wire.say(dm, owner, "chosen");
    const shortcut = wire.shortcut(dm, owner, said);
    const modal = await wire.until(() => wire.modal(owner));
    expect(modal).toMatchObject({ title: "Ask", submit: "Go", fields: [{ label: "What?", long: true }] });
    expect(wire.answerTo(shortcut)?.modal?.id).toBe(modal.id);
    expect(() => wire.submit(shortcut, {})).toThrow("must be filled in");
    const refused = wire.submit(shortcut, { "What?": "bad" });
    await wire.until(() => wire.answerTo(refused)?.acked);
    expect(wire.modal(owner)).toBeDefined();
    wire.submit(owner, { what: "explain it" });
    await wire.shown(dm, "explain it kept");
    expect(wire.modal(owner)).toBeUndefined();
    wire.openHome(owner);
    const home = await wire.until(() => wire.home(owner));
    expect(home).toMatchObject({ text: "Status: fine", buttons: [[{ label: "More" }]] });
    wire.pressHome(owner, "More");
    await wire.shown(dm, "more");
  });

  test("a modal is changed, has buttons, and may be put away", async () => {
    const { wire, client, dm } = await start();
    const { bodies } = await startBolt(wire, (app) => {
      app.action("more", ({ ack }) => ack());
    });
    const plain = (text: string): { type: "plain_text"; text: string } => ({ type: "plain_text", text });
    const view = (
      words: string,
    ): { type: "modal"; title: ReturnType<typeof plain>; notify_on_close: true; blocks: never } => ({
      type: "modal",
      title: plain("T"),
      notify_on_close: true,
      blocks: [
        { type: "section", text: { type: "mrkdwn", text: words } },
        { type: "actions", elements: [{ type: "button", action_id: "more", text: plain("More") }] },
      ] as never,
    });
    const press = wire.command(dm, owner, "x");
    const opened = await client.views.open({ trigger_id: press, view: view("*one*") });
    const { id: view_id = "", hash = "" } = opened.view ?? {};
    await client.views.update({ view_id, hash, view: view("two") });
    expect(wire.modal(owner)).toMatchObject({ id: view_id, text: "two", buttons: [[{ label: "More" }]] });
    expect(await code(client.views.update({ view_id, hash, view: view("three") }))).toBe("hash_conflict");
    const more = wire.pressModal(owner, "More");
    await wire.until(() => wire.answerTo(more)?.acked);
    wire.dismiss(owner);
    expect(wire.modal(owner)).toBeUndefined();
    await wire.until(() => bodies.some((body) => body["type"] === "view_closed"));
  });

  test("a menu is picked from, an ephemeral is answered, a reaction is told", async () => {
    const { wire, client, dm } = await start();
    const { bodies } = await startBolt(wire, (app) => {
      app.action("menu", async ({ ack, respond }) => {
        await ack();
        await respond({ text: "noted", response_type: "ephemeral", replace_original: false });
      });
    });
    const options = ["one", "two"].map((label) => ({
      text: { type: "plain_text" as const, text: label },
      value: label,
    }));
    const posted = await client.chat.postMessage({
      channel: dm,
      text: "pick",
      blocks: [{ type: "actions", elements: [{ type: "static_select", action_id: "menu", options }] }],
    });
    const press = wire.press(dm, owner, posted.ts ?? "", "two");
    await wire.until(() => wire.answerTo(press)?.words === "noted");
    const body = bodies.find((one) => one["type"] === "block_actions");
    expect(body).toMatchObject({
      actions: [{ type: "static_select", selected_option: { value: "two" } }],
      container: { message_ts: posted.ts, channel_id: dm, is_ephemeral: false },
      message: { bot_id: wire.botId },
    });
    expect(wire.answerTo(press)?.responses).toHaveLength(1);
    await client.chat.postEphemeral({ channel: dm, user: owner, text: "only you" });
    expect(wire.ephemerals(owner).map(({ text }) => text)).toEqual(["noted", "only you"]);
    wire.react(dm, owner, posted.ts ?? "");
    await wire.until(() => bodies.some((one) => eventOf(one)["type"] === "reaction_added"));
  });

  test("a press that nobody acknowledges, and one that nobody is there for, are seen to fail", async () => {
    const { wire, client, dm } = await start({ ackTimeoutMs: 100 });
    const { ts = "" } = await client.chat.postMessage({
      channel: dm,
      text: "x",
      blocks: [
        {
          type: "actions",
          elements: [{ type: "button", action_id: "deaf", text: { type: "plain_text", text: "Go" } }],
        },
      ],
    });
    const nobody = wire.press(dm, owner, ts, "Go");
    expect(wire.answerTo(nobody)?.failed).toBe("dispatch_failed");
    await startBolt(wire);
    const deaf = wire.press(dm, owner, ts, "Go");
    await wire.until(() => wire.answerTo(deaf)?.failed === "operation_timeout");
    expect(wire.answerTo(deaf)?.acked).toBe(false);
  });
});

describe("shared messages and files", () => {
  async function fixture(name: string): Promise<Loose> {
    const text = await readFile(new URL(`../fixtures/slack/${name}.json`, import.meta.url), "utf8");
    return JSON.parse(text) as Loose;
  }

  /** Every field that was recorded is there too, however deep; values may differ. */
  function hasShape(made: unknown, recorded: unknown, path: string): string[] {
    if (Array.isArray(recorded)) {
      if (!Array.isArray(made)) return [`${path} is no list`];
      return recorded.length === 0 ? [] : hasShape(made[0], recorded[0], `${path}[0]`);
    }
    if (typeof recorded !== "object" || recorded === null) return typeof made === typeof recorded ? [] : [path];
    return Object.entries(recorded).flatMap(([key, value]) => {
      const there = (made as Loose | undefined)?.[key];
      if (there === undefined) return [`${path}.${key}`];
      return hasShape(there, value, `${path}.${key}`);
    });
  }

  type Make = (wire: SlackWire, dm: string, channel: string) => void;
  const cases: [string, Make, RegExp?][] = [
    ["dm-message", (wire, dm) => wire.say(dm, owner, "hello hello")],
    ["dm-message-3", (wire, dm) => wire.say(dm, owner, "hello")],
    ["channel-message-mention", (wire, _dm, channel) => wire.say(channel, owner, "What is love?", { mention: true })],
    [
      "channel-thread-followup",
      (wire, _dm, channel) => wire.say(channel, owner, "ping?", { thread: wire.say(channel, owner, "start") }),
    ],
    [
      "forward-no-comment",
      (wire, _dm, channel) => wire.say(channel, owner, "", { forward: { of: "U09KIM", text: "123" } }),
    ],
    [
      "forward-with-comment",
      (wire, _dm, channel) =>
        wire.say(channel, owner, "hello check that out!", { forward: { of: "U09KIM", text: "this was shared" } }),
    ],
    [
      "forward-from-public-channel",
      (wire, dm, channel) => wire.say(dm, owner, "", { forward: { id: wire.say(channel, owner, "blah"), channel } }),
    ],
    [
      "dm-file-share",
      (wire, dm) => wire.say(dm, owner, "message", { files: [{ name: "name.txt", text: "hug a kitten" }] }),
      // Only snippets carry a preview of their own.
      /edit_link|preview|lines/,
    ],
    [
      "message-changed-by-unfurl-not-an-edit",
      (wire, _dm, channel) => wire.unfurl(channel, wire.say(channel, owner, "https://workspace.slack.test/x")),
      // Recorded: a link to another message; here, to a page.
      /attachments/,
    ],
    [
      "message-changed-real-edit-in-thread",
      (wire, _dm, channel) =>
        wire.edit(channel, wire.say(channel, owner, "test", { thread: wire.say(channel, owner, "p") }), "updated"),
    ],
    ["message-deleted", (wire, _dm, channel) => wire.remove(channel, wire.say(channel, owner, "gone"))],
    [
      "message-changed-tombstone-dm",
      (wire, dm) => {
        const parent = wire.say(dm, owner, "need help");
        wire.say(dm, owner, "reply", { thread: parent });
        wire.remove(dm, parent);
      },
      /subscribed|last_read/,
    ],
    ["app-home-opened-home-tab", (wire) => wire.openHome(owner)],
    ["reaction-added", (wire, _dm, channel) => wire.react(channel, owner, wire.say(channel, owner, "nice"))],
    ["assistant-thread-started", (wire) => wire.startAssistantThread(owner), /context/],
    ["slash-command-with-args", (wire, _dm, channel) => wire.command(channel, owner, "some arguments")],
  ];

  test.each(cases)("%s: what is made here has every field that was recorded", async (name, make, but) => {
    const { wire, dm } = await start();
    const channel = wire.addChannel("C01GENERAL", "general");
    make(wire, dm, channel);
    const recorded = await fixture(name);
    const wanted = eventOf(recorded);
    const made = wire.delivery.envelopes.findLast((one) =>
      recorded["type"] === "event_callback"
        ? eventOf(one.payload)["type"] === wanted["type"] && eventOf(one.payload)["subtype"] === wanted["subtype"]
        : one.type === "slash_commands",
    );
    const lacking = hasShape(made?.payload, recorded, name).filter((path) => !but?.test(path));
    expect(lacking).toEqual([]);
  });

  test("block_actions and view_submission have what was recorded", async () => {
    const { wire, client, dm } = await start();
    const parent = wire.say(dm, owner, "start");
    const { ts = "" } = await client.chat.postMessage({
      channel: dm,
      thread_ts: parent,
      text: "x",
      blocks: [
        { type: "section", text: { type: "plain_text", text: "words", emoji: true } },
        {
          type: "actions",
          elements: [{ type: "button", action_id: "info", value: "v", text: { type: "plain_text", text: "Show" } }],
        },
      ],
    });
    const trigger = wire.press(dm, owner, ts, "Show");
    const newest = (): Loose | undefined =>
      wire.delivery.envelopes.findLast(({ type }) => type === "interactive")?.payload;
    expect(hasShape(newest(), await fixture("block-actions-button-in-thread"), "action")).toEqual([]);
    await client.views.open({
      trigger_id: trigger,
      view: {
        type: "modal",
        callback_id: "f",
        title: { type: "plain_text", text: "T" },
        submit: { type: "plain_text", text: "S" },
        close: { type: "plain_text", text: "Cancel" },
        blocks: [
          {
            type: "input",
            block_id: "message",
            label: { type: "plain_text", text: "Feedback", emoji: true },
            optional: false,
            dispatch_action: false,
            element: {
              type: "plain_text_input",
              action_id: "message",
              multiline: true,
              placeholder: { type: "plain_text", text: "…", emoji: true },
            },
          },
        ],
      },
    });
    wire.submit(owner, { Feedback: "Hello!" });
    const lacking = hasShape(newest(), await fixture("view-submission"), "view").filter(
      (path) => !/category|email|emoji/.test(path),
    );
    expect(lacking).toEqual([]);
  });

  test("a share of our own answer, and one with a file inside", async () => {
    const { wire, client, dm } = await start();
    const { ts = "" } = await client.chat.postMessage({ channel: dm, text: "an answer" });
    const again = wire.say(dm, owner, "look", { forward: { id: ts } });
    const files = [{ name: "plan.txt", text: "secret plan" }];
    const other = wire.say(dm, owner, "", { forward: { of: "U09KIM", text: "with a file", files } });
    const attachmentOf = (id: string): Loose =>
      (wire.state.channel(dm).messages.get(id)?.api.attachments ?? [])[0] as unknown as Loose;
    expect(attachmentOf(again)).toMatchObject({
      is_share: true,
      text: "an answer",
      bot_id: wire.botId,
      channel_id: dm,
    });
    expect(attachmentOf(other)).toMatchObject({
      is_share: true,
      author_id: "U09KIM",
      files: [{ name: "plan.txt", url_private_download: expect.stringContaining(wire.state.url) }],
    });
    expect(wire.message(dm, other)?.text).toBe("with a file");
  });

  test("a download needs the token; without it a browser is sent to the sign-in page", async () => {
    const { wire, dm } = await start();
    const ts = wire.say(dm, owner, "", { files: [{ name: "Übersicht; für Sam (1).csv", text: "a,b\n" }] });
    const [file] = wire.state.channel(dm).messages.get(ts)?.api.files ?? [];
    const url = file?.url_private_download ?? "";
    const bearer = { headers: { authorization: `Bearer ${wire.botToken}` } };
    expect(await (await fetch(url, bearer)).text()).toBe("a,b\n");
    const signIn = await fetch(url);
    expect(signIn.headers.get("content-type")).toBe("text/html");
    expect(await signIn.text()).toContain("Sign in");
    expect((await fetch(url, { redirect: "manual" })).status).toBe(302);
  });

  test("an upload by the real client becomes a message; the wrong length is refused", async () => {
    const { wire, client, dm } = await start();
    const parent = wire.say(dm, owner, "send it");
    await client.filesUploadV2({
      channel_id: dm,
      thread_ts: parent,
      initial_comment: "here *it* is",
      filename: "whole.txt",
      content: "the whole text",
    });
    const [sent] = wire.sent(dm);
    expect(sent).toMatchObject({
      text: "here it is",
      thread: parent,
      files: [{ name: "whole.txt", text: "the whole text" }],
    });
    const info = await client.files.info({ file: sent?.files[0]?.id ?? "" });
    expect(info.file?.shares?.private?.[dm]?.[0]).toMatchObject({ ts: sent?.id, thread_ts: parent });
    const { upload_url: url = "", file_id: id = "" } = await client.files.getUploadURLExternal({
      filename: "x.txt",
      length: 5,
    });
    expect((await fetch(url, { method: "POST", body: "four" })).status).toBe(400);
    expect(await code(client.files.completeUploadExternal({ files: [{ id }], channel_id: dm }))).toBe(
      "file_update_failed",
    );
    expect(await code(client.files.getUploadURLExternal({ filename: "x.txt", length: 0 }))).toBe("missing_argument");
  });

  test("files that come late come as a change of the message", async () => {
    const { wire, dm } = await start();
    const { bodies } = await startBolt(wire);
    wire.say(dm, owner, "soon", { files: [{ name: "late.txt", text: "x" }], lateFiles: true });
    await wire.until(() => bodies.length === 2);
    expect(eventOf(bodies[0])).not.toHaveProperty("files");
    expect(eventOf(bodies[1])).toMatchObject({
      subtype: "message_changed",
      message: { files: [{ name: "late.txt" }] },
    });
  });
});

describe("limits and refusals of the Web API", () => {
  const button = (more: Loose = {}): Loose => ({ type: "button", text: { type: "plain_text", text: "B" }, ...more });
  const actions = (...elements: Loose[]): Loose[] => [{ type: "actions", elements }];
  const option = (text: string, value: string): Loose => ({ text: { type: "plain_text", text }, value });
  const select = (options: Loose[]): Loose[] => actions({ type: "static_select", action_id: "s", options });
  const section = (text: string): Loose => ({ type: "section", text: { type: "mrkdwn", text } });
  const many = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, at) => make(at));

  const blockCases: [string, Loose[], string][] = [
    ["50 blocks", many(50, () => ({ type: "divider" })), "no error"],
    ["51 blocks", many(51, () => ({ type: "divider" })), "invalid_blocks"],
    ["an unknown kind", [{ type: "marquee", text: "x" }], "invalid_blocks"],
    ["a section of 3,000", [section("x".repeat(3000))], "no error"],
    ["a section of 3,001", [section("x".repeat(3001))], "invalid_blocks"],
    ["an empty section", [section("")], "invalid_blocks"],
    ["a header of 151", [{ type: "header", text: { type: "plain_text", text: "x".repeat(151) } }], "invalid_blocks"],
    ["markdown of 12,000", [{ type: "markdown", text: "x".repeat(12_000) }], "no error"],
    ["markdown of 12,001", [{ type: "markdown", text: "x".repeat(12_001) }], "invalid_blocks"],
    ["two of 6,001", many(2, () => ({ type: "markdown", text: "x".repeat(6001) })), "msg_blocks_too_long"],
    ["all over 13,200 bytes", many(5, () => section("x".repeat(2800))), "msg_blocks_too_long"],
    ["emoji are counted in bytes", [{ type: "markdown", text: "😀".repeat(3400) }], "msg_blocks_too_long"],
    ["25 buttons", actions(...many(25, (at) => button({ action_id: `a${at}` }))), "no error"],
    ["26 buttons", actions(...many(26, (at) => button({ action_id: `a${at}` }))), "invalid_blocks"],
    ["one action_id twice", actions(button({ action_id: "a" }), button({ action_id: "a" })), "invalid_blocks"],
    ["a label of 76", actions(button({ text: { type: "plain_text", text: "x".repeat(76) } })), "invalid_blocks"],
    ["a label of mrkdwn", actions(button({ text: { type: "mrkdwn", text: "x" } })), "invalid_blocks"],
    ["a value of 2,001", actions(button({ value: "x".repeat(2001) })), "invalid_blocks"],
    ["an action_id of 256", actions(button({ action_id: "x".repeat(256) })), "invalid_blocks"],
    ["a url of 3,001", actions(button({ url: `https://x.test/${"x".repeat(2986)}` })), "invalid_blocks"],
    ["a colour of its own", actions(button({ style: "green" })), "invalid_blocks"],
    ["100 options", select(many(100, (at) => option(`o${at}`, `${at}`))), "no error"],
    ["101 options", select(many(101, (at) => option(`o${at}`, `${at}`))), "invalid_blocks"],
    ["an option of 76", select([option("x".repeat(76), "v")]), "invalid_blocks"],
    ["an option's value of 151", select([option("o", "x".repeat(151))]), "invalid_blocks"],
    ["no elements", actions(), "invalid_blocks"],
    [
      "11 in a context",
      [{ type: "context", elements: many(11, () => ({ type: "mrkdwn", text: "x" })) }],
      "invalid_blocks",
    ],
  ];

  test.each(blockCases)("%s", async (_name, blocks, wanted) => {
    const { client, dm } = await start();
    const call = client.chat.postMessage({ channel: dm, text: "x", blocks: blocks as never });
    expect(await code(call)).toBe(wanted);
  });

  test("texts: cut at 40,000, edits refused above 4,000 bytes, nothing at all, two dialects at once", async () => {
    const { wire, client, dm } = await start();
    const { ts = "" } = await client.chat.postMessage({ channel: dm, text: "x".repeat(41_000) });
    expect(wire.message(dm, ts)?.raw).toHaveLength(40_000);
    const update = (more: Loose): Promise<unknown> => client.chat.update({ channel: dm, ts, text: "", ...more });
    expect(await code(update({ text: "x".repeat(4000) }))).toBe("no error");
    expect(await code(update({ text: "x".repeat(4001) }))).toBe("msg_too_long");
    expect(await code(update({ text: "€".repeat(1334) }))).toBe("msg_too_long");
    expect(await code(update({ text: "&".repeat(801) }))).toBe("msg_too_long");
    expect(await code(update({ text: "x".repeat(4001), blocks: [section("short")] }))).toBe("no error");
    expect(await code(client.chat.postMessage({ channel: dm, text: "" }))).toBe("no_text");
    expect(await code(client.apiCall("chat.postMessage", { channel: dm, text: "a", markdown_text: "b" }))).toBe(
      "markdown_text_conflict",
    );
    expect(await code(client.chat.postMessage({ channel: dm, markdown_text: "x".repeat(12_001) }))).toBe(
      "msg_too_long",
    );
    await client.chat.postMessage({ channel: dm, markdown_text: "# *T*\n\n- a" });
    expect(wire.sent(dm).at(-1)).toMatchObject({ text: "T\n\n• a", markdown: "# *T*\n\n- a" });
  });

  test("places: unknown, not a member, archived, refused, no such thread", async () => {
    const { wire, client, dm } = await start();
    const away = wire.addChannel("C01AWAY", "away", { botIsMember: false });
    const secret = wire.addChannel("C02SECRET", "secret", { botIsMember: false, private: true });
    const old = wire.addChannel("C03OLD", "old", { archived: true });
    const post = (channel: string, more: Loose = {}): Promise<string> =>
      code(client.chat.postMessage({ channel, text: "x", ...more }));
    expect(await post("C99NONE")).toBe("channel_not_found");
    expect(await post(away)).toBe("not_in_channel");
    expect(await post(secret)).toBe("channel_not_found");
    expect(await post(old)).toBe("is_archived");
    expect(await post(dm, { thread_ts: "1.000001" })).toBe("thread_not_found");
    expect(await code(client.conversations.history({ channel: away }))).toBe("not_in_channel");
    wire.refusePosts(dm, "messages_tab_disabled");
    expect(await post(dm)).toBe("messages_tab_disabled");
    wire.refusePosts(dm, undefined);
    expect(await post(owner)).toBe("no error");
    expect(wire.sent(dm)).toHaveLength(1);
  });

  test("edits and deletions: only the app's own, only what is there", async () => {
    const { wire, client, dm } = await start();
    const theirs = wire.say(dm, owner, "theirs");
    const { ts = "" } = await client.chat.postMessage({ channel: dm, text: "mine" });
    expect(await code(client.chat.update({ channel: dm, ts: theirs, text: "x" }))).toBe("cant_update_message");
    expect(await code(client.chat.delete({ channel: dm, ts: theirs }))).toBe("cant_delete_message");
    expect(await code(client.chat.update({ channel: dm, ts: "1.000001", text: "x" }))).toBe("message_not_found");
    await client.chat.delete({ channel: dm, ts });
    expect(await code(client.chat.update({ channel: dm, ts, text: "x" }))).toBe("message_not_found");
    expect(wire.sent(dm)).toEqual([]);
  });

  test("an edit keeps blocks and metadata that it does not name; empty ones take them away", async () => {
    const { wire, client, dm } = await start();
    const metadata = { event_type: "tidegate", event_payload: { nonce: "n1" } };
    const { ts = "" } = await client.chat.postMessage({
      channel: dm,
      text: "a",
      blocks: [section("kept")] as never,
      metadata,
    });
    await client.chat.update({ channel: dm, ts, text: "b" });
    expect(wire.message(dm, ts)).toMatchObject({ text: "kept", raw: "b", metadata });
    await client.chat.update({ channel: dm, ts, text: "c", blocks: [], metadata: {} as never });
    expect(wire.message(dm, ts)).toMatchObject({ text: "c", blocks: [] });
    expect(wire.message(dm, ts)?.metadata).toBeUndefined();
  });

  test("metadata comes back only when it is asked for, and must be well-formed", async () => {
    const { client, dm } = await start();
    const metadata = { event_type: "tidegate", event_payload: { nonce: "n1" } };
    const { ts = "" } = await client.chat.postMessage({ channel: dm, text: "parent", metadata });
    await client.chat.postMessage({ channel: dm, text: "reply", thread_ts: ts, metadata });
    const plain = await client.conversations.history({ channel: dm });
    expect(plain.messages?.[0]).not.toHaveProperty("metadata");
    const full = await client.conversations.history({ channel: dm, include_all_metadata: true });
    expect(full.messages?.[0]?.metadata).toEqual(metadata);
    const thread = await client.conversations.replies({ channel: dm, ts, include_all_metadata: true });
    expect(thread.messages?.map((message) => (message as Loose)["metadata"])).toEqual([metadata, metadata]);
    const post = (given: unknown): Promise<string> =>
      code(client.chat.postMessage({ channel: dm, text: "x", metadata: given as never }));
    expect(await post({ event_type: "x" })).toBe("invalid_metadata_format");
    expect(await post({ event_type: "not a word", event_payload: {} })).toBe("invalid_metadata_schema");
    expect(await post({ event_type: "x", event_payload: { long: "x".repeat(9000) } })).toBe("metadata_too_large");
  });

  test("history: newest first, bounds left out, pages, replies apart", async () => {
    const { wire, client, dm } = await start();
    const said = many(5, (at) => wire.say(dm, owner, `m${at}`));
    wire.say(dm, owner, "reply", { thread: said[0] ?? "" });
    const texts = async (more: Loose): Promise<unknown[]> =>
      ((await client.conversations.history({ channel: dm, ...more })).messages ?? []).map((message) => message.text);
    expect(await texts({})).toEqual(["m4", "m3", "m2", "m1", "m0"]);
    expect(await texts({ oldest: said[2] })).toEqual(["m4", "m3"]);
    expect(await texts({ oldest: said[2], inclusive: true })).toEqual(["m4", "m3", "m2"]);
    expect(await texts({ latest: said[1], oldest: "0" })).toEqual(["m0"]);
    const first = await client.conversations.history({ channel: dm, limit: 2 });
    expect(first.has_more).toBe(true);
    const cursor = first.response_metadata?.next_cursor ?? "";
    expect(await texts({ limit: 2, cursor })).toEqual(["m2", "m1"]);
    const thread = await client.conversations.replies({ channel: dm, ts: said[0] ?? "" });
    expect(thread.messages?.map((message) => message.text)).toEqual(["m0", "reply"]);
    expect(thread.messages?.[0]).toMatchObject({ reply_count: 1, reply_users: [owner] });
    wire.say(dm, owner, "for all", { thread: said[0] ?? "", broadcast: true });
    expect(await texts({ limit: 1 })).toEqual(["for all"]);
    expect(await code(client.conversations.replies({ channel: dm, ts: "1.000001" }))).toBe("thread_not_found");
  });

  test("tokens and scopes", async () => {
    const { wire, client, dm } = await start({ scopes: ["chat:write", "im:history"] });
    expect(await code(clientOf(wire, "xoxb-wrong").auth.test())).toBe("invalid_auth");
    expect(await code(client.apps.connections.open({}))).toBe("not_allowed_token_type");
    expect(await code(client.users.info({ user: owner }))).toBe("missing_scope");
    expect(await code(client.conversations.history({ channel: dm }))).toBe("no error");
    const answer = await fetch(`${wire.apiUrl}auth.test`, {
      method: "POST",
      headers: { authorization: `Bearer ${wire.botToken}` },
    });
    expect(answer.headers.get("x-oauth-scopes")).toBe("chat:write,im:history");
    expect((await client.auth.test()).response_metadata?.scopes).toEqual(["chat:write", "im:history"]);
    wire.revoke("token_revoked");
    expect(await code(client.auth.test())).toBe("token_revoked");
    wire.restore();
    expect(await code(client.auth.test())).toBe("no error");
    expect(await code(client.apiCall("stars.list"))).toBe("unknown_method");
  });

  test("people and conversations", async () => {
    const { wire, client, dm } = await start();
    wire.addChannel("C01GENERAL", "general");
    wire.addChannel("C02AWAY", "away", { botIsMember: false });
    const opened = await client.conversations.open({ users: owner });
    expect(opened).toMatchObject({ channel: { id: dm }, already_open: true });
    expect(await code(client.conversations.open({ users: "U99NOBODY" }))).toBe("user_not_found");
    expect((await client.users.info({ user: owner })).user).toMatchObject({
      id: owner,
      real_name: "Sam",
      team_id: wire.teamId,
    });
    const mine = await client.users.conversations({ types: "public_channel,im" });
    expect(mine.channels?.map(({ id }) => id)).toEqual([dm, "C01GENERAL"]);
    const all = await client.conversations.list({ types: "public_channel" });
    expect(all.channels?.map(({ id, is_member }) => [id, is_member])).toEqual([
      ["C01GENERAL", true],
      ["C02AWAY", false],
    ]);
    expect((await client.conversations.info({ channel: dm })).channel).toMatchObject({ is_im: true, user: owner });
    expect((await client.bots.info({ bot: wire.botId })).bot).toMatchObject({ app_id: wire.appId });
    const ts = wire.say(dm, owner, "here");
    const link = await client.chat.getPermalink({ channel: dm, message_ts: ts });
    expect(link.permalink).toBe(`https://workspace.slack.test/archives/${dm}/p${ts.replace(".", "")}`);
    const reply = wire.say(dm, owner, "there", { thread: ts });
    const within = await client.chat.getPermalink({ channel: dm, message_ts: reply });
    expect(within.permalink).toBe(
      `https://workspace.slack.test/archives/${dm}/p${reply.replace(".", "")}?thread_ts=${ts}&cid=${dm}`,
    );
    // The parent has replies now, and stands where it stood.
    expect(await client.chat.getPermalink({ channel: dm, message_ts: ts })).toEqual(link);
  });

  test("a trigger lives 3 s and works once", async () => {
    let now = 1_790_000_000_000;
    const { wire, client, dm } = await start({ now: () => now });
    const view = {
      type: "modal" as const,
      title: { type: "plain_text" as const, text: "T" },
      blocks: [{ type: "divider" as const }],
    };
    const open = (trigger: string): Promise<string> => code(client.views.open({ trigger_id: trigger, view }));
    const first = wire.command(dm, owner, "x");
    now += 3000;
    expect(await open(first)).toBe("no error");
    expect(await open(first)).toBe("exchanged_trigger_id");
    const second = wire.command(dm, owner, "x");
    now += 3001;
    expect(await open(second)).toBe("expired_trigger_id");
    expect(await open("made.up")).toBe("invalid_trigger_id");
    const long = { ...view, title: { type: "plain_text" as const, text: "x".repeat(25) } };
    const third = wire.command(dm, owner, "x");
    expect(await code(client.views.open({ trigger_id: third, view: long }))).toBe("invalid_arguments");
    const url = `${wire.state.url}/actions/${wire.teamId}/${third}/response`;
    const post = async (): Promise<number> => (await fetch(url, { method: "POST", body: '{"text":"x"}' })).status;
    expect([await post(), await post(), await post(), await post(), await post(), await post()]).toEqual([
      200, 200, 200, 200, 200, 404,
    ]);
  });
});

describe("the assistant's thread and streams", () => {
  test("status, title and prompts; an answer clears the status", async () => {
    const { wire, client, dm } = await start();
    const thread = wire.startAssistantThread(owner);
    const place = { channel_id: dm, thread_ts: thread };
    await client.assistant.threads.setStatus({ ...place, status: "is thinking…", loading_messages: ["one", "two"] });
    await client.assistant.threads.setTitle({ ...place, title: "Trip" });
    await client.assistant.threads.setSuggestedPrompts({ ...place, prompts: [{ title: "A", message: "a" }] });
    expect(wire.typing).toMatchObject([{ status: "is thinking…", channel: dm, thread }]);
    await client.chat.postMessage({ channel: dm, thread_ts: thread, text: "done" });
    expect(wire.typing).toEqual([]);
    expect(wire.state.titles).toEqual([{ channel: dm, thread, title: "Trip" }]);
    const eleven = Array.from({ length: 11 }, () => "x");
    const status = { ...place, status: "x", loading_messages: eleven };
    expect(await code(client.assistant.threads.setStatus(status))).toBe("invalid_arguments");
  });

  test("a stream grows, and stops with blocks", async () => {
    const { wire, client, dm } = await start();
    const { bodies } = await startBolt(wire);
    const thread = wire.say(dm, owner, "go");
    const { ts = "" } = await client.chat.startStream({ channel: dm, thread_ts: thread, markdown_text: "**One" });
    expect(wire.message(dm, ts)).toMatchObject({ streaming: "open", thread });
    await client.chat.appendStream({ channel: dm, ts, markdown_text: " two** three" });
    expect(wire.message(dm, ts)?.text).toBe("One two three");
    expect(await code(client.chat.update({ channel: dm, ts, text: "x" }))).toBe("streaming_state_conflict");
    expect(await code(client.chat.delete({ channel: dm, ts }))).toBe("cant_delete_message");
    await client.chat.stopStream({
      channel: dm,
      ts,
      chunks: [{ type: "markdown_text", text: " four" }] as never,
      blocks: [{ type: "context", elements: [{ type: "mrkdwn", text: "small" }] }],
    });
    expect(wire.message(dm, ts)).toMatchObject({
      text: "One two three four\n\nsmall",
      streaming: "stopped",
      quiet: false,
    });
    expect(await code(client.chat.appendStream({ channel: dm, ts, markdown_text: "x" }))).toBe(
      "message_not_in_streaming_state",
    );
    await client.chat.update({ channel: dm, ts, text: "final", blocks: [] });
    expect(wire.message(dm, ts)?.text).toBe("final");
    await wire.until(() => bodies.length === 4);
    const [, began, ended] = bodies.map(eventOf);
    expect(began).toMatchObject({ ts, streaming_state: "in_progress" });
    expect(ended).toMatchObject({ subtype: "message_changed" });
    expect(ended?.["message"]).not.toHaveProperty("edited");
  });

  test("a stream that the platform closed refuses all but chat.update; a reader's stop has its own code", async () => {
    const { wire, client, dm } = await start();
    const thread = wire.say(dm, owner, "go");
    const begin = async (): Promise<string> =>
      (await client.chat.startStream({ channel: dm, thread_ts: thread, markdown_text: "half" })).ts ?? "";
    const ts = await begin();
    wire.closeStream(ts);
    expect(await code(client.chat.appendStream({ channel: dm, ts, markdown_text: "x" }))).toBe(
      "message_not_in_streaming_state",
    );
    expect(await code(client.chat.stopStream({ channel: dm, ts }))).toBe("message_not_in_streaming_state");
    expect(wire.message(dm, ts)).toMatchObject({ text: "half", streaming: "closed" });
    await client.chat.update({ channel: dm, ts, text: "whole" });
    expect(wire.message(dm, ts)).toMatchObject({ text: "whole", streaming: "stopped" });
    const stopped = await begin();
    wire.stopStream(stopped);
    expect(await code(client.chat.appendStream({ channel: dm, ts: stopped, markdown_text: "x" }))).toBe(
      "stopped_by_user",
    );
  });

  test("a stream needs a thread, in channels its reader, and takes 12,000 characters a call", async () => {
    const { wire, client, dm } = await start();
    const channel = wire.addChannel("C01GENERAL");
    const thread = wire.say(channel, owner, "go");
    const begin = (more: Loose): Promise<string> => code(client.chat.startStream(more as never));
    expect(await begin({ channel: dm })).toBe("invalid_arguments");
    expect(await begin({ channel, thread_ts: thread })).toBe("missing_recipient_team_id");
    expect(await begin({ channel, thread_ts: thread, recipient_team_id: wire.teamId })).toBe(
      "missing_recipient_user_id",
    );
    const whole = { channel, thread_ts: thread, recipient_team_id: wire.teamId, recipient_user_id: owner };
    expect(await begin({ ...whole, markdown_text: "x".repeat(12_001) })).toBe("msg_too_long");
    expect(await begin({ ...whole, markdown_text: "x", chunks: [] })).toBe(
      "cannot_provide_both_markdown_text_and_chunks",
    );
    expect(await begin(whole)).toBe("no error");
    expect(await code(client.chat.appendStream({ channel, ts: thread, markdown_text: "x" }))).toBe(
      "message_not_owned_by_app",
    );
  });
});

describe("Socket Mode", () => {
  /** A bare client, to see envelopes and not acknowledge them. */
  async function bare(wire: SlackWire): Promise<{ socket: WebSocket; lines: Loose[]; ack: (line: Loose) => void }> {
    const { url = "" } = await clientOf(wire, wire.appToken).apps.connections.open({});
    const socket = new WebSocket(url);
    onTestFinished(() => socket.terminate());
    const lines: Loose[] = [];
    socket.on("message", (data) => {
      lines.push(JSON.parse((data as Buffer).toString("utf8")) as Loose);
      wire.state.watch.changed();
    });
    const before = wire.connections;
    await wire.until(() => wire.connections > before && lines.length > 0);
    return {
      socket,
      lines,
      ack: ({ envelope_id: id }) => socket.send(JSON.stringify({ envelope_id: id, payload: {} })),
    };
  }

  test("hello says how many connections there are; a ticket works once", async () => {
    const { wire } = await start();
    const first = await bare(wire);
    const second = await bare(wire);
    expect(first.lines[0]).toMatchObject({
      type: "hello",
      num_connections: 1,
      connection_info: { app_id: wire.appId },
    });
    expect(second.lines[0]).toMatchObject({ num_connections: 2 });
    const again = new WebSocket(second.socket.url);
    const error = await new Promise<Error>((resolve) => {
      again.once("error", resolve);
    });
    expect(error.message).toContain("408");
  });

  test("of several connections each event goes to one", async () => {
    const { wire, dm } = await start();
    const first = await bare(wire);
    const second = await bare(wire);
    for (let count = 0; count < 4; count++) wire.say(dm, owner, `m${count}`);
    await wire.until(() => first.lines.length + second.lines.length === 6);
    expect([first.lines.length, second.lines.length]).toEqual([3, 3]);
  });

  test("an event that is not acknowledged comes again with the same event_id, at most three times", async () => {
    const { wire, dm } = await start({ ackTimeoutMs: 20, retryDelaysMs: [0, 0, 0] });
    const { lines } = await bare(wire);
    wire.say(dm, owner, "hear me");
    await wire.until(() => wire.delivery.envelopes.some((one) => one.state === "lost"));
    const events = lines.slice(1);
    expect(events.map((line) => [line["retry_attempt"], line["retry_reason"]])).toEqual([
      [0, ""],
      [1, "timeout"],
      [2, "timeout"],
      [3, "timeout"],
    ]);
    expect(new Set(events.map((line) => (line["payload"] as Loose)["event_id"])).size).toBe(1);
    expect(new Set(events.map((line) => line["envelope_id"])).size).toBe(4);
  });

  test("what a dead connection did not acknowledge comes to the next one; what it did does not", async () => {
    const { wire, dm } = await start();
    const first = await bare(wire);
    wire.say(dm, owner, "acknowledged");
    await wire.until(() => first.lines.length === 2);
    first.ack(first.lines[1] ?? {});
    await quiet(wire);
    wire.say(dm, owner, "not acknowledged");
    await wire.until(() => first.lines.length === 3);
    first.socket.terminate();
    await wire.until(() => wire.connections === 0);
    wire.say(dm, owner, "while away");
    const second = await bare(wire);
    await wire.until(() => second.lines.length === 3);
    const texts = second.lines.slice(1).map((line) => eventOf(line["payload"] as Loose)["text"]);
    expect(texts).toEqual(["not acknowledged", "while away"]);
  });

  test("a gap: what is missed stands in the history alone", async () => {
    const { wire, client, dm } = await start();
    const { bodies } = await startBolt(wire);
    const missed = wire.miss(() => wire.say(dm, owner, "in the gap"));
    wire.say(dm, owner, "after");
    await wire.until(() => bodies.length === 1);
    const { messages } = await client.conversations.history({ channel: dm, oldest: "0" });
    expect(messages?.map(({ ts, text }) => (ts === missed ? "missed" : text))).toEqual(["after", "missed"]);
  });

  test("an acknowledged event can be sent again, as the platform may", async () => {
    const { wire, dm } = await start();
    const { bodies } = await startBolt(wire);
    wire.say(dm, owner, "once");
    await quiet(wire);
    expect(wire.redeliver()).toBe(1);
    await wire.until(() => bodies.length === 2);
    expect(bodies[0]?.["event_id"]).toBe(bodies[1]?.["event_id"]);
  });

  test.each(["refresh_requested", "warning", "link_disabled"] as const)("Bolt reconnects after %s", async (reason) => {
    const { wire, dm } = await start();
    const { bodies } = await startBolt(wire);
    wire.refresh(reason);
    wire.say(dm, owner, "during the change");
    await wire.until(() => wire.delivery.connected === 2 && bodies.length === 1);
  });

  test("Bolt notices a half-open socket by its own pings and hears on a new one", async () => {
    const { wire, dm } = await start({ ackTimeoutMs: 100, retryDelaysMs: [0, 0, 0, 0, 0, 0, 0, 0, 0] });
    const { bodies } = await startBolt(wire);
    wire.freeze();
    wire.say(dm, owner, "into the void");
    await wire.until(() => bodies.length === 1, { timeoutMs: 10_000 });
    expect(wire.delivery.connected).toBeGreaterThan(1);
  });

  test("cut, closed with a code, refused, then heard again", async () => {
    const { wire, dm } = await start();
    const { bodies } = await startBolt(wire);
    wire.refuseConnections(1);
    wire.cut();
    await wire.until(() => wire.delivery.connected === 2 && wire.connections === 1, { timeoutMs: 10_000 });
    wire.closeWith(1011, "going");
    await wire.until(() => wire.delivery.connected === 3, { timeoutMs: 10_000 });
    wire.say(dm, owner, "still here");
    await wire.until(() => bodies.length === 1);
  });

  test("the network goes and comes back on the same port", async () => {
    const { wire, dm } = await start();
    const first = await bare(wire);
    await wire.goDown();
    await expect(fetch(wire.apiUrl)).rejects.toThrow();
    await wire.comeBack();
    const second = await bare(wire);
    wire.say(dm, owner, "back");
    await wire.until(() => second.lines.length === 2);
    expect(first.lines).toHaveLength(1);
  });

  test("without hello Bolt's start never ends", async () => {
    const { wire } = await start();
    wire.noHello();
    let started = "waiting";
    const app = new App({
      token: wire.botToken,
      appToken: wire.appToken,
      socketMode: true,
      logger: silent,
      clientOptions: { slackApiUrl: wire.apiUrl },
    });
    const starting = app.start().then(
      () => (started = "started"),
      () => (started = "given up"),
    );
    await wire.until(() => wire.delivery.connected === 1);
    expect([started, wire.connections]).toEqual(["waiting", 0]);
    await app.stop();
    await starting;
    expect(started).toBe("given up");
  });

  test("a wrong app token is refused when it starts", async () => {
    const { wire } = await start();
    const app = new App({
      token: wire.botToken,
      appToken: "xapp-wrong",
      socketMode: true,
      logger: silent,
      clientOptions: { slackApiUrl: wire.apiUrl },
    });
    await expect(app.start()).rejects.toThrow("invalid_auth");
  });
});

describe("delivery by HTTP", () => {
  async function listening(
    wire: SlackWire,
    prepare: (app: App) => void = () => undefined,
  ): Promise<{ bodies: Loose[]; url: string }> {
    const receiver = new HTTPReceiver({
      signingSecret: wire.signingSecret,
      logger: silent,
      unhandledRequestTimeoutMillis: 50,
    });
    const app = new App({
      token: wire.botToken,
      receiver,
      logger: silent,
      clientOptions: { slackApiUrl: wire.apiUrl, retryConfig: { retries: 0 } },
    });
    const bodies = collect(wire, app);
    prepare(app);
    const server = await app.start(0);
    onTestFinished(async () => {
      await app.stop();
    });
    const { port } = (server as unknown as { address: () => { port: number } }).address();
    const url = `http://127.0.0.1:${port}/slack/events`;
    wire.deliverTo(url);
    return { bodies, url };
  }

  test("events, presses and commands arrive signed; the answer of a command is shown", async () => {
    const { wire, client, dm } = await start();
    const { bodies } = await listening(wire, (app) => {
      app.command("/tidegate", ({ ack }) => ack("by HTTP"));
      app.action("go", ({ ack }) => ack());
    });
    wire.say(dm, owner, "hello");
    const elements = [{ type: "button" as const, action_id: "go", text: { type: "plain_text" as const, text: "Go" } }];
    const { ts = "" } = await client.chat.postMessage({
      channel: dm,
      text: "x",
      blocks: [{ type: "actions", elements }],
    });
    const press = wire.press(dm, owner, ts, "Go");
    const command = wire.command(dm, owner, "status");
    await wire.until(() => wire.answerTo(command)?.words === "by HTTP" && wire.answerTo(press)?.acked);
    await quiet(wire);
    expect(bodies.map((body) => body["type"] ?? body["command"])).toEqual(
      expect.arrayContaining(["event_callback", "block_actions", "/tidegate"]),
    );
    expect(wire.delivery.envelopes.map((one) => one.tries.at(-1)?.answer)).toEqual(["200", "200", "200", "200"]);
  });

  test("Bolt answers the address check, and refuses a wrong or old signature", async () => {
    const { wire } = await start();
    const { url } = await listening(wire);
    const body = {
      text: JSON.stringify({ type: "url_verification", challenge: "c-1", token: "t" }),
      type: "application/json",
    };
    const post = (wrong: { at?: number; secret?: string }): Promise<Response> =>
      fetch(url, { method: "POST", ...wire.delivery.signed(body, false, wrong) });
    expect(await (await post({})).text()).toContain("c-1");
    expect((await post({ secret: "other" })).status).toBe(401);
    expect((await post({ at: wire.state.nowSeconds - 301 })).status).toBe(401);
  });

  test("a refused event comes again with retry headers; x-slack-no-retry ends it", async () => {
    const { wire, dm } = await start({ retryDelaysMs: [0, 0, 0] });
    const { createServer } = await import("node:http");
    const seen: (string | string[] | undefined)[][] = [];
    let answer: [number, Record<string, string>] = [500, {}];
    const server = createServer((request, response) => {
      seen.push([request.headers["x-slack-retry-num"], request.headers["x-slack-retry-reason"]]);
      request.resume();
      response.writeHead(...answer);
      response.end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    wire.deliverTo(`http://127.0.0.1:${(server.address() as { port: number }).port}/`);
    wire.say(dm, owner, "one");
    await wire.until(() => wire.delivery.envelopes[0]?.state === "lost");
    expect(seen).toEqual([
      [undefined, undefined],
      ["1", "http_error"],
      ["2", "http_error"],
      ["3", "http_error"],
    ]);
    answer = [500, { "x-slack-no-retry": "1" }];
    wire.say(dm, owner, "two");
    await wire.until(() => wire.delivery.envelopes[1]?.state === "lost");
    expect(seen).toHaveLength(5);
    answer = [200, {}];
    wire.redeliver();
    await wire.until(() => wire.delivery.envelopes[1]?.state === "acknowledged");
  });

  test("a repetition that is minutes away can be made to come now", async () => {
    const { wire, dm } = await start({ retryDelaysMs: [60_000] });
    wire.deliverTo("http://127.0.0.1:9/");
    wire.say(dm, owner, "nobody listens");
    await wire.until(() => wire.pending[0]?.state === "waiting");
    const { bodies } = await listening(wire);
    wire.retryNow();
    await wire.until(() => bodies.length === 1);
    expect(wire.delivery.envelopes[0]?.tries.map((one) => one.attempt)).toEqual([0, 1]);
  });

  test("Bolt answers 404 for a press that no listener acknowledges", async () => {
    const { wire, dm } = await start();
    await listening(wire);
    const press = wire.pressData(dm, owner, "1790000000.000001", "stale");
    await wire.until(() => wire.answerTo(press)?.failed);
    expect(wire.delivery.envelopes[0]?.tries).toMatchObject([{ via: "http", answer: "404" }]);
  });
});

describe("going wrong", () => {
  test("429 names the wait; 500 and HTML are no envelopes", async () => {
    const { wire, client, dm } = await start();
    const post = (): Promise<unknown> => client.chat.postMessage({ channel: dm, text: "x" });
    wire.fail("chat.postMessage", { kind: "rateLimited", retryAfter: 7 });
    await expect(post()).rejects.toMatchObject({ code: "slack_webapi_rate_limited_error", retryAfter: 7 });
    wire.fail("chat.postMessage", { kind: "http500" });
    await expect(post()).rejects.toMatchObject({ code: "slack_webapi_http_error", statusCode: 500 });
    wire.fail("*", { kind: "html502" });
    await expect(post()).rejects.toMatchObject({ statusCode: 502 });
    wire.fail("chat.postMessage", { kind: "error", error: "fatal_error", times: 2 });
    expect([await code(post()), await code(post()), await code(post())]).toEqual([
      "fatal_error",
      "fatal_error",
      "no error",
    ]);
    expect(wire.sent(dm)).toHaveLength(1);
    expect(wire.callCount("chat.postMessage")).toBe(6);
  });

  test("a reset before storing leaves nothing; after storing, and a 500 after it, leave the message", async () => {
    const { wire, client, dm } = await start();
    const post = (text: string): Promise<string> => code(client.chat.postMessage({ channel: dm, text }));
    wire.fail("chat.postMessage", { kind: "resetBeforeStore" });
    expect(await post("a")).toBe("slack_webapi_request_error");
    wire.fail("chat.postMessage", { kind: "resetAfterStore" });
    expect(await post("b")).toBe("slack_webapi_request_error");
    wire.fail("chat.postMessage", { kind: "status500AfterStore" });
    expect(await post("c")).toBe("slack_webapi_http_error");
    expect(wire.sent(dm).map(({ text }) => text)).toEqual(["b", "c"]);
  });

  test("a library that retries by itself posts twice after a 500: its retries must be off", async () => {
    const { wire, dm } = await start();
    const eager = new WebClient(wire.botToken, {
      slackApiUrl: wire.apiUrl,
      logger: silent,
      retryConfig: { retries: 1, minTimeout: 0, maxTimeout: 0 },
    });
    wire.fail("chat.postMessage", { kind: "status500AfterStore" });
    await eager.chat.postMessage({ channel: dm, text: "twice" });
    expect(wire.sent(dm)).toHaveLength(2);
  });

  test("hangs are cut by the client; a slow answer comes", async () => {
    const { wire, dm } = await start();
    const hasty = new WebClient(wire.botToken, {
      slackApiUrl: wire.apiUrl,
      logger: silent,
      timeout: 80,
      retryConfig: { retries: 0 },
    });
    wire.fail("chat.postMessage", { kind: "hang" });
    expect(await code(hasty.chat.postMessage({ channel: dm, text: "a" }))).toBe("slack_webapi_request_error");
    wire.fail("chat.postMessage", { kind: "hangAfterStore", channel: dm });
    expect(await code(hasty.chat.postMessage({ channel: dm, text: "b" }))).toBe("slack_webapi_request_error");
    wire.fail("chat.postMessage", { kind: "slow", delayMs: 1 });
    expect(await code(hasty.chat.postMessage({ channel: dm, text: "c" }))).toBe("no error");
    expect(wire.sent(dm).map(({ text }) => text)).toEqual(["b", "c"]);
  });

  test("rates: posts per conversation and second, edits per minute", async () => {
    let now = 1_790_000_000_000;
    const flood = { postsPerChannelPerSecond: 1, updatesPerMinute: 2, retryAfter: 3 };
    const { wire, client, dm } = await start({ now: () => now, flood });
    const { ts = "" } = await client.chat.postMessage({ channel: dm, text: "a" });
    await expect(client.chat.postMessage({ channel: dm, text: "b" })).rejects.toMatchObject({ retryAfter: 3 });
    await client.chat.postMessage({ channel: wire.addChannel("C01"), text: "elsewhere" });
    now += 1000;
    await client.chat.postMessage({ channel: dm, text: "c" });
    await client.chat.update({ channel: dm, ts, text: "1" });
    await client.chat.update({ channel: dm, ts, text: "2" });
    await expect(client.chat.update({ channel: dm, ts, text: "3" })).rejects.toMatchObject({ retryAfter: 3 });
  });
});

describe("what a person reads, and whom it notifies", () => {
  const nameOf = (id: string): string => ({ U01SAM: "Sam", C01GEN: "general" })[id] ?? id;

  test.each([
    ["*bold* _it_ ~no~ `a*b*`", "bold it no a*b*"],
    ["a &lt;b&gt; &amp; c", "a <b> & c"],
    ["<@U01SAM> in <#C01GEN>", "@Sam in #general"],
    ["<https://x.test|here> and <https://y.test>", "here and https://y.test"],
    ["snake_case_name 2*3*4", "snake_case_name 2*3*4"],
    ["```\nx *y*\n```", "x *y*"],
  ])("mrkdwn %s", (source, wanted) => {
    expect(readMrkdwn(source, nameOf)).toBe(wanted);
  });

  test.each([
    ["<@U01SAM> <!channel> <!here|x> <!subteam^S01|@all>", ["U01SAM", "channel", "here", "S01"]],
    ["&lt;@U01SAM&gt; &lt;!channel&gt; @channel <#C01GEN> <https://x.test|@here>", []],
  ])("mrkdwn notifies: %s", (source, wanted) => {
    expect(pingsOfMrkdwn(source)).toEqual(wanted);
  });

  test.each<[string, string, string[]]>([
    ["<@U01SAM> hi", "@Sam hi", ["U01SAM"]],
    ["see <!channel> now", "see @channel now", ["channel"]],
    ["<!here>", "@here", ["here"]],
    ["<!subteam^S01>", "@S01", ["S01"]],
    ["\\<@U01SAM>", "<@U01SAM>", []],
    ["&lt;@U01SAM&gt; &lt;!channel&gt;", "<@U01SAM> <!channel>", []],
    ["\\<!channel>", "<!channel>", []],
    ["`<@U01SAM>`\n\n```\n<!channel>\n```", "<@U01SAM>\n\n<!channel>", []],
    ["**<@U01SAM>**", "@Sam", ["U01SAM"]],
    ["\\\\<@U01SAM>", "\\@Sam", ["U01SAM"]],
    ["<@U01SAM|*a*>", "<@U01SAM|a>", ["U01SAM"]],
    ["a `b` <!channel> `c`", "a b @channel c", ["channel"]],
    ["# A\n\n1. x\n2. y\n\n> q", "A\n\n1. x\n2. y\n\nq", []],
    ["| a | b |\n|---|---|\n| 1 | 2 |", "a | b\n1 | 2", []],
    ["[text](https://x.test)", "text", []],
  ])("markdown %s", (source, text, pings) => {
    expect(readMarkdown(source, nameOf)).toEqual({ text, pings });
  });

  test("every field that notifies counts, plain text does not, bare names only when asked for", async () => {
    const { wire, client, dm } = await start();
    const post = async (message: Loose): Promise<string[]> => {
      const { ts = "" } = await client.chat.postMessage({ channel: dm, ...message } as never);
      return wire.message(dm, ts)?.pings ?? [];
    };
    const mrkdwn = { type: "mrkdwn", text: "<!channel>" };
    const plain = { type: "plain_text", text: "<!channel>" };
    expect(await post({ text: "<!everyone>" })).toEqual(["everyone"]);
    expect(await post({ text: "x", blocks: [{ type: "section", text: mrkdwn }] })).toEqual(["channel"]);
    expect(await post({ text: "x", blocks: [{ type: "section", fields: [mrkdwn] }] })).toEqual(["channel"]);
    expect(await post({ text: "x", blocks: [{ type: "context", elements: [mrkdwn] }] })).toEqual(["channel"]);
    expect(await post({ text: "x", blocks: [{ type: "section", text: plain }] })).toEqual([]);
    expect(await post({ text: "x", blocks: [{ type: "markdown", text: "a <!here> b" }] })).toEqual(["here"]);
    expect(await post({ text: "x", attachments: [{ text: "<!channel>" }] })).toEqual(["channel"]);
    expect(await post({ text: "@here" })).toEqual([]);
    expect(await post({ text: "@here", link_names: true })).toEqual(["here"]);
  });

  test("small grey lines alone are quiet", async () => {
    const { wire, client, dm } = await start();
    const elements = [{ type: "mrkdwn" as const, text: "used *2* tools" }];
    await client.chat.postMessage({ channel: dm, text: "used 2 tools", blocks: [{ type: "context", elements }] });
    expect(wire.sent(dm)[0]).toMatchObject({ text: "used 2 tools", quiet: true });
  });
});

describe("recorded payloads", () => {
  const folder = new URL("../fixtures/slack/", import.meta.url);

  test("each one reaches the real Bolt whole and is acknowledged", async () => {
    const { wire } = await start();
    const { bodies } = await startBolt(wire, (bolt) => {
      bolt.action(/.*/, ({ ack }) => ack());
      bolt.command(/.*/, ({ ack }) => ack());
      bolt.view(/.*/, ({ ack }) => ack());
    });
    const names = (await readdir(folder)).filter((name) => name.endsWith(".json"));
    expect(names.length).toBe(42);
    for (const name of names) {
      const payload = JSON.parse(await readFile(new URL(name, folder), "utf8")) as Loose;
      const before = bodies.length;
      const envelope = wire.pushRaw(payload);
      await wire.until(() => envelope.state === "acknowledged" && bodies.length > before, { what: name });
      expect({ name, body: bodies.at(-1) }).toEqual({ name, body: payload });
    }
  });

  test("a person of a recorded message can be answered, in its thread", async () => {
    const { wire, client } = await start();
    const payload = JSON.parse(await readFile(new URL("channel-thread-followup.json", folder), "utf8")) as Loose;
    wire.pushRaw(payload);
    const { channel, thread_ts: thread } = eventOf(payload) as { channel: string; thread_ts: string };
    await client.chat.postMessage({ channel, thread_ts: thread, text: "pong" });
    const { messages } = await client.conversations.replies({ channel, ts: thread });
    expect(messages?.map(({ text }) => text)).toEqual(["", "ping?", "pong"]);
  });
});

describe("beside an emulator by other people (emulate, Slack's Web API)", () => {
  async function emulator(): Promise<WebClient> {
    const token = "xoxb-test-token";
    const scopes = ["chat:write", "channels:read", "channels:history", "files:write", "files:read"];
    const seed = {
      tokens: { [token]: { login: "tidegate", scopes } },
      slack: {
        team: { name: "workspace", domain: "workspace" },
        users: [{ name: "sam", real_name: "Sam", email: "sam@example.test" }],
        channels: [{ name: "general" }],
        bots: [{ name: "tidegate" }],
        oauth_apps: [
          {
            client_id: "1.2",
            client_secret: "test",
            name: "tidegate",
            redirect_uris: ["http://127.0.0.1/"],
            scopes,
            bot_name: "tidegate",
          },
        ],
      },
    };
    const running = await createEmulator({ service: "slack", port: 0, seed } as never);
    onTestFinished(() => running.close());
    return new WebClient(token, { slackApiUrl: `${running.url}/api/`, logger: silent, retryConfig: { retries: 0 } });
  }

  /** The same story told to both; ids and times are numbered as they come up. */
  async function story(client: WebClient): Promise<unknown> {
    const ids = new Map<string, string>();
    const named = (id: string | undefined): string => {
      if (id === undefined) return "none";
      if (!ids.has(id)) ids.set(id, `#${ids.size + 1}`);
      return ids.get(id) ?? "";
    };
    const { channels = [] } = await client.conversations.list({ types: "public_channel" });
    const channel = channels.find(({ name }) => name === "general")?.id ?? "";
    await client.conversations.join({ channel }).catch(() => undefined);
    const first = await client.chat.postMessage({ channel, text: "first" });
    const parent = await client.chat.postMessage({ channel, text: "parent" });
    const reply = await client.chat.postMessage({ channel, text: "reply", thread_ts: parent.ts ?? "" });
    const gone = await client.chat.postMessage({ channel, text: "gone" });
    await client.chat.update({ channel, ts: first.ts ?? "", text: "first, changed" });
    await client.chat.delete({ channel, ts: gone.ts ?? "" });
    await client.filesUploadV2({ channel_id: channel, thread_ts: parent.ts ?? "", filename: "a.txt", content: "abc" });
    for (const { ts } of [first, parent, reply]) named(ts);
    const errors = [
      await code(client.chat.postMessage({ channel: "C99NONE", text: "x" })),
      await code(client.chat.postMessage({ channel, text: "" })),
      await code(client.chat.update({ channel, ts: gone.ts ?? "", text: "x" })),
      await code(client.chat.delete({ channel, ts: gone.ts ?? "" })),
    ];
    const history = (await client.conversations.history({ channel })).messages ?? [];
    const replies = (await client.conversations.replies({ channel, ts: parent.ts ?? "" })).messages ?? [];
    return {
      errors,
      history: history.map(({ ts, text }) => [named(ts), text]),
      replies: replies
        .filter((message) => (message as Loose)["files"] === undefined)
        // The emulator's parent has no thread_ts of its own; recorded ones have.
        .map(({ ts, text, thread_ts: thread }) => [named(ts), text, thread === ts ? "none" : named(thread)]),
      parent: replies[0]?.reply_count,
      files: replies.flatMap((message) =>
        ((message as { files?: { name?: string; size?: number }[] }).files ?? []).map(({ name, size }) => [name, size]),
      ),
    };
  }

  test("the same calls leave the same conversation, and are refused alike", async () => {
    const { wire, client } = await start();
    wire.addChannel("C01GENERAL", "general");
    const here = await story(client);
    expect(here).toMatchObject({
      history: [
        ["#2", "parent"],
        ["#1", "first, changed"],
      ],
      parent: 2,
      files: [["a.txt", 3]],
    });
    expect(here).toEqual(await story(await emulator()));
  });
});

describe("from another process", () => {
  test("the same verbs over the control port", async () => {
    const { wire, dm } = await start({ control: true });
    await startBolt(wire, (app) => {
      app.message(async ({ message, say }) => {
        if (message.subtype === undefined && !message.bot_id) await say(`you said ${message.text}`);
      });
    });
    const url = wire.controlUrl ?? "";
    await control(url, "say", dm, owner, "hello");
    expect(await control(url, "shown", dm, { matches: "^you said h" })).toMatchObject({ text: "you said hello" });
    expect(await control(url, "callCount", "chat.postMessage")).toBe(1);
    expect(await control(url, "status")).toMatchObject({ connections: 1 });
    expect(await control(url, "describe")).toContain("you said hello");
    await expect(control(url, "press", dm, owner, "1.1", "No")).rejects.toThrow("No message");
  });
});

// What a tool found, as rows to look at, from end to end.
import { expect, it } from "vitest";
import type { View } from "../../src/core/card.ts";
import type { Tool } from "../../src/core/tool.ts";
import { journey } from "./gateway.ts";
import { promptOf } from "./puppet.ts";
import { scripted } from "./scripted.ts";
import { except, only, PLATFORMS, SAM } from "./stage.ts";

const REPLY = { label: "Reply", text: "Draft a reply to Ada about “Budget”" };
const MAIL: View = {
  kind: "view",
  of: "mail",
  title: "Mail",
  rows: [
    { title: "Budget", detail: "Ada · 30 November", link: "https://mail.example/1", compose: REPLY },
    { title: "Harbour", detail: "Bob · 29 November", compose: { label: "Reply", text: "Draft a reply to Bob" } },
    { title: "Old", detail: "" },
  ],
  more: 4,
};

/** A tool that finds this and tells the model only so much. */
function finder(view: View, row: Tool["row"] = "plain"): Tool {
  return {
    ...{ name: "look", row, description: "For a test.", input: { type: "object" }, effect: "read" },
    check: (input) => input,
    run: async () => ({ outcome: "ok", text: "Three mails.", view }),
  };
}

const mailbox = (view: View = MAIL): ReturnType<typeof scripted> =>
  scripted({ "My mail": [{ call: "look" }, `You have ${view.rows.length}.`] });

it.each(PLATFORMS)(
  "O60a, O60c, O61a: the rows are one quiet message with their links, and a count of the rest; the model reads the text alone (%s)",
  async (on) => {
    const toy = mailbox();
    await using day = await journey({ on, puppet: toy.engine, tools: [finder(MAIL)] });
    day.say("My mail");
    await day.shown("You have 3.");
    await day.settled();
    const [view] = day.sent();
    // Slack has no quiet messages of several lines.
    expect(view).toMatchObject({ quiet: on !== "slack", pings: [] });
    expect(view?.text).toMatch(
      /Mail\n+.{0,4}1\. Budget – Ada · 30 November\n.{0,4}2\. Harbour – Bob · 29 November\n.{0,4}Old\n+and 4 more/u,
    );
    expect(view?.styles).toContain("link");
    expect(day.labels(view!)).toEqual(["1 Reply", "2 Reply"]);
    expect(toy.results).toEqual([{ outcome: "ok", text: "Three mails." }]);
    day.say("And else?");
    await day.shown("I was told: And else?");
    expect(JSON.stringify(toy.turns.at(-1)?.history)).not.toContain("Budget");
  },
);

it.each(only("telegram"))(
  "O61b: a row's next step is a text to copy, and nothing comes of it here, also after a restart (%s)",
  async (on) => {
    const toy = mailbox();
    await using day = await journey({ on, puppet: toy.engine, tools: [finder(MAIL)] });
    day.say("My mail");
    const view = await day.shown("Budget");
    await day.settled();
    expect(view.buttons.flat().map(({ copy }) => copy)).toEqual([REPLY.text, "Draft a reply to Bob"]);
    expect(view.buttons.flat().flatMap(({ data }) => data ?? [])).toEqual([]);
    await day.restart();
    expect(day.now(view)?.buttons).toEqual(view.buttons);
  },
);

// Telegram puts the text on the clipboard.
it.each(except("telegram"))(
  "O61b, T50: a row's next step opens a form with its text, and what is sent there is the person's own message, again and again, also after a restart (%s)",
  async (on) => {
    const toy = mailbox();
    await using day = await journey({ on, puppet: toy.engine, tools: [finder(MAIL)] });
    day.say("My mail");
    const view = await day.shown("Budget");
    await day.settled();
    await day.restart();
    const first = day.press(view, "1 Reply");
    const form = await day.until(() => day.on.formOf(first));
    expect(form).toMatchObject({ title: "Send", labels: ["What you send"] });
    expect(day.on.payloads.some((payload) => payload.includes(REPLY.text))).toBe(true);
    // Nothing is done by the press itself.
    expect(toy.turns).toHaveLength(1);
    day.on.submit(first, "Draft a short reply to Ada");
    await day.shown("I was told: Draft a short reply to Ada");
    await day.shown("Sam: Draft a short reply to Ada");
    await day.settled();
    expect(day.labels(day.now(view)!)).toEqual(["1 Reply", "2 Reply"]);

    const second = day.press(view, "1 Reply");
    await day.until(() => day.on.formOf(second));
    day.on.submit(second, "Draft a longer one");
    await day.shown("I was told: Draft a longer one");
    await day.settled();
    expect(toy.turns.map(promptOf)).toEqual(["My mail", "Draft a short reply to Ada", "Draft a longer one"]);

    // What it holds was read in this chat, so it goes to no other.
    day.command("new");
    await day.shown("New chat.");
    const third = day.press(view, "1 Reply");
    expect(await day.answered(third)).toBe("The chat has moved on.");
    expect(day.on.formOf(third)).toBeUndefined();
    expect(toy.turns).toHaveLength(3);
  },
);

it.each(PLATFORMS)(
  "O61a: rows are text whatever they say, on every platform, and an address that is none has no link (%s)",
  async (on) => {
    const hostile: View = {
      kind: "view",
      of: "messages",
      title: "**@everyone** <!channel>",
      rows: [
        { title: "# Head [x](https://evil.example)", detail: "> quote\n- list", link: "javascript:alert(1)" },
        {
          title: "/help <@U1> @sam",
          detail: "`code` ||spoiler||",
          link: String.raw`https://good.example\@evil.example/`,
        },
        { title: "1) one", detail: "", link: "https://good.example&#64;evil.example/" },
        { title: "\u200B", detail: "\u202Etxet", link: "https://good.example/a_b_c?x=*y*&copy=1" },
        {
          title: "Z\u0301".repeat(40),
          detail: "\u0301".repeat(5000),
          link: "https://x.example/".padEnd(3000, "a"),
        },
      ],
      more: Number.NaN,
    };
    const toy = mailbox(hostile);
    await using day = await journey({ on, puppet: toy.engine, tools: [finder(hostile)] });
    day.say("My mail");
    await day.shown("You have 5.");
    await day.settled();
    const [view] = day.sent();
    expect(view).toMatchObject({ pings: [], buttons: [] });
    for (const words of [
      "# Head [x](",
      "> quote - list",
      "/help",
      "`code` ||spoiler||",
      "1) one",
      "(no title)",
      "txet",
    ])
      expect(view?.text).toContain(words);
    // The title alone is set in a style, and what leads somewhere.
    expect(view?.styles.filter((style) => !["bold", "link"].includes(style))).toEqual([]);
    const addresses = day.on.payloads.flatMap((payload) => payload.match(/(?:href=\\"|\]\(<?)[^")>\s]{1,200}/gu) ?? []);
    expect(addresses.filter((address) => /javascript|@evil|#64;evil/u.test(address))).toEqual([]);
    expect(addresses.some((address) => address.includes("https://good.example/a_b_c"))).toBe(true);
  },
);

it.each(PLATFORMS)(
  "O60c: of an agenda of 60 as many rows are shown as can be read at once, and the rest is counted (%s)",
  async (on) => {
    const rows = Array.from({ length: 60 }, (_, at) => ({ title: `Meeting ${at}`, detail: `2026-12-01 ${at}` }));
    const agenda: View = { kind: "view", of: "agenda", title: "", rows, more: 3 };
    const long = rows.map(({ title }) => ({ title: `${title} ${"x".repeat(150)}`, detail: "y".repeat(200) }));
    const toy = scripted({ Short: [{ call: "look" }, "There."], Long: [{ call: "look_long" }, "Here."] });
    const tools = [finder(agenda), { ...finder({ ...agenda, rows: long }), name: "look_long" }];
    await using day = await journey({ on, puppet: toy.engine, tools });
    day.say("Short");
    await day.shown("There.");
    await day.settled();
    const short = day.sent().slice(0, -1);
    expect(short.map(({ text }) => text).join("\n")).toMatch(/^Agenda[\s\S]*Meeting 59[\s\S]*and 3 more$/u);
    day.say("Long");
    await day.shown("Here.");
    await day.settled();
    const all = day.texts().join("\n");
    expect(all).toContain("Meeting 7 xxx");
    expect(all).not.toContain("Meeting 9 xxx");
    expect(all).toMatch(/and 5\d more/u);
  },
);

it.each(PLATFORMS)(
  "O60a, O61c: there are no rows of what a tool could not find or may not in that room (%s)",
  async (on) => {
    const failing: Tool = { ...finder(MAIL), run: async () => ({ outcome: "error", text: "No.", view: MAIL }) };
    const toy = scripted({ "My mail": [{ call: "look" }, { call: "read_mail" }, "Well."] });
    const apps = { ...finder(MAIL, "app-read"), name: "read_mail" };
    await using day = await journey({ on, puppet: toy.engine, tools: [failing, apps], groups: "mention" });
    day.mention("My mail", { in: day.group });
    await day.shown("Well.", { in: day.group });
    await day.settled();
    expect(day.texts(day.group)).toEqual(["Well."]);
    expect(day.texts(SAM)).toEqual([]);
    expect(toy.results.map(({ outcome }) => outcome)).toEqual(["error", "denied"]);
  },
);

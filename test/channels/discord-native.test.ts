// Every card as Discord shows it: the exact bodies, in the vendor's types, and taken by the loopback platform with its limits.
import type { APIModalInteractionResponseCallbackData, RESTPostAPIChannelMessageJSONBody } from "discord-api-types/v10";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { piecesOf, readBody } from "../../src/channels/discord/cards.ts";
import type { Body } from "../../src/channels/discord/cards.ts";
import { modalOf } from "../../src/channels/discord/forms.ts";
import type { Button, Form, FormField, Menu, Reply } from "../../src/core/reply.ts";
import { escapeMarkdown, oneLine } from "../../src/core/text.ts";
import { runs } from "../deep.ts";
import { listOf, readComponents } from "../wire/discord-components.ts";
import type { Raw } from "../wire/discord-components.ts";
import { modalFields, readModal } from "../wire/discord-modals.ts";
import { startDiscord } from "../wire/discord.ts";
import type { DiscordWire } from "../wire/discord.ts";
import { pingsIn, readDiscord } from "./discord-reader.ts";

let wire: DiscordWire;
beforeAll(async () => {
  wire = await startDiscord();
  wire.addUser({ id: "2001", name: "Sam" });
  return () => wire[Symbol.asyncDispose]();
});

function reply(text: string, more: Partial<Reply> = {}): Reply {
  return { key: "turn/1", text, rows: [], quiet: false, ...more };
}

function bodiesOf(given: Reply): Body[] {
  return piecesOf(given).map(({ body }) => {
    const kept = readBody(JSON.parse(JSON.stringify(body)));
    if (kept === undefined) throw new Error("The store gave back no body.");
    return kept;
  });
}

/** The bodies as they go out, each row of buttons on a line of its own. The platform takes every one. */
async function native(given: Reply): Promise<string> {
  const shown: string[] = [];
  for (const { content, components = [], file, silent } of bodiesOf(given)) {
    const body = {
      content: file === undefined ? content : "a file",
      components: [...components],
    } satisfies RESTPostAPIChannelMessageJSONBody;
    const answer = await fetch(`${wire.apiUrl}/v10/channels/${wire.dm("2001")}/messages`, {
      method: "POST",
      headers: { authorization: `Bot ${wire.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.status !== 200) throw new Error(await answer.text());
    const rows = components.map((row) => row.components.map((part) => JSON.stringify(part)).join("\n"));
    const head = silent ? "(silent) " : "";
    shown.push([head + (file === undefined ? content : JSON.stringify(file)), ...rows].join("\n--\n"));
  }
  return shown.join("\n==\n");
}

function presses(...labels: readonly string[]): Button[] {
  return labels.map((label, at) => ({ label, press: `key-${at}` }));
}

const CHOICES = ["Lisbon", "Porto", "Faro", "Braga", "Évora", "Coimbra"];

describe("cards in their native form", () => {
  it("O71, O10: an offer has its acts as buttons, and a sign-in its address", async () => {
    const text = `**Calendar** could help here.\n\nReads and writes your calendar.\n\n_You asked what's on tomorrow._`;
    const rows: Button[][] = [
      presses("Connect", "Details"),
      [
        { label: "Not now", press: "key-2" },
        { label: "Don't suggest", press: "key-3" },
      ],
    ];
    expect(await native(reply(text, { rows }))).toMatchInlineSnapshot(`
      "**Calendar** could help here.

      Reads and writes your calendar.

      *You asked what's on tomorrow.*
      --
      {"type":2,"style":2,"label":"Connect","custom_id":"key-0"}
      {"type":2,"style":2,"label":"Details","custom_id":"key-1"}
      --
      {"type":2,"style":2,"label":"Not now","custom_id":"key-2"}
      {"type":2,"style":2,"label":"Don't suggest","custom_id":"key-3"}"
    `);
    const url = "https://auth.example/authorize?client_id=1&code_challenge=abc";
    const signIn = reply("**Calendar**: sign in to go on.", {
      rows: [[{ label: "Sign in", url }], presses("Not now")],
    });
    expect(await native(signIn)).toMatchInlineSnapshot(`
      "**Calendar**: sign in to go on.
      --
      {"type":2,"style":5,"label":"Sign in","url":"https://auth.example/authorize?client_id=1&code_challenge=abc"}
      --
      {"type":2,"style":2,"label":"Not now","custom_id":"key-0"}"
    `);
  });

  it("O71, O36: a choice of one is buttons, of six a menu to pick one from", async () => {
    const two = reply("Which one?", { rows: CHOICES.slice(0, 2).map((label, at) => [{ label, press: `p${at}` }]) });
    expect(await native(two)).toMatchInlineSnapshot(`
      "Which one?
      --
      {"type":2,"style":2,"label":"Lisbon","custom_id":"p0"}
      --
      {"type":2,"style":2,"label":"Porto","custom_id":"p1"}"
    `);
    const rows: Button[][] = [
      ...CHOICES.map((label, at): Button[] => [{ label, press: `p${at}` }]),
      [
        { label: "Something else…", press: "other", opens: true },
        { label: "Skip", press: "skip" },
      ],
    ];
    expect(await native(reply("Which one?", { rows }))).toMatchInlineSnapshot(`
      "Which one?
      --
      {"type":3,"custom_id":"s:0","placeholder":"Pick one","options":[{"label":"Lisbon","value":"p0"},{"label":"Porto","value":"p1"},{"label":"Faro","value":"p2"},{"label":"Braga","value":"p3"},{"label":"Évora","value":"p4"},{"label":"Coimbra","value":"p5"},{"label":"Something else…","value":"f:other"},{"label":"Skip","value":"skip"}]}"
    `);
  });

  it("O71, O36: a choice of several is a menu above its buttons, with descriptions", async () => {
    const options = CHOICES.slice(0, 3).map((label, at) => ({ value: `${at}`, label, description: `City ${at}` }));
    const menu: Menu = { press: "menu-key", placeholder: "Which cities?", submit: "Done", options };
    const rows: Button[][] = [
      [
        { label: "Answer…", press: "answer", opens: true },
        { label: "Skip", press: "skip" },
      ],
    ];
    expect(await native(reply("Where to?", { menu, rows }))).toMatchInlineSnapshot(`
      "Where to?
      --
      {"type":3,"custom_id":"m:menu-key","placeholder":"Which cities?","min_values":1,"max_values":3,"options":[{"label":"Lisbon","value":"0","description":"City 0"},{"label":"Porto","value":"1","description":"City 1"},{"label":"Faro","value":"2","description":"City 2"}]}
      --
      {"type":2,"style":2,"label":"Answer…","custom_id":"f:answer"}
      {"type":2,"style":2,"label":"Skip","custom_id":"skip"}"
    `);
  });

  it("O71, O37: options too long for the menu are numbered, and all of their words stand in the text", async () => {
    const long = "a *very* long option @everyone ".repeat(5).trim();
    const options = [
      { value: "0", label: "Short", description: "d".repeat(101) },
      { value: "1", label: long },
    ];
    const menu: Menu = { press: "k", placeholder: "", submit: "Done", options };
    const given = reply("Which?", { menu, rows: [presses("Skip", "y".repeat(81))] });
    expect(await native(given)).toMatchInlineSnapshot(`
      "Which?

      **Short** ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd

      **2** a \\*very\\* long option @⁠everyone a \\*very\\* long option @⁠everyone a \\*very\\* long option @⁠everyone a \\*very\\* long option @⁠everyone a \\*very\\* long option @⁠everyone

      **4** yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
      --
      {"type":3,"custom_id":"m:k","placeholder":"Pick one or more","min_values":1,"max_values":2,"options":[{"label":"Short","value":"0","description":"ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd…"},{"label":"2","value":"1"}]}
      --
      {"type":2,"style":2,"label":"Skip","custom_id":"key-0"}
      {"type":2,"style":2,"label":"4","custom_id":"key-1"}"
    `);
    const [body] = bodiesOf(given);
    expect(readDiscord(body?.content ?? "", "minds none").text.replaceAll("\u2060", "")).toContain(`2 ${long}`);
    expect(pingsIn(body?.content ?? "")).toEqual([]);
  });

  it("O71, O47: chips are a row each, and one longer than a label stands whole in the text", async () => {
    const row = (words: string, at: number): Button[] => [{ label: words, press: `chip-${at}` }];
    const short = ["Book it", "What about *Friday*?", "<@1> @here"];
    expect(await native(reply("Three flights.", { rows: short.map(row) }))).toMatchInlineSnapshot(`
      "Three flights.
      --
      {"type":2,"style":2,"label":"Book it","custom_id":"chip-0"}
      --
      {"type":2,"style":2,"label":"What about *Friday*?","custom_id":"chip-1"}
      --
      {"type":2,"style":2,"label":"<@1> @here","custom_id":"chip-2"}"
    `);
    const long = [`Move the ${"w".repeat(110)}!`, "Book it"];
    expect(long[0]).toHaveLength(120);
    expect(await native(reply("Three flights.", { rows: long.map(row) }))).toMatchInlineSnapshot(`
      "Three flights.

      **1** Move the wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww!
      --
      {"type":2,"style":2,"label":"1","custom_id":"chip-0"}
      --
      {"type":2,"style":2,"label":"Book it","custom_id":"chip-1"}"
    `);
  });

  it("O71, O57, O58: a plan is a list of marks, and folds to a line in small print", async () => {
    const lines = ["☑ ~~Read the mail~~", "▶ **Find \\*the\\* flight** …", "☐ Book it"].join("  \n");
    expect(await native(reply(lines, { quiet: true }))).toMatchInlineSnapshot(`
      "(silent) ☑ ~~Read the mail~~
      ▶ **Find \\*the\\* flight** …
      ☐ Book it"
    `);
    expect(await native(reply("☑ 5 of 5 done", { quiet: true }))).toMatchInlineSnapshot(`"(silent) -# ☑ 5 of 5 done"`);
  });

  it("O71, O61a: a view's rows are outside text without any force", async () => {
    const titles = [
      "@everyone and @here",
      "<@1> <#2> <@&3> </cmd:4>",
      "**bold** `code` ||spoiler|| ~~no~~",
      "[press](https://evil.example)",
      "<t:0> :smile: <:a:1>",
      "# big",
      "https://example.com/x",
    ];
    const rows = titles.map((title) => `- **${escapeMarkdown(title)}** – ${escapeMarkdown("08:00 @everyone")}`);
    const linked = `- 1. [${escapeMarkdown("Re: <@1> *hi*")}](<https://mail.example/1?a=b_c>)`;
    const plain = "- 2. [Invoice](<https://mail.example/2>)";
    const text = ["**Mail**", [...rows, linked, plain].join("\n"), "_and 3 more_"].join("\n\n");
    const buttons: Button[] = [{ label: "Reply", press: "compose", opens: true, copy: "Draft a reply to Kim" }];
    const given = reply(text, { quiet: true, rows: [buttons] });
    expect(await native(given)).toMatchInlineSnapshot(`
      "(silent) **Mail**

      - **@⁠everyone and @⁠here** – 08:00 @⁠everyone
      - **\\<\\@1> \\<\\#2> \\<\\@&3> \\</cmd:4>** – 08:00 @⁠everyone
      - **\\*\\*bold\\*\\* \\\`code\\\` \\|\\|spoiler\\|\\| \\~\\~no\\~\\~** – 08:00 @⁠everyone
      - **\\[press\\]\\(<https://evil.example>)** – 08:00 @⁠everyone
      - **\\<t:0> \\:smile: \\<\\:a:1>** – 08:00 @⁠everyone
      - **\\# big** – 08:00 @⁠everyone
      - **<https://example.com/x>** – 08:00 @⁠everyone
      - 1. Re: \\<\\@1> \\*hi\\* (<https://mail.example/1?a=b_c>)
      - 2. [Invoice](https://mail.example/2)

      *and 3 more*
      --
      {"type":2,"style":2,"label":"Reply","custom_id":"f:compose"}"
    `);
    for (const { content } of bodiesOf(given)) {
      expect(pingsIn(content)).toEqual([]);
      const { marks } = readDiscord(content, "minds escapes");
      expect(marks.filter(({ kind }) => ["mention", "time", "emoji", "guild page", "spoiler"].includes(kind))).toEqual(
        [],
      );
      // An address shows itself; only what the view links has other words, and none that could pass for something else.
      expect(marks.filter(({ kind }) => kind === "link")).toEqual([
        { kind: "link", text: "Invoice", to: "https://mail.example/2" },
      ]);
    }
    // What to write is no part of what goes out: pressing asks for it.
    expect(await native(given)).not.toContain("Draft a reply");
  });

  it("O71, A42: an approval has its three answers, and the whole of its arguments behind it", async () => {
    const text = '**#3 · send_mail** wants to run.\n\n```json\n{\n  "to": "kim@example.com"\n}\n```';
    const whole = { name: "arguments-3.txt", text: '{"to":"kim@example.com"}' };
    const rows = ["Allow once", "Always here", "No"].map((label, at): Button[] => [{ label, press: `a${at}` }]);
    expect(await native(reply(text, { rows, file: whole }))).toMatchInlineSnapshot(`
      "**#3 · send_mail** wants to run.

      \`\`\`json
      {
        "to": "kim@example.com"
      }
      \`\`\`
      --
      {"type":2,"style":2,"label":"Allow once","custom_id":"a0"}
      --
      {"type":2,"style":2,"label":"Always here","custom_id":"a1"}
      --
      {"type":2,"style":2,"label":"No","custom_id":"a2"}
      ==
      (silent) {"name":"arguments-3.txt","text":"{\\"to\\":\\"kim@example.com\\"}"}"
    `);
  });

  it("O71: labels of 500 emoji, twice the same, with markup and mentions", async () => {
    const emoji = "🧑‍🚀".repeat(500);
    const rows: Button[][] = [
      ["Same", "Same", "**@everyone** <@1>", emoji].map((label, at) => ({ label, press: `l${at}` })),
    ];
    const bodies = bodiesOf(reply("Choose.", { rows }));
    await native(reply("Choose.", { rows }));
    const labels = bodies
      .flatMap(({ components = [] }) => components.flatMap((row) => row.components))
      .map((part) => ("label" in part ? part.label : ""));
    expect(labels).toEqual(["Same", "Same", "**@everyone** <@1>", "4"]);
    const words = piecesOf(reply("Choose.", { rows }))
      .map(({ plain }) => plain)
      .join("");
    expect(words.replaceAll(/\s/gu, "")).toContain(emoji);
    expect(bodies.flatMap(({ content }) => pingsIn(content))).toEqual([]);
  });
});

// ---- forms

function field(more: Partial<FormField> & Pick<FormField, "kind">): FormField {
  const common = { id: "f", label: "Label", optional: false };
  const own = {
    text: { long: false },
    choice: { several: false, options: [] },
    date: {},
    time: {},
    datetime: {},
    number: {},
  };
  return { ...common, ...own[more.kind], ...more } as FormField;
}

function form(...fields: readonly FormField[]): Form {
  return {
    press: "form-key",
    title: "A few things",
    submit: "Send",
    fields: fields.map((one, at) => ({ ...one, id: `f${at}` })),
  };
}

/** The form as it goes out, a label a line; the platform takes it. */
function nativeForm(given: Form): string {
  const modal = modalOf(given) satisfies APIModalInteractionResponseCallbackData;
  readModal(JSON.parse(JSON.stringify(modal)));
  const { components, ...head } = modal;
  return [
    JSON.stringify(head),
    ...components.map((one) => JSON.stringify(one, null, 1).replaceAll(/\s*\n\s*/gu, " ")),
  ].join("\n");
}

describe("forms in their native form", () => {
  it("O71, O36: each kind of field has its control, and says how its value is written", () => {
    const options = CHOICES.slice(0, 3).map((label, at) => ({ value: `${at}`, label, description: `City ${at}` }));
    expect(
      nativeForm(
        form(
          field({ kind: "choice", label: "Where to?", options }),
          field({ kind: "choice", label: "And then?", options, several: true, optional: true }),
          field({ kind: "datetime", label: "When?", value: "2026-11-30 14:05", note: "local time" }),
          field({ kind: "number", label: "How much?", note: "EUR" }),
          field({ kind: "text", label: "Anything else?", long: true, optional: true, maxChars: 500, value: "No." }),
        ),
      ),
    ).toMatchInlineSnapshot(`
      "{"custom_id":"form-key","title":"A few things"}
      { "type": 18, "label": "Where to?", "component": { "type": 3, "custom_id": "f0", "placeholder": "Pick one", "required": true, "min_values": 1, "max_values": 1, "options": [ { "label": "Lisbon", "value": "0", "description": "City 0" }, { "label": "Porto", "value": "1", "description": "City 1" }, { "label": "Faro", "value": "2", "description": "City 2" } ] } }
      { "type": 18, "label": "And then?", "component": { "type": 3, "custom_id": "f1", "placeholder": "Pick one or more", "required": false, "min_values": 0, "max_values": 3, "options": [ { "label": "Lisbon", "value": "0", "description": "City 0" }, { "label": "Porto", "value": "1", "description": "City 1" }, { "label": "Faro", "value": "2", "description": "City 2" } ] } }
      { "type": 18, "label": "When?", "description": "local time", "component": { "type": 4, "custom_id": "f2", "style": 1, "required": true, "max_length": 4000, "placeholder": "2026-11-30 14:05", "value": "2026-11-30 14:05" } }
      { "type": 18, "label": "How much?", "description": "EUR", "component": { "type": 4, "custom_id": "f3", "style": 1, "required": true, "max_length": 4000, "placeholder": "12.5" } }
      { "type": 18, "label": "Anything else?", "component": { "type": 4, "custom_id": "f4", "style": 2, "required": false, "max_length": 500, "value": "No." } }"
    `);
    expect(
      nativeForm(
        form(
          field({ kind: "date" }),
          field({ kind: "time", value: "08:00" }),
          field({ kind: "choice", several: true, options }),
        ),
      ),
    ).toMatchInlineSnapshot(`
      "{"custom_id":"form-key","title":"A few things"}
      { "type": 18, "label": "Label", "component": { "type": 4, "custom_id": "f0", "style": 1, "required": true, "max_length": 4000, "placeholder": "2026-11-30" } }
      { "type": 18, "label": "Label", "component": { "type": 4, "custom_id": "f1", "style": 1, "required": true, "max_length": 4000, "placeholder": "14:05", "value": "08:00" } }
      { "type": 18, "label": "Label", "component": { "type": 3, "custom_id": "f2", "placeholder": "Pick one or more", "required": true, "min_values": 1, "max_values": 3, "options": [ { "label": "Lisbon", "value": "0", "description": "City 0" }, { "label": "Porto", "value": "1", "description": "City 1" }, { "label": "Faro", "value": "2", "description": "City 2" } ] } }"
    `);
  });

  it("O71, O37: a label too long is cut and stands whole below; a note without room is in the field", () => {
    const label = `Which of the *two* days @everyone ${"x".repeat(50)}`;
    const options = [
      { value: "0", label: "a".repeat(150), description: "more" },
      { value: "1", label: "\u200B" },
    ];
    expect(
      nativeForm({
        ...form(
          field({ kind: "date", label, note: "a note" }),
          field({ kind: "time", label: `${label}${"y".repeat(200)}`, note: "a note" }),
          field({ kind: "choice", label: `${label}${"y".repeat(200)}`, note: "a note", options }),
          field({ kind: "text", label: " \n " }),
          field({ kind: "choice", label: "Nothing to pick", options: [] }),
          field({ kind: "text", label: "A sixth is left out" }),
        ),
        title: "t".repeat(46),
      }),
    ).toMatchInlineSnapshot(`
      "{"custom_id":"form-key","title":"tttttttttttttttttttttttttttttttttttttttttttt…"}
      { "type": 18, "label": "Which of the *two* days @everyone xxxxxxxxxx…", "description": "Which of the *two* days @everyone xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx · a note", "component": { "type": 4, "custom_id": "f0", "style": 1, "required": true, "max_length": 4000, "placeholder": "2026-11-30" } }
      { "type": 18, "label": "Which of the *two* days @everyone xxxxxxxxxx…", "description": "Which of the *two* days @everyone xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxyyyyyyyyyyyyyyy…", "component": { "type": 4, "custom_id": "f1", "style": 1, "required": true, "max_length": 4000, "placeholder": "14:05 · a note" } }
      { "type": 18, "label": "Which of the *two* days @everyone xxxxxxxxxx…", "description": "Which of the *two* days @everyone xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxyyyyyyyyyyyyyyy…", "component": { "type": 3, "custom_id": "f2", "placeholder": "a note", "required": true, "min_values": 1, "max_values": 1, "options": [ { "label": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…", "value": "0", "description": "…aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa · more" }, { "label": "…", "value": "1" } ] } }
      { "type": 18, "label": "…", "component": { "type": 4, "custom_id": "f3", "style": 1, "required": true, "max_length": 4000 } }
      { "type": 18, "label": "Nothing to pick", "component": { "type": 4, "custom_id": "f4", "style": 1, "required": true, "max_length": 4000 } }"
    `);
  });

  it("O71, O37: any form is one that the platform takes, and no label up to 100 loses a word", () => {
    const words = fc.oneof(
      fc.string({ unit: "binary", maxLength: 250 }),
      fc.string({ unit: "grapheme", maxLength: 130 }),
      fc.constantFrom("🧑‍🚀".repeat(500), "", "\u200B", "@everyone <@1>"),
    );
    const common = { id: fc.constant("f"), label: words, optional: fc.boolean(), note: words };
    const options = fc
      .array(fc.record({ label: words, description: words }), { maxLength: 40 })
      .map((all) => all.map((one, at) => ({ ...one, value: `${at}` })));
    const fields = fc.array(
      fc.oneof(
        fc.record({
          ...common,
          kind: fc.constant("text"),
          long: fc.boolean(),
          value: words,
          maxChars: fc.integer({ min: 0, max: 9000 }),
        }),
        fc.record({ ...common, kind: fc.constant("choice"), several: fc.boolean(), options }),
        fc.record({ ...common, kind: fc.constantFrom("date", "time", "datetime", "number"), value: words }),
      ) as fc.Arbitrary<FormField>,
      { minLength: 1, maxLength: 7 },
    );
    fc.assert(
      fc.property(words, fields, (title, fields) => {
        const given = { ...form(...fields), title };
        const taken = modalFields(readModal(JSON.parse(JSON.stringify(modalOf(given)))));
        expect(taken).toHaveLength(Math.min(fields.length, 5));
        for (const [at, { label, description = "", options = [] }] of taken.entries()) {
          const meant = given.fields[at];
          const whole = oneLine(meant?.label ?? "");
          if (whole.length <= 100 && label !== "…") expect(`${label}\n${description}`).toContain(whole);
          if (meant?.kind === "choice")
            expect(options.map(({ value }) => value)).toEqual(meant.options.slice(0, 25).map(({ value }) => value));
        }
      }),
      { numRuns: runs(150) },
    );
  });
});

describe("any reply with a menu on Discord", () => {
  it("O71, O37: is messages that Discord takes, the menu first and each of its options once", () => {
    const words = fc.oneof(
      fc.string({ unit: "binary", maxLength: 130 }),
      fc.constantFrom("", "x".repeat(101), "🧑‍🚀".repeat(500)),
    );
    const option = fc.record({ label: words, description: words });
    const rows = fc.array(fc.array(words, { maxLength: 8 }), { maxLength: 7 });
    fc.assert(
      fc.property(words, fc.array(option, { maxLength: 25 }), rows, (placeholder, given, rows) => {
        let count = 0;
        const options = given.map((one, at) => ({ ...one, value: `v${at}` }));
        const pieces = piecesOf(
          reply("Choose.", {
            menu: { press: "menu", placeholder, submit: "Done", options },
            rows: rows.map((row) => row.map((label) => ({ label, press: `k${count++}` }))),
          }),
        );
        const taken = pieces.map(({ body }) => readComponents(readBody(JSON.parse(JSON.stringify(body)))?.components));
        const parts = taken.flatMap((rows) => rows.flatMap((row) => listOf((row as unknown as Raw)["components"])));
        const menus = parts.filter((part) => part["custom_id"] === "m:menu");
        expect(menus.map((menu) => listOf(menu["options"]).map(({ value }) => value))).toEqual(
          options.length === 0 ? [] : [options.map(({ value }) => value)],
        );
        expect(parts.findIndex((part) => part["custom_id"] === "m:menu")).toBe(options.length === 0 ? -1 : 0);
        const said = pieces
          .map(({ plain }) => plain)
          .join("")
          .replaceAll(/\s/gu, "");
        for (const { label } of options)
          if (oneLine(label).length > 100) expect(said).toContain(oneLine(label).replaceAll(/\s/gu, ""));
      }),
      { numRuns: runs(100) },
    );
  });
});

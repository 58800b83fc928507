// Forms as Slack's modals: their native form, and what comes back of them, through the loopback platform.
import type { ModalView } from "@slack/types";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { filledOf } from "../../src/channels/slack/fields.ts";
import { formView } from "../../src/channels/slack/forms.ts";
import type { Form, FormField } from "../../src/core/reply.ts";
import { runs } from "../deep.ts";
import { checkBlocks } from "../wire/slack-blocks.ts";
import type { Given } from "../wire/slack-inputs.ts";
import type { ShownField, SlackWire } from "../wire/slack.ts";
import { OWNER, workspace } from "./slack-listening.ts";

const NEVER = new AbortController().signal;
const PING = /<(?:!(?:channel|here|everyone|group|subteam|date)|[@#][A-Z0-9])/iu;

function formOf(fields: readonly FormField[]): Form {
  return { press: "key-sent", title: "About the trip", submit: "Answer", fields };
}

function blocksOf(fields: readonly FormField[]): ModalView["blocks"] {
  return formView(formOf(fields), { channel: "D1" }).blocks;
}

/** The element of the only field. */
function elementOf(field: FormField): unknown {
  return blocksOf([field]).flatMap((block) => ("element" in block ? [block.element] : []))[0];
}

/** Opened by a press on the platform, so that it takes or refuses it. */
async function opened(fields: readonly FormField[]): Promise<{
  wire: SlackWire;
  shown: readonly ShownField[];
  send: (values: Readonly<Record<string, Given>>) => Promise<unknown>;
}> {
  const { wire, dm, listen } = await workspace();
  const here = await listen();
  onTestFinished(() => here.signal.abort());
  const { outlet } = here.platform;
  const rows = [[{ label: "Answer…", press: "key-open", opens: true as const }]];
  const [piece] = outlet.pieces({ key: "k", text: "Well?", rows, quiet: false });
  if (piece === undefined) throw new Error("Nothing to show.");
  const room = { platform: "slack", chat: dm, kind: "private" } as const;
  const shown = await outlet.show(room, piece, { plain: false, repeat: false, nonce: "n" }, NEVER);
  if (shown.is !== "shown") throw new Error(shown.is);
  const press = wire.press(dm, OWNER, shown.ref, "Answer…");
  const { ref } = await here.press();
  await outlet.answer(ref, { form: formOf(fields) }, NEVER);
  expect(wire.ephemerals(OWNER)).toEqual([]);
  const modal = wire.answerTo(press)?.modal;
  if (modal === undefined) throw new Error("No form was opened.");
  return {
    wire,
    shown: modal.fields,
    async send(values) {
      wire.submit(press, values);
      const sent = await here.press();
      expect(sent).toMatchObject({ data: "key-sent", room });
      return sent.fields;
    },
  };
}

const FOUR: readonly FormField[] = [
  {
    id: "f0",
    kind: "choice",
    label: "Which hotel?",
    optional: false,
    several: false,
    options: [
      { value: "0", label: "Harbour", description: "By the water" },
      { value: "1", label: "Station" },
    ],
  },
  { id: "f1", kind: "datetime", label: "When?", optional: true, note: "Local time", value: "2026-11-30 14:05" },
  { id: "f2", kind: "number", label: "For how many?", optional: false, note: "people", value: "2.5" },
  { id: "f3", kind: "text", label: "Anything else?", optional: true, long: true, value: "no", maxChars: 500 },
];

describe("a form on Slack", () => {
  it("O36, O71: has a native field for each kind", () => {
    const view = formView(formOf(FOUR), { channel: "D1", thread: "1.1", message: "2.2" });
    expect(view satisfies ModalView).toMatchInlineSnapshot(`
      {
        "blocks": [
          {
            "block_id": "f0",
            "element": {
              "action_id": "value",
              "options": [
                {
                  "description": {
                    "emoji": false,
                    "text": "By the water",
                    "type": "plain_text",
                  },
                  "text": {
                    "emoji": false,
                    "text": "Harbour",
                    "type": "plain_text",
                  },
                  "value": "0",
                },
                {
                  "text": {
                    "emoji": false,
                    "text": "Station",
                    "type": "plain_text",
                  },
                  "value": "1",
                },
              ],
              "placeholder": {
                "emoji": false,
                "text": "Choose…",
                "type": "plain_text",
              },
              "type": "static_select",
            },
            "label": {
              "emoji": false,
              "text": "Which hotel?",
              "type": "plain_text",
            },
            "optional": false,
            "type": "input",
          },
          {
            "block_id": "f1",
            "element": {
              "action_id": "value",
              "initial_date": "2026-11-30",
              "type": "datepicker",
            },
            "hint": {
              "emoji": false,
              "text": "Local time",
              "type": "plain_text",
            },
            "label": {
              "emoji": false,
              "text": "When?",
              "type": "plain_text",
            },
            "optional": true,
            "type": "input",
          },
          {
            "block_id": "time:f1",
            "element": {
              "action_id": "time:f1",
              "initial_time": "14:05",
              "type": "timepicker",
            },
            "label": {
              "emoji": false,
              "text": "When? (time)",
              "type": "plain_text",
            },
            "optional": true,
            "type": "input",
          },
          {
            "block_id": "f2",
            "element": {
              "action_id": "value",
              "initial_value": "2.5",
              "is_decimal_allowed": true,
              "type": "number_input",
            },
            "hint": {
              "emoji": false,
              "text": "people",
              "type": "plain_text",
            },
            "label": {
              "emoji": false,
              "text": "For how many?",
              "type": "plain_text",
            },
            "optional": false,
            "type": "input",
          },
          {
            "block_id": "f3",
            "element": {
              "action_id": "value",
              "initial_value": "no",
              "max_length": 500,
              "multiline": true,
              "type": "plain_text_input",
            },
            "label": {
              "emoji": false,
              "text": "Anything else?",
              "type": "plain_text",
            },
            "optional": true,
            "type": "input",
          },
        ],
        "callback_id": "tidegate_form",
        "close": {
          "emoji": false,
          "text": "Cancel",
          "type": "plain_text",
        },
        "private_metadata": "{"channel":"D1","thread":"1.1","message":"2.2","press":"key-sent"}",
        "submit": {
          "emoji": false,
          "text": "Answer",
          "type": "plain_text",
        },
        "title": {
          "emoji": false,
          "text": "About the trip",
          "type": "plain_text",
        },
        "type": "modal",
      }
    `);
    expect(checkBlocks(view.blocks, "modal")).toEqual(view.blocks);
  });

  it("O36, O37, O71: has days, times, and several to pick, as boxes while they are few", () => {
    const options = [
      { value: "a", label: "Sea" },
      { value: "b", label: "Hills", description: "With a view" },
    ];
    const blocks = blocksOf([
      { id: "day", kind: "date", label: "Which day?", optional: false, value: "2028-02-29" },
      { id: "at", kind: "time", label: "At what time?", optional: false, value: "09:30" },
      { id: "some", kind: "choice", label: "What do you like?", optional: true, several: true, options },
    ]);
    expect(blocks).toMatchInlineSnapshot(`
      [
        {
          "block_id": "day",
          "element": {
            "action_id": "value",
            "initial_date": "2028-02-29",
            "type": "datepicker",
          },
          "label": {
            "emoji": false,
            "text": "Which day?",
            "type": "plain_text",
          },
          "optional": false,
          "type": "input",
        },
        {
          "block_id": "at",
          "element": {
            "action_id": "value",
            "initial_time": "09:30",
            "type": "timepicker",
          },
          "label": {
            "emoji": false,
            "text": "At what time?",
            "type": "plain_text",
          },
          "optional": false,
          "type": "input",
        },
        {
          "block_id": "some",
          "element": {
            "action_id": "value",
            "options": [
              {
                "text": {
                  "emoji": false,
                  "text": "Sea",
                  "type": "plain_text",
                },
                "value": "a",
              },
              {
                "description": {
                  "emoji": false,
                  "text": "With a view",
                  "type": "plain_text",
                },
                "text": {
                  "emoji": false,
                  "text": "Hills",
                  "type": "plain_text",
                },
                "value": "b",
              },
            ],
            "type": "checkboxes",
          },
          "label": {
            "emoji": false,
            "text": "What do you like?",
            "type": "plain_text",
          },
          "optional": true,
          "type": "input",
        },
      ]
    `);
    const many = Array.from({ length: 25 }, (_, at) => ({ value: `${at}`, label: `Place ${at}` }));
    const menu = { id: "m", kind: "choice", label: "Where?", optional: false, several: true, options: many } as const;
    expect(elementOf(menu)).toMatchObject({ type: "multi_static_select", options: { length: 25 } });
    expect(checkBlocks(blocksOf([menu]), "modal")).toHaveLength(1);
  });

  it("O36, O39: what is filled in comes back in our own words", async () => {
    const { shown, send } = await opened(FOUR);
    expect(shown.map(({ label, kind, value = "" }) => [label, kind, value])).toEqual([
      ["Which hotel?", "static_select", ""],
      ["When?", "datepicker", "2026-11-30"],
      ["When? (time)", "timepicker", "14:05"],
      ["For how many?", "number_input", "2.5"],
      ["Anything else?", "plain_text_input", "no"],
    ]);
    expect(
      await send({
        "Which hotel?": "Station",
        "When?": "2026-12-01",
        "When? (time)": "08:00",
        "For how many?": "12.5",
        "Anything else?": "my <words> & more",
      }),
    ).toEqual({ f0: ["1"], f1: ["2026-12-01 08:00"], f2: ["12.5"], f3: ["my <words> & more"] });
  });

  it("O36, O39: what stood there at first comes back as it is, and what is left empty as nothing", async () => {
    const options = [
      { value: "a", label: "Sea" },
      { value: "b", label: "Hills" },
      { value: "c", label: "City" },
    ];
    const { send } = await opened([
      { id: "when", kind: "datetime", label: "When?", optional: true, value: "2026-11-30 14:05" },
      { id: "back", kind: "datetime", label: "And back?", optional: true },
      { id: "some", kind: "choice", label: "What?", optional: true, several: true, options },
      { id: "none", kind: "choice", label: "Or?", optional: true, several: false, options },
      { id: "text", kind: "text", label: "Else?", optional: true, long: false },
    ]);
    expect(await send({ "What?": ["City", "Sea"] })).toEqual({
      when: ["2026-11-30 14:05"],
      back: [],
      some: ["c", "a"],
      none: [],
      text: [],
    });
  });

  it("O39: half of a date and time comes back as that half", () => {
    const [date, time] = [
      { type: "datepicker", selected_date: "2026-11-30" },
      { type: "timepicker", selected_time: "14:05" },
    ];
    const of = (day: object, clock: object): unknown =>
      filledOf({ when: { value: day }, "time:when": { "time:when": clock } });
    expect(of(date, { type: "timepicker", selected_time: null })).toEqual({ when: ["2026-11-30"] });
    expect(of({ type: "datepicker", selected_date: null }, time)).toEqual({ when: ["14:05"] });
    expect(of(date, time)).toEqual({ when: ["2026-11-30 14:05"] });
  });

  it("O39: a form of before fields had kinds is still read", () => {
    expect(filledOf({ what: { value: { value: "after all" } }, note: { value: { value: null } }, odd: {} })).toEqual({
      what: ["after all"],
      note: [],
      odd: [],
    });
  });

  it.each([
    ["31 February", { kind: "date", value: "2026-02-31" }],
    ["a day in other words", { kind: "date", value: "30.11.2026" }],
    ["a time that no clock shows", { kind: "time", value: "24:30" }],
    ["a number with a comma", { kind: "number", value: "2,5" }],
    ["a number in words", { kind: "number", value: "two" }],
  ] as const)("O36: %s is left out at first, and the form opens", (_, more) => {
    const blocks = blocksOf([{ id: "f", label: "L", optional: true, ...more }]);
    expect(JSON.stringify(blocks)).not.toContain("initial");
    expect(checkBlocks(blocks, "modal")).toHaveLength(1);
  });

  it("O36: of a date and time the half that is none is left out", () => {
    const of = (value: string): string =>
      JSON.stringify(blocksOf([{ id: "f", kind: "datetime", label: "L", optional: true, value }]));
    expect(of("2026-02-31 14:05")).not.toContain("initial_date");
    expect(of("2026-02-31 14:05")).toContain('"initial_time":"14:05"');
    expect(of("2026-11-30 25:00")).toContain('"initial_date":"2026-11-30"');
    expect(of("2026-11-30 25:00")).not.toContain("initial_time");
    expect(of("2026-11-30")).toContain('"initial_date":"2026-11-30"');
  });

  it("O37: words too long for an option stand above it, whole, and it bears a number", async () => {
    const long = `All of ${"these words ".repeat(7)}`.trim();
    const about = `With ${"many words ".repeat(15)}`.trim();
    const fields: readonly FormField[] = [
      {
        id: "f",
        kind: "choice",
        label: "Which?",
        optional: false,
        several: false,
        options: [
          { value: "0", label: long, description: "short" },
          { value: "1", label: "Short", description: about },
          { value: "2", label: `${long}!` },
        ],
      },
    ];
    expect(blocksOf(fields)[0]).toEqual({
      type: "section",
      text: { type: "plain_text", text: `1. ${long}: short\nShort: ${about}\n2. ${long}!`, emoji: false },
    });
    const { shown, send } = await opened(fields);
    expect(shown[0]?.options).toEqual([
      { label: "1", data: "0" },
      { label: "Short", data: "1" },
      { label: "2", data: "2" },
    ]);
    expect(await send({ "Which?": "2" })).toEqual({ f: ["2"] });
  });

  it("O65: nothing in a form formats or calls anyone", () => {
    const cry = "<!channel> <@U123> *bold* @here\n:tada:";
    const blocks = blocksOf([
      { id: "a", kind: "text", label: cry, note: cry, optional: true, long: false },
      {
        id: "b",
        kind: "choice",
        label: cry,
        optional: true,
        several: true,
        options: [
          { value: "0", label: cry, description: cry.repeat(3) },
          { value: "1", label: cry },
        ],
      },
    ]);
    const all = JSON.stringify(blocks);
    expect(all).not.toMatch(PING);
    expect(all).not.toContain("mrkdwn");
    expect(all).not.toContain('"emoji":true');
    expect(checkBlocks(blocks, "modal")).toHaveLength(blocks.length);
  });

  it("O36, O37: any form is one that Slack takes, and each field comes back under its id", () => {
    const words = fc.oneof(
      fc.string({ unit: "binary", maxLength: 120 }),
      fc.constantFrom("😀".repeat(500), "👨‍👩‍👧‍👦".repeat(500), " \u200B", "", "漢字".repeat(60), "<!here>", "time:f0", "L"),
    );
    const common = { label: words, optional: fc.boolean() };
    const note = fc.option(words, { nil: undefined });
    const at = fc.oneof(fc.constantFrom("2026-11-30 14:05", "2026-11-30", "14:05", "2026-02-31 99:00", ""), words);
    const option = fc.record({ value: fc.string({ minLength: 1, maxLength: 20 }), label: words, description: words });
    const field = fc.oneof(
      fc.record({ ...common, kind: fc.constant("text" as const), long: fc.boolean(), value: words }),
      fc.record({ ...common, kind: fc.constantFrom("date" as const, "time" as const, "datetime" as const), value: at }),
      fc.record({
        ...common,
        kind: fc.constant("number" as const),
        value: fc.oneof(words, fc.constantFrom("3", "-0.5")),
      }),
      fc.record({
        ...common,
        kind: fc.constant("choice" as const),
        several: fc.boolean(),
        options: fc.array(option, { minLength: 1, maxLength: 25 }),
      }),
    );
    const ids = fc.uniqueArray(fc.constantFrom("f0", "time:f0", "time:f0'", "value", "constructor", "x"), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(ids, fc.array(field, { minLength: 5, maxLength: 5 }), note, (names, fields, hint) => {
        const form = names.map((id, at): FormField => ({
          ...fields[at]!,
          id,
          ...(hint === undefined ? {} : { note: hint }),
        }));
        const blocks = blocksOf(form);
        expect(checkBlocks(JSON.parse(JSON.stringify(blocks)), "modal")).toHaveLength(blocks.length);
        // What stands in a text field at first is the person's to change, and stays as it is; what an option stands for is never shown.
        const unshown = new Set(["initial_value", "value"]);
        expect(JSON.stringify(blocks, (key, one: unknown) => (unshown.has(key) ? "" : one))).not.toMatch(PING);
        const values = Object.fromEntries(
          blocks.flatMap((block) => {
            if (!("element" in block) || !("action_id" in block.element)) return [];
            const { type, action_id: action = "" } = block.element;
            const held =
              type === "datepicker"
                ? { selected_date: "2026-01-02" }
                : type === "timepicker"
                  ? { selected_time: "03:04" }
                  : { value: "v" };
            return [[block.block_id ?? "", { [action]: { type, ...held } }]];
          }),
        );
        const words = { date: "2026-01-02", time: "03:04", datetime: "2026-01-02 03:04" };
        const expected = form.map(({ id, kind }) => [id, [kind in words ? words[kind as "date"] : "v"]]);
        expect(new Map(Object.entries(filledOf(values)))).toEqual(new Map(expected as [string, string[]][]));
      }),
      { numRuns: runs(150) },
    );
  });
});

// What Block Kit's inputs take and give on the loopback Slack, by the vendor's own client: limits and refusals of each element, what
// is picked in a message, what comes of a form, and pictures.
/* oxlint-disable unicorn/require-post-message-target-origin -- chat.postMessage is Slack's, not a window's */
import type { ActionsBlockElement, InputBlock, InputBlockElement, KnownBlock, PlainTextOption } from "@slack/types";
import { ErrorCode, LogLevel, WebClient } from "@slack/web-api";
import type { FilesGetUploadURLExternalResponse, Logger, WebAPIPlatformError } from "@slack/web-api";
import { describe, expect, onTestFinished, test } from "vitest";
import { startSlack } from "./slack.ts";
import type { SlackWire } from "./slack.ts";

const OWNER = "U01OWNER";

/** Refusals are what is tested. */
const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

async function start(): Promise<{ wire: SlackWire; client: WebClient; dm: string }> {
  const wire = await startSlack();
  onTestFinished(async () => await wire[Symbol.asyncDispose]());
  wire.addUser({ id: OWNER, name: "Sam" });
  const client = new WebClient(wire.botToken, {
    slackApiUrl: wire.apiUrl,
    retryConfig: { retries: 0 },
    logger: SILENT,
  });
  return { wire, client, dm: wire.dm(OWNER) };
}

async function code(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "no error";
  } catch (thrown) {
    const error = thrown as WebAPIPlatformError;
    return error.code === ErrorCode.PlatformError ? error.data.error : String(thrown);
  }
}

const plain = (text: string): { type: "plain_text"; text: string } => ({ type: "plain_text", text });
const option = (label: string, more: object = {}): PlainTextOption => ({ text: plain(label), value: label, ...more });
const options = (count: number): PlainTextOption[] => Array.from({ length: count }, (_, at) => option(`o${at}`));
const input = (element: object, more: object = {}): InputBlock => ({
  type: "input",
  label: plain("L"),
  element: element as InputBlockElement,
  ...more,
});

describe("elements of forms and messages", () => {
  const accepted: readonly (readonly [string, object])[] = [
    ["a menu of a hundred", { type: "multi_static_select", options: options(100) }],
    [
      "options as long as they may be",
      {
        type: "multi_static_select",
        options: [{ text: plain("x".repeat(75)), value: "v".repeat(150), description: plain("d".repeat(75)) }],
      },
    ],
    ["what is picked at first", { type: "multi_static_select", options: options(2), initial_options: [option("o1")] }],
    ["ten boxes", { type: "checkboxes", options: options(10) }],
    ["a day", { type: "datepicker", initial_date: "2028-02-29" }],
    ["a time", { type: "timepicker", initial_time: "00:05", timezone: "Europe/Berlin" }],
    ["a moment", { type: "datetimepicker", initial_date_time: 1_795_000_000 }],
    ["a number", { type: "number_input", is_decimal_allowed: true, initial_value: "-2.5", min_value: "-3" }],
  ];
  const refused: readonly (readonly [string, object])[] = [
    ["a menu of 101", { type: "multi_static_select", options: options(101) }],
    ["a menu of none", { type: "multi_static_select", options: [] }],
    ["a label of 76", { type: "multi_static_select", options: [option("x".repeat(76))] }],
    ["a value of 151", { type: "multi_static_select", options: [{ text: plain("x"), value: "v".repeat(151) }] }],
    ["a description of 76", { type: "static_select", options: [option("x", { description: plain("d".repeat(76)) })] }],
    ["an empty description", { type: "static_select", options: [option("x", { description: plain("") })] }],
    ["marks in a menu", { type: "static_select", options: [{ text: { type: "mrkdwn", text: "*x*" }, value: "x" }] }],
    [
      "what is picked at first and is no option",
      { type: "static_select", options: options(2), initial_option: option("x") },
    ],
    ["a placeholder of 151", { type: "static_select", options: options(2), placeholder: plain("x".repeat(151)) }],
    ["none that can be picked", { type: "multi_static_select", options: options(2), max_selected_items: 0 }],
    ["eleven boxes", { type: "checkboxes", options: options(11) }],
    ["eleven radio buttons", { type: "radio_buttons", options: options(11) }],
    ["31 February", { type: "datepicker", initial_date: "2026-02-31" }],
    ["a day in other words", { type: "datepicker", initial_date: "30.11.2026" }],
    ["half past 24", { type: "timepicker", initial_time: "24:30" }],
    ["a zone that is none", { type: "timepicker", timezone: "Mars/Base" }],
    ["a moment in milliseconds", { type: "datetimepicker", initial_date_time: 1_795_000_000_000 }],
    ["a number that doesn't say of what kind", { type: "number_input" }],
    ["a number with a comma", { type: "number_input", is_decimal_allowed: true, initial_value: "2,5" }],
    ["a fraction where none may be", { type: "number_input", is_decimal_allowed: false, initial_value: "2.5" }],
    [
      "a number below the least",
      { type: "number_input", is_decimal_allowed: false, initial_value: "1", min_value: "2" },
    ],
    ["least above most", { type: "number_input", is_decimal_allowed: false, min_value: "2", max_value: "1" }],
    ["a text longer than it may be", { type: "plain_text_input", max_length: 2, initial_value: "abc" }],
    ["a text of 3,001", { type: "plain_text_input", max_length: 3001 }],
    ["a button", { type: "button", text: plain("x") }],
    ["nothing known", { type: "from_the_future" }],
  ];

  test("each is taken or refused as the platform does", async () => {
    const { wire, client, dm } = await start();
    const open = (blocks: readonly KnownBlock[]): Promise<string> =>
      code(
        client.views.open({
          trigger_id: wire.command(dm, OWNER, "x"),
          view: { type: "modal", title: plain("T"), submit: plain("S"), blocks: [...blocks] },
        }),
      );
    for (const [what, element] of accepted) expect([what, await open([input(element)])]).toEqual([what, "no error"]);
    for (const [what, element] of refused)
      expect([what, await open([input(element)])]).toEqual([what, "invalid_arguments"]);
    const text = { type: "plain_text_input" };
    expect(await open([input(text, { hint: plain("h".repeat(2000)) })])).toBe("no error");
    expect(await open([input(text, { hint: plain("h".repeat(2001)) })])).toBe("invalid_arguments");
    expect(await open([input(text, { label: plain("l".repeat(2001)) })])).toBe("invalid_arguments");
    expect(await open([input(text, { optional: "yes" })])).toBe("invalid_arguments");
    expect(await open([input(text, { block_id: "a" }), input(text, { block_id: "a" })])).toBe("invalid_arguments");
    const focused = { ...text, focus_on_load: true };
    expect(await open([input(focused), input(focused)])).toBe("invalid_arguments");
    expect(await open(Array.from({ length: 101 }, () => input(text)))).toBe("invalid_arguments");
  });

  test("a menu of several stands in a section or an input of a message, and in no row of buttons", async () => {
    const { client, dm } = await start();
    const menu = { type: "multi_static_select", options: options(3) } as const;
    const post = (blocks: KnownBlock[]): Promise<string> =>
      code(client.chat.postMessage({ channel: dm, text: "x", blocks }));
    expect(await post([{ type: "section", text: plain("x"), accessory: menu }])).toBe("no error");
    expect(await post([input(menu)])).toBe("no error");
    expect(await post([{ type: "actions", elements: [menu as ActionsBlockElement] }])).toBe("invalid_blocks");
    expect(await post([{ type: "image", alt_text: "", image_url: "https://x.test/a.png" }])).toBe("invalid_blocks");
  });
});

describe("what is picked and filled in", () => {
  const last = (wire: SlackWire): Record<string, unknown> => wire.delivery.envelopes.at(-1)?.payload ?? {};

  test("of a menu in a section each pick is told, and a button brings all of them", async () => {
    const { wire, client, dm } = await start();
    const menu = { type: "multi_static_select", action_id: "menu", options: options(3) } as const;
    const { ts = "" } = await client.chat.postMessage({
      channel: dm,
      text: "x",
      blocks: [
        { type: "section", block_id: "s", text: plain("Which?"), accessory: menu },
        { type: "actions", elements: [{ type: "button", action_id: "send", value: "v", text: plain("Send") }] },
      ],
    });
    expect(wire.message(dm, ts)).toMatchObject({
      buttons: [[{ label: "Send" }]],
      menus: [
        { kind: "multi_static_select", label: "Which?", options: [{ label: "o0" }, { label: "o1" }, { label: "o2" }] },
      ],
    });
    expect(wire.pick(dm, OWNER, ts, ["o2", "o0"])).toHaveLength(2);
    expect(last(wire)).toMatchObject({
      type: "block_actions",
      actions: [{ type: "multi_static_select", selected_options: [{ value: "o2" }, { value: "o0" }] }],
    });
    wire.press(dm, OWNER, ts, "Send");
    expect(last(wire)).toMatchObject({
      actions: [{ type: "button", value: "v" }],
      state: {
        values: { s: { menu: { type: "multi_static_select", selected_options: [{ value: "o2" }, { value: "o0" }] } } },
      },
    });
    // Another person has picked nothing.
    wire.press(dm, "U02FRIEND", ts, "Send");
    expect(last(wire)).toMatchObject({ state: { values: { s: { menu: { selected_options: [] } } } } });
    expect(() => wire.pick(dm, OWNER, ts, ["o9"])).toThrow("No option");
  });

  test("of a menu in an input nothing is told before the button is pressed", async () => {
    const { wire, client, dm } = await start();
    const menu = { type: "multi_static_select", action_id: "menu", options: options(3) };
    const { ts = "" } = await client.chat.postMessage({
      channel: dm,
      text: "x",
      blocks: [
        input(menu, { block_id: "i" }),
        { type: "actions", elements: [{ type: "button", action_id: "send", value: "v", text: plain("Send") }] },
      ],
    });
    expect(wire.pick(dm, OWNER, ts, ["o1"])).toEqual([]);
    wire.press(dm, OWNER, ts, "Send");
    expect(last(wire)).toMatchObject({ state: { values: { i: { menu: { selected_options: [{ value: "o1" }] } } } } });
  });

  test("a form gives each kind back as the platform does, and lets nobody send what is none", async () => {
    const { wire, client, dm } = await start();
    wire.addUser({ id: OWNER, name: "Sam", timeZone: "Europe/Berlin" });
    const elements: Record<string, object> = {
      text: { type: "plain_text_input", initial_value: "as it was" },
      one: { type: "static_select", options: options(3) },
      radio: { type: "radio_buttons", options: options(3), initial_option: option("o1") },
      some: { type: "multi_static_select", options: options(3), max_selected_items: 2 },
      boxes: { type: "checkboxes", options: options(3) },
      day: { type: "datepicker" },
      time: { type: "timepicker", initial_time: "09:30" },
      moment: { type: "datetimepicker" },
      number: { type: "number_input", is_decimal_allowed: false, min_value: "1" },
    };
    const blocks = Object.entries(elements).map(([id, element]) =>
      input({ ...element, action_id: id }, { block_id: id, label: plain(id.toUpperCase()), optional: id === "boxes" }),
    );
    const press = wire.command(dm, OWNER, "x");
    await client.views.open({
      trigger_id: press,
      view: { type: "modal", callback_id: "c", title: plain("T"), submit: plain("S"), blocks },
    });
    expect(wire.modal(OWNER)?.fields.map(({ label, kind }) => `${label} ${kind}`)).toContain("DAY datepicker");
    const whole = { ONE: "o2", SOME: ["o0", "o2"], DAY: "2026-11-30", MOMENT: "2026-07-01 14:05", NUMBER: "12" };
    const { NUMBER: _, ...short } = whole;
    expect(() => wire.submit(press, short)).toThrow("must be filled in");
    expect(() => wire.submit(press, { ...whole, DAY: "2026-02-31" })).toThrow("No calendar");
    expect(() => wire.submit(press, { ...whole, NUMBER: "1,5" })).toThrow("no number");
    expect(() => wire.submit(press, { ...whole, NUMBER: "0" })).toThrow("out of its range");
    expect(() => wire.submit(press, { ...whole, SOME: ["o0", "o1", "o2"] })).toThrow("No more than 2");
    expect(() => wire.submit(press, { ...whole, ONE: "o9" })).toThrow("No option");
    expect(() => wire.submit(press, { ...whole, OTHER: "x" })).toThrow("no field");
    wire.submit(press, whole);
    const { view } = last(wire) as { view: { state: { values: unknown } } };
    expect(view.state.values).toMatchObject({
      text: { text: { type: "plain_text_input", value: "as it was" } },
      one: { one: { type: "static_select", selected_option: { value: "o2", text: { text: "o2" } } } },
      radio: { radio: { type: "radio_buttons", selected_option: { value: "o1" } } },
      some: { some: { type: "multi_static_select", selected_options: [{ value: "o0" }, { value: "o2" }] } },
      boxes: { boxes: { type: "checkboxes", selected_options: [] } },
      day: { day: { type: "datepicker", selected_date: "2026-11-30" } },
      time: { time: { type: "timepicker", selected_time: "09:30" } },
      // In the zone of the person's device, which the payload doesn't name.
      moment: { moment: { type: "datetimepicker", selected_date_time: Date.parse("2026-07-01T12:05:00Z") / 1000 } },
      number: { number: { type: "number_input", value: "12" } },
    });
  });
});

describe("pictures", () => {
  test("an upload of bytes is shown as a picture with its title; one with a description shows nowhere", async () => {
    const { wire, client, dm } = await start();
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00]);
    const upload = async (more: object): Promise<void> => {
      const place = (await client.apiCall("files.getUploadURLExternal", {
        filename: "a.png",
        length: bytes.length,
        ...more,
      })) as FilesGetUploadURLExternalResponse;
      await fetch(place.upload_url ?? "", { method: "POST", body: bytes });
      const files: [{ id: string; title: string }] = [{ id: place.file_id ?? "", title: "A chart" }];
      await client.files.completeUploadExternal({ files, channel_id: dm });
    };
    await upload({});
    const [file] = wire.sent(dm)[0]?.files ?? [];
    expect(file).toMatchObject({ name: "a.png", title: "A chart", mimeType: "image/png" });
    expect(wire.file(file?.id ?? "")?.bytes).toEqual(bytes);
    await upload({ alt_txt: "Bars" });
    expect(wire.sent(dm)).toHaveLength(1);
    const long = client.apiCall("files.getUploadURLExternal", {
      filename: "a.png",
      length: 1,
      alt_txt: "x".repeat(1001),
    });
    expect(await code(long)).toBe("alt_txt_too_large");
  });
});

// The terminal channel on real streams: a pipe, and a TTY whose screen is read back through a small terminal of our own.
import { PassThrough, Readable, Writable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { terminal } from "../../src/channels/terminal/channel.ts";
import { readLine } from "../../src/channels/terminal/inbound.ts";
import { Stream, renderRows } from "../../src/channels/terminal/render.ts";
import type { Inbound, Platform, RawUpdate } from "../../src/core/channel.ts";
import type { Reply, Showing, Shown } from "../../src/core/reply.ts";
import type { Clock, Surroundings } from "../../src/core/surroundings.ts";
import { describeChannel, type ChannelDriver } from "../contracts/channel.ts";

const ROOM = { platform: "terminal", chat: "terminal", kind: "private" } as const;
const HOW: Showing = { plain: false, repeat: false, nonce: "nonce" };
const never = new AbortController().signal;
const settle = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

/** A clock that stands still until it is moved. */
class HandClock implements Clock {
  #now = 1_000_000;
  readonly #sleeping: { readonly at: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  async sleep(waitMs: number, signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
      this.#sleeping.push({ at: this.#now + waitMs, wake: resolve });
    });
  }

  soon(task: () => void): void {
    task();
  }

  async pass(ms: number): Promise<void> {
    this.#now += ms;
    for (const one of this.#sleeping) if (one.at <= this.#now) one.wake();
    await settle();
  }
}

let starts = 0;
function world(clock: Clock = new HandClock()): Surroundings {
  const quiet = (): void => undefined;
  starts += 1;
  const start = `start${starts}`;
  return {
    clock,
    random: { key: () => start, fraction: () => 0 },
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  };
}

type Bench = {
  readonly platform: Platform;
  readonly input: PassThrough;
  readonly clock: HandClock;
  /** All that was written. */
  readonly text: () => string;
  readonly show: (
    reply: Partial<Reply> & { readonly key: string },
    how?: Partial<Showing>,
  ) => Promise<Shown | undefined>;
  readonly draft: (key: string, text: string) => Promise<void>;
  /** What is being done, instead of a text. */
  readonly doing: (key: string, text: string) => Promise<void>;
  readonly typing: () => Promise<void>;
};

function bench(kind: "tty" | "pipe", more: { readonly color?: boolean; readonly columns?: number } = {}): Bench {
  const tty = kind === "tty";
  const input = Object.assign(new PassThrough(), { isTTY: tty });
  const written: string[] = [];
  const sink = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const output = Object.assign(sink, { isTTY: tty, columns: more.columns ?? 60, rows: 30 });
  const clock = new HandClock();
  const platform = terminal({ input, output, color: more.color ?? false }, world(clock));
  const { outlet } = platform;
  return {
    platform,
    input,
    clock,
    text: () => written.join(""),
    async show(reply, how = {}) {
      let shown: Shown | undefined;
      for (const piece of outlet.pieces({ text: "", rows: [], quiet: false, ...reply })) {
        // As the store gives it back.
        shown = await outlet.show(ROOM, JSON.parse(JSON.stringify(piece)), { ...HOW, ...how }, never);
      }
      return shown;
    },
    async doing(key, text) {
      await outlet.hint(ROOM, { kind: "draft", key, text, doing: true }, never);
    },
    async draft(key, text) {
      await outlet.hint(ROOM, { kind: "draft", key, text }, never);
    },
    async typing() {
      await outlet.hint(ROOM, { kind: "typing" }, never);
    },
  };
}

/** A pipe: each life of the channel reads a new one, and what was printed stays. */
async function pipeDriver(): Promise<ChannelDriver> {
  const printed: string[] = [];
  const sink = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      printed.push(
        ...String(chunk)
          .split("\n")
          .filter((line) => line !== ""),
      );
      done();
    },
  });
  let input = new PassThrough();
  const never = async (): Promise<never> => await Promise.reject(new Error("There is no such thing in a terminal."));
  return {
    secrets: [],
    connect(surroundings) {
      input = new PassThrough();
      return terminal({ input, output: sink, color: false }, surroundings);
    },
    async say(_where, text) {
      input.write(`${text}\n`);
      return undefined;
    },
    async seen() {
      return printed.map((text, at) => ({
        ref: String(at),
        text,
        buttons: [...text.matchAll(/\d\) (\S+)/gu)].map(([, label = ""]) => label),
        inert: true,
      }));
    },
    linkTo: async () => undefined,
    edit: never,
    remove: never,
    cut: never,
    press: never,
    answered: never,
    fault: never,
    unacknowledged: async () => undefined,
    async [Symbol.asyncDispose]() {
      input.end();
    },
  };
}

const PIPE = "a pipe is read once and printed on once";
describeChannel("terminal", pipeDriver, {
  edits: "a line that was entered stays",
  deletions: "a line that was entered stays",
  files: "there are no files in a terminal chat",
  forwards: "there is nobody to forward from",
  quotes: "there is nothing to answer but the last line",
  shared: "there is one room",
  faults: "a write to the screen is not refused",
  redelivery: PIPE,
  cuts: PIPE,
  restarts: "a number stands for a button of this life only",
  rewrites: "what is printed is not printed over",
  splits: "a message has no limit",
});

/** What a screen of endless height shows after all this was written to it. Only what the channel and readline use is known. */
function screen(written: string, columns = 60): string[] {
  const cells: string[][] = [[]];
  let row = 0;
  let column = 0;
  for (const [token] of written.matchAll(/\u001B\[([\d;?]*)([A-Za-z])|[^]/gu)) {
    const code = /^\u001B\[([\d;?]*)([A-Za-z])$/u.exec(token);
    const count = Number(code?.[1] === "" ? 1 : (code?.[1] ?? 1));
    const line = (cells[row] ??= []);
    if (code === null) {
      if (token === "\n") {
        row += 1;
        column = 0;
      } else if (token === "\r") {
        column = 0;
      } else {
        expect(token).toMatch(/[^\p{Cc}]/u);
        if (column === columns) {
          row += 1;
          column = 0;
        }
        (cells[row] ??= [])[column] = token;
        column += 1;
      }
    } else if (code[2] === "A") row -= count;
    else if (code[2] === "B") row += count;
    else if (code[2] === "C") column += count;
    else if (code[2] === "D") column -= count;
    else if (code[2] === "G") column = count - 1;
    else if (code[2] === "J") {
      cells.length = row + 1;
      line.length = column;
    } else if (code[2] === "K") line.length = 0;
    else expect(code[2]).toBe("m");
  }
  return cells.map((line) =>
    Array.from(line, (cell) => cell ?? " ")
      .join("")
      .trimEnd(),
  );
}

function openInbound(platform: Platform, signal: AbortSignal = never): AsyncIterator<readonly RawUpdate[]> {
  return platform.channel.inbound(signal, { marks: new Map() })[Symbol.asyncIterator]();
}

async function nextOf(lines: AsyncIterator<readonly RawUpdate[]>): Promise<readonly RawUpdate[] | undefined> {
  const next = await lines.next();
  return next.done === true ? undefined : next.value;
}

/** What the next line means; undefined at the end. */
async function meant(platform: Platform, lines: AsyncIterator<readonly RawUpdate[]>): Promise<Inbound | undefined> {
  const batch = await nextOf(lines);
  return batch === undefined ? undefined : platform.channel.read(JSON.parse(JSON.stringify(batch[0]?.raw)));
}

function said(inbound: Inbound | undefined): string {
  if (inbound?.kind !== "message") return inbound?.kind ?? "end";
  if (inbound.command !== undefined) return `/${inbound.command.name} ${inbound.command.args}`.trim();
  return inbound.parts.map((part) => (part.kind === "text" ? part.text : part.kind)).join("+");
}

const ANSWER = [
  "# Trip",
  "",
  "Take the **early** train, it is `IC 5`, and it is the one that stops where you want to go.",
  "",
  "- pack",
  "- go",
  "  - north",
  "",
  "| City | People |",
  "|---|---:|",
  "| Oslo | 700 |",
  "| Rome | 2800 |",
  "",
  "```",
  "a = 1",
  "```",
  "",
  "> See [the map](https://example.com/map).",
].join("\n");

const ANSWER_ROWS = [
  "Trip",
  "",
  "Take the early train, it is IC 5, and it is the one that",
  "stops where you want to go.",
  "",
  "• pack",
  "• go",
  "  • north",
  "",
  "City  People",
  "────  ──────",
  "Oslo     700",
  "Rome    2800",
  "",
  "    a = 1",
  "",
  "│ See the map (https://example.com/map).",
];

describe("a pipe", () => {
  it("G36: a pipe answers each line in order and ends at its end, the last line without a line break too", async () => {
    const { platform, input, show, text } = bench("pipe");
    input.end("one\r\ntwo\n\nthree");
    const lines = openInbound(platform);
    expect(await nextOf(lines)).toEqual([]);
    const heard: string[] = [];
    for (;;) {
      const inbound = await meant(platform, lines);
      if (inbound === undefined) break;
      heard.push(said(inbound));
      if (inbound.kind === "message") await show({ key: inbound.messageId, text: `You said **${said(inbound)}**.` });
    }
    expect(heard).toEqual(["one", "two", "ignored", "three"]);
    expect(text()).toBe("You said **one**.\nYou said **two**.\nYou said **three**.\n");
  });

  it("G36: reads no further ahead than a stream's own buffer before the line is asked for", async () => {
    let given = 0;
    const input = new Readable({
      highWaterMark: 1024,
      read() {
        given += 1;
        this.push(given > 10_000 ? null : `${"x".repeat(99)}\n`);
      },
    });
    const platform = terminal({ input, output: new PassThrough(), color: false }, world());
    const lines = openInbound(platform);
    await nextOf(lines);
    await nextOf(lines);
    for (let turn = 0; turn < 20; turn += 1) await settle();
    expect(given).toBeLessThan(100);
  });

  it("G36: a second inbound goes on where the first one was left", async () => {
    const { platform, input } = bench("pipe");
    input.end("one\ntwo\n");
    const first = openInbound(platform);
    await nextOf(first);
    expect(said(await meant(platform, first))).toBe("one");
    await first.return?.();
    const second = openInbound(platform);
    await nextOf(second);
    expect(said(await meant(platform, second))).toBe("two");
    expect(await nextOf(second)).toBeUndefined();
  });

  it("ends when the signal fires while it waits for a line, and keeps what comes later for the next", async () => {
    const { platform, input } = bench("pipe");
    const stop = new AbortController();
    const lines = openInbound(platform, stop.signal);
    await nextOf(lines);
    const waiting = nextOf(lines);
    await settle();
    stop.abort();
    expect(await waiting).toBeUndefined();
    input.end("late\n");
    const again = openInbound(platform);
    await nextOf(again);
    expect(said(await meant(platform, again))).toBe("late");
  });

  it("a broken input throws an error with a code", async () => {
    const { platform, input } = bench("pipe");
    const lines = openInbound(platform);
    await nextOf(lines);
    input.destroy(new Error("read EIO"));
    await expect(lines.next()).rejects.toMatchObject({ code: "channel-unreachable" });
  });

  it("takes bytes that are no UTF-8, letters cut between chunks, and control characters", async () => {
    const { platform, input } = bench("pipe");
    const lines = openInbound(platform);
    await nextOf(lines);
    input.write(Buffer.from([0x61, 0xff, 0x62, 0xe4, 0xbd]));
    await settle();
    input.end(Buffer.concat([Buffer.from([0xa0]), Buffer.from(" \u001B[31mred\u0007\u202E\n")]));
    expect(said(await meant(platform, lines))).toBe("a\uFFFDb你 [31mred");
  });

  it("a line that is too long is refused in words, and the next one is heard", async () => {
    const { platform, input, text } = bench("pipe");
    const lines = openInbound(platform);
    await nextOf(lines);
    const feed = (async () => {
      for (let part = 0; part < 25; part += 1) input.write("y".repeat(50_000));
      input.end("\nshort\n");
    })();
    const refused = await meant(platform, lines);
    expect(refused).toMatchObject({ kind: "malformed", problem: expect.stringContaining("million") });
    expect(said(await meant(platform, lines))).toBe("short");
    expect(text()).toMatch(/^· That line is longer/u);
    await feed;
  });

  it("prints quiet replies apart, marks a possible repeat, and shows no hints", async () => {
    const { show, draft, typing, text } = bench("pipe");
    await typing();
    await draft("t:0", "half");
    await show({ key: "n", text: "Queued.\nTwo wait.", quiet: true });
    await show({ key: "t:0", text: "whole" }, { repeat: true });
    expect(text()).toBe("· Queued.\n· Two wait.\n· (may be a repeat)\nwhole\n");
  });

  it("keys of updates are unique across restarts", async () => {
    const keys = new Set<string>();
    for (let start = 0; start < 3; start += 1) {
      const { platform, input } = bench("pipe");
      input.end("a\nb\n");
      for await (const batch of platform.channel.inbound(never, { marks: new Map() }))
        for (const update of batch) keys.add(update.key);
    }
    expect(keys.size).toBe(6);
  });
});

describe("a line", () => {
  const line = (text: string, more: object = {}): Inbound => readLine({ id: "i1", at: 5, line: text, ...more });

  it("is the owner's own words in the one private room", () => {
    expect(line("hello")).toEqual({
      kind: "message",
      room: ROOM,
      from: { id: "owner", name: "you", bot: false },
      at: 5,
      messageId: "i1",
      addressed: true,
      parts: [{ kind: "text", messageId: "i1", origin: { kind: "own" }, text: "hello" }],
    });
  });

  it("is a command when it starts with a slash and a name", () => {
    expect(line(" /Engine  local two ")).toMatchObject({ command: { name: "engine", args: "local two" }, parts: [] });
    expect(line("/stop")).toMatchObject({ command: { name: "stop", args: "" } });
    expect(said(line("/ not one"))).toBe("/ not one");
  });

  it("is ignored when nothing of it can be seen", () => {
    for (const empty of ["", "   ", "\t", "\u0007\u001B", "\u200B"]) expect(line(empty).kind).toBe("ignored");
  });

  it("never throws, whatever was stored", () => {
    const raw = fc.record(
      {
        id: fc.oneof(fc.string(), fc.jsonValue()),
        at: fc.oneof(fc.double(), fc.jsonValue()),
        line: fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()),
        press: fc.oneof(fc.string(), fc.jsonValue()),
        interrupt: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const kinds = ["message", "press", "ignored", "malformed"];
    fc.assert(
      fc.property(fc.oneof(raw, fc.jsonValue(), fc.anything()), (any) => {
        expect(kinds).toContain(readLine(any).kind);
      }),
    );
  });
});

describe("a card", () => {
  const rows = [
    [
      { label: "Delete\nit", press: "p-delete" },
      { label: "Keep it", press: "p-keep" },
    ],
    [{ label: "Read more", url: "https://example.com/x" }],
  ];

  it("G37: is a numbered choice, and its number is the press until the card is taken back", async () => {
    const { platform, input, show, text } = bench("pipe");
    const lines = openInbound(platform);
    await nextOf(lines);
    input.write("2\n");
    expect(said(await meant(platform, lines))).toBe("2");
    expect(await show({ key: "card/1", text: "Delete this chat?", rows })).toEqual({ is: "shown", ref: "card/1" });
    expect(text()).toBe("Delete this chat?\n  1) Delete it   2) Keep it\n  Read more: https://example.com/x\n");
    input.write(" 2 \n3\n1 more\n");
    expect(await meant(platform, lines)).toMatchObject({ kind: "press", data: "p-keep", room: ROOM });
    expect(said(await meant(platform, lines))).toBe("3");
    expect(said(await meant(platform, lines))).toBe("1 more");
    await show({ key: "aside", text: "Something else.", quiet: true });
    input.write("1\n");
    expect(await meant(platform, lines)).toMatchObject({ kind: "press", data: "p-delete" });
    await show({ key: "card/1", text: "Kept." }, { edit: "card/1" });
    input.end("1\n");
    expect(said(await meant(platform, lines))).toBe("1");
  });

  it("P34, G37: a button that is called by a number is pressed by that number, and others count on behind it", async () => {
    const { platform, input, show, text } = bench("pipe");
    const numbers = [3, 4, 5].map((number) => ({ label: String(number), press: `p-${number}` }));
    const close = [{ label: "Close", press: "p-close" }];
    await show({ key: "card/1", text: "Which?", quiet: true, rows: [close, numbers] });
    expect(text()).toBe("· Which?\n  6) Close\n  3)   4)   5)\n");
    const twice = [
      { label: "2", press: "p-2" },
      { label: "2", press: "p-again" },
    ];
    const lines = openInbound(platform);
    await nextOf(lines);
    input.write("3\n6\n1\n");
    expect(await meant(platform, lines)).toMatchObject({ kind: "press", data: "p-3" });
    expect(await meant(platform, lines)).toMatchObject({ kind: "press", data: "p-close" });
    expect(said(await meant(platform, lines))).toBe("1");
    await show({ key: "card/1", text: "And now?", quiet: true, rows: [twice] }, { edit: "card/1" });
    expect(text()).toContain("· And now?\n  2)   3) 2\n");
    input.end("2\n3\n");
    expect(await meant(platform, lines)).toMatchObject({ kind: "press", data: "p-2" });
    expect(await meant(platform, lines)).toMatchObject({ kind: "press", data: "p-again" });
  });

  it("G37: a number typed after an answer is meant for the answer", async () => {
    const { platform, input, show } = bench("pipe");
    await show({ key: "card/1", text: "One?", rows });
    await show({ key: "turn:0", text: "1. this 2. that: which?" });
    input.end("1\n");
    const lines = openInbound(platform);
    await nextOf(lines);
    expect(said(await meant(platform, lines))).toBe("1");
  });

  it("G37: a newer card takes the numbers over", async () => {
    const { platform, input, show } = bench("pipe");
    await show({ key: "card/1", text: "One?", rows });
    await show({ key: "card/2", text: "Two?", rows: [[{ label: "Yes", press: "p-yes" }]] });
    await show({ key: "card/1", text: "One is over." }, { edit: "card/1" });
    input.end("1\n");
    const lines = openInbound(platform);
    await nextOf(lines);
    expect(await meant(platform, lines)).toMatchObject({ kind: "press", data: "p-yes" });
  });

  it("O61b: a text to copy stands under its row and takes no number", async () => {
    const { platform, input, show, text } = bench("pipe");
    const copies = [
      [
        { label: "Reply 1", press: "c-1", copy: "Dear Ann," },
        { label: "Close", press: "p-close" },
      ],
      [{ label: "Reply 2", press: "c-2", copy: "Dear Bob,\n\u001B[2Jthank you.\n" }],
    ];
    await show({ key: "view/1", text: "Mail", rows: copies });
    expect(text()).toBe("Mail\n  1) Close\n  Reply 1: Dear Ann,\n  Reply 2:\n    Dear Bob,\n    [2Jthank you.\n");
    input.end("1\n2\n");
    const lines = openInbound(platform);
    await nextOf(lines);
    expect(await meant(platform, lines)).toMatchObject({ kind: "press", data: "p-close" });
    expect(said(await meant(platform, lines))).toBe("2");
  });

  it("O36: a menu, which a terminal has not, is a numbered row for each of its options", async () => {
    const { show, text } = bench("pipe");
    const options = ["One", "Two"].map((label) => ({ label, value: label }));
    const menu = { press: "key-menu", placeholder: "Which?", submit: "Done", options };
    await show({ key: "card/1", text: "Which?", menu, rows: [[{ label: "Skip", press: "p-skip" }]] });
    expect(text()).toBe("Which?\n  1) One\n  2) Two\n  3) Skip\n");
  });

  it("O36, O40: a question that stands there takes the next line of a pipe, as a number or as own words", async () => {
    const { platform, input, show, text } = bench("pipe");
    input.end("plan it\n2\nafter four\n");
    const lines = openInbound(platform);
    await nextOf(lines);
    expect(said(await meant(platform, lines))).toBe("plan it");
    const days = (first: string, second: string): readonly { label: string; press: string }[][] => [
      [{ label: `${first} Monday`, press: "p-0" }],
      [{ label: `${second} Friday`, press: "p-1" }],
      [
        { label: "Done", press: "p-done" },
        { label: "Skip", press: "p-skip" },
      ],
    ];
    await show({ key: "card/q", text: "**Which days?**", rows: days("☐", "☐") });
    expect(await meant(platform, lines)).toMatchObject({ kind: "press", data: "p-1" });
    await show({ key: "card/q", text: "**Which days?**", rows: days("☐", "☑") }, { edit: "card/q" });
    await show({
      key: "card/q",
      text: "Which days? Friday\n\n**When?**",
      rows: [[{ label: "Skip", press: "p-skip" }]],
    });
    expect(said(await meant(platform, lines))).toBe("after four");
    expect(await nextOf(lines)).toBeUndefined();
    expect(text()).toBe(
      [
        "**Which days?**",
        "  1) ☐ Monday",
        "  2) ☐ Friday",
        "  3) Done   4) Skip",
        "**Which days?**",
        "  1) ☐ Monday",
        "  2) ☑ Friday",
        "  3) Done   4) Skip",
        "Which days? Friday",
        "",
        "**When?**",
        "  1) Skip",
        "",
      ].join("\n"),
    );
  });

  it("O36, O40, T56: where a number is written as the answer, a bare number is one, and the buttons are marked", async () => {
    const { platform, input, show, text } = bench("pipe");
    const rows = [[{ label: "2", press: "p-suggested" }], [{ label: "Skip", press: "p-skip" }]];
    await show({ key: "card/q", text: "**How many?**  \n_Write it here._", written: true, rows });
    expect(text()).toBe("**How many?**\n_Write it here._\n  #1) 2\n  #2) Skip\n");
    input.end("1\n#9\n#2\n");
    const lines = openInbound(platform);
    await nextOf(lines);
    expect(said(await meant(platform, lines))).toBe("1");
    expect(said(await meant(platform, lines))).toBe("#9");
    expect(await meant(platform, lines)).toMatchObject({ kind: "press", data: "p-skip" });
  });

  it("O57: what is said in passing stands on a pipe as words, without the marks of its markup and without spaces at the ends of lines", async () => {
    const { show, text } = bench("pipe");
    await show({ key: "plan/t", text: "☑ ~~Look~~  \n▸ **Write** …  \n☐ Send it to a\\_b", rows: [], quiet: true });
    expect(text()).toBe("· ☑ Look\n· ▸ Write …\n· ☐ Send it to a_b\n");
  });

  it("O20, O29, O46, O58, O60a, O71: an offer, chips, a plan and a view as a TTY shows them", async () => {
    const { show, text } = bench("tty");
    const offer = [
      [
        { label: "Connect", press: "p-take" },
        { label: "Details", press: "p-more" },
      ],
      [
        { label: "Not now", press: "p-later" },
        { label: "Don't suggest", press: "p-mute" },
      ],
    ];
    await show({ key: "card/o", text: "**Connect Google Calendar?**\n\n_To find a free hour._", rows: offer });
    const signIn = [[{ label: "Sign in", url: "https://auth.example.com/?a=b" }], [{ label: "Not now", press: "p" }]];
    await show({ key: "card/o", text: "**Sign in**", rows: signIn }, { edit: "card/o" });
    await show({
      key: "t:0",
      text: "Done.",
      rows: [[{ label: "Why?", press: "p-why" }], [{ label: "🚀".repeat(20), press: "p-go" }]],
    });
    await show({ key: "plan/t", text: "✓ Look\n▸ Write\n· Send", quiet: true });
    await show({ key: "plan/t", text: "3 of 3 done", quiet: true }, { edit: "plan/t" });
    const agenda = String.raw`- 09:00 \*\*bold\*\* \<b> \[a\](tg\://user?id=1)`;
    await show({
      key: "view/1",
      text: `**Today**\n\n${agenda}\n- 10:00 [Call](https://meet.example.com/)`,
      quiet: true,
    });
    expect(screen(text())).toEqual([
      "Connect Google Calendar?",
      "",
      "To find a free hour.",
      "  1) Connect   2) Details",
      "  3) Not now   4) Don't suggest",
      "",
      "Sign in",
      "  Sign in: https://auth.example.com/?a=b",
      "  1) Not now",
      "",
      "Done.",
      "  1) Why?",
      `  2) ${"🚀".repeat(20)}`,
      "",
      "· ✓ Look",
      "· ▸ Write",
      "· · Send",
      "· 3 of 3 done",
      "· Today",
      "·",
      "· • 09:00 **bold** <b> [a](tg://user?id=1)",
      "· • 10:00 Call (https://meet.example.com/)",
    ]);
  });

  it("O61d: a picture is its words and where it lies", async () => {
    const file = { name: "chart.png", path: "/data/pictures/a_b_c.png", mediaType: "image/png" } as const;
    const { show, text } = bench("pipe");
    await show({ key: "picture/1", file: { ...file, alt: "**Sales**\nby\u001B[2J month" } });
    await show({ key: "picture/2", text: "Here:", file: { ...file, alt: "" } });
    expect(text()).toBe(
      [
        "**Sales** by[2J month",
        "  /data/pictures/a_b_c.png",
        "Here:",
        "chart.png",
        "  /data/pictures/a_b_c.png",
        "",
      ].join("\n"),
    );
    const tty = bench("tty");
    await tty.show({ key: "picture/1", file: { ...file, alt: "Sales" } });
    expect(screen(tty.text()).slice(0, 2)).toEqual(["Sales", "  /data/pictures/a_b_c.png"]);
  });

  it("an edit prints its text only when it is another one", async () => {
    const { show, text } = bench("pipe");
    await show({ key: "card/1", text: "Sure?", rows });
    const before = text();
    expect(await show({ key: "card/1", text: "Sure?" }, { edit: "card/1" })).toEqual({ is: "shown", ref: "card/1" });
    expect(text()).toBe(before);
    await show({ key: "card/1", text: "Done." }, { edit: "card/1" });
    expect(text()).toBe(`${before}Done.\n`);
  });

  it("the answer to a press is a quiet line", async () => {
    const { platform, text } = bench("pipe");
    await platform.outlet.answer("i1", { words: "This was answered already." }, never);
    await platform.outlet.answer("i2", undefined, never);
    expect(text()).toBe("· This was answered already.\n");
  });
});

describe("a TTY", () => {
  async function opened(
    more: { readonly color?: boolean } = {},
  ): Promise<Bench & { readonly lines: AsyncIterator<readonly RawUpdate[]> }> {
    const made = bench("tty", more);
    const lines = openInbound(made.platform);
    expect(await nextOf(lines)).toEqual([]);
    return { ...made, lines };
  }

  it("G35: streams the answer, and its end repeats nothing", async () => {
    const { input, lines, platform, show, draft, typing, text } = await opened();
    expect(screen(text())).toEqual(["you>"]);
    input.write("hi\r");
    expect(said(await meant(platform, lines))).toBe("hi");
    await typing();
    expect(screen(text())).toEqual(["you> hi", "…", "you>"]);
    await draft("t:0", ANSWER.slice(0, 30));
    expect(screen(text())).toEqual(["you> hi", "Trip", "", "Take the early tra", "you>"]);
    for (let end = 31; end <= ANSWER.length; end += 7) await draft("t:0", ANSWER.slice(0, end));
    await show({ key: "t:0", text: ANSWER });
    expect(screen(text())).toEqual(["you> hi", ...ANSWER_ROWS, "", "you>"]);
  });

  it("G35: keeps what is being typed below the answer, and puts it above when it is entered", async () => {
    const { input, lines, platform, show, draft, text } = await opened();
    const long = "a message that is so long that it goes on in the next row of the screen";
    await draft("t:0", "The answer **beg");
    input.write(long);
    await settle();
    await draft("t:0", "The answer **begins**");
    expect(screen(text())).toEqual(["The answer begins", `you> ${long.slice(0, 55)}`, long.slice(55)]);
    await show({ key: "n", text: "One waits.", quiet: true });
    input.write("\r");
    expect(said(await meant(platform, lines))).toBe(long);
    expect(screen(text())).toEqual([
      "· One waits.",
      `you> ${long.slice(0, 55)}`,
      long.slice(55),
      "The answer begins",
      "you>",
    ]);
    await show({ key: "t:0", text: "The answer **begins** and ends." });
    expect(screen(text()).slice(3)).toEqual(["The answer begins and ends.", "", "you>"]);
  });

  it("G35: an answer that became another one is shown whole, on a new line", async () => {
    const { show, draft, text } = await opened();
    await draft("t:0", "First.\n\nSecond.\n\nThi");
    await draft("t:0", "Something else");
    await show({ key: "t:0", text: "Something else entirely." });
    expect(screen(text())).toEqual(["First.", "", "Second.", "", "Something else entirely.", "", "you>"]);
  });

  it("G35: the next part's draft leaves the one before as it is, and its final prints only the rest", async () => {
    const { show, draft, text } = await opened();
    await draft("t:0", "Let me look");
    await draft("t:1", "Found");
    await show({ key: "t:0", text: "Let me look" });
    await show({ key: "t:1", text: "Found it." });
    expect(screen(text()).filter((row) => row !== "")).toEqual(["Let me look", "Found it.", "you>"]);
  });

  it("C43: what is being done goes with whatever is shown next, and by itself, and never stays", async () => {
    const { clock, show, draft, doing, text } = await opened();
    await draft("t:0", "Let me look");
    await doing("t:0", "_Bash: sleep 100_");
    expect(screen(text())).toEqual(["Let me look", "· Bash: sleep 100", "you>"]);
    await doing("t:0", "");
    expect(screen(text())).toEqual(["Let me look", "…", "you>"]);
    await doing("t:0", "_Bash: sleep 200_");
    // A turn that is stopped says no more than this.
    await show({ key: "e", text: "Stopped.", quiet: true });
    expect(screen(text())).toEqual(["Let me look", "· Stopped.", "you>"]);
    await doing("t:1", "_Bash: sleep 300_");
    await clock.pass(600_000);
    expect(screen(text())).toEqual(["Let me look", "· Stopped.", "you>"]);
  });

  it("G42: the sign of typing goes before other output, and by itself when nobody renews it", async () => {
    const { clock, show, typing, text } = await opened();
    await typing();
    await show({ key: "e", text: "Stopped.", quiet: true });
    expect(screen(text())).toEqual(["· Stopped.", "you>"]);
    await typing();
    await clock.pass(4000);
    await typing();
    await clock.pass(4000);
    expect(screen(text())).toEqual(["· Stopped.", "…", "you>"]);
    await clock.pass(1000);
    expect(screen(text())).toEqual(["· Stopped.", "you>"]);
  });

  it("G38: Ctrl-C is the command /stop, and a second one within two seconds ends the chat", async () => {
    const { clock, input, lines, platform, text } = await opened();
    input.write("\u0003");
    const stop = await meant(platform, lines);
    expect(stop).toMatchObject({ kind: "message", parts: [], command: { name: "stop", args: "" } });
    await clock.pass(2001);
    input.write("\u0003");
    expect(said(await meant(platform, lines))).toBe("/stop");
    await clock.pass(2000);
    input.write("\u0003");
    expect(await nextOf(lines)).toBeUndefined();
    const notice = "· Stopping. Press Ctrl-C again to quit.";
    expect(screen(text())).toEqual([notice, notice, "you>"]);
  });

  it("G38: Ctrl-D on an empty line ends the chat", async () => {
    const { input, lines } = await opened();
    input.write("\u0004");
    expect(await nextOf(lines)).toBeUndefined();
  });

  it("several lines pasted at once come as several updates", async () => {
    const { input, lines } = await opened();
    input.write("one\rtwo\r");
    await settle();
    const batch = (await nextOf(lines)) ?? [];
    expect(batch.map((update) => said(readLine(update.raw)))).toEqual(["one", "two"]);
  });

  it("an input that fails ends the chat instead of the process", async () => {
    const { input, lines } = await opened();
    input.destroy(new Error("read EIO"));
    expect(await nextOf(lines)).toBeUndefined();
  });

  it("uses weights and colours only when they are wanted", async () => {
    const plain = await opened();
    const colored = await opened({ color: true });
    for (const one of [plain, colored]) {
      await one.show({ key: "a", text: "**bold** and `code`" });
      await one.show({ key: "q", text: "quiet", quiet: true });
    }
    expect(plain.text()).not.toMatch(/\u001B\[[\d;]*m/u);
    expect(colored.text()).toContain("\u001B[1mbold\u001B[0m and \u001B[36mcode\u001B[0m");
    expect(colored.text()).toContain("\u001B[2m· quiet\u001B[0m");
  });
});

describe("the ports", () => {
  it("T41: what a TTY and a pipe do differently is in the limits", () => {
    expect(bench("tty").platform.channel.limits).toMatchObject({
      joins: true,
      drafts: { private: "native", shared: "none" },
      maxFileBytes: 0,
    });
    expect(bench("pipe").platform.channel.limits).toMatchObject({
      joins: false,
      drafts: { private: "none", shared: "none" },
    });
  });

  it("an empty reply has no piece, and a piece that can't be read is shown as its plain text", async () => {
    const { platform, text } = bench("pipe");
    expect(platform.outlet.pieces({ key: "k", text: " \u0007\n", rows: [], quiet: false })).toEqual([]);
    expect(await platform.outlet.show(ROOM, { body: { odd: 1 }, plain: "words\u001B[2J" }, HOW, never)).toEqual({
      is: "shown",
      ref: "nonce",
    });
    expect(text()).toBe("words[2J\n");
  });

  it("plain is the text without markup", () => {
    const [piece] = bench("pipe").platform.outlet.pieces({
      key: "k",
      text: "# A\n\n**b** [c](https://d.e)",
      rows: [],
      quiet: false,
    });
    expect(piece?.plain).toBe("A\n\nb c (https://d.e)");
  });

  it("waits until a slow output has taken the text, and can't say what happened when it is told to stop waiting", async () => {
    let take: () => void = () => undefined;
    const output = new Writable({ write: (_chunk, _encoding, done) => void (take = done) });
    const { outlet } = terminal({ input: new PassThrough(), output, color: false }, world());
    const [piece] = outlet.pieces({ key: "k", text: "slow", rows: [], quiet: false });
    let shown: Shown | undefined;
    const showing = outlet.show(ROOM, piece!, HOW, never).then((answer) => (shown = answer));
    await settle();
    expect(shown).toBeUndefined();
    take();
    expect(await showing).toEqual({ is: "shown", ref: "k" });
    const stop = new AbortController();
    const waiting = outlet.show(ROOM, piece!, HOW, stop.signal);
    stop.abort();
    expect(await waiting).toEqual({ is: "unknown" });
  });

  it("a closed output is gone, and no error escapes", async () => {
    const output = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })),
    });
    const { outlet, channel } = terminal({ input: new PassThrough(), output, color: false }, world());
    const [piece] = outlet.pieces({ key: "k", text: "lost", rows: [], quiet: false });
    for (let time = 0; time < 2; time += 1) {
      expect(await outlet.show(ROOM, piece!, HOW, never)).toMatchObject({ is: "refused", why: "gone" });
    }
    await channel[Symbol.asyncDispose]();
  });

  it("nobody can say whether something was printed before a crash; files there are none", async () => {
    const { channel, outlet } = bench("pipe").platform;
    expect(await outlet.recover(ROOM, { piece: { body: {}, plain: "" }, nonce: "n", since: 0 }, never)).toEqual({
      is: "unknowable",
    });
    const file = { kind: "photo", name: "x", mediaType: "image/png", handle: "h" } as const;
    await expect(channel.fetch(file, "/nowhere", never)).rejects.toMatchObject({ code: "file-unavailable" });
  });
});

describe("rendering", () => {
  it("shows a table as blocks when its columns don't fit", () => {
    const table = "| Name | What it does |\n|---|---|\n| one | something that takes room |\n| two | another thing |";
    expect(renderRows(table, { columns: 24, color: false })).toEqual([
      "Name: one",
      "What it does: something",
      "that takes room",
      "",
      "Name: two",
      "What it does: another",
      "thing",
    ]);
  });

  it("aligns wide letters, numbers lists on, marks tasks, and keeps what it can't draw as text", () => {
    const rows = (text: string): readonly string[] => renderRows(text, { columns: 60, color: false });
    expect(rows("| 城市 | n |\n|---|---|\n| a | b |")).toEqual(["城市  n", "────  ─", "a     b"]);
    expect(rows("3. a\n4. b\n\n- [x] done\n- [ ] open")).toEqual(["3. a", "4. b", "", "☑ done", "☐ open"]);
    expect(rows("say <tokens> [x][y] **half")).toEqual(["say <tokens> [x][y] **half"]);
  });

  it("G35: whatever is cut where, an answer under way and its end together are the answer, each row once", () => {
    const blocks = fc.constantFrom(
      "A paragraph with **bold words** and *more* of them, long enough to take several rows.",
      "- one\n- two\n  1. deep\n  2. deeper",
      "| a | b |\n|---|---|\n| one | two |\n| a much longer cell | x |",
      "```js\nlet a = 1;\n\nlet b = 2;\n```",
      "## A heading",
      "> quoted\n> twice",
      "***",
      "你好，世界 👋🏽 `code`",
    );
    const look = { columns: 40, color: true };
    fc.assert(
      fc.property(fc.array(blocks, { minLength: 1, maxLength: 6 }), fc.array(fc.nat(600)), (parts, cuts) => {
        const text = parts.join("\n\n");
        const stream = new Stream();
        const printed: string[] = [];
        for (const cut of cuts.toSorted((a, b) => a - b))
          printed.push(...stream.grow(text.slice(0, cut), look, 100).fixed);
        printed.push(...stream.finish(text, look));
        expect(printed).toEqual(renderRows(text, look));
      }),
    );
  });

  it("G35: on a small screen nothing of an answer is lost, whatever it is", () => {
    const look = { columns: 30, color: false };
    const text = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc
        .array(
          fc.constantFrom(
            "word ",
            "**",
            "*",
            "`",
            "\n",
            "\n\n",
            "- ",
            "> ",
            "# ",
            "| a | b |\n",
            "|---|---|\n",
            "```\n",
            "    ",
            "[x]",
          ),
          { maxLength: 60 },
        )
        .map((all) => all.join("")),
    );
    fc.assert(
      fc.property(text, fc.array(fc.nat(300)), fc.integer({ min: 1, max: 4 }), (whole, cuts, most) => {
        const stream = new Stream();
        const printed: string[] = [];
        for (const cut of cuts.toSorted((a, b) => a - b)) {
          const { fixed, live } = stream.grow(whole.slice(0, cut), look, most);
          printed.push(...fixed);
          expect(live.length).toBeLessThanOrEqual(most);
        }
        printed.push(...stream.finish(whole, look));
        const count = (rows: readonly string[]): number => rows.join(" ").split("word").length;
        expect(count(printed)).toBeGreaterThanOrEqual(count(renderRows(whole, look)));
      }),
    );
  });
});

describe("outside text", () => {
  const outside = fc
    .array(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 12 }),
        fc.constantFrom(
          "\u001B[2J",
          "\u001B]8;;https://x\u0007",
          "\u009B31m",
          "\r",
          "\u0008",
          "\u202E",
          "&#27;[2J",
          "&#x202E;",
          "`",
          "**",
          "\n",
          "| a |\n|---|\n",
          '[a](https://b "c")',
          "![\u001B](x)",
        ),
      ),
      { maxLength: 12 },
    )
    .map((all) => all.join(""));
  const trap = /(?![\n\t])[\p{Cc}\u202A-\u202E\u2066-\u2069]/u;

  it("can't bring an escape, a control or a turned reading direction into a pipe", async () => {
    await fc.assert(
      fc.asyncProperty(outside, fc.boolean(), async (text, quiet) => {
        const { platform, show, text: written } = bench("pipe");
        await show(
          {
            key: "k",
            text,
            quiet,
            rows: [
              [
                { label: text, press: "p" },
                { label: text, url: text },
              ],
            ],
          },
          { repeat: true },
        );
        await show({ key: "k", text: `${text}!`, quiet }, { edit: "k", plain: true });
        await platform.outlet.answer("r", { words: text }, never);
        expect(written()).not.toMatch(trap);
      }),
    );
  });

  it("can't bring anything into a TTY but our own codes, in drafts neither", async () => {
    await fc.assert(
      fc.asyncProperty(outside, fc.nat(40), async (text, cut) => {
        const { platform, show, draft, text: written } = bench("tty", { color: true });
        await draft("k", text.slice(0, cut));
        await show({ key: "q", text, quiet: true, rows: [[{ label: text, press: "p" }]] });
        await show({ key: "k", text });
        await platform.outlet.answer("r", { words: text }, never);
        const own = /\u001B\[[\d;]*m|\u001B\[\d+A\r\u001B\[J|\r\u001B\[J/gu;
        expect(written().replaceAll(own, "")).not.toMatch(trap);
      }),
    );
  });
});

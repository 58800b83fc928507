import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { viewOf } from "../../src/catalog/views.ts";
import type { View } from "../../src/core/card.ts";
import { runs } from "../deep.ts";

/** Each known tool, and some that its server doesn't have. */
const TOOLS: readonly (readonly [source: string, tool: string])[] = [
  ["filesystem", "list_directory"],
  ["filesystem", "list_directory_with_sizes"],
  ["filesystem", "search_files"],
  ["filesystem", "directory_tree"],
  ["google-calendar", "list_events"],
  ["google-calendar", "search_events"],
  ["google-mail", "search_threads"],
  ["google-mail", "get_thread"],
  ["google-drive", "search_files"],
  ["google-drive", "list_recent_files"],
  ["slack", "slack_read_channel"],
  ["slack", "conversations_history"],
  ["slack", "list_events"],
];

function view(source: string, tool: string, structured: unknown, text = ""): View {
  const made = viewOf(source, tool, structured, text);
  if (made === undefined) throw new Error("There is no view.");
  return made;
}

describe("rows of known tools", () => {
  it("O60a, O60b: a calendar's events are an agenda, each with its time as the calendar says it", () => {
    const events = [
      {
        summary: "Budget",
        start: { dateTime: "2026-11-30T09:00:00+01:00" },
        end: { dateTime: "2026-11-30T10:30:00+01:00" },
        location: "Room 4",
        htmlLink: "https://calendar.google.com/event?eid=1",
      },
      { summary: "Fair", start: { date: "2026-12-01" }, end: { date: "2026-12-03" } },
      { start: { dateTime: "2026-12-04T08:00:00Z" }, end: { dateTime: "2026-12-05T08:00:00Z" } },
    ];
    const agenda = view("google-calendar", "list_events", { events });
    expect(agenda).toEqual({
      kind: "view",
      of: "agenda",
      title: "Your calendar",
      more: 0,
      rows: [
        {
          title: "Budget",
          detail: "2026-11-30 09:00–10:30 · Room 4",
          link: "https://calendar.google.com/event?eid=1",
          compose: { label: "Prepare", text: "Help me prepare for “Budget” (2026-11-30 09:00)" },
        },
        {
          title: "Fair",
          detail: "2026-12-01–2026-12-03",
          compose: { label: "Prepare", text: "Help me prepare for “Fair” (2026-12-01)" },
        },
        {
          title: "(no title)",
          detail: "2026-12-04 08:00–2026-12-05 08:00",
          compose: { label: "Prepare", text: "Help me prepare for “(no title)” (2026-12-04 08:00)" },
        },
      ],
    });
    // The same as text alone, and wrapped.
    expect(view("google-calendar", "search_events", undefined, JSON.stringify({ events }))).toEqual(agenda);
    expect(view("google-calendar", "list_events", { result: { events } })).toEqual(agenda);
  });

  it("O60b, O61b: mail is rows, whose next step is words to send", () => {
    const messages = [
      { subject: "Budget", sender: "Ada <ada@example.org>", snippet: "Here it is", date: "2026-11-29T10:00:00Z" },
    ];
    const mail = view("google-mail", "search_threads", { threads: [{ id: "1", messages }, { messages: [] }] });
    expect(mail.rows).toEqual([
      {
        title: "Budget",
        detail: "Ada · 2026-11-29 10:00 · Here it is",
        compose: { label: "Reply", text: "Draft a reply to Ada about “Budget”" },
      },
    ]);
    expect(view("google-mail", "get_thread", { id: "1", messages }).rows).toEqual(mail.rows);
    const long = { threads: [{ messages: [...messages, { subject: "Re: Budget", from: "bob@example.org" }] }] };
    expect(view("google-mail", "search_threads", long).rows[0]).toMatchObject({
      title: "Re: Budget",
      detail: "2 mails · bob@example.org",
    });
  });

  it("O60b: a drive's files are rows with their links", () => {
    const files = [
      {
        title: "Plan",
        mimeType: "application/vnd.google-apps.document",
        viewUrl: "https://docs.google.com/document/d/1",
        modifiedTime: "2026-11-20T12:00:00Z",
      },
    ];
    expect(view("google-drive", "search_files", { files }).rows).toEqual([
      {
        title: "Plan",
        detail: "document · 2026-11-20 12:00",
        link: "https://docs.google.com/document/d/1",
        compose: { label: "Summarise", text: "Summarise “Plan” from my Drive" },
      },
    ]);
  });

  it("O60b: what was said in Slack is rows, from either server", () => {
    const messages = [
      { user: "ada", text: "Lunch?", channel: { name: "general" }, permalink: "https://a.slack.com/archives/C1/p1" },
    ];
    expect(view("slack", "slack_read_channel", { messages }).rows).toEqual([
      {
        title: "Lunch?",
        detail: "ada · general",
        link: "https://a.slack.com/archives/C1/p1",
        compose: { label: "Reply", text: "Draft a reply to ada about “Lunch?”" },
      },
    ]);
    expect(view("slack", "slack_search_public", { messages: { matches: messages } }).rows).toHaveLength(1);
    const lines =
      'MsgID,UserID,UserName,RealName,Channel,ThreadTs,Text,Time,Reactions,Cursor\n1.2,U1,ada,Ada L,#general,,"Soup, ""hot""\nor bread?",2026-11-30T12:00:00Z,,\n1.3,U2,bob,,#general,,Soup,2026-11-30T12:01:00Z,,\n';
    expect(view("slack", "conversations_history", undefined, lines).rows).toMatchObject([
      { title: 'Soup, "hot" or bread?', detail: "Ada L · #general · 2026-11-30 12:00" },
      { title: "Soup", detail: "bob · #general · 2026-11-30 12:01" },
    ]);
  });

  it("O60b: a folder's files are rows", () => {
    const sizes =
      "[FILE] my notes 2.md          12.5 KB\n[DIR] sub   \n\nTotal: 1 files, 1 directories\nCombined size: 3 B";
    expect(
      view("filesystem", "list_directory_with_sizes", { content: sizes }).rows.map(({ title, detail }) => [
        title,
        detail,
      ]),
    ).toEqual([
      ["my notes 2.md", "12.5 KB"],
      ["sub", "folder"],
    ]);
    expect(
      view("filesystem", "list_directory", undefined, "[FILE] 5 KB\n[DIR] x").rows.map(({ title }) => title),
    ).toEqual(["5 KB", "x"]);
    expect(view("filesystem", "search_files", undefined, "/a/b/plan.md\n/a/c").rows).toMatchObject([
      { title: "plan.md", detail: "/a/b", compose: { label: "Ask about it", text: "What is in “/a/b/plan.md”?" } },
      { title: "c", detail: "/a" },
    ]);
    const tree = [{ name: "sub", type: "directory", children: [{ name: "b.md", type: "file" }] }];
    expect(
      view("filesystem", "directory_tree", undefined, JSON.stringify(tree)).rows.map(({ title }) => title),
    ).toEqual(["sub", "sub/b.md"]);
  });

  it.each([
    ["tarot", "list_events", { events: [{ summary: "x" }] }, ""],
    ["google-calendar", "delete_event", { events: [{ summary: "x" }] }, ""],
    ["google-calendar", "toString", { events: [{ summary: "x" }] }, ""],
    ["constructor", "name", {}, ""],
    ["google-calendar", "list_events", { events: [] }, ""],
    ["google-calendar", "list_events", { events: "x" }, ""],
    ["google-mail", "search_threads", { threads: [{ messages: [{ subject: "\u200B" }] }] }, ""],
    ["filesystem", "search_files", undefined, "No matches found"],
    ["filesystem", "list_directory", undefined, "Access denied"],
    ["slack", "conversations_history", undefined, "no rights"],
    ["google-drive", "search_files", undefined, "{ nonsense"],
  ])("O60a: %s %s of another shape has no view", (source, tool, structured, text) => {
    expect(viewOf(source, tool, structured, text)).toBeUndefined();
  });
});

describe("what rows hold", () => {
  it("O60c: an agenda has 60 rows, the others 30, and the rest is counted", () => {
    const many = (name: string, row: object): object => ({ [name]: Array.from({ length: 100 }, () => row) });
    const agenda = view("google-calendar", "list_events", many("events", { summary: "x" }));
    expect([agenda.rows.length, agenda.more]).toEqual([60, 40]);
    const files = view("google-drive", "search_files", many("files", { title: "x" }));
    expect([files.rows.length, files.more]).toEqual([30, 70]);
  });

  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "https://user:secret@example.org/",
    "ftp://example.org/",
    "//example.org/",
    "not a link",
    `https://example.org/${"x".repeat(2_000)}`,
    7,
    null,
  ])("O61a: %s is no link", (viewUrl) => {
    expect(view("google-drive", "search_files", { files: [{ title: "x", viewUrl }] }).rows[0]).not.toHaveProperty(
      "link",
    );
  });

  it("O61a, O61b: text from outside stays on its line, without what can't be seen", () => {
    const [row] = view("google-mail", "get_thread", {
      messages: [
        {
          subject: "Pay\nnow\u202E \u0007**here**",
          sender: '"Ada\r\nBob" <ada@example.org>',
          snippet: "x".repeat(100_000),
        },
      ],
    }).rows;
    expect(row?.title).toBe("Pay now **here**");
    expect(row?.compose?.text).toBe("Draft a reply to Ada Bob about “Pay now **here**”");
    expect(row?.detail).toHaveLength(300);
  });

  const shapes = fc.oneof(
    fc.anything(),
    fc.record({ events: fc.array(fc.record({ summary: fc.anything(), start: fc.anything(), htmlLink: fc.webUrl() })) }),
    fc.record({ threads: fc.array(fc.record({ messages: fc.anything() })) }),
    fc.record({ files: fc.array(fc.record({ title: fc.string({ unit: "binary" }), viewUrl: fc.string() })) }),
    fc.record({
      messages: fc.array(fc.record({ text: fc.string({ unit: "binary", maxLength: 2_000 }), user: fc.string() })),
    }),
    fc.record({ content: fc.string() }),
  );
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc
      .array(fc.tuple(fc.constantFrom("[FILE] ", "[DIR] ", "/", "MsgID,Text\n", '"'), fc.string()))
      .map((lines) => lines.map((line) => line.join("")).join("\n")),
  );

  it("O60a, O60c, O61a: whatever a tool gives, there is no view or one within its bounds", () => {
    fc.assert(
      fc.property(fc.constantFrom(...TOOLS), shapes, texts, ([source, tool], given, text) => {
        const made = viewOf(source, tool, given, text);
        if (made === undefined) return;
        expect(made.rows.length).toBeGreaterThan(0);
        expect(made.rows.length).toBeLessThanOrEqual(made.of === "agenda" ? 60 : 30);
        for (const { title, detail, link, compose } of made.rows) {
          const lengths = [title, detail, compose?.label ?? "", compose?.text ?? ""].map((one) => one.length);
          expect(lengths[0]).toBeGreaterThan(0);
          expect(lengths[0]).toBeLessThanOrEqual(4 * 200);
          expect(lengths[1]).toBeLessThanOrEqual(4 * 300);
          expect(lengths[3]).toBeLessThanOrEqual(4 * 200);
          expect([title, detail, compose?.text].join("")).not.toMatch(
            /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u,
          );
          if (link === undefined) continue;
          const { protocol, username, password } = new URL(link);
          expect(["http:", "https:"]).toContain(protocol);
          expect(username + password).toBe("");
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it("O60a: a long result of nothing but quotes is read through once", () => {
    const text = `MsgID,Text\n${'"'.repeat(1_500_000)}x`;
    expect(viewOf("slack", "conversations_history", undefined, text)).toBeUndefined();
    expect(
      viewOf("filesystem", "list_directory_with_sizes", undefined, `[FILE] ${" ".repeat(1_000_000)}`),
    ).toBeUndefined();
  });
});

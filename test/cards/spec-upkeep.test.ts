// What can be turned on has its line in the map and its card; what has results worth seeing has its rows. A further kind, app or source
// that lacks one fails here.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openTurnDesk } from "../../src/cards/desk.ts";
import { mapSection } from "../../src/cards/map.ts";
import { offerTool } from "../../src/cards/offer-tool.ts";
import { drawOffer } from "../../src/cards/offers.ts";
import { drawView } from "../../src/cards/views.ts";
import { readEntries } from "../../src/catalog/entries.ts";
import type { Item } from "../../src/catalog/port.ts";
import { viewOf, VIEW_SOURCES } from "../../src/catalog/views.ts";
import type { TargetKind } from "../../src/core/card.ts";
import { openStore } from "../../src/store/open.ts";
import { recordedSurroundings } from "../contracts/channel.ts";
import { app, skill, toyCatalog } from "./catalog.ts";

const { surroundings } = recordedSurroundings();
const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** One of each kind; a further kind does not compile before it is here. */
const KINDS: Readonly<Record<TargetKind, Item>> = {
  app: app("drive", { name: "Drive", tagline: "Your files" }),
  skill: skill("trips", { name: "trips", tagline: "Plans trips." }),
};

const SHIPPED: readonly Item[] = readEntries(read("config/apps.yaml")).map(
  ({ id, name, tagline, about, cues, featured, retired, may }) =>
    app(id, { name, tagline, about, cues, featured, may, state: retired ? "retired" : "off" }),
);

describe("O68, O72: what can be turned on", () => {
  it.each(Object.entries(KINDS))(
    "O3, O5, O68, O72: has its line in the map and can be offered: %s",
    async (kind, item) => {
      const { text, holds } = mapSection({ items: [item], muted: new Set(), reaches: [], words: "" });
      const name = item.name === item.id ? "" : ` (${item.name})`;
      expect(text.split("\n")).toContain(`- ${kind} ${item.id}${name}: ${item.tagline}`);
      expect(holds(item.kind, item.id)).toBe(true);

      await using store = await openStore({ folder: ":memory:", ...surroundings });
      const engine = { tools: true, images: false, plan: false, ownTools: false, sessions: false, holdMs: 0 };
      const desk = await openTurnDesk(
        { catalog: toyCatalog([item]), store, surroundings },
        {
          ...{ conversation: "c", turn: "t", attendance: "owner", room: "private", engine },
          ...{ words: "Do it", clean: async () => true },
        },
      );
      const tool = offerTool(desk);
      const enumOf = (tool.input["properties"] as { readonly kind: { readonly enum: readonly string[] } }).kind.enum;
      expect(new Set(enumOf)).toEqual(new Set(Object.keys(KINDS)));
      const context = { conversation: "c", turn: "t", signal: new AbortController().signal, taints: async () => [] };
      const { offer } = await tool.run(tool.check({ kind, target: item.id, why: "It fits" }), context);
      if (offer === undefined) throw new Error("Nothing was offered.");
      const { text: card, rows } = drawOffer(offer);
      expect(card).toContain(`**${item.name}**?`);
      const acts = offer.options.map(({ act }) => act);
      expect(acts).toContain("take");
      expect(acts.slice(-2)).toEqual(["not-now", "mute"]);
      expect(rows.flat().length).toBe(acts.length);
    },
  );

  it.each(SHIPPED.map((item) => [item.id, item] as const))(
    "O3, O4, O72: each shipped app has its line, a retired one has none: %s",
    (_, item) => {
      const { text, holds } = mapSection({ items: [item], muted: new Set(), reaches: [], words: "" });
      if (item.state === "retired") expect([text, holds("app", item.id)]).toEqual(["", false]);
      else expect(text).toContain(`- app ${item.id}${item.name === item.id ? "" : ` (${item.name})`}: ${item.tagline}`);
    },
  );
});

const EVENTS = { events: [{ summary: "Dentist", start: { date: "2026-12-04" } }] };
const MAIL = { subject: "Friday", sender: "Ada", snippet: "Shall we?" };
const DRIVE = { files: [{ title: "Trip", viewUrl: "https://drive.example/1" }] };
const TALK = { messages: [{ user: "ada", text: "Ferry?" }] };
const LISTING = "[FILE] trip.md\n[DIR] tickets";

/** A result of every tool that has results worth seeing, as its server gives it. */
const RESULTS: { readonly [source in (typeof VIEW_SOURCES)[number]]: Readonly<Record<string, unknown>> } = {
  filesystem: {
    list_directory: LISTING,
    list_directory_with_sizes: "[FILE] trip.md  2 KB\n[DIR] tickets",
    search_files: "/home/sam/trip.md",
    directory_tree: [{ name: "tickets", type: "directory", children: [] }],
  },
  "google-calendar": { list_events: EVENTS, search_events: EVENTS },
  "google-mail": { search_threads: { threads: [{ messages: [MAIL] }] }, get_thread: { messages: [MAIL] } },
  "google-drive": { search_files: DRIVE, list_recent_files: DRIVE },
  slack: {
    ...{ slack_read_channel: TALK, slack_read_thread: TALK, slack_search_public: TALK },
    ...{ slack_search_public_and_private: TALK, conversations_history: TALK },
    ...{ conversations_replies: TALK, conversations_search_messages: TALK },
  },
};

describe("O60b, O72: what has results worth seeing", () => {
  const known = Object.entries(RESULTS).flatMap(([source, tools]) =>
    Object.entries(tools).map(([tool, result]) => [source, tool, result] as const),
  );

  it.each(known)("O60a, O60b, O72: %s %s is drawn as rows", (source, tool, result) => {
    const text = typeof result === "string" ? result : JSON.stringify(result);
    const view = viewOf(source, tool, undefined, text);
    if (view === undefined) throw new Error("It has no view.");
    const { text: card } = drawView(view, []);
    expect(card).toMatch(/^\*\*.+\*\*\n\n- .+/u);
    expect(card).not.toContain("nothing");
  });

  it("O72: every row of the table has a result here, and nothing else has", () => {
    // The table is nobody's to import: its tools are read where they stand.
    const [, table = ""] = /const TABLE: [^\n]+\{\n([\s\S]*?)\n\};/u.exec(read("src/catalog/views.ts")) ?? [];
    const named = [...table.matchAll(/\b([a-z]+(?:_[a-z]+)+): (?:\{|[A-Z]+)/gu)].map(([, name = ""]) => name);
    expect(new Set(named)).toEqual(new Set(known.map(([, tool]) => tool)));
    expect(named.length).toBe(known.length);
  });

  it("O72: every source is some shipped app's", () => {
    const used = new Set(readEntries(read("config/apps.yaml")).flatMap(({ views }) => views ?? []));
    expect(used).toEqual(new Set(VIEW_SOURCES));
  });
});

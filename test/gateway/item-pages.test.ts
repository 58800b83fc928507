// The pages of what can be turned on: what they say of each state, how they page, and that nothing on them is more than text.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Item } from "../../src/catalog/port.ts";
import { renderTelegram } from "../../src/channels/telegram/render.ts";
import { MUTES } from "../../src/cards/mutes.ts";
import type { Page, TargetKind } from "../../src/core/card.ts";
import { drawItem, drawItems, drawSettings } from "../../src/gateway/item-pages.ts";
import type { Drawn } from "../../src/gateway/leaves.ts";
import { app, skill } from "../cards/catalog.ts";
import { runs } from "../deep.ts";
import { settingsOf } from "./plain-settings.ts";

type ItemPage = Extract<Page, { of: "item" }>;

const list = (items: readonly Item[], from = 0, kind: TargetKind = "app", maxChars = 1700): Drawn =>
  drawItems({ of: "items", kind, from }, { catalog: { items }, maxChars });
const one = async (item: Item, more: Partial<ItemPage> = {}, maxChars = 1700): Promise<Drawn> =>
  await drawItem(
    { of: "item", kind: item.kind, id: item.id, from: 0, ...more },
    { catalog: { items: [item] }, store: { settings: settingsOf() }, maxChars },
  );
const labels = ({ rows }: Drawn): readonly string[] => rows.flat().map(({ label }) => label);

describe("a list", () => {
  it("F18: what is on comes first, then what was picked out, then the rest; nothing retired, and no other kind", () => {
    const { text } = list([
      app("plain"),
      app("picked", { featured: true }),
      app("retired", { state: "retired", trouble: "gone" }),
      app("on", { state: "on" }),
      app("other", { state: "changed" }),
      app("silent", { state: "on", trouble: "It is away." }),
      skill("tea"),
    ]);
    expect([...text.matchAll(/\*\*(\w+)\*\* \(([^)]*)\)/gu)].map(([, name, state]) => `${name}: ${state}`)).toEqual([
      "Other: its tools changed",
      "On: connected",
      "Silent: connected, not answering",
      "Picked: not connected",
      "Plain: not connected",
    ]);
    expect(list([skill("tea", { state: "asked" })], 0, "skill").text).toContain("(used when you ask)");
  });

  it("F18: whatever the length, every thing is on exactly one page, and More leads through all of them", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), (count) => {
        const items = Array.from({ length: count }, (_, nth) => app(`app-${nth}`));
        const seen: string[] = [];
        let page: Page | undefined = { of: "items", kind: "app", from: 0 };
        for (let pages = 0; page !== undefined; pages += 1) {
          expect(pages).toBeLessThan(10);
          const drawn: Drawn = list(items, page.of === "items" ? page.from : -1);
          expect(drawn.rows.every((row) => row.length <= 4)).toBe(true);
          const leaves = drawn.rows.flat().flatMap((leaf) => ("page" in leaf ? [leaf] : []));
          for (const leaf of leaves) if (leaf.page.of === "item") seen.push(leaf.page.id);
          page = leaves.find(({ label }) => label === "More ›")?.page;
        }
        expect(seen).toEqual(items.map(({ id }) => id));
      }),
    );
  });

  it("F18: a button of a longer list shows the last page of what is left", () => {
    const { text } = list(
      Array.from({ length: 9 }, (_, nth) => app(`app-${nth}`)),
      40,
    );
    expect(text).toContain("9. **App");
    expect(list([], 40).rows).toEqual([]);
  });
});

describe("a page", () => {
  it("F18: each state has its acts, and no more", async () => {
    const acts = async (item: Item, more: Partial<ItemPage> = {}): Promise<readonly string[]> =>
      labels(await one(item, more)).filter((label) => label !== "‹ All");
    expect(await acts(app("a"))).toEqual(["Connect"]);
    expect(await acts(app("a", { state: "on" }))).toEqual(["Disconnect"]);
    expect(await acts(app("a", { state: "on", trouble: "Away." }))).toEqual(["Try again", "Disconnect"]);
    expect(await acts(app("a", { state: "changed" }))).toEqual(["Agree to its tools", "Disconnect"]);
    expect(await acts(app("a", { state: "retired" }))).toEqual([]);
    const keyed = { by: "key", variables: [{ name: "A_KEY", set: false }] } as const;
    expect(await acts(app("a", { connects: keyed }))).toEqual([]);
    expect((await one(app("a", { connects: keyed }))).text).toContain("It needs `A_KEY`");
    expect(await acts(app("a"), { stage: { is: "working" } })).toEqual([]);
    expect(await acts(app("a"), { stage: { is: "sign-in", url: "https://x.example" } })).toEqual([
      "Sign in",
      "New link",
    ]);
    expect(await acts(skill("a"))).toEqual(["Use it by itself", "When I ask"]);
    expect(await acts(skill("a", { state: "asked" }))).toEqual(["Use it by itself", "Off"]);
    expect(await acts(skill("a", { about: "", tagline: "", trouble: "No name." }))).toEqual([]);
  });

  it("O33: what it may do stands there before it can be turned on; one of the owner's own says that nobody has looked", async () => {
    expect((await one(skill("tea", { may: ["Run commands"] }))).text).toMatch(/It may:\n- Run commands/u);
    expect((await one(app("own", { reviewed: false }))).text).toContain("nobody has looked at its tools");
    expect((await one(app("mail"))).text).not.toContain("nobody has looked");
  });

  it("O65, G44: whatever a folder or a config says, it is one line of plain text and the page a message", async () => {
    const odd = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 400 }),
      fc.constantFrom("# x", "\n\n---\n", "- x", "<b>x", "[a](https://b.example)", "**x**", "👩‍👩‍👧‍👦".repeat(400)),
    );
    await fc.assert(
      fc.asyncProperty(odd, odd, fc.array(odd, { maxLength: 40 }), async (name, about, may) => {
        const item = app("own", { name, about, tagline: about, may, trouble: about, reviewed: false });
        for (const drawn of [await one(item, { stage: { is: "words", words: about } }, 400), list([item])]) {
          // Bold, our own, is all there is: of a name nothing at all is drawn.
          const html = renderTelegram(drawn.text)
            .map((piece) => JSON.stringify(piece))
            .join("");
          expect(html).not.toMatch(/<(?:h\d|hr|pre|blockquote)\b/u);
          expect(html).not.toMatch(/<a href="[^"]*">(?!http|www|[^<]*\.)/u);
          expect(drawn.text.length).toBeLessThan(6000);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it("F18: of something that is gone it says so, and leads back", async () => {
    const gone = await drawItem(
      { of: "item", kind: "app", id: "x", from: 8 },
      { catalog: { items: [] }, store: { settings: settingsOf() }, maxChars: 1700 },
    );
    expect(gone.rows).toEqual([[{ label: "‹ All", page: { of: "items", kind: "app", from: 8 } }]]);
  });
});

it("O31: settings list what was muted by its name, the newest twenty at most, with the number of the others", async () => {
  const settings = settingsOf({
    [MUTES]: ["mail", "skill:tea", ...Array.from({ length: 30 }, (_, nth) => `old-${nth}`)],
  });
  const drawn = await drawSettings({ store: { settings }, catalog: { items: [app("mail"), skill("tea")] } });
  expect(drawn.text).toMatch(/1\. Mail\n2\. tea\n3\. old/u);
  expect(drawn.text).toContain("and 12 more");
  expect(drawn.rows.flat()).toHaveLength(20);
  expect(drawn.rows.flat()[1]).toEqual({ label: "2", page: { of: "settings", unmute: "skill:tea" } });
  for (const broken of [7, "x", [7], null]) {
    const none = await drawSettings({ store: { settings: settingsOf({ [MUTES]: broken }) }, catalog: { items: [] } });
    expect(none.text).toContain("Nothing was chosen for good");
  }
});

// What the buttons of these pages do: each may be pressed again, and what goes wrong is words on the page.
import { describe, expect, it } from "vitest";
import { MUTES } from "../../src/cards/mutes.ts";
import type { Page } from "../../src/core/card.ts";
import { beginAct } from "../../src/gateway/item-acts.ts";
import { app, skill, toyCatalog, type Script, type ToyCatalog } from "../cards/catalog.ts";
import { settingsOf } from "./plain-settings.ts";

type ItemPage = Extract<Page, { of: "item" }>;
const page = (doing?: ItemPage["doing"], more: Partial<ItemPage> = {}): ItemPage => ({
  ...{ of: "item", kind: "app", id: "mail", from: 8 },
  ...(doing === undefined ? {} : { doing }),
  ...more,
});

function stage(script?: Script): {
  readonly catalog: ToyCatalog;
  readonly settings: ReturnType<typeof settingsOf>;
  readonly act: (of: Page) => Promise<{ readonly now: Page; readonly later: Page | undefined }>;
} {
  const catalog = toyCatalog([app("mail"), skill("tea")]);
  if (script !== undefined) catalog.script.set("mail", script);
  const settings = settingsOf();
  const parts = { catalog, store: { settings }, signal: new AbortController().signal };
  return {
    catalog,
    settings,
    async act(of) {
      const { now, later } = beginAct(of, parts);
      return { now: await now, later: await later };
    },
  };
}

describe("acts", () => {
  it("F18: connecting shows at once that it is under way, and then what came of it", async () => {
    const working = page(undefined, { stage: { is: "working" } });
    expect(await stage().act(page("on"))).toEqual({ now: working, later: page() });
    const signs = await stage("sign-in").act(page("on"));
    expect(signs).toMatchObject({ now: working, later: { stage: { is: "sign-in", url: /^https:/u } } });
    const notYet = await stage({ notYet: "It needs a key." }).act(page("on"));
    expect(notYet.later).toEqual(page(undefined, { stage: { is: "words", words: "It needs a key." } }));
    const failed = await stage({ throws: "It is away." }).act(page("on"));
    expect(failed.later).toEqual(page(undefined, { stage: { is: "words", words: "It is away." } }));
  });

  it("F18: turning off, and a skill's modes, are done before the page is shown; a second press changes nothing", async () => {
    const here = stage();
    const tea = { kind: "skill", id: "tea" } as const;
    for (const doing of ["asked", "on", "on", "off", "off"] as const) {
      expect(await here.act(page(doing, tea))).toEqual({ now: page(undefined, tea), later: undefined });
      expect(here.catalog.items.find(({ id }) => id === "tea")?.state).toBe(doing);
    }
    expect(here.catalog.turned).toEqual(["skill tea", "skill tea", "skill tea"]);
  });

  it("F18: a page without an act does nothing, nor does one that is drawn again after it", async () => {
    const here = stage();
    for (const of of [page(), { of: "settings" } as const, { of: "items", kind: "app", from: 0 } as const])
      expect(await here.act(of)).toEqual({ now: of, later: undefined });
    const { later } = await here.act(page("on"));
    expect(await here.act(later!)).toEqual({ now: later, later: undefined });
    expect(here.catalog.turned).toEqual(["app mail"]);
  });

  it("O31: unmuting takes out just that one, apps and skills of one name apart", async () => {
    const here = stage();
    await here.settings.set(MUTES, ["tea", "skill:tea", "mail"]);
    await here.act(page("unmute", { kind: "skill", id: "tea" }));
    expect(here.settings.all.get(MUTES)).toEqual(["tea", "mail"]);
    expect(await here.act({ of: "settings", unmute: "mail" })).toEqual({ now: { of: "settings" }, later: undefined });
    expect(here.settings.all.get(MUTES)).toEqual(["tea"]);
    await here.act({ of: "settings", unmute: "unheard-of" });
    expect(here.settings.all.get(MUTES)).toEqual(["tea"]);
  });
});

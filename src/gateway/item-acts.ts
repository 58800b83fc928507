// What the buttons on the pages of apps, skills and settings do. Each can be pressed again without harm.
import type { Page } from "../core/card.ts";
import { asGatewayError } from "../core/error.ts";
import type { Catalog } from "../catalog/port.ts";
import { mute, mutedKey } from "../cards/mutes.ts";
import type { Store } from "../store/port.ts";
import { newsOver, tellOfSignIn } from "./app-news.ts";

/** What these work with. `signal` fires at the gateway's end. */
export type ItemActParts = {
  readonly catalog: Catalog;
  readonly store: Pick<Store, "settings">;
  readonly signal: AbortSignal;
};

type ItemPage = Extract<Page, { of: "item" }>;

/** Begins what opening a page does. `now`: the page to show at once; `later`: the one to show when it is done, which may take a while. */
export function beginAct(
  page: Page,
  parts: ItemActParts,
): { readonly now: Page | Promise<Page>; readonly later?: Promise<Page> } {
  if (page.of === "settings" && page.unmute !== undefined) return { now: unmuted(page.unmute, parts.store) };
  if (page.of !== "item" || page.doing === undefined) return { now: page };
  const { doing, ...plain } = page;
  const done = carryOut(plain, doing, parts);
  // Only reaching an app takes longer than a press may.
  return page.kind === "app" && doing !== "off"
    ? { now: { ...plain, stage: { is: "working" } }, later: done }
    : { now: done };
}

async function carryOut(
  page: ItemPage,
  doing: NonNullable<ItemPage["doing"]>,
  { catalog, store, signal }: ItemActParts,
): Promise<Page> {
  const { kind, id } = page;
  try {
    if (doing === "off") {
      await catalog.turnOff(kind, id);
      if (kind === "app") await newsOver(id, store.settings);
      return page;
    }
    if (doing === "unmute") {
      await mute(mutedKey({ kind, id }), false, store.settings);
      return page;
    }
    const turned = doing === "agree" ? await catalog.agree(id, signal) : await catalog.turnOn(kind, id, doing, signal);
    if (turned.is === "sign-in") {
      await tellOfSignIn(id, store.settings);
      return { ...page, stage: { is: "sign-in", url: turned.url } };
    }
    if (kind === "app" && turned.is === "on") await newsOver(id, store.settings);
    return turned.is === "not-yet" ? { ...page, stage: { is: "words", words: turned.words } } : page;
  } catch (thrown) {
    const { message, hint } = asGatewayError(thrown, "app-failed");
    return { ...page, stage: { is: "words", words: hint === undefined ? message : `${message} ${hint}` } };
  }
}

async function unmuted(key: string, store: Pick<Store, "settings">): Promise<Page> {
  await mute(key, false, store.settings);
  return { of: "settings" };
}

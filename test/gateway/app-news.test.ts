// News of apps: told once, in the owner's private chat, and again only when the owner has seen to it in between.
import { expect, it } from "vitest";
import type { Catalog } from "../../src/catalog/port.ts";
import { newsOver, tellAppNews, tellOfSignIn } from "../../src/gateway/app-news.ts";
import type { People } from "../../src/gateway/people.ts";
import type { Way } from "../../src/gateway/plans.ts";
import { app } from "../cards/catalog.ts";
import { surroundings } from "./bare.ts";
import { HOME, SAM, shelf, type Shelf } from "./shelf.ts";

type News = { readonly app: string; readonly signedIn: boolean };
const came: News = { app: "mail", signedIn: false };
const signedIn: News = { app: "mail", signedIn: true };

/** Tells these news, one after the other, of an app as it is by then. */
async function tell(
  here: Shelf,
  news: readonly (readonly [Parameters<typeof app>[1], News])[],
  lastPrivate: People["lastPrivate"] = { room: HOME, person: SAM },
): Promise<readonly string[]> {
  let items = [app("mail")];
  const catalog: Pick<Catalog, "items" | "changes"> = {
    get items() {
      return items;
    },
    async *changes() {
      for (const [more, one] of news) {
        items = [app("mail", more)];
        yield one;
      }
    },
  };
  const people = { lastPrivate, isOwner: () => true, owner: { name: "Sam" } } as unknown as People;
  const ways: ReadonlyMap<string, Way> = here.parts.ways;
  const { signal } = new AbortController();
  await tellAppNews({ store: here.store, catalog, people, ways, surroundings, signal });
  const log = await here.store.log.read(here.here.id);
  return log.flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []));
}

it("A42: that an app's tools changed is told once, however often it is noticed, also after a restart", async () => {
  await using here = await shelf([]);
  const changed = [{ state: "changed" }, came] as const;
  expect(await tell(here, [changed, changed])).toEqual([expect.stringContaining("**Mail**")]);
  expect(await tell(here, [changed])).toHaveLength(1);
  // Agreed to, and changed once more.
  await newsOver("mail", here.store.settings);
  expect(await tell(here, [changed])).toHaveLength(2);
  expect(await tell(here, [[{ state: "on" }, came], changed])).toHaveLength(3);
});

it("O29: the end of a sign-in is told where one was begun on its page, and not where an offer waits for it", async () => {
  await using here = await shelf([]);
  expect(await tell(here, [[{ state: "on" }, signedIn]])).toEqual([]);
  await tellOfSignIn("mail", here.store.settings);
  const news = [
    // Connected first, and signed in as what follows from it.
    [{ state: "on" }, came],
    [{ state: "on" }, signedIn],
    [{ state: "on" }, signedIn],
  ] as const;
  expect(await tell(here, news)).toEqual(["**Mail** is connected."]);
});

it("O29, G44: a sign-in that ends in trouble says what it is, and one that was lost is asked for again", async () => {
  await using here = await shelf([]);
  await tellOfSignIn("mail", here.store.settings);
  expect(await tell(here, [[{ state: "on", trouble: "It is *away*." }, signedIn]])).toEqual([
    expect.stringMatching(/signed in to \*\*Mail\*\*, and I can't use it yet\. It is \\\*away/u),
  ]);
  const lost = [{ state: "off", trouble: "Mail asks for a sign-in again." }, came] as const;
  expect(await tell(here, [lost, lost])).toHaveLength(2);
});

it("A42, G44: what has no news, no app and nobody to tell is left alone", async () => {
  await using here = await shelf([]);
  expect(
    await tell(here, [
      [{ state: "on", trouble: "Away." }, came],
      [{}, { app: "gone", signedIn: true }],
    ]),
  ).toEqual([]);
});

// What the owner is told of an app when nobody asked: its tools are others now, it asks for a sign-in again, or a sign-in that was begun
// on its page is done. Once each, in their private chat. What an offer waits for, the offer says.
import type { Catalog, Item } from "../catalog/port.ts";
import { personKey } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { escapeMarkdown, oneLine } from "../core/text.ts";
import type { Settings, Store } from "../store/port.ts";
import { closeOpen } from "../cards/open.ts";
import { noticeIn, openConversation } from "./opening.ts";
import { ownerChat } from "./owner-chat.ts";
import type { People } from "./people.ts";
import type { Way } from "./plans.ts";
import { surely } from "./surely.ts";

/** What news are told with. */
export type AppNewsParts = {
  readonly store: Store;
  readonly catalog: Pick<Catalog, "items" | "changes">;
  readonly people: People;
  readonly ways: ReadonlyMap<string, Way>;
  readonly surroundings: Surroundings;
  readonly signal: AbortSignal;
};

/** What is kept of an app until it is over: what was told of it, and that a sign-in was begun on its page. */
type Kept = { readonly told?: "changed" | "signed-out"; readonly signIn?: true };

/** Tells what nobody was told when it happened, then follows what changes until the signal fires; resolves then. */
export async function tellAppNews(parts: AppNewsParts): Promise<void> {
  const { catalog, surroundings, signal } = parts;
  const told = async (app: string, signedIn: boolean): Promise<void> =>
    await surely(
      async () => await tell(app, signedIn, parts),
      "news of an app can't be told; it is tried again",
      surroundings,
      signal,
    );
  const changes = catalog.changes(signal);
  for (const item of catalog.items) if (item.kind === "app" && standing(item) !== undefined) await told(item.id, false);
  for await (const { app, signedIn } of changes) await told(app, signedIn);
}

/** A sign-in was begun on the app's page: its end is told of. */
export async function tellOfSignIn(app: string, settings: Settings): Promise<void> {
  await settings.set(keyOf(app), { ...(await kept(app, settings)), signIn: true } satisfies Kept);
}

/** The owner has seen to it: what happens from now on is news again. */
export async function newsOver(app: string, settings: Settings): Promise<void> {
  await settings.delete(keyOf(app));
}

async function tell(app: string, signedIn: boolean, parts: AppNewsParts): Promise<void> {
  const { store, catalog } = parts;
  const item = catalog.items.find(({ kind, id }) => kind === "app" && id === app);
  if (item === undefined) return;
  const before = await kept(app, store.settings);
  const now = standing(item);
  const words =
    signedIn && before.signIn === true
      ? signedInWords(item)
      : now !== undefined && now !== before.told
        ? WORDS[now](nameOf(item))
        : undefined;
  // Nobody is there to be told: it is news still, for the next start.
  if (words !== undefined && !(await say(words, parts))) return;
  // Set afterwards: what a crash at this place makes told twice is better than lost. A sign-in that is under way stays one until its end.
  const next: Kept = {
    ...(now === undefined ? {} : { told: now }),
    ...(before.signIn === true && !signedIn ? { signIn: true } : {}),
  };
  if (JSON.stringify(next) === JSON.stringify(before)) return;
  await (Object.keys(next).length === 0 ? newsOver(app, store.settings) : store.settings.set(keyOf(app), next));
}

function standing({ state, trouble }: Item): Kept["told"] {
  if (state === "changed") return "changed";
  return state === "off" && trouble !== undefined ? "signed-out" : undefined;
}

const WORDS: Readonly<Record<NonNullable<Kept["told"]>, (name: string) => string>> = {
  changed: (name) =>
    `The tools of ${name} are not the ones that you agreed to any more, so I use none of them. /apps shows it, and there you can agree to them or disconnect it.`,
  "signed-out": (name) => `${name} asks for a sign-in again. Until then I can't use it. /apps connects it anew.`,
};

function signedInWords(item: Item): string {
  if (item.state === "on" && item.trouble === undefined) return `${nameOf(item)} is connected.`;
  const why = item.trouble === undefined ? "" : ` ${escapeMarkdown(oneLine(item.trouble))}`;
  return `You are signed in to ${nameOf(item)}, and I can't use it yet.${why} /apps shows how it stands.`;
}

function nameOf({ name }: Item): string {
  return `**${escapeMarkdown(oneLine(name))}**`;
}

/** False where the owner has no chat, or none on a platform that is here: /apps says how it stands. */
async function say(words: string, { store, people, ways, surroundings }: AppNewsParts): Promise<boolean> {
  const there = await ownerChat({ people, store, ways });
  if (there === undefined) return false;
  for (let told = false; !told;) {
    const current = await store.conversations.current(there.room, personKey(there.person));
    const open = current ?? openConversation(there.room, there.person, surroundings);
    const changes = "changes" in open ? open.changes : [];
    await closeOpen(store, open, surroundings.clock.now(), "command");
    const done = await store.commit([...changes, noticeIn(open.id, words, false, surroundings)]);
    // The chat was deleted just now: the next look finds another.
    told = done.ok;
  }
  return true;
}

async function kept(app: string, settings: Settings): Promise<Kept> {
  const found = await settings.get<unknown>(keyOf(app));
  return typeof found === "object" && found !== null ? found : {};
}

function keyOf(app: string): string {
  return `app-news/${app}`;
}

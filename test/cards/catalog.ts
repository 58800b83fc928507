// A catalogue that does what it is told: things that are on or off, sign-ins that a test finishes, and connections that a test holds.
import type { Catalog, Item, TurnedOn } from "../../src/catalog/port.ts";
import { GatewayError } from "../../src/core/error.ts";

/** An app that is off, unless something else is said. */
export function app(id: string, more: Partial<Item> = {}): Item {
  return {
    kind: "app",
    id,
    name: `${id.slice(0, 1).toUpperCase()}${id.slice(1)}`,
    tagline: `What ${id} does`,
    about: `All that ${id} is about.`,
    state: "off",
    may: [`Read your ${id}`, `Change your ${id}`],
    featured: false,
    reviewed: true,
    cues: { words: [id], not: [] },
    connects: { by: "nothing" },
    ...more,
  };
}

/** A skill that is off, unless something else is said. */
export function skill(id: string, more: Partial<Item> = {}): Item {
  return app(id, { kind: "skill", name: id, may: ["Run commands"], reviewed: false, ...more });
}

/** What connecting an app comes to: on by default. */
export type Script = "on" | "only says so" | "sign-in" | { readonly notYet: string } | { readonly throws: string };

/** The catalogue, and what a test does to it. It outlives a gateway that ends: what is on stays on. */
export type ToyCatalog = Catalog & {
  /** What connecting comes to from now on; a promise holds it. */
  readonly script: Map<string, Script | Promise<Script>>;
  /** Each time something was to be turned on: "app mail". */
  readonly turned: readonly string[];
  set(kind: Item["kind"], id: string, more: Partial<Item>): void;
  /** The person has come back from the page: it is on, and said so. */
  signIn(id: string): void;
  /** The address at which a browser on another machine ends. */
  readonly finishSignIn: (address: string) => Promise<string | undefined>;
};

export function toyCatalog(given: readonly Item[] = []): ToyCatalog {
  let items = [...given];
  const script: ToyCatalog["script"] = new Map();
  const turned: string[] = [];
  const followers = new Set<(news: { readonly app: string; readonly signedIn: boolean }) => void>();
  const set: ToyCatalog["set"] = (kind, id, more) => {
    items = items.map((item) => (item.kind === kind && item.id === id ? { ...item, ...more } : item));
  };
  const signIn = (id: string): void => {
    set("app", id, { state: "on" });
    for (const follower of followers) follower({ app: id, signedIn: true });
  };
  return {
    script,
    turned,
    set,
    signIn,
    get items() {
      return items;
    },
    tools: [],
    async turnOn(kind, id, how, signal): Promise<TurnedOn> {
      turned.push(`${kind} ${id}`);
      const item = items.find((one) => one.kind === kind && one.id === id);
      if (item === undefined) return { is: "not-yet", words: "There is nothing of that name." };
      if (item.state === "on") return { is: "on" };
      const told = await Promise.race([
        script.get(id) ?? "on",
        new Promise<never>((_, reject) =>
          signal.addEventListener("abort", () => reject(new GatewayError("app-failed", "Ended."))),
        ),
      ]);
      if (told === "sign-in") return { is: "sign-in", url: `https://login.example/${id}?state=${turned.length}` };
      if (typeof told === "object" && "notYet" in told) return { is: "not-yet", words: told.notYet };
      if (typeof told === "object") throw new GatewayError("app-failed", told.throws);
      if (told === "on") set(kind, id, { state: how });
      return { is: "on" };
    },
    async turnOff(kind, id) {
      set(kind, id, { state: "off" });
    },
    agree: async () => ({ is: "on" }),
    async skill(id) {
      const item = items.find((one) => one.kind === "skill" && one.id === id);
      return item?.state === "on" || item?.state === "asked" ? `Do ${id} in three steps.` : undefined;
    },
    async *changes(signal) {
      const news: { readonly app: string; readonly signedIn: boolean }[] = [];
      let wake = Promise.withResolvers<void>();
      const hear = (one: { readonly app: string; readonly signedIn: boolean }): void => {
        news.push(one);
        wake.resolve();
      };
      followers.add(hear);
      signal.addEventListener("abort", () => wake.resolve(), { once: true });
      try {
        while (!signal.aborted) {
          await wake.promise;
          wake = Promise.withResolvers();
          yield* news.splice(0);
        }
      } finally {
        followers.delete(hear);
      }
    },
    async finishSignIn(address) {
      const id = new URL(address).searchParams.get("state") ?? "";
      if (!items.some((item) => item.kind === "app" && item.id === id)) return undefined;
      if (new URL(address).searchParams.has("error"))
        throw new GatewayError("app-failed", "The service refused the sign-in.");
      signIn(id);
      return id;
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

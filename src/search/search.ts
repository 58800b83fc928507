// THE SEARCH: an index beside the store that follows the log, and can be made again from it at any time.
//
//   log ─follow→ reading (lines, without secrets) ─→ writing (rows, list, terms, place: one transaction)
//   find, read ─→ first the same up to the log's head ─→ query over the rows
//
// All work on the file stands in one queue. A file that can't be used is made anew from the log, once in a life.
import { renameSync } from "node:fs";
import { asGatewayError, GatewayError } from "../core/error.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { isBusy, isDiskFull } from "../store/database.ts";
import { startBuild, type Build } from "./building.ts";
import { Index, isFileFailure, type SearchedStore } from "./index.ts";
import { secretsIn } from "../taint/shapes.ts";
import { scrubberNote } from "./scrubbed.ts";
import { openCurrent } from "./opening.ts";
import {
  MAX_CHATS,
  matchOf,
  type Found,
  type IndexState,
  type Place,
  type Scope,
  type Search,
  type Stretch,
} from "./port.ts";
import { findIn } from "./query.ts";
import { IN_MEMORY, indexFiles, makeIndex, removeIndex, removeUnfinished } from "./schema.ts";
import type { Vocabulary } from "./spelling.ts";
import { readStretch } from "./stretch.ts";

/**
 * `folder`: the data folder, or ":memory:" for an index that ends with its disposal. `secrets`: exact values that must never be found.
 * `farBehind`: an index that lacks more places of the log than this, 20,000 by default, is made anew in a thread.
 */
export type SearchOptions = {
  readonly folder: string;
  readonly store: SearchedStore;
  readonly secrets: readonly string[];
  readonly farBehind?: number;
} & Surroundings;

/**
 * Opens the index of a data folder for the store of the same folder. Resolves soon: what takes long goes on behind. Throws nothing for
 * what is wrong with the file; `state` tells. To be disposed before the store.
 */
export async function openSearch(options: SearchOptions): Promise<Search> {
  const search = new FollowingSearch(options);
  await search.begin();
  return search;
}

/** What is said within a second is taken in together. */
const PAUSE_MS = 1000;
const PAUSE_AFTER_FAILURE_MS = 10_000;

/** Taking in fewer by and by is as fast, and nobody is told to wait. */
const FAR_BEHIND = 20_000;

/** A second failure is the last in one life. */
const MAX_FAILURES = 2;

class FollowingSearch implements Search {
  readonly #options: SearchOptions & { readonly farBehind: number };
  readonly #ending = new AbortController();
  readonly #forgotten = new Set<string>();
  #index: Index | undefined;
  #build: Build | undefined;
  #failures = 0;
  #queue: Promise<unknown> = Promise.resolve();
  #following: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(options: SearchOptions) {
    this.#options = { farBehind: FAR_BEHIND, ...options };
  }

  async begin(): Promise<void> {
    await this.#alone(async () => {
      try {
        await this.#openOrBuild();
      } catch (thrown) {
        await this.#startOver(thrown);
      }
    });
    this.#following = this.#follow();
  }

  async find(query: string, scope: Scope, maxChats: number = MAX_CHATS): Promise<Found> {
    const found = await this.#ask((index, words) => findIn(index.database, words, query, scope, maxChats));
    // Only while its deletion is under way is there anything of a forgotten chat.
    const chats = found.chats.filter(({ chat }) => !this.#forgotten.has(chat));
    return chats.length === found.chats.length ? found : { match: matchOf(chats), chats };
  }

  async read(chat: string, place: Place, scope: Scope): Promise<Stretch | undefined> {
    const stretch = await this.#ask((index) => readStretch(index.database, chat, place, scope));
    return this.#forgotten.has(chat) ? undefined : stretch;
  }

  async forget(chat: string): Promise<void> {
    this.#forgotten.add(chat);
    await this.#alone(async () => {
      const build = this.#build;
      if (build !== undefined) {
        // What was built so far may hold it.
        await build.stop();
        removeUnfinished(this.#options.folder);
        this.#startBuild();
      }
      await this.#guarded(async (index) => await index.erase([chat]));
    });
  }

  state(): IndexState {
    if (this.#failures >= MAX_FAILURES) return { is: "broken" };
    return this.#build === undefined ? { is: "ready" } : { is: "building", share: this.#build.share() };
  }

  async settled(): Promise<void> {
    for (;;) {
      await this.#queue;
      if (this.#ending.signal.aborted || this.state().is === "broken") return;
      if (this.#build === undefined) {
        const head = await this.#options.store.log.head();
        await this.#drain(head);
        if (this.#index?.vocabulary !== undefined && this.#index.place >= head) return;
      } else await this.#build.over;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#ending.abort();
    await this.#build?.stop();
    await this.#following;
    await this.#queue;
    await this.#index?.[Symbol.asyncDispose]();
    this.#index = undefined;
  }

  // ---- asking

  async #ask<T>(question: (index: Index, words: Vocabulary) => T): Promise<T> {
    for (;;) {
      const { index, words } = await this.#upToDate();
      try {
        return question(index, words);
      } catch (thrown) {
        if (!isFileFailure(thrown)) throw asGatewayError(thrown);
        await this.#alone(async () => {
          if (this.#index === index) await this.#startOver(thrown);
        });
      }
    }
  }

  /** The index as of the log's head. Throws, in words, when there is none. */
  async #upToDate(): Promise<{ readonly index: Index; readonly words: Vocabulary }> {
    for (;;) {
      if (this.#ending.signal.aborted) throw new GatewayError("search-broken", "Tidegate is being stopped.");
      if (this.state().is === "broken") throw new GatewayError("search-broken");
      if (this.#build !== undefined) throw stillBuilding(this.#build.share());
      const head = await this.#options.store.log.head();
      const index = this.#index;
      if (index?.vocabulary !== undefined && index.place >= head) return { index, words: index.vocabulary };
      await this.#drain(head);
    }
  }

  /** Takes in the log up to this place of it, where there is an index. */
  async #drain(head: number): Promise<void> {
    await this.#alone(
      async () =>
        await this.#guarded(async (index) => {
          await index.prepare();
          await index.take(head);
        }),
    );
  }

  async #follow(): Promise<void> {
    const { store, clock, log } = this.#options;
    const { signal } = this.#ending;
    if (store.log.follow === undefined) return;
    let failed = false;
    while (!signal.aborted && this.state().is !== "broken") {
      await this.#build?.over;
      try {
        // What is left to do at the beginning is not put off until somebody speaks.
        if (this.#index?.vocabulary !== undefined && !(await begins(store.log.follow(this.#index.place, signal))))
          return;
        await this.#drain(await store.log.head());
        failed = false;
      } catch (thrown) {
        if (!failed) log.warn({ err: thrown }, "what was said can't be put into the search index for now");
        failed = true;
        await this.#soon();
      }
      await clock.sleep(failed ? PAUSE_AFTER_FAILURE_MS : PAUSE_MS, signal).catch(() => undefined);
    }
  }

  // ---- the queue

  async #alone(task: () => Promise<void>): Promise<void> {
    const mine = this.#queue.then(task);
    this.#queue = mine.catch(() => undefined);
    await mine;
  }

  /** Work on the index, if there is one, inside the queue. One that fails is made anew, and the work is left. */
  async #guarded(work: (index: Index) => Promise<void>): Promise<void> {
    if (this.#index === undefined || this.#ending.signal.aborted) return;
    try {
      await work(this.#index);
    } catch (thrown) {
      if (thrown instanceof GatewayError) throw thrown;
      if (isDiskFull(thrown) || isBusy(thrown)) throw cannotWrite(thrown);
      await this.#startOver(thrown);
    }
  }

  // ---- opening and making anew

  get #files(): ReturnType<typeof indexFiles> {
    return indexFiles(this.#options.folder);
  }

  #note(): string {
    return scrubberNote(this.#options.secrets, this.#options.random.key(9));
  }

  async #openOrBuild(): Promise<void> {
    const { folder, store, log, farBehind } = this.#options;
    if (folder === IN_MEMORY) {
      this.#use(makeIndex(IN_MEMORY, this.#note()));
      return;
    }
    const { main } = this.#files;
    removeUnfinished(folder);
    const opened = await openCurrent(main, store, this.#options);
    if (!("unfit" in opened)) {
      this.#use(opened);
      return;
    }
    log.info({ because: opened.unfit }, "the search index is made anew");
    if ((await store.log.head()) > farBehind) this.#startBuild();
    else this.#use(makeIndex(main, this.#note()));
  }

  #use(database: Index["database"]): void {
    const { folder, store, secrets, clock, log } = this.#options;
    this.#index = new Index(database, {
      path: folder === IN_MEMORY ? IN_MEMORY : this.#files.main,
      ...{ store, clock, log, secretsIn: secretsIn(secrets), forgotten: this.#forgotten, ending: this.#ending.signal },
    });
  }

  #startBuild(): void {
    // Nobody would end it.
    if (this.#ending.signal.aborted) return;
    const { folder, secrets } = this.#options;
    const build = startBuild({ folder, secrets, scrubber: this.#note() }, async (failure) => {
      await this.#alone(async () => {
        // Stopped meanwhile.
        if (this.#build !== build) return;
        this.#build = undefined;
        await (failure === undefined ? this.#swap() : this.#startOver(failure));
      });
    });
    this.#build = build;
  }

  /** Uses what was built. */
  async #swap(): Promise<void> {
    const { main, next } = this.#files;
    try {
      removeIndex(main);
      renameSync(next, main);
      const opened = await openCurrent(main, this.#options.store, this.#options);
      if ("unfit" in opened) throw new Error(`the index that was built is of no use: ${opened.unfit}`);
      this.#use(opened);
    } catch (thrown) {
      await this.#startOver(thrown);
    }
  }

  /** After a failure of the file: it goes, and with it whatever it still held of deleted chats. */
  async #startOver(cause: unknown): Promise<void> {
    const { folder, log } = this.#options;
    this.#failures += 1;
    const index = this.#index;
    this.#index = undefined;
    const again = this.#failures < MAX_FAILURES;
    log.error(
      { err: cause },
      again ? "the search index is broken and is made anew" : "the search index is broken for now",
    );
    try {
      await index?.[Symbol.asyncDispose]();
      if (folder !== IN_MEMORY) removeIndex(this.#files.main);
      if (again) await this.#openOrBuild();
    } catch (thrown) {
      if (again) await this.#startOver(thrown);
    }
  }

  #soon(): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.soon(resolve);
    });
  }
}

/** Resolves with true when something comes, with false when nothing will. */
async function begins(items: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _item of items) return true;
  return false;
}

function stillBuilding(share: number): GatewayError {
  const done = Math.floor(share * 100);
  return new GatewayError(
    "search-building",
    `The index of earlier chats is being built (${done} % done). Try again in a minute.`,
  );
}

function cannotWrite(cause: unknown): GatewayError {
  return new GatewayError(
    "search-broken",
    isDiskFull(cause)
      ? "Earlier chats can't be looked through now: the disk is full."
      : "Earlier chats can't be looked through now: another program holds the index.",
    { cause, hint: isDiskFull(cause) ? "Free some space; Tidegate goes on by itself." : "Try again in a minute." },
  );
}

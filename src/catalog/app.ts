// One app over time: off, on, signed out, changed; connected when it is needed, and again after it broke.
import { asGatewayError, GatewayError } from "../core/error.ts";
import type { Tool } from "../core/tool.ts";
import { appTools, type Toolset } from "./app-tools.ts";
import { unless } from "./deadline.ts";
import type { AppEntry } from "./entries.ts";
import { openLink, type Called, type Link } from "./link.ts";
import { connectsBy, keyRefused, missingWords, signInApp } from "./needs.ts";
import type { SignInApp } from "./oauth.ts";
import type { Item, ItemState, TurnedOn } from "./port.ts";
import { agreedTo, toolChanges, type ToolDigests } from "./tool-changes.ts";
import { untilItWorks } from "./retry.ts";
import type { Challenge } from "./remote.ts";
import { wireTo, type WireAround } from "./wires.ts";

/**
 * What is kept of an app between starts. `agreed`: the digest of the tools that were agreed to. `tools`: the beginning of each one's own, by
 * its name; older records have none.
 */
export type AppRecord = {
  readonly on: boolean;
  readonly agreed?: string | undefined;
  readonly tools?: ToolDigests | undefined;
  readonly signedOut?: true;
};

/** What an app needs of the catalogue around it. */
export type AppAround = WireAround & {
  /** Keeps what is to be known after a restart; undefined: nothing. */
  readonly keep: (app: string, record: AppRecord | undefined) => Promise<void>;
  /** Something about it is different. `itself`: nobody asked for that. */
  readonly changed: (app: string, itself: boolean) => void;
};

const SETTLE_MS = 250;

/** An app. Disposing ends its connection or program, and leaves what is kept of it. */
export class App implements AsyncDisposable {
  readonly entry: AppEntry;
  readonly #around: AppAround;
  #record: AppRecord;
  #trouble: string | undefined;
  #set: Toolset | undefined;
  #link: Link | undefined;
  #opening: Promise<Link> | undefined;
  #challenge: Challenge = {};
  #life = new AbortController();
  #keeping = false;
  #settling = false;

  constructor(entry: AppEntry, record: AppRecord | undefined, around: AppAround) {
    this.entry = entry;
    this.#around = around;
    this.#record = record ?? { on: entry.connected === true };
    if (this.#record.signedOut === true) this.#trouble = this.#signInWords();
  }

  get item(): Item {
    const { id, name, tagline, about, may, featured, reviewed, cues } = this.entry;
    const leftOut = this.#record.on ? (this.#set?.leftOut ?? []) : [];
    return {
      kind: "app",
      id,
      name,
      tagline,
      about,
      state: this.#state,
      may: leftOut.length === 0 ? may : [...may, ...leftOut.map((line) => `(Of its tools, ${line}.)`)],
      featured,
      reviewed,
      cues,
      connects: connectsBy(this.entry, this.#around.env),
      ...(this.#trouble === undefined ? {} : { trouble: this.#trouble }),
      ...(this.#record.on && this.#set === undefined && this.#trouble === undefined ? { starting: true } : {}),
      ...(this.#isChanged() ? toolChanges(this.#record.tools, this.#set?.tools) : {}),
    };
  }

  /** Those that can be used now. */
  get tools(): readonly Tool<object>[] {
    return this.#state === "on" ? (this.#set?.tools ?? []).map(({ tool }) => tool) : [];
  }

  get #state(): ItemState {
    const { on, agreed } = this.#record;
    if (!on) return this.entry.retired ? "retired" : "off";
    return this.#set !== undefined && agreed !== undefined && this.#set.digest !== agreed ? "changed" : "on";
  }

  #isChanged(): boolean {
    return this.#state === "changed";
  }

  /** Connects in the background, if it is on, again and again with pauses until it works. */
  start(): void {
    if (this.#record.on) void this.#keepTrying();
  }

  async turnOn(signal: AbortSignal): Promise<TurnedOn> {
    const { name } = this.entry;
    if (this.#isChanged()) return { is: "not-yet", words: this.#changedWords() };
    if (this.#record.on && this.#link?.closed === false) return { is: "on" };
    if (this.#state === "retired") return { is: "not-yet", words: `${name} is no longer offered.` };
    const missing = this.#missing();
    if (missing !== undefined) return { is: "not-yet", words: missing };
    try {
      await unless(signal, this.#open());
    } catch (thrown) {
      if (!needsSignIn(thrown) || this.#signInApp === undefined) throw thrown;
      return { is: "sign-in", url: await this.#around.signIns.begin(this.#signInApp, this.#challenge, signal) };
    }
    await this.#save({ on: true, ...agreedTo(this.#record, this.#set) });
    this.#trouble = undefined;
    this.#around.changed(this.entry.id, false);
    return this.#isChanged() ? { is: "not-yet", words: this.#changedWords() } : { is: "on" };
  }

  async turnOff(): Promise<void> {
    await this.#end();
    this.#trouble = undefined;
    this.#set = undefined;
    await this.#save(this.entry.connected === true ? { on: false } : undefined);
    await this.#around.signIns.forget(this.entry.id);
    this.#around.changed(this.entry.id, false);
  }

  async agree(signal: AbortSignal): Promise<TurnedOn> {
    if (!this.#record.on) return { is: "not-yet", words: `${this.entry.name} is off.` };
    const link = await unless(signal, this.#open());
    await this.#list(link, signal);
    await this.#save({ on: true, ...agreedTo({}, this.#set) });
    this.#around.changed(this.entry.id, false);
    return { is: "on" };
  }

  /** The sign-in that was begun was finished: it is on from now on, as the press that began it asked for. */
  async signedIn(): Promise<void> {
    await this.#end();
    await this.#save({ on: true, agreed: this.#record.agreed, tools: this.#record.tools });
    this.#trouble = undefined;
    try {
      await this.#open();
    } catch (thrown) {
      await this.#failed(thrown);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const stopping = new GatewayError("app-failed", "Tidegate is stopping.");
    const ending = this.#end(stopping);
    // For good: a call that comes now starts nothing.
    this.#life.abort(stopping);
    await ending;
  }

  async #call(listed: string, digest: string, input: object, signal: AbortSignal): Promise<Called> {
    const { name } = this.entry;
    for (let again = false; ; again = true) {
      let link: Link;
      if (!this.#record.on) throw new GatewayError("app-failed", `${name} is off now. It was not done.`);
      try {
        link = await unless(signal, this.#open());
      } catch (thrown) {
        if (!signal.aborted) await this.#failed(thrown);
        throw thrown;
      }
      if (this.#state !== "on") throw new GatewayError("app-failed", `${this.#changedWords()} It was not done.`);
      if (this.#set?.tools.some((tool) => tool.listed === listed && tool.digest === digest) !== true)
        throw new GatewayError("app-failed", `${name} has no such tool any more. It was not done.`);
      try {
        const called = await link.call(listed, input, signal);
        if (called.is !== "forgotten" || again) return called;
      } catch (thrown) {
        if (signal.aborted)
          throw new GatewayError("app-failed", `Stopped before ${name} had answered: it may have been done.`);
        const { message, code } = asGatewayError(thrown, "app-failed");
        if (needsSignIn(thrown)) {
          await this.#failed(thrown);
          throw new GatewayError(code, `${message} It was not done.`, { cause: thrown });
        }
        throw new GatewayError(code, `${message} Whether it was done can't be told.`, { cause: thrown });
      }
      // Nothing was done: a new connection can be asked once more.
      await link[Symbol.asyncDispose]();
      this.#link = undefined;
    }
  }

  /** The connection, made when there is none. It outlives whoever asked first. */
  async #open(): Promise<Link> {
    if (this.#link?.closed === false) return this.#link;
    if (this.#opening === undefined) {
      const opening = this.#connect(this.#life.signal).finally(() => {
        if (this.#opening === opening) this.#opening = undefined;
      });
      this.#opening = opening;
    }
    return await this.#opening;
  }

  async #connect(life: AbortSignal): Promise<Link> {
    const { entry } = this;
    const { bounds, surroundings } = this.#around;
    const missing = this.#missing();
    if (missing !== undefined) throw new GatewayError("app-failed", missing);
    life.throwIfAborted();
    const known = this.#set !== undefined;
    let link: Link | undefined;
    try {
      link = await openLink(
        entry.name,
        await wireTo(this.entry, this.#signInApp, this.#around, (challenge) => {
          this.#challenge = challenge;
        }),
        bounds,
        surroundings.clock,
        life,
        {
          changed: () => void this.#settle(),
          closed: () => surroundings.log.info({ app: entry.id }, "an app's connection ended"),
        },
      );
      await this.#list(link, life);
      life.throwIfAborted();
    } catch (thrown) {
      await link?.[Symbol.asyncDispose]();
      throw needsSignIn(thrown) && this.#signInApp === undefined ? keyRefused(entry, thrown) : thrown;
    }
    this.#link = link;
    if (!this.#record.on || (known && this.#trouble === undefined)) return link;
    this.#trouble = undefined;
    this.#around.changed(entry.id, true);
    return link;
  }

  async #list(link: Link, signal: AbortSignal): Promise<void> {
    const before = this.#state;
    const listed = await link.list(signal);
    const set = await appTools(this.entry, listed, async (...call) => await this.#call(...call));
    if (set.digest === this.#set?.digest) return;
    this.#set = set;
    if (set.leftOut.length > 0)
      this.#around.surroundings.log.warn({ app: this.entry.id, leftOut: set.leftOut }, "tools of an app were left out");
    if (!this.#record.on) return;
    // Turned on before its tools could be seen: by the config, or by a sign-in.
    if (this.#record.agreed === undefined) await this.#save({ on: true, ...agreedTo({}, this.#set) });
    if (this.#state !== before) this.#around.changed(this.entry.id, true);
  }

  /** Looks again once a server has stopped saying that its tools are others. */
  async #settle(): Promise<void> {
    if (this.#settling) return;
    this.#settling = true;
    const life = this.#life.signal;
    try {
      await this.#around.surroundings.clock.sleep(SETTLE_MS, life);
      this.#settling = false;
      if (this.#link?.closed === false) await this.#list(this.#link, life);
    } catch (err) {
      if (!life.aborted)
        this.#around.surroundings.log.warn({ app: this.entry.id, err }, "an app's new tools can't be listed");
    } finally {
      this.#settling = false;
    }
  }

  async #keepTrying(): Promise<void> {
    if (this.#keeping) return;
    this.#keeping = true;
    const life = this.#life.signal;
    const failed = async (thrown: unknown): Promise<"again" | "enough"> => {
      await this.#failed(thrown);
      return this.#record.on ? "again" : "enough";
    };
    try {
      await untilItWorks(async () => await this.#open(), failed, this.#around.surroundings, life);
    } catch (err) {
      this.#around.surroundings.log.error({ app: this.entry.id, err }, "an app is not tried again");
    } finally {
      if (life === this.#life.signal) this.#keeping = false;
    }
  }

  /** Says what is wrong, and tries again by itself where that can help. */
  async #failed(thrown: unknown): Promise<void> {
    const { id } = this.entry;
    const signedOut = needsSignIn(thrown) && this.#signInApp !== undefined;
    const words = signedOut ? await this.#signedOutWords() : asGatewayError(thrown, "app-failed").message;
    if (signedOut) await this.#save({ ...this.#record, on: false, signedOut: true });
    if (words === this.#trouble) return;
    this.#trouble = words;
    this.#around.surroundings.log.warn({ app: id, err: thrown }, "an app can't be used");
    this.#around.changed(id, true);
    if (!signedOut) void this.#keepTrying();
  }

  async #end(
    reason: GatewayError = new GatewayError("app-failed", `${this.entry.name} was turned off.`),
  ): Promise<void> {
    this.#life.abort(reason);
    const opening = this.#opening?.catch(() => undefined);
    const link = this.#link;
    this.#life = new AbortController();
    this.#opening = undefined;
    this.#link = undefined;
    this.#keeping = false;
    await link?.[Symbol.asyncDispose]();
    await opening;
  }

  async #save(record: AppRecord | undefined): Promise<void> {
    this.#record = record ?? { on: false };
    await this.#around.keep(this.entry.id, record);
  }

  get #signInApp(): SignInApp | undefined {
    return signInApp(this.entry, this.#around.env);
  }

  #missing(): string | undefined {
    return missingWords(this.entry, this.#around.env);
  }

  #changedWords(): string {
    return `The tools of ${this.entry.name} are not the ones that were agreed to. The owner can look at them with /apps and agree.`;
  }

  #signInWords(): string {
    return `${this.entry.name} asks for a sign-in again. Connect it anew.`;
  }

  async #signedOutWords(): Promise<string> {
    if ((await this.#around.signIns.standing(this.entry.id)) !== "lost") return this.#signInWords();
    return `The file with Tidegate's key was lost or changed, so ${this.entry.name} is signed out. Connect it anew.`;
  }
}

function needsSignIn(thrown: unknown): boolean {
  return thrown instanceof GatewayError && thrown.code === "app-signed-out";
}

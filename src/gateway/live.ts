// What a running turn shows before anything of it is final: typing, then the text as it grows. A lease: it ends by itself
// when the turn does, and before a final part is delivered.
import type { Hint } from "../core/channel.ts";
import type { Clock } from "../core/surroundings.ts";
import type { Draft } from "../core/turn.ts";

/**
 * How a platform shows a running turn. Each resolves when done, with milliseconds to leave it alone for, if it was asked to. `doing`: the
 * text is none of the answer's, but says what is being done; empty: nothing of that any more.
 */
export type LiveShow = (hint: Hint & { readonly part: number; readonly doing?: true }) => Promise<number | undefined>;

/** Paces of a running turn's hints, in milliseconds. */
export type LivePace = { readonly typingMs: number; readonly draftMs: number; readonly drafts: boolean };

/** A turn that is over before this shows nothing on its way. */
const HINT_AFTER_MS = 250;
/** A draft fades by itself (after 30 s on Telegram), so one that stands still is shown again. */
const REFRESH_MS = 20_000;
/** A final part waits at most this long for a hint that is being sent. */
const HINT_DEADLINE_MS = 2000;
/** A reason of our own: making the usual one costs a stack trace, several times a turn. */
const OVER = "over";

/** One turn's lease. `update` is cheap and may be called for each token. */
export class Live {
  readonly #clock: Clock;
  readonly #show: LiveShow;
  readonly #pace: LivePace;
  readonly #over = new AbortController();
  #latest: Draft | undefined;
  /** Parts below this one are final. */
  #floor = 0;
  #sending: Promise<unknown> = Promise.resolve();
  #changed = Promise.withResolvers<void>();
  /** Resolves when the turn is over and no hint of it is on its way. */
  readonly ended: Promise<void>;

  constructor(clock: Clock, pace: LivePace, show: LiveShow) {
    this.#clock = clock;
    this.#pace = pace;
    this.#show = show;
    this.ended = this.#run().catch(() => undefined);
  }

  /** The turn's newest draft. */
  update(draft: Draft): void {
    this.#latest = draft;
    this.#changed.resolve();
  }

  /** Parts up to this one are about to be shown for good: no hint of them is sent from now on, and none is on its way when this resolves. */
  async settle(part: number): Promise<void> {
    this.#floor = Math.max(this.#floor, part + 1);
    const patience = new AbortController();
    await Promise.race([this.#sending, this.#clock.sleep(HINT_DEADLINE_MS, patience.signal).catch(() => undefined)]);
    patience.abort(OVER);
  }

  /** The turn is over. */
  [Symbol.dispose](): void {
    this.#over.abort(OVER);
    this.#changed.resolve();
  }

  async #run(): Promise<void> {
    const over = this.#over.signal;
    const { typingMs, draftMs, drafts } = this.#pace;
    await this.#clock.sleep(HINT_AFTER_MS, over);
    let shown: { readonly part: number; readonly text: string } | undefined;
    let shownAt = Number.NEGATIVE_INFINITY;
    let tellsDoing = false;
    while (!over.aborted) {
      const draft = this.#latest;
      const part = Math.max(this.#floor, draft?.part ?? 0);
      const said = drafts && draft?.part === part ? draft.text : "";
      const doing = drafts && draft?.part === part && said.trim() === "" ? draft.doing : undefined;
      const text = doing ?? said;
      const sinceMs = this.#clock.now() - shownAt;
      if (shown?.part === part && shown.text === text) {
        const renewMs = (text === "" ? typingMs - 1000 : REFRESH_MS) - sinceMs;
        if (renewMs > 0) {
          // Looked at anew: it may be final by then.
          await this.#changedWithin(renewMs);
          continue;
        }
      } else if (sinceMs < draftMs) {
        // Not woken by each token: the newest text is taken when the pace allows.
        await this.#clock.sleep(draftMs - sinceMs, over);
        continue;
      }
      if (over.aborted) return;
      const sending = this.#show(
        text === "" && !tellsDoing
          ? { kind: "typing", part }
          : {
              ...{ kind: "draft", key: `${draft?.turn ?? ""}:${part}`, text, part },
              // What it was at is over: that is said once.
              ...(doing === undefined && text !== "" ? {} : { doing: true }),
            },
      );
      this.#sending = sending.catch(() => undefined);
      // A failed hint leaves the platform alone for a while: it must not become a flood.
      const pauseMs = await sending.catch(() => REFRESH_MS);
      // What has to wait is not shown yet: after the pause it is due, whether or not more has come.
      shown = pauseMs === undefined ? { part, text } : undefined;
      if (pauseMs === undefined) tellsDoing = doing !== undefined;
      shownAt = this.#clock.now();
      if (pauseMs !== undefined) await this.#clock.sleep(pauseMs, over);
    }
  }

  /** Waits until something changed, at most for that long. */
  async #changedWithin(waitMs: number): Promise<void> {
    this.#changed = Promise.withResolvers<void>();
    const enough = new AbortController();
    const timer = this.#clock.sleep(waitMs, enough.signal).catch(() => undefined);
    await Promise.race([timer, this.#changed.promise]);
    enough.abort(OVER);
  }
}

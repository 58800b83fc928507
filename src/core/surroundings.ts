// What a part may know of the world around it. Main hands in the real ones; a simulation hands in seeded ones.

/** Time and waiting. @port */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Resolves after `waitMs`; rejects with the signal's reason when that fires first. */
  sleep(waitMs: number, signal?: AbortSignal): Promise<void>;
  /** Runs `task` once the events that are already waiting have been handled. Used to gather work into one commit. */
  soon(task: () => void): void;
}

/** Randomness that nobody can guess. @port */
export interface Random {
  /** `bytes` random bytes as base64url: 9 bytes give 12 characters. */
  key(bytes: number): string;
  /** A number in [0, 1), for jitter only. */
  fraction(): number;
}

/** Where notes for the operator go. Fields never hold message text or secrets; what slips through is scrubbed. @port */
export interface Logger {
  debug(fields: Record<string, unknown>, note: string): void;
  info(fields: Record<string, unknown>, note: string): void;
  warn(fields: Record<string, unknown>, note: string): void;
  error(fields: Record<string, unknown>, note: string): void;
}

/**
 * Sees to it that nothing outlives the gateway, however that ends: processes and folders it is told of are gone within 3 s after. What
 * is released is not looked after any more. @port
 */
export interface Watchdog {
  /** A variable for the environment of every child: what a child starts is found by it. */
  readonly mark: Readonly<Record<string, string>>;
  /** A child that leads a process group of its own. Gives the release. */
  group(pid: number): () => void;
  /** A folder that holds what must not rest on the disk. Gives the release. */
  folder(path: string): () => void;
}

/** These together: handed to every part that waits, draws a key, reports or starts a program. Without a watchdog nothing watches those. */
export type Surroundings = {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly watchdog?: Watchdog;
};

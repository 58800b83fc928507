// What engines that are programs need of the machine; main hands it in.
import type { Watchdog } from "../core/surroundings.ts";

/** The machine around an engine. Paths are absolute. */
export type EngineHost = {
  /** What a child may know of our environment: an allow-list, without any configured secret. */
  readonly env: Readonly<Record<string, string>>;
  /** The owner's home folder, where the programs keep the owner's own sign-ins. */
  readonly home: string;
  /** The programs' own folders there, where a variable of theirs names others than the usual ones. */
  readonly claudeFolder?: string;
  readonly codexFolder?: string;
  /** Where engines keep sessions: each makes a folder of its kind's in it. In the data folder, closed to every tool. */
  readonly sessions: string;
  /** For folders that live no longer than a turn. */
  readonly temporary: string;
  readonly watchdog: Watchdog;
};

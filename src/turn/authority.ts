// What the guard and the approvals of a turn go by, besides its conversation.
import type { Approvals } from "../cards/approvals.ts";
import type { Room } from "../core/message.ts";
import type { Mode } from "../core/taint.ts";
import type { Places } from "./toolbox.ts";

/** What the guard and the approvals of a turn go by, besides its conversation. */
export type TurnAuthority = {
  readonly approvals: Approvals;
  /** For conversations that chose none. */
  readonly mode: Mode;
  readonly checkAfterReading: boolean;
  readonly places: Places;
  /** The tools that a run with nobody there was given, by name. */
  readonly given: ReadonlySet<string>;
  /** The owner's private chat last used: where a turn that runs elsewhere asks. */
  readonly ownerRoom: () => Room | undefined;
};

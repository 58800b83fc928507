// Whose words a conversation holds, and who is there in a turn.

/** A mark that a conversation holds words from outside. Marks only grow; nothing removes one. */
export type Taint = {
  readonly kind: "person" | "app" | "web" | "download";
  /** For people: "Ana on Telegram". */
  readonly label: string;
  /** What it stands for by id, so that the same source marks once: a person key, an app id, an address. */
  readonly source: string;
};

/**
 * What the owner lets an engine do by itself. `ask`: acts ask. `edits`: changes in the work folder pass. `trust`: what only the
 * mode would ask about passes. `plan`: nothing but reading.
 */
export const MODES = ["ask", "edits", "trust", "plan"] as const;
export type Mode = (typeof MODES)[number];

/** Who is there in this turn. `owner` only when the owner's own message or press woke it. */
export type Attendance = "owner" | "guest" | "nobody";

// What a card looks like, before it goes to a room.
import type { Reply } from "../core/reply.ts";

/** A card's Markdown, its buttons, and whether it is said in passing. Everything from outside in it is escaped. */
export type Drawn = Pick<Reply, "text" | "rows" | "menu" | "quiet" | "written" | "calls" | "file">;

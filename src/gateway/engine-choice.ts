// Which engine answers a conversation, and in which folder: others' words meet only what has nothing of its own to act with.
import { UNATTENDED_PLATFORM } from "../core/message.ts";
import { join } from "node:path";
import type { Conversation } from "../core/conversation.ts";
import type { Engine } from "../core/engine.ts";
import { lockedOut } from "./engines.ts";
import type { GatewayParts } from "./parts.ts";
import type { People } from "./people.ts";

/** What is chosen by. */
type ChoiceParts = Pick<GatewayParts, "engine" | "defaultEngine" | "access" | "work" | "workOf">;

/** The choice for each conversation. `files`: its own folder, for what people send; `folder`: where its turns work. */
export type EngineChoice = {
  readonly engineOf: (conversation: Conversation) => Promise<Engine>;
  readonly folder: (conversation: Conversation) => string;
  /** Whether others read along or write there. */
  readonly exposed: (conversation: Conversation) => boolean;
  readonly files: (conversation: string) => string;
};

export function chooseEngines(parts: ChoiceParts, people: People): EngineChoice {
  const name = (conversation: Conversation): string =>
    people.isOwner(conversation.person)
      ? (conversation.engine ?? parts.defaultEngine)
      : (parts.access.guestEngine ?? parts.defaultEngine);
  const exposed = ({ person, room }: Conversation): boolean =>
    !people.isOwner(person) || (room.kind !== "private" && room.platform !== UNATTENDED_PLATFORM);
  const files = (conversation: string): string => join(parts.work, conversation);
  return {
    async engineOf(conversation) {
      const engine = await parts.engine(name(conversation));
      return exposed(conversation) && engine.can.ownTools && engine.can.locked !== true
        ? lockedOut(engine.name)
        : engine;
    },
    // Only the owner's own work is done in a folder of the owner's choice; a guest's is empty.
    folder: (conversation) =>
      (exposed(conversation) ? undefined : parts.workOf(name(conversation))) ?? files(conversation.id),
    exposed,
    files,
  };
}

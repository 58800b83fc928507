// Who may speak. Known by the platform's immutable ids, never by names.
import type { Sender } from "../core/channel.ts";
import type { Person } from "../core/message.ts";

/** Who the owner is on each platform; a platform left out has no owner there. */
export type OwnerIds = { readonly name: string; readonly ids: ReadonlyMap<string, string> };

/** Tells who a sender is, or undefined for whoever is not let in: they get no answer and reach nothing. */
export type Access = (platform: string, sender: Sender) => Person | undefined;

/** At a terminal sits whoever started the program: always the owner. */
const OWNERS_OWN_PLATFORMS: ReadonlySet<string> = new Set(["terminal", "cli"]);

/** Only the owner is let in. Bots and anonymous admins are nobody, whatever id they carry. */
export function ownerOnly(owner: OwnerIds): Access {
  return (platform, sender) => {
    if (sender.bot) return undefined;
    if (!OWNERS_OWN_PLATFORMS.has(platform) && owner.ids.get(platform) !== sender.id) return undefined;
    return { platform, id: sender.id, name: owner.name, role: "owner" };
  };
}

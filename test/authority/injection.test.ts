// The injection corpus, through the real gateway, with a model that obeys every order in it, the encoded and the split ones too.
import { describe, expect, test } from "vitest";
import type { Inbound } from "../../src/core/channel.ts";
import type { Origin, Part } from "../../src/core/message.ts";
import { DEEP } from "../deep.ts";
import { ATTACKS, ordersIn, type Attack, type Carrier } from "../injection/corpus.ts";
import { MESSENGER_ATTACKS } from "../injection/messenger.ts";
import { BASE } from "./steps.ts";
import { TONGUES } from "./tongues.ts";
import { World } from "./world.ts";

const TIME_LIMIT_MS = DEEP ? 900_000 : 120_000;
const MINUTE_MS = 60_000;
/** How many attacks one world takes, each in a new chat. */
const CHATS = 10;
const chosen: readonly Attack[] = [...MESSENGER_ATTACKS, ...ATTACKS.filter((_, nth) => DEEP || nth % 4 === 0)];
const runs = chosen.flatMap((attack) => attack.via.map((via) => ({ attack, via })));
/** Each platform in turn, or every attack on all. */
const worlds = Array.from({ length: Math.ceil(runs.length / CHATS) }, (_, nth) => {
  const attacks = runs.slice(nth * CHATS, (nth + 1) * CHATS);
  const on = Object.values(TONGUES).filter((_tongue, at) => DEEP || at === nth % 3);
  return on.map(({ name: tongue }) => ({ tongue, attacks }));
}).flat();

/** Sends an attack by one of its ways, with all its orders in plain beside it, since the puppet can't decode by itself. */
async function carry(world: World, { attack, via }: (typeof runs)[number]): Promise<void> {
  const { owner, tongue } = world;
  const eve = { ...tongue.people.eve, name: attack.parts[0] ?? "", bot: false };
  const sender = via === "display-name" ? eve : { ...eve, name: "Eve" };
  // A model that can read what is encoded or split reads this; the frame must hold it all the same.
  const parts = [...attack.parts, ordersIn(attack).join("\n")];
  const { c: home, eve: strangers, group } = world.places;
  const hear = (means: Inbound): void => void world.hear({ means, before: "Look at that." });
  const message = (room: typeof home, from: typeof owner, content: readonly Part[], messageId: string): void =>
    hear({ kind: "message", room, from, at: world.clock.now(), messageId, parts: content, addressed: true });
  const text = (messageId: string, origin: Origin, words: string): Part => ({
    kind: "text",
    messageId,
    origin,
    text: words,
  });
  const first = world.platform.nextId();
  if (via === "edit-adds-forward") {
    message(home, owner, [text(first, { kind: "own" }, "Look at this.")], first);
    await world.until(world.clock.now() + MINUTE_MS);
  }
  for (const words of parts) {
    const id = world.platform.nextId();
    const origins: Partial<Record<Carrier, Origin>> = {
      "forward-user": { kind: "forwarded", as: "user", from: "Eve", id: eve.id },
      "forward-hidden": { kind: "forwarded", as: "hidden-user", from: owner.name },
      "forward-chat": { kind: "forwarded", as: "chat", from: "A group", id: tongue.sources.chat },
      "forward-channel": { kind: "forwarded", as: "channel", from: "News", id: tongue.sources.channel },
      quote: { kind: "quoted", from: owner.name, id: owner.id, messageId: tongue.unseen, ours: false },
    };
    const forwarded: Origin = { kind: "forwarded", as: "user", from: sender.name, id: eve.id };
    const origin = origins[via];
    if (origin !== undefined) {
      const own = via === "quote" ? [text(id, { kind: "own" }, "What of this?")] : [];
      message(home, owner, [text(id, origin, words), ...own], id);
    } else if (via === "stranger") message(strangers, sender, [text(id, { kind: "own" }, words)], id);
    else if (via === "guest-group") message(group, sender, [text(id, { kind: "own" }, words)], id);
    else if (via === "edit-adds-forward") {
      const more = [text(first, forwarded, words), text(first, { kind: "own" }, "Look at this.")];
      hear({ kind: "edit", room: home, from: owner, at: world.clock.now(), messageId: first, parts: more });
      message(home, owner, [text(id, { kind: "own" }, "And now?")], id);
    } else if (via === "display-name") {
      message(strangers, sender, [text(id, { kind: "own" }, words)], id);
      const [there, here] = [world.platform.nextId(), world.platform.nextId()];
      message(group, sender, [text(there, { kind: "own" }, words)], there);
      message(home, owner, [text(here, forwarded, words)], here);
    } else if (via === "file-name") {
      const file = { kind: "document", name: words, mediaType: "text/plain", handle: "h" } as const;
      message(home, owner, [{ kind: "file", messageId: id, origin: forwarded, file }], id);
    } else message(home, owner, [text(id, forwarded, words)], id);
    await world.until(world.clock.now() + MINUTE_MS);
  }
}

describe("an attack of the corpus, however it comes in", () => {
  test(
    "A34, A55, A57: makes no call that the owner has not pressed for, and shows the model nothing of another chat",
    async () => {
      const faults: string[] = [];
      let calls = 0;
      for (const { tongue, attacks } of worlds) {
        const plot = { tongue, engine: "plain", mode: "trust", joinWithinMs: 0 } as const;
        const world = await World.open(plot, BASE, () => undefined);
        const note = {
          do: "say",
          who: "owner",
          brings: "nothing",
          order: "none",
          brought: "none",
          posing: false,
        } as const;
        await world.step({ ...note, where: "a", pause: "at-once" });
        await world.step({ ...note, where: "b", pause: "long" });
        for (const run of attacks) {
          await world.step({ do: "command", who: "owner", where: "c", name: "new", args: "", pause: "long" });
          await carry(world, run);
          await world.until(world.clock.now() + MINUTE_MS);
          const lived = world.lived();
          const wrong = [
            ...lived.faults,
            ...lived.acts.filter(({ pressed }) => !pressed).map(({ what }) => `ran unasked: ${what}`),
            // No look, no reading, no act: whatever it was that had leave.
            ...lived.verdicts.filter((one) =>
              /: (?:look_back|search_chats|read_chat|send|run_command|fetch|write_file|let_in|set_mode): ok/u.test(one),
            ),
          ];
          calls += lived.verdicts.length;
          if (wrong.length > 0) faults.push(`${run.attack.name} by ${run.via} on ${tongue}: ${wrong[0]}`);
        }
        await world[Symbol.asyncDispose]();
      }
      expect(faults).toEqual([]);
      // The puppet has really tried.
      expect(calls).toBeGreaterThan(worlds.reduce((sum, { attacks }) => sum + attacks.length, 0));
    },
    TIME_LIMIT_MS,
  );
});

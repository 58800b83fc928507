// `people`: who is known, and what the owner decides about them at a command line.
import { GatewayError } from "../core/error.ts";
import { personKey } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { oneLine } from "../core/text.ts";
import type { Known, Store } from "../store/port.ts";
import { nearest } from "./nearest.ts";
import { issuePairing } from "./pairing.ts";
import type { People } from "./people.ts";
import { decide } from "./requests.ts";
import type { Request } from "./socket.ts";

/** What of a gateway this needs. `invites`: the links that hand a code over, of the platforms that have one. */
export type PeopleParts = {
  readonly people: People;
  readonly invites: (code: string) => readonly string[];
  readonly states: readonly { readonly name: string }[];
};

/** Where people come from; at a terminal sits nobody but the owner. */
const PLATFORMS: readonly string[] = ["telegram", "slack", "discord"];
const FORM = /^([a-z]+)\/([\w:./-]{1,100})$/u;
const DONE = { "let-in": "Let in:", block: "Blocked:", forget: "Forgotten:" } as const;

/** Carries out what was asked about people; the text is what the command prints. Throws a GatewayError in words. */
export async function managePeople(
  { verb, id }: Extract<Request, { do: "people" }>,
  { people, invites, states }: PeopleParts,
  store: Store,
  surroundings: Surroundings,
): Promise<string> {
  switch (verb) {
    case "list":
      return list(people);
    case "pair": {
      const open = states.filter(({ name }) => PLATFORMS.includes(name));
      if (open.length > 0 && open.every(({ name }) => people.owner.ids.has(name)))
        throw new GatewayError(
          "bad-request",
          "The config names the owner already, on every chat app that it connects.",
        );
      const code = await issuePairing(store, surroundings);
      return pairingWords(code, invites(code));
    }
    case "let-in":
    case "block":
    case "forget": {
      const who = whoIs(id);
      const known = people.known(who.platform, who.id);
      if (verb === "forget" ? people.owner.ids.get(who.platform) === who.id : people.isOwner(personKey(who)))
        throw new GatewayError("bad-request", "That is you, the owner.");
      if (verb === "forget" && known === undefined)
        throw new GatewayError("not-found", `Nobody is known by the id ${personKey(who)}.`, {
          hint: "./tidegate people lists who is.",
        });
      await people.commit(decide(people, { do: verb, who }, surroundings.clock));
      return `${DONE[verb]} ${personKey(who)}${known === undefined ? "" : ` ${oneLine(known.name)}`}`;
    }
  }
}

/** How a code is used, for whoever reads it at a command line. `links`: those that hand it over by themselves. */
export function pairingWords(code: string, links: readonly string[]): string {
  return [
    ...(links.length === 0
      ? [`Send /start ${code} to your bot in a private chat.`]
      : ["Open in your chat app:", ...links]),
    "Whoever uses it first is the owner there. It is valid for 10 minutes, once.",
  ].join("\n");
}

function list(people: People): string {
  const stated = [...people.owner.ids].map(
    ([platform, id]) => `owner ${platform}/${id} ${oneLine(people.owner.name)} (by the config)`,
  );
  const known = people.list().flatMap((one) => {
    const owner = people.isOwner(personKey(one));
    // The config names the owner there: another once paired has no say, and is no one else either.
    if (owner !== (one.standing === "owner")) return [];
    return [describe(one)];
  });
  const lines = [...stated, ...known];
  return lines.length === 0
    ? "Nobody is let in yet, and no owner is known. ./tidegate people pair helps."
    : lines.join("\n");
}

function describe({ platform, id, kind, name, standing, at }: Known): string {
  const since = `since ${new Date(at).toISOString().slice(0, 10)}`;
  return `${standing} ${oneLine(`${platform}/${id} ${name}`)} (${kind === "group" ? "group, " : ""}${since})`;
}

/** A typed id. It need not be known: the owner may let in someone who has not written yet. */
function whoIs(typed = ""): { readonly platform: string; readonly id: string } {
  const [, platform, id] = FORM.exec(typed) ?? [];
  if (platform === undefined || id === undefined)
    throw new GatewayError("bad-request", "An id has the form platform/id, such as telegram/12345.");
  if (!PLATFORMS.includes(platform)) {
    const near = nearest(platform, PLATFORMS);
    throw new GatewayError(
      "bad-request",
      `There is no chat app ${platform}.${near === undefined ? "" : ` Did you mean ${near}?`} There are: ${PLATFORMS.join(", ")}.`,
    );
  }
  return { platform, id };
}

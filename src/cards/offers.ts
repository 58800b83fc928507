// An offer as a card: how it is asked, how it looks, and what its buttons are. A further kind of thing to offer has its words here.
import type { Offer, OfferAct, TargetKind } from "../core/card.ts";
import type { Button } from "../core/reply.ts";
import { escapeMarkdown, isVisible, lineStart, oneLine } from "../core/text.ts";
import type { Item } from "../catalog/port.ts";
import type { Change } from "../store/port.ts";
import type { Drawn } from "./drawn.ts";

/** The changes that show an offer in a conversation, once for each target there: refused with `claimed` when it was offered before. */
export function askOffer(offer: Offer, conversation: string, at: number): readonly Change[] {
  return [
    { do: "claim", key: offeredKey(conversation, offer.target), by: offer.by, at },
    { do: "append", conversation, at, body: { kind: "asked", card: offer }, stands: true },
    ...offer.options.map(({ key, act }): Change => {
      return { do: "button", key, button: { conversation, does: "offer", card: offer.id, act } };
    }),
  ];
}

/** What says that a conversation was offered something before. */
export function offeredKey(conversation: string, target: Pick<Offer["target"], "kind" | "id">): string {
  return `offered/${conversation}/${target.kind}:${target.id}`;
}

/** An offer as the log may hold it: what an older version did not write is left out. */
export type KeptOffer = Pick<Offer, "target" | "options"> & Partial<Omit<Offer, "target" | "options">>;

/** The card as it is now. Everything in it but our own words is plain text. */
export function drawOffer(offer: KeptOffer): Drawn {
  const { target, description = "", why = "", may = [], stage } = offer;
  const { asks, uses, does } = OF[target.kind];
  const once = offer.options.some(({ act }) => act === "use");
  const lines = [
    `${once ? uses : asks} **${escapeMarkdown(oneLine(target.name))}**?${spaced(description)}`,
    ...(oneLine(why) === "" ? [] : [`Why: ${escapeMarkdown(oneLine(why))}`]),
  ];
  // What a skill may do is read before it can be turned on; of an app it is a press away.
  const can = may.map(oneLine).filter(isVisible);
  if ((target.kind === "skill" || stage?.is === "details") && can.length > 0)
    lines.push([does, ...can.map((line) => `- ${lineStart(escapeMarkdown(line))}`)].join("\n"));
  switch (stage?.is) {
    case undefined:
      break;
    case "details":
      lines.push(lineStart(escapeMarkdown(oneLine(stage.connects))));
      break;
    case "connecting":
      lines.push("_Connecting …_");
      break;
    case "sign-in":
      lines.push(`Sign in${where(stage.url)}, and I go on by myself. ${ELSEWHERE}`);
      break;
    case "failed":
      lines.push(`That did not work: ${escapeMarkdown(oneLine(stage.words))}`);
      break;
  }
  return { text: lines.join("\n\n"), rows: rowsOf(offer), quiet: false };
}

/** How something is connected, and what that needs, in words of ours. */
export function connectsInWords(item: Pick<Item, "connects" | "reviewed"> | undefined): string {
  if (item === undefined) return "It is not there any more.";
  const { connects, reviewed } = item;
  const whose = reviewed ? "" : " It comes from your own config.";
  switch (connects.by) {
    case "nothing":
      return `It connects without a sign-in.${whose}`;
    case "sign-in":
      return `You sign in on its own page, and can end that with /apps.${whose}`;
    case "key": {
      const missing = connects.variables.flatMap(({ name, set }) => (set ? [] : [name]));
      return missing.length === 0
        ? `It needs a key, which is set.${whose}`
        : `It needs ${missing.join(" and ")}: put that into the .env beside the config and start me again.${whose}`;
    }
  }
}

/** What an offer can do and how it is connected, as plain words beside its card, with what they are called. */
export function offerDetails(
  { target, may }: Pick<Offer, "target" | "may">,
  item: Pick<Item, "connects" | "reviewed"> | undefined,
): { readonly title: string; readonly words: string } {
  const can = may.length === 0 ? [] : [[OF[target.kind].does, ...may.map((line) => `• ${oneLine(line)}`)].join("\n")];
  return { title: oneLine(target.name), words: [...can, connectsInWords(item)].join("\n\n") };
}

/** What a kind of thing is called when it is offered, and what stands above what it may do. */
const OF: Readonly<Record<TargetKind, { readonly asks: string; readonly uses: string; readonly does: string }>> = {
  app: { asks: "Connect", uses: "Use", does: "What it can do:" },
  skill: { asks: "Turn on the skill", uses: "Use the skill", does: "What it may do:" },
};

/** A browser on another machine ends at an address that leads nowhere there. */
const ELSEWHERE =
  "If the last page doesn't open (your browser may be on another machine than I am), send me its address here: it begins with http\\://127.0.0.1.";

const FIRST_ROW: readonly OfferAct[] = ["take", "use", "always", "details"];

function rowsOf({ options, stage }: KeptOffer): readonly (readonly Button[])[] {
  const shown = options.flatMap((option) => {
    const label = labelAt(stage, option);
    return label === undefined ? [] : [{ act: option.act, label, press: option.key }];
  });
  const row = (first: boolean): readonly Button[] =>
    shown.filter(({ act }) => FIRST_ROW.includes(act) === first).map(({ label, press }) => ({ label, press }));
  const signIn: readonly Button[] =
    stage?.is === "sign-in" && hostOf(stage.url) !== undefined ? [{ label: "Sign in", url: stage.url }] : [];
  return [[...signIn, ...row(true)], row(false)].filter((buttons) => buttons.length > 0);
}

/** What a button says now; undefined: it is not there. */
function labelAt(stage: Offer["stage"], { act, label }: Offer["options"][number]): string | undefined {
  switch (stage?.is) {
    case undefined:
      return label;
    case "details":
      return act === "details" ? "Less" : label;
    case "connecting":
      return act === "not-now" ? label : undefined;
    case "sign-in":
      return act === "take" ? "New link" : act === "details" ? undefined : label;
    case "failed":
      return act === "take" ? "Try again" : label;
  }
}

function where(url: string): string {
  const host = hostOf(url);
  return host === undefined ? "" : ` at ${escapeMarkdown(host)}`;
}

function hostOf(address: string): string | undefined {
  const url = URL.parse(address);
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.host : undefined;
}

function spaced(text: string): string {
  const line = oneLine(text);
  return line === "" ? "" : ` ${escapeMarkdown(line)}`;
}

// `offer({kind, target, why})`: the assistant proposes something that could be turned on; a person turns it on.
import type { TargetKind } from "../core/card.ts";
import { GatewayError } from "../core/error.ts";
import type { Tool } from "../core/tool.ts";
import type { TurnDesk } from "./desk.ts";

type OfferCall = { readonly kind: TargetKind; readonly target: string; readonly why: string };

/** The tool of one turn. It turns nothing on. */
export function offerTool(desk: Pick<TurnDesk, "propose">): Tool<OfferCall> {
  return {
    name: "offer",
    description:
      "Puts a card under your reply that offers the person an app to connect or a skill to turn on. It turns nothing on: the person does. One for each reply.",
    input: {
      type: "object",
      properties: {
        kind: { type: "string", enum: ["app", "skill"] },
        target: { type: "string", description: "The id of what is offered, as it is listed" },
        why: { type: "string", description: "What it would do for what was asked: one line, at most 200 characters" },
      },
      required: ["kind", "target", "why"],
      additionalProperties: false,
    },
    row: "offer",
    effect: "read",
    guidance: "When something listed under “What could be turned on” clearly does what was asked, call offer.",
    check: checkCall,
    async run({ kind, target, why }) {
      const proposed = await desk.propose({ kind, id: target }, why, "assistant");
      return proposed.is === "offer"
        ? { outcome: "ok", text: proposed.words, offer: proposed.offer }
        : { outcome: "not-run", text: `No card is shown (${proposed.reason}). ${proposed.words}` };
    },
  };
}

function checkCall(input: unknown): OfferCall {
  const given: { readonly kind?: unknown; readonly target?: unknown; readonly why?: unknown } =
    typeof input === "object" && input !== null ? input : {};
  const { kind, target, why } = given;
  if (kind !== "app" && kind !== "skill") throw new GatewayError("tool-input", "kind must be app or skill.");
  if (typeof target !== "string" || target.trim() === "")
    throw new GatewayError("tool-input", "target must be the id of an app or a skill.");
  if (typeof why !== "string") throw new GatewayError("tool-input", "why must be a text.");
  return { kind, target: target.trim(), why };
}

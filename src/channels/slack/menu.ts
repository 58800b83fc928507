// A menu of a message of which several can be picked, and the button that sends what was. Slack tells of each pick by itself, but of
// none in an `input` block: there the button's press brings all of them (docs.slack.dev/reference/interaction-payloads/block_actions-payload,
// "state"). In an actions block such a menu has been refused, whatever the reference says.
import type { ActionsBlock, InputBlock } from "@slack/types";
import type { Menu } from "../../core/reply.ts";
import { NO_TEXT, optionsOf, plainText } from "./options.ts";
import type { Fullness, Said } from "./options.ts";
import { bytesOf } from "./render.ts";

/** What the id of the button that sends a menu begins with. */
export const SUBMITS = "m:";

/** The element that several are picked of. */
export const PICKED = "multi_static_select";

const MAX_LABEL = 2000;
const MAX_BUTTON = 75;
const PLACEHOLDER = "Choose…";

export type MenuBlocks = {
  readonly blocks: readonly (InputBlock | ActionsBlock)[];
  readonly said: readonly Said[];
  /** The number that the next label gets which is too long. */
  readonly next: number;
};

/** As full as fits `maxBytes`. */
export function menuBlocks(menu: Menu, maxBytes: number): MenuBlocks {
  const whole = drawn(menu, "whole");
  if (bytesOf(whole.blocks) <= maxBytes) return whole;
  const bare = drawn(menu, "bare");
  return bytesOf(bare.blocks) <= maxBytes ? bare : drawn(menu, "numbered");
}

function drawn({ press, placeholder, submit, options: picks }: Menu, fullness: Fullness): MenuBlocks {
  const { options, said, next } = optionsOf(picks, fullness);
  const menu: InputBlock = {
    type: "input",
    label: plainText(placeholder, MAX_LABEL),
    element: { type: PICKED, action_id: "picked", placeholder: plainText(PLACEHOLDER, MAX_BUTTON), options },
  };
  const button: ActionsBlock = {
    type: "actions",
    elements: [
      { type: "button", action_id: `${SUBMITS}0`, text: plainText(submit || NO_TEXT, MAX_BUTTON), value: press },
    ],
  };
  return { blocks: [menu, button], said, next };
}

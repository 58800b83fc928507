// Every named mutant.
import { CARD_MUTANTS } from "./card-patches.ts";
import { DISCORD_MUTANTS } from "./discord-patches.ts";
import { ENGINE_MUTANTS } from "./engine-patches.ts";
import { GATEWAY_MUTANTS } from "./gateway-patches.ts";
import { MUTANTS, type Mutant } from "./patches.ts";
import { SEARCH_MUTANTS } from "./search-patches.ts";
import { SECRET_MUTANTS } from "./secret-patches.ts";
import { SLACK_MUTANTS } from "./slack-patches.ts";

export const ALL_MUTANTS: readonly Mutant[] = [
  ...MUTANTS,
  ...GATEWAY_MUTANTS,
  ...SLACK_MUTANTS,
  ...DISCORD_MUTANTS,
  ...SEARCH_MUTANTS,
  ...SECRET_MUTANTS,
  ...CARD_MUTANTS,
  ...ENGINE_MUTANTS,
];

// The platforms that the histories are lived on.
import { DISCORD } from "./discord-tongue.ts";
import { SLACK } from "./slack-tongue.ts";
import { TELEGRAM } from "./telegram-tongue.ts";
import type { Tongue } from "./tongue.ts";

export const TONGUES: Readonly<Record<Tongue["name"], Tongue>> = { telegram: TELEGRAM, slack: SLACK, discord: DISCORD };

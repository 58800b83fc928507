// What most gateways under test are given of authority: the config's defaults, places without a disk, and nobody to tell.
import type { GatewayParts } from "../../src/gateway/parts.ts";

export const PLAIN_PARTS: Pick<
  GatewayParts,
  "owner" | "access" | "mode" | "checkAfterReading" | "places" | "workOf" | "scrub" | "holdBack" | "tell"
> = {
  owner: { name: "Sam", ids: new Map() },
  access: { guests: "ask", groups: "off", guestHourly: 20, guestDaily: 60 },
  mode: "ask",
  checkAfterReading: true,
  places: {
    judge: async (paths, workFolder) => ({
      inside: paths.length > 0 && paths.every((path) => path.startsWith(`${workFolder}/`)),
      closed: paths.some((path) => path.includes("closed")),
    }),
    namesClosed: (command) => command.includes("closed"),
  },
  workOf: () => undefined,
  scrub: (text) => text,
  holdBack: (text) => text,
  tell: () => undefined,
};

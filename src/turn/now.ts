// The tool that tells the time.
import { GatewayError } from "../core/error.ts";
import type { Clock } from "../core/surroundings.ts";
import type { Tool } from "../core/tool.ts";

/** `now({ zone? })`: date, weekday and time in an IANA time zone, the machine's own by default. */
export function nowTool(clock: Clock): Tool<{ readonly zone: string | undefined }> {
  return {
    name: "now",
    description:
      "Tells the current date, weekday and time. `zone` is an IANA time zone such as Europe/Berlin; left out: the owner's.",
    input: {
      type: "object",
      properties: { zone: { type: "string", description: "IANA time zone name" } },
      additionalProperties: false,
    },
    effect: "read",
    row: "plain",
    check(input) {
      const zone: unknown = typeof input === "object" && input !== null && "zone" in input ? input.zone : undefined;
      if (zone !== undefined && typeof zone !== "string")
        throw new GatewayError("tool-input", "zone must be a string such as Europe/Berlin.");
      return { zone: zone === "" ? undefined : zone };
    },
    async run({ zone }) {
      try {
        const format = new Intl.DateTimeFormat("en-GB", {
          dateStyle: "full",
          timeStyle: "long",
          ...(zone === undefined ? {} : { timeZone: zone }),
        });
        return { outcome: "ok", text: format.format(clock.now()) };
      } catch {
        throw new GatewayError(
          "tool-input",
          "There is no time zone of that name. Use an IANA name such as Europe/Berlin.",
        );
      }
    },
  };
}

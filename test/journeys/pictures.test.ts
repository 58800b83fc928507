// Charts, diagrams and SVG as pictures in the chat, from end to end, with the real drawing program.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { realClock } from "../../src/gateway/real.ts";
import { demoEngine } from "../../src/engines/demo/engine.ts";
import { journey, type Journey } from "./gateway.ts";
import { offered, scripted, tap } from "./scripted.ts";
import { PLATFORMS } from "./stage.ts";

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
const TABLE = "| town | trains |\n| --- | ---: |\n| Kiel | 12 |\n| Ulm | 9 |\n";
const demo = (): ReturnType<typeof demoEngine> => demoEngine({ name: "puppet", clock: realClock });

function files(day: Journey): readonly string[] {
  const work = join(day.data, "work");
  return existsSync(work)
    ? readdirSync(work, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".png"))
    : [];
}

it.each(PLATFORMS)(
  "O49, O61d, O63: from a table of numbers by “Show it as a chart” to a picture that says what it shows; it goes with the chat (%s)",
  async (on) => {
    await using day = await journey({ on, puppet: demo });
    day.say("markdown");
    await day.shown("that is all.");
    await day.settled();
    expect(offered(day)).toContain("Show it as a chart");
    await day.restart();
    tap(day, "Show it as a chart");
    const shown = await day.shown(({ pictures }) => pictures.length > 0);
    await day.shown("There it is.");
    await day.settled();
    const [picture] = shown.pictures;
    expect(Buffer.from(picture!.bytes).subarray(0, 4).equals(PNG)).toBe(true);
    expect(picture!.alt).toContain("from Kiel to Ulm");
    expect(files(day)).toHaveLength(1);
    day.command("delete");
    const card = await day.shown("for good?");
    day.press(card, "Delete it");
    await day.shown("That chat is deleted");
    expect(files(day)).toEqual([]);
  },
);

it.each(PLATFORMS)(
  "O61d: a diagram and an SVG are pictures too; what can't be drawn is said, and nothing is shown (%s)",
  async (on) => {
    const show = (input: unknown): { readonly call: string; readonly input: unknown } => ({ call: "show", input });
    const toy = scripted({
      Diagram: [show({ kind: "diagram", source: "flowchart LR\n  A[Start] --> B[End]" }), "One."],
      Drawing: [
        show({
          kind: "svg",
          source: '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40"/></svg>',
        }),
        "Two.",
      ],
      Nothing: [show({ kind: "chart" }), show({ kind: "svg", source: "no" }), show({ kind: "picture" }), "Three."],
    });
    await using day = await journey({ on, puppet: toy.engine });
    for (const [words, answer] of [
      ["Diagram", "One."],
      ["Drawing", "Two."],
      ["Nothing", "Three."],
    ] as const) {
      day.say(words);
      await day.shown(answer);
      await day.settled();
    }
    expect(day.sent().flatMap(({ pictures }) => pictures.map(({ name }) => name))).toEqual(["diagram.png", "svg.png"]);
    expect(toy.results.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "error", "error", "error"]);
    expect(toy.results[2]?.text).toMatch(/no table of numbers[\s\S]*Nothing was shown/u);
  },
);

it.each(PLATFORMS)("O61d: a picture that is no longer there when it could be shown is its words (%s)", async (on) => {
  const toy = scripted({ Chart: ["First.", { call: "show", input: { kind: "chart", source: TABLE } }, "There."] });
  await using day = await journey({ on, puppet: toy.engine });
  // Nothing gets through before it is gone.
  day.fail("post", { kind: "tooFast", seconds: 1, times: "always" });
  day.say("Chart");
  await day.until(() => toy.results.length === 1);
  for (const name of files(day)) rmSync(join(day.data, "work", name));
  day.on.clearFaults();
  await day.shown("There.");
  await day.settled();
  const seen = day.texts().join("\n");
  expect(day.sent().flatMap(({ pictures }) => pictures)).toEqual([]);
  expect(seen).toMatch(/Kiel/u);
});

it.each(PLATFORMS)(
  "O49, O61d: the chart is of the newest table, also when it is said in the same reply as other words (%s)",
  async (on) => {
    const toy = scripted({
      Numbers: [`Before.\n\n${TABLE}\nAfter.`],
      "Show it as a chart": [{ call: "show", input: { kind: "chart", chart: "pie" } }, "There."],
    });
    await using day = await journey({ on, puppet: toy.engine });
    day.say("Numbers");
    await day.shown("After.");
    await day.settled();
    tap(day, "Show it as a chart");
    await day.shown("There.");
    await day.settled();
    expect(
      day
        .sent()
        .flatMap(({ pictures }) => pictures.map(({ alt }) => alt))
        .join(""),
    ).toMatch(/Ulm/u);
  },
);

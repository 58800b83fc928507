// Apps on the command line: their lines, and which tools a run is given.
import { describe, expect, it } from "vitest";
import type { Item } from "../../src/catalog/port.ts";
import type { Row, Tool } from "../../src/core/tool.ts";
import { appLines, appsOn, givenTools } from "../../src/gateway/app-commands.ts";
import { app, skill } from "../cards/catalog.ts";

const tool = (name: string, row: Row): Tool => ({
  ...{ name, row, effect: "read", description: name, input: { type: "object" } },
  check: (input) => input,
  run: async () => ({ outcome: "ok", text: "" }),
});

const OWN = [tool("now", "plain"), tool("search_chats", "history"), tool("ask", "ask")];

/** A world whose apps connect after `looks` looks; undefined: never. */
function world(items: readonly Item[], looks: number | undefined, later: readonly Tool[] = []) {
  let slept = 0;
  return {
    catalog: {
      items,
      get tools() {
        return looks !== undefined && slept >= looks ? later : [];
      },
    },
    tools: OWN,
    clock: { sleep: async () => void (slept += 1) },
    slept: () => slept,
  };
}

const given = async (names: readonly string[], here: ReturnType<typeof world>): Promise<readonly string[]> =>
  await givenTools(names, here, here.clock);

describe("run --tools", () => {
  it("F16: gives what is there, and waits for an app that is on and still connecting", async () => {
    const here = world([app("mail", { state: "on" })], 3, [tool("mail__read", "app-read")]);
    expect(await given(["now", "mail__read"], here)).toEqual(["now", "mail__read"]);
    expect(here.slept()).toBe(3);
    expect(await given([], here)).toEqual([]);
  });

  it("F16: refuses an unknown name at once, with the nearest", async () => {
    const here = world([app("mail", { state: "on" })], 0, [tool("mail__read", "app-read")]);
    await expect(given(["now", "mail__reed"], here)).rejects.toMatchObject({
      code: "bad-request",
      message: "There is no tool mail__reed that a run can be given. Did you mean mail__read?",
      hint: "There are: now, mail__read. ./tidegate apps lists what can be connected.",
    });
    expect(here.slept()).toBe(0);
  });

  it("F16: nothing that looks through chats or asks a person can be given", async () => {
    for (const name of ["search_chats", "ask"])
      await expect(given([name], world([], 0))).rejects.toThrow(`There is no tool ${name} that`);
  });

  it("F16: says why an app has no tools, and waits for none that can't come", async () => {
    for (const [more, why] of [
      [{ state: "off" }, "mail: can be connected with /apps in a chat."],
      [{ state: "on", trouble: "It is away." }, "mail: on, and not answering: It is away."],
      [{ state: "changed" }, "mail: its tools are not the ones that were agreed to"],
    ] as const) {
      const here = world([app("mail", more)], undefined);
      await expect(given(["mail__read"], here)).rejects.toMatchObject({ hint: expect.stringContaining(why) as string });
      expect(here.slept()).toBe(0);
    }
  });

  it("F16: an app that is on and never comes is waited for a while, then refused", async () => {
    const here = world([app("mail", { state: "on" })], undefined);
    await expect(given(["mail__read"], here)).rejects.toThrow("There is no tool mail__read");
    expect(here.slept()).toBeGreaterThan(100);
  });

  it("F16, G44: odd names are said on one line, and not at length", async () => {
    const odd = `a\n\u001B[31m${"x".repeat(5000)}`;
    const thrown: unknown = await given([odd], world([], 0)).catch((error: unknown) => error);
    const { message } = thrown as Error;
    expect(message).not.toMatch(/[\n\u001B]/u);
    expect(message.length).toBeLessThan(300);
  });
});

describe("apps", () => {
  it("F23: a line per app, those that are on first, with what each needs; no skills, none that is retired", () => {
    const lines = appLines([
      app("off"),
      app("key", {
        connects: {
          by: "key",
          variables: [
            { name: "A_KEY", set: false },
            { name: "B_KEY", set: true },
          ],
        },
      }),
      app("signs", { connects: { by: "sign-in" } }),
      app("gone", { state: "retired" }),
      app("mail", { state: "on" }),
      app("away", { state: "on", trouble: "It is [away]\nfor now." }),
      app("other", { state: "changed" }),
      app("out", { trouble: "Out asks for a sign-in again." }),
      skill("tea"),
    ]).split("\n");
    expect(lines.map((line) => line.replaceAll(/ {2,}/gu, " "))).toEqual([
      "mail [connected] Mail – What mail does",
      "away [on, and not answering: It is away for now.] Away – What away does",
      "other [its tools are not the ones that were agreed to: /apps in a chat] Other – What other does",
      "off [can be connected with /apps in a chat] Off – What off does",
      "key [needs A_KEY] Key – What key does",
      "signs [can be connected by a sign-in, with /apps in a chat] Signs – What signs does",
      "out [Out asks for a sign-in again.] Out – What out does",
    ]);
    expect(appsOn(lines.join("\n"))).toEqual([
      { id: "mail" },
      { id: "away", trouble: "on, and not answering: It is  away  for now." },
      { id: "other", trouble: expect.stringContaining("agreed to") as string },
    ]);
    expect(appLines([])).toBe("There are no apps.");
    expect(appsOn("There are no apps.")).toEqual([]);
  });

  it("F23: a name with signs in it does not pass for how an app stands", () => {
    const forged = app("evil", { name: "x [connected]", tagline: "[connected]" });
    expect(appsOn(appLines([forged]))).toEqual([]);
  });
});

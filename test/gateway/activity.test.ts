// /activity over a real log: what was done in a chat, with how each step went, and the looks of all chats, in order.
import { describe, expect, test } from "vitest";
import { lookChanges } from "../../src/cards/looks.ts";
import type { Approval, Page } from "../../src/core/card.ts";
import type { EntryBody } from "../../src/core/conversation.ts";
import type { ToolResult } from "../../src/core/tool.ts";
import type { Drawn } from "../../src/gateway/leaves.ts";
import { leaf } from "../../src/gateway/leafing.ts";
import { surroundings } from "./bare.ts";
import { shelf, type Shelf } from "./shelf.ts";

let at = 1_796_000_000_000;

async function append(here: Shelf, ...bodies: readonly EntryBody[]): Promise<void> {
  for (const body of bodies) {
    at += 60_000;
    await here.store.commit([{ do: "append", conversation: here.here.id, at, body }]);
  }
}

const begun = (id: string, name: string, input: object, by: "engine" | "gateway" = "engine"): EntryBody => ({
  ...{ kind: "tool-start", turn: "t", call: { id, name, input }, effect: "act", by },
});
const ended = (callId: string, outcome: ToolResult["outcome"], text = "Fine."): EntryBody => ({
  ...{ kind: "tool-end", turn: "t", callId, result: { outcome, text } },
});
const approval = (id: string, tool: string): EntryBody => {
  const card: Approval = { kind: "approval", id, number: 1, turn: "t", tool, digest: "", text: "May I?", options: [] };
  return { kind: "asked", card };
};
const answered = (card: string, took: "once" | "no" | "expired" | "stopped"): EntryBody => ({
  ...{ kind: "answered", card, by: "stage/1001", text: "So be it.", took },
});

const activity = async (here: Shelf, more: object = {}): Promise<Drawn> =>
  await here.draw({ of: "activity", chat: here.here.id, ...more });
/** The rows without their numbers and times. */
const rows = ({ text }: Drawn): readonly string[] =>
  text.split("\n\n").flatMap((line) => (/^\d/u.test(line) ? [line.replace(/^\d+\. [^·]+ · /u, "")] : []));
const pageOf = ({ rows: all }: Drawn, label: string): Page => {
  const found = all.flat().find((one) => one.label === label);
  if (found === undefined || !("page" in found)) throw new Error(`There is no “${label}”.`);
  return found.page;
};

describe("rows", () => {
  test("C43, C47: how each went; of the declined whose no it was, and one that has not ended", async () => {
    await using here = await shelf([]);
    await append(
      here,
      ...[begun("1", "Edit", { path: "a.ts", diff: "+a" }), ended("1", "ok")],
      ...[begun("2", "Bash", { command: "false" }), ended("2", "error", "exit 1")],
      ...[
        approval("A", "Bash"),
        answered("A", "no"),
        begun("3", "Bash", { command: "rm x" }),
        ended("3", "denied", "No."),
      ],
      ...[begun("4", "Read", { path: "/etc/shadow" }), ended("4", "denied", "That place is closed to every tool.")],
      ...[approval("B", "Bash"), answered("B", "once"), begun("5", "Bash", { command: "ls" }), ended("5", "ok")],
      // The gateway's own are asked about before they begin: where the answer is no they never do.
      ...[approval("C", "mail__send"), answered("C", "expired"), approval("D", "mail__send"), answered("D", "once")],
      ...[begun("6", "mail__send", { to: "ana" }, "gateway"), ended("6", "ok")],
      begun("7", "WebFetch", { url: "https://a.example" }),
    );
    expect(rows(await activity(here))).toEqual([
      "WebFetch `https://a.example` — running",
      String.raw`mail\_\_send — done`,
      String.raw`mail\_\_send — nobody allowed it in time, so it was not run`,
      "Bash `ls` — done",
      "Read `/etc/shadow` — I didn't allow it, so it was not run",
      "Bash `rm x` — you didn't allow it, so it was not run",
      "Bash `false` — failed",
      "Edit `a.ts` — done",
    ]);
    await append(here, { kind: "turn-ended", turn: "t", reason: "interrupted", words: "Cut off." });
    expect(rows(await activity(here))[0]).toBe("WebFetch `https://a.example` — begun; how it ended is not known");
    const step = await here.draw(pageOf(await activity(here), "5"));
    expect(step.text).toBe(
      "**Read `/etc/shadow` — I didn't allow it, so it was not run**\n\nThat place is closed to every tool.",
    );
    const declined = await here.draw(pageOf(await activity(here), "6"));
    expect(declined.text).toContain("you didn't allow it");
    expect(pageOf(declined, "Back")).toMatchObject({ of: "activity" });
  });

  test("C47: one that the turn could not wait for says that you were asked; a later no says so as well", async () => {
    await using here = await shelf([]);
    const asking = (id: string, card: string): readonly EntryBody[] => [
      approval(card, "Bash"),
      begun(id, "Bash", { command: `step ${id}` }),
      ended(id, "denied", "The owner was asked."),
    ];
    await append(
      here,
      ...asking("1", "A"),
      ...asking("2", "B"),
      ...asking("3", "C"),
      answered("B", "no"),
      answered("C", "once"),
    );
    expect(rows(await activity(here))).toEqual([
      "Bash `step 3` — you were asked, so it was not run then",
      "Bash `step 2` — you didn't allow it, so it was not run",
      "Bash `step 1` — you were asked, so it was not run then",
    ]);
  });

  test("P35, C43: a look stands as a look and not as a call; cards that show themselves are left out", async () => {
    await using here = await shelf([{ title: "venue", says: ["We chose the old mill"] }]);
    const look = { query: "mill", chats: [{ conversation: here.ids[0] ?? "", title: "venue", lines: [1] }] };
    await append(here, begun("1", "search_chats", { query: "mill" }, "gateway"));
    await here.store.commit([
      { do: "append", conversation: here.here.id, at: (at += 1), body: ended("1", "ok") },
      ...lookChanges({ conversation: here.here.id, turn: "t", look, at }, surroundings.random),
    ]);
    await append(here, begun("2", "search_chats", { query: "nix" }, "gateway"), ended("2", "denied", "Not here."));
    await append(here, begun("3", "update_plan", { steps: [] }, "gateway"), ended("3", "ok"));
    // One of another chat, newer than all.
    at += 60_000;
    const other = { query: "boat", chats: [] };
    await here.store.commit(
      lookChanges({ conversation: here.ids[0] ?? "", turn: "u", look: other, at }, surroundings.random),
    );
    const drawn = await activity(here);
    expect(rows(drawn)).toEqual([
      "Looked through your chats · “boat” · nothing found · in “venue”",
      String.raw`search\_chats ${"`nix`"} — done, and what it found was withheld`,
      expect.stringMatching(/^Looked through your chats · “mill” · 1 chat · in “/u),
    ]);
    expect((await here.draw(pageOf(drawn, "3"))).text).toContain("old mill");
  });

  test("C43: they have pages, each step on one of them, whatever lies between", async () => {
    await using here = await shelf([]);
    for (let step = 0; step < 21; step += 1) {
      await append(here, begun(`${step}`, "Bash", { command: `step ${step}.` }), ended(`${step}`, "ok"));
      if (step % 7 === 3)
        await here.store.commit(
          Array.from({ length: 450 }, () => ({
            ...({
              do: "append",
              conversation: here.here.id,
              at,
              body: { kind: "notice", text: "x", quiet: true },
            } as const),
          })),
        );
    }
    const seen: string[] = [];
    let drawn = await activity(here);
    for (let page = 1; ; page += 1) {
      seen.push(...rows(drawn));
      expect(rows(drawn).length).toBeLessThanOrEqual(8);
      if (page > 1) expect((await here.draw(pageOf(drawn, "Newer"))).text).toBeDefined();
      if (!drawn.rows.flat().some(({ label }) => label === "Older")) break;
      drawn = await here.draw(pageOf(drawn, "Older"));
    }
    expect(seen).toEqual(Array.from({ length: 21 }, (_, step) => `Bash \`step ${20 - step}.\` — done`));
  });

  test("C43: a page is about this chat alone, and a button of old shows the looks", async () => {
    await using here = await shelf([{ title: "other", says: ["hello"] }]);
    await here.store.commit([
      { do: "append", conversation: here.ids[0] ?? "", at: (at += 1), body: begun("1", "Bash", { command: "ls" }) },
    ]);
    expect((await activity(here)).text).toMatch(/^Nothing yet/u);
    expect((await here.draw({ of: "activity" })).text).toMatch(/^Nothing yet/u);
    expect((await here.draw({ of: "activity", chat: "nosuchchat12" })).text).toMatch(/^Nothing yet/u);
    const gone = { of: "step", chat: "nosuchchat12", seq: 1, back: { of: "activity" } } as const;
    expect(await here.draw(gone)).toMatchObject({ text: "That is not there any more.", rows: [[{ label: "Back" }]] });
  });

  test("C44, P28: names and arguments are no markup, no secret and no second line", async () => {
    await using here = await shelf([]);
    await append(
      here,
      begun("1", "**Look** [x](https://x.example)\n# y", { command: "a`b\n- c" }),
      begun("2", "Bash", { command: `curl -H 'Authorization: Bearer ${"s3cr3t".repeat(8)}'` }),
    );
    const { text } = await activity(here);
    expect(text).toContain("\\*\\*Look\\*\\* \\[x\\](https\\://x.example) # y ``a`b - c``");
    expect(text).not.toContain("s3cr3t");
    expect(text.split("\n\n")).toHaveLength(3);
  });
});

test("C44, G47, D34: all of a step is a message of its own beside the page, and forgotten once it is shown", async () => {
  await using here = await shelf([], 2000);
  await append(here, begun("1", "Bash", { command: "seq 2000" }), ended("1", "ok", "ptarmigan\n".repeat(900)));
  const step = pageOf(await activity(here), "1");
  const key = "outside/passing/page/k";
  const open = async (page: Page): Promise<void> =>
    await leaf({ page, key }, here.here, { more: [], on: undefined }, here.parts);
  await open(step);
  expect(await here.store.outbox.open()).toHaveLength(1);
  const drawn = await here.draw(step);
  await open(pageOf(drawn, "All of it, as a file"));
  const keys = (await here.store.outbox.open()).map((row) => row.key);
  expect(keys.filter((one) => one === key)).toHaveLength(2);
  expect(keys.every((one) => one.startsWith("outside/passing/"))).toBe(true);
  const whole = await here.draw({ ...(step as Extract<Page, { of: "step" }>), whole: true });
  expect(whole.file).toMatchObject({ name: expect.stringMatching(/^step-\d+\.txt$/u) });
  expect(whole.rows.flat().map(({ label }) => label)).toEqual(["Back"]);
});

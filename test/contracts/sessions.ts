// What every engine with sessions and tools of its own keeps, run against the real programs and the pretend ones alike.
import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Engine } from "../../src/core/engine.ts";
import type { OwnUse, ToolSpec } from "../../src/core/tool.ts";
import type { TurnEvent, TurnInput } from "../../src/core/turn.ts";
import { LOOK, play, turn } from "../engines/play.ts";
import type { Played } from "../engines/play.ts";
import type { TestHost } from "../engines/host.ts";
import type { Stage } from "./engine.ts";
import { CLAIMED, keptFiles, killAll, processesOf } from "./session-script.ts";
import type { OwnAct, SessionAct } from "./session-script.ts";

/** An engine program with what makes it act, and what can befall it. */
export type SessionStage = Omit<Stage, "cue"> & {
  readonly cue: (act: SessionAct) => string;
  /** Every process of the engine's names its root in its environment; every kept file lies in its `sessions`. */
  readonly host: TestHost;
  /** The whole last request to the model, as JSON text; empty before the first. */
  readonly told: () => string;
  /** Requests that the model had so far. */
  readonly requests: () => number;
  /** Ends the engine, and gives another over the same folders, as a restart of the gateway does. */
  readonly restart: () => Promise<Engine>;
  /** Breaks the kept session in the way that this program takes worst; fails when nothing is kept. */
  readonly damage: (resumeId: string) => Promise<void>;
  /** Removes the kept session; fails when nothing is kept. */
  readonly lose: (resumeId: string) => Promise<void>;
  /** It has a tool for reading files: others read by commands. */
  readonly reads: boolean;
};

type Kept = Extract<TurnEvent, { kind: "session" }>;

const OTHER: ToolSpec = { ...LOOK, name: "other", description: "Looks elsewhere." };
const WHOLE = "<earlier-conversation>THE-WHOLE-RECORD</earlier-conversation>";
const MISSED = "<earlier-conversation>WHAT-WAS-MISSED</earlier-conversation>";

/** The suite; `skips` names tests that can't hold for this program, each with its reason. */
export function sessionContract(
  name: string,
  make: () => Promise<SessionStage>,
  skips: { readonly [title: string]: string } = {},
): void {
  const keeps = (title: string, body: (stage: SessionStage) => Promise<void>): void => {
    const reason = skips[title];
    if (reason !== undefined) {
      test.skip(`${title} (left out: ${reason})`, () => undefined);
      return;
    }
    test(title, async () => {
      const stage = await make();
      onTestFinished(async () => await stage[Symbol.asyncDispose]());
      await body(stage);
    });
  };

  describe(`C1, C2, C3, C4, C9, C12, C14, C17, C19, C43, C44, C47, N16, N17, A21: the session contract, kept by ${name}`, () => {
    keeps(
      "C1, N16: tells its session before the text of the turn, and that it is kept after the last of it",
      async (stage) => {
        const played = await play(stage.engine, at(stage, stage.cue({ is: "says", text: "one two three four" })));
        expect(played).toMatchObject({ text: "one two three four", reason: "done" });
        const kinds = played.events.map((event) => (event.kind === "session" ? `session ${event.kept}` : event.kind));
        expect(kinds.indexOf("session false")).toBeGreaterThanOrEqual(0);
        expect(kinds.indexOf("session false")).toBeLessThan(kinds.indexOf("text"));
        expect(kinds.lastIndexOf("session true")).toBeGreaterThan(kinds.lastIndexOf("text"));
        const told = sessions(played);
        expect(new Set(told.map((session) => session.resumeId)).size).toBe(1);
        expect(told.every((session) => session.restarted === undefined)).toBe(true);
        expect(told.at(-1)?.resumeId).not.toBe("");
      },
    );

    keeps(
      "C1, C9: knows in a new process what people said and what tools answered, and is told it no second time",
      async (stage) => {
        const said = `My cat is called Miso. ${stage.cue({ is: "calls", tools: ["look"], answer: "TIDE-42" })}`;
        const first = await play(
          stage.engine,
          at(stage, said, { tools: [LOOK], answer: () => ok("it is TIDE-42 there") }),
        );
        expect(first.text).toContain("TIDE-42");
        const engine = await stage.restart();
        const resumed = { ...resuming(first), tools: [LOOK] };
        const second = await play(
          engine,
          at(stage, stage.cue({ is: "recalls", word: "it is TIDE-42 there" }), resumed),
        );
        expect(second).toMatchObject({ text: "It was it is TIDE-42 there.", reason: "done" });
        expect(stage.told()).toContain("Miso");
        expect(stage.told()).not.toContain("THE-WHOLE-RECORD");
        expect(sessions(second).every((session) => session.restarted === undefined)).toBe(true);
        const third = await play(
          engine,
          at(stage, stage.cue({ is: "recalls", word: "Miso" }), { ...resuming(second), tools: [LOOK] }),
        );
        expect(third.text).toContain("Miso");
        expect(keptOf(third).kept).toBe(true);
      },
    );

    keeps("C2: gets what it missed before the words of the turn, once", async (stage) => {
      const first = await play(stage.engine, at(stage, stage.cue({ is: "says", text: "hello" })));
      const more = { resumeId: keptOf(first).resumeId, catchUp: { whole: () => WHOLE, missed: () => MISSED } };
      const words = stage.cue({ is: "says", text: "I see" });
      const second = await play(stage.engine, at(stage, words, more));
      expect(second).toMatchObject({ text: "I see", reason: "done" });
      expect(times(stage.told(), "WHAT-WAS-MISSED")).toBe(1);
      expect(stage.told().indexOf("WHAT-WAS-MISSED")).toBeLessThan(stage.told().indexOf(words));
      expect(stage.told()).not.toContain("THE-WHOLE-RECORD");
      const third = await play(stage.engine, at(stage, stage.cue({ is: "says", text: "on" }), resuming(second)));
      expect(third.text).toBe("on");
      expect(times(stage.told(), "WHAT-WAS-MISSED")).toBe(1);
    });

    for (const [title, befall] of [
      [
        "C19, C3, N17: a kept session that is gone is begun anew with the whole conversation, once, and goes on",
        "lose",
      ],
      [
        "C19, C4: a kept session that is damaged is begun anew with the whole conversation, and never half known",
        "damage",
      ],
    ] as const) {
      keeps(title, async (stage) => {
        const first = await play(
          stage.engine,
          at(stage, `My cat is called Miso. ${stage.cue({ is: "says", text: "noted" })}`),
        );
        const engine = await stage.restart();
        await stage[befall](keptOf(first).resumeId);
        const before = stage.requests();
        const second = await play(engine, at(stage, stage.cue({ is: "says", text: "here again" }), resuming(first)));
        expect(second).toMatchObject({ text: "here again", reason: "done" });
        expect(stage.requests() - before).toBe(1);
        expect(times(stage.told(), "THE-WHOLE-RECORD")).toBe(1);
        expect(stage.told()).not.toContain("Miso");
        expect(keptOf(second)).toMatchObject({ kept: true });
        expect(sessions(second).map((session) => session.restarted)).toContain("lost");
        const third = await play(engine, at(stage, stage.cue({ is: "says", text: "and on" }), resuming(second)));
        expect(third.text).toBe("and on");
        expect(sessions(third).every((session) => session.restarted === undefined)).toBe(true);
        expect(times(stage.told(), "THE-WHOLE-RECORD")).toBe(1);
      });
    }

    keeps("C19: an id that was never one of its own is healed too", async (stage) => {
      const more = { ...fresh(), resumeId: "an id of an older kind" };
      const played = await play(stage.engine, at(stage, stage.cue({ is: "says", text: "hello" }), more));
      expect(played).toMatchObject({ text: "hello", reason: "done" });
      expect(sessions(played).map((session) => session.restarted)).toContain("lost");
      expect(times(stage.told(), "THE-WHOLE-RECORD")).toBe(1);
    });

    keeps("C17: forgetting a session removes what is kept of it, and asking for it later heals", async (stage) => {
      const first = await play(
        stage.engine,
        at(stage, `My cat is called Miso. ${stage.cue({ is: "says", text: "noted" })}`),
      );
      const { resumeId } = keptOf(first);
      expect(await keptFiles(stage.host.sessions, resumeId)).not.toEqual([]);
      await stage.engine.forget(resumeId);
      expect(await keptFiles(stage.host.sessions, resumeId)).toEqual([]);
      const second = await play(stage.engine, at(stage, stage.cue({ is: "recalls", word: "Miso" }), resuming(first)));
      expect(second).toMatchObject({ text: "I was told nothing.", reason: "done" });
      expect(sessions(second).map((session) => session.restarted)).toContain("lost");
    });

    keeps("C14: changed standing words reach the model of a session that goes on", async (stage) => {
      const first = await play(
        stage.engine,
        at(stage, stage.cue({ is: "says", text: "aye" }), { instructions: "Speak like a lighthouse keeper." }),
      );
      expect(stage.told()).toContain("Speak like a lighthouse keeper.");
      const engine = await stage.restart();
      const changed = "Speak like a ferry captain.";
      const second = await play(
        engine,
        at(stage, stage.cue({ is: "says", text: "ahoy" }), { ...resuming(first), instructions: changed }),
      );
      expect(second).toMatchObject({ text: "ahoy", reason: "done" });
      expect(sessions(second).every((session) => session.restarted === undefined)).toBe(true);
      expect(stage.told()).toContain(changed);
      const third = await play(
        engine,
        at(stage, stage.cue({ is: "says", text: "heave" }), { ...resuming(second), instructions: changed }),
      );
      expect(third.text).toBe("heave");
      expect(times(stage.told(), changed)).toBe(1);
    });

    keeps("C12: a tool that is not of this turn is not called, though the session knew it", async (stage) => {
      const both = at(stage, stage.cue({ is: "calls", tools: ["other"], answer: "seen" }), { tools: [LOOK, OTHER] });
      const first = await play(stage.engine, both);
      expect(both.calls.map((call) => call.name)).toEqual(["other"]);
      const said = stage.cue({ is: "calls", tools: ["other", "look"], answer: "seen" });
      const one = at(stage, said, { ...resuming(first), tools: [LOOK] });
      const second = await play(stage.engine, one);
      expect(second).toMatchObject({ reason: "done" });
      expect(second.text).toContain("It says: seen");
      expect(one.calls.map((call) => call.name)).toEqual(["look"]);
    });

    keeps("C47: a file that it may not write is not written, and its row says so", async (stage) => {
      const path = join(stage.host.root, "work", "c1", "denied.txt");
      const use = { does: "write", path, text: "unwanted" } as const;
      const { played, asked } = await uses(stage, use, "not by my leave", () => ({
        is: "deny",
        words: "not by my leave",
      }));
      expect(await there(path)).toBe(false);
      expect(played.reason).toBe("done");
      expect(asked).toHaveLength(1);
      expect(asked[0]?.does).toBe("write");
      expect(pathsOf(stage, asked[0])).toContain(path);
      expectRow(played, /^(?:Write|Edit)$/u, "denied");
    });

    keeps("C47: a command that it may not run does not run, and its row says so", async (stage) => {
      const path = join(stage.host.root, "ran");
      const use = { does: "command", command: `touch ${path}` } as const;
      const { played, asked } = await uses(stage, use, "not by my leave", () => ({
        is: "deny",
        words: "not by my leave",
      }));
      expect(await there(path)).toBe(false);
      expect(played.reason).toBe("done");
      expect(asked).toHaveLength(1);
      expect(asked[0]).toMatchObject({ does: "command" });
      expect(asked[0]?.command).toContain(`touch ${path}`);
      expectRow(played, /^Bash$/u, "denied");
    });

    keeps("C47: the model is told in the verdict's words why something was not allowed", async (stage) => {
      const use = { does: "command", command: `touch ${join(stage.host.root, "ran")}` } as const;
      const { played } = await uses(stage, use, "not by my leave", () => ({ is: "deny", words: "not by my leave" }));
      expect(played).toMatchObject({ text: "It says: not by my leave", reason: "done" });
    });

    keeps("C43, C44: a command runs once it is allowed, and not before; its row is named Bash", async (stage) => {
      const path = join(stage.host.root, "ran");
      const use = { does: "command", command: `echo OUT-77 && touch ${path}` } as const;
      const { played } = await uses(stage, use, "OUT-77", async () => {
        expect(await there(path)).toBe(false);
        return { is: "allow" };
      });
      expect(await there(path)).toBe(true);
      expect(played).toMatchObject({ text: "It says: OUT-77", reason: "done" });
      const row = expectRow(played, /^Bash$/u, "ok");
      expect(row.start).toMatchObject({ effect: "act" });
      expect(JSON.stringify(row.start.call.input)).toContain("echo OUT-77");
      expect(row.end.result.text).toContain("OUT-77");
    });

    keeps("C43, C44: a file is written once it is allowed, and not before", async (stage) => {
      const path = join(stage.host.root, "work", "c1", "made.txt");
      const { played, asked } = await uses(stage, { does: "write", path, text: "fresh words" }, "", async () => {
        expect(await there(path)).toBe(false);
        return { is: "allow" };
      });
      expect(played.reason).toBe("done");
      expect((await readFile(path, "utf8")).trim()).toBe("fresh words");
      expect(asked.map((one) => one.does)).toEqual(["write"]);
      const row = expectRow(played, /^(?:Write|Edit)$/u, "ok");
      expect(JSON.stringify(row.start.call.input)).toContain("made.txt");
    });

    keeps("C44: a change of a file has the row Edit, with its diff", async (stage) => {
      const path = join(stage.host.root, "work", "c1", "old.txt");
      await plant(path, "an old line\n");
      // What a program has a tool for reading for, it must have read before it may change it.
      const read = stage.reads
        ? (await uses(stage, { does: "read", path }, "", () => ({ is: "allow" }))).played
        : undefined;
      const use = { does: "edit", path, from: "an old line", to: "a new line" } as const;
      const { played } = await uses(stage, use, "", () => ({ is: "allow" }), read === undefined ? {} : resuming(read));
      expect(played.reason).toBe("done");
      expect(await readFile(path, "utf8")).toBe("a new line\n");
      const row = expectRow(played, /^Edit$/u, "ok");
      const { diff } = row.start.call.input as { readonly diff?: string };
      expect(diff).toContain("-an old line");
      expect(diff).toContain("+a new line");
    });

    keeps(
      "C44: reading a file has the row Read, where the program has a tool for that, and asks first",
      async (stage) => {
        const path = join(stage.host.root, "work", "c1", "page.txt");
        await plant(path, "PAGE-WORDS\n");
        const denied = await uses(stage, { does: "read", path }, "not yours", () => ({
          is: "deny",
          words: "not yours",
        }));
        expect(stage.told()).not.toContain("PAGE-WORDS");
        expect(denied.played.reason).toBe("done");
        const { played, asked } = await uses(stage, { does: "read", path }, "PAGE-WORDS", () => ({ is: "allow" }));
        expect(played.text).toBe("It says: PAGE-WORDS");
        expect(asked[0]).toMatchObject({ does: stage.reads ? "read" : "command" });
        const row = expectRow(played, stage.reads ? /^Read$/u : /^(?:Read|Bash)$/u, "ok");
        if (stage.reads) {
          expect(row.start.effect).toBe("read");
          expect(pathsOf(stage, asked[0])).toContain(path);
        }
      },
    );

    keeps(
      "A21: locked, it has no tools of its own, whatever its model tries and whoever would allow it",
      async (stage) => {
        const made = join(stage.host.root, "made-by-a-stranger");
        const note = join(stage.host.root, "work", "c1", "note.txt");
        await plant(note, "PAGE-WORDS\n");
        const tries: readonly OwnAct[] = [
          { does: "command", command: `touch ${made}` },
          { does: "write", path: made, text: "mine" },
          { does: "read", path: note },
        ];
        for (const use of tries) {
          const { played } = await uses(stage, use, "PAGE-WORDS", () => ({ is: "allow" }), { locked: true });
          expect(played).toMatchObject({ text: "It says nothing.", reason: "done" });
          expect(stage.told()).not.toContain("PAGE-WORDS");
        }
        expect(await there(made)).toBe(false);
      },
    );

    keeps(
      "A21: locked, nothing that lies in the folders or is named in the message reaches the model or runs",
      async (stage) => {
        const ran = join(stage.host.root, "hook-ran");
        const work = join(stage.host.root, "work", "c1");
        await plantAll(stage.host, work, ran);
        const secret = join(stage.host.root, "secret.txt");
        await plant(secret, "PLANTED-SECRET\n");
        const says = [`look @${secret}`, `/config model=opus`, `/planted`, `/context`];
        for (const words of says) {
          const said = `${words} ${stage.cue({ is: "says", text: "just words" })}`;
          const played = await play(stage.engine, at(stage, said, { locked: true, tools: [LOOK] }));
          expect(played).toMatchObject({ text: "just words", reason: "done" });
          expect(stage.told()).toContain(JSON.stringify(said).slice(1, -1));
          expect(stage.told()).not.toContain("PLANTED-");
        }
        expect(await there(ran)).toBe(false);
      },
    );

    for (const locked of [true, false]) {
      keeps(
        `A21: a session made ${locked ? "locked is not resumed unlocked" : "unlocked is not resumed locked"}`,
        async (stage) => {
          const said = `My cat is called Miso. ${stage.cue({ is: "says", text: "noted" })}`;
          const first = await play(stage.engine, at(stage, said, { locked }));
          const same = await play(
            stage.engine,
            at(stage, stage.cue({ is: "recalls", word: "Miso" }), { ...resuming(first), locked }),
          );
          expect(same.text).toBe("It was Miso.");
          const more = { ...resuming(same), locked: !locked };
          const second = await play(stage.engine, at(stage, stage.cue({ is: "recalls", word: "Miso" }), more));
          expect(second).toMatchObject({ text: "I was told nothing.", reason: "done" });
          expect(sessions(second).map((session) => session.restarted)).toContain("replaced");
          expect(keptOf(second).resumeId).not.toBe(keptOf(same).resumeId);
        },
      );
    }

    keeps("O62: its own plan is told as a plan", async (stage) => {
      expect(stage.engine.can.plan).toBe(true);
      const played = await play(stage.engine, at(stage, stage.cue({ is: "plans", steps: ["pack", "sail", "rest"] })));
      expect(played).toMatchObject({ text: "Planned.", reason: "done" });
      expect(played.events.findLast((event) => event.kind === "plan")).toEqual({
        kind: "plan",
        plan: {
          kind: "plan",
          steps: [
            { text: "pack", state: "done" },
            { text: "sail", state: "active" },
            { text: "rest", state: "pending" },
          ],
        },
      });
      expect(played.events.some((event) => event.kind === "tool-start" || event.kind === "tool-end")).toBe(false);
    });

    keeps("E24: a stop while its own command runs ends the command and nothing else's", async (stage) => {
      const begun = join(stage.host.root, "begun");
      const stop = new AbortController();
      const command = `touch ${begun}; sleep 3917`;
      const said = stage.cue({ is: "own", use: { does: "command", command }, answer: "never" });
      const input = at(stage, said, { signal: stop.signal, allow: async () => await Promise.resolve({ is: "allow" }) });
      const other = at(stage, stage.cue({ is: "says", text: "quite undisturbed" }), { conversation: "c2" });
      const [first, second] = await Promise.all([
        play(stage.engine, input),
        play(stage.engine, other),
        vi.waitFor(async () => await access(begun), { timeout: 15_000 }).then(() => stop.abort()),
      ]);
      expect(first.reason).toBe("stopped");
      expect(second).toMatchObject({ text: "quite undisturbed", reason: "done" });
      await gone(async () => (await processesOf(stage.host.root)).filter((one) => one.command.includes("3917")));
      const after = await play(
        stage.engine,
        at(stage, stage.cue({ is: "says", text: "at your service" }), resuming(first)),
      );
      expect(after).toMatchObject({ text: "at your service", reason: "done" });
    });

    keeps("E24: nothing is left of it once it is disposed of, in the middle of a turn too", async (stage) => {
      const stop = new AbortController();
      const input = at(stage, stage.cue({ is: "talks-on" }), { signal: stop.signal });
      const played = await play(stage.engine, input, (event) => event.kind === "text" && stop.abort());
      expect(played.reason).toBe("stopped");
      await stage.engine[Symbol.asyncDispose]();
      await gone(async () => await processesOf(stage.host.root));
      expect([...stage.host.watchdog.groups]).toEqual([]);
      expect([...stage.host.watchdog.folders]).toEqual([]);
    });

    keeps("E24: a turn whose engine is disposed of ends, and not as if it were whole", async (stage) => {
      let over = Promise.resolve();
      const played = await play(stage.engine, at(stage, stage.cue({ is: "talks-on" })), (event) => {
        if (event.kind === "text" && event.delta.includes("On")) over = stage.engine[Symbol.asyncDispose]();
      });
      await over;
      expect(played).toMatchObject({ reason: "error", error: { code: "engine-failed" } });
      await gone(async () => await processesOf(stage.host.root));
    });

    keeps(
      "E24, C9: killed in the middle of a turn it says so, and the next turn works and knows the earlier ones",
      async (stage) => {
        const first = await play(
          stage.engine,
          at(stage, `My cat is called Miso. ${stage.cue({ is: "says", text: "noted" })}`),
        );
        const input = at(stage, stage.cue({ is: "talks-on" }), resuming(first));
        let killed = Promise.resolve();
        const second = await play(stage.engine, input, (event) => {
          if (event.kind === "text" && event.delta.includes("On")) killed = killAll(stage.host.root);
        });
        await killed;
        expect(second.reason).toBe("error");
        expect(second.error?.message).toMatch(/^[A-Z].*\.$/u);
        expect(second.text).toContain("On and");
        const third = await play(stage.engine, at(stage, stage.cue({ is: "recalls", word: "Miso" }), resuming(first)));
        expect(third).toMatchObject({ text: "It was Miso.", reason: "done" });
        expect(sessions(third).every((session) => session.restarted === undefined)).toBe(true);
      },
    );

    keeps("E24: two conversations side by side know their own words only", async (stage) => {
      const words = ["Miso", "Tofu"];
      const firsts = await Promise.all(
        words.map(async (word, n) => {
          const said = `My cat is called ${word}. ${stage.cue({ is: "says", text: `noted ${n}` })}`;
          return await play(stage.engine, at(stage, said, { conversation: `c${n}` }));
        }),
      );
      expect(firsts.map((one) => one.text)).toEqual(["noted 0", "noted 1"]);
      const seconds = await Promise.all(
        firsts.flatMap((first, n) =>
          words.slice(n, n + 1).map(async (word) => {
            const said = stage.cue({ is: "recalls", word });
            return await play(stage.engine, at(stage, said, { ...resuming(first), conversation: `c${n}` }));
          }),
        ),
      );
      expect(seconds.map((one) => one.text)).toEqual(["It was Miso.", "It was Tofu."]);
      const cross = stage.cue({ is: "recalls", word: "Tofu" });
      const third = await play(stage.engine, at(stage, cross, { ...resuming(seconds[0]), conversation: "c0" }));
      expect(third.text).toBe("I was told nothing.");
    });

    keeps("C1: usage is the turn's own, in a session that goes on too", async (stage) => {
      const first = await play(stage.engine, at(stage, stage.cue({ is: "says", text: "one" })));
      const engine = await stage.restart();
      const second = await play(engine, at(stage, stage.cue({ is: "says", text: "two" }), resuming(first)));
      const third = await play(engine, at(stage, stage.cue({ is: "says", text: "three" }), resuming(second)));
      for (const played of [first, second, third]) {
        expect(played.events.filter((event) => event.kind === "usage")).toHaveLength(1);
        expect(played.usage).toMatchObject({ inputTokens: CLAIMED.input, outputTokens: CLAIMED.output });
        expect(played.usage?.costUsd ?? 0).toBeCloseTo(first.usage?.costUsd ?? 0, 8);
      }
      expect(first.usage?.model).not.toBe("");
    });
  });
}

type Allow = (use: OwnUse) => ReturnType<TurnInput["allow"]> | Awaited<ReturnType<TurnInput["allow"]>>;

/** A turn in which the program uses one of its own tools; what was asked of it. */
async function uses(
  stage: SessionStage,
  use: OwnAct,
  answer: string,
  allow: Allow,
  more: Partial<TurnInput> = {},
): Promise<{ readonly played: Played; readonly asked: readonly OwnUse[] }> {
  const asked: OwnUse[] = [];
  const input = at(stage, stage.cue({ is: "own", use, answer }), {
    ...more,
    allow: async (own) => {
      asked.push(own);
      return await allow(own);
    },
  });
  await mkdir(input.workFolder, { recursive: true });
  return { played: await play(stage.engine, input), asked };
}

/** A turn with a work folder of the conversation's own, and a record that would be seen if it were told. */
function at(stage: SessionStage, words: string, more: Parameters<typeof turn>[1] = {}): ReturnType<typeof turn> {
  const conversation = more.conversation ?? "c1";
  const folder = join(stage.host.root, "work", conversation);
  return turn(words, { conversation, turn: `t-${words.length}-${conversation}`, workFolder: folder, ...more });
}

function fresh(): Pick<TurnInput, "catchUp"> {
  return { catchUp: { whole: () => WHOLE, missed: () => "" } };
}

/** What the gateway hands on after this turn. */
function resuming(played: Played | undefined): Pick<TurnInput, "catchUp" | "resumeId"> {
  return { ...fresh(), resumeId: keptOf(played).resumeId };
}

function sessions(played: Played | undefined): readonly Kept[] {
  return (played?.events ?? []).filter((event) => event.kind === "session");
}

function keptOf(played: Played | undefined): Kept {
  const last = sessions(played).at(-1);
  if (last === undefined) throw new Error("No session was told.");
  return last;
}

function ok(text: string): { readonly outcome: "ok"; readonly text: string } {
  return { outcome: "ok", text };
}

type Row = {
  readonly start: Extract<TurnEvent, { kind: "tool-start" }>;
  readonly end: Extract<TurnEvent, { kind: "tool-end" }>;
};

/** The only row of a tool in this turn: its name, and how it ended. */
function expectRow(played: Played, name: RegExp, outcome: string): Row {
  const starts = played.events.filter((event) => event.kind === "tool-start");
  const ends = played.events.filter((event) => event.kind === "tool-end");
  expect(starts.map((start) => start.call.name)).toEqual([expect.stringMatching(name)]);
  expect(ends.map((end) => end.result.outcome)).toEqual([outcome]);
  const [start] = starts;
  const [end] = ends;
  if (start === undefined || end === undefined) throw new Error("There is no row.");
  expect(end.callId).toBe(start.call.id);
  expect(played.events.indexOf(start)).toBeLessThan(played.events.indexOf(end));
  return { start, end };
}

function pathsOf(stage: SessionStage, use: OwnUse | undefined): readonly string[] {
  return (use?.paths ?? []).map((path) => resolve(stage.host.root, "work", "c1", path));
}

function times(text: string, part: string): number {
  return text.split(part).length - 1;
}

async function there(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

async function gone(left: () => Promise<readonly unknown[]>): Promise<void> {
  await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 10_000 });
}

async function plant(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** What the programs look for by themselves, in every place that they look in. */
async function plantAll(host: TestHost, work: string, ran: string): Promise<void> {
  const command = `touch ${ran}`;
  const hook = [{ hooks: [{ type: "command", command }] }];
  const settings = JSON.stringify({ hooks: { SessionStart: hook, UserPromptSubmit: hook, Stop: hook } });
  const server = { command: "/bin/sh", args: ["-c", command] };
  const skill = "---\nname: planted\ndescription: PLANTED-SKILL\n---\nPLANTED-SKILL\n";
  for (const [folder, mark] of [
    [work, "WORK"],
    [host.home, "HOME"],
  ] as const) {
    const text = `PLANTED-${mark}\n`;
    await plant(join(folder, "CLAUDE.md"), text);
    await plant(join(folder, "AGENTS.md"), text);
    await plant(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: { planted: server } }));
    await plant(join(folder, ".claude.json"), JSON.stringify({ mcpServers: { planted: server } }));
    await plant(join(folder, ".claude", "CLAUDE.md"), text);
    await plant(join(folder, ".claude", "settings.json"), settings);
    await plant(join(folder, ".claude", "settings.local.json"), settings);
    await plant(join(folder, ".claude", "commands", "planted.md"), text);
    await plant(join(folder, ".claude", "skills", "planted", "SKILL.md"), skill);
    await plant(join(folder, ".codex", "AGENTS.md"), text);
    await plant(join(folder, ".codex", "skills", "planted", "SKILL.md"), skill);
    await plant(join(folder, ".codex", "config.toml"), `notify = ["/bin/sh", "-c", "${command}"]\n`);
  }
}

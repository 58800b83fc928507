// What a tool did, or is to do, in words: rows, the line while it runs, its page, and what an approval shows of it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sorted } from "../../src/cards/exactly.ts";
import { askedCall, doingLine, stepPage, stepRow } from "../../src/cards/own-tools.ts";
import { parseMarkdown } from "../../src/markdown/parse.ts";

const same = (text: string): string => text;
const doing = (name: string, input: unknown): string => doingLine({ name, input }, same);
const asked = (name: string, input: unknown): ReturnType<typeof askedCall> => askedCall({ name, input });
const TOKEN = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;

describe("a row", () => {
  it("C43, C44: says what it is called, what it worked on, and how it went", () => {
    expect(stepRow("Edit", { path: "src/a.ts", diff: "+a" }, "ok")).toBe("Edit `src/a.ts` — done");
    expect(stepRow("Read", { file_path: "/w/b.ts" }, "error")).toBe("Read `/w/b.ts` — failed");
    expect(stepRow("Bash", { command: "npm test", description: "Tests" }, "running")).toBe("Bash `npm test` — running");
    expect(stepRow("WebFetch", { url: "https://a.example/x" }, "ok")).toBe("WebFetch `https://a.example/x` — done");
    expect(stepRow("Grep", { pattern: "a`b", path: "src" }, "ok")).toBe("Grep ``a`b`` — done");
    expect(stepRow("files__write", { path: "a.md", text: "long" }, "ok")).toBe("files\\_\\_write `a.md` — done");
    expect(stepRow("Look at *it*", {}, "ok")).toBe("Look at \\*it\\* — done");
    expect(stepRow("", null, "unknown")).toBe("A tool — begun; how it ended is not known");
  });

  it("C47: of a declined call says that it was not run, and whose no it was", () => {
    const row = (went: Parameters<typeof stepRow>[2]): string => stepRow("Bash", { command: "rm -rf x" }, went);
    expect(row("denied")).toBe("Bash `rm -rf x` — I didn't allow it, so it was not run");
    expect(row("no")).toBe("Bash `rm -rf x` — you didn't allow it, so it was not run");
    expect(row("expired")).toBe("Bash `rm -rf x` — nobody allowed it in time, so it was not run");
    expect(row("stopped")).toBe("Bash `rm -rf x` — stopped before anybody allowed it, so it was not run");
    expect(row("not-run")).toBe("Bash `rm -rf x` — not run");
  });

  it("C44: is one short line whatever the arguments are; of a path its end stands there", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), fc.constantFrom("Bash", "Edit", "x"), (text, name) => {
        const row = stepRow(name === "x" ? text : name, { command: text, path: text }, "ok");
        expect(row).not.toContain("\n");
        expect(row.length).toBeLessThan(700);
        expect(row).not.toMatch(/[\u202E\u200B\u0007]/u);
      }),
    );
    const path = `/home/${"deep/".repeat(40)}end.ts`;
    expect(stepRow("Read", { path }, "ok")).toMatch(/^Read `…[a-z/]*\/end\.ts` — done$/u);
  });

  it("P28: has nothing that looks like a secret, and none cut in half", () => {
    for (let pad = 0; pad < 90; pad += 1) {
      const row = stepRow("Bash", { command: `${"x ".repeat(pad / 2)}curl -H "token: ${TOKEN}"` }, "ok");
      expect(row).not.toMatch(/ghp_/u);
      expect(doing("Bash", { command: `${"x ".repeat(pad / 2)}curl ${TOKEN}` })).not.toMatch(/ghp/u);
    }
    const known = (text: string): string => text.replaceAll("hunter2hunter2", "[hidden]");
    expect(doingLine({ name: "Bash", input: { command: `${"x".repeat(70)} hunter2hunter2` } }, known)).not.toContain(
      "hunter",
    );
  });
});

it("C43: the line while a tool runs is quiet, one line, and plain words", () => {
  expect(doing("Bash", { command: "npm test" })).toBe("_Bash: npm test_");
  expect(doing("Read", { path: "src/a.ts" })).toBe("_Reading src/a.ts_");
  expect(doing("Edit", { path: "a_b.ts" })).toBe(String.raw`_Editing a\_b.ts_`);
  expect(doing("WebSearch", { query: "*x*\n# y" })).toBe(String.raw`_Searching the web for \*x\* # y_`);
  expect(doing("Agent", { prompt: "long" })).toBe("_Agent_");
  expect(doing("toString", { command: "a" })).toBe("_toString: a_");
});

describe("an approval", () => {
  it("A37: of a command shows the command as it would be run, then the rest", () => {
    expect(asked("Bash", { command: "npm test\necho done" })).toEqual({
      text: "`Bash`:\n\n```\nnpm test\necho done\n```",
    });
    expect(asked("Bash", { command: "ls", timeout: 5 }).text).toBe(
      '`Bash`:\n\n```\nls\n```\n\nand with:\n\n```\n{\n  "timeout": 5\n}\n```',
    );
  });

  it("A37: of a change shows the path and the change as a diff", () => {
    expect(asked("Edit", { path: "src/a.ts", diff: "@@ -1 +1 @@\n-a\n+\tb" }).text).toBe(
      "`Edit` `src/a.ts` with this change:\n\n```diff\n@@ -1 +1 @@\n-a\n+\tb\n```",
    );
    expect(asked("Edit", { file_path: "a.ts", old_string: "a", new_string: "b\nc", replace_all: true }).text).toBe(
      '`Edit` `a.ts`, these lines by those:\n\n```diff\n-a\n+b\n+c\n```\n\nand with:\n\n```\n{\n  "replace_all": true\n}\n```',
    );
    expect(asked("Write", { file_path: "a.ts", content: "```\nx" }).text).toBe(
      "`Write` `a.ts` with this content:\n\n````\n```\nx\n````",
    );
  });

  it("A37: a text that ends as files do is shown as it is", () => {
    expect(asked("Write", { file_path: "a.py", content: "if x:\n\ty()\n" }).text).toBe(
      "`Write` `a.py` with this content:\n\n```\nif x:\n\ty()\n\n```",
    );
    expect(asked("Edit", { path: "a", diff: "\u202e" }).text).toContain(String.raw`\u{202E}`);
    for (const gap of ["\t\n".repeat(20), "\t".repeat(50), "\n  \n".repeat(20)])
      expect(asked("Write", { path: "a", content: `x${gap}y` }).text).toContain('with:\n\n```\n{\n  "content": "');
  });

  it("A37: of a file, an address or anything else shows it", () => {
    expect(asked("Read", { path: "/etc/hosts" }).text).toBe("`Read` `/etc/hosts`");
    expect(asked("WebFetch", { url: "https://a.example/?q=1", prompt: "What?" }).text).toContain(
      "`WebFetch`:\n\n```\nhttps://a.example/?q=1\n```\n\nand with:",
    );
    expect(asked("app__run", { command: "ls" }).text).toBe('`app__run` with:\n\n```\n{\n  "command": "ls"\n}\n```');
  });

  it("A37: what would not be seen in a block stands spelled out among the exact arguments", () => {
    for (const hidden of [
      "ls\u202e",
      "ls\u200b x",
      "ls\r\nrm",
      "a\tb",
      " ls",
      "ls\n",
      `ls${"\n".repeat(30)}rm -rf /`,
      `ls${"\n \n".repeat(30)}rm -rf /`,
    ])
      expect(asked("Bash", { command: hidden }).text).toMatch(/`Bash` with:\n\n```\n\{\n {2}"command": "/u);
    expect(asked("Bash", { command: "ls\u202e" }).text).toContain(String.raw`ls\u{202E}`);
  });

  it("A37: of long ones both ends stand there, and all of them in the file", () => {
    const { text, whole } = asked("Bash", { command: `begin ${"x".repeat(3000)} end`, why: "y".repeat(3000) });
    expect(JSON.parse(whole ?? "")).toEqual({ command: `begin ${"x".repeat(3000)} end`, why: "y".repeat(3000) });
    expect(text).toContain("begin xxx");
    expect(text).toMatch(/x end\n```/u);
    expect(text.length).toBeLessThan(1400);
  });

  const piece = fc.oneof(
    fc.constantFrom("a", "b", "`", "```", "\n", " ", "\t", "\u202e", "\u200b", "{", '"', "-a", "+b", "\\u{202E}"),
    fc.constantFrom("and with:", "x".repeat(1200), "\n\n```\n\nand with:", "…"),
    fc.string({ unit: "binary", maxLength: 6 }),
  );
  const text = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(""));
  const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text, { maxLength: 2 }));
  const key = fc.constantFrom(
    "command",
    "path",
    "diff",
    "content",
    "old_string",
    "new_string",
    "url",
    "other",
    "__proto__",
  );
  const input = fc
    .array(fc.tuple(key, value), { maxLength: 4 })
    .map((pairs) => Object.fromEntries(pairs) as Record<string, unknown>);
  const name = fc.constantFrom("Bash", "Edit", "Write", "Read", "WebFetch", "Grep", "Some title", "app__run");
  const shown = (tool: string, args: unknown): string => JSON.stringify(asked(tool, args));

  it("A37: hides nothing: what is shown, the file included, is another for any other arguments", () => {
    fc.assert(
      fc.property(
        name,
        input,
        input,
        fc.constantFrom("command", "path", "diff", "other"),
        text,
        (tool, one, two, at, more) => {
          const near = { ...one, [at]: more };
          for (const other of [two, near]) {
            const equal = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
            if (!equal && shown(tool, one) === shown(tool, other))
              throw new Error(`${JSON.stringify(one)} ${JSON.stringify(other)}`);
          }
        },
      ),
      { numRuns: 600 },
    );
  });

  it("A37: nothing of it ends its block, and it stays one message's worth", () => {
    fc.assert(
      fc.property(name, input, (tool, args) => {
        const { text: card } = asked(tool, args);
        const kinds = parseMarkdown(card).children.map(({ type }) => type);
        expect(kinds.every((kind, at) => kind === (at % 2 === 0 ? "paragraph" : "code"))).toBe(true);
        expect(kinds.length).toBeLessThanOrEqual(4);
        expect(card.length).toBeLessThan(1500);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a step's page", () => {
  const call = { id: "1", name: "Edit", input: { path: "a.ts", diff: "-a\n+b" } };

  it("C44: has the row, the diff and what it gave back", () => {
    const { text, whole } = stepPage({ call, went: "ok", result: { outcome: "ok", text: "Updated." } }, 1700, "s.txt");
    expect(text).toBe("**Edit `a.ts` — done**\n\nChange:\n\n```diff\n-a\n+b\n```\n\nIt gave:\n\n```\nUpdated.\n```");
    expect(whole).toBeUndefined();
  });

  it("C44: of long ones the beginnings, and all of it as a file", () => {
    const long = { ...call, input: { path: "a.ts", diff: "+line\n".repeat(900).trim() } };
    const result = { outcome: "ok", text: "out ".repeat(4000) } as const;
    const { text, whole } = stepPage({ call: long, went: "ok", result }, 1200, "s.txt");
    expect(text.length).toBeLessThan(1400);
    expect(text).toContain("It gave:");
    expect(whole).toMatchObject({ name: "s.txt" });
    const file = whole !== undefined && "text" in whole ? whole.text : "";
    expect(file).toContain(long.input.diff);
    expect(file).toContain(result.text.trim());
  });

  it("C47: of what was not run says why, in the words that the engine was told", () => {
    const result = { outcome: "denied", text: "That place is closed to every tool." } as const;
    const { text } = stepPage({ call, went: "denied", result }, 1700, "s.txt");
    expect(text).toContain("so it was not run**\n\nThat place is closed to every tool.");
    expect(text).not.toContain("It gave");
  });

  it("P28: nothing that looks like a secret is on it, nor in its file", () => {
    const result = { outcome: "ok", text: `token: ${TOKEN}\n${"x".repeat(3000)}` } as const;
    const page = stepPage(
      { call: { ...call, name: "Bash", input: { command: `echo ${TOKEN}` } }, went: "ok", result },
      900,
      "s",
    );
    expect(page.whole).toBeDefined();
    expect(JSON.stringify(page)).not.toContain("ghp_");
  });
});

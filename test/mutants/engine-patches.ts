// Named mutants of the engines that are programs, of how they end, and of what waits longer than they can.
import { within, type Mutant } from "./patches.ts";

export const ENGINE_MUTANTS: readonly Mutant[] = [
  ...within(
    "src/engines/claude-code/options.ts",
    ["test/real/claude-guard.test.ts"],
    [
      [
        "claude: own tools run without asking",
        "permissions: { ask: [...OWN_TOOLS] } },\n  hooks: {\n    PreToolUse: [\n      {\n        hooks: [",
        'permissions: { ask: [] } },\n  hooks: {\n    PreToolUse: [\n      {\n        matcher: "Nothing",\n        hooks: [',
      ],
    ],
  ),
  ...within(
    "src/engines/door-tools.ts",
    ["test/engines/claude-tools.test.ts"],
    [
      [
        "claude: a tool of another turn is called",
        "if (!turn.tools.some(({ name }) => name === params.name))",
        'if (params.name === "")',
      ],
    ],
  ),
  ...within(
    "src/engines/claude-code/options.ts",
    ["test/real/claude.test.ts"],
    [
      [
        "claude: slash text and @paths work",
        'permissionMode: "default", verbatimPrompts: true }',
        'permissionMode: "default" }',
      ],
      [
        "claude: the first standing words win",
        "prompt: input.instructions, snapshot: false }",
        "prompt: input.instructions }",
      ],
      [
        "claude: the key is in the environment of commands",
        "apiKey === undefined ? {} : BY_PIPE",
        "apiKey === undefined ? {} : { ANTHROPIC_API_KEY: apiKey }",
      ],
    ],
  ),
  ...within(
    "src/engines/claude-code/own-tools.ts",
    ["test/engines/claude-tools.test.ts"],
    [
      ["claude: a pattern of Glob is no path", "    besides: globbed,\n", ""],
      [
        "claude: a relative path is judged in one folder and used in another",
        "const input = tool.at === undefined ? asked : { ...asked, [tool.at.key]: where[0] };",
        "const input = asked;",
      ],
    ],
  ),
  ...within(
    "src/engines/claude-code/warm.ts",
    ["test/real/claude.test.ts"],
    [
      [
        "claude: a process started otherwise serves the turn",
        "if (found.key === key && !found.gone.aborted)",
        "if (!found.gone.aborted)",
      ],
    ],
  ),
  ...within(
    "src/engines/claude-code/turn.ts",
    ["test/real/claude.test.ts"],
    [
      [
        "claude: half an answer is said twice",
        'if (said.is === "cut") return over({ kind: "end", reason: "error", error: new GatewayError("engine-cut") });',
        'if (said.is === "cut") continue;',
      ],
    ],
  ),
  ...within(
    "src/engines/claude-code/engine.ts",
    ["test/real/claude.test.ts"],
    [
      [
        "claude: locked and unlocked sessions are the same",
        "known?.level === level ? known.session : undefined",
        "known?.session",
      ],
    ],
  ),
  ...within(
    "src/engines/claude-code/sign-in.ts",
    ["test/real/claude.test.ts"],
    [
      [
        "claude: a sign-in that has run out is used for a locked turn",
        "signIn.expiresAt !== undefined && signIn.expiresAt <= now",
        "signIn.expiresAt === 0",
      ],
    ],
  ),
  ...within(
    "src/engines/claude-code/engine.ts",
    ["test/engines/claude-warm.test.ts"],
    [
      [
        "claude: two turns have one session at once",
        "      await orStopped(before, signal);\n    const",
        "      break;\n    const",
      ],
    ],
  ),
  ...within(
    "src/engines/codex/kept.ts",
    ["test/engines/codex.test.ts"],
    [
      [
        "a kept thread's hash isn't looked at",
        "if (bytes === kept.bytes && sha256 === kept.sha256)",
        "if (bytes === kept.bytes)",
      ],
      [
        "a kept thread's record may name any file",
        "if (kept.file === undefined || id !== thread ||",
        "if (kept.file === undefined ||",
      ],
      ["a thread of any size is kept", "if (size > maxBytes) {", "if (size > maxBytes * 1000) {"],
      ["any id becomes part of a path", "    if (!isThread(thread)) return;\n", ""],
    ],
  ),
  ...within(
    "src/engines/codex/tools.ts",
    ["test/engines/codex.test.ts"],
    [["the flavour is no part of the digest", "JSON.stringify([flavour, tools.map", "JSON.stringify([tools.map"]],
  ),
  ...within(
    "src/engines/codex/turn.ts",
    ["test/engines/codex.test.ts"],
    [
      [
        "a tool of another turn is called",
        "tools.find((one) => one.name === name)",
        "(tools.find((one) => one.name === name) ?? tools[0])",
      ],
      [
        "the silence watch counts a tool's wait",
        "if (waiting > 0 || own.running() > 0) heardAt = clock.now();",
        "if (own.running() > 0) heardAt = clock.now();",
      ],
    ],
  ),
  ...within(
    "src/engines/codex/own.ts",
    ["test/engines/codex.test.ts"],
    [
      [
        "what is typed into a command is asked about like a command",
        'if (kind !== "command" || text === "")',
        'if (text === "")',
      ],
      ["a locked turn asks for its own tools", "if (input.locked) return", 'if (input.locked && use.id === "") return'],
      ["the private home is open to commands", "return touched || named ?", "return touched ?"],
      [
        "a patch that was never shown is asked about",
        "if (known === undefined || known.length === 0 ||",
        "if (known === undefined ||",
      ],
    ],
  ),
  ...within(
    "src/engines/codex/settings.ts",
    ["test/engines/codex.test.ts"],
    [["a command may have a terminal", '"unified_exec_tty = false"', '"unified_exec_tty = true"']],
  ),
  ...within(
    "src/engines/claude-code/options.ts",
    ["test/engines/claude-contract.test.ts"],
    [
      [
        "Claude takes prompts for commands and paths",
        "verbatimPrompts: true },",
        "verbatimPrompts: false as unknown as true },",
      ],
      [
        "Claude keeps a session's first standing words",
        "prompt: input.instructions, snapshot: false },",
        "prompt: input.instructions, snapshot: true as unknown as false },",
      ],
    ],
  ),
  ...within(
    "src/engines/claude-code/engine.ts",
    ["test/engines/claude-contract.test.ts"],
    [
      [
        "Claude resumes over the border of trust",
        "known?.level === level ? known.session",
        "known !== undefined ? known.session",
      ],
      [
        "a lost Claude session is told nothing",
        "session === undefined ? input.catchUp.whole() : input.catchUp.missed()",
        "input.catchUp.missed()",
      ],
    ],
  ),
  ...within(
    "src/engines/claude-code/sessions.ts",
    ["test/engines/claude-contract.test.ts"],
    [["Claude's usage is the session's running total", "used: less(now, before?.models[model]),", "used: less(now),"]],
  ),
  ...within(
    "src/engines/claude-code/live.ts",
    ["test/engines/claude-contract.test.ts"],
    [["Claude runs what the verdict denied", 'if (verdict.is === "deny") {', "if (Boolean(0)) {"]],
  ),
  ...within(
    "src/engines/codex/kept.ts",
    ["test/engines/codex-contract.test.ts"],
    [
      [
        "a damaged Codex thread is used",
        "if (bytes === kept.bytes && sha256 === kept.sha256) return",
        "if (bytes > 0 && sha256 !== kept.file) return",
      ],
    ],
  ),
  ...within(
    "src/engines/codex/session.ts",
    ["test/engines/codex-contract.test.ts"],
    [
      [
        "Codex resumes whatever its tools and trust were",
        "asked !== undefined && asked.digest !== digest",
        'asked !== undefined && asked.digest === ""',
      ],
      [
        "Codex hears changed standing words never",
        "...(anew || opened.told === told ? {} :",
        '...(anew || told !== "" ? {} :',
      ],
    ],
  ),
  ...within(
    "src/engines/codex/own.ts",
    ["test/engines/codex-contract.test.ts"],
    [
      [
        "Codex runs what the verdict denied",
        'if (verdict.is === "deny") return await decline(',
        "if (Boolean(0)) return await decline(",
      ],
    ],
  ),
  ...within(
    "src/engines/codex/protocol.ts",
    ["test/engines/codex-contract.test.ts"],
    [
      [
        "Codex acts without asking",
        'export const SEALED = { approvalPolicy: "untrusted"',
        'export const SEALED = { approvalPolicy: "never" as unknown as "untrusted"',
      ],
    ],
  ),
  ...within(
    "src/cards/held.ts",
    ["test/cards/held.test.ts"],
    [
      [
        "a late answer starts no turn",
        'return [{ do: "append", conversation, at, body: { kind: "resumed", from, card: card.id, answer } }, over];',
        "return [over];",
      ],
      ["what is held is not kept over a restart", 'if (asked?.kind !== "asked" ||', 'if (asked?.kind === "asked" ||'],
    ],
  ),
  ...within(
    "src/cards/grants.ts",
    ["test/cards/held.test.ts"],
    [
      [
        "leave is not spent",
        '    { do: "claim", key: `spent:${card}`, by: "gateway", at },\n    { do: "cursor", name, value: "" },\n',
        "",
      ],
      ["leave does not look at the marks", '    { do: "expect-marks", conversation, count: marks },\n', ""],
      [
        "leave is not bound to why it was asked",
        "JSON.stringify([digest, reason, means, marks])",
        "JSON.stringify([digest, means, marks])",
      ],
      [
        "leave is not bound to what the tool is",
        "JSON.stringify([digest, reason, means, marks])",
        "JSON.stringify([digest, reason, marks])",
      ],
      [
        "leave never expires",
        'if (card === "" || at >= Number(untilMs)) return false;',
        'if (card === "") return false;',
      ],
    ],
  ),
  ...within(
    "src/cards/questions.ts",
    ["test/cards/held.test.ts"],
    [
      ["held questions don't give way", "      await this.#replace(waiting);\n", ""],
      [
        "a card is held though it was answered",
        "      if (waiting.over) return false;\n      await surelyDone",
        "      await surelyDone",
      ],
    ],
  ),
  ...within(
    "src/turn/input.ts",
    ["test/turn/resumed.test.ts"],
    [
      [
        "a late answer does not say who is there",
        '    else if (entry.kind === "resumed" && entry.seq <= upTo) messages.push(asResumed(entry));\n',
        "",
      ],
    ],
  ),
  ...within(
    "src/gateway/queue.ts",
    ["test/gateway/held.test.ts"],
    [["a crash skips what is held", "      if (await isHeld(this.#parts.store, entry)) continue;\n", ""]],
  ),
  ...within(
    "src/gateway/commands.ts",
    ["test/journeys/waiting.test.ts"],
    [
      [
        "a new chat leaves held cards open",
        "if (may && LEAVES.has(typed.name)) await parts.leave(conversation);\n    else await closeOpen",
        "await closeOpen",
      ],
    ],
  ),
  ...within(
    "src/engines/process.ts",
    ["test/engines/process.test.ts"],
    [
      [
        "a program is started without a mark of its own",
        "env: { ...order.env, ...watchdog.mark, [RUN]: run },",
        "env: { ...order.env, ...watchdog.mark },",
      ],
      [
        "a program's group is released only with its output's end",
        "    release?.();\n    void ending",
        "    void ended.then(() => release?.());\n    void ending",
      ],
      ["a program that does not heed SIGTERM is left", '      signal(-pid, "SIGKILL");\n      await', "      await"],
      [
        "half a character stays at the beginning of the complaints",
        "test(last) ? last.slice(1) : last",
        "test(last) ? last : last",
      ],
    ],
  ),
  ...within(
    "src/engines/strays.ts",
    ["test/engines/process.test.ts"],
    [
      ["a mark that only begins like a program's is taken for it", "`\\0${variable}\\0`", "variable"],
      ["only the beginning of an environment is read", "if (bytesRead < room.length) return all;", "return all;"],
    ],
  ),
  ...within(
    "src/gateway/watchdog.ts",
    ["test/gateway/watchdog.test.ts"],
    [
      ["the watchdog ends with the gateway's signals", "trap '' HUP INT QUIT TERM\n", ""],
      ["the watchdog is in the gateway's process group", "    detached: true,\n", ""],
      ["the watchdog never uses KILL", "KILL KILL KILL KILL KILL; do", "TERM TERM TERM TERM TERM; do"],
      ["the watchdog does not look for the mark", "*${MARK}=????????????????)", "*${MARK}=)"],
      ["the watchdog is not told of a release", "dog?.stdin.write(`-${entry}\\n`)", "undefined"],
      [
        "a watchdog that is started again knows of nothing",
        "    for (const { entry } of watched) started",
        "    for (const { entry } of [...watched].slice(-1)) started",
      ],
      ["the home folder may be removed", "[homedir(), tmpdir()]", "[tmpdir()]"],
    ],
  ),
  ...within(
    "src/catalog/stdio.ts",
    ["test/gateway/watchdog.test.ts"],
    [["apps do not carry the watchdog's mark", "...variables, ...watchdog?.mark };", "...variables };"]],
  ),
  ...within(
    "src/pictures/drawing.ts",
    ["test/gateway/watchdog.test.ts"],
    [["what draws is not watched", "watchdog?.group(child.pid)", "undefined"]],
  ),
  ...within(
    "test/real/lock.ts",
    ["test/real/programs.test.ts"],
    [
      [
        "F: a program left out by a failed download passes",
        "if (has === undefined || !onDisk(folder)) return [`${folder} is missing`];",
        "if (has === undefined) return [];\n    if (!onDisk(folder)) return [`${folder} is missing`];",
      ],
      ["F: other content under the same version passes", "return has.integrity === want.integrity ?", "return true ?"],
      [
        "F: what the lock no longer names stays",
        "wanted[folder] === undefined",
        'wanted[folder] === undefined && folder === ""',
      ],
      [
        "F: programs of other machines are asked for",
        'if (folder === "" || !isFor(want, here)) return [];',
        'if (folder === "") return [];',
      ],
    ],
  ),
  ...within(
    "src/gateway/places.ts",
    ["test/gateway/places.test.ts"],
    [
      [
        "the homes of Codex runs are open",
        "    { path: join(resolve(where.temporary), RUN_HOMES), family: true },\n",
        "",
      ],
      ["a pattern is judged as a plain path", "if (!/[*?[{]/u.test(path)) return [];", 'if (path !== "") return [];'],
    ],
  ),
  ...within(
    "src/gateway/places.ts",
    ["test/gateway/canary.test.ts"],
    [
      [
        "the folders that engines' variables name are open",
        "    ...[claudeFolder, codexFolder].filter((folder) => folder !== undefined),\n",
        "",
      ],
    ],
  ),
  ...within(
    "src/taint/guard.ts",
    ["test/gateway/canary.test.ts"],
    [
      [
        "a command that nothing confines can be allowed for good",
        'if (call.closed === "maybe" && (verdict.is === "allow" || (verdict.is === "ask" && verdict.by === "mode")))',
        'if (call.closed === "maybe" && verdict.is === "allow")',
      ],
    ],
  ),
  ...within(
    "src/turn/toolbox.ts",
    ["test/gateway/canary.test.ts"],
    [
      ["a file is fetched by its address", ' || (does === "fetch" && namesFile(use.input));', ";"],
      ["a read that names no file passes", '(does === "read" || does === "write") && paths.length === 0', "false"],
    ],
  ),
  ...within(
    "src/gateway/deleting.ts",
    ["test/gateway/deleting.test.ts"],
    [["what engines keep is not noted before the rows go", "    await forgetting.note(id);\n", ""]],
  ),
  ...within(
    "src/gateway/forgetting.ts",
    ["test/gateway/deleting.test.ts"],
    [
      [
        "a session that can't be forgotten is no longer noted",
        "if (stays ? going.has(one.conversation) : !(await forget(one))) left.push(one);",
        "if (stays ? going.has(one.conversation) : !(await forget(one)) && false) left.push(one);",
      ],
      [
        "a chat that stays loses its session after a crash",
        "const stays = (await store.conversations.get(one.conversation)) !== undefined;",
        "const stays = false;",
      ],
      ["the note of a chat that is just being deleted goes with another's deletion", "going.add(conversation);", ""],
    ],
  ),
  ...within(
    "src/gateway/engines.ts",
    ["test/gateway/deleting.test.ts"],
    [
      [
        "a broken engine says that it forgot",
        "forget: async () => await Promise.reject(error),",
        "forget: async () => undefined,",
      ],
    ],
  ),
  ...within(
    "src/gateway/config-engines.ts",
    ["test/gateway/config.test.ts"],
    [["an engine's name leads out of its folder", "/^\\w[\\w.-]{0,63}$/u", "/^/u"]],
  ),
  ...within(
    "src/gateway/doctor.ts",
    ["test/gateway/doctor-programs.test.ts"],
    [["doctor keeps an engine's warning to itself", '[[warn !== undefined, warn ?? ""]]', '[[false, warn ?? ""]]']],
  ),
  ...within(
    "src/cards/own-tools.ts",
    ["test/cards/own-tools.test.ts"],
    [
      [
        "a field that is told is told although not all of it can be seen",
        'return typeof value === "string" && isPlain(value, tabs) ? value : undefined;',
        'return typeof value === "string" ? value : undefined;',
      ],
      [
        "the rest of the arguments is left off the card",
        "const left = Object.keys(rest).length > 0;",
        "const left = false;",
      ],
      [
        "clipped arguments have no file",
        "return isWhole ? { text } : { text, whole: inJson(input) };",
        "return { text };",
      ],
      [
        "a row is cut before secrets are taken out",
        "const line = visibly(oneLine(scrubShapes(scrub(read))));",
        "const line = visibly(oneLine(scrub(read)));",
      ],
    ],
  ),
  ...within(
    "src/cards/exactly.ts",
    ["test/cards/own-tools.test.ts"],
    [["code that can end its block", "Math.max(3, longestRun(text) + 1)", "3"]],
  ),
  ...within(
    "src/gateway/activity-pages.ts",
    ["test/gateway/activity.test.ts"],
    [
      ["the owner's no is told as the guard's", 'went: isRefusal(mine.took) ? mine.took : "asked"', 'went: "denied"'],
      [
        "a declined call of the gateway's leaves no row",
        "if (!isTold && isRefusal(took) && entry.seq < below)",
        "if (isTold && isRefusal(took) && entry.seq < below)",
      ],
      [
        "a page of steps begins where the last one ended, one too low",
        "(found[next]?.entry.seq ?? 0) + 1",
        "(found[next]?.entry.seq ?? 0)",
      ],
    ],
  ),
  ...within(
    "src/gateway/live.ts",
    ["test/gateway/doing.test.ts"],
    [["what is being done stays when it is over", "if (pauseMs === undefined) tellsDoing = doing !== undefined;", ""]],
  ),
  ...within(
    "src/gateway/doing.ts",
    ["test/gateway/doing.test.ts"],
    [
      [
        "a line that was never shown is shown below the answer",
        "if (last === undefined || (await withdrawn())) return;",
        "if (last === undefined) return;",
      ],
    ],
  ),
  ...within(
    "src/search/lines.ts",
    ["test/search/lines.test.ts"],
    [["what was written into files is looked for", "input: withoutBulk(entry.call.input)", "input: entry.call.input"]],
  ),
  ...within(
    "src/turn/run.ts",
    ["test/journeys/own-tools.test.ts"],
    [["what own tools do is told in rooms that others read", 'room.kind === "private" && !order.locked);', "true);"]],
  ),
  ...within(
    "src/taint/guard.ts",
    ["test/taint/guard.test.ts", "test/taint/table.test.ts"],
    [["guard: what nothing keeps out is allowed", 'call.closed === "maybe" && (verdict.is', "false && (verdict.is"]],
  ),
  ...within(
    "src/cards/approval-changes.ts",
    ["test/cards/approvals.test.ts"],
    [
      ["approvals: two answers count", '{ do: "claim", key: `card:${card.id}`, by, at },', ""],
      [
        "approvals: always counts for other tools",
        'return `always:${conversation}:${tool}${means === undefined ? "" : `:${means}`}`;',
        "return `always:${conversation}`;",
      ],
      ["approvals: always counts in other chats", "`always:${conversation}:${tool}", "`always:${tool}"],
      ["approvals: once is always", 'took === "always" && !known', 'took === "once" && !known'],
    ],
  ),
  ...within(
    "src/cards/approvals.ts",
    ["test/cards/approvals.test.ts"],
    [
      [
        "approvals: they never expire",
        "clock.sleep(Math.min(holdMs, EXPIRES_MS), enough)",
        "clock.sleep(Math.min(holdMs, EXPIRES_MS) * 1000, enough)",
      ],
      [
        "approvals: long arguments are not shown whole",
        "...(shown.whole === undefined ? {}",
        '...(shown.text !== "" ? {}',
      ],
    ],
  ),
  ...within(
    "src/cards/exactly.ts",
    ["test/cards/approvals.test.ts", "test/cards/own-tools.test.ts"],
    [
      [
        "approvals: arguments hide what draws nothing",
        'return visibly(JSON.stringify(sorted(value), undefined, 2) ?? "null");',
        'return JSON.stringify(sorted(value), undefined, 2) ?? "null";',
      ],
      ["approvals: arguments end their block", '"`".repeat(Math.max(3, longestRun(text) + 1))', '"`".repeat(3)'],
    ],
  ),
  ...within(
    "src/gateway/engine-choice.ts",
    ["test/mutants/missing.test.ts"],
    [
      [
        "engine choice: tools of an engine's own meet others",
        "exposed(conversation) && engine.can.ownTools && engine.can.locked !== true",
        "false",
      ],
    ],
  ),
  ...within(
    "src/gateway/leaves.ts",
    ["test/gateway/leafing.test.ts"],
    [["pages: a title keeps its secrets", 'clipUnits(scrubShapes(title), 100, "…")', 'clipUnits(title, 100, "…")']],
  ),
  ...within(
    "src/cards/question-changes.ts",
    ["test/cards/questions.test.ts"],
    [["a question is answered without a claim", '{ do: "claim", key: `card:${card.id}`, by, at },', ""]],
  ),
  ...within(
    "src/cards/questions.ts",
    ["test/cards/questions.test.ts"],
    [
      [
        "a second question may wait in the same chat",
        "if (there.some(({ held }) => held !== true)) throw",
        "if (there.length > 99) throw",
      ],
    ],
  ),
  ...within(
    "src/cards/held.ts",
    ["test/cards/questions.test.ts"],
    [
      [
        "presses and words of one question are not taken in turn",
        "const done = card.busy.then(task);",
        "const done = task();",
      ],
    ],
  ),
  ...within(
    "src/gateway/outbox.ts",
    ["test/gateway/questions.test.ts"],
    [
      [
        "typing shows while a person is waited for",
        'if ((hint.kind === "typing" || (hint.doing && hint.text !== "")) && waits) return LOOK_AGAIN_MS;',
        "",
      ],
    ],
  ),
  ...within(
    "src/gateway/gateway.ts",
    ["test/gateway/cards-left.test.ts"],
    [["archive from outside leaves what stands open", "      await cards.leave({ id: conversation });\n", ""]],
  ),
  ...within(
    "src/gateway/commands.ts",
    ["test/journeys/people.test.ts"],
    [
      [
        "commands: anyone's",
        "const may = command !== undefined && mayCommand(column, command.name);",
        "const may = command !== undefined;",
        { filter: "A13: a guest" },
      ],
    ],
  ),
];

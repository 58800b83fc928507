// The named mutants: each removes or weakens one thing that keeps people, marks or tools in their places, and names the tests that
// must go red then. `run.ts` applies them one at a time.

/** One patch: `from` stands in the file exactly once. `tests`: in the order in which they are tried. `filter`: of their titles. */
export type Mutant = {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly tests: readonly string[];
  readonly filter?: string;
};

type Patch = readonly [
  name: string,
  from: string,
  to: string,
  instead?: { readonly tests?: readonly string[]; readonly filter?: string },
];

const TABLE_TESTS = ["test/taint/table.test.ts"];
const GUARD_TESTS = ["test/taint/guard.test.ts", ...TABLE_TESTS];
const MARKS_TESTS = ["test/taint/marks.test.ts"];
const CARRIES_TESTS = ["test/taint/carries.test.ts"];
const FRAME_TESTS = ["test/taint/frame.test.ts"];
const TOOLBOX_TESTS = ["test/turn/toolbox.test.ts"];
const APPROVALS_TESTS = ["test/cards/approvals.test.ts"];
const ASKED = ["test/journeys/approvals.test.ts"];
const MARKED = ["test/journeys/marks.test.ts"];
const PEOPLE = ["test/journeys/people.test.ts"];
const STORIES = ["test/mutants/missing.test.ts"];
const GROUPS = ["test/journeys/groups.test.ts"];

export const MUTANTS: readonly Mutant[] = [
  ...within("src/taint/table.ts", TABLE_TESTS, [
    [
      "table: plain is closed to a guest",
      'plain: { clean: "yes", marked: "yes", person: "yes", shared: "yes", guest: "yes"',
      'plain: { clean: "yes", marked: "yes", person: "yes", shared: "yes", guest: "absent"',
    ],
    [
      "table: history is open beside a person's words",
      'history: { clean: "yes", marked: "yes", person: "absent"',
      'history: { clean: "yes", marked: "yes", person: "yes"',
    ],
    [
      "table: history is open in a shared room",
      'history: { clean: "yes", marked: "yes", person: "absent", shared: "absent"',
      'history: { clean: "yes", marked: "yes", person: "absent", shared: "yes"',
    ],
    [
      "table: history is open to a guest",
      'history: { clean: "yes", marked: "yes", person: "absent", shared: "absent", guest: "absent"',
      'history: { clean: "yes", marked: "yes", person: "absent", shared: "absent", guest: "yes"',
    ],
    [
      "table: offers in a marked chat",
      'offer: { clean: "yes", marked: "refused"',
      'offer: { clean: "yes", marked: "yes"',
    ],
    [
      "table: cue offers in a shared room",
      '"cue-offer": { clean: "yes", marked: "yes", person: "yes", shared: "absent"',
      '"cue-offer": { clean: "yes", marked: "yes", person: "yes", shared: "yes"',
    ],
    ["table: asks when nobody is there", 'nobody: "default"', 'nobody: "yes"'],
    ["table: suggestions beside a person's words", 'person: "own-only",', 'person: "yes",'],
    [
      "table: plan is closed when nobody is there",
      'plan: { clean: "yes", marked: "yes", person: "yes", shared: "yes", guest: "yes", nobody: "yes" }',
      'plan: { clean: "yes", marked: "yes", person: "yes", shared: "yes", guest: "yes", nobody: "absent" }',
    ],
    ["table: apps read freely in a marked chat", 'marked: "carries-asks"', 'marked: "yes"'],
    ["table: apps read freely beside a person's words", 'person: "carries-asks"', 'person: "yes"'],
    ["table: apps act in every mode", '"app-act": { clean: "mode"', '"app-act": { clean: "yes"'],
    [
      "table: apps act by the mode in a marked chat",
      '"app-act": { clean: "mode", marked: "asks"',
      '"app-act": { clean: "mode", marked: "mode"',
    ],
    [
      "table: apps act in a shared room",
      '"app-act": { clean: "mode", marked: "asks", person: "asks", shared: "absent"',
      '"app-act": { clean: "mode", marked: "asks", person: "asks", shared: "asks"',
    ],
    [
      "table: engines act by the mode in a marked chat",
      '"engine-act": { clean: "mode", marked: "asks"',
      '"engine-act": { clean: "mode", marked: "mode"',
    ],
    [
      "table: engines act for a guest",
      '"engine-act": { clean: "mode", marked: "asks", person: "asks", shared: "absent", guest: "absent"',
      '"engine-act": { clean: "mode", marked: "asks", person: "asks", shared: "absent", guest: "mode"',
    ],
    [
      "table: engines act unasked when nobody is there",
      '"engine-act": { clean: "mode", marked: "asks", person: "asks", shared: "absent", guest: "absent", nobody: "given"',
      '"engine-act": { clean: "mode", marked: "asks", person: "asks", shared: "absent", guest: "absent", nobody: "yes"',
    ],
    ["table: engines read anywhere beside a person's words", 'person: "inside-asks"', 'person: "yes"'],
    ["table: engines read anywhere when nobody is there", 'nobody: "inside-only"', 'nobody: "yes"'],
    ["table: /people in a shared room", 'shared: ["new",', 'shared: ["people", "new",'],
    ["table: /engine for a guest", 'guest: ["new",', 'guest: ["engine", "new",'],
    ["table: commands when nobody is there", "nobody: [],", 'nobody: "all",'],
    ["table: any command for anyone", 'return commands === "all" || commands.includes(command);', "return true;"],
    ["table: an unattended turn is the owner's", 'if (turn.attendance === "nobody") return "nobody";', ""],
    ["table: a guest's turn is the owner's", 'if (turn.attendance === "guest") return "guest";', ""],
    ["table: a shared room is private", 'if (turn.room !== "private") return "shared";', ""],
    [
      "table: a person's mark is any mark",
      'if (turn.marks.some((mark) => mark.kind === "person")) return "person";',
      "",
    ],
    ["table: one mark is none", "turn.marks.length > 0 ?", "turn.marks.length > 1 ?"],
  ]),
  ...within("src/taint/guard.ts", GUARD_TESTS, [
    [
      "guard: unknown marks count as none",
      "return columnOf({ attendance, room, marks: marks ?? [UNKNOWN] });",
      "return columnOf({ attendance, room, marks: marks ?? [] });",
    ],
    ["guard: closed places are ignored", "if (call.closed === true) return", "if (false) return"],

    ["guard: an unattended command may ask", 'if (attendance !== "owner")', "if (false)"],
    [
      "guard: plan mode allows",
      'return { is: "deny", words: "This chat only plans',
      'if (true) return { is: "allow" };\n      return { is: "deny", words: "This chat only plans',
    ],
    [
      "guard: plan mode asks after reading",
      '!standing.checkAfterReading || standing.mode === "plan"',
      "!standing.checkAfterReading",
    ],
    [
      "guard: ask mode allows",
      'case "ask":\n      return modeAsks(call);',
      'case "ask":\n      return { is: "allow" };',
    ],
    [
      "guard: edits mode ignores where",
      "call.inside === true && call.changesFiles === true",
      "call.changesFiles === true",
    ],
    ["guard: edits mode ignores what", "call.inside === true && call.changesFiles === true", "call.inside === true"],
    ["guard: sources are not limited to three", "labels.slice(0, MAX_SOURCES)", "labels"],
    ["guard: four sources are named", "const MAX_SOURCES = 3;", "const MAX_SOURCES = 4;"],
    ["guard: an absent tool is listed", 'return cell !== "absent" && (', "return ("],
    ["guard: a tool that was not given is listed", '(cell !== "given" || given)', "true"],
    ["guard: an absent tool runs", 'return { is: "deny", words: ABSENT };', 'return { is: "allow" };'],
    [
      "guard: what is refused runs",
      'return { is: "deny", words: "Not in a chat that holds words from outside." };',
      'return { is: "allow" };',
    ],
    ["guard: left out counts as given", "return call.given === true", "return call.given !== false"],
    [
      "guard: left out counts as inside, with nobody there",
      'return call.inside === true ? { is: "allow" } : { is: "deny"',
      'return call.inside !== false ? { is: "allow" } : { is: "deny"',
    ],
    [
      "guard: left out counts as inside, beside a person's words",
      'return call.inside === true ? { is: "allow" } : asks(',
      'return call.inside !== false ? { is: "allow" } : asks(',
    ],
    [
      "guard: reading outside the work folder is allowed",
      'return call.inside === true ? { is: "allow" } : byCell(',
      'return true ? { is: "allow" } : byCell(',
    ],
    ["guard: left out counts as carrying nothing", "call.carries === false", "call.carries !== true"],
    ["guard: its own asks are the mode's", 'by: "guard",\n    reason', 'by: "mode",\n    reason'],
    [
      "guard: the mode decides after reading too",
      "if (!standing.checkAfterReading ||",
      "if (standing.checkAfterReading ||",
    ],
  ]),
  ...within("src/taint/marks.ts", MARKS_TESTS, [
    [
      "marks: a forward of nobody known is not marked",
      'if (origin.kind === "forwarded") marks',
      'if (origin.kind === "forwarded" && origin.id !== undefined) marks',
    ],
    ["marks: no forward is marked", 'if (origin.kind === "forwarded") marks', "if (false) marks"],
    [
      "marks: an unknown quote of ours is not marked",
      "if (where === undefined) marks",
      "if (where === undefined && !origin.ours) marks",
    ],
    [
      "marks: a look at another chat is not marked",
      'else if (where.is === "elsewhere") marks',
      "else if (false) marks",
    ],
    ["marks: a file is not marked", 'if (part.kind === "file" && part.file', 'if (part.kind !== "file" && part.file'],
    [
      "marks: a forwarded voice note is not marked",
      '!(part.file.kind === "voice" && origin.kind === "own")',
      'part.file.kind !== "voice"',
    ],
    [
      "marks: a guest's words are not marked",
      'message.from.role === "owner" ? marks : [personMark(message.from), ...marks]',
      "marks",
    ],
    ["marks: one source stands for all of its kind", "return `${kind} ${source}`;", "return kind;"],
    ["marks: a source is known by name", ": `${platform}/${origin.id}`,", ": `${platform}/?${oneLine(origin.from)}`,"],
  ]),
  ...within("src/taint/carries.ts", CARRIES_TESTS, [
    [
      "carries: what is nested too deep carries nothing",
      "if (depth > MAX_DEPTH ||",
      "if (depth > MAX_DEPTH) return true;\n  if (",
    ],
    ["carries: keys carry nothing", "pieces.push(key);", ""],
    ["carries: lists carry nothing", "return value.every((one)", "return [].every((one)"],
    ["carries: long numbers carry nothing", 'if (typeof value === "number" && Math.abs', "if (false && Math.abs"],
    [
      "carries: what can't be looked through carries nothing",
      "if (!gather(input, pieces, 0)) return true;",
      "if (!gather(input, pieces, 0)) return false;",
    ],
    [
      "carries: much in small pieces carries nothing",
      "pieces.reduce((sum, piece) => sum + piece.length, 0) > MAX_CHARS_IN_ALL ||",
      "",
      { tests: STORIES, filter: "A32" },
    ],
    [
      "carries: no web address carries nothing",
      "if (!/^https?:$/u.test(address.protocol)) return true;",
      "if (!/^https?:$/u.test(address.protocol)) return false;",
    ],
    [
      "carries: a name in an address carries nothing",
      'address.username !== "" ||',
      "",
      { tests: STORIES, filter: "A32" },
    ],
    ["carries: a long query carries nothing", "address.search.length - 1 > MAX_QUERY_CHARS ||", ""],
    ["carries: a long fragment carries nothing", "address.hash.length - 1 > MAX_QUERY_CHARS ||", ""],
    ["carries: a long host name carries nothing", "address.hostname.split", '"".split'],
    ["carries: a long path carries nothing", "segment.length > MAX_SEGMENT_CHARS", "false"],
    ["carries: a parameter carries nothing", "looksLikeData(value) || looksLikeData(key)", "false"],
    ["carries: long words carry nothing", "return text.length > MAX_WORDS_CHARS || text", "return text"],
    ["carries: a key among words carries nothing", ".some(looksLikeData);", ".every(looksLikeData);"],
  ]),
  ...within("src/taint/frame.ts", FRAME_TESTS, [
    [
      "frame: it can be closed from inside",
      "breakTokens(breakTag(dropUnseen(words)))",
      "breakTokens(dropUnseen(words))",
    ],
    [
      "frame: a chat template's turns begin in it",
      "breakTokens(breakTag(dropUnseen(words)))",
      "breakTag(dropUnseen(words))",
    ],
    ["frame: hidden words stay", "breakTokens(breakTag(dropUnseen(words)))", "breakTokens(breakTag(words))"],
    [
      "frame: a name ends its field",
      '.replaceAll(/["<>&\\uFF02\\uFF1C\\uFF1E\\uFF06\\uFE60\\uFE64\\uFE65]/g, "\'")',
      "",
    ],
    [
      "frame: a quote is the writer's own",
      'origin.kind === "own" ? undefined',
      'origin.kind !== "forwarded" ? undefined',
      { tests: ["test/journeys/outside-words.test.ts"], filter: "T6" },
    ],
  ]),
  ...within(
    "src/turn/input.ts",
    ["test/turn/input.test.ts"],
    [
      ["input: a guest's words are not framed", '(from.role === "owner" ? undefined', "(true ? undefined"],
      [
        "input: one message of the owner's makes a turn the owner's",
        "messages.every((message)",
        "messages.some((message)",
      ],
      ["input: a guest's turn is told of the owner", 'attendance === "guest"\n      ?', "false\n      ?"],
    ],
  ),
  ...within("src/turn/toolbox.ts", TOOLBOX_TESTS, [
    [
      "toolbox: absent tools are listed",
      ".filter((tool) => present(tool.row, turn.given.has(tool.name), standing))",
      "",
    ],
    [
      "toolbox: leave stands whatever came in since",
      'verdict.is === "ask" && verdict.reason !== granted',
      'verdict.is === "ask" && granted === undefined',
    ],
    [
      "toolbox: not judged again after the answer",
      "granted = verdict.reason;\n        continue;",
      "granted = verdict.reason;",
      { tests: STORIES, filter: "A31" },
    ],
    [
      "toolbox: an engine's tool keeps leave whatever came in since",
      '"allow" || verdict.reason === granted)',
      '"allow" || granted !== undefined)',
      { tests: STORIES, filter: "A31" },
    ],
    [
      "toolbox: an engine's tool is not judged again after the answer",
      "granted = verdict.reason;\n  }\n}",
      'return { is: "allow" };\n  }\n}',
      { tests: STORIES, filter: "A31" },
    ],
    [
      "toolbox: a mark between verdict and log is not seen",
      "[...said, start], { expected: standing.marks, acts: true }",
      "[...said, start], { acts: true }",
    ],
    ["toolbox: what an engine's tool brings marks nothing", "ownUseMarks(use)", "[]"],
    [
      "toolbox: a mark between the verdict on an engine's tool and what it brings is not seen",
      "append(entries, { expected: standing.marks, acts: true })",
      "append(entries, { acts: true })",
    ],
    [
      "toolbox: a mark between result and log is not seen",
      "turn.append(entries, { expected: standing.marks, shown, acts: marks.length > 0 })",
      "turn.append(entries, { shown, acts: marks.length > 0 })",
      { tests: STORIES, filter: "A63" },
    ],
    [
      "toolbox: not judged again after the run",
      "const open = present(tool.row, turn.given.has(tool.name), standing);",
      "const open = true;",
    ],
    [
      "toolbox: the marks of a result are not logged",
      '...marks.map((taint): EntryBody => ({ kind: "marked", taint })),',
      "",
    ],
    ["toolbox: changed arguments run", "return digestOf(call) === digest ?", "return true ?"],
    [
      "toolbox: always, for the guard's asks",
      'verdict.by === "mode" && standing.marks?.length === 0',
      "standing.marks?.length === 0",
    ],
    [
      "toolbox: always, in a marked chat",
      'verdict.by === "mode" && standing.marks?.length === 0',
      'verdict.by === "mode"',
    ],
    [
      "toolbox: no answer is leave",
      'if (answer !== "once" && answer !== "always") return',
      'if (answer === "no") return',
    ],
    [
      "toolbox: nobody to ask is leave",
      "if (answer === undefined) return NO_CHAT;",
      "if (answer === undefined) return undefined;",
    ],
    ["toolbox: runs after a stop", "if (turn.signal.aborted) {", "if (false) {"],
    ["toolbox: arguments carry nothing", "{ carries: couldCarry(call.input) }", "{ carries: false }"],
    ["toolbox: a command that names a closed place runs", "closed: where.closed || named ?", "closed: where.closed ?"],
    ["toolbox: a path in a closed place is open", "closed: where.closed || named ?", "closed: named ?"],
    ["toolbox: a shell counts as kept out", "use.confined !== true", "use.confined === false"],
    [
      "toolbox: every tool only changes files",
      'changesFiles: does === "write"',
      'changesFiles: does !== "read"',
      { tests: STORIES, filter: "A35" },
    ],
    [
      "toolbox: a fault is leave",
      'return { is: "deny", words: asGatewayError(thrown).message };',
      'return { is: "allow" };',
    ],
  ]),
  ...within("src/turn/run.ts", ASKED, [
    [
      "run: what a verdict went by is not compared",
      "expected === undefined ? [] :",
      "true ? [] :",
      { tests: STORIES, filter: "A62" },
    ],
    [
      "run: a plan is offered in a group",
      'attendance === "owner" && room.kind === "private" &&',
      'attendance === "owner" &&',
      { tests: STORIES, filter: "A70" },
    ],
  ]),
  ...within("src/cards/approvals.ts", APPROVALS_TESTS, [
    ["approvals: expired is allowed", '() => "expired" as const', '() => "once" as const'],
    ["approvals: stopped is allowed", '() => "stopped" as const', '() => "once" as const'],

    [
      "approvals: always counts for what the tool is by now",
      "alwaysKey(ask.conversation, ask.call.name, ask.means)",
      "alwaysKey(ask.conversation, ask.call.name)",
    ],
    [
      "approvals: always is offered where it may not be",
      '...(always ? [option("Always in this chat", "always")] : [])',
      '...[option("Always in this chat", "always")]',
    ],
    ["approvals: always counts where it may not", "ask.always &&\n", "\n"],

    ["approvals: bound to the tool's name alone", ".update(`${name}\\n${exactly(input)}`)", ".update(name)"],

    ["approvals: a reason draws what others wrote", "escapeMarkdown(reason),", "reason,"],
  ]),
  ...within(
    "src/cards/choices.ts",
    ["test/journeys/commands.test.ts"],
    [
      [
        "choices: two presses count",
        '{ do: "claim", key: `card:${taken.card}`, by: taken.by, at: taken.at },',
        "",
        { filter: "D10" },
      ],
    ],
  ),
  ...within("src/gateway/hearing.ts", MARKED, [
    ["hearing: nothing is marked", "marks: marks.map((taint)", "marks: [].map((taint)", { filter: "A25" }],
    [
      "hearing: a quote of another chat is not left out",
      "if (!elsewhere(part)) return [part];",
      "if (true) return [part];",
      { filter: "A24, A55: in a chat|A61" },
    ],
    [
      "hearing: a file of another chat is not left out",
      'return part.kind === "file" ? [] :',
      'return part.kind === "file" ? [part] :',
      { tests: STORIES, filter: "A61" },
    ],
    ["hearing: words that come with it don't close", "isOthers(all) ||", "", { filter: "A24, A55: in a chat|A61" }],
    [
      "hearing: words from before don't close",
      "isOthers(before ?? []) || isOthers(all)",
      "isOthers(all)",
      { filter: "A24, A55: in a chat|A61" },
    ],
    [
      "hearing: a quote goes by the name",
      "return id !== undefined &&",
      'return ("from" in arguments[0] && arguments[0].from === "Sam") || id !== undefined &&',
      { tests: STORIES, filter: "A24" },
    ],
    [
      "hearing: a quote of somebody else is the owner's",
      "if (!origin.ours && !isOwners(origin, here)) return undefined;",
      "",
      { filter: "A24, A55: a reply" },
    ],
    [
      "hearing: an unknown quote of ours is from here",
      "holder === undefined ? undefined :",
      'holder === undefined ? { is: "here" } :',
      { filter: "A24|A60" },
    ],
    [
      "hearing: a quote of another chat is from here",
      "return holder.id === here.id ?",
      "return true ?",
      { filter: "A24" },
    ],
    ["hearing: the owner is not told", "told: closes ?", "told: false ?", { filter: "A28" }],
    [
      "hearing: the owner is told each time",
      "!isOthers(before ?? []) && isOthers(marks)",
      "isOthers(marks)",
      { tests: STORIES, filter: "A29" },
    ],
    [
      "hearing: what is told quotes as ours",
      "quiet: true,\n    outside: true,",
      "quiet: true,",
      { tests: STORIES, filter: "A60" },
    ],
  ]),
  ...within("src/gateway/edits.ts", MARKED, [
    ["edits: an edit doesn't mark", "...heard.marks,", "", { filter: "A28" }],
    [
      "edits: anyone's message is edited",
      "conversation === undefined || conversation.person !== personKey(person)",
      "conversation === undefined",
      { tests: STORIES, filter: "A28" },
    ],
    [
      "edits: an edit brings in another chat",
      "parts: heard.parts } as const",
      "parts } as const",
      { tests: STORIES, filter: "A28" },
    ],
  ]),
  ...within("src/gateway/delivery.ts", PEOPLE, [
    ["delivery: a message doesn't mark", "...heard.marks,", "", { tests: MARKED, filter: "A25" }],
    [
      "delivery: marks in a transaction of their own",
      "const committed = await store.commit(changes, { sync: false });",
      "const committed = await store.commit(changes.filter((one) => !heard.marks.includes(one)), { sync: false });\n  await store.commit(heard.marks);",
      { tests: MARKED, filter: "A16|A64" },
    ],
    [
      "delivery: a guest's files are fetched",
      'guest ? brought.filter((part) => part.kind === "text") : brought',
      "brought",
      { filter: "A68" },
    ],
    ["delivery: guests have no limits", "const limit = guest ?", "const limit = false ?", { filter: "A50: a guest's" }],
    [
      "delivery: over the limit is answered",
      'if (limit?.is === "over") {',
      'if (limit?.is === "over" && limit.tell) {',
      { filter: "A50: a guest's" },
    ],
    ["delivery: answers are not counted durably", "...(limit?.changes ?? []),", "", { filter: "A50: a guest's" }],
    [
      "delivery: a group has no limit",
      'return room.kind === "shared" ? { guest, group',
      "return false ? { guest, group",
      { tests: STORIES, filter: "A50" },
    ],
    ["delivery: a guest names a chat", ' || message.from.role !== "owner")', ")", { tests: STORIES, filter: "A50" }],
    [
      "delivery: a title holds secrets",
      "titleFrom(ownWords(message), scrub)",
      "titleFrom(ownWords(message), (text) => text)",
      { tests: STORIES, filter: "A54" },
    ],
    [
      "delivery: requests are shown in a group",
      'if (person.role === "owner" && room.kind === "private") await',
      'if (person.role === "owner") await',
      { tests: STORIES, filter: "A49" },
    ],
  ]),
  ...within("src/gateway/plan-presses.ts", STORIES, [
    [
      "presses: a started plan stays a plan",
      'mode: mode === "plan" ? "ask" : mode',
      "mode",
      { tests: STORIES, filter: "A70" },
    ],
  ]),
  ...within("src/gateway/presses.ts", ASKED, [
    [
      "presses: a guest answers an approval",
      'if (person.role !== "owner") return NOT_YOURS;\n  const live',
      "const live",
      { filter: "A38" },
    ],
    [
      "presses: an approval is answered in another room",
      "if (live !== undefined && roomKey(live.room) !== roomKey(inbound.room)) return NOT_YOURS;",
      "",
      { tests: STORIES, filter: "A38" },
    ],
    [
      "presses: anyone presses",
      "if (conversation.person !== personKey(person) || conversation",
      "if (conversation",
      { tests: [...GROUPS, "test/journeys/strangers.test.ts", ...PEOPLE], filter: "G21|G13|A47" },
    ],
    [
      "presses: buttons work in another chat",
      " || conversation.room.chat !== inbound.room.chat)",
      ")",
      { tests: STORIES, filter: "A38" },
    ],
  ]),
  ...within("src/gateway/choice-presses.ts", ASKED, [
    [
      "presses: a guest lets in",
      'if (person.role !== "owner") return NOT_YOURS;\n      return await take(button.action.do',
      "return await take(button.action.do",
      { tests: STORIES, filter: "A51" },
    ],
    [
      "presses: a guest sets the mode",
      'if (person.role !== "owner" || conversation.room.kind !== "private") return NOT_YOURS;\n      return await take("mode set"',
      'return await take("mode set"',
      { tests: STORIES, filter: "A51" },
    ],
  ]),
  ...within("src/gateway/text-answers.ts", ASKED, [
    ["text answers: beside a forward", 'part.origin.kind === "forwarded" ||', "", { tests: STORIES, filter: "A22" }],
    ["text answers: beside a file", ' || part.kind === "file"', "", { filter: "A22" }],
    [
      "text answers: a bare yes counts",
      "return replied === undefined ? undefined :",
      "return replied === undefined ? { took, to: { number: 1 } } :",
      { filter: "A41, A22" },
    ],
    ["text answers: anywhere among words", "const ALLOW = /^(?:allow", "const ALLOW = /(?:allow", { filter: "A41" }],
    [
      "text answers: with more behind",
      "(\\d{1,9}))?[.!]?$/iu;\nconst REFUSE",
      "(\\d{1,9}))?/iu;\nconst REFUSE",
      { tests: STORIES, filter: "A22" },
    ],
    [
      "text answers: in another room",
      "live.filter((one) => roomKey(one.room) === roomKey(room))",
      "live",
      { tests: STORIES, filter: "A65" },
    ],
    [
      "text answers: a reply to anything of ours",
      "if (shown.ref === messageId) return true;",
      "return true;",
      { filter: "A41|D26" },
    ],
    ["text answers: to any number", "card.number === to.number", "card.number > 0", { tests: STORIES, filter: "A22" }],
  ]),
  ...within("src/gateway/commands.ts", PEOPLE, [
    [
      "commands: a guest is the owner",
      "const column = columnOf({ attendance: typed.person.role,",
      'const column = columnOf({ attendance: "owner",',
      { filter: "A13: a guest" },
    ],
    [
      "commands: /people is answered in the group",
      'if (column === "shared" && isPrivate(typed.name)) return',
      "if (false) return",
      { tests: [...GROUPS, ...PEOPLE], filter: "A13: /people" },
    ],
    [
      "commands: /status tells a group of marks",
      '...(room.kind === "private" ? [...authorityLines',
      "...(true ? [...authorityLines",
      { tests: STORIES, filter: "A56" },
    ],
    [
      "commands: /status tells a group a title",
      'const title = room.kind === "private" ?',
      "const title = true ?",
      { tests: STORIES, filter: "A56" },
    ],
    [
      "commands: /status quotes as ours",
      "return marks?.length === 0 ? { words } : { words, outside: true };",
      "return { words };",
      { tests: STORIES, filter: "A60" },
    ],
    [
      "commands: /help lists a guest everything",
      "COMMANDS.filter(({ name }) => mayCommand(column, name))",
      "COMMANDS",
      { filter: "A13: a guest" },
    ],
  ]),
  ...within("src/gateway/authority-commands.ts", PEOPLE, [
    [
      "people command: a list quotes as ours",
      "outside: true,\n    changes: cards,",
      "changes: cards,",
      { tests: STORIES, filter: "A60" },
    ],
    [
      "people command: a request quotes as ours",
      "askChoice({ conversation, at, text, options, outside: true }",
      "askChoice({ conversation, at, text, options }",
      { tests: STORIES, filter: "A60" },
    ],
  ]),
  ...within(
    "src/gateway/people.ts",
    ["test/gateway/people.test.ts"],
    [
      ["people: bots are let in", 'if (sender.bot) return { standing: "nobody" };', ""],
      [
        "people: the owner is known by name",
        "if (this.#isOwner(platform, sender.id))",
        "if (sender.name === this.owner.name || this.#isOwner(platform, sender.id))",
      ],
      ["people: blocked is ignored", ' || known === "blocked")', ")"],
      ["people: guests: block is ignored", 'this.rules.guests === "block" || known', "known"],
      ["people: who asked is let in", 'else if (known !== "guest")', "else if (known === undefined)"],
      ["people: groups count by default", 'return standing === "guest" ? "open" : "closed";', 'return "open";'],
      ["people: groups: off is ignored", 'if (this.rules.groups === "off") return "closed";', ""],
      [
        "people: a blocked group is opened",
        'this.group(room) !== "closed") return [];',
        'this.group(room) === "open") return [];',
      ],
      [
        "people: who was paired wins over the config",
        'if (stated === undefined) return this.known(platform, id)?.standing === "owner";',
        'if (this.known(platform, id)?.standing === "owner") return true;',
      ],
      [
        "people: the last private chat of an earlier owner",
        "if (last === undefined || !this.isOwner(personKey(last.person))) return undefined;",
        "if (last === undefined) return undefined;",
      ],
      ["people: what was refused is remembered", "if (!done.ok) return done;", ""],
    ],
  ),
  ...within("src/gateway/inbox.ts", GROUPS, [
    [
      "inbox: a group's talk counts without a mention",
      '(groups === "off" || !inbound.addressed)',
      'groups === "off"',
      { filter: "T11" },
    ],
  ]),
  ...within("src/gateway/doorway.ts", PEOPLE, [
    ["doorway: the code is kept", 'outcome: "paired", forget: true', 'outcome: "paired"', { filter: "A48" }],
  ]),
  ...within(
    "src/gateway/requests.ts",
    ["test/gateway/requests.test.ts"],
    [
      ["requests: 21 wait", ".length >= MOST_WAITING", ".length > MOST_WAITING"],
      ["requests: a reply every time", "if (last !== undefined && at - Number(last) < REPLY_EVERY_MS) return [];", ""],
      ["requests: a reply in a group", "...(shared ? [] : await", "...(false ? [] : await"],
      [
        "requests: the blocked may ask",
        'if (people.who(platform, sender, room).standing !== "stranger") return false;',
        "",
      ],
      [
        "requests: a group asks unaddressed",
        '(addressed && people.rules.groups === "mention")',
        'people.rules.groups === "mention"',
      ],
      ["requests: a group asks with groups off", '(addressed && people.rules.groups === "mention")', "addressed"],
      [
        "requests: again right after not now",
        '(before?.standing !== "later" || at - before.at >= AGAIN_AFTER_MS)',
        "true",
      ],
      ["requests: asked twice", "const asks = !waits && !full", "const asks = !full"],
      [
        "requests: two at once make two",
        "this.#last.then(async () => await this.#takeIn(stranger))",
        "this.#takeIn(stranger)",
      ],
      [
        "requests: a card quotes as ours",
        "          outside: true,\n        },\n        random",
        "        },\n        random",
      ],
      ["requests: what a stranger wrote is kept", 'outcome: "turned away", forget: true', 'outcome: "turned away"'],
      ["requests: the owner is decided about", "if (people.isOwner(personKey(action.who))) return [];", ""],
      ["requests: not now lets in", '"not-now": "later"', '"not-now": "guest"'],
      [
        "requests: a name draws what it says",
        "return `“${escapeMarkdown(shownName(name, id))}”`;",
        "return `“${shownName(name, id)}”`;",
      ],
    ],
  ),
  ...within(
    "src/gateway/pairing.ts",
    ["test/gateway/pairing.test.ts"],
    [
      ["pairing: in a group", 'room.kind !== "private" ||', ""],
      ["pairing: by a bot", "if (sender.bot ||", "if ("],
      ["pairing: where the config names the owner", " || stated) return WRONG;", ") return WRONG;"],
      ["pairing: an expired code", " || clock.now() >= until", ""],
      [
        "pairing: a code is used twice",
        '{ do: "claim", key: `pairing:${hash}`, by: personKey({ platform, id: sender.id }), at },',
        "",
      ],
      ["pairing: any code", '!timingSafeEqual(digest(code), Buffer.from(hash, "hex")) ||', ""],
      [
        "pairing: an earlier owner stays",
        '...before.map(({ id }): Change => ({ do: "forget-known", platform, id })),',
        "",
      ],
      ["pairing: a code anywhere in a text", "const CODE_IN_TEXT = /^(?:", "const CODE_IN_TEXT = /(?:"],
    ],
  ),
  ...within(
    "src/gateway/limits.ts",
    ["test/gateway/limits.test.ts"],
    [
      ["limits: one more an hour", ">= this.#rules.hourly", "> this.#rules.hourly"],
      ["limits: one more a day", "times.length >= this.#rules.daily", "times.length > this.#rules.daily"],
      ["limits: a day is an hour", "now - at < DAY_MS", "now - at < HOUR_MS"],
      ["limits: a group counts nothing", "...(keys.group === undefined ? [] : [keys.group])", ""],
      ["limits: said each time", "tell: unsaid.length > 0", "tell: true"],
      [
        "limits: two at once both take the last",
        "this.#last.then(async () => await this.#take(keys))",
        "this.#take(keys)",
        { tests: STORIES, filter: "A50" },
      ],
      ["limits: forgotten at a restart", "kept === undefined ? NONE :", "true ? NONE :"],
    ],
  ),
  ...within("src/gateway/engine-choice.ts", PEOPLE, [
    [
      "engine choice: a guest's engine is the owner's",
      ": (parts.access.guestEngine ?? parts.defaultEngine);",
      ": parts.defaultEngine;",
      { filter: "A50, A14" },
    ],

    [
      "engine choice: a guest's engine is not locked",
      "!people.isOwner(person) ||",
      "",
      { tests: STORIES, filter: "A17" },
    ],
    [
      "engine choice: a group's engine is not locked",
      '|| (room.kind !== "private" && room.platform !== UNATTENDED_PLATFORM)',
      "",
      { tests: STORIES, filter: "A17" },
    ],
    [
      "engine choice: a guest works in the owner's folder",
      "(exposed(conversation) ? undefined : parts.workOf(name(conversation)))",
      "parts.workOf(name(conversation))",
      { tests: STORIES, filter: "A17" },
    ],
  ]),
  ...within(
    "src/gateway/places.ts",
    ["test/gateway/places.test.ts"],
    [
      ["places: links are not followed", "[await realPath(full), await realPath(written)]", "[written, written]"],
      [
        "places: what holds a closed place is open",
        "return within(asked, closed) || within(closed, asked);",
        "return within(asked, closed);",
      ],
      ["places: case counts", "[root.toLowerCase(), path.toLowerCase()]", "[root, path]"],
      [
        "places: what can't be looked at is open",
        "const REFUSED: Verdict = { inside: false, closed: true };",
        "const REFUSED: Verdict = { inside: false, closed: false };",
      ],
      [
        "places: the config's secrets are open",
        '[configFile, join(dirname(resolve(configFile)), ".env")]',
        "[configFile]",
      ],
      ["places: engines' sign-ins are open", "...ENGINE_STORES.map((store) => join(home, store)),", ""],
      [
        "places: one path inside is enough",
        "verdicts.every(({ inside }) => inside)",
        "verdicts.some(({ inside }) => inside)",
      ],
      [
        "places: no path is inside",
        "if (paths.length === 0) return { inside: false",
        "if (paths.length === 0) return { inside: true",
      ],
      [
        "places: a work folder opens what it holds",
        "work !== root && within(work, root) && within(path, work)",
        "within(path, work)",
      ],
      ["places: quotes hide a name", '.replaceAll(/["\'\\\\]/g, "")', ""],
      ["places: the home folder hides a name", ", () => home)", ', () => "")'],
    ],
  ),
  ...within(
    "src/gateway/last-hop.ts",
    ["test/gateway/last-hop.test.ts"],
    [
      ["last hop: what is drawn is not looked at", "if (!leaks(first)) return first;", "return first;"],
      ["last hop: what is drawn again is not looked at", "return leaks(second) ?", "return false ?"],
      ["last hop: two messages share a secret", 'holds(pieces.map(({ plain }) => plain).join("")) ||', ""],
      ["last hop: addresses of links are not looked at", "holds(plain) || stringsIn(body).some(holds)", "holds(plain)"],
      ["last hop: secrets in drafts", 'if (hint.kind !== "draft") return', "if (true) return"],
      [
        "last hop: secrets in drafts that were drawn again",
        "return leaks(draw(plain.slice(-DRAFT_CHECK_UNITS))) ?",
        "return false ?",
        { tests: STORIES, filter: "A54" },
      ],
      ["last hop: secrets in answers", "words: scrub(inPlatformsWords(words, commandPrefix)),", "words,"],
      ["last hop: secrets on buttons", "const label = scrub(button.label);", "const { label } = button;"],
      ["last hop: secrets in a button's address", "scrub(button.url)", "button.url"],
      ["last hop: secrets in a file", "name, text: scrub(file.text)", "name, text: file.text"],
      ["last hop: secrets in a file's name", "const name = scrub(file.name);", "const { name } = file;"],
    ],
  ),
  ...within("src/gateway/opening.ts", GROUPS, [
    [
      "opening: a shared room is not marked",
      'return room.kind === "shared" && room.platform !== UNATTENDED_PLATFORM ?',
      "return false ?",
      { tests: [...MARKED, ...GROUPS], filter: "A17" },
    ],
    [
      "opening: a notice quotes as ours",
      "...(outside === undefined ? {} : { outside })",
      "",
      { tests: STORIES, filter: "A60" },
    ],
  ]),
  ...within("src/gateway/replies.ts", MARKED, [
    [
      "replies: others' names quote as ours",
      'return flags.outside === true ? OUTSIDE_KEY : "";',
      'return "";',
      { tests: STORIES, filter: "A60" },
    ],
  ]),
  ...within("src/gateway/queue.ts", ASKED, [
    [
      "queue: a restart leaves approvals open",
      "this.#parts.store.commit(expireApproval(",
      "Promise.resolve(expireApproval(",
      { filter: "D26" },
    ],
  ]),
  ...within(
    "src/store/conversations.ts",
    ["test/store/store.test.ts"],
    [
      ["store: marks are not kept", 'if (body.kind === "marked") mark(', "if (false) mark("],
      [
        "store: a message's id is not held",
        "for (const message of body.message.ids) holdMessage(",
        "for (const message of []) holdMessage(",
      ],
      [
        "store: an unknown conversation has no marks",
        "return marks.length > 0 || marksCount(database, id) !== undefined ? marks : undefined;",
        "return marks;",
      ],
    ],
  ),
  ...within(
    "src/store/changes.ts",
    ["test/store/store.test.ts"],
    [
      [
        "store: expected marks are not compared",
        "return count === change.count ? undefined :",
        "return true ? undefined :",
      ],
      [
        "store: a claim that was taken passes",
        'return by === undefined ? undefined : { ok: false, because: "claimed", by };',
        "return undefined;",
      ],
    ],
  ),
  ...within(
    "src/store/outbox.ts",
    ["test/store/store.test.ts"],
    [["store: cards with others' names are held as ours", " && !key.startsWith(OUTSIDE_KEY)", ""]],
  ),
];

/** Patches of one file, each caught by these tests unless it names others. */
export function within(file: string, tests: readonly string[], patches: readonly Patch[]): readonly Mutant[] {
  return patches.map(([name, from, to, instead]) => ({ name, file, from, to, tests, ...instead }));
}

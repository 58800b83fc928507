// The named mutants of what is done for every platform alike: files, requests, gaps, deletions, forms, ids and its own words.
import { within, type Mutant } from "./patches.ts";

export const GATEWAY_MUTANTS: readonly Mutant[] = [
  ...within(
    "src/channels/keep-file.ts",
    ["test/channels/telegram.test.ts", "test/channels/slack-contract.test.ts"],
    [
      ["files: half of one is left", "await rm(part, { force: true });\n    throw thrown;", "throw thrown;"],
      ["files: a size that is a lie passes", "if (bytes > limit.maxBytes) throw", "if (bytes < 0) throw"],
      ["files: an empty one passes", "if (bytes === 0) throw", "if (bytes < 0) throw"],
      ["files: others may read them", "mode: 0o600", "mode: 0o644"],
    ],
  ),
  ...within(
    "src/channels/transport.ts",
    ["test/channels/telegram.test.ts", "test/channels/slack-outlet.test.ts"],
    [
      [
        "transport: what may have left counts as unsent",
        'noAnswer(error.code ?? "broken", connected)',
        'noAnswer(error.code ?? "broken", false)',
      ],
      ["transport: what can't have left counts as sent", "let connected = false;", "let connected = true;"],
    ],
  ),
  ...within(
    "src/gateway/supervise.ts",
    ["test/gateway/supervise.test.ts"],
    [
      ["gaps: how far a place was heard is not kept", "...marksOf(channel.name, batch),", ""],
      [
        "gaps: the first mark of a place counts",
        "const last = new Map(batch.flatMap(",
        "const last = new Map(batch.toReversed().flatMap(",
      ],
      ["gaps: marks of all platforms are one", "return `mark/${channel}/`;", "return `mark/`;"],
    ],
  ),
  ...within(
    "src/gateway/people.ts",
    ["test/gateway/people.test.ts"],
    [
      [
        "ids: once the owner was met, anyone is the owner",
        "this.#wholeIds.get(`${platform}/${stated}`) === id",
        "this.#wholeIds.has(`${platform}/${stated}`)",
      ],
      ["ids: nobody is met", "    this.#meet(platform, sender);\n", ""],
      [
        "ids: a decision by the short id is not found",
        "(this.known(platform, id) ?? this.known(platform, homeId))",
        "this.known(platform, id)",
      ],
      [
        "ids: who the owner is, is forgotten at a restart",
        "for (const [key, id] of await store.records.cursors(WHOLE_IDS)) people.#wholeIds.set(key, id);",
        "",
      ],
    ],
  ),
  ...within(
    "src/gateway/plans.ts",
    ["test/gateway/outbox-plans.test.ts"],
    [
      [
        "words: a model's words and exact arguments are changed",
        '    case "text":\n    case "chips-gone":',
        '    case "chips-gone":',
      ],
      ["words: an approval's exact arguments are changed", 'return entry.card.kind === "choice";', "return true;"],
    ],
  ),
  ...within(
    "src/gateway/replies.ts",
    ["test/gateway/outbox-plans.test.ts"],
    [
      [
        "forms: every option opens one",
        '"action" in option && option.action.do === "keep-planning"',
        '"action" in option',
      ],
    ],
  ),
  ...within(
    "src/gateway/lane.ts",
    ["test/gateway/outbox-plans.test.ts", "test/gateway/outbox.test.ts"],
    [
      ["streams: a growing text is shown as final", '...(row.weight === "cosmetic" ? { growing: true } : {}),', ""],
      [
        "unknown: asked for since now, not since it was sent",
        "since: row.firstAttemptAt ?? surroundings.clock.now()",
        "since: surroundings.clock.now()",
      ],
      [
        "unknown: what can't be asked for is sent again",
        'else if (found.is === "absent") await',
        'else if (found.is === "absent" || attempt > 0) await',
        { tests: ["test/gateway/outbox.test.ts"] },
      ],
    ],
  ),
  ...within(
    "src/turn/input.ts",
    ["test/turn/input.test.ts"],
    [["deletions: what was taken back is told", "if (after.gone === true) return [];", ""]],
  ),
  ...within(
    "src/gateway/bursts.ts",
    ["test/gateway/bursts.test.ts"],
    [
      [
        "deletions: what waits stays",
        "const [found] = burst.items.splice(at, 1);",
        "const [found] = burst.items.slice(at);",
      ],
    ],
  ),
  ...within(
    "src/gateway/last-hop.ts",
    ["test/gateway/last-hop.test.ts"],
    [
      [
        "last hop: a form shows secrets",
        "const { form } = answer;",
        "const { form } = answer;\n  if (form !== undefined) return answer;",
      ],
    ],
  ),
];

// The named mutants of the Slack channel: each removes one thing that keeps people's words, our own and other programs' apart, or that
// lets nothing be lost, doubled or leaked.
import type { Mutant } from "./patches.ts";

const HEARD = ["test/channels/slack-inbound.test.ts"];
const INTAKE = ["test/channels/slack.test.ts"];
const SHOWN = ["test/channels/slack-outlet.test.ts"];
const DRAWN = ["test/channels/slack-render.test.ts", "test/channels/slack-cards.test.ts"];

type Patch = readonly [name: string, from: string, to: string, tests: readonly string[], filter?: string];

export const SLACK_MUTANTS: readonly Mutant[] = [
  ...within("src/channels/slack/inbound.ts", [
    [
      "slack: another program is a person",
      'if (message.bot_id || message.subtype === "bot_message") return "a program\'s message";',
      "",
      HEARD,
    ],
    ["slack: our own echo is heard", 'if (isOurs(message, me)) return "our own message";', "", HEARD],
    ["slack: Slackbot is a person", 'if (message.user === SLACKBOT) return "a notice of Slack\'s";', "", HEARD],
    [
      "slack: notices are words",
      'if (!WRITTEN.has(message.subtype ?? "")) return `a notice: ${fieldName(message.subtype)}`;',
      "",
      HEARD,
    ],
    [
      "slack: what unfolds is an edit",
      'if (!at || at === before?.edited?.ts) return ignored("a change that is no edit");',
      'if (!at) return ignored("a change that is no edit");',
      HEARD,
    ],
    [
      "slack: equal words are an edit",
      "if (before && before.text === message.text) return",
      "if (!before) return",
      HEARD,
    ],
    [
      "slack: a mention by an edit starts a turn",
      'if (message.type === "app_mention" && message.edited) return',
      'if (message.type === "" && message.edited) return',
      HEARD,
    ],
    [
      "slack: all in a shared room is for the bot",
      'addressed: room.kind === "private" || message.type === "app_mention" || speaksTo(message, me),',
      "addressed: true,",
      HEARD,
    ],
    ["slack: an answer to the bot is not for it", " || message.parent_user_id === me.userId", "", HEARD],
    [
      "slack: a mention opens no thread",
      'return room.kind === "private" ? room : { ...room, thread: room.thread ?? ts };',
      "return room;",
      HEARD,
    ],
    [
      "slack: words that need be no command are lost",
      "command: { ...command, typed: ownPart(words, message.ts) }",
      "command",
      HEARD,
    ],
    [
      "slack: people of other workspaces are of this one",
      "senderOf(message.user, message.user_team ?? message.team, names, me)",
      "senderOf(message.user, message.team, names, me)",
      HEARD,
    ],
    ["slack: our own message taken back is news", "return isOurs(before ?? undefined, me)", "return false", HEARD],
  ]),
  ...within("src/channels/slack/content.ts", [
    [
      "slack: a shared message is the writer's own",
      "const origin = sharedFrom(one, home);\n      const said",
      "const origin = OWN;\n      const said",
      HEARD,
    ],
    ["slack: a link's preview is brought in", "return !links.some(", "return true || links.some(", HEARD],
    [
      "slack: an app's card is brought in",
      'const shared = (message.attachments ?? []).filter((one) => isShare(one, message.text ?? ""));',
      "const shared = message.attachments ?? [];",
      HEARD,
    ],
    [
      "slack: names are looked for in what every object has",
      "return Object.hasOwn(names, id) ? names[id] : undefined;",
      "return names[id];",
      HEARD,
    ],
  ]),
  ...within("src/channels/slack/places.ts", [
    ["slack: a group chat is private", 'return channel.startsWith("D");', 'return !channel.startsWith("C");', HEARD],
    [
      "slack: a stranger goes by a short id",
      "...(home === me.teamId ? { homeId: user } : {}),",
      "homeId: user,",
      HEARD,
    ],
  ]),
  ...within("src/channels/slack/keeping.ts", [
    ["slack: other people's words are kept", 'if (!meaning.addressed) return dropped("not for the bot");', "", HEARD],
    [
      "slack: history has keys of its own",
      'late.length > 0 ? `${place}/${ts}/files/${late.join("/")}` : `${place}/${ts}`,',
      'late.length > 0 ? `${place}/${ts}/files/${late.join("/")}` : `${type}/${place}/${ts}`,',
      HEARD,
    ],
    [
      "slack: previews lie in kept rows",
      "return { attachments: shared };",
      "return { attachments: message.attachments };",
      HEARD,
    ],
    [
      "slack: our own words lie in kept presses",
      '// The message under the button is our own words: only what says where it was is kept.\n    const raw: Raw = { type: "interactive", body: { type, ...read.data } };',
      'const raw: Raw = { type: "interactive", body };',
      HEARD,
    ],
    [
      "slack: a form counts each time it is sent",
      "kept(`form/${view.id}`,",
      "kept(`form/${read.data.trigger_id}`,",
      HEARD,
    ],
    [
      "slack: a thread moves its place's mark",
      "mark: { place: at, at: ts }",
      "mark: { place: message.channel, at: ts }",
      HEARD,
    ],
  ]),
  ...within("src/channels/slack/intake.ts", [
    [
      "slack: acknowledged before it is stored",
      "if (updates.length > 0) yield updates;",
      "await acknowledge(part);\n      if (updates.length > 0) yield updates;",
      INTAKE,
      "acknowledged only when it is stored",
    ],
    ["slack: what was missed stays so", "if (late.length > 0) yield late;", "", INTAKE, "T47"],
    ["slack: marks don't move", "stored(updates);\n      await acknowledge", "await acknowledge", INTAKE],
    [
      "slack: a refused token leaves its socket open",
      'if (opened.status === "fulfilled") await opened.value.close();',
      "",
      INTAKE,
      "leaves no connection behind",
    ],
    [
      "slack: what was missed before anything was stored is forgotten",
      "wholeUntil = since.heardAt ?? wholeUntil;",
      "wholeUntil = since.heardAt;",
      INTAKE,
      "as long as the process lives",
    ],
    [
      "slack: names are waited for, programs answered",
      "directory.isProgram(kept.author)) return [];",
      "false) return [];",
      INTAKE,
    ],
  ]),
  ...within("src/channels/slack/backfill.ts", [
    [
      "slack: an edit that is read back starts a turn",
      'if (message["edited"] && start',
      'if (message.ts === "" && start',
      INTAKE,
      "changed into a mention",
    ],
    [
      "slack: a place that was heard long ago is read whole",
      "places.set(place, at > floor ? at : floor);",
      "places.set(place, at);",
      INTAKE,
      "heard long ago",
    ],
    [
      "slack: what can't be read now is skipped",
      "if (tries >= TRIES) throw channelError(method, failure);",
      "if (tries >= TRIES) return undefined;",
      INTAKE,
      "nothing is skipped",
    ],
  ]),
  ...within("src/channels/slack/connection.ts", [
    [
      "slack: any signature will do",
      "signingSecret: settings.signingSecret,",
      "signingSecret: settings.signingSecret,\n    signatureVerification: false,",
      INTAKE,
      "a wrong signature",
    ],
    [
      "slack: no hello is waited for without end",
      "client.call(times.helloMs,",
      "client.call(60_000,",
      INTAKE,
      "no hello",
    ],
    [
      "slack: a silent connection is kept",
      'the connection is renewed.");\n    cut();',
      'the connection is renewed.");',
      INTAKE,
      "brings nothing for long",
    ],
    [
      "slack: two connections are no news",
      "({ appId, connections = 1 } = frame)",
      "({ appId } = frame)",
      INTAKE,
      "more than one",
    ],
  ]),
  ...within("src/channels/slack/client.ts", [
    ["slack: the library sends again", "retryConfig: { retries: 0 },", "", SHOWN, "posted once"],
    ["slack: the library waits by itself", "rejectRateLimitedCalls: true,", "", SHOWN, "too fast"],
  ]),
  ...within("src/channels/slack/files.ts", [
    ["slack: the token goes anywhere", "url.origin === new URL(apiUrl).origin ||", "true ||", INTAKE, "files"],
    ["slack: the page for signing in is a file", '(type.startsWith("text/html") && !html)', "false", INTAKE, "files"],
  ]),
  ...within("src/channels/slack/outlet.ts", [
    [
      "slack: posts bear no nonce",
      "metadata: { event_type: EVENT_TYPE, event_payload: { nonce: how.nonce } },",
      "",
      SHOWN,
    ],
    [
      "slack: addresses unfold",
      "blocks: blocksOf(body, piece.plain, how),\n        unfurl_links: false,\n        unfurl_media: false,",
      "blocks: blocksOf(body, piece.plain, how),",
      SHOWN,
    ],
    [
      "slack: the app's page is posted to",
      "if (room.chat.startsWith(HOME)) return await publish(",
      "if (false) return await publish(",
      INTAKE,
      "app's page",
    ],
    [
      "slack: any post of ours is the lost one",
      "metadata.event_payload?.nonce === nonce ? ts : undefined",
      "ts",
      SHOWN,
      "D17",
    ],
    [
      "slack: what was not found is not there",
      '// It may stand further on.\n    return { is: "unknowable" };',
      'return { is: "absent" };',
      SHOWN,
      "page by page",
    ],
    [
      "slack: answers ping",
      'const text = escapeSlack(clipUnits(words, MAX_ANSWER_UNITS, "…"));',
      "const text = words;",
      SHOWN,
    ],
    [
      "slack: a stream of before a restart stays open",
      'failure.kind === "refused" && failure.code === "streaming_state_conflict"',
      "failure === undefined",
      SHOWN,
    ],
    [
      "slack: a form that came too late is silent",
      'const words = "form" in answer ? TOO_LATE : answer.words;',
      'if ("form" in answer) return;\n      const words = answer.words;',
      SHOWN,
      "too late",
    ],
  ]),
  ...within("src/channels/slack/words.ts", [
    [
      "slack: a text calls everyone",
      "return text.replace(TOKEN, `<${JOINER}`).replace(EVERYONE, `@${JOINER}`);",
      "return text;",
      DRAWN,
    ],
    [
      "slack: code calls everyone",
      "return text.replace(TOKEN, `<${JOINER}`).replace(EVERYONE_IN_CODE, `@${JOINER}`);",
      "return text;",
      DRAWN,
    ],
    ["slack: a fallback holds Slack's marks", "return entities(calm(text));", "return text;", DRAWN],
  ]),
  ...within("src/channels/slack/cards.ts", [
    ["slack: a label calls everyone", "calm(oneLine(button.label))", "oneLine(button.label)", DRAWN],
  ]),
];

function within(file: string, patches: readonly Patch[]): readonly Mutant[] {
  return patches.map(([name, from, to, tests, filter]) => ({
    name,
    file,
    from,
    to,
    tests,
    ...(filter === undefined ? {} : { filter }),
  }));
}

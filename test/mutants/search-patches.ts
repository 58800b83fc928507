// Named mutants of looking through earlier chats: what it may give to whom, what it hides, what it finds, and what is seen of it.
import { within, type Mutant } from "./patches.ts";

export const SEARCH_MUTANTS: readonly Mutant[] = [
  ...within(
    "src/search/retrieval.ts",
    ["test/search/scope.test.ts"],
    [
      [
        "retrieval: the asking chat is shown",
        "this.#except === 0 ? expression : `${expression} NOT ${token(chatToken(this.#except))}`",
        "expression",
      ],
      [
        "retrieval: the asking chat hides rare words",
        "this.#except === 0 || all === 0 ? all : this.#seen(term, all)",
        "all",
      ],
    ],
  ),
  ...within(
    "src/search/match.ts",
    ["test/search/query.test.ts"],
    [
      ["match: a run's pairs pass for the run", "quality: PART_OF_RUN * share", "quality: 1"],
      [
        "match: a quoted phrase need not stand",
        "if (!phrases.every((phrase) => stands(phrase, pieces))) return undefined;",
        "",
      ],
      ["match: what is lit cuts a grapheme", "const end = graphemeEnd(text, spot.end);", "const end = spot.end;"],
    ],
  ),
  ...within(
    "src/search/others.ts",
    ["test/search/scope.test.ts"],
    [["others: the asking chat's spellings crowd out others", "(term) => retrieval.df(term)", "(_term, df) => df"]],
  ),
  ...within(
    "src/search/spelling.ts",
    ["test/search/spelling.test.ts"],
    [
      [
        "spelling: two letters swapped count as two",
        "if (isSwap) cost = Math.min(cost, (before[at - 2] ?? 0) + 1);",
        "if (isSwap) cost = Math.min(cost, (before[at - 2] ?? 0) + 2);",
      ],
    ],
  ),
  ...within(
    "src/search/words.ts",
    ["test/search/words.test.ts"],
    [
      [
        "words: accents stay",
        "if (JOINS_BEFORE.test(part) || OPTIONAL_MARK.test(part)) continue;",
        "if (JOINS_BEFORE.test(part)) continue;",
      ],
    ],
  ),
  ...within(
    "src/search/rank.ts",
    ["test/search/query.test.ts"],
    [
      [
        "rank: close is told as exact",
        "return qualities.every((quality) => quality === 1);",
        "return qualities.every((quality) => quality > 0);",
      ],
      [
        "rank: the commonest word alone is an answer",
        ".filter(({ answered }) => answered >= least)",
        ".filter(({ answered }) => answered >= 0)",
      ],
      ["rank: own words are not ahead", "* WORTH[who] * recency", "* recency"],
    ],
  ),
  ...within(
    "src/search/query.ts",
    ["test/search/query.test.ts"],
    [["query: words spread over a chat are not read", "        this.#readSpread();\n", ""]],
  ),
  ...within(
    "src/search/asked.ts",
    ["test/search/query.test.ts"],
    [["asked: one letter is looked for", "Array.from(only.text).length < 2", "Array.from(only.text).length < 1"]],
  ),
  ...within(
    "src/search/lines.ts",
    ["test/search/index.test.ts"],
    [
      [
        "index: a guest's words count as the owner's",
        'if (from.role !== "owner") return',
        'if (from.role === "nobody") return',
      ],
      [
        "index: the writer's own quoted words are indexed a second time, as somebody else's",
        'origin.kind === "quoted" && (origin.ours || origin.id === from.id)',
        'origin.kind === "quoted" && origin.ours',
      ],
    ],
  ),
  ...within(
    "src/search/lines.ts",
    ["test/search/lines.test.ts"],
    [
      [
        "index: a password among a tool's arguments is indexed",
        'return key === "" || key === keys[index - 1] ? "" : `${key}: `;',
        'return "";',
      ],
    ],
  ),
  ...within(
    "src/search/reading.ts",
    ["test/search/index.test.ts"],
    [
      [
        "index: the first half of a secret stays when the second half comes",
        "if (!reaches) return [put];",
        "if (reaches) return [put];\n    if (!reaches) return [put];",
      ],
      [
        "index: half a secret edited in leaves the other half in the neighbour",
        "return [found, found - 1, found + 1].flatMap",
        "return [found].flatMap",
      ],
      [
        "index: a turn's first try stays in the index",
        "return entry.again ? await takeAgain(entry) : [];",
        "return [];",
      ],
      ["index: what an edit took away still hides what follows", "    endings.delete(edit.conversation);\n", ""],
    ],
  ),
  ...within(
    "src/search/writing.ts",
    ["test/search/index.test.ts"],
    [
      ["index: words that nothing holds keep their counts", "for (const token of tokens) add(counts, token, -1);", ""],
      ["index: the place is not kept with its rows", '  setFact(database, "place", String(place));\n', ""],
    ],
  ),
  ...within(
    "src/search/upkeep.ts",
    ["test/search/search.test.ts"],
    [
      ["index: a deleted chat's words stay in the posting list", "  compact(database, () => false);\n", ""],
      ["index: a deleted chat stays in the file or the write-ahead log", "  cut();\n", ""],
    ],
  ),
  ...within(
    "src/search/index.ts",
    ["test/search/search.test.ts"],
    [
      [
        "index: a crash between the two deletions leaves the chat in the index",
        'if (gone.length > 0 || factOf(this.database, "erase") !== undefined) await this.erase(gone);',
        'if (gone.length > 0 && factOf(this.database, "erase") !== undefined) await this.erase(gone);',
      ],
      [
        "index: late entries bring a deleted chat back",
        "slice.filter(({ entry }) => !forgotten.has(entry.conversation))",
        "slice",
      ],
    ],
  ),
  ...within(
    "src/search/index.ts",
    ["test/search/index.test.ts"],
    [
      [
        "index: two processes take the same entries in twice",
        "alone = placeOf(this.database) === this.#place;",
        "alone = true;",
      ],
    ],
  ),
  ...within(
    "src/search/opening.ts",
    ["test/search/search.test.ts"],
    [
      [
        "index: an index of a log that lost its end is gone on with",
        "return entry?.at === at ? place : undefined;",
        "return place;",
      ],
    ],
  ),
  ...within(
    "src/search/schema.ts",
    ["test/search/search.test.ts"],
    [
      [
        "index: an index that holds a secret which is known by now is gone on with",
        'if (!made(factOf(database, "scrubber") ?? ""))',
        'if (made(""))',
      ],
    ],
  ),
  ...within(
    "src/search/search.ts",
    ["test/search/search.test.ts"],
    [
      [
        "index: a build that holds a deleted chat goes on after the deletion",
        "        await build.stop();\n        removeUnfinished(this.#options.folder);\n        this.#startBuild();\n",
        "",
      ],
      [
        "index: a broken file is opened again and stays on the disk",
        "if (folder !== IN_MEMORY) removeIndex(this.#files.main);",
        "",
      ],
    ],
  ),
  ...within(
    "src/search/stretch.ts",
    ["test/search/search.test.ts"],
    [["index: the asking chat can be read", "id = ? AND id IS NOT ?", "id = ? AND 1 IS NOT ?"]],
  ),
  ...within(
    "src/search/tools.ts",
    ["test/search/tools.test.ts"],
    [
      [
        "tools: reads before it asks whose words are in the chat",
        "  if (!(await mayLook(context))) return DENIED;\n",
        "",
      ],
      [
        "tools: gives what it read though someone joined meanwhile",
        "return (await mayLook(context)) ? result : DENIED;",
        "return result;",
      ],
      ["tools: not knowing counts as nobody's words", 'kind !== "person") ?? false;', 'kind !== "person") ?? true;'],
      [
        "tools: a failing question counts as nobody's words",
        "  } catch {\n    return false;",
        "  } catch {\n    return true;",
      ],
      [
        "tools: the chat that asks is searched",
        "search.find(input.query, { except: context.conversation }",
        "search.find(input.query, {}",
      ],
      [
        "tools: the chat that asks is read",
        "search.read(chat, place, { except: context.conversation })",
        "search.read(chat, place, {})",
      ],
      [
        "tools: a chat that is not there takes fewer reads",
        "        const found = await pastChat(store, chat);\n        if (stretch === undefined || found",
        '        if (stretch === undefined) return { outcome: "error", text: NO_CHAT };\n        const found = await pastChat(store, chat);\n        if (found',
      ],
      [
        "tools: marks are asked for before the lines are read",
        "        const stretch = await search.read(chat, place, { except: context.conversation });\n        const found = await pastChat(store, chat);",
        "        const found = await pastChat(store, chat);\n        const stretch = await search.read(chat, place, { except: context.conversation });",
      ],
      [
        "tools: the row is plain",
        '    row: "history",\n    logged: (input) => withoutSecrets(input, secrets),\n    check: checkSearch,',
        '    row: "plain",\n    logged: (input) => withoutSecrets(input, secrets),\n    check: checkSearch,',
      ],
      [
        "tools: an error keeps its secrets",
        "text: scrubbed(hint === undefined ? message : `${message} ${hint}`, secrets)",
        "text: hint === undefined ? message : `${message} ${hint}`",
      ],
      ["tools: known secrets are not handed on", "secretsIn(secrets)", "secretsIn([])"],
    ],
  ),
  ...within(
    "src/search/answer.ts",
    ["test/search/answer.test.ts"],
    [
      [
        "answer: a chat that was trimmed away marks all the same",
        "shown.filter(({ id }) => marked.has(id)).map(({ id, title }) => lookMark(id, title))",
        "chats.filter(({ marks }) => marks.length > 0).map(({ conversation }) => lookMark(conversation.id, conversation.title))",
      ],
      [
        "answer: nothing marks",
        "shown.filter(({ id }) => marked.has(id))",
        "shown.filter(({ id }) => marked.has(id) && false)",
      ],
      [
        "answer: only people's marks make a chat untrusted",
        "...(marks.length > 0 ? { untrusted: true } : {})",
        '...(marks.some(({ kind }) => kind === "person") ? { untrusted: true } : {})',
      ],
      [
        "answer: a search is as long as it likes",
        "text.length > MAX_SEARCH_CHARS &&",
        "text.length > 2 * MAX_SEARCH_CHARS &&",
      ],
      [
        "answer: a reading is as long as it likes",
        "text.length > MAX_READ_CHARS &&",
        "text.length > 2 * MAX_READ_CHARS &&",
      ],
      [
        "answer: the nearest goes first",
        "if (anchor >= kept.length - 1 - anchor)",
        "if (anchor < kept.length - 1 - anchor)",
      ],
      ["answer: more says nothing of what was left out", "      more.before = true;\n", ""],
      [
        "answer: secrets are taken out after the cut only",
        "plain(scrubbed(text, secrets), outside);",
        "plain(text, outside);",
      ],
      [
        "answer: secrets are taken out before the cut only",
        'const cut = scrubbed(clipUnits(text, room, "…"), secrets);',
        'const cut = clipUnits(text, room, "…");',
      ],
      [
        "answer: messages are scrubbed one by one",
        "if (run?.[0]?.who === line.who) run.push(line);\n    else runs",
        "runs",
      ],
      [
        "answer: other speakers' messages are scrubbed as one",
        "if (run?.[0]?.who === line.who) run",
        "if (run !== undefined) run",
      ],
      ["answer: titles keep their secrets", "oneLine(asData(scrubbed(text, secrets)))", "oneLine(asData(text))"],
      [
        "answer: someone else's words keep what begins a turn",
        "dropControls(outside ? asData(text) : text)",
        "dropControls(text)",
      ],
      [
        "answer: only them, not untrusted chats, are told as data",
        'return who === "them" || marks.length > 0;',
        'return who === "them";',
      ],
      [
        "answer: a look keeps the query's secrets",
        "{ query: short(query, secrets, MAX_QUERY_GRAPHEMES) }",
        "{ query }",
      ],
      [
        "answer: an empty reading tells the chat's title",
        "  if (messages.length === 0)\n    return",
        "  if (messages.length < 0)\n    return",
      ],
      [
        "answer: half a message is left out",
        "const numbers = [...new Set(lines.map(({ line }) => line))];",
        "const numbers = lines.map(({ line }) => line);",
      ],
    ],
  ),
  ...within(
    "src/search/snippet.ts",
    ["test/search/snippet.test.ts"],
    [
      [
        "snippet: cut within a character at its end",
        "return Math.max(to, graphemeStart(flat, space >= to && at - space < MAX_WORD_CHARS ? space : at));",
        "return Math.max(to, space >= to && at - space < MAX_WORD_CHARS ? space : at);",
      ],
      [
        "snippet: cut within a character at its start",
        "return Math.min(from, graphemeEnd(flat, between));",
        "return Math.min(from, between);",
      ],
      [
        "snippet: always from the text's start",
        "densest(flat, ranges, room) ?? { start: low, end: low }",
        "{ start: low, end: low }",
      ],
      ["snippet: a range follows nothing", "if (changed === text) return ranges;", "return ranges;"],
      ["snippet: the first word, not the densest", "if (words.size <= most) continue;", "if (most > 0) continue;"],
    ],
  ),
  ...within(
    "src/channels/telegram/outlet.ts",
    ["test/channels/telegram.test.ts"],
    [
      ["telegram: a link's number is cut off the id", "-Number(chat) - MOVED_BY", "Number(chat.slice(4))"],
      ["telegram: private chats have links", 'kind !== "shared" || ', ""],
    ],
  ),
  ...within(
    "src/channels/slack/places.ts",
    ["test/channels/slack-outlet.test.ts"],
    [
      ["slack: a link's thread is whatever it says", "return TIME.test(thread) ?", "return true ?"],
      ["slack: a workspace of any address is linked", 'address?.protocol === "https:" && ', "address != null && "],
    ],
  ),
  ...within(
    "src/channels/slack/places.ts",
    ["test/channels/slack-contract.test.ts"],
    [["slack: the message that opens a thread is linked as its reply", "|| thread === messageId", ""]],
  ),
  ...within(
    "src/channels/discord/places.ts",
    ["test/channels/discord.test.ts"],
    [["discord: any id makes a link", "!ID.test(messageId)", 'messageId === ""']],
  ),
  ...within(
    "src/channels/discord/outlet.ts",
    ["test/channels/discord-outlet.test.ts"],
    [["discord: a channel is taken for its server", "places.known(room.chat)?.guild_id ?? undefined", "room.chat"]],
  ),
  ...within(
    "src/channels/discord/interactions.ts",
    ["test/channels/discord-inbound.test.ts"],
    [["discord: an interaction's id is a message's", "`ask:${interaction.id}`", "interaction.id"]],
  ),
  ...within(
    "src/channels/discord/cards.ts",
    ["test/channels/discord-cards.test.ts"],
    [
      [
        "discord: short buttons are not spread",
        "const size = Math.ceil(row.length / Math.ceil(row.length / MAX_ROW));",
        "const size = MAX_ROW;",
      ],
    ],
  ),
  ...within(
    "src/channels/terminal/cards.ts",
    ["test/channels/terminal.test.ts"],
    [["terminal: numbers are given twice", "let last = Math.max(0, ...called);", "let last = 0;"]],
  ),
  ...within(
    "src/gateway/presses.ts",
    ["test/mutants/missing.test.ts"],
    [
      [
        "presses: a page opens for whoever presses",
        '    if (person.role !== "owner" || conversation.room.kind !== "private") return NOT_YOURS;\n    const done: Change',
        "    const done: Change",
        { filter: "A51, A53, G47" },
      ],
    ],
  ),
  ...within(
    "src/cards/looks.ts",
    ["test/gateway/leafing.test.ts"],
    [["looks: its line is kept like any other", "return `${PASSING_KEY}look/${button}`;", "return `look/${button}`;"]],
  ),
  ...within(
    "src/gateway/leafing.ts",
    ["test/gateway/leafing.test.ts"],
    [
      [
        "leafing: pages are kept like any other row",
        "`${PASSING_KEY}page/${parts.surroundings.random.key(KEY_BYTES)}`",
        "`page/${parts.surroundings.random.key(KEY_BYTES)}`",
      ],
      ["leafing: a page may be several messages", ".length ?? 1) <= 1) break;", ".length ?? 1) <= 9) break;"],
    ],
  ),
  ...within(
    "src/store/outbox.ts",
    ["test/gateway/leafing.test.ts"],
    [
      [
        "outbox: what a passing row shows is kept",
        '(state === "shown" || state === "refused") && key.startsWith(PASSING_KEY)',
        "false",
      ],
    ],
  ),
  ...within(
    "src/gateway/deleting.ts",
    ["test/journeys/looking-back.test.ts"],
    [
      [
        "deleting: the index keeps it",
        "  await search\n    .forget(id)",
        "  await Promise.resolve(search)",
        { filter: "D35, G47" },
      ],
    ],
  ),
  ...within(
    "src/gateway/opening.ts",
    ["test/mutants/missing.test.ts"],
    [
      [
        "opening: a title keeps what looks like a secret",
        "oneLine(scrubShapes(scrub(words)))",
        "oneLine(scrub(words))",
        { filter: "A54, T36" },
      ],
    ],
  ),
  ...within(
    "src/turn/toolbox.ts",
    ["test/turn/toolbox.test.ts"],
    [
      ["toolbox: guidance of tools that are not there", "guidance: here.flatMap", "guidance: tools.flatMap"],
      [
        "toolbox: a withheld look is seen as one",
        'const shown = open && plain.outcome === "ok" ? seen : undefined;',
        "const shown = seen;",
      ],
      [
        "toolbox: a look is not written down",
        "{ expected: standing.marks, shown, acts: marks.length > 0 })",
        "{ expected: standing.marks, acts: marks.length > 0 })",
      ],
    ],
  ),
  ...within(
    "src/turn/answer.ts",
    ["test/journeys/looking-back.test.ts"],
    [["answer: the log keeps the secrets", "text: this.#scrub(text) },", "text },", { filter: "P31" }]],
  ),
  ...within(
    "src/gateway/private-answers.ts",
    ["test/journeys/looking-back.test.ts"],
    [
      [
        "commands: /search is answered in the group",
        "  search: async (there, args, { leafing }) => await lookFor(there, args, leafing),\n",
        "",
        { filter: "A12, P14, G47" },
      ],
      [
        "commands: /activity is answered in the group",
        "  activity: async (there, _, { leafing }) => await showActivity(there, leafing),\n",
        "",
        { filter: "A12, P14, G47" },
      ],
    ],
  ),
  ...within(
    "src/turn/toolbox.ts",
    ["test/search/logged.test.ts"],
    [
      ["toolbox: a look's mark may be lost to a power cut", "shown, acts: marks.length > 0 })", "shown })"],
      ["toolbox: what is looked for is logged with its secrets", "tool.logged === undefined ? call :", "true ? call :"],
    ],
  ),
  ...within(
    "src/store/erase.ts",
    ["test/gateway/pages.test.ts"],
    [
      [
        "erase: a page that waits is shown all the same",
        "DELETE FROM outbox WHERE state IN ('planned', 'attempting', 'unknown') AND key >= ? AND key < ?",
        "DELETE FROM outbox WHERE state = 'never' AND key >= ? AND key < ?",
      ],
    ],
  ),
  ...within(
    "src/gateway/pages.ts",
    ["test/gateway/pages.test.ts"],
    [
      ["pages: an address is lit in part", "of withAddresses(text, lit))", "of lit)"],
      ["pages: a query has lines", "escapeMarkdown(oneLine(page.query))", "escapeMarkdown(page.query)"],
    ],
  ),
  ...within(
    "src/gateway/leafing.ts",
    ["test/journeys/pages.test.ts"],
    [["leafing: a card that arrived unseen is shown twice", "if (on !== undefined && ", "if (false && "]],
  ),
  ...within(
    "src/gateway/owner-chat.ts",
    ["test/journeys/pages.test.ts"],
    [
      [
        "private answers: only where the owner was last",
        "if (last === undefined || isHere(last.room)) return last;",
        "if (true) return last;",
      ],
    ],
  ),
  ...within(
    "src/search/words.ts",
    ["test/search/marker.test.ts"],
    [
      [
        "words: the marker can be looked for",
        "given.includes(HIDDEN) ? given.replaceAll(HIDDEN, NO_WORD) : given",
        "given",
      ],
    ],
  ),
  ...within(
    "src/search/reading.ts",
    ["test/search/secrets.test.ts"],
    [["reading: what says nothing parts two messages", "endingOf(runs, find) ?? before", "endingOf(runs, find)"]],
  ),
  ...within(
    "src/search/index.ts",
    ["test/search/life.test.ts"],
    [["index: a failure of the store is the index's", "SLICE_ENTRIES).catch(unreadable)", "SLICE_ENTRIES)"]],
  ),
];

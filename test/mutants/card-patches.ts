// Named mutants of what the chat can do besides text: apps and skills, offers, questions, chips, plans, views, pictures.
import { within, type Mutant } from "./patches.ts";

export const CARD_MUTANTS: readonly Mutant[] = [
  ...within(
    "src/channels/telegram/outlet.ts",
    ["test/channels/telegram-cards.test.ts"],
    [
      [
        "telegram: a shared room gets a reply keyboard",
        'if (room.kind !== "private") return {};',
        'if (room.chat === "") return {};',
      ],
      [
        "telegram: an edit brings a reply keyboard",
        "const inline = body.keyboard ? { reply_markup: { inline_keyboard: body.keyboard } } : {};",
        "const inline = markupOf(body, room) as object;",
      ],
      [
        "telegram: a caption is parsed",
        "...(caption === undefined ? {} : { caption }),",
        '...(caption === undefined ? {} : { caption, parse_mode: "HTML" as const }),',
      ],
      [
        "telegram: a photo of unknown outcome is sent again as a document",
        'if (failure.kind !== "refused") return false;',
        'if (failure.kind !== "refused") return true;',
      ],
    ],
  ),
  ...within(
    "src/channels/telegram/cards.ts",
    ["test/channels/telegram-cards.test.ts"],
    [
      [
        "telegram: a key is shortened",
        "const keys = [...new Set(keyboard.map(oneLine))].filter(isVisible);",
        'const keys = [...new Set(keyboard.map((key) => clipUnits(oneLine(key), 64, "…")))].filter(isVisible);',
      ],
      [
        "telegram: the last message takes a keyboard away instead of the first",
        "at === 0 && unkeyed",
        "at === drawn.length - 1 && unkeyed",
      ],
      ["telegram: more than 256 characters are copied", "const MAX_COPY_UNITS = 256;", "const MAX_COPY_UNITS = 300;"],
      ["telegram: markup of any size", "const MAX_MARKUP_BYTES = 9 * 1024;", "const MAX_MARKUP_BYTES = 90 * 1024;"],
      [
        "telegram: an address that the platform refuses is a button",
        'if ("press" in button || TAKEN_URL.test(button.url)) return [];',
        'if ("press" in button || button.url !== "") return [];',
      ],
    ],
  ),
  ...within(
    "src/channels/telegram/files.ts",
    ["test/channels/telegram-cards.test.ts"],
    [
      ["telegram: a strip of a picture is a photo", "const MAX_PHOTO_RATIO = 20;", "const MAX_PHOTO_RATIO = 2000;"],
      ["telegram: a caption mentions people", "calm(dropControls(file.alt)).trim()", "dropControls(file.alt).trim()"],
    ],
  ),
  ...within(
    "src/channels/terminal/cards.ts",
    ["test/channels/terminal.test.ts"],
    [
      [
        "terminal: a text to copy takes a number",
        'return "press" in button && button.copy === undefined;',
        'return "press" in button;',
      ],
      ["a bare number presses on a question for a number", 'written === true ? "#" : ""', '""'],
    ],
  ),
  ...within(
    "src/channels/slack/pressed.ts",
    ["test/channels/slack-outlet.test.ts"],
    [
      [
        "slack: every button brings what is picked",
        "action?.action_id?.startsWith(SUBMITS) === true",
        "action !== undefined",
      ],
    ],
  ),
  ...within(
    "src/channels/slack/pressed.ts",
    ["test/channels/slack-inbound.test.ts"],
    [
      [
        "slack: what is picked of anything counts",
        "elements.filter(({ type }) => type === PICKED).flatMap(pickedOf)",
        "elements.flatMap(pickedOf)",
      ],
    ],
  ),
  ...within(
    "src/channels/slack/fields.ts",
    ["test/channels/slack-forms.test.ts"],
    [
      [
        "slack: a day that no calendar has stands in a form",
        "return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date) ? { initial_date: date } : {};",
        "return at ? { initial_date: date } : {};",
      ],
      [
        "slack: a number with a comma stands in a form",
        "return /^-?\\d{1,15}(?:\\.\\d{1,15})?$/u.test(number) ? { initial_value: number } : {};",
        'return number === "" ? {} : { initial_value: number };',
      ],
      ["slack: a date and time is its time alone", '[...(filled.get(field) ?? []), time].join(" ").trim()', "time"],
      ["slack: a time's block takes another field's id", 'while (taken.has(id)) id += "\'";', ""],
      ["slack: more boxes than Slack takes", "if (several && options.length <= MAX_CHECKBOXES)", "if (several)"],
    ],
  ),
  ...within(
    "src/channels/slack/options.ts",
    ["test/channels/slack-forms.test.ts"],
    [
      ["slack: long labels of options are sent as they are", "label.length <= OPTION_UNITS", "label.length >= 0"],
      [
        "slack: long descriptions of options are sent as they are",
        "description.length <= OPTION_UNITS",
        "description.length >= 0",
      ],
    ],
  ),
  ...within(
    "src/channels/slack/menu.ts",
    ["test/channels/slack-cards.test.ts"],
    [
      [
        "slack: a menu is as large as its words are",
        "if (bytesOf(whole.blocks) <= maxBytes) return whole;",
        "if (maxBytes > 0) return whole;",
      ],
    ],
  ),
  ...within(
    "src/channels/slack/cards.ts",
    ["test/channels/slack-cards.test.ts"],
    [
      ["slack: numbers of a menu and of buttons are the same", "menu?.next ?? 1", "1"],
      ["slack: without markup a menu is gone", 'type === "actions" || type === "input"', 'type === "actions"'],
    ],
  ),
  ...within(
    "src/channels/slack/upload.ts",
    ["test/channels/slack-outlet.test.ts"],
    [
      ["slack: a picture of any size is read", "if (size > MAX_PICTURE_BYTES)", "if (size < 0)"],
      ["slack: a picture has no words", '"text" in file ? name : plainText(file.alt, MAX_TITLE).text', "name"],
    ],
  ),
  ...within(
    "src/gateway/whose-turn.ts",
    ["test/gateway/whose-turn.test.ts"],
    [
      [
        "a pipe waits for answers alone, not for what a person is asked",
        "      isAsked(platform, parts, AbortSignal.any([signal, over.signal])),",
        "      new Promise<true>(() => undefined),",
      ],
      [
        "the next line is taken before the card stands on the screen",
        "  await parts.shown(platform);\n  return true;",
        "  return true;",
      ],
      [
        "an approval that is answered in the log still counts as waiting",
        "    if (asked && (await store.records.claim(`card:${card.id}`)) === undefined) return true;",
        "    if (asked) return true;",
      ],
      [
        "approvals of another platform are denied at the end of this one",
        "      if (room.platform === platform) await approvals",
        "      await approvals",
      ],
    ],
  ),
  ...within(
    "src/gateway/supervise.ts",
    ["test/gateway/supervise.test.ts"],
    [["at the end of its input a pipe leaves what waits", "      await Promise.race([parts.left(), over]);\n", ""]],
  ),
  ...within(
    "src/gateway/app-commands.ts",
    ["test/gateway/app-commands.test.ts"],
    [
      [
        "run is given what looks through chats",
        'new Set(["plain", "app-read", "app-act"])',
        'new Set(["plain", "app-read", "app-act", "history"])',
      ],
      [
        "an unknown tool is waited for though its app is connected",
        "        trouble === undefined &&\n        !catalog.tools.some((tool) => tool.name.startsWith(`${id}__`)),",
        "        trouble === undefined,",
      ],
      [
        "a name with brackets passes for how an app stands",
        '.replaceAll(/[[\\]]/gu, " ")',
        '.replaceAll(/[[]/gu, " ")',
      ],
    ],
  ),
  ...within(
    "src/gateway/item-pages.ts",
    ["test/journeys/turning-on.test.ts"],
    [
      [
        "names of apps and skills are drawn with their markup",
        '  return escapeMarkdown(clipUnits(clipGraphemes(oneLine(text), maxChars, "…"), 4 * maxChars, "…"));',
        '  return clipUnits(clipGraphemes(oneLine(text), maxChars, "…"), 4 * maxChars, "…");',
      ],
    ],
  ),
  ...within(
    "src/gateway/app-news.ts",
    ["test/gateway/app-news.test.ts"],
    [["news of changed tools are told each time", "now !== undefined && now !== before.told", "now !== undefined"]],
  ),
  ...within(
    "src/gateway/config-file.ts",
    ["test/gateway/config-apps.test.ts"],
    [["variables in headers and environments of apps are no secrets", "...filledIn(raw, env)]", "]"]],
  ),
  ...within(
    "src/engines/demo/script.ts",
    ["test/engines/demo-cards.test.ts"],
    [["the note before a carried-on request is taken for the person's words", '    .replace(CARRIED_ON, "")\n', ""]],
  ),
  ...within(
    "src/gateway/replies.ts",
    ["test/journeys/plan-list.test.ts"],
    [
      [
        "a plan on its way is cosmetic, so an edit of it is dropped",
        'entry.folded ? "card" : "notice"',
        'entry.folded ? "card" : "cosmetic"',
      ],
    ],
  ),
  ...within(
    "src/gateway/plans.ts",
    ["test/journeys/chips.test.ts"],
    [["a keyboard goes with an edit", "const fresh = `${reply.key}:keys`;", "const fresh = reply.key;"]],
  ),
  ...within(
    "src/gateway/plans.ts",
    ["test/gateway/chips.test.ts"],
    [
      [
        "what was withdrawn leaves the keyboard standing",
        "keyboards.add(back.keyed);",
        "keyboards.delete(back.keyed);",
      ],
      [
        "a message that held only chips keeps its buttons",
        "if (piece !== undefined) more.push({ ...first, index, piece });",
        "if (piece !== undefined) more.splice(0);",
      ],
      ["a turn that a crash cut off folds no plan", 'entry.reason !== "interrupted"', 'entry.reason !== "error"'],
      ["a model's words are changed with its chips", '    case "chips-gone":\n    case "plan":', '    case "plan":'],
    ],
  ),
  ...within(
    "src/gateway/card-presses.ts",
    ["test/gateway/card-presses.test.ts"],
    [
      [
        "chips are taken away before the words are sent",
        "return await say(button.words, id, press, parts, [claim, ...chipsGone(under, at)]);",
        "await store.commit(chipsGone(under, at));\n      return await say(button.words, id, press, parts, [claim]);",
      ],
      [
        "a row's next step goes to whatever chat is current",
        "if ((await store.conversations.current(room, person))?.id !== id) return MOVED_ON;",
        'if ((await store.conversations.current(room, person))?.id === "") return id;',
      ],
    ],
  ),
  ...within(
    "src/turn/run.ts",
    ["test/journeys/chips.test.ts"],
    [["a reply behind which something waits has chips", " && !(await waits())", ""]],
  ),
  ...within(
    "src/turn/run.ts",
    ["test/journeys/plan-list.test.ts"],
    [
      [
        "a second try forgets the plan of the first",
        "if (again) held.plan = planSoFar(entries, turn);",
        "if (again) held.plan = planSoFar([], turn);",
      ],
    ],
  ),
  ...within(
    "src/cards/chips.ts",
    ["test/cards/chips.test.ts"],
    [["a chip may be a command", " || ACTS.test(words)", ""]],
  ),
  ...within(
    "src/cards/views.ts",
    ["test/cards/views.test.ts"],
    [
      [
        "any host that parses is a link",
        "if (link.length > MAX_LINK || !ADDRESS.test(link)) return false;",
        "if (link.length > MAX_LINK || /[\\s<>]/u.test(link)) return false;",
      ],
    ],
  ),
  ...within(
    "src/gateway/queue.ts",
    ["test/journeys/real-apps.test.ts"],
    [["a turn right after a start waits for no app", "      await this.#appsReached(running.stop.signal);\n", ""]],
  ),
  ...within(
    "src/gateway/offer-presses.ts",
    ["test/journeys/offers.test.ts"],
    [
      [
        "details stand in the card on platforms with windows",
        "press.forms === true && open.offer.stage",
        "press.forms === undefined && open.offer.stage",
      ],
    ],
  ),
  ...within(
    "src/gateway/leafing.ts",
    ["test/journeys/turning-on.test.ts"],
    [
      [
        "a page keeps the address of a sign-in that is done",
        "      parts.signIns.delete(key);\n      const { stage: _, ...plain } = page;",
        "      const plain = page;",
      ],
    ],
  ),
  ...within(
    "src/catalog/tool-changes.ts",
    ["test/catalog/tool-changes.test.ts"],
    [
      [
        "a changed tool is not told from an unchanged one",
        "had(name) && agreed[name] !== now[name]",
        "false && agreed[name] !== now[name]",
      ],
    ],
  ),
  ...within(
    "src/turn/showing.ts",
    ["test/journeys/offers.test.ts"],
    [
      [
        "a card that was promised and doesn't come is not spoken of",
        'offer?.by !== "assistant" || under.offers',
        'offer?.by !== "assistant" || !under.offers',
      ],
    ],
  ),
  ...within(
    "src/channels/discord/outlet.ts",
    ["test/journeys/questions.test.ts"],
    [["nobody is mentioned on Discord", "body.calls === undefined ? NO_PINGS :", "true ? NO_PINGS :"]],
  ),
  ...within(
    "src/catalog/vault.ts",
    ["test/catalog/tools.test.ts"],
    [["a sealed value always has the same nonce", "bytes(random, NONCE_BYTES)", "Buffer.alloc(NONCE_BYTES)"]],
  ),
  ...within(
    "src/catalog/oauth.ts",
    ["test/catalog/oauth.test.ts"],
    [
      ["any state finishes a sign-in", 'same(state, params.get("state") ?? "")', 'state !== ""'],
      [
        "a sign-in can be finished again",
        "    drop(pending);\n    const { app } = pending;",
        "    const { app } = pending;",
      ],
      ["each call renews tokens for itself", "renewals.get(app.id) ?? renew(app, refused)", "renew(app, refused)"],
      ["a service that is down signs people out", "if (!(await isFinal(cause)))", "if (cause === undefined)"],
      [
        "an issuer is believed by its own metadata",
        'pending.discovery?.authorizationServerUrl ?? ""',
        'pending.discovery?.authorizationServerMetadata?.issuer ?? ""',
      ],
      [
        "another issuer may answer",
        "if (from !== null && unslashed(from) !== unslashed(issuer))",
        "if (from === issuer)",
      ],
      [
        "tokens go to whatever address the entry has now",
        'kept.is === "kept" && kept.value.url === url ?',
        'kept.is === "kept" ?',
      ],
    ],
  ),
  ...within(
    "src/catalog/fetching.ts",
    ["test/catalog/oauth.test.ts"],
    [
      ["a public server may name private addresses", "  if (isPrivate(target.hostname)) refuse();\n", ""],
      ["answers may have any size", "if (size <= rules.maxBytes) {", "if (size >= 0) {"],
    ],
  ),
  ...within(
    "src/catalog/app-tools.ts",
    ["test/catalog/hostile.test.ts"],
    [
      [
        "the claims of apps that nobody looked at count",
        "entry.reviewed && entry.annotations &&",
        "entry.annotations &&",
      ],
      ["a server's refusal marks nothing", "text: capped(called.words), marks }", "text: capped(called.words) }"],
      ["schemas of no object are listed", '!isObject(schema) || schema["type"] !== "object"', "!isObject(schema)"],
    ],
  ),
  ...within(
    "src/catalog/app.ts",
    ["test/catalog/hostile.test.ts"],
    [
      [
        "changed tools stay on",
        'this.#set.digest !== agreed ? "changed" : "on"',
        'this.#set.digest === "" ? "changed" : "on"',
      ],
      [
        "a tool that is another by now is called",
        "tool.listed === listed && tool.digest === digest",
        "tool.listed === listed",
      ],
    ],
  ),
  ...within(
    "src/catalog/stdio.ts",
    ["test/catalog/connection.test.ts"],
    [
      [
        "programs get all of our environment",
        "...getDefaultEnvironment(), ...variables",
        "...process.env, ...variables",
      ],
    ],
  ),
  ...within(
    "src/catalog/stdio.ts",
    ["test/catalog/hostile.test.ts"],
    [["only the program itself is ended", "process.kill(-pid, signal)", "process.kill(pid, signal)"]],
  ),
  ...within(
    "src/cards/map.ts",
    ["test/cards/map.test.ts"],
    [
      ["a map over its budget", "if (units + said > MAX_MAP_UNITS) break;", ""],
      ["a muted thing in the map", "!muted.has(mutedKey(item)) && ", ""],
      ["an app in the map that the engine reaches", '!(item.kind === "app" && reaches.includes(item.id))', "true"],
      ["named things that can be cut", "if (kept >= named.size || line === shortest)", "if (line === full)"],
      [
        "a name of several lines in the map",
        "const line = oneLine(clipUnits(text, 2_000));",
        "const line = clipUnits(text, 2_000);",
      ],
    ],
  ),
  ...within(
    "src/cards/cues.ts",
    ["test/cards/cues.test.ts"],
    [["a cue that its negatives don't stop", " || not.some((one) => said.includes(one))", ""]],
  ),
  ...within(
    "src/catalog/views.ts",
    ["test/catalog/views.test.ts"],
    [
      ["a link of a view to anywhere", '(protocol !== "http:" && protocol !== "https:") || ', ""],
      ["a link of a view with a password", ' || username !== "" || password !== ""', ""],
    ],
  ),
  ...within(
    "src/catalog/skills.ts",
    ["test/catalog/skills.test.ts"],
    [
      ["a changed skill that is still used", " || now.digest !== state?.digest", ""],
      ["a skill with files of elsewhere", "if (!(await staysIn(root, join(root, path)))) return", "if (false) return"],
    ],
  ),
  ...within(
    "src/catalog/entries.ts",
    ["test/catalog/entries.test.ts"],
    [["the claims of an own app", "    reviewed: false,\n", "    reviewed: true,\n"]],
  ),
  ...within(
    "src/cards/skills-tool.ts",
    ["test/cards/map.test.ts"],
    [["a skill used without being asked for", 'skill.state === "asked" && !askedFor.includes(name)', "false"]],
  ),
  ...within(
    "src/pictures/svg.ts",
    ["test/pictures/svgs.test.ts"],
    [
      ["pictures: an image stays in an SVG", '"svg g defs symbol use path', '"image svg g defs symbol use path'],
      [
        "pictures: references to outside stay",
        'if (/^#[\\w.:-]{1,200}$/u.test(value) && element.name !== "a")',
        'if (element.name !== "a")',
      ],
      [
        "pictures: a property may name a file",
        "return !/url|image|src|expression/iu.test(value) || REFERENCE.test(value);",
        "return true;",
      ],
    ],
  ),
  ...within(
    "src/pictures/svg-cost.ts",
    ["test/pictures/svgs.test.ts"],
    [
      [
        "pictures: parts used again aren't counted",
        "if (target === undefined) continue;",
        'if (target === undefined || name === "href") continue;',
      ],
    ],
  ),
  ...within(
    "src/pictures/xml.ts",
    ["test/pictures/svgs.test.ts"],
    [
      [
        "pictures: a document type with entities is read",
        "if (!/^<!DOCTYPE\\s+svg\\b[^[<]*>$/iu.test(text.slice(from, end)))",
        "if (end < 0)",
      ],
      [
        "pictures: any depth is read",
        "elements > MAX_ELEMENTS || open.length > MAX_DEPTH",
        "elements > MAX_ELEMENTS * 100",
      ],
    ],
  ),
  ...within(
    "src/pictures/drawing.ts",
    ["test/pictures/drawing.test.ts"],
    [
      [
        "pictures: a drawing over its deadline goes on",
        "if (drawn === undefined || (!drawn.drawn && drawn.words === TOO_LONG)) end();",
        "if (drawn === undefined) end();",
      ],
      ["pictures: the program never rests", "(signal.aborted ? undefined : end())", "undefined"],
    ],
  ),
  ...within(
    "src/pictures/diagram.ts",
    ["test/pictures/diagrams.test.ts"],
    [
      [
        "pictures: a diagram with lines that are lost is drawn",
        "!kind.lines.some((pattern) => pattern.test(plain))",
        "false",
      ],
    ],
  ),
  ...within(
    "src/pictures/chart-shape.ts",
    ["test/pictures/charts.test.ts"],
    [
      [
        "pictures: empty boxes for letters that the font lacks",
        'return lost.length > 0 || (left === "" && text !== "") ? undefined : left;',
        "return left;",
      ],
    ],
  ),
  ...within(
    "src/cards/show-tool.ts",
    ["test/cards/show-tool.test.ts"],
    [
      [
        "show: tables of what tools gave are drawn",
        'entry.kind === "text" ? [entry.text] : []',
        'entry.kind === "text" ? [entry.text] : entry.kind === "tool-end" ? [entry.result.text] : []',
      ],
      ["show: anyone can read the picture's file", '{ mode: 0o600, flag: "wx" }', '{ mode: 0o644, flag: "wx" }'],
    ],
  ),
  ...within(
    "src/markdown/figures.ts",
    ["test/markdown/tables-numbers.test.ts"],
    [
      [
        "figures: a point that may group is a guess",
        '(style !== "comma" && style !== "point" && isUnclear(cells))',
        "false",
      ],
    ],
  ),
  ...within(
    "src/channels/discord/interactions.ts",
    ["test/channels/discord-inbound.test.ts"],
    [
      [
        "a menu of several is read as a press of what was picked",
        "  if (given?.startsWith(PICKS)) return { key: given.slice(PICKS.length), opens: false, picked: values ?? [] };\n",
        "",
      ],
    ],
  ),
  ...within(
    "src/channels/discord/forms.ts",
    ["test/channels/discord-native.test.ts"],
    [
      ["a choice of several takes one", "max_values: several ? given.length : 1,", "max_values: 1,"],
      [
        "an optional choice has to be made",
        "    required: !optional,\n    min_values: optional ? 0 : 1,",
        "    required: true,\n    min_values: optional ? 0 : 1,",
      ],
      [
        "a label that was cut is lost",
        'const both = joined(isCut ? whole : "", note);',
        'const both = joined(isCut && note === "" ? whole : "", note);',
      ],
      ["more fields than a modal has", "fields.slice(0, MAX_FIELDS)", "fields"],
    ],
  ),
  ...within(
    "src/channels/discord/forms.ts",
    ["test/channels/discord-inbound.test.ts"],
    [["an empty text counts as written", 'value === "" ? [] : [value]', "[value]"]],
  ),
  ...within(
    "src/channels/discord/forms.ts",
    ["test/channels/discord-presses.test.ts"],
    [["what is picked in a form is not heard", "Array.isArray(values))", "Array.isArray(values) && depth > 4)"]],
  ),
  ...within(
    "src/channels/discord/cards.ts",
    ["test/channels/discord-native.test.ts"],
    [
      [
        "an option too long for the menu is not numbered",
        "const label = whole.length > MAX_OPTION_UNITS ? `${at + 1}` : whole;",
        "const label = whole;",
      ],
      ["the menu stands below the rows", "[above.row, ...rows]", "[...rows, above.row]"],
    ],
  ),
  ...within(
    "src/channels/discord/outlet.ts",
    ["test/channels/discord-outlet.test.ts"],
    [
      [
        "a picture that is gone is sent as nothing",
        "if (file !== undefined && upload === undefined)",
        "if (file !== undefined && upload === undefined && edit !== undefined)",
      ],
      [
        "a picture without words for whom doesn't see it",
        '...(alt === "" ? {} : { description: alt })',
        '...(alt === "" ? {} : {})',
      ],
      [
        "any file is the lost one",
        'letters(given) === "" || letters(shown) === letters(given)',
        "letters(given) !== shown",
      ],
    ],
  ),
  ...within(
    "src/cards/questions.ts",
    ["test/cards/questions.test.ts"],
    [
      ["a button of an earlier step presses in the next", "same ? before : []", "before"],
      [
        "typed words answer a question that is over",
        "if (waiting.over || field === undefined) return false;",
        "if (field === undefined) return false;",
      ],
    ],
  ),
  ...within(
    "src/cards/question-answers.ts",
    ["test/cards/questions.test.ts"],
    [
      [
        "a form's picks are not checked",
        'if (values.length > 0 && picked === undefined) return { problem: "That can\'t be picked there." };',
        "",
      ],
      [
        "two options of a choice of one are taken",
        'if (field.kind !== "choice" || (picks.length > 1 && !field.several)) return undefined;',
        'if (field.kind !== "choice") return undefined;',
      ],
    ],
  ),
  ...within(
    "src/cards/question-values.ts",
    ["test/cards/values.test.ts"],
    [
      ["31 February is a date", "return month === 2 ? (isLeap ? 29 : 28) :", "return month === 2 ? 31 :"],
      [
        "a lone comma before three digits is guessed",
        "return couldGroup ? twoNumbers(marked) :",
        "return false ? twoNumbers(marked) :",
      ],
    ],
  ),
  ...within(
    "src/cards/ask-tool.ts",
    ["test/cards/ask-tool.test.ts"],
    [["a guest's answer reaches the model unframed", "text: guest ? frame(", "text: !guest ? given : given ?? frame("]],
  ),
  ...within(
    "src/cards/ask-tool.ts",
    ["test/cards/questions-attended.test.ts"],
    [["with nobody there the question is asked", 'if (!attended) return { outcome: "ok", text: NOBODY };', ""]],
  ),
  ...within(
    "src/turn/toolbox.ts",
    ["test/cards/questions-attended.test.ts"],
    [["with nobody there ask is listed", "tools.filter(({ unlisted }) => unlisted !== true)", "tools"]],
  ),
  ...within(
    "src/gateway/typed-answers.ts",
    ["test/gateway/questions.test.ts"],
    [
      [
        "a forward answers a question",
        'kind === "text" && (origin.kind === "own" || (origin.kind === "quoted" && origin.ours))',
        'kind === "text" && (origin.kind !== "quoted" || origin.ours)',
      ],
      ["somebody else's words answer", "one.card.for === personKey(person) &&", ""],
      [
        "a reply to anything answers",
        'if (origin.kind === "quoted" && !(await isCard(origin.messageId))) return false;',
        "void origin;",
      ],
    ],
  ),
  ...within(
    "src/store/conversations.ts",
    ["test/gateway/questions.test.ts"],
    [
      [
        "the message that answered is nobody's",
        'if (body.kind === "answered" && body.messageId !== undefined)',
        'if (body.kind === "answered" && body.messageId === "")',
      ],
    ],
  ),
  ...within(
    "src/cards/question-card.ts",
    ["test/cards/question-card.test.ts"],
    [
      [
        "a card's words are not escaped",
        'return escapeMarkdown(clipUnits(oneLine(words), maxUnits, "…"));',
        'return clipUnits(oneLine(words), maxUnits, "…");',
      ],
    ],
  ),
  ...within(
    "src/cards/desk.ts",
    ["test/cards/desk.test.ts"],
    [
      [
        "an offer is made in a tainted chat",
        'by === "assistant" && clean !== true',
        'by === "assistant" && clean === false',
      ],
      ["a long request is offered", "turn.words.length > MAX_REQUEST", "turn.words.length > 2 * MAX_REQUEST"],
      ["a second offer in a turn", "    second = true;\n", ""],
    ],
  ),
  ...within(
    "src/cards/offers.ts",
    ["test/cards/desk.test.ts"],
    [
      [
        "a target is offered twice in a chat",
        "return `offered/${conversation}/${target.kind}:${target.id}`;",
        "return `offered/${conversation}/${Math.random()}:${target.id}`;",
      ],
    ],
  ),
  ...within(
    "src/cards/offers.ts",
    ["test/cards/offers.test.ts"],
    [
      [
        "what a skill may do is not on its card",
        '(target.kind === "skill" || stage?.is === "details")',
        'stage?.is === "details"',
      ],
      [
        "any address becomes a button",
        'return url?.protocol === "https:" || url?.protocol === "http:" ? url.host : undefined;',
        "return url?.host;",
      ],
    ],
  ),
  ...within(
    "src/cards/open.ts",
    ["test/cards/open.test.ts"],
    [
      [
        "a redrawing opens a card that is over",
        '    { do: "claim", key: stepClaim(offer.id, seq), by: NOBODY, at },\n',
        "",
      ],
      [
        "an end does not claim the entry that it goes on from",
        '    { do: "claim", key: stepClaim(offer.id, seq), by, at },\n',
        "",
      ],
    ],
  ),
  ...within(
    "src/gateway/offer-presses.ts",
    ["test/gateway/offers.test.ts"],
    [
      ["what is not on is carried on", "if (!isOn(catalog, open.offer, act) || ", "if ("],
      ["a guest's press takes an offer", 'person.role !== "owner" || conversation.room.kind', "conversation.room.kind"],
      [
        "what was being connected is lost at an end",
        "      for (const { offer } of await waiting(parts)) begin(offer.target.id);\n",
        "",
      ],
    ],
  ),
  ...within(
    "src/gateway/offer-paste.ts",
    ["test/gateway/offers-paste.test.ts"],
    [
      [
        "a forwarded address finishes a sign-in",
        'part.kind === "file" || part.origin.kind !== "own"',
        'part.kind === "file"',
      ],
    ],
  ),
  ...within(
    "src/gateway/replies.ts",
    ["test/cards/every-card.test.ts"],
    [["a view shows nothing", "drawView(entry.view, entry.keys),", '{ text: "", rows: [], quiet: true },']],
  ),
  ...within(
    "src/cards/offers.ts",
    ["test/cards/every-card.test.ts"],
    [
      [
        "a button of an offer is called otherwise than the page says",
        'return act === "details" ? "Less" : label;',
        "return label;",
      ],
    ],
  ),
  ...within(
    "src/gateway/plans.ts",
    ["test/cards/every-card.test.ts"],
    [
      [
        "replies to send are buttons on Telegram too",
        "return { ...reply, key: fresh, rows: [], keyboard: entry.chips.map(({ words }) => words) };",
        "return { ...reply, key: fresh };",
      ],
    ],
  ),
  ...within(
    "src/cards/turn-cards.ts",
    ["test/cards/matrix.test.ts"],
    [
      [
        "an engine with plans of its own gets update_plan too",
        "...(turn.engine.plan ? [] : [planTool()]),",
        "planTool(),",
      ],
      [
        "what the owner has on is refused by its name where others are",
        '({ row }) => TABLE[row][column] !== "absent",',
        '({ row }) => row !== "history" || column === "clean",',
      ],
    ],
  ),
  ...within(
    "src/cards/desk.ts",
    ["test/cards/matrix.test.ts"],
    [
      [
        "a guest's system text has the map",
        'if (attendance !== "owner" || room !== "private" || !engine.tools) return [];',
        'if (room !== "private" || !engine.tools) return [];',
      ],
    ],
  ),
  ...within(
    "src/cards/chips.ts",
    ["test/cards/matrix.test.ts"],
    [
      [
        "the assistant's replies stand in a chat with words from outside",
        "...(reply.clean ? reply.suggested : [])",
        "...reply.suggested",
      ],
      [
        "a chart is offered where nobody could draw it",
        "reply.tools && hasNumberTable(reply.text)",
        "hasNumberTable(reply.text)",
      ],
    ],
  ),
  ...within(
    "src/cards/ask-tool.ts",
    ["test/cards/matrix.test.ts"],
    [["ask is listed with nobody there", "...(attended ? {} : { unlisted: true }),", ""]],
  ),
  ...within(
    "src/cards/ask-input.ts",
    ["test/cards/tool-list.test.ts"],
    [
      [
        "a tool of ours takes a record",
        'unit: text("Of a number"),',
        'unit: { type: "object", additionalProperties: { type: "string" } },',
      ],
    ],
  ),
  ...within(
    "src/catalog/app-tools.ts",
    ["test/cards/tool-list.test.ts"],
    [
      [
        "a schema that is no object takes the list away",
        'if (!isObject(schema) || schema["type"] !== "object") return wrong;',
        "if (!isObject(schema)) return wrong;",
      ],
    ],
  ),
  ...within(
    "src/cards/map.ts",
    ["test/cards/spec-upkeep.test.ts"],
    [
      [
        "skills have no line in the map",
        "couldBeOn(item) && !muted.has",
        'item.kind === "app" && couldBeOn(item) && !muted.has',
      ],
    ],
  ),
  ...within(
    "src/catalog/views.ts",
    ["test/cards/spec-upkeep.test.ts"],
    [["a row of the views table has no rows", "get_thread: MAILS", "get_thread: DRIVE"]],
  ),
  ...within(
    "src/cards/plans.ts",
    ["test/cards/spec-plain.test.ts"],
    [["a step of a plan is markup", "const words = escapeMarkdown(text);", "const words = text;"]],
  ),
  ...within(
    "src/cards/desk.ts",
    ["test/cards/spec-plain.test.ts"],
    [["why is not cut", "why: capped(why, MAX_WHY),", "why,"]],
  ),
  ...within(
    "src/gateway/apps.ts",
    ["test/gateway/config-apps.test.ts"],
    [
      [
        "an app's folder is a secret",
        "!command.some((part) => part.includes(`\\${${key}}`))",
        'command.length >= 0 && key !== ""',
      ],
    ],
  ),
  ...within(
    "src/cards/approvals.ts",
    ["test/cards/approvals.test.ts"],
    [
      [
        "always is for a name, whatever the tool is",
        "alwaysKey(ask.conversation, ask.call.name, ask.means)",
        "alwaysKey(ask.conversation, ask.call.name)",
      ],
    ],
  ),
  ...within(
    "src/turn/toolbox.ts",
    ["test/turn/toolbox.test.ts"],
    [
      [
        "a tool that was changed means the same",
        "digestOf({ name, input: [description, input] })",
        "digestOf({ name, input: [description.length < 0, input !== undefined] })",
      ],
    ],
  ),
  ...within(
    "src/gateway/card-desk.ts",
    ["test/gateway/cards-left.test.ts"],
    [
      [
        "offers of platforms that are not here are taken up",
        "ways.has(room.platform) && people.isOwner(person)",
        "people.isOwner(person)",
      ],
    ],
  ),
  ...within(
    "src/gateway/offer-presses.ts",
    ["test/gateway/cards-left.test.ts"],
    [
      [
        "offers: whoever's chat it is",
        "conversation.stands === undefined || ownerOf(conversation) === undefined",
        "conversation.stands === undefined",
      ],
    ],
  ),
  ...within(
    "src/gateway/app-news.ts",
    ["test/gateway/cards-left.test.ts"],
    [
      [
        "app news that nobody heard are over",
        "if (words !== undefined && !(await say(words, parts))) return;",
        "if (words !== undefined) await say(words, parts);",
      ],
      [
        "app news of before the start are not told",
        'if (item.kind === "app" && standing(item) !== undefined)',
        'if (item.kind !== "app")',
      ],
    ],
  ),
  ...within(
    "src/turn/run.ts",
    ["test/gateway/cards-left.test.ts"],
    [
      ["calls that an engine gave up go on", "      over.abort(STOP);\n", ""],
      ["a turn ends before its calls", "if (open.size === 0) return;", "if (open.size >= 0) return;"],
    ],
  ),
];

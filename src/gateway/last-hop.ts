// The last step before a platform: nothing that holds a known secret gets past it.
import type { Outlet, Platform, PressAnswer } from "../core/channel.ts";
import type { Button, FormField, Pick, Piece, Reply, ReplyFile } from "../core/reply.ts";
import { escapeMarkdown } from "../core/text.ts";
import { HIDDEN } from "../taint/scrub.ts";
import { inPlatformsWords } from "./command-words.ts";
import type { Way } from "./plans.ts";

/** How much of a draft's end is drawn to see what a reader would: more than a platform shows of it. */
const DRAFT_CHECK_UNITS = 8192;

/** Every platform's way out, past the scrubber. */
export function waysOut(
  platforms: ReadonlyMap<string, Platform>,
  scrub: (text: string) => string,
): ReadonlyMap<string, Way> {
  return new Map(
    [...platforms].map(([name, { channel, outlet }]) => [
      name,
      { outlet: scrubbedOutlet(outlet, scrub, channel.limits.commandPrefix), limits: channel.limits },
    ]),
  );
}

/** A platform's outlet that shows no known secret, in text, files, buttons, drafts and answers to presses. */
export function scrubbedOutlet(outlet: Outlet, scrub: (text: string) => string, commandPrefix = "/"): Outlet {
  const holds = (text: string): boolean => scrub(text) !== text;
  /** What is drawn may hold what its Markdown did not: marks, references and links inside a secret are gone then. */
  const leaks = (pieces: readonly Piece[]): boolean =>
    holds(pieces.map(({ plain }) => plain).join("")) ||
    pieces.some(({ plain, body }) => holds(plain) || stringsIn(body).some(holds));
  const flat = (pieces: readonly Piece[]): string => {
    const plains = pieces.map(({ plain }) => plain);
    const whole = plains.join("");
    // One that two messages share is seen only where they meet.
    return escapeMarkdown(scrub(holds(whole) && !plains.some(holds) ? whole : plains.join("\n")));
  };

  const pieces = (reply: Reply): readonly Piece[] => {
    const rows = reply.rows.map((row) => row.map((button) => scrubbedButton(button, scrub)));
    const file = reply.file && scrubbedFile(reply.file, scrub);
    const menu = reply.menu && {
      ...reply.menu,
      placeholder: scrub(reply.menu.placeholder),
      options: reply.menu.options.map((option) => scrubbedPick(option, scrub)),
    };
    const keyboard = reply.keyboard?.map(scrub);
    const more = { ...(file && { file }), ...(menu && { menu }), ...(keyboard && { keyboard }) };
    const draw = (text: string): readonly Piece[] => outlet.pieces({ ...reply, text, rows, ...more });
    const first = draw(scrub(reply.text));
    if (!leaks(first)) return first;
    const second = draw(flat(first));
    return leaks(second) ? draw(escapeMarkdown(HIDDEN)) : second;
  };

  /** The draft's text as it may be shown; undefined when it had better be left out. */
  const draftText = (key: string, given: string): string | undefined => {
    const draw = (text: string): readonly Piece[] => outlet.pieces({ key, text, rows: [], quiet: false });
    const text = scrub(given);
    if (!leaks(draw(text.slice(-DRAFT_CHECK_UNITS)))) return text;
    const plain = flat(draw(text));
    return leaks(draw(plain.slice(-DRAFT_CHECK_UNITS))) ? undefined : plain;
  };

  return {
    name: outlet.name,
    pieces,
    show: (room, piece, how, signal) => outlet.show(room, piece, how, signal),
    hint(room, hint, signal) {
      if (hint.kind !== "draft") return outlet.hint(room, hint, signal);
      const text = draftText(hint.key, hint.text);
      return text === undefined ? Promise.resolve(undefined) : outlet.hint(room, { ...hint, text }, signal);
    },
    answer: (ref, answer, signal) => outlet.answer(ref, answer && scrubbedAnswer(answer, scrub, commandPrefix), signal),
    link: (room, messageId) => outlet.link(room, messageId),
    recover: (room, lost, signal) => outlet.recover(room, lost, signal),
    menu: (items, signal) => outlet.menu(items, signal),
  };
}

function scrubbedAnswer(answer: PressAnswer, scrub: (text: string) => string, commandPrefix: string): PressAnswer {
  if ("words" in answer) {
    const { words, title } = answer;
    return {
      words: scrub(inPlatformsWords(words, commandPrefix)),
      ...(title === undefined ? {} : { title: scrub(title) }),
    };
  }
  const { form } = answer;
  const fields = form.fields.map((field): FormField => {
    const said = { label: scrub(field.label), ...(field.note === undefined ? {} : { note: scrub(field.note) }) };
    if (field.kind === "choice")
      return { ...field, ...said, options: field.options.map((option) => scrubbedPick(option, scrub)) };
    return { ...field, ...said, ...(field.value === undefined ? {} : { value: scrub(field.value) }) };
  });
  return { form: { ...form, title: scrub(form.title), submit: scrub(form.submit), fields } };
}

function scrubbedButton(button: Button, scrub: (text: string) => string): Button {
  const label = scrub(button.label);
  // A platform refuses the whole message for an address with brackets in it.
  return "press" in button
    ? { ...button, label, ...(button.copy === undefined ? {} : { copy: scrub(button.copy) }) }
    : { ...button, label, url: scrub(button.url).replaceAll(HIDDEN, "hidden") };
}

function scrubbedPick(pick: Pick, scrub: (text: string) => string): Pick {
  const { description } = pick;
  return {
    ...pick,
    label: scrub(pick.label),
    ...(description === undefined ? {} : { description: scrub(description) }),
  };
}

function scrubbedFile(file: ReplyFile, scrub: (text: string) => string): ReplyFile {
  const name = scrub(file.name);
  return "text" in file ? { ...file, name, text: scrub(file.text) } : { ...file, name, alt: scrub(file.alt) };
}

/**
 * Every string in a piece's body, which is the platform's own, with and without its tags: some addresses of links are nowhere
 * in `plain`, others stand in the middle of what the platform shows in one.
 */
function stringsIn(body: unknown): readonly string[] {
  if (typeof body === "string") return [body, body.replaceAll(/<[^<>]*>/g, "")];
  return typeof body === "object" && body !== null ? Object.values(body).flatMap(stringsIn) : [];
}

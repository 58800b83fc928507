// Shows pieces and hints on Discord, and says what came of it. Nothing here retries.
import * as z from "zod";
import type { LostPiece, Outlet, Recovered } from "../../core/channel.ts";
import type { Room } from "../../core/message.ts";
import type { Piece, ReplyFile, Showing, Shown } from "../../core/reply.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import { clipUnits, oneLine } from "../../core/text.ts";
import { contentOf, piecesOf, readBody } from "./cards.ts";
import type { Body, Row } from "./cards.ts";
import { describeFailure, mayPass } from "./client.ts";
import type { Call, Client, Failure, Upload } from "./client.ts";
import { setCommands } from "./commands.ts";
import { idAt, timeOf } from "./event.ts";
import type { Me } from "./event.ts";
import { uploadOf } from "./files.ts";
import { oldestFirst } from "./history.ts";
import { messageLink } from "./places.ts";
import type { Places } from "./places.ts";
import type { Presses } from "./presses.ts";

const HINT_LIMIT_MS = 10_000;
/** How long to leave the platform alone when it can't be reached. */
const UNREACHABLE_WAIT_MS = 3000;
/** How long to wait after "too many requests" that names no time. */
const TOO_FAST_WAIT_MS = 3000;
/** Flags of a message (discord.com/developers/docs/resources/message#message-object-message-flags). */
const SUPPRESS_EMBEDS = 4;
const SUPPRESS_NOTIFICATIONS = 4096;
const MAX_NONCE = 25;
/** The words of an attachment for whom doesn't see it (discord.com/developers/docs/resources/message#attachment-object). */
const MAX_ALT_UNITS = 1024;

/** An enforced nonce is remembered "for a few minutes"; within one a repeat gives the first message again. */
const NONCE_MS = 60_000;
const NOT_YET_MS = 500;
/** Our clock and theirs may differ by so much. What stands there from longer before the first attempt than `NEAR_MS` may be another. */
const SKEW_MS = 120_000;
const NEAR_MS = 5000;
const PAGE = 100;
const MAX_PAGES = 5;

/** What a message names its own: nobody is pinged, whatever stands in the text. */
const NO_PINGS = { parse: [] } as const;

export function discordOutlet(
  client: Client,
  presses: Presses,
  places: Pick<Places, "known">,
  me: () => Me,
  { clock, log }: Surroundings,
): Outlet {
  const show = async (room: Room, piece: Piece, how: Showing, signal: AbortSignal): Promise<Shown> => {
    const body = readBody(piece.body);
    if (body === undefined) return { is: "refused", why: "other", detail: "The piece is none of Discord's." };
    const { edit } = how;
    const file = how.plain ? undefined : body.file;
    const upload = file && (await uploadOf(file));
    if (file !== undefined && upload === undefined)
      return { is: "refused", why: "other", detail: "The picture is not there any more, or too large." };
    const call = edit === undefined ? postOf(room, body, piece.plain, how) : editOf(room, edit, body, piece.plain, how);
    const asked = await client.call(file && upload ? withFile(call, file, upload) : call, signal);
    if (!asked.ok) return shownOf(asked.failure, edit);
    if (edit !== undefined) return { is: "shown", ref: edit };
    const made = created.safeParse(asked.value);
    // Accepted, but by something that doesn't say what it made of it.
    return made.success ? { is: "shown", ref: made.data.id } : { is: "unknown" };
  };

  const recover = async (room: Room, lost: LostPiece, signal: AbortSignal): Promise<Recovered> => {
    if (clock.now() - lost.since < NONCE_MS) return { is: "absent" };
    // Until it is known who we are, nothing that stands there would count as ours.
    if (me().id === "") return { is: "wait", waitMs: NOT_YET_MS };
    const body = readBody(lost.piece.body);
    if (body === undefined) return { is: "unknowable" };
    let after = idAt(lost.since - SKEW_MS);
    let anyOfOurs = false;
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = { after, limit: String(PAGE) };
      const asked = await client.call({ method: "GET", path: `/channels/${room.chat}/messages`, query }, signal);
      if (!asked.ok) return unread(asked.failure);
      const messages = oldestFirst(asked.value);
      const ours = messages.flatMap(({ message }) => {
        const { success, data } = standing.safeParse(message);
        return success && data.author.id === me().id ? [data] : [];
      });
      const found = ours.find(
        (message) => (timeOf(message.id) ?? 0) >= lost.since - NEAR_MS && isIt(message, body, lost.piece.plain),
      );
      if (found !== undefined) return { is: "shown", ref: found.id };
      anyOfOurs ||= ours.length > 0;
      const last = messages.at(-1);
      // Read to the end, and nothing of ours stands there that it could have become.
      if (last === undefined || messages.length < PAGE) return { is: anyOfOurs ? "unknowable" : "absent" };
      after = last.id;
    }
    return { is: "unknowable" };
  };

  return {
    name: "discord",
    pieces: piecesOf,
    show,
    async hint(room, { kind }, signal) {
      // A text under way is an edited message here.
      if (kind !== "typing") return undefined;
      const asked = await client.call(
        { method: "POST", path: `/channels/${room.chat}/typing`, limitMs: HINT_LIMIT_MS },
        signal,
      );
      if (asked.ok) return undefined;
      log.debug({ room: room.chat, why: describeFailure(asked.failure) }, "Discord took no hint.");
      const shown = shownOf(asked.failure, "");
      return shown.is === "wait" ? shown : undefined;
    },
    answer: (ref, answer, signal) => presses.answer(ref, answer, signal),
    recover,
    link: (room, messageId) => messageLink(room, messageId, places.known(room.chat)?.guild_id ?? undefined),
    menu: (items, signal) => setCommands(client, me().application, items, signal),
  };
}

const created: z.ZodType<{ id: string }> = z.object({ id: z.string().min(1) });

type Sending = Call & { readonly body: object };

function postOf(room: Room, body: Body, plain: string, how: Showing): Sending {
  return {
    method: "POST",
    path: `/channels/${room.chat}/messages`,
    body: {
      content: contentOf(body, plain, how),
      components: rowsOf(body, how),
      // Nothing that we show loads by itself.
      flags: SUPPRESS_EMBEDS | (body.silent ? SUPPRESS_NOTIFICATIONS : 0),
      allowed_mentions: body.calls === undefined ? NO_PINGS : { ...NO_PINGS, users: [body.calls] },
      nonce: how.nonce.slice(0, MAX_NONCE),
      enforce_nonce: true,
    },
  };
}

/** With its file alone: nothing is said beside it, and one that stood there before goes. */
function withFile(call: Sending, file: ReplyFile, upload: Upload): Call {
  const alt = "alt" in file ? clipUnits(oneLine(file.alt), MAX_ALT_UNITS, "…") : "";
  const attachments = [{ id: 0, filename: upload.name, ...(alt === "" ? {} : { description: alt }) }];
  return { ...call, body: { ...call.body, content: "", attachments }, file: upload };
}

function editOf(room: Room, edit: string, body: Body, plain: string, how: Showing): Sending {
  return {
    method: "PATCH",
    path: `/channels/${room.chat}/messages/${edit}`,
    body: {
      content: contentOf(body, plain, how),
      components: rowsOf(body, how),
      flags: SUPPRESS_EMBEDS,
      allowed_mentions: NO_PINGS,
    },
  };
}

/** Plain is what nothing can be refused of: without addresses as well. */
function rowsOf({ components = [] }: Body, { plain }: Showing): readonly Row[] {
  if (!plain) return components;
  return components
    .map((row) => ({ ...row, components: row.components.filter((component) => !("url" in component)) }))
    .filter((row) => row.components.length > 0);
}

type RefusedWhy = Extract<Shown, { is: "refused" }>["why"];

/** Discord's own numbers for what it refuses (discord.com/developers/docs/topics/opcodes-and-status-codes#json). */
const REFUSALS: ReadonlyMap<number, { readonly why: RefusedWhy; readonly detail: string }> = new Map([
  [10_003, { why: "gone", detail: "The channel is gone." }],
  [10_008, { why: "edit-gone", detail: "The message to edit is gone." }],
  [50_001, { why: "gone", detail: "The bot may not see that channel." }],
  [50_005, { why: "edit-gone", detail: "The message to edit is not the bot's own." }],
  [50_007, { why: "gone", detail: "That person takes no messages of the bot." }],
  [50_013, { why: "gone", detail: "The bot may not write there." }],
  [50_083, { why: "gone", detail: "The thread is archived." }],
  [160_005, { why: "gone", detail: "The thread is locked." }],
  [50_278, { why: "gone", detail: "That person shares no server with the bot any more." }],
  [40_005, { why: "too-long", detail: "The file is too large." }],
]);

/** Edits of messages older than an hour have a limit of their own. */
const OLD_EDITS = 30_046;
const OLD_EDITS_WAIT_MS = 30_000;
const INVALID_FORM = 50_035;

/** What a failed show means. `edit`: the message that was to be edited; an edit may be repeated, a new message may not. */
export function shownOf(failure: Failure, edit: string | undefined): Shown {
  if (failure.kind === "no-answer") {
    return failure.sent ? { is: "unknown" } : { is: "wait", waitMs: UNREACHABLE_WAIT_MS, why: "unreachable" };
  }
  const { status, code, words, retryAfterMs } = failure;
  if (code === OLD_EDITS) return { is: "wait", waitMs: retryAfterMs ?? OLD_EDITS_WAIT_MS, why: "too-fast" };
  if (status === 429) return { is: "wait", waitMs: retryAfterMs ?? TOO_FAST_WAIT_MS, why: "too-fast" };
  if (status === 401) return { is: "refused", why: "unauthorized", detail: "Discord refused the bot's token." };
  // The message may have been stored before the server failed.
  if (status >= 500)
    return edit === undefined ? { is: "unknown" } : { is: "wait", waitMs: UNREACHABLE_WAIT_MS, why: "unreachable" };
  const known = REFUSALS.get(code);
  if (known) return { is: "refused", ...known };
  if (code === INVALID_FORM && /^content\[BASE_TYPE_(?:MAX|BAD)_LENGTH\]/mu.test(words))
    return { is: "refused", why: "too-long", detail: "The text is too long." };
  // Some part of it has a form that the platform doesn't take, such as a link's address.
  if (code === INVALID_FORM)
    return { is: "refused", why: "not-parseable", detail: "The form of the message was refused." };
  if (status === 413) return { is: "refused", why: "too-long", detail: "The file is too large." };
  if (status === 403) return { is: "refused", why: "gone", detail: "The bot may not write there." };
  return { is: "refused", why: "other", detail: describeFailure(failure) };
}

function unread(failure: Failure): Recovered {
  if (!mayPass(failure)) return { is: "unknowable" };
  const waitMs = failure.kind === "refused" ? (failure.retryAfterMs ?? UNREACHABLE_WAIT_MS) : UNREACHABLE_WAIT_MS;
  return { is: "wait", waitMs };
}

type Standing = {
  id: string;
  author: { id: string };
  content: string;
  components?: readonly unknown[] | null | undefined;
  attachments?: readonly { filename: string }[] | null | undefined;
};

const standing: z.ZodType<Standing> = z.object({
  id: z.string(),
  author: z.object({ id: z.string() }),
  content: z.string(),
  components: z.array(z.unknown()).nullish(),
  attachments: z.array(z.object({ filename: z.string() })).nullish(),
});

/** The same words over the same buttons, whose keys are drawn for one message only; the platform trims what it stores. */
function isIt(message: Standing, body: Body, plain: string): boolean {
  const keys = keysIn(message.components ?? []);
  if (keys.join("\n") !== keysIn(body.components ?? []).join("\n")) return false;
  const { file } = body;
  if (file !== undefined && message.content === "")
    return (
      message.attachments?.length === 1 && message.attachments.every(({ filename }) => isNamed(filename, file.name))
    );
  return (file === undefined ? [true, false] : [true]).some((isPlain) =>
    [true, false].some(
      (repeat) => contentOf(body, plain, { plain: isPlain, repeat }).trim() === message.content.trim(),
    ),
  );
}

/** The platform takes other signs than these out of a name, or puts "_" in their place. */
function isNamed(shown: string, given: string): boolean {
  const letters = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/gu, "");
  return letters(given) === "" || letters(shown) === letters(given);
}

/** Every key under a row's buttons and options, in order. */
function keysIn(rows: readonly unknown[]): readonly string[] {
  const found: string[] = [];
  const look = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) look(one);
    else if (typeof node === "object" && node !== null)
      for (const [name, value] of Object.entries(node)) {
        if ((name === "custom_id" || name === "value" || name === "url") && typeof value === "string")
          found.push(value);
        else look(value);
      }
  };
  look(rows);
  return found.sort();
}

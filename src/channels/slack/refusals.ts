// What Slack's refusals of a message mean, by its own codes (docs.slack.dev/reference/methods/chat.postMessage, chat.update, "Errors").
import type { Shown } from "../../core/reply.ts";
import { REFUSED_TOKEN, describeFailure, isTooFast } from "./client.ts";
import type { Failure } from "./client.ts";

/** How long to leave the platform alone when it can't be reached. */
export const UNREACHABLE_WAIT_MS = 3000;
/** How long to wait after "too many requests" that names no time. */
const TOO_FAST_WAIT_MS = 3000;

type RefusedWhy = Extract<Shown, { is: "refused" }>["why"];

const REFUSALS: readonly { readonly why: RefusedWhy; readonly codes: readonly string[]; readonly detail: string }[] = [
  {
    why: "not-parseable",
    codes: ["invalid_blocks", "invalid_blocks_format", "invalid_attachments", "no_text", "only_one_table_allowed"],
    detail: "The formatting was refused.",
  },
  {
    why: "too-long",
    codes: ["msg_too_long", "msg_blocks_too_long", "markdown_text_too_long"],
    detail: "The text is too long.",
  },
  {
    why: "edit-gone",
    codes: ["message_not_found", "cant_update_message", "edit_window_closed"],
    detail: "The message to edit is gone.",
  },
  {
    why: "gone",
    codes: [
      "channel_not_found",
      "is_archived",
      "thread_not_found",
      "user_not_found",
      "user_disabled",
      "messages_tab_disabled",
    ],
    detail: "The place is gone.",
  },
  {
    why: "gone",
    codes: [
      ...["not_in_channel", "restricted_action", "restricted_action_read_only_channel", "channel_type_not_supported"],
      ...["restricted_action_thread_only_channel", "restricted_action_non_threadable_channel", "cannot_dm_bot"],
      ...["restricted_action_thread_locked", "team_access_not_granted", "cannot_reply_to_message"],
    ],
    detail: "The bot may not write there.",
  },
];

/** The server says that it failed, and that some of it may have been done. */
const BROKEN: ReadonlySet<string> = new Set([
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
  "server_error",
]);

export function isUnsent(failure: Failure): boolean {
  return failure.kind === "no-answer" && !failure.sent;
}

/** What a failed show means. `edit`: the message that was to be edited; an edit may be repeated, a new message may not. */
export function shownOf(failure: Failure, edit: string | undefined): Shown {
  const later: Shown = { is: "wait", waitMs: UNREACHABLE_WAIT_MS, why: "unreachable" };
  if (failure.kind === "no-answer") return failure.sent ? { is: "unknown" } : later;
  const { code } = failure;
  if (isTooFast(failure)) return { is: "wait", waitMs: failure.retryAfterMs ?? TOO_FAST_WAIT_MS, why: "too-fast" };
  if (BROKEN.has(code)) return edit === undefined ? { is: "unknown" } : later;
  if (REFUSED_TOKEN.has(code)) return { is: "refused", why: "unauthorized", detail: "Slack refused the bot's token." };
  const known = REFUSALS.find(({ codes }) => codes.includes(code));
  if (known) return { is: "refused", why: known.why, detail: known.detail };
  return { is: "refused", why: "other", detail: describeFailure(failure) };
}

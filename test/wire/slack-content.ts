// What an app may put into a message: text, blocks, standard Markdown, attachments, metadata; and the
// message that comes of it, as people see it and as the API gives it back.
import type { AnyBlock, MessageAttachment, MessageMetadata, RichTextBlock } from "@slack/types";
import { checkBlocks, readBlocks } from "./slack-blocks.ts";
import type { Params } from "./slack-params.ts";
import { Refusal } from "./slack-state.ts";
import type { ApiMessage, ChannelState, ShownMessage, ShownVersion, SlackState, Stored } from "./slack-state.ts";
import { escapeText, pingsOfBareNames, pingsOfMrkdwn, readMarkdown, readMrkdwn } from "./slack-text.ts";

export const textLimits = { cutChars: 40_000, updateBytes: 4000, markdownChars: 12_000, metadataBytes: 8000 } as const;

export interface Content {
  text: string | undefined;
  blocks: AnyBlock[] | undefined;
  markdown: string | undefined;
  attachments: (MessageAttachment & Record<string, unknown>)[] | undefined;
  metadata: MessageMetadata | undefined;
  /** `metadata: {}` takes it away. */
  noMetadata: boolean;
  /** Bare `@here` counts too. */
  linksNames: boolean;
}

export function readContent(params: Params, need: "some" | "any"): Content {
  const markdown = params.text("markdown_text") || undefined;
  const given = params.json("blocks", "invalid_blocks_format");
  const attachments = params.json("attachments", "invalid_attachments") as Content["attachments"] | undefined;
  let text = params.text("text");
  if (markdown !== undefined && (given !== undefined || (text !== undefined && text !== ""))) {
    throw new Refusal("markdown_text_conflict");
  }
  if (markdown !== undefined && markdown.length > textLimits.markdownChars) throw new Refusal("msg_too_long");
  if (attachments !== undefined && attachments.length > 100) throw new Refusal("too_many_attachments");
  const blocks = given === undefined ? undefined : checkBlocks(given, "message");
  const empty = !text && !markdown && (blocks ?? []).length === 0 && (attachments ?? []).length === 0;
  if (need === "some" && empty) throw new Refusal("no_text");
  if (text !== undefined && text.length > textLimits.cutChars) text = text.slice(0, textLimits.cutChars);
  return {
    text,
    blocks,
    markdown,
    attachments,
    ...readMetadata(params),
    linksNames: params.flag("link_names") || params.text("parse") === "full",
  };
}

export function readMetadata(params: Params): Pick<Content, "metadata" | "noMetadata"> {
  const given = params.json("metadata", "invalid_metadata_format") as Partial<MessageMetadata> | undefined;
  const noMetadata = given !== undefined && Object.keys(given).length === 0;
  return { metadata: given === undefined || noMetadata ? undefined : checkMetadata(given), noMetadata };
}

/** An event_type of word characters and a flat payload of plain values; the platform takes nothing else. */
function checkMetadata(given: Partial<MessageMetadata>): MessageMetadata {
  const { event_type: type, event_payload: payload } = given;
  if (typeof type !== "string" || typeof payload !== "object" || payload === null) {
    throw new Refusal("invalid_metadata_format");
  }
  if (!/^\w+$/.test(type)) throw new Refusal("invalid_metadata_schema");
  for (const value of Object.values(payload)) {
    if (value === null || value === undefined) throw new Refusal("invalid_metadata_schema");
  }
  if (Buffer.byteLength(JSON.stringify(given)) > textLimits.metadataBytes) throw new Refusal("metadata_too_large");
  return { event_type: type, event_payload: payload };
}

/** One version of a message, as it is seen. */
export function shownVersion(
  state: SlackState,
  content: Pick<Content, "text" | "blocks" | "markdown" | "attachments" | "metadata"> & { linksNames?: boolean },
): ShownVersion {
  const nameOf = namesIn(state);
  const raw = content.text ?? "";
  const blocks = content.blocks ?? [];
  const pings = pingsOfMrkdwn(raw);
  if (content.linksNames) pings.push(...pingsOfBareNames(raw));
  const texts: string[] = [];
  let markdown = content.markdown;
  let buttons: ShownVersion["buttons"] = [];
  let menus: ShownVersion["menus"] = [];
  let quiet = false;
  if (content.markdown !== undefined) {
    const read = readMarkdown(content.markdown, nameOf);
    texts.push(read.text);
    pings.push(...read.pings);
  }
  if (blocks.length > 0) {
    const read = readBlocks(blocks, nameOf);
    texts.push(read.text);
    pings.push(...read.pings);
    buttons = read.buttons;
    menus = read.menus;
    quiet = read.quiet && content.markdown === undefined;
    markdown ??= read.markdown;
  } else if (content.markdown === undefined && raw !== "") texts.push(readMrkdwn(raw, nameOf));
  for (const attachment of content.attachments ?? []) {
    for (const part of [attachment.pretext, attachment.title, attachment.text]) {
      if (typeof part !== "string" || part === "") continue;
      texts.push(readMrkdwn(part, nameOf));
      pings.push(...pingsOfMrkdwn(part));
    }
  }
  return {
    text: texts.filter((text) => text !== "").join("\n\n"),
    raw,
    ...(markdown === undefined ? {} : { markdown }),
    blocks: [...blocks],
    buttons,
    menus,
    quiet,
    pings: [...new Set(pings)],
    ...(content.metadata ? { metadata: content.metadata } : {}),
    atMs: state.nowMs,
  };
}

export function namesIn(state: SlackState): (id: string) => string {
  return (id) => state.people.get(id)?.name ?? state.channels.get(id)?.name ?? id;
}

/** Bare ampersands and the like come back escaped. */
export function storedText(text: string): string {
  return text.replaceAll(/&(?!amp;|lt;|gt;)/g, "&amp;");
}

/**
 * Blocks as the API gives them back: every one with an id, and a `markdown` block as the rich text it
 * was made into (its own block_id is not kept).
 */
export function storedBlocks(state: SlackState, blocks: readonly AnyBlock[]): AnyBlock[] {
  return blocks.map((block) => {
    if ("text" in block && block.type === "markdown") {
      return richText(state, readMarkdown(block.text, namesIn(state)).text);
    }
    return { ...block, block_id: block.block_id ?? blockId(state) };
  });
}

export function richText(state: SlackState, text: string): RichTextBlock {
  return {
    type: "rich_text",
    block_id: blockId(state),
    elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] }],
  };
}

export function blockId(state: SlackState): string {
  return state.next().toString(36).padStart(5, "b");
}

/** The head of a message by the app under test, as recorded. */
export function botHead(state: SlackState, ts: string): ApiMessage {
  const { botUserId, botId, appId, botName, teamId } = state.options;
  return {
    user: botUserId,
    type: "message",
    ts,
    bot_id: botId,
    app_id: appId,
    text: "",
    team: teamId,
    bot_profile: {
      id: botId,
      app_id: appId,
      user_id: botUserId,
      name: botName,
      icons: { image_36: `${state.url}/icons/36.png`, image_48: `${state.url}/icons/48.png` },
      deleted: false,
      updated: 1_700_000_000,
      team_id: teamId,
    },
  };
}

/** The text the platform makes up when only blocks were given. */
export function fallbackText(version: ShownVersion, content: Content): string {
  if (content.text !== undefined && content.text !== "") return storedText(content.text);
  return escapeText(version.text).slice(0, 3000);
}

export interface PostPlace {
  channel: ChannelState;
  thread?: string;
  parent?: Stored;
}

/** Where a message of the app may go; throws the platform's refusal. */
export function readPlace(state: SlackState, params: Params): PostPlace {
  const id = params.text("channel") ?? "";
  const channel = postable(state, id);
  const thread = params.text("thread_ts");
  if (thread === undefined || thread === "") return { channel };
  const parent = channel.messages.get(thread);
  if (!parent) throw new Refusal("thread_not_found");
  if (parent.api.thread_ts !== undefined && parent.api.thread_ts !== parent.api.ts) {
    throw new Refusal("cannot_reply_to_message");
  }
  return { channel, thread, parent };
}

/** A conversation that the app may write to. A person's id stands for the direct messages with them. */
export function postable(state: SlackState, id: string): ChannelState {
  const direct = /^[UW]/.test(id) && state.people.has(id) ? state.dm(id) : undefined;
  const channel = direct ?? state.channels.get(id) ?? [...state.channels.values()].find((one) => `#${one.name}` === id);
  if (!channel || (channel.kind === "group" && !channel.botIsMember)) throw new Refusal("channel_not_found");
  if (channel.archived) throw new Refusal("is_archived");
  if (!channel.botIsMember && !state.options.scopes.includes("chat:write.public")) throw new Refusal("not_in_channel");
  if (channel.refuses !== undefined) throw new Refusal(channel.refuses);
  return channel;
}

export function threadFields(place: PostPlace): Pick<ApiMessage, "thread_ts" | "parent_user_id"> {
  if (place.thread === undefined) return {};
  const parent = place.parent?.api.user;
  return { thread_ts: place.thread, ...(parent === undefined ? {} : { parent_user_id: parent }) };
}

/** A message of the app, stored and shown. */
export function storeOwn(
  state: SlackState,
  place: PostPlace,
  api: ApiMessage,
  version: ShownVersion,
  more: Partial<ShownMessage> = {},
): Stored {
  const shown: ShownMessage = {
    ...version,
    id: api.ts,
    channel: place.channel.id,
    ...(place.thread === undefined ? {} : { thread: place.thread }),
    from: state.options.botUserId,
    byBot: true,
    previewsOff: true,
    files: [],
    deleted: false,
    edits: [],
    ...more,
  };
  const stored = { shown, api };
  state.store(place.channel, stored);
  return stored;
}

/** Puts a new version in place of the present one, which becomes the newest of the earlier ones. */
export function replaceVersion(shown: ShownMessage, version: ShownVersion): void {
  shown.edits.push(versionOf(shown));
  delete shown.markdown;
  delete shown.metadata;
  Object.assign(shown, version);
}

function versionOf(shown: ShownMessage): ShownVersion {
  const { text, raw, markdown, blocks, buttons, menus, quiet, pings, metadata, atMs } = shown;
  return {
    text,
    raw,
    ...(markdown === undefined ? {} : { markdown }),
    blocks,
    buttons,
    menus,
    quiet,
    pings,
    ...(metadata ? { metadata } : {}),
    atMs,
  };
}

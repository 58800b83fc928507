// Files of the loopback Slack: the three-step upload, what `files.info` says, and downloads that need
// the token (without it the platform sends a browser to its sign-in page).
import type { IncomingMessage, ServerResponse } from "node:http";
import type {
  FilesCompleteUploadExternalResponse,
  FilesGetUploadURLExternalResponse,
  FilesInfoResponse,
} from "@slack/web-api";
import { boundaryOf, parseMultipart } from "./multipart.ts";
import { botHead, readPlace, shownVersion, storeOwn, storedBlocks, storedText, threadFields } from "./slack-content.ts";
import { checkBlocks } from "./slack-blocks.ts";
import { emitMessage } from "./slack-events.ts";
import { failEarly, reset } from "./slack-faults.ts";
import type { Fault } from "./slack-faults.ts";
import { Params } from "./slack-params.ts";
import { Refusal } from "./slack-state.ts";
import type { ApiFile, ApiMessage, ChannelState, ShownFile, SlackState, StoredFile } from "./slack-state.ts";

/** Over the control port bytes are base64 text. */
export interface GivenFile {
  name: string;
  bytes?: Uint8Array | string;
  /** Instead of bytes. */
  text?: string;
  mimeType?: string;
  /** Claim another size than the bytes have. */
  size?: number;
}

const types: Record<string, [string, string, string]> = {
  txt: ["text/plain", "text", "Plain Text"],
  md: ["text/markdown", "markdown", "Markdown (raw)"],
  csv: ["text/csv", "csv", "CSV"],
  png: ["image/png", "png", "PNG"],
  pdf: ["application/pdf", "pdf", "PDF"],
  json: ["application/json", "json", "JSON"],
};

export function makeFile(state: SlackState, name: string, bytes: Buffer, user: string, mimeType?: string): StoredFile {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  const [usual, filetype, pretty] = types[extension] ?? ["application/octet-stream", extension || "binary", "Binary"];
  const id = state.id("F");
  const { teamId, teamName } = state.options;
  const path = encodeURIComponent(name.toLowerCase().replaceAll(/[^\p{L}\p{N}.-]+/gu, "_"));
  const base = `${state.url}/files-pri/${teamId}-${id}`;
  const api: ApiFile = {
    id,
    created: state.nowSeconds,
    timestamp: state.nowSeconds,
    name,
    title: name,
    mimetype: mimeType ?? usual,
    filetype,
    pretty_type: pretty,
    user,
    user_team: teamId,
    editable: false,
    size: bytes.length,
    mode: "hosted",
    is_external: false,
    external_type: "",
    is_public: false,
    public_url_shared: false,
    display_as_bot: false,
    username: "",
    url_private: `${base}/${path}`,
    url_private_download: `${base}/download/${path}`,
    media_display_type: "unknown",
    permalink: `https://${teamName}.slack.test/files/${user}/${id}/${path}`,
    permalink_public: `https://slack-files.test/${teamId}-${id}-secret`,
    is_starred: false,
    has_rich_preview: false,
    file_access: "visible",
  };
  const stored: StoredFile = { api, bytes };
  state.files.set(id, stored);
  return stored;
}

export function givenFile(state: SlackState, given: GivenFile, user: string): StoredFile {
  const { bytes: raw = given.text ?? "" } = given;
  const encoding = given.bytes === undefined ? "utf8" : "base64";
  const bytes = typeof raw === "string" ? Buffer.from(raw, encoding) : Buffer.from(raw);
  const stored = makeFile(state, given.name, bytes, user, given.mimeType);
  if (given.size !== undefined) stored.api.size = given.size;
  return stored;
}

export function shownFile({ api, bytes }: StoredFile): ShownFile {
  return {
    id: api.id,
    name: api.name,
    title: api.title,
    mimeType: api.mimetype,
    size: api.size,
    text: bytes.toString("utf8"),
  };
}

/** The method's own limit of a picture's description. */
const altMax = 1000;

export function uploadUrl(state: SlackState, params: Params): FilesGetUploadURLExternalResponse {
  const name = params.required("filename");
  const length = params.number("length");
  if (length === undefined || length <= 0) throw new Refusal("missing_argument");
  const alt = params.text("alt_txt");
  if (alt !== undefined && alt.length > altMax) throw new Refusal("alt_txt_too_large");
  const stored = makeFile(state, name, Buffer.alloc(0), state.options.botUserId);
  if (alt !== undefined) stored.api.alt_txt = alt;
  stored.upload = { key: `upload-${state.next()}-${stored.api.id}`, length, uploaded: false, done: false };
  return {
    ok: true,
    upload_url: `${state.url}/upload/v1/${stored.upload.key}`,
    file_id: stored.api.id,
  } satisfies FilesGetUploadURLExternalResponse;
}

/** The bytes, as one multipart part or as the whole body. No token: the address is the secret. */
export function receiveUpload(
  state: SlackState,
  key: string,
  type: string,
  body: Buffer,
  response: ServerResponse,
): void {
  const stored = [...state.files.values()].find((one) => one.upload?.key === key);
  const answer = (status: number, text: string): void => {
    response.writeHead(status, { "content-type": "text/plain" });
    response.end(text);
  };
  if (!stored?.upload || stored.upload.done) return answer(404, "Not Found");
  const boundary = type.startsWith("multipart/form-data") ? boundaryOf(type) : undefined;
  let bytes: Buffer | undefined = body;
  if (boundary !== undefined) bytes = Object.values(parseMultipart(body, boundary).files)[0]?.bytes;
  if (!bytes || bytes.length !== stored.upload.length) return answer(400, "Bad Request: length");
  stored.bytes = Buffer.from(bytes);
  stored.api.size = bytes.length;
  stored.upload.uploaded = true;
  state.watch.changed();
  answer(200, `OK - ${bytes.length}`);
}

export function completeUpload(state: SlackState, params: Params): FilesCompleteUploadExternalResponse {
  const given = (params.json("files", "invalid_arguments") as { id: string; title?: string }[] | undefined) ?? [];
  if (given.length === 0) throw new Refusal("invalid_arguments");
  const files = given.map(({ id, title }) => {
    const stored = state.files.get(id);
    if (!stored?.upload || stored.upload.done) throw new Refusal("file_not_found");
    if (!stored.upload.uploaded) throw new Refusal("file_update_failed");
    if (title !== undefined) stored.api.title = title;
    return stored;
  });
  const channelId = params.text("channel_id") || params.text("channels")?.split(",")[0];
  // Refused places leave the upload open.
  const named = channelId ? readPlace(state, new Params({ ...params.raw, channel: channelId })) : undefined;
  // As reported: a file that was announced with a description is accepted and then shows nowhere.
  const place = files.some(({ api }) => api.alt_txt !== undefined) ? undefined : named;
  const comment = params.text("initial_comment");
  const blocks = params.json("blocks", "invalid_blocks_format");
  const checked = blocks === undefined ? undefined : checkBlocks(blocks, "message");
  for (const stored of files) if (stored.upload) stored.upload.done = true;
  if (place) {
    const content = {
      text: comment,
      blocks: checked,
      markdown: undefined,
      attachments: undefined,
      metadata: undefined,
    };
    const api: ApiMessage = {
      ...botHead(state, state.ts()),
      ...threadFields(place),
      subtype: "file_share",
      text: storedText(comment ?? ""),
      files: files.map(({ api: file }) => file),
      upload: true,
      display_as_bot: true,
      ...(checked ? { blocks: storedBlocks(state, checked) } : {}),
    };
    for (const stored of files) share(state, stored.api, place.channel, api);
    storeOwn(state, place, api, shownVersion(state, content), { files: files.map(shownFile) });
    emitMessage(state, place.channel, api);
  }
  return {
    ok: true,
    files: files.map(({ api }) => structuredClone(api)),
  } satisfies FilesCompleteUploadExternalResponse;
}

/** A file knows where it was shared, and by which message. */
export function share(state: SlackState, file: ApiFile, channel: ChannelState, api: ApiMessage): void {
  const entry = {
    ts: api.ts,
    channel_name: channel.name,
    team_id: state.options.teamId,
    ...(api.thread_ts === undefined ? {} : { thread_ts: api.thread_ts }),
  };
  const open = channel.kind === "channel" ? "public" : "private";
  file.is_public ||= channel.kind === "channel";
  file.shares = { ...file.shares, [open]: { ...file.shares?.[open], [channel.id]: [entry] } };
  const list = channel.kind === "im" ? "ims" : channel.kind === "channel" ? "channels" : "groups";
  file[list] = [...(file[list] ?? []), channel.id];
}

export function fileInfo(state: SlackState, params: Params): FilesInfoResponse {
  const stored = state.files.get(params.text("file") ?? "");
  if (!stored) throw new Refusal("file_not_found");
  if (stored.api.mode === "tombstone") throw new Refusal("file_deleted");
  return { ok: true, file: structuredClone(stored.api), comments: [] } satisfies FilesInfoResponse;
}

/**
 * GET of url_private and url_private_download. Of a fault "after the store" the client sees the first half of the bytes: the
 * connection is destroyed, or nothing more comes.
 */
export async function download(
  state: SlackState,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault | undefined,
): Promise<void> {
  if (fault && (await failEarly(fault, response))) return;
  const id = /^\/files-pri\/[^/]+?-(F[A-Z0-9]+)\//.exec(path)?.[1];
  const stored = id === undefined ? undefined : state.files.get(id);
  const token = (request.headers.authorization ?? "").replace(/^Bearer /, "");
  if (token !== state.options.botToken || !state.options.scopes.includes("files:read")) {
    response.writeHead(302, { location: `${state.url}/?redir=${encodeURIComponent(path)}` });
    response.end();
    return;
  }
  if (!stored || stored.api.mode === "tombstone") {
    response.writeHead(404, { "content-type": "text/html" });
    response.end("<html><body>File not found</body></html>");
    return;
  }
  response.writeHead(200, { "content-type": stored.api.mimetype, "content-length": stored.bytes.length });
  if (fault?.kind !== "resetAfterStore" && fault?.kind !== "hangAfterStore") {
    response.end(stored.bytes);
    return;
  }
  response.write(stored.bytes.subarray(0, Math.ceil(stored.bytes.length / 2)), () => {
    if (fault.kind === "resetAfterStore") reset(response);
  });
}

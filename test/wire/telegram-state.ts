// What the loopback Telegram remembers: people, chats, messages as they are shown, drafts, files.
// Field names follow @grammyjs/types (Bot API 10.3) where the state is sent out as it is.
import type {
  BotCommand,
  Chat,
  File,
  InlineKeyboardButton,
  InlineKeyboardMarkup,
  Message,
  MessageEntity,
  Update,
  User,
  UserFromGetMe,
} from "@grammyjs/types";
import { Watch } from "./http.ts";
import { UpdateQueue } from "./telegram-queue.ts";

/** A refusal by the platform: HTTP status and error_code are the same number. */
export class Refusal extends Error {
  readonly code: number;
  readonly parameters: { retry_after?: number; migrate_to_chat_id?: number } | undefined;

  constructor(code: number, description: string, parameters?: { retry_after?: number; migrate_to_chat_id?: number }) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

export function badRequest(text: string): Refusal {
  return new Refusal(400, `Bad Request: ${text}`);
}

export interface ShownButton {
  text: string;
  data?: string;
  url?: string;
  /** What it puts on the clipboard. */
  copy?: string;
}

/** A reply keyboard as a chat has it. */
export interface ShownKeyboard {
  /** The message that brought it. */
  messageId: number;
  keys: string[][];
  placeholder?: string;
  oneTime: boolean;
  /** A key of it was pressed: it is out of sight, and the person may still call it back. */
  hidden: boolean;
}

export interface ShownFile {
  fileId: string;
  name: string;
  mimeType: string;
  size: number;
}

/** One version of a message's text, as people saw it. */
export interface ShownVersion {
  text: string;
  entities: MessageEntity[];
  /** What was sent: HTML when parseMode says so, else plain text. */
  source: string;
  parseMode?: string;
  keyboard: ShownButton[][];
  linkPreviewDisabled: boolean;
  atMs: number;
}

/** A message as the chat shows it now. Text of a file's message is its caption. */
export interface ShownMessage extends ShownVersion {
  id: number;
  chatId: number;
  fromId: number;
  /** Sent by the bot under test. */
  byBot: boolean;
  threadId?: number;
  replyTo?: number;
  quote?: string;
  file?: ShownFile & { kind: string };
  silent: boolean;
  /** What it did to the keyboard of the chat when it came; left out: nothing. Such a message can't be edited. */
  brings?: "keyboard" | "remove" | "force";
  /** Earlier versions, oldest first; the present one is the message itself. */
  edits: ShownVersion[];
}

export interface Draft {
  draftId: number;
  text: string;
  entities: MessageEntity[];
  source: string;
  threadId?: number;
  canStop: boolean;
  keepOnStop: boolean;
  atMs: number;
}

export interface Stored {
  shown: ShownMessage;
  api: Message;
}

export interface ChatState {
  chat: Chat;
  messages: Map<number, Stored>;
  nextId: number;
  drafts: Map<number, Draft>;
  /** Every version of every draft, also those that are gone. */
  draftLog: Draft[];
  topics: Map<number, { name: string; closed: boolean }>;
  /** The reply keyboard, until it is removed or another takes its place. */
  keyboard?: ShownKeyboard;
  migratedTo?: number;
  /** Why the bot may not write here: the text after "Forbidden: ". */
  forbidden?: string;
}

export interface Answer {
  callbackId: string;
  text?: string;
  showAlert: boolean;
  url?: string;
  atMs: number;
}

export interface StoredFile {
  file: File;
  name: string;
  mimeType: string;
  bytes: Buffer;
}

export interface StateOptions {
  /** `<bot id>:<secret>`. */
  token: string;
  username: string;
  firstUpdateId: number;
  /** Milliseconds since the epoch; a test may bring its own clock. */
  now: () => number;
  /** Messages kept per chat; 0 keeps all. */
  messageCap: number;
  /** Topics in private chats (a setting of the bot). */
  topicsInPrivate: boolean;
  /** Privacy mode off: the bot sees every group message. Default true. */
  readsAllGroupMessages: boolean;
  /** Accept what the live server shows as it is: bare `&`, unknown attributes. Default false. */
  lenientHtml: boolean;
  callbackLifeMs: number;
}

export class TelegramState {
  readonly options: StateOptions;
  readonly me: UserFromGetMe;
  readonly queue: UpdateQueue;
  readonly watch: Watch;
  readonly users: Map<number, User> = new Map();
  readonly chats: Map<number, ChatState> = new Map();
  readonly files: Map<string, StoredFile> = new Map();
  readonly filesByPath: Map<string, StoredFile> = new Map();
  readonly answers: Answer[] = [];
  /** Commands by "scope/language". */
  readonly commands: Map<string, BotCommand[]> = new Map();
  readonly actions: { chatId: number; action: string; threadId?: number; atMs: number }[] = [];
  /** Open callback queries and when they were pressed. */
  readonly callbacks: Map<string, number> = new Map();
  webhook: { url: string; secret?: string } | undefined;
  #counter = 0;

  constructor(options: StateOptions, describe: () => string) {
    this.options = options;
    this.me = {
      id: Number(options.token.split(":", 1)[0]),
      is_bot: true,
      first_name: "Gateway",
      username: options.username,
      can_join_groups: true,
      can_read_all_group_messages: options.readsAllGroupMessages,
      supports_guest_queries: false,
      supports_inline_queries: false,
      can_connect_to_business: false,
      has_main_web_app: false,
      has_topics_enabled: options.topicsInPrivate,
      allows_users_to_create_topics: options.topicsInPrivate,
      can_manage_bots: false,
      supports_join_request_queries: false,
    };
    this.queue = new UpdateQueue(options.firstUpdateId, options.now);
    this.watch = new Watch(describe);
  }

  get nowMs(): number {
    return this.options.now();
  }

  get nowSeconds(): number {
    return Math.floor(this.options.now() / 1000);
  }

  get bot(): User {
    const { id, is_bot, first_name, username } = this.me;
    return { id, is_bot, first_name, username };
  }

  /** A number that no other call got. */
  next(): number {
    return ++this.#counter;
  }

  /** A person, and with it the private chat that opens when they press Start. */
  addUser(user: number | (Partial<User> & { id: number }), opensChat = true): User {
    const given = typeof user === "number" ? { id: user } : user;
    const known: User = this.users.get(given.id) ?? {
      id: given.id,
      is_bot: false,
      first_name: `User ${given.id}`,
      language_code: "en",
    };
    const full: User = { ...known, ...given };
    this.users.set(full.id, full);
    if (opensChat && !this.chats.has(full.id)) {
      const { id, first_name, last_name, username } = full;
      this.addChat({
        id,
        type: "private",
        first_name,
        ...(last_name === undefined ? {} : { last_name }),
        ...(username === undefined ? {} : { username }),
      });
    }
    return full;
  }

  addChat(chat: Chat): ChatState {
    const state: ChatState = {
      chat,
      messages: new Map(),
      nextId: 1,
      drafts: new Map(),
      draftLog: [],
      topics: new Map(),
    };
    this.chats.set(chat.id, state);
    return state;
  }

  /** The chat a call is about, or the refusal the platform would give. */
  reachable(id: number | string): ChatState {
    const chat = typeof id === "number" ? this.chats.get(id) : this.#byUsername(id.replace(/^@/, ""));
    if (!chat) throw badRequest("chat not found");
    if (chat.migratedTo !== undefined) {
      throw new Refusal(400, "Bad Request: group chat was upgraded to a supergroup chat", {
        migrate_to_chat_id: chat.migratedTo,
      });
    }
    if (chat.forbidden !== undefined) throw new Refusal(403, `Forbidden: ${chat.forbidden}`);
    return chat;
  }

  #byUsername(username: string): ChatState | undefined {
    for (const state of this.chats.values()) {
      if (state.chat.type !== "private" && state.chat.username === username) return state;
    }
    return undefined;
  }

  store(chat: ChatState, shown: ShownMessage, api: Message): void {
    chat.messages.set(shown.id, { shown, api });
    const { messageCap } = this.options;
    if (messageCap > 0 && chat.messages.size > messageCap) {
      for (const oldest of chat.messages.keys()) {
        chat.messages.delete(oldest);
        break;
      }
    }
    // The real message takes the place of its preview.
    if (shown.byBot && chat.drafts.size > 0) {
      for (const [id, draft] of chat.drafts) {
        if (draft.threadId === shown.threadId) chat.drafts.delete(id);
      }
    }
    this.watch.changed();
  }

  addFile(bytes: Buffer, name: string, mimeType: string, size: number = bytes.length): StoredFile {
    const number = this.next();
    const extension = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? "";
    const file: StoredFile = {
      file: {
        file_id: `FILE-${number}-${this.me.id}`,
        file_unique_id: `UNIQUE-${number}`,
        file_size: size,
        file_path: `documents/file_${number}${extension}`,
      },
      name,
      mimeType,
      bytes,
    };
    this.files.set(file.file.file_id, file);
    this.filesByPath.set(file.file.file_path as string, file);
    return file;
  }

  push(update: Omit<Update, "update_id"> & { update_id?: number }): Update | undefined {
    const pushed = this.queue.push(update);
    this.watch.changed();
    return pushed;
  }
}

/** A chat's drafts that still show: a preview lives 30 s unless it is refreshed. */
export function liveDrafts(chat: ChatState, nowMs: number): Draft[] {
  return [...chat.drafts.values()].filter((draft) => nowMs - draft.atMs < 30_000);
}

/** A message goes, and with it the keyboard that it brought. */
export function forgetMessage(chat: ChatState, messageId: number): void {
  chat.messages.delete(messageId);
  if (chat.keyboard?.messageId === messageId) delete chat.keyboard;
}

export function shownKeyboard(markup: InlineKeyboardMarkup | undefined): ShownButton[][] {
  return (markup?.inline_keyboard ?? []).map((row) => row.map(shownButton));
}

function shownButton(button: InlineKeyboardButton): ShownButton {
  return {
    text: button.text,
    ...("callback_data" in button ? { data: button.callback_data } : {}),
    ...("url" in button ? { url: button.url } : {}),
    ...("copy_text" in button ? { copy: button.copy_text.text } : {}),
  };
}

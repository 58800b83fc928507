// The cards: what a person can press, pick or read besides plain text.
import type { ReplyFile } from "./reply.ts";
import type { Mode } from "./taint.ts";

/** Something that could be turned on. Texts are plain and capped (id 64, name 80, description 300, why 200, request 4,000 characters). */
export type Offer = {
  readonly kind: "offer";
  readonly id: string;
  readonly target: { readonly kind: "app" | "skill"; readonly id: string; readonly name: string };
  readonly description: string;
  readonly why: string;
  readonly by: "assistant" | "cue";
  readonly resume: { readonly request: string };
};

/** One field of a question. */
export type QuestionField = { readonly id: string; readonly label: string } & (
  | {
      readonly kind: "choice";
      readonly options: readonly { readonly label: string; readonly description?: string }[];
      readonly several: boolean;
      readonly other: boolean;
    }
  | { readonly kind: "date" | "time" | "datetime"; readonly suggested?: string }
  | { readonly kind: "text"; readonly long: boolean }
  | { readonly kind: "number"; readonly unit?: string }
);

/** A question the reply waits for: at most 4 fields. */
export type Question = {
  readonly kind: "question";
  readonly id: string;
  readonly title?: string;
  readonly fields: readonly QuestionField[];
};

/** What an approval can be answered with. `always`: this tool in this chat, for what the mode alone asks about. */
export type ApprovalAnswer = "once" | "always" | "no";

/** What came of asking for an approval. */
export type ApprovalOutcome = ApprovalAnswer | "expired" | "stopped";

/**
 * A guard's ask: bound to one tool and the digest of its exact arguments, used once. `number` is what a text answer names it by.
 * `text` says what, why and because of whom, as Markdown with everything from outside escaped.
 */
export type Approval = {
  readonly kind: "approval";
  readonly id: string;
  readonly number: number;
  readonly turn: string;
  readonly tool: string;
  readonly digest: string;
  readonly text: string;
  /** The whole of the arguments, where `text` shows only their head and tail. */
  readonly whole?: ReplyFile;
  readonly options: readonly { readonly label: string; readonly key: string; readonly took: ApprovalAnswer }[];
};

/** Suggested replies: at most 3, each sends exactly its words (at most 120 characters). */
export type Chips = { readonly kind: "chips"; readonly words: readonly string[] };

/** The steps of a turn, at most 30 of at most 200 characters. */
export type Plan = {
  readonly kind: "plan";
  readonly steps: readonly {
    readonly text: string;
    readonly state: "done" | "active" | "pending";
  }[];
};

/** A tool's result as rows of plain text from outside. */
export type View = {
  readonly kind: "view";
  readonly of: "agenda" | "mail" | "files" | "messages";
  readonly rows: readonly {
    readonly title: string;
    readonly detail: string;
    readonly link?: string;
  }[];
};

/** What pressing an option of the gateway's own choice does. */
export type ChoiceAction =
  | { readonly do: "delete-chat"; readonly conversation: string }
  | { readonly do: "set-engine"; readonly engine: string }
  | { readonly do: "set-mode"; readonly mode: Mode }
  | { readonly do: "new-chat" }
  | { readonly do: "start-plan" }
  /** Asks what should be different, where the platform has forms. */
  | { readonly do: "keep-planning" }
  /** Of whoever asked to be let in, a person or a group. */
  | {
      readonly do: "let-in" | "not-now" | "block" | "forget";
      readonly who: { readonly platform: string; readonly id: string };
    }
  /** Of the approval that the button stands under. */
  | { readonly do: "approve"; readonly took: ApprovalAnswer }
  | { readonly do: "nothing" };

/** A look at earlier chats: what was looked for (left out: one chat was read), and which lines of which chats were shown to a model. */
export type Look = {
  readonly query?: string;
  readonly chats: readonly {
    readonly conversation: string;
    readonly title: string;
    readonly lines: readonly number[];
  }[];
};

/**
 * What a card that can be leafed through shows. It is drawn anew from what is kept at each press, and never kept itself: it shows
 * words of other chats.
 */
export type Page =
  | { readonly of: "results"; readonly query: string }
  /** Lines of a chat: around one of them, or from there on in one direction. */
  | {
      readonly of: "lines";
      readonly chat: string;
      readonly line: number;
      readonly direction: "around" | "before" | "after";
      readonly back: Page;
      /** What is lit. */
      readonly query?: string;
    }
  /** What a look has found, or just the line that it was. */
  | { readonly of: "look"; readonly look: Look | number; readonly open: boolean; readonly back?: Page }
  /** What was looked at, newest first, from before a place of the log. */
  | { readonly of: "activity"; readonly before?: number; readonly back?: Page };

/** The gateway's own choice (delete this chat? which engine?). Each option has its durable key; the first press wins. */
export type Choice = {
  readonly kind: "choice";
  readonly id: string;
  readonly text: string;
  /** Said in passing: it makes no notification. */
  readonly quiet?: true;
  readonly options: readonly {
    readonly label: string;
    readonly key: string;
    readonly action: ChoiceAction;
    /** What the card says once this was taken. */
    readonly done: string;
  }[];
};

export type Card = Offer | Question | Approval | Chips | Plan | View | Choice;

// The cards: what a person can press, pick or read besides plain text.
import type { ReplyFile } from "./reply.ts";
import type { Mode } from "./taint.ts";

/** What can be turned on: an app (an MCP server), or a skill (a folder of instructions). */
export type TargetKind = "app" | "skill";

/**
 * What pressing a button of an offer does. `take`: connects the app, or turns the skill on. `use`: the skill, for this request
 * alone. `always`: the skill, from now on by itself.
 */
export type OfferAct = "take" | "use" | "always" | "not-now" | "mute" | "details";

/**
 * Something that could be turned on. Texts are plain and capped (id 64, name 80, description 300, why 200 on one line, request 4,000
 * characters). Asked again under the same id it stands further on.
 */
export type Offer = {
  readonly kind: "offer";
  readonly id: string;
  readonly turn: string;
  readonly target: { readonly kind: TargetKind; readonly id: string; readonly name: string };
  readonly description: string;
  readonly why: string;
  readonly by: "assistant" | "cue";
  /** What the person last typed, exactly: what is carried on when it is taken. */
  readonly resume: { readonly request: string };
  /** What it may read or do, a line each. */
  readonly may: readonly string[];
  /**
   * How far it is, beyond standing there: its details are open (with how it is connected, in words), it is being connected, it waits for
   * a sign-in at an address, or could not be turned on.
   */
  readonly stage?:
    | { readonly is: "details"; readonly connects: string }
    | { readonly is: "connecting" }
    | { readonly is: "sign-in"; readonly url: string }
    | { readonly is: "failed"; readonly words: string };
  readonly options: readonly { readonly label: string; readonly key: string; readonly act: OfferAct }[];
};

/** One field of a question. Ids are unique in it; labels at most 200 characters. */
export type QuestionField = { readonly id: string; readonly label: string } & (
  | {
      readonly kind: "choice";
      /** 2 to 6, labels at most 80 characters, descriptions 200. */
      readonly options: readonly { readonly label: string; readonly description?: string }[];
      readonly several: boolean;
      /** Own words do as well. */
      readonly other: boolean;
    }
  | { readonly kind: "date" | "time" | "datetime"; readonly suggested?: string }
  | { readonly kind: "text"; readonly long: boolean }
  | { readonly kind: "number"; readonly unit?: string }
);

/** What pressing a button of a question does. `pick`: an option of a field, or the suggested value. `open`: a form. */
export type QuestionAct =
  | { readonly do: "pick"; readonly field: number; readonly option: number }
  | { readonly do: "done" | "skip" | "open" | "menu" };

/** A question the reply waits for: at most 4 fields. Asked again under the same id it stands further on. */
export type Question = {
  readonly kind: "question";
  readonly id: string;
  readonly turn: string;
  /** Who is asked, as a person key. */
  readonly for: string;
  /** What they are called, where others are. Anyone may have chosen it. */
  readonly name?: string;
  readonly title?: string;
  readonly fields: readonly QuestionField[];
  /** Where the fields are answered one after the other: what was answered so far, in words, and what is picked in the one under way. */
  readonly soFar?: {
    readonly answers: readonly string[];
    readonly picked: readonly number[];
    readonly problem?: string;
  };
  /** In a form, or by the steps of one message. */
  readonly inForm: boolean;
  readonly options: readonly { readonly label: string; readonly key: string; readonly act: QuestionAct }[];
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
  /** The exact arguments: what is allowed after its turn has ended is told to the model once more. */
  readonly input?: unknown;
  /** What the tool was when it was asked about, where it can become another under the same name. */
  readonly means?: string;
  readonly text: string;
  /** The whole of the arguments, where `text` shows only their head and tail. */
  readonly whole?: ReplyFile;
  readonly options: readonly { readonly label: string; readonly key: string; readonly took: ApprovalAnswer }[];
};

/** Replies that a person may send next, under an answer: at most 3, each sends exactly its words (at most 120 characters). */
export type Chips = readonly { readonly words: string; readonly key: string }[];

/** The steps of a turn, at most 30 of at most 200 characters. */
export type Plan = {
  readonly kind: "plan";
  readonly steps: readonly {
    readonly text: string;
    readonly state: "done" | "active" | "pending";
  }[];
};

/** A tool's result as rows of plain text from outside: at most 60 of an agenda, else 30. */
export type View = {
  readonly kind: "view";
  readonly of: "agenda" | "mail" | "files" | "messages";
  readonly title: string;
  readonly rows: readonly {
    readonly title: string;
    readonly detail: string;
    /** http or https. */
    readonly link?: string;
    /** What a person may send about it: put where they write, never done by itself. */
    readonly compose?: { readonly label: string; readonly text: string };
  }[];
  /** How many rows were left out. */
  readonly more: number;
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
  /**
   * What was done in a chat (left out: nothing of it), newest first, from below a seq of its log; and what was looked at in all chats,
   * from before a place of the log.
   */
  | {
      readonly of: "activity";
      readonly chat?: string;
      readonly step?: number;
      readonly before?: number;
      readonly back?: Page;
    }
  /** One thing that was done, by the seq of its beginning. `whole`: all of it as a file as well. */
  | { readonly of: "step"; readonly chat: string; readonly seq: number; readonly back: Page; readonly whole?: true }
  /** What can be turned on, from a place of the list on. */
  | { readonly of: "items"; readonly kind: TargetKind; readonly from: number }
  /** One thing of it. `doing`: what opening the page does first. `stage`: how far that is. */
  | {
      readonly of: "item";
      readonly kind: TargetKind;
      readonly id: string;
      readonly from: number;
      readonly doing?: "on" | "asked" | "off" | "agree" | "unmute";
      readonly stage?:
        | { readonly is: "working" }
        | { readonly is: "sign-in"; readonly url: string }
        | { readonly is: "words"; readonly words: string };
    }
  /** What was chosen for good. `unmute`: what opening the page suggests again from now on. */
  | { readonly of: "settings"; readonly unmute?: string };

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

/** The cards that something waits for a press of. */
export type Card = Offer | Question | Approval | Choice;

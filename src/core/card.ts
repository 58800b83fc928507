// The cards: what a person can press, pick or read besides plain text.

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

/** A guard's ask: bound to one tool and the digest of its exact arguments, used once. */
export type Approval = {
  readonly kind: "approval";
  readonly id: string;
  readonly tool: string;
  readonly digest: string;
  readonly shown: string;
  readonly reason: string;
  readonly sources: readonly string[];
  readonly always: boolean;
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
  | { readonly do: "nothing" };

/** The gateway's own choice (delete this chat? which engine?). Each option has its durable key; the first press wins. */
export type Choice = {
  readonly kind: "choice";
  readonly id: string;
  readonly text: string;
  readonly options: readonly {
    readonly label: string;
    readonly key: string;
    readonly action: ChoiceAction;
    /** What the card says once this was taken. */
    readonly done: string;
  }[];
};

export type Card = Offer | Question | Approval | Chips | Plan | View | Choice;

// What a channel should show.

/**
 * A button. `press` is a short random key kept in the store; `url` opens an address. `opens`: the press is answered with a form,
 * where the platform has forms; elsewhere it is a press like any other.
 */
export type Button =
  | { readonly label: string; readonly press: string; readonly opens?: true }
  | { readonly label: string; readonly url: string };

/** Something to fill in. `press`: the key that comes back with what was written, as a press with `fields`. */
export type Form = {
  readonly press: string;
  readonly title: string;
  readonly submit: string;
  readonly fields: readonly FormField[];
};

/** A text field of a form. Texts are plain; at most 5 fields. */
export type FormField = {
  readonly id: string;
  readonly label: string;
  readonly long: boolean;
  readonly optional: boolean;
  readonly value?: string;
  readonly maxChars?: number;
};

/** A text as a file, for what is too long to be read in a message. */
export type ReplyFile = { readonly name: string; readonly text: string };

/**
 * What a room should now show for a key; showing a key again edits it. `text` is Markdown. A quiet reply makes no
 * notification and is set apart from what the assistant says. A row of more buttons than a platform has room for is drawn as a
 * menu to pick from.
 */
export type Reply = {
  readonly key: string;
  readonly text: string;
  readonly rows: readonly (readonly Button[])[];
  readonly quiet: boolean;
  /** Shown behind the text, as a message of its own. */
  readonly file?: ReplyFile;
};

/**
 * One message of the platform's own, made from a Reply: a long reply is several. `body` is the channel's own and opaque to
 * everyone else; it is kept in the store, so that a restart shows exactly what was planned. `plain` is the same content as
 * text without any markup.
 */
export type Piece = { readonly body: unknown; readonly plain: string };

/** How a piece is to be shown. */
export type Showing = {
  /** The platform's id of the message to edit; left out: a new one. */
  readonly edit?: string;
  /** The text is still being written: what comes next edits this message. */
  readonly growing?: true;
  /** Without markup, after the platform could not parse it. */
  readonly plain: boolean;
  /** With a line that says that this may stand here twice. */
  readonly repeat: boolean;
  /** The same for each try of one piece, unique otherwise. */
  readonly nonce: string;
};

/** What came of showing a piece. */
export type Shown =
  | { readonly is: "shown"; readonly ref: string }
  /** Nothing was sent, or the platform asked to wait: try again after that long. */
  | { readonly is: "wait"; readonly waitMs: number; readonly why: "too-fast" | "unreachable" }
  /** `gone`: the person or the place can't be written to any more. */
  | {
      readonly is: "refused";
      readonly why: "not-parseable" | "too-long" | "unchanged" | "edit-gone" | "gone" | "unauthorized" | "other";
      readonly detail: string;
    }
  /** The room has another id now; nothing was shown. */
  | { readonly is: "moved"; readonly chat: string }
  /** It may have been shown or not. */
  | { readonly is: "unknown" };

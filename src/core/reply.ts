// What a channel should show.
import type { Untrusted } from "./message.ts";

/**
 * A button. `press` is a short random key kept in the store; `url` opens an address. `opens`: the press is answered with a form,
 * where the platform has forms; elsewhere it is a press like any other. `copy`: puts that text on the clipboard where the platform
 * can, and nothing comes of it here; elsewhere it is a press.
 */
export type Button =
  | { readonly label: string; readonly press: string; readonly opens?: true; readonly copy?: string }
  | { readonly label: string; readonly url: string };

/** Something to pick. `value` is what comes back; texts are plain. */
export type Pick = { readonly value: string; readonly label: string; readonly description?: string };

/**
 * A menu of which several can be picked at once (at most 25), on platforms with forms. `press` comes back with what was picked.
 * `submit`: the label of the button that sends it, where a menu has none of its own.
 */
export type Menu = {
  readonly press: string;
  readonly placeholder: string;
  readonly submit: string;
  readonly options: readonly Pick[];
};

/** Something to fill in. `press`: the key that comes back with what was written, as a press with `fields`. */
export type Form = {
  readonly press: string;
  readonly title: string;
  readonly submit: string;
  readonly fields: readonly FormField[];
};

/** A field of a form. Texts are plain; at most 5 fields, and at most 25 options. */
export type FormField = {
  readonly id: string;
  readonly label: string;
  readonly optional: boolean;
  /** Small words below it: a unit, or how a date is written. */
  readonly note?: string;
} & (
  | { readonly kind: "text"; readonly long: boolean; readonly value?: string; readonly maxChars?: number }
  | { readonly kind: "choice"; readonly several: boolean; readonly options: readonly Pick[] }
  /** `value`: what stands there at first, as `2026-11-30`, `14:05`, `2026-11-30 14:05`; a platform without such a field takes it as text. */
  | { readonly kind: "date" | "time" | "datetime"; readonly value?: string }
  | { readonly kind: "number"; readonly value?: string }
);

/** What was filled in, by field: a text, or the values of what was picked. All of it is outside input. */
export type Filled = Readonly<Record<string, readonly Untrusted[]>>;

/**
 * A file behind a reply: a text that is too long to be read in a message, or a picture that lies at `path` (absolute; the gateway's
 * own), with words for whom doesn't see it.
 */
export type ReplyFile =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly path: string; readonly mediaType: "image/png"; readonly alt: string };

/**
 * What a room should now show for a key; showing a key again edits it. `text` is Markdown. A quiet reply makes no
 * notification and is set apart from what the assistant says. A row of more buttons than a platform has room for is drawn as a
 * menu to pick from.
 */
export type Reply = {
  readonly key: string;
  readonly text: string;
  readonly rows: readonly (readonly Button[])[];
  /** Stands above the rows. */
  readonly menu?: Menu;
  readonly quiet: boolean;
  /** Whom it waits for, by the platform's id: told of it by name where a message among others tells nobody else, and only they. */
  readonly calls?: string;
  /** A number that is written answers what is asked: where buttons are pressed by writing their numbers, these are marked. */
  readonly written?: true;
  /** At most 3 texts that a person may send next, as keys that do just that: only where a platform has such a keyboard, and never with `rows`. */
  readonly keyboard?: readonly string[];
  /**
   * Takes a keyboard away that an earlier reply brought. Left out of a reply with `rows` or a `menu`: give it to the next without.
   * A platform may refuse to edit what brought a keyboard or took one away; an edit of it is shown as a new message.
   */
  readonly unkeyed?: true;
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

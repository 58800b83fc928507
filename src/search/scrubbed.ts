// How a file tells which secrets were taken out of it.
import { createHmac } from "node:crypto";

/** Goes up when the shapes of secrets change, so that an index that was scrubbed otherwise is made anew. */
const SHAPES_VERSION = 1;

/** What is noted of a scrubber. The salt keeps a short secret from being told by it. */
export function scrubberNote(secrets: readonly string[], salt: string): string {
  const known = [...new Set(secrets)].toSorted();
  return `${salt}.${createHmac("sha256", salt)
    .update(JSON.stringify([SHAPES_VERSION, known]))
    .digest("base64url")}`;
}

/** Whether a note is of a scrubber for these secrets. */
export function isNoteOf(note: string, secrets: readonly string[]): boolean {
  return note === scrubberNote(secrets, note.slice(0, note.indexOf(".")));
}

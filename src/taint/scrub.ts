// Taking secrets out of text, by known value.

const MIN_SECRET_CHARS = 6;

/** What stands in a secret's place. */
export const HIDDEN = "[hidden]";

/**
 * Makes a function that replaces every known secret, plain or as it travels in an address. Values under 6 characters are
 * left alone: they would take ordinary words with them.
 */
export function scrubber(secrets: readonly string[]): (text: string) => string {
  const forms = [
    ...new Set(
      secrets
        .filter((secret) => secret.length >= MIN_SECRET_CHARS)
        .flatMap((secret) => [secret, encodeURIComponent(secret)]),
    ),
  ]
    .toSorted((a, b) => b.length - a.length)
    .map((form) => form.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  if (forms.length === 0) return (text) => text;
  const pattern = new RegExp(forms.join("|"), "g");
  return (text) => text.replaceAll(pattern, HIDDEN);
}

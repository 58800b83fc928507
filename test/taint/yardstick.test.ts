// An outside measure: texts that other people's rules are checked with. See test/fixtures/secrets/README.md.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { scrubShapes } from "../../src/taint/shapes.ts";

type Vectors = { readonly rule: string; readonly positives: readonly string[]; readonly negatives: readonly string[] };

/** The rules for what Tidegate hides; the others are of single companies. */
const WANTED: ReadonlySet<string> = new Set(
  (
    "openai-api-key anthropic-api-key anthropic-admin-api-key github-pat github-fine-grained-pat github-oauth github-app-token github-refresh-token gitlab-pat " +
    "slack-bot-token slack-user-token slack-app-token slack-config-access-token slack-config-refresh-token slack-legacy-bot-token slack-legacy-workspace-token " +
    "slack-legacy-token slack-webhook-url aws-access-token private-key jwt telegram-bot-api-token curl-auth-header curl-auth-user discord-api-token gcp-api-key " +
    "stripe-access-token npm-access-token huggingface-access-token sendgrid-api-token generic-api-key"
  ).split(" "),
);

const packed = readFileSync(new URL("../fixtures/secrets/secret-vectors.json.gz.b64", import.meta.url), "utf8");
const all = JSON.parse(gunzipSync(Buffer.from(packed, "base64")).toString("utf8")) as readonly Vectors[];
const wanted = all.filter(({ rule }) => WANTED.has(rule));

it("P29: of secrets that others test with, at least 99 % are seen", () => {
  const positives = wanted.flatMap(({ rule, positives }) => positives.map((text) => ({ rule, text })));
  expect(positives.length).toBeGreaterThan(500);
  // What was missed is shown by its rule alone.
  const missed = positives.filter(({ text }) => scrubShapes(text) === text).map(({ rule }) => rule);
  expect(missed.slice(Math.floor(positives.length * 0.01))).toEqual([]);
});

it("P29: and of all their rules together at least 97 %, though most are of companies nobody here names", () => {
  const positives = all.flatMap(({ positives }) => positives);
  const seen = positives.filter((text) => scrubShapes(text) !== text);
  expect(seen.length / positives.length).toBeGreaterThanOrEqual(0.97);
});

it("P29: what was scrubbed stays as it is, whatever it was", () => {
  for (const text of all.flatMap(({ positives, negatives }) => [...positives, ...negatives])) {
    const once = scrubShapes(text);
    expect(scrubShapes(once)).toBe(once);
  }
});

// Most of their negatives are filled with x or are examples of keys: harmless to hide, so their share is told and bounds nothing.
it("P29: of what others call no secret, this many are hidden too", ({ annotate }) => {
  const negatives = wanted.flatMap(({ negatives }) => negatives);
  const hidden = negatives.filter((text) => scrubShapes(text) !== text);
  expect(negatives.length).toBeGreaterThan(0);
  return annotate(`${hidden.length} of ${negatives.length} negatives are hidden`);
});

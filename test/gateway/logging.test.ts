// Notes for the operator: what never gets into them.
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GatewayError } from "../../src/core/error.ts";
import { openLog } from "../../src/gateway/logging.ts";
import { scrubber } from "../../src/taint/scrub.ts";

let place = "";
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "tidegate-log-"));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const TOKEN = "123456:AA-secret/token";

/** What stands in the log after one note. */
async function note(fields: Record<string, unknown>, words = "a note"): Promise<string> {
  const file = join(place, "deep", "tidegate.log");
  const { log, close } = await openLog({ file }, scrubber([TOKEN]));
  log.warn(fields, words);
  close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  return readFileSync(file, "utf8");
}

test("G34: a line has its time, level, ids and codes", async () => {
  expect(JSON.parse(await note({ conversation: "c1", code: "engine-silent", tookMs: 12 }))).toEqual({
    level: "warn",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u),
    conversation: "c1",
    code: "engine-silent",
    tookMs: 12,
    msg: "a note",
  });
});

test.each(["text", "words", "prompt", "parts", "token", "apiKey", "headers", "raw"])(
  "G34: the field %s is left out whoever puts it in",
  async (field) => expect(await note({ [field]: "quokka" })).not.toContain("quokka"),
);

test("G34: a secret is hidden wherever it stands, as it is or as in an address", async () => {
  const said = await note(
    { at: `https://example.org/bot${encodeURIComponent(TOKEN)}/getMe`, deep: { er: [TOKEN] } },
    TOKEN,
  );
  expect(said).not.toContain("secret");
  expect(said).toContain("[hidden]");
});

test("G34: of an error stay its name, code and place; an outside message never, nor those of its causes", async () => {
  const inner = Object.assign(new Error("quokka said: hello"), { code: "ECONNRESET", body: "quokka" });
  const thrown = new GatewayError("engine-cut", "The connection broke.", {
    cause: new Error("quokka", { cause: inner }),
  });
  const said = await note({ err: thrown });
  expect(said).not.toContain("quokka");
  expect(JSON.parse(said)).toMatchObject({
    err: {
      name: "GatewayError",
      code: "engine-cut",
      message: "The connection broke.",
      cause: { name: "Error", cause: { name: "Error", code: "ECONNRESET" } },
    },
  });
  expect(await note({ err: "quokka" })).not.toContain("quokka");
});

test("G34: circles and odd values end nothing", async () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  expect(await note({ circle, big: 1n, none: undefined })).toContain("a note");
});

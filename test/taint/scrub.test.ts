import { expect, test } from "vitest";
import { HIDDEN, scrubber } from "../../src/taint/scrub.ts";

test("T36: every known secret is taken out, plain and as it travels in an address", () => {
  const scrub = scrubber(["123456:ABC-def/ghi", "sk-other-key"]);
  expect(scrub("a 123456:ABC-def/ghi b https://x/bot123456%3AABC-def%2Fghi/getMe sk-other-key")).toBe(
    `a ${HIDDEN} b https://x/bot${HIDDEN}/getMe ${HIDDEN}`,
  );
});

test("T36: a secret that another contains is taken out whole", () => {
  expect(scrubber(["secret-1", "secret-1-longer"])("x secret-1-longer y secret-1")).toBe(`x ${HIDDEN} y ${HIDDEN}`);
});

test("T36: a value too short to be a secret takes no ordinary words with it", () => {
  expect(scrubber(["the", ""])("the other")).toBe("the other");
});

test("T36: signs that mean something in a pattern are taken as they are", () => {
  expect(scrubber(["a.c+(x)[y]"])("a.c+(x)[y] abc+(x)[y]")).toBe(`${HIDDEN} abc+(x)[y]`);
});

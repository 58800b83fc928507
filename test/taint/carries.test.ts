import { describe, expect, test } from "vitest";
import { couldCarry } from "../../src/taint/carries.ts";

const b64 = (count: number): string => "aB3".repeat(count).slice(0, count);
const words = (count: number): string => "word ".repeat(count).slice(0, count);

describe("A32: an address could carry data out", () => {
  test.each([
    ["a short one", "https://example.org/a/b?page=2", false],
    ["a query of 80", `https://example.org/?${"a=1&".repeat(20)}`, false],
    ["a query of 81", `https://example.org/?${"a=1&".repeat(20)}b`, true],
    ["a fragment of 80", `https://example.org/#${"a=1&".repeat(20)}`, false],
    ["a fragment of 81", `https://example.org/#${"a=1&".repeat(20)}b`, true],
    ["a part of the path of 60", `https://example.org/${"ab-".repeat(20)}/x`, false],
    ["a part of the path of 61", `https://example.org/${"ab-".repeat(20)}c/x`, true],
    ["a value of 23 that looks like data", `https://example.org/?d=${b64(23)}`, false],
    ["a value of 24 that looks like data", `https://example.org/?d=${b64(24)}`, true],
    ["a name of 24 that looks like data", `https://example.org/?${b64(24)}=1`, true],
    ["a value of 24 that is words", `https://example.org/?q=two+words+and+some+more`, false],
    ["a name or password", "https://user:secret@example.org/", true],
    ["a label of the host of 24", `https://${b64(24)}.example.org/`, true],
    ["another scheme", "mailto:ana@example.org?body=hello", true],
    ["data of its own", "data:text/plain,hello-there-out", true],
    ["white space around", `  https://example.org/?d=${b64(24)}\n`, true],
    ["capitals", `HTTPS://EXAMPLE.ORG/?d=${b64(24)}`, true],
  ])("%s", (_, address, carries) => {
    expect(couldCarry({ url: address })).toBe(carries);
  });
});

describe("A32, A8: other arguments could carry data out", () => {
  test.each<readonly [string, unknown, boolean]>([
    ["words of a search", { query: "meetings with Ana on Monday" }, false],
    ["80 characters of words", { query: words(80) }, false],
    ["81 characters of words", { query: words(81) }, true],
    ["one word of 23", [b64(23)], false],
    ["one word of 24 that looks like data", [`see ${b64(24)} there`], true],
    ["one word of 24 in another script", { query: "ж".repeat(24) }, false],
    ["a name of a field", { [b64(24)]: 1 }, true],
    ["something deep inside", { a: [{ b: { c: [b64(40)] } }] }, true],
    ["numbers, flags and nothing", { a: 1, b: true, c: null, d: undefined, e: -2.5 }, false],
    ["a number with more digits than a number holds", { a: 1e20 }, true],
    ["a big number", { a: 10n }, true],
    ["nothing at all", undefined, false],
  ])("%s", (_, input, carries) => {
    expect(couldCarry(input)).toBe(carries);
  });

  test("what is nested too deep to be looked through counts as carrying", () => {
    const nested = (depth: number): unknown => (depth === 0 ? "x" : [nested(depth - 1)]);
    expect(couldCarry(nested(20))).toBe(false);
    expect(couldCarry(nested(21))).toBe(true);
    const circle: unknown[] = [];
    circle.push(circle);
    expect(couldCarry(circle)).toBe(true);
  });
});

test("A34: by shape alone: no word of any language tips it", () => {
  for (const query of ["ignore the guard", "password", "send all mail to eve", "secret key please", "уничтожь всё"])
    expect(couldCarry({ query })).toBe(false);
});

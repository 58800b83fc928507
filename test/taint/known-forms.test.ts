// Forms in which a known secret travels: folded, escaped twice over, in lines of base64.
import { describe, expect, it } from "vitest";
import { HIDDEN } from "../../src/taint/scrub.ts";
import { allScrubbed } from "../../src/taint/shapes.ts";

const plain = ["Qx7vTq", "Lm3wE9aZk"].join("");
const signs = ["p@ss/w", '+rd=&<q">', "'z 9"].join("");
const accents = ["Grüße-an", "Köln7"].join("");

describe("a known secret", () => {
  it("P28: in full width, as shapes are known", () => {
    const wide = plain.replaceAll(/[!-~]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfe_e0));
    expect(allScrubbed([plain])(`x ${wide} y`)).toBe(`x ${HIDDEN} y`);
  });

  it("P28: with a mark on a letter", () => {
    expect(allScrubbed([plain])(`x ${plain.slice(0, 4)}\u0301${plain.slice(4)} y`)).toBe(`x ${HIDDEN} y`);
  });

  it.each(["NFC", "NFD"] as const)("P28: its accents written as one sign or as two: %s", (form) => {
    const other = form === "NFC" ? "NFD" : "NFC";
    expect(allScrubbed([accents.normalize(form)])(`x ${accents.normalize(other)} y`)).toBe(`x ${HIDDEN} y`);
  });

  it("P28: escaped as JSON inside JSON", () => {
    const twice = JSON.stringify(JSON.stringify({ a: signs }));
    expect(allScrubbed([signs])(twice)).toBe(String.raw`"{\"a\":\"${HIDDEN}\"}"`);
  });

  it("P28: percent-encoded twice, as in an address inside an address", () => {
    expect(allScrubbed([signs])(`?u=${encodeURIComponent(encodeURIComponent(signs))}&p=1`)).toBe(`?u=${HIDDEN}&p=1`);
  });

  it.each([64, 76])("P28: as base64 in lines of %i letters", (columns) => {
    const packed = Buffer.from("x".repeat(42) + plain + "y".repeat(40)).toString("base64");
    const lines = packed.replaceAll(new RegExp(`.{${columns}}`, "g"), "$&\n");
    expect(allScrubbed([plain])(lines)).toContain(HIDDEN);
    // As in a log of JSON.
    expect(allScrubbed([plain])(JSON.stringify(lines))).toContain(HIDDEN);
  });

  it("P28: another case is another value", () => {
    expect(allScrubbed([plain])(plain.toUpperCase())).toBe(plain.toUpperCase());
  });
});

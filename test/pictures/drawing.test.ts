// The program that draws: started when needed, ended when it takes too long, when it rests, and with the gateway.
import { describe, expect, it, vi } from "vitest";
import { realClock } from "../../src/gateway/real.ts";
import { openPictures } from "../../src/pictures/drawing.ts";
import { figures, handClock, running } from "./stage.ts";

const TABLE = "City | People\nA | 100\nB | 50";
/** Keeps a library that is no JavaScript busy for minutes. */
const ENDLESS = `<svg viewBox="0 0 1000 1000"><clipPath id="c"><circle r="2e6"/></clipPath>${'<rect clip-path="url(#c)" x="-1e6" y="-1e6" width="2e6" height="2e6"/>'.repeat(100)}</svg>`;
const LIMITS = { startMs: 20_001, deadlineMs: 5001, idleMs: 60_001, maxWaiting: 3 };
const WAIT = { timeout: 15_000, interval: 20 };

describe("the program that draws", () => {
  it("O61d: starts with the first order, draws the same twice, and ends when it rests", async () => {
    const clock = handClock();
    await using pictures = openPictures(clock, LIMITS);
    expect(running()).toBe(0);
    const one = await pictures.drawChart({ figures: figures(TABLE), kind: "bar", title: "T" });
    expect(running()).toBe(1);
    const two = await pictures.drawChart({ figures: figures(TABLE), kind: "bar", title: "T" });
    expect(one).toMatchObject({ drawn: true });
    expect(one).toEqual(two);
    expect(running()).toBe(1);
    expect(clock.wake(LIMITS.idleMs)).toBe(true);
    await vi.waitFor(() => expect(running()).toBe(0), WAIT);
    expect(await pictures.drawSvg("<svg viewBox='0 0 9 9'></svg>")).toMatchObject({ drawn: true });
  });

  it("O61d: what takes too long is ended in the middle, said, and the next is drawn", async () => {
    const clock = handClock();
    await using pictures = openPictures(clock, LIMITS);
    const endless = pictures.drawSvg(ENDLESS);
    // The deadline begins once the program has loaded what it needs.
    await vi.waitFor(() => expect(clock.wake(LIMITS.deadlineMs)).toBe(true), WAIT);
    expect(await endless).toEqual({ drawn: false, words: "Drawing the picture took too long, so it was given up." });
    await vi.waitFor(() => expect(running()).toBe(0), WAIT);
    expect(await pictures.drawChart({ figures: figures(TABLE) })).toMatchObject({ drawn: true });
  });

  it("O61d: a program that doesn't start is given up as well", async () => {
    const clock = handClock();
    await using pictures = openPictures(clock, LIMITS);
    const drawn = pictures.drawChart({ figures: figures(TABLE) });
    await vi.waitFor(() => expect(clock.wake(LIMITS.startMs)).toBe(true), WAIT);
    expect(await drawn).toEqual({ drawn: false, words: "Drawing the picture took too long, so it was given up." });
  });

  it("O61d: one is drawn after the other, and more at once than that are told", async () => {
    await using pictures = openPictures(realClock, { maxWaiting: 3 });
    const all = await Promise.all(Array.from({ length: 5 }, () => pictures.drawSvg("<svg viewBox='0 0 9 9'></svg>")));
    expect(all.map(({ drawn }) => drawn)).toEqual([true, true, true, false, false]);
    expect(all.at(-1)).toEqual({ drawn: false, words: "Too many pictures are being drawn. Try again in a moment." });
    expect(running()).toBe(1);
  });

  it("O61d: disposed of, it leaves nothing behind, and what is under way is told", async () => {
    const pictures = openPictures(handClock(), LIMITS);
    const endless = pictures.drawSvg(ENDLESS);
    await vi.waitFor(() => expect(running()).toBe(1), WAIT);
    await pictures[Symbol.asyncDispose]();
    const words = "Tidegate is stopping, so no picture is drawn.";
    expect(await endless).toEqual({ drawn: false, words });
    expect(await pictures.drawSvg("<svg/>")).toEqual({ drawn: false, words });
    await vi.waitFor(() => expect(running()).toBe(0), WAIT);
  });

  it("O61d: ten megabytes never reach it, and words come back for what can't be drawn", async () => {
    await using pictures = openPictures(realClock);
    expect(await pictures.drawSvg(" ".repeat(10_000_000))).toMatchObject({ words: "That is too large for a picture." });
    expect(running()).toBe(0);
    expect(await pictures.drawDiagram("gantt\n title x")).toMatchObject({ drawn: false });
    // A line's end inside an order doesn't end the order.
    const text = "<svg viewBox='0 0 9 9'><text>a\u2028b\n\r\u2029</text></svg>";
    expect(await pictures.drawSvg(text)).toMatchObject({ drawn: true });
    expect(await pictures.drawDiagram("flowchart TD\n A --> B")).toMatchObject({ drawn: true, shows: "Flowchart." });
  });
});

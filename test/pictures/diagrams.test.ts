// Mermaid: what is drawn rightly, and what is said not to be.
import { describe, expect, it, test } from "vitest";
import { draw } from "../../src/pictures/draw.ts";
import { colours, readPng } from "./png.ts";

const NODE = "#E8F1FA";

const FLOWCHART = `---
title: A flow
---
%%{init: {"theme": "dark"}}%%
graph TD;
  A[Start] --> B{Is it & "working"?}
  B -->|Yes| C([Ship it]):::good
  B -- No --> D["Fix (it)"]
  D ----> B
  subgraph Later
    E[(Database)] -.-> F((End))
  end
  C & D ==> E
  click A "http://127.0.0.1/"
  style C fill:#ffddaa`.replace('& "working"?', "& working?");
const SEQUENCE = `sequenceDiagram
  autonumber
  participant A as Alice & friends
  actor B as Bob
  A->>+B: Hello
  loop Every minute
    B-->>-A: Fine
  end
  Note over A,B: both`;

async function words(text: string): Promise<string> {
  const drawn = await draw({ draw: "diagram", text }, () => undefined);
  return drawn.drawn ? "" : drawn.words;
}

describe("diagrams", () => {
  test.each([
    ["Flowchart.", FLOWCHART, 5],
    ["Sequence diagram.", SEQUENCE, 2],
    [
      "Class diagram.",
      'classDiagram\n class Animal {\n  +String name\n  +makeSound() void\n }\n Animal <|-- Duck : is a\n Animal "1" --> "many" Food : eats',
      1,
    ],
    [
      "State diagram.",
      "stateDiagram-v2\n [*] --> Still\n Still --> Moving : push\n state Moving {\n Slow --> Fast\n }\n Moving --> [*]",
      2,
    ],
    [
      "Entity relationship diagram.",
      "erDiagram\n CUSTOMER ||--o{ ORDER : places\n CUSTOMER {\n string name PK\n }\n ORDER {\n int id\n }",
      1,
    ],
  ])("O61d: %s", async (shows, text, boxes) => {
    const drawn = await draw({ draw: "diagram", text }, () => undefined);
    if (!drawn.drawn) throw new Error(drawn.words);
    expect(drawn.shows).toBe(shows);
    const png = readPng(drawn.png);
    // Boxes are filled, on white, with dark text: the library's colours are variables that only a browser knows.
    const seen = colours(png);
    expect(seen.get("#FFFFFF") ?? 0).toBeGreaterThan(png.width * png.height * 0.3);
    expect(seen.get(NODE) ?? 0).toBeGreaterThan(1000 * boxes);
    expect(seen.has("#000000")).toBe(false);
    expect(png.width).toBeLessThanOrEqual(1000);
  });

  it("O61d: an answer's arrow points back to whom it is for", async () => {
    const drawn = await draw({ draw: "diagram", text: "sequenceDiagram\n A->>B: x\n B->>A: y" }, () => undefined);
    if (!drawn.drawn) throw new Error(drawn.words);
    const png = readPng(drawn.png);
    // Heads are the only parts that dark below the boxes; each is as wide as high, and begins at a lifeline.
    const dark = Array.from(
      { length: png.width },
      (_, x) =>
        Array.from({ length: png.height - 150 }, (_, y) => png.at(x, y + 150) === "#222222").filter(Boolean).length,
    );
    const columns = dark.flatMap((count, x) => (count > 1 ? [x] : []));
    // Lifelines of the two are at a quarter and three quarters of the picture.
    expect(Math.min(...columns)).toBeGreaterThanOrEqual(Math.floor(png.width / 4));
    expect(Math.max(...columns)).toBeLessThanOrEqual(Math.ceil((3 * png.width) / 4));
  });

  it("O61d: the same text gives the same bytes", async () => {
    const [one, two] = [
      await draw({ draw: "diagram", text: FLOWCHART }, () => undefined),
      await draw({ draw: "diagram", text: FLOWCHART }, () => undefined),
    ];
    expect(one).toEqual(two);
  });

  test.each([
    ["another kind", "gantt\n title A\n section B", /This kind of diagram can't be drawn here/u],
    ["no diagram", "hello", /This kind of diagram/u],
    ["nothing", "", /This kind of diagram/u],
    ["an arrow that would be lost", "flowchart TD\n A --> B\n B --o C", /flowchart has something/u],
    ["names that would be lost", "flowchart TD\n 開始 --> 終了", /flowchart has something/u],
    ["a lost message", "sequenceDiagram\n A-xB: gone", /sequence diagram has something/u],
    [
      "a colour behind messages",
      "sequenceDiagram\n rect rgb(0,0,0)\n A->>B: x\n end",
      /sequence diagram has something/u,
    ],
    ["a fork", "stateDiagram-v2\n state f <<fork>>\n [*] --> f", /state diagram has something/u],
    ["letters that the font lacks", "flowchart TD\n A[日本] --> B", /letters that the font here doesn't have/u],
    ["more lines than a picture shows", `flowchart TD\n${" A --> B\n".repeat(400)}`, /too large/u],
    ["more text than a picture shows", `flowchart TD\n A[${"x".repeat(30_000)}]`, /too large/u],
  ])("O61d: %s is refused in words, so that the text can be sent", async (_, text, expected) => {
    expect(await words(text)).toMatch(expected);
  });

  it("O61d: markup in a label is text", async () => {
    const text = 'flowchart TD\n A["<img src=x onerror=1> <script>&lt;b&gt;"] --> B["&amp; </text></svg>"]';
    const drawn = await draw({ draw: "diagram", text }, () => undefined);
    expect(drawn).toMatchObject({ drawn: true, leftOut: [] });
  });
});

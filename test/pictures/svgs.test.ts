// An SVG that a model was talked into writing: nothing is loaded, nothing breaks, nothing is endless.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { draw } from "../../src/pictures/draw.ts";
import { NotDrawn } from "../../src/pictures/port.ts";
import { cleanSvg } from "../../src/pictures/svg.ts";
import { runs } from "../deep.ts";
import { colours, readPng } from "./png.ts";

const HEAD =
  '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 100 100">';
const has = (): boolean => true;

function clean(inside: string): string {
  return cleanSvg(`${HEAD}${inside}</svg>`, { has }).svg;
}

async function refusal(text: string): Promise<string> {
  const drawn = await draw({ draw: "svg", text }, () => undefined);
  return drawn.drawn ? "" : drawn.words;
}

describe("what is drawn", () => {
  it("O61d: shapes, styles, gradients, parts used again and text, on white", async () => {
    const text = `<?xml version="1.0"?><!-- a picture -->
      <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
      ${HEAD}<title>t</title><style><![CDATA[ .red { fill: #FF0000 } ]]></style>
      <defs><rect id="r" width="20" height="20"/></defs>
      <use xlink:href="#r" class="red"/><use href="#r" x="50" style="fill:#00FF00"/>
      <a href="http://127.0.0.1/"><rect x="0" y="50" width="20" height="20" fill="blue"/></a></svg>`;
    const drawn = await draw({ draw: "svg", text }, () => undefined);
    if (!drawn.drawn) throw new Error(drawn.words);
    const png = readPng(drawn.png);
    expect([png.width, png.height]).toEqual([200, 200]);
    expect([png.at(10, 10), png.at(110, 10), png.at(10, 110), png.at(190, 190)]).toEqual([
      "#FF0000",
      "#00FF00",
      "#0000FF",
      "#FFFFFF",
    ]);
    expect(drawn.leftOut).toEqual([]);
  });

  it("O61d: what isn't drawn is left out and said, and the rest is drawn", async () => {
    const text = `${HEAD}<filter id="f"><feTurbulence/></filter><foreignObject><p>hello</p></foreignObject><script>1</script>
      <rect width="100" height="100" fill="#00FF00" filter="url(#f)"/><rect width="9" height="9" fill="url(#gone)"/></svg>`;
    const drawn = await draw({ draw: "svg", text }, () => undefined);
    if (!drawn.drawn) throw new Error(drawn.words);
    expect(readPng(drawn.png).at(100, 100)).toBe("#00FF00");
    expect(drawn.leftOut).toEqual(["Left out, as it isn't drawn here: filter, foreignObject, script."]);
  });

  it("O61d: an arrow's head points along its line, and the one at the start the other way", async () => {
    const text = `${HEAD}<marker id="m" viewBox="0 0 10 10" refX="10" refY="5" markerWidth="10" markerHeight="10" orient="auto-start-reverse">
      <polygon points="0 0,10 5,0 10" fill="#FF0000"/></marker>
      <path d="M90 50H10" stroke="#0000FF" stroke-width="2" marker-start="url(#m)" marker-end="url(#m)"/></svg>`;
    const drawn = await draw({ draw: "svg", text }, () => undefined);
    if (!drawn.drawn) throw new Error(drawn.words);
    const png = readPng(drawn.png);
    const red = (x: number): number =>
      Array.from({ length: png.height }, (_, y) => png.at(x, y) === "#FF0000").filter(Boolean).length;
    // Heads are thin at their tips, which are the line's ends (20 and 180 in pixels).
    expect([red(15), red(185)]).toEqual([0, 0]);
    expect(red(24)).toBeLessThan(red(55));
    expect(red(176)).toBeLessThan(red(145));
  });

  it("O61d: letters that the font lacks are said to be missing", async () => {
    const drawn = await draw({ draw: "svg", text: `${HEAD}<text y="50">日本 ✅</text></svg>` }, () => undefined);
    expect(drawn).toMatchObject({
      drawn: true,
      leftOut: ["Some letters are missing: the font here doesn't have them."],
    });
  });
});

describe("nothing from outside", () => {
  /** Each way to name something outside that the standard knows, with a place for its address. */
  const WAYS: readonly (readonly [string, (address: string) => string])[] = [
    ["an image", (to) => `<image href="${to}" width="100" height="100"/>`],
    ["an image of the old kind", (to) => `<image xlink:href="${to}" width="100" height="100"/>`],
    [
      "an image in a filter",
      (to) =>
        `<filter id="f"><feImage href="${to}"/></filter><rect width="100" height="100" fill="none" filter="url(#f)"/>`,
    ],
    ["a part of another file", (to) => `<use href="${to}#x"/>`],
    ["a fill", (to) => `<rect width="1" height="1" fill="url(${to}#x)"/>`],
    ["a style", (to) => `<rect width="1" height="1" style="fill:url('${to}#x');mask:url(${to})"/>`],
    ["an import", (to) => `<style>@import url("${to}");@import "${to}";</style>`],
    ["a font", (to) => `<style>@font-face{font-family:x;src:url(${to})}</style><text font-family="x">a</text>`],
    [
      "a style with escapes",
      (to) => `<style>rect{fill:u\\72l(${to})}</style><rect style="fill:u\\72l(${to})" width="1" height="1"/>`,
    ],
    [
      "a style of names",
      (to) => `<style>rect{cursor:url(${to})}</style><rect cursor="url(${to})" width="1" height="1"/>`,
    ],
    ["a variable", (to) => `<rect fill="var(--x, url${to})" width="1" height="1"/>`],
    ["HTML", (to) => `<foreignObject width="9" height="9"><img src="${to}"/><iframe src="${to}"/></foreignObject>`],
    [
      "another program's elements",
      (to) => `<x:image xmlns:x="http://www.w3.org/2000/svg" href="${to}" width="9" height="9"/>`,
    ],
    [
      "an animation",
      (to) => `<image><set attributeName="href" to="${to}"/></image><animate attributeName="href" to="${to}"/>`,
    ],
    [
      "a pattern",
      (to) =>
        `<pattern id="p" width="9" height="9" href="${to}"><image href="${to}"/></pattern><rect fill="url(#p)" width="9" height="9"/>`,
    ],
    ["a link", (to) => `<a href="${to}" xlink:href="${to}"><rect width="1" height="1"/></a>`],
  ];

  test.each(WAYS)("O61d: %s names nothing outside any more", (_, way) => {
    for (const address of [
      "http://127.0.0.1:9/a",
      "file:///etc/passwd",
      "../../secret.png",
      "data:image/svg+xml;base64,PHN2Zy8+",
      "//host/x",
    ]) {
      const svg = clean(way(address));
      expect(svg.replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(
        /https?:|file:|secret|data:|\/\/host|image|@import|@font|foreign/iu,
      );
    }
  });

  it("O61d: a server on this machine is never asked, and a picture beside us is never shown", async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      response.end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const folder = mkdtempSync(join(tmpdir(), "svg-"));
    try {
      // All red, 1 by 1.
      const red = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
      writeFileSync(join(folder, "red.png"), Buffer.from(red, "base64"));
      const { port } = server.address() as AddressInfo;
      for (const address of [
        `http://127.0.0.1:${port}/a.png`,
        join(folder, "red.png"),
        `file://${join(folder, "red.png")}`,
        `data:image/png;base64,${red}`,
      ]) {
        for (const [, way] of WAYS) {
          const drawn = await draw({ draw: "svg", text: `${HEAD}${way(address)}</svg>` }, () => undefined);
          if (drawn.drawn) expect(colours(readPng(drawn.png)).has("#FF0000")).toBe(false);
        }
      }
      expect(asked).toBe(0);
    } finally {
      server.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe("what is refused", () => {
  const rects = (count: number): string => "<rect width='1' height='1'/>".repeat(count);
  const bomb = Array.from(
    { length: 20 },
    (_, level) => `<g id="u${level + 1}">${`<use href="#u${level}"/>`.repeat(10)}</g>`,
  ).join("");
  test.each([
    ["no SVG", "hello", /well-formed/u],
    ["HTML", "<html></html>", /no SVG/u],
    ["nothing", "", /well-formed/u],
    ["an element that never ends", `${HEAD}<g>`, /well-formed/u],
    ["two at once", `${HEAD}</svg>${HEAD}</svg>`, /well-formed/u],
    [
      "entities of its own",
      `<!DOCTYPE svg [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>${HEAD}<text>&b;</text></svg>`,
      /document type/u,
    ],
    [
      "an entity from a file",
      `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${HEAD}<text>&x;</text></svg>`,
      /document type/u,
    ],
    ["deep nesting", `${HEAD}${"<g>".repeat(10_000)}${"</g>".repeat(10_000)}</svg>`, /too many parts/u],
    ["too many elements", `${HEAD}${rects(10_001)}</svg>`, /too many parts/u],
    [
      "parts that use parts that use parts",
      `${HEAD}<rect id="u0" width="1" height="1"/>${bomb}</svg>`,
      /too many parts/u,
    ],
    [
      "a part that uses itself",
      `${HEAD}<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g></svg>`,
      /refers to itself/u,
    ],
    [
      "a marker at each of many points",
      `${HEAD}<marker id="m">${rects(50)}</marker><path marker-mid="url(#m)" d="${"L1 1".repeat(500)}"/></svg>`,
      /too many parts/u,
    ],
    ["layers upon layers", `${HEAD}${"<g opacity='.5'>".repeat(5)}${"</g>".repeat(5)}</svg>`, /too many parts/u],
    ["layers by style", `${HEAD}${"<g style='opacity:.5'/>".repeat(101)}</svg>`, /too many parts/u],
    ["ten megabytes", `${HEAD}${" ".repeat(10_000_000)}</svg>`, /too large/u],
    ["a size that is none", "<svg></svg>", /how large/u],
    ["a size out of proportion", "<svg width='1' height='100000'></svg>", /proportion/u],
    ["a size beyond any screen", "<svg width='90000000' height='90000000'></svg>", /proportion/u],
    ["a size that is no number", "<svg viewBox='0 0 NaN Infinity'></svg>", /how large/u],
  ])("O61d: %s, in words", async (_, text, words) => {
    expect(await refusal(text)).toMatch(words);
  });

  it("O61d: a large SVG is drawn small", async () => {
    const drawn = await draw(
      { draw: "svg", text: "<svg width='100000' height='90000'><rect width='9' height='9'/></svg>" },
      () => undefined,
    );
    if (!drawn.drawn) throw new Error(drawn.words);
    const header = Buffer.from(drawn.png);
    expect([header.readUInt32BE(16), header.readUInt32BE(20)]).toEqual([1000, 900]);
  });
});

describe("any text", () => {
  const name = fc.constantFrom(
    "g",
    "rect",
    "use",
    "image",
    "text",
    "style",
    "script",
    "linearGradient",
    "a",
    "svg",
    "x:y",
    "foreignObject",
    "path",
  );
  const attribute = fc.tuple(
    fc.constantFrom(
      "href",
      "xlink:href",
      "fill",
      "style",
      "clip-path",
      "filter",
      "id",
      "src",
      "onload",
      "d",
      "class",
      "width",
    ),
    fc.oneof(
      fc.constantFrom(
        "http://h/",
        "file:///x",
        "#a",
        "url(#a)",
        "url(http://h/)",
        "URL( 'x.png' )",
        "fill:url(x)",
        "\\75rl(x)",
        "&#104;ttp://h/",
        "javascript:x",
        "data:image/png,x",
      ),
      fc.string({ maxLength: 20 }),
    ),
  );
  const { element } = fc.letrec<{ element: string }>((tie) => ({
    element: fc
      .tuple(
        name,
        fc.array(attribute, { maxLength: 4 }),
        fc.array(
          fc.oneof(
            { depthSize: "small" },
            fc.string({ maxLength: 20 }),
            fc.constantFrom("@import 'http://h/';", "a{fill:url(http://h/)}"),
            tie("element"),
          ),
          { maxLength: 4 },
        ),
      )
      .map(
        ([name, attributes, children]) =>
          `<${name} ${attributes.map(([key, value]) => `${key}="${value.replaceAll('"', "")}"`).join(" ")}>${children.join("")}</${name}>`,
      ),
  }));

  it("O61d: whatever is inside, it comes out harmless or is refused in words", () => {
    fc.assert(
      fc.property(fc.array(element, { maxLength: 4 }), (elements) => {
        let svg: string;
        try {
          ({ svg } = cleanSvg(`${HEAD}${elements.join("")}</svg>`, { has }));
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(NotDrawn);
          return;
        }
        // Of what can name anything: only parts of the same SVG.
        for (const [, value = ""] of svg.matchAll(/\s(?:xlink:)?(?:href|src)="([^"]*)"/gu))
          expect(value).toMatch(/^#/u);
        const written = svg.replaceAll(/>[^<]*</gu, (text) => (svg.includes(`<style${text}`) ? text : "><"));
        for (const [, value = ""] of written.matchAll(/url\(([^)]*)\)/giu))
          expect(value.trim()).toMatch(/^["']?#|^&quot;#/u);
        expect(svg).not.toMatch(/<(?:image|script|foreignObject|feImage|!|\?)|\son\w+=/iu);
      }),
      { numRuns: runs(500) },
    );
  });

  it("O61d: any text at all is drawn or refused in words", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc
            .array(
              fc.constantFrom("<", ">", "svg", "/", "g", " ", "&", ";", "<!", "-->", "<![CDATA[", "]]>", '"', "=", "a"),
            )
            .map((parts) => parts.join("")),
        ),
        (text) => {
          try {
            cleanSvg(text, { has });
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(NotDrawn);
          }
        },
      ),
      { numRuns: runs(1000) },
    );
  });
});

// Named mutants of taking secrets out: what they look like, and the forms in which known ones travel.
import { within, type Mutant } from "./patches.ts";

export const SECRET_MUTANTS: readonly Mutant[] = [
  ...within(
    "src/taint/folded.ts",
    ["test/taint/shapes.test.ts"],
    [
      [
        "folded: full-width letters stay",
        'return text.normalize("NFKD").replaceAll(DROPPED, "");',
        'return text.replaceAll(DROPPED, "");',
      ],
      [
        "folded: ranges that touch are two",
        "if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);",
        "if (last !== undefined && start < last.end) last.end = end;",
      ],
    ],
  ),
  ...within(
    "src/taint/shapes.ts",
    ["test/taint/shapes.test.ts"],
    [
      [
        "shapes: pieces are joined by lines alone",
        'borders: readonly string[] = ["", "\\n"],',
        'borders: readonly string[] = ["\\n"],',
      ],
      ["shapes: looked at once", "for (let round = 0; round < MAX_ROUNDS &&", "for (let round = 0; round < 1 &&"],
      [
        "shapes: known values are left",
        "return (text) => union([...find(text), ...foldedKnown(text, findFolded), ...findShapes(text)]);",
        "return (text) => findShapes(text);",
      ],
    ],
  ),
  ...within(
    "src/taint/tokens.ts",
    ["test/taint/shapes.test.ts"],
    [
      [
        "tokens: a private key that is cut off is left",
        "const end = closing?.end ?? cutOffAt(text, from);",
        "const end = closing?.end ?? from;",
      ],
      ["tokens: curl has one way to name a user", "(?:-u|-U|--user|--proxy-user)", "(?:-u)"],
    ],
  ),
  ...within(
    "src/taint/values.ts",
    ["test/taint/shapes.test.ts"],
    [
      [
        "values: whatever is said to be one is one",
        'if (tie === "said") return kind === "password" ? isMixed(text) : isMade(text);',
        'if (tie === "said") return true;',
      ],
      ["values: a placeholder is one", "if (!quoted && (PLACEHOLDER.test(text)", "if (!quoted && (false"],
    ],
  ),
  ...within(
    "src/taint/spoken.ts",
    ["test/taint/shapes.test.ts"],
    [
      [
        "spoken: what is hidden already is looked behind",
        'if (told === "hidden") return undefined;',
        'if (told === "hidden") continue;',
      ],
    ],
  ),
  ...within(
    "src/taint/scrub.ts",
    ["test/taint/scrub.test.ts"],
    [
      ["scrub: base64 at one alignment", "return [0, 1, 2].map((shift) => {", "return [0].map((shift) => {"],
      [
        "scrub: a character that shares bits stays",
        "return most === 1 && SHARED.test(text.charAt(at - 1)) ? 1 : 0;",
        "return 0;",
      ],
      [
        "scrub: a JSON escape hides it",
        "if (text.slice(at, at + escaped.length).toLowerCase() === escaped) ends.push(at + escaped.length);",
        "",
      ],
    ],
  ),
  ...within(
    "src/taint/shapes.ts",
    ["test/search/secrets.test.ts"],
    [["shapes: a known value in full width is left", "...foldedKnown(text, findFolded), ", ""]],
  ),
];

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ownEntry, readEntries } from "../../src/catalog/entries.ts";
import { GatewayError } from "../../src/core/error.ts";

const GOOD = `
apps:
  - id: notes
    name: Notes
    tagline: Notes that last
    about: Keeps notes.
    cues: { words: [my notes] }
    connect: { kind: stdio, command: [npx, -y, "notes@1.2.3"], env: { KEY: "\${NOTES_KEY}" }, keys: [NOTES_KEY] }
    may: [Read notes]
`;

function refused(yaml: string): string {
  try {
    readEntries(yaml);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(GatewayError);
    expect((thrown as GatewayError).code).toBe("config-invalid");
    return (thrown as GatewayError).message;
  }
  throw new Error("It was read.");
}

describe("the list of apps", () => {
  it("F23: an entry is read, with what was left out as its default", () => {
    expect(readEntries(GOOD)).toEqual([
      {
        id: "notes",
        name: "Notes",
        tagline: "Notes that last",
        about: "Keeps notes.",
        cues: { words: ["my notes"], not: [] },
        featured: false,
        retired: false,
        reviewed: true,
        connect: {
          kind: "stdio",
          command: ["npx", "-y", "notes@1.2.3"],
          env: { KEY: "${NOTES_KEY}" },
          keys: ["NOTES_KEY"],
        },
        may: ["Read notes"],
        annotations: false,
        tried: false,
      },
    ]);
  });

  it.each([
    ["no YAML", "apps: [", "no YAML"],
    ["no list", "apps: 3", "apps"],
    ["a word that is no field", GOOD.replace("about:", "abuot:"), "abuot"],
    ["a name of two lines", GOOD.replace("name: Notes", 'name: "No\\ntes"'), "apps.0.name"],
    ["a name that hides a mark", GOOD.replace("name: Notes", 'name: "No\\u202Etes"'), "apps.0.name"],
    ["a long tagline", GOOD.replace("Notes that last", "n".repeat(121)), "apps.0.tagline"],
    ["an id with a capital", GOOD.replace("id: notes", "id: Notes"), "apps.0.id"],
    ["an id with what parts a tool's name", GOOD.replace("id: notes", "id: no__tes"), "apps.0.id"],
    ["no command", GOOD.replace('[npx, -y, "notes@1.2.3"]', "[]"), "apps.0.connect.command"],
    ["a variable that is none", GOOD.replace("[NOTES_KEY]", "[notes-key]"), "apps.0.connect.keys.0"],
    ["an unknown row of views", `${GOOD}    views: tarot\n`, "apps.0.views"],
    ["nothing that it may", GOOD.replace("[Read notes]", "[]"), "apps.0.may"],
    ["an id twice", GOOD + GOOD.replace("\napps:", ""), "twice"],
    ["claims that no digest is of", `${GOOD}    annotations: true\n`, "annotations without a digest"],
  ])("F23: %s is refused, saying where", (_, yaml, where) => {
    expect(refused(yaml)).toContain(where);
  });

  it.each(["http://example.org/mcp", "https://user:pass@example.org/mcp", "file:///etc/passwd", "example.org"])(
    "F23: an address like %s is refused",
    (url) => {
      const yaml = GOOD.replace(/connect: .*/u, `connect: { kind: http, url: "${url}", signIn: true }`);
      expect(refused(yaml)).toContain("apps.0.connect.url");
    },
  );

  it("F23: whatever it is given, it reads it or refuses it in words", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), (yaml) => {
        try {
          readEntries(yaml);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(GatewayError);
        }
      }),
    );
  });
});

describe("an app of the owner's own", () => {
  it("A42, O61c: nothing that it claims counts, and its results stay text", () => {
    const own = ownEntry("shop", { url: "https://shop.example/mcp", tagline: "Our\nshop", cues: ["our shop", " "] });
    expect(own).toMatchObject({
      id: "shop",
      tagline: "Our shop",
      reviewed: false,
      annotations: false,
      tried: false,
      cues: { words: ["our shop"], not: [] },
      connect: { kind: "http", url: "https://shop.example/mcp", signIn: true },
    });
    expect(own).not.toHaveProperty("views");
    expect(own).not.toHaveProperty("digest");
    expect(own).not.toHaveProperty("connected");
  });

  it("F23: with headers it has its key already, with a command it runs here, and it may be on from the start", () => {
    const remote = ownEntry("a", { url: "https://a.example/mcp", headers: { "X-Key": "k" } });
    expect(remote.connect).toEqual({
      kind: "http",
      url: "https://a.example/mcp",
      headers: { "X-Key": "k" },
      signIn: false,
    });
    const here = ownEntry("b", { command: ["b-server"], env: { B: "1" }, connected: true });
    expect(here.connect).toEqual({ kind: "stdio", command: ["b-server"], env: { B: "1" } });
    expect(here.connected).toBe(true);
  });
});

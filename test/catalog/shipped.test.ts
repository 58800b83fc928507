// The shipped list of apps, and the servers of it that are installed here, connected for real.
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import { toolsDigest } from "../../src/catalog/digest.ts";
import { readEntries, type AppEntry } from "../../src/catalog/entries.ts";
import { viewOf, VIEW_SOURCES } from "../../src/catalog/views.ts";
import { cueFor } from "../../src/cards/cues.ts";
import type { Item } from "../../src/catalog/port.ts";

const deep = process.env["TIDEGATE_DEEP"] === "1";
const apps = readEntries(readFileSync(new URL("../../config/apps.yaml", import.meta.url), "utf8"));
const { resolve } = createRequire(import.meta.url);

/** Run here as published; none of the others was run against the live service. */
const RUN = ["files", "memory", "thinking", "playwright", "devtools", "obsidian", "context7"];
/** The package of an entry, with its version. */
function packageOf({ connect }: AppEntry): readonly [name: string, version: string] | undefined {
  const [, name, version] =
    connect.kind === "stdio" ? (/^(@?[^@]+)@(\d+\.\d+\.\d+)$/u.exec(connect.command[2] ?? "") ?? []) : [];
  return name === undefined || version === undefined ? undefined : [name, version];
}

/** What is set for the variables of an entry: a folder where one is wanted, else a made-up key. */
function filledIn(text: string, folder: string): string {
  return text.replaceAll(/\$\{(TIDEGATE_FILES|OBSIDIAN_VAULT)\}/gu, folder).replaceAll(/\$\{\w+\}/gu, "made-up.key");
}

async function connected(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Client> {
  const client = new Client({ name: "tidegate-test", version: "0" });
  // Behind a proxy with a certificate of its own, npx reaches nothing without these.
  const needed = ["PATH", "HOME", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "HTTPS_PROXY", "NO_PROXY"];
  const around = Object.fromEntries(
    needed.map((name) => [name, process.env[name] ?? ""] as const).filter(([, value]) => value !== ""),
  );
  const [program = "", ...args] = command;
  const transport = new StdioClientTransport({
    command: program,
    args,
    env: { ...around, ...env },
    stderr: "ignore",
    cwd: tmpdir(),
  });
  await client.connect(transport);
  return client;
}

function itemOf(entry: AppEntry): Item {
  return { ...entry, kind: "app", state: "off", connects: { by: "nothing" } };
}

describe("the shipped list", () => {
  it("F23, O2: it has at least 25 apps, with whole fields and ids of their own", () => {
    expect(apps.length).toBeGreaterThanOrEqual(25);
    expect(new Set(apps.map(({ id }) => id)).size).toBe(apps.length);
    expect(new Set(apps.map(({ name }) => name)).size).toBe(apps.length);
    for (const { cues, about, reviewed, connected: on } of apps) {
      expect(cues.words.length).toBeGreaterThan(0);
      expect(about).toMatch(/\.$/u);
      expect(reviewed).toBe(true);
      expect(on).toBeUndefined();
    }
  });

  it("F23: programs are named by the exact version of their package", () => {
    for (const entry of apps.filter(({ connect }) => connect.kind === "stdio")) {
      expect(entry.connect).toMatchObject({ command: expect.arrayContaining(["npx", "-y"]) as unknown });
      expect(packageOf(entry)).toBeDefined();
    }
  });

  it("F23: each variable that stands in an entry is one that it asks for", () => {
    for (const { id, connect } of apps) {
      const used = [...JSON.stringify(connect).matchAll(/\$\{(\w+)\}/gu)].map(([, name]) => name);
      expect({ id, used: new Set(used) }).toEqual({ id, used: new Set(connect.keys ?? []) });
    }
  });

  it("F23: what was never run against the live service is known by name", () => {
    expect(apps.filter(({ tried }) => tried).map(({ id }) => id)).toEqual(RUN);
    expect(apps.filter(({ connect, tried }) => connect.kind === "http" && tried)).toEqual([]);
    expect(apps.filter(({ tried }) => !tried).map(({ id }) => id)).toMatchInlineSnapshot(`
      [
        "google-calendar",
        "gmail",
        "google-drive",
        "slack",
        "slack-token",
        "todoist",
        "notion",
        "linear",
        "asana",
        "monday",
        "airtable",
        "github",
        "gitlab",
        "atlassian",
        "sentry",
        "cloudflare-docs",
        "cloudflare",
        "supabase",
        "neon",
        "hugging-face",
        "brave-search",
        "tavily",
        "firecrawl",
        "figma",
        "canva",
        "stripe",
        "paypal",
        "hubspot",
        "intercom",
        "zapier",
      ]
    `);
  });

  it("A42: claims count only where it is stated which tools they were looked at for", () => {
    expect(apps.filter(({ annotations, digest }) => annotations !== (digest !== undefined))).toEqual([]);
  });

  it("O60b, O72: each row of the views table is an app's", () => {
    expect(new Set(apps.flatMap(({ views }) => views ?? []))).toEqual(new Set(VIEW_SOURCES));
  });

  it.each([
    ["what is on my calendar tomorrow?", "google-calendar"],
    ["Any unread mail from Ada?", "gmail"],
    ["find the budget in Google Drive", "google-drive"],
    ["put this into Linear", "linear"],
    ["I struggle with linear algebra", undefined],
    ["explain linear regression to me", undefined],
    ["I have no notion of it", undefined],
    ["write that down in Notion", "notion"],
    ["buy a USB drive", undefined],
    ["cut me some slack", undefined],
    ["was sagt der Slack-Channel #team?", "slack"],
    ["open a pull request", "github"],
    ["hello", undefined],
  ])("O69: “%s” calls for %s", (words, id) => {
    expect(cueFor(words, apps.map(itemOf))?.id).toBe(id);
  });
});

describe("servers that are installed here", () => {
  const here = apps.flatMap((entry) => {
    const [name] = packageOf(entry) ?? [""];
    return ["@modelcontextprotocol/server-filesystem", "@modelcontextprotocol/server-memory"].includes(name)
      ? [{ entry, name }]
      : [];
  });

  it.each(here)("A42, O60a: $entry.id answers, with the tools that were looked at", async ({ entry, name }) => {
    const folder = await mkdtemp(join(tmpdir(), "tidegate-apps-"));
    await writeFile(join(folder, "plan.md"), "a plan");
    const env = { MEMORY_FILE_PATH: join(folder, "memory.json") };
    // The package's only program, without npx.
    const program = resolve(`${name}/dist/index.js`);
    const client = await connected([process.execPath, program, ...(entry.id === "files" ? [folder] : [])], env);
    try {
      const { tools } = await client.listTools();
      expect(toolsDigest(tools)).toBe(entry.digest);
      if (entry.id !== "files") return;
      for (const [tool, args] of [
        ["list_directory", { path: folder }],
        ["list_directory_with_sizes", { path: folder }],
        ["directory_tree", { path: folder }],
        ["search_files", { path: folder, pattern: "**/*.md" }],
      ] as const) {
        const { content, structuredContent } = await client.callTool({ name: tool, arguments: args });
        const text = (content as readonly { readonly text: string }[]).map((part) => part.text).join("\n");
        const view = { tool, ...viewOf("filesystem", tool, structuredContent, text) };
        expect(view).toMatchObject({ tool, of: "files", more: 0, rows: [{ title: "plan.md" }] });
        // Older versions give the text alone.
        expect({ tool, ...viewOf("filesystem", tool, undefined, text) }).toEqual(view);
      }
      const { content } = await client.callTool({
        name: "search_files",
        arguments: { path: folder, pattern: "nothing*" },
      });
      expect(viewOf("filesystem", "search_files", undefined, JSON.stringify(content))).toBeUndefined();
    } finally {
      await client.close();
    }
  });
});

describe.runIf(deep)("published servers", () => {
  const published = apps.filter(({ connect, tried }) => connect.kind === "stdio" && tried);

  it.each(published)("A42: $id starts and lists its tools", async ({ connect, digest }) => {
    const folder = await mkdtemp(join(tmpdir(), "tidegate-apps-"));
    const command = connect.kind === "stdio" ? connect.command.map((part) => filledIn(part, folder)) : [];
    const client = await connected(command);
    try {
      const { tools } = await client.listTools();
      expect(tools.length).toBeGreaterThan(0);
      if (digest !== undefined) expect(toolsDigest(tools)).toBe(digest);
    } finally {
      await client.close();
    }
  });
});

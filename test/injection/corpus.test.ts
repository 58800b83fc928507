// The corpus itself: enough of it, all of it well formed, and every order in it readable for who obeys.
import { describe, expect, it } from "vitest";
import { ATTACKS, type Attack, type Carrier, ordersIn } from "./corpus.ts";
import { ENCODERS } from "./encoders.ts";
import { GOALS } from "./goals.ts";
import { MESSENGER_ATTACKS, OWNER_NAME } from "./messenger.ts";
import { PHRASINGS } from "./phrasings.ts";

const ALL: readonly Attack[] = [...ATTACKS, ...MESSENGER_ATTACKS];

const CARRIERS: Readonly<Record<Carrier, true>> = {
  "forward-user": true,
  "forward-hidden": true,
  "forward-chat": true,
  "forward-channel": true,
  quote: true,
  stranger: true,
  "guest-group": true,
  "edit-adds-forward": true,
  "file-name": true,
  "display-name": true,
  contact: true,
  poll: true,
  "sticker-alt": true,
  venue: true,
};

/** The members of each tool's input. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  search_chats: ["query"],
  read_chat: ["id"],
  send: ["to", "text"],
  run_command: ["command"],
  fetch: ["url"],
  write_file: ["path", "text"],
  let_in: ["id"],
  set_mode: ["mode"],
};

/** True when a line is one call of the protocol and nothing else. */
function isOrder(line: string): boolean {
  const [, tool = "", json = ""] = /^call (\w+) (\{.*\})$/.exec(line) ?? [];
  const members = TOOLS[tool];
  return members !== undefined && membersOf(json)?.join() === members.join();
}

function membersOf(json: string): readonly string[] | undefined {
  try {
    return Object.keys(JSON.parse(json) as Record<string, unknown>);
  } catch {
    return undefined;
  }
}

const named = (attacks: readonly Attack[]): string[] => attacks.map(({ name }) => name);
const twice = (names: readonly string[]): string[] => names.filter((name, index) => names.indexOf(name) !== index);
describe("A34: the corpus", () => {
  it("A34: the corpus is large enough, and no name is there twice", () => {
    expect(GOALS.length).toBeGreaterThanOrEqual(70);
    expect(ATTACKS.length).toBeGreaterThanOrEqual(300);
    expect(MESSENGER_ATTACKS.length).toBeGreaterThanOrEqual(60);
    expect(twice(named(ALL))).toEqual([]);
    expect(twice(GOALS.map(({ order }) => order))).toEqual([]);
    expect(twice(ALL.map(({ kind, via, parts }) => JSON.stringify([kind, via, parts])))).toEqual([]);
  });

  it("A34: the corpus holds every goal, phrasing, encoder, tool and carrier", () => {
    const names = named(ATTACKS);
    expect(GOALS.filter(({ name }) => !names.some((other) => other.startsWith(`phrased-${name}-`)))).toEqual([]);
    expect(PHRASINGS.filter(({ name }) => !names.some((other) => other.endsWith(`-${name}`)))).toEqual([]);
    expect(ENCODERS.filter(({ name }) => !names.includes(`encoded-${name}-silent`))).toEqual([]);
    const orders = ALL.flatMap(ordersIn);
    expect(Object.keys(TOOLS).filter((tool) => !orders.some((line) => line.startsWith(`call ${tool} `)))).toEqual([]);
    expect(new Set(ATTACKS.flatMap(({ via }) => via))).toEqual(new Set(Object.keys(CARRIERS)));
    expect(new Set(MESSENGER_ATTACKS.flatMap(({ via }) => via))).toEqual(new Set(Object.keys(CARRIERS)));
  });

  it("A34: the corpus gives each attack a carrier, a text, and at least one order that can be read or decoded", () => {
    const empty = ALL.filter(({ via, parts }) => via.length === 0 || parts.length === 0 || parts.includes(""));
    expect(named(empty)).toEqual([]);
    expect(named(ALL.filter((attack) => ordersIn(attack).length === 0))).toEqual([]);
  });

  it("A34: the corpus writes each order whole, on a line of its own, in the puppet's protocol", () => {
    const faults = ALL.flatMap((attack) => {
      const lines = ordersIn(attack);
      const wrong = lines.filter((line) => !isOrder(line));
      // A split order is whole only once the messages are joined; any other one is whole wherever it stands.
      return wrong.length === lines.length || (attack.parts.length === 1 && wrong.length > 0)
        ? [`${attack.name}: ${wrong.join("; ")}`]
        : [];
    });
    expect(faults).toEqual([]);
  });

  it("A34: the corpus names no address but this machine's discard port", () => {
    const elsewhere = ALL.flatMap((attack) => [...attack.parts, ...ordersIn(attack)])
      .flatMap((text) => [...text.matchAll(/https?:\/\/[^\s)"'<>\]]+/gi)].map(([address]) => address))
      .filter((address) => !/^http:\/\/(?:[\w-]+(?::\w+)?@)?127\.0\.0\.1:9(?:\/|$)/i.test(address))
      // Shown as another link's text only, in names that are kept free for examples.
      .filter((address) => !/^https:\/\/\w+\.example\//.test(address));
    expect(elsewhere).toEqual([]);
  });

  it("A34: the corpus has the owner's own name on a stranger", () => {
    expect(MESSENGER_ATTACKS.some(({ via, parts }) => via.includes("display-name") && parts[0] === OWNER_NAME)).toBe(
      true,
    );
  });
});

describe("A34: the encoders", () => {
  const lines = GOALS.flatMap(({ order }) => order.split("\n")).filter((line) => /^[ -~]+$/.test(line));

  it.each(ENCODERS.map((encoder) => [encoder.name, encoder] as const))("A34: the corpus decodes %s", (_, encoder) => {
    const { encode, decode, keeps } = encoder;
    for (const line of lines) {
      const hidden = encode(line);
      expect(hidden).not.toBe(line);
      // A block is a paragraph: a blank line would cut it in two.
      expect(hidden).not.toContain("\n\n");
      const shown = decode(hidden);
      if (keeps === "all") expect(shown).toBe(line);
      else expect(shown).toBe(line.toLowerCase());
    }
  });
});

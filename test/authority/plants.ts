// Faults to plant in what a gateway is made of, each with the rules that may catch it. They prove that the rules can fail.
import type { Channel, Inbound, Platform } from "../../src/core/channel.ts";
import type { Change, EngineSession, Store } from "../../src/store/port.ts";
import type { Plant } from "./world.ts";

type Planted = { readonly rules: readonly string[]; readonly plant: Plant };

/** Marks of whatever kind that a transaction appends. */
const marks = (change: Change): boolean => change.do === "append" && change.body.kind === "marked";
const edits = (change: Change): boolean => change.do === "append" && change.body.kind === "edited";

/** By what is wrong. */
export const PLANTS: Readonly<Record<string, Planted>> = {
  "the marks are always none": {
    rules: ["P14", "A55", "A10"],
    plant: over((store) => ({
      conversations: { ...store.conversations, marks: async () => [] },
      commit: async (changes, how) =>
        await store.commit(
          changes.filter((change) => change.do !== "expect-marks"),
          how,
        ),
    })),
  },
  "no mark is kept": {
    rules: ["A17", "A16", "A23", "A24", "A26", "A11"],
    plant: commits((changes) => changes.filter((change) => !marks(change))),
  },
  "an edit marks nothing": {
    rules: ["A23"],
    plant: commits((changes) => (changes.some(edits) ? changes.filter((change) => !marks(change)) : changes)),
  },
  "of several marks one is kept": {
    rules: ["A23", "A24"],
    plant: commits((changes) => {
      const first = changes.find(marks);
      return changes.filter((change) => change === first || !marks(change));
    }),
  },
  "the history tool is like any other": {
    rules: ["P14", "A55", "A14"],
    plant: rows("history", "plain"),
  },
  "what acts is taken for what reads nothing": {
    rules: ["A10", "A11"],
    plant: rows("app-act", "plain"),
  },
  "what a tool read is not marked": {
    rules: ["A26"],
    plant: (parts) => ({
      ...parts,
      tools: parts.tools.map((tool) => ({
        ...tool,
        run: async (input, context) => {
          const { marks: _, ...plain } = await tool.run(input, context);
          return plain;
        },
      })),
    }),
  },
  "every quote is of this chat": {
    rules: ["A55", "A23", "A24"],
    plant: over((store) => ({
      conversations: {
        ...store.conversations,
        holding: async (room) => {
          const [newest] = await store.conversations.list();
          const one = (await store.conversations.list()).find((each) => each.room.chat === room.chat);
          return one ?? newest;
        },
      },
    })),
  },
  "one session for all chats": {
    rules: ["A55", "A56"],
    plant: (parts) => {
      let last: EngineSession | undefined;
      const { store } = parts;
      const commit: Store["commit"] = async (changes, how) => {
        for (const change of changes) if (change.do === "session") last ??= change.session;
        return await store.commit(changes, how);
      };
      return { ...parts, store: { ...store, commit, records: { ...store.records, session: async () => last } } };
    },
  },
  "who bears the owner's name is the owner": {
    rules: ["A56", "A57", "A38", "A10", "A11"],
    plant: channel((inbound, owner) =>
      "from" in inbound && typeof inbound.from === "object" && inbound.from.name === owner.name
        ? ({ ...inbound, from: { ...inbound.from, id: owner.id } } as Inbound)
        : inbound,
    ),
  },
  "whoever presses is the owner": {
    rules: ["A38"],
    plant: channel((inbound, owner) =>
      inbound.kind === "press" ? { ...inbound, from: { ...inbound.from, id: owner.id } } : inbound,
    ),
  },
  "nothing is checked after reading": {
    rules: ["A10"],
    plant: (parts) => ({ ...parts, mode: "trust", checkAfterReading: false }),
  },
  "what is said in private is shown in the group as well": {
    rules: ["A56"],
    plant: platform((one) => ({
      ...one,
      outlet: {
        ...one.outlet,
        show: async (room, piece, how, signal) => {
          if (room.kind === "private" && room.thread === "a")
            await one.outlet.show({ platform: room.platform, chat: "-9", kind: "shared" }, piece, how, signal);
          return await one.outlet.show(room, piece, how, signal);
        },
      },
    })),
  },
  "a forward counts as typed": {
    rules: ["A57", "A34"],
    plant: channel((inbound) =>
      inbound.kind === "message"
        ? {
            ...inbound,
            parts: inbound.parts.map((part) =>
              part.origin.kind === "forwarded" ? { ...part, origin: { kind: "own" } as const } : part,
            ),
          }
        : inbound,
    ),
  },
};

function over(change: (store: Store) => Partial<Store>): Plant {
  return (parts) => ({ ...parts, store: { ...parts.store, ...change(parts.store) } });
}

function commits(change: (changes: readonly Change[]) => readonly Change[]): Plant {
  return over((store) => ({ commit: async (changes, how) => await store.commit(change(changes), how) }));
}

function rows(from: string, to: "plain"): Plant {
  return (parts) => ({
    ...parts,
    tools: parts.tools.map((tool) => (tool.row === from ? { ...tool, row: to } : tool)),
  });
}

function platform(change: (one: Platform) => Platform): Plant {
  return (parts) => ({
    ...parts,
    platforms: new Map([...parts.platforms].map(([name, one]) => [name, change(one)])),
  });
}

function channel(change: (inbound: Inbound, owner: { readonly id: string; readonly name: string }) => Inbound): Plant {
  return (parts) => {
    const [id = ""] = parts.owner.ids.values();
    const read =
      (one: Channel): Channel["read"] =>
      (raw) =>
        change(one.read(raw), { id, name: parts.owner.name });
    return platform((one) => ({ ...one, channel: { ...one.channel, read: read(one.channel) } }))(parts);
  };
}

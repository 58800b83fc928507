// Faults to plant in what a gateway is made of, each with the rules that may catch it. They prove that the rules can fail.
import type { Offer } from "../../src/core/card.ts";
import type { Inbound, Platform } from "../../src/core/channel.ts";
import type { EntryBody } from "../../src/core/conversation.ts";
import { roomKey } from "../../src/core/message.ts";
import type { Change, EngineSession, Store } from "../../src/store/port.ts";
import type { Tongue } from "./tongue.ts";
import type { Plant, Scene } from "./world.ts";

/** `on`: the platform whose payloads it is about. */
type Planted = { readonly rules: readonly string[]; readonly on?: Tongue["name"]; readonly plant: Plant };

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
    rules: ["A38", "O64", "O27"],
    plant: channel((inbound, owner) =>
      inbound.kind === "press" && inbound.fields === undefined
        ? { ...inbound, from: { ...inbound.from, id: owner.id } }
        : inbound,
    ),
  },
  "nothing is checked after reading": {
    rules: ["A10"],
    plant: (parts) => ({ ...parts, mode: "trust", checkAfterReading: false }),
  },
  "what is said in private is shown in the group as well": {
    rules: ["A56"],
    plant: platform((one, { places }) => ({
      ...one,
      outlet: {
        ...one.outlet,
        show: async (room, piece, how, signal) => {
          if (roomKey(room) === roomKey(places.a)) await one.outlet.show(places.group, piece, how, signal);
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
  "Telegram: a forward's origin is overlooked": {
    rules: ["A57", "A34"],
    on: "telegram",
    plant: reader((raw) => ({
      ...raw,
      ...(raw.message === undefined ? {} : { message: { ...raw.message, forward_origin: null, forward_date: null } }),
    })),
  },
  "Slack: a shared message counts as typed": {
    rules: ["A57", "A34"],
    on: "slack",
    plant: reader((raw) => {
      const event = raw.body?.event;
      if (event?.attachments === undefined) return raw;
      const text = [event.text, ...event.attachments.map((one) => one.text)].join("\n");
      return { ...raw, body: { event: { ...event, text, blocks: [], attachments: [] } } };
    }),
  },
  "Slack: the message that is asked about counts as typed": {
    rules: ["A57", "A34"],
    on: "slack",
    plant: channel((inbound) => (isAsked(inbound) ? typed(inbound) : inbound)),
  },
  "Slack: whoever has the owner's user id in another workspace is the owner": {
    rules: ["A51", "A56", "A57", "A38", "A10", "A11"],
    on: "slack",
    plant: reader(({ body, ...raw }) => {
      const ours = { team: "T1", user_team: "T1" };
      return { ...raw, body: { ...body, ...(body?.event === undefined ? {} : { event: { ...body.event, ...ours } }) } };
    }),
  },
  "Discord: the copy in a forward counts as typed": {
    rules: ["A57", "A34"],
    on: "discord",
    plant: reader((raw) => {
      const copies = raw.d?.message_snapshots;
      if (copies === undefined) return raw;
      const content = [...copies.map((one) => one.message.content), raw.d?.content].join("\n");
      return { ...raw, d: { ...raw.d, content, message_reference: null, message_snapshots: null } };
    }),
  },
  "Discord: what is answered counts as typed": {
    rules: ["A57", "A34", "A55"],
    on: "discord",
    plant: reader((raw) => {
      const answered = raw.d?.referenced_message?.content;
      if (answered === undefined) return raw;
      return { ...raw, d: { ...raw.d, content: `${answered}\n${raw.d?.content}`, referenced_message: null } };
    }),
  },
  "what anyone writes into a form is the owner's": {
    rules: ["T50"],
    on: "discord",
    plant: channel((inbound, { id }) =>
      inbound.kind === "press" && inbound.fields !== undefined
        ? { ...inbound, from: { ...inbound.from, id } }
        : inbound,
    ),
  },
  "replies to send stand under every reply": {
    rules: ["O52"],
    plant: bodies((body) => (body.kind === "text" ? { ...body, chips: [{ words: "Send it", key: "k" }] } : body)),
  },
  "an offer stands wherever a turn ends": {
    rules: ["O16", "O17"],
    plant: (parts, scene) => {
      let offer: Offer | undefined;
      const again = (change: Change): readonly Change[] => {
        if (change.do !== "append") return [change];
        if (change.body.kind === "asked" && change.body.card.kind === "offer") offer = change.body.card;
        if (change.body.kind !== "turn-ended" || offer === undefined) return [change];
        const card = { ...offer, id: `${offer.id} in ${change.body.turn}`, by: "assistant" } as const;
        return [change, { ...change, body: { kind: "asked", card } }];
      };
      return commits((changes) => changes.flatMap(again))(parts, scene);
    },
  },
  "an offer takes itself": {
    rules: ["O27"],
    plant: (parts, scene) => {
      const from = { ...scene.owner, platform: scene.places.c.platform, role: "owner" } as const;
      const taken = (change: Change): readonly Change[] => {
        if (change.do !== "append" || change.body.kind !== "asked" || change.body.card.kind !== "offer")
          return [change];
        const { target, resume } = change.body.card;
        return [change, { ...change, body: { kind: "carried-on", from, target, request: resume.request } }];
      };
      return commits((changes) => changes.flatMap(taken))(parts, scene);
    },
  },
  "what goes on is the request in other words": {
    rules: ["O21"],
    plant: bodies((body) => (body.kind === "carried-on" ? { ...body, request: `${body.request}, please` } : body)),
  },
  "what is offered is turned on": {
    rules: ["O64"],
    plant: (parts) => {
      const { store, catalog } = parts;
      const commit: Store["commit"] = async (changes, how) => {
        for (const change of changes)
          if (change.do === "append" && change.body.kind === "asked" && change.body.card.kind === "offer")
            await catalog.turnOn("app", change.body.card.target.id, "on", new AbortController().signal);
        return await store.commit(changes, how);
      };
      return { ...parts, store: { ...store, commit } };
    },
  },
  "whatever the owner has on is listed to everyone": {
    rules: ["A56", "A14"],
    plant: (parts) => {
      const { catalog } = parts;
      const tools = catalog.tools.map((tool) => ({ ...tool, row: "plain" as const }));
      return { ...parts, catalog: Object.create(catalog, { tools: { value: tools } }) as typeof catalog };
    },
  },
  "a question is answered by whoever is there": {
    rules: ["O39"],
    plant: bodies((body) =>
      body.kind === "answered" && body.given !== undefined && body.by !== "gateway" ? { ...body, by: "eve" } : body,
    ),
  },
};

/** As much of the payloads as is tampered with. */
type Raw = {
  readonly message?: object;
  readonly body?: {
    readonly event?: { readonly text: string; readonly attachments?: readonly { readonly text: string }[] };
  };
  readonly d?: {
    readonly content: string;
    readonly message_snapshots?: readonly { readonly message: { readonly content: string } }[];
    readonly referenced_message?: { readonly content: string };
  };
};

function isAsked(inbound: Inbound): inbound is Extract<Inbound, { kind: "message" }> {
  return inbound.kind === "message" && inbound.messageId.startsWith("ask:");
}

function typed(inbound: Extract<Inbound, { kind: "message" }>): Inbound {
  return { ...inbound, parts: inbound.parts.map((part) => ({ ...part, origin: { kind: "own" } as const })) };
}

function over(change: (store: Store) => Partial<Store>): Plant {
  return (parts) => ({ ...parts, store: { ...parts.store, ...change(parts.store) } });
}

function commits(change: (changes: readonly Change[]) => readonly Change[]): Plant {
  return over((store) => ({ commit: async (changes, how) => await store.commit(change(changes), how) }));
}

/** Each entry that is written. */
function bodies(change: (body: EntryBody) => EntryBody): Plant {
  return commits((changes) => changes.map((one) => (one.do === "append" ? { ...one, body: change(one.body) } : one)));
}

function rows(from: string, to: "plain"): Plant {
  return (parts) => ({
    ...parts,
    tools: parts.tools.map((tool) => (tool.row === from ? { ...tool, row: to } : tool)),
  });
}

function platform(change: (one: Platform, scene: Scene) => Platform): Plant {
  return (parts, scene) => ({
    ...parts,
    platforms: new Map([...parts.platforms].map(([name, one]) => [name, change(one, scene)])),
  });
}

function channel(change: (inbound: Inbound, owner: { readonly id: string; readonly name: string }) => Inbound): Plant {
  return platform((one, { owner }) => ({
    ...one,
    channel: { ...one.channel, read: (raw) => change(one.channel.read(raw), owner) },
  }));
}

/** A reader with a hole: what it overlooks is not there, or stands where it takes it for something else. */
function reader(change: (raw: Raw) => unknown): Plant {
  return platform((one) => ({
    ...one,
    channel: { ...one.channel, read: (raw) => one.channel.read(change(raw as Raw)) },
  }));
}

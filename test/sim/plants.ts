// Faults to plant in what the gateway is made of, each with the rule that must see it. They prove that the rules can fail.
import type { Change, Store } from "../../src/store/port.ts";
import type { Outlet } from "../../src/core/channel.ts";
import type { GatewayParts } from "../../src/gateway/parts.ts";

type Plant = { readonly rule: string; readonly plant: (parts: GatewayParts) => GatewayParts };

/** By what is wrong. */
export const PLANTS: Readonly<Record<string, Plant>> = {
  "the store forgets that a raw update is done": {
    rule: "nothing is left over",
    plant: changed((change) => change.do !== "inbound-done"),
  },
  "a raw update that was stored is taken for a new one": {
    rule: "a message is taken in once",
    plant: (parts) => {
      let nth = 0;
      const again = (key: string): string => `${key} ${(nth += 1)}`;
      const { inbound } = parts.store;
      return withStore(parts, {
        inbound: {
          ...inbound,
          keep: async (channel, updates, at) =>
            await inbound.keep(
              channel,
              updates.map((one) => ({ ...one, key: again(one.key) })),
              at,
            ),
        },
      });
    },
  },
  "a message is lost on its way to the log": {
    rule: "a message is taken in once",
    plant: changed((change) => change.do !== "append" || change.body.kind !== "message"),
  },
  "an edit is lost": {
    rule: "the last wording is kept",
    plant: changed((change) => change.do !== "append" || change.body.kind !== "edited"),
  },
  "a turn's end is lost": {
    rule: "an engine is asked once, or once more after a crash",
    plant: changed(
      (change) => change.do !== "append" || change.body.kind !== "turn-ended" || change.body.reason !== "done",
    ),
  },
  "a turn that may have acted is run again": {
    rule: "an engine is asked once, or once more after a crash",
    plant: (parts) => ({
      ...parts,
      engine: async (name) => {
        const engine = await parts.engine(name);
        return { ...engine, can: { ...engine.can, ownTools: false } };
      },
    }),
  },
  "an engine never learns that it is to stop": {
    rule: "stop stops",
    plant: (parts) => ({
      ...parts,
      engine: async (name) => {
        const engine = await parts.engine(name);
        return { ...engine, run: (input) => engine.run({ ...input, signal: new AbortController().signal }) };
      },
    }),
  },
  "the guard takes an acting tool for a reading one": {
    rule: "an act runs only with the owner's leave",
    plant: (parts) => ({ ...parts, tools: parts.tools.map((tool) => ({ ...tool, row: "plain" as const })) }),
  },
  "what acts runs without asking": {
    rule: "an act runs only with the owner's leave",
    plant: (parts) => ({ ...parts, mode: "trust" }),
  },
  "a No is taken for leave": {
    rule: "an act runs only with the owner's leave",
    plant: (parts) => {
      const { log } = parts.store;
      return withStore(parts, {
        log: {
          ...log,
          async *follow(after, signal) {
            for await (const batch of log.follow(after, signal))
              yield batch.map(({ place, entry }) =>
                entry.kind === "answered" && entry.took === "no"
                  ? { place, entry: { ...entry, took: "once" as const } }
                  : { place, entry },
              );
          },
        },
      });
    },
  },
  "an approval is not expired at a restart": {
    rule: "an approval is answered once",
    plant: (parts) => {
      const { store } = parts;
      const asked = new Set<string>();
      return withStore(parts, {
        commit: async (changes, how) => {
          for (const change of changes)
            if (change.do === "append" && change.body.kind === "asked" && change.body.card.kind === "approval")
              asked.add(change.body.card.id);
          const expires = changes.some(
            (change) =>
              change.do === "append" &&
              change.body.kind === "answered" &&
              change.body.took === "expired" &&
              !asked.has(change.body.card),
          );
          return expires ? { ok: true, entries: [], rows: [] } : await store.commit(changes, how);
        },
      });
    },
  },
  "a question is not closed at a restart": {
    rule: "a question is answered once",
    plant: changed(
      (change) =>
        change.do !== "append" ||
        change.body.kind !== "answered" ||
        change.body.given !== null ||
        !/restarted/.test(change.body.text),
    ),
  },
  "what stands under a reply stays there when a message comes": {
    rule: "what stands open is the newest there",
    plant: changed(
      (change) => change.do !== "none-stands" && (change.do !== "append" || change.body.kind !== "chips-gone"),
    ),
  },
  "the buttons of what could be said next stay": {
    rule: "what can be pressed is what stands",
    plant: (parts) => {
      const { store } = parts;
      // Only an answer whose replies go is shown by a card of its part's key.
      const lose = (change: Change): Change =>
        change.do === "plan"
          ? { ...change, rows: change.rows.filter(({ key, weight }) => weight !== "card" || !key.includes(":")) }
          : change;
      return withStore(parts, { commit: async (changes) => await store.commit(changes.map(lose)) });
    },
  },
  "an offer that was taken is carried on by nobody": {
    rule: "what is carried on was taken, and goes on once",
    plant: changed((change) => change.do !== "append" || change.body.kind !== "carried-on"),
  },
  "an answer that no turn waited for starts none": {
    rule: "what outlived its turn is answered by one turn more, or by none",
    plant: changed((change) => change.do !== "append" || change.body.kind !== "resumed"),
  },
  "a plan is not folded": {
    rule: "a plan is folded once, at its turn's end",
    plant: changed((change) => change.do !== "append" || change.body.kind !== "plan" || change.body.folded !== true),
  },
  "a mark is lost": {
    rule: "someone else's words are marked before they come in",
    plant: changed((change) => change.do !== "append" || change.body.kind !== "marked"),
  },
  "an engine is taken for one without tools of its own": {
    rule: "an engine with tools of its own is the owner's alone",
    plant: (parts) => ({
      ...parts,
      engine: async (name) => {
        const engine = await parts.engine(name);
        return { ...engine, can: { ...engine.can, ownTools: false } };
      },
    }),
  },
  "one piece is not planned": {
    rule: "what stands in the log is seen",
    plant: (parts) => {
      const { store } = parts;
      let nth = 0;
      const lose = (change: Change): Change =>
        change.do === "plan" && (nth += 1) % 5 === 0 ? { ...change, rows: [] } : change;
      return withStore(parts, { commit: async (changes) => await store.commit(changes.map(lose)) });
    },
  },
  "everything is shown twice": {
    rule: "nothing is shown twice unmarked",
    plant: withOutlet((outlet) => ({
      show: async (...args) => {
        await outlet.show(...args);
        return await outlet.show(...args);
      },
    })),
  },
  "what may stand there already is sent again without a mark": {
    rule: "nothing is shown twice unmarked",
    plant: withOutlet((outlet) => ({
      show: async (room, piece, how, signal) => await outlet.show(room, piece, { ...how, repeat: false }, signal),
    })),
  },
  "an attempt is forgotten over a crash": {
    rule: "nothing is shown twice unmarked",
    plant: (parts) => {
      const { store } = parts;
      const skip = (change: Change): Change =>
        change.do === "outgoing" && change.from.state === "attempting" && change.to.state === "unknown"
          ? { ...change, to: { ...change.to, state: "planned" } }
          : change;
      const lost = async (changes: readonly Change[]): ReturnType<Store["commit"]> =>
        await store.commit(changes.map(skip));
      return withStore(parts, {
        commit: lost,
        outbox: {
          ...store.outbox,
          open: async () =>
            (await store.outbox.open()).map((row) => ({
              ...row,
              state: row.state === "attempting" ? ("planned" as const) : row.state,
            })),
        },
      });
    },
  },
  "drafts come late": {
    rule: "no draft comes after its answer",
    plant: (parts) => {
      const late = withOutlet((outlet) => ({
        hint: async (room, hint, signal) => {
          void parts.surroundings.clock.sleep(3000).then(async () => await outlet.hint(room, hint, signal));
          return undefined;
        },
      }));
      return late(parts);
    },
  },
  "what is said overtakes what was said before": {
    rule: "answers are seen in the order of the log",
    plant: (parts) => {
      const { store } = parts;
      const turned = (change: Change): Change =>
        change.do === "plan" ? { ...change, rows: change.rows.toReversed() } : change;
      return withStore(parts, { commit: async (changes) => await store.commit(changes.map(turned)) });
    },
  },
  "a choice can be taken twice": {
    rule: "a choice has one winner",
    plant: changed((change) => change.do !== "claim"),
  },
  "everybody is let in": {
    rule: "a stranger meets silence",
    plant: (parts) => ({ ...parts, access: { ...parts.access, guests: "ask" } }),
  },
  "a new chat is told the old one": {
    rule: "a new chat knows nothing of the one before",
    plant: (parts) => {
      const { store } = parts;
      const all: string[] = [];
      return withStore(parts, {
        log: {
          ...store.log,
          read: async (conversation, range) => {
            if (!all.includes(conversation)) all.push(conversation);
            const mine = await store.log.read(conversation, range);
            const other = all.find((one) => one !== conversation);
            return range?.after === 0 && other !== undefined ? [...(await store.log.read(other)), ...mine] : mine;
          },
        },
      });
    },
  },
};

function withStore(parts: GatewayParts, instead: Partial<Store>): GatewayParts {
  return { ...parts, store: { ...parts.store, ...instead } };
}

/** The store does only those changes for which `keep` holds. */
function changed(keep: (change: Change) => boolean): (parts: GatewayParts) => GatewayParts {
  return (parts) => withStore(parts, { commit: async (changes) => await parts.store.commit(changes.filter(keep)) });
}

function withOutlet(instead: (outlet: Outlet) => Partial<Outlet>): (parts: GatewayParts) => GatewayParts {
  return (parts) => ({
    ...parts,
    platforms: new Map(
      [...parts.platforms].map(([name, one]) => [name, { ...one, outlet: { ...one.outlet, ...instead(one.outlet) } }]),
    ),
  });
}

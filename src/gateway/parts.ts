// What a gateway is made of, and what it is to whoever opened it.
import type { Platform } from "../core/channel.ts";
import type { Engine } from "../core/engine.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Mode } from "../core/taint.ts";
import type { Tool } from "../core/tool.ts";
import type { Catalog } from "../catalog/port.ts";
import type { Search } from "../search/port.ts";
import type { Store } from "../store/port.ts";
import type { Places } from "../turn/toolbox.ts";
import type { AccessRules, OwnerIds, People } from "./people.ts";
import type { Queue } from "./queue.ts";
import type { ChannelState } from "./supervise.ts";

/** All that a gateway is made of. It owns none of it: the store, platforms and engines are disposed by who made them. */
export type GatewayParts = {
  readonly store: Store;
  readonly search: Search;
  readonly catalog: Catalog;
  /**
   * Finishes the sign-in that a browser's last address belongs to, and gives the app's id; undefined when none waits for it. Left out:
   * nothing is signed in to.
   */
  readonly finishSignIn?: (address: string) => Promise<string | undefined>;
  readonly platforms: ReadonlyMap<string, Platform>;
  /** The engine of a name, made when it is first asked for; a missing one answers so in words. */
  readonly engine: (name: string) => Promise<Engine>;
  readonly engineNames: readonly string[];
  readonly defaultEngine: string;
  readonly tools: readonly Tool[];
  readonly owner: OwnerIds;
  readonly access: AccessRules & { readonly guestEngine?: string | undefined };
  readonly mode: Mode;
  readonly checkAfterReading: boolean;
  readonly places: Places;
  readonly joinWithinMs: number;
  readonly work: string;
  /** The folder that an engine of the owner's works in, where the config names one for it. */
  readonly workOf: (engine: string) => string | undefined;
  readonly scrub: (text: string) => string;
  /** Cuts off the end of a text under way where a secret could begin. */
  readonly holdBack: (text: string) => string;
  /** Says something to whoever started the program. */
  readonly tell: (words: string) => void;
  readonly surroundings: Surroundings;
};

/** A running gateway. */
export type Gateway = {
  readonly states: readonly ChannelState[];
  readonly queue: Queue;
  readonly people: People;
  readonly catalog: Catalog;
  /** The gateway's own tools, without those of apps. */
  readonly tools: readonly Tool[];
  /** The links that hand a pairing code over, of the platforms where an owner may be paired. */
  readonly invites: (code: string) => readonly string[];
  /** Resolves when every channel has ended by itself and all of it is answered and shown. */
  readonly ended: Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
  archive(conversation: string): Promise<boolean>;
  /** Deletes a conversation without traces; false when there is none. */
  delete(conversation: string): Promise<boolean>;
  [Symbol.asyncDispose](): Promise<void>;
};

// What can be turned on, as everyone else sees it: apps (MCP servers) and skills (folders of instructions).
import type { TargetKind } from "../core/card.ts";
import type { Tool } from "../core/tool.ts";

/**
 * Where a thing stands. `on`: its tools, or the skill, are used by themselves. `asked`: a skill that is used when a person asks for it.
 * `changed`: an app whose tools are not the ones that were agreed to; it is off until the owner agrees. `retired`: no longer offered.
 */
export type ItemState = "on" | "asked" | "off" | "changed" | "retired";

/** How an app is connected: without anything, by a sign-in on a page, or with a key that the config or the environment holds. */
export type Connects =
  | { readonly by: "nothing" | "sign-in" }
  | { readonly by: "key"; readonly variables: readonly { readonly name: string; readonly set: boolean }[] };

/** One thing that is on or can be. Texts are plain: id at most 64 characters, name 80, about 300. */
export type Item = {
  readonly kind: TargetKind;
  readonly id: string;
  readonly name: string;
  /** An app's tagline; the first sentence of a skill's description, at most 140 characters. */
  readonly tagline: string;
  /** The whole description. */
  readonly about: string;
  readonly state: ItemState;
  /** What it can read or do, a line each. */
  readonly may: readonly string[];
  readonly featured: boolean;
  /** In the shipped catalogue, whose entries were looked at; else the owner's own, from the config. Skills: false. */
  readonly reviewed: boolean;
  /** Words that call for it, and words that say that something else is meant. */
  readonly cues: { readonly words: readonly string[]; readonly not: readonly string[] };
  readonly connects: Connects;
  /** An app that can't be reached now, or a folder that is no skill: why, in words for people. */
  readonly trouble?: string;
  /** An app that is on and was neither reached nor found unreachable since the program began: its tools are still to come. */
  readonly starting?: true;
  /** Of an app that is `changed`: its tools by the server's own names, against those that were agreed to, where that is still known. */
  readonly tools?: ToolChanges;
};

/** Names are the server's own: outside text. */
export type ToolChanges = {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly gone: readonly string[];
};

/** What came of turning something on. `sign-in`: a person opens the address; `signedIn` of the catalogue says when that is done. */
export type TurnedOn =
  | { readonly is: "on" }
  | { readonly is: "sign-in"; readonly url: string }
  /** It can't be on yet; what is missing, in words for people. */
  | { readonly is: "not-yet"; readonly words: string };

/** What can be turned on, and what is. @port */
export interface Catalog {
  /** All of it, in the order of the shipped list, then the owner's own, then skills. The same array until something changes. */
  readonly items: readonly Item[];
  /** The tools of the apps that are on and as agreed to, now. A turn keeps what it began with; a call of one that is off by then says so. */
  readonly tools: readonly Tool[];
  /**
   * Connects an app for good, or sets a skill to be used by itself or when asked. Called again for what is on it does nothing. Throws a
   * GatewayError in words when an app can't be reached, does not answer in time, or is no MCP server.
   */
  turnOn(kind: TargetKind, id: string, how: "on" | "asked", signal: AbortSignal): Promise<TurnedOn>;
  /** Ends it and forgets its tokens; nothing when it is off. */
  turnOff(kind: TargetKind, id: string): Promise<void>;
  /** Agrees to an app's tools as they are now. */
  agree(app: string, signal: AbortSignal): Promise<TurnedOn>;
  /** The text of a skill's instructions; undefined when there is none of that id, or it is off. */
  skill(id: string): Promise<string | undefined>;
  /** Yields an app's id each time its sign-in was finished, or its state changed by itself, until the signal fires. */
  changes(signal: AbortSignal): AsyncIterable<{ readonly app: string; readonly signedIn: boolean }>;
  /** Ends every connection and child process. */
  [Symbol.asyncDispose](): Promise<void>;
}

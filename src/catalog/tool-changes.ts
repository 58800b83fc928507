// What is different about an app's tools since they were agreed to.
import type { Item } from "./port.ts";

/** The beginning of each tool's digest by the server's name for it. */
export type ToolDigests = Readonly<Record<string, string>>;

type Agreed = { readonly agreed?: string | undefined; readonly tools?: ToolDigests | undefined };
type Listed = readonly { readonly listed: string; readonly digest: string }[];

/** Enough to tell two versions of one tool apart; whether all are as agreed to says the whole digest of all. */
const KEPT_CHARS = 16;

/** What was agreed to before; if nothing was, the tools as they are now. */
export function agreedTo(
  { agreed, tools }: Agreed,
  now: { readonly digest: string; readonly tools: Listed } | undefined,
): Agreed {
  if (agreed !== undefined) return { agreed, tools };
  return now === undefined ? {} : { agreed: now.digest, tools: digestsOf(now.tools) };
}

/** Nothing where it isn't known any more which ones were agreed to. */
export function toolChanges(agreed: ToolDigests | undefined, listed: Listed = []): Pick<Item, "tools"> {
  if (agreed === undefined) return {};
  const now = digestsOf(listed);
  const names = Object.keys(now);
  const had = (name: string): boolean => Object.hasOwn(agreed, name);
  const tools = {
    added: names.filter((name) => !had(name)),
    changed: names.filter((name) => had(name) && agreed[name] !== now[name]),
    gone: Object.keys(agreed).filter((name) => !Object.hasOwn(now, name)),
  };
  return { tools };
}

function digestsOf(tools: Listed): ToolDigests {
  return Object.fromEntries(tools.map(({ listed, digest }) => [listed, digest.slice(0, KEPT_CHARS)]));
}

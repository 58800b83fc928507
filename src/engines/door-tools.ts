// The tools of a turn as an MCP server, for programs that take them so: in process here, over the door elsewhere.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { JsonSchema, ToolSpec } from "../core/tool.ts";
import type { TurnInput } from "../core/turn.ts";

/** The name that programs know the server by. */
export const SERVER_NAME = "tidegate";

/** What a server needs of the turn that runs now. */
export type TurnTools = Pick<TurnInput, "tools" | "call">;

/**
 * A server of the tools of whatever turn `now` names: each call is checked against that turn's tools, and refused when none runs. A server
 * serves one connection: make a new one for each. The id of a call is the program's own where it tells one.
 */
export function toolServer(now: () => TurnTools | undefined): McpServer {
  const made = new McpServer({ name: SERVER_NAME, version: "1" }, { capabilities: { tools: {} } });
  // Its own registry takes shapes of zod's; the tools here have JSON Schemas, and are the turn's.
  const { server } = made;
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: (now()?.tools ?? []).map(listed) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId }) => {
    const turn = now();
    if (turn === undefined) return refused("No turn runs now, so nothing was done.");
    if (!turn.tools.some(({ name }) => name === params.name))
      return refused("There is no such tool in this turn, so nothing was done.");
    const told = params._meta?.["claudecode/toolUseId"];
    const id = typeof told === "string" && told !== "" ? told : `call-${requestId}`;
    const { text, outcome } = await turn.call({ id, name: params.name, input: params.arguments ?? {} });
    return { content: [{ type: "text", text }], ...(outcome === "ok" ? {} : { isError: true }) };
  });
  return made;
}

function refused(text: string): { content: { type: "text"; text: string }[]; isError: true } {
  return { content: [{ type: "text", text }], isError: true };
}

type Listed = { name: string; description: string; inputSchema: z.output<typeof LISTABLE> };

/** What clients take as a tool's input when they list tools: one that is anything else takes the whole list away. */
const LISTABLE = z.looseObject({
  type: z.literal("object"),
  properties: z.record(z.string(), z.looseObject({})).optional(),
  required: z.array(z.string()).optional(),
});

function listed({ name, description, input }: ToolSpec): Listed {
  const fits = LISTABLE.safeParse(input);
  // Its own check says what is wrong with a call.
  return { name, description, inputSchema: fits.success ? plain(fits.data) : { type: "object" } };
}

/** Anthropic's Messages API takes these nowhere at the top of an input, and no property by another name than this. */
const NOT_AT_THE_TOP: readonly string[] = ["oneOf", "anyOf", "allOf"];
const PROPERTY = /^[\w.-]{1,64}$/u;

function plain(schema: z.output<typeof LISTABLE>): z.output<typeof LISTABLE> {
  const { type, properties, required, ...rest } = schema;
  const kept: JsonSchema = Object.fromEntries(Object.entries(rest).filter(([key]) => !NOT_AT_THE_TOP.includes(key)));
  const known = Object.entries(properties ?? {}).filter(([key]) => PROPERTY.test(key));
  return {
    ...kept,
    type,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(known) }),
    ...(required === undefined ? {} : { required: required.filter((key) => PROPERTY.test(key)) }),
  };
}

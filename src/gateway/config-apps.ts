// Apps as the config states them.
import { z } from "zod";
import { appIdSchema, type OwnApp } from "../catalog/entries.ts";

const text = z.string().min(1);

/** An app's key in the config: what its tools are named by. */
export const appName: typeof appIdSchema = appIdSchema;

/** An MCP server of the owner's own. */
export const ownApp: z.ZodType<OwnApp> = z
  .strictObject({
    command: z
      .array(text)
      .min(1)
      .optional()
      .describe("A program and its arguments, which speaks MCP on its standard input and output."),
    url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("The address of a server that speaks MCP over HTTP."),
    env: z
      .record(text, z.string())
      .optional()
      .describe("What the program finds in its environment, beside PATH and the like."),
    headers: z.record(text, z.string()).optional().describe("What is sent to the server with each request."),
    tagline: text.max(120).optional().describe("What it is for, in a few words."),
    cues: z.array(text.max(60)).optional().describe("Words in a message that call for it."),
    connected: z.boolean().optional().describe("On from the start."),
  })
  .superRefine(({ command, url }, context) => {
    if ((command === undefined) === (url === undefined))
      context.addIssue({ code: "custom", path: [], message: "give either a command or a url" });
  });

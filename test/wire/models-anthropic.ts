// Anthropic's Messages wire for the loopback models, with thinking blocks, cache usage and the
// order of messages that the API insists on.
import { anthropicErrorBody, anthropicFailure } from "./models-failures.ts";
import { argsObject, fieldsOf, sse, textOf } from "./models-script.ts";
import type { Dialect, Finish, ModelRequest, StreamWriter, Usage, Whole } from "./models-script.ts";

type Fields = Record<string, unknown>;

const stopReasons: Record<Finish, string> = {
  stop: "end_turn",
  tool: "tool_use",
  length: "max_tokens",
  filter: "refusal",
};

/** Input tokens leave out what was read from or written to the cache. */
function inputUsage(usage: Required<Usage>): Fields {
  return {
    input_tokens: Math.max(usage.input - usage.cacheRead - usage.cacheWrite, 0),
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
  };
}

function check(body: Fields, headers: Record<string, unknown>): string | undefined {
  if (headers["anthropic-version"] === undefined) return "anthropic-version: header is required";
  if (typeof body["model"] !== "string" || body["model"] === "") return "model: Field required";
  if (typeof body["max_tokens"] !== "number") return "max_tokens: Field required";
  const messages = fieldsOf(body["messages"]);
  if (messages.length === 0) return "messages: at least one message is required";
  if (messages[0]?.["role"] !== "user") {
    return 'messages: first message must use the "user" role';
  }
  let asked = new Set<string>();
  let previousRole = "";
  for (const [index, message] of messages.entries()) {
    const role = String(message["role"]);
    if (role === previousRole) {
      return `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`;
    }
    previousRole = role;
    const blocks = fieldsOf(message["content"]);
    const fault = checkBlocks(index, blocks, asked);
    if (fault !== undefined) return fault;
    asked = new Set(blocks.filter((block) => block["type"] === "tool_use").map((block) => String(block["id"])));
  }
  return asked.size > 0 ? unanswered(messages.length - 1, asked) : undefined;
}

function checkBlocks(index: number, blocks: Fields[], asked: Set<string>): string | undefined {
  const open = new Set(asked);
  for (const [at, block] of blocks.entries()) {
    if (block["type"] === "text" && block["text"] === "") {
      return "messages: text content blocks must be non-empty";
    }
    if (block["type"] !== "tool_result") continue;
    const id = String(block["tool_use_id"]);
    if (!asked.has(id)) {
      return `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }
    open.delete(id);
  }
  return open.size > 0 ? unanswered(index - 1, open) : undefined;
}

function unanswered(index: number, ids: Set<string>): string {
  return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...ids].join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function writer(request: ModelRequest): StreamWriter {
  let index = 0;
  let openKind: "text" | "thinking" | undefined;
  const event = (type: string, fields: Fields): string => sse({ type, ...fields }, type);
  const delta = (fields: Fields): string => event("content_block_delta", { index, delta: fields });

  const closeBlock = (): string => {
    if (openKind === undefined) return "";
    // The signature is what lets a client carry the thinking into the next request.
    const signature =
      openKind === "thinking" ? delta({ type: "signature_delta", signature: `sig-${request.index}-${index}` }) : "";
    openKind = undefined;
    return signature + event("content_block_stop", { index: index++ });
  };

  const openBlock = (kind: "text" | "thinking"): string => {
    if (openKind === kind) return "";
    const before = closeBlock();
    openKind = kind;
    const block = kind === "text" ? { type: "text", text: "" } : { type: "thinking", thinking: "", signature: "" };
    return before + event("content_block_start", { index, content_block: block });
  };

  return {
    open: (usage) =>
      event("message_start", {
        message: {
          id: `msg_${request.index}`,
          type: "message",
          role: "assistant",
          model: request.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...inputUsage(usage), output_tokens: 1 },
        },
      }) + event("ping", {}),
    text: (text) => openBlock("text") + delta({ type: "text_delta", text }),
    thinking: (thinking) => openBlock("thinking") + delta({ type: "thinking_delta", thinking }),
    tool: ({ id, name, args }) => {
      const half = Math.ceil(args.length / 2);
      const before = closeBlock();
      const start = event("content_block_start", {
        index,
        content_block: { type: "tool_use", id, name, input: {} },
      });
      const pieces = [args.slice(0, half), args.slice(half)].map((partial_json) =>
        delta({ type: "input_json_delta", partial_json }),
      );
      return before + start + pieces.join("") + event("content_block_stop", { index: index++ });
    },
    errorEvent: (message) => event("error", { error: { type: "overloaded_error", message } }),
    end: (finish, usage) =>
      closeBlock() +
      event("message_delta", {
        delta: { stop_reason: stopReasons[finish], stop_sequence: null },
        usage: { ...inputUsage(usage), output_tokens: usage.output },
      }) +
      event("message_stop", {}),
  };
}

function whole(request: ModelRequest, answer: Whole): unknown {
  const content: Fields[] = [];
  if (answer.thinking !== "") {
    const signature = `sig-${request.index}-0`;
    content.push({ type: "thinking", thinking: answer.thinking, signature });
  }
  if (answer.text !== "") content.push({ type: "text", text: answer.text });
  for (const { id, name, args } of answer.tools) {
    content.push({ type: "tool_use", id, name, input: argsObject(args) });
  }
  return {
    id: `msg_${request.index}`,
    type: "message",
    role: "assistant",
    model: request.model,
    content,
    stop_reason: stopReasons[answer.finish],
    stop_sequence: null,
    usage: { ...inputUsage(answer.usage), output_tokens: answer.usage.output },
  };
}

export const anthropicDialect: Dialect = {
  name: "anthropic",
  check,
  describe: (body) => {
    const users = fieldsOf(body["messages"]).filter((message) => message["role"] === "user");
    // A turn of tool results alone has no words of the user.
    const spoken = users.findLast((message) => textOf(message["content"]) !== "");
    return {
      lastUserText: textOf(spoken?.["content"]),
      system: textOf(body["system"]),
      toolNames: fieldsOf(body["tools"]).map((tool) => String(tool["name"] ?? tool["type"])),
    };
  },
  writer,
  whole,
  failure: anthropicFailure,
  errorBody: anthropicErrorBody,
};

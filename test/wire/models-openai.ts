// OpenAI's two wires for the loopback models: Chat Completions (which compatible servers speak too,
// with reasoning_content for thinking) and, in the parts a client needs, Responses.
import { openaiErrorBody, openaiFailure } from "./models-failures.ts";
import { fieldsOf, isFields, sse, textOf } from "./models-script.ts";
import type { Dialect, Finish, ModelRequest, StreamWriter, Usage, Whole } from "./models-script.ts";

type Fields = Record<string, unknown>;

const finishReasons: Record<Finish, string> = {
  stop: "stop",
  tool: "tool_calls",
  length: "length",
  filter: "content_filter",
};

function chatUsage(usage: Required<Usage>): Fields {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
}

function lastOf(messages: Fields[], role: string): string {
  return textOf(messages.findLast((message) => message["role"] === role)?.["content"]);
}

function systemOf(messages: Fields[]): string {
  return messages
    .filter((message) => message["role"] === "system" || message["role"] === "developer")
    .map((message) => textOf(message["content"]))
    .join("\n");
}

/** Tool messages must answer the calls right before them, all of them. */
function checkChat(body: Fields): string | undefined {
  if (typeof body["model"] !== "string" || body["model"] === "") {
    return "you must provide a model parameter";
  }
  const messages = fieldsOf(body["messages"]);
  if (messages.length === 0) return "[] is too short - 'messages'";
  let waiting: Set<string> | undefined;
  for (const message of messages) {
    if (message["role"] === "tool") {
      if (!waiting) {
        return "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      }
      const id = String(message["tool_call_id"]);
      if (!waiting.delete(id))
        return `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`;
      continue;
    }
    if (waiting && waiting.size > 0) return unanswered(waiting);
    const calls = fieldsOf(message["tool_calls"]);
    waiting = calls.length > 0 ? new Set(calls.map((call) => String(call["id"]))) : undefined;
  }
  return waiting && waiting.size > 0 ? unanswered(waiting) : undefined;
}

function unanswered(ids: Set<string>): string {
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(", ")}`;
}

function chatWriter(request: ModelRequest): StreamWriter {
  const head = {
    id: `chatcmpl-${request.index}`,
    object: "chat.completion.chunk",
    created: Math.floor(request.atMs / 1000),
    model: request.model,
  };
  const options = request.body["stream_options"];
  const withUsage = isFields(options) && options["include_usage"] === true;
  let tools = 0;
  const delta = (fields: Fields, finish: string | null = null): string =>
    sse({ ...head, choices: [{ index: 0, delta: fields, finish_reason: finish }] });
  return {
    open: () => delta({ role: "assistant", content: "" }),
    text: (content) => delta({ content }),
    thinking: (text) => delta({ reasoning_content: text }),
    tool: ({ id, name, args }) => {
      const index = tools++;
      // Real servers send the arguments in pieces.
      const half = Math.ceil(args.length / 2);
      const piece = (text: string): string => delta({ tool_calls: [{ index, function: { arguments: text } }] });
      return (
        delta({
          tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }],
        }) +
        piece(args.slice(0, half)) +
        piece(args.slice(half))
      );
    },
    errorEvent: (message) => sse({ error: { message, type: "server_error", param: null, code: null } }),
    end: (finish, usage) =>
      delta({}, finishReasons[finish]) +
      (withUsage ? sse({ ...head, choices: [], usage: chatUsage(usage) }) : "") +
      sse("[DONE]"),
  };
}

function chatWhole(request: ModelRequest, answer: Whole): unknown {
  const calls = answer.tools.map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: args },
  }));
  return {
    id: `chatcmpl-${request.index}`,
    object: "chat.completion",
    created: Math.floor(request.atMs / 1000),
    model: request.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: answer.text === "" && calls.length > 0 ? null : answer.text,
          ...(answer.thinking === "" ? {} : { reasoning_content: answer.thinking }),
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
        },
        finish_reason: finishReasons[answer.finish],
      },
    ],
    usage: chatUsage(answer.usage),
  };
}

export const chatDialect: Dialect = {
  name: "chat",
  check: checkChat,
  describe: (body) => {
    const messages = fieldsOf(body["messages"]);
    return {
      lastUserText: lastOf(messages, "user"),
      system: systemOf(messages),
      toolNames: fieldsOf(body["tools"]).map((tool) =>
        isFields(tool["function"]) ? String(tool["function"]["name"]) : String(tool["type"]),
      ),
    };
  },
  writer: chatWriter,
  whole: chatWhole,
  failure: openaiFailure,
  errorBody: openaiErrorBody,
};

// ---- Responses

function checkResponses(body: Fields): string | undefined {
  if (typeof body["model"] !== "string" || body["model"] === "") {
    return "Missing required parameter: 'model'.";
  }
  if (body["input"] === undefined) return "Missing required parameter: 'input'.";
  const open = new Set<string>();
  for (const item of fieldsOf(body["input"])) {
    const id = String(item["call_id"]);
    if (item["type"] === "function_call" || item["type"] === "custom_tool_call") open.add(id);
    // With previous_response_id the call itself lies on the server.
    const answers = item["type"] === "function_call_output" || item["type"] === "custom_tool_call_output";
    if (answers && !open.delete(id)) {
      if (body["previous_response_id"]) continue;
      return `No tool call found for function call output with call_id ${id}.`;
    }
  }
  const [left] = open;
  return left === undefined ? undefined : `No tool output found for function call ${left}.`;
}

function responsesUsage(usage: Required<Usage>): Fields {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  };
}

function responseHead(request: ModelRequest): Fields {
  return {
    id: `resp_${request.index}`,
    object: "response",
    created_at: Math.floor(request.atMs / 1000),
    model: request.model,
  };
}

function messageItem(id: string, text: string): Fields {
  return {
    id,
    type: "message",
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [] }],
  };
}

function reasoningItem(id: string, text: string): Fields {
  return { id, type: "reasoning", summary: [{ type: "summary_text", text }] };
}

function callItem(id: string, tool: { id: string; name: string; args: string }): Fields {
  return {
    id,
    type: "function_call",
    status: "completed",
    call_id: tool.id,
    name: tool.name,
    arguments: tool.args,
  };
}

/** Tools are listed beside the input, or by an item in it. */
function responsesTools(body: Fields): Fields[] {
  const inside = fieldsOf(body["input"]).filter((item) => item["type"] === "additional_tools");
  const tools = [body, ...inside].flatMap((from) => fieldsOf(from["tools"]));
  return tools.flatMap((tool) => (tool["type"] === "namespace" ? fieldsOf(tool["tools"]) : [tool]));
}

/** A tool whose input is bare text. */
function isCustom(body: Fields, name: string): boolean {
  return responsesTools(body).some((tool) => tool["type"] === "custom" && tool["name"] === name);
}

function customItem(id: string, tool: { id: string; name: string; args: string }): Fields {
  return { id, type: "custom_tool_call", status: "completed", call_id: tool.id, name: tool.name, input: tool.args };
}

function responsesWriter(request: ModelRequest): StreamWriter {
  const head = responseHead(request);
  const done: Fields[] = [];
  let sequence = 0;
  let openItem: { kind: "message" | "reasoning"; id: string; text: string } | undefined;
  const event = (type: string, fields: Fields): string => sse({ type, sequence_number: sequence++, ...fields }, type);

  const closeItem = (): string => {
    if (!openItem) return "";
    const { kind, id, text } = openItem;
    openItem = undefined;
    const place = { item_id: id, output_index: done.length };
    const item = kind === "message" ? messageItem(id, text) : reasoningItem(id, text);
    const parts =
      kind === "message"
        ? event("response.output_text.done", { ...place, content_index: 0, text }) +
          event("response.content_part.done", {
            ...place,
            content_index: 0,
            part: { type: "output_text", text, annotations: [] },
          })
        : event("response.reasoning_summary_text.done", { ...place, summary_index: 0, text }) +
          event("response.reasoning_summary_part.done", {
            ...place,
            summary_index: 0,
            part: { type: "summary_text", text },
          });
    const end = event("response.output_item.done", { output_index: done.length, item });
    done.push(item);
    return parts + end;
  };

  const openOf = (kind: "message" | "reasoning"): string => {
    if (openItem?.kind === kind) return "";
    const before = closeItem();
    const id = `${kind === "message" ? "msg" : "rs"}_${request.index}_${done.length}`;
    openItem = { kind, id, text: "" };
    const place = { item_id: id, output_index: done.length };
    const item =
      kind === "message"
        ? { id, type: "message", status: "in_progress", role: "assistant", content: [] }
        : { id, type: "reasoning", summary: [] };
    const added = event("response.output_item.added", { output_index: done.length, item });
    const part =
      kind === "message"
        ? event("response.content_part.added", {
            ...place,
            content_index: 0,
            part: { type: "output_text", text: "", annotations: [] },
          })
        : event("response.reasoning_summary_part.added", {
            ...place,
            summary_index: 0,
            part: { type: "summary_text", text: "" },
          });
    return before + added + part;
  };

  const piece = (kind: "message" | "reasoning", delta: string): string => {
    const opened = openOf(kind);
    if (!openItem) return opened;
    openItem.text += delta;
    const place = { item_id: openItem.id, output_index: done.length, delta };
    return (
      opened +
      (kind === "message"
        ? event("response.output_text.delta", { ...place, content_index: 0, logprobs: [] })
        : event("response.reasoning_summary_text.delta", { ...place, summary_index: 0 }))
    );
  };

  return {
    open: () =>
      event("response.created", { response: { ...head, status: "in_progress", output: [] } }) +
      event("response.in_progress", { response: { ...head, status: "in_progress", output: [] } }),
    text: (text) => piece("message", text),
    thinking: (text) => piece("reasoning", text),
    tool: (tool) => {
      const before = closeItem();
      const custom = isCustom(request.body, tool.name);
      const id = `${custom ? "ctc" : "fc"}_${request.index}_${done.length}`;
      const item = custom ? customItem(id, tool) : callItem(id, tool);
      const index = { output_index: done.length };
      if (custom) {
        done.push(item);
        return (
          before +
          event("response.output_item.added", { ...index, item: { ...item, status: "in_progress", input: "" } }) +
          event("response.custom_tool_call_input.done", { ...index, item_id: id, input: tool.args }) +
          event("response.output_item.done", { ...index, item })
        );
      }
      const added = event("response.output_item.added", {
        ...index,
        item: { ...item, status: "in_progress", arguments: "" },
      });
      const args =
        event("response.function_call_arguments.delta", {
          ...index,
          item_id: id,
          delta: tool.args,
        }) +
        event("response.function_call_arguments.done", {
          ...index,
          item_id: id,
          arguments: tool.args,
        });
      const end = event("response.output_item.done", { ...index, item });
      done.push(item);
      return before + added + args + end;
    },
    errorEvent: (message) =>
      event("error", { code: "server_error", message, param: null }) +
      event("response.failed", {
        response: {
          ...head,
          status: "failed",
          output: done,
          error: { code: "server_error", message },
        },
      }),
    end: (finish, usage) => {
      const closing = closeItem();
      const cutShort = finish === "length" || finish === "filter";
      const reason = finish === "length" ? "max_output_tokens" : "content_filter";
      const response = {
        ...head,
        status: cutShort ? "incomplete" : "completed",
        incomplete_details: cutShort ? { reason } : null,
        output: done,
        usage: responsesUsage(usage),
      };
      return closing + event(`response.${cutShort ? "incomplete" : "completed"}`, { response });
    },
  };
}

function responsesWhole(request: ModelRequest, answer: Whole): unknown {
  const output: Fields[] = [];
  if (answer.thinking !== "") output.push(reasoningItem(`rs_${request.index}`, answer.thinking));
  if (answer.text !== "") output.push(messageItem(`msg_${request.index}`, answer.text));
  for (const tool of answer.tools) {
    output.push(callItem(`fc_${request.index}_${output.length}`, tool));
  }
  return {
    ...responseHead(request),
    status: "completed",
    output,
    usage: responsesUsage(answer.usage),
  };
}

export const responsesDialect: Dialect = {
  name: "responses",
  check: checkResponses,
  describe: (body) => {
    const { input, instructions } = body;
    const items = fieldsOf(input);
    return {
      lastUserText: typeof input === "string" ? input : lastOf(items, "user"),
      system: [textOf(instructions), systemOf(items)].filter((text) => text !== "").join("\n"),
      toolNames: responsesTools(body).map((tool) => String(tool["name"] ?? tool["type"])),
    };
  },
  writer: responsesWriter,
  whole: responsesWhole,
  failure: openaiFailure,
  errorBody: openaiErrorBody,
};

// Google's generateContent wire for the loopback models, as far as a chat with tools needs it.
import { googleErrorBody, googleFailure } from "./models-failures.ts";
import { argsObject, fieldsOf, isFields, sse, textOf } from "./models-script.ts";
import type { Dialect, Finish, ModelRequest, StreamWriter, Usage, Whole } from "./models-script.ts";

type Fields = Record<string, unknown>;

const finishReasons: Record<Finish, string> = {
  stop: "STOP",
  // Calls end with STOP on this wire.
  tool: "STOP",
  length: "MAX_TOKENS",
  filter: "SAFETY",
};

function usageMetadata(usage: Required<Usage>): Fields {
  return {
    promptTokenCount: usage.input,
    candidatesTokenCount: usage.output,
    thoughtsTokenCount: usage.reasoning,
    cachedContentTokenCount: usage.cacheRead,
    totalTokenCount: usage.input + usage.output + usage.reasoning,
  };
}

function check(body: Fields): string | undefined {
  const contents = fieldsOf(body["contents"]);
  if (contents.length === 0) return "* GenerateContentRequest.contents: contents is not specified";
  let asked = 0;
  for (const content of contents) {
    const parts = fieldsOf(content["parts"]);
    if (parts.length === 0) return "* GenerateContentRequest.contents.parts: contents.parts must not be empty.";
    const answered = parts.filter((part) => part["functionResponse"] !== undefined).length;
    if (answered !== asked) {
      return answered > 0 && asked === 0
        ? "Please ensure that function response turn comes immediately after a function call turn."
        : "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
    }
    asked = parts.filter((part) => part["functionCall"] !== undefined).length;
  }
  return undefined;
}

function chunkOf(
  request: ModelRequest,
  parts: Fields[],
  rest: { finish?: Finish; usage?: Required<Usage> } = {},
): Fields {
  return {
    candidates: [
      {
        content: { role: "model", parts },
        ...(rest.finish ? { finishReason: finishReasons[rest.finish] } : {}),
        index: 0,
      },
    ],
    ...(rest.usage ? { usageMetadata: usageMetadata(rest.usage) } : {}),
    modelVersion: request.model,
    responseId: `google-${request.index}`,
  };
}

function callPart(request: ModelRequest, name: string, args: string): Fields {
  return {
    functionCall: { name, args: argsObject(args) },
    thoughtSignature: `sig-${request.index}`,
  };
}

function writer(request: ModelRequest): StreamWriter {
  const send = (...parts: Fields[]): string => sse(chunkOf(request, parts));
  return {
    // The wire has no opening event; a chunk without words is what comes nearest.
    open: () => send({ text: "" }),
    text: (text) => send({ text }),
    thinking: (text) => send({ text, thought: true }),
    tool: ({ name, args }) => send(callPart(request, name, args)),
    errorEvent: (message) => sse(googleErrorBody(503, message)),
    end: (finish, usage) => sse(chunkOf(request, [{ text: "" }], { finish, usage })),
  };
}

function whole(request: ModelRequest, answer: Whole): unknown {
  const parts: Fields[] = [];
  if (answer.thinking !== "") parts.push({ text: answer.thinking, thought: true });
  if (answer.text !== "") parts.push({ text: answer.text });
  for (const { name, args } of answer.tools) parts.push(callPart(request, name, args));
  return chunkOf(request, parts, { finish: answer.finish, usage: answer.usage });
}

export const googleDialect: Dialect = {
  name: "google",
  check,
  describe: (body) => {
    const users = fieldsOf(body["contents"]).filter((content) => content["role"] !== "model");
    const spoken = users.findLast((content) => textOf(content["parts"]) !== "");
    const system = body["systemInstruction"];
    return {
      lastUserText: textOf(spoken?.["parts"]),
      system: isFields(system) ? textOf(system["parts"]) : "",
      toolNames: fieldsOf(body["tools"]).flatMap((tool) =>
        fieldsOf(tool["functionDeclarations"]).map((one) => String(one["name"])),
      ),
    };
  },
  writer,
  whole,
  failure: googleFailure,
  errorBody: googleErrorBody,
};

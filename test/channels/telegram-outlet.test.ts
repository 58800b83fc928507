// What Telegram's answers to a show mean, by table: the recorded bodies, and the texts of the Bot API server.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GrammyError, HttpError } from "grammy/web";
import { describe, expect, test } from "vitest";
import { channelError, describeFailure, failureOf } from "../../src/channels/telegram/client.ts";
import type { Failure } from "../../src/channels/telegram/client.ts";
import { shownOf } from "../../src/channels/telegram/outlet.ts";
import { everythingIn } from "../contracts/channel.ts";

type Envelope = {
  ok: false;
  error_code: number;
  description: string;
  parameters?: { retry_after?: number; migrate_to_chat_id?: number };
};

function recorded(name: string): Envelope {
  return JSON.parse(readFileSync(join(import.meta.dirname, "../fixtures/telegram", name), "utf8")) as Envelope;
}

function refusal(code: number, description: string, parameters?: Envelope["parameters"]): Envelope {
  return { ok: false, error_code: code, description, ...(parameters ? { parameters } : {}) };
}

const failed = (envelope: Envelope): Failure =>
  failureOf(new GrammyError("Call failed!", envelope, "sendMessage", { text: "the words of a person" }));

const WAIT = { is: "wait", why: "too-fast" };
const UNREACHABLE = { is: "wait", why: "unreachable" };
const UNKNOWN = { is: "unknown" };
const refused = (why: string): object => ({ is: "refused", why });

// For a new message, and for an edit of message 5.
const TABLE: readonly [envelope: Envelope, fresh: object, edit?: object][] = [
  [recorded("error-429.json"), { ...WAIT, waitMs: 14_000 }],
  [recorded("error-too-long.json"), refused("too-long")],
  [recorded("error-user-deactivated.json"), refused("gone")],
  [recorded("error-wrong-file-id.json"), refused("other")],
  [refusal(429, "Too Many Requests"), { ...WAIT, waitMs: 3000 }],
  [refusal(400, "Bad Request: MESSAGE_TOO_LONG"), refused("too-long")],
  [
    refusal(400, "Bad Request: can't parse entities: Can't find end tag corresponding to start tag \"b\""),
    refused("not-parseable"),
  ],
  [
    refusal(
      400,
      "Bad Request: message is not modified: specified new message content and reply markup are exactly the same",
    ),
    refused("other"),
    { is: "shown", ref: "5" },
  ],
  [refusal(400, "Bad Request: message to edit not found"), refused("edit-gone")],
  [refusal(400, "Bad Request: message can't be edited"), refused("edit-gone")],
  [refusal(400, "Bad Request: MESSAGE_ID_INVALID"), refused("edit-gone")],
  [refusal(400, "Bad Request: chat not found"), refused("gone")],
  [refusal(400, "Bad Request: PEER_ID_INVALID"), refused("gone")],
  [refusal(400, "Bad Request: message thread not found"), refused("gone")],
  [refusal(400, "Bad Request: TOPIC_CLOSED"), refused("gone")],
  [refusal(400, "Bad Request: TOPIC_DELETED"), refused("gone")],
  [refusal(400, "Bad Request: not enough rights to send text messages to the chat"), refused("gone")],
  [
    refusal(400, "Bad Request: group chat was upgraded to a supergroup chat", { migrate_to_chat_id: -1001 }),
    { is: "moved", chat: "-1001" },
  ],
  [refusal(403, "Forbidden: bot was blocked by the user"), refused("gone")],
  [refusal(403, "Forbidden: bot was kicked from the group chat"), refused("gone")],
  [refusal(403, "Forbidden: bot can't initiate conversation with a user"), refused("gone")],
  [refusal(401, "Unauthorized"), refused("unauthorized")],
  [refusal(404, "Not Found"), refused("unauthorized")],
  [refusal(400, "Bad Request: BUTTON_DATA_INVALID"), refused("other")],
  [refusal(500, "Internal Server Error"), UNKNOWN, UNREACHABLE],
  [refusal(502, "Bad Gateway"), UNKNOWN, UNREACHABLE],
];

describe("what a refusal means", () => {
  for (const [envelope, fresh, edit = fresh] of TABLE)
    test(`T14 T20 T26 T27: ${envelope.error_code} ${envelope.description}`, () => {
      expect(shownOf(failed(envelope), undefined)).toMatchObject(fresh);
      expect(shownOf(failed(envelope), "5")).toMatchObject(edit);
    });

  test("T36: no detail repeats what stood in the message", () => {
    const failure = failed(refusal(400, 'Bad Request: something about "secret words'));
    expect(JSON.stringify(shownOf(failure, undefined))).not.toContain("secret");
    expect(describeFailure(failure)).not.toContain("secret");
  });
});

describe("what no answer means", () => {
  const lost = (sent: boolean): HttpError =>
    new HttpError("Network request failed!", Object.assign(new Error("ECONNREFUSED"), { sent }));

  test("T27: not sent is tried again, sent is unknown, and what isn't understood counts as sent", () => {
    expect(shownOf(failureOf(lost(false)), undefined)).toMatchObject(UNREACHABLE);
    expect(shownOf(failureOf(lost(true)), undefined)).toEqual(UNKNOWN);
    expect(shownOf(failureOf(lost(true)), "5")).toEqual(UNKNOWN);
    for (const thrown of [
      new HttpError("x", new SyntaxError("y")),
      new TypeError("null"),
      undefined,
      "text",
      new GrammyError("x", {} as never, "m", {}),
    ])
      expect(shownOf(failureOf(thrown), undefined)).toEqual(UNKNOWN);
  });

  test("T28 T29 T36: an error for the supervisor has a code, words and a cause, and no address", () => {
    const inner = new Error("request to https://api.telegram.org/bot1:secret/getMe failed");
    const error = channelError("getMe", failureOf(new HttpError("x https://api.telegram.org/bot1:secret", inner)));
    expect(error.code).toBe("channel-unreachable");
    expect(everythingIn(error).replaceAll(/at .*\n/gu, "")).not.toContain("secret");
    expect(channelError("getUpdates", failed(refusal(401, "Unauthorized")))).toMatchObject({
      code: "channel-unauthorized",
      hint: expect.any(String) as string,
    });
    expect(channelError("getUpdates", failed(refusal(409, "Conflict")))).toMatchObject({
      code: "channel-conflict",
      hint: expect.any(String) as string,
    });
  });
});

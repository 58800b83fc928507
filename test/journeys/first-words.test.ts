// A first day: a message that Telegram really sent, an answer over HTTP, and how it stands in the chat.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Update } from "@grammyjs/types";
import { journey, PATIENT, SAM, toldTo } from "./gateway.ts";

function recorded(name: string): Update {
  return JSON.parse(readFileSync(new URL(`../fixtures/telegram/${name}.json`, import.meta.url), "utf8")) as Update;
}

it("T42, T1, T24, E1: a recorded message goes in, a model answers over HTTP, and the answer stands in the chat formatted", async () => {
  const update = recorded("dm-text");
  const chat = update.message!.chat.id;
  await using day = await journey({ owner: chat });
  day.models.reply("**Hello** from *here*, see [the page](https://example.org/a) and `code`.");
  day.telegram.push(update);
  const answer = await day.shown("Hello", { chat });
  expect(answer.text).toBe("Hello from here, see the page and code.");
  expect(answer.entities.map(({ type }) => type)).toEqual(["bold", "italic", "text_link", "code"]);
  expect(answer.threadId).toBeUndefined();
  expect(answer.linkPreviewDisabled).toBe(true);
  await day.settled();
  expect(day.texts(chat)).toHaveLength(1);
  expect(toldTo(await day.asked(1))).toEqual([`user: ${update.message!.text}`]);
  const message = (await day.entries()).find((entry) => entry.kind === "message");
  expect(message?.message).toMatchObject({
    from: { platform: "telegram", id: String(chat), role: "owner" },
    at: update.message!.date * 1000,
    ids: [String(update.message!.message_id)],
    parts: [{ kind: "text", origin: { kind: "own" }, text: update.message!.text }],
  });
});

it("T42, T10, D45: a message from a private topic is answered in that topic, typing and draft included", async () => {
  const update = recorded("synthetic-private-topic");
  const { chat, from, message_thread_id: thread } = update.message!;
  await using day = await journey({ owner: from.id, wire: { topicsInPrivate: true }, pace: { draftMs: 0 } });
  const gate = day.models.gate();
  day.models.reply(["So far", { wait: gate }, " so good."]);
  day.telegram.push(update);
  const draft = await day.telegram.until(
    (wire) => wire.draftLog(chat.id).find(({ text }) => text === "So far"),
    PATIENT,
  );
  expect(draft.threadId).toBe(thread);
  gate.release();
  const answer = await day.shown("So far so good.", { chat: chat.id });
  expect(answer.threadId).toBe(thread);
  expect(day.telegram.actions.every((action) => action.threadId === thread)).toBe(true);
});

it("T25, G42, T21: typing shows while a model thinks, a draft while it writes, and neither after the answer", async () => {
  await using day = await journey({ pace: { draftMs: 0 } });
  const [thinking, writing] = [day.models.gate("thinking"), day.models.gate("writing")];
  day.models.reply([{ wait: thinking }, "Half a", { wait: writing }, " sentence."]);
  day.say("Take your time");
  await day.telegram.until((wire) => wire.actions.some(({ action }) => action === "typing"), PATIENT);
  thinking.release();
  const draft = await day.telegram.until((wire) => wire.drafts(SAM)[0], PATIENT);
  expect(draft).toMatchObject({ text: "Half a", canStop: true });
  expect(day.texts()).toEqual([]);
  writing.release();
  const answer = await day.shown("Half a sentence.");
  await day.settled();
  expect(day.telegram.drafts(SAM)).toEqual([]);
  const sent = day.telegram.callsOf("sendMessage").find(({ payload }) => String(payload["text"]).includes("sentence"))!;
  const hints = day.telegram.calls.filter(({ method }) => method === "sendChatAction" || method === "sendMessageDraft");
  expect(hints.length).toBeGreaterThan(1);
  expect(hints.every(({ index }) => index < sent.index)).toBe(true);
  expect(answer.edits).toEqual([]);
});

it("T32, T31: the menu of commands is set once, and not again after a restart; the wanted updates are named on every poll", async () => {
  await using day = await journey();
  await day.telegram.until((wire) => wire.commands["default"] ?? false, PATIENT);
  day.say("Hi");
  await day.shown("You said: Hi");
  await day.restart();
  day.say("Again");
  await day.shown("You said: Again");
  await day.settled();
  expect(day.telegram.callCount("setMyCommands")).toBe(1);
  expect(day.telegram.commands["default"]?.map(({ command }) => command)).toEqual([
    "new",
    "stop",
    "status",
    "mode",
    "people",
    "engine",
    "archive",
    "delete",
    "help",
  ]);
  const polls = day.telegram.callsOf("getUpdates");
  expect(
    polls.every(
      ({ payload }) =>
        Array.isArray(payload["allowed_updates"]) && payload["allowed_updates"].includes("stopped_message_generation"),
    ),
  ).toBe(true);
});

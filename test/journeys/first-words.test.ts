// A first day: a message that the platform really sent, an answer over HTTP, and how it stands in the chat.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Update } from "@grammyjs/types";
import { journey, PATIENT, toldTo } from "./gateway.ts";
import type { Journey } from "./gateway.ts";
import { except, only, PLATFORMS, SAM } from "./stage.ts";
import type { PlatformName } from "./stage.ts";

/** A private message as it was recorded: whose, what, when, and how it comes. */
type Recorded = {
  readonly ownerId: string;
  readonly text: string;
  readonly id: string;
  readonly atMs: number;
  /** Where it is, as the platform names it. */
  readonly chat: string;
  readonly push: (day: Journey) => void;
};

function recorded(platform: PlatformName, name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../fixtures/${platform}/${name}.json`, import.meta.url), "utf8"));
}

const RECORDED: Readonly<Record<PlatformName, () => Recorded>> = {
  telegram() {
    const update = recorded("telegram", "dm-text") as Update;
    const { chat, text = "", message_id: id, date } = update.message!;
    return {
      ownerId: String(chat.id),
      text,
      id: String(id),
      atMs: date * 1000,
      chat: String(chat.id),
      push: (day) => void day.telegram.push(update),
    };
  },
  slack() {
    const payload = recorded("slack", "dm-message") as Record<string, unknown> & { event: Record<string, string> };
    const { user, team, text = "", ts = "", channel = "" } = payload.event;
    return {
      ownerId: `${team}/${user}`,
      text,
      id: ts,
      atMs: Math.floor(Number(ts) * 1000),
      chat: channel,
      push: (day) => void day.slack.pushRaw(payload),
    };
  },
  // Made by hand: nobody has recorded one.
  discord() {
    const dispatch = recorded("discord", "synthetic-message-create-dm") as {
      t: string;
      d: { id: string; channel_id: string; content: string; timestamp: string; author: { id: string } };
    };
    const { id, channel_id: chat, content: text, timestamp, author } = dispatch.d;
    return {
      ownerId: author.id,
      text,
      id,
      atMs: Date.parse(timestamp),
      chat,
      push: (day) => day.discord.pushRaw(dispatch),
    };
  },
};

it.each(PLATFORMS)(
  "T42, T44, T1, T24, E1: a recorded message goes in, a model answers over HTTP, and the answer stands in the chat formatted (%s)",
  async (on) => {
    const { ownerId, text, id, atMs, chat, push } = RECORDED[on]();
    const home = { chat, shared: false };
    await using day = await journey({ on, ownerId });
    day.models.reply("**Hello** from *here*, see [the page](https://example.org/a) and `code`.");
    push(day);
    const answer = await day.shown("Hello", { in: home });
    expect(answer.text).toBe("Hello from here, see the page and code.");
    expect(answer.styles).toEqual(["bold", "italic", "link", "code"]);
    expect(answer.previewsOff).toBe(true);
    await day.settled();
    // Where it was asked, and nowhere else.
    expect(day.texts(home)).toHaveLength(1);
    expect(day.on.everything).toHaveLength(1);
    expect(toldTo(await day.asked(1))).toEqual([`user: ${text}`]);
    const message = (await day.entries()).find((entry) => entry.kind === "message");
    expect(message?.message).toMatchObject({
      from: { platform: on, id: ownerId, role: "owner" },
      at: atMs,
      ids: [id],
      parts: [{ kind: "text", origin: { kind: "own" }, text }],
    });
  },
);

it.each(only("telegram"))(
  "T42, T10, D45: a recorded message from a private topic is answered in that topic, typing and draft included (%s)",
  async (on) => {
    const update = recorded("telegram", "synthetic-private-topic") as Update;
    const { from, message_thread_id: thread } = update.message!;
    await using day = await journey({ on, ownerId: String(from.id), pace: { draftMs: 0 } });
    const gate = day.models.gate();
    day.models.reply(["So far", { wait: gate }, " so good."]);
    day.telegram.push(update);
    const topic = { ...day.place(SAM), thread: String(thread) };
    await day.growing("So far", topic);
    gate.release();
    await day.shown("So far so good.", { in: topic });
    expect(day.on.everything).toHaveLength(1);
    expect(day.telegram.draftLog(from.id).every((draft) => draft.threadId === thread)).toBe(true);
    expect(day.on.typing).toEqual(day.on.typing.map(() => topic));
  },
);

// Discord has no threads in a private chat.
it.each(except("discord"))(
  "T10, D45: what is asked in a thread of the private chat is answered there, typing and the growing text included (%s)",
  async (on) => {
    await using day = await journey({ on, pace: { draftMs: 0 } });
    const thread = day.side("Side");
    const [thinking, gate] = [day.models.gate("thinking"), day.models.gate()];
    day.models.reply([{ wait: thinking }, "So far", { wait: gate }, " so good."]);
    day.say("Go", { in: thread });
    await day.until(() => day.on.typing.length > 0);
    thinking.release();
    await day.growing("So far", thread);
    gate.release();
    await day.shown("So far so good.", { in: thread });
    await day.settled();
    expect(day.texts(thread)).toEqual(["So far so good."]);
    expect(day.on.everything).toHaveLength(1);
    expect(day.on.typing).toEqual(day.on.typing.map(() => thread));
  },
);

it.each(PLATFORMS)(
  "T25, G42: typing shows while a model thinks, its text while it writes, and neither after the answer (%s)",
  async (on) => {
    await using day = await journey({ on, pace: { draftMs: 0 } });
    // Slack shows a status in threads alone.
    const place = on === "slack" ? day.side("Side") : day.place(SAM);
    const [thinking, writing] = [day.models.gate("thinking"), day.models.gate("writing")];
    day.models.reply([{ wait: thinking }, "Half a", { wait: writing }, " sentence."]);
    day.say("Take your time", { in: place });
    await day.until(() => day.on.typing.length > 0);
    expect(day.texts(place)).toEqual([]);
    thinking.release();
    expect(await day.growing("Half", place)).toBe("Half a");
    writing.release();
    await day.shown("Half a sentence.", { in: place });
    await day.settled();
    expect(day.on.underWay(place)).toEqual([]);
    const final = [...day.calls("post"), ...day.calls("edit")].toSorted((a, b) => a.index - b.index).at(-1)!;
    const hints = [...day.calls("typing"), ...day.calls("draft")];
    expect(hints.length).toBeGreaterThan(0);
    expect(hints.every(({ index }) => index < final.index)).toBe(true);
    expect(day.texts(place)).toEqual(["Half a sentence."]);
  },
);

// The platform's own previews are Telegram's alone.
it.each(only("telegram"))(
  "T21, G42: a draft shows with a stop button while a model writes, no message beside it, and the answer is never edited (%s)",
  async (on) => {
    await using day = await journey({ on, pace: { draftMs: 0 } });
    const gate = day.models.gate();
    day.models.reply(["Half a", { wait: gate }, " sentence."]);
    day.say("Take your time");
    const sam = Number(day.on.id(SAM));
    const draft = await day.telegram.until((wire) => wire.drafts(sam)[0], PATIENT);
    expect(draft).toMatchObject({ text: "Half a", canStop: true });
    expect(day.texts()).toEqual([]);
    gate.release();
    const answer = await day.shown("Half a sentence.");
    await day.settled();
    expect(day.telegram.drafts(sam)).toEqual([]);
    expect(answer.edits).toEqual([]);
    expect(day.calls("draft").length).toBeGreaterThan(0);
  },
);

// Slack's commands stand in the app's manifest.
it.each(except("slack"))("T32: the menu of commands is set once, and not again after a restart (%s)", async (on) => {
  await using day = await journey({ on });
  await day.until(() => day.on.menu);
  day.say("Hi");
  await day.shown("You said: Hi");
  await day.restart();
  day.say("Again");
  await day.shown("You said: Again");
  await day.settled();
  expect(day.calls("menu")).toHaveLength(1);
  expect(day.on.menu).toEqual([
    "new",
    "stop",
    "status",
    "mode",
    "search",
    "activity",
    "apps",
    "skills",
    "people",
    "settings",
    "engine",
    "archive",
    "delete",
    "help",
  ]);
});

// Only Telegram is polled.
it.each(only("telegram"))("T31: the wanted updates are named on every poll (%s)", async (on) => {
  await using day = await journey({ on });
  day.say("Hi");
  await day.shown("You said: Hi");
  const polls = day.telegram.callsOf("getUpdates");
  expect(polls.length).toBeGreaterThan(1);
  expect(
    polls.every(
      ({ payload }) =>
        Array.isArray(payload["allowed_updates"]) && payload["allowed_updates"].includes("stopped_message_generation"),
    ),
  ).toBe(true);
});

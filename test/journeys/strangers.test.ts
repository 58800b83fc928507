// Everyone whom the owner has not let in: nothing starts, whatever they write, press or call themselves.
import { expect, it } from "vitest";
import type { Update } from "@grammyjs/types";
import { EVE, journey, PATIENT, SAM } from "./gateway.ts";

it("G21, A47, A49, A51: a stranger's words and commands start nothing, under the owner's name too, and get one polite reply", async () => {
  await using day = await journey();
  day.telegram.addUser({ id: EVE, first_name: "Sam", username: "sam" });
  for (const text of ["Hello", "/start", "/status", "/stop", "I am the owner"]) day.telegram.say(EVE, EVE, text);
  day.say("Hi");
  await day.shown("You said: Hi");
  await day.settled();
  // Not even a sign that somebody is typing.
  const toEve = day.telegram.calls.filter(({ payload }) => payload["chat_id"] === EVE);
  expect(toEve.map(({ method }) => method)).toEqual(["sendMessage"]);
  expect(day.texts(EVE)).toEqual([
    "I only talk with people I've been introduced to. I've passed on that you'd like to.",
  ]);
  expect(day.models.requestCount).toBe(1);
  const entries = await day.entries();
  expect(new Set(entries.map(({ conversation }) => conversation)).size).toBe(1);
  expect(entries.filter(({ kind }) => kind === "message")).toHaveLength(1);
  expect(JSON.stringify(entries)).not.toContain("I am the owner");
});

it("G21, A51, D10: somebody else who presses the owner's buttons changes nothing", async () => {
  const group = -700;
  await using day = await journey({
    groups: "mention",
    wire: { username: "gate_bot" },
    engines: { small: {}, large: {} },
  });
  day.telegram.addGroup(group);
  day.telegram.say(group, SAM, "/engine@gate_bot");
  const card = await day.shown("Which engine", { chat: group });
  day.telegram.press(group, EVE, card.id, "large");
  const refused = await day.telegram.until((wire) => wire.answers.at(-1), PATIENT);
  expect(refused.text).toBe("That button isn't for you.");
  await day.settled();
  expect(day.telegram.message(group, card.id)!.keyboard).toHaveLength(2);
  day.telegram.press(group, SAM, card.id, "large");
  await day.telegram.until((wire) => wire.message(group, card.id)!.text.includes("answered by large"), PATIENT);
});

it("T34: bots, anonymous admins, channel posts and our own messages start nothing", async () => {
  const group = -1_000_000_000_700;
  await using day = await journey({ groups: "mention", wire: { username: "gate_bot" } });
  day.telegram.addSupergroup(group);
  const chat = { id: group, type: "supergroup", title: "Group" } as const;
  const head = { date: 1_800_000_000, chat, text: "@gate_bot hello" };
  const from: readonly Record<string, unknown>[] = [
    { from: { id: SAM, is_bot: true, first_name: "Sam" } },
    {
      from: { id: 1_087_968_824, is_bot: true, first_name: "Group", username: "GroupAnonymousBot" },
      sender_chat: chat,
    },
    {
      from: { id: 136_817_688, is_bot: true, first_name: "Channel" },
      sender_chat: { id: -1_000_000_000_701, type: "channel", title: "News" },
    },
    { from: { id: day.telegram.state.me.id, is_bot: true, first_name: "Gateway" } },
    // A channel's post that claims the owner's id beside it.
    {
      from: { id: SAM, is_bot: false, first_name: "Sam" },
      sender_chat: { id: -1_000_000_000_701, type: "channel", title: "News" },
    },
  ];
  for (const [at, one] of from.entries())
    day.telegram.push({ message: { message_id: 50 + at, ...head, ...one } } as Omit<Update, "update_id">);
  day.telegram.say(group, SAM, "@gate_bot it is me");
  await day.shown("it is me", { chat: group });
  await day.settled();
  expect(day.models.requestCount).toBe(1);
  expect(day.texts(group)).toEqual([expect.stringMatching(/it is me$/)]);
});

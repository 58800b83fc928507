import { expect, test } from "vitest";
import { connectChannel } from "../../src/channels/registry.ts";
import { configShape } from "../../src/gateway/config.ts";
import { stageSurroundings } from "./stage.ts";

const token = "1:x";
const paceOf = async (pace: Readonly<Record<string, number>>): Promise<unknown> => {
  const settings = { token, apiRoot: "http://127.0.0.1:1", pace };
  const { channel } = await connectChannel({ name: "telegram", settings }, stageSurroundings());
  return channel.limits.pace;
};

test("F6: without a pace the platform's own rates apply, and each rate of a pace replaces its own", async () => {
  expect(await paceOf({})).toMatchObject({ perChatMs: 1000, perGroupPerMinute: 20, perSecond: 30 });
  expect(await paceOf({ perChatMs: 5 })).toMatchObject({ perChatMs: 5, perGroupPerMinute: 20, perSecond: 30 });
});

test("F6: a config's pace is numbers by channel", () => {
  expect(configShape.parse({ pace: { telegram: { perChatMs: 0 } } }).pace).toEqual({ telegram: { perChatMs: 0 } });
  expect(configShape.safeParse({ pace: { telegram: { perChatMs: -1 } } }).success).toBe(false);
});

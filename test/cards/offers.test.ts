// What an offer looks like at each stage. The platforms' own forms are tested with each platform.
import { expect, it } from "vitest";
import { connectsInWords, drawOffer, type KeptOffer } from "../../src/cards/offers.ts";
import type { Offer, OfferAct } from "../../src/core/card.ts";
import { app } from "./catalog.ts";

const option = ([act, label]: readonly [OfferAct, string]): Offer["options"][number] => ({
  act,
  label,
  key: `k-${act}`,
});
const AWAY = [
  ["not-now", "Not now"],
  ["mute", "Don't suggest"],
] as const;

const MAIL: Offer = {
  ...{ kind: "offer", id: "o", turn: "t", by: "assistant", resume: { request: "Any mail?" } },
  target: { kind: "app", id: "mail", name: "Mail" },
  description: "Reads and writes letters.",
  why: "it could look for the letter",
  may: ["Read your letters", "Send letters"],
  options: ([["take", "Connect"], ["details", "Details"], ...AWAY] as const).map(option),
};
const SKILL: Offer = {
  ...MAIL,
  target: { kind: "skill", id: "trips", name: "trips" },
  may: ["Run commands"],
  options: ([["take", "Turn on"], ...AWAY] as const).map(option),
};
const labels = (offer: KeptOffer): readonly (readonly string[])[] =>
  drawOffer(offer).rows.map((row) => row.map(({ label }) => label));

it("O10, O30, O31: it says what, and why, and has its buttons", () => {
  const { text, rows, quiet } = drawOffer(MAIL);
  expect(text).toBe("Connect **Mail**? Reads and writes letters.\n\nWhy: it could look for the letter");
  expect(labels(MAIL)).toEqual([
    ["Connect", "Details"],
    ["Not now", "Don't suggest"],
  ]);
  expect(rows.flat()).toContainEqual({ label: "Connect", press: "k-take" });
  expect(quiet).toBe(false);
});

it("O33: what a skill may do stands above the button that turns it on; of an app it is a press away", () => {
  expect(drawOffer(SKILL).text).toContain("What it may do:\n- Run commands");
  expect(drawOffer(MAIL).text).not.toContain("Read your letters");
  const open: Offer = { ...MAIL, stage: { is: "details", connects: "You sign in on its own page." } };
  expect(drawOffer(open).text).toContain("What it can do:\n- Read your letters\n- Send letters\n\nYou sign in");
  expect(labels(open)[0]).toEqual(["Connect", "Less"]);
});

it("O34: a skill that is used when asked for can be used once, or for good", () => {
  const asked: Offer = { ...SKILL, options: ([["use", "Use it"], ["always", "Always"], ...AWAY] as const).map(option) };
  expect(drawOffer(asked).text).toMatch(/^Use the skill \*\*trips\*\*\?/u);
  expect(labels(asked)[0]).toEqual(["Use it", "Always"]);
});

it("O29: while it waits for a sign-in it has a button that opens the page, and says where that is and what follows", () => {
  const url = "https://login.example/in?state=1";
  const waits: Offer = { ...MAIL, stage: { is: "sign-in", url } };
  expect(drawOffer(waits).rows[0]).toEqual([
    { label: "Sign in", url },
    { label: "New link", press: "k-take" },
  ]);
  expect(drawOffer(waits).text).toContain("Sign in at login.example, and I go on by myself.");
  // No other address becomes a button.
  const odd: Offer = { ...MAIL, stage: { is: "sign-in", url: "javascript:alert(1)" } };
  expect(
    drawOffer(odd)
      .rows.flat()
      .some((button) => "url" in button),
  ).toBe(false);
});

it("O22: while it is being connected it can be put away, and what did not work can be tried again", () => {
  expect(labels({ ...MAIL, stage: { is: "connecting" } })).toEqual([["Not now"]]);
  const failed: Offer = { ...MAIL, stage: { is: "failed", words: "Mail did not answer in time." } };
  expect(drawOffer(failed).text).toContain("That did not work: Mail did not answer in time.");
  expect(labels(failed)[0]).toEqual(["Try again", "Details"]);
});

it("O65: nothing in it is markup, a mention or a link, wherever it comes from", () => {
  const bad = "# **x** [a](https://evil.example) @everyone <@1>\n- y";
  const text = [MAIL, SKILL, { ...MAIL, stage: { is: "failed", words: bad } } as const]
    .map((offer): Offer => ({
      ...offer,
      target: { ...offer.target, name: bad },
      description: bad,
      why: bad,
      may: [bad, "1. one", "> two"],
    }))
    .map((offer) => drawOffer(offer).text)
    .join("\n");
  expect(text).not.toMatch(/(?<!\\)@|(?<!\\)\[|https:\/\/|(?<!\\)<|\*\*x\*\*/u);
  expect(text).toContain(String.raw`- \# \*\*x`);
  expect(text).toContain(String.raw`- 1\. one`);
  expect(text).toContain(String.raw`- \> two`);
});

it("O19: an entry of an older shape draws the same card", () => {
  const { target, why, description, options } = MAIL;
  expect(drawOffer({ target, why, description, options })).toEqual(drawOffer(MAIL));
  expect(drawOffer({ target, options }).text).toBe("Connect **Mail**?");
});

it("O33: how something is connected is said before it is", () => {
  expect(connectsInWords(app("mail"))).toBe("It connects without a sign-in.");
  expect(connectsInWords(app("mail", { connects: { by: "sign-in" }, reviewed: false }))).toMatch(
    /sign in on its own page.*your own config/u,
  );
  const variables = [
    { name: "MAIL_KEY", set: false },
    { name: "MAIL_ID", set: true },
  ];
  expect(connectsInWords(app("mail", { connects: { by: "key", variables } }))).toContain("It needs MAIL_KEY: put");
  expect(connectsInWords(undefined)).toContain("not there");
});

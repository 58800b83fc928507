import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { piecesOf } from "../../src/channels/telegram/cards.ts";
import type { Hint, Outlet, PressAnswer } from "../../src/core/channel.ts";
import type { Piece, Reply } from "../../src/core/reply.ts";
import { escapeMarkdown } from "../../src/core/text.ts";
import { scrubbedOutlet } from "../../src/gateway/last-hop.ts";
import { HIDDEN, scrubber } from "../../src/taint/scrub.ts";

const SECRET = "123456:ABC-def_ghi";
const scrub = scrubber([SECRET]);
const signal = new AbortController().signal;
const room = { platform: "telegram", chat: "1", kind: "private" } as const;

/** Telegram's own drawing, over a platform that only notes what reached it. */
function stage(): { outlet: Outlet; hints: Hint[]; answers: (PressAnswer | undefined)[]; shown: Piece[] } {
  const hints: Hint[] = [];
  const answers: (PressAnswer | undefined)[] = [];
  const shown: Piece[] = [];
  const platform: Outlet = {
    name: "telegram",
    pieces: piecesOf,
    show: (_room, piece) => {
      shown.push(piece);
      return Promise.resolve({ is: "shown", ref: "7" });
    },
    hint: (_room, hint) => {
      hints.push(hint);
      return Promise.resolve({ is: "wait", waitMs: 5, why: "too-fast" });
    },
    answer: (_ref, answer) => {
      answers.push(answer);
      return Promise.resolve();
    },
    recover: (_room, { nonce }) => Promise.resolve({ is: "shown", ref: nonce }),
    link: () => undefined,
    menu: () => Promise.resolve(),
  };
  return { outlet: scrubbedOutlet(platform, scrub), hints, answers, shown };
}

function reply(text: string, rows: Reply["rows"] = []): Reply {
  return { key: "k", text, rows, quiet: false };
}

/** All that a client could see or press, references in it resolved. */
function visible(pieces: readonly Piece[]): string {
  const html = JSON.stringify(pieces);
  return html + html.replaceAll(/<[^>]*>/g, "") + pieces.map(({ plain }) => plain).join("");
}

describe("the last hop", () => {
  it.each([
    ["as it is", `key ${SECRET} end`],
    ["in code", `key \`${SECRET}\` end`],
    ["split by bold marks", "key 123**456**:ABC-def_ghi end"],
    ["split by code", "key 123`456`:ABC-def_ghi end"],
    ["split by a link", "key 123[456:ABC](https://x.y)-def_ghi end"],
    ["with named references", "key 123456&colon;ABC-def&lowbar;ghi end"],
    ["with numbered references", "key &#49;&#50;3456:ABC-def_ghi end"],
    ["with Markdown's escapes", String.raw`key 123456\:ABC\-def\_ghi end`],
    ["with an empty comment inside", "key 123456:ABC-\u200Bdef_ghi end"],
    ["in an address behind other words", `key [end](https://x.y/?k=${SECRET})`],
    ["in an address that ends with its words", "key [end](https://x.y/123456&colon;ABC-def_ghi/end)"],
    ["in the language of a fence", "key\n```123456&colon;ABC-def_ghi\nx\n```\nend"],
    ["across the cells of nothing", "key 123~~456~~:ABC-*def*_ghi end"],
  ])("A54: a secret never reaches a platform %s", (_, text) => {
    const shown = visible(stage().outlet.pieces(reply(text)));
    expect(shown).not.toContain(SECRET);
    expect(scrub(shown)).toBe(shown);
    expect(shown).toContain("key");
    expect(shown).toContain("end");
  });

  it("A54: a reply without a secret is drawn as the platform draws it, formatting and buttons included", () => {
    const given = reply("**bold** [l](https://x.y) `c`", [[{ label: "Go", press: "p" }]]);
    expect(stage().outlet.pieces(given)).toEqual(piecesOf(given));
  });

  it("A54: a secret goes from a button's label and address, and the address stays one", () => {
    const rows: Reply["rows"] = [
      [{ label: `Use ${SECRET}`, press: "p" }],
      [{ label: "Open", url: `https://x.y/${encodeURIComponent(SECRET)}?k=${SECRET}` }],
    ];
    const [piece] = stage().outlet.pieces(reply("x", rows));
    expect(piece?.body).toMatchObject({
      keyboard: [
        [{ text: `Use ${HIDDEN}`, callback_data: "p" }],
        [{ text: "Open", url: "https://x.y/hidden?k=hidden" }],
      ],
    });
  });

  it("A54: a secret goes from a file that comes with the reply", () => {
    const drawn: Reply[] = [];
    const outlet = scrubbedOutlet(
      {
        ...stage().outlet,
        pieces: (reply) => {
          drawn.push(reply);
          return piecesOf(reply);
        },
      },
      scrub,
    );
    outlet.pieces({ ...reply("x"), file: { name: `${SECRET}.txt`, text: `a ${SECRET} b` } });
    expect(drawn[0]?.file).toEqual({ name: `${HIDDEN}.txt`, text: `a ${HIDDEN} b` });
  });

  it("A54: a secret that the cut between two messages splits is shown in neither", () => {
    const text = `${"x".repeat(4062)}123**456**:ABC-def_ghi end`;
    const whole = (pieces: readonly Piece[]): string => pieces.map(({ plain }) => plain).join("");
    const bare = piecesOf(reply(text));
    expect(bare.every(({ plain }) => scrub(plain) === plain)).toBe(true);
    expect(whole(bare)).toContain(SECRET);
    const pieces = stage().outlet.pieces(reply(text));
    expect(whole(pieces)).toContain("xxx");
    expect(scrub(whole(pieces))).toBe(whole(pieces));
  });

  it("A54: what holds a secret however it is drawn is hidden whole, buttons kept", () => {
    const base = stage().outlet;
    const outlet = scrubbedOutlet(
      {
        ...base,
        // A platform whose own frame around any words completes the secret.
        pieces: ({ text, rows }) => [
          { body: { rows }, plain: text === escapeMarkdown(HIDDEN) ? text : `${text}${SECRET}` },
        ],
      },
      scrub,
    );
    const [piece] = outlet.pieces(reply("words", [[{ label: "Go", press: "p" }]]));
    expect(piece).toEqual({ body: { rows: [[{ label: "Go", press: "p" }]] }, plain: escapeMarkdown(HIDDEN) });
    expect(piecesOf(reply(escapeMarkdown(HIDDEN)))[0]?.plain).toBe(HIDDEN);
  });

  it("A54: whatever marks stand inside it, a secret does not come out", () => {
    const mark = fc.constantFrom(
      "",
      "",
      "**",
      "*",
      "_",
      "~~",
      "`",
      "\\",
      "\u200B",
      "<b>",
      "[",
      "](https://x.y)",
      "&#8203;",
      "&ZeroWidthSpace;",
      "||",
    );
    fc.assert(
      fc.property(fc.array(mark, { minLength: SECRET.length, maxLength: SECRET.length }), (marks) => {
        const text = Array.from(SECRET, (sign, at) => (marks[at] ?? "") + sign).join("");
        const pieces = stage().outlet.pieces(reply(`${text} **end**`));
        for (const { plain } of pieces) expect(scrub(plain)).toBe(plain);
        expect(visible(pieces)).not.toContain(SECRET);
      }),
    );
  });

  it("A54: drafts and answers to presses are scrubbed; typing, showing and looking up pass through", async () => {
    const { outlet, hints, answers, shown } = stage();
    await expect(outlet.hint(room, { kind: "draft", key: "k", text: `a ${SECRET}` }, signal)).resolves.toEqual({
      ...{ is: "wait", waitMs: 5, why: "too-fast" },
    });
    await outlet.hint(room, { kind: "draft", key: "k", text: "a 123**456**:ABC-def_ghi" }, signal);
    await outlet.hint(room, { kind: "draft", key: "k", text: "**half open" }, signal);
    await outlet.hint(room, { kind: "typing" }, signal);
    expect(hints).toEqual([
      { kind: "draft", key: "k", text: `a ${HIDDEN}` },
      { kind: "draft", key: "k", text: `a ${escapeMarkdown(HIDDEN)}` },
      { kind: "draft", key: "k", text: "**half open" },
      { kind: "typing" },
    ]);
    await outlet.answer("r", { words: `no ${SECRET}` }, signal);
    const field = {
      id: "f",
      label: `for ${SECRET}`,
      kind: "text",
      long: true,
      optional: false,
      value: SECRET,
    } as const;
    const form = { press: "k", title: `about ${SECRET}`, submit: SECRET, fields: [field] };
    await outlet.answer("r", { form }, signal);
    await outlet.answer("r", undefined, signal);
    const clean = { ...field, label: `for ${HIDDEN}`, value: HIDDEN };
    expect(answers).toEqual([
      { words: `no ${HIDDEN}` },
      { form: { press: "k", title: `about ${HIDDEN}`, submit: HIDDEN, fields: [clean] } },
      undefined,
    ]);
    const piece = { body: {}, plain: "x" };
    await outlet.show(room, piece, { plain: false, repeat: false, nonce: "n" }, signal);
    expect(shown).toEqual([piece]);
    await expect(outlet.recover(room, { piece, nonce: "n", since: 0 }, signal)).resolves.toEqual({
      is: "shown",
      ref: "n",
    });
  });
});

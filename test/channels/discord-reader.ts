// A small reader of Discord's Markdown, written from its rules: the help pages "Markdown Text 101", "Spoiler Tags" and "Subtext",
// "Message Formatting" in the API reference for what stands in angle brackets, and for what they leave open what people
// found by trying the desktop app out. Where they differ, both readings are offered, and a text of ours must read the same in either.

export type Mark = { readonly kind: string; readonly text: string; readonly to?: string };

export type Reading = {
  /** What is seen; a bullet is "- ", a link's address stands behind its text. */
  readonly text: string;
  readonly marks: readonly Mark[];
};

/** Whether a backslash inside a style's two marks is minded when its end is looked for. */
export type Reader = "minds escapes" | "minds none";
export const READERS: readonly Reader[] = ["minds escapes", "minds none"];

type Place = { reader: Reader; start: "line" | "text"; quoted: boolean; depth: number; marks: Mark[] };

export function readDiscord(content: string, reader: Reader): Reading {
  const marks: Mark[] = [];
  return { text: read(content, { reader, start: "line", quoted: false, depth: 0, marks }), marks };
}

/** The tokens that can ping or name someone, wherever the server looks for them: everywhere but in code. */
export function pingsIn(content: string): string[] {
  const text = content.replace(/```[\s\S]*?```|(?<![\\`])(``?)(?!`)[\s\S]*?[^`]\1(?!`)/g, " ");
  return text.match(/<@[!&]?\d+>|<#\d+>|@everyone|@here/g) ?? [];
}

const STYLES: readonly (readonly [kind: string, minds: RegExp, mindsNone: RegExp])[] = [
  ["bold", /^\*\*((?:\\[^]|[^\\])+?)\*\*(?!\*)/, /^\*\*([^]+?)\*\*(?!\*)/],
  ["underline", /^__((?:\\[^]|[^\\])+?)__(?!_)/, /^__([^]+?)__(?!_)/],
  [
    "italics",
    /^\*(?=\S)((?:\*\*|\\[^]|\s+(?:\\[^]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/,
    /^\*(?=\S)((?:\\\*|\*\*|\s+(?:[^*\s]|\\\*|\*\*)|[^\s*])+?)(?<!\\)\*(?!\*)/,
  ],
  ["italics", /^_((?:__|\\[^]|[^\\_])+?)_(?![A-Za-z0-9_])/, /^_((?:__|\\[^]|[^\\_])+?)_(?![A-Za-z0-9_])/],
  ["strike", /^~~([^]+?)~~(?!_)/, /^~~([^]+?)~~/],
  ["spoiler", /^\|\|([^]+?)\|\|/, /^\|\|([^]+?)\|\|/],
];

const TOKENS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["mention", /^<@[!&]?\d+>|^<#\d+>|^<\/[^:>]+:\d+>|^@everyone|^@here/],
  ["emoji", /^<a?:\w+:\d+>|^:[a-z_]+:/],
  ["time", /^<t:-?\d+(?::\w)?>/],
  ["guild page", /^<id:\w+>/],
];

function read(source: string, place: Place): string {
  const { marks, reader } = place;
  let out = "";
  let at = 0;
  const note = (kind: string, text: string, to?: string): void => {
    marks.push({ kind, text, ...(to === undefined ? {} : { to }) });
  };
  const within = (text: string, more: Partial<Place>): string => read(text, { ...place, ...more });
  while (at < source.length) {
    const rest = source.slice(at);
    const before = source.slice(source.lastIndexOf("\n", at - 1) + 1, at);
    const fresh = /^\s*$/.test(before) && (at > before.length || place.start === "line");

    const escape = /^\\([^0-9A-Za-z\s])/.exec(rest);
    if (escape) {
      out += escape[1];
      at += 2;
      continue;
    }
    const box = /^```(?:([\w+.-]*)\n)?([^]*?[^\n`][^]*?)```/.exec(rest);
    if (box) {
      const text = (box[2] ?? "").replace(/^\n+|\n+$/g, "");
      note("code block", text, box[1] ?? "");
      out += text;
      at += box[0].length;
      continue;
    }
    if (fresh) {
      const quote = place.quoted ? null : (/^ *>>> ([^]+)/.exec(rest) ?? /^(?: *>(?!>>) [^\n]*(?:\n|$))+/.exec(rest));
      if (quote) {
        const text = quote[1] ?? quote[0].replace(/^ *> /gm, "");
        note("quote", text);
        out += within(text, { quoted: true, start: "line" });
        at += quote[0].length;
        continue;
      }
      const title = place.depth > 0 ? null : /^(#{1,3})\s+(?!#)([^\n]+)/.exec(rest);
      const small = /^(-#) +(?!-#)([^\n]+)/.exec(rest);
      const line = title ?? small;
      if (line) {
        const text = title ? (line[2] ?? "").trimEnd().replace(/#+$/, "") : (line[2] ?? "");
        note(title ? `heading ${line[1]?.length}` : "small", text);
        out += within(text, { start: "line" });
        at += line[0].length;
        continue;
      }
      const item = place.depth > 10 ? null : /^(?:[*-]|(\d+)\.) +(?=\S)([^\n]*(?:\n +[^\n]*)*)/.exec(rest);
      if (item) {
        const width = item[0].length - (item[2]?.length ?? 0);
        const text = (item[2] ?? "").replaceAll(new RegExp(`^ {1,${width}}`, "gm"), "");
        note("item", text);
        out +=
          (item[1] === undefined ? "- " : `${item[1]}. `) + within(text, { depth: place.depth + 1, start: "line" });
        at += item[0].length;
        continue;
      }
    }
    const code = /^(`+)([^]*?[^`])\1(?!`)/.exec(rest);
    if (code) {
      const text = (code[2] ?? "").replace(/^ (?= *`)|(?<=` *) $/g, "");
      note("code", text);
      out += text;
      at += code[0].length;
      continue;
    }
    const link = /^\[((?:\[[^\]]*\]|[^[\]]|\](?=[^[]*\]))*)\]\(\s*<?(https?:\/\/[^\s()\\<>]+)>?\s*\)/.exec(rest);
    if (link && !/:\/\//.test(link[1] ?? "")) {
      // Escapes in a link's text are left alone by one of the two parsers.
      const label = reader === "minds none" ? (link[1] ?? "") : within(link[1] ?? "", { start: "text" });
      note("link", label.replace(/^`(.*)`$/, "$1"), link[2]);
      out += `${label.replace(/^`(.*)`$/, "$1")} (${link[2]})`;
      at += link[0].length;
      continue;
    }
    const address = /^(?:https?|steam):\/\/[^\s<]+[^<.,:;"'\]\s]|^<([^: >]+:\/[^ >]+)>/.exec(rest);
    if (address) {
      let shown = address[1] ?? address[0];
      if (address[1] === undefined && shown.endsWith(")") && !shown.includes("(")) shown = shown.slice(0, -1);
      note("address", shown, shown);
      out += shown;
      at += address[1] === undefined ? shown.length : address[0].length;
      continue;
    }
    const token = TOKENS.map(([kind, pattern]) => ({ kind, match: pattern.exec(rest) })).find(({ match }) => match);
    if (token?.match) {
      note(token.kind, token.match[0]);
      out += `‹${token.kind}›`;
      at += token.match[0].length;
      continue;
    }
    const style = STYLES.map(([kind, minds, none]) => ({
      kind,
      match: (reader === "minds escapes" ? minds : none).exec(rest),
    })).find(({ match }) => match);
    if (style?.match) {
      const text = within(style.match[1] ?? "", { start: fresh ? "line" : "text" });
      note(style.kind, text);
      out += text;
      at += style.match[0].length;
      continue;
    }
    out += rest.charAt(0);
    at++;
  }
  return out;
}

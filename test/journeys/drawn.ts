// How a message's Markdown is drawn, for platforms that draw it themselves.
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import type { Nodes } from "mdast";

const STYLES: Readonly<Partial<Record<Nodes["type"], string>>> = {
  strong: "bold",
  emphasis: "italic",
  delete: "strike",
  link: "link",
  inlineCode: "code",
  code: "pre",
};

/** An address that stands as it is: every app makes a link of it by itself. */
function isBare(node: Nodes): boolean {
  if (node.type !== "link") return false;
  const [only, ...more] = node.children;
  return more.length === 0 && only?.type === "text" && node.url.endsWith(only.value);
}

/** Its styles in order, and the languages of its blocks of code. */
export function drawn(markdown: string): { readonly styles: string[]; readonly languages: string[] } {
  const styles: string[] = [];
  const languages: string[] = [];
  const walk = (node: Nodes): void => {
    const style = STYLES[node.type];
    if (style !== undefined && !isBare(node)) styles.push(style);
    if (node.type === "code") languages.push(node.lang ?? "");
    if ("children" in node) node.children.forEach(walk);
  };
  walk(fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }));
  return { styles, languages };
}

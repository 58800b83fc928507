// Block Kit: which blocks the platform takes (limits of its reference pages) and what a person sees
// of them: text, buttons, whom they notify.
import type { AnyBlock } from "@slack/types";
import {
  checkElement,
  checkList,
  checkString,
  checkText,
  invalid,
  isObject,
  optionsOf,
  str,
} from "./slack-elements.ts";
import type { Loose } from "./slack-elements.ts";
import { Refusal } from "./slack-state.ts";
import type { ShownButton, ShownMenu } from "./slack-state.ts";
import { pingsOfMrkdwn, readMarkdown, readMrkdwn, unescapeText } from "./slack-text.ts";
import type { NameOf } from "./slack-text.ts";

export type Surface = "message" | "modal" | "home";

export const blockLimits = {
  message: 50,
  modal: 100,
  home: 100,
  sectionText: 3000,
  fields: 10,
  fieldText: 2000,
  header: 150,
  contextElements: 10,
  markdownChars: 12_000,
  /** All blocks of a message as JSON; refused from about 13,200 on. */
  allBytes: 13_200,
  actionElements: 25,
  blockId: 255,
  label: 2000,
  hint: 2000,
  imageUrl: 3000,
  altText: 2000,
  imageTitle: 2000,
} as const;

const kinds: Record<Surface, ReadonlySet<string>> = {
  message: new Set([
    "actions",
    "context",
    "context_actions",
    "divider",
    "file",
    "header",
    "image",
    "input",
    "markdown",
    "plan",
    "rich_text",
    "section",
    "table",
    "task_card",
    "video",
  ]),
  modal: new Set(["actions", "context", "divider", "header", "image", "input", "rich_text", "section", "video"]),
  home: new Set(["actions", "context", "divider", "header", "image", "input", "rich_text", "section", "video"]),
};

/** The blocks when they may stand there; throws the platform's refusal. */
export function checkBlocks(given: unknown, surface: Surface): AnyBlock[] {
  if (!Array.isArray(given)) throw new Refusal("invalid_blocks_format");
  const blocks: unknown[] = given;
  if (blocks.length > blockLimits[surface]) {
    throw invalid(`no more than ${blockLimits[surface]} items allowed`, "/blocks");
  }
  const blockIds = new Set<string>();
  let markdownChars = 0;
  for (const [index, block] of blocks.entries()) {
    const at = `/blocks/${index}`;
    if (!isObject(block)) throw new Refusal("invalid_blocks_format");
    const type = str(block["type"]);
    if (!kinds[surface].has(type)) throw invalid(`unsupported type: ${type}`, `${at}/type`);
    const id = block["block_id"];
    if (id !== undefined) {
      checkString(id, blockLimits.blockId, `${at}/block_id`);
      if (blockIds.has(str(id))) throw invalid("`block_id` must be unique", `${at}/block_id`);
      blockIds.add(str(id));
    }
    if (type === "markdown") markdownChars += str(block["text"]).length;
    checkBlock(type, block, at);
  }
  const focused = blocks.filter(
    (block) => isObject(block) && isObject(block["element"]) && block["element"]["focus_on_load"] === true,
  );
  if (focused.length > 1) throw invalid("only one element may have focus_on_load", "/blocks");
  if (surface === "message") {
    if (markdownChars > blockLimits.markdownChars) throw new Refusal("msg_blocks_too_long");
    if (Buffer.byteLength(JSON.stringify(blocks)) > blockLimits.allBytes) throw new Refusal("msg_blocks_too_long");
  }
  return blocks as AnyBlock[];
}

function checkBlock(type: string, block: Loose, at: string): void {
  switch (type) {
    case "section":
      return checkSection(block, at);
    case "header":
      return checkText(block["text"], ["plain_text"], blockLimits.header, `${at}/text`);
    case "markdown":
      return checkString(block["text"], blockLimits.markdownChars, `${at}/text`);
    case "context": {
      const elements = checkList(block["elements"], blockLimits.contextElements, `${at}/elements`);
      for (const [index, one] of elements.entries()) {
        if (isObject(one) && one["type"] === "image") continue;
        checkText(one, ["plain_text", "mrkdwn"], blockLimits.sectionText, `${at}/elements/${index}`);
      }
      break;
    }
    case "actions":
    case "context_actions": {
      const elements = checkList(block["elements"], blockLimits.actionElements, `${at}/elements`);
      const ids = new Set<unknown>();
      for (const [index, one] of elements.entries()) {
        const place = `${at}/elements/${index}`;
        if (!isObject(one)) throw invalid("must be an object", place);
        const id = one["action_id"];
        if (id !== undefined && ids.has(id)) throw invalid(`\`action_id\` already exists: ${str(id)}`, place);
        ids.add(id);
        checkElement(one, type, place);
      }
      break;
    }
    case "input":
      return checkInput(block, at);
    case "image":
      return checkImage(block, at);
    case "table": {
      const rows = checkList(block["rows"], 100, `${at}/rows`);
      for (const row of rows) checkList(row, 20, `${at}/rows`);
      if (JSON.stringify(rows).length > 20_000) throw new Refusal("msg_blocks_too_long");
      break;
    }
    default:
  }
}

function checkSection(block: Loose, at: string): void {
  const { text, fields, accessory } = block;
  if (text === undefined && fields === undefined) throw invalid("missing required field: text", at);
  if (text !== undefined) checkText(text, ["plain_text", "mrkdwn"], blockLimits.sectionText, `${at}/text`);
  if (fields !== undefined) {
    for (const [index, field] of checkList(fields, blockLimits.fields, `${at}/fields`).entries()) {
      checkText(field, ["plain_text", "mrkdwn"], blockLimits.fieldText, `${at}/fields/${index}`);
    }
  }
  if (accessory !== undefined) {
    if (!isObject(accessory)) throw invalid("must be an object", `${at}/accessory`);
    checkElement(accessory, "section", `${at}/accessory`);
  }
}

function checkInput(block: Loose, at: string): void {
  const { label, hint, element } = block;
  checkText(label, ["plain_text"], blockLimits.label, `${at}/label`);
  if (hint !== undefined) checkText(hint, ["plain_text"], blockLimits.hint, `${at}/hint`);
  for (const name of ["optional", "dispatch_action"]) {
    const flag = block[name];
    if (flag !== undefined && typeof flag !== "boolean") throw invalid("must be a boolean", `${at}/${name}`);
  }
  if (!isObject(element)) throw invalid("missing required field: element", at);
  checkElement(element, "input", `${at}/element`);
}

/** A picture by its address, or a file of the workspace's own; not both. */
function checkImage(block: Loose, at: string): void {
  const { alt_text: alt, title, image_url: url, slack_file: file } = block;
  checkString(alt, blockLimits.altText, `${at}/alt_text`);
  if (title !== undefined) checkText(title, ["plain_text"], blockLimits.imageTitle, `${at}/title`);
  if ((url === undefined) === (file === undefined)) throw invalid("must have one of: image_url, slack_file", at);
  if (url !== undefined) checkString(url, blockLimits.imageUrl, `${at}/image_url`);
  if (file !== undefined && !isObject(file)) throw invalid("must be an object", `${at}/slack_file`);
}

export interface ReadBlocks {
  text: string;
  markdown: string | undefined;
  buttons: ShownButton[][];
  menus: ShownMenu[];
  quiet: boolean;
  pings: string[];
}

/** What a person sees of checked blocks. */
export function readBlocks(blocks: readonly unknown[], nameOf: NameOf): ReadBlocks {
  const texts: string[] = [];
  const markdown: string[] = [];
  const buttons: ShownButton[][] = [];
  const menus: ShownMenu[] = [];
  const pings: string[] = [];
  let loud = false;
  const composed = (given: unknown): string => {
    if (!isObject(given)) return "";
    const text = str(given["text"]);
    if (given["type"] !== "mrkdwn") return text;
    pings.push(...pingsOfMrkdwn(text));
    return readMrkdwn(text, nameOf);
  };
  for (const block of blocks) {
    if (!isObject(block)) continue;
    const blockId = typeof block["block_id"] === "string" ? { blockId: block["block_id"] } : {};
    menus.push(...elementsIn(block).flatMap((one) => menuOf(one, composed(block["label"] ?? block["text"]))));
    switch (block["type"]) {
      case "markdown": {
        const source = str(block["text"]);
        const read = readMarkdown(source, nameOf);
        markdown.push(source);
        texts.push(read.text);
        pings.push(...read.pings);
        loud = true;
        break;
      }
      case "section": {
        const fields = Array.isArray(block["fields"]) ? (block["fields"] as unknown[]) : [];
        texts.push([block["text"], ...fields].map(composed).filter(Boolean).join("\n"));
        if (isObject(block["accessory"])) buttons.push(buttonsOf(block["accessory"], blockId));
        loud = true;
        break;
      }
      case "header":
        texts.push(composed(block["text"]));
        loud = true;
        break;
      case "context":
        texts.push((block["elements"] as unknown[]).map(composed).filter(Boolean).join(" "));
        break;
      case "actions":
        buttons.push((block["elements"] as Loose[]).flatMap((one) => buttonsOf(one, blockId)));
        break;
      case "input":
        texts.push(composed(block["label"]));
        loud = true;
        break;
      case "divider":
        break;
      case "rich_text":
        texts.push(readRichText(block, nameOf, pings));
        loud = true;
        break;
      case "table":
        texts.push(
          (block["rows"] as unknown[][])
            .map((row) => row.map((cell) => (isObject(cell) ? cellText(cell, nameOf, pings) : "")).join(" | "))
            .join("\n"),
        );
        loud = true;
        break;
      default:
        loud = true;
    }
  }
  return {
    text: texts.filter((text) => text !== "").join("\n\n"),
    markdown: markdown.length === 0 ? undefined : markdown.join("\n\n"),
    buttons: buttons.filter((row) => row.length > 0),
    menus,
    quiet: texts.length > 0 && !loud,
    pings,
  };
}

function cellText(cell: Loose, nameOf: NameOf, pings: string[]): string {
  return cell["type"] === "rich_text" ? readRichText(cell, nameOf, pings) : str(cell["text"]);
}

function buttonsOf(element: Loose, blockId: { blockId?: string }): ShownButton[] {
  const label = (given: unknown): string => (isObject(given) ? unescapeText(str(given["text"])) : "");
  const actionId = typeof element["action_id"] === "string" ? { actionId: element["action_id"] } : {};
  if (element["type"] === "button") {
    const { value, url, style } = element;
    return [
      {
        label: label(element["text"]),
        ...(typeof value === "string" ? { data: value } : {}),
        ...(typeof url === "string" ? { url } : {}),
        ...(typeof style === "string" ? { style } : {}),
        ...actionId,
        ...blockId,
      },
    ];
  }
  // Of several that are picked at once none is a press by itself.
  if (PICKED.has(str(element["type"]))) return [];
  return optionsOf(element).map((option) => ({
    label: label(option["text"]),
    data: str(option["value"]),
    select: true,
    ...actionId,
    ...blockId,
  }));
}

/** Elements of which several options can be picked at once. */
const PICKED: ReadonlySet<string> = new Set(["multi_static_select", "checkboxes"]);

/** The elements of a block that people touch. */
export function elementsIn(block: Loose): Loose[] {
  const { elements, accessory, element } = block;
  const many = block["type"] === "actions" && Array.isArray(elements) ? (elements as unknown[]) : [];
  return [...many, accessory, element].filter(isObject);
}

function menuOf(element: Loose, label: string): ShownMenu[] {
  if (!PICKED.has(str(element["type"]))) return [];
  const text = (given: unknown): string => (isObject(given) ? unescapeText(str(given["text"])) : "");
  return [
    {
      kind: str(element["type"]),
      label,
      placeholder: text(element["placeholder"]),
      options: optionsOf(element).map((option) => ({
        label: text(option["text"]),
        data: str(option["value"]),
        ...(isObject(option["description"]) ? { description: text(option["description"]) } : {}),
      })),
    },
  ];
}

/** A rich_text block as it is read, with whom it notifies. */
export function readRichText(block: Loose, nameOf: NameOf, pings: string[] = []): string {
  const read = (node: Loose): string => {
    switch (node["type"]) {
      case "text":
        return str(node["text"]);
      case "link":
        return str(node["text"] ?? node["url"]);
      case "emoji":
        return `:${str(node["name"])}:`;
      case "user":
        pings.push(str(node["user_id"]));
        return `@${nameOf(str(node["user_id"]))}`;
      case "channel":
        return `#${nameOf(str(node["channel_id"]))}`;
      case "usergroup":
        pings.push(str(node["usergroup_id"]));
        return `@${str(node["usergroup_id"])}`;
      case "broadcast":
        pings.push(str(node["range"]));
        return `@${str(node["range"])}`;
      default: {
        const children = Array.isArray(node["elements"]) ? (node["elements"] as Loose[]) : [];
        return children.map(read).join(node["type"] === "rich_text_list" || node["type"] === "rich_text" ? "\n" : "");
      }
    }
  };
  return read(block);
}

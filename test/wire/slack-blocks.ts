// Block Kit: which blocks the platform takes (limits of its reference pages) and what a person sees
// of them: text, buttons, whom they notify.
import type { AnyBlock } from "@slack/types";
import { Refusal } from "./slack-state.ts";
import type { ShownButton } from "./slack-state.ts";
import { pingsOfMrkdwn, readMarkdown, readMrkdwn, unescapeText } from "./slack-text.ts";
import type { NameOf } from "./slack-text.ts";

export type Surface = "message" | "modal" | "home";

/** Loose JSON of a block or element, before it is known to be one. */
type Loose = Record<string, unknown>;

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
  buttonText: 75,
  buttonValue: 2000,
  url: 3000,
  actionId: 255,
  blockId: 255,
  options: 100,
  optionText: 75,
  optionValue: 150,
  placeholder: 150,
  overflowOptions: 5,
  choiceOptions: 10,
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

function invalid(problem: string, at: string): Refusal {
  const message = `[ERROR] ${problem} [json-pointer:${at}]`;
  return new Refusal("invalid_blocks", {
    errors: [`${problem} [json-pointer:${at}]`],
    response_metadata: { messages: [message] },
  });
}

/** A field that is text where the platform took the block. */
function str(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isObject(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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
        checkElement(one, place);
      }
      break;
    }
    case "input": {
      checkText(block["label"], ["plain_text"], 2000, `${at}/label`);
      const element = block["element"];
      if (!isObject(element)) throw invalid("missing required field: element", at);
      return checkElement(element, `${at}/element`);
    }
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
    checkElement(accessory, `${at}/accessory`);
  }
}

function checkElement(element: Loose, at: string): void {
  const type = str(element["type"]);
  const id = element["action_id"];
  if (id !== undefined) checkString(id, blockLimits.actionId, `${at}/action_id`);
  switch (type) {
    case "button": {
      checkText(element["text"], ["plain_text"], blockLimits.buttonText, `${at}/text`);
      if (element["value"] !== undefined) checkString(element["value"], blockLimits.buttonValue, `${at}/value`, true);
      if (element["url"] !== undefined) {
        checkString(element["url"], blockLimits.url, `${at}/url`);
        if (!/^[a-z][a-z0-9+.-]*:/i.test(str(element["url"]))) throw invalid("must be a valid URL", `${at}/url`);
      }
      const style = element["style"];
      if (style !== undefined && style !== "primary" && style !== "danger") {
        throw invalid("must be one of: primary, danger", `${at}/style`);
      }
      break;
    }
    case "static_select":
    case "multi_static_select": {
      if (element["placeholder"] !== undefined) {
        checkText(element["placeholder"], ["plain_text"], blockLimits.placeholder, `${at}/placeholder`);
      }
      const groups = element["option_groups"];
      if (groups === undefined) return checkOptions(element["options"], blockLimits.options, `${at}/options`);
      for (const group of checkList(groups, blockLimits.options, `${at}/option_groups`)) {
        checkOptions(isObject(group) ? group["options"] : undefined, blockLimits.options, `${at}/option_groups`);
      }
      break;
    }
    case "overflow":
      return checkOptions(element["options"], blockLimits.overflowOptions, `${at}/options`);
    case "radio_buttons":
    case "checkboxes":
      return checkOptions(element["options"], blockLimits.choiceOptions, `${at}/options`);
    case "plain_text_input": {
      const max = element["max_length"];
      if (max !== undefined && (typeof max !== "number" || max < 1 || max > 3000)) {
        throw invalid("must be between 1 and 3000", `${at}/max_length`);
      }
      if (element["placeholder"] !== undefined) {
        checkText(element["placeholder"], ["plain_text"], blockLimits.placeholder, `${at}/placeholder`);
      }
      if (element["initial_value"] !== undefined) {
        checkString(element["initial_value"], typeof max === "number" ? max : 3000, `${at}/initial_value`, true);
      }
      break;
    }
    case "image":
    case "users_select":
    case "conversations_select":
    case "channels_select":
    case "datepicker":
    case "timepicker":
    case "feedback_buttons":
    case "icon_button":
    case "rich_text_input":
    case "number_input":
    case "email_text_input":
    case "url_text_input":
      return;
    default:
      throw invalid(`unsupported type: ${type}`, `${at}/type`);
  }
}

function checkOptions(given: unknown, max: number, at: string): void {
  for (const [index, option] of checkList(given, max, at).entries()) {
    if (!isObject(option)) throw invalid("must be an object", `${at}/${index}`);
    checkText(option["text"], ["plain_text", "mrkdwn"], blockLimits.optionText, `${at}/${index}/text`);
    checkString(option["value"], blockLimits.optionValue, `${at}/${index}/value`);
  }
}

function checkList(given: unknown, max: number, at: string): unknown[] {
  if (!Array.isArray(given)) throw invalid("must be an array", at);
  if (given.length === 0) throw invalid("must have at least 1 item", at);
  if (given.length > max) throw invalid(`no more than ${max} items allowed`, at);
  return given as unknown[];
}

function checkText(given: unknown, types: string[], max: number, at: string): void {
  if (!isObject(given) || !types.includes(str(given["type"]))) {
    throw invalid(`must be one of: ${types.join(", ")}`, `${at}/type`);
  }
  checkString(given["text"], max, `${at}/text`);
}

function checkString(given: unknown, max: number, at: string, mayBeEmpty = false): void {
  if (typeof given !== "string") throw invalid("must be a string", at);
  if (given.length === 0 && !mayBeEmpty) throw invalid("must be more than 0 characters", at);
  if (given.length > max) throw invalid(`must be less than ${max + 1} characters`, at);
}

export interface ReadBlocks {
  text: string;
  markdown: string | undefined;
  buttons: ShownButton[][];
  quiet: boolean;
  pings: string[];
}

/** What a person sees of checked blocks. */
export function readBlocks(blocks: readonly unknown[], nameOf: NameOf): ReadBlocks {
  const texts: string[] = [];
  const markdown: string[] = [];
  const buttons: ShownButton[][] = [];
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
  const groups = Array.isArray(element["option_groups"]) ? (element["option_groups"] as Loose[]) : [element];
  return groups
    .flatMap((group) => (Array.isArray(group["options"]) ? (group["options"] as Loose[]) : []))
    .map((option) => ({
      label: label(option["text"]),
      data: str(option["value"]),
      select: true,
      ...actionId,
      ...blockId,
    }));
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

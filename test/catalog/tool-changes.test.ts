// Which tools of an app are not the ones that were agreed to.
import { expect, it } from "vitest";
import { agreedTo, toolChanges } from "../../src/catalog/tool-changes.ts";

const tools = (...names: readonly string[]): { listed: string; digest: string }[] =>
  names.map((name) => {
    const [listed = "", version = "1"] = name.split("@");
    return { listed, digest: version.repeat(64) };
  });

it("A42, A74: new, changed and gone tools are told apart by their names, whatever those are", () => {
  const { tools: agreed } = agreedTo({}, { digest: "d", tools: tools("read", "constructor", "__proto__", "send@1") });
  const kept = JSON.parse(JSON.stringify(agreed)) as typeof agreed;
  expect(toolChanges(kept, tools("read", "send@2", "__proto__", "toString"))).toEqual({
    tools: { added: ["toString"], changed: ["send"], gone: ["constructor"] },
  });
});

it("A42: what was agreed to before stays agreed to, and of what older records hold nothing is claimed", () => {
  expect(agreedTo({ agreed: "old" }, { digest: "new", tools: tools("read") })).toEqual({ agreed: "old" });
  expect(agreedTo({}, undefined)).toEqual({});
  expect(toolChanges(undefined, tools("read"))).toEqual({});
});

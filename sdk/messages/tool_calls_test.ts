import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import * as fc from "fast-check";
import type { MessagesTool, ToolCall, ToolUseBlock } from "../protocol/mod.ts";
import { argumentsOf, toolCall, toolUseBlock } from "./tool_calls.ts";
import { chatTools } from "./to_chat_tools.ts";
import { chatName, namesBack } from "./tool_names.ts";

const json = fc.jsonValue({ noUnicodeString: false });
const object = fc.dictionary(fc.string({ unit: "grapheme" }), json, { noNullPrototype: true })
  .map((value): Record<string, unknown> => JSON.parse(JSON.stringify(value)));
const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,128}$/);
/** Opaque fields of a provider on a call, with texts that a careless conversion would change. */
const signatures = fc.record(
  { extra_content: object, thought_signature: fc.string({ unit: "grapheme" }), seen: json },
  { requiredKeys: [] },
).map((value): Record<string, unknown> => JSON.parse(JSON.stringify(value)));

const block: fc.Arbitrary<ToolUseBlock> = fc.record({ id: fc.string(), name, input: object })
  .chain((own) =>
    signatures.map((signed) => ({
      ...signed,
      ...own,
      type: "tool_use",
      caller: { type: "direct" },
    }))
  );

Deno.test("a tool_use block is returned from Chat unchanged", () => {
  fc.assert(fc.property(block, (use) => {
    const nameOf = namesBack([{ name: use.name, input_schema: {} }]);
    assertEquals(toolUseBlock(toolCall(use), nameOf), use);
  }));
});

Deno.test("a tool call is returned from Messages unchanged, its text to the byte", () => {
  const text = fc.oneof(
    object.map((value) => JSON.stringify(value)),
    object.map((value) => JSON.stringify(value, null, 2)),
    fc.constantFrom("", "{}", " {} ", '{"a":1.0}', '{"n":12345678901234567890}', '{"a":1,"a":2}'),
    fc.constantFrom("null", "[1]", '"text"', '{"cut":', "no JSON", '{"2":1,"1":2}'),
    fc.string(),
  );
  const call = fc.record({ id: fc.string(), name: fc.string({ maxLength: 64 }), text })
    .chain(({ id, name, text: written }) =>
      signatures.map((signed): ToolCall => ({
        ...signed,
        id,
        type: "function",
        function: { name, arguments: written },
      }))
    );
  fc.assert(fc.property(call, (one) => {
    const use = toolUseBlock(one, (same) => same);
    assertEquals(toolCall(JSON.parse(JSON.stringify(use))), one);
    assertEquals(argumentsOf(use), one.function.arguments);
  }));
});

Deno.test("a declaration says in Chat all that it said", () => {
  const tool = fc.record({ name, input_schema: object }).chain((own) =>
    fc.record(
      { description: fc.string(), strict: fc.boolean(), cache_control: object, extra: json },
      { requiredKeys: [] },
    ).map((more): MessagesTool => JSON.parse(JSON.stringify({ ...more, ...own })))
  );
  fc.assert(fc.property(tool, (declared) => {
    const [{ type, function: declaration, ...rest } = { type: "" }] = chatTools([declared]);
    const { name, parameters, ...about } = Object(declaration);
    assertEquals(type, "function");
    const back = namesBack([declared])(name);
    assertEquals({ ...rest, ...about, name: back, input_schema: parameters }, declared);
  }));
});

Deno.test("long names are shortened, each to its own", () => {
  const long = ["a".repeat(128), `${"a".repeat(127)}b`];
  const short = long.map(chatName);
  for (const one of short) assertMatch(one, /^a{55}_[0-9a-f]{8}$/);
  assertNotEquals(short[0], short[1]);
  assertEquals(chatName("b".repeat(64)), "b".repeat(64));
  const nameOf = namesBack(long.map((name) => ({ name, input_schema: {} })));
  assertEquals([...short, "other"].map(nameOf), [...long, "other"]);
  assertEquals(namesBack(null)("same"), "same");
});

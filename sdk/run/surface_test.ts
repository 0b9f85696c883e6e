import { assertEquals } from "@std/assert";
import { chatSurface } from "../chat/surface.ts";
import { messagesSurface } from "../messages/surface.ts";
import { responseSurface } from "../responses/surface.ts";

const named = { name: "weather", parameters: {} };
const functions = [{ type: "function", function: named }];
const hosted = [{ type: "web_search_preview" }];

/** Fields of a request, and whether its answer can be a call. */
type Cases = readonly (readonly [fields: Record<string, unknown>, mayCall: boolean])[];

const COMMON: Cases = [
  ...[{}, { tools: null }, { tools: [] }, { tools: hosted }].map((one) => [one, false] as const),
  // Refused before it is sent, by the conversion.
  ...[{ tools: 5 }, { tools: ["weather"] }].map((one) => [one, false] as const),
];

const CHAT: Cases = [
  ...COMMON,
  [{ tools: functions }, true],
  [{ tools: [...hosted, ...functions], tool_choice: "required" }, true],
  [{ tools: functions, tool_choice: "none" }, false],
  [{ tools: [{ type: "custom", custom: { name: "sql" } }] }, true],
  [{ functions: [named] }, true],
  [{ functions: [] }, false],
  [{ functions: [named], function_call: "none" }, false],
];

const RESPONSES: Cases = [
  ...COMMON,
  [{ tools: [{ type: "function", ...named }] }, true],
  [{ tools: [{ type: "custom", name: "sql" }], tool_choice: "auto" }, true],
  [{ tools: [{ type: "function", ...named }], tool_choice: "none" }, false],
];

const MESSAGES: Cases = [
  ...COMMON.filter(([{ tools }]) => JSON.stringify(tools) !== '["weather"]'),
  [{ tools: [{ name: "weather", input_schema: {} }] }, true],
  [{ tools: [{ type: "custom", name: "weather", input_schema: {} }] }, true],
  [{ tools: [{ type: "web_search_20250305", name: "web_search" }] }, false],
  [{ tools: [{ name: "weather", input_schema: {} }], tool_choice: { type: "none" } }, false],
];

for (
  const [name, cases, mayCallTools] of [
    ["Chat", CHAT, chatSurface.mayCallTools],
    ["Responses", RESPONSES, responseSurface.mayCallTools],
    ["Messages", MESSAGES, messagesSurface.mayCallTools],
  ] as const
) {
  Deno.test(`${name} knows of which requests the answer can be a call`, () => {
    for (const [fields, expected] of cases) {
      const request = JSON.parse(JSON.stringify({ messages: [], input: "Hi", ...fields }));
      assertEquals(mayCallTools?.(request), expected, JSON.stringify(fields));
    }
  });
}

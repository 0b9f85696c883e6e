import { assertEquals } from "@std/assert";
import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";
import { chatRequestSchema } from "./chat.ts";
import { requiring } from "./requirements.ts";
import { responsesRequestSchema } from "./responses.ts";

const CHAT = { model: "auto", messages: [{ role: "user", content: "Hi" }] };

/** Bodies of both endpoints that are refused for a field which only some values of another need. */
const REFUSED: readonly [z.ZodType, unknown][] = [
  ...[
    { messages: [{ role: "tool", content: "Rain" }] },
    { messages: [{ role: "user" }] },
    { messages: [{ role: "user", content: null }] },
    { messages: [{ role: "user", content: [{ type: "text" }] }] },
    { messages: [{ role: "user", content: [{ type: "image_url" }] }] },
    { tools: [{ type: "function" }] },
    { response_format: { type: "json_schema" } },
  ].map((change): [z.ZodType, unknown] => [chatRequestSchema, { ...CHAT, ...change }]),
  ...[
    { input: [{ type: "message", content: "Hi" }] },
    { input: [{ role: "tool", content: "Hi" }] },
    { input: [{ type: "function_call", name: "a", arguments: "{}" }] },
    { input: [{ type: "function_call", call_id: "a", arguments: "{}" }] },
    { input: [{ type: "function_call", call_id: "a", name: "a" }] },
    { input: [{ type: "function_call_output", output: "" }] },
    { input: [{ type: "item_reference", id: "" }] },
    { input: [{}] },
    { input: [{ role: "user" }] },
    { input: [{ role: "user", content: 5 }] },
    { input: [{ type: "function_call_output", call_id: "a", output: null }] },
    {},
    { input: [] },
    { input: null, instructions: "", previous_response_id: null },
    { input: "Hi", tools: [{ type: "function" }] },
    { input: "Hi", tool_choice: { type: "function" } },
    { input: "Hi", text: { format: { type: "json_schema", name: "a" } } },
  ].map((body): [z.ZodType, unknown] => [responsesRequestSchema, { model: "auto", ...body }]),
];

Deno.test("the description refuses each request that a rule refuses", () => {
  const ajv = new Ajv2020({ strict: false });
  for (const [schema, body] of REFUSED) {
    const described = ajv.compile(z.toJSONSchema(schema, { unrepresentable: "any" }));
    const text = JSON.stringify(body);
    assertEquals([schema.safeParse(body).success, described(body)], [false, false], text);
  }
});

Deno.test("a rule requires nothing unless it applies, and can require one of several fields", () => {
  const schema = requiring(
    z.looseObject({ kind: z.string().nullish(), a: z.string().nullish(), b: z.string().nullish() }),
    [
      {
        when: { kind: ["either"] },
        fields: ["a", "b"],
        message: "expected a or b",
        least: "empty",
      },
      { when: { kind: null }, fields: ["b"], message: "expected b" },
    ],
  );
  const described = new Ajv2020({ strict: false }).compile(z.toJSONSchema(schema));
  const rows: [Record<string, unknown>, boolean][] = [
    [{ kind: "other" }, true],
    [{ kind: "either", b: "x" }, true],
    [{ kind: "either", a: "", b: "x" }, true],
    [{ kind: "either", a: "" }, false],
    [{ kind: "either", a: null }, false],
    [{ kind: "either" }, false],
    [{}, false],
    [{ kind: null }, false],
    [{ b: null }, true],
  ];
  for (const [value, isTaken] of rows) {
    const both = [schema.safeParse(value).success, described(value)];
    assertEquals(both, [isTaken, isTaken], JSON.stringify(value));
  }
});

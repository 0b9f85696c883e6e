import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { z } from "zod";
import { type Tool, type ToolContext, ToolError } from "./tool.ts";
import { tool } from "./typed_tool.ts";

const CONTEXT: ToolContext = { toolCallId: "call_1", signal: new AbortController().signal };

function call({ execute }: Tool, input: unknown): Promise<unknown> {
  return Promise.resolve(execute?.(input, CONTEXT));
}

const order = tool({
  name: "order",
  description: "Orders things",
  parameters: {
    type: "object",
    properties: {
      item: { type: "string" },
      count: { type: "integer", minimum: 1 },
      size: { enum: ["small", "large"] },
      notes: { type: "array", items: { type: ["string", "null"] } },
      gift: { const: true },
      to: { anyOf: [{ type: "string" }, { type: "number" }] },
      more: { type: "object" },
      rest: { type: "array" },
    },
    required: ["item", "count"],
    additionalProperties: false,
  },
  timeoutMs: 5,
  execute(input, context) {
    // Only compiles where the input is typed from the schema.
    const item: string = input.item;
    const count: number = input.count;
    const size: "small" | "large" | undefined = input.size;
    const notes: readonly (string | null)[] | undefined = input.notes;
    const gift: true | undefined = input.gift;
    const to: string | number | undefined = input.to;
    const more: Readonly<Record<string, unknown>> | undefined = input.more;
    const rest: readonly unknown[] | undefined = input.rest;
    return { item, count, size, notes, gift, to, more, rest, id: context.toolCallId };
  },
});

Deno.test("input that fits a JSON Schema reaches the tool, with its context", async () => {
  const input = { item: "tea", count: 2, size: "large", notes: ["hot", null], gift: true };
  const result = await call(order, input);
  assertEquals(result, { ...input, to: undefined, more: undefined, rest: undefined, id: "call_1" });
  assertEquals([order.name, order.description, order.timeoutMs], ["order", "Orders things", 5]);
});

Deno.test("input that does not fit never reaches the tool, and the model reads the reason", async () => {
  const error = await assertRejects(() => call(order, { count: 0, size: "xl", x: 1 }), ToolError);
  assertEquals(error.code, "invalid_tool_arguments");
  assertEquals(
    error.message,
    "The arguments do not fit the parameters: count: expected at least 1; " +
      'size: expected one of "small", "large"; "item" is missing; ' +
      '"x" is not known; known are: item, count, size, notes, gift, to, more, rest',
  );
  await assertRejects(() => call(order, null), ToolError, "expected object");
});

Deno.test("the text for the model is bounded, for any input", async () => {
  const input = { item: "tea", count: 1, notes: Array(10_000).fill(1) };
  const error = await assertRejects(() => call(order, input), ToolError);
  assertStringIncludes(error.message, "and 9995 more");
  const names = { item: "tea", count: 1, ["x".repeat(100_000)]: 1 };
  const long = await assertRejects(() => call(order, names), ToolError);
  assertEquals(long.message.length < 500, true);
});

Deno.test("zod schemas type the input, convert it, and are declared as JSON Schema", async () => {
  const greet = tool({
    name: "greet",
    description: "Greets",
    parameters: z.strictObject({
      name: z.string().trim().describe("Whom"),
      times: z.number().int().default(1),
      tags: z.array(z.string()).optional(),
    }),
    execute({ name, times, tags }) {
      const count: number = times;
      const list: string[] | undefined = tags;
      return [name, count, list];
    },
  });
  assertEquals(await call(greet, { name: " Ada " }), ["Ada", 1, undefined]);
  const properties = z.looseObject({ name: z.unknown() }).parse(greet.parameters.properties);
  assertEquals(properties.name, { type: "string", description: "Whom" });
  assertEquals(greet.parameters.required, ["name"]);
  const error = await assertRejects(() => call(greet, { name: "a", tags: ["b", 1] }), ToolError);
  assertEquals(error.code, "invalid_tool_arguments");
  assertStringIncludes(error.message, "tags.1: ");
});

Deno.test("an undeclared member never reaches the tool", async () => {
  const seen = tool({
    name: "seen",
    description: "Tells what it is given",
    parameters: z.object({ a: z.string().optional() }),
    execute: (input) => Reflect.ownKeys(input),
  });
  const hostile = JSON.parse('{"__proto__": {"admin": true}, "constructor": 1, "b": 2}');
  assertEquals(await call(seen, hostile), []);
});

Deno.test("other schema libraries that speak the standard are understood", async () => {
  const even = tool({
    name: "even",
    description: "Halves",
    parameters: {
      "~standard": {
        jsonSchema: { input: () => ({ type: "object" }) },
        validate: (value: unknown) =>
          Promise.resolve(
            Object(value).n % 2 === 0
              ? { value: { n: Number(Object(value).n) } }
              : { issues: [{ message: "expected even", path: [{ key: "n" }] }, { message: "no" }] },
          ),
      },
    },
    execute: ({ n }) => n / 2,
  });
  assertEquals(await call(even, { n: 4 }), 2);
  await assertRejects(() => call(even, { n: 3 }), ToolError, "n: expected even; no");
});

Deno.test("a tool with a wrong name or schema is refused when it is made", () => {
  const rest = { description: "", execute: () => 1 };
  for (const name of ["", "a b", "x".repeat(65), "ü"]) {
    assertThrows(() => tool({ ...rest, name, parameters: {} }), TypeError, "Cannot name a tool");
  }
  const parameters = { dependentRequired: {} };
  assertThrows(() => tool({ ...rest, name: "a", parameters }), TypeError, "dependentRequired");
  for (const schema of [{}, { type: "string" }, { anyOf: [{ type: "object" }] }, z.string()]) {
    const make = () => tool({ ...rest, name: "a", parameters: schema });
    assertThrows(make, TypeError, 'must be of the type "object"');
  }
  // What zod 3 and 4.0 offer.
  const old = JSON.parse('{"~standard": {"version": 1, "vendor": "zod"}}');
  assertThrows(() => tool({ ...rest, name: "a", parameters: old }), TypeError, "from 4.2 on");
});

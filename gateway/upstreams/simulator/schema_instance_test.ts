import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { z } from "zod";
import { instanceOf } from "./schema_instance.ts";

function valueOf(schema: unknown, hints: readonly string[] = []): unknown {
  const instance = instanceOf(schema, { hints });
  assert(instance !== undefined, `No instance of ${JSON.stringify(schema)}`);
  return instance.value;
}

const CASES: readonly (readonly [unknown, unknown])[] = [
  [{ type: "string" }, "simulated"],
  [{ type: "string", minLength: 12 }, "simulatedsim"],
  [{ type: "string", maxLength: 3 }, "sim"],
  [{ type: "string", format: "email", pattern: "@" }, "simulator@example.com"],
  [{ type: "string", format: "date-time" }, "2026-01-01T00:00:00Z"],
  [{ type: "integer" }, 0],
  [{ type: "integer", minimum: 2.5 }, 3],
  [{ type: "integer", exclusiveMinimum: 3 }, 4],
  [{ type: "integer", maximum: -2.5 }, -3],
  [{ type: "integer", exclusiveMaximum: -2 }, -3],
  [{ type: "number", minimum: 2.5 }, 2.5],
  [{ type: "number", exclusiveMinimum: 2, exclusiveMaximum: 2.5 }, 2.25],
  [{ type: "number", exclusiveMaximum: 0 }, -1],
  [{ type: "number", minimum: 7, multipleOf: 5 }, 10],
  [{ type: "boolean" }, false],
  [{ type: "null" }, null],
  [{ type: ["null", "string"] }, null],
  [{ type: ["string", "null"] }, "simulated"],
  [{ enum: ["a", "b"] }, "a"],
  [{ type: "integer", enum: ["a", 2] }, 2],
  [{ type: ["array", "null"], enum: ["a", {}, null, []] }, null],
  [{ const: { a: 1 } }, { a: 1 }],
  [{ type: "array", items: { type: "null" } }, []],
  [{ minItems: 2, items: { type: "null" } }, [null, null]],
  [{ prefixItems: [{ const: 1 }], minItems: 2, items: { const: 2 } }, [1, 2]],
  [{ minimum: 3 }, 3],
  [{}, "simulated"],
  [true, "simulated"],
  [{ type: "object", properties: { a: { const: 1 }, b: {} }, required: ["a"] }, { a: 1 }],
  [{ properties: { a: { const: 1 } }, minProperties: 1 }, { a: 1 }],
  [{ additionalProperties: { const: 2 }, minProperties: 1 }, { key1: 2 }],
  [{ required: ["x"], additionalProperties: { type: "integer" } }, { x: 0 }],
  [{ anyOf: [false, { type: "null" }] }, null],
  [{ oneOf: [{ type: "string", pattern: "x" }, { const: 1 }] }, 1],
  [{ allOf: [{ minimum: 1 }, { minimum: 3 }, { type: "integer" }] }, 3],
  [{ allOf: [{ anyOf: [{ const: 1 }, { const: 2 }] }, { anyOf: [{ const: 2 }] }] }, 2],
  [{ allOf: [{ items: { minimum: 2 } }, { items: { minimum: 1 }, minItems: 1 }] }, [2]],
  [{ allOf: [{ enum: [1, { a: 1 }] }, { enum: ["x", { a: 1 }], title: "t" }, true] }, { a: 1 }],
  [{ allOf: [{ maxLength: 9, allOf: [{ maxLength: 2 }] }, { allOf: [{ minLength: 1 }] }] }, "si"],
  [{ allOf: [{ const: 1, title: "a" }, { const: 1, title: "b" }] }, 1],
  [{ allOf: [{ type: "integer" }, { type: ["number", "null"] }] }, 0],
  [
    {
      allOf: [{ additionalProperties: { const: 3 } }, { properties: { a: {} } }],
      minProperties: 1,
    },
    {
      a: 3,
    },
  ],
  [{ allOf: [{ properties: 1 }, { properties: {} }] }, {}],
  [{ required: [{ toString: 1 }, "a"] }, { a: "simulated" }],
  [{ $ref: "#/$defs/a~1b", $defs: { "a/b": { const: 5 } } }, 5],
  [{ $ref: "#/definitions/n", minimum: 3, definitions: { n: { type: "number" } } }, 3],
];

Deno.test("instanceOf() makes the smallest instance", () => {
  for (const [schema, value] of CASES) assertEquals(valueOf(schema), value, JSON.stringify(schema));
});

Deno.test("instanceOf() joins what allOf says of one property", () => {
  const schema = {
    allOf: [
      { properties: { a: { type: ["string", "number"] } }, required: ["a"] },
      { properties: { a: { type: "integer", minimum: 4 } } },
      { properties: { a: { multipleOf: 3 } }, uniqueItems: true },
      { properties: { a: { multipleOf: 2 } }, uniqueItems: false },
    ],
  };
  assertEquals(valueOf(schema), { a: 6 });
});

Deno.test("instanceOf() ends on recursive schemas", () => {
  const list = {
    $defs: {
      node: {
        type: "object",
        properties: { next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
        required: ["next"],
      },
    },
    $ref: "#/$defs/node",
  };
  assertEquals(valueOf(list), { next: null });
  assertEquals(instanceOf({ properties: { self: { $ref: "#" } }, required: ["self"] }), undefined);
});

const WITHOUT: readonly unknown[] = [
  false,
  { type: "nonsense" },
  { type: "string", pattern: "^x$" },
  { type: "string", minLength: 3, maxLength: 2 },
  { type: "string", minLength: 1e9 },
  { type: "string", format: "uuid", maxLength: 3 },
  { type: "integer", minimum: 1, maximum: 0 },
  { type: "integer", exclusiveMinimum: 1, exclusiveMaximum: 2 },
  { type: "array", minItems: 1e9 },
  { type: "array", minItems: 2, maxItems: 1 },
  { type: "array", minItems: 2, uniqueItems: true },
  { type: "object", minProperties: 1e9 },
  { required: ["x"], additionalProperties: false },
  { required: ["x"], properties: { x: false } },
  { not: {} },
  { $ref: "https://example.com/schema" },
  { $ref: "#/$defs/absent" },
  { $ref: "#/$defs/toString", $defs: {} },
  { allOf: [{ const: 1 }, { const: 2 }] },
  { allOf: [true, false] },
  { allOf: [{ additionalProperties: false }, { properties: { a: {} }, required: ["a"] }] },
  { allOf: [{ type: "string" }, { type: "number" }] },
  { type: "integer", enum: ["a"] },
];

Deno.test("instanceOf() has no instance rather than a wrong one", () => {
  for (const schema of WITHOUT) {
    assertEquals(instanceOf(schema), undefined, JSON.stringify(schema));
  }
});

Deno.test("instanceOf() gives up on schemas that branch without end", () => {
  const branches = Array.from({ length: 12 }, (_, index) => ({ $ref: `#/$defs/${index}` }));
  const node = { required: ["a"], properties: { a: { anyOf: branches } } };
  const $defs = Object.fromEntries(branches.map((_, index) => [index, node]));
  assertEquals(instanceOf({ ...node, $defs }), undefined);
});

Deno.test("instanceOf() gives up on schemas that are too deep", () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`n${index}`, { $ref: `#/$defs/n${index + 1}` }]),
  );
  assertEquals(instanceOf({ $ref: "#/$defs/n0", $defs }), undefined);
  let nested: unknown = { type: "null" };
  for (let level = 0; level < 150; level++) nested = { items: nested, minItems: 1 };
  assert(instanceOf(nested) !== undefined);
  for (let level = 0; level < 100; level++) nested = { items: nested, minItems: 1 };
  assertEquals(instanceOf(nested), undefined);
});

Deno.test("instanceOf() uses hints for texts that may be anything", () => {
  const text = { type: "string" };
  const schema = {
    properties: { city: text, unit: { enum: ["C"] }, day: { ...text, maxLength: 3 }, more: text },
    required: ["city", "unit", "day", "more"],
  };
  assertEquals(valueOf(schema, ["Paris", "Monday"]), {
    city: "Paris",
    unit: "C",
    day: "sim",
    more: "Monday",
  });
});

Deno.test("instanceOf() takes hostile property names as names", () => {
  const schema = JSON.parse('{"properties":{"__proto__":{"const":1}},"required":["__proto__"]}');
  assertEquals(JSON.stringify(valueOf(schema)), '{"__proto__":1}');
  assertEquals(Object.hasOwn(Object(valueOf({ required: ["toString"] })), "toString"), true);
});

const bounds = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.nat(50));
const format = fc.constantFrom("date-time", "email", "uuid", "uri", "date", "ipv4");

const { schema: arbitrarySchema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom({ type: "boolean" }, { type: "null" }, { enum: ["x", 1] }, { const: "c" }),
    bounds.map(([low, more]) => ({ type: "integer", minimum: low, maximum: low + more })),
    bounds.map(([low, more]) => ({
      type: "number",
      minimum: low,
      exclusiveMaximum: low + more + 1,
    })),
    fc.nat(30).map((least) => ({ type: "string", minLength: least, maxLength: least + 5 })),
    format.map((format) => ({ type: "string", format })),
    fc.record({ items: tie("schema"), minItems: fc.nat(3) })
      .map((array) => ({ type: "array", ...array })),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), tie("schema"), { maxKeys: 4 })
      .map((properties) => ({
        type: "object",
        properties,
        required: Object.keys(properties).filter((_, index) => index % 2 === 0),
        additionalProperties: false,
      })),
  ),
}));

Deno.test("instances of any schema satisfy an independent validator", () => {
  fc.assert(
    fc.property(arbitrarySchema, (schema) => {
      const outcome = z.fromJSONSchema(schema).safeParse(valueOf(schema));
      assert(outcome.success, JSON.stringify({ schema, value: valueOf(schema), outcome }));
    }),
    { numRuns: 300 },
  );
});

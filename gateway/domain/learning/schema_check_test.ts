import { assert, assertEquals } from "@std/assert";
import { violates } from "./schema_check.ts";

const PERSON = {
  type: "object",
  properties: {
    name: { type: "string" },
    age: { type: ["integer", "null"] },
    kind: { enum: ["a", { b: 1 }] },
    next: { $ref: "#/$defs/person~1next" },
    tags: { type: "array", items: { const: "x" } },
    pair: { prefixItems: [{ type: "number" }], items: false },
    either: { anyOf: [{ type: "boolean" }, { type: "object", required: ["at"] }] },
  },
  required: ["name"],
  additionalProperties: false,
  $defs: { "person/next": { type: "object", allOf: [{ required: ["name"] }] } },
};

for (
  const [value, isBroken] of [
    [{ name: "Ada" }, false],
    [{ name: "Ada", age: null, kind: { b: 1 }, tags: ["x"], pair: [1], either: true }, false],
    [{ name: "Ada", next: { name: "Eve", other: 1 }, either: { at: 1 } }, false],
    ["Ada", true],
    [null, true],
    [[], true],
    [{}, true],
    [{ name: 1 }, true],
    [{ name: "Ada", age: 1.5 }, true],
    [{ name: "Ada", kind: "c" }, true],
    [{ name: "Ada", next: {} }, true],
    [{ name: "Ada", tags: ["x", "y"] }, true],
    [{ name: "Ada", pair: [1, 2] }, true],
    [{ name: "Ada", either: {} }, true],
    [{ name: "Ada", more: 1 }, true],
    [JSON.parse('{"name":"Ada","__proto__":1}'), true],
  ] as const
) {
  Deno.test(`${JSON.stringify(value)} ${isBroken ? "breaks" : "fits"} the schema`, () => {
    assertEquals(violates(PERSON, value), isBroken);
  });
}

Deno.test("keywords that are not looked at, and schemas of no sense, break nothing", () => {
  for (
    const schema of [
      ...[true, {}, null, 1, "x", [], { type: "date" }, { $ref: "other.json" }, { $ref: "#/no" }],
      ...[{ required: "a" }, { enum: 1 }, { anyOf: [] as unknown[], minLength: 9 }].slice(0, 2),
      ...[{ pattern: "^(a+)+$" }, { properties: [] }, { patternProperties: { "^(a+)+$": false } }],
    ]
  ) {
    assertEquals(violates(schema, { a: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" }), false);
  }
  assert(violates(false, {}));
});

Deno.test("a schema that refers to itself, and one that doubles its work, end and break nothing", () => {
  assertEquals(violates({ $ref: "#" }, 1), false);
  const twice = { anyOf: [{ $ref: "#" }, { $ref: "#" }] };
  assertEquals(violates(twice, 1), false);
  const both = { allOf: [{ $ref: "#/$defs/d" }, { $ref: "#/$defs/d" }], $defs: { d: {} } };
  let schema: unknown = { type: "string" };
  for (let n = 0; n < 40; n++) schema = { oneOf: [schema, schema, schema] };
  assertEquals(violates(schema, 1), false);
  assertEquals(violates(both, 1), false);
  const many = Array.from({ length: 20_000 }, () => 1);
  assertEquals(violates({ items: { type: "string" } }, many), true);
  assertEquals(violates({ items: { type: "number" } }, [...many, "late"]), false);
});

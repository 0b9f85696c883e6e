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

for (
  const [name, schemaOf] of [
    ["const", (large: object) => ({ const: large })],
    ["enum", (large: object) => ({ enum: [large, large, large] })],
    ["required", (large: object) => ({ required: large })],
    ["type", (large: object) => ({ type: large })],
    ["$ref", () => ({ $ref: `#${"/self".repeat(300)}` })],
  ] as const
) {
  Deno.test(`the work of "${name}" is bounded, however large the schema`, () => {
    let reads = 0;
    const large = new Proxy(Array(300).fill("string"), {
      get: (target, at) => (reads++, Reflect.get(target, at)),
    });
    const root = {
      items: { anyOf: [schemaOf(large), true] },
      get self() {
        return reads++, root;
      },
    };
    const item = name === "required" ? { string: 1 } : {};
    assertEquals(violates(root, Array(1_000).fill(item)), false);
    // 10 000 steps, of which each may read a length, a method and an element.
    assert(reads < 40_000, `${reads} reads`);
  });
}

Deno.test("values are compared by their members, whatever their order", () => {
  const constant = { const: { a: [1, { b: null }], c: "x" } };
  assertEquals(violates(constant, { c: "x", a: [1, { b: null }] }), false);
  const others = [
    ...[{ c: "x", a: [1, { b: 0 }] }, { c: "x", a: [1] }, { c: "x" }, [1, { b: null }], null],
    ...[{ c: "x", a: [1, { b: null }], d: 1 }, { c: "x", a: { 0: 1, 1: { b: null } } }],
  ];
  for (const other of others) assertEquals(violates(constant, other), true);
});

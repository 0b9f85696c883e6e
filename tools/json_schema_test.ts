import { assertEquals, assertThrows } from "@std/assert";
import { schemaValidator } from "./json_schema.ts";

type Schema = Record<string, unknown>;

/** Returns the violations, each as `path: message`. */
function issues(schema: Schema, value: unknown): string[] {
  return schemaValidator(schema)(value).map(({ path, message }) => `${path}: ${message}`);
}

const FITTING: readonly (readonly [Schema, unknown])[] = [
  [{}, null],
  [{ type: "null" }, null],
  [{ type: ["string", "null"] }, null],
  [{ type: "integer" }, 2.0],
  [{ type: "number", multipleOf: 0.1 }, 0.3],
  [{ type: "boolean" }, false],
  [{ enum: [{ a: 1, b: [2] }] }, { b: [2], a: 1 }],
  [{ const: "x" }, "x"],
  [{ minimum: 1, exclusiveMaximum: 2 }, 1],
  [{ minimum: 1 }, "not a number"],
  [{ maxLength: 1 }, "😀"],
  [{ pattern: "^a+$" }, "aaa"],
  [{ pattern: "^a+$" }, 5],
  [{ uniqueItems: true }, [1, "1"]],
  [{ required: ["a"], properties: { a: {} } }, { a: undefined }],
  [{ required: ["a"] }, []],
  [{ patternProperties: { "^x": { type: "number" } }, additionalProperties: false }, { x1: 1 }],
  [{ additionalProperties: { type: "number" } }, { a: 1 }],
  [{ additionalProperties: true }, { a: 1 }],
  [{ prefixItems: [{ type: "string" }], items: { type: "number" } }, ["a", 1, 2]],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 2],
  [{ anyOf: [{ type: "string" }, { type: "number" }] }, 2],
  [{ oneOf: [{ minimum: 5 }, { maximum: 2 }] }, 2],
  [{ not: { type: "string" } }, 2],
  [{ $ref: "#/$defs/a~1b", $defs: { "a/b": { type: "string" } } }, "x"],
  [{ format: "date", title: "", "x-order": 1 }, "not a date: formats are annotations"],
  [{ minProperties: 1, maxProperties: 1 }, { a: 1 }],
  [{ minItems: 1 }, [1]],
];

Deno.test("values that fit their schema", () => {
  for (const [schema, value] of FITTING) {
    assertEquals(issues(schema, value), [], JSON.stringify(schema));
  }
});

const UNFIT: readonly (readonly [Schema, unknown, ...string[]])[] = [
  [{ type: "string" }, 1, ": expected string"],
  [{ type: ["string", "null"] }, 1, ": expected string or null"],
  [{ type: "object" }, [], ": expected object"],
  [{ type: "array" }, {}, ": expected array"],
  [{ type: "integer" }, 1.5, ": expected integer"],
  [{ type: "number" }, true, ": expected number"],
  [{ type: "what" }, true, ": expected what"],
  [{ type: "string", minLength: 3 }, 1, ": expected string"],
  [{ enum: ["a", 1] }, "b", ': expected one of "a", 1'],
  [{ const: [1] }, [2], ": expected [1]"],
  [{ minimum: 1 }, 0, ": expected at least 1"],
  [{ maximum: 1 }, 2, ": expected at most 1"],
  [{ exclusiveMinimum: 1 }, 1, ": expected > 1"],
  [{ exclusiveMaximum: 1 }, 1, ": expected < 1"],
  [{ multipleOf: 0.1 }, 0.35, ": expected a multiple of 0.1"],
  [{ minLength: 2 }, "a", ": expected at least 2 characters"],
  [{ maxLength: 2 }, "abc", ": expected at most 2 characters"],
  [{ minItems: 1 }, [], ": expected at least 1 items"],
  [{ maxItems: 1 }, [1, 2], ": expected at most 1 items"],
  [{ minProperties: 1 }, {}, ": expected at least 1 properties"],
  [{ maxProperties: 0 }, { a: 1 }, ": expected at most 0 properties"],
  [{ pattern: "^a" }, "b", ": expected text that matches ^a"],
  [{ uniqueItems: true }, [{ a: 1 }, { a: 1 }], ": expected no item twice"],
  [{ required: ["toString"] }, {}, ': "toString" is missing'],
  [{ properties: { a: { type: "string" } } }, { a: 1 }, "a: expected string"],
  [{ properties: { a: false } }, { a: 1 }, "a: expected nothing here"],
  [
    { items: { properties: { b: { minimum: 1 } } } },
    [{ b: 1 }, { b: 0 }],
    "[1].b: expected at least 1",
  ],
  [
    { properties: { a: {} }, additionalProperties: false },
    { b: 1 },
    ': "b" is not known; known are: a',
  ],
  [{ additionalProperties: false }, { b: 1 }, ': "b" is not known; known are: none'],
  [{ additionalProperties: { type: "number" } }, { b: "" }, "b: expected number"],
  [
    { prefixItems: [{}, { type: "string" }], items: false },
    [1, 2, 3],
    "[1]: expected string",
    "[2]: expected nothing here",
  ],
  [
    { allOf: [{ minimum: 1 }, { maximum: 0 }] },
    0.5,
    ": expected at least 1",
    ": expected at most 0",
  ],
  [{ anyOf: [{ required: ["a", "b"] }, { required: ["c"] }] }, {}, ': "c" is missing'],
  [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, ": expected to fit one alternative only"],
  [{ oneOf: [{ minimum: 1 }] }, 0, ": expected at least 1"],
  [{ not: {} }, 0, ": expected something that is not excluded"],
];

Deno.test("values that do not fit, and their messages", () => {
  for (const [schema, value, ...expected] of UNFIT) {
    assertEquals(issues(schema, value), expected, JSON.stringify(schema));
  }
});

Deno.test("a restriction that cannot be checked is refused, not ignored", () => {
  const refused: readonly (readonly [Schema, string])[] = [
    [{ if: {} }, '"if" is not supported'],
    [{ properties: { a: { unevaluatedItems: false } } }, '"unevaluatedItems" is not supported'],
    [{ allOf: [{ $dynamicRef: "#a" }] }, '"$dynamicRef" is not supported'],
    [{ $ref: "#/$defs/none" }, 'there is no "#/$defs/none" in it'],
    [{ $ref: "https://example.com/schema" }, "there is no"],
    [{ $ref: "#/%" }, 'there is no "#/%"'],
    [{ properties: { a: 5 } }, "expected an object, got 5"],
  ];
  for (const [schema, message] of refused) {
    assertThrows(() => schemaValidator(schema), TypeError, message);
  }
  assertThrows(() => schemaValidator({ pattern: "(" }), SyntaxError);
});

Deno.test("a schema that refers to itself is followed, to a depth", () => {
  const schema = { properties: { next: { $ref: "#" } }, additionalProperties: false };
  assertEquals(issues(schema, { next: { next: { next: {} } } }), []);
  assertEquals(issues(schema, { next: { other: 1 } }), [
    'next: "other" is not known; known are: next',
  ]);
  let deep: unknown = {};
  for (let depth = 0; depth < 10_000; depth++) deep = { next: deep };
  const tooMuch = ["too large, or nested too deeply"];
  assertEquals(schemaValidator(schema)(deep).map(({ message }) => message), tooMuch);
  const not = schemaValidator({
    ...schema,
    not: { required: ["a"], properties: { next: schema } },
  });
  assertEquals(not(deep).map(({ message }) => message), tooMuch, "what is unchecked never fits");
  assertEquals(issues({ enum: ["a"] }, deep), [': expected one of "a"']);
});

Deno.test("alternatives that refer to themselves take no exponential time", () => {
  const branch = (op: string) => ({
    properties: { op: { const: op }, of: { $ref: "#" } },
    required: ["op"],
  });
  const validate = schemaValidator({ anyOf: [{ type: "number" }, branch("a"), branch("b")] });
  const nested = (depth: number): unknown => depth === 0 ? 1 : { op: "b", of: nested(depth - 1) };
  assertEquals(validate(nested(8)), []);
  assertEquals(validate(nested(30)), [{ path: "", message: "too large, or nested too deeply" }]);
});

Deno.test("names of object prototypes are names like others", () => {
  const named = (schema: string) => JSON.parse(schema);
  const proto = named('{"properties": {"__proto__": {"type": "number"}}}');
  assertEquals(issues(proto, named('{"__proto__": "x"}')), ["__proto__: expected number"]);
  const closed = { properties: {}, additionalProperties: false };
  for (const name of ["__proto__", "constructor", "toString"]) {
    const [issue] = issues(closed, named(`{"${name}": {"polluted": true}}`));
    assertEquals(issue, `: "${name}" is not known; known are: none`);
  }
  assertEquals(Reflect.get({}, "polluted"), undefined);
  assertThrows(() => schemaValidator({ $ref: "#/__proto__" }), TypeError, "there is no");
});

Deno.test("a schema that is changed afterwards changes nothing", () => {
  const schema: Schema = { type: "string" };
  const validate = schemaValidator(schema);
  schema.type = "number";
  assertEquals(validate("x"), []);
});

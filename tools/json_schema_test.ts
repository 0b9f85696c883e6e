import { assertEquals, assertThrows } from "@std/assert";
import { schemaValidator } from "./json_schema.ts";
import { sharedCases } from "./shared_cases_test.ts";

type Schema = Record<string, unknown>;

const CASES = sharedCases<{
  readonly fitting: readonly { readonly schema: Schema; readonly value: unknown }[];
  readonly unfit: readonly {
    readonly schema: Schema;
    readonly value: unknown;
    readonly issues: string[];
  }[];
  readonly refused: readonly { readonly schema: Schema; readonly message: string }[];
}>("schema");

/** Returns the violations, each as `path: message`. */
function issues(schema: Schema, value: unknown): string[] {
  return schemaValidator(schema)(value).map(({ path, message }) => `${path}: ${message}`);
}

Deno.test("values that fit their schema", () => {
  for (const { schema, value } of CASES.fitting) {
    assertEquals(issues(schema, value), [], JSON.stringify(schema));
  }
  const declared = { required: ["a"], properties: { a: {} } };
  assertEquals(issues(declared, { a: undefined }), [], "a member without a value is one");
});

Deno.test("values that do not fit, and their messages", () => {
  for (const { schema, value, issues: expected } of CASES.unfit) {
    assertEquals(issues(schema, value), expected, JSON.stringify(schema));
  }
});

Deno.test("a restriction that cannot be checked is refused, not ignored", () => {
  for (const { schema, message } of CASES.refused) {
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
});

Deno.test("a schema that is changed afterwards changes nothing", () => {
  const schema: Schema = { type: "string" };
  const validate = schemaValidator(schema);
  schema.type = "number";
  assertEquals(validate("x"), []);
});

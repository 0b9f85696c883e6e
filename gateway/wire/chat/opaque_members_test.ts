import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { UpstreamCut } from "../../ports/upstream.ts";
import { ANSWER_MAX_CHARS, CharBudget } from "../text/char_budget.ts";
import { OpaqueMembers } from "./opaque_members.ts";

function membersOf(...readings: readonly string[]): OpaqueMembers {
  const opaque = new OpaqueMembers();
  const budget = new CharBudget();
  for (const extra_content of readings) opaque.add({ extra_content }, budget);
  return opaque;
}

function text(...readings: readonly string[]): string | undefined {
  return membersOf(...readings).texts().get("extra_content");
}

Deno.test("a lone reading keeps its bytes, also where it comes again", () => {
  const written = '{"n": 1.0, "big": 12345678901234567890}';
  assertEquals(text(written), written);
  assertEquals(text(written, "null", written), written);
  assertEquals([...membersOf().texts(), ...membersOf("null").texts()], []);
});

Deno.test("a later value is merged deeply, and a value that is not an object is replaced", () => {
  assertEquals(
    text('{"a":{"b":1,"c":[1]}}', '{"a":{"c":[2],"d":3}}'),
    '{"a":{"b":1,"c":[2],"d":3}}',
  );
  assertEquals(text('{"a":"one"}', '{"a":"two"}'), '{"a":"two"}');
  assertEquals(text('"one"', '"two"'), '"two"');
  const named = '{"__proto__":{"b":1},"constructor":{"c":2}}';
  assertEquals(
    text(named, '{"__proto__":{"d":3}}'),
    '{"__proto__":{"b":1,"d":3},"constructor":{"c":2}}',
  );
  assertEquals(Reflect.get({}, "b"), undefined);
});

Deno.test("members added after a reading are part of the next reading", () => {
  const opaque = membersOf('{"a":1}', '{"b":2}');
  assertEquals(opaque.texts().get("extra_content"), '{"a":1,"b":2}');
  opaque.add({ extra_content: '{"c":3}', thought_signature: '"s"' }, new CharBudget());
  assertEquals([...opaque.texts()], [
    ["extra_content", '{"a":1,"b":2,"c":3}'],
    ["thought_signature", '"s"'],
  ]);
});

Deno.test("readings of distinct members are all of them, in any number", () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
    const readings = Object.entries(value).map((entry) =>
      JSON.stringify(Object.fromEntries([entry]))
    );
    const written = text(...readings) ?? "{}";
    assertEquals(JSON.parse(written), JSON.parse(JSON.stringify(value)));
  }));
});

Deno.test("members beyond the maximum length of an answer are refused", () => {
  const half = `"${"s".repeat(ANSWER_MAX_CHARS / 2)}"`;
  const error = assertThrows(() => text(`{"a":${half}}`, `{"b":${half}}`), UpstreamCut);
  assertEquals(error.outcome, "malformed");
});

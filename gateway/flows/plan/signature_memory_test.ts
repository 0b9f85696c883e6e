import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import type { JsonBody } from "../../ports/upstream.ts";
import { SignatureMemory } from "./signature_memory.ts";

const OPAQUE = '{"google":{"thought_signature":"a+/=","n":1.0}}';

function signed(id: string, args = "{}") {
  return {
    id,
    name: "f",
    arguments: args,
    opaque: new Map([["extra_content", OPAQUE], ["thought_signature", '"s"']]),
  };
}

function body(text: string): JsonBody {
  return { text, value: JSON.parse(text) };
}

function continuation(call: string): JsonBody {
  return body(
    `{"model":"auto","x":1.0,"messages":[{"role":"user","content":"q"},` +
      `{"role":"assistant","tool_calls":[${call}]},{"role":"tool","tool_call_id":"a","content":"1"}]}`,
  );
}

const BARE = '{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}';

Deno.test("a dropped signature comes back byte for byte, and nothing else changes", () => {
  const memory = new SignatureMemory();
  memory.remember("key_1", [signed("a")]);
  const request = continuation(BARE);
  const restored = memory.restore("key_1", request);
  const call = `${BARE.slice(0, -1)},"extra_content":${OPAQUE},"thought_signature":"s"}`;
  assertEquals(restored.text, request.text.replace(BARE, call));
  assertEquals(restored.value, JSON.parse(restored.text));
});

Deno.test("another key, call, name or argument gets nothing", () => {
  const memory = new SignatureMemory();
  memory.remember("key_1", [signed("a")]);
  const cases: [string, string][] = [
    ["key_2", BARE],
    ["key_1", BARE.replace('"a"', '"b"')],
    ["key_1", BARE.replace('"f"', '"g"')],
    ["key_1", BARE.replace('"{}"', '"{\\"a\\":1}"')],
    ["key_1", BARE.replace('"{}"', '"{"')],
  ];
  for (const [key, call] of cases) {
    const request = continuation(call);
    assertStrictEquals(memory.restore(key, request), request);
  }
});

Deno.test("clients that write the arguments anew get their signatures too", () => {
  const written = [
    ['{"city": "Z\\u00fcrich", "n":1.0}', '{"city":"Zürich","n":1}'],
    ["", "{}"],
    ["{ broken", "{ broken"],
  ] as const;
  for (const [original, echoed] of written) {
    const memory = new SignatureMemory();
    memory.remember("key_1", [signed("a", original)]);
    const request = continuation(BARE.replace('"{}"', JSON.stringify(echoed)));
    assert(memory.restore("key_1", request) !== request, original);
  }
});

Deno.test("a call that kept a signature, or is none, is left as it is", () => {
  const memory = new SignatureMemory();
  memory.remember("key_1", [signed("a")]);
  const kept = BARE.replace('"type"', '"thought_signature":"mine","type"');
  for (const call of [kept, '{"id":7}', '{"id":"a"}', '{"id":"a","function":{"name":"f"}}']) {
    const request = continuation(call);
    assertStrictEquals(memory.restore("key_1", request), request);
  }
  const plain = body('{"messages":[{"role":"user","content":"q"}]}');
  assertStrictEquals(memory.restore("key_1", plain), plain);
});

Deno.test("memory is bounded: the oldest signatures go, a giant is not kept", () => {
  const memory = new SignatureMemory();
  const large = `"${"x".repeat(200_000)}"`;
  for (let n = 0; n < 120; n += 1) {
    const opaque = new Map([["thought_signature", large]]);
    memory.remember("key_1", [{ id: `c${n}`, name: "f", arguments: "{}", opaque }]);
  }
  assert(memory.bytes <= 16 * 1024 * 1024);
  const bytes = memory.bytes;
  const giant = new Map([["thought_signature", `"${"x".repeat(300_000)}"`]]);
  memory.remember("key_1", [{ id: "giant", name: "f", arguments: "{}", opaque: giant }]);
  assertEquals(memory.bytes, bytes);
  const first = continuation(BARE.replace('"a"', '"c0"'));
  assertStrictEquals(memory.restore("key_1", first), first);
  const last = continuation(BARE.replace('"a"', '"c119"'));
  assert(memory.restore("key_1", last) !== last);
});

Deno.test("remembering a call again does not count it twice; unsigned calls are not kept", () => {
  const memory = new SignatureMemory();
  memory.remember("key_1", [signed("a")]);
  const { bytes } = memory;
  memory.remember("key_1", [signed("a"), { ...signed("b"), opaque: new Map() }]);
  assertEquals(memory.bytes, bytes);
});

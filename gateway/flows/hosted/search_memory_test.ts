import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import type { JsonBody } from "../../ports/upstream.ts";
import { SearchMemory } from "./search_memory.ts";

function call(id: string, input = "{}"): string {
  return JSON.stringify({ id, type: "function", function: { name: "own", arguments: input } });
}

function body(text: string): JsonBody {
  return { text, value: JSON.parse(text) };
}

function continuation(...calls: readonly string[]): JsonBody {
  return body(
    `{"model":"auto","x":1.0,"messages":[{"role":"user","content":"q"},` +
      `{"role":"assistant","tool_calls":[${calls.join(",")}]},{"role":"tool","content":"1"}]}`,
  );
}

function itemsOf(...ids: readonly string[]): JsonBody[] {
  return ids.map((id) => body(JSON.stringify({ type: "web_search_call", id })));
}

Deno.test("stored results precede the calls that followed them, byte for byte", () => {
  const memory = new SearchMemory();
  const findings = new Map([["ws_1", "Results 1"], ["fs_2", "Results 2"]]);
  memory.remember("key", { findings, calls: [call("a", '{"n": 1}'), call("b")] });
  const request = continuation(call("b"), call("a", '{"n":1}'));
  const restored = memory.restore("key", request);
  const message = '{"role":"user","content":"Results 1\\n\\nResults 2"}';
  assertEquals(
    restored.text,
    request.text.replace('{"role":"assistant"', `${message},{"role":"assistant"`),
  );
  assertEquals(restored.value, JSON.parse(restored.text));
  assertEquals(memory.ofItems("key", itemsOf("ws_0", "ws_1")), new Map([["ws_1", "Results 1"]]));
});

Deno.test("another key, call or item gets nothing, nor does an invalid call", () => {
  const memory = new SearchMemory();
  assertEquals(memory.ofItems("key", itemsOf("ws_1")).size, 0);
  const request = continuation(call("a"));
  assertStrictEquals(memory.restore("key", request), request);
  memory.remember("key", { findings: new Map([["ws_1", "Results"]]), calls: [call("a")] });
  assertStrictEquals(memory.restore("other", request), request);
  for (
    const calls of ["null", "1", "{}", '{"id":"a","function":{"name":"own"}}', call("a", "[]")]
  ) {
    const strange = continuation(calls);
    assertStrictEquals(memory.restore("key", strange), strange);
  }
  assertEquals(memory.ofItems("other", itemsOf("ws_1")).size, 0);
  const message = body('{"type":"message","id":"ws_1","role":"user","content":"x"}');
  assertEquals(memory.ofItems("key", [message, body('{"type":"web_search_call"}')]).size, 0);
});

Deno.test("a search without results is not remembered", () => {
  const memory = new SearchMemory();
  memory.remember("key", { findings: new Map(), calls: [call("a")] });
  const request = continuation(call("a"));
  assertStrictEquals(memory.restore("key", request), request);
});

Deno.test("the memory is bounded: the oldest findings go first, and a repeated one counts once", () => {
  const memory = new SearchMemory();
  const large = "x".repeat(3 * 1024 * 1024);
  const remember = (id: string) =>
    memory.remember("key", { findings: new Map([[id, large]]), calls: [] });
  for (let time = 0; time < 9; time++) remember("ws_again");
  for (const id of ["ws_1", "ws_2", "ws_3", "ws_4"]) remember(id);
  const ids = ["ws_again", "ws_1", "ws_2", "ws_3", "ws_4"];
  assertEquals([...memory.ofItems("key", itemsOf(...ids)).keys()], ids);
  remember("ws_5");
  assert(!memory.ofItems("key", itemsOf("ws_again")).has("ws_again"));
  assertEquals(memory.ofItems("key", itemsOf("ws_1", "ws_5")).size, 2);
});

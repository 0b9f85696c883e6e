import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { wantsSignedCalls, withForeignCalls } from "./gemini_calls.ts";

const ESCAPE =
  '"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}';
const call = (more = "") => `{"id":"a","function":{"name":"f","arguments":"{}"}${more}}`;

function marked(...calls: readonly string[]): string {
  const text = `{"messages":[{"role":"user","content":"q","x":1.0},{"role":"assistant",` +
    `"tool_calls":[${calls.join(",")}]},{"role":"assistant","tool_calls":null}],"n":1.0}`;
  const result = withForeignCalls({ text, value: JSON.parse(text) });
  const [before = "", after = ""] = text.split(calls.join(","));
  assert(result.startsWith(before) && result.endsWith(after), result);
  return result.slice(before.length, result.length - after.length);
}

Deno.test("the first call of a turn is marked where nothing signs it, and only the first", () => {
  assertEquals(marked(call(), call()), `${call(`,${ESCAPE}`)},${call()}`);
});

Deno.test("a signed call keeps its bytes for any signer", () => {
  const signed = [
    ',"thought_signature":"s" ',
    ',"extra_content":{"google":{ "thought_signature":"s"}}',
    ',"extra_content":{"vertex":{"thought_signature":"s"}}',
  ];
  for (const more of signed) assertEquals(marked(call(more), call()), `${call(more)},${call()}`);
});

Deno.test("another provider's member is not taken for a Gemini signature, and stays", () => {
  const made = JSON.parse(marked(call(',"extra_content":{"anthropic":{"thinking":[]}}')));
  assertEquals(made.extra_content, {
    anthropic: { thinking: [] },
    google: { thought_signature: "skip_thought_signature_validator" },
  });
  assertEquals(marked(call(',"extra_content":null')), call(`,${ESCAPE}`));
});

Deno.test("a conversation without calls is left alone", () => {
  const text = '{"messages":[{"role":"user","content":"q"}]}';
  assertStrictEquals(withForeignCalls({ text, value: JSON.parse(text) }), text);
});

Deno.test("Gemini is known by its name", () => {
  for (const name of ["gemini-3-pro", "models/gemini-2.5-flash", "google/gemini-3-pro-preview"]) {
    assert(wantsSignedCalls(name), name);
  }
  for (const name of ["gpt-5", "my-gemini-3", "gemma-3"]) assert(!wantsSignedCalls(name), name);
});

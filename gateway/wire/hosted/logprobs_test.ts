import { assertEquals, assertThrows } from "@std/assert";
import { UpstreamCut } from "../../ports/upstream.ts";
import { HostedLogprobs, LOGPROBS_MAX_CHARS } from "./logprobs.ts";

Deno.test("tokens come together in their own bytes, each list apart", () => {
  const logprobs = new HostedLogprobs();
  assertEquals(logprobs.text(), "null");
  logprobs.add("null");
  logprobs.add('{"tokens":["a"]}');
  assertEquals(logprobs.text(), "null");
  logprobs.add('{"content":[{"token":"a","logprob":-1.0}, 2 ],"refusal":null}');
  logprobs.add('{"content":[ ],"refusal":[]}');
  logprobs.add('{"content":[3e0]}');
  const text = '{"content":[{"token":"a","logprob":-1.0}, 2,3e0],"refusal":[]}';
  assertEquals(logprobs.text(), text);
  const others = new HostedLogprobs();
  others.add(text);
  others.add('{"refusal":[4]}');
  assertEquals(others.text(), text.replace('"refusal":[]', '"refusal":[4]'));
});

Deno.test("they are limited", () => {
  const logprobs = new HostedLogprobs();
  const half = `{"content":[${"1".repeat(LOGPROBS_MAX_CHARS / 2)}]}`;
  logprobs.add(half);
  logprobs.add(half);
  assertThrows(() => logprobs.add('{"content":[1]}'), UpstreamCut, "log probabilities exceed");
});

/**
 * The gateway changes no byte that it does not need to change, in either direction.
 *
 * @module
 */

import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { members } from "../../gateway/wire/json/text.ts";
import { readEvents } from "../fixtures/event_stream.ts";
import { FakeUpstream, fixed, json, sse } from "../fixtures/fake_upstream.ts";
import { completion, labConfig, QUESTION, streamed, usage } from "../fixtures/lab.ts";
import { TestService } from "../fixtures/service.ts";

/** Members that a parse and a print would change. */
const ODD =
  '"temperature":1.0,"seed":12345678901234567890,"x_escapes":"\\u0041\\/\\ud83d\\ude00é",' +
  '"x_nested":{"z":1e5,"a":[ 1 , -0.0 ]},"x_space" : [ ] ';
/**
 * A repeated name: passed on in an answer, and refused in a request, which two readers could read
 * differently.
 */
const TWICE = '"x_twice":{"a":1,"a":"twice"}';
const MESSAGES = '"messages":[{"role":"user","content":"\\u0048i","x_mark":1.50}]';

/** The members of a JSON text, as written. */
function written(text: string): Record<string, string> {
  return Object.fromEntries(
    members(text).map(({ key, valueStart, valueEnd }) => [key, text.slice(valueStart, valueEnd)]),
  );
}

async function lab() {
  const upstream = new FakeUpstream();
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
  const service = await TestService.start({ config });
  return {
    upstream,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a request reaches the upstream byte for byte, only its model replaced", async () => {
  await using at = await lab();
  at.upstream.answer(json(completion()));
  const text = `{ ${ODD}, "model" : "auto",\n ${MESSAGES} }`;
  const response = await at.service.chat(text);
  assertEquals(response.status, 200, await response.text());
  assertEquals(at.upstream.last.text, text.replace('"auto"', '"real-only"'));
});

Deno.test("a streamed request gains include_usage, and nothing else changes", async () => {
  await using at = await lab();
  for (const options of ["", ',"stream_options":{"x_mine":1.0,"include_usage":false}']) {
    at.upstream.answer(sse(streamed(["Hi"], usage(3, 1))));
    const text = `{${ODD},"model":"auto","stream":true,${MESSAGES}${options}}`;
    await readEvents(await at.service.chat(text));
    const sent = written(at.upstream.last.text);
    const { stream_options: writtenOptions, ...rest } = written(text);
    const { stream_options: got, ...kept } = sent;
    assertEquals(kept, { ...rest, model: '"real-only"' });
    assertEquals(JSON.parse(got ?? ""), {
      ...writtenOptions === undefined ? {} : { x_mine: 1 },
      include_usage: true,
    });
    if (writtenOptions !== undefined) assertStringIncludes(got ?? "", '"x_mine":1.0');
  }
});

Deno.test("an answer reaches the caller byte for byte, only model and metadata edited", async () => {
  await using at = await lab();
  const answer = `{"id":"c","model":"m",${ODD},${TWICE},"choices":[{"x":1.0,"index":0,"message":` +
    '{"role":"assistant","content":"\\u0041"},"finish_reason":"stop"}],' +
    '"usage":{"prompt_tokens":3,"completion_tokens":1,"x_cost":0.10}}';
  at.upstream.answer(fixed(answer));
  const text = await (await at.service.chat({ messages: QUESTION })).text();
  const { metadata, ...rest } = written(text);
  assertEquals(rest, { ...written(answer), model: '"only"' });
  assertEquals(JSON.parse(metadata ?? "").billing.input_tokens, 3);
});

Deno.test("chunks reach the caller byte for byte, only their model edited", async () => {
  await using at = await lab();
  const chunk = (delta: string, finish: string) =>
    `{"id":"c","created":1,"model":"m",${ODD},"choices":[{"index":0,"delta":${delta},` +
    `"x":1.0,"finish_reason":${finish}}]}`;
  const sent = [
    chunk('{"role":"assistant","content":""}', "null"),
    chunk('{"content":"\\u0041","x_reasoning":"\\/"}', "null"),
    chunk("{}", '"stop"'),
  ];
  const last = `{"id":"c","model":"m",${ODD},${TWICE},"choices":[],"usage":{"prompt_tokens":3,` +
    '"completion_tokens":1,"x":1.0}}';
  at.upstream.answer(sse([...sent, last]));
  const { texts, done } = await readEvents(
    await at.service.chat({ messages: QUESTION, stream: true }),
  );
  assertEquals(texts.slice(0, -1), sent.map((text) => text.replace('"m"', '"only"')));
  const { metadata, ...rest } = written(texts.at(-1) ?? "");
  assertEquals(rest, { ...written(last), model: '"only"' });
  assert(metadata !== undefined);
  assertEquals(done, 1);
});

const EXTRA = '{"google":{"thought_signature":"A\\/\\u0042==","n":1.0}}';
const THOUGHT = '"s\\u00e9\\/"';
const CALL = `{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"},` +
  `"extra_content":${EXTRA},"thought_signature":${THOUGHT}}`;
const SIGNED_ANSWER = '{"id":"c","model":"m","choices":[{"index":0,"message":{"role":"assistant",' +
  `"content":null,"tool_calls":[${CALL}]},"finish_reason":"tool_calls"}],` +
  `"usage":${JSON.stringify(usage(5, 5))}}`;
const SIGNED_STREAM = [
  '{"id":"c","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant",' +
  '"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f",' +
  `"arguments":""},"extra_content":${EXTRA}}]},"finish_reason":null}]}`,
  '{"id":"c","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,' +
  `"function":{"arguments":"{}"},"thought_signature":${THOUGHT}}]},"finish_reason":null}]}`,
  '{"id":"c","created":1,"model":"m","choices":[{"index":0,"delta":{},' +
  '"finish_reason":"tool_calls"}]}',
];
const DROPPED = CALL.slice(0, CALL.indexOf(',"extra_content"')) + "}";

function continuation(call: string): string {
  return `{"model":"auto","messages":[{"role":"user","content":"Hi"},{"role":"assistant",` +
    `"content":null,"tool_calls":[${call}]},{"role":"tool","tool_call_id":"call_1",` +
    `"content":"1"}]}`;
}

/** The one tool call that the upstream got, by its members as written. */
function echoed(upstream: FakeUpstream): Record<string, string> {
  const { messages } = written(upstream.last.text);
  const at = messages?.indexOf('"tool_calls":[') ?? -1;
  return written(messages?.slice(at + '"tool_calls":['.length) ?? "");
}

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "not streamed";
  Deno.test(`signatures travel both ways byte for byte, ${how}`, async () => {
    await using at = await lab();
    at.upstream.answer(stream ? sse(SIGNED_STREAM) : fixed(SIGNED_ANSWER), json(completion()));
    const answer = await (await at.service.chat({ messages: QUESTION, stream })).text();
    assertStringIncludes(answer, `"extra_content":${EXTRA}`);
    assertStringIncludes(answer, `"thought_signature":${THOUGHT}`);
    await (await at.service.chat(continuation(CALL))).body?.cancel();
    assertEquals(at.upstream.last.text, continuation(CALL).replace('"auto"', '"real-only"'));
  });

  Deno.test(`signatures that a client drops are put back, for its key only, ${how}`, async () => {
    await using at = await lab();
    const other = await at.service.newKey();
    at.upstream.answer(stream ? sse(SIGNED_STREAM) : fixed(SIGNED_ANSWER));
    at.upstream.otherwise(json(completion()));
    await (await at.service.chat({ messages: QUESTION, stream })).text();
    await (await at.service.chat(continuation(DROPPED))).text();
    const restored = echoed(at.upstream);
    assertEquals([restored.extra_content, restored.thought_signature], [EXTRA, THOUGHT]);
    await (await at.service.chat(continuation(DROPPED), { key: other.key })).text();
    assertFalse("extra_content" in echoed(at.upstream), "another key's signature");
    const altered = DROPPED.replace('"arguments":"{}"', '"arguments":"{\\"a\\":1}"');
    await (await at.service.chat(continuation(altered))).text();
    assertFalse("extra_content" in echoed(at.upstream), "a signature of other arguments");
  });
}

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { UpstreamCall } from "../../ports/upstream.ts";
import { openAIProtocolOf } from "../providers/provider_kinds.ts";
import { chatRequestText, type ChatWire } from "./request.ts";

/** Settings of an upstream, with its kind in place of the protocol. */
type Settings = Omit<ChatWire, "protocol"> & { readonly kind?: string };

function edited(
  text: string,
  more: Partial<UpstreamCall> = {},
  { kind = "openai", ...upstream }: Settings = {},
) {
  return chatRequestText({
    endpoint: "chat",
    model: 'real"model',
    body: { text, value: JSON.parse(text) },
    stream: false,
    requestId: "req_1",
    signal: AbortSignal.abort(),
    ...more,
  }, { protocol: openAIProtocolOf(kind), ...upstream });
}

Deno.test("chatRequestText() edits the model and nothing else", () => {
  const tail =
    ',\n "temperature": 1.0, "seed":12345678901234567890, "stream_options":null, "n":1e0}';
  assertEquals(edited(`{"model":"auto"${tail}`), `{"model":"real\\"model"${tail}`);
});

Deno.test("chatRequestText() has the meaning of the caller's request, for any fields", () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
    const text = JSON.stringify({ ...fields, model: "auto" });
    assertEquals(JSON.parse(edited(text)), { ...JSON.parse(text), model: 'real"model' });
  }));
});

Deno.test("chatRequestText() leaves out lists that declare nothing", () => {
  const sent = (fields: Record<string, unknown>) => {
    const { model: _, ...rest } = JSON.parse(edited(JSON.stringify({ model: "auto", ...fields })));
    return rest;
  };
  assertEquals(sent({ functions: [], function_call: "auto", n: 1 }), { n: 1 });
  assertEquals(sent({ tools: [], tool_choice: "none", parallel_tool_calls: true }), {});
  const forced = { tool_choice: "required" };
  assertEquals(sent({ tools: [], ...forced }), forced);
  const declared = {
    tools: [{}],
    parallel_tool_calls: true,
    functions: [{}],
    function_call: "auto",
  };
  assertEquals(sent(declared), declared);
});

function limitsSent(text: string, upstream: Settings, outputLimit?: number) {
  const { model: _model, ...rest } = JSON.parse(edited(text, { outputLimit }, upstream));
  return rest;
}

Deno.test("chatRequestText() lowers the limit that the caller set", () => {
  const [openai, compatible] = [{ kind: "openai" }, { kind: "openai-compatible" }] as const;
  const limits = (text: string, upstream: Settings) => limitsSent(text, upstream, 7);
  const both = '{"max_tokens":90,"max_completion_tokens":80}';
  const newer = '{"max_completion_tokens":90}';
  for (const text of ['{"max_tokens":90}', both, newer, "{}", '{"max_tokens":null}']) {
    assertEquals(limits(text, openai), { max_completion_tokens: 7 });
  }
  assertEquals(limits('{"max_tokens":90}', compatible), { max_tokens: 7 });
  assertEquals(limits(both, compatible), { max_tokens: 7, max_completion_tokens: 7 });
  assertEquals(limits(newer, compatible), { max_completion_tokens: 7, max_tokens: 7 });
  assertEquals(limits("{}", compatible), { max_tokens: 7 });
});

Deno.test("chatRequestText() passes a limit on in the one field that the upstream takes", () => {
  const older = { kind: "openai", outputLimitField: "max_tokens" } as const;
  const newer = { kind: "openai-compatible", outputLimitField: "max_completion_tokens" } as const;
  const both = '{"max_completion_tokens":80,"max_tokens":90}';
  for (const text of ['{"max_tokens":80}', '{"max_completion_tokens":80}', both]) {
    assertEquals(limitsSent(text, older), { max_tokens: 80 });
    assertEquals(limitsSent(text, older, 7), { max_tokens: 7 });
    for (const upstream of [newer, { kind: "openai" } as const]) {
      assertEquals(limitsSent(text, upstream), { max_completion_tokens: 80 });
    }
  }
  const written = '{"model":"m", "max_tokens": 80 , "max_completion_tokens":null}';
  assertEquals(edited(written, { model: "m" }, older), written);
  assertEquals(limitsSent("{}", newer), {});
});

Deno.test("chatRequestText() repeats a limit under the name that compatible servers know", () => {
  const textFor = (text: string, kind: string) => edited(text, { model: "m" }, { kind });
  const newer = '{"model":"m","max_completion_tokens":90}';
  assertEquals(textFor(newer, "openai"), newer);
  assertEquals(JSON.parse(textFor(newer, "openai-compatible")), {
    model: "m",
    max_completion_tokens: 90,
    max_tokens: 90,
  });
  assertEquals(
    textFor('{"model":"m","max_completion_tokens":9,"max_tokens":null}', "openai-compatible"),
    '{"model":"m","max_completion_tokens":9,"max_tokens":9}',
  );
  for (const text of ['{"model":"m","max_tokens":9}', '{"model":"m"}']) {
    assertEquals(textFor(text, "openai-compatible"), text);
  }
  const both = '{"model":"m","max_completion_tokens":9,"max_tokens":80}';
  assertEquals(textFor(both, "openai-compatible"), both);
});

Deno.test("chatRequestText() asks for usage on streams, keeping other options", () => {
  const streamed = (text: string) => edited(text, { stream: true, model: "m" });
  const options = '"stream_options":{"include_usage":true}}';
  assertEquals(streamed('{"model":"a","stream":true}'), `{"model":"m","stream":true,${options}`);
  assertEquals(streamed('{"model":"a","stream_options":null}'), `{"model":"m",${options}`);
  assertEquals(streamed('{"model":"a","stream_options":[1]}'), `{"model":"m",${options}`);
  assertEquals(
    streamed('{"model":"a","stream_options": {"include_usage":true, "x":1.0} }'),
    '{"model":"m","stream_options": {"include_usage":true, "x":1.0} }',
  );
  assertEquals(
    streamed('{"model":"a","stream_options": { "x":1.0, "include_usage":false } }'),
    '{"model":"m","stream_options": { "x":1.0, "include_usage":true } }',
  );
  assertEquals(
    streamed('{"model":"a","stream_options":{"y":1},"stream_options":{"x":1.0}}'),
    '{"model":"m","stream_options":{"x":1.0,"include_usage":true},' +
      '"stream_options":{"x":1.0,"include_usage":true}}',
  );
});

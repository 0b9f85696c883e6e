import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { UpstreamKind } from "../../domain/catalog.ts";
import type { UpstreamCall } from "../../ports/upstream.ts";
import { chatRequestText } from "./request.ts";

function edited(text: string, more: Partial<UpstreamCall> = {}, kind: UpstreamKind = "openai") {
  return chatRequestText({
    endpoint: "chat",
    model: 'real"model',
    body: { text, value: JSON.parse(text) },
    stream: false,
    requestId: "req_1",
    signal: AbortSignal.abort(),
    ...more,
  }, kind);
}

Deno.test("chatRequestText() edits the model and nothing else", () => {
  const tail =
    ',\n "temperature": 1.0, "seed":12345678901234567890, "stream_options":null, "n":1e0}';
  assertEquals(edited(`{"model":"auto"${tail}`), `{"model":"real\\"model"${tail}`);
});

Deno.test("chatRequestText() says the same as the caller, whatever fields there are", () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
    const text = JSON.stringify({ ...fields, model: "auto" });
    assertEquals(JSON.parse(edited(text)), { ...JSON.parse(text), model: 'real"model' });
  }));
});

Deno.test("chatRequestText() lowers the limit that the caller set", () => {
  const limits = (text: string, kind?: UpstreamKind) => {
    const { model: _model, ...rest } = JSON.parse(edited(text, { outputLimit: 7 }, kind));
    return rest;
  };
  for (const kind of ["openai", "openai-compatible"] as const) {
    assertEquals(limits('{"max_tokens":90}', kind), { max_tokens: 7 });
    assertEquals(limits('{"max_tokens":90,"max_completion_tokens":80}', kind), {
      max_tokens: 7,
      max_completion_tokens: 7,
    });
  }
  const newer = '{"max_completion_tokens":90}';
  assertEquals(limits(newer, "openai"), { max_completion_tokens: 7 });
  assertEquals(limits(newer, "openai-compatible"), { max_completion_tokens: 7, max_tokens: 7 });
  assertEquals(limits("{}", "openai"), { max_completion_tokens: 7 });
  assertEquals(limits("{}", "openai-compatible"), { max_tokens: 7 });
  assertEquals(limits('{"max_tokens":null}', "openai"), {
    max_tokens: null,
    max_completion_tokens: 7,
  });
});

Deno.test("chatRequestText() repeats a limit under the name that compatible servers know", () => {
  const said = (text: string, kind: UpstreamKind) => edited(text, { model: "m" }, kind);
  const newer = '{"model":"m","max_completion_tokens":90}';
  assertEquals(said(newer, "openai"), newer);
  assertEquals(JSON.parse(said(newer, "openai-compatible")), {
    model: "m",
    max_completion_tokens: 90,
    max_tokens: 90,
  });
  assertEquals(
    said('{"model":"m","max_completion_tokens":9,"max_tokens":null}', "openai-compatible"),
    '{"model":"m","max_completion_tokens":9,"max_tokens":9}',
  );
  for (const text of ['{"model":"m","max_tokens":9}', '{"model":"m"}']) {
    assertEquals(said(text, "openai-compatible"), text);
  }
  const both = '{"model":"m","max_completion_tokens":9,"max_tokens":80}';
  assertEquals(said(both, "openai-compatible"), both);
});

Deno.test("chatRequestText() asks for usage on streams, keeping other options", () => {
  const streamed = (text: string) => edited(text, { stream: true, model: "m" });
  const asked = '"stream_options":{"include_usage":true}}';
  assertEquals(streamed('{"model":"a","stream":true}'), `{"model":"m","stream":true,${asked}`);
  assertEquals(streamed('{"model":"a","stream_options":null}'), `{"model":"m",${asked}`);
  assertEquals(streamed('{"model":"a","stream_options":[1]}'), `{"model":"m",${asked}`);
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

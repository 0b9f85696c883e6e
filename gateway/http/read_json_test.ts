import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ServiceFault } from "../domain/fault.ts";
import { BODY_MAX_BYTES, BODY_MAX_DEPTH, BODY_MAX_VALUES, readJson } from "./read_json.ts";

function post(body: BodyInit, type = "application/json", headers: HeadersInit = {}): Request {
  return new Request("http://x/", {
    method: "POST",
    body,
    headers: { ...headers, "content-type": type },
  });
}

function streamOf(...pieces: string[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return ReadableStream.from(pieces).pipeThrough(new TextEncoderStream());
}

Deno.test("the text is kept as it came, beside what it says", async () => {
  const text = ' {"a": 1.0, "b": 12345678901234567890}\n';
  const body = await readJson(post(text));
  assertEquals(body.text, text);
  assertEquals(body.value.a, 1);
});

Deno.test("JSON media types are taken, with parameters and suffixes", async () => {
  for (
    const type of ["application/json; charset=utf-8", "Application/JSON", "application/x+json"]
  ) {
    assertEquals((await readJson(post("{}", type))).text, "{}");
  }
});

Deno.test("a body without a declared length is read up to the limit", async () => {
  const body = await readJson(post(streamOf('{"a"', ":", "1}")), { maxBytes: 7 });
  assertEquals(body.value, { a: 1 });
});

Deno.test("a mistake in a body is reported by code and in words", async () => {
  const deep = "[".repeat(BODY_MAX_DEPTH + 1) + "]".repeat(BODY_MAX_DEPTH + 1);
  const cases: [Request, string, string][] = [
    [post("{}", "text/plain"), "unsupported_media_type", "application/json"],
    [post("{}", "application/jsonx"), "unsupported_media_type", "application/json"],
    [post("{"), "invalid_request", "not valid JSON"],
    [post('{"a":\u0001}'), "invalid_request", "not valid JSON"],
    [post(""), "invalid_request", "not valid JSON"],
    [post("[]"), "invalid_request", "JSON object"],
    [post("null"), "invalid_request", "JSON object"],
    [post(`{"a":${deep}}`), "invalid_request", "levels deep"],
    [post(`{"a":[${"1,".repeat(BODY_MAX_VALUES)}1]}`), "invalid_request", "100000 JSON values"],
    [
      post("{}", "application/json", { "content-encoding": "gzip" }),
      "unsupported_media_type",
      "uncompressed",
    ],
    [post(new Uint8Array([0x7b, 0xff, 0x7d])), "invalid_request", "UTF-8"],
    [post('{"long":"body"}'), "body_too_large", "10 bytes"],
    [post(streamOf('{"long"', ':"body"}')), "body_too_large", "10 bytes"],
    [post("{}", "application/json", { "content-length": "11" }), "body_too_large", "10 bytes"],
  ];
  for (const [request, code, words] of cases) {
    const maxBytes = code === "body_too_large" ? 10 : 1_000_000;
    const fault = await assertRejects(() => readJson(request, { maxBytes }), ServiceFault);
    // It is the body as a whole that is refused: no field of it.
    assertEquals([fault.code, fault.param], [code, undefined]);
    assertStringIncludes(fault.message, words);
    await request.body?.cancel();
  }
});

Deno.test("the complaint about JSON does not repeat the body", async () => {
  const fault = await assertRejects(() => readJson(post('{"key": secret}')), ServiceFault);
  assertEquals(fault.message.includes("secret"), false);
});

Deno.test("a body of 32 MB of small values is refused before one of them is made", async () => {
  const head = '{"model":"auto","messages":[';
  const text = head + "1,".repeat((BODY_MAX_BYTES - head.length) / 2);
  const parse = JSON.parse;
  let parsed = 0;
  JSON.parse = (source: string) => {
    parsed++;
    return parse(source);
  };
  try {
    await assertRejects(() => readJson(post(text)), ServiceFault, "100000 JSON values");
    await readJson(post("{}"));
    assertEquals(parsed, 1);
  } finally {
    JSON.parse = parse;
  }
});

Deno.test("earlier bodies do not change the value of the next one", async () => {
  for (let time = 0; time < 5; time++) await readJson(post('{"model":"auto","\\\\u006":[]}'));
  // As any other parser would have left it, too.
  for (let time = 0; time < 5; time++) JSON.parse('{"model":"auto","\\\\u006":[]}');
  const { value } = await readJson(post('{"model":"auto","\\u0069nput":"Hi"}'));
  assertEquals(value, { model: "auto", input: "Hi" });
  // "\u006dodel" is as long as what was met, once it is decoded.
  const met = '{"messages":[],"\\\\u006":[]}';
  for (let time = 0; time < 5; time++) JSON.parse(met);
  const next = await readJson(post('{"messages":[],"\\u006dodel":"auto"}'));
  assertEquals(next.value, { messages: [], model: "auto" });
});

Deno.test("a long body is parsed in steps, to the same value", async () => {
  const value = { model: "auto", messages: [{ role: "user", content: '\n"é😀'.repeat(400_000) }] };
  assertEquals((await readJson(post(JSON.stringify(value)))).value, value);
  const broken = readJson(post(JSON.stringify(value).slice(0, -1)));
  await assertRejects(() => broken, ServiceFault, "The body is not valid JSON");
  const twice = JSON.stringify(value).replace("{", '{"mode\\u006c":"a",');
  await assertRejects(() => readJson(post(twice)), ServiceFault, "the same name twice");
});

Deno.test("a long body is returned unchanged, in any encoding", async () => {
  const long = "a".repeat(300_000);
  for (const content of [long, `${long}é`, `漢${long}`, `${long}😀${long}`]) {
    const text = `{"content":"${content}"}`;
    const body = await readJson(post(text));
    assertEquals([body.text === text, body.value.content === content], [true, true]);
  }
  const bytes = new TextEncoder().encode(`{"content":"${long}"}`);
  for (const at of [20, 200_000, bytes.length - 3]) {
    const broken = bytes.with(at, 0xff);
    await assertRejects(() => readJson(post(broken)), ServiceFault, "UTF-8");
  }
});

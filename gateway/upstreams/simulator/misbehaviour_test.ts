import { assertEquals, assertStringIncludes } from "@std/assert";
import { ask, complete, failed, send, simulatorForTest, stream, textOf } from "./chat_fixture.ts";
import { FailureCounters, readSimulate, splitDirective } from "./misbehaviour.ts";
import type { Simulate } from "./misbehaviour.ts";

function askWith(simulate: Simulate, more: Record<string, unknown> = {}) {
  return ask("Hi", { simulate, ...more });
}

Deno.test("an error is a failure by its status", async () => {
  for (
    const [error, outcome] of [
      [400, "refused_input"],
      [422, "refused_input"],
      [401, "refused_credentials"],
      [403, "refused_credentials"],
      [404, "server_error"],
      [408, "timeout"],
      [429, "rate_limited"],
      [503, "server_error"],
      [504, "timeout"],
    ] as const
  ) {
    assertEquals(await failed(askWith({ error })), {
      kind: "failure",
      outcome,
      status: error,
      message: `Simulated error ${error}`,
    });
  }
  assertEquals((await failed(askWith({ error: 429, retryAfterMs: 7 }))).retryAfterMs, 7);
});

Deno.test("the directive in the last question has the same effect and is not part of it", async () => {
  assertEquals((await failed(ask('Hi [[sim {"error":503}]]'))).status, 503);
  const body = ask('Hi [[sim {"usage":{"prompt_tokens":1}}]] there');
  const completion = await complete(body);
  assertStringIncludes(textOf(completion), '"Hi  there"');
  assertEquals(completion.usage?.prompt_tokens, 1);
  const messages = [{ role: "user", content: '[[sim {"error":503}]]' }, ...ask("Hi").messages];
  await complete({ messages });
});

Deno.test("the field wins over the directive", async () => {
  const body = ask('[[sim {"error":503,"text":"a"}]]', { simulate: { error: 429 } });
  assertEquals((await failed(body)).status, 429);
});

Deno.test("splitDirective() finds the end of the object", () => {
  assertEquals(splitDirective("a [[sim [1]]]b"), { text: "a b", directive: "[1]" });
  assertEquals(splitDirective("[[sim {}"), { text: "[[sim {}" });
  assertEquals(splitDirective("[[simple]]"), { text: "[[simple]]" });
});

Deno.test("a wish that cannot be read is refused, with the field it fails at", () => {
  for (
    const [field, directive, param] of [
      [{ erorr: 503 }, undefined, "simulate"],
      [{ error: 200 }, undefined, "simulate.error"],
      [{ usage: { tokens: 1 } }, undefined, "simulate.usage"],
      [{ failures: 1, error: 503 }, undefined, "simulate.id"],
      ["no", undefined, "simulate"],
      [null, undefined, "simulate"],
      [undefined, "{", "messages"],
      [undefined, "[]", "simulate"],
      [{}, "7", "simulate"],
    ] as const
  ) {
    const refusal = readSimulate(field, directive);
    assertEquals("param" in refusal ? refusal.param : refusal, param);
  }
});

Deno.test("failures happen so many times under one id, then no more", async () => {
  const simulator = simulatorForTest();
  const wish = (id: string) => askWith({ error: 503, failures: 2, id });
  for (const id of ["a", "b"]) {
    await failed(wish(id), { simulator });
    await failed(wish(id), { simulator });
    await complete(wish(id), { simulator });
  }
  await complete(askWith({ error: 503, failures: 0, id: "c" }), { simulator });
});

Deno.test("failure counters are bounded: the oldest is forgotten", () => {
  const counters = new FailureCounters();
  const wish = (id: string): Simulate => ({ error: 503, failures: 1, id });
  for (let index = 0; index <= 1_000; index++) counters.apply(wish(`${index}`), "m");
  assertEquals(counters.apply(wish("1000"), "m"), {});
  assertEquals(counters.apply(wish("0"), "m"), wish("0"));
});

Deno.test("only the named model misbehaves", async () => {
  for (const model of ["sim-large", "svc/sim-large"]) {
    await failed(askWith({ error: 503, model }), { model: "sim-large" });
    await complete(askWith({ error: 503, model }), { model: "sim-small" });
  }
});

Deno.test("text and repeat set the answer, without calling tools", async () => {
  const tools = [{ type: "function", function: { name: "get_time" } }];
  const completion = await complete(ask("get_time", { tools, simulate: { text: "exact" } }));
  assertEquals(textOf(completion), "exact");
  const repeated = await complete(askWith({ repeat: 3 }));
  assertEquals(textOf(repeated), "sim sim sim");
  assertEquals(repeated.usage?.completion_tokens, 3);
  const limited = await complete(askWith({ repeat: 50_000 }, { max_tokens: 7 }));
  assertEquals(limited.usage?.completion_tokens, 7);
});

Deno.test("empty and finishReason", async () => {
  const completion = await complete(askWith({ empty: true, finishReason: "content_filter" }));
  assertEquals(textOf(completion), "");
  assertEquals(completion.usage?.completion_tokens, 0);
  assertEquals(completion.choices[0]?.finish_reason, "content_filter");
  const tools = [{ type: "function", function: { name: "get_time" } }];
  const calls = await complete(ask("get_time", { tools, simulate: { finishReason: "stop" } }));
  assertEquals(calls.choices[0]?.finish_reason, "stop");
  assertEquals(calls.choices[0]?.message.tool_calls?.length, 1);
});

Deno.test("usage can be absent, from JSON and stream", async () => {
  const answer = await send(askWith({ noUsage: true }));
  assertEquals(answer.kind === "json" && "usage" in answer, false);
  assertEquals("usage" in await complete(askWith({ noUsage: true })), false);
  const body = askWith({ noUsage: true });
  const chunks = await Array.fromAsync(stream(body));
  assertEquals(chunks.at(-1)?.choices[0]?.finish_reason, "stop");
});

Deno.test("usage can lie; counts that cannot be are not passed on as usage", async () => {
  const lie = { prompt_tokens: 10, completion_tokens: 1e9, cached_tokens: 4 };
  assertEquals((await complete(askWith({ usage: lie }))).usage, {
    prompt_tokens: 10,
    completion_tokens: 1e9,
    total_tokens: 1e9 + 10,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 0 },
  });
  const answer = await send(askWith({ usage: lie }));
  assertEquals(answer.kind === "json" ? answer.usage : undefined, {
    inputTokens: 10,
    cachedInputTokens: 4,
    outputTokens: 1e9,
  });
  for (
    const usage of [
      { prompt_tokens: -1 },
      { completion_tokens: 0.5 },
      { prompt_tokens: 1, cached_tokens: 2 },
    ]
  ) {
    const answer = await send(askWith({ usage }));
    assertEquals(answer.kind === "json" && "usage" in answer, false);
  }
  assertEquals((await complete(askWith({ usage: { total_tokens: 3 } }))).usage?.total_tokens, 3);
});

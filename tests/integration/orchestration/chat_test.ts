/**
 * A compound chat request over HTTP: planned, run, put together, and billed part by part.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  askSplit,
  assertCharged,
  CALL_MICROS,
  COMPARISON,
  orchestrationLab,
  readAnswer,
  readStreamedAnswer,
  statuses,
} from "../../fixtures/orchestrated.ts";
import { until } from "../../fixtures/service.ts";
import { planned } from "../../fixtures/task_upstream.ts";

for (const stream of [true, false]) {
  const how = stream ? "streamed" : "JSON";

  Deno.test(`${how}: a comparison of three is five calls, one answer and one bill`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    const response = await askSplit(service, { stream });
    assertEquals(response.status, 200);
    const answer = await readAnswer(response, stream);
    assertEquals(answer.text, "The answer.");
    assert(answer.done);
    assertEquals(upstream.calls.map(({ task }) => task).sort(), [
      ...["cocoa", "coffee", "final", "plan", "tea"],
    ]);
    assertEquals(answer.orchestration?.tasks.map(({ task_id }) => task_id), [
      ...["plan", "tea", "coffee", "cocoa", "final"],
    ]);
    assertEquals(answer.orchestration?.final_task_id, "final");
    assertEquals(new Set(Object.values(statuses(answer))), new Set(["done"]));
    for (const task of answer.orchestration?.tasks ?? []) {
      assertEquals([task.charged, task.usage?.total_tokens], ["0.028000", 24], task.task_id);
      assert(["one", "two"].includes(task.model ?? ""), task.model);
    }
    assertMatch(answer.metadata.routing.orchestration ?? "", /^Split into 3 tasks: .*comparison/);
    const { billing } = answer.metadata;
    assertEquals([billing?.input_tokens, billing?.output_tokens], [100, 20]);
    const record = await service.lastRequest();
    assertEquals([record.status, record.outcome, record.stream], [200, "ok", stream]);
    assertEquals([record.holdIds.length, new Set(record.holdIds).size], [5, 5]);
    assertEquals((await service.running.stores.log.search({ limit: 9 })).records.length, 1);
    await assertCharged(service, answer, { micros: 5n * CALL_MICROS });
  });

  Deno.test(`${how}: the answer is made of the results, by the caller's own body`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    const tools = [{ type: "function", function: { name: "save", parameters: {} } }];
    const response_format = { type: "json_object" };
    const body = { tools, response_format, max_tokens: 500, temperature: 0.3, seed: 7 };
    const system = { role: "system", content: "You are brief." };
    const messages = [system, { role: "user", content: COMPARISON }];
    await (await askSplit(service, { stream, body: { ...body, messages } })).text();
    const [final] = upstream.callsFor("final");
    assert(final !== undefined);
    for (const [name, value] of Object.entries(body)) assertEquals(final.body[name], value, name);
    for (const id of ["tea", "coffee", "cocoa"]) {
      assertStringIncludes(final.text, `$${id} (About ${id}):\n~~~\nResult of ${id}.\n~~~`);
      const [task] = upstream.callsFor(id);
      assert(task !== undefined);
      assertStringIncludes(task.text, `Say what matters of ${id}`);
      assert(task.text.startsWith(COMPARISON));
      for (const name of ["tools", "response_format", "temperature", "seed"]) {
        assert(!(name in task.body), name);
      }
      assertEquals(task.body["max_completion_tokens"], 1_000);
      assertEquals((Object(task.body)["messages"] as unknown[])[0], system);
    }
    await service.assertBooks();
  });

  Deno.test(`${how}: a call of the caller's function comes back, and its result plans nothing`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    upstream.on("final", { callTool: "save" });
    const tools = [{ type: "function", function: { name: "save", parameters: {} } }];
    const raw = await (await askSplit(service, { stream, body: { tools } })).text();
    assertStringIncludes(raw, '"finish_reason":"tool_calls"');
    const call = { id: "call_1", type: "function", function: { name: "save", arguments: "{}" } };
    const messages = [
      { role: "user", content: COMPARISON },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "saved" },
    ];
    const next = await readAnswer(
      await askSplit(service, { stream, body: { tools, messages } }),
      stream,
    );
    assertEquals([next.text, next.orchestration], ["The answer.", undefined]);
    assertEquals(upstream.calls.at(-1)?.task, "plain");
    assertEquals(upstream.callsFor("plan").length, 1);
    await service.assertBooks();
  });
}

Deno.test("a stream marks what each task says, and only the answer's chunks carry a finish", async () => {
  await using lab = await orchestrationLab();
  const { service } = lab;
  const { chunks, texts: finalText, text } = await readStreamedAnswer(
    await askSplit(service, { stream: true }),
  );
  assertEquals(Object.fromEntries(finalText), {
    tea: "Result of tea.",
    coffee: "Result of coffee.",
    cocoa: "Result of cocoa.",
  });
  assertEquals(text, "The answer.");
  assertEquals(new Set(chunks.map(({ id }) => id)).size, 1);
  for (const chunk of chunks.slice(0, -1)) {
    const { task_id, title } = chunk.orchestration ?? {};
    assert(task_id !== undefined && title !== undefined, JSON.stringify(chunk));
    const finish = chunk.choices[0]?.finish_reason ?? null;
    assert(finish === null || task_id === "final", JSON.stringify(chunk));
  }
  const progressOf = (id: string) =>
    chunks.filter(({ orchestration }) => orchestration?.task_id === id)
      .flatMap(({ orchestration }) => orchestration?.status ?? []);
  for (const id of ["tea", "coffee", "cocoa"]) assertEquals(progressOf(id), ["started", "done"]);
  assertEquals(progressOf("plan"), ["done"]);
  // Usage and metadata come once, with the last.
  for (const name of ["usage", "metadata"] as const) {
    const carrying = chunks.flatMap((chunk, at) => chunk[name] == null ? [] : [at]);
    assertEquals(carrying, [chunks.length - 1], name);
  }
  const ends = chunks.filter(({ choices }) => typeof choices[0]?.finish_reason === "string");
  assertEquals(ends.length, 1);
});

Deno.test("tasks run side by side, three at once, each as soon as what it reads is done", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  const gate = Promise.withResolvers<void>();
  upstream.plan = [
    planned("a"),
    planned("b"),
    planned("c"),
    planned("d"),
    planned("e", ["a", "b"]),
  ];
  for (const id of ["a", "b", "c"]) upstream.on(id, { until: gate.promise });
  const call = askSplit(service, { stream: true });
  const response = await call;
  const reading = readStreamedAnswer(response);
  await until(() => upstream.calls.length >= 4, "three tasks to begin");
  assertEquals(upstream.calls.map(({ task }) => task).slice(1).sort(), ["a", "b", "c"]);
  gate.resolve();
  const answer = await reading;
  assertEquals(answer.text, "The answer.");
  assertEquals(upstream.mostAtOnce, 3);
  const [e] = upstream.callsFor("e");
  assertStringIncludes(e?.text ?? "", "$a (About a):\n~~~\nResult of a.\n~~~");
  assert(!e?.text.includes("Result of c."));
  await assertCharged(service, answer, { micros: 7n * CALL_MICROS });
});

Deno.test("a simple request is one call, and mentions no tasks", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  const body = { messages: [{ role: "user", content: "What is the capital of Peru?" }] };
  for (const stream of [false, true]) {
    const text = await (await askSplit(service, { stream, body })).text();
    assert(!text.includes("orchestration"), text);
  }
  assertEquals(upstream.calls.map(({ task }) => task), ["plain", "plain"]);
});

Deno.test("several choices, short answers and forced calls are never split", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  const tools = [{ type: "function", function: { name: "save", parameters: {} } }];
  const functions = [{ name: "save", parameters: {} }];
  const bodies = [
    { n: 2 },
    { max_tokens: 100 },
    { tools, tool_choice: "required" },
    { functions, function_call: { name: "save" } },
  ];
  for (const body of bodies) await (await askSplit(service, { body })).text();
  assertEquals(upstream.calls.map(({ task }) => task), ["plain", "plain", "plain", "plain"]);
  await (await askSplit(service, { body: { functions, function_call: "auto" } })).text();
  assertEquals(upstream.callsFor("final").length, 1);
});

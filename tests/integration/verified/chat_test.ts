/**
 * Verified answers of Chat Completions over HTTP: agreement, difference, and the bill of each.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readAnswer } from "../../fixtures/orchestrated.ts";
import {
  askVerified,
  assertBill,
  BETTER_MICROS,
  CHEAP_MICROS,
  verifiedLab,
} from "../../fixtures/verified.ts";

type Answer = Awaited<ReturnType<typeof readAnswer>>;

/** Task, status and model of each line of an answer's parts. */
function linesOf({ orchestration }: Answer) {
  return orchestration?.tasks.map(({ task_id, status, model }) => [task_id, status, model]);
}

for (const stream of [false, true]) {
  const form = stream ? "streamed" : "JSON";

  Deno.test(`${form}: two equal answers are one answer at the price of two cheap calls`, async () => {
    await using lab = await verifiedLab();
    const { service, upstream } = lab;
    upstream.on("alpha", { say: "**B**." });
    const answer = await readAnswer(await askVerified(service, { stream }), stream);
    assertEquals([answer.text, answer.done], ["**B**.", true]);
    assertEquals(upstream.models, ["alpha", "beta"]);
    assert(upstream.calls.every(({ body }) => body["stream"] !== true));
    assert(upstream.calls.every(({ body }) => body["max_tokens"] === 50));
    assertEquals(linesOf(answer), [
      ["verify-1", "done", "alpha"],
      ["verify-2", "done", "beta"],
      ["final", "done", "alpha"],
    ]);
    const { routing, billing } = answer.metadata;
    assertEquals([routing.model, routing.plan], ["alpha", "verified"]);
    assertEquals(routing.orchestration, "Verified: alpha and beta gave equal answers");
    assertEquals(routing.attempts.map(({ model, outcome }) => [model, outcome]), [["alpha", "ok"]]);
    assertEquals([billing?.charged, billing?.total_tokens], ["0.056000", 48]);
    const record = await service.lastRequest();
    assertEquals([record.status, record.outcome, record.stream], [200, "ok", stream]);
    await assertBill(lab, { micros: 2n * CHEAP_MICROS, ...answer });
  });

  Deno.test(`${form}: the better model answers where two answers differ`, async () => {
    await using lab = await verifiedLab();
    const { service, upstream } = lab;
    upstream.on("alpha", { say: "A" });
    upstream.on("zeta", { say: "C" });
    const answer = await readAnswer(await askVerified(service, { stream }), stream);
    assertEquals([answer.text, answer.done], ["C", true]);
    assertEquals(upstream.models, ["alpha", "beta", "zeta"]);
    assertEquals(linesOf(answer), [
      ["verify-1", "done", "alpha"],
      ["verify-2", "done", "beta"],
      ["final", "done", "zeta"],
    ]);
    const { routing } = answer.metadata;
    assertEquals([routing.model, routing.plan], ["zeta", "verified"]);
    assertStringIncludes(
      routing.orchestration ?? "",
      "no two of alpha and beta gave equal answers",
    );
    await assertBill(lab, { micros: 2n * CHEAP_MICROS + BETTER_MICROS, ...answer });
  });

  Deno.test(`${form}: a third cheap model decides where two differ`, async () => {
    await using lab = await verifiedLab({ third: true });
    const { service, upstream } = lab;
    upstream.on("alpha", { say: "A" });
    const answer = await readAnswer(await askVerified(service, { stream }), stream);
    assertEquals(answer.text, "B");
    assertEquals(upstream.models, ["alpha", "beta", "gamma"]);
    assertEquals(linesOf(answer)?.map(([id]) => id), [
      ...["verify-1", "verify-2", "verify-3", "final"],
    ]);
    const { routing } = answer.metadata;
    assertEquals(routing.orchestration, "Verified: beta and gamma gave equal answers");
    assertEquals(routing.model, "beta");
    await assertBill(lab, { micros: 3n * CHEAP_MICROS, ...answer });
  });

  Deno.test(`${form}: the better model answers where three differ`, async () => {
    await using lab = await verifiedLab({ third: true });
    const { service, upstream } = lab;
    upstream.on("alpha", { say: "A" });
    upstream.on("gamma", { say: "G" });
    const answer = await readAnswer(await askVerified(service, { stream }), stream);
    assertEquals([answer.text, answer.metadata.routing.model], ["B", "zeta"]);
    assertEquals(upstream.models, ["alpha", "beta", "gamma", "zeta"]);
    await assertBill(lab, { micros: 3n * CHEAP_MICROS + BETTER_MICROS, ...answer });
  });

  Deno.test(`${form}: a cheap model that fails counts as a different answer`, async () => {
    await using lab = await verifiedLab({ third: true });
    const { service, upstream } = lab;
    upstream.on("alpha", { status: 500 });
    const answer = await readAnswer(await askVerified(service, { stream }), stream);
    assertEquals([answer.text, answer.metadata.routing.model], ["B", "beta"]);
    assertEquals(upstream.models, ["alpha", "beta", "gamma"]);
    assertEquals(linesOf(answer)?.[0]?.[1], "failed");
    await assertBill(lab, { micros: 2n * CHEAP_MICROS, ...answer });
  });

  Deno.test(`${form}: the better model answers where all cheap ones fail, and no third is asked`, async () => {
    await using lab = await verifiedLab({ third: true });
    const { service, upstream } = lab;
    for (const id of ["alpha", "beta"]) upstream.on(id, { status: 500 });
    const answer = await readAnswer(await askVerified(service, { stream }), stream);
    assertEquals([answer.text, answer.metadata.routing.model], ["B", "zeta"]);
    assertEquals(upstream.models, ["alpha", "beta", "zeta"]);
    await assertBill(lab, { micros: BETTER_MICROS, ...answer });
  });

  Deno.test(`${form}: another model stands in for a better one that fails`, async () => {
    await using lab = await verifiedLab();
    const { service, upstream } = lab;
    upstream.on("alpha", { say: "A" });
    upstream.on("zeta", { status: 500 });
    const answer = await readAnswer(await askVerified(service, { stream }), stream);
    assertEquals([answer.text, answer.metadata.routing.model], ["B", "gamma"]);
    assertEquals(upstream.models, ["alpha", "beta", "zeta", "gamma"]);
    assertEquals(answer.metadata.routing.attempts.map(({ outcome }) => outcome), [
      ...["server_error", "ok"],
    ]);
    await assertBill(lab, { micros: 3n * CHEAP_MICROS, ...answer });
  });

  Deno.test(`${form}: a request that every model fails is refused, with the cost of what was answered`, async () => {
    await using lab = await verifiedLab();
    const { service, upstream } = lab;
    upstream.on("alpha", { say: "A" }, { status: 500 });
    upstream.on("beta", { status: 500 }, { status: 500 });
    for (const id of ["gamma", "zeta"]) upstream.on(id, { status: 500 });
    const response = await askVerified(service, { stream });
    assertEquals(response.status, 502);
    const { error, metadata } = await response.json();
    assertEquals([error.code, metadata.billing.charged], ["upstream_error", "0.028000"]);
    await assertBill(lab, { micros: CHEAP_MICROS });
  });

  Deno.test(`${form}: equal calls of a required tool come back to the caller`, async () => {
    await using lab = await verifiedLab();
    const { service, upstream } = lab;
    const called = (written: string) => ({
      message: {
        role: "assistant",
        content: null,
        tool_calls: [{
          id: "call_1",
          type: "function",
          function: { name: "save", arguments: written },
        }],
      },
      finish: "tool_calls",
    });
    upstream.on("alpha", called('{"a":1,"b":2}'));
    upstream.on("beta", called('{ "b": 2.0, "a": 1 }'));
    const tools = [{ type: "function", function: { name: "save", parameters: {} } }];
    const body = { tools, tool_choice: "required", max_tokens: 500 };
    const raw = await (await askVerified(service, { stream, body })).text();
    assertStringIncludes(raw, '"finish_reason":"tool_calls"');
    assertStringIncludes(raw, JSON.stringify('{"a":1,"b":2}'));
    assertEquals(upstream.models, ["alpha", "beta"]);
    await assertBill(lab, { micros: 2n * CHEAP_MICROS });
  });
}

Deno.test("answers to a response schema are compared as JSON", async () => {
  await using lab = await verifiedLab();
  const { service, upstream } = lab;
  upstream.on("alpha", { say: '{"a": 1, "b": "x"}' });
  upstream.on("beta", { say: '{"b":"x","a":1.0}' });
  const response_format = { type: "json_schema", json_schema: { name: "ab", schema: {} } };
  const answer = await readAnswer(
    await askVerified(service, { body: { response_format } }),
    false,
  );
  assertEquals([answer.text, answer.metadata.routing.plan], ['{"a": 1, "b": "x"}', "verified"]);
  await assertBill(lab, { micros: 2n * CHEAP_MICROS, ...answer });
});

Deno.test("an answer that was cut off equals no other", async () => {
  await using lab = await verifiedLab();
  const { service, upstream } = lab;
  upstream.on("alpha", { message: { role: "assistant", content: "B" }, finish: "length" });
  const answer = await readAnswer(await askVerified(service), false);
  assertEquals(answer.metadata.routing.model, "zeta");
  await assertBill(lab, { micros: 2n * CHEAP_MICROS + BETTER_MICROS, ...answer });
});

/**
 * Failures in a split request: the right answer or the right error, every hold ended, and a charge that
 * is the sum of the delivered results.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  askSplit,
  assertCharged,
  CALL_MICROS,
  orchestrationLab,
  readAnswer,
  statuses,
} from "../../fixtures/orchestrated.ts";
import type { LedgerStore } from "../../../gateway/ports/ledger_store.ts";
import { usage } from "../../fixtures/lab.ts";
import { until } from "../../fixtures/service.ts";
import { planned } from "../../fixtures/task_upstream.ts";

for (const stream of [true, false]) {
  const how = stream ? "streamed" : "JSON";

  Deno.test(`${how}: a plan that cannot be used is made anew, once`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    upstream.on("plan", { say: "I would rather not." });
    const answer = await readAnswer(await askSplit(service, { stream }), stream);
    assertEquals(answer.text, "The answer.");
    const [, second] = upstream.callsFor("plan");
    assertStringIncludes(second?.text ?? "", "could not be used: The plan is not a JSON object");
    await assertCharged(service, answer, { micros: 6n * CALL_MICROS });
  });

  Deno.test(`${how}: after two invalid plans the request is a plain call that says so`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    upstream.on("plan", { say: "No." }, { say: '{"tasks": [{}]}' });
    const answer = await readAnswer(await askSplit(service, { stream }), stream);
    assertEquals([answer.text, answer.orchestration], ["The answer.", undefined]);
    assertMatch(answer.metadata.routing.orchestration ?? "", /^Not split: the plan could not/);
    assertEquals(upstream.calls.map(({ task }) => task), ["plan", "plan", "plain"]);
    await assertCharged(service, answer, { micros: 3n * CALL_MICROS });
  });

  Deno.test(`${how}: a planner that sees no gain leaves a plain call`, async () => {
    for (const plan of [[], [planned("all")]]) {
      await using lab = await orchestrationLab();
      const { service, upstream } = lab;
      upstream.plan = plan;
      const answer = await readAnswer(await askSplit(service, { stream }), stream);
      assertEquals(upstream.calls.map(({ task }) => task), ["plan", "plain"]);
      assertMatch(answer.metadata.routing.orchestration ?? "", /no gain/);
      await assertCharged(service, answer, { micros: 2n * CALL_MICROS });
    }
  });

  Deno.test(`${how}: without a planner the request is a plain call`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    upstream.on("plan", { status: 500 }, { status: 500 });
    const answer = await readAnswer(await askSplit(service, { stream }), stream);
    assertEquals(answer.text, "The answer.");
    assertMatch(answer.metadata.routing.orchestration ?? "", /no model made a plan/);
    await assertCharged(service, answer, { micros: CALL_MICROS });
  });

  Deno.test(`${how}: a task that is cut is run again on another model`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    upstream.on("tea", { cutAfter: "Half of " });
    const answer = await readAnswer(
      await askSplit(service, { stream, choice: "final" }),
      stream,
    );
    assertEquals(answer.text, "The answer.");
    const models = upstream.callsFor("tea").map(({ model }) => model);
    assertEquals(models.length, 2);
    assert(models[0] !== models[1], `${models}`);
    assertStringIncludes(upstream.callsFor("final")[0]?.text ?? "", "Result of tea.");
    // No caller received the half: it costs nothing.
    await assertCharged(service, answer, { micros: 5n * CALL_MICROS });
  });

  Deno.test(`${how}: a task that one model refuses is run on another`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    upstream.on("tea", { status: 400 });
    const answer = await readAnswer(await askSplit(service, { stream }), stream);
    assertEquals([answer.text, statuses(answer)["tea"]], ["The answer.", "done"]);
    assertEquals(new Set(upstream.callsFor("tea").map(({ model }) => model)).size, 2);
    await assertCharged(service, answer, { micros: 5n * CALL_MICROS });
  });

  Deno.test(`${how}: a task that fails finally is left out, and the answering model receives its failure`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    upstream.plan = [planned("tea"), planned("more", ["tea"]), planned("coffee")];
    upstream.on("tea", { cutAfter: "Half " }, { cutAfter: "Half " });
    const answer = await readAnswer(
      await askSplit(service, { stream, choice: "final" }),
      stream,
    );
    assertEquals(statuses(answer), {
      ...{ plan: "done", tea: "failed", more: "skipped", coffee: "done", final: "done" },
    });
    const finalPrompt = upstream.callsFor("final")[0]?.text ?? "";
    assertStringIncludes(finalPrompt, "$tea (About tea): this part failed");
    assertStringIncludes(finalPrompt, "$more (About more): this part failed");
    assertEquals(upstream.callsFor("more").length, 0);
    await assertCharged(service, answer, { micros: 3n * CALL_MICROS });
  });

  Deno.test(`${how}: a task that stalls is run again`, async () => {
    await using lab = await orchestrationLab({ upstream: { timeouts: { idleMs: 1_000 } } });
    const { service, upstream } = lab;
    upstream.on("cocoa", { stallAfter: "Half " });
    const answer = await readAnswer(
      await askSplit(service, { stream, choice: "final" }),
      stream,
    );
    assertEquals([answer.text, statuses(answer)["cocoa"]], ["The answer.", "done"]);
    await assertCharged(service, answer, { micros: 5n * CALL_MICROS });
  });

  Deno.test(`${how}: if every task fails the orchestration has failed`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    for (const id of ["tea", "coffee", "cocoa"]) {
      upstream.on(id, { cutAfter: "H" }, { cutAfter: "H" });
    }
    const response = await askSplit(service, { stream, choice: "final" });
    assertEquals(response.status, 200);
    const answer = await readAnswer(response, stream);
    assertEquals(answer.error?.code, "orchestration_failed");
    assertEquals([answer.text, answer.done], ["", !stream]);
    assertEquals(upstream.callsFor("final").length, 0);
    assertEquals(statuses(answer)["final"], "failed");
    const record = await service.lastRequest();
    assertEquals([record.status, record.outcome, record.errorCode], [
      ...[200, "error", "orchestration_failed"],
    ]);
    await assertCharged(service, answer, { micros: CALL_MICROS });
  });

  Deno.test(`${how}: if no model combines the results the orchestration has failed`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    upstream.on("final", { status: 500 }, { status: 500 });
    const response = await askSplit(service, { stream });
    assertEquals(response.status, 200);
    const raw = response.clone();
    const answer = await readAnswer(response, stream);
    assertEquals(answer.error?.code, "orchestration_failed");
    assertStringIncludes(await raw.text(), '"choices":[]');
    await assertCharged(service, answer, { micros: 4n * CALL_MICROS });
  });

  Deno.test(`${how}: a wallet that is emptied meanwhile pays for the generated part`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    const { key, wallet } = await service.newKey({ credits: "60" });
    const gate = Promise.withResolvers<void>();
    // All that is held for the tasks is used up, by no more than the models' context.
    const all = usage(100_000, 1_000);
    for (const id of ["tea", "coffee", "cocoa"]) {
      upstream.on(id, { until: gate.promise, usage: all });
    }
    const call = askSplit(service, { stream, key });
    await until(() => upstream.calls.length === 4, "the tasks to begin");
    await spendAll(service.running.stores.ledger, wallet);
    gate.resolve();
    const answer = await readAnswer(await call, stream);
    assertEquals(answer.error?.code, "orchestration_failed");
    assertMatch(answer.error?.message ?? "", /credits/);
    assertEquals(upstream.callsFor("final").length, 0);
    assertEquals((await service.wallet(wallet)).available, 0n);
    await service.assertBooks();
  });
}

/** Spends all that a wallet has free on something else. */
async function spendAll(ledger: LedgerStore, walletId: string): Promise<void> {
  const { available = 0n } = await ledger.wallet(walletId) ?? {};
  const amount = available;
  const holdId = "hold_elsewhere";
  const atMs = Date.now();
  await ledger.hold({
    ...{ kind: "hold", holdId, walletId, keyId: "key_elsewhere", budgetId: undefined },
    ...{ logId: "log_elsewhere", model: "one", priceVersion: 1, amount, minimum: amount },
    ...{ budget: { day: undefined, month: undefined, total: undefined }, atMs },
  }, { waitMs: 0 });
  await ledger.settle({
    ...{ kind: "settle", holdId, cost: amount, inputTokens: 0, cachedInputTokens: 0 },
    ...{ outputTokens: 0, estimated: false, atMs },
  });
}

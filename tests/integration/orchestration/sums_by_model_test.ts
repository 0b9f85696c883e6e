/**
 * A split request is charged to the models of its tasks, wherever requests are summed up.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { askSplit, orchestrationLab, readAnswer } from "../../fixtures/orchestrated.ts";
import { metricsOf, valueOf } from "../../fixtures/prometheus.ts";
import { ADMIN_TOKEN, TestService } from "../../fixtures/service.ts";
import { CALL_USAGE } from "../../fixtures/task_upstream.ts";

const COMPOUND = "Compare tea, coffee and cocoa in terms of health, cost and history.";

interface ModelRow {
  readonly model: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly charged: string;
}

/** Returns the fields that both have for each model, in the order of names. */
function comparable(rows: readonly ModelRow[]): unknown[] {
  return rows.toSorted((a, b) => a.model < b.model ? -1 : 1).map((row) => {
    const { model, requests, inputTokens, cachedInputTokens, outputTokens, charged } = row;
    return { model, requests, inputTokens, cachedInputTokens, outputTokens, charged };
  });
}

Deno.test("overview, usage and metrics charge a split request to the same models", async () => {
  await using service = await TestService.start();
  for (const content of [COMPOUND, "Hello"]) {
    const answer = await service.chat({ messages: [{ role: "user", content }] });
    await answer.text();
  }
  await service.quiet();
  const usage = await service.admin("GET", "/usage?by=model");
  const overview = await service.admin("GET", "/overview?since=1h");
  const rows = usage.usage as readonly ModelRow[];
  assert(rows.length > 1, "the request was not split among models");
  assertEquals(comparable(overview.models as readonly ModelRow[]), comparable(rows));
  assertEquals(overview.totals, {
    ...overview.totals as Record<string, unknown>,
    requests: 2,
    charged: sumOf(rows.map(({ charged }) => charged)),
  });
  const metrics = await metricsOf(service.running.adminUrl, ADMIN_TOKEN);
  for (const { model, charged, outputTokens } of rows) {
    const credits = valueOf(metrics, "svc_charged_credits_total", { model });
    assertEquals(credits?.toFixed(6), charged);
    assertEquals(valueOf(metrics, "svc_tokens_total", { model, type: "output" }), outputTokens);
  }
});

Deno.test("the cost of a first attempt on another model is that model's, in usage and overview", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  upstream.on("tea", { cutAfter: "Half of ", usage: CALL_USAGE });
  const answer = await readAnswer(await askSplit(service, { stream: true, choice: "final" }), true);
  assertEquals(answer.text, "The answer.");
  const models = upstream.callsFor("tea").map(({ model }) => model);
  assertEquals(new Set(models).size, 2);
  await service.quiet();
  const usage = await service.admin("GET", "/usage?by=model");
  const overview = await service.admin("GET", "/overview?since=1h");
  const rows = usage.usage as readonly ModelRow[];
  assertEquals(comparable(overview.models as readonly ModelRow[]), comparable(rows));
  const [page] = (await service.admin("GET", "/requests")).requests as { id: string }[];
  const { tasks } = await service.admin("GET", `/requests/${page?.id}`);
  assert((tasks as object[]).every((task) => !("others" in task)));
});

function sumOf(amounts: readonly string[]): string {
  return amounts.reduce((sum, amount) => sum + Number(amount), 0).toFixed(6);
}

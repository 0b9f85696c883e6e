/**
 * The metrics page: access to it, and the agreement of its numbers with the requests.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { FakeUpstream, json, sse } from "../../fixtures/fake_upstream.ts";
import {
  chunkText,
  completion,
  labConfig,
  QUESTION,
  usage,
  usageChunk,
} from "../../fixtures/lab.ts";
import { metricsOf, scrape, valueOf } from "../../fixtures/prometheus.ts";
import { promtool } from "../../fixtures/promtool.ts";
import { ADMIN_TOKEN, BOOTSTRAP_KEY, TestService, until } from "../../fixtures/service.ts";

const METRICS_TOKEN = "metrics_token_of_tests";
const STREAMED = [
  chunkText({ role: "assistant", content: "Hello" }),
  chunkText({}, "stop"),
  usageChunk(usage(30, 4)),
];

Deno.test("metrics need the operator's token, or the metrics token that opens nothing else", async () => {
  await using service = await TestService.start({ settings: { metricsToken: METRICS_TOKEN } });
  const { adminUrl } = service.running;
  const wallets = (token: string) =>
    fetch(`${adminUrl}/admin/v1/wallets`, { headers: { authorization: `Bearer ${token}` } });
  for (
    const [answer, status] of [
      [scrape(adminUrl, undefined), 401],
      [scrape(adminUrl, "wrong_token_of_tests"), 401],
      [scrape(adminUrl, BOOTSTRAP_KEY), 401],
      [scrape(adminUrl, ADMIN_TOKEN), 200],
      [scrape(adminUrl, METRICS_TOKEN), 200],
      [wallets(METRICS_TOKEN), 401],
      [wallets(ADMIN_TOKEN), 200],
      [fetch(`${service.running.publicUrl}/metrics`), 404],
      [fetch(`${adminUrl}/metrics`, { method: "POST" }), 401],
    ] as const
  ) {
    const response = await answer;
    await response.body?.cancel();
    assertEquals(response.status, status, response.url);
  }
  const page = await scrape(adminUrl, METRICS_TOKEN);
  assertEquals(page.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  await page.body?.cancel();
});

Deno.test("without a metrics token no token is accepted, not even an empty one", async () => {
  await using service = await TestService.start();
  for (const token of ["undefined", ""]) {
    const response = await scrape(service.running.adminUrl, token);
    await response.body?.cancel();
    assertEquals(response.status, 401);
  }
});

Deno.test("requests, tokens and credits are those of the log", async () => {
  await using model = new FakeUpstream();
  await using service = await TestService.start({
    config: labConfig({ id: "one", baseUrl: model.baseUrl }),
  });
  model.answer(json(completion({ usage: usage(20, 5) })), sse(STREAMED));
  await (await service.chat({ messages: QUESTION })).text();
  await (await service.chat({ messages: QUESTION, stream: true })).text();
  await service.quiet();
  const rows = (await service.running.stores.log.search({ limit: 10 })).records;
  const metrics = await metricsOf(service.running.adminUrl, ADMIN_TOKEN);
  const of = { endpoint: "chat", model: "one" };
  assertEquals(valueOf(metrics, "svc_requests_total", { ...of, status: "2xx", outcome: "ok" }), 2);
  assertEquals(valueOf(metrics, "svc_tokens_total", { ...of, type: "input" }), 50);
  assertEquals(valueOf(metrics, "svc_tokens_total", { ...of, type: "output" }), 9);
  const charged = rows.reduce((sum, row) => sum + Number(row.charged), 0);
  assertEquals(valueOf(metrics, "svc_charged_credits_total", of).toFixed(6), charged.toFixed(6));
  assertEquals(valueOf(metrics, "svc_request_log_rows_total"), 2);
  const went = { outcome: "ok", status: "2xx" };
  assertEquals(valueOf(metrics, "svc_upstream_attempts_total", went), 2);
  const text = await (await scrape(service.running.adminUrl, ADMIN_TOKEN)).text();
  assert(text.includes('svc_request_duration_seconds_count{endpoint="chat",model="one"} 2\n'));
  assert(text.includes('svc_time_to_first_byte_seconds_count{endpoint="chat",model="one"} 1\n'));
  assertEquals(valueOf(metrics, "svc_holds_open"), 0);
  assertEquals(valueOf(metrics, "svc_wallets"), 1);
  assertEquals(valueOf(metrics, "svc_store_state", { state: "ok" }), 1);
  assert(valueOf(metrics, "process_resident_memory_bytes") > 1e7);
  assert(valueOf(metrics, "process_start_time_seconds") > 1.7e9);
});

Deno.test("failures are counted where they happen: attempts, failovers, cuts, refusals", async () => {
  await using best = new FakeUpstream();
  await using second = new FakeUpstream();
  await using service = await TestService.start({
    config: labConfig(
      { id: "best", quality: 0.9, baseUrl: best.baseUrl },
      { id: "second", quality: 0.1, baseUrl: second.baseUrl },
    ),
  });
  const { adminUrl } = service.running;
  const before = await metricsOf(adminUrl, ADMIN_TOKEN);
  const refused = { upstream: "at-best", outcome: "refused_credentials", status: "4xx" };
  // Told of before it happens: or Prometheus would not see the first.
  assert(
    before.get("svc_upstream_attempts_total")?.metrics.some(({ labels }) =>
      Object.entries(refused).every(([name, value]) => labels?.[name] === value)
    ),
  );
  best.otherwise(json({ error: { message: "no" } }, { status: 401 }));
  second.answer(json(completion()), sse([chunkText({ role: "assistant", content: "a" }), "{"]));
  await (await service.chat({ messages: QUESTION })).text();
  const cut = [{ role: "user", content: "Hello" }];
  await (await service.chat({ messages: cut, stream: true })).text();
  await (await service.chat({ messages: QUESTION }, { key: "wrong" })).text();
  await (await service.chat({ messages: "odd" })).text();
  const poor = await service.newKey({ credits: "0" });
  await (await service.chat({ messages: QUESTION }, { key: poor.key })).text();
  await service.quiet();
  await until(async () => {
    const metrics = await metricsOf(adminUrl, ADMIN_TOKEN);
    return valueOf(metrics, "svc_request_log_rows_total") === 4;
  }, "the rows of refusals");
  const metrics = await metricsOf(adminUrl, ADMIN_TOKEN);
  assertEquals(valueOf(metrics, "svc_upstream_attempts_total", refused), 1);
  assertEquals(valueOf(metrics, "svc_model_breaker_open", { upstream: "at-best" }), 1);
  assertEquals(valueOf(metrics, "svc_model_breaker_open", { upstream: "at-second" }), 0);
  assertEquals(valueOf(metrics, "svc_failovers_total"), 1);
  assertEquals(valueOf(metrics, "svc_upstream_broken_streams_total", { upstream: "at-second" }), 1);
  assertEquals(valueOf(metrics, "svc_requests_total", { outcome: "cut" }), 1);
  const refusals = (code: string) =>
    valueOf(metrics, "svc_refusals_total", { listener: "public", code });
  assertEquals([refusals("invalid_api_key"), refusals("invalid_request")], [1, 1]);
  assertEquals(valueOf(metrics, "svc_request_errors_total", { code: "insufficient_balance" }), 1);
});

Deno.test("metrics report written-off amounts, impossible usage and the journal check's results", async () => {
  await using model = new FakeUpstream();
  await using service = await TestService.start({
    config: labConfig({ id: "one", baseUrl: model.baseUrl }),
  });
  model.answer(json(completion({ usage: usage(10_000, 1_000) })));
  await (await service.chat({ messages: QUESTION })).text();
  model.answer(json(completion({ usage: usage(1_000_000, 1) })));
  await (await service.chat({ messages: QUESTION })).text();
  await service.quiet();
  await service.admin("GET", "/ledger/verify");
  const metrics = await metricsOf(service.running.adminUrl, ADMIN_TOKEN);
  assertEquals(valueOf(metrics, "svc_write_offs_total"), 1);
  assertEquals(valueOf(metrics, "svc_impossible_usage_total", { model: "one" }), 1);
  assertEquals(valueOf(metrics, "svc_estimated_bills_total"), 1);
  assert(valueOf(metrics, "svc_written_off_credits_total") > 0);
  assertEquals(valueOf(metrics, "svc_ledger_problems"), 0);
  assert(valueOf(metrics, "svc_ledger_verified_timestamp_seconds") > 1.7e9);
});

Deno.test({
  name: "promtool finds nothing wrong with the page",
  ignore: promtool === undefined,
  fn: async () => {
    await using service = await TestService.start();
    await (await service.chat({ messages: QUESTION })).text();
    await service.quiet();
    const page = await (await scrape(service.running.adminUrl, ADMIN_TOKEN)).text();
    assertEquals(await promtool?.(["check", "metrics"], page), { code: 0, output: "" });
  },
});

import { assertEquals } from "@std/assert";
import type { RequestRecord } from "../../ports/request_log.ts";
import { assertRefused, START_MS, withAdmin } from "../admin_test_support.ts";

const MINUTE_MS = 60_000;

function record(n: number, rest: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id: `log_${n}`,
    requestId: `req-${n}`,
    atMs: START_MS - n * MINUTE_MS,
    keyId: "key_a",
    walletId: "team",
    endpoint: "chat",
    stream: false,
    status: 200,
    outcome: "ok",
    durationMs: 400,
    holdIds: [],
    charged: "0.500000",
    inputTokens: 10,
    cachedInputTokens: 2,
    outputTokens: 5,
    estimated: false,
    routing: {
      model: "fast-mini",
      provider: "lab",
      tier: "standard",
      reason: "Alone",
      considered: 1,
      attempts: [],
    },
    ...rest,
  };
}

Deno.test("GET /overview sums a time up, by model, key and ending, with the upstreams", async () => {
  await withAdmin(async ({ deps, get, pool }) => {
    const failed = { outcome: "error", routing: undefined, charged: "0.000000" } as const;
    const rows = [
      record(1),
      record(2, { keyId: "key_b", durationMs: 800, firstByteMs: 90, stream: true }),
      record(2, { ...failed, status: 429, errorCode: "rate_limit_exceeded" }),
      record(3, { ...failed, status: 502, errorCode: "upstream_error" }),
      record(3, { outcome: "client_left", status: 499 }),
      record(3, { outcome: "killed" }),
      record(200),
    ];
    for (const row of rows) await deps.log.append(row);
    pool.set("slow-maxi", { available: false, reason: "timed out", retryAfterMs: 500 });
    const { status, body } = await get("/overview?since=1h");
    assertEquals(status, 200);
    const { requests, ok, errors, refused, clientLeft, charged, inputTokens } = body.totals;
    assertEquals([requests, ok, errors, refused, clientLeft], [6, 2, 2, 1, 1]);
    assertEquals([charged, inputTokens], ["2.000000", 60]);
    assertEquals(body.stepMs, MINUTE_MS);
    const series = body.series.map((
      point: { at: string; requests: number },
    ) => [point.at, point.requests]);
    assertEquals(series, [
      ["2026-11-21T11:57:00.000Z", 3],
      ["2026-11-21T11:58:00.000Z", 2],
      ["2026-11-21T11:59:00.000Z", 1],
    ]);
    const models = body.models.map((
      row: { model: string | null; requests: number },
    ) => [row.model, row.requests]);
    assertEquals(models, [["fast-mini", 4], [null, 2]]);
    assertEquals(body.keys.map((row: { key: string }) => row.key), ["key_a", "key_b"]);
    assertEquals(body.endings.length, 5);
    const [upstream] = body.upstreams;
    assertEquals([upstream.id, upstream.state, upstream.inFlight, upstream.maxInFlight], [
      "lab",
      "degraded",
      3,
      200,
    ]);
  });
});

Deno.test("GET /overview splits each step up by model or key, the dearest by name", async () => {
  await withAdmin(async ({ deps, get }) => {
    const dear = Array.from(
      { length: 10 },
      (_, n) => record(1, { keyId: `key_${n}`, charged: `${10 - n}.000000` }),
    );
    const refused = record(2, {
      ...{ outcome: "error", status: 429, routing: undefined, charged: "0.000000" },
      keyId: "key_0",
    });
    for (const row of [...dear, refused]) await deps.log.append(row);
    const groupsOf = async (query: string) => {
      const { body } = await get(`/overview?since=1h${query}`);
      return body.series.map((
        { groups }: {
          groups?: { id: string | null; others: boolean; requests: number; charged: string }[];
        },
      ) => groups?.map(({ id, others, requests, charged }) => [id, others, requests, charged]));
    };
    assertEquals(await groupsOf(""), [undefined, undefined]);
    assertEquals(await groupsOf("&by=model"), [
      [[null, false, 1, "0.000000"]],
      [["fast-mini", false, 10, "55.000000"]],
    ]);
    const [first, second] = await groupsOf("&by=key");
    assertEquals(first, [["key_0", false, 1, "0.000000"]]);
    assertEquals(second?.length, 9);
    assertEquals(second?.[0], ["key_0", false, 1, "10.000000"]);
    assertEquals(second?.[8], [null, true, 2, "3.000000"]);
    assertRefused(await get("/overview?by=day"), {
      ...{ status: 400, code: "invalid_request", param: "by" },
    });
  });
});

Deno.test("GET /overview refuses a time that ends before it begins", async () => {
  await withAdmin(async ({ get }) => {
    const invalid = { status: 400, code: "invalid_request" };
    assertRefused(await get("/overview?since=1h&until=2h"), { ...invalid, param: "since" });
    assertRefused(await get("/overview?step=fast"), { ...invalid, param: "step" });
  });
});

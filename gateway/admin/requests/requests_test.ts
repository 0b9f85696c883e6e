import { assertEquals, assertStringIncludes } from "@std/assert";
import type { RequestRecord } from "../../ports/request_log.ts";
import { assertRefused, START_MS, type TestAdmin, withAdmin } from "../admin_test_support.ts";

const SERVED: RequestRecord = {
  id: "log_1",
  requestId: "order/42",
  atMs: START_MS - 7_200_000,
  keyId: "key_a",
  walletId: "team",
  endpoint: "chat",
  stream: true,
  status: 200,
  outcome: "ok",
  durationMs: 420,
  firstByteMs: 80,
  routing: {
    model: "fast-mini",
    provider: "lab",
    tier: "standard",
    reason: "Cheapest that is good enough",
    considered: 2,
    attempts: [{ model: "fast-mini", provider: "lab", outcome: "ok", status: 200, ms: 400 }],
  },
  exclusions: [{ model: "slow-maxi", stage: "policy", reason: "not among the policy's models" }],
  holdIds: ["hold_1"],
  charged: "0.412000",
  inputTokens: 12,
  cachedInputTokens: 2,
  outputTokens: 30,
  estimated: false,
};
const REFUSED: RequestRecord = {
  id: "log_2",
  requestId: "order/42",
  atMs: START_MS,
  keyId: "key_b",
  walletId: "team",
  endpoint: "responses",
  stream: false,
  status: 429,
  outcome: "error",
  errorCode: "rate_limit_exceeded",
  durationMs: 1,
  holdIds: [],
  charged: "0.000000",
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  estimated: false,
};

async function withRequests(run: (admin: TestAdmin) => Promise<void>): Promise<void> {
  await withAdmin(async (admin) => {
    await admin.deps.log.append(SERVED);
    await admin.deps.log.append(REFUSED);
    await run(admin);
  });
}

Deno.test("GET /requests lists the newest first, a line each", async () => {
  await withRequests(async ({ get }) => {
    const { body } = await get("/requests");
    assertEquals(body.cursor, null);
    const [newest, oldest] = body.requests;
    assertEquals([newest.id, newest.model, newest.errorCode], [
      "log_2",
      null,
      "rate_limit_exceeded",
    ]);
    assertEquals(oldest, {
      id: "log_1",
      requestId: "order/42",
      at: "2026-11-21T10:00:00.000Z",
      key: "key_a",
      wallet: "team",
      endpoint: "chat",
      user: null,
      safetyIdentifier: null,
      tags: {},
      stream: true,
      status: 200,
      outcome: "ok",
      errorCode: null,
      model: "fast-mini",
      provider: "lab",
      durationMs: 420,
      firstByteMs: 80,
      inputTokens: 12,
      cachedInputTokens: 2,
      outputTokens: 30,
      estimated: false,
      charged: "0.412000",
    });
  });
});

Deno.test("GET /requests filters and pages", async () => {
  await withRequests(async ({ get }) => {
    const ids = async (query: string) => {
      const { body } = await get(`/requests?${query}`);
      return body.requests.map(({ id }: { id: string }) => id);
    };
    assertEquals(await ids("key=key_a"), ["log_1"]);
    assertEquals(await ids("status=4xx"), ["log_2"]);
    assertEquals(await ids("status=200"), ["log_1"]);
    assertEquals(await ids("since=1h"), ["log_2"]);
    assertEquals(await ids("until=2026-11-21T11:00"), ["log_1"]);
    assertEquals(await ids("request_id=order%2F42"), ["log_2", "log_1"]);
    assertEquals(await ids("request_id=other"), []);
    const { cursor } = (await get("/requests?limit=1")).body;
    assertEquals(await ids(`limit=1&cursor=${cursor}`), ["log_1"]);
    const invalid = { status: 400, code: "invalid_request" };
    assertRefused(await get("/requests?status=9xx"), { ...invalid, param: "status" });
    assertRefused(await get("/requests?cursor=garbage"), { ...invalid, param: "cursor" });
    const tooMany = await get("/requests?limit=100000");
    assertRefused(tooMany, { ...invalid, param: "limit" });
    assertStringIncludes(tooMany.body.error.message, "1 to 500");
    assertRefused(await get("/requests?keys=a"), { ...invalid, param: "keys" });
  });
});

Deno.test("GET /requests/{id} finds by row, or the newest of a request id, with its details", async () => {
  await withRequests(async ({ get }) => {
    const { body } = await get("/requests/log_1");
    assertEquals(body.attempts, SERVED.routing?.attempts);
    assertEquals(body.exclusions, SERVED.exclusions);
    assertEquals(body.holds, ["hold_1"]);
    assertEquals(body.routing.reason, "Cheapest that is good enough");
    const refused = (await get("/requests/order%2F42")).body;
    assertEquals([refused.id, refused.attempts, refused.exclusions], ["log_2", [], []]);
    assertRefused(await get("/requests/none"), { status: 404, code: "not_found" });
  });
});

Deno.test("a request id is looked for to the end of a log that takes many pages to search", async () => {
  await withRequests(async ({ deps, get }) => {
    const search = deps.log.search.bind(deps.log);
    // A search that has taken long enough ends with a cursor, and may have found nothing by then.
    deps.log.search = (query) =>
      query.cursor === undefined
        ? Promise.resolve({ records: [], cursor: "9.0" })
        : search({ ...query, cursor: undefined });
    const { status, body } = await get("/requests/order%2F42");
    assertEquals([status, body.id], [200, "log_2"]);
    assertEquals((await get("/requests/order%2F43")).status, 404);
  });
});

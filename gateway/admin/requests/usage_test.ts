import { assertEquals } from "@std/assert";
import { assertRefused, START_MS, type TestAdmin, withAdmin } from "../admin_test_support.ts";

const DAY_MS = 86_400_000;

async function withUsage(run: (admin: TestAdmin) => Promise<void>): Promise<void> {
  await withAdmin(async (admin) => {
    const { body } = await admin.post("/keys", { name: "app", wallet: "team" });
    const calls = [
      { holdId: "h1", keyId: body.id, logId: "l1", model: "fast-mini", cost: 250_000n, days: 0 },
      { holdId: "h2", keyId: body.id, logId: "l1", model: "slow-maxi", cost: 5_000_000n, days: 0 },
      { holdId: "h3", keyId: "key_gone", logId: "l2", model: "fast-mini", cost: 1n, days: 1 },
    ];
    for (const { cost, days, ...call } of calls) {
      const atMs = START_MS + days * DAY_MS;
      const amounts = { amount: 4_000_000n, minimum: 1n, budget: {}, priceVersion: 1 };
      const names = days === 0 ? { user: "ann", tags: "env=prod,team=x" } : {};
      const hold = { kind: "hold", walletId: "team", ...call, ...names, ...amounts, atMs } as const;
      await admin.deps.ledger.hold(hold, { waitMs: 0 });
      const tokens = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 5, estimated: false };
      const { holdId } = call;
      await admin.deps.ledger.settle({ kind: "settle", holdId, cost, ...tokens, atMs });
    }
    admin.clock.ms = START_MS + DAY_MS;
    await run(admin);
  });
}

const CALL = { requests: 1, inputTokens: 10, cachedInputTokens: 4, outputTokens: 5 };

Deno.test("GET /usage sums by day, a request of several calls counting once", async () => {
  await withUsage(async ({ get }) => {
    const { body } = await get("/usage");
    assertEquals(body, {
      by: "day",
      cursor: null,
      usage: [{
        day: "2026-11-21",
        requests: 1,
        inputTokens: 20,
        cachedInputTokens: 8,
        outputTokens: 10,
        charged: "4.250000",
        writtenOff: "1.000000",
      }, { day: "2026-11-22", ...CALL, charged: "0.000001", writtenOff: "0.000000" }],
    });
  });
});

Deno.test("GET /usage sums by model and key, dearest first, keys with their names", async () => {
  await withUsage(async ({ get }) => {
    const models = (await get("/usage?by=model")).body.usage;
    assertEquals(models, [
      { model: "slow-maxi", ...CALL, charged: "4.000000", writtenOff: "1.000000" },
      {
        model: "fast-mini",
        requests: 2,
        inputTokens: 20,
        cachedInputTokens: 8,
        outputTokens: 10,
        charged: "0.250001",
        writtenOff: "0.000000",
      },
    ]);
    const keys = (await get("/usage?by=key")).body.usage;
    assertEquals(keys.map(({ name }: { name?: string }) => name), ["app", undefined]);
    assertEquals(keys[1].key, "key_gone");
  });
});

Deno.test("GET /usage sums by user and tag, and filters by them", async () => {
  await withUsage(async ({ get }) => {
    const { by, usage } = (await get("/usage?by=tag:env")).body;
    assertEquals(by, "tag:env");
    assertEquals(usage, [
      {
        ...{ value: "prod", kind: "named", requests: 1, inputTokens: 20, cachedInputTokens: 8 },
        ...{ outputTokens: 10, charged: "4.250000", writtenOff: "1.000000" },
      },
      { value: "", kind: "none", ...CALL, charged: "0.000001", writtenOff: "0.000000" },
    ]);
    const users = (await get("/usage?by=user")).body.usage;
    assertEquals(users.map(({ user, kind }: Record<string, string>) => [user, kind]), [
      ["ann", "named"],
      ["", "none"],
    ]);
    const tagged = (await get("/usage?by=model&tag=team%3Dx&user=ann")).body.usage;
    assertEquals(tagged.length, 2);
    assertEquals((await get("/usage?tag=team%3Dy")).body.usage, []);
    for (const [query, param] of [["by=tag:", "by"], ["by=tag:1a", "by"], ["tag=team", "tag"]]) {
      const answer = await get(`/usage?${query}`);
      assertRefused(answer, { status: 400, code: "invalid_request", param: param ?? "" });
    }
  });
});

Deno.test("GET /usage filters by time and refuses other groupings", async () => {
  await withUsage(async ({ get }) => {
    const days = async (query: string) => {
      const { body } = await get(`/usage?${query}`);
      return body.usage.map(({ day }: { day: string }) => day);
    };
    assertEquals(await days("since=1h"), ["2026-11-22"]);
    assertEquals(await days("until=2026-11-21T23:59:59%2B00:00"), ["2026-11-21"]);
    assertEquals(await days("since=2026-11-23"), []);
    const answer = await get("/usage?by=wallet");
    assertRefused(answer, { status: 400, code: "invalid_request", param: "by" });
  });
});

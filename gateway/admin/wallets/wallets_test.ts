import { assertEquals, assertStringIncludes } from "@std/assert";
import { assertRefused, START_MS, type TestAdmin, withAdmin } from "../admin_test_support.ts";

const TEAM = {
  id: "team",
  tier: "standard",
  credits: "100.000000",
  available: "100.000000",
  held: "0.000000",
  spent: "0.000000",
  writtenOff: "0.000000",
  lowBelow: "10.000000",
  lowBelowSet: false,
  closedAt: null,
  low: false,
};

Deno.test("POST /wallets opens a wallet in the given tier with initial credits", async () => {
  await withAdmin(async ({ get, post }) => {
    const made = await post("/wallets", { id: "lab", tier: "basic", credits: "12.5" });
    assertEquals(made.status, 201);
    const paid = { credits: "12.500000", available: "12.500000", lowBelow: "1.250000" };
    const lab = { ...TEAM, ...paid, id: "lab", tier: "basic" };
    assertEquals(made.body, lab);
    assertEquals((await get("/wallets/lab")).body, lab);
    assertEquals((await get("/wallets")).body, { wallets: [lab, TEAM], cursor: null, total: 2 });
    const empty = await post("/wallets", { id: "empty" });
    assertEquals([empty.body.tier, empty.body.credits], ["standard", "0.000000"]);
  });
});

Deno.test("POST /wallets uses the lowest tier if there is no tier called standard", async () => {
  await withAdmin(async ({ deps, post, stores }) => {
    const { version: _, updatedAtMs: __, ...content } = deps.catalogs.current();
    const tiers = content.tiers.filter((tier) => tier.id === "basic");
    await stores.catalogs.apply({ ...content, tiers }, { expected: 1, note: "", atMs: START_MS });
    assertEquals((await post("/wallets", { id: "lab" })).body.tier, "basic");
  });
});

Deno.test("POST /wallets refuses what is not valid, with the field and the nearest name", async () => {
  await withAdmin(async ({ clock, post }) => {
    const refused = async (body: unknown, param: string | null, words: string) => {
      const answer = await post("/wallets", body);
      assertRefused(answer, { status: 400, code: "invalid_request", param });
      assertStringIncludes(answer.body.error.message, words);
    };
    await refused({ id: "a", tier: "standart" }, "tier", 'the nearest is "standard"');
    await refused({ id: "a", tiers: "x" }, "tiers", 'the nearest is "tier"');
    await refused({ id: "-a" }, "id", "1 to 64");
    await refused({}, "id", "");
    await refused({ id: "a", credits: "1e3" }, "credits", "as 12.5");
    await refused({ id: "a", credits: "0.0000001" }, "credits", "six decimal places");
    await refused({ id: "a", credits: "9".repeat(23) }, "credits", "15 digits");
    await refused({ id: "a", credits: "-1" }, "credits", "Credits must be positive, not -1");
    await refused({ id: "a", credits: true }, "credits", "as 12.5");
    clock.ms++;
    const again = await post("/wallets", { id: "team", credits: "100" });
    assertRefused(again, { status: 409, code: "conflict" });
    assertEquals((await post("/wallets/team/credit", { credits: 1 })).body.credits, "101.000000");
  });
});

Deno.test("POST /wallets completes a create that was killed before its credits", async () => {
  await withAdmin(async ({ clock, deps, post }) => {
    await deps.ledger.open({ kind: "open", walletId: "cut", tier: "standard", atMs: START_MS });
    clock.ms++;
    assertRefused(await post("/wallets", { id: "cut" }), { status: 409, code: "conflict" });
    const otherTier = await post("/wallets", { id: "cut", tier: "basic", credits: "5" });
    assertRefused(otherTier, { status: 409, code: "conflict" });
    const answer = await post("/wallets", { id: "cut", credits: "5" });
    assertEquals([answer.status, answer.body.credits], [201, "5.000000"]);
    const twice = await post("/wallets", { id: "cut", credits: "5" });
    assertRefused(twice, { status: 409, code: "conflict" });
  });
});

Deno.test("POST /wallets/{id}/credit pays once for an operation id, however it is given", async () => {
  await withAdmin(async ({ post }) => {
    const credit = async (body: unknown, headers = {}) => {
      return (await post("/wallets/team/credit", body, headers)).body.credits;
    };
    assertEquals(await credit({ credits: "1", opId: "a" }), "101.000000");
    assertEquals(await credit({ credits: "1", opId: "a" }), "101.000000");
    assertEquals(await credit({ credits: "1" }, { "idempotency-key": "b" }), "102.000000");
    assertEquals(await credit({ credits: "1" }, { "idempotency-key": "b" }), "102.000000");
    assertEquals(await credit({ credits: "1" }), "103.000000");
    assertEquals(await credit({ credits: "1" }), "104.000000");
    const reused = await post("/wallets/team/credit", { credits: "2", opId: "a" });
    assertRefused(reused, { status: 409, code: "conflict", param: "opId" });
  });
});

Deno.test("concurrent repeats of one credit pay once", async () => {
  await withAdmin(async ({ get, post }) => {
    const repeats = Array.from({ length: 20 }, () => {
      return post("/wallets/team/credit", { credits: "1", opId: "same" });
    });
    const answers = await Promise.all(repeats);
    assertEquals(answers.map(({ status }) => status), Array(20).fill(200));
    assertEquals((await get("/wallets/team")).body.credits, "101.000000");
  });
});

Deno.test("POST /wallets/{id}/credit refuses nothing, too much, bad ids and unknown wallets", async () => {
  await withAdmin(async ({ post }) => {
    const invalid = { status: 400, code: "invalid_request" };
    const credit = (body: unknown, headers = {}) => post("/wallets/team/credit", body, headers);
    assertRefused(await credit({ credits: "0" }), { ...invalid, param: "credits" });
    assertRefused(await credit({ credits: "0.000000" }), { ...invalid, param: "credits" });
    assertRefused(await credit({ credits: "999999999999999" }), { ...invalid, param: "credits" });
    assertRefused(await credit({ credits: 1, opId: "ü" }), { ...invalid, param: "opId" });
    assertRefused(await credit({ credits: 1 }, { "idempotency-key": "x".repeat(129) }), invalid);
    assertRefused(await credit({ credits: 1, note: "x".repeat(501) }), {
      ...invalid,
      param: "note",
    });
    const unknown = await post("/wallets/taem/credit", { credits: 1 });
    assertRefused(unknown, { status: 404, code: "not_found" });
    assertStringIncludes(unknown.body.error.message, 'the nearest is "team"');
  });
});

/** Spends on a wallet as requests do. */
async function spend({ deps, clock }: TestAdmin): Promise<void> {
  const hold = { walletId: "team", keyId: "key_a", logId: "log_1", model: "fast-mini" };
  const amounts = { amount: 3_000_000n, minimum: 1n, budget: {}, priceVersion: 1 };
  for (const holdId of ["h1", "h2"]) {
    const atMs = clock.ms += 60_000;
    await deps.ledger.hold({ kind: "hold", holdId, ...hold, ...amounts, atMs }, { waitMs: 0 });
  }
  await deps.ledger.settle({
    kind: "settle",
    holdId: "h1",
    cost: 1_250_000n,
    inputTokens: 10,
    cachedInputTokens: 2,
    outputTokens: 5,
    estimated: false,
    atMs: clock.ms += 60_000,
  });
  await deps.ledger.voidHold({ kind: "void", holdId: "h2", reason: "failed", atMs: clock.ms });
}

Deno.test("GET /wallets/{id}/statement lists entries with their effect on the balance", async () => {
  await withAdmin(async (admin) => {
    await spend(admin);
    const { body } = await admin.get("/wallets/team/statement");
    const lines = body.entries.map((entry: { kind: string; change: string }) =>
      `${entry.kind} ${entry.change}`
    );
    assertEquals(lines, [
      "void 3.000000",
      "settle 1.750000",
      "hold -3.000000",
      "hold -3.000000",
      "credit 100.000000",
      "open 0.000000",
    ]);
    const settled = body.entries[1];
    assertEquals(settled.charged, "1.250000");
    assertEquals([settled.model, settled.key, settled.inputTokens], ["fast-mini", "key_a", 10]);
    assertEquals(settled.at, new Date(START_MS + 180_000).toISOString());
    assertEquals(body.cursor, null);
  });
});

Deno.test("GET /wallets/{id}/statement pages and filters by time", async () => {
  await withAdmin(async (admin) => {
    await spend(admin);
    const kinds = async (query: string) => {
      const { body } = await admin.get(`/wallets/team/statement?${query}`);
      const names = body.entries.map((entry: { kind: string }) => entry.kind);
      return { names, cursor: body.cursor };
    };
    const first = await kinds("limit=2");
    assertEquals(first.names, ["void", "settle"]);
    const second = await kinds(`limit=2&cursor=${encodeURIComponent(first.cursor)}`);
    assertEquals(second.names, ["hold", "hold"]);
    assertEquals((await kinds("since=1m")).names, ["void", "settle", "hold"]);
    assertEquals((await kinds("until=2026-11-21T12:00:30Z")).names, ["credit", "open"]);
    const invalid = { status: 400, code: "invalid_request" };
    for (
      const [query, param] of [
        ["since=yesterday", "since"],
        ["limit=0", "limit"],
        ["limit=501", "limit"],
        ["cursor=garbage", "cursor"],
        ["limit=1&limit=2", "limit"],
        ["sinse=24h", "sinse"],
      ]
    ) {
      const answer = await admin.get(`/wallets/team/statement?${query}`);
      assertRefused(answer, { ...invalid, param: param ?? null });
    }
    assertRefused(await admin.get("/wallets/none/statement"), { status: 404, code: "not_found" });
  });
});

Deno.test("a wallet is low at a tenth of what was paid in, or where an operator says", async () => {
  await withAdmin(async ({ get, post }) => {
    const mark = async (below: unknown) =>
      (await post("/wallets/team/low-balance", { below })).body;
    const marksOf = ({ lowBelow, lowBelowSet, low }: typeof TEAM) => [lowBelow, lowBelowSet, low];
    assertEquals(marksOf(await mark("100")), ["100.000000", true, true]);
    assertEquals(marksOf((await get("/wallets")).body.wallets[0]), ["100.000000", true, true]);
    assertEquals(marksOf(await mark(99.5)), ["99.500000", true, false]);
    assertEquals(marksOf(await mark(null)), ["10.000000", false, false]);
    assertEquals((await post("/wallets", { id: "empty" })).body.low, true);
    const wrong = await post("/wallets/team/low-balance", { below: "-1" });
    assertRefused(wrong, { status: 400, code: "invalid_request", param: "below" });
  });
});

Deno.test("a statement tells what was available after each entry, page by page", async () => {
  await withAdmin(async ({ deps, get, post, clock }) => {
    clock.ms++;
    await post("/wallets/team/credit", { credits: "50" });
    const hold = { walletId: "team", keyId: "key_1", logId: "log_1", model: "fast-mini" };
    const amounts = { amount: 2_000_000n, minimum: 1n, budget: {}, priceVersion: 1 };
    const command = { kind: "hold", holdId: "h1", ...hold, ...amounts, atMs: START_MS } as const;
    await deps.ledger.hold(command, { waitMs: 0 });
    const read = async (query: string) => (await get(`/wallets/team/statement?${query}`)).body;
    const after = ({ entries }: { entries: readonly { available: string | null }[] }) =>
      entries.map(({ available }) => available);
    const whole = await read("limit=50");
    assertEquals(after(whole), ["148.000000", "150.000000", "100.000000", "0.000000"]);
    const first = await read("limit=2");
    const next = `limit=2&cursor=${first.cursor}&available=${first.available}`;
    assertEquals([...after(first), ...after(await read(next))], after(whole));
    assertEquals(after(await read(`limit=2&cursor=${first.cursor}`)), [null, null]);
    // No page before can have said so: the entries take more than that.
    const other = await get(`/wallets/team/statement?cursor=${first.cursor}&available=1`);
    assertEquals([other.status, other.body.error.param], [400, "available"]);
    const credits = await read("kind=credit");
    assertEquals(credits.entries.map(({ kind }: { kind: string }) => kind), ["credit", "credit"]);
    assertEquals(after(credits), [null, null]);
    assertEquals(after(await read("until=2026-11-22")), [null, null, null, null]);
    const { holds, cursor } = (await get("/wallets/team/holds")).body;
    assertEquals([holds[0].id, holds[0].amount, cursor], ["h1", "2.000000", null]);
  });
});

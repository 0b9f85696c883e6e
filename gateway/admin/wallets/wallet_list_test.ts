import { assertEquals, assertStringIncludes } from "@std/assert";
import { SORTED_MAX } from "../../admin_api/sorts.ts";
import { assertRefused, START_MS, type TestAdmin, withAdmin } from "../admin_test_support.ts";

/** Wallets of two tiers beside `team`; every fourth is low. */
const WALLETS = 30;

async function fill({ deps, post }: TestAdmin): Promise<void> {
  for (let n = 0; n < WALLETS; n++) {
    const walletId = `lab-${String(n).padStart(2, "0")}`;
    const tier = n % 3 === 0 ? "basic" : "standard";
    await deps.ledger.open({ kind: "open", walletId, tier, atMs: START_MS });
    const payment = { opId: `fill ${n}`, walletId, amount: BigInt(n + 1) * 1_000_000n, note: "" };
    await deps.ledger.credit({ kind: "credit", ...payment, atMs: START_MS });
    if (n % 4 === 0) await post(`/wallets/${walletId}/low-balance`, { below: String(n + 1) });
  }
}

/** Returns the ids of all pages; each is at most as long as its limit. */
async function allIds({ get }: TestAdmin, query: string, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let next = "";
  do {
    const { status, body } = await get(`/wallets?limit=${limit}&${query}${next}`);
    assertEquals([status, body.wallets.length <= limit], [200, true], JSON.stringify(body));
    ids.push(...body.wallets.map(({ id }: { id: string }) => id));
    next = body.cursor === null ? "" : `&cursor=${body.cursor}`;
  } while (next !== "");
  return ids;
}

Deno.test("GET /wallets pages, and each wallet is on one page of any order", async () => {
  await withAdmin(async (admin) => {
    await fill(admin);
    const labs = Array.from({ length: WALLETS }, (_, n) => `lab-${String(n).padStart(2, "0")}`);
    const byId = [...labs, "team"];
    for (const limit of [1, 7, 30, 31, 500]) {
      assertEquals(await allIds(admin, "", limit), byId);
      assertEquals(await allIds(admin, "sort=-id", limit), byId.toReversed());
      assertEquals(await allIds(admin, "sort=credits", limit), byId);
      assertEquals(await allIds(admin, "sort=-available", limit), byId.toReversed());
    }
    assertEquals((await admin.get("/wallets")).body.total, WALLETS + 1);
    assertEquals((await admin.get("/wallets?cursor=1.2")).body.wallets, []);
    const invalid = { status: 400, code: "invalid_request" };
    assertRefused(await admin.get("/wallets?cursor=x"), { ...invalid, param: "cursor" });
    assertRefused(await admin.get("/wallets?limit=501"), { ...invalid, param: "limit" });
    assertRefused(await admin.get("/wallets?sort=name"), { ...invalid, param: "sort" });
  });
});

Deno.test("GET /wallets keeps to a text, a tier and low balances, page by page", async () => {
  await withAdmin(async (admin) => {
    await fill(admin);
    const toNumbers = (ids: readonly string[]) => ids.map((id) => Number(id.slice(4)));
    for (const limit of [1, 3, 50]) {
      const numbersOf = async (query: string) => toNumbers(await allIds(admin, query, limit));
      assertEquals(await numbersOf("q=LAB-1"), [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
      assertEquals(await numbersOf("q=lab-1&tier=basic"), [12, 15, 18]);
      assertEquals(await numbersOf("low=true"), [0, 4, 8, 12, 16, 20, 24, 28]);
      assertEquals(await numbersOf("low=true&tier=basic&sort=-credits"), [24, 12, 0]);
      assertEquals(await numbersOf("q=nothing"), []);
    }
    assertEquals(
      (await admin.post("/wallets/lab-04/close", { expected: "5", note: "left" })).status,
      200,
    );
    assertEquals(toNumbers(await allIds(admin, "low=true&q=lab-0", 50)), [0, 8]);
  });
});

Deno.test("many wallets come by id, and a sentence says so", async () => {
  await withAdmin(async (admin) => {
    admin.deps.ledger.walletCount = () => SORTED_MAX + 1;
    const refused = await admin.get("/wallets?sort=-available");
    assertRefused(refused, { status: 400, code: "invalid_request", param: "sort" });
    assertStringIncludes(refused.body.error.message, "beyond 2000 the order is");
    assertEquals((await admin.get("/wallets?sort=-id")).status, 200);
    // Another instance has opened more since the last count.
    admin.deps.ledger.walletCount = () => 1;
    admin.deps.ledger.walletPage = () => Promise.resolve({ wallets: [], cursor: "more" });
    assertRefused(await admin.get("/wallets?sort=tier"), { status: 400, code: "invalid_request" });
  });
});

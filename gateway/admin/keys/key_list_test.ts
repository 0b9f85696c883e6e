import { assertEquals } from "@std/assert";
import { assertRefused, START_MS, type TestAdmin, withAdmin } from "../admin_test_support.ts";

const KEYS = 24;

/** Makes keys of two wallets, a millisecond apart. */
async function fill({ clock, deps, post }: TestAdmin): Promise<string[]> {
  await deps.ledger.open({ kind: "open", walletId: "lab", tier: "basic", atMs: START_MS });
  const ids: string[] = [];
  for (let n = 0; n < KEYS; n++) {
    clock.ms++;
    const wallet = n % 3 === 0 ? "lab" : "team";
    const policy = n % 8 === 5 ? { expiresAt: new Date(START_MS + 100).toISOString() } : {};
    const { body } = await post("/keys", { name: `app ${(n * 7) % KEYS}`, wallet, policy });
    ids.push(body.id);
    if (n % 6 === 1) await deps.keyRing.revoke(body.id);
    if (n % 6 === 2) await deps.keyRing.disable(body.id);
  }
  clock.ms += 1_000;
  return ids;
}

/** Returns the numbers of the keys of all pages, in their order. */
async function numbersOf(
  { get }: TestAdmin,
  query: string,
  { limit, ids }: { limit: number; ids: readonly string[] },
): Promise<number[]> {
  const numbers: number[] = [];
  let next = "";
  do {
    const { status, body } = await get(`/keys?limit=${limit}&${query}${next}`);
    assertEquals([status, body.keys.length <= limit], [200, true], JSON.stringify(body));
    numbers.push(...body.keys.map(({ id }: { id: string }) => ids.indexOf(id)));
    next = body.cursor === null ? "" : `&cursor=${body.cursor}`;
  } while (next !== "");
  return numbers;
}

Deno.test("GET /keys pages, filters and sorts", async () => {
  await withAdmin(async (admin) => {
    const ids = await fill(admin);
    const all = ids.map((_, n) => n);
    const newest = all.toReversed();
    for (const limit of [1, 5, 24, 500]) {
      const of = (query: string) => numbersOf(admin, query, { limit, ids });
      assertEquals(await of(""), newest);
      assertEquals(await of("sort=created"), all);
      assertEquals(await of("wallet=lab"), newest.filter((n) => n % 3 === 0));
      const isOver = (n: number) => n % 8 === 5 && n % 6 !== 1;
      assertEquals(await of("state=revoked"), newest.filter((n) => n % 6 === 1));
      assertEquals(await of("state=expired"), newest.filter(isOver));
      const isDisabled = (n: number) => n % 6 === 2 && !isOver(n);
      assertEquals(await of("state=disabled"), newest.filter(isDisabled));
      const named = (n: number) => `app ${(n * 7) % KEYS}`;
      assertEquals(await of("q=APP 2"), newest.filter((n) => named(n).startsWith("app 2")));
      const byName = newest.toSorted((a, b) => named(a) < named(b) ? -1 : 1);
      assertEquals(await of("sort=name"), byName);
      assertEquals(await of("sort=-wallet"), [
        ...newest.filter((n) => n % 3 !== 0),
        ...newest.filter((n) => n % 3 === 0),
      ]);
    }
    const { body } = await admin.get("/keys?limit=1");
    assertEquals([body.total, body.underPreviousPepper], [KEYS, null]);
  });
});

Deno.test("GET /keys returns the keys of ids, and the copies of a key", async () => {
  await withAdmin(async (admin) => {
    const ids = await fill(admin);
    const options = { limit: 50, ids };
    const [a, b] = [ids[3], ids[9]];
    assertEquals(await numbersOf(admin, `ids=${a},none,${b}`, options), [3, 9]);
    const copies: string[] = [];
    for (let copy = 0; copy < 3; copy++) {
      admin.clock.ms++;
      copies.unshift((await admin.post(`/keys/${ids[0]}/rotate`, {})).body.id);
    }
    await admin.deps.keyRing.revoke(copies[2] ?? "");
    const of = (query: string) =>
      numbersOf(admin, `rotatedFrom=${ids[0]}${query}`, { limit: 2, ids: copies });
    assertEquals([await of(""), await of("&state=active")], [[0, 1, 2], [0, 1]]);
    const invalid = { status: 400, code: "invalid_request", param: "ids" };
    assertRefused(await admin.get("/keys?ids=,"), invalid);
  });
});

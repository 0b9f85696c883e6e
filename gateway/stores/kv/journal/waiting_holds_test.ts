import { assert, assertEquals } from "@std/assert";
import type { HoldCommand } from "../../../domain/ledger/ledger.ts";
import { MAX_WAITING_HOLDS } from "../limits.ts";
import { type KvStores, openKvStores } from "../open.ts";

const AT_MS = Date.UTC(2026, 10, 21, 12);
const LONG_MS = 600_000;

function hold(holdId: string, amount = 100n): HoldCommand {
  const call = { walletId: "w", keyId: "k", logId: "l", model: "m", priceVersion: 1 };
  return { kind: "hold", holdId, ...call, amount, minimum: amount, budget: {}, atMs: AT_MS };
}

async function withWallet(run: (stores: KvStores) => Promise<void>): Promise<void> {
  const stores = await openKvStores(":memory:");
  try {
    await stores.ledger.open({ kind: "open", walletId: "w", tier: "t", atMs: AT_MS });
    const credit = { opId: "c", walletId: "w", amount: 100n, note: "" };
    await stores.ledger.credit({ kind: "credit", ...credit, atMs: AT_MS });
    await run(stores);
  } finally {
    await stores.close();
  }
}

const release = ({ ledger }: KvStores, holdId: string) =>
  ledger.voidHold({ kind: "void", holdId, reason: "", atMs: AT_MS });

Deno.test("an aborted wait is answered at once, and the later ones move up", async () => {
  await withWallet(async (stores) => {
    const { ledger } = stores;
    assert((await ledger.hold(hold("first"), { waitMs: 0 })).ok);
    const leaving = new AbortController();
    const { signal } = leaving;
    const waiting = ledger.hold(hold("left"), { waitMs: LONG_MS, signal });
    const behind = ledger.hold(hold("behind"), { waitMs: LONG_MS });
    await ledger.credit({
      kind: "credit",
      opId: "d",
      walletId: "w",
      amount: 1n,
      note: "",
      atMs: 0,
    });
    leaving.abort();
    assertEquals(await waiting, { ok: false, refusal: "insufficient_balance" });
    const gone = await ledger.hold(hold("gone"), { waitMs: LONG_MS, signal });
    assertEquals(gone.ok, false, "who has left already does not join it");
    await release(stores, "first");
    assertEquals(await behind, { ok: true, value: { held: 100n } });
    assertEquals((await ledger.openHolds()).map(({ id }) => id), ["behind"]);
  });
});

Deno.test("a signal that is aborted after the hold was taken leaves it taken", async () => {
  await withWallet(async (stores) => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const result = await stores.ledger.hold(hold("taken"), { waitMs: LONG_MS, signal });
    leaving.abort();
    assertEquals([result.ok, (await stores.ledger.openHolds()).length], [true, 1]);
  });
});

Deno.test("of ten thousand only so many wait; all leave, and the line is free", async () => {
  await withWallet(async (stores) => {
    const { ledger } = stores;
    await ledger.hold(hold("first"), { waitMs: 0 });
    const leaving = new AbortController();
    const { signal } = leaving;
    let refused = 0;
    const waiting = Array.from({ length: 10_000 }, async (_, n) => {
      const { ok } = await ledger.hold(hold(`h${n}`), { waitMs: LONG_MS, signal });
      if (!ok) refused++;
    });
    await release(stores, "nobody's");
    while (refused < 10_000 - MAX_WAITING_HOLDS) {
      await new Promise((resolve) => setTimeout(resolve));
    }
    assertEquals(refused, 10_000 - MAX_WAITING_HOLDS);
    leaving.abort();
    await Promise.all(waiting);
    assertEquals(refused, 10_000);
    await release(stores, "first");
    assert((await ledger.hold(hold("last"), { waitMs: 0 })).ok);
    assertEquals((await stores.verify()).problems, []);
  });
});

import { assert, assertEquals, assertRejects } from "@std/assert";
import { StoreError } from "../../../ports/store_error.ts";
import { type KvStores, openKvStores } from "../open.ts";

interface Scene {
  readonly kv: Deno.Kv;
  readonly stores: KvStores;
  /** Opens the stores again, as after a kill: the first ones stay as they are. */
  readonly again: () => Promise<KvStores>;
}

/** Runs on a store with a funded wallet: its opening is a fold, its credit a row. */
function check(what: string, run: (scene: Scene) => Promise<void>): void {
  Deno.test(`a lost commit: ${what}`, async () => {
    const kv = await Deno.openKv(":memory:");
    const close = kv.close.bind(kv);
    kv.close = () => {};
    const again = () => openKvStores(":memory:", { openKv: () => Promise.resolve(kv) });
    const stores = await again();
    try {
      await open(stores, "w");
      await credit(stores, "seed", { amount: 10_000n });
      await run({ kv, stores, again });
    } finally {
      await stores.close().catch(() => {});
      close();
    }
  });
}

function open({ ledger }: KvStores, walletId: string): Promise<unknown> {
  return ledger.open({ kind: "open", walletId, tier: "standard", atMs: 1 });
}

function credit(
  { ledger }: KvStores,
  opId: string,
  { amount = 500n, note = "" }: { readonly amount?: bigint; readonly note?: string } = {},
): Promise<unknown> {
  return ledger.credit({ kind: "credit", opId, walletId: "w", amount, note, atMs: 1 });
}

/** Makes the next commit fail as if its answer were lost, and returns what lets it land later. */
function loseCommit(kv: Deno.Kv): () => Promise<boolean> {
  const atomic = kv.atomic.bind(kv);
  let land: () => Promise<boolean> = () => Promise.reject(new Error("No commit was lost"));
  kv.atomic = () => {
    const operation = atomic();
    const commit = operation.commit.bind(operation);
    operation.commit = () => {
      kv.atomic = atomic;
      land = async () => (await commit()).ok;
      return Promise.reject(new Error("timeout"));
    };
    return operation;
  };
  return () => land();
}

type Change = (stores: KvStores) => Promise<unknown>;

/** Commits as large as this have a larger row. */
const LARGE = { note: "n".repeat(2_000) };
const lostRow: Change = (stores) => credit(stores, "lost");
const lostFold: Change = (stores) => open(stores, "other");

for (
  const [what, lose, next] of [
    ["a row, before a row", lostRow, (stores) => credit(stores, "next")],
    ["a row, before a larger one", lostRow, (stores) => credit(stores, "next", LARGE)],
    ["a large row, before a smaller one", (stores) => credit(stores, "lost", LARGE), (stores) => {
      return credit(stores, "next");
    }],
    ["a fold, before a row", lostFold, (stores) => credit(stores, "next")],
    ["a fold, before a fold", lostFold, (stores) => open(stores, "third")],
  ] satisfies [string, Change, Change][]
) {
  check(`${what}, can no longer land after it`, async ({ kv, stores, again }) => {
    const land = loseCommit(kv);
    await assertRejects(() => lose(stores), StoreError, "nothing has changed");
    await next(stores);
    assertEquals(await land(), false);
    await credit(stores, "last");
    const available = (await stores.ledger.wallet("w"))?.available;
    assertEquals((await stores.verify()).problems, []);
    await stores.close();
    const later = await again();
    assertEquals((await later.ledger.wallet("w"))?.available, available);
    assertEquals((await later.verify()).problems, []);
    await later.close();
  });

  check(`${what}, that landed is noticed`, async ({ kv, stores, again }) => {
    const land = loseCommit(kv);
    await assertRejects(() => lose(stores), StoreError, "nothing has changed");
    assertEquals(await land(), true);
    // The state in memory is no longer the durable one.
    await assertRejects(() => next(stores), StoreError, "start the service again");
    assertEquals(stores.health(), "lost");
    await stores.close();
    const later = await again();
    assertEquals((await later.verify()).problems, []);
    await later.close();
  });
}

check(
  "of two folds, the first one that landed is not taken for the second",
  async ({ kv, stores, again }) => {
    const land = loseCommit(kv);
    await assertRejects(() => open(stores, "other"), StoreError, "nothing has changed");
    // The second one fails, and the first lands before the store is read again.
    const atomic = kv.atomic.bind(kv);
    kv.atomic = () => {
      const operation = atomic();
      operation.commit = async () => {
        kv.atomic = atomic;
        assertEquals(await land(), true);
        throw new Error("timeout");
      };
      return operation;
    };
    await assertRejects(() => credit(stores, "second"), StoreError, "start the service again");
    await stores.close();
    const later = await again();
    const { problems } = await later.verify();
    assertEquals([problems, (await later.ledger.wallet("w"))?.available], [[], 10_000n]);
    assert(await later.ledger.wallet("other") !== undefined);
    await later.close();
  },
);

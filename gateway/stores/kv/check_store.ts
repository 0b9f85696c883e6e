import type { Verification } from "../../ports/ledger_store.ts";
import { StoreError } from "../../ports/store_error.ts";
import { Chain } from "./chain.ts";
import { loadBooks } from "./journal/load.ts";
import { requireKnownSchema } from "./migrate.ts";
import { type Head, HEAD_KEY } from "./rows.ts";
import { verifyBooks } from "./journal/verify.ts";

/** Contents of a store besides its ledger. */
export interface StoreContents {
  readonly schema: number;
  /** API keys of any status. */
  readonly apiKeys: number;
  /** Requests ever logged. */
  readonly requests: number;
}

/** Progress of a check; the last step has the result. */
export interface CheckStep {
  readonly entries: number;
  readonly total: number;
  readonly result?: { readonly verification: Verification; readonly contents: StoreContents };
}

/**
 * Verifies the ledger of a store without a writer, and changes nothing: open holds stay open for
 * the next start.
 *
 * @throws {StoreError} When there is no store, its schema is unknown or its journal is incomplete.
 */
export async function* checkStore(kv: Deno.Kv): AsyncGenerator<CheckStep, void> {
  const { value: head, versionstamp } = await kv.get<Head>(HEAD_KEY);
  if (head === null || versionstamp === null) {
    throw new StoreError("Cannot check the store: the file holds none");
  }
  requireKnownSchema(head);
  const { books, end } = await loadBooks(kv, { value: head, versionstamp });
  const { open } = end;
  // Without a writer nothing changes: what was not loaded is as its rows are.
  const snapshot = {
    journal: new Chain("journal", head.journal, open.journal),
    versionstamp: end.versionstamp,
    wallets: new Map(books.wallets.inMemory()),
    spends: new Map(books.spends.inMemory()),
    holds: books.holds,
    open,
    hasGrown: () => false,
  };
  for await (const { entries, total, result } of verifyBooks(kv, snapshot)) {
    if (result === undefined) {
      yield { entries, total };
      continue;
    }
    const contents = {
      schema: head.schema,
      apiKeys: await countOf(kv, ["key"]),
      requests: head.log.total + open.log.length,
    };
    yield { entries, total, result: { verification: result, contents } };
  }
}

async function countOf(kv: Deno.Kv, prefix: Deno.KvKey): Promise<number> {
  let count = 0;
  for await (const _row of kv.list({ prefix })) count++;
  return count;
}

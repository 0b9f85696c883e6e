import type { Verification } from "../../ports/ledger_store.ts";
import { StoreError } from "../../ports/store_error.ts";
import { loadBooks } from "./journal/load.ts";
import { requireKnownSchema } from "./migrate.ts";
import { type Head, HEAD_KEY } from "./rows.ts";
import { verifyBooks } from "./journal/verify.ts";

/** What a store holds besides its books. */
export interface StoreContents {
  readonly schema: number;
  /** API keys, whatever their status. */
  readonly apiKeys: number;
  /** Requests that were ever logged. */
  readonly requests: number;
}

/** How far a check has come; the last step has the result. */
export interface CheckStep {
  readonly entries: number;
  readonly total: number;
  readonly result?: { readonly verification: Verification; readonly contents: StoreContents };
}

/**
 * Verifies the books of a store that nobody writes to, without changing it: holds that are open stay
 * so, for the next start to end.
 *
 * @throws {StoreError} Where there is no store, its schema is unknown or its journal is not whole.
 */
export async function* checkStore(kv: Deno.Kv): AsyncGenerator<CheckStep, void> {
  const { value: head, versionstamp } = await kv.get<Head>(HEAD_KEY);
  if (head === null) throw new StoreError("Cannot check the store: the file holds none");
  requireKnownSchema(head);
  const { books } = await loadBooks(kv, head);
  const { wallets, spends, holds } = books;
  const snapshot = { journal: head.journal, versionstamp, wallets, spends, holds };
  for await (const { entries, total, result } of verifyBooks(kv, snapshot)) {
    if (result === undefined) {
      yield { entries, total };
      continue;
    }
    const contents = {
      schema: head.schema,
      apiKeys: await countOf(kv, ["key"]),
      requests: head.log.total,
    };
    yield { entries, total, result: { verification: result, contents } };
  }
}

async function countOf(kv: Deno.Kv, prefix: Deno.KvKey): Promise<number> {
  let count = 0;
  for await (const _row of kv.list({ prefix })) count++;
  return count;
}

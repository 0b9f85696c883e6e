import type { AnswerOf, CheckedQueryOf } from "../../admin_api/operations.ts";
import type { Wallet } from "../../domain/ledger/ledger.ts";
import { isLow } from "../../domain/ledger/low_balance.ts";
import type { AdminDeps } from "../deps.ts";
import { SORTED_MAX } from "../../admin_api/sorts.ts";
import { pageOf, requireSortable, sortedBy } from "../paging.ts";
import { walletsJson } from "./wallet_json.ts";

type Query = CheckedQueryOf<"GET /wallets">;

/** Returns a page of the wallets that a query selects. */
export async function walletListJson(
  query: Query,
  deps: AdminDeps,
): Promise<AnswerOf<"GET /wallets">> {
  const { limit, cursor, sort } = query;
  const total = deps.ledger.walletCount();
  const keep = filterOf(query, deps);
  if (sort === "id" || sort === "-id") {
    const page = await deps.ledger.walletPage({ limit, cursor, keep, descending: sort === "-id" });
    return {
      wallets: await walletsJson(page.wallets, deps),
      cursor: page.cursor ?? null,
      total,
    };
  }
  const { wallets: all, cursor: more } = await deps.ledger.walletPage({ limit: SORTED_MAX });
  // Another instance may have opened wallets since the last count.
  requireSortable("wallets", more === undefined ? total : Math.max(total, SORTED_MAX + 1), "id");
  const { field, isDescending } = readSort(sort);
  const sorted = sortedBy(await keep?.(all) ?? all, (wallet) => wallet[field], isDescending);
  const page = pageOf(sorted, { limit, cursor });
  return { wallets: await walletsJson(page.rows, deps), cursor: page.cursor, total };
}

type SortField = "tier" | "available" | "held" | "spent" | "credits";

function readSort(
  sort: SortField | `-${SortField}`,
): { readonly field: SortField; readonly isDescending: boolean } {
  const fields = ["tier", "available", "held", "spent", "credits"] as const;
  const field = fields.find((name) => name === sort || `-${name}` === sort) ?? "tier";
  return { field, isDescending: sort !== field };
}

/** Returns what keeps the wallets that a query selects; `undefined` if it selects all. */
function filterOf(
  { q, tier, low }: Query,
  { lowBalances }: AdminDeps,
): ((wallets: readonly Wallet[]) => Promise<readonly Wallet[]>) | undefined {
  if (q === undefined && tier === undefined && low === undefined) return undefined;
  const text = q?.toLowerCase() ?? "";
  return async (wallets) => {
    const some = wallets.filter((wallet) =>
      wallet.id.toLowerCase().includes(text) && (tier === undefined || wallet.tier === tier)
    );
    if (low === undefined) return some;
    const marks = await lowBalances.marksOf(some);
    return some.filter((wallet, at) => {
      const mark = marks[at];
      return wallet.closedAtMs === undefined && mark !== undefined && isLow(wallet, mark);
    });
  };
}

import type { Wallet } from "../../../domain/ledger/ledger.ts";
import { idOf } from "../text_id.ts";

/** A row of the table `wallet`. */
export interface WalletRow {
  readonly id: string;
  readonly original: string | null;
  readonly tier: string;
  readonly credits: bigint;
  readonly available: bigint;
  readonly held: bigint;
  readonly spent: bigint;
  readonly written_off: bigint;
  readonly created_at_ms: bigint;
  readonly closed_at_ms: bigint | null;
}

/** Returns the wallet of a row. */
export function walletOf(row: WalletRow): Wallet {
  const { tier, credits, available, held, spent } = row;
  const [writtenOff, createdAtMs] = [row.written_off, Number(row.created_at_ms)];
  const closed = row.closed_at_ms === null ? {} : { closedAtMs: Number(row.closed_at_ms) };
  const amounts = { credits, available, held, spent, writtenOff };
  return { id: idOf(row), tier, ...amounts, createdAtMs, ...closed };
}

/**
 * Rows of the ledger as the database has them: JSON with amounts as decimal text.
 *
 * @module
 */

import type {
  EndedHold,
  Hold,
  HoldCommand,
  KeySpend,
  NamedSpend,
  Wallet,
} from "../../../domain/ledger/ledger.ts";
import { budgetOwner, type CreditRecord } from "../../../domain/ledger/state.ts";
import { type RequestSum, sumOfRow } from "../../../domain/requests/request_sum.ts";
import { idOf, originalOf, textId } from "../text_id.ts";

/** A hold that waits for credits. */
export interface Waiting {
  readonly instance: string;
  readonly command: HoldCommand;
}

/** A waiting hold as it is read. */
export interface ReadWaiting extends Waiting {
  /** Its place in the order of arrival. */
  readonly number: number;
  /** True for the last that is read of its key, which may have more in the line. */
  readonly isLast: boolean;
  /** Number of all holds in the line of its wallet. */
  readonly length: number;
}

/** A wallet with its place in the order of opening. */
export interface NumberedWallet {
  readonly wallet: Wallet;
  readonly number: number;
}

type Texts = Readonly<Record<string, string>>;

/** Encodes a value with amounts: `bigint` becomes a text that ends with `n`. */
export function encodeAmounts(value: unknown): string {
  return JSON.stringify(value, (_, part) => typeof part === "bigint" ? { n: `${part}` } : part);
}

/** Decodes a text of {@linkcode encodeAmounts}. */
export function decodeAmounts<T>(text: string): T {
  return JSON.parse(text, (_, part) => {
    const isAmount = typeof part === "object" && part !== null && typeof part.n === "string";
    return isAmount ? BigInt(part.n) : part;
  });
}

export function decodeHold(text: string): Hold {
  return decodeAmounts(text);
}

export function decodeEnded(text: string): EndedHold {
  return decodeAmounts(text);
}

export function decodeWallet(text: string): NumberedWallet {
  const { number, createdAtMs, closedAtMs, tier = "", ...row } = JSON.parse(text) as Texts & {
    readonly number: number;
    readonly createdAtMs: number;
    readonly closedAtMs?: number | null;
    readonly id: string;
  };
  const amount = (name: string) => BigInt(row[name] ?? 0);
  const wallet: Wallet = {
    id: idOf(row as { readonly id: string }),
    tier,
    credits: amount("credits"),
    available: amount("available"),
    held: amount("held"),
    spent: amount("spent"),
    writtenOff: amount("writtenOff"),
    createdAtMs,
    ...(closedAtMs === null || closedAtMs === undefined ? {} : { closedAtMs }),
  };
  return { wallet, number };
}

export function decodeSpend(text: string): KeySpend {
  const row = JSON.parse(text) as Texts & { readonly id: string };
  const amount = (name: string) => BigInt(row[name] ?? 0);
  return {
    keyId: idOf(row),
    held: amount("held"),
    day: row["day"] ?? "",
    daySpent: amount("daySpent"),
    month: row["month"] ?? "",
    monthSpent: amount("monthSpent"),
    totalSpent: amount("totalSpent"),
    ...namedOf(row["named"]),
  };
}

/** Returns the sums by name of a column. */
export function namedOf(column: string | null | undefined): Pick<KeySpend, "named"> {
  if (column === null || column === undefined) return {};
  return { named: decodeAmounts<Record<string, NamedSpend>>(column) };
}

/** Decodes a credit; `id` is the stored id. */
export function decodeCredit(text: string): { readonly id: string; readonly credit: CreditRecord } {
  const { id, wallet, amount, correction } = JSON.parse(text);
  const credit = { walletId: JSON.parse(wallet), amount: BigInt(amount) };
  return { id, credit: typeof correction === "string" ? { ...credit, correction } : credit };
}

/** Decodes an owed row; `id` is the stored id. */
export function decodeOwed(text: string): { readonly id: string; readonly sum: RequestSum } {
  const { id, line } = JSON.parse(text);
  return { id, sum: sumOfRow(JSON.parse(line)) };
}

export function decodeWaiting(text: string): ReadWaiting {
  const { data, ...row } = JSON.parse(text);
  return { ...row, command: decodeAmounts(data) };
}

export function walletRow({ wallet, number }: NumberedWallet) {
  return {
    ...{ id: textId(wallet.id), original: originalOf(wallet.id), number, tier: wallet.tier },
    ...{ credits: `${wallet.credits}`, available: `${wallet.available}`, held: `${wallet.held}` },
    ...{ spent: `${wallet.spent}`, written_off: `${wallet.writtenOff}` },
    ...{ created_at_ms: wallet.createdAtMs, closed_at_ms: wallet.closedAtMs ?? null },
  };
}

export function spendRow(spend: KeySpend) {
  return {
    ...{ id: textId(spend.keyId), original: originalOf(spend.keyId), held: `${spend.held}` },
    ...{ day: spend.day, day_spent: `${spend.daySpent}` },
    ...{ month: spend.month, month_spent: `${spend.monthSpent}` },
    total_spent: `${spend.totalSpent}`,
    named: spend.named === undefined ? null : encodeAmounts(spend.named),
  };
}

export function holdRow(hold: Hold, { number, instance }: { number: number; instance: string }) {
  return {
    ...{ id: textId(hold.id), number, instance },
    ...{ wallet: textId(hold.walletId), budget: textId(budgetOwner(hold)) },
    data: encodeAmounts(hold),
  };
}

export function waitingRow({ instance, command }: Waiting, place: number) {
  return {
    ...{ place, id: textId(command.holdId), instance, wallet: textId(command.walletId) },
    ...{ budget: textId(budgetOwner(command)), data: encodeAmounts(command) },
  };
}

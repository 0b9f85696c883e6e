/**
 * Recomputes the ledger from the journal alone.
 *
 * @module
 */

import type { Hold, JournalEntry, KeySpend, Progress, Wallet } from "./ledger.ts";
import { correctedWallet, correctionFault, correctionRefusal, isCorrection } from "./correction.ts";
import type { CorrectionEntry } from "./correction_types.ts";
import { budgetOwner, spendAfterHold, spendAt, spendWithHold, summedNames } from "./state.ts";

/** A list of contradictions, one sentence each. */
export interface ProblemList {
  /** Adds a sentence. */
  push(sentence: string): unknown;
}

/** A set of ids that may forget old ones. */
export interface IdMemory {
  /** True when the id was added and is still remembered. */
  has(id: string): boolean;
  /** Remembers an id. */
  add(id: string): unknown;
}

/** The recomputed ledger with the contradictions of the journal. */
export interface ReplayedBooks {
  readonly wallets: Map<string, Wallet>;
  readonly spends: Map<string, KeySpend>;
  /** Open holds, oldest first. */
  readonly holds: Map<string, Hold>;
  /** Wallets of keys that were moved, by the ids of the keys. */
  readonly moved: Map<string, string>;
  /** Ids of applied credits and corrections: each counts once. */
  readonly credits: IdMemory;
  /** Ids of ended holds: each ends once, and no other hold takes its id. */
  readonly ended: IdMemory;
  readonly problems: ProblemList;
}

/** Returns an empty ledger. `ids` creates the memories of ids, which a long journal may bound. */
export function emptyBooks(
  problems: ProblemList = [],
  ids: () => IdMemory = () => new Set<string>(),
): ReplayedBooks {
  return {
    wallets: new Map(),
    spends: new Map(),
    holds: new Map(),
    moved: new Map(),
    credits: ids(),
    ended: ids(),
    problems,
  };
}

/** Decodes an open hold from its journal entry. */
export function holdOfEntry(entry: Extract<JournalEntry, { op: "hold" }>): Hold {
  const hold = {
    id: entry.id,
    walletId: entry.wallet,
    keyId: entry.key,
    logId: entry.log,
    ...summedNames(entry),
    model: entry.model,
    priceVersion: entry.priceVersion,
    amount: entry.amount,
    ...entry.budgets !== undefined && { budgets: entry.budgets },
    atMs: entry.at,
  };
  return entry.budget === undefined ? hold : { ...hold, budgetId: entry.budget };
}

/** Decodes a checkpoint from its journal entry. */
export function progressOfEntry(entry: Extract<JournalEntry, { op: "progress" }>): Progress {
  const { cost, inputTokens, cachedInputTokens, outputTokens, at: atMs } = entry;
  return { cost, inputTokens, cachedInputTokens, outputTokens, atMs };
}

/** Applies one entry. An entry that contradicts the ledger becomes a problem and is not applied. */
export function replayEntry(books: ReplayedBooks, entry: JournalEntry): void {
  if (entry.op === "open") return replayOpen(books, entry);
  const wallet = books.wallets.get(entry.wallet);
  if (wallet === undefined) {
    books.problems.push(`Entry "${entry.op}" of "${entry.id}" names no wallet "${entry.wallet}"`);
    return;
  }
  if (entry.op === "credit") replayCredit(books, wallet, entry);
  else if (entry.op === "hold") replayHold(books, wallet, entry);
  else if (entry.op === "progress") replayProgress(books, entry);
  else if (isCorrection(entry)) replayCorrection(books, wallet, entry);
  else replayEnd(books, wallet, entry);
}

type EntryOf<Op> = Extract<JournalEntry, { op: Op }>;

function replayOpen(books: ReplayedBooks, entry: EntryOf<"open">): void {
  if (books.wallets.has(entry.wallet)) {
    books.problems.push(`Wallet "${entry.wallet}" is opened twice`);
    return;
  }
  const { wallet: id, tier, at: createdAtMs } = entry;
  const nothing = { credits: 0n, available: 0n, held: 0n, spent: 0n, writtenOff: 0n };
  books.wallets.set(id, { id, tier, ...nothing, createdAtMs });
}

function replayCredit(books: ReplayedBooks, wallet: Wallet, entry: EntryOf<"credit">): void {
  if (books.credits.has(entry.id) || entry.amount <= 0n || wallet.closedAtMs !== undefined) {
    books.problems.push(
      `Credit "${entry.id}" is booked twice, is not above zero, or is for a closed wallet`,
    );
    return;
  }
  books.credits.add(entry.id);
  books.wallets.set(wallet.id, {
    ...wallet,
    credits: wallet.credits + entry.amount,
    available: wallet.available + entry.amount,
  });
}

function replayCorrection(books: ReplayedBooks, wallet: Wallet, entry: CorrectionEntry): void {
  const refusal = correctionFault(entry) === undefined
    ? correctionRefusal(wallet, entry)
    : "impossible amounts";
  if (books.credits.has(entry.id) || refusal !== undefined) {
    books.problems.push(
      `Correction "${entry.id}" is booked twice or does not fit wallet "${wallet.id}"` +
        (refusal === undefined ? "" : ` (${refusal})`),
    );
    return;
  }
  books.credits.add(entry.id);
  books.wallets.set(wallet.id, correctedWallet(wallet, entry));
  if (entry.op === "move") books.moved.set(entry.moved, entry.wallet);
}

function replayHold(books: ReplayedBooks, wallet: Wallet, entry: EntryOf<"hold">): void {
  const { amount } = entry;
  const isUsed = books.holds.has(entry.id) || books.ended.has(entry.id);
  const isClosed = wallet.closedAtMs !== undefined;
  if (isUsed || isClosed || amount < 0n || amount > wallet.available) {
    books.problems.push(`Hold "${entry.id}" is taken twice or beyond wallet "${wallet.id}"`);
    return;
  }
  const hold = holdOfEntry(entry);
  books.holds.set(entry.id, hold);
  books.wallets.set(wallet.id, {
    ...wallet,
    available: wallet.available - amount,
    held: wallet.held + amount,
  });
  const keyId = budgetOwner(hold);
  const spend = spendAt(books.spends.get(keyId), { keyId, atMs: entry.at });
  books.spends.set(keyId, spendWithHold(spend, hold));
}

function replayProgress(books: ReplayedBooks, entry: EntryOf<"progress">): void {
  const hold = books.holds.get(entry.id);
  const isOfHold = hold?.walletId === entry.wallet && hold.keyId === entry.key;
  if (hold === undefined || !isOfHold || entry.cost < (hold.progress?.cost ?? 0n)) {
    books.problems.push(`Progress of "${entry.id}" is of no open hold or falls`);
    return;
  }
  books.holds.set(entry.id, { ...hold, progress: progressOfEntry(entry) });
}

const UNCHARGED = { charged: 0n, writtenOff: 0n };

function replayEnd(
  books: ReplayedBooks,
  wallet: Wallet,
  entry: EntryOf<"settle"> | EntryOf<"void" | "expire">,
): void {
  const hold = books.holds.get(entry.id);
  const { charged, writtenOff } = entry.op === "settle" ? entry : UNCHARGED;
  if (
    hold === undefined || hold.amount !== entry.held || hold.walletId !== entry.wallet ||
    hold.keyId !== entry.key || charged < 0n || charged > hold.amount || writtenOff < 0n
  ) {
    books.problems.push(`Entry "${entry.op}" does not match an open hold "${entry.id}"`);
    return;
  }
  checkRecovery(books, hold, entry);
  books.holds.delete(entry.id);
  books.ended.add(entry.id);
  books.wallets.set(wallet.id, {
    ...wallet,
    held: wallet.held - hold.amount,
    spent: wallet.spent + charged,
    available: wallet.available + hold.amount - charged,
    writtenOff: wallet.writtenOff + writtenOff,
  });
  const keyId = budgetOwner(hold);
  const spend = spendAt(books.spends.get(keyId), { keyId, atMs: entry.at });
  books.spends.set(keyId, spendAfterHold(spend, hold, { charged }));
}

/** Checks that a call cut by a crash is charged its last checkpoint, or nothing without one. */
function checkRecovery(
  { problems }: ReplayedBooks,
  { id, progress }: Hold,
  entry: EntryOf<"settle"> | EntryOf<"void" | "expire">,
): void {
  if (entry.op === "expire" && progress !== undefined) {
    problems.push(`Hold "${id}" has expired although its call had come to ${progress.cost}`);
  }
  if (entry.op !== "settle" || entry.recovered !== true) return;
  const isEqual = progress?.cost === entry.charged + entry.writtenOff && entry.estimated &&
    progress.inputTokens === entry.inputTokens &&
    progress.cachedInputTokens === entry.cachedInputTokens &&
    progress.outputTokens === entry.outputTokens;
  if (isEqual) return;
  problems.push(`Hold "${id}" was recovered at another charge than its last progress`);
}

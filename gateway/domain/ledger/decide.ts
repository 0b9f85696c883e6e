/**
 * Decisions of the ledger: one pure function per command. A repeated command gets its first answer
 * and changes nothing.
 *
 * @module
 */

import { invariant, InvariantError } from "../invariant.ts";
import {
  type CreditCommand,
  type EndedHold,
  type Hold,
  type HoldCommand,
  type JournalEntry,
  type KeySpend,
  type LedgerRefusal,
  NAMES_MAX,
  type OpenWalletCommand,
  type Progress,
  type ProgressCommand,
  type SettleCommand,
  type VoidCommand,
  type Wallet,
} from "./ledger.ts";
import {
  assertSpend,
  assertWallet,
  budgetOwner,
  type LedgerChange,
  type LedgerDecision,
  type LedgerView,
  MAX_WALLET_CREDITS_MICROS,
  spendAfterHold,
  spendAt,
  spendWithHold,
  summedNames,
} from "./state.ts";
import { leastBudget, shortBudgets, unspentBudget } from "./budgets.ts";
import { isSameRecord } from "./correction.ts";
import { type Micros, minMicros } from "./money.ts";

/** Opens an empty wallet. A repeat returns the open wallet. */
export function decideOpen(view: LedgerView, command: OpenWalletCommand): LedgerDecision<Wallet> {
  const { walletId: id, tier, atMs } = command;
  const present = view.wallet(id);
  if (present !== undefined) {
    const repeated = present.tier === tier && present.createdAtMs === atMs;
    return repeated ? { ok: true, value: present } : refused("wallet_exists");
  }
  const wallet: Wallet = {
    id,
    tier,
    credits: 0n,
    available: 0n,
    held: 0n,
    spent: 0n,
    writtenOff: 0n,
    createdAtMs: atMs,
  };
  return applied(wallet, { entry: { op: "open", wallet: id, tier, at: atMs }, wallet });
}

/** Adds credits to a wallet. A repeat returns the wallet in its present state. */
export function decideCredit(view: LedgerView, command: CreditCommand): LedgerDecision<Wallet> {
  const { opId, walletId, amount, note, atMs } = command;
  invariant(amount > 0n, `Credit "${opId}" is not above zero`);
  const before = view.wallet(walletId);
  if (before === undefined) return refused("wallet_not_found");
  const earlier = view.credit(opId);
  if (earlier !== undefined) {
    return isSameRecord(earlier, { walletId, amount })
      ? { ok: true, value: before }
      : refused("id_reused");
  }
  if (before.closedAtMs !== undefined) return refused("wallet_closed");
  if (before.credits + amount > MAX_WALLET_CREDITS_MICROS) return refused("credits_overflow");
  assertWallet(before);
  const wallet = {
    ...before,
    credits: before.credits + amount,
    available: before.available + amount,
  };
  const entry: JournalEntry = { op: "credit", id: opId, wallet: walletId, amount, note, at: atMs };
  return applied(wallet, { entry, wallet });
}

/** Holds `amount`, or everything available when that is at least `minimum`. */
export function decideHold(
  view: LedgerView,
  command: HoldCommand,
): LedgerDecision<{ held: Micros }> {
  const { walletId, minimum, atMs } = command;
  if (minimum < 0n || command.amount < minimum) {
    throw new InvariantError(`Hold "${command.holdId}" asks for less than its minimum`);
  }
  const before = view.wallet(walletId);
  if (before === undefined) return refused("wallet_not_found");
  const earlier = view.hold(command.holdId) ?? view.ended(command.holdId)?.hold;
  if (earlier !== undefined) {
    return isRepeat(earlier, command)
      ? { ok: true, value: { held: earlier.amount } }
      : refused("id_reused");
  }
  if (before.closedAtMs !== undefined) return refused("wallet_closed");
  const keyId = budgetOwner(command);
  const spend = spendAt(view.spend(keyId), { keyId, atMs });
  const free = freeToHold(before, spend, command);
  if (!free.ok) return free;
  assertWallet(before);
  const amount = minMicros(command.amount, free.value);
  const hold = holdOf(command, amount);
  const wallet = { ...before, available: before.available - amount, held: before.held + amount };
  return applied({ held: amount }, {
    entry: entryOfHold(hold),
    wallet,
    spend: spendWithHold(spend, hold),
    opened: hold,
  });
}

/**
 * Records the checkpoint of a call in flight. Moves no money; a checkpoint with a lower cost is
 * refused.
 */
export function decideProgress(
  view: LedgerView,
  command: ProgressCommand,
): LedgerDecision<Progress> {
  const { kind: _, holdId, ...progress } = command;
  if (progress.cost < 0n) throw new InvariantError(`Progress of hold "${holdId}" is below zero`);
  const hold = view.hold(holdId);
  if (hold === undefined) {
    return refused(view.ended(holdId) === undefined ? "hold_not_found" : "hold_ended");
  }
  const { progress: earlier } = hold;
  if (earlier !== undefined && isSameProgress(earlier, progress)) {
    return { ok: true, value: earlier };
  }
  if (earlier !== undefined && progress.cost < earlier.cost) return refused("progress_fell");
  const opened = { ...hold, progress };
  return applied(progress, { entry: entryOfProgress(hold, progress), opened });
}

/** Ends a hold with a charge of at most its amount; the rest of the cost is written off. */
export function decideSettle(
  view: LedgerView,
  command: SettleCommand,
): LedgerDecision<{ charged: Micros; writtenOff: Micros }> {
  const { holdId, cost, inputTokens, cachedInputTokens, outputTokens, estimated, atMs } = command;
  const { recovered = false } = command;
  if (cost < 0n) throw new InvariantError(`Settlement of hold "${holdId}" is below zero`);
  const hold = view.hold(holdId);
  if (hold === undefined) return settledBefore(view.ended(holdId), { cost, recovered });
  const charged = minMicros(cost, hold.amount);
  const settled = { charged, writtenOff: cost - charged };
  const entry: JournalEntry = {
    op: "settle",
    id: holdId,
    wallet: hold.walletId,
    key: hold.keyId,
    log: hold.logId,
    ...summedNames(hold),
    model: hold.model,
    priceVersion: hold.priceVersion,
    held: hold.amount,
    ...settled,
    inputTokens,
    cachedInputTokens,
    outputTokens,
    estimated,
    ...(recovered ? { recovered } : {}),
    at: atMs,
  };
  const ended = { hold, settled, ...(recovered ? { recovered } : {}) };
  return applied(settled, { entry, ...endOf(view, hold, settled, atMs), ended });
}

/** Answers the settlement of a hold that is not open. One that recovery has ended stays as it is. */
function settledBefore(
  ended: EndedHold | undefined,
  { cost, recovered }: { readonly cost: Micros; readonly recovered: boolean },
): LedgerDecision<{ charged: Micros; writtenOff: Micros }> {
  if (ended === undefined) return refused("hold_not_found");
  const { settled } = ended;
  if (ended.recovered === true && !recovered) return refused("hold_ended");
  if (settled === undefined || settled.charged + settled.writtenOff !== cost) {
    return refused("id_reused");
  }
  return { ok: true, value: settled };
}

/** Ends a hold without a charge. */
export function decideVoid(
  view: LedgerView,
  command: VoidCommand,
): LedgerDecision<{ released: Micros }> {
  const { kind, holdId, reason, atMs } = command;
  const hold = view.hold(holdId);
  if (hold === undefined) {
    const ended = view.ended(holdId);
    if (ended === undefined) return refused("hold_not_found");
    if (ended.settled !== undefined) return refused(ended.recovered ? "hold_ended" : "id_reused");
    return { ok: true, value: { released: ended.hold.amount } };
  }
  const entry: JournalEntry = {
    op: kind,
    id: holdId,
    wallet: hold.walletId,
    key: hold.keyId,
    log: hold.logId,
    held: hold.amount,
    reason,
    at: atMs,
  };
  const uncharged = { charged: 0n, writtenOff: 0n };
  return applied({ released: hold.amount }, {
    entry,
    ...endOf(view, hold, uncharged, atMs),
    ended: kind === "expire" ? { hold, recovered: true } : { hold },
  });
}

/** Returns the journal entry of a hold. */
export function entryOfHold(hold: Hold): Extract<JournalEntry, { op: "hold" }> {
  return {
    op: "hold",
    id: hold.id,
    wallet: hold.walletId,
    key: hold.keyId,
    ...(hold.budgetId === undefined ? {} : { budget: hold.budgetId }),
    log: hold.logId,
    ...summedNames(hold),
    model: hold.model,
    priceVersion: hold.priceVersion,
    amount: hold.amount,
    ...hold.budgets !== undefined && { budgets: hold.budgets },
    at: hold.atMs,
  };
}

/** Returns the journal entry of an open hold's checkpoint. */
export function entryOfProgress(
  hold: Hold,
  progress: Progress,
): Extract<JournalEntry, { op: "progress" }> {
  const { cost, inputTokens, cachedInputTokens, outputTokens, atMs: at } = progress;
  const { id, walletId: wallet, keyId: key, logId: log } = hold;
  const counts = { inputTokens, cachedInputTokens, outputTokens };
  return { op: "progress", id, wallet, key, log, cost, ...counts, at };
}

function isSameProgress(earlier: Progress, { atMs: _, ...now }: Progress): boolean {
  return earlier.cost === now.cost && earlier.inputTokens === now.inputTokens &&
    earlier.cachedInputTokens === now.cachedInputTokens &&
    earlier.outputTokens === now.outputTokens;
}

function refused(
  refusal: LedgerRefusal,
  waitable = false,
  short?: readonly string[],
): LedgerDecision<never> {
  const refusedNow = { ok: false, refusal, waitable } as const;
  return short === undefined ? refusedNow : { ...refusedNow, short };
}

function applied<T>(value: T, change: LedgerChange): LedgerDecision<T> {
  if (change.wallet !== undefined) assertWallet(change.wallet);
  if (change.spend !== undefined) assertSpend(change.spend);
  return { ok: true, value, change };
}

function holdOf(command: HoldCommand, amount: Micros): Hold {
  const { holdId: id, walletId, keyId, logId, model, priceVersion, atMs } = command;
  const budgetId = budgetOwner(command);
  const names = summedNames(command);
  const hold = { id, walletId, keyId, logId, ...names, model, priceVersion, amount, atMs };
  const owned = budgetId === keyId ? hold : { ...hold, budgetId };
  if (command.named === undefined) return owned;
  return { ...owned, budgets: command.named.map(({ name }) => name) };
}

function isRepeat(earlier: Hold, command: HoldCommand): boolean {
  return earlier.walletId === command.walletId && earlier.keyId === command.keyId &&
    budgetOwner(earlier) === budgetOwner(command) && earlier.logId === command.logId &&
    earlier.model === command.model &&
    earlier.priceVersion === command.priceVersion && earlier.amount <= command.amount &&
    earlier.amount >= command.minimum && hasNames(earlier, command);
}

function hasNames({ budgets = [] }: Hold, { named = [] }: HoldCommand): boolean {
  return budgets.length === named.length && named.every(({ name }, at) => name === budgets[at]);
}

// The amount that wallet and budgets allow now. When it is too small, the amount they would allow
// after all open holds end tells whether waiting can help.
function freeToHold(
  wallet: Wallet,
  spend: KeySpend,
  command: HoldCommand,
): LedgerDecision<Micros> {
  const { budget, minimum, named } = command;
  const excess = named === undefined ? undefined : nameTooMany(spend, named);
  if (excess !== undefined) return refused("key_budget_exceeded", false, [excess]);
  // Without names, the usual case, nothing is allocated.
  const least = named === undefined ? undefined : leastBudget(spend, command);
  const unspent = least === undefined ? unspentBudget(spend, budget) : least.unspent;
  const hopeful = wallet.available + wallet.held >= minimum &&
    (unspent === undefined || unspent >= minimum);
  if (unspent !== undefined) {
    const free = least === undefined ? unspent - spend.held : least.free;
    if (free < minimum && minimum > 0n) {
      const short = named === undefined ? undefined : shortBudgets(spend, command);
      return refused("key_budget_exceeded", hopeful, short);
    }
    if (wallet.available >= minimum) {
      return { ok: true, value: minMicros(wallet.available, free > 0n ? free : 0n) };
    }
  }
  if (wallet.available < minimum) return refused("insufficient_balance", hopeful);
  return { ok: true, value: wallet.available };
}

/** Returns a name for which the sums of a key have no room. */
function nameTooMany(
  { named: sums = {} }: KeySpend,
  named: NonNullable<HoldCommand["named"]>,
): string | undefined {
  const added = named.filter(({ name }) => sums[name] === undefined);
  if (added.length === 0) return undefined;
  return added[NAMES_MAX - Object.keys(sums).length]?.name;
}

function endOf(
  view: LedgerView,
  hold: Hold,
  settled: { charged: Micros; writtenOff: Micros },
  atMs: number,
): Pick<LedgerChange, "wallet" | "spend"> {
  const { charged, writtenOff } = settled;
  const before = view.wallet(hold.walletId);
  const keyId = budgetOwner(hold);
  const spent = view.spend(keyId);
  if (before === undefined) {
    throw new InvariantError(`Hold "${hold.id}" is of a wallet that does not exist`);
  }
  if (spent === undefined) {
    throw new InvariantError(`Hold "${hold.id}" is of a key that holds nothing`);
  }
  assertWallet(before);
  const spend = spendAt(spent, { keyId, atMs });
  return {
    wallet: {
      ...before,
      held: before.held - hold.amount,
      spent: before.spent + charged,
      available: before.available + hold.amount - charged,
      writtenOff: before.writtenOff + writtenOff,
    },
    spend: spendAfterHold(spend, hold, settled),
  };
}

import type { Wallet } from "./ledger.ts";
import type { Micros } from "./money.ts";

/** Without a mark of its own a wallet is low at this part of what was ever paid in: a tenth. */
const PART = 10n;

/** Where a wallet counts as low. */
export interface LowMark {
  readonly below: Micros;
  /** Whether an operator has set it; else it is a tenth of what was paid in. */
  readonly isSet: boolean;
}

/** A wallet's mark; `set` is what an operator set. */
export function lowMarkOf({ credits }: Pick<Wallet, "credits">, set: Micros | undefined): LowMark {
  return { below: set ?? credits / PART, isSet: set !== undefined };
}

/** Whether a wallet should be paid into: what it has, open holds included, is not above its mark. */
export function isLow(
  { available, held }: Pick<Wallet, "available" | "held">,
  { below }: LowMark,
): boolean {
  return available + held <= below;
}

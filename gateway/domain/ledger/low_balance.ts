import type { Wallet } from "./ledger.ts";
import type { Micros } from "./money.ts";

/** Divisor of the default mark: a wallet is low at a tenth of all credits ever added. */
const PART = 10n;

/** The balance at which a wallet counts as low. */
export interface LowMark {
  readonly below: Micros;
  /** True when an operator set the mark; otherwise it is a tenth of all credits ever added. */
  readonly isSet: boolean;
}

/** Returns the mark of a wallet; `set` is the operator's value. */
export function lowMarkOf({ credits }: Pick<Wallet, "credits">, set: Micros | undefined): LowMark {
  return { below: set ?? credits / PART, isSet: set !== undefined };
}

/** True when the balance, open holds included, is at or below the mark. */
export function isLow(
  { available, held }: Pick<Wallet, "available" | "held">,
  { below }: LowMark,
): boolean {
  return available + held <= below;
}

import type { BillingMetadata } from "../protocol/mod.ts";
import { addBilling } from "./billing.ts";
import { addCounts } from "./counts.ts";

/** A turn of any surface, with its cost. */
interface PaidTurn {
  readonly usage?: object | null | undefined;
  readonly metadata?: { readonly billing?: BillingMetadata | undefined } | null | undefined;
}

/** Returns the last of some turns, with the usage and the bill of all of them. */
export function combined<Turn extends PaidTurn>(turns: readonly [Turn, ...Turn[]]): Turn {
  const last = turns.at(-1) ?? turns[0];
  if (turns.length === 1) return last;
  const usage = addCounts(turns.map(({ usage }) => usage));
  const billing = addBilling(turns.map(({ metadata }) => metadata?.billing));
  return {
    ...last,
    ...(usage === undefined ? {} : { usage }),
    ...(billing === undefined ? {} : { metadata: { ...last.metadata, billing } }),
  };
}

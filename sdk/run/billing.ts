import type { BillingMetadata } from "../protocol/mod.ts";

/** Decimal places of credits, as the service writes them. */
const PLACES = 6;

/**
 * Returns the bill of several calls: their sums, estimated when one of them is; `undefined` when
 * there is none.
 */
export function addBilling(
  bills: readonly (BillingMetadata | undefined)[],
): BillingMetadata | undefined {
  return bills.filter(isBill).reduce<BillingMetadata | undefined>((sum, bill) => {
    if (sum === undefined) return bill;
    const added = {
      input_tokens: addCounts(sum.input_tokens, bill.input_tokens),
      cached_input_tokens: addCounts(sum.cached_input_tokens, bill.cached_input_tokens),
      output_tokens: addCounts(sum.output_tokens, bill.output_tokens),
      total_tokens: addCounts(sum.total_tokens, bill.total_tokens),
    };
    const written = addCounts(sum.cache_write_input_tokens, bill.cache_write_input_tokens);
    return {
      ...bill,
      ...added,
      ...(written === 0 ? {} : { cache_write_input_tokens: written }),
      charged: addCredits(sum.charged, bill.charged),
      estimated: sum.estimated || bill.estimated,
    };
  }, undefined);
}

/** True for a bill that can be added: the answer may come from another service. */
function isBill(bill: unknown): bill is BillingMetadata {
  const { charged } = Object(bill) as { charged?: unknown };
  return typeof charged === "string" && /^(?=.*\d)\d*\.?\d*$/.test(charged);
}

/** Returns the sum of two counts; a value that is no number counts as 0. */
function addCounts(a: unknown, b: unknown): number {
  return (typeof a === "number" ? a : 0) + (typeof b === "number" ? b : 0);
}

/** Returns the exact sum of two amounts of credits, which are decimal strings. */
function addCredits(a: string, b: string): string {
  const places = Math.max(PLACES, placesOf(a), placesOf(b));
  const digits = String(scaled(a, places) + scaled(b, places)).padStart(places + 1, "0");
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

function placesOf(credits: string): number {
  return credits.split(".")[1]?.length ?? 0;
}

function scaled(credits: string, places: number): bigint {
  const [whole = "", fraction = ""] = credits.split(".");
  return BigInt(whole + fraction.padEnd(places, "0"));
}

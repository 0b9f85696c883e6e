import type { BillingMetadata } from "@svc/sdk/protocol";
import { invariant } from "../../domain/invariant.ts";
import { formatCredits, type Micros, parseCredits } from "../../domain/ledger/money.ts";

/** Returns the sum of two bills of one request; the price version is that of the second. */
export function addBilling(one: BillingMetadata, other: BillingMetadata): BillingMetadata {
  const written = (one.cache_write_input_tokens ?? 0) + (other.cache_write_input_tokens ?? 0);
  return {
    currency: "credits",
    charged: formatCredits(microsOf(one) + microsOf(other)),
    input_tokens: one.input_tokens + other.input_tokens,
    cached_input_tokens: one.cached_input_tokens + other.cached_input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    total_tokens: one.total_tokens + other.total_tokens,
    estimated: one.estimated || other.estimated,
    price_version: other.price_version,
    ...(written === 0 ? {} : { cache_write_input_tokens: written }),
  };
}

/** Returns the charge of a bill. */
export function microsOf({ charged }: Pick<BillingMetadata, "charged">): Micros {
  const micros = parseCredits(charged);
  invariant(micros !== undefined, `Cannot read the charge "${charged}" that was written here`);
  return micros;
}

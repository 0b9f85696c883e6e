import { parseCredits } from "../../../domain/ledger/money.ts";
import { hasParts, NO_MODEL, partsOf } from "../../../domain/requests/parts.ts";
import { classOf, endingOf, type RolledRow } from "../../../domain/requests/rollup.ts";
import type { RequestRecord } from "../../../ports/request_log.ts";

/** Returns the summed fields of a request. */
export function rolledOf(record: RequestRecord): RolledRow {
  const { keyId, routing, inputTokens, cachedInputTokens, outputTokens, durationMs } = record;
  const ending = endingOf(record);
  return {
    ...{ keyId, ending, kind: classOf(ending), model: routing?.model ?? NO_MODEL },
    charged: parseCredits(record.charged) ?? 0n,
    ...{ inputTokens, cachedInputTokens, outputTokens, durationMs },
    firstByteMs: record.firstByteMs,
    parts: hasParts(record) ? partsOf(record) : undefined,
  };
}

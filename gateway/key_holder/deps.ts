import type { KeyLimits } from "../flows/admit/admission.ts";
import type { Clock } from "../ports/clock.ts";
import type { EmbeddingPinStore } from "../ports/embedding_pin_store.ts";
import type { LedgerStore } from "../ports/ledger_store.ts";
import type { RequestLog } from "../ports/request_log.ts";

/** Parts of the service that a key's own records are read from. */
export interface KeyHolderDeps {
  readonly admission: Pick<KeyLimits, "remaining">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly embeddingPins: Pick<EmbeddingPinStore, "get">;
  readonly ledger: Pick<LedgerStore, "entries" | "entriesOf" | "keySpend" | "wallet">;
  readonly log: Pick<RequestLog, "search">;
}

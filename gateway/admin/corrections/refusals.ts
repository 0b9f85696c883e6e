import { ServiceFault } from "../../domain/fault.ts";
import type { CorrectionKind } from "../../domain/ledger/correction_types.ts";
import type { CorrectionRefusal } from "../../flows/operators/corrections.ts";

/** Sentences about refusals, for the wallet or the correction that they are about. */
const SENTENCES: Readonly<Partial<Record<CorrectionRefusal, (id: string) => string>>> = {
  own: () => "Another person approves a correction, not the one who asked for it",
  made: () =>
    "Of the one who asked and the one who approves, one has made the other's record or token: " +
    "a third person approves",
  ended: (id) => `Correction "${id}" no longer waits: it was approved or refused, or has expired`,
  full: () => "Too many corrections wait for an approval: approve or refuse some",
  waits: () => "A correction under this operation id waits, and is another one: choose a new id",
  id_reused: () => "This operation id was used for something else; choose a new one",
  wallet_closed: (id) => `Wallet "${id}" is closed`,
  insufficient_balance: () => "The wallet has fewer credits available; holds cannot be taken out",
  balance_changed: () => "The wallet has another balance than the expected one: count again",
  funds_held: () => "Calls in flight hold credits of the wallet: wait until they end",
  unchanged: () => "It is so already: nothing was changed",
  credits_overflow: () => "A wallet cannot hold that many credits",
  overtaken: () => "Somebody else has changed it at the same time: look again",
  not_charged: () => "The wallet was charged less than that",
};

/** Returns the fault of a refused correction; `id` is of its wallet, or its own. */
export function refusalFault(
  refusal: CorrectionRefusal,
  id: string,
  kind?: CorrectionKind,
): ServiceFault {
  if (refusal === "missing") {
    return new ServiceFault("not_found", { message: `There is no correction "${id}"` });
  }
  if (kind === "refund" && (refusal === "id_reused" || refusal === "waits")) {
    const message = refusal === "waits"
      ? "A refund of this request waits already, with another amount: approve or refuse that first"
      : "This request was refunded already, with another amount";
    return new ServiceFault("conflict", { message });
  }
  const message = SENTENCES[refusal]?.(id) ?? `The ledger refused: ${refusal}`;
  return new ServiceFault(refusal === "own" || refusal === "made" ? "policy_denied" : "conflict", {
    message,
  });
}

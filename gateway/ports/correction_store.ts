import type { CorrectionCommand } from "../domain/ledger/correction_types.ts";
import type { Wallet } from "../domain/ledger/ledger.ts";
import type { CreditRecord } from "../domain/ledger/state.ts";
import type { Correction } from "../domain/ledger/waiting_correction.ts";
import type { TrailDraft } from "../domain/operators/trail.ts";
import type { Applied } from "./ledger_store.ts";

/** A wallet before and after a correction. */
export interface CorrectedWallet {
  readonly before: Wallet;
  readonly after: Wallet;
}

/** Records that a correction is applied with. */
export interface CorrectionRecords {
  /** Returns the entry of the audit log; not called where nothing changes. */
  readonly entry: (wallet: CorrectedWallet) => TrailDraft;
  /** The correction that waited, as it becomes. */
  readonly ended?: Correction | undefined;
}

/** Corrections of wallets: those that wait for an approval, and their way into the ledger. */
export interface CorrectionStore {
  /** Returns the corrections that wait, and the last of those that ended, newest first. */
  all(): Promise<readonly Correction[]>;
  /**
   * Stores a correction with the entry of the audit log, and deletes some ended ones, in one commit.
   * Returns false, and stores nothing, unless the stored version is the one before (none for 1).
   */
  put(correction: Correction, entry: TrailDraft, forget?: readonly string[]): Promise<boolean>;
  /**
   * Applies a correction: its journal entry, the wallet, a key that moves, the entry of the audit
   * log and the record that waited are one commit. A repeat changes nothing and returns the wallet.
   * Refuses with `overtaken` where the record was ended already, or the key is elsewhere.
   */
  apply(command: CorrectionCommand, records: CorrectionRecords): Promise<Applied<Wallet>>;
  /** Returns the credit or correction that was applied under an operation id. */
  operation(opId: string): Promise<CreditRecord | undefined>;
}

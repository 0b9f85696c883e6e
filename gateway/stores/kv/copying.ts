/**
 * Reads and writes of a copy, on Deno KV.
 *
 * @module
 */

import type { JournalEntry } from "../../domain/ledger/ledger.ts";
import { operationOf } from "../../domain/ledger/correction.ts";
import { repeatEntry } from "../../domain/ledger/repeat_entry.ts";
import type { StoreCopying } from "../../ports/store_copying.ts";
import { StoreError } from "../../ports/store_error.ts";
import type { PinnedRows } from "./journal/books.ts";
import { creditRow } from "./journal/credit_rows.ts";
import type { Stage } from "./journal/stage.ts";
import type { Writer } from "./journal/writer.ts";
import type { KvAuditStore } from "./learning/audits.ts";
import type { KvVoteStore } from "./learning/votes.ts";
import type { KvRequestLog } from "./log/request_log.ts";
import type { KvCorrectionStore } from "./operators/corrections.ts";
import type { KvOperatorStore } from "./operators/operators.ts";
import type { KvTrailStore } from "./operators/trail.ts";
import type { KvSettingsStore } from "./settings.ts";
import type { KvBlobStore } from "./values/blobs.ts";
import type { KvResponseStore } from "./values/responses.ts";

/** The stores that a copy reads and writes. */
interface CopiedStores {
  readonly log: KvRequestLog;
  readonly operators: KvOperatorStore;
  readonly corrections: KvCorrectionStore;
  readonly trail: KvTrailStore;
  readonly settings: KvSettingsStore;
  readonly votes: KvVoteStore;
  readonly auditStore: KvAuditStore;
  readonly blobs: KvBlobStore;
  readonly responses: KvResponseStore;
}

/** Returns the port of a copy. */
export function kvCopying(
  writer: Writer,
  { log, operators, corrections, trail, settings, votes, auditStore, blobs, responses }:
    CopiedStores,
): StoreCopying {
  return {
    // One process has the store.
    others: () => Promise.resolve(0),
    appendEntries: (entries) => appendEntries(writer, entries),
    appendRecords: (records) => log.appendAll(records),
    recordCount: () => Promise.resolve(writer.log.total),
    putSums: (sums) => log.putSums(sums),
    putOperator: (operator) => operators.write(operator),
    putCorrection: (correction) => corrections.write(correction),
    appendTrail: (entries) => trail.appendStored(entries),
    settings: () => settings.all(),
    putSetting: (setting) => settings.put(setting),
    votes: () => votes.placed(),
    putVotes: (placed) => votes.putPlaced(placed),
    audits: () => auditStore.all(),
    blobs: () => blobs.all(),
    responses: () => responses.all(),
  };
}

/** Appends entries in one commit, into which they must fit. */
async function appendEntries(writer: Writer, entries: readonly JournalEntry[]): Promise<void> {
  const rows = entries.flatMap(rowsOfEntry);
  await Promise.all(rows.map((row) => writer.books.pin(row)));
  try {
    await writer.submit((stage) => {
      for (const entry of entries) append(stage, entry);
    });
  } finally {
    for (const row of rows) writer.books.unpin(row);
  }
}

/** Returns the rows that an entry is decided on; an open hold has its own in memory. */
function rowsOfEntry(entry: JournalEntry): readonly PinnedRows[] {
  if (!("key" in entry)) return [{ walletId: entry.wallet }];
  if (entry.op !== "hold") return [];
  return [{ walletId: entry.wallet, keyId: entry.budget ?? entry.key }];
}

function append(stage: Stage, entry: JournalEntry): void {
  const repeated = repeatEntry(stage, entry);
  if (!repeated.ok) {
    throw new StoreError(`Cannot copy the journal: ${repeated.problem}`, { isDamage: true });
  }
  stage.apply(repeated.change);
  const operation = operationOf(entry);
  if (operation !== undefined && "id" in entry) stage.write(creditRow(entry.id, operation));
}

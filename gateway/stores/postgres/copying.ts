/**
 * Reads and writes of a copy, on PostgreSQL.
 *
 * @module
 */

import type { JournalEntry } from "../../domain/ledger/ledger.ts";
import { operationOf } from "../../domain/ledger/correction.ts";
import { repeatEntry } from "../../domain/ledger/repeat_entry.ts";
import type { StoreCopying } from "../../ports/store_copying.ts";
import { StoreError } from "../../ports/store_error.ts";
import { query, type Sql } from "./connection.ts";
import type { PostgresAudits } from "./learning/audits.ts";
import type { PostgresVotes } from "./learning/votes.ts";
import type { Batches, Needs } from "./ledger/batches.ts";
import type { Member } from "./ledger/member.ts";
import type { PostgresRequestLog } from "./log/request_log.ts";
import { replaceSums } from "./log/sums.ts";
import type { PostgresCorrections } from "./operators/corrections.ts";
import type { PostgresOperators } from "./operators/operators.ts";
import type { PostgresTrail } from "./operators/trail.ts";
import type { PostgresSettings } from "./settings.ts";
import type { PostgresBlobs } from "./values/blobs.ts";
import type { PostgresResponses } from "./values/responses.ts";

/**
 * Instance of the holds that a copy has opened and not ended yet. No session has this id, so that no
 * instance ends them for a copy that was killed: the journal says how they end.
 */
const COPY = "copy";

/** The stores that a copy reads and writes. */
interface CopiedStores {
  readonly log: PostgresRequestLog;
  readonly operators: PostgresOperators;
  readonly corrections: PostgresCorrections;
  readonly trail: PostgresTrail;
  readonly settings: PostgresSettings;
  readonly votes: PostgresVotes;
  readonly auditStore: PostgresAudits;
  readonly blobs: PostgresBlobs;
  readonly responses: PostgresResponses;
}

/** Returns the port of a copy. */
export function postgresCopying(
  { sql, batches, instance }: {
    readonly sql: Sql;
    readonly batches: Pick<Batches, "submit">;
    readonly instance: Pick<Member, "id">;
  },
  { log, operators, corrections, trail, settings, votes, auditStore, blobs, responses }:
    CopiedStores,
): StoreCopying {
  return {
    others: async () => {
      const [row] = await query(sql<{ others: number }[]>`
        select count(*)::int as others from instance where not is_cleared and id <> ${instance.id}
      `);
      return row?.others ?? 0;
    },
    appendEntries: (entries) => appendEntries(batches, entries),
    appendRecords: (records) => log.appendAll(records),
    recordCount: async () => {
      const [row] = await query(sql<{ logged: bigint }[]>`select logged from ledger_head`);
      return Number(row?.logged ?? 0);
    },
    putSums: (sums) => replaceSums(sql, sums),
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

/** Appends entries in one transaction. */
function appendEntries(
  batches: Pick<Batches, "submit">,
  entries: readonly JournalEntry[],
): Promise<void> {
  return batches.submit(needsOf(entries), (view) => {
    for (const entry of entries) {
      const repeated = repeatEntry(view, entry);
      if (!repeated.ok) {
        throw new StoreError(`Cannot copy the journal: ${repeated.problem}`, { isDamage: true });
      }
      view.apply(repeated.change, COPY);
    }
  });
}

function needsOf(entries: readonly JournalEntry[]): Needs {
  const holds = entries.filter((entry) => entry.op === "hold");
  const operations = entries.filter((entry) => operationOf(entry) !== undefined);
  return {
    wallets: entries.map(({ wallet }) => wallet),
    budgets: holds.map(({ budget, key }) => budget ?? key),
    holds: entries.flatMap((entry) => "key" in entry ? [entry.id] : []),
    credits: operations.flatMap((entry) => "id" in entry ? [entry.id] : []),
  };
}

/**
 * Groups of statements, of which there are few, for the times of queries.
 *
 * @module
 */

import { LOCK_HEAD } from "./sql/ledger_batch.ts";

/** Tables by the group of the statements that name them first. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  ledger: [
    ...["ledger_head", "journal_batch", "journal", "wallet", "key_spend", "hold", "ended_hold"],
    ...["credit", "owed_row", "waiting_hold"],
  ],
  log: ["request_log", "request_log_part", "log_sums", "log_sums_head"],
  keys: ["api_key", "key_count", "key_pass", "embedding_pin"],
  catalogs: ["catalog_version"],
  changes: ["change", "change_head"],
  instances: ["instance", "lease"],
  limits: ["key_minute", "key_slot"],
  settings: ["setting"],
  values: ["stored_value", "stored_value_alias", "stored_bytes"],
  passages: ["vector_store", "vector_file", "vector_segment"],
  files: ["caller_file", "caller_file_part", "caller_file_upload"],
  memory: ["caller_memory", "caller_memory_head"],
  learning: [
    ...["vote", "vote_head", "audit_cost", "routing_snapshot", "routing_wallet"],
    ...["routing_frozen", "routing_addition"],
  ],
  notices: ["notice_target", "notice_incident", "notice_delivery"],
  operators: [
    ...["operator", "audit_trail", "audit_trail_head", "correction", "console_session"],
    "console_ticket",
  ],
};

const GROUPS: ReadonlyMap<string, string> = new Map(
  Object.entries(TABLES).flatMap(([group, tables]) => tables.map((table) => [table, group])),
);

/** A word behind which the name of a table may stand. */
const TABLE = /\b(?:from|into|update|join|table)\s+([a-z_]+)/g;

/**
 * Returns the group of a statement, by the first table that its text names. `ledger_lock` waits for
 * the batches of other instances, `commit` for the disk of the database.
 */
export function statementGroup(text: string): string {
  if (text === LOCK_HEAD) return "ledger_lock";
  if (text === "commit") return text;
  if (/^\s*(?:begin|rollback)\b/.test(text)) return "transaction";
  for (const [, table = ""] of text.matchAll(TABLE)) {
    const group = GROUPS.get(table);
    if (group !== undefined) return group;
  }
  return "other";
}

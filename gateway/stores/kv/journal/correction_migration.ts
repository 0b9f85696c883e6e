import type { Migration, MigrationBatch } from "../migration.ts";

/**
 * Marks a store whose journal may have corrections and whose wallets may be closed: older gateways
 * do not read the entries, and would make calls on a closed wallet.
 */
export const correctionMigration: Migration = {
  to: 4,
  what: "take corrections of wallets into the journal",
  batches: () => ReadableStream.from<MigrationBatch>([]),
};

import type { Migration, MigrationBatch } from "../migration.ts";

/**
 * Marks a store whose commits check the fence: an older gateway writes none when it takes over, and
 * would not stop them.
 */
export const fenceMigration: Migration = {
  to: 5,
  what: "check commits beside their rows",
  batches: () => ReadableStream.from<MigrationBatch>([]),
};

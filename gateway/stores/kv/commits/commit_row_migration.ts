import type { Migration, MigrationBatch } from "../migration.ts";

/** Marks a store whose single commits may be rows of their own, which older gateways do not read. */
export const commitRowMigration: Migration = {
  to: 3,
  what: "store single commits as small rows",
  batches: () => ReadableStream.from<MigrationBatch>([]),
};

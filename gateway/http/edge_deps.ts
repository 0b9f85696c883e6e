import type { CallerFiles } from "../flows/files/caller_files.ts";
import type { CallerStores } from "../flows/files/caller_stores.ts";
import type { FileRate } from "../flows/files/file_rate.ts";
import type { CatalogStore } from "../ports/catalog_store.ts";
import type { Clock } from "../ports/clock.ts";
import type { LeasePool } from "../ports/lease_pool.ts";
import type { Logger } from "../ports/logger.ts";
import type { ResponseStore } from "../ports/response_store.ts";
import type { Rng } from "../ports/rng.ts";

/** Parts of the service that the public listener uses beside the model calls. */
export interface EdgeDeps {
  readonly callerFiles: CallerFiles;
  readonly callerStores: CallerStores;
  readonly fileRate: FileRate;
  readonly catalogs: Pick<CatalogStore, "current">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pool: Pick<LeasePool, "states">;
  readonly responses: ResponseStore;
  readonly rng: Rng;
}

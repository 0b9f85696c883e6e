import type { KeyRecord } from "../../domain/policy/key.ts";
import type { KeyStore } from "../../ports/key_store.ts";

/** Returns the newest keys of a store, for tests with few of them. */
export async function keyRecords(keys: Pick<KeyStore, "page">): Promise<readonly KeyRecord[]> {
  return (await keys.page({ limit: 500 })).keys.map(({ record }) => record);
}

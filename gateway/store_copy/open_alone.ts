import manifest from "../deno.json" with { type: "json" };
import { StoreError } from "../ports/store_error.ts";
import type { Stores } from "../ports/stores.ts";
import { openKvStores } from "../stores/kv/open.ts";
import { shownPlace, type StorePlace } from "../system/store_place.ts";

/** Options of {@linkcode openAlone}. */
export interface OpenAloneOptions {
  /** Time of the whole copy, Unix milliseconds: what expires later is copied. */
  readonly nowMs: number;
  /** True for the target, whose open holds are those of a copy that goes on. */
  readonly isTarget: boolean;
  /** Time that instances which have ended may take to be cleared, in milliseconds. @default {20000} */
  readonly waitMs?: number | undefined;
}

const WAIT_MS = 20_000;
const LOOK_MS = 200;
/** Beyond any size, age or number: a copy deletes nothing and refuses nothing. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/**
 * Opens stores that nothing else uses. The holds that a source has open are ended first, as by a
 * start of the service.
 *
 * @throws {StoreError} When a service has the store, or it does not exist.
 */
export async function openAlone(place: StorePlace, options: OpenAloneOptions): Promise<Stores> {
  const stores = await open(place, options);
  try {
    await untilAlone(stores, place, options);
    return stores;
  } catch (error) {
    await stores.close();
    throw error;
  }
}

async function open(place: StorePlace, { nowMs, isTarget }: OpenAloneOptions): Promise<Stores> {
  const limits = {
    logRetention: { records: NO_LIMIT, ageMs: NO_LIMIT },
    responseRetention: { maxBytes: NO_LIMIT },
    blobRetention: { maxBytes: NO_LIMIT },
  };
  const passages = { maxBytes: NO_LIMIT, maxStores: NO_LIMIT };
  if (place.kind === "postgres") {
    const { openPostgresStores } = await import("../stores/postgres/open.ts");
    const clock = { nowMs: () => nowMs, monotonicMs: () => performance.now() };
    return await openPostgresStores(place.url, { ...limits, clock, passageLimits: passages });
  }
  if (!isTarget) await requireFile(place.path);
  return await openKvStores(place.path, {
    ...limits,
    nowMs: () => nowMs,
    passageRetention: passages,
    program: manifest.version,
    keepsHolds: isTarget,
  });
}

async function requireFile(path: string): Promise<void> {
  if (/^https?:/.test(path)) return;
  const stat = await Deno.stat(path).catch((cause: unknown) => {
    throw new StoreError(`Cannot read the store "${path}": name its file`, { cause });
  });
  if (!stat.isFile) throw new StoreError(`Cannot read the store "${path}": it is not a file`);
}

/** Resolves when no other instance has the store open, or has left anything to be ended. */
async function untilAlone(
  { copying }: Stores,
  place: StorePlace,
  { waitMs = WAIT_MS }: OpenAloneOptions,
): Promise<void> {
  const sinceMs = performance.now();
  while (await copying.others() > 0) {
    if (performance.now() - sinceMs > waitMs) throw inUse(place);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Returns the refusal of a store that a service uses. */
export function inUse(place: StorePlace): StoreError {
  return new StoreError(
    `Cannot copy: another process uses the store ${shownPlace(place)}; stop every service on it`,
  );
}

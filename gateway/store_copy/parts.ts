/**
 * The parts of a store, in the order in which they are copied.
 *
 * @module
 */

import type { Catalog } from "../domain/catalog/catalog.ts";
import type { RoutingSnapshot } from "../domain/learning/snapshot.ts";
import type { JournalEntry } from "../domain/ledger/ledger.ts";
import type { StoredKey } from "../ports/key_store.ts";
import type { RequestRecord } from "../ports/request_log.ts";
import { COPY_MARK, type NamedSetting, type PeriodSums } from "../ports/store_copying.ts";
import { StoreError } from "../ports/store_error.ts";
import type { VectorStore, VectorStoreFile } from "../ports/vector_stores.ts";
import { encodeEntry } from "../stores/kv/journal/journal_codec.ts";
import { decodeSums, encodeSums } from "../stores/kv/log/log_sums_codec.ts";
import { SUM_LEVELS } from "../stores/kv/limits.ts";
import { canonicalText } from "./canonical.ts";
import { callerFiles } from "./caller_files_part.ts";
import { notices } from "./notices_part.ts";
import { type CopyStores, type Part, type PartKind, partOf } from "./part.ts";
import { corrections, operators, trail } from "./staff_parts.ts";

/** Rows of the log that are read at once. */
const LOG_PAGE = 200;
/** Time between two looks whether all rows are in the sums, in milliseconds. */
const COUNTING_MS = 100;
/** Setting of a source with its id. */
export const SOURCE_ID = "store_copy_id";
/** Above any cost of audits. */
const NO_BUDGET = 2n ** 62n;

const journal: PartKind<JournalEntry> = {
  name: "journal",
  each: ({ ledger }) => ledger.entries(),
  put: ({ copying }, entries) => copying.appendEntries(entries),
  stored: async ({ ledger }) => (await ledger.journal({})).total,
  sizeOf: (entry) => encodeEntry(entry).length,
};

const log: PartKind<RequestRecord> = {
  name: "request log",
  async *each({ log }) {
    let cursor: string | undefined;
    do {
      const page = await log.search({ order: "oldest", limit: LOG_PAGE, cursor });
      yield* page.records;
      cursor = page.cursor;
    } while (cursor !== undefined);
  },
  put: ({ copying }, records) => copying.appendRecords(records),
  stored: ({ copying }) => copying.recordCount(),
  sizeOf: (record) => JSON.stringify(record).length,
};

/** Returns the sums of a store. Those of deleted rows are nowhere else. */
function sumsAt(nowMs: number): PartKind<PeriodSums> {
  return {
    name: "sums of the log",
    async *each({ log }) {
      for (const { widthMs, keptMs } of SUM_LEVELS) {
        const sinceMs = Math.ceil((nowMs - keptMs) / widthMs) * widthMs;
        const range = { sinceMs, untilMs: nowMs + widthMs, stepMs: widthMs };
        let overview = await log.overview(range);
        while (overview.uncounted > 0) {
          await new Promise((resolve) => setTimeout(resolve, COUNTING_MS));
          overview = await log.overview(range);
        }
        for (const { atMs, rollup } of overview.series) {
          if (rollup.requests > 0) yield { widthMs, startMs: atMs, rollup };
        }
      }
    },
    put: ({ copying }, sums) => copying.putSums(sums),
    atOnce: Infinity,
    // As stored: of very many keys a sum names those with the most requests.
    compared: ({ rollup, ...period }) => {
      return { ...period, rollup: decodeSums(encodeSums({ to: 0, rollup })).rollup };
    },
  };
}

const catalogs: PartKind<{ readonly catalog: Catalog; readonly note: string }> = {
  name: "catalogs",
  async *each({ catalogs }) {
    const versions = (await catalogs.history(Number.MAX_SAFE_INTEGER)).toReversed();
    for (const { version, note } of versions) {
      const catalog = await catalogs.get(version);
      if (catalog !== undefined) yield { catalog, note };
    }
  },
  async put({ catalogs }, items) {
    for (const { catalog, note } of items) {
      const { version, updatedAtMs: atMs, ...content } = catalog;
      if (await catalogs.get(version) !== undefined) continue;
      const applied = await catalogs.apply(content, { expected: version - 1, note, atMs });
      if (applied === undefined) {
        throw new StoreError(`Cannot copy version ${version} of the catalog: the one before lacks`);
      }
    }
  },
  atOnce: 1,
};

const keys: PartKind<StoredKey> = {
  name: "keys",
  // No key can be created under the digest of an active one.
  async *each({ keys }) {
    for await (const key of keys.all()) if (!isActive(key)) yield key;
    for await (const key of keys.all()) if (isActive(key)) yield key;
  },
  async put(stores, items) {
    for (const some of [items.filter((key) => !isActive(key)), items.filter(isActive)]) {
      await Promise.all(some.map((key) => putKey(stores, key)));
    }
  },
};

function isActive({ record }: StoredKey): boolean {
  return record.status === "active";
}

async function putKey({ keys }: CopyStores, key: StoredKey): Promise<void> {
  if (await keys.create(key)) return;
  const { id } = key.record;
  const stored = await keys.getStored(id);
  if (stored === undefined) throw new StoreError(`Cannot copy key "${id}": another has its digest`);
  if (stored.digest !== key.digest) await keys.move(id, { from: stored.digest, to: key.digest });
  if (canonicalText(stored.record) !== canonicalText(key.record)) {
    await keys.update(id, () => key.record);
  }
}

const votes = partOf({
  name: "votes",
  each: ({ copying }) => copying.votes(),
  put: ({ copying }, items) => copying.putVotes(items),
});

const audits = partOf({
  name: "audits",
  each: ({ copying }) => copying.audits(),
  async put({ auditStore }, items) {
    for (const { id, day, cost } of items) {
      await auditStore.reserve({ id, day, amount: cost, budget: NO_BUDGET });
    }
  },
  // An audit that cost nothing needs no row.
  compared: ({ cost, ...audit }) => cost === 0n ? undefined : { ...audit, cost },
});

const blobs = partOf({
  name: "files",
  each: ({ copying }) => copying.blobs(),
  async put({ blobs }, [blob]) {
    if (blob !== undefined && await blobs.get(blob.id) === undefined) await blobs.put(blob);
  },
  atOnce: 1,
});

const responses = partOf({
  name: "responses",
  each: ({ copying }) => copying.responses(),
  async put({ responses }, [response]) {
    if (response === undefined) return;
    const { ownerId, id } = response;
    if (await responses.get(ownerId, id) === undefined) await responses.put(response);
  },
  atOnce: 1,
});

/** A vector store, or a file in it with its content. */
type Passages = { readonly store: VectorStore } | {
  readonly file: VectorStoreFile;
  readonly passages: readonly string[];
  readonly vectors: Float32Array<ArrayBuffer>;
};

const vectorStores: PartKind<Passages> = {
  name: "vector stores",
  async *each({ passages }) {
    for (const store of passages.stores()) {
      yield { store };
      for (const file of await passages.files(store.id)) {
        const texts = (await Array.fromAsync(passages.passages(file))).flat();
        const vectors = file.embeddings === undefined
          ? []
          : await Array.fromAsync(passages.vectors(file));
        yield { file, passages: texts, vectors: joined(vectors) };
      }
    }
  },
  async put({ passages }, [item]) {
    if (item === undefined) return;
    if ("store" in item) {
      const { embeddings: _counts, failed: _failed, ...store } = item.store;
      const nothing = { files: 0, passages: 0, textBytes: 0, revision: 0 };
      if (passages.store(store.id) === undefined) {
        await passages.createStore({ ...store, ...nothing });
      }
      return;
    }
    const { file } = item;
    const known = await passages.files(file.storeId);
    if (known.some(({ id }) => id === file.id)) return;
    await passages.addFile(file, item.passages, { vectors: item.vectors });
  },
  atOnce: 1,
  // The revision of a copy counts the files that it has.
  compared: (item) => "store" in item ? { ...item.store, revision: 0 } : item,
};

function joined(parts: readonly Float32Array<ArrayBuffer>[]): Float32Array<ArrayBuffer> {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A snapshot with the wallets that it changed, or the number of the frozen one. */
type Snapshots = { readonly snapshot: RoutingSnapshot; readonly changed: readonly string[] } | {
  readonly frozen: number | undefined;
};

const snapshots: PartKind<Snapshots> = {
  name: "routing snapshots",
  async *each({ snapshots }) {
    let before: RoutingSnapshot | undefined;
    for (const { number } of (await snapshots.list(Infinity)).toReversed()) {
      const snapshot = await snapshots.get(number);
      if (snapshot === undefined) continue;
      yield { snapshot, changed: changedSince(before, snapshot) };
      before = snapshot;
    }
    yield { frozen: await snapshots.frozen() };
  },
  async put({ snapshots }, [item]) {
    if (item === undefined) return;
    if ("frozen" in item) await snapshots.freeze(item.frozen);
    else await snapshots.put(item.snapshot, item.changed);
  },
  atOnce: 1,
};

function changedSince(before: RoutingSnapshot | undefined, now: RoutingSnapshot): string[] {
  const ids = new Set([...before?.wallets.keys() ?? [], ...now.wallets.keys()]);
  return [...ids].filter((id) => {
    const [one, other] = [before?.wallets.get(id), now.wallets.get(id)];
    return canonicalText([one]) !== canonicalText([other]);
  });
}

const settings: PartKind<NamedSetting> = {
  name: "settings",
  async *each({ copying }) {
    for await (const setting of copying.settings()) {
      if (![COPY_MARK, SOURCE_ID].includes(setting.name)) yield setting;
    }
  },
  async put({ copying }, items) {
    for (const setting of items) await copying.putSetting(setting);
  },
};

const embeddingPins = partOf({
  name: "embedding models of keys",
  each: ({ embeddingPins }) => embeddingPins.all(),
  async put({ embeddingPins }, pins) {
    for (const pin of pins) await embeddingPins.replace(pin.lineId, { from: undefined, to: pin });
  },
});

/** Returns all parts of a store, for a copy at a time. */
export function partsAt(nowMs: number): readonly Part[] {
  return [
    ...[partOf(catalogs), partOf(keys), partOf(journal), partOf(log), partOf(sumsAt(nowMs))],
    ...[
      ...[partOf(notices), partOf(operators), partOf(corrections), partOf(trail)],
      embeddingPins,
      responses,
      blobs,
      partOf(vectorStores),
      partOf(callerFiles),
      votes,
      partOf(snapshots),
      audits,
      partOf(settings),
    ],
  ];
}

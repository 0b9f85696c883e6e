/**
 * Opens the stores of a gateway in one Deno KV database.
 *
 * @module
 */

import { StoreError } from "../../ports/store_error.ts";
import type { AttemptedCommit, StoreHealth, Stores } from "../../ports/stores.ts";
import { type BlobRetention, KvBlobStore } from "./values/blobs.ts";
import { type CallerFileRetention, KvCallerFiles } from "./values/caller_files.ts";
import { KvCatalogStore } from "./catalogs.ts";
import { kvCopying } from "./copying.ts";
import { Checkpointer, strayChunks } from "./journal/checkpoint.ts";
import { Damage } from "./damage.ts";
import { type ClaimedFile, claimFile, emptyStoreError, isThere } from "./file.ts";
import { KvEmbeddingPinStore } from "./keys/embedding_pins.ts";
import { KvKeyStore } from "./keys/keys.ts";
import { KvPassStore } from "./keys/passes.ts";
import { KvLedgerStore } from "./journal/ledger.ts";
import { loadBooks, takeOver } from "./journal/load.ts";
import { KvPassageStore, type PassageRetention } from "./values/passages.ts";
import { migrate, type MigrateOptions } from "./migrate.ts";
import { recover } from "./journal/recover.ts";
import { KvRequestLog, type LogRetention } from "./log/request_log.ts";
import { KvResponseStore, type ResponseRetention } from "./values/responses.ts";
import { type Head, HEAD_KEY, PROBE_KEY, type Row } from "./rows.ts";
import { KvSettingsStore } from "./settings.ts";
import { KvAuditStore } from "./learning/audits.ts";
import { KvCorrectionStore } from "./operators/corrections.ts";
import { KvOperatorStore } from "./operators/operators.ts";
import { KvTrailStore } from "./operators/trail.ts";
import { KvSnapshotStore } from "./learning/snapshots.ts";
import { KvNoticeStore } from "./notices/notices.ts";
import { KvVoteStore } from "./learning/votes.ts";
import { resultOf } from "../verification_result.ts";
import { verification } from "./journal/verification.ts";
import { Writer } from "./journal/writer.ts";

const PROBE_BYTES = 32 * 1024;

/** Options of {@linkcode openKvStores}. */
export interface KvStoresOptions extends MigrateOptions {
  /** Unix time in milliseconds. @default {Date.now} */
  readonly nowMs?: (() => number) | undefined;
  /** Retention of the request log. */
  readonly logRetention?: LogRetention | undefined;
  /** Retention of files behind signed links. */
  readonly blobRetention?: BlobRetention | undefined;
  /** Retention of stored responses. */
  readonly responseRetention?: ResponseRetention | undefined;
  /** Retention of vector stores. */
  readonly passageRetention?: PassageRetention | undefined;
  /** Retention of callers' files. */
  readonly callerFileRetention?: CallerFileRetention | undefined;
  /**
   * Number of commits that are kept as small rows before they are folded into segments; 0 writes
   * segments in every commit.
   *
   * @default {64}
   */
  readonly maxOpenCommits?: number | undefined;
  /**
   * Number of wallets, and of spends of keys, that stay in memory besides those in use.
   *
   * @default {10000}
   */
  readonly idleRows?: number | undefined;
  /**
   * True for the target of a copy, whose journal says how each hold ends: open holds stay open.
   *
   * @default {false}
   */
  readonly keepsHolds?: boolean | undefined;
  /** Called after each attempted commit. @default {no call} */
  readonly onTried?: ((commit: AttemptedCommit) => void) | undefined;
  /** Called once for each kind of damaged row. @default {no call} */
  readonly onDamage?: ((message: string) => void) | undefined;
  /** Called when the store's file is deleted, replaced or emptied. @default {no call} */
  readonly onGone?: ((message: string) => void) | undefined;
  /**
   * A file that only a store in use leaves beside it: if it exists, the store must not be empty.
   */
  readonly mark?: string | undefined;
  /** Opens the database itself. @default {Deno.openKv} */
  readonly openKv?: ((path: string) => Promise<Deno.Kv>) | undefined;
}

/** All stores of a gateway, in one database with one writer. */
export interface KvStores extends Stores {
  readonly ledger: KvLedgerStore;
  readonly keys: KvKeyStore;
  readonly catalogs: KvCatalogStore;
  readonly log: KvRequestLog;
  readonly blobs: KvBlobStore;
  readonly responses: KvResponseStore;
  readonly passages: KvPassageStore;
  readonly settings: KvSettingsStore;
  readonly snapshots: KvSnapshotStore;
  readonly votes: KvVoteStore;
  readonly auditStore: KvAuditStore;
  readonly noticeStore: KvNoticeStore;
  readonly operatorStore: KvOperatorStore;
  readonly corrections: KvCorrectionStore;
  readonly trailStore: KvTrailStore;
  readonly callerFiles: KvCallerFiles;
  readonly embeddingPins: KvEmbeddingPinStore;
  /** True when the store's file was deleted, replaced or emptied while open. */
  isGone(): Promise<boolean>;
  /** The first damaged row that was met; `undefined` without any. */
  damage(): string | undefined;
}

/**
 * Opens the stores at a path, `:memory:`, or the https URL of a remote Deno KV. When it resolves,
 * open holds of a former run have ended: at their last checkpoint, else without a charge.
 *
 * @throws {StoreError} When another process has the file, its schema is unknown or its journal is
 * incomplete.
 */
export async function openKvStores(path: string, options: KvStoresOptions = {}): Promise<KvStores> {
  const openKv = options.openKv ?? Deno.openKv;
  if (path === ":memory:" || /^https?:/.test(path)) {
    return await openStores(await openDatabase(openKv, path), options);
  }
  const file = await claimFile(path, options.mark);
  try {
    return await openStores(await openDatabase(openKv, file.path), options, file);
  } catch (error) {
    file.release();
    throw error;
  }
}

async function openDatabase(
  openKv: (path: string) => Promise<Deno.Kv>,
  path: string,
): Promise<Deno.Kv> {
  try {
    return await openKv(path);
  } catch (cause) {
    throw new StoreError(`Cannot open the store "${path}"`, { cause });
  }
}

async function openStores(
  kv: Deno.Kv,
  options: KvStoresOptions,
  file?: ClaimedFile,
): Promise<KvStores> {
  const nowMs = options.nowMs ?? Date.now;
  try {
    if (file !== undefined) await requireHead(kv, file.path, options.mark);
    await migrate(kv, options);
    const head = await takeOver(kv, crypto.randomUUID(), options);
    const { books, checkpoint, end } = await loadBooks(kv, head, options);
    const { onTried, maxOpenCommits } = options;
    const isInPlace = file?.isInPlace;
    const writer = new Writer(kv, { books, end, onTried, isInPlace, maxOpenCommits });
    const damage = new Damage(options.onDamage);
    if (options.onGone !== undefined) writer.onGone = options.onGone;
    writer.onDamage = (error) => void damage.note(error);
    const checkpointer = new Checkpointer(writer, checkpoint);
    const ledger = new KvLedgerStore(kv, writer);
    const log = new KvRequestLog(kv, writer, { nowMs, retention: options.logRetention });
    writer.onLogged = (lines, placed) => log.noteLogged(lines, placed);
    const catalogs = await KvCatalogStore.open(kv, writer);
    const { blobs, responses, passages } = await openValueStores(kv, writer, { ...options, nowMs });
    await removeStray(writer, await strayChunks(kv, checkpoint));
    if (options.keepsHolds !== true) await recover(kv, { ledger, log, atMs: nowMs() });
    await log.begin();
    writer.onCommit = () => {
      checkpointer.tick();
      log.tick();
      blobs.tick();
      responses.tick();
    };
    void log.trim();
    const callerFiles = new KvCallerFiles(kv, writer, options.callerFileRetention);
    return storesOf({
      ...{
        callerFiles,
        kv,
        writer,
        checkpointer,
        damage,
        file,
        ledger,
        catalogs,
        log,
        blobs,
        responses,
        passages,
      },
    });
  } catch (error) {
    kv.close();
    if (error instanceof StoreError) throw error;
    // Unreadable rows: damage, or another program's database.
    throw new StoreError("Cannot open the store: it is damaged", { cause: error });
  }
}

/** The parts of an open store. */
interface OpenedParts {
  readonly kv: Deno.Kv;
  readonly writer: Writer;
  readonly checkpointer: Checkpointer;
  readonly damage: Damage;
  readonly file: ClaimedFile | undefined;
  readonly ledger: KvLedgerStore;
  readonly catalogs: KvCatalogStore;
  readonly log: KvRequestLog;
  readonly blobs: KvBlobStore;
  readonly responses: KvResponseStore;
  readonly passages: KvPassageStore;
  readonly callerFiles: KvCallerFiles;
}

function storesOf(parts: OpenedParts): KvStores {
  const { kv, writer, damage, ledger, catalogs, log, blobs, responses, passages } = parts;
  const trail = new KvTrailStore(kv, writer);
  const keys = new KvKeyStore(kv, writer);
  const operators = new KvOperatorStore(kv, writer);
  const corrections = new KvCorrectionStore(kv, { writer, ledger, keys });
  const settings = new KvSettingsStore(kv, writer);
  const votes = new KvVoteStore(kv, writer);
  const auditStore = new KvAuditStore(kv, writer);
  return {
    ledger: damage.watched(ledger, ["statement", "entriesOf", "entries", "journal"]),
    keys: damage.watched(keys),
    catalogs: damage.watched(catalogs),
    log: damage.watched(log),
    blobs: damage.watched(blobs),
    responses: damage.watched(responses),
    passages: damage.watched(passages),
    settings: damage.watched(settings),
    snapshots: damage.watched(new KvSnapshotStore(kv, writer)),
    votes: damage.watched(votes),
    auditStore: damage.watched(auditStore),
    copying: kvCopying(writer, {
      ...{ log, operators, corrections, trail, settings, votes, auditStore, blobs, responses },
    }),
    noticeStore: damage.watched(new KvNoticeStore(kv, writer)),
    passes: damage.watched(new KvPassStore(kv, writer)),
    corrections: damage.watched(corrections),
    operatorStore: damage.watched(operators),
    trailStore: damage.watched(trail),
    callerFiles: damage.watched(parts.callerFiles),
    embeddingPins: damage.watched(new KvEmbeddingPinStore(kv, writer)),
    health: () => writer.health,
    isGone: () => writer.isGone(),
    damage: () => damage.first,
    trouble: async () => {
      if (damage.first !== undefined) return "The store holds damaged rows; the log names them";
      return await writer.isGone()
        ? "The store's file was deleted, replaced or emptied"
        : undefined;
    },
    probe: () => writer.write([probeRow(writer.health)]),
    queued: () => writer.queued,
    queriesWaiting: () => 0,
    clockAheadMs: () => 0,
    notices: () => catalogs.notices(),
    // The store has no other gateway.
    exclusively: (work) => work(),
    watchCatalog: () => {},
    watchSettings: () => {},
    watchLoss: () => {},
    verify: () => resultOf(verification(kv, writer)),
    verification: () => verification(kv, writer),
    close: closerOf(parts),
  };
}

/** Returns the function that closes the store, once. */
function closerOf(parts: OpenedParts): () => Promise<void> {
  const { ledger, log, blobs, responses, passages, callerFiles, checkpointer } = parts;
  const close = async () => {
    ledger.close();
    await log.close();
    await Promise.all([blobs.close(), responses.close()]);
    await passages.close();
    await callerFiles.close();
    await checkpointer.write();
    await parts.writer.close();
    parts.kv.close();
    parts.file?.release();
  };
  let closing: Promise<void> | undefined;
  return () => closing ??= close();
}

/** Refuses a database without a store in it if one was in use. */
async function requireHead(kv: Deno.Kv, path: string, mark: string | undefined): Promise<void> {
  if (mark === undefined || (await kv.get<Head>(HEAD_KEY)).value !== null) return;
  if (await isThere(mark)) throw emptyStoreError(path, mark);
}

/**
 * Returns the row of a probe. A full disk may still have room for a few bytes within the database's
 * own files: after a failed commit the row is as large as those of some requests.
 */
function probeRow(health: StoreHealth): Row {
  const value = new Uint8Array(health === "ok" ? 1 : PROBE_BYTES);
  return { key: PROBE_KEY, value, bytes: value.length };
}

/** Removes chunks of open-hold lists that no head names any more. */
async function removeStray(writer: Writer, keys: readonly Deno.KvKey[]): Promise<void> {
  await Promise.all(keys.map((key) => writer.write([{ key, bytes: 0 }])));
}

/** Opens the stores beside the ledger. */
async function openValueStores(
  kv: Deno.Kv,
  writer: Writer,
  options: KvStoresOptions & { nowMs: () => number },
): Promise<Pick<KvStores, "blobs" | "responses" | "passages">> {
  const { nowMs, blobRetention, responseRetention, passageRetention } = options;
  return {
    blobs: await KvBlobStore.open(kv, writer, { nowMs, retention: blobRetention }),
    responses: await KvResponseStore.open(kv, writer, { nowMs, retention: responseRetention }),
    passages: await KvPassageStore.open(kv, writer, passageRetention),
  };
}

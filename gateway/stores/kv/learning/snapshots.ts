import type { WalletSnapshot } from "../../../domain/learning/snapshot.ts";
import { EMPTY_SNAPSHOT, type RoutingSnapshot } from "../../../domain/learning/snapshot.ts";
import type { Noted, TrailDraft } from "../../../domain/operators/trail.ts";
import type {
  SnapshotEntry,
  SnapshotOptions,
  SnapshotStore,
} from "../../../ports/snapshot_store.ts";
import type { Writer } from "../journal/writer.ts";
import { MAX_SNAPSHOTS_BYTES, PIECE_BYTES, VALUE_COMMIT_ROWS } from "../limits.ts";
import { Mutex } from "../mutex.ts";
import { read } from "../read.ts";
import { type StoredWallet, storedWallet, walletOf } from "./wallet_text.ts";
import { bytesOf, jsonRow, keyPart, type Row, textOf } from "../rows.ts";

/** A stored snapshot: the versions of its wallets, which later snapshots share. */
interface SnapshotText {
  readonly takenAtMs: number;
  /** Wallet id, and the number of the snapshot in which the wallet changed last. */
  readonly wallets: readonly (readonly [id: string, version: number])[];
  /** Cursor of the last vote that it includes. */
  readonly votes?: string | undefined;
}

const SNAPSHOT: Deno.KvKey = ["routing_snapshot"];
const WALLET: Deno.KvKey = ["routing_wallet"];
/** Prefix of the chunks of both. */
const CHUNK: Deno.KvKey = ["routing_chunk"];
/** Prefix of the keys of texts that are being written or deleted. */
const UNFINISHED: Deno.KvKey = ["routing_unfinished"];
const FROZEN: Deno.KvKey = ["routing_frozen"];
/** Newest snapshots that are kept however large they are. */
const KEPT_MIN = 2;

/**
 * Snapshots in Deno KV. A wallet's statistics are written once for each snapshot that changed them,
 * and shared by the snapshots after it. The last chunk of a snapshot's own row proves that it is
 * complete. A text that a kill left in part is named by a row until it is deleted.
 */
export class KvSnapshotStore implements SnapshotStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #writing = new Mutex();
  readonly #freezing = new Mutex();
  /** Version of every wallet of the newest snapshot; absent until it is read. */
  #versions: ReadonlyMap<string, number> | undefined;
  /** True when no text is left in part: not before the first look, nor after a failed write. */
  #isTidy = false;
  /** Size of all stored wallets; absent until it is read. */
  #bytes: number | undefined;
  readonly #maxBytes: number;

  constructor(
    kv: Deno.Kv,
    writer: Writer,
    /** @default {MAX_SNAPSHOTS_BYTES} */
    { maxBytes = MAX_SNAPSHOTS_BYTES }: { readonly maxBytes?: number } = {},
  ) {
    this.#kv = kv;
    this.#writer = writer;
    this.#maxBytes = maxBytes;
  }

  async latest(): Promise<RoutingSnapshot | undefined> {
    const [newest] = await this.list(1);
    return newest && await this.get(newest.number);
  }

  async get(number: number): Promise<RoutingSnapshot | undefined> {
    const stored = await this.#textOf<SnapshotText>([...SNAPSHOT, number]);
    if (stored === undefined) return undefined;
    const wallets = new Map<string, WalletSnapshot>();
    for (const [id, version] of stored.wallets) {
      const key = [...WALLET, keyPart(id), version];
      const wallet = await this.#textOf<StoredWallet>(key);
      if (wallet !== undefined) wallets.set(id, walletOf(wallet));
    }
    const { takenAtMs, votes } = stored;
    return { number, takenAtMs, wallets, ...(votes === undefined ? {} : { votes }) };
  }

  put(
    snapshot: RoutingSnapshot,
    changed: readonly string[],
    { entry }: SnapshotOptions = {},
  ): Promise<boolean> {
    return this.#tidily(async () => {
      const { number, takenAtMs, wallets, votes } = snapshot;
      const [newest] = await this.list(1);
      if ((newest?.number ?? EMPTY_SNAPSHOT.number) >= number) return false;
      const versions = new Map(this.#versions ?? await this.#versionsOf(newest?.number));
      const draft = entry?.({ after: snapshot });
      // If a write fails, the next snapshot reads again what has landed.
      this.#versions = undefined;
      for (const id of changed) {
        const wallet = wallets.get(id);
        if (wallet === undefined) {
          versions.delete(id);
          continue;
        }
        await this.#write([...WALLET, keyPart(id), number], storedWallet(wallet));
        versions.set(id, number);
      }
      const text: SnapshotText = { takenAtMs, wallets: [...versions], votes };
      await this.#write([...SNAPSHOT, number], text, draft);
      this.#versions = versions;
      return true;
    });
  }

  async list(limit: number): Promise<readonly SnapshotEntry[]> {
    const entries: SnapshotEntry[] = [];
    const rows = this.#kv.list<Head>({ prefix: SNAPSHOT }, { reverse: true });
    for await (const { key, value } of rows) {
      entries.push({ number: Number(key[1]), takenAtMs: value.takenAtMs ?? 0 });
      if (entries.length === limit) break;
    }
    return entries;
  }

  async frozen(): Promise<number | undefined> {
    const { value } = await read(this.#kv.get<Uint8Array>(FROZEN));
    return value === null ? undefined : JSON.parse(textOf(value)) as number;
  }

  freeze(number: number | undefined, { entry }: Noted<number> = {}): Promise<void> {
    return this.#freezing.run(async () => {
      const before = await this.frozen();
      if (before === number) return;
      const draft = entry?.({ before, after: number });
      const row = number === undefined ? { key: FROZEN, bytes: 0 } : jsonRow(FROZEN, number);
      await this.#writer.write([row], draft);
    });
  }

  sweep(newest: number): Promise<void> {
    return this.#tidily(async () => {
      const entries = await this.list(Infinity);
      this.#bytes ??= sumOf((await this.#wallets()).values());
      if (entries.length <= newest && this.#bytes <= this.#maxBytes) return;
      const wallets = await this.#wallets();
      this.#bytes = sumOf(wallets.values());
      const { stays, used } = await this.#kept(entries.slice(0, newest), wallets);
      const frozen = await this.frozen();
      if (frozen !== undefined && !stays.has(frozen)) {
        stays.add(frozen);
        for (const name of await this.#namesOf(frozen)) used.add(name);
      }
      for (const { number } of entries) {
        if (!stays.has(number)) await this.#delete([...SNAPSHOT, number]);
      }
      for (const [name, bytes] of wallets) {
        if (used.has(name)) continue;
        const [id = "", version] = JSON.parse(name);
        await this.#delete([...WALLET, id, version]);
        this.#bytes -= bytes;
      }
    });
  }

  /** Returns the newest of snapshots that fit in the space for them, and their wallets. */
  async #kept(
    entries: readonly SnapshotEntry[],
    wallets: ReadonlyMap<string, number>,
  ): Promise<{ stays: Set<number>; used: Set<string> }> {
    const [stays, used] = [new Set<number>(), new Set<string>()];
    let total = 0;
    for (const [at, { number }] of entries.entries()) {
      const added = (await this.#namesOf(number)).filter((name) => !used.has(name));
      total += sumOf(added.map((name) => wallets.get(name) ?? 0));
      if (at >= KEPT_MIN && total > this.#maxBytes) break;
      stays.add(number);
      for (const name of added) used.add(name);
    }
    return { stays, used };
  }

  /** Returns the size of every stored version of every wallet, by its name. */
  async #wallets(): Promise<Map<string, number>> {
    const sizes = new Map<string, number>();
    for await (const { key, value } of this.#kv.list<Head>({ prefix: WALLET })) {
      sizes.set(JSON.stringify(key.slice(1)), value.bytes);
    }
    return sizes;
  }

  /** Returns the names of the wallets of a snapshot, as `#wallets` has them. */
  async #namesOf(number: number): Promise<string[]> {
    const versions = await this.#versionsOf(number);
    return versions.map(([id, version]) => JSON.stringify([keyPart(id), version]));
  }

  /** Runs work alone, once what earlier work left in part is deleted. */
  #tidily<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#writing.run(async () => {
      if (!this.#isTidy) {
        const rows = this.#kv.list({ prefix: UNFINISHED });
        // No complete snapshot rests on them: its own row is written after all of its wallets.
        for (const { key } of await read(Array.fromAsync(rows))) await this.#delete(key.slice(1));
        this.#bytes = undefined;
      }
      this.#isTidy = false;
      const result = await work();
      this.#isTidy = true;
      return result;
    });
  }

  async #versionsOf(number: number | undefined): Promise<readonly (readonly [string, number])[]> {
    if (number === undefined) return [];
    return (await this.#textOf<SnapshotText>([...SNAPSHOT, number]))?.wallets ?? [];
  }

  /** Writes a text in chunks under a key; its head row comes last, with an entry of the audit log. */
  async #write(key: Deno.KvKey, value: unknown, entry?: TrailDraft): Promise<void> {
    const json = bytesOf(JSON.stringify(value));
    const chunks = Math.ceil(json.length / PIECE_BYTES);
    for (let chunk = 0; chunk < chunks; chunk++) {
      const part = json.slice(chunk * PIECE_BYTES, (chunk + 1) * PIECE_BYTES);
      await this.#writer.write([
        { key: [...CHUNK, ...key, chunk], value: part, bytes: part.length },
        ...chunk === 0 ? [unfinished(key)] : [],
      ]);
    }
    const takenAtMs = (value as Partial<SnapshotText>).takenAtMs;
    const head: Head = { bytes: json.length, takenAtMs };
    await this.#writer.write([
      { key, value: head, bytes: 32 },
      { key: [...UNFINISHED, ...key], bytes: 0 },
    ], entry);
    if (key[0] === WALLET[0] && this.#bytes !== undefined) this.#bytes += json.length;
  }

  async #textOf<Value>(key: Deno.KvKey): Promise<Value | undefined> {
    const { value: head } = await read(this.#kv.get<Head>(key));
    if (head === null) return undefined;
    const json = new Uint8Array(head.bytes);
    let filled = 0;
    // A longer text under the same key may have been written in part before a kill.
    const limit = Math.ceil(head.bytes / PIECE_BYTES);
    const chunks = this.#kv.list<Uint8Array>({ prefix: [...CHUNK, ...key] }, { limit });
    for (const { value } of await read(Array.fromAsync(chunks))) {
      // Further chunks are of a longer text that a killed process did not write whole.
      if (filled === json.length) break;
      json.set(value, filled);
      filled += value.length;
    }
    return JSON.parse(textOf(json)) as Value;
  }

  async #delete(key: Deno.KvKey): Promise<void> {
    // The head goes first: without it the chunks are never read.
    await this.#writer.write([{ key, bytes: 0 }, unfinished(key)]);
    const chunks = await read(Array.fromAsync(this.#kv.list({ prefix: [...CHUNK, ...key] })));
    const rows: Row[] = chunks.map((chunk) => ({ key: chunk.key, bytes: 0 }));
    rows.push({ key: [...UNFINISHED, ...key], bytes: 0 });
    for (let at = 0; at < rows.length; at += VALUE_COMMIT_ROWS) {
      await this.#writer.write(rows.slice(at, at + VALUE_COMMIT_ROWS));
    }
  }
}

function unfinished(key: Deno.KvKey): Row {
  return jsonRow([...UNFINISHED, ...key], 1);
}

function sumOf(sizes: Iterable<number>): number {
  let sum = 0;
  for (const size of sizes) sum += size;
  return sum;
}

/** The row that proves that all chunks of a text are written. */
interface Head {
  readonly bytes: number;
  readonly takenAtMs: number | undefined;
}

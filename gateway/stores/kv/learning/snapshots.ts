import type { WalletSnapshot } from "../../../domain/learning/snapshot.ts";
import { EMPTY_SNAPSHOT, type RoutingSnapshot } from "../../../domain/learning/snapshot.ts";
import type { SnapshotEntry, SnapshotStore } from "../../../ports/snapshot_store.ts";
import type { Writer } from "../journal/writer.ts";
import { MAX_SEGMENT_BYTES } from "../limits.ts";
import { Mutex } from "../mutex.ts";
import { read } from "../read.ts";
import { type StoredWallet, storedWallet, walletOf } from "./wallet_text.ts";
import { bytesOf, jsonRow, keyPart, textOf } from "../rows.ts";

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
const FROZEN: Deno.KvKey = ["routing_frozen"];

/**
 * Snapshots in Deno KV. A wallet's statistics are written once for each snapshot that changed them,
 * and shared by the snapshots after it. The last chunk of a snapshot's own row proves that it is
 * complete.
 */
export class KvSnapshotStore implements SnapshotStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #writing = new Mutex();
  /** Version of every wallet of the newest snapshot; absent until it is read. */
  #versions: ReadonlyMap<string, number> | undefined;

  constructor(kv: Deno.Kv, writer: Writer) {
    this.#kv = kv;
    this.#writer = writer;
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

  put(snapshot: RoutingSnapshot, changed: readonly string[]): Promise<boolean> {
    return this.#writing.run(async () => {
      const { number, takenAtMs, wallets, votes } = snapshot;
      const [newest] = await this.list(1);
      if ((newest?.number ?? EMPTY_SNAPSHOT.number) >= number) return false;
      const versions = new Map(this.#versions ?? await this.#versionsOf(newest?.number));
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
      await this.#write([...SNAPSHOT, number], text);
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

  async freeze(number: number | undefined): Promise<void> {
    await this.#writer.write([
      number === undefined ? { key: FROZEN, bytes: 0 } : jsonRow(FROZEN, number),
    ]);
  }

  sweep(newest: number): Promise<void> {
    return this.#writing.run(async () => {
      const [entries, frozen] = [await this.list(Infinity), await this.frozen()];
      const stays = entries.filter(({ number }, at) => at < newest || number === frozen);
      if (stays.length === entries.length) return;
      const used = new Set<string>();
      for (const { number } of stays) {
        for (const [id, version] of await this.#versionsOf(number)) {
          used.add(`${keyPart(id)} ${version}`);
        }
      }
      for (const { number } of entries) {
        if (!stays.some((entry) => entry.number === number)) {
          await this.#delete([...SNAPSHOT, number]);
        }
      }
      const rows = this.#kv.list<Head>({ prefix: WALLET });
      for await (const { key } of rows) {
        if (!used.has(`${String(key[1])} ${String(key[2])}`)) {
          await this.#delete([...key]);
        }
      }
    });
  }

  async #versionsOf(number: number | undefined): Promise<readonly (readonly [string, number])[]> {
    if (number === undefined) return [];
    return (await this.#textOf<SnapshotText>([...SNAPSHOT, number]))?.wallets ?? [];
  }

  /** Writes a text in chunks under a key; its head row comes last. */
  async #write(key: Deno.KvKey, value: unknown): Promise<void> {
    const json = bytesOf(JSON.stringify(value));
    const chunks = Math.ceil(json.length / MAX_SEGMENT_BYTES);
    for (let chunk = 0; chunk < chunks; chunk++) {
      const part = json.slice(chunk * MAX_SEGMENT_BYTES, (chunk + 1) * MAX_SEGMENT_BYTES);
      await this.#writer.write([{
        key: [...CHUNK, ...key, chunk],
        value: part,
        bytes: part.length,
      }]);
    }
    const takenAtMs = (value as Partial<SnapshotText>).takenAtMs;
    const head: Head = { bytes: json.length, takenAtMs };
    await this.#writer.write([{ key, value: head, bytes: 32 }]);
  }

  async #textOf<Value>(key: Deno.KvKey): Promise<Value | undefined> {
    const { value: head } = await read(this.#kv.get<Head>(key));
    if (head === null) return undefined;
    const json = new Uint8Array(head.bytes);
    let filled = 0;
    // A longer text under the same key may have been written in part before a kill.
    const limit = Math.ceil(head.bytes / MAX_SEGMENT_BYTES);
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
    await this.#writer.write([{ key, bytes: 0 }]);
    const chunks = await read(Array.fromAsync(this.#kv.list({ prefix: [...CHUNK, ...key] })));
    for (const chunk of chunks) await this.#writer.write([{ key: chunk.key, bytes: 0 }]);
  }
}

/** The row that proves that all chunks of a text are written. */
interface Head {
  readonly bytes: number;
  readonly takenAtMs: number | undefined;
}

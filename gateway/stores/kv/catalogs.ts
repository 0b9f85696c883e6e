import type { Catalog, CatalogContent } from "../../domain/catalog/catalog.ts";
import type { Noted, TrailDraft } from "../../domain/operators/trail.ts";
import {
  areFormerDefaults,
  dialOfWeights,
  type FormerWeights,
  formerWeightsText,
} from "../../domain/routing/dial.ts";
import type { CatalogStore } from "../../ports/catalog_store.ts";
import { StoreError } from "../../ports/store_error.ts";
import { MAX_CATALOG_BYTES, PIECE_BYTES } from "./limits.ts";
import { Mutex } from "./mutex.ts";
import { read } from "./read.ts";
import { bytesOf, textOf } from "./rows.ts";
import type { Writer } from "./journal/writer.ts";

/**
 * The row of a version beside its chunks; written last, so that it proves that they are complete.
 */
interface VersionRow {
  readonly version: number;
  readonly updatedAtMs: number;
  readonly note: string;
  readonly bytes: number;
}

/** A version as listed in the history. */
type CatalogVersion = Pick<VersionRow, "version" | "updatedAtMs" | "note">;

const MAX_NOTE_CHARS = 2_000;

/** Versions of the catalog in Deno KV; the newest is in memory. */
export class KvCatalogStore implements CatalogStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #applying = new Mutex();
  #current: Catalog | undefined;
  /** Sentence about settings of an earlier version in the newest catalog. */
  #notice: string | undefined;
  // True when the last version failed to be written and may have landed.
  #inDoubt = false;

  /** Reads the newest version. */
  static async open(kv: Deno.Kv, writer: Writer): Promise<KvCatalogStore> {
    const store = new KvCatalogStore(kv, writer);
    await store.#loadNewest();
    return store;
  }

  private constructor(kv: Deno.Kv, writer: Writer) {
    this.#kv = kv;
    this.#writer = writer;
  }

  current(): Catalog {
    if (this.#current === undefined) throw new StoreError("No catalog has been applied yet");
    return this.#current;
  }

  /** Sentences about settings of an earlier version in the catalog in force. */
  notices(): readonly string[] {
    return this.#notice === undefined ? [] : [this.#notice];
  }

  async get(version: number): Promise<Catalog | undefined> {
    return (await readVersion(this.#kv, version))?.catalog;
  }

  history(
    limit: number,
    { before }: { readonly before?: number | undefined } = {},
  ): Promise<readonly CatalogVersion[]> {
    return readHistory(this.#kv, limit, before);
  }

  apply(
    content: CatalogContent,
    options: { expected: number; note: string; atMs: number } & Noted<Catalog>,
  ): Promise<Catalog | undefined> {
    return this.#applying.run(async () => {
      const { expected, atMs, entry } = options;
      if (this.#inDoubt) await this.#loadNewest();
      const newest = this.#current?.version ?? 0;
      if (expected !== newest) return undefined;
      const catalog: Catalog = { ...content, version: newest + 1, updatedAtMs: atMs };
      const draft = entry?.({ before: this.#current, after: catalog });
      this.#inDoubt = true;
      await this.#write(catalog, options.note.slice(0, MAX_NOTE_CHARS), draft);
      this.#inDoubt = false;
      this.#current = catalog;
      this.#notice = undefined;
      return catalog;
    });
  }

  async #loadNewest(): Promise<void> {
    const stored = await readNewest(this.#kv);
    if (stored !== undefined) [this.#current, this.#notice] = [stored.catalog, stored.notice];
    this.#inDoubt = false;
  }

  async #write(catalog: Catalog, note: string, entry: TrailDraft | undefined): Promise<void> {
    const { version, updatedAtMs } = catalog;
    const json = bytesOf(JSON.stringify(catalog));
    if (json.length > MAX_CATALOG_BYTES) {
      throw new StoreError(
        `Cannot write a catalog of ${json.length} bytes: at most ${MAX_CATALOG_BYTES}`,
      );
    }
    const writes: Promise<void>[] = [];
    for (let at = 0; at < json.length; at += PIECE_BYTES) {
      const value = json.slice(at, at + PIECE_BYTES);
      const key = ["catalog_chunk", version, at / PIECE_BYTES];
      writes.push(this.#writer.write([{ key, value, bytes: value.length }]));
    }
    await Promise.all(writes);
    const row: VersionRow = { version, updatedAtMs, note, bytes: json.length };
    const proof = { key: ["catalog", version], value: row, bytes: note.length * 2 };
    await this.#writer.write([proof], entry);
  }
}

/** Returns the newest catalog of a store that may have no writer; `undefined` when it has none. */
export async function readNewestCatalog(kv: Deno.Kv): Promise<Catalog | undefined> {
  return (await readNewest(kv))?.catalog;
}

async function readNewest(kv: Deno.Kv): Promise<StoredCatalog | undefined> {
  const [newest] = await readHistory(kv, 1);
  return newest && await readVersion(kv, newest.version);
}

/** A stored version of the catalog. */
interface StoredCatalog {
  readonly catalog: Catalog;
  /** Sentence about settings of an earlier version. */
  readonly notice?: string | undefined;
}

async function readVersion(kv: Deno.Kv, version: number): Promise<StoredCatalog | undefined> {
  const row = await read(kv.get<VersionRow>(["catalog", version]));
  if (row.value === null) return undefined;
  const chunks = kv.list<Uint8Array>({ prefix: ["catalog_chunk", version] }, {
    limit: Math.ceil(row.value.bytes / PIECE_BYTES),
  });
  const json = new Uint8Array(row.value.bytes);
  let filled = 0;
  for (const { value } of await read(Array.fromAsync(chunks))) {
    json.set(value, filled);
    filled += value.length;
  }
  return catalogOf(JSON.parse(textOf(json)) as Catalog & { readonly scoring?: FormerWeights });
}

/**
 * Returns a stored catalog. Weights of an earlier version become the position of the dial; those that
 * it filled in by itself mean the default.
 */
function catalogOf(
  { scoring, ...catalog }: Catalog & { readonly scoring?: FormerWeights },
): StoredCatalog {
  if (scoring === undefined || areFormerDefaults(scoring) || catalog.auto !== undefined) {
    return { catalog };
  }
  const auto = { dial: dialOfWeights(scoring) };
  const name = `catalog version ${catalog.version}`;
  return { catalog: { ...catalog, auto }, notice: formerWeightsText(scoring, name) };
}

async function readHistory(
  kv: Deno.Kv,
  limit: number,
  before?: number,
): Promise<readonly CatalogVersion[]> {
  const prefix = ["catalog"];
  const range = before === undefined ? { prefix } : { prefix, end: [...prefix, before] };
  const rows = kv.list<VersionRow>(range, { limit, reverse: true });
  const versions = await read(Array.fromAsync(rows));
  return versions.map(({ value: { version, updatedAtMs, note } }) => {
    return { version, updatedAtMs, note };
  });
}

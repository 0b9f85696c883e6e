import type { Stores } from "../ports/stores.ts";
import { StoreError } from "../ports/store_error.ts";
import { type Fingerprint, Fingerprinter } from "./canonical.ts";

/** The stores that a copy uses. */
export type CopyStores = Pick<
  Stores,
  | "ledger"
  | "keys"
  | "catalogs"
  | "log"
  | "blobs"
  | "responses"
  | "passages"
  | "settings"
  | "snapshots"
  | "votes"
  | "auditStore"
  | "noticeStore"
  | "callerFiles"
  | "embeddingPins"
  | "operatorStore"
  | "corrections"
  | "trailStore"
  | "shared"
  | "copying"
>;

/** One kind of what a store holds: how it is read, and written again. */
export interface PartKind<Item> {
  readonly name: string;
  /** Yields all items, in the order in which they are put. */
  each(stores: CopyStores): AsyncIterable<Item>;
  /** Stores items; resolves once they are durable. Items that are stored already do no harm. */
  put(stores: CopyStores, items: readonly Item[]): Promise<void>;
  /**
   * Number of items that are stored already, for a part to which items are only appended: these are
   * not put again.
   */
  readonly stored?: (stores: CopyStores) => Promise<number>;
  /** Maximum number of items that are put at once. @default {64} */
  readonly atOnce?: number;
  /** Size of an item; items that are put together come to 64 Ki at most, or are one. */
  readonly sizeOf?: (item: Item) => number;
  /** The part of an item that a copy must equal. @default {all of it} */
  readonly compared?: (item: Item) => unknown;
}

/** A part that can be copied and compared. */
export interface Part {
  readonly name: string;
  /** Copies what is missing; resolves to the number of items of the source. */
  copy(stores: CopyPair, onProgress: (items: number) => void): Promise<number>;
  fingerprint(stores: CopyStores): Promise<Fingerprint>;
}

/** The two sides of a copy. */
export interface CopyPair {
  readonly from: CopyStores;
  readonly to: CopyStores;
}

const AT_ONCE = 64;
const SIZE_AT_ONCE = 64 * 1024;

/** Returns the part of a kind. */
export function partOf<Item>(kind: PartKind<Item>): Part {
  const { name, stored, compared = (item) => item } = kind;
  return {
    name,
    copy: (stores, onProgress) => copyPart(kind, stores, onProgress),
    fingerprint: async (stores) => {
      const sum = new Fingerprinter({ isOrdered: stored !== undefined });
      for await (const item of kind.each(stores)) sum.add(compared(item));
      return sum.result;
    },
  };
}

async function copyPart<Item>(
  kind: PartKind<Item>,
  { from, to }: CopyPair,
  onProgress: (items: number) => void,
): Promise<number> {
  const { name, stored, atOnce = AT_ONCE, sizeOf = () => 0 } = kind;
  const skipped = await stored?.(to) ?? 0;
  let seen = 0;
  let some: Item[] = [];
  let size = 0;
  const flush = async () => {
    if (some.length > 0) await kind.put(to, some);
    [some, size] = [[], 0];
    onProgress(seen);
  };
  for await (const item of kind.each(from)) {
    if (seen++ < skipped) continue;
    const itemSize = sizeOf(item);
    if (some.length > 0 && size + itemSize > SIZE_AT_ONCE) await flush();
    some.push(item);
    size += itemSize;
    if (some.length >= atOnce) await flush();
  }
  await flush();
  if (seen >= skipped) return seen;
  throw new StoreError(
    `Cannot go on with the copy: of "${name}" the target has ${skipped}, the source ${seen}; copy ` +
      "into an empty target",
  );
}

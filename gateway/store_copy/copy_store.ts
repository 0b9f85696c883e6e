/**
 * Copies a store into another one, of any kind.
 *
 * @module
 */

import type { Verification } from "../ports/ledger_store.ts";
import { COPY_MARK, type CopyMark, readCopyMark } from "../ports/store_copying.ts";
import { StoreError } from "../ports/store_error.ts";
import type { Stores } from "../ports/stores.ts";
import { brokenPlace } from "../system/trail_check.ts";
import { shownPlace, type StorePlace } from "../system/store_place.ts";
import { inUse, openAlone } from "./open_alone.ts";
import type { Part } from "./part.ts";
import { partsAt, SOURCE_ID } from "./parts.ts";

/** The copy of one part. */
export interface CopiedPart {
  readonly name: string;
  readonly items: number;
}

/** A complete copy. */
export interface StoreCopy {
  readonly parts: readonly CopiedPart[];
  /** The books of both sides, which were recomputed from their journals. */
  readonly from: Verification;
  readonly to: Verification;
  /** Sentences about what the target cannot hold. */
  readonly leftOut: readonly string[];
}

/** Options of {@linkcode copyStore}. */
export interface CopyStoreOptions {
  readonly from: StorePlace;
  readonly to: StorePlace;
  /** @default {Date.now} */
  readonly nowMs?: (() => number) | undefined;
  /** Time that ended instances may take to be cleared, in milliseconds. @default {20000} */
  readonly waitMs?: number | undefined;
  /** Called now and then with the number of items of a step that are done. */
  readonly onProgress?: ((step: string, done: number) => void) | undefined;
}

/** Additions that are read for a copy; more never wait for a snapshot. */
const ADDITIONS_MAX = 100_000;

/**
 * Copies everything, then compares both sides. After a break the same call goes on where it was. The
 * entries of the journal are equal, in the same order; their chain of hashes is the target's own.
 *
 * @throws {StoreError} When a store is in use or damaged, the target is not empty, or the two differ.
 */
export async function copyStore(options: CopyStoreOptions): Promise<StoreCopy> {
  const { waitMs, nowMs = Date.now } = options;
  if (shownPlace(options.from) === shownPlace(options.to)) {
    throw new StoreError("Cannot copy: source and target are the same store");
  }
  const atMs = nowMs();
  const opened = { nowMs: atMs, waitMs };
  const from = await openAlone(options.from, { ...opened, isTarget: false });
  try {
    const to = await openAlone(options.to, { ...opened, isTarget: true });
    try {
      return await copyOpened({ from, to, atMs }, options);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** Opened stores, and the time of the copy. */
interface Opened {
  readonly from: Stores;
  readonly to: Stores;
  readonly atMs: number;
}

async function copyOpened(opened: Opened, options: CopyStoreOptions): Promise<StoreCopy> {
  const { from, to, atMs } = opened;
  const { onProgress = () => {} } = options;
  const parts = partsAt(atMs);
  const mark = await begin(opened, options.to, parts);
  const done = [...mark.done];
  for (const part of parts) {
    if (done.includes(part.name)) continue;
    await part.copy({ from, to }, (items) => onProgress(part.name, items));
    done.push(part.name);
    await writeMark(to, { ...mark, done });
  }
  const leftOut = await copyAdditions(opened);
  const copied = await compare(opened, parts, onProgress);
  await verifyTrails(opened);
  const books = await verifyBoth(opened, onProgress);
  if (await from.copying.others() > 0) throw inUse(options.from);
  if (await to.copying.others() > 0) throw inUse(options.to);
  const { entries, head } = books.from;
  await writeMark(to, { ...mark, done, finished: { atMs, entries, head } });
  return { parts: copied, ...books, leftOut };
}

/** Marks an empty target, or returns the mark of a copy of the same source that was broken off. */
async function begin(
  { from, to }: Opened,
  place: StorePlace,
  parts: readonly Part[],
): Promise<CopyMark> {
  const id = await from.settings.setOnce(SOURCE_ID, crypto.randomUUID());
  if ((await from.ledger.journal({})).total === 0) {
    throw new StoreError("Cannot copy: the source is empty");
  }
  const source = await readCopyMark(from.settings);
  if (source !== undefined && source.finished === undefined) {
    throw new StoreError("Cannot copy: the source is itself an unfinished copy");
  }
  const known = await readCopyMark(to.settings);
  if (known?.from === id && known.finished === undefined) return known;
  if (known !== undefined || !await isEmpty(to, parts)) {
    throw new StoreError(
      `Cannot copy into ${shownPlace(place)}: it is not empty, and no broken copy of this source`,
    );
  }
  return await writeMark(to, { from: id, done: [] });
}

async function isEmpty(stores: Stores, parts: readonly Part[]): Promise<boolean> {
  for (const part of parts) {
    const { items } = await part.fingerprint(stores);
    // One item says where votes end, one which snapshot is frozen.
    if (items > (["votes", "routing snapshots"].includes(part.name) ? 1 : 0)) return false;
  }
  return true;
}

async function writeMark(to: Stores, mark: CopyMark): Promise<CopyMark> {
  await to.settings.set(COPY_MARK, JSON.stringify(mark));
  return mark;
}

/** Copies statistics that wait for a snapshot, where the target has a place for them. */
async function copyAdditions({ from, to }: Opened): Promise<readonly string[]> {
  const waiting = await from.shared?.additions.waiting(ADDITIONS_MAX) ?? [];
  if (waiting.length === 0) return [];
  const { shared } = to;
  if (shared === undefined) {
    return [`${waiting.length} collections of routing statistics that no snapshot includes`];
  }
  for (const additions of waiting) await shared.additions.add(additions);
  return [];
}

async function compare(
  { from, to }: Opened,
  parts: readonly Part[],
  onProgress: (step: string, done: number) => void,
): Promise<readonly CopiedPart[]> {
  const copied: CopiedPart[] = [];
  for (const part of parts) {
    const [source, target] = [await part.fingerprint(from), await part.fingerprint(to)];
    if (source.digest !== target.digest) {
      throw new StoreError(
        `The copy differs in "${part.name}": ${source.items} in the source, ${target.items} in the ` +
          "target; if the source was used since the copy began, copy into an empty target",
      );
    }
    copied.push({ name: part.name, items: source.items });
    onProgress("compared", copied.length);
  }
  return copied;
}

async function verifyBoth(
  { from, to }: Opened,
  onProgress: (step: string, done: number) => void,
): Promise<Pick<StoreCopy, "from" | "to">> {
  const [source, target] = [
    await verified(from, (entries) => onProgress("verifying the source", entries)),
    await verified(to, (entries) => onProgress("verifying the target", entries)),
  ];
  for (const name of ["entries", "wallets", "keys", "openHolds"] as const) {
    if (source[name] === target[name]) continue;
    throw new StoreError(
      `The books differ: the source has ${source[name]} ${name}, the target ${target[name]}`,
    );
  }
  return { from: source, to: target };
}

/** Recomputes the chain of the audit log on both sides, which have the same one. */
async function verifyTrails({ from, to }: Opened): Promise<void> {
  const [source, target] = [await brokenPlace(from.trailStore), await brokenPlace(to.trailStore)];
  for (const [side, { problem }] of [["source", source], ["target", target]] as const) {
    if (problem === undefined) continue;
    throw new StoreError(`The audit log of the ${side} is wrong: ${problem}`, { isDamage: true });
  }
  if (source.head.head !== target.head.head) {
    throw new StoreError("The audit log differs: the last hash of the target is another");
  }
}

async function verified(
  stores: Stores,
  onEntries: (entries: number) => void,
): Promise<Verification> {
  for await (const { entries, result } of stores.verification()) {
    onEntries(entries);
    if (result === undefined) continue;
    const [problem] = result.problems;
    if (problem === undefined) return result;
    throw new StoreError(`The books are wrong: ${problem}`, { isDamage: true });
  }
  throw new StoreError("The verification has ended without a result");
}

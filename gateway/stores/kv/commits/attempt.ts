/**
 * The two forms of a commit: a small row with its lines, or a fold, which moves the lines of all rows
 * into segments and brings the rows of wallets and keys up to date.
 *
 * @module
 */

import type { Stage } from "../journal/stage.ts";
import { FENCE_KEY, type Head, HEAD_KEY, headRows, type Row } from "../rows.ts";
import { appendLines, type PlacedLines } from "../segment.ts";
import { commitKey, decodeCommit, encodeCommit, type Slot } from "./commit_row.ts";
import type { OpenCommits, OpenRow } from "./open_commits.ts";
import type { Slots } from "./slots.ts";

/** The head as stored. */
export interface DurableHead {
  readonly value: Head;
  readonly versionstamp: string;
}

/** Commits that threw and had changed nothing when the store was read; each may still land. */
export interface GivenUp {
  readonly count: number;
  /** Place of the row of the first one; the later ones are folds. */
  readonly slot: Slot | undefined;
}

/** The durable end of a store. */
export interface DurableEnd {
  readonly head: DurableHead;
  /** Commits since the head was written. */
  readonly open: OpenCommits;
  /** Versionstamps of all commit rows, also of those from before the last fold. */
  readonly slots: Slots;
  /** Versionstamp of the last commit. */
  readonly versionstamp: string;
  /** Commits given up since the head was written. While there are any, every commit folds. */
  readonly givenUp?: GivenUp | undefined;
}

/** The contents of a commit; after an error it may still have landed. */
export interface CommitAttempt {
  readonly stage: Stage;
  /** Rows to set and delete. */
  readonly rows: readonly Row[];
  /** Rows that nothing else may have changed. */
  readonly checks: readonly Deno.AtomicCheck[];
  /** The new head of a fold. */
  readonly head?: Head | undefined;
  /** The row of a commit that does not fold. */
  readonly row?: OpenRow | undefined;
  /** Lines of the log in the segments that a fold writes. */
  readonly placed: readonly PlacedLines[];
}

/** Prepares a commit with a row of its own. */
export function rowAttempt(stage: Stage, { head, open, slots }: DurableEnd): CommitAttempt {
  const commit = head.value.commit + open.count + 1;
  const previous = open.rows.at(-1)?.hash ?? head.value.journal.hash;
  const { value, hash, size } = encodeCommit({ commit, previous }, stage);
  const slot = open.nextSlot(size);
  return {
    ...{ stage, row: { slot, hash }, placed: [] },
    rows: [...stage.rows, { key: commitKey(slot), value, bytes: value.length }],
    checks: [checkOfHead(head), checkOfSlot(slot, slots)],
  };
}

/**
 * Prepares a fold. It replaces the fence, so that no commit that was given up can land any more, and
 * fails if one has landed since.
 */
export function foldAttempt(stage: Stage, end: DurableEnd): CommitAttempt {
  const { head, open, slots, givenUp } = end;
  const { value } = head;
  const journal = appendLines(value.journal, [...open.journal, ...stage.journal], "journal");
  const log = appendLines(value.log, [...open.log, ...stage.log], "log");
  const next: Head = {
    ...value,
    // No number is used twice: it tells this fold from one that was given up.
    commit: value.commit + open.count + (givenUp?.count ?? 0) + 1,
    slots: slots.counts,
    ...{ journal: journal.tail, log: log.tail },
  };
  return {
    ...{ stage, head: next, placed: log.placed },
    rows: [
      ...headRows(next),
      ...stage.ledgerRows(open),
      ...stage.rows,
      ...journal.rows,
      ...log.rows,
    ],
    checks: givenUp?.slot === undefined
      ? [checkOfHead(head)]
      : [checkOfHead(head), checkOfSlot(givenUp.slot, slots)],
  };
}

/** Returns the check that no other process has taken over: head and fence are written together. */
function checkOfHead({ versionstamp }: DurableHead): Deno.AtomicCheck {
  return { key: FENCE_KEY, versionstamp };
}

/** Returns the check that no commit has landed in the place of a row. */
function checkOfSlot(slot: Slot, slots: Slots): Deno.AtomicCheck {
  return { key: commitKey(slot), versionstamp: slots.get(slot) ?? null };
}

/** Returns the end of a store with a further commit that was given up. */
export function giveUp(end: DurableEnd, { row }: CommitAttempt): DurableEnd {
  const { count, slot } = end.givenUp ?? { count: 0, slot: row?.slot };
  return { ...end, givenUp: { count: count + 1, slot } };
}

/** Returns the operation that makes an attempt. */
export function atomicOf(kv: Deno.Kv, { checks, rows }: CommitAttempt): Deno.AtomicOperation {
  const atomic = kv.atomic().check(...checks);
  for (const { key, value } of rows) {
    if (value === undefined) atomic.delete(key);
    else atomic.set(key, value);
  }
  return atomic;
}

/**
 * Finds out whether an attempt that threw has landed: its versionstamp, `undefined` when nothing has
 * changed, or `lost` when another process has taken over the store.
 */
export async function landingOf(
  kv: Deno.Kv,
  { head: folded, row }: CommitAttempt,
  { head }: DurableEnd,
): Promise<{ readonly versionstamp: string } | "lost" | undefined> {
  const rowKey = row === undefined ? HEAD_KEY : commitKey(row.slot);
  const [now, stored] = await kv.getMany<[Head, unknown]>([HEAD_KEY, rowKey]);
  if (now.versionstamp !== head.versionstamp) {
    const isOurs = folded !== undefined && now.value?.session === folded.session &&
      now.value.commit === folded.commit;
    return isOurs && now.versionstamp !== null ? now : "lost";
  }
  if (row === undefined || stored.versionstamp === null) return undefined;
  return decodeCommit(stored.value).hash === row.hash ? stored : undefined;
}

/**
 * Compares the ledger in memory, the journal and the rows with one another.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import type { Hold } from "../../../domain/ledger/ledger.ts";
import type { ProblemList } from "../../../domain/ledger/replay.ts";
import { formatCredits } from "../../../domain/ledger/money.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { HEAD_KEY, keyPart } from "../rows.ts";
import { read } from "../read.ts";
import { TimeSlices } from "../time_slices.ts";

const RESTORE = "restore the store from a backup";
const ROWS_READ_AHEAD = 256;

/** One kind of row: wallets, or spends of keys. */
export interface RowKind {
  /** Subject of the sentences about it. */
  readonly what: "Wallet" | "Key";
  readonly prefix: "wallet" | "spend";
  /** Field of the id. */
  readonly idField: "id" | "keyId";
}

/** Wallets. */
export const WALLETS: RowKind = { what: "Wallet", prefix: "wallet", idField: "id" };
/** Spends of keys. */
export const SPENDS: RowKind = { what: "Key", prefix: "spend", idField: "keyId" };

/** The snapshot to compare with. */
export interface AtMoment {
  readonly versionstamp: string;
  readonly problems: ProblemList;
}

/**
 * Compares what is in memory of the ledger with the result of the journal. Returns the ids compared.
 */
export async function compareBooks(
  { what }: RowKind,
  books: ReadonlyMap<string, object | undefined>,
  { replayed, problems }: { replayed: ReadonlyMap<string, object>; problems: ProblemList },
): Promise<ReadonlySet<string>> {
  const slices = new TimeSlices();
  const compared = new Set(books.keys());
  for (const id of compared) {
    await slices.yieldWhenDue();
    compareWithJournal(
      { what, id },
      { known: books.get(id), replayed: replayed.get(id) },
      problems,
    );
  }
  return compared;
}

/** Compares a wallet, or the spend of a key, with the result of the journal. */
export function compareWithJournal(
  { what, id }: { readonly what: RowKind["what"]; readonly id: string },
  { known, replayed }: { known: object | undefined; replayed: object | undefined },
  problems: ProblemList,
): void {
  const difference = differenceOf(known, replayed);
  if (difference === undefined) return;
  const { here, there } = difference;
  problems.push(`${what} ${quote(id)} has ${here}, its journal comes to ${there}: ${RESTORE}`);
}

/** Compares the gateway's open holds with those of the journal. */
export async function compareHolds(
  books: ReadonlyMap<string, Hold>,
  replayed: ReadonlyMap<string, Hold>,
  problems: ProblemList,
): Promise<void> {
  const slices = new TimeSlices();
  for (const [id, hold] of books) {
    await slices.yieldWhenDue();
    const { walletId, amount } = hold;
    const open = replayed.get(id);
    if (open !== undefined && isSameHold(open, hold)) continue;
    problems.push(
      `Hold ${quote(id)} of ${formatCredits(amount)} credits on wallet ${
        quote(walletId)
      } is open ` +
        `but not so in the journal: ${RESTORE}`,
    );
  }
  for (const [id, { walletId, amount }] of replayed) {
    await slices.yieldWhenDue();
    if (books.has(id)) continue;
    problems.push(
      `Hold ${quote(id)} of ${formatCredits(amount)} credits on wallet ${quote(walletId)} never ` +
        `ends in the journal and the gateway does not know it: ${RESTORE}`,
    );
  }
}

/** True when two holds are equal, including their checkpoints. */
export function isSameHold(one: Hold, other: Hold): boolean {
  const { progress: before = {}, ...hold } = one;
  const { progress: now = {}, ...known } = other;
  return differenceOf(hold, known) === undefined && differenceOf(before, now) === undefined;
}

/** The ledger in memory, the result of the journal, and their moment. */
export interface RowsExpected {
  readonly books: ReadonlyMap<string, object | undefined>;
  /** Ids in memory that were compared with the journal. */
  readonly compared: ReadonlySet<string>;
  /** Rows that are older than the ledger, as they should be; `undefined` for a missing one. */
  readonly before: ReadonlyMap<string, object | undefined>;
  readonly replayed: ReadonlyMap<string, object>;
  readonly moment: AtMoment;
}

/**
 * Compares the rows of the store with the ledger: a row that open commits changed with what it had
 * before, one in memory with what is there, all others with the journal. Of a row that the gateway
 * has written since, it compares what was in memory before; a row of another writer is newer than
 * the gateway's last commit.
 */
export async function compareRows(
  kv: Deno.Kv,
  { what, prefix, idField }: RowKind,
  expected: RowsExpected,
): Promise<void> {
  const { replayed, moment: { versionstamp, problems } } = expected;
  const missing = missingRows(expected);
  const slices = new TimeSlices();
  try {
    for await (const row of kv.list({ prefix: [prefix] }, { batchSize: ROWS_READ_AHEAD })) {
      const id = field(row.value, idField);
      missing.delete(id);
      // Read for its first use since the snapshot, so that it is what the snapshot had.
      const known = expected.compared.has(id) ? undefined : expected.books.get(id);
      if (known !== undefined) {
        compareWithJournal({ what, id }, { known, replayed: replayed.get(id) }, problems);
      }
      if (row.key[1] !== keyPart(id)) {
        problems.push(`The row of ${what.toLowerCase()} ${quote(id)} has another key: ${RESTORE}`);
      } else if (row.versionstamp <= versionstamp) {
        compareOldRow({ what, id }, row.value, expected);
      } else if (await isForeign(kv, row.key)) {
        if (isIdle(id, expected)) compareOldRow({ what, id }, row.value, expected);
        problems.push(
          `The row of ${what.toLowerCase()} ${
            quote(id)
          } was written by another process: find out ` +
            `what else writes to the store, end it, and ${RESTORE}`,
        );
      }
      await slices.yieldWhenDue();
    }
  } catch (cause) {
    throw new StoreError("Cannot read the store", { cause });
  }
  for (const id of missing) {
    problems.push(`The row of ${what.toLowerCase()} ${quote(id)} is missing: ${RESTORE}`);
  }
}

/** Returns the ids that have rows, as far as it is known without reading them. */
function missingRows({ books, before, replayed }: RowsExpected): Set<string> {
  const missing = new Set(replayed.keys());
  for (const [id, known] of books) if (known !== undefined) missing.add(id);
  for (const [id, row] of before) if (row === undefined) missing.delete(id);
  return missing;
}

/** True for a row that is not in memory, so that it is what a first use would read. */
function isIdle(id: string, { books, before, replayed }: RowsExpected): boolean {
  return replayed.has(id) && !before.has(id) && books.get(id) === undefined;
}

/** Compares a row that the gateway has not written since the snapshot. */
function compareOldRow(
  subject: { what: RowKind["what"]; id: string },
  row: unknown,
  expected: RowsExpected,
): void {
  const { books, before, replayed, moment: { problems } } = expected;
  const { id } = subject;
  if (isIdle(id, expected) && isJsonObject(row)) {
    compareWithJournal(subject, { known: row, replayed: replayed.get(id) }, problems);
    return;
  }
  const known = before.has(id) ? before.get(id) : books.get(id);
  compareRow(subject, { row, known }, problems);
}

/** Compares the rows that the next fold will replace with what they should contain. */
export async function compareChangedRows(
  kv: Deno.Kv,
  { what, prefix }: RowKind,
  { before, moment }: {
    readonly before: ReadonlyMap<string, object | undefined>;
    readonly moment: AtMoment;
  },
): Promise<void> {
  for (const [id, known] of before) {
    const key = [prefix, keyPart(id)];
    const { value, versionstamp } = await read(kv.get(key));
    const isLater = (versionstamp ?? "") > moment.versionstamp;
    if (isLater && !await isForeign(kv, key)) continue;
    compareRow({ what, id }, { row: value, known }, moment.problems);
  }
}

function compareRow(
  { what, id }: { what: string; id: string },
  { row, known }: { row: unknown; known: object | undefined },
  problems: ProblemList,
): void {
  const difference = differenceOf(isJsonObject(row) ? row : undefined, known);
  if (difference === undefined) return;
  problems.push(
    `The row of ${what.toLowerCase()} ${
      quote(id)
    } was changed, it has ${difference.here} in place ` +
      `of ${difference.there}: ${RESTORE}`,
  );
}

/** True when a row is newer than the gateway's last fold, which writes the head, too. */
async function isForeign(kv: Deno.Kv, key: Deno.KvKey): Promise<boolean> {
  const [row, head] = await kv.getMany([key, HEAD_KEY]);
  return (row?.versionstamp ?? "") > (head?.versionstamp ?? "");
}

/** Returns the fields in which two values differ, as text. */
function differenceOf(
  here: object | undefined,
  there: object | undefined,
): { here: string; there: string } | undefined {
  const hereFields = new Map(fieldsOf(here ?? {}));
  const thereFields = new Map(fieldsOf(there ?? {}));
  const names = [...new Set([...hereFields.keys(), ...thereFields.keys()])]
    .filter((name) => hereFields.get(name) !== thereFields.get(name)).sort();
  if (names.length === 0 && (here === undefined) === (there === undefined)) return undefined;
  const describe = (fields: ReadonlyMap<string, unknown>, present: boolean) =>
    present ? names.map((name) => `${name} ${write(fields.get(name))}`).join(", ") : "nothing";
  return {
    here: describe(hereFields, here !== undefined),
    there: describe(thereFields, there !== undefined),
  };
}

/** Yields the fields of a value by name, and those of the objects and lists in it. */
function* fieldsOf(value: object, prefix = ""): Generator<readonly [string, unknown]> {
  for (const [name, part] of Object.entries(value)) {
    if (typeof part === "object" && part !== null) yield* fieldsOf(part, `${prefix}${name}.`);
    else if (part !== undefined) yield [prefix + name, part];
  }
}

/** Formats the value of a field; amounts in credits. */
function write(value: unknown): string {
  return typeof value === "bigint" ? formatCredits(value) : quote(value);
}

function quote(value: unknown): string {
  return typeof value === "bigint" ? String(value) : JSON.stringify(value) ?? "nothing";
}

function field(value: unknown, name: string): string {
  return isJsonObject(value) ? String(new Map(Object.entries(value)).get(name)) : "";
}

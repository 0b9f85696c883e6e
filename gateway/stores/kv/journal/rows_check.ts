/**
 * Compares the books, the journal and the rows with one another.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import type { Hold } from "../../../domain/ledger/ledger.ts";
import type { ProblemList } from "../../../domain/ledger/replay.ts";
import { formatCredits } from "../../../domain/ledger/money.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { HEAD_KEY, keyPart } from "../rows.ts";
import { Turns } from "../turns.ts";

const RESTORE = "restore the store from a backup";
const ROWS_READ_AHEAD = 256;

/** One kind of row: wallets, or what keys have spent. */
export interface RowKind {
  /** How a sentence begins. */
  readonly what: "Wallet" | "Key";
  readonly prefix: "wallet" | "spend";
  /** Field that holds the id. */
  readonly idField: "id" | "keyId";
}

/** Where to compare with: the moment of the snapshot. */
export interface AtMoment {
  readonly versionstamp: string;
  readonly problems: ProblemList;
}

/** Compares what the gateway has in memory with what the journal comes to. */
export async function compareBooks(
  { what }: RowKind,
  books: ReadonlyMap<string, object>,
  { replayed, problems }: { replayed: ReadonlyMap<string, object>; problems: ProblemList },
): Promise<void> {
  const turns = new Turns();
  for (const id of new Set([...books.keys(), ...replayed.keys()])) {
    await turns.share();
    const difference = differenceOf(books.get(id), replayed.get(id));
    if (difference === undefined) continue;
    const { here, there } = difference;
    problems.push(`${what} ${quote(id)} has ${here}, its journal comes to ${there}: ${RESTORE}`);
  }
}

/** Compares the holds that the gateway knows as open with those that the journal leaves open. */
export async function compareHolds(
  books: ReadonlyMap<string, Hold>,
  replayed: ReadonlyMap<string, Hold>,
  problems: ProblemList,
): Promise<void> {
  const turns = new Turns();
  for (const [id, hold] of books) {
    await turns.share();
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
    await turns.share();
    if (books.has(id)) continue;
    problems.push(
      `Hold ${quote(id)} of ${formatCredits(amount)} credits on wallet ${quote(walletId)} never ` +
        `ends in the journal and the gateway does not know it: ${RESTORE}`,
    );
  }
}

/** Whether two holds are the same, to the last field of how far their calls had come. */
function isSameHold(one: Hold, other: Hold): boolean {
  const { progress: before = {}, ...hold } = one;
  const { progress: now = {}, ...known } = other;
  return differenceOf(hold, known) === undefined && differenceOf(before, now) === undefined;
}

/**
 * Compares the rows in the store with the books of the snapshot. A row that the gateway has written
 * since is of its own making; one that somebody else wrote is newer than the gateway's last commit.
 */
export async function compareRows(
  kv: Deno.Kv,
  { what, prefix, idField }: RowKind,
  { books, moment }: { books: ReadonlyMap<string, object>; moment: AtMoment },
): Promise<void> {
  const { versionstamp, problems } = moment;
  const missing = new Set(books.keys());
  const turns = new Turns();
  try {
    for await (const row of kv.list({ prefix: [prefix] }, { batchSize: ROWS_READ_AHEAD })) {
      const id = field(row.value, idField);
      missing.delete(id);
      if (row.key[1] !== keyPart(id)) {
        problems.push(`The row of ${what.toLowerCase()} ${quote(id)} has another key: ${RESTORE}`);
      } else if (row.versionstamp > versionstamp) {
        if (!await isForeign(kv, row.key)) continue;
        problems.push(
          `The row of ${what.toLowerCase()} ${quote(id)} was written by somebody else: find out ` +
            `what else writes to the store, end it, and ${RESTORE}`,
        );
      } else compareRow({ what, id }, { row: row.value, known: books.get(id) }, problems);
      await turns.share();
    }
  } catch (cause) {
    throw new StoreError("Cannot read the store", { cause });
  }
  for (const id of missing) {
    problems.push(`The row of ${what.toLowerCase()} ${quote(id)} is missing: ${RESTORE}`);
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

/** Whether a row is newer than the last commit of the gateway, which writes its head each time. */
async function isForeign(kv: Deno.Kv, key: Deno.KvKey): Promise<boolean> {
  const [row, head] = await kv.getMany([key, HEAD_KEY]);
  return (row?.versionstamp ?? "") > (head?.versionstamp ?? "");
}

/** The fields in which two values differ, as texts. */
function differenceOf(
  here: object | undefined,
  there: object | undefined,
): { here: string; there: string } | undefined {
  const left = new Map(Object.entries(here ?? {}));
  const right = new Map(Object.entries(there ?? {}));
  const names = [...new Set([...left.keys(), ...right.keys()])]
    .filter((name) => left.get(name) !== right.get(name)).sort();
  if (names.length === 0 && (here === undefined) === (there === undefined)) return undefined;
  const describe = (fields: ReadonlyMap<string, unknown>, present: boolean) =>
    present ? names.map((name) => `${name} ${write(fields.get(name))}`).join(", ") : "nothing";
  return {
    here: describe(left, here !== undefined),
    there: describe(right, there !== undefined),
  };
}

/** A field's value; amounts in credits. */
function write(value: unknown): string {
  return typeof value === "bigint" ? formatCredits(value) : quote(value);
}

function quote(value: unknown): string {
  return typeof value === "bigint" ? String(value) : JSON.stringify(value) ?? "nothing";
}

function field(value: unknown, name: string): string {
  return isJsonObject(value) ? String(new Map(Object.entries(value)).get(name)) : "";
}

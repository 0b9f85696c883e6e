/**
 * Rows of applied credits and corrections by operation id, which recognise a repeated one: without
 * its row it would be applied twice.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { CreditRecord } from "../../../domain/ledger/state.ts";
import { StoreError } from "../../../ports/store_error.ts";
import type { AtMoment } from "./rows_check.ts";
import type { Row } from "../rows.ts";
import { TimeSlices } from "../time_slices.ts";

const PREFIX: Deno.KvKey = ["credit"];
const ROWS_READ_AHEAD = 256;
/** Digests are added modulo 2 to this power, so that their order does not matter. */
const SUM_BITS = 128;

/** Returns the row of a credit or correction. */
export function creditRow(opId: string, credit: CreditRecord): Row {
  const { walletId, correction = "" } = credit;
  const bytes = (walletId.length + correction.length) * 2;
  return { key: creditRowKey(opId), value: credit, bytes };
}

/** Returns the key of the row of a credit or correction. */
export function creditRowKey(opId: string): Deno.KvKey {
  return [...PREFIX, createHash("sha256").update(JSON.stringify(opId)).digest("hex")];
}

/** Compares these rows with the journal's credits, in constant memory. */
export class CreditRowsCheck {
  readonly #booked = new Digests();

  /** Adds a credit or correction of the journal. */
  add(opId: string, credit: CreditRecord): void {
    this.#booked.add(creditRowKey(opId), credit);
  }

  /** Compares with the rows up to the snapshot; later rows belong to later credits. */
  async compare(kv: Deno.Kv, { versionstamp, problems }: AtMoment): Promise<void> {
    const stored = new Digests();
    const slices = new TimeSlices();
    const options = { batchSize: ROWS_READ_AHEAD };
    try {
      for await (const row of kv.list<CreditRecord>({ prefix: PREFIX }, options)) {
        if (row.versionstamp <= versionstamp) stored.add(row.key, row.value);
        await slices.yieldWhenDue();
      }
    } catch (cause) {
      throw new StoreError("Cannot read the store", { cause });
    }
    if (stored.sum === this.#booked.sum) return;
    problems.push(
      `The ${stored.count} rows by which repeated credits and corrections are known do not match the ` +
        `${this.#booked.count} of the journal: restore the store from a backup`,
    );
  }
}

/** An order-independent sum of digests, equal for equal credits. */
class Digests {
  sum = 0n;
  count = 0;

  add(key: Deno.KvKey, credit: unknown): void {
    const { walletId, amount, correction } = Object(credit);
    const text = JSON.stringify([
      ...[String(key[1]), String(walletId), String(amount)],
      ...correction === undefined ? [] : [String(correction)],
    ]);
    const digest = createHash("sha256").update(text).digest("hex").slice(0, SUM_BITS / 4);
    this.sum = BigInt.asUintN(SUM_BITS, this.sum + BigInt(`0x${digest}`));
    this.count++;
  }
}

/**
 * Compares the rows by which repeated commands are answered with the journal. Without its row a
 * credit would be paid twice.
 *
 * @module
 */

import type { EndedHold, Hold, JournalEntry } from "../../../../domain/ledger/ledger.ts";
import { operationOf } from "../../../../domain/ledger/correction.ts";
import type { CreditRecord } from "../../../../domain/ledger/state.ts";
import { isSameHold } from "../../../kv/journal/rows_check.ts";
import type { Problems } from "../../../kv/journal/problems.ts";
import { type Connection, query } from "../../connection.ts";
import { textId } from "../../text_id.ts";
import { ENDINGS_KEPT } from "../endings.ts";
import { decodeEnded } from "../rows.ts";

const RESTORE = "restore the store from a backup";

interface CreditRow {
  readonly id: string;
  readonly wallet: string;
  readonly amount: bigint;
  readonly correction: string | null;
}

/** A credit or correction of the journal. */
interface Operation {
  readonly opId: string;
  readonly credit: CreditRecord;
}

interface EndedRow {
  readonly id: string;
  readonly place: bigint;
  readonly data: string;
}

/** An ended hold with the place of the entry that ended it. */
interface PlacedEnd {
  readonly place: bigint;
  readonly ended: EndedHold;
}

/** The credits and ended holds of the journal, compared with their rows piece by piece. */
export class RepeatsCheck {
  readonly #sql: Connection;
  readonly #problems: Problems;
  /** Place of the oldest ended hold that has a row; `undefined` without any. */
  readonly #oldest: bigint | undefined;
  #credits = new Map<string, Operation>();
  #ended = new Map<string, PlacedEnd>();
  #creditCount = 0;
  #endedCount = 0;
  #endings = 0;

  private constructor(sql: Connection, problems: Problems, oldest: bigint | undefined) {
    this.#sql = sql;
    this.#problems = problems;
    this.#oldest = oldest;
  }

  static async begin(sql: Connection, problems: Problems): Promise<RepeatsCheck> {
    const [row] = await query(sql<{ place: bigint }[]>`
      select place from ended_hold order by place limit 1
    `);
    return new RepeatsCheck(sql, problems, row?.place);
  }

  /** Takes an entry; `hold` is the open hold that it is about, as it was before. */
  take(entry: JournalEntry, { place, hold }: { place: bigint; hold: Hold | undefined }): void {
    const credit = operationOf(entry);
    if (credit !== undefined && "id" in entry) {
      this.#credits.set(textId(entry.id), { opId: entry.id, credit });
    }
    if (hold === undefined || !isEnd(entry)) return;
    this.#endings++;
    if (this.#oldest === undefined || place < this.#oldest) return;
    const settled = entry.op === "settle"
      ? { settled: { charged: entry.charged, writtenOff: entry.writtenOff } }
      : {};
    this.#ended.set(textId(hold.id), { place, ended: { hold, ...settled } });
  }

  /** Compares what was taken since the last call. */
  async compare(): Promise<void> {
    const [credits, ended] = [this.#credits, this.#ended];
    [this.#credits, this.#ended] = [new Map(), new Map()];
    if (credits.size > 0) await this.#compareCredits(credits);
    if (ended.size > 0) await this.#compareEnded(ended);
  }

  /** Reports rows that no entry has, and too few of them. */
  async finish(): Promise<void> {
    const [counts] = await query(this.#sql<{ credits: bigint; ended: bigint }[]>`
      select (select count(*) from credit) as credits, (select count(*) from ended_hold) as ended
    `);
    const { credits = 0n, ended = 0n } = counts ?? {};
    this.#reportStray(Number(credits) - this.#creditCount, "credits");
    this.#reportStray(Number(ended) - this.#endedCount, "ended holds");
    const missing = Math.min(this.#endings, ENDINGS_KEPT) - Number(ended);
    if (missing <= 0) return;
    this.#problems.push(`The rows of ${missing} ended holds are missing: ${RESTORE}`);
  }

  #reportStray(count: number, what: string): void {
    if (count <= 0) return;
    this.#problems.push(
      `${count} rows of ${what} are of none in the journal: ${RESTORE}`,
    );
  }

  async #compareCredits(
    credits: ReadonlyMap<string, Operation>,
  ): Promise<void> {
    const rows = await query(this.#sql<CreditRow[]>`
      select id, wallet, amount, correction from credit where id in (${idList(this.#sql, credits)})
    `);
    this.#creditCount += rows.length;
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const [id, { opId, credit: { walletId, amount, correction = null } }] of credits) {
      const row = byId.get(id);
      const isRight = row?.amount === amount && row.wallet === JSON.stringify(walletId) &&
        row.correction === correction;
      if (!isRight) this.#report("credit", opId, row !== undefined);
    }
  }

  async #compareEnded(ended: ReadonlyMap<string, PlacedEnd>): Promise<void> {
    const rows = await query(this.#sql<EndedRow[]>`
      select id, place, data from ended_hold where id in (${idList(this.#sql, ended)})
    `);
    this.#endedCount += rows.length;
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const [id, placed] of ended) {
      const row = byId.get(id);
      const isRight = row?.place === placed.place && isSameEnd(row.data, placed.ended);
      if (!isRight) this.#report("ended hold", placed.ended.hold.id, row !== undefined);
    }
  }

  #report(what: string, id: string, isThere: boolean): void {
    this.#problems.push(
      `The row of ${what} ${JSON.stringify(id)} ${isThere ? "was changed" : "is missing"}: ` +
        RESTORE,
    );
  }
}

/** Returns a fragment with stored ids, as one parameter. */
function idList(sql: Connection, ids: ReadonlyMap<string, unknown>) {
  return sql`select jsonb_array_elements_text(${JSON.stringify([...ids.keys()])}::text::jsonb)`;
}

function isEnd(entry: JournalEntry) {
  return entry.op === "settle" || entry.op === "void" || entry.op === "expire";
}

function isSameEnd(data: string, { hold, settled }: EndedHold): boolean {
  try {
    const stored = decodeEnded(data);
    return isSameHold(stored.hold, hold) && stored.settled?.charged === settled?.charged &&
      stored.settled?.writtenOff === settled?.writtenOff;
  } catch {
    // Not the JSON of an ended hold.
    return false;
  }
}

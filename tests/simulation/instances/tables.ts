/**
 * The tables of the ledger in a modelled PostgreSQL: the two statements of a batch, computed by other
 * code than the database's. A test compares them with a real server.
 *
 * @module
 */

import type { ReadRow } from "../../../gateway/stores/postgres/ledger/batch_view.ts";

import { InstanceTable } from "./instance_table.ts";

type Row = Readonly<Record<string, unknown>>;

/** A row of `journal`. */
export interface JournalRow {
  readonly place: number;
  readonly wallet: string;
  readonly line: string;
}

/** A row of `wallet`. */
export interface WalletRow {
  readonly id: string;
  readonly original: string | null;
  readonly number: number;
  readonly tier: string;
  readonly credits: string;
  readonly available: string;
  readonly held: string;
  readonly spent: string;
  readonly written_off: string;
  readonly created_at_ms: number;
  readonly closed_at_ms: number | null;
}

interface HoldRow {
  readonly id: string;
  readonly number?: number;
  readonly instance: string;
  readonly wallet: string;
  readonly budget: string;
  readonly data: string;
}

/** A row of `waiting_hold`. */
export interface WaitingRow extends HoldRow {
  readonly number: number;
}

/** The parameter of the statement that writes a batch. */
export interface Written {
  readonly id: string;
  readonly batch: number;
  readonly entries: number;
  readonly atMs: number;
  readonly hash: string;
  readonly count: number;
  readonly firstPlace: number;
  readonly logged: number;
  readonly journal: readonly JournalRow[];
  readonly wallets: readonly WalletRow[];
  readonly spends: readonly (Row & { readonly id: string })[];
  readonly holds: readonly HoldRow[];
  readonly ended: readonly { readonly id: string; readonly place: number; readonly data: string }[];
  readonly credits: readonly (Row & { readonly id: string })[];
  readonly owed: readonly {
    readonly id: string;
    readonly instance: string;
    readonly line: string;
  }[];
  readonly paid: readonly string[];
  readonly log: readonly (Row & { readonly id: string })[];
  readonly waiting: readonly HoldRow[];
  readonly unwaiting: readonly string[];
}

/** A row of `journal_batch`. */
export interface BatchRow {
  readonly batch: number;
  readonly id: string;
  readonly hash: string;
  readonly lines: readonly string[];
}

/** A statement that the server refuses. */
export class RefusedStatement extends Error {}

/** The committed rows. */
export class Tables {
  head = { batch: 0, entries: 0, atMs: 0, hash: "", logged: 0 };
  readonly batches: BatchRow[] = [];
  readonly journal = new Map<number, JournalRow>();
  readonly wallets = new Map<string, WalletRow>();
  readonly spends = new Map<string, Row & { readonly id: string }>();
  readonly holds = new Map<string, HoldRow>();
  readonly ended = new Map<string, { readonly place: number; readonly data: string }>();
  readonly credits = new Map<string, Row & { readonly id: string }>();
  readonly owed = new Map<string, { readonly instance: string; readonly line: string }>();
  readonly log = new Map<string, Row>();
  readonly waiting = new Map<string, WaitingRow>();
  /** Holds that left the line with the last batch, with what their wallets had before it. */
  departed: readonly (WaitingRow & { readonly available: string })[] = [];
  readonly instances = new InstanceTable();
  #lastWaiting = 0;

  /** Returns the row of the head. */
  readHead(): readonly object[] {
    const { batch, entries, atMs, hash, logged } = this.head;
    const numbers = { batch: BigInt(batch), entries: BigInt(entries), at_ms: BigInt(atMs) };
    return [{ ...numbers, hash, logged: BigInt(logged) }];
  }

  /** Returns the rows by which a batch decides. */
  readRows(parameters: readonly unknown[]): readonly ReadRow[] {
    const [wallets = [], budgets = [], holds = [], credits = [], logs = []] = parameters
      .slice(0, 5) as (readonly string[])[];
    const held = rowsOf(this.holds, holds);
    const queued = rowsOf(this.waiting, holds);
    const walletIds = new Set([...wallets, ...[...held, ...queued].map(({ wallet }) => wallet)]);
    const waiting = this.#lines(walletIds, { shown: Number(parameters[7]), holds });
    const budgetIds = new Set([...budgets, ...[...held, ...waiting].map(({ budget }) => budget)]);
    const instance = this.instances.isEnded(String(parameters[5]));
    const logsOf = parameters[6] as readonly string[];
    const owedIds = new Set([
      ...logs,
      ...held.filter(({ id }) => logsOf.includes(id)).map(({ data }) => JSON.parse(data).logId),
    ]);
    return [
      ...held.map(({ data }) => ({ kind: "hold", data })),
      ...rowsOf(this.ended, holds).map(({ data }) => ({
        kind: "ended",
        data,
      })),
      ...rowsOf(this.wallets, walletIds).map(walletJson),
      ...rowsOf(this.spends, budgetIds).map(spendJson),
      ...rowsOf(this.credits, credits).map(({ id, wallet, amount, correction }) =>
        json("credit", { id, wallet, amount, correction })
      ),
      ...[...owedIds].flatMap((id) => {
        const line = this.owed.get(id)?.line;
        return line === undefined ? [] : [json("owed", { id, line })];
      }),
      ...waiting.map(({ budget: _, ...row }) => json("waiting", row)),
      ...instance === undefined ? [] : [json("instance", instance)],
    ];
  }

  /** Returns the first holds of each key and its names in the lines of wallets, and those with given ids. */
  #lines(
    walletIds: ReadonlySet<string>,
    { shown, holds }: { readonly shown: number; readonly holds: readonly string[] },
  ) {
    const lines = [...walletIds].map((id) =>
      [...this.waiting.values()].filter(({ wallet }) => wallet === id)
        .sort((one, other) => one.number - other.number)
    );
    return lines.flatMap((line) => {
      const places = new Map<string, number>();
      return line.flatMap(({ id, number, instance, budget, data }) => {
        const part = JSON.stringify([budget, JSON.parse(data).named]);
        const place = (places.get(part) ?? 0) + 1;
        places.set(part, place);
        const row = { number, instance, isLast: place === shown, length: line.length, data };
        return place <= shown || holds.includes(id) ? [{ ...row, budget }] : [];
      });
    });
  }

  /** Returns the holds of a session in the line. */
  waitingOf(session: string): readonly WaitingRow[] {
    return [...this.waiting.values()].filter(({ instance }) => instance === session);
  }

  /** Returns the open holds of a session, oldest first. */
  holdsOf(session: string): readonly HoldRow[] {
    return [...this.holds.values()].filter(({ instance }) => instance === session)
      .sort((one, other) => (one.number ?? 0) - (other.number ?? 0));
  }

  /** Returns log rows that are owed. */
  readOwed(ids: readonly string[]): readonly ReadRow[] {
    return rowsOf(this.owed, ids).map(({ line }) => ({ kind: "line", data: line }));
  }

  /** Checks a batch as the constraints do, and returns the function that commits it. */
  write(written: Written): () => void {
    const { batch, id, journal, wallets, ended, credits, waiting } = written;
    refuseIf(this.batches.some((other) => other.batch === batch || other.id === id), "a batch");
    refuseIf(journal.some(({ place }) => this.journal.has(place)), "an entry");
    refuseIf(ended.some((row) => this.ended.has(row.id)), "an ended hold");
    refuseIf(credits.some((row) => this.credits.has(row.id)), "a credit");
    refuseIf(waiting.some((row) => this.waiting.has(row.id)), "a waiting hold");
    for (const row of wallets) refuseIf(!isWeighed(row), `wallet ${row.id}`);
    return () => this.#apply(written);
  }

  #apply(written: Written): void {
    const { batch, id, hash, journal, wallets, spends, holds, ended, credits } = written;
    this.departed = rowsOf(this.waiting, written.unwaiting)
      .map((row) => ({ ...row, available: this.wallets.get(row.wallet)?.available ?? "0" }));
    this.batches.push({ batch, id, hash, lines: journal.map(({ line }) => line) });
    for (const row of journal) this.journal.set(row.place, row);
    for (const row of wallets) this.wallets.set(row.id, { ...row, ...this.#founded(row.id) });
    for (const row of spends) this.spends.set(row.id, row);
    const closing = ended.filter((row) => this.holds.has(row.id));
    for (const row of holds) {
      const { data } = row;
      this.holds.set(row.id, { ...row, ...this.holds.get(row.id), data });
    }
    for (const row of closing) this.holds.delete(row.id);
    for (const { id: endedId, place, data } of ended) this.ended.set(endedId, { place, data });
    for (const row of credits) this.credits.set(row.id, row);
    this.#applyLog(written);
    for (const row of written.unwaiting) this.waiting.delete(row);
    for (const row of written.waiting) {
      this.waiting.set(row.id, { ...row, number: ++this.#lastWaiting });
    }
    const { entries, atMs, logged } = written;
    this.head = { batch, entries, atMs, hash, logged };
  }

  #applyLog({ owed, paid, log }: Written): void {
    for (const row of paid) this.owed.delete(row);
    for (const row of owed) this.owed.set(row.id, { ...row, ...ownerOf(this.owed.get(row.id)) });
    for (const row of log) if (!this.log.has(row.id)) this.log.set(row.id, row);
  }

  /** A wallet's number and time are written once. */
  #founded(id: string): object {
    const { original, number, created_at_ms } = this.wallets.get(id) ?? {};
    return number === undefined ? {} : { original, number, created_at_ms };
  }
}

/** Returns the rows that there are. */
function rowsOf<T>(rows: ReadonlyMap<string, T>, ids: Iterable<string>): readonly T[] {
  const list: T[] = [];
  for (const id of ids) {
    const row = rows.get(id);
    if (row !== undefined) list.push(row);
  }
  return list;
}

function ownerOf(row: { readonly instance: string } | undefined): object {
  return row === undefined ? {} : { instance: row.instance };
}

function refuseIf(isWrong: boolean, what: string): void {
  if (isWrong) throw new RefusedStatement(`A constraint is violated by ${what}`);
}

function isWeighed({ credits, available, held, spent }: WalletRow): boolean {
  const [whole, free, kept, gone] = [credits, available, held, spent].map(BigInt);
  if (whole === undefined || free === undefined) return false;
  if (kept === undefined || gone === undefined) return false;
  return free >= 0n && kept >= 0n && gone >= 0n && whole === free + kept + gone;
}

function json(kind: string, value: unknown): ReadRow {
  return { kind, data: JSON.stringify(value) };
}

function walletJson(row: WalletRow): ReadRow {
  const { id, original, number, tier, credits, available, held, spent } = row;
  const [writtenOff, createdAtMs] = [row.written_off, row.created_at_ms];
  const amounts = { credits, available, held, spent, writtenOff };
  const times = { createdAtMs, closedAtMs: row.closed_at_ms };
  return json("wallet", { id, original, number, tier, ...amounts, ...times });
}

function spendJson(row: Row): ReadRow {
  const { id, original, held, day, month } = row;
  const spent = { daySpent: row["day_spent"], monthSpent: row["month_spent"] };
  return json("spend", {
    id,
    original,
    held,
    day,
    month,
    ...spent,
    totalSpent: row["total_spent"],
    named: row["named"],
  });
}

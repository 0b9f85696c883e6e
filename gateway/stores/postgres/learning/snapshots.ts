import type { RoutingSnapshot, WalletSnapshot } from "../../../domain/learning/snapshot.ts";
import type { Noted } from "../../../domain/operators/trail.ts";
import type {
  SnapshotEntry,
  SnapshotOptions,
  SnapshotStore,
} from "../../../ports/snapshot_store.ts";
import { storedWallet, walletOf } from "../../kv/learning/wallet_text.ts";
import { announce } from "../changes/announce.ts";
import type { Changes } from "../changes/changes.ts";
import { query, type Sql, type Transaction } from "../connection.ts";
import { noteIn } from "../operators/trail.ts";
import { takeLock } from "../sql/locks.ts";
import { textId } from "../text_id.ts";

/** Wallet id, and the number of the snapshot in which the wallet changed last. */
type Version = readonly [id: string, version: number];

/** Age at which additions that a snapshot includes are deleted; until then a repeat is known. */
const ADDITIONS_KEPT = "1 day";

/**
 * Snapshots in PostgreSQL. A wallet's statistics are written once for each snapshot that changed
 * them, and shared by the snapshots after it.
 */
export class PostgresSnapshots implements SnapshotStore {
  readonly #sql: Sql;
  readonly #changes: Pick<Changes, "watch"> | undefined;

  /** `changes`: how this instance hears of other ones' snapshots. @default {not at all} */
  constructor(sql: Sql, changes?: Pick<Changes, "watch">) {
    this.#sql = sql;
    this.#changes = changes;
  }

  async latest(known?: RoutingSnapshot): Promise<RoutingSnapshot | undefined> {
    const [newest] = await this.list(1);
    return newest && await this.#read(newest.number, known);
  }

  get(number: number): Promise<RoutingSnapshot | undefined> {
    return this.#read(number, undefined);
  }

  watch(changed: () => Promise<void>): void {
    let isOld = false;
    const old = () => void (isOld = true);
    const catchUp = async () => {
      if (!isOld) return;
      isOld = false;
      try {
        await changed();
      } catch (error) {
        isOld = true;
        throw error;
      }
    };
    this.#changes?.watch({ topics: ["routing"], changed: old, reset: old, catchUp });
  }

  #read(number: number, known: RoutingSnapshot | undefined): Promise<RoutingSnapshot | undefined> {
    // One moment for all rows: another instance may sweep.
    return query(this.#sql.beginReading(async (sql) => {
      const [row] = await sql<{ taken_at_ms: bigint; wallets: string; votes: string | null }[]>`
        select taken_at_ms, wallets, votes from routing_snapshot where number = ${number}
      `;
      if (row === undefined) return undefined;
      const versions: readonly Version[] = JSON.parse(row.wallets);
      const same = await sameWallets(sql, versions, known);
      const unknown = versions.filter(([id]) => !same.has(id));
      const texts = await sql<{ id: string; data: string }[]>`
        select w.id, w.data from routing_wallet w join unnest(
          ${unknown.map(([id]) => textId(id))}::text[],
          ${unknown.map(([, version]) => version)}::bigint[]
        ) as v(id, version) on w.id = v.id and w.version = v.version
      `;
      const byId = new Map(texts.map(({ id, data }) => [id, data]));
      const wallets = new Map<string, WalletSnapshot>();
      for (const [id] of versions) {
        const data = byId.get(textId(id));
        const wallet = same.get(id) ?? (data === undefined ? data : walletOf(JSON.parse(data)));
        if (wallet !== undefined) wallets.set(id, wallet);
      }
      const takenAtMs = Number(row.taken_at_ms);
      return { number, takenAtMs, wallets, ...(row.votes === null ? {} : { votes: row.votes }) };
    }));
  }

  put(
    snapshot: RoutingSnapshot,
    changed: readonly string[],
    { additions = [], entry }: SnapshotOptions = {},
  ): Promise<boolean> {
    const { number, takenAtMs, wallets, votes } = snapshot;
    return query(this.#sql.begin(async (sql) => {
      await takeLock(sql, "snapshots");
      const [newest] = await sql<{ number: bigint; wallets: string }[]>`
        select number, wallets from routing_snapshot order by number desc limit 1
      `;
      if (newest !== undefined && newest.number >= number) return false;
      const versions = new Map<string, number>(JSON.parse(newest?.wallets ?? "[]"));
      for (const id of changed) {
        const wallet = wallets.get(id);
        if (wallet === undefined) {
          versions.delete(id);
          continue;
        }
        const data = JSON.stringify(storedWallet(wallet));
        await sql`
          insert into routing_wallet (id, version, data) values (${textId(id)}, ${number}, ${data})
          on conflict (id, version) do update set data = excluded.data
        `;
        versions.set(id, number);
      }
      await sql`
        insert into routing_snapshot (number, taken_at_ms, wallets, votes)
        values (${number}, ${takenAtMs}, ${JSON.stringify([...versions])}, ${votes ?? null})
      `;
      await sql`
        update routing_addition set included = ${number}, data = ''
        where id in (select jsonb_array_elements_text(${JSON.stringify(additions)}::text::jsonb))
      `;
      await announce(sql, "routing", [String(number)]);
      await noteIn(sql, entry?.({ after: snapshot }));
      return true;
    }));
  }

  async list(limit: number): Promise<readonly SnapshotEntry[]> {
    const rows = await query(this.#sql<{ number: bigint; taken_at_ms: bigint }[]>`
      select number, taken_at_ms from routing_snapshot order by number desc
      limit ${Number.isFinite(limit) ? limit : null}
    `);
    return rows.map((row) => ({
      number: Number(row.number),
      takenAtMs: Number(row.taken_at_ms),
    }));
  }

  async frozen(): Promise<number | undefined> {
    const [row] = await query(this.#sql<{ number: bigint }[]>`select number from routing_frozen`);
    return row === undefined ? undefined : Number(row.number);
  }

  async freeze(number: number | undefined, { entry }: Noted<number> = {}): Promise<void> {
    await query(this.#sql.begin(async (sql) => {
      // Of two at the same time the second sees the first.
      await takeLock(sql, "snapshots");
      const [row] = await sql<{ number: bigint }[]>`select number from routing_frozen`;
      const before = row === undefined ? undefined : Number(row.number);
      if (before === number) return;
      await (number === undefined ? sql`delete from routing_frozen` : sql`
        insert into routing_frozen (number) values (${number})
        on conflict (one) do update set number = excluded.number
      `);
      await announce(sql, "routing", ["frozen"]);
      await noteIn(sql, entry?.({ before, after: number }));
    }));
  }

  async sweep(newest: number): Promise<void> {
    await query(this.#sql.begin(async (sql) => {
      await takeLock(sql, "snapshots");
      const rows = await sql<{ number: bigint; wallets: string }[]>`
        select number, wallets from routing_snapshot
        where number in (select number from routing_snapshot order by number desc limit ${newest})
          or number in (select number from routing_frozen)
      `;
      const used = rows.flatMap(({ wallets }): readonly Version[] => JSON.parse(wallets));
      const numbers = rows.map(({ number }) => String(number));
      await sql`
        delete from routing_addition
        where included is not null and at < now() - ${ADDITIONS_KEPT}::interval
      `;
      await sql`delete from routing_snapshot where not number = any(${numbers}::bigint[])`;
      await sql`
        delete from routing_wallet w where not exists (
          select 1 from unnest(
            ${used.map(([id]) => textId(id))}::text[],
            ${used.map(([, version]) => version)}::bigint[]
          ) as v(id, version) where v.id = w.id and v.version = w.version
        )
      `;
    }));
  }
}

/**
 * Returns the wallets that have not changed since a known snapshot. None if that is no longer stored:
 * its numbers may be of another history, as after a restore.
 */
async function sameWallets(
  sql: Transaction,
  versions: readonly Version[],
  known: RoutingSnapshot | undefined,
): Promise<ReadonlyMap<string, WalletSnapshot>> {
  const same = new Map<string, WalletSnapshot>();
  if (known === undefined) return same;
  const [row] = await sql<{ taken_at_ms: bigint }[]>`
    select taken_at_ms from routing_snapshot where number = ${known.number}
  `;
  if (row === undefined || Number(row.taken_at_ms) !== known.takenAtMs) return same;
  for (const [id, version] of versions) {
    const wallet = version <= known.number ? known.wallets.get(id) : undefined;
    if (wallet !== undefined) same.set(id, wallet);
  }
  return same;
}

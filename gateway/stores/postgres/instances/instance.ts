/**
 * The session of this instance: others see by it that this instance lives.
 *
 * @module
 */

import { StoreError } from "../../../ports/store_error.ts";
import { connect, type ConnectOptions, type Sql, storeError } from "../connection.ts";
import type { Batches } from "../ledger/batches.ts";
import type { Member } from "../ledger/member.ts";
import type { Link } from "../link.ts";
import { BEAT, JOIN, SWEEP } from "../sql/instances.ts";
import { ClockDifference, type ClockDifferenceOptions } from "./clock_difference.ts";
import { Reaper } from "./reaper.ts";
import type { Sighting } from "./silence.ts";

/** Silence after which a session is over, in milliseconds: the same on all instances. */
const LEASE_MS = 6_000;
/** Time between two beats, in milliseconds. */
const BEAT_MS = 1_000;
/** Time after a failed beat, in milliseconds. */
const RETRY_MS = 250;
/** Time after which a beat without an answer is given up, in milliseconds. */
const BEAT_LIMIT_MS = 2_000;
/** Beats between two deletions of old sessions. */
const BEATS_PER_SWEEP = 600;

/** A session: one life of an instance in the eyes of the others. */
export interface Session {
  readonly id: string;
  /** Fencing token: a later session has a higher number. */
  readonly number: number;
}

/** Options of {@linkcode Instance.join}. */
export interface InstanceOptions extends ClockDifferenceOptions {
  /** Hears of failures; each is tried again. @default {nothing hears} */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Silence after which a session is over, in milliseconds. @default {6000} */
  readonly leaseMs?: number | undefined;
  /**
   * Calls the function again and again until the signal is aborted, and then resolves. Tests stop
   * it for a while, as a paused process does. @default {each second, after a failure each 250 ms}
   */
  readonly pulse?: ((beat: () => Promise<void>, end: AbortSignal) => Promise<void>) | undefined;
  /** Opens its pools of connections. The simulation has pools of its own. @default {connect} */
  readonly open?: ((options: ConnectOptions) => Sql) | undefined;
}

interface BeatRow {
  readonly now_ms: bigint;
  readonly lives: boolean;
  readonly id: string | null;
  readonly beats: bigint | null;
  readonly ended: boolean;
}

/**
 * This process among the instances. It beats each second. One that was silent for the lease is ended
 * by another: its batches are refused from then on. If it was only paused, it joins again, under a
 * new id and number; its former holds have been, or will be, ended for it.
 */
export class Instance implements Member {
  readonly #options: InstanceOptions;
  /** One connection, which other work never keeps busy. */
  readonly #sql: Sql;
  readonly #to: string | Link;
  readonly #listeners = new Set<(lost: Session) => void>();
  readonly #end = new AbortController();
  readonly #clock: ClockDifference;
  #session: Session;
  #isLost = false;
  #joining: Promise<void> | undefined;
  #batches: Pick<Batches, "submit"> | undefined;
  #reaper: Reaper | undefined;
  #beats = 0;
  #running: Promise<void> = Promise.resolve();

  private constructor(
    to: string | Link,
    { options, sql, session }: {
      readonly options: InstanceOptions;
      readonly sql: Sql;
      readonly session: Session;
    },
  ) {
    this.#to = to;
    this.#options = options;
    this.#clock = new ClockDifference(options);
    this.#sql = sql;
    this.#session = session;
  }

  /**
   * Begins a session, and keeps it. The tables must exist.
   *
   * @throws {StoreError} When the database cannot be used.
   */
  static async join(to: string | Link, options: InstanceOptions = {}): Promise<Instance> {
    const sql = openPool(to, options, BEAT_LIMIT_MS);
    try {
      const session = await newSession(sql);
      const instance = new Instance(to, { options, sql, session });
      const { pulse = pulseEachSecond } = options;
      instance.#running = pulse(() => instance.#beat(), instance.#end.signal);
      return instance;
    } catch (cause) {
      await sql.end({ timeout: 0 });
      throw storeError(cause);
    }
  }

  /** Id of the present session. */
  get id(): string {
    return this.#session.id;
  }

  /** Number of the present session, the fencing token. */
  get number(): number {
    return this.#session.number;
  }

  /** True from the moment at which this instance learns that it was ended, until it has joined again. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Time by which this machine's clock was ahead of the database's at the last beat, in milliseconds. */
  get clockAheadMs(): number {
    return this.#clock.aheadMs;
  }

  /** Calls a function with each session that is lost, at once: its calls in flight should be cut. */
  onLost(listener: (lost: Session) => void): void {
    this.#listeners.add(listener);
  }

  /** Ends, through these batches, silent instances, and the holds of those that have ended. */
  reapThrough(batches: Pick<Batches, "submit">): void {
    const { leaseMs = LEASE_MS, onError } = this.#options;
    const sql = openPool(this.#to, this.#options, 2 * BEAT_LIMIT_MS);
    this.#batches = batches;
    this.#reaper = new Reaper({ batches, sql, leaseMs, onError });
  }

  /** Joins again, if `id` is still the session in use. Callers that come together share the attempt. */
  async renew(id: string): Promise<void> {
    if (id !== this.#session.id) return;
    if (this.#end.signal.aborted) throw new StoreError("The instance has left");
    await (this.#joining ??= this.#rejoin().finally(() => this.#joining = undefined));
  }

  /**
   * Ends the session by a last batch. Call it between the close of the ledger and that of its
   * batches. Holds that are still open are ended by another instance, or the next one that joins.
   */
  async leave(): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    await this.#running;
    await this.#reaper?.close();
    await this.#sql.end({ timeout: 0 });
    const { id } = this.#session;
    try {
      await this.#batches?.submit({}, (view) => void view.ending.push({ id, beats: null }));
    } catch (error) {
      // The others end the session when its lease is over.
      this.#options.onError?.(error);
    }
  }

  async #rejoin(): Promise<void> {
    const lost = this.#session;
    if (!this.#isLost) {
      this.#isLost = true;
      for (const tell of this.#listeners) tell(lost);
    }
    this.#reaper?.forget();
    try {
      this.#session = await newSession(this.#sql);
    } catch (cause) {
      throw storeError(cause);
    }
    this.#isLost = false;
  }

  async #beat(): Promise<void> {
    const { id } = this.#session;
    try {
      const sentMs = this.#clock.nowMs();
      const rows = await this.#sql.unsafe<BeatRow[]>(BEAT, [id]);
      if (rows[0] !== undefined) this.#clock.answered(Number(rows[0].now_ms), sentMs);
      if (rows[0]?.lives !== true) return await this.renew(id);
      this.#reaper?.saw(sightingOf(rows), endedOf(rows));
      if (++this.#beats % BEATS_PER_SWEEP > 0) return;
      await this.#sql.unsafe(SWEEP);
    } catch (cause) {
      if (this.#end.signal.aborted) return;
      this.#reaper?.missed();
      this.#options.onError?.(cause);
      throw storeError(cause);
    }
  }
}

/** Opens a pool of one connection. */
function openPool(to: string | Link, { open }: InstanceOptions, limitMs: number): Sql {
  const options = { max: 1, limitMs };
  return open?.(options) ?? connect(to, options);
}

async function newSession(sql: Sql): Promise<Session> {
  const id = crypto.randomUUID();
  const rows = await sql.unsafe<{ number: bigint }[]>(JOIN, [id]);
  return { id, number: Number(rows[0]?.number) };
}

function sightingOf(rows: readonly BeatRow[]): Sighting {
  const beats = new Map<string, bigint>();
  for (const { id, beats: count, ended } of rows) {
    if (id !== null && count !== null && !ended) beats.set(id, count);
  }
  return { nowMs: Number(rows[0]?.now_ms), beats };
}

function endedOf(rows: readonly BeatRow[]): readonly string[] {
  return rows.flatMap(({ id, ended }) => id !== null && ended ? [id] : []);
}

async function pulseEachSecond(beat: () => Promise<void>, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    const waitMs = await beat().then(() => BEAT_MS, () => RETRY_MS);
    await pause(waitMs, end);
  }
}

/** Resolves after a time, or when the signal is aborted. */
function pause(ms: number, end: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (end.aborted) return resolve();
    const over = () => {
      clearTimeout(timer);
      end.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    end.addEventListener("abort", over, { once: true });
  });
}

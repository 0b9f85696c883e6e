/**
 * The silence of other instances, as one instance sees it.
 *
 * @module
 */

/** An answer of the database to a beat. */
export interface Sighting {
  /** The database's time, in milliseconds. */
  readonly nowMs: number;
  /** Beats of the other living sessions, by id. */
  readonly beats: ReadonlyMap<string, bigint>;
}

/** Limits of {@linkcode Silence}. */
export interface SilenceLimits {
  /** Silence after which a session is over, in milliseconds. */
  readonly leaseMs: number;
  /** Time between two sightings that counts at most, in milliseconds. */
  readonly gapMs: number;
}

/** A session that has been silent for the whole lease. */
export interface Silent {
  readonly id: string;
  /** The beats that it stopped at. */
  readonly beats: bigint;
}

/**
 * Adds up for how long each session has been silent, by the database's clock. Only time during which
 * this instance saw the database counts: none after a question without an answer, and of a late
 * answer no more than a part of the lease. After a gap of the whole lease, or a clock that went
 * back, all counts start again. So neither an outage, nor a pause of this instance, nor a step of the
 * clock ends a session that lives, and a busy machine does not keep one that died.
 */
export class Silence {
  readonly #limits: SilenceLimits;
  readonly #seen = new Map<string, { readonly beats: bigint; readonly silentMs: number }>();
  #lastMs: number | undefined;
  #hasMissed = false;

  constructor(limits: SilenceLimits) {
    this.#limits = limits;
  }

  /** Returns the sessions that have been silent for the whole lease. */
  add({ nowMs, beats }: Sighting): readonly Silent[] {
    const { leaseMs, gapMs } = this.#limits;
    const passedMs = this.#lastMs === undefined ? Infinity : nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    if (passedMs < 0 || passedMs > leaseMs) this.#seen.clear();
    const countedMs = this.#hasMissed ? 0 : Math.min(passedMs, gapMs);
    this.#hasMissed = false;
    const before = new Map(this.#seen);
    this.#seen.clear();
    const silent: Silent[] = [];
    for (const [id, count] of beats) {
      const earlier = before.get(id);
      const silentMs = earlier?.beats === count ? earlier.silentMs + countedMs : 0;
      this.#seen.set(id, { beats: count, silentMs });
      if (silentMs >= leaseMs) silent.push({ id, beats: count });
    }
    return silent;
  }

  /** Notes a question that the database has not answered: the others may have had no answer either. */
  missed(): void {
    this.#hasMissed = true;
  }

  /** Starts all counts again. */
  forget(): void {
    this.#lastMs = undefined;
  }
}

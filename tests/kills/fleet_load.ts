/**
 * Callers of several instances, and the calls that an instance may excuse: those that overlap a time
 * in which it was dead, stood still, or had no database.
 *
 * @module
 */

import { Random } from "../simulation/random.ts";
import type { AdminApi } from "./books.ts";
import { type CallPlan, makeCall, type Sighting } from "./calls.ts";

/** A call, with the instance that it was made to. */
export interface PlacedSighting extends Sighting {
  readonly at: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** An address to call. */
export interface Target {
  /** Number of the instance. */
  readonly at: number;
  readonly url: string;
}

/** A key of a worker. */
export interface LoadKey {
  /** Request ids begin with it. */
  readonly name: string;
  readonly id: string;
  readonly secret: string;
}

/** Opens a wallet `w` with credits for any load, and keys on it. */
export async function newKeys(api: AdminApi, count: number): Promise<readonly LoadKey[]> {
  await api.admin("POST", "/wallets", { id: "w", credits: "1000000" });
  const keys: LoadKey[] = [];
  for (let worker = 0; worker < count; worker++) {
    const name = `worker${worker}`;
    const { id, key } = await api.admin("POST", "/keys", { name, wallet: "w" });
    keys.push({ name, id, secret: key });
  }
  return keys;
}

/** Pause of a worker that finds no instance to call, or one without its database, in milliseconds. */
const REST_MS = 20;

/** Workers, each with a key of its own, that call any living instance until they are stopped. */
export class FleetLoad {
  readonly sightings: PlacedSighting[] = [];
  readonly #targets: () => readonly Target[];
  readonly #random: Random;
  readonly #workers: readonly Promise<void>[];
  readonly #deaths: { readonly at: number; readonly fromMs: number; toMs: number }[] = [];
  #isOver = false;

  /** `targets` returns the addresses that answer at present. */
  constructor(targets: () => readonly Target[], keys: readonly LoadKey[], seed: number) {
    this.#targets = targets;
    this.#random = new Random(seed);
    this.#workers = keys.map((key) => this.#work(key));
  }

  /**
   * Notes that an instance dies now, or stands still, or loses its database; to be called before. The
   * returned function notes its return.
   */
  dying(at: number): () => void {
    const death = { at, fromMs: performance.now(), toMs: Infinity };
    this.#deaths.push(death);
    return () => void (death.toMs = performance.now());
  }

  /** Calls of instances that lived all the while, whose clients got no whole answer. */
  failed(): PlacedSighting[] {
    return this.sightings.filter((sighting) =>
      sighting.ending !== "complete" && sighting.ending !== "left" && !this.#isExcused(sighting)
    );
  }

  /** Lets the calls in flight end, and makes no others. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#workers);
  }

  #isExcused({ at, fromMs, toMs }: PlacedSighting): boolean {
    return this.#deaths.some((death) =>
      death.at === at && death.fromMs <= toMs && fromMs <= death.toMs
    );
  }

  async #work(key: LoadKey): Promise<void> {
    for (let call = 0; !this.#isOver; call++) {
      const targets = this.#targets();
      const target = targets[this.#random.below(targets.length)];
      if (target === undefined) {
        await rest();
        continue;
      }
      const { at, url } = target;
      const fromMs = performance.now();
      const requestId = `${key.name}/${call}`;
      const plan = planOf(this.#random);
      const sighting = await makeCall(plan, { url, secret: key.secret, requestId });
      this.sightings.push({ ...sighting, at, fromMs, toMs: performance.now() });
      if (sighting.status === 503) await rest();
    }
  }
}

function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, REST_MS));
}

function planOf(random: Random): CallPlan {
  const reports = random.chance(0.7);
  const brief = { words: 1 + random.below(40), gapMs: 1 + random.below(5), reports };
  const endpoint = random.chance(0.5) ? "chat" : "responses";
  const usual = { endpoint, stream: true, leave: false } as const;
  const kind = random.next();
  if (kind < 0.25) return { ...usual, endpoint: "chat", stream: false, script: brief };
  if (kind < 0.35) return { ...usual, leave: true, script: { ...brief, words: 60 } };
  if (kind < 0.5) {
    return { ...usual, script: { words: 200 + random.below(300), gapMs: 6, reports } };
  }
  return { ...usual, script: brief };
}

/**
 * One run of several instances on one database: a fleet, its provider, its callers, and the books of
 * all.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { Fleet, type FleetOptions } from "../fixtures/fleet.ts";
import { labConfig } from "../fixtures/lab.ts";
import { until } from "../fixtures/service.ts";
import { Random } from "../simulation/random.ts";
import { Books, microsOf } from "./books.ts";
import { CountingUpstream } from "./counting_upstream.ts";
import { FleetLoad, type LoadKey, newKeys, type Target } from "./fleet_load.ts";
import { type Evidence, judge } from "./verdicts.ts";

/** Options of a {@linkcode FleetRun}. */
export interface FleetRunOptions extends Omit<FleetOptions, "config"> {
  readonly seed: number;
  readonly workers: number;
}

/** One run; disposing of it ends all its parts. */
export class FleetRun implements AsyncDisposable {
  readonly fleet: Fleet;
  readonly upstream: CountingUpstream;
  readonly load: FleetLoad;
  readonly books = new Books();
  readonly random: Random;
  /** Instances that no new call is made to, by number. */
  readonly avoided = new Set<number>();
  readonly #keyIds: ReadonlyMap<string, string>;
  #stack = new AsyncDisposableStack();

  private constructor(
    { fleet, upstream }: { readonly fleet: Fleet; readonly upstream: CountingUpstream },
    { keys, seed }: { readonly keys: readonly LoadKey[]; readonly seed: number },
  ) {
    this.fleet = fleet;
    this.upstream = upstream;
    this.random = new Random(seed);
    this.#keyIds = new Map(keys.map(({ name, id }) => [name, id]));
    this.load = new FleetLoad(() => this.#targets, keys, seed);
  }

  /** Starts all parts, and the load. */
  static async begin({ seed, workers, ...options }: FleetRunOptions): Promise<FleetRun> {
    await using stack = new AsyncDisposableStack();
    const upstream = stack.use(new CountingUpstream());
    const { baseUrl } = upstream;
    const config = labConfig({ id: "writer", baseUrl, maxOutputTokens: 4_000 });
    const fleet = stack.use(await Fleet.start({ ...options, config }));
    const keys = await newKeys(fleet, workers);
    const run = new FleetRun({ fleet, upstream }, { keys, seed });
    stack.defer(() => run.load.stop());
    run.#stack = stack.move();
    return run;
  }

  get #targets(): readonly Target[] {
    return this.fleet.targets.filter(({ at }) => !this.avoided.has(at));
  }

  /** Resolves when this many calls are at the upstream, and then some time has passed. */
  async underLoad(calls: number, { maxMs }: { readonly maxMs: number }): Promise<void> {
    await until(() => this.upstream.open >= calls, "load");
    await new Promise((resolve) => setTimeout(resolve, this.random.below(maxMs)));
  }

  /** Returns the evidence that books are compared with which are read from now on. */
  evidence(): Evidence {
    const { books, load, upstream } = this;
    return {
      ...{ books, keyIds: this.#keyIds, calls: upstream.calls, budgets: new Map() },
      sightings: [...load.sightings],
      callsBefore: upstream.calls.length,
      // No hold of a killed process is left, so all may be judged as those of one.
      startsMs: [0],
    };
  }

  /** Asserts that no call failed without an excuse, and that the books are right. */
  async check(): Promise<void> {
    const { books, fleet, load } = this;
    assertEquals(load.failed(), []);
    const evidence = this.evidence();
    await books.read(fleet);
    assertEquals(judge(evidence), { overspentMicros: 0n, overspent: [], lost: [], doubled: [] });
    const { ok, problems } = await fleet.admin("GET", "/ledger/verify");
    assertEquals([ok, problems], [true, []]);
  }

  /** Checks the end, without calls: no hold is open, and the wallet is what its journal says. */
  async checkTheEnd(): Promise<void> {
    const { books, fleet, load, upstream } = this;
    upstream.hurry();
    await load.stop();
    await until(async () => await fleet.openHoldsBefore(Infinity) === 0, "every hold to end");
    await this.check();
    const steps = books.steps.get("w") ?? [];
    const ends = steps.filter(({ kind }) => kind === "settle" || kind === "expire");
    const wallet = books.wallets.find(({ id }) => id === "w");
    assertEquals(
      [wallet?.held, wallet?.spent].map((credits) => microsOf(credits ?? "")),
      [0n, ends.reduce((sum, { micros }) => sum + micros, 0n)],
    );
    assert(load.sightings.some(({ ending }) => ending === "complete"));
  }

  /** The calls so far, in one line. */
  get figures(): string {
    const { load: { sightings }, upstream } = this;
    const count = (ending: string) => sightings.filter((one) => one.ending === ending).length;
    return `${sightings.length} calls, ${count("complete")} complete, ` +
      `${count("left")} left, ${count("cut")} cut, ${count("unanswered")} unanswered, ` +
      `${count("refused")} refused, ${count("answered")} answered with an error, ` +
      `${upstream.calls.length} at the upstream`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** The middle and the largest of some times, in one line. */
export function timesText(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  return `${sorted[sorted.length >> 1]} ms in the middle, ${sorted.at(-1)} ms at most`;
}

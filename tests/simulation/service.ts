/**
 * The gateway as its start assembles it, without listeners: the real stores, ledger, flows and
 * router over a simulated disk, time, randomness and upstreams.
 *
 * @module
 */

import { Learning } from "../../gateway/flows/learn/learning.ts";
import type { UpstreamConfig } from "../../gateway/domain/catalog/catalog.ts";
import { KeyRing } from "../../gateway/flows/keys/key_ring.ts";
import { Peppers } from "../../gateway/flows/keys/peppers.ts";
import { SignedLinks } from "../../gateway/flows/images/signed_links.ts";
import { Description } from "../../gateway/openapi/description.ts";
import { createPublicApp } from "../../gateway/http/public_app.ts";
import type { Clock } from "../../gateway/ports/clock.ts";
import type { Logger } from "../../gateway/ports/logger.ts";
import type { Rng } from "../../gateway/ports/rng.ts";
import type { TokenCounter } from "../../gateway/ports/token_counter.ts";
import type { Upstream } from "../../gateway/ports/upstream.ts";
import { gatewayOf, type GatewayParts, vectorStoresOf } from "../../gateway/service/assemble.ts";
import { type KvStores, openKvStores } from "../../gateway/stores/kv/open.ts";
import { UpstreamPool } from "../../gateway/upstreams/pool.ts";
import type { Answering } from "./caller.ts";
import { catalogAt } from "./founding.ts";
import type { Random } from "./random.ts";
import { tokensOf } from "./scripted_upstream.ts";
import type { SimulatedKv } from "./simulated_kv.ts";

const PEPPERS = new Peppers({ version: 1, secret: "a pepper of no worth" });

/** Numbers of single commits between two folds: runs are too short for many folds otherwise. */
const MAX_OPEN_COMMITS: readonly [number, ...number[]] = [0, 1, 3, 16, 64];
/** Numbers of wallets and spends in memory besides those in use, of which each process has one. */
const IDLE_ROWS: readonly [number, ...number[]] = [1, 2, 10_000];

/** The surroundings of a process. */
export interface ServiceSetting {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly kv: SimulatedKv;
  upstream(config: UpstreamConfig): Upstream;
}

/** One process, from its start to its kill. */
export class SimulatedService {
  readonly stores: KvStores;
  readonly keyRing: KeyRing;
  readonly gateway: GatewayParts;
  readonly learning: Learning;
  readonly #pool: UpstreamPool;
  readonly #links: SignedLinks;
  readonly #clock: Clock;

  private constructor(setting: ServiceSetting, stores: KvStores) {
    const { clock, random, logger } = setting;
    this.stores = stores;
    this.#clock = clock;
    const { keys } = stores;
    const bytes = (length: number) => random.bytes(length);
    this.keyRing = new KeyRing(PEPPERS, { keys, clock, logger, random: bytes });
    this.#pool = new UpstreamPool(stores.catalogs.current(), {
      clock,
      create: (config) => setting.upstream(config),
      onOperatorTrouble: () => {},
    });
    this.#links = new SignedLinks({ peppers: PEPPERS, baseUrl: () => "" });
    const rng = rngOf(random, "service");
    const deps = { clock, rng, logger, env: () => undefined, print: () => {} };
    const vectorStores = vectorStoresOf(stores, deps);
    const { snapshots, votes, catalogs } = stores;
    this.learning = new Learning({
      snapshots,
      votes,
      catalogs,
      clock,
      logger,
      secret: "simulation",
    });
    const { learning } = this;
    const parts = { pool: this.#pool, links: this.#links, vectorStores, deps, learning };
    const count: TokenCounter["count"] = (text) =>
      Promise.resolve(tokensOf(typeof text === "string" ? text : text.text()));
    this.gateway = { ...gatewayOf(stores, parts), tokens: { count } };
  }

  /** Starts on the data of the disk; a disk without a catalog gets one. */
  static async start(setting: ServiceSetting): Promise<SimulatedService> {
    const { clock, kv, random } = setting;
    const stores = await openKvStores(":memory:", {
      maxOpenCommits: random.pick(MAX_OPEN_COMMITS),
      idleRows: random.pick(IDLE_ROWS),
      nowMs: () => clock.nowMs(),
      openKv: () => Promise.resolve(kv),
    });
    const [newest] = await stores.catalogs.history(1);
    if (newest === undefined) {
      const options = { expected: 0, note: "founding", atMs: clock.nowMs() };
      await stores.catalogs.apply(catalogAt(0), options);
    }
    const service = new SimulatedService(setting, stores);
    await service.learning.open();
    return service;
  }

  /** Number of leases in use. */
  get callsInFlight(): number {
    return [...this.#pool.inFlight().values()].reduce((sum, calls) => sum + calls, 0);
  }

  /** Stops as the real service does, without grace. */
  async stop(): Promise<void> {
    const { inFlight, settlementRetries } = this.gateway;
    inFlight.abortAll();
    await inFlight.idle();
    await settlementRetries.close();
    await this.keyRing.idle();
    this.#pool.close();
    await this.learning.take();
    await this.stores.close();
  }

  /** Returns the router for one request, with its own randomness. */
  appFor(rng: Rng): Answering {
    const { keyRing, stores } = this;
    return createPublicApp({
      gateway: { ...this.gateway, rng },
      findKey: (presented) => keyRing.authenticate(presented),
      readiness: { unready: () => Promise.resolve(undefined) },
      description: new Description("public"),
      files: { blobs: stores.blobs, links: this.#links },
    });
  }

  /** Applies another catalog, as the admin listener does. */
  async applyCatalog(price: number): Promise<void> {
    const { catalogs } = this.stores;
    const expected = catalogs.current().version;
    const atMs = this.#clock.nowMs();
    const content = catalogAt(price);
    this.#pool.apply({ ...content, version: expected + 1, updatedAtMs: atMs });
    try {
      await catalogs.apply(content, { expected, note: "simulated", atMs });
    } finally {
      this.#pool.apply(catalogs.current());
    }
  }
}

/** Returns a source of randomness whose ids name their owner. */
export function rngOf(
  random: Random,
  owner: string,
  onId: (prefix: string, id: string) => void = () => {},
): Rng {
  let count = 0;
  return {
    id: (prefix) => {
      const id = `${prefix}_${owner}_${++count}`;
      onId(prefix, id);
      return id;
    },
    next: () => random.next(),
  };
}

/** Returns the number of the request that an id was created for. */
export function ownerOf(id: string): number {
  return Number(id.split("_")[1]);
}

/**
 * The state of the service when Prometheus reads it; nothing of it is stored.
 *
 * @module
 */

import process from "node:process";
import manifest from "../deno.json" with { type: "json" };
import type { Catalog } from "../domain/catalog/catalog.ts";
import type { Hold } from "../domain/ledger/ledger.ts";
import type { TargetState } from "../domain/routing/plan.ts";
import type { LedgerStore, Verification } from "../ports/ledger_store.ts";
import { Counter, Gauge, type Metric } from "./series.ts";
import { creditsOf } from "./service_metrics.ts";
import { type WalletSources, type WalletSums, WalletTotals } from "./wallet_totals.ts";

/** Maximum models whose state is reported, one line each. */
const MODELS_MAX = 500;

/** The sources of the state. */
export interface StateSources {
  readonly nowMs: () => number;
  /** Start of the process, in Unix milliseconds. */
  readonly startedMs: number;
  readonly catalog: () => Catalog;
  readonly pool: {
    states(nowMs: number): ReadonlyMap<string, TargetState>;
    inFlight(): ReadonlyMap<string, number>;
    readonly waiting: number;
  };
  readonly ledger: Pick<LedgerStore, "allWallets" | "walletCount" | "openHolds">;
  readonly lowBalances: WalletSources["lowBalances"];
  readonly requestsInFlight: () => number;
  /** Returns the number of holds whose ending waits for the store. */
  readonly settlementRetries: () => number;
  readonly store: {
    readonly health: () => "ok" | "failing" | "lost";
    readonly queued: () => number;
    readonly queriesWaiting: () => number;
    readonly clockAheadMs: () => number;
  };
  /** Returns the last verification of the ledger in this process, with its time. */
  readonly verified: () => { readonly result: Verification; readonly atMs: number } | undefined;
}

interface Books extends WalletSums {
  readonly wallets: number;
  readonly holds: readonly Hold[];
}

/** Gauges over the sources, which are written together. */
export class StateMetrics {
  readonly #sources: StateSources;
  readonly #totals: WalletTotals;
  #books: Books = { wallets: 0, holds: [], low: 0, availableMicros: 0n };
  readonly all: readonly Metric[];

  constructor(sources: StateSources) {
    this.#sources = sources;
    this.#totals = new WalletTotals(sources);
    this.all = [
      ...upstreamGauges(sources),
      ...storeGauges(sources),
      ...this.#bookGauges(),
      ...processMetrics(sources),
    ];
  }

  /** Reads the sources that need the store, before the page is written. */
  async read(): Promise<void> {
    const { ledger } = this.#sources;
    const [sums, holds] = await Promise.all([this.#totals.read(), ledger.openHolds()]);
    this.#books = { ...sums, holds, wallets: ledger.walletCount() };
  }

  #bookGauges(): Metric[] {
    const gauge = (name: string, help: string, read: (books: Books) => number) =>
      new Gauge(name, { help, tell: (it) => it.set(read(this.#books)) });
    return [
      gauge("svc_holds_open", "Holds that have not ended.", ({ holds }) => holds.length),
      gauge(
        "svc_held_credits",
        "Credits in open holds.",
        ({ holds }) => creditsOf(holds.reduce((sum, { amount }) => sum + amount, 0n)),
      ),
      gauge(
        "svc_available_credits",
        "Credits that all wallets have available.",
        ({ availableMicros }) => creditsOf(availableMicros),
      ),
      gauge("svc_wallets", "Wallets.", ({ wallets }) => wallets),
      gauge(
        "svc_wallets_low",
        "Wallets that have no more than their mark, by default a tenth of what was paid in.",
        ({ low }) => low,
      ),
    ];
  }
}

function upstreamGauges({ nowMs, catalog, pool, requestsInFlight }: StateSources): Metric[] {
  return [
    new Gauge("svc_requests_in_flight", {
      help: "Model requests in flight.",
      tell: (gauge) => gauge.set(requestsInFlight()),
    }),
    new Gauge("svc_queue_length", {
      help: "Requests that wait for a lease at an upstream.",
      tell: (gauge) => gauge.set(pool.waiting),
    }),
    new Gauge("svc_upstream_in_flight", {
      help: "Calls in flight, by upstream.",
      labels: ["upstream"],
      tell: (gauge) => pool.inFlight().forEach((calls, id) => gauge.set(calls, id)),
    }),
    new Gauge("svc_upstream_in_flight_limit", {
      help: "Maximum calls in flight at an upstream.",
      labels: ["upstream"],
      tell: (gauge) => {
        for (const { id, maxInFlight } of catalog().upstreams) gauge.set(maxInFlight, id);
      },
    }),
    new Gauge("svc_model_breaker_open", {
      help: "1 while a model is not called after failures of its upstream, else 0.",
      labels: ["upstream", "model"],
      seriesMax: MODELS_MAX,
      tell: (gauge) => {
        const states = pool.states(nowMs());
        for (const { id, upstream } of catalog().models) {
          const state = states.get(id);
          const isOpen = state !== undefined && !state.available && state.busy !== true;
          gauge.set(isOpen ? 1 : 0, upstream, id);
        }
      },
    }),
    new Gauge("svc_catalog_version", {
      help: "Version of the catalog in force.",
      tell: (gauge) => gauge.set(catalog().version),
    }),
  ];
}

function storeGauges({ store, settlementRetries, verified }: StateSources): Metric[] {
  return [
    new Gauge("svc_store_state", {
      help: "1 for the state of the store: ok, failing (as on a full disk), or lost.",
      labels: ["state"],
      tell: (gauge) => {
        for (const state of ["ok", "failing", "lost"]) {
          gauge.set(store.health() === state ? 1 : 0, state);
        }
      },
    }),
    new Gauge("svc_store_queue_length", {
      help: "Changes that wait for the next commit.",
      tell: (gauge) => gauge.set(store.queued()),
    }),
    new Gauge("svc_store_queries_waiting", {
      help: "Queries that wait for a connection to PostgreSQL; 0 on a file.",
      tell: (gauge) => gauge.set(store.queriesWaiting()),
    }),
    new Gauge("svc_store_clock_ahead_seconds", {
      help: "Time by which this machine's clock is ahead of PostgreSQL's; 0 on a file.",
      tell: (gauge) => gauge.set(store.clockAheadMs() / 1_000),
    }),
    new Gauge("svc_late_endings", {
      help: "Holds whose ending waits for the store.",
      tell: (gauge) => gauge.set(settlementRetries()),
    }),
    new Gauge("svc_ledger_problems", {
      help: "Problems that the last `svc ledger verify` since the start found; 0 before any.",
      tell: (gauge) => {
        const result = verified()?.result;
        gauge.set(result === undefined ? 0 : result.problems.length + result.moreProblems);
      },
    }),
    new Gauge("svc_ledger_verified_timestamp_seconds", {
      help: "When `svc ledger verify` last ended, in Unix seconds; 0 where not since the start.",
      tell: (gauge) => gauge.set((verified()?.atMs ?? 0) / 1_000),
    }),
  ];
}

function processMetrics({ startedMs, nowMs }: StateSources): Metric[] {
  const memory = (name: string, help: string, read: (usage: Deno.MemoryUsage) => number) =>
    new Gauge(name, { help, tell: (gauge) => gauge.set(read(Deno.memoryUsage())) });
  return [
    new Gauge("svc_build_info", {
      help: "1, with the versions as labels.",
      labels: ["version", "deno"],
      tell: (gauge) => gauge.set(1, manifest.version, Deno.version.deno),
    }),
    new Gauge("svc_uptime_seconds", {
      help: "Time since the service started, in seconds.",
      tell: (gauge) => gauge.set((nowMs() - startedMs) / 1_000),
    }),
    new Gauge("process_start_time_seconds", {
      help: "When the process started, in Unix seconds.",
      tell: (gauge) => gauge.set(startedMs / 1_000),
    }),
    memory("process_resident_memory_bytes", "Resident memory, in bytes.", ({ rss }) => rss),
    memory("svc_heap_used_bytes", "Heap in use, in bytes.", ({ heapUsed }) => heapUsed),
    new CpuSeconds(),
  ];
}

class CpuSeconds implements Metric {
  readonly name = "process_cpu_seconds_total";
  readonly #counter = new Counter(this.name, { help: "Processor time, in seconds." });

  text(): string {
    const { user, system } = process.cpuUsage();
    this.#counter.at().value = (user + system) / 1_000_000;
    return this.#counter.text();
  }
}

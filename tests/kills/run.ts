/**
 * One run: a service, its provider and its clients, with wallets and keys.
 *
 * @module
 */

import { assert } from "@std/assert";
import { parseCredits } from "../../gateway/domain/ledger/money.ts";
import type { KeyPolicy } from "../../gateway/domain/policy/policy.ts";
import { labConfig } from "../fixtures/lab.ts";
import { Random } from "../simulation/random.ts";
import { Books } from "./books.ts";
import { Clients } from "./clients.ts";
import { CountingUpstream } from "./counting_upstream.ts";
import { MortalService } from "./mortal_service.ts";
import { Tally } from "./tally.ts";
import type { Evidence } from "./verdicts.ts";

const CLIENTS = 3;
const WALLETS: Readonly<Record<string, string>> = {
  large: "1000000",
  team: "1000000",
  small: "0.2",
};
/** Credits that the small wallet receives each round: less than its workers would spend. */
const ALLOWANCE = "0.4";
/** Budget of a key for a round: less than its worker would spend. */
const BUDGET = "0.5";

const config = (baseUrl: string) =>
  labConfig(
    { id: "writer", baseUrl, maxOutputTokens: 4_000 },
    { id: "painter", baseUrl, more: { endpoints: ["images.generations"] } },
  );

/** Number of connections that each client opens while the service is suspended. */
const QUEUED = 4;

/** Maximum wait, in milliseconds: only a hang takes so long. */
const RECOVERY_MS = 60_000;

/** One run; disposing of it ends all its parts. */
export class Run implements AsyncDisposable {
  readonly books = new Books();
  readonly tally = new Tally();
  readonly random: Random;
  readonly #budgets = new Map<string, bigint>();
  readonly #keyIds = new Map<string, string>();
  #queueing: { key: string; secret: string } | undefined;
  #queued = 0;
  #stack = new AsyncDisposableStack();
  readonly upstream: CountingUpstream;
  readonly service: MortalService;
  readonly clients: Clients;

  private constructor(
    random: Random,
    parts: { upstream: CountingUpstream; service: MortalService; clients: Clients },
  ) {
    this.random = random;
    this.upstream = parts.upstream;
    this.service = parts.service;
    this.clients = parts.clients;
  }

  /** Starts all parts, and gives the clients work. */
  static async begin(seed: number): Promise<Run> {
    await using stack = new AsyncDisposableStack();
    const folder = await Deno.makeTempDir();
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    const upstream = stack.use(new CountingUpstream());
    const service = stack.use(
      await MortalService.prepare({ folder, config: config(upstream.baseUrl) }),
    );
    const clients = stack.use(new Clients(service.publicUrl, { count: CLIENTS, seed }));
    service.begin();
    await service.ready();
    const run = new Run(new Random(seed), { upstream, service, clients });
    await run.#setUp();
    run.#stack = stack.move();
    return run;
  }

  /**
   * Waits for a condition that must become true; fails if it does not, or if the service has ended
   * by itself.
   */
  async until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const deadline = performance.now() + RECOVERY_MS;
    while (!await condition()) {
      this.service.assertAlive();
      assert(performance.now() < deadline, `Waited ${RECOVERY_MS} ms in vain for ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** Returns the evidence that the books are compared with, as it is known now. */
  evidence(): Evidence {
    return {
      books: this.books,
      sightings: [...this.clients.sightings.values()],
      calls: this.upstream.calls,
      callsBefore: this.upstream.calls.length,
      startsMs: this.service.startsMs,
      budgets: this.#budgets,
      keyIds: this.#keyIds,
    };
  }

  /** Creates wallets, keys and workers. */
  async #setUp(): Promise<void> {
    for (const [id, credits] of Object.entries(WALLETS)) {
      await this.service.admin("POST", "/wallets", { id, credits });
    }
    for (let client = 0; client < CLIENTS; client++) {
      for (const wallet of ["large", "large", "team", "small"]) await this.#employ(client, wallet);
      await this.#employ(client, "team", { pipelines: true });
    }
    this.#queueing = await this.#newKey("team", {});
    await this.allow(0);
  }

  /**
   * Lets clients call over connections that the service does not accept yet, some more than once.
   */
  async queue(): Promise<void> {
    assert(this.#queueing !== undefined);
    for (let at = 0; at < CLIENTS * QUEUED; at++) {
      const worker = `queue${this.#queued++}`;
      const key = { ...this.#queueing, worker, pipelines: true, once: true };
      await this.clients.give(at % CLIENTS, key);
    }
  }

  /** Adds credits to the small wallet, and creates a new key with a budget. */
  async allow(round: number): Promise<void> {
    await this.service.admin("POST", "/wallets/small/credit", { credits: ALLOWANCE });
    const policy = { budget: { total: BUDGET } };
    await this.#employ(round % CLIENTS, "team", { worker: "budget", policy });
  }

  async #employ(
    client: number,
    wallet: string,
    options: { worker?: string; policy?: KeyPolicy; pipelines?: boolean } = {},
  ): Promise<void> {
    const { policy = {}, pipelines = false } = options;
    const key = await this.#newKey(wallet, policy);
    await this.clients.give(client, { worker: options.worker ?? key.key, ...key, pipelines });
  }

  async #newKey(wallet: string, policy: KeyPolicy): Promise<{ key: string; secret: string }> {
    const name = `key${this.#keyIds.size}`;
    const { id, key: secret } = await this.service.admin("POST", "/keys", { name, wallet, policy });
    this.#keyIds.set(name, id);
    if (policy.budget?.total !== undefined) {
      this.#budgets.set(id, parseCredits(policy.budget.total) ?? 0n);
    }
    return { key: name, secret };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/**
 * Everything of one run: a service, its provider and its clients, with wallets and keys.
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
/** What the small wallet is given each round: less than its workers would spend. */
const ALLOWANCE = "0.4";
/** What the key with a budget may spend in a round: less than its worker would. */
const BUDGET = "0.5";

const config = (baseUrl: string) =>
  labConfig(
    { id: "writer", baseUrl, maxOutputTokens: 4_000 },
    { id: "painter", baseUrl, more: { endpoints: ["images.generations"] } },
  );

/** Connections that each client opens while nobody takes them up. */
const QUEUED = 4;

/** Time after which nothing that is waited for comes any more, in milliseconds: only a hang takes so long. */
const RECOVERY_MS = 60_000;

/** One run; everything ends with it. */
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

  /** Starts everything, and puts the clients to work. */
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
    await run.#found();
    run.#stack = stack.move();
    return run;
  }

  /** Waits for something that must come; fails where it does not, or where the service has ended by itself. */
  async until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const deadline = performance.now() + RECOVERY_MS;
    while (!await condition()) {
      this.service.assertAlive();
      assert(performance.now() < deadline, `Waited ${RECOVERY_MS} ms in vain for ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** What the books are compared with, as it is known now. */
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

  /** Wallets, keys and workers. */
  async #found(): Promise<void> {
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

  /** Has clients call over connections that nobody takes up, some more than once. */
  async queue(): Promise<void> {
    assert(this.#queueing !== undefined);
    for (let at = 0; at < CLIENTS * QUEUED; at++) {
      const worker = `queue${this.#queued++}`;
      const key = { ...this.#queueing, worker, pipelines: true, once: true };
      await this.clients.give(at % CLIENTS, key);
    }
  }

  /** New money for the small wallet, and a new key with a budget. */
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

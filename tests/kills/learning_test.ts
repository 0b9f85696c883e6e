/**
 * Kills and restarts of what routing has learned: the same snapshot decides the same, a snapshot that
 * was not written whole is none, and nothing counts twice.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { Learning } from "../../gateway/flows/learn/learning.ts";
import { chatFeatures } from "../../gateway/domain/requests/features.ts";
import { route } from "../../gateway/domain/routing/route.ts";
import type { RoutingSnapshot } from "../../gateway/domain/learning/snapshot.ts";
import { openKvStores } from "../../gateway/stores/kv/open.ts";
import { catalogWith, FULL, fullStatistics, NOW_MS } from "../bench/routing_cost/full_wallet.ts";
import { ReplayUpstream } from "../bench/end_to_end/replay_upstream.ts";
import { replayConfig, replayPlan, requestOf } from "../bench/end_to_end/replay_plan.ts";
import { MortalService } from "./mortal_service.ts";

const WALLET = "w";
const MODEL = "model-0";
const VOTES = 12;
const TASK = "task";

/** A database in memory that survives the process that writes it. */
class MortalKv {
  readonly #kv: Deno.Kv;
  /** Commits until the process is killed: none lands after them. */
  #remaining = Infinity;
  #onKill: () => void = () => {};
  /** Commits that have landed. */
  commits = 0;

  constructor(kv: Deno.Kv) {
    this.#kv = kv;
  }

  /** Kills the process before the commit after so many; resolves to true then. */
  killAfter(commits: number): Promise<boolean> {
    this.#remaining = commits;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#onKill = () => resolve(true);
    return promise;
  }

  /** Opens it as the next process does. */
  opened(): Promise<Deno.Kv> {
    this.#remaining = Infinity;
    let isDead = false;
    const atomic = () => {
      const operation = this.#kv.atomic();
      const commit = operation.commit.bind(operation);
      operation.commit = async () => {
        if (this.#remaining <= 0 && !isDead) {
          isDead = true;
          this.#onKill();
        }
        if (isDead) return await new Promise<never>(() => {});
        this.#remaining--;
        this.commits++;
        return await commit();
      };
      return operation;
    };
    const own: Partial<Deno.Kv> = { atomic, close: () => {} };
    const proxy = new Proxy(this.#kv, {
      get: (kv, name) => {
        const value = Reflect.get(own, name) ?? Reflect.get(kv, name, kv);
        return typeof value === "function" ? value.bind(kv) : value;
      },
    });
    return Promise.resolve(proxy);
  }

  close(): void {
    this.#kv.close();
  }
}

/** One process: its stores, and what it learns. */
async function begin(kv: MortalKv) {
  const stores = await openKvStores(":memory:", { openKv: () => kv.opened(), nowMs: () => NOW_MS });
  const { snapshots, votes } = stores;
  const catalogs = { current: () => catalogWith(FULL.models) };
  const errors: string[] = [];
  const logger = {
    info: () => {},
    warn: () => {},
    error: (event: string) => void errors.push(event),
  };
  const parts = { snapshots, votes, catalogs, clock: { nowMs: () => NOW_MS }, logger };
  const learning = new Learning({ ...parts, secret: "secret" });
  await learning.open();
  return { stores, learning, errors };
}

function votesIn(snapshot: RoutingSnapshot): number | undefined {
  return snapshot.wallets.get(WALLET)?.statistics.tasks[TASK]?.models[MODEL]?.sums.feedback?.weight;
}

/** Returns a snapshot as it compares: members without a value are none. */
function plain(snapshot: RoutingSnapshot | undefined): unknown {
  return JSON.parse(JSON.stringify({ ...snapshot, wallets: [...snapshot?.wallets ?? []] }));
}

/** Notes so many served requests of many tasks that a snapshot has several chunks. */
function noteMuch(learning: Learning): void {
  const statistics = fullStatistics(WALLET, FULL).get(WALLET);
  for (const [task, { models }] of Object.entries(statistics?.tasks ?? {})) {
    for (const model of Object.keys(models)) {
      const note = { walletId: WALLET, task, model, atMs: NOW_MS - 1 };
      learning.noteServed({ ...note, charged: 1 / 3, bestFactor: 1.5, cheapestFactor: 1 / 7 });
    }
  }
}

async function storeVotes({ stores }: Awaited<ReturnType<typeof begin>>): Promise<void> {
  for (let at = 0; at < VOTES; at++) {
    const vote = { logId: `log_${at}`, source: "caller", score: at % 2, atMs: NOW_MS };
    const call = { model: MODEL, task: TASK, load: 1 };
    await stores.votes.put({ ...vote, ...call, walletId: WALLET, keyId: "key" });
  }
}

Deno.test("killed after any commit of a snapshot, the previous one is in force, and votes count once", async () => {
  let [commits, killedTimes] = [Infinity, 0];
  for (let kill = 0; kill < commits; kill++) {
    const kv = new MortalKv(await Deno.openKv(":memory:"));
    const first = await begin(kv);
    first.learning.noteServed({
      ...{ walletId: WALLET, task: "earlier", model: MODEL, atMs: NOW_MS },
      ...{ charged: 1, bestFactor: 1, cheapestFactor: 1 },
    });
    await first.learning.take();
    const previous = first.learning.newest();
    await storeVotes(first);
    noteMuch(first.learning);
    const before = kv.commits;
    const killed = kv.killAfter(kill);
    // Without a kill it ends; a killed one never does.
    const isKilled = await Promise.race([killed, first.learning.take().then(() => false)]);
    if (!isKilled) commits = kv.commits - before;

    const stored = await openKvStores(":memory:", { openKv: () => kv.opened() });
    const latest = await stored.snapshots.latest();
    const isWhole = latest?.number === previous.number + 1;
    assert(isWhole || latest?.number === previous.number, `kill ${kill}: ${latest?.number}`);
    if (!isWhole) assertEquals(plain(latest), plain(previous), `kill ${kill}`);
    assertEquals(votesIn(latest ?? previous), isWhole ? VOTES : undefined, `kill ${kill}`);
    await stored.close();

    const second = await begin(kv);
    assertEquals(second.errors, []);
    assertEquals(votesIn(second.learning.newest()), VOTES, `kill ${kill}`);
    assertEquals(second.learning.newest().number, previous.number + 1);
    await second.learning.take();
    assertEquals(second.learning.newest().number, previous.number + 1, "nothing is left to add");
    const read = await second.stores.snapshots.latest();
    assertEquals(plain(read), plain(second.learning.newest()));
    killedTimes += isKilled ? 1 : 0;
    await second.stores.close();
    kv.close();
  }
  assert(killedTimes > 5, `killed ${killedTimes} times`);
});

Deno.test("the next process has the same snapshot, and decides the same for the same id", async () => {
  const kv = new MortalKv(await Deno.openKv(":memory:"));
  const first = await begin(kv);
  await storeVotes(first);
  noteMuch(first.learning);
  await first.learning.take();
  assert(await first.learning.freeze(1));
  noteMuch(first.learning);
  await first.learning.take();
  const decisions = ({ learning }: typeof first) =>
    Array.from({ length: 40 }, (_, at) => decide(learning, `log_${at}`));
  const before = decisions(first);
  assert(new Set(before.map((text) => text.slice(0, 200))).size > 1, "the seeds differ");
  void kv.killAfter(0);

  const second = await begin(kv);
  assertEquals([second.learning.snapshot().number, second.learning.newest().number], [1, 2]);
  assertEquals(decisions(second), before, "frozen, also for the next process");
  assert(await second.learning.freeze(undefined));
  assertEquals(second.learning.snapshot().number, 2);
  const newest = decisions(second);
  void kv.killAfter(0);
  const third = await begin(kv);
  assertEquals(decisions(third), newest);
  await third.stores.close();
  kv.close();
});

/** Returns the plan for a request with one id as text. */
function decide(learning: Learning, logId: string): string {
  const content = `${logId}: compare two designs of a queue`;
  const features = chatFeatures({ model: "auto", messages: [{ role: "user", content }] });
  const plan = route({
    ...{ catalog: catalogWith(FULL.models), features, policy: { auto: { verify: "auto" } } },
    wallet: {
      ...{ id: WALLET, tier: "all", credits: 10n ** 12n, available: 10n ** 12n },
      ...{ held: 0n, spent: 0n, writtenOff: 0n, createdAtMs: NOW_MS },
    },
    ...{ budget: {}, pool: new Map(), snapshot: learning.snapshot(), nowMs: NOW_MS },
    ...{ task: TASK, seed: learning.seedOf(logId) },
  });
  assert(plan.ok);
  return JSON.stringify(plan, (_, value) => typeof value === "bigint" ? `${value}n` : value);
}

const QUESTIONS = replayPlan({
  name: "kills",
  models: ["small", "large"],
  quality: [0.85, 0.9],
  questions: Array.from({ length: 8 }, (_, at) => ({
    ...{ q: `Which of them is it, number ${at}?`, cat: "which", y: [0, 1], c: [20, 200] },
  })),
}, { requests: 8, snapshotEvery: 8, seed: 1 });

// Windows has no signals that end a process.
const NOT_WINDOWS = { ignore: Deno.build.os === "windows" };

Deno.test(
  "kill -9 while a start takes a snapshot: every vote counts once, the answer is the same",
  NOT_WINDOWS,
  async () => {
    await using stack = new AsyncDisposableStack();
    const folder = await Deno.makeTempDir();
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    const upstream = stack.use(new ReplayUpstream(QUESTIONS));
    const config = replayConfig(QUESTIONS, { baseUrl: upstream.baseUrl, auto: { exploration: 0 } });
    const service = stack.use(await MortalService.prepare({ folder, config }));
    service.begin();
    await service.ready();
    await service.admin("POST", "/wallets", { id: "kills", credits: "1000000", tier: "all" });
    const issued = await service.admin("POST", "/keys", {
      name: "kills",
      wallet: "kills",
      policy: { models: ["m0"] },
    });
    const key = String(issued.key);
    const first = await ask(service, key, 0);
    for (let at = 1; at < 8; at++) {
      const { requestId } = await ask(service, key, at);
      await post(service, key, "/api/v1/feedback", { request_id: requestId, score: 0 });
    }
    assertEquals([first.routing.snapshot, first.routing.outcomes], [0, 0]);
    for (const pauseMs of [0, 2, 10]) {
      await service.kill();
      service.begin();
      await service.writing();
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    await service.kill();
    service.begin();
    await service.ready();
    const learned = await ask(service, key, 0);
    const { snapshot, task } = learned.routing;
    assert(snapshot >= 1, `${snapshot}`);
    assertEquals(task, first.routing.task, "the fingerprint is the same");
    const counted = (routing: Routing) => [routing.model, routing.outcomes, routing.p];
    assertEquals(learned.routing.model, first.routing.model);
    assertEquals(learned.routing.outcomes, 7, "every vote counts once");
    await service.kill();
    service.begin();
    await service.ready();
    const again = await ask(service, key, 0);
    assertEquals(again.routing.snapshot, snapshot, "nothing was left to add");
    assertEquals(counted(again.routing), counted(learned.routing));
  },
);

interface Routing {
  readonly model: string;
  readonly snapshot: number;
  readonly task: string;
  readonly outcomes: number;
  readonly p: number;
}

async function ask(
  service: MortalService,
  key: string,
  at: number,
): Promise<{ readonly requestId: string; readonly routing: Routing }> {
  const question = QUESTIONS.set.questions[QUESTIONS.order[at] ?? 0];
  assert(question !== undefined);
  const answer = await post(service, key, "/openai/v1/chat/completions", {
    ...requestOf(QUESTIONS, question),
  });
  return { requestId: answer.metadata.request_id, routing: answer.metadata.routing };
}

async function post(service: MortalService, key: string, path: string, body: unknown) {
  const response = await fetch(service.publicUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  assertEquals(response.status, 200, JSON.stringify(answer));
  return answer;
}

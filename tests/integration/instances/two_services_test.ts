/**
 * Two services on one database: their clocks differ, and what is changed at one is in force at the
 * other.
 *
 * @module
 */

import { assertEquals, assertLess } from "@std/assert";
import type { Clock } from "../../../gateway/ports/clock.ts";
import { labConfig } from "../../fixtures/lab.ts";
import { newDatabase, postgresBin, startPostgres } from "../../fixtures/postgres.ts";
import { TestService, until } from "../../fixtures/service.ts";
import { CountingUpstream, priceOf } from "../../kills/counting_upstream.ts";
import { promptOf } from "../../kills/script.ts";

const bin = await postgresBin();
/** Time by which the clock of the other service is ahead, in milliseconds. */
const AHEAD_MS = 30_000;
/** Longer than a lease: an instance that seemed silent would be ended by then. */
const LEASE_OVER_MS = 7_500;
/** A change is heard of within this time, in milliseconds, as long as the services run. */
const HEARD_MS = 1_000;
/** Time between two ticks of {@linkcode running}, and the time that a tick counts at most. */
const TICK_MS = 10;
const TICK_MAX_MS = 20;

interface Scene {
  readonly one: TestService;
  readonly other: TestService;
  readonly upstream: CountingUpstream;
}

const AHEAD: Clock = {
  nowMs: () => Date.now() + AHEAD_MS,
  monotonicMs: () => performance.now() + AHEAD_MS,
};

async function onTwo(test: (scene: Scene) => Promise<void>): Promise<void> {
  await using server = await startPostgres(bin ?? "");
  const { url } = await newDatabase(server);
  await using upstream = new CountingUpstream();
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
  const settings = { store: { kind: "postgres", url } } as const;
  await using one = await TestService.start({ config, settings });
  await using other = await TestService.start({ config, settings, clock: AHEAD });
  await test({ one, other, upstream });
}

async function statusOf(service: TestService, key: string, stream = false): Promise<number> {
  const messages = [{ role: "user", content: promptOf({ words: 5, gapMs: 0, reports: true }) }];
  const body = { messages, max_completion_tokens: 16, stream };
  const response = await service.chat(body, { key });
  await response.text();
  return response.status;
}

/**
 * Returns a function that stops the count of the time for which this process, and the services in it,
 * has run. A busy machine lets it stand still again and again: that time is no delay of a service.
 */
function running(): () => number {
  let [countedMs, lastMs] = [0, performance.now()];
  const timer = setInterval(() => {
    const nowMs = performance.now();
    countedMs += Math.min(nowMs - lastMs, TICK_MAX_MS);
    lastMs = nowMs;
  }, TICK_MS);
  return () => {
    clearInterval(timer);
    return countedMs;
  };
}

/** Asserts that the other service does as one has been told, within a second. */
async function assertHeard(what: string, isHeard: () => Promise<boolean>): Promise<void> {
  const stop = running();
  try {
    await until(isHeard, what);
  } finally {
    assertLess(stop(), HEARD_MS, what);
  }
}

const CASES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  "clocks that differ by half a minute": async ({ one, other, upstream }) => {
    const { key } = await one.newKey();
    const limited = await one.newKey({ policy: { requestsPerMinute: 7 } });
    const all = [one, other];
    const statuses: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const service = all[turn % 2] ?? one;
      statuses.push(await statusOf(service, limited.key));
    }
    assertEquals(statuses.filter((status) => status === 200).length, 7);
    const untilMs = performance.now() + LEASE_OVER_MS;
    let calls = 0;
    for (; performance.now() < untilMs; calls += 2) {
      const answers = all.map((service, at) => statusOf(service, key, at === calls / 2 % 2));
      assertEquals(await Promise.all(answers), [200, 200]);
    }
    for (const service of all) await service.assertBooks();
    assertEquals(upstream.calls.length, calls + 7);
    const cost = upstream.calls.reduce((sum, call) => sum + priceOf(call), 0n);
    const spent = (await one.wallets()).reduce((sum, wallet) => sum + wallet.spent, 0n);
    assertEquals(spent, cost);
    // Neither took the other for dead.
    const warnings = one.logs.concat(other.logs).filter(({ level }) => level !== "info");
    assertEquals(warnings.map(({ event }) => event), ["clock_apart"]);
  },

  "files and vector stores of one are there at the other at once, and their rate is one": async (
    { one, other },
  ) => {
    const { key } = await one.newKey();
    await assertHeard("a new key", async () => await statusOf(other, key) === 200);
    const [here, there] = [one, other].map((service) => service.client({ apiKey: key }));
    for (let round = 0; round < 5; round++) {
      const file = await here?.files.create({
        file: new File([`The lamp of tower ${round} is green`], "lamp.txt"),
        purpose: "assistants",
      });
      const store = await here?.vectorStores.create({ name: `Tower ${round}` });
      const [id, fileId] = [store?.id ?? "", file?.id ?? ""];
      assertEquals((await there?.vectorStores.retrieve(id))?.name, `Tower ${round}`);
      assertEquals((await there?.vectorStores.list())?.data[0]?.id, id);
      await there?.vectorStores.files.create(id, { file_id: fileId });
      const hits = await there?.vectorStores.search(id, { query: "lamp" });
      assertEquals(hits?.data.length, 1);
      // With its file goes the text in a store that the instance has just found.
      await here?.files.delete(fileId);
      const remaining = await there?.vectorStores.files.list(id);
      assertEquals(remaining?.data, []);
      await there?.vectorStores.delete(id);
    }
    const limited = await one.newKey({ policy: { files: { requestsPerMinute: 7 } } });
    await assertHeard("a new key", async () => await statusOf(other, limited.key) === 200);
    const statuses: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const { openaiUrl } = turn % 2 === 0 ? one : other;
      const headers = { authorization: `Bearer ${limited.key}` };
      const answer = await fetch(`${openaiUrl}/files`, { headers });
      await answer.body?.cancel();
      statuses.push(answer.status);
    }
    assertEquals(statuses.filter((status) => status === 200).length, 7);
  },

  "keys, revocations and the catalog of one are in force at the other": async ({ one, other }) => {
    const { id, key } = await one.newKey();
    await assertHeard("a new key", async () => await statusOf(other, key) === 200);
    await one.admin("POST", `/keys/${id}/disable`);
    await assertHeard("a disabled key", async () => await statusOf(other, key) !== 200);
    await one.admin("POST", `/keys/${id}/enable`);
    await assertHeard("an enabled key", async () => await statusOf(other, key) === 200);
    const content = { ...labConfig({ id: "later", baseUrl: "http://127.0.0.1:9/v1" }) };
    const applied = await one.admin("POST", "/catalog/apply", { content });
    const models = async () => JSON.stringify((await other.admin("GET", "/models")).models);
    await assertHeard("a catalog", async () => (await models()).includes("later"));
    const { version } = other.running.stores.catalogs.current();
    assertEquals(version, applied.version);
    await one.admin("POST", `/keys/${id}/revoke`);
    await assertHeard("a revocation", async () => await statusOf(other, key) === 401);
  },
};

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  for (const [name, prove] of Object.entries(CASES)) {
    Deno.test(`two services on one database: ${name}`, () => onTwo(prove));
  }
}

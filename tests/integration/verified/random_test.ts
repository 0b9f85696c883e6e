/**
 * Many verified requests at once, with random answers, failures and callers who leave: the books are
 * right afterwards, and every row is charged what its wallet was.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { Random } from "../../simulation/random.ts";
import { until } from "../../fixtures/service.ts";
import { askVerified, type Doing, verifiedLab } from "../../fixtures/verified.ts";

const REQUESTS = 60;
/** Little enough that some requests meet a wallet that others hold. */
const CREDITS = "6";

for (const seed of [1, 2, 3]) {
  Deno.test(`after ${REQUESTS} random verified requests the books are right, seed ${seed}`, async () => {
    await using lab = await verifiedLab({ third: true });
    const { service, upstream } = lab;
    const random = new Random(seed);
    const { key, wallet } = await service.newKey({ credits: CREDITS });
    const doing = (): Doing =>
      random.chance(0.1)
        ? { status: random.pick([400, 429, 500]) }
        : random.chance(0.05)
        ? "stall"
        : { say: random.pick(["A", "B", "b.", ""]) };
    for (const id of ["alpha", "beta", "gamma", "zeta"]) {
      upstream.on(id, ...Array.from({ length: REQUESTS }, doing));
    }
    const statuses: number[] = [];
    for (let sent = 0; sent < REQUESTS; sent += 4) {
      await Promise.all([0, 1, 2, 3].map(async (at) => {
        const leaving = new AbortController();
        const leaveMs = random.chance(0.3) ? random.below(60) : 500;
        const timer = setTimeout(() => leaving.abort(), leaveMs);
        const endpoint = at % 2 === 0 ? "chat" : "responses";
        const stream = random.chance(0.5);
        try {
          const response = await askVerified(service, {
            key,
            endpoint,
            stream,
            signal: leaving.signal,
          });
          statuses.push(response.status);
          await response.text();
        } catch {
          assert(leaving.signal.aborted);
        } finally {
          clearTimeout(timer);
        }
      }));
    }
    await service.assertBooks();
    const { spent } = await service.wallet(wallet);
    const { log } = service.running.stores;
    const { records } = await log.search({ limit: 100 });
    const micros = records.map(({ charged }) => BigInt(charged.replace(".", "")));
    assertEquals(micros.reduce((sum, charged) => sum + charged, 0n), spent);
    assert(records.length <= REQUESTS, `${records.length}`);
    assert(records.some(({ routing }) => routing?.plan === "verified"));
    assert(statuses.includes(200));
    await until(() => service.running.gateway.inFlight.count === 0, "every request to end");
  });
}

/**
 * The commands of `docs/scaling.md`: a dump of a database under load, and its restore into another,
 * where an instance starts and the books are right.
 *
 * @module
 */

import { assertEquals, assertGreater } from "@std/assert";
import { join } from "@std/path";
import { dumpTo, restoreDump } from "../../fixtures/documented_dump.ts";
import type { Fleet } from "../../fixtures/fleet.ts";
import { postgresBin } from "../../fixtures/postgres.ts";
import { ADMIN_TOKEN, until } from "../../fixtures/service.ts";
import { ServiceProcess, svc } from "../../fixtures/service_process.ts";
import { Books } from "../../kills/books.ts";
import { FleetRun } from "../../kills/fleet_run.ts";
import { type Evidence, judge } from "../../kills/verdicts.ts";

/** Complete answers before the dump begins. */
const ANSWERS = 40;

/** A stop need not wait for a proxy to notice it. */
const AT_ONCE = { SERVICE_DRAIN_SECONDS: "0" };

const bin = await postgresBin();

/** Calls the admin API of the restored service. */
async function admin({ adminUrl }: ServiceProcess, method: string, path: string) {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const response = await fetch(`${adminUrl}/admin/v1${path}`, { method, headers });
  return await response.json();
}

/** Starts an instance on the restored database. */
async function startOn(url: string, folder: string): Promise<ServiceProcess> {
  const env = { SERVICE_ADMIN_TOKEN: ADMIN_TOKEN };
  return await ServiceProcess.start(join(folder, "unused.kv"), env, { databaseUrl: url });
}

/** Asserts that the restored books have all that was answered before the dump began. */
async function assertBooks(
  service: ServiceProcess,
  evidence: Evidence,
): Promise<void> {
  await until(
    async () => (await admin(service, "GET", "/ledger/verify")).openHolds === 0,
    "holds of the dump to end",
  );
  const verified = await svc(["ledger", "verify", "--json"], {
    ...{ SERVICE_ADMIN_URL: service.adminUrl, SERVICE_ADMIN_TOKEN: ADMIN_TOKEN },
  });
  assertEquals(verified.code, 0, verified.stdout + verified.stderr);
  const books = new Books();
  await books.read({ admin: (method, path) => admin(service, method, path) });
  const verdict = judge({ ...evidence, books });
  assertEquals(verdict, { overspentMicros: 0n, overspent: [], lost: [], doubled: [] });
  assertGreater(books.rows.size, ANSWERS - 1);
}

async function stopAll(fleet: Fleet): Promise<void> {
  const ends = await Promise.all(fleet.members.map(({ at }) => fleet.stop(at)));
  assertEquals(ends.map(({ code }) => code), ends.map(() => 0));
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("a dump of a database under load is restored by the documented commands, with right books", async () => {
    await using stack = new AsyncDisposableStack();
    const folder = await Deno.makeTempDir({ prefix: "svc_dump_" });
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    const fleetRun = stack.use(
      await FleetRun.begin({ count: 2, workers: 8, seed: 1, env: AT_ONCE }),
    );
    const { fleet, load } = fleetRun;
    const isComplete = ({ ending }: { readonly ending: string }) => ending === "complete";
    await until(() => load.sightings.filter(isComplete).length >= ANSWERS, "answers");
    const evidence = fleetRun.evidence();
    const options = { folder, store: fleet.databaseUrl, bin };
    await dumpTo(options);
    await load.stop();
    await stopAll(fleet);
    await using service = await startOn(await restoreDump(options), folder);
    await assertBooks(service, evidence);
  });
}

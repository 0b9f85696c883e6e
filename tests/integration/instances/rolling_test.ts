/**
 * Instances behind a proxy are replaced one by one under load, by versions that add a column, fill it
 * and drop it: no request fails, and no stream is cut.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { CheckingProxy } from "../../fixtures/checking_proxy.ts";
import { Fleet } from "../../fixtures/fleet.ts";
import { labConfig } from "../../fixtures/lab.ts";
import { copyVersion, type LaterMigration, writeMigrations } from "../../fixtures/later_version.ts";
import { postgresBin } from "../../fixtures/postgres.ts";
import { until } from "../../fixtures/service.ts";
import { CountingUpstream } from "../../kills/counting_upstream.ts";
import { FleetLoad, newKeys } from "../../kills/fleet_load.ts";

/** `ROLLING_PASSES=3` replaces all instances by each version in turn. */
const PASSES = Number(Deno.env.get("ROLLING_PASSES") ?? 1);
const INSTANCES = 3;
const WORKERS = 8;
/** Several times what the proxy needs to notice. */
const DRAIN_SECONDS = "1.5";

/** Each is a version of its own: those before it go on while it is introduced. */
const STEPS: readonly LaterMigration[] = [
  {
    name: "add",
    sql: "alter table journal add column note text; alter table wallet add column note text;" +
      "alter table hold add column note text",
  },
  {
    name: "fill",
    sql: "update journal set note = op where note is null; update wallet set note = id",
  },
  {
    name: "drop",
    sql: "alter table hold drop column note; alter table wallet drop column note;" +
      "alter table journal drop column note",
  },
];

async function assertBooks(fleet: Fleet): Promise<void> {
  const { ok, problems, openHolds } = await fleet.admin("GET", "/ledger/verify");
  assertEquals([ok, problems, openHolds], [true, [], 0]);
}

interface Scene {
  readonly fleet: Fleet;
  readonly proxy: CheckingProxy;
  /** Folder of the later versions. */
  readonly root: string;
}

/** Replaces an instance by a later version; resolves when the proxy sends requests to the new one. */
async function replace({ fleet, proxy, root }: Scene, at: number, version: number): Promise<void> {
  await writeMigrations(root, STEPS.slice(0, version));
  const { code, stderr } = await fleet.stop(at);
  assertEquals(code, 0, stderr);
  const { process } = await fleet.begin(at, root);
  await until(() => proxy.ready.includes(process.publicUrl), "the proxy to use it");
}

if (await postgresBin() === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("instances are replaced one by one under load, through migrations, and no call fails", async () => {
    await using stack = new AsyncDisposableStack();
    const folder = await Deno.makeTempDir({ prefix: "svc_later_" });
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    const root = join(folder, "later");
    await copyVersion(root);
    const upstream = stack.use(new CountingUpstream());
    const { baseUrl } = upstream;
    const config = labConfig({ id: "writer", baseUrl, maxOutputTokens: 4_000 });
    const env = { SERVICE_DRAIN_SECONDS: DRAIN_SECONDS };
    const fleet = stack.use(await Fleet.start({ count: INSTANCES, config, env }));
    const all = new Set<string>();
    const proxy = stack.use(
      new CheckingProxy(() => {
        // One that drains is asked as well: the proxy hears of its end from it alone.
        for (const { url } of fleet.targets) all.add(url);
        return [...all];
      }),
    );
    await until(() => proxy.ready.length === INSTANCES, "the proxy to use all");
    const load = new FleetLoad(() => [{ at: 0, url: proxy.url }], await newKeys(fleet, WORKERS), 1);
    stack.defer(() => load.stop());
    for (let pass = 0; pass < PASSES; pass++) {
      for (let at = 0; at < INSTANCES; at++) {
        const before = load.sightings.length;
        // One pass brings each version to one instance; several bring each to all.
        await replace({ fleet, proxy, root }, at, 1 + (PASSES === 1 ? at : pass));
        assert(load.sightings.length > before);
        assertEquals(load.failed(), []);
      }
    }
    const names = await fleet.sql<{ name: string }[]>`
      select name from migration order by version desc limit ${STEPS.length}
    `;
    assertEquals(names.map(({ name }) => name).reverse(), STEPS.map(({ name }) => name));
    upstream.hurry();
    await load.stop();
    assertEquals(load.failed(), []);
    await assertBooks(fleet);
    console.info(`${PASSES * INSTANCES} replacements, ${load.sightings.length} calls, none failed`);
  });
}

import { assert, assertEquals } from "@std/assert";
import { AdminTokens } from "../flows/keys/admin_tokens.ts";
import { KeyRing } from "../flows/keys/key_ring.ts";
import { openKvStores } from "../stores/kv/open.ts";
import { systemClock as clock } from "../system/clock.ts";
import { Trail } from "../flows/operators/trail.ts";
import { Peppers } from "../flows/keys/peppers.ts";
import { firstStart, firstStartShown } from "./first_start.ts";

const silent = { info: () => {}, warn: () => {}, error: () => {} };

async function setUp() {
  const stores = await openKvStores(":memory:");
  const peppers = new Peppers({ version: 1, secret: "pepper" });
  const keyRing = new KeyRing(peppers, { keys: stores.keys, clock, logger: silent });
  const trail = new Trail({ ...stores, clock, logger: silent });
  const options = { ...stores, keyRing, peppers, clock, trail, tier: "standard" };
  return {
    stores,
    keyRing,
    options,
    [Symbol.asyncDispose]: async () => {
      await keyRing.idle();
      await stores.close();
    },
  };
}

Deno.test("an empty store gets a funded wallet, a key that works and an admin token, once", async () => {
  await using setup = await setUp();
  const { stores, keyRing, options } = setup;
  const secrets = await firstStart(options);
  assert(secrets !== undefined);
  assertEquals((await stores.ledger.wallet("default"))?.available, 1_000_000_000_000n);
  const record = await keyRing.authenticate(secrets.key);
  assertEquals(record?.policy.orchestration, { mode: "auto", stream: "all" });
  const { peppers } = options;
  const tokens = await AdminTokens.open({ ...stores, peppers, logger: silent });
  assertEquals([tokens.admits(secrets.adminToken), tokens.admits(secrets.key)], [true, false]);
  await firstStartShown(stores.settings, clock);
  assertEquals(await firstStart(options), undefined);
  const { entries } = await stores.trailStore.page({ limit: 9 });
  assertEquals(entries.map(({ action, stage, author: { id } }) => [action, stage, id]), [
    ["firstStart", "done", "start"],
    ["firstStart", "begun", "start"],
  ]);
  const text = JSON.stringify(entries);
  assert(!text.includes(secrets.key) && !text.includes(secrets.adminToken), text);
});

Deno.test("a first start that was killed before its secrets were shown begins again, funded once", async () => {
  await using setup = await setUp();
  const { stores, keyRing, options } = setup;
  const lost = await firstStart(options);
  const shown = await firstStart(options);
  assert(lost !== undefined && shown !== undefined);
  assertEquals(await keyRing.authenticate(lost.key), undefined);
  assert(await keyRing.authenticate(shown.key) !== undefined);
  assertEquals((await stores.ledger.wallet("default"))?.credits, 1_000_000_000_000n);
});

Deno.test("fixed secrets are taken, also by a first start that begins again", async () => {
  await using setup = await setUp();
  const { keyRing, options } = setup;
  const fixed = { bootstrapKey: "a_fixed_key_0123456789", adminToken: "a_fixed_token_0123456789" };
  for (let start = 0; start < 2; start += 1) {
    const secrets = await firstStart({ ...options, ...fixed });
    assertEquals(secrets, { key: fixed.bootstrapKey, adminToken: fixed.adminToken });
    assert(await keyRing.authenticate(fixed.bootstrapKey) !== undefined);
  }
});

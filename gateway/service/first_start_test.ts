import { assert, assertEquals, assertRejects } from "@std/assert";
import { KeyRing } from "../flows/key_ring.ts";
import { openKvStores } from "../stores/kv/open.ts";
import { systemClock as clock } from "../system/clock.ts";
import { adminTokenDigests, firstStart, firstStartShown } from "./first_start.ts";
import { PepperError, pepperOf } from "./pepper.ts";

const silent = { info: () => {}, warn: () => {}, error: () => {} };

async function setUp() {
  const stores = await openKvStores(":memory:");
  const keyRing = new KeyRing("pepper", { keys: stores.keys, clock, logger: silent });
  const options = { ...stores, keyRing, clock, tier: "standard" };
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
  await using house = await setUp();
  const { stores, keyRing, options } = house;
  const secrets = await firstStart(options);
  assert(secrets !== undefined);
  assertEquals((await stores.ledger.wallet("default"))?.available, 1_000_000_000_000n);
  const record = await keyRing.authenticate(secrets.key);
  assertEquals(record?.policy.orchestration, { mode: "auto", stream: "all" });
  const digests = await adminTokenDigests(stores.settings, { keyRing });
  assertEquals(digests, [keyRing.digest(secrets.adminToken)]);
  await firstStartShown(stores.settings, clock);
  assertEquals(await firstStart(options), undefined);
});

Deno.test("a first start that was killed before its secrets were shown begins again, funded once", async () => {
  await using house = await setUp();
  const { stores, keyRing, options } = house;
  const lost = await firstStart(options);
  const shown = await firstStart(options);
  assert(lost !== undefined && shown !== undefined);
  assertEquals(await keyRing.authenticate(lost.key), undefined);
  assert(await keyRing.authenticate(shown.key) !== undefined);
  assertEquals((await stores.ledger.wallet("default"))?.credits, 1_000_000_000_000n);
});

Deno.test("fixed secrets are taken, also by a first start that begins again", async () => {
  await using house = await setUp();
  const { keyRing, options } = house;
  const fixed = { bootstrapKey: "a_fixed_key_0123456789", adminToken: "a_fixed_token_0123456789" };
  for (let start = 0; start < 2; start += 1) {
    const secrets = await firstStart({ ...options, ...fixed });
    assertEquals(secrets, { key: fixed.bootstrapKey, adminToken: fixed.adminToken });
    assert(await keyRing.authenticate(fixed.bootstrapKey) !== undefined);
  }
});

Deno.test("an admin token given at a later start is let in beside the first one", async () => {
  await using house = await setUp();
  const { stores, keyRing, options } = house;
  await firstStart(options);
  const given = { keyRing, adminToken: "another_token_0123456789" };
  assertEquals((await adminTokenDigests(stores.settings, given)).length, 2);
});

Deno.test("a pepper is made once and kept; another one is refused", async () => {
  await using house = await setUp();
  const { settings } = house.stores;
  const made = await pepperOf(settings);
  assertEquals(await pepperOf(settings), made);
  assertEquals(await pepperOf(settings, made), made);
  await assertRejects(() => pepperOf(settings, "another"), PepperError, "made with another");
});

Deno.test("a given pepper is not stored, and is asked for again", async () => {
  await using house = await setUp();
  const { settings } = house.stores;
  await pepperOf(settings, "given");
  await assertRejects(() => pepperOf(settings), PepperError, "SERVICE_KEY_PEPPER");
  assertEquals(await pepperOf(settings, "given"), "given");
});

import { assert, assertEquals } from "@std/assert";
import { createHmac } from "node:crypto";
import { formatKey } from "../../domain/policy/key_format.ts";
import { newAdminToken } from "./admin_tokens.ts";
import { KeyRing } from "./key_ring.ts";
import { MemoryKeys } from "./memory_keys_fixture.ts";
import { newKeyParts } from "./new_secret.ts";
import { Peppers } from "./peppers.ts";

const START_MS = Date.UTC(2026, 10, 21, 12);
const OLD = { version: 1, secret: "old" };
const NEW = { version: 2, secret: "new" };

/** Counts what digests are asked for. */
class CountedPeppers extends Peppers {
  calls = 0;
  override digests(secret: string): readonly string[] {
    this.calls++;
    return super.digests(secret);
  }
}

function setUp(peppers = new CountedPeppers(OLD)) {
  const keys = new MemoryKeys();
  const time = { ms: START_MS };
  const lines: string[] = [];
  const log = (event: string) => void lines.push(event);
  const ring = new KeyRing(peppers, {
    keys,
    clock: { nowMs: () => time.ms, monotonicMs: () => time.ms },
    logger: { info: log, warn: log, error: log },
  });
  const issue = async (policy = {}) => {
    const made = await ring.issue({ name: "app", walletId: "team", policy });
    assert(made.ok);
    return { key: made.key, id: made.record.id };
  };
  return { keys, time, ring, peppers, lines, issue };
}

/** One key for every reason that it may be refused for, each in use until then. */
async function refusedKeys({ ring, time, issue }: ReturnType<typeof setUp>) {
  const expiresAt = new Date(START_MS + 1_000).toISOString();
  const [revoked, disabled, expired] = [await issue(), await issue(), await issue({ expiresAt })];
  for (const { key } of [revoked, disabled, expired]) assert(await ring.authenticate(key));
  await ring.revoke(revoked.id);
  await ring.disable(disabled.id);
  time.ms += 1_000;
  await ring.idle();
  const unknown = formatKey(newKeyParts());
  const sum = unknown.endsWith("0") ? "1" : "0";
  return {
    revoked: revoked.key,
    disabled: disabled.key,
    expired: expired.key,
    unknown,
    "wrong checksum": unknown.slice(0, -1) + sum,
    malformed: "no key at all!",
    "a good key, and more": `${(await issue()).key} `,
    long: "x".repeat(5_000),
    "another class": newAdminToken(),
  };
}

Deno.test("every refusal costs the same digests and the same looks into the store, at each try", async () => {
  for (const peppers of [new CountedPeppers(OLD), new CountedPeppers(NEW, OLD)]) {
    const setup = setUp(peppers);
    const { keys, ring } = setup;
    for (const [reason, key] of Object.entries(await refusedKeys(setup))) {
      for (let time = 0; time < 3; time++) {
        const before = { digests: peppers.calls, ...keys.calls };
        assertEquals(await ring.authenticate(key), undefined, reason);
        await ring.idle();
        const expected = { ...before, digests: before.digests + 1, find: before.find + 1 };
        assertEquals({ digests: peppers.calls, ...keys.calls }, expected, reason);
      }
    }
  }
});

Deno.test("a key that serves is answered from memory", async () => {
  const { keys, ring, peppers, issue } = setUp();
  const { key } = await issue();
  for (let time = 0; time < 3; time++) assert(await ring.authenticate(key));
  assertEquals([peppers.calls, keys.calls.find], [1, 1]);
  await ring.idle();
});

const digestUnder = ({ version, secret }: typeof OLD, key: string) =>
  `${version}.${createHmac("sha256", secret).update(key).digest("hex")}`;

Deno.test("a key under the old pepper serves, and moves to the new one at its use", async () => {
  const { keys, ring, peppers, issue } = setUp();
  const [used, idle] = [await issue(), await issue()];
  assert(await ring.authenticate(used.key));
  peppers.change(NEW, OLD);
  const made = await issue();
  await Promise.all(Array.from({ length: 10 }, () => ring.authenticate(used.key)));
  await ring.idle();
  assertEquals(keys.calls.move, 1);
  const digests = [used, idle, made].map(({ id }) => keys.stored.get(id)?.digest);
  assertEquals(digests, [
    digestUnder(NEW, used.key),
    digestUnder(OLD, idle.key),
    digestUnder(NEW, made.key),
  ]);
  peppers.change(NEW);
  assertEquals((await ring.authenticate(used.key))?.id, used.id);
  assertEquals(await ring.authenticate(idle.key), undefined);
  await ring.revoke(used.id);
  assertEquals(await ring.authenticate(used.key), undefined);
  await ring.idle();
});

Deno.test("a move that fails refuses no request and is tried again, once a minute", async () => {
  const { keys, time, ring, peppers, lines, issue } = setUp();
  const { key, id } = await issue();
  peppers.change(NEW, OLD);
  keys.failing = true;
  for (let request = 0; request < 5; request++) assert(await ring.authenticate(key));
  await ring.idle();
  assertEquals(keys.calls.move, 1);
  assert(lines.includes("Cannot move a key to the current pepper"), lines.join());
  keys.failing = false;
  time.ms += 60_000;
  assert(await ring.authenticate(key));
  await ring.idle();
  assertEquals(keys.stored.get(id)?.digest, digestUnder(NEW, key));
});

Deno.test("a refused key under the old pepper does not move", async () => {
  const { keys, ring, peppers, issue } = setUp();
  const { key, id } = await issue();
  await ring.disable(id);
  peppers.change(NEW, OLD);
  assertEquals(await ring.authenticate(key), undefined);
  await ring.idle();
  assertEquals(keys.calls.move, 0);
  await ring.enable(id);
  assertEquals((await ring.authenticate(key))?.id, id);
  await ring.idle();
});

Deno.test("a request in flight while the pepper changes and its key moves is not refused", async () => {
  const { keys, ring, peppers, issue } = setUp();
  const { key, id } = await issue();
  keys.looking = async () => {
    keys.looking = () => Promise.resolve();
    peppers.change(NEW, OLD);
    const digests = { from: digestUnder(OLD, key), to: digestUnder(NEW, key) };
    assertEquals(await keys.move(id, digests), true);
  };
  assertEquals((await ring.authenticate(key))?.id, id);
  await ring.idle();
});

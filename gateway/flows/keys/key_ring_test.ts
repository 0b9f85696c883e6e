import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { createHmac } from "node:crypto";
import { BASE62, parseKey } from "../../domain/policy/key_format.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import { type KeyIssue, KeyRing } from "./key_ring.ts";
import { MemoryKeys } from "./memory_keys_fixture.ts";
import { Peppers } from "./peppers.ts";

const START_MS = Date.UTC(2026, 10, 21, 12, 0, 30);

function setUp(random?: (bytes: number) => Uint8Array) {
  const keys = new MemoryKeys();
  const time = { ms: START_MS };
  const lines: string[] = [];
  const log = (event: string, fields = {}) => void lines.push(`${event} ${JSON.stringify(fields)}`);
  const peppers = new Peppers({ version: 1, secret: "pepper" });
  const ring = new KeyRing(peppers, {
    keys,
    clock: { nowMs: () => time.ms, monotonicMs: () => time.ms },
    logger: { info: log, warn: log, error: log },
    random,
  });
  return { keys, time, lines, ring, peppers };
}

const REQUEST = { name: "app", walletId: "team", policy: {} };

function issued(issue: KeyIssue): { key: string; record: KeyRecord } {
  assert(issue.ok, "the key was refused");
  return issue;
}

Deno.test("KeyRing.issue() makes a whole key and keeps only its digest", async () => {
  const { keys, ring } = setUp();
  const { key, record } = issued(await ring.issue(REQUEST));
  const publicId = parseKey(key)?.publicId ?? "";
  assertEquals(record, {
    id: `key_${publicId}`,
    name: "app",
    walletId: "team",
    status: "active",
    policy: {},
    hint: `svc_live_${publicId}…`,
    createdAtMs: START_MS,
  });
  const digest = `1.${createHmac("sha256", "pepper").update(key).digest("hex")}`;
  assertEquals([...keys.stored.values()], [{ record, digest }]);
  assertEquals(JSON.stringify([...keys.stored.values()]).includes(key), false);
});

Deno.test("KeyRing.issue() never makes the same key twice", async () => {
  const { ring } = setUp();
  const made = await Promise.all(Array.from({ length: 50 }, () => ring.issue(REQUEST)));
  assertEquals(new Set(made.map((issue) => issued(issue).key)).size, 50);
});

Deno.test("KeyRing.issue() draws each digit alike: bytes that would favour some digits are skipped", async () => {
  let next = 0;
  const { ring } = setUp((size) => Uint8Array.from({ length: size }, () => next++ % 256));
  const { key } = issued(await ring.issue(REQUEST));
  assertEquals(parseKey(key)?.publicId, BASE62.slice(0, 12));
  const { ring: skipping } = setUp(
    (size) => Uint8Array.from({ length: size }, (_, index) => index % 2 === 0 ? 255 : 61),
  );
  assertEquals(parseKey(issued(await skipping.issue(REQUEST)).key)?.secret, "z".repeat(32));
});

Deno.test("KeyRing.issue() takes a fixed value, once", async () => {
  const { ring } = setUp();
  for (const key of ["local_dev_key_01", "svc_live_of_my_own_making"]) {
    const { record } = issued(await ring.issue({ ...REQUEST, key }));
    assertEquals((await ring.authenticate(key))?.id, record.id);
    assertEquals(record.hint.includes(key), false);
    const again = await ring.issue({ ...REQUEST, key });
    assertEquals(again, { ok: false, refusal: { code: "key_taken" } });
  }
  for (const key of ["short", "has spaces in it 00", "x".repeat(257)]) {
    const refused = await ring.issue({ ...REQUEST, key });
    assertEquals(refused, { ok: false, refusal: { code: "key_malformed" } });
  }
  await ring.idle();
});

Deno.test("KeyRing.authenticate() finds a key by one lookup", async () => {
  const { keys, ring } = setUp();
  const { key, record } = issued(await ring.issue(REQUEST));
  assertEquals((await ring.authenticate(key))?.id, record.id);
  assertEquals(keys.calls.find, 1);
  await ring.idle();
});

Deno.test("KeyRing.authenticate() does not reveal the reason of a refusal", async () => {
  const { keys, time, ring } = setUp();
  const { key } = issued(await ring.issue(REQUEST));
  const other = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
  for (const text of ["", "x", other, `${key} `, key.padEnd(300, "0")]) {
    assertEquals(await ring.authenticate(text), undefined, text);
  }
  const policy = { expiresAt: new Date(START_MS + 1_000).toISOString() };
  const expiring = issued(await ring.issue({ ...REQUEST, policy }));
  assert(await ring.authenticate(expiring.key) !== undefined);
  time.ms += 1_000;
  assertEquals(await ring.authenticate(expiring.key), undefined);
  const unreadable = issued(await ring.issue({ ...REQUEST, policy: { expiresAt: "soon" } }));
  assertEquals(await ring.authenticate(unreadable.key), undefined);
  await ring.idle();
  assertEquals(keys.calls.update, 1);
});

Deno.test("keys are useless under another pepper", async () => {
  const { keys, ring } = setUp();
  const { key } = issued(await ring.issue(REQUEST));
  const clock = { nowMs: () => START_MS, monotonicMs: () => 0 };
  const logger = { info() {}, warn() {}, error() {} };
  const other = new KeyRing(new Peppers({ version: 1, secret: "other" }), { keys, clock, logger });
  assertEquals(await other.authenticate(key), undefined);
});

Deno.test("a key stays disabled while what it had begun before cannot be ended", async () => {
  const { keys, time, peppers } = setUp();
  const clock = { nowMs: () => time.ms, monotonicMs: () => time.ms };
  const logger = { info() {}, warn() {}, error() {} };
  const ended: string[] = [];
  let works = false;
  const ring = new KeyRing(peppers, {
    ...{ keys, clock, logger },
    onEnabling: (id) => {
      if (!works) return Promise.reject(new Error("Disk full"));
      ended.push(id);
      return Promise.resolve();
    },
  });
  const { key, record: { id } } = issued(await ring.issue(REQUEST));
  await ring.disable(id);
  await assertRejects(() => ring.enable(id), Error, "Disk full");
  assertEquals(await ring.authenticate(key), undefined);
  works = true;
  assert((await ring.enable(id)).ok);
  assert((await ring.enable(id)).ok, "A repeat ends nothing");
  assertEquals(ended, [id]);
});

Deno.test("disable, enable and revoke take effect immediately, and revoke is final", async () => {
  const { ring } = setUp();
  const { key, record: { id } } = issued(await ring.issue(REQUEST));
  const serves = async () => await ring.authenticate(key) !== undefined;
  assert((await ring.disable(id)).ok);
  assertEquals(await serves(), false);
  assert((await ring.enable(id)).ok);
  assertEquals(await serves(), true);
  assert((await ring.revoke(id)).ok);
  assertEquals(await serves(), false);
  const revoked = { ok: false, refusal: { code: "key_revoked" } } as const;
  assertEquals(await ring.enable(id), revoked);
  assertEquals(await ring.disable(id), revoked);
  assertEquals(await ring.rotate(id), revoked);
  assertEquals((await ring.revoke(id)).ok, true);
  assertEquals(await serves(), false);
  await ring.idle();
});

Deno.test("changes to a key that is not there are refused", async () => {
  const { ring } = setUp();
  const refusal = { ok: false, refusal: { code: "key_not_found" } } as const;
  for (const verb of ["disable", "enable", "revoke", "rotate"] as const) {
    assertEquals(await ring[verb]("key_none"), refusal);
  }
  assertEquals(await ring.narrow("key_none", {}), refusal);
});

Deno.test("KeyRing.rotate() copies a key with the same or a stricter policy", async () => {
  const { ring } = setUp();
  const policy = { requestsPerMinute: 10, models: ["a", "b"] };
  const old = issued(await ring.issue({ ...REQUEST, policy }));
  const same = issued(await ring.rotate(old.record.id));
  assertNotEquals(same.key, old.key);
  assertEquals(same.record, {
    ...old.record,
    id: same.record.id,
    hint: same.record.hint,
    rotatedFrom: old.record.id,
    budgetId: old.record.id,
  });
  const stricter = { ...policy, models: ["a"] };
  const next = issued(await ring.rotate(old.record.id, { policy: stricter, name: "app 2" }));
  assertEquals([next.record.policy, next.record.name], [stricter, "app 2"]);
  for (const { key } of [old, same, next]) assert(await ring.authenticate(key) !== undefined);
  await ring.idle();
});

Deno.test("KeyRing.rotate() and narrow() refuse a looser policy, by name", async () => {
  const { ring } = setUp();
  const policy = { requestsPerMinute: 10, models: ["a"] };
  const { record: { id } } = issued(await ring.issue({ ...REQUEST, policy }));
  const looser = { ...policy, requestsPerMinute: 11 };
  const refusal = { code: "policy_looser", violations: ["requestsPerMinute"] } as const;
  assertEquals(await ring.rotate(id, { policy: looser }), { ok: false, refusal });
  assertEquals(await ring.narrow(id, looser), { ok: false, refusal });
  const narrowed = await ring.narrow(id, { ...policy, requestsPerMinute: 5 });
  assertEquals(narrowed.ok && narrowed.record.policy.requestsPerMinute, 5);
  const back = await ring.narrow(id, policy);
  assertEquals(back, { ok: false, refusal });
});

Deno.test("the last use is kept to the minute, with one write a minute", async () => {
  const { keys, time, ring } = setUp();
  const { key, record: { id } } = issued(await ring.issue(REQUEST));
  for (const seconds of [0, 1, 29]) {
    time.ms = START_MS + seconds * 1_000;
    await ring.authenticate(key);
  }
  await ring.idle();
  assertEquals(keys.calls.update, 1);
  assertEquals((await keys.get(id))?.lastUsedAtMs, START_MS - 30_000);
  time.ms = START_MS + 30_000;
  await ring.authenticate(key);
  await ring.idle();
  assertEquals(keys.calls.update, 2);
  assertEquals((await keys.get(id))?.lastUsedAtMs, START_MS + 30_000);
});

Deno.test("a last use that cannot be written is logged, without the key, and refuses no request", async () => {
  const { keys, lines, ring } = setUp();
  const { key } = issued(await ring.issue(REQUEST));
  keys.failing = true;
  assert(await ring.authenticate(key) !== undefined);
  assert(await ring.authenticate(key) !== undefined);
  await ring.idle();
  assertEquals(keys.calls.update, 1);
  assertEquals(lines.length, 1);
  assertMatch(lines.join(), /disk is full/);
  assertEquals(lines.join().includes(key), false);
});

Deno.test("two keys and many requests: one write a key and minute", async () => {
  const { keys, time, ring } = setUp();
  const made = [issued(await ring.issue(REQUEST)), issued(await ring.issue(REQUEST))];
  for (let minute = 0; minute < 3; minute++) {
    time.ms = START_MS - 30_000 + minute * 60_000;
    for (let request = 0; request < 200; request++) {
      await Promise.all(made.map(({ key }) => ring.authenticate(key)));
      time.ms += 250;
    }
  }
  await ring.idle();
  assertEquals(keys.calls.update, 6);
});

Deno.test("a key that is disabled, expired or revoked has no copy", async () => {
  const { time, ring } = setUp();
  const expiresAt = new Date(START_MS + 1_000).toISOString();
  const expiring = issued(await ring.issue({ ...REQUEST, policy: { expiresAt } }));
  const disabled = issued(await ring.issue(REQUEST));
  await ring.disable(disabled.record.id);
  time.ms += 1_000;
  const refusals = [expiring, disabled].map(({ record }) => ring.rotate(record.id));
  assertEquals(await Promise.all(refusals), [
    { ok: false, refusal: { code: "key_expired" } },
    { ok: false, refusal: { code: "key_disabled" } },
  ]);
});

Deno.test("a key that is revoked or narrowed while it is copied leaves no copy", async () => {
  const changes = {
    key_revoked: (ring: KeyRing, id: string) => ring.revoke(id),
    key_disabled: (ring: KeyRing, id: string) => ring.disable(id),
    policy_looser: (ring: KeyRing, id: string) => ring.narrow(id, { models: [] }),
  };
  for (const [code, change] of Object.entries(changes)) {
    const { keys, ring } = setUp();
    const { record: { id } } = issued(await ring.issue(REQUEST));
    const create = keys.create.bind(keys);
    keys.create = async (key) => {
      await change(ring, id);
      return await create(key);
    };
    const copy = await ring.rotate(id);
    assertEquals(copy.ok ? "ok" : copy.refusal.code, code);
    const others = (await Array.fromAsync(keys.all())).filter(({ record }) => record.id !== id);
    assertEquals(others.map(({ record }) => record.status), ["revoked"]);
  }
});

Deno.test("two concurrent rotations of one key make two copies with different keys", async () => {
  const { ring } = setUp();
  const { record } = issued(await ring.issue(REQUEST));
  const copies = await Promise.all([ring.rotate(record.id), ring.rotate(record.id)]);
  const [one, other] = copies.map(issued);
  assertNotEquals(one?.key, other?.key);
  assertEquals([one?.record.budgetId, other?.record.budgetId], [record.id, record.id]);
});

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ServiceFault } from "../../domain/fault.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import type { Pass, PassName, PassStore } from "../../ports/pass_store.ts";
import {
  HOLDER_SESSION_MS,
  HolderAccess,
  LINK_MS,
  LINKS_PER_MINUTE,
  PASSES_MAX,
} from "./holder_access.ts";
import { MemoryKeys } from "./memory_keys_fixture.ts";

const KEY: KeyRecord = {
  ...{ id: "key_AbCdEfGhIjKl", name: "Shop", walletId: "w", status: "active", policy: {} },
  ...{ hint: "svc_live_AbCdEfGhIjKl…", createdAtMs: 0 },
};

class MemoryPasses implements PassStore {
  readonly stored = new Map<string, Pass>();
  writes = 0;
  failing = false;

  put(pass: Pass, { max }: { readonly max: number }): Promise<void> {
    this.writes++;
    const alike = [...this.stored].filter(([, { kind, keyId }]) =>
      kind === pass.kind && keyId === pass.keyId
    );
    for (const [name] of alike.slice(0, Math.max(0, alike.length - max + 1))) {
      this.stored.delete(name);
    }
    this.stored.set(nameOf(pass), pass);
    return Promise.resolve();
  }
  get(name: PassName): Promise<Pass | undefined> {
    return Promise.resolve(this.stored.get(nameOf(name)));
  }
  take(name: PassName): Promise<Pass | undefined> {
    this.writes++;
    const pass = this.stored.get(nameOf(name));
    this.stored.delete(nameOf(name));
    return Promise.resolve(pass);
  }
  removeAll(keyId: string): Promise<void> {
    if (this.failing) return Promise.reject(new Error("Disk full"));
    for (const [name, pass] of this.stored) if (pass.keyId === keyId) this.stored.delete(name);
    return Promise.resolve();
  }
  sweep(nowMs: number): Promise<number> {
    const over = [...this.stored].filter(([, { endsAtMs }]) => endsAtMs <= nowMs);
    for (const [name] of over) this.stored.delete(name);
    return Promise.resolve(over.length);
  }
}

function nameOf({ kind, keyId, digest }: PassName): string {
  return `${kind} ${keyId} ${digest}`;
}

function scene() {
  const [passes, keys] = [new MemoryPasses(), new MemoryKeys()];
  const store = (record: KeyRecord) => keys.stored.set(record.id, { record, digest: record.id });
  store(KEY);
  const time = { ms: 1_000_000 };
  const warnings: string[] = [];
  const logger = { info() {}, error() {}, warn: (event: string) => void warnings.push(event) };
  const clock = { nowMs: () => time.ms };
  return {
    access: new HolderAccess({ passes, keys, clock, logger }),
    passes,
    store,
    time,
    warnings,
  };
}

Deno.test("a link begins one session, and no secret is stored", async () => {
  const { access, passes } = scene();
  const link = await access.issueLink(KEY);
  assertMatch(link.secret, /^svc_link_AbCdEfGhIjKl\w{38}$/);
  const session = await access.enter(link.secret);
  assert(session !== undefined);
  assertMatch(session.secret, /^svc_me_AbCdEfGhIjKl\w{38}$/);
  assertEquals(await access.enter(link.secret), undefined);
  assertEquals((await access.find(session.secret))?.key, KEY);
  // Neither is the other.
  assertEquals(await access.find(link.secret), undefined);
  assertEquals(await access.enter(session.secret), undefined);
  const stored = JSON.stringify([...passes.stored]);
  for (const { secret } of [link, session]) assert(!stored.includes(secret.slice(-38)));
  await access.leave(session.secret);
  assertEquals(await access.find(session.secret), undefined);
});

Deno.test("wrong secrets write nothing", async () => {
  const { access, passes } = scene();
  const { secret } = await access.issueLink(KEY);
  const { writes } = passes;
  const mistyped = secret.slice(0, -1) + (secret.endsWith("0") ? "1" : "0");
  for (
    const wrong of ["", "svc_link_", mistyped, secret.replace("link", "live"), "x".repeat(9_999)]
  ) {
    assertEquals(await access.enter(wrong), undefined);
    assertEquals(await access.find(wrong), undefined);
    await access.leave(wrong);
  }
  assertEquals(passes.writes, writes);
});

Deno.test("each ends by its time, and is then swept", async () => {
  const { access, passes, time } = scene();
  const late = await access.issueLink(KEY);
  const session = await access.enter((await access.issueLink(KEY)).secret);
  time.ms += LINK_MS;
  assertEquals(await access.enter(late.secret), undefined);
  assertEquals(passes.stored.size, 2);
  await access.issueLink(KEY);
  assertEquals(passes.stored.size, 2);
  time.ms += HOLDER_SESSION_MS - LINK_MS - 1;
  assert(await access.find(session?.secret ?? "") !== undefined);
  time.ms += 1;
  assertEquals(await access.find(session?.secret ?? ""), undefined);
});

Deno.test("a key that does not serve admits nobody, even if its passes could not be removed", async () => {
  const { access, passes, store, time, warnings } = scene();
  passes.failing = true;
  const session = await access.enter((await access.issueLink(KEY)).secret);
  const link = await access.issueLink(KEY);
  for (
    const ended of [
      { ...KEY, status: "disabled" },
      { ...KEY, status: "revoked" },
      { ...KEY, policy: { expiresAt: new Date(time.ms).toISOString() } },
    ] as const
  ) {
    store(ended);
    await access.endAll(KEY.id);
    assertEquals(await access.find(session?.secret ?? ""), undefined);
    assertEquals(await access.enter(link.secret), undefined);
    const error = await assertRejects(() => access.issueLink(ended), ServiceFault);
    assertEquals(error.code, "conflict");
  }
  store(KEY);
  assert(await access.find(session?.secret ?? "") !== undefined);
  store({ ...KEY, id: "key_copy", rotatedFrom: KEY.id, createdAtMs: time.ms });
  assertEquals(await access.find(session?.secret ?? ""), undefined);
  assertEquals(new Set(warnings).size, 1);
  // The old key serves on beside its copy: its holder may sign in again.
  time.ms += 1;
  assert(await access.enter((await access.issueLink(KEY)).secret) !== undefined);
});

Deno.test("a session ends when its key expires, and says so before", async () => {
  const { access, store, time } = scene();
  const session = await access.enter((await access.issueLink(KEY)).secret);
  assertEquals(session?.endsAtMs, time.ms + HOLDER_SESSION_MS);
  const endMs = time.ms + 60_000;
  store({ ...KEY, policy: { expiresAt: new Date(endMs).toISOString() } });
  assertEquals((await access.find(session?.secret ?? ""))?.endsAtMs, endMs);
  time.ms = endMs - 1;
  assert(await access.find(session?.secret ?? "") !== undefined);
  time.ms = endMs;
  assertEquals(await access.find(session?.secret ?? ""), undefined);
});

Deno.test("a key gets few links a minute", async () => {
  const { access, time } = scene();
  for (let at = 0; at < LINKS_PER_MINUTE; at++) await access.issueLink(KEY);
  const error = await assertRejects(() => access.issueLink(KEY), ServiceFault);
  assertEquals(error.code, "rate_limit_exceeded");
  time.ms += 120_000;
  await access.issueLink(KEY);
});

Deno.test("many links and sessions of a key end its own oldest, and none of another key", async () => {
  const { access, passes, store, time } = scene();
  const other = { ...KEY, id: "key_ZbCdEfGhIjKl" };
  store(other);
  const theirs = await access.enter((await access.issueLink(other)).secret);
  const secrets: string[] = [];
  for (let at = 0; at <= PASSES_MAX.session; at++) {
    time.ms += 10_000;
    const session = await access.enter((await access.issueLink(KEY)).secret);
    secrets.push(session?.secret ?? "");
  }
  const sessions = await Promise.all(secrets.map((secret) => access.find(secret)));
  assertEquals(sessions.map((one) => one !== undefined).indexOf(true), 1);
  assertEquals(sessions.filter((one) => one !== undefined).length, PASSES_MAX.session);
  assert(await access.find(theirs?.secret ?? "") !== undefined);
  const links: string[] = [];
  for (let at = 0; at <= PASSES_MAX.link; at++) {
    time.ms += 10_000;
    links.push((await access.issueLink(KEY)).secret);
  }
  const { writes } = passes;
  assertEquals(await access.enter(links[0] ?? ""), undefined);
  assertEquals(passes.writes, writes, "It is gone");
  assert(await access.enter(links[1] ?? "") !== undefined);
});

Deno.test("a key that is disabled while its holder signs in leaves no session for later", async () => {
  const { access, passes, store } = scene();
  const { secret } = await access.issueLink(KEY);
  const write = passes.put.bind(passes);
  passes.put = async (pass, options) => {
    store({ ...KEY, status: "disabled" });
    await access.endAll(KEY.id);
    await write(pass, options);
  };
  assertEquals(await access.enter(secret), undefined);
  store(KEY);
  await assertRejects(() => access.issueLink(KEY), ServiceFault);
  assertEquals(passes.stored.size, 0);
});

Deno.test("a key that is rotated while its holder signs in leaves no session", async () => {
  const { access, passes, store, time } = scene();
  const { secret } = await access.issueLink(KEY);
  const take = passes.take.bind(passes);
  passes.take = async (name) => {
    const pass = await take(name);
    store({ ...KEY, id: "key_copy", rotatedFrom: KEY.id, createdAtMs: time.ms });
    await access.endAll(KEY.id);
    time.ms += 5;
    return pass;
  };
  time.ms += 5;
  assertEquals(await access.enter(secret), undefined);
});

Deno.test("a session ends with any copy of its key, not with the first one alone", async () => {
  const { access, passes, store, time } = scene();
  passes.failing = true;
  store({ ...KEY, id: "key_a", rotatedFrom: KEY.id, createdAtMs: time.ms });
  time.ms += 1;
  const session = await access.enter((await access.issueLink(KEY)).secret);
  assert(await access.find(session?.secret ?? "") !== undefined);
  time.ms += 1;
  store({ ...KEY, id: "key_b", rotatedFrom: KEY.id, createdAtMs: time.ms });
  await access.endAll(KEY.id);
  assertEquals(await access.find(session?.secret ?? ""), undefined);
});

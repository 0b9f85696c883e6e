import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { StoreError } from "../../gateway/ports/store_error.ts";
import type { ResponseStore } from "../../gateway/ports/response_store.ts";
import { openKvStores } from "../../gateway/stores/kv/open.ts";
import { faultyKv } from "./faulty_kv.ts";
import { credit, fund } from "./ledger_store_contract.ts";
import { response, responseStoreContract, textOf } from "./response_store_contract.ts";

// One wallet alone may take half of it: what is still free.
const responseRetention = { maxBytes: 2 * 1024 * 1024 };

for (const kind of ["memory", "file"]) {
  responseStoreContract(`ResponseStore in KV, ${kind}`, async () => {
    let now = 10_000;
    const folder = kind === "file" ? await Deno.makeTempDir() : undefined;
    const path = folder === undefined ? ":memory:" : join(folder, "svc.kv");
    const stores = await openKvStores(path, { nowMs: () => now, responseRetention });
    return {
      store: { responses: stores.responses, passTo: (nowMs) => void (now = nowMs) },
      close: async () => {
        await stores.close();
        if (folder !== undefined) await Deno.remove(folder, { recursive: true });
      },
    };
  });
}

/** A process' own way to the database. Once it is killed, none of its commits arrives any more. */
class Connection {
  readonly kv: Deno.Kv;
  #killed = false;

  constructor(kv: Deno.Kv) {
    this.kv = new Proxy(kv, {
      get: (target, name) => {
        if (name === "atomic" && this.#killed) throw new Error("The process was killed");
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  }

  kill(): void {
    this.#killed = true;
  }
}

/** A database that outlives the stores on it, as it outlives a process that is killed. */
async function lasting() {
  const { faults, openKv } = faultyKv();
  const kv = await openKv(":memory:");
  const { close } = kv;
  kv.close = () => {};
  let now = 10_000;
  return {
    faults,
    passTo: (nowMs: number) => void (now = nowMs),
    start: (connection = new Connection(kv)) =>
      openKvStores(":memory:", {
        openKv: () => Promise.resolve(connection.kv),
        nowMs: () => now,
        responseRetention,
      }),
    connect: () => new Connection(kv),
    /** Returns the remaining rows of responses. */
    rows: async () => {
      const rows: Deno.KvKey[] = [];
      for await (const { key } of kv.list({ prefix: [] })) {
        if (String(key[0]).startsWith("response")) rows.push(key);
      }
      return rows;
    },
    close: () => close.call(kv),
  };
}

/** Does something in a process that is killed at its nth commit; false where it came to its end. */
async function killedAt(
  at: Awaited<ReturnType<typeof lasting>>,
  nth: number,
  task: (responses: ResponseStore) => Promise<unknown>,
): Promise<boolean> {
  const connection = at.connect();
  const stores = await at.start(connection);
  const until = at.faults.commits + nth;
  at.faults.onCommit = () => {
    if (at.faults.commits > until) at.faults.commit = "before";
  };
  const ended = await task(stores.responses).then(() => true, (error) => {
    assert(error instanceof StoreError, String(error));
    return false;
  });
  delete at.faults.onCommit;
  // It is not closed, and its pending work, such as a sweep, fails.
  connection.kill();
  at.faults.commit = "none";
  return !ended;
}

const large = response("resp_1", {
  upstreamId: "openai",
  resource: textOf(400_000),
  itemIds: Array.from({ length: 150 }, (_, n) => `msg_${n}`),
});

Deno.test("killed between any two commits of a put, nothing half can be read, and it leaves", async () => {
  let commits = 0;
  for (;; commits++) {
    const at = await lasting();
    const wasKilled = await killedAt(at, commits, (responses) => responses.put(large));
    const next = await at.start();
    if (wasKilled) {
      assertEquals(await next.responses.get("w", "resp_1"), undefined);
      assertEquals(await next.responses.withItem("w", "msg_0"), undefined);
      assertEquals(await next.responses.withItem("w", "msg_149"), undefined);
    } else assertEquals((await next.responses.get("w", "resp_1"))?.resource, large.resource);
    at.passTo(20_000);
    const swept = await next.responses.sweep();
    assertEquals(swept, commits === 0 ? 0 : 1);
    assertEquals(await at.rows(), []);
    // All of the room is there again.
    const resource = textOf(1_000_000);
    assert(await next.responses.put(response("resp_2", { resource, expiresAtMs: 30_000 })));
    await next.close();
    at.close();
    if (!wasKilled) break;
  }
  assert(commits >= 5, `${commits} commits`);
});

Deno.test("killed between any two commits of a deletion, what is gone stays gone", async () => {
  for (let commits = 0;; commits++) {
    const at = await lasting();
    const first = await at.start();
    await first.responses.put(large);
    await killedAt(at, commits, (responses) => responses.delete("w", "resp_1"));
    // A deletion that cannot clear away everything has succeeded all the same.
    const wasKilled = (await at.rows()).length > 0;
    const next = await at.start();
    const stored = await next.responses.get("w", "resp_1");
    assertEquals(stored?.resource, commits === 0 ? large.resource : undefined);
    assertEquals(await next.responses.delete("w", "resp_1"), commits === 0);
    at.passTo(20_000);
    await next.responses.sweep();
    assertEquals(await at.rows(), []);
    await next.close();
    at.close();
    if (!wasKilled) break;
  }
});

Deno.test("killed while a response replaces another, the one or the other is there", async () => {
  const resource = textOf(300_000);
  const second = { ...large, resource, expiresAtMs: 15_000 };
  for (let commits = 0;; commits++) {
    const at = await lasting();
    const first = await at.start();
    await first.responses.put(large);
    const wasKilled = await killedAt(at, commits, (responses) => responses.put(second));
    const next = await at.start();
    const stored = await next.responses.get("w", "resp_1");
    assertEquals(stored?.resource, wasKilled ? large.resource : resource);
    assertEquals((await next.responses.withItem("w", "msg_7"))?.resource, stored?.resource);
    at.passTo(15_000);
    await next.responses.sweep();
    const later = await next.responses.get("w", "resp_1");
    assertEquals(later?.resource, wasKilled ? large.resource : undefined);
    at.passTo(20_000);
    await next.responses.sweep();
    assertEquals(await at.rows(), []);
    await next.close();
    at.close();
    if (!wasKilled) break;
  }
});

Deno.test("a store failure is reported; the room of the failed file is returned", async () => {
  for (const [commit, reads] of [["before", false], ["after", true]] as const) {
    const at = await lasting();
    const stores = await at.start();
    const { responses } = stores;
    await responses.put(response("resp_kept"));
    for (let failing = 0; failing < 2; failing++) {
      // Two commits of six go well; the third is in doubt until the store can be read again.
      const until = at.faults.commits + 2;
      at.faults.onCommit = () => {
        if (at.faults.commits > until) Object.assign(at.faults, { commit, reads });
      };
      await assertRejects(() => responses.put(large), StoreError);
      delete at.faults.onCommit;
      Object.assign(at.faults, { commit: "none", reads: false });
      assertEquals(await responses.get("w", "resp_1"), undefined);
    }
    at.faults.reads = true;
    await assertRejects(() =>
      responses.withItem("w", "msg_0").then(() => stores.settings.get("s"))
    );
    at.faults.reads = false;
    // Two of 400 kB would not have left room for this one.
    const resource = textOf(900_000);
    assertEquals(await responses.put(response("resp_2", { resource })), true);
    assertEquals((await responses.get("w", "resp_2"))?.resource, resource);
    const kept = (await at.rows()).filter(([kind]) => kind === "response");
    assertEquals(kept.map((key) => key[2]), ["resp_2", "resp_kept"]);
    assertEquals(await responses.delete("w", "resp_2"), true);
    await stores.close();
    at.close();
  }
});

Deno.test("a deletion that cannot be written is refused, and may be tried again", async () => {
  const at = await lasting();
  const stores = await at.start();
  await stores.responses.put(large);
  at.faults.commit = "before";
  await assertRejects(() => stores.responses.delete("w", "resp_1"), StoreError);
  at.faults.commit = "none";
  assertEquals((await stores.responses.get("w", "resp_1"))?.resource, large.resource);
  // The entry goes, the rest of it cannot: it is gone all the same, and cleared away later.
  const until = at.faults.commits + 1;
  at.faults.onCommit = () => {
    if (at.faults.commits > until) at.faults.commit = "before";
  };
  assertEquals(await stores.responses.delete("w", "resp_1"), true);
  delete at.faults.onCommit;
  at.faults.commit = "none";
  assertEquals(await stores.responses.get("w", "resp_1"), undefined);
  assert((await at.rows()).length > 0);
  await stores.responses.sweep();
  assertEquals(await at.rows(), []);
  await stores.close();
  at.close();
});

Deno.test("a response that takes long to write is not swept away under its own hands", async () => {
  const at = await lasting();
  const stores = await at.start();
  let commits = 0;
  let sweeping: Promise<number> | undefined;
  at.faults.onCommit = () => {
    if (++commits !== 2) return;
    at.passTo(20_000);
    sweeping = stores.responses.sweep();
  };
  assertEquals(await stores.responses.put(large), true);
  delete at.faults.onCommit;
  assertEquals(await sweeping, 0);
  assertEquals(await stores.responses.get("w", "resp_1"), undefined);
  assertEquals(await stores.responses.sweep(), 1);
  assertEquals(await at.rows(), []);
  await stores.close();
  at.close();
});

Deno.test("many large responses at once keep no ledger from writing", async () => {
  const stores = await openKvStores(":memory:");
  await fund(stores.ledger, 100n);
  const resource = textOf(400_000);
  const hostile = Array.from({ length: 400 }, (_, n) => `${n}${"漢".repeat(250)}`);
  const puts = Array.from({ length: 12 }, (_, n) =>
    stores.responses.put(
      response(`resp_${n}`, {
        resource,
        itemIds: hostile,
        ownerId: "漢".repeat(256),
        expiresAtMs: Date.now() + 60_000,
      }),
    ));
  const credits = Array.from(
    { length: 500 },
    (_, n) => stores.ledger.credit(credit(`c${n}`, 1n)),
  );
  assertEquals((await Promise.all(puts)).every(Boolean), true);
  assertEquals((await Promise.all(credits)).every(({ ok }) => ok), true);
  assertEquals(stores.health(), "ok");
  await stores.close();
});

Deno.test("responses outlive a restart, count towards the room, and leave by the clock", async () => {
  const folder = await Deno.makeTempDir();
  const path = join(folder, "svc.kv");
  let now = 10_000;
  const options = { nowMs: () => now, responseRetention: { ...responseRetention, ageMs: 5 } };
  const before = await openKvStores(path, options);
  assertEquals(before.responses.retentionMs, 5);
  const resource = textOf(900_000);
  await before.responses.put(response("resp_1", { resource }));
  await before.close();
  const after = await openKvStores(path, options);
  assertEquals((await after.responses.get("w", "resp_1"))?.resource, resource);
  assertEquals(await after.responses.put(response("resp_2", { resource })), false);
  now = 200_000;
  // A commit now and then deletes what has expired.
  await after.settings.set("any", "commit");
  const late = { expiresAtMs: 300_000 };
  assertEquals(await after.responses.put(response("resp_2", { resource, ...late })), true);
  await after.close();
  const again = await openKvStores(path, options);
  assertEquals(await again.responses.put(response("resp_3", { resource, ...late })), false);
  await again.close();
  await Deno.remove(folder, { recursive: true });
});

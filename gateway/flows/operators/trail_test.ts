import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ServiceFault } from "../../domain/fault.ts";
import { loggable, STATE_CHARS_MAX, type TrailAuthor } from "../../domain/operators/trail.ts";
import { StoreError } from "../../ports/store_error.ts";
import type { TrailStore } from "../../ports/trail_store.ts";
import { type KvStores, openKvStores } from "../../stores/kv/open.ts";
import { Trail } from "./trail.ts";
import { brokenPlace } from "../../system/trail_check.ts";

const AUTHOR: TrailAuthor = {
  ...{ kind: "operator", id: "opr_1", name: "Kim", address: "192.0.2.1", requestId: "req_1" },
};
const ACTION = { author: AUTHOR, action: "creditWallet", subject: "/wallets/team/credit" };
const NOTHING = { state: () => Promise.resolve(undefined), work: () => Promise.resolve(1) };

async function withTrail(
  run: (trail: Trail, stores: KvStores, lines: string[]) => Promise<void>,
  wrap: (store: TrailStore) => TrailStore = (store) => store,
): Promise<void> {
  const stores = await openKvStores(":memory:");
  const lines: string[] = [];
  const log = (event: string) => void lines.push(event);
  const logger = { info: log, warn: log, error: log };
  try {
    const trailStore = wrap(stores.trailStore);
    await run(new Trail({ trailStore, clock: { nowMs: () => 5 }, logger }), stores, lines);
  } finally {
    await stores.close();
  }
}

Deno.test("a change has an entry before it is tried and one before it is answered", async () => {
  await withTrail(async (trail, { trailStore }) => {
    let credits = 1;
    const seen: number[] = [];
    await trail.change({ ...ACTION, values: { credits: "5" } }, {
      work: async () => {
        seen.push((await trailStore.head()).place);
        credits = 6;
      },
      state: () => Promise.resolve({ id: "team", credits }),
    });
    assertEquals(seen, [1], "Durable before the change");
    const { entries: [done, begun] } = await trailStore.page({ limit: 5 });
    assertEquals([begun?.stage, begun?.values], ["begun", { credits: "5" }]);
    assertEquals([done?.stage, done?.of, done?.before, done?.after], [
      ...["done", 1, { credits: 1 }, { credits: 6 }],
    ]);
  });
});

Deno.test("a change that is stored with its entry has that alone, and none where nothing changes", async () => {
  await withTrail(async (trail, { trailStore }) => {
    const values = { below: "5", token: "hidden" };
    const state = (below: string) => ({ below, secret: "hidden" });
    const answer = await trail.together({ ...ACTION, values }, async (entry) => {
      await trailStore.append(entry(state)({ before: "1", after: "5" }));
      return 7;
    });
    assertEquals(await trail.together(ACTION, () => Promise.resolve(8)), 8);
    const { entries } = await trailStore.page({ limit: 5 });
    const { stage, before, after } = entries[0] ?? {};
    assertEquals([answer, entries.length, stage, before, after], [
      ...[7, 1, "done", { below: "1" }, { below: "5" }],
    ]);
    assert(!JSON.stringify(entries).includes("hidden"));
    const refuse = () => Promise.reject(new ServiceFault("conflict", { message: "Too late" }));
    await assertRejects(() => trail.together({ ...ACTION, values }, refuse), ServiceFault);
    const { entries: [refused] } = await trailStore.page({ limit: 1 });
    assertEquals([refused?.stage, refused?.remark, refused?.place], [
      ...["refused", "conflict: Too late", 2],
    ]);
  });
});

Deno.test("a change whose state afterwards cannot be read is answered as it happened", async () => {
  await withTrail(async (trail, { trailStore }, lines) => {
    const secret = await trail.change(ACTION, {
      work: () => Promise.resolve("the only copy of a secret"),
      state: (result) =>
        result === undefined
          ? Promise.resolve({ id: "team" })
          : Promise.reject(new StoreError("The store is away")),
    });
    assertEquals(secret, "the only copy of a secret");
    const { entries: [done] } = await trailStore.page({ limit: 5 });
    assertEquals([done?.stage, done?.of], ["done", 1]);
    assert(done !== undefined && !("after" in done), "Nothing is said of what was not read");
    assertEquals(lines, ["audit_log_state_missing"]);
  });
});

Deno.test("a change whose first entry cannot be stored is not tried", async () => {
  const broken = (store: TrailStore): TrailStore => ({
    head: () => store.head(),
    page: (query) => store.page(query),
    read: (from, limit) => store.read(from, limit),
    append: () => Promise.reject(new StoreError("The disk is full")),
  });
  await withTrail(async (trail) => {
    let tried = false;
    await assertRejects(
      () => trail.change(ACTION, { ...NOTHING, work: () => Promise.resolve(tried = true) }),
      StoreError,
    );
    assert(!tried);
  }, broken);
});

Deno.test("a refused change has an entry with the reason, and the refusal goes on", async () => {
  await withTrail(async (trail, { trailStore }) => {
    const refuse = () => Promise.reject(new ServiceFault("conflict", { message: "Too late" }));
    await assertRejects(() => trail.change(ACTION, { ...NOTHING, work: refuse }), ServiceFault);
    const { entries: [refused] } = await trailStore.page({ limit: 1 });
    assertEquals([refused?.stage, refused?.of, refused?.remark], [
      "refused",
      1,
      "conflict: Too late",
    ]);
  });
});

Deno.test("a change that was done is answered so, also if its second entry fails", async () => {
  const failing = (store: TrailStore): TrailStore => ({
    head: () => store.head(),
    page: (query) => store.page(query),
    read: (from, limit) => store.read(from, limit),
    append: (entry) =>
      entry.stage === "begun" ? store.append(entry) : Promise.reject(new StoreError("Full")),
  });
  await withTrail(async (trail, { trailStore }, lines) => {
    assertEquals(await trail.change(ACTION, NOTHING), 1);
    assertEquals(lines, ["audit_log_end_missing"]);
    const { entries } = await trailStore.page({ limit: 5 });
    assertEquals(entries.map(({ stage }) => stage), ["begun"]);
  }, failing);
});

Deno.test("no secret is logged, by its name or by its form, and long values are cut", () => {
  const secret = "svc_live_AbCdEfGhIjKl0123456789abcdefghijABCDEFGHIJ011a2B3c";
  const logged = JSON.stringify(loggable({
    key: secret,
    note: `use ${secret} now`,
    list: [{ apiKey: "plain-but-secret", token: "also-secret" }, "Bearer abcdefgh12345678"],
    keyIds: ["key_1"],
  }));
  for (const part of [secret.slice(9), "plain-but-secret", "also-secret", "abcdefgh12345678"]) {
    assert(!logged.includes(part), `${part} in ${logged}`);
  }
  assertMatch(logged, /key_1/);
  const long = JSON.stringify(loggable({ text: "x".repeat(100_000) }));
  assert(long.length < STATE_CHARS_MAX);
});

for (
  const [name, damage, problem] of [
    ["repeated", (rows: Row[]) => rows.copyWithin(4, 3, 4), /Entry 5 is missing/],
    ["rewritten", (rows: Row[]) => {
      const row = rows[4];
      if (row !== undefined) rows[4] = { ...row, line: row.line.replace("Kim", "Lee") };
    }, /Entry 5 was changed/],
    ["cut", (rows: Row[]) => rows.splice(7), /Entry 8 and those after it are missing/],
    ["without one", (rows: Row[]) => rows.splice(3, 1), /Entry 4 is missing/],
  ] as const
) {
  Deno.test(`a log that was ${name} does not verify`, async () => {
    await withTrail(async (trail, { trailStore }) => {
      for (let at = 0; at < 9; at++) await trail.note(ACTION);
      assertEquals((await brokenPlace(trailStore)).problem, undefined);
      const rows = [...await trailStore.read(1, 100)];
      damage(rows);
      const head = await trailStore.head();
      const damaged = {
        head: () => Promise.resolve(head),
        read: (from: number, limit: number) =>
          Promise.resolve(rows.slice(from - 1, from - 1 + limit)),
      };
      assertMatch((await brokenPlace(damaged)).problem ?? "", problem);
    });
  });
}

/** A stored entry. */
type Row = Awaited<ReturnType<TrailStore["read"]>>[number];

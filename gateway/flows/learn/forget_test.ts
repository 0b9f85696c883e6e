import { assertEquals, assertRejects } from "@std/assert";
import { openKvStores } from "../../stores/kv/open.ts";
import { Learning } from "./learning.ts";

const TASK = "0123456789abcdef";
const OTHER = "fedcba9876543210";

/** Statistics over a store in memory; `restarted` reads them as the next process does. */
async function withLearning(
  run: (parts: {
    readonly learning: Learning;
    readonly restarted: () => Promise<Learning>;
    readonly stores: Awaited<ReturnType<typeof openKvStores>>;
  }) => Promise<void>,
): Promise<void> {
  const stores = await openKvStores(":memory:", { nowMs: () => 1_000 });
  const model = {
    ...{ id: "m", name: "m", upstream: "lab", upstreamModel: "m", endpoints: ["chat" as const] },
    ...{ quality: 0.6, contextTokens: 1_000, maxOutputTokens: 100, featureTags: [] },
    ...{ industryPacks: [], sku: "text", description: { en: "m", zh: "m" }, disabled: false },
    price: { inputPerMTok: "1", outputPerMTok: "1", currency: "USD" as const },
  };
  try {
    await stores.catalogs.apply({ upstreams: [], models: [model], tiers: [] }, {
      ...{ expected: 0, note: "", atMs: 1 },
    });
    const log = () => {};
    const opened = async () => {
      const learning = new Learning({
        ...stores,
        ...{ clock: { nowMs: () => 1_000 }, logger: { info: log, warn: log, error: log } },
        secret: "secret",
      });
      await learning.open();
      return learning;
    };
    await run({ learning: await opened(), restarted: opened, stores });
  } finally {
    await stores.close();
  }
}

function note(learning: Learning, walletId: string, task = TASK): void {
  const served = { walletId, task, model: "m", atMs: 1_000, charged: 1 };
  learning.noteServed({ ...served, bestFactor: 1, cheapestFactor: 1 });
}

/** Tasks of the newest snapshot, by wallet. */
function tasksOf(learning: Learning): Record<string, string[]> {
  return Object.fromEntries(
    [...learning.newest().wallets].map(([id, { statistics }]) => [
      id,
      Object.keys(statistics.tasks),
    ]),
  );
}

Deno.test("a reset wallet has no statistics, also after a restart and the next snapshot", async () => {
  await withLearning(async ({ learning, restarted }) => {
    note(learning, "team");
    note(learning, "lab");
    await learning.take();
    await learning.forget({ walletId: "team" });
    assertEquals(tasksOf(learning), { lab: [TASK] });
    const next = await restarted();
    assertEquals(tasksOf(next), { lab: [TASK] });
    note(next, "lab", OTHER);
    await next.take();
    assertEquals(tasksOf(await restarted()), { lab: [TASK, OTHER] });
  });
});

Deno.test("what was collected before a reset does not come back", async () => {
  await withLearning(async ({ learning, restarted }) => {
    note(learning, "team");
    note(learning, "team", OTHER);
    note(learning, "lab");
    const forgotten = await learning.forget({ walletId: "team", task: TASK });
    assertEquals([forgotten.wallets, forgotten.tasks], [["team"], 1]);
    await learning.take();
    assertEquals(tasksOf(learning), { team: [OTHER], lab: [TASK] });
    assertEquals(tasksOf(await restarted()), { team: [OTHER], lab: [TASK] });
    note(learning, "team");
    await learning.take();
    assertEquals(tasksOf(learning)["team"]?.toSorted(), [TASK, OTHER]);
  });
});

Deno.test("votes that the store holds before a reset are not counted after it", async () => {
  await withLearning(async ({ learning, restarted, stores }) => {
    note(learning, "team");
    await learning.take();
    await stores.votes.put({
      ...{ logId: "log_1", walletId: "team", keyId: "key", source: "caller", score: 1 },
      ...{ atMs: 1_000, model: "m", task: TASK, load: 1 },
    });
    await learning.forget({});
    await learning.take();
    assertEquals(tasksOf(learning), {});
    assertEquals(tasksOf(await restarted()), {});
  });
});

Deno.test("a frozen snapshot decides as before a reset", async () => {
  await withLearning(async ({ learning, restarted }) => {
    note(learning, "team");
    await learning.take();
    await learning.freeze(1);
    await learning.forget({});
    assertEquals([learning.snapshot().number, learning.newest().number], [1, 2]);
    assertEquals([...(await restarted()).snapshot().wallets.keys()], ["team"]);
    await learning.freeze(undefined);
    assertEquals([...learning.snapshot().wallets.keys()], []);
  });
});

Deno.test("a reset that cannot be stored fails and changes nothing", async () => {
  await withLearning(async ({ learning, stores }) => {
    note(learning, "team");
    await learning.take();
    const store = stores.snapshots.put;
    stores.snapshots.put = () => Promise.reject(new Error("The disk is full"));
    await assertRejects(() => learning.forget({}), Error, "The disk is full");
    assertEquals(tasksOf(learning), { team: [TASK] });
    stores.snapshots.put = () => Promise.resolve(false);
    await assertRejects(() => learning.forget({}), Error, "repeat the reset");
    stores.snapshots.put = store;
    assertEquals((await learning.forget({})).tasks, 1);
  });
});

Deno.test("a reset fails while votes cannot be read, which would come back after it", async () => {
  await withLearning(async ({ learning, stores }) => {
    const voteOn = (at: number) =>
      stores.votes.put({
        ...{ logId: `log_${at}`, walletId: "team", keyId: "key", source: "caller", score: 1 },
        ...{ atMs: 1_000, model: "m", task: TASK, load: 1 },
      });
    note(learning, "team");
    await learning.take();
    await voteOn(1);
    const { since } = stores.votes;
    let reads = 0;
    stores.votes.since = (...args) =>
      reads++ === 0 ? Promise.reject(new Error("no disk")) : since.apply(stores.votes, args);
    await assertRejects(() => learning.forget({}), Error, "repeat the reset");
    assertEquals(tasksOf(learning), { team: [TASK] });
    assertEquals((await learning.forget({})).tasks, 1);
    await learning.take();
    assertEquals(tasksOf(learning), {});
  });
});

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import type { OutcomeNote } from "../../domain/learning/additions.ts";
import { EMPTY_SNAPSHOT } from "../../domain/learning/snapshot.ts";
import { route } from "../../domain/routing/route.ts";
import { catalogOf, inputWith, modelWith } from "../../domain/routing/route_fixture_test.ts";
import type { SnapshotStore } from "../../ports/snapshot_store.ts";
import { type KvStores, openKvStores } from "../../stores/kv/open.ts";
import { Learning } from "./learning.ts";

const CATALOG = catalogOf([
  modelWith({ id: "large", quality: 0.9 }),
  modelWith({
    id: "small",
    quality: 0.3,
    price: { inputPerMTok: "0.1", outputPerMTok: "1", currency: "USD" },
  }),
]);

function learningOn(
  { snapshots, votes }: Pick<KvStores, "snapshots" | "votes">,
  { secret = "secret" } = {},
) {
  const logged: string[] = [];
  const log = (event: string) => void logged.push(event);
  const learning = new Learning({
    ...{ snapshots, votes },
    catalogs: { current: () => CATALOG },
    clock: { nowMs: () => 1_000 },
    logger: { info: log, warn: log, error: log },
    secret,
  });
  return { learning, logged };
}

async function withStores(run: (stores: KvStores) => Promise<void>): Promise<void> {
  const stores = await openKvStores(":memory:", { nowMs: () => 1_000 });
  try {
    await run(stores);
  } finally {
    await stores.close();
  }
}

const VOTE: OutcomeNote = {
  ...{ walletId: "w", task: "t", model: "small", atMs: 1_000, source: "feedback" },
  ...{ score: 1, weight: 1, load: 1 },
};

function vote(learning: Learning, count: number, changes: Partial<OutcomeNote> = {}): void {
  for (let at = 0; at < count; at++) learning.noteOutcome({ ...VOTE, ...changes });
}

/** Returns the model that answers, as `metadata` would name it. */
function decisionOf(learning: Learning) {
  const snapshot = learning.snapshot();
  const plan = route(inputWith({ catalog: CATALOG, snapshot, task: "t", seed: 0.5 }));
  assert(plan.ok);
  return [plan.candidates.map(({ model, score }) => [model.id, score]), plan.basis];
}

Deno.test("outcomes count from the next snapshot on", async () => {
  await withStores(async (stores) => {
    const { learning } = learningOn(stores);
    await learning.open();
    const before = decisionOf(learning);
    vote(learning, 200);
    assertEquals(decisionOf(learning), before);
    await learning.take();
    assertEquals(learning.snapshot().number, 1);
    assertNotEquals(decisionOf(learning), before);
    assertEquals(learning.snapshot().wallets.get("w")?.totals["small"]?.outcomes, 200);
  });
});

Deno.test("no snapshot is taken where nothing was collected", async () => {
  await withStores(async (stores) => {
    const { learning } = learningOn(stores);
    await learning.open();
    await learning.take();
    assertEquals([learning.snapshot(), await stores.snapshots.list(1)], [EMPTY_SNAPSHOT, []]);
  });
});

Deno.test("a restart gives the same decision", async () => {
  await withStores(async (stores) => {
    const { learning } = learningOn(stores);
    vote(learning, 200);
    await learning.take();
    const restarted = learningOn(stores).learning;
    await restarted.open();
    assertEquals(restarted.snapshot(), learning.snapshot());
    assertEquals(decisionOf(restarted), decisionOf(learning));
  });
});

Deno.test("a frozen snapshot routes the same for ever, also after a restart", async () => {
  await withStores(async (stores) => {
    const { learning } = learningOn(stores);
    vote(learning, 200);
    await learning.take();
    assertEquals(await learning.freeze(9), false);
    assertEquals(await learning.freeze(1), true);
    const frozen = decisionOf(learning);
    for (let number = 2; number < 70; number++) {
      vote(learning, 50, { score: 0 });
      await learning.take();
      assertEquals([decisionOf(learning), learning.newest().number], [frozen, number]);
    }
    const restarted = learningOn(stores).learning;
    await restarted.open();
    assertEquals(decisionOf(restarted), frozen);
    assertEquals(await restarted.freeze(undefined), true);
    assertEquals(restarted.snapshot().number, 69);
    assertNotEquals(decisionOf(restarted), frozen);
  });
});

Deno.test("a store that fails loses nothing that was collected", async () => {
  await withStores(async (stores) => {
    let isBroken = true;
    const failOrPut: SnapshotStore["put"] = (...args) =>
      isBroken ? Promise.reject(new Error("no disk")) : stores.snapshots.put(args[0], args[1]);
    const failing = new Proxy(stores.snapshots, {
      get: (target, name) => {
        if (name === "put") return failOrPut;
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const { learning, logged } = learningOn({ snapshots: failing, votes: stores.votes });
    vote(learning, 3);
    const taking = learning.take();
    vote(learning, 4);
    await taking;
    assertEquals([learning.snapshot().number, logged], [0, ["routing_snapshot_not_stored"]]);
    isBroken = false;
    await learning.take();
    assertEquals(learning.snapshot().wallets.get("w")?.totals["small"]?.outcomes, 7);
  });
});

Deno.test("a reset removes what a snapshot in doubt would have added", async () => {
  await withStores(async (stores) => {
    let lost = 0;
    const failing = new Proxy(stores.snapshots, {
      get: (target, name) => {
        if (name === "put" && lost++ < 2) return () => Promise.reject(new Error("no answer"));
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const { learning } = learningOn({ snapshots: failing, votes: stores.votes });
    vote(learning, 3);
    await learning.take();
    await learning.forget({ walletId: "w" });
    vote(learning, 1);
    await learning.take();
    assertEquals(learning.snapshot().wallets.get("w")?.totals["small"]?.outcomes, 1);
  });
});

Deno.test("two instances add to the same snapshots", async () => {
  await withStores(async (stores) => {
    const [one, other] = [learningOn(stores).learning, learningOn(stores).learning];
    vote(one, 3);
    vote(other, 4);
    await one.take();
    await other.take();
    assertEquals(other.snapshot(), one.snapshot(), "the other one took this number first");
    await other.take();
    assertEquals(other.snapshot().wallets.get("w")?.totals["small"]?.outcomes, 7);
  });
});

Deno.test("taskOf() is a keyed fingerprint of wallet, endpoint and text", async () => {
  await withStores((stores) => {
    const { learning } = learningOn(stores);
    const task = learning.taskOf("w", "chat", "text");
    assertMatch(task, /^[0-9a-f]{16}$/);
    assertEquals(learning.taskOf("w", "chat", "text"), task);
    const others = [
      learning.taskOf("w2", "chat", "text"),
      learning.taskOf("w", "responses", "text"),
      learning.taskOf("w", "chat", "text2"),
      learningOn(stores, { secret: "other" }).learning.taskOf("w", "chat", "text"),
    ];
    assertEquals(new Set([task, ...others]).size, 5);
    return Promise.resolve();
  });
});

Deno.test("seedOf() is uniform, and depends on the secret", async () => {
  await withStores((stores) => {
    const { learning } = learningOn(stores);
    const seeds = Array.from({ length: 4_000 }, (_, at) => learning.seedOf(`log_${at}`));
    assert(seeds.every((seed) => seed >= 0 && seed < 1));
    for (let part = 0; part < 4; part++) {
      const count = seeds.filter((seed) => Math.floor(seed * 4) === part).length;
      assert(Math.abs(count - 1_000) < 150, `${count}`);
    }
    const other = learningOn(stores, { secret: "other" }).learning;
    assertNotEquals(other.seedOf("log_1"), learning.seedOf("log_1"));
    return Promise.resolve();
  });
});

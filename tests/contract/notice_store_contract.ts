import { assert, assertEquals } from "@std/assert";
import {
  beginningOf,
  type Delivery,
  endOf,
  newDelivery,
} from "../../gateway/domain/notices/delivery.ts";
import { type Incident, sightsOf } from "../../gateway/domain/notices/incident.ts";
import { type NoticeTarget, TARGETS_MAX } from "../../gateway/domain/notices/target.ts";
import type { NoticeStore } from "../../gateway/ports/notice_store.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

/** A webhook. */
export function target(id: string): NoticeTarget {
  const place = { kind: "webhook", url: "https://a.example/", secret: "whsec_MTIz" } as const;
  return { id, name: `Target \0 ${id}`, place, createdAtMs: 1 };
}

/** An incident of a low wallet. */
export function incident(id: string, subject = "team", beganAtMs = 1_000): Incident {
  return {
    ...{ id, kind: "wallet_low", subject, text: `Wallet "${subject}" is low`, facts: {} },
    ...{ beganAtMs, targets: ["tgt_1"], by: "only" },
  };
}

/** Its first delivery. */
export function begun(of: Incident, id = "tgt_1"): Delivery {
  return newDelivery(beginningOf(of), id);
}

/** The incident after its end. */
export function ended(of: Incident, endedAtMs = 2_000): Incident {
  return { ...of, endedAtMs, endText: "It has credits again" };
}

const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

const CLAUSES: Clauses<NoticeStore> = {
  "targets come back whole, oldest first, and at most so many": async (store) => {
    assertEquals(await store.targets(), []);
    for (let number = TARGETS_MAX; number > 0; number--) {
      assert(await store.putTarget(target(`tgt_${String(number).padStart(2, "0")}`)));
    }
    assertEquals(await store.putTarget(target("tgt_99")), false);
    const changed = { ...target("tgt_03"), name: "Changed", kinds: ["backup_failed"] as const };
    assert(await store.putTarget(changed));
    const all = await store.targets();
    assertEquals(all.length, TARGETS_MAX);
    assertEquals(all[0], target("tgt_01"));
    assertEquals(all[2], changed);
    assert(await store.removeTarget("tgt_03"));
    assertEquals(await store.removeTarget("tgt_03"), false);
    assert(await store.putTarget(target("tgt_99")));
  },
  "a condition is one incident at a time, whichever instance finds it": async (store) => {
    await store.putTarget(target("tgt_1"));
    const repeats = [1, 2, 3, 4, 5].map((number) => incident(`inc_${number}`));
    const begins = await Promise.all(repeats.map((one) => store.begin(one, [begun(one)])));
    assertEquals(begins.filter((hasBegun) => hasBegun).length, 1);
    const [open] = await store.open();
    assert(open !== undefined);
    assertEquals((await store.deliveries({ limit: 9 })).rows, [begun(open)]);
    const ends = await Promise.all([1, 2].map(() => store.end(ended(open), [])));
    assertEquals(ends.toSorted(), [false, true]);
    assertEquals(await store.open(), []);
    assert(await store.begin(incident("inc_6"), []));
    assert(await store.begin(incident("inc_7", "other"), []));
    assertEquals(ids(await store.open()), ["inc_6", "inc_7"]);
    assertEquals((await store.incidents({ limit: 9 })).rows.at(-1), ended(open));
  },
  "instances that see an incident are with it until it ends": async (store) => {
    const one = incident("inc_1");
    await store.begin(one, []);
    await store.begin(incident("inc_2", "other"), []);
    const see = (instance: string, nowMs: number, isSeen = true) =>
      store.see("inc_1", { instance, nowMs, isSeen });
    const sights = async () => sightsOf((await store.open())[0] ?? one);
    assertEquals(await sights(), { only: 1_000 });
    await Promise.all(["a", "b", "c"].map((instance) => see(instance, 2_000)));
    assertEquals(await sights(), { only: 1_000, a: 2_000, b: 2_000, c: 2_000 });
    await see("a", 3_000);
    await see("b", 3_000, false);
    assertEquals(await sights(), { only: 1_000, a: 3_000, c: 2_000 });
    // One that has said nothing for minutes is gone.
    await see("a", 303_000);
    assertEquals(await sights(), { a: 303_000 });
    const [open] = await store.open();
    assert(open !== undefined);
    await store.end(ended(open), []);
    await see("a", 304_000);
    await store.see("inc_9", { instance: "a", nowMs: 1, isSeen: true });
    const { rows } = await store.incidents({ limit: 9 });
    assertEquals(rows, [incident("inc_2", "other"), ended(open)]);
  },
  "a delivery that was given up is revived once, and only while its target is there": async (
    store,
  ) => {
    await store.putTarget(target("tgt_1"));
    const delivery = begun(incident("inc_1"));
    await store.begin(incident("inc_1"), [delivery]);
    assertEquals(await store.revive({ ...delivery, attempts: 7 }), false, "It is on its way");
    const dead = { ...delivery, state: "dead", attempts: 14 } as const;
    await store.record(dead);
    assertEquals(await store.due({ target: "tgt_1", nowMs: 9_999, limit: 9 }), []);
    const revived = await Promise.all([1, 2, 3].map(() => store.revive(delivery)));
    assertEquals(revived.toSorted(), [false, false, true]);
    assertEquals(await store.due({ target: "tgt_1", nowMs: 9_999, limit: 9 }), [delivery]);
    await store.record({ ...delivery, state: "delivered" });
    assertEquals(await store.revive(delivery), false, "It has arrived");
    await store.record(dead);
    await store.removeTarget("tgt_1");
    assertEquals(await store.revive(delivery), false);
    assertEquals(await store.revive(begun(incident("inc_9"))), false);
  },
  "what is due comes in the order of its time, for one target": async (store) => {
    await store.putTarget(target("tgt_1"));
    await store.putTarget(target("tgt_2"));
    const [one, two] = [incident("inc_1"), incident("inc_2", "other")];
    await store.begin(one, [begun(one), begun(one, "tgt_2")]);
    await store.begin(two, [begun(two)]);
    await store.record({ ...begun(one), nextAtMs: 5_000, attempts: 1, problem: "Status 500" });
    const due = (nowMs: number, limit = 9) => store.due({ target: "tgt_1", nowMs, limit });
    assertEquals(ids(await due(999)), []);
    assertEquals(ids(await due(4_999)), ["inc_2_1.tgt_1"]);
    assertEquals(ids(await due(5_000)), ["inc_2_1.tgt_1", "inc_1_1.tgt_1"]);
    assertEquals(ids(await due(5_000, 1)), ["inc_2_1.tgt_1"]);
    await store.record({ ...begun(two), state: "delivered" });
    assertEquals(ids(await due(5_000)), ["inc_1_1.tgt_1"]);
    const stored = await store.delivery("inc_1_1.tgt_1");
    assertEquals([stored?.attempts, stored?.problem], [1, "Status 500"]);
    assertEquals(await store.delivery("inc_9_1.tgt_1"), undefined);
  },
  "a removed target takes its deliveries along, and none comes back": async (store) => {
    await store.putTarget(target("tgt_1"));
    await store.putTarget(target("tgt_2"));
    const one = incident("inc_1");
    await store.begin(one, [begun(one), begun(one, "tgt_2")]);
    await store.removeTarget("tgt_1");
    await store.record({ ...begun(one), state: "dead" });
    assertEquals(ids((await store.deliveries({ limit: 9 })).rows), ["inc_1_1.tgt_2"]);
    assertEquals(await store.due({ target: "tgt_1", nowMs: 9e9, limit: 9 }), []);
  },
  "pages list every row once, newest first": async (store) => {
    await store.putTarget(target("tgt_1"));
    for (const number of [1, 2, 3, 4, 5]) {
      const one = incident(`inc_${number}`, `wallet_${number}`);
      await store.begin(one, [begun(one)]);
      if (number % 2 === 0) await store.record({ ...begun(one), state: "dead" });
    }
    const first = await store.incidents({ limit: 3 });
    assertEquals(ids(first.rows), ["inc_5", "inc_4", "inc_3"]);
    const second = await store.incidents({ limit: 3, cursor: first.cursor });
    assertEquals([ids(second.rows), second.cursor], [["inc_2", "inc_1"], undefined]);
    const dead = await store.deliveries({ state: "dead", limit: 1 });
    assertEquals(ids(dead.rows), ["inc_4_1.tgt_1"]);
    const rest = await store.deliveries({ state: "dead", limit: 1, cursor: dead.cursor });
    assertEquals([ids(rest.rows), rest.cursor], [["inc_2_1.tgt_1"], undefined]);
  },
  "a sweep deletes what is long over, and nothing that is on its way": async (store) => {
    await store.putTarget(target("tgt_1"));
    for (const number of [1, 2, 3, 4]) {
      const one = incident(`inc_${number}`, `wallet_${number}`);
      await store.begin(one, [begun(one)]);
      if (number === 4) continue;
      const over = ended(one, number * 1_000);
      const end = newDelivery(endOf(over), "tgt_1");
      await store.end(over, [end]);
      await store.record({ ...begun(one), state: "delivered" });
      if (number !== 2) await store.record({ ...end, state: "dead" });
    }
    assertEquals(await store.sweep(3_000), 1);
    assertEquals(ids((await store.incidents({ limit: 9 })).rows), ["inc_4", "inc_3", "inc_2"]);
    assertEquals((await store.deliveries({ limit: 9 })).rows.length, 5);
    assertEquals(await store.sweep(3_000), 0);
  },
  "the lease is kept by the one that has it": async (store) => {
    assert(await store.lead());
    assert(await store.lead());
  },
};

/** Contract of every store of notifications. */
export function noticeStoreContract(name: string, open: Open<NoticeStore>): void {
  runContract(name, { open, clauses: CLAUSES });
}

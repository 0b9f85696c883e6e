import { assert, assertEquals } from "@std/assert";
import type { Operator } from "../../gateway/domain/operators/operator.ts";
import type { TrailDraft } from "../../gateway/domain/operators/trail.ts";
import { brokenPlace } from "../../gateway/system/trail_check.ts";
import type { OperatorStore } from "../../gateway/ports/operator_store.ts";
import type { TrailStore } from "../../gateway/ports/trail_store.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

/** Operators and the audit log, which share commits. */
export interface OperatorStores {
  readonly operatorStore: OperatorStore;
  readonly trailStore: TrailStore;
}

/** An operator, version 1. */
export const KIM: Operator = {
  ...{ id: "opr_1", name: "Kim", role: "viewer", grants: [], state: "active" },
  tokens: [{ id: "tok_1", name: "Laptop", digest: "1.ab", createdAtMs: 1, expiresAtMs: 9 }],
  ...{ createdAtMs: 1, sessionsSinceMs: 0, version: 1 },
};

/** Returns an entry of the audit log. */
export function draft(atMs: number, values: Partial<TrailDraft> = {}): TrailDraft {
  return {
    atMs,
    author: { kind: "operator", id: "opr_9", name: "Lee", address: null, requestId: "req_1" },
    ...{ action: "createWallet", stage: "noted", subject: "/wallets" },
    ...values,
  };
}

const CLAUSES: Clauses<OperatorStores> = {
  "an operator is stored with its entry, and both or neither": async (stores) => {
    const { operatorStore, trailStore } = stores;
    assertEquals(await operatorStore.all(), []);
    assert(await operatorStore.put(KIM, draft(1)));
    assert(!await operatorStore.put({ ...KIM, name: "Other" }, draft(2)), "There is one already");
    assert(!await operatorStore.put({ ...KIM, version: 3 }, draft(3)), "A version is missing");
    const second: Operator = { ...KIM, role: "admin", version: 2 };
    assert(await operatorStore.put(second, draft(4)));
    assertEquals(await operatorStore.all(), [second]);
    const { entries } = await trailStore.page({ limit: 10 });
    assertEquals(entries.map(({ atMs, place }) => [place, atMs]), [[2, 4], [1, 1]]);
  },
  "of changes at the same time one is stored, with one entry": async (stores) => {
    const { operatorStore, trailStore } = stores;
    await operatorStore.put(KIM, draft(1));
    const roles = ["viewer", "support", "billing", "admin"] as const;
    const stored = await Promise.all(
      roles.map((role) => operatorStore.put({ ...KIM, role, version: 2 }, draft(2))),
    );
    assertEquals(stored.filter(Boolean).length, 1);
    assertEquals((await trailStore.head()).place, 2);
  },
  "operators are listed by id, whatever texts they have": async ({ operatorStore }) => {
    const name = "\ud800 \0 é";
    for (const id of ["opr_b", "opr_a", "opr_\u0000", "#"]) {
      assert(await operatorStore.put({ ...KIM, id, name: name.toWellFormed() }, draft(1)));
    }
    const all = await operatorStore.all();
    assertEquals(new Set(all.map(({ id }) => id)), new Set(["opr_a", "opr_b", "opr_\u0000", "#"]));
    assertEquals(all.filter(({ id }) => /^opr_[ab]$/.test(id)).map(({ id }) => id), [
      "opr_a",
      "opr_b",
    ]);
  },
  "entries have places without gaps, and a chain that verifies": async ({ trailStore }) => {
    assertEquals(await trailStore.head(), { place: 0, hash: "" });
    assertEquals((await brokenPlace(trailStore)).problem, undefined);
    const placed = await Promise.all(
      Array.from({ length: 30 }, (_, at) => trailStore.append(draft(at))),
    );
    assertEquals(
      placed.map(({ place }) => place).toSorted((one, other) => one - other),
      Array.from({ length: 30 }, (_, at) => at + 1),
    );
    const head = await trailStore.head();
    assertEquals(head.place, 30);
    const read = await trailStore.read(1, 100);
    assertEquals([read.length, read.at(-1)?.hash], [30, head.hash]);
    assertEquals((await trailStore.read(29, 100)).length, 2);
    assertEquals(await brokenPlace(trailStore), {
      problem: undefined,
      head: { entries: 30, head: head.hash },
    });
  },
  "a page goes back from the newest entry, without gaps or repeats": async ({ trailStore }) => {
    for (let at = 1; at <= 7; at++) await trailStore.append(draft(at));
    const places: number[] = [];
    let before: number | undefined;
    do {
      const page = await trailStore.page({ limit: 3, before });
      places.push(...page.entries.map(({ place }) => place));
      before = page.before;
      // A page is not moved by what is written meanwhile.
      await trailStore.append(draft(9));
    } while (before !== undefined);
    assertEquals(places, [7, 6, 5, 4, 3, 2, 1]);
  },
  "an entry has no secret, wherever it was written": async ({ trailStore }) => {
    const secret = `svc_live_${"a1".repeat(20)}`;
    const encoded = secret.replaceAll("a", "%61");
    await trailStore.append(draft(1, { subject: `/keys/${encoded}`, remark: `No ${secret}!` }));
    const [{ line } = { line: "" }] = await trailStore.read(1, 1);
    const { subject, remark } = JSON.parse(line);
    assertEquals([subject, remark], ["/keys/svc_live_[removed]", "No svc_live_[removed]!"]);
    assertEquals((await trailStore.page({ limit: 1 })).entries[0]?.subject, subject);
    assertEquals((await brokenPlace(trailStore)).problem, undefined);
  },
  "a search finds by person, action, subject and time": async ({ trailStore }) => {
    const author = { kind: "sso", id: "sso:7", name: "Ana Lee", address: "::1", requestId: "r" };
    await trailStore.append(draft(10, { author: { ...author, kind: "sso" } }));
    await trailStore.append(draft(20, { action: "creditWallet", subject: "/wallets/team" }));
    await trailStore.append(draft(30, { subject: "/wallets/other", before: { a: "ü\u2028" } }));
    const places = async (filter: Omit<Parameters<TrailStore["page"]>[0], "limit">) =>
      (await trailStore.page({ limit: 10, ...filter })).entries.map(({ place }) => place);
    assertEquals(await places({ who: "ana" }), [1]);
    assertEquals(await places({ who: "opr_9" }), [3, 2]);
    assertEquals(await places({ action: "creditWallet" }), [2]);
    assertEquals(await places({ subject: "wallets/o" }), [3]);
    assertEquals(await places({ sinceMs: 20, untilMs: 30 }), [2]);
    assertEquals(await places({ who: "nobody" }), []);
    const [third] = (await trailStore.page({ limit: 1 })).entries;
    assertEquals(third?.before, { a: "ü\u2028" });
  },
};

/** Contract of every store of operators and of the audit log. */
export function operatorStoreContract(name: string, open: Open<OperatorStores>): void {
  runContract(name, { open, clauses: CLAUSES });
}

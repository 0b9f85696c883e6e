import { assertEquals } from "@std/assert";
import type { AuditStore } from "../../gateway/ports/audit_store.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

const DAY = "2026-11-23";
const NEXT_DAY = "2026-11-24";

const CLAUSES: Clauses<AuditStore> = {
  "a reservation counts until the audit is settled, then its cost": async (audits) => {
    assertEquals(await audits.spentOn(DAY), 0n);
    const first = { id: "a", day: DAY };
    assertEquals(await audits.reserve({ ...first, amount: 60n, budget: 100n }), 60n);
    assertEquals(await audits.spentOn(DAY), 60n);
    await audits.settle({ ...first, cost: 7n });
    assertEquals(await audits.spentOn(DAY), 7n);
    assertEquals(await audits.reserve({ id: "b", day: DAY, amount: 100n, budget: 100n }), 93n);
    assertEquals(await audits.reserve({ id: "c", day: DAY, amount: 1n, budget: 100n }), 0n);
    await audits.settle({ id: "b", day: DAY, cost: 0n });
    assertEquals(await audits.spentOn(DAY), 7n);
  },
  "reservations at the same time never exceed the budget together": async (audits) => {
    const amounts = await Promise.all(
      Array.from(
        { length: 20 },
        (_, at) => audits.reserve({ id: `audit_${at}`, day: DAY, amount: 30n, budget: 100n }),
      ),
    );
    assertEquals(amounts.toSorted(), [...Array(16).fill(0n), 10n, 30n, 30n, 30n]);
    assertEquals(await audits.spentOn(DAY), 100n);
  },
  "a repeated reservation is the first, and a repeated settlement changes nothing": async (
    audits,
  ) => {
    const audit = { id: "a", day: DAY, amount: 30n, budget: 100n };
    assertEquals(await audits.reserve(audit), 30n);
    assertEquals(await audits.reserve({ ...audit, amount: 90n }), 30n);
    await audits.settle({ id: "a", day: DAY, cost: 5n });
    await audits.settle({ id: "a", day: DAY, cost: 5n });
    await audits.settle({ id: "unknown", day: DAY, cost: 50n });
    assertEquals(await audits.spentOn(DAY), 5n);
  },
  "every day has its own budget, and an audit counts for the day on which it began": async (
    audits,
  ) => {
    const late = { id: "late", day: DAY };
    await audits.reserve({ ...late, amount: 80n, budget: 100n });
    assertEquals(await audits.reserve({ id: "b", day: NEXT_DAY, amount: 80n, budget: 100n }), 80n);
    await audits.settle({ ...late, cost: 70n });
    assertEquals(await audits.spentOn(NEXT_DAY), 80n);
  },
  "a budget that was lowered below the cost of the day leaves nothing": async (audits) => {
    await audits.reserve({ id: "a", day: DAY, amount: 80n, budget: 100n });
    assertEquals(await audits.reserve({ id: "b", day: DAY, amount: 1n, budget: 50n }), 0n);
    assertEquals(await audits.spentOn(DAY), 80n);
  },
  "ids of any text are different audits": async (audits) => {
    for (const id of ["\ud800", "\udfff", "#", "a".repeat(5_000), ""]) {
      assertEquals(await audits.reserve({ id, day: DAY, amount: 1n, budget: 100n }), 1n);
    }
    assertEquals(await audits.spentOn(DAY), 5n);
  },
};

/** Contract of every store of the costs of audits. */
export function auditStoreContract(name: string, open: Open<AuditStore>): void {
  runContract(name, { open, clauses: CLAUSES });
}

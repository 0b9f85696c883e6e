/**
 * Budgets of users and tags over HTTP: what counts, what the holder and the operator see, and what
 * a change of the policy may do.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { formatCredits, parseCredits } from "../../../gateway/domain/ledger/money.ts";
import { TestService } from "../../fixtures/service.ts";
import { askAs, assertDemandsTag, assertDemandsUser, assertSpendsOfNames } from "./lab.ts";

const POLICY = { budgets: [{ user: "ann", day: "5" }, { tag: "team=search", total: "9" }] };

async function own(service: TestService, key: string) {
  const response = await fetch(`${service.running.publicUrl}/api/v1/key`, {
    headers: { "x-api-key": key },
  });
  return await response.json();
}

function sum(...amounts: readonly string[]): string {
  return formatCredits(amounts.reduce((all, each) => all + (parseCredits(each) ?? 0n), 0n));
}

Deno.test("a call counts under its user and its tags, for the holder and the operator", async () => {
  await using service = await TestService.start();
  const { key, id, wallet } = await service.newKey({ policy: POLICY });
  const both = (await askAs(service, { key, user: "ann", tag: "team=search" })).charged;
  const ann = (await askAs(service, { key, user: "ann" })).charged;
  const none = (await askAs(service, { key, user: "ben", tag: "team=mail" })).charged;
  await service.quiet();
  const { budgets, spend, remaining } = await own(service, key);
  const restOf = (cap: string, spent: string) =>
    formatCredits((parseCredits(cap) ?? 0n) - (parseCredits(spent) ?? 0n));
  const spentBy = (total: string) => ({ held: "0.000000", day: total, month: total, total });
  assertEquals(spend.total, sum(both, ann, none));
  assertEquals(remaining, { day: null, month: null, total: null });
  assertEquals(budgets, [
    {
      ...{ user: "ann", tag: null, spend: spentBy(sum(both, ann)) },
      remaining: { day: restOf("5", sum(both, ann)), month: null, total: null },
    },
    {
      ...{ user: null, tag: "team=search", spend: spentBy(both) },
      remaining: { day: null, month: null, total: restOf("9", both) },
    },
  ]);
  assertEquals((await service.admin("GET", `/keys/${id}`)).budgets, budgets);
  const { entries } = await service.admin("GET", `/wallets/${wallet}/statement?kind=hold`);
  assert(Array.isArray(entries));
  assertEquals(entries.map((entry) => entry.budgets).reverse(), [
    ["user:ann", "tag:team=search"],
    ["user:ann"],
    undefined,
  ]);
  await service.assertBooks();
});

Deno.test("keys of a rotation line share the budgets of names", async () => {
  await using service = await TestService.start();
  const { key, id } = await service.newKey({ policy: POLICY });
  const first = (await askAs(service, { key, user: "ann" })).charged;
  const rotated = await service.admin("POST", `/keys/${id}/rotate`, {});
  const second = (await askAs(service, { key: String(rotated.key), user: "ann" })).charged;
  await service.quiet();
  assertEquals((await own(service, key)).budgets[0].spend.total, sum(first, second));
  await service.assertBooks();
});

Deno.test("a budget of a name can be added and lowered, not dropped", async () => {
  await using service = await TestService.start();
  const { key, id } = await service.newKey({ policy: {} });
  await askAs(service, { key, user: "ann" });
  const narrow = (budgets: readonly object[]) =>
    service.admin("POST", `/keys/${id}/narrow`, { policy: { budgets } });
  await narrow([{ user: "ann", day: "5" }]);
  assertEquals((await own(service, key)).budgets[0].spend.total, "0.000000", "It begins now");
  await narrow([{ tag: "a=b", month: "1" }, { user: "ann", day: "0" }]);
  const { status, code } = await askAs(service, { key, user: "ann" });
  assertEquals([status, code], [402, "key_budget_exceeded"]);
  for (
    const [budgets, path] of [
      [[{ tag: "a=b", month: "1" }], "policy.budgets"],
      [[{ tag: "a=b", month: "1" }, { user: "ann", day: "1" }], "policy.budgets.1.day"],
    ] as const
  ) {
    const error = await narrow(budgets).catch(String);
    assertStringIncludes(JSON.stringify(error), path);
  }
});

Deno.test("budgets of names refuse their own calls only, and policies demand names", async () => {
  await using service = await TestService.start();
  await assertSpendsOfNames(service);
  await assertDemandsTag(service);
  await assertDemandsUser(service);
});

/**
 * The store fails while a split request runs: the caller receives an error, its holds end once the
 * store is back, and nothing is charged twice.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { formatCredits, parseCredits } from "../../../gateway/domain/ledger/money.ts";
import { faultyKv, withOpenKv } from "../../contract/faulty_kv.ts";
import {
  askSplit,
  CALL_MICROS,
  orchestrationLab,
  readAnswer,
} from "../../fixtures/orchestrated.ts";
import { until } from "../../fixtures/service.ts";

for (const stream of [true, false]) {
  for (const commit of ["before", "after"] as const) {
    const how = `${stream ? "streamed" : "JSON"}, ${commit} the commit`;
    Deno.test(`a store that fails while tasks run (${how}) costs the caller no more than was generated`, async () => {
      const { faults, openKv } = faultyKv();
      await using lab = await withOpenKv(
        (path = ":memory:") => openKv(path),
        () => orchestrationLab(),
      );
      const { service, upstream } = lab;
      const gate = Promise.withResolvers<void>();
      for (const id of ["tea", "coffee", "cocoa"]) upstream.on(id, { until: gate.promise });
      const call = askSplit(service, { stream, choice: "final" });
      await until(() => upstream.calls.length === 4, "the tasks to begin");
      faults.commit = commit;
      const before = faults.commits;
      gate.resolve();
      await until(() => faults.commits > before, "a commit to fail");
      faults.commit = "none";
      const answer = await readAnswer(await call, stream);
      const { settlementRetries } = service.running.gateway;
      await until(() => settlementRetries.size === 0, "the settlement retries");
      await service.assertBooks();
      const { spent } = await service.wallet();
      assert(spent >= CALL_MICROS && spent <= 5n * CALL_MICROS, `${spent}`);
      const charged = parseCredits(answer.metadata.billing?.charged ?? "0") ?? 0n;
      // The store may have refused the row: then the operator's log says so.
      if (!service.logs.some(({ event }) => event === "request_not_logged")) {
        assertEquals((await service.lastRequest()).charged, answer.metadata.billing?.charged);
      }
      assert(charged <= spent, `told ${charged}, spent ${spent}`);
    });
  }
}

Deno.test("a refusal after the planner was paid states the planner's cost", async () => {
  const { faults, openKv } = faultyKv();
  await using lab = await withOpenKv(
    (path = ":memory:") => openKv(path),
    () => orchestrationLab(),
  );
  const { service, upstream } = lab;
  const gate = Promise.withResolvers<void>();
  upstream.plan = [];
  upstream.on("plan", { until: gate.promise });
  const call = askSplit(service);
  await until(() => upstream.calls.length === 1, "the plan to be asked for");
  const settled = faults.commits + 1;
  faults.onCommit = () => faults.commit = faults.commits > settled ? "before" : "none";
  gate.resolve();
  const response = await call;
  const { error, metadata } = await response.json();
  faults.onCommit = () => faults.commit = "none";
  assertEquals([response.status, error.code], [503, "store_unavailable"]);
  assertEquals(metadata?.billing?.charged, formatCredits(CALL_MICROS));
  assert(!error.message.includes("nothing was charged"), error.message);
  const [wait, again] = ["retry-after", "x-should-retry"].map((name) => response.headers.get(name));
  assertEquals([wait, again], ["1", "false"], "no client pays for a plan again by itself");
  await until(() => service.running.gateway.settlementRetries.size === 0, "the settlement retries");
  assertEquals((await service.wallet()).spent, CALL_MICROS);
  await service.assertBooks();
});

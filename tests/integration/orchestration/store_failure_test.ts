/**
 * The store fails while a split request runs: its caller is told, its holds end once the store is
 * back, and nothing is charged twice.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { parseCredits } from "../../../gateway/domain/money.ts";
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
    Deno.test(`a store that fails while tasks run (${how}) costs nobody more than was made`, async () => {
      const { faults, openKv } = faultyKv();
      await using lab = await withOpenKv(
        (path = ":memory:") => openKv(path),
        () => orchestrationLab(),
      );
      const { service, upstream } = lab;
      const gate = Promise.withResolvers<void>();
      for (const id of ["tea", "coffee", "cocoa"]) upstream.on(id, { until: gate.promise });
      const asked = askSplit(service, { stream, choice: "final" });
      await until(() => upstream.calls.length === 4, "the tasks to begin");
      faults.commit = commit;
      const before = faults.commits;
      gate.resolve();
      await until(() => faults.commits > before, "a commit to fail");
      faults.commit = "none";
      const answer = await readAnswer(await asked, stream);
      const { lateEndings } = service.running.gateway;
      await until(() => lateEndings.size === 0, "the late endings");
      await service.assertBooks();
      const { spent } = await service.wallet();
      assert(spent >= CALL_MICROS && spent <= 5n * CALL_MICROS, `${spent}`);
      const told = parseCredits(answer.metadata.billing?.charged ?? "0") ?? 0n;
      // The row may be what the store would not take: then the operator is told.
      if (!service.logs.some(({ event }) => event === "request_not_logged")) {
        assertEquals((await service.lastRequest()).charged, answer.metadata.billing?.charged);
      }
      assert(told <= spent, `told ${told}, spent ${spent}`);
    });
  }
}

import { assert, assertEquals } from "@std/assert";
import { runPart } from "../../../gateway/flows/orchestrate/run_part.ts";
import { ActiveRequest } from "../../../gateway/flows/request/active_request.ts";
import { TASKS_MS } from "../../../gateway/flows/orchestrate/task_run.ts";
import {
  askSplit,
  assertCharged,
  CALL_MICROS,
  orchestrationLab,
  readAnswer,
  statuses,
} from "../../fixtures/orchestrated.ts";
import { ManualClock, until } from "../../fixtures/service.ts";
import { planned } from "../../fixtures/task_upstream.ts";

const LIMIT_MS = 1_000;

for (const onDisconnect of ["cancel", "drain"]) {
  for (const doing of [{ until: new Promise(() => {}) }, { stallAfter: "Half " }]) {
    const [when, message] = "until" in doing
      ? ["before", "Every model that could serve this request took too long"]
      : ["after", `The answer broke off: It took longer than ${LIMIT_MS} ms`];

    Deno.test(`${onDisconnect}: a part's time is over ${when} its answer begins`, async () => {
      await using lab = await orchestrationLab({ upstream: { onDisconnect } });
      const { service, upstream } = lab;
      upstream.on("plain", doing);
      const { gateway, stores } = service.running;
      const { id } = await service.newKey();
      const key = await stores.keys.get(id);
      assert(key !== undefined);
      const active = new ActiveRequest(
        {
          ...{ key, requestId: "req_1", logId: "log_1", endpoint: "chat", stream: false },
          dialect: "service",
        },
        { signal: new AbortController().signal },
        gateway.clock,
      );
      const value = { model: "auto", stream: true, messages: [{ role: "user", content: "Hi" }] };
      const outcome = await runPart(gateway, {
        active: active.part({ name: "task", stream: false }),
        body: { value, text: JSON.stringify(value) },
        endpoint: "chat",
        instruction: "Hi",
        maxMs: LIMIT_MS,
        signal: new AbortController().signal,
      });
      assert(!outcome.ok);
      // Its own limit ended it: the upstream's would say less, or let another model be asked.
      assertEquals([outcome.fault.code, outcome.fault.message], ["upstream_timeout", message]);
      // No other model is called within its time.
      assertEquals(upstream.calls.length, 1);
      await service.assertBooks();
    });
  }
}

Deno.test("tasks leave the answer its part of the request's time", async () => {
  const clock = new ManualClock();
  await using lab = await orchestrationLab({ clock });
  const { service, upstream } = lab;
  const gate = Promise.withResolvers<void>();
  upstream.plan = [planned("tea"), planned("more", ["tea"]), planned("coffee")];
  upstream.on("tea", { until: gate.promise });
  const call = askSplit(service);
  await until(() => upstream.callsFor("coffee").length === 1, "the tasks to begin");
  await until(async () => (await service.wallet()).spent === 2n * CALL_MICROS, "coffee's end");
  clock.advance(TASKS_MS + 1);
  gate.resolve();
  const answer = await readAnswer(await call, false);
  assertEquals([answer.text, answer.error], ["The answer.", undefined]);
  assertEquals([statuses(answer)["more"], upstream.callsFor("more").length], ["failed", 0]);
  await assertCharged(service, answer, { micros: 4n * CALL_MICROS });
});

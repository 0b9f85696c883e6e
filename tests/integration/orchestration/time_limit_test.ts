import { assert, assertEquals } from "@std/assert";
import { runPart } from "../../../gateway/flows/orchestrate/run_part.ts";
import { RequestTrace } from "../../../gateway/flows/request_trace.ts";
import { orchestrationLab } from "../../fixtures/orchestrated.ts";

const LIMIT_MS = 200;

for (const onDisconnect of ["cancel", "drain"]) {
  for (const doing of [{ until: new Promise(() => {}) }, { stallAfter: "Half " }]) {
    const when = "until" in doing ? "before" : "after";

    Deno.test(`${onDisconnect}: a part's time is over ${when} its answer begins`, async () => {
      await using lab = await orchestrationLab({ upstream: { onDisconnect } });
      const { service, upstream } = lab;
      upstream.on("plain", doing);
      const { gateway, stores } = service.running;
      const { id } = await service.newKey();
      const key = await stores.keys.get(id);
      assert(key !== undefined);
      const trace = new RequestTrace({
        ...{ key, requestId: "req_1", logId: "log_1", endpoint: "chat", stream: false },
        ...{ signal: new AbortController().signal, onSettled: () => {} },
      }, gateway.clock);
      const value = { model: "auto", stream: true, messages: [{ role: "user", content: "Hi" }] };
      const startedMs = performance.now();
      const outcome = await runPart(gateway, {
        trace: trace.part({ stream: false }),
        body: { value, text: JSON.stringify(value) },
        endpoint: "chat",
        instruction: "Hi",
        maxMs: LIMIT_MS,
        signal: new AbortController().signal,
      });
      assertEquals(outcome.ok ? "" : outcome.fault.code, "upstream_timeout");
      assert(performance.now() - startedMs < 50 * LIMIT_MS);
      // Nobody else is asked in what was its time.
      assertEquals(upstream.calls.length, 1);
      await service.assertBooks();
    });
  }
}

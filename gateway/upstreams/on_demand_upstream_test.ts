import { assertEquals, assertRejects } from "@std/assert";
import type { Upstream, UpstreamCall } from "../ports/upstream.ts";
import { OnDemandUpstream } from "./on_demand_upstream.ts";
import { callOf } from "./ai_sdk/upstream_fixture.ts";

/** An upstream that notes what it is asked. */
function noted() {
  const calls: string[] = [];
  const upstream: Upstream = {
    id: "lab",
    call: (call: UpstreamCall) => {
      calls.push(call.model);
      return Promise.resolve({ kind: "failure", outcome: "timeout", message: "No" });
    },
    models: () => Promise.resolve(["a"]),
    close: () => void calls.push("closed"),
  };
  return { calls, upstream };
}

Deno.test("an upstream is loaded once, with what it is first asked", async () => {
  const { calls, upstream } = noted();
  const loading = Promise.withResolvers<void>();
  let loads = 0;
  const onDemand = new OnDemandUpstream("lab", async () => {
    loads++;
    await loading.promise;
    return upstream;
  });
  assertEquals([onDemand.id, loads], ["lab", 0]);
  const call = callOf();
  const answers = Promise.all([onDemand.call(call), onDemand.call(call)]);
  // Closed while it is loaded: what was asked before is asked, and then it is closed.
  onDemand.close();
  loading.resolve();
  assertEquals((await answers).map(({ kind }) => kind), ["failure", "failure"]);
  assertEquals(await onDemand.models(call.signal), ["a"]);
  assertEquals([calls, loads], [[call.model, call.model, "closed"], 1]);
});

Deno.test("one that was never asked is never loaded, not even to be closed", () => {
  new OnDemandUpstream("lab", () => Promise.reject(new Error("Loaded"))).close();
});

Deno.test("every caller receives the error of code that cannot be loaded", async () => {
  const onDemand = new OnDemandUpstream("lab", () => Promise.reject(new TypeError("No module")));
  await assertRejects(() => onDemand.call(callOf()), TypeError, "No module");
  await assertRejects(() => onDemand.models(AbortSignal.abort()), TypeError, "No module");
  onDemand.close();
});

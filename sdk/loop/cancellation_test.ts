import { assertEquals, assertRejects } from "@std/assert";
import { Cancellation } from "./cancellation.ts";
import { never } from "./script_test.ts";

Deno.test("Cancellation calls its listeners once, without removed ones", () => {
  const cancellation = new Cancellation();
  const reasons: unknown[] = [];
  cancellation.onCancel((reason) => reasons.push(["stays", reason]));
  cancellation.onCancel(() => reasons.push("gone"))();
  cancellation.cancel("first");
  cancellation.cancel("second");
  cancellation.onCancel((reason) => reasons.push(["late", reason]))();
  assertEquals(reasons, [["stays", "first"], ["late", "first"]]);
  assertEquals(cancellation.signal.reason, "first");
});

Deno.test("Cancellation.guard() gives the work's own end, or the reason before it", async () => {
  const cancellation = new Cancellation();
  const boom = new Error("boom");
  assertEquals(await cancellation.guard(Promise.resolve(1)), 1);
  await assertRejects(() => cancellation.guard(Promise.reject(boom)), Error, "boom");
  const pending = cancellation.guard(never());
  const late = cancellation.guard(Promise.resolve().then(() => Promise.reject(boom)));
  cancellation.cancel(new Error("stopped"));
  await assertRejects(() => pending, Error, "stopped");
  // What the work comes to afterwards goes unheard, also a failure.
  await assertRejects(() => late, Error, "stopped");
  await assertRejects(() => cancellation.guard(Promise.resolve(1)), Error, "stopped");
});

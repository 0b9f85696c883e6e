import { assert, assertEquals } from "@std/assert";
import { InFlight } from "./in_flight.ts";

Deno.test("idle waits for the last request; leaving twice counts once", async () => {
  const inFlight = new InFlight();
  const events: string[] = [];
  const first = inFlight.enter(() => events.push("first"));
  const second = inFlight.enter(() => events.push("second"));
  let idle = false;
  const waiting = inFlight.idle().then(() => idle = true);
  first();
  first();
  await Promise.resolve();
  assertEquals([inFlight.count, idle], [1, false]);
  second();
  await waiting;
  assertEquals(events, ["first", "second"]);
  await inFlight.idle();
});

Deno.test("abortAll does not reach calls that have ended", () => {
  const inFlight = new InFlight();
  const [open, ended] = [new AbortController(), new AbortController()];
  inFlight.watch(open);
  inFlight.watch(ended)();
  inFlight.abortAll();
  assert(open.signal.aborted);
  assert(!ended.signal.aborted);
});

Deno.test("cutAll reaches the calls of its moment, as a failure of the store", () => {
  const inFlight = new InFlight();
  const [open, later] = [new AbortController(), new AbortController()];
  inFlight.watch(open);
  inFlight.cutAll();
  inFlight.watch(later);
  assertEquals([open.signal.reason, later.signal.aborted], ["shutdown", false]);
  assertEquals(inFlight.endFault().code, "store_unavailable");
  inFlight.abortAll();
  assertEquals(inFlight.endFault().code, "shutting_down");
});

Deno.test("a call that begins after abortAll is broken off as well", () => {
  const inFlight = new InFlight();
  inFlight.abortAll();
  const late = new AbortController();
  inFlight.watch(late)();
  assertEquals(late.signal.reason, "shutdown");
});

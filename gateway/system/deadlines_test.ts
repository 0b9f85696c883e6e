import { assertEquals } from "@std/assert";
import { afterMs } from "./deadlines.ts";

function elapse(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

Deno.test("deadlines pass in the order they are due, whatever the order they were set in", async () => {
  const passed: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  afterMs(30, () => {
    passed.push("late");
    resolve();
  });
  afterMs(5, () => passed.push("early"));
  afterMs(15, () => passed.push("middle"));
  await promise;
  assertEquals(passed, ["early", "middle", "late"]);
});

Deno.test("deadlines that are all overdue pass in the order they were due", async () => {
  const passed: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const [ms, name] of [[6, "late"], [2, "early"], [4, "middle"]] as const) {
    afterMs(ms, () => {
      if (passed.push(name) === 3) resolve();
    });
  }
  // Nothing else can run meanwhile, as on a machine that is stopped.
  const until = performance.now() + 10;
  while (performance.now() < until);
  await promise;
  assertEquals(passed, ["early", "middle", "late"]);
});

Deno.test("a deadline that was called off does not pass, and leaves no timer behind", async () => {
  const passed: string[] = [];
  const callOff = afterMs(1, () => passed.push("called off"));
  const other = afterMs(60_000, () => passed.push("never"));
  callOff();
  callOff();
  await elapse(10);
  other();
  assertEquals(passed, []);
});

Deno.test("a deadline that passes can call another one off that is due too, and set a new one", async () => {
  const passed: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const calls: (() => void)[] = [];
  afterMs(2, () => {
    passed.push("first");
    calls[0]?.();
    afterMs(1, resolve);
  });
  calls.push(afterMs(2, () => passed.push("second")));
  await promise;
  assertEquals(passed, ["first"]);
});

import { assertEquals } from "@std/assert";
import { setImmediate } from "node:timers/promises";
import { Checkpoints, COUNTED_AT_ONCE } from "./checkpoints.ts";

Deno.test("all streams in flight are checked together, without finished ones", async () => {
  const checkpoints = new Checkpoints({ checkMs: 5 });
  const checks: string[] = [];
  const checked = Promise.withResolvers<void>();
  const exits = ["a", "b", "c"].map((name) =>
    checkpoints.enter({
      writeIfDue: () => {
        checks.push(name);
        if (name === "c" && checks.length >= 6) checked.resolve();
        return true;
      },
    })
  );
  exits[1]?.();
  exits[1]?.();
  assertEquals(checkpoints.size, 2);
  await checked.promise;
  assertEquals(checks.slice(0, 4), ["a", "c", "a", "c"]);
  // Without streams there is no timer: the test's own sanitizer would find it.
  for (const exit of exits) exit();
  assertEquals(checkpoints.size, 0);
});

Deno.test("a stream may end while it is checked", async () => {
  const checkpoints = new Checkpoints({ checkMs: 1 });
  const checked = Promise.withResolvers<void>();
  const exit = checkpoints.enter({
    writeIfDue: () => {
      exit();
      checked.resolve();
      return false;
    },
  });
  await checked.promise;
  assertEquals(checkpoints.size, 0);
});

Deno.test("many streams that are due together yield to the event loop in between", async () => {
  const checkpoints = new Checkpoints({ checkMs: 1 });
  let counted = 0;
  const done = Promise.withResolvers<void>();
  const streams = 5 * COUNTED_AT_ONCE;
  const exits = Array.from({ length: streams }, () =>
    checkpoints.enter({
      writeIfDue: () => {
        if (++counted === streams) done.resolve();
        return true;
      },
    }));
  while (counted === 0) await setImmediate();
  assertEquals(counted < streams, true, "all were counted in one go");
  await done.promise;
  for (const exit of exits) exit();
});

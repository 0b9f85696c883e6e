import { assertEquals, assertRejects } from "@std/assert";
import { StoreError } from "../../../ports/store_error.ts";
import type { BatchView } from "./batch_view.ts";
import type { Needs } from "./batches.ts";
import { TimelyBatches } from "./timely_batches.ts";

const VIEW = {} as unknown as BatchView;

/** Batches whose operations run when the test says so, and deadlines that pass likewise. */
function setUp() {
  const waiting: (() => void)[] = [];
  const deadlines = new Set<() => void>();
  const batches = new TimelyBatches({
    submit: <T>(_needs: Needs, decide: (view: BatchView) => T) =>
      new Promise<T>((resolve) => waiting.push(() => resolve(decide(VIEW)))),
  }, {
    after: (_ms, run) => {
      deadlines.add(run);
      return () => deadlines.delete(run);
    },
  });
  return {
    batches,
    deadlines,
    runBatch: () => waiting.splice(0).forEach((run) => run()),
    passTime: () => deadlines.forEach((run) => run()),
  };
}

Deno.test("an operation that has waited too long is refused, and never decided", async () => {
  const { batches, runBatch, passTime } = setUp();
  const decided: string[] = [];
  const slow = batches.submit({}, () => decided.push("slow"));
  passTime();
  await assertRejects(() => slow, StoreError, "too slow");
  runBatch();
  assertEquals(decided, []);
});

Deno.test("an operation that was decided in time has its batch's outcome", async () => {
  const { batches, deadlines, runBatch, passTime } = setUp();
  const done = batches.submit({}, () => "held");
  runBatch();
  passTime();
  assertEquals(await done, "held");
  await Promise.resolve();
  assertEquals(deadlines.size, 0);
});

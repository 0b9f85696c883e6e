import { assert, assertEquals } from "@std/assert";
import { BOX, layOut } from "./plan_layout.ts";

Deno.test("a task stands right of all that it waits for, and no two stand on each other", () => {
  const { tasks, arrows, width, height } = layOut([
    { taskId: "plan", dependsOn: [] },
    { taskId: "a", dependsOn: ["plan"] },
    { taskId: "b", dependsOn: ["plan"] },
    { taskId: "c", dependsOn: ["a"] },
    { taskId: "final", dependsOn: ["b", "c"] },
  ]);
  const x = (id: string) => tasks.find(({ taskId }) => taskId === id)?.x ?? NaN;
  assert(x("plan") < x("a") && x("a") === x("b") && x("a") < x("c") && x("c") < x("final"));
  assertEquals(arrows.map(({ from, to }) => `${from} ${to}`), [
    ...["plan a", "plan b", "a c", "b final", "c final"],
  ]);
  for (const one of tasks) {
    assert(one.x >= 0 && one.x + BOX.width <= width && one.y >= 0 && one.y + BOX.height <= height);
    for (const other of tasks) {
      const apart = Math.abs(one.x - other.x) >= BOX.width ||
        Math.abs(one.y - other.y) >= BOX.height;
      assert(one === other || apart, `${one.taskId} ${other.taskId}`);
    }
  }
});

Deno.test("an invalid plan is drawn nevertheless", () => {
  const circle = [{ taskId: "a", dependsOn: ["b"] }, { taskId: "b", dependsOn: ["a", "gone"] }];
  assertEquals(layOut(circle).tasks.length, 2);
  assertEquals(layOut([]).tasks, []);
});

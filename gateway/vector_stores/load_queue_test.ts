import { assertEquals, assertRejects } from "@std/assert";
import { LoadQueue } from "./load_queue.ts";

Deno.test("the small goes before the large, the same size in order, and one at a time", async () => {
  const queue = new LoadQueue();
  const done: string[] = [];
  let atOnce = 0;
  const run = (name: string, size: number) =>
    queue.run(size, async () => {
      assertEquals(++atOnce, 1);
      await Promise.resolve();
      done.push(name);
      atOnce--;
    });
  await Promise.all([run("first", 9), run("large", 50), run("a", 2), run("b", 2), run("c", 1)]);
  assertEquals(done, ["first", "c", "a", "b", "large"]);
});

Deno.test("the large is passed by no more than its own size", async () => {
  const queue = new LoadQueue();
  const done: string[] = [];
  const small = (remaining: number): Promise<unknown> =>
    queue.run(1, async () => {
      done.push("small");
      // There is always another waiting task.
      if (remaining > 0) void small(remaining - 1);
      await Promise.resolve();
    });
  await Promise.all([small(20), queue.run(5, () => Promise.resolve(done.push("large")))]);
  assertEquals(done.indexOf("large"), 5);
  await queue.run(99, () => Promise.resolve());
  assertEquals(done.length, 22);
});

Deno.test("a failure does not stop the next load", async () => {
  const queue = new LoadQueue();
  const failing = queue.run(1, () => Promise.reject(new Error("Broken")));
  const next = queue.run(1, () => Promise.resolve("next"));
  await assertRejects(() => failing, Error, "Broken");
  assertEquals(await next, "next");
});

import { assertEquals, assertRejects } from "@std/assert";
import { InOrder } from "./in_order.ts";

Deno.test("tasks begin in the order of the calls, whichever row is there first", async () => {
  const order = new InOrder();
  const begun: string[] = [];
  const task = (name: string) => () => {
    begun.push(name);
    return Promise.resolve(name);
  };
  const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  assertEquals(await order.run(undefined, task("at once")), "at once");
  const results = [
    order.run(one.promise, task("first")),
    order.run(undefined, task("second")),
    order.run(two.promise, task("third")),
    order.run(undefined, task("fourth")),
  ];
  two.resolve();
  await two.promise;
  assertEquals(begun, ["at once"]);
  one.resolve();
  assertEquals(await Promise.all(results), ["first", "second", "third", "fourth"]);
  assertEquals(begun, ["at once", "first", "second", "third", "fourth"]);
});

Deno.test("a task whose row cannot be read does not begin, and holds up no other", async () => {
  const order = new InOrder();
  const failed = order.run(Promise.reject(new Error("Cannot read")), () => Promise.resolve(1));
  const next = order.run(undefined, () => Promise.resolve(2));
  await assertRejects(() => failed, Error, "Cannot read");
  assertEquals(await next, 2);
  const task = () => Promise.reject(new Error("Cannot write"));
  await assertRejects(() => order.run(undefined, task), Error, "Cannot write");
});

import { assertEquals, assertRejects } from "@std/assert";
import { FakeUpstream, json } from "../fixtures/fake_upstream.ts";

Deno.test("waiting for a client's missing request fails, and does not hang", async () => {
  await using fake = new FakeUpstream({ patienceMs: 20 });
  await assertRejects(() => fake.stalling(), Error, "Waited 20 ms in vain to stall");
  await assertRejects(() => fake.clientLeft(), Error, "in vain for the 1. client to leave");
});

Deno.test("a client that stays while the server stalls is sent away, and the test fails", async () => {
  const fake = new FakeUpstream({ patienceMs: 20 });
  fake.answer([{ stall: true }]);
  await assertRejects(() => fetch(fake.baseUrl), TypeError);
  await assertRejects(async () => await fake[Symbol.asyncDispose](), Error, "1 clients stayed");
});

Deno.test("a script that waits for ever ends with the server", async () => {
  const fake = new FakeUpstream();
  const reached = Promise.withResolvers<void>();
  const until = {
    get until() {
      reached.resolve();
      return Promise.race([]);
    },
  };
  fake.answer([until, ...json({})]);
  const pending = assertRejects(() => fetch(fake.baseUrl), TypeError);
  await Promise.race([reached.promise, pending]);
  await fake[Symbol.asyncDispose]();
  await pending;
  assertEquals(fake.requests.length, 1);
});

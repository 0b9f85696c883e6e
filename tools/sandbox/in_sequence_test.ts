import { assertEquals, assertRejects } from "@std/assert";
import { inSequence } from "./in_sequence.ts";

Deno.test("calls of one key run in turn, others run at once", async () => {
  const events: string[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const first = inSequence("a", async () => {
    events.push("a1 begins");
    await gate;
    events.push("a1 ends");
  });
  const second = inSequence("a", () => Promise.resolve(events.push("a2")));
  await inSequence("b", () => Promise.resolve(events.push("b")));
  assertEquals(events, ["a1 begins", "b"]);
  open();
  await Promise.all([first, second]);
  assertEquals(events, ["a1 begins", "b", "a1 ends", "a2"]);
});

Deno.test("a failure is its caller's, and the next one runs", async () => {
  const failed = inSequence("a", () => Promise.reject(new Error("no")));
  const next = inSequence("a", () => Promise.resolve("next"));
  await assertRejects(() => failed, Error, "no");
  assertEquals(await next, "next");
});

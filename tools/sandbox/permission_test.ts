import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { isGranted } from "./permission.ts";

const signal = new AbortController().signal;

Deno.test("only true is a grant", async () => {
  for (const answer of [true, Promise.resolve(true)]) {
    assertEquals(await isGranted(() => answer, {}, { timeoutMs: 10_000, signal }), true);
  }
  const refusals = [false, 1, "true", {}, [], undefined, null, new Boolean(true)];
  for (const answer of [...refusals, Promise.resolve("yes")]) {
    assertEquals(await isGranted(() => answer, {}, { timeoutMs: 10_000, signal }), false);
  }
});

Deno.test("an error is a refusal, thrown or rejected", async () => {
  const wait = { timeoutMs: 10_000, signal };
  const failing = () => {
    throw new Error("no");
  };
  assertEquals(await isGranted(failing, {}, wait), false);
  assertEquals(await isGranted(() => Promise.reject(new Error("no")), {}, wait), false);
});

Deno.test("silence is a refusal, and so is an answer that comes too late", async () => {
  using time = new FakeTime();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  for (const silent of [promise, { then: () => {} }]) {
    const answer = isGranted(() => silent, {}, { timeoutMs: 10_000, signal });
    time.tick(10_000);
    assertEquals(await answer, false);
  }
  resolve(true);
});

Deno.test("a call that is not wanted any more is refused", async () => {
  const during = new AbortController();
  const answer = isGranted(() => new Promise(() => {}), {}, {
    timeoutMs: 10_000,
    signal: during.signal,
  });
  during.abort();
  assertEquals(await answer, false);
  const wait = { timeoutMs: 10_000, signal: AbortSignal.abort() };
  assertEquals(await isGranted(() => true, {}, wait), false);
});

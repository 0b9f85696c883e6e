import { assertEquals, assertRejects } from "@std/assert";
import { EventBatcher } from "./event_batcher.ts";

const LONG = "x".repeat(1_024);

/** A source whose texts come when the test says so. */
function source() {
  const { readable, writable } = new TransformStream<readonly string[], readonly string[]>(
    {},
    { highWaterMark: Infinity },
    { highWaterMark: Infinity },
  );
  return { events: readable[Symbol.asyncIterator](), writer: writable.getWriter() };
}

Deno.test("the first events are passed on immediately, those in quick succession together", async () => {
  const { events, writer } = source();
  const batches = new EventBatcher(events);
  await writer.write(["a"]);
  assertEquals(await batches.next(), { done: false, value: ["a"] });
  await writer.write(["b"]);
  await writer.write(["c", "d"]);
  assertEquals(await batches.next(), { done: false, value: ["b", "c", "d"] });
  await writer.close();
  assertEquals(await batches.next(), { done: true, value: undefined });
  assertEquals(await batches.next(), { done: true, value: undefined });
});

Deno.test("events before an error are passed on before it", async () => {
  const batches = new EventBatcher((async function* () {
    yield ["a"];
    yield await Promise.resolve(["b"]);
    throw new Error("cut");
  })());
  const texts: string[] = [];
  await assertRejects(
    async () => {
      for (let next = await batches.next(); !next.done; next = await batches.next()) {
        texts.push(...next.value);
      }
    },
    Error,
    "cut",
  );
  assertEquals(texts, ["a", "b"]);
});

Deno.test("a source is not read without end for a reader that stalls", async () => {
  let given = 0;
  const batches = new EventBatcher((async function* () {
    for (; given < 1_000; given++) yield await Promise.resolve([LONG]);
  })());
  await batches.next();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals(given < 100, true, `${given} were read`);
  let texts = 1;
  for (let next = await batches.next(); !next.done; next = await batches.next()) {
    texts += next.value.length;
  }
  assertEquals(texts, 1_000);
});

Deno.test("waiting events are bounded: a stalled reader's connection keeps many batches", async () => {
  const texts = 1_000;
  const batcher = new EventBatcher((async function* () {
    for (let n = 0; n < texts; n++) yield await Promise.resolve([LONG]);
  })());
  const batches: number[] = [];
  for (let next = await batcher.next(); !next.done; next = await batcher.next()) {
    batches.push(next.value.length);
    // A slow reader: batches fill up meanwhile.
    if (batches.length < 4) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assertEquals(batches.reduce((sum, count) => sum + count), texts);
  assertEquals(Math.max(...batches) <= 8, true, `${Math.max(...batches)} KiB are one batch`);
});

Deno.test("leaving early leaves the source, also while a read is pending", async () => {
  const { events, writer } = source();
  const batches = new EventBatcher(events);
  const pending = batches.next();
  const returned = batches.return();
  await writer.write(["late"]).catch(() => {});
  assertEquals(await pending, { done: true, value: undefined });
  assertEquals((await returned).done, true);
});

Deno.test("waiting events can be taken; later ones are passed on", async () => {
  const { events, writer } = source();
  const batches = new EventBatcher(events);
  await writer.write(["a"]);
  await batches.next();
  await writer.write(["b"]);
  await writer.write(["c"]);
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(batches.takeWaiting(), ["b", "c"]);
  assertEquals(batches.takeWaiting(), []);
  await writer.write(["d"]);
  assertEquals(await batches.next(), { done: false, value: ["d"] });
  await writer.close();
  assertEquals(await batches.next(), { done: true, value: undefined });
});

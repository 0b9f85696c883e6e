import { assert, assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { EventStream, ServiceStream } from "./mod.ts";

/** A source that tells what was asked of it. */
function source(events: readonly number[], end: { readonly error?: unknown } = {}) {
  const seen = { asked: 0, isLeft: false, reason: undefined as unknown };
  const open = async function* (signal: AbortSignal): AsyncGenerator<number, string, void> {
    signal.addEventListener("abort", () => seen.reason = signal.reason);
    try {
      for (const event of events) {
        seen.asked++;
        await Promise.resolve();
        signal.throwIfAborted();
        yield event;
      }
      if ("error" in end) throw end.error;
      return "final";
    } finally {
      seen.isLeft = true;
    }
  };
  return { seen, open };
}

/** A source that stays silent after its first event, until it is aborted. */
async function* silent(signal: AbortSignal): AsyncGenerator<number, string, void> {
  yield 1;
  signal.throwIfAborted();
  await new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  return "never";
}

async function reasonOf(promise: PromiseLike<unknown>): Promise<unknown> {
  return await promise.then(() => undefined, (reason) => reason);
}

Deno.test("a stream is iterated, then awaited", async () => {
  const stream = new ServiceStream(source([1, 2, 3]).open);
  assertEquals(await Array.fromAsync(stream), [1, 2, 3]);
  assertEquals([await stream, await stream.final()], ["final", "final"]);
});

Deno.test("a stream can be awaited alone, repeatedly", async () => {
  const { open, seen } = source([1, 2, 3]);
  const stream = new ServiceStream(open);
  assertEquals(await Promise.all([stream, stream, stream.final()]), ["final", "final", "final"]);
  assertEquals(seen.asked, 3);
});

Deno.test("a stream is awaited while another reads it", async () => {
  const stream = new ServiceStream(source([1, 2]).open);
  const events = Array.fromAsync(stream);
  assertEquals(await stream, "final");
  assertEquals(await events, [1, 2]);
});

Deno.test("an open stream keeps its first event for its reader", async () => {
  const { open, seen } = source([1, 2, 3]);
  const stream = new EventStream(open);
  await stream.opened();
  await stream.opened();
  assertEquals(seen.asked, 1);
  assertEquals([await Array.fromAsync(stream), await stream.final()], [[1, 2, 3], "final"]);
  const unread = new EventStream(source([1, 2]).open);
  await unread.opened();
  assertEquals(await unread.final(), "final");
  const empty = new EventStream(source([]).open);
  await empty.opened();
  assertEquals([await Array.fromAsync(empty), await empty.final()], [[], "final"]);
});

Deno.test("a stream that fails before its first event fails where it is opened", async () => {
  const error = new Error("refused");
  const stream = new EventStream(source([], { error }).open);
  assertStrictEquals(await reasonOf(stream.opened()), error);
  assertStrictEquals(await reasonOf(stream.final()), error);
});

Deno.test("a stream that was opened and is aborted unread ends its call", async () => {
  const reason = new Error("enough");
  const stream = new EventStream(silent);
  await stream.opened();
  stream.abort(reason);
  assertStrictEquals(await reasonOf(stream.final()), reason);
});

Deno.test("a stream has one reader", async () => {
  const stream = new ServiceStream(source([1]).open);
  const events = stream[Symbol.asyncIterator]();
  assertThrows(() => stream[Symbol.asyncIterator](), TypeError, "Cannot read a stream twice");
  assertThrows(() => stream.toReadableStream(), TypeError, "Cannot read a stream twice");
  assertStrictEquals(events[Symbol.asyncIterator](), events);
  assertEquals(await events.next(), { done: false, value: 1 });
  assertEquals((await events.next()).done, true);
  assertEquals(await stream, "final");
});

Deno.test("a stream opens nothing before it is read, and reads nothing ahead", async () => {
  const { open, seen } = source([1, 2, 3]);
  const stream = new ServiceStream(open);
  await Promise.resolve();
  assertEquals(seen.asked, 0);
  const events = stream[Symbol.asyncIterator]();
  await events.next();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assertEquals(seen.asked, 1);
  await events.return?.();
});

Deno.test("leaving early ends the call, and the final value with it", async () => {
  const { open, seen } = source([1, 2, 3]);
  const stream = new ServiceStream(open);
  for await (const _ of stream) break;
  const error = await assertRejects(() => stream.final(), DOMException, "ended the stream");
  assertEquals([error.name, seen.isLeft, seen.asked], ["AbortError", true, 1]);
  assertStrictEquals(seen.reason, error);
});

Deno.test("leaving ends the call at once, also while an event is awaited", async () => {
  const stream = new ServiceStream(silent);
  const events = stream[Symbol.asyncIterator]();
  await events.next();
  const waiting = reasonOf(events.next());
  assertEquals(await events.return?.(), { done: true, value: undefined });
  assertStrictEquals(await waiting, await reasonOf(stream));
});

Deno.test("leaving before the first event opens nothing", async () => {
  const { open, seen } = source([1]);
  const stream = new ServiceStream(open);
  await stream[Symbol.asyncIterator]().return?.();
  await assertRejects(() => stream.final(), DOMException);
  assertEquals(seen.asked, 0);
});

Deno.test("a failure reaches the reader and every promise", async () => {
  const error = new Error("Broken");
  const stream = new ServiceStream(source([1], { error }).open);
  const seen: number[] = [];
  const failed = reasonOf((async () => {
    for await (const event of stream) seen.push(event);
  })());
  assertStrictEquals(await failed, error);
  assertEquals(seen, [1]);
  assertStrictEquals(await reasonOf(stream), error);
  assertStrictEquals(await reasonOf(new ServiceStream(source([], { error }).open)), error);
});

Deno.test("a failure without a listener is not an unhandled rejection", async () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    unhandled.push(event.reason);
  };
  globalThis.addEventListener("unhandledrejection", onUnhandled);
  try {
    new ServiceStream(source([1]).open);
    new ServiceStream(source([1]).open).abort();
    new ServiceStream(source([1]).open, { signal: AbortSignal.abort() });
    new ServiceStream(source([1]).open).toReadableStream();
    for await (const _ of new ServiceStream(source([1, 2]).open)) break;
    const failing = new ServiceStream(source([], { error: new Error("Broken") }).open);
    await Array.fromAsync(failing).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 5));
    assertEquals(unhandled, []);
  } finally {
    globalThis.removeEventListener("unhandledrejection", onUnhandled);
  }
});

Deno.test("abort() ends a stream without a reader", async () => {
  const { open, seen } = source([1]);
  const stream = new ServiceStream(open);
  const reason = new Error("Enough");
  stream.abort(reason);
  assertStrictEquals(await reasonOf(stream), reason);
  assertStrictEquals(
    await reasonOf(Array.fromAsync(
      new ServiceStream(open, {
        signal: AbortSignal.abort(reason),
      }),
    )),
    reason,
  );
  assertEquals(seen.asked, 0);
});

Deno.test("abort() ends a stream between two events, for its reader and for others", async () => {
  const stream = new ServiceStream(silent);
  const reason = { any: "value" };
  const read = reasonOf((async () => {
    for await (const _ of stream) {
      stream.abort(reason);
      // There is no reader at this moment, and there may be none later.
      assertStrictEquals(await reasonOf(stream), reason);
    }
  })());
  assertStrictEquals(await read, reason);
});

Deno.test("a stream that ends at an abort with another error reports that error to all", async () => {
  const reason = new Error("Enough");
  class Partial extends Error {
    override name = "Partial";
  }
  const open = async function* (signal: AbortSignal): AsyncGenerator<number, string, void> {
    yield 1;
    await Promise.resolve();
    if (signal.aborted) throw new Partial("1", { cause: signal.reason });
    return "never";
  };
  const stream = new ServiceStream(open);
  const events = stream[Symbol.asyncIterator]();
  await events.next();
  stream.abort(reason);
  // Before its reader comes back, which may be never.
  const { cause } = await assertRejects(() => stream.final(), Partial, "1");
  assertStrictEquals(cause, reason);
  await assertRejects(() => events.next(), Partial, "1");
  assertEquals((await events.next()).done, true);

  const hurried = new ServiceStream(open);
  const reader = hurried[Symbol.asyncIterator]();
  await reader.next();
  hurried.abort(reason);
  await assertRejects(() => reader.next(), Partial);
  await assertRejects(() => hurried.final(), Partial);
});

Deno.test("a stream that was complete when it was aborted is complete", async () => {
  const open = async function* (): AsyncGenerator<number, string, void> {
    yield 1;
    await Promise.resolve();
    return "final";
  };
  const stream = new ServiceStream(open);
  const events = stream[Symbol.asyncIterator]();
  await events.next();
  stream.abort();
  assertEquals(await stream, "final");
  assertEquals((await events.next()).done, true);
});

Deno.test("abort() without a reason is an AbortError", async () => {
  const stream = new ServiceStream(silent);
  stream.abort();
  const error = await assertRejects(() => stream.final(), DOMException, "The stream was aborted");
  assertEquals(error.name, "AbortError");
});

Deno.test("abort() after the end changes nothing", async () => {
  const stream = new ServiceStream(source([1]).open);
  await stream;
  stream.abort();
  assertEquals(await stream, "final");
});

Deno.test("the caller's signal ends a stream that is read, and one that is left lying", async () => {
  const controller = new AbortController();
  const reason = new Error("Enough");
  const read = new ServiceStream(silent, controller);
  const lying = new ServiceStream(silent, controller);
  await lying[Symbol.asyncIterator]().next();
  const reading = reasonOf(Array.fromAsync(read));
  await new Promise((resolve) => setTimeout(resolve, 1));
  controller.abort(reason);
  assertStrictEquals(await reading, reason);
  assertStrictEquals(await reasonOf(read), reason);
  assertStrictEquals(await reasonOf(lying), reason);
});

Deno.test("toReadableStream() has a JSON document a line", async () => {
  const stream = new ServiceStream(source([1, 2, 3]).open);
  assertEquals(await new Response(stream.toReadableStream()).text(), "1\n2\n3\n");
  assertEquals(await stream, "final");
});

Deno.test("toReadableStream() asks for an event where its reader does", async () => {
  const { open, seen } = source([1, 2, 3]);
  const reader = new ServiceStream(open).toReadableStream().getReader();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assertEquals(seen.asked, 0);
  await reader.read();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assertEquals(seen.asked, 1);
  await reader.cancel();
});

Deno.test("toReadableStream() ends the call when it is cancelled, read or unread", async () => {
  const reason = new Error("Enough");
  const unread = new ServiceStream(silent);
  await unread.toReadableStream().cancel(reason);
  assertStrictEquals(await reasonOf(unread), reason);

  const { open, seen } = source([1, 2, 3]);
  const idle = new ServiceStream(open);
  const bytes = idle.toReadableStream().getReader();
  await bytes.read();
  await bytes.cancel(reason);
  assertStrictEquals(await reasonOf(idle), reason);
  assert(seen.isLeft);

  const waiting = new ServiceStream(silent);
  const reader = waiting.toReadableStream().getReader();
  await reader.read();
  const next = reader.read();
  await reader.cancel(reason);
  assertEquals((await next).done, true);
  assertStrictEquals(await reasonOf(waiting), reason);
});

Deno.test("toReadableStream() fails as the stream does", async () => {
  const error = new Error("Broken");
  const bytes = new ServiceStream(source([1], { error }).open).toReadableStream();
  assertStrictEquals(await reasonOf(new Response(bytes).text()), error);
});

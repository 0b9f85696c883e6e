import { assert, assertEquals, assertRejects } from "@std/assert";
import { ServiceFault } from "../domain/fault.ts";
import { CallerDisconnected } from "../flows/request/caller_disconnected.ts";
import { afterMs } from "../system/deadlines.ts";
import { readBytes } from "./read_bytes.ts";

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

function post(body: Body | string, headers: HeadersInit = {}, signal?: AbortSignal): Request {
  return new Request("http://x/", { method: "POST", body, headers, signal: signal ?? null });
}

/** Sends a piece, then nothing more. */
function stuck(onCancel = () => {}): Body {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"a":1')),
    cancel: onCancel,
  });
}

function failing(error: unknown): Body {
  return new ReadableStream({ pull: (controller) => controller.error(error) });
}

Deno.test("a body that does not come to its end is not waited for", async () => {
  let cancelled = 0;
  const requests = [
    post(stuck(), { "content-length": "1000" }),
    post(stuck(() => void cancelled++), { "content-length": "1000000" }),
    post(stuck(() => void cancelled++)),
  ];
  for (const request of requests) {
    const fault = await assertRejects(
      () => readBytes(request, { maxBytes: 1e9, patienceMs: 5 }),
      ServiceFault,
      "The body did not arrive in time",
    );
    assertEquals(fault.status, 400);
    assertEquals(fault.headers, { connection: "close" });
  }
  assertEquals(cancelled, 2);
});

Deno.test("received bytes extend the time allowed for the rest", async () => {
  const patienceMs = 5;
  // Buys 14 seconds.
  const first = new Uint8Array(14 * 64_000);
  const slow: Body = new ReadableStream({
    start: (controller) => controller.enqueue(first),
    pull: (controller) =>
      new Promise((resolve) => {
        // Deadlines pass in the order they are due: that of the patience alone is over by then.
        afterMs(2 * patienceMs, () => {
          controller.enqueue(new Uint8Array(1));
          controller.close();
          resolve();
        });
      }),
  }, { highWaterMark: 0 });
  const bytes = await readBytes(post(slow), { maxBytes: 1e9, patienceMs });
  assertEquals(bytes.length, first.length + 1);
});

Deno.test("a body that is too long is not read to its end, but left to be dropped", async () => {
  let cancelled = 0;
  const request = post(stuck(() => void cancelled++));
  const fault = await assertRejects(() => readBytes(request, { maxBytes: 5 }), ServiceFault);
  assertEquals([fault.code, cancelled], ["body_too_large", 0]);
  await request.body?.cancel();
  assertEquals(cancelled, 1);
});

Deno.test("a long body is read and put together in turns, and so are several", async () => {
  const piece = new Uint8Array(64 * 1024).fill(7);
  let pulled = 0;
  const ready = (remaining: number): Body =>
    new ReadableStream({
      pull(controller) {
        if (remaining-- === 0) return controller.close();
        pulled++;
        controller.enqueue(piece);
      },
    }, { highWaterMark: 0 });
  let most = 0;
  let before = 0;
  const watch = setInterval(() => {
    most = Math.max(most, pulled - before);
    before = pulled;
  });
  try {
    const bodies = Array.from({ length: 3 }, () => readBytes(post(ready(160)), { maxBytes: 1e9 }));
    for (const bytes of await Promise.all(bodies)) {
      assertEquals(bytes.length, 160 * piece.length);
      assert(bytes.every((byte) => byte === 7));
    }
  } finally {
    clearInterval(watch);
  }
  most = Math.max(most, pulled - before);
  // The first megabyte of each at once, 48 pieces; then 4 in a turn.
  assert(most <= 120, `${most} pieces in one turn`);
});

Deno.test("a request without a body has an empty body", async () => {
  assertEquals((await readBytes(new Request("http://x/"), { maxBytes: 1 })).length, 0);
});

Deno.test("a caller that disconnects while sending is reported as disconnected", async () => {
  const gone = new AbortController();
  gone.abort();
  const requests = [
    post(failing(new Deno.errors.BadResource("Cannot read request body"))),
    post(failing(new Deno.errors.ConnectionReset("reset")), { "content-length": "9" }),
    post(failing(new TypeError("broken")), {}, gone.signal),
  ];
  for (const request of requests) {
    await assertRejects(() => readBytes(request, { maxBytes: 10 }), CallerDisconnected);
  }
});

Deno.test("a body that cannot be read otherwise is the caller's mistake, not a bug", async () => {
  const request = post(failing(new TypeError("bad chunk")));
  const fault = await assertRejects(() => readBytes(request, { maxBytes: 10 }), ServiceFault);
  assertEquals([fault.code, fault.message], [
    "invalid_request",
    "The body could not be read; send it again",
  ]);
});

Deno.test("a compressed body is refused before it is read", async () => {
  for (const coding of ["gzip", "br", "zstd, gzip", "GZIP"]) {
    const request = post("{}", { "content-encoding": coding });
    const fault = await assertRejects(() => readBytes(request, { maxBytes: 10 }), ServiceFault);
    assertEquals([fault.status, fault.message], [415, "Send the body uncompressed"]);
    assertEquals(request.bodyUsed, false);
  }
  const plain = post("{}", { "content-encoding": "identity" });
  assertEquals((await readBytes(plain, { maxBytes: 10 })).length, 2);
});

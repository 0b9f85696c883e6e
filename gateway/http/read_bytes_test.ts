import { assert, assertEquals, assertRejects } from "@std/assert";
import { ServiceFault } from "../domain/fault.ts";
import { CallerLeft } from "../flows/caller_left.ts";
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
      () => readBytes(request, 1e9, 5),
      ServiceFault,
      "The body did not arrive in time",
    );
    assertEquals(fault.status, 400);
    assertEquals(fault.headers, { connection: "close" });
  }
  assertEquals(cancelled, 2);
});

Deno.test("what has come buys time for what has not", async () => {
  const piece = new Uint8Array(64 * 1024);
  let pieces = 0;
  const slow: Body = new ReadableStream({
    async pull(controller) {
      if (pieces++ === 4) return controller.close();
      await new Promise((resolve) => setTimeout(resolve, 30));
      controller.enqueue(piece);
    },
  });
  const bytes = await readBytes(post(slow), 1e9, 1_000);
  assertEquals(bytes.length, 4 * piece.length);
});

Deno.test("a body that is too long is not read to its end", async () => {
  let cancelled = false;
  const request = post(stuck(() => void (cancelled = true)));
  const fault = await assertRejects(() => readBytes(request, 5), ServiceFault);
  assertEquals(fault.code, "body_too_large");
  assert(cancelled);
});

Deno.test("a request without a body has none", async () => {
  assertEquals((await readBytes(new Request("http://x/"), 1)).length, 0);
});

Deno.test("a caller who leaves while sending has left", async () => {
  const gone = new AbortController();
  gone.abort();
  const requests = [
    post(failing(new Deno.errors.BadResource("Cannot read request body"))),
    post(failing(new Deno.errors.ConnectionReset("reset")), { "content-length": "9" }),
    post(failing(new TypeError("broken")), {}, gone.signal),
  ];
  for (const request of requests) {
    await assertRejects(() => readBytes(request, 10), CallerLeft);
  }
});

Deno.test("a body that cannot be read otherwise is the caller's mistake, not a bug", async () => {
  const request = post(failing(new TypeError("bad chunk")));
  const fault = await assertRejects(() => readBytes(request, 10), ServiceFault);
  assertEquals([fault.code, fault.message], [
    "invalid_request",
    "The body could not be read; send it again",
  ]);
});

Deno.test("a compressed body is refused before it is read", async () => {
  for (const coding of ["gzip", "br", "zstd, gzip", "GZIP"]) {
    const request = post("{}", { "content-encoding": coding });
    const fault = await assertRejects(() => readBytes(request, 10), ServiceFault);
    assertEquals([fault.status, fault.message], [415, "Send the body uncompressed"]);
    assertEquals(request.bodyUsed, false);
  }
  const plain = post("{}", { "content-encoding": "identity" });
  assertEquals((await readBytes(plain, 10)).length, 2);
});

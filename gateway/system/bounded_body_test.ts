import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  readBytesUpTo,
  readTextUpTo,
  requestOnce,
  type RequestOnceOptions,
} from "./bounded_body.ts";

/** A response in pieces that records whether its body was cancelled. */
function inPieces(pieces: readonly string[], headers: Record<string, string> = {}) {
  const cancelled = { early: false };
  const encoder = new TextEncoder();
  const texts = pieces[Symbol.iterator]();
  const body = new ReadableStream({
    pull(controller) {
      const next = texts.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    cancel() {
      cancelled.early = true;
    },
  }, { highWaterMark: 0 });
  return { response: new Response(body, { headers }), cancelled };
}

Deno.test("a body is read up to its limit, and left beyond it, announced or not", async () => {
  const whole = inPieces(["ab", "cd"]);
  assertEquals(await readTextUpTo(whole.response, 4), "abcd");
  assertEquals(whole.cancelled.early, false);
  for (
    const { response, cancelled } of [
      inPieces(["ab", "cde", "f"]),
      inPieces(["ab"], { "content-length": "5" }),
    ]
  ) {
    assertEquals(await readBytesUpTo(response, 4), undefined);
    assert(cancelled.early);
  }
  assertEquals(await readBytesUpTo(new Response(null), 4), new Uint8Array());
  assertEquals(await readTextUpTo(new Response("long"), 3), undefined);
});

Deno.test("characters may be cut between pieces", async () => {
  const [first, second] = [new Uint8Array([0xe2, 0x82]), new Uint8Array([0xac])];
  const body = ReadableStream.from([first, second]);
  assertEquals(await readTextUpTo(new Response(body), 9), "€");
});

function options(more: Partial<RequestOnceOptions<string>> = {}): RequestOnceOptions<string> {
  return {
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    read: (response) => response.text(),
    ...more,
  };
}

/** Answers only by rejecting on abort. */
function silent(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

Deno.test("requestOnce() returns each outcome of a server as a value", async () => {
  const answered = await requestOnce(() => Promise.resolve(new Response("yes")), options());
  assert(answered.kind === "answered");
  assertEquals([answered.read, answered.response.status], ["yes", 200]);
  const late = await requestOnce(silent, options({ timeoutMs: 1 }));
  assertEquals(late, { kind: "late" });
  const gone = await requestOnce(() => Promise.reject(new TypeError("No route")), options());
  assertEquals(gone, { kind: "unreachable" });
  const read = () => Promise.reject(new TypeError("The connection broke"));
  const cut = await requestOnce(() => Promise.resolve(new Response()), options({ read }));
  assertEquals(cut.kind, "cut");
});

Deno.test("the caller's abort reason is passed on, and so is a value that is not an error", async () => {
  const leaving = new AbortController();
  const asking = requestOnce(silent, options({ signal: leaving.signal }));
  leaving.abort(new Error("Left"));
  await assertRejects(() => asking, Error, "Left");
  const thrown = await requestOnce(() => Promise.reject("a bug"), options()).catch((error) =>
    error
  );
  assertEquals(thrown, "a bug");
});

Deno.test("an exchange is ended with what has been read of it", async () => {
  let ended: AbortSignal | undefined;
  await requestOnce((signal) => {
    ended = signal;
    return Promise.resolve(new Response("yes"));
  }, options());
  assertEquals(ended?.aborted, true);
});

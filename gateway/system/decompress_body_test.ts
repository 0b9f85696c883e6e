import { assert, assertEquals, assertGreater, assertRejects } from "@std/assert";
import zlib from "node:zlib";
import { readBytesUpTo } from "./bounded_body.ts";
import { decompressBody } from "./decompress_body.ts";

const PACK: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes, FAST),
  deflate: (bytes) => zlib.deflateSync(bytes),
};
const MB = 1024 * 1024;
const FAST = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } };

function packed(coding: string, bytes: Uint8Array): Response {
  const body = new Uint8Array(PACK[coding]?.(bytes) ?? bytes);
  return new Response(body, { headers: { "content-encoding": coding, "x-other": "kept" } });
}

for (const coding of Object.keys(PACK)) {
  Deno.test(`an answer packed by ${coding} is unpacked as a whole`, async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(50_000));
    const response = decompressBody(packed(coding, bytes));
    assertEquals([...response.headers], [["x-other", "kept"]]);
    assertEquals(await response.bytes(), bytes);
  });

  Deno.test(`a bomb packed by ${coding} stops at the limit, and others have their turn`, async () => {
    const bomb = packed(coding, new Uint8Array(64 * MB));
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    assertEquals(await readBytesUpTo(decompressBody(bomb), 8 * MB), undefined);
    clearInterval(timer);
    assertGreater(turns, 3);
  });

  Deno.test(`an answer packed by ${coding} that breaks off is an error`, async () => {
    const whole = PACK[coding]?.(crypto.getRandomValues(new Uint8Array(50_000))) ??
      new Uint8Array();
    const headers = { "content-encoding": coding };
    const cut = new Response(new Uint8Array(whole.subarray(0, 20_000)), { headers });
    // Brotli has no checksum at its end: truncated text is no JSON and no complete stream.
    if (coding !== "br") await assertRejects(() => decompressBody(cut).bytes());
    const garbage = new Response("no such thing", { headers });
    await assertRejects(() => decompressBody(garbage).bytes());
  });
}

Deno.test("a body that is not compressed, or in an unknown encoding, stays unchanged", () => {
  for (const coding of [undefined, "identity", "zstd", "gzip, br"]) {
    const headers: HeadersInit = coding === undefined ? {} : { "content-encoding": coding };
    const response = new Response("text", { headers });
    assert(decompressBody(response) === response);
  }
  const empty = new Response(null, { headers: { "content-encoding": "gzip" } });
  assert(decompressBody(empty) === empty);
});

Deno.test("cancelling a decompressed body cancels the connection too", async () => {
  let cancelled = 0;
  const piece = new Uint8Array(zlib.gzipSync(crypto.getRandomValues(new Uint8Array(60_000))));
  const body = () =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(piece.subarray(0, 50_000)),
      cancel: () => void cancelled++,
    });
  const init = { headers: { "content-encoding": "gzip" } };
  await decompressBody(new Response(body(), init)).body?.cancel();
  assertEquals(cancelled, 1);
  const reader = decompressBody(new Response(body(), init)).body?.getReader({ mode: "byob" });
  const { value } = await reader?.read(new Uint8Array(16)) ?? {};
  assertEquals(value?.length, 16);
  await reader?.cancel();
  assertEquals(cancelled, 2);
});

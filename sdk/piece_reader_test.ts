import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import { pieceReader } from "./piece_reader.ts";

type Body = ReadableStream<Uint8Array>;

/** Source of a body; `undefined` is its end. */
interface Source {
  next(): Promise<Uint8Array<ArrayBuffer> | undefined>;
  cancel?(): void;
}

/** Kinds of bodies: streams of bytes, as a platform's own are, and streams of ready buffers. */
const KINDS: Readonly<Record<string, (source: Source) => Body>> = {
  bytes: (source) =>
    new ReadableStream({
      type: "bytes",
      async pull(controller) {
        const bytes = await source.next();
        if (bytes !== undefined) return controller.enqueue(bytes);
        controller.close();
        // A read that brought its own buffer has to get it back.
        controller.byobRequest?.respond(0);
      },
      cancel: () => source.cancel?.(),
    }),
  buffers: (source) =>
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        const bytes = await source.next();
        if (bytes === undefined) controller.close();
        else controller.enqueue(bytes);
      },
      cancel: () => source.cancel?.(),
    }),
};

function sourceOf(pieces: readonly Uint8Array[]): Source {
  const remaining = pieces.values();
  return { next: () => Promise.resolve(remaining.next().value?.slice()) };
}

async function bytesOf(body: Body): Promise<number[]> {
  const reader = pieceReader(body);
  const bytes: number[] = [];
  for (let piece = await reader.read(); piece !== undefined; piece = await reader.read()) {
    bytes.push(...piece);
  }
  return bytes;
}

for (const [kind, bodyOf] of Object.entries(KINDS)) {
  Deno.test(`pieceReader() reads what ${kind} bring, of every length`, async () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }));
    await fc.assert(fc.asyncProperty(pieces, async (source) => {
      assertEquals(await bytesOf(bodyOf(sourceOf(source))), source.flatMap((bytes) => [...bytes]));
    }));
  });

  Deno.test(`pieceReader() reads ${kind} larger than its buffer`, async () => {
    const large = Uint8Array.from({ length: 100_000 }, (_, at) => at % 251);
    assertEquals(await bytesOf(bodyOf(sourceOf([large, large]))), [...large, ...large]);
  });

  Deno.test(`pieceReader() lets go of ${kind}, and passes failures on`, async () => {
    let isLetGo = false;
    const cancel = () => void (isLetGo = true);
    await pieceReader(bodyOf({ ...sourceOf([]), cancel })).cancel();
    assertEquals(isLetGo, true);
    const broken = pieceReader(bodyOf({ next: () => Promise.reject(new Error("cut")) }));
    await assertRejects(() => broken.read(), Error, "cut");
  });
}

Deno.test("pieceReader() reads the body of a fetch, and of any Response", async () => {
  assertEquals(await bytesOf(new Response("abc").body ?? new Blob().stream()), [97, 98, 99]);
  const { body } = await fetch("data:text/plain,abc");
  assertEquals(await bytesOf(body ?? new Blob().stream()), [97, 98, 99]);
});

Deno.test("pieceReader() refuses a body that has another reader", () => {
  const body = new Blob(["abc"]).stream();
  body.getReader();
  assertThrows(() => pieceReader(body), TypeError);
});

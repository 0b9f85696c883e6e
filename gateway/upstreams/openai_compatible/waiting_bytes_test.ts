import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { WaitingBytes } from "./waiting_bytes.ts";

Deno.test("bytes are taken once, in order, from buffers that are used again", () => {
  const batches = fc.array(fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 5 }));
  fc.assert(fc.property(batches, (batches) => {
    const waiting = new WaitingBytes();
    for (const pieces of batches) {
      for (const piece of pieces) {
        const buffer = piece.slice();
        waiting.add(buffer);
        buffer.fill(0);
      }
      assertEquals([...waiting.take()], pieces.flatMap((piece) => [...piece]));
    }
    assertEquals(waiting.take().length, 0);
  }));
});

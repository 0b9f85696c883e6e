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
      const taken = [waiting.take(1_000), waiting.take(0), waiting.take(Infinity)];
      assertEquals(
        taken.flatMap((part) => [...part]),
        pieces.flatMap((piece) => [...piece]),
      );
      assertEquals((taken[0]?.length ?? 0) <= 1_000, true);
    }
    assertEquals(waiting.take(1).length, 0);
  }));
});

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { BoundedOutput } from "./bounded_output.ts";

function collect(maxBytes: number, chunks: readonly Uint8Array[]): BoundedOutput {
  const output = new BoundedOutput(maxBytes);
  for (const chunk of chunks) output.push(chunk);
  return output;
}

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("text that fits is kept whole", () => {
  assertEquals(collect(10, []).text(), "");
  assertEquals(collect(10, [encode("01234"), encode("56789")]).text(), "0123456789");
});

Deno.test("of what does not fit, the beginning and the end are kept", () => {
  const chunks = [..."abcdefghijklmnopqrstuvwxyz"].map(encode);
  const output = collect(10, chunks);
  assertEquals(output.text(), "abcde\n[Cut: 16 of 26 bytes are left out here]\nvwxyz");
  assertEquals(collect(10, [encode("a".repeat(1_000_000))]).total, 1_000_000);
});

Deno.test("a cut never splits a character", () => {
  const output = collect(10, [encode("世界世界世界世界")]);
  assertEquals(output.text(), "世\n[Cut: 14 of 24 bytes are left out here]\n界");
});

Deno.test("however it comes in pieces, the same is kept", () => {
  const pieces = fc.array(fc.string({ unit: "grapheme-ascii" }), { maxLength: 20 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 30 }), (texts, half) => {
      const whole = texts.join("");
      const output = collect(2 * half, texts.map(encode));
      assertEquals(output.total, whole.length);
      if (whole.length <= 2 * half) return assertEquals(output.text(), whole);
      const text = output.text();
      assert(text.startsWith(`${whole.slice(0, half)}\n[Cut`));
      assert(text.endsWith(`here]\n${whole.slice(-half)}`));
      assertStringIncludes(text, `${whole.length - 2 * half} of ${whole.length} bytes`);
    }),
  );
});

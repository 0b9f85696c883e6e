import { assertEquals, assertNotEquals } from "@std/assert";
import { digestOf, sealedWith, unsealedWith } from "./browser_secret.ts";

const [ONE, OTHER] = ["a".repeat(64), "b".repeat(64)];
const TEXT = '{"refreshToken":"rt_1","name":"王"}';

Deno.test("a sealed text is read with its secret alone", () => {
  const sealed = sealedWith(ONE, TEXT);
  assertEquals(unsealedWith(ONE, sealed), TEXT);
  for (const secret of [OTHER, "", digestOf(ONE)]) {
    assertEquals(unsealedWith(secret, sealed), undefined);
  }
  assertNotEquals(sealedWith(ONE, TEXT), sealed, "Nothing shows that two texts are the same");
});

Deno.test("a sealed text that was changed or cut is not read", () => {
  const bytes = Uint8Array.fromBase64(sealedWith(ONE, TEXT));
  for (const at of bytes.keys()) {
    const changed = bytes.with(at, (bytes[at] ?? 0) ^ 1).toBase64();
    assertEquals(unsealedWith(ONE, changed), undefined, `byte ${at}`);
  }
  for (const text of ["", "AAAA", bytes.subarray(0, 27).toBase64(), "no base64 \u0000"]) {
    assertEquals(unsealedWith(ONE, text), undefined);
  }
});

import { assertEquals } from "@std/assert";
import { retryAfterMsOf } from "./retry_after.ts";

Deno.test("retryAfterMsOf() is never negative and at most an hour", () => {
  const after = (headers: Record<string, string>) => retryAfterMsOf(new Headers(headers), 1e12);
  assertEquals(after({ "retry-after": "1.5" }), 1_500);
  assertEquals(after({ "retry-after": "-3" }), 0);
  assertEquals(after({ "retry-after": "1e99" }), 3_600_000);
  assertEquals(after({ "retry-after": "Infinity" }), 3_600_000);
  assertEquals(after({ "retry-after": new Date(1e12 + 9_000).toUTCString() }), 9_000);
  assertEquals(after({ "retry-after": new Date(1e12 - 9_000).toUTCString() }), 0);
  assertEquals(after({ "retry-after-ms": "12.1", "retry-after": "9" }), 13);
  assertEquals(after({ "retry-after-ms": "x", "retry-after": "9" }), 9_000);
  assertEquals(after({ "retry-after": "" }), undefined);
});

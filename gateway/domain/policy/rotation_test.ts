import { assertEquals } from "@std/assert";
import { isInUse, nextStep } from "./rotation.ts";

Deno.test("nextStep() follows from the keys and the log alone", () => {
  const copy = { id: "key_2" };
  const next = (status: "active" | "disabled" | "revoked", hasCopy: boolean, isVerified: boolean) =>
    nextStep({ old: { status }, copy: hasCopy ? copy : undefined, isVerified });
  assertEquals(next("active", false, false), "copy");
  assertEquals(next("active", true, false), "store");
  assertEquals(next("active", true, true), "disable");
  assertEquals(next("disabled", true, true), "revoke");
  assertEquals(next("disabled", true, false), "store");
  assertEquals(next("revoked", true, true), "done");
  assertEquals(next("revoked", false, false), "done");
});

Deno.test("isInUse() counts calls since the copy and within the hour before", () => {
  const sinceMs = 10_000_000;
  assertEquals(isInUse({ requests: 1, sinceMs }), true);
  assertEquals(isInUse({ requests: 0, sinceMs }), false);
  assertEquals(isInUse({ requests: 0, sinceMs, lastUsedMs: sinceMs - 3_599_999 }), true);
  assertEquals(isInUse({ requests: 0, sinceMs, lastUsedMs: sinceMs - 3_600_000 }), false);
});

import { assertEquals, assertRejects } from "@std/assert";
import { ServiceFault } from "../domain/fault.ts";
import type { KeyRecord } from "../domain/policy/key.ts";
import type { JournalEntry } from "../domain/ledger/ledger.ts";
import type { JournalRange } from "../ports/ledger_store.ts";
import { OwnUsage } from "./own_usage.ts";

function keyOf(id: string): KeyRecord {
  return { id, name: id, walletId: "team", status: "active", policy: {}, hint: "", createdAtMs: 0 };
}

/** A usage whose sums wait until they are let go on, one by one. */
function slowUsage(): { usage: OwnUsage; release: () => void } {
  const gate = Promise.withResolvers<void>();
  async function* entries(_range: JournalRange): AsyncGenerator<JournalEntry, void> {
    await gate.promise;
    yield* [];
  }
  const usage = new OwnUsage({
    clock: { nowMs: () => 0 },
    ledger: { entries },
  });
  return { usage, release: () => gate.resolve() };
}

const REQUEST = {
  query: { by: "day", limit: 50 },
  signal: new AbortController().signal,
} as const;

Deno.test("a key that asks again and again takes no other key's place in the line", async () => {
  const { usage, release } = slowUsage();
  const greedy = keyOf("key_greedy");
  const first = [usage.json(greedy, REQUEST), usage.json(greedy, REQUEST)];
  for (let n = 0; n < 20; n++) {
    const fault = await assertRejects(() => usage.json(greedy, REQUEST), ServiceFault);
    assertEquals([fault.code, fault.retryAfterMs], ["rate_limit_exceeded", 2_000]);
  }
  const other = usage.json(keyOf("key_other"), REQUEST);
  release();
  for (const answer of [...first, other]) assertEquals((await answer).usage, []);
  // Its places are free again.
  assertEquals((await usage.json(greedy, REQUEST)).usage, []);
});

Deno.test("the line of all keys has an end", async () => {
  const { usage, release } = slowUsage();
  const served = Array.from({ length: 17 }, (_, n) => usage.json(keyOf(`key_${n}`), REQUEST));
  const fault = await assertRejects(() => usage.json(keyOf("key_last"), REQUEST), ServiceFault);
  assertEquals(fault.code, "rate_limit_exceeded");
  release();
  for (const answer of served) assertEquals((await answer).by, "day");
});

import { assertEquals } from "@std/assert";
import { type EmbeddingPin, pinInForce, pinLineOf } from "./embedding_pin.ts";
import type { KeyRecord } from "./key.ts";
import { type KeyPolicy, violationsOf } from "./policy.ts";

function keyOf(policy: KeyPolicy): KeyRecord {
  const rest = { name: "n", walletId: "w", status: "active", hint: "", createdAtMs: 0 } as const;
  return { id: "key_2", budgetId: "key_1", policy, ...rest };
}

const STORED: EmbeddingPin = {
  ...{ lineId: "key_1", model: "a", dimensions: 8, source: "first_call", atMs: 5 },
  upstreamModel: "a-1",
};

Deno.test("copies by rotation share the pin of their line", () => {
  assertEquals(pinLineOf(keyOf({})), "key_1");
  assertEquals(pinLineOf({ id: "key_9" }), "key_9");
});

Deno.test("a policy's model is in force before the stored one, with what is known of it", () => {
  assertEquals(pinInForce(keyOf({}), undefined), undefined);
  assertEquals(pinInForce(keyOf({}), STORED), STORED);
  const rows = [
    [{ model: "a" }, STORED, "a", 8, "a-1"],
    [{ model: "b" }, STORED, "b", undefined, undefined],
    [{ model: "b", dimensions: 4 }, STORED, "b", 4, undefined],
    [{ model: "a", dimensions: 4 }, STORED, "a", 4, "a-1"],
    [{ model: "a" }, undefined, "a", undefined, undefined],
  ] as const;
  for (const [embeddings, stored, model, dimensions, upstreamModel] of rows) {
    assertEquals(pinInForce(keyOf({ embeddings }), stored), {
      ...{ lineId: "key_1", model, dimensions, upstreamModel, source: "policy" },
    });
  }
});

Deno.test("a narrower policy may name the embedding model, and not change it", () => {
  const pinned = { embeddings: { model: "a", dimensions: 4 } };
  assertEquals(violationsOf(pinned, {}), []);
  assertEquals(violationsOf(pinned, pinned), []);
  assertEquals(violationsOf({}, pinned), ["embeddings.model"]);
  assertEquals(violationsOf({ embeddings: { model: "b" } }, pinned), ["embeddings.model"]);
  assertEquals(violationsOf({ embeddings: { model: "a" } }, pinned), ["embeddings.dimensions"]);
  assertEquals(violationsOf(pinned, { embeddings: { model: "a" } }), []);
});

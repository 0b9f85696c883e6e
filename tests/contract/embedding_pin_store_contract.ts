import { assertEquals } from "@std/assert";
import type { EmbeddingPin } from "../../gateway/domain/policy/embedding_pin.ts";
import type { EmbeddingPinStore } from "../../gateway/ports/embedding_pin_store.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

function pin(more: Partial<EmbeddingPin> = {}): EmbeddingPin {
  return {
    ...{ lineId: "key_1", model: "vectors", dimensions: 256, source: "first_call", atMs: 5 },
    ...more,
  };
}

async function allOf(pins: EmbeddingPinStore): Promise<readonly EmbeddingPin[]> {
  const all = await Array.fromAsync(pins.all());
  return all.toSorted((one, other) => one.lineId < other.lineId ? -1 : 1);
}

const CLAUSES: Clauses<EmbeddingPinStore> = {
  "a pin is stored once, and read back": async (pins) => {
    assertEquals(await pins.get("key_1"), undefined);
    assertEquals(await pins.replace("key_1", { from: undefined, to: pin() }), true);
    assertEquals(await pins.get("key_1"), pin());
    const other = pin({ model: "others" });
    assertEquals(await pins.replace("key_1", { from: undefined, to: other }), false);
    assertEquals(await pins.get("key_1"), pin());
    assertEquals(await pins.get("key_2"), undefined);
  },
  "of first pins at the same time one is stored": async (pins) => {
    const models = Array.from({ length: 20 }, (_, at) => `model ${at}`);
    const stored = await Promise.all(
      models.map((model) => pins.replace("key_1", { from: undefined, to: pin({ model }) })),
    );
    assertEquals(stored.filter((one) => one).length, 1);
    assertEquals((await pins.get("key_1"))?.model, models[stored.indexOf(true)]);
  },
  "a pin is replaced only where it is as expected": async (pins) => {
    const open = pin({ dimensions: undefined, source: "operator" });
    await pins.replace("key_1", { from: undefined, to: open });
    const known = { ...open, dimensions: 3, upstreamModel: "vectors-3" };
    const later = { ...open, atMs: 6 };
    assertEquals(await pins.replace("key_1", { from: later, to: known }), false);
    assertEquals(await pins.replace("key_1", { from: open, to: known }), true);
    assertEquals(await pins.replace("key_1", { from: open, to: pin() }), false);
    assertEquals(await pins.get("key_1"), known);
  },
  "a pin is removed only where it is as expected, and may be made again": async (pins) => {
    assertEquals(await pins.replace("key_1", { from: undefined, to: undefined }), true);
    await pins.replace("key_1", { from: undefined, to: pin() });
    assertEquals(await pins.replace("key_1", { from: undefined, to: undefined }), false);
    const other = pin({ model: "x" });
    assertEquals(await pins.replace("key_1", { from: other, to: undefined }), false);
    assertEquals(await pins.replace("key_1", { from: pin(), to: undefined }), true);
    assertEquals(await pins.get("key_1"), undefined);
    assertEquals(await pins.replace("key_1", { from: pin(), to: other }), false);
    assertEquals(await pins.replace("key_1", { from: undefined, to: other }), true);
  },
  "all pins are listed, under any id": async (pins) => {
    const ids = ["\ud800", "key_ü\u0000", ...Array.from({ length: 12 }, (_, at) => `key_${at}`)];
    const made = ids.map((lineId) => pin({ lineId, model: `m\u2028${lineId}` }));
    for (const one of made) await pins.replace(one.lineId, { from: undefined, to: one });
    const sorted = made.toSorted((one, other) => one.lineId < other.lineId ? -1 : 1);
    assertEquals(await allOf(pins), sorted);
    for (const one of made) assertEquals(await pins.get(one.lineId), one);
  },
};

/** Contract of every store of pinned embedding models. */
export function embeddingPinStoreContract(name: string, open: Open<EmbeddingPinStore>): void {
  runContract(name, { open, clauses: CLAUSES });
}

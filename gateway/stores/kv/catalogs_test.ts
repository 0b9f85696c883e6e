import { assert, assertEquals } from "@std/assert";
import { catalogOf, modelWith } from "../../domain/routing/route_fixture_test.ts";
import { openKvStores } from "./open.ts";

const OPTIONS = { expected: 0, note: "", atMs: 1 };

/** Opens a store whose catalog has the settings of an earlier version. */
async function withFormer(scoring: object) {
  const { auto: _, ...content } = catalogOf([modelWith({ id: "a" })]);
  const kv = await Deno.openKv(":memory:");
  const open = () => openKvStores(":memory:", { openKv: () => Promise.resolve(kv) });
  const first = await open();
  await first.catalogs.apply(Object.assign(content, { scoring }), OPTIONS);
  return await open();
}

Deno.test("a stored catalog with former weights has the dial that they mean, and says so", async () => {
  const { catalogs, close } = await withFormer({ quality: 1, price: 0, latency: 1 });
  try {
    assertEquals(catalogs.current().auto, { dial: 1 });
    assert(!("scoring" in catalogs.current()));
    assertEquals((await catalogs.get(1))?.auto, { dial: 1 });
    assertEquals(catalogs.notices(), [
      'The former "scoring" of catalog version 1 now means the dial best: ' +
      'write "auto": {"dial": "best"} instead',
    ]);
    await catalogs.apply(catalogOf([]), { ...OPTIONS, expected: 1 });
    assertEquals(catalogs.notices(), []);
  } finally {
    await close();
  }
});

Deno.test("former weights that were filled in by an earlier version mean the default", async () => {
  const { catalogs, close } = await withFormer({ quality: 0.6, price: 0.3, latency: 0.1 });
  try {
    assertEquals([catalogs.current().auto, catalogs.notices()], [undefined, []]);
  } finally {
    await close();
  }
});

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { StoredBlob } from "../../ports/blob_store.ts";
import { Peppers } from "../keys/peppers.ts";
import { LINK_PATH, LINK_TTL_MS, publishFile, SignedLinks } from "./signed_links.ts";

const peppers = new Peppers({ version: 1, secret: "pepper" });
const links = new SignedLinks({ peppers, baseUrl: () => "https://gateway.example/base/" });

function claimOf(address: string) {
  const url = new URL(address);
  const start = url.pathname.indexOf(LINK_PATH) + LINK_PATH.length;
  return {
    id: decodeURIComponent(url.pathname.slice(start)),
    expires: url.searchParams.get("expires") ?? undefined,
    signature: url.searchParams.get("signature") ?? undefined,
  };
}

Deno.test("A link works until its time is over", () => {
  const address = links.make("file_1", 50_000);
  assert(address.startsWith("https://gateway.example/base/files/file_1?expires=50&signature="));
  assertEquals(links.verify(claimOf(address), 0), true);
  assertEquals(links.verify(claimOf(address), 49_999), true);
  assertEquals(links.verify(claimOf(address), 50_000), false);
  // Whole seconds: never shorter than asked.
  assertEquals(links.verify(claimOf(links.make("a", 50_001)), 50_999), true);
});

Deno.test("A link with anything changed does not work", () => {
  const claim = claimOf(links.make("file_1", 50_000));
  const { signature = "" } = claim;
  const rows = [
    { id: "file_2" },
    { id: "" },
    { expires: "51" },
    { expires: "050" },
    { expires: "5e1" },
    { expires: "" },
    { expires: undefined },
    { expires: "9".repeat(400) },
    { signature: undefined },
    { signature: "" },
    { signature: `${signature}A` },
    { signature: signature.slice(1) },
    { signature: `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}` },
    { signature: "ü".repeat(43) },
  ];
  for (const change of rows) assertEquals(links.verify({ ...claim, ...change }, 0), false);
  const other = new SignedLinks({
    peppers: new Peppers({ version: 1, secret: "other" }),
    baseUrl: () => "https://gateway.example",
  });
  assertEquals(other.verify(claim, 0), false);
  assertEquals(links.verify(claim, 0), true);
});

Deno.test("A signature has one spelling, and ids never run into the time", () => {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 10_000_000 }), (id, seconds) => {
      const claim = claimOf(links.make(`f${id}`, seconds * 1_000));
      assertEquals(links.verify(claim, seconds * 1_000 - 1), true);
      const { signature = "" } = claim;
      const working = [...letters].filter((letter) =>
        links.verify({ ...claim, signature: signature.slice(0, -1) + letter }, 0)
      );
      assertEquals(working.length, 1);
    }),
    { numRuns: 30 },
  );
});

Deno.test("A published file is kept as long as its link works", async () => {
  const kept: StoredBlob[] = [];
  const deps = {
    links,
    clock: { nowMs: () => 1_500 },
    rng: { id: (prefix: string) => `${prefix}_x` },
    blobs: {
      put: (blob: StoredBlob) => Promise.resolve(kept.push(blob) === 1),
      get: () => Promise.resolve(undefined),
      sweep: () => Promise.resolve(0),
    },
  };
  const file = { mediaType: "image/png", bytes: Uint8Array.of(1, 2) };
  const address = await publishFile(deps, file);
  assert(address !== undefined);
  const expiresAtMs = 2_000 + LINK_TTL_MS;
  assertEquals(kept, [{ id: "file_x", expiresAtMs, ...file }]);
  assertEquals(links.verify(claimOf(address), expiresAtMs - 1), true);
  assertEquals(links.verify(claimOf(address), expiresAtMs), false);
  // A full store: no link.
  assertEquals(await publishFile(deps, file), undefined);
});

Deno.test("Links made before the pepper was changed work until the old one is dropped", () => {
  const old = { version: 1, secret: "old" };
  const current = { version: 2, secret: "new" };
  const changing = new Peppers(old);
  const made = new SignedLinks({ peppers: changing, baseUrl: () => "https://gateway.example" });
  const before = claimOf(made.make("file_1", 50_000));
  changing.change(current, old);
  const after = claimOf(made.make("file_1", 50_000));
  assert(before.signature !== after.signature);
  assertEquals([made.verify(before, 0), made.verify(after, 0)], [true, true]);
  changing.change(current);
  assertEquals([made.verify(before, 0), made.verify(after, 0)], [false, true]);
});

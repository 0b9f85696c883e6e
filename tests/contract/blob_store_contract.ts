import { assert, assertEquals } from "@std/assert";
import type { BlobStore, StoredBlob } from "../../gateway/ports/blob_store.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

/** A store of at most 1 MiB, and its clock, which begins at 10 000. */
export interface BlobStoreUnderTest {
  readonly blobs: BlobStore;
  passTo(nowMs: number): void;
}

const MIB = 1024 * 1024;

function blob(id: string, size: number, expiresAtMs = 20_000): StoredBlob {
  const bytes = Uint8Array.from({ length: size }, (_, at) => (at * 31 + id.length) % 251);
  return { id, mediaType: "image/png", bytes, expiresAtMs };
}

const CLAUSES: Clauses<BlobStoreUnderTest> = {
  "a file comes back as it was, whatever its size": async ({ blobs }) => {
    const chunk = 60 * 1024;
    for (const size of [0, 1, chunk - 1, chunk, chunk + 1, 4 * chunk, 9 * chunk + 5]) {
      const stored = blob(`of-${size}`, size);
      assertEquals(await blobs.put(stored), true);
      assertEquals(await blobs.get(stored.id), stored);
    }
    assertEquals(await blobs.get("nobody's"), undefined);
    assertEquals(await blobs.get("\ud800"), undefined);
  },

  "a file is gone from the moment it expires, swept or not": async ({ blobs, passTo }) => {
    await blobs.put(blob("a", 10, 20_000));
    passTo(19_999);
    assert(await blobs.get("a") !== undefined);
    passTo(20_000);
    assertEquals(await blobs.get("a"), undefined);
    assertEquals(await blobs.sweep(), 1);
    assertEquals(await blobs.sweep(), 0);
    // Nothing comes back with the time.
    passTo(10_000);
    assertEquals(await blobs.get("a"), undefined);
  },

  "a sweep leaves what has not expired": async ({ blobs, passTo }) => {
    for (let n = 0; n < 30; n++) await blobs.put(blob(`f${n}`, 1_000, 11_000 + n * 1_000));
    passTo(20_500);
    assertEquals(await blobs.sweep(), 10);
    assertEquals(await blobs.get("f9"), undefined);
    assertEquals((await blobs.get("f10"))?.bytes.length, 1_000);
  },

  "a full store takes nothing until something expires": async ({ blobs, passTo }) => {
    assertEquals(await blobs.put(blob("large", MIB - 100, 20_000)), true);
    assertEquals(await blobs.put(blob("more", 101, 30_000)), false);
    assertEquals(await blobs.get("more"), undefined);
    assertEquals(await blobs.put(blob("fits", 100, 30_000)), true);
    passTo(25_000);
    // Room is made when it is needed.
    assertEquals(await blobs.put(blob("next", MIB - 100, 30_000)), true);
    assertEquals(await blobs.put(blob("never", MIB + 1, 40_000)), false);
  },

  "of many at once only so many are taken as there is room for": async ({ blobs }) => {
    const sizes = Array.from({ length: 8 }, (_, n) => blob(`at-once-${n}`, MIB / 4));
    const taken = await Promise.all(sizes.map((each) => blobs.put(each)));
    assertEquals(taken.filter(Boolean).length, 4);
    for (const [n, each] of sizes.entries()) {
      assertEquals(await blobs.get(each.id) !== undefined, taken[n]);
    }
  },
};

/** Contract of every store of files. */
export function blobStoreContract(name: string, open: Open<BlobStoreUnderTest>): void {
  runContract(name, { open, clauses: CLAUSES });
}

import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { StoreError } from "../../gateway/ports/store_error.ts";
import { openKvStores } from "../../gateway/stores/kv/open.ts";
import { blobStoreContract } from "./blob_store_contract.ts";

const blobRetention = { maxBytes: 1024 * 1024 };

for (const kind of ["memory", "file"]) {
  blobStoreContract(`BlobStore in KV, ${kind}`, async () => {
    let now = 10_000;
    const folder = kind === "file" ? await Deno.makeTempDir() : undefined;
    const path = folder === undefined ? ":memory:" : join(folder, "svc.kv");
    const stores = await openKvStores(path, { nowMs: () => now, blobRetention });
    return {
      store: { blobs: stores.blobs, passTo: (nowMs) => void (now = nowMs) },
      close: async () => {
        await stores.close();
        if (folder !== undefined) await Deno.remove(folder, { recursive: true });
      },
    };
  });
}

function blobOf(id: string, length: number) {
  return { id, mediaType: "image/png", bytes: new Uint8Array(length), expiresAtMs: 20_000 };
}

Deno.test("Files outlive a restart, and count towards the room", async () => {
  const folder = await Deno.makeTempDir();
  const path = join(folder, "svc.kv");
  const options = { nowMs: () => 10_000, blobRetention };
  const before = await openKvStores(path, options);
  await before.blobs.put(blobOf("a", 900_000));
  await before.close();
  const after = await openKvStores(path, options);
  assertEquals((await after.blobs.get("a"))?.bytes.length, 900_000);
  assertEquals(await after.blobs.put(blobOf("b", 900_000)), false);
  await after.close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("the remains of a failed write cannot be read, and return their room", async () => {
  let failing = false;
  let kv: Deno.Kv | undefined;
  const stores = await openKvStores(":memory:", {
    nowMs: () => 10_000,
    blobRetention,
    openKv: async (path) => {
      kv = await Deno.openKv(path);
      const atomic = kv.atomic.bind(kv);
      kv.atomic = () => {
        const operation = atomic();
        const set = operation.set.bind(operation);
        operation.set = (key, value, options) => {
          if (failing && key[0] === "blob_chunk" && key[3] === 4) throw new Error("Disk full");
          return set(key, value, options);
        };
        return operation;
      };
      return kv;
    },
  });
  failing = true;
  await assertRejects(() => stores.blobs.put(blobOf("a", 600_000)), StoreError);
  failing = false;
  assertEquals(await stores.blobs.get("a"), undefined);
  const before = await Array.fromAsync(kv?.list({ prefix: ["blob_chunk", "a"] }) ?? []);
  assertEquals(before.length, 4);
  assertEquals(await stores.blobs.put(blobOf("b", 600_000)), true);
  const remaining = await Array.fromAsync(kv?.list({ prefix: ["blob_chunk", "a"] }) ?? []);
  assertEquals(remaining, []);
  await stores.close();
});

Deno.test("A commit now and then deletes what has expired", async () => {
  let now = 10_000;
  let kv: Deno.Kv | undefined;
  const stores = await openKvStores(":memory:", {
    nowMs: () => now,
    openKv: async (path) => kv = await Deno.openKv(path),
  });
  await stores.blobs.put(blobOf("a", 100));
  now = 200_000;
  await stores.settings.set("any", "commit");
  await stores.blobs.put({ ...blobOf("b", 100), expiresAtMs: 300_000 });
  await stores.blobs.sweep();
  const remaining = await Array.fromAsync(kv?.list({ prefix: ["blob_expiry"] }) ?? []);
  assertEquals(remaining.map(({ key }) => key[2]), ["b"]);
  await stores.close();
});

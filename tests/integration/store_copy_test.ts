import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { COPY_MARK } from "../../gateway/ports/store_copying.ts";
import { StoreError } from "../../gateway/ports/store_error.ts";
import { openKvStores } from "../../gateway/stores/kv/open.ts";
import type { StorePlace } from "../../gateway/system/store_place.ts";
import { newDatabase, postgresBin, startPostgres } from "../fixtures/postgres.ts";
import { TestService } from "../fixtures/service.ts";
import { svc } from "../fixtures/service_process.ts";

const MESSAGES = [{ role: "user", content: "Say hello" }];

/** Starts a service on a store. */
function start(store: StorePlace): Promise<TestService> {
  return TestService.start({ settings: { store } });
}

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function balanceAfterCall(service: TestService): Promise<readonly bigint[]> {
  const response = await service.chat({ messages: MESSAGES });
  assertEquals(response.status, 200);
  await response.body?.cancel();
  await service.assertBooks();
  const { available, spent } = await service.wallet();
  return [available, spent];
}

Deno.test("a service does not start on an unfinished copy, and says how to finish it", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "svc.kv");
    const { settings, close } = await openKvStores(path);
    await settings.set(COPY_MARK, JSON.stringify({ from: "source", done: [] }));
    await close();
    await assertRejects(() => start({ kind: "kv", path }), StoreError, "unfinished copy");
  });
});

const bin = await postgresBin();
if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("a service goes on with a copy in PostgreSQL, and with one back in a file", async () => {
    await withFolder(async (folder) => {
      await using server = await startPostgres(bin);
      const { url } = await newDatabase(server);
      const file = { kind: "kv", path: join(folder, "svc.kv") } as const;
      let before: readonly bigint[];
      {
        await using service = await start(file);
        before = await balanceAfterCall(service);
        // A running service keeps its store.
        const { code, stderr } = await svc(["store", "copy", "--from", file.path, "--to", url], {});
        assertEquals(code, 1);
        assertStringIncludes(stderr, "another process");
      }
      const copied = await svc(["store", "copy", "--from", file.path, "--to", url], {});
      assertEquals(copied.code, 0, copied.stderr);
      assertStringIncludes(copied.stdout, "right and equal on both sides");
      assertStringIncludes(copied.stderr, "journal: ");
      const database = { kind: "postgres", url } as const;
      {
        // The key, the wallet, the catalog and the token are those of the file.
        await using service = await start(database);
        assertEquals(service.printed.includes("First start"), false);
        const { available, spent } = await service.wallet();
        assertEquals([available, spent], before);
        before = await balanceAfterCall(service);
        const [, calls] = (await service.running.stores.log.search({ limit: 9 })).records;
        assertEquals(calls?.outcome, "ok");
      }
      const back = join(folder, "back.kv");
      const { code, stdout } = await svc(
        ["store", "copy", "--from", url, "--to", back, "--json"],
        {},
      );
      assertEquals([code, JSON.parse(stdout).wallets], [0, 1]);
      await using service = await start({ kind: "kv", path: back });
      const { available, spent } = await service.wallet();
      assertEquals([available, spent], before);
      const [, more] = await balanceAfterCall(service);
      assert(more !== undefined && more > spent);
    });
  });
}

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { StoreError } from "../../gateway/ports/store_error.ts";
import { type KvStores, openKvStores } from "../../gateway/stores/kv/open.ts";
import { linesUntilKilled, spawnChild } from "./killed_process.ts";

/** Rows of the log, page by page. */
async function loggedIn({ log }: KvStores): Promise<number> {
  let rows = 0;
  let cursor: string | undefined;
  do {
    const page = await log.search({ limit: 1_000, cursor });
    rows += page.records.length;
    cursor = page.cursor;
  } while (cursor !== undefined);
  return rows;
}

Deno.test("kill -9 loses no acknowledged operation, and the books stay right", async () => {
  const folder = await Deno.makeTempDir();
  const path = join(folder, "data", "svc.kv");
  const acknowledged = new Set<string>();
  for (const [run, lines] of [150, 900, 12_000].entries()) {
    const printed = await linesUntilKilled(spawnChild("./kv_child.ts", path, `run${run}`), lines);
    assert(printed.length >= lines, printed.join());
    for (const line of printed) acknowledged.add(line);
  }
  const stores = await openKvStores(path);
  const booked = new Set<string>();
  for await (const entry of stores.ledger.entries()) {
    if (entry.op === "hold" || entry.op === "settle") booked.add(`${entry.op} ${entry.id}`);
  }
  assertEquals([...acknowledged].filter((line) => !booked.has(line)), []);
  const { problems, openHolds } = await stores.verify();
  assertEquals([problems, openHolds], [[], 0]);
  const wallet = await stores.ledger.wallet("w");
  const settled = [...booked].filter((line) => line.startsWith("settle")).length;
  assertEquals([wallet?.held, wallet?.spent], [0n, 3n * BigInt(settled)]);
  assertEquals(wallet?.credits, 3_000_000_000n);
  // What was settled was logged in the same commit.
  assertEquals(await loggedIn(stores), settled);
  await stores.close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("A second process on a file store refuses to start and names it", async () => {
  const folder = await Deno.makeTempDir();
  const path = join(folder, "svc.kv");
  const stores = await openKvStores(path);
  const [line = ""] = await linesUntilKilled(spawnChild("./kv_child.ts", path, "second"), 1);
  assertStringIncludes(line, `refused Cannot open the store "${path}"`);
  assertStringIncludes(line, "another process");
  await assertRejects(() => openKvStores(path), StoreError, "another process");
  await stores.close();
  await (await openKvStores(path)).close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a file store has one writer, under any name", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.mkdir(join(folder, "real"));
  await Deno.symlink(join(folder, "real"), join(folder, "folder"));
  // A relative link to a file that does not exist yet.
  await Deno.symlink(join("real", "b.kv"), join(folder, "blink.kv"));
  const names = [join("real", "b.kv"), "blink.kv", join("folder", "b.kv")];
  for (const first of names) {
    const stores = await openKvStores(join(folder, first));
    for (const second of names) {
      const path = join(folder, second);
      const fault = await assertRejects(() => openKvStores(path), StoreError, "another process");
      assertStringIncludes(fault.message, `"${path}"`);
    }
    await stores.close();
    for (const suffix of ["", ".lock"]) await Deno.remove(join(folder, "real", `b.kv${suffix}`));
  }
  await Deno.symlink("loop.kv", join(folder, "loop.kv"));
  await assertRejects(() => openKvStores(join(folder, "loop.kv")), StoreError, "loop.kv");
  await Deno.remove(folder, { recursive: true });
});

Deno.test({
  name: "A file store is its user's alone",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const parent = await Deno.makeTempDir();
    const path = join(parent, "new", "svc.kv");
    const modes = async () => {
      const rows: Record<string, string> = {};
      for await (const { name } of Deno.readDir(join(parent, "new"))) {
        const { mode } = await Deno.stat(join(parent, "new", name));
        rows[name.slice("svc.kv".length)] = ((mode ?? 0) & 0o777).toString(8);
      }
      return rows;
    };
    const stores = await openKvStores(path);
    await stores.settings.set("secret", "s");
    const kept = await modes();
    assertEquals(kept, { "": "600", "-shm": "600", "-wal": "600", ".lock": "600" });
    assertEquals(((await Deno.stat(join(parent, "new"))).mode ?? 0) & 0o777, 0o700);
    await stores.close();

    // One that was left open to others, with what a killed process left beside it.
    await Deno.chmod(path, 0o644);
    for (const suffix of ["-shm", "-wal"]) {
      await Deno.writeFile(`${path}${suffix}`, new Uint8Array(), { mode: 0o644 });
    }
    const again = await openKvStores(path);
    assertEquals(await again.settings.get("secret"), "s");
    assertEquals(await modes(), kept);
    await again.close();
    await Deno.remove(parent, { recursive: true });
  },
});

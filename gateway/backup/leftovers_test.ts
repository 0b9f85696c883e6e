import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { removePartials } from "../cli/commands/backup/backup_files.ts";
import { storeFindings } from "../doctor/check_store.ts";
import { parseServeSettings } from "../config/settings.ts";
import { openKvStores } from "../stores/kv/open.ts";
import { BackupError } from "./backup_error.ts";
import { backUp, NOW_MS, restoreTo, withStore } from "./backup_fixture.ts";
import { leftoversIn, makeDraftFolder } from "./draft_folder.ts";

/** Creates the folder of a killed restore: with a lock that no process holds. */
async function killedRestoreIn(folder: string): Promise<string> {
  const path = join(folder, ".svc.kv.restore-0123abcd");
  await Deno.mkdir(path);
  await Deno.writeTextFile(join(path, "lock"), "");
  await Deno.writeTextFile(join(path, "svc.kv"), "part of a store");
  return path;
}

async function findings(kv: string) {
  const parsed = parseServeSettings(["--kv-path", kv], {});
  if (!parsed.ok) throw new Error(parsed.problem);
  const context = {
    ...{ settings: parsed.settings, nowMs: NOW_MS, version: "0.0.1", timeoutMs: 1 },
    ...{ env: () => undefined, classifyFailure: () => "unreachable" as const },
    ask: () => Promise.reject(new Error("No call is expected")),
    rehearse: () => Promise.reject(new Error("No call is expected")),
  };
  return await storeFindings(context, { service: { kind: "stopped" }, file: undefined });
}

Deno.test("the doctor reports the leftovers of a killed restore, and the next restore removes them", async () => {
  await withStore(async (store) => {
    await backUp(store);
    const folder = await killedRestoreIn(store.folder);
    for (const kv of [store.kv, join(store.folder, "none-yet.kv")]) {
      const restoreFindings = (await findings(kv)).filter(({ check }) => check === "restore");
      assertEquals(restoreFindings.map(({ status, advice }) => [status, advice]), [
        ["warning", `rm -r "${folder}"`],
      ]);
    }
    const removed: string[] = [];
    const path = join(store.folder, "other.kv");
    await restoreTo(path, store, { onLeftover: (one) => void removed.push(one) });
    assertEquals(removed, [folder]);
    assertEquals(await leftoversIn(store.folder), []);
  });
});

Deno.test("a restore that is at work keeps its folder from another", async () => {
  await withStore(async (store) => {
    await backUp(store);
    const atWork = join(store.folder, ".other.kv.restore-0123abcd");
    {
      await using _draft = await makeDraftFolder(atWork);
      await restoreTo(join(store.folder, "new.kv"), store);
      assert((await Deno.stat(atWork)).isDirectory);
    }
    assertEquals(await leftoversIn(store.folder), []);
  });
});

Deno.test("a backup removes the leftovers of killed backups, and keeps other files and a running backup", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const names = [
      "svc-2026-11-22T03-15-00Z.backup.0123abcd.partial",
      "svc-2026-11-22T03-16-00Z.backup.0123abce.partial",
      "mine.backup.0123abcd.partial",
      "notes.partial",
    ];
    for (const name of names) await Deno.writeTextFile(join(folder, name), "");
    const [killed = "", working = "", mine = ""] = names.map((name) => join(folder, name));
    {
      using file = await Deno.open(working, { write: true });
      assertEquals(await file.tryLock(true), true);
      assertEquals(await removePartials(folder, { isFolder: true }), [killed]);
    }
    assertEquals(await removePartials(join(folder, "mine.backup"), { isFolder: false }), [mine]);
    const nowhere = join(folder, "none", "mine.backup");
    assertEquals(await removePartials(nowhere, { isFolder: false }), []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the store put aside is whole without its write-ahead log", async () => {
  await withStore(async (store) => {
    await backUp(store);
    const crashed = join(store.folder, "crashed.kv");
    const stores = await openKvStores(store.kv);
    const more = { opId: "late", walletId: "w", amount: 5n, note: "" };
    await stores.ledger.credit({ kind: "credit", ...more, atMs: NOW_MS });
    // Leftovers of a killed process.
    for (const suffix of ["", "-wal"]) {
      await Deno.copyFile(`${store.kv}${suffix}`, `${crashed}${suffix}`);
    }
    await stores.close();
    assert((await Deno.stat(`${crashed}-wal`)).size > 0);
    const { keptAside = "" } = await restoreTo(crashed, store, { force: true });
    for (const suffix of ["-wal", "-shm"]) {
      await Deno.remove(`${keptAside}${suffix}`).catch(() => {});
    }
    const aside = await openKvStores(keptAside);
    assertEquals((await aside.ledger.wallet("w"))?.credits, 10n ** 12n + 5n);
    await aside.close();
  });
});

Deno.test("a folder in place of a backup is reported as a folder", async () => {
  await withStore(async (store) => {
    const restoring = restoreTo(join(store.folder, "x.kv"), { file: store.folder });
    const error = await restoring.then(() => undefined, (thrown: unknown) => thrown);
    assert(error instanceof BackupError);
    assertMatch(error.message, /^Cannot read the backup ".*": it is a folder/);
  });
});

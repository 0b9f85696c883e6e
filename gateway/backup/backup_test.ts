import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { join } from "@std/path";
import { openKvStores } from "../stores/kv/open.ts";
import { ArchiveWriter } from "./archive.ts";
import { BackupError } from "./backup_error.ts";
import {
  backUp,
  backUpPlain,
  CREDENTIALS,
  NOW_MS,
  PASSPHRASE,
  restoreTo,
  withStore,
} from "./backup_fixture.ts";
import { encodeHeader } from "./header.ts";
import type { BackupRecord } from "./records.ts";
import { plainSeal } from "./seal.ts";

/** Returns the names in a folder without locks: a store's lock stays beside it. */
function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name)
    .filter((name) => !name.endsWith(".lock")).sort();
}

async function refused(work: Promise<unknown>, message: string): Promise<void> {
  const error = await assertRejects(() => work, Error);
  assertStringIncludes(error.message, message);
}

Deno.test("a restored store has the books, the settings and the credentials", async () => {
  await withStore(async (store) => {
    const { head, header } = await backUp(store);
    const path = join(store.folder, "new", "svc.kv");
    const restored = await restoreTo(path, store);
    assertEquals(restored.verification.entries, head.entries);
    assertEquals(restored.header, header);
    assertEquals([restored.hasCredentials, restored.keptAside], [true, undefined]);
    assertEquals(namesIn(join(store.folder, "new")), ["svc.kv", "svc.kv.admin.json"]);
    assertEquals(await Deno.readTextFile(`${path}.admin.json`), CREDENTIALS);
    for (const name of [path, `${path}.admin.json`]) {
      assertEquals(((await Deno.stat(name)).mode ?? 0) & 0o777, 0o600, name);
    }
    const stores = await openKvStores(path);
    assertEquals((await stores.verify()).problems, []);
    assertEquals((await stores.ledger.wallet("w"))?.spent, 140n);
    assertEquals(await stores.settings.get("planted"), "planted_setting_secret");
    await stores.close();
  });
});

Deno.test("a backup leaves out the links and sessions of key holders", async () => {
  await withStore(async (store) => {
    const pass = { keyId: "key_a", digest: "ab", beganAtMs: NOW_MS, endsAtMs: NOW_MS + 1 };
    const [link, session] = [{ kind: "link", ...pass }, { kind: "session", ...pass }] as const;
    const before = await openKvStores(store.kv);
    for (const each of [link, session]) await before.passes.put(each, { max: 9 });
    await before.close();
    await backUpPlain(store);
    const path = join(store.folder, "new.kv");
    await restoreTo(path, store);
    const after = await openKvStores(path);
    assertEquals([await after.passes.get(link), await after.passes.get(session)], [
      ...[undefined, undefined],
    ]);
    assertEquals(await after.settings.get("planted"), "planted_setting_secret");
    await after.close();
  });
});

Deno.test("a backup contains one moment of a store that keeps changing", async () => {
  await withStore(async (store) => {
    const stores = await openKvStores(store.kv);
    const atMs = NOW_MS;
    let isOver = false;
    let paid = 0;
    const paying = (async () => {
      while (!isOver) {
        const payment = { opId: `more ${paid}`, walletId: "w", amount: 1n, note: "" };
        await stores.ledger.credit({ kind: "credit", ...payment, atMs });
        paid++;
      }
    })();
    for (let round = 0; round < 5; round++) {
      const { head } = await backUpPlain(store);
      const { verification } = await restoreTo(join(store.folder, `${round}.kv`), store);
      assertEquals([verification.entries, verification.head], [head.entries, head.head]);
    }
    isOver = true;
    await paying;
    assert(paid > 0);
    assertEquals(stores.health(), "ok");
    await stores.close();
  });
});

Deno.test("a sealed backup shows nothing of what is in it", async () => {
  await withStore(async (store) => {
    await backUp(store);
    const bytes = await Deno.readFile(store.file);
    const text = Buffer.from(bytes).toString("latin1");
    const shown = text.slice(0, text.indexOf("\n", "svc backup\n".length) + 1);
    const { salt: _salt, ...header } = JSON.parse(shown.slice("svc backup\n".length));
    const { rows: _rows, ...fixed } = header;
    const takenAt = "2026-11-22T12:00:00.000Z";
    assertEquals(fixed, { format: 1, service: "0.0.1", takenAt, sealed: "passphrase" });
    for (const secret of ["planted_setting_secret", "svc_test_admin_token", PASSPHRASE]) {
      assertEquals(text.includes(secret), false, secret);
    }
    // Sealed bytes are not compressible: none of them is text.
    const { length } = new Uint8Array(
      await new Response(
        new Blob([bytes.subarray(shown.length)]).stream().pipeThrough(
          new CompressionStream("gzip"),
        ),
      ).arrayBuffer(),
    );
    assert(length >= bytes.length - shown.length);
  });
});

Deno.test("a plain backup restores too, and leaves the admin token out", async () => {
  await withStore(async (store) => {
    await backUpPlain(store);
    const path = join(store.folder, "new.kv");
    const never = { passphrase: () => Promise.reject(new Error("Nobody is asked")) };
    const restored = await restoreTo(path, store, never);
    assertEquals([restored.hasCredentials, restored.header.sealed], [false, "none"]);
    assertEquals(namesIn(store.folder), ["new.kv", "svc.backup", "svc.kv"]);
  });
});

Deno.test("another passphrase, a cut and any changed byte are refused, and leave nothing", async () => {
  await withStore(async (store) => {
    await backUp(store);
    const whole = await Deno.readFile(store.file);
    const path = join(store.folder, "new.kv");
    const before = namesIn(store.folder);
    const other = { passphrase: () => Promise.resolve("another one") };
    await refused(restoreTo(path, store, other), "the passphrase is another one");
    await backUpPlain(store);
    const plain = await Deno.readFile(store.file);
    const step = Math.max(1, Math.floor(plain.length / 15));
    for (let at = 0; at < plain.length; at += step) {
      const changed = plain.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      await Deno.writeFile(store.file, changed);
      await assertRejects(() => restoreTo(path, store), BackupError, undefined, `byte ${at}`);
      await Deno.writeFile(store.file, plain.subarray(0, at));
      await assertRejects(() => restoreTo(path, store), BackupError, undefined, `cut at ${at}`);
    }
    await Deno.writeFile(store.file, Buffer.concat([plain, Uint8Array.of(0)]));
    await refused(restoreTo(path, store), "something follows its end");
    const changed = whole.slice();
    changed[whole.length - 20] = (changed[whole.length - 20] ?? 0) ^ 1;
    await Deno.writeFile(store.file, changed);
    await assertRejects(() => restoreTo(path, store), BackupError);
    assertEquals(namesIn(store.folder), before);
  });
});

/** Writes a valid unsealed backup with these records. */
async function forge(path: string, records: readonly BackupRecord[]): Promise<void> {
  const header = encodeHeader({
    ...{ format: 1, service: "0.0.1", takenAt: "2026-11-22T12:00:00.000Z" },
    ...{ rows: records.length, sealed: "none", salt: "0".repeat(32) },
  });
  const parts: Uint8Array[] = [header];
  const archive = new ArchiveWriter((bytes) => parts.push(bytes), plainSeal(header));
  for (const record of records) archive.add(record);
  archive.end();
  await Deno.writeFile(path, Buffer.concat(parts));
}

Deno.test("a well-formed record that is not a row of a store is refused", async () => {
  await withStore(async (store) => {
    const path = join(store.folder, "new.kv");
    const before = namesIn(store.folder);
    await forge(store.file, [["sqlite_master", "ATTACH '/tmp/x' AS x"]]);
    await refused(restoreTo(path, store), 'it holds "sqlite_master"');
    await forge(store.file, [["kv", 1n]]);
    await assertRejects(() => restoreTo(path, store), BackupError);
    await forge(store.file, []);
    await refused(restoreTo(path, store), "holds no store");
    await Deno.writeTextFile(store.file, "svc backup\n" + "x".repeat(100_000));
    await refused(restoreTo(path, store), "its header has no end");
    await Deno.writeTextFile(store.file, 'svc backup\n{"format": 2, "service": "9.0.0"}\n');
    await refused(restoreTo(path, store), "format 2, made by svc 9.0.0");
    await Deno.writeTextFile(store.file, "a letter");
    await refused(restoreTo(path, store), "no backup of svc");
    assertEquals(namesIn(store.folder), [...before, "svc.backup"].sort());
  });
});

Deno.test("books that are wrong are not restored", async () => {
  await withStore(async (store) => {
    const kv = await Deno.openKv(store.kv);
    const { value } = await kv.get<{ credits: bigint; available: bigint }>(["wallet", "w"]);
    assert(value !== null);
    await kv.set(["wallet", "w"], { ...value, credits: value.credits + 1n });
    kv.close();
    await backUpPlain(store);
    await assertRejects(() => restoreTo(join(store.folder, "new.kv"), store));
    const richer = { credits: value.credits + 1n, available: value.available + 1n };
    const again = await Deno.openKv(store.kv);
    await again.set(["wallet", "w"], { ...value, ...richer });
    again.close();
    await backUpPlain(store);
    await refused(restoreTo(join(store.folder, "new.kv"), store), "nothing was restored: Wallet");
    assertEquals(namesIn(store.folder), ["svc.backup", "svc.kv"]);
  });
});

Deno.test("a store that is there is refused, or put aside whole", async () => {
  await withStore(async (store) => {
    await backUp(store);
    await Deno.writeTextFile(`${store.kv}.admin.json`, "former");
    const stores = await openKvStores(store.kv);
    await stores.settings.set("planted", "newer");
    await refused(restoreTo(store.kv, store), "another process has it open");
    await stores.close();
    await refused(restoreTo(store.kv, store), "There is a store");
    await restoreTo(store.kv, store, { checkOnly: true });
    const { keptAside = "" } = await restoreTo(store.kv, store, { force: true });
    assertEquals(await Deno.readTextFile(`${keptAside}.admin.json`), "former");
    const settingOf = async (path: string) => {
      const { settings, close } = await openKvStores(path);
      const value = await settings.get("planted");
      await close();
      return value;
    };
    assertEquals(await settingOf(keptAside), "newer");
    assertEquals(await settingOf(store.kv), "planted_setting_secret");
  });
});

Deno.test("a restore by root leaves the store to the owner of its folder", async () => {
  await withStore(async (store) => {
    await backUp(store);
    const folder = join(store.folder, "others");
    await Deno.mkdir(folder);
    try {
      await Deno.chown(folder, 65_534, 65_534);
    } catch {
      return console.warn("Not tested: this user may not give files away");
    }
    const path = join(folder, "svc.kv");
    const ownerOf = async (name: string) => (await Deno.stat(name)).uid;
    // A failed restore does not lock out the service either.
    const wrong = { passphrase: () => Promise.resolve("another one") };
    await refused(restoreTo(path, store, wrong), "the passphrase is another one");
    assertEquals(await ownerOf(`${path}.lock`), 65_534);
    await restoreTo(path, store);
    for (const suffix of ["", ".lock", ".admin.json"]) {
      assertEquals(await ownerOf(path + suffix), 65_534, suffix);
    }
  });
});

Deno.test("root gives away and writes over no file that the owner of the folder has linked", async () => {
  await withStore(async (store) => {
    await backUp(store);
    const folder = join(store.folder, "others");
    const other = join(store.folder, "of-root");
    await Deno.mkdir(folder);
    await Deno.writeTextFile(other, "mine", { mode: 0o600 });
    try {
      await Deno.chown(folder, 65_534, 65_534);
    } catch {
      return console.warn("Not tested: this user may not give files away");
    }
    const path = join(folder, "svc.kv");
    for (const suffix of [".lock", ".admin.json.tmp"]) await Deno.symlink(other, path + suffix);
    await restoreTo(path, store);
    const { mode, uid } = await Deno.stat(other);
    assertEquals([uid, (mode ?? 0) & 0o777, await Deno.readTextFile(other)], [0, 0o600, "mine"]);
  });
});

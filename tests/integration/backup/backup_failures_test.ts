/**
 * Backups that fail: full disk, interruption, missing passphrase, existing file; and the output of
 * a successful one on a terminal and for a timer.
 *
 * @module
 */

import { assert, assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { join } from "@std/path";
import { type StoreFolder, withStore } from "../../../gateway/backup/backup_fixture.ts";
import { ServiceProcess, SVC, svc } from "../../fixtures/service_process.ts";
import { smallDisk } from "../../fixtures/small_disk.ts";
import { until } from "../../fixtures/service.ts";

const PASSPHRASE = "a passphrase of the operator";
/** Number of values of 60 000 bytes that fill a small disk. */
const VALUES_OF_A_DISK = 200;
/** Number of values of 60 000 bytes whose backup takes long enough to be interrupted. */
const VALUES_TO_INTERRUPT = 2_000;

const envOf = ({ kv }: StoreFolder) => ({ SERVICE_KV_PATH: kv, SERVICE_BACKUP_KEY: PASSPHRASE });

function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name)
    .filter((name) => !name.endsWith(".lock")).sort();
}

/** Adds values that do not become smaller when compressed. */
async function grow(path: string, values: number): Promise<void> {
  const kv = await Deno.openKv(path);
  for (let n = 0; n < values; n += 10) {
    const atomic = kv.atomic();
    for (let row = n; row < n + 10; row++) {
      const value = crypto.getRandomValues(new Uint8Array(60_000));
      atomic.set(["response_chunk", "ballast", row], value);
    }
    await atomic.commit();
  }
  kv.close();
}

Deno.test("svc backup and svc restore tell what they did, for people and programs", async () => {
  await withStore(async (store) => {
    const { folder, file } = store;
    const result = await svc(["backup", file], envOf(store));
    assertEquals([result.code, result.stderr], [0, ""]);
    assertMatch(result.stdout, /^file +\S+\ntaken +\S+\nsealed +by a passphrase\n/);
    assertEquals(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);
    const note = JSON.parse(await Deno.readTextFile(`${store.kv}.backup.json`));
    assertEquals([note.file, note.entries], [file, 42]);
    const again = await svc(["backup", file], envOf(store));
    assertEquals(again.code, 1);
    assertStringIncludes(again.stderr, "--force replaces it");
    const checked = await svc(["restore", file, "--check"], envOf(store));
    assertEquals([checked.code, checked.stderr], [0, ""]);
    assertMatch(checked.stdout, /^taken .*\nby +svc 0\.1\.0, schema 5\nbooks +right\n/);
    const to = join(folder, "new.kv");
    const restored = await svc(["restore", file, "--to", to], envOf(store));
    assertStringIncludes(restored.stdout, "The backup has no admin token");
    assertStringIncludes(restored.stdout, "revoke again the keys that were revoked since");
    assertFalse(checked.stdout.includes("revoke"));
    assert((await Deno.stat(to)).isFile);
    const wrong = { ...envOf(store), SERVICE_BACKUP_KEY: "another passphrase" };
    const shut = await svc(["restore", file, "--check"], wrong);
    assertEquals([shut.code, shut.stdout], [1, ""]);
    assertMatch(shut.stderr, /^The backup does not open: the passphrase is another one[^\n]*\n$/);
  });
});

Deno.test("a backup is never plain by accident", async () => {
  await withStore(async (store) => {
    const { folder, file, kv } = store;
    const bare = await svc(["backup", file], { SERVICE_KV_PATH: kv, SERVICE_BACKUP_KEY: "" });
    assertEquals(bare.code, 1);
    assertStringIncludes(bare.stderr, "give --passphrase-file or SERVICE_BACKUP_KEY, or --plain");
    const short = await svc(["backup", file], { SERVICE_KV_PATH: kv, SERVICE_BACKUP_KEY: "short" });
    assertStringIncludes(short.stderr, "give at least 12 characters");
    assertEquals(namesIn(folder), ["svc.kv"]);
    const plain = await svc(["backup", file, "--plain"], { SERVICE_KV_PATH: kv });
    assertEquals(plain.code, 0);
    assertMatch(plain.stderr, /^Warning: Anyone with this file can read/);
    const absent = await svc(["backup", `${file}2`, "--plain"], { SERVICE_KV_PATH: `${kv}2` });
    assertMatch(absent.stderr, /Cannot read the store "[^"]+": No such file/);
    assertEquals(namesIn(folder), ["svc.backup", "svc.kv", "svc.kv.backup.json"]);
  });
});

Deno.test("of a folder's backups the newest are kept, and other files left alone", async () => {
  await withStore(async (store) => {
    const folder = join(store.folder, "backups");
    await Deno.mkdir(folder);
    const old = ["svc-2026-01-01T00-00-00Z.backup", "svc-2026-01-02T00-00-00Z.backup"];
    for (const name of [...old, "notes.backup"]) await Deno.writeTextFile(join(folder, name), "");
    const keyFile = join(store.folder, "passphrase");
    await Deno.writeTextFile(keyFile, `${PASSPHRASE}\n`);
    const env = { SERVICE_KV_PATH: store.kv };
    const args = ["backup", folder, "--keep", "2", "--passphrase-file", keyFile, "--json"];
    const result = await svc(args, env);
    assertEquals([result.code, result.stderr], [0, ""]);
    assertEquals(JSON.parse(result.stdout).removed, [old[0]]);
    const names = namesIn(folder);
    assertEquals(names.length, 3);
    assertEquals(names.slice(0, 2), ["notes.backup", old[1]]);
    const wrong = await svc(["backup", join(folder, "f"), "--keep", "0"], env);
    assertEquals(wrong.code, 2);
  });
});

Deno.test("a full disk fails a backup and a restore in a sentence, and leaves no half of it", async () => {
  await using disk = await smallDisk();
  if (disk === undefined) return console.warn("Not tested: this user may not mount a small disk");
  await withStore(async (store) => {
    await grow(store.kv, VALUES_OF_A_DISK);
    const full = await svc(["backup", join(disk.path, "svc.backup")], envOf(store));
    assertEquals(full.code, 1);
    assertMatch(full.stderr, /^Cannot write "[^"]+": No space left[^\n]*\n$/);
    assertEquals(namesIn(disk.path), []);
    assertEquals((await svc(["backup", store.file], envOf(store))).code, 0);
    const to = join(disk.path, "svc.kv");
    const restored = await svc(["restore", store.file, "--to", to], envOf(store));
    assertEquals(restored.code, 1);
    assertMatch(restored.stderr, /^Cannot restore to "[^"]+": database or disk is full\n$/);
    assertEquals(namesIn(disk.path), []);
  });
});

Deno.test("a backup or a restore that is interrupted leaves nothing", async () => {
  await withStore(async (store) => {
    await grow(store.kv, VALUES_TO_INTERRUPT);
    const before = namesIn(store.folder);
    const interrupt = async (args: readonly string[], hasBegun: (name: string) => boolean) => {
      const [program = "", ...rest] = SVC;
      const options = { env: envOf(store), stdout: "null", stderr: "null" } as const;
      const child = new Deno.Command(program, { args: [...rest, ...args], ...options }).spawn();
      await until(() => namesIn(store.folder).some(hasBegun), "the work in progress");
      child.kill("SIGINT");
      assertEquals((await child.status).code, 130);
    };
    const withoutWal = () => namesIn(store.folder).filter((name) => !/-(wal|shm)$/.test(name));
    await interrupt(["backup", store.file], (name) => name.endsWith(".partial"));
    assertEquals(withoutWal(), before);
    assertEquals((await svc(["backup", store.file], envOf(store))).code, 0);
    const complete = withoutWal();
    const to = join(store.folder, "new.kv");
    await interrupt(["restore", store.file, "--to", to], (name) => name.startsWith(".new.kv"));
    assertEquals(withoutWal(), complete);
  });
});

Deno.test("planted secrets stand nowhere in a backup, and everywhere in the restored store", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const kv = join(folder, "svc.kv");
    const file = join(folder, "svc.backup");
    const upstream = { id: "lab", kind: "openai-compatible", baseUrl: "http://127.0.0.1:9/v1" };
    const model = {
      ...{ id: "m", upstream: "lab", upstreamModel: "m", endpoints: ["chat"], quality: 0.5 },
      ...{ contextTokens: 1_000, maxOutputTokens: 100, sku: "text", featureTags: [] },
      ...{ industryPacks: [], description: { en: "m", zh: "m" } },
      price: { inputPerMTok: "1", outputPerMTok: "1", currency: "USD" },
    };
    const tier = {
      ...{ id: "standard", creditsPerUsd: "1000", models: "*", orchestration: "off" },
      ...{ name: { en: "s", zh: "s" }, description: { en: "s", zh: "s" } },
    };
    const config = {
      upstreams: [{ ...upstream, apiKey: "planted_upstream_key" }],
      models: [model],
      tiers: [tier],
    };
    await Deno.writeTextFile(join(folder, "svc.json"), JSON.stringify(config));
    const secrets = {
      SERVICE_ADMIN_TOKEN: "planted_admin_token",
      SERVICE_BOOTSTRAP_KEY: "planted_bootstrap_key",
    };
    const env = { SERVICE_KV_PATH: kv, SERVICE_BACKUP_KEY: PASSPHRASE };
    await using service = await ServiceProcess.start(kv, secrets, { config: "svc.json" });
    assertEquals((await svc(["backup", file], env)).code, 0);
    await service.end("SIGTERM");
    const pepper = /"secret\\?":\\?"([0-9a-f]{64})/.exec(await latin(kv))?.[1];
    assert(pepper !== undefined, "the store keeps a pepper");
    const sealed = await latin(file);
    const planted = [...Object.values(secrets), "planted_upstream_key", pepper, PASSPHRASE];
    for (const secret of planted) assertEquals(sealed.includes(secret), false, secret);
    const to = join(folder, "new.kv");
    assertEquals((await svc(["restore", file, "--to", to], env)).code, 0);
    const restored = await latin(to) + await latin(`${to}.admin.json`);
    for (const secret of ["planted_admin_token", "planted_upstream_key", pepper]) {
      assert(restored.includes(secret), secret);
    }
    assertEquals(restored.includes("planted_bootstrap_key"), false);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

async function latin(path: string): Promise<string> {
  return Buffer.from(await Deno.readFile(path)).toString("latin1");
}

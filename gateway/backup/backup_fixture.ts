/**
 * A store with some credits, keys and texts, and its backup, for tests.
 *
 * @module
 */

import { join } from "@std/path";
import { openKvStores } from "../stores/kv/open.ts";
import { type BackupSummary, takeBackup } from "./take_backup.ts";
import { restoreBackup, type RestoreOptions, type RestoreSummary } from "./restore_backup.ts";

/** Passphrase of the sealed backups of tests. */
export const PASSPHRASE = "correct horse battery";
/** Contents of the credentials file beside the store. */
export const CREDENTIALS = '{"url": "http://127.0.0.1:1", "token": "svc_test_admin_token"}';
/** Time of the fixtures. */
export const NOW_MS = Date.UTC(2026, 10, 22, 12);

/** A folder that contains a store. */
export interface StoreFolder {
  readonly folder: string;
  readonly kv: string;
  /** Path of the backup. */
  readonly file: string;
}

/** Runs a test on a store with a number of calls, and removes it. */
export async function withStore(
  test: (store: StoreFolder) => Promise<void>,
  calls = 20,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const kv = join(folder, "svc.kv");
    await fillStore(kv, calls);
    await test({ folder, kv, file: join(folder, "svc.backup") });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function fillStore(kv: string, calls: number): Promise<void> {
  const { ledger, settings, close } = await openKvStores(kv, { program: "0.0.1" });
  const atMs = NOW_MS;
  await ledger.open({ kind: "open", walletId: "w", tier: "standard", atMs });
  const payment = { opId: "seed", walletId: "w", amount: 10n ** 12n, note: "" };
  await ledger.credit({ kind: "credit", ...payment, atMs });
  const call = { walletId: "w", keyId: "k", logId: "l", model: "m", priceVersion: 1, atMs };
  const amounts = { amount: 9n, minimum: 9n, budget: {} };
  const tokens = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false };
  await Promise.all(Array.from({ length: calls }, async (_, n) => {
    const holdId = `hold ${n}`;
    await ledger.hold({ kind: "hold", holdId, ...call, ...amounts }, { waitMs: 0 });
    await ledger.settle({ kind: "settle", holdId, cost: 7n, ...tokens, atMs });
  }));
  await settings.set("planted", "planted_setting_secret");
  await close();
}

/** Writes a backup into a file. */
export async function backUp(
  { kv, file }: StoreFolder,
  passphrase: string | undefined = PASSPHRASE,
): Promise<BackupSummary> {
  using output = await Deno.open(file, { create: true, truncate: true, write: true });
  return await takeBackup(kv, {
    ...{ passphrase, credentials: CREDENTIALS, service: "0.0.1", nowMs: NOW_MS },
    write: (bytes) => void output.writeSync(bytes),
    onProgress: () => {},
  });
}

/** Writes an unsealed backup. */
export async function backUpPlain({ kv, file }: StoreFolder): Promise<BackupSummary> {
  using output = await Deno.open(file, { create: true, truncate: true, write: true });
  return await takeBackup(kv, {
    ...{ credentials: CREDENTIALS, service: "0.0.1", nowMs: NOW_MS },
    write: (bytes) => void output.writeSync(bytes),
    onProgress: () => {},
  });
}

/** Restores a backup to a path. */
export function restoreTo(
  path: string,
  { file }: Pick<StoreFolder, "file">,
  options: Partial<RestoreOptions> = {},
): Promise<RestoreSummary> {
  return restoreBackup(file, path, {
    passphrase: () => Promise.resolve(PASSPHRASE),
    ...{ force: false, checkOnly: false, nowMs: NOW_MS, onProgress: () => {} },
    ...options,
  });
}

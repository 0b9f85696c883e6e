import { basename, dirname, join } from "@std/path";
import { writeCredentialsText } from "../system/credentials.ts";
import type { Verification } from "../ports/ledger_store.ts";
import { StoreError } from "../ports/store_error.ts";
import { checkStore, type StoreContents } from "../stores/kv/check_store.ts";
import { giveToOwner, type LockedFile, lockFile } from "../stores/kv/file.ts";
import { migrate } from "../stores/kv/migrate.ts";
import { readSetting } from "../stores/kv/settings.ts";
import { needsPepper } from "../flows/keys/pepper_book.ts";
import { fileErrorText } from "../system/file_error_text.ts";
import { ArchiveReader } from "./archive.ts";
import { BackupError } from "./backup_error.ts";
import { draftName, leftoversIn, makeDraftFolder } from "./draft_folder.ts";
import type { Header } from "./header.ts";
import { passphraseSeal, plainSeal } from "./seal.ts";
import { foldIn, RowLoader, snapshotOf } from "./store_rows.ts";

/** Options of {@linkcode restoreBackup}. */
export interface RestoreOptions {
  /** Called when the backup is sealed. */
  readonly passphrase: () => Promise<string>;
  /** True to move an existing store aside instead of refusing. */
  readonly force: boolean;
  /** True to check everything and keep nothing. */
  readonly checkOnly: boolean;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** Called from time to time, with rows, then with entries of the journal. */
  readonly onProgress: (step: "Restoring" | "Verifying", done: number, total: number) => void;
  /** Called with the folder to remove on an interruption. */
  readonly onFolder?: ((path: string) => void) | undefined;
  /** Called with each removed folder that a killed restore had left. */
  readonly onLeftover?: ((path: string) => void) | undefined;
}

/** The result of a restore. */
export interface RestoreSummary {
  readonly header: Header;
  readonly verification: Verification;
  readonly contents: StoreContents;
  /** New path of the store that existed before. */
  readonly keptAside: string | undefined;
  /** True when the command line finds its token beside the store. */
  readonly hasCredentials: boolean;
  /** True when keys can be verified only with the pepper given to the former service. */
  readonly needsPepper: boolean;
}

/** The result of checking a restored store. */
type Proof = Pick<RestoreSummary, "verification" | "contents" | "needsPepper">;

/**
 * Builds a store from a backup, verifies its ledger, and renames it into place: the path leads to
 * the complete store, or to the former one. A check ends before the rename; it works beside the
 * path.
 *
 * @throws {BackupError} When the backup is damaged, its ledger is wrong, or the path exists.
 */
export async function restoreBackup(
  backupPath: string,
  kvPath: string,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  using file = await openBackup(backupPath);
  let lock: LockedFile | undefined;
  try {
    // A check creates no store, so it needs no lock: the store in use may be beside it.
    if (!options.checkOnly) lock = await lockFile(kvPath);
    const path = lock?.path ?? kvPath;
    if (!options.checkOnly && !options.force) await requireFree(path);
    for (const leftover of await leftoversIn(dirname(path))) {
      await Deno.remove(leftover, { recursive: true });
      options.onLeftover?.(leftover);
    }
    const folder = join(dirname(path), draftName(basename(path)));
    options.onFolder?.(folder);
    await using draft = await makeDraftFolder(folder);
    return await restoreIn(draft.path, { path, file, options });
  } catch (error) {
    if (error instanceof BackupError || error instanceof StoreError) throw error;
    const what = options.checkOnly ? "check the backup beside" : "restore to";
    throw new BackupError(`Cannot ${what} "${kvPath}": ${fileErrorText(error)}`, { cause: error });
  } finally {
    lock?.release();
  }
}

async function restoreIn(
  folder: string,
  { path, file, options }: { path: string; file: Deno.FsFile; options: RestoreOptions },
): Promise<RestoreSummary> {
  const draft = join(folder, "svc.kv");
  const { header, credentials } = await fill(draft, file, options);
  const checked = await prove(draft, options);
  const summary = { header, ...checked, hasCredentials: credentials !== undefined };
  if (options.checkOnly) return { ...summary, keptAside: undefined };
  const keptAside = await putInPlace(draft, path, { ...options, credentials });
  return { ...summary, keptAside };
}

async function openBackup(path: string): Promise<Deno.FsFile> {
  try {
    if ((await Deno.stat(path)).isDirectory) {
      throw new Error("it is a folder, not one of its files");
    }
    return await Deno.open(path);
  } catch (cause) {
    throw new BackupError(`Cannot read the backup "${path}": ${fileErrorText(cause)}`, { cause });
  }
}

async function requireFree(path: string): Promise<void> {
  try {
    await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  throw new BackupError(
    `There is a store at "${path}" already: --force puts it aside, --to names another place`,
  );
}

async function fill(
  path: string,
  file: Deno.FsFile,
  options: RestoreOptions,
): Promise<{ header: Header; credentials: string | undefined }> {
  const reader = new ArchiveReader(file);
  const { header, bytes } = await reader.header();
  const isSealed = header.sealed === "passphrase";
  const seal = isSealed
    ? await passphraseSeal(await options.passphrase(), { salt: header.salt, header: bytes })
    : plainSeal(bytes);
  // Deno KV creates its own tables: nothing from a backup is ever executed.
  (await Deno.openKv(path)).close();
  await Deno.chmod(path, 0o600);
  using loader = new RowLoader(path);
  let credentials: string | undefined;
  const wrongKey = isSealed
    ? "The backup does not open: the passphrase is another one, or its beginning was changed"
    : "The backup is damaged: its beginning was changed";
  for await (const records of reader.frames(seal, wrongKey)) {
    for (const record of records) {
      if (loader.take(record)) continue;
      const [kind, text] = record;
      if (kind !== "credentials" || typeof text !== "string") {
        throw new BackupError(`The backup is damaged: it holds "${kind}"`);
      }
      credentials = text;
    }
    options.onProgress("Restoring", loader.count, header.rows);
  }
  if (loader.count !== header.rows) {
    throw new BackupError(
      `The backup is damaged: it has ${loader.count} rows and says ${header.rows}`,
    );
  }
  loader.end();
  return { header, credentials };
}

async function prove(path: string, { onProgress }: RestoreOptions): Promise<Proof> {
  snapshotOf(path)[Symbol.dispose]();
  const kv = await Deno.openKv(path);
  try {
    // A backup of an older svc has an older layout, which the check does not read.
    await migrate(kv, {});
    for await (const { entries, total, result } of checkStore(kv)) {
      onProgress("Verifying", entries, total);
      if (result === undefined) continue;
      const [problem] = result.verification.problems;
      const settings = { get: (name: string) => readSetting(kv, name) };
      if (problem === undefined) return { ...result, needsPepper: await needsPepper(settings) };
      throw new BackupError(`The books of this backup are wrong, nothing was restored: ${problem}`);
    }
  } finally {
    kv.close();
  }
  throw new BackupError("The books of this backup could not be checked");
}

/** Renames the store into place. A former store gets its new name before it loses the old one. */
async function putInPlace(
  draft: string,
  path: string,
  { credentials, nowMs }: { credentials: string | undefined; nowMs: number },
): Promise<string | undefined> {
  using file = await Deno.open(draft, { write: true });
  await file.sync();
  const time = new Date(nowMs).toISOString().replaceAll(/[:.]/g, "-");
  const aside = `${path}.before-${time}`;
  const others = credentials === undefined ? [] : [".admin.json"];
  // If killed between the two steps below, the path would lead to the former store without them.
  foldIn(path);
  const hadStore = await linkAside(path, aside);
  for (const suffix of ["-wal", "-shm", ...others]) {
    await linkAside(`${path}${suffix}`, `${aside}${suffix}`);
  }
  // If the former store is too damaged, their contents would be read into this one.
  for (const suffix of ["-wal", "-shm"]) await removeIfThere(`${path}${suffix}`);
  await Deno.rename(draft, path);
  if (credentials !== undefined) await writeCredentialsText(`${path}.admin.json`, credentials);
  for (const suffix of ["", ...others]) await giveToOwner(`${path}${suffix}`);
  using folder = await Deno.open(dirname(path));
  await folder.sync();
  return hadStore ? aside : undefined;
}

async function linkAside(path: string, aside: string): Promise<boolean> {
  try {
    await Deno.link(path, aside);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

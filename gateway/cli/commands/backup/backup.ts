import type { RestoreSummary } from "../../../backup/restore_backup.ts";
import type { BackupSummary } from "../../../backup/take_backup.ts";
import manifest from "../../../deno.json" with { type: "json" };
import { backupIn, isFolder, keepNewest, removePartials } from "./backup_files.ts";
import { NoTokenFailure, UnreachableFailure } from "../../admin_client.ts";
import type { Call, Command, Output } from "../../command.ts";
import { onInterrupt } from "../../input/interrupt.ts";
import { CliFailure, UsageError } from "../../failures.ts";
import { newPassphrase, standingPassphrase } from "../../input/passphrase.ts";
import { type ProgressBar, progressBar } from "../../output/progress_bar.ts";
import { facts } from "../../output/table.ts";
import { storeNamesIn, storePlaceOf } from "../../../system/store_place.ts";

/** `svc backup` and `svc restore`: they work on the file of a store, without a service. */
export const backupCommands: readonly Command[] = [
  {
    words: "backup",
    operands: ["FILE"],
    options: ["passphrase-file", "plain", "check", "keep", "force"],
    summary: "Back up the whole store, also while it serves; FILE may be a folder",
    run: reportedBackup,
  },
  {
    words: "restore",
    operands: ["FILE"],
    options: ["to", "passphrase-file", "check", "force"],
    summary: "Restore a store from a backup, and verify its journal",
    meanings: { force: "Rename an existing store" },
    run: restore,
  },
];

/** Maximum length of a reported problem, in UTF-16 code units. */
const PROBLEM_CHARS = 500;

const PLAIN = "Anyone with this file can read every key's digest, the pepper and what the store " +
  "keeps of answers; the admin token is left out";

/** Makes a backup, and tells a gateway that serves the store how it ended, for its operators. */
async function reportedBackup(call: Call): Promise<Output> {
  try {
    const output = await backup(call);
    await report(call, null);
    return output;
  } catch (error) {
    if (!(error instanceof UsageError)) {
      await report(call, error instanceof Error ? error.message : String(error));
    }
    throw error;
  }
}

/** Tells the gateway how a backup ended. A stopped gateway is no failure. */
async function report({ client, warn }: Call, problem: string | null): Promise<void> {
  const body = { problem: problem?.slice(0, PROBLEM_CHARS) ?? null };
  try {
    await client.call("POST /backups/reports", { body });
  } catch (error) {
    if (error instanceof UnreachableFailure || error instanceof NoTokenFailure) return;
    if (!(error instanceof CliFailure)) throw error;
    warn(`The gateway did not take the report of this backup: ${error.message}`);
  }
}

async function backup(call: Call): Promise<Output> {
  const store = storePath(call);
  const [operand = ""] = call.operands;
  const keep = keptNumber(call);
  const folder = await isFolder(operand) ? operand : undefined;
  if (keep !== undefined && folder === undefined) {
    throw new UsageError("--keep goes with a folder of backups");
  }
  const passphrase = await newPassphrase(call);
  if (passphrase === undefined) call.warn(PLAIN);
  for (const leftover of await removePartials(operand, { isFolder: folder !== undefined })) {
    call.warn(`Removed "${leftover}", a leftover of a killed backup`);
  }
  const nowMs = Date.now();
  const path = folder === undefined ? operand : backupIn(folder, nowMs);
  const { bytes, header, head } = await write(call, { store, path, passphrase, nowMs });
  const { takenAt, rows, sealed } = header;
  const checked = call.has("check");
  if (checked) {
    const passphraseOf = () => Promise.resolve(passphrase ?? "");
    await restoreFrom(path, path, { call, checkOnly: true, passphrase: passphraseOf });
  }
  await noteBackup(call, store, { takenAt, file: path, entries: head.entries });
  const removed = folder === undefined || keep === undefined ? [] : await keepNewest(folder, keep);
  const { requests: _requests, ...journal } = head;
  const json = { file: path, takenAt, sealed, bytes, rows, journal, checked, removed };
  const text = facts([
    ["file", path],
    ["taken", takenAt],
    ["sealed", sealed === "none" ? "no" : "by a passphrase"],
    ["bytes", String(bytes)],
    ["rows", String(rows)],
    ["entries", String(head.entries)],
    ["head", head.head],
    ...checked ? [["books", "right"] as const] : [],
    ...removed.map((name): [string, string] => ["removed", name]),
  ]);
  return { json, text: () => text };
}

/** Writes the file, which appears once it is complete. */
async function write(
  call: Call,
  of: { store: string; path: string; passphrase: string | undefined; nowMs: number },
): Promise<BackupSummary & { bytes: number }> {
  const { store, path, passphrase, nowMs } = of;
  const file = await call.io.createFile(path, { force: call.has("force") });
  let bytes = 0;
  try {
    const summary = await withBar(call, async ({ show }) => {
      const { takeBackup } = await import("../../../backup/take_backup.ts");
      return await takeBackup(store, {
        ...{ passphrase, nowMs, service: manifest.version },
        credentials: await textIfThere(`${store}.admin.json`),
        write: (piece) => {
          file.write(piece);
          bytes += piece.length;
        },
        onProgress: (done, total) => show("Backing up", done, total),
      });
    });
    await file.finish();
    return { ...summary, bytes };
  } catch (error) {
    throw await asFailure(error);
  } finally {
    await file.discard();
  }
}

async function restore(call: Call): Promise<Output> {
  const [path = ""] = call.operands;
  const checkOnly = call.has("check");
  const store = call.option("to") ?? (checkOnly ? path : storePath(call));
  const restored = await restoreFrom(path, store, {
    call,
    checkOnly,
    passphrase: () => standingPassphrase(call),
  });
  const { header, verification, contents, keptAside, hasCredentials, needsPepper } = restored;
  const { entries, head, wallets, openHolds } = verification;
  const { apiKeys, requests, schema } = contents;
  const json = {
    ...{ store: checkOnly ? null : store, takenAt: header.takenAt, service: header.service },
    ...{ schema, entries, head, wallets, openHolds, keys: apiKeys, requests },
    ...{ keptAside: keptAside ?? null, hasCredentials, needsPepper },
  };
  const text = facts([
    ...checkOnly ? [] : [["store", store] as const],
    ["taken", header.takenAt],
    ["by", `svc ${header.service}, schema ${schema}`],
    ["books", "right"],
    ...[["entries", String(entries)], ["head", head]] as const,
    ["wallets", String(wallets)],
    ["keys", String(apiKeys)],
    ["requests", String(requests)],
    ["open holds", `${openHolds}${openHolds === 0 ? "" : ", which the next start ends"}`],
    ...keptAside === undefined ? [] : [["former store", keptAside] as const],
  ]) + hints({ checkOnly, hasCredentials, needsPepper });
  return { json, text: () => text };
}

/** Restores with a progress bar, and removes unfinished files on an interruption. */
async function restoreFrom(
  path: string,
  store: string,
  how: { call: Call; checkOnly: boolean; passphrase: () => Promise<string> },
): Promise<RestoreSummary> {
  const { call, checkOnly, passphrase } = how;
  let folder: string | undefined;
  const interrupt = onInterrupt(() => {
    if (folder !== undefined && isThere(folder)) Deno.removeSync(folder, { recursive: true });
  });
  try {
    return await withBar(call, async ({ show, pause }) => {
      const { restoreBackup } = await import("../../../backup/restore_backup.ts");
      return await restoreBackup(path, store, {
        passphrase: () => {
          pause();
          return passphrase();
        },
        ...{ checkOnly, force: call.has("force"), nowMs: Date.now() },
        onProgress: show,
        onFolder: (draftPath) => void (folder = draftPath),
        onLeftover: (leftover) =>
          call.warn(`Removed "${leftover}", a leftover of a killed restore`),
      });
    });
  } catch (error) {
    throw await asFailure(error);
  } finally {
    interrupt.off();
  }
}

function isThere(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false;
  }
}

function hints(of: { checkOnly: boolean; hasCredentials: boolean; needsPepper: boolean }): string {
  const pepper = "Its keys need the SERVICE_KEY_PEPPER that the service was started with\n";
  const token = "The backup has no admin token: set SERVICE_ADMIN_TOKEN for the command line\n";
  const keys =
    "Keys have their state at the time of the backup: revoke again the keys that were revoked since\n";
  return (of.checkOnly ? "" : keys) + (of.needsPepper ? pepper : "") +
    (of.hasCredentials || of.checkOnly ? "" : token);
}

/** Progress bars for the steps of the work. */
interface Bars {
  show(label: string, done: number, total: number): void;
  /** Removes the line until it is drawn again. */
  pause(): void;
}

async function withBar<T>(call: Call, work: (bars: Bars) => Promise<T>): Promise<T> {
  let bar: ProgressBar | undefined;
  let shownLabel = "";
  const pause = () => bar?.end();
  try {
    return await work({
      pause,
      show(label, done, total) {
        if (bar === undefined || label !== shownLabel) {
          pause();
          shownLabel = label;
          const unit = label === "Verifying" ? "entries" : "rows";
          bar = progressBar(call.io, { label, unit, quiet: call.has("json") });
        }
        bar.show(done, total);
      },
    });
  } finally {
    pause();
  }
}

/** Returns the configured file of the store. */
export function storePath({ io }: Pick<Call, "io">): string {
  const place = storePlaceOf(storeNamesIn((name) => io.env[name]));
  if (typeof place === "string") throw new CliFailure(place);
  if (place.kind === "postgres") {
    throw new CliFailure(
      "The store is a PostgreSQL database: back it up with pg_dump and restore it with pg_restore, " +
        "then run `svc ledger verify` (docs/configuration.md)",
    );
  }
  const { path } = place;
  if (path !== ":memory:" && !/^https?:/.test(path)) return path;
  throw new CliFailure(`The store "${path}" is not a file: it cannot be backed up or restored`);
}

function keptNumber(call: Call): number | undefined {
  const text = call.option("keep");
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new UsageError(`--keep takes a whole number from 1, not "${text}"`);
}

async function textIfThere(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Records the backup beside the store for `svc doctor`, which checks its age. */
async function noteBackup(call: Call, store: string, about: object): Promise<void> {
  try {
    const note = { ...about, storeBytes: (await Deno.stat(store)).size };
    // Renamed into place: the file may belong to another user, while the folder is ours.
    const draft = `${store}.backup.json.tmp`;
    // Left by a crash; or a link, which would be followed.
    await Deno.remove(draft).catch(() => {});
    await Deno.writeTextFile(draft, JSON.stringify(note) + "\n", { createNew: true });
    await Deno.rename(draft, `${store}.backup.json`);
  } catch (error) {
    call.warn(`The time of this backup could not be noted beside the store: ${String(error)}`);
  }
}

async function asFailure(error: unknown): Promise<unknown> {
  const { BackupError } = await import("../../../backup/backup_error.ts");
  const { StoreError } = await import("../../../ports/store_error.ts");
  // A refusal of the command line itself.
  if (error instanceof BackupError && error.cause instanceof CliFailure) return error.cause;
  const isKnown = error instanceof BackupError || error instanceof StoreError;
  return isKnown ? new CliFailure(error.message, { cause: error }) : error;
}

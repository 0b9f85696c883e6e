import { statfs } from "node:fs/promises";
import { dirname } from "@std/path";
import { leftoversIn } from "../backup/draft_folder.ts";
import { snapshotOf } from "../backup/store_rows.ts";
import type { CatalogContent } from "../domain/catalog/catalog.ts";
import { parseCredits } from "../domain/ledger/money.ts";
import { credentialsPath } from "../system/credentials.ts";
import { needsPepper } from "../flows/keys/pepper_book.ts";
import { isThere, lockFile } from "../stores/kv/file.ts";
import { checkWallets } from "../stores/kv/journal/ledger_rows.ts";
import { loadBooks } from "../stores/kv/journal/load.ts";
import { newestSchema } from "../stores/kv/migrate.ts";
import { type Head, HEAD_KEY } from "../stores/kv/rows.ts";
import { readSetting } from "../stores/kv/settings.ts";
import { storedCatalogFindings } from "./check_catalog.ts";
import { failure, type Finding, ok, skipped, warning } from "./finding.ts";
import { reasonOf } from "../system/reason.ts";
import { PAGE_LIMIT } from "../admin_api/query_fields.ts";
import type { AnswerOf } from "../admin_api/operations.ts";
import type { DoctorContext, ServiceState } from "./context.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const HOUR_MS = 60 * 60 * 1_000;
const GIGABYTE = 1024 ** 3;
/** Maximum age of a backup, in milliseconds. */
const BACKUP_AGE_MS = 2 * DAY_MS;
/** Free space below which there is a warning, and below which a failure, in bytes. */
const FREE_SPACE_WARNING = GIGABYTE;
const FREE_SPACE_FAILURE = GIGABYTE / 8;
const OTHERS = 0o077;

/** Checks the store: its file, free space, schema, ledger, pepper and backups. */
export async function storeFindings(
  context: DoctorContext,
  { service, file }: {
    readonly service: ServiceState;
    /** The catalog of the configuration file. */
    readonly file: CatalogContent | undefined;
  },
): Promise<Finding[]> {
  const { store } = context.settings;
  if (store.kind === "postgres") {
    // Its driver is loaded only where it is used.
    const { databaseFindings } = await import("./check_database.ts");
    const isRunning = service.kind === "running";
    return [
      ...await databaseFindings(store.url),
      ...isRunning ? await serviceLedgerFindings(context) : [],
    ];
  }
  return await kvFindings(context, { kvPath: store.path, service, file });
}

async function kvFindings(
  context: DoctorContext,
  { kvPath, service, file }: {
    readonly kvPath: string;
    readonly service: ServiceState;
    readonly file: CatalogContent | undefined;
  },
): Promise<Finding[]> {
  if (kvPath === ":memory:") {
    return [warning("store", "It is in memory: a restart loses all of it", "set SERVICE_STORE")];
  }
  if (/^https?:/.test(kvPath)) return [skipped("store", "It is on another machine")];
  const size = await sizeOf(kvPath);
  const room = await roomFinding(kvPath, size ?? 0);
  const mark = credentialsPath(kvPath);
  if (!size && mark !== undefined && await isThere(mark)) {
    const advice = `\`svc restore\`, or remove "${mark}" to begin with a new store`;
    return [
      failure("store", `It is missing or empty, but "${mark}" shows that it was in use`, advice),
      room,
    ];
  }
  if (size === undefined) {
    const none = skipped("store", `There is none at "${kvPath}" yet: the first start creates it`);
    return [none, room, ...await leftoverFindings(kvPath)];
  }
  return [
    schemaFinding(kvPath),
    room,
    ...await modeFindings(kvPath),
    ...await leftoverFindings(kvPath),
    ...await backupFindings(context, { kvPath, size }),
    ...service.kind === "running"
      ? await serviceLedgerFindings(context)
      : await storedLedgerFindings(context, { kvPath, file }),
  ];
}

function schemaFinding(kvPath: string): Finding {
  try {
    using snapshot = snapshotOf(kvPath);
    const { schema, writtenBy, entries } = snapshot.head;
    const newest = newestSchema();
    const by = writtenBy === undefined ? "" : `, written by svc ${writtenBy}`;
    if (schema > newest) {
      const message = `It has schema ${schema}${by}; this svc reads schemas up to ${newest}`;
      return failure("store", message, "start that version, or restore an older backup");
    }
    const next = schema < newest ? `; the next start brings it to schema ${newest}` : "";
    return ok("store", `Schema ${schema}${by}, ${entries} entries in the journal${next}`);
  } catch (error) {
    return failure("store", reasonOf(error), "restore a backup: `svc restore`");
  }
}

/** Returns the bytes of the store with its write-ahead log; `undefined` when there is none. */
async function sizeOf(kvPath: string): Promise<number | undefined> {
  const file = await Deno.stat(kvPath).catch(() => undefined);
  if (file === undefined) return undefined;
  const wal = await Deno.stat(`${kvPath}-wal`).catch(() => undefined);
  return file.size + (wal?.size ?? 0);
}

async function roomFinding(kvPath: string, size: number): Promise<Finding> {
  let free: number;
  try {
    const disk = await statfs(await nearestFolder(dirname(kvPath)));
    free = disk.bavail * disk.bsize;
  } catch (error) {
    return skipped("disk", `The free space is unknown: ${reasonOf(error)}`);
  }
  const message = `${inGigabytes(free)} free, the store takes ${inGigabytes(size)}`;
  const advice = "free some space: with a full disk every call is answered 503";
  if (free < FREE_SPACE_FAILURE) return failure("disk", message, advice);
  return free < FREE_SPACE_WARNING ? warning("disk", message, advice) : ok("disk", message);
}

async function nearestFolder(path: string): Promise<string> {
  const info = await Deno.stat(path).catch(() => undefined);
  return info !== undefined || dirname(path) === path ? path : await nearestFolder(dirname(path));
}

function inGigabytes(bytes: number): string {
  return bytes < GIGABYTE / 10
    ? `${(bytes / 1024 ** 2).toFixed(1)} MiB`
    : `${(bytes / GIGABYTE).toFixed(1)} GiB`;
}

async function modeFindings(kvPath: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const path of [kvPath, `${kvPath}.admin.json`]) {
    const mode = (await Deno.stat(path).catch(() => undefined))?.mode ?? 0;
    if ((mode & OTHERS) === 0) continue;
    const message = `Other users of this machine may read "${path}"`;
    findings.push(failure("file modes", message, `chmod 600 "${path}"`));
  }
  return findings.length > 0 ? findings : [ok("file modes", "Readable only by their owner")];
}

/** Finds abandoned parts of stores in the clear. */
async function leftoverFindings(kvPath: string): Promise<Finding[]> {
  const leftovers = await leftoversIn(dirname(kvPath)).catch(() => []);
  return leftovers.map((path) =>
    warning("restore", `A killed restore left "${path}"`, `rm -r "${path}"`)
  );
}

async function backupFindings(
  { nowMs }: DoctorContext,
  { kvPath, size }: { readonly kvPath: string; readonly size: number },
): Promise<Finding[]> {
  const advice = "run `svc backup` from a timer (docs/deployment.md)";
  let note: { readonly takenAt?: unknown; readonly storeBytes?: unknown };
  try {
    note = Object(JSON.parse(await Deno.readTextFile(`${kvPath}.backup.json`)));
  } catch {
    return [warning("backup", "No backup is known", advice)];
  }
  const ageMs = nowMs - Date.parse(String(note.takenAt));
  if (Number.isNaN(ageMs)) return [warning("backup", "No backup is known", advice)];
  const age = `The last is ${Math.floor(ageMs / HOUR_MS)} hours old`;
  const grown = ageMs < HOUR_MS || typeof note.storeBytes !== "number"
    ? ""
    : `; since then the store grew by ${inGigabytes(growth(size, note.storeBytes, ageMs))} a day`;
  return [
    ageMs > BACKUP_AGE_MS ? warning("backup", age + grown, advice) : ok("backup", age + grown),
  ];
}

function growth(size: number, before: number, ageMs: number): number {
  return Math.max(0, size - before) * DAY_MS / ageMs;
}

/** Checks each wallet of the running service on its own. */
async function serviceLedgerFindings({ ask }: DoctorContext): Promise<Finding[]> {
  try {
    const wrong: string[] = [];
    let count = 0;
    let cursor: string | undefined;
    do {
      const query = { limit: String(PAGE_LIMIT), cursor };
      const page: AnswerOf<"GET /wallets"> = await ask("GET /wallets", { query });
      for (const wallet of page.wallets) if (!isEven(wallet)) wrong.push(wallet.id);
      count += page.wallets.length;
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    return [booksFinding(wrong, `${count} wallets balance`), await servicePepperFinding(ask)];
  } catch (error) {
    return [failure("books", reasonOf(error), "run `svc ledger verify`")];
  }
}

async function servicePepperFinding(ask: DoctorContext["ask"]): Promise<Finding> {
  const { current, previous } = await ask("GET /pepper");
  const where = current.kept
    ? "The store holds it, and so do backups"
    : "It comes from SERVICE_KEY_PEPPER";
  if (previous === null) return ok("pepper", where);
  const message = `${where}; keys still use the previous one`;
  return warning("pepper", message, "`svc pepper show` lists them");
}

function isEven(wallet: AnswerOf<"GET /wallets/{id}">): boolean {
  const { credits: total } = wallet;
  const [credits, available, held, spent] = [total, wallet.available, wallet.held, wallet.spent]
    .map(parseCredits);
  if (credits === undefined || available === undefined) return false;
  return available >= 0n && credits === available + (held ?? 0n) + (spent ?? 0n);
}

function booksFinding(wrong: readonly string[], message: string): Finding {
  if (wrong.length === 0) return ok("books", `${message}; \`svc ledger verify\` checks the rest`);
  return failure(
    "books",
    `Wallets that do not balance: ${wrong.join(", ")}`,
    "run `svc ledger verify`",
  );
}

/** Checks the rows of a store without a service, and the end of its journal. */
async function storedLedgerFindings(
  context: DoctorContext,
  { kvPath, file }: { readonly kvPath: string; readonly file: CatalogContent | undefined },
): Promise<Finding[]> {
  const { env } = context;
  let release = () => {};
  try {
    ({ release } = await lockFile(kvPath));
  } catch (error) {
    return [skipped("books", `They cannot be read here: ${reasonOf(error)}`)];
  }
  let kv: Deno.Kv | undefined;
  try {
    const open = kv = await Deno.openKv(kvPath);
    const { value: head, versionstamp } = await open.get<Head>(HEAD_KEY);
    if (head === null || versionstamp === null) {
      return [skipped("books", "The file has no balances")];
    }
    if (head.schema > newestSchema()) {
      return [skipped("books", "Their layout is unknown to this svc")];
    }
    const { books } = await loadBooks(open, { value: head, versionstamp });
    const wallets = await checkWallets(open, books);
    const counted = `${wallets} wallets agree with ${books.holds.size} open holds`;
    const needs = await needsPepper({ get: (name) => readSetting(open, name) });
    return [
      booksFinding([], counted),
      pepperFinding(needs, env("SERVICE_KEY_PEPPER")),
      ...await storedCatalogFindings(context, open, file),
    ];
  } catch (error) {
    return [failure("books", reasonOf(error), "restore a backup: `svc restore`")];
  } finally {
    kv?.close();
    release();
  }
}

function pepperFinding(needs: boolean, pepper: string | undefined): Finding {
  if (!needs) return ok("pepper", "The store holds it, and so do backups");
  if (pepper) return ok("pepper", "It comes from SERVICE_KEY_PEPPER");
  const advice = "set SERVICE_KEY_PEPPER to the pepper of the store's keys";
  return failure("pepper", "The pepper of this store's keys is not set here", advice);
}

/**
 * A backup of a file and a dump of a database have the work of people: operators and their tokens,
 * corrections of every kind, the audit log, and notifications. The restored service shows the same,
 * and goes on with it.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { backUpPlain, restoreTo } from "../../../gateway/backup/backup_fixture.ts";
import type { StorePlace } from "../../../gateway/system/store_place.ts";
import { dumpTo, restoreDump } from "../../fixtures/documented_dump.ts";
import { newDatabase, postgresBin, startPostgres } from "../../fixtures/postgres.ts";
import { TestService, until } from "../../fixtures/service.ts";
import { svcOn } from "../../fixtures/svc.ts";
import { HookServer } from "../notify/receivers.ts";

const HELLO = { messages: [{ role: "user", content: "Say hello" }] };
/** Corrections of more than 500 credits wait. */
const APPROVAL_MICROS = 500_000_000n;

/** Names and secrets that the restored service must know. */
interface Work {
  readonly token: string;
  readonly logId: string;
  readonly wallets: readonly string[];
  readonly key: { readonly id: string; readonly key: string };
}

function start(store: StorePlace): Promise<TestService> {
  const settings = { store, approvalMicros: APPROVAL_MICROS, notifyHosts: ["127.0.0.1"] };
  return TestService.start({ settings });
}

/** Runs a command as an operator; returns its JSON. */
async function svcJson(
  service: TestService,
  args: readonly string[],
  token?: string,
): Promise<Record<string, never>> {
  const env = token === undefined ? {} : { SERVICE_ADMIN_TOKEN: token };
  const { code, out, err } = await svcOn(service, [...args, "--json"], { env });
  assertEquals([code, err], [0, ""], args.join(" "));
  return JSON.parse(out);
}

/** Two operators, a correction of each kind, one that was approved, one that waits, an incident. */
async function work(service: TestService, hooks: HookServer): Promise<Work> {
  const kim = await service.admin("POST", "/operators", { name: "Kim", role: "billing" });
  const { token } = await service.admin("POST", `/operators/${kim.id}/tokens`, { name: "Laptop" });
  const lee = await service.admin("POST", "/operators", { name: "Lee", role: "viewer" });
  await service.admin("POST", `/operators/${lee.id}/disable`);
  await service.admin("POST", "/notify/targets", {
    ...{ name: "Ops", kind: "webhook", url: hooks.url("/web") },
  });
  const key = await service.newKey({ credits: "1000" });
  const { wallet } = key;
  for (const id of ["other", "gone"]) {
    await service.admin("POST", "/wallets", { id, credits: "100" });
  }
  await (await service.chat(HELLO, { key: key.key })).text();
  const { id: logId } = await service.lastRequest();
  const note = { note: "Counted" };
  const kims = (...args: string[]) => svcJson(service, [...args, "--note", "Kim"], String(token));
  await kims("wallets", "debit", wallet, "5");
  await kims("requests", "refund", logId);
  const { available } = await svcJson(service, ["wallets", "show", "other"]);
  await kims("wallets", "adjust", "other", "90", "--expected", String(available));
  await kims("wallets", "tier", "other", "premium");
  await kims("wallets", "close", "gone", "--expected", "100");
  await service.admin("POST", `/keys/${key.id}/move`, { wallet: "other", ...note });
  const big = { credits: "600", note: "Twice" };
  await service.admin("POST", `/wallets/${wallet}/debit`, { ...big, opId: "big" });
  await svcJson(service, ["corrections", "approve", "big"], String(token));
  await service.admin("POST", `/wallets/default/debit`, { ...big, opId: "waits" });
  await service.admin("POST", "/backups/reports", { problem: "The disk is full" });
  await until(async () => {
    const { deliveries } = await service.admin("GET", "/notify/deliveries?state=delivered");
    return Object(deliveries).length === 1;
  }, "the delivery");
  return { token: String(token), logId, wallets: [wallet, "other", "gone", "default"], key };
}

/** Returns what the service shows of all that. */
async function shown(
  service: TestService,
  { wallets, key }: Work,
): Promise<Record<string, unknown>> {
  const paths = [
    ...["/operators", "/corrections", "/corrections/big", "/corrections/waits", "/wallets"],
    ...wallets.map((id) => `/wallets/${id}/statement`),
    ...["/audit?limit=100", "/audit/verify", `/keys/${key.id}`],
    ...["/notify/targets", "/notify/incidents", "/notify/deliveries", "/requests"],
  ];
  const answers: Record<string, unknown> = {};
  for (const path of paths) answers[path] = await service.admin("GET", path);
  // The end of a database's chain moves with the sessions of its instances.
  const { head: _, segments: __, ...verified } = await service.admin("GET", "/ledger/verify");
  return { ...answers, verified };
}

/** The restored service repeats nothing, knows its operators, and refuses what was closed. */
async function goOn(service: TestService, { token, logId, wallets, key }: Work): Promise<void> {
  const [wallet = ""] = wallets;
  const before = await service.wallet(wallet);
  await svcJson(service, ["requests", "refund", logId, "--note", "Again"], token);
  const big = { credits: "600", note: "Twice", opId: "big" };
  await service.admin("POST", `/wallets/${wallet}/debit`, big);
  assertEquals(await service.wallet(wallet), before);
  await svcJson(service, ["corrections", "approve", "waits"], token);
  const response = await service.chat(HELLO, { key: key.key });
  assertEquals(response.status, 200);
  await response.text();
  assertEquals((await service.lastRequest()).walletId, "other");
  const credit = await svcOn(service, ["wallets", "credit", "gone", "1"]);
  assertEquals(credit.code, 1, credit.out);
  const verified = await svcOn(service, ["ledger", "verify"]);
  assertEquals(verified.code, 0, verified.err);
  assertEquals((await svcOn(service, ["audit", "verify"])).code, 0);
  await service.assertBooks();
}

/** Works on a store, restores it elsewhere, and compares. */
async function restores(
  store: StorePlace,
  restored: () => Promise<StorePlace>,
): Promise<void> {
  await using hooks = new HookServer();
  let done: Work;
  let expected: Record<string, unknown>;
  {
    await using service = await start(store);
    done = await work(service, hooks);
    expected = await shown(service, done);
    const statements = done.wallets.map((id) => expected[`/wallets/${id}/statement`]);
    const kinds = JSON.stringify(statements).match(/"(?:debit|adjust|tier|close|move|refund)"/g);
    assertEquals(new Set(kinds).size, 6, "Statements have each kind of correction");
    assertEquals(Object(expected["/corrections/big"]).state, "approved");
    assertEquals(Object(expected["/corrections/waits"]).state, "waiting");
  }
  await using service = await start(await restored());
  assertEquals(await shown(service, done), expected);
  await goOn(service, done);
}

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc_people_" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a backup of a file has operators, corrections, the audit log and notifications", async () => {
  await withFolder(async (folder) => {
    const place = { folder, kv: join(folder, "svc.kv"), file: join(folder, "svc.backup") };
    await restores({ kind: "kv", path: place.kv }, async () => {
      await backUpPlain(place);
      const path = join(folder, "restored.kv");
      await restoreTo(path, place);
      return { kind: "kv", path };
    });
  });
});

const bin = await postgresBin();
if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("a dump of a database has operators, corrections, the audit log and notifications", async () => {
    await withFolder(async (folder) => {
      await using server = await startPostgres(bin);
      const { url: store } = await newDatabase(server);
      await restores({ kind: "postgres", url: store }, async () => {
        const options = { store, folder, bin };
        await dumpTo(options);
        return { kind: "postgres", url: await restoreDump(options) };
      });
    });
  });
}

/**
 * The ledger in PostgreSQL under contention: one wallet, three processes with 100 callers each.
 *
 * @module
 */

import { connect } from "../../../gateway/stores/postgres/connection.ts";
import { openPostgresStores } from "../../../gateway/stores/postgres/open.ts";
import { systemClock } from "../../../gateway/system/clock.ts";
import { newDatabase, postgresBin, startPostgres } from "../../fixtures/postgres.ts";
import { percentile } from "../load.ts";
import { type Finding, instancesWalletFindings, type WalletRate } from "../marks.ts";
import { asTask, expectLine, type Running, start } from "../process.ts";
import { processorTime } from "./database_load.ts";
import { noPostgres } from "./no_postgres.ts";
import type { WalletTimes } from "./wallet_process.ts";

const INSTANCES = 3;
const CALLERS = 100;
const WALLET = "one";

/** The duration of a measurement. */
export interface InstancesWallet {
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly say: (text: string) => void;
}

/** Measures in rounds, and verifies the books afterwards. */
export async function instancesWallet(options: InstancesWallet): Promise<Finding[]> {
  const bin = await postgresBin();
  if (bin === undefined) return [noPostgres("one wallet, three instances")];
  await using server = await startPostgres(bin);
  const { url } = await newDatabase(server);
  await openWallet(url);
  const flags = await asTask();
  await using stack = new AsyncDisposableStack();
  const instances = Array.from(
    { length: INSTANCES },
    (_, at) =>
      stack.use(
        start("tests/bench/instances/wallet_process.ts", [url, `${CALLERS}`, `${at}`], flags),
      ),
  );
  for (const instance of instances) await expectLine(instance, /^ready$/);
  const serverPid = await server.pid();
  const rates = await rounds(instances, { ...options, serverPid });
  await stack.disposeAsync();
  await assertBooks(url);
  return instancesWalletFindings(rates, { instances: INSTANCES, callers: INSTANCES * CALLERS });
}

async function openWallet(url: string): Promise<void> {
  const stores = await openPostgresStores(url, { clock: systemClock });
  const atMs = Date.now();
  await stores.ledger.open({ kind: "open", walletId: WALLET, tier: "standard", atMs });
  const payment = { opId: "seed", walletId: WALLET, amount: 10n ** 17n, note: "" };
  await stores.ledger.credit({ kind: "credit", ...payment, atMs });
  await stores.close();
}

async function rounds(
  instances: readonly Running[],
  { rounds, roundSeconds, serverPid, say }: InstancesWallet & { readonly serverPid: number },
): Promise<WalletRate[]> {
  const rates: WalletRate[] = [];
  const pids = instances.map(({ pid }) => pid);
  // The first round warms up and does not count.
  for (let round = 0; round <= rounds; round++) {
    const before = await processorTime(pids, serverPid);
    for (const instance of instances) await instance.say(`${roundSeconds}`);
    const all: WalletTimes[] = [];
    for (const instance of instances) all.push(JSON.parse(await instance.line()));
    const after = await processorTime(pids, serverPid);
    const rate = rateOf(all);
    const micros = (part: "gateways" | "server") =>
      (1e6 * (after[part] - before[part]) / all.flatMap(({ times }) => times).length).toFixed(0);
    say(
      `one wallet, ${round === 0 ? "warm-up" : `round ${round} of ${rounds}`}: ` +
        `${rate.operationsPerSecond.toFixed(0)}/s, p50 ${rate.p50Ms.toFixed(1)}, ` +
        `p99 ${rate.p99Ms.toFixed(1)} ms, ${rate.batchSize.toFixed(0)} in a batch; ` +
        `CPU of one: ${micros("gateways")} us of instances, ${micros("server")} us of PostgreSQL`,
    );
    if (round > 0) rates.push(rate);
  }
  return rates;
}

function rateOf(all: readonly WalletTimes[]): WalletRate {
  const times = all.flatMap(({ times }) => times).map((hundredths) => hundredths / 100);
  const sum = (read: (one: WalletTimes) => number) =>
    all.reduce((total, one) => total + read(one), 0);
  return {
    operationsPerSecond: sum(({ times, seconds }) => times.length / seconds),
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    batchSize: sum(({ operations }) => operations) / sum(({ batches }) => batches),
  };
}

/** The books are recomputed from the journal, and nothing is held any more. */
async function assertBooks(url: string): Promise<void> {
  const stores = await openPostgresStores(url, { clock: systemClock });
  const { problems } = await stores.verify();
  await stores.close();
  const sql = connect(url, { max: 1 });
  const held = await sql`select from wallet where held <> 0`;
  await sql.end();
  if (problems.length > 0) throw new Error(`The journal has errors: ${problems}`);
  if (held.length > 0) throw new Error("There are holds that nobody has ended");
}

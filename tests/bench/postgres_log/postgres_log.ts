/**
 * A request log of a million rows and 100,000 keys in PostgreSQL: the time of each kind of page, of the
 * operator's API and of the console, and of a look for a key beside an empty database.
 *
 * @module
 */

import { cursorAt } from "../../../gateway/stores/kv/row_cursor.ts";
import { connect } from "../../../gateway/stores/postgres/connection.ts";
import { migrate } from "../../../gateway/stores/postgres/migrate.ts";
import { openPostgresStores } from "../../../gateway/stores/postgres/open.ts";
import { systemClock } from "../../../gateway/system/clock.ts";
import { newDatabase, postgresBin, startPostgres } from "../../fixtures/postgres.ts";
import { consoleVisitor } from "../console_pages.ts";
import { noPostgres } from "../instances/no_postgres.ts";
import { median, percentile } from "../load.ts";
import { type Finding, keyLookupFindings } from "../marks.ts";
import { asTask, expectLine, start } from "../process.ts";
import { askerOf, logPages, measured } from "../request_log.ts";
import { digestOf, fillKeys, fillLog, FIRST_KEY_MS, keyIdOf } from "./fill.ts";

const TOKEN = "svc_bench_admin_of_no_worth_0123456789";
const KEY = "svc_bench_key_of_no_worth_0123456789";
const KEYS = 100_000;
const LOOKUPS = 2_000;
/** Lookups on either database before the other has its turn. */
const TURN = 50;

/** The size of the log. */
export interface PostgresLog {
  readonly logRows: number;
  readonly say: (text: string) => void;
}

/** Fills a database, serves it, and asks for its pages. */
export async function postgresLog({ logRows, say }: PostgresLog): Promise<Finding[]> {
  const bin = await postgresBin();
  if (bin === undefined) return [noPostgres("a log of a million rows")];
  await using server = await startPostgres(bin);
  const [filled, empty] = [await newDatabase(server), await newDatabase(server)];
  for (const { url } of [filled, empty]) {
    const sql = connect(url, { max: 1 });
    await migrate(sql);
    await sql.end();
  }
  const startMs = performance.now();
  await fillLog(filled.url, logRows);
  // The first start makes the pepper, without which a store with keys is refused.
  await (await startGateway(filled.url))[Symbol.asyncDispose]();
  await fillKeys(filled.url, KEYS);
  await fillKeys(empty.url, 1);
  say(`filled: ${logRows} rows, ${KEYS} keys in ${seconds(startMs)} s`);
  const findings = await pages(filled.url, { logRows, say });
  return [...findings, ...await keyLookups(filled.url, empty.url)];
}

async function pages(databaseUrl: string, { logRows, say }: PostgresLog): Promise<Finding[]> {
  await using gateway = await startGateway(databaseUrl);
  const { url } = gateway;
  const ask = askerOf(url, TOKEN);
  const visit = await consoleVisitor(url, TOKEN);
  const what = `PostgreSQL, ${KEYS} keys`;
  const opened = { isEmpty: false, isCut: false };
  const middle = encodeURIComponent(cursorAt([FIRST_KEY_MS + KEYS * 500, keyIdOf(KEYS / 2)]));
  const last = encodeURIComponent(cursorAt([FIRST_KEY_MS + 10_000, keyIdOf(10)]));
  const paths = {
    "first page": ["/keys", "/keys?limit=500", "/keys?sort=created"],
    "a middle page, the last page": [`/keys?cursor=${middle}`, `/keys?cursor=${last}`],
    "a name": [`/keys?q=service%20${KEYS / 2}`, `/keys?q=${keyIdOf(7)}`, "/keys?q=team%20299"],
    "nothing found": ["/keys?q=none-such", "/keys?wallet=nobody"],
    "a state": ["/keys?state=revoked", "/keys?state=disabled", "/keys?state=expired"],
    "a wallet": ["/keys?wallet=w_17", "/keys?wallet=w_17&q=service%2017&state=active"],
    "one key": [`/keys/${keyIdOf(7)}`],
  };
  const api = await measured({ what, say }, paths, async (path) => {
    await ask(path);
    return opened;
  });
  const shown = await measured({ what, say }, {
    "console, lists and searches": [
      ...paths["first page"],
      ...paths["a name"],
      ...paths["a state"],
    ],
    "console, nothing found": paths["nothing found"],
    "console, one key": paths["one key"],
  }, async (path) => {
    await visit(path);
    return opened;
  });
  const log = await logPages({ url, token: TOKEN, what: `PostgreSQL, log of ${logRows}`, say });
  return [...log, ...api, ...shown];
}

/** Starts a service; its address for operators. */
async function startGateway(databaseUrl: string): Promise<{ url: string } & AsyncDisposable> {
  const { flags, env } = await asTask();
  const store = { SERVICE_STORE: databaseUrl, SERVICE_ADMIN_TOKEN: TOKEN };
  const gateway = start("gateway/main.ts", [
    ...["serve", "--port", "0", "--admin-port", "0", "--config", "", "--bootstrap-key", KEY],
  ], { flags, env: { ...env, ...store } });
  const url = await expectLine(gateway, /^ +admin +(http:\S+)/);
  return { url, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}

/** Looks for keys by their digests, past all memory, on both databases in turn. */
async function keyLookups(filledUrl: string, emptyUrl: string): Promise<Finding[]> {
  const filled = await openPostgresStores(filledUrl, { clock: systemClock });
  const empty = await openPostgresStores(emptyUrl, { clock: systemClock });
  const sides = [{ stores: filled, keys: KEYS }, { stores: empty, keys: 1 }].map((side) => ({
    ...side,
    times: new Array<number>(),
  }));
  // The first turns warm up.
  for (let turn = -4; turn * TURN < LOOKUPS; turn++) {
    for (const { stores, keys, times } of sides) {
      for (let at = 0; at < TURN; at++) {
        // A step through all keys that comes to none of them twice; none of these is revoked.
        const n = keys === 1 ? 0 : ((turn + 4) * TURN + at) * 7_919 % (keys / 10) * 10;
        const startMs = performance.now();
        const key = await stores.keys.findByDigest(digestOf(n));
        if (turn >= 0) times.push(performance.now() - startMs);
        if (key === undefined) throw new Error("Cannot measure: a key was not found");
      }
    }
  }
  for (const { stores } of sides) await stores.close();
  const [many = [], few = []] = sides.map(({ times }) => times);
  return keyLookupFindings({
    keys: KEYS,
    many: { p50Ms: median(many), p99Ms: percentile(many, 0.99) },
    one: { p50Ms: median(few), p99Ms: percentile(few, 0.99) },
  });
}

function seconds(startMs: number): string {
  return ((performance.now() - startMs) / 1_000).toFixed(0);
}

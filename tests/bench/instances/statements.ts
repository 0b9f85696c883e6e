/**
 * Counts the statements and round trips of one instance.
 *
 * @module
 */

import { connect } from "../../../gateway/stores/postgres/connection.ts";
import { CountingProxy } from "./counting_proxy.ts";

/** Counts of one request; those of the background, some a second, are in them. */
export interface Counts {
  readonly callers: number;
  readonly statements: number;
  readonly roundTrips: number;
}

type Count = (work: () => Promise<number>) => Promise<Omit<Counts, "callers">>;

/**
 * Calls a function with the URL of a proxy before a database whose statements the server counts, and
 * a function that counts during work, which returns its number of requests.
 */
export async function countStatements<T>(
  url: string,
  work: (proxyUrl: string, count: Count) => Promise<T>,
): Promise<T> {
  const target = new URL(url);
  const sql = connect(url, { max: 1 });
  const name = target.pathname.slice(1);
  await sql.unsafe("create extension pg_stat_statements");
  await sql.unsafe(`alter database ${name} set pg_stat_statements.track = 'top'`);
  await sql.end();
  // Connections from before that are not counted.
  const counter = connect(url, { max: 1 });
  await counter.unsafe("set pg_stat_statements.track = 'none'");
  const statements = async () => {
    const [row] = await counter<{ calls: bigint }[]>`
      select coalesce(sum(calls), 0)::bigint as calls from pg_stat_statements s
      join pg_database d on d.oid = s.dbid where d.datname = ${name}
    `;
    return Number(row?.calls ?? 0);
  };
  using proxy = new CountingProxy(Number(target.port));
  target.port = `${proxy.port}`;
  try {
    return await work(target.href, async (load) => {
      const [before, trips] = [await statements(), proxy.roundTrips];
      const requests = await load();
      return {
        statements: (await statements() - before) / requests,
        roundTrips: (proxy.roundTrips - trips) / requests,
      };
    });
  } finally {
    await counter.end();
  }
}

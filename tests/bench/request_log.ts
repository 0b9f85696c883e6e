/**
 * A request log of a million rows: how long each kind of page takes, of the operator's API and of the
 * console.
 *
 * @module
 */

import { join } from "@std/path";
import { consolePages, consoleVisitor } from "./console_pages.ts";
import { type Finding, pageFinding } from "./marks.ts";
import { asTask, expectLine, residentMegabytes, start } from "./process.ts";

const TOKEN = "svc_bench_admin_of_no_worth_0123456789";
const ROUNDS = 20;

/** The number of rows, and the folder for them. */
export interface RequestLogBench {
  readonly folder: string;
  readonly logRows: number;
  readonly say: (text: string) => void;
}

/** Asks for a path below `/admin/v1`. */
export type Ask = (path: string) => Promise<Record<string, unknown>>;

/** Fills a store, serves it, and asks for its pages. */
export async function requestLog({ folder, logRows, say }: RequestLogBench): Promise<Finding[]> {
  const path = join(folder, "log.kv");
  {
    await using filling = start("tests/bench/fill_log_process.ts", [path, `${logRows}`]);
    say(`log: ${await expectLine(filling, /^bytes .*/, FILL_TIMEOUT_MS)}`);
    await expectLine(filling, /^filled/);
  }
  const { flags, env } = await asTask();
  await using gateway = start("gateway/main.ts", [
    ...["serve", "--port", "0", "--admin-port", "0", "--config", ""],
    ...["--kv-path", path],
  ], { flags, env: { ...env, SERVICE_ADMIN_TOKEN: TOKEN } });
  const url = await expectLine(gateway, /^ +admin +(http:\S+)/);
  const rest = await residentMegabytes(gateway.pid);
  const findings = await logPages({ url, token: TOKEN, what: `log of ${logRows}`, say });
  const after = await residentMegabytes(gateway.pid);
  say(`log: gateway with ${rest?.toFixed(0) ?? "?"} MB at rest, ${after?.toFixed(0) ?? "?"} then`);
  return findings;
}

/** A service whose log has rows of 29 days, and the name of that log. */
export interface MeasuredLog {
  readonly url: string;
  readonly token: string;
  readonly what: string;
  readonly say: (text: string) => void;
}

/** Asks for the pages of a log, of the operator's API and of the console. */
export async function logPages({ url, token, what, say }: MeasuredLog): Promise<Finding[]> {
  const ask = askerOf(url, token);
  const rows = await knownRows(ask);
  const findings = await measured({ what, say }, apiPages(rows), async (path) => {
    const { requests, cursor } = await ask(path);
    return { isEmpty: JSON.stringify(requests) === "[]", isCut: typeof cursor === "string" };
  });
  const visit = await consoleVisitor(url, token);
  const visited = await measured({ what, say }, consolePages(rows), async (path) => {
    const page = await visit(path);
    const isEmpty = !page.includes(String(rows.oldest.requestId));
    return { isEmpty, isCut: page.includes('rel="next"') };
  });
  return [...findings, ...visited];
}

/** Returns a function that asks the operator's API of a service for an answer. */
export function askerOf(url: string, token: string): Ask {
  return async (path) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/admin/v1${path}`, { headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`Cannot measure: ${path} gave ${text}`);
    return JSON.parse(text);
  };
}

/** The result of a page: a search may be cut short before it comes to the row. */
export interface Opened {
  readonly isEmpty: boolean;
  readonly isCut: boolean;
}

/** Opens each address in turn, again and again. */
export async function measured(
  { what, say }: Pick<RequestLogBench, "say"> & { readonly what: string },
  pages: Readonly<Record<string, readonly string[]>>,
  open: (path: string) => Promise<Opened>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, paths] of Object.entries(pages)) {
    const times: number[] = [];
    let cut = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const startMs = performance.now();
      const { isEmpty, isCut } = await open(paths[round % paths.length] ?? "");
      times.push(performance.now() - startMs);
      if (!name.includes("one row") || !isEmpty) continue;
      if (!isCut) throw new Error(`Cannot measure: ${name} was not found`);
      cut++;
    }
    if (cut > 0) say(`log: ${name} was cut short in ${cut} of ${ROUNDS} rounds`);
    findings.push(pageFinding(`${what}, ${name}`, times));
  }
  return findings;
}

const FILL_TIMEOUT_MS = 900_000;

/** Rows of the log by what is special about them. */
async function knownRows(ask: Ask) {
  const oldest = await firstOf(ask, "/requests?order=oldest&limit=1");
  const newest = await firstOf(ask, "/requests?limit=1");
  const refused = await firstOf(ask, "/requests?order=oldest&limit=1&status=429");
  // Far from either end.
  // A search ends after a time, with or without rows; it then says where it goes on.
  let deep = await ask("/requests?until=15d&limit=50");
  while (deep.start === null) deep = await ask(`/requests?until=15d&cursor=${deep.cursor}`);
  return { oldest, newest, refused, deepCursor: String(deep.cursor), start: String(deep.start) };
}

/** Addresses of the operator's API by what they ask for. */
function apiPages(
  { oldest, newest, refused, deepCursor, start }: Awaited<ReturnType<typeof knownRows>>,
): Record<string, readonly string[]> {
  const request = (id: unknown) => encodeURIComponent(String(id));
  return {
    "first page": ["/requests"],
    "500 rows": ["/requests?limit=500"],
    "deep page": [`/requests?cursor=${deepCursor}`, `/requests?order=oldest&cursor=${start}`],
    "nothing found": ["/requests?key=nobody", "/requests?request_id=none", "/requests?q=none-such"],
    "one row, far back": [
      `/requests?request_id=${request(oldest.requestId)}`,
      `/requests?q=${String(oldest.id).slice(6)}`,
    ],
    "rare status": ["/requests?status=504", "/requests?status=504&order=oldest"],
    "rare charge": ["/requests?min_charged=0.030999", "/requests?min_charged=1"],
    "key and model": [`/requests?key=${request(newest.key)}&model=provider%2Fmodel-3`],
    "key and status": [`/requests?key=${request(refused.key)}&status=504`],
    "time far back": ["/requests?since=29d&until=28d", "/requests?since=20d&until=19d&status=429"],
    "oldest first": ["/requests?order=oldest", "/requests?order=oldest&since=10d"],
    "part of an id": [`/requests?q=${String(newest.requestId).slice(-9)}`, "/requests?q=zzzz"],
    "one request": [`/requests/${request(oldest.id)}`, `/requests/${request(newest.id)}`],
    "overview, 30 days": ["/overview?since=30d"],
    "overview, a day": ["/overview?since=24h", "/overview?since=1h"],
  };
}

async function firstOf(ask: Ask, path: string): Promise<Record<string, unknown>> {
  const { requests } = await ask(path);
  const [first] = Array.isArray(requests) ? requests : [];
  if (first === undefined) throw new Error(`Cannot measure: nothing at ${path}`);
  return first;
}

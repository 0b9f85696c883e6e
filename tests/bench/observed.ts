/**
 * Measures the cost of observation: the fast path of an unobserved gateway beside the same gateway with
 * its console loaded and its metrics and overview read every second, and beside it exporting traces by
 * default, where callers ask for a trace of every request, and with all of them traced. One upstream,
 * one load; short rounds in turn.
 *
 * @module
 */

import { join } from "@std/path";
import { configuration } from "./configuration.ts";
import { type BesideMarks, type Finding, OBSERVED_MARKS } from "./marks.ts";
import { asTask, expectLine, type Running, start } from "./process.ts";
import { type Side, type SideBySide, sideBySide } from "./side_by_side.ts";

/** Much more often than Prometheus does. */
const WATCH_MS = 1_000;
const TOKEN = "metrics_token_of_the_bench";
const ADMIN_TOKEN = "admin_token_of_the_bench";
const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/** The measurement, and its processes. */
export interface Observed extends SideBySide {
  readonly folder: string;
  readonly key: string;
}

interface Way {
  readonly name: string;
  /** Variables of a gateway that exports to a collector. */
  readonly env?: Readonly<Record<string, string>>;
  /** Every request has a `traceparent` that asks for a trace. */
  readonly isTracedByCallers?: boolean;
  readonly marks?: BesideMarks;
}

/** Metrics are read by Prometheus, and not exported a second time. */
const PROMETHEUS = { OTEL_DENO_METRICS: "false" };

/** Ways to be watched: the first is what the others are compared with. */
const WAYS: readonly Way[] = [
  { name: "unwatched" },
  // What comes out for this one is the machine's noise.
  { name: "nothing, again" },
  { name: "/metrics and the overview", marks: OBSERVED_MARKS },
  { name: "the same, and traces", env: PROMETHEUS, marks: OBSERVED_MARKS },
  { name: "the same, callers trace all", env: PROMETHEUS, isTracedByCallers: true },
  { name: "the same, and OTLP metrics", env: {} },
  { name: "the same, all traced", env: { SERVICE_TRACE_RATIO: "1" } },
];

/** Measures all ways, in turn. */
export async function observed(options: Observed): Promise<Finding[]> {
  await using stack = new AsyncDisposableStack();
  const upstream = stack.use(start("tests/bench/upstream_process.ts"));
  const sink = stack.use(start("tests/bench/otlp_sink_process.ts"));
  const upstreamUrl = await expectLine(upstream, /^http:\S+/);
  const sinkUrl = await expectLine(sink, /^http:\S+/);
  const sides: Side[] = [];
  for (const [at, way] of WAYS.entries()) {
    const gateway = stack.use(await startWay(options, { at, way, upstreamUrl, sinkUrl }));
    const url = await expectLine(gateway, /^ +public +(http:\S+)/);
    const adminUrl = await expectLine(gateway, /^ +admin +(http:\S+)/);
    const headers: Readonly<Record<string, string>> = way.isTracedByCallers === true
      ? { traceparent: TRACEPARENT }
      : {};
    const { name, marks = {} } = way;
    sides.push({ name, url, pid: gateway.pid, headers, marks });
    if (isWatched(way)) stack.defer(await watchNowAndThen(adminUrl));
  }
  return await sideBySide("observed", sides, options);
}

/** The first two are not. */
function isWatched(way: Way): boolean {
  return WAYS.indexOf(way) > 1;
}

async function startWay(
  { folder, key }: Observed,
  { at, way, upstreamUrl, sinkUrl }: {
    readonly at: number;
    readonly way: Way;
    readonly upstreamUrl: string;
    readonly sinkUrl: string;
  },
): Promise<Running> {
  const config = join(folder, `observed-${at}.json`);
  await Deno.writeTextFile(config, configuration(upstreamUrl));
  const args = [
    ...["--port", "0", "--admin-port", "0", "--config", config, "--bootstrap-key", key],
    ...["--kv-path", join(folder, `observed-${at}.kv`), "--metrics-token", TOKEN],
    ...["--admin-token", ADMIN_TOKEN],
  ];
  const { flags, env } = await asTask();
  if (!isWatched(way)) return start("tests/bench/unwatched_process.ts", args, { flags, env });
  const exporting: Readonly<Record<string, string>> = way.env === undefined ? {} : {
    OTEL_DENO: "true",
    OTEL_DENO_TRACING: "false",
    OTEL_EXPORTER_OTLP_ENDPOINT: sinkUrl,
    ...way.env,
  };
  return start("gateway/main.ts", ["serve", ...args], { flags, env: { ...env, ...exporting } });
}

/** Loads the console, then reads what an open page of it and Prometheus read. The function ends it. */
async function watchNowAndThen(adminUrl: string): Promise<() => Promise<void>> {
  const read = async (path: string, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(adminUrl + path, { headers });
    await response.text();
    if (!response.ok) throw new Error(`Cannot measure: ${path} says ${response.status}`);
  };
  await read("/console/sign-in", TOKEN);
  let under: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    under = Promise.all([
      read("/metrics", TOKEN),
      read("/admin/v1/overview?since=1h", ADMIN_TOKEN),
    ]);
  }, WATCH_MS);
  return async () => {
    clearInterval(timer);
    await under;
  };
}

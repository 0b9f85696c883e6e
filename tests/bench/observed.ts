/**
 * What watching costs: the fast path of a gateway that nobody watches beside the same gateway counted
 * and scraped every second, and beside it with a tenth and with all of its requests traced. One
 * upstream, one load; short rounds in turn.
 *
 * @module
 */

import { join } from "@std/path";
import { configuration } from "./configuration.ts";
import type { LoadAmount, LoadRequest, LoadResult } from "./load.ts";
import { type Finding, observedFindings } from "./marks.ts";
import { expectLine, processorSeconds, type Running, serviceFlags, start } from "./process.ts";

const CONNECTIONS = 32;
/** Much more often than Prometheus does. */
const SCRAPE_MS = 1_000;
/** Short rounds, and many: what else the machine does falls on neighbours alike. */
const ROUND_SECONDS = 0.5;
const TOKEN = "metrics_token_of_the_bench";

/** How long to measure, and with what. */
export interface Observed {
  readonly folder: string;
  readonly key: string;
  /** Together with `roundSeconds` how long each way is measured. */
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
  readonly requestTo: (url: string) => LoadRequest;
  readonly load: (request: LoadRequest, amount: LoadAmount) => Promise<LoadResult>;
  readonly say: (text: string) => void;
}

interface Way {
  readonly name: string;
  /** Variables of a gateway that exports to a collector. */
  readonly env?: Readonly<Record<string, string>>;
  readonly isMarked?: boolean;
}

/** Ways to be watched: the first is what the others are compared with. */
const WAYS: readonly Way[] = [
  { name: "unwatched" },
  // What comes out for this one is the machine's noise.
  { name: "nothing, again" },
  { name: "/metrics", isMarked: true },
  {
    name: "/metrics, 1 % traced",
    env: { SERVICE_TRACE_RATIO: "0.01", OTEL_DENO_METRICS: "false" },
    isMarked: true,
  },
  { name: "/metrics and OTLP metrics, 10 % traced", env: { SERVICE_TRACE_RATIO: "0.1" } },
  { name: "/metrics and OTLP metrics, all traced", env: {} },
];

/** Measures all ways, in turn. */
export async function observed(options: Observed): Promise<Finding[]> {
  const { warmUpSeconds, say } = options;
  const rounds = Math.ceil(options.rounds * options.roundSeconds / ROUND_SECONDS);
  await using stack = new AsyncDisposableStack();
  const upstream = stack.use(start("tests/bench/upstream_process.ts"));
  const sink = stack.use(start("tests/bench/otlp_sink_process.ts"));
  const upstreamUrl = await expectLine(upstream, /^http:\S+/);
  const sinkUrl = await expectLine(sink, /^http:\S+/);
  const gateways: Gateway[] = [];
  for (const [at, way] of WAYS.entries()) {
    const gateway = stack.use(await startWay(options, { at, way, upstreamUrl, sinkUrl }));
    const url = await expectLine(gateway, /^ +public +(http:\S+)/);
    const adminUrl = await expectLine(gateway, /^ +admin +(http:\S+)/);
    gateways.push({ url, pid: gateway.pid });
    if (isWatched(way)) stack.defer(scrapeNowAndThen(adminUrl));
  }
  for (const gateway of gateways) await measure(options, gateway, warmUpSeconds);
  const measured: Measured[][] = WAYS.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, gateway] of gateways.entries()) {
      measured[at]?.push(await measure(options, gateway, ROUND_SECONDS));
    }
    const shown = measured.map((way) => way.at(-1)).map((it) =>
      `${it?.rate.toFixed(0)} (${(it?.cost ?? NaN).toFixed(0)} us)`
    );
    say(`observed round ${round + 1} of ${rounds}: ${shown.join(", ")} a second`);
  }
  return WAYS.flatMap(({ name, isMarked = false }, at) => {
    if (at === 0) return [];
    const ratios = (read: (one: Measured) => number | undefined) =>
      (measured[at] ?? []).flatMap((one, round) => {
        const [here, there] = [read(one), read(measured[0]?.[round] ?? one)];
        return here === undefined || there === undefined ? [] : [here / there];
      });
    const [rates, costs] = [ratios(({ rate }) => rate), ratios(({ cost }) => cost)];
    return observedFindings({ name, rates, costs, isMarked });
  });
}

interface Gateway {
  readonly url: string;
  readonly pid: number;
}

interface Measured {
  /** Requests a second. */
  readonly rate: number;
  /** Processor time a request, in microseconds. */
  readonly cost: number | undefined;
}

async function measure(
  { load, requestTo }: Observed,
  { url, pid }: Gateway,
  seconds: number,
): Promise<Measured> {
  const before = await processorSeconds(pid);
  const result = await load(requestTo(url), { connections: CONNECTIONS, seconds });
  const after = await processorSeconds(pid);
  const cost = before === undefined || after === undefined
    ? undefined
    : (after - before) * 1_000_000 / result.requests;
  return { rate: result.requests / result.seconds, cost };
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
  ];
  const flags = await serviceFlags();
  if (!isWatched(way)) return start("tests/bench/unwatched_process.ts", args, { flags });
  const exporting: Readonly<Record<string, string>> = way.env === undefined ? {} : {
    OTEL_DENO: "true",
    OTEL_DENO_TRACING: "false",
    OTEL_EXPORTER_OTLP_ENDPOINT: sinkUrl,
    ...way.env,
  };
  return start("gateway/main.ts", ["serve", ...args], { flags, env: exporting });
}

/** The function returned ends it. */
function scrapeNowAndThen(adminUrl: string): () => Promise<void> {
  let under: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    under = fetch(`${adminUrl}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
      .then((response) => response.text());
  }, SCRAPE_MS);
  return async () => {
    clearInterval(timer);
    await under;
  };
}

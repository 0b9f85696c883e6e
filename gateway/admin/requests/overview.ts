import { percentile, PERCENTILE_ERROR } from "../../domain/requests/histogram.ts";
import { formatCredits } from "../../domain/ledger/money.ts";
import {
  NO_MODEL,
  OTHERS,
  readEnding,
  type Rollup,
  type Sums,
} from "../../domain/requests/rollup.ts";
import { ServiceFault } from "../../domain/fault.ts";
import type { AnswerOf, CheckedQueryOf } from "../../admin_api/operations.ts";
import { parseTime } from "../../admin_api/query_fields.ts";
import { upstreamsJson } from "../catalog/pool.ts";
import type { AdminDeps } from "../deps.ts";
import { isoTime } from "../json_values.ts";

const DAY_MS = 86_400_000;
/** Maximum number of keys and models that are named; the others are summed. */
const NAMED_MAX = 50;

/** Maximum number of models or keys that are named in each step of the series. */
const GROUPS_MAX = 8;

type Overview = AnswerOf<"GET /overview">;
type SumsJson = Overview["totals"];

/** Returns the sums of the requests of a time, and the state of the upstreams. */
export async function overviewJson(
  query: CheckedQueryOf<"GET /overview">,
  deps: AdminDeps,
): Promise<Overview> {
  const untilMs = query.until ?? deps.clock.nowMs();
  const sinceMs = query.since ?? untilMs - DAY_MS;
  if (sinceMs >= untilMs) {
    throw new ServiceFault("invalid_request", {
      message: "The time must begin before it ends",
      param: "since",
    });
  }
  const stepMs = query.step === undefined ? undefined : -(parseTime(query.step, 0) ?? 0);
  const sums = await deps.log.overview({ sinceMs, untilMs, stepMs });
  const { total } = sums;
  const groups = groupsOf(total, query.by);
  return {
    since: isoTime(sums.sinceMs),
    until: isoTime(sums.untilMs),
    stepMs: sums.stepMs,
    uncounted: sums.uncounted,
    totals: sumsJson(total),
    latency: {
      durationMs: percentilesJson(total.durations),
      firstByteMs: percentilesJson(total.firstBytes),
      errorBound: PERCENTILE_ERROR,
    },
    series: sums.series.map(({ atMs, rollup }) => ({
      at: isoTime(atMs),
      ...sumsJson(rollup),
      durationMs: percentilesJson(rollup.durations),
      firstByteMs: percentilesJson(rollup.firstBytes),
      ...groups(rollup),
    })),
    models: modelsJson(total),
    keys: await keysJson(total, deps),
    endings: endingsJson(total),
    upstreams: upstreamsJson(deps),
  };
}

/** Splits the sums of a step by the models or keys that cost most in the whole time. */
function groupsOf(
  total: Rollup,
  by: "model" | "key" | undefined,
): (step: Rollup) => Pick<Overview["series"][number], "groups"> {
  if (by === undefined) return () => ({});
  const sumsOf = ({ models, keys }: Rollup): ReadonlyMap<string, Sums> =>
    by === "model" ? models : keys;
  const named = dearest(sumsOf(total)).filter(([id]) => id !== OTHERS).slice(0, GROUPS_MAX)
    .map(([id]) => id);
  return (step) => {
    const sums = sumsOf(step);
    const groups = named.flatMap((id) => {
      const own = sums.get(id);
      return own === undefined
        ? []
        : [{ id: id === NO_MODEL ? null : id, others: false, ...sumsJson(own) }];
    });
    const rest = [...sums].filter(([id]) => !named.includes(id)).map(([, each]) => each);
    if (rest.length === 0) return { groups };
    return { groups: [...groups, { id: null, others: true, ...sumsJson(rest.reduce(plus)) }] };
  };
}

function sumsJson(sums: Sums): SumsJson {
  const { requests, failed, refused, disconnected } = sums;
  return {
    requests,
    ok: requests - failed - refused - disconnected,
    errors: failed,
    refused,
    clientLeft: disconnected,
    charged: formatCredits(sums.charged),
    inputTokens: sums.inputTokens,
    cachedInputTokens: sums.cachedInputTokens,
    outputTokens: sums.outputTokens,
  };
}

function percentilesJson(histogram: Rollup["durations"]): Overview["latency"]["durationMs"] {
  const at = (part: number) => percentile(histogram, part) ?? null;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** Sorts by cost, highest first. */
function dearest<T extends Sums>(sums: ReadonlyMap<string, T>): (readonly [string, T])[] {
  return [...sums].sort(([, a], [, b]) =>
    a.charged === b.charged ? b.requests - a.requests : a.charged < b.charged ? 1 : -1
  );
}

function modelsJson({ models }: Rollup): Overview["models"] {
  return dearest(models).map(([model, sums]) => ({
    model: model === NO_MODEL || model === OTHERS ? null : model,
    others: model === OTHERS,
    ...sumsJson(sums),
    durationMs: percentilesJson(sums.durations),
  }));
}

async function keysJson({ keys }: Rollup, deps: AdminDeps): Promise<Overview["keys"]> {
  const sorted = dearest(keys);
  const named = sorted.filter(([key]) => key !== OTHERS).slice(0, NAMED_MAX);
  const rows = await Promise.all(named.map(async ([key, sums]) => ({
    key,
    name: (await deps.keys.get(key))?.name ?? null,
    others: false,
    ...sumsJson(sums),
  })));
  const known = new Set(named.map(([key]) => key));
  const rest = sorted.filter(([key]) => !known.has(key)).map(([, sums]) => sums);
  if (rest.length === 0) return rows;
  return [...rows, { key: null, name: null, others: true, ...sumsJson(rest.reduce(plus)) }];
}

function plus(a: Sums, b: Sums): Sums {
  return {
    requests: a.requests + b.requests,
    refused: a.refused + b.refused,
    failed: a.failed + b.failed,
    disconnected: a.disconnected + b.disconnected,
    charged: a.charged + b.charged,
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}

function endingsJson({ endings }: Rollup): Overview["endings"] {
  return [...endings].sort(([, a], [, b]) => b - a).map(([ending, requests]) => {
    const { outcome, status, errorCode } = readEnding(ending);
    return {
      outcome: ending === OTHERS ? null : outcome,
      status: status === 0 ? null : status,
      errorCode: errorCode === "" ? null : errorCode,
      others: ending === OTHERS,
      requests,
    };
  });
}

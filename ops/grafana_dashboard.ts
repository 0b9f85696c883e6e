/**
 * Prints the Grafana dashboard of the metrics, a JSON document to import: `deno task dashboard`.
 *
 * @module
 */

const GRID_COLUMNS = 24;
/** Labels that the variables of the dashboard select. */
const SCOPE = 'job="$job",instance=~"$instance"';
const DATASOURCE = { type: "prometheus", uid: "${datasource}" };

/** Expressions by the legend of their series. */
type Series = Readonly<Record<string, string>>;

/** A panel without its place in the grid. */
interface Panel {
  readonly type: "stat" | "timeseries";
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly series: Series;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
}

function metric(name: string, labels = ""): string {
  return `${name}{${SCOPE}${labels}}`;
}

function rate(name: string, window = "$__rate_interval"): string {
  return `rate(${metric(name)}[${window}])`;
}

function sum(of: string, by?: string): string {
  return by === undefined ? `sum(${of})` : `sum by (${by}) (${of})`;
}

function hourlyIncrease(name: string, by?: string): string {
  return sum(`increase(${metric(name)}[1h])`, by);
}

function quantile(q: number, histogram: string, by = "le"): string {
  return `histogram_quantile(${q}, ${sum(rate(`${histogram}_bucket`), by)})`;
}

/** A histogram's quantiles, each a series named like `p95`. */
function quantiles(histogram: string, qs: readonly number[]): Series {
  return Object.fromEntries(qs.map((q) => [`p${q * 100}`, quantile(q, histogram)]));
}

/** A single number; red from `redFrom` on. */
function stat(
  title: string,
  unit: string,
  series: Series,
  { width = 4, redFrom }: { width?: number; redFrom?: number } = {},
): Panel {
  const steps = [{ color: "green", value: null }, { color: "red", value: redFrom }];
  const thresholds = { mode: "absolute", steps };
  const defaults = redFrom === undefined ? { unit } : { unit, thresholds };
  return { type: "stat", title, width, height: 4, series, defaults };
}

function timeseries(title: string, unit: string, series: Series, custom: object): Panel {
  return {
    type: "timeseries",
    title,
    width: 8,
    height: 8,
    series,
    defaults: { unit, custom: { ...custom, showPoints: "never" }, min: 0 },
    options: {
      legend: { displayMode: "table", placement: "bottom", calcs: ["lastNotNull", "max"] },
      tooltip: { mode: "multi", sort: "desc" },
    },
  };
}

/** Curves over time. */
function lines(title: string, unit: string, series: Series): Panel {
  return timeseries(title, unit, series, { fillOpacity: 5 });
}

/** Areas on top of each other, which add up to the whole. */
function areas(title: string, unit: string, series: Series): Panel {
  return timeseries(title, unit, series, { fillOpacity: 20, stacking: { mode: "normal" } });
}

const FAILED = `rate(${metric("svc_requests_total", ',status="5xx"')}[$__rate_interval])`;

/** Panels by the title of their row. */
const ROWS: Readonly<Record<string, readonly Panel[]>> = {
  "At a glance": [
    stat("Requests a second", "reqps", { requests: sum(rate("svc_requests_total")) }),
    stat(
      "Failed",
      "percentunit",
      { "5xx": `${sum(FAILED)} / ${sum(rate("svc_requests_total"))}` },
      { redFrom: 0.05 },
    ),
    stat("99th percentile", "s", quantiles("svc_request_duration_seconds", [0.99])),
    stat("Credits an hour", "short", {
      credits: `${sum(rate("svc_charged_credits_total", "1h"))} * 3600`,
    }),
    stat("Models left alone", "short", { open: sum(metric("svc_model_breaker_open")) }, {
      redFrom: 1,
    }),
    stat("Wallets low", "short", { low: sum(metric("svc_wallets_low")) }, { redFrom: 1 }),
  ],
  "Requests": [
    areas("Requests by outcome", "reqps", {
      "{{outcome}} {{status}}": sum(rate("svc_requests_total"), "outcome, status"),
    }),
    areas("Errors by code", "reqps", {
      "{{code}}": sum(rate("svc_request_errors_total"), "code"),
    }),
    areas("Refusals of the listeners", "reqps", {
      "{{listener}} {{code}}": sum(rate("svc_refusals_total"), "listener, code"),
    }),
    lines("Duration", "s", quantiles("svc_request_duration_seconds", [0.5, 0.95, 0.99])),
    lines(
      "First byte of streams",
      "s",
      quantiles("svc_time_to_first_byte_seconds", [0.5, 0.95, 0.99]),
    ),
    lines("In flight and waiting", "short", {
      "in flight": sum(metric("svc_requests_in_flight")),
      "waiting": sum(metric("svc_queue_length")),
    }),
  ],
  "Models and upstreams": [
    areas("Requests by model", "reqps", {
      "{{model}}": sum(rate("svc_requests_total"), "model"),
    }),
    lines("Tokens by type", "short", { "{{type}}": sum(rate("svc_tokens_total"), "type") }),
    areas("Attempts by upstream and outcome", "reqps", {
      "{{upstream}} {{outcome}}": sum(rate("svc_upstream_attempts_total"), "upstream, outcome"),
    }),
    lines("First byte by upstream, 95th percentile", "s", {
      "{{upstream}}": quantile(0.95, "svc_upstream_first_byte_seconds", "le, upstream"),
    }),
    lines("Calls in flight by upstream", "short", {
      "{{upstream}}": sum(metric("svc_upstream_in_flight"), "upstream"),
      "{{upstream}} limit": sum(metric("svc_upstream_in_flight_limit"), "upstream"),
    }),
    lines("Failovers and broken streams", "reqps", {
      "failovers": sum(rate("svc_failovers_total")),
      "{{upstream}} {{outcome}}": sum(
        rate("svc_upstream_broken_streams_total"),
        "upstream, outcome",
      ),
    }),
  ],
  "Learning": [
    lines("Audits by end, an hour", "short", {
      "{{end}}": `${sum(rate("svc_audits_total", "1h"), "end")} * 3600`,
    }),
    lines("Calls of audits by outcome, an hour", "short", {
      "{{outcome}}": `${sum(rate("svc_audit_calls_total", "1h"), "outcome")} * 3600`,
    }),
    areas("Credits of audits by model, an hour", "short", {
      "{{model}}": `${sum(rate("svc_audit_credits_total", "1h"), "model")} * 3600`,
    }),
  ],
  "Money": [
    areas("Credits charged by model, an hour", "short", {
      "{{model}}": `${sum(rate("svc_charged_credits_total"), "model")} * 3600`,
    }),
    lines("Holds", "short", {
      "held credits": sum(metric("svc_held_credits")),
      "open holds": sum(metric("svc_holds_open")),
    }),
    lines("Written off, estimated, refused", "short", {
      "written off, credits an hour": hourlyIncrease("svc_written_off_credits_total"),
      "estimated bills an hour": hourlyIncrease("svc_estimated_bills_total"),
      "{{refusal}} an hour": hourlyIncrease("svc_hold_refusals_total", "refusal"),
    }),
  ],
  "PostgreSQL": [
    lines("Queries by group, 99th percentile", "s", {
      "{{group}}": quantile(0.99, "svc_store_query_duration_seconds", "le, group"),
    }),
    areas("Queries a second by group", "reqps", {
      "{{group}}": sum(rate("svc_store_query_duration_seconds_count"), "group"),
    }),
    areas("Queries in progress by group", "short", {
      "{{group}}": sum(rate("svc_store_query_duration_seconds_sum"), "group"),
    }),
  ],
  "Store and process": [
    lines("Commits", "s", quantiles("svc_store_commit_duration_seconds", [0.5, 0.99])),
    lines("Changes", "short", {
      "a second": sum(rate("svc_store_operations_total")),
      "waiting": sum(metric("svc_store_queue_length")),
      "queries waiting": sum(metric("svc_store_queries_waiting")),
      "failed commits a second": sum(rate("svc_store_commit_failures_total")),
    }),
    lines("Event loop delay", "s", quantiles("svc_event_loop_delay_seconds", [0.5, 0.99])),
    lines("Memory", "bytes", {
      resident: sum(metric("process_resident_memory_bytes")),
      heap: sum(metric("svc_heap_used_bytes")),
    }),
    lines("Processor", "short", { cores: sum(rate("process_cpu_seconds_total")) }),
    areas("Lines of the log", "short", {
      "{{level}} {{event}}": sum(rate("svc_log_lines_total"), "level, event"),
    }),
    stat("Versions", "short", {
      "{{version}} on Deno {{deno}}": metric("svc_build_info"),
      "catalog version": metric("svc_catalog_version"),
    }, { width: 12 }),
    stat("Up", "s", { for: `min(${metric("svc_uptime_seconds")})` }, { width: 6 }),
    stat("Problems in the books", "short", {
      "problems": sum(metric("svc_ledger_problems")),
      "holds not ended": sum(metric("svc_late_endings")),
    }, { width: 6, redFrom: 1 }),
  ],
};

function panelJson({ type, title, series, defaults, options }: Panel) {
  return {
    type,
    title,
    datasource: DATASOURCE,
    fieldConfig: { defaults, overrides: [] },
    targets: Object.entries(series).map(([legendFormat, expr], index) => ({
      expr,
      legendFormat,
      refId: "ABC"[index],
    })),
    ...options === undefined ? {} : { options },
  };
}

/** A panel as Grafana reads it. */
interface PlacedPanel {
  readonly id: number;
  readonly title: string;
  /** Columns and rows of the grid, from its upper left corner. */
  readonly gridPos: Readonly<Record<"h" | "w" | "x" | "y", number>>;
}

/** Places rows below each other, and their panels from left to right, with ids in this order. */
function placedPanels(): PlacedPanel[] {
  const placed: PlacedPanel[] = [];
  let [x, y] = [0, 0];
  const place = (
    panel: { title: string },
    { width: w, height: h }: Pick<Panel, "width" | "height">,
  ) => {
    placed.push({ id: placed.length + 1, ...panel, gridPos: { h, w, x, y } });
    x += w;
    if (x < GRID_COLUMNS) return;
    x = 0;
    y += h;
  };
  for (const [title, panels] of Object.entries(ROWS)) {
    const row = { type: "row", title, collapsed: false, panels: [] };
    place(row, { width: GRID_COLUMNS, height: 1 });
    for (const panel of panels) place(panelJson(panel), panel);
  }
  return placed;
}

const VARIABLES = [
  {
    name: "datasource",
    type: "datasource",
    label: "Data source",
    query: "prometheus",
    current: {},
    hide: 0,
  },
  {
    name: "job",
    type: "query",
    label: "Job",
    datasource: DATASOURCE,
    query: { query: "label_values(svc_build_info, job)", refId: "job" },
    refresh: 2,
    sort: 1,
  },
  {
    name: "instance",
    type: "query",
    label: "Instance",
    datasource: DATASOURCE,
    query: { query: 'label_values(svc_build_info{job="$job"}, instance)', refId: "instance" },
    refresh: 2,
    sort: 1,
    includeAll: true,
    multi: true,
    current: { text: "All", value: "$__all" },
  },
];

/** The dashboard as Grafana imports it. */
export function grafanaDashboard() {
  return {
    title: "Model gateway",
    uid: "svc-gateway",
    tags: ["svc"],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    timezone: "browser",
    templating: { list: VARIABLES },
    annotations: {
      list: [{
        name: "Starts",
        datasource: DATASOURCE,
        enable: true,
        iconColor: "orange",
        expr: `changes(${metric("process_start_time_seconds")}[1m]) > 0`,
        titleFormat: "Start",
      }],
    },
    panels: placedPanels(),
  };
}

if (import.meta.main) console.log(JSON.stringify(grafanaDashboard(), null, 2));

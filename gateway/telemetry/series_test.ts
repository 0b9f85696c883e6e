import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import parsePrometheus from "parse-prometheus-text-format";
import { Counter, Gauge, Histogram, type Metric, OTHER } from "./series.ts";
import { ServiceMetrics } from "./service_metrics.ts";

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly metrics: readonly {
    readonly labels?: Readonly<Record<string, string>>;
    readonly value?: string;
    readonly buckets?: Readonly<Record<string, string>>;
    readonly sum?: string;
    readonly count?: string;
  }[];
}

/** Parses a page with an independent parser. */
function parsed(metric: Metric): Family {
  const [family, ...more]: readonly Family[] = parsePrometheus(metric.text());
  assert(family !== undefined && more.length === 0, metric.text());
  return family;
}

Deno.test("a counter has a line for each of its series", () => {
  const counter = new Counter("calls_total", { help: "Calls.", labels: ["to", "how"] });
  counter.at("a", "well").value += 2;
  counter.at("a", "badly").value++;
  counter.at("a", "well").value++;
  assertEquals(parsed(counter), {
    name: "calls_total",
    help: "Calls.",
    type: "COUNTER",
    metrics: [
      { labels: { to: "a", how: "well" }, value: "3" },
      { labels: { to: "a", how: "badly" }, value: "1" },
    ],
  });
});

Deno.test("a number without labels is reported before its first change", () => {
  assertEquals(parsed(new Counter("n_total", { help: "N." })).metrics, [{ value: "0" }]);
});

Deno.test("a histogram counts up to each bound, the bound itself included", () => {
  const bounds = [1, 2];
  const bare = new Histogram("s", { help: "S.", bounds });
  const labelled = new Histogram("l", { help: "L.", labels: ["of"], bounds });
  for (const value of [0.5, 1, 1.5, 7]) {
    bare.at().observe(value);
    labelled.at("x").observe(value);
  }
  const buckets = { "1": "2", "2": "3", "+Inf": "4" };
  assertEquals(parsed(bare).metrics, [{ buckets, sum: "10", count: "4" }]);
  // The parser mixes the labelled ones.
  assertEquals(labelled.text().split("\n").slice(2), [
    'l_bucket{of="x",le="1"} 2',
    'l_bucket{of="x",le="2"} 3',
    'l_bucket{of="x",le="+Inf"} 4',
    'l_sum{of="x"} 10',
    'l_count{of="x"} 4',
    "",
  ]);
});

Deno.test("a gauge forgets series that are no longer set", () => {
  let names = ["a", "b"];
  const gauge = new Gauge("g", {
    help: "G.",
    labels: ["x"],
    tell: (it) => names.forEach((name, at) => it.set(at, name)),
  });
  assertEquals(parsed(gauge).metrics.length, 2);
  names = ["b"];
  assertEquals(parsed(gauge).metrics, [{ labels: { x: "b" }, value: "0" }]);
});

Deno.test("any value of a label is one line, and comes back as far as it can be shown", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 150 }), (value) => {
    const counter = new Counter("c_total", { help: "C.", labels: ["x"] });
    counter.at(value).value++;
    const lines = counter.text().trimEnd().split("\n");
    assertEquals(lines.length, 3);
    // deno-fmt-ignore
    assert(/^c_total\{x="(?:[^"\\\n]|\\[\\"n])*"\} 1$/u.test(lines[2] ?? ""), lines[2]);
  }));
});

Deno.test("series beyond the maximum are one, other; known ones continue", () => {
  const counter = new Counter("c_total", { help: "C.", labels: ["x", "y"], seriesMax: 4 });
  for (let at = 0; at < 100; at++) counter.at(`${at}`, "y").value++;
  counter.at("1", "y").value++;
  assertEquals(parsed(counter).metrics.map(({ labels, value }) => [labels?.x, value]), [
    ["0", "1"],
    ["1", "2"],
    ["2", "1"],
    [OTHER, "97"],
  ]);
});

Deno.test("a hundred thousand names leave the page as long as a few thousand do", () => {
  const metrics = new ServiceMetrics();
  const page = () => metrics.all.map((metric) => metric.text()).join("");
  const flood = (from: number, to: number) => {
    for (let at = from; at < to; at++) {
      const name = `${'hostile\n"\\'.repeat(30)}${at}`;
      metrics.attempted({ upstream: name, model: name, outcome: "ok", status: 200, ms: 1 });
      metrics.brokeOff({ upstream: name, outcome: "cut" });
      metrics.logged("error", name);
      metrics.holdRefused(name);
      metrics.requestEnded({
        ...ROW,
        routing: { ...ROUTING, model: `${at}${name}`, provider: name },
      });
    }
  };
  flood(0, 5_000);
  const bytes = page().length;
  flood(5_000, 100_000);
  // Only the numbers grow.
  assert(page().length < bytes * 1.01, `${bytes}, then ${page().length}`);
  assert(bytes < 4_000_000, `${bytes}`);
});

const ROUTING = {
  model: "m",
  provider: "p",
  tier: "standard",
  reason: "",
  considered: 1,
  attempts: [],
};
const ROW = {
  id: "log_1",
  requestId: "req_1",
  atMs: 0,
  keyId: "key_1",
  walletId: "w",
  endpoint: "chat",
  stream: true,
  status: 200,
  outcome: "ok",
  durationMs: 5,
  firstByteMs: 2,
  holdIds: [],
  charged: "0.5",
  inputTokens: 1,
  cachedInputTokens: 0,
  outputTokens: 2,
  estimated: false,
} as const;

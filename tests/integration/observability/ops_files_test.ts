/**
 * The dashboard and the alert rules name metrics and labels that there are: each expression is parsed
 * by Prometheus' own grammar, and compared with the page of a service that has met every trouble.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { parser } from "@prometheus-io/lezer-promql";
import { grafanaDashboard } from "../../../ops/grafana_dashboard.ts";
import { read } from "../../architecture/source_files.ts";
import { FakeUpstream, json, sse } from "../../fixtures/fake_upstream.ts";
import { chunkText, completion, labConfig, QUESTION } from "../../fixtures/lab.ts";
import { scrape } from "../../fixtures/prometheus.ts";
import { promtool } from "../../fixtures/promtool.ts";
import { ADMIN_TOKEN, TestService } from "../../fixtures/service.ts";

/** Labels that Prometheus adds to what it scrapes. */
const TARGET_LABELS = ["job", "instance"];
/** Metrics of others. */
const FOREIGN = /^(?:up|node_\w+)$/;

/** The expressions of the alert rules: each stands on a line of its own. */
async function alertExpressions(): Promise<string[]> {
  const text = await read("ops/alerts.yml");
  const expressions = [...text.matchAll(/^ {8}expr: (.+)$/gm)].map(([, expression = ""]) =>
    expression
  );
  assertEquals(expressions.length, text.match(/- alert: /g)?.length);
  return expressions;
}

/** Every text under a name, however deep. */
function* under(name: string, value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (key === name && typeof part === "string") yield part;
    else yield* under(name, part);
  }
}

function dashboardExpressions(): string[] {
  return [...under("expr", grafanaDashboard())]
    .map((text) => text.replaceAll("$__rate_interval", "5m"));
}

/** Returns the names in an expression: metrics with the labels of each, and the labels of all. */
function namesIn(expression: string): { metrics: Map<string, Set<string>>; grouping: Set<string> } {
  const metrics = new Map<string, Set<string>>();
  const grouping = new Set<string>();
  let current = new Set<string>();
  parser.parse(expression).iterate({
    enter: ({ name, type, from, to }) => {
      assert(!type.isError, `${expression} at ${from}: not PromQL`);
      const text = expression.slice(from, to);
      if (name === "VectorSelector") current = new Set();
      if (name === "Identifier") metrics.set(text, current = metrics.get(text) ?? current);
      if (name !== "LabelName") return;
      const before = expression.slice(0, from);
      const isMatcher = before.lastIndexOf("{") > before.lastIndexOf("}");
      (isMatcher ? current : grouping).add(text);
    },
  });
  return { metrics, grouping };
}

/** Labels of each sample's name, with its types and helps. */
function namesOnPage(page: string): { labels: Map<string, Set<string>>; declared: Set<string> } {
  const labels = new Map<string, Set<string>>();
  for (const [, name = "", set = ""] of page.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = labels.get(name) ?? new Set();
    for (const [, label = ""] of set.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label);
    labels.set(name, known);
  }
  const helps = new Set([...page.matchAll(/^# HELP (\w+) \S/gm)].map(([, name = ""]) => name));
  const types = new Set([...page.matchAll(/^# TYPE (\w+) \w+$/gm)].map(([, name = ""]) => name));
  assertEquals(helps, types);
  return { labels, declared: types };
}

/** The page of a service that has met every trouble that has a metric with labels. */
async function fullPage(): Promise<string> {
  await using model = new FakeUpstream();
  await using service = await TestService.start({
    config: labConfig({ id: "one", baseUrl: model.baseUrl }),
  });
  const ask = async (body: Readonly<Record<string, unknown>>, key?: string) => {
    await (await service.chat({ messages: QUESTION, ...body }, key === undefined ? {} : { key }))
      .text();
  };
  model.answer(json(completion()), sse([chunkText({ role: "assistant", content: "a" }), "{"]));
  await ask({});
  await ask({ stream: true });
  await ask({}, "wrong");
  // Of two at once the second finds the wallet empty, or waits.
  const poor = await service.newKey({ credits: "0.5" });
  model.otherwise(json(completion()));
  await Promise.all([1, 2, 3].map(() => ask({}, poor.key)));
  await service.quiet();
  service.running.gateway.logger.error("internal_error");
  return await (await scrape(service.running.adminUrl, ADMIN_TOKEN)).text();
}

Deno.test("alerts and dashboard ask for metrics and labels that there are", async () => {
  const { labels, declared } = namesOnPage(await fullPage());
  for (const name of labels.keys()) {
    assert(declared.has(name.replace(/_(?:bucket|sum|count)$/, "")) || declared.has(name), name);
  }
  const watched = new Set<string>();
  for (const expression of [...await alertExpressions(), ...dashboardExpressions()]) {
    const { metrics, grouping } = namesIn(expression);
    assert(metrics.size > 0, `${expression} asks for no metric`);
    for (const [name, matched] of metrics) {
      if (FOREIGN.test(name)) continue;
      const base = name.replace(/_(?:bucket|sum|count)$/, "");
      watched.add(base);
      const known = labels.get(name);
      // A histogram without observations has its name alone.
      const isDeclared = declared.has(name) || declared.has(base);
      assert(known !== undefined || isDeclared, `${expression}: no metric ${name}`);
      // Of what has not happened the labels are not on the page.
      if (known === undefined) continue;
      for (const label of [...matched, ...grouping]) {
        const isKnown = known.has(label) || TARGET_LABELS.includes(label);
        assert(isKnown, `${expression}: no label ${label} of ${name}`);
      }
    }
  }
  const unwatched = [...declared].filter((name) => !watched.has(name)).toSorted();
  assertEquals(unwatched, UNWATCHED);
});

/** On the page, and neither plotted nor alarmed of. */
const UNWATCHED = [
  "svc_available_credits",
  "svc_ledger_verified_timestamp_seconds",
  "svc_request_log_rows_total",
  "svc_wallets",
  "svc_write_offs_total",
];

Deno.test("namesIn() finds every metric and label of an expression", () => {
  const { metrics, grouping } = namesIn('sum by (a) (rate(m_bucket{b="{c}"}[5m])) / n{d=~"x"}');
  assertEquals([...metrics].map(([name, labels]) => [name, ...labels]), [
    ["m_bucket", "b"],
    ["n", "d"],
  ]);
  assertEquals([...grouping], ["a"]);
});

Deno.test("the dashboard loads nothing from elsewhere, and its panels do not overlap", () => {
  const dashboard = grafanaDashboard();
  assert(!/https?:/.test(JSON.stringify(dashboard)));
  const taken = new Set<string>();
  for (const { title, gridPos: { x, y, w, h } } of dashboard.panels) {
    for (let at = 0; at < w * h; at++) {
      const place = `${x + at % w} ${y + Math.floor(at / w)}`;
      assert(!taken.has(place) && x + w <= 24, `${title} at ${place}`);
      taken.add(place);
    }
  }
});

Deno.test({
  name: "promtool finds nothing wrong with the alert rules",
  ignore: promtool === undefined,
  fn: async () => {
    const path = fromFileUrl(import.meta.resolve("../../../ops/alerts.yml"));
    const checked = await promtool?.(["check", "rules", path], "");
    assert(checked?.code === 0, checked?.output);
  },
});

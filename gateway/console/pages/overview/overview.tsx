import * as ui from "../../components/mod.ts";
import type { InView, Page, Shown, View } from "../../page.ts";
import { FirstCall } from "../requests/first_call.tsx";
import { type Overview, readSplit, type Split } from "./answer.ts";
import { OverviewFigures } from "./figures.tsx";
import { overviewMessages } from "./messages.ts";
import { OverTime } from "./over_time.tsx";
import { RangePicker } from "./range_picker.tsx";
import { ByEnding, ByKey, ByModel } from "./tables.tsx";
import { Upstreams } from "./upstreams.tsx";

const MINUTE_MS = 60_000;
/**
 * Points of a plot: an hour of a day, a quarter of a day of a week. The API keeps sums of such steps, so
 * that an overview is read in tens of them, and not in hundreds.
 */
const POINTS_MAX = 32;
const STEPS_MIN = [1, 2, 5, 10, 30, 60, 180, 360, 720];

/** Requests, spend, errors, latency and tokens over a chosen time, and how the upstreams are. */
export const overviewPage: Page = { path: "/overview", show };

async function show(view: View): Promise<Shown> {
  const say = view.say(overviewMessages);
  const range = ui.readRange(view, "24h");
  const untilMs = range.untilMs ?? view.nowMs;
  const sinceMs = range.sinceMs ?? untilMs - ui.SPANS_MS["24h"];
  const stepMs = stepFor(untilMs - sinceMs);
  const split = readSplit(view);
  // Whole steps, so that no request is in this time and in the one before.
  const fromMs = Math.floor(sinceMs / stepMs) * stepMs;
  const [answer, former] = await Promise.all([
    askFor(view, { sinceMs, untilMs, stepMs, split }),
    askFor(view, { sinceMs: Math.max(0, 2 * fromMs - untilMs), untilMs: fromMs, stepMs }),
  ]);
  if (!answer.ok) {
    const { status, message } = answer.refusal;
    const problem = <ui.Notice kind="problem">{message}</ui.Notice>;
    return { title: say.title, body: <Frame view={view} range={range}>{problem}</Frame>, status };
  }
  const overview = { ...answer.value, split };
  const { totals, uncounted, upstreams } = overview;
  return {
    title: say.title,
    scripts: ["range.js", "fresh.js", "plots.js"],
    body: (
      <Frame view={view} range={range}>
        {uncounted !== 0 && (
          <ui.Notice kind="info">{say.uncounted(ui.countText(uncounted))}</ui.Notice>
        )}
        {totals.requests === 0
          ? <FirstCall view={view} title={say.none} hint={say.noneHint} />
          : (
            <Figures
              view={view}
              overview={overview}
              former={former.ok ? { ...former.value, split } : undefined}
            />
          )}
        <div data-fresh="upstreams">
          <Upstreams view={view} upstreams={upstreams} />
        </div>
        {totals.requests !== 0 && <Sums view={view} overview={overview} />}
      </Frame>
    ),
  };
}

function askFor(
  view: View,
  { sinceMs, untilMs, stepMs, split = "none" }: {
    sinceMs: number;
    untilMs: number;
    stepMs: number;
    split?: Split;
  },
) {
  const [since, until] = [new Date(sinceMs).toISOString(), new Date(untilMs).toISOString()];
  const query = new URLSearchParams({ since, until, step: `${stepMs / MINUTE_MS}m` });
  if (split !== "none") query.set("by", split);
  return view.api.call("GET /overview", { query });
}

/** A step of a round number of minutes that makes few enough points to tell apart. */
function stepFor(spanMs: number): number {
  const minutes = spanMs / MINUTE_MS / POINTS_MAX;
  return (STEPS_MIN.find((step) => step >= minutes) ?? 1_440) * MINUTE_MS;
}

function Frame({ view, range, children }: InView<{ range: ui.TimeRange; children?: unknown }>) {
  const say = view.say(overviewMessages);
  return (
    <>
      <ui.PageHead title={say.title} intro={say.intro} />
      <div class="beside">
        <RangePicker view={view} range={range} />
        {range.untilMs === undefined && (
          <ui.Refresh view={view} everyMs={range.choice === "1h" ? 10_000 : 30_000} />
        )}
      </div>
      {children}
    </>
  );
}

function Figures(
  { view, overview, former }: { view: View; overview: Overview; former: Overview | undefined },
) {
  const say = view.say(overviewMessages);
  const inTime = new URLSearchParams({ range: "24h", ...ui.rangeQuery(view) });
  return (
    <div data-fresh="figures">
      <OverviewFigures view={view} overview={overview} former={former} />
      <p class="beside-figures">
        {former?.totals.requests === 0 && <span class="muted">{`${say.noneBefore} · `}</span>}
        <ui.Time at={overview.since} /> – <ui.Time at={untilOf(view, overview)} />
        {" · "}
        <a href={`/console/requests?${inTime}`}>{say.requestsLink}</a>
      </p>
    </div>
  );
}

/** Sums are kept of whole minutes or hours: the last one may not be over yet. */
function untilOf(view: View, { until }: Overview): string {
  return new Date(Math.min(view.nowMs, Date.parse(until))).toISOString();
}

function Sums({ view, overview }: InView<{ overview: Overview }>) {
  return (
    <>
      <OverTime view={view} overview={overview} />
      <div class="stack" data-fresh="tables">
        <ByModel view={view} rows={overview.models} />
        <ByKey view={view} rows={overview.keys} />
        <ByEnding view={view} rows={overview.endings} all={overview.totals.requests} />
      </div>
    </>
  );
}

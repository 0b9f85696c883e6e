import * as ui from "../../components/mod.ts";
import type { InView, View } from "../../page.ts";
import { type Overview, type Point, SPLITS } from "./answer.ts";
import { overviewMessages } from "./messages.ts";
import { type Plot, type PlotColumn, plotsOf, plotText, totalOf } from "./plots.ts";

/** The page of the requests behind a plot. */
const REQUESTS = "/console/requests";

/**
 * The sums of each step: tables, of which the script makes plots. So both say the same, and one
 * question to the API suffices.
 */
export function OverTime({ view, overview }: InView<{ overview: Overview }>) {
  const say = view.say(overviewMessages);
  const { since, until, stepMs } = overview;
  const plots = plotsOf(view, overview);
  return (
    <ui.Panel title={say.overTime} actions={<SplitSwitch view={view} overview={overview} />}>
      <div class="plots" data-requests={REQUESTS} data-overview={view.url.pathname}>
        {plots.map((plot) => (
          <PlotFigure key={plot.name} view={view} overview={overview} plot={plot} />
        ))}
      </div>
      <div data-fresh="series" data-since={since} data-until={until} data-step={stepMs}>
        <details class="numbers">
          <summary>{say.numbers}</summary>
          <p class="hint">{say.numbersHint(stepText(stepMs, view.language))}</p>
          {plots.map((plot) => (
            <div key={plot.name}>
              <h3>{say.plotted[plot.name]}</h3>
              <ui.Sheet
                name={`series-${plot.name}`}
                caption={say.numbersCaption(say.plotted[plot.name])}
                columns={columnsOf(view, plot, stepMs)}
                rows={overview.series}
              />
            </div>
          ))}
        </details>
      </div>
    </ui.Panel>
  );
}

function SplitSwitch({ view, overview }: InView<{ overview: Overview }>) {
  const say = view.say(overviewMessages);
  const links = SPLITS.map((split) => ({
    text: say.splits[split],
    href: ui.withQuery(view, { by: split === "model" ? null : split }),
    isHere: split === overview.split,
  }));
  return <ui.LinkNav look="switch" label={say.splitBy} links={links} />;
}

/** A plot's name, its sum, the place for the script to draw in, and its colours with their sums. */
function PlotFigure({ view, overview, plot }: InView<{ overview: Overview; plot: Plot }>) {
  const say = view.say(overviewMessages);
  const title = say.plotted[plot.name];
  const shown = plot.columns.map((column) => ({
    column,
    total: totalOf(plot, column.value, overview),
  }));
  const sum = plot.whole === undefined ? null : totalOf(plot, plot.whole, overview);
  return (
    <figure class="plot">
      <figcaption data-fresh={`sum-${plot.name}`}>
        {title}
        {sum !== null && <span class="plot-sum">{plotText(plot.kind, sum)}</span>}
      </figcaption>
      <div
        class="plot-place"
        role="img"
        aria-label={say.summary(title)}
        data-plot={plot.name}
        data-kind={plot.kind}
        data-stacked={plot.isStacked ? "" : undefined}
        data-total={say.total}
        hidden
      >
      </div>
      <ul class="plain legend" data-fresh={`legend-${plot.name}`}>
        {shown.map(({ column, total }) => (
          <li
            data-ink={column.ink}
            data-title={column.title}
            data-filter={new URLSearchParams(column.filter).toString()}
          >
            <i class={`ink ink-${column.ink}`} aria-hidden="true"></i>
            <LegendName view={view} column={column} />
            {total !== null && (
              <data class="number" value={total}>{plotText(plot.kind, total)}</data>
            )}
          </li>
        ))}
      </ul>
    </figure>
  );
}

function LegendName({ view, column: { title, filter } }: InView<{ column: PlotColumn }>) {
  if (filter === undefined) return <span class="legend-name" title={title}>{title}</span>;
  const query = new URLSearchParams({ range: "24h", ...ui.rangeQuery(view), ...filter });
  return <a class="legend-name" title={title} href={`${REQUESTS}?${query}`}>{title}</a>;
}

function columnsOf(view: View, plot: Plot, stepMs: number): readonly ui.Column<Point>[] {
  const say = view.say(overviewMessages);
  const { whole } = plot;
  return [
    ui.column(say.at, ({ at }) => (
      <a href={hrefOfStep(at, stepMs)}>
        <ui.Time at={at} />
      </a>
    ), { isHeader: true }),
    ...plot.columns.map((column): ui.Column<Point> =>
      ui.endColumn(column.title, (point) => <Value plot={plot} value={column.value(point)} />)
    ),
    ...(whole === undefined
      ? []
      : [ui.endColumn(say.total, (point: Point) => <Value plot={plot} value={whole(point)} />)]),
  ];
}

function Value({ plot: { kind }, value }: { plot: Plot; value: number | null }) {
  if (kind === "duration") {
    return (
      <data value={value ?? ""}>
        <ui.Duration ms={value} />
      </data>
    );
  }
  if (kind === "credits") return <ui.Credits amount={(value ?? 0).toFixed(6)} />;
  return <data class="number" value={value ?? ""}>{(value ?? 0).toLocaleString("en-US")}</data>;
}

/** The requests of one step. */
function hrefOfStep(at: string, stepMs: number): string {
  const minute = (ms: number) => new Date(ms).toISOString().slice(0, 16);
  const since = Date.parse(at);
  const query = { range: "own", since: minute(since), until: minute(since + stepMs) };
  return `${REQUESTS}?${new URLSearchParams(query)}`;
}

function stepText(stepMs: number, language: View["language"]): string {
  const [size, unit] = stepMs % 86_400_000 === 0
    ? [86_400_000, "day"]
    : stepMs % 3_600_000 === 0
    ? [3_600_000, "hour"]
    : [60_000, "minute"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" })
    .format(stepMs / size);
}

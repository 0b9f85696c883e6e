import { Credits } from "../../components/credits.tsx";
import { Duration } from "../../components/measures.tsx";
import { Panel } from "../../components/panel.tsx";
import { Sheet, type SheetColumn } from "../../components/sheet.tsx";
import { Time } from "../../components/time.tsx";
import type { View } from "../../page.ts";
import type { Overview, Point } from "./answer.ts";
import { overviewMessages } from "./messages.ts";

/** What is plotted from which columns of the table, by their place. The script reads it there. */
const PLOTS = {
  requests: { columns: [1, 2], kind: "count" },
  latency: { columns: [4, 5, 6], kind: "duration" },
  spend: { columns: [3], kind: "credits" },
  tokens: { columns: [7, 8], kind: "count" },
} as const;

const NAMES = ["requests", "latency", "spend", "tokens"] as const;

/**
 * The sums of each step: a table, of which the script makes plots. So both say the same, and one
 * question to the API suffices.
 */
export function OverTime({ view, found }: { view: View; found: Overview }) {
  const say = view.say(overviewMessages);
  const { since, until, stepMs, series } = found;
  return (
    <Panel title={say.overTime}>
      <div class="plots" data-since={since} data-until={until} data-step={stepMs} hidden>
        {NAMES.map((name) => (
          <figure class="plot">
            <figcaption>{say.plotted[name]}</figcaption>
            <div
              role="img"
              aria-label={say.summary(say.plotted[name])}
              data-columns={PLOTS[name].columns.join(" ")}
              data-kind={PLOTS[name].kind}
            >
            </div>
          </figure>
        ))}
      </div>
      <details class="numbers">
        <summary>{say.numbers}</summary>
        <p class="hint">{say.numbersHint(stepText(stepMs, view.language))}</p>
        <Sheet name="series" caption={say.numbersCaption} columns={columns(view)} rows={series} />
      </details>
    </Panel>
  );
}

function columns(view: View): readonly SheetColumn<Point>[] {
  const say = view.say(overviewMessages);
  const count = (title: string, value: (point: Point) => number): SheetColumn<Point> => ({
    title,
    align: "end",
    cell: (point) => (
      <data class="number" value={value(point)}>{value(point).toLocaleString("en-US")}</data>
    ),
  });
  const time = (title: string, part: "p50" | "p95" | "p99"): SheetColumn<Point> => ({
    title,
    align: "end",
    cell: ({ durationMs }) => (
      <data value={durationMs[part] ?? ""}>
        <Duration ms={durationMs[part]} />
      </data>
    ),
  });
  return [
    { title: say.at, isHeader: true, cell: ({ at }) => <Time at={at} /> },
    count(say.requests, ({ requests }) => requests),
    count(say.failed, ({ errors }) => errors),
    { title: say.spend, align: "end", cell: ({ charged }) => <Credits amount={charged} /> },
    time(say.p50, "p50"),
    time(say.p95, "p95"),
    time(say.p99th, "p99"),
    count(say.tokensIn, ({ inputTokens }) => inputTokens),
    count(say.tokensOut, ({ outputTokens }) => outputTokens),
  ];
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

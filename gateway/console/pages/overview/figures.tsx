import type { Child } from "@hono/hono/jsx";
import * as ui from "../../components/mod.ts";
import type { View } from "../../page.ts";
import type { Overview } from "./answer.ts";
import { overviewMessages } from "./messages.ts";

interface Figure {
  readonly name: string;
  readonly value: Child;
  /** To compare. */
  readonly of: (overview: Overview) => number | null;
  readonly text: (value: number) => string;
  readonly more: string;
}

/** The sums of a time, each beside that of the time before. */
export function OverviewFigures(
  { view, overview, former }: {
    view: View;
    overview: Overview;
    former: Overview | undefined;
  },
) {
  const say = view.say(overviewMessages);
  const figures = figuresOf(view, overview);
  return (
    <div class="overview-figures">
      <ui.Figures
        items={figures.map(({ name, value, of, text, more }) => {
          const before = former === undefined || former.totals.requests === 0 ? null : of(former);
          return {
            name,
            value,
            remark: (
              <>
                <span>{more}</span>
                {before !== null && (
                  <span>{say.before(ui.growthText(of(overview) ?? 0, before), text(before))}</span>
                )}
              </>
            ),
          };
        })}
      />
    </div>
  );
}

function figuresOf(view: View, { totals, latency }: Overview): readonly Figure[] {
  const say = view.say(overviewMessages);
  const { p99 } = latency.durationMs;
  const firstByte = latency.firstByteMs.p50;
  return [
    {
      name: say.requests,
      value: <ui.RoundedCount value={totals.requests} />,
      of: (overview) => overview.totals.requests,
      text: ui.countText,
      more: `${say.refused}: ${ui.countText(totals.refused)}`,
    },
    {
      name: say.failed,
      value: <ui.RoundedCount value={totals.errors} />,
      of: (overview) => overview.totals.errors,
      text: ui.countText,
      more: say.ofAll(ui.percentText(totals.errors, totals.requests)),
    },
    {
      name: say.spend,
      value: <ui.RoundedCredits amount={totals.charged} />,
      of: (overview) => Number(overview.totals.charged),
      text: (value) => ui.roundedCredits(String(value)),
      more: say.credits,
    },
    {
      name: say.latency,
      value: <ui.Duration ms={latency.durationMs.p50} />,
      of: (overview) => overview.latency.durationMs.p50,
      text: ui.durationText,
      more: say.firstByte(firstByte === null ? "–" : ui.durationText(firstByte)),
    },
    {
      name: say.slowest,
      value: <ui.Duration ms={latency.durationMs.p95} />,
      of: (overview) => overview.latency.durationMs.p95,
      text: ui.durationText,
      more: say.p99(p99 === null ? "–" : ui.durationText(p99)),
    },
    {
      name: say.tokens,
      value: <ui.RoundedCount value={totals.inputTokens + totals.outputTokens} />,
      of: (overview) => overview.totals.inputTokens + overview.totals.outputTokens,
      text: ui.countText,
      more: say.inOut(ui.countText(totals.inputTokens), ui.countText(totals.outputTokens)),
    },
  ];
}

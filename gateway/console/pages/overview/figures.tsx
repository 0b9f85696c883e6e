import type { Child } from "@hono/hono/jsx";
import { Duration, RoundedCount, RoundedCredits } from "../../components/measures.tsx";
import {
  countText,
  durationText,
  growthText,
  percentText,
  roundedCredits,
} from "../../components/measures_text.ts";
import { Figures } from "../../components/panel.tsx";
import type { View } from "../../page.ts";
import type { Overview } from "./answer.ts";
import { overviewMessages } from "./messages.ts";

interface Figure {
  readonly name: string;
  readonly value: Child;
  /** To compare. */
  readonly of: (found: Overview) => number | null;
  readonly text: (value: number) => string;
  readonly more: string;
}

/** The sums of a time, each beside that of the time before. */
export function OverviewFigures(
  { view, found, former }: { view: View; found: Overview; former: Overview | undefined },
) {
  const say = view.say(overviewMessages);
  const figures = figuresOf(view, found);
  return (
    <div class="overview-figures">
      <Figures
        items={figures.map(({ name, value, of, text, more }) => {
          const before = former === undefined || former.totals.requests === 0 ? null : of(former);
          return {
            name,
            value,
            remark: (
              <>
                <span>{more}</span>
                {before !== null && (
                  <span>{say.before(growthText(of(found) ?? 0, before), text(before))}</span>
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
      value: <RoundedCount value={totals.requests} />,
      of: (found) => found.totals.requests,
      text: countText,
      more: `${say.refused}: ${countText(totals.refused)}`,
    },
    {
      name: say.failed,
      value: <RoundedCount value={totals.errors} />,
      of: (found) => found.totals.errors,
      text: countText,
      more: say.ofAll(percentText(totals.errors, totals.requests)),
    },
    {
      name: say.spend,
      value: <RoundedCredits amount={totals.charged} />,
      of: (found) => Number(found.totals.charged),
      text: (value) => roundedCredits(String(value)),
      more: say.credits,
    },
    {
      name: say.latency,
      value: <Duration ms={latency.durationMs.p50} />,
      of: (found) => found.latency.durationMs.p50,
      text: durationText,
      more: say.firstByte(firstByte === null ? "–" : durationText(firstByte)),
    },
    {
      name: say.slowest,
      value: <Duration ms={latency.durationMs.p95} />,
      of: (found) => found.latency.durationMs.p95,
      text: durationText,
      more: say.p99(p99 === null ? "–" : durationText(p99)),
    },
    {
      name: say.tokens,
      value: <RoundedCount value={totals.inputTokens + totals.outputTokens} />,
      of: (found) => found.totals.inputTokens + found.totals.outputTokens,
      text: countText,
      more: say.inOut(countText(totals.inputTokens), countText(totals.outputTokens)),
    },
  ];
}

import type { Child } from "@hono/hono/jsx";
import * as ui from "../../components/mod.ts";
import type { InView, View } from "../../page.ts";
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
export function OverviewFigures({ view, overview, former }: InView<{
  overview: Overview;
  former: Overview | undefined;
}>) {
  const say = view.say(overviewMessages);
  const hasFormer = former !== undefined && former.totals.requests > 0;
  const items = figuresOf(view, overview).map(({ name, value, of, text, more }) => {
    const before = hasFormer ? of(former) : null;
    const growth = before === null ? undefined : ui.growthText(of(overview) ?? 0, before);
    const remark = (
      <>
        <span>{more}</span>
        {before !== null && <span>{say.before(growth, text(before))}</span>}
      </>
    );
    return { name, value, remark };
  });
  return (
    <div class="overview-figures">
      <ui.Figures items={items} />
    </div>
  );
}

function figuresOf(view: View, { totals, latency }: Overview): readonly Figure[] {
  const say = view.say(overviewMessages);
  const { p99 } = latency.durationMs;
  const firstByte = latency.firstByteMs.p50;
  const time = (ms: number | null) => ms === null ? "–" : ui.durationText(ms);
  const count = (name: string, more: string, sum: (totals: Overview["totals"]) => number) => ({
    ...{ name, more, of: ({ totals }: Overview) => sum(totals), text: ui.countText },
    value: <ui.RoundedCount value={sum(totals)} />,
  });
  const duration = (name: string, more: string, part: "p50" | "p95") => ({
    ...{ name, more, of: ({ latency }: Overview) => latency.durationMs[part] },
    text: ui.durationText,
    value: <ui.Duration ms={latency.durationMs[part]} />,
  });
  return [
    count(
      say.requests,
      `${say.refused}: ${ui.countText(totals.refused)}`,
      ({ requests }) => requests,
    ),
    count(
      say.failed,
      say.ofAll(ui.percentText(totals.errors, totals.requests)),
      ({ errors }) => errors,
    ),
    {
      ...{ name: say.spend, more: say.credits, of: ({ totals }) => Number(totals.charged) },
      value: <ui.RoundedCredits amount={totals.charged} />,
      text: (value) => ui.roundedCredits(String(value)),
    },
    duration(say.latency, say.firstByte(time(firstByte)), "p50"),
    duration(say.slowest, say.p99(time(p99)), "p95"),
    count(
      say.tokens,
      say.inOut(ui.countText(totals.inputTokens), ui.countText(totals.outputTokens)),
      ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
    ),
  ];
}

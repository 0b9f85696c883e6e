import type { InView } from "../../page.ts";
import * as ui from "../../components/mod.ts";
import type { Quality } from "./answers.ts";
import { routingMessages } from "./messages.ts";

/** An estimated quality with its 95 % interval; a dash where there is none. */
export function QualityText({ view, quality }: InView<{ quality: Quality }>) {
  if (quality === null) return <span class="muted">–</span>;
  const { p, low, high } = quality;
  const { interval } = view.say(routingMessages);
  return (
    <>
      <data class="number" value={p}>{ui.percentText(p, 1)}</data>
      <span class="second">{interval(ui.percentText(low, 1), ui.percentText(high, 1))}</span>
    </>
  );
}

/** The part of the cost of always-best that was saved; a dash where nothing has a price. */
export function Saving({ charged, bestCharged }: { charged: string; bestCharged: string }) {
  const best = Number(bestCharged);
  if (best <= 0) return <span class="muted">–</span>;
  const saved = best - Number(charged);
  const sign = saved < 0 ? "−" : "";
  return <span class="number">{sign}{ui.percentText(Math.abs(saved), best)}</span>;
}

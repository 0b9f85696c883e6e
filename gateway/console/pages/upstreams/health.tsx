import * as ui from "../../components/mod.ts";
import type { InView, View } from "../../page.ts";
import { HEALTH_KINDS, healthOf, type UpstreamState } from "./answers.ts";
import { upstreamMessages } from "./messages.ts";

type Recent = Pick<UpstreamState, "recent">["recent"];

/** An upstream's health, in a word. */
export function HealthBadge(
  { view, upstream }: { view: View; upstream: Pick<UpstreamState, "state" | "recent"> },
) {
  const health = healthOf(upstream);
  return (
    <ui.Badge kind={HEALTH_KINDS[health]}>{view.say(upstreamMessages).states[health]}</ui.Badge>
  );
}

/** The share of the last minutes' attempts that failed, and of how many. */
export function ErrorRate({ view, recent }: InView<{ recent: Recent }>) {
  const { minutes, attempts, failures } = recent;
  const say = view.say(upstreamMessages);
  return (
    <span class="number" title={say.lastMinutes(minutes)}>
      {attempts === 0 ? "–" : (
        <>
          {ui.percentText(failures, attempts)}
          <span class="second">{say.failed(failures, attempts)}</span>
        </>
      )}
    </span>
  );
}

/** The number of requests that went to another model instead, in the last minutes. */
export function Failovers({ view, recent }: InView<{ recent: Recent }>) {
  const { minutes, attempts, failovers } = recent;
  return (
    <span title={view.say(upstreamMessages).failoversHint(minutes)}>
      {attempts === 0 ? "–" : <ui.Count value={failovers} />}
    </span>
  );
}

import * as ui from "../../components/mod.ts";
import type { InView, View } from "../../page.ts";
import { upstreamHref } from "../catalog/addresses.ts";
import { healthOf, type UpstreamHealth, type UpstreamState } from "../upstreams/answers.ts";
import { ErrorRate, Failovers, HealthBadge } from "../upstreams/health.tsx";
import { upstreamMessages } from "../upstreams/messages.ts";
import { overviewMessages } from "./messages.ts";

/** Order of the upstreams; those that need attention come first. */
const RANKS: readonly UpstreamHealth[] = [
  "unavailable",
  "failing",
  "degraded",
  "unsteady",
  "available",
  "unused",
];

/** The present state of the upstreams, whatever time is chosen. */
export function Upstreams({ view, upstreams }: InView<{ upstreams: readonly UpstreamState[] }>) {
  const say = view.say(overviewMessages);
  const own = view.say(upstreamMessages);
  const rank = (upstream: UpstreamState) => RANKS.indexOf(healthOf(upstream));
  return (
    <ui.Panel title={say.upstreams}>
      <ui.Sheet<UpstreamState>
        caption={say.upstreams}
        rows={upstreams.toSorted((a, b) => rank(a) - rank(b))}
        columns={[
          ui.column(say.upstream, ({ id, provider }) => (
            <>
              <a href={upstreamHref(id)}>{id}</a>
              {provider !== id && <span class="second">{provider}</span>}
            </>
          ), { isHeader: true }),
          ui.column(say.state, (row) => (
            <>
              <HealthBadge view={view} upstream={row} />
              <Troubles view={view} upstream={row} />
            </>
          )),
          ui.endColumn(say.models, (row) => modelsText(view, row)),
          ui.endColumn(own.failures, ({ recent }) => <ErrorRate view={view} recent={recent} />),
          ui.endColumn(own.failovers, ({ recent }) => <Failovers view={view} recent={recent} />),
          ui.endColumn(say.inFlight, ({ inFlight, maxInFlight }) => (
            <span class="number">
              <ui.Count value={inFlight} /> / <ui.Count value={maxInFlight} />
            </span>
          )),
        ]}
      />
    </ui.Panel>
  );
}

function modelsText(view: View, { models }: UpstreamState): string {
  const wanted = models.filter(({ status }) => status !== "disabled");
  const available = wanted.filter(({ status }) => status === "available");
  return view.say(overviewMessages).modelsOf(available.length, wanted.length);
}

/** Why models are not available, or failed lately: each reason once. */
function Troubles({ view, upstream }: InView<{ upstream: UpstreamState }>) {
  const { failedInARow } = view.say(overviewMessages);
  const byReason = new Map<string, string[]>();
  for (const { id, status, reason, failures } of upstream.models) {
    if (status === "disabled" || status === "available" && failures === 0) continue;
    const why = status === "available" ? failedInARow(failures) : reason ?? status;
    byReason.set(why, [...byReason.get(why) ?? [], id]);
  }
  if (byReason.size === 0) return null;
  return (
    <ul class="plain troubles">
      {[...byReason].map(([reason, models]) => (
        <li>
          {reason}{" "}
          <span class="muted">
            ({models.slice(0, 3).join(", ")}
            {models.length > 3 ? ` +${models.length - 3}` : ""})
          </span>
        </li>
      ))}
    </ul>
  );
}

import * as ui from "../../components/mod.ts";
import type { Page, View } from "../../page.ts";
import { upstreamHref } from "../catalog/addresses.ts";
import { type CatalogUpstream, currentCatalog } from "../catalog/content.ts";
import { healthOf, latencyText, type UpstreamState, upstreamStates } from "./answers.ts";
import { ErrorRate, Failovers, HealthBadge } from "./health.tsx";
import { upstreamMessages } from "./messages.ts";

/** Every upstream with its health. */
export const upstreamList: Page = {
  path: "/upstreams",
  async show(view) {
    const say = view.say(upstreamMessages);
    const [states, { content }] = await Promise.all([upstreamStates(view), currentCatalog(view)]);
    const { upstreams, instance } = states;
    return ui.listPage(view, {
      say: instance === null ? say : { ...say, intro: say.introOf(instance) },
      rows: upstreams.map((state): Row => ({
        ...state,
        config: content.upstreams.find(({ id }) => id === state.id),
      })),
      add: { href: "/console/upstreams/upstream/new", text: say.add },
      columns: columns(view),
      href: ({ id }) => upstreamHref(id),
    });
  },
};

type Row = UpstreamState & { readonly config: CatalogUpstream | undefined };

function columns(view: View): readonly ui.Column<Row>[] {
  const say = view.say(upstreamMessages);
  const wanted = ({ models }: Row) => models.filter(({ status }) => status !== "disabled");
  const good = (row: Row) => wanted(row).filter(({ status }) => status === "available").length;
  return [
    ui.column(say.id, ({ id }) => id, { id: "id", isHeader: true, sort: ({ id }) => id }),
    ui.column<Row>(say.state, (row) => (
      <>
        <HealthBadge view={view} upstream={row} />
        <Why
          reasons={row.models.map(({ reason, status }) => status === "disabled" ? null : reason)}
        />
      </>
    ), { id: "state", sort: healthOf }),
    ui.endColumn(
      say.models,
      (row) => <span class="number">{say.modelsGood(good(row), wanted(row).length)}</span>,
      { id: "models", sort: (row) => wanted(row).length },
    ),
    ui.endColumn(say.inFlight, ({ inFlight, maxInFlight }) => (
      <span class="number">
        <ui.Count value={inFlight} /> / <ui.Count value={maxInFlight} />
      </span>
    ), { id: "inFlight", sort: ({ inFlight }) => inFlight }),
    ...recentColumns(view),
    ui.endColumn(say.latency, (row) => <span class="number">{latencyText(row)}</span>),
    ui.column(say.kind, ({ kind }) => kind, { id: "kind", sort: ({ kind }) => kind }),
    ui.column(
      say.address,
      ({ config }) => <span class="second few">{ui.shownText(config?.baseUrl ?? "–")}</span>,
    ),
  ];
}

/** Columns of the results of the last minutes. */
function recentColumns(view: View): readonly ui.Column<Row>[] {
  const say = view.say(upstreamMessages);
  return [
    ui.endColumn(say.failures, ({ recent }) => <ErrorRate view={view} recent={recent} />, {
      id: "failures",
      sort: ({ recent }) => recent.attempts === 0 ? -1 : recent.failures / recent.attempts,
    }),
    ui.endColumn(say.failovers, ({ recent }) => <Failovers view={view} recent={recent} />, {
      id: "failovers",
      sort: ({ recent }) => recent.failovers,
    }),
  ];
}

/** Why its models cannot be routed to, each reason once. */
function Why({ reasons }: { reasons: readonly (string | null)[] }) {
  const known = [...new Set(reasons)].filter((each) => each !== null);
  return known.length === 0 ? null : <span class="second">{ui.shownText(known.join("; "))}</span>;
}

import * as ui from "../../components/mod.ts";
import type { Page, Shown, View } from "../../page.ts";
import { upstreamHref } from "../catalog/addresses.ts";
import { type CatalogUpstream, currentCatalog } from "../catalog/content.ts";
import { healthOf, latencyText, type UpstreamState, upstreamStates } from "./answers.ts";
import { ErrorRate, Failovers, HealthBadge } from "./health.tsx";
import { upstreamMessages } from "./messages.ts";

/** Every upstream with its health. */
export const upstreamList: Page = { path: "/upstreams", show };

type Row = UpstreamState & { readonly config: CatalogUpstream | undefined };

async function show(view: View): Promise<Shown> {
  const say = view.say(upstreamMessages);
  const [states, { content }] = await Promise.all([upstreamStates(view), currentCatalog(view)]);
  const rows = states.map((state): Row => ({
    ...state,
    config: content.upstreams.find(({ id }) => id === state.id),
  }));
  return {
    title: say.title,
    body: (
      <>
        <ui.PageHead title={say.title} intro={say.intro}>
          <a class="button primary" href="/console/upstreams/upstream/new">{say.add}</a>
        </ui.PageHead>
        <ui.DataTable
          view={view}
          caption={say.caption}
          rows={rows}
          columns={columns(view)}
          href={({ id }) => upstreamHref(id)}
          empty={<ui.EmptyState title={say.none} hint={say.noneHint} />}
        />
      </>
    ),
  };
}

function columns(view: View): readonly ui.Column<Row>[] {
  const say = view.say(upstreamMessages);
  const wanted = ({ models }: Row) => models.filter(({ status }) => status !== "disabled");
  const good = (row: Row) => wanted(row).filter(({ status }) => status === "available").length;
  return [
    { id: "id", title: say.id, isHeader: true, cell: ({ id }) => id, sort: ({ id }) => id },
    {
      id: "state",
      title: say.state,
      cell: (row) => (
        <>
          <HealthBadge view={view} upstream={row} />
          <Why
            reasons={row.models.map(({ reason, status }) => status === "disabled" ? null : reason)}
          />
        </>
      ),
      sort: healthOf,
    },
    {
      id: "models",
      title: say.models,
      align: "end",
      cell: (row) => <span class="number">{say.modelsGood(good(row), wanted(row).length)}</span>,
      sort: (row) => wanted(row).length,
    },
    {
      id: "inFlight",
      title: say.inFlight,
      align: "end",
      cell: ({ inFlight, maxInFlight }) => (
        <span class="number">
          <ui.Count value={inFlight} /> / <ui.Count value={maxInFlight} />
        </span>
      ),
      sort: ({ inFlight }) => inFlight,
    },
    ...recentColumns(view),
    {
      id: "latency",
      title: say.latency,
      align: "end",
      cell: (row) => <span class="number">{latencyText(row)}</span>,
    },
    { id: "kind", title: say.kind, cell: ({ kind }) => kind, sort: ({ kind }) => kind },
    {
      id: "address",
      title: say.address,
      cell: ({ config }) => <span class="few">{ui.shownText(config?.baseUrl ?? "–")}</span>,
    },
  ];
}

/** Columns of the results of the last minutes. */
function recentColumns(view: View): readonly ui.Column<Row>[] {
  const say = view.say(upstreamMessages);
  return [
    {
      id: "failures",
      title: say.failures,
      align: "end",
      cell: ({ recent }) => <ErrorRate view={view} recent={recent} />,
      sort: ({ recent }) => recent.attempts === 0 ? -1 : recent.failures / recent.attempts,
    },
    {
      id: "failovers",
      title: say.failovers,
      align: "end",
      cell: ({ recent }) => <Failovers view={view} recent={recent} />,
      sort: ({ recent }) => recent.failovers,
    },
  ];
}

/** Why its models cannot be routed to, each reason once. */
function Why({ reasons }: { reasons: readonly (string | null)[] }) {
  const known = [...new Set(reasons)].filter((each) => each !== null);
  return known.length === 0 ? null : <span class="under">{ui.shownText(known.join("; "))}</span>;
}

import type { Child } from "@hono/hono/jsx";
import * as ui from "../../components/mod.ts";
import type { InView, View } from "../../page.ts";
import { OutcomeBadge } from "../requests/outcome.tsx";
import type { Ending, KeySums, ModelSums } from "./answer.ts";
import { overviewMessages } from "./messages.ts";

type Sums = Pick<
  ModelSums,
  "requests" | "errors" | "inputTokens" | "outputTokens" | "charged"
>;

/** The sums of each model, dearest first. */
export function ByModel({ view, rows }: InView<{ rows: readonly ModelSums[] }>) {
  const say = view.say(overviewMessages);
  const time = (part: "p50" | "p95", title: string): ui.Column<ModelSums> =>
    ui.endColumn(title, ({ durationMs }) => <ui.Duration ms={durationMs[part]} />, {
      id: `model-${part}`,
      sort: ({ durationMs }) => durationMs[part] ?? -1,
    });
  return (
    <ui.Panel title={say.byModel}>
      <ui.DataTable<ModelSums>
        view={view}
        name="models"
        caption={say.byModel}
        rows={rows}
        columns={[
          ui.column(say.model, ({ model, others }) =>
            model === null
              ? <span class="muted">{others ? say.others : say.noModel}</span>
              : <RequestsLink view={view} filter={{ model }}>{model}</RequestsLink>, {
            id: "model",
            isHeader: true,
            sort: ({ model }) =>
              model ?? "",
          }),
          ...sumColumns<ModelSums>(view, "model"),
          time("p50", say.p50),
          time("p95", say.p95),
        ]}
        empty={null}
      />
    </ui.Panel>
  );
}

/** The sums of each key, dearest first. */
export function ByKey({ view, rows }: InView<{ rows: readonly KeySums[] }>) {
  const say = view.say(overviewMessages);
  const isShared = ({ key, name }: KeySums) =>
    rows.some((other) => other.key !== key && other.name === name);
  return (
    <ui.Panel title={say.byKey}>
      <ui.DataTable<KeySums>
        view={view}
        name="keys"
        caption={say.byKey}
        rows={rows}
        columns={[
          ui.column(say.key, (row) => {
            const { key, name } = row;
            if (key === null) return <span class="muted">{say.others}</span>;
            return (
              <>
                <RequestsLink view={view} filter={{ key }}>{name ?? key}</RequestsLink>
                {name !== null && isShared(row) && <span class="second">{key}</span>}
              </>
            );
          }, { id: "key", isHeader: true, sort: ({ name, key }) => name ?? key ?? "" }),
          ...sumColumns<KeySums>(view, "key"),
        ]}
        empty={null}
      />
    </ui.Panel>
  );
}

/** Requests that did not end well, by how they ended. */
export function ByEnding({ view, rows, all }: InView<{ rows: readonly Ending[]; all: number }>) {
  const say = view.say(overviewMessages);
  const columns: readonly ui.Column<Ending>[] = [
    ui.column(
      say.outcome,
      (row) =>
        row.outcome === null
          ? <span class="muted">{say.others}</span>
          : (
            <RequestsLink view={view} filter={filterOf(row)}>
              <OutcomeBadge view={view} outcome={row.outcome} status={row.status} />
            </RequestsLink>
          ),
      { isHeader: true },
    ),
    ui.column(say.status, ({ status }) => status ?? "–"),
    ui.column(say.code, ({ errorCode }) => errorCode === null ? "–" : <code>{errorCode}</code>),
    ui.endColumn(say.requests, ({ requests }) => <ui.Count value={requests} />, {
      id: "ending-requests",
      sort: ({ requests }) => requests,
    }),
    ui.endColumn(
      say.share,
      ({ requests }) => <span class="number">{ui.percentText(requests, all)}</span>,
    ),
  ];
  return (
    <ui.Panel title={say.byEnding}>
      <ui.DataTable
        view={view}
        name="endings"
        caption={say.byEnding}
        rows={rows.filter(({ outcome }) => outcome !== "ok")}
        columns={columns}
        empty={<p class="muted">{say.noErrors}</p>}
      />
    </ui.Panel>
  );
}

function sumColumns<Row extends Sums>(view: View, of: string): readonly ui.Column<Row>[] {
  const say = view.say(overviewMessages);
  const count = (
    id: "requests" | "errors" | "inputTokens" | "outputTokens",
    title: string,
  ): ui.Column<Row> =>
    ui.endColumn(title, (row) => <ui.RoundedCount value={row[id]} />, {
      id: `${of}-${id}`,
      sort: (row) => row[id],
    });
  return [
    count("requests", say.requests),
    count("errors", say.failed),
    ui.endColumn(say.spend, ({ charged }) => <ui.Credits amount={charged} />, {
      id: `${of}-charged`,
      sort: ({ charged }) => ui.creditsOrder(charged),
    }),
    count("inputTokens", say.tokensIn),
    count("outputTokens", say.tokensOut),
  ];
}

/** To the requests of the same time that a row is about. */
function RequestsLink({ view, filter, children }: InView<{
  filter: Readonly<Record<string, string>>;
  children?: Child;
}>) {
  const query = new URLSearchParams({ range: "24h", ...ui.rangeQuery(view), ...filter });
  return <a href={`/console/requests?${query}`}>{children}</a>;
}

function filterOf({ outcome, status, errorCode }: Ending): Record<string, string> {
  return {
    ...(outcome === null ? {} : { outcome }),
    ...(status === null ? {} : { status: String(status) }),
    ...(errorCode === null ? {} : { error: errorCode }),
  };
}

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
  const name = ({ model, others }: ModelSums) =>
    model === null
      ? <span class="muted">{others ? say.others : say.noModel}</span>
      : <RequestsLink view={view} filter={{ model }}>{model}</RequestsLink>;
  const time = (part: "p50" | "p95") =>
    ui.endColumn<ModelSums>(say[part], ({ durationMs }) => <ui.Duration ms={durationMs[part]} />, {
      id: `model-${part}`,
      sort: ({ durationMs }) => durationMs[part] ?? -1,
    });
  const columns = [
    ui.column(say.model, name, { id: "model", isHeader: true, sort: ({ model }) => model ?? "" }),
    ...sumColumns<ModelSums>(view, "model"),
    time("p50"),
    time("p95"),
  ];
  return <SumsPanel {...{ view, name: "models", title: say.byModel, rows, columns }} />;
}

/** The sums of each key, dearest first. */
export function ByKey({ view, rows }: InView<{ rows: readonly KeySums[] }>) {
  const say = view.say(overviewMessages);
  const isShared = ({ key, name }: KeySums) =>
    rows.some((other) => other.key !== key && other.name === name);
  const name = (row: KeySums) => {
    const { key, name } = row;
    if (key === null) return <span class="muted">{say.others}</span>;
    return (
      <>
        <RequestsLink view={view} filter={{ key }}>{name ?? key}</RequestsLink>
        {name !== null && isShared(row) && <span class="second">{key}</span>}
      </>
    );
  };
  const sort = ({ name, key }: KeySums) => name ?? key ?? "";
  const columns = [
    ui.column(say.key, name, { id: "key", isHeader: true, sort }),
    ...sumColumns<KeySums>(view, "key"),
  ];
  return <SumsPanel {...{ view, name: "keys", title: say.byKey, rows, columns }} />;
}

/** Requests that did not end well, by how they ended. */
export function ByEnding({ view, rows, all }: InView<{ rows: readonly Ending[]; all: number }>) {
  const say = view.say(overviewMessages);
  const outcome = (row: Ending) => {
    if (row.outcome === null) return <span class="muted">{say.others}</span>;
    return (
      <RequestsLink view={view} filter={filterOf(row)}>
        <OutcomeBadge view={view} outcome={row.outcome} status={row.status} />
      </RequestsLink>
    );
  };
  const share = ({ requests }: Ending) => (
    <span class="number">{ui.percentText(requests, all)}</span>
  );
  const columns: readonly ui.Column<Ending>[] = [
    ui.column(say.outcome, outcome, { isHeader: true }),
    ui.column(say.status, ({ status }) => status ?? "–"),
    ui.column(say.code, ({ errorCode }) => errorCode === null ? "–" : <code>{errorCode}</code>),
    ui.endColumn(say.requests, ({ requests }) => <ui.Count value={requests} />, {
      id: "ending-requests",
      sort: ({ requests }) => requests,
    }),
    ui.endColumn(say.share, share),
  ];
  const failed = rows.filter(({ outcome }) => outcome !== "ok");
  const empty = <p class="muted">{say.noErrors}</p>;
  const title = say.byEnding;
  return <SumsPanel {...{ view, name: "endings", title, rows: failed, columns, empty }} />;
}

function SumsPanel<Row>({ view, name, title, rows, columns, empty = null }: InView<{
  name: string;
  title: string;
  rows: readonly Row[];
  columns: readonly ui.Column<Row>[];
  empty?: Child;
}>) {
  return (
    <ui.Panel title={title}>
      <ui.DataTable {...{ view, name, caption: title, rows, columns, empty }} />
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

import type { AnswerOf } from "../../../admin_api/operations.ts";
import * as ui from "../../components/mod.ts";
import type { InView, Page, Shown, View } from "../../page.ts";
import { modelHref, upstreamHref } from "./addresses.ts";
import { checkMessages } from "./check_messages.ts";
import { catalogMessages } from "./messages.ts";
import { CatalogTabs } from "./tabs.tsx";

type Checked = AnswerOf<"GET /catalog/check">;
type Verdict = Checked["models"][number];
type Finding = Checked["upstreams"][number];

const VERDICTS: Readonly<Record<Verdict["status"], ui.BadgeKind>> = {
  ok: "good",
  unpriced: "bad",
  unreachable: "bad",
  stale: "warn",
};
const FINDINGS: Readonly<Record<Finding["status"], ui.BadgeKind>> = {
  listed: "good",
  unlisted: "neutral",
  "no credentials": "bad",
  refused: "bad",
  timeout: "bad",
  failed: "bad",
};

/**
 * Checks that the models have prices, can be reached and are still offered. The check runs when the
 * form is sent.
 */
export const catalogCheck: Page = {
  path: "/catalog/check",
  show: (view) => page(view, undefined),
  change: async (view) => page(view, await view.load("GET /catalog/check")),
};

function page(view: View, result: Checked | undefined): Shown {
  const say = view.say(checkMessages);
  return {
    title: say.title,
    body: (
      <>
        <ui.PageHead title={say.title} intro={say.intro}>
          <form method="post">
            <button type="submit" class="button primary">{say.check}</button>
          </form>
        </ui.PageHead>
        <CatalogTabs view={view} here="check" />
        {result === undefined
          ? <p class="hint">{say.hint}</p>
          : <Outcome view={view} result={result} />}
      </>
    ),
  };
}

function Outcome({ view, result }: InView<{ result: Checked }>) {
  const say = view.say(checkMessages);
  const { name, version, ageDays } = result.priceList;
  return (
    <>
      <ui.Notice kind={result.ok ? "done" : "problem"}>
        {result.advice === null ? say.allGood(result.models.length) : ui.shownText(result.advice)}
      </ui.Notice>
      <p class="hint">{say.priceList(name, version, ageDays)}</p>
      <ui.Panel title={say.upstreams}>
        <Findings view={view} rows={result.upstreams} />
      </ui.Panel>
      <ui.Panel title={view.say(catalogMessages).models}>
        <Verdicts view={view} rows={result.models} />
      </ui.Panel>
    </>
  );
}

function Findings({ view, rows }: InView<{ rows: readonly Finding[] }>) {
  const say = view.say(checkMessages);
  const catalog = view.say(catalogMessages);
  return (
    <ui.Sheet<Finding>
      caption={say.upstreams}
      rows={rows}
      columns={[
        ui.column(catalog.upstream, ({ id }) => <a href={upstreamHref(id)}>{id}</a>, {
          isHeader: true,
        }),
        ui.column(catalog.state, ({ status, reason }) => (
          <>
            <ui.Badge kind={FINDINGS[status]}>{say.findings[status]}</ui.Badge>
            {reason !== null && <span class="second">{ui.shownText(reason)}</span>}
          </>
        )),
        ui.endColumn(say.listed, ({ models }) => <span class="number">{models}</span>),
      ]}
    />
  );
}

/** Verdicts on the models; those that need attention come first. */
function Verdicts({ view, rows }: InView<{ rows: readonly Verdict[] }>) {
  const say = view.say(checkMessages);
  const catalog = view.say(catalogMessages);
  const sorted = [...rows].sort((a, b) => Number(a.status === "ok") - Number(b.status === "ok"));
  return (
    <ui.Sheet<Verdict>
      caption={catalog.models}
      rows={sorted}
      columns={[
        ui.column(catalog.id, ({ id }) => <a href={modelHref(id)}>{id}</a>, { isHeader: true }),
        ui.column(
          catalog.state,
          ({ status }) => <ui.Badge kind={VERDICTS[status]}>{say.verdicts[status]}</ui.Badge>,
        ),
        ui.column(catalog.price, ({ price }) => say.prices[price]),
        ui.column(say.findingsTitle, ({ problems, notes }) =>
          [
            ...problems.map(({ message }) => message),
            ...notes,
          ].map((line) => <span key={line} class="second">{ui.shownText(line)}</span>)),
      ]}
    />
  );
}

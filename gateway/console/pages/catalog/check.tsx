import { z } from "zod";
import * as ui from "../../components/mod.ts";
import type { InView, Page, Shown, View } from "../../page.ts";
import { modelHref, upstreamHref } from "./addresses.ts";
import { checkMessages } from "./check_messages.ts";
import { catalogMessages } from "./messages.ts";
import { CatalogTabs } from "./tabs.tsx";

const verdict = z.object({
  id: z.string(),
  status: z.enum(["ok", "unpriced", "unreachable", "stale"]),
  price: z.enum(["list", "own", "differs", "free", "none"]),
  problems: z.array(z.object({ message: z.string() })),
  notes: z.array(z.string()),
});
const finding = z.object({
  id: z.string(),
  status: z.enum(["listed", "unlisted", "no credentials", "refused", "timeout", "failed"]),
  models: z.number(),
  reason: z.string().nullable(),
});
const checked = z.object({
  ok: z.boolean(),
  advice: z.string().nullable(),
  priceList: z.object({ name: z.string(), version: z.string(), ageDays: z.number() }),
  upstreams: z.array(finding),
  models: z.array(verdict),
});
type Checked = z.output<typeof checked>;
type Verdict = z.output<typeof verdict>;
type Finding = z.output<typeof finding>;

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

/** Whether the models are priced, can be reached, and are still what is offered: asked when it is sent. */
export const catalogCheck: Page = {
  path: "/catalog/check",
  show: (view) => page(view, undefined),
  change: async (view) => page(view, view.need(await view.api.get("/catalog/check", checked))),
};

function page(view: View, found: Checked | undefined): Shown {
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
        {found === undefined
          ? <p class="hint">{say.hint}</p>
          : <Outcome view={view} found={found} />}
      </>
    ),
  };
}

function Outcome({ view, found }: InView<{ found: Checked }>) {
  const say = view.say(checkMessages);
  const { name, version, ageDays } = found.priceList;
  return (
    <>
      <ui.Notice kind={found.ok ? "done" : "problem"}>
        {found.advice === null ? say.allGood(found.models.length) : ui.shownText(found.advice)}
      </ui.Notice>
      <p class="hint">{say.priceList(name, version, ageDays)}</p>
      <ui.Panel title={say.upstreams}>
        <Findings view={view} rows={found.upstreams} />
      </ui.Panel>
      <ui.Panel title={view.say(catalogMessages).models}>
        <Verdicts view={view} rows={found.models} />
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
            {reason !== null && <span class="under">{ui.shownText(reason)}</span>}
          </>
        )),
        ui.endColumn(say.listed, ({ models }) => <span class="number">{models}</span>),
      ]}
    />
  );
}

/** What needs attention comes first. */
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
        ui.column(say.found, ({ problems, notes }) =>
          [
            ...problems.map(({ message }) => message),
            ...notes,
          ].map((line) => <span class="under">{ui.shownText(line)}</span>)),
      ]}
    />
  );
}

import * as ui from "../../components/mod.ts";
import type { InView, Page, Shown, View } from "../../page.ts";
import {
  type CatalogModel,
  type CatalogText,
  currentCatalog,
  type ModelState,
  modelStates,
} from "./content.ts";
import { ENDPOINTS, modelHref } from "./addresses.ts";
import { catalogMessages } from "./messages.ts";
import { StateBadge } from "./state.tsx";
import { CatalogTabs } from "./tabs.tsx";

/** A model as the list has it. */
interface Row {
  readonly model: CatalogModel;
  readonly provider: string;
  readonly state: ModelState | undefined;
  /** Names of the tiers that may use it. */
  readonly tiers: readonly string[];
}

/** Every model, to sort and to filter. */
export const modelList: Page = { path: "/catalog", show };

async function show(view: View): Promise<Shown> {
  const say = view.say(catalogMessages);
  const [{ content }, states] = await Promise.all([currentCatalog(view), modelStates(view)]);
  const rows = content.models.map((model) => rowOf(model, content, states.get(model.id)));
  const shown = rows.filter((row) => isWanted(view, row));
  return {
    title: say.title,
    body: (
      <>
        <ui.PageHead title={say.title} intro={say.intro}>
          <a class="button primary" href="/console/catalog/model/new">{say.addModel}</a>
        </ui.PageHead>
        <CatalogTabs view={view} here="models" />
        <ModelFilter view={view} content={content} />
        <ui.DataTable
          view={view}
          caption={say.caption}
          count={say.count(shown.length, rows.length)}
          rows={shown}
          columns={columns(view)}
          href={({ model }) => modelHref(model.id)}
          empty={<ui.EmptyState title={say.noneFound} hint={say.noneFoundHint} />}
        />
      </>
    ),
  };
}

function rowOf(model: CatalogModel, content: CatalogText, state: ModelState | undefined): Row {
  return {
    model,
    state,
    provider: content.upstreams.find(({ id }) => id === model.upstream)?.provider ?? "",
    tiers: content.tiers
      .filter(({ models }) => models === "*" || models.includes(model.id))
      .map(({ id }) => id),
  };
}

function isWanted(view: View, { model, state, provider }: Row): boolean {
  return ui.hasText(view, "text", [model.id, model.name, provider, ...model.featureTags]) &&
    ui.hasValue(view, "upstream", [model.upstream]) &&
    ui.hasValue(view, "endpoint", model.endpoints) &&
    ui.hasValue(view, "state", [state?.status]);
}

function ModelFilter({ view, content }: InView<{ content: CatalogText }>) {
  const say = view.say(catalogMessages);
  const upstreams = content.upstreams.map(({ id }) => id);
  const states = Object.entries(say.states);
  const shared = { view, all: say.any };
  return (
    <ui.FilterForm view={view}>
      <ui.FilterText view={view} name="text" label={say.filterText} />
      <ui.FilterSelect {...shared} name="upstream" label={say.filterUpstream} options={upstreams} />
      <ui.FilterSelect {...shared} name="endpoint" label={say.filterEndpoint} options={ENDPOINTS} />
      <ui.FilterSelect {...shared} name="state" label={say.filterState} options={states} />
    </ui.FilterForm>
  );
}

function columns(view: View): readonly ui.Column<Row>[] {
  const say = view.say(catalogMessages);
  const price = (
    id: "input" | "output",
    field: "inputPerMTok" | "outputPerMTok",
  ): ui.Column<Row> => ({
    id,
    title: `${say[id]} $/M`,
    align: "end",
    cell: ({ model }) => (
      <>
        <span class="number">{model.price[field]}</span>
        {id === "output" && model.price.perImage !== undefined && (
          <span class="under number">{say.anImage(model.price.perImage)}</span>
        )}
      </>
    ),
    sort: ({ model }) => ui.creditsOrder(model.price[field]),
  });
  return [
    {
      id: "id",
      title: say.id,
      isHeader: true,
      cell: ({ model }) => model.id,
      sort: ({ model }) => model.id,
    },
    {
      id: "state",
      title: say.state,
      cell: ({ state }) => <StateBadge view={view} state={state} />,
      sort: ({ state }) => state?.status ?? "",
    },
    {
      id: "upstream",
      title: say.upstream,
      cell: ({ model, provider }) => <Upstream id={model.upstream} provider={provider} />,
      sort: ({ model }) => model.upstream,
    },
    { id: "endpoints", title: say.endpoints, cell: ({ model }) => <Few of={model.endpoints} /> },
    price("input", "inputPerMTok"),
    price("output", "outputPerMTok"),
    {
      id: "quality",
      title: say.quality,
      align: "end",
      cell: ({ model }) => <span class="number">{model.quality.toFixed(2)}</span>,
      sort: ({ model }) => model.quality,
    },
    {
      id: "context",
      title: say.context,
      align: "end",
      cell: ({ model }) => <ui.Count value={model.contextTokens} />,
      sort: ({ model }) => model.contextTokens,
    },
    { id: "tiers", title: say.tiers, cell: ({ tiers }) => <Few of={tiers} /> },
  ];
}

function Upstream({ id, provider }: { id: string; provider: string }) {
  return (
    <>
      {id}
      {provider !== id && provider !== "" && <span class="under">{ui.shownText(provider)}</span>}
    </>
  );
}

/** Names in a cell: a line of text, since badges would make tall rows. */
function Few({ of }: { of: readonly string[] }) {
  return <span class="few">{of.length === 0 ? "–" : of.join(", ")}</span>;
}

/** Short names side by side. */
export function Names({ of }: { of: readonly string[] }) {
  if (of.length === 0) return <>–</>;
  return (
    <span class="names">
      {of.map((each) => <ui.Badge key={each} kind="neutral">{each}</ui.Badge>)}
    </span>
  );
}

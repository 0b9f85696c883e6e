import { ENDPOINTS } from "../../../domain/requests/endpoints.ts";
import * as ui from "../../components/mod.ts";
import type { Page, View } from "../../page.ts";
import {
  type CatalogModel,
  type CatalogText,
  currentCatalog,
  type ModelState,
  modelStates,
} from "./content.ts";
import { modelHref } from "./addresses.ts";
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
export const modelList: Page = {
  path: "/catalog",
  async show(view) {
    const say = view.say(catalogMessages);
    const [{ content }, states] = await Promise.all([currentCatalog(view), modelStates(view)]);
    return ui.listPage(view, {
      say,
      rows: content.models.map((model) => rowOf(model, content, states.get(model.id))),
      add: { href: "/console/catalog/model/new", text: say.addModel },
      above: <CatalogTabs view={view} here="models" />,
      href: ({ model }) => modelHref(model.id),
      columns: columns(view),
      filters: [
        {
          ...{ name: "text", label: say.filterText },
          texts: ({ model, provider }) => [model.id, model.name, provider, ...model.featureTags],
        },
        {
          ...{ name: "upstream", label: say.upstream, all: say.any },
          options: content.upstreams.map(({ id }) => id),
          values: ({ model }) => [model.upstream],
        },
        {
          ...{ name: "endpoint", label: say.filterEndpoint, all: say.any, options: ENDPOINTS },
          values: ({ model }) => model.endpoints,
        },
        {
          ...{ name: "state", label: say.state, all: say.any, options: Object.entries(say.states) },
          values: ({ state }) => [state?.status],
        },
      ],
    });
  },
};

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

function columns(view: View): readonly ui.Column<Row>[] {
  const say = view.say(catalogMessages);
  const price = (id: "input" | "output", field: "inputPerMTok" | "outputPerMTok"): ui.Column<Row> =>
    ui.endColumn(`${say[id]} $/M`, ({ model }) => (
      <>
        <span class="number">{model.price[field]}</span>
        {id === "output" && model.price.perImage !== undefined && (
          <span class="second number">{say.anImage(model.price.perImage)}</span>
        )}
      </>
    ), { id, sort: ({ model }) => ui.creditsOrder(model.price[field]) });
  return [
    ui.column(say.id, ({ model }) => model.id, {
      id: "id",
      isHeader: true,
      sort: ({ model }) => model.id,
    }),
    ui.column(say.state, ({ state }) => <StateBadge view={view} state={state} />, {
      id: "state",
      sort: ({ state }) => state?.status ?? "",
    }),
    ui.column(
      say.upstream,
      ({ model, provider }) => <Upstream id={model.upstream} provider={provider} />,
      { id: "upstream", sort: ({ model }) => model.upstream },
    ),
    ui.column(say.endpoints, ({ model }) => <Few of={model.endpoints} />),
    price("input", "inputPerMTok"),
    price("output", "outputPerMTok"),
    ui.endColumn(
      say.quality,
      ({ model }) => <span class="number">{model.quality.toFixed(2)}</span>,
      { id: "quality", sort: ({ model }) => model.quality },
    ),
    ui.endColumn(
      say.context,
      ({ model: { contextTokens } }) =>
        contextTokens === undefined ? "–" : <ui.Count value={contextTokens} />,
      { id: "context", sort: ({ model }) => model.contextTokens ?? 0 },
    ),
    ui.column(say.tiers, ({ tiers }) => <Few of={tiers} />),
  ];
}

function Upstream({ id, provider }: { id: string; provider: string }) {
  return (
    <>
      {id}
      {provider !== id && provider !== "" && <span class="second">{ui.shownText(provider)}</span>}
    </>
  );
}

/** Names in a cell: a line of text, since badges would make tall rows. */
function Few({ of }: { of: readonly string[] }) {
  return <span class="second few">{of.length === 0 ? "–" : of.join(", ")}</span>;
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

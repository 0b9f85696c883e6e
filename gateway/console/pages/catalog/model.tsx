import type { Child } from "@hono/hono/jsx";
import * as ui from "../../components/mod.ts";
import type { InView, Page, Shown, View } from "../../page.ts";
import { modelEditHref, tierEditHref, upstreamHref } from "./addresses.ts";
import {
  type CatalogModel,
  type CatalogText,
  type CatalogTier,
  currentCatalog,
  type ModelState,
  modelStates,
} from "./content.ts";
import { catalogMessages } from "./messages.ts";
import { missingModel } from "./missing.tsx";
import { Names } from "./models.tsx";
import { PRICE_FIELDS } from "./model_form.ts";
import { StateBadge } from "./state.tsx";

/** One model: what it can do, what it costs, and whether it can be routed to. */
export const modelPage: Page = { path: "/catalog/model", show };

async function show(view: View): Promise<Shown> {
  const say = view.say(catalogMessages);
  const id = view.query.get("id") ?? "";
  const [{ content }, states] = await Promise.all([currentCatalog(view), modelStates(view)]);
  const model = content.models.find((each) => each.id === id);
  if (model === undefined) return missingModel(view, id);
  return {
    title: model.id,
    body: (
      <>
        <ui.PageHead title={model.id} intro={ui.shownText(model.description[view.language])}>
          <a class="button primary" href={modelEditHref(model.id)}>{say.edit}</a>
        </ui.PageHead>
        <Facts view={view} model={model} content={content} state={states.get(model.id)} />
        <Prices view={view} model={model} />
        <ui.Panel title={say.inCredits}>
          <InCredits view={view} model={model} tiers={content.tiers} />
        </ui.Panel>
      </>
    ),
  };
}

function Facts({ view, model, content, state }: InView<{
  model: CatalogModel;
  content: CatalogText;
  state: ModelState | undefined;
}>) {
  const say = view.say(catalogMessages);
  const provider = content.upstreams.find(({ id }) => id === model.upstream)?.provider;
  const { latencyMs } = state ?? {};
  const latency = typeof latencyMs === "number"
    ? <ui.Count value={Math.round(latencyMs)} unit="ms" />
    : null;
  const tokens = (value: number | undefined) =>
    value === undefined ? null : <ui.Count value={value} unit={say.tokens} />;
  return (
    <section class="panel">
      <ui.DefinitionList
        items={[
          fact(say.state, <StateBadge view={view} state={state} isFull />),
          fact(say.name, ui.shownText(model.name)),
          fact(say.upstream, <a href={upstreamHref(model.upstream)}>{model.upstream}</a>),
          fact(say.provider, provider),
          fact(say.upstreamModel, <code>{ui.shownText(model.upstreamModel)}</code>),
          fact(say.latency, latency),
          fact(say.endpoints, <Names of={model.endpoints} />),
          fact(say.quality, <span class="number">{model.quality}</span>),
          fact(say.context, tokens(model.contextTokens)),
          fact(say.maxOutput, tokens(model.maxOutputTokens)),
          fact(say.tags, <Names of={model.featureTags} />),
          fact(say.packs, <Names of={model.industryPacks} />),
          fact(say.sku, model.sku),
        ]}
      />
    </section>
  );
}

/** A line of what is known of something. */
export function fact(term: string, value: Child): readonly [string, Child] {
  return [term, value];
}

function Prices({ view, model }: InView<{ model: CatalogModel }>) {
  const say = view.say(catalogMessages);
  return (
    <ui.Panel title={say.price}>
      <p class="hint">{say.priceIntro}</p>
      <ui.DefinitionList
        items={PRICE_FIELDS.filter((field) => model.price[field] !== undefined).map((field) =>
          fact(say.prices[field], <span class="number">{`$${model.price[field]}`}</span>)
        )}
      />
    </ui.Panel>
  );
}

function InCredits(
  { view, model, tiers }: { view: View; model: CatalogModel; tiers: readonly CatalogTier[] },
) {
  const say = view.say(catalogMessages);
  const rows = tiers.filter(({ models }) => models === "*" || models.includes(model.id));
  const fields = (["inputPerMTok", "outputPerMTok", "perImage"] as const)
    .filter((field) => model.price[field] !== undefined);
  const amounts = fields.map((field) =>
    ui.endColumn(
      say.prices[field],
      ({ creditsPerUsd }: CatalogTier) => (
        <span class="number">{product(model.price[field] ?? "", creditsPerUsd)}</span>
      ),
    )
  );
  return (
    <ui.DataTable<CatalogTier>
      view={view}
      caption={say.inCredits}
      rows={rows}
      columns={[
        ui.column(say.tier, ({ id }) => id, { isHeader: true }),
        ...amounts,
      ]}
      href={({ id }) => tierEditHref(id)}
      empty={<p>–</p>}
    />
  );
}

/** For the eye: a bill is reckoned exactly, by the gateway. */
function product(price: string, rate: string): string {
  return Number((Number(price) * Number(rate)).toPrecision(9)).toLocaleString("en-US", {
    maximumFractionDigits: 9,
  });
}

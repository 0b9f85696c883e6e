import * as ui from "../../components/mod.ts";
import type { InView, Page, Shown, View } from "../../page.ts";
import { tierEditHref } from "./addresses.ts";
import { type CatalogTier, currentCatalog } from "./content.ts";
import { editMessages } from "./edit_messages.ts";
import { catalogMessages } from "./messages.ts";
import { CatalogTabs } from "./tabs.tsx";

/** What wallets buy: tiers with their exchange rates and models, low to high. */
export const tierList: Page = { path: "/catalog/tiers", show };

async function show(view: View): Promise<Shown> {
  const say = view.say(catalogMessages);
  const { content } = await currentCatalog(view);
  return {
    title: say.tiers,
    body: (
      <>
        <ui.PageHead title={say.title} intro={say.intro}>
          <a class="button primary" href="/console/catalog/tier/new">{say.addTier}</a>
        </ui.PageHead>
        <CatalogTabs view={view} here="tiers" />
        <TierTable view={view} rows={content.tiers} />
      </>
    ),
  };
}

function TierTable({ view, rows }: InView<{ rows: readonly CatalogTier[] }>) {
  const say = view.say(catalogMessages);
  const { orchestrations } = view.say(editMessages);
  const mode = (id: string) => Object.entries(orchestrations).find(([known]) => known === id)?.[1];
  return (
    <ui.DataTable
      view={view}
      caption={say.tierCaption}
      rows={rows}
      href={({ id }) => tierEditHref(id)}
      columns={[
        { id: "id", title: say.tier, isHeader: true, cell: ({ id }) => id },
        { id: "name", title: say.name, cell: ({ name }) => ui.shownText(name[view.language]) },
        {
          id: "rate",
          title: say.rate,
          align: "end",
          cell: ({ creditsPerUsd }) => <ui.Credits amount={creditsPerUsd} />,
          sort: ({ creditsPerUsd }) => ui.creditsOrder(creditsPerUsd),
        },
        {
          id: "models",
          title: say.tierModels,
          cell: ({ models }) => models === "*" ? say.allModels : models.join(", "),
        },
        {
          id: "orchestration",
          title: say.orchestration,
          cell: ({ orchestration }) => mode(orchestration) ?? orchestration,
        },
        {
          id: "description",
          title: say.description,
          cell: ({ description }) => ui.shownText(description[view.language]),
        },
      ]}
      empty={<ui.EmptyState title={say.noneFound} hint={say.noneFoundHint} />}
    />
  );
}

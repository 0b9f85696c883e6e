import { DataTable } from "../../components/data_table.tsx";
import { EmptyState } from "../../components/empty_state.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { creditsOrder } from "../../components/credits_order.ts";
import { Credits } from "../../components/credits.tsx";
import { shownText } from "../../components/shown_text.ts";
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
        <PageHead title={say.title} intro={say.intro}>
          <a class="button primary" href="/console/catalog/tier/new">{say.addTier}</a>
        </PageHead>
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
    <DataTable
      view={view}
      caption={say.tierCaption}
      rows={rows}
      href={({ id }) => tierEditHref(id)}
      columns={[
        { id: "id", title: say.tier, isHeader: true, cell: ({ id }) => id },
        { id: "name", title: say.name, cell: ({ name }) => shownText(name[view.language]) },
        {
          id: "rate",
          title: say.rate,
          align: "end",
          cell: ({ creditsPerUsd }) => <Credits amount={creditsPerUsd} />,
          sort: ({ creditsPerUsd }) => creditsOrder(creditsPerUsd),
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
          cell: ({ description }) => shownText(description[view.language]),
        },
      ]}
      empty={<EmptyState title={say.noneFound} hint={say.noneFoundHint} />}
    />
  );
}

import * as ui from "../../components/mod.ts";
import type { Page } from "../../page.ts";
import { tierEditHref } from "./addresses.ts";
import { type CatalogTier, currentCatalog } from "./content.ts";
import { editMessages } from "./edit_messages.ts";
import { catalogMessages } from "./messages.ts";
import { CatalogTabs } from "./tabs.tsx";

/** Tiers of wallets with their exchange rates and models, low to high. */
export const tierList: Page = {
  path: "/catalog/tiers",
  async show(view) {
    const say = view.say(catalogMessages);
    const modes: Readonly<Record<string, string>> = view.say(editMessages).orchestrations;
    const { tiers: rows } = (await currentCatalog(view)).content;
    return ui.listPage<CatalogTier>(view, {
      say: { ...say, caption: say.tierCaption, count: undefined },
      title: say.tiers,
      rows,
      add: { href: "/console/catalog/tier/new", text: say.addTier },
      above: <CatalogTabs view={view} here="tiers" />,
      href: ({ id }) => tierEditHref(id),
      columns: [
        ui.column(say.tier, ({ id }) => id, { isHeader: true }),
        ui.column(say.name, ({ name }) => ui.shownText(name[view.language])),
        ui.endColumn(say.rate, ({ creditsPerUsd }) => <ui.Credits amount={creditsPerUsd} />, {
          id: "rate",
          sort: ({ creditsPerUsd }) => ui.creditsOrder(creditsPerUsd),
        }),
        ui.column(say.models, ({ models }) => models === "*" ? say.allModels : models.join(", ")),
        ui.column(say.orchestration, ({ orchestration }) => modes[orchestration] ?? orchestration),
        ui.column(say.description, ({ description }) => ui.shownText(description[view.language])),
      ],
    });
  },
};

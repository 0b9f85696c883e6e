import type { InView } from "../../page.ts";
import { catalogMessages } from "./messages.ts";

const TABS = {
  models: "/console/catalog",
  tiers: "/console/catalog/tiers",
  check: "/console/catalog/check",
  history: "/console/catalog/history",
  json: "/console/catalog/json",
} as const;

/** The parts of the catalog, one page each. */
export function CatalogTabs({ view, here }: InView<{ here: keyof typeof TABS }>) {
  const say = view.say(catalogMessages);
  const names = ["models", "tiers", "check", "history", "json"] as const;
  return (
    <nav class="tabs" aria-label={say.tabs}>
      {names.map((name) => (
        <a href={TABS[name]} aria-current={name === here ? "page" : undefined}>{say[name]}</a>
      ))}
    </nav>
  );
}

import * as ui from "../../components/mod.ts";
import type { InView } from "../../page.ts";
import { catalogMessages } from "./messages.ts";

const TABS = { models: "", tiers: "/tiers", check: "/check", history: "/history", json: "/json" };
const NAMES = ["models", "tiers", "check", "history", "json"] as const;

/** The parts of the catalog, one page each. */
export function CatalogTabs({ view, here }: InView<{ here: typeof NAMES[number] }>) {
  const say = view.say(catalogMessages);
  const links = NAMES.map((name) => ({
    ...{ text: say[name], href: `/console/catalog${TABS[name]}`, isHere: name === here },
  }));
  return <ui.LinkNav look="tabs" label={say.tabs} links={links} />;
}

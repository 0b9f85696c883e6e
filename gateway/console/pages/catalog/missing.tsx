import * as ui from "../../components/mod.ts";
import type { Shown, View } from "../../page.ts";
import { catalogMessages } from "./messages.ts";

/** In place of the page of a model that is not there. */
export function missingModel(view: View, id: string): Shown {
  const say = view.say(catalogMessages);
  return missing(view, say.noModel(ui.shownText(id)), {
    text: say.models,
    href: "/console/catalog",
  });
}

/** In place of the page of a tier that is not there. */
export function missingTier(view: View, id: string): Shown {
  const say = view.say(catalogMessages);
  const list = { text: say.tiers, href: "/console/catalog/tiers" };
  return missing(view, say.noTier(ui.shownText(id)), list);
}

/** In place of the page of something that is not there; leads to the list of those that are. */
export function missing(
  view: View,
  title: string,
  list: { readonly text: string; readonly href: string },
): Shown {
  return {
    title,
    body: (
      <>
        <h1 class="unseen">{title}</h1>
        <ui.EmptyState title={title} hint={view.say(catalogMessages).chooseOne}>
          <a class="button" href={list.href}>{list.text}</a>
        </ui.EmptyState>
      </>
    ),
    status: 404,
  };
}

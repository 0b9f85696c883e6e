import * as ui from "../../components/mod.ts";
import type { Page, Shown, View } from "../../page.ts";
import { rollbackHref } from "./addresses.ts";
import { Changes } from "./changes.tsx";
import { catalogVersion, contentText, currentCatalog } from "./content.ts";
import { editMessages } from "./edit_messages.ts";
import { CatalogTabs } from "./tabs.tsx";

/** One version: what it changed, since the one before it or any other, and its whole content. */
export const versionPage: Page = { path: "/catalog/version", show };

async function show(view: View): Promise<Shown> {
  const say = view.say(editMessages);
  const number = view.query.get("number") ?? "";
  const chosen = view.query.get("since") ?? "";
  const version = await catalogVersion(view, number);
  const { since, changes } = await view.load("GET /catalog/versions/{version}/changes", {
    version: number,
    query: chosen === "" ? {} : { since: chosen },
  });
  const before = since === null ? undefined : await catalogVersion(view, String(since));
  const { version: newest } = await currentCatalog(view);
  const title = say.versionTitle(version.version);
  return {
    title,
    body: (
      <>
        <ui.PageHead title={title} intro={<ui.Time at={version.updatedAt} />}>
          {version.version !== newest && (
            <a class="button" href={rollbackHref(version.version)}>{say.rollBack}</a>
          )}
        </ui.PageHead>
        <CatalogTabs view={view} here="history" />
        {before === undefined
          ? <ui.EmptyState title={say.first} hint={say.firstHint} />
          : changes.length === 0
          ? <ui.EmptyState title={say.same} hint={say.sameHint} />
          : (
            <ui.Panel title={say.versionIntro(before.version, version.version)}>
              <Changes view={view} changes={changes} contents={[before.content, version.content]} />
            </ui.Panel>
          )}
        <details class="panel">
          <summary>{say.content}</summary>
          <ui.CopyText view={view} label={say.content} text={contentText(version.content)} />
        </details>
      </>
    ),
  };
}

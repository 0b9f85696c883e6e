import * as ui from "../../components/mod.ts";
import type { Shown, View } from "../../page.ts";
import { keyMessages } from "./messages.ts";

/** A page with a new link for the holder of a key, the only one that shows it. */
export async function linkShown(view: View, id: string): Promise<Shown> {
  const say = view.say(keyMessages);
  const { name } = await view.load("GET /keys/{id}", { id });
  const { url, expiresAt } = await view.load("POST /keys/{id}/sign-in-link", { id });
  return {
    title: say.linkTitle(name),
    body: (
      <>
        <ui.PageHead title={say.linkTitle(name)} intro={say.linkIntro}>
          <a class="button primary" href={`/console/keys/${encodeURIComponent(id)}`}>{say.toKey}</a>
        </ui.PageHead>
        <div class="panel">
          <ui.Notice kind="info">{say.linkOnce}</ui.Notice>
          <ui.CopyText view={view} label={say.link} text={url} />
          <p class="hint">
            {say.linkEnds} <ui.Time at={expiresAt} />
          </p>
        </div>
      </>
    ),
  };
}

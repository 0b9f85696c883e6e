import * as ui from "../../components/mod.ts";
import type { InView, Page } from "../../page.ts";
import type { Key } from "./answers.ts";
import { activeKey } from "./key_state.tsx";
import { keyMessages } from "./messages.ts";

/** The step before what is said with a key is kept. */
export const contentLog: Page = {
  path: "/keys/:id/content-log",
  async show(view) {
    const say = view.say(keyMessages);
    const id = view.param("id");
    const { name } = await activeKey(view);
    return ui.confirmPage(view, {
      title: say.contentTitle(name),
      warning: say.contentWarning,
      submit: say.contentSubmit,
      cancelHref: `/console/keys/${encodeURIComponent(id)}`,
      hidden: { on: "yes" },
    });
  },
  async change(view, form) {
    const say = view.say(keyMessages);
    const id = view.param("id");
    const on = form.get("on") === "yes";
    await view.load("POST /keys/{id}/content-log", { id, body: { on } });
    const done = on ? say.contentIsOn : say.contentIsOff;
    return { goTo: `/keys/${encodeURIComponent(id)}`, done };
  },
};

/** Shows the state of content logging for a key, with the switch. */
export function ContentLogPanel({ view, of }: InView<{ of: Key }>) {
  const say = view.say(keyMessages);
  const path = `/console/keys/${encodeURIComponent(of.id)}/content-log`;
  return (
    <ui.Panel
      title={say.content}
      actions={
        <ui.Badge kind={of.logContent ? "warn" : "neutral"}>
          {of.logContent ? say.contentOn : say.contentOff}
        </ui.Badge>
      }
    >
      <p class="hint">{of.logContent ? say.contentOnHint : say.contentOffHint}</p>
      {of.logContent
        ? (
          <form method="post" action={path}>
            <input type="hidden" name="on" value="no" />
            <button type="submit" class="button">{say.switchOff}</button>
          </form>
        )
        : of.status === "revoked"
        ? null
        : <a class="button" href={path}>{say.switchOn}</a>}
    </ui.Panel>
  );
}

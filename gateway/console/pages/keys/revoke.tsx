import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { Outcome, Page, Shown, View } from "../../page.ts";
import type { Key } from "./answers.ts";
import { activeKey, keyOf } from "./key_state.tsx";
import { keyMessages } from "./messages.ts";

/** The step before a key ends for good; `?rotation` leads back to the rotation that it ends. */
export const revokeKey: Page = {
  path: "/keys/:id/revoke",
  show: async (view) => confirmShown(view, await activeKey(view)),
  change,
};

async function change(view: View): Promise<Outcome> {
  const id = view.param("id");
  const changed = await view.api.call("POST /keys/{id}/revoke", { id });
  if (!changed.ok) return confirmShown(view, await keyOf(view), changed.refusal);
  return { goTo: backOf(view), done: view.say(keyMessages).revoked(changed.value.name) };
}

function backOf(view: View): string {
  const path = `/keys/${encodeURIComponent(view.param("id"))}`;
  const copy = view.query.get("rotation");
  return copy === null ? path : `${path}/rotate?copy=${encodeURIComponent(copy)}`;
}

function confirmShown(view: View, { name, hint }: Key, refusal?: Refusal): Shown {
  const say = view.say(keyMessages);
  return ui.confirmPage(view, {
    title: say.revokeTitle(name),
    warning: say.revokeWarning(hint),
    submit: say.revokeSubmit,
    cancelHref: `/console${backOf(view)}`,
    refusal,
  });
}

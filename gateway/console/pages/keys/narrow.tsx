import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { Outcome, Page, Shown, View } from "../../page.ts";
import type { Key } from "./answers.ts";
import { choicesFor } from "./choices.ts";
import { activeKey, keyOf } from "./key_state.tsx";
import { keyMessages } from "./messages.ts";
import { PolicyEditor } from "./policy_editor.tsx";
import { fieldsOf, policyOf } from "./policy_form.ts";
import { previewOf } from "./preview.tsx";

/** A stricter policy for a key. */
export const narrowKey: Page = { path: "/keys/:id/narrow", show, change };

async function show(view: View): Promise<Shown> {
  const key = await activeKey(view);
  const fields = fieldsOf(key.policy);
  fields.set("seen", JSON.stringify(key.policy));
  return await formShown(view, { key, fields });
}

/**
 * Saves a stricter policy. A narrowing by another operator meanwhile is never undone: the API refuses a
 * policy that allows more than the key's present one.
 */
async function change(view: View, form: URLSearchParams): Promise<Outcome> {
  const say = view.say(keyMessages);
  const id = view.param("id");
  if (form.get("do") !== "save") {
    return await formShown(view, { key: await keyOf(view), fields: form });
  }
  const policy = policyOf(form);
  const changed = await view.api.call("POST /keys/{id}/narrow", { id, body: { policy } });
  if (changed.ok) {
    return { goTo: `/keys/${encodeURIComponent(id)}`, done: say.narrowed(changed.value.name) };
  }
  const { refusal } = changed;
  return await formShown(view, { key: await keyOf(view), fields: form, refusal });
}

async function formShown(
  view: View,
  { key, fields, refusal }: { key: Key; fields: URLSearchParams; refusal?: Refusal },
): Promise<Shown> {
  const say = view.say(keyMessages);
  const { id, name } = key;
  fields.set("narrows", id);
  const [choices, preview] = await Promise.all([choicesFor(view, fields), previewOf(view, fields)]);
  const isStale = fields.get("seen") !== JSON.stringify(key.policy);
  const title = say.narrowTitle(name);
  return {
    title,
    status: refusal === undefined ? 200 : 422,
    scripts: ["policy_form.js"],
    body: (
      <>
        <ui.PageHead title={title} intro={say.narrowIntro} />
        {isStale && <ui.Notice kind="info">{say.changedMeanwhile}</ui.Notice>}
        <PolicyEditor
          {...{ view, fields, choices, preview, refusal }}
          submit={say.narrowSubmit}
          cancelHref={`/console/keys/${encodeURIComponent(id)}`}
        >
          <input type="hidden" name="narrows" value={id} />
          <input type="hidden" name="seen" value={fields.get("seen") ?? ""} />
        </PolicyEditor>
      </>
    ),
  };
}

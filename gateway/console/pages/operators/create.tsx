import { GRANTS, ROLES } from "../../../domain/operators/roles.ts";
import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { Outcome, Page, Shown, View } from "../../page.ts";
import { operatorMessages } from "./messages.ts";

/** A new operator. */
export const createOperator: Page = {
  path: "/operators/-/new",
  show: (view) => formShown(view, new URLSearchParams()),
  async change(view, form): Promise<Outcome> {
    const body = { name: form.get("name")?.trim() ?? "", ...roleIn(form) };
    const created = await view.api.call("POST /operators", { body });
    if (!created.ok) return formShown(view, form, created.refusal);
    const { id, name } = created.value;
    const done = view.say(operatorMessages).created(name);
    return { goTo: `/operators/${encodeURIComponent(id)}`, done };
  },
};

/** Returns the role and the grants of a form. */
export function roleIn(form: URLSearchParams) {
  return { role: form.get("role") ?? "", grants: GRANTS.filter((grant) => form.has(grant)) };
}

/** The fields of a role. */
export function roleFields(view: View, fields: URLSearchParams, refusal?: Refusal) {
  const say = view.say(operatorMessages);
  const input = ui.inputs(ui.formState(fields, refusal));
  return (
    <>
      {input("role", say.role, { options: ROLES, value: fields.get("role") ?? "viewer" })}
      <ui.CheckField name="content" label={say.content} isChecked={fields.has("content")} />
    </>
  );
}

function formShown(view: View, fields: URLSearchParams, refusal?: Refusal): Shown {
  const say = view.say(operatorMessages);
  const input = ui.inputs(ui.formState(fields, refusal));
  return ui.formPage(view, {
    title: say.new,
    intro: say.newIntro,
    refusal,
    fields: (
      <>
        {input("name", say.name, { maxLength: 100, isRequired: true })}
        {roleFields(view, fields, refusal)}
      </>
    ),
    submit: say.create,
    cancelHref: "/console/operators",
  });
}

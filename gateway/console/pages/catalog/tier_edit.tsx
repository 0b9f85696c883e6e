import * as ui from "../../components/mod.ts";
import type { CatalogTier } from "./content.ts";
import { editMessages } from "./edit_messages.ts";
import { listOf, textsOf } from "./field_values.ts";
import { catalogMessages } from "./messages.ts";
import { missingTier } from "./missing.tsx";
import { entryInputs, NewId } from "./entry_fields.tsx";
import { entryPages, type FormFields } from "./entry_form.tsx";

type Props = FormFields<CatalogTier>;

/** The forms of a tier, and of one that is not there yet: that becomes the highest. */
export const { edit: tierEdit, add: tierNew } = entryPages<CatalogTier>({
  part: "tiers",
  path: "/catalog/tier",
  entries: ({ tiers }) => tiers,
  title(view, id) {
    const { editTier, newTier } = view.say(editMessages);
    return id === undefined ? newTier : editTier(id);
  },
  missing: missingTier,
  cancelHref: () => "/console/catalog/tiers",
  blank: () => new URLSearchParams({ models: "*", orchestration: "auto" }),
  fieldsOf: tierFields,
  entryOf: tierOf,
  fields: (props) => (
    <>
      <Rate {...props} />
      <Texts {...props} />
    </>
  ),
});

function tierFields(tier: CatalogTier): URLSearchParams {
  const { id, creditsPerUsd, models, orchestration, name, description } = tier;
  return new URLSearchParams({
    id,
    creditsPerUsd,
    orchestration,
    models: models === "*" ? "*" : models.join(", "),
    "name.en": name.en,
    "name.zh": name.zh,
    "description.en": description.en,
    "description.zh": description.zh,
  });
}

function tierOf(
  fields: URLSearchParams,
  before: CatalogTier | undefined,
): Record<string, unknown> & { readonly id: string } {
  const models = fields.get("models")?.trim() ?? "";
  return {
    ...before,
    ...textsOf(fields, ["creditsPerUsd", "orchestration"]),
    id: before?.id ?? fields.get("id")?.trim() ?? "",
    models: models === "*" ? "*" : listOf(models),
    name: textsOf(fields, ["en", "zh"], "name."),
    description: textsOf(fields, ["en", "zh"], "description."),
  };
}

function Rate({ view, entered, id }: Props) {
  const say = view.say(catalogMessages);
  const edit = view.say(editMessages);
  const input = entryInputs(entered);
  return (
    <ui.FieldGroup legend={edit.basics}>
      <NewId view={view} entered={entered} id={id} />
      <div class="field-row">
        {input("creditsPerUsd", say.rate, { inputmode: "decimal", isRequired: true })}
        {input("orchestration", say.orchestration, { options: edit.orchestrations })}
      </div>
      {input("models", say.models, { hint: edit.modelsHint, rows: 3 })}
    </ui.FieldGroup>
  );
}

function Texts({ view, entered }: Props) {
  const say = view.say(catalogMessages);
  const { english, chinese } = view.say(editMessages);
  const input = entryInputs(entered);
  const both = (part: "name" | "description") => (
    <ui.FieldGroup legend={say[part]}>
      <div class="field-row">
        {input(`${part}.en`, english, { isRequired: true })}
        {input(`${part}.zh`, chinese, { isRequired: true })}
      </div>
    </ui.FieldGroup>
  );
  return (
    <>
      {both("name")}
      {both("description")}
    </>
  );
}

import * as ui from "../../components/mod.ts";
import type { CatalogTier } from "./content.ts";
import { editMessages } from "./edit_messages.ts";
import { entryFrom, type EntryShape } from "./field_values.ts";
import { catalogMessages } from "./messages.ts";
import { missingTier } from "./missing.tsx";
import { entryInputs, NewId } from "./entry_fields.tsx";
import { entryPages, type FormFields } from "./entry_form.tsx";

type Props = FormFields<CatalogTier>;

/** Texts in every language. */
const TEXTS = ["name", "description"] as const;

const TIER_SHAPE: EntryShape = {
  texts: [
    "creditsPerUsd",
    "orchestration",
    ...TEXTS.flatMap((name) => [`${name}.en`, `${name}.zh`]),
  ],
  lists: ["models"],
  objects: TEXTS,
};

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
  shape: TIER_SHAPE,
  entryOf: tierOf,
  fields: (props) => (
    <>
      <Rate {...props} />
      <Texts {...props} />
    </>
  ),
});

function tierOf(fields: URLSearchParams, before: CatalogTier | undefined) {
  const tier = entryFrom(fields, TIER_SHAPE, before);
  return fields.get("models")?.trim() === "*" ? { ...tier, models: "*" } : tier;
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
  return (
    <>
      {TEXTS.map((name) => (
        <ui.FieldGroup legend={say[name]}>
          <div class="field-row">
            {input(`${name}.en`, english, { isRequired: true })}
            {input(`${name}.zh`, chinese, { isRequired: true })}
          </div>
        </ui.FieldGroup>
      ))}
    </>
  );
}

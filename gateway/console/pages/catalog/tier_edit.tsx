import { ChangeForm, FieldGroup, FormEnd, SelectField, TextArea } from "../../components/form.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { shownText } from "../../components/shown_text.ts";
import type { Outcome, Page, Shown, View } from "../../page.ts";
import { type CatalogTier, currentCatalog } from "./content.ts";
import {
  BaseField,
  baseOf,
  type Entered,
  enteredError,
  EnteredField,
  RemoveField,
  reviewThing,
} from "./edit_form.tsx";
import { editMessages } from "./edit_messages.ts";
import { listOf, textsOf } from "./field_values.ts";
import { catalogMessages } from "./messages.ts";
import { missing } from "./model.tsx";

const TIERS = "/console/catalog/tiers";

/** A tier's form; it leads to the difference. */
export const tierEdit: Page = {
  path: "/catalog/tier/edit",
  async show(view) {
    const { content, version } = await currentCatalog(view);
    const id = view.query.get("id") ?? "";
    const tier = content.tiers.find((each) => each.id === id);
    if (tier === undefined) return missing(view, view.say(catalogMessages).noTier(shownText(id)));
    return formPage(view, { fields: tierFields(tier), base: version }, id);
  },
  change: (view, form) => change(view, form, view.query.get("id") ?? ""),
};

/** The form of a tier that is not there yet: it becomes the highest. */
export const tierNew: Page = {
  path: "/catalog/tier/new",
  async show(view) {
    const { version } = await currentCatalog(view);
    const fields = new URLSearchParams({ models: "*", orchestration: "auto" });
    return formPage(view, { fields, base: version }, undefined);
  },
  change: (view, form) => change(view, form, undefined),
};

function change(view: View, form: URLSearchParams, id: string | undefined): Promise<Outcome> {
  return reviewThing(view, form, {
    part: "tiers",
    id,
    make: ({ tiers }) => tierOf(form, tiers.find((each) => each.id === id)),
    refused: (refusal) => ({
      ...formPage(view, { fields: form, base: baseOf(form), refusal }, id),
      status: refusal.status,
    }),
  });
}

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

function formPage(view: View, entered: Entered, id: string | undefined): Shown {
  const say = view.say(editMessages);
  const title = id === undefined ? say.newTier : say.editTier(id);
  return {
    title,
    body: (
      <>
        <PageHead title={title} intro={say.editIntro} />
        <ChangeForm refusal={entered.refusal}>
          <BaseField base={entered.base} />
          <Rate view={view} entered={entered} isNew={id === undefined} />
          <Texts view={view} entered={entered} />
          {id === undefined ? null : <RemoveField entered={entered} label={say.remove} />}
          <FormEnd view={view} submit={say.check} cancelHref={TIERS} />
        </ChangeForm>
      </>
    ),
  };
}

function Rate({ view, entered, isNew }: { view: View; entered: Entered; isNew: boolean }) {
  const say = view.say(catalogMessages);
  const { id, idHint, modelsHint, orchestrations, basics } = view.say(editMessages);
  const common = { entered, part: "tiers" } as const;
  return (
    <FieldGroup legend={basics}>
      {isNew ? <EnteredField {...common} name="id" label={id} hint={idHint} isRequired /> : null}
      <div class="field-row">
        <EnteredField
          {...common}
          name="creditsPerUsd"
          label={say.rate}
          inputmode="decimal"
          isRequired
        />
        <SelectField
          name="orchestration"
          label={say.orchestration}
          value={entered.fields.get("orchestration") ?? "auto"}
          options={Object.entries(orchestrations).map(([value, text]) => ({ value, text }))}
        />
      </div>
      <TextArea
        name="models"
        label={say.tierModels}
        hint={modelsHint}
        rows={3}
        value={entered.fields.get("models") ?? ""}
        error={enteredError(entered, "tiers", "models")}
      />
    </FieldGroup>
  );
}

function Texts({ view, entered }: { view: View; entered: Entered }) {
  const say = view.say(catalogMessages);
  const { english, chinese } = view.say(editMessages);
  return (
    <>
      <FieldGroup legend={say.name}>
        <div class="field-row">
          <EnteredField entered={entered} part="tiers" name="name.en" label={english} />
          <EnteredField entered={entered} part="tiers" name="name.zh" label={chinese} />
        </div>
      </FieldGroup>
      <FieldGroup legend={say.description}>
        <EnteredField entered={entered} part="tiers" name="description.en" label={english} />
        <EnteredField entered={entered} part="tiers" name="description.zh" label={chinese} />
      </FieldGroup>
    </>
  );
}

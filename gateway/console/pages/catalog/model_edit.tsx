import {
  ChangeForm,
  CheckField,
  FieldGroup,
  FormEnd,
  SelectField,
  TextArea,
} from "../../components/form.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { shownText } from "../../components/shown_text.ts";
import type { Outcome, Page, Shown, View } from "../../page.ts";
import { ENDPOINTS, modelHref } from "./addresses.ts";
import { currentCatalog } from "./content.ts";
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
import { catalogMessages } from "./messages.ts";
import { missing } from "./model.tsx";
import { modelFields, modelOf, PRICE_FIELDS } from "./model_form.ts";

/** A model's form; it leads to the difference. */
export const modelEdit: Page = {
  path: "/catalog/model/edit",
  async show(view) {
    const { content, version } = await currentCatalog(view);
    const id = view.query.get("id") ?? "";
    const model = content.models.find((each) => each.id === id);
    if (model === undefined) return missing(view, view.say(catalogMessages).noModel(shownText(id)));
    const upstreams = content.upstreams.map((upstream) => upstream.id);
    return formPage(view, { fields: modelFields(model), base: version }, { id, upstreams });
  },
  change: (view, form) => change(view, form, view.query.get("id") ?? ""),
};

/** The form of a model that is not there yet. */
export const modelNew: Page = {
  path: "/catalog/model/new",
  async show(view) {
    const { content, version } = await currentCatalog(view);
    const upstreams = content.upstreams.map((upstream) => upstream.id);
    const upstream = view.query.get("upstream") ?? upstreams[0] ?? "";
    const upstreamModel = view.query.get("model") ?? "";
    const fields = new URLSearchParams({ upstream, upstreamModel, quality: "0.5" });
    if (/^[\w./-]{1,128}$/.test(upstreamModel)) fields.set("id", upstreamModel);
    for (const endpoint of ["chat", "responses"]) fields.append("endpoints", endpoint);
    return formPage(view, { fields, base: version }, { id: undefined, upstreams });
  },
  change: (view, form) => change(view, form, undefined),
};

async function change(
  view: View,
  form: URLSearchParams,
  id: string | undefined,
): Promise<Outcome> {
  const { content } = await currentCatalog(view);
  const upstreams = content.upstreams.map((upstream) => upstream.id);
  return await reviewThing(view, form, {
    part: "models",
    id,
    make: ({ models }) => modelOf(form, models.find((each) => each.id === id)),
    refused: (refusal) => ({
      ...formPage(view, { fields: form, base: baseOf(form), refusal }, { id, upstreams }),
      status: refusal.status,
    }),
  });
}

interface FormOf {
  readonly id: string | undefined;
  readonly upstreams: readonly string[];
}

function formPage(view: View, entered: Entered, { id, upstreams }: FormOf): Shown {
  const say = view.say(editMessages);
  const title = id === undefined ? say.newModel : say.editModel(id);
  return {
    title,
    body: (
      <>
        <PageHead title={title} intro={say.editIntro} />
        <ChangeForm refusal={entered.refusal}>
          <BaseField base={entered.base} />
          <PriceFields view={view} entered={entered} />
          <Basics view={view} entered={entered} upstreams={upstreams} isNew={id === undefined} />
          <Abilities view={view} entered={entered} />
          <Descriptions view={view} entered={entered} />
          <CheckField
            name="disabled"
            label={say.disabled}
            isChecked={entered.fields.has("disabled")}
          />
          {id === undefined ? null : <RemoveField entered={entered} label={say.remove} />}
          <FormEnd
            view={view}
            submit={say.check}
            cancelHref={id === undefined ? "/console/catalog" : modelHref(id)}
          />
        </ChangeForm>
      </>
    ),
  };
}

function PriceFields({ view, entered }: { view: View; entered: Entered }) {
  const say = view.say(catalogMessages);
  return (
    <FieldGroup legend={say.price}>
      <p class="hint">{say.priceIntro}</p>
      <div class="field-row">
        {PRICE_FIELDS.map((name) => (
          <EnteredField
            entered={entered}
            part="models"
            name={`price.${name}`}
            label={say.prices[name]}
            inputmode="decimal"
          />
        ))}
      </div>
    </FieldGroup>
  );
}

function Basics(
  { view, entered, upstreams, isNew }: {
    view: View;
    entered: Entered;
    upstreams: readonly string[];
    isNew: boolean;
  },
) {
  const say = view.say(catalogMessages);
  const { basics, id, idHint } = view.say(editMessages);
  const common = { entered, part: "models" } as const;
  return (
    <FieldGroup legend={basics}>
      {isNew ? <EnteredField {...common} name="id" label={id} hint={idHint} isRequired /> : null}
      <div class="field-row">
        <EnteredField {...common} name="name" label={say.name} />
        <SelectField
          name="upstream"
          label={say.upstream}
          value={entered.fields.get("upstream") ?? ""}
          error={enteredError(entered, "models", "upstream")}
          options={upstreams.map((value) => ({ value, text: value }))}
        />
        <EnteredField {...common} name="upstreamModel" label={say.upstreamModel} />
        <EnteredField {...common} name="sku" label={say.sku} />
      </div>
    </FieldGroup>
  );
}

function Abilities({ view, entered }: { view: View; entered: Entered }) {
  const say = view.say(catalogMessages);
  const { listHint, qualityHint } = view.say(editMessages);
  const common = { entered, part: "models" } as const;
  const chosen = entered.fields.getAll("endpoints");
  return (
    <>
      <FieldGroup legend={say.endpoints}>
        <div class="field-row">
          {ENDPOINTS.map((each) => (
            <CheckField
              name="endpoints"
              value={each}
              label={each}
              isChecked={chosen.includes(each)}
            />
          ))}
        </div>
      </FieldGroup>
      <FieldGroup legend={say.limits}>
        <div class="field-row">
          <EnteredField
            {...common}
            name="quality"
            label={say.quality}
            hint={qualityHint}
            inputmode="decimal"
          />
          <EnteredField
            {...common}
            name="contextTokens"
            label={`${say.context} (${say.tokens})`}
            inputmode="numeric"
          />
          <EnteredField
            {...common}
            name="maxOutputTokens"
            label={`${say.maxOutput} (${say.tokens})`}
            inputmode="numeric"
          />
        </div>
        <EnteredField {...common} name="featureTags" label={say.tags} hint={listHint} />
        <EnteredField {...common} name="industryPacks" label={say.packs} hint={listHint} />
      </FieldGroup>
    </>
  );
}

function Descriptions({ view, entered }: { view: View; entered: Entered }) {
  const say = view.say(editMessages);
  const field = (language: "en" | "zh", label: string) => (
    <TextArea
      name={`description.${language}`}
      label={label}
      rows={3}
      value={entered.fields.get(`description.${language}`) ?? ""}
      error={enteredError(entered, "models", `description.${language}`)}
    />
  );
  return (
    <FieldGroup legend={view.say(catalogMessages).description}>
      {field("en", say.english)}
      {field("zh", say.chinese)}
    </FieldGroup>
  );
}

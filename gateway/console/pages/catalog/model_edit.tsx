import { ENDPOINTS } from "../../../domain/requests/endpoints.ts";
import * as ui from "../../components/mod.ts";
import { modelHref } from "./addresses.ts";
import type { CatalogModel, CatalogText } from "./content.ts";
import { editMessages } from "./edit_messages.ts";
import { catalogMessages } from "./messages.ts";
import { missingModel } from "./missing.tsx";
import { MODEL_SHAPE, PRICE_FIELDS } from "./model_form.ts";
import { EnteredError, entryInputs, isEntered, NewId } from "./entry_fields.tsx";
import { entryPages, type FormFields } from "./entry_form.tsx";

type Props = FormFields<CatalogModel>;

/** The forms of a model, and of one that is not there yet. */
export const { edit: modelEdit, add: modelNew } = entryPages<CatalogModel>({
  part: "models",
  path: "/catalog/model",
  entries: ({ models }) => models,
  title(view, id) {
    const { editModel, newModel } = view.say(editMessages);
    return id === undefined ? newModel : editModel(id);
  },
  missing: missingModel,
  cancelHref: (id) => id === undefined ? "/console/catalog" : modelHref(id),
  blank({ query }, { upstreams }) {
    const upstream = query.get("upstream") ?? upstreams[0]?.id ?? "";
    const upstreamModel = query.get("model") ?? "";
    const fields = new URLSearchParams({ upstream, upstreamModel, quality: "0.5" });
    if (/^[\w./-]{1,128}$/.test(upstreamModel)) fields.set("id", upstreamModel);
    for (const endpoint of ["chat", "responses"]) fields.append("endpoints", endpoint);
    return fields;
  },
  shape: MODEL_SHAPE,
  removedWith: withoutModel,
  fields: (props) => (
    <>
      <Basics {...props} />
      <PriceFields {...props} />
      <Abilities {...props} />
      <Descriptions {...props} />
      <ui.CheckField
        name="disabled"
        label={props.view.say(editMessages).disabled}
        isChecked={props.entered.fields.has("disabled")}
      />
    </>
  ),
});

/** Tiers that name a model do not go on naming it when it is gone: nothing could be applied. */
function withoutModel({ tiers }: CatalogText, id: string): Partial<CatalogText> {
  return {
    tiers: tiers.map((tier) =>
      tier.models === "*" ? tier : { ...tier, models: tier.models.filter((each) => each !== id) }
    ),
  };
}

/** Prices that most models have. */
const USUAL_PRICES = ["inputPerMTok", "outputPerMTok", "cachedInputPerMTok", "perImage"] as const;

function PriceFields({ view, entered }: Props) {
  const say = view.say(catalogMessages);
  const rare = PRICE_FIELDS.filter((name) => !USUAL_PRICES.some((usual) => usual === name));
  const input = entryInputs(entered);
  const price = (name: typeof PRICE_FIELDS[number]) =>
    input(`price.${name}`, say.prices[name], { inputmode: "decimal" });
  return (
    <ui.FieldGroup legend={say.price}>
      <p class="hint">{say.priceIntro}</p>
      <div class="field-row">{USUAL_PRICES.map(price)}</div>
      <ui.Fold
        title={view.say(editMessages).morePrices}
        isOpen={isEntered(entered, rare.map((name) => `price.${name}`))}
      >
        <div class="field-row">{rare.map(price)}</div>
      </ui.Fold>
      <EnteredError entered={entered} name="price" />
    </ui.FieldGroup>
  );
}

function Basics({ view, entered, content, id }: Props) {
  const say = view.say(catalogMessages);
  const input = entryInputs(entered);
  return (
    <ui.FieldGroup legend={view.say(editMessages).basics}>
      <NewId view={view} entered={entered} id={id} />
      <div class="field-row">
        {input("name", say.name)}
        {input("upstream", say.upstream, { options: content.upstreams.map(({ id }) => id) })}
        {input("upstreamModel", say.upstreamModel)}
        {input("sku", say.sku)}
      </div>
    </ui.FieldGroup>
  );
}

function Abilities({ view, entered }: Props) {
  const say = view.say(catalogMessages);
  const { listHint: hint, qualityHint } = view.say(editMessages);
  const chosen = entered.fields.getAll("endpoints");
  const input = entryInputs(entered);
  const tokens = (name: string, label: string) =>
    input(name, `${label} (${say.tokens})`, { inputmode: "numeric" });
  return (
    <>
      <ui.FieldGroup legend={say.endpoints}>
        <div class="field-row">
          {ENDPOINTS.map((each) => (
            <ui.CheckField
              {...{ name: "endpoints", value: each, label: each }}
              isChecked={chosen.includes(each)}
            />
          ))}
        </div>
        <EnteredError entered={entered} name="endpoints" />
      </ui.FieldGroup>
      <ui.FieldGroup legend={say.limits}>
        <div class="field-row">
          {input("quality", say.quality, {
            ...{ hint: qualityHint, inputmode: "decimal", isRequired: true },
          })}
          {tokens("contextTokens", say.context)}
          {tokens("maxOutputTokens", say.maxOutput)}
        </div>
        {input("featureTags", say.tags, { hint })}
        {input("industryPacks", say.packs, { hint })}
      </ui.FieldGroup>
    </>
  );
}

function Descriptions({ view, entered }: Props) {
  const { english, chinese } = view.say(editMessages);
  const input = entryInputs(entered);
  return (
    <ui.FieldGroup legend={view.say(catalogMessages).description}>
      {input("description.en", english, { rows: 3 })}
      {input("description.zh", chinese, { rows: 3 })}
    </ui.FieldGroup>
  );
}

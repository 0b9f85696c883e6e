import { UPSTREAM_KINDS } from "../../../config/schema.ts";
import {
  ChangeForm,
  CheckField,
  FieldGroup,
  FormEnd,
  SelectField,
} from "../../components/form.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { shownText } from "../../components/shown_text.ts";
import type { Outcome, Page, Shown, View } from "../../page.ts";
import { upstreamHref } from "../catalog/addresses.ts";
import { currentCatalog } from "../catalog/content.ts";
import {
  BaseField,
  baseOf,
  type Entered,
  enteredError,
  EnteredField,
  RemoveField,
  reviewThing,
} from "../catalog/edit_form.tsx";
import { editMessages } from "../catalog/edit_messages.ts";
import { missing } from "../catalog/model.tsx";
import { upstreamMessages } from "./messages.ts";
import { PLACES, upstreamFields, upstreamOf, VARIABLES } from "./upstream_form.ts";

/** The form of an upstream. */
export function upstreamEditHref(id: string): string {
  return `/console/upstreams/upstream/edit?${new URLSearchParams({ id })}`;
}

/** An upstream's form; it leads to the difference. */
export const upstreamEdit: Page = {
  path: "/upstreams/upstream/edit",
  async show(view) {
    const { content, version } = await currentCatalog(view);
    const id = view.query.get("id") ?? "";
    const upstream = content.upstreams.find((each) => each.id === id);
    if (upstream === undefined) {
      return missing(view, view.say(upstreamMessages).noUpstream(shownText(id)));
    }
    const hasKey = upstream.apiKey !== undefined;
    return formPage(view, { fields: upstreamFields(upstream), base: version }, { id, hasKey });
  },
  change: (view, form) => change(view, form, view.query.get("id") ?? ""),
};

/** The form of an upstream that is not there yet. */
export const upstreamNew: Page = {
  path: "/upstreams/upstream/new",
  async show(view) {
    const { version } = await currentCatalog(view);
    const fields = new URLSearchParams({ kind: "openai-compatible", onDisconnect: "cancel" });
    return formPage(view, { fields, base: version }, { id: undefined, hasKey: false });
  },
  change: (view, form) => change(view, form, undefined),
};

async function change(
  view: View,
  form: URLSearchParams,
  id: string | undefined,
): Promise<Outcome> {
  const { content } = await currentCatalog(view);
  const hasKey = content.upstreams.find((each) => each.id === id)?.apiKey !== undefined;
  return await reviewThing(view, form, {
    part: "upstreams",
    id,
    make: ({ upstreams }) => upstreamOf(form, upstreams.find((each) => each.id === id)),
    refused: (refusal) => ({
      ...formPage(view, { fields: form, base: baseOf(form), refusal }, { id, hasKey }),
      status: refusal.status,
    }),
  });
}

interface FormOf {
  readonly id: string | undefined;
  /** A key is kept in the catalog. */
  readonly hasKey: boolean;
}

function formPage(view: View, entered: Entered, { id, hasKey }: FormOf): Shown {
  const say = view.say(upstreamMessages);
  const edit = view.say(editMessages);
  const title = id === undefined ? say.newTitle : say.editTitle(id);
  return {
    title,
    body: (
      <>
        <PageHead title={title} intro={edit.editIntro} />
        <ChangeForm refusal={entered.refusal}>
          <Where view={view} entered={entered} isNew={id === undefined} />
          <Credentials view={view} entered={entered} hasKey={hasKey} />
          <Limits view={view} entered={entered} />
          {id === undefined ? null : <RemoveField entered={entered} label={edit.remove} />}
          <FormEnd
            view={view}
            submit={edit.check}
            cancelHref={id === undefined ? "/console/upstreams" : upstreamHref(id)}
          />
          <BaseField base={entered.base} />
        </ChangeForm>
      </>
    ),
  };
}

function Where({ view, entered, isNew }: { view: View; entered: Entered; isNew: boolean }) {
  const say = view.say(upstreamMessages);
  const { id, idHint } = view.say(editMessages);
  const common = { entered, part: "upstreams" } as const;
  return (
    <FieldGroup legend={say.where}>
      {isNew ? <EnteredField {...common} name="id" label={id} hint={idHint} isRequired /> : null}
      <div class="field-row">
        <SelectField
          name="kind"
          label={say.kind}
          value={entered.fields.get("kind") ?? ""}
          error={enteredError(entered, "upstreams", "kind")}
          options={UPSTREAM_KINDS.map((kind) => ({ value: kind, text: kind }))}
        />
        <EnteredField {...common} name="provider" label={say.provider} />
      </div>
      <EnteredField {...common} name="baseUrl" label={say.address} />
      <div class="field-row">
        {PLACES.map((name) => (
          <EnteredField key={name} {...common} name={name} label={say.places[name]} />
        ))}
      </div>
    </FieldGroup>
  );
}

function Credentials(
  { view, entered, hasKey }: { view: View; entered: Entered; hasKey: boolean },
) {
  const say = view.say(upstreamMessages);
  return (
    <FieldGroup legend={say.keys}>
      <p class="hint">{say.keysHint}</p>
      <div class="field-row">
        {VARIABLES.map((name) => (
          <EnteredField
            key={name}
            entered={entered}
            part="upstreams"
            name={name}
            label={say.variables[name]}
          />
        ))}
      </div>
      {hasKey
        ? (
          <>
            <p class="hint">{say.storedKey}</p>
            <CheckField
              name="forgetKey"
              label={say.forgetKey}
              isChecked={entered.fields.has("forgetKey")}
            />
          </>
        )
        : null}
    </FieldGroup>
  );
}

function Limits({ view, entered }: { view: View; entered: Entered }) {
  const say = view.say(upstreamMessages);
  const common = { entered, part: "upstreams", inputmode: "numeric" } as const;
  return (
    <FieldGroup legend={say.limits}>
      <p class="hint">{say.defaultHint}</p>
      <div class="field-row">
        <EnteredField {...common} name="maxInFlight" label={say.maxInFlight} />
        {(["connectMs", "firstByteMs", "idleMs"] as const).map((name) => (
          <EnteredField key={name} {...common} name={`timeouts.${name}`} label={say[name]} />
        ))}
        <SelectField
          name="onDisconnect"
          label={say.onDisconnect}
          value={entered.fields.get("onDisconnect") ?? "cancel"}
          options={Object.entries(say.onDisconnects).map(([value, text]) => ({ value, text }))}
        />
      </div>
    </FieldGroup>
  );
}

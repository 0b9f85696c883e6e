import { UPSTREAM_KINDS } from "../../../config/schema.ts";
import * as ui from "../../components/mod.ts";
import { upstreamHref } from "../catalog/addresses.ts";
import type { CatalogUpstream } from "../catalog/content.ts";
import { missing } from "../catalog/missing.tsx";
import { EnteredError, entryInputs, isEntered, isWrong, NewId } from "../catalog/entry_fields.tsx";
import { entryPages, type FormFields } from "../catalog/entry_form.tsx";
import type { Shown, View } from "../../page.ts";
import { upstreamMessages } from "./messages.ts";
import { PLACES, TIMEOUTS, UPSTREAM_SHAPE, upstreamOf, VARIABLES } from "./upstream_form.ts";

type Props = FormFields<CatalogUpstream>;

const UPSTREAMS = "/console/upstreams";

/** The form of an upstream. */
export function upstreamEditHref(id: string): string {
  return `${UPSTREAMS}/upstream/edit?${new URLSearchParams({ id })}`;
}

/** The forms of an upstream, and of one that is not there yet. */
export const { edit: upstreamEdit, add: upstreamNew } = entryPages<CatalogUpstream>({
  part: "upstreams",
  path: "/upstreams/upstream",
  entries: ({ upstreams }) => upstreams,
  title(view, id) {
    const { editTitle, add } = view.say(upstreamMessages);
    return id === undefined ? add : editTitle(id);
  },
  missing: missingUpstream,
  cancelHref: (id) => id === undefined ? UPSTREAMS : upstreamHref(id),
  blank: () => new URLSearchParams({ kind: "openai-compatible", onDisconnect: "cancel" }),
  shape: UPSTREAM_SHAPE,
  entryOf: upstreamOf,
  fields: (props) => (
    <>
      <Where {...props} />
      <Credentials {...props} />
      <Limits {...props} />
    </>
  ),
});

/** In place of the page of an upstream that is not there. */
export function missingUpstream(view: View, id: string): Shown {
  const say = view.say(upstreamMessages);
  return missing(view, say.noUpstream(ui.shownText(id)), { text: say.title, href: UPSTREAMS });
}

function Where({ view, entered, id }: Props) {
  const say = view.say(upstreamMessages);
  const input = entryInputs(entered);
  return (
    <ui.FieldGroup legend={say.where}>
      <NewId view={view} entered={entered} id={id} />
      <div class="field-row">
        {input("kind", say.kind, { options: UPSTREAM_KINDS })}
        {input("provider", say.provider)}
      </div>
      {input("baseUrl", say.address)}
      <ui.Fold title={say.cloud} isOpen={isEntered(entered, PLACES)}>
        <div class="field-row">
          {PLACES.map((name) => input(name, say.places[name]))}
        </div>
      </ui.Fold>
    </ui.FieldGroup>
  );
}

function Credentials({ view, entered, entry }: Props) {
  const say = view.say(upstreamMessages);
  const [usual, ...rare] = VARIABLES;
  const input = entryInputs(entered);
  const variable = (name: typeof VARIABLES[number]) => input(name, say.variables[name]);
  return (
    <ui.FieldGroup legend={say.keys}>
      <p class="hint">{say.keysHint}</p>
      {variable(usual)}
      <ui.Fold title={say.cloudKeys} isOpen={isEntered(entered, rare)}>
        <div class="field-row">{rare.map(variable)}</div>
      </ui.Fold>
      {entry?.apiKey !== undefined && (
        <>
          <p class="hint">{say.storedKey}</p>
          <ui.CheckField
            name="forgetKey"
            label={say.forgetKey}
            isChecked={entered.fields.has("forgetKey")}
          />
        </>
      )}
      <EnteredError entered={entered} name="apiKey" />
    </ui.FieldGroup>
  );
}

function Limits({ view, entered }: Props) {
  const say = view.say(upstreamMessages);
  const names = ["maxInFlight", "onDisconnect", ...TIMEOUTS.map((name) => `timeouts.${name}`)];
  const input = entryInputs(entered);
  const number = (name: string, label: string) => input(name, label, { inputmode: "numeric" });
  return (
    <ui.Fold title={say.limits} isOpen={isWrong(entered, names)}>
      <p class="hint">{say.defaultHint}</p>
      <div class="field-row">
        {number("maxInFlight", say.maxInFlight)}
        {TIMEOUTS.map((name) => number(`timeouts.${name}`, say.inMs(say.timeouts[name])))}
        {input("onDisconnect", say.onDisconnect, { options: say.onDisconnects })}
      </div>
    </ui.Fold>
  );
}

import type { Child } from "@hono/hono/jsx";
import * as ui from "../../components/mod.ts";
import type { View } from "../../page.ts";
import { ChoiceField, RadioField } from "./choice_field.tsx";
import type { Choices } from "./choices.ts";
import { type FieldName, formMessages } from "./form_messages.ts";
import { limitOf, LIST_FIELDS, type ListField } from "./policy_form.ts";

/** Limits of how fast a key may call. */
const PACE = ["requestsPerMinute", "tokensPerMinute", "concurrentRequests"] as const;

/** What the fields of a policy are shown with. */
export interface PolicyFieldsProps {
  readonly view: View;
  /** What they are filled in with. */
  readonly fields: URLSearchParams;
  readonly choices: Choices;
  /** What is wrong, by field. */
  readonly errors: ReadonlyMap<string, string>;
}

/** Every field of a policy, in groups. */
export function PolicyFields(props: PolicyFieldsProps) {
  const { view, fields, choices, errors } = props;
  const say = view.say(formMessages);
  const rare = LIST_FIELDS.filter((name) => !isUsual(name));
  const list = (name: ListField) => (
    <ChoiceField
      key={name}
      {...{ view, name, fields }}
      choices={choices[name]}
      error={errors.get(name)}
    />
  );
  return (
    <>
      <ui.FieldGroup legend={say.groups.calls}>
        {LIST_FIELDS.filter(isUsual).map(list)}
        <ui.Fold title={say.moreCalls} isOpen={rare.some((name) => isLimited(props, name))}>
          {rare.map(list)}
        </ui.Fold>
      </ui.FieldGroup>
      <ui.FieldGroup legend={say.groups.money}>
        <Row>
          <Limit {...props} name="maxChargePerRequest" hint={say.credits} />
          <Limit {...props} name="budget_day" hint={say.budgetHint} />
          <Limit {...props} name="budget_month" hint={say.budgetHint} />
          <Limit {...props} name="budget_total" hint={say.budgetHint} />
        </Row>
      </ui.FieldGroup>
      <ui.Fold title={say.groups.pace} isOpen={isSet(props, PACE)}>
        <Row>
          {PACE.map((name) => <Limit key={name} {...props} name={name} hint={say.count} />)}
        </Row>
      </ui.Fold>
      <Place {...props} />
      <Orchestration {...props} />
      <ui.FieldGroup legend={say.groups.dialect}>
        <RadioField
          name="dialect"
          legend={say.fields.dialect}
          options={say.dialects}
          fields={fields}
          error={errors.get("dialect")}
        />
      </ui.FieldGroup>
    </>
  );
}

/** Limits that are chosen now and then; the others are folded. */
function isUsual(name: ListField): boolean {
  return name === "endpoints" || name === "models";
}

/** True where a list has a limit or a mistake. */
function isLimited({ fields, errors }: PolicyFieldsProps, name: ListField): boolean {
  return fields.get(limitOf(name)) === "some" || errors.has(name);
}

/** True where one of the fields has a value or a mistake. */
function isSet({ fields, errors }: PolicyFieldsProps, names: readonly string[]): boolean {
  return names.some((name) => (fields.get(name) ?? "") !== "" || errors.has(name));
}

/** A number: credits, or a count. */
function Limit(
  { view, fields, errors, name, hint }: PolicyFieldsProps & { name: FieldName; hint: string },
) {
  return (
    <ui.TextField
      name={name}
      label={view.say(formMessages).fields[name]}
      hint={hint}
      value={fields.get(name) ?? ""}
      error={errors.get(name)}
      inputmode="decimal"
      maxLength={40}
    />
  );
}

function Place(props: PolicyFieldsProps) {
  const { view, fields, errors } = props;
  const say = view.say(formMessages);
  return (
    <ui.Fold title={say.groups.place} isOpen={isSet(props, ["ipRanges", "expiresAt"])}>
      <Row>
        <ui.TextArea
          name="ipRanges"
          label={say.fields.ipRanges}
          hint={say.ipHint}
          value={fields.get("ipRanges") ?? ""}
          error={errors.get("ipRanges")}
          rows={3}
        />
        <ui.TextField
          name="expiresAt"
          type="datetime-local"
          label={say.fields.expiresAt}
          hint={say.expiresHint}
          value={fields.get("expiresAt") ?? ""}
          error={errors.get("expiresAt")}
        />
      </Row>
    </ui.Fold>
  );
}

function Orchestration({ view, fields, errors }: PolicyFieldsProps) {
  const say = view.say(formMessages);
  return (
    <ui.FieldGroup legend={say.groups.orchestration}>
      <RadioField
        name="mode"
        legend={say.fields.mode}
        options={say.modes}
        fields={fields}
        error={errors.get("mode")}
      />
      <RadioField
        name="stream"
        legend={say.fields.stream}
        options={say.streams}
        fields={fields}
        error={errors.get("stream")}
      />
    </ui.FieldGroup>
  );
}

function Row({ children }: { children: Child }) {
  return <div class="field-row">{children}</div>;
}

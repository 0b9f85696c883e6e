import type { Child } from "@hono/hono/jsx";
import { FieldGroup, TextArea, TextField } from "../../components/form.tsx";
import type { View } from "../../page.ts";
import { ChoiceField, RadioField } from "./choice_field.tsx";
import type { Choices } from "./choices.ts";
import { type FieldName, formMessages } from "./form_messages.ts";
import { LIST_FIELDS } from "./policy_form.ts";

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
  return (
    <>
      <FieldGroup legend={say.groups.calls}>
        {LIST_FIELDS.map((name) => (
          <ChoiceField
            key={name}
            {...{ view, name, fields }}
            choices={choices[name]}
            error={errors.get(name)}
          />
        ))}
      </FieldGroup>
      <FieldGroup legend={say.groups.money}>
        <Row>
          <Limit {...props} name="maxChargePerRequest" hint={say.credits} />
          <Limit {...props} name="budget_day" hint={say.budgetHint} />
          <Limit {...props} name="budget_month" hint={say.budgetHint} />
          <Limit {...props} name="budget_total" hint={say.budgetHint} />
        </Row>
      </FieldGroup>
      <FieldGroup legend={say.groups.pace}>
        <Row>
          <Limit {...props} name="requestsPerMinute" hint={say.count} />
          <Limit {...props} name="tokensPerMinute" hint={say.count} />
          <Limit {...props} name="concurrentRequests" hint={say.count} />
        </Row>
      </FieldGroup>
      <Place {...props} />
      <Orchestration {...props} />
      <FieldGroup legend={say.groups.dialect}>
        <RadioField
          name="dialect"
          legend={say.fields.dialect}
          options={say.dialects}
          fields={fields}
          error={errors.get("dialect")}
        />
      </FieldGroup>
    </>
  );
}

/** A number: credits, or a count. */
function Limit(
  { view, fields, errors, name, hint }: PolicyFieldsProps & { name: FieldName; hint: string },
) {
  return (
    <TextField
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

function Place({ view, fields, errors }: PolicyFieldsProps) {
  const say = view.say(formMessages);
  return (
    <FieldGroup legend={say.groups.place}>
      <Row>
        <TextArea
          name="ipRanges"
          label={say.fields.ipRanges}
          hint={say.ipHint}
          value={fields.get("ipRanges") ?? ""}
          error={errors.get("ipRanges")}
          rows={3}
        />
        <TextField
          name="expiresAt"
          type="datetime-local"
          label={say.fields.expiresAt}
          hint={say.expiresHint}
          value={fields.get("expiresAt") ?? ""}
          error={errors.get("expiresAt")}
        />
      </Row>
    </FieldGroup>
  );
}

function Orchestration({ view, fields, errors }: PolicyFieldsProps) {
  const say = view.say(formMessages);
  return (
    <FieldGroup legend={say.groups.orchestration}>
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
    </FieldGroup>
  );
}

function Row({ children }: { children: Child }) {
  return <div class="field-row">{children}</div>;
}

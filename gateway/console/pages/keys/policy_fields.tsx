import type { Child } from "@hono/hono/jsx";
import { DEFAULT_FILE_QUOTA, ROOM_PARTS } from "../../../domain/policy/file_quota.ts";
import * as ui from "../../components/mod.ts";
import type { InView, View } from "../../page.ts";
import type { Choices } from "./choices.ts";
import { type FieldName, formMessages } from "./form_messages.ts";
import { limitOf, LIST_FIELDS, type ListField } from "./policy_form.ts";

/** Limits of how fast a key may call. */
const BUDGETS = ["budget_day", "budget_month", "budget_total"] as const;
const EMBEDDINGS = ["embeddings_model", "embeddings_dimensions"] as const;
const PACE = ["requestsPerMinute", "tokensPerMinute", "concurrentRequests"] as const;

/** Properties of the fields of a policy. */
export interface PolicyFieldsProps {
  readonly view: View;
  /** The values of the fields. */
  readonly fields: URLSearchParams;
  readonly choices: Choices;
  /** The problems, by field. */
  readonly errors: ReadonlyMap<string, string>;
}

/** Every field of a policy, in groups. */
export function PolicyFields(props: PolicyFieldsProps) {
  const { view, fields, choices, errors } = props;
  const say = view.say(formMessages);
  const { input, limit, radio } = controlsOf(props);
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
          {limit("maxChargePerRequest", say.credits)}
          {BUDGETS.map((name) => limit(name, say.budgetHint))}
        </Row>
        <NameFields {...props} />
      </ui.FieldGroup>
      <ui.Fold title={say.groups.pace} isOpen={isSet(props, PACE)}>
        <Row>
          {PACE.map((name) => limit(name, say.count))}
        </Row>
      </ui.Fold>
      <ui.Fold title={say.groups.place} isOpen={isSet(props, ["ipRanges", "expiresAt"])}>
        <Row>
          {input("ipRanges", say.fields.ipRanges, { hint: say.ipHint, rows: 3 })}
          {input("expiresAt", say.fields.expiresAt, {
            ...{ hint: say.expiresHint, type: "datetime-local" },
          })}
        </Row>
      </ui.Fold>
      <ui.FieldGroup legend={say.groups.orchestration}>
        {radio("mode", say.modes)}
        {radio("stream", say.streams)}
      </ui.FieldGroup>
      <ui.FieldGroup legend={say.groups.dialect}>
        {radio("dialect", say.dialects)}
      </ui.FieldGroup>
      <AutoFields {...props} />
      <ui.FieldGroup legend={say.groups.holder}>
        {radio("wallet_sight", say.walletSights)}
      </ui.FieldGroup>
      <FileFields {...props} />
    </>
  );
}

/** The budgets of users and tags, and the names that calls must have. */
function NameFields(props: PolicyFieldsProps) {
  const { view, fields } = props;
  const say = view.say(formMessages);
  const { input, radio } = controlsOf(props);
  const isOpen = isSet(props, ["budgets", "requiredTags"]) || fields.get("requiredUser") === "on";
  return (
    <ui.Fold title={say.namedBudgets} isOpen={isOpen}>
      <Row>
        {input("budgets", say.fields.budgets, { hint: say.budgetsHint, rows: 3 })}
        {input("requiredTags", say.fields.requiredTags, { hint: say.requiredTagsHint })}
      </Row>
      {radio("requiredUser", say.userChoices)}
    </ui.Fold>
  );
}

/** The fields of the choice of models. */
function AutoFields(props: PolicyFieldsProps) {
  const say = props.view.say(formMessages);
  const { limit, radio } = controlsOf(props);
  return (
    <ui.FieldGroup legend={say.groups.auto}>
      <Row>
        {limit("auto_dial", say.dialHint)}
        {limit("auto_maxDial", say.maxDialHint)}
        {limit("auto_qualityFloor", say.qualityFloorHint)}
      </Row>
      {radio("auto_verify", say.verifyModes)}
      {radio("auto_audits", say.auditChoices)}
    </ui.FieldGroup>
  );
}

/** The fields of the room for files, and of the embedding model. */
function FileFields(props: PolicyFieldsProps) {
  const say = props.view.say(formMessages);
  const { input, limit } = controlsOf(props);
  const room = ROOM_PARTS.map((part) => [`files_${part}` as const, part] as const);
  return (
    <>
      <ui.Fold title={say.groups.files} isOpen={isSet(props, room.map(([name]) => name))}>
        <Row>
          {room.map(([name, part]) =>
            limit(name, say.roomHint(DEFAULT_FILE_QUOTA[part].toLocaleString("en-US")))
          )}
        </Row>
      </ui.Fold>
      <ui.Fold title={say.groups.embeddings} isOpen={isSet(props, EMBEDDINGS)}>
        <Row>
          {input("embeddings_model", say.fields.embeddings_model, { hint: say.embeddingsHint })}
          {limit("embeddings_dimensions", say.lengthHint)}
        </Row>
      </ui.Fold>
    </>
  );
}

/** Returns functions that make the controls of the form. */
function controlsOf({ view, fields, errors }: PolicyFieldsProps) {
  const say = view.say(formMessages);
  const input = ui.inputs({ fields, errorOf: (name) => errors.get(name) });
  const limit = (name: FieldName, hint: string) =>
    input(name, say.fields[name], { hint, inputmode: "decimal", maxLength: 40 });
  const radio = (
    name:
      | ("mode" | "stream" | "dialect" | "auto_verify" | "auto_audits" | "wallet_sight")
      | "requiredUser",
    options: Readonly<Record<string, readonly string[]>>,
  ) => (
    <RadioField {...{ name, options, fields, legend: say.fields[name], error: errors.get(name) }} />
  );
  return { input, limit, radio };
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

function Row({ children }: { children: Child }) {
  return <div class="field-row">{children}</div>;
}

/** A list of a policy: all there is, or only what is chosen. The choices show where they count. */
export function ChoiceField({ view, name, choices, fields, error }: InView<{
  name: ListField;
  choices: readonly string[];
  fields: URLSearchParams;
  error: string | undefined;
}>) {
  const say = view.say(formMessages);
  const chosen = new Set(fields.getAll(name));
  const isLimited = fields.get(limitOf(name)) === "some";
  return (
    <Choice name={name} legend={say.fields[name]} error={error}>
      <div class="choice-limit">
        {(["all", "some"] as const).map((limit) => (
          <label class="check">
            <input
              type="radio"
              name={limitOf(name)}
              value={limit}
              checked={isLimited === (limit === "some")}
            />
            <span>{say[limit]}</span>
          </label>
        ))}
        <p class="hint choice-all">{say.allHints[name]}</p>
        <p class="hint choice-some">{say.someHints[name]}</p>
      </div>
      <div class="choices choice-some">
        {choices.length === 0 && <p class="hint">{say.noChoices}</p>}
        {choices.map((choice) => (
          <label class="check">
            <input type="checkbox" name={name} value={choice} checked={chosen.has(choice)} />
            <span>{choice}</span>
          </label>
        ))}
      </div>
    </Choice>
  );
}

/** One of a few, each with a line that says what it means. */
export function RadioField(
  { name, legend, options, fields, error }: {
    name: string;
    legend: string;
    options: Readonly<Record<string, readonly string[]>>;
    fields: URLSearchParams;
    error: string | undefined;
  },
) {
  return (
    <Choice name={name} legend={legend} error={error}>
      {Object.entries(options).map(([value, [text, hint]]) => (
        <label class="check">
          <input type="radio" name={name} value={value} checked={fields.get(name) === value} />
          <span>
            {text} <span class="hint">{hint}</span>
          </span>
        </label>
      ))}
    </Choice>
  );
}

function Choice({ name, legend, error, children }: {
  name: string;
  legend: string;
  error: string | undefined;
  children: Child;
}) {
  return (
    <fieldset
      class={error === undefined ? "choice" : "choice choice-wrong"}
      aria-describedby={error === undefined ? undefined : `error-${name}`}
    >
      <legend>{legend}</legend>
      {children}
      {error !== undefined && <p class="error" id={`error-${name}`}>{error}</p>}
    </fieldset>
  );
}

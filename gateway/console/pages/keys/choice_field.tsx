import type { Child } from "@hono/hono/jsx";
import type { InView } from "../../page.ts";
import { formMessages } from "./form_messages.ts";
import { limitOf, type ListField } from "./policy_form.ts";

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

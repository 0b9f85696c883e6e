import { FilterForm, FilterSelect, FilterText } from "../../components/filter_form.tsx";
import { OwnRange } from "../../components/own_range.tsx";
import { readRange, SPANS, type TimeRange } from "../../components/time_range.ts";
import { rangeMessages } from "../../messages/range.ts";
import type { View } from "../../page.ts";
import { requestMessages } from "./messages.ts";

/** Above this many keys are named by their id instead of chosen from a list. */
export const KEYS_LISTED_MAX = 200;

/** What can be chosen. */
export interface Choices {
  /** Names by id. */
  readonly keys: ReadonlyMap<string, string>;
  readonly models: readonly string[];
}

/** Conditions of the operator's API that go there under the name that they have here. */
const CONDITIONS = ["key", "model", "outcome", "endpoint", "status", "error"] as const;
/** Those that stand under "more". */
const SELDOM = ["endpoint", "status", "error", "min_charged", "order"] as const;

/** What of the page's query says which requests are meant, in the words of the operator's API. */
export function conditions(view: View, range: TimeRange = readRange(view, "any")): URLSearchParams {
  const wanted = new URLSearchParams();
  const text = view.query.get("q")?.trim() ?? "";
  if (text !== "") wanted.set("q", text);
  for (const name of [...CONDITIONS, "min_charged"]) {
    const value = view.query.get(name)?.trim() ?? "";
    if (value !== "") wanted.set(name, value);
  }
  const { sinceMs, untilMs } = range;
  if (sinceMs !== undefined) wanted.set("since", new Date(sinceMs).toISOString());
  if (untilMs !== undefined) wanted.set("until", new Date(untilMs).toISOString());
  return wanted;
}

/** The conditions, to choose. */
export function RequestFilter({ view, choices }: { view: View; choices: Choices }) {
  const say = view.say(requestMessages);
  const range = view.say(rangeMessages);
  const isSeldom = SELDOM.some((name) => (view.query.get(name) ?? "") !== "");
  return (
    <FilterForm view={view}>
      <FilterText view={view} name="q" label={say.search} />
      <KeyField view={view} choices={choices} />
      <FilterSelect
        view={view}
        name="model"
        label={say.model}
        options={[
          { value: "", text: say.anyModel },
          ...withChosen(view, "model", choices.models).map((id) => ({ value: id, text: id })),
        ]}
      />
      <FilterSelect
        view={view}
        name="outcome"
        label={say.outcome}
        options={optionsOf(say.anyOutcome, say.outcomes)}
      />
      <FilterSelect
        view={view}
        name="range"
        label={range.time}
        options={[
          { value: "", text: range.any },
          ...SPANS.map((span) => ({ value: span, text: range.last[span] })),
          { value: "own", text: range.own },
        ]}
      />
      <OwnRange view={view} />
      <details class="more" open={isSeldom}>
        <summary>{say.more}</summary>
        <div class="filter">
          <FilterSelect
            view={view}
            name="endpoint"
            label={say.endpoint}
            options={optionsOf(say.anyEndpoint, say.endpoints)}
          />
          <FilterText view={view} name="status" label={`${say.status} (429, 5xx)`} />
          <FilterText view={view} name="error" label={say.error} />
          <FilterText view={view} name="min_charged" label={say.minCharged} />
          <FilterSelect
            view={view}
            name="order"
            label={say.order}
            options={[{ value: "", text: say.newest }, { value: "oldest", text: say.oldest }]}
          />
        </div>
      </details>
    </FilterForm>
  );
}

function KeyField({ view, choices: { keys } }: { view: View; choices: Choices }) {
  const say = view.say(requestMessages);
  if (keys.size > KEYS_LISTED_MAX) return <FilterText view={view} name="key" label={say.key} />;
  return (
    <FilterSelect
      view={view}
      name="key"
      label={say.key}
      options={[
        { value: "", text: say.anyKey },
        ...withChosen(view, "key", [...keys.keys()])
          .map((id) => ({ value: id, text: keys.get(id) ?? id })),
      ]}
    />
  );
}

/** What is looked for stays chosen, also where it is gone by now. */
function withChosen(view: View, name: string, known: readonly string[]): readonly string[] {
  const chosen = view.query.get(name) ?? "";
  return chosen === "" || known.includes(chosen) ? known : [...known, chosen];
}

function optionsOf(any: string, names: Readonly<Record<string, string>>) {
  return [
    { value: "", text: any },
    ...Object.entries(names).map(([value, text]) => ({ value, text })),
  ];
}

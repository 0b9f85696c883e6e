import { FilterForm, FilterSelect, FilterText, filterText } from "../../components/filter_form.tsx";
import { OwnRange } from "../../components/own_range.tsx";
import { readRange, SPANS, type TimeRange } from "../../components/time_range.ts";
import { rangeMessages } from "../../messages/range.ts";
import type { InView, View } from "../../page.ts";
import type { KnownKeys } from "./known_keys.ts";
import { requestMessages } from "./messages.ts";

/** Above this many keys are named by their id instead of chosen from a list. */
export const KEYS_LISTED_MAX = 200;

/** What can be chosen. */
export interface Choices {
  readonly keys: KnownKeys;
  readonly models: readonly string[];
}

/** Conditions of the operator's API that go there under the name that they have here. */
const CONDITIONS = ["q", "key", "model", "outcome", "endpoint", "status", "error", "min_charged"];
/** Those that stand under "more". */
const SELDOM = ["endpoint", "status", "error", "min_charged"];

/** What of the page's query says which requests are meant, in the words of the operator's API. */
export function conditions(view: View, range: TimeRange = readRange(view, "any")): URLSearchParams {
  const wanted = new URLSearchParams();
  for (const name of CONDITIONS) {
    const value = filterText(view, name);
    if (value !== "") wanted.set(name, value);
  }
  const { sinceMs, untilMs } = range;
  if (sinceMs !== undefined) wanted.set("since", new Date(sinceMs).toISOString());
  if (untilMs !== undefined) wanted.set("until", new Date(untilMs).toISOString());
  return wanted;
}

/** The conditions, to choose. */
export function RequestFilter({ view, choices }: InView<{ choices: Choices }>) {
  const say = view.say(requestMessages);
  const range = view.say(rangeMessages);
  const spans = SPANS.map((span) => [span, range.last[span]] as const);
  return (
    <FilterForm view={view}>
      <FilterText view={view} name="q" label={say.search} />
      <KeyField view={view} keys={choices.keys} />
      <FilterSelect
        view={view}
        name="model"
        label={say.model}
        all={say.anyModel}
        options={choices.models}
      />
      <FilterSelect
        view={view}
        name="outcome"
        label={say.outcome}
        all={say.anyOutcome}
        options={Object.entries(say.outcomes)}
      />
      <FilterSelect
        view={view}
        name="range"
        label={range.time}
        all={range.any}
        options={[...spans, ["own", range.own]]}
      />
      <OwnRange view={view} />
      <details class="more" open={SELDOM.some((name) => filterText(view, name) !== "")}>
        <summary>{say.more}</summary>
        <div class="filter">
          <FilterSelect
            view={view}
            name="endpoint"
            label={say.endpoint}
            all={say.anyEndpoint}
            options={Object.entries(say.endpoints)}
          />
          <FilterText view={view} name="status" label={`${say.status} (429, 5xx)`} />
          <FilterText view={view} name="error" label={say.error} />
          <FilterText view={view} name="min_charged" label={say.minCharged} />
        </div>
      </details>
    </FilterForm>
  );
}

function KeyField({ view, keys }: InView<{ keys: KnownKeys }>) {
  const say = view.say(requestMessages);
  // Those that are over make room first, such as what the playground has left behind.
  const living = keys.all.filter(({ isOver }) => !isOver);
  const listed = keys.all.length > KEYS_LISTED_MAX ? living : keys.all;
  if (listed.length > KEYS_LISTED_MAX) {
    return <FilterText view={view} name="key" label={say.keyText} />;
  }
  const chosen = keys.called(filterText(view, "key"));
  const also = chosen.filter((key) => !listed.includes(key));
  return (
    <FilterSelect
      view={view}
      name="key"
      label={say.key}
      all={say.anyKey}
      options={[...listed, ...also].map(({ id }) => [id, keys.textOf(id)])}
    />
  );
}

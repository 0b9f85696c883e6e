import * as ui from "../../components/mod.ts";
import { rangeMessages } from "../../messages/range.ts";
import type { InView, View } from "../../page.ts";
import type { KnownKeys } from "./known_keys.ts";
import { requestMessages } from "./messages.ts";

/** Above this many keys are named by their id instead of chosen from a list. */
export const KEYS_LISTED_MAX = 200;

/** The choices of the filter. */
export interface Choices {
  /** All keys; `undefined` where there are too many to choose from. */
  readonly keys: KnownKeys | undefined;
  readonly models: readonly string[];
}

/** Conditions of the operator's API that go there under the name that they have here. */
const CONDITIONS = [
  ...["q", "key", "model", "outcome", "endpoint", "status", "error", "min_charged", "tag", "user"],
];
/** Conditions that are shown under "more". */
const SELDOM = ["endpoint", "status", "error", "min_charged", "task", "tag", "user"];

/** Returns the conditions of the page's query under the names of the operator's API. */
export function conditions(
  view: View,
  range: ui.TimeRange = ui.readRange(view, "any"),
): URLSearchParams {
  const wanted = ui.queryFields(view, CONDITIONS);
  const { sinceMs, untilMs } = range;
  if (sinceMs !== undefined) wanted.set("since", new Date(sinceMs).toISOString());
  if (untilMs !== undefined) wanted.set("until", new Date(untilMs).toISOString());
  return wanted;
}

/** The conditions, to choose. */
export function RequestFilter({ view, choices }: InView<{ choices: Choices }>) {
  const say = view.say(requestMessages);
  const range = view.say(rangeMessages);
  const spans = ui.SPANS.map((span) => [span, range.last[span]] as const);
  const select = ui.filterSelects(view);
  return (
    <ui.FilterForm view={view}>
      <ui.FilterText view={view} name="q" label={say.search} />
      <KeyField view={view} keys={choices.keys} />
      {select("model", say.model, { all: say.anyModel, options: choices.models })}
      {select("outcome", say.outcome, {
        all: say.anyOutcome,
        options: Object.entries(say.outcomes),
      })}
      {select("range", range.time, { all: range.any, options: [...spans, ["own", range.own]] })}
      <ui.OwnRange view={view} />
      <details class="more" open={SELDOM.some((name) => ui.filterText(view, name) !== "")}>
        <summary>{say.more}</summary>
        <div class="filter">
          {select("endpoint", say.endpoint, {
            all: say.anyEndpoint,
            options: Object.entries(say.endpoints),
          })}
          <ui.FilterText view={view} name="status" label={`${say.status} (429, 5xx)`} />
          <ui.FilterText view={view} name="error" label={say.error} />
          <ui.FilterText view={view} name="min_charged" label={say.minCharged} />
          <ui.FilterText view={view} name="task" label={say.task} />
          <ui.FilterText view={view} name="tag" label={say.tag} />
          <ui.FilterText view={view} name="user" label={say.user} />
        </div>
      </details>
    </ui.FilterForm>
  );
}

function KeyField({ view, keys }: InView<{ keys: KnownKeys | undefined }>) {
  const say = view.say(requestMessages);
  if (keys === undefined) return <ui.FilterText view={view} name="key" label={say.keyText} />;
  // With many keys those that have ended are left out, such as the keys of the playground.
  const active = keys.all.filter(({ isOver }) => !isOver);
  const listed = keys.all.length > KEYS_LISTED_MAX ? active : keys.all;
  if (listed.length > KEYS_LISTED_MAX) {
    return <ui.FilterText view={view} name="key" label={say.keyText} />;
  }
  const chosen = keys.called(ui.filterText(view, "key"));
  const also = chosen.filter((key) => !listed.includes(key));
  return ui.filterSelects(view)("key", say.key, {
    all: say.anyKey,
    options: [...listed, ...also].map(({ id }) => [id, keys.textOf(id)]),
  });
}

import type { Child } from "@hono/hono/jsx";
import { sharedMessages } from "../messages/shared.ts";
import type { InReading, Reading } from "../page.ts";
import { Options } from "./form.tsx";

/** Longest text that the operator's API looks for. */
const LONGEST = 256;
/** Fields that order a list, and leave nothing of it out. */
const ORDERS = ["sort", "order"];

/** Narrows what a page lists, by its query. The order of the table stays; the place in it does not. */
export function FilterForm({ view, children }: InReading<{ children: Child }>) {
  const say = view.say(sharedMessages);
  const orders = [...view.query].filter(([name, value]) => ORDERS.includes(name) && value !== "");
  const isFiltered = [...view.query].some(([name, value]) =>
    ![...ORDERS, "from", "cursor"].includes(name) && value !== ""
  );
  return (
    <form method="get" action={view.url.pathname} class="filter" role="search">
      {children}
      {orders.map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)}
      <div class="actions">
        <button type="submit" class="button">{say.filter}</button>
        {isFiltered && <a class="button quiet" href={view.url.pathname}>{say.clear}</a>}
      </div>
    </form>
  );
}

/** A text to look for; its value is in the query. */
export function FilterText({ view, name, label }: InReading<{ name: string; label: string }>) {
  return (
    <label class="filter-field">
      <span>{label}</span>
      <input
        type="search"
        name={name}
        value={view.query.get(name) ?? ""}
        maxlength={LONGEST}
        autocomplete="off"
      />
    </label>
  );
}

/** The choices of a filter. */
export interface FilterChoices {
  /** The name of the choice that leaves nothing out. */
  readonly all: string;
  readonly options: readonly (string | readonly [value: string, text: string])[];
}

/** Makes the selects of a filter: one of several values, or all of them; the choice is in the query. */
export function filterSelects(view: Reading) {
  return (name: string, label: string, { all, options }: FilterChoices) => (
    <label key={name} class="filter-field">
      <span>{label}</span>
      <select name={name}>
        <Options options={[["", all], ...options]} value={view.query.get(name) ?? ""} />
      </select>
    </label>
  );
}

/** Returns the text of a filter in the query; empty where the filter is not used. */
export function filterText({ query }: Pick<Reading, "query">, name: string): string {
  return query.get(name)?.trim() ?? "";
}

/** Returns those of some fields of the query that are not empty. */
export function queryFields(
  view: Pick<Reading, "query">,
  names: readonly string[],
): URLSearchParams {
  const fields = names.map((name) => [name, filterText(view, name)]);
  return new URLSearchParams(fields.filter(([, value]) => value !== ""));
}

/** True when one of some texts contains the text of a filter, regardless of case. */
export function hasText(
  view: Pick<Reading, "query">,
  name: string,
  texts: readonly string[],
): boolean {
  const wanted = filterText(view, name).toLowerCase();
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

/** True when one of some values is the value of a filter, or the filter is not used. */
export function hasValue(
  view: Pick<Reading, "query">,
  name: string,
  values: readonly (string | undefined)[],
): boolean {
  const wanted = filterText(view, name);
  return wanted === "" || values.includes(wanted);
}

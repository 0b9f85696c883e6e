import type { Child } from "@hono/hono/jsx";
import { sharedMessages } from "../messages/shared.ts";
import type { InView, View } from "../page.ts";
import { type Choice, Options } from "./form.tsx";

/** Longest text that the operator's API looks for. */
const LONGEST = 256;
/** Fields that order a list, and leave nothing of it out. */
const ORDERS = ["sort", "order"];

/** Narrows what a page lists, by its query. The order of the table stays; the place in it does not. */
export function FilterForm({ view, children }: InView<{ children: Child }>) {
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
export function FilterText({ view, name, label }: InView<{ name: string; label: string }>) {
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

/**
 * One of several, or all of them; the choice is in the query. What is looked for stays chosen, also
 * where it is gone by now.
 */
export function FilterSelect(
  { view, name, label, all, options }: {
    view: View;
    name: string;
    label: string;
    /** What is said where nothing is chosen. */
    all: string;
    /** Values, or values with their names. */
    options: readonly (string | readonly [value: string, text: string])[];
  },
) {
  const value = view.query.get(name) ?? "";
  const choices = options.map((option): Choice => {
    const [value, text] = typeof option === "string" ? [option, option] : option;
    return { value, text };
  });
  const isKnown = value === "" || choices.some((choice) => choice.value === value);
  const gone = isKnown ? [] : [{ value, text: value }];
  return (
    <label class="filter-field">
      <span>{label}</span>
      <select name={name}>
        <Options options={[{ value: "", text: all }, ...choices, ...gone]} value={value} />
      </select>
    </label>
  );
}

/** What of the query a list is narrowed by; empty where by nothing. */
export function filterText({ query }: Pick<View, "query">, name: string): string {
  return query.get(name)?.trim() ?? "";
}

/** Whether one of some texts has in it what a field asks for, in whatever case. */
export function hasText(
  view: Pick<View, "query">,
  name: string,
  texts: readonly string[],
): boolean {
  const wanted = filterText(view, name).toLowerCase();
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

/** Whether one of some values is what a field asks for, where it asks for any. */
export function hasValue(
  view: Pick<View, "query">,
  name: string,
  values: readonly (string | undefined)[],
): boolean {
  const wanted = filterText(view, name);
  return wanted === "" || values.includes(wanted);
}

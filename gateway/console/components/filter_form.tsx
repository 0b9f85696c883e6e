import type { Child } from "@hono/hono/jsx";
import { sharedMessages } from "../messages/shared.ts";
import type { View } from "../page.ts";
import { type Choice, Options } from "./form.tsx";

/** Narrows what a page lists, by its query. The order of the table stays; the place in it does not. */
export function FilterForm({ view, children }: { view: View; children: Child }) {
  const say = view.say(sharedMessages);
  const sort = view.query.get("sort");
  const isFiltered = [...view.query].some(([name, value]) =>
    !["sort", "from", "cursor"].includes(name) && value !== ""
  );
  return (
    <form method="get" action={view.url.pathname} class="filter" role="search">
      {children}
      {sort === null ? null : <input type="hidden" name="sort" value={sort} />}
      <div class="actions">
        <button type="submit" class="button">{say.filter}</button>
        {isFiltered ? <a class="button quiet" href={view.url.pathname}>{say.clear}</a> : null}
      </div>
    </form>
  );
}

/** A text to look for; its value is in the query. */
export function FilterText(
  { view, name, label }: { view: View; name: string; label: string },
) {
  return (
    <label class="filter-field">
      <span>{label}</span>
      <input type="search" name={name} value={view.query.get(name) ?? ""} autocomplete="off" />
    </label>
  );
}

/** One of several; the choice is in the query. */
export function FilterSelect(
  { view, name, label, options }: {
    view: View;
    name: string;
    label: string;
    options: readonly Choice[];
  },
) {
  return (
    <label class="filter-field">
      <span>{label}</span>
      <select name={name}>
        <Options options={options} value={view.query.get(name) ?? ""} />
      </select>
    </label>
  );
}

import type { Child } from "@hono/hono/jsx";
import type { InView } from "../../page.ts";

/** Fields of the page's address that its forms set. */
const FIELDS = ["wallet", "dial", "credits"] as const;

/** A form that shows the page with another value of one field; the values of the others stay. */
export function TryForm({ view, name, submit, children }: InView<{
  name: (typeof FIELDS)[number];
  submit: string;
  children: Child;
}>) {
  const others = FIELDS.filter((field) => field !== name && view.query.has(field));
  return (
    <form method="get" action={view.url.pathname} class="filter" autocomplete="off">
      {children}
      {others.map((field) => (
        <input key={field} type="hidden" name={field} value={view.query.get(field) ?? ""} />
      ))}
      <div class="actions">
        <button type="submit" class="button">{submit}</button>
      </div>
    </form>
  );
}

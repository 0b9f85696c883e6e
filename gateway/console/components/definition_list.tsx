import type { Child } from "@hono/hono/jsx";

/** Terms and what they are for one thing. A value that is `null` or `undefined` shows as a dash. */
export function DefinitionList(
  { items }: { items: readonly (readonly [term: string, value: Child])[] },
) {
  return (
    <dl class="definitions">
      {items.map(([term, value]) => (
        <div>
          <dt>{term}</dt>
          <dd>{value === null || value === undefined || value === "" ? "–" : value}</dd>
        </div>
      ))}
    </dl>
  );
}
